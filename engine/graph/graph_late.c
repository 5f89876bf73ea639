/*
 * graph_late.c - read functions whose calls are not joined yet; see graph_join.c.
 *
 * A function's calls are those of its contexts, so questions about one function read these.
 *
 *	f has contexts f'1: calls a, b		calls by f: a, b, b, one after the other;
 *	               f'2: calls b		joined they would be a and b
 */
#include "engine/graph/graph_build.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

/* Self costs need no calls.  Inclusive costs are not computed: the index has them, or the
 * calls are joined first. */
void graph_late_event(struct graph *g, uint32_t e)
{
	const int64_t *self = store_costs(g->st, TABLE_FN_SELF, e);
	struct graph_costs *c = NEED_NEW(g->a, struct graph_costs);

	c->self = NEED_ARRAY(g->a, int64_t, (size_t)g->functions + 1);
	store_sound(g->st);
	for (uint32_t f = 0; f < store_info(g->st)->functions; f++)
		cost_add(&c->self[g->merge.group[f]], self[f]);
	for (uint32_t k = 0; k < g->functions; k++)
		cost_add(&c->total, c->self[k]);
	c->made = true;
	g->costs[e] = c;
}

/* Each call by a member of f, or of one. */
struct late_call {
	uint32_t edge;
	uint32_t other; /* the function at its other end */
};

/* The call after *c, by f or (in) of f; *m: the member, *i: the place among its calls.  Both
 * start at 0. */
static bool next_call(const struct graph *g, uint32_t f, bool in, uint32_t *m,
		      uint32_t *i, struct late_call *c)
{
	struct store *st = g->st;

	for (; *m < g->merge.member_first[f + 1] - g->merge.member_first[f];
	     ++*m, *i = 0) {
		const fn_id fn = g->merge.member[g->merge.member_first[f] + *m];
		uint32_t first = 0, n;

		if (in)
			n = store_caller_count(st, fn);
		else
			store_callees(st, fn, &first, &n);
		if (*i >= n)
			continue;
		c->edge = in ? store_caller(st, fn, *i) : first + *i;
		c->other = g->merge.group[in ? store_edge_caller(st, c->edge)
					     : store_edge_callee(st, c->edge)];
		++*i;
		return true;
	}
	return false;
}

bool graph_late_recurs(const struct graph *g, uint32_t f)
{
	struct late_call c;
	uint32_t m = 0, i = 0;

	while (next_call(g, f, false, &m, &i, &c))
		if (c.other == f)
			return true;
	return false;
}

/* All calls into f count; of those by f only the ones that leave f and its cycle. */
int64_t graph_late_sum(const struct graph *g, uint32_t f, uint32_t e, bool in)
{
	struct late_call c;
	uint32_t m = 0, i = 0;
	int64_t sum = 0;

	while (next_call(g, f, in, &m, &i, &c)) {
		const bool stays =
			c.other == f || (g->shape.cycle[f] &&
					 g->shape.cycle[f] == g->shape.cycle[c.other]);

		if (in || !stays)
			cost_add(&sum, store_edge_incl(g->st, c.edge, e));
	}
	return sum;
}
