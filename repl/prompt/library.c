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

/* ---- what a name means ---- */

static char *users_folder(const struct app *app)
{
	return app->opts->safe && !app->trusted
		       ? NULL
		       : app_path("XDG_CONFIG_HOME", ".config", "queries");
}

/* The query that ships: its name may end in ".q". */
static const struct library_shipped *shipped(struct str name)
{
	if (str_ends(name, STR(".q")))
		name.n -= 2;
	for (const struct library_shipped *q = library_ships; q->name; q++)
		if (str_eq(str_c(q->name), name))
			return q;
	return NULL;
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
static void choose(struct app *app, struct str name, const char *here, const char *own,
		   struct library_found *out)
{
	const bool file = here && !own && str_ends(name, STR(".q"));
	const char *path = own ? own : here;

	if (!out->ships)
		path = here ? here : own;
	else if (own || file)
		say_hidden(app, path, name, false);
	else if (here)
		say_hidden(app, here, name, true);
	if (out->ships && (own || file))
		out->ships = NULL;
	if (path && !out->ships)
		out->path = strdup(path);
}

bool library_find(struct app *app, struct str name, struct library_found *out)
{
	const bool only = str_starts(name, STR(LIBRARY_SHIPS));
	char *users, *here = NULL, *own;

	*out = (struct library_found){0};
	if (only)
		name = str_from(name, strlen(LIBRARY_SHIPS));
	if (!name.n || name.n > NAME_MAX || str_find(name, '/') < name.n)
		return false;
	users = only ? NULL : users_folder(app);
	if (!only && (!app->opts->safe || app->trusted)) {
		here = in_folder(".", name);
		/* ./hot.q reads as hot.q. */
		if (here)
			memmove(here, here + 2, strlen(here + 2) + 1);
	}
	own = in_folder(users, name);
	out->ships = shipped(name);
	if (!here && !own && !out->ships && str_eq(name, STR("timeline"))) {
		app_note(app,
			 "quern: the query timeline is dumps-over-time now; the source "
			 "timeline is Xdebug's calls in the order of time");
		out->ships = shipped(STR("dumps-over-time"));
	}
	choose(app, name, here, own, out);
	free(here);
	free(own);
	free(users);
	return out->ships || out->path;
}

/* A copy of the text of a query that ships. */
static int copy_text(const struct library_shipped *ships, struct str *text,
		     struct err *err)
{
	*text = (struct str){strdup(ships->text), strlen(ships->text)};
	return text->p ? 0 : err_no_memory(err, NULL);
}

int library_read(const struct library_found *f, char **name, struct str *text,
		 struct err *err)
{
	if (f->ships ? copy_text(f->ships, text, err) : app_read_file(f->path, text, err))
		return err->kind;
	if (!name)
		return 0;
	if (!f->ships)
		*name = strdup(f->path);
	else if (asprintf(name, "%s.q", f->ships->name) < 0)
		*name = NULL;
	return 0;
}

int library_text(struct app *app, const char *path, char **name, struct str *text,
		 struct err *err)
{
	struct library_found f = {0};

	if (strcmp(path, "-") == 0) {
		if (app_read_file(path, text, err) == 0 && name)
			*name = strdup("stdin");
		return err->kind;
	}
	/* quern:NAME is never a file. */
	if (!library_find(app, str_c(path), &f) &&
	    str_starts(str_c(path), STR(LIBRARY_SHIPS))) {
		err_set(err, ERR_QUERY, 0, "no query that ships is called '%s'",
			path + strlen(LIBRARY_SHIPS));
		return err_hint(err, ".queries lists them; ./%s is a file", path);
	}
	if (!f.ships && !f.path)
		f.path = strdup(path);
	if (f.ships || f.path)
		library_read(&f, name, text, err);
	else
		err_no_memory(err, NULL);
	free(f.path);
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

/* Add a query; its name, and its text unless it is of a file, are copied. */
static int list_one(struct library *l, struct str name, const char *path,
		    const struct library_shipped *ships, struct err *err)
{
	struct library_query q = {.name = strndup(name.p, name.n),
				  .ships = ships != NULL};
	struct err ignored = {0};

	if (!q.name || vec_reserve(&l->at, &l->cap, l->n + 1, sizeof(q))) {
		free(q.name);
		return err_no_memory(err, NULL);
	}
	if (is_listed(l, q.name)) {
		free(q.name);
		return 0;
	}
	if (ships)
		copy_text(ships, &q.text, err);
	else
		app_read_file(path, &q.text, &ignored);
	l->at[l->n++] = q;
	return err->kind;
}

static int list_file(struct library *l, const char *folder, const char *file,
		     struct err *err)
{
	struct str name = str_c(file);
	char *path;

	if (asprintf(&path, "%s/%s", folder, file) < 0)
		return err_no_memory(err, NULL);
	name.n -= str_ends(name, STR(".q")) ? 2 : 0;
	list_one(l, name, path, NULL, err);
	free(path);
	return err->kind;
}

/* A FIFO would block the one who reads it. */
static bool is_query_file(DIR *d, const char *name)
{
	struct stat st;

	return name[0] != '.' && fstatat(dirfd(d), name, &st, 0) == 0 &&
	       S_ISREG(st.st_mode);
}

static int list_folder(struct library *l, const char *folder, struct err *err)
{
	DIR *d = folder ? opendir(folder) : NULL;
	struct dirent *e;
	int rc = 0;

	while (d && !rc && (e = readdir(d)))
		if (is_query_file(d, e->d_name))
			rc = list_file(l, folder, e->d_name, err);
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
	char *users = users_folder(app);

	*l = (struct library){0};
	list_folder(l, users, err);
	for (const struct library_shipped *q = library_ships; q->name && !err->kind; q++)
		list_one(l, str_c(q->name), NULL, q, err);
	if (l->n)
		qsort(l->at, l->n, sizeof(*l->at), by_name);
	free(users);
	return err->kind;
}

void library_free(struct library *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->at[i].name);
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
