/*
 * path_tree.c - trees of callers and callees with their share of cost; see path.h.
 *
 * A node is a chain of functions from the top of the tree; it is expanded when its cost is
 * split over the calls that go on from its function, whichever way the tree grows:
 *
 *	down	[top ... f] -> h	est(.. f h) = est(.. f) * R(f -> h) / T(f)
 *	up	g -> [f ... top]	est(g f ..) = est(f ..) * R(g -> f) / T(f)
 *
 * The node with the most cost that is not split yet is expanded first (a heap), so that the
 * rows kept are the costliest.
 *
 * Of a profile of many parts the tree is the sum of the parts' trees.  Each part expands its
 * costliest nodes by its own calls, all in one tree; what they split is taken out of the
 * flow.  The calls that are left are those that no part has shown, so the nodes' unsplit
 * cost goes on along them, and still each function's frames add up to its self cost.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/chain.h"
#include "engine/flow_parts.h"
#include "engine/path.h"

enum { POLL = 256, PART_NODES = 10000, PART_NODES_LEAST = 40, PARTS_NODES = 1000000 };
#define WIDE 1e-4 /* of the whole: a row that is to be seen in a picture */
enum { TOP = 0 }; /* the node of what the tree is of */

struct node {
	uint32_t fn, parent;
	uint32_t edge;	/* to the parent; FLOW_NONE of a start */
	uint32_t depth; /* of TOP 0 */
	double est;
	double rest; /* of est: not split yet */
	double own;  /* of what is split: stays here */
};

/* A row of level 1 that is more than one call of the top. */
struct start {
	uint32_t fn;
	double est;
	uint64_t calls, incl;
	bool exact; /* est is incl */
	bool inner;
};

struct starts {
	struct start *all;
	uint32_t n;
	double est, own; /* of the top */
	bool exact;
};

struct waiting { /* in the heap */
	double cost;
	uint32_t node;
};

struct growing {
	const struct flow *fl;
	const struct path_tree_query *q;
	struct arena *arena;
	const atomic_int *cancel;
	struct err *err;
	uint32_t one; /* the only function of the set, or FLOW_NONE */
	uint8_t *in_set, *avoided;
	struct starts starts;
	struct node *nodes;
	uint32_t n, cap;
	struct waiting *heap;
	uint32_t nheap, heap_cap;
	uint32_t most;
	/* Of many parts: */
	uint32_t *slot; /* node by (parent, fn) */
	uint32_t slots;
	double *shown_own, *shown; /* [functions], [edges]: what nodes have split */
};

static int full(struct growing *g)
{
	return arena_full(g->arena, g->err);
}

static int reserve(struct growing *g, void *pp, uint32_t *cap, uint32_t n, size_t size)
{
	uint32_t wide = *cap ? *cap * 2 : 1024;
	void *old, *p;

	if (n < *cap)
		return 0;
	if (!(p = arena_array(g->arena, wide, size)))
		return full(g);
	memcpy(&old, pp, sizeof(old));
	if (n)
		memcpy(p, old, n * size);
	memcpy(pp, &p, sizeof(p));
	*cap = wide;
	return 0;
}

/* ---- the calls at a function, in the direction of the tree ---- */

struct calls {
	uint32_t first, end;
};

static struct calls calls_at(const struct growing *g, uint32_t f)
{
	const struct flow_input *in = &g->fl->in;
	const uint32_t *first = g->q->up ? in->in_first : in->out_first;

	return (struct calls){first[f], first[f + 1]};
}

static uint32_t edge_of(const struct growing *g, uint32_t k)
{
	return g->q->up ? g->fl->in.in_edge[k] : k;
}

static uint32_t other_end(const struct growing *g, uint32_t edge)
{
	return g->q->up ? g->fl->in.caller[edge] : g->fl->in.callee[edge];
}

/* What stays at f: what it spends, or what it was entered with from nowhere. */
static double own_cost(const struct growing *g, const struct flow *fl, uint32_t f)
{
	return g->q->up ? fl->root[f] : (double)fl->in.self[f];
}

/* ---- heap: the most on top ---- */

static bool above(const struct waiting *a, const struct waiting *b)
{
	return a->cost != b->cost ? a->cost > b->cost : a->node < b->node;
}

static int push(struct growing *g, uint32_t node, double cost)
{
	struct waiting x = {cost, node};
	uint32_t i = g->nheap;

	if (reserve(g, &g->heap, &g->heap_cap, g->nheap, sizeof(*g->heap)))
		return -1;
	g->nheap++;
	for (; i > 0 && above(&x, &g->heap[(i - 1) / 2]); i = (i - 1) / 2)
		g->heap[i] = g->heap[(i - 1) / 2];
	g->heap[i] = x;
	return 0;
}

static struct waiting pop(struct growing *g)
{
	struct waiting top = g->heap[0], last = g->heap[--g->nheap];
	uint32_t i = 0, c;

	while ((c = 2 * i + 1) < g->nheap) {
		if (c + 1 < g->nheap && above(&g->heap[c + 1], &g->heap[c]))
			c++;
		if (!above(&g->heap[c], &last))
			break;
		g->heap[i] = g->heap[c];
		i = c;
	}
	g->heap[i] = last;
	return top;
}

/* ---- nodes ---- */

static size_t place(const struct growing *g, uint32_t parent, uint32_t fn)
{
	uint64_t h = ((uint64_t)parent << 32 | fn) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32 ^ h >> 16) & (g->slots - 1);

	while (g->slot[i] && (g->nodes[g->slot[i]].parent != parent ||
			      g->nodes[g->slot[i]].fn != fn))
		i = (i + 1) & (g->slots - 1);
	return i;
}

static int grow_slots(struct growing *g)
{
	uint32_t n = g->slots ? g->slots * 2 : 1 << 14;

	if (2 * (g->n + 1) < g->slots)
		return 0;
	g->slots = n;
	if (!(g->slot = ARENA_ARRAY(g->arena, uint32_t, n)))
		return full(g);
	for (uint32_t i = 1; i < g->n; i++)
		g->slot[place(g, g->nodes[i].parent, g->nodes[i].fn)] = i;
	return 0;
}

/* The node fn below parent; new unless parts may have made it already. */
static int child(struct growing *g, uint32_t parent, uint32_t fn, uint32_t edge,
		 uint32_t *out)
{
	size_t at = 0;

	if (g->slot) {
		if (grow_slots(g))
			return -1;
		at = place(g, parent, fn);
		if ((*out = g->slot[at]))
			return 0;
		g->slot[at] = g->n;
	}
	if (reserve(g, &g->nodes, &g->cap, g->n, sizeof(*g->nodes)))
		return -1;
	*out = g->n++;
	g->nodes[*out] = (struct node){.fn = fn,
				       .parent = parent,
				       .edge = edge,
				       .depth = g->nodes[parent].depth + 1};
	return 0;
}

static bool may_grow(const struct growing *g, const struct node *x)
{
	return x->fn != FLOW_NONE && (!g->q->depth || x->depth < g->q->depth) &&
	       x->est >= 0.5 && !path_under_min(x->est, g->q->min);
}

/* Edge i leads nowhere from the node: it is none of the tree's. */
static bool left_out(const struct growing *g, uint32_t node, uint32_t i)
{
	uint32_t to = other_end(g, i);

	return g->avoided[to] || (node == TOP && g->q->of == TREE_CALLS && to == g->one);
}

/* The calls of the top by itself are no part of what leaves it. */
static double through_at(const struct growing *g, const struct flow *fl, uint32_t node,
			 uint32_t f)
{
	double through = fl->through[f];

	if (node != TOP || g->q->of != TREE_CALLS)
		return through;
	for (uint32_t i = fl->in.out_first[f]; i < fl->in.out_first[f + 1]; i++)
		if (fl->in.callee[i] == f)
			through -= flow_cost(fl, i);
	return through;
}

/* Split `cost` of a node by the calls of a part. */
static int expand_part(struct growing *g, const struct flow *fl, uint32_t node,
		       double cost)
{
	uint32_t f = g->nodes[node].fn, to;
	struct calls c = calls_at(g, f);
	double through = through_at(g, fl, node, f), share, own;

	if (!(through > 0))
		return 0;
	share = cost / through;
	own = own_cost(g, fl, f) * share;
	g->nodes[node].own += own;
	g->nodes[node].rest -= cost;
	g->shown_own[f] += own;
	for (uint32_t k = c.first; k < c.end; k++) {
		uint32_t i = edge_of(g, k);
		double part = fl->in.incl[i] ? flow_cost(fl, i) * share : 0;

		if (!(part > 0))
			continue;
		if (node != TOP || other_end(g, i) != f)
			g->shown[i] += part;
		if (left_out(g, node, i))
			continue;
		if (child(g, node, other_end(g, i), i, &to))
			return -1;
		g->nodes[to].est += part;
		g->nodes[to].rest += part;
		if (may_grow(g, &(struct node){.fn = g->nodes[to].fn,
					       .depth = g->nodes[to].depth,
					       .est = part}) &&
		    push(g, to, part))
			return -1;
	}
	return 0;
}

/* What of edge i no part has shown. */
static double unshown(const struct growing *g, uint32_t i)
{
	double cost = flow_cost(g->fl, i);

	if (!g->shown)
		return cost;
	cost -= g->shown[i];
	return cost > 0 ? cost : 0;
}

static double unshown_own(const struct growing *g, uint32_t f)
{
	double own = own_cost(g, g->fl, f) - (g->shown_own ? g->shown_own[f] : 0);

	return own > 0 ? own : 0;
}

static double unshown_through(const struct growing *g, uint32_t node, uint32_t f)
{
	struct calls c = calls_at(g, f);
	double sum;

	if (!g->shown)
		return through_at(g, g->fl, node, f);
	sum = unshown_own(g, f);
	for (uint32_t k = c.first; k < c.end; k++)
		if (node != TOP || g->q->of != TREE_CALLS ||
		    other_end(g, edge_of(g, k)) != f)
			sum += unshown(g, edge_of(g, k));
	return sum;
}

/* Split what is left of a node by the calls that are left. */
static int expand(struct growing *g, uint32_t node)
{
	uint32_t f = g->nodes[node].fn, to;
	struct calls c = calls_at(g, f);
	double through = unshown_through(g, node, f), rest = g->nodes[node].rest, share;

	if (!(rest > 0) || !(through > 0))
		return 0;
	share = rest / through;
	g->nodes[node].rest = 0;
	g->nodes[node].own += unshown_own(g, f) * share;
	for (uint32_t k = c.first; k < c.end; k++) {
		uint32_t i = edge_of(g, k);
		double part = unshown(g, i) * share;

		if (left_out(g, node, i) || (!(part > 0) && node != TOP))
			continue;
		if (child(g, node, other_end(g, i), i, &to))
			return -1;
		g->nodes[to].est += part;
		g->nodes[to].rest += part;
		if (may_grow(g, &g->nodes[to]) && push(g, to, g->nodes[to].rest))
			return -1;
	}
	return 0;
}

/* ---- where the tree starts ---- */

static int add_start(struct growing *g, struct starts *s, uint32_t *cap, struct start x)
{
	if (reserve(g, &s->all, cap, s->n, sizeof(*s->all)))
		return -1;
	s->all[s->n++] = x;
	return 0;
}

/* Each member with what it is entered with as the outermost of the set, or up, as the
 * innermost one; each root with what it was entered with. */
static int start_at_members(struct growing *g, const struct flow *fl, struct arena *a,
			    struct starts *s)
{
	bool program = g->q->of == TREE_PROGRAM;
	double *cost = NULL;
	uint8_t *met = NULL;
	uint32_t cap = 0;

	if (!program && chain_reaches(fl, g->in_set, g->q->up, &met, a, g->err))
		return -1;
	if (!program && !g->q->up && chain_first(fl, g->q->set, &cost, a, g->cancel, g->err))
		return -1;
	if (!program && g->q->up) {
		if (!(cost = ARENA_ARRAY(a, double, (size_t)fl->in.functions + 1)))
			return arena_full(a, g->err);
		for (uint32_t f = 0; f < fl->in.functions; f++)
			cost[f] = g->in_set[f];
		if (chain_expect(fl, g->in_set, cost, a, g->cancel, g->err))
			return -1;
	}
	for (uint32_t f = 0; f < fl->in.functions; f++) {
		struct start x = {.fn = f};

		if (!program && !g->in_set[f])
			continue;
		x.est = program	   ? fl->root[f]
			: g->q->up ? fl->through[f] * (1 - chain_ahead(fl, f, cost))
				   : cost[f];
		x.exact = program || !met[f];
		s->est += x.est > 0 ? x.est : 0;
		if (x.est > 0 && !g->avoided[f] && add_start(g, s, &cap, x))
			return -1;
	}
	return 0;
}

/* Rows by function: those out of the set, and those inside it. */
struct crossing {
	uint32_t *row; /* [functions]: 1 + index of the start */
	uint32_t cap;
};

static int cross(struct growing *g, const struct flow *fl, struct crossing *x,
		 struct starts *s, uint32_t i, double est)
{
	uint32_t to = other_end(g, i);
	struct start *row;

	if (!x->row[to]) {
		if (add_start(g, s, &x->cap,
			      (struct start){.fn = to, .inner = g->in_set[to]}))
			return -1;
		x->row[to] = s->n;
	}
	row = &s->all[x->row[to] - 1];
	row->est += est;
	row->incl = row->incl > UINT64_MAX - fl->in.incl[i] ? UINT64_MAX
							    : row->incl + fl->in.incl[i];
	row->calls += fl->in.calls[i];
	return 0;
}

/* What leaves the set for the first time since it was entered from nowhere, or up: by which
 * calls it was entered for the last time. */
static int start_at_calls(struct growing *g, const struct flow *fl, struct arena *a,
			  struct starts *s)
{
	uint32_t n = fl->in.functions;
	struct crossing x = {ARENA_ARRAY(a, uint32_t, (size_t)n + 1), 0};
	uint8_t *outside = ARENA_ARRAY(a, uint8_t, (size_t)n + 1), *back, *there;
	double *first, *cost = ARENA_ARRAY(a, double, (size_t)n + 1);
	bool up = g->q->up, returns = false;

	if (!x.row || !outside || !cost)
		return arena_full(a, g->err);
	if (chain_first(fl, g->q->set, &first, a, g->cancel, g->err) ||
	    chain_reaches(fl, g->in_set, true, &back, a, g->err) ||
	    chain_reaches(fl, g->in_set, false, &there, a, g->err))
		return -1;
	for (uint32_t f = 0; f < n; f++) {
		outside[f] = !g->in_set[f];
		cost[f] = up || g->in_set[f] ? (up ? (double)g->in_set[f] : first[f]) : 0;
		returns |= outside[f] && back[f] && there[f];
		s->est += g->in_set[f] ? first[f] : 0;
	}
	if (up ? chain_expect(fl, g->in_set, cost, a, g->cancel, g->err) ||
			 chain_expect(fl, outside, cost, a, g->cancel, g->err)
	       : chain_spread(fl, outside, cost, a, g->cancel, g->err))
		return -1;
	for (uint32_t f = 0; f < n; f++) {
		struct calls c = calls_at(g, f);

		if (!g->in_set[f])
			continue;
		s->own += up ? fl->root[f] * (1 - cost[f])
			  : fl->through[f] > 0
				  ? cost[f] * (double)fl->in.self[f] / fl->through[f]
				  : 0;
		for (uint32_t k = c.first; k < c.end; k++) {
			uint32_t i = edge_of(g, k);
			double est = up ? flow_cost(fl, i) * (1 - cost[f])
					: cost[f] * flow_share(fl, i, f);

			if (!g->avoided[other_end(g, i)] &&
			    cross(g, fl, &x, s, i, est))
				return -1;
		}
	}
	s->exact = !returns;
	for (uint32_t k = 0; k < s->n; k++)
		s->all[k].exact = !returns;
	return 0;
}

static int find_starts(struct growing *g, const struct flow *fl, struct arena *a,
		       struct starts *s)
{
	double *incl;

	*s = (struct starts){0};
	if (g->one == FLOW_NONE)
		return g->q->of == TREE_CALLS ? start_at_calls(g, fl, a, s)
					      : start_at_members(g, fl, a, s);
	if (fl == g->fl) { /* of the whole it is known */
		s->est = g->q->one.est;
		return 0;
	}
	incl = ARENA_ARRAY(a, double, (size_t)fl->in.functions + 1);
	if (!incl || path_outermost(fl, g->q->set, incl, a))
		return arena_full(a, g->err);
	s->est = incl[g->one];
	return 0;
}

/* The call of the top by itself: a row of its own. */
static int add_own_call(struct growing *g)
{
	const struct flow_input *in = &g->fl->in;
	uint32_t cap = 0, f = g->one;

	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		if (in->callee[i] == f && g->q->of == TREE_CALLS && !g->avoided[f])
			return add_start(g, &g->starts, &cap,
					 (struct start){.fn = f,
							.calls = in->calls[i],
							.incl = in->incl[i],
							.exact = true,
							.inner = true});
	return 0;
}

/* Nodes 1 to starts.n are the starts; whole: with their cost, not by parts. */
static int put_starts(struct growing *g, bool whole)
{
	struct node *top;
	uint32_t to;

	if (reserve(g, &g->nodes, &g->cap, 0, sizeof(*g->nodes)))
		return -1;
	g->n = 1;
	top = &g->nodes[TOP];
	*top = (struct node){.fn = g->one, .edge = FLOW_NONE, .parent = FLOW_NONE};
	if (whole) {
		top->est = g->starts.est;
		top->rest = g->one == FLOW_NONE ? 0 : top->est;
		top->own = g->starts.own;
	}
	for (uint32_t k = 0; k < g->starts.n; k++) {
		if (child(g, TOP, g->starts.all[k].fn, FLOW_NONE, &to))
			return -1;
		if (!whole || g->starts.all[k].inner)
			continue;
		g->nodes[to].est = g->nodes[to].rest = g->starts.all[k].est;
		if (may_grow(g, &g->nodes[to]) && push(g, to, g->nodes[to].rest))
			return -1;
	}
	return whole && g->one != FLOW_NONE ? push(g, TOP, g->nodes[TOP].rest) : 0;
}

/* ---- the parts of a profile ---- */

static int put_part_starts(struct growing *g, const struct starts *s)
{
	uint32_t to;

	g->nodes[TOP].est += s->est;
	if (g->one != FLOW_NONE) {
		g->nodes[TOP].rest += s->est;
		return push(g, TOP, s->est);
	}
	g->nodes[TOP].own += s->own;
	for (uint32_t k = 0; k < s->n; k++) {
		struct node *x;

		if (s->all[k].inner)
			continue;
		if (child(g, TOP, s->all[k].fn, FLOW_NONE, &to))
			return -1;
		x = &g->nodes[to];
		x->est += s->all[k].est;
		x->rest += s->all[k].est;
		if (may_grow(g, x) && push(g, to, s->all[k].est))
			return -1;
	}
	return 0;
}

static int grow_part(struct growing *g, const struct flow *fl, struct arena *scratch,
		     uint32_t most)
{
	struct starts s;

	arena_reset(scratch);
	if (find_starts(g, fl, scratch, &s) || put_part_starts(g, &s))
		return -1;
	for (uint32_t k = 0; g->nheap && k < most; k++) {
		struct waiting w = pop(g);

		if (expand_part(g, fl, w.node, w.cost))
			return -1;
	}
	g->nheap = 0;
	return 0;
}

/* What the parts left unsplit waits for the calls that are left. */
static int grow_parts(struct growing *g)
{
	uint32_t parts = flow_parts_count(g->q->parts), most = PARTS_NODES / parts;
	const struct flow *fl;
	struct arena scratch;
	int rc;

	most = most > PART_NODES ? PART_NODES : most;
	most = most < PART_NODES_LEAST ? PART_NODES_LEAST : most;
	g->shown_own = ARENA_ARRAY(g->arena, double, (size_t)g->fl->in.functions + 1);
	g->shown = ARENA_ARRAY(g->arena, double, (size_t)g->fl->in.edges + 1);
	if (!g->shown_own || !g->shown || grow_slots(g) || put_starts(g, false))
		return full(g);
	arena_init(&scratch, g->arena->cap);
	flow_parts_rewind(g->q->parts);
	do {
		rc = flow_parts_next(g->q->parts, &fl, g->err);
		if (!rc && fl)
			rc = grow_part(g, fl, &scratch, most);
	} while (!rc && fl);
	arena_free(&scratch);
	for (uint32_t i = 0; !rc && i < g->n; i++)
		if (g->nodes[i].rest >= 0.5 && may_grow(g, &g->nodes[i]))
			rc = push(g, i, g->nodes[i].rest);
	return rc;
}

/* ---- the rows ---- */

struct choosing {
	struct growing *g;
	uint32_t *first, *next; /* [n]: child, brother: a node, or 0 */
	uint8_t *kept;
	uint32_t n;
};

static bool is_inner(const struct growing *g, uint32_t node)
{
	return node <= g->starts.n && node > TOP && g->starts.all[node - 1].inner;
}

/* What a row is ordered by among its brothers. */
static double weight(const struct growing *g, uint32_t node)
{
	return is_inner(g, node) ? (double)g->starts.all[node - 1].incl
				 : g->nodes[node].est;
}

static int costliest(const void *x, const void *y)
{
	const struct waiting *a = x, *b = y;

	if (a->cost != b->cost)
		return a->cost < b->cost ? 1 : -1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Level 1 is listed whole where it is the calls of a set. */
static bool worth_a_row(const struct growing *g, uint32_t i)
{
	const struct node *x = &g->nodes[i];

	if (is_inner(g, i))
		return !path_under_min(weight(g, i), g->q->min);
	return !path_under_min(x->est, g->q->min) &&
	       (x->est >= 0.5 || (x->depth == 1 && g->q->of == TREE_CALLS));
}

static double own_of(const struct growing *g, uint32_t node)
{
	const struct node *x = &g->nodes[node];
	double through;

	if (x->fn == FLOW_NONE || !(x->rest > 0) || is_inner(g, node))
		return x->own;
	through = unshown_through(g, node, x->fn);
	return through > 0 ? x->own + x->rest * unshown_own(g, x->fn) / through : x->own;
}

/* Keep a node and all above it, as long as there is room. */
static bool keep(struct choosing *c, uint32_t node)
{
	const struct growing *g = c->g;
	uint32_t wanted = 0;

	for (uint32_t i = node; !c->kept[i]; i = g->nodes[i].parent) {
		if (!worth_a_row(g, i))
			return true;
		wanted++;
	}
	if (c->n + wanted > g->most)
		return false;
	for (uint32_t i = node; !c->kept[i]; i = g->nodes[i].parent) {
		c->kept[i] = 1;
		c->n++;
	}
	return true;
}

/* The widest first, for who looks at the tree; then those that spend most themselves, so
 * that as much of the cost as can be is in the rows. */
static int choose_nodes(struct choosing *c, bool *cut)
{
	struct growing *g = c->g;
	struct waiting *by = ARENA_ARRAY(g->arena, struct waiting, (size_t)g->n + 1);
	double wide = g->nodes[TOP].est * WIDE;

	if (!by)
		return full(g);
	c->kept[TOP] = 1;
	for (int own = 0; own <= 1; own++) {
		uint32_t n = 0;

		for (uint32_t i = 1; i < g->n; i++)
			if (worth_a_row(g, i) && !c->kept[i] &&
			    (own || g->nodes[i].depth == 1 || g->nodes[i].est >= wide))
				by[n++] = (struct waiting){
					own ? own_of(g, i) : weight(g, i), i};
		qsort(by, n, sizeof(*by), costliest);
		for (uint32_t k = 0; k < n; k++)
			*cut |= !keep(c, by[k].node);
	}
	return 0;
}

static int choose(struct choosing *c, bool *cut)
{
	struct growing *g = c->g;
	struct waiting *by_cost;
	uint32_t n = 0;

	c->first = ARENA_ARRAY(g->arena, uint32_t, (size_t)g->n + 1);
	c->next = ARENA_ARRAY(g->arena, uint32_t, (size_t)g->n + 1);
	c->kept = ARENA_ARRAY(g->arena, uint8_t, (size_t)g->n + 1);
	if (!c->first || !c->next || !c->kept)
		return full(g);
	if (choose_nodes(c, cut))
		return -1;
	if (!(by_cost = ARENA_ARRAY(g->arena, struct waiting, (size_t)c->n + 1)))
		return full(g);
	for (uint32_t i = 1; i < g->n; i++)
		if (c->kept[i])
			by_cost[n++] = (struct waiting){weight(g, i), i};
	qsort(by_cost, n, sizeof(*by_cost), costliest);
	/* Linked from the back, brothers stand in that order. */
	for (uint32_t k = n; k-- > 0;) {
		uint32_t i = by_cost[k].node, p = g->nodes[i].parent;

		c->next[i] = c->first[p];
		c->first[p] = i;
	}
	return 0;
}

static struct path_bounds start_bounds(const struct growing *g, uint32_t node,
				       const struct start *s)
{
	const struct node *x = &g->nodes[node];
	const struct flow *fl = g->fl;

	if (s->inner)
		return path_bounds_exact(s->incl);
	if (g->q->of == TREE_CALLS) /* level 1 is calls */
		return path_bounds_of(x->est, s->exact ? s->incl : 0, s->incl, true);
	if (g->q->of == TREE_PROGRAM)
		return path_bounds_of(x->est, path_rounded(fl->root[x->fn]),
				      path_rounded(fl->root[x->fn]),
				      !fl->keep && !fl->odd[x->fn]);
	return path_bounds_of(x->est, s->exact ? fl->passing[x->fn] : 0,
			      fl->passing[x->fn], !fl->odd[x->fn]);
}

static struct path_bounds chain_bounds(const struct growing *g, uint32_t node,
				       struct path_bounds up)
{
	const struct node *x = &g->nodes[node];
	const struct flow *fl = g->fl;
	uint32_t f = g->nodes[x->parent].fn;
	uint64_t passing = fl->passing[f];
	struct path_bounds b;

	if (x->parent == TOP && g->q->of == TREE_CALLS)
		for (uint32_t i = fl->in.out_first[f]; i < fl->in.out_first[f + 1]; i++)
			if (fl->in.callee[i] == f && fl->in.incl[i] <= passing)
				passing -= fl->in.incl[i];
	b = path_bounds_next(up, fl->in.incl[x->edge], 0, passing, fl->odd[f]);
	return path_bounds_of(x->est, b.lo, b.hi, b.bounded);
}

static struct path_tree_row row_of(const struct growing *g, uint32_t node,
				   struct path_bounds up)
{
	const struct node *x = &g->nodes[node];
	const struct start *s = x->edge == FLOW_NONE ? &g->starts.all[node - 1] : NULL;
	const struct flow_input *in = &g->fl->in;
	struct path_tree_row r = {.depth = x->depth, .fn = x->fn};

	if (s) {
		r.calls = s->calls;
		r.incl = g->q->of == TREE_CALLS ? s->incl : path_rounded(x->est);
		r.inner = s->inner;
		r.cost = start_bounds(g, node, s);
	} else {
		r.calls = in->calls[x->edge];
		r.incl = in->incl[x->edge];
		r.cost = chain_bounds(g, node, up);
	}
	return r;
}

/* A row lies on a line from `at` for its cost, its own part first, then its children; in
 * whole units it is what its ends round to. */
struct laid {
	double at, end; /* where the next child begins; none ends behind end */
	uint32_t row; /* FLOW_NONE: TOP */
};

static uint64_t units(double from, double to)
{
	uint64_t a = path_rounded(from), b = path_rounded(to);

	return b > a ? b - a : 0;
}

/* Put a node at up->at on the line, which moves past it, but not past the end of what it is
 * a part of. */
static void lay(const struct growing *g, uint32_t node, struct laid *up, double exact,
		uint64_t *est, uint64_t *own, struct laid *in)
{
	double end = up->at + (exact >= 0 ? exact : g->nodes[node].est);
	double kept = up->at + own_of(g, node);

	end = end > up->end ? up->end : end;
	kept = kept > end ? end : kept;
	*est = units(up->at, end);
	*own = units(up->at, kept);
	in->at = kept;
	in->end = end;
	up->at = end;
}

/* Rounded costs may contradict each other: whole units that do not fit in the row above are
 * not there, and then no bound says that they are. */
static void include(struct path_tree_row *r)
{
	if (r->cost.bounded && r->est < r->cost.lo)
		r->cost.lo = r->est;
	if (r->cost.bounded && r->est > r->cost.hi)
		r->cost.hi = r->est;
	r->cost.measured &= r->cost.lo == r->cost.hi;
}

static int lay_out(struct choosing *c, struct path_tree *t)
{
	struct growing *g = c->g;
	size_t n = (size_t)c->n + 2;
	struct laid *open = ARENA_ARRAY(g->arena, struct laid, n);
	uint32_t *on_path = ARENA_ARRAY(g->arena, uint32_t, (size_t)g->fl->in.functions + 1);
	struct laid line = {.end = INFINITY};
	uint32_t i;

	t->rows = ARENA_ARRAY(g->arena, struct path_tree_row, n);
	if (!open || !on_path || !t->rows)
		return full(g);
	lay(g, TOP, &line, t->base.measured ? t->base.est : -1, &t->est, &t->own, &open[0]);
	open[0].row = FLOW_NONE;
	t->left_out = t->est - t->own;
	for (i = c->first[TOP]; i;) {
		uint32_t d = g->nodes[i].depth;
		uint32_t up = open[d - 1].row;
		struct path_tree_row *r = &t->rows[t->n];

		*r = row_of(g, i, up == FLOW_NONE ? t->base : t->rows[up].cost);
		r->parent = up;
		r->recursive = (g->in_set && g->in_set[r->fn]) || on_path[r->fn];
		if (!r->inner) {
			lay(g, i, &open[d - 1], r->cost.measured ? r->cost.est : -1, &r->est,
			    &r->own, &open[d]);
			t->left_out -= r->own;
			include(r);
		}
		open[d].row = (uint32_t)t->n++;
		if (c->first[i]) {
			on_path[r->fn]++;
			i = c->first[i];
			continue;
		}
		while (i && !c->next[i]) {
			i = g->nodes[i].parent;
			if (i)
				on_path[g->nodes[i].fn]--;
		}
		i = c->next[i];
	}
	return 0;
}

/* ---- */

static int prepare(struct growing *g)
{
	const struct path_tree_query *q = g->q;
	uint32_t first = q->set ? fnset_next(q->set, 0) : FNSET_NONE;

	g->in_set = chain_marks(g->fl, q->set, g->arena);
	g->avoided = chain_marks(g->fl, q->avoiding, g->arena);
	if (!g->in_set || !g->avoided)
		return full(g);
	g->one = first != FNSET_NONE && fnset_next(q->set, first + 1) == FNSET_NONE
			 ? first
			 : FLOW_NONE;
	if (find_starts(g, g->fl, g->arena, &g->starts))
		return -1;
	return g->one == FLOW_NONE ? 0 : add_own_call(g);
}

static struct path_bounds base_bounds(const struct growing *g)
{
	double est = g->nodes[TOP].est;

	if (g->one != FLOW_NONE)
		return path_bounds_of(g->q->one.measured ? g->q->one.est : est, g->q->one.lo,
				      g->q->one.hi, g->q->one.bounded);
	return path_bounds_of(est, 0, UINT64_MAX, false);
}

int path_tree(const struct flow *fl, const struct path_tree_query *q, struct arena *a,
	      const atomic_int *cancel, struct path_tree *out, struct err *err)
{
	struct growing g = {.fl = fl,
			    .q = q,
			    .arena = a,
			    .cancel = cancel,
			    .err = err,
			    .most = q->rows ? q->rows : PATH_TREE_ROWS};
	struct choosing c = {.g = &g};
	struct path_tree t = {0};

	if (prepare(&g) || (q->parts ? grow_parts(&g) : put_starts(&g, true)))
		return (int)err->kind;
	for (uint32_t k = 0; g.nheap && k <= g.most; k++) {
		if (k % POLL == 0 && flow_canceled(cancel, err))
			return (int)err->kind;
		if (expand(&g, pop(&g).node))
			return (int)err->kind;
	}
	t.cut = g.nheap > 0;
	t.base = base_bounds(&g);
	if (choose(&c, &t.cut) || lay_out(&c, &t))
		return (int)err->kind;
	*out = t;
	return 0;
}
