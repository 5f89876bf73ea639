/*
 * reuse.h - an index as a tally, to merge further files of a set with it without reading the
 * rest again.
 *
 * The result is the same, bit by bit, as from reading all files: sums are exact, and name
 * ids do not reach beyond a file.  reuse_possible() is false if a further file could
 * change the meaning of what the index holds, or if the index lacks something; then all
 * files are read.
 */
#ifndef QUERN_REUSE_H
#define QUERN_REUSE_H

#include "index/merge/profile.h"

struct store;

/* Parts of a tally that are final already; in the tally's arena. */
struct kept {
	struct store *st;     /* the index it comes from */
	struct part *part;    /* one per part slot */
	struct odd_line *odd; /* lines count from the start of their files */
	size_t nodd;
	/* The file of the first call lost in its call tree, as numbered now. */
	uint64_t lost_file;
};

bool reuse_possible(struct store *st);
/*
 * Make t from st.  file[i]: the current number of file i of the index.  spill_limit,
 * spill_dir: how lines are spilled (spill.h).  st must outlive t; call tally_free(t) also
 * after a failure.
 */
int reuse_index(struct tally *t, struct store *st, const uint32_t *file,
		size_t spill_limit, const char *spill_dir, struct err *err);

#endif
