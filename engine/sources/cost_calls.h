/*
 * cost_calls.h - how many calls of a set are made under another.
 */
#ifndef QUERN_COST_CALLS_H
#define QUERN_COST_CALLS_H

#include "engine/flow/flow.h"

struct exec;
struct fn_set;
struct path_cost_query;

struct call_bounds {
	bool known;	 /* nobody counted those of inlined code */
	uint64_t lo, hi; /* at least, at most */
};

/* The functions below a set, and those that a root comes to without passing it, in x->g. */
struct cost_under {
	struct flow_input in;
	struct fn_set *below, *outside; /* empty without a set */
};

/* under NULL: there is no such set. */
void cost_under(struct exec *x, const struct fn_set *under, struct cost_under *out);
/* Is all of `of` under the set?  Then its cost there is all that it costs, whatever is known of
 * stacks.  A function in both need not be under itself. */
bool cost_all_under(const struct fn_set *of, const struct fn_set *under,
		    const struct cost_under *u);
/* The calls of q->of, of functions of x->g, that are made under, via and avoiding others. */
void cost_calls(struct exec *x, const struct path_cost_query *q,
		const struct cost_under *u, struct call_bounds *out);

#endif
