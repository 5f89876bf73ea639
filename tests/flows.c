/* flows.c - see flows.h. */
#include "tests/flows.h"

#include "index/cycles.h"
#include "tests/fuzzing.h"

static uint64_t seed = 88172645463325252u;

uint32_t flows_below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 11) % n);
}

struct graph flows_graph(struct arena *a, uint32_t functions, uint32_t edges)
{
	return (struct graph){
		functions,
		edges,
		ARENA_ARRAY(a, uint32_t, functions + 1),
		ARENA_ARRAY(a, uint32_t, edges),
		ARENA_ARRAY(a, uint64_t, edges),
		ARENA_ARRAY(a, uint64_t, edges),
		ARENA_ARRAY(a, uint64_t, functions),
	};
}

/* Edges by callee. */
static void add_callers(struct arena *a, struct flow_input *in)
{
	uint32_t *caller = ARENA_ARRAY(a, uint32_t, in->edges),
		 *first = ARENA_ARRAY(a, uint32_t, in->functions + 2),
		 *edge = ARENA_ARRAY(a, uint32_t, in->edges);

	for (uint32_t f = 0; f < in->functions; f++)
		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			caller[i] = f;
			first[in->callee[i] + 2]++;
		}
	for (uint32_t f = 1; f < in->functions; f++)
		first[f + 1] += first[f];
	/* first[f + 1] is f's running place and becomes the start of f + 1. */
	for (uint32_t i = 0; i < in->edges; i++)
		edge[first[in->callee[i] + 1]++] = i;
	in->caller = caller;
	in->in_first = first;
	in->in_edge = edge;
}

struct flow_input flows_input(struct arena *a, const struct graph *g)
{
	struct flow_input in = {.functions = g->functions,
				.edges = g->edges,
				.out_first = g->first,
				.callee = g->callee,
				.calls = g->calls,
				.incl = g->w,
				.self = g->self};
	uint32_t *topo = ARENA_ARRAY(a, uint32_t, g->functions),
		 *cycle = ARENA_ARRAY(a, uint32_t, g->functions);
	struct cycles c = {0};

	if (cycles_find(g->functions, g->first, g->callee, &c))
		fuzz_fail("cycles_find");
	for (uint32_t k = 0; k < c.n; k++)
		for (uint32_t i = c.first[k]; i < c.first[k + 1]; i++) {
			topo[i] = c.topo[i];
			if (c.first[k + 1] - c.first[k] > 1)
				cycle[c.topo[i]] = k + 1;
		}
	cycles_free(&c);
	in.topo = topo;
	in.cycle = cycle;
	add_callers(a, &in);
	return in;
}

const struct flow *flows_build(struct arena *a, const struct graph *g)
{
	struct flow_input in = flows_input(a, g);
	struct flow *fl = NULL;
	struct err err = {0};

	if (flow_build(&in, a, NULL, &fl, &err))
		fuzz_fail("flow_build: %s", err.text);
	return fl;
}

struct path_list flows_find(const struct flow *fl, struct path_query q, struct arena *a)
{
	struct path_list list = {0};
	struct err err = {0};

	if (path_find(fl, &q, a, NULL, &list, &err))
		fuzz_fail("path_find: %s", err.text);
	return list;
}

struct path_bounds flows_cost(const struct flow *fl, struct path_cost_query q,
			      struct arena *a)
{
	struct path_bounds b = {0};
	struct err err = {0};

	if (path_cost(fl, &q, a, NULL, &b, &err))
		fuzz_fail("path_cost: %s", err.text);
	return b;
}

struct path_bounds flows_end(const struct path *p)
{
	return p->steps[p->n - 1].cost;
}

uint8_t *flows_vertices(const struct flow *fl, const struct fn_set *s, struct arena *a)
{
	uint8_t *m = ARENA_ARRAY(a, uint8_t, fl->vertices);

	for (uint32_t f = 0; s && f < fl->in.functions; f++)
		m[fl->vertex[f]] |= fnset_has(s, f);
	return m;
}

struct fn_set *flows_set(struct arena *a, uint32_t functions, uint32_t most)
{
	struct fn_set *s = fnset_new(a, functions);

	for (uint32_t n = 1 + flows_below(most); n > 0; n--)
		fnset_add(s, flows_below(functions));
	return s;
}
