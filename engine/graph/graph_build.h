/*
 * graph_build.h - the structure of a stage's graph: from functions and edges to adjacency,
 * cycles and call counts.  For graph*.c only.
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
	uint32_t *first;  /* [functions]: a function below: name, file, object */
	struct str *name; /* [functions]: own names; NULL: none has one */
	/* Edges in any order, several of one pair too; they are merged. */
	uint32_t *caller, *callee; /* [edges] */
	uint64_t *calls;	   /* [edges] */
	uint32_t edges;
	const uint8_t
		*again; /* [functions below], of stages that merge (graph.h); or NULL */
};

/* edge_map (may be NULL) receives the edge here of each draft edge. */
int graph_build(const struct graph_draft *d, struct graph **out, uint32_t **edge_map,
		struct err *err);
/* Number the functions below that keep marks (map 1), in order: sets map and first. */
int graph_number(struct graph_draft *d, const uint8_t *keep, struct err *err);
int graph_poll(const struct graph *g, uint32_t i, struct err *err);
uint64_t graph_round(double d);

#endif
