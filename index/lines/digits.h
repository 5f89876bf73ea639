/*
 * digits.h - decimal numbers, 8 digits at a time and without a branch on their length.
 *
 * eight_digits() joins pairs, fours and eights by multiplication ("SWAR", as in the notes
 * of Lemire and Mula on parsing numbers).
 */
#ifndef QUERN_DIGITS_H
#define QUERN_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HOT inline __attribute__((always_inline))

static inline uint64_t load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* The first byte is the lower one. */
static inline unsigned load2(const char *p)
{
	return (unsigned char)p[0] | (unsigned)(unsigned char)p[1] << 8;
}

static inline void store8(unsigned char *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p, &v, 8);
}

/* ff in each of the last n of 8 bytes. */
static const uint64_t digits_keep[9] = {
	0,
	0xff00000000000000,
	0xffff000000000000,
	0xffffff0000000000,
	0xffffffff00000000,
	0xffffffffff000000,
	0xffffffffffff0000,
	0xffffffffffffff00,
	0xffffffffffffffff,
};

/* The number with the 8 digits in the bytes of v, each 0 to 9. */
static HOT uint64_t eight_digits(uint64_t v)
{
	v = v * 10 + (v >> 8);
	return (((v & 0x000000ff000000ff) * 0x000f424000000064) +
		(((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >>
	       32;
}

/* The number of the n (1 to 8) digits at p. */
static HOT uint64_t digits_at(const char *p, unsigned n)
{
	return eight_digits((load8(p) ^ 0x3030303030303030) << (64 - 8 * n));
}

/* The n (1 to 8) bytes at p as a number, to compare. */
static HOT uint64_t bytes_at(const char *p, unsigned n)
{
	return load8(p) << (64 - 8 * n);
}

/* The n (0 to 8) hexadecimal digits that end at `end`; sets bits of *bad if a byte is
 * no digit. */
static inline uint64_t hex_before(const char *end, size_t n, uint64_t *bad)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t v = (load8(end - 8) & digits_keep[n]) | (0x30 * ones & ~digits_keep[n]);
	const uint64_t letter = v >> 6 & ones;

	*bad |= ((v | letter << 5) & (0xf0 * ones)) ^ (0x30 * ones + 0x30 * letter);
	v = (v & (0x0f * ones)) + 9 * letter;
	/* Letters are 10 to 15, digits 0 to 9. */
	*bad |= (((v + 6 * ones) >> 4 ^ letter) & ones) | (v & (0xf0 * ones));
	v = __builtin_bswap64(v);
	v = (v | v >> 4) & 0x00ff00ff00ff00ff;
	v = (v | v >> 8) & 0x0000ffff0000ffff;
	return (v | v >> 16) & 0xffffffff;
}

/* 1 to 16 hexadecimal digits; sets bits of *bad otherwise. */
static inline uint64_t hex_number(const char *from, const char *end, uint64_t *bad)
{
	const size_t n = (size_t)(end - from);

	if (n - 1 <= 7)
		return hex_before(end, n, bad);
	if (n - 1 > 15) {
		*bad = 1;
		return 0;
	}
	return hex_before(end - 8, n - 8, bad) << 32 | hex_before(end, 8, bad);
}

/* How many of the 8 bytes v, from the first on, are digits. */
static inline unsigned leading_digits(uint64_t v)
{
	uint64_t other = ((v + 0x4646464646464646) | (v - 0x3030303030303030)) &
			 0x8080808080808080;

	return other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
}

/* 1 to 15 digits at *p, which moves after them; otherwise false. */
static inline bool digits_number(const char **p, uint64_t *out)
{
	static const uint64_t power[8] = {1,	 10,	 100,	  1000,
					  10000, 100000, 1000000, 10000000};
	unsigned n = leading_digits(load8(*p));

	if (n == 0)
		return false;
	*out = digits_at(*p, n);
	*p += n;
	if (n < 8)
		return true;
	n = leading_digits(load8(*p));
	if (n == 8)
		return false;
	if (n)
		*out = *out * power[n] + digits_at(*p, n);
	*p += n;
	return true;
}

#endif
