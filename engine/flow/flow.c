/*
 * flow.c - sum up the calls of one event at each function; see flow.h.
 *
 * Three passes over the edges: the cost that each function spends, the cost of the calls
 * into it, and, only if some calls record more than is spent, the part of them to keep.
 * Cutting a call takes cost from its caller, too.  So the last pass goes from the callees
 * up, and sweeps cycles until they settle.
 *
 * A negative cost cannot flow.  So a call of negative cost counts as 0.  So does a negative
 * self cost of a function in a cycle, or of one whose calls cost no more than it saves.  Any
 * other negative self cost stays: then the calls of f cost more than passes f.
 */
#include "engine/flow/flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/flow/pairs.h"
#include "engine/flow/signs.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err.h"

enum { POLL = 1 << 14, KEPT = 4, ROUNDS = 50, AHEAD = 16 };
#define WORTH_A_WORD 0.001	     /* of the total */
#define MOST_BYTES ((size_t)4 << 30) /* of one cached flow: 100 million functions */

/* The flow under construction: the same arrays as in struct flow, not const. */
struct flow_building {
	const struct flow_input *in;
	double *through, *root, *keep;
	int64_t *passing, *called;
	uint8_t *odd;
};

static _Noreturn void bad_graph(const char *what)
{
	struct err err = {0};

	err_set(&err, ERR_INDEX, 0, "the call graph is damaged: %s", what);
	err_hint(&err, "rebuild the index with --rebuild");
	map_leave(&err);
}

static void check_edges(const struct flow_input *in)
{
	if (in->out_first[0] != 0 || in->out_first[in->functions] != in->edges)
		bad_graph("edges and functions do not fit");
	for (uint32_t f = 0; f < in->functions; f++)
		if (in->out_first[f] > in->out_first[f + 1] ||
		    in->topo[f] >= in->functions)
			bad_graph("edges are out of order");
	for (uint32_t i = 0; i < in->edges; i++)
		if (in->callee[i] >= in->functions)
			bad_graph("a callee is out of range");
}

/* ---- negative costs ---- */

bool flow_negative(const struct flow_input *in)
{
	int64_t all = 0;

	for (uint32_t f = 0; f < in->functions; f++)
		all |= in->self[f];
	for (uint32_t i = 0; i < in->edges; i++)
		all |= in->incl[i];
	return all < 0;
}

bool flow_is_tree(const struct flow_input *in)
{
	for (uint32_t f = 0; f < in->functions; f++)
		if (in->in_first[f + 1] - in->in_first[f] > 1 || in->cycle[f])
			return false;
	return true;
}

static int64_t flow_self(const struct flow_input *in, uint32_t f)
{
	int64_t sum = in->self[f];

	if (sum >= 0 || in->cycle[f])
		return cost_flow(sum);
	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		cost_add(&sum, cost_flow(in->incl[i]));
	return sum > 0 ? in->self[f] : 0;
}

void flow_without_negative(struct flow_input *in, uint32_t *n, struct arena *a)
{
	int64_t *self = NEED_ARRAY(a, int64_t, (size_t)in->functions + 1);
	int64_t *incl = NEED_ARRAY(a, int64_t, (size_t)in->edges + 1);

	for (uint32_t f = 0; f < in->functions; f++) {
		self[f] = flow_self(in, f);
		*n += self[f] != in->self[f];
	}
	for (uint32_t i = 0; i < in->edges; i++) {
		incl[i] = cost_flow(in->incl[i]);
		*n += incl[i] != in->incl[i];
	}
	in->self = self;
	in->incl = incl;
}

/* ---- the flow ---- */

/* passing[]: self + calls out; called[]: calls in. */
static void sum_calls(struct flow_building *b, const struct cancel *cancel)
{
	const struct flow_input *in = b->in;

	for (uint32_t f = 0; f < in->functions; f++) {
		if (f % POLL == 0)
			need_time(cancel);
		b->odd[f] |= cost_add(&b->passing[f], in->self[f]);
		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			const uint32_t to = in->callee[i];

			/* Callees are anywhere in the arrays. */
			if (i + AHEAD < in->edges)
				__builtin_prefetch(&b->called[in->callee[i + AHEAD]], 1);
			if (cost_add(&b->passing[f], in->incl[i]))
				b->odd[f] = 1;
			if (cost_add(&b->called[to], in->incl[i]))
				b->odd[to] = 1;
		}
	}
}

/* How many calls are recorded at each function: each may be rounded by a unit. */
static uint64_t *count_calls(const struct flow_input *in, struct arena *a)
{
	uint64_t *slack = NEED_ARRAY(a, uint64_t, (size_t)in->functions + 1);

	for (uint32_t f = 0; slack && f < in->functions; f++)
		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			count_add(&slack[f], in->calls[i]);
			count_add(&slack[in->callee[i]], in->calls[i]);
		}
	return slack;
}

/* The share of the calls into f that f explains, given the shares of its callees.
 * Calls of f by itself are on both sides and cancel out. */
static double keep_of(const struct flow_input *in, uint32_t f, int64_t called,
		      const double *keep, double *through)
{
	double spent = (double)in->self[f], itself = 0, others, share;

	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		if (in->callee[i] == f)
			itself += (double)in->incl[i];
		else
			spent += (double)in->incl[i] * keep[in->callee[i]];
	others = (double)called - itself;
	share = others > spent ? spent / others : 1;
	*through = spent + itself * share;
	return share;
}

void flow_keep(const struct flow_input *in, const uint32_t *order, uint32_t n,
	       const int64_t *called, double *keep, double *through,
	       const struct cancel *cancel)
{
	for (uint32_t i = 0; i < n; i++)
		keep[order[i]] = 1;
	for (uint32_t end = n, first; end > 0; end = first) {
		uint32_t cycle = in->cycle[order[end - 1]];
		double most = 1;

		first = flow_component(in, order, end);
		for (int round = 0; round < ROUNDS && most > 1e-9; round++) {
			most = 0;
			for (uint32_t i = end; i-- > first;) {
				uint32_t f = order[i];
				double share =
					keep_of(in, f, called[f], keep, &through[f]);

				most = fmax(most, fabs(keep[f] - share));
				keep[f] = share;
			}
			if (!cycle)
				break;
			need_time(cancel);
		}
	}
	/* The last round changed the through of the callers, too. */
	for (uint32_t i = 0; i < n; i++)
		keep_of(in, order[i], called[order[i]], keep, &through[order[i]]);
}

static void find_roots(struct flow_building *b)
{
	for (uint32_t f = 0; f < b->in->functions; f++) {
		if (!b->keep) {
			b->through[f] = (double)b->passing[f];
			b->root[f] = (double)(b->passing[f] - b->called[f]);
			continue;
		}
		/* Differences of doubles: round almost nothing to 0. */
		b->root[f] = b->through[f] - (double)b->called[f] * b->keep[f];
		if (b->root[f] < b->through[f] * 1e-12)
			b->root[f] = 0;
	}
}

static void allocate_flow(struct flow_building *b, struct arena *a)
{
	size_t n = (size_t)b->in->functions + 1;

	b->through = NEED_ARRAY(a, double, n);
	b->root = NEED_ARRAY(a, double, n);
	b->passing = NEED_ARRAY(a, int64_t, n);
	b->called = NEED_ARRAY(a, int64_t, n);
	b->odd = NEED_ARRAY(a, uint8_t, n);
}

/* Some functions spend less than the calls into them record.  Find the share of each
 * call to keep, and mark in odd[] the functions where the difference is more than
 * rounding. */
static void explain(struct flow_building *b, struct arena *a, double *unexplained,
		    const struct cancel *cancel)
{
	const struct flow_input *in = b->in;
	uint64_t *slack = count_calls(in, a);

	b->keep = NEED_ARRAY(a, double, (size_t)in->functions + 1);
	for (uint32_t f = 0; f < in->functions; f++) {
		if (b->called[f] <= b->passing[f])
			continue;
		b->odd[f] |= (uint64_t)(b->called[f] - b->passing[f]) > slack[f];
		*unexplained += b->odd[f] ? (double)(b->called[f] - b->passing[f]) : 0;
	}
	flow_keep(in, in->topo, in->functions, b->called, b->keep, b->through, cancel);
	for (uint32_t f = 0; f < in->functions; f++) {
		if (b->called[f] > b->passing[f])
			b->passing[f] = b->called[f];
		/* Cutting a callee takes cost from its callers, too. */
		b->odd[f] |= b->through[f] + (double)slack[f] + 1 <
			     (double)b->passing[f] * (1 - 1e-9);
	}
}

void flow_build(const struct flow_input *in, struct arena *a, const struct cancel *cancel,
		struct flow **out)
{
	struct flow_input flowing = *in;
	struct flow_building b = {.in = &flowing};
	struct flow *fl = NEED_NEW(a, struct flow);
	double unexplained = 0, total = 0;
	uint32_t odd = 0, negative = 0;
	const bool any_negative = flow_negative(in);
	bool kept = true;

	check_edges(in);
	if (any_negative)
		flow_without_negative(&flowing, &negative, a);
	allocate_flow(&b, a);
	sum_calls(&b, cancel);
	for (uint32_t f = 0; f < in->functions; f++)
		kept &= b.called[f] <= b.passing[f];
	if (!kept)
		explain(&b, a, &unexplained, cancel);
	find_roots(&b);
	/* If costs have both signs, their sum is no bound for any of them. */
	if (any_negative)
		memset(b.odd, 1, in->functions);
	for (uint32_t f = 0; f < in->functions; f++) {
		odd += b.odd[f];
		total += (double)in->self[f];
	}
	*fl = (struct flow){.in = flowing,
			    .mixed = any_negative,
			    .negative = negative,
			    .arena = a,
			    .kept = NEED_NEW(a, struct costs_kept *),
			    .causes = NEED_NEW(a, struct causes_kept *),
			    .tree = NEED_NEW(a, struct tree_kept *),
			    .through = b.through,
			    .root = b.root,
			    .keep = b.keep,
			    .passing = b.passing,
			    .odd = b.odd,
			    .nodd = unexplained > total * WORTH_A_WORD ? odd : 0};
	*out = fl;
}

/* ---- of a store ---- */

void flow_shape_of(struct store *st, struct flow_input *out)
{
	const struct store_info *si = store_info(st);
	struct flow_input in = {
		.functions = si->functions,
		.edges = si->edges,
		.out_first = store_u32(st, TABLE_OUT_FIRST),
		.callee = store_u32(st, TABLE_EDGE_CALLEE),
		.calls = store_u64(st, TABLE_EDGE_CALLS),
		.cycle = store_u32(st, TABLE_FN_CYCLE),
		.topo = store_u32(st, TABLE_TOPO),
		.caller = store_u32(st, TABLE_EDGE_CALLER),
		.in_first = store_u32(st, TABLE_IN_FIRST),
		.in_edge = store_u32(st, TABLE_IN_EDGE),
	};

	store_sound(st);
	*out = in;
}

void flow_input_of(struct store *st, uint32_t event, struct flow_input *out)
{
	struct flow_input in;

	flow_shape_of(st, &in);
	in.incl = store_costs(st, TABLE_EDGE_INCL, event);
	in.self = store_costs(st, TABLE_FN_SELF, event);
	store_sound(st);
	*out = in;
}

/* Mark the members of cycles that may be on the stack twice. */
static void flow_nests_of(struct store *st, struct arena *a, struct flow_input *in)
{
	uint8_t *nests = NEED_ARRAY(a, uint8_t, (size_t)in->functions + 1);

	for (uint32_t f = 0; f < in->functions; f++)
		nests[f] = in->cycle[f] && store_fn_nests(st, f);
	in->nests = nests;
	store_sound(st);
}

struct flow_kept {
	const struct store *store; /* NULL: free */
	uint32_t event;
	bool base;     /* others have pairs like it: it stays */
	uint64_t used; /* the clock of the cache at the last use */
	struct arena arena;
	struct flow *flow;
	struct signs *signs; /* of a base */
	struct flow_kept *next;
};

struct flow_cache {
	uint64_t clock;
	struct flow_kept *kept; /* all bases, and KEPT others at most */
};

int flow_cache_new(struct flow_cache **out, struct err *err)
{
	struct flow_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return err_no_memory(err, NULL);
	*out = c;
	return 0;
}

static void forget_flow(struct flow_kept *k)
{
	signs_free(k->signs);
	k->signs = NULL;
	k->store = NULL;
	arena_free(&k->arena);
}

void flow_cache_free(struct flow_cache *c)
{
	for (struct flow_kept *k = c ? c->kept : NULL, *next; k; k = next) {
		next = k->next;
		forget_flow(k);
		free(k);
	}
	free(c);
}

void flow_cache_trim(struct flow_cache *c)
{
	for (struct flow_kept *k = c->kept; k; k = k->next)
		if (!k->store)
			forget_flow(k);
}

void flow_cache_drop(struct flow_cache *c, const struct store *st)
{
	for (struct flow_kept *k = c->kept; k; k = k->next)
		if (k->store == st)
			forget_flow(k);
}

/* `store` is set by the caller, when the flow is complete: else flow_cache_trim() frees the
 * arena. */
static void make_flow(struct flow_kept *k, struct store *st, uint32_t event,
		      const struct cancel *cancel)
{
	struct flow_input in;

	forget_flow(k);
	arena_init(&k->arena, MOST_BYTES);
	k->event = event;
	flow_input_of(st, event, &in);
	flow_nests_of(st, &k->arena, &in);
	flow_build(&in, &k->arena, cancel, &k->flow);
}

/* The place of the flow: if k->store is NULL, it is to be made there. */
static struct flow_kept *find_kept(struct flow_cache *c, const struct store *st,
				   uint32_t event, bool base)
{
	struct flow_kept *unused = NULL, *oldest = NULL;
	unsigned n = 0;

	for (struct flow_kept *k = c->kept; k; k = k->next) {
		if (k->store == st && k->event == event)
			return k;
		if (!k->store)
			unused = k;
		if (!k->store || k->base)
			continue;
		n++;
		oldest = !oldest || k->used < oldest->used ? k : oldest;
	}
	if (!base && n >= KEPT) {
		forget_flow(oldest);
		return oldest;
	}
	if (!unused && (unused = calloc(1, sizeof(*unused)))) {
		unused->next = c->kept;
		c->kept = unused;
	}
	return unused;
}

void flow_base(struct flow_cache *c, struct store *st, const struct cancel *cancel,
	       const struct flow **out)
{
	*out = NULL;
	if (!(store_info(st)->events < 2))
		flow_of(c, st, 0, cancel, out);
}

void flow_of(struct flow_cache *c, struct store *st, uint32_t event,
	     const struct cancel *cancel, const struct flow **out)
{
	const bool base = store_info(st)->events > 1 && !event;
	const struct flow *like = NULL;
	struct flow_kept *k;

	if (!base)
		flow_base(c, st, cancel, &like);
	if (!(k = find_kept(c, st, event, base)))
		need_memory_for(NULL);
	if (!k->store) {
		make_flow(k, st, event, cancel);
		if (base)
			signs_new(st, k->flow, &k->arena, cancel, &k->signs);
		if (k->signs)
			pairs_new(k->signs, k->flow, &k->arena, cancel);
		if (like)
			pairs_like(like->pairs, k->flow, NULL, &k->arena);
		k->base = base;
		k->store = st;
	}
	k->used = ++c->clock;
	*out = k->flow;
}
