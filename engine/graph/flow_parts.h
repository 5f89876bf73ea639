/*
 * flow_parts.h - the flows of the parts of a profile, one after the other.
 *
 * A part covers one stretch of time, so calls in it belong together: the sum of estimates
 * per part is better than one estimate from the summed costs.
 */
#ifndef QUERN_FLOW_PARTS_H
#define QUERN_FLOW_PARTS_H

#include "engine/flow/flow.h"

struct graph;
struct flow_parts;

/* *out is NULL when g has only one part.  It lives in the arena; `whole` is the flow
 * of g for the event.  Every part goes through the stages that made g, which takes as
 * long as for the whole store.  So if there are many parts, neighbours are merged. */
void flow_parts_new(struct graph *g, const struct flow *whole, uint32_t event,
		    struct arena *a, struct flow_parts **out);
/* The next part that has any cost; *out is NULL after the last.  It is valid until the
 * next call.  Functions, edges and their order are the same as in `whole`. */
void flow_parts_next(struct flow_parts *p, const struct flow **out);
void flow_parts_rewind(struct flow_parts *p);
void flow_parts_free(struct flow_parts *p);	       /* NULL is fine */
uint32_t flow_parts_count(const struct flow_parts *p); /* at most */
/* Are the costs of each part measured?  Not after a stage that estimates, nor for inlined
 * code, whose cost is known in the whole profile only.  Then no bound of a part holds. */
bool flow_parts_proven(const struct flow_parts *p);

/* Run the last stage of g on each part of the graph below; self[] and edge[] get the
 * sums. */
void flow_parts_fill(struct graph *g, uint32_t event, int64_t *self, int64_t *edge);

#endif
