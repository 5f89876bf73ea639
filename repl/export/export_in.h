/*
 * export_in.h - shared by export.c (the directory), export_table.c (the contents of the
 * tables) and export_file.c (the notation of a row).
 */
#ifndef QUERN_EXPORT_IN_H
#define QUERN_EXPORT_IN_H

#include <stdio.h>

#include "index/base/arena.h"
#include "index/base/out.h"
#include "index/format/event.h"
#include "index/store/store.h"
#include "repl/export/export.h"

enum export_type { EXPORT_TEXT, EXPORT_U64, EXPORT_BOOL, EXPORT_I64 };
enum { EXPORT_KEPT = 8 };    /* the first columns of a table */
enum { EXPORT_POLL = 1024 }; /* rows between two polls of Ctrl-C and the disk */
enum { EXPORT_KEY = 1, EXPORT_COST = 2 }; /* flags; a cost has a column for each event */

struct export_column {
	const char *name; /* of a cost, only the first word: self for self_Ir, self_Dr,
			     ... */
	enum export_type type;
	unsigned flags;
	const char *unit; /* of a number, or NULL; the unit of a cost is its event */
	const char *about;
};

/* The rows of columns.txt, with the profile before them and {0} behind. */
extern const struct export_column profile_columns[], event_columns[], function_columns[],
	edge_columns[], context_columns[], line_columns[], callsite_columns[],
	part_columns[], part_function_columns[], part_edge_columns[];

struct export_key { /* columns that, with profile, identify a row of another table */
	const char *columns, *table;
};

struct export;
struct export_db;

struct export_table {
	const char *name, *about;
	bool on_request;
	const struct export_column *columns; /* the last has no name */
	const struct export_key *keys;	     /* the last has no columns; or NULL */
	int (*rows)(struct export *x);	     /* of the profile x->st */
};

extern const struct export_table export_tables[];
extern const size_t export_tables_n;

struct export_event {
	struct str name; /* as written in the first profile that has it */
	struct unit unit;
	char *column; /* the name in column names; unique even if case is ignored */
};

/* A row whose parts are added up: of the contexts of a function. */
struct export_row {
	uint32_t part;
	fn_id fn, callee;
	file_id file;
	uint32_t line;
	uint64_t instr, calls;
	size_t costs; /* in added.costs */
};

struct export
{
	struct app *app;
	enum export_format format;
	struct export_db *db;	     /* of EXPORT_DB; else NULL, and rows go to out */
	struct export_event *events; /* of all profiles */
	size_t nevents, events_cap;
	/* the current profile */
	struct store *st;
	struct str profile;
	uint32_t *local; /* its number of each event; all_events: it does not have it */
	int64_t *costs;	 /* buffer for the costs of one row */
	/* the current table */
	const struct export_table *table;
	struct out out;
	size_t column, event; /* of the next cell; event: within a cost */
	uint64_t rows;
	uint64_t written;	  /* rows of all tables */
	fn_id fn;		  /* the function with the current lines or sites */
	struct arena arena;	  /* of one part */
	struct graph *graph;	  /* of st, or NULL */
	struct arena graph_arena; /* has it */
	struct {
		struct export_row *rows;
		int64_t *costs;
		size_t n, cap, ncosts, costs_cap;
	} added;
	struct {
		struct str text; /* the last export_name() of this column */
		struct out cell; /* the same text, escaped */
		bool has;
	} kept[EXPORT_KEPT];
	struct err *err;
};

/* ---- export_rows.c ---- */
/* The functions of x->st, one for all its contexts, and their calls.  costs: with all
 * recorded events. */
int export_graph(struct export *x, bool costs, struct graph **out);
/* Keep a row; then, if there are contexts, add those up that are of the same numbers, which are
 * their order. */
int export_add(struct export *x, const struct export_row *r, const int64_t *costs);
void export_add_up(struct export *x);

/* ---- export_file.c: one row, cell by cell in the order of the columns ---- */
void export_text(struct export *x, struct str s);
/* Put a string of the store or the session that is likely to be repeated. */
void export_name(struct export *x, struct str s);
void export_number(struct export *x, uint64_t n);
void export_cost(struct export *x, int64_t cost);
void export_bool(struct export *x, bool b);
/* The cost columns come next; costs[e] is the cost of the profile's event e. */
void export_costs(struct export *x, const int64_t *costs);
void export_row_start(struct export *x);
/* Non-zero if the export must end: Ctrl-C, a full disk, a damaged index. */
int export_row_end(struct export *x);
void export_header(struct export *x);
/* How many columns the current table has. */
size_t export_columns(const struct export *x);
const char *export_extension(const struct export *x);
/* Write schema.json and schema.sql.  chosen[t]: table t was written, with rows[t]
 * rows. */
void export_schema_json(struct export *x, const bool *chosen, const uint64_t *rows);
void export_schema_sql(struct export *x, const bool *chosen);

#endif
