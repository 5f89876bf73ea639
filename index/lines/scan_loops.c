/*
 * scan_loops.c - separators of a block; compiled once per instruction set.
 *
 * 64 bytes at a time become a 64-bit mask (bit i: byte i <= ' '), and the mask becomes
 * 16-bit offsets, eight stores a round whatever the count, so that there is no branch on
 * the number of separators.  The end of a block is copied to a padded buffer.
 */
#include "index/lines/scan.h"

#include <string.h>

#include "index/lines/digits.h"

#ifdef SIMD_AVX2
#include <immintrin.h>
#endif

enum { CHUNK = 64 };

/* Bit i: byte i of the 64 at p is a separator. */
static inline uint64_t separators(const char *p)
{
	uint64_t mask = 0;

#ifdef SIMD_AVX2
	const __m256i blank = _mm256_set1_epi8(' ');

	for (unsigned i = 0; i < CHUNK; i += 32) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
		__m256i le = _mm256_cmpeq_epi8(_mm256_max_epu8(v, blank), blank);

		mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(le) << i;
	}
#else
	const uint64_t low7 = 0x7f7f7f7f7f7f7f7f, ones = 0x0101010101010101;

	for (unsigned i = 0; i < CHUNK; i += 8) {
		uint64_t v = load8(p + i);
		/* High bit set where the byte is > ' ' (low 7 bits > 32, or bit 7). */
		uint64_t le = ~((((v & low7) + 0x5f * ones) | v)) & 0x8080808080808080;

		/* Gather the high bits of 8 bytes into 8 bits. */
		mask |= (((le >> 7) * 0x0102040810204080) >> 56) << i;
	}
#endif
	return mask;
}

/* Write base + i for each bit i of the mask to pos; the end. */
static inline uint16_t *peel(uint16_t *pos, uint64_t mask, size_t base)
{
	uint16_t *end = pos + __builtin_popcountll(mask);

	for (; mask; pos += 8)
		for (int i = 0; i < 8; i++) {
			pos[i] = (uint16_t)(base +
					    (mask ? (size_t)__builtin_ctzll(mask) : 0));
			mask &= mask - 1;
		}
	return end;
}

#ifdef SIMD_AVX2
size_t scan_block_avx2(const char *p, size_t n, uint16_t *pos)
#else
size_t scan_block_portable(const char *p, size_t n, uint16_t *pos)
#endif
{
	char last[CHUNK];
	uint16_t *at = pos;
	size_t i = 0;

	for (; i + CHUNK <= n; i += CHUNK)
		at = peel(at, separators(p + i), i);
	if (i < n) {
		memset(last, 'x', sizeof(last));
		memcpy(last, p + i, n - i);
		at = peel(at, separators(last), i);
	}
	return (size_t)(at - pos);
}
