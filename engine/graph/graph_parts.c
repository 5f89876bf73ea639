/*
 * graph_parts.c - the profile of some parts only.  Exact: from the sums per part.
 *
 *	store	f g h | f->g g->h f->h	functions and edges of the whole profile
 *	part 2	f g   | f->g
 *	part 4	f   h | f->h
 *	2, 4	f g h | f->g f->h	those that some part has; costs are added
 *
 * The index has the costs of a part for all events beside each other, so they are added
 * once, for all events; parts_fill() takes those of one, or of a formula.
 *
 * Some activations make such a graph, too: from their contexts, which are its stacks.
 */

#include "engine/flow/flow.h"
#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/part_lines.h"

/* Sums over the parts, by ids of the store. */
struct sums {
	uint32_t events;
	int64_t *self, *cost; /* [functions * events], [edges * events] */
	uint64_t *calls;      /* [edges] */
	uint64_t *roots;      /* [functions] */
	uint8_t *fn, *edge;   /* appears in some part */
	uint32_t *from;	      /* [edges here]: that of the store */
};

/* A callee may have no cost of its own in the part, a caller none but in its calls: both
 * appear in it by the edge. */
static void add_part_sums(struct graph *g, uint32_t p, struct sums *s,
			  struct arena *scratch)
{
	const uint32_t events = s->events;
	fn_id *fns = NULL;
	edge_id *edges = NULL;
	int64_t *costs = NULL;
	uint64_t *calls = NULL;
	size_t n = 0;
	struct err err = {0};

	need(store_part_functions(g->st, p, scratch, &fns, &costs, &n, &err), &err);
	for (size_t i = 0; i < n; i++) {
		s->fn[fns[i]] = 1;
		cost_add_each(s->self + (size_t)fns[i] * events, costs + i * events,
			      events);
	}
	need(store_part_edges(g->st, p, scratch, &edges, &calls, &costs, &n, &err), &err);
	for (size_t i = 0; i < n; i++) {
		struct store_edge e;

		store_edge(g->st, edges[i], &e);
		s->edge[edges[i]] = s->fn[e.caller] = s->fn[e.callee] = 1;
		count_add(&s->calls[edges[i]], calls[i]);
		cost_add_each(s->cost + (size_t)edges[i] * events, costs + i * events,
			      events);
	}
}

static void new_sums(struct graph *g, struct sums *s)
{
	const uint32_t events = store_info(g->st)->events;
	const size_t n = (size_t)g->functions + 1, m = (size_t)g->edges + 1;

	s->events = events;
	s->self = NEED_ARRAY(g->a, int64_t, n * events);
	s->cost = NEED_ARRAY(g->a, int64_t, m * events);
	s->calls = NEED_ARRAY(g->a, uint64_t, m);
	s->roots = NEED_ARRAY(g->a, uint64_t, n);
	s->fn = NEED_ARRAY(g->a, uint8_t, n);
	s->edge = NEED_ARRAY(g->a, uint8_t, m);
}

/* One part after the other, in the same scratch arena: memory does not grow with the number
 * of parts. */
static void sum_parts(struct graph *g, const uint8_t *parts, struct sums *s)
{
	struct arena *scratch;

	new_sums(g, s);
	scratch = need_scratch(g->a);
	for (uint32_t p = 0; p < store_info(g->st)->parts; p++) {
		if (!parts[p])
			continue;
		arena_reset(scratch);
		add_part_sums(g, p, s, scratch);
		graph_poll(g, 0);
	}
	for (uint32_t e = 0; e < g->edges; e++)
		graph_end_calls(g, &s->calls[e]);
	for (uint32_t i = 0; i < store_roots(g->st); i++) {
		const struct store_root root = store_root(g->st, i);

		if (parts[root.part])
			count_add(&s->roots[root.fn], root.calls);
	}
	scratch_free(scratch);
}

/* The store's call from one function to another, or GRAPH_NONE. */
static uint32_t edge_between(const struct flow_input *in, fn_id from, fn_id to)
{
	uint32_t lo = in->out_first[from], hi = in->out_first[from + 1];

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (in->callee[mid] < to)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < in->out_first[from + 1] && in->callee[lo] == to ? lo : GRAPH_NONE;
}

/* Add up contexts.  Callees stand behind their callers: from the end, a context is complete
 * when it is added to the one above. */
static void sum_contexts(struct graph *g, const struct part_contexts *from,
			 const struct flow_input *in, struct sums *s)
{
	const uint32_t events = store_info(g->st)->events;
	struct arena *scratch = need_scratch(g->a);
	int64_t *incl = NEED_ARRAY(scratch, int64_t, (size_t)from->n * events + 1);

	new_sums(g, s);
	for (uint32_t c = from->n; c-- > 0;) {
		const int64_t *own = from->self + (size_t)c * events;
		const uint32_t above = from->parent[c], f = from->fn[c];
		uint32_t e = GRAPH_NONE;

		s->fn[f] = 1;
		if (!above)
			count_add(&s->roots[f], from->calls[c]);
		cost_add_each(s->self + (size_t)f * events, own, events);
		cost_add_each(incl + (size_t)c * events, own, events);
		if (above)
			e = edge_between(in, from->fn[above - 1], f);
		if (above)
			cost_add_each(incl + (size_t)(above - 1) * events,
				      incl + (size_t)c * events, events);
		if (e != GRAPH_NONE) {
			s->edge[e] = 1;
			count_add(&s->calls[e], from->calls[c]);
			cost_add_each(s->cost + (size_t)e * events,
				      incl + (size_t)c * events, events);
		}
		graph_poll(g, c);
	}
	scratch_free(scratch);
}

static void parts_fill(struct graph *g, uint32_t e, const struct flow_input *below,
		       struct arena *scratch, int64_t *self, int64_t *edge)
{
	const struct sums *s = g->stage;

	(void)below;
	(void)scratch;
	for (uint32_t f = 0; f < g->functions; f++)
		self[f] = store_event_of(g->st, e,
					 s->self + (size_t)g->from[f] * s->events);
	for (uint32_t i = 0; i < g->edges; i++)
		edge[i] = store_event_of(g->st, e,
					 s->cost + (size_t)s->from[i] * s->events);
}

const uint32_t *graph_part_edges(const struct graph *g)
{
	return ((const struct sums *)g->stage)->from;
}

/* The graph of what s has of the functions and calls of g. */
static void graph_of_sums(struct graph *g, struct sums *s, const struct flow_input *in,
			  struct graph **out)
{
	struct graph_draft d;

	graph_number(g, s->fn, &d);
	store_sound(g->st);
	graph_keep_edges(&d, in, s->calls, s->edge, &s->from);
	d.roots = s->roots;
	graph_build(&d, out);
	(*out)->stage = s;
	(*out)->fill = parts_fill;
	(*out)->run.whole = *out;
	(*out)->marks.thins = true;
}

void graph_parts(struct graph *g, const uint8_t *parts, struct graph **out)
{
	struct sums *s = NEED_NEW(g->a, struct sums);
	const struct flow_input in = {.out_first = store_u32(g->st, TABLE_OUT_FIRST),
				      .callee = store_u32(g->st, TABLE_EDGE_CALLEE)};

	sum_parts(g, parts, s);
	graph_of_sums(g, s, &in, out);
	(*out)->run.parts = parts;
	(*out)->detail = true; /* fn_detail.h can read the detail again */
}

void graph_span(struct graph *g, const struct graph_span *span)
{
	uint8_t *here = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);

	for (uint32_t f = 0; f < g->functions; f++)
		here[f] = span->sure[g->origin[f]];
	g->marks.sure = here;
	g->run.span = span;
	g->marks.estimated = true;
	g->run.tree->marks.estimated = true;
	g->detail = g->run.tree->detail = true;
}

void graph_activations(struct graph *g, const struct part_contexts *from,
		       const struct graph_opened *opened, struct graph **out)
{
	struct sums *s = NEED_NEW(g->a, struct sums);
	const struct flow_input in = {.out_first = store_u32(g->st, TABLE_OUT_FIRST),
				      .callee = store_u32(g->st, TABLE_EDGE_CALLEE)};

	store_sound(g->st);
	sum_contexts(g, from, &in, s);
	graph_of_sums(g, s, &in, out);
	(*out)->run.opened = opened;
	(*out)->detail = opened != NULL;
	graph_part_tree(*out, from);
}
