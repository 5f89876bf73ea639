/* gstage.h - run the graph stages of a query on x->g. */
#ifndef QUERN_GSTAGE_H
#define QUERN_GSTAGE_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct exec;
struct graph;
struct gstage;
struct str;

/* Is one of the stages `contexts`? */
bool gstage_contexts(const struct gstage *first);
/* Spans of the stages point into text. */
void exec_gstages(struct exec *x, const struct gstage *first, struct str text);

/* The graph that the stages of x would make of one part alone, in arena a. */
void exec_gstages_of_part(struct exec *x, uint32_t part, struct arena *a,
			  struct graph **out);

#endif
