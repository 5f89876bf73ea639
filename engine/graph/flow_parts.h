/*
 * flow_parts.h - the flows of the parts of a profile, one after the other.
 *
 * What belongs together in time stands in one part, so the sum of what the parts tell is
 * truer than what their sum tells.
 */
#ifndef QUERN_FLOW_PARTS_H
#define QUERN_FLOW_PARTS_H

#include "engine/flow/flow.h"

struct graph;
struct flow_parts;

/* *out is NULL when g is of one part only.  In the graph's arena; `whole` is g's flow of the
 * event.  The stages that made g work on each part as they do on the store, and take as long
 * for it.  So where parts are many, some neighbours are taken as one. */
int flow_parts_new(struct graph *g, const struct flow *whole, uint32_t event,
		   struct flow_parts **out, struct err *err);
/* The next part that has any cost; *out is NULL after the last.  It holds until the next
 * call; functions, edges and their order are those of `whole`. */
int flow_parts_next(struct flow_parts *p, const struct flow **out, struct err *err);
void flow_parts_rewind(struct flow_parts *p);
void flow_parts_free(struct flow_parts *p);	       /* NULL is fine */
uint32_t flow_parts_count(const struct flow_parts *p); /* at most */

/* The stage that made g works on each part of the graph below it; self[] and edge[] get the sums. */
int flow_parts_fill(struct graph *g, uint32_t event, uint64_t *self, uint64_t *edge,
		    struct err *err);

#endif
