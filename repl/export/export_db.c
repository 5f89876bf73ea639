/*
 * export_db.c - an SQLite database, written in one transaction; see export_db.h.
 *
 * The file is nobody's until it has its name, so there is no journal.  The functions of
 * SQLite are found by name when the library is loaded: their types are those of sqlite3.h,
 * which has not changed them since version 3.5.
 */
#include "repl/export/export_db.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/app/target.h"
#include "repl/term/emit.h"

enum { SQLITE_OK = 0, SQLITE_DONE = 101, READ_WRITE = 2, CREATE = 4 };

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

struct sqlite { /* a function of the library for each member */
	void *library;
	int (*open_v2)(const char *, sqlite3 **, int, const char *);
	int (*close)(sqlite3 *);
	int (*exec)(sqlite3 *, const char *, void *, void *, char **);
	const char *(*errmsg)(sqlite3 *);
	int (*prepare_v2)(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
	int (*bind_text64)(sqlite3_stmt *, int, const char *, uint64_t, void (*)(void *),
			   unsigned char);
	int (*bind_int64)(sqlite3_stmt *, int, int64_t);
	int (*bind_double)(sqlite3_stmt *, int, double);
	int (*bind_null)(sqlite3_stmt *, int);
	int (*step)(sqlite3_stmt *);
	int (*reset)(sqlite3_stmt *);
	int (*finalize)(sqlite3_stmt *);
};

struct export_db {
	struct sqlite sql;
	struct target target;
	const char *path; /* of the user */
	sqlite3 *db;
	sqlite3_stmt *insert;
	int column;	 /* of the next cell, from 1 */
	bool failed;	 /* a cell was refused */
	struct out text; /* of a cell that is not UTF-8 */
};

bool export_db_named(struct str path)
{
	return str_ends(path, STR(".db")) || str_ends(path, STR(".sqlite")) ||
	       str_ends(path, STR(".sqlite3"));
}

/* ---- the library ---- */

#define FUNCTIONS(X)   \
	X(open_v2)     \
	X(close)       \
	X(exec)        \
	X(errmsg)      \
	X(prepare_v2)  \
	X(bind_text64) \
	X(bind_int64)  \
	X(bind_double) \
	X(bind_null)   \
	X(step)        \
	X(reset)       \
	X(finalize)
#ifdef LINK_SQLITE /* a static program has it, and can load nothing */
#define DECLARE(f) void sqlite3_##f(void);
FUNCTIONS(DECLARE)

static int load_library(struct sqlite *s, struct err *err)
{
#define ADDRESS(f) sqlite3_##f,
	static void (*const function[])(void) = {FUNCTIONS(ADDRESS)};
#define AT(f) offsetof(struct sqlite, f),
	static const size_t at[] = {FUNCTIONS(AT)};

	for (size_t i = 0; i < COUNT(at); i++)
		memcpy((char *)s + at[i], &function[i], sizeof(function[i]));
	return err->kind;
}
#else
static int load_library(struct sqlite *s, struct err *err)
{
#define NAME(f) {"sqlite3_" #f, offsetof(struct sqlite, f)},
	static const struct {
		const char *name;
		size_t at; /* in struct sqlite */
	} functions[] = {FUNCTIONS(NAME)};
	bool whole = true;

	s->library = dlopen("libsqlite3.so.0", RTLD_NOW);
	for (size_t i = 0; s->library && i < COUNT(functions); i++) {
		void *f = dlsym(s->library, functions[i].name);

		whole &= f != NULL;
		memcpy((char *)s + functions[i].at, &f, sizeof(f));
	}
	if (s->library && whole)
		return 0;
	err_set(err, ERR_OUTPUT, ERR_NOWHERE, "a database needs SQLite, which %s",
		s->library ? "is too old" : "is not installed: libsqlite3.so.0");
	return err_hint(err, "apt-get install libsqlite3-0, or export a directory of CSV "
			     "and read its schema.sql");
}
#endif

static int db_failed(const struct export_db *db, struct err *err)
{
	return err_set(err, ERR_OUTPUT, ERR_NOWHERE, "%s: %s", db->path,
		       db->db ? db->sql.errmsg(db->db) : "SQLite is out of memory");
}

/* ---- the file ---- */

static int check_free(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT
			       ? 0
			       : err_set(err, err_kind_of(errno, ERR_OUTPUT), ERR_NOWHERE,
					 "%s: %s", path, strerror(errno));
	err_set(err, ERR_OUTPUT, ERR_NOWHERE, "%s: it is there", path);
	return err_hint(err, "remove it, or name another");
}

/* SQLite would take "file:x.db" for a URI. */
static int begin(struct export_db *db, struct err *err)
{
	const char *const temp = db->target.temp;
	char *path = NULL;
	int failed;

	if (asprintf(&path, "%s%s", temp[0] == '/' ? "" : "./", temp) < 0)
		return err_no_memory(err, NULL);
	failed = db->sql.open_v2(path, &db->db, READ_WRITE | CREATE, NULL);
	free(path);
	if (failed != SQLITE_OK)
		return db_failed(db, err);
	return export_db_run(
		db,
		"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		"PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536;"
		"PRAGMA user_version = 1; BEGIN",
		err);
}

int export_db_open(struct export_db **out, const char *path, struct err *err)
{
	struct export_db *db = calloc(1, sizeof(*db));

	if (!db)
		return err_no_memory(err, NULL);
	*out = db;
	out_mem(&db->text);
	db->target.fd = -1;
	db->path = path;
	return load_library(&db->sql, err) || check_free(path, err) ||
			       target_open(&db->target, path, err) || begin(db, err)
		       ? err->kind
		       : 0;
}

int export_db_run(struct export_db *db, const char *sql, struct err *err)
{
	return db->sql.exec(db->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : db_failed(db, err);
}

int export_db_publish(struct export_db *db, struct err *err)
{
	db->sql.finalize(db->insert);
	db->insert = NULL;
	if (export_db_run(db, "COMMIT", err))
		return err->kind;
	if (db->sql.close(db->db) != SQLITE_OK)
		return db_failed(db, err);
	db->db = NULL;
	db->target.is_new = true;
	return check_free(db->path, err) ? err->kind : target_commit(&db->target, err);
}

void export_db_close(struct export_db *db)
{
	if (!db)
		return;
	if (db->insert)
		db->sql.finalize(db->insert);
	if (db->db)
		db->sql.close(db->db);
	target_abandon(&db->target);
	out_close(&db->text);
	free(db);
}

/* ---- rows ---- */

int export_db_table(struct export_db *db, const char *name, size_t columns,
		    struct err *err)
{
	struct out text;
	int rc;

	out_mem(&text);
	out_printf(&text, "INSERT INTO %s VALUES (?", name);
	for (size_t i = 1; i < columns; i++)
		out_c(&text, ",?");
	out_c(&text, ")");
	if (text.failed) {
		out_close(&text);
		return err_no_memory(err, NULL);
	}
	db->sql.finalize(db->insert);
	db->insert = NULL;
	db->column = 1;
	rc = db->sql.prepare_v2(db->db, text.buf, (int)text.n, &db->insert, NULL);
	out_close(&text);
	return rc == SQLITE_OK ? 0 : db_failed(db, err);
}

static void bound(struct export_db *db, int rc)
{
	db->failed |= rc != SQLITE_OK;
	db->column++;
}

void export_db_text(struct export_db *db, struct str s)
{
	enum { UTF8 = 1 };
	/* SQLite copies what is in our buffer. */
	void (*const copy)(void *) = (void (*)(void *))(intptr_t)-1;
	const struct str is = emit_utf8(&db->text, s);

	bound(db, db->sql.bind_text64(db->insert, db->column, is.p ? is.p : "", is.n,
				      is.p == s.p ? NULL : copy, UTF8));
}

void export_db_number(struct export_db *db, uint64_t n)
{
	bound(db, n <= INT64_MAX
			  ? db->sql.bind_int64(db->insert, db->column, (int64_t)n)
			  : db->sql.bind_double(db->insert, db->column, (double)n));
}

void export_db_cost(struct export_db *db, int64_t cost)
{
	bound(db, db->sql.bind_int64(db->insert, db->column, cost));
}

void export_db_null(struct export_db *db)
{
	bound(db, db->sql.bind_null(db->insert, db->column));
}

int export_db_row(struct export_db *db, struct err *err)
{
	const bool done = !db->failed && db->sql.step(db->insert) == SQLITE_DONE;

	if (!done)
		db_failed(db, err);
	db->sql.reset(db->insert);
	db->column = 1;
	return done ? 0 : err->kind;
}
