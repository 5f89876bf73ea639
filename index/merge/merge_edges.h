/* merge_edges.h - calls of one function by another, with their counts and costs. */
#ifndef QUERN_MERGE_EDGES_H
#define QUERN_MERGE_EDGES_H

#include "index/merge/profile.h"

/* Fill in the edges of p and their sums, sorted by caller and callee; functions are numbered, and
 * p->map has them.  Returns 0 or err->kind. */
int merge_edges(struct profile *p, struct err *err);

#endif
