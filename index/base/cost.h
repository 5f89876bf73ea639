/*
 * cost.h - add costs, and numbers of calls.  A sum that does not fit is the largest one.
 *
 * Both are unsigned numbers of 64 bits today.  Costs are added by the functions called
 * cost, all else that is counted by those called count, so that each can change alone.
 */
#ifndef QUERN_BASE_COST_H
#define QUERN_BASE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/order.h"

static inline uint64_t count_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Add v to *sum.  Returns whether the sum does not fit. */
static inline bool count_add(uint64_t *sum, uint64_t v)
{
	const bool full = __builtin_add_overflow(*sum, v, sum);

	if (__builtin_expect(full, 0))
		*sum = UINT64_MAX;
	return full;
}

static inline uint64_t cost_sum(uint64_t a, uint64_t b)
{
	return count_sum(a, b);
}

static inline bool cost_add(uint64_t *sum, uint64_t v)
{
	return count_add(sum, v);
}

/* The order of two costs, as order_u64(). */
static inline int cost_order(uint64_t a, uint64_t b)
{
	return order_u64(a, b);
}

/* Add v[i] to sum[i] for each of n events. */
static inline void cost_add_each(uint64_t *sum, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cost_add(&sum[i], v[i]);
}

#endif
