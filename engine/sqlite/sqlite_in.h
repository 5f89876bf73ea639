/*
 * sqlite_in.h - quern.so, the SQLite extension: what its files share.
 *
 *	sqlite.c           the tables as SQLite sees them: schema, cursor, values
 *	sqlite_plan.c      what SQLite wants of a table, as a query of quern
 *	sqlite_profiles.c  the open profiles of a connection
 *	sqlite_tables.c    the tables that are functions
 *	sqlite_created.c   CREATE VIRTUAL TABLE: the columns of any query
 *	sqlite_text.c      names that are not UTF-8
 *
 * The extension is a user of libquern like any other: it includes quern.h and nothing else
 * of the project.
 */
#ifndef QUERN_SQLITE_IN_H
#define QUERN_SQLITE_IN_H

#include <stdbool.h>
#include <sqlite3ext.h>

#include "engine/api/quern.h"

/* The functions of SQLite, by the macros of sqlite3ext.h (sqlite_api.c). */
extern const sqlite3_api_routines *sqlite3_api;

/* SQLite 3.38; an older one does not know them and goes without. */
#ifndef SQLITE_INDEX_CONSTRAINT_LIMIT
#define SQLITE_INDEX_CONSTRAINT_LIMIT 73
#define SQLITE_INDEX_CONSTRAINT_OFFSET 74
#endif

/* ---- tables ---- */

enum {
	COL_NUMBER = 1, /* quern compares and sorts it as SQL does, but ... */
	COL_GAPS = 2, /* unknown in some rows: those come last in quern, also ascending */
	COL_WORD = 4, /* text that quern compares with = as SQL does, or finds more */
	COL_EVENT = 8, /* a cost: tables that are created have one for each event */
};

struct vtab_column {
	const char *name, *type; /* as in CREATE TABLE */
	const char *ask;	 /* its name in a query; NULL: the same */
	unsigned flags;
};

enum { VTAB_SOURCES = 7, VTAB_COLUMNS = 32 };

/* A source of the language, and the columns of numbers of functions that its clauses
 * take. */
struct vtab_source {
	const char *table, *source;
	const char *of, *from, *to;
	int n;
	struct vtab_column cols[VTAB_COLUMNS];
};

/* ---- sqlite_tables.c ---- */

void vtab_sources(struct vtab_source out[VTAB_SOURCES]);
/* A column of a quern_type; gaps: unknown in some rows.  The name stays the caller's. */
struct vtab_column vtab_column_of(const char *name, int type, bool gaps);

/* The arguments of a table-valued function: hidden columns after the others. */
enum vtab_arg { ARG_PROFILE, ARG_EVENT, ARG_STAGES, ARG_INDEX, ARG_BUILD, VTAB_ARGS };

struct vtab_columns {
	const struct vtab_column *at;
	int n;
	bool args; /* the hidden columns follow */
};

static inline const char *vtab_ask(const struct vtab_column *c)
{
	return c->ask ? c->ask : c->name;
}

/* ---- sqlite_plan.c ---- */

/*
 * Choose the query for what SQLite wants: the text in info->idxStr,
 *
 *	functions | where self > ? and calls < ? | sort self desc | take ? | show fn, self
 *
 * in which values take the place of each `?` when it runs.  info->idxNum tells which
 * arguments there are (1 << enum vtab_arg); their values come first.  source NULL: the
 * query of the table, whose columns cannot be left out.
 */
int plan_choose(const struct vtab_source *source, const char *query,
		const struct vtab_columns *columns, bool push, sqlite3_index_info *info);

struct plan_run {
	const char *plan; /* idxStr */
	size_t fixed; /* bytes of it that are the query of the table, not of a source */
	const char *stages;	/* to be put before it; or NULL */
	const char *event;	/* of its source; or NULL */
	sqlite3_value **values; /* of the marks; LIMIT and OFFSET are the last ones */
	int nvalues;
	uint64_t
		functions; /* of the profile: without stages, a greater number is of none */
};

struct plan_query {
	char *rows, *columns; /* the query is rows, take, columns */
	sqlite3_int64 page;   /* rows to take; 0: all */
	bool empty;	      /* no row can match */
};

/* Make the query of a plan. */
int plan_query(const struct plan_run *run, struct plan_query *q);
void plan_forget(struct plan_query *q);
/* Its text, of sqlite3_malloc(); NULL: memory is out. */
char *plan_text(const struct plan_query *q);
/* Take more rows. */
void plan_grow(struct plan_query *q);
/* The number of columns that a plan sorts by. */
int plan_sorts(const char *plan);
/* The place in the answer of each column (-1: it is not there).  plan NULL: all are. */
void plan_places(const char *plan, const struct vtab_columns *columns, int *place);

/* ---- sqlite_profiles.c ---- */

/* How to open a profile. */
struct profile_key {
	const char *path, *index; /* index NULL: the usual one */
	bool no_build;
};

struct profile_entry {
	char *path, *index;
	bool no_build;
	quern_profile *profile;
	uint64_t functions;
	unsigned users; /* cursors and tables */
	bool stale;	/* the file has changed: for those that use it only */
	struct profile_entry *next;
};

struct profiles { /* of a connection; those used last are first */
	sqlite3 *db;
	struct profile_entry *first;
};

/* Open a profile, or find it open; counts the user.  NULL: *why, of sqlite3_malloc(). */
struct profile_entry *profiles_take(struct profiles *p, const struct profile_key *key,
				    int *rc, char **why);
/* One user less. */
void profiles_give(struct profiles *p, struct profile_entry *e);
bool profiles_same(const struct profile_entry *e, const struct profile_key *key);
void profiles_free(struct profiles *p);
/* A message with its hint; NULL: memory is out. */
char *profiles_say(const quern_error *err);
/* The code of SQLite for a status. */
int profiles_code(int status);

/* ---- sqlite_created.c ---- */

struct created {
	struct profile_entry *profile;
	char *query;
	bool pushes; /* stages may be added to the query */
	struct vtab_column *cols;
	int n, cap;
};

/* A table of the arguments of CREATE VIRTUAL TABLE: the profile, a query, options.
 * *source: the query is only that; or NULL. */
int created_new(struct profiles *all, const struct vtab_source sources[VTAB_SOURCES],
		int argc, const char *const *argv, struct created **out,
		struct vtab_columns *columns, const struct vtab_source **source,
		char **why);
void created_free(struct profiles *all, struct created *c); /* NULL is fine */

/* ---- sqlite_text.c ---- */

/* Is it UTF-8, and does not begin as the marked form does? */
bool text_is_plain(quern_text t);
/* The marked form, as `as json` has it: `\x:`, then a byte as \xNN, a backslash as two.
 * Free it by sqlite3_free(); NULL: memory is out. */
char *text_mark(quern_text t, size_t *n);

#endif
