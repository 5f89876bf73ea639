/*
 * tree_fold.h - trees after `collapse` and `norec`: first estimate, then merge.
 *
 * Functions know better than their groups which cost goes where.  So the tree is grown
 * over the functions, and then its rows are folded: neighbours of one group on a chain
 * become one row, and so do siblings of one group.
 */
#ifndef QUERN_TREE_FOLD_H
#define QUERN_TREE_FOLD_H

struct exec;
struct path_tree;
struct path_tree_query;

/* q is of x->g, which merges functions (graph.h).  Call graph_event() for x->event
 * first. */
int tree_fold(struct exec *x, const struct path_tree_query *q, struct path_tree *out);

#endif
