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
/* The hidden part of a cost of a call, of a recorded event.  What rounding took from the calls
 * of the function before is in *carry, first 0, so that they add up to what it spends. */
int64_t fn_hidden_cost(const struct fn_hidden *h, fn_id callee, uint32_t event,
		       int64_t cost, double *carry);

#endif
