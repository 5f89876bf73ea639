/*
 * graph.c - reading a graph: the store itself, or the columns of a stage; see graph.h.
 *
 * A graph made by a stage computes an event's columns once: the stage fills self[] and
 * edge[], the inclusive costs follow from them exactly as in the index:
 *	incl(C) = self over C + edges that leave C, for every cycle or single function C
 */
#include "engine/graph.h"

#include <string.h>

struct graph_costs {
	uint64_t *self, *incl, *contribution; /* [functions] */
	uint64_t *edge;			      /* [edges] */
	uint64_t total;
};

int graph_plain(struct store *st, struct arena *a, const atomic_int *cancel,
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

static int inclusive(struct graph *g, struct graph_costs *c, struct err *err)
{
	uint64_t *cycle = ARENA_ARRAY(g->a, uint64_t, (size_t)g->cycles + 1);

	if (!cycle)
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < g->functions; f++) {
		uint64_t sum = c->self[f];

		c->total = add(c->total, sum);
		for (uint32_t e = g->out_first[f]; e < g->out_first[f + 1]; e++) {
			uint32_t to = g->callee[e];

			if (to != f && (!g->cycle[f] || g->cycle[to] != g->cycle[f]))
				sum = add(sum, c->edge[e]);
		}
		c->contribution[f] = sum;
		if (g->cycle[f])
			cycle[g->cycle[f]] = add(cycle[g->cycle[f]], sum);
	}
	for (uint32_t f = 0; f < g->functions; f++)
		c->incl[f] = g->cycle[f] ? cycle[g->cycle[f]] : c->contribution[f];
	return 0;
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
	c->contribution = ARENA_ARRAY(g->a, uint64_t, (size_t)g->functions + 1);
	c->edge = ARENA_ARRAY(g->a, uint64_t, (size_t)g->edges + 1);
	if (!c->self || !c->incl || !c->contribution || !c->edge)
		return arena_full(g->a, err);
	if (g->fill(g, e, c->self, c->edge, err) || inclusive(g, c, err))
		return (int)err->kind;
	g->costs[e] = c;
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

uint64_t graph_contribution(const struct graph *g, uint32_t f, uint32_t e)
{
	return g->plain	     ? store_fn_contribution(g->st, f, e)
	       : g->costs[e] ? g->costs[e]->contribution[f]
			     : 0;
}

uint64_t graph_incoming(const struct graph *g, uint32_t f, uint32_t e)
{
	uint64_t sum = 0;

	if (g->plain)
		return store_fn_incoming(g->st, f, e);
	for (uint32_t i = g->in_first[f]; i < g->in_first[f + 1]; i++) {
		uint32_t from = g->caller[g->in_edge[i]];

		if (from != f && (!g->cycle[f] || g->cycle[from] != g->cycle[f]))
			sum = add(sum, graph_edge_incl(g, g->in_edge[i], e));
	}
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

void graph_flow_input(const struct graph *g, uint32_t e, struct flow_input *out)
{
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
		.caller = g->caller,
		.in_first = g->in_first,
		.in_edge = g->in_edge,
	};
}
