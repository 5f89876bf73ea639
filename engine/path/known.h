/*
 * known.h - trees and costs over known stacks (index/graph/stacks.h): exact.
 *
 * The rows, and the sets asked for, are of functions; a function is all vertices of it.
 */
#ifndef QUERN_KNOWN_H
#define QUERN_KNOWN_H

#include "index/graph/stacks.h"
#include "engine/path/path.h"

/* As path_tree().  A row's calls and incl are those of this chain alone.  What a recursive
 * set calls in itself is a row, `inner`. */
void known_tree(const struct stacks *s, const struct path_tree_query *q, struct arena *a,
		const struct cancel *cancel, struct path_tree *out);
/* est[functions] (zeros): the cost of the calls that f makes (up: that call f), by the
 * function at the other end; each cost once. */
void known_neighbours(const struct stacks *s, uint32_t f, bool up, int64_t *est,
		      struct arena *a);
/* As path_cost(); *calls: those of `of` that are asked for. */
void known_cost(const struct stacks *s, const struct path_cost_query *q, struct arena *a,
		const struct cancel *cancel, int64_t *out, uint64_t *calls);
/* As path_find(); a path may pass a function twice, if the program did.  The widest path is
 * the hottest. */
void known_paths(const struct stacks *s, const struct path_query *q, struct arena *a,
		 const struct cancel *cancel, struct path_list *out);

#endif
