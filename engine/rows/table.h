/*
 * table.h - rows on their way from a source through the table stages.
 *
 * A row is a reference: a function, an edge, an index into the source's own array.  A
 * column is filled when a stage or the result needs it, for the rows left then.  So `top
 * 10` reads ten rows.  Stages that look at all rows do so a window at a time (window.h),
 * and read only the columns that they name.
 *
 * Files, objects and names stay numbers of the store until they are shown.
 */
#ifndef QUERN_TABLE_H
#define QUERN_TABLE_H

#include "engine/graph/graph.h"
#include "engine/lang/result.h"
#include "engine/rows/column.h"
#include "index/format/event.h"

struct check_env;
struct exec;
struct expr;
struct listing;
struct path_tree;
struct result;
struct source;
struct table;
struct vs; /* vs.c: two tables joined */

/* What a row is about.  Rows of two profiles that are about the same are compared. */
struct row_subject {
	uint32_t fn
		[2];  /* a function of the graph, or a call from [0] to [1]; GRAPH_NONE */
	file_id file; /* of the store; GRAPH_NO_FILE: none */
	uint64_t line;
	struct str name; /* a text of its own; or empty */
};

enum { ROW_WHOLE = UINT32_MAX, ROW_UNCOUNTED = UINT32_MAX - 1 };

struct source_def {
	const char *name;    /* of the result: "functions" */
	const char *rows;    /* in a footer: "functions", "call sites" */
	const char *primary; /* column that `top` sorts by */
	const char *named; /* what other sources call its `name`: "file"; NULL: nothing */
	enum rows_of of;
	/* Its columns in their order: the list, and what the registry makes of it
	 * (columns_resolve()).  COLUMNS() sets all three. */
	const struct listed *list;
	struct col_def *cols;
	size_t ncols;
	/* It reads no calls, or those of few functions: they need not be joined before
	 * (graph_need_calls()). */
	bool few_calls;
	bool sorted; /* without a sort stage: sort by primary, descending */
	/* Fill in the rows; t->src is already set (sources_open()). */
	void (*open)(struct exec *x, const struct source *s, struct table *t);
	/* The function of a row, for `in $set` and columns that are of functions; NULL: none */
	uint32_t (*fn)(const struct table *t, uint32_t ref);
	/* Sets what the row has of *out, where nothing is set yet.  A row of a tree is also
	 * about the rows above it.  NULL: rows cannot be compared. */
	void (*subject)(const struct table *t, uint32_t ref, struct row_subject *out);
	/* Whether the ratios of a row are costs of the event; NULL: none are. */
	bool (*rates_cost)(const struct table *t, uint32_t ref);
	/* Rows are stacks: the row above ref, which is a lower one; UINT32_MAX: none.  NULL:
	 * they are not, or are those of a tree. */
	uint32_t (*above)(const struct table *t, uint32_t ref);
	/* Of calls: both functions */
	struct link caller, callee;
	/* The struct that columns AT() a member read is one of table.rows, of this size; or
	 * row() finds it, or makes it in *room. */
	size_t row_size;
	const void *(*row)(const struct table *t, uint32_t ref, struct row_room *room);
};

/* Row r of a source whose rows are structs of this type. */
#define ROW(type, t, r) (&((const struct type *)(t)->rows)[r])

/* clang-format off */
#define COLUMNS(names)                                                             \
	.list = (names), .ncols = sizeof(names) / sizeof((names)[0]),              \
	.cols = (struct col_def[sizeof(names) / sizeof((names)[0])]){{0}}
/* clang-format on */

struct table_col {
	struct str name;
	const struct col_def *def; /* NULL: computed */
	enum col_type type;
	uint32_t event;
	struct unit unit; /* of the values */
	bool percent;	  /* of the cost of def */
	bool machine, table, bar, calls, sentence, adds_up, filled;
	struct expr *ratio; /* quotient, computed from sums if summed; or NULL */
	/* [rows]; texts of a dictionary are numbers in code[]: use col_text(). */
	enum dict dict;
	union {
		void *p;
		uint64_t *u;
		int64_t *i;
		double *f;
		struct str *s;
		bool *b;
		uint32_t *code;
	};
	uint8_t *estimated, *absent;
	size_t slot; /* its place in struct window */
};

/* Properties of a join of two tables (vs.c) that a source does not have. */
struct joined {
	/* The definition of base, delta, ...; or NULL */
	const struct col_def *(*col)(const struct source_def *src, struct str name);
	void (*fill)(struct table *t, struct table_col *c);
	/* The function of the row in the first profile, or GRAPH_NONE. */
	uint32_t (*fn)(const struct table *t, uint32_t ref);
};

struct table {
	struct exec *x;
	const struct source_def *src; /* NULL: the rows do not come from a source any
					 more */
	struct graph *g;
	void *data;		     /* of the source */
	const void *rows;	     /* of the source: a struct for each reference */
	struct vs *vs;		     /* columns of both sides; NULL: one profile */
	const struct joined *joined; /* of vs */
	/* The row that contains this row; ROW_WHOLE; or ROW_UNCOUNTED: in no sum.
	 * NULL: all rows are ROW_WHOLE. */
	uint32_t (*part_of)(const struct table *t, uint32_t ref);
	const uint32_t *on; /* per reference, if `_` was a tree: see result.h */
	uint32_t *ref;	    /* [n]; NULL: row i is reference first + i */
	size_t first;	    /* 0, but for windows */
	size_t n;
	size_t all; /* of a window or a page: rows of the whole table; else 0 */
	struct table_col **cols;
	size_t ncols, cap;
	uint32_t event;
	uint64_t rows_before;
	bool truncated, ordered, card;
	bool set; /* the rows are of many profiles: no column can be filled any more */
	bool by_cost; /* not sorted yet: the costliest rows, or their groups, come first */
	struct str footer;
	struct str no_text; /* why people see no text of lines; empty: they do */
	/* For a tree: its rows, and its top with its cost (result.h). */
	const struct path_tree *paths; /* the rows of the tree as the source made them */
	const struct listing *listing; /* of `source` and `asm`, as the source made it */
	bool tree;
	struct tree_top top;
	int64_t share_of; /* 100 % of `share%`, if it has such a column */
	bool min_percent; /* min was a percentage: of the total */
	bool min_usual;	  /* that nobody asked for */
	double min;	  /* with `vs`: rows below it on both sides go after the join */
	struct paired {	  /* with `vs`, or of `_` */
		bool known;
		double percent[2];  /* of each profile's cost that both have */
		struct str renamed; /* "app-1.1 was app-1.0", of objects; or empty */
	} paired;
	size_t path_from; /* for parts: length of the directory that all files share */
	bool upward;
};

bool col_is_f(enum col_type t);
bool col_is_text(enum col_type t);
size_t type_width(enum col_type t);	     /* bytes per value */
size_t col_width(const struct table_col *c); /* bytes per row */
struct str dict_text(struct store *st, enum dict d, uint32_t code);
uint32_t dict_size(struct store *st, enum dict d);
/* The text in row i of a text column of t. */
static inline struct str col_text(const struct table *t, const struct table_col *c,
				  size_t i)
{
	return c->dict ? dict_text(t->g->st, c->dict, c->code[i]) : c->s[i];
}
/* The text of a column of the source in a row. */
struct str column_text(const struct table *t, const struct col_def *d, uint32_t ref);
/* Does a column of t with this definition keep numbers for its texts? */
bool has_codes(const struct table *t, const struct col_def *d);
static inline uint32_t row_ref(const struct table *t, size_t i)
{
	return t->ref ? t->ref[i] : (uint32_t)(t->first + i);
}

void table_init(struct exec *x, struct table *t, const struct source_def *src,
		struct graph *g, size_t n);
/* Make references explicit: 0..n-1 if ref is NULL. */
void table_refs(struct table *t);
/* Find the column, or add it without showing it.  It may not be filled yet. */
void table_find(struct table *t, struct str base, uint32_t event, bool percent,
		struct table_col **out);
/* Find or add a column of the source, even if an added one took the name. */
void table_add(struct table *t, struct str base, uint32_t event, bool percent,
	       struct table_col **out);
/* table_find() and table_add(), filled. */
void table_column(struct table *t, struct str base, uint32_t event, bool percent,
		  struct table_col **out);
void table_own(struct table *t, struct str base, uint32_t event, bool percent,
	       struct table_col **out);
/* Has a stage added a column with this name? */
bool table_taken(const struct table *t, struct str name);
/* Do once for all rows what the cells of a column need; table_fill() does it. */
void table_prepare(const struct table *t, const struct table_col *c);
/* Compute the values of a column. */
void table_fill(struct table *t, struct table_col *c);
/* Show a column of the source to people. */
void table_show(struct table *t, struct str name);
/* The same in machine formats. */
void table_tell(struct table *t, struct str name);
/* Compute them in buf, col_width() * t->n bytes. */
void table_fill_into(struct table *t, struct table_col *c, void *buf);
/* A cost or count that does not fit in 64 bits stands at their end: if one of the n cells does,
 * say so; `expect` doubts the answer. */
void table_doubt_full(struct exec *x, const struct table_col *c, size_t n);
/* Replace the numbers of a column by texts. */
void table_texts(struct table *t, struct table_col *c);
/* Append a computed column of t->n rows, of zeros. */
void table_append(struct table *t, struct str name, enum col_type type,
		  struct table_col **out);
/* Append one with the values, flags, type and event of v. */
void table_adopt(struct table *t, struct str name, const struct table_col *v,
		 struct table_col **out);
/* Keep rows keep[0..n-1], in this order. */
void table_select(struct table *t, const uint32_t *keep, size_t n);
/* The function of the row in the first profile, or GRAPH_NONE. */
uint32_t table_fn(const struct table *t, size_t row);
/* The function of a reference of one profile, or one end of its call: result_fn(). */
uint32_t table_end(const struct table *t, uint32_t ref, unsigned end);
/* *yes: no row has more self cost than the one before, so that a running sum of it says
 * something. */
void table_by_self(struct table *t, bool *yes);
/* Of a tree: [n], the nearest row above each among those that are left; or ROW_WHOLE,
 * ROW_UNCOUNTED.  NULL: no row lies on another. */
uint32_t *table_above(const struct table *t);
void table_result(struct table *t, struct result *r);

const struct col_def *source_col(const struct source_def *src, struct str name);
/* Are its costs of an event, with the unit of that?  Those of a comparison of counts are not. */
bool source_of_costs(const struct source_def *src);
/* The unit of the values of a column in an event. */
struct unit source_unit(const struct check_env *env, const struct source_def *src,
			const struct col_def *d, uint32_t event);
/* Its column that NAMES_EVENT, or NULL: the costs of a row are of their columns' events. */
const struct col_def *source_names_event(const struct source_def *src);

/* The columns that `vs` adds to those of a source, computed in vs_cols.c.  OF_TOTAL is the
 * percentage of the column before. */
enum { VS_COLS = 20 };
extern struct col_def vs_cols[VS_COLS];

#endif
