/*
 * source_edge.c - calls, and the trees callers, callees, calltree.
 *
 * A row of calls is the number of an edge.  Trees come from path_tree(): costs that the
 * profile does not determine to the unit are estimated, and flagged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph_stage.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/graph/flow_parts.h"
#include "engine/sources/footer.h"
#include "engine/path/known.h"
#include "engine/sources/neighbours.h"
#include "engine/path/path.h"
#include "engine/sources/source.h"
#include "engine/sources/tree_fold.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- calls ---- */

static uint64_t call_caller(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return graph_id(t->g, graph_edge_caller(t->g, r));
}

static uint64_t call_callee(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return graph_id(t->g, graph_edge_callee(t->g, r));
}

static uint64_t call_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return graph_edge_calls(t->g, r);
}

/* Inlined code is entered without a call. */
static bool call_not_counted(const struct table *t, uint32_t r)
{
	return !graph_calls_known(t->g, graph_edge_callee(t->g, r));
}

static uint64_t call_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return graph_edge_incl(t->g, r, e);
}

static uint64_t call_recursive(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return graph_edge_in_cycle(t->g, r);
}

static uint64_t call_caller_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return fn_activations(t->g, graph_edge_caller(t->g, r));
}

static struct str call_caller_name(const struct table *t, uint32_t r)
{
	return graph_name(t->g, graph_edge_caller(t->g, r));
}

static struct str call_callee_name(const struct table *t, uint32_t r)
{
	return graph_name(t->g, graph_edge_callee(t->g, r));
}

static struct str call_caller_file(const struct table *t, uint32_t r)
{
	return graph_file(t->g, graph_edge_caller(t->g, r));
}

static struct str call_callee_file(const struct table *t, uint32_t r)
{
	return graph_file(t->g, graph_edge_callee(t->g, r));
}

static bool call_estimated(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return !graph_call_is_sure(t->g, r);
}

/* Read what column `of` has for the functions in column `end` of the calls. */
static void read_of_end(const struct table *t, enum store_column end,
			enum store_column of, uint32_t *out)
{
	store_read_u32(t->g->st, end, t->ref, t->first, t->n, out);
	store_read_u32(t->g->st, of, out, 0, t->n, out);
}

static void caller_files(const struct table *t, uint32_t *out)
{
	read_of_end(t, STORE_EDGE_CALLER, STORE_FN_FILE, out);
}

static void callee_files(const struct table *t, uint32_t *out)
{
	read_of_end(t, STORE_EDGE_CALLEE, STORE_FN_FILE, out);
}

static void caller_names(const struct table *t, uint32_t *out)
{
	read_of_end(t, STORE_EDGE_CALLER, STORE_FN_NAME, out);
}

static void callee_names(const struct table *t, uint32_t *out)
{
	read_of_end(t, STORE_EDGE_CALLEE, STORE_FN_NAME, out);
}

static const struct col_def call_cols[] = {
	{"caller_id", COL_ID, SHOW_M, .u = call_caller},
	{"callee_id", COL_ID, SHOW_M, .u = call_callee},
	{"calls", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = call_calls,
	 .absent = call_not_counted, .present = calls_present,
	 .stored = 1 + STORE_EDGE_CALLS},
	{"incl", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = call_incl,
	 .estimated = call_estimated, .exact = graph_exact,
	 .stored = 1 + STORE_EDGE_INCL},
	{"incl%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR, .u = NULL},
	{"caller", COL_NAME, SHOW_M | SHOW_T, .s = call_caller_name, .dict = DICT_NAME,
	 .codes = caller_names},
	{"callee", COL_NAME, SHOW_M | SHOW_T, .s = call_callee_name, .dict = DICT_NAME,
	 .codes = callee_names},
	{"caller_file", COL_FILE, SHOW_M, .s = call_caller_file, .dict = DICT_FILE,
	 .codes = caller_files},
	{"callee_file", COL_FILE, SHOW_M, .s = call_callee_file, .dict = DICT_FILE,
	 .codes = callee_files},
	{"recursive", COL_BOOL, SHOW_M, .u = call_recursive},
	{"caller_calls", COL_COUNT, 0, .u = call_caller_calls},
};

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The edges out of members, and into them from outside. */
static uint32_t edges_of(const struct graph *g, const struct fn_set *set, uint32_t f,
			 uint32_t *ref)
{
	uint32_t first, n, k = 0;

	graph_callees(g, f, &first, &n);
	for (; k < n; k++)
		ref[k] = first + k;
	for (uint32_t i = 0, in = graph_caller_count(g, f); i < in; i++) {
		struct store_edge e;
		uint32_t id = graph_caller(g, f, i);

		graph_edge(g, id, &e);
		if (!fnset_has(set, e.caller))
			ref[k++] = id;
	}
	return k;
}

/* Make the edges ref[0..n-1] the rows, in their order. */
static int calls_rows(struct exec *x, struct table *t, uint32_t *ref, uint32_t n)
{
	qsort(ref, n, sizeof(*ref), by_number);
	if (table_init(x, t, &source_calls, x->g, n))
		return x->err->kind;
	t->ref = ref;
	return 0;
}

static int calls_of(struct exec *x, const struct fn_set *set, struct table *t)
{
	size_t most = 1;
	uint32_t n = 0, *ref;

	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE;
	     f = fnset_next(set, f + 1)) {
		uint32_t first, out;

		graph_callees(x->g, f, &first, &out);
		most += (size_t)out + graph_caller_count(x->g, f);
	}
	if (!(ref = EXEC_ARRAY(x, uint32_t, most)))
		return x->err->kind;
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE;
	     f = fnset_next(set, f + 1)) {
		n += edges_of(x->g, set, f, ref + n);
		if (exec_poll(x))
			return x->err->kind;
	}
	return calls_rows(x, t, ref, n);
}

/* The edges of f, out of it or (up) into it, whose other end is in `other`. */
static uint32_t edges_between(const struct graph *g, uint32_t f, bool up,
			      const struct fn_set *other, uint32_t *ref)
{
	uint32_t first = 0, n, k = 0;
	struct store_edge e;

	if (up)
		n = graph_caller_count(g, f);
	else
		graph_callees(g, f, &first, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = up ? graph_caller(g, f, i) : first + i;

		graph_edge(g, id, &e);
		if (!other || fnset_has(other, up ? e.caller : e.callee))
			ref[k++] = id;
	}
	return k;
}

/* calls from A to B; one of them may be missing. */
static int calls_between(struct exec *x, const struct source *s, struct table *t)
{
	struct fn_set *from = NULL, *to = NULL, *near;
	const bool up = !s->from;
	uint32_t n = 0, *ref;
	size_t most = 1;

	if ((s->from && exec_set(x, s->from, &from)) ||
	    (s->to && exec_set(x, s->to, &to)))
		return x->err->kind;
	near = up ? to : from;
	for (uint32_t f = fnset_next(near, 0); f != FNSET_NONE;
	     f = fnset_next(near, f + 1)) {
		uint32_t first, out = 0;

		if (!up)
			graph_callees(x->g, f, &first, &out);
		most += up ? graph_caller_count(x->g, f) : out;
	}
	if (!(ref = EXEC_ARRAY(x, uint32_t, most)))
		return x->err->kind;
	for (uint32_t f = fnset_next(near, 0); f != FNSET_NONE;
	     f = fnset_next(near, f + 1)) {
		n += edges_between(x->g, f, up, up ? NULL : to, ref + n);
		if (exec_poll(x))
			return x->err->kind;
	}
	return calls_rows(x, t, ref, n);
}

static int calls_open(struct exec *x, const struct source *s, struct table *t)
{
	struct fn_set *set;

	if (s->from || s->to)
		return calls_between(x, s, t);
	if (!s->of)
		return table_init(x, t, &source_calls, x->g, x->g->edges);
	return exec_set(x, s->of, &set) ? x->err->kind : calls_of(x, set, t);
}

static void calls_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	out->fn[0] = graph_edge_caller(t->g, r);
	out->fn[1] = graph_edge_callee(t->g, r);
}

const struct source_def source_calls = {
	"calls", "calls",    "incl", call_cols,	    COUNT(call_cols),
	true,	 calls_open, NULL,   calls_subject,
};

/* ---- trees ---- */

struct tree {
	const struct path_tree_row *rows;
	uint64_t base; /* cost of the top: 100 % of `share` */
	size_t n;
	uint32_t top;	 /* the only function that frames lie on, or GRAPH_NONE */
	bool on_inlined; /* nothing else is in the set */
};

static const struct path_tree_row *tree_row(const struct table *t, uint32_t r)
{
	return &((const struct tree *)t->data)->rows[r];
}

static uint64_t tree_depth(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return tree_row(t, r)->depth;
}

static uint64_t tree_id(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return graph_id(t->g, tree_row(t, r)->fn);
}

static uint64_t tree_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return tree_row(t, r)->calls;
}

static uint64_t tree_incl(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return tree_row(t, r)->incl;
}

static uint64_t tree_est(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return tree_row(t, r)->est;
}

static uint64_t tree_lo(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return tree_row(t, r)->cost.lo;
}

static uint64_t tree_hi(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return tree_row(t, r)->cost.hi;
}

static double tree_share(const struct table *t, uint32_t r, uint32_t e)
{
	const struct tree *d = t->data;

	return d->base ? 100.0 * (double)tree_est(t, r, e) / (double)d->base : 0;
}

static double tree_per_call(const struct table *t, uint32_t r, uint32_t e)
{
	const struct path_tree_row *row = tree_row(t, r);

	(void)e;
	return row->calls ? (double)row->incl / (double)row->calls : 0;
}

static uint64_t tree_recursive(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return tree_row(t, r)->recursive;
}

static bool tree_is_estimated(const struct table *t, uint32_t r, uint32_t e)
{
	const struct path_tree_row *row = tree_row(t, r);

	(void)e;
	return t->g->estimated || !row->cost.measured;
}

static uint64_t tree_estimated(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return tree_is_estimated(t, r, e);
}

static bool tree_unbounded(const struct table *t, uint32_t r)
{
	return !tree_row(t, r)->cost.bounded || tree_row(t, r)->inner;
}

/* A call from the set into itself does not enter or leave the set. */
static bool tree_inner(const struct table *t, uint32_t r)
{
	return tree_row(t, r)->inner;
}

static uint64_t tree_self(const struct table *t, uint32_t r, uint32_t e)
{
	const struct path_tree_row *row = tree_row(t, r);

	(void)e;
	return row->own == PATH_OWN_UNKNOWN ? near_own(t->x, row->fn, t->upward, row->est)
					    : row->own;
}

static uint64_t tree_cycle(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return graph_cycle(t->g, tree_row(t, r)->fn);
}

static bool tree_no_cycle(const struct table *t, uint32_t r)
{
	return tree_cycle(t, r, 0) == 0;
}

static bool tree_no_calls(const struct table *t, uint32_t r)
{
	return tree_row(t, r)->calls == 0;
}

/* Inlined code is entered without a call. */
static bool tree_not_called(const struct table *t, uint32_t r)
{
	const struct path_tree_row *row = tree_row(t, r);

	if (row->calls || !t->g->extra)
		return false;
	if (!t->upward)
		return !graph_calls_known(t->g, row->fn);
	return row->parent == FLOW_NONE
		       ? ((const struct tree *)t->data)->on_inlined
		       : !graph_calls_known(t->g, tree_row(t, row->parent)->fn);
}

static struct str tree_name(const struct table *t, uint32_t r)
{
	return graph_name(t->g, tree_row(t, r)->fn);
}

static struct str tree_file(const struct table *t, uint32_t r)
{
	return graph_file(t->g, tree_row(t, r)->fn);
}

static struct str tree_obj(const struct table *t, uint32_t r)
{
	return graph_obj(t->g, tree_row(t, r)->fn);
}

static struct str tree_class(const struct table *t, uint32_t r)
{
	return graph_class_shown(t->g, tree_row(t, r)->fn);
}

static struct str tree_dir(const struct table *t, uint32_t r)
{
	return graph_dir_of(tree_file(t, r));
}

static const struct col_def tree_cols[] = {
	{"depth", COL_COUNT, SHOW_M | SHOW_T, .u = tree_depth},
	{"id", COL_ID, SHOW_M | SHOW_T, .u = tree_id},
	{"calls", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP | AT_TOP, .u = tree_calls,
	 .absent = tree_not_called},
	{"incl", COL_COST, SHOW_M | SHOW_T | ADDS_UP | AT_TOP, .u = tree_incl},
	{"est", COL_COST, SHOW_M | SHOW_T | ADDS_UP, .u = tree_est,
	 .estimated = tree_is_estimated, .absent = tree_inner},
	{"lo", COL_COST, SHOW_M, .u = tree_lo, .absent = tree_unbounded},
	{"hi", COL_COST, SHOW_M, .u = tree_hi, .absent = tree_unbounded},
	{"share%", COL_PERCENT, SHOW_T | HAS_BAR, .f = tree_share,
	 .estimated = tree_is_estimated, .absent = tree_inner},
	{"incl/call", COL_RATIO, SHOW_T | IS_COST, .f = tree_per_call,
	 .absent = tree_no_calls},
	{"fn", COL_NAME, SHOW_M | SHOW_T, .s = tree_name},
	{"file", COL_FILE, SHOW_M, .s = tree_file},
	{"obj", COL_OBJ, SHOW_M, .s = tree_obj},
	{"recursive", COL_BOOL, SHOW_M | SHOW_T, .u = tree_recursive},
	{"estimated", COL_BOOL, SHOW_M, .u = tree_estimated},
	{"self", COL_COST, SHOW_M, .u = tree_self, .estimated = tree_is_estimated,
	 .absent = tree_inner},
	{"cycle", COL_ID, SHOW_M | SHOW_T, .u = tree_cycle, .absent = tree_no_cycle},
	{"class", COL_NAME, 0, .s = tree_class},
	{"dir", COL_FILE, 0, .s = tree_dir},
};

static double tree_min(const struct exec *x, const struct source *s)
{
	if (!s->has_min)
		return 0;
	return s->min_percent ? s->min / 100.0 * (double)graph_total(x->g, x->event)
			      : s->min;
}

static uint32_t tree_depth_asked(const struct source *s)
{
	if (s->has_depth)
		return s->depth_all || s->depth > UINT32_MAX ? 0 : (uint32_t)s->depth;
	return s->kind == S_CALLTREE ? 0 : 1;
}

int exec_tree(struct exec *x, struct path_tree_query *q, struct path_tree *tree)
{
	uint32_t one = q->set ? fnset_next(q->set, 0) : FNSET_NONE;
	const bool near = q->set && fnset_count(q->set) == 1 && q->depth == 1 &&
			  q->of == TREE_CALLS && !q->avoiding;
	const struct flow *flow;
	struct stacks stacks;
	bool known;

	if (exec_stacks(x, &stacks, &known))
		return x->err->kind;
	if (known)
		return near ? neighbour_known(x, &stacks, one, q->up, q->min, tree)
			    : known_tree(&stacks, q, x->a, x->open->cancel, tree, x->err);
	if (q->set && fnset_count(q->set) == 1) {
		if (near)
			return neighbour_rows(x, one, q->up, q->min, tree);
		q->one = neighbour_inclusive(x, one);
	}
	if (x->g->group)
		return tree_fold(x, q, tree);
	if (exec_flow(x, x->g, x->event, &flow) || exec_parts(x, x->g, flow, &q->parts))
		return x->err->kind;
	if (path_tree(flow, q, x->a, x->open->cancel, tree, x->err)) {
		flow_parts_free(q->parts);
		return x->err->kind;
	}
	flow_parts_free(q->parts);
	return 0;
}

/* A tree of the whole program holds all of its cost, in rows or not: note the cost
 * that no root explains. */
static int note_unrooted(struct exec *x, const struct path_tree *tree)
{
	char lost[32];

	if (tree->unrooted <= tree->est / 1000)
		return 0;
	str_grouped(tree->unrooted, lost);
	return exec_note(x, arena_printf(x->a,
					 "%s of the cost come from no root and are in no "
					 "row: the calls contradict each other",
					 lost));
}

/* Note how much cost the tree leaves out. */
static int note_left_out(struct exec *x, const struct path_tree *tree)
{
	char rows[32], percent[32];
	double share = tree->est ? 100.0 * (double)tree->left_out / (double)tree->est : 0;

	if (!tree->cut || share < 0.005)
		return 0;
	snprintf(percent, sizeof(percent), share < 9.95 ? "%.1f" : "%.0f", share);
	str_grouped(tree->n, rows);
	return exec_note(
		x, arena_printf(x->a,
				"%s %% of the cost is in no row: the %s costliest are "
				"listed, max N lists more",
				percent, rows));
}

static struct str span_text(const struct exec *x, struct span s)
{
	bool here = s.len && s.at + s.len <= x->text.n;

	return here ? (struct str){x->text.p + s.at, s.len} : STR("(set)");
}

/* The cost of a deeper row is part of the row above it.  A call from the set into
 * itself is in no sum. */
static uint32_t tree_part_of(const struct table *t, uint32_t r)
{
	const struct path_tree_row *row = tree_row(t, r);

	_Static_assert((unsigned)FLOW_NONE == (unsigned)ROW_WHOLE, "level 1 is whole");
	return row->inner ? ROW_UNCOUNTED : row->parent;
}

static int tree_query(struct exec *x, const struct source *s, struct path_tree_query *q)
{
	const struct set *of = s->of ? s->of : s->from ? s->from : s->to;
	struct fn_set *set = NULL, *avoiding = NULL;

	if ((of && exec_set(x, of, &set)) ||
	    (s->avoiding && exec_set(x, s->avoiding, &avoiding)))
		return x->err->kind;
	if (s->has_depth && s->depth == 0 && !s->depth_all)
		return exec_fail(x, s->span, "depth 0 asks for nothing: write 1 or more");
	if (s->has_max && s->max == 0)
		return exec_fail(x, s->span, "max 0 asks for nothing: write 1 or more");
	*q = (struct path_tree_query){
		.of = s->kind != S_CALLTREE ? TREE_CALLS
		      : of		    ? TREE_FRAMES
					    : TREE_PROGRAM,
		.set = set,
		.avoiding = avoiding,
		.up = s->kind == S_CALLERS || (s->kind == S_CALLTREE && s->to),
		.depth = tree_depth_asked(s),
		/* A row that one side has stays if only the other is below it. */
		.min = x->other ? 0 : tree_min(x, s),
		.rows = s->max > x->open->row_limit ? (uint32_t)x->open->row_limit
						    : (uint32_t)s->max,
	};
	return 0;
}

/* The name of the top; empty: the rows of level 1 are frames of their own. */
static struct str root_name(const struct exec *x, const struct source *s,
			    const struct path_tree_query *q)
{
	if (q->set && fnset_count(q->set) == 1)
		return graph_name(x->g, fnset_next(q->set, 0));
	return q->of == TREE_CALLS ? span_text(x, s->of->span) : STR("");
}

static bool all_inlined(const struct graph *g, const struct fn_set *set)
{
	bool all = set != NULL;

	for (uint32_t f = all ? fnset_next(set, 0) : FNSET_NONE; f != FNSET_NONE;
	     f = fnset_next(set, f + 1))
		all &= !graph_calls_known(g, f);
	return all;
}

static int note_no_calls(struct exec *x, const struct source *s, bool up)
{
	struct str of = span_text(x, s->of->span);

	return exec_hint(x, arena_printf(x->a, "no call %s %.*s was recorded",
					 up ? "to" : "by", STR_ARG(of)));
}

static int tree_open(struct exec *x, const struct source *s, struct table *t)
{
	struct path_tree_query q;
	struct tree *d = EXEC_ARRAY(x, struct tree, 1);
	struct path_tree *tree = EXEC_ARRAY(x, struct path_tree, 1);

	if (!d || !tree || tree_query(x, s, &q) || exec_tree(x, &q, tree) ||
	    note_left_out(x, tree) || note_unrooted(x, tree) ||
	    table_init(x, t, t->src, x->g, tree->n))
		return x->err->kind;
	*d = (struct tree){.rows = tree->rows,
			   .base = path_units(&tree->base),
			   .n = tree->n,
			   .top = GRAPH_NONE,
			   .on_inlined = x->g->extra && all_inlined(x->g, q.set)};
	if (q.of == TREE_FRAMES && fnset_count(q.set) == 1)
		d->top = fnset_next(q.set, 0);
	if (!tree->n && q.of == TREE_CALLS && !s->has_min && !x->other &&
	    note_no_calls(x, s, q.up))
		return x->err->kind;
	t->data = d;
	t->paths = tree;
	t->part_of = tree_part_of;
	t->tree = true;
	t->root_fuzzy = !tree->base.measured;
	t->root_cost = tree->est ? tree->est : d->base;
	t->root_own = tree->own;
	t->root_name = root_name(x, s, &q);
	t->root_fn = d->top;
	t->upward = q.up;
	t->share_of = d->base;
	t->min_percent = s->has_min && s->min_percent;
	t->min = tree_min(x, s);
	return 0;
}

static uint32_t tree_fn(const struct table *t, uint32_t r)
{
	return tree_row(t, r)->fn;
}

static void tree_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	out->fn[0] = tree_row(t, r)->fn;
}

#define TREE(var, name, rows)                                              \
	const struct source_def var = {                                    \
		name,  rows,	  "est",   tree_cols,	 COUNT(tree_cols), \
		false, tree_open, tree_fn, tree_subject,                   \
	}
TREE(source_callers, "callers", "callers");
TREE(source_callees, "callees", "callees");
TREE(source_calltree, "calltree", "rows");
