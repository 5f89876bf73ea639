/*
 * row_loops.c - compare numbers, list the rows that a condition chose; compiled once per
 * instruction set.
 *
 * The loops are in steps of a length that compilers make vectors of.
 */
#include "engine/rows/row_loops.h"

#include <string.h>

enum { STEP = 64 };

#define COMPARE(op)                                                  \
	do {                                                         \
		for (; n >= STEP; n -= STEP, a += STEP, out += STEP) \
			for (unsigned i = 0; i < STEP; i++)          \
				out[i] = a[i] op b;                  \
		for (; n; n--)                                       \
			*out++ = *a++ op b;                          \
	} while (0)

#define COMPARE_ALL                     \
	switch (op) {                   \
	case EX_EQ: COMPARE(==); break; \
	case EX_NE: COMPARE(!=); break; \
	case EX_LT: COMPARE(<); break;  \
	case EX_LE: COMPARE(<=); break; \
	case EX_GT: COMPARE(>); break;  \
	default: COMPARE(>=);           \
	}

static void compare_whole(enum expr_op op, const uint64_t *restrict a, uint64_t b,
			  size_t n, bool *restrict out)
{
	COMPARE_ALL
}

static void compare_signed(enum expr_op op, const int64_t *restrict a, int64_t b,
			   size_t n, bool *restrict out)
{
	COMPARE_ALL
}

static void compare_float(enum expr_op op, const double *restrict a, double b, size_t n,
			  bool *restrict out)
{
	COMPARE_ALL
}

/* Most conditions choose few rows: eight that are not chosen take one step. */
static size_t list_rows(const bool *is, size_t n, uint32_t first, uint32_t *out)
{
	size_t k = 0, i = 0;
	uint64_t eight;

	for (; i + sizeof(eight) <= n; i += sizeof(eight)) {
		memcpy(&eight, is + i, sizeof(eight));
		if (!eight)
			continue;
		for (size_t j = i; j < i + sizeof(eight); j++) {
			out[k] = first + (uint32_t)j;
			k += is[j];
		}
	}
	for (; i < n; i++) {
		out[k] = first + (uint32_t)i;
		k += is[i];
	}
	return k;
}

static size_t find_upto(const uint64_t *v, size_t from, size_t n, uint64_t limit)
{
	size_t i = from;

	for (; i + STEP <= n; i += STEP) {
		uint64_t any = 0;

		for (unsigned j = 0; j < STEP; j++)
			any |= v[i + j] <= limit;
		if (any)
			break;
	}
	while (i < n && v[i] > limit)
		i++;
	return i;
}

#ifdef SIMD_AVX2
const struct row_loops row_loops_avx2 = {compare_whole, compare_signed, compare_float,
					 list_rows, find_upto};
#else
const struct row_loops row_loops_portable = {compare_whole, compare_signed, compare_float,
					     list_rows, find_upto};
#endif
