/*
 * flow_parts.h - the flows of the parts of a profile, one after the other.
 *
 * What belongs together in time stands in one part, so the sum of what the parts tell is
 * truer than what their sum tells.
 */
#ifndef QUERN_FLOW_PARTS_H
#define QUERN_FLOW_PARTS_H

#include "engine/flow.h"

struct graph;
struct flow_parts;

/* g is the store itself or some parts of it.  *out is NULL when it has one part only.  In
 * the graph's arena; `whole` is g's flow of the event. */
int flow_parts_new(struct graph *g, const struct flow *whole, uint32_t event,
		   const uint8_t *parts, struct flow_parts **out, struct err *err);
/* The next part that has any cost; *out is NULL after the last.  It holds until the next
 * call; functions, edges and their order are those of `whole`. */
int flow_parts_next(struct flow_parts *p, const struct flow **out, struct err *err);
void flow_parts_rewind(struct flow_parts *p);
void flow_parts_free(struct flow_parts *p);	       /* NULL is fine */
uint32_t flow_parts_count(const struct flow_parts *p); /* at most */

#endif
