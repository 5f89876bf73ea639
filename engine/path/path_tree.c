/*
 * path_tree.c - trees of callers and callees with their share of cost; see path.h.
 *
 * A node is a chain of functions from the top of the tree.  To expand it is to split its
 * cost over the calls that go on from its function, in either direction:
 *
 *	down	[top ... f] -> h	est(.. f h) = est(.. f) * R(f -> h) / T(f)
 *	up	g -> [f ... top]	est(g f ..) = est(f ..) * R(g -> f) / T(f)
 *
 * A heap gives the node with the most cost that is not split yet, so that the rows kept
 * are the costliest.
 *
 * With labels each place of a node is split, and what goes on to one label is one node.  Calls
 * inside a group bring cost to other places of the same node, until next to nothing moves:
 * its cost counts once, where it enters.
 *
 * For a profile of many parts, the tree is the sum of the trees of the parts.  Each part
 * expands its costliest nodes by its own calls, all in one tree, and their cost is taken
 * out of the flow.  The remaining calls are those that no part has shown: the unsplit
 * cost of the nodes goes on along them.  So the frames of each function still add up to
 * its self cost.
 */

#include <string.h>

#include "engine/flow/chain.h"
#include "engine/flow/pairs.h"
#include "engine/names/fnset.h"
#include "engine/path/path_tree_in.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/heap.h"

enum {
	POLL = 256, /* nodes between two polls of cancel */
	/* Nodes that each part may expand, at most and at least; and all parts together. */
	PART_NODES = 10000,
	PART_NODES_LEAST = 40,
	PARTS_NODES = 1000000,
	/* Places that are split, and nodes, for a row of groups, on average. */
	GROUP_SPLITS = 4,
	GROUP_NODES = 3,
};

void tree_reserve(struct arena *a, void *pp, size_t *cap, uint32_t n, size_t size)
{
	need_grow(a, pp, cap, n, (size_t)n + 1, size);
}

/* The cost that stays at f: its self cost or, in a tree of callers, the cost that no
 * call brought. */
static double own_cost(const struct growing *g, const struct flow *fl, uint32_t f)
{
	return g->q->up ? fl->root[f] : (double)fl->in.self[f];
}

/* ---- heap: the most on top ---- */

/* Of equal costs the older node first, so that equal trees have equal rows. */
static bool above(const struct growing *unused, const struct waiting *a,
		  const struct waiting *b)
{
	(void)unused;
	return a->cost != b->cost ? a->cost > b->cost : a->node < b->node;
}

HEAP(waiting, struct waiting, const struct growing *, above)

static void push_node(struct growing *g, uint32_t node, double cost)
{
	tree_reserve(g->arena, &g->heap, &g->heap_cap, g->nheap, sizeof(*g->heap));
	waiting_push(g->heap, g->nheap++, (struct waiting){cost, node}, g);
}

/* ---- nodes ---- */

static uint32_t make_node(struct growing *g, uint32_t parent, uint32_t fn, uint32_t edge)
{
	tree_reserve(g->arena, &g->nodes, &g->cap, g->n, sizeof(*g->nodes));
	g->nodes[g->n] = (struct node){.fn = fn,
				       .parent = parent,
				       .edge = edge,
				       .depth = g->nodes[parent].depth + 1};
	return g->n++;
}

/* Only parts, and places of the node that is being expanded, can have made it before. */
uint32_t tree_child(struct growing *g, uint32_t parent, uint32_t fn, uint32_t edge)
{
	const uint32_t label = tree_label(g, fn);
	uint32_t h, probe, i;

	if (!g->shown) {
		if (!g->node_at)
			return make_node(g, parent, fn, edge);
		if (!g->node_at[label])
			g->node_at[label] = make_node(g, parent, fn, edge);
		return g->node_at[label];
	}
	h = (uint32_t)hash_mix((uint64_t)parent << 32 | label);
	probe = hash_start(&g->by, h);
	while ((i = hash_next(&g->by, h, &probe)) != HASH_NONE)
		if (g->nodes[i].parent == parent && tree_node_label(g, i) == label)
			return i;
	if (hash_add(&g->by, h, g->n))
		need_memory(g->arena);
	return make_node(g, parent, fn, edge);
}

/* ---- places ---- */

static uint32_t place_hash(uint32_t node, uint32_t fn)
{
	return (uint32_t)hash_mix((uint64_t)node << 32 | fn);
}

static uint32_t *place_slot(const struct growing *g, uint32_t fn, uint32_t edge)
{
	return &g->place_at[!g->fl->pairs	? fn
			    : edge == FLOW_NONE ? g->fl->in.edges + fn
						: edge];
}

/* Are both the same place?  With pairs, cost that came by another call goes on otherwise, so the
 * calls must be the same, too. */
static bool is_place(const struct growing *g, uint32_t fn, uint32_t edge, uint32_t fn2,
		     uint32_t edge2)
{
	return fn == fn2 && (edge == edge2 || !g->fl->pairs);
}

static uint32_t add_place(struct growing *g, struct place x)
{
	const uint32_t p = g->nplaces++;

	tree_reserve(g->arena, &g->places, &g->places_cap, p, sizeof(*g->places));
	g->places[p] = x;
	if (!g->shown)
		*place_slot(g, x.fn, x.edge) = p;
	else if (hash_add(&g->by_place, place_hash(x.node, x.fn), p))
		need_memory(g->arena);
	return p;
}

static uint32_t find_place(const struct growing *g, uint32_t node, uint32_t fn,
			   uint32_t edge)
{
	const uint32_t h = place_hash(node, fn);
	uint32_t probe = hash_start(&g->by_place, h), p;

	if (g->shown) {
		while ((p = hash_next(&g->by_place, h, &probe)) != HASH_NONE)
			if (g->places[p].node == node &&
			    is_place(g, g->places[p].fn, g->places[p].edge, fn, edge))
				return p;
		return 0;
	}
	p = *place_slot(g, fn, edge);
	if (!p || g->places[p].node == node)
		return p;
	/* A function may be a place of the node and of one below it. */
	for (p = tree_place(g, node); p; p = g->places[p].next)
		if (is_place(g, g->places[p].fn, g->places[p].edge, fn, edge))
			break;
	return p;
}

/* The place of a node; 0: it has this function alone. */
static uint32_t place_in(struct growing *g, uint32_t node, uint32_t fn, uint32_t edge)
{
	const struct node x = g->nodes[node];
	uint32_t p, first;

	if (!g->labels)
		return 0;
	if (!tree_several(g, node)) {
		if (is_place(g, x.fn, x.edge, fn, edge))
			return 0;
		p = add_place(g, (struct place){x.fn, x.edge, node, 0, x.est, x.rest});
		g->nodes[node].edge = p;
		g->nodes[node].fn = g->fl->in.functions + tree_label(g, fn);
	}
	p = find_place(g, node, fn, edge);
	if (p)
		return p;
	first = tree_place(g, node);
	p = add_place(g, (struct place){fn, edge, node, g->places[first].next, 0, 0});
	g->places[first].next = p;
	return p;
}

/* Forget where the places of a node are. */
static void forget_places(struct growing *g, uint32_t node)
{
	for (uint32_t p = tree_place(g, node); p && !g->shown; p = g->places[p].next)
		*place_slot(g, g->places[p].fn, g->places[p].edge) = 0;
}

/* Half a unit rounds to a row of 0.  A part has a share of what `min` is about: with it or
 * without, each part goes on as far. */
static bool may_grow(const struct growing *g, const struct node *x)
{
	return x->fn != FLOW_NONE && (!g->q->depth || x->depth < g->q->depth) &&
	       x->est >= 0.5 && (g->in_part || !path_under_min(x->est, g->q->min));
}

/* Edge i leads out of the tree. */
static bool left_out(const struct growing *g, uint32_t node, uint32_t i)
{
	uint32_t to = tree_other_end(g, i);

	return g->avoided[to] ||
	       (node == TREE_TOP && g->q->of == TREE_CALLS && to == g->one);
}

/* Without the calls of the top by itself. */
static double through_at(const struct growing *g, const struct flow *fl, uint32_t node,
			 uint32_t f)
{
	double through = fl->through[f];

	if (node != TREE_TOP || g->q->of != TREE_CALLS)
		return through;
	for (uint32_t i = fl->in.out_first[f]; i < fl->in.out_first[f + 1]; i++)
		if (fl->in.callee[i] == f)
			through -= flow_cost(fl, i);
	return through;
}

/* How the cost of a node goes on: in proportion to the costs of calls or, if it is known
 * by which call it came, of the pairs with that. */
struct node_split {
	const double *pair; /* NULL: in proportion */
	size_t step;
	double sum; /* of the pairs */
};

static bool is_call_of_set(const struct growing *g, uint32_t node, uint32_t edge)
{
	return g->q->of == TREE_CALLS && g->nodes[node].parent == TREE_TOP &&
	       edge == FLOW_NONE;
}

/* The pairs of f with all calls of it by the set (up: by it of the set). */
static double *mix_ways(const struct growing *g, const struct flow *fl, uint32_t f,
			const double *pair)
{
	const struct flow_input *in = &fl->in;
	const uint32_t *first = g->q->up ? in->out_first : in->in_first;
	const size_t columns = pairs_out(fl, f), n = g->q->up ? pairs_in(fl, f) : columns;
	double *sum = NEED_ARRAY(g->arena, double, n);

	for (uint32_t k = first[f]; k < first[f + 1]; k++) {
		const size_t way = k - first[f];

		if (!g->in_set[g->q->up ? in->callee[k] : in->caller[in->in_edge[k]]])
			continue;
		for (size_t j = 0; j < n; j++)
			sum[j] += pair[g->q->up ? j * columns + way : way * columns + j];
	}
	return sum;
}

/* Pairs (pairs.h) of a function say which way out follows which way in: a matrix with a row
 * for each way in and a column for each way out, and one of each for cost that begins or
 * stays here.  Down, the node reads the row of its call; up, the column. */
static void find_split(const struct growing *g, const struct flow *fl, uint32_t node,
		       uint32_t f, uint32_t edge, struct node_split *s)
{
	const bool start = edge == FLOW_NONE, call = is_call_of_set(g, node, edge);
	size_t columns, n;

	*s = (struct node_split){0};
	if (!fl->pairs || (start && !call &&
			   (node == TREE_TOP || g->q->up || g->q->of != TREE_PROGRAM)))
		return;
	pairs_of(fl, f, &s->pair);
	if (!s->pair)
		return;
	columns = pairs_out(fl, f);
	n = g->q->up ? pairs_in(fl, f) : columns;
	s->step = g->q->up && !call ? columns : 1;
	if (call)
		s->pair = mix_ways(g, fl, f, s->pair);
	else if (g->q->up)
		s->pair += edge - fl->in.out_first[f];
	else
		s->pair +=
			(start ? pairs_in(fl, f) - 1 : pairs_way_in(fl, edge)) * columns;
	for (size_t k = 0; k < n; k++)
		s->sum += s->pair[k * s->step];
	if (!(s->sum > 0))
		s->pair = NULL;
}

/* The cost of edge i that no part has shown. */
double tree_unshown(const struct growing *g, uint32_t i)
{
	double cost = flow_cost(g->fl, i);

	if (!g->shown)
		return cost;
	cost -= g->shown[i];
	return cost > 0 ? cost : 0;
}

double tree_unshown_own(const struct growing *g, uint32_t f)
{
	const double all = own_cost(g, g->fl, f);
	const double own = all - (g->shown_own ? g->shown_own[f] : 0);

	return (own > 0) == (all > 0) ? own : 0;
}

double tree_unshown_through(const struct growing *g, uint32_t node, uint32_t f)
{
	struct calls c = tree_calls(g, f);
	double sum;

	if (!g->shown)
		return through_at(g, g->fl, node, f);
	sum = tree_unshown_own(g, f);
	for (uint32_t k = c.first; k < c.end; k++)
		if (node != TREE_TOP || g->q->of != TREE_CALLS ||
		    tree_other_end(g, tree_edge(g, k)) != f)
			sum += tree_unshown(g, tree_edge(g, k));
	return sum;
}

/* Pairs are asked for where a tree ends only if it is one level deep: they take long. */
static double rest_own(const struct growing *g, uint32_t node, const struct place *x)
{
	const struct calls c = tree_calls(g, x->fn);
	struct node_split s = {0};
	double through;

	if (!(x->rest > 0))
		return 0;
	if (!g->shown && is_call_of_set(g, node, x->edge))
		find_split(g, g->fl, node, x->fn, x->edge, &s);
	if (s.pair)
		return x->rest * s.pair[(c.end - c.first) * s.step] / s.sum;
	through = tree_unshown_through(g, node, x->fn);
	return through > 0 ? x->rest * tree_unshown_own(g, x->fn) / through : 0;
}

double tree_rest_own(const struct growing *g, uint32_t node)
{
	uint32_t p = tree_place(g, node);
	double own = 0;

	do {
		const struct place x = tree_at(g, node, p);

		own += rest_own(g, node, &x);
		p = x.next;
	} while (p);
	return own;
}

/* In the heap of a part: a node with one function, or a place. */
#define PLACE 0x80000000u

/* Give `cost` more to a place of a node.  What comes by calls inside a row is part of the row
 * already. */
static void give(struct growing *g, uint32_t node, uint32_t place, double cost,
		 bool enters)
{
	g->nodes[node].est += enters ? cost : 0;
	g->nodes[node].rest += cost;
	if (!place)
		return;
	g->places[place].est += enters ? cost : 0;
	g->places[place].rest += cost;
}

/* Of a part, that alone decides whether it is worth more rows. */
static void add_cost(struct growing *g, uint32_t node, uint32_t place, double cost,
		     bool enters, bool of_part)
{
	struct node x;

	give(g, node, place, cost, enters);
	x = g->nodes[node];
	x.est = of_part ? cost : x.est;
	if ((of_part || (enters && node < g->fresh)) && may_grow(g, &x))
		push_node(g, of_part && place ? place | PLACE : node,
			  of_part ? cost : x.rest);
}

/* How a function passes cost on: in proportion to what no part has shown, to the costs of one
 * part, or to pairs. */
struct passing_on {
	struct node_split s;
	bool part;
	double weight; /* of all calls, and of what stays */
	uint32_t loop; /* the call by which it comes back to the same place; FLOW_NONE */
};

static double weight_of(const struct growing *g, const struct flow *fl,
			const struct passing_on *p, size_t k, uint32_t edge)
{
	return p->s.pair ? p->s.pair[k * p->s.step]
	       : p->part ? flow_cost(fl, edge)
			 : tree_unshown(g, edge);
}

/* A function may call itself inside a row.  That call brings cost back to the same place; in the
 * end it leaves by the other calls, so they share it. */
static void leave_out_loop(const struct growing *g, const struct flow *fl, uint32_t f,
			   uint32_t edge, struct passing_on *p)
{
	const struct calls c = tree_calls(g, f);

	for (uint32_t k = c.first; k < c.end && tree_inside(g, f, f); k++) {
		const uint32_t i = tree_edge(g, k);

		if (tree_other_end(g, i) != f || (p->s.pair && i != edge))
			continue;
		p->weight -= weight_of(g, fl, p, k - c.first, i);
		p->loop = i;
	}
}

/* Split `cost` of a place of a node along the calls of a part, or all that is left of it along
 * the calls that no part has shown.  False: there are none. */
static bool split(struct growing *g, const struct flow *fl, uint32_t node, uint32_t f,
		  uint32_t edge, double cost)
{
	struct passing_on p = {.part = fl != g->fl, .loop = FLOW_NONE};
	const bool part = p.part;
	struct calls c = tree_calls(g, f);
	double share, own;

	p.weight = part ? through_at(g, fl, node, f) : tree_unshown_through(g, node, f);
	if (!(cost > 0) || !(p.weight > 0))
		return false;
	if ((part || !g->shown))
		find_split(g, fl, node, f, edge, &p.s);
	if (p.s.pair)
		p.weight = p.s.sum;
	if (node != TREE_TOP)
		leave_out_loop(g, fl, f, edge, &p);
	if (!(p.weight > 0))
		return false;
	share = cost / p.weight;
	own = share * (p.s.pair ? p.s.pair[(c.end - c.first) * p.s.step]
		       : part	? own_cost(g, fl, f)
				: tree_unshown_own(g, f));
	g->nodes[node].own += own;
	if (part)
		g->shown_own[f] += own;
	for (uint32_t k = c.first; k < c.end; k++) {
		const uint32_t i = tree_edge(g, k), to = tree_other_end(g, i);
		const double some = share * weight_of(g, fl, &p, k - c.first, i);
		const bool inside = tree_inside(g, f, to);
		uint32_t at = node;

		/* All calls of the top are rows. */
		if (!(some > 0) && node != TREE_TOP)
			continue;
		if (part && (node != TREE_TOP || to != f))
			g->shown[i] += some;
		if (left_out(g, node, i) || i == p.loop)
			continue;
		if (!inside)
			at = tree_child(g, node, to, i);
		add_cost(g, at, place_in(g, at, to, i), some, !inside, part);
	}
	return true;
}

/* ---- nodes with labels ---- */

enum { ROUNDS = 64 }; /* along calls inside a row */
#define LITTLE 1e-6   /* of the cost of the node: that may stay where it is */

/* Split what is left at each place; false if nothing is worth another round. */
static bool split_places(struct growing *g, uint32_t node, double least)
{
	uint32_t p = tree_place(g, node);
	double left = 0;
	bool any = false;

	do {
		const struct place x = tree_at(g, node, p);

		if (x.rest > least) {
			g->splits++;
			*(p ? &g->places[p].rest : &g->nodes[node].rest) = 0;
			if (split(g, g->fl, node, x.fn, x.edge, x.rest))
				any = true;
			else
				*(p ? &g->places[p].rest : &g->nodes[node].rest) +=
					x.rest;
		}
		p = p ? p : tree_place(g, node); /* it has several now */
		p = p ? g->places[p].next : 0;
	} while (p);
	if (!tree_several(g, node))
		return any && g->nodes[node].rest > least;
	for (p = tree_place(g, node); p; p = g->places[p].next)
		left += g->places[p].rest;
	g->nodes[node].rest = left;
	return any && left > least;
}

void tree_made(struct growing *g, uint32_t node, double cost)
{
	if (!g->shown) {
		g->node_at[tree_node_label(g, node)] = 0;
		forget_places(g, node);
	}
	if (cost > 0 && may_grow(g, &g->nodes[node]))
		push_node(g, node, cost);
}

static void push_new(struct growing *g, uint32_t from)
{
	for (uint32_t k = from; k < g->n; k++)
		tree_made(g, k, g->nodes[k].rest);
	g->fresh = UINT32_MAX;
}

static void expand_places(struct growing *g, uint32_t node)
{
	const bool groups = g->labels->group;
	const double least = groups ? g->nodes[node].rest * LITTLE : 0;

	g->fresh = g->n;
	for (uint32_t p = tree_place(g, node); groups && p && !g->shown;
	     p = g->places[p].next)
		*place_slot(g, g->places[p].fn, g->places[p].edge) = p;
	for (int k = 0; k < ROUNDS && split_places(g, node, least); k++)
		;
	forget_places(g, node);
	push_new(g, g->fresh);
}

static void expand(struct growing *g, uint32_t node)
{
	const struct node x = g->nodes[node];

	if (g->known)
		known_expand(g, node);
	else if (g->labels)
		expand_places(g, node);
	else if (split(g, g->fl, node, x.fn, x.edge, x.rest))
		g->nodes[node].rest = 0;
}

static void expand_part(struct growing *g, const struct flow *fl, struct waiting w)
{
	const bool is_place = w.node & PLACE;
	/* The node may have become several places since: this is the first of them. */
	const uint32_t node = is_place ? g->places[w.node & ~PLACE].node : w.node;
	const uint32_t p = is_place ? w.node & ~PLACE : tree_place(g, node);
	const struct place x = tree_at(g, node, p);

	if (!split(g, fl, node, x.fn, x.edge, w.cost))
		return;
	g->nodes[node].rest -= w.cost;
	if (p)
		g->places[p].rest -= w.cost;
	else if (tree_several(g, node))
		g->places[tree_place(g, node)].rest -= w.cost;
}

/* Several starts may be of one label: list those of each node. */
static void link_start(struct growing *g, uint32_t *first, uint32_t node, uint32_t k)
{
	g->starts.all[k].next = first[node];
	first[node] = k + 1;
	g->nstarts = g->nstarts > node ? g->nstarts : node;
}

/* Make the nodes of the starts, with their cost if `whole`, else without. */
static void put_starts(struct growing *g, bool whole)
{
	uint32_t *first = NULL;
	struct node *top = &g->nodes[TREE_TOP];

	if (whole) {
		top->est = g->starts.est;
		top->rest = g->one == FLOW_NONE ? 0 : top->est;
		top->own = g->starts.own;
	}
	if (g->labels)
		g->start = first =
			NEED_ARRAY(g->arena, uint32_t, (size_t)g->starts.n + 2);
	g->nstarts = g->labels ? 0 : g->starts.n;
	g->fresh = g->labels ? 0 : UINT32_MAX;
	for (uint32_t k = 0; k < g->starts.n; k++) {
		const struct start *s = &g->starts.all[k];
		const uint32_t to = tree_child(g, TREE_TOP, s->fn, FLOW_NONE);
		const uint32_t place = place_in(g, to, s->fn, FLOW_NONE);

		if (whole && !s->inner)
			add_cost(g, to, place, s->est, true, false);
		if (first)
			link_start(g, first, to, k);
	}
	if (g->labels && whole)
		push_new(g, 1);
	g->fresh = UINT32_MAX;
	if (whole && g->one != FLOW_NONE)
		push_node(g, TREE_TOP, g->nodes[TREE_TOP].rest);
}

/* ---- the parts of a profile ---- */

/* Add the starts of a part to the nodes that earlier parts have made. */
static void put_part_starts(struct growing *g, const struct starts *s)
{
	g->nodes[TREE_TOP].est += s->est;
	if (g->one != FLOW_NONE) {
		g->nodes[TREE_TOP].rest += s->est;
		push_node(g, TREE_TOP, s->est);
		return;
	}
	g->nodes[TREE_TOP].own += s->own;
	for (uint32_t k = 0; k < s->n; k++) {
		const struct start *x = &s->all[k];
		uint32_t to, place;

		if (x->inner)
			continue;
		to = tree_child(g, TREE_TOP, x->fn, FLOW_NONE);
		place = place_in(g, to, x->fn, FLOW_NONE);
		give(g, to, place, x->est, true);
		if (may_grow(g, &g->nodes[to]))
			push_node(g, place ? place | PLACE : to, x->est);
	}
}

/* Expand the costliest nodes with the calls of one part.  What is left in the heap is
 * dropped: its costs are in `rest` of the nodes. */
static void grow_part(struct growing *g, const struct flow *fl, struct arena *scratch,
		      uint32_t most)
{
	struct starts s;

	arena_reset(scratch);
	tree_starts(g, fl, scratch, &s);
	put_part_starts(g, &s);
	for (uint32_t k = 0; g->nheap && k < most; k++) {
		expand_part(g, fl, waiting_pop(g->heap, --g->nheap, g));
	}
	g->nheap = 0;
}

/* The cost that the parts left unsplit waits for the remaining calls. */
static void grow_parts(struct growing *g)
{
	uint32_t parts = flow_parts_count(g->q->parts), most = PARTS_NODES / parts;
	const struct flow *fl;
	struct arena *scratch;

	most = most > PART_NODES ? PART_NODES : most;
	most = most < PART_NODES_LEAST ? PART_NODES_LEAST : most;
	g->shown_own = NEED_ARRAY(g->arena, double, (size_t)g->fl->in.functions + 1);
	g->shown = NEED_ARRAY(g->arena, double, (size_t)g->fl->in.edges + 1);
	put_starts(g, false);
	g->in_part = true;
	scratch = need_scratch(g->arena);
	flow_parts_rewind(g->q->parts);
	for (;;) {
		flow_parts_next(g->q->parts, &fl);
		if (!fl)
			break;
		grow_part(g, fl, scratch, most);
	}
	g->in_part = false;
	scratch_free(scratch);
	for (uint32_t i = 0; i < g->n; i++)
		if (g->nodes[i].rest >= 0.5 && may_grow(g, &g->nodes[i]))
			push_node(g, i, g->nodes[i].rest);
}

/* ---- */

static void prepare_tree(struct growing *g)
{
	const struct path_tree_query *q = g->q;
	uint32_t first = q->set ? fnset_next(q->set, 0) : FNSET_NONE;

	g->in_set = chain_marks(g->fl, q->set, g->arena);
	g->avoided = chain_marks(g->fl, q->avoiding, g->arena);
	g->one = first != FNSET_NONE && fnset_next(q->set, first + 1) == FNSET_NONE
			 ? first
			 : FLOW_NONE;
	tree_reserve(g->arena, &g->nodes, &g->cap, 0, sizeof(*g->nodes));
	g->nodes[TREE_TOP] =
		(struct node){.fn = g->one, .edge = FLOW_NONE, .parent = FLOW_NONE};
	g->n = 1;
	if (g->known)
		return;
	tree_starts(g, g->fl, g->arena, &g->starts);
	if (g->one != FLOW_NONE && !g->counted)
		tree_add_own_call(g);
	tree_sum_top(g);
}

static void prepare_labels(struct growing *g)
{
	const struct flow_input *in = &g->fl->in;
	const size_t ways = g->fl->pairs ? in->edges : 0;

	g->node_at = NEED_ARRAY(g->arena, uint32_t, (size_t)g->labels->n + 1);
	g->place_at = NEED_ARRAY(g->arena, uint32_t, ways + in->functions + 1);
	tree_reserve(g->arena, &g->places, &g->places_cap, 0, sizeof(*g->places));
	tree_reserve(g->arena, &g->bounds, &g->bounds_cap, 0, sizeof(*g->bounds));
	g->nplaces = g->nbounds = 1;
}

/* A node of a group has as many calls as all its functions. */
static bool groups_are_large(const struct growing *g)
{
	const uint32_t most = g->most > PATH_TREE_ROWS ? g->most : PATH_TREE_ROWS;

	return g->labels && g->labels->group &&
	       (g->splits / GROUP_SPLITS >= most || g->n / GROUP_NODES >= most);
}

/* All cost of the program.  Its roots have this, unless calls contradict each other by
 * orders of magnitude: the cost that no root explains is then in no row. */
static struct path_bounds program_bounds(const struct flow *fl)
{
	int64_t total = 0;

	for (uint32_t f = 0; f < fl->in.functions; f++)
		cost_add(&total, fl->in.self[f]);
	return fl->mixed ? path_bounds_of((double)total, 0, INT64_MAX, false)
			 : path_bounds_exact(total);
}

static struct path_bounds base_bounds(const struct growing *g)
{
	double est = g->nodes[TREE_TOP].est;

	if (g->known)
		return path_bounds_exact(g->known->node[TREE_TOP].est);
	if (g->q->of == TREE_PROGRAM)
		return program_bounds(g->fl);
	if (g->one != FLOW_NONE || g->q->as_one)
		return path_bounds_of(g->q->one.measured ? g->q->one.est : est,
				      g->q->one.lo, g->q->one.hi, g->q->one.bounded);
	return path_bounds_of(est, 0, INT64_MAX, false);
}

/* A function that may nest has one estimate of all parts, too: its rows add up to that. */
static void scale_to_whole(struct growing *g)
{
	const double parts = g->nodes[TREE_TOP].est, whole = g->q->one.est;

	if (g->one == FLOW_NONE || !g->q->parts || g->q->one.measured || parts <= 0 ||
	    whole <= 0)
		return;
	for (uint32_t i = 0; i < g->n; i++) {
		g->nodes[i].est *= whole / parts;
		g->nodes[i].rest *= whole / parts;
		g->nodes[i].own *= whole / parts;
	}
	for (uint32_t i = 0; i < g->nplaces; i++) {
		g->places[i].est *= whole / parts;
		g->places[i].rest *= whole / parts;
	}
}

static void grow_tree(const struct flow *fl, const struct path_tree_query *q,
		      struct arena *a, const struct cancel *cancel, struct path_tree *out)
{
	struct growing *g = NEED_NEW(a, struct growing);
	struct path_tree_query *asked = NEED_NEW(a, struct path_tree_query);
	struct path_tree t = {0};
	struct flow *none;

	*asked = *q;
	*g = (struct growing){.fl = fl,
			      .q = asked,
			      .arena = a,
			      .cancel = cancel,
			      .by = {.arena = a},
			      .by_place = {.arena = a},
			      .labels = q->labels,
			      .most = q->rows ? q->rows : PATH_TREE_ROWS};
	if (q->of == TREE_FRAMES && (q->as_one || fnset_count(q->set) == 1)) {
		asked->of = TREE_CALLS;
		g->counted = true;
	}
	if (q->stacks) {
		g->known = NEED_NEW(a, struct known);
		g->known->s = *q->stacks;
		g->fl = none = NEED_NEW(a, struct flow);
		none->in.functions = q->stacks->functions;
	}
	prepare_tree(g);
	if (g->labels)
		prepare_labels(g);
	if (g->known)
		known_begin(g);
	else if (q->parts)
		grow_parts(g);
	else
		put_starts(g, true);
	for (uint32_t k = 0; g->nheap && k <= g->most && !groups_are_large(g); k++) {
		if (k % POLL == 0)
			need_time(cancel);
		expand(g, waiting_pop(g->heap, --g->nheap, g).node);
	}
	scale_to_whole(g);
	t.cut = g->nheap > 0;
	t.base = base_bounds(g);
	if (q->of == TREE_PROGRAM && !g->known) {
		t.unrooted = path_rounded(t.base.est - g->nodes[TREE_TOP].est);
		g->nodes[TREE_TOP].est = t.base.est;
	}
	tree_rows(g, &t);
	tree_proven(g, &t);
	/* Cost that the query itself leaves out is no part of the answer. */
	if (!q->depth && !(q->min > 0) && (t.cut || !g->known))
		t.grown = g;
	*out = t;
}

/* ---- the last answer, in the arena of the flow ---- */

/* Of many functions, of which a tree takes a look at each; the sets are copies. */
struct tree_kept {
	struct path_tree_query q;
	struct fn_set *set, *avoiding;
	struct path_tree t; /* without rows: not complete */
	struct path_tree_row *rows;
	size_t cap;
};

static bool may_keep(const struct flow *fl, const struct path_tree_query *q)
{
	return fl && fl->tree && q->set && fnset_count(q->set) > 1 &&
	       q->set->functions == fl->in.functions && !q->entry && !q->parts &&
	       !q->labels && !q->stacks && !q->itself && !q->as_one;
}

static bool is_kept(const struct tree_kept *k, const struct path_tree_query *q)
{
	return k && k->t.rows && k->q.of == q->of && k->q.up == q->up &&
	       k->q.depth == q->depth && k->q.rows == q->rows &&
	       k->q.uncounted == q->uncounted && !(k->q.min < q->min) &&
	       !(k->q.min > q->min) && fnset_same(k->set, q->set) &&
	       fnset_same(k->q.avoiding ? k->avoiding : NULL, q->avoiding);
}

static void keep_tree(const struct flow *fl, const struct path_tree_query *q,
		      const struct path_tree *t)
{
	struct tree_kept *k = *fl->tree;
	const uint32_t n = fl->in.functions;

	if (!k) {
		k = *fl->tree = NEED_NEW(fl->arena, struct tree_kept);
		k->set = fnset_new(fl->arena, n);
		k->avoiding = fnset_new(fl->arena, n);
	}
	k->t.rows = NULL;
	if (arena_grow(fl->arena, &k->rows, &k->cap, 0, t->n + 1, sizeof(*k->rows)))
		return; /* it will be made again */
	memcpy(k->rows, t->rows, t->n * sizeof(*t->rows));
	fnset_become(k->set, q->set);
	if (q->avoiding)
		fnset_become(k->avoiding, q->avoiding);
	k->q = *q;
	k->t = *t;
	k->t.rows = k->rows;
}

void path_tree(const struct flow *fl, const struct path_tree_query *q, struct arena *a,
	       const struct cancel *cancel, struct path_tree *out)
{
	const bool keeps = may_keep(fl, q);

	if (!keeps || !is_kept(*fl->tree, q)) {
		grow_tree(fl, q, a, cancel, out);
		if (keeps && !out->grown && out->n)
			keep_tree(fl, q, out);
		return;
	}
	*out = (*fl->tree)->t;
	out->rows = NEED_ARRAY(a, struct path_tree_row, out->n + 1);
	memcpy(out->rows, (*fl->tree)->rows, out->n * sizeof(*out->rows));
}
