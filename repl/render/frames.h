/*
 * frames.h - a result as stacks: what flame graphs, folded stacks and speedscope draw.
 *
 * A call tree gives its rows, on a frame of what it is a tree of; paths give one stack each;
 * any other table with a function and a cost gives stacks of one frame.  Calls from a set
 * into itself are in no sum and are left out.
 */
#ifndef QUERN_FRAMES_H
#define QUERN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/lang/result.h"
#include "index/base/err.h"

struct frame {
	struct str name;
	uint64_t value; /* cost with everything above it; at least the sum of those */
	uint64_t self;	/* value less that sum */
	size_t depth;	/* from 0 */
	size_t parent;	/* index of the frame below, FRAME_NONE at depth 0 */
	size_t row;	/* of the result; FRAME_NONE: what the tree is of, or `other` */
	bool estimated;
	bool other; /* what its parent spent in calls that are no rows: cut, filtered */
};
#define FRAME_NONE SIZE_MAX

struct frames {
	struct frame *all; /* a frame stands before those above it */
	size_t n;
	size_t deepest;
	uint64_t sum;	   /* of the frames at depth 0 */
	uint64_t left_out; /* what of it is in frames that are `other` */
	bool estimated;	   /* some are */
	bool rooted;	   /* all[0] carries all others */
	struct str event;
};

/* Names are those of the result.  ERR_QUERY: the result has no function or no cost. */
int frames_of(const struct result *r, const char *format, struct frames *out,
	      struct err *err);
/* The same for formats that list every stack whole.  Of deep recursion that is the square of its
 * depth, so where it is too much, frames above some depth are one "(other)" there, and *note
 * says how much of the cost that is. */
int frames_of_stacks(const struct result *r, const char *format, struct frames *out,
		     char *note, size_t size, struct err *err);
void frames_free(struct frames *f);

#endif
