/*
 * detail_lines.c - order the rows of a function; see detail_lines.h.
 *
 * A function's lines stand in the text by address, or by line, whatever file they are of, so
 * they are in order when those of each file are put together.  What is not in order then is
 * merged, neighbours that are in order each, until there is one.
 */
#include "index/detail_lines.h"

#include <stdlib.h>
#include <string.h>

#include "index/detail_run.h"

enum { FILES = 32 }; /* of a function that are put together at once */

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

/* Each file's keys together, files ascending; false when there are more files than that. */
static bool by_file(const struct detail_key *from, struct detail_key *to, size_t n)
{
	uint32_t file[FILES], count[FILES];
	uint32_t sum = 0;
	size_t files = 0;

	for (size_t i = 0, f = 0; i < n; i++) {
		if (files == 0 || from[i].file != file[f])
			for (f = 0; f < files && file[f] != from[i].file; f++)
				;
		if (f == FILES)
			return false;
		if (f == files) {
			file[files] = from[i].file;
			count[files++] = 0;
		}
		count[f]++;
	}
	/* A selection sort: the counts of those before become where each begins. */
	for (size_t f = 0; f < files; f++) {
		size_t least = f;

		for (size_t g = f + 1; g < files; g++)
			if (file[g] < file[least])
				least = g;
		const uint32_t c = count[least], name = file[least];

		file[least] = file[f];
		count[least] = count[f];
		file[f] = name;
		count[f] = sum;
		sum += c;
	}
	for (size_t i = 0, f = 0; i < n; i++) {
		if (from[i].file != file[f])
			for (f = 0; file[f] != from[i].file; f++)
				;
		to[count[f]++] = from[i];
	}
	return true;
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

int detail_order(struct detail_key **key, size_t *cap, struct detail_key **spare,
		 size_t *spare_cap, size_t n, const struct detail_row *more)
{
	size_t left;

	if (n == 0 || in_order(more, *key, 0, n) == n)
		return 0;
	if (n > UINT32_MAX || vec_reserve_raw(spare, spare_cap, n, sizeof(**spare)))
		return -1;
	if (by_file(*key, *spare, n)) {
		change_places(key, cap, spare, spare_cap);
		if (in_order(more, *key, 0, n) == n)
			return 0;
	}
	do {
		left = merge_once(more, *key, *spare, n);
		change_places(key, cap, spare, spare_cap);
	} while (left > 1);
	return 0;
}

int detail_lines_order(struct detail_lines *l)
{
	size_t last = 0;

	if (l->ordered)
		return 0;
	if (detail_order(&l->key, &l->cap, &l->spare, &l->spare_cap, l->n, NULL))
		return -1;
	for (size_t i = 1; i < l->n; i++) {
		if (same_line(&l->key[last], &l->key[i])) {
			uint64_t *sum = l->cost + l->key[last].row * l->nevent;
			const uint64_t *cost = l->cost + l->key[i].row * l->nevent;

			for (size_t e = 0; e < l->nevent; e++)
				sum[e] = detail_add(sum[e], cost[e], &l->full);
		} else if (++last != i) {
			l->key[last] = l->key[i];
		}
	}
	l->n = l->n ? last + 1 : 0;
	return 0;
}
