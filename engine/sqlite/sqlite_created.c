/*
 * sqlite_created.c - tables of CREATE VIRTUAL TABLE; see sqlite_in.h.
 *
 *	CREATE VIRTUAL TABLE temp.f USING quern('app.out', 'functions');
 *	CREATE VIRTUAL TABLE temp.t USING quern('app.out', 'callers of malloc depth 3');
 *
 * A source alone has the columns of its function, then those of every event: self_Dr,
 * incl_Dr.  Any other query has the columns of its answer.  The profile is opened when the
 * table is connected, and stays what it was.
 */
#include <string.h>

#include "engine/sqlite/sqlite_in.h"

/* ---- arguments ---- */

/* SQLite gives the text between the commas, with its quotes. */
static char *unquoted(const char *p, size_t n)
{
	char *s = sqlite3_mprintf("%.*s", (int)n, p);
	char *to = s;

	if (!s || n < 2 || !strchr("'\"", s[0]) || s[n - 1] != s[0])
		return s;
	for (size_t i = 1; i < n - 1; i++) {
		*to++ = s[i];
		if (s[i] == s[0] && s[i + 1] == s[0] && i + 1 < n - 1)
			i++;
	}
	*to = '\0';
	return s;
}

static char *argument(const char *p)
{
	size_t n;

	p += strspn(p, " \t\r\n");
	for (n = strlen(p); n && strchr(" \t\r\n", p[n - 1]); n--)
		;
	return unquoted(p, n);
}

struct arguments {
	char *path, *query, *index, *build;
};

static void arguments_free(struct arguments *a)
{
	sqlite3_free(a->path);
	sqlite3_free(a->query);
	sqlite3_free(a->index);
	sqlite3_free(a->build);
}

static int read_option(struct arguments *a, const char *text, char **why)
{
	const char *eq = strchr(text, '=');
	const size_t n = eq ? strcspn(text, "= \t\r\n") : 0;
	char **to = n == 5 && memcmp(text, "index", n) == 0   ? &a->index
		    : n == 5 && memcmp(text, "build", n) == 0 ? &a->build
							      : NULL;

	if (!to) {
		*why = sqlite3_mprintf("no option %s; there are index=PATH and build=0",
				       text);
		return SQLITE_ERROR;
	}
	sqlite3_free(*to);
	*to = argument(eq + 1);
	return *to ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_arguments(struct arguments *a, int argc, const char *const *argv,
			  char **why)
{
	if (argc < 4) {
		*why = sqlite3_mprintf("quern('PROFILE', 'QUERY', index=PATH, build=0)");
		return SQLITE_ERROR;
	}
	a->path = argument(argv[3]);
	a->query = argument(argc > 4 ? argv[4] : "functions");
	if (!a->path || !a->query)
		return SQLITE_NOMEM;
	for (int i = 5; i < argc; i++) {
		const int rc = read_option(a, argv[i] + strspn(argv[i], " \t\r\n"), why);

		if (rc != SQLITE_OK)
			return rc;
	}
	return SQLITE_OK;
}

/* ---- columns ---- */

static bool has_column(const struct created *c, const char *name)
{
	for (int i = 0; i < c->n; i++)
		if (sqlite3_stricmp(c->cols[i].name, name) == 0)
			return true;
	return false;
}

/* SQL ignores case: where there is an Ir, IR is IR_2.  Takes the name; NULL: memory is out. */
static char *free_name(const struct created *c, char *name)
{
	char *other = name;

	for (int i = 2; other && has_column(c, other); i++) {
		if (other != name)
			sqlite3_free(other);
		other = sqlite3_mprintf("%s_%d", name, i);
	}
	if (other != name)
		sqlite3_free(name);
	return other;
}

/* Takes name and ask, which may be NULL because memory was out. */
static int add_column(struct created *c, char *name, char *ask, const char *type,
		      unsigned flags)
{
	struct vtab_column *cols = c->cols;

	name = free_name(c, name);
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 32;
		cols = sqlite3_realloc64(c->cols, sizeof(*cols) * (sqlite3_uint64)c->cap);
		c->cols = cols ? cols : c->cols;
	}
	if (!name || !ask || !cols) {
		sqlite3_free(name);
		sqlite3_free(ask);
		return SQLITE_NOMEM;
	}
	c->cols[c->n++] = (struct vtab_column){name, type, ask, flags};
	return SQLITE_OK;
}

/* A name that may stand in a query as it is. */
static bool is_word(const char *s, size_t n)
{
	static const char first[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

	if (!n || !memchr(first, s[0], sizeof(first) - 1))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!memchr(first, s[i], sizeof(first) - 1) &&
		    !strchr("0123456789.", s[i]))
			return false;
	return true;
}

/* The columns of one event; none if the language has no word for it.  first: costs that name
 * none are of it. */
static int add_event(struct created *c, const struct vtab_source *s, quern_text event,
		     bool first)
{
	size_t n = event.length;

	/* It calls "Time_(10ns)" Time, and "cpu(ms)" cpu. */
	for (size_t i = 1; i < n; i++)
		if (event.bytes[i] == '(' || event.bytes[i] == '[')
			n = i - (event.bytes[i - 1] == '_');
	if (!is_word(event.bytes, n))
		return SQLITE_OK;
	for (const struct vtab_column *k = s->cols; k < s->cols + s->n; k++)
		if (k->flags & COL_EVENT) {
			const int rc = add_column(
				c,
				sqlite3_mprintf("%s_%.*s", k->name, (int)event.length,
						event.bytes),
				first ? sqlite3_mprintf("%s", k->name)
				      : sqlite3_mprintf("%s.%.*s", k->name, (int)n,
							event.bytes),
				k->type, k->flags);

			if (rc != SQLITE_OK)
				return rc;
		}
	return SQLITE_OK;
}

static int fail(const quern_error *err, char **why)
{
	*why = profiles_say(err);
	return profiles_code(err->status);
}

static int columns_of_source(struct created *c, const struct vtab_source *s, char **why)
{
	quern_error err;
	quern_answer *a;
	int rc = SQLITE_OK;
	size_t n = 0;

	for (const struct vtab_column *k = s->cols; k < s->cols + s->n && rc == SQLITE_OK;
	     k++)
		rc = add_column(c, sqlite3_mprintf("%s", k->name),
				sqlite3_mprintf("%s", k->name), k->type, k->flags);
	if (rc != SQLITE_OK)
		return rc;
	a = quern_query(c->profile->profile, "events | show name", &err);
	if (a)
		n = quern_load(a, 0, &err);
	if (err.status)
		rc = fail(&err, why);
	for (size_t i = 0; i < n && rc == SQLITE_OK; i++)
		rc = add_event(c, s, quern_texts(a, 0)[i], i == 0);
	quern_free(a);
	return rc;
}

static int columns_of_answer(struct created *c, char **why)
{
	char *none = sqlite3_mprintf("%s | take 0", c->query);
	quern_error err;
	quern_answer *a = none ? quern_query(c->profile->profile, none, &err) : NULL;
	int rc = SQLITE_OK;

	sqlite3_free(none);
	/* A comment at its end would hide what is added. */
	c->pushes = a && !quern_rows(a);
	if (!a && none)
		a = quern_query(c->profile->profile, c->query, &err);
	if (!a)
		return none ? fail(&err, why) : SQLITE_NOMEM;
	for (size_t i = 0; i < quern_columns(a) && rc == SQLITE_OK; i++) {
		const quern_column *k = quern_column_at(a, i);
		const struct vtab_column col = vtab_column_of(k->name, k->type, true);

		rc = add_column(c, sqlite3_mprintf("%s", k->name),
				sqlite3_mprintf("%s", k->name), col.type,
				is_word(k->name, strlen(k->name)) ? col.flags : 0);
	}
	quern_free(a);
	return rc;
}

/* ---- the table ---- */

static int create(struct created *c, struct profiles *all,
		  const struct vtab_source sources[VTAB_SOURCES],
		  const struct arguments *a, const struct vtab_source **source,
		  char **why)
{
	const struct profile_key key = {a->path, a->index,
					a->build && strcmp(a->build, "0") == 0};
	int rc;

	c->query = sqlite3_mprintf("%s", a->query);
	if (!c->query)
		return SQLITE_NOMEM;
	c->profile = profiles_take(all, &key, &rc, why);
	if (!c->profile)
		return rc;
	for (int i = 0; i < VTAB_SOURCES; i++)
		if (strcmp(c->query, sources[i].source) == 0)
			*source = &sources[i];
	c->pushes = true;
	return *source ? columns_of_source(c, *source, why) : columns_of_answer(c, why);
}

int created_new(struct profiles *all, const struct vtab_source sources[VTAB_SOURCES],
		int argc, const char *const *argv, struct created **out,
		struct vtab_columns *columns, const struct vtab_source **source,
		char **why)
{
	struct arguments a = {0};
	struct created *c = sqlite3_malloc(sizeof(*c));
	int rc;

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct created){0};
	rc = read_arguments(&a, argc, argv, why);
	if (rc == SQLITE_OK)
		rc = create(c, all, sources, &a, source, why);
	arguments_free(&a);
	*columns = (struct vtab_columns){c->cols, c->n, false};
	*out = c;
	return rc;
}

void created_free(struct profiles *all, struct created *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->n; i++) {
		sqlite3_free((void *)(uintptr_t)c->cols[i].name);
		sqlite3_free((void *)(uintptr_t)c->cols[i].ask);
	}
	profiles_give(all, c->profile);
	sqlite3_free(c->cols);
	sqlite3_free(c->query);
	sqlite3_free(c);
}
