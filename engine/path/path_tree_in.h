/*
 * path_tree_in.h - a tree while it grows, shared by path_tree.c, path_starts.c,
 * path_rows.c and path_other.c.
 */
#ifndef QUERN_PATH_TREE_IN_H
#define QUERN_PATH_TREE_IN_H

#include "engine/graph/flow_parts.h"
#include "engine/path/path.h"
#include "index/base/hash.h"

enum { TREE_TOP = 0 }; /* the node of the top */
#define TREE_NO_ROW UINT32_MAX

struct node {
	uint32_t fn, parent;
	uint32_t edge;	/* to the parent; FLOW_NONE for a start */
	uint32_t depth; /* 0 for the top */
	double est;
	double rest; /* the part of est that is not split yet */
	double own;  /* the part of the split cost that stays here */
};

/* A row of level 1 that is not simply one call of the top. */
struct start {
	uint32_t fn;
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
	const struct flow *fl;
	const struct path_tree_query *q;
	struct arena *arena;
	const struct cancel *cancel;
	uint32_t one; /* the only function of the set, or FLOW_NONE */
	uint8_t *in_set, *avoided;
	bool counted; /* no rows for calls of the set into itself, or of no cost */
	struct starts starts;
	struct top top; /* of TREE_CALLS */
	struct node *nodes;
	struct waiting *heap;
	uint32_t n, nheap, most;
	size_t cap, heap_cap;
	uint32_t *row;	 /* [nodes]: its row, if it has one; of TREE_TOP: the number of
			  rows */
	uint32_t *group; /* [rows + 1]: the wide row at or above it */
	/* For several parts: */
	struct hash by;		   /* node by (parent, fn) */
	double *shown_own, *shown; /* [functions], [edges]: the cost that nodes have
				      split */
};

/* Make room in arena a for one more element after the n of an array. */
void tree_reserve(struct arena *a, void *pp, size_t *cap, uint32_t n, size_t size);

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

/* path_rows.c: choose the costliest nodes as rows. */
void tree_rows(struct growing *g, struct path_tree *t);
/* Set t->proven. */
void tree_proven(struct growing *g, struct path_tree *t);

#endif
