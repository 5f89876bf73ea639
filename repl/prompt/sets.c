/* sets.c - the values of scripts; see sets.h. */
#include "repl/prompt/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "index/base/err.h"
#include "repl/app/app.h"
#include "repl/app/options.h"
#include "repl/prompt/library.h"

enum { PARAMS = 32 };

/* The first word, with its quotes. */
static struct str take_word(struct str *rest)
{
	struct str s = str_trim(*rest);
	bool quoted = false;
	size_t n = 0;

	for (; n < s.n && (quoted || (s.p[n] != ' ' && s.p[n] != '\t')); n++)
		if (s.p[n] == '"')
			quoted = !quoted;
	*rest = str_from(s, n);
	return (struct str){s.p, n};
}

static struct str unquote(struct str s)
{
	if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
		return (struct str){s.p + 1, s.n - 2};
	return s;
}

/* Does the script have $NAME or ${NAME}? */
static bool is_used(struct str script, struct str name)
{
	for (size_t i = 0; i + name.n < script.n; i++) {
		struct str after = str_from(script, i + 1);

		if (script.p[i] != '$')
			continue;
		after = str_from(after, after.n && after.p[0] == '{');
		if (str_starts(after, name) &&
		    (after.n == name.n || !token_is_word_byte(after.p[name.n])))
			return true;
	}
	return false;
}

static int no_such_param(struct str script, struct str name, struct err *err)
{
	struct token_default d;
	char list[200] = "";
	size_t n = 0;

	err_set(err, ERR_QUERY, 0, "the script has no $%.*s", STR_ARG(name));
	for (size_t at = 0; library_param(script, &at, &d) && n < sizeof(list);)
		n += (size_t)snprintf(list + n, sizeof(list) - n, " %.*s",
				      STR_ARG(d.name));
	return n ? err_hint(err, "its parameters:%s", list) : err->kind;
}

static int not_given(struct str w, struct str rest, struct err *err)
{
	err_set(err, ERR_USAGE, 0, "'%.*s' is not NAME=VALUE", STR_ARG(w));
	if (!str_eq(w, STR("|")))
		return err->kind;
	return err_hint(err, "its answer goes on in the next query: .run NAME; | %.*s",
			STR_ARG(str_trim(rest)));
}

int sets_given(struct session *s, struct str script, struct str given, struct err *err)
{
	struct str w, name;

	for (unsigned n = 0; (w = take_word(&given)).n; n++) {
		size_t eq = str_find(w, '=');

		name = (struct str){w.p, eq};
		if (eq == 0 || eq == w.n)
			return not_given(w, given, err);
		if (n == PARAMS)
			return err_set(err, ERR_LIMIT, 0, "more than %d values", PARAMS);
		if (!is_used(script, name))
			return no_such_param(script, name, err);
		if (session_set_value(s, name, unquote(str_from(w, eq + 1)), err))
			return err->kind;
	}
	return 0;
}

/* ---- --set ---- */

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

	if (n >= sizeof(word) || at + n >= sizeof(s->params))
		return;
	for (const char *p = s->params; (p = strstr(p, word)); p += n)
		if (strchr(" ", p[n])) /* also the end */
			return;
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
		s->used[i] |= is_used(script, set_name(app, i));
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
