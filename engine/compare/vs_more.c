/*
 * vs_more.c - further profiles of a comparison: functions vs v1, v2, v3.
 *
 * v1 is the base.  Each of the others is compared with this profile as the base is, and rows
 * that only the base has are compared with the base.  So each has a column of the cost that
 * the source is about, named as the profile is, and `lowest` is the least of all.
 *
 *	base  v2  v3  self  delta	delta: from base to self, the cost here
 *
 * Rows that are neither here nor in the base are left out; a note counts them.
 */
#include <string.h>

#include "engine/compare/vs.h"
#include "engine/compare/vs_in.h"
#include "engine/lang/ast.h"
#include "engine/rows/doubt.h"
#include "engine/sources/sources.h"
#include "index/base/cost.h"
#include "index/base/err.h"

/* Find the rows of side 0 (here) or 1 (the base) of v in one more profile: a comparison of
 * that side with the profile, with rows that are there already. */
static int vs_more_rows(struct exec *x, const struct source *s, const struct vs *v,
			int side, struct vs **out)
{
	struct exec *of = EXEC_ARRAY(x, struct exec, 1);
	struct vs *k;

	*of = side ? v->base : *x;
	of->other = NULL;
	of->notes = x->notes;
	of->hints = x->hints;
	if (exec_vs_base(of, s, x->gstages, true, &k))
		return x->err->kind;
	k->base.unparted = x->unparted;
	k->dissolve = v->dissolve;
	k->of_sum = v->of_sum;
	k->of_runs = v->of_runs;
	if (sources_open(&k->base, s, &k->b) || store_check(k->base.g->st, x->err))
		return x->err->kind;
	k->a = side ? v->b : v->a;
	*out = k;
	return vs_match_rows(of, k);
}

/* Add its costs to those of the rows of t.  Side 0 goes first; side 1 is asked only for rows
 * that are not here.  used[]: rows of the profile that some row has already, so that none
 * counts twice. */
static int vs_more_costs(struct exec *x, const struct table *t, int side, struct vs *k,
			 struct table_col *to, uint8_t *used)
{
	const struct vs *v = t->vs;
	const uint32_t *const row = side ? v->ib : v->ia;
	uint32_t *found =
		EXEC_ARRAY(x, uint32_t, v->rows + 1); /* [joined rows]: 1 + row */
	struct table_col *from;

	table_own(&k->b, str_c(t->src->primary), k->base.event, false, &from);
	for (size_t i = 0; i < v->rows; i++) {
		const uint32_t r = row[i] == GRAPH_NONE ? GRAPH_NONE : k->ib[row[i]];

		if ((side && v->ia[i] != GRAPH_NONE) || r == GRAPH_NONE || used[r])
			continue;
		used[r] = 1;
		found[i] = r + 1;
	}
	for (size_t i = 0; i < t->n; i++) {
		const uint32_t r = found[row_ref(t, i)] - 1;

		if (!found[row_ref(t, i)] || (from->absent && from->absent[r]))
			continue;
		to->i[i] = from->i[r];
		to->estimated[i] = from->estimated && from->estimated[r];
	}
	return 0;
}

/* Doubt what differs in that profile, as for the base. */
static int vs_more_doubts(struct exec *x, const struct source *s, struct vs *k)
{
	struct table t = {.vs = k, .src = k->b.src};
	bool several;

	exec_doubt_profile(x, k->base.g->st, s->vs);
	vs_note_base(x, s, k);
	return vs_same_formula(k, x->event) || vs_count_runs(x, &t, &several) ||
			       vs_measure_paired(x, s, k, &t)
		       ? x->err->kind
		       : 0;
}

static void vs_more_left_out(struct exec *x, const struct source *s, const struct vs *k,
			     const uint8_t *used)
{
	size_t n = 0;

	for (size_t r = 0; r < k->b.n; r++)
		n += !used[r];
	if (n)
		exec_notef(x,
			   "in no row: %s of the %s of %.*s, which are neither here "
			   "nor in the base",
			   GROUPED(n), k->b.src->rows, STR_ARG(s->vs));
}

/* Both sides open the source on the profile.  Its rows have the same numbers each time,
 * so one used[] serves both. */
static int vs_more_profile(struct exec *x, const struct source *s, const struct table *t,
			   struct table_col *to)
{
	struct vs *k[2];
	uint8_t *used;

	if (vs_more_rows(x, s, t->vs, 0, &k[0]) || vs_more_rows(x, s, t->vs, 1, &k[1]))
		return x->err->kind;
	used = EXEC_ARRAY(x, uint8_t, k[0]->b.n + 1);
	for (int side = 0; side < 2; side++)
		if (vs_more_costs(x, t, side, k[side], to, used))
			return x->err->kind;
	if (vs_more_doubts(x, s, k[0]))
		return x->err->kind;
	vs_more_left_out(x, s, k[0], used);
	return 0;
}

/* Move column `from` to place `to`, which is before it. */
static void vs_more_move(struct table *t, size_t from, size_t to)
{
	struct table_col *c = t->cols[from];

	memmove(&t->cols[to + 1], &t->cols[to], (from - to) * sizeof(*t->cols));
	t->cols[to] = c;
}

/* In the order of the profiles: the base, the last n columns, and what is here. */
static void vs_more_order(struct table *t, const struct table_col *base,
			  const struct table_col *here, size_t n)
{
	size_t at = 0, from = 0;

	while (t->cols[at] != here)
		at++;
	while (t->cols[from] != base)
		from++;
	vs_more_move(t, from, at);
	for (size_t k = t->ncols - n; k < t->ncols; k++)
		vs_more_move(t, k, ++at);
}

static int vs_more_column(struct exec *x, struct table *t, struct str name,
			  const struct table_col *like, struct table_col **out)
{
	table_append(t, name, COL_COST, out);
	(*out)->unit = like->unit;
	(*out)->adds_up = like->adds_up;
	(*out)->estimated = EXEC_ARRAY(x, uint8_t, t->n + 1);
	return (*out)->estimated ? 0 : x->err->kind;
}

static void vs_more_lower(struct table_col *least, const struct table_col *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (cost_order(c->i[i], least->i[i]) >= 0)
			continue;
		least->i[i] = c->i[i];
		least->estimated[i] = c->estimated[i];
	}
}

int vs_more(struct exec *x, const struct source *s, struct table *t)
{
	struct table_col *base, *here, *c, *least;
	size_t n = 0;

	if (!s->also)
		return 0;
	table_own(t, STR("base"), t->event, false, &base);
	table_own(t, str_c(t->src->primary), t->event, false, &here);
	if (vs_more_column(x, t, STR("lowest"), base, &least))
		return x->err->kind;
	least->adds_up = false;
	memcpy(least->i, here->i, t->n * sizeof(*least->i));
	memcpy(least->estimated, here->estimated, t->n);
	vs_more_lower(least, base, t->n);
	for (const struct also *also = s->also; also; also = also->next, n++) {
		struct source one = *s;

		one.vs = one.vs_profile = also->name;
		one.vs_span = also->span;
		if (vs_more_column(x, t, also->name, base, &c) ||
		    vs_more_profile(x, &one, t, c))
			return x->err->kind;
		vs_more_lower(least, c, t->n);
	}
	vs_more_order(t, base, here, n);
	return 0;
}
