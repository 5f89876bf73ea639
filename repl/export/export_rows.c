/* export_rows.c - functions with all their contexts, and rows that are added up for these. */
#include <stdlib.h>

#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "engine/session.h"
#include "index/base/cancel.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "repl/app/app.h"
#include "repl/export/export_in.h"

int export_graph(struct export *x, bool costs, struct graph **out)
{
	struct graph *g = x->graph;

	if (!g || g->st != x->st) {
		x->graph = NULL;
		arena_reset(&x->graph_arena);
		if (graph_plain(x->st, NULL, &x->graph_arena, &x->app->session->cancel,
				&g, x->err) ||
		    graph_join(g, &g, x->err) || graph_need_calls(g, x->err))
			return x->err->kind;
		x->graph = g;
	}
	for (uint32_t e = 0; costs && e < store_info(x->st)->events; e++)
		if (graph_event(g, e, x->err))
			return x->err->kind;
	*out = g;
	return 0;
}

int export_add(struct export *x, const struct export_row *r, const int64_t *costs)
{
	const uint32_t events = store_info(x->st)->events;

	if (vec_reserve(&x->added.rows, &x->added.cap, x->added.n + 1,
			sizeof(*x->added.rows)) ||
	    vec_reserve(&x->added.costs, &x->added.costs_cap, x->added.ncosts + events,
			sizeof(*x->added.costs)))
		return err_no_memory(x->err, NULL);
	x->added.rows[x->added.n] = *r;
	x->added.rows[x->added.n++].costs = x->added.ncosts;
	for (uint32_t e = 0; e < events; e++)
		x->added.costs[x->added.ncosts++] = costs[e];
	return x->added.n % EXPORT_POLL ? 0
					: cancel_poll(&x->app->session->cancel, x->err);
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

void export_add_up(struct export *x)
{
	struct export_row *rows = x->added.rows;
	size_t n = 0;

	if (!x->added.n || !store_any_grouped(x->st))
		return;
	qsort(rows, x->added.n, sizeof(*rows), by_numbers);
	for (size_t i = 0; i < x->added.n; i++) {
		if (!n || by_numbers(&rows[n - 1], &rows[i])) {
			rows[n++] = rows[i];
			continue;
		}
		count_add(&rows[n - 1].calls, rows[i].calls);
		cost_add_each(x->added.costs + rows[n - 1].costs,
			      x->added.costs + rows[i].costs, store_info(x->st)->events);
	}
	x->added.n = n;
}
