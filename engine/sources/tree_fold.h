/*
 * tree_fold.h - trees after `collapse` and `norec`: the estimate first, then the merging.
 *
 * What leads where is known better of the functions than of the groups that they were merged
 * to.  So the tree is grown over the functions, and its rows are folded: neighbours of one
 * group on a chain are one row, so are brothers.
 */
#ifndef QUERN_TREE_FOLD_H
#define QUERN_TREE_FOLD_H

#include "engine/rows/exec.h"
#include "engine/path/path.h"

/* q is of x->g, which merges functions (graph.h); x->event's costs must be there. */
int tree_fold(struct exec *x, const struct path_tree_query *q, struct path_tree *out);

#endif
