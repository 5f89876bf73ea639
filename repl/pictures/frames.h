/*
 * frames.h - a result as stacks: the one tree that all pictures and stack exports draw.
 *
 * The rows of a call tree lie on a frame for its top.  Each path is one stack.  Any other
 * table with a function and a cost gives stacks of one frame.  Calls from a set into
 * itself are in no sum and are left out.
 *
 * Each frame has the costs of both sides of an answer about two profiles: [0] is this
 * profile, [1] the base, 0 where there is none.
 */
#ifndef QUERN_FRAMES_H
#define QUERN_FRAMES_H

#include "index/format/event.h"
#include "index/store/store.h"

struct arena;
struct graph;
struct path_tree;
struct render;
struct result;

struct frame {
	struct str name;
	struct str first;  /* the outermost name of a chain that is one frame; or empty */
	uint32_t joined;   /* frames of the chain less one */
	uint32_t fn;	   /* result_fn(); names can be those of several functions */
	uint64_t value[2]; /* cost with all frames above; at least their sum */
	uint64_t self[2];  /* value less the sum of the frames above */
	bool estimated[2];
	bool other;	    /* cost of its parent that is no row: cut or filtered */
	bool again;	    /* it holds calls of itself that are estimated */
	uint32_t times;	    /* its function stands on its stack so often below it */
	uint64_t deeper[2]; /* the part of `value` from dropped frames: FRAMES_DEEP */
	int64_t lo, hi;	    /* frames_of_tree(); hi -1: only that of the frame below */
	double x, wide;	    /* of pictures, in costs: where it is drawn */
	size_t depth;	    /* from 0 */
	size_t parent;	    /* index of the frame below, FRAME_NONE at depth 0 */
	size_t row;	    /* of the result; FRAME_NONE: the top, or `other` */
};
#define FRAME_NONE SIZE_MAX
#define FRAMES_AS_EXACT UINT64_MAX
enum { FRAMES_DEEP = 5 }; /* estimated frames of a function on a stack */

struct frames {
	struct frame *all; /* a frame comes before those above it */
	size_t n;
	size_t deepest;
	int sides;	    /* 2: of two profiles */
	uint64_t sum[2];    /* of the frames at depth 0 */
	uint64_t left_out;  /* the part of sum[0] in frames named "(other)" */
	bool estimated;	    /* some frames are estimates */
	uint64_t deeper[2]; /* the part of `sum` in dropped frames */
	bool again, joined;
	/* frames_find_lost(); per function of the graph, what is drawn of it, or
	 * FRAMES_AS_EXACT; NULL: not compared. */
	uint64_t *drawn;
	uint32_t lost, most_lost; /* how many are drawn otherwise; one of them */
	bool rooted; /* all other frames lie on all[0], and it is one of the result */
	struct arena *names; /* of functions called by their places: ld.so+0x1ab70 */
};

/* Compute values, depths and sums from parents and what each frame spends itself. */
int frames_settle(struct render *rd, struct frames *f);
/* Names are views of the result.  ERR_QUERY: the result has no function or no cost. */
int frames_of(struct render *rd, const char *format, struct frames *out);
int frames_of_rows(struct render *rd, struct graph *g, const struct path_tree *t,
		   struct frames *out);
/*
 * The tree of pictures.  Recursion that is estimated is one frame where a function calls
 * itself, and is FRAMES_DEEP frames deep where it does through others; deeper ones are
 * dropped (frames_fold.c).  Recursion that is known stays as deep as it was.  A frame with
 * at least 95 % of the frame that it lies on is one frame with that.
 *
 * All lie on all[0].  Of two profiles a frame is as wide as the larger of what it spends
 * itself and the frames on it, so that what is gone lies where it was.  The frames on one
 * are side by side, the widest first; of a timeline in the order of time.  A function without
 * a name is called by its place in its object.
 */
int frames_of_picture(struct render *rd, const char *format, struct frames *out);
/* Take the frames of a picture from a tree of the whole program: they have no names, and chains
 * are not joined. */
int frames_of_tree(struct render *rd, struct graph *g, const struct path_tree *t,
		   struct frames *out);
bool frames_in_time(const struct result *r);
/* For formats that write every stack in full; with --raw no frame is dropped.  With known
 * recursion their size is the square of the depth.  If it is too large, the functions above
 * some depth stand beside each other there, and the note of rd says so. */
int frames_of_stacks(struct render *rd, const char *format, struct frames *out);
/*
 * The stacks of frames with a cost of their own.  With lines they say where a function
 * spends what it does itself, in proportion to its lines, and where it calls the next one,
 * if that is at one line alone.  There are none where lines have no costs: after stages, in
 * trees of callers, of two profiles.
 */
struct stack {
	uint32_t frame; /* the last one */
	uint32_t place; /* of its own cost */
	uint64_t cost[2];
};
/* A line of a function, or all of it. */
struct stack_place {
	uint64_t line;	/* 0: all */
	uint32_t frame; /* one of its function */
	uint32_t whole; /* its function as a whole: itself if that is not a line */
	file_id file;	/* of a line */
};
struct stacks {
	struct stack *all; /* in the order of frames */
	size_t n;
	struct stack_place *place; /* [places]: each once */
	size_t places;
	uint32_t *own;	/* [frames]: the place of its function */
	uint32_t *site; /* [frames]: the place of its call in the frame below */
};
/* A line of one function. */
struct line_cost {
	uint32_t callee; /* of the graph; 0 of lines */
	file_id file;
	uint64_t line;
	double cost;
	double got; /* of the cost of frames */
};
int stacks_of(struct render *rd, const struct frames *f, bool lines, struct stacks *out);
/* Empty: not known. */
struct str stack_file(const struct result *r, const struct frames *f,
		      const struct stack_place *x);
void stacks_free(struct stacks *s);
/* The values of pprof and speedscope are in units that they know: "nanoseconds", "bytes";
 * other: that of all others. */
const char *stacks_unit(struct unit u, const char *other);
uint64_t stacks_value(struct unit u, uint64_t costs);
/* The graph that has the function of a frame, and its number there. */
const struct graph *frame_graph(const struct result *r, uint32_t *fn);
/* Compare what is drawn of each function with its exact inclusive cost, in a tree of all. */
int frames_find_lost(struct render *rd, struct frames *f);
/* What is said of such a function; false: nothing, it is drawn as it is. */
bool frames_lost_text(const struct result *r, const struct frames *f, uint32_t fn,
		      char *buf, size_t size);
/* What is said once of recursion that is estimated and of functions drawn otherwise than
 * they are; empty: nothing. */
void frames_recursion_text(const struct render *rd, const struct frames *f, char *buf,
			   size_t size);
void frames_free(struct frames *f);
/* The short name of a function: of a place in an object, that place. */
struct str frames_short(const struct result *r, struct str name, struct arena *a);

static inline bool frame_estimated(const struct frame *x)
{
	return x->estimated[0] || x->estimated[1];
}
/* Does its function, as far as that is estimated, run on this stack more than once? */
static inline bool frame_repeats(const struct frame *x)
{
	return x->again || (x->times && frame_estimated(x)) || x->deeper[0] ||
	       x->deeper[1];
}

#endif
