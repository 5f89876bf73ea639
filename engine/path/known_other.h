/*
 * known_other.h - the cost that the rows of a tree of known stacks leave out, by function
 * (path.h, struct path_shown): exact.
 */
#ifndef QUERN_KNOWN_OTHER_H
#define QUERN_KNOWN_OTHER_H

#include "engine/path/path.h"
#include "index/graph/stacks.h"

/* A chain of functions, and the vertices whose stacks read so (known_tree.c). */
struct known_node {
	uint32_t fn, parent, depth;
	uint32_t first, n; /* its vertices: vertex[first] .. */
	int64_t est, own;
	int64_t size; /* as est, of the sizes of all costs: est if none is negative */
	uint64_t calls;
	bool inner;
};

/* A tree that was cut, as known_tree() grew it; node 0 is the top. */
struct known_cut {
	struct stacks s;
	struct arena *a;
	bool up, frames;	       /* frames: the top is none */
	const struct fn_set *avoiding; /* or NULL */
	uint32_t most;		       /* others, the costliest */
	const struct known_node *node;
	uint32_t nodes;
	const uint32_t *row;	/* [nodes]: of the tree; UINT32_MAX: none */
	const uint32_t *vertex; /* of all nodes */
	const int64_t *cost;	/* [as vertex], of a tree of callers; or NULL */
};

/* t->grown is a struct known_cut. */
int known_shown(const struct path_tree *t, struct path_shown *out, struct err *err);

/* Orders of path_other: the costliest first; by row, then cost.  The row of the top is the
 * largest number, so it comes last. */
int path_other_by_cost(const void *a, const void *b);
int path_other_by_row(const void *a, const void *b);
void path_other_sort(struct path_other *o, size_t n,
		     int (*by)(const void *, const void *));
/* Add up the costs of each row and function; returns how many are left, by row and function. */
size_t path_other_join(struct path_other *o, size_t n);

#endif
