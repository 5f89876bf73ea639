/*
 * sqlite.c - quern.so, an SQLite extension: profiles as tables.
 *
 *	SELECT fn, self FROM quern_functions('callgrind.out.1') ORDER BY self DESC LIMIT 10;
 *	CREATE VIRTUAL TABLE temp.f USING quern('callgrind.out.1', 'functions');
 *	SELECT fn, self_D1mr FROM temp.f;
 *
 * Each table is a query of quern; what SQLite filters and sorts becomes a part of it
 * (sqlite_plan.c).  The values are those of `as json`.  An unknown one is NULL, true and
 * false are 1 and 0, and a number above 2^63 - 1 is REAL, as SQLite itself reads it.
 */
#include "engine/sqlite/sqlite.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "engine/sqlite/sqlite_in.h"

enum { OLDEST = 3031000 }; /* SQLITE_VTAB_DIRECTONLY */

static const char *const arg_columns[VTAB_ARGS] = {
	"profile TEXT HIDDEN", "event TEXT HIDDEN", "stages TEXT HIDDEN",
	"index_path TEXT HIDDEN", "build INTEGER HIDDEN"};

struct module {				  /* of a table, in one connection */
	const struct vtab_source *source; /* NULL: CREATE VIRTUAL TABLE ... USING quern */
	struct connection *connection;
};

struct connection {
	struct profiles profiles;
	unsigned modules; /* that are left */
	struct vtab_source source[VTAB_SOURCES];
	struct module module[VTAB_SOURCES + 1];
};

struct sql_table {
	sqlite3_vtab base;
	struct connection *connection;
	const struct vtab_source *source;
	struct vtab_columns columns;
	/* Of a created table: */
	struct created *created;
};

struct loaded_values { /* of a column of the rows loaded */
	enum quern_type type;
	const void *at;
	const uint8_t *absent;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct profile_entry *profile;
	struct plan_query query;
	quern_answer *answer; /* NULL: no rows */
	uint64_t row, rows, first;
	bool filtered; /* by a condition */
	bool several;  /* sorted by several columns */
	size_t loaded; /* rows from `first` on */
	sqlite3_value *arg[VTAB_ARGS];
	int *place;		      /* of each column in the answer, or -1 */
	struct loaded_values *values; /* of the columns of the answer */
	int nvalues;
};

static struct sql_table *table_of(sqlite3_vtab_cursor *c)
{
	return (struct sql_table *)c->pVtab;
}

/* Leave a message for SQLite, which frees it.  Returns rc. */
static int say(sqlite3_vtab *v, int rc, char *why)
{
	sqlite3_free(v->zErrMsg);
	v->zErrMsg = why;
	return rc;
}

/* ---- the schema ---- */

static int declare(sqlite3 *db, const struct vtab_columns *c)
{
	sqlite3_str *text = sqlite3_str_new(db);
	char *sql;
	int rc;

	sqlite3_str_appendall(text, "CREATE TABLE x(");
	for (int i = 0; i < c->n; i++)
		sqlite3_str_appendf(text, "%s\"%w\" %s", i ? ", " : "", c->at[i].name,
				    c->at[i].type);
	for (int i = 0; c->args && i < VTAB_ARGS; i++)
		sqlite3_str_appendf(text, ", %s", arg_columns[i]);
	sqlite3_str_appendall(text, ")");
	sql = sqlite3_str_finish(text);
	rc = sql ? sqlite3_declare_vtab(db, sql) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return rc;
}

static int connect_function(sqlite3 *db, void *aux, int argc, const char *const *argv,
			    sqlite3_vtab **out, char **why)
{
	const struct module *m = aux;
	struct sql_table *t = sqlite3_malloc(sizeof(*t));
	int rc;

	(void)argc, (void)argv, (void)why;
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct sql_table){.connection = m->connection,
				.source = m->source,
				.columns = {m->source->cols, m->source->n, true}};
	rc = declare(db, &t->columns);
	/* A file of somebody else's with a view must not make us read files. */
	sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
	if (rc == SQLITE_OK)
		*out = &t->base;
	else
		sqlite3_free(t);
	return rc;
}

static int connect_query(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **why)
{
	const struct module *m = aux;
	struct sql_table *t;
	int rc;

	/* The schema of a file may be somebody else's: looking at it connects its tables. */
	if (strcmp(argv[1], "temp") != 0) {
		*why = sqlite3_mprintf(
			"CREATE VIRTUAL TABLE temp.%s: tables of quern are "
			"temporary",
			argv[2]);
		return SQLITE_ERROR;
	}
	if (!(t = sqlite3_malloc(sizeof(*t))))
		return SQLITE_NOMEM;
	*t = (struct sql_table){.connection = m->connection};
	rc = created_new(&m->connection->profiles, m->connection->source, argc, argv,
			 &t->created, &t->columns, &t->source, why);
	if (rc == SQLITE_OK)
		rc = declare(db, &t->columns);
	sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
	if (rc == SQLITE_OK) {
		*out = &t->base;
	} else {
		created_free(&m->connection->profiles, t->created);
		sqlite3_free(t);
	}
	return rc;
}

static int disconnect(sqlite3_vtab *v)
{
	struct sql_table *t = (struct sql_table *)v;

	created_free(&t->connection->profiles, t->created);
	sqlite3_free(t);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *v, sqlite3_index_info *info)
{
	struct sql_table *t = (struct sql_table *)v;

	return plan_choose(t->source, t->created ? t->created->query : NULL, &t->columns,
			   !t->created || t->created->pushes, info);
}

/* ---- cursors ---- */

static int cursor_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
	struct sql_table *t = (struct sql_table *)v;
	struct cursor *c = sqlite3_malloc(sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct cursor){.place = sqlite3_malloc64(
				     sizeof(int) * ((sqlite3_uint64)t->columns.n + 1))};
	if (!c->place) {
		sqlite3_free(c);
		return SQLITE_NOMEM;
	}
	*out = &c->base;
	return SQLITE_OK;
}

static void forget_rows(struct cursor *c)
{
	quern_free(c->answer);
	c->answer = NULL;
	plan_forget(&c->query);
	c->row = c->rows = c->first = 0;
	c->loaded = 0;
}

static void forget_args(struct cursor *c)
{
	for (int i = 0; i < VTAB_ARGS; i++) {
		sqlite3_value_free(c->arg[i]);
		c->arg[i] = NULL;
	}
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	forget_rows(c);
	forget_args(c);
	profiles_give(&table_of(base)->connection->profiles, c->profile);
	sqlite3_free(c->place);
	sqlite3_free(c->values);
	sqlite3_free(c);
	return SQLITE_OK;
}

/* Keep the arguments: they are the values of the hidden columns. */
static int take_args(struct cursor *c, int given, sqlite3_value **argv, int *n)
{
	forget_args(c);
	*n = 0;
	for (int i = 0; i < VTAB_ARGS; i++)
		if (given & 1 << i && !(c->arg[i] = sqlite3_value_dup(argv[(*n)++])))
			return SQLITE_NOMEM;
	return SQLITE_OK;
}

/* Of all but the profile, '' is none. */
static const char *arg_text(const struct cursor *c, enum vtab_arg arg)
{
	const char *s =
		c->arg[arg] ? (const char *)sqlite3_value_text(c->arg[arg]) : NULL;

	return s && (*s || arg == ARG_PROFILE) ? s : NULL;
}

static int take_profile(struct cursor *c, int given, char **why)
{
	struct profiles *all = &table_of(&c->base)->connection->profiles;
	const struct profile_key key = {
		.path = arg_text(c, ARG_PROFILE),
		.index = arg_text(c, ARG_INDEX),
		.no_build = c->arg[ARG_BUILD] &&
			    sqlite3_value_type(c->arg[ARG_BUILD]) != SQLITE_NULL &&
			    !sqlite3_value_int(c->arg[ARG_BUILD]),
	};
	int rc;

	if (!key.path) {
		*why = given & 1 << ARG_PROFILE
			       ? sqlite3_mprintf("the profile is NULL")
			       : sqlite3_mprintf(
					 "which profile? FROM %s('callgrind.out.1')",
					 table_of(&c->base)->source->table);
		return SQLITE_ERROR;
	}
	/* A join asks again and again. */
	if (c->profile && profiles_same(c->profile, &key))
		return SQLITE_OK;
	profiles_give(all, c->profile);
	c->profile = profiles_take(all, &key, &rc, why);
	return rc;
}

/* Make room for what is loaded. */
static int take_answer(struct cursor *c, quern_answer *a)
{
	const int n = (int)quern_columns(a);
	struct loaded_values *v =
		sqlite3_realloc64(c->values, sizeof(*v) * ((sqlite3_uint64)n + 1));

	c->answer = a;
	if (!v)
		return SQLITE_NOMEM;
	c->values = v;
	c->nvalues = n;
	c->rows = quern_rows(a);
	/* An answer that was cut says so; the application may log it. */
	for (size_t i = 0; quern_note(a, i); i++)
		sqlite3_log(SQLITE_NOTICE, "quern: %s", quern_note(a, i));
	return SQLITE_OK;
}

/* Does the error say that the graph stages left no function of a number looked up? */
static bool finds_none(const char *stages, const char *text, const quern_error *err)
{
	return stages && err->status == QUERN_WRONG_QUERY && err->at > strlen(stages) &&
	       err->at < strlen(text) &&
	       (text[err->at] == '#' || text[err->at - 1] == '#');
}

/* Are the columns at their places?  Stages may end in a comment, and hide what follows. */
static bool has_columns(const struct cursor *c, const struct vtab_columns *columns)
{
	for (int i = 0; i < columns->n; i++)
		if (c->place[i] >= c->nvalues ||
		    (c->place[i] >= 0 &&
		     strcmp(quern_column_at(c->answer, (size_t)c->place[i])->name,
			    vtab_ask(&columns->at[i])) != 0))
			return false;
	return true;
}

static const struct profile_entry *profile_of(const struct cursor *c)
{
	const struct sql_table *t = (const struct sql_table *)c->base.pVtab;

	return t->created ? t->created->profile : c->profile;
}

/* Ask for the rows of the query, or for a page of them. */
static int ask(struct cursor *c, char **why)
{
	const char *stages = arg_text(c, ARG_STAGES);
	char *text = plan_text(&c->query);
	quern_error err;
	quern_answer *a;
	bool empty;

	if (!text)
		return SQLITE_NOMEM;
	a = quern_query(profile_of(c)->profile, text, &err);
	empty = !a && finds_none(stages, text, &err);
	sqlite3_free(text);
	if (a)
		return take_answer(c, a);
	if (empty)
		return SQLITE_OK;
	*why = profiles_say(&err);
	return profiles_code(err.status);
}

/* The page has ended, and SQLite wants more. */
static int ask_more(struct cursor *c)
{
	char *why = NULL;
	int rc;

	plan_grow(&c->query);
	quern_free(c->answer);
	c->answer = NULL;
	c->loaded = 0;
	rc = ask(c, &why);
	return why ? say(c->base.pVtab, rc, why) : rc;
}

/* The name must not end the quoted text after `by`. */
static bool is_event(const char *s)
{
	return !s || !strpbrk(s, "\"\\\n$");
}

static int filter(sqlite3_vtab_cursor *base, int given, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct sql_table *t = table_of(base);
	char *why = NULL;
	int n, rc;

	forget_rows(c);
	rc = take_args(c, given, argv, &n);
	if (rc == SQLITE_OK && !t->created)
		rc = take_profile(c, given, &why);
	if (rc == SQLITE_OK && c->arg[ARG_EVENT] && !is_event(arg_text(c, ARG_EVENT))) {
		rc = SQLITE_ERROR;
		why = sqlite3_mprintf("'%s' is not an event", arg_text(c, ARG_EVENT));
	}
	if (rc == SQLITE_OK) {
		const struct plan_run run = {
			.plan = plan,
			.fixed = t->source ? 0 : strlen(t->created->query),
			.stages = arg_text(c, ARG_STAGES),
			.event = arg_text(c, ARG_EVENT),
			.values = argv + n,
			.nvalues = argc - n,
			.functions = profile_of(c)->functions,
		};

		c->filtered = strstr(plan + run.fixed, " | where ") ||
			      strstr(plan + run.fixed, "#?");
		c->several = plan_sorts(plan + run.fixed) > 1;
		plan_places(t->source ? plan : NULL, &t->columns, c->place);
		rc = plan_query(&run, &c->query);
		if (rc == SQLITE_OK && !c->query.empty)
			rc = ask(c, &why);
	}
	if (rc == SQLITE_OK && c->answer && t->columns.args &&
	    !has_columns(c, &t->columns)) {
		rc = SQLITE_ERROR;
		why = sqlite3_mprintf("'%s': more than graph stages",
				      arg_text(c, ARG_STAGES));
	}
	return why ? say(base->pVtab, rc, why) : rc;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	c->row++;
	return c->row == c->rows && c->rows == (uint64_t)c->query.page ? ask_more(c)
								       : SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (struct cursor *)base;

	return c->row >= c->rows;
}

/* The number of a row among all of them.  Of those that fit a condition it is not known, nor
 * of several profiles: SQLite would take one row for another. */
static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	const struct cursor *c = (struct cursor *)base;

	*out = (sqlite3_int64)c->row + 1;
	if (!c->filtered && !table_of(base)->columns.args)
		return SQLITE_OK;
	return say(
		base->pVtab, SQLITE_ERROR,
		sqlite3_mprintf("these rows have no rowid; if none was asked for: UNION "
				"for OR between profiles"));
}

/* ---- values ---- */

static const void *values_of(const quern_answer *a, size_t column, enum quern_type type)
{
	switch (type) {
	case QUERN_UINT: return quern_uints(a, column);
	case QUERN_INT: return quern_ints(a, column);
	case QUERN_REAL: return quern_reals(a, column);
	case QUERN_TEXT: return quern_texts(a, column);
	default: return quern_bools(a, column);
	}
}

/* Numbers that are equal as REAL but not as they are: what comes after them in ORDER BY
 * would be in the order of this column. */
static bool has_ties(const struct cursor *c, const uint64_t *v)
{
	for (size_t i = 0; i < c->loaded; i++)
		if (v[i] > INT64_MAX &&
		    (i ? v[i] != v[i - 1] && (double)v[i] == (double)v[i - 1] : c->first))
			return true;
	return false;
}

static int load_rows(struct cursor *c)
{
	quern_error err;

	c->first = c->row;
	c->loaded = quern_load(c->answer, c->row, &err);
	if (!c->loaded)
		return say(c->base.pVtab, profiles_code(err.status), profiles_say(&err));
	for (int i = 0; i < c->nvalues; i++) {
		struct loaded_values *v = &c->values[i];

		v->type = (enum quern_type)quern_column_at(c->answer, (size_t)i)->type;
		v->at = values_of(c->answer, (size_t)i, v->type);
		v->absent = quern_absent(c->answer, (size_t)i);
		if (c->several && v->type == QUERN_UINT && has_ties(c, v->at))
			return say(c->base.pVtab, SQLITE_ERROR,
				   sqlite3_mprintf(
					   "%s above 2^63 is not exact in SQL: "
					   "ORDER BY one column",
					   quern_column_at(c->answer, (size_t)i)->name));
	}
	return SQLITE_OK;
}

static void give_text(sqlite3_context *to, quern_text t)
{
	char *marked = NULL;
	size_t n;

	if (text_is_plain(t)) {
		sqlite3_result_text64(to, t.bytes, t.length, SQLITE_TRANSIENT,
				      SQLITE_UTF8);
		return;
	}
	marked = text_mark(t, &n);
	if (marked)
		sqlite3_result_text64(to, marked, n, sqlite3_free, SQLITE_UTF8);
	else
		sqlite3_result_error_nomem(to);
}

static void give_value(sqlite3_context *to, const struct loaded_values *v, size_t i)
{
	if (v->absent && v->absent[i])
		return; /* NULL */
	switch (v->type) {
	case QUERN_UINT: {
		const uint64_t n = ((const uint64_t *)v->at)[i];

		if (n <= INT64_MAX)
			sqlite3_result_int64(to, (sqlite3_int64)n);
		else
			sqlite3_result_double(to, (double)n);
		break;
	}
	case QUERN_INT: sqlite3_result_int64(to, ((const int64_t *)v->at)[i]); break;
	case QUERN_REAL:
		if (isfinite(((const double *)v->at)[i])) /* as json has it: else NULL */
			sqlite3_result_double(to, ((const double *)v->at)[i]);
		break;
	case QUERN_TEXT: give_text(to, ((const quern_text *)v->at)[i]); break;
	case QUERN_BOOL: sqlite3_result_int(to, ((const uint8_t *)v->at)[i]); break;
	}
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	struct cursor *c = (struct cursor *)base;
	const int n = table_of(base)->columns.n;

	if (i >= n) {
		if (c->arg[i - n])
			sqlite3_result_value(to, c->arg[i - n]);
		return SQLITE_OK;
	}
	if (c->row - c->first >= c->loaded) {
		const int rc = load_rows(c);

		if (rc != SQLITE_OK)
			return rc;
	}
	if (c->place[i] >= 0 && c->place[i] < c->nvalues)
		give_value(to, &c->values[c->place[i]], (size_t)(c->row - c->first));
	return SQLITE_OK;
}

/* ---- the extension ---- */

#define ROWS                                                                       \
	.xBestIndex = best_index, .xDisconnect = disconnect, .xOpen = cursor_open, \
	.xClose = cursor_close, .xFilter = filter, .xNext = next, .xEof = at_end,  \
	.xColumn = column, .xRowid = rowid

static const sqlite3_module function_module = {
	.xConnect = connect_function, /* no xCreate: it is there without CREATE */
	ROWS,
};

static const sqlite3_module query_module = {
	.xCreate = connect_query,
	.xConnect = connect_query,
	.xDestroy = disconnect,
	ROWS,
};

/* SQLite calls it for each module, also if that could not be created. */
static void leave(void *arg)
{
	struct connection *c = ((struct module *)arg)->connection;

	if (--c->modules)
		return;
	profiles_free(&c->profiles);
	sqlite3_free(c);
}

/* SQLite's macro would write at each connection, while other threads read. */
static void set_api(const sqlite3_api_routines *api)
{
	static pthread_mutex_t setting = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&setting);
	if (sqlite3_api != api)
		sqlite3_api = api;
	pthread_mutex_unlock(&setting);
}

int sqlite3_quern_init(sqlite3 *db, char **why, const sqlite3_api_routines *api)
{
	struct connection *c;
	int rc = SQLITE_OK;

	set_api(api);
	if (sqlite3_libversion_number() < OLDEST) {
		*why = sqlite3_mprintf("quern needs SQLite 3.31 or newer, this is %s",
				       sqlite3_libversion());
		return SQLITE_ERROR;
	}
	c = sqlite3_malloc(sizeof(*c));
	if (!c)
		return SQLITE_NOMEM;
	*c = (struct connection){.profiles = {.db = db}, .modules = VTAB_SOURCES + 1};
	vtab_sources(c->source);
	for (int i = 0; i <= VTAB_SOURCES; i++) {
		const struct vtab_source *s = i < VTAB_SOURCES ? &c->source[i] : NULL;
		int one;

		c->module[i] = (struct module){s, c};
		one = sqlite3_create_module_v2(db, s ? s->table : "quern",
					       s ? &function_module : &query_module,
					       &c->module[i], leave);
		rc = rc ? rc : one;
	}
	return rc;
}
