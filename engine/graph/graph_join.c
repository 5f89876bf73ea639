/*
 * graph_join.c - functions of their contexts, or of the places where they are inlined.
 *
 * Most questions are about functions, few about the calls between them.  So of a whole
 * profile whose names have contexts the functions are read from the index, and calls are
 * joined when somebody asks for the first of them (graph_need_calls()):
 *
 *	lists of functions	groups of the index (joined.h)
 *	callers, trees, paths	contexts -> merge -> functions and calls
 */
#include <string.h>

#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

/* The inclusive cost of a sum is sure if that of each member is. */
static void keep_sure_sums(struct graph *g, const uint32_t *map)
{
	const struct graph *b = g->below;
	const uint32_t *same = g->inlined.same;
	uint8_t *sure;

	if (!g->marks.sure)
		return;
	sure = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	for (uint32_t k = 0; k < g->functions; k++)
		sure[k] = g->merge.added[k] && same[k] == GRAPH_NONE
				  ? g->marks.sure[k] | GRAPH_INCL
				  : g->marks.sure[k];
	for (uint32_t f = 0; f < b->functions; f++)
		if (!g->merge.again[f] && same[map[f]] == GRAPH_NONE &&
		    !graph_is_sure(b, f, GRAPH_INCL))
			sure[map[f]] &= (uint8_t)~GRAPH_INCL;
	g->marks.sure = sure;
}

struct graph *graph_joined_below(struct graph *g)
{
	struct graph *open, *joined;

	if (g->joined || !store_any_grouped(g->st))
		return g->joined;
	open = NEED_NEW(g->a, struct graph);
	*open = *g->below;
	open->recorded = false;
	graph_join(open, &joined);
	if (joined != open)
		g->joined = joined;
	return g->joined;
}

/* g joins the contexts of b.  If the stage that made b changed none of a function's contexts, the
 * function costs what it did before that stage. */
static void keep_joined(struct graph *g, struct graph *b)
{
	struct graph *joined =
		b->inlined.same && !b->inlined.extra ? graph_joined_below(b) : NULL;
	const uint32_t *group;
	uint32_t *before, *members;

	if (!joined)
		return;
	group = joined->merge.group;
	before = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	members = NEED_ARRAY(g->a, uint32_t, (size_t)joined->functions + 1);
	for (uint32_t f = 0; f < b->below->functions; f++)
		members[group[f]]++;
	for (uint32_t k = 0; k < g->functions; k++)
		before[k] = group[b->from[g->from[k]]];
	for (uint32_t f = 0; f < b->functions; f++)
		if (b->inlined.same[f] != GRAPH_NONE)
			members[before[g->merge.group[f]]]--;
	for (uint32_t k = 0; k < g->functions; k++)
		if (members[before[k]])
			before[k] = GRAPH_NONE;
		else if (g->marks.sure && graph_is_sure(joined, before[k], GRAPH_INCL))
			((uint8_t *)(uintptr_t)g->marks.sure)[k] |= GRAPH_INCL;
	g->joined = joined;
	g->inlined.before = before;
}

/* A call is sure if all calls that it is the sum of are. */
static void keep_sure_calls(struct graph *g)
{
	const uint32_t *edge = graph_merged_edges(g);
	const struct graph *b = g->below;
	uint8_t *sure;

	if (!b->marks.sure_call)
		return;
	sure = NEED_ARRAY(g->a, uint8_t, (size_t)g->edges + 1);
	memset(sure, 1, g->edges);
	for (uint32_t i = 0; i < b->edges; i++)
		sure[edge[i]] &= b->marks.sure_call[i];
	g->marks.sure_call = sure;
}

/* Vertices with the same key become one.  The key of a context is its function, that of inlined
 * code its place in the profile.  GRAPH_NONE: the vertex is a group of a stage, or is joined
 * with no other. */
static uint32_t joined_by(const struct graph *g, uint32_t f)
{
	if (graph_is(g, f, GRAPH_NAMED))
		return GRAPH_NONE;
	if (graph_is(g, f, GRAPH_INLINED) || g->contexts)
		return graph_id(g, f);
	return store_any_grouped(g->st) && !g->recorded
		       ? store_group_of(g->st, graph_origin(g, f))
		       : GRAPH_NONE;
}

/* The first vertex with a key begins a group, which the others with it join; a vertex
 * without a key is a group of its own. */
static void join_vertices(const struct graph *g, struct graph_draft *d)
{
	const uint32_t stored = store_info(g->st)->functions;
	uint32_t *one = NEED_ARRAY(g->a, uint32_t, (size_t)stored + g->inlined.extra + 1);

	for (uint32_t f = 0; f < g->functions; f++) {
		const uint32_t by = joined_by(g, f);
		uint32_t group = d->functions;

		if (by != GRAPH_NONE) {
			group = one[by] ? one[by] - 1 : group;
			one[by] = group + 1;
		}
		graph_draft_join(d, f, group);
	}
}

/* Of a graph that was joined from contexts: the vertex of each function. */
static void map_functions(struct graph *g, const struct graph *contexts)
{
	const uint32_t stored = store_info(g->st)->functions;
	uint32_t *map = NEED_ARRAY(g->a, uint32_t, (size_t)stored + 1);
	const uint32_t *fn = graph_context_functions(contexts);

	for (uint32_t f = 0; f < stored; f++)
		map[f] = GRAPH_NONE;
	for (uint32_t c = 0; c < contexts->contexts; c++)
		if (g->map[c] != GRAPH_NONE)
			map[fn[c]] = g->map[c];
	g->map = map;
	g->contexts = 0;
	store_sound(g->st);
}

/* List the contexts of each function: they bound its cost (graph_incl_bounds()). */
static void keep_members(struct graph *g, const uint32_t *map)
{
	uint32_t *first, *member;

	graph_members(g->a, map, g->below->functions, g->functions, &first, &member);
	g->merge.member_first = first;
	g->merge.member = member;
}

/* Join functions and their calls. */
static void join_all(struct graph *g, struct graph **out)
{
	const bool groups = store_any_grouped(g->st) && !g->recorded;
	struct graph_draft d;

	graph_draft(g, &d);
	join_vertices(g, &d);
	/* The names of the store are those of contexts, if each function has but one. */
	if (d.functions == g->functions && !g->contexts && !(groups && g->plain))
		return;
	graph_merge(&d, false, out);
	(*out)->merge.apart = g;
	if (g->contexts) {
		map_functions(*out, g);
		return;
	}
	keep_sure_sums(*out, d.map);
	keep_sure_calls(*out);
	if (groups) {
		keep_members(*out, d.map);
		keep_joined(*out, g);
	}
	if (g->plain)
		(*out)->shape.cycle = store_u32(g->st, TABLE_GROUP_CYCLE);
	store_sound(g->st);
}

/* ---- functions of the index, whose calls are joined later ---- */

/* The columns of functions but their costs.  A function with one context is that context;
 * others may be on the stack twice if they are in a cycle. */
static void read_functions(struct graph *g)
{
	const uint64_t *calls = store_u64(g->st, TABLE_FN_CALLS);
	uint32_t *origin = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	uint32_t *same = NEED_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	uint64_t *sum = NEED_ARRAY(g->a, uint64_t, (size_t)g->functions + 1);
	uint8_t *nests = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);

	store_sound(g->st);
	for (uint32_t k = 0; k < g->functions; k++) {
		const uint32_t from = g->merge.member_first[k],
			       to = g->merge.member_first[k + 1];

		origin[k] = g->merge.member[from];
		same[k] = to - from == 1 ? origin[k] : GRAPH_NONE;
		nests[k] = g->shape.cycle[k] != 0;
		for (uint32_t i = from; i < to; i++)
			count_add(&sum[k], calls[g->merge.member[i]]);
	}
	g->origin = g->from = origin;
	g->inlined.same = same;
	g->shape.fn_calls = sum;
	g->shape.nests = nests;
}

/* Make the graph that join_late() put off, with the events that were asked for so far, and
 * put it in the place of g: others hold pointers to g.  What was collapsed by file or
 * object stays with it. */
static void join_calls(struct graph *g)
{
	struct graph *full;

	join_all(g->below, &full);
	for (uint32_t e = 0; e < store_info(g->st)->all_events; e++)
		if (g->costs[e])
			graph_event(full, e);
	memcpy(full->by, g->by, sizeof(full->by));
	*g = *full;
}

/* Take the functions, their members and cycles from the groups of the index.  There are no
 * edges yet: `late` says so. */
static void join_late(struct graph *below, struct graph **out)
{
	const struct store_info *si = store_info(below->st);
	struct graph *g = NEED_NEW(below->a, struct graph);
	struct graph_late *late = NEED_NEW(below->a, struct graph_late);

	*g = *below;
	memset(g->by, 0, sizeof(g->by));
	g->plain = false;
	g->below = g->merge.apart = below;
	g->functions = si->groups;
	g->edges = si->group_edges;
	g->cycles = si->group_cycles;
	g->map = g->merge.group = store_u32(g->st, TABLE_GROUP_OF);
	g->merge.member_first = store_u32(g->st, TABLE_GROUP_FIRST);
	g->merge.member = store_u32(g->st, TABLE_GROUP_FN);
	g->shape.cycle = store_u32(g->st, TABLE_GROUP_CYCLE);
	g->costs = NEED_ARRAY(g->a, struct graph_costs *, si->all_events + 1);
	g->flows = NEED_ARRAY(g->a, const struct flow *, si->all_events + 1);
	*late = (struct graph_late){g, join_calls, store_u32(g->st, TABLE_GROUP_KNOWN)};
	g->merge.late = late;
	*out = g;
	store_sound(g->st);
	read_functions(g);
}

void graph_join(struct graph *g, struct graph **out)
{
	const bool groups = store_any_grouped(g->st) && !g->recorded;

	*out = g;
	if (!g->inlined.extra && !g->contexts && !groups)
		return;
	/* Of negative costs some are in doubt, which the index does not know. */
	if (g->plain && !store_info(g->st)->negative)
		join_late(g, out);
	else
		join_all(g, out);
}

struct graph *graph_apart(struct graph *g)
{
	return g->merge.apart ? g->merge.apart : g;
}
