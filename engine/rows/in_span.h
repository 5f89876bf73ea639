/*
 * in_span.h - what of single activations lies in a span of the run (contexts/span.h).
 *
 * As laid out there, each spends its own cost after its calls.  In truth it may have spent
 * some of it before: all that an activation has may have been later, by no more than those
 * spend themselves that are open around it.  So what is inside is between bounds:
 *
 *	start .. end, moved by 0 .. what they spend; the least and the most of it inside
 */
#ifndef QUERN_IN_SPAN_H
#define QUERN_IN_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct activation;
struct exec;
struct run_span;
struct store;

/* Do stacks take turns, as those of PHP's fibers do? */
bool span_fibers(struct store *st);

/* Of the first event, in which a run is measured. */
struct span_bounds {
	int64_t lo, hi, self_lo, self_hi;
	bool sure; /* all of it is inside, whenever it was spent */
};

/* end: where it has spent its own cost; more: what those around it spend themselves.  false:
 * nothing of it can be inside. */
bool span_bounds(const struct run_span *of, const struct activation *a, int64_t end,
		 int64_t more, bool fibers, struct span_bounds *out);

/* What of an activation lies inside, as laid out. */
struct span_part {
	const int64_t *self, *incl; /* of each recorded event */
	uint64_t calls;		    /* that it makes there */
	struct span_bounds bounds;
};

/* inside: NULL if nothing of it is. */
typedef int span_take(void *arg, const struct activation *a,
		      const struct span_part *inside);

/* Tell of all activations, each after those that it calls (rows/activations.h). */
void exec_in_span(struct exec *x, const struct run_span *of, span_take *take, void *arg);

#endif
