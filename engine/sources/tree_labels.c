/* tree_labels.c - see tree_labels.h. */
#include "engine/sources/tree_labels.h"

#include "engine/graph/flow_parts.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/fnset.h"
#include "engine/sources/neighbours.h"
#include "engine/sources/source.h"
#include "index/base/cost.h"

void exec_parts(struct exec *x, struct graph *g, const struct flow *whole,
		struct flow_parts **out)
{
	*out = NULL;
	if (!(x->unparted))
		flow_parts_new(g, whole, x->event, x->a, out);
}

/* The functions of base are labelled by those of x->g.  Contexts of a function, and places of
 * inlined code, stay rows below each other; members of a group of `collapse` do not. */
static void label(struct exec *x, struct graph *base, struct path_labels *out)
{
	const bool groups = !x->g->merge.apart || x->g->merge.apart->merge.group;
	uint32_t *of = EXEC_ARRAY(x, uint32_t, (size_t)base->functions + 1), *group = of;

	if (groups && x->g->merge.apart)
		group = EXEC_ARRAY(x, uint32_t, (size_t)base->functions + 1);
	for (uint32_t f = 0; f < base->functions; f++) {
		of[f] = graph_merged(x->g, base, f, &(bool){false});
		if (group != of)
			group[f] =
				graph_merged(x->g->merge.apart, base, f, &(bool){false});
	}
	*out = (struct path_labels){x->g->functions, of, groups ? group : NULL};
}

static void grow(struct exec *x, struct graph *g, struct path_tree_query *q,
		 struct path_tree *out)
{
	const bool one = q->set && fnset_count(q->set) == 1;
	const bool frames = q->of == TREE_FRAMES && !q->up && !one;
	const struct fn_set *set = q->set;
	struct exec base = *x; /* asks the graph below */
	const struct flow *flow;

	graph_members_of(x->g, g, set, frames, x->a, &q->set);
	graph_members_of(x->g, g, set, true, x->a, &q->entry);
	graph_members_of(x->g, g, q->avoiding, false, x->a, &q->avoiding);
	graph_event(g, x->event);
	base.g = g;
	q->as_one = one && fnset_count(q->set) > 1;
	exec_flow(&base, g, x->event, &flow);
	exec_parts(&base, g, flow, &q->parts);
	path_tree(flow, q, x->a, x->open->cancel, out);
	flow_parts_free(q->parts);
}

/* ---- what was recorded ---- */

static void add_call(const struct exec *x, uint32_t edge, struct path_tree_row *r)
{
	struct store_edge e;

	graph_edge(x->g, edge, &e);
	graph_add_calls(x->g, &r->calls, e.calls);
	cost_add(&r->incl, graph_edge_incl(x->g, edge, x->event));
}

void tree_record_calls(const struct exec *x, const struct path_tree_query *q,
		       struct path_tree_row *r)
{
	const struct graph *g = x->g;
	uint32_t first = 0, n;

	r->calls = 0;
	r->incl = 0;
	if (q->up)
		graph_callees(g, r->fn, &first, &n);
	else
		n = graph_caller_count(g, r->fn);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t edge = q->up ? first + i : graph_caller(g, r->fn, i);

		if (fnset_has(q->set, q->up ? graph_edge_callee(g, edge)
					    : graph_edge_caller(g, edge)))
			add_call(x, edge, r);
	}
}

/* Set the recorded costs between a row and the one above.  A root, or a member of the set
 * at the top of the tree, has no calls and its own cost. */
static void record(const struct exec *x, const struct path_tree_query *q,
		   const struct path_tree_row *above, struct path_tree_row *r)
{
	uint32_t edge;

	if (above) {
		edge = graph_edge_between(x->g, q->up ? r->fn : above->fn,
					  q->up ? above->fn : r->fn);
		if (edge != GRAPH_NONE)
			add_call(x, edge, r);
	} else if (q->set && (q->of == TREE_CALLS || fnset_count(q->set) == 1)) {
		tree_record_calls(x, q, r);
	} else {
		r->incl = q->set ? graph_incl(x->g, r->fn, x->event) : r->est;
	}
	graph_end_calls(x->g, &r->calls);
	r->recursive |= q->set && fnset_has(q->set, r->fn);
}

/* A row costs no more than its function, and the row above. */
static void bound(const struct exec *x, const struct path_tree_row *above,
		  struct path_tree_row *r)
{
	const struct path_bounds b = r->cost;
	int64_t lo, hi;

	if (r->inner) {
		r->cost = path_bounds_exact(r->incl);
	} else if (!b.bounded) {
		r->cost = path_bounds_of((double)r->est, 0, r->incl, false);
	} else {
		graph_incl_bounds(x->g, r->fn, x->event, &lo, &hi);
		hi = hi < b.hi ? hi : b.hi;
		hi = above && above->cost.bounded && above->cost.hi < hi ? above->cost.hi
									 : hi;
		hi = hi < r->est ? r->est : hi;
		r->cost = path_bounds_of((double)r->est, b.lo < hi ? b.lo : hi, hi, true);
	}
}

void tree_labels(struct exec *x, const struct path_tree_query *q, struct path_tree *out)
{
	struct path_labels *labels = EXEC_ARRAY(x, struct path_labels, 1);
	struct path_tree_query below = *q;
	struct graph *base = x->g;

	while (base->merge.group)
		base = base->below;
	label(x, base, labels);
	below.labels = labels;
	grow(x, base, &below, out);
	for (size_t i = 0; i < out->n; i++) {
		struct path_tree_row *r = &out->rows[i];
		const struct path_tree_row *above =
			r->parent == FLOW_NONE ? NULL : &out->rows[r->parent];

		record(x, q, above, r);
		bound(x, above, r);
		exec_poll(x);
	}
}
