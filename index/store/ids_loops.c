/*
 * ids_loops.c - the largest of many numbers, and do they ascend; compiled once per
 * instruction set.
 *
 * The loops are in steps of a length that compilers make vectors of.  Plain SSE2 has no
 * maximum of unsigned numbers.
 */
#include "index/store/ids_loops.h"

enum { QUARTER = 128, STEP = 4 * QUARTER };

static inline uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* In four parts, so that comparisons do not wait for each other. */
static uint32_t largest(const uint32_t *p, uint64_t n)
{
	uint32_t most = 0;

	for (; n >= STEP; n -= STEP, p += STEP)
		for (unsigned i = 0; i < QUARTER; i++)
			most = larger(most, larger(larger(p[i], p[QUARTER + i]),
						   larger(p[2 * QUARTER + i],
							  p[3 * QUARTER + i])));
	for (; n; n--, p++)
		most = larger(most, *p);
	return most;
}

static bool ascending(const uint32_t *p, uint64_t n)
{
	uint32_t falls = 0;

	for (; n > STEP; n -= STEP, p += STEP)
		for (unsigned i = 0; i < STEP; i++)
			falls |= p[i] > p[i + 1];
	for (; n > 1; n--, p++)
		falls |= p[0] > p[1];
	return !falls;
}

#ifdef SIMD_AVX2
const struct ids_loops ids_loops_avx2 = {largest, ascending};
#else
const struct ids_loops ids_loops_portable = {largest, ascending};
#endif
