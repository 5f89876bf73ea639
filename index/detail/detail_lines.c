/*
 * detail_lines.c - order the rows of a function; see detail_lines.h.
 *
 * A function's lines stand in the text by address, or by line, in turns: of each file, and each
 * from a few lines in front of where the one before ended.
 *
 *	turn	10 11 12 13 14 15
 *	turn		    14 16 17 18
 *	turn			     18 19 20
 *
 * So the turns of each file are put together, and of each only the lines in front of the end of
 * those before are merged, equal ones added.  Where that moves too much, neighbours that are in
 * order each are merged until there is one.
 */
#include "index/detail/detail_lines.h"

#include <stdlib.h>
#include <string.h>

#include "index/detail/detail_run.h"

void detail_lines_init(struct detail_lines *l, size_t nevent)
{
	*l = (struct detail_lines){.nevent = nevent};
}

void detail_lines_free(struct detail_lines *l)
{
	free(l->key);
	free(l->spare);
	free(l->turn);
	free(l->by_file);
	free(l->tail);
	free(l->cost);
	*l = (struct detail_lines){0};
}

static bool same_line(const struct detail_key *a, const struct detail_key *b)
{
	return a->instr == b->instr && a->line == b->line && a->file == b->file;
}

static inline bool after(const struct detail_row *more, const struct detail_key *a,
			 const struct detail_key *b)
{
	return detail_key_after(a, b) ||
	       (more && same_line(a, b) &&
		detail_compare(&more[a->row], &more[b->row]) > 0);
}

/* Behind the keys from `from` on that are in order. */
static size_t in_order(const struct detail_row *more, const struct detail_key *key,
		       size_t from, size_t n)
{
	do
		from++;
	while (from < n && !after(more, &key[from - 1], &key[from]));
	return from;
}

/* Merge neighbours that are in order each; how many there are then. */
static size_t merge_once(const struct detail_row *more, const struct detail_key *from,
			 struct detail_key *to, size_t n)
{
	size_t left = 0, out = 0, end;

	for (size_t at = 0; at < n; at = end) {
		size_t mid = in_order(more, from, at, n), i = at, k = mid;

		end = mid < n ? in_order(more, from, mid, n) : n;
		while (i < mid && k < end)
			to[out++] =
				after(more, &from[i], &from[k]) ? from[k++] : from[i++];
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

/* There is room for n in both. */
static void order(struct detail_key **key, size_t *cap, struct detail_key **spare,
		  size_t *spare_cap, size_t n, const struct detail_row *more)
{
	size_t left;

	do {
		left = merge_once(more, *key, *spare, n);
		change_places(key, cap, spare, spare_cap);
	} while (left > 1);
}

int detail_order(struct detail_key **key, size_t *cap, struct detail_key **spare,
		 size_t *spare_cap, size_t n, const struct detail_row *more)
{
	if (n == 0 || in_order(more, *key, 0, n) == n)
		return 0;
	if (vec_reserve_raw(spare, spare_cap, n, sizeof(**spare)))
		return -1;
	order(key, cap, spare, spare_cap, n, more);
	return 0;
}

enum { MOVES = 4 }; /* lines that may be moved for each line there is, to merge them */

static void add_line(struct detail_lines *l, const struct detail_key *to,
		     const struct detail_key *from)
{
	uint64_t *sum = l->cost + to->row * l->nevent;
	const uint64_t *cost = l->cost + from->row * l->nevent;

	for (size_t e = 0; e < l->nevent; e++)
		sum[e] = detail_add(sum[e], cost[e], &l->full);
}

/* The first of the n lines `from`, as far as they are in front of one of to[0..*at), go among these;
 * how many they were, or SIZE_MAX when memory is out.  *moved counts. */
static size_t merge_tail(struct detail_lines *l, struct detail_key *to, size_t *at,
			 const struct detail_key *from, size_t n, size_t *moved)
{
	struct detail_key *const start = to;
	size_t first = *at, last, i = 0, k = 0;

	while (first > 0 && !detail_key_after(from, &to[first - 1]))
		first--;
	last = *at - first;
	if (!last)
		return 0;
	*moved += last;
	if (vec_reserve_raw(&l->tail, &l->tail_cap, last, sizeof(*l->tail)))
		return SIZE_MAX;
	memcpy(l->tail, to + first, last * sizeof(*to));
	to += first;
	while (i < last && k < n) {
		if (same_line(&l->tail[i], &from[k]))
			add_line(l, &l->tail[i], &from[k++]);
		else if (detail_key_after(&l->tail[i], &from[k]))
			*to++ = from[k++];
		else
			*to++ = l->tail[i++];
	}
	memcpy(to, l->tail + i, (last - i) * sizeof(*to));
	*at = (size_t)(to - start) + last - i;
	return k;
}

/* The turns of each file together, files ascending, merged as far as that moves few lines.  0, or
 * -1 when memory is out. */
static int join_turns(struct detail_lines *l)
{
	size_t at = 0, moved = 0, known;

	if (vec_reserve_raw(&l->spare, &l->spare_cap, l->n, sizeof(*l->spare)) ||
	    vec_reserve_raw(&l->by_file, &l->by_file_cap, l->nturn, sizeof(*l->by_file)))
		return -1;
	for (size_t i = 0; i < l->nturn; i++)
		l->by_file[i] = (struct sort_pair){l->key[l->turn[i]].file, (uint32_t)i};
	if (sort_pairs(l->by_file, l->nturn))
		return -1;
	l->ordered = true;
	for (size_t i = 0; i < l->nturn; i++) {
		const uint32_t turn = l->by_file[i].value;
		const size_t end = turn + 1 < l->nturn ? l->turn[turn + 1] : l->n;
		size_t from = l->turn[turn];

		if (moved > MOVES * l->n)
			l->ordered = false;
		if (l->ordered) {
			known = merge_tail(l, l->spare, &at, l->key + from, end - from,
					   &moved);
			if (known == SIZE_MAX)
				return -1;
			from += known;
		}
		memcpy(l->spare + at, l->key + from, (end - from) * sizeof(*l->key));
		at += end - from;
	}
	l->n = at;
	change_places(&l->key, &l->cap, &l->spare, &l->spare_cap);
	return 0;
}

int detail_lines_order(struct detail_lines *l)
{
	size_t last = 0;

	if (l->n > UINT32_MAX)
		return -1; /* key.row */
	if (l->ordered)
		return 0;
	if (join_turns(l))
		return -1;
	if (l->ordered)
		return 0;
	/* One was copied into the other. */
	order(&l->key, &l->cap, &l->spare, &l->spare_cap, l->n, NULL);
	for (size_t i = 1; i < l->n; i++) {
		if (same_line(&l->key[last], &l->key[i]))
			add_line(l, &l->key[last], &l->key[i]);
		else if (++last != i)
			l->key[last] = l->key[i];
	}
	l->n = l->n ? last + 1 : 0;
	return 0;
}
