/*
 * path_tree_in.h - a tree while it grows, shared by path_tree.c, path_starts.c, known_tree.c,
 * path_rows.c, path_row_bounds.c and path_other.c.
 *
 * A node is a chain of labels.  Where all its cost is at one function, as in a flow without
 * labels, the node has that; else it has a list of places:
 *
 *	main f		f and f'2	node f		place f, place f'2
 *	main f g	g by both	node f g	fn g
 */
#ifndef QUERN_PATH_TREE_IN_H
#define QUERN_PATH_TREE_IN_H

#include "engine/graph/flow_parts.h"
#include "engine/path/path.h"
#include "index/base/hash.h"
#include "index/graph/stacks.h"

enum { TREE_TOP = 0 }; /* the node of the top */
#define TREE_NO_ROW UINT32_MAX

struct node {
	/* The function or, of several places, the number of functions + the label. */
	uint32_t fn;
	uint32_t parent;
	uint32_t edge;	/* by which cost comes from the parent; FLOW_NONE for a start; or
			   the first of several places */
	uint32_t depth; /* 0 for the top */
	double est;	/* of known stacks: its size */
	double rest;	/* the part of est that is not split yet */
	double own;	/* the part of the split cost that stays here */
};

/* Of a node of known stacks: its vertices, vertex[first] .., and costs to the unit. */
struct known_node {
	uint32_t first, n;
	int64_t est, own, least;
	uint64_t calls;
};

struct known {
	struct stacks s;
	uint8_t *member;	 /* [vertices]: in the set, as the tree sees it */
	const int64_t *size;	 /* [vertices]: as incl, of the sizes of all costs */
	struct known_node *node; /* [nodes] */
	uint32_t *vertex;	 /* of all nodes */
	/* [as vertex]: the cost that a tree of callers counts there, and its size, if that is
	 * another; or NULL */
	int64_t *cost, *sized;
	size_t cap, vertices, vertex_cap, cost_cap, sized_cap;
};

/* A function at which the cost of a node is; by each call apart, if there are pairs. */
struct place {
	uint32_t fn, edge; /* as of a node */
	uint32_t node, next;
	double est, rest;
};

/* Bounds of the cost of a row at one function of its label.  The first of a list is of all:
 * lo is the calls from the row above, hi the cost through the functions there. */
struct place_bounds {
	uint32_t fn, next; /* 0: no more */
	int64_t lo, hi;
	bool bounded;
};

struct inside { /* a function of a row */
	uint32_t rank, bounds;
	struct place_bounds enters; /* from other rows */
};

/* A row of level 1 that is not simply one call of the top. */
struct start {
	uint32_t fn;
	uint32_t next; /* 1 + the next one of its node; 0: none */
	double est;
	uint64_t calls;
	int64_t incl, passed; /* recorded; the part that the top's cost can take */
	bool exact;	      /* est is `passed` */
	bool inner;
};

struct starts {
	struct start *all;
	uint32_t n;
	double est, own; /* of the top */
	double leaves; /* own and the calls out of the set (up: into it); of TREE_CALLS */
	bool exact;
};

/* The functions that the top stands for, taken as one: calls between them are inside. */
struct top {
	int64_t passing, own; /* the cost through them; the part that stays there */
	bool odd;
};

struct waiting { /* in the heap */
	double cost;
	uint32_t node;
};

struct growing {
	const struct flow *fl; /* of known stacks it has no calls, */
	struct known *known;   /* else this is NULL */
	const struct path_tree_query *q;
	struct arena *arena;
	const struct cancel *cancel;
	uint32_t one; /* the only function of the set, or FLOW_NONE */
	uint8_t *in_set, *avoided;
	bool counted; /* no rows for calls of the set into itself, or of no cost */
	struct starts starts;
	uint32_t nstarts;      /* nodes 1 .. nstarts begin with those */
	const uint32_t *start; /* [nstarts + 1]: 1 + the first one; NULL: the node */
	struct top top;	       /* of TREE_CALLS */
	struct node *nodes;
	struct waiting *heap;
	uint32_t n, nheap, most;
	size_t cap, heap_cap;
	uint32_t *row;	 /* [nodes]: its row, if it has one; of TREE_TOP: the number of
			  rows */
	uint32_t *group; /* [rows + 1]: the wide row at or above it */
	/* With labels; of known stacks node_at alone: */
	const struct path_labels *labels;
	struct place *places; /* from 1 */
	uint32_t nplaces;
	size_t places_cap;
	/* [labels], [functions] or with pairs [edges]: the node and the place of it below
	 * the node that is being expanded; 0: none */
	uint32_t *node_at, *place_at;
	uint32_t splits;	      /* places split so far */
	uint32_t fresh;		      /* nodes from here on are not in the heap yet */
	struct place_bounds *bounds;  /* from 1 */
	uint32_t nbounds, *bounds_of; /* [nodes]: of rows below those that are open */
	size_t bounds_cap;
	/* Inside rows of groups: */
	uint32_t *rank; /* [functions]: place in the order of calls; or NULL */
	struct inside *inside;
	size_t inside_cap;
	/* For several parts: */
	bool in_part;
	struct hash by;		   /* node by (parent, label) */
	struct hash by_place;	   /* place by (node, function) */
	double *shown_own, *shown; /* [functions], [edges]: the cost that nodes have
				      split */
};

/* Make room in arena a for one more element after the n of an array. */
void tree_reserve(struct arena *a, void *pp, size_t *cap, uint32_t n, size_t size);
/* Find or make the node below parent that has the label of fn, to which cost comes by edge. */
uint32_t tree_child(struct growing *g, uint32_t parent, uint32_t fn, uint32_t edge);
/* A child is complete, and waits to be expanded with this cost. */
void tree_made(struct growing *g, uint32_t node, double cost);

/* known_tree.c: the starts of a tree of known stacks, how a node is expanded, and the cost that
 * rows leave out. */
struct path_others {
	struct arena *arena;
	struct path_other *at;
	size_t n, cap;
};
void known_begin(struct growing *g);
void known_expand(struct growing *g, uint32_t node);
void known_others(const struct growing *g, struct path_others *o);
void path_other_add(struct path_others *o, uint32_t row, uint32_t fn, int64_t cost);

/* ---- the calls at a function, in the direction of the tree ---- */

struct calls {
	uint32_t first, end; /* indexes for tree_edge() */
};

static inline struct calls tree_calls(const struct growing *g, uint32_t f)
{
	const struct flow_input *in = &g->fl->in;
	const uint32_t *first = g->q->up ? in->in_first : in->out_first;

	return (struct calls){first[f], first[f + 1]};
}

static inline uint32_t tree_edge(const struct growing *g, uint32_t k)
{
	return g->q->up ? g->fl->in.in_edge[k] : k;
}

static inline uint32_t tree_other_end(const struct growing *g, uint32_t edge)
{
	return g->q->up ? g->fl->in.caller[edge] : g->fl->in.callee[edge];
}

/* ---- labels ---- */

/* Has the node a list of places? */
static inline bool tree_several(const struct growing *g, uint32_t node)
{
	const uint32_t fn = g->nodes[node].fn;

	return g->labels && fn >= g->fl->in.functions && fn != FLOW_NONE;
}

static inline uint32_t tree_label(const struct growing *g, uint32_t fn)
{
	return g->labels ? g->labels->of[fn] : fn;
}

static inline uint32_t tree_node_label(const struct growing *g, uint32_t node)
{
	const uint32_t fn = g->nodes[node].fn;

	return tree_several(g, node) ? fn - g->fl->in.functions : tree_label(g, fn);
}

/* Is the call between two functions inside a row? */
static inline bool tree_inside(const struct growing *g, uint32_t from, uint32_t to)
{
	return g->labels && g->labels->group &&
	       g->labels->group[from] == g->labels->group[to];
}

/* The place after `at`; 0: none.  Start with tree_place(), which is 0 for a node that has
 * one function. */
static inline uint32_t tree_place(const struct growing *g, uint32_t node)
{
	return tree_several(g, node) ? g->nodes[node].edge : 0;
}

static inline struct place tree_at(const struct growing *g, uint32_t node, uint32_t place)
{
	const struct node *x = &g->nodes[node];

	return place ? g->places[place]
		     : (struct place){x->fn, x->edge, node, 0, x->est, x->rest};
}

/* The first start of a node; NULL: a call of the row above, or a start that only some
 * part's flow has. */
static inline const struct start *tree_start(const struct growing *g, uint32_t node)
{
	return node == TREE_TOP || node > g->nstarts ? NULL
	       : g->start			     ? &g->starts.all[g->start[node] - 1]
						     : &g->starts.all[node - 1];
}

static inline const struct start *tree_next_start(const struct growing *g,
						  const struct start *s)
{
	return s->next ? &g->starts.all[s->next - 1] : NULL;
}

static inline bool tree_is_inner(const struct growing *g, uint32_t node)
{
	const struct start *s = tree_start(g, node);

	return s && s->inner;
}

/* The part of a call, of the cost that stays at f, and of the cost through f that no
 * part has shown yet; with one part, all of it.  The cost that stays is what f spends or,
 * in a tree of callers, what no call brought. */
double tree_unshown(const struct growing *g, uint32_t edge);
double tree_unshown_own(const struct growing *g, uint32_t f);
double tree_unshown_through(const struct growing *g, uint32_t node, uint32_t f);
/* The part of `rest` of a node that stays there. */
double tree_rest_own(const struct growing *g, uint32_t node);

/* path_starts.c: where the tree of a flow starts, and the cost of its top. */
void tree_starts(struct growing *g, const struct flow *fl, struct arena *a,
		 struct starts *s);
/* The call of the top by itself: a start that counts in no sum. */
void tree_add_own_call(struct growing *g);
/* Set g->top. */
void tree_sum_top(struct growing *g);

/* path_row_bounds.c: the bounds of a start, and of a call from a function that has bounds `up`. */
struct path_bounds tree_start_bounds(const struct growing *g, const struct start *s,
				     const struct path_bounds *up);
struct path_bounds tree_call_bounds(const struct growing *g, uint32_t parent,
				    uint32_t edge, const struct path_bounds *up);
/* With labels: find the bounds of the rows below a node, which are linked by next[], at each of
 * their functions; then those of one of them as a whole. */
void tree_bound_below(struct growing *g, uint32_t node, const struct path_bounds *cost,
		      uint32_t first, const uint32_t *next);
struct path_bounds tree_label_bounds(const struct growing *g, uint32_t node,
				     const struct path_bounds *up);

/* path_rows.c: choose the costliest nodes as rows. */
void tree_rows(struct growing *g, struct path_tree *t);
/* Set t->proven. */
void tree_proven(struct growing *g, struct path_tree *t);

#endif
