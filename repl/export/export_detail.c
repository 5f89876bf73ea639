/*
 * export_detail.c - lines, call sites, functions and calls of parts, as the index has them.
 *
 * A function is all its contexts: their rows are added up.  Some thousand rows are written
 * at a time.
 */
#include <stdlib.h>

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

static int add_numbers(struct export *x, struct str from, struct column *c)
{
	uint64_t *v = ARENA_ARRAY(&x->arena, uint64_t, x->added.n + 1);
	size_t m = 0;

	while (m + 1 < COUNT(members) && !str_eq(from, str_c(members[m].from)))
		m++;
	for (size_t i = 0; v && i < x->added.n; i++)
		v[i] = *(const uint64_t *)(const void *)((const char *)&x->added.rows[i] +
							 members[m].at);
	*c = (struct column){.type = COL_COUNT, .machine = true, .u = v};
	return v ? 0 : arena_full(&x->arena, x->err);
}

static int add_files(struct export *x, struct column *c)
{
	struct str *v = ARENA_ARRAY(&x->arena, struct str, x->added.n + 1);

	for (size_t i = 0; v && i < x->added.n; i++)
		v[i] = store_file(x->st, x->added.rows[i].file);
	*c = (struct column){.type = COL_FILE, .machine = true, .s = v};
	return v ? 0 : arena_full(&x->arena, x->err);
}

static int add_costs(struct export *x, uint32_t e, struct column *c)
{
	int64_t *v = ARENA_ARRAY(&x->arena, int64_t, x->added.n + 1);

	for (size_t i = 0; v && i < x->added.n; i++)
		v[i] = x->added.costs[x->added.rows[i].costs + e];
	*c = (struct column){.type = COL_COST, .machine = true, .i = v};
	return v ? 0 : arena_full(&x->arena, x->err);
}

static int add_column(struct export *x, const struct export_column *c, struct result *r)
{
	int rc = 0;

	if (!c->cost)
		return str_eq(c->from, STR("file"))
			       ? add_files(x, &r->cols[r->ncols++])
			       : add_numbers(x, c->from, &r->cols[r->ncols++]);
	for (size_t e = 0; !rc && e < x->nevents; e++)
		if (export_has(x, e))
			rc = add_costs(x, x->local[e], &r->cols[r->ncols++]);
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
