/*
 * numbers.c - the rare forms of positions, and costs; see numbers.h.
 */
#include "index/fast/numbers.h"

/* The position "1f" at p, up to 16 digits and a blank. */
static struct number hex_position(const char *p)
{
	const uint64_t blanks = 0x2020202020202020;
	const char *q = p;
	uint64_t bad = 0;

	for (unsigned i = 0; i < 3; i++, q += 8) {
		uint64_t blank = zero_bytes(load8(q) ^ blanks), v;

		if (!blank)
			continue;
		q += __builtin_ctzll(blank) >> 3;
		v = hex_number(p, q, &bad);
		if (bad)
			break;
		return (struct number){q, v};
	}
	return (struct number){0};
}

struct number number_other_position(const char *p, uint64_t base)
{
	const char c = *p;
	uint64_t v;

	if (c == '0' && p[1] == 'x')
		return hex_position(p + 2);
	p += c == '+' || c == '-';
	if (!digits_number(&p, &v) || (c == '+' && __builtin_add_overflow(base, v, &v)) ||
	    (c == '-' && __builtin_sub_overflow(base, v, &v)))
		return (struct number){0};
	return (struct number){p, v};
}

const char *number_costs(const char *p, uint32_t ncols, uint64_t *cost, uint32_t *n)
{
	for (*n = 0; *n < ncols;) {
		if (!digits_number(&p, &cost[(*n)++]))
			return NULL;
		if (*p == ' ' && *++p > '\r')
			continue;
		if (*p == '\r')
			p++;
		return *p == '\n' ? p + 1 : NULL;
	}
	return NULL;
}
