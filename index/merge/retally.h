/*
 * retally.h - what an index holds, as a tally again, so that further files of its set can be
 * merged with it and the others need not be read.
 *
 * The result is the one that reading all files would give, bit by bit: sums are exact and
 * names do not reach beyond a file.  What a further file could give another meaning, or what
 * an index does not keep, makes retally_possible() say no; then all is read again.
 */
#ifndef QUERN_RETALLY_H
#define QUERN_RETALLY_H

#include <stdbool.h>

#include "index/merge/profile.h"
#include "index/store/store.h"

/* What of a tally is final already; in the tally's arena. */
struct kept {
	struct store *st;     /* the index */
	struct part *part;    /* tally.npart of them */
	struct odd_line *odd; /* lines from the start of their files */
	size_t nodd;
};

bool retally_possible(struct store *st);
/*
 * file[i] is the number that file i of the index has now; once: where lines may be spilled
 * (once.h).  st must outlive t; t is to be freed by tally_free() also on failure.
 */
int retally(struct tally *t, struct store *st, const uint32_t *file, size_t once_limit,
	    const char *once_dir, struct err *err);

#endif
