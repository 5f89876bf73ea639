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

void tree_reserve(struct arena *a, void *pp, size_t *cap, uint32_t n, size_t size)
{
	need_grow(a, pp, cap, n, (size_t)n + 1, size);
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

static void push_node(struct growing *g, uint32_t node, double cost)
{
	tree_reserve(g->arena, &g->heap, &g->heap_cap, g->nheap, sizeof(*g->heap));
	waiting_push(g->heap, g->nheap++, (struct waiting){cost, node}, g);
}

/* ---- nodes ---- */

/* Find or make the node of fn below parent; only parts can have made it before. */
static void child(struct growing *g, uint32_t parent, uint32_t fn, uint32_t edge,
		  uint32_t *out)
{
	const uint32_t h = (uint32_t)hash_mix((uint64_t)parent << 32 | fn);
	uint32_t probe = hash_start(&g->by, h);

	while ((*out = hash_next(&g->by, h, &probe)) != HASH_NONE)
		if (g->nodes[*out].parent == parent && g->nodes[*out].fn == fn)
			return;
	if (g->shown && hash_add(&g->by, h, g->n))
		need_memory(g->arena);
	tree_reserve(g->arena, &g->nodes, &g->cap, g->n, sizeof(*g->nodes));
	*out = g->n++;
	g->nodes[*out] = (struct node){.fn = fn,
				       .parent = parent,
				       .edge = edge,
				       .depth = g->nodes[parent].depth + 1};
}

/* Half a unit rounds to a row of 0. */
static bool may_grow(const struct growing *g, const struct node *x)
{
	return x->fn != FLOW_NONE && (!g->q->depth || x->depth < g->q->depth) &&
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

static bool is_call_of_set(const struct growing *g, const struct node *x)
{
	return g->q->of == TREE_CALLS && x->parent == TREE_TOP && x->edge == FLOW_NONE;
}

/* The pairs of f with all calls of it by the set (up: by it of the set). */
static double *mix_ways(const struct growing *g, const struct flow *fl, uint32_t f,
			const double *pair)
{
	const struct flow_input *in = &fl->in;
	const uint32_t *first = g->q->up ? in->out_first : in->in_first;
	const size_t columns = pairs_out(fl, f), n = g->q->up ? pairs_in(fl, f) : columns;
	double *sum = NEED_ARRAY(g->arena, double, n);

	for (uint32_t k = first[f]; k < first[f + 1]; k++) {
		const size_t way = k - first[f];

		if (!g->in_set[g->q->up ? in->callee[k] : in->caller[in->in_edge[k]]])
			continue;
		for (size_t j = 0; j < n; j++)
			sum[j] += pair[g->q->up ? j * columns + way : way * columns + j];
	}
	return sum;
}

/* Pairs (pairs.h) of a function say which way out follows which way in: a matrix with a row
 * for each way in and a column for each way out, and one of each for cost that begins or
 * stays here.  Down, the node reads the row of its call; up, the column. */
static void find_split(const struct growing *g, const struct flow *fl, uint32_t node,
		       struct node_split *s)
{
	const struct node *x = &g->nodes[node];
	const uint32_t f = x->fn, edge = x->edge;
	const bool start = edge == FLOW_NONE, call = is_call_of_set(g, x);
	size_t columns, n;

	*s = (struct node_split){0};
	if (!fl->pairs || (start && !call &&
			   (node == TREE_TOP || g->q->up || g->q->of != TREE_PROGRAM)))
		return;
	pairs_of(fl, f, &s->pair);
	if (!s->pair)
		return;
	columns = pairs_out(fl, f);
	n = g->q->up ? pairs_in(fl, f) : columns;
	s->step = g->q->up && !call ? columns : 1;
	if (call)
		s->pair = mix_ways(g, fl, f, s->pair);
	else if (g->q->up)
		s->pair += edge - fl->in.out_first[f];
	else
		s->pair +=
			(start ? pairs_in(fl, f) - 1 : pairs_way_in(fl, edge)) * columns;
	for (size_t k = 0; k < n; k++)
		s->sum += s->pair[k * s->step];
	if (!(s->sum > 0))
		s->pair = NULL;
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

/* Pairs are asked for where a tree ends only if it is one level deep: they take long. */
double tree_rest_own(const struct growing *g, uint32_t node)
{
	const struct node *x = &g->nodes[node];
	const struct calls c = tree_calls(g, x->fn);
	struct node_split s = {0};
	double through;

	if (!g->shown && is_call_of_set(g, x))
		find_split(g, g->fl, node, &s);
	if (s.pair)
		return x->rest * s.pair[(c.end - c.first) * s.step] / s.sum;
	through = tree_unshown_through(g, node, x->fn);
	return through > 0 ? x->rest * tree_unshown_own(g, x->fn) / through : 0;
}

/* Give `cost` more to a node; of a part, that alone decides whether it is worth more rows. */
static void add_cost(struct growing *g, uint32_t node, double cost, bool of_part)
{
	struct node x;

	g->nodes[node].est += cost;
	g->nodes[node].rest += cost;
	x = g->nodes[node];
	x.est = of_part ? cost : x.est;
	if (may_grow(g, &x))
		push_node(g, node, of_part ? cost : x.rest);
}

/* Split `cost` of a node along the calls of a part, or all that is left of it along the
 * calls that no part has shown. */
static void expand(struct growing *g, const struct flow *fl, uint32_t node, double cost)
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
		return;
	if ((part || !g->shown))
		find_split(g, fl, node, &s);
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
		if (!left_out(g, node, i)) {
			child(g, node, to, i, &child_node);
			add_cost(g, child_node, some, part);
		}
	}
}

/* Make nodes 1 .. starts.n of the starts, with their cost if `whole`, else without. */
static void put_starts(struct growing *g, bool whole)
{
	struct node *top;
	uint32_t to;

	tree_reserve(g->arena, &g->nodes, &g->cap, 0, sizeof(*g->nodes));
	g->n = 1;
	top = &g->nodes[TREE_TOP];
	*top = (struct node){.fn = g->one, .edge = FLOW_NONE, .parent = FLOW_NONE};
	if (whole) {
		top->est = g->starts.est;
		top->rest = g->one == FLOW_NONE ? 0 : top->est;
		top->own = g->starts.own;
	}
	for (uint32_t k = 0; k < g->starts.n; k++) {
		child(g, TREE_TOP, g->starts.all[k].fn, FLOW_NONE, &to);
		if (!whole || g->starts.all[k].inner)
			continue;
		add_cost(g, to, g->starts.all[k].est, false);
	}
	if (whole && g->one != FLOW_NONE)
		push_node(g, TREE_TOP, g->nodes[TREE_TOP].rest);
}

/* ---- the parts of a profile ---- */

/* Add the starts of a part to the nodes that earlier parts have made. */
static void put_part_starts(struct growing *g, const struct starts *s)
{
	uint32_t to;

	g->nodes[TREE_TOP].est += s->est;
	if (g->one != FLOW_NONE) {
		g->nodes[TREE_TOP].rest += s->est;
		push_node(g, TREE_TOP, s->est);
		return;
	}
	g->nodes[TREE_TOP].own += s->own;
	for (uint32_t k = 0; k < s->n; k++) {
		struct node *x;

		if (s->all[k].inner)
			continue;
		child(g, TREE_TOP, s->all[k].fn, FLOW_NONE, &to);
		x = &g->nodes[to];
		x->est += s->all[k].est;
		x->rest += s->all[k].est;
		if (may_grow(g, x))
			push_node(g, to, s->all[k].est);
	}
}

/* Expand the costliest nodes with the calls of one part.  What is left in the heap is
 * dropped: its costs are in `rest` of the nodes. */
static void grow_part(struct growing *g, const struct flow *fl, struct arena *scratch,
		      uint32_t most)
{
	struct starts s;

	arena_reset(scratch);
	tree_starts(g, fl, scratch, &s);
	put_part_starts(g, &s);
	for (uint32_t k = 0; g->nheap && k < most; k++) {
		struct waiting w = waiting_pop(g->heap, --g->nheap, g);

		expand(g, fl, w.node, w.cost);
	}
	g->nheap = 0;
}

/* The cost that the parts left unsplit waits for the remaining calls. */
static void grow_parts(struct growing *g)
{
	uint32_t parts = flow_parts_count(g->q->parts), most = PARTS_NODES / parts;
	const struct flow *fl;
	struct arena *scratch;

	most = most > PART_NODES ? PART_NODES : most;
	most = most < PART_NODES_LEAST ? PART_NODES_LEAST : most;
	g->shown_own = NEED_ARRAY(g->arena, double, (size_t)g->fl->in.functions + 1);
	g->shown = NEED_ARRAY(g->arena, double, (size_t)g->fl->in.edges + 1);
	put_starts(g, false);
	scratch = need_scratch(g->arena);
	flow_parts_rewind(g->q->parts);
	for (;;) {
		flow_parts_next(g->q->parts, &fl);
		if (!fl)
			break;
		grow_part(g, fl, scratch, most);
	}
	scratch_free(scratch);
	for (uint32_t i = 0; i < g->n; i++)
		if (g->nodes[i].rest >= 0.5 && may_grow(g, &g->nodes[i]))
			push_node(g, i, g->nodes[i].rest);
}

/* ---- */

static void prepare_tree(struct growing *g)
{
	const struct path_tree_query *q = g->q;
	uint32_t first = q->set ? fnset_next(q->set, 0) : FNSET_NONE;

	g->in_set = chain_marks(g->fl, q->set, g->arena);
	g->avoided = chain_marks(g->fl, q->avoiding, g->arena);
	g->one = first != FNSET_NONE && fnset_next(q->set, first + 1) == FNSET_NONE
			 ? first
			 : FLOW_NONE;
	tree_starts(g, g->fl, g->arena, &g->starts);
	if (g->one != FLOW_NONE && !g->counted)
		tree_add_own_call(g);
	tree_sum_top(g);
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
	if (g->one != FLOW_NONE || g->q->as_one)
		return path_bounds_of(g->q->one.measured ? g->q->one.est : est,
				      g->q->one.lo, g->q->one.hi, g->q->one.bounded);
	return path_bounds_of(est, 0, INT64_MAX, false);
}

void path_tree(const struct flow *fl, const struct path_tree_query *q, struct arena *a,
	       const struct cancel *cancel, struct path_tree *out)
{
	struct growing *g = NEED_NEW(a, struct growing);
	struct path_tree_query *asked = NEED_NEW(a, struct path_tree_query);
	struct path_tree t = {0};

	*asked = *q;
	*g = (struct growing){.fl = fl,
			      .q = asked,
			      .arena = a,
			      .cancel = cancel,
			      .by = {.arena = a},
			      .most = q->rows ? q->rows : PATH_TREE_ROWS};
	if (q->of == TREE_FRAMES && (q->as_one || fnset_count(q->set) == 1)) {
		asked->of = TREE_CALLS;
		g->counted = true;
	}
	prepare_tree(g);
	if (q->parts)
		grow_parts(g);
	else
		put_starts(g, true);
	for (uint32_t k = 0; g->nheap && k <= g->most; k++) {
		if (k % POLL == 0)
			need_time(cancel);
		const uint32_t node = waiting_pop(g->heap, --g->nheap, g).node;

		expand(g, fl, node, g->nodes[node].rest);
	}
	t.cut = g->nheap > 0;
	t.base = base_bounds(g);
	if (q->of == TREE_PROGRAM) {
		t.unrooted = path_rounded(t.base.est - g->nodes[TREE_TOP].est);
		g->nodes[TREE_TOP].est = t.base.est;
	}
	tree_rows(g, &t);
	tree_proven(g, &t);
	/* Cost that the query itself leaves out is no part of the answer. */
	if (!q->depth && !(q->min > 0))
		t.grown = g;
	*out = t;
}
