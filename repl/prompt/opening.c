/* opening.c - group arguments into profiles; see opening.h. */
#include "repl/prompt/opening.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/vec.h"
#include "index/read/folder.h"
#include "index/read/input.h"
#include "repl/app/options.h"

struct group {
	char *name; /* NULL: files without a name */
	struct paths files;
};

struct opening {
	struct app *app;
	struct group *group;
	size_t n, cap;
};

static struct group *group_of_name(struct opening *o, const char *name, size_t length)
{
	struct group *g;

	for (size_t i = 0; i < o->n; i++) {
		const char *is = o->group[i].name;

		if (is ? name && strlen(is) == length && memcmp(is, name, length) == 0
		       : !name)
			return &o->group[i];
	}
	if (vec_reserve(&o->group, &o->cap, o->n + 1, sizeof(*g)))
		return NULL;
	g = &o->group[o->n];
	*g = (struct group){.name = name ? strndup(name, length) : NULL};
	if (name && !g->name)
		return NULL;
	o->n++;
	return g;
}

/* Expand a pattern that the shell does not, as in NAME=out.*; false: no file matches. */
static bool add_pattern(struct group *g, const char *pattern, int *rc, struct err *err)
{
	glob_t found;

	if (!folder_is_pattern(pattern) || glob(pattern, 0, NULL, &found))
		return false;
	for (size_t i = 0; !*rc && i < found.gl_pathc; i++)
		*rc = app_add_path(&g->files, found.gl_pathv[i], err);
	globfree(&found);
	return true;
}

static int add_argument(struct opening *o, const char *arg, struct err *err)
{
	size_t at = app_split_name(arg);
	struct group *g = group_of_name(o, at ? arg : NULL, at ? at - 1 : 0);
	const char *path = arg + at;
	int rc = 0;

	if (!g)
		return err_no_memory(err, NULL);
	if (!*path) {
		err_set(err, ERR_USAGE, 0, "'%s' names no file", arg);
		return err_hint(err,
				at ? "NAME=PROFILE, without a blank" : "give a PROFILE");
	}
	if (add_pattern(g, path, &rc, err))
		return rc;
	return app_add_path(&g->files, path, err);
}

/* ---- folders ---- */

/* Is some argument without a name a folder, or, on the command line, a pattern that the shell did
 * not expand? */
static bool asks_folder(const struct app *app, const char *const *arg, size_t n)
{
	const bool patterns = !app->nested && !app->interactive && !app->opts->merge;

	for (size_t i = 0; i < n && !app->nprofiles; i++)
		if (!app_split_name(arg[i]) &&
		    (app_is_folder(arg[i]) || (patterns && folder_is_pattern(arg[i]))))
			return true;
	return false;
}

/* callgrind.out.12*: the dumps of one run.  new.* base=old.*, each of one command: runs of it, which
 * are one profile a side. */
static bool are_runs(const struct folder *f, const char *path, const char *base)
{
	if (app_is_folder(path) || (base ? !folder_is_pattern(base) : f->n > 1))
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (!str_eq(f->at[i].cmd, f->at[0].cmd))
			return false;
	return true;
}

static struct folder *find_folder(const char *const *path, size_t n, struct err *err)
{
	struct folder *f = calloc(1, sizeof(*f));

	if (!f)
		err_no_memory(err, NULL);
	else if (folder_find(f, path, n, &app_cancel, err)) {
		folder_free(f);
		f = NULL;
	}
	return f;
}

static int one_base(const char *arg, struct err *err)
{
	err_set(err, ERR_USAGE, 0, "%s: beside a folder only one NAME=FOLDER can be open",
		arg);
	return err_hint(err, "quern FOLDER base=FOLDER -c 'functions vs base'");
}

/* --merge: all files are one profile. */
static int open_merged(struct app *app, const char *name, const struct folder *f)
{
	struct paths all = {0};
	struct err err = {0};

	for (size_t i = 0; f && i < f->n; i++)
		for (size_t k = 0; k < f->at[i].now.n && !err.kind; k++)
			app_add_path(&all, f->at[i].now.at[k], &err);
	if (err.kind)
		app_fail(app, &err, NULL);
	else if (f)
		err.kind = app_open(app, name, (const char *const *)all.at, all.n);
	inputs_free(all.at, all.n);
	return err.kind;
}

/* FOLDER, or FOLDER NAME=FOLDER. */
static int open_folder(struct app *app, const char *const *arg, size_t n)
{
	const char **path = calloc(2 * n, sizeof(*path)), **base = path + n;
	struct folder *now = NULL, *bases = NULL;
	size_t of_now = 0, of_base = 0;
	struct err err = {0};
	char *name = NULL;

	if (!path)
		return ERR_LIMIT;
	for (size_t i = 0; i < n && !err.kind; i++) {
		const size_t at = app_split_name(arg[i]);

		if (at && of_base && strncmp(name, arg[i], at - 1) != 0)
			one_base(arg[i], &err);
		else if (at && !name && !(name = strndup(arg[i], at - 1)))
			err_no_memory(&err, NULL);
		if (at)
			base[of_base++] = arg[i] + at;
		else
			path[of_now++] = arg[i];
	}
	if (!err.kind && (now = find_folder(path, of_now, &err)) && of_base &&
	    (bases = find_folder(base, of_base, &err)))
		folder_pair(now, bases, &err);
	if (!err.kind && (app->opts->merge || are_runs(now, path[0], base[0]))) {
		err.kind = open_merged(app, NULL, now);
		if (!err.kind)
			err.kind = open_merged(app, name, bases);
		free(path);
		free(name);
		folder_free(now);
		return err.kind;
	}
	free(path);
	if (!err.kind && app->opts->index)
		err_set(&err, ERR_USAGE, 0,
			"--index names one index, but a folder is given");
	if (!err.kind)
		return app_open_folder(app, now, name);
	app_fail(app, &err, NULL);
	folder_free(now);
	free(name);
	return err.kind;
}

/* ---- the newest ---- */

static bool gates(const struct app *app, struct str text)
{
	return app->opts->keep_going || app->format == FORMAT_JUNIT ||
	       app->format == FORMAT_GITHUB || str_find_str(text, STR("expect")) < text.n;
}

static struct folder *find_here(struct err *err)
{
	static const char *const names[] = {"callgrind.out*", "cachegrind.out*",
					    "callgrind.*.out", "*.callgrind"};
	struct folder *f = NULL;
	glob_t found = {0};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		glob(names[i], i ? GLOB_APPEND : 0, NULL, &found);
	if (found.gl_pathc)
		f = find_folder((const char *const *)found.gl_pathv, found.gl_pathc, err);
	globfree(&found);
	return f;
}

int opening_newest(struct app *app, struct str asks)
{
	const struct folder_member *newest = NULL;
	struct err ignored = {0};
	struct folder *f;
	int kind = 0;

	if (app->nprofiles || app->folder || app->sought || app->opts->safe ||
	    gates(app, asks))
		return 0;
	app->sought = true;
	f = find_here(&ignored);
	for (size_t i = 0; f && i < f->n; i++)
		if (f->at[i].now.n && (!newest || f->at[i].written_s > newest->written_s))
			newest = &f->at[i];
	if (newest && f->n > 1)
		app_note(app,
			 "quern: %s, the newest of %s profiles here: quern . asks all",
			 newest->now.at[0], GROUPED(f->n));
	else if (newest)
		app_note(app, "quern: %s", newest->now.at[0]);
	if (newest)
		kind = app_open(app, NULL, newest->now.at, newest->now.n);
	folder_free(f);
	return kind;
}

int opening_run(struct app *app, const char *const *arg, size_t n)
{
	struct opening o = {.app = app};
	struct err err = {0};
	int rc = 0;

	if (asks_folder(app, arg, n))
		return open_folder(app, arg, n);
	for (size_t i = 0; !rc && i < n; i++)
		rc = add_argument(&o, arg[i], &err);
	if (!rc && app->opts->index && o.n > 1)
		rc = err_set(&err, ERR_USAGE, 0,
			     "--index names one index, but %zu profiles are given", o.n);
	if (rc)
		app_fail(app, &err, NULL);
	for (size_t i = 0; !rc && i < o.n; i++)
		rc = app_open(app, o.group[i].name,
			      (const char *const *)o.group[i].files.at,
			      o.group[i].files.n);
	for (size_t i = 0; i < o.n; i++) {
		free(o.group[i].name);
		inputs_free(o.group[i].files.at, o.group[i].files.n);
	}
	free(o.group);
	return rc;
}
