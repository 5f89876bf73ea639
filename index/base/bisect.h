/*
 * bisect.h - binary search: the first element that is not before what is looked for.
 *
 *	struct bisect b = bisect_in(0, n);
 *
 *	while (bisect_next(&b))
 *		bisect_step(&b, array[b.mid] < key);
 *	...b.lo is the first element >= key; n: there is none
 */
#ifndef QUERN_BASE_BISECT_H
#define QUERN_BASE_BISECT_H

#include <stdbool.h>
#include <stddef.h>

/* What is before `lo` is before the key, what is from `hi` on is not. */
struct bisect {
	size_t lo, hi, mid;
};

static inline struct bisect bisect_in(size_t lo, size_t hi)
{
	return (struct bisect){.lo = lo, .hi = hi};
}

/* Whether there is an element left to look at: that at b->mid. */
static inline bool bisect_next(struct bisect *b)
{
	b->mid = b->lo + (b->hi - b->lo) / 2;
	return b->lo < b->hi;
}

/* Whether the element at b->mid is before the key. */
static inline void bisect_step(struct bisect *b, bool before)
{
	if (before)
		b->lo = b->mid + 1;
	else
		b->hi = b->mid;
}

#endif
