/*
 * path_rows.c - the rows of a tree: which nodes are kept, their order, their whole units.
 *
 * Each row is an interval on a line, as long as its cost: first its own part, then the
 * rows below.  The ends are rounded to whole units, so rows add up to the unit.
 * Positions are long doubles, which hold 64 bits for costs as large as that.
 *
 *	main 10.0	|--own--|------ a 5.4 -----|-- b 3.1 --|
 *			0	1.5		   6.9	       10.0
 *	rounded		0	2		   7	       10	own 2, a 5, b 3
 *
 * Which rows are kept is a matter of price: a row is worth the cost that only it shows, its
 * own and that of the rows below, less a price for each of them.  At a higher price fewer
 * rows are worth it, so a search by halves finds the price that leaves as many as are
 * wanted.  It keeps the cheap row above a costly one, since rows below count for it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/path/path_tree_in.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

#define SEEN 3e-4 /* of the whole: a row wide enough to see in a picture */

enum { POLL = 4096 }; /* rows or nodes between two polls of cancel */

struct choosing {
	struct growing *g;
	uint32_t *first, *next; /* [n]: first child, next sibling: a node, or 0 */
	uint8_t *kept;
	double *own, *worth; /* [n] */
	/* Nodes that may be kept at the prices that are left to try, ascending; in[n]: is it
	 * one? */
	uint32_t *node, nodes;
	uint8_t *in;
	uint32_t n;
};

/* The order of a row among its siblings. */
static double node_weight(const struct growing *g, uint32_t node)
{
	const struct start *s = tree_start(g, node);
	double sum = 0;

	if (!s || !s->inner)
		return g->known ? (double)g->known->node[node].est : g->nodes[node].est;
	for (; s; s = tree_next_start(g, s))
		sum += (double)s->incl;
	return sum;
}

static int nodes_by_weight(const void *x, const void *y)
{
	const struct waiting *a = x, *b = y;
	const int c = order_double(b->cost, a->cost);

	return c ? c : order_u64(a->node, b->node);
}

/* Level 1 is complete if it is the calls of a set. */
static bool worth_a_row(const struct growing *g, uint32_t i)
{
	const struct node *x = &g->nodes[i];

	if (tree_is_inner(g, i))
		return !path_under_min(fabs(node_weight(g, i)), g->q->min);
	return !path_under_min(x->est, g->q->min) &&
	       (x->est >= 0.5 ||
		(x->depth == 1 && g->q->of == TREE_CALLS && !g->counted));
}

static double own_of_node(const struct growing *g, uint32_t node)
{
	const struct node *x = &g->nodes[node];

	if (x->fn == FLOW_NONE || !(x->rest > 0) || tree_is_inner(g, node))
		return x->own;
	return x->own + tree_rest_own(g, node);
}

/* A row to keep in any case: wide enough for a picture, or a direct call of the set. */
static bool must_be_kept(const struct growing *g, uint32_t i)
{
	return g->nodes[i].depth == 1 || g->nodes[i].est >= g->nodes[TREE_TOP].est * SEEN;
}

static bool counts(const struct choosing *c, uint32_t i)
{
	return c->worth[i] > 0 || must_be_kept(c->g, i);
}

/* Keep the rows whose own cost, with that of the rows below, is worth `price` per row;
 * returns how many.  A node comes before its children. */
static uint32_t keep_worthy(struct choosing *c, double price)
{
	const struct growing *g = c->g;
	uint32_t n = 0;

	for (uint32_t k = 0; k < c->nodes; k++)
		c->worth[c->node[k]] = c->own[c->node[k]] - price;
	for (uint32_t k = c->nodes; k-- > 1;)
		if (counts(c, c->node[k]))
			c->worth[g->nodes[c->node[k]].parent] += c->worth[c->node[k]];
	c->kept[TREE_TOP] = 1;
	for (uint32_t k = 1; k < c->nodes; k++) {
		const uint32_t i = c->node[k];

		c->kept[i] =
			c->kept[g->nodes[i].parent] && worth_a_row(g, i) && counts(c, i);
		n += c->kept[i];
	}
	return n;
}

/* At a higher price than the last one, what does not count now does not either, nor what is
 * below it. */
static void leave_out_idle(struct choosing *c)
{
	uint32_t n = 1;

	for (uint32_t k = 1; k < c->nodes; k++) {
		const uint32_t i = c->node[k];

		c->in[i] = c->in[c->g->nodes[i].parent] && counts(c, i);
		if (c->in[i])
			c->node[n++] = i;
	}
	c->nodes = n;
}

/* Too many rows must be kept: keep the costliest of them. */
static void keep_costliest(struct choosing *c)
{
	struct growing *g = c->g;
	struct waiting *by = NEED_ARRAY(g->arena, struct waiting, (size_t)g->n + 1);
	uint32_t n = 0;

	for (uint32_t i = 1; i < g->n; i++)
		if (c->kept[i])
			by[n++] = (struct waiting){node_weight(g, i), i};
	memset(c->kept, 0, g->n);
	c->kept[TREE_TOP] = 1;
	qsort(by, n, sizeof(*by), nodes_by_weight);
	c->n = 0;
	for (uint32_t k = 0; k < n && c->n < g->most; k++) {
		c->kept[by[k].node] = c->kept[g->nodes[by[k].node].parent];
		c->n += c->kept[by[k].node];
	}
}

/* Choose as many rows as are wanted, with as much cost in them as possible: find the least price
 * at which they are few enough.  Costs span many orders of magnitude, so the price first falls by
 * sixteenths until rows are too many; then the interval is halved. */
static void choose_nodes(struct choosing *c, bool *cut)
{
	struct growing *g = c->g;
	double low = 0, high = g->nodes[TREE_TOP].est, price = 0;

	for (uint32_t i = 1; i < g->n; i++) {
		if (i % POLL == 0)
			need_time(g->cancel);
		/* A row without cost of its own is worth more than nothing, too. */
		c->own[i] = tree_is_inner(g, i) ? 0 : own_of_node(g, i) + 1e-9;
	}
	for (c->nodes = 0; c->nodes < g->n; c->nodes++)
		c->node[c->nodes] = c->nodes;
	c->in[TREE_TOP] = 1;
	c->n = keep_worthy(c, 0);
	if (c->n <= g->most)
		return;
	*cut = true;
	for (int k = 0; k < 40 && high - low > 1e-9 * high; k++) {
		need_time(g->cancel);
		price = k < 24 && low == 0 ? high / 16 : (low + high) / 2;
		if (keep_worthy(c, price) <= g->most) {
			high = price;
		} else {
			low = price;
			leave_out_idle(c);
		}
	}
	c->n = keep_worthy(c, high);
	if (c->n > g->most)
		keep_costliest(c);
}

static void choose_rows(struct choosing *c, bool *cut)
{
	struct growing *g = c->g;
	struct waiting *by_cost;
	uint32_t n = 0;

	c->first = NEED_ARRAY(g->arena, uint32_t, (size_t)g->n + 1);
	c->next = NEED_ARRAY(g->arena, uint32_t, (size_t)g->n + 1);
	c->kept = NEED_ARRAY(g->arena, uint8_t, (size_t)g->n + 1);
	c->own = NEED_ARRAY(g->arena, double, (size_t)g->n + 1);
	c->worth = NEED_ARRAY(g->arena, double, (size_t)g->n + 1);
	c->node = c->next; /* these are not linked yet */
	c->in = (uint8_t *)c->first;
	choose_nodes(c, cut);
	memset(c->next, 0, g->n * sizeof(*c->next));
	memset(c->first, 0, g->n * sizeof(*c->first));
	by_cost = NEED_ARRAY(g->arena, struct waiting, (size_t)c->n + 1);
	for (uint32_t i = 1; i < g->n; i++)
		if (c->kept[i])
			by_cost[n++] = (struct waiting){node_weight(g, i), i};
	qsort(by_cost, n, sizeof(*by_cost), nodes_by_weight);
	/* Link from the back, so that siblings are in order. */
	for (uint32_t k = n; k-- > 0;) {
		uint32_t i = by_cost[k].node, p = g->nodes[i].parent;

		c->next[i] = c->first[p];
		c->first[p] = i;
	}
}

/* The estimate of the node is cut to these bounds. */
static struct path_bounds bounds_of_node(const struct growing *g, uint32_t node,
					 const struct path_bounds *up)
{
	const struct node *x = &g->nodes[node];
	const struct start *s = tree_start(g, node);
	struct path_bounds b;

	if (g->labels)
		return tree_label_bounds(g, node, up);
	if (g->known)
		return path_bounds_exact(s && s->inner ? s->incl
						       : g->known->node[node].est);
	if (s)
		b = tree_start_bounds(g, s, up);
	else if (x->edge == FLOW_NONE)
		b = path_bounds_of(0, 0, INT64_MAX, false);
	else
		b = tree_call_bounds(g, x->parent, x->edge, up);
	return s && s->inner ? b : path_bounds_of(x->est, b.lo, b.hi, b.bounded);
}

static struct path_tree_row row_of_node(const struct growing *g, uint32_t node,
					const struct path_bounds *up)
{
	const struct node *x = &g->nodes[node];
	const struct start *s = tree_start(g, node);
	struct path_tree_row r = {.depth = x->depth, .fn = tree_node_label(g, node)};

	r.cost = bounds_of_node(g, node, up);
	r.inner = s && s->inner;
	if (g->labels)
		return r;
	if (g->known && !r.inner)
		r.least = g->known->node[node].least;
	if (s) {
		r.calls = g->q->uncounted && s->calls == UINT64_MAX ? 0 : s->calls;
		r.incl = g->q->of == TREE_CALLS ? s->incl : path_units(&r.cost);
	} else if (g->known) {
		r.calls = g->known->node[node].calls;
		r.incl = r.cost.lo;
	} else if (x->edge == FLOW_NONE) {
		r.incl = path_rounded(x->est);
	} else {
		r.calls = g->fl->in.calls[x->edge];
		r.incl = g->fl->in.incl[x->edge];
	}
	return r;
}

struct laid {
	long double at, end; /* where the next child begins; no child ends after `end` */
	uint32_t row;	     /* FLOW_NONE: TREE_TOP */
	uint32_t bounds;     /* with labels: those before it */
};

/* Half away from zero.  What does not fit is cut to the largest or smallest number. */
static int64_t rounded(long double at)
{
	return at >= 9223372036854775807.0L   ? INT64_MAX
	       : at >= 0		      ? (int64_t)(at + 0.5L)
	       : at > -9223372036854775807.0L ? -(int64_t)(0.5L - at)
					      : INT64_MIN;
}

/* The whole units from one position to another.  Neighbours round their common end alike, so no
 * unit is lost or counted twice. */
static int64_t units(long double from, long double to)
{
	int64_t a = rounded(from), b = rounded(to);

	return b > a ? cost_difference(b, a) : 0;
}

/* If all cost of a function is at one node, its own part is measured like its cost. */
static long double own_on_line(const struct growing *g, uint32_t node,
			       const struct path_bounds *cost)
{
	const struct flow *fl = g->fl;
	uint32_t f = g->nodes[node].fn;

	if (f == FLOW_NONE || tree_several(g, node) || !cost->measured || fl->keep ||
	    cost->lo != fl->passing[f] || tree_inside(g, f, f))
		return own_of_node(g, node);
	return g->q->up ? path_root(fl, f) : fl->in.self[f];
}

/* Put a node at up->at on the line and move up->at past it, but not past the end of
 * its parent. */
static void lay(const struct growing *g, uint32_t node, struct laid *up,
		const struct path_bounds *cost, int64_t *est, int64_t *own,
		struct laid *in)
{
	long double kept, end;

	if (g->known) {
		*est = g->known->node[node].est;
		*own = g->known->node[node].own;
		return;
	}
	end = up->at + (cost->measured ? (long double)cost->lo : g->nodes[node].est);
	kept = up->at + own_on_line(g, node, cost);
	end = end > up->end ? up->end : end;
	kept = kept > end ? end : kept;
	*est = units(up->at, end);
	*own = cost_difference(rounded(kept), rounded(up->at));
	in->at = kept;
	in->end = end;
	up->at = end;
}

/* Rounded costs may contradict each other: cut units that do not fit in the row above,
 * and drop the bounds that claim them. */
static void include(struct path_tree_row *r)
{
	if (r->inner)
		return;
	if (r->cost.bounded && r->est < r->cost.lo)
		r->cost.lo = r->est;
	if (r->cost.bounded && r->est > r->cost.hi)
		r->cost.hi = r->est;
	r->cost.measured &= r->cost.lo == r->cost.hi;
}

/* Below a row with rows below it, or the top: find their bounds. */
static void open_row(struct choosing *c, uint32_t node, const struct path_bounds *cost,
		     struct laid *at)
{
	at->bounds = c->g->nbounds;
	if (c->g->labels && c->first[node])
		tree_bound_below(c->g, node, cost, c->first[node], c->next);
}

/* Visit the nodes kept, each before its children, without recursion: a tree may be deeper than the
 * stack.  open[d] is the row above at depth d, with what is left of its interval. */
static void lay_rows(struct choosing *c, struct path_tree *t)
{
	struct growing *g = c->g;
	const uint32_t labels = g->labels ? g->labels->n : g->fl->in.functions;
	size_t n = (size_t)c->n + 2;
	struct laid *open = NEED_ARRAY(g->arena, struct laid, n);
	uint32_t *on_path = NEED_ARRAY(g->arena, uint32_t, (size_t)labels + 1);
	struct laid line = {.end = INFINITY};
	uint32_t i;

	t->rows = NEED_ARRAY(g->arena, struct path_tree_row, n);
	g->row = NEED_ARRAY(g->arena, uint32_t, (size_t)g->n + 1);
	g->bounds_of = (uint32_t *)c->worth; /* which is not needed any more */
	memset(g->row, 0xff, g->n * sizeof(*g->row));
	lay(g, TREE_TOP, &line, &t->base, &t->est, &t->own, &open[0]);
	open[0].row = FLOW_NONE;
	open_row(c, TREE_TOP, &t->base, &open[0]);
	t->left_out = cost_difference(t->est, t->own);
	for (i = c->first[TREE_TOP]; i;) {
		uint32_t d = g->nodes[i].depth;
		uint32_t up = open[d - 1].row;
		struct path_tree_row *r = &t->rows[t->n];

		if (t->n % POLL == 0)
			need_time(g->cancel);
		*r = row_of_node(g, i, up == FLOW_NONE ? &t->base : &t->rows[up].cost);
		r->parent = up;
		r->recursive =
			(!g->labels && g->in_set && g->in_set[r->fn]) || on_path[r->fn];
		if (!r->inner) {
			lay(g, i, &open[d - 1], &r->cost, &r->est, &r->own, &open[d]);
			cost_subtract(&t->left_out, r->own);
		}
		g->row[i] = open[d].row = (uint32_t)t->n++;
		if (c->first[i]) {
			on_path[r->fn]++;
			open_row(c, i, &r->cost, &open[d]);
			i = c->first[i];
			continue;
		}
		while (i && !c->next[i]) {
			i = g->nodes[i].parent;
			g->nbounds = open[g->nodes[i].depth].bounds;
			if (i)
				on_path[tree_node_label(g, i)]--;
		}
		i = c->next[i];
	}
	for (uint32_t r = 0; r < t->n; r++)
		include(&t->rows[r]);
	g->row[TREE_TOP] = (uint32_t)t->n;
}

void tree_rows(struct growing *g, struct path_tree *t)
{
	struct choosing c = {.g = g};

	choose_rows(&c, &t->cut);
	lay_rows(&c, t);
}

/* ---- what is proven ----
 *
 * A chain of calls has a least cost (path_overlap()).  Chains do not overlap, so the sum of
 * what is proven to end at each is proven of the tree: a share of its cost that no other
 * way to divide the calls could take away.
 */

#define LEAST 1e-7 /* of the whole: a chain of less proves nothing worth a look */

enum { STEPS = 20000000 };

struct proven { /* at least this came by a chain that ends in fn */
	uint32_t fn, depth;
	int64_t cost;
};

struct proving {
	struct growing *g;
	struct proven *todo; /* a stack of chains to go on from */
	size_t cap;
	uint32_t n, steps;
	int64_t least; /* chains of less are not followed */
	double sum;    /* proven so far, in units of cost */
};

/* Add what is proven to end at a chain, and the chains that it goes on to. */
static void prove(struct proving *p, struct proven c)
{
	struct growing *g = p->g;
	const struct flow *fl = g->fl;
	const struct calls calls = tree_calls(g, c.fn);
	const int64_t own = g->q->up ? path_root(fl, c.fn) : fl->in.self[c.fn];

	if (g->q->depth && c.depth == g->q->depth) {
		p->sum += (double)c.cost;
		return;
	}
	if (fl->odd[c.fn])
		return;
	p->sum += (double)path_overlap(c.cost, own, fl->passing[c.fn]);
	for (uint32_t k = calls.first; k < calls.end; k++) {
		const uint32_t i = tree_edge(g, k), to = tree_other_end(g, i);
		const int64_t lo =
			path_overlap(c.cost, fl->in.incl[i], fl->passing[c.fn]);

		if (lo <= p->least || g->avoided[to])
			continue;
		tree_reserve(g->arena, &p->todo, &p->cap, p->n, sizeof(*p->todo));
		p->todo[p->n++] =
			(struct proven){to, c.depth + !tree_inside(g, c.fn, to), lo};
	}
}

/* All that goes on from one function of level 1. */
static void prove_from(struct proving *p, uint32_t fn, struct path_bounds b)
{
	if (!b.bounded || b.lo <= 0)
		return;
	prove(p, (struct proven){fn, 1, b.lo});
	for (; p->n && p->steps < STEPS; p->steps++) {
		if (p->steps % POLL == 0)
			need_time(p->g->cancel);
		prove(p, p->todo[--p->n]);
	}
}

void tree_proven(struct growing *g, struct path_tree *t)
{
	struct proving p = {.g = g, .least = (int64_t)((double)t->est * LEAST)};

	t->proven = 1;
	if (g->known)
		return;
	if (g->q->of == TREE_CALLS && t->base.bounded && !g->top.odd)
		p.sum = (double)path_overlap(t->base.lo, g->top.own, g->top.passing);
	for (uint32_t i = 1; i < g->n; i++) {
		const struct start *s = tree_start(g, i);

		if (g->nodes[i].depth != 1 || tree_is_inner(g, i))
			continue;
		for (; s; s = tree_next_start(g, s))
			prove_from(&p, s->fn, tree_start_bounds(g, s, &t->base));
		for (uint32_t k = tree_start(g, i) ? FLOW_NONE : tree_place(g, i);
		     k != FLOW_NONE;) {
			const struct place x = tree_at(g, i, k);

			if (x.edge != FLOW_NONE)
				prove_from(
					&p, x.fn,
					tree_call_bounds(g, TREE_TOP, x.edge, &t->base));
			k = x.next ? x.next : FLOW_NONE;
		}
	}
	t->proven = t->est > 0 ? fmin(1, p.sum / (double)t->est) : 0;
}
