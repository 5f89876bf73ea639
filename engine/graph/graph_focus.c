/*
 * graph_focus.c - focus and ignore: the cost that passes through a set, or the rest.
 *
 * For each event, on the flow of the graph below (flow.h, chain.h):
 *	F(v)	share of v's cost that came through the set: 1 in the set, else the share
 *		that has passed the set before v
 *	U(v)	share of v's cost that will pass the set at or below v: 1 in the set, else
 *		the mean over its callees, weighted by the cost of the calls
 *	self'(v) = F(v) self(v)		w'(u,v) = w(u,v) (F(u) + (1 - F(u)) U(v))
 * ignore is the rest: focus and ignore add up to all.  Calls between
 * functions that stay are counted as in the profile, and a note says so where a function is called with and without the set above it.
 *
 *	main 10 --60--> a 20 --40--> s 40	F(s) = U(s) = 1, U(a) = 40 / 60
 *	focus s		main 0  --40--> a 0  --40--> s 40
 *	ignore s	main 10 --20--> a 20
 */
#include <math.h>

#include "engine/flow/chain.h"
#include "engine/flow/pairs.h"
#include "engine/flow/way_flow.h"
#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/fnset.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

/*
 * Some shares are known by the calls alone: F is 0 where no call leads from the set, and 1
 * where no root leads without it, although a part may lack the call that led there; U is 0
 * where no call leads to the set.
 */
struct focus {
	const struct fn_set *set;
	bool ignore;
	const uint32_t *map;   /* below -> here */
	const uint32_t *first; /* [functions here]: the function below */
	/* [functions below]: the set; what it reaches; what reaches it; what a root
	 * reaches without passing it. */
	const uint8_t *marked, *down, *up, *left;
	uint32_t *edge; /* [edges here]: edge below */
};

/* ---- which functions stay ---- */

struct reach {
	struct flow_input in;
	const uint8_t *stop; /* [functions]: not to be met; or NULL */
	uint8_t *met;
	uint32_t *todo, n;
};

static void graph_focus_meet(struct reach *r, uint32_t f)
{
	if (r->met[f] || (r->stop && r->stop[f]))
		return;
	r->met[f] = 1;
	r->todo[r->n++] = f;
}

/* Visit all callees (up: callers) of the functions met so far, and theirs. */
static void follow(struct graph *b, struct reach *r, bool up)
{
	const struct flow_input *in = &r->in;
	const uint32_t *first = up ? in->in_first : in->out_first;

	for (uint32_t polled = 0; r->n; polled++) {
		uint32_t f = r->todo[--r->n];

		graph_poll(b, polled);
		for (uint32_t i = first[f]; i < first[f + 1]; i++)
			graph_focus_meet(r,
					 up ? in->caller[in->in_edge[i]] : in->callee[i]);
	}
}

/* Does f spend more of this event than the calls into it bring? */
static bool is_root(const struct flow_input *in, uint32_t f)
{
	int64_t called = 0, spent = in->self[f];

	for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++)
		cost_add(&called, in->incl[in->in_edge[k]]);
	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		cost_add(&spent, in->incl[i]);
	return spent > called;
}

/* Visit the functions that some event enters without a call, of those not met yet. */
static void meet_roots(struct graph *b, struct reach *r)
{
	bool any = false;

	for (uint32_t f = 0; f < b->functions && !any; f++)
		any = !r->met[f] && !r->stop[f];
	for (uint32_t e = 0; any && e < store_info(b->st)->events; e++) {
		struct flow_input in;

		graph_event(b, e);
		graph_flow_input(b, e, &in);
		for (uint32_t f = 0; f < b->functions; f++) {
			if (!r->met[f] && !r->stop[f] && is_root(&in, f))
				graph_focus_meet(r, f);
			graph_poll(b, f);
		}
	}
	follow(b, r, false);
}

/* ignore: all functions that a root reaches without passing the set.  A function without
 * callers is a root; only if such roots do not reach all, costs tell the others. */
static void find_left(struct graph *b, struct reach *r)
{
	for (uint32_t f = 0; f < b->functions; f++)
		if (r->in.in_first[f] == r->in.in_first[f + 1])
			graph_focus_meet(r, f);
	follow(b, r, false);
	meet_roots(b, r);
}

static void meet_set(const struct focus *s, struct reach *r)
{
	for (uint32_t f = fnset_next(s->set, 0); f != FNSET_NONE;
	     f = fnset_next(s->set, f + 1))
		graph_focus_meet(r, f);
}

/* Visit what the set reaches, or what reaches it; the functions met. */
static uint8_t *met_from_set(struct graph *b, const struct focus *s, struct reach *r,
			     bool up)
{
	r->met = NEED_ARRAY(b->a, uint8_t, (size_t)b->functions + 1);
	meet_set(s, r);
	follow(b, r, up);
	return r->met;
}

/* focus keeps the set and all functions below and above it; ignore what is left. */
static void find_kept(struct graph *b, struct focus *s, struct reach *r)
{
	size_t n = (size_t)b->functions + 1;
	uint8_t *marked = NEED_ARRAY(b->a, uint8_t, n), *kept;

	r->todo = NEED_ARRAY(b->a, uint32_t, n);
	graph_shape(b, &r->in);
	for (uint32_t f = fnset_next(s->set, 0); f != FNSET_NONE;
	     f = fnset_next(s->set, f + 1))
		marked[f] = 1;
	s->marked = marked;
	s->down = met_from_set(b, s, r, false);
	s->up = met_from_set(b, s, r, true);
	r->met = NEED_ARRAY(b->a, uint8_t, n);
	r->stop = marked;
	find_left(b, r);
	s->left = r->met;
	if (s->ignore)
		return;
	kept = NEED_ARRAY(b->a, uint8_t, n);
	for (uint32_t f = 0; f < b->functions; f++)
		kept[f] = s->down[f] | s->up[f];
	r->met = kept;
}

/* ---- costs ---- */

/* The costs of f's calls have different shares if it has pairs.  The ways in are those of
 * the functions that the set leads to or that lead to it. */
struct shares {
	double *came, *goes;   /* [functions, or vertices of `ways`]: F, U */
	struct way_flow *ways; /* NULL: there are no pairs */
};

/* came[]: the cost that has passed the set before. */
static void find_came(const struct flow *fl, const struct focus *s, const uint32_t *fn,
		      double *came)
{
	for (uint32_t v = 0; v < fl->in.functions; v++) {
		/* Rounding errors: almost all is all. */
		if (!s->left[fn ? fn[v] : v])
			came[v] = 1;
		else if (came[v] > 0)
			came[v] = came[v] < fl->through[v] * (1 - 1e-9)
					  ? came[v] / fl->through[v]
					  : 1;
	}
}

/* The flow of the costs of event e below.  That of the whole profile is kept. */
static void flow_below(const struct graph *g, uint32_t e, const struct flow_input *in,
		       struct arena *scratch, const struct flow **out)
{
	const struct graph *b = g->below;
	struct flow *made;

	if (b->plain && b->cache && in->incl == store_costs(b->st, TABLE_EDGE_INCL, e)) {
		flow_of(b->cache, b->st, e, b->cancel, out);
		return;
	}
	flow_build(in, scratch, g->cancel, &made);
	graph_pairs(b, made, scratch);
	*out = made;
}

static void find_shares(const struct graph *g, uint32_t e, const struct flow_input *in,
			struct arena *scratch, struct shares *h)
{
	const struct focus *s = g->stage;
	const struct fn_set *set = s->set;
	uint8_t *marks, *met = NEED_ARRAY(scratch, uint8_t, (size_t)in->functions + 1);
	const struct flow *fl, *made;

	for (uint32_t f = 0; f < in->functions; f++)
		met[f] = s->down[f] | s->up[f];
	flow_below(g, e, in, scratch, &made);
	way_flow_new(made, met, scratch, g->cancel, &h->ways);
	if (h->ways)
		way_flow_set(h->ways, set, scratch, &set);
	fl = h->ways ? &h->ways->flow : made;
	chain_passed(fl, set, &h->came, scratch, g->cancel);
	h->goes = NEED_ARRAY(scratch, double, (size_t)fl->in.functions + 1);
	marks = chain_marks(fl, set, scratch);
	find_came(fl, s, h->ways ? h->ways->fn : NULL, h->came);
	for (uint32_t v = 0; v < fl->in.functions; v++)
		h->goes[v] = marks[v];
	chain_expect(fl, marks, NULL, h->goes, scratch, g->cancel);
}

/* The mean of F over the ways into f, weighted by the part of a cost that came by each: way
 * out k, or f's own cost.  What the set leads to has all its ways out. */
static double came_to(const struct focus *s, const struct shares *h, uint32_t f,
		      uint32_t k, bool own)
{
	const struct way_flow *w = h->ways;
	double sum = 0, all = 0;

	if (!w)
		return h->came[f];
	if (!s->down[f])
		return !s->left[f];
	if (!way_flow_split(w, f))
		return h->came[w->first[f]];
	for (uint32_t v = w->first[f]; v + 1 < w->first[f + 1]; v++) {
		const struct flow_input *in = &w->flow.in;
		const double part =
			(double)(own ? in->self[v] : in->incl[in->out_first[v] + k]);

		all += part;
		sum += part * h->came[v];
	}
	return all > 0 ? fmin(sum / all, 1) : h->came[w->first[f + 1] - 1];
}

/* U behind a call. */
static double goes_on(const struct shares *h, const struct flow_input *below,
		      uint32_t edge)
{
	const uint32_t to = below->callee[edge];
	const struct way_flow *w = h->ways;

	if (!w)
		return h->goes[to];
	if (w->first[to] == w->first[to + 1])
		return 0;
	return h->goes[w->first[to] +
		       (way_flow_split(w, to) ? pairs_way_in(w->of, edge) : 0)];
}

/* Exact if the share is 0 or 1. */
static int64_t part_of_cost(int64_t cost, double share, bool ignore)
{
	int64_t part = share >= 1 ? cost : cost_round(share * (double)cost);

	if (cost > 0 ? part > cost : part < cost)
		part = cost;
	return ignore ? cost - part : part;
}

/* The part of each call of f.  If nothing of f's own cost will pass the set, nothing of
 * its calls will. */
static void share_calls(const struct graph *g, const struct flow_input *below,
			const struct shares *h, uint32_t f, int64_t *edge)
{
	const struct focus *s = g->stage;
	const uint32_t b = s->first[f];

	for (uint32_t i = g->shape.out_first[f]; i < g->shape.out_first[f + 1]; i++) {
		const uint32_t from = s->edge[i], k = from - below->out_first[b];
		const double came = came_to(s, h, b, k, false);
		double share = came;

		if (s->up[b] && came < 1)
			share += (1 - came) * goes_on(h, below, from);
		edge[i] = part_of_cost(below->incl[from], share, s->ignore);
	}
}

/* In a tree a cost passes the set or does not, so it may be negative. */
static void focus_tree(const struct graph *g, const struct flow_input *below,
		       struct arena *scratch, int64_t *self, int64_t *edge)
{
	const struct focus *s = g->stage;
	uint8_t *came = NEED_ARRAY(scratch, uint8_t, (size_t)below->functions + 1);
	int64_t *all = NEED_ARRAY(scratch, int64_t, (size_t)below->functions + 1);

	for (uint32_t i = 0; i < below->functions; i++) {
		const uint32_t f = below->topo[i], k = below->in_first[f];
		const bool called = k < below->in_first[f + 1];

		came[f] = s->marked[f] ||
			  (called && came[below->caller[below->in_edge[k]]]);
		all[f] = came[f] != s->ignore ? below->self[f] : 0;
		if (s->map[f] != GRAPH_NONE)
			self[s->map[f]] = all[f];
	}
	for (uint32_t i = below->functions; i-- > 0;) {
		const uint32_t f = below->topo[i], k = below->in_first[f];

		if (k < below->in_first[f + 1])
			cost_add(&all[below->caller[below->in_edge[k]]], all[f]);
	}
	for (uint32_t i = 0; i < g->edges; i++)
		edge[i] = all[below->callee[s->edge[i]]];
}

/* Self costs by the share that has come through the set; calls by that, or by what they
 * still lead to. */
static void focus_fill(struct graph *g, uint32_t e, const struct flow_input *below,
		       struct arena *scratch, int64_t *self, int64_t *edge)
{
	const struct focus *s = g->stage;
	struct shares h = {0};

	if (flow_negative(below) && flow_is_tree(below)) {
		focus_tree(g, below, scratch, self, edge);
		return;
	}
	find_shares(g, e, below, scratch, &h);
	for (uint32_t f = 0; f < below->functions; f++)
		if (s->map[f] != GRAPH_NONE)
			self[s->map[f]] = part_of_cost(
				below->self[f], came_to(s, &h, f, 0, true), s->ignore);
	for (uint32_t f = 0; f < g->functions; f++)
		share_calls(g, below, &h, f, edge);
}

/* Is each call of f sure, those by functions that this stage drops, too? */
static bool calls_are_sure(const struct graph *b, const struct flow_input *in, uint32_t f)
{
	for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++)
		if (!graph_call_is_sure(b, in->in_edge[k]))
			return false;
	return true;
}

/* Mark the costs that no share divides. */
static void focus_sure(struct graph *g, const struct focus *s)
{
	struct flow_input below;
	uint8_t *sure, *call;
	uint8_t *entered = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);

	graph_sure(g, &sure, &call);
	graph_shape(g->below, &below);
	/* Each call of these brings all of its cost, or nothing. */
	for (uint32_t f = 0; f < g->functions; f++)
		entered[f] = s->down[s->first[f]] && !s->up[s->first[f]] &&
			     sure[f] & GRAPH_INCL &&
			     calls_are_sure(g->below, &below, s->first[f]);
	for (uint32_t f = 0; f < g->functions; f++) {
		const uint32_t b = s->first[f];

		for (uint32_t i = g->shape.out_first[f]; i < g->shape.out_first[f + 1];
		     i++) {
			const uint32_t to = s->first[g->shape.callee[i]];
			const bool all = !s->left[b], none = !s->down[b];

			g->marks.some_calls |= !all && !none;
			call[i] = graph_call_is_sure(g->below, s->edge[i]) &&
				  (all || (none && (s->marked[to] || !s->up[to])));
			entered[g->shape.callee[i]] &= call[i];
		}
		if (s->down[b] && s->left[b])
			sure[f] = 0;
		else if (s->up[b] && s->left[b])
			sure[f] &= ~GRAPH_INCL;
	}
	for (uint32_t f = 0; f < g->functions; f++) {
		entered[f] &= !(sure[f] & GRAPH_INCL);
		sure[f] |= entered[f] ? GRAPH_INCL : 0;
	}
	g->marks.entered = entered;
}

/* Does the stage keep the whole cost of f? */
static bool keeps_all(const struct focus *s, uint32_t f)
{
	return s->ignore ? !s->down[f] && !s->up[f] : !s->left[f];
}

/* Such a function keeps its inclusive cost, also where it calls itself. */
static void keep_whole(struct graph *g, const struct focus *s)
{
	uint32_t *same = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	uint8_t *sure = (uint8_t *)(uintptr_t)g->marks.sure;

	for (uint32_t f = 0; f < g->functions; f++) {
		same[f] = keeps_all(s, s->first[f]) ? s->first[f] : GRAPH_NONE;
		if (same[f] != GRAPH_NONE && graph_is_sure(g->below, same[f], GRAPH_INCL))
			sure[f] |= GRAPH_INCL;
	}
	g->inlined.same = same;
}

void graph_focus(struct graph *g, const struct fn_set *set, bool ignore,
		 struct graph **out)
{
	struct graph_draft d;
	struct focus *s = NEED_NEW(g->a, struct focus);
	struct reach kept = {0};

	s->set = set;
	s->ignore = ignore;
	find_kept(g, s, &kept);
	graph_number(g, kept.met, &d);
	graph_keep_edges(&d, &kept.in, kept.in.calls, NULL, &s->edge);
	graph_build(&d, out);
	s->map = d.map;
	s->first = d.first;
	(*out)->stage = s;
	(*out)->drops = ignore;
	(*out)->marks.thins = true;
	(*out)->fill = focus_fill;
	focus_sure(*out, s);
	keep_whole(*out, s);
}
