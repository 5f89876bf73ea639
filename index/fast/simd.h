/*
 * simd.h - the few steps of the loops over text that differ between instruction sets.
 *
 *	simd_nondigits(p)	bit i: byte i of the 32 at p is not a digit
 *	simd_blanks(p, nl)	bit i: byte i of the 32 at p is a blank or a newline; *nl has the
 *				newlines only
 *	simd_marks(p, m)	blanks, newlines and digits of the line at p, up to 64 bytes
 *	simd_squeeze(v, at)	the bits of v at the places of the ones of `at`, side by side
 *	simd_two(a, na, b, nb, v)	the numbers of na and nb digits, 1 to 8, at a and b
 *	simd_four(end, n, v)	the numbers of n[i] digits, 0 to 8, that end at end[i]; false when
 *				a byte is not a digit
 *
 * The files *_loops.c are compiled once per instruction set (SConstruct), with SIMD_AVX2
 * defined and AVX2 allowed, or without: this header then has the form of that set under
 * the same names.  All forms give the same results.  Everything here is static: code for
 * one set must never be linked in place of code for the other.
 */
#ifndef QUERN_SIMD_H
#define QUERN_SIMD_H

#include "index/lines/digits.h"

#ifdef SIMD_AVX2
#include <immintrin.h>
#endif

/* Bit i: byte i.  Bits after the first newline mean nothing. */
struct marks {
	uint64_t newlines, blanks, digits, zeros; /* zeros: digits that are '0' */
};

/* simd_nondigits() and simd_blanks() set these bits above the low 32, too: a search for
 * the end of up to four numbers always finds a bit, and a number that is cut after 32
 * bytes does not seem to end its line. */
#define NO_BLANK ((uint64_t)15 << 32)
#define NO_NEWLINE ((uint64_t)1 << 40)

/* The high bit of each byte of v that is 0. */
static HOT uint64_t zero_bytes(uint64_t v)
{
	return ~(((v & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f) | v) &
	       0x8080808080808080;
}

#ifdef SIMD_AVX2

static HOT uint64_t simd_nondigits(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);

	v = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));
	v = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(9)), v);
	return ~(uint64_t)(uint32_t)_mm256_movemask_epi8(v);
}

static HOT uint64_t simd_blanks(const char *p, uint64_t *nl)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i blank = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(' '));
	__m256i newline = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n'));

	*nl = (uint32_t)_mm256_movemask_epi8(newline) | NO_NEWLINE;
	return (uint32_t)_mm256_movemask_epi8(blank) | NO_BLANK | *nl;
}

static HOT uint64_t bits_avx2(__m256i v)
{
	return (uint32_t)_mm256_movemask_epi8(v);
}

static HOT void simd_marks(const char *p, struct marks *m)
{
	*m = (struct marks){0};
	for (unsigned i = 0; i < 64 && !m->newlines; i += 32) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
		__m256i digit = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));

		m->newlines |= bits_avx2(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n')))
			       << i;
		m->blanks |= bits_avx2(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(' '))) << i;
		m->zeros |= bits_avx2(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('0'))) << i;
		v = _mm256_min_epu8(digit, _mm256_set1_epi8(9));
		m->digits |= bits_avx2(_mm256_cmpeq_epi8(v, digit)) << i;
	}
}

static HOT uint64_t simd_squeeze(uint64_t v, uint64_t at)
{
	return _pext_u64(v, at);
}

/* Each number is moved to the end of 8 bytes; then digits are joined to pairs, pairs to
 * fours, and fours to eights. */
static HOT void simd_two(const char *a, unsigned na, const char *b, unsigned nb,
			 uint64_t *v)
{
	__m128i x = _mm_unpacklo_epi64(
		_mm_loadl_epi64((const __m128i *)(const void *)(a + na - 8)),
		_mm_loadl_epi64((const __m128i *)(const void *)(b + nb - 8)));
	__m128i m = _mm_unpacklo_epi64(
		_mm_loadl_epi64((const __m128i *)(const void *)&digits_keep[na]),
		_mm_loadl_epi64((const __m128i *)(const void *)&digits_keep[nb]));
	uint64_t both;

	x = _mm_and_si128(_mm_sub_epi8(x, _mm_set1_epi8('0')), m);
	x = _mm_maddubs_epi16(x, _mm_set1_epi16(1 << 8 | 10));
	x = _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 100));
	x = _mm_packus_epi32(x, x);
	x = _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 10000));
	both = (uint64_t)_mm_cvtsi128_si64(x);
	v[0] = (uint32_t)both;
	v[1] = both >> 32;
}

static HOT bool simd_four(const char *const *end, const unsigned *n, uint64_t *v)
{
	__m256i x = _mm256_set_epi64x(
		(long long)load8(end[3] - 8), (long long)load8(end[2] - 8),
		(long long)load8(end[1] - 8), (long long)load8(end[0] - 8));
	__m256i m = _mm256_set_epi64x(
		(long long)digits_keep[n[3]], (long long)digits_keep[n[2]],
		(long long)digits_keep[n[1]], (long long)digits_keep[n[0]]);
	__m256i above;
	uint64_t low, high;

	x = _mm256_and_si256(_mm256_sub_epi8(x, _mm256_set1_epi8('0')), m);
	above = _mm256_subs_epu8(x, _mm256_set1_epi8(9));
	x = _mm256_maddubs_epi16(x, _mm256_set1_epi16(1 << 8 | 10));
	x = _mm256_madd_epi16(x, _mm256_set1_epi32(1 << 16 | 100));
	x = _mm256_packus_epi32(x, x);
	x = _mm256_madd_epi16(x, _mm256_set1_epi32(1 << 16 | 10000));
	low = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(x));
	high = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(x, 1));
	v[0] = (uint32_t)low;
	v[1] = low >> 32;
	v[2] = (uint32_t)high;
	v[3] = high >> 32;
	return _mm256_testz_si256(above, above);
}

#else

/* The high bits of the 8 bytes of v, as the low 8 bits. */
static HOT uint64_t gather(uint64_t v)
{
	return ((v >> 7) * 0x0102040810204080) >> 56;
}

static HOT uint64_t simd_nondigits(const char *p)
{
	uint64_t m = (uint64_t)7 << 32;

	for (unsigned i = 0; i < 32; i += 8) {
		uint64_t v = load8(p + i) ^ 0x3030303030303030;

		/* High bit set where the byte is above 9. */
		v = (((v & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | v) &
		    0x8080808080808080;
		m |= (((v >> 7) * 0x0102040810204080) >> 56) << i;
	}
	return m;
}

static HOT uint64_t simd_blanks(const char *p, uint64_t *nl)
{
	uint64_t m = 0;

	*nl = NO_NEWLINE;
	for (unsigned i = 0; i < 32; i += 8) {
		uint64_t v = load8(p + i);

		m |= gather(zero_bytes(v ^ 0x2020202020202020)) << i;
		*nl |= gather(zero_bytes(v ^ 0x0a0a0a0a0a0a0a0a)) << i;
	}
	return m | NO_BLANK | *nl;
}

static HOT void simd_marks(const char *p, struct marks *m)
{
	*m = (struct marks){0};
	for (unsigned i = 0; i < 64 && !m->newlines; i += 8) {
		const uint64_t v = load8(p + i), digit = v ^ 0x3030303030303030;
		const uint64_t above =
			((digit & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | digit;

		m->newlines |= gather(zero_bytes(v ^ 0x0a0a0a0a0a0a0a0a)) << i;
		m->blanks |= gather(zero_bytes(v ^ 0x2020202020202020)) << i;
		m->digits |= gather(~above & 0x8080808080808080) << i;
		m->zeros |= gather(zero_bytes(digit)) << i;
	}
}

static HOT uint64_t simd_squeeze(uint64_t v, uint64_t at)
{
	uint64_t m = 0;

	for (unsigned i = 0; at; at &= at - 1, i++)
		m |= (v >> __builtin_ctzll(at) & 1) << i;
	return m;
}

static HOT void simd_two(const char *a, unsigned na, const char *b, unsigned nb,
			 uint64_t *v)
{
	v[0] = digits_at(a, na);
	v[1] = digits_at(b, nb);
}

static HOT bool simd_four(const char *const *end, const unsigned *n, uint64_t *v)
{
	uint64_t bad = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint64_t x = load8(end[i] - 8) ^ 0x3030303030303030;

		x = n[i] ? x >> (64 - 8 * n[i]) << (64 - 8 * n[i]) : 0;
		bad |= (x | (x + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0;
		v[i] = eight_digits(x);
	}
	return bad == 0;
}

#endif

#endif
