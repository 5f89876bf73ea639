/*
 * tree_fold.c - fold the rows of a tree by groups; see tree_fold.h.
 *
 * Rows are in preorder.  at[r] is the folded row of row r: the folded row of its parent
 * if both are in one group, else the child of that with r's group.  The places of inlined
 * code (graph_join()) are one function of the table, but no such group: a function that
 * calls itself stays below itself.
 */
#include "engine/sources/tree_fold.h"

#include <stdlib.h>

#include "engine/graph/flow_parts.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/fnset.h"
#include "engine/sources/fold_bounds.h"
#include "engine/sources/neighbours.h"
#include "engine/sources/source.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

void exec_parts(struct exec *x, struct graph *g, const struct flow *whole,
		struct flow_parts **out)
{
	*out = NULL;
	if (!(x->unparted))
		flow_parts_new(g, whole, x->event, x->a, out);
}

#define TOP UINT32_MAX

struct folded {
	uint32_t fn, parent, depth;
	uint32_t part;	      /* w->part[] of its rows */
	uint32_t first, next; /* first child, next sibling: 1 + row; 0: none */
	int64_t est, own, incl;
	uint64_t calls;
	int64_t lo, hi; /* the sums of those of its rows, if all are `bounded` */
	uint32_t row;	/* 1 + its number among the rows listed; 0: it is not */
	uint32_t place; /* fold_bounds.h */
	bool inner, bounded;
};

struct folding {
	struct exec *x;
	const struct path_tree_query *q;
	struct graph *base;
	uint32_t *group; /* [functions of base]: function of x->g */
	uint32_t *part;	 /* [functions of base]: function of the graph before the join */
	bool merges;	 /* rows below each other may become one */
	struct path_tree tree;
	const struct flow *flow; /* of x->g */
	struct folded *rows;
	uint32_t n, top;
	uint32_t *at;		       /* [tree.n] */
	uint8_t *how;		       /* [tree.n]: enum path_folded */
	uint32_t *slot, slots;	       /* 1 + row, by (parent, fn) */
	bool cut;		       /* more rows than are asked for */
	struct path_tree_query grown;  /* of the base */
	const struct flow *grown_flow; /* of the base */
	struct fold_bounds *contexts;  /* NULL: bounds are by calls between groups */
};

/* Find the graph below all merging stages, and the group of each of its functions. */
static void find_base(struct folding *w)
{
	struct exec *x = w->x;

	for (w->base = x->g; w->base->group;)
		w->base = w->base->below;
	w->group = EXEC_ARRAY(x, uint32_t, (size_t)w->base->functions + 1);
	w->part = EXEC_ARRAY(x, uint32_t, (size_t)w->base->functions + 1);
	w->merges = !x->g->apart || x->g->apart->group;
	for (uint32_t f = 0; f < w->base->functions; f++) {
		w->group[f] = graph_merged(x->g, w->base, f, &(bool){false});
		w->part[f] = !x->g->apart ? w->group[f]
			     : !w->merges ? f
					  : graph_merged(x->g->apart, w->base, f,
							 &(bool){false});
	}
}

/* Grow the tree over the functions of the base; depth and min apply to the folded
 * rows. */
static void grow_base(struct folding *w)
{
	struct exec base = *w->x, *x = &base; /* asks the graph below */
	struct path_tree_query q = *w->q;
	const bool one = q.set && fnset_count(q.set) == 1;
	const bool frames = q.of == TREE_FRAMES && !q.up && !one;

	q.min = 0;
	q.rows = w->q->rows > PATH_TREE_ROWS ? w->q->rows : PATH_TREE_ROWS;
	graph_members_of(x->g, w->base, w->q->set, frames, x->a, &q.set);
	graph_members_of(x->g, w->base, w->q->set, true, x->a, &q.entry);
	graph_members_of(x->g, w->base, w->q->avoiding, false, x->a, &q.avoiding);
	graph_event(w->base, x->event);
	if (w->merges)
		q.depth = 0; /* chains become shorter */
	base.g = w->base;
	q.as_one = one && fnset_count(q.set) > 1;
	if (q.set && fnset_count(q.set) == 1)
		q.one = neighbour_inclusive(x, fnset_next(q.set, 0));
	exec_flow(x, w->base, x->event, &w->grown_flow);
	exec_parts(x, x->g, w->grown_flow, &q.parts);
	path_tree(w->grown_flow, &q, x->a, x->open->cancel, &w->tree);
	flow_parts_free(q.parts);
	w->grown = q;
}

/* Bounds by contexts, if x->g only joins these to functions. */
static void know_contexts(struct folding *w)
{
	const struct fold_tree of = {w->x, w->base,   w->grown_flow, w->group,
				     w->q, &w->grown, &w->tree};

	if (w->x->g->member && w->x->g->below == w->base)
		fold_bounds_new(&of, &w->contexts);
}

/* ---- folding ---- */

static uint32_t *fold_slot(struct folding *w, uint32_t parent, uint32_t fn)
{
	uint64_t h = ((uint64_t)parent << 32 | fn) * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(h >> 32 ^ h >> 16) & (w->slots - 1);

	while (w->slot[i] && (w->rows[w->slot[i] - 1].parent != parent ||
			      w->rows[w->slot[i] - 1].fn != fn))
		i = (i + 1) & (w->slots - 1);
	return &w->slot[i];
}

/* Is the row part of the folded row of its parent? */
static bool same_group(const struct folding *w, uint32_t parent,
		       const struct path_tree_row *row)
{
	return parent != TOP && w->merges && w->rows[parent].part == w->part[row->fn];
}

static void fold_row(struct folding *w, uint32_t r)
{
	const struct path_tree_row *row = &w->tree.rows[r];
	uint32_t parent = row->parent == FLOW_NONE ? TOP : w->at[row->parent];
	uint32_t fn = w->group[row->fn], *slot;
	struct folded *to;

	if (!row->inner && same_group(w, parent, row)) {
		w->at[r] = parent;
		cost_add(&w->rows[parent].own, row->own);
		return;
	}
	slot = fold_slot(w, parent, fn);
	if (!*slot) {
		w->rows[w->n] = (struct folded){
			.fn = fn,
			.part = w->part[row->fn],
			.parent = parent,
			.depth = parent == TOP ? 1 : w->rows[parent].depth + 1,
			.inner = row->inner,
			.bounded = true};
		*slot = ++w->n;
	}
	w->at[r] = *slot - 1;
	to = &w->rows[w->at[r]];
	cost_add(&to->est, row->est);
	cost_add(&to->own, row->own);
	cost_add(&to->lo, row->cost.lo);
	cost_add(&to->hi, row->cost.hi);
	to->bounded &= row->cost.bounded;
	w->how[r] = FOLD_ENTERS;
}

static void tree_fold_add_call(const struct folding *w, struct folded *r, uint32_t edge)
{
	struct store_edge e;

	graph_edge(w->x->g, edge, &e);
	count_add(&r->calls, e.calls);
	cost_add(&r->incl, graph_edge_incl(w->x->g, edge, w->x->event));
}

/* Add the recorded costs of the call from `from` to `to`. */
static void tree_fold_add_calls(const struct folding *w, struct folded *r, uint32_t from,
				uint32_t to)
{
	const uint32_t edge = graph_edge_between(w->x->g, from, to);

	if (edge != GRAPH_NONE)
		tree_fold_add_call(w, r, edge);
}

/* Add the recorded costs of all calls between r and the set: of it (up) or by it. */
static void add_calls_of_set(const struct folding *w, struct folded *r,
			     const struct fn_set *set)
{
	const struct graph *g = w->x->g;
	uint32_t first = 0, n;

	if (w->q->up)
		graph_callees(g, r->fn, &first, &n);
	else
		n = graph_caller_count(g, r->fn);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t edge = w->q->up ? first + i : graph_caller(g, r->fn, i);

		if (fnset_has(set, w->q->up ? g->callee[edge] : g->caller[edge]))
			tree_fold_add_call(w, r, edge);
	}
}

/* Add the recorded costs between a row and its parent.  A root, or a member of the set
 * at the top of the tree, has no calls and its own cost. */
static void record(const struct folding *w, struct folded *r)
{
	const struct fn_set *set = w->q->set;
	bool up = w->q->up;
	bool one = set && (w->q->of == TREE_CALLS || fnset_count(set) == 1);

	if (r->parent != TOP) {
		uint32_t parent = w->rows[r->parent].fn;

		tree_fold_add_calls(w, r, up ? r->fn : parent, up ? parent : r->fn);
		return;
	}
	if (one)
		add_calls_of_set(w, r, set);
	else if (set)
		r->incl = graph_incl(w->x->g, r->fn, w->x->event);
	else
		r->incl = r->est;
}

static int folded_by_cost(const void *x, const void *y)
{
	const struct folded *a = *(const struct folded *const *)x,
			    *b = *(const struct folded *const *)y;
	int c = cost_order(b->est, a->est);

	c = c ? c : order_u64(a->depth, b->depth); /* before what is below it */
	return c ? c : order_u64(a->fn, b->fn);
}

static bool listed(const struct folding *w, const struct folded *r)
{
	return (!w->q->depth || r->depth <= w->q->depth) &&
	       !path_under_min((double)cost_size(r->inner ? r->incl : r->est), w->q->min);
}

/* Link siblings from the back: the costliest come first. */
static void link_rows(struct folding *w)
{
	struct folded **by = EXEC_ARRAY(w->x, struct folded *, (size_t)w->n + 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		record(w, &w->rows[i]);
		if (listed(w, &w->rows[i]))
			by[n++] = &w->rows[i];
		exec_poll(w->x);
	}
	qsort(by, n, sizeof(struct folded *), folded_by_cost);
	if (w->q->rows && n > w->q->rows) {
		n = w->q->rows;
		w->cut = true;
	}
	while (n-- > 0) {
		uint32_t *first =
			by[n]->parent == TOP ? &w->top : &w->rows[by[n]->parent].first;

		by[n]->next = *first;
		*first = (uint32_t)(by[n] - w->rows) + 1;
	}
}

/* The rows before folding prove more: the lower bound from the rows that are there, the
 * upper bound if none is missing. */
static struct path_bounds closer(const struct folding *w, const struct folded *r,
				 struct path_bounds b)
{
	const bool all = !w->tree.cut && !w->tree.missing;

	if (!r->bounded || (!all && !b.bounded))
		return b;
	return path_bounds_of((double)r->est, b.bounded && b.lo > r->lo ? b.lo : r->lo,
			      !all || (b.bounded && b.hi < r->hi) ? b.hi : r->hi, true);
}

/* Bounds follow the calls between groups; calls inside a group do not count. */
static struct path_bounds bounds_of(const struct folding *w, const struct folded *r,
				    const struct path_bounds *up, uint32_t from)
{
	const struct flow *fl = w->flow;
	int64_t passing;
	struct path_bounds b;

	if (r->inner)
		return path_bounds_exact(r->incl);
	if (from == GRAPH_NONE && w->q->of == TREE_FRAMES)
		return closer(w, r,
			      path_bounds_of((double)r->est, 0, fl->passing[r->fn],
					     !fl->odd[r->fn]));
	if (from == GRAPH_NONE)
		return closer(w, r,
			      path_bounds_of((double)r->est, 0,
					     r->incl > r->est ? r->incl : r->est,
					     r->incl > 0));
	passing = fl->passing[from];
	for (uint32_t i = fl->in.out_first[from];
	     w->merges && i < fl->in.out_first[from + 1]; i++)
		if (fl->in.callee[i] == from && fl->in.incl[i] <= passing)
			passing -= fl->in.incl[i];
	b = path_bounds_next(*up, r->incl, 0, passing, fl->odd[from]);
	if (b.bounded && b.lo > r->est)
		b.lo = r->est;
	if (b.bounded && b.hi < r->est)
		b.hi = r->est;
	return closer(w, r, path_bounds_of((double)r->est, b.lo, b.hi, b.bounded));
}

/* ---- bounds by contexts ---- */

/* Find the places of the rows below i (0: the top), which are `first` and its siblings. */
static int place_rows(struct folding *w, uint32_t i, uint32_t first)
{
	struct folded *rows = w->rows;
	uint32_t n = 0, *fn, *place, from = i ? rows[i - 1].place : 0;

	if (!i) {
		for (; first; first = rows[first - 1].next)
			fold_start(w->contexts, rows[first - 1].fn,
				   &rows[first - 1].place);
		return 0;
	}
	for (uint32_t k = first; k; k = rows[k - 1].next)
		n++;
	fn = EXEC_ARRAY(w->x, uint32_t, (size_t)n + 1);
	place = EXEC_ARRAY(w->x, uint32_t, (size_t)n + 1);
	n = 0;
	for (uint32_t k = first; k; k = rows[k - 1].next)
		fn[n++] = rows[k - 1].fn;
	if (fold_below(w->contexts, from, fn, n, place))
		return w->x->err->kind;
	n = 0;
	for (uint32_t k = first; k; k = rows[k - 1].next)
		rows[k - 1].place = place[n++];
	exec_poll(w->x);
	return 0;
}

/* No more than the row above, and than its function. */
static struct path_bounds bounds_of_places(const struct folding *w,
					   const struct folded *r,
					   const struct path_bounds *up)
{
	struct path_bounds b = fold_cost(w->contexts, r->place);
	int64_t lo, hi;

	if (r->inner)
		return path_bounds_exact(r->incl);
	if (!b.bounded)
		return path_bounds_of((double)r->est, 0, r->incl, false);
	graph_incl_bounds(w->x->g, r->fn, w->x->event, &lo, &hi);
	hi = hi < b.hi ? hi : b.hi;
	hi = up->bounded && up->hi < hi ? up->hi : hi;
	hi = hi < r->est ? r->est : hi;
	lo = b.lo > hi ? hi : b.lo;
	return path_bounds_of((double)r->est, lo > r->est ? r->est : lo, hi, true);
}

static struct path_bounds cost_of_row(const struct folding *w, const struct folded *r,
				      const struct path_bounds *up, uint32_t from)
{
	return w->contexts ? bounds_of_places(w, r, up) : bounds_of(w, r, up, from);
}

static int put_folded_rows(struct folding *w, struct path_tree *t)
{
	uint32_t *depth = EXEC_ARRAY(w->x, uint32_t, (size_t)w->n + 2);
	uint32_t *on_path = EXEC_ARRAY(w->x, uint32_t, (size_t)w->x->g->functions + 1);
	const struct fn_set *set = w->q->set;
	uint32_t one = set && fnset_count(set) == 1 ? fnset_next(set, 0) : GRAPH_NONE;

	t->rows = EXEC_ARRAY(w->x, struct path_tree_row, (size_t)w->n + 1);
	if ((w->contexts && place_rows(w, 0, w->top)))
		return w->x->err->kind;
	for (uint32_t i = w->top; i;) {
		struct folded *r = &w->rows[i - 1];
		uint32_t up = r->depth > 1 ? depth[r->depth - 1] : FLOW_NONE;

		t->rows[t->n] = (struct path_tree_row){
			.depth = r->depth,
			.fn = r->fn,
			.parent = up,
			.calls = r->calls,
			.incl = r->incl,
			.est = r->inner ? 0 : r->est,
			.own = r->inner ? 0 : r->own,
			.recursive = (set && fnset_has(set, r->fn)) || on_path[r->fn],
			.inner = r->inner,
		};
		t->rows[t->n].cost =
			cost_of_row(w, r, up == FLOW_NONE ? &t->base : &t->rows[up].cost,
				    up == FLOW_NONE ? one : t->rows[up].fn);
		if (w->contexts && r->first && place_rows(w, i, r->first))
			return w->x->err->kind;
		cost_subtract(&t->left_out, t->rows[t->n].own);
		depth[r->depth] = (uint32_t)t->n++;
		r->row = (uint32_t)t->n;
		if (r->first) {
			on_path[r->fn]++;
			i = r->first;
			continue;
		}
		while (i && !w->rows[i - 1].next) {
			i = w->rows[i - 1].parent == TOP ? 0 : w->rows[i - 1].parent + 1;
			if (i)
				on_path[w->rows[i - 1].fn]--;
		}
		i = i ? w->rows[i - 1].next : 0;
	}
	return 0;
}

/* Keep which rows became which, for pictures. */
static void keep_fold(struct folding *w, struct path_tree *t)
{
	struct path_fold *f = EXEC_ARRAY(w->x, struct path_fold, 1);
	struct path_tree *tree = EXEC_ARRAY(w->x, struct path_tree, 1);

	for (uint32_t r = 0; r < w->tree.n; r++) {
		uint32_t at = w->at[r];

		if (at != TOP && !w->rows[at].row && !w->rows[at].inner)
			w->how[r] |= FOLD_UNLISTED;
		while (at != TOP && !w->rows[at].row)
			at = w->rows[at].parent;
		w->at[r] = at == TOP ? (uint32_t)t->n : w->rows[at].row - 1;
	}
	*tree = w->tree;
	*f = (struct path_fold){tree, w->x->a, w->at, w->how, w->group};
	t->folded = f;
}

int tree_fold(struct exec *x, const struct path_tree_query *q, struct path_tree *out)
{
	struct folding w = {.x = x, .q = q, .slots = 1024};
	struct path_tree t = {0};

	find_base(&w);
	grow_base(&w);
	exec_flow(x, x->g, x->event, &w.flow);
	while (w.slots < 2 * w.tree.n + 2)
		w.slots *= 2;
	w.slot = EXEC_ARRAY(x, uint32_t, w.slots);
	w.at = EXEC_ARRAY(x, uint32_t, w.tree.n + 1);
	w.rows = EXEC_ARRAY(x, struct folded, w.tree.n + 1);
	w.how = EXEC_ARRAY(x, uint8_t, w.tree.n + 1);
	for (uint32_t r = 0; r < w.tree.n; r++)
		fold_row(&w, r);
	link_rows(&w);
	know_contexts(&w);
	t.base = w.tree.base;
	if (q->set && fnset_count(q->set) == 1)
		t.base = neighbour_inclusive(x, fnset_next(q->set, 0));
	t.est = w.tree.est;
	t.proven = w.tree.proven;
	t.own = w.tree.own;
	t.left_out = cost_difference(t.est, t.own);
	/* A row that the query asks for may be missing: all that is in none is not less. */
	t.cut = w.cut || (w.tree.cut && (double)t.left_out >= q->min);
	if (put_folded_rows(&w, &t))
		return x->err->kind;
	if (!q->depth && !(q->min > 0))
		keep_fold(&w, &t);
	*out = t;
	return 0;
}
