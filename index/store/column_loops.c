/*
 * column_loops.c - find a text in many bytes; compiled once per instruction set.
 *
 * The loop is in steps of a length that compilers make vectors of.
 */
#include "index/store/column_loops.h"

#include <string.h>

enum { STEP = 64 };

/* Most steps have no place with both the first and the last byte of the text. */
static const char *find(const char *p, size_t n, const char *text, size_t m)
{
	const char first = text[0], last = text[m - 1];

	for (; n >= STEP + m; n -= STEP, p += STEP) {
		unsigned char any = 0;
		const char *hit;

		for (unsigned i = 0; i < STEP; i++)
			any |= (p[i] == first) & (p[i + m - 1] == last);
		if (any && (hit = memmem(p, STEP + m - 1, text, m)))
			return hit;
	}
	return memmem(p, n, text, m);
}

#ifdef SIMD_AVX2
const struct column_loops column_loops_avx2 = {find};
#else
const struct column_loops column_loops_portable = {find};
#endif
