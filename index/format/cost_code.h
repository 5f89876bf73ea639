/*
 * cost_code.h - the costs of a row as numbers, in pieces (piece.h) and in the index
 * (detail_code.h).
 *
 * Costs of one or two events are what they are.  Of more, most are 0: of each 63 a number
 * whose bits say which are not, the lowest that of the first, then these.
 */
#ifndef QUERN_COST_CODE_H
#define QUERN_COST_CODE_H

#include "index/base/varint.h"

enum {
	COSTS_PLAIN = 2,
	COSTS_MASKED = 63,
};

/* Numbers of n costs at most. */
static inline size_t costs_numbers(uint32_t n)
{
	return n + n / COSTS_MASKED + 1;
}

/* n costs to p; the end. */
static inline unsigned char *costs_put(unsigned char *p, const uint64_t *cost, uint32_t n)
{
	if (n <= COSTS_PLAIN) {
		for (uint32_t i = 0; i < n; i++)
			p = varint_put_flat(p, cost[i]);
		return p;
	}
	for (uint32_t from = 0; from < n; from += COSTS_MASKED) {
		const uint32_t some = n - from < COSTS_MASKED ? n - from : COSTS_MASKED;
		uint64_t mask = 0;

		for (uint32_t i = 0; i < some; i++)
			mask |= (uint64_t)(cost[from + i] != 0) << i;
		p = varint_put(p, mask);
		for (; mask; mask &= mask - 1)
			p = varint_put_flat(p,
					    cost[from + (uint32_t)__builtin_ctzll(mask)]);
	}
	return p;
}

static inline void costs_get(struct varint_reader *in, uint64_t *cost, uint32_t n)
{
	for (uint32_t i = 0; n <= COSTS_PLAIN && i < n; i++)
		cost[i] = varint_get(in);
	for (uint32_t from = 0; n > COSTS_PLAIN && from < n; from += COSTS_MASKED) {
		const uint32_t some = n - from < COSTS_MASKED ? n - from : COSTS_MASKED;
		const uint64_t mask = varint_get(in);

		in->bad |= mask >> some != 0;
		for (uint32_t i = 0; i < some; i++)
			cost[from + i] = mask >> i & 1 ? varint_get(in) : 0;
	}
}

#endif
