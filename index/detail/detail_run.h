/*
 * detail_run.h - rows of a function that are too many to be in memory together.
 *
 * They come in runs, each ordered and packed as in detail_code.h, and are merged from there:
 * a row takes some five bytes instead of a hundred.
 */
#ifndef QUERN_DETAIL_RUN_H
#define QUERN_DETAIL_RUN_H

#include <stdatomic.h>

#include "index/format/detail_code.h"

struct detail_runs {
	struct bytes bytes; /* the runs, one behind the other */
	size_t *end;	    /* of each in bytes */
	size_t n, cap;
	bool full; /* a sum of them does not fit */
};

/* The order of rows in a function: qsort()'s. */
int detail_compare(const void *a, const void *b);
/* a + b, or as much as there is and *full. */
uint64_t detail_add(uint64_t a, uint64_t b, bool *full);

/* What was appended to `bytes` behind the run before, by detail_encode() or detail_encode_lines(),
 * is a run.  0, or -1 when memory is out. */
int detail_runs_end(struct detail_runs *runs);
/* Append to b what detail_encode() would for all rows of the runs, equal ones added; *n
 * rows.  The runs are empty afterwards.  0 or -1: memory is out, or *cancel, which may be NULL, is
 * set. */
int detail_runs_merge(struct detail_runs *runs, enum detail_kind kind,
		      const struct detail_shape *s, const atomic_int *cancel,
		      struct bytes *b, uint64_t *n);
void detail_runs_free(struct detail_runs *runs);

#endif
