/*
 * export_in.h - shared by export.c (the directory or database), export_table.c (the tables)
 * and export_write.c (rows and the schema as they are written).
 */
#ifndef QUERN_EXPORT_IN_H
#define QUERN_EXPORT_IN_H

#include "index/base/arena.h"
#include "index/base/out.h"
#include "index/format/event.h"
#include "index/store/store.h"
#include "repl/export/export.h"

struct export;
struct export_db;
struct result;
struct session;

struct export_table {
	const char *name, *about;
	bool on_request;
	/* Asked of each profile; or of some of its functions after the other, or of each of
	 * its parts, whose row is the column `row`. */
	const char *query;
	const char *addressed; /* of profiles with addresses, or NULL: it is the same */
	enum { OF_PROFILE, OF_FUNCTIONS, OF_PARTS } portions;
	bool (*has)(struct store *st); /* NULL: each profile has such rows */
	/* Its columns after `profile` and `run`, in their order (export_next()). */
	const char *columns;
};

enum { EXPORT_TABLES = 16 }; /* at most */
extern const struct export_table export_tables[];
extern const size_t export_tables_n;

struct export_column {
	struct str name; /* of a cost, only the first word: self for self_Ir, self_Dr,
			    ... */
	struct str from; /* the column of the registry: type, meaning, values */
	struct str to;	 /* the table whose id it is; or empty */
	bool key;  /* identifies the row, with the others of this kind and the run */
	bool cost; /* there is one for each event */
};

/* The next column of a list; false: there are no more.  A column is
 *
 *	NAME  NAME=FROM       a column of the registry, and its name here
 *	NAME!                 a key
 *	NAME>TABLE            an id of another table
 *	NAME.                 a cost
 */
bool export_next(const char **list, struct export_column *c);

struct export_event {
	struct str name; /* as written in the first profile that has it */
	struct unit unit;
	char *column; /* the name in column names; unique even if case is ignored */
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
	char run[12]; /* text, and no number for a reader that guesses types */
	uint32_t *
		local; /* its number of each event; more than its events: it has it not */
	struct session *asked; /* with this profile alone, or NULL */
	/* the current table */
	const struct export_table *table;
	struct out out;
	bool headed; /* the header is written */
	uint64_t rows;
	uint64_t written; /* rows of all tables */
	struct arena arena;
	struct err *err;
};

/* ---- export_write.c ---- */
/* Write rows of the current profile, whose columns are those of the table, a cost for each
 * event that the profile has. */
int export_put(struct export *x, const struct result *r);
bool export_has(const struct export *x, size_t event);
/* How many columns the current table has. */
size_t export_columns(const struct export *x);
const char *export_extension(const struct export *x);
/* Write schema.json and schema.sql.  chosen[t]: table t was written, with rows[t]
 * rows. */
void export_schema_json(struct export *x, const bool *chosen, const uint64_t *rows);
void export_schema_sql(struct export *x, const bool *chosen);

#endif
