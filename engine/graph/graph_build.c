/*
 * graph_build.c - see graph_build.h.
 *
 * The stages hand over their edges in order.  The edges into each function follow by a
 * counting sort.
 *
 * A stage knows only the graph below it.  Which function of the store is which here, and
 * the other way round, follows by composing its map with theirs:
 *
 *	store	0 1 2 3		below (1 is hidden)	here (0 and 2 are one file)
 *		map of below	0 - 1 2			map of the stage	0 0 1
 *		map of both	0 - 0 1			origin			0 3
 */
#include "engine/graph/graph_build.h"

#include "engine/flow/flow.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/graph/cycles.h"

void graph_poll(const struct graph *g, uint32_t i)
{
	if ((i & 255) == 0)
		need_time(g->cancel);
}

void graph_draft(struct graph *g, struct graph_draft *d)
{
	*d = (struct graph_draft){.below = g};
	d->map = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	d->first = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
}

void graph_draft_join(struct graph_draft *d, uint32_t f, uint32_t group)
{
	d->map[f] = group;
	if (group == d->functions)
		d->first[d->functions++] = f;
}

void graph_number(struct graph *g, const uint8_t *keep, struct graph_draft *d)
{
	graph_draft(g, d);
	for (uint32_t f = 0; f < g->functions; f++)
		graph_draft_join(d, f, keep[f] ? d->functions : GRAPH_NONE);
}

void graph_draft_edges(struct graph_draft *d, size_t edges)
{
	struct arena *a = d->below->a;

	d->caller = NEED_ARRAY(a, uint32_t, edges + 1);
	d->callee = NEED_ARRAY(a, uint32_t, edges + 1);
	d->calls = NEED_ARRAY(a, uint64_t, edges + 1);
}

void graph_keep_edges(struct graph_draft *d, const struct flow_input *in,
		      const uint64_t *calls, const uint8_t *keep, uint32_t **from)
{
	size_t n = 0;
	uint32_t e = 0;

	for (uint32_t k = 0; k < d->functions; k++)
		n += in->out_first[d->first[k] + 1] - in->out_first[d->first[k]];
	*from = NEED_ARRAY(d->below->a, uint32_t, n + 1);
	graph_draft_edges(d, n);
	for (uint32_t k = 0; k < d->functions; k++) {
		const uint32_t f = d->first[k];

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			const uint32_t to = d->map[in->callee[i]];

			/* Written in any case, kept if the callee stays. */
			d->caller[e] = k;
			d->callee[e] = to;
			d->calls[e] = calls[i];
			(*from)[e] = i;
			e += to != GRAPH_NONE && (!keep || keep[i]);
		}
	}
	d->edges = e;
}

/* A counting sort.  Group k is counted at k + 2, so that after summing up its first place
 * is at k + 1; there it moves to the end of the group, which is where k + 1 begins. */
void graph_members(struct arena *a, const uint32_t *group, uint32_t functions,
		   uint32_t groups, uint32_t **first, uint32_t **member)
{
	uint32_t *at = NEED_ARRAY(a, uint32_t, (size_t)groups + 2);
	uint32_t *list = NEED_ARRAY(a, uint32_t, (size_t)functions + 1);

	for (uint32_t f = 0; f < functions; f++)
		if (group[f] != GRAPH_NONE)
			at[group[f] + 2]++;
	for (uint32_t k = 2; k <= groups; k++)
		at[k] += at[k - 1];
	for (uint32_t f = 0; f < functions; f++)
		if (group[f] != GRAPH_NONE)
			list[at[group[f] + 1]++] = f;
	*first = at;
	*member = list;
}

/* Where the edges out of and into each function are, and how often it is called.  The edges out
 * are in order already and are only counted; those into it are sorted as in graph_members(). */
static void adjacency(const struct graph_draft *d, struct graph *g)
{
	size_t n = (size_t)d->functions + 2;
	uint32_t *out_first = NEED_ARRAY(g->a, uint32_t, n);
	uint32_t *in_first = NEED_ARRAY(g->a, uint32_t, n);
	uint32_t *in_edge = NEED_ARRAY(g->a, uint32_t, (size_t)d->edges + 1);
	uint64_t *fn_calls = NEED_ARRAY(g->a, uint64_t, n);

	for (uint32_t i = 0; i < d->edges; i++) {
		uint32_t to = d->callee[i];

		out_first[d->caller[i] + 1]++;
		in_first[to + 2]++;
		count_add(&fn_calls[to], d->calls[i]);
	}
	for (uint32_t f = 0; f < d->functions; f++) {
		out_first[f + 1] += out_first[f];
		in_first[f + 1] += in_first[f];
	}
	for (uint32_t i = 0; i < d->edges; i++)
		in_edge[in_first[d->callee[i] + 1]++] = i;
	g->shape.out_first = out_first;
	g->shape.in_first = in_first;
	g->shape.in_edge = in_edge;
	g->shape.fn_calls = fn_calls;
}

/* The calls of each function that no recorded call is one of. */
static uint64_t *calls_of_roots(const struct graph *g, struct arena *a)
{
	uint64_t *roots = NEED_ARRAY(a, uint64_t, (size_t)g->functions + 1);
	struct flow_input in;

	graph_shape(g, &in);
	for (uint32_t i = 0; i < g->edges; i++)
		count_add(&roots[in.callee[i]], in.calls[i]);
	for (uint32_t f = 0; f < g->functions; f++) {
		const uint64_t all = graph_calls(g, f);

		roots[f] = all > roots[f] ? all - roots[f] : 0;
	}
	return roots;
}

/* Where the profile has each activation, a root was called, too, by what is not in it. */
static void add_roots(const struct graph_draft *d, struct graph *g, struct arena *scratch)
{
	uint64_t *calls = (uint64_t *)(uintptr_t)g->shape.fn_calls;
	const uint64_t *roots = d->roots ? d->roots : calls_of_roots(d->below, scratch);

	for (uint32_t f = 0; f < d->below->functions; f++) {
		const uint32_t to = d->map[f];

		if (to != GRAPH_NONE)
			count_add(&calls[to], roots[f]);
	}
}

void graph_keep_runs(const struct graph_draft *d, struct graph *g)
{
	uint64_t *calls = NEED_ARRAY(g->a, uint64_t, (size_t)g->functions + 1);

	for (uint32_t f = 0; f < d->below->functions; f++)
		if (d->map[f] != GRAPH_NONE)
			count_add(&calls[d->map[f]], graph_calls(d->below, f));
	g->shape.fn_calls = calls;
}

static void count_roots(const struct graph_draft *d, struct graph *g)
{
	struct arena *scratch;
	struct store_tree tree;

	store_tree(g->st, &tree);
	if (!tree.whole)
		return;
	scratch = need_scratch(g->a);
	add_roots(d, g, scratch);
	scratch_free(scratch);
}

/* A stage that merges nothing makes no cycles: if there are none below, its functions
 * stay in the order of those below. */
static void keep_order(const struct graph_draft *d, struct graph *g)
{
	uint32_t *cycle = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	uint32_t *topo = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	struct flow_input below;
	uint32_t n = 0;

	graph_shape(d->below, &below);
	for (uint32_t i = 0; i < below.functions; i++)
		if (d->map[below.topo[i]] != GRAPH_NONE)
			topo[n++] = d->map[below.topo[i]];
	g->shape.cycle = cycle;
	g->shape.topo = topo;
}

/* Number the cycles by their first member. */
static void find_cycles(const struct graph_draft *d, struct graph *g)
{
	struct cycles c = {0};
	uint32_t *cycle, *topo, *number;

	if (!d->again && !d->adds && !d->below->cycles) {
		keep_order(d, g);
		return;
	}
	cycle = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	topo = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	number = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	if (cycles_find(g->functions, g->shape.out_first, g->shape.callee, &c))
		need_memory_for(NULL);
	for (uint32_t f = 0; f < g->functions; f++) {
		uint32_t k = c.component[f];

		topo[f] = c.topo[f];
		if (c.first[k + 1] - c.first[k] < 2)
			continue;
		if (!number[k])
			number[k] = ++g->cycles;
		cycle[f] = number[k];
	}
	cycles_free(&c);
	g->shape.cycle = cycle;
	g->shape.topo = topo;
}

/* Keep names only if some function has one of its own. */
static void own_names(const struct graph_draft *d, struct graph *g)
{
	const struct graph *b = d->below;
	struct str *name;

	if (!d->name && !b->name)
		return;
	name = NEED_ARRAY(g->a, struct str, (size_t)g->functions + 1);
	for (uint32_t f = 0; f < g->functions; f++)
		name[f] = d->name && d->name[f].p ? d->name[f]
						  : graph_own_name(b, d->first[f]);
	g->name = name;
}

/* The numbers and places of inlined functions of the graph below. */
static void inlined_identity(const struct graph_draft *d, struct graph *g)
{
	const struct graph *b = d->below;
	uint32_t *number, *file;
	uint64_t *line;

	if (!b->inlined.extra)
		return;
	line = NEED_ARRAY(g->a, uint64_t, (size_t)g->functions + 1);
	number = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	file = NEED_ARRAY(g->a, file_id, (size_t)g->functions + 1);
	for (uint32_t f = 0; f < g->functions; f++) {
		number[f] = b->inlined.number[d->first[f]];
		file[f] = b->inlined.file[d->first[f]];
		line[f] = b->inlined.line[d->first[f]];
	}
	g->inlined.line = line;
	g->inlined.number = number;
	g->inlined.file = file;
}

/* Compose the map with those of the stages below: store function -> function here. */
static void identity(const struct graph_draft *d, struct graph *g)
{
	const struct graph *b = d->below;
	uint32_t *map, *origin, bases;
	uint8_t *mixed = NULL;

	g->map = d->map;
	g->origin = d->first;
	if (b->plain) {
		own_names(d, g);
		return;
	}
	bases = b->contexts ? b->contexts : graph_numbers(b);
	map = NEED_ARRAY(g->a, uint32_t, (size_t)bases + 1);
	origin = NEED_ARRAY(g->a, fn_id, (size_t)g->functions + 1);
	if (b->mixed)
		mixed = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	for (uint32_t f = 0; f < bases; f++)
		map[f] = b->map[f] == GRAPH_NONE ? GRAPH_NONE : d->map[b->map[f]];
	for (uint32_t f = 0; f < g->functions; f++) {
		origin[f] = b->origin[d->first[f]];
		if (mixed)
			mixed[f] = b->mixed[d->first[f]];
	}
	g->map = map;
	g->contexts = b->contexts;
	g->origin = origin;
	g->mixed = mixed;
	g->inlined.extra = b->inlined.extra;
	inlined_identity(d, g);
	own_names(d, g);
}

/* Contexts of one function that are never on the stack together: if the profile separates levels
 * of recursion, an f inside f has a higher one, so two of one level are not nested. */
static bool one_level(const struct graph *b, uint32_t f, uint32_t h)
{
	const fn_id of[2] = {graph_origin(b, f), graph_origin(b, h)};
	struct str callers;

	return store_levels(b->st) && graph_in_group(b, f) && graph_in_group(b, h) &&
	       store_group_of(b->st, of[0]) == store_group_of(b->st, of[1]) &&
	       store_fn_context(b->st, of[0], &callers) ==
		       store_fn_context(b->st, of[1], &callers);
}

/* Find the groups that are entered through one function, because all others only run
 * inside that one; or through contexts of one function that are of one level, if the
 * profile separates levels: these are never on the stack together.  The inclusive cost of
 * such a group is the sum of theirs, if they are known. */
static void find_added(const struct graph_draft *d, struct graph *g)
{
	const struct graph *b = d->below;
	uint8_t *added = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	uint32_t *entry = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);

	for (uint32_t f = 0; f < b->functions; f++) {
		const uint32_t k = d->map[f];

		if (d->again[f] || k == GRAPH_NONE)
			continue;
		added[k] = (!entry[k] || (added[k] && one_level(b, entry[k] - 1, f))) &&
			   !graph_incl_estimated(b, f);
		entry[k] = f + 1;
	}
	g->merge.added = added;
}

/* The functions that may be on the stack twice: all members of cycles, unless the
 * graph below rules it out.  The store does so where it knows its stacks; those of some of
 * its parts are others (graph_part_tree()).  It does not for code that is inlined into a function that
 * calls itself: such a call may come from the code. */
static void find_nesting(const struct graph_draft *d, struct graph *g)
{
	uint8_t *nests = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);

	g->shape.nests = nests;
	g->inlined.same = d->same;
	g->merge.group = d->again ? d->map : NULL;
	g->merge.again = d->again;
	if (d->again && graph_stacks_known(d->below))
		return;
	for (uint32_t f = 0; f < g->functions; f++)
		nests[f] = g->shape.cycle[f] &&
			   ((d->again && !(d->same && d->same[f] != GRAPH_NONE)) ||
			    graph_has_contexts(d->below) ||
			    graph_nests(d->below, d->first[f]) ||
			    (d->adds && graph_calls_itself(d->below, d->first[f])));
	if (d->again)
		find_added(d, g);
}

/* A cost of a function is sure if that of each of its members below is.  A group of several may
 * be on the stack more often than each of them. */
static void inherit_sure(const struct graph_draft *d, struct graph *g)
{
	const struct graph *b = d->below;
	uint8_t *sure;

	if (!b->marks.estimated)
		return;
	sure = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	for (uint32_t f = 0; f < g->functions; f++)
		sure[f] = d->again && !(d->same && d->same[f] != GRAPH_NONE)
				  ? GRAPH_SELF
				  : GRAPH_SELF | GRAPH_INCL;
	for (uint32_t f = 0; f < b->functions; f++)
		if (d->map[f] != GRAPH_NONE)
			sure[d->map[f]] &= b->marks.sure ? b->marks.sure[f] : 0;
	g->marks.sure = sure;
}

/* A context has one caller: its cost is not shared out.  Contexts that a stage merged may have
 * several. */
static bool is_tree(const struct graph *g)
{
	struct flow_input in;

	graph_shape(g, &in);
	return flow_is_tree(&in);
}

void graph_sure(struct graph *g, uint8_t **sure, uint8_t **call)
{
	const struct graph *b = g->below;
	const size_t n = g->functions;

	*sure = NEED_ARRAY(g->a, uint8_t, n + 1);
	*call = NEED_ARRAY(g->a, uint8_t, (size_t)g->edges + 1);
	for (uint32_t f = 0; f < n; f++) {
		const uint32_t from = g->from[f];

		if (graph_is_sure(b, from, GRAPH_SELF))
			(*sure)[f] = GRAPH_SELF;
		if (graph_is_sure(b, from, GRAPH_INCL) && !graph_incl_estimated(b, from))
			(*sure)[f] |= GRAPH_INCL;
	}
	g->marks.sure = *sure;
	g->marks.sure_call = *call;
	g->marks.estimated = g->marks.shares =
		b->marks.estimated || !b->contexts || !is_tree(b);
}

void graph_build(const struct graph_draft *d, struct graph **out)
{
	struct graph *b = d->below;
	struct graph *g = NEED_NEW(b->a, struct graph);

	/* After a read error the ends of an edge are 0, and there may be no function
	 * 0. */
	store_sound(b->st);
	g->st = b->st;
	g->a = b->a;
	g->cancel = b->cancel;
	g->below = b;
	g->of_whole = b->of_whole;
	g->functions = d->functions;
	g->edges = d->edges;
	g->marks.estimated = b->marks.estimated;
	g->recorded = b->recorded;
	g->from = d->first;
	g->run.whole = b->run.whole;
	g->run.parts = b->run.parts;
	g->shape.callee = d->callee;
	g->shape.caller = d->caller;
	g->shape.calls = d->calls;
	g->costs =
		NEED_ARRAY(b->a, struct graph_costs *, store_info(b->st)->all_events + 1);
	g->flows =
		NEED_ARRAY(b->a, const struct flow *, store_info(b->st)->all_events + 1);
	adjacency(d, g);
	count_roots(d, g);
	g->ran = d->again && b->ran;
	if (g->ran)
		graph_keep_runs(d, g);
	find_cycles(d, g);
	identity(d, g);
	find_nesting(d, g);
	inherit_sure(d, g);
	*out = g;
}
