/*
 * path_other.c - the cost that the rows of a tree leave out, by function.
 *
 * The costliest rows are kept.  The rest is many chains of little cost each, mostly below
 * rows that are narrow themselves.  This cost is gathered at the next wide row above and
 * pushed from there along the calls until almost nothing moves.  The result says at which
 * functions it stays, but not by which way it came there.  So the cost of every function
 * is in a picture: in frames of its own or below "(other)".
 */
#include <math.h>
#include <stdlib.h>

#include "engine/path/path_tree_in.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

/* Edges that all groups together may look at, and that each group may in any case.  A
 * group is a wide row, or the top, with the narrow rows below it. */
enum { EDGES_MOST = 20000000, EDGES_LEAST = 500 };
enum { DOZEN = 12 };

struct cost_source { /* cost that goes on from fn, below a row */
	uint32_t group, fn;
	double cost;
};

/* The cost at a function.  All of it is in one struct, since functions come in no order. */
struct stop {
	double mass;	/* goes on from there */
	double stays;	/* of this group */
	double carried; /* what rounding has lost in the groups before */
	double through; /* 0: not summed up yet */
	bool waits;	/* it is in the ring */
};

struct gathering {
	struct growing *g;
	struct cost_source *all;
	uint32_t n;
	size_t cap;
	struct stop *at;	       /* [functions] */
	uint32_t *ring, ahead, behind; /* [functions]: those with mass */
	uint32_t *met, nmet;	       /* [functions]: those where some stays */
	struct path_others out;
};

static void add_source(struct gathering *w, uint32_t group, uint32_t fn, double cost)
{
	if (!(cost > 0))
		return;
	tree_reserve(w->g->arena, &w->all, &w->cap, w->n, sizeof(*w->all));
	w->all[w->n++] = (struct cost_source){group, fn, cost};
}

/* Cost that a row did not split goes on along the calls that are left. */
static void add_rest(struct gathering *w, uint32_t node, const struct place *x,
		     uint32_t group)
{
	struct growing *g = w->g;
	double through = x->rest > 0 && x->fn != FLOW_NONE
				 ? tree_unshown_through(g, node, x->fn)
				 : 0;
	struct calls c;

	if (!(through > 0))
		return;
	c = tree_calls(g, x->fn);
	for (uint32_t k = c.first; k < c.end; k++) {
		uint32_t i = tree_edge(g, k), to = tree_other_end(g, i);

		if (!g->avoided[to])
			add_source(w, group, to, x->rest * tree_unshown(g, i) / through);
	}
}

/* Find the nodes without a row whose parent has one, and the cost that rows did not
 * split. */
static void find_sources(struct gathering *w)
{
	struct growing *g = w->g;

	for (uint32_t i = 0; i < g->n; i++) {
		const uint32_t row = g->row[i];
		uint32_t p = tree_place(g, i);

		do {
			const struct place x = tree_at(g, i, p);

			if (row != TREE_NO_ROW)
				add_rest(w, i, &x, g->group[row]);
			else if (i != TREE_TOP &&
				 g->row[g->nodes[i].parent] != TREE_NO_ROW)
				add_source(w, g->group[g->row[g->nodes[i].parent]], x.fn,
					   x.est);
			p = x.next;
		} while (p);
	}
}

/* A ring of waiting functions: each is in it once, so it holds as many as there are. */
static void path_other_arrive(struct gathering *w, uint32_t f, double cost)
{
	w->at[f].mass += cost;
	if (w->at[f].waits)
		return;
	w->at[f].waits = true;
	w->ring[w->ahead++ % w->g->fl->in.functions] = f;
}

/* f passes on the cost that waits there; returns the part that stays. */
static double pass_mass(struct gathering *w, uint32_t f, double times, uint64_t *looked)
{
	struct growing *g = w->g;
	struct calls c = tree_calls(g, f);
	struct stop *x = &w->at[f];
	double cost = x->mass, own;

	x->mass = 0;
	x->waits = false;
	if (!(x->through > 0))
		x->through = tree_unshown_through(g, FLOW_NONE, f);
	*looked += c.end - c.first + 1;
	if (!(x->through > 0))
		return cost;
	own = cost * tree_unshown_own(g, f) / x->through;
	if (own > 0) { /* else it would be met again */
		if (!(x->stays > 0))
			w->met[w->nmet++] = f;
		x->stays += times * own;
	}
	for (uint32_t k = c.first; k < c.end; k++) {
		uint32_t i = tree_edge(g, k);
		double part = tree_unshown(g, i) * cost / x->through;

		if (part > 0)
			path_other_arrive(w, tree_other_end(g, i), part);
	}
	return own;
}

/* Push the cost until a thousandth of it is left.  In deep recursion each dozen of rounds leaves the
 * same part of the cost.  Once it does, or so many edges have been looked at, one more dozen shows
 * where all the rest stays. */
static void push_rounds(struct gathering *w, double waiting, uint64_t edges)
{
	const uint32_t functions = w->g->fl->in.functions;
	const double least = waiting * 1e-3;
	double before = waiting, times = 1, left = 0; /* left: the part after a dozen */
	uint32_t round = 0, end = w->ahead;
	uint64_t looked = 0;

	while (w->behind != w->ahead && waiting > least &&
	       (looked < edges || round >= 2 * DOZEN)) {
		waiting -= pass_mass(w, w->ring[w->behind++ % functions], times, &looked);
		if (w->behind != end)
			continue;
		end = w->ahead;
		if (++round % DOZEN)
			continue;
		if (times > 1)
			return;
		const double now = waiting / before;
		const bool even = fabs(now - left) <= 1e-3 * (1 - now);

		if ((looked >= edges || even) && round >= 2 * DOZEN && waiting < before)
			times = before / (before - waiting);
		else if (looked >= edges)
			return;
		before = waiting;
		left = now;
	}
}

/* Push the cost of sources first .. end - 1, all of one row. */
static void push_group(struct gathering *w, uint32_t first, uint32_t end, uint64_t edges)
{
	uint32_t functions = w->g->fl->in.functions;
	double waiting = 0;

	w->ahead = w->behind = w->nmet = 0;
	for (uint32_t i = first; i < end; i++) {
		waiting += w->all[i].cost;
		path_other_arrive(w, w->all[i].fn, w->all[i].cost);
	}
	push_rounds(w, waiting, edges);
	for (; w->behind != w->ahead; w->behind++) {
		uint32_t f = w->ring[w->behind % functions];

		w->at[f].mass = 0;
		w->at[f].waits = false;
	}
	for (uint32_t k = 0; k < w->nmet; k++) {
		uint32_t f = w->met[k];
		struct stop *x = &w->at[f];
		const double exact = x->stays + x->carried;
		const int64_t cost = path_rounded(exact);

		x->carried = exact - (double)cost;
		x->stays = 0;
		path_other_add(&w->out, w->all[first].group, tree_label(w->g, f), cost);
	}
}

static int by_place(const void *x, const void *y)
{
	const struct path_other *a = x, *b = y;
	const int c = order_u64(a->row, b->row);

	return c ? c : order_u64(a->fn, b->fn);
}

static int by_cost(const void *x, const void *y)
{
	const struct path_other *a = x, *b = y;
	const int c = cost_order(b->cost, a->cost);

	return c ? c : by_place(x, y);
}

static int by_row(const void *x, const void *y)
{
	const struct path_other *a = x, *b = y;
	const int c = order_u64(a->row, b->row);

	return c ? c : by_cost(x, y);
}

static void sort_others(struct path_others *o, int (*by)(const void *, const void *))
{
	if (o->n)
		qsort(o->at, o->n, sizeof(*o->at), by);
}

/* Add up the costs of each row and function: in order, equal places are neighbours. */
static void join_others(struct path_others *o)
{
	size_t k = 0;

	sort_others(o, by_place);
	for (size_t i = 0; i < o->n; i++) {
		if (k && !by_place(&o->at[k - 1], &o->at[i]))
			cost_add(&o->at[k - 1].cost, o->at[i].cost);
		else
			o->at[k++] = o->at[i];
	}
	o->n = k;
}

static int by_group(const void *x, const void *y)
{
	const struct cost_source *a = x, *b = y;
	const int c = order_u64(a->group, b->group);

	return c ? c : order_u64(a->fn, b->fn);
}

/* The tree follows the parts, this push only their sum: no function may get more than
 * its self cost leaves. */
static void keep_to_self(struct gathering *w, const struct path_tree *t)
{
	const struct flow *fl = w->g->fl;
	double *left = NEED_ARRAY(w->g->arena, double, (size_t)fl->in.functions + 1);

	for (uint32_t f = 0; f < fl->in.functions; f++)
		left[tree_label(w->g, f)] +=
			w->g->q->up ? fl->root[f] : (double)fl->in.self[f];
	for (size_t i = 0; i < t->n; i++)
		left[t->rows[i].fn] -= (double)t->rows[i].own;
	if (w->g->one != FLOW_NONE)
		left[tree_label(w->g, w->g->one)] -= (double)t->own;
	for (size_t i = 0; i < w->out.n; i++) {
		int64_t *cost = &w->out.at[i].cost;
		double *l = &left[w->out.at[i].fn];

		if ((double)*cost > *l)
			*cost = *l >= 1 ? (int64_t)*l : 0;
		*l -= (double)*cost;
	}
}

/* Lift the cost that is in no row from each narrow row to the wide row above. */
static void lift(struct growing *g, const struct path_tree *t, int64_t **out)
{
	int64_t *rest = NEED_ARRAY(g->arena, int64_t, t->n + 1);
	int64_t *lifted = NEED_ARRAY(g->arena, int64_t, t->n + 1);
	double wide = g->nodes[TREE_TOP].est / PATH_WIDE;

	g->group = NEED_ARRAY(g->arena, uint32_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		const struct path_tree_row *r = &t->rows[i];
		bool is_wide = (double)r->est >= wide;

		/* The rows below subtract theirs. */
		cost_add(&rest[i], cost_difference(r->est, r->own));
		g->group[i] = is_wide		       ? (uint32_t)i
			      : r->parent == FLOW_NONE ? (uint32_t)t->n
						       : g->group[r->parent];
		if (r->parent != FLOW_NONE)
			cost_subtract(&rest[r->parent], r->est);
	}
	g->group[t->n] = (uint32_t)t->n;
	for (size_t i = t->n; i-- > 0;) {
		const struct path_tree_row *r = &t->rows[i];

		if (r->inner || g->group[i] == i)
			continue;
		cost_add(&lifted[i], rest[i]);
		if (r->parent != FLOW_NONE && g->group[r->parent] != r->parent)
			cost_add(&lifted[r->parent], lifted[i]);
	}
	*out = lifted;
}

/* Push the sources of each group; an estimate. */
static void push_sources(struct gathering *w)
{
	struct growing *g = w->g;
	const size_t n = (size_t)g->fl->in.functions + 1;
	uint64_t edges, groups = 1;

	w->at = NEED_ARRAY(g->arena, struct stop, n);
	w->ring = NEED_ARRAY(g->arena, uint32_t, n);
	w->met = NEED_ARRAY(g->arena, uint32_t, n);
	find_sources(w);
	if (w->n)
		qsort(w->all, w->n, sizeof(*w->all), by_group);
	for (uint32_t i = 1; i < w->n; i++)
		groups += w->all[i].group != w->all[i - 1].group;
	edges = EDGES_MOST / groups > EDGES_LEAST ? EDGES_MOST / groups : EDGES_LEAST;
	for (uint32_t i = 0, end; i < w->n; i = end) {
		for (end = i + 1; end < w->n && w->all[end].group == w->all[i].group;)
			end++;
		need_time(g->cancel);
		push_group(w, i, end, edges);
	}
}

void path_tree_left_out(const struct path_tree *t, struct path_left_out *out)
{
	struct growing *g = t->grown;
	struct gathering w = {.g = g};
	int64_t *lifted = NULL;

	*out = (struct path_left_out){0};
	if (!g)
		return;
	w.out.arena = g->arena;
	lift(g, t, &lifted);
	if (g->known)
		known_others(g, &w.out);
	else
		push_sources(&w);
	if (g->known || g->labels)
		join_others(&w.out);
	if (!g->known || w.out.n > g->most)
		sort_others(&w.out, by_cost);
	if (!g->known)
		keep_to_self(&w, t);
	w.out.n = w.out.n > g->most ? g->most : w.out.n;
	sort_others(&w.out, by_row);
	*out = (struct path_left_out){lifted, w.out.at, w.out.n};
}
