/*
 * near.h - the direct callers or callees of a set, read from the edges at hand.
 *
 * The same rows as path_tree() with depth 1 (a test compares them), without building the
 * flow of the whole graph first.
 */
#ifndef QUERN_NEAR_H
#define QUERN_NEAR_H

#include "engine/exec.h"
#include "engine/path.h"

/* x->event's costs must be there (graph_event). */
int near_rows(struct exec *x, const struct fn_set *set, bool up, double min,
	      struct path_tree *out);

#endif
