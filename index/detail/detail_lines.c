/*
 * detail_lines.c - order the rows of a function; see detail_lines.h.
 *
 * A function's lines mostly stand in the text in ascending runs, one for each file or
 * loop.  So neighbouring runs are merged, in pairs, until one run is left; then equal
 * lines, which are neighbours now, are added.
 */
#include "index/detail/detail_lines.h"

#include <stdlib.h>

#include "index/base/cost.h"
#include "index/detail/detail_run.h"

void detail_lines_init(struct detail_lines *l, size_t nevent)
{
	*l = (struct detail_lines){.nevent = nevent};
}

void detail_lines_free(struct detail_lines *l)
{
	free(l->key);
	free(l->spare);
	free(l->cost);
	*l = (struct detail_lines){0};
}

static bool same_line(const struct detail_key *a, const struct detail_key *b)
{
	return a->instr == b->instr && a->line == b->line && a->file == b->file;
}

static inline bool detail_lines_after(const struct detail_row *more,
				      const struct detail_key *a,
				      const struct detail_key *b)
{
	return detail_key_after(a, b) ||
	       (more && same_line(a, b) &&
		detail_compare(&more[a->row], &more[b->row]) > 0);
}

/* The end of the run of ascending keys that begins at `from`. */
static size_t in_order(const struct detail_row *more, const struct detail_key *key,
		       size_t from, size_t n)
{
	do
		from++;
	while (from < n && !detail_lines_after(more, &key[from - 1], &key[from]));
	return from;
}

/* Merge each two neighbouring runs; returns how many runs are left. */
static size_t merge_pass(const struct detail_row *more, const struct detail_key *from,
			 struct detail_key *to, size_t n)
{
	size_t left = 0, out = 0, end;

	for (size_t at = 0; at < n; at = end) {
		size_t mid = in_order(more, from, at, n), i = at, k = mid;

		end = mid < n ? in_order(more, from, mid, n) : n;
		while (i < mid && k < end)
			to[out++] = detail_lines_after(more, &from[i], &from[k])
					    ? from[k++]
					    : from[i++];
		while (i < mid)
			to[out++] = from[i++];
		while (k < end)
			to[out++] = from[k++];
		left++;
	}
	return left;
}

static void change_places(struct detail_key **a, size_t *acap, struct detail_key **b,
			  size_t *bcap)
{
	struct detail_key *p = *a;
	size_t cap = *acap;

	*a = *b;
	*acap = *bcap;
	*b = p;
	*bcap = cap;
}

int detail_order(struct detail_key **key, size_t *cap, struct detail_key **spare,
		 size_t *spare_cap, size_t n, const struct detail_row *more)
{
	size_t left;

	if (n == 0 || in_order(more, *key, 0, n) == n)
		return 0;
	if (vec_reserve_raw(spare, spare_cap, n, sizeof(**spare)))
		return -1;
	do {
		left = merge_pass(more, *key, *spare, n);
		change_places(key, cap, spare, spare_cap);
	} while (left > 1);
	return 0;
}

/* Add the costs of row `from` to those of row `to`. */
static void add_line(struct detail_lines *l, const struct detail_key *to,
		     const struct detail_key *from)
{
	uint64_t *sum = l->cost + to->row * l->nevent;
	const uint64_t *cost = l->cost + from->row * l->nevent;

	for (size_t e = 0; e < l->nevent; e++)
		l->full |= cost_add_bits(&sum[e], cost[e]);
}

int detail_lines_order(struct detail_lines *l)
{
	size_t last = 0;

	if (l->n > UINT32_MAX)
		return -1; /* key.row */
	if (l->ordered)
		return 0;
	if (detail_order(&l->key, &l->cap, &l->spare, &l->spare_cap, l->n, NULL))
		return -1;
	for (size_t i = 1; i < l->n; i++) {
		if (same_line(&l->key[last], &l->key[i]))
			add_line(l, &l->key[last], &l->key[i]);
		else if (++last != i)
			l->key[last] = l->key[i];
	}
	l->n = last + 1;
	return 0;
}
