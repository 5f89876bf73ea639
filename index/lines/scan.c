/*
 * scan.c - separators of a block; see scan.h.
 *
 * 64 bytes at a time become a 64-bit mask (bit i: byte i <= ' '), and the mask becomes
 * 16-bit offsets, eight stores a round whatever the count, so that there is no branch on
 * the number of separators.  The end of a block is copied to a padded buffer.
 */
#include "index/lines/scan.h"

#include <string.h>

#include "index/base/isa.h"
#include "index/lines/digits.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define SCAN_X86 1
#endif

enum { CHUNK = 64 };

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

static inline uint16_t *chunk_portable(const char *p, size_t base, uint16_t *pos)
{
	const uint64_t low7 = 0x7f7f7f7f7f7f7f7f, ones = 0x0101010101010101;
	uint64_t mask = 0;

	for (unsigned i = 0; i < CHUNK; i += 8) {
		uint64_t v = load8(p + i);
		/* High bit set where the byte is > ' ' (low 7 bits > 32, or bit 7). */
		uint64_t le = ~((((v & low7) + 0x5f * ones) | v)) & 0x8080808080808080;

		/* Gather the high bits of 8 bytes into 8 bits. */
		mask |= (((le >> 7) * 0x0102040810204080) >> 56) << i;
	}
	return peel(pos, mask, base);
}

/* The loop over a block, for the `chunk` of an instruction set. */
#define SCAN_LOOP(chunk)                         \
	char last[CHUNK];                        \
	uint16_t *at = pos;                      \
	size_t i = 0;                            \
                                                 \
	for (; i + CHUNK <= n; i += CHUNK)       \
		at = chunk(p + i, i, at);        \
	if (i < n) {                             \
		memset(last, 'x', sizeof(last)); \
		memcpy(last, p + i, n - i);      \
		at = chunk(last, i, at);         \
	}                                        \
	return (size_t)(at - pos)

#ifdef SCAN_X86
#define AVX2 __attribute__((target("avx2,popcnt,bmi")))

AVX2 static inline uint16_t *chunk_avx2(const char *p, size_t base, uint16_t *pos)
{
	const __m256i blank = _mm256_set1_epi8(' ');
	uint64_t mask = 0;

	for (unsigned i = 0; i < CHUNK; i += 32) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
		__m256i le = _mm256_cmpeq_epi8(_mm256_max_epu8(v, blank), blank);

		mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(le) << i;
	}
	return peel(pos, mask, base);
}

AVX2 static size_t scan_avx2(const char *p, size_t n, uint16_t *pos)
{
	SCAN_LOOP(chunk_avx2);
}
#endif

static size_t scan_portable(const char *p, size_t n, uint16_t *pos)
{
	SCAN_LOOP(chunk_portable);
}

size_t scan_block(const char *p, size_t n, uint16_t *pos)
{
#ifdef SCAN_X86
	if (isa() == ISA_AVX2)
		return scan_avx2(p, n, pos);
#endif
	return scan_portable(p, n, pos);
}
