/*
 * fn_hidden.h - after hide: how much of a call is hidden behind the line that makes it.
 *
 * A call of a function that leads to no visible one is hidden whole, with its recorded cost.
 * Of others a share of the cost is: the same of all calls of the function.
 */
#ifndef QUERN_FN_HIDDEN_H
#define QUERN_FN_HIDDEN_H

#include "index/store/store.h"

struct exec;
struct fn_hidden;

enum hidden_call { CALL_VISIBLE, CALL_HIDDEN, CALL_SHARED };

/* That of x->g, made once; *out NULL: nothing is hidden there. */
void fn_hidden_of(struct exec *x, const struct fn_hidden **out);
enum hidden_call fn_hidden_call(const struct fn_hidden *h, fn_id callee);
/* How the hidden costs of the calls of one function, of a recorded event, add up to what it
 * spends: shares of calls are estimated apart from it, and are rounded. */
struct hidden_parts {
	double scale; /* of each share */
	double left;  /* of a unit, by the calls before */
};
/* parts[events], zeroed; of all calls of f. */
void fn_hidden_parts(const struct fn_hidden *h, fn_id f, const struct store_site *site,
		     const int64_t *cost, size_t n, struct hidden_parts *parts);
/* The hidden part of a cost of a call, the calls in their order. */
int64_t fn_hidden_cost(const struct fn_hidden *h, fn_id callee, uint32_t event,
		       int64_t cost, struct hidden_parts *parts);

#endif
