/*
 * graph_contexts.c - graphs of contexts: where the profile knows its stacks.
 *
 * An index may have the whole call tree (store.h, contexts).  Stages that look at stacks
 * run on a graph whose vertices are contexts; graph_join() makes functions of them again:
 *
 *	store	functions ------------------------------> lists
 *		contexts -> focus, hide ... -> graph_join -> lists
 *					 |
 *					 +- apart ---------> trees, paths
 *
 * In a graph of contexts map[] is by context, not by function.
 *
 * The index has the contexts of the whole profile.  Those of some parts are read from the
 * profile again (part_lines.h), and make the same kind of graph.
 */
#include "engine/flow/flow.h"
#include "index/base/need.h"
#include "index/base/err_struct.h"
#include "index/graph/stacks.h"
#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"
#include "index/base/cost.h"
#include "index/part_lines.h"

#include <string.h>

/* The costs of an event are those of the index.  A context has one caller, so the call of it
 * costs all that it costs. */
static void context_fill(struct graph *g, uint32_t e, const struct flow_input *below,
			 struct arena *scratch, int64_t *self, int64_t *edge)
{
	const int64_t *own = store_costs(g->st, TABLE_CONTEXT_SELF, e);
	const int64_t *incl = store_costs(g->st, TABLE_CONTEXT_INCL, e);

	(void)below, (void)scratch;
	if (!own || !incl) {
		store_sound(g->st);
		return;
	}
	for (uint32_t c = 0; c < g->functions; c++) {
		self[c] = own[c];
		graph_poll(g, c);
	}
	for (uint32_t i = 0; i < g->edges; i++)
		edge[i] = incl[g->shape.callee[i]];
}

/* Of contexts that were read for some parts the costs are in g->stage; inclusive ones are
 * summed up here.  Callees stand behind their callers: from the end, a context is complete when
 * it is added to the one above. */
static void part_fill(struct graph *g, uint32_t e, const struct flow_input *below,
		      struct arena *scratch, int64_t *self, int64_t *edge)
{
	const struct part_contexts *from = g->stage;
	const uint32_t events = store_info(g->st)->events;
	int64_t *incl = NEED_ARRAY(scratch, int64_t, (size_t)g->functions + 1);

	(void)below;
	for (uint32_t c = from->n; c-- > 0;) {
		self[c] = store_event_of(g->st, e, from->self + (size_t)c * events);
		cost_add(&incl[c], self[c]);
		if (from->parent[c])
			cost_add(&incl[from->parent[c] - 1], incl[c]);
		graph_poll(g, c);
	}
	for (uint32_t i = 0; i < g->edges; i++)
		edge[i] = incl[g->shape.callee[i]];
}

/*
 * Roots come first, then all others in the order of their callers: the call of a context
 * is the edge with its number less that of the first that is no root.
 *
 *	context		0 1 | 2 3 4
 *	parent (1 + n)	0 0 | 1 1 2
 *	edge		    | 0 1 2	0 -> 2, 0 -> 3, 1 -> 4
 */
static void context_edges(struct graph *g, const uint32_t *parent, uint32_t roots)
{
	const size_t n = (size_t)g->functions + 2;
	uint32_t *out_first = NEED_ARRAY(g->a, uint32_t, n);
	uint32_t *in_first = NEED_ARRAY(g->a, uint32_t, n);
	uint32_t *in_edge = NEED_ARRAY(g->a, uint32_t, (size_t)g->edges + 1);
	uint32_t *caller = NEED_ARRAY(g->a, uint32_t, (size_t)g->edges + 1);
	uint32_t *callee = NEED_ARRAY(g->a, uint32_t, (size_t)g->edges + 1);

	for (uint32_t i = 0; i < g->edges; i++) {
		caller[i] = parent[roots + i] - 1;
		callee[i] = roots + i;
		in_edge[i] = i;
		out_first[caller[i] + 1]++;
	}
	for (uint32_t c = 0; c < g->functions; c++) {
		out_first[c + 1] += out_first[c];
		in_first[c + 1] = c < roots ? 0 : c - roots + 1;
	}
	g->shape.caller = caller;
	g->shape.callee = callee;
	g->shape.out_first = out_first;
	g->shape.in_first = in_first;
	g->shape.in_edge = in_edge;
}

/* A tree has no cycles, so nothing nests, and the numbers are an order from callers to callees. */
static void context_columns(struct graph *g)
{
	const size_t n = (size_t)g->functions + 1;
	const size_t events = store_info(g->st)->all_events;
	uint32_t *same = NEED_ARRAY(g->a, uint32_t, n);

	g->shape.cycle = NEED_ARRAY(g->a, uint32_t, n);
	g->shape.nests = NEED_ARRAY(g->a, uint8_t, n);
	g->costs = NEED_ARRAY(g->a, struct graph_costs *, events + 1);
	g->flows = NEED_ARRAY(g->a, const struct flow *, events + 1);
	for (uint32_t c = 0; c < g->functions; c++)
		same[c] = c;
	g->map = g->shape.topo = g->from = same;
}

/* Make the graph of contexts from->n; its costs come from `fill`. */
static void contexts_graph(struct graph *below, const struct part_contexts *from,
			   struct graph **out)
{
	struct graph *g = NEED_NEW(below->a, struct graph);
	uint32_t roots = 0;

	*g = (struct graph){.st = below->st,
			    .a = below->a,
			    .cancel = below->cancel,
			    .functions = from->n,
			    .contexts = from->n,
			    .origin = from->fn,
			    .shape.fn_calls = from->calls,
			    .run.whole = below->run.whole,
			    .run.parts = below->run.parts,
			    .detail = below->detail,
			    .below = below,
			    .fill = context_fill};
	while (roots < g->functions && from->parent[roots] == 0)
		roots++;
	g->edges = g->functions - roots;
	g->shape.calls = g->shape.fn_calls + roots;
	context_edges(g, from->parent, roots);
	context_columns(g);
	*out = g;
}

/* The columns of the store are used as they are; nothing is copied. */
void graph_contexts(struct graph *below, struct graph **out)
{
	struct part_contexts all = {
		.parent = store_u32(below->st, TABLE_CONTEXT_PARENT),
		.fn = store_u32(below->st, TABLE_CONTEXT_FN),
		.calls = store_u64(below->st, TABLE_CONTEXT_CALLS),
	};
	struct store_tree tree;

	store_tree(below->st, &tree);
	all.n = tree.contexts;
	if (!all.parent || !all.fn || !all.calls) {
		store_sound(below->st);
		return;
	}
	contexts_graph(below, &all, out);
	store_sound(below->st);
}

/* A copy in the arena. */
static void *copy(struct arena *a, const void *from, size_t n, size_t size)
{
	void *p = need_array(a, n + 1, size);

	if (n)
		memcpy(p, from, n * size);
	return p;
}

/* What g knew of its functions without the tree is no longer so. */
static void forget_estimates(struct graph *g)
{
	const size_t events = store_info(g->st)->all_events;

	memset(g->costs, 0, events * sizeof(*g->costs));
	memset(g->by, 0, sizeof(g->by));
	g->shape.nests = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
}

static void tree_of_parts(struct graph *g, const struct part_contexts *from,
			  struct graph **out)
{
	const size_t n = from->n, events = store_info(g->st)->events;
	struct part_contexts *own = NEED_NEW(g->a, struct part_contexts);

	*own = (struct part_contexts){
		from->n,
		copy(g->a, from->parent, n, sizeof(*from->parent)),
		copy(g->a, from->fn, n, sizeof(*from->fn)),
		copy(g->a, from->calls, n, sizeof(*from->calls)),
		copy(g->a, from->self, n * events, sizeof(*from->self)),
	};
	contexts_graph(g, own, out);
	(*out)->stage = own;
	(*out)->fill = part_fill;
}

void graph_part_tree(struct graph *g, const struct part_contexts *from)
{
	struct graph *tree;

	if (from)
		tree_of_parts(g, from, &tree);
	else
		graph_contexts(g, &tree);
	forget_estimates(g);
	g->run.tree = tree;
}

/* The graph of contexts without stages is the lowest that has contexts. */
const uint32_t *graph_context_functions(const struct graph *g)
{
	while (g->below->contexts)
		g = g->below;
	return g->origin;
}

/* ---- known stacks ---- */

static void stacks_of_store(const struct graph *g, uint32_t e, struct arena *a,
			    struct stacks *s)
{
	const uint32_t *parent = store_u32(g->st, TABLE_CONTEXT_PARENT);
	struct store_tree tree;

	store_tree(g->st, &tree);
	*s = (struct stacks){.n = tree.contexts,
			     .functions = g->functions,
			     .fn = store_u32(g->st, TABLE_CONTEXT_FN),
			     .calls = store_u64(g->st, TABLE_CONTEXT_CALLS),
			     .self = store_costs(g->st, TABLE_CONTEXT_SELF, e),
			     .incl = store_costs(g->st, TABLE_CONTEXT_INCL, e)};
	if (!parent || !s->fn || !s->calls || !s->self || !s->incl) {
		store_sound(g->st);
		return;
	}
	if (stacks_link(s, parent, a))
		need_memory(a);
	store_sound(g->st);
}

/* Of a graph of contexts after stages; *known is false if some vertex has two callers. */
static void stacks_of_graph(struct graph *g, uint32_t e, struct arena *a,
			    struct stacks *s, bool *known)
{
	const struct graph_span *span =
		g->below->run.tree == g ? g->below->run.span : NULL;
	struct flow_input in;
	uint32_t *caller = NEED_ARRAY(a, uint32_t, (size_t)g->functions + 1);
	int64_t *incl = NEED_ARRAY(a, int64_t, (size_t)g->functions + 1);

	*known = false;
	graph_flow_input(g, e, &in);
	for (uint32_t v = 0; v < g->functions; v++) {
		caller[v] = UINT32_MAX;
		incl[v] = graph_incl(g, v, e);
	}
	for (uint32_t i = 0; i < g->edges; i++) {
		const uint32_t v = in.callee[i];

		if (caller[v] != UINT32_MAX || in.caller[i] >= v)
			return;
		caller[v] = in.caller[i];
	}
	*known = true;
	*s = (struct stacks){.n = g->functions,
			     .caller = caller,
			     .out_first = in.out_first,
			     .out = in.callee,
			     .calls = g->shape.fn_calls,
			     .self = in.self,
			     .incl = incl,
			     .least = span && span->event == e ? span->context_lo : NULL};
}

/* The stacks of the parts, in the function numbers of g.  Callees stand behind their callers:
 * from the end, a context is complete when it is added to the one above. */
static void stacks_of_parts(const struct graph *g, uint32_t e, struct arena *a,
			    struct stacks *s, bool *known)
{
	const struct graph_span *span = g->run.span;
	struct graph *t = g->run.tree;
	const uint32_t roots = t->functions - t->edges;
	const size_t n = (size_t)t->functions + 1;
	uint32_t *fn = NEED_ARRAY(a, uint32_t, n), *caller = NEED_ARRAY(a, uint32_t, n);
	int64_t *self = NEED_ARRAY(a, int64_t, n), *incl = NEED_ARRAY(a, int64_t, n);
	int64_t *edge = NEED_ARRAY(a, int64_t, n);

	t->fill(t, e, NULL, a, self, edge);
	*known = true;
	for (uint32_t v = t->functions; v-- > 0;) {
		fn[v] = g->map[t->origin[v]];
		*known &= fn[v] != GRAPH_NONE;
		cost_add(&incl[v], self[v]);
		caller[v] = v < roots ? UINT32_MAX : t->shape.caller[v - roots];
		if (v >= roots)
			cost_add(&incl[caller[v]], incl[v]);
	}
	*s = (struct stacks){t->functions,
			     g->functions,
			     fn,
			     caller,
			     t->shape.out_first,
			     t->shape.callee,
			     t->shape.fn_calls,
			     self,
			     incl,
			     span && span->event == e ? span->context_lo : NULL};
}

/* The function of g that f, of a graph below all merging stages, is part of. */
static uint32_t function_of(const struct graph *g, const struct graph *base, uint32_t f)
{
	return g == base ? f : g->merge.group[function_of(g->below, base, f)];
}

/*
 * A group with a name of its own is one: what it calls of itself is inside it.  So a vertex
 * whose caller is of the same group becomes part of that; at[]: the vertex that v is part of.
 *
 *	main - A - A - x	A is a group: its second vertex becomes part of the first,
 *	main - A - x		which gets its self cost; x is called by the first
 */
static void contract(const struct graph *g, struct stacks *s, struct arena *a)
{
	const size_t n = (size_t)s->n + 1;
	uint32_t *at = NEED_ARRAY(a, uint32_t, n), *fn = NEED_ARRAY(a, uint32_t, n);
	uint32_t *caller = NEED_ARRAY(a, uint32_t, n);
	uint32_t *first = NEED_ARRAY(a, uint32_t, n + 2),
		 *out = NEED_ARRAY(a, uint32_t, n);
	uint64_t *calls = NEED_ARRAY(a, uint64_t, n);
	int64_t *self = NEED_ARRAY(a, int64_t, n);
	int64_t *incl = NEED_ARRAY(a, int64_t, n);
	int64_t *least = s->least ? NEED_ARRAY(a, int64_t, n) : NULL;
	uint32_t k = 0;

	for (uint32_t v = 0; v < s->n; v++) {
		const uint32_t c = s->caller[v];

		if (c != UINT32_MAX && s->fn[c] == s->fn[v] &&
		    graph_is(g, s->fn[v], GRAPH_NAMED)) {
			at[v] = at[c];
			cost_add(&self[at[v]], s->self[v]);
			continue;
		}
		at[v] = k;
		fn[k] = s->fn[v];
		caller[k] = c == UINT32_MAX ? c : at[c];
		calls[k] = s->calls[v];
		self[k] = s->self[v];
		incl[k] = s->incl[v];
		if (least)
			least[k] = s->least[v];
		if (c != UINT32_MAX)
			first[at[c] + 2]++;
		k++;
	}
	for (uint32_t v = 1; v < k + 2; v++)
		first[v] += first[v - 1];
	for (uint32_t v = 0; v < k; v++)
		if (caller[v] != UINT32_MAX)
			out[first[caller[v] + 1]++] = v;
	*s = (struct stacks){k,	  s->functions, fn,   caller, first,
			     out, calls,	self, incl,   least};
}

/* Stages that merge keep stacks: so take those of the graph below them, and rename the
 * functions. */
void graph_stacks(struct graph *g, uint32_t e, struct arena *a, struct stacks *out,
		  bool *known)
{
	uint32_t *fn;
	struct graph *base = g;

	*known = false;
	while (!base->plain && base->merge.group)
		base = base->below;
	if (graph_has_contexts(base)) {
		stacks_of_store(base, e, a, out);
		*known = true;
	} else if (base->run.tree) {
		stacks_of_parts(base, e, a, out, known);
	} else if (base->contexts) {
		stacks_of_graph(base, e, a, out, known);
	}
	if (!*known)
		return;
	if (base != g || !out->fn) {
		fn = NEED_ARRAY(a, uint32_t, (size_t)out->n + 1);
		for (uint32_t v = 0; v < out->n; v++)
			fn[v] = function_of(g, base, out->fn ? out->fn[v] : v);
		out->fn = fn;
	}
	out->functions = g->functions;
	if (base != g && !g->plain && g->mixed)
		contract(g, out, a);
}
