/* frames_in.h - the inside of frames.c and frames_two.c. */
#ifndef QUERN_FRAMES_IN_H
#define QUERN_FRAMES_IN_H

#include "index/base/cost.h"
#include "repl/pictures/frames.h"

/* The columns that frames are made of. */
struct frames_source {
	const struct column *depth, *cost, *own, *name, *path;
	unsigned end; /* whose name: see result_fn() */
	bool named;   /* it is the name of a function */
};

/* What is drawn of a cost: nothing, if it is negative. */
static inline uint64_t frames_drawn(int64_t cost)
{
	return (uint64_t)cost_flow(cost);
}

/* Add a frame for each row.  place[], waiting[]: zeros, one for each frame; then place[i]
 * is 1 + the frame of row i if the rows are linked (r->on). */
void frames_link(const struct result *r, const struct frames_source *s, size_t *place,
		 size_t *waiting, struct frames *f);
/* Compute self and the sums from the values; a parent is at least its frames above. */
void frames_sum(struct frames *f);
/* As frames_of(), for an answer about two profiles. */
int frames_of_two(const struct result *r, const struct frames_source *s,
		  struct frames *out, struct err *err);

#endif
