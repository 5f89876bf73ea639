/*
 * way_flow.h - a flow with pairs (pairs.h) as a flow in proportion.
 *
 * A function with pairs becomes several vertices, one for each way in: what comes by that way
 * goes on in its own shares.  So all that works on flows works on the chain of second order.
 * One more vertex of it has the shares of the whole function.  No call leads there: the vertex
 * is for questions that do not ask which caller brought the cost.
 */
#ifndef QUERN_WAY_FLOW_H
#define QUERN_WAY_FLOW_H

#include "engine/flow/flow.h"

struct fn_set;

struct way_flow {
	struct flow flow; /* its costs are in units of 1 / scale */
	const struct flow *of;
	double scale;
	const uint32_t *fn; /* [vertices]: the function */
	const uint32_t
		*first; /* [functions + 1]: its first vertex; the ways in are in order */
	const uint32_t *edge; /* [edges]: the call */
};

/* In the arena; *out is NULL if fl has no pairs.  within, [functions]: others have no vertex, and
 * calls to them are left out, though they keep their shares; NULL: all are in it. */
void way_flow_new(const struct flow *fl, const uint8_t *within, struct arena *a,
		  const struct cancel *cancel, struct way_flow **out);
/* The vertices of the members, not those that no call leads to; NULL stays NULL. */
void way_flow_set(const struct way_flow *w, const struct fn_set *set, struct arena *a,
		  const struct fn_set **out);

/* The vertices of f are first[f] up to first[f + 1]: more than one?  The last of them is the one that no call leads to. */
static inline bool way_flow_split(const struct way_flow *w, uint32_t f)
{
	return w->first[f + 1] - w->first[f] > 1;
}

#endif
