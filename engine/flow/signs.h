/*
 * signs.h - which callers of a function ask for which of its callees, by their events.
 *
 * A profile records who calls f and whom f calls, not which of these belong together.  With
 * one event, each caller has the same share of each callee.  Several events are a sign: calls
 * that read much and jump little were made for callees that do so.
 */
#ifndef QUERN_SIGNS_H
#define QUERN_SIGNS_H

#include "engine/flow/flow.h"

struct signs;

/* Measure how the rates of events vary, on the flow of event 0 of the store.  *out is in the
 * arena and for signs_free(), after an error as well; NULL: there is nothing to learn, as the
 * profile has one event or negative costs. */
void signs_new(struct store *st, const struct flow *fl, struct arena *a,
	       const struct cancel *cancel, struct signs **out);
void signs_free(struct signs *s); /* NULL is fine */
/* May signs_solve() find anything?  Not for a function that costs too little, nor where all
 * comes one way or goes one way. */
bool signs_apply(const struct signs *s, uint32_t f);
/* (*out)[i * (ways out) + j]: the cost that comes to f by way i and goes by way j.  Ways in:
 * the calls of f, in the order of in_edge[], then no call; ways out: the calls by f, then its
 * own cost.  What comes and goes by each way is as in the flow.  NULL: in proportion. */
void signs_solve(struct signs *s, uint32_t f, double **out);

/* Scale x, n rows of m, until its rows add up to r and its columns to c.  false: they do
 * not. */
bool signs_fit(double *x, size_t n, size_t m, const double *r, const double *c,
	       double *sums);

#endif
