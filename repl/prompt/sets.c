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

static struct str set_name(const struct app *app, size_t i)
{
	const struct str set = str_c(app->opts->given[i].text);

	return (struct str){set.p, str_find(set, '=')};
}

/* A name that does not fit in the list is left out. */
static void list_param(struct sets *s, struct str name)
{
	char word[80];
	const size_t at = strlen(s->params),
		     n = (size_t)snprintf(word, sizeof(word), " %.*s", STR_ARG(name));

	if (n < sizeof(word) && at + n < sizeof(s->params) && !strstr(s->params, word))
		memcpy(s->params + at, word, n + 1);
}

void sets_see(struct app *app, struct str script)
{
	const size_t n = app->opts->ngiven;
	struct sets *s = &app->sets;
	struct token_default d;

	if (n && !s->used)
		s->used = calloc(n, sizeof(bool));
	for (size_t i = 0; s->used && i < n; i++)
		s->used[i] |= params_used(script, set_name(app, i));
	for (size_t at = 0; s->used && library_param(script, &at, &d);)
		list_param(s, d.name);
}

int sets_check(const struct app *app, struct err *err)
{
	const struct sets *s = &app->sets;

	for (size_t i = 0; s->used && !app->interactive && i < app->opts->ngiven; i++) {
		if (s->used[i] || app->opts->given[i].as != GIVEN_SET)
			continue;
		err_set(err, ERR_USAGE, 0, "--set %s: no query has $%.*s",
			app->opts->given[i].text, STR_ARG(set_name(app, i)));
		return s->params[0] ? err_hint(err, "the parameters are:%s", s->params)
				    : err->kind;
	}
	return 0;
}
