/*
 * table.h - rows on their way from a source through the table stages.
 *
 * A row is a reference (a function, an edge, an index into the source's own array); a
 * column is filled when a stage or the result needs it, for the rows left by then.  So
 * `top 10` reads ten rows, and `where` reads the columns it names.
 */
#ifndef QUERN_TABLE_H
#define QUERN_TABLE_H

#include "engine/lang/ast.h"
#include "engine/graph/graph.h"
#include "engine/lang/result.h"
#include "index/base/arena.h"
#include "index/base/err.h"

struct exec;
struct path_tree;
struct table;
struct vs; /* vs.c: two tables joined */

enum col_flags {
	SHOW_M = 1,    /* in machine formats */
	SHOW_T = 2,    /* in the human table */
	PER_EVENT = 4, /* NAME.EVENT is possible */
	ADDS_UP = 8,   /* sums over rows mean something */
	IS_CUM = 16,   /* cum%: running sum of the column before */
	HAS_BAR = 32,
	AT_TOP = 128,  /* of ADDS_UP: only of rows that are ROW_WHOLE, others repeat it */
	OF_TOTAL = 64, /* the percentage of `self`, named by .name without "%" */
};

struct col_def {
	const char *name;
	enum col_type type;
	unsigned flags;
	/* One of them, by type; a COL_DELTA and a COL_BOOL come as u. */
	uint64_t (*u)(const struct table *t, uint32_t ref, uint32_t event);
	struct str (*s)(const struct table *t, uint32_t ref);
	double (*f)(const struct table *t, uint32_t ref, uint32_t event);
	bool (*estimated)(const struct table *t, uint32_t ref, uint32_t event);
	bool (*absent)(const struct table *t, uint32_t ref);
};

enum { ROW_WHOLE = UINT32_MAX, ROW_UNCOUNTED = UINT32_MAX - 1 };

struct source_def {
	const char *name;    /* of the result: "functions" */
	const char *rows;    /* what its rows are: "functions", "callers" */
	const char *primary; /* column that `top` sorts by */
	const struct col_def *cols;
	size_t ncols;
	bool sorted; /* without a sort stage: by primary, descending */
	/* t->src is this one (sources_open()). */
	int (*open)(struct exec *x, const struct source *s, struct table *t);
	/* The function of a row, for `in $set`; NULL: none */
	uint32_t (*fn)(const struct table *t, uint32_t ref);
	/* Identity of a row for `vs`; NULL: cannot be compared */
	struct str (*key)(const struct table *t, uint32_t ref, struct arena *a);
};

struct table_col {
	struct str name;
	const struct col_def *def; /* NULL: computed */
	enum col_type type;
	uint32_t event;
	bool percent; /* of def's cost */
	bool machine, table, bar, adds_up, filled;
	struct expr *ratio; /* a quotient: sums divide last */
	union {
		void *p;
		uint64_t *u;
		int64_t *i;
		double *f;
		struct str *s;
		bool *b;
	};
	uint8_t *estimated, *absent;
};

/* What two tables joined (vs.c) have that a source has not. */
struct joined {
	/* base, delta, ...; or NULL */
	const struct col_def *(*col)(const struct source_def *src, struct str name);
	int (*fill)(struct table *t, struct table_col *c);
	/* The row's function in the first profile, or GRAPH_NONE. */
	uint32_t (*fn)(const struct table *t, uint32_t ref);
};

struct table {
	struct exec *x;
	const struct source_def *src; /* NULL: rows are not a source's any more */
	struct graph *g;
	void *data;		     /* the source's */
	struct vs *vs;		     /* columns come from both sides; NULL: one profile */
	const struct joined *joined; /* of vs */
	/* The row that a row is a part of, ROW_WHOLE, or ROW_UNCOUNTED: it is in no sum;
	 * NULL: all are ROW_WHOLE */
	uint32_t (*part_of)(const struct table *t, uint32_t ref);
	const uint32_t *on; /* of `_` that was a tree: of each reference, see result.h */
	uint32_t *ref;	    /* [n]; NULL: row i is reference i */
	size_t n;
	struct table_col **cols;
	size_t ncols, cap;
	uint32_t event;
	uint64_t rows_before;
	bool truncated, ordered, card;
	struct str footer;
	/* Of a tree: what it is of, at what cost (result.h). */
	const struct path_tree *paths; /* the rows of a tree, as the source gave them */
	bool tree, root_fuzzy;
	struct str root_name;
	uint64_t root_cost, root_own;
	size_t path_from; /* of parts: bytes that the paths of all files share */
	bool upward;
};

bool col_is_f(enum col_type t);
bool col_is_text(enum col_type t);
size_t col_width(enum col_type t);
static inline uint32_t row_ref(const struct table *t, size_t i)
{
	return t->ref ? t->ref[i] : (uint32_t)i;
}

int table_init(struct exec *x, struct table *t, const struct source_def *src,
	       struct graph *g, size_t n);
/* All references 0..n-1 (NULL) made explicit. */
int table_refs(struct table *t);
/* Find or add the column; add is invisible.  Filled on return. */
int table_column(struct table *t, struct str base, uint32_t event, bool percent,
		 struct table_col **out);
/* The same of the source's own columns: an added one may have taken the name. */
int table_own(struct table *t, struct str base, uint32_t event, bool percent,
	      struct table_col **out);
/* Has a stage given the name to a column of its own? */
bool table_taken(const struct table *t, struct str name);
/* Let a column hold its values. */
int table_fill(struct table *t, struct table_col *c);
/* A computed column of t->n rows, appended. */
int table_append(struct table *t, struct str name, enum col_type type,
		 struct table_col **out);
/* Keep rows keep[0..n-1], in that order. */
int table_select(struct table *t, const uint32_t *keep, size_t n);
/* The row's function (of the first profile), or GRAPH_NONE. */
uint32_t table_fn(const struct table *t, size_t row);
int table_result(struct table *t, struct result *r);

const struct col_def *source_col(const struct source_def *src, struct str name);

/* ---- vs.c ---- */
/* What `vs` adds to a source's columns; OF_TOTAL is the percentage of the one before. */
enum { VS_COLS = 6 };
extern const struct col_def vs_cols[VS_COLS];
/* So many of them can src have, the first. */
size_t vs_col_count(const struct source_def *src);
/* One of them that src can have, without "%"; NULL: another column. */
const struct col_def *vs_col(const struct source_def *src, struct str name);

#endif
