/*
 * graph_build.h - build the structure of a stage's graph: adjacency, cycles and call
 * counts from functions and edges.  Only graph*.c includes it.
 */
#ifndef QUERN_GRAPH_BUILD_H
#define QUERN_GRAPH_BUILD_H

#include "engine/graph/graph.h"

struct graph_costs {
	int64_t *self, *incl; /* [functions] */
	int64_t *edge;	      /* [edges] */
	int64_t *cycle;	      /* [cycles + 1]: inclusive */
	int64_t total;
	/* Makes incl[f] complete, if it is an estimate not made yet; NULL: all are made. */
	void (*estimate)(const struct graph *g, uint32_t f, uint32_t e);
	struct graph_pending *pending;
};

struct graph_draft {
	struct graph *below;
	uint32_t functions;
	uint32_t *map;	  /* [below functions]: here, or GRAPH_NONE */
	uint32_t *first;  /* [functions]: a function below, which gives name, file,
			     object */
	struct str *name; /* [functions]: own names; NULL: none has one */
	/* Edges in order of caller, then callee, each pair once. */
	uint32_t *caller, *callee; /* [edges] */
	uint64_t *calls;	   /* [edges] */
	uint32_t edges;
	const uint8_t
		*again; /* [functions below], of stages that merge (graph.h); or NULL */
	bool adds;	/* functions after those of the graph below */
};

int graph_build(const struct graph_draft *d, struct graph **out, struct err *err);
/* Number the functions below that are marked in keep, in order: sets map and first. */
int graph_number(struct graph_draft *d, const uint8_t *keep, struct err *err);
/* The costs that a stage that estimates leaves as they are: *sure of the new graph starts
 * with what is so below; the stage takes away the others. */
int graph_sure(struct graph *g, uint8_t **sure, uint8_t **call, struct err *err);
/* Room for so many edges. */
int graph_draft_edges(struct graph_draft *d, size_t edges, struct err *err);
/* List the functions of each group: member[first[k]] up to member[first[k + 1]]. */
int graph_members(struct arena *a, const uint32_t *group, uint32_t functions,
		  uint32_t groups, uint32_t **first, uint32_t **member, struct err *err);
int graph_poll(const struct graph *g, uint32_t i, struct err *err);
int64_t graph_round(double d);

#endif
