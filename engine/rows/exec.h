/*
 * exec.h - a running statement: its query, limits, memory and notes.
 *
 * One struct exec per statement.  Every loop over rows calls exec_poll(), for Ctrl-C and
 * the time limit.
 */
#ifndef QUERN_EXEC_H
#define QUERN_EXEC_H

#include "index/base/cancel.h"
#include "engine/lang/ast.h"
#include "index/base/arena.h"
#include "index/base/err.h"

struct check_env;
struct flow_cache;
struct graph;
struct inlines;
struct gstage;
struct pair_cache;
struct pairing;
struct part_cache;
struct roots;
struct set;
struct vs;
struct store;

struct exec {
	struct arena *a;
	struct err *err;
	const struct cancel *cancel; /* may be NULL */
	uint32_t ticks;
	uint64_t row_limit;
	const struct check_env *env;
	struct store *const *stores;  /* [env->nprofiles] */
	const struct gstage *gstages; /* in force, also for the other side of `vs` */
	struct str text;	      /* of the statements: their spans point here */
	struct graph *g;	      /* after the graph stages */
	bool *idle;	      /* of each filter in force: it changes nothing here */
	const uint8_t *parts; /* the parts in x->g; NULL: all */
	bool unparted;	      /* estimate from the sums of all parts */
	struct part_cache *part_cache;
	struct inlines *inlines;
	struct pair_cache *pairs;      /* for `vs`; or NULL */
	const struct pairing *pairing; /* of the two profiles of `vs`; NULL: no vs */
	unsigned side;		       /* of the pairing: 0, of the base 1 */
	/* Of the rows of `vs`: percent of each profile's cost that is in functions which
	 * both have; -1: not known, or not asked. */
	double paired[2], least_paired;
	struct flow_cache *flows;
	const struct result *last; /* `_`; NULL: none */
	uint32_t event;		   /* of costs that name none */
	size_t keep; /* only so many rows are asked for, the costliest; 0: all */
	struct str *notes;
	size_t nnotes, notes_cap;
	struct str *hints;
	size_t nhints, hints_cap;
	const struct roots *roots, *objects; /* where text and objects may be read; or
						NULL */
	bool safe;			     /* run no programs */
	bool common; /* inside a set that is always there (common_sets.h): some of its
			names are absent from any profile */
	/* For `vs`: a name must match in one of the two profiles. */
	struct vs *vs;		  /* state of vs.c for both sides; NULL: no vs */
	const struct exec *base;  /* until the source of the first profile is open; or
				     NULL */
	const struct exec *first; /* of the base, which runs first; or NULL */
	const struct set **found; /* [nfound]: sets of the base that matched */
	size_t nfound, found_cap;
	unsigned vars; /* depth of $sets inside $sets being resolved */
	bool whole;    /* a name must match whole, not a part of it */
	bool absent;   /* the error is that nothing has a name */
};

static inline int exec_poll_now(struct exec *x);
int exec_stop(struct exec *x); /* poll cancel and clock */
static inline int exec_poll(struct exec *x)
{
	return (++x->ticks & 1023) ? 0 : exec_poll_now(x);
}
static inline int exec_poll_now(struct exec *x)
{
	return exec_stop(x);
}

void *exec_alloc(struct exec *x, size_t n, size_t size); /* NULL: err is set */
#define EXEC_ARRAY(x, T, n) ((T *)exec_alloc((x), (n), sizeof(T)))
/* Make room for `need` elements in the array at *pp, in the arena of the query.  The
 * old array stays there until the query ends. */
int exec_grow(struct exec *x, void *pp, size_t *cap, size_t used, size_t need,
	      size_t size);
/* A note says what the answer means, a hint what else could be asked; text.p NULL: out of
 * memory. */
int exec_note(struct exec *x, struct str text);
int exec_hint(struct exec *x, struct str text);
int exec_fail(struct exec *x, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Is the number of rows within the limit?  ERR_LIMIT if not. */
int exec_rows(struct exec *x, uint64_t n);

#endif
