/* source_activations.h - the rows of `activations`, and of `timeline`. */
#ifndef QUERN_SOURCE_ACTIVATIONS_H
#define QUERN_SOURCE_ACTIVATIONS_H

#include <stdbool.h>
#include <stdint.h>

struct exec;
struct source;

struct activation_row {
	uint64_t calls, depth;
	uint64_t number; /* from 1; while they are read, from the last one back */
	int64_t lo, hi;	 /* in a span: bounds of incl, of its event */
	uint32_t fn;	 /* of the graph */
	uint32_t caller; /* of the store, also outside what is opened; or NO_CALLER */
	uint32_t part;	 /* of the store */
	bool about;	 /* some of it may be spent outside the span, or all inside */
};

/* A frame of `timeline`. */
struct moment {
	int64_t start, incl, self; /* of the event asked */
	uint64_t calls, depth;
	uint32_t fn;	      /* of the graph; GRAPH_NONE: several calls */
	uint32_t on;	      /* the row that it lies on, or ROW_WHOLE */
	uint32_t first, next; /* while they are collected: of its calls, after it */
	uint32_t part;
};

/* Is it of the parts, and of what a stage has opened, that x asks? */
struct activation;
bool activation_is_asked(const struct exec *x, const struct activation *a);
/* An error unless the profile has activations, and no graph stage has changed the
 * functions of x->g. */
void exec_has_activations(struct exec *x, const struct source *s);

#endif
