/*
 * graph_focus.c - focus and ignore: the cost that passes through a set, or the rest.
 *
 * For each event, on the flow of the graph below (flow.h, chain.h):
 *	F(v)	share of v's cost that came through the set: 1 in the set, else 1 less the
 *		share that has not passed the set before v
 *	U(v)	share of v's cost that will pass the set at or below v: 1 in the set, else
 *		the mean over its callees, weighted by the cost of the calls
 *	self'(v) = F(v) self(v)		w'(u,v) = w(u,v) (F(u) + (1 - F(u)) U(v))
 * ignore is the rest: focus and ignore add up to all.  Call counts stay those of the
 * profile.
 */
#include <string.h>

#include "engine/flow/chain.h"
#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"

struct focus {
	const struct fn_set *set;
	bool ignore;
	uint32_t *map;	 /* below -> here */
	uint32_t *edge;	 /* [edges here]: one of its draft edges */
	uint32_t *draft; /* [draft edges]: edge below */
	uint32_t drafts;
};

/* ---- which functions stay ---- */

struct reach {
	uint8_t *met;
	uint32_t *todo, n;
};

static void graph_focus_meet(struct reach *r, uint32_t f)
{
	if (!r->met[f])
		r->todo[r->n++] = f;
	r->met[f] = 1;
}

/* Visit all callees (or callers) of the functions met so far, and theirs. */
static int follow_calls(struct graph *b, struct reach *r, bool up,
			const struct fn_set * not, struct err *err)
{
	for (uint32_t polled = 0; r->n; polled++) {
		uint32_t f = r->todo[--r->n], first = 0, n;
		struct store_edge e;

		if (graph_poll(b, polled, err))
			return (int)err->kind;
		if (up)
			n = graph_caller_count(b, f);
		else
			graph_callees(b, f, &first, &n);
		for (uint32_t i = 0; i < n; i++) {
			graph_edge(b, up ? graph_caller(b, f, i) : first + i, &e);
			if (!not || !fnset_has(not, up ? e.caller : e.callee))
				graph_focus_meet(r, up ? e.caller : e.callee);
		}
	}
	return 0;
}

/* Visit the functions that some event enters without a call. */
static int meet_roots(struct graph *b, const struct fn_set * not, struct reach *r,
		      struct err *err)
{
	uint64_t *called = ARENA_ARRAY(b->a, uint64_t, (size_t)b->functions + 1);

	if (!called)
		return arena_full(b->a, err);
	for (uint32_t e = 0; e < store_info(b->st)->events; e++) {
		struct flow_input in;

		if (graph_event(b, e, err) || graph_flow_input(b, e, &in, err) ||
		    graph_poll(b, 0, err))
			return (int)err->kind;
		memset(called, 0, b->functions * sizeof(*called));
		for (uint32_t i = 0; i < in.edges; i++)
			called[in.callee[i]] =
				graph_add(called[in.callee[i]], in.incl[i]);
		for (uint32_t f = 0; f < b->functions; f++) {
			uint64_t spent = in.self[f];

			for (uint32_t i = in.out_first[f]; i < in.out_first[f + 1]; i++)
				spent = graph_add(spent, in.incl[i]);
			if (spent > called[f] && !fnset_has(not, f))
				graph_focus_meet(r, f);
		}
	}
	for (uint32_t f = 0; f < b->functions; f++)
		if (!graph_caller_count(b, f) && !fnset_has(not, f))
			graph_focus_meet(r, f);
	return 0;
}

/* focus: the set and all functions below and above it; ignore: all functions that a
 * root reaches without passing the set. */
static int find_kept(struct graph *b, const struct focus *s, uint8_t **out,
		     struct err *err)
{
	size_t n = (size_t)b->functions + 1;
	struct reach down = {ARENA_ARRAY(b->a, uint8_t, n),
			     ARENA_ARRAY(b->a, uint32_t, n), 0};
	struct reach up = {ARENA_ARRAY(b->a, uint8_t, n), down.todo, 0};

	if (!down.met || !down.todo || !up.met)
		return arena_full(b->a, err);
	*out = down.met;
	if (s->ignore)
		return meet_roots(b, s->set, &down, err) ||
				       follow_calls(b, &down, false, s->set, err)
			       ? (int)err->kind
			       : 0;
	for (uint32_t f = fnset_next(s->set, 0); f != FNSET_NONE;
	     f = fnset_next(s->set, f + 1))
		graph_focus_meet(&down, f);
	if (follow_calls(b, &down, false, NULL, err))
		return (int)err->kind;
	for (uint32_t f = fnset_next(s->set, 0); f != FNSET_NONE;
	     f = fnset_next(s->set, f + 1))
		graph_focus_meet(&up, f);
	if (follow_calls(b, &up, true, NULL, err))
		return (int)err->kind;
	for (uint32_t f = 0; f < b->functions; f++)
		down.met[f] |= up.met[f];
	return 0;
}

/* ---- costs ---- */

struct shares {
	double *came, *goes; /* [functions]: F, U */
};

static int find_shares(const struct flow_input *in, const struct focus *s,
		       struct arena *scratch, const struct cancel *cancel,
		       struct shares *h, struct err *err)
{
	struct flow *fl;
	uint8_t *marks;

	if (flow_build(in, scratch, cancel, &fl, err) ||
	    chain_first(fl, s->set, &h->came, scratch, cancel, err))
		return (int)err->kind;
	marks = chain_marks(fl, s->set, scratch);
	h->goes = ARENA_ARRAY(scratch, double, (size_t)in->functions + 1);
	if (!marks || !h->goes)
		return arena_full(scratch, err);
	for (uint32_t f = 0; f < in->functions; f++) {
		double before = marks[f] ? 0 : h->came[f];

		h->came[f] = before <= 0		? 1
			     : before >= fl->through[f] ? 0
							: 1 - before / fl->through[f];
		/* Rounding errors: almost nothing is 0, almost all is 1. */
		if (h->came[f] < 1e-9)
			h->came[f] = 0;
		h->goes[f] = marks[f];
	}
	return chain_expect(fl, marks, h->goes, scratch, cancel, err);
}

/* Exact if the share is 0 or 1. */
static uint64_t part_of_cost(uint64_t cost, double share, bool ignore)
{
	uint64_t part = share >= 1 ? cost : graph_round(share * (double)cost);

	if (part > cost)
		part = cost;
	return ignore ? cost - part : part;
}

static int focus_fill(struct graph *g, uint32_t e, const struct flow_input *below,
		      struct arena *scratch, uint64_t *self, uint64_t *edge,
		      struct err *err)
{
	const struct focus *s = g->stage;
	struct shares h;

	(void)e;
	if (find_shares(below, s, scratch, g->cancel, &h, err))
		return (int)err->kind;
	for (uint32_t f = 0; f < below->functions; f++)
		if (s->map[f] != GRAPH_NONE)
			self[s->map[f]] =
				part_of_cost(below->self[f], h.came[f], s->ignore);
	for (uint32_t i = 0; i < s->drafts; i++) {
		uint32_t from = s->draft[i];
		double came = h.came[below->caller[from]];
		double share = came + (1 - came) * h.goes[below->callee[from]];

		edge[s->edge[i]] =
			graph_add(edge[s->edge[i]],
				  part_of_cost(below->incl[from], share, s->ignore));
	}
	return 0;
}

static int kept_edges(struct graph *b, struct graph_draft *d, struct focus *s,
		      struct err *err)
{
	size_t n = (size_t)b->edges + 1;

	d->caller = ARENA_ARRAY(b->a, uint32_t, n);
	d->callee = ARENA_ARRAY(b->a, uint32_t, n);
	d->calls = ARENA_ARRAY(b->a, uint64_t, n);
	s->draft = ARENA_ARRAY(b->a, uint32_t, n);
	if (!d->caller || !d->callee || !d->calls || !s->draft)
		return arena_full(b->a, err);
	for (uint32_t i = 0; i < b->edges; i++) {
		struct store_edge e;

		graph_edge(b, i, &e);
		if (d->map[e.caller] == GRAPH_NONE || d->map[e.callee] == GRAPH_NONE)
			continue;
		d->caller[d->edges] = d->map[e.caller];
		d->callee[d->edges] = d->map[e.callee];
		d->calls[d->edges] = e.calls;
		s->draft[d->edges++] = i;
	}
	s->drafts = d->edges;
	return 0;
}

int graph_focus(struct graph *g, const struct fn_set *set, bool ignore,
		struct graph **out, struct err *err)
{
	struct graph_draft d = {.below = g};
	struct focus *s = ARENA_NEW(g->a, struct focus);
	uint8_t *keep = NULL;

	if (!s)
		return arena_full(g->a, err);
	s->set = set;
	s->ignore = ignore;
	if (find_kept(g, s, &keep, err) || graph_number(&d, keep, err) ||
	    kept_edges(g, &d, s, err) || graph_build(&d, out, &s->edge, err))
		return (int)err->kind;
	s->map = d.map;
	(*out)->stage = s;
	(*out)->fill = focus_fill;
	(*out)->estimated = (*out)->shares = true;
	return 0;
}
