/*
 * detail_run.h - merge the rows of a function that has too many to hold them all in
 * memory.
 *
 * They come in runs, each ordered and packed as in detail_code.h, and are merged from
 * there: a row takes some five bytes instead of a hundred.
 */
#ifndef QUERN_DETAIL_RUN_H
#define QUERN_DETAIL_RUN_H

#include <stdatomic.h>

#include "index/format/detail_code.h"

struct detail_runs {
	struct bytes bytes; /* the runs, one after the other */
	size_t *end;	    /* of each in bytes */
	size_t n, cap;
	bool full; /* a sum did not fit */
};

/* The order of rows in a function: qsort()'s. */
int detail_compare(const void *a, const void *b);

/* End a run: all that detail_encode() or detail_encode_lines() appended to `bytes` since
 * the run before.  0, or -1 when memory is out. */
int detail_runs_end(struct detail_runs *runs);
/* Append the *n rows of all runs to b, equal ones added, as detail_encode() would.  The
 * runs are empty afterwards.  Returns -1 when memory is out or *cancel is set (cancel may
 * be NULL), else 0. */
int detail_runs_merge(struct detail_runs *runs, enum detail_kind kind,
		      const struct detail_shape *s, const atomic_int *cancel,
		      struct bytes *b, uint64_t *n);
void detail_runs_free(struct detail_runs *runs);

#endif
