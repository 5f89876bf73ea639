/* row_loops.h - the loops over columns of numbers, for each instruction set. */
#ifndef QUERN_ROW_LOOPS_H
#define QUERN_ROW_LOOPS_H

#include "engine/lang/ast.h"

struct row_loops {
	/* out[i]: does a[i] op b hold?  op: EX_EQ .. EX_GE */
	void (*compare_whole)(enum expr_op op, const uint64_t *a, uint64_t b, size_t n,
			      bool *out);
	void (*compare_signed)(enum expr_op op, const int64_t *a, int64_t b, size_t n,
			       bool *out);
	void (*compare_float)(enum expr_op op, const double *a, double b, size_t n,
			      bool *out);
	/* List first + i for each i with is[i]; how many. */
	size_t (*list_rows)(const bool *is, size_t n, uint32_t first, uint32_t *out);
	/* The first i in from .. n - 1 with v[i] <= limit; n if there is none. */
	size_t (*find_upto)(const uint64_t *v, size_t from, size_t n, uint64_t limit);
};
extern const struct row_loops row_loops_avx2, row_loops_portable;
const struct row_loops *row_loops(void);

#endif
