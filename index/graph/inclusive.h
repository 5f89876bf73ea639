/*
 * inclusive.h - inclusive costs where functions call each other in circles.
 *
 * callgrind adds to a call edge at every return, nested activations included.  So in a
 * circle of calls the edges into a function bring its cost once for every activation of it
 * that is on the stack, and its inclusive cost, which counts each instruction once, is that
 * less what comes back:
 *
 *	incl(f) = self(f) + cost of f's calls of others - what of it returns to f
 *
 * Nothing returns to a function outside of cycles.  Nothing returns either where callgrind
 * separates recursion levels (--separate-recs): f that runs inside f is f'2, so f itself
 * never does; only the last level takes all deeper ones, too, and can nest in itself.  For
 * those what returns is estimated: a unit of cost that passes f goes on to h in proportion
 * to the recorded cost of f's calls of h, and so on until it ends or is back.
 */
#ifndef QUERN_INCLUSIVE_H
#define QUERN_INCLUSIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "index/base/str.h"

/* The level in a name: 2 of "f'2" and of "f'2'caller"; 1 where none is written. */
uint64_t name_level(struct str name);
/* The name without it: "f", "f'caller".  A view of name, or a copy in the arena (p is NULL
 * when that is full). */
struct str name_without_level(struct str name, struct arena *a);

/* One event of a call graph; all borrowed.  Edges of f: out_first[f] .. out_first[f + 1]. */
struct call_costs {
	uint32_t functions;
	const uint32_t *out_first, *callee;
	const uint64_t *self; /* of function f: self[f * self_step] */
	const uint64_t *edge; /* of edge i: edge[i * edge_step], inclusive */
	size_t self_step, edge_step;
	/* [functions]: cost returns only by functions of one circle; 0: in none */
	const uint32_t *circle;
};

/* Room to follow costs in; from the arena, for any number of questions. */
struct returning {
	struct call_costs of;
	double *away; /* [functions]: self + calls of others; 0: not added up yet */
	double *mass; /* [functions]: what is on its way; all 0 between two questions */
	uint32_t *queue;
	uint8_t *queued;
	uint8_t *home; /* [functions]: who is asked about; all 0 between two questions */
};
/* 0, or -1 when the arena is full. */
int returning_init(struct returning *r, const struct call_costs *of, struct arena *a);

/* How many edges to look at for each of n functions: enough for three digits as long as that
 * takes no longer than reading a profile of so many functions. */
static inline uint32_t returning_edges(uint32_t n)
{
	uint32_t each = n ? 2000000 / n : 0;

	return each > 4096 ? 4096 : each < 64 ? 64 : each;
}

/* What of the cost that leaves the n members of a group comes back to one of them: the sum
 * over all returns.  An estimate from looking at about `edges` edges.  Calls between members
 * do not leave the group, nor does a call of one by itself.
 * again (NULL: nobody): a return to a member with again[f] is not counted. */
double returning_cost(struct returning *r, const uint32_t *member, size_t n,
		      const uint8_t *again, uint32_t edges);

/* What the edges of a function that may nest in itself tell of its inclusive cost. */
struct incl_known {
	uint64_t spent;	   /* self + calls of others */
	uint64_t called;   /* calls by others */
	uint64_t entering; /* calls in from outside of its cycle */
	uint64_t leaving;  /* self + calls that leave the cycle */
	uint64_t once;	/* the costliest call from or to a function that does not nest */
	uint64_t cycle; /* inclusive cost of the cycle */
};
/* Its inclusive cost is at least *lo and at most *hi: what enters the cycle here, what ends
 * here or leaves it from here, and what passes a function that is on the stack once at most,
 * is counted once; and no more than all that passes, or than the whole cycle. */
void incl_bounds(const struct incl_known *k, uint64_t *lo, uint64_t *hi);

/* The sum of two costs, saturated. */
static inline uint64_t cost_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
