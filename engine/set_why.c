/*
 * set_why.c - the causes of many comparisons as one list; see set.h.
 *
 * Causes are equal if their sentence, function and line are, whatever they cost.  The sentences of
 * a rest, and of noise, hold numbers: each is one cause.  The rows of a member add up to its
 * difference, and so do those of the list.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/rows/set_columns.h"
#include "engine/set_in.h"
#include "index/base/cost.h"
#include "index/base/need.h"
#include "index/base/order.h"

static bool is_rest(struct str kind)
{
	return str_eq(kind, STR("rest"));
}

/* By how many and how much. */
static int by_weight(const void *pa, const void *pb)
{
	const struct cause_row *a = pa, *b = pb;
	int c = is_rest(a->kind) - is_rest(b->kind);

	c = c ? c : order_u64(b->profiles, a->profiles);
	c = c ? c
	      : order_u64((uint64_t)cost_size(b->delta), (uint64_t)cost_size(a->delta));
	c = c ? c : str_cmp(a->why, b->why);
	c = c ? c : str_cmp(a->fn, b->fn);
	c = c ? c : str_cmp(a->file, b->file);
	return c ? c : order_u64(a->line, b->line);
}

/* *cause: of each row of t, its number among the causes.  Returns how many there are. */
static size_t number_causes(const struct table *t, struct arena *a, uint32_t **cause)
{
	struct str *key = NEED_ARRAY(a, struct str, t->n + 1);
	struct strset causes = {0};
	bool lost = false;
	size_t n;

	*cause = NEED_ARRAY(a, uint32_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		const struct str kind = set_column(t, "kind")->s[i];

		key[i] = is_rest(kind) || str_eq(kind, STR("noise"))
				 ? kind
				 : need_printf(a, "%.*s\n%.*s\n%.*s\n%llu",
					       STR_ARG(set_column(t, "why")->s[i]),
					       STR_ARG(set_column(t, "fn")->s[i]),
					       STR_ARG(set_column(t, "file")->s[i]),
					       (unsigned long long)set_column(t, "line")
						       ->u[i]);
	}
	for (size_t i = 0; i < t->n && !lost; i++) {
		(*cause)[i] = strset_add(&causes, key[i]);
		lost = (*cause)[i] == HASH_NONE;
	}
	n = causes.n;
	strset_free(&causes);
	if (lost)
		need_memory_for("while causes were joined");
	return n;
}

/* Row i of t is the first of its cause. */
static struct cause_row cause_of(const struct table *t, size_t i)
{
	const int64_t delta = set_column(t, "delta")->i[i];
	struct cause_row row = {.why = set_column(t, "why")->s[i],
				.kind = set_column(t, "kind")->s[i],
				.fn = set_column(t, "fn")->s[i],
				.callee = set_column(t, "callee")->s[i],
				.file = set_column(t, "file")->s[i],
				.line = set_column(t, "line")->u[i],
				.least = delta,
				.most = delta};

	if (is_rest(row.kind)) {
		row.why = STR("the rest");
		row.fn = row.callee = row.file = STR("");
		row.line = 0;
	}
	row.lacks = (row.line ? 0 : NO_LINE) | (row.file.n ? 0 : NO_FILE);
	return row;
}

void set_join_causes(struct set_rows *all, struct table *t)
{
	const struct table *of = &all->t;
	const size_t rows = of->n;
	uint32_t *cause;
	const size_t n = number_causes(of, all->a, &cause);
	struct cause_row *row = NEED_ARRAY(all->a, struct cause_row, n + 1);
	size_t *bytes = NEED_ARRAY(all->a, size_t, n + 1);

	for (size_t i = 0; i < rows; i++) {
		struct cause_row *to = &row[cause[i]];
		const int64_t delta = set_column(of, "delta")->i[i];

		if (!to->profiles)
			*to = cause_of(of, i);
		to->profiles++;
		cost_add(&to->delta, delta);
		to->least = delta < to->least ? delta : to->least;
		to->most = delta > to->most ? delta : to->most;
		bytes[cause[i]] += set_column(of, "profile")->s[i].n + 2;
	}
	for (size_t i = 0; i < rows; i++) {
		const struct str name = set_column(of, "profile")->s[i];
		struct str *to = &row[cause[i]].names;
		char *p = to->n ? (char *)(uintptr_t)to->p
				: need_array(all->a, bytes[cause[i]], 1);

		memcpy(p + to->n, ", ", to->n ? 2 : 0);
		to->n += to->n ? 2 : 0;
		memcpy(p + to->n, name.p, name.n);
		*to = (struct str){p, to->n + name.n};
	}
	if (n)
		qsort(row, n, sizeof(*row), by_weight);
	t->src = NULL;
	t->n = t->rows_before = n;
	t->cols = NULL;
	t->ncols = t->cap = 0;
	set_append(t, S_WHY, true, row);
}
