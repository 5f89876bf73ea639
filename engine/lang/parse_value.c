/*
 * parse_value.c - $NAME, a value with a name: a set, a number, an expression, a text.
 *
 * A value is kept as text, and read where it is used: as a set after "of", as a number after
 * "take", as an expression after "where".  `let $NAME = ...` gives it, and so do --set and
 * .run.  ${NAME} is the same, and it also stands inside "..." and /.../ and in the names of
 * files, where its text is inserted.  ${NAME:=TEXT} is read as ${NAME}: the session has given
 * NAME the value TEXT before, if it had none (engine/values.c).
 */
#include <string.h>

#include "engine/lang/ast.h"
#include "engine/lang/common_sets.h"
#include "engine/lang/parse_in.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/need.h"

enum { DEEPEST = 16 };

const struct parse_value *parse_find_value(const struct parse_limits *l, struct str name,
					   bool formula)
{
	for (; l; l = l->outer)
		for (size_t i = l->nvalues; i > 0; i--)
			if (l->values[i - 1].formula == formula &&
			    str_eq(l->values[i - 1].name, name))
				return &l->values[i - 1];
	return formula ? NULL : common_set_find(name);
}

void parse_keep_value(struct parser *p, struct str name, struct str text)
{
	struct parse_limits *l = &p->limits;

	need_grow(p->a, &p->own, &p->own_cap, l->nvalues, l->nvalues + 1,
		  sizeof(*p->own));
	p->own[l->nvalues++] = (struct parse_value){.name = name, .text = text};
	l->values = p->own;
}

/* NAME, {NAME} or {NAME:=TEXT} */
struct str parse_value_name(struct parser *p, const struct token *dollar)
{
	struct token_default d;
	struct token w;
	bool braces;

	parse_eat(p, dollar);
	if (token_default(p->text, dollar->at, &d)) {
		p->pos = d.end;
		return d.name;
	}
	braces = parse_accept(p, '{');
	w = parse_peek(p, PLACE_WORD);
	parse_want(p, WANT_VALUE);
	if (w.kind != TOK_WORD)
		parse_fail(p, token_span(&w), "a name is missing after $");
	parse_eat(p, &w);
	if (braces && str_starts(str_from(p->text, p->pos), STR(":=")))
		parse_fail(p, (struct span){p->pos, 2},
			   "a value and '}' are missing after ':='");
	if (braces && !parse_accept(p, '}'))
		parse_fail(p, token_span(dollar), "this '{' is not closed");
	return w.text;
}

_Noreturn void parse_no_value(struct err *err, struct str name, struct span at)
{
	/* $s4main5helloyyF, as Swift's compiler names it */
	const bool swift = name.n > 2 && (name.p[0] == 's' || name.p[0] == 'S') &&
			   (name.p[1] == 'S' || (name.p[1] >= '0' && name.p[1] <= '9'));

	span_wrong(err, at, "nothing is called $%.*s", STR_ARG(name));
	if (swift)
		need_hint(err, "a symbol of Swift stands in quotes: \"$%.*s\"",
			  STR_ARG(name));
	need_hint(err, "define it: let $%.*s = malloc or free, --set %.*s=VALUE",
		  STR_ARG(name), STR_ARG(name));
}

struct str parse_value_text(struct parser *p, const struct token *dollar)
{
	const struct str name = parse_value_name(p, dollar);
	const struct parse_value *v = parse_find_value(&p->limits, name, false);

	if (!v && !p->limits.any_value)
		parse_no_value(p->err, name, span_to(dollar->at, p));
	return v ? v->text : STR("");
}

struct token parse_number(struct parser *p)
{
	struct token t = parse_peek(p, PLACE_WORD), number;
	const struct parser before = *p;
	struct str text;

	if (t.kind != '$')
		return t;
	text = parse_value_text(p, &t);
	if (!text.n && p->limits.any_value)
		text = STR("1");
	number = token_at(text, 0, PLACE_WORD);
	if (number.kind != TOK_NUMBER || number.len != text.n)
		number.kind = '$';
	number.at = t.at;
	number.len = p->pos - t.at;
	*p = before;
	return number;
}

void parse_move(struct expr *e, struct span at)
{
	for (; e; e = e->next) {
		e->span = at;
		parse_move(e->a, at);
		parse_move(e->b, at);
	}
}

static struct expr *as_expr(struct parser *p, struct str text, struct span at)
{
	struct parse_limits limits = p->limits;
	struct err inner = {0};
	struct expr *e;

	limits.deep++;
	if (parse_expr_text(text, &limits, p->a, &e, &inner) == 0) {
		parse_move(e, at);
		e->value = true;
		return e;
	}
	need(inner.kind != ERR_QUERY, &inner);
	e = PARSE_NEW(p, struct expr);
	e->op = EX_TEXT;
	e->text = text;
	e->span = at;
	return e;
}

struct expr *parse_value_expr(struct parser *p, const struct token *dollar)
{
	struct str text = parse_value_text(p, dollar);

	if (p->limits.deep >= DEEPEST)
		parse_fail(p, span_to(dollar->at, p), "this value contains itself");
	if (!text.n && p->limits.any_value)
		text = STR("1");
	return as_expr(p, text, span_to(dollar->at, p));
}

void parse_fill(struct parser *p, struct str *text)
{
	struct str rest = *text, found;
	char *to = NULL;
	size_t n = 0;

	for (size_t at; (at = str_find_str(rest, STR("${"))) < rest.n;) {
		size_t end = at + str_find(str_from(rest, at), '}');
		const struct parse_value *v;
		struct token_default d;
		char *more;

		found = (struct str){rest.p + at + 2, end < rest.n ? end - at - 2 : 0};
		if (token_default(rest, at, &d)) {
			found = d.name;
			end = d.end - 1;
		}
		v = found.n ? parse_find_value(&p->limits, found, false) : NULL;
		end = v ? end + 1 : at + 2;
		more = parse_new(p, n + at + 2 + (v ? v->text.n : 0));
		if (n)
			memcpy(more, to, n);
		memcpy(more + n, rest.p, v ? at : end);
		if (v)
			memcpy(more + n + at, v->text.p, v->text.n);
		n += v ? at + v->text.n : end;
		to = more;
		rest = str_from(rest, end);
	}
	if (!to)
		return;
	found.p = parse_new(p, n + rest.n);
	memcpy((char *)(uintptr_t)found.p, to, n);
	memcpy((char *)(uintptr_t)found.p + n, rest.p, rest.n);
	*text = (struct str){found.p, n + rest.n};
}
