/*
 * result.h - a table: what every source yields and every table stage shapes.
 *
 * Columns are typed arrays of `rows` values in the query's arena.  A column's name and its
 * place among the `machine` columns are a contract (engine/LANGUAGE.md); `table` says that
 * the human table shows it (bars and cumulative percentages are table only).  In both, the
 * columns stand in the order of the array.  A cell that was estimated is flagged, never the
 * number changed; a cell may be absent (unknown, not zero).
 */
#ifndef QUERN_RESULT_H
#define QUERN_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/str.h"

enum col_type {
	COL_ID,	     /* u: function or row number */
	COL_COUNT,   /* u: calls, functions, ... */
	COL_COST,    /* u: cost of event `event` */
	COL_DELTA,   /* i: signed difference of costs */
	COL_LINE,    /* u: source line, 0 unknown */
	COL_ADDR,    /* u: instruction address, hexadecimal in tables */
	COL_PERCENT, /* f: 0..100 and beyond */
	COL_RATIO,   /* f: quotient of sums */
	COL_STR,     /* s: other text */
	COL_NAME,    /* s: function name (tables may shorten it) */
	COL_FILE,    /* s: file path */
	COL_OBJ,     /* s: object path */
	COL_BOOL,    /* b */
};

struct column {
	struct str name; /* "self", "incl.D1mr", "self%" */
	enum col_type type;
	uint32_t event;	     /* of COL_COST, COL_DELTA, COL_PERCENT */
	bool machine, table; /* shown in machine formats, in the human table */
	bool bar;     /* COL_PERCENT: the table draws a bar after the last column */
	bool adds_up; /* a sum over the rows of `_` means something */
	union {
		const uint64_t *u;
		const int64_t *i;
		const double *f;
		const struct str *s;
		const bool *b;
	};
	const uint8_t *estimated; /* per row, or NULL: none is */
	const uint8_t *absent;	  /* per row, or NULL: none is */
};

enum format {
	FORMAT_NONE, /* not said in the query: the caller's choice */
	FORMAT_TABLE,
	FORMAT_TREE,
	FORMAT_CSV,
	FORMAT_TSV,
	FORMAT_JSON,
	FORMAT_NDJSON,
	FORMAT_MD,
	FORMAT_SVG,
	FORMAT_ICICLE,
	FORMAT_HTML,
	FORMAT_FOLDED,
	FORMAT_SPEEDSCOPE,
	FORMAT_DOT,
	FORMAT_CALLGRIND,
	FORMAT_PPROF,
};

#define RESULT_NONE UINT32_MAX

struct result_pages; /* where the other rows come from */
struct graph;
struct path_tree;

struct result {
	const char *source; /* "functions", "callers", "path": what the rows are */
	struct str query;   /* the statement's text */
	struct str profile; /* name of the profile asked */
	struct str event;   /* the event of unqualified costs */
	uint64_t total;	    /* its 100 %; 0: unknown */
	uint32_t event_id;  /* its number */
	/* For exporters, and only until the query's arena is reset: the graph that was asked
	 * (NULL for `_`). */
	struct graph *graph;
	bool tree; /* it has a root, and what it leaves out is known */
	/* Of a tree: per row the one it lies on, which is the nearest of those above it that stages
	 * have left, or RESULT_NONE.  Else NULL. */
	const uint32_t *on;
	/* Of a tree that no stage has changed: what it leaves out (path_tree_shown()). */
	const struct path_tree *paths;
	bool root_fuzzy; /* root_cost is an estimate */
	struct str
		root_name;  /* what the tree is of; empty: its level 1 are frames of their
				 own */
	uint64_t root_cost; /* its inclusive cost, nested calls counted once */
	uint64_t root_own;  /* what of it is in no call: its own, or nobody called it */
	bool upward;	    /* callers */
	struct column *cols;
	size_t ncols;
	size_t rows;
	/* Of many rows the columns hold only rows first .. first + held - 1 at a time, and only
	 * those of machine formats: see result_row().  pages NULL: all rows, first is 0. */
	size_t first, held;
	struct result_pages *pages;
	uint64_t rows_before; /* before take/skip/limits: "showing 10 of 1,586" */
	bool truncated;	      /* a limit, not the user, cut the rows */
	struct str *notes;    /* "push_back matched 6 functions": for stderr */
	size_t nnotes;
	struct str *filters; /* graph stages in force, for the header */
	size_t nfilters;
	struct str
		footer; /* "10 of 1,586 functions = 71.2 % of 5.27 M Ir"; may be empty */
	int depth_col;	/* column holding the depth of a tree row, or -1 */
	bool card;	/* one subject: show as "key: value" lines (info) */
	/* What the statement asked for */
	enum format format;
	struct str file;  /* "> file"; empty: standard output */
	struct str shell; /* "! command"; empty: none */
};

/* Let the columns hold the row, and *at be its place in them.  0 or err's kind. */
int result_row(const struct result *r, size_t row, size_t *at, struct err *err);
/* Let the columns hold all rows, for who cannot take them one after the other. */
int result_whole(const struct result *r, struct err *err);
/* NULL when there is none of that name. */
const struct column *result_col(const struct result *r, struct str name);
/* The format named s ("csv"), or that of a file name's extension; FORMAT_NONE: unknown. */
enum format format_of_name(struct str s);
enum format format_of_file(struct str path);
const char *format_name(enum format f);

#endif
