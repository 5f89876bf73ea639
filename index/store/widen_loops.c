/*
 * widen_loops.c - make numbers of 1, 2 or 4 bytes 64-bit ones; compiled once per
 * instruction set.  The loops are in steps of a length that compilers make vectors of.
 */
#include "index/store/widen_loops.h"

#include <string.h>

enum { STEP = 64 };

#define WIDEN(type)                                          \
	do {                                                 \
		const type *in = from;                       \
		for (; n >= STEP; n -= STEP, in += STEP, to += STEP) \
			for (unsigned i = 0; i < STEP; i++)  \
				to[i] = in[i];               \
		for (; n; n--)                               \
			*to++ = *in++;                       \
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

#ifdef SIMD_AVX2
const struct widen_loops widen_loops_avx2 = {widen};
#else
const struct widen_loops widen_loops_portable = {widen};
#endif
