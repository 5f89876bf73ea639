/*
 * near.h - the direct callers or callees of one function, read from the edges at hand.
 *
 * The same rows as path_tree() with depth 1 (a test compares them), without building the
 * flow of the whole graph first.
 */
#ifndef QUERN_NEAR_H
#define QUERN_NEAR_H

#include "engine/rows/exec.h"
#include "engine/path/path.h"

/* x->event's costs must be there (graph_event). */
int near_rows(struct exec *x, uint32_t f, bool up, double min, struct path_tree *out);
/* Of est that passes f, what stays there: f's own, or up, what nothing called. */
uint64_t near_own(const struct exec *x, uint32_t f, bool up, uint64_t est);
/* The inclusive cost of f: what 100 % of it is. */
struct path_bounds near_inclusive(const struct exec *x, uint32_t f);

#endif
