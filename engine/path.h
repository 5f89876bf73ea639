/*
 * path.h - call paths and what they cost: estimates with proven bounds.
 *
 * Per path v0..vk over the condensed graph (flow.h; engine/LANGUAGE.md, paths):
 *	est = w(v0,v1) * prod w(vi,vi+1) / I(vi)	proportional attribution
 *	hi  = min w					no more can have come this way
 *	lo  = w(v0,v1), then max(0, lo + w - I)		so much must have (Frechet)
 * lo == hi is exact.  No bound is given through a vertex whose sums disagree: `bounded` is
 * false there and lo, hi are 0 and the cost of the last arc.  Arcs that carry none of the
 * event's cost are part of no path.
 *
 * A path starts in `from`, ends in `to` and touches neither in between.  Sets are of
 * functions; a member of a cycle stands for the cycle.  Everything returned is in the arena.
 */
#ifndef QUERN_PATH_H
#define QUERN_PATH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/flow.h"
#include "engine/fnset.h"
#include "index/base/arena.h"
#include "index/base/err.h"

struct path_bounds {
	double est;
	uint64_t lo, hi;
	bool bounded;  /* lo and hi are proven */
	bool measured; /* est is the profile's own number: one arc, or lo == hi */
};

/* est as a cost: to the nearest, saturated. */
uint64_t path_rounded(double est);

struct path_step {
	uint32_t vertex;
	uint32_t fn;		 /* one of its functions: the one asked for, or called */
	uint32_t arc;		 /* into this step; FLOW_NONE for the first */
	uint64_t calls, incl;	 /* of that arc; of the first step: 0 and I */
	struct path_bounds cost; /* of the path up to this step */
};

struct path {
	struct path_step *steps;
	size_t n; /* steps, at least 2 */
};

struct path_list {
	struct path *paths;
	size_t n;
	bool more;	/* more paths fit the question than the k listed */
	bool truncated; /* PATH_ALL: PATH_ALL_CAP or the search's budget cut the
				   list; without `max` those listed are the best */
	bool same;	/* some vertex is in both sets (both ends in one cycle) */
	/* PATH_ALL only: of all paths of at most `max` calls, listed or not */
	double count, total; /* total: their est together */
};

enum path_kind { PATH_HOTTEST, PATH_WIDEST, PATH_SHORTEST, PATH_ALL };
enum { PATH_ALL_CAP = 10000 };

struct path_query {
	enum path_kind kind;
	uint32_t k; /* paths wanted; PATH_ALL: 0 is PATH_ALL_CAP */
	const struct fn_set *from, *to;
	const struct fn_set *via; /* NULL: none; any step may be the one, the ends too */
	const struct fn_set *avoiding; /* NULL: none */
	uint32_t max; /* calls on a path at most; 0: any.  PATH_ALL only */
	double min;   /* est at least; PATH_ALL only */
};

/* No path is no error: n is 0. */
int path_find(const struct flow *fl, const struct path_query *q, struct arena *a,
	      const atomic_int *cancel, struct path_list *out, struct err *err);

/* Cost of `of` (entries into it, nested ones once) under `under`, all paths together.
 * under NULL: from anywhere; via: after `under`, before or at `of`; avoiding: not between. */
struct path_cost_query {
	const struct fn_set *of, *under, *via, *avoiding;
};
int path_cost(const struct flow *fl, const struct path_cost_query *q, struct arena *a,
	      const atomic_int *cancel, struct path_bounds *out, struct err *err);

/* The tree of callers (up) or callees of a set.  Rows are functions in depth-first order,
 * costliest first; level 1 is measured, deeper levels are attributed.  A row whose function
 * is in a cycle stands for entering the cycle there.  Recursive rows (caller and callee in
 * the set, in one function or one cycle) are at level 1 only, come last and have no
 * children; their incl is in no sum. */
struct path_tree_row {
	uint32_t depth;	      /* 1 .. */
	uint32_t fn;	      /* caller (up) or callee (down) */
	uint32_t parent;      /* row above, FLOW_NONE at level 1 */
	uint64_t calls, incl; /* of the edges between this row and its parent */
	struct path_bounds
		cost; /* up: cost of the set by this chain; down: of fn by it */
	bool recursive;
};

struct path_tree_query {
	const struct fn_set *set;
	bool up;
	uint32_t depth;		       /* 0: any */
	double min;		       /* est at least; rows below are left out */
	uint32_t rows;		       /* at most; 0: 100,000 */
	const struct fn_set *avoiding; /* NULL: none */
};

struct path_tree {
	struct path_tree_row *rows;
	size_t n;
	bool truncated; /* `rows` cut it; hottest rows were kept */
};

int path_tree(const struct flow *fl, const struct path_tree_query *q, struct arena *a,
	      const atomic_int *cancel, struct path_tree *out, struct err *err);

#endif
