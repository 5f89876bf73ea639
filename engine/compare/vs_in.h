/* vs_in.h - the inside of `vs`: what vs.c and the other vs_*.c share. */
#ifndef QUERN_VS_IN_H
#define QUERN_VS_IN_H

#include "engine/lang/check_names.h"
#include "engine/compare/pair.h"
#include "engine/rows/exec.h"
#include "engine/rows/table.h"
#include "index/base/hash.h"

/* The key of a row (vs_keys.c): rows with equal keys are compared. */
struct vs_key {
	uint64_t hash[2];
};

struct vs {
	const struct pairing *pairing; /* of the two profiles */
	const struct renames *user;    /* rules of names */
	/* The base: it runs first. */
	struct exec base;
	struct check_env env;
	struct exec_texts notes, hints;
	/* The other profile, as each side sees it: [0] is given to this profile's run,
	 * [1] to the base's. */
	struct exec_other other[2];
	struct exec_found found;
	struct table a, b;
	struct vs_key *chain[2]; /* [rows of a tree]; NULL: not computed yet */
	/* [joined rows]: row of a, of b, or GRAPH_NONE.  Those of a are in order.  Those that
	 * only b has follow them, in a tree the others below the same row. */
	uint32_t *ia, *ib;
	size_t rows;		     /* joined rows */
	uint32_t *of_here, *of_base; /* [rows of a, b]: joined row */
	struct vs_runs
		*runs[2]; /* of a and b, in event runs_event; NULL: not asked yet */
	uint32_t runs_event;
	bool dissolve; /* functions that are unsure have no partner */
	bool of_sum;   /* all rows are summed up first */
	bool of_runs;  /* the conditions are about single runs, not about sums */
};

/* vs_join.c */
/* Join the rows of both sides: v->ia, v->ib.  *rows: how many there are then. */
void vs_join_rows(struct exec *x, struct vs *v, size_t *rows);
/* vs.c.  Pass on the notes of the base's run; say how much is paired, and how many runs there
 * are. */
void vs_note_base(struct exec *x, const struct source *s, const struct vs *v);
void vs_count_runs(struct exec *x, struct table *t, bool *several);
/* vs_paired.c */
void vs_measure_paired(struct exec *x, const struct source *s, const struct vs *v,
		       struct table *t);

/* vs_runs.c: the cost of each function in each run of one side */
struct vs_runs;
struct vs_range {
	int64_t least, median, most;
};
/* How many runs the parts of both sides are of; sums cannot be compared if these differ. */
void vs_runs_count(struct exec *x, const struct vs *v, bool doubt, uint32_t n[2]);
bool vs_runs_known(const struct vs *v); /* not if stages estimate costs */
void vs_know_runs(struct vs *v, uint32_t event,
		  uint32_t base_event); /* fills in v->runs */
/* f GRAPH_NONE: no run has it, so it cost 0. */
struct vs_range vs_runs_range(const struct vs_runs *r, uint32_t f);

/* vs_keys.c: equal for what is the same on both sides. */
void vs_row_key(struct vs *v, unsigned side, size_t row, struct arena *scratch,
		struct vs_key *out);
/* Make function f of a graph part of a key, which begins as zeros. */
void vs_add_fn(const struct vs *v, unsigned side, const struct graph *g, uint32_t f,
	       struct arena *a, struct vs_key *k);

/* Things by their keys: of those with equal keys each is taken once, in order (vs_join.c). */
struct vs_keys {
	struct vs_key *key;
	struct hash by;
	uint8_t *used;
};
void vs_keys_index(struct exec *x, struct vs_keys *k, size_t n);
uint32_t vs_keys_take(struct vs_keys *k, const struct vs_key *key); /* GRAPH_NONE: none */

extern const struct joined vs_joined; /* vs_cols.c */
/* Do the rows of the source have costs of single runs? */
bool vs_has_runs(const struct source_def *src);
/* Is this one of vs_cols[], which others have on request, shown by `info`? */
bool vs_on_card(const struct source_def *src, const struct col_def *d);
/* Doubt the comparison if event e has another formula in the base. */
void vs_same_formula(struct vs *v, uint32_t e);
/* Is the row of a function with a number in its name, whose partner may be another
 * function? */
bool vs_unsure(const struct vs *v, uint32_t r);
/* Are some rows paired by a rule, so that `was` has something to say? */
bool vs_any_renamed(const struct vs *v, size_t rows);

#endif
