/* params.c - values for a script; see params.h. */
#include "repl/prompt/params.h"

#include <stdio.h>

#include "engine/query.h"
#include "index/base/err.h"
#include "repl/prompt/library.h"

enum { PARAMS = 32 };

struct str params_word(struct str *rest)
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
bool params_used(struct str script, struct str name)
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

int params_set(struct session *s, struct str script, struct str given, struct err *err)
{
	struct str w, name;

	for (unsigned n = 0; (w = params_word(&given)).n; n++) {
		size_t eq = str_find(w, '=');

		name = (struct str){w.p, eq};
		if (eq == 0 || eq == w.n)
			return err_set(err, ERR_USAGE, 0, "'%.*s' is not NAME=VALUE",
				       STR_ARG(w));
		if (n == PARAMS)
			return err_set(err, ERR_LIMIT, 0, "more than %d values", PARAMS);
		if (!params_used(script, name))
			return no_such_param(script, name, err);
		if (session_set_value(s, name, unquote(str_from(w, eq + 1)), err))
			return err->kind;
	}
	return 0;
}
