/*
 * cost.h - add costs, and numbers of calls.  A sum that does not fit is the nearest that
 * does: the largest number, or for costs also the smallest.  There it stays: what comes after
 * may have the other sign, and would make it a number that looks right.
 *
 * Costs are signed numbers of 64 bits: some producers write negative ones.  All else that
 * is counted is unsigned, and added by the functions called count.  Where costs stand in
 * an array beside counts, or packed, they are the same bits as unsigned numbers: bits.
 */
#ifndef QUERN_BASE_COST_H
#define QUERN_BASE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t count_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* How often a call was made, where nobody counted it.  A sum with it is it as well, and so is
 * one that does not fit: with calls count_add() need not be asked. */
#define CALLS_UNKNOWN UINT64_MAX

/* Add v to *sum.  Returns whether the sum does not fit. */
static inline bool count_add(uint64_t *sum, uint64_t v)
{
	const bool full = __builtin_add_overflow(*sum, v, sum);

	if (__builtin_expect(full, 0))
		*sum = UINT64_MAX;
	return full;
}

/* The largest or the smallest cost: the one that a sum of v and another cost has passed. */
static inline int64_t cost_most(int64_t v)
{
	return v < 0 ? INT64_MIN : INT64_MAX;
}

/* Is it the largest or the smallest cost?  Such a number stands for all beyond it. */
static inline bool cost_is_end(int64_t v)
{
	return v == INT64_MAX || v == INT64_MIN;
}

/* Does an end keep a and b, of unlike signs, from having a sum? */
static inline bool cost_stays(int64_t a, int64_t b)
{
	return (a ^ b) < 0 && (cost_is_end(a) || cost_is_end(b));
}

static inline int64_t cost_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_expect(cost_stays(a, b), 0))
		return cost_is_end(a) ? a : b;
	return __builtin_add_overflow(a, b, &sum) ? cost_most(b) : sum;
}

static inline int64_t cost_difference(int64_t a, int64_t b)
{
	int64_t d;

	return __builtin_sub_overflow(a, b, &d) ? (b < 0 ? INT64_MAX : INT64_MIN) : d;
}

static inline void cost_subtract(int64_t *from, int64_t v)
{
	*from = cost_difference(*from, v);
}

static inline bool cost_add(int64_t *sum, int64_t v)
{
	int64_t to;

	if (__builtin_expect(
		    !cost_stays(*sum, v) && !__builtin_add_overflow(*sum, v, &to), 1)) {
		*sum = to;
		return false;
	}
	*sum = cost_sum(*sum, v);
	return true;
}

static inline bool cost_add_bits(uint64_t *sum, uint64_t v)
{
	return cost_add((int64_t *)sum, (int64_t)v);
}

static inline uint64_t cost_sum_bits(uint64_t a, uint64_t b)
{
	return (uint64_t)cost_sum((int64_t)a, (int64_t)b);
}

/* Half away from zero; what does not fit is the nearest that does. */
static inline int64_t cost_round(double d)
{
	return d >= 9223372036854775807.0    ? INT64_MAX
	       : d <= -9223372036854775808.0 ? INT64_MIN
	       : d > 0			     ? (int64_t)(d + 0.5)
					     : -(int64_t)(0.5 - d);
}

/* Its place among unsigned numbers in the order of all costs. */
static inline uint64_t cost_rank(int64_t v)
{
	return (uint64_t)v ^ (uint64_t)1 << 63;
}

/* Its size without the sign. */
static inline int64_t cost_size(int64_t v)
{
	return v >= 0 ? v : v == INT64_MIN ? INT64_MAX : -v;
}

/* The order of two costs, as order_u64(). */
static inline int cost_order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* The cost that flows along a call where flows are estimated: 0 for a negative one. */
static inline int64_t cost_flow(int64_t v)
{
	return v < 0 ? 0 : v;
}

/* Add v[i] to sum[i] for each of n events. */
static inline void cost_add_each(int64_t *sum, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cost_add(&sum[i], v[i]);
}

#endif
