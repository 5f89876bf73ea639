/*
 * flow.h - the call graph of one event with its cycles condensed, ready for path.h.
 *
 * A vertex is a function or a whole cycle; an arc is all the calls from one vertex to
 * another.  Vertices are numbered in topological order (callers first), so every algorithm
 * is a loop over arrays.  Calls inside a vertex are no arcs.
 *
 * The flow of a vertex is the cost spent in it and below it:
 *	I(v) = max(sum of incoming w, s(v) + sum of outgoing w)
 * What the incoming arcs do not explain is its root cost (it was entered from outside the
 * profile).  Where they bring more than the vertex spends, the sums disagree: `odd`.
 */
#ifndef QUERN_FLOW_H
#define QUERN_FLOW_H

#include <stdatomic.h>
#include <stdint.h>

#include "engine/fnset.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/store.h"

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
	/* [edges], [functions + 1], [edges]: edge in_edge[in_first[f]] and on come into f */
	const uint32_t *caller, *in_first, *in_edge;
};

struct flow {
	struct flow_input in;
	uint32_t vertices, arcs;
	const uint32_t *out_first;	/* [vertices + 1] */
	const uint32_t *from, *to;	/* [arcs]; from < to */
	const uint64_t *w, *calls;	/* [arcs]: inclusive cost, count */
	const uint32_t *edge;		/* [arcs]: the costliest input edge in it */
	const uint64_t *self, *incl;	/* [vertices]: s(v), I(v) */
	const uint64_t *root;		/* [vertices]: root cost */
	const uint8_t *odd;		/* [vertices]: the sums disagree or overflow */
	const uint32_t *vertex;		/* [functions]: the vertex of each function */
	const uint32_t *fn_first, *fns; /* functions of vertex v: fns[fn_first[v] ..] */
};

/* ERR_LIMIT: the arena is full; ERR_INDEX: the arrays contradict each other; ERR_CANCEL. */
int flow_build(const struct flow_input *in, struct arena *a, const atomic_int *cancel,
	       struct flow **out, struct err *err);

/* Flows kept per (store, event); the few used last.  They live until the next call or
 * flow_cache_free(); drop the store's flows before store_close(). */
struct flow_cache;
int flow_cache_new(struct flow_cache **out, struct err *err);
void flow_cache_free(struct flow_cache *c); /* NULL is fine */
void flow_cache_drop(struct flow_cache *c, const struct store *st);
int flow_of(struct flow_cache *c, struct store *st, uint32_t event,
	    const atomic_int *cancel, const struct flow **out, struct err *err);

#endif
