/*
 * result.h - a table: the output of every source and of every table stage.
 *
 * Columns are typed arrays of `rows` values in the arena of the query.  The names of the
 * `machine` columns and their order are a contract (repl/OUTPUT.md).  Columns with
 * `table` are shown in the table for people (bars and cumulative percentages only there).
 * Both show the columns in the order of the array.  An estimated cell is flagged, its
 * number is not changed.  A cell may be absent: unknown, not zero.
 */
#ifndef QUERN_RESULT_H
#define QUERN_RESULT_H

#include "engine/lang/col_type.h"
#include "engine/lang/format.h"
#include "index/base/str.h"
#include "index/format/event.h"

struct column {
	struct str name; /* "self", "incl.D1mr", "self%" */
	enum col_type type;
	uint32_t event;	     /* of COL_COST, COL_DELTA, COL_PERCENT */
	bool machine, table; /* shown in machine formats, in the table for people */
	bool bar;	     /* of numbers: the table draws it after the last column */
	bool calls;	     /* COL_STR: "f -> g; g -> h", names of functions */
	bool sentence;	     /* COL_STR: wrapped where it is too wide, never cut */
	struct unit unit;    /* of COL_COST, COL_DELTA, COL_RATIO */
	const struct unit *row_unit; /* per row; NULL: unit */
	bool adds_up;		     /* its sum over rows of `_` makes sense */
	union {
		const uint64_t *u;
		const int64_t *i;
		const double *f;
		const struct str *s;
		const bool *b;
	};
	const uint8_t *estimated; /* per row; NULL: no row is */
	const uint8_t *absent;	  /* per row; NULL: no row is */
};

#define RESULT_NONE UINT32_MAX

/* The top of a tree: the rows of level 1 lie on it. */
struct tree_top {
	struct str name; /* empty: nothing, they are frames of their own */
	uint32_t fn;	 /* the function of that name, or RESULT_NONE: it is several */
	uint32_t frame;	 /* the same, if the tree is of frames of this function alone */
	int64_t cost;	 /* inclusive, nested calls counted once */
	int64_t own; /* the part that is in no call: spent by the top itself, or entered
			    without a call */
	bool fuzzy;  /* cost is an estimate */
};

/*
 * Both sides of an answer about two profiles: [0] is the profile, [1] the base.  Per row,
 * and 0 where a side has no such row.  For exporters, until the query's arena is reset.
 */
struct compared {
	struct graph *graph;	/* of the base */
	uint32_t event;		/* its number there */
	int64_t total;		/* of the base */
	const int64_t *cost[2]; /* the first cost of the source: self, est, incl */
	const uint8_t *estimated[2];
	/* The numbers of the rows on each side, or RESULT_NONE: functions, edges or rows
	 * of the tree. */
	const uint32_t *row[2];
	/* [functions of the graph, of the base's]: the same function in the other, or
	 * RESULT_NONE.  NULL if the source is no tree, calls or functions. */
	const uint32_t *same[2];
	/* [rows]: result_fn() of each. */
	const uint32_t *fn[2];
	/* Of trees only; as in struct result. */
	const int64_t *own[2];
	const struct path_tree *paths[2]; /* NULL if stages removed rows */
	struct tree_top top[2];		  /* each in its graph */
	double proven[2];		  /* path_tree.proven of the trees */
};

/* What a comparison says first: by the own costs of all functions of both graphs. */
enum { HEADLINE_NAMED = 2 };
struct headline {
	int64_t total[2]; /* of the profile, of the base */
	/* The first row of `why`: "83 %: f now calls g"; and where.  Empty: no single
	 * cause. */
	struct str cause, file;
	uint64_t line;
	struct str others; /* "Bcm +18.1 %: why by Bcm"; empty: no event got worse */
	/* The rows of `why`, which add up to the difference. */
	struct headline_cause {
		int64_t delta;
		double share;	 /* percent */
		double from, to; /* of one run of the function: calls, or a cost */
		bool rates;	 /* they are known; and are costs */
		bool costs;
		struct str text, file;
		uint64_t line;
		bool gone;   /* the line is one of the base */
		uint32_t of; /* 1 + the function, as result_fn(); 0: none */
	} * causes;
	size_t ncauses;
	size_t listed, more; /* rows that are a cause; causes in the row of the rest */
	bool unsure;	     /* one run a side: they may be noise */
	bool plain;	     /* `cause` says no more than the first row */
	struct changed {
		size_t functions;
		int64_t by; /* of all of them */
		struct changed_fn {
			const struct graph *g; /* that has it */
			uint32_t fn;
			struct str name; /* short */
			int64_t now, was;
		} most[HEADLINE_NAMED]; /* the largest changes first */
		size_t named;
	} changed[2]; /* [0]: more than in the base, [1]: less */
};

struct doubts;
struct err;
struct result_pages; /* provides the rows that are not held */
struct graph;
struct listing;
struct path_tree;
struct source_def;

struct result {
	const char *source; /* the kind of the rows: "functions", "callers", "path" */
	const struct source_def *of; /* the table of the source; NULL: none, of `_` */
	struct str query;	     /* the statement's text */
	struct str profile;	     /* name of the profile */
	struct str base;   /* name of the one that `vs` compares with, or empty */
	struct str event;  /* event of costs that name none */
	struct unit unit;  /* its unit */
	int64_t total;	   /* its 100 %; 0: unknown */
	bool total_about;  /* that is an estimate: what `ignore` leaves */
	uint32_t event_id; /* its number */
	const struct compared *compared; /* NULL: one profile, or `_`, or grouped rows */
	const struct headline *headline; /* NULL: one profile, a card or `_` */
	/* Percent of the cost of profile and base that is in functions which both have; -1:
	 * not known */
	double paired[2];
	/* For exporters, until the query's arena is reset: the graph asked (NULL for
	 * `_`). */
	struct graph *graph;
	const void *table; /* the same: its struct table, for result_fn() */
	bool tree;	   /* it has a root, and the cost left out is known */
	/* For a tree: the nearest row above each row that the stages kept, or
	 * RESULT_NONE.  Else NULL. */
	const uint32_t *on;
	/* For a tree that no stage changed: it knows the cost left out
	 * (path_tree_left_out()). */
	const struct path_tree *paths;
	/* For `source` and `asm` that no stage changed (engine/listing/listing.h); else NULL. */
	const struct listing *listing;
	struct tree_top top;
	bool upward; /* a tree of callers */
	struct column *cols;
	size_t ncols;
	size_t rows;
	/* If there are many rows, or a column waits for a reader, the columns hold only rows
	 * first .. first + held - 1 at a time, and only the columns of machine formats: see
	 * result_row().  pages NULL: all rows, first is 0. */
	size_t first, held;
	struct result_pages *pages;
	uint64_t rows_before; /* before take/skip/limits: "showing 10 of 1,586" */
	bool truncated;	      /* a limit, not the user, cut the rows */
	struct str *notes;    /* "push_back matched 6 functions": written to stderr */
	size_t nnotes;
	size_t nhints; /* so many of them, the last ones, do not change what it means */
	const struct doubts *doubts; /* rows/doubt.h; for an `expect` about `_` */
	struct str *filters;	     /* graph stages in force, for the header */
	size_t nfilters;
	struct str
		footer; /* "10 of 1,586 functions = 71.2 % of 5.27 M Ir"; may be empty */
	struct str
		proven; /* "35.6 % of the cost is on proven stacks"; part of the footer;
			      empty: all is, or the answer is no tree */
	int depth_col;	/* index of the column with the depth of a tree row, or -1 */
	bool card;	/* one subject: show as "key: value" lines (info) */
	bool usual;	/* it has the columns of its source */
	bool expects;	/* the statement has an `expect` */
	const struct str
		*members; /* of a set: the profiles that were asked; NULL: one profile */
	size_t nmembers;
	const struct broken {
		struct str profile;
		struct str why; /* it is doubted; empty: its rows break it */
	} * broken;		/* those that break the `expect` */
	size_t nbroken;
	struct str member; /* the only one that this answer is of; or empty */
	struct str why; /* how it fails ("expected no rows, found 2"): the rows are those
			   that break it; empty: it holds */
	bool doubted;	/* `why` is not about the rows (rows/doubt.h) */
	/* The output that the statement asked for. */
	enum format format;
	struct str file;  /* "> file"; empty: standard output */
	struct str shell; /* "! command"; empty: none */
};

/* Load the page of a row; *at: its index in the columns.  0 or the kind of err. */
int result_row(const struct result *r, size_t row, size_t *at, struct err *err);
/* Call fn(arg), which goes through the rows with result_row() and asks nothing else of the
 * profile: another thread fills the next page meanwhile.  0, or the kind of err. */
int result_ahead(const struct result *r, int (*fn)(void *), void *arg, struct err *err);
/* Load all rows of a column of r (or NULL), for a reader that cannot take them one after
 * the other: row i is at index i until result_row() is used.  It does not read columns
 * that it has not loaded. */
int result_load(const struct result *r, const struct column *c, struct err *err);
/* Read all columns of the whole result that the table for people may ask for. */
int result_shown(const struct result *r, struct err *err);
/* Read all columns of the whole result. */
int result_whole(const struct result *r, struct err *err);
/*
 * The function that a row is about, or of a call its caller (end 0) and its callee (1): a
 * number of r->graph; of the base, if only that has it, plus r->graph->functions.
 * RESULT_NONE: it is not known.  Different functions can have one name.
 */
uint32_t result_fn(const struct result *r, size_t row, unsigned end);
/* NULL: no column of that name. */
const struct column *result_col(const struct result *r, struct str name);
/* The name of its event beside costs that have their unit: "Time" of "Time_(10ns)". */
struct str result_title(const struct result *r);

#endif
