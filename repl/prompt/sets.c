/* sets.c - are the values of --set used? see sets.h. */
#include "repl/prompt/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lang/token.h"
#include "index/base/err.h"
#include "repl/app/app.h"
#include "repl/app/options.h"
#include "repl/prompt/library.h"
#include "repl/prompt/params.h"
#include "repl/prompt/script.h"

enum { SCRIPTS_DEEP = 16 };

/* Which of the values of --set some script uses. */
struct looking {
	struct app *app;
	bool *used; /* [nsets] */
	char params[200];
	size_t n;
};

static struct str set_name(const struct app *app, size_t i)
{
	const struct str set = str_c(app->opts->sets[i]);

	return (struct str){set.p, str_find(set, '=')};
}

static void look_in(struct looking *l, struct str text, unsigned depth);

/* A line of a script runs another one. */
static void look_in_line(struct looking *l, struct str line, unsigned depth)
{
	const bool run = str_starts(line, STR(".run "));
	struct err ignored = {0};
	struct str rest, word, text = {NULL, 0};
	char *name;

	if (depth == SCRIPTS_DEEP || (!run && !str_starts(line, STR(".read "))))
		return;
	rest = str_from(line, str_find(line, ' '));
	word = params_word(&rest);
	name = strndup(word.p, word.n);
	if (name && strcmp(name, "-") != 0 &&
	    script_text(l->app, name, &text, &ignored) == 0)
		look_in(l, text, depth + 1);
	free((void *)(uintptr_t)text.p);
	free(name);
}

static void look_in(struct looking *l, struct str text, unsigned depth)
{
	struct token_default d;

	for (size_t i = 0; i < l->app->opts->nsets; i++)
		l->used[i] |= params_used(text, set_name(l->app, i));
	for (size_t at = 0; library_param(text, &at, &d) && l->n < sizeof(l->params);)
		l->n += (size_t)snprintf(l->params + l->n, sizeof(l->params) - l->n,
					 " %.*s", STR_ARG(d.name));
	for (size_t n; text.n; text = str_from(text, n + 1)) {
		n = str_find(text, '\n');
		look_in_line(l, str_trim((struct str){text.p, n}), depth);
	}
}

/* A `let` in the user's settings may use a value, too. */
static void look_in_init(struct looking *l)
{
	char *path = l->app->opts->no_init
			     ? NULL
			     : app_path("XDG_CONFIG_HOME", ".config", "init");
	struct err ignored = {0};
	struct str text = {NULL, 0};

	if (path && app_read_file(path, &text, &ignored) == 0)
		look_in(l, text, 0);
	free((void *)(uintptr_t)text.p);
	free(path);
}

/* Can all that is run be read before? */
static bool is_known(const struct options *o)
{
	for (size_t i = 0; i < o->ntasks; i++)
		if (o->tasks[i].file && strcmp(o->tasks[i].text, "-") == 0)
			return false;
	return o->ntasks > 0;
}

int sets_check(struct app *app, struct err *err)
{
	const struct options *o = app->opts;
	struct looking l = {.app = app};

	if (!o->nsets || !is_known(o))
		return 0;
	if (!(l.used = calloc(o->nsets, sizeof(bool))))
		return err_no_memory(err, NULL);
	for (size_t i = 0; i < o->ntasks; i++) {
		struct err ignored = {0};
		struct str text = {NULL, 0};

		if (!o->tasks[i].file)
			look_in(&l, str_c(o->tasks[i].text), 0);
		else if (script_text(app, o->tasks[i].text, &text, &ignored) == 0)
			look_in(&l, text, 0);
		else
			memset(l.used, true, o->nsets); /* that is the error to tell */
		free((void *)(uintptr_t)text.p);
	}
	look_in_init(&l);
	for (size_t i = 0; i < o->nsets && !err->kind; i++)
		if (!l.used[i]) {
			err_set(err, ERR_USAGE, 0, "--set %s: no query has $%.*s",
				o->sets[i], STR_ARG(set_name(app, i)));
			if (l.n)
				err_hint(err, "the parameters are:%s", l.params);
		}
	free(l.used);
	return err->kind;
}
