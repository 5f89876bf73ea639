/* why_row.h - the rows of `why`, which engine/why/ makes. */
#ifndef QUERN_WHY_ROW_H
#define QUERN_WHY_ROW_H

#include "engine/rows/table.h"

struct why_row {
	int64_t delta, lo, hi; /* by the prices of either side */
	double share;	       /* percent of the whole difference */
	double from, to;       /* calls, or self cost, of one run of fn */
	bool rates;	       /* they are known */
	bool costs;	       /* they are costs */
	struct str text, fn, callee, kind, below, context, file;
	uint64_t line;
	bool gone;   /* the line is one of the base */
	uint32_t of; /* 1 + the function, as result_fn(); 0: none */
};

/* Make them the rows of t.  `any`: there is a difference, so that shares are known. */
void why_rows(struct exec *x, struct table *t, const struct why_row *row, size_t n,
	      bool any);

#endif
