/*
 * path_tree.c - trees of callers and callees with attributed cost; see path.h.
 *
 * Rows are expanded hottest first, so that when the number of rows is limited those kept
 * matter most; they are put into depth-first order at the end.  A row's cost follows from
 * its parent's by one more arc, whichever end of the path the arc is added to:
 *
 *	up	g -> [f ... set]	est(g f ..) = est(f ..) * w(g,f) / I(f)
 *	down	[set ... f] -> h	est(.. f h) = est(.. f) * w(f,h) / I(f)
 */
#include <stdlib.h>
#include <string.h>

#include "engine/path.h"
#include "engine/region.h"

enum { IN_SET = 1, AVOIDED = 2 };
enum { MOST_ROWS = 100000, POLL = 256 };

struct growing {
	const struct flow *fl;
	const struct path_tree_query *q;
	struct arena *arena;
	uint8_t *marks;		     /* [functions] */
	uint32_t *slot;		     /* [functions]: 1 + index in found[], 0: not met */
	struct path_tree_row *found; /* rows under one parent, before they are kept */
	uint32_t nfound, found_cap;
	struct path_tree_row *rows;
	uint32_t n, cap, most;
	uint32_t *heap; /* rows to expand, hottest on top */
	uint32_t nheap, heap_cap;
	bool truncated;
};

static int reserve(struct arena *a, void *pp, uint32_t *cap, uint32_t n, size_t size)
{
	uint32_t wide = *cap ? *cap * 2 : 64;
	void **p = pp, *q;

	if (n < *cap)
		return 0;
	if (!(q = arena_array(a, wide, size)))
		return -1;
	if (n)
		memcpy(q, *p, n * size);
	*p = q;
	*cap = wide;
	return 0;
}

/* ---- one level ---- */

/* An edge whose far end is f: one row per function and kind. */
static int meet(struct growing *g, uint32_t f, uint32_t edge, bool recursive)
{
	const struct flow_input *in = &g->fl->in;
	uint32_t i = g->slot[f];
	struct path_tree_row *r;

	/* f may be met as a recursive row and as another: look for the right one. */
	while (i && g->found[i - 1].recursive != recursive)
		i = g->found[i - 1].parent;
	if (!i) {
		if (reserve(g->arena, &g->found, &g->found_cap, g->nfound,
			    sizeof(*g->found)))
			return -1;
		g->found[g->nfound] = (struct path_tree_row){
			.fn = f, .recursive = recursive, .parent = g->slot[f]};
		i = g->slot[f] = ++g->nfound;
	}
	r = &g->found[i - 1];
	if (__builtin_add_overflow(r->incl, in->incl[edge], &r->incl))
		r->incl = UINT64_MAX;
	if (in->calls && __builtin_add_overflow(r->calls, in->calls[edge], &r->calls))
		r->calls = UINT64_MAX;
	return 0;
}

/* The edges of function f that lead away from it, up or down. */
static int meet_edges(struct growing *g, uint32_t f, bool level1)
{
	const struct flow *fl = g->fl;
	const uint32_t *first = g->q->up ? fl->in.in_first : fl->in.out_first;

	for (uint32_t k = first[f]; k < first[f + 1]; k++) {
		uint32_t edge = g->q->up ? fl->in.in_edge[k] : k, other;
		bool same;

		other = g->q->up ? fl->in.caller[edge] : fl->in.callee[edge];
		same = fl->vertex[other] == fl->vertex[f];
		if ((g->marks[other] & AVOIDED) || (same && !level1))
			continue;
		same |= level1 && (g->marks[other] & IN_SET);
		if (meet(g, other, edge, same))
			return -1;
	}
	return 0;
}

static bool hotter(const struct growing *g, uint32_t x, uint32_t y)
{
	double a = g->rows[x].cost.est, b = g->rows[y].cost.est;

	return a != b ? a > b : x < y;
}

static int push(struct growing *g, uint32_t x)
{
	uint32_t i = g->nheap;

	if (reserve(g->arena, &g->heap, &g->heap_cap, g->nheap, sizeof(*g->heap)))
		return -1;
	g->nheap++;
	for (; i > 0 && hotter(g, x, g->heap[(i - 1) / 2]); i = (i - 1) / 2)
		g->heap[i] = g->heap[(i - 1) / 2];
	g->heap[i] = x;
	return 0;
}

static uint32_t pop(struct growing *g)
{
	uint32_t top = g->heap[0], last = g->heap[--g->nheap], i = 0, c;

	while ((c = 2 * i + 1) < g->nheap) {
		if (c + 1 < g->nheap && hotter(g, g->heap[c + 1], g->heap[c]))
			c++;
		if (!hotter(g, g->heap[c], last))
			break;
		g->heap[i] = g->heap[c];
		i = c;
	}
	g->heap[i] = last;
	return top;
}

static int by_cost(const void *x, const void *y)
{
	const struct path_tree_row *a = x, *b = y;

	if (a->recursive != b->recursive)
		return a->recursive ? 1 : -1;
	if (a->incl != b->incl)
		return a->incl < b->incl ? 1 : -1;
	return a->fn < b->fn ? -1 : a->fn > b->fn;
}

/* Keep what was met under `parent` (FLOW_NONE: the set itself). */
static int keep(struct growing *g, uint32_t parent)
{
	const struct flow *fl = g->fl;

	if (g->nfound)
		qsort(g->found, g->nfound, sizeof(*g->found), by_cost);
	for (uint32_t i = 0; i < g->nfound; i++) {
		struct path_tree_row r = g->found[i];

		g->slot[r.fn] = 0;
		r.parent = parent;
		if (parent == FLOW_NONE) {
			r.depth = 1;
			r.cost = path_bounds_one(r.incl);
		} else {
			const struct path_tree_row *p = &g->rows[parent];
			uint32_t v = fl->vertex[p->fn];

			r.depth = p->depth + 1;
			r.cost = path_bounds_next(p->cost, r.incl, fl->incl[v],
						  fl->odd[v]);
		}
		if (r.incl == 0 && parent != FLOW_NONE)
			continue;
		if (path_under_min(r.cost.est, g->q->min))
			continue;
		if (g->n == g->most) {
			g->truncated = true;
			continue;
		}
		if (reserve(g->arena, &g->rows, &g->cap, g->n, sizeof(*g->rows)))
			return -1;
		g->rows[g->n++] = r;
		if (!r.recursive && !(g->marks[r.fn] & IN_SET) && r.incl &&
		    (g->q->depth == 0 || r.depth < g->q->depth) && push(g, g->n - 1))
			return -1;
	}
	g->nfound = 0;
	return 0;
}

static int expand(struct growing *g, uint32_t row)
{
	const struct flow *fl = g->fl;
	uint32_t v = fl->vertex[g->rows[row].fn];

	for (uint32_t k = fl->fn_first[v]; k < fl->fn_first[v + 1]; k++)
		if (meet_edges(g, fl->fns[k], false))
			return -1;
	return keep(g, row);
}

static int level1(struct growing *g)
{
	const struct fn_set *s = g->q->set;
	uint32_t n = g->fl->in.functions;

	for (uint32_t f = fnset_next(s, 0); f < n; f = fnset_next(s, f + 1))
		if (meet_edges(g, f, true))
			return -1;
	return keep(g, FLOW_NONE);
}

/* ---- depth-first order ---- */

struct sibling {
	uint32_t first, next; /* child, brother: 1 + row; 0: none */
};

/* Rows stand in the array by the order they were kept: parents first, and among brothers the
 * costliest first.  Linking them from the back keeps that order. */
static int order(struct growing *g, struct path_tree *out)
{
	struct sibling *s = ARENA_ARRAY(g->arena, struct sibling, (size_t)g->n + 1);
	struct path_tree_row *rows = ARENA_ARRAY(g->arena, struct path_tree_row, g->n);
	uint32_t *at = ARENA_ARRAY(g->arena, uint32_t, (size_t)g->n + 1);
	uint32_t n = 0, i;

	if (!s || !rows || !at)
		return -1;
	for (i = g->n; i > 0; i--) {
		uint32_t p = g->rows[i - 1].parent == FLOW_NONE
				     ? 0
				     : g->rows[i - 1].parent + 1;

		s[i].next = s[p].first;
		s[p].first = i;
	}
	for (i = s[0].first; i;) {
		struct path_tree_row r = g->rows[i - 1];

		at[i] = n;
		if (r.parent != FLOW_NONE)
			r.parent = at[r.parent + 1];
		rows[n++] = r;
		if (s[i].first) {
			i = s[i].first;
			continue;
		}
		while (i && !s[i].next)
			i = g->rows[i - 1].parent == FLOW_NONE
				    ? 0
				    : g->rows[i - 1].parent + 1;
		i = i ? s[i].next : 0;
	}
	*out = (struct path_tree){rows, n, g->truncated};
	return 0;
}

static void mark(const struct fn_set *s, uint8_t bit, uint8_t *marks)
{
	for (uint32_t f = s ? fnset_next(s, 0) : FNSET_NONE; f != FNSET_NONE;
	     f = fnset_next(s, f + 1))
		marks[f] |= bit;
}

int path_tree(const struct flow *fl, const struct path_tree_query *q, struct arena *a,
	      const atomic_int *cancel, struct path_tree *out, struct err *err)
{
	struct growing g = {
		.fl = fl, .q = q, .arena = a, .most = q->rows ? q->rows : MOST_ROWS};

	g.marks = ARENA_ARRAY(a, uint8_t, fl->in.functions);
	g.slot = ARENA_ARRAY(a, uint32_t, fl->in.functions);
	if (!g.marks || !g.slot)
		return arena_full(a, err);
	mark(q->set, IN_SET, g.marks);
	mark(q->avoiding, AVOIDED, g.marks);
	if (level1(&g))
		return arena_full(a, err);
	for (uint32_t polled = 0; g.nheap; polled++) {
		if (polled % POLL == 0 && path_canceled(cancel, err))
			return (int)err->kind;
		if (g.n == g.most) {
			g.truncated = true;
			break;
		}
		if (expand(&g, pop(&g)))
			return arena_full(a, err);
	}
	return order(&g, out) ? arena_full(a, err) : 0;
}
