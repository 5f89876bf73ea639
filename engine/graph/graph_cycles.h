/* graph_cycles.h - the calls that hold a cycle of the call graph together. */
#ifndef QUERN_GRAPH_CYCLES_H
#define QUERN_GRAPH_CYCLES_H

#include "engine/graph/graph.h"

#define CYCLE_UNKNOWN UINT32_MAX

struct graph_cycle {
	uint32_t functions, entries; /* entries: members that are called from outside */
	uint32_t entry;		     /* the member with the most cost coming in */
	uint32_t calls;		     /* edges inside */
	uint32_t costliest;	     /* the costliest edge inside, or GRAPH_NONE */
	/* Edges whose removal leaves no cycle, as cheap as a heuristic finds them, the
	 * costliest first.  nopening is CYCLE_UNKNOWN if the search would take too
	 * long. */
	uint32_t *opening, nopening;
	int64_t opening_cost;
};

/* All cycles of g, by event e: [cycles], cycle 1 first.  In the arena. */
void graph_cycles(struct graph *g, uint32_t e, struct arena *a, struct graph_cycle **out);

#endif
