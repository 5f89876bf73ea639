/*
 * flows.h - call graphs to follow cost in: what path_test.c, chain_test.c and
 * inclusive_test.c of tests/unit/ share.
 *
 * All memory is the arena's, zeroed; what cannot fail here dies.
 */
#ifndef QUERN_TESTS_FLOWS_H
#define QUERN_TESTS_FLOWS_H

#include "engine/path/path.h"

struct flow_input;

struct graph {
	uint32_t functions, edges;
	uint32_t *first,
		*callee; /* edges by caller: f's are first[f] up to first[f + 1] */
	uint64_t *calls;
	int64_t *w, *self;
};

/* One edge of a graph by hand; they are ordered by caller. */
struct given {
	uint32_t from, to;
	uint64_t calls;
	int64_t w;
};

struct graph flows_graph(struct arena *a, uint32_t functions, uint32_t edges);
struct graph flows_given(struct arena *a, const int64_t *self, uint32_t functions,
			 const struct given *g, uint32_t edges);
/* 2 to `most` functions, 16 at most, that call each other in circles, and themselves, and
 * whose sums agree: callgrind's sums of a random program, or any edges with what makes them
 * agree. */
struct graph flows_random(struct arena *a, uint32_t most);
/* 9 functions, rounds of calls among which have up to 10^digits times what comes from outside
 * (digits 0: as much). */
struct graph flows_circling(struct arena *a, uint32_t digits);

/* As an index has it: callers first, the functions of a cycle together. */
struct flow_input flows_input(struct arena *a, const struct graph *g);
const struct flow *flows_build(struct arena *a, const struct graph *g);

struct path_list flows_find(const struct flow *fl, struct path_query q, struct arena *a);
struct path_tree flows_tree(const struct flow *fl, struct path_tree_query q,
			    struct arena *a);
struct path_bounds flows_cost(const struct flow *fl, struct path_cost_query q,
			      struct arena *a);
struct path_bounds flows_end(const struct path *p); /* of its last step */
/* Of a set of one: what f is entered with, and may be. */
struct path_bounds flows_incl(const struct flow *fl, uint32_t f, struct arena *a);

/* Random, the same in each run. */
uint32_t flows_below(uint32_t n);
struct fn_set *flows_set(struct arena *a, uint32_t functions,
			 uint32_t most); /* 1 and up */
struct fn_set *flows_one(struct arena *a, uint32_t functions, uint32_t f);

/* x of m x = b, by Gauss: m is n rows of n; both are overwritten, b by x. */
void flows_solve(uint32_t n, double *m, double *b);
/* What chain_spread() and chain_expect() are to find, that way. */
void flows_spread(const struct flow *fl, const uint8_t *stop, double *cost,
		  struct arena *a);
void flows_expect(const struct flow *fl, const uint8_t *known, double *value,
		  struct arena *a);
bool flows_close(double x, double y, double within); /* within: of their sum */

#endif
