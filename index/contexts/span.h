/*
 * span.h - a span of the run, and what of a block lies in it.
 *
 * Each part begins at 0 and is as long as it costs in the first event.  A block spends its
 * own cost after all that it calls, so blocks lie beside each other in the order of the file:
 *
 *	0       5        10		between 4 and 7:
 *	| g  f  f   main  |		a part of f, and of main
 *
 * Costs of a block are spent evenly in its length.  Of neighbouring spans the parts add up.
 */
#ifndef QUERN_SPAN_H
#define QUERN_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct run_span {
	const int64_t *from, *to,
		*total; /* [parts]: where it lies, and how long that is */
};

/* The part of `whole` that is spent before `at` of a piece of this length. */
static inline int64_t span_before(int64_t whole, int64_t at, int64_t length)
{
	const __int128 by = (__int128)length * 2;
	__int128 twice;

	if (at >= length || at <= 0)
		return at <= 0 ? 0 : whole;
	twice = (__int128)whole * at * 2 + length;
	return (int64_t)(twice / by - (twice % by < 0));
}

/* Is a moment inside?  The last one of the run is, if its end is. */
static inline bool span_has(const struct run_span *s, uint32_t part, int64_t at)
{
	const int64_t from = s->from[part], to = s->to[part], total = s->total[part];

	return at >= from &&
	       (at < to || (at == total && to >= total && (from < total || from <= 0)));
}

/* Has it something of a block of this length that begins there? */
static inline bool span_meets(const struct run_span *s, uint32_t part, int64_t begin,
			      int64_t length)
{
	return length ? s->from[part] - begin < length && s->to[part] > begin
		      : span_has(s, part, begin);
}

/* The part inside of a cost of that block. */
static inline int64_t span_cut(const struct run_span *s, uint32_t part, int64_t begin,
			       int64_t length, int64_t cost)
{
	return length ? span_before(cost, s->to[part] - begin, length) -
				span_before(cost, s->from[part] - begin, length)
		      : cost;
}

#endif
