/*
 * export_impl.h - between export.c (the directory), export_table.c (what the tables hold)
 * and export_file.c (how a row is written).
 */
#ifndef QUERN_EXPORT_IMPL_H
#define QUERN_EXPORT_IMPL_H

#include <stdio.h>

#include "index/base/out.h"
#include "repl/export/export.h"

enum export_type { EXPORT_TEXT, EXPORT_U64, EXPORT_BOOL };
enum { EXPORT_KEPT = 8 };		  /* the first columns of a table */
enum { EXPORT_KEY = 1, EXPORT_COST = 2 }; /* flags; a cost has a column for each event */

struct export_column {
	const char
		*name; /* of a cost its first word: self stands for self_Ir self_Dr ... */
	enum export_type type;
	unsigned flags;
	const char *unit; /* of a number; NULL: it has none.  A cost's is its event */
	const char *about;
};

struct export_key { /* columns that name a row of another table, but for profile */
	const char *columns, *table;
};

struct export;

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
	struct str name; /* as the first profile that has it writes it */
	char *column;	 /* the name as a part of column names: told apart without case */
};

struct export
{
	struct app *app;
	enum export_format format;
	struct export_event *events; /* of all profiles */
	size_t nevents, events_cap;
	/* the profile that is written */
	struct store *st;
	struct str profile;
	uint32_t *local; /* its number of each event; all_events: it has none */
	uint64_t *costs; /* room for one row's */
	/* the table that is written */
	const struct export_table *table;
	struct out out;
	size_t column, event; /* of the cell that comes next; event: within a cost */
	uint64_t rows;
	fn_id fn;	    /* the function whose lines or sites are read */
	struct arena arena; /* of one part */
	struct {
		struct str text; /* the last export_name() of this column */
		struct out cell; /* as it was written */
		bool has;
	} kept[EXPORT_KEPT];
	struct err *err;
};

/* ---- export_file.c: one row, cell by cell in the order of the columns ---- */
void export_text(struct export *x, struct str s);
/* The same for a string of the store or the session that is likely to come again. */
void export_name(struct export *x, struct str s);
void export_number(struct export *x, uint64_t n);
void export_bool(struct export *x, bool b);
/* The next column's costs; costs[e] is that of the profile's event e. */
void export_costs(struct export *x, const uint64_t *costs);
void export_row_start(struct export *x);
/* Non-zero when the run must end: Ctrl-C, a full disk, a damaged index. */
int export_row_end(struct export *x);
void export_header(struct export *x);
const char *export_extension(const struct export *x);
/* schema.json and schema.sql; rows[t] of table t, chosen[t] when it is among those written. */
void export_schema_json(struct export *x, const bool *chosen, const uint64_t *rows);
void export_schema_sql(struct export *x, const bool *chosen);

#endif
