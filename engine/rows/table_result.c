/*
 * table_result.c - a table as the result of a query; see table.h and lang/result.h.
 *
 * A result of few rows is filled as a whole.  One of many rows is read page by page, while
 * its reader goes through it: memory for a page of each column is enough.  Only the order
 * of the rows is kept for all.
 */
#include <stdio.h>

#include "engine/lang/check_names.h"
#include "engine/lang/result.h"
#include "engine/rows/exec.h"
#include "engine/rows/order.h"
#include "engine/rows/table.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"

static bool is_cum(const struct table_col *c)
{
	return c->def && (c->def->flags & IS_CUM);
}

/* cum%: the sum over the rows in their current order, an estimate from the first
 * estimate on. */
static int fill_cum(struct table *t, struct table_col *c)
{
	struct table_col *self;
	double sum = 0, total;
	bool estimated = false;

	if (table_own(t, STR("self"), t->event, false, &self))
		return t->x->err->kind;
	total = (double)graph_total(t->g, t->event);
	c->f = EXEC_ARRAY(t->x, double, t->n ? t->n : 1);
	if (!c->f)
		return t->x->err->kind;
	if (self->estimated) {
		c->estimated = EXEC_ARRAY(t->x, uint8_t, t->n ? t->n : 1);
		if (!c->estimated)
			return t->x->err->kind;
	}
	for (size_t i = 0; i < t->n; i++) {
		if (self->estimated) {
			estimated |= self->estimated[i];
			c->estimated[i] = estimated;
		}
		sum += (double)self->i[i];
		c->f[i] = total > 0 ? 100.0 * sum / total : 0;
		if (exec_poll(t->x))
			return t->x->err->kind;
	}
	c->filled = true;
	return 0;
}

int table_by_self(struct table *t, bool *yes)
{
	struct table_col *self;

	*yes = true;
	if (table_own(t, STR("self"), t->event, false, &self))
		return t->x->err->kind;
	for (size_t i = 1; i < t->n && *yes; i++)
		*yes = self->i[i] <= self->i[i - 1];
	return 0;
}

static void to_column(const struct table_col *c, struct column *out)
{
	*out = (struct column){
		.name = c->name,
		.type = c->type,
		.event = c->event,
		.machine = c->machine,
		.table = c->table,
		.bar = c->bar,
		.calls = c->calls,
		.sentence = c->sentence,
		.adds_up = c->adds_up && !c->percent,
		.estimated = c->estimated,
		.absent = c->absent,
	};
	if (!c->percent)
		out->unit = c->unit;
	out->u = c->p;
}

/* ---- results of many rows, page by page ---- */

struct result_pages {
	struct table *t;
	struct result *r;
	struct table_col **col; /* [r->ncols] */
	void **buf;		/* [r->ncols]: one page of a column; NULL: not needed */
	void *read;		/* values of a page in the order of the index */
	struct page_order *order;
};

enum { PAGED = 1 << 18 };

static int fill_shown(struct table *t, struct table_col *c)
{
	return is_cum(c) && !c->filled ? fill_cum(t, c) : table_fill(t, c);
}

/* A page of the texts of a column that keeps their numbers, or has been filled. */
static int hold_texts(struct result_pages *p, struct table *page, struct table_col *c,
		      struct str *buf)
{
	const bool filled = c->filled;

	if (!filled && table_fill_into(page, c, p->read))
		return page->x->err->kind;
	for (size_t i = 0; i < page->n; i++)
		buf[filled ? i : order_place(p->order, i)] = col_text(page, c, i);
	c->s = buf;
	c->dict = DICT_NONE;
	return 0;
}

/* A page of a column that is not filled. */
static int hold_values(struct result_pages *p, struct table *page, struct table_col *c,
		       void *buf)
{
	if (table_fill_into(page, c, p->read))
		return page->x->err->kind;
	order_rows(p->order, p->read, buf, col_width(c), page->n);
	c->p = buf;
	return 0;
}

static int hold_column(struct result_pages *p, size_t k, struct table *page, size_t first)
{
	struct table_col c = *p->col[k];
	const bool codes = c.dict || (!c.filled && has_codes(page, c.def));
	const size_t w = codes ? sizeof(struct str) : col_width(&c);

	if (c.filled) {
		c.p = (char *)c.p + first * col_width(&c);
		c.estimated = c.estimated ? c.estimated + first : NULL;
		c.absent = c.absent ? c.absent + first : NULL;
	} else if (!c.machine)
		return 0;
	if ((codes || !c.filled) && !p->buf[k] &&
	    (table_prepare(p->t, &c) || !(p->buf[k] = exec_alloc(page->x, PAGE, w))))
		return page->x->err->kind;
	if (codes ? hold_texts(p, page, &c, p->buf[k])
		  : !c.filled && hold_values(p, page, &c, p->buf[k]))
		return page->x->err->kind;
	if (!p->col[k]->filled && c.estimated)
		order_flags(p->order, c.estimated, page->n);
	if (!p->col[k]->filled && c.absent)
		order_flags(p->order, c.absent, page->n);
	to_column(&c, &p->r->cols[k]);
	return 0;
}

static int table_hold(struct result_pages *p, size_t first)
{
	struct table page = *p->t;

	page.all = page.n;
	page.n = page.n - first < PAGE ? page.n - first : PAGE;
	page.ref = order_refs(page.x, page.ref + first, page.n, &p->order);
	if (!page.ref)
		return page.x->err->kind;
	for (size_t k = 0; k < p->r->ncols; k++)
		if (hold_column(p, k, &page, first))
			return page.x->err->kind;
	p->r->first = first;
	p->r->held = page.n;
	return store_check(page.g->st, page.x->err);
}

static int table_told(const struct result *r, struct err *err)
{
	const struct err *own = r->pages->t->x->err;

	if (err != own && own->kind)
		*err = *own;
	return err->kind;
}

int result_row(const struct result *r, size_t row, size_t *at, struct err *err)
{
	/* r may be a copy that shows fewer rows. */
	const struct result *paged = r->pages ? r->pages->r : r;

	if (r->pages && row - paged->first >= paged->held &&
	    table_hold(r->pages, row - row % PAGE))
		return table_told(r, err);
	*at = row - paged->first;
	return 0;
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
	if (r->compared && r->compared->same)
		return r->compared->fn[end][row];
	return !t->src || t->vs ? RESULT_NONE : table_end(t, row_ref(t, row), end);
}

int result_load(const struct result *r, const struct column *c, struct err *err)
{
	struct result_pages *p = r->pages;
	const size_t k = c ? (size_t)(c - r->cols) : 0;

	if (!p || !c)
		return 0;
	if (fill_shown(p->t, p->col[k]) || table_texts(p->t, p->col[k])) {
		table_told(r, err);
		if (err->kind == ERR_LIMIT)
			snprintf(err->hint, sizeof(err->hint),
				 "csv, json and their kin take row after row: | as csv");
		return err->kind;
	}
	to_column(p->col[k], &p->r->cols[k]);
	p->r->first = p->r->held = 0; /* result_row() would load its page again */
	return 0;
}

int result_whole(const struct result *r, struct err *err)
{
	struct result_pages *p = r->pages;

	if (!p)
		return 0;
	for (size_t k = 0; k < r->ncols; k++)
		if (result_load(r, &r->cols[k], err))
			return err->kind;
	p->r->first = 0;
	p->r->held = r->rows;
	p->r->pages = NULL;
	return 0;
}

static int page_result(struct table *t, struct result *r)
{
	struct result_pages *p = EXEC_ARRAY(t->x, struct result_pages, 1);

	if (!p || table_refs(t))
		return t->x->err->kind;
	*p = (struct result_pages){.t = t, .r = r};
	p->col = EXEC_ARRAY(t->x, struct table_col *, t->ncols + 1);
	p->buf = EXEC_ARRAY(t->x, void *, t->ncols + 1);
	p->read = EXEC_ARRAY(t->x, struct str, PAGE);
	if (!p->col || !p->buf || !p->read)
		return t->x->err->kind;
	for (size_t i = 0; i < t->ncols; i++) {
		struct table_col *c = t->cols[i];

		if (!c->machine && !c->table)
			continue;
		/* A running sum covers all rows before, not only a page. */
		if (c->machine && is_cum(c) && fill_shown(t, c))
			return t->x->err->kind;
		to_column(c, &r->cols[r->ncols]);
		p->col[r->ncols++] = c;
	}
	r->pages = p; /* none is loaded yet */
	return 0;
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
static int row_units(struct table *t, struct result *r)
{
	const struct check_env *env = t->x->env;
	struct table_col *name;
	struct unit *unit = EXEC_ARRAY(t->x, struct unit, t->n + 1);

	if (!unit ||
	    table_own(t, str_c(source_names_event(t->src)->name), t->event, false, &name))
		return t->x->err->kind;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t e = check_find_event(env, name->s[i]);

		unit[i] = e < env->nevents ? env->units[e]
					   : event_unit(name->s[i], STR(""), STR(""));
	}
	for (size_t i = 0; i < r->ncols; i++)
		if (r->cols[i].type == COL_COST || r->cols[i].type == COL_DELTA)
			r->cols[i].row_unit = unit;
	return 0;
}

static int whole_result(struct table *t, struct result *r)
{
	for (size_t i = 0; i < t->ncols; i++) {
		struct table_col *c = t->cols[i];

		bool says = true;

		if (!c->machine && !c->table)
			continue;
		if (is_cum(c) && !c->machine && table_by_self(t, &says))
			return t->x->err->kind;
		if (!says)
			continue;
		if (fill_shown(t, c) || table_texts(t, c))
			return t->x->err->kind;
		to_column(c, &r->cols[r->ncols++]);
	}
	return source_names_event(t->src) ? row_units(t, r) : 0;
}

static uint32_t lies_on(const struct table *t, uint32_t ref)
{
	return t->on ? t->on[ref] : t->part_of(t, ref);
}

/* Find the nearest row above each row of a tree, among those that are left. */
static int link_tree(struct table *t, struct result *r)
{
	uint32_t refs = 0, *row, *on;

	_Static_assert((unsigned)RESULT_NONE == (unsigned)ROW_WHOLE, "level 1");
	if (!t->on && !t->part_of)
		return 0;
	for (size_t i = 0; i < t->n; i++)
		refs = row_ref(t, i) >= refs ? row_ref(t, i) + 1 : refs;
	row = EXEC_ARRAY(t->x, uint32_t, (size_t)refs + 1); /* 1 + position; 0: removed */
	on = EXEC_ARRAY(t->x, uint32_t, t->n + 1);
	if (!row || !on)
		return t->x->err->kind;
	for (size_t i = 0; i < t->n; i++)
		row[row_ref(t, i)] = (uint32_t)i + 1;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t up = lies_on(t, row_ref(t, i));

		while (up < ROW_UNCOUNTED && (up >= refs || !row[up]))
			up = lies_on(t, up);
		on[i] = up < ROW_UNCOUNTED ? row[up] - 1 : RESULT_NONE;
	}
	r->on = on;
	return 0;
}

int table_result(struct table *t, struct result *r)
{
	r->cols = EXEC_ARRAY(t->x, struct column, t->ncols + 1);
	if (!r->cols)
		return t->x->err->kind;
	r->ncols = 0;
	if (t->n > PAGED && t->src && !t->vs ? page_result(t, r) : whole_result(t, r))
		return t->x->err->kind;
	if (t->part_of)
		forget_sums(t, r);
	if (link_tree(t, r))
		return t->x->err->kind;
	r->rows = t->n;
	r->rows_before = t->rows_before;
	r->truncated = t->truncated;
	r->card = t->card;
	r->footer = t->footer;
	r->depth_col = -1;
	for (size_t i = 0; r->on && i < r->ncols; i++)
		if (str_eq(r->cols[i].name, STR("depth")))
			r->depth_col = (int)i;
	return 0;
}
