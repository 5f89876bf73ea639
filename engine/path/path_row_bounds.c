/*
 * path_row_bounds.c - the bounds of the rows of a tree; see path.h for those of a chain.
 *
 * A row of a label is all chains of functions that have its labels.  Each function at its end
 * has bounds of the cost of the chains that lead there; they add up, and those of the rows below
 * follow along all calls, even of functions for which the tree has no place.  Taken as one, the
 * functions M of the row above leave no less, with T(M) the cost through them but for calls in M,
 *
 *	lo >= cost of the row above + calls of M to the label - T(M)
 *
 * Calls inside a row bring cost to more of its functions.  The bounds of each follow from those
 * of its callers in the row, the least from nothing up, the most from all cost down: so they
 * hold whenever one stops, in circles, too.
 */
#include <stdlib.h>

#include "engine/path/path_tree_in.h"
#include "index/base/cost.h"
#include "index/base/need.h"
#include "index/base/order.h"

/* ---- one function ---- */

/* Of a call of the set: by its cost as a whole, if that is known, as in path.h. */
static struct path_bounds call_of_set(const struct growing *g, const struct start *s,
				      const struct path_bounds *up)
{
	if (s->exact || !up->bounded)
		return path_bounds_of(s->est, s->exact ? s->passed : 0, s->passed, true);
	return path_bounds_next(*up, s->passed, 0, g->top.passing, g->top.odd);
}

struct path_bounds tree_start_bounds(const struct growing *g, const struct start *s,
				     const struct path_bounds *up)
{
	const struct flow *fl = g->fl;

	if (s->inner)
		return path_bounds_exact(s->incl);
	if (g->q->of == TREE_CALLS) /* level 1 is calls */
		return call_of_set(g, s, up);
	if (g->q->of == TREE_PROGRAM)
		return path_root_bounds(fl, s->fn);
	return path_bounds_of(s->est, s->exact ? fl->passing[s->fn] : 0,
			      fl->passing[s->fn], !fl->odd[s->fn]);
}

static int64_t passing_at(const struct growing *g, uint32_t node, uint32_t f)
{
	return node == TREE_TOP && g->q->of == TREE_CALLS ? g->top.passing
							  : g->fl->passing[f];
}

struct path_bounds tree_call_bounds(const struct growing *g, uint32_t parent,
				    uint32_t edge, const struct path_bounds *up)
{
	const struct flow *fl = g->fl;
	const uint32_t f = g->q->up ? fl->in.callee[edge] : fl->in.caller[edge];

	return path_bounds_next(*up, fl->in.incl[edge], 0, passing_at(g, parent, f),
				fl->odd[f]);
}

/* ---- labels ---- */

static uint32_t add_bounds(struct growing *g, struct place_bounds b)
{
	need_grow(g->arena, &g->bounds, &g->bounds_cap, g->nbounds,
		  (size_t)g->nbounds + 1, sizeof(*g->bounds));
	g->bounds[g->nbounds] = b;
	return g->nbounds++;
}

/* Add bounds to those of function fn in the list that begins at `head`; place_at[] has those
 * that are there. */
static void add_to(struct growing *g, uint32_t head, uint32_t fn,
		   const struct path_bounds *b)
{
	struct place_bounds *x;

	if (!g->place_at[fn]) {
		g->place_at[fn] = add_bounds(
			g, (struct place_bounds){fn, g->bounds[head].next, 0, 0, true});
		g->bounds[head].next = g->place_at[fn];
	}
	x = &g->bounds[g->place_at[fn]];
	cost_add(&x->lo, b->lo);
	cost_add(&x->hi, b->hi);
	x->bounded &= b->bounded;
}

static void forget(struct growing *g, uint32_t head)
{
	for (uint32_t i = g->bounds[head].next; i; i = g->bounds[i].next)
		g->place_at[g->bounds[i].fn] = 0;
}

static struct path_bounds bounds_at(const struct place_bounds *x)
{
	return path_bounds_of(0, x->lo, x->hi, x->bounded);
}

/* Each row below gets a list, which node_at[] has by label; that of a start is complete. */
static void begin_lists(struct growing *g, const struct path_bounds *cost, uint32_t first,
			const uint32_t *next)
{
	for (uint32_t k = first; k; k = next[k]) {
		const uint32_t head =
			add_bounds(g, (struct place_bounds){.fn = FLOW_NONE});

		g->bounds_of[k] = head;
		for (const struct start *s = tree_start(g, k); s;
		     s = tree_next_start(g, s)) {
			const struct path_bounds b = tree_start_bounds(g, s, cost);

			add_to(g, head, s->fn, &b);
			if (g->q->of == TREE_CALLS)
				cost_add(&g->bounds[head].lo, s->passed);
		}
		forget(g, head);
		if (!tree_start(g, k))
			g->node_at[tree_node_label(g, k)] = head;
	}
}

/* ---- calls inside a row ---- */

static void rank_functions(struct growing *g)
{
	const struct flow_input *in = &g->fl->in;

	g->rank = NEED_ARRAY(g->arena, uint32_t, (size_t)in->functions + 1);
	for (uint32_t i = 0; i < in->functions; i++)
		g->rank[in->topo[i]] = g->q->up ? in->functions - i : i;
}

static int by_rank(const void *x, const void *y)
{
	const struct inside *a = x, *b = y;

	return order_u64(a->rank, b->rank);
}

static void add_inside(struct growing *g, uint32_t n, uint32_t bounds)
{
	const struct place_bounds x = g->bounds[bounds];

	need_grow(g->arena, &g->inside, &g->inside_cap, n, (size_t)n + 1,
		  sizeof(*g->inside));
	g->inside[n] = (struct inside){g->rank[x.fn], bounds, x};
}

/* List the functions of the row, with those that are called inside it, in the order of calls. */
static uint32_t list_inside(struct growing *g, uint32_t head)
{
	static const struct path_bounds nothing = {.bounded = true};
	uint32_t n = 0;

	for (uint32_t i = g->bounds[head].next; i; i = g->bounds[i].next)
		add_inside(g, n++, i);
	for (uint32_t i = 0; i < n; i++) { /* n grows meanwhile */
		const uint32_t f = g->inside[i].enters.fn;
		const struct calls c = tree_calls(g, f);

		for (uint32_t k = c.first; k < c.end; k++) {
			const uint32_t to = tree_other_end(g, tree_edge(g, k));

			if (!tree_inside(g, f, to) || g->place_at[to] || g->avoided[to])
				continue;
			add_to(g, head, to, &nothing);
			add_inside(g, n++, g->place_at[to]);
		}
	}
	if (n > 1)
		qsort(g->inside, n, sizeof(*g->inside), by_rank);
	for (uint32_t i = 0; i < n; i++)
		g->bounds[g->inside[i].bounds].hi =
			g->fl->passing[g->inside[i].enters.fn];
	return n;
}

/* Bound one function anew by those of the row that lead there; false: as before. */
static bool follow_inside(struct growing *g, const struct inside *r)
{
	const struct flow_input *in = &g->fl->in;
	const uint32_t *first = g->q->up ? in->out_first : in->in_first;
	struct place_bounds *x = &g->bounds[r->bounds], y = r->enters;
	bool changed;

	for (uint32_t k = first[x->fn]; k < first[x->fn + 1]; k++) {
		const uint32_t e = g->q->up ? k : in->in_edge[k],
			       from = g->q->up ? in->callee[e] : in->caller[e];
		struct path_bounds b;

		if (!g->place_at[from] || !tree_inside(g, from, x->fn))
			continue;
		b = bounds_at(&g->bounds[g->place_at[from]]);
		b = path_bounds_next(b, in->incl[e], 0, g->fl->passing[from],
				     g->fl->odd[from]);
		cost_add(&y.lo, b.lo);
		cost_add(&y.hi, b.hi);
		y.bounded &= b.bounded;
	}
	y.next = x->next;
	y.hi = y.hi > g->fl->passing[x->fn] ? g->fl->passing[x->fn] : y.hi;
	changed = y.lo != x->lo || y.hi != x->hi || y.bounded != x->bounded;
	*x = y;
	return changed;
}

/* Spread the bounds of the functions of a row along the calls inside it. */
static void spread_inside(struct growing *g, uint32_t head)
{
	enum { ROUNDS = 8 };
	bool changed = true;
	uint32_t n;

	if (!g->rank)
		rank_functions(g);
	n = list_inside(g, head);
	for (int k = 0; k < ROUNDS && changed; k++) {
		changed = false;
		for (uint32_t i = 0; i < n; i++)
			changed |= follow_inside(g, &g->inside[i]);
	}
}

/* ---- rows below ---- */

/* The cost through the functions of a list, but for the calls between them; -1: it bounds
 * nothing. */
static int64_t passing_all(const struct growing *g, uint32_t node, uint32_t head)
{
	int64_t sum = 0;

	for (uint32_t i = g->bounds[head].next; i; i = g->bounds[i].next) {
		const uint32_t f = g->bounds[i].fn;
		const struct calls c = tree_calls(g, f);

		if (g->fl->odd[f])
			return -1;
		cost_add(&sum, passing_at(g, node, f));
		for (uint32_t k = c.first; k < c.end; k++) {
			const uint32_t e = tree_edge(g, k), to = tree_other_end(g, e);

			if (node != TREE_TOP && tree_inside(g, f, to) && !g->avoided[to])
				cost_subtract(&sum, g->fl->in.incl[e]);
		}
	}
	return sum;
}

/* Go on from one function to those of the rows below. */
static void go_on(struct growing *g, uint32_t node, const struct place_bounds *x)
{
	const struct path_bounds from = bounds_at(x);
	const struct calls c = tree_calls(g, x->fn);

	for (uint32_t k = c.first; k < c.end; k++) {
		const uint32_t e = tree_edge(g, k), to = tree_other_end(g, e);
		const uint32_t head = g->node_at[tree_label(g, to)];
		struct path_bounds b;

		if (!head || g->avoided[to] ||
		    (node != TREE_TOP && tree_inside(g, x->fn, to)))
			continue;
		b = tree_call_bounds(g, node, e, &from);
		add_to(g, head, to, &b);
		cost_add(&g->bounds[head].lo, g->fl->in.incl[e]);
	}
}

void tree_bound_below(struct growing *g, uint32_t node, const struct path_bounds *cost,
		      uint32_t first, const uint32_t *next)
{
	uint32_t head = node == TREE_TOP ? 0 : g->bounds_of[node];
	int64_t passing;

	begin_lists(g, cost, first, next);
	if (node == TREE_TOP) {
		head = add_bounds(g, (struct place_bounds){.fn = FLOW_NONE});
		if (g->one != FLOW_NONE)
			add_to(g, head, g->one, cost);
	} else {
		for (uint32_t i = g->bounds[head].next; i; i = g->bounds[i].next)
			g->place_at[g->bounds[i].fn] = i;
		if (g->labels->group)
			spread_inside(g, head);
	}
	forget(g, head);
	if (node != TREE_TOP || g->one != FLOW_NONE)
		passing = passing_all(g, node, head);
	else
		passing = g->q->of == TREE_CALLS && !g->top.odd ? g->top.passing : -1;
	for (uint32_t i = g->bounds[head].next; i; i = g->bounds[i].next) {
		const struct place_bounds x = g->bounds[i];

		go_on(g, node, &x);
	}
	for (uint32_t k = first; k; k = next[k]) {
		forget(g, g->bounds_of[k]);
		g->bounds[g->bounds_of[k]].hi = passing;
		g->node_at[tree_node_label(g, k)] = 0;
	}
}

struct path_bounds tree_label_bounds(const struct growing *g, uint32_t node,
				     const struct path_bounds *up)
{
	const struct place_bounds *all = &g->bounds[g->bounds_of[node]];
	struct path_bounds b = {.bounded = all->next != 0};
	int64_t least;

	for (uint32_t i = all->next; i; i = g->bounds[i].next) {
		cost_add(&b.lo, g->bounds[i].lo);
		cost_add(&b.hi, g->bounds[i].hi);
		b.bounded &= g->bounds[i].bounded;
	}
	if (tree_is_inner(g, node))
		return path_bounds_exact(b.hi);
	if (!b.bounded)
		return path_bounds_of(g->nodes[node].est, 0, all->next ? b.hi : INT64_MAX,
				      false);
	least = up->bounded && all->hi >= 0 ? path_overlap(up->lo, all->lo, all->hi) : 0;
	b.lo = least > b.lo ? least : b.lo;
	b.hi = up->bounded && up->hi < b.hi ? up->hi : b.hi;
	/* Rounded costs can contradict each other by a few units. */
	return path_bounds_of(g->nodes[node].est, b.lo < b.hi ? b.lo : b.hi, b.hi, true);
}
