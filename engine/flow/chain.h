/*
 * chain.h - where cost came from and where it goes: questions to a flow about a set.
 *
 * A unit of cost at f came from g, and goes on to h, in proportion to the recorded calls
 * (flow.h).  That is a Markov chain, and how much has passed a set, or will pass it, is the
 * solution of a linear system.  It is solved component by component in topological order;
 * inside a cycle by Gauss and Seidel's sweeps, which settle fast because little of the cost
 * turns back; where they do not, what is left is extrapolated.
 */
#ifndef QUERN_CHAIN_H
#define QUERN_CHAIN_H

#include "index/base/cancel.h"
#include "engine/flow/flow.h"

/* cost[f]: in: what starts at f; out: what arrives at f and passes it, each time it does.
 * Cost that arrives where stop[f] is set stays there.  [functions] each. */
int chain_spread(const struct flow *fl, const uint8_t *stop, double *cost,
		 struct arena *scratch, const struct cancel *cancel, struct err *err);

/* value[f] of functions with known[f]: given; of the others, out: the sum over f's calls of
 * the share that goes there times the value there.  With 1 where cost is wanted to arrive,
 * it is the share of f's cost that will. */
int chain_expect(const struct flow *fl, const uint8_t *known, double *value,
		 struct arena *scratch, const struct cancel *cancel, struct err *err);

/* A step of chain_expect() from f, which may be known: what is to be expected of its calls. */
double chain_ahead(const struct flow *fl, uint32_t f, const double *value);

/* first[f]: the cost with which the set is first entered, from the roots, at member f; for other
 * functions the cost that passes them before the set is reached. */
int chain_first(const struct flow *fl, const struct fn_set *set, double **first,
		struct arena *a, const struct cancel *cancel, struct err *err);

/* Marks of a set's members, [functions]; NULL: the arena is full. */
uint8_t *chain_marks(const struct flow *fl, const struct fn_set *set, struct arena *a);

/* Of each function, can one of the marked ones be reached from it by calls that cost
 * something (down false: can it be reached from one)?  Marked ones not by being marked. */
int chain_reaches(const struct flow *fl, const uint8_t *marks, bool down, uint8_t **out,
		  struct arena *a, struct err *err);

/* The functions from which a marked one can be reached, and those themselves, as a flow of
 * their own: all calls of them are by each other.  What passes them stays what it is, though
 * the calls by which it leaves are not there.  (*old)[f]: f's number in fl. */
int chain_above(const struct flow *fl, const uint8_t *marks, struct flow **out,
		uint32_t **old, struct arena *a, struct err *err);

#endif
