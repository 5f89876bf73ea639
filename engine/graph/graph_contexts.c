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
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/graph/stacks.h"
#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"
#include "index/base/cost.h"
#include "index/part_lines.h"

#include <string.h>

/* The costs of an event are those of the index.  A context has one caller, so the call of it
 * costs all that it costs. */
static int context_fill(struct graph *g, uint32_t e, const struct flow_input *below,
			struct arena *scratch, int64_t *self, int64_t *edge,
			struct err *err)
{
	const int64_t *own = store_costs(g->st, TABLE_CONTEXT_SELF, e);
	const int64_t *incl = store_costs(g->st, TABLE_CONTEXT_INCL, e);

	(void)below, (void)scratch;
	if (!own || !incl)
		return store_check(g->st, err);
	for (uint32_t c = 0; c < g->functions; c++) {
		self[c] = own[c];
		if (graph_poll(g, c, err))
			return err->kind;
	}
	for (uint32_t i = 0; i < g->edges; i++)
		edge[i] = incl[g->callee[i]];
	return 0;
}

/* Of contexts that were read for some parts the costs are in g->stage; inclusive ones are
 * summed up here.  Callees stand behind their callers: from the end, a context is complete when
 * it is added to the one above. */
static int part_fill(struct graph *g, uint32_t e, const struct flow_input *below,
		     struct arena *scratch, int64_t *self, int64_t *edge, struct err *err)
{
	const struct part_contexts *from = g->stage;
	const uint32_t events = store_info(g->st)->events;
	int64_t *incl = ARENA_ARRAY(scratch, int64_t, (size_t)g->functions + 1);

	(void)below;
	if (!incl)
		return arena_full(scratch, err);
	for (uint32_t c = from->n; c-- > 0;) {
		self[c] = store_event_of(g->st, e, from->self + (size_t)c * events);
		cost_add(&incl[c], self[c]);
		if (from->parent[c])
			cost_add(&incl[from->parent[c] - 1], incl[c]);
		if (graph_poll(g, c, err))
			return err->kind;
	}
	for (uint32_t i = 0; i < g->edges; i++)
		edge[i] = incl[g->callee[i]];
	return 0;
}

/*
 * Roots come first, then all others in the order of their callers: the call of a context
 * is the edge with its number less that of the first that is no root.
 *
 *	context		0 1 | 2 3 4
 *	parent (1 + n)	0 0 | 1 1 2
 *	edge		    | 0 1 2	0 -> 2, 0 -> 3, 1 -> 4
 */
static int context_edges(struct graph *g, const uint32_t *parent, uint32_t roots)
{
	const size_t n = (size_t)g->functions + 2;
	uint32_t *out_first = ARENA_ARRAY(g->a, uint32_t, n);
	uint32_t *in_first = ARENA_ARRAY(g->a, uint32_t, n);
	uint32_t *in_edge = ARENA_ARRAY(g->a, uint32_t, (size_t)g->edges + 1);
	uint32_t *caller = ARENA_ARRAY(g->a, uint32_t, (size_t)g->edges + 1);
	uint32_t *callee = ARENA_ARRAY(g->a, uint32_t, (size_t)g->edges + 1);

	if (!out_first || !in_first || !in_edge || !caller || !callee)
		return -1;
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
	g->caller = caller;
	g->callee = callee;
	g->out_first = out_first;
	g->in_first = in_first;
	g->in_edge = in_edge;
	return 0;
}

/* A tree has no cycles, so nothing nests, and the numbers are an order from callers to callees. */
static int context_columns(struct graph *g)
{
	const size_t n = (size_t)g->functions + 1;
	const size_t events = store_info(g->st)->all_events;
	uint32_t *same = ARENA_ARRAY(g->a, uint32_t, n);

	g->cycle = ARENA_ARRAY(g->a, uint32_t, n);
	g->nests = ARENA_ARRAY(g->a, uint8_t, n);
	g->costs = ARENA_ARRAY(g->a, struct graph_costs *, events + 1);
	g->flows = ARENA_ARRAY(g->a, const struct flow *, events + 1);
	if (!same || !g->cycle || !g->nests || !g->costs || !g->flows)
		return -1;
	for (uint32_t c = 0; c < g->functions; c++)
		same[c] = c;
	g->map = g->topo = g->from = same;
	return 0;
}

/* Make the graph of contexts from->n; its costs come from `fill`. */
static int contexts_graph(struct graph *below, const struct part_contexts *from,
			  struct graph **out, struct err *err)
{
	struct graph *g = ARENA_NEW(below->a, struct graph);
	uint32_t roots = 0;

	if (!g)
		return arena_full(below->a, err);
	*g = (struct graph){.st = below->st,
			    .a = below->a,
			    .cancel = below->cancel,
			    .functions = from->n,
			    .contexts = from->n,
			    .origin = from->fn,
			    .fn_calls = from->calls,
			    .whole = below->whole,
			    .parts = below->parts,
			    .detail = true,
			    .below = below,
			    .fill = context_fill};
	while (roots < g->functions && from->parent[roots] == 0)
		roots++;
	g->edges = g->functions - roots;
	g->calls = g->fn_calls + roots;
	if (context_edges(g, from->parent, roots) || context_columns(g))
		return arena_full(g->a, err);
	*out = g;
	return 0;
}

/* The columns of the store are used as they are; nothing is copied. */
int graph_contexts(struct graph *below, struct graph **out, struct err *err)
{
	struct part_contexts all = {
		.parent = store_u32(below->st, TABLE_CONTEXT_PARENT),
		.fn = store_u32(below->st, TABLE_CONTEXT_FN),
		.calls = store_u64(below->st, TABLE_CONTEXT_CALLS),
	};
	struct store_tree tree;

	store_tree(below->st, &tree);
	all.n = tree.contexts;
	if (!all.parent || !all.fn || !all.calls)
		return store_check(below->st, err);
	return contexts_graph(below, &all, out, err) || store_check(below->st, err)
		       ? err->kind
		       : 0;
}

/* A copy in the arena; NULL: it is full. */
static void *copy(struct arena *a, const void *from, size_t n, size_t size)
{
	void *p = arena_array(a, n + 1, size);

	if (p && n)
		memcpy(p, from, n * size);
	return p;
}

/* What g knew of its functions without the tree is no longer so. */
static int forget_estimates(struct graph *g, struct err *err)
{
	const size_t events = store_info(g->st)->all_events;

	memset(g->costs, 0, events * sizeof(*g->costs));
	memset(g->by, 0, sizeof(g->by));
	g->nests = ARENA_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	return g->nests ? 0 : arena_full(g->a, err);
}

static int tree_of_parts(struct graph *g, const struct part_contexts *from,
			 struct graph **out, struct err *err)
{
	const size_t n = from->n, events = store_info(g->st)->events;
	struct part_contexts *own = ARENA_NEW(g->a, struct part_contexts);

	if (!own)
		return arena_full(g->a, err);
	*own = (struct part_contexts){
		from->n,
		copy(g->a, from->parent, n, sizeof(*from->parent)),
		copy(g->a, from->fn, n, sizeof(*from->fn)),
		copy(g->a, from->calls, n, sizeof(*from->calls)),
		copy(g->a, from->self, n * events, sizeof(*from->self)),
	};
	if (!own->parent || !own->fn || !own->calls || !own->self)
		return arena_full(g->a, err);
	if (contexts_graph(g, own, out, err))
		return err->kind;
	(*out)->stage = own;
	(*out)->fill = part_fill;
	return 0;
}

int graph_part_tree(struct graph *g, const struct part_contexts *from, struct err *err)
{
	struct graph *tree;

	if (from ? tree_of_parts(g, from, &tree, err) : graph_contexts(g, &tree, err))
		return err->kind;
	if (forget_estimates(g, err))
		return err->kind;
	g->tree = tree;
	return 0;
}

/* The graph of contexts without stages is the lowest that has contexts. */
const uint32_t *graph_context_functions(const struct graph *g)
{
	while (g->below->contexts)
		g = g->below;
	return g->origin;
}

/* ---- known stacks ---- */

static int stacks_of_store(const struct graph *g, uint32_t e, struct arena *a,
			   struct stacks *s, struct err *err)
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
	if (!parent || !s->fn || !s->calls || !s->self || !s->incl)
		return store_check(g->st, err);
	if (stacks_link(s, parent, a))
		return arena_full(a, err);
	return store_check(g->st, err);
}

/* Of a graph of contexts after stages; *known is false if some vertex has two callers. */
static int stacks_of_graph(struct graph *g, uint32_t e, struct arena *a, struct stacks *s,
			   bool *known, struct err *err)
{
	struct flow_input in;
	uint32_t *caller = ARENA_ARRAY(a, uint32_t, (size_t)g->functions + 1);
	int64_t *incl = ARENA_ARRAY(a, int64_t, (size_t)g->functions + 1);

	*known = false;
	if (!caller || !incl)
		return arena_full(a, err);
	if (graph_flow_input(g, e, &in, err))
		return err->kind;
	for (uint32_t v = 0; v < g->functions; v++) {
		caller[v] = UINT32_MAX;
		incl[v] = graph_incl(g, v, e);
	}
	for (uint32_t i = 0; i < g->edges; i++) {
		const uint32_t v = in.callee[i];

		if (caller[v] != UINT32_MAX || in.caller[i] >= v)
			return 0;
		caller[v] = in.caller[i];
	}
	*known = true;
	*s = (struct stacks){.n = g->functions,
			     .caller = caller,
			     .out_first = in.out_first,
			     .out = in.callee,
			     .calls = g->fn_calls,
			     .self = in.self,
			     .incl = incl};
	return 0;
}

/* The stacks of the parts, in the function numbers of g.  Callees stand behind their callers:
 * from the end, a context is complete when it is added to the one above. */
static int stacks_of_parts(const struct graph *g, uint32_t e, struct arena *a,
			   struct stacks *s, bool *known, struct err *err)
{
	struct graph *t = g->tree;
	const uint32_t roots = t->functions - t->edges;
	const size_t n = (size_t)t->functions + 1;
	uint32_t *fn = ARENA_ARRAY(a, uint32_t, n), *caller = ARENA_ARRAY(a, uint32_t, n);
	int64_t *self = ARENA_ARRAY(a, int64_t, n), *incl = ARENA_ARRAY(a, int64_t, n);
	int64_t *edge = ARENA_ARRAY(a, int64_t, n);

	if (!fn || !caller || !self || !incl || !edge)
		return arena_full(a, err);
	if (t->fill(t, e, NULL, a, self, edge, err))
		return err->kind;
	*known = true;
	for (uint32_t v = t->functions; v-- > 0;) {
		fn[v] = g->map[t->origin[v]];
		*known &= fn[v] != GRAPH_NONE;
		cost_add(&incl[v], self[v]);
		caller[v] = v < roots ? UINT32_MAX : t->caller[v - roots];
		if (v >= roots)
			cost_add(&incl[caller[v]], incl[v]);
	}
	*s = (struct stacks){t->functions, g->functions, fn,   caller, t->out_first,
			     t->callee,	   t->fn_calls,	 self, incl};
	return 0;
}

/* The function of g that f, of a graph below all merging stages, is part of. */
static uint32_t function_of(const struct graph *g, const struct graph *base, uint32_t f)
{
	return g == base ? f : g->group[function_of(g->below, base, f)];
}

/*
 * A group with a name of its own is one: what it calls of itself is inside it.  So a vertex
 * whose caller is of the same group becomes part of that; at[]: the vertex that v is part of.
 *
 *	main - A - A - x	A is a group: its second vertex becomes part of the first,
 *	main - A - x		which gets its self cost; x is called by the first
 */
static int contract(const struct graph *g, struct stacks *s, struct arena *a,
		    struct err *err)
{
	const size_t n = (size_t)s->n + 1;
	uint32_t *at = ARENA_ARRAY(a, uint32_t, n), *fn = ARENA_ARRAY(a, uint32_t, n);
	uint32_t *caller = ARENA_ARRAY(a, uint32_t, n);
	uint32_t *first = ARENA_ARRAY(a, uint32_t, n + 2),
		 *out = ARENA_ARRAY(a, uint32_t, n);
	uint64_t *calls = ARENA_ARRAY(a, uint64_t, n);
	int64_t *self = ARENA_ARRAY(a, int64_t, n);
	int64_t *incl = ARENA_ARRAY(a, int64_t, n);
	uint32_t k = 0;

	if (!at || !fn || !caller || !first || !out || !calls || !self || !incl)
		return arena_full(a, err);
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
		if (c != UINT32_MAX)
			first[at[c] + 2]++;
		k++;
	}
	for (uint32_t v = 1; v < k + 2; v++)
		first[v] += first[v - 1];
	for (uint32_t v = 0; v < k; v++)
		if (caller[v] != UINT32_MAX)
			out[first[caller[v] + 1]++] = v;
	*s = (struct stacks){k, s->functions, fn, caller, first, out, calls, self, incl};
	return 0;
}

/* Stages that merge keep stacks: so take those of the graph below them, and rename the
 * functions. */
int graph_stacks(struct graph *g, uint32_t e, struct arena *a, struct stacks *out,
		 bool *known, struct err *err)
{
	uint32_t *fn;
	struct graph *base = g;

	*known = false;
	while (!base->plain && base->group)
		base = base->below;
	if (graph_has_contexts(base)) {
		if (stacks_of_store(base, e, a, out, err))
			return err->kind;
		*known = true;
	} else if (base->tree) {
		if (stacks_of_parts(base, e, a, out, known, err) || !*known)
			return err->kind;
	} else if (!base->contexts || stacks_of_graph(base, e, a, out, known, err) ||
		   !*known) {
		return err->kind;
	}
	if (base != g || !out->fn) {
		if (!(fn = ARENA_ARRAY(a, uint32_t, (size_t)out->n + 1)))
			return arena_full(a, err);
		for (uint32_t v = 0; v < out->n; v++)
			fn[v] = function_of(g, base, out->fn ? out->fn[v] : v);
		out->fn = fn;
	}
	out->functions = g->functions;
	return base != g && !g->plain && g->mixed ? contract(g, out, a, err) : 0;
}
