/*
 * stacks.h - graphs whose stacks are known: forests.
 *
 * A vertex with one caller at most is one stack: its callers up to a root.  A graph of such
 * vertices is a forest, and a function is a set of them, one for each stack that it is on:
 *
 *	main
 *	 +- work
 *	 |   +- strlen		strlen is two vertices
 *	 +- strlen
 *
 * Costs are sums over vertices, so all of it is exact.  A function inside itself is as deep
 * as it was.
 */
#ifndef QUERN_STACKS_H
#define QUERN_STACKS_H

#include <stdint.h>

struct arena;
struct cancel;
struct err;

struct stacks {
	uint32_t n; /* vertices; a caller stands before those it calls */
	uint32_t functions;
	const uint32_t *fn;	/* [n]: the function of each */
	const uint32_t *caller; /* [n]: UINT32_MAX: a root */
	const uint32_t
		*out_first; /* [n + 1]: those that v calls are out[out_first[v]] .. */
	const uint32_t *out;
	const uint64_t *calls;	    /* [n] */
	const int64_t *self, *incl; /* [n] */
	const int64_t
		*least; /* [n]: incl is no less; NULL: it is exact, or nobody knows */
};

/* Set caller, out_first and out, in the arena, from the callers as an index has them: 1 + the
 * caller, 0 of a root; ascending, so that roots come first, and what a vertex calls is
 * consecutive.  -1: the arena is full. */
int stacks_link(struct stacks *s, const uint32_t *parent, struct arena *a);
/* above[n]: the activation of v's function that v is inside of; UINT32_MAX: v is its outermost.
 * An activation is a vertex that its own function does not call; calls of itself are inside. */
int stacks_above(const struct stacks *s, uint32_t *above, struct arena *a,
		 const struct cancel *cancel, struct err *err);
/* incl[functions] (zeros): the cost of each, counted once however often it is on a stack. */
int stacks_inclusive(const struct stacks *s, int64_t *incl, struct arena *a,
		     const struct cancel *cancel, struct err *err);
/* Of each vertex, as a call: what it brings to its function, up[n], and what it takes of its
 * caller's, down[n]; both zeros.  Each cost counts once: an inner activation takes what it
 * brings from the one above it, and calls of inner ones take nothing.  Those of a function by
 * itself are inside it. */
int stacks_shares(const struct stacks *s, int64_t *up, int64_t *down, struct arena *a,
		  const struct cancel *cancel, struct err *err);

#endif
