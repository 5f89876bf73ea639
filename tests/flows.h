/*
 * flows.h - call graphs to search paths in: what tests/unit/path*_test.c share.
 *
 * All memory is the arena's, zeroed; what cannot fail here dies.
 */
#ifndef QUERN_TESTS_FLOWS_H
#define QUERN_TESTS_FLOWS_H

#include "engine/flow.h"
#include "engine/path.h"

struct graph {
	uint32_t functions, edges;
	uint32_t *first,
		*callee; /* edges by caller: f's are first[f] up to first[f + 1] */
	uint64_t *calls, *w, *self;
};

struct graph flows_graph(struct arena *a, uint32_t functions, uint32_t edges);
/* As an index has it: callers first, the functions of a cycle together. */
struct flow_input flows_input(struct arena *a, const struct graph *g);
const struct flow *flows_build(struct arena *a, const struct graph *g);

struct path_list flows_find(const struct flow *fl, struct path_query q, struct arena *a);
struct path_bounds flows_cost(const struct flow *fl, struct path_cost_query q,
			      struct arena *a);
struct path_bounds flows_end(const struct path *p); /* of its last step */

/* Random, the same in each run. */
uint32_t flows_below(uint32_t n);
struct fn_set *flows_set(struct arena *a, uint32_t functions,
			 uint32_t most); /* 1 and up */

/* 1 for each vertex with a function of the set; NULL: none. */
uint8_t *flows_vertices(const struct flow *fl, const struct fn_set *s, struct arena *a);

#endif
