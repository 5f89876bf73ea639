/*
 * path.h - call paths and their costs: estimates with proven bounds.
 *
 * For a chain of calls v0 .. v along recorded edges (flow.h): X is its cost up to v, e
 * the next call from v, R(e) the recorded cost of e, T(v) the cost through v.
 *
 *	est = X * R(e) / T(v)			in proportion
 *	hi  = min(X, R(e))			no more can have come this way
 *	lo  = max(0, X + R(e) - T(v))		at least this much has (Frechet)
 *
 * lo == hi is exact.  A unit of cost passes v once for each activation of v on its stack,
 * so these hold in cycles, too.  No bound holds through a function whose sums disagree:
 * then `bounded` is false, lo is 0 and hi is the cost of the last call.  Calls without
 * cost of the event are part of no path.  All results are in the arena.
 */
#ifndef QUERN_PATH_H
#define QUERN_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct cancel;
struct err;
struct flow;
struct flow_parts;
struct fn_set;
struct stacks;

struct path_bounds {
	double est;
	int64_t lo, hi;
	bool bounded;  /* lo and hi are proven */
	bool measured; /* est is the number in the profile: lo == hi */
};

/* est as a cost: rounded to nearest, at least 0. */
int64_t path_rounded(double est);
/* The cost in whole units, kept between its bounds.  A measured cost is exact, even if
 * a double cannot hold it. */
int64_t path_units(const struct path_bounds *b);
/* The cost that enters at f without a recorded call, in whole units. */
int64_t path_root(const struct flow *fl, uint32_t f);
/* The bounds of a root as recorded: exact, or none. */
struct path_bounds path_root_bounds(const struct flow *fl, uint32_t f);
struct path_bounds path_bounds_exact(int64_t cost);
/* Bounds with est clamped to lo .. hi. */
struct path_bounds path_bounds_of(double est, int64_t lo, int64_t hi, bool bounded);
/* The least that a chain of at least `lo` and a part, both of `passing`, have in common: if
 * they do not fit side by side, they overlap. */
int64_t path_overlap(int64_t lo, int64_t part, int64_t passing);
/* The bounds of a chain with bounds b, extended by a call of recorded cost w.  The
 * call takes `share` of the cost through the function at the end; `passing` and `odd` are
 * that function's (flow.h). */
struct path_bounds path_bounds_next(struct path_bounds b, int64_t w, double share,
				    int64_t passing, bool odd);
/* Bounds of an estimate if it is only known to be at most `most`; INT64_MAX: none. */
struct path_bounds path_bounds_most(double est, int64_t most);
/* The same, and at least `least`. */
struct path_bounds path_bounds_between(double est, int64_t least, int64_t most);
/* est < min, with slack for rounding: factors are multiplied in different orders. */
bool path_under_min(double est, double min);

/* incl[f]: for each member f of the set, the cost that enters f while f is not on the
 * stack yet (inclusive.h).  -1: the scratch arena is full. */
void path_outermost(const struct flow *fl, const struct fn_set *set, double *incl,
		    struct arena *scratch);
/* incl, the cost of f from outside of itself, with its bounds. */
struct path_bounds path_from(const struct flow *fl, uint32_t f, double incl);

/* ---- one path ---- */

struct path_step {
	uint32_t fn;
	uint32_t edge;		 /* into this step; FLOW_NONE for the first */
	uint64_t calls;		 /* of that edge; of the first step: 0, */
	int64_t incl;		 /* and its own cost */
	struct path_bounds cost; /* of the path up to this step */
};

struct path {
	struct path_step *steps;
	size_t n; /* steps, at least 2 */
};

struct path_list {
	struct path *paths;
	size_t n;
	bool more;	/* there are more paths than the k listed */
	bool truncated; /* PATH_ALL: the list was cut by PATH_ALL_CAP or by the budget
			   of the search */
	bool same;	/* some function is in both sets */
	double total; /* PATH_ALL: all paths together: unlisted and recursive ones, too */
};

enum path_kind { PATH_HOTTEST, PATH_WIDEST, PATH_SHORTEST, PATH_ALL };
enum { PATH_ALL_CAP = 10000 };

/* A path starts in a function of `from` at its outermost activation and ends in `to`.
 * In between it touches neither set, and it passes no function twice.  So each unit of
 * cost counts once. */
struct path_query {
	enum path_kind kind;
	uint32_t k; /* number of paths wanted; PATH_ALL: 0 is PATH_ALL_CAP */
	const struct fn_set *from, *to;
	const struct fn_set *via;      /* NULL: any path; else some step, maybe an end,
					  is in it */
	const struct fn_set *avoiding; /* NULL: nothing to avoid */
	uint32_t max;		       /* most calls on a path; 0: any */
	double min;		       /* the least est */
	struct flow_parts *parts;      /* sum the estimates of these; NULL: use the
					  flow alone */
};

/* Finding no path is no error: n is 0. */
void path_find(const struct flow *fl, const struct path_query *q, struct arena *a,
	       const struct cancel *cancel, struct path_list *out);

/* The functions of a flow that has their contexts apart. */
struct path_contexts {
	const uint32_t *fn;   /* [functions of the flow]: the function */
	const uint8_t *again; /* [functions of the flow]: only entered while that is on
				 the stack */
	const uint8_t *added; /* [functions]: those not again[] are never on the stack
				 together */
	const struct path_bounds
		*whole; /* [functions]: inclusive cost, of those in `from` */
};
/* Sum the estimates of the steps over the parts of q; bounds stay those of the whole.  add()
 * adds the estimates of one part to a path; first: path_outermost() of q->from in it. */
typedef void path_add_part(void *arg, const struct flow *fl, const double *first,
			   struct path *p);
void path_sum_parts(const struct path_query *q, struct path_list *list,
		    const struct arena *a, path_add_part *add, void *arg);
/* The costliest first, then by functions; and these alone. */
int paths_by_cost(const void *x, const void *y);
int paths_by_functions(const struct path *a, const struct path *b);

/* Make paths of functions of the paths that path_find() found for q in the flow; each once,
 * with the cost of all chains of contexts.  Edges, calls and incl are left to the caller. */
void path_of_functions(const struct flow *fl, const struct path_query *q,
		       const struct path_contexts *c, struct arena *a,
		       const struct cancel *cancel, struct path_list *list);

/* ---- all paths together ---- */

/* The cost of all entries into `of` (nested ones once) under `under`, all paths
 * together.  under NULL: from anywhere.  via: must come after `under`, before or at `of`.
 * avoiding: must not come in between. */
struct path_cost_query {
	const struct fn_set *of, *under, *via, *avoiding;
	struct flow_parts *parts; /* sum the answers of these; NULL: use the flow alone */
};
void path_cost(const struct flow *fl, const struct path_cost_query *q, struct arena *a,
	       const struct cancel *cancel, struct path_bounds *out);

/* ---- trees ---- */

/*
 * The tree of the callees of a set, or of its callers.  Rows are in depth-first order,
 * the costliest first.  With cycles the tree is infinite: the costliest rows are kept.
 * The cost of the others is part of the row above them only:
 *
 *	est = own + est of the rows below + cost left out
 *
 * Integers add up like the estimates, to the unit.
 */
struct path_tree_row {
	uint32_t depth; /* 1 .. */
	uint32_t fn;
	uint32_t parent; /* the row above; FLOW_NONE at level 1 */
	uint64_t calls;
	int64_t incl; /* recorded cost of the edges between this row and its parent; of
			 a root or a member of the set: its own */
	struct path_bounds cost; /* of the chain from the top to here */
	int64_t est, own;	 /* cost.est in whole units; the part that the row
				    spends itself or, in a tree of callers, that no
				    call brought; neighbours.h leaves it PATH_OWN_UNKNOWN */
	int64_t least;	/* est is no less, where known stacks say so (stacks.h) */
	bool recursive; /* fn is on its own path, or in the set */
	bool inner;	/* a call from the set into itself: measured, in no sum, has no
		       rows below */
};

#define PATH_OWN_UNKNOWN INT64_MIN

enum path_tree_of {
	TREE_CALLS,   /* below the set, as one: level 1 are the calls out of it */
	TREE_FRAMES,  /* several functions: level 1 is each of them; one: as TREE_CALLS,
			 but without the calls into itself, or those of no cost */
	TREE_PROGRAM, /* the whole program: level 1 are its roots; no set */
};

struct path_tree_query {
	enum path_tree_of of;
	const struct fn_set *set;
	bool up;
	uint32_t depth;		       /* 0: any */
	double min;		       /* the least est; cheaper rows are left out */
	uint32_t rows;		       /* most rows, the costliest are kept; 0:
					  PATH_TREE_ROWS */
	const struct fn_set *avoiding; /* NULL: nothing to avoid */
	const struct fn_set *entry;    /* the members by which cost enters the set;
					  NULL: all (not for TREE_FRAMES) */
	struct path_bounds one;	       /* inclusive cost, if the set is one function */
	bool uncounted; /* calls that are counted 0 times were not counted: nor is a row
			   of them and others, of 0 calls */
	bool as_one;	/* or the functions that are one: `one` is that of all of them */
	struct flow_parts *parts; /* as in struct path_query */
	/* Rows are labels of the functions of the flow; NULL: these themselves. */
	const struct path_labels *labels;
	/* The stacks are known, so all is exact; NULL: a flow. */
	const struct stacks *stacks;
	const int64_t
		*itself; /* of these: recorded calls of the one function by itself */
};
enum { PATH_TREE_ROWS = 40000 };

/* A flow may tell more functions apart than people see: levels of recursion, contexts, places
 * of inlined code, members of a group.  The label of each is the function that people see.  A
 * row is a chain of labels, and stands for all chains of functions that have these labels. */
struct path_labels {
	uint32_t n;
	const uint32_t *of; /* [functions of the flow]: its label, below n */
	/* [functions of the flow]: calls between those of one number are inside a row;
	 * NULL: each call leads to a row.  One number, one label. */
	const uint32_t *group;
};

struct path_tree {
	struct path_tree_row *rows;
	size_t n;
	struct path_bounds base; /* the cost of the whole tree: 100 % */
	int64_t est, own;	 /* of the base, as of a row */
	int64_t left_out; /* the sum over base and rows of the cost that is in no row */
	int64_t unrooted; /* TREE_PROGRAM: the part of left_out that no root explains */
	/* The share of `est` that is proven to be on the stacks of the tree, however many
	 * rows are kept: at least so much of each chain ends where the tree says. */
	double proven;
	bool cut;    /* `rows` left out some of it */
	void *grown; /* for path_tree_left_out(); NULL: nothing was left out */
};

/* With labels, calls and incl of rows are left to the caller: 0.  So are those
 * of direct calls of a set where stacks are known; of other rows there, they are of the chain
 * alone.  Then fl is NULL. */
void path_tree(const struct flow *fl, const struct path_tree_query *q, struct arena *a,
	       const struct cancel *cancel, struct path_tree *out);

/* A wide row costs at least the whole tree / PATH_WIDE. */
enum { PATH_WIDE = 1000 };
/* The cost that the `rows` limit left out of a tree, for pictures: per wide row, by
 * function. */
struct path_other {
	uint32_t row; /* the row above it; path_tree.n: the top */
	uint32_t fn;  /* the function that spends it or, in a tree of callers, that no
			 call brought */
	int64_t cost;
};
struct path_left_out {
	/* [rows]: cost that is in no row below a narrow row; it is part of `others` of
	 * the wide row above.  NULL: nothing was left out. */
	const int64_t *lifted;
	const struct path_other *others; /* ordered by row, then the costliest first */
	size_t n;
};
void path_tree_left_out(const struct path_tree *t, struct path_left_out *out);

#endif
