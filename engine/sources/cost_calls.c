/*
 * cost_calls.c - calls of a set under another; see cost_calls.h.
 *
 * A profile counts the calls of each caller, not those of each stack.  All calls of a caller
 * are under the set if no root comes to it without the set; none are if the set does not
 * lead to it; of others it may be any number.
 */
#include "engine/sources/cost_calls.h"

#include "engine/flow/flow.h"
#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/path/path.h"
#include "engine/rows/exec.h"
#include "engine/rows/store_set.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

/* Add the functions that those of `met` lead to, without passing `stop` (NULL: nothing). */
static void follow(struct exec *x, const struct flow_input *in, struct fn_set *met,
		   const struct fn_set *stop)
{
	uint32_t *todo = EXEC_ARRAY(x, uint32_t, (size_t)in->functions + 1), n = 0;

	for (uint32_t f = fnset_next(met, 0); f != FNSET_NONE; f = fnset_next(met, f + 1))
		todo[n++] = f;
	while (n) {
		const uint32_t f = todo[--n];

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			const uint32_t to = in->callee[i];

			if (fnset_has(met, to) || (stop && fnset_has(stop, to)))
				continue;
			fnset_add(met, to);
			todo[n++] = to;
		}
		exec_poll(x);
	}
}

/* A call that is open where a part ends costs nothing in the next one, maybe, and is not in it,
 * but those that it makes there are: what leads on in any part may do so in this one. */
static void follow_all(struct exec *x, const struct fn_set *under, struct fn_set *below)
{
	struct flow_input all;
	struct fn_set *met, *here;

	exec_set_to_store(x, under, &met);
	flow_shape_of(x->g->st, &all);
	follow(x, &all, met, NULL);
	exec_set_of_store(x, met, &here);
	fnset_or(below, here);
}

/* What a root comes to without passing the set: a root has no caller, or spends more than
 * the calls into it bring. */
static void find_outside(struct exec *x, const struct flow_input *in,
			 const struct fn_set *under, struct fn_set *out)
{
	int64_t *called = EXEC_ARRAY(x, int64_t, (size_t)in->functions + 1);

	for (uint32_t i = 0; i < in->edges; i++)
		cost_add(&called[in->callee[i]], in->incl[i]);
	for (uint32_t f = 0; f < in->functions; f++) {
		int64_t spent = in->self[f];

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
			cost_add(&spent, in->incl[i]);
		if (!fnset_has(under, f) &&
		    (spent > called[f] || in->in_first[f] == in->in_first[f + 1]))
			fnset_add(out, f);
		exec_poll(x);
	}
	follow(x, in, out, under);
}

void cost_under(struct exec *x, const struct fn_set *under, struct cost_under *out)
{
	*out = (struct cost_under){.below = exec_new_set(x, x->g->functions),
				   .outside = exec_new_set(x, x->g->functions)};
	graph_flow_input(x->g, x->event, &out->in);
	if (!under)
		return;
	fnset_or(out->below, under);
	if (x->parts)
		follow_all(x, under, out->below);
	follow(x, &out->in, out->below, NULL);
	find_outside(x, &out->in, under, out->outside);
}

bool cost_all_under(const struct fn_set *of, const struct fn_set *under,
		    const struct cost_under *u)
{
	bool all = true;

	for (uint32_t f = fnset_next(of, 0); f != FNSET_NONE; f = fnset_next(of, f + 1))
		all &= fnset_has(u->below, f) && !fnset_has(u->outside, f) &&
		       !fnset_has(under, f);
	return all;
}

void cost_calls(struct exec *x, const struct path_cost_query *q,
		const struct cost_under *u, struct call_bounds *out)
{
	const struct flow_input *in = &u->in;
	struct graph *g = x->g;
	bool all = !q->via && !q->avoiding;

	*out = (struct call_bounds){.known = true};
	/* After stages calls are those of before. */
	all &= !g->marks.estimated;
	for (uint32_t f = fnset_next(q->of, 0); f != FNSET_NONE;
	     f = fnset_next(q->of, f + 1)) {
		out->known &= graph_calls_counted(g, f);
		if (!q->under && all)
			count_add(&out->hi, graph_calls(g, f));
	}
	out->lo = out->hi;
	/* In the order of callers: those of a set are anywhere. */
	for (uint32_t i = 0; (q->under || !all) && i < in->edges; i++) {
		const uint32_t caller = in->caller[i];

		if (!fnset_has(q->of, in->callee[i]) ||
		    (q->under && !fnset_has(u->below, caller)) ||
		    (q->avoiding && fnset_has(q->avoiding, caller)))
			continue;
		count_add(&out->hi, in->calls[i]);
		if (all && !fnset_has(u->outside, caller))
			count_add(&out->lo, in->calls[i]);
	}
}
