/*
 * pages.c - a result of many rows is read page by page; see lang/result.h.
 *
 * While its reader goes through the rows, memory for a page of each column is enough.  Only
 * the order of the rows is kept for all.
 */
#include "engine/rows/pages.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "engine/lang/result.h"
#include "engine/rows/exec.h"
#include "engine/rows/order.h"
#include "engine/rows/reading.h"
#include "engine/rows/table.h"
#include "index/base/arena.h"
#include "index/base/count.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/map.h"
#include "index/base/ordered.h"

static bool is_cum(const struct table_col *c)
{
	return c->def && (c->def->flags & IS_CUM);
}

/* cum%: the sum over the rows in their current order, an estimate from the first
 * estimate on. */
static void fill_cum(struct table *t, struct table_col *c)
{
	struct table_col *self;
	double sum = 0, total;
	bool estimated = false;

	table_own(t, STR("self"), t->event, false, &self);
	total = (double)graph_total(t->g, t->event);
	c->f = EXEC_ARRAY(t->x, double, t->n ? t->n : 1);
	if (self->estimated) {
		c->estimated = EXEC_ARRAY(t->x, uint8_t, t->n ? t->n : 1);
	}
	if (!(total > 0))
		c->absent = EXEC_ARRAY(t->x, uint8_t, t->n ? t->n : 1);
	for (size_t i = 0; i < t->n; i++) {
		if (self->estimated) {
			estimated |= self->estimated[i];
			c->estimated[i] = estimated;
		}
		sum += (double)self->i[i];
		if (c->absent)
			c->absent[i] = 1;
		else
			c->f[i] = 100.0 * sum / total;
		exec_poll(t->x);
	}
	c->filled = true;
}

void to_column(const struct table_col *c, struct column *out)
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

void fill_shown(struct table *t, struct table_col *c)
{
	if (is_cum(c) && !c->filled)
		fill_cum(t, c);
	else
		table_fill(t, c);
}

/* A page of the rows. */
struct page {
	struct exec *x; /* its cells have their memory from x->a */
	void **buf;	/* [r->ncols]: a column; NULL: not needed */
	void *read;	/* values in the order of the index */
	struct page_order *order;
	struct column *cols; /* [r->ncols] */
	size_t first, held;
};

/*
 * Of two pages one is shown while a thread fills the other (result_ahead()):
 *
 *	reader	| writes page 0 | writes page 1 | writes page 2 | ...
 *	thread	| fills page 1	| fills page 2	| fills page 3	| ...
 */
struct result_pages {
	struct table *t;
	struct result *r;
	struct table_col **col; /* [r->ncols] */
	struct page page[2];
	unsigned now; /* the page shown */
	/* With a thread each page has its own: */
	bool ahead;
	struct exec x[2];
	struct arena a[2];
	struct err err[2];
	pthread_t thread;
	bool runs;
	size_t first; /* row of the page that the thread fills */
};

static bool holds_codes(const struct result_pages *p, const struct table_col *c)
{
	return c->dict || (!c->filled && has_codes(p->t, c->def));
}

/* Room for a page, which stays until the query ends. */
static void new_page(const struct result_pages *p, struct exec *x, struct page *h)
{
	struct exec *own = p->t->x;
	const size_t n = p->r->ncols;

	*h = (struct page){.x = x,
			   .buf = EXEC_ARRAY(own, void *, n + 1),
			   .read = EXEC_ARRAY(own, struct str, PAGE),
			   .order = order_new(own),
			   .cols = EXEC_ARRAY(own, struct column, n + 1)};
	memcpy(h->cols, p->r->cols, n * sizeof(*h->cols));
	for (size_t k = 0; k < n; k++) {
		const struct table_col *c = p->col[k];
		const bool codes = holds_codes(p, c);

		if (codes ? !c->filled && !c->machine : c->filled || !c->machine)
			continue;
		h->buf[k] =
			exec_alloc(own, PAGE, codes ? sizeof(struct str) : col_width(c));
		table_prepare(p->t, c);
	}
}

/* A page of the texts of a column that keeps their numbers, or has been filled. */
static void hold_texts(const struct page *h, struct table *rows, struct table_col *c,
		       struct str *buf)
{
	const bool filled = c->filled;

	if (!filled)
		table_fill_into(rows, c, h->read);
	for (size_t i = 0; i < rows->n; i++)
		buf[filled ? i : order_place(h->order, i)] = col_text(rows, c, i);
	c->s = buf;
	c->dict = DICT_NONE;
}

/* A page of a column that is not filled. */
static void hold_values(const struct page *h, struct table *rows, struct table_col *c,
			void *buf)
{
	table_fill_into(rows, c, h->read);
	order_rows(h->order, h->read, buf, col_width(c), rows->n);
	c->p = buf;
}

static void hold_column(const struct result_pages *p, size_t k, const struct page *h,
			struct table *rows)
{
	struct table_col c = *p->col[k];
	const bool codes = holds_codes(p, &c);

	if (c.filled) {
		c.p = (char *)c.p + h->first * col_width(&c);
		c.estimated = c.estimated ? c.estimated + h->first : NULL;
		c.absent = c.absent ? c.absent + h->first : NULL;
	} else if (!c.machine)
		return;
	if (codes)
		hold_texts(h, rows, &c, h->buf[k]);
	else if (!c.filled)
		hold_values(h, rows, &c, h->buf[k]);
	if (!p->col[k]->filled && c.estimated)
		order_flags(h->order, c.estimated, rows->n);
	if (!p->col[k]->filled && c.absent)
		order_flags(h->order, c.absent, rows->n);
	to_column(&c, &h->cols[k]);
}

static int fill_page(struct result_pages *p, struct page *h, size_t first)
{
	struct table rows = *p->t;

	h->first = first;
	rows.x = h->x;
	rows.all = rows.n;
	rows.n = rows.n - first < PAGE ? rows.n - first : PAGE;
	rows.ref = order_refs(h->order, rows.ref + first, rows.n, rows.x->err);
	if (!rows.ref)
		return rows.x->err->kind;
	for (size_t k = 0; k < p->r->ncols; k++)
		hold_column(p, k, h, &rows);
	h->held = rows.n;
	return store_check(rows.g->st, rows.x->err);
}

/* Copy an error of another struct exec. */
static int told(const struct err *own, struct err *err)
{
	if (err != own && own->kind)
		*err = *own;
	return err->kind;
}

/* ---- the next page, by a thread of its own ---- */

static int fill_next(void *arg)
{
	struct result_pages *p = arg;

	arena_reset(&p->a[!p->now]);
	return fill_page(p, &p->page[!p->now], p->first);
}

static void *fill_aside(void *arg)
{
	struct result_pages *p = arg;

	map_guard(fill_next, p, ERR_INDEX, &p->err[!p->now]);
	return NULL;
}

static void end_aside(struct result_pages *p)
{
	if (p->runs)
		pthread_join(p->thread, NULL);
	p->runs = false;
}

/* Show the page from row `first` on, and begin the one after it. */
static void turn_page(struct result_pages *p, size_t first)
{
	const bool filled = p->runs && p->first == first;

	end_aside(p);
	if (!filled) {
		p->first = first;
		fill_next(p);
	}
	p->now = !p->now;
	p->first = first + PAGE;
	p->runs = !p->page[p->now].x->err->kind && p->first < p->t->n &&
		  !pthread_create(&p->thread, NULL, fill_aside, p);
}

static int new_pages(void *arg)
{
	struct result_pages *p = arg;

	for (unsigned i = 0; i < COUNT(p->page); i++) {
		p->x[i] = *p->t->x;
		p->x[i].a = &p->a[i];
		p->x[i].err = &p->err[i];
		p->x[i].doubts = NULL; /* the answer has its own */
		new_page(p, &p->x[i], &p->page[i]);
	}
	return 0;
}

int result_ahead(const struct result *r, int (*fn)(void *), void *arg, struct err *err)
{
	struct result_pages *p = r->pages;
	int rc;

	if (!p || ordered_jobs(p->t->x->open->reading->jobs) == 1)
		return fn(arg);
	if (map_guard(new_pages, p, ERR_INDEX, err))
		return told(p->t->x->err, err);
	for (unsigned i = 0; i < COUNT(p->page); i++)
		arena_init(&p->a[i], p->t->x->a->cap);
	p->ahead = true;
	p->r->held = 0;
	/* A fault of the reader ends the thread, too. */
	rc = map_guard(fn, arg, ERR_INDEX, err);
	end_aside(p);
	p->ahead = false;
	p->page[0].x = NULL;
	p->r->held = 0;
	for (unsigned i = 0; i < COUNT(p->page); i++)
		arena_free(&p->a[i]);
	return rc;
}

/* What a reader asks, who holds things of its own. */
struct asked_page {
	struct result_pages *p;
	size_t first; /* the row */
	size_t col;
};

static int fill_guarded(void *arg)
{
	const struct asked_page *k = arg;
	struct result_pages *p = k->p;
	struct page *h = &p->page[0];

	if (p->ahead) {
		turn_page(p, k->first);
		return p->page[p->now].x->err->kind;
	}
	if (!h->x)
		new_page(p, p->t->x, h);
	return fill_page(p, h, k->first);
}

/* Show the page of a row; the kind of an error. */
static int hold_page(struct result_pages *p, size_t first, struct err *err)
{
	struct asked_page k = {.p = p, .first = first};
	struct page *h;

	if (map_guard(fill_guarded, &k, ERR_INDEX, err)) {
		if (p->ahead)
			told(p->page[p->now].x->err, err);
		return told(p->t->x->err, err);
	}
	h = &p->page[p->ahead ? p->now : 0];
	memcpy(p->r->cols, h->cols, p->r->ncols * sizeof(*h->cols));
	p->r->first = first;
	p->r->held = h->held;
	return 0;
}

int result_row(const struct result *r, size_t row, size_t *at, struct err *err)
{
	/* r may be a copy that shows fewer rows. */
	const struct result *paged = r->pages ? r->pages->r : r;

	if (r->pages && row - paged->first >= paged->held &&
	    hold_page(r->pages, row - row % PAGE, err))
		return err->kind;
	*at = row - paged->first;
	return 0;
}

static int load_guarded(void *arg)
{
	const struct asked_page *k = arg;
	struct table_col *c = k->p->col[k->col];

	fill_shown(k->p->t, c);
	table_texts(k->p->t, c);
	return 0;
}

int result_load(const struct result *r, const struct column *c, struct err *err)
{
	struct result_pages *p = r->pages;
	const size_t k = c ? (size_t)(c - r->cols) : 0;

	if (!p || !c)
		return 0;
	if (map_guard(load_guarded, &(struct asked_page){.p = p, .col = k}, ERR_INDEX,
		      err)) {
		told(p->t->x->err, err);
		if (err->kind == ERR_LIMIT)
			snprintf(err->hint, sizeof(err->hint),
				 "csv, json and their kin take row after row: | as csv");
		return err->kind;
	}
	to_column(p->col[k], &p->r->cols[k]);
	p->r->first = p->r->held = 0; /* result_row() would load its page again */
	return 0;
}

int result_shown(const struct result *r, struct err *err)
{
	const struct result_pages *p = r->pages;

	for (size_t k = 0; p && k < r->ncols; k++)
		if ((r->cols[k].table || !p->col[k]->def ||
		     !(p->col[k]->def->flags & COSTLY)) &&
		    result_load(r, &r->cols[k], err))
			return err->kind;
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

void page_result(struct table *t, struct result *r)
{
	struct result_pages *p = EXEC_ARRAY(t->x, struct result_pages, 1);

	table_refs(t);
	p->t = t;
	p->r = r;
	p->col = EXEC_ARRAY(t->x, struct table_col *, t->ncols + 1);
	for (size_t i = 0; i < t->ncols; i++) {
		struct table_col *c = t->cols[i];

		if (!c->machine && !c->table)
			continue;
		/* A running sum covers all rows before, not only a page. */
		if (c->machine && is_cum(c))
			fill_shown(t, c);
		to_column(c, &r->cols[r->ncols]);
		p->col[r->ncols++] = c;
	}
	r->pages = p; /* none is loaded yet */
}
