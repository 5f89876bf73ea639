/* save_contexts.c - write the contexts of the call tree; see save.h.  Their inclusive costs
 * are summed from the last to the first: a caller stands before those that it calls. */
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/save/save.h"

#include <stdlib.h>
#include <string.h>

#include "index/graph/stacks.h"

/* Write self and inclusive costs of an event; cost[]: scratch. */
static int save_costs(const struct contexts *c, uint32_t event, int64_t *cost,
		      struct store_writer *w, bool *saturated, struct err *err)
{
	for (size_t i = 0; i < c->n; i++)
		cost[i] = c->self[i * c->events + event];
	if (store_writer_column(w, TABLE_CONTEXT_SELF, event, cost, c->n, err))
		return err->kind;
	for (size_t i = c->n; i-- > 0;)
		if (c->parent[i])
			*saturated |= cost_add(&cost[c->parent[i] - 1], cost[i]);
	return store_writer_column(w, TABLE_CONTEXT_INCL, event, cost, c->n, err);
}

int contexts_inclusive(const struct contexts *c, size_t event, size_t nfn, int64_t *col,
		       struct arena *a, struct err *err)
{
	struct stacks s = {.n = (uint32_t)c->n, .functions = (uint32_t)nfn, .fn = c->fn};
	int64_t *incl;

	arena_reset(a);
	if (stacks_link(&s, c->parent, a) || !(incl = ARENA_ARRAY(a, int64_t, c->n + 1)))
		return err_no_memory(err, "while writing the index");
	for (size_t i = c->n; i-- > 0;) {
		incl[i] = cost_sum(incl[i], c->self[i * c->events + event]);
		if (c->parent[i])
			incl[c->parent[i] - 1] =
				cost_sum(incl[c->parent[i] - 1], incl[i]);
	}
	s.incl = incl;
	memset(col, 0, nfn * sizeof(*col));
	return stacks_inclusive(&s, col, a, NULL, err);
}

static int save_roots(const struct contexts *c, struct store_writer *w, struct err *err)
{
	const size_t n = c->nroot;
	uint32_t *part = malloc((n + 1) * sizeof(*part)),
		 *fn = malloc((n + 1) * sizeof(*fn));
	uint64_t *calls = malloc((n + 1) * sizeof(*calls));
	int rc = part && fn && calls ? 0 : err_no_memory(err, "while writing the index");

	for (size_t i = 0; !rc && i < n; i++) {
		part[i] = c->root[i].part;
		fn[i] = c->root[i].fn;
		calls[i] = c->root[i].calls;
	}
	rc = rc || store_writer_column(w, TABLE_ROOT_PART, 0, part, n, err) ||
	     store_writer_column(w, TABLE_ROOT_FN, 0, fn, n, err) ||
	     store_writer_column(w, TABLE_ROOT_CALLS, 0, calls, n, err);
	free(part);
	free(fn);
	free(calls);
	return rc;
}

int save_contexts(const struct contexts *c, struct store_writer *w, bool *saturated,
		  struct err *err)
{
	int64_t *cost;
	int rc;

	if (!c->n)
		return 0;
	*saturated |= c->full;
	cost = malloc(c->n * sizeof(*cost));
	rc = cost ? 0 : err_no_memory(err, "while writing the index");
	rc = rc ||
	     store_writer_column(w, TABLE_CONTEXT_PARENT, 0, c->parent, c->n, err) ||
	     store_writer_column(w, TABLE_CONTEXT_FN, 0, c->fn, c->n, err) ||
	     store_writer_column(w, TABLE_CONTEXT_CALLS, 0, c->calls, c->n, err) ||
	     save_roots(c, w, err);
	for (uint32_t e = 0; !rc && e < c->events; e++)
		rc = save_costs(c, e, cost, w, saturated, err);
	free(cost);
	return rc ? err->kind : 0;
}
