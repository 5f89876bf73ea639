/*
 * part_lines.h - the cost lines, call sites and jumps of some parts.
 *
 * The index has line detail of the whole profile only (index/FORMAT.md); what single parts
 * have is read again from the profile: the index knows where each part's text is and what
 * was in force where it begins.  Rows are those of store_lines() and its kin, in the
 * store's ids, ordered and added up in the same way, so that the parts sum to the whole.
 */
#ifndef QUERN_PART_LINES_H
#define QUERN_PART_LINES_H

#include "index/store/store.h"

struct part_lines;

/* Called every few MiB; non-zero (and err set) ends the reading. */
typedef int part_lines_poll(void *arg, struct err *err);

struct part_lines_opts {
	part_lines_poll *poll; /* may be NULL */
	void *arg;
	size_t piece; /* bytes of a plain file read at once; 0: the default (tests) */
};

/*
 * Read the parts that parts[] (one byte per part) marks.  ERR_PROFILE: the profile is gone or
 * is not the one that was indexed any more.  Memory grows with the distinct lines, not with
 * the text.  st must outlive what is returned.
 */
int part_lines_read(struct store *st, const uint8_t *parts,
		    const struct part_lines_opts *opts, struct part_lines **out,
		    struct err *err);
void part_lines_free(struct part_lines *p); /* NULL is nothing */

int part_lines(struct part_lines *p, fn_id f, struct arena *a, struct store_line **rows,
	       uint64_t **costs, size_t *n, struct err *err);
int part_sites(struct part_lines *p, fn_id f, struct arena *a, struct store_site **rows,
	       uint64_t **costs, size_t *n, struct err *err);
int part_jumps(struct part_lines *p, fn_id f, struct arena *a, struct store_jump **rows,
	       size_t *n, struct err *err);

#endif
