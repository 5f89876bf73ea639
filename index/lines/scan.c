/*
 * scan.c - separators of a block; see scan.h.
 *
 * 64 bytes at a time become a 64-bit mask (bit i: byte i <= ' ') and the mask becomes
 * 16-bit offsets.  AVX-512 VBMI2 compresses the offsets in one instruction; the others
 * peel bits off the mask, eight stores a round whatever the count, so that the number of
 * separators is not a branch.  The last piece of a block is copied to a padded buffer.
 */
#include "index/lines/scan.h"

#include <stdatomic.h>
#include <string.h>

#include "index/lines/digits.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_X86 1
#endif

enum { PIECE = 64 };

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

static uint16_t *piece_portable(const char *p, size_t base, uint16_t *pos)
{
	const uint64_t low7 = 0x7f7f7f7f7f7f7f7f, ones = 0x0101010101010101;
	uint64_t mask = 0;

	for (unsigned i = 0; i < PIECE; i += 8) {
		uint64_t v = load8(p + i);
		/* High bit set where the byte is > ' ' (low 7 bits > 32, or bit 7). */
		uint64_t le = ~((((v & low7) + 0x5f * ones) | v)) & 0x8080808080808080;

		/* Gather the high bits of 8 bytes into 8 bits. */
		mask |= (((le >> 7) * 0x0102040810204080) >> 56) << i;
	}
	return peel(pos, mask, base);
}

#define SCAN_LOOP(piece)                         \
	char last[PIECE];                        \
	uint16_t *at = pos;                      \
	size_t i = 0;                            \
                                                 \
	for (; i + PIECE <= n; i += PIECE)       \
		at = piece(p + i, i, at);        \
	if (i < n) {                             \
		memset(last, 'x', sizeof(last)); \
		memcpy(last, p + i, n - i);      \
		at = piece(last, i, at);         \
	}                                        \
	return (size_t)(at - pos)

static size_t scan_portable(const char *p, size_t n, uint16_t *pos)
{
	SCAN_LOOP(piece_portable);
}

#ifdef HAVE_X86
__attribute__((target("sse2,popcnt,bmi"))) static inline uint16_t *
piece_sse2(const char *p, size_t base, uint16_t *pos)
{
	const __m128i blank = _mm_set1_epi8(' ');
	uint64_t mask = 0;

	for (unsigned i = 0; i < PIECE; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
		__m128i le = _mm_cmpeq_epi8(_mm_max_epu8(v, blank), blank);

		mask |= (uint64_t)(uint16_t)_mm_movemask_epi8(le) << i;
	}
	return peel(pos, mask, base);
}

__attribute__((target("sse2,popcnt,bmi"))) static size_t
scan_sse2(const char *p, size_t n, uint16_t *pos)
{
	SCAN_LOOP(piece_sse2);
}

__attribute__((target("avx2,popcnt,bmi"))) static inline uint16_t *
piece_avx2(const char *p, size_t base, uint16_t *pos)
{
	const __m256i blank = _mm256_set1_epi8(' ');
	uint64_t mask = 0;

	for (unsigned i = 0; i < PIECE; i += 32) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
		__m256i le = _mm256_cmpeq_epi8(_mm256_max_epu8(v, blank), blank);

		mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(le) << i;
	}
	return peel(pos, mask, base);
}

__attribute__((target("avx2,popcnt,bmi"))) static size_t
scan_avx2(const char *p, size_t n, uint16_t *pos)
{
	SCAN_LOOP(piece_avx2);
}

#define AVX512 "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt,bmi"

__attribute__((target(AVX512))) static inline uint16_t *
piece_avx512(const char *p, size_t base, uint16_t *pos)
{
	static const uint8_t iota[PIECE] = {
		0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
		32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
		48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	};
	const __m512i v = _mm512_loadu_si512(p);
	const __mmask64 mask = _mm512_cmple_epu8_mask(v, _mm512_set1_epi8(' '));
	const __m512i at = _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(iota));
	const __m512i from = _mm512_set1_epi16((short)base);
	const size_t count = (size_t)__builtin_popcountll(mask);

	_mm512_storeu_si512(
		pos,
		_mm512_add_epi16(from, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(at))));
	if (__builtin_expect(count > 32, 0))
		_mm512_storeu_si512(
			pos + 32,
			_mm512_add_epi16(
				from,
				_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(at, 1))));
	return pos + count;
}

__attribute__((target(AVX512))) static size_t scan_avx512(const char *p, size_t n,
							  uint16_t *pos)
{
	SCAN_LOOP(piece_avx512);
}
#endif

/* ---- the choice ---- */

struct path {
	const char *name;
	size_t (*scan)(const char *p, size_t n, uint16_t *pos);
};

static const struct path paths[] = {
#ifdef HAVE_X86
	{"avx512", scan_avx512},
	{"avx2", scan_avx2},
	{"sse2", scan_sse2},
#endif
	{"portable", scan_portable},
};
enum { PATHS = sizeof(paths) / sizeof(paths[0]) };

static _Atomic(const struct path *) chosen;

static int can_run(const char *name)
{
#ifdef HAVE_X86
	if (strcmp(name, "avx512") == 0)
		return __builtin_cpu_supports("avx512vbmi2") &&
		       __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512vl");
	if (strcmp(name, "avx2") == 0)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
	if (strcmp(name, "sse2") == 0)
		return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi");
#endif
	return strcmp(name, "portable") == 0;
}

static const struct path *choose(void)
{
	const struct path *c = atomic_load_explicit(&chosen, memory_order_relaxed);

	for (size_t i = 0; !c; i++)
		if (can_run(paths[i].name))
			c = &paths[i];
	atomic_store_explicit(&chosen, c, memory_order_relaxed);
	return c;
}

size_t scan_block(const char *p, size_t n, uint16_t *pos)
{
	return choose()->scan(p, n, pos);
}

const char *const *scan_paths(void)
{
	static const char *names[PATHS + 1];
	size_t n = 0;

	for (size_t i = 0; i < PATHS; i++)
		if (can_run(paths[i].name))
			names[n++] = paths[i].name;
	names[n] = NULL;
	return names;
}

int scan_force(const char *path)
{
	for (size_t i = 0; i < PATHS; i++)
		if (strcmp(paths[i].name, path) == 0 && can_run(path)) {
			atomic_store_explicit(&chosen, &paths[i], memory_order_relaxed);
			return 0;
		}
	return -1;
}

const char *scan_path(void)
{
	return choose()->name;
}
