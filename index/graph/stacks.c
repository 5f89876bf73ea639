/* stacks.c - see stacks.h. */
#include "index/graph/stacks.h"

#include <stdbool.h>

#include "index/base/arena.h"
#include "index/base/cancel.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

enum { POLL = 65536 };

static int poll_at(const struct cancel *cancel, uint32_t v, struct err *err)
{
	return v % POLL ? 0 : cancel_poll(cancel, err);
}

int stacks_link(struct stacks *s, const uint32_t *parent, struct arena *a)
{
	uint32_t *caller = ARENA_ARRAY(a, uint32_t, (size_t)s->n + 1);
	uint32_t *first = ARENA_ARRAY(a, uint32_t, (size_t)s->n + 2);
	uint32_t *out = ARENA_ARRAY(a, uint32_t, (size_t)s->n + 1);
	uint32_t roots = 0;

	if (!caller || !first || !out)
		return -1;
	for (uint32_t v = 0; v < s->n; v++) {
		caller[v] = parent[v] - 1; /* of a root: UINT32_MAX */
		roots += !parent[v];
		if (parent[v])
			first[parent[v]]++;
	}
	for (uint32_t v = 0; v < s->n; v++)
		first[v + 1] += first[v];
	for (uint32_t i = 0; i + roots < s->n; i++)
		out[i] = roots + i;
	s->caller = caller;
	s->out_first = first;
	s->out = out;
	return 0;
}

static bool by_itself(const struct stacks *s, uint32_t v)
{
	return s->caller[v] != UINT32_MAX && s->fn[s->caller[v]] == s->fn[v];
}

/* A walk in the order of the stacks keeps the innermost open activation of each function. */
int stacks_above(const struct stacks *s, uint32_t *above, struct arena *a,
		 const struct cancel *cancel, struct err *err)
{
	uint32_t *open = ARENA_ARRAY(a, uint32_t, (size_t)s->functions + 1); /* + 1 */
	uint32_t *next = ARENA_ARRAY(a, uint32_t, (size_t)s->n + 1);

	if (!open || !next)
		return arena_full(a, err);
	for (uint32_t v = 0; v < s->n; v++)
		next[v] = s->out_first[v];
	for (uint32_t root = 0; root < s->n; root++) {
		uint32_t v = root;

		if (s->caller[root] != UINT32_MAX)
			continue;
		for (;;) {
			const uint32_t f = s->fn[v];

			if (next[v] == s->out_first[v]) {
				if (poll_at(cancel, v, err))
					return err->kind;
				above[v] = open[f] - 1;
				if (!by_itself(s, v))
					open[f] = v + 1;
			}
			if (next[v] < s->out_first[v + 1]) {
				v = s->out[next[v]++];
				continue;
			}
			next[v]++; /* a leaf is not met again */
			if (!by_itself(s, v))
				open[f] = above[v] + 1;
			if (v == root)
				break;
			v = s->caller[v];
		}
	}
	return 0;
}

int stacks_inclusive(const struct stacks *s, int64_t *incl, struct arena *a,
		     const struct cancel *cancel, struct err *err)
{
	uint32_t *above = ARENA_ARRAY(a, uint32_t, (size_t)s->n + 1);

	if (!above)
		return arena_full(a, err);
	if (stacks_above(s, above, a, cancel, err))
		return err->kind;
	for (uint32_t v = 0; v < s->n; v++)
		if (above[v] == UINT32_MAX)
			cost_add(&incl[s->fn[v]], s->incl[v]);
	return 0;
}

/* The activation of v's caller is the outermost one of its function. */
static bool below_outermost(const struct stacks *s, const uint32_t *above, uint32_t v)
{
	uint32_t up = s->caller[v];

	if (up == UINT32_MAX)
		return false;
	return above[by_itself(s, up) ? above[up] : up] == UINT32_MAX;
}

int stacks_shares(const struct stacks *s, int64_t *up, int64_t *down, struct arena *a,
		  const struct cancel *cancel, struct err *err)
{
	uint32_t *above = ARENA_ARRAY(a, uint32_t, (size_t)s->n + 1);

	if (!above)
		return arena_full(a, err);
	if (stacks_above(s, above, a, cancel, err))
		return err->kind;
	for (uint32_t v = 0; v < s->n; v++) {
		if (poll_at(cancel, v, err))
			return err->kind;
		if (by_itself(s, v))
			continue;
		cost_add(&up[v], s->incl[v]);
		if (above[v] != UINT32_MAX)
			cost_subtract(&up[above[v]], s->incl[v]);
		if (below_outermost(s, above, v))
			down[v] = s->incl[v];
	}
	return 0;
}
