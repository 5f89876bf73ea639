/*
 * fold_bounds.h - bounds of the rows of a tree of functions, by their contexts.
 *
 * A row of a folded tree (tree_fold.h) is a chain of functions: all chains of contexts with
 * these names.  The contexts that its last function is in, each with bounds of the cost of
 * the chains that lead there, are its places; those of the rows below follow from them as
 * path.h says.  Contexts count though the tree has no row for them.
 */
#ifndef QUERN_FOLD_BOUNDS_H
#define QUERN_FOLD_BOUNDS_H

#include "engine/path/path.h"

struct exec;
struct flow;
struct fold_bounds;
struct graph;

/* x->g: joined from base; group[]: its functions, of those of base; q: of x->g, below: the
 * same of base, and tree: its rows.  All are borrowed. */
struct fold_tree {
	struct exec *x;
	struct graph *base;
	const struct flow *flow; /* of base */
	const uint32_t *group;
	const struct path_tree_query *q, *below;
	const struct path_tree *tree;
};
void fold_bounds_new(const struct fold_tree *of, struct fold_bounds **out);
/* The first of the places of a row of level 1.  0: none. */
void fold_start(struct fold_bounds *b, uint32_t fn, uint32_t *place);
/* Those of rows of other functions below a row: place[i] of fn[i]. */
int fold_below(struct fold_bounds *b, uint32_t from, const uint32_t *fn, uint32_t n,
	       uint32_t *place);
/* The cost of all places. */
struct path_bounds fold_cost(const struct fold_bounds *b, uint32_t place);

#endif
