/*
 * fn_hidden.c - shares of calls that are hidden; see fn_hidden.h.
 *
 * Of what comes to a hidden function h that leads to visible ones this share is hidden:
 *
 *	stays(h) = 1 - sum over its calls of cost * (visible ? 1 : 1 - stays(callee)) / T(h)
 *
 * T(h) is that of graph_hide.c: the calls in, or what is spent and called.  In cycles of
 * hidden functions the sum is repeated until it no longer changes.
 */
#include "engine/rows/fn_hidden.h"

#include <math.h>

#include "engine/graph/graph.h"
#include "engine/rows/exec.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

struct fn_hidden {
	const struct graph *g;
	uint32_t *shared; /* [store functions]: number + 1 of those that lead to visible
			     ones */
	fn_id *fn;	  /* [n]: these */
	uint32_t n;
	double *stays; /* [events][n] */
};

enum { SWEEPS = 200 };
#define ENOUGH 1e-9

static bool is_gone(const struct fn_hidden *h, fn_id f)
{
	return graph_of_store(h->g, f) == GRAPH_NONE;
}

/* Add the hidden callers of f. */
static void add_callers(struct fn_hidden *h, fn_id f)
{
	struct store *st = h->g->st;

	for (uint32_t i = 0, n = store_caller_count(st, f); i < n; i++) {
		const fn_id caller = store_edge_caller(st, store_caller(st, f, i));

		if (!is_gone(h, caller) || h->shared[caller])
			continue;
		h->fn[h->n++] = caller;
		h->shared[caller] = h->n;
	}
}

static void find_shared(struct exec *x, struct fn_hidden *h)
{
	const uint32_t n = store_info(h->g->st)->functions;

	for (fn_id f = 0; f < n; f++) {
		if (!is_gone(h, f))
			add_callers(h, f);
		exec_poll(x);
	}
	for (uint32_t i = 0; i < h->n; i++) {
		add_callers(h, h->fn[i]);
		exec_poll(x);
	}
}

/* T(f), without the calls of f by itself. */
static double through(struct store *st, fn_id f, uint32_t e)
{
	double in = 0, out = (double)store_fn_self(st, f, e);
	edge_id first;
	uint32_t n;

	for (uint32_t i = 0, all = store_caller_count(st, f); i < all; i++) {
		const edge_id edge = store_caller(st, f, i);

		if (store_edge_caller(st, edge) != f)
			in += (double)store_edge_incl(st, edge, e);
	}
	store_callees(st, f, &first, &n);
	for (edge_id edge = first; edge < first + n; edge++)
		if (store_edge_callee(st, edge) != f)
			out += (double)store_edge_incl(st, edge, e);
	return fmax(in, out);
}

/* stays() of f from those of its callees. */
static double share_of(const struct fn_hidden *h, const double *stays, fn_id f,
		       uint32_t e)
{
	struct store *st = h->g->st;
	const double all = through(st, f, e);
	double leaves = 0;
	edge_id first;
	uint32_t n;

	store_callees(st, f, &first, &n);
	for (edge_id edge = first; edge < first + n; edge++) {
		const fn_id to = store_edge_callee(st, edge);
		const double cost = (double)store_edge_incl(st, edge, e);

		if (!is_gone(h, to))
			leaves += cost;
		else if (to != f && h->shared[to])
			leaves += cost * (1 - stays[h->shared[to] - 1]);
	}
	return all > 0 ? fmin(fmax(1 - leaves / all, 0), 1) : 1;
}

/* The functions were found from the visible ones up, so callees mostly come first. */
static void find_shares(struct exec *x, struct fn_hidden *h, uint32_t e)
{
	double *stays = h->stays + (size_t)e * h->n, change = 1;

	for (uint32_t sweep = 0; sweep < SWEEPS && change > ENOUGH; sweep++) {
		change = 0;
		for (uint32_t i = 0; i < h->n; i++) {
			const double now = share_of(h, stays, h->fn[i], e);

			change = fmax(change, fabs(now - stays[i]));
			stays[i] = now;
			exec_poll(x);
		}
	}
}

void fn_hidden_of(struct exec *x, const struct fn_hidden **out)
{
	const struct store_info *i = store_info(x->g->st);
	struct exec keep = *x; /* it lives with the graph */
	struct fn_hidden *h;

	if ((*out = x->g->hidden) || !x->g->hides)
		return;
	keep.a = x->g->a;
	h = EXEC_ARRAY(&keep, struct fn_hidden, 1);
	h->shared = EXEC_ARRAY(&keep, uint32_t, (size_t)i->functions + 1);
	h->fn = EXEC_ARRAY(&keep, fn_id, (size_t)i->functions + 1);
	h->g = x->g;
	find_shared(x, h);
	h->stays = EXEC_ARRAY(&keep, double, (size_t)h->n * i->events + 1);
	for (uint32_t e = 0; h->n && e < i->events; e++)
		find_shares(x, h, e);
	*out = x->g->hidden = h;
	need(store_check(x->g->st, x->err), x->err);
}

enum hidden_call fn_hidden_call(const struct fn_hidden *h, fn_id callee)
{
	return !h || !is_gone(h, callee) ? CALL_VISIBLE
	       : h->shared[callee]	 ? CALL_SHARED
					 : CALL_HIDDEN;
}

static double share_of_call(const struct fn_hidden *h, fn_id callee, uint32_t event,
			    int64_t cost)
{
	const uint32_t at = h->shared[callee];

	return (double)cost * (at ? h->stays[(size_t)event * h->n + at - 1] : 1);
}

void fn_hidden_parts(const struct fn_hidden *h, fn_id f, const struct store_site *site,
		     const int64_t *cost, size_t n, struct hidden_parts *parts)
{
	const uint32_t events = store_info(h->g->st)->events;
	struct graph *g = (struct graph *)(uintptr_t)h->g, *recorded;

	while (g->merge.group)
		g = g->below;
	if (g->contexts) /* whose functions are those of h->g */
		g = (struct graph *)(uintptr_t)h->g;
	for (recorded = g; recorded->hides || recorded->merge.group || recorded->contexts;
	     recorded = recorded->below)
		;
	for (uint32_t e = 0; e < events; e++) {
		double whole, shared = 0;

		parts[e].scale = 1;
		if (!graph_in_group(g, graph_of_store(g, f)))
			continue;
		graph_event(g, e);
		whole = (double)cost_difference(
			graph_self(g, graph_of_store(g, f), e),
			graph_self(recorded, graph_of_store(recorded, f), e));
		for (size_t i = 0; i < n; i++) {
			const enum hidden_call call = fn_hidden_call(h, site[i].callee);
			const double part =
				share_of_call(h, site[i].callee, e, cost[i * events + e]);

			whole -= call == CALL_HIDDEN ? part : 0;
			shared += call == CALL_SHARED ? part : 0;
		}
		if (shared > 0 && whole >= 0)
			parts[e].scale = whole / shared;
	}
}

int64_t fn_hidden_cost(const struct fn_hidden *h, fn_id callee, uint32_t event,
		       int64_t cost, struct hidden_parts *parts)
{
	const uint32_t at = h->shared[callee];
	double share;
	int64_t part;

	if (!at)
		return cost;
	share = share_of_call(h, callee, event, cost) * parts->scale;
	part = cost_round(share + parts->left);
	if (cost >= 0 ? part > cost : part < cost)
		part = cost;
	if (cost >= 0 ? part < 0 : part > 0)
		part = 0;
	parts->left += share - (double)part;
	return part;
}
