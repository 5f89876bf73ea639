/*
 * export.h - .export: the tables of the open profiles as files for a database, or as one.
 *
 * The output is a directory of CSV or NDJSON files, one per table, with schema.json
 * (columns, types, units, keys) and schema.sql.  Rows are written as they are read, so
 * memory does not grow with the profile.  The directory appears whole, by a rename, or
 * not at all.
 */
#ifndef QUERN_EXPORT_H
#define QUERN_EXPORT_H

struct app;
struct err;
struct str;

enum export_format { EXPORT_CSV, EXPORT_NDJSON, EXPORT_DB };

/* Write the tables named in `tables` (separated by blanks; empty: the usual ones) of
 * every open profile into the directory `to`, which must be empty or not exist; with
 * EXPORT_DB into the SQLite database `to`, which must not exist. */
int export_run(struct app *app, const char *to, enum export_format format,
	       struct str tables, struct err *err);

#endif
