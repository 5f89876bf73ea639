/*
 * graph_build.h - build the structure of a stage's graph: adjacency, cycles and call
 * counts from functions and edges.  Only graph*.c includes it.
 */
#ifndef QUERN_GRAPH_BUILD_H
#define QUERN_GRAPH_BUILD_H

#include "engine/graph/graph.h"

struct graph_costs {
	uint64_t *self, *incl; /* [functions] */
	uint64_t *edge;	       /* [edges] */
	uint64_t *cycle;       /* [cycles + 1]: inclusive */
	uint64_t total;
};

struct graph_draft {
	struct graph *below;
	uint32_t functions;
	uint32_t *map;	  /* [below functions]: here, or GRAPH_NONE */
	uint32_t *first;  /* [functions]: a function below, which gives name, file,
			     object */
	struct str *name; /* [functions]: own names; NULL: none has one */
	/* Edges in any order; edges with the same ends are merged. */
	uint32_t *caller, *callee; /* [edges] */
	uint64_t *calls;	   /* [edges] */
	uint32_t edges;
	const uint8_t
		*again; /* [functions below], of stages that merge (graph.h); or NULL */
};

/* edge_map[i], which may be NULL, gets the number that draft edge i has in *out. */
int graph_build(const struct graph_draft *d, struct graph **out, uint32_t **edge_map,
		struct err *err);
/* Number the functions below that are marked in keep, in order: sets map and first. */
int graph_number(struct graph_draft *d, const uint8_t *keep, struct err *err);
int graph_poll(const struct graph *g, uint32_t i, struct err *err);
uint64_t graph_round(double d);

#endif
