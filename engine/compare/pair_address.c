/*
 * pair_address.c - pair functions without names, which are called by their address.
 *
 * Code that moved as a whole moved by one distance.  If the functions without names of one
 * object, moved so, are all among those of the other side, and for one distance alone, each
 * is the function that it lies on.
 *
 *	few	0x1000  0x1040  0x10c0  0x1100
 *	many	0x2000  0x2040  0x20c0  0x2100  0x2200	moved by 0x1000: no other distance fits
 */
#include <stdlib.h>

#include "engine/compare/pair_in.h"
#include "index/base/order.h"
#include "index/store/store.h"

struct address {
	uint64_t place; /* object << 1 | side */
	uint64_t at;
	uint32_t v;
};

static int by_place(const void *pa, const void *pb)
{
	const struct address *a = pa, *b = pb;
	const int c = order_u64(a->place, b->place);

	return c ? c : order_u64(a->at, b->at);
}

static bool is_address(const struct pairer *w, unsigned s, uint32_t f)
{
	return w->p->of[s][f] == PAIR_NONE && pair_is_first(w, s, f) &&
	       pair_is_address(w->text[s][w->name[s][f]]) &&
	       !str_eq(store_obj(w->st[s], w->obj[s][f]), STR("???"));
}

/* Afterwards each object is a run of side 0 and a run of side 1. */
static int list_addresses(struct pairer *w, struct address **all, size_t *n)
{
	size_t cap = 0;

	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; f < w->p->functions[s]; f++) {
			const uint32_t v = f | (s ? PAIR_SIDE_1 : 0);
			struct address one = {.place = (uint64_t)pair_obj(w, v) << 1 | s,
					      .v = v};

			if (!is_address(w, s, f))
				continue;
			if (arena_grow(&w->scratch, all, &cap, *n, *n + 1, sizeof(one)))
				return pair_no_memory(w);
			str_u64(pair_text(w, v), &one.at);
			(*all)[(*n)++] = one;
		}
	if (*n)
		qsort(*all, *n, sizeof(**all), by_place);
	return 0;
}

/* Are all of the few, moved by one distance, among the many?  With `make`: pair them.  The
 * distance is modulo 2^64, so that code may have moved down, too. */
static bool fits_moved(struct pairer *w, const struct address *few, size_t n,
		       const struct address *many, size_t m, size_t first, bool make)
{
	const uint64_t by = many[first].at - few->at;

	for (size_t i = 0, j = first; i < n; i++) {
		while (j < m && many[j].at < few[i].at + by)
			j++;
		if (j == m || many[j].at != few[i].at + by)
			return false;
		if (make)
			pair_make(w, pair_side(few[i].v) ? many[j].v : few[i].v,
				  pair_side(few[i].v) ? few[i].v : many[j].v,
				  CHANGED_ADDRESS);
	}
	return true;
}

/* Of one object.  Each address of the many is tried for the first of the few: the time grows
 * with the product of both, so there is a limit.  A few addresses may fit by chance: two are
 * enough only if the other side has no more. */
static void pair_moved(struct pairer *w, const struct address *few, size_t n,
		       const struct address *many, size_t m)
{
	enum { MOST = 10000, LEAST = 4 };
	size_t fit = 0, fits = 0;

	if (n < (n == m ? 2 : LEAST) || n > MOST || m > MOST)
		return;
	for (size_t i = 0; i + n <= m && fits < 2; i++)
		if (fits_moved(w, few, n, many, m, i, false)) {
			fit = i;
			fits++;
		}
	if (fits == 1)
		fits_moved(w, few, n, many, m, fit, true);
}

int pair_addresses(struct pairer *w)
{
	struct address *all = NULL;
	size_t n = 0;
	const int rc = list_addresses(w, &all, &n);

	for (size_t i = 0, j, k; !rc && i < n; i = k) {
		for (j = i; j < n && all[j].place == (all[i].place & ~UINT64_C(1)); j++)
			;
		for (k = j; k < n && all[k].place == (all[i].place | 1); k++)
			;
		if (j - i <= k - j)
			pair_moved(w, &all[i], j - i, &all[j], k - j);
		else
			pair_moved(w, &all[j], k - j, &all[i], j - i);
	}
	arena_reset(&w->scratch);
	return rc;
}
