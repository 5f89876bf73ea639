/* why_in.h - the inside of why.h: both profiles as one graph. */
#ifndef QUERN_WHY_IN_H
#define QUERN_WHY_IN_H

#include "index/base/hash.h"
#include "index/base/str.h"
#include "index/store/store.h"

struct arena;
struct exec;
struct fn_set;
struct graph;
struct inlining;
struct set;
struct vs;

enum { BASE, HERE, SIDES };
#define WHY_NONE UINT32_MAX

/* A cost, and how far it is from that by the prices of the base, and by those of here. */
struct why_sum {
	double cost, spread;
};

/* A call of `to` by `from` at one site.  Sites of the two sides are the same if their number
 * is; 0 is the only one, or the first. */
struct why_edge {
	uint32_t from, to, site;
	uint32_t caller;     /* of a call by the root: 1 + the caller of `under`; or 0 */
	bool inside;	     /* of a unit: both ends are in one cycle */
	double calls[SIDES]; /* 0: that side has no such call */
	double cost[SIDES];  /* inclusive */
	struct why_sum row;  /* what the change of this call explains */
	struct why_sum flow; /* what is carried down by it */
};

/* Calls and self cost that `from` got when `through` was joined to it. */
struct why_via {
	unsigned side;
	uint32_t from, to; /* to WHY_NONE: self cost */
	uint32_t through;
	double cost;
	uint32_t next; /* of `from`, or WHY_NONE */
};

struct why {
	struct exec *run[SIDES];
	struct vs *vs;
	const struct graph *g[SIDES];
	uint32_t event[SIDES];
	uint32_t work[SIDES]; /* the event of executed instructions, or WHY_NONE */
	bool noisy;	      /* the costs are times of one run a side */
	bool several;	      /* runs a side: vs_overlap() is known */
	double noise;	      /* own costs whose runs overlap: no causes */
	size_t noises;
	size_t tiny; /* causes of less than half a unit, which are no rows */
	/* Vertices: the functions of one profile by their numbers, those that only the other
	 * one has, and the root, which is last.  Those that are the same on both sides are
	 * left out (why_changed.c). */
	uint32_t n, root;
	unsigned first;	       /* the one profile */
	uint32_t *fn[SIDES];   /* [n]: function of the graph, or WHY_NONE */
	uint32_t *of[SIDES];   /* [functions of the graph]: vertex; WHY_NONE: left out */
	uint32_t *same[SIDES]; /* [functions of the graph]: equal for the same function */
	uint32_t *file[SIDES]; /* [files of the store]: equal for the same file */
	struct why_stacks *stacks; /* why_context.c; NULL: they are not known */
	bool *closed;		   /* [n]: the same; its self cost is all that is in it */
	/* [numbers of same]: of a run-time library, told by its calls alone (why_library.c).
	 * NULL: there are none. */
	bool *library;
	/* `why under X`: the functions of X, of the graphs; NULL: all is told.  Their callers
	 * are vertices without cost: what they call is called by the root. */
	struct fn_set *under[SIDES];
	struct fn_set *only[SIDES]; /* `why of X` */
	bool *caller;		    /* [n] */
	uint32_t *name;		    /* [n]: one vertex for all levels of a function */
	bool *gone;		    /* [n]: joined to its callers */
	double *self[SIDES];	    /* [n] */
	struct why_sum *own;	    /* [n]: what the change of its self cost explains */
	struct why_edge **out;	    /* [n]: sorted by `to` and site */
	uint32_t *outs;		    /* [n] */
	struct why_edge **in;	    /* the edges by `to`, then `from` */
	size_t *in_first;	    /* [n + 1] */
	/* why_splice.c */
	uint32_t spliced;
	struct why_via *via;
	size_t vias, via_cap;
	uint32_t *via_first; /* [n]; NULL: nothing was joined */
	struct hash via_by;  /* (side, from, to, through) */
	/* why_units.c: vertices that call each other are one unit.  Units are numbered from
	 * callees to callers. */
	uint32_t units, *unit; /* [n]: its unit, WHY_NONE if gone */
	uint32_t *member;      /* [vertices of unit 0, of unit 1 ...] */
	uint32_t *unit_first;  /* [units + 1] */
	double *runs[SIDES];   /* [n]: how often it is called */
};

static inline bool why_has(const struct why *w, unsigned side, uint32_t f)
{
	return !w->gone[f] && (f == w->root || w->fn[side][f] != WHY_NONE);
}

static inline double why_per_run(double x, double runs)
{
	return runs != 0 ? x / runs : 0;
}

/* how often one run of its caller makes this call, and what it costs */
static inline double why_rate(const struct why *w, unsigned side,
			      const struct why_edge *e)
{
	return why_per_run(e->calls[side], w->runs[side][e->from]);
}

static inline double why_price(unsigned side, const struct why_edge *e)
{
	return why_per_run(e->cost[side], e->calls[side]);
}

/* ---- why_model.c ---- */

struct why_place {
	struct str file; /* n 0: not known */
	uint32_t line;
	uint32_t number; /* of the file, the same on both sides */
	bool gone;	 /* it is one of the base */
};
/* Is it the path of a header of the system?  The cause is rarely there. */
bool why_of_system(struct str path);
/* Code of a function that is inlined from a header of the system: ask where it is called.
 * in NULL: do not. */
void why_want_place(struct inlining *in, struct store *st, fn_id fn, file_id file,
		    uint64_t line, uint64_t instr);
/* The line of the function itself that leads to it; if that is not known, its own. */
struct why_place why_own_place(const struct why *w, unsigned side,
			       const struct inlining *in, fn_id fn, file_id file,
			       uint64_t line, uint64_t instr);

/* A call site of one caller and callee. */
struct why_site {
	uint32_t to;	     /* vertex */
	uint32_t file, line; /* file: of w->file */
	struct str name;     /* of the file */
	double calls, cost;
};

/* The sites of one caller on one side, by callee, then by place. */
struct why_sites {
	struct why_site *at;
	size_t n;
};

/* under, of: sets of functions, or NULL. */
void why_model(struct exec *x, struct vs *v, const struct set *under,
	       const struct set *of, struct why *w);
/* Has a function of a graph lines and call sites, if only as shares of those it had? */
bool why_has_detail(const struct graph *g, uint32_t f);
/* own: where the program calls, as why_own_place() */
void why_sites_of(struct why *w, unsigned side, uint32_t g, bool own, struct arena *a,
		  struct why_sites *out);
/* The sites of a callee: a range of s. */
struct why_sites why_sites_to(const struct why_sites *s, uint32_t to);
/* Number the sites of one caller and callee, so that equal numbers are the same site:
 * of[side][site].  false: there are too many, or one; all are number 0. */
bool why_align(struct why *w, uint32_t g, const struct why_sites s[SIDES],
	       struct arena *a, uint32_t *of[SIDES], uint32_t *numbers, int *rc);

/* ---- why_changed.c ---- */

double why_edge_calls(const struct why *w, unsigned side, uint32_t edge);
double why_edge_cost(const struct why *w, unsigned side, uint32_t edge);
/* Leave out the functions that are the same. */
void why_changed(struct why *w);
/* Have both profiles that function, whether or not stages left it? */
bool why_paired(const struct why *w, uint32_t f);
/* The self cost of a vertex. */
double why_inside(const struct why *w, unsigned side, uint32_t f);
/* Add the calls of f by what is not in the model to out[0 .. *n-1], as of the root: one edge,
 * or with `under` one for each caller. */
void why_from_outside(struct why *w, uint32_t f, struct why_edge **out, size_t *cap,
		      size_t *n);

/* ---- why_library.c ---- */

void why_libraries(struct why *w, struct arena *scratch);
/* Is it in a set, of functions of the graphs? */
bool why_in_set(const struct why *w, struct fn_set *const set[SIDES], uint32_t f);
bool why_is_library(const struct why *w, uint32_t f);
/* Is it no object, as of a script? */
bool why_is_unknown(struct str object);
/* What calls of a library function from outside of libraries cost. */
double why_library_cost(const struct why *w, unsigned side, uint32_t fn);
/* Costs in libraries that no such calls bring. */
double why_library_rest(const struct why *w, unsigned side);
/* Does a library function get or release memory? */
bool why_allocates(const struct why *w, uint32_t f, bool *releases);

/* ---- why_splice.c ---- */

/* Calls of one caller that joining made, or that a joined function had. */
struct why_joined {
	struct why_edge *edge; /* sorted by from, to; of one side each */
	size_t n;
};

/* joinable[vertex]: all of its calls are in *out, none are read from the graphs. */
void why_splice(struct why *w, bool **joinable, struct why_joined *out);
/* Is it f.cold or f.part.0: a piece of f? */
bool why_is_piece(struct str name);
/* Is a function of a graph a piece of another one? */
bool why_piece_of(const struct graph *g, uint32_t f, uint32_t of);
double why_via_total(const struct why *w, unsigned side, uint32_t from, uint32_t to);

/* ---- why_units.c ---- */
void why_units(struct why *w);

/* ---- why_terms.c ---- */
void why_terms(struct why *w);

/* ---- why_rows.c ---- */

enum why_kind {
	WHY_MORE,
	WHY_LESS,
	WHY_NEWLY,
	WHY_NO_LONGER,
	WHY_OWN,
	WHY_MOVED,
	WHY_LAYOUT,
	WHY_BELOW,   /* calls of it cost more, but it is the same */
	WHY_OUTSIDE, /* a caller of `under` makes other calls, as it is called otherwise */
	WHY_MIX,     /* one run of it is the same or has changed the other way */
	WHY_ENTERED,
	WHY_PLACE,
	WHY_REST,
	WHY_KINDS
};

/* A callee that only one side has. */
enum why_new { WHY_BOTH, WHY_IS_NEW, WHY_IS_GONE };

/* Of calls that both sides have: the site with most of the cost. */
enum why_line { WHY_ANY_LINE, WHY_NEW_LINE, WHY_OLD_LINE, WHY_ONE_LINE };

struct why_cause {
	double cost, spread;	     /* as of struct why_sum */
	uint32_t fn, callee;	     /* callee WHY_NONE: fn itself */
	const struct why_edge *edge; /* the largest term; NULL: of via, or of fn itself */
	enum why_kind kind;
	enum why_new only;
	uint32_t
		other; /* WHY_MOVED: the other caller; only: what it stands in place of */
	/* filled for the rows that are shown: */
	bool sure; /* it comes before those that are not */
	enum why_line line;
	uint32_t below;
	double from, to;
};

void why_causes(struct why *w, struct why_cause **out, size_t *n);
/* Fill in what is not needed to choose a row. */
void why_describe(struct why *w, struct why_cause *c);
/* A callee that only one side has: did, or does, the caller spend most of that itself? */
bool why_inlined(const struct why *w, const struct why_cause *c);
/* Does the change from `from` to `to` go the way of the cost? */
bool why_supports(const struct why_cause *c);

/* ---- why_build.c ---- */

/* Was one side built with other flags? */
void why_other_build(struct why *w, const struct why_cause *c, size_t n, bool *other);

/* ---- why_place.c ---- */
int why_place(struct why *w, const struct why_cause *c, struct why_place *out);

/* ---- why_context.c ---- */

/* Find the stacks, if both profiles know theirs, for why_context(). */
void why_stacks(struct why *w);
/* "main -> page -> find": the stack with most of the change of c; empty: not known. */
void why_context(struct why *w, const struct why_cause *c, struct str *out);

#endif
