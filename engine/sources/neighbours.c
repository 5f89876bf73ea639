/*
 * neighbours.c - rows from the edges of one function; see neighbours.h.
 *
 * There is one row per (caller, callee).  Each call has a share of the cost through f
 * without f's calls of itself; its row has the same share of the inclusive cost of f.
 */
#include "engine/sources/neighbours.h"

#include <math.h>
#include <stdlib.h>

#include "engine/flow/pairs.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "engine/sources/source.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

static double near_weight(const struct path_tree_row *r)
{
	return r->inner ? (double)r->incl : r->cost.est;
}

static int near_by_cost(const void *pa, const void *pb)
{
	const struct path_tree_row *a = pa, *b = pb;
	const int c = order_double(near_weight(b), near_weight(a));

	return c ? c : order_u64(a->fn, b->fn);
}

struct path_bounds neighbour_inclusive(const struct exec *x, uint32_t f)
{
	int64_t incl = graph_incl(x->g, f, x->event), lo, hi;

	graph_incl_bounds(x->g, f, x->event, &lo, &hi);
	return path_bounds_of((double)incl, lo, hi, true);
}

static uint32_t degree(const struct graph *g, uint32_t f, bool up, uint32_t *first)
{
	uint32_t n;

	*first = 0;
	if (up)
		return graph_caller_count(g, f);
	graph_callees(g, f, first, &n);
	return n;
}

struct passing {
	/* As they flow (flow.c): */
	int64_t self, spent, called; /* self and calls of others; calls by others */
	int64_t all;		     /* the larger of the two */
	uint32_t negative;	     /* calls below 0, which count as 0 */
	bool odd;		     /* called exceeds spent by more than rounding */
};

static struct passing passing(const struct exec *x, uint32_t f)
{
	struct passing p = {.self = graph_self(x->g, f, x->event)};
	uint64_t calls = 0;

	for (int up = 0; up <= 1; up++) {
		uint32_t first, n = degree(x->g, f, up, &first);

		for (uint32_t i = 0; i < n; i++) {
			uint32_t id = up ? graph_caller(x->g, f, i) : first + i;
			int64_t cost = graph_edge_incl(x->g, id, x->event);
			struct store_edge e;

			graph_edge(x->g, id, &e);
			count_add(&calls, e.calls);
			if (e.recursive)
				continue;
			p.negative += cost < 0;
			cost_add(up ? &p.called : &p.spent, cost_flow(cost));
		}
	}
	if (p.self < 0 && (graph_cycle(x->g, f) || cost_sum(p.spent, p.self) <= 0)) {
		p.self = 0;
		p.negative++;
	}
	cost_add(&p.spent, p.self);
	p.all = p.spent > p.called ? p.spent : p.called;
	p.odd = store_info(x->g->st)->negative ||
		(p.called > p.spent && (uint64_t)(p.called - p.spent) > calls);
	return p;
}

static int64_t near_own(const struct exec *x, uint32_t f, bool up, int64_t est)
{
	struct passing p = passing(x, f);
	int64_t own = up ? p.all - p.called : p.self;
	double part;

	if (est == p.all)
		return own;
	part = p.all ? (double)est * (double)own / (double)p.all : 0;
	return cost_round(part);
}

/* Add the cost of a call, and the part of it that stays at f, its other end. */
static void add_pair(const struct flow *flow, uint32_t edge, bool up, double *cost,
		     double *own)
{
	const uint32_t f = up ? flow->in.caller[edge] : flow->in.callee[edge];
	const double all = flow_cost(flow, edge);
	const double *pair;

	pairs_of(flow, f, &pair);
	*cost += all;
	if (!pair)
		*own += flow->through[f] > 0
				? all / flow->through[f] *
					  (up ? flow->root[f] : (double)flow->in.self[f])
				: 0;
	else if (up)
		*own += pair[(size_t)(pairs_in(flow, f) - 1) * pairs_out(flow, f) + edge -
			     flow->in.out_first[f]];
	else
		*own += pair[(size_t)(pairs_way_in(flow, edge) + 1) * pairs_out(flow, f) -
			     1];
}

int64_t near_row_own(struct exec *x, uint32_t top, const struct path_tree_row *r, bool up)
{
	struct graph *base = graph_apart(x->g);
	const struct flow *flow = NULL;
	double cost = 0, own = 0;

	if (store_info(x->g->st)->events > 1 && !base->merge.group &&
	    !graph_stacks_known(x->g)) {
		graph_event(base, x->event);
		exec_flow(x, base, x->event, &flow);
	}
	if (!flow || !flow->pairs)
		return near_own(x, r->fn, up, r->est);
	for (uint32_t i = 0; i < graph_members_count(x->g, r->fn); i++) {
		const uint32_t f = graph_member(x->g, r->fn, i),
			       of = graph_member(x->g, top, 0),
			       edge = graph_edge_between(base, up ? f : of, up ? of : f);

		if (edge != GRAPH_NONE)
			add_pair(flow, edge, up, &cost, &own);
	}
	return cost > 0 ? path_rounded((double)r->est * own / cost) : 0;
}

void neighbour_rows(struct exec *x, uint32_t f, bool up, double min,
		    struct path_tree *out)
{
	uint32_t first, n = degree(x->g, f, up, &first);
	struct path_tree t = {.base = neighbour_inclusive(x, f)};
	struct passing p = passing(x, f);
	double sure = (double)path_overlap(
		t.base.lo, up ? cost_difference(p.all, p.called) : p.self, p.all);

	exec_rows(x, n);
	t.rows = EXEC_ARRAY(x, struct path_tree_row, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = up ? graph_caller(x->g, f, i) : first + i;
		struct path_tree_row *r = &t.rows[t.n];
		struct store_edge e;

		graph_edge(x->g, id, &e);
		*r = (struct path_tree_row){
			.depth = 1,
			.fn = up ? e.caller : e.callee,
			.parent = FLOW_NONE,
			.calls = e.calls,
			.incl = graph_edge_incl(x->g, id, x->event),
			.recursive = e.recursive,
			.inner = e.recursive,
		};
		r->cost = r->inner ? path_bounds_exact(r->incl)
				   : path_bounds_next(t.base, r->incl,
						      p.all ? (double)cost_flow(r->incl) /
								      (double)p.all
							    : 0,
						      p.all, p.odd);
		r->est = path_units(&r->cost);
		r->own = PATH_OWN_UNKNOWN;
		sure += !r->inner && r->cost.bounded ? (double)r->cost.lo : 0;
		t.n += !path_under_min(fabs(near_weight(r)), min);
		exec_poll(x);
	}
	qsort(t.rows, t.n, sizeof(*t.rows), near_by_cost);
	t.est = path_units(&t.base);
	t.proven = t.est > 0 ? fmin(1, sure / (double)t.est) : 1;
	t.own = near_own(x, f, up, t.est);
	if (p.negative)
		exec_note_negative(x, p.negative);
	*out = t;
}
