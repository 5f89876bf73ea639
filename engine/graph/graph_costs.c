/*
 * graph_costs.c - the columns of an event: self, inclusive, calls.
 *
 * A stage fills self[] and edge[] from those of the graph below.  A stage that estimates
 * is more exact part by part (flow_parts.h): then its columns are the sums over the
 * parts.  Inclusive costs follow from these columns as in the index (inclusive.h).  If
 * functions were merged, calls that return to a group are followed in the graph below,
 * which records which function leads where.
 */
#include <string.h>

#include "index/base/need.h"
#include "index/base/err_struct.h"
#include "index/graph/stacks.h"
#include "engine/graph/flow_parts.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"
#include "index/graph/inclusive.h"
#include "index/base/cost.h"

/* Does the call of `to` stay inside f, or inside the cycle of f? */
static bool stays(const struct graph *g, uint32_t f, uint32_t to)
{
	return to == f || (g->shape.cycle[f] && g->shape.cycle[to] == g->shape.cycle[f]);
}

/* out[k]: the cost with which group k is entered from outside: by calls of other groups, and
 * by what its functions spend beyond the calls of them, which begins there.  Functions that only
 * run inside their group (again[]) do not count. */
static void entered(struct graph *g, const struct flow_input *in, int64_t *out)
{
	int64_t *called = NEED_ARRAY(g->a, int64_t, (size_t)in->functions + 1);

	for (uint32_t f = 0; f < in->functions; f++)
		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			const uint32_t to = in->callee[i];
			const int64_t cost = cost_flow(in->incl[i]);

			cost_add(&called[to], cost);
			if (g->merge.group[to] != g->merge.group[f] &&
			    !g->merge.again[to])
				cost_add(&out[g->merge.group[to]], cost);
		}
	for (uint32_t f = 0; f < in->functions; f++) {
		int64_t spent = in->self[f];

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
			cost_add(&spent, cost_flow(in->incl[i]));
		if (spent > called[f] && !g->merge.again[f])
			cost_add(&out[g->merge.group[f]], spent - called[f]);
	}
}

/* An estimate takes long, and most questions show few.  So each is made when it is first
 * asked for. */
struct graph_pending {
	uint8_t *left; /* [functions]: still to be estimated */
	struct returning returning;
	uint32_t edges; /* to visit for each */
	/* Of groups: what enters them, and their members below; or NULL. */
	int64_t *enter;
	uint32_t *first, *member;
};

/* Everything that enters f, less what returns to it: that is inside another call of f. */
static double estimated(const struct graph *g, const struct graph_costs *c, uint32_t f)
{
	struct graph_pending *p = c->pending;

	if (!p->enter)
		return (double)c->incl[f] -
		       returning_cost(&p->returning, &f, 1, NULL, p->edges);
	return (double)p->enter[f] -
	       returning_cost(&p->returning, p->member + p->first[f],
			      p->first[f + 1] - p->first[f], g->merge.again, p->edges);
}

/* The estimate is cut to its bounds: flow in proportion does not know of them. */
static void estimate_inclusive(const struct graph *g, uint32_t f, uint32_t e)
{
	struct graph_costs *c = g->costs[e];
	int64_t lo, hi;
	double incl;

	if (!c->pending->left[f])
		return;
	incl = estimated(g, c, f);
	c->pending->left[f] = 0;
	graph_incl_bounds(g, f, e, &lo, &hi);
	c->incl[f] = incl <= (double)lo	  ? lo
		     : incl >= (double)hi ? hi
					  : (int64_t)(incl + 0.5);
}

/* Of how many functions the inclusive cost has to be estimated. */
static uint32_t count_nesting(const struct graph *g)
{
	uint32_t n = 0;

	for (uint32_t f = 0; f < g->functions; f++)
		n += graph_incl_estimated(g, f);
	return n;
}

/* n functions of this graph may nest in themselves. */
static void nested(struct graph *g, struct graph_pending *p, uint32_t e, uint32_t n)
{
	struct flow_input in;
	struct call_costs costs;

	graph_flow_input(g, e, &in);
	costs = flow_call_costs(&in, g->shape.cycle);
	if (returning_init(&p->returning, &costs, g->a))
		need_memory(g->a);
	p->edges = returning_edges(n);
}

/* Inclusive costs of groups of functions of the graph below. */
static void nested_groups(struct graph *g, struct graph_pending *p, uint32_t e,
			  uint32_t n)
{
	uint32_t *circle;
	struct flow_input in;
	struct call_costs costs;

	graph_flow_input(g->below, e, &in);
	p->enter = NEED_ARRAY(g->a, int64_t, (size_t)g->functions + 1);
	circle = NEED_ARRAY(g->a, uint32_t, (size_t)in.functions + 1);
	for (uint32_t f = 0; f < in.functions; f++)
		circle[f] = g->shape.cycle[g->merge.group[f]];
	costs = flow_call_costs(&in, circle);
	if (returning_init(&p->returning, &costs, g->a))
		need_memory(g->a);
	p->edges = 16 * returning_edges(n);
	entered(g, &in, p->enter);
	graph_members(g->a, g->merge.group, in.functions, g->functions, &p->first,
		      &p->member);
}

/* Functions that may nest in themselves: what is known, and what is to be estimated. */
static void nesting(struct graph *g, struct graph_costs *c, uint32_t e)
{
	uint32_t n = count_nesting(g);
	struct graph_pending *p;

	if (!n)
		return;
	p = NEED_NEW(g->a, struct graph_pending);
	p->left = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	if (g->merge.group)
		nested_groups(g, p, e, n);
	else
		nested(g, p, e, n);
	for (uint32_t k = 0; k < g->functions; k++)
		p->left[k] = graph_incl_estimated(g, k);
	c->pending = p;
	c->estimate = estimate_inclusive;
}

/* Is the inclusive cost of k the sum of its functions below?  Only if these are never on the stack
 * together, and the calls do not say it already. */
static bool is_sum_below(const struct graph *g, uint32_t k)
{
	return g->merge.added[k] &&
	       (g->shape.nests[k] || (g->marks.sure && g->marks.sure[k] & GRAPH_INCL));
}

static void sum_below(const struct graph *g, struct graph_costs *c, uint32_t e)
{
	for (uint32_t k = 0; k < g->functions; k++)
		if (is_sum_below(g, k))
			c->incl[k] = 0;
	for (uint32_t f = 0; f < g->below->functions; f++) {
		const uint32_t k = g->merge.group[f];

		if (!g->merge.again[f] && is_sum_below(g, k))
			cost_add(&c->incl[k], graph_incl(g->below, f, e));
	}
}

/* The inclusive cost of one of entered[]: of what enters it without a call, the stage leaves all
 * or nothing. */
static int64_t entering(const struct graph *g, const struct graph_costs *c, uint32_t f,
			uint32_t e)
{
	const uint32_t from = g->from[f];
	int64_t sum = g->drops ? cost_difference(graph_incl(g->below, from, e),
						 graph_incoming(g->below, from, e))
			       : 0;

	for (uint32_t i = g->shape.in_first[f]; i < g->shape.in_first[f + 1]; i++)
		cost_add(&sum, c->edge[g->shape.in_edge[i]]);
	return sum;
}

/* Its own cost is an estimate, but part of that; and what the stage took of it is part of what
 * it took of f. */
static void spend_within(const struct graph *g, struct graph_costs *c, uint32_t f,
			 uint32_t e)
{
	const uint32_t from = g->from[f];
	const int64_t incl = entering(g, c, f, e),
		      taken = cost_difference(graph_incl(g->below, from, e), incl),
		      least = cost_difference(graph_self(g->below, from, e), taken);

	if (c->self[f] < least)
		c->self[f] = least;
	if (c->self[f] > incl)
		c->self[f] = incl;
}

/* First as if no function were on the stack twice: self and the calls of others.  Then what may
 * nest is left to be estimated, a group that is entered by functions that are never on the
 * stack together is the sum of them, and what enters a function exactly, or what the stage left
 * as it was, is that. */
static void inclusive(struct graph *g, struct graph_costs *c, uint32_t e)
{
	for (uint32_t f = 0; g->marks.entered && f < g->functions; f++)
		if (g->marks.entered[f] && !store_info(g->st)->negative)
			spend_within(g, c, f, e);
	for (uint32_t f = 0; f < g->functions; f++) {
		int64_t all = c->self[f], leaving = all;

		cost_add(&c->total, all);
		for (uint32_t i = g->shape.out_first[f]; i < g->shape.out_first[f + 1];
		     i++) {
			if (g->shape.callee[i] != f)
				cost_add(&all, c->edge[i]);
			if (!stays(g, f, g->shape.callee[i]))
				cost_add(&leaving, c->edge[i]);
		}
		c->incl[f] = all;
		if (g->shape.cycle[f])
			cost_add(&c->cycle[g->shape.cycle[f]], leaving);
	}
	for (uint32_t i = 0; !store_counts_zeros(g->st) && i < g->edges; i++)
		if (graph_bare(g, g->shape.callee[i]))
			cost_add(&c->incl[g->shape.callee[i]], c->edge[i]);
	if (g->cycles)
		nesting(g, c, e);
	if (g->merge.added)
		sum_below(g, c, e);
	for (uint32_t f = 0; g->marks.sure && f < g->functions; f++)
		if (g->marks.entered && g->marks.entered[f])
			c->incl[f] = entering(g, c, f, e);
		else if (g->marks.sure[f] & GRAPH_INCL && !graph_incl_estimated(g, f) &&
			 (!g->merge.group ||
			  (g->inlined.same && g->inlined.same[f] != GRAPH_NONE)))
			c->incl[f] = graph_incl(g->below, g->from[f], e);
}

/* Where the stacks are known, a group costs what they say, and so does a function of some
 * parts. */
static void inclusive_of_stacks(struct graph *g, struct graph_costs *c, uint32_t e)
{
	struct stacks s;
	struct arena *a;
	struct err err = {0};
	bool known;

	a = need_scratch(g->a);
	graph_stacks(g, e, a, &s, &known);
	if (known) {
		memset(c->incl, 0, g->functions * sizeof(*c->incl));
		need(stacks_inclusive(&s, c->incl, a, g->cancel, &err), &err);
	}
	scratch_free(a);
}

/* Graphs below go first, since a stage makes its costs of theirs.  A failed event leaves
 * nothing behind, so that it can be asked for again. */
void graph_event(struct graph *g, uint32_t e)
{
	struct graph_costs *c;

	if (g->plain || (g->costs[e] && g->costs[e]->made))
		return;
	graph_event(g->below, e);
	if (g->inlined.before)
		graph_event(g->joined, e);
	if (g->merge.late) {
		graph_late_event(g, e);
		return;
	}
	c = NEED_NEW(g->a, struct graph_costs);
	c->self = NEED_ARRAY(g->a, int64_t, (size_t)g->functions + 1);
	c->incl = NEED_ARRAY(g->a, int64_t, (size_t)g->functions + 1);
	c->cycle = NEED_ARRAY(g->a, int64_t, (size_t)g->cycles + 1);
	c->edge = NEED_ARRAY(g->a, int64_t, (size_t)g->edges + 1);
	flow_parts_fill(g, e, c->self, c->edge);
	g->costs[e] = c; /* inclusive() reads it through the getters */
	inclusive(g, c, e);
	if ((g->merge.group || g->run.tree) && graph_stacks_known(g))
		inclusive_of_stacks(g, c, e);
	c->made = true;
}

/* A stage makes no function costlier, and no group costlier than its members. */
static void most_of_groups(struct graph *g, const int64_t *below, int64_t *out)
{
	for (uint32_t f = 0; g->merge.group && f < g->below->functions; f++)
		cost_add(&out[g->merge.group[f]], below[f]);
	/* Contexts stand for functions of the graph below, which may have none of its own. */
	for (uint32_t f = 0; !g->merge.group && f < g->functions; f++)
		out[f] = below[g->contexts && !g->below->contexts
				       ? graph_of_store(g->below, g->origin[f])
				       : g->from[f]];
}

/* That span, if e is the event that it is measured in; or NULL. */
static const struct graph_span *span_of(const struct graph *g, uint32_t e)
{
	const struct graph_span *s = graph_span_of(g);

	return s && e == s->event ? s : NULL;
}

int64_t graph_limit(const struct graph *g, uint32_t e)
{
	const struct graph_span *s = span_of(g, e);

	return s ? s->length : graph_whole(g, e);
}

/* Contexts of a function cost no more than it does. */
static void most_in_span(const struct graph *g, const struct graph_span *span,
			 int64_t *out)
{
	const uint32_t *fn = g->contexts ? graph_context_functions(g) : NULL;
	const uint32_t n = fn ? g->contexts : store_info(g->st)->functions;

	for (uint32_t i = 0; i < n; i++)
		if (g->map[i] != GRAPH_NONE)
			cost_add(&out[g->map[i]], span->hi[fn ? fn[i] : i]);
}

/* Where nothing is estimated, and in a span, the upper bounds; after a stage that estimates
 * those of the graph below, and so on down.  Negative costs bound nothing. */
void graph_most(struct graph *g, uint32_t e, struct arena *a, int64_t **out)
{
	const struct graph_span *span = span_of(g, e);
	const int64_t total = graph_limit(g, e);
	int64_t *below, lo;

	graph_event(g, e);
	*out = NEED_ARRAY(a, int64_t, (size_t)g->functions + 1);
	if (span) {
		most_in_span(g, span, *out);
	} else if (store_info(g->st)->negative) {
		for (uint32_t f = 0; f < g->functions; f++)
			(*out)[f] = INT64_MAX;
		return;
	} else if (!g->marks.estimated) {
		for (uint32_t f = 0; f < g->functions; f++)
			graph_incl_bounds(g, f, e, &lo, &(*out)[f]);
	} else {
		graph_most(g->below, e, a, &below);
		most_of_groups(g, below, *out);
	}
	for (uint32_t f = 0; f < g->functions; f++)
		if ((*out)[f] > total)
			(*out)[f] = total;
	store_sound(g->st);
}
