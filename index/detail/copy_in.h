/*
 * copy_in.h - read the cost lines of a piece (piece.h) without unpacking them.
 */
#ifndef QUERN_COPY_IN_H
#define QUERN_COPY_IN_H

#include <string.h>

#include "index/format/cost_code.h"
#include "index/format/detail_code.h"
#include "index/lines/digits.h"
#include "index/tally/piece.h"

enum { COPY_EVENTS = COSTS_MASKED }; /* at most */

/* COPY_NOT: the piece cannot be copied, or is so much out of order that it should not be.
 * Discard the rows copied so far. */
enum copied { COPY_DONE, COPY_NOT, COPY_NO_MEMORY };

/* Packed costs. */
struct coded {
	const unsigned char *p;
	size_t n;
};

static inline uint32_t four_bytes(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/* Are a and b equal?  Up to 8 bytes are compared as two halves that may overlap, without
 * a call. */
static inline bool coded_equal(struct coded a, struct coded b)
{
	const size_t n = a.n;

	if (n != b.n)
		return false;
	if (n > 8)
		return memcmp(a.p, b.p, n) == 0;
	if (n >= 4)
		return four_bytes(a.p) == four_bytes(b.p) &&
		       four_bytes(a.p + n - 4) == four_bytes(b.p + n - 4);
	if (n >= 2)
		return load2((const char *)a.p) == load2((const char *)b.p) &&
		       a.p[n - 1] == b.p[n - 1];
	return n == 0 || *a.p == *b.p;
}

/* Copy c to p; returns the end. */
static inline unsigned char *coded_put(unsigned char *p, struct coded c)
{
	const size_t n = c.n;

	if (n > 8) {
		memcpy(p, c.p, n);
	} else if (n >= 4) {
		memcpy(p, c.p, 4);
		memcpy(p + n - 4, c.p + n - 4, 4);
	} else if (n >= 2) {
		memcpy(p, c.p, 2);
		p[n - 1] = c.p[n - 1];
	} else if (n) {
		*p = *c.p;
	}
	return p + n;
}

/* Where the row before is. */
struct copy_place {
	uint64_t instr, line;
	uint32_t file, slot; /* slot: the file's */
	struct coded cost;   /* of the last cost line, all events; NULL: there was none */
};

/* The number of ones in v. */
static inline unsigned copy_ones(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555;
	v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
	return (unsigned)(((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >>
			  56);
}

/* Read the file and the positions after a tag; *at is the row before, and becomes this
 * one. */
static inline void copy_get_place(struct varint_reader *in, uint64_t tag,
				  struct copy_place *at, const uint32_t *files)
{
	if (tag & PIECE_FILE) {
		at->slot = (uint32_t)varint_get(in);
		at->file = files[at->slot];
	}
	if (tag & PIECE_INSTR)
		at->instr = varint_unzigzag(at->instr, varint_get(in));
	if (tag & PIECE_LINE)
		at->line = varint_unzigzag(at->line, varint_get(in));
}

/* Is each position that the profile does not have 0? */
static inline bool copy_fits(const struct detail_shape *s, const struct copy_place *at)
{
	return (s->instr || !at->instr) && (s->line || !at->line);
}

/* The end of n numbers at p; NULL: they do not end before `end`. */
static inline const unsigned char *copy_past_numbers(const unsigned char *p,
						     const unsigned char *end, unsigned n)
{
	struct varint_reader in;

	while (end - p >= 8 && n) {
		uint64_t last = ~load8((const char *)p) & 0x8080808080808080;
		const unsigned some = (unsigned)((last >> 7) * 0x0101010101010101 >> 56);

		if (some >= n) {
			while (--n)
				last &= last - 1;
			return p + ((unsigned)__builtin_ctzll(last) >> 3) + 1;
		}
		n -= some;
		p += 8;
	}
	/* p may be inside a number: its other bytes count as one. */
	in = (struct varint_reader){p, end, false};
	while (n--)
		varint_get(&in);
	return in.bad ? NULL : in.p;
}

/* The end of the costs at p, of all events. */
static inline const unsigned char *copy_past_costs(const struct detail_shape *s,
						   const unsigned char *p,
						   const unsigned char *end)
{
	struct varint_reader in = {p, end, false};

	if (s->events <= COSTS_PLAIN)
		return copy_past_numbers(p, end, s->events);
	const uint64_t mask = varint_get(&in);

	return copy_past_numbers(in.p, end, copy_ones(mask));
}

/* Are the n costs of a row packed as the index has them? */
static inline bool copy_same_form(const struct detail_shape *s, uint64_t n)
{
	return n == s->events ||
	       (n > COSTS_PLAIN && n <= COPY_EVENTS && s->events > COSTS_PLAIN);
}

#endif
