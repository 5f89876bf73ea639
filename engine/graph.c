/*
 * graph.c - reading a graph: the store itself, or the columns of a stage; see graph.h.
 *
 * A graph made by a stage computes an event's columns once: the stage fills self[] and
 * edge[], the inclusive costs follow from them as in the index (inclusive.h).  Where
 * functions were merged, what returns to a group is followed in the graph below, which knows
 * more: which of its functions leads where.
 */
#include "engine/graph.h"

#include <string.h>

#include "index/inclusive.h"

struct graph_costs {
	uint64_t *self, *incl; /* [functions] */
	uint64_t *edge;	       /* [edges] */
	uint64_t *cycle;       /* [cycles + 1]: inclusive */
	uint64_t total;
};

int graph_plain(struct store *st, struct arena *a, const struct cancel *cancel,
		struct graph **out, struct err *err)
{
	const struct store_info *i = store_info(st);
	struct graph *g = ARENA_NEW(a, struct graph);

	if (!g)
		return arena_full(a, err);
	g->st = st;
	g->a = a;
	g->cancel = cancel;
	g->functions = i->functions;
	g->edges = i->edges;
	g->cycles = i->cycles;
	g->plain = g->detail = true;
	*out = g;
	return 0;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t s;

	return __builtin_add_overflow(a, b, &s) ? UINT64_MAX : s;
}

/* Edge e is inside f, or inside the cycle of f. */
static bool stays(const struct graph *g, uint32_t f, uint32_t to)
{
	return to == f || (g->cycle[f] && g->cycle[to] == g->cycle[f]);
}

/* What enters each group from outside, by functions below that are not in it already. */
static int entered(struct graph *g, const struct flow_input *in, uint64_t *out,
		   struct err *err)
{
	uint64_t *called = ARENA_ARRAY(g->a, uint64_t, (size_t)in->functions + 1);

	if (!called)
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < in->functions; f++)
		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			uint32_t to = in->callee[i];

			called[to] = add(called[to], in->incl[i]);
			if (g->group[to] != g->group[f] && !g->again[to])
				out[g->group[to]] = add(out[g->group[to]], in->incl[i]);
		}
	for (uint32_t f = 0; f < in->functions; f++) {
		uint64_t spent = in->self[f];

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
			spent = add(spent, in->incl[i]);
		if (spent > called[f] && !g->again[f])
			out[g->group[f]] = add(out[g->group[f]], spent - called[f]);
	}
	return 0;
}

/* Members of each group: member[first[k]] up to member[first[k + 1]]. */
static int list_members(struct graph *g, uint32_t below, uint32_t **first,
			uint32_t **member, struct err *err)
{
	uint32_t *at = ARENA_ARRAY(g->a, uint32_t, (size_t)g->functions + 2);
	uint32_t *list = ARENA_ARRAY(g->a, uint32_t, (size_t)below + 1);

	if (!at || !list)
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < below; f++)
		at[g->group[f] + 1]++;
	for (uint32_t k = 0; k < g->functions; k++)
		at[k + 1] += at[k];
	for (uint32_t f = below; f-- > 0;)
		list[--at[g->group[f] + 1]] = f;
	for (uint32_t k = 0; k < g->functions; k++)
		at[k] = at[k + 1];
	at[g->functions] = below;
	*first = at;
	*member = list;
	return 0;
}

static void estimate(struct graph *g, struct graph_costs *c, uint32_t f, uint32_t e,
		     double incl)
{
	uint64_t lo, hi;

	graph_incl_bounds(g, f, e, &lo, &hi);
	c->incl[f] = incl <= (double)lo	  ? lo
		     : incl >= (double)hi ? hi
					  : (uint64_t)(incl + 0.5);
}

static uint32_t count_nesting(const struct graph *g)
{
	uint32_t n = 0;

	for (uint32_t f = 0; f < g->functions; f++)
		n += graph_incl_estimated(g, f);
	return n;
}

/* Functions of this graph that may nest in themselves. */
static int nested(struct graph *g, struct graph_costs *c, uint32_t e, struct err *err)
{
	uint32_t n = count_nesting(g);
	struct flow_input in;
	struct call_costs costs;
	struct returning r;

	if (!n || graph_flow_input(g, e, &in, err))
		return (int)err->kind;
	costs = flow_call_costs(&in, g->cycle);
	if (returning_init(&r, &costs, g->a))
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < g->functions; f++) {
		if (g->nests[f])
			estimate(g, c, f, e,
				 (double)c->incl[f] - returning_cost(&r, &f, 1, NULL,
								     returning_edges(n)));
		if (f % 256 == 0 && cancel_poll(g->cancel, err))
			return (int)err->kind;
	}
	return 0;
}

/* Groups of functions of the graph below. */
static int nested_groups(struct graph *g, struct graph_costs *c, uint32_t e,
			 struct err *err)
{
	uint32_t n = count_nesting(g), *circle, *first = NULL, *member = NULL;
	uint64_t *enter = ARENA_ARRAY(g->a, uint64_t, (size_t)g->functions + 1);
	struct flow_input in;
	struct call_costs costs;
	struct returning r;

	if (!enter)
		return arena_full(g->a, err);
	if (graph_flow_input(g->below, e, &in, err))
		return (int)err->kind;
	circle = ARENA_ARRAY(g->a, uint32_t, (size_t)in.functions + 1);
	if (!circle)
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < in.functions; f++)
		circle[f] = g->cycle[g->group[f]];
	costs = flow_call_costs(&in, circle);
	if (returning_init(&r, &costs, g->a))
		return arena_full(g->a, err);
	if (entered(g, &in, enter, err) ||
	    list_members(g, in.functions, &first, &member, err))
		return (int)err->kind;
	for (uint32_t k = 0; k < g->functions; k++) {
		if (g->only[k] != GRAPH_NONE)
			c->incl[k] = graph_incl(g->below, g->only[k], e);
		else if (g->nests[k])
			estimate(g, c, k, e,
				 (double)enter[k] -
					 returning_cost(&r, member + first[k],
							first[k + 1] - first[k], g->again,
							16 * returning_edges(n)));
		if (k % 256 == 0 && cancel_poll(g->cancel, err))
			return (int)err->kind;
	}
	return 0;
}

static int inclusive(struct graph *g, struct graph_costs *c, uint32_t e, struct err *err)
{
	for (uint32_t f = 0; f < g->functions; f++) {
		uint64_t all = c->self[f], leaving = all;

		c->total = add(c->total, all);
		for (uint32_t i = g->out_first[f]; i < g->out_first[f + 1]; i++) {
			if (g->callee[i] != f)
				all = add(all, c->edge[i]);
			if (!stays(g, f, g->callee[i]))
				leaving = add(leaving, c->edge[i]);
		}
		c->incl[f] = all;
		if (g->cycle[f])
			c->cycle[g->cycle[f]] = add(c->cycle[g->cycle[f]], leaving);
	}
	if (!g->cycles)
		return 0;
	return g->group ? nested_groups(g, c, e, err) : nested(g, c, e, err);
}

int graph_event(struct graph *g, uint32_t e, struct err *err)
{
	struct graph_costs *c;

	if (g->plain || g->costs[e])
		return 0;
	c = ARENA_NEW(g->a, struct graph_costs);
	if (!c)
		return arena_full(g->a, err);
	c->self = ARENA_ARRAY(g->a, uint64_t, (size_t)g->functions + 1);
	c->incl = ARENA_ARRAY(g->a, uint64_t, (size_t)g->functions + 1);
	c->cycle = ARENA_ARRAY(g->a, uint64_t, (size_t)g->cycles + 1);
	c->edge = ARENA_ARRAY(g->a, uint64_t, (size_t)g->edges + 1);
	if (!c->self || !c->incl || !c->cycle || !c->edge)
		return arena_full(g->a, err);
	if (g->fill(g, e, c->self, c->edge, err))
		return (int)err->kind;
	g->costs[e] = c; /* which inclusive() reads through the getters */
	if (inclusive(g, c, e, err)) {
		g->costs[e] = NULL;
		return (int)err->kind;
	}
	return 0;
}

static const struct graph_costs *costs(const struct graph *g, uint32_t e)
{
	static const struct graph_costs none;

	return g->costs[e] ? g->costs[e] : &none;
}

uint32_t graph_id(const struct graph *g, uint32_t f)
{
	return g->plain ? f : g->origin[f];
}

struct str graph_name(const struct graph *g, uint32_t f)
{
	if (g->plain)
		return store_fn_shown(g->st, f);
	return g->name[f].p ? g->name[f] : store_fn_shown(g->st, g->origin[f]);
}

struct str graph_file(const struct graph *g, uint32_t f)
{
	if (!g->plain && g->mixed && (g->mixed[f] & 1))
		return STR("(several)");
	return store_fn_file(g->st, g->plain ? f : g->origin[f]);
}

struct str graph_obj(const struct graph *g, uint32_t f)
{
	if (!g->plain && g->mixed && (g->mixed[f] & 2))
		return STR("(several)");
	return store_fn_obj(g->st, g->plain ? f : g->origin[f]);
}

uint64_t graph_line(const struct graph *g, uint32_t f)
{
	if (g->plain)
		return store_fn_line(g->st, f);
	return g->name[f].p ? 0 : store_fn_line(g->st, g->origin[f]);
}

uint32_t graph_cycle(const struct graph *g, uint32_t f)
{
	return g->plain ? store_fn_cycle(g->st, f) : g->cycle[f];
}

uint64_t graph_calls(const struct graph *g, uint32_t f)
{
	return g->plain ? store_fn_calls(g->st, f) : g->fn_calls[f];
}

uint64_t graph_self(const struct graph *g, uint32_t f, uint32_t e)
{
	return g->plain	     ? store_fn_self(g->st, f, e)
	       : g->costs[e] ? g->costs[e]->self[f]
			     : 0;
}

uint64_t graph_incl(const struct graph *g, uint32_t f, uint32_t e)
{
	return g->plain	     ? store_fn_incl(g->st, f, e)
	       : g->costs[e] ? g->costs[e]->incl[f]
			     : 0;
}

bool graph_nests(const struct graph *g, uint32_t f)
{
	return g->plain ? store_fn_nests(g->st, f) : g->nests[f];
}

bool graph_incl_estimated(const struct graph *g, uint32_t f)
{
	return graph_nests(g, f) && (g->plain || !g->only || g->only[f] == GRAPH_NONE);
}

/* What the edges into f and out of it tell. */
static void know(const struct graph *g, uint32_t f, uint32_t e, struct incl_known *k)
{
	uint32_t cycle = graph_cycle(g, f), first, n;

	k->spent = k->leaving = graph_self(g, f, e);
	graph_callees(g, f, &first, &n);
	for (uint32_t i = first; i < first + n; i++) {
		uint64_t cost = graph_edge_incl(g, i, e);
		struct store_edge x;

		graph_edge(g, i, &x);
		if (x.recursive)
			continue;
		k->spent = add(k->spent, cost);
		if (!x.in_cycle)
			k->leaving = add(k->leaving, cost);
		if (cost > k->once && !graph_nests(g, x.callee))
			k->once = cost;
	}
	n = graph_caller_count(g, f);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = graph_caller(g, f, i);
		uint64_t cost = graph_edge_incl(g, id, e);
		struct store_edge x;

		graph_edge(g, id, &x);
		if (x.recursive)
			continue;
		k->called = add(k->called, cost);
		if (!x.in_cycle)
			k->entering = add(k->entering, cost);
		if (cost > k->once && !graph_nests(g, x.caller))
			k->once = cost;
	}
	k->cycle = cycle ? graph_cycle_incl(g, cycle, e) : k->leaving;
}

void graph_incl_bounds(const struct graph *g, uint32_t f, uint32_t e, uint64_t *lo,
		       uint64_t *hi)
{
	struct incl_known k = {0};

	*lo = *hi = graph_incl(g, f, e);
	if (!graph_incl_estimated(g, f))
		return;
	know(g, f, e, &k);
	incl_bounds(&k, lo, hi);
}

uint64_t graph_through(const struct graph *g, uint32_t f, uint32_t e, uint64_t *root)
{
	uint64_t called = graph_incoming(g, f, e), spent = graph_self(g, f, e);
	uint32_t first, n;

	graph_callees(g, f, &first, &n);
	for (uint32_t i = first; i < first + n; i++)
		spent = add(spent, graph_edge_incl(g, i, e));
	*root = spent > called ? spent - called : 0;
	return spent > called ? spent : called;
}

uint64_t graph_contribution(const struct graph *g, uint32_t f, uint32_t e)
{
	struct incl_known k = {0};

	know(g, f, e, &k);
	return k.leaving;
}

uint64_t graph_incoming(const struct graph *g, uint32_t f, uint32_t e)
{
	uint64_t sum = 0;

	for (uint32_t i = 0, n = graph_caller_count(g, f); i < n; i++)
		sum = add(sum, graph_edge_incl(g, graph_caller(g, f, i), e));
	return sum;
}

/* 100 %: the whole profile, or the parts chosen; other stages leave it as it is. */
uint64_t graph_total(const struct graph *g, uint32_t e)
{
	if (g->whole)
		return costs(g->whole, e)->total;
	return store_total(g->st, e);
}

void graph_edge(const struct graph *g, uint32_t edge, struct store_edge *out)
{
	if (g->plain) {
		store_edge(g->st, edge, out);
		return;
	}
	out->caller = g->caller[edge];
	out->callee = g->callee[edge];
	out->calls = g->calls[edge];
	out->recursive = out->caller == out->callee;
	out->in_cycle =
		out->recursive ||
		(g->cycle[out->caller] && g->cycle[out->caller] == g->cycle[out->callee]);
}

uint64_t graph_edge_incl(const struct graph *g, uint32_t edge, uint32_t e)
{
	return g->plain		   ? store_edge_incl(g->st, edge, e)
	       : costs(g, e)->edge ? costs(g, e)->edge[edge]
				   : 0;
}

void graph_callees(const struct graph *g, uint32_t f, uint32_t *first, uint32_t *n)
{
	if (g->plain) {
		store_callees(g->st, f, first, n);
		return;
	}
	*first = g->out_first[f];
	*n = g->out_first[f + 1] - *first;
}

uint32_t graph_caller_count(const struct graph *g, uint32_t f)
{
	return g->plain ? store_caller_count(g->st, f)
			: g->in_first[f + 1] - g->in_first[f];
}

uint32_t graph_caller(const struct graph *g, uint32_t f, uint32_t i)
{
	return g->plain ? store_caller(g->st, f, i) : g->in_edge[g->in_first[f] + i];
}

uint32_t graph_of_store(const struct graph *g, fn_id f)
{
	return g->plain ? f : g->map[f];
}

uint64_t graph_cycle_self(const struct graph *g, uint32_t cycle, uint32_t e)
{
	uint64_t sum = 0;

	if (g->plain)
		return store_cycle_self(g->st, cycle, e);
	for (uint32_t f = 0; f < g->functions; f++)
		if (g->cycle[f] == cycle)
			sum = add(sum, graph_self(g, f, e));
	return sum;
}

uint64_t graph_cycle_incl(const struct graph *g, uint32_t cycle, uint32_t e)
{
	return g->plain ? store_cycle_incl(g->st, cycle, e) : costs(g, e)->cycle[cycle];
}

int graph_flow_input(const struct graph *g, uint32_t e, struct flow_input *out,
		     struct err *err)
{
	if (g->plain)
		return flow_input_of(g->st, e, out, err);
	*out = (struct flow_input){
		.functions = g->functions,
		.edges = g->edges,
		.out_first = g->out_first,
		.callee = g->callee,
		.calls = g->calls,
		.incl = g->costs[e]->edge,
		.self = g->costs[e]->self,
		.cycle = g->cycle,
		.topo = g->topo,
		.nests = g->nests,
		.caller = g->caller,
		.in_first = g->in_first,
		.in_edge = g->in_edge,
	};
	return 0;
}
