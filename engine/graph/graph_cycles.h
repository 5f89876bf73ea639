/*
 * graph_cycles.h - how a cycle of the call graph is held together.
 */
#ifndef QUERN_GRAPH_CYCLES_H
#define QUERN_GRAPH_CYCLES_H

#include "engine/graph/graph.h"

#define CYCLE_UNKNOWN UINT32_MAX

struct graph_cycle {
	uint32_t functions, entries; /* entries: members that are called from outside */
	uint32_t entry;		     /* the one by which most cost comes in */
	uint32_t calls;		     /* edges inside */
	uint32_t costliest;	     /* the costliest of them, or GRAPH_NONE */
	/* Edges whose loss would leave no cycle, chosen to cost as little as can be found: the
	 * costliest first; n is CYCLE_UNKNOWN where looking would take too long. */
	uint32_t *opening, nopening;
	uint64_t opening_cost;
};

/* All cycles of g, by event e: [cycles], cycle 1 first.  In g's arena. */
int graph_cycles(struct graph *g, uint32_t e, struct graph_cycle **out, struct err *err);

#endif
