/*
 * flow.h - the recorded calls of one event as a flow of cost.
 *
 * Every unit of cost passes the functions on its stack, from a root down to the one that
 * spends it.  It passes a function once for each activation.  Callgrind adds to an edge
 * at every return, so its edges record this flow, and at each function, in cycles too,
 *
 *	root + calls in = self + calls out = through
 *
 * holds to the unit.  Of the cost through f, the share self / through ends at f, and the
 * share cost of f -> h / through goes on to h.  Trees, paths and shares are products of
 * these.
 *
 * Sometimes the calls into a function record more than the function spends: the profile
 * was cut off, or its producer rounds or counts recursion in another way.  Then `keep` is
 * the part of the calls that is explained.  All estimates multiply the calls by it, so
 * that they still add up to the total.
 */
#ifndef QUERN_FLOW_H
#define QUERN_FLOW_H

#include "index/graph/inclusive.h"
#include "index/store/store.h"

#define FLOW_NONE UINT32_MAX

struct arena;
struct causes_kept;
struct costs_kept;
struct pairs;
struct tree_kept;

/* Functions and call edges as plain arrays.  All are borrowed and must outlive the
 * flow. */
struct flow_input {
	uint32_t functions, edges;
	const uint32_t *out_first; /* [functions + 1] */
	const uint32_t *callee;	   /* [edges], by caller */
	const uint64_t *calls;	   /* [edges] */
	const int64_t *incl;	   /* [edges] */
	const int64_t *self;	   /* [functions] */
	const uint32_t *cycle;	   /* [functions]: the number of its cycle; 0: in
					 none */
	const uint32_t *topo;	   /* [functions]: callers first, cycles together */
	/* [functions]: may be on the stack twice (inclusive.h); NULL: all members of
	 * cycles */
	const uint8_t *nests;
	/* [edges], [functions + 1], [edges]: the edges into f start at
	 * in_edge[in_first[f]] */
	const uint32_t *caller, *in_first, *in_edge;
};

struct flow {
	struct flow_input in;
	const double *through; /* [functions]: self + calls out, multiplied by `keep` */
	const double *root;    /* [functions]: the part of it that no call brought */
	const double *keep;    /* [functions]: the part of the calls into it that
				  counts; NULL: 1 */
	/* For bounds, which use the recorded costs: */
	const int64_t *passing; /* [functions]: the larger of self + calls out and
				    calls in */
	const uint8_t *odd;	/* [functions]: calls in exceed self + calls out by
				    more than one unit a call, or because of such a
				    callee, or a sum overflows, or some cost is negative:
				    no bound holds through it */
	uint32_t nodd;		/* how many of them are worth a note */
	struct pairs *pairs;	/* what came which way and went which (pairs.h); NULL: in
				   proportion */
	bool mixed;		/* some cost is negative, */
	uint32_t negative;	/* and so many of them count as 0 */
	struct arena *arena;	/* where it is, and */
	struct costs_kept **kept;    /* what was asked of it last (path_cost.c), and */
	struct causes_kept **causes; /* (causes.c), */
	struct tree_kept **tree;     /* (path_tree.c); or NULL */
};

/* The cost of edge i that counts in estimates. */
static inline double flow_cost(const struct flow *fl, uint32_t i)
{
	double cost = (double)fl->in.incl[i]; /* never negative */

	return fl->keep ? cost * fl->keep[fl->in.callee[i]] : cost;
}

/* The share of the cost through `of` that takes edge i (`of` is the caller) or came by
 * it (`of` is the callee). */
static inline double flow_share(const struct flow *fl, uint32_t i, uint32_t of)
{
	return fl->through[of] > 0 ? flow_cost(fl, i) / fl->through[of] : 0;
}

/* Where the component begins, in an order as topo[], that ends before `end`: a cycle, or one
 * function. */
static inline uint32_t flow_component(const struct flow_input *in, const uint32_t *order,
				      uint32_t end)
{
	const uint32_t cycle = in->cycle[order[--end]];

	while (cycle && end > 0 && in->cycle[order[end - 1]] == cycle)
		end--;
	return end;
}

/* A pass over the n functions of an order, which lie anywhere in the arrays, asks for what it will
 * read some steps ahead: where the calls of function `far` of the order are, then those of `near`. */
enum { FLOW_FAR = 24, FLOW_NEAR = 16 };
static inline void flow_fetch(const struct flow_input *in, const uint32_t *order,
			      uint32_t n, uint32_t far, uint32_t near)
{
	if (far < n)
		__builtin_prefetch(&in->out_first[order[far]]);
	if (near < n) {
		const uint32_t i = in->out_first[order[near]];

		__builtin_prefetch(&in->callee[i]);
		__builtin_prefetch(&in->incl[i]);
	}
}

/* The arrays of in, as inclusive.h takes them; borrowed. */
static inline struct call_costs flow_call_costs(const struct flow_input *in,
						const uint32_t *circle)
{
	return (struct call_costs){
		.functions = in->functions,
		.out_first = in->out_first,
		.callee = in->callee,
		.self = in->self,
		.edge = in->incl,
		.self_step = 1,
		.edge_step = 1,
		.circle = circle,
	};
}

/* The arrays of a store without self and incl, and those of one event.  ERR_INDEX if they
 * cannot be read. */
void flow_shape_of(struct store *st, struct flow_input *out);
void flow_input_of(struct store *st, uint32_t event, struct flow_input *out);
/* ERR_LIMIT: the arena is full; ERR_INDEX: the arrays contradict each other; or
 * ERR_CANCEL. */
void flow_build(const struct flow_input *in, struct arena *a, const struct cancel *cancel,
		struct flow **out);

/* Is some cost negative? flow_without_negative() then replaces self and incl of *in by
 * costs that can flow (flow.c): *n negative ones are 0.  ERR_LIMIT: the arena is full. */
bool flow_negative(const struct flow_input *in);
void flow_without_negative(struct flow_input *in, uint32_t *n, struct arena *a);
/* Is there nothing to estimate?  Each function has one caller at most, and none is in a
 * cycle. */
bool flow_is_tree(const struct flow_input *in);

/* Compute keep[] and through[] of the n functions in order[] (callers first, cycles
 * together).  called[]: the cost of the calls into each function. */
void flow_keep(const struct flow_input *in, const uint32_t *order, uint32_t n,
	       const int64_t *called, double *keep, double *through,
	       const struct cancel *cancel);

/* A cache of the flows that were used last, by store and event.  A flow lives until
 * the next call or flow_cache_free(); that of event 0 of a profile of several events, which
 * others have pairs like, until flow_cache_drop().  Drop the flows of a store, and the graphs
 * made of it, before store_close(). */
struct flow_cache;
int flow_cache_new(struct flow_cache **out, struct err *err);
void flow_cache_free(struct flow_cache *c); /* NULL is fine */
/* Free flows that were not finished. */
void flow_cache_trim(struct flow_cache *c);
void flow_cache_drop(struct flow_cache *c, const struct store *st);
void flow_of(struct flow_cache *c, struct store *st, uint32_t event,
	     const struct cancel *cancel, const struct flow **out);
/* The flow of event 0; *out is NULL if it is the only event. */
void flow_base(struct flow_cache *c, struct store *st, const struct cancel *cancel,
	       const struct flow **out);

#endif
