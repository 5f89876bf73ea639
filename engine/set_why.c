/*
 * set_why.c - the causes of many comparisons as one list; see set.h.
 *
 * Causes are equal if their sentence, function and line are, whatever they cost.  The rows of
 * a member add up to its difference, and so do those of the list.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/rows/set_columns.h"
#include "engine/set_in.h"
#include "index/base/cost.h"
#include "index/base/need.h"
#include "index/base/order.h"

/* A row of a member, and then what equal ones are together. */
struct cause {
	struct cause_row row;
	struct str profile;
	size_t at;    /* its place among the rows */
	bool rest;    /* it comes last */
	bool numbers; /* a rest, or noise: its sentence holds numbers, and is one of many */
};

static int by_cause(const void *pa, const void *pb)
{
	const struct cause *a = pa, *b = pb;
	int c = str_cmp(a->numbers ? a->row.kind : STR(""),
			b->numbers ? b->row.kind : STR(""));

	if (!c && !a->numbers) {
		c = str_cmp(a->row.why, b->row.why);
		c = c ? c : str_cmp(a->row.fn, b->row.fn);
		c = c ? c : str_cmp(a->row.file, b->row.file);
		c = c ? c : order_u64(a->row.line, b->row.line);
	}
	return c;
}

static int by_cause_and_place(const void *pa, const void *pb)
{
	const struct cause *a = pa, *b = pb;
	const int c = by_cause(pa, pb);

	return c ? c : order_u64(a->at, b->at);
}

/* By how many and how much. */
static int by_weight(const void *pa, const void *pb)
{
	const struct cause *a = pa, *b = pb;
	int c = a->rest - b->rest;

	c = c ? c : order_u64(b->row.profiles, a->row.profiles);
	c = c ? c
	      : order_u64((uint64_t)cost_size(b->row.delta),
			  (uint64_t)cost_size(a->row.delta));
	return c ? c : str_cmp(a->row.why, b->row.why);
}

static struct cause *list_causes(const struct set_rows *all)
{
	struct cause *one = NEED_ARRAY(all->a, struct cause, all->t.n + 1);
	const struct table *t = &all->t;

	for (size_t i = 0; i < t->n; i++) {
		const struct str kind = set_column(t, "kind")->s[i];
		const int64_t delta = set_column(t, "delta")->i[i];

		one[i] = (struct cause){
			.row = {.why = set_column(t, "why")->s[i],
				.kind = kind,
				.fn = set_column(t, "fn")->s[i],
				.callee = set_column(t, "callee")->s[i],
				.file = set_column(t, "file")->s[i],
				.line = set_column(t, "line")->u[i],
				.profiles = 1,
				.delta = delta,
				.least = delta,
				.most = delta},
			.profile = set_column(t, "profile")->s[i],
			.at = i,
			.rest = str_eq(kind, STR("rest")),
			.numbers =
				str_eq(kind, STR("rest")) || str_eq(kind, STR("noise")),
		};
	}
	if (t->n)
		qsort(one, t->n, sizeof(*one), by_cause_and_place);
	return one;
}

/* n equal ones as the first of them. */
static void join(struct arena *a, struct cause *one, size_t n)
{
	struct cause_row *to = &one->row;
	size_t bytes = one->profile.n;
	char *p;

	for (size_t i = 1; i < n; i++) {
		const int64_t delta = one[i].row.delta;

		bytes += 2 + one[i].profile.n;
		to->profiles++;
		cost_add(&to->delta, delta);
		to->least = delta < to->least ? delta : to->least;
		to->most = delta > to->most ? delta : to->most;
	}
	to->names = (struct str){p = need_array(a, bytes + 1, 1), bytes};
	for (size_t i = 0; i < n; i++) {
		memcpy(p, ", ", i ? 2 : 0);
		memcpy(p + (i ? 2 : 0), one[i].profile.p, one[i].profile.n);
		p += (i ? 2 : 0) + one[i].profile.n;
	}
	to->lacks = (to->line ? 0 : NO_LINE) | (to->file.n ? 0 : NO_FILE);
	if (!one->rest)
		return;
	to->why = STR("the rest");
	to->fn = to->callee = to->file = STR("");
	to->lacks = NO_LINE | NO_FILE;
}

void set_join_causes(struct set_rows *all, struct table *t)
{
	struct cause *one = list_causes(all);
	struct cause_row *row;
	size_t n = 0;

	for (size_t i = 0, end; i < all->t.n; i = end) {
		for (end = i + 1; end < all->t.n && !by_cause(&one[i], &one[end]);)
			end++;
		join(all->a, &one[i], end - i);
		one[n++] = one[i];
	}
	if (n)
		qsort(one, n, sizeof(*one), by_weight);
	row = NEED_ARRAY(all->a, struct cause_row, n + 1);
	for (size_t i = 0; i < n; i++)
		row[i] = one[i].row;
	t->src = NULL;
	t->n = t->rows_before = n;
	t->cols = NULL;
	t->ncols = t->cap = 0;
	set_append(t, S_WHY, true, row);
}
