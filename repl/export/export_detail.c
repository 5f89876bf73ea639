/*
 * export_detail.c - lines, call sites, functions and calls of parts, as the index has them.
 *
 * A function is all its contexts: their rows are added up.  Some thousand rows are written
 * at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/lang/result.h"
#include "engine/session.h"
#include "index/base/cancel.h"
#include "index/base/cost.h"
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "repl/export/export_in.h"

enum { AT_ONCE = 4096, POLL = 1024 }; /* rows */

/* ---- written ---- */

static const struct {
	const char *from; /* of the registry */
	size_t at;
} members[] = {
	{"row", offsetof(struct export_row, part)},
	{"fn_id", offsetof(struct export_row, fn)},
	{"caller_id", offsetof(struct export_row, fn)},
	{"callee_id", offsetof(struct export_row, callee)},
	{"line", offsetof(struct export_row, line)},
	{"instr", offsetof(struct export_row, instr)},
	{"calls", offsetof(struct export_row, calls)},
};

/* The values of a column, `at` in each row; of a cost those of event e. */
static int add_values(struct export *x, enum col_type type, size_t at, uint32_t e,
		      struct result *r)
{
	struct str *s = ARENA_ARRAY(&x->arena, struct str, x->added.n + 1);
	uint64_t *u = (void *)s;

	for (size_t i = 0; s && i < x->added.n; i++) {
		const struct export_row *row = &x->added.rows[i];

		if (type == COL_FILE)
			s[i] = store_file(x->st, row->file);
		else if (type == COL_COST)
			u[i] = (uint64_t)x->added.costs[row->costs + e];
		else
			memcpy(&u[i], (const char *)row + at, sizeof(*u));
	}
	r->cols[r->ncols++] = (struct column){.type = type, .machine = true, .s = s};
	return s ? 0 : arena_full(&x->arena, x->err);
}

static int add_column(struct export *x, const struct export_column *c, struct result *r)
{
	const bool file = str_eq(c->from, STR("file"));
	size_t m = 0;
	int rc = 0;

	while (m + 1 < COUNT(members) && !str_eq(c->from, str_c(members[m].from)))
		m++;
	if (!c->cost)
		return add_values(x, file ? COL_FILE : COL_COUNT, members[m].at, 0, r);
	for (size_t e = 0; !rc && e < x->nevents; e++)
		if (export_has(x, e))
			rc = add_values(x, COL_COST, 0, x->local[e], r);
	return rc;
}

/* Write the rows that are there. */
static int put_rows(struct export *x)
{
	const char *list = x->table->columns;
	struct result r = {.rows = x->added.n};
	struct export_column c;

	arena_reset(&x->arena);
	r.cols = ARENA_ARRAY(&x->arena, struct column, export_columns(x));
	if (!r.cols)
		return arena_full(&x->arena, x->err);
	while (export_next(&list, &c))
		if (add_column(x, &c, &r))
			return x->err->kind;
	x->added.n = x->added.ncosts = x->added.whole = 0;
	return export_put(x, &r);
}

/* ---- added up ---- */

static int add_row(struct export *x, struct export_row r, const int64_t *costs)
{
	const uint32_t events = store_info(x->st)->events;

	if (vec_reserve(&x->added.rows, &x->added.cap, x->added.n + 1,
			sizeof(*x->added.rows)) ||
	    vec_reserve(&x->added.costs, &x->added.costs_cap, x->added.ncosts + events,
			sizeof(*x->added.costs)))
		return err_no_memory(x->err, NULL);
	r.costs = x->added.ncosts;
	x->added.rows[x->added.n++] = r;
	for (uint32_t e = 0; e < events; e++)
		x->added.costs[x->added.ncosts++] = costs[e];
	return x->added.n % POLL ? 0 : cancel_poll(&x->asked->cancel, x->err);
}

static int by_numbers(const void *p, const void *q)
{
	const struct export_row *a = p, *b = q;
	int c = order_u64(a->fn, b->fn);

	c = c ? c : order_u64(a->file, b->file);
	c = c ? c : order_u64(a->instr, b->instr);
	c = c ? c : order_u64(a->line, b->line);
	return c ? c : order_u64(a->callee, b->callee);
}

/* The rows of a function or part are there: if there are contexts, add those up that are of
 * the same numbers, which are their order. */
static int end_rows(struct export *x)
{
	struct export_row *rows = x->added.rows + x->added.whole;
	const size_t all = x->added.n - x->added.whole;
	size_t n = 0;

	if (all && store_any_grouped(x->st)) {
		qsort(rows, all, sizeof(*rows), by_numbers);
		for (size_t i = 0; i < all; i++) {
			if (!n || by_numbers(&rows[n - 1], &rows[i])) {
				rows[n++] = rows[i];
				continue;
			}
			count_add(&rows[n - 1].calls, rows[i].calls);
			cost_add_each(x->added.costs + rows[n - 1].costs,
				      x->added.costs + rows[i].costs,
				      store_info(x->st)->events);
		}
		x->added.n = x->added.whole + n;
	}
	x->added.whole = x->added.n;
	return x->added.n < AT_ONCE ? 0 : put_rows(x);
}

/* The first context of f: the number of its function. */
static fn_id function_of(const struct export *x, fn_id f)
{
	return store_group_fn(x->st, store_group_of(x->st, f), 0);
}

/* ---- lines and call sites ---- */

struct detail {
	struct export *x;
	fn_id fn;
};

static int add_line(void *arg, const struct store_line *l, const int64_t *costs,
		    struct err *err)
{
	const struct detail *d = arg;
	const struct export_row r = {
		.fn = d->fn, .file = l->file, .line = l->line, .instr = l->instr};

	(void)err; /* it is x->err */
	return add_row(d->x, r, costs);
}

static int add_site(void *arg, const struct store_site *s, const int64_t *costs,
		    struct err *err)
{
	const struct detail *d = arg;
	const struct export_row r = {.fn = d->fn,
				     .callee = function_of(d->x, s->callee),
				     .file = s->file,
				     .line = s->line,
				     .instr = s->instr,
				     .calls = s->calls};

	(void)err;
	return add_row(d->x, r, costs);
}

/* The lines or call sites of all functions, by their groups. */
static int detail_rows(struct export *x, bool sites)
{
	for (group_id g = 0; g < store_info(x->st)->groups; g++) {
		struct detail d = {x, store_group_fn(x->st, g, 0)};

		for (uint32_t i = 0, n = store_group_size(x->st, g); i < n; i++) {
			const fn_id f = store_group_fn(x->st, g, i);

			if (sites ? store_each_site(x->st, f, add_site, &d, x->err)
				  : store_each_line(x->st, f, add_line, &d, x->err))
				return x->err->kind;
		}
		if (end_rows(x))
			return x->err->kind;
	}
	return put_rows(x);
}

int export_lines(struct export *x)
{
	return detail_rows(x, false);
}

int export_callsites(struct export *x)
{
	return detail_rows(x, true);
}

/* ---- parts ---- */

static int part_functions(struct export *x, uint32_t p, struct arena *a)
{
	const uint32_t events = store_info(x->st)->events;
	int64_t *costs;
	fn_id *fns;
	size_t n;

	if (store_part_functions(x->st, p, a, &fns, &costs, &n, x->err))
		return x->err->kind;
	for (size_t i = 0; i < n; i++)
		if (add_row(x,
			    (struct export_row){.part = p + 1,
						.fn = function_of(x, fns[i])},
			    costs + i * events))
			return x->err->kind;
	return 0;
}

static int part_edges(struct export *x, uint32_t p, struct arena *a)
{
	const uint32_t events = store_info(x->st)->events;
	uint64_t *calls;
	int64_t *costs;
	edge_id *edges;
	size_t n;

	if (store_part_edges(x->st, p, a, &edges, &calls, &costs, &n, x->err))
		return x->err->kind;
	for (size_t i = 0; i < n; i++) {
		struct store_edge e;

		store_edge(x->st, edges[i], &e);
		if (add_row(x,
			    (struct export_row){.part = p + 1,
						.fn = function_of(x, e.caller),
						.callee = function_of(x, e.callee),
						.calls = calls[i]},
			    costs + i * events))
			return x->err->kind;
	}
	return 0;
}

static int each_part(struct export *x,
		     int (*one)(struct export *x, uint32_t p, struct arena *a))
{
	struct arena a;

	arena_init(&a, 0);
	for (uint32_t p = 0; p < store_info(x->st)->parts && !x->err->kind; p++) {
		arena_reset(&a);
		if (one(x, p, &a) == 0)
			end_rows(x);
	}
	arena_free(&a);
	return x->err->kind ? x->err->kind : put_rows(x);
}

int export_part_functions(struct export *x)
{
	return each_part(x, part_functions);
}

int export_part_edges(struct export *x)
{
	return each_part(x, part_edges);
}
