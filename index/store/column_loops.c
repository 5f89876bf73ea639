/*
 * column_loops.c - make numbers of 1, 2 or 4 bytes 64-bit ones; find a text in many
 * bytes; compiled once per instruction set.
 *
 * The loops are in steps of a length that compilers make vectors of.
 */
#include "index/store/column_loops.h"

#include <string.h>

enum { STEP = 64 };

#define WIDEN(type)                                                  \
	do {                                                         \
		const type *in = from;                               \
		for (; n >= STEP; n -= STEP, in += STEP, to += STEP) \
			for (unsigned i = 0; i < STEP; i++)          \
				to[i] = in[i];                       \
		for (; n; n--)                                       \
			*to++ = *in++;                               \
	} while (0)

static void widen(uint64_t *restrict to, const void *from, size_t n, unsigned width)
{
	switch (width) {
	case 1: WIDEN(uint8_t); break;
	case 2: WIDEN(uint16_t); break;
	case 4: WIDEN(uint32_t); break;
	default: memcpy(to, from, n * sizeof(*to));
	}
}

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
const struct column_loops column_loops_avx2 = {widen, find};
#else
const struct column_loops column_loops_portable = {widen, find};
#endif
