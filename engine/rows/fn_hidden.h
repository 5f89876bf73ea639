/*
 * fn_hidden.h - after hide: how much of a call is hidden behind the line that makes it.
 *
 * A call that leads to no visible function is hidden whole, with its recorded cost.  Of others a
 * part of the cost is: what the contexts behind it say or, where stacks are not known, a share.
 */
#ifndef QUERN_FN_HIDDEN_H
#define QUERN_FN_HIDDEN_H

#include "index/store/store.h"

struct exec;
struct fn_hidden;

enum hidden_call { CALL_VISIBLE, CALL_HIDDEN, CALL_SHARED };

/* That of x->g, made once; *out NULL: nothing is hidden there. */
void fn_hidden_of(struct exec *x, const struct fn_hidden **out);
enum hidden_call fn_hidden_call(const struct fn_hidden *h, const struct store_site *site);
/* What is hidden of the costs of all n calls of f, cost[n][events]: part[n][events].  With its own
 * costs they are what f spends.  about[n]: it is an estimate. */
void fn_hidden_costs(const struct fn_hidden *h, fn_id f, const struct store_site *site,
		     const int64_t *cost, size_t n, struct arena *a, int64_t **part,
		     uint8_t **about);

#endif
