/*
 * varint.h - unsigned numbers in 7-bit groups, low group first; high bit: more follow.
 *
 * Reading is bounded: at the end of the data, or at a number above 64 bits, the reader
 * sets `bad` and returns zeros from then on, so a loop over damaged bytes ends.
 */
#ifndef QUERN_BASE_VARINT_H
#define QUERN_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { VARINT_MAX = 10 }; /* most bytes of one number */

static inline unsigned char *varint_put(unsigned char *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (unsigned char)v;
	return p;
}

/* A number of up to 28 bits as bytes, the first byte lowest; *n: their number. */
static inline uint32_t varint_word(uint64_t v, unsigned *n)
{
	uint32_t x = (uint32_t)v;

	/* Split into two halves of 14 bits, then each into two of 7. */
	x += (x & 0xfffc000) * 3;
	x += x & 0x3f803f80;
	const unsigned last = (31u ^ (unsigned)__builtin_clz(x | 1)) & 24;

	*n = last / 8 + 1;
	return x | (0x808080 & (((uint32_t)1 << last) - 1));
}

static __attribute__((noinline, unused)) unsigned char *varint_put_long(unsigned char *p,
									uint64_t v)
{
	return varint_put(p, v);
}

/* varint_put() without a branch for numbers of up to 28 bits, when their sizes vary.
 * 8 bytes at p must be writable. */
static inline __attribute__((always_inline)) unsigned char *
varint_put_flat(unsigned char *p, uint64_t v)
{
	unsigned n;

	if (__builtin_expect(v >> 28 != 0, 0))
		return varint_put_long(p, v);
	v = varint_word(v, &n);
	p[0] = (unsigned char)v;
	p[1] = (unsigned char)(v >> 8);
	p[2] = (unsigned char)(v >> 16);
	p[3] = (unsigned char)(v >> 24);
	return p + n;
}

struct varint_reader {
	const unsigned char *p, *end;
	bool bad;
};

/* Fail: set `bad`. */
static inline uint64_t varint_none(struct varint_reader *r)
{
	r->bad = true;
	r->p = r->end;
	return 0;
}

/* A number of several bytes, or a failure. */
static __attribute__((noinline, unused)) uint64_t varint_get_long(struct varint_reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->p < r->end && shift < 64; shift += 7) {
		unsigned char c = *r->p++;

		v |= (uint64_t)(c & 0x7f) << shift;
		if (shift == 63 && c > 1)
			break;
		if (c < 0x80)
			return v;
	}
	return varint_none(r);
}

static inline uint64_t varint_get(struct varint_reader *r)
{
	const unsigned char *p = r->p;

	if (__builtin_expect(p < r->end && *p < 0x80, 1)) {
		r->p++;
		return *p;
	}
	if (r->end - p >= 2 && p[1] < 0x80) {
		r->p += 2;
		return (p[0] & 0x7f) | (uint64_t)p[1] << 7;
	}
	return varint_get_long(r);
}

/* Join the 7 low bits of each of 8 bytes. */
static inline uint64_t varint_join(uint64_t w)
{
	w = (w & 0x007f007f007f007f) | (w & 0x7f007f007f007f00) >> 1;
	w = (w & 0x00003fff00003fff) | (w & 0x3fff00003fff0000) >> 2;
	return (w & 0x0fffffff) | (w & 0x0fffffff00000000) >> 4;
}

/* varint_get() without a branch for numbers of up to 8 bytes, when their sizes vary. */
static inline __attribute__((always_inline)) uint64_t
varint_get_flat(struct varint_reader *r)
{
	uint64_t w, last;

	if (__builtin_expect(r->end - r->p < 8, 0))
		return varint_get(r);
	memcpy(&w, r->p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	last = ~w & 0x8080808080808080;
	if (__builtin_expect(last == 0, 0))
		return varint_get_long(r);
	/* Keep all bits up to the lowest set one, which is in the last byte. */
	r->p += ((unsigned)__builtin_ctzll(last) >> 3) + 1;
	return varint_join(w & (last ^ (last - 1)));
}

/* Signed differences as unsigned numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static inline uint64_t varint_zigzag(uint64_t from, uint64_t to)
{
	uint64_t d = to - from;

	return d << 1 ^ (0 - (d >> 63));
}

static inline uint64_t varint_unzigzag(uint64_t from, uint64_t z)
{
	return from + (z >> 1 ^ (0 - (z & 1)));
}

#endif
