/*
 * part_lines_in.h - the inside of part_lines.c, part_lines_read.c and part_lines_ids.c.
 */
#ifndef QUERN_PART_LINES_IN_H
#define QUERN_PART_LINES_IN_H

#include "index/detail/detail.h"
#include "index/merge/merge.h"
#include "index/part_lines.h"

struct part_lines {
	struct store *st;
	struct tally tally;
	struct tally *tallies[1];
	struct profile p; /* the tally in the store's ids */
	struct merge_map map;
	struct detail *detail;
	struct bytes packed; /* scratch: the rows asked for */
};

/* Tally the text of the parts, and merge their names. */
int part_lines_tally(struct part_lines *to, const uint8_t *parts,
		     const struct part_lines_opts *opts, struct err *err);
/* Put what was tallied into the store's ids, for detail.c to pack. */
int part_lines_map(struct part_lines *to, struct err *err);

#endif
