/*
 * numbers.h - the numbers of a line, read one after the other: positions, costs, ids of
 * names.
 *
 * first, replay and replay_learn read lines so that vectors do not read as a whole.  They
 * take the usual forms; a line of any other form is left to decode.h.  Readable: 512
 * bytes after the start of a number.
 */
#ifndef QUERN_NUMBERS_H
#define QUERN_NUMBERS_H

#include "index/fast/simd.h"
#include "index/tally/names.h"

/* A number and where it ends; end is NULL if there is no number. */
struct number {
	const char *end;
	uint64_t v;
};

/* How the first byte of a position is read. */
enum { NUMBER_RELATIVE = 1, NUMBER_MINUS = 2, NUMBER_SAME = 4 };
static const uint8_t number_kind[256] = {
	/* Any other byte must be a digit, which the reader of the number checks. */
	['+'] = NUMBER_RELATIVE,
	['-'] = NUMBER_RELATIVE | NUMBER_MINUS,
	['*'] = NUMBER_RELATIVE | NUMBER_SAME,
};

/* A position that is not a small decimal number. */
struct number number_other_position(const char *p, uint64_t base);

/* The position at p: "12", "+3", "-3", "*" or "0x1f". */
static HOT struct number number_position(const char *p, uint64_t base)
{
	const unsigned kind = number_kind[(unsigned char)*p];
	const char *q = p + (kind != 0);
	uint64_t v, to;
	unsigned n;

	if (kind & NUMBER_SAME)
		return (struct number){q, base};
	if (*q == '0' && !kind) {
		uint64_t bad = 0;

		if (q[1] == ' ') /* line 0: the line of code is unknown */
			return (struct number){q + 1, 0};
		q += 2;
		v = zero_bytes(load8(q) ^ 0x2020202020202020);
		n = v ? (unsigned)__builtin_ctzll(v) >> 3 : 8;
		v = hex_before(q + n, n, &bad);
		if (__builtin_expect(q[-1] != 'x' || q[n] != ' ' || n == 0 || bad, 0))
			return number_other_position(p, base);
		return (struct number){q + n, v};
	}
	n = leading_digits(load8(q));
	if (__builtin_expect(n - 1 > 6, 0))
		return number_other_position(p, base);
	v = digits_at(q, n);
	to = (kind ? base : 0) + (kind & NUMBER_MINUS ? 0 - v : v);
	/* A result below 0 or near 2^64 has the high bit. */
	if (kind && (base | to) >> 63)
		return (struct number){0};
	return (struct number){q + n, to};
}

/* Read the position at *p and one blank after it, which *p moves past; *at is the base,
 * and then the position.  False, with nothing changed: something else is there. */
static HOT bool number_take(const char **p, uint64_t *at)
{
	const struct number x = number_position(*p, *at);

	if (!x.end || *x.end != ' ')
		return false;
	*at = x.v;
	*p = x.end + 1;
	return true;
}

/* Read the costs at p, one to ncols, up to the newline, with or without a blank or a CR
 * before it; *n is their number.  The end of the line; NULL: something else is there. */
const char *number_costs(const char *p, uint32_t ncols, uint64_t *cost, uint32_t *n);

/* The slot of the id in "12)\n" at *p, which moves to the next line; 0: the id was not
 * met before, or something else is there. */
static HOT uint32_t number_name(const struct names *names, const char **p)
{
	const char *q = *p;
	uint64_t id;

	if (!digits_number(&q, &id) || load2(q) != ('\n' << 8 | ')') ||
	    id >= names->by_id_n)
		return 0;
	*p = q + 2;
	return names->by_id[id];
}

#endif
