/*
 * group.c - fold rows; see group.h and group_in.h.
 *
 * An aggregate that is an expression over columns (D1mr / Dr) is computed from the sums of
 * these columns.  The sums stay as hidden columns, so that the result can be summed again.
 */
#include "engine/stages/group.h"

#include <string.h>

#include "engine/lang/keywords.h"
#include "engine/lang/parse.h"
#include "engine/rows/exec.h"
#include "engine/stages/eval.h"
#include "engine/stages/group_in.h"
#include "engine/compare/vs.h"
#include "engine/stages/stage.h"
#include "index/base/err.h"
#include "index/base/need.h"

/* ---- quotients of sums ---- */

/* Is e too high to recurse over?  Ratios of ratios are higher than the expressions
 * written. */
_Noreturn static void too_high(struct exec *x)
{
	err_set(x->err, ERR_LIMIT, 0,
		"a quotient made of others has more than %u operators",
		parse_operators());
	need_hint(x->err, "sum the columns first, and divide the sums");
}

/* Apply the bound expression e to the sums of its columns per group.  The sums become
 * hidden columns of out. */
static struct expr *over_sums(struct exec *x, struct table *t, const struct groups *g,
			      const struct expr *e, struct table *out, unsigned left)
{
	struct expr *n;

	if (!e)
		return NULL;
	n = EXEC_ARRAY(x, struct expr, 1);
	if (left == 0)
		too_high(x);
	*n = *e;
	if (e->col) {
		groups_fold_into(x, t, g, FOLD_SUM, e, STR(""), out, &n->col);
		n->col->machine = n->col->table = false;
	}
	n->a = over_sums(x, t, g, e->a, out, left - 1);
	n->b = over_sums(x, t, g, e->b, out, left - 1);
	return n;
}

static void quotient(struct exec *x, struct table *t, const struct groups *g,
		     const struct expr *e, struct table *out, struct expr **ratio,
		     struct table_col *v)
{
	struct expr *bound;

	eval_bind(x, t, e, &bound);
	*ratio = over_sums(x, t, g, bound, out, parse_operators());
	eval(x, out, *ratio, v);
}

/* ---- group ---- */

static void add_keys(struct table *out, struct group_keys *b, const struct expr *keys)
{
	struct table_col *c;
	size_t k = 0;

	for (const struct expr *e = keys; e; e = e->next) {
		struct table_col *v = &b->key[k++].v;

		if (v->absent && !memchr(v->absent, 1, out->n))
			v->absent = NULL;
		table_adopt(out, e->as, v, &c);
		table_texts(out, c);
		c->event = out->event;
	}
}

static void add_count(const struct groups *g, struct str name, struct table *out)
{
	struct table_col *c;

	table_append(out, name, COL_COUNT, &c);
	if (g->n)
		memcpy(c->u, g->size, g->n * sizeof(*c->u));
	c->adds_up = true;
}

static void add_quotient(struct exec *x, struct table *t, const struct groups *g,
			 const struct expr *e, struct str name, struct table *out)
{
	struct table_col v, *c;
	struct expr *ratio = NULL;

	quotient(x, t, g, e, out, &ratio, &v);
	table_adopt(out, name, &v, &c);
	c->event = out->event;
	c->unit = e->unit;
	c->ratio = col_is_f(v.type) ? ratio : NULL;
}

/* The average of the cells that are present. */
static void add_average(struct exec *x, struct table *t, const struct groups *g,
			const struct expr *e, struct str name, struct table *out)
{
	struct table_col *c, sum = {.type = e->type, .filled = true};
	uint64_t *n = EXEC_ARRAY(x, uint64_t, g->n + 1);
	struct expr *open = NULL;

	sum.p = exec_alloc(x, g->n + 1, type_width(e->type));
	table_append(out, name, COL_RATIO, &c);
	eval_open(x, t, e, &open);
	groups_fold(x, t, g, FOLD_SUM, open, n, &sum);
	eval_close(x, open, false);
	c->unit = e->unit;
	c->absent = sum.absent;
	for (size_t k = 0; k < g->n; k++) {
		double s = col_is_f(e->type)	    ? sum.f[k]
			   : col_is_signed(e->type) ? (double)sum.i[k]
						    : (double)sum.u[k];

		c->f[k] = n[k] ? s / (double)n[k] : 0;
	}
}

/* A cost is in `incl` of each function on its stack, and of code inlined there. */
static void note_incl(struct exec *x, struct table *t, const struct expr *e)
{
	struct table_col *c;

	if (!t->src || !str_eq(str_c(t->src->primary), STR("self")) || e->op != EX_COL ||
	    e->let || !str_eq(e->text, STR("incl")))
		return;
	eval_column(t, e, &c);
	if (c->def)
		exec_note(x, STR("a sum of incl counts a cost in each function that it "
				 "passes through: `cost of SET` counts it once"));
}

static void add_sum(struct exec *x, struct table *t, const struct groups *g,
		    const struct expr *e, struct str name, struct table *out)
{
	struct table_col *c;
	struct expr *bound;

	if (col_is_f(e->type))
		eval_bind(x, t, e, &bound);
	if (col_is_f(e->type) && eval_is_quotient(bound)) {
		add_quotient(x, t, g, e, name, out);
		return;
	}
	groups_fold_into(x, t, g, FOLD_SUM, e, name, out, &c);
	note_incl(x, t, e);
	c->adds_up = true;
}

static void aggregate(struct exec *x, struct table *t, const struct groups *g,
		      const struct expr *e, struct table *out)
{
	const enum aggregate agg =
		e->op == EX_CALL ? aggregate_find(e->text) : AGGREGATES;
	struct table_col *c;

	switch (agg) {
	case AGG_COUNT: add_count(g, e->as, out); return;
	case AGG_SUM: add_sum(x, t, g, e->a, e->as, out); return;
	case AGG_MIN: groups_fold_into(x, t, g, FOLD_MIN, e->a, e->as, out, &c); return;
	case AGG_MAX: groups_fold_into(x, t, g, FOLD_MAX, e->a, e->as, out, &c); return;
	case AGG_AVG: add_average(x, t, g, e->a, e->as, out); return;
	case AGG_MEDIAN:
	case AGG_P90:
	case AGG_P99: groups_rank_into(x, t, g, agg, e->a, e->as, out); return;
	case AGGREGATES: break;
	}
	add_quotient(x, t, g, e, e->as, out);
}

/* The keys are the first columns; sums follow. */
static bool is_there(const struct table *out, struct str name)
{
	for (size_t i = 0; i < out->ncols; i++)
		if (str_eq(out->cols[i]->name, name))
			return true;
	return false;
}

static void sum_column(struct exec *x, struct table *t, const struct groups *g,
		       struct table_col *c, struct table *out)
{
	struct table_col *sum;
	struct expr e;

	if (c->ratio) {
		add_quotient(x, t, g, c->ratio, c->name, out);
		return;
	}
	if (!c->adds_up || c->percent || col_is_text(c->type) || c->type == COL_BOOL)
		return;
	e = eval_of_column(c);
	groups_fold_into(x, t, g, FOLD_SUM, &e, c->name, out, &sum);
	sum->adds_up = true;
}

static void default_sum(struct exec *x, struct table *t, struct groups *g,
			const struct col_def *d, struct table *out)
{
	struct table_col *c;

	if (!(d->flags & ADDS_UP) || !(d->flags & SHOW_M) ||
	    is_there(out, str_c(d->name)))
		return;
	/* `add` may have replaced the column. */
	table_find(t, str_c(d->name), t->event, false, &c);
	sum_column(x, t, g, c, out);
}

/* What the groups are of the whole, for people. */
static void add_share(struct exec *x, struct table *t, const struct groups *g,
		      struct table *out)
{
	struct table_col *c, *sum;
	struct expr e;

	if (t->vs || t->tree || !is_there(out, str_c(t->src->primary)))
		return;
	table_find(t, str_c(t->src->primary), t->event, true, &c);
	if (is_there(out, c->name))
		return;
	e = eval_of_column(c);
	groups_fold_into(x, t, g, FOLD_SUM, &e, c->name, out, &sum);
	sum->machine = false;
}

/* The change of the sums in percent. */
static void add_change(const struct table *t, struct table *out)
{
	const struct table_col *base = NULL, *delta = NULL;
	struct table_col *c;

	if (!t->vs || table_taken(t, STR("base")) || table_taken(t, STR("delta")))
		return;
	for (size_t i = 0; i < out->ncols; i++) {
		if (str_eq(out->cols[i]->name, STR("base")))
			base = out->cols[i];
		if (str_eq(out->cols[i]->name, STR("delta")))
			delta = out->cols[i];
	}
	if (!base || !delta)
		return;
	table_append(out, STR("delta%"), COL_PERCENT, &c);
	for (size_t i = 0; i < out->n; i++)
		c->f[i] = vs_percent((double)delta->i[i], (double)base->i[i]);
	c->absent = base->absent;
	c->estimated = delta->estimated;
}

/* Without aggregates: count the rows, and sum the columns of the source and of vs that
 * add up. */
static void default_sums(struct exec *x, struct table *t, struct groups *g,
			 struct table *out)
{
	groups_leave_out_parts(x, t, g);
	add_count(g, STR("count"), out);
	for (size_t i = 0; t->src && i < t->src->ncols; i++) {
		default_sum(x, t, g, &t->src->cols[i], out);
		if (strcmp(t->src->cols[i].name, t->src->primary) == 0)
			add_share(x, t, g, out);
	}
	for (size_t i = 0; t->vs && i < VS_COLS; i++)
		default_sum(x, t, g, &vs_cols[i], out);
	add_change(t, out);
}

static void replace(struct table *t, struct table *out, size_t rows)
{
	out->footer = t->footer;
	out->rows_before = rows;
	out->truncated = t->truncated;
	out->paired = t->paired;
	*t = *out;
}

/* What the groups are ordered by, descending: the first aggregate, or the sum of the
 * costs that order the rows.  NULL: neither is a number. */
static struct table_col *cost_of_groups(const struct table *t, const struct tstage *s,
					struct table *out)
{
	struct str name = s->aggs ? s->aggs->as
			  : t->vs ? STR("delta")
				  : str_c(t->src->primary);

	for (size_t i = out->ncols; i > 0; i--) {
		struct table_col *c = out->cols[i - 1];

		if (c->machine && !col_is_text(c->type) && c->type != COL_BOOL &&
		    str_eq(c->name, name))
			return c;
	}
	return NULL;
}

static void fold_groups(struct exec *x, struct table *t, const struct tstage *s,
			struct group_keys *b, struct groups *g, struct table *out)
{
	uint32_t *order = NULL;
	struct table_col *c;

	groups_number(x, t, s->exprs, b, g);
	if (t->by_cost && t->src)
		groups_order(x, t, g, &order);
	out->n = g->n;
	add_keys(out, b, s->exprs);
	for (const struct expr *e = s->aggs; e; e = e->next)
		aggregate(x, t, g, e, out);
	if (!s->aggs)
		default_sums(x, t, g, out);
	if (order)
		table_select(out, order, g->n);
	c = order ? cost_of_groups(t, s, out) : NULL;
	if (c)
		exec_sort_column(x, out, c, t->vs && !s->aggs);
}

void exec_group(struct exec *x, struct table *t, const struct tstage *s)
{
	struct table out = {.x = x, .g = t->g, .event = t->event};
	struct group_keys b = {0};
	struct groups g = {0};

	fold_groups(x, t, s, &b, &g, &out);
	for (size_t k = 0; k < b.nkeys; k++)
		eval_close(x, b.key[k].e, t->n > 0);
	replace(t, &out, g.n);
}

/* ---- sum ---- */

void exec_sum(struct exec *x, struct table *t)
{
	struct table out = {.x = x, .g = t->g, .n = 1, .event = t->event};
	struct groups g = {.n = 1};
	uint64_t size = t->n;

	g.of = EXEC_ARRAY(x, uint32_t, t->n + 1);
	g.size = &size;
	groups_leave_out_parts(x, t, &g);
	for (size_t i = 0; i < t->ncols; i++) {
		struct table_col *c = t->cols[i];

		if (c->machine || c->table)
			sum_column(x, t, &g, c, &out);
	}
	if (out.ncols == 0)
		need_fail(ERR_QUERY, "no column of these rows can be summed");
	add_change(t, &out);
	replace(t, &out, 1);
}
