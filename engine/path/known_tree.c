/*
 * known_tree.c - the tree of callers or callees over known stacks; see known.h.
 *
 * A node is a chain of functions, and has a list of all vertices whose stacks read so (of a
 * tree of callers: the vertices that are so far above those of the set).  To expand it is to
 * sort the vertices one further by function:
 *
 *	node f: v3 v9		calls of v3: g h, of v9: g
 *	  node f;g: v4 v10
 *	  node f;h: v5
 *
 * The costliest node is expanded first, until there are as many nodes as rows are wanted.
 */
#include "engine/flow/flow.h"
#include "engine/names/fnset.h"
#include "engine/path/known.h"
#include "engine/path/known_other.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/err_struct.h"
#include "index/base/heap.h"
#include "index/base/sort.h"

#include <string.h>

enum { POLL = 256 };
enum { TOP = 0, NO_ROW = UINT32_MAX };

/* Of a vertex: its function is in the set; no member is above it; or, if the set counts as
 * one, nothing but members is between them and it; it is where cost enters the set. */
enum { MEMBER = 1, OUTERMOST = 2, JOINED = 4, ENTRY = 8 };

static void grow(struct known_growing *g, void *pp, size_t *cap, size_t need, size_t size)
{
	need_grow(g->a, pp, cap, *cap, need, size);
}

/* ---- heap ---- */

/* Of nodes of equal size the older one first, so that equal trees have equal rows. */
static bool above(const struct known_growing *unused, const struct known_waiting *a,
		  const struct known_waiting *b)
{
	(void)unused;
	return a->size != b->size ? a->size > b->size : a->node < b->node;
}

HEAP(waiting, struct known_waiting, const struct known_growing *, above)

static void push(struct known_growing *g, uint32_t node)
{
	const struct known_waiting x = {g->node[node].size, node};

	grow(g, &g->heap, &g->heap_cap, g->heaped + 1, sizeof(*g->heap));
	waiting_push(g->heap, g->heaped++, x, g);
}

/* ---- nodes ---- */

static bool avoided(const struct known_growing *g, uint32_t f)
{
	return g->q.avoiding && fnset_has(g->q.avoiding, f);
}

/* The child of fn below a node, while its children are being made. */
static struct known_node *child(struct known_growing *g, uint32_t parent, uint32_t fn)
{
	if (!g->slot[fn]) {
		grow(g, &g->node, &g->node_cap, g->nodes + 1, sizeof(*g->node));
		g->node[g->nodes++] = (struct known_node){
			.fn = fn, .parent = parent, .depth = g->node[parent].depth + 1};
		g->slot[fn] = (uint32_t)g->nodes;
	}
	return &g->node[g->slot[fn] - 1];
}

/* A vertex one further than vertex v of a node, which brings `cost`. */
struct tree_step {
	uint32_t v;
	uint64_t calls;
	int64_t cost, own, size;
};
typedef void each_step(struct known_growing *g, uint32_t node, const struct tree_step *s);

/* The cost that stays at a vertex: what it spends itself or, in a tree of callers, what
 * begins there, as nothing calls it. */
static int64_t own_of(const struct known_growing *g, uint32_t v, int64_t cost)
{
	return !g->q.up ? g->s.self[v] : g->s.caller[v] == FLOW_NONE ? cost : 0;
}

/* One step up from each vertex of a node: its caller, with the cost that it counts there. */
static void steps_up(struct known_growing *g, uint32_t node, each_step *each)
{
	for (size_t i = 0; i < g->node[node].n; i++) {
		const size_t at = g->node[node].first + i;
		const uint32_t v = g->vertex[at], up = g->s.caller[v];
		const int64_t cost = g->cost[at];
		struct tree_step s = {up, g->s.calls[v], cost, 0, g->sized[at]};

		if (up == FLOW_NONE || avoided(g, g->s.fn[up]))
			continue;
		s.own = own_of(g, up, cost);
		each(g, node, &s);
	}
}

/* One step down: all calls of each vertex.  Calls of a set that counts as one into itself
 * are no rows of level 1. */
static void steps_down(struct known_growing *g, uint32_t node, each_step *each)
{
	const struct stacks *s = &g->s;

	for (size_t i = 0; i < g->node[node].n; i++) {
		const uint32_t v = g->vertex[g->node[node].first + i];

		for (uint32_t k = s->out_first[v]; k < s->out_first[v + 1]; k++) {
			const uint32_t to = s->out[k];
			const struct tree_step t = {to, s->calls[to], s->incl[to],
						    s->self[to], g->size[to]};

			if (avoided(g, s->fn[to]) ||
			    (node == TOP && g->member[to] & JOINED))
				continue;
			each(g, node, &t);
		}
	}
}

/* From the top, which is no frame, to its own vertices: the roots of the program, or the
 * members of a set of several functions. */
static void steps_at_top(struct known_growing *g, each_step *each)
{
	for (uint32_t i = 0, n = g->node[TOP].n; i < n; i++) {
		const uint32_t v = g->vertex[i];
		const int64_t cost = g->q.up ? g->cost[i] : g->s.incl[v];
		const struct tree_step s = {v, 0, cost, own_of(g, v, cost),
					    g->q.up ? g->sized[i] : g->size[v]};

		if (!avoided(g, g->s.fn[v]))
			each(g, TOP, &s);
	}
}

static void steps(struct known_growing *g, uint32_t node, each_step *each)
{
	if (node == TOP && g->frames) {
		steps_at_top(g, each);
		return;
	}
	if (g->q.up)
		steps_up(g, node, each);
	else
		steps_down(g, node, each);
}

static void count_step(struct known_growing *g, uint32_t node, const struct tree_step *s)
{
	struct known_node *to = child(g, node, g->s.fn[s->v]);

	to->n++;
	cost_add(&to->est, s->cost);
	cost_add(&to->own, s->own);
	cost_add(&to->size, s->size);
	count_add(&to->calls, s->calls);
}

static void put_step(struct known_growing *g, uint32_t node, const struct tree_step *s)
{
	struct known_node *to = child(g, node, g->s.fn[s->v]);
	const size_t at = to->first + to->n++;

	g->vertex[at] = s->v;
	if (g->q.up) {
		g->cost[at] = s->cost;
		g->sized[at] = s->size;
	}
}

/* Give the nodes from `from` on room for their vertices. */
static void place_vertices(struct known_growing *g, size_t from)
{
	for (size_t k = from; k < g->nodes; k++) {
		g->node[k].first = (uint32_t)g->vertices;
		g->vertices += g->node[k].n;
		g->node[k].n = 0;
	}
	if (g->vertices > UINT32_MAX)
		need_memory(g->a);
	grow(g, &g->vertex, &g->vertex_cap, g->vertices, sizeof(*g->vertex));
	if (g->q.up) {
		grow(g, &g->cost, &g->cost_cap, g->vertices, sizeof(*g->cost));
		grow(g, &g->sized, &g->sized_cap, g->vertices, sizeof(*g->sized));
	}
}

static bool may_grow(const struct known_growing *g, const struct known_node *x)
{
	return x->size && (!g->q.depth || x->depth < g->q.depth) &&
	       !path_under_min((double)x->size, g->q.min);
}

/* Make the children of a node: count their vertices, make room for them, then put them
 * there.  slot[] is used only in between. */
static void expand(struct known_growing *g, uint32_t node)
{
	const size_t from = g->nodes;

	steps(g, node, count_step);
	place_vertices(g, from);
	steps(g, node, put_step);
	for (size_t k = from; k < g->nodes; k++) {
		g->slot[g->node[k].fn] = 0;
		if (may_grow(g, &g->node[k]))
			push(g, (uint32_t)k);
	}
}

/* ---- where the tree starts ---- */

/* What the set calls in itself is inside it.  Several functions as frames are apart. */
static bool as_one(const struct path_tree_query *q)
{
	return q->of == TREE_CALLS || (q->of == TREE_FRAMES && fnset_count(q->set) == 1);
}

/* Mark the members of the set: those that are outermost; and, if the set counts as one,
 * those with nothing but members between them and such a one. */
static void mark_members(struct known_growing *g)
{
	const struct stacks *s = &g->s;
	const bool join = as_one(&g->q);
	uint8_t *inside = NEED_ARRAY(g->a, uint8_t, (size_t)s->n + 1);

	g->member = NEED_ARRAY(g->a, uint8_t, (size_t)s->n + 1);
	for (uint32_t v = 0; g->q.set && v < s->n; v++) {
		const uint32_t c = s->caller[v];

		inside[v] = c != FLOW_NONE && (inside[c] || g->member[c] & MEMBER);
		if (!fnset_has(g->q.set, s->fn[v]))
			continue;
		g->member[v] = inside[v] ? MEMBER : MEMBER | OUTERMOST;
		if (join && (!inside[v] || (c != FLOW_NONE && g->member[c] & JOINED)))
			g->member[v] |= JOINED;
		if (!join || c == FLOW_NONE || !(g->member[c] & MEMBER))
			g->member[v] |= ENTRY;
	}
}

/* For a tree of callers: the part of incl[] for which this vertex is the innermost entry
 * of the set. */
static void last_entered(struct known_growing *g, const int64_t *incl, int64_t **out)
{
	const struct stacks *s = &g->s;
	uint32_t *entry = NEED_ARRAY(g->a, uint32_t, (size_t)s->n + 1);
	int64_t *cost = NEED_ARRAY(g->a, int64_t, (size_t)s->n + 1);

	for (uint32_t v = 0; v < s->n; v++) {
		const uint32_t c = s->caller[v];

		entry[v] = c == FLOW_NONE ? FLOW_NONE : entry[c];
		if (!(g->member[v] & ENTRY))
			continue;
		cost[v] = incl[v];
		if (entry[v] != FLOW_NONE)
			cost_subtract(&cost[entry[v]], incl[v]);
		entry[v] = v;
	}
	*out = cost;
}

/* Is v one of the vertices that the top stands for?  Down, those where a stack first
 * meets the set, with what the set calls in itself if it counts as one; up, each entry into it,
 * as each has callers of its own. */
static bool at_top(const struct known_growing *g, uint32_t v)
{
	if (g->q.of == TREE_PROGRAM)
		return g->s.caller[v] == FLOW_NONE;
	return g->member[v] & (g->q.up ? ENTRY : as_one(&g->q) ? JOINED : OUTERMOST);
}

/* Node 0.  Its cost counts once, however often the set is on the stack: that of outermost
 * vertices or, up, of each entry what no inner entry has. */
static void put_top(struct known_growing *g)
{
	struct known_node *top;
	int64_t *entered = NULL, *sized = NULL;

	grow(g, &g->node, &g->node_cap, 1, sizeof(*g->node));
	if (g->q.up) {
		last_entered(g, g->s.incl, &entered);
		last_entered(g, g->size, &sized);
	}
	g->nodes = 1;
	top = &g->node[TOP];
	*top = (struct known_node){.fn = FLOW_NONE, .parent = FLOW_NONE};
	for (uint32_t v = 0; v < g->s.n; v++)
		top->n += at_top(g, v);
	place_vertices(g, 0);
	for (uint32_t v = 0; v < g->s.n; v++) {
		const int64_t cost = entered ? entered[v] : g->s.incl[v];

		if (!at_top(g, v))
			continue;
		if (entered || g->q.of == TREE_PROGRAM || g->member[v] & OUTERMOST)
			cost_add(&top->est, cost);
		cost_add(&top->own, own_of(g, v, cost));
		if (g->q.up) {
			g->cost[top->n] = cost;
			g->sized[top->n] = sized[v];
		}
		g->vertex[top->n++] = v;
	}
}

/* Calls of the set into itself: measured, in no sum, nothing is below. */
static void put_inner(struct known_growing *g)
{
	const struct stacks *s = &g->s;
	const size_t from = g->nodes;

	for (uint32_t v = 0; g->q.of == TREE_CALLS && v < s->n; v++) {
		const uint32_t c = s->caller[v];
		struct known_node *to;

		if (!(g->member[v] & MEMBER) || c == FLOW_NONE ||
		    !(g->member[c] & MEMBER) || avoided(g, s->fn[g->q.up ? c : v]))
			continue;
		to = child(g, TOP, s->fn[g->q.up ? c : v]);
		to->inner = true;
		cost_add(&to->est, s->incl[v]);
		cost_add(&to->size, g->size[v]);
		count_add(&to->calls, s->calls[v]);
	}
	for (size_t k = from; k < g->nodes; k++)
		g->slot[g->node[k].fn] = 0;
}

/* ---- rows ---- */

/* Sorts as the key of a pair: the largest cost first. */
static uint64_t falling(int64_t cost)
{
	return (uint64_t)INT64_MAX - (uint64_t)cost;
}

/* Keep the costliest nodes.  A node is no larger than the one above, which was made
 * before it. kept[node] is NO_ROW if it is not kept; order[] are the kept ones, by cost. */
static void keep_nodes(struct known_growing *g, uint32_t **kept, uint32_t **order,
		       uint32_t *n, bool *cut)
{
	struct sort_pair *by = NEED_ARRAY(g->a, struct sort_pair, g->nodes + 1);
	size_t k = 0;

	*kept = NEED_ARRAY(g->a, uint32_t, g->nodes + 1);
	*order = NEED_ARRAY(g->a, uint32_t, g->nodes + 1);
	for (uint32_t i = 1; i < g->nodes; i++) {
		(*kept)[i] = NO_ROW;
		if (!path_under_min((double)g->node[i].size, g->q.min) &&
		    (g->node[i].size || (g->node[i].depth == 1 && g->q.of == TREE_CALLS)))
			by[k++] = (struct sort_pair){falling(g->node[i].size), i};
	}
	if (sort_pairs(by, k))
		need_memory_for("sorting the rows of a tree");
	*n = 0;
	for (size_t i = 0; i < k && *n < g->most; i++) {
		const uint32_t up = g->node[by[i].value].parent;

		if (up != TOP && (*kept)[up] == NO_ROW)
			continue;
		(*kept)[by[i].value] = *n;
		(*order)[(*n)++] = by[i].value;
	}
	*cut |= *n < k;
	if (g->size == g->s.incl) /* it is the order by size */
		return;
	k = 0;
	for (uint32_t i = 1; i < g->nodes; i++)
		if ((*kept)[i] != NO_ROW)
			by[k++] = (struct sort_pair){falling(g->node[i].est), i};
	if (sort_pairs(by, k))
		need_memory_for("sorting the rows of a tree");
	for (size_t i = 0; i < k; i++)
		(*order)[i] = by[i].value;
}

/* Rows in depth-first order, the costliest child first.  order[] has the costliest first:
 * linked from its end, each list of children begins with the costliest. */
static void put_rows(struct known_growing *g, struct path_tree *t)
{
	uint32_t *kept, *order, n = 0, *first, *next, *on;

	keep_nodes(g, &kept, &order, &n, &t->cut);
	first = NEED_ARRAY(g->a, uint32_t, g->nodes + 1);
	next = NEED_ARRAY(g->a, uint32_t, g->nodes + 1);
	g->row = NEED_ARRAY(g->a, uint32_t, g->nodes + 1);
	on = NEED_ARRAY(g->a, uint32_t, (size_t)g->s.functions + 1);
	t->rows = NEED_ARRAY(g->a, struct path_tree_row, (size_t)n + 1);
	for (uint32_t i = n; i-- > 0;) {
		const uint32_t up = g->node[order[i]].parent;

		next[order[i]] = first[up];
		first[up] = order[i];
	}
	memset(g->row, 0xff, g->nodes * sizeof(*g->row));
	t->left_out = cost_difference(t->est, t->own);
	for (uint32_t i = first[TOP]; i;) {
		const struct known_node *x = &g->node[i];

		g->row[i] = (uint32_t)t->n;
		t->rows[t->n++] = (struct path_tree_row){
			.depth = x->depth,
			.fn = x->fn,
			.parent = x->parent == TOP ? FLOW_NONE : g->row[x->parent],
			.calls = x->calls,
			.incl = x->est,
			.cost = path_bounds_exact(x->est),
			.est = x->inner ? 0 : x->est,
			.own = x->inner ? 0 : x->own,
			.recursive =
				(g->q.set && fnset_has(g->q.set, x->fn)) || on[x->fn],
			.inner = x->inner};
		cost_subtract(&t->left_out, x->inner ? 0 : x->own);
		if (first[i]) {
			on[x->fn]++;
			i = first[i];
			continue;
		}
		while (i && !next[i]) {
			i = g->node[i].parent;
			if (i)
				on[g->node[i].fn]--;
		}
		i = i ? next[i] : 0;
	}
	g->row[TOP] = (uint32_t)t->n;
}

/* If costs have both signs, a vertex may cost less than those below it.  So its size, the
 * sum of costs without their signs, says whether it is worth a row. */
static void find_sizes(struct known_growing *g)
{
	const struct stacks *s = &g->s;
	bool negative = false;
	int64_t *size;

	g->size = s->incl;
	for (uint32_t v = 0; v < s->n && !negative; v++)
		negative = s->self[v] < 0;
	if (!negative)
		return;
	size = NEED_ARRAY(g->a, int64_t, (size_t)s->n + 1);
	for (uint32_t v = s->n; v-- > 0;) {
		cost_add(&size[v], cost_size(s->self[v]));
		if (s->caller[v] != FLOW_NONE)
			cost_add(&size[s->caller[v]], size[v]);
	}
	g->size = size;
}

void known_tree(const struct stacks *s, const struct path_tree_query *q, struct arena *a,
		const struct cancel *cancel, struct path_tree *out)
{
	struct known_growing *g = NEED_NEW(a, struct known_growing);
	struct path_tree t = {.proven = 1};
	uint32_t expanded = 0;

	g->slot = NEED_ARRAY(a, uint32_t, (size_t)s->functions + 1);
	g->s = *s;
	g->q = *q;
	g->a = a;
	g->cancel = cancel;
	g->most = q->rows ? q->rows : PATH_TREE_ROWS;
	g->frames = !as_one(q);
	find_sizes(g);
	mark_members(g);
	put_top(g);
	expand(g, TOP);
	if (!g->frames)
		put_inner(g);
	g->node[TOP].own = g->frames ? 0 : g->node[TOP].own;
	while (g->heaped && expanded++ < g->most) {
		if (expanded % POLL == 0)
			need_time(cancel);
		expand(g, waiting_pop(g->heap, --g->heaped, g).node);
	}
	t.cut = g->heaped > 0;
	t.est = g->node[TOP].est;
	t.own = g->node[TOP].own;
	t.base = path_bounds_exact(t.est);
	put_rows(g, &t);
	/* known_left_out() may ask what the rows leave out, but not what `depth` and `min`
	 * leave out: nobody asked for that. */
	t.known = t.cut && !q->depth && !(q->min > 0);
	t.grown = t.known ? g : NULL;
	*out = t;
}
