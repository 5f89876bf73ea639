/*
 * order.h - the order of two numbers, for qsort(): below 0, 0 or above 0; and of lines.
 *
 *	static int by_file_and_cost(const void *x, const void *y)
 *	{
 *		const struct row *a = x, *b = y;
 *		const int c = order_u64(a->file, b->file);
 *
 *		return c ? c : order_u64(b->cost, a->cost);		the largest first
 *	}
 */
#ifndef QUERN_BASE_ORDER_H
#define QUERN_BASE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

static inline int order_u64(uint64_t a, uint64_t b)
{
	/* Not (a > b) - (a < b): a caller with a second key jumps at once. */
	if (a != b)
		return a < b ? -1 : 1;
	return 0;
}

static inline int order_double(double a, double b)
{
	return (a > b) - (a < b);
}

/* Arrays of numbers, ascending. */
static inline int compare_u32(const void *a, const void *b)
{
	return order_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

static inline int compare_u64(const void *a, const void *b)
{
	return order_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Whether `line` is known and below `at`: 0 is unknown, and less 1 it is the greatest
 * number. */
static inline bool line_below(uint64_t line, uint64_t at)
{
	return line - 1 < at - 1;
}

#endif
