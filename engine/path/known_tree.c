/*
 * known_tree.c - how a tree grows where stacks are known (index/graph/stacks.h).
 *
 * A vertex has one caller at most, so it is one stack.  A node has a list of all vertices whose
 * stacks read so (of a tree of callers: the vertices that are so far above those of the set).
 * To expand it is to sort the vertices one further by function:
 *
 *	node f: v3 v9		calls of v3: g h, of v9: g
 *	  node f;g: v4 v10
 *	  node f;h: v5
 *
 * Costs are sums over vertices, and exact.  They can have both signs: then a vertex may cost less
 * than those below it, so its size, the sum of costs without their signs, says which node is
 * expanded first, and what is worth a row.
 */
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/names/fnset.h"
#include "engine/path/path_tree_in.h"
#include "index/base/cost.h"
#include "index/base/need.h"

/* Of a vertex: its function is in the set; no member is above it; or, if the set counts as
 * one, nothing but members is between them and it; it is where cost enters the set. */
enum { MEMBER = 1, OUTERMOST = 2, JOINED = 4, ENTRY = 8 };

/* The node of fn below one whose children are being made. */
static uint32_t below(struct growing *g, uint32_t parent, uint32_t fn)
{
	struct known *k = g->known;
	const uint32_t n = g->n, i = tree_child(g, parent, fn, FLOW_NONE);

	if (i < n)
		return i;
	need_grow(g->arena, &k->node, &k->cap, n, (size_t)n + 1, sizeof(*k->node));
	k->node[i] = (struct known_node){0};
	return i;
}

/* A vertex one further than vertex v of a node, which brings `cost`. */
struct tree_step {
	uint32_t v;
	uint64_t calls;
	int64_t cost, size, least;
};
typedef void each_step(struct growing *g, uint32_t node, const struct tree_step *s);

/* The part of a cost, or of its size, that stays at a vertex: what it spends itself or, in a tree
 * of callers, what begins there, as nothing calls it. */
static int64_t own_of(const struct growing *g, uint32_t v, int64_t cost, int64_t spent)
{
	return !g->q->up ? spent : g->known->s.caller[v] == FLOW_NONE ? cost : 0;
}

/* The cost of a vertex in the list of its node, and its size. */
static int64_t cost_at(const struct growing *g, size_t at)
{
	const struct known *k = g->known;

	return k->cost ? k->cost[at] : k->s.incl[k->vertex[at]];
}

static int64_t size_at(const struct growing *g, size_t at)
{
	const struct known *k = g->known;

	return k->sized ? k->sized[at] : k->cost ? k->cost[at] : k->size[k->vertex[at]];
}

/* The least that the cost of a vertex can be.  Of a tree of callers nobody knows: a call of the
 * set further down, of which nothing is laid out in the span, may take cost away. */
static int64_t least_of(const struct growing *g, uint32_t v)
{
	const struct stacks *s = &g->known->s;

	return s->least && !g->q->up ? s->least[v] : 0;
}

/* One step up from each vertex of a node: its caller, with the cost that it counts there. */
static void steps_up(struct growing *g, uint32_t node, each_step *each)
{
	const struct known *k = g->known;

	for (size_t i = 0; i < k->node[node].n; i++) {
		const size_t at = k->node[node].first + i;
		const uint32_t v = k->vertex[at], up = k->s.caller[v];
		const struct tree_step s = {up, k->s.calls[v], k->cost[at],
					    size_at(g, at), 0};

		if (up != FLOW_NONE && !g->avoided[k->s.fn[up]])
			each(g, node, &s);
	}
}

/* One step down: all calls of each vertex.  Calls of a set that counts as one into itself
 * are no rows of level 1. */
static void steps_down(struct growing *g, uint32_t node, each_step *each)
{
	const struct known *k = g->known;
	const struct stacks *s = &k->s;

	for (size_t i = 0; i < k->node[node].n; i++) {
		const uint32_t v = k->vertex[k->node[node].first + i];

		for (uint32_t j = s->out_first[v]; j < s->out_first[v + 1]; j++) {
			const uint32_t to = s->out[j];
			const struct tree_step t = {to, s->calls[to], s->incl[to],
						    k->size[to], least_of(g, to)};

			if (!g->avoided[s->fn[to]] &&
			    (node != TREE_TOP || !(k->member[to] & JOINED)))
				each(g, node, &t);
		}
	}
}

/* From the top, which is no frame, to its own vertices: the roots of the program, or the
 * members of a set of several functions. */
static void steps_at_top(struct growing *g, each_step *each)
{
	const struct known *k = g->known;

	for (uint32_t i = 0, n = k->node[TREE_TOP].n; i < n; i++) {
		const uint32_t v = k->vertex[i];
		const struct tree_step s = {v, 0, cost_at(g, i), size_at(g, i),
					    least_of(g, v)};

		if (!g->avoided[k->s.fn[v]])
			each(g, TREE_TOP, &s);
	}
}

static void steps(struct growing *g, uint32_t node, each_step *each)
{
	if (node == TREE_TOP && g->q->of != TREE_CALLS)
		steps_at_top(g, each);
	else if (g->q->up)
		steps_up(g, node, each);
	else
		steps_down(g, node, each);
}

static void count_step(struct growing *g, uint32_t node, const struct tree_step *s)
{
	const struct stacks *all = &g->known->s;
	const uint32_t i = below(g, node, all->fn[s->v]);
	struct known_node *to = &g->known->node[i];

	to->n++;
	cost_add(&to->est, s->cost);
	cost_add(&to->least, s->least);
	cost_add(&to->own, own_of(g, s->v, s->cost, all->self[s->v]));
	count_add(&to->calls, s->calls);
	g->nodes[i].est += (double)s->size;
	g->nodes[i].own += (double)own_of(g, s->v, s->size, cost_size(all->self[s->v]));
}

static void put_step(struct growing *g, uint32_t node, const struct tree_step *s)
{
	struct known *k = g->known;
	struct known_node *to = &k->node[below(g, node, k->s.fn[s->v])];
	const size_t at = to->first + to->n++;

	k->vertex[at] = s->v;
	if (k->cost)
		k->cost[at] = s->cost;
	if (k->sized)
		k->sized[at] = s->size;
}

/* Give the nodes from `from` on room for their vertices. */
static void place_vertices(struct growing *g, uint32_t from)
{
	struct known *k = g->known;
	const size_t used = k->vertices;

	for (uint32_t i = from; i < g->n; i++) {
		k->node[i].first = (uint32_t)k->vertices;
		k->vertices += k->node[i].n;
		k->node[i].n = 0;
	}
	if (k->vertices > UINT32_MAX)
		need_memory(g->arena);
	need_grow(g->arena, &k->vertex, &k->vertex_cap, used, k->vertices,
		  sizeof(*k->vertex));
	if (g->q->up)
		need_grow(g->arena, &k->cost, &k->cost_cap, used, k->vertices,
			  sizeof(*k->cost));
	if (g->q->up && k->size != k->s.incl)
		need_grow(g->arena, &k->sized, &k->sized_cap, used, k->vertices,
			  sizeof(*k->sized));
}

/* The children from `from` on: count their vertices, make room for them, then put them there. */
static void make_children(struct growing *g, uint32_t node, uint32_t from)
{
	steps(g, node, count_step);
	place_vertices(g, from);
	steps(g, node, put_step);
	for (uint32_t i = from; i < g->n; i++)
		tree_made(g, i, g->nodes[i].est);
}

void known_expand(struct growing *g, uint32_t node)
{
	make_children(g, node, g->n);
}

/* ---- where the tree starts ---- */

/* Mark the members of the set: those that are outermost; and, if the set counts as one,
 * those with nothing but members between them and such a one. */
static void mark_members(struct growing *g)
{
	struct known *k = g->known;
	const struct stacks *s = &k->s;
	const bool join = g->q->of == TREE_CALLS;
	uint8_t *inside = NEED_ARRAY(g->arena, uint8_t, (size_t)s->n + 1);

	k->member = NEED_ARRAY(g->arena, uint8_t, (size_t)s->n + 1);
	for (uint32_t v = 0; g->q->set && v < s->n; v++) {
		const uint32_t c = s->caller[v];
		const uint8_t above = c == FLOW_NONE ? 0 : k->member[c];

		inside[v] = above & MEMBER || (c != FLOW_NONE && inside[c]);
		if (!g->in_set[s->fn[v]])
			continue;
		k->member[v] = inside[v] ? MEMBER : MEMBER | OUTERMOST;
		if (join && (!inside[v] || above & JOINED))
			k->member[v] |= JOINED;
		if (!join || !(above & MEMBER))
			k->member[v] |= ENTRY;
	}
}

/* Is v one of the vertices that the top stands for?  Down, those where a stack first
 * meets the set, with what the set calls in itself if it counts as one; up, each entry into it,
 * as each has callers of its own. */
static bool at_top(const struct growing *g, uint32_t v)
{
	if (g->q->of == TREE_PROGRAM)
		return g->known->s.caller[v] == FLOW_NONE;
	return g->known->member[v] & (g->q->up		       ? ENTRY
				      : g->q->of == TREE_CALLS ? JOINED
							       : OUTERMOST);
}

/* In a tree of callers an entry of the set has the cost that no inner entry has. */
static void enter(struct known *k, uint32_t v, uint32_t at, uint32_t *outer)
{
	k->cost[at] = k->s.incl[v];
	if (*outer != FLOW_NONE)
		cost_subtract(&k->cost[*outer], k->s.incl[v]);
	if (k->sized) {
		k->sized[at] = k->size[v];
		if (*outer != FLOW_NONE)
			cost_subtract(&k->sized[*outer], k->size[v]);
	}
	*outer = at;
}

/* List the vertices of the top. */
static void put_top(struct growing *g)
{
	struct known *k = g->known;
	struct known_node *top = &k->node[TREE_TOP];
	uint32_t *entry = NULL; /* the innermost one at or above a vertex */

	for (uint32_t v = 0; v < k->s.n; v++)
		top->n += at_top(g, v);
	place_vertices(g, TREE_TOP);
	if (g->q->up)
		entry = NEED_ARRAY(g->arena, uint32_t, (size_t)k->s.n + 1);
	for (uint32_t v = 0; v < k->s.n; v++) {
		const uint32_t c = k->s.caller[v];

		if (entry)
			entry[v] = c == FLOW_NONE ? FLOW_NONE : entry[c];
		if (!at_top(g, v))
			continue;
		if (entry)
			enter(k, v, top->n, &entry[v]);
		k->vertex[top->n++] = v;
	}
}

/* The cost of the top counts once, however often the set is on the stack. */
static void sum_top(struct growing *g)
{
	struct known *k = g->known;
	struct known_node *top = &k->node[TREE_TOP];

	for (uint32_t i = 0; i < top->n; i++) {
		const uint32_t v = k->vertex[i];
		const int64_t cost = cost_at(g, i);

		if (g->q->up || g->q->of == TREE_PROGRAM || k->member[v] & OUTERMOST) {
			cost_add(&top->est, cost);
			g->nodes[TREE_TOP].est += (double)size_at(g, i);
		}
		if (g->q->of == TREE_CALLS)
			cost_add(&top->own, own_of(g, v, cost, k->s.self[v]));
	}
}

/* Add cost of calls between the set and fn to a row of level 1. */
static void put_call(struct growing *g, uint32_t fn, int64_t incl, size_t *cap)
{
	uint32_t i;

	if (g->avoided[fn])
		return;
	i = below(g, TREE_TOP, fn);
	if (i > g->nstarts) {
		tree_reserve(g->arena, &g->starts.all, cap, g->nstarts++,
			     sizeof(*g->starts.all));
		g->starts.all[i - 1] = (struct start){.fn = fn, .inner = g->in_set[fn]};
	}
	cost_add(&g->starts.all[i - 1].incl, incl);
}

/* Level 1 is complete if it is the calls of a set: with those of nested members and, `inner`,
 * those into itself, of which nothing is in a sum.  A group's calls into itself are inside a
 * vertex. */
static void put_calls(struct growing *g)
{
	const struct stacks *s = &g->known->s;
	size_t cap = 0;

	if (g->q->of != TREE_CALLS || g->counted)
		return;
	for (uint32_t v = 0; v < s->n; v++) {
		const uint32_t c = s->caller[v];

		if (c != FLOW_NONE && g->known->member[g->q->up ? v : c] & MEMBER)
			put_call(g, s->fn[g->q->up ? c : v], s->incl[v], &cap);
	}
	if (g->q->itself && !g->node_at[fnset_next(g->q->set, 0)])
		put_call(g, fnset_next(g->q->set, 0), *g->q->itself, &cap);
}

static const int64_t *find_sizes(struct growing *g)
{
	const struct stacks *s = &g->known->s;
	bool negative = false;
	int64_t *size;

	for (uint32_t v = 0; v < s->n && !negative; v++)
		negative = s->self[v] < 0;
	if (!negative)
		return s->incl;
	size = NEED_ARRAY(g->arena, int64_t, (size_t)s->n + 1);
	for (uint32_t v = s->n; v-- > 0;) {
		cost_add(&size[v], cost_size(s->self[v]));
		if (s->caller[v] != FLOW_NONE)
			cost_add(&size[s->caller[v]], size[v]);
	}
	return size;
}

void known_begin(struct growing *g)
{
	struct known *k = g->known;

	k->size = find_sizes(g);
	g->node_at = NEED_ARRAY(g->arena, uint32_t, (size_t)k->s.functions + 1);
	need_grow(g->arena, &k->node, &k->cap, 0, 1, sizeof(*k->node));
	k->node[TREE_TOP] = (struct known_node){0};
	mark_members(g);
	put_top(g);
	sum_top(g);
	put_calls(g);
	make_children(g, TREE_TOP, 1);
}

/* ---- what the rows leave out ---- */

static void reserve_others(struct path_others *o, size_t n)
{
	need_grow(o->arena, &o->at, &o->cap, o->n, n, sizeof(*o->at));
}

void path_other_add(struct path_others *o, uint32_t row, uint32_t fn, int64_t cost)
{
	if (!cost)
		return;
	reserve_others(o, o->n + 1);
	o->at[o->n++] = (struct path_other){row, fn, cost};
}

/* In a tree of callees a vertex without a row lies below the row of its caller. */
static void others_down(const struct growing *g, struct path_others *o)
{
	const struct known *k = g->known;
	uint32_t *row = NEED_ARRAY(g->arena, uint32_t, (size_t)k->s.n + 1);

	reserve_others(o, k->s.n);
	memset(row, 0xff, k->s.n * sizeof(*row));
	/* In a tree of frames the vertices of the top belong to the nodes of level 1. */
	for (uint32_t i = g->q->of == TREE_CALLS ? TREE_TOP : 1; i < g->n; i++) {
		const struct known_node *x = &k->node[i];
		const bool is_row = g->row[i] != TREE_NO_ROW;
		const uint32_t in = is_row ? g->row[i] : g->row[g->nodes[i].parent];

		for (uint32_t j = x->first; in != TREE_NO_ROW && j < x->first + x->n;
		     j++) {
			const uint32_t v = k->vertex[j];

			row[v] = in;
			if (!is_row)
				path_other_add(o, g->group[in], k->s.fn[v], k->s.self[v]);
		}
	}
	for (uint32_t v = 0; v < k->s.n; v++) {
		const uint32_t up = k->s.caller[v];

		if (row[v] != TREE_NO_ROW || up == FLOW_NONE || row[up] == TREE_NO_ROW ||
		    g->avoided[k->s.fn[v]])
			continue;
		row[v] = row[up];
		path_other_add(o, g->group[row[v]], k->s.fn[v], k->s.self[v]);
	}
}

/* root[v]: where the stack of v begins; FLOW_NONE: the way there is avoided. */
static uint32_t *find_roots(const struct growing *g)
{
	const struct stacks *s = &g->known->s;
	uint32_t *root = NEED_ARRAY(g->arena, uint32_t, (size_t)s->n + 1);

	for (uint32_t v = 0; v < s->n; v++) {
		const uint32_t up = s->caller[v];

		root[v] = up == FLOW_NONE	  ? v
			  : g->avoided[s->fn[up]] ? FLOW_NONE
						  : root[up];
	}
	return root;
}

/* In a tree of callers the cost of a chain that no row continues goes to the roots of its
 * stacks.  A node that was expanded has a node for each of its callers. */
static void others_up(const struct growing *g, struct path_others *o)
{
	const struct known *k = g->known;
	const uint32_t *root = find_roots(g);
	uint8_t *expanded = NEED_ARRAY(g->arena, uint8_t, (size_t)g->n + 1);

	reserve_others(o, k->vertices);
	for (uint32_t i = 1; i < g->n; i++)
		expanded[g->nodes[i].parent] = 1;
	for (uint32_t i = 1; i < g->n; i++) {
		const struct known_node *x = &k->node[i];
		const bool is_row = g->row[i] != TREE_NO_ROW;
		const uint32_t row = is_row ? g->row[i] : g->row[g->nodes[i].parent];

		if (row == TREE_NO_ROW || (is_row && expanded[i]))
			continue;
		for (uint32_t j = x->first; j < x->first + x->n; j++) {
			const uint32_t v = k->vertex[j];

			/* The cost of a stack that begins at a row is the row's own. */
			if (root[v] != FLOW_NONE && (!is_row || root[v] != v))
				path_other_add(o, g->group[row], k->s.fn[root[v]],
					       k->cost[j]);
		}
	}
}

void known_others(const struct growing *g, struct path_others *o)
{
	if (g->q->up)
		others_up(g, o);
	else
		others_down(g, o);
}
