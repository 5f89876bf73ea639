/*
 * frames.h - a result as stacks, for flame graphs, folded stacks and speedscope.
 *
 * The rows of a call tree lie on a frame for its top.  Each path is one stack.  Any other
 * table with a function and a cost gives stacks of one frame.  Calls from a set into
 * itself are in no sum and are left out.
 *
 * In an answer about two profiles each frame has the costs of both.  A stack that only one
 * of them has costs 0 in the other.
 */
#ifndef QUERN_FRAMES_H
#define QUERN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/sort.h"

struct err;
struct result;

struct frame {
	struct str name;
	uint64_t value; /* cost with all frames above; at least their sum */
	uint64_t self;	/* value less the sum of the frames above */
	size_t depth;	/* from 0 */
	size_t parent;	/* index of the frame below, FRAME_NONE at depth 0 */
	size_t row;	/* of the result; FRAME_NONE: the top, or `other` */
	uint32_t fn;	/* result_fn(); names can be those of several functions */
	bool estimated;
	uint64_t base, base_self; /* of two profiles: the same in the base */
	bool base_estimated;
	bool other; /* cost of its parent in calls that are no rows: cut or filtered */
};
#define FRAME_NONE SIZE_MAX

struct frames {
	struct frame *all; /* a frame comes before those above it */
	size_t n;
	size_t deepest;
	uint64_t sum;	   /* of the frames at depth 0 */
	uint64_t left_out; /* the part of it in frames that are `other` */
	bool estimated;	   /* some frames are estimates */
	bool two;	   /* of two profiles */
	uint64_t base_sum; /* as sum, of the base */
	bool rooted;	   /* all other frames lie on all[0] */
};

/* Names are views of the result.  ERR_QUERY: the result has no function or no cost. */
int frames_of(const struct result *r, const char *format, struct frames *out,
	      struct err *err);
/* The same for formats that write every stack in full.  With deep recursion their size
 * is the square of the depth.  If it is too large, frames above some depth become one
 * "(other)", and *note says how much of the cost that is. */
int frames_of_stacks(const struct result *r, const char *format, struct frames *out,
		     char *note, size_t size, struct err *err);
/* order[i].value: the i-th frame by name, then by function; room for f->n. */
int frames_by_name(const struct frames *f, struct sort_pair *order, struct err *err);
/* Are these two, next to each other in that order, of different functions? */
bool frames_differ(const struct frames *f, const struct sort_pair *order, size_t i);
/* The file of the i-th, the first of its function, if others have its name; else empty. */
struct str frames_file(const struct result *r, const struct frames *f,
		       const struct sort_pair *order, size_t i);
void frames_free(struct frames *f);

#endif
