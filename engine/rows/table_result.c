/*
 * table_result.c - a table as the result of a query; see table.h and lang/result.h.
 *
 * A result of few rows is filled as a whole, one of many page by page (pages.h).
 */
#include <stdio.h>

#include "engine/lang/check_names.h"
#include "engine/lang/result.h"
#include "engine/rows/exec.h"
#include "engine/rows/pages.h"
#include "engine/rows/table.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"

void table_by_self(struct table *t, bool *yes)
{
	struct table_col *self;

	*yes = true;
	table_own(t, STR("self"), t->event, false, &self);
	for (size_t i = 1; i < t->n && *yes; i++)
		*yes = self->i[i] <= self->i[i - 1];
}

/* A kept answer (`_`) has the numbers that its columns have. */
static uint32_t kept_fn(const struct result *r, size_t row, unsigned end)
{
	const struct column *c = result_col(r, end ? STR("callee_id") : STR("caller_id"));

	c = c ? c : result_col(r, STR("fn_id"));
	c = c ? c : result_col(r, STR("id"));
	return !c || r->base.n || c->type != COL_ID || (c->absent && c->absent[row])
		       ? RESULT_NONE
		       : (uint32_t)c->u[row];
}

uint32_t result_fn(const struct result *r, size_t row, unsigned end)
{
	_Static_assert((unsigned)RESULT_NONE == (unsigned)GRAPH_NONE, "no function");
	const struct table *t = r->table;

	if (!t)
		return kept_fn(r, row, end);
	if (r->compared && r->compared->fn[end])
		return r->compared->fn[end][row];
	return !t->src || t->vs ? RESULT_NONE : table_end(t, row_ref(t, row), end);
}

/* Only the table knows which rows are parts of others: their sums in `_` make no
 * sense. */
static void forget_sums(struct table *t, struct result *r)
{
	size_t i = 0;

	while (i < t->n && t->part_of(t, row_ref(t, i)) == ROW_WHOLE)
		i++;
	for (size_t k = 0; i < t->n && k < r->ncols; k++)
		r->cols[k].adds_up = false;
}

/* The units of rows that are each of an event of their own. */
static void row_units(struct table *t, struct result *r)
{
	const struct check_env *env = t->x->env;
	struct table_col *name;
	struct unit *unit = EXEC_ARRAY(t->x, struct unit, t->n + 1);

	table_own(t, str_c(source_names_event(t->src)->name), t->event, false, &name);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t e = check_find_event(env, name->s[i]);

		unit[i] = e < env->nevents ? env->units[e]
					   : event_unit(name->s[i], STR(""), STR(""));
	}
	for (size_t i = 0; i < r->ncols; i++)
		if (r->cols[i].type == COL_COST || r->cols[i].type == COL_DELTA)
			r->cols[i].row_unit = unit;
}

/* The ratios of some rows are costs. */
static void rate_units(struct table *t, struct result *r)
{
	struct unit *unit = EXEC_ARRAY(t->x, struct unit, t->n + 1);

	for (size_t i = 0; i < t->n; i++)
		if (t->src->rates_cost(t, row_ref(t, i)))
			unit[i] = t->x->env->units[t->event];
	for (size_t i = 0; i < r->ncols; i++)
		if (r->cols[i].type == COL_RATIO)
			r->cols[i].row_unit = unit;
}

static void whole_result(struct table *t, struct result *r)
{
	for (size_t i = 0; i < t->ncols; i++) {
		struct table_col *c = t->cols[i];

		bool says = true;

		if (!c->machine && !c->table)
			continue;
		if (c->def && c->def->flags & IS_CUM && t->set)
			says = false;
		else if (c->def && c->def->flags & IS_CUM && !c->machine)
			table_by_self(t, &says);
		if (!says)
			continue;
		fill_shown(t, c);
		table_texts(t, c);
		to_column(c, &r->cols[r->ncols++]);
	}
	if (t->set)
		return;
	if (t->src && t->src->rates_cost)
		rate_units(t, r);
	else if (source_names_event(t->src))
		row_units(t, r);
}

uint32_t *table_above(const struct table *t)
{
	uint32_t refs = 0, *row, *above;

	if (!t->on && !t->part_of)
		return NULL;
	for (size_t i = 0; i < t->n; i++)
		refs = row_ref(t, i) >= refs ? row_ref(t, i) + 1 : refs;
	row = EXEC_ARRAY(t->x, uint32_t, (size_t)refs + 1); /* 1 + position; 0: removed */
	above = EXEC_ARRAY(t->x, uint32_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++)
		row[row_ref(t, i)] = (uint32_t)i + 1;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t up = row_ref(t, i);

		do
			up = t->on ? t->on[up] : t->part_of(t, up);
		while (up < ROW_UNCOUNTED && (up >= refs || !row[up]));
		above[i] = up < ROW_UNCOUNTED ? row[up] - 1 : up;
	}
	return above;
}

static void link_tree(const struct table *t, struct result *r)
{
	uint32_t *on = table_above(t);

	_Static_assert((unsigned)RESULT_NONE == (unsigned)ROW_WHOLE, "level 1");
	for (size_t i = 0; on && i < t->n; i++)
		on[i] = on[i] == ROW_UNCOUNTED ? RESULT_NONE : on[i];
	r->on = on;
}

/* Has the table a costly column that its reader does not show? */
static bool waits(const struct table *t, enum format format)
{
	bool any = false;

	for (size_t i = 0; i < t->ncols; i++)
		any |= t->cols[i]->machine && !t->cols[i]->table && !t->cols[i]->filled &&
		       t->cols[i]->def && t->cols[i]->def->flags & COSTLY;
	return any && t->x->open->people &&
	       (format == FORMAT_NONE || format == FORMAT_TABLE || format == FORMAT_TREE);
}

void table_result(struct table *t, struct result *r)
{
	r->cols = EXEC_ARRAY(t->x, struct column, t->ncols + 1);
	r->ncols = 0;
	if (t->src && !t->vs && !t->set && (t->n > PAGED || waits(t, r->format)))
		page_result(t, r);
	else
		whole_result(t, r);
	if (t->part_of)
		forget_sums(t, r);
	link_tree(t, r);
	r->rows = t->n;
	r->rows_before = t->rows_before;
	r->truncated = t->truncated;
	r->card = t->card;
	r->footer = t->footer;
	r->depth_col = -1;
	for (size_t i = 0; r->on && i < r->ncols; i++)
		if (str_eq(r->cols[i].name, STR("depth")))
			r->depth_col = (int)i;
}
