/* opening.c - group arguments into profiles; see opening.h. */
#include "repl/prompt/opening.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/vec.h"
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

static int add_dumps(struct group *g, const char *base, struct err *err)
{
	char **path;
	size_t n;
	int rc = inputs_find(base, &path, &n, err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < n; i++)
		rc = app_add_path(&g->files, path[i], err);
	inputs_free(path, n);
	return rc;
}

/* Expand a pattern that the shell does not, as in NAME=out.*; false: no file matches. */
static bool add_pattern(struct group *g, const char *pattern, int *rc, struct err *err)
{
	glob_t found;

	if (!strpbrk(pattern, "*?[") || access(pattern, F_OK) == 0 ||
	    glob(pattern, 0, NULL, &found))
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
	if (o->app->opts->all_parts && strcmp(path, "-") != 0)
		return add_dumps(g, path, err);
	return app_add_path(&g->files, path, err);
}

int opening_run(struct app *app, const char *const *arg, size_t n)
{
	struct opening o = {.app = app};
	struct err err = {0};
	int rc = 0;

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
