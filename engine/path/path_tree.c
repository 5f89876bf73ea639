/*
 * path_tree.c - trees of callers and callees with their share of cost; see path.h.
 *
 * A node is a chain of functions from the top of the tree.  To expand it is to split its
 * cost over the calls that go on from its function, in either direction:
 *
 *	down	[top ... f] -> h	est(.. f h) = est(.. f) * R(f -> h) / T(f)
 *	up	g -> [f ... top]	est(g f ..) = est(f ..) * R(g -> f) / T(f)
 *
 * A heap gives the node with the most cost that is not split yet, so that the rows kept
 * are the costliest.
 *
 * For a profile of many parts, the tree is the sum of the trees of the parts.  Each part
 * expands its costliest nodes by its own calls, all in one tree, and their cost is taken
 * out of the flow.  The remaining calls are those that no part has shown: the unsplit
 * cost of the nodes goes on along them.  So the frames of each function still add up to
 * its self cost.
 */

#include "engine/flow/chain.h"
#include "engine/flow/pairs.h"
#include "engine/names/fnset.h"
#include "engine/path/path_tree_in.h"
#include "index/base/need.h"
#include "index/base/cancel.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/heap.h"

enum {
	POLL = 256, /* nodes between two polls of cancel */
	/* Nodes that each part may expand, at most and at least; and all parts together. */
	PART_NODES = 10000,
	PART_NODES_LEAST = 40,
	PARTS_NODES = 1000000,
};

int tree_full(struct growing *g)
{
	return arena_full(g->arena, g->err);
}

int tree_reserve(struct growing *g, struct arena *a, void *pp, size_t *cap, uint32_t n,
		 size_t size)
{
	return arena_grow(a, pp, cap, n, (size_t)n + 1, size) ? tree_full(g) : 0;
}

/* The cost that stays at f: its self cost or, in a tree of callers, the cost that no
 * call brought. */
static double own_cost(const struct growing *g, const struct flow *fl, uint32_t f)
{
	return g->q->up ? fl->root[f] : (double)fl->in.self[f];
}

/* ---- heap: the most on top ---- */

/* Of equal costs the older node first, so that equal trees have equal rows. */
static bool above(const struct growing *unused, const struct waiting *a,
		  const struct waiting *b)
{
	(void)unused;
	return a->cost != b->cost ? a->cost > b->cost : a->node < b->node;
}

HEAP(waiting, struct waiting, const struct growing *, above)

static int push_node(struct growing *g, uint32_t node, double cost)
{
	if (tree_reserve(g, g->arena, &g->heap, &g->heap_cap, g->nheap, sizeof(*g->heap)))
		return -1;
	waiting_push(g->heap, g->nheap++, (struct waiting){cost, node}, g);
	return 0;
}

/* ---- nodes ---- */

/* Find or make the node of fn below parent; only parts can have made it before. */
static int child(struct growing *g, uint32_t parent, uint32_t fn, uint32_t edge,
		 uint32_t *out)
{
	const uint32_t h = (uint32_t)hash_mix((uint64_t)parent << 32 | fn);
	uint32_t probe = hash_start(&g->by, h);
	const struct node *up;

	while ((*out = hash_next(&g->by, h, &probe)) != HASH_NONE)
		if (g->nodes[*out].parent == parent && g->nodes[*out].fn == fn)
			return 0;
	if (g->shown && hash_add(&g->by, h, g->n))
		return tree_full(g);
	if (tree_reserve(g, g->arena, &g->nodes, &g->cap, g->n, sizeof(*g->nodes)))
		return -1;
	*out = g->n++;
	up = &g->nodes[parent];
	g->nodes[*out] = (struct node){
		.fn = fn,
		.parent = parent,
		.edge = edge,
		.depth = up->depth + 1,
		.run = up->run + (g->q->one_top && up->run == up->depth && up->run < 63 &&
				  fn != FLOW_NONE && fnset_has(g->q->set, fn))};
	return 0;
}

/* Half a unit rounds to a row of 0; frames of the top count for no depth. */
static bool may_grow(const struct growing *g, const struct node *x)
{
	return x->fn != FLOW_NONE && (!g->q->depth || x->depth < g->q->depth + x->run) &&
	       x->est >= 0.5 && !path_under_min(x->est, g->q->min);
}

/* Edge i leads out of the tree. */
static bool left_out(const struct growing *g, uint32_t node, uint32_t i)
{
	uint32_t to = tree_other_end(g, i);

	return g->avoided[to] ||
	       (node == TREE_TOP && g->q->of == TREE_CALLS && to == g->one);
}

/* Without the calls of the top by itself. */
static double through_at(const struct growing *g, const struct flow *fl, uint32_t node,
			 uint32_t f)
{
	double through = fl->through[f];

	if (node != TREE_TOP || g->q->of != TREE_CALLS)
		return through;
	for (uint32_t i = fl->in.out_first[f]; i < fl->in.out_first[f + 1]; i++)
		if (fl->in.callee[i] == f)
			through -= flow_cost(fl, i);
	return through;
}

/* How the cost of a node goes on: in proportion to the costs of calls or, if it is known
 * by which call it came, of the pairs with that. */
struct node_split {
	const double *pair; /* NULL: in proportion */
	size_t step;
	double sum; /* of the pairs */
};

/* Pairs (pairs.h) of a function say which way out follows which way in: a matrix with a row
 * for each way in and a column for each way out, and one of each for cost that begins or
 * stays here.  Down, the node reads the row of its call; up, the column. */
static int find_split(struct growing *g, const struct flow *fl, uint32_t node,
		      struct node_split *s)
{
	const struct node *x = &g->nodes[node];
	const uint32_t f = x->fn, edge = x->edge;
	size_t columns, n;

	*s = (struct node_split){0};
	if (!fl->pairs || (edge == FLOW_NONE &&
			   (node == TREE_TOP || g->q->up || g->q->of != TREE_PROGRAM)))
		return 0;
	if (pairs_of(fl, f, &s->pair, g->err))
		return -1;
	if (!s->pair)
		return 0;
	columns = pairs_out(fl, f);
	n = g->q->up ? pairs_in(fl, f) : columns;
	s->step = g->q->up ? columns : 1;
	s->pair += g->q->up	       ? edge - fl->in.out_first[f]
		   : edge == FLOW_NONE ? (pairs_in(fl, f) - 1) * columns
				       : pairs_way_in(fl, edge) * columns;
	for (size_t k = 0; k < n; k++)
		s->sum += s->pair[k * s->step];
	if (!(s->sum > 0))
		s->pair = NULL;
	return 0;
}

/* The cost of edge i that no part has shown. */
double tree_unshown(const struct growing *g, uint32_t i)
{
	double cost = flow_cost(g->fl, i);

	if (!g->shown)
		return cost;
	cost -= g->shown[i];
	return cost > 0 ? cost : 0;
}

double tree_unshown_own(const struct growing *g, uint32_t f)
{
	const double all = own_cost(g, g->fl, f);
	const double own = all - (g->shown_own ? g->shown_own[f] : 0);

	return (own > 0) == (all > 0) ? own : 0;
}

double tree_unshown_through(const struct growing *g, uint32_t node, uint32_t f)
{
	struct calls c = tree_calls(g, f);
	double sum;

	if (!g->shown)
		return through_at(g, g->fl, node, f);
	sum = tree_unshown_own(g, f);
	for (uint32_t k = c.first; k < c.end; k++)
		if (node != TREE_TOP || g->q->of != TREE_CALLS ||
		    tree_other_end(g, tree_edge(g, k)) != f)
			sum += tree_unshown(g, tree_edge(g, k));
	return sum;
}

/* Give `cost` more to a node; of a part, that alone decides whether it is worth more rows. */
static int add_cost(struct growing *g, uint32_t node, double cost, bool of_part)
{
	struct node x;

	g->nodes[node].est += cost;
	g->nodes[node].rest += cost;
	x = g->nodes[node];
	x.est = of_part ? cost : x.est;
	return may_grow(g, &x) ? push_node(g, node, of_part ? cost : x.rest) : 0;
}

/* Split `cost` of a node along the calls of a part, or all that is left of it along the
 * calls that no part has shown. */
static int expand(struct growing *g, const struct flow *fl, uint32_t node, double cost)
{
	const bool part = fl != g->fl;
	const uint32_t f = g->nodes[node].fn;
	struct calls c = tree_calls(g, f);
	double through = part ? through_at(g, fl, node, f)
			      : tree_unshown_through(g, node, f),
	       share, own;
	struct node_split s = {0};
	uint32_t child_node;

	if (!(cost > 0) || !(through > 0))
		return 0;
	if ((part || !g->shown) && find_split(g, fl, node, &s))
		return -1;
	share = cost / (s.pair ? s.sum : through);
	own = share * (s.pair ? s.pair[(c.end - c.first) * s.step]
		       : part ? own_cost(g, fl, f)
			      : tree_unshown_own(g, f));
	g->nodes[node].own += own;
	g->nodes[node].rest = part ? g->nodes[node].rest - cost : 0;
	if (part)
		g->shown_own[f] += own;
	for (uint32_t k = c.first; k < c.end; k++) {
		const uint32_t i = tree_edge(g, k), to = tree_other_end(g, i);
		const double some = share * (s.pair ? s.pair[(k - c.first) * s.step]
					     : part ? flow_cost(fl, i)
						    : tree_unshown(g, i));

		/* All calls of the top are rows. */
		if (!(some > 0) && (part || node != TREE_TOP))
			continue;
		if (part && (node != TREE_TOP || to != f))
			g->shown[i] += some;
		if (!left_out(g, node, i) && (child(g, node, to, i, &child_node) ||
					      add_cost(g, child_node, some, part)))
			return -1;
	}
	return 0;
}

/* Make nodes 1 .. starts.n of the starts, with their cost if `whole`, else without. */
static int put_starts(struct growing *g, bool whole)
{
	struct node *top;
	uint32_t to;

	if (tree_reserve(g, g->arena, &g->nodes, &g->cap, 0, sizeof(*g->nodes)))
		return -1;
	g->n = 1;
	top = &g->nodes[TREE_TOP];
	*top = (struct node){.fn = g->one, .edge = FLOW_NONE, .parent = FLOW_NONE};
	if (whole) {
		top->est = g->starts.est;
		top->rest = g->one == FLOW_NONE ? 0 : top->est;
		top->own = g->starts.own;
	}
	for (uint32_t k = 0; k < g->starts.n; k++) {
		if (child(g, TREE_TOP, g->starts.all[k].fn, FLOW_NONE, &to))
			return -1;
		if (!whole || g->starts.all[k].inner)
			continue;
		if (add_cost(g, to, g->starts.all[k].est, false))
			return -1;
	}
	return whole && g->one != FLOW_NONE
		       ? push_node(g, TREE_TOP, g->nodes[TREE_TOP].rest)
		       : 0;
}

/* ---- the parts of a profile ---- */

/* Add the starts of a part to the nodes that earlier parts have made. */
static int put_part_starts(struct growing *g, const struct starts *s)
{
	uint32_t to;

	g->nodes[TREE_TOP].est += s->est;
	if (g->one != FLOW_NONE) {
		g->nodes[TREE_TOP].rest += s->est;
		return push_node(g, TREE_TOP, s->est);
	}
	g->nodes[TREE_TOP].own += s->own;
	for (uint32_t k = 0; k < s->n; k++) {
		struct node *x;

		if (s->all[k].inner)
			continue;
		if (child(g, TREE_TOP, s->all[k].fn, FLOW_NONE, &to))
			return -1;
		x = &g->nodes[to];
		x->est += s->all[k].est;
		x->rest += s->all[k].est;
		if (may_grow(g, x) && push_node(g, to, s->all[k].est))
			return -1;
	}
	return 0;
}

/* Expand the costliest nodes with the calls of one part.  What is left in the heap is
 * dropped: its costs are in `rest` of the nodes. */
static int grow_part(struct growing *g, const struct flow *fl, struct arena *scratch,
		     uint32_t most)
{
	struct starts s;

	arena_reset(scratch);
	if (tree_starts(g, fl, scratch, &s) || put_part_starts(g, &s))
		return -1;
	for (uint32_t k = 0; g->nheap && k < most; k++) {
		struct waiting w = waiting_pop(g->heap, --g->nheap, g);

		if (expand(g, fl, w.node, w.cost))
			return -1;
	}
	g->nheap = 0;
	return 0;
}

/* The cost that the parts left unsplit waits for the remaining calls. */
static int grow_parts(struct growing *g)
{
	uint32_t parts = flow_parts_count(g->q->parts), most = PARTS_NODES / parts;
	const struct flow *fl;
	struct arena *scratch;
	int rc;

	most = most > PART_NODES ? PART_NODES : most;
	most = most < PART_NODES_LEAST ? PART_NODES_LEAST : most;
	g->shown_own = ARENA_ARRAY(g->arena, double, (size_t)g->fl->in.functions + 1);
	g->shown = ARENA_ARRAY(g->arena, double, (size_t)g->fl->in.edges + 1);
	if (!g->shown_own || !g->shown || put_starts(g, false))
		return tree_full(g);
	scratch = need_scratch(g->arena);
	flow_parts_rewind(g->q->parts);
	do {
		rc = flow_parts_next(g->q->parts, &fl, g->err);
		if (!rc && fl)
			rc = grow_part(g, fl, scratch, most);
	} while (!rc && fl);
	scratch_free(scratch);
	for (uint32_t i = 0; !rc && i < g->n; i++)
		if (g->nodes[i].rest >= 0.5 && may_grow(g, &g->nodes[i]))
			rc = push_node(g, i, g->nodes[i].rest);
	return rc;
}

/* ---- */

static int prepare_tree(struct growing *g)
{
	const struct path_tree_query *q = g->q;
	uint32_t first = q->set ? fnset_next(q->set, 0) : FNSET_NONE;

	g->in_set = chain_marks(g->fl, q->set, g->arena);
	g->avoided = chain_marks(g->fl, q->avoiding, g->arena);
	if (!g->in_set || !g->avoided)
		return tree_full(g);
	g->one = first != FNSET_NONE && fnset_next(q->set, first + 1) == FNSET_NONE
			 ? first
			 : FLOW_NONE;
	if (tree_starts(g, g->fl, g->arena, &g->starts))
		return -1;
	return g->one == FLOW_NONE ? 0 : tree_add_own_call(g);
}

/* All cost of the program.  Its roots have this, unless calls contradict each other by
 * orders of magnitude: the cost that no root explains is then in no row. */
static struct path_bounds program_bounds(const struct flow *fl)
{
	int64_t total = 0;

	for (uint32_t f = 0; f < fl->in.functions; f++)
		cost_add(&total, fl->in.self[f]);
	return fl->mixed ? path_bounds_of((double)total, 0, INT64_MAX, false)
			 : path_bounds_exact(total);
}

static struct path_bounds base_bounds(const struct growing *g)
{
	double est = g->nodes[TREE_TOP].est;

	if (g->q->of == TREE_PROGRAM)
		return program_bounds(g->fl);
	if (g->one != FLOW_NONE)
		return path_bounds_of(g->q->one.measured ? g->q->one.est : est,
				      g->q->one.lo, g->q->one.hi, g->q->one.bounded);
	return path_bounds_of(est, 0, INT64_MAX, false);
}

int path_tree(const struct flow *fl, const struct path_tree_query *q, struct arena *a,
	      const struct cancel *cancel, struct path_tree *out, struct err *err)
{
	struct growing *g = ARENA_NEW(a, struct growing);
	struct path_tree_query *asked = ARENA_NEW(a, struct path_tree_query);
	struct path_tree t = {0};

	if (!g || !asked)
		return arena_full(a, err);
	*asked = *q;
	*g = (struct growing){.fl = fl,
			      .q = asked,
			      .arena = a,
			      .cancel = cancel,
			      .err = err,
			      .by = {.arena = a},
			      .most = q->rows ? q->rows : PATH_TREE_ROWS};
	if (prepare_tree(g) || (q->parts ? grow_parts(g) : put_starts(g, true)))
		return err->kind;
	for (uint32_t k = 0; g->nheap && k <= g->most; k++) {
		if (k % POLL == 0 && cancel_poll(cancel, err))
			return err->kind;
		const uint32_t node = waiting_pop(g->heap, --g->nheap, g).node;

		if (expand(g, fl, node, g->nodes[node].rest))
			return err->kind;
	}
	t.cut = g->nheap > 0;
	t.base = base_bounds(g);
	if (q->of == TREE_PROGRAM) {
		t.unrooted = path_rounded(t.base.est - g->nodes[TREE_TOP].est);
		g->nodes[TREE_TOP].est = t.base.est;
	}
	if (tree_rows(g, &t) || tree_proven(g, &t))
		return err->kind;
	/* Cost that the query itself leaves out is no part of the answer. */
	if (!q->depth && !(q->min > 0))
		t.grown = g;
	*out = t;
	return 0;
}
