/*
 * export_db.h - the tables of .export as an SQLite database.
 *
 * Rows go into a temporary file beside the final one, which appears whole or not at all.
 * SQLite is loaded when a database is asked for; the program is not linked with it.
 */
#ifndef QUERN_EXPORT_DB_H
#define QUERN_EXPORT_DB_H

#include "index/base/str.h"

struct err;
struct export_db;

/* Is it the name of a database: x.db, x.sqlite, x.sqlite3? */
bool export_db_named(struct str path);
/* Begin a database, which must not be there; path stays the caller's.  Errors are ERR_OUTPUT. */
int export_db_open(struct export_db **out, const char *path, struct err *err);
/* Run statements, which end in a 0. */
int export_db_run(struct export_db *db, const char *sql, struct err *err);
/* The rows that follow are of this table. */
int export_db_table(struct export_db *db, const char *name, size_t columns,
		    struct err *err);
/* One cell after the other, then the end of the row.  Text is borrowed until then. */
void export_db_text(struct export_db *db, struct str s);
void export_db_number(struct export_db *db, uint64_t n);
void export_db_cost(struct export_db *db, int64_t cost);
void export_db_null(struct export_db *db);
int export_db_row(struct export_db *db, struct err *err);
/* Give it its name. */
int export_db_publish(struct export_db *db, struct err *err);
/* Remove what was not published.  NULL is fine. */
void export_db_close(struct export_db *db);

#endif
