/*
 * values.c - lets and the values of $NAME: those of the session, and those of scopes.
 *
 * They are kept as text in one array; of one name the last holds.  A scope appends its own
 * and takes them out when it ends.  A query, too, is a scope, for the ${NAME:=TEXT} in it.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/lang/ast.h"
#include "engine/lang/common_sets.h"
#include "engine/lang/token.h"
#include "engine/session.h"
#include "index/base/err.h"
#include "index/base/vec.h"

char *session_copy(struct str s)
{
	char *p = malloc(s.n + 1);

	if (p) {
		if (s.n)
			memcpy(p, s.p, s.n);
		p[s.n] = '\0';
	}
	return p;
}

static void free_let(const struct parse_value *l)
{
	free((void *)(uintptr_t)l->name.p);
	free((void *)(uintptr_t)l->text.p);
}

static struct parse_value *find_let(const struct session *s, struct str name, bool value)
{
	for (size_t i = s->nlets; i > 0; i--)
		if (str_eq(s->lets[i - 1].name, name) && s->lets[i - 1].formula != value)
			return &s->lets[i - 1];
	return NULL;
}

/* Replace the one at `l`, or add one if it is NULL. */
static int keep_let(struct session *s, struct parse_value *l, const struct let *let,
		    unsigned scope, struct err *err)
{
	char *text = session_copy(let->text), *name = session_copy(let->name);

	if (!text || !name ||
	    (!l && vec_reserve(&s->lets, &s->lets_cap, s->nlets + 1, sizeof(*s->lets)))) {
		free(text);
		free(name);
		return err_no_memory(err, NULL);
	}
	if (l)
		free_let(l);
	else
		l = &s->lets[s->nlets++];
	*l = (struct parse_value){str_c(name), str_c(text), !let->value, scope};
	return 0;
}

int session_set_let(struct session *s, const struct let *let, struct err *err)
{
	struct parse_value *l = find_let(s, let->name, let->value);

	/* A parameter of a script stays one; a default of this query does not. */
	return keep_let(s, l, let, l && l->scope < s->scope ? l->scope : 0, err);
}

int session_set_value(struct session *s, struct str name, struct str text,
		      struct err *err)
{
	const struct let let = {.name = name, .text = text, .value = true};
	struct parse_value *l;

	for (size_t i = 0; i < name.n; i++)
		if (!token_is_word_byte(name.p[i]))
			name.n = 0;
	if (!name.n) {
		err_set(err, ERR_USAGE, 0, "a value's name has letters, digits and _");
		return err_hint(err, "NAME=VALUE, and $NAME in the query");
	}
	l = find_let(s, name, true);
	return keep_let(s, l && l->scope == s->scope ? l : NULL, &let, s->scope, err);
}

void session_free_lets(struct session *s)
{
	for (size_t i = 0; i < s->nlets; i++)
		free_let(&s->lets[i]);
	free(s->lets);
}

/* The i-th value that was set; NULL: there are no more, *i is how many more were asked for. */
static const struct parse_value *value_at(const struct session *s, size_t *i)
{
	for (size_t k = 0; k < s->nlets; k++)
		if (!s->lets[k].formula && !(*i)--)
			return &s->lets[k];
	return NULL;
}

struct str session_value(const struct session *s, size_t i)
{
	const struct parse_value *v = value_at(s, &i);
	const struct common_set *common = common_sets;

	for (; !v && common->about; common++)
		if (!i--)
			v = &common->value;
	return v ? v->name : STR("");
}

bool session_let_at(const struct session *s, size_t i, struct str *name, struct str *text)
{
	const struct parse_value *v = value_at(s, &i);

	if (v) {
		*name = v->name;
		*text = v->text;
	}
	return v;
}

bool session_has_let(const struct session *s, struct str name)
{
	return find_let(s, name, true) != NULL;
}

/* ---- scopes ---- */

void session_scope(struct session *s)
{
	s->scope++;
}

void session_scope_end(struct session *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nlets; i++)
		if (s->lets[i].scope < s->scope)
			s->lets[kept++] = s->lets[i];
		else
			free_let(&s->lets[i]);
	s->nlets = kept;
	s->scope--;
}

int session_defaults(struct session *s, struct str script, struct err *err)
{
	const struct str sign = STR("${");
	struct token_default d;
	size_t at = 0;

	while ((at += str_find_str(str_from(script, at), sign)) < script.n) {
		if (token_default(script, at, &d) && !find_let(s, d.name, true) &&
		    session_set_value(s, d.name, d.text, err))
			return err->kind;
		at += sign.n;
	}
	return 0;
}

int session_query_scope(struct session *s, struct str text, struct err *err)
{
	const size_t before = s->nlets;

	session_scope(s);
	if (session_defaults(s, text, err))
		return err->kind;
	for (size_t i = 0; i < before; i++)
		if (session_defaults(s, s->lets[i].text, err))
			return err->kind;
	for (size_t i = 0; i < s->nfilters; i++)
		if (session_defaults(s, s->filters[i], err))
			return err->kind;
	return 0;
}
