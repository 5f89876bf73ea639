/*
 * path.h - call paths and what they cost: estimates with proven bounds.
 *
 * A chain of calls v0 .. vk, along the recorded edges (flow.h), X its cost up to v, e the
 * next call from v, R(e) that call's recorded cost, T(v) what passes v:
 *
 *	est = X * R(e) / T(v)			in proportion
 *	hi  = min(X, R(e))			no more can have come this way
 *	lo  = max(0, X + R(e) - T(v))		so much must have (Frechet)
 *
 * lo == hi is exact.  A unit of cost passes v once for each activation of v on its stack, so
 * these hold in cycles, too.  No bound is given through a function whose sums disagree:
 * `bounded` is false there and lo, hi are 0 and the cost of the last call.  Calls that carry
 * none of the event's cost are part of no path.  Everything returned is in the arena.
 */
#ifndef QUERN_PATH_H
#define QUERN_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/cancel.h"
#include "engine/flow/flow.h"
#include "engine/names/fnset.h"
#include "index/base/arena.h"
#include "index/base/err.h"

struct flow_parts;

struct path_bounds {
	double est;
	uint64_t lo, hi;
	bool bounded;  /* lo and hi are proven */
	bool measured; /* est is the profile's own number: lo == hi */
};

/* est as a cost: to the nearest, saturated. */
uint64_t path_rounded(double est);
/* The same of a cost with bounds: between them, and what is measured to the unit, though it
 * is more than a double can tell. */
uint64_t path_units(const struct path_bounds *b);
/* The cost that enters at f and that no call of f brought, in whole units. */
uint64_t path_root(const struct flow *fl, uint32_t f);
struct path_bounds path_bounds_exact(uint64_t cost);
/* est, kept between lo and hi. */
struct path_bounds path_bounds_of(double est, uint64_t lo, uint64_t hi, bool bounded);
/* Of a chain with bounds b, prolonged by a call of recorded cost w that takes `share` of what
 * passes the function at its end; `passing` and `odd` of that (flow.h). */
struct path_bounds path_bounds_next(struct path_bounds b, uint64_t w, double share,
				    uint64_t passing, bool odd);
/* est < min, with a hair of slack: factors are multiplied in different orders. */
bool path_under_min(double est, double min);

/* What enters each member of the set while that is not on the stack yet (inclusive.h), into
 * incl[f].  -1: the scratch arena is full. */
int path_outermost(const struct flow *fl, const struct fn_set *set, double *incl,
		   struct arena *scratch);
/* The same with its bounds. */
struct path_bounds path_from(const struct flow *fl, uint32_t f, double incl);

/* ---- one path ---- */

struct path_step {
	uint32_t fn;
	uint32_t edge;		 /* into this step; FLOW_NONE for the first */
	uint64_t calls, incl;	 /* of that edge; of the first step: 0 and its cost */
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
	bool truncated; /* PATH_ALL: PATH_ALL_CAP or the search's budget cut the list */
	bool same;	/* some function is in both sets */
	double total; /* PATH_ALL: all paths together, listed or not, recursive ones too */
};

enum path_kind { PATH_HOTTEST, PATH_WIDEST, PATH_SHORTEST, PATH_ALL };
enum { PATH_ALL_CAP = 10000 };

/* A path starts in a function of `from`, at the outermost of its activations, ends in `to`,
 * touches neither in between and no function twice.  So each unit of cost counts once. */
struct path_query {
	enum path_kind kind;
	uint32_t k; /* paths wanted; PATH_ALL: 0 is PATH_ALL_CAP */
	const struct fn_set *from, *to;
	const struct fn_set *via; /* NULL: none; any step may be the one, the ends too */
	const struct fn_set *avoiding; /* NULL: none */
	uint32_t max;		       /* calls on a path at most; 0: any */
	double min;		       /* est at least */
	struct flow_parts *parts;      /* add their estimates up; NULL: the flow is all */
};

/* No path is no error: n is 0. */
int path_find(const struct flow *fl, const struct path_query *q, struct arena *a,
	      const struct cancel *cancel, struct path_list *out, struct err *err);

/* ---- all paths together ---- */

/* Cost of `of` (entries into it, nested ones once) under `under`, all paths together.
 * under NULL: from anywhere; via: after `under`, before or at `of`; avoiding: not between. */
struct path_cost_query {
	const struct fn_set *of, *under, *via, *avoiding;
	struct flow_parts *parts; /* add their answers up; NULL: the flow is all */
};
int path_cost(const struct flow *fl, const struct path_cost_query *q, struct arena *a,
	      const struct cancel *cancel, struct path_bounds *out, struct err *err);

/* ---- trees ---- */

/*
 * The tree of what a set calls, or of who calls it.  Rows are in depth-first order, the
 * costliest first.  The tree is infinite where there is a cycle: the costliest rows are kept,
 * and what they leave out is in no row but in the row above it:
 *
 *	est = own + est of the rows below + what is left out
 *
 * Integers add up as the estimates do, to the unit.
 */
struct path_tree_row {
	uint32_t depth; /* 1 .. */
	uint32_t fn;
	uint32_t parent; /* row above, FLOW_NONE at level 1 */
	uint64_t calls,
		incl; /* recorded: of the edges between this row and its parent; of a
				 row that stands for a root or a member of the set its own */
	struct path_bounds cost; /* of the chain from the top to here */
	uint64_t est, own; /* cost.est in whole units; what the row spends itself, or of a
			      tree of callers, that for which nothing called it; near.h
			      leaves it PATH_OWN_UNKNOWN */
	bool recursive;	   /* fn is on its own path, or in the set */
	bool inner; /* a call from the set into itself: measured, in no sum, nothing below */
};

#define PATH_OWN_UNKNOWN UINT64_MAX

enum path_tree_of {
	TREE_CALLS,   /* below the set, which is one: level 1 are the calls out of it */
	TREE_FRAMES,  /* the same as frames: of several functions level 1 are they */
	TREE_PROGRAM, /* the whole program: level 1 are its roots; no set */
};

struct path_tree_query {
	enum path_tree_of of;
	const struct fn_set *set;
	bool up;
	uint32_t depth;		       /* 0: any */
	double min;		       /* est at least; rows below are left out */
	uint32_t rows;		       /* at most, the costliest; 0: PATH_TREE_ROWS */
	const struct fn_set *avoiding; /* NULL: none */
	struct path_bounds one;	       /* of a set of one: its inclusive cost */
	struct flow_parts *parts;      /* as of struct path_query */
};
enum { PATH_TREE_ROWS = 40000 };

struct path_tree {
	struct path_tree_row *rows;
	size_t n;
	struct path_bounds base; /* what the tree is of: 100 % */
	uint64_t est, own;	 /* of that, as of a row */
	uint64_t left_out; /* sum over the rows, and the base, of what is in no row */
	uint64_t unrooted; /* of a program: of left_out what no root explains */
	bool cut;	   /* `rows` left some of it out */
	void *grown;	   /* for path_tree_shown(); NULL: there is nothing to tell */
};

int path_tree(const struct flow *fl, const struct path_tree_query *q, struct arena *a,
	      const struct cancel *cancel, struct path_tree *out, struct err *err);

/* What `rows` left out of a tree, for pictures: at wide rows, and there by function. */
struct path_other {
	uint32_t row; /* that it is below; path_tree.n: the top */
	uint32_t fn;  /* that spends it, or up, that nothing called */
	uint64_t cost;
};
struct path_shown {
	/* [rows]: what is in no row below a narrow one; it is part of what `others` tell of
	 * the wide row above.  NULL: nothing was left out. */
	const uint64_t *lifted;
	const struct path_other *others; /* by row, the costliest first */
	size_t n;
};
int path_tree_shown(const struct path_tree *t, struct path_shown *out, struct err *err);

#endif
