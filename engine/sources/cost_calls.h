/*
 * cost_calls.h - how many calls of a set are made under another.
 */
#ifndef QUERN_COST_CALLS_H
#define QUERN_COST_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct exec;
struct fn_set;
struct path_cost_query;

struct call_bounds {
	bool known;	 /* nobody counted those of inlined code */
	uint64_t lo, hi; /* at least, at most */
};

/* Is all of `of` under the set?  Then its cost there is all that it costs, whatever is known of
 * stacks.  A function in both need not be under itself. */
bool cost_all_under(struct exec *x, const struct fn_set *of, const struct fn_set *under);
/* The calls of q->of, of functions of x->g, that are made under, via and avoiding others. */
void cost_calls(struct exec *x, const struct path_cost_query *q, struct call_bounds *out);

#endif
