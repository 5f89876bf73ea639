/*
 * near.c - see near.h.
 *
 * Every edge at a member becomes a row (function at the other end, recursive or not); rows
 * of one function are then added up.  Recursive: the other end is in the set, is the
 * function itself, or shares its cycle.
 */
#include "engine/near.h"

#include <stdlib.h>

#include "engine/graph.h"

static int by_fn(const void *pa, const void *pb)
{
	const struct path_tree_row *a = pa, *b = pb;

	if (a->recursive != b->recursive)
		return a->recursive ? 1 : -1;
	return (a->fn > b->fn) - (a->fn < b->fn);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct path_tree_row *a = pa, *b = pb;

	if (a->recursive != b->recursive)
		return a->recursive ? 1 : -1;
	if (a->incl != b->incl)
		return a->incl < b->incl ? 1 : -1;
	return (a->fn > b->fn) - (a->fn < b->fn);
}

static uint32_t degree(const struct graph *g, uint32_t f, bool up)
{
	uint32_t first, n;

	if (up)
		return graph_caller_count(g, f);
	graph_callees(g, f, &first, &n);
	return n;
}

static void add_edges(const struct exec *x, const struct fn_set *set, uint32_t f, bool up,
		      struct path_tree *t)
{
	uint32_t first = 0, n = degree(x->g, f, up), out;

	if (!up)
		graph_callees(x->g, f, &first, &out);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = up ? graph_caller(x->g, f, i) : first + i, other;
		struct store_edge e;

		graph_edge(x->g, id, &e);
		other = up ? e.caller : e.callee;
		t->rows[t->n++] = (struct path_tree_row){
			.depth = 1,
			.fn = other,
			.parent = FLOW_NONE,
			.calls = e.calls,
			.incl = graph_edge_incl(x->g, id, x->event),
			.recursive = e.recursive || e.in_cycle || fnset_has(set, other),
		};
	}
}

static void add_up(struct path_tree_row *to, const struct path_tree_row *from)
{
	if (__builtin_add_overflow(to->calls, from->calls, &to->calls))
		to->calls = UINT64_MAX;
	if (__builtin_add_overflow(to->incl, from->incl, &to->incl))
		to->incl = UINT64_MAX;
}

static size_t merge(struct path_tree_row *rows, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (k && by_fn(&rows[k - 1], &rows[i]) == 0)
			add_up(&rows[k - 1], &rows[i]);
		else
			rows[k++] = rows[i];
	}
	return k;
}

int near_rows(struct exec *x, const struct fn_set *set, bool up, double min,
	      struct path_tree *out)
{
	size_t most = 1, k = 0;
	struct path_tree t = {0};

	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE; f = fnset_next(set, f + 1))
		most += degree(x->g, f, up);
	if (exec_rows(x, most) || !(t.rows = EXEC_ARRAY(x, struct path_tree_row, most)))
		return (int)x->err->kind;
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE;
	     f = fnset_next(set, f + 1)) {
		add_edges(x, set, f, up, &t);
		if (exec_poll(x))
			return (int)x->err->kind;
	}
	qsort(t.rows, t.n, sizeof(*t.rows), by_fn);
	t.n = merge(t.rows, t.n);
	qsort(t.rows, t.n, sizeof(*t.rows), by_cost);
	for (size_t i = 0; i < t.n; i++) {
		struct path_tree_row *r = &t.rows[i];

		r->cost = (struct path_bounds){(double)r->incl, r->incl, r->incl, true,
					       true};
		if ((double)r->incl >= min)
			t.rows[k++] = *r;
	}
	t.n = k;
	*out = t;
	return 0;
}
