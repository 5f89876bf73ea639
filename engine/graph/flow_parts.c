/*
 * flow_parts.c - see flow_parts.h.
 *
 * A part is loaded as costs of the store, or of a graph of some of its parts, and then
 * goes through the stages above that.  One set of arrays as wide as the store serves all
 * parts: loading a part clears the entries of the part before and sets its own.  So
 * without stages a part costs as much as it holds, not as much as the graph.
 *
 *	part 2: f g, f -> g	self	[f] 5 [g] 7 [h] 0	touched f g
 *	part 3: h		self	[f] 0 [g] 0 [h] 9	f and g are cleared first
 */
#include "engine/graph/flow_parts.h"

#include <stdlib.h>

#include "engine/flow/pairs.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

/* Functions and edges that the stages may look at, for all parts together. */
enum { STAGE_BUDGET = 20000000 };

struct flow_parts {
	struct graph *g; /* where the stages start: the store, or some parts of it */
	struct graph **stages;
	uint32_t nstages;
	uint32_t event, next, parts, count;
	bool proven;
	uint32_t together;    /* the number of parts that are taken as one */
	const uint32_t *edge; /* [edges of the store]: the edge of g; NULL: the same */
	struct arena *a;
	struct arena *scratch; /* of one part */
	struct flow fl;
	int64_t *self, *incl;	       /* the arrays of fl.in, not const */
	uint64_t *calls;	       /* [edges], of fl.in, too */
	int64_t *spent, *called;       /* [functions]: self and calls out; calls in */
	double *through, *root, *keep; /* [functions]: those of fl (flow.h) */
	uint32_t *touched, ntouched;   /* functions of the current part */
	uint32_t *rank;		 /* [functions]: place in topological order; or NULL */
	uint32_t *edges, nedges; /* edges of the current part */
	uint8_t *met, *met_edge; /* [functions], [edges]: it is in touched, in edges */
};

/* Map the edges of the store to those of the graph, which are in the same order. */
static void number_edges(struct flow_parts *p)
{
	const struct graph *g = p->g;
	const uint32_t n = store_info(g->st)->edges;
	const uint32_t *from;
	uint32_t *edge;

	if (g->plain)
		return;
	edge = NEED_ARRAY(p->a, uint32_t, (size_t)n + 1);
	from = graph_part_edges(g);
	for (uint32_t i = 0, at = 0; i < n; i++)
		edge[i] = at < g->edges && from[at] == i ? at++ : GRAPH_NONE;
	p->edge = edge;
}

static void allocate_part_flow(struct flow_parts *p)
{
	struct arena *a = p->a;
	size_t n = (size_t)p->g->functions + 1, m = (size_t)p->g->edges + 1;

	p->self = NEED_ARRAY(a, int64_t, n);
	p->incl = NEED_ARRAY(a, int64_t, m);
	p->calls = NEED_ARRAY(a, uint64_t, m);
	p->spent = NEED_ARRAY(a, int64_t, n);
	p->called = NEED_ARRAY(a, int64_t, n);
	p->through = NEED_ARRAY(a, double, n);
	p->root = NEED_ARRAY(a, double, n);
	p->keep = NEED_ARRAY(a, double, n);
	p->touched = NEED_ARRAY(a, uint32_t, n);
	p->edges = NEED_ARRAY(a, uint32_t, m);
	p->met = NEED_ARRAY(a, uint8_t, n);
	p->met_edge = NEED_ARRAY(a, uint8_t, m);
}

/* Is g a graph into which parts can be loaded: the store, or some parts of it? */
static bool is_bottom(const struct graph *g)
{
	return g->plain || g->run.whole == g;
}

/* The stages above the bottom graph, in the order in which costs pass them. */
static void list_stages(struct flow_parts *p, struct graph *g)
{
	struct graph *b = g;
	uint32_t n = 0;

	for (; !is_bottom(b); b = b->below)
		n++;
	p->g = b;
	p->nstages = n;
	p->stages = NEED_ARRAY(p->a, struct graph *, (size_t)n + 1);
	for (b = g; n > 0; b = b->below)
		p->stages[--n] = b;
}

/* A graph of contexts has the costs of all parts together, and so have those above it. */
static bool of_contexts(const struct graph *g)
{
	while (g && !g->contexts)
		g = g->below;
	return g != NULL;
}

/*
 * *out is NULL if there is only one part, or if all parts are taken as one.
 *
 * A stage looks at the whole graph for each part.  A profile may have thousands of parts,
 * so with stages several are taken as one: as few as STAGE_BUDGET allows.  The estimate is
 * then coarser, never wrong: the costs of parts added are costs of a profile, too.
 */
static void open_parts(struct graph *g, uint32_t event, bool stages, struct arena *a,
		       struct flow_parts **out)
{
	struct flow_parts *p;
	uint32_t all = store_info(g->st)->parts, n = 0, together = 1;

	*out = NULL;
	for (uint32_t i = 0; i < all; i++)
		n += !g->run.parts || g->run.parts[i];
	if (n < 2 || of_contexts(g))
		return;
	p = NEED_NEW(a, struct flow_parts);
	p->a = a;
	list_stages(p, g);
	if (stages || p->nstages) {
		uint32_t lots = STAGE_BUDGET / (p->g->functions + p->g->edges + 1);

		together = lots < 2 ? n : (n + lots - 1) / lots;
	}
	if (together == n)
		return;
	p->event = event;
	p->proven = !g->inlined.extra && !g->marks.estimated;
	p->parts = all;
	p->together = together;
	p->count = (n + together - 1) / together;
	allocate_part_flow(p);
	number_edges(p);
	p->scratch = need_scratch(a);
	*out = p;
}

/* The flow of a part has the structure of the whole, but costs of its own.  spent[] becomes
 * what passes a function: balance() raises it where calls bring in more. */
static void use_own_arrays(struct flow_parts *p)
{
	p->fl.in.self = p->self;
	p->fl.in.incl = p->incl;
	p->fl.in.calls = p->calls;
	p->fl.through = p->through;
	p->fl.root = p->root;
	p->fl.keep = NULL;
	p->fl.passing = p->spent;
}

void flow_parts_new(struct graph *g, const struct flow *whole, uint32_t event,
		    struct arena *a, struct flow_parts **out)
{
	struct flow_parts *p;

	open_parts(g, event, false, a, &p);
	*out = p;
	if (!p)
		return;
	if (!p->nstages) {
		p->fl = *whole;
	} else {
		graph_flow_input(p->g, event, &p->fl.in);
	}
	use_own_arrays(p);
	if (!p->nstages)
		pairs_like(whole->pairs, &p->fl, NULL, a);
}

void flow_parts_free(struct flow_parts *p)
{
	if (p)
		scratch_free(p->scratch);
}

uint32_t flow_parts_count(const struct flow_parts *p)
{
	return p->count;
}

bool flow_parts_proven(const struct flow_parts *p)
{
	return p->proven;
}

void flow_parts_rewind(struct flow_parts *p)
{
	p->next = 0;
}

/* Only what the part before touched: an array as wide as the store is not cleared as a
 * whole for a part of a few functions. */
static void clear_part(struct flow_parts *p)
{
	for (uint32_t i = 0; i < p->ntouched; i++) {
		uint32_t f = p->touched[i];

		p->self[f] = p->spent[f] = p->called[f] = 0;
		p->through[f] = p->root[f] = 0;
		p->met[f] = 0;
		pairs_forget(p->fl.pairs, f);
	}
	for (uint32_t i = 0; i < p->nedges; i++) {
		p->incl[p->edges[i]] = 0;
		p->calls[p->edges[i]] = 0;
		p->met_edge[p->edges[i]] = 0;
	}
	p->ntouched = p->nedges = 0;
}

static void touch(struct flow_parts *p, uint32_t f)
{
	if (!p->met[f])
		p->touched[p->ntouched++] = f;
	p->met[f] = 1;
}

/* A part lists the functions that cost something in it, by their numbers in the store.
 * Those that no stage left in the graph are skipped. */
static void load_functions(struct flow_parts *p, uint32_t part)
{
	struct err err = {0};
	uint32_t events = store_info(p->g->st)->events;
	fn_id *fns;
	int64_t *costs;
	size_t n;

	need(store_part_functions(p->g->st, part, p->scratch, &fns, &costs, &n, &err),
	     &err);
	for (size_t i = 0; i < n; i++) {
		uint32_t f = graph_of_store(p->g, fns[i]);
		int64_t cost = store_event_of(p->g->st, p->event, costs + i * events);

		if (f == GRAPH_NONE || !cost)
			continue;
		touch(p, f);
		cost_add(&p->self[f], cost);
		cost_add(&p->spent[f], cost);
	}
}

/* A call of a part touches both its ends, even if they cost nothing of their own there. */
static void load_edges(struct flow_parts *p, uint32_t part)
{
	struct err err = {0};
	const struct flow_input *in = &p->fl.in;
	uint32_t events = store_info(p->g->st)->events;
	edge_id *edges;
	int64_t *costs;
	uint64_t *calls;
	size_t n;

	need(store_part_edges(p->g->st, part, p->scratch, &edges, &calls, &costs, &n,
			      &err),
	     &err);
	for (size_t i = 0; i < n; i++) {
		uint32_t e = p->edge ? p->edge[edges[i]] : edges[i];
		int64_t cost = store_event_of(p->g->st, p->event, costs + i * events);

		if (e == GRAPH_NONE || !cost)
			continue;
		touch(p, in->caller[e]);
		touch(p, in->callee[e]);
		if (!p->met_edge[e])
			p->edges[p->nedges++] = e;
		p->met_edge[e] = 1;
		cost_add(&p->incl[e], cost);
		count_add(&p->calls[e], calls[i] == CALLS_UNKNOWN ? 0 : calls[i]);
		cost_add(&p->spent[in->caller[e]], cost);
		cost_add(&p->called[in->callee[e]], cost);
	}
}

/* Sort the functions of the part: callers first. */
static void sort_touched(struct flow_parts *p)
{
	const struct flow_input *in = &p->fl.in;

	if (!p->rank) {
		p->rank = NEED_ARRAY(p->a, uint32_t, (size_t)in->functions + 1);
		for (uint32_t i = 0; i < in->functions; i++)
			p->rank[in->topo[i]] = i;
	}
	for (uint32_t i = 0; i < p->ntouched; i++)
		p->touched[i] = p->rank[p->touched[i]];
	qsort(p->touched, p->ntouched, sizeof(*p->touched), compare_u32);
	for (uint32_t i = 0; i < p->ntouched; i++)
		p->touched[i] = in->topo[p->touched[i]];
}

/* Negative costs cannot flow: they count as 0, as in flow.c. */
static void without_negative(struct flow_parts *p)
{
	const struct flow_input *in = &p->fl.in;

	for (uint32_t i = 0; i < p->ntouched; i++)
		p->spent[p->touched[i]] = p->called[p->touched[i]] = 0;
	for (uint32_t i = 0; i < p->nedges; i++) {
		const uint32_t e = p->edges[i];

		p->incl[e] = cost_flow(p->incl[e]);
		cost_add(&p->spent[in->caller[e]], p->incl[e]);
		cost_add(&p->called[in->callee[e]], p->incl[e]);
	}
	for (uint32_t i = 0; i < p->ntouched; i++) {
		const uint32_t f = p->touched[i];

		if (in->cycle[f] || cost_sum(p->spent[f], p->self[f]) <= 0)
			p->self[f] = cost_flow(p->self[f]);
		cost_add(&p->spent[f], p->self[f]);
	}
}

/* Compute through[] and root[], as flow.c does.  Where each function spends at least what
 * calls bring in, the costs balance as they are; else flow_keep() finds how much of each
 * call can be kept, from the callers down. */
static void balance(struct flow_parts *p)
{
	bool kept = true;

	if (store_info(p->g->st)->negative)
		without_negative(p);
	for (uint32_t i = 0; i < p->ntouched; i++) {
		uint32_t f = p->touched[i];

		kept &= p->called[f] <= p->spent[f];
		p->through[f] = (double)p->spent[f];
		p->keep[f] = 1;
	}
	p->fl.keep = kept ? NULL : p->keep;
	if (!kept) {
		sort_touched(p);
		flow_keep(&p->fl.in, p->touched, p->ntouched, p->called, p->keep,
			  p->through, p->g->cancel);
	}
	for (uint32_t i = 0; i < p->ntouched; i++) {
		uint32_t f = p->touched[i];
		double root = kept ? (double)(p->spent[f] - p->called[f])
				   : p->through[f] - (double)p->called[f] * p->keep[f];

		p->root[f] = kept || root > p->through[f] * 1e-12 ? root : 0;
		if (p->called[f] > p->spent[f])
			p->spent[f] = p->called[f];
	}
}

/* Load the next parts that have any cost, as many as are taken as one. */
static void load(struct flow_parts *p, bool *found)
{
	uint32_t n = 0;

	clear_part(p);
	arena_reset(p->scratch);
	for (; p->next < p->parts && (n < p->together || !p->ntouched); p->next++) {
		if (p->g->run.parts && !p->g->run.parts[p->next])
			continue;
		need_time(p->g->cancel);
		load_functions(p, p->next);
		load_edges(p, p->next);
		n++;
	}
	*found = p->ntouched > 0;
}

/* *in: in: the costs of the graph below; out: the costs of `stage`. */
static void pass_stage(struct flow_parts *p, struct graph *stage, struct flow_input *in)
{
	struct arena *a = p->scratch;
	int64_t *self = NEED_ARRAY(a, int64_t, (size_t)stage->functions + 1);
	int64_t *edge = NEED_ARRAY(a, int64_t, (size_t)stage->edges + 1);

	stage->fill(stage, p->event, in, a, self, edge);
	graph_shape(stage, in);
	in->self = self;
	in->incl = edge;
}

/* The costs of a part go through all stages from the bottom up; each one sees only those of
 * the graph below it. */
static void pass_stages(struct flow_parts *p, struct flow_input *in)
{
	for (uint32_t i = 0; i < p->nstages; i++)
		pass_stage(p, p->stages[i], in);
}

void flow_parts_next(struct flow_parts *p, const struct flow **out)
{
	struct flow_input in;
	struct flow *made;
	bool found;

	*out = NULL;
	load(p, &found);
	if (!found)
		return;
	if (!p->nstages) {
		*out = &p->fl;
		balance(p);
		return;
	}
	/* A new flow, in scratch: the next load() resets it. */
	in = p->fl.in;
	pass_stages(p, &in);
	flow_build(&in, p->scratch, p->g->cancel, &made);
	graph_pairs(p->stages[p->nstages - 1], made, p->scratch);
	*out = made;
}

/* The costs of the part after all stages and g, added to those of the parts before. */
static void add_part_costs(struct flow_parts *p, struct graph *g, int64_t *self,
			   int64_t *edge)
{
	struct flow_input in = p->fl.in;

	pass_stages(p, &in);
	pass_stage(p, g, &in);
	for (uint32_t f = 0; f < g->functions; f++)
		cost_add(&self[f], in.self[f]);
	for (uint32_t i = 0; i < g->edges; i++)
		cost_add(&edge[i], in.incl[i]);
}

/* Run the last stage of g on the sums of all parts. */
static void fill_whole(struct graph *g, uint32_t event, int64_t *self, int64_t *edge,
		       struct arena *scratch)
{
	struct flow_input in;

	graph_flow_input(g->below, event, &in);
	g->fill(g, event, &in, scratch, self, edge);
}

static void fill_parts(struct flow_parts *p, struct graph *g, int64_t *self,
		       int64_t *edge)
{
	bool found = true;

	graph_flow_input(p->g, p->event, &p->fl.in);
	use_own_arrays(p);
	for (load(p, &found); found; load(p, &found))
		add_part_costs(p, g, self, edge);
	flow_parts_free(p);
}

/* In each part the share of inlined code is rounded, so a sum over parts may be off.
 * Costs that the stage does not estimate are therefore those of the whole profile. */
static void set_sure(struct graph *g, uint32_t event, int64_t *self, int64_t *edge,
		     struct arena *scratch)
{
	int64_t *s = NEED_ARRAY(scratch, int64_t, (size_t)g->functions + 1);
	int64_t *c = NEED_ARRAY(scratch, int64_t, (size_t)g->edges + 1);

	fill_whole(g, event, s, c, scratch);
	for (uint32_t f = 0; f < g->functions; f++)
		if (graph_is_sure(g, f, GRAPH_SELF))
			self[f] = s[f];
	for (uint32_t i = 0; i < g->edges; i++)
		if (graph_call_is_sure(g, i))
			edge[i] = c[i];
}

/* A stage that estimates goes part by part, if there are several: then its columns are sums
 * of what it makes of each.  Any other stage gives the same from the sums at once. */
void flow_parts_fill(struct graph *g, uint32_t event, int64_t *self, int64_t *edge)
{
	struct flow_parts *p = NULL;
	struct arena *a;

	a = need_scratch(g->a);
	if (g->marks.shares)
		open_parts(g->below, event, true, a, &p);
	if (p)
		fill_parts(p, g, self, edge);
	else
		fill_whole(g, event, self, edge, a);
	if (p && g->inlined.extra)
		set_sure(g, event, self, edge, a);
	scratch_free(a);
}
