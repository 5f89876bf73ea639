/*
 * known.h - paths and costs over known stacks (index/graph/stacks.h): exact.
 *
 * The rows, and the sets asked for, are of functions; a function is all vertices of it.
 */
#ifndef QUERN_KNOWN_H
#define QUERN_KNOWN_H

#include "index/graph/stacks.h"
#include "engine/path/path.h"

/* As path_cost(); *calls: those of `of` that are asked for. */
void known_cost(const struct stacks *s, const struct path_cost_query *q, struct arena *a,
		const struct cancel *cancel, int64_t *out, uint64_t *calls);
/* As path_find(); a path may pass a function twice, if the program did.  The widest path is
 * the hottest. */
void known_paths(const struct stacks *s, const struct path_query *q, struct arena *a,
		 const struct cancel *cancel, struct path_list *out);

#endif
