/*
 * cost_calls.c - calls of a set under another; see cost_calls.h.
 *
 * A profile counts the calls of each caller, not those of each stack.  All calls of a caller
 * are under the set if no root comes to it without the set; none are if the set does not
 * lead to it; of others it may be any number.
 */
#include "engine/sources/cost_calls.h"

#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/path/path.h"
#include "engine/rows/exec.h"
#include "engine/rows/store_set.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

/* Add the functions that those of `met` lead to, without passing `stop` (NULL: nothing). */
static void follow(struct exec *x, struct fn_set *met, const struct fn_set *stop)
{
	const struct graph *g = x->g;
	uint32_t *todo = EXEC_ARRAY(x, uint32_t, (size_t)g->functions + 1), n = 0;

	for (uint32_t f = fnset_next(met, 0); f != FNSET_NONE; f = fnset_next(met, f + 1))
		todo[n++] = f;
	while (n) {
		uint32_t first, all;

		graph_callees(g, todo[--n], &first, &all);
		for (uint32_t i = first; i < first + all; i++) {
			const uint32_t to = graph_edge_callee(g, i);

			if (fnset_has(met, to) || (stop && fnset_has(stop, to)))
				continue;
			fnset_add(met, to);
			todo[n++] = to;
		}
		exec_poll(x);
	}
}

/* What a root comes to without passing the set: a root has no caller, or spends more than
 * the calls into it bring. */
static void find_outside(struct exec *x, const struct fn_set *under, struct fn_set *out)
{
	for (uint32_t f = 0; f < x->g->functions; f++) {
		int64_t root = 0;

		if (fnset_has(under, f))
			continue;
		if (graph_caller_count(x->g, f))
			graph_through(x->g, f, x->event, &root);
		if (root || !graph_caller_count(x->g, f))
			fnset_add(out, f);
		exec_poll(x);
	}
	follow(x, out, under);
}

bool cost_all_under(struct exec *x, const struct fn_set *of, const struct fn_set *under)
{
	struct fn_set *below, *outside;
	bool all = true;

	/* A part may lack the call that led there. */
	if (graph_part_count(x->g) > 1)
		return false;
	below = exec_new_set(x, x->g->functions);
	outside = exec_new_set(x, x->g->functions);
	fnset_or(below, under);
	follow(x, below, NULL);
	find_outside(x, under, outside);
	for (uint32_t f = fnset_next(of, 0); f != FNSET_NONE; f = fnset_next(of, f + 1))
		all &= fnset_has(below, f) && !fnset_has(outside, f) &&
		       !fnset_has(under, f);
	return all;
}

/* Add the calls of f by one caller; all: each of them is under the set. */
static void add_calls(const struct graph *g, uint32_t edge, bool all,
		      struct call_bounds *out)
{
	count_add(&out->hi, graph_edge_calls(g, edge));
	count_add(&out->lo, all ? graph_edge_calls(g, edge) : 0);
}

void cost_calls(struct exec *x, const struct path_cost_query *q, struct call_bounds *out)
{
	struct graph *g = x->g;
	struct fn_set *below, *outside;
	bool all = !q->via && !q->avoiding;

	*out = (struct call_bounds){.known = true};
	graph_need_calls(g);
	below = exec_new_set(x, g->functions);
	outside = exec_new_set(x, g->functions);
	if (q->under) {
		fnset_or(below, q->under);
		follow(x, below, NULL);
		find_outside(x, q->under, outside);
	}
	/* A part may lack the call that led there; after stages calls are those of before. */
	all &= !g->estimated && !(q->under && graph_part_count(g) > 1);
	for (uint32_t f = fnset_next(q->of, 0); f != FNSET_NONE;
	     f = fnset_next(q->of, f + 1)) {
		out->known &= graph_calls_counted(g, f);
		if (!q->under && all) {
			count_add(&out->hi, graph_calls(g, f));
			count_add(&out->lo, graph_calls(g, f));
			continue;
		}
		for (uint32_t i = 0; i < graph_caller_count(g, f); i++) {
			const uint32_t edge = graph_caller(g, f, i),
				       caller = graph_edge_caller(g, edge);

			if ((!q->under || fnset_has(below, caller)) &&
			    (!q->avoiding || !fnset_has(q->avoiding, caller)))
				add_calls(g, edge, all && !fnset_has(outside, caller),
					  out);
		}
	}
}
