/*
 * known_other.h - the cost that the rows of a tree of known stacks leave out, by function
 * (path.h, struct path_left_out): exact.
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

struct known_waiting { /* in the heap: a node to be expanded */
	int64_t size;
	uint32_t node;
};

/* A tree as known_tree() grows it; node 0 is the top. */
struct known_growing {
	struct stacks s;
	struct path_tree_query q;
	struct arena *a;
	const struct cancel *cancel;
	uint32_t most;	 /* rows, the costliest; and others */
	bool frames;	 /* the top is no frame */
	uint8_t *member; /* [n]: in the set, as the tree sees it; MEMBER.. */
	struct known_node *node;
	uint32_t *row; /* [nodes]: of the tree; UINT32_MAX: none */
	size_t nodes, node_cap;
	uint32_t *vertex; /* of all nodes */
	/* [as vertex]: the cost that a tree of callers counts at the vertex, and its size
	 * (find_sizes()); or NULL */
	int64_t *cost, *sized;
	const int64_t *size; /* [n]: as incl, of the sizes of all costs */
	size_t vertices, vertex_cap, cost_cap, sized_cap;
	uint32_t *slot; /* [functions]: 1 + the node of that function being filled */
	struct known_waiting *heap;
	size_t heaped, heap_cap;
};

/* t->grown is a struct known_growing. */
void known_left_out(const struct path_tree *t, struct path_left_out *out);

/* Orders of path_other: the costliest first; by row, then cost.  The row of the top is the
 * largest number, so it comes last. */
int path_other_by_cost(const void *a, const void *b);
int path_other_by_row(const void *a, const void *b);
void path_other_sort(struct path_other *o, size_t n,
		     int (*by)(const void *, const void *));
/* Add up the costs of each row and function; returns how many are left, by row and function. */
size_t path_other_join(struct path_other *o, size_t n);

#endif
