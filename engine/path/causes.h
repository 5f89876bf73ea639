/*
 * causes.h - how many calls of a set each function causes: those made while it is on the
 * stack, by itself or by what it calls.
 *
 * Calls inside the set do not count.  A call counts once for a function, however often that
 * is on the stack.
 */
#ifndef QUERN_CAUSES_H
#define QUERN_CAUSES_H

#include "engine/path/path.h"
#include "index/graph/stacks.h"

struct cause {
	double est;	 /* calls; between the bounds */
	uint64_t lo, hi; /* proven: at least, at most */
};

/* of: functions of `c`, which all are of. */
struct causes_query {
	const struct fn_set *of;
	uint32_t functions;
	const struct path_contexts *c;
	struct flow_parts *parts; /* sum the estimates of these; or NULL */
};

/* out[functions] (zeros); *calls: all of them. */
void path_causes(const struct flow *fl, const struct causes_query *q, struct arena *a,
		 const struct cancel *cancel, struct cause *out, uint64_t *calls);
/* Where the stacks are known it is no estimate. */
void known_causes(const struct stacks *s, const struct fn_set *of, struct arena *a,
		  const struct cancel *cancel, struct cause *out, uint64_t *calls);

#endif
