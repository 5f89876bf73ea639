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
	bool made; /* else a query ended while it was made: it is made again */
	/* Makes incl[f] complete, if it is an estimate not made yet; NULL: all are made. */
	void (*estimate)(const struct graph *g, uint32_t f, uint32_t e);
	struct graph_pending *pending;
};

/* A stage fills in a draft: which functions there are and which ones below they come from,
 * and the edges between them.  graph_build() makes the rest of the graph from it. */
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
	const uint32_t *same; /* [functions], of stages that merge: the one function below
				 that it is, or GRAPH_NONE; or NULL */
	bool adds;	      /* functions after those of the graph below */
	const uint64_t *roots; /* [functions below]: calls of roots; NULL: as below */
};

/* Begin a graph that merges functions of g: the maps, empty. */
void graph_draft(struct graph *g, struct graph_draft *d);
/* Put f into a group; the first one of a new group gives it the number d->functions. */
void graph_draft_join(struct graph_draft *d, uint32_t f, uint32_t group);
/* Merge functions by the draft's map.  named: groups with a name in it are named for
 * themselves. */
void graph_merge(struct graph_draft *d, bool named, struct graph **out);
/* The graph below g with contexts joined to functions, even where g keeps them apart.  NULL: each
 * function has one context. */
struct graph *graph_joined_below(struct graph *g);
/* [edges below]: the edge of g, which graph_merge() made. */
const uint32_t *graph_merged_edges(const struct graph *g);
void graph_build(const struct graph_draft *d, struct graph **out);
/* Begin a graph of the functions of g that are marked in keep, in their order. */
void graph_number(struct graph *g, const uint8_t *keep, struct graph_draft *d);
/* Keep the calls of g, `in`, between functions that stay; keep: of these only some, NULL: all.
 * (*from)[edges]: the call of g; calls: how often each is made. */
void graph_keep_edges(struct graph_draft *d, const struct flow_input *in,
		      const uint64_t *calls, const uint8_t *keep, uint32_t **from);
/* Let each function of g have run as often as its members below did together. */
void graph_keep_runs(const struct graph_draft *d, struct graph *g);
/* The costs that a stage that estimates leaves as they are: *sure of the new graph starts
 * with what is so below; the stage takes away the others. */
void graph_sure(struct graph *g, uint8_t **sure, uint8_t **call);
/* Room for so many edges. */
void graph_draft_edges(struct graph_draft *d, size_t edges);
/* ---- graph_late.c: functions whose calls are not joined yet ---- */
struct graph_late {
	struct graph *of;
	void (*join)(struct graph *g); /* the calls; g->late becomes NULL */
	const uint32_t *known; /* [functions]: 1: store_group_incl() has its cost */
};
/* The self costs of an event. */
void graph_late_event(struct graph *g, uint32_t e);
bool graph_late_recurs(const struct graph *g, uint32_t f); /* f calls itself */
/* The costs of the calls into f (in), or of those by f that leave its cycle. */
int64_t graph_late_sum(const struct graph *g, uint32_t f, uint32_t e, bool in);

void graph_poll(const struct graph *g, uint32_t i);

#endif
