/*
 * exec.h - a running statement: its query, limits, memory and notes.
 *
 * One struct exec per statement.  Every loop over rows calls exec_poll(), for Ctrl-C and
 * the time limit.
 */
#ifndef QUERN_EXEC_H
#define QUERN_EXEC_H

#include "index/base/str.h"

struct arena;
struct cancel;
struct check_env;
struct doubts;
struct err;
struct flow_cache;
struct found_cache;
struct graph;
struct gstage;
struct inlines;
struct pair_cache;
struct part_cache;
struct result;
struct roots;
struct session_reading;
struct set;
struct span;
struct store;

/* What the session has open: the same for all that a statement runs. */
struct exec_open {
	struct store *const *stores; /* [env->nprofiles] */
	const struct cancel *cancel; /* may be NULL */
	struct flow_cache *flows;
	struct part_cache *part_cache;
	struct inlines *inlines;
	struct pair_cache *pairs; /* for `vs` */
	struct found_cache *found;
	const struct result *last;	     /* `_`; NULL: none */
	const struct roots *roots, *objects; /* where text and objects may be read; or
						NULL */
	uint64_t row_limit;
	unsigned accepted;	  /* doubts (doubt.h), bit by bit: `expect` may hold */
	const struct str *wanted; /* [nwanted]: "fn:NAME", rows that it leaves out */
	size_t nwanted;
	bool safe;			       /* run no programs */
	bool people;			       /* read the answer */
	bool *told;			       /* they know what stands below a tree */
	const struct session_reading *reading; /* how to read a profile again */
};

/* Texts in the arena of the query. */
struct exec_texts {
	struct str *at;
	size_t n, cap;
};

/* The other side of a comparison, as names are looked up on both.  The base is run first:
 * a name need not match in the first profile if it matches in the base. */
struct exec_other {
	struct store *st;     /* of the other side */
	const uint32_t *same; /* [its functions]: the same one here, or UINT32_MAX */
	bool is_base;	      /* here is the base */
	/* The base adds the names that match there; the first profile looks them up. */
	struct exec_found {
		const struct set **at;
		size_t n, cap;
	} * found; /* NULL: a name must match here */
};

struct exec {
	struct arena *a;
	struct err *err;
	const struct exec_open *open;
	const struct check_env *env;	  /* the names that the statement may use */
	struct str text;		  /* of the statements: their spans point here */
	struct exec_texts *notes, *hints; /* a copy of this exec adds to the same */
	struct arena *lasting; /* that these are in, if `a` is of a window; or NULL */
	struct doubts *doubts; /* and to the same (doubt.h) */
	const struct exec_other *other; /* NULL: one profile is asked */
	uint32_t ticks;
	/* What the source sees: */
	struct graph *g;	      /* after the graph stages */
	const uint8_t *parts;	      /* the parts in g; NULL: all */
	const struct gstage *gstages; /* those that made g */
	/* [objects of the store], NULL: no inlined code was read; bit 0: some is known by its
	 * file alone, bit 1: by its name */
	uint8_t *inlined;
	bool by_file;	/* names of inlined code are not used */
	bool unparted;	/* estimate from the sums of all parts */
	uint32_t event; /* of costs that name none */
	size_t keep;	/* only so many rows are asked for, the costliest; 0: all */
	/* Of `callsites | where ...`: the calls of which some site may be a row (a bit for
	 * each edge); NULL: all */
	const struct fn_set *calls;
	/* How the names of a set are looked up (exec_set.c): */
	bool whole;   /* a name must match whole, not a part of it */
	bool of_part; /* in a graph stage: what this part lacks is in no set */
	/* [gstages]: the store's functions of each, found once for all parts; or NULL */
	struct fn_set **stage_sets;
	bool common; /* inside a set that is always there (common_sets.h): some of its
			  names are absent from any profile */
	bool absent; /* result: the error is that nothing has a name */
	struct str *part; /* result: a name that functions have as a part; may be NULL */
	unsigned vars;	  /* depth of $sets inside $sets being resolved */
	struct loaders_more *more; /* result of $autoload (loaders.h); may be NULL */
};

void exec_poll_now(struct exec *x); /* poll cancel and clock */
static inline void exec_poll(struct exec *x)
{
	if (!(++x->ticks & 1023))
		exec_poll_now(x);
}

void *exec_alloc(struct exec *x, size_t n, size_t size); /* NULL: err is set */
#define EXEC_ARRAY(x, T, n) ((T *)exec_alloc((x), (n), sizeof(T)))
/* Make room for `need` elements in the array at *pp, in the arena of the query.  The
 * old array stays there until the query ends. */
void exec_grow(struct exec *x, void *pp, size_t *cap, size_t used, size_t need,
	       size_t size);
/* A note says what the answer means, a hint what else could be asked; text.p NULL: out of
 * memory. */
void exec_note(struct exec *x, struct str text);
void exec_hint(struct exec *x, struct str text);
#define exec_notef(x, ...) exec_note((x), arena_printf((x)->a, __VA_ARGS__))
#define exec_hintf(x, ...) exec_hint((x), arena_printf((x)->a, __VA_ARGS__))
/* What is wrong with the query: it ends, or, after exec_wrong(), with need_hint(). */
#define exec_fail(x, ...) span_fail((x)->err, __VA_ARGS__)
#define exec_wrong(x, ...) span_wrong((x)->err, __VA_ARGS__)
/* The text of the statement there; "(set)": it has no place in it. */
struct str exec_text(const struct exec *x, struct span s);
/* Is the number of rows within the limit?  ERR_LIMIT if not. */
void exec_rows(struct exec *x, uint64_t n);

#endif
