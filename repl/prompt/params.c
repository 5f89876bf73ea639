/* params.c - fill in the parameters of a query; see params.h. */
#include "repl/prompt/params.h"

#include <stdbool.h>

enum { PARAMS = 32 };

struct param {
	struct str name, value;
	bool used;
};

static struct str next_word(struct str *rest)
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

static int read_params(struct str given, struct param *p, size_t *n, struct err *err)
{
	struct str w;

	for (*n = 0; (w = next_word(&given)).n; ++*n) {
		size_t eq = str_find(w, '=');

		if (eq == 0 || eq == w.n)
			return err_set(err, ERR_USAGE, 0, "'%.*s' is not NAME=VALUE",
				       STR_ARG(w));
		if (*n == PARAMS)
			return err_set(err, ERR_LIMIT, 0, "more than %d values", PARAMS);
		p[*n] = (struct param){{w.p, eq}, unquote(str_from(w, eq + 1)), false};
	}
	return 0;
}

static int fill_one(struct out *o, struct str name, struct param *p, size_t n,
		    struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(p[i].name, name)) {
			out_str(o, p[i].value);
			p[i].used = true;
			return 0;
		}
	err_set(err, ERR_QUERY, 0, "the query wants a value for %.*s", STR_ARG(name));
	return err_hint(err, ".run FILE %.*s=VALUE", STR_ARG(name));
}

int params_fill(struct out *o, struct str text, struct str given, struct err *err)
{
	struct param p[PARAMS];
	size_t n;

	if (read_params(given, p, &n, err))
		return (int)err->kind;
	for (;;) {
		size_t hole = str_find_str(text, STR("${")), end;

		out_str(o, (struct str){text.p, hole});
		if (hole == text.n)
			break;
		text = str_from(text, hole + 2);
		end = str_find(text, '}');
		if (end == text.n)
			return err_set(err, ERR_QUERY, 0, "\"${\" without \"}\"");
		if (fill_one(o, (struct str){text.p, end}, p, n, err))
			return (int)err->kind;
		text = str_from(text, end + 1);
	}
	for (size_t i = 0; i < n; i++)
		if (!p[i].used)
			return err_set(err, ERR_QUERY, 0, "the query has no ${%.*s}",
				       STR_ARG(p[i].name));
	return 0;
}
