/*
 * neighbours.h - the direct callers or callees of one function, read from its edges.
 *
 * The rows are the same as those of path_tree() with depth 1 (tests compare them), but the
 * flow of the whole graph is not needed.  Where they are estimates, the parts of a profile
 * and the members of a group know more: then they are of no use.
 */
#ifndef QUERN_NEIGHBOURS_H
#define QUERN_NEIGHBOURS_H

#include "engine/rows/exec.h"
#include "engine/path/path.h"

/* Call graph_event() for x->event first. */
void neighbour_rows(struct exec *x, uint32_t f, bool up, double min,
		    struct path_tree *out);
/* The part of row r of the direct callees or callers of `top` that stays there: its self
 * cost or, for callers, the cost that no call brought. */
int64_t near_row_own(struct exec *x, uint32_t top, const struct path_tree_row *r,
		     bool up);
/* The inclusive cost of f: 100 % of its rows. */
struct path_bounds neighbour_inclusive(const struct exec *x, uint32_t f);

#endif
