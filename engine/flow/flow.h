/*
 * flow.h - the recorded calls of one event as a flow of cost.
 *
 * Every unit of cost passes the functions on its stack, from a root down to the one that
 * spends it, and a function once for each activation that it is nested in.  callgrind adds
 * to an edge at every return, so what it recorded is that flow, and at each function
 *
 *	root + calls in = self + calls out = through
 *
 * to the unit, in cycles too.  Of what passes f, self / through ends there and the cost of
 * f's calls of h, by through, goes on to h: trees, paths and shares are products of these.
 *
 * Where the calls into a function say more than it spends - the profile was cut off, its
 * producer rounds or counts recursion otherwise - `keep` is the part of them that is
 * explained, and all estimates take the calls by that: they still add up to the total.
 */
#ifndef QUERN_FLOW_H
#define QUERN_FLOW_H

#include <stdint.h>

#include "index/base/cancel.h"
#include "engine/names/fnset.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/graph/inclusive.h"
#include "index/store/store.h"

#define FLOW_NONE UINT32_MAX

/* Functions and call edges as plain arrays; all borrowed, they must outlive the flow. */
struct flow_input {
	uint32_t functions, edges;
	const uint32_t *out_first;    /* [functions + 1] */
	const uint32_t *callee;	      /* [edges], by caller */
	const uint64_t *calls, *incl; /* [edges] */
	const uint64_t *self;	      /* [functions] */
	const uint32_t *cycle;	      /* [functions]: 0 none, else the cycle's number */
	const uint32_t *topo;	      /* [functions]: callers first, cycles together */
	/* [functions]: may be on the stack twice (inclusive.h); NULL: whoever is in a cycle */
	const uint8_t *nests;
	/* [edges], [functions + 1], [edges]: edge in_edge[in_first[f]] and on come into f */
	const uint32_t *caller, *in_first, *in_edge;
};

struct flow {
	struct flow_input in;
	const double *through; /* [functions]: self + calls out, those by `keep` */
	const double *root;    /* [functions]: what of it no call brought */
	const double *keep;    /* [functions]: of the calls into it; NULL: 1 for all */
	/* For bounds, which keep to what was recorded: */
	const uint64_t *passing; /* [functions]: the larger of self + out and in */
	const uint8_t *odd; /* [functions]: in exceeds self + out by more than one unit a
				    call, what was cut below it does, or a sum overflows:
				    no bound holds through it */
	uint32_t nodd;	    /* so many, where it is worth a word */
};

/* The cost of edge i that counts in estimates. */
static inline double flow_cost(const struct flow *fl, uint32_t i)
{
	double cost = (double)fl->in.incl[i];

	return fl->keep ? cost * fl->keep[fl->in.callee[i]] : cost;
}

/* Of what passes the caller, how much takes edge i; of what passes the callee, how much came
 * by it. */
static inline double flow_share(const struct flow *fl, uint32_t i, uint32_t of)
{
	return fl->through[of] > 0 ? flow_cost(fl, i) / fl->through[of] : 0;
}

/* The same costs for inclusive.h; borrowed. */
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

/* The arrays of a store's event.  ERR_INDEX when they cannot be read. */
int flow_input_of(struct store *st, uint32_t event, struct flow_input *out,
		  struct err *err);
/* ERR_LIMIT: the arena is full; ERR_INDEX: the arrays contradict each other; ERR_CANCEL. */
int flow_build(const struct flow_input *in, struct arena *a, const struct cancel *cancel,
	       struct flow **out, struct err *err);

/* keep[] and through[] of the n functions in order[], callers first and cycles together, from
 * what the calls into each of them bring: called[]. */
int flow_keep(const struct flow_input *in, const uint32_t *order, uint32_t n,
	      const uint64_t *called, double *keep, double *through,
	      const struct cancel *cancel, struct err *err);

/* Flows kept per (store, event); the few used last.  They live until the next call or
 * flow_cache_free(); drop the store's flows before store_close(). */
struct flow_cache;
int flow_cache_new(struct flow_cache **out, struct err *err);
void flow_cache_free(struct flow_cache *c); /* NULL is fine */
void flow_cache_drop(struct flow_cache *c, const struct store *st);
int flow_of(struct flow_cache *c, struct store *st, uint32_t event,
	    const struct cancel *cancel, const struct flow **out, struct err *err);

#endif
