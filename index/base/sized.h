/*
 * sized.h - unsigned numbers whose first 3 bits give the number of bytes after the first.
 *
 *	bits 0-2: n, the bytes that follow | the number, low bits first: 5 + 8 n bits
 *	n = 7: the 8 bytes that follow are the number
 *
 * They are as short as varints (varint.h), but written and read without a branch on the
 * size.  Only for data inside this process.
 */
#ifndef QUERN_BASE_SIZED_H
#define QUERN_BASE_SIZED_H

#include "index/base/varint.h"

enum {
	SIZED_MAX = 9,	 /* most bytes of one number */
	SIZED_BITS = 53, /* most bits if n < 7 */
};

static inline uint64_t sized_order(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* Write v at p, where SIZED_MAX bytes are writable.  Returns the end. */
static inline __attribute__((always_inline)) unsigned char *sized_put(unsigned char *p,
								      uint64_t v)
{
	const unsigned last = 63u ^ (unsigned)__builtin_clzll(v | 1), n = (last + 3) >> 3;
	uint64_t w;

	if (__builtin_expect(v >> SIZED_BITS != 0, 0)) {
		w = sized_order(v);
		*p = 7;
		memcpy(p + 1, &w, sizeof(w));
		return p + SIZED_MAX;
	}
	w = sized_order(v << 3 | n);
	memcpy(p, &w, sizeof(w));
	return p + n + 1;
}

/* Read a number from any bytes.  If it is cut off, the result is 0 and r is bad. */
static inline __attribute__((always_inline)) uint64_t sized_get(struct varint_reader *r)
{
	unsigned char last[SIZED_MAX] = {0};
	const unsigned char *p = r->p;
	const size_t left = (size_t)(r->end - p);
	unsigned n, raw;
	uint64_t w;

	if (__builtin_expect(left < SIZED_MAX, 0)) {
		if (left == 0 || left <= (*p & 7u) || (*p & 7) == 7)
			return varint_none(r);
		memcpy(last, p, left);
		p = last;
	}
	n = *p & 7;
	raw = n == 7;
	memcpy(&w, p + raw, sizeof(w));
	w = sized_order(w);
	r->p += n + 1 + raw;
	return __builtin_expect(raw, 0) ? w : w << (56 - 8 * n) >> (59 - 8 * n);
}

#endif
