/*
 * source_edge.c - calls, and the trees callers, callees, calltree.
 *
 * A row of calls is the number of an edge.  Trees come from path_tree(): costs that the
 * profile does not determine to the unit are estimated, and flagged.
 */
#include <math.h>

#include <stdio.h>
#include <stdlib.h>

#include "engine/lang/ast.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/graph/flow_parts.h"
#include "engine/sources/neighbours.h"
#include "engine/path/path.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "engine/sources/tree_labels.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"
#include "index/base/cost.h"
#include "index/graph/stacks.h"

/* ---- calls ---- */

static uint32_t call_caller(const struct table *t, uint32_t r)
{
	return graph_edge_caller(t->g, r);
}

static uint32_t call_callee(const struct table *t, uint32_t r)
{
	return graph_edge_callee(t->g, r);
}

static const struct listed call_list[] = {
	{"caller_id", SHOW_M, 0},
	{"callee_id", SHOW_M, 0},
	{"calls", BOTH, 4},
	{"incl", BOTH, 3},
	{"incl%", SHOW_T | HAS_BAR, 5},
	{"caller", BOTH, 2},
	{"callee", BOTH, 1},
	{"caller_file", SHOW_M, 0},
	{"callee_file", SHOW_M, 0},
	{"recursive", SHOW_M, 0},
	{"itself", 0, 0},
	{"caller_calls", 0, 0},
	{"estimated", 0, 0},
};

/* The edges out of `near`, of them those into `to`, or into it, or both: then those that
 * enter it from outside. */
struct wanted {
	const struct fn_set *near, *to; /* to: NULL is all */
	bool out, in;
};

/* Add the edges of f that are wanted to ref[n..]; returns how many there are. */
static uint32_t edges_of(const struct graph *g, const struct wanted *w, uint32_t f,
			 uint32_t *ref, uint32_t n)
{
	uint32_t first, out;

	graph_callees(g, f, &first, &out);
	for (uint32_t i = first; w->out && i < first + out; i++)
		if (!w->to || fnset_has(w->to, graph_edge_callee(g, i)))
			ref[n++] = i;
	for (uint32_t i = 0; w->in && i < graph_caller_count(g, f); i++) {
		const uint32_t id = graph_caller(g, f, i);

		if (!w->out || !fnset_has(w->near, graph_edge_caller(g, id)))
			ref[n++] = id;
	}
	return n;
}

/* Tables mark each; the machine formats of what is recorded say nothing of it. */
static void tell_estimates(struct table *t)
{
	if (t->g->marks.estimated)
		table_tell(t, STR("estimated"));
}

static void calls_of(struct exec *x, const struct wanted *w, struct table *t)
{
	uint32_t n = 0, *ref = NULL, first, out;
	size_t cap = 0;

	for (uint32_t f = fnset_next(w->near, 0); f != FNSET_NONE;
	     f = fnset_next(w->near, f + 1)) {
		graph_callees(x->g, f, &first, &out);
		exec_grow(x, &ref, &cap, n, (size_t)n + out + graph_caller_count(x->g, f),
			  sizeof(*ref));
		exec_poll(x);
		n = edges_of(x->g, w, f, ref, n);
	}
	if (n)
		qsort(ref, n, sizeof(*ref), compare_u32);
	table_init(x, t, &source_calls, x->g, n);
	tell_estimates(t);
	t->ref = ref;
}

/* Say how many calls of a function come from outside. */
static void note_recursion(struct exec *x, const struct fn_set *set)
{
	const uint32_t f = fnset_next(set, 0);
	uint64_t own, all;

	if (fnset_count(set) != 1 || !graph_calls_itself(x->g, f) ||
	    !graph_calls_counted(x->g, f))
		return;
	all = graph_calls(x->g, f);
	own = graph_edge_calls(x->g, graph_edge_between(x->g, f, f));
	exec_notef(x,
		   "%s of %s calls of %.*s are its recursion, %s come from "
		   "outside",
		   GROUPED(own), GROUPED(all), STR_ARG(graph_name(x->g, f)),
		   GROUPED(all - own));
}

static void calls_open(struct exec *x, const struct source *s, struct table *t)
{
	struct fn_set *near = NULL, *to = NULL;
	struct wanted w = {.out = s->of || s->from, .in = !s->from};

	if (!s->of && !s->from && !s->to) {
		table_init(x, t, &source_calls, x->g, x->g->edges);
		tell_estimates(t);
		return;
	}
	exec_set(x, s->of ? s->of : s->from ? s->from : s->to, &near);
	if (s->from && s->to)
		exec_set(x, s->to, &to);
	if (s->of)
		note_recursion(x, near);
	w.near = near;
	w.to = to;
	calls_of(x, &w, t);
}

static void calls_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	out->fn[0] = graph_edge_caller(t->g, r);
	out->fn[1] = graph_edge_callee(t->g, r);
}

const struct source_def source_calls = {
	.name = "calls",
	.rows = "calls",
	.primary = "incl",
	.of = ROWS_CALL,
	COLUMNS(call_list),
	.sorted = true,
	.open = calls_open,
	.subject = calls_subject,
	.caller = {call_caller, 1 + TABLE_EDGE_CALLER},
	.callee = {call_callee, 1 + TABLE_EDGE_CALLEE},
};

/* ---- trees ---- */

struct tree {
	int64_t base;	 /* cost of the top: 100 % of `share` */
	bool on_inlined; /* nothing else is in the set */
	bool of_calls;	 /* level 1 are calls, too */
};

double tree_share(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const struct tree *d = t->data;

	return d->base ? 100.0 * (double)ROW(path_tree_row, t, r)->est / (double)d->base
		       : 0;
}

bool tree_no_share(const struct table *t, uint32_t r)
{
	return tree_inner(t, r) || ((const struct tree *)t->data)->base == 0;
}

double tree_per_call(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const struct path_tree_row *row = ROW(path_tree_row, t, r);

	return row->calls ? (double)row->incl / (double)row->calls : 0;
}

bool tree_is_estimated(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return !ROW(path_tree_row, t, r)->cost.measured;
}

/* Numbers of rows of the table, which may be of two profiles. */
uint64_t tree_under(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const uint32_t up = t->part_of(t, r);

	return up < ROW_UNCOUNTED ? (uint64_t)up + 1 : 0;
}

bool tree_unbounded(const struct table *t, uint32_t r)
{
	return !ROW(path_tree_row, t, r)->cost.bounded || ROW(path_tree_row, t, r)->inner;
}

/* A call from the set into itself does not enter or leave the set. */
bool tree_inner(const struct table *t, uint32_t r)
{
	return ROW(path_tree_row, t, r)->inner;
}

uint64_t tree_self(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const struct path_tree_row *row = ROW(path_tree_row, t, r);

	return (uint64_t)(row->own == PATH_OWN_UNKNOWN
				  ? near_row_own(t->x, t->top.fn, row, t->upward)
				  : row->own);
}

bool tree_no_calls(const struct table *t, uint32_t r)
{
	return ROW(path_tree_row, t, r)->calls == 0;
}

/* Inlined code is entered without a call. */
bool tree_not_called(const struct table *t, uint32_t r)
{
	const struct path_tree_row *row = ROW(path_tree_row, t, r);

	if (!store_counts_calls(t->g->st))
		return true;
	if (!row->calls && !graph_counts_zeros(t->g) &&
	    (row->parent != FLOW_NONE || ((const struct tree *)t->data)->of_calls))
		return true;
	if (row->calls || !t->g->inlined.extra)
		return false;
	if (!t->upward)
		return !graph_calls_known(t->g, row->fn);
	return row->parent == FLOW_NONE
		       ? ((const struct tree *)t->data)->on_inlined
		       : !graph_calls_known(t->g, ROW(path_tree_row, t, row->parent)->fn);
}

/* The columns of trees, by what a narrow screen keeps longer. */
#define TREE_LIST(CALLS, INCL, EST, SHARE)                                            \
	{"depth", BOTH, 10}, {"id", BOTH, 6}, {"calls", BOTH, CALLS},                 \
		{"incl", BOTH, INCL}, {"est", BOTH, EST}, {"lo", SHOW_M, 0},          \
		{"hi", SHOW_M, 0}, {"share%", SHOW_T | HAS_BAR, SHARE},               \
		{"incl/call", SHOW_T, 9}, {"fn", BOTH, 1}, {"file", SHOW_M, 0},       \
		{"obj", SHOW_M, 0}, {"recursive", BOTH, 7}, {"estimated", SHOW_M, 0}, \
		{"self", SHOW_M, 0}, {"cycle", BOTH, 8}, {"row", SHOW_M, 0},          \
		{"under", SHOW_M, 0}, {"class", 0, 0},                                \
	{                                                                             \
		"dir", 0, 0                                                           \
	}
static const struct listed near_list[] = {TREE_LIST(2, 3, 4, 5)};
static const struct listed tree_list[] = {TREE_LIST(4, 5, 2, 3)};

/* Of the costliest of a set; NULL: of all. */
static int64_t costliest(const struct exec *x, const struct fn_set *set)
{
	int64_t most = set ? 0 : graph_total(x->g, x->event);

	for (uint32_t f = set ? fnset_next(set, 0) : FNSET_NONE; f != FNSET_NONE;
	     f = fnset_next(set, f + 1))
		if (graph_incl(x->g, f, x->event) > most)
			most = graph_incl(x->g, f, x->event);
	return most;
}

static double tree_min(const struct exec *x, const struct source *s,
		       const struct fn_set *set)
{
	if (!s->has_min)
		return 0;
	if (s->min_usual)
		return s->min / 100.0 * (double)costliest(x, set);
	return s->min_percent ? s->min / 100.0 * (double)graph_total(x->g, x->event)
			      : s->min;
}

static uint32_t tree_depth_asked(const struct source *s)
{
	if (s->has_depth)
		return s->depth_all || s->depth > UINT32_MAX ? 0 : (uint32_t)s->depth;
	return s->kind == S_CALLTREE ? 0 : 1;
}

/* After stages that estimate, only this is proven: a chain costs no more than any of its
 * functions, and in a span no less than its calls; no more, if all of them are inside. */
static void bound_rows(struct exec *x, struct path_tree *tree)
{
	int64_t *most, proven = 0;

	if (!x->g->marks.estimated)
		return;
	graph_most(x->g, x->event, x->a, &most);
	tree->proven = 0;
	for (size_t i = 0; i < tree->n; i++) {
		struct path_tree_row *r = &tree->rows[i];
		int64_t hi = most[r->fn];

		if (r->parent != FLOW_NONE && tree->rows[r->parent].cost.hi < hi)
			hi = tree->rows[r->parent].cost.hi;
		if (r->least && r->least == r->est &&
		    graph_is_sure(x->g, r->fn, GRAPH_INCL))
			hi = r->est;
		r->cost = path_bounds_between(r->inner ? r->cost.est : (double)r->est,
					      r->least, hi);
		if (r->cost.measured && r->own > 0)
			cost_add(&proven, r->own);
	}
	if (tree->est > 0)
		tree->proven = fmin(1, (double)proven / (double)tree->est);
}

static bool all_measured(const struct path_tree *t)
{
	bool all = true;

	for (size_t i = 0; i < t->n; i++)
		all &= t->rows[i].cost.measured;
	return all;
}

/* Recorded costs of calls may differ from those on the stacks, if times are rounded. */
static void tree_known(struct exec *x, const struct stacks *stacks,
		       struct path_tree_query *q, struct path_tree *tree)
{
	const uint32_t f = q->set ? fnset_next(q->set, 0) : FNSET_NONE;
	int64_t own;

	q->stacks = stacks;
	if (q->set && fnset_count(q->set) == 1 && graph_calls_itself(x->g, f)) {
		own = graph_edge_incl(x->g, graph_edge_between(x->g, f, f), x->event);
		q->itself = &own;
	}
	path_tree(NULL, q, x->a, x->open->cancel, tree);
	for (size_t i = 0; q->of == TREE_CALLS && i < tree->n; i++)
		if (tree->rows[i].depth == 1)
			tree_record_calls(x, q, &tree->rows[i]);
}

/* Parts, and functions apart that a stage made one, sharpen estimates, but what is measured
 * stays as it is. */
static void make_tree(struct exec *x, struct path_tree_query *q, struct path_tree *tree)
{
	uint32_t one = q->set ? fnset_next(q->set, 0) : FNSET_NONE;
	const bool near = q->set && fnset_count(q->set) == 1 && q->depth == 1 &&
			  q->of == TREE_CALLS && !q->avoiding && !x->g->marks.estimated &&
			  graph_members_count(x->g, one) == 1;
	const struct flow *flow;
	struct stacks stacks;
	bool known;

	graph_need_calls(x->g);
	q->uncounted = !store_counts_all(x->g->st);
	exec_stacks(x, &stacks, &known);
	if (known) {
		tree_known(x, &stacks, q, tree);
		return;
	}
	if (q->set && fnset_count(q->set) == 1) {
		if (near) {
			neighbour_rows(x, one, q->up, q->min, tree);
			if (all_measured(tree) ||
			    ((x->unparted || graph_part_count(x->g) < 2) &&
			     (!x->g->merge.group || x->g->merge.member)))
				return;
		}
		q->one = neighbour_inclusive(x, one);
	}
	if (x->g->merge.group) {
		tree_labels(x, q, tree);
		return;
	}
	exec_flow(x, x->g, x->event, &flow);
	exec_parts(x, x->g, flow, &q->parts);
	path_tree(flow, q, x->a, x->open->cancel, tree);
	flow_parts_free(q->parts);
}

void exec_tree(struct exec *x, struct path_tree_query *q, struct path_tree *tree)
{
	make_tree(x, q, tree);
	bound_rows(x, tree);
}

/* A tree of the whole program holds all of its cost, in rows or not: note the cost
 * that no root explains. */
static void note_unrooted(struct exec *x, const struct path_tree *tree)
{
	char lost[32];

	if (tree->unrooted <= tree->est / 1000)
		return;
	str_grouped_signed(tree->unrooted, lost);
	exec_notef(x,
		   "%s of the cost come from no root and are in no row: the calls "
		   "contradict each other",
		   lost);
}

/* Note how much cost the tree leaves out. */
static void note_left_out(struct exec *x, const struct source *s,
			  const struct path_tree *tree)
{
	char rows[32], percent[32];
	double share = tree->est ? 100.0 * (double)tree->left_out / (double)tree->est : 0;

	if (!tree->cut || s->min_usual || share < 0.005)
		return;
	snprintf(percent, sizeof(percent), share < 9.95 ? "%.1f" : "%.0f", share);
	str_grouped(tree->n, rows);
	exec_notef(x,
		   "%s %% of the cost is in calls without a row: the %s costliest "
		   "are listed, max N lists more",
		   percent, rows);
}

/* The cost of a deeper row is part of the row above it.  A call from the set into
 * itself is in no sum. */
static uint32_t tree_part_of(const struct table *t, uint32_t r)
{
	const struct path_tree_row *row = ROW(path_tree_row, t, r);

	_Static_assert((unsigned)FLOW_NONE == (unsigned)ROW_WHOLE, "level 1 is whole");
	return row->inner ? ROW_UNCOUNTED : row->parent;
}

static void tree_query(struct exec *x, const struct source *s, struct path_tree_query *q)
{
	const struct set *of = s->of ? s->of : s->from ? s->from : s->to;
	struct fn_set *set = NULL, *avoiding = NULL;

	if (of)
		exec_set(x, of, &set);
	if (s->avoiding)
		exec_set(x, s->avoiding, &avoiding);
	if (s->has_depth && s->depth == 0 && !s->depth_all)
		exec_fail(x, s->span, "depth 0 asks for nothing: write 1 or more");
	if (s->has_max && s->max == 0)
		exec_fail(x, s->span, "max 0 asks for nothing: write 1 or more");
	*q = (struct path_tree_query){
		.of = s->kind != S_CALLTREE ? TREE_CALLS
		      : of		    ? TREE_FRAMES
					    : TREE_PROGRAM,
		.set = set,
		.avoiding = avoiding,
		.up = s->kind == S_CALLERS || (s->kind == S_CALLTREE && s->to),
		.depth = tree_depth_asked(s),
		/* A row that one side has stays if only the other is below it. */
		.min = x->other ? 0 : tree_min(x, s, set),
		.rows = s->max > x->open->row_limit ? (uint32_t)x->open->row_limit
						    : (uint32_t)s->max,
	};
}

static struct tree_top top_of(const struct exec *x, const struct source *s,
			      const struct path_tree_query *q,
			      const struct path_tree *tree)
{
	const bool one = q->set && fnset_count(q->set) == 1;
	const uint32_t fn = one ? fnset_next(q->set, 0) : GRAPH_NONE;

	return (struct tree_top){
		.name = one		      ? graph_name(x->g, fn)
			: q->of == TREE_CALLS ? exec_text(x, s->of->span)
					      : STR(""),
		.fn = fn,
		.frame = q->of == TREE_FRAMES ? fn : GRAPH_NONE,
		.cost = tree->est ? tree->est : path_units(&tree->base),
		.own = tree->own,
		.fuzzy = !tree->base.measured,
	};
}

static bool all_inlined(const struct graph *g, const struct fn_set *set)
{
	bool all = set != NULL;

	for (uint32_t f = all ? fnset_next(set, 0) : FNSET_NONE; f != FNSET_NONE;
	     f = fnset_next(set, f + 1))
		all &= !graph_calls_known(g, f);
	return all;
}

/* Say why a tree has no rows. */
static void note_no_rows(struct exec *x, const struct source *s, bool up)
{
	const struct set *set = s->of ? s->of : s->from ? s->from : s->to;
	const struct str of = set ? exec_text(x, set->span) : STR("the program");
	const char *const way = up ? "to" : "by";

	if (s->has_min && s->min > 0) {
		exec_notef(x,
			   "no call %s %.*s costs enough for a row: min 0 lists "
			   "all",
			   way, STR_ARG(of));
		return;
	}
	exec_hintf(x, "no call %s %.*s was recorded%s%s", way, STR_ARG(of),
		   s->kind == S_CALLTREE ? " but by itself" : "",
		   up || !x->g->edges ? "" : ": what it costs it spends itself");
}

static void tree_open(struct exec *x, const struct source *s, struct table *t)
{
	struct path_tree_query q;
	struct tree *d = EXEC_ARRAY(x, struct tree, 1);
	struct path_tree *tree = EXEC_ARRAY(x, struct path_tree, 1);

	tree_query(x, s, &q);
	exec_tree(x, &q, tree);
	note_left_out(x, s, tree);
	note_unrooted(x, tree);
	table_init(x, t, t->src, x->g, tree->n);
	*d = (struct tree){.base = path_units(&tree->base),
			   .on_inlined = x->g->inlined.extra && all_inlined(x->g, q.set),
			   .of_calls = q.of == TREE_CALLS ||
				       (q.of == TREE_FRAMES && fnset_count(q.set) == 1)};
	if (!tree->n && !x->other)
		note_no_rows(x, s, q.up);
	t->data = d;
	t->rows = tree->rows;
	t->paths = tree;
	t->part_of = tree_part_of;
	t->tree = true;
	t->top = top_of(x, s, &q, tree);
	t->upward = q.up;
	if (!q.set && x->g->of_whole)
		d->base = graph_total(x->g, x->event);
	t->share_of = d->base;
	t->min_percent = s->has_min && s->min_percent;
	t->min_usual = s->min_usual;
	t->min = tree_min(x, s, q.set);
	if (s->has_min && !s->min_percent && !s->min_unit.kind && t->min >= 1 &&
	    t->min <= 100)
		exec_hintf(x, "min %g is a cost; a share is min %g%%", t->min, t->min);
}

static uint32_t tree_fn(const struct table *t, uint32_t r)
{
	return ROW(path_tree_row, t, r)->fn;
}

#define TREE(var, word, what, names)                      \
	const struct source_def var = {                   \
		.name = word,                             \
		.rows = what,                             \
		.primary = "est",                         \
		.of = ROWS_TREE,                          \
		COLUMNS(names),                           \
		.open = tree_open,                        \
		.fn = tree_fn,                            \
		.subject = fn_subject,                    \
		.row_size = sizeof(struct path_tree_row), \
	}
TREE(source_callers, "callers", "callers", near_list);
TREE(source_callees, "callees", "callees", near_list);
TREE(source_calltree, "calltree", "rows", tree_list);
