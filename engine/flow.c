/*
 * flow.c - condense the call graph of one event; see flow.h.
 *
 * Functions in topological order with cycles together become vertices 0, 1, ...; their
 * edges are then visited vertex by vertex, and those to the same vertex are added up:
 *
 *	slot[t]		the arc from the current vertex to t, if it is >= the vertex's first
 *
 * One pass over the edges; everything else is a pass over vertices.
 */
#include "engine/flow.h"

#include <stdlib.h>
#include <string.h>

enum { POLL_EDGES = 1 << 16, KEPT = 4 };
#define MOST_BYTES ((size_t)4 << 30) /* of one kept flow: 100 million edges */

/* The flow under construction: the same arrays as in struct flow, not const. */
struct building {
	const struct flow_input *in;
	struct arena *arena;
	uint32_t vertices, arcs;
	uint32_t *out_first, *from, *to, *edge, *vertex, *fn_first, *fns;
	uint64_t *w, *calls, *self, *incl, *root;
	uint64_t *entering; /* [vertices]: sum of incoming w */
	uint8_t *odd;
};

static bool add(uint64_t *sum, uint64_t v)
{
	if (!__builtin_add_overflow(*sum, v, sum))
		return false;
	*sum = UINT64_MAX;
	return true;
}

static int canceled(const atomic_int *cancel, struct err *err)
{
	if (cancel && atomic_load_explicit(cancel, memory_order_relaxed))
		return err_set(err, ERR_CANCEL, 0, "interrupted");
	return 0;
}

static int bad_graph(struct err *err, const char *what)
{
	err_set(err, ERR_INDEX, 0, "the call graph is damaged: %s", what);
	return err_hint(err, "rebuild the index with --rebuild");
}

static int check_edges(const struct flow_input *in, struct err *err)
{
	if (in->out_first[0] != 0 || in->out_first[in->functions] != in->edges)
		return bad_graph(err, "edges and functions do not fit");
	for (uint32_t f = 0; f < in->functions; f++)
		if (in->out_first[f] > in->out_first[f + 1])
			return bad_graph(err, "edges are out of order");
	for (uint32_t i = 0; i < in->edges; i++)
		if (in->callee[i] >= in->functions)
			return bad_graph(err, "a callee is out of range");
	return 0;
}

/* ---- vertices ---- */

/* A new one wherever the cycle changes. */
static int number(struct building *b, struct err *err)
{
	const struct flow_input *in = b->in;
	size_t n = in->functions;

	b->vertex = ARENA_ARRAY(b->arena, uint32_t, n);
	b->fns = ARENA_ARRAY(b->arena, uint32_t, n);
	b->fn_first = ARENA_ARRAY(b->arena, uint32_t, n + 1);
	if (!b->vertex || !b->fns || !b->fn_first)
		return arena_full(b->arena, err);
	memset(b->vertex, 0xff, n * sizeof(*b->vertex));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t f = in->topo[i];

		if (f >= n || b->vertex[f] != FLOW_NONE)
			return bad_graph(err, "its order is not one of its functions");
		if (i == 0 || in->cycle[f] == 0 ||
		    in->cycle[f] != in->cycle[b->fns[i - 1]])
			b->fn_first[b->vertices++] = i;
		b->vertex[f] = b->vertices - 1;
		b->fns[i] = f;
	}
	b->fn_first[b->vertices] = in->functions;
	return 0;
}

/* ---- arcs ---- */

static void add_edge(struct building *b, uint32_t *slot, uint32_t v, uint32_t t,
		     uint32_t i)
{
	uint64_t w = b->in->incl[i];
	uint32_t arc = slot[t];

	if (arc == FLOW_NONE || arc < b->out_first[v]) {
		arc = slot[t] = b->arcs++;
		b->from[arc] = v;
		b->to[arc] = t;
		b->edge[arc] = i;
	} else if (w > b->in->incl[b->edge[arc]]) {
		b->edge[arc] = i;
	}
	if (add(&b->w[arc], w))
		b->odd[v] = b->odd[t] = 1;
	add(&b->calls[arc], b->in->calls[i]);
	if (add(&b->entering[t], w))
		b->odd[t] = 1;
}

static int make_arcs(struct building *b, const atomic_int *cancel, struct err *err)
{
	const struct flow_input *in = b->in;
	uint32_t *slot = ARENA_ARRAY(b->arena, uint32_t, b->vertices);
	uint32_t polled = 0;

	if (!slot)
		return arena_full(b->arena, err);
	memset(slot, 0xff, b->vertices * sizeof(*slot));
	for (uint32_t v = 0; v < b->vertices; v++) {
		b->out_first[v] = b->arcs;
		for (uint32_t k = b->fn_first[v]; k < b->fn_first[v + 1]; k++) {
			uint32_t f = b->fns[k], end = in->out_first[f + 1];

			polled += end - in->out_first[f];
			for (uint32_t i = in->out_first[f]; i < end; i++) {
				uint32_t t = b->vertex[in->callee[i]];

				if (t < v)
					return bad_graph(err,
							 "its order is not topological");
				if (t > v)
					add_edge(b, slot, v, t, i);
			}
		}
		if (polled >= POLL_EDGES && canceled(cancel, err))
			return (int)err->kind;
		polled %= POLL_EDGES;
	}
	b->out_first[b->vertices] = b->arcs;
	return 0;
}

static void make_flows(struct building *b)
{
	for (uint32_t v = 0; v < b->vertices; v++) {
		uint64_t spent = 0;

		for (uint32_t k = b->fn_first[v]; k < b->fn_first[v + 1]; k++)
			b->odd[v] |= add(&b->self[v], b->in->self[b->fns[k]]);
		spent = b->self[v];
		for (uint32_t i = b->out_first[v]; i < b->out_first[v + 1]; i++)
			b->odd[v] |= add(&spent, b->w[i]);
		b->odd[v] |= b->entering[v] > spent;
		b->incl[v] = spent > b->entering[v] ? spent : b->entering[v];
		b->root[v] = b->incl[v] - b->entering[v];
	}
}

static int allocate(struct building *b, struct err *err)
{
	struct arena *a = b->arena;
	size_t n = b->vertices, m = b->in->edges;

	b->out_first = ARENA_ARRAY(a, uint32_t, n + 1);
	b->from = ARENA_ARRAY(a, uint32_t, m);
	b->to = ARENA_ARRAY(a, uint32_t, m);
	b->edge = ARENA_ARRAY(a, uint32_t, m);
	b->w = ARENA_ARRAY(a, uint64_t, m);
	b->calls = ARENA_ARRAY(a, uint64_t, m);
	b->self = ARENA_ARRAY(a, uint64_t, n);
	b->incl = ARENA_ARRAY(a, uint64_t, n);
	b->root = ARENA_ARRAY(a, uint64_t, n);
	b->entering = ARENA_ARRAY(a, uint64_t, n);
	b->odd = ARENA_ARRAY(a, uint8_t, n);
	if (!b->out_first || !b->from || !b->to || !b->edge || !b->w || !b->calls ||
	    !b->self || !b->incl || !b->root || !b->entering || !b->odd)
		return arena_full(a, err);
	return 0;
}

int flow_build(const struct flow_input *in, struct arena *a, const atomic_int *cancel,
	       struct flow **out, struct err *err)
{
	struct building b = {.in = in, .arena = a};
	struct flow *fl = ARENA_NEW(a, struct flow);
	int rc;

	if (!fl)
		return arena_full(a, err);
	if ((rc = check_edges(in, err)) || (rc = number(&b, err)) ||
	    (rc = allocate(&b, err)) || (rc = make_arcs(&b, cancel, err)))
		return rc;
	make_flows(&b);
	*fl = (struct flow){
		.in = *in,
		.vertices = b.vertices,
		.arcs = b.arcs,
		.out_first = b.out_first,
		.from = b.from,
		.to = b.to,
		.w = b.w,
		.calls = b.calls,
		.edge = b.edge,
		.self = b.self,
		.incl = b.incl,
		.root = b.root,
		.odd = b.odd,
		.vertex = b.vertex,
		.fn_first = b.fn_first,
		.fns = b.fns,
	};
	*out = fl;
	return 0;
}

/* ---- of a store ---- */

/* The arrays of a store's event.  ERR_INDEX when they cannot be read. */
static int input_of_store(struct store *st, uint32_t event, struct flow_input *out,
			  struct err *err)
{
	const struct store_info *si = store_info(st);
	struct flow_input in = {
		.functions = si->functions,
		.edges = si->edges,
		.out_first = store_u32(st, STORE_OUT_FIRST),
		.callee = store_u32(st, STORE_EDGE_CALLEE),
		.calls = store_u64(st, STORE_EDGE_CALLS, 0),
		.incl = store_u64(st, STORE_EDGE_INCL, event),
		.self = store_u64(st, STORE_FN_SELF, event),
		.cycle = store_u32(st, STORE_FN_CYCLE),
		.topo = store_u32(st, STORE_TOPO),
		.caller = store_u32(st, STORE_EDGE_CALLER),
		.in_first = store_u32(st, STORE_IN_FIRST),
		.in_edge = store_u32(st, STORE_IN_EDGE),
	};

	if (store_check(st, err))
		return (int)err->kind;
	*out = in;
	return 0;
}

struct flow_kept {
	const struct store *store; /* NULL: free */
	uint32_t event;
	uint64_t used; /* the cache's clock when last asked for */
	struct arena arena;
	struct flow *flow;
};

struct flow_cache {
	uint64_t clock;
	struct flow_kept kept[KEPT];
};

int flow_cache_new(struct flow_cache **out, struct err *err)
{
	struct flow_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return err_set(err, ERR_LIMIT, 0, "out of memory");
	*out = c;
	return 0;
}

static void forget(struct flow_kept *k)
{
	k->store = NULL;
	k->used = 0;
	arena_free(&k->arena);
}

void flow_cache_free(struct flow_cache *c)
{
	for (size_t i = 0; c && i < KEPT; i++)
		forget(&c->kept[i]);
	free(c);
}

void flow_cache_drop(struct flow_cache *c, const struct store *st)
{
	for (size_t i = 0; i < KEPT; i++)
		if (c->kept[i].store == st)
			forget(&c->kept[i]);
}

/* An entry becomes valid (store is set) only when its flow is whole: a fault in the middle
 * leaves an arena that the next use frees. */
int flow_of(struct flow_cache *c, struct store *st, uint32_t event,
	    const atomic_int *cancel, const struct flow **out, struct err *err)
{
	struct flow_kept *k = &c->kept[0];
	struct flow_input in;
	int rc;

	for (size_t i = 0; i < KEPT; i++) {
		struct flow_kept *t = &c->kept[i];

		if (t->store == st && t->event == event) {
			t->used = ++c->clock;
			*out = t->flow;
			return 0;
		}
		if (t->used < k->used)
			k = t;
	}
	forget(k);
	arena_init(&k->arena, MOST_BYTES);
	if ((rc = input_of_store(st, event, &in, err)))
		return rc;
	if ((rc = flow_build(&in, &k->arena, cancel, &k->flow, err))) {
		forget(k);
		return rc;
	}
	k->store = st;
	k->event = event;
	k->used = ++c->clock;
	*out = k->flow;
	return 0;
}
