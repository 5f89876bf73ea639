/*
 * graph_build.c - see graph_build.h.
 *
 * Edges are sorted by two counting sorts (callee, then caller); then equal edges are
 * merged.
 */
#include "engine/graph/graph_build.h"

#include <string.h>

#include "index/graph/cycles.h"

int graph_poll(const struct graph *g, uint32_t i, struct err *err)
{
	return (i & 255) == 0 ? cancel_poll(g->cancel, err) : 0;
}

uint64_t graph_round(double d)
{
	return d >= 18446744073709551615.0 ? UINT64_MAX : d > 0 ? (uint64_t)(d + 0.5) : 0;
}

int graph_number(struct graph_draft *d, const uint8_t *keep, struct err *err)
{
	struct graph *b = d->below;

	d->map = ARENA_ARRAY(b->a, uint32_t, (size_t)b->functions + 1);
	d->first = ARENA_ARRAY(b->a, uint32_t, (size_t)b->functions + 1);
	if (!d->map || !d->first)
		return arena_full(b->a, err);
	for (uint32_t f = 0; f < b->functions; f++) {
		d->map[f] = GRAPH_NONE;
		if (!keep[f])
			continue;
		d->first[d->functions] = f;
		d->map[f] = d->functions++;
	}
	return 0;
}

/* Stable: order by key[from[i]]. */
static void counting_sort(const uint32_t *key, uint32_t *count, uint32_t keys,
			  const uint32_t *from, uint32_t *to, uint32_t n)
{
	memset(count, 0, ((size_t)keys + 1) * sizeof(*count));
	for (uint32_t i = 0; i < n; i++)
		count[key[i] + 1]++;
	for (uint32_t k = 0; k < keys; k++)
		count[k + 1] += count[k];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = from ? from[i] : i;

		to[count[key[e]]++] = e;
	}
}

struct edges {
	uint32_t *caller, *callee, *out_first, *in_first, *in_edge, *map;
	uint64_t *calls, *fn_calls;
	uint32_t n;
};

static int merge_edges(const struct graph_draft *d, struct arena *a, struct edges *e,
		       struct err *err)
{
	size_t m = (size_t)d->edges + 1, n = (size_t)d->functions + 2;
	uint32_t *one = ARENA_ARRAY(a, uint32_t, m), *two = ARENA_ARRAY(a, uint32_t, m);
	uint32_t *count = ARENA_ARRAY(a, uint32_t, n);

	e->caller = ARENA_ARRAY(a, uint32_t, m);
	e->callee = ARENA_ARRAY(a, uint32_t, m);
	e->map = ARENA_ARRAY(a, uint32_t, m);
	e->calls = ARENA_ARRAY(a, uint64_t, m);
	if (!one || !two || !count || !e->caller || !e->callee || !e->map || !e->calls)
		return arena_full(a, err);
	counting_sort(d->callee, count, d->functions, NULL, one, d->edges);
	counting_sort(d->caller, count, d->functions, one, two, d->edges);
	for (uint32_t i = 0; i < d->edges; i++) {
		uint32_t x = two[i];

		if (!e->n || e->caller[e->n - 1] != d->caller[x] ||
		    e->callee[e->n - 1] != d->callee[x]) {
			e->caller[e->n] = d->caller[x];
			e->callee[e->n++] = d->callee[x];
		}
		e->map[x] = e->n - 1;
		e->calls[e->n - 1] = graph_add(e->calls[e->n - 1], d->calls[x]);
	}
	return 0;
}

static int adjacency(const struct graph_draft *d, struct arena *a, struct edges *e,
		     struct err *err)
{
	size_t n = (size_t)d->functions + 2;
	uint32_t *count = ARENA_ARRAY(a, uint32_t, n);

	e->out_first = ARENA_ARRAY(a, uint32_t, n);
	e->in_first = ARENA_ARRAY(a, uint32_t, n);
	e->in_edge = ARENA_ARRAY(a, uint32_t, (size_t)e->n + 1);
	e->fn_calls = ARENA_ARRAY(a, uint64_t, n);
	if (!count || !e->out_first || !e->in_first || !e->in_edge || !e->fn_calls)
		return arena_full(a, err);
	for (uint32_t i = 0; i < e->n; i++) {
		e->out_first[e->caller[i] + 1]++;
		e->in_first[e->callee[i] + 1]++;
		e->fn_calls[e->callee[i]] =
			graph_add(e->fn_calls[e->callee[i]], e->calls[i]);
	}
	for (uint32_t f = 0; f < d->functions; f++) {
		e->out_first[f + 1] += e->out_first[f];
		e->in_first[f + 1] += e->in_first[f];
	}
	counting_sort(e->callee, count, d->functions, NULL, e->in_edge, e->n);
	return 0;
}

/* Number the cycles by their first member. */
static int find_cycles(struct graph *g, struct err *err)
{
	uint32_t *cycle = ARENA_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	uint32_t *topo = ARENA_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	struct cycles c = {0};
	uint32_t *number;

	if (!cycle || !topo)
		return arena_full(g->a, err);
	if (cycles_find(g->functions, g->out_first, g->callee, &c))
		return err_no_memory(err, NULL);
	if (!(number = ARENA_ARRAY(g->a, uint32_t, c.n + 1))) {
		cycles_free(&c);
		return arena_full(g->a, err);
	}
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
	g->cycle = cycle;
	g->topo = topo;
	return 0;
}

/* Compose the map with those of the stages below: store function -> function here. */
static int identity(const struct graph_draft *d, struct graph *g, struct err *err)
{
	const struct graph *b = d->below;
	uint32_t stored = store_info(g->st)->functions;
	uint32_t *map = ARENA_ARRAY(g->a, uint32_t, (size_t)stored + 1);
	fn_id *origin = ARENA_ARRAY(g->a, fn_id, (size_t)g->functions + 1);
	struct str *name = ARENA_ARRAY(g->a, struct str, (size_t)g->functions + 1);
	uint8_t *mixed = NULL;

	if (!b->plain && b->mixed)
		mixed = ARENA_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	if (!map || !origin || !name || (!b->plain && b->mixed && !mixed))
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < stored; f++) {
		uint32_t x = b->plain ? f : b->map[f];

		map[f] = x == GRAPH_NONE ? GRAPH_NONE : d->map[x];
	}
	for (uint32_t f = 0; f < g->functions; f++) {
		uint32_t x = d->first[f];

		origin[f] = b->plain ? x : b->origin[x];
		if (mixed)
			mixed[f] = b->mixed[x];
		name[f] = d->name && d->name[f].p     ? d->name[f]
			  : b->plain || !b->name[x].p ? (struct str){NULL, 0}
						      : b->name[x];
	}
	g->map = map;
	g->origin = origin;
	g->mixed = mixed;
	g->name = name;
	return 0;
}

/* Find the groups that are entered through one function, because all others only run
 * inside that one.  The inclusive cost of such a group is that of the function, if it is
 * known. */
static int find_only(const struct graph_draft *d, struct graph *g, struct err *err)
{
	uint32_t *only = ARENA_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	uint32_t *entries = ARENA_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);

	if (!only || !entries)
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < d->below->functions; f++)
		if (!d->again[f]) {
			entries[d->map[f]]++;
			only[d->map[f]] = f;
		}
	for (uint32_t k = 0; k < g->functions; k++)
		if (entries[k] != 1 || graph_incl_estimated(d->below, only[k]))
			only[k] = GRAPH_NONE;
	g->only = only;
	return 0;
}

/* The functions that may be on the stack twice: all members of cycles, unless the
 * graph below rules it out. */
static int find_nesting(const struct graph_draft *d, struct graph *g, struct err *err)
{
	uint8_t *nests = ARENA_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);

	if (!nests)
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < g->functions; f++)
		nests[f] =
			g->cycle[f] && (d->again || graph_nests(d->below, d->first[f]));
	g->nests = nests;
	if (!d->again)
		return 0;
	g->group = d->map;
	g->again = d->again;
	return find_only(d, g, err);
}

int graph_build(const struct graph_draft *d, struct graph **out, uint32_t **edge_map,
		struct err *err)
{
	struct graph *b = d->below;
	struct graph *g = ARENA_NEW(b->a, struct graph);
	struct edges e = {0};

	if (!g)
		return arena_full(b->a, err);
	/* After a read error the ends of an edge are 0, and there may be no function
	 * 0. */
	if (store_check(b->st, err))
		return (int)err->kind;
	if (merge_edges(d, b->a, &e, err) || adjacency(d, b->a, &e, err))
		return (int)err->kind;
	g->st = b->st;
	g->a = b->a;
	g->cancel = b->cancel;
	g->below = b;
	g->functions = d->functions;
	g->edges = e.n;
	g->estimated = b->estimated;
	g->whole = b->whole;
	g->parts = b->parts;
	g->out_first = e.out_first;
	g->callee = e.callee;
	g->caller = e.caller;
	g->in_first = e.in_first;
	g->in_edge = e.in_edge;
	g->calls = e.calls;
	g->fn_calls = e.fn_calls;
	g->costs = ARENA_ARRAY(b->a, struct graph_costs *,
			       store_info(b->st)->all_events + 1);
	if (!g->costs)
		return arena_full(b->a, err);
	if (find_cycles(g, err) || identity(d, g, err) || find_nesting(d, g, err))
		return (int)err->kind;
	if (edge_map)
		*edge_map = e.map;
	*out = g;
	return 0;
}
