/*
 * pairs.h - the cost that comes to a function one way and goes on another.
 *
 * Of the cost that f got by the call from g, this share goes on to h: a chain of second
 * order.  For each function, what comes and what goes by each way is as recorded, so costs
 * add up and bounds hold as they do for shares in proportion.  Without pairs, or where a
 * function has none, all ways in have the same shares.
 *
 * They are solved once for event 0 of the whole profile (signs.h), each function when it is
 * first asked for.  Another event, a part of the profile, or what a stage leaves of it, keeps
 * these pairs, scaled to its own costs.
 */
#ifndef QUERN_PAIRS_H
#define QUERN_PAIRS_H

#include "engine/flow/flow.h"

struct signs;

/* The pairs of a flow, in the arena; signs: of the flow itself.  cancel is asked for each
 * function that is solved. */
void pairs_new(struct signs *signs, struct flow *fl, struct arena *a,
	       const struct cancel *cancel);
/* Pairs like those of `base` for another flow.  fn[f]: the function of the base that f is;
 * NULL: the same. */
void pairs_like(struct pairs *base, struct flow *fl, const uint32_t *fn, struct arena *a);
/* The costs of f have changed. */
void pairs_forget(struct pairs *p, uint32_t f);

/* (*out)[i * pairs_out(fl, f) + j]: the cost that comes by way i and goes by way j: an index
 * into the calls of f, the last one is no call.  NULL: in proportion. */
void pairs_of(const struct flow *fl, uint32_t f, const double **out);

static inline uint32_t pairs_in(const struct flow *fl, uint32_t f)
{
	return fl->in.in_first[f + 1] - fl->in.in_first[f] + 1;
}

static inline uint32_t pairs_out(const struct flow *fl, uint32_t f)
{
	return fl->in.out_first[f + 1] - fl->in.out_first[f] + 1;
}

/* The share of the cost that came by the call `before` which goes on by `edge`, of its
 * callee. */
void pairs_share(const struct flow *fl, uint32_t before, uint32_t edge, double *out);
/* The way by which a call comes to its callee. */
uint32_t pairs_way_in(const struct flow *fl, uint32_t edge);

#endif
