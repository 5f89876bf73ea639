/*
 * moved.c - source trees at another path; see moved.h.
 *
 *	/build/src=/home/me/src		/build/src/a/x.c -> /home/me/src/a/x.c
 *					/build/src2/x.c stays: a rule is about whole folders
 *
 * If several rules fit, the longest folder wins; of two for one folder the later.
 */
#include "engine/compare/moved.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/vec.h"

static struct str without_slash(struct str s)
{
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	return s;
}

int moved_add(struct moved *m, struct str rule, struct err *err)
{
	size_t eq = str_find(rule, '=');
	struct move *at;
	char *text;

	if (eq == 0 || eq == rule.n) {
		err_set(err, ERR_USAGE, 0,
			"a moved source tree is written A=B, not '%.*s'", STR_ARG(rule));
		return err_hint(err, "/build/src=/home/me/src: files below the first are "
				     "taken for those below the second");
	}
	text = strndup(rule.p, rule.n);
	if (!text || vec_reserve(&m->at, &m->cap, m->n + 1, sizeof(*m->at))) {
		free(text);
		return err_no_memory(err, NULL);
	}
	at = &m->at[m->n++];
	at->text = text;
	at->from = without_slash((struct str){text, eq});
	at->to = without_slash(str_c(text + eq + 1));
	return 0;
}

void moved_clear(struct moved *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->at[i].text);
	free(m->at);
	*m = (struct moved){0};
}

/* Is file dir, or below it? */
static bool is_below(struct str file, struct str dir)
{
	return str_starts(file, dir) &&
	       (file.n == dir.n || file.p[dir.n] == '/' || dir.p[dir.n - 1] == '/');
}

struct str moved_file(const struct moved *m, struct str file, struct arena *a)
{
	const struct move *best = NULL;
	struct str rest;
	bool between;

	for (size_t i = 0; m && i < m->n; i++)
		if (is_below(file, m->at[i].from) &&
		    (!best || m->at[i].from.n >= best->from.n))
			best = &m->at[i];
	if (!best)
		return file;
	rest = str_from(file, best->from.n);
	while (rest.n && rest.p[0] == '/')
		rest = str_from(rest, 1);
	/* "/" alone ends in a slash, "" does not. */
	between = rest.n && best->to.n && best->to.p[best->to.n - 1] != '/';
	return arena_join(a, best->to, between ? STR("/") : STR(""), rest);
}

/* Objects are compared by their names, without folders, so a rule for `app-old` is also one
 * for /build/app-old. */
struct str moved_object(const struct moved *m, struct str obj)
{
	for (size_t i = m->n; i > 0; i--)
		if (str_eq(obj, m->at[i - 1].from) ||
		    str_eq(str_basename(obj), str_basename(m->at[i - 1].from)))
			return m->at[i - 1].to;
	return obj;
}
