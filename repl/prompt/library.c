/*
 * library.c - find and list queries that are kept in files; see library.h.
 */
#include "repl/prompt/library.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/out.h"
#include "index/base/vec.h"
#include "repl/app/app.h"
#include "repl/app/options.h"
#include "repl/term/emit.h"

/* ---- the folders ---- */

/* The folder of the queries that ship; free it.  NULL: there is none. */
static char *shipped_folder(void)
{
	static const char *const below[] = {"../share/quern/queries",
					    "../../repl/queries"};
	char self[PATH_MAX], *folder = NULL;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));

	while (n > 0 && self[n - 1] != '/')
		n--;
	for (size_t i = 0; n > 0 && i < sizeof(below) / sizeof(below[0]); i++) {
		if (asprintf(&folder, "%.*s%s", (int)n, self, below[i]) < 0)
			return NULL;
		if (app_is_folder(folder))
			return folder;
		free(folder);
	}
	return NULL;
}

bool library_installed(void)
{
	char *folder = shipped_folder();

	free(folder);
	return folder != NULL;
}

static char *users_folder(const struct app *app)
{
	return app->opts->safe && !app->trusted
		       ? NULL
		       : app_path("XDG_CONFIG_HOME", ".config", "queries");
}

/* FOLDER/NAME or FOLDER/NAME.q, whichever is a file; free it.  NULL: neither. */
static char *in_folder(const char *folder, struct str name)
{
	static const char *const suffix[] = {"", ".q"};
	struct stat st;
	char *path;

	for (int i = 0; folder && i < 2; i++) {
		if (asprintf(&path, "%s/%.*s%s", folder, (int)name.n, name.p, suffix[i]) <
		    0)
			return NULL;
		if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
			return path;
		free(path);
	}
	return NULL;
}

/* Say once which of two queries of one name is run. */
static void say_hidden(struct app *app, const char *path, struct str name, bool ships)
{
	if (app->said_hidden)
		return;
	app->said_hidden = true;
	if (ships)
		talk("quern: %.*s is the query that ships, not %s: -f ./%s or .read runs "
		     "that",
		     STR_ARG(name), path, path);
	else
		talk("quern: %s is run, not the query that ships: that is %s%.*s", path,
		     LIBRARY_SHIPS, STR_ARG(name));
}

/* A file in this directory could be anybody's, so the user's own or those that ship come before
 * it, unless it is named with its ".q". */
static char *choose(struct app *app, struct str name, char *here, char *own,
		    char *shipped, bool *ships)
{
	const bool file = here && !own && str_ends(name, STR(".q"));
	char *path = own ? own : here;

	if (!shipped)
		path = here ? here : own;
	else if (own || file)
		say_hidden(app, path, name, false);
	else if (here)
		say_hidden(app, here, name, true);
	*ships = shipped && !own && !file;
	return *ships ? shipped : path;
}

char *library_find(struct app *app, struct str name, bool *ships)
{
	const bool only = str_starts(name, STR(LIBRARY_SHIPS));
	char *users, *folder, *of[3] = {NULL}, *path;

	*ships = false;
	if (only)
		name = str_from(name, strlen(LIBRARY_SHIPS));
	if (!name.n || name.n > NAME_MAX || str_find(name, '/') < name.n)
		return NULL;
	users = only ? NULL : users_folder(app);
	folder = shipped_folder();
	if (!only && (!app->opts->safe || app->trusted)) {
		of[0] = in_folder(".", name);
		/* ./hot.q reads as hot.q. */
		if (of[0])
			memmove(of[0], of[0] + 2, strlen(of[0] + 2) + 1);
	}
	of[1] = in_folder(users, name);
	of[2] = in_folder(folder, name);
	if (!of[0] && !of[1] && !of[2] && str_eq(name, STR("timeline"))) {
		app_note(app,
			 "quern: the query timeline is dumps-over-time now; the source "
			 "timeline is Xdebug's calls in the order of time");
		of[2] = in_folder(folder, STR("dumps-over-time"));
	}
	path = choose(app, name, of[0], of[1], of[2], ships);
	for (int i = 0; i < 3; i++)
		if (of[i] != path)
			free(of[i]);
	free(users);
	free(folder);
	return path;
}

int library_text(struct app *app, const char *path, char **name, struct str *text,
		 struct err *err)
{
	const bool stdin_is = strcmp(path, "-") == 0;
	bool ships = false;
	char *kept = stdin_is ? NULL : library_find(app, str_c(path), &ships);
	const char *file = kept ? kept : path;

	/* quern:NAME is never a file. */
	if (!kept && str_starts(str_c(path), STR(LIBRARY_SHIPS))) {
		err_set(err, ERR_QUERY, 0, "no query that ships is called '%s'",
			path + strlen(LIBRARY_SHIPS));
		return err_hint(err, ".queries lists them; ./%s is a file", path);
	}
	if (app_read_file(file, text, err) == 0 && name)
		*name = strdup(stdin_is ? "stdin"
			       : ships	? str_basename(str_c(file)).p
					: file);
	free(kept);
	return err->kind;
}

/* ---- the list ---- */

static bool is_listed(const struct library *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->at[i].name, name) == 0)
			return true;
	return false;
}

static int list_one(struct library *l, const char *folder, const char *file, bool ships,
		    struct err *err)
{
	const size_t length = strlen(file) - (str_ends(str_c(file), STR(".q")) ? 2 : 0);
	struct library_query q = {.name = strndup(file, length), .ships = ships};
	struct err ignored = {0};

	if (!q.name || asprintf(&q.path, "%s/%s", folder, file) < 0 ||
	    vec_reserve(&l->at, &l->cap, l->n + 1, sizeof(q))) {
		free(q.name);
		return err_no_memory(err, NULL);
	}
	if (is_listed(l, q.name)) {
		free(q.name);
		free(q.path);
		return 0;
	}
	app_read_file(q.path, &q.text, &ignored);
	l->at[l->n++] = q;
	return 0;
}

/* A FIFO would block the one who reads it. */
static bool is_query_file(DIR *d, const char *name)
{
	struct stat st;

	return name[0] != '.' && fstatat(dirfd(d), name, &st, 0) == 0 &&
	       S_ISREG(st.st_mode);
}

static int list_folder(struct library *l, const char *folder, bool ships, struct err *err)
{
	DIR *d = folder ? opendir(folder) : NULL;
	struct dirent *e;
	int rc = 0;

	while (d && !rc && (e = readdir(d)))
		if (is_query_file(d, e->d_name))
			rc = list_one(l, folder, e->d_name, ships, err);
	if (d)
		closedir(d);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct library_query *)a)->name,
		      ((const struct library_query *)b)->name);
}

int library_list(const struct app *app, struct library *l, struct err *err)
{
	char *users = users_folder(app), *shipped = shipped_folder();

	*l = (struct library){0};
	if (!list_folder(l, users, false, err) && !list_folder(l, shipped, true, err) &&
	    l->n)
		qsort(l->at, l->n, sizeof(*l->at), by_name);
	free(users);
	free(shipped);
	return err->kind;
}

void library_free(struct library *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->at[i].name);
		free(l->at[i].path);
		free((void *)(uintptr_t)l->at[i].text.p);
	}
	free(l->at);
}

/* ---- what is in one ---- */

/* The first line of a query, without the sign of the comment; empty if it has none. */
static struct str library_about(struct str text)
{
	struct str line = {text.p, str_find(text, '\n')};

	if (str_starts(line, STR("#!"))) {
		text = str_from(text, line.n + 1);
		line = (struct str){text.p, str_find(text, '\n')};
	}
	if (str_starts(line, STR("--")))
		return str_trim(str_from(line, 2));
	return str_starts(line, STR("#")) ? str_trim(str_from(line, 1)) : STR("");
}

static bool has_param(struct str text, size_t end, struct str name)
{
	struct token_default d;

	for (size_t at = 0; at < end; at++)
		if (token_default(text, at, &d) && str_eq(d.name, name))
			return true;
	return false;
}

bool library_param(struct str text, size_t *at, struct token_default *out)
{
	for (; *at < text.n; ++*at)
		if (token_default(text, *at, out) && !has_param(text, *at, out->name)) {
			++*at;
			return true;
		}
	return false;
}

static bool contains(struct str s, struct str word)
{
	for (size_t i = 0; i + word.n <= s.n; i++)
		if (strncasecmp(s.p + i, word.p, word.n) == 0)
			return true;
	return word.n == 0;
}

static bool is_about(const struct library_query *q, struct str word)
{
	struct token_default d;

	if (contains(str_c(q->name), word) || contains(library_about(q->text), word))
		return true;
	for (size_t at = 0; library_param(q->text, &at, &d);)
		if (contains(d.name, word))
			return true;
	return false;
}

/* "a b" needs quotes after .run. */
static void put_param(struct out *o, const struct token_default *d)
{
	const bool quoted = str_find(d->text, ' ') < d->text.n;

	out_char(o, ' ');
	emit_name(o, EMIT_TEXT, d->name);
	out_c(o, quoted ? "=\"" : "=");
	emit_name(o, EMIT_TEXT, d->text);
	out_c(o, quoted ? "\"" : "");
}

size_t library_print(const struct library *l, struct str word, struct out *o)
{
	const struct library_query *const q = l->at;
	size_t widest = 0, found = 0, n = l->n;

	for (size_t i = 0; i < n; i++)
		if (strlen(q[i].name) > widest && strlen(q[i].name) < 30 &&
		    is_about(&q[i], word))
			widest = strlen(q[i].name);
	for (size_t i = 0; i < n; i++) {
		struct token_default d;
		bool any = false;

		if (!is_about(&q[i], word))
			continue;
		found++;
		emit_name(o, EMIT_TEXT, str_c(q[i].name));
		out_fill(o, ' ',
			 strlen(q[i].name) < widest ? widest - strlen(q[i].name) : 0);
		out_c(o, "  ");
		emit_name(o, EMIT_TEXT, library_about(q[i].text));
		out_c(o, q[i].ships ? "\n" : " (yours)\n");
		for (size_t at = 0; library_param(q[i].text, &at, &d); any = true) {
			if (!any)
				out_fill(o, ' ', widest + 1);
			put_param(o, &d);
		}
		out_c(o, any ? "\n" : "");
	}
	return found;
}
