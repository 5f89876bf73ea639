/*
 * chain.h - where the cost of a set of functions came from, and where it goes.
 *
 * A unit of cost at f came from a caller, and goes on to a callee, in proportion to the
 * recorded calls (flow.h).  This is a Markov chain.  The cost that has passed a set, or
 * will pass it, is the solution of a linear system.  The system is solved component by
 * component in topological order.  Cycles are solved by Gauss-Seidel sweeps, which settle
 * fast because little of the cost turns back; if they do not settle, the rest is
 * extrapolated.
 */
#ifndef QUERN_CHAIN_H
#define QUERN_CHAIN_H

#include "engine/flow/flow.h"

struct fn_set;

/* cost[f], [functions]: in: the cost that starts at f; out: the cost that arrives at
 * f, counted again each time it passes.  Cost that arrives at f with stop[f] set stays
 * there. */
void chain_spread(const struct flow *fl, const uint8_t *stop, double *cost,
		  struct arena *scratch, const struct cancel *cancel);

/* value[f] is given if known[f] is set.  Else out: the sum over the calls of f of the
 * share that takes the call times the value of the callee, and more[f] (NULL: 0).  With 1 at the functions where
 * cost should arrive, value[f] is the share of f's cost that will arrive. */
void chain_expect(const struct flow *fl, const uint8_t *known, const double *more,
		  double *value, struct arena *scratch, const struct cancel *cancel);

/* One step of chain_expect() from f: the value of its calls.  f itself may be known. */
double chain_ahead(const struct flow *fl, uint32_t f, const double *value);

/* first[f]: for a member f, the cost with which the set is first entered at f, from
 * the roots; for other functions, the cost that passes f before it reaches the set. */
void chain_first(const struct flow *fl, const struct fn_set *set, double **first,
		 struct arena *a, const struct cancel *cancel);

/* passed[f]: the part of the cost through f that is in the set or has passed it before.
 * Only functions below the set are visited. */
void chain_passed(const struct flow *fl, const struct fn_set *set, double **passed,
		  struct arena *a, const struct cancel *cancel);

/* Mark the members of a set, [functions]; NULL: the arena is full. */
uint8_t *chain_marks(const struct flow *fl, const struct fn_set *set, struct arena *a);

/* out[f]: f reaches a marked function by calls that cost something (down), or is
 * reached from one (not down).  A mark alone does not count.  within: no others are
 * looked at; NULL: all are. */
void chain_reaches(const struct flow *fl, const uint8_t *marks, const uint8_t *within,
		   bool down, uint8_t **out, struct arena *a);

/* What a set reaches or is reached from, with its members (within). */
void chain_with(const struct flow *fl, const struct fn_set *set, const uint8_t *within,
		bool down, uint8_t **out, struct arena *a);

#endif
