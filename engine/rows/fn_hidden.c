/*
 * fn_hidden.c - what of calls is hidden; see fn_hidden.h.
 *
 * All is read from the graph below the stages that hide: that of the chosen parts or, where the stacks
 * are known, of contexts.  There each call of a hidden context has one way, so what is hidden behind
 * the calls of f to g is a sum: that of the hidden contexts that such a call leads to without a visible
 * one between.  Elsewhere, of what comes to a hidden function h that leads to visible ones, this share
 * is hidden:
 *
 *	stays(h) = 1 - sum over its calls of cost * (visible ? 1 : 1 - stays(callee)) / T(h)
 *
 * T(h) is that of graph_hide.c: the calls in, or what is spent and called.  In cycles of
 * hidden functions the sum is repeated until it no longer changes.
 */
#include "engine/rows/fn_hidden.h"

#include <math.h>
#include <stdlib.h>

#include "engine/flow/flow.h"
#include "engine/graph/graph.h"
#include "engine/rows/exec.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"
#include "index/base/order.h"

struct fn_hidden {
	const struct graph *g;
	struct graph *top, *base; /* the last stage that hides; what is below them all */
	uint8_t *gone;		  /* [functions of base] */
	uint8_t *leads;		  /* [functions of base]: gone, and leads to others */
	uint32_t *lead, nlead;	  /* these */
	double *stays;		  /* [events][functions of base]; of no contexts */
	uint8_t *shared;	  /* [edges of the store]: a context leads to others */
	int64_t *behind;	  /* [events][edges of the store]: hidden behind it */
};

enum { SWEEPS = 200 };
#define ENOUGH 1e-9

static void lead(struct fn_hidden *h, uint32_t f)
{
	if (!h->gone[f] || h->leads[f])
		return;
	h->leads[f] = 1;
	h->lead[h->nlead++] = f;
}

static void find_leads(struct exec *x, struct fn_hidden *h, const struct flow_input *in)
{
	for (uint32_t f = 0; f < in->functions; f++) {
		const uint32_t key = h->base->contexts ? f : graph_origin(h->base, f);

		h->gone[f] = h->top->map[key] == GRAPH_NONE;
		exec_poll(x);
	}
	for (uint32_t e = 0; e < in->edges; e++)
		if (!h->gone[in->callee[e]])
			lead(h, in->caller[e]);
	for (uint32_t i = 0; i < h->nlead; i++) {
		const uint32_t f = h->lead[i];

		for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++)
			lead(h, in->caller[in->in_edge[k]]);
		exec_poll(x);
	}
}

/* stays() of f from those of its callees. */
static double share_of(const struct fn_hidden *h, const struct flow_input *in,
		       const double *stays, uint32_t f)
{
	double enters = 0, out = (double)in->self[f], leaves = 0, all;

	for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++)
		if (in->caller[in->in_edge[k]] != f)
			enters += (double)in->incl[in->in_edge[k]];
	for (uint32_t e = in->out_first[f]; e < in->out_first[f + 1]; e++) {
		const uint32_t to = in->callee[e];
		const double cost = to == f ? 0 : (double)in->incl[e];

		out += cost;
		leaves += !h->gone[to] ? cost : cost * (1 - stays[to]);
	}
	all = fmax(enters, out);
	return all > 0 ? fmin(fmax(1 - leaves / all, 0), 1) : 1;
}

/* The functions were found from the visible ones up, so callees mostly come first. */
static void find_shares(struct exec *x, struct fn_hidden *h, uint32_t e)
{
	double *stays = h->stays + (size_t)e * h->base->functions, change = 1;
	struct flow_input in;

	graph_event(h->base, e);
	graph_flow_input(h->base, e, &in);
	for (uint32_t f = 0; f < in.functions; f++)
		stays[f] = !h->leads[f];
	for (uint32_t sweep = 0; sweep < SWEEPS && change > ENOUGH; sweep++) {
		change = 0;
		for (uint32_t i = 0; i < h->nlead; i++) {
			const uint32_t f = h->lead[i];
			const double now = share_of(h, &in, stays, f);

			change = fmax(change, fabs(now - stays[f]));
			stays[f] = now;
			exec_poll(x);
		}
	}
}

/* The store's edge of each call of contexts from a visible function to a hidden one; else
 * GRAPH_NONE. */
static void find_edges(struct exec *x, struct fn_hidden *h, const struct flow_input *in,
		       uint32_t *edge)
{
	const struct graph *store = h->base;

	while (!store->plain)
		store = store->below;
	for (uint32_t i = 0; i < in->edges; i++) {
		const uint32_t from = in->caller[i], to = in->callee[i];

		edge[i] = h->gone[from] || !h->gone[to]
				  ? GRAPH_NONE
				  : graph_edge_between(store, graph_origin(h->base, from),
						       graph_origin(h->base, to));
		if (edge[i] != GRAPH_NONE)
			h->shared[edge[i]] |= h->leads[to];
		exec_poll(x);
	}
}

/* Callees stand behind their callers: from the end, a context is complete when its call is
 * met. */
static void add_behind(struct exec *x, struct fn_hidden *h, const uint32_t *edge,
		       uint32_t e, int64_t *inner)
{
	int64_t *behind = h->behind + (size_t)e * store_info(h->g->st)->edges;
	struct flow_input in;

	graph_event(h->base, e);
	graph_flow_input(h->base, e, &in);
	for (uint32_t c = 0; c < in.functions; c++)
		inner[c] = in.self[c];
	for (uint32_t i = in.edges; i-- > 0;) {
		if (edge[i] != GRAPH_NONE)
			cost_add(&behind[edge[i]], inner[in.callee[i]]);
		else if (h->gone[in.callee[i]])
			cost_add(&inner[in.caller[i]], inner[in.callee[i]]);
		exec_poll(x);
	}
}

static void find_behind(struct exec *keep, struct exec *x, struct fn_hidden *h,
			const struct flow_input *in)
{
	const struct store_info *i = store_info(h->g->st);
	struct arena *scratch = need_scratch(keep->a);
	uint32_t *edge = NEED_ARRAY(scratch, uint32_t, (size_t)in->edges + 1);
	int64_t *inner = NEED_ARRAY(scratch, int64_t, (size_t)in->functions + 1);

	h->shared = EXEC_ARRAY(keep, uint8_t, (size_t)i->edges + 1);
	h->behind = EXEC_ARRAY(keep, int64_t, (size_t)i->edges * i->events + 1);
	find_edges(x, h, in, edge);
	for (uint32_t e = 0; e < i->events; e++)
		add_behind(x, h, edge, e, inner);
	scratch_free(scratch);
}

void fn_hidden_of(struct exec *x, const struct fn_hidden **out)
{
	const struct store_info *i = store_info(x->g->st);
	struct exec keep = *x; /* it lives with the graph */
	struct flow_input in;
	struct fn_hidden *h;
	size_t n;

	if ((*out = x->g->hidden) || !x->g->hides)
		return;
	keep.a = x->g->a;
	h = EXEC_ARRAY(&keep, struct fn_hidden, 1);
	h->g = h->top = x->g;
	while (h->top->merge.group)
		h->top = h->top->below;
	for (h->base = h->top; h->base->hides; h->base = h->base->below)
		;
	graph_shape(h->base, &in);
	n = (size_t)in.functions + 1;
	h->gone = EXEC_ARRAY(&keep, uint8_t, n);
	h->leads = EXEC_ARRAY(&keep, uint8_t, n);
	h->lead = EXEC_ARRAY(&keep, uint32_t, n);
	find_leads(x, h, &in);
	if (h->base->contexts) {
		find_behind(&keep, x, h, &in);
	} else {
		h->stays = EXEC_ARRAY(&keep, double, n * i->events);
		for (uint32_t e = 0; h->nlead && e < i->events; e++)
			find_shares(x, h, e);
	}
	*out = x->g->hidden = h;
	need(store_check(x->g->st, x->err), x->err);
}

enum hidden_call fn_hidden_call(const struct fn_hidden *h, const struct store_site *site)
{
	uint32_t to;

	if (graph_of_store(h->g, site->callee) != GRAPH_NONE)
		return CALL_VISIBLE;
	if (h->shared)
		return h->shared[site->edge] ? CALL_SHARED : CALL_HIDDEN;
	to = graph_of_store(h->base, site->callee);
	return to != GRAPH_NONE && h->leads[to] ? CALL_SHARED : CALL_HIDDEN;
}

/* Of some calls of a function, and one event. */
struct behind {
	uint32_t *site; /* [n]: their numbers */
	double *weight; /* [n] */
	size_t n;
	const int64_t *cost; /* of site k: cost[k * events] */
	int64_t *part;	     /* as cost */
	uint32_t events;
};

/* Give each call its part of `total` by its weight, in whole units that add up. */
static void spread(const struct behind *b, double total)
{
	double all = 0, sum = 0, before = 0;

	for (size_t i = 0; i < b->n; i++)
		all += b->weight[i];
	for (size_t i = 0; i < b->n; i++) {
		const double past = before;

		sum += b->weight[i];
		before = i + 1 == b->n ? total : all > 0 ? round(total * sum / all) : 0;
		if (b->weight[i] > 0 || i + 1 == b->n)
			b->part[b->site[i] * (size_t)b->events] +=
				cost_round(before - past);
	}
}

/* As spread(), none above what it costs as long as others have room. */
static void spread_within(const struct behind *b, double total)
{
	double weights = 0, left = total;
	bool full = true;

	for (size_t i = 0; i < b->n; i++)
		weights += b->weight[i];
	while (full) {
		full = false;
		for (size_t i = 0; i < b->n; i++) {
			const size_t at = b->site[i] * (size_t)b->events;
			const double cost = (double)b->cost[at];

			if (!(b->weight[i] > 0) || b->weight[i] * left < cost * weights)
				continue;
			b->part[at] = b->cost[at];
			weights -= b->weight[i];
			b->weight[i] = 0;
			left -= cost;
			full = true;
		}
	}
	for (size_t i = 0; weights <= 0 && i < b->n; i++) {
		const size_t at = b->site[i] * (size_t)b->events;

		b->weight[i] =
			(double)cost_flow(cost_difference(b->cost[at], b->part[at]));
	}
	spread(b, fmax(left, 0));
}

/* The cost that f spends in h->top beyond its own in h->base and calls that are hidden whole. */
static double shared_cost(const struct fn_hidden *h, fn_id f, uint32_t e, double whole)
{
	graph_event(h->top, e);
	return (double)cost_difference(
		       graph_self(h->top, graph_of_store(h->top, f), e),
		       graph_self(h->base, graph_of_store(h->base, f), e)) -
	       whole;
}

/* Of flows: the calls that are hidden in part share what f spends beyond the others.  Negative
 * costs bound nothing. */
static void share_flow(const struct fn_hidden *h, fn_id f, const struct store_site *site,
		       struct behind *b, uint32_t e, double whole)
{
	const double *stays = h->stays + (size_t)e * h->base->functions;
	const bool negative = store_info(h->g->st)->negative;
	double all = 0;

	for (size_t i = 0; i < b->n; i++) {
		const uint32_t s = b->site[i];
		const double cost = (double)b->cost[s * (size_t)b->events];

		b->weight[i] =
			negative ? fabs(cost)
				 : cost * stays[graph_of_store(h->base, site[s].callee)];
		all += b->weight[i];
	}
	if (graph_in_group(h->top, graph_of_store(h->top, f)))
		all = shared_cost(h, f, e, whole);
	if (b->n)
		(negative ? spread : spread_within)(b, all);
}

/* The calls of b are of one edge of contexts.  Which of several lead to visible functions is not
 * known if some do: then *about. */
static void share_edge(const struct fn_hidden *h, edge_id edge, struct behind *b,
		       uint32_t e, bool *about)
{
	const int64_t total = h->behind[(size_t)e * store_info(h->g->st)->edges + edge];
	int64_t all = 0;

	for (size_t i = 0; i < b->n; i++) {
		const int64_t cost = b->cost[b->site[i] * (size_t)b->events];

		b->weight[i] = fabs((double)cost);
		cost_add(&all, cost);
	}
	*about |= b->n > 1 && h->shared[edge] && total && total != all;
	if (total != all)
		spread(b, (double)total);
	for (size_t i = 0; total == all && i < b->n; i++)
		b->part[b->site[i] * (size_t)b->events] =
			b->cost[b->site[i] * (size_t)b->events];
}

/* Runs of calls of one edge, of sorted keys: an edge, and below that a site. */
static void share_edges(const struct fn_hidden *h, const uint64_t *key, size_t n,
			struct behind *b, uint32_t e, uint8_t *about)
{
	for (size_t i = 0, end; i < n; i = end) {
		bool some = false;

		b->n = 0;
		for (end = i; end < n && key[end] >> 32 == key[i] >> 32; end++)
			b->site[b->n++] = (uint32_t)key[end];
		share_edge(h, (edge_id)(key[i] >> 32), b, e, &some);
		for (size_t k = i; some && k < end; k++)
			about[(uint32_t)key[k]] = 1;
	}
}

void fn_hidden_costs(const struct fn_hidden *h, fn_id f, const struct store_site *site,
		     const int64_t *cost, size_t n, struct arena *a, int64_t **part,
		     uint8_t **about)
{
	const uint32_t events = store_info(h->g->st)->events;
	uint64_t *key = NEED_ARRAY(a, uint64_t, n + 1);
	size_t keys = 0, shared = 0;
	struct behind b = {.events = events};

	*part = NEED_ARRAY(a, int64_t, n * events + 1);
	*about = NEED_ARRAY(a, uint8_t, n + 1);
	b.site = NEED_ARRAY(a, uint32_t, n + 1);
	b.weight = NEED_ARRAY(a, double, n + 1);
	for (size_t i = 0; i < n; i++) {
		const enum hidden_call call = fn_hidden_call(h, &site[i]);

		if (call != CALL_VISIBLE)
			key[keys++] = (uint64_t)site[i].edge << 32 | i;
		if (call == CALL_SHARED && !h->shared) {
			b.site[shared++] = (uint32_t)i;
			(*about)[i] = 1;
		}
	}
	qsort(key, keys, sizeof(*key), compare_u64);
	for (uint32_t e = 0; e < events; e++) {
		double whole = 0;

		b.cost = cost + e;
		b.part = *part + e;
		if (h->shared) {
			share_edges(h, key, keys, &b, e, *about);
			continue;
		}
		for (size_t k = 0; k < keys; k++) {
			const size_t at = (uint32_t)key[k] * (size_t)events;

			if ((*about)[(uint32_t)key[k]])
				continue;
			b.part[at] = b.cost[at];
			whole += (double)b.cost[at];
		}
		b.n = shared;
		share_flow(h, f, site, &b, e, whole);
	}
}
