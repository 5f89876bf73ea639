/*
 * tree_labels.h - trees where stages, or names, make one function of several.
 *
 * Those know better than the one which cost goes where.  So the tree goes over them, and its
 * rows are their labels (path.h): functions of levels of recursion and other contexts, of
 * places of inlined code, and groups of `collapse`.
 */
#ifndef QUERN_TREE_LABELS_H
#define QUERN_TREE_LABELS_H

struct exec;
struct path_tree;
struct path_tree_query;

/* q is of x->g, which merges functions (graph.h).  Call graph_event() for x->event
 * first. */
void tree_labels(struct exec *x, const struct path_tree_query *q, struct path_tree *out);
/* calls and incl of a row of level 1: of all calls between it and the set, of it (up) or by it. */
struct path_tree_row;
void tree_record_calls(const struct exec *x, const struct path_tree_query *q,
		       struct path_tree_row *r);

#endif
