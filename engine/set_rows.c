/*
 * set_rows.c - one table of the rows of many; see set.h.
 *
 * A column is the same in two members if it has the same definition and name.  What one has and
 * another has not is absent there.  Nothing of a member is read later: its columns are filled
 * before, also those that a later stage names.
 */
#include <string.h>

#include "engine/compare/vs.h"
#include "engine/lang/ast.h"
#include "engine/rows/exec.h"
#include "engine/set_in.h"
#include "engine/stages/eval.h"
#include "index/base/err.h"
#include "index/base/need.h"

/* ---- what is filled ---- */

static bool has_column(const struct table *t, struct str name)
{
	return table_taken(t, name) || source_col(t->src, name) ||
	       (t->vs && t->src && vs_col(t->src, name));
}

/* A name may also be one that a stage before gives, or an event. */
static void fill_expr(struct table *t, const struct expr *e)
{
	struct table_col *c = NULL;

	for (; e; e = e->next) {
		if (e->op == EX_IN && e->b && e->b->op == EX_VAR)
			span_fail(t->x->err, e->span,
				  "of a set of profiles, 'in $set' stands in a `where` "
				  "before all other stages");
		if (e->op != EX_COL || e->let) {
			fill_expr(t, e->let ? e->let : e->a);
			fill_expr(t, e->let ? NULL : e->b);
			continue;
		}
		if (!has_column(t, e->text))
			continue;
		eval_column(t, e, &c);
		table_fill(t, c);
	}
}

void set_fill(struct table *t, const struct tstage *st)
{
	const char *order = !t->src ? NULL : t->vs ? "delta" : t->src->primary;
	struct table_col *c;

	for (size_t i = 0; i < t->ncols; i++)
		if (t->cols[i]->machine || t->cols[i]->table)
			table_fill(t, t->cols[i]);
	if (order && has_column(t, str_c(order))) {
		table_column(t, str_c(order), t->event, false, &c);
		if (!t->vs && c->def && c->def->flags & PER_EVENT)
			table_column(t, str_c(order), t->event, true, &c);
	}
	for (; st; st = st->next) {
		fill_expr(t, st->exprs);
		fill_expr(t, st->aggs);
		if (st->kind == T_GROUP || st->kind == T_SUM || st->kind == T_COUNT)
			return;
	}
}

/* ---- one table ---- */

static void *grown(struct set_rows *all, void *from, size_t width, size_t cap)
{
	char *to = need_array(all->a, cap, width);

	if (from)
		memcpy(to, from, all->t.n * width);
	return to;
}

static void make_room(struct set_rows *all, size_t n)
{
	const size_t cap = all->t.n + n > 2 * all->cap ? all->t.n + n : 2 * all->cap;

	if (all->t.n + n <= all->cap)
		return;
	for (size_t i = 0; i < all->t.ncols; i++) {
		struct table_col *c = all->t.cols[i];

		c->p = grown(all, c->p, col_width(c), cap);
		c->absent = grown(all, c->absent, 1, cap);
		if (c->estimated)
			c->estimated = grown(all, c->estimated, 1, cap);
	}
	if (all->above)
		all->above = grown(all, all->above, sizeof(*all->above), cap);
	all->cap = cap;
}

static bool same_unit(struct unit a, struct unit b)
{
	return a.kind == b.kind && a.scale == b.scale;
}

static struct table_col *column_of(struct set_rows *all, const struct table_col *c)
{
	struct table *t = &all->t;
	struct table_col *to;

	for (size_t i = 0; i < t->ncols; i++) {
		to = t->cols[i];
		if (to->def == c->def && to->percent == c->percent &&
		    to->type == c->type && same_unit(to->unit, c->unit) &&
		    str_eq(to->name, c->name))
			return to;
	}
	need_grow(all->a, &t->cols, &t->cap, t->ncols, t->ncols + 1, sizeof(*t->cols));
	t->cols[t->ncols++] = to = NEED_NEW(all->a, struct table_col);
	*to = *c;
	to->name = need_str(all->a, c->name);
	to->dict = DICT_NONE;
	to->ratio = NULL;
	to->bar = false;
	to->filled = true;
	to->estimated = NULL;
	to->p = need_array(all->a, all->cap, col_width(to));
	to->absent = need_array(all->a, all->cap, 1);
	memset(to->absent, 1, all->cap);
	return to;
}

/* Names are of few kinds: each is kept once. */
static struct str kept(struct set_rows *all, struct str s)
{
	const uint32_t n = s.n ? strset_copy(all->texts, s) : HASH_NONE;

	if (!s.n)
		return STR("");
	if (n == HASH_NONE)
		need_memory_for("while profiles were asked");
	return all->texts->at[n];
}

static void add_values(struct set_rows *all, const struct table *t,
		       const struct table_col *c)
{
	struct table_col *to = column_of(all, c);
	const size_t at = all->t.n, width = col_width(to);

	to->machine |= c->machine;
	to->table |= c->table;
	if (col_is_text(c->type))
		for (size_t i = 0; i < t->n; i++)
			to->s[at + i] = kept(all, col_text(t, c, i));
	else
		memcpy((char *)to->p + at * width, c->p, t->n * width);
	memset(to->absent + at, 0, t->n);
	if (c->absent)
		memcpy(to->absent + at, c->absent, t->n);
	if (!c->estimated)
		return;
	if (!to->estimated)
		to->estimated = need_array(all->a, all->cap, 1);
	memcpy(to->estimated + at, c->estimated, t->n);
}

/* The rows of a tree are parts of others: sums count only those that are whole. */
static uint32_t part_of_row(const struct table *t, uint32_t ref)
{
	return t->on[ref];
}

static void add_parts(struct set_rows *all, const struct table *t)
{
	const uint32_t *above = table_above(t);

	if (!above)
		return;
	if (!all->above) {
		all->above = NEED_ARRAY(all->a, uint32_t, all->cap);
		memset(all->above, 0xff, all->cap * sizeof(*all->above)); /* ROW_WHOLE */
	}
	for (size_t i = 0; i < t->n; i++)
		all->above[all->t.n + i] = above[i] < ROW_UNCOUNTED
						   ? (uint32_t)all->t.n + above[i]
						   : above[i];
	all->t.part_of = part_of_row;
}

void set_add(struct set_rows *all, const struct table *t)
{
	struct table *to = &all->t;

	if (!all->nasked) {
		to->src = t->src;
		to->event = t->event;
		to->joined = t->joined;
		to->by_cost = t->by_cost;
	}
	exec_rows(t->x, to->n + t->n);
	make_room(all, t->n);
	for (size_t i = 0; i < to->ncols; i++)
		memset(to->cols[i]->absent + to->n, 1, t->n);
	for (size_t i = 0; i < t->ncols; i++)
		if (t->cols[i]->filled)
			add_values(all, t, t->cols[i]);
	add_parts(all, t);
	to->n += t->n;
	to->rows_before += t->rows_before > t->n ? t->rows_before : t->n;
	to->truncated |= t->truncated;
	to->on = all->above;
}
