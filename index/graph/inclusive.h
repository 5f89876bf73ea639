/*
 * inclusive.h - inclusive costs of functions in cycles, which call each other.
 *
 * callgrind adds to a call edge at every return, also of a nested activation.  So in a
 * cycle the edges into a function count its cost once for every activation on the stack.
 * Its inclusive cost, which counts each instruction once, is that less the cost that
 * returns:
 *
 *	incl(f) = self(f) + cost of f's calls of others - the part of it that returns to f
 *
 * Nothing returns to a function outside of cycles.  Nothing returns either if callgrind
 * separates recursion levels (--separate-recs): an f inside f is f'2, so f never returns
 * to itself.  Only the last level stands for all deeper ones, too, and can nest in
 * itself.  Its returning cost is estimated: a unit of cost that passes f goes on to h in
 * proportion to the recorded cost of f's calls of h, and so on until it ends or is back.
 * Where this is estimated, a negative cost counts as 0, since it cannot flow.
 */
#ifndef QUERN_INCLUSIVE_H
#define QUERN_INCLUSIVE_H

#include "index/base/str.h"

struct arena;

/* The level in a name: 2 for "f'2" and "f'2'caller"; 1 if the name has none. */
uint64_t name_level(struct str name);

/* One event of a call graph, all borrowed.  Edges of f: out_first[f] .. out_first[f +
 * 1]. */
struct call_costs {
	uint32_t functions;
	const uint32_t *out_first, *callee;
	const int64_t *self; /* of function f: self[f * self_step] */
	const int64_t *edge; /* of edge i: edge[i * edge_step], inclusive */
	size_t self_step, edge_step;
	/* [functions]: the function's circle, 0: none; cost returns only within a
	 * circle */
	const uint32_t *circle;
};

/* Scratch to follow costs, in an arena; serves any number of calls. */
struct returning {
	struct call_costs of;
	double *away; /* [functions]: self + calls of others; 0: not yet computed */
	double *mass; /* [functions]: cost on its way; all 0 between calls */
	uint32_t *queue;
	uint8_t *queued;
	uint8_t *home; /* [functions]: members of the group; all 0 between calls */
};
/* Returns 0, or -1 if the arena is full. */
int returning_init(struct returning *r, const struct call_costs *of, struct arena *a);

/* How many edges to visit for each of n functions: enough for three digits, as long as
 * that takes no longer than reading a profile with so many functions. */
static inline uint32_t returning_edges(uint32_t n)
{
	uint32_t each = n ? 2000000 / n : 0;

	return each > 4096 ? 4096 : each < 64 ? 64 : each;
}

/* How much of the cost that leaves the n members of a group returns to one of them,
 * summed over all returns.  An estimate from visiting about `edges` edges.  Calls
 * between members, and of a member by itself, do not leave the group.  A return to a
 * member with again[f] is not counted; again may be NULL. */
double returning_cost(struct returning *r, const uint32_t *member, size_t n,
		      const uint8_t *again, uint32_t edges);

/* Facts from the edges that bound the inclusive cost of a function that may nest in
 * itself.  Cost flows along calls here, so a negative call counts as 0. */
struct incl_known {
	int64_t spent;	  /* self + calls of others */
	int64_t called;	  /* calls by others */
	int64_t entering; /* calls from outside its cycle */
	int64_t leaving;  /* self + calls that leave the cycle */
	int64_t once;  /* the costliest call from or to a function that does not nest */
	int64_t cycle; /* inclusive cost of the cycle */
};
/* Add a call between two functions, within one cycle (inside) or not.  Either function
 * may nest in itself. */
void incl_know(struct incl_known *from, bool from_nests, struct incl_known *to,
	       bool to_nests, bool inside, int64_t cost);
/* The inclusive cost is at least *lo: cost that enters the cycle here, that ends here
 * or leaves the cycle from here, and that passes a function at most once on the stack,
 * is counted once.  It is at most *hi: all cost that passes, and the cost of the
 * cycle. */
void incl_bounds(const struct incl_known *k, int64_t *lo, int64_t *hi);

#endif
