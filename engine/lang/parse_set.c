/*
 * parse_set.c - sets of functions: atoms, and, or, not.
 *
 * Most mistakes are names that need quotes.  They are recognised where the bare name
 * ends: at the sign of an operator, "<", "(", or the blank in "operator new".
 */
#include <string.h>

#include "engine/lang/parse_in.h"
#include "engine/lang/keywords.h"
#include "index/base/arena.h"
#include "index/base/need.h"

static struct set *parse_or(struct parser *p, const char *after);

static struct set *new_set(struct parser *p, enum set_op op, struct span at)
{
	struct set *s = PARSE_NEW(p, struct set);

	s->op = op;
	s->span = at;
	return s;
}

static bool ends_in_operator(struct str s)
{
	struct str op = STR("operator");

	if (!str_ends(s, op))
		return false;
	return s.n == op.n || !token_name_byte(s.p[s.n - op.n - 1]) ||
	       s.p[s.n - op.n - 1] == ':';
}

/* The bytes from `at` that the user most likely meant as one name. */
static struct span whole_name(struct str text, size_t at)
{
	size_t i = at;
	int depth = 0;

	for (; i < text.n && text.p[i] != '\n'; i++) {
		char c = text.p[i];

		depth += c == '<' || c == '(';
		depth -= c == '>' || c == ')';
		if (c == ' ' && depth <= 0)
			break;
	}
	return (struct span){at, i - at};
}

static struct span operator_span(const struct parser *p, const struct token *t)
{
	struct span s = whole_name(p->text, t->at);
	size_t end = s.at + s.len;

	/* operator new, operator bool */
	if (end == t->at + t->len && end + 1 < p->text.n && p->text.p[end] == ' ')
		s.len = whole_name(p->text, end + 1).at +
			whole_name(p->text, end + 1).len - t->at;
	return s;
}

/* Escape "|" and brackets, which are special in a regular expression; * stands for any text. */
static void regex_of(struct str name, char *out, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < name.n && n + 3 < cap; i++) {
		if (name.p[i] == '*')
			out[n++] = '.';
		else if (strchr("|()[]{}+?^$.\\/", name.p[i]) && name.p[i])
			out[n++] = '\\';
		out[n++] = name.p[i];
	}
	out[n] = '\0';
}

_Noreturn static void needs_quotes(struct parser *p, struct span s, const char *what)
{
	struct str name = {p->text.p + s.at, s.len};
	char regex[160];

	name.n -= str_ends(name, STR(",")); /* the next name of a list follows */
	s.len = name.n;
	parse_wrong(p, s, "%s needs double quotes", what);
	if (s.len > 120)
		need_hint(p->err, "put the whole name in double quotes");
	/* <...> and <*> of a name that was cut on the screen */
	if (str_ends(name, STR("<*")) || str_ends(name, STR("<*>")) ||
	    str_ends(name, STR("<...>")) || str_ends(name, STR("<\xe2\x80\xa6>")))
		need_hint(p->err, "a bare name is of all parameters");
	regex_of(name, regex, sizeof(regex));
	if (name.p[name.n - 1] == ')' || name.p[name.n - 1] == '>')
		need_hint(p->err, "write \"%.*s\", or /%s/", STR_ARG(name), regex);
	need_hint(p->err, "write /%s/, or in quotes all of it, \"%.*s(...)\"", regex,
		  STR_ARG(name));
}

/* Shorten "operator+=" to "operator+": only some signs may be in a name. */
static struct str without_signs(struct str s)
{
	while (s.n && strchr("+-*/", s.p[s.n - 1]) && s.p[s.n - 1])
		s.n--;
	return s;
}

static void check_bare(struct parser *p, const struct token *t)
{
	char next = t->at + t->len < p->text.n ? p->text.p[t->at + t->len] : '\0';

	if (ends_in_operator(t->text) || (next && strchr("=<>|&^!%", next) &&
					  ends_in_operator(without_signs(t->text))))
		needs_quotes(p, operator_span(p, t), "an operator's name");
	if (next == '<')
		needs_quotes(p, whole_name(p->text, t->at), "a template's full name");
	if (next == '(')
		needs_quotes(p, whole_name(p->text, t->at), "a name with its parameters");
}

_Noreturn static void no_operand(struct parser *p, const struct token *t,
				 const char *after)
{
	if (t->kind == TOK_BAD)
		parse_bad(p, t);
	parse_wrong(p, token_span(t), "a function is missing after '%s'", after);
	if (t->kind == TOK_WORD)
		need_hint(p->err, "for a function of that name write \"%.*s\"",
			  STR_ARG(t->text));
	need_hint(p->err,
		  "write a name, \"an exact name\", /a regular expression/ or #12");
}

static void parse_number_atom(struct parser *p, const struct token *t, struct set *s)
{
	struct token n;

	parse_eat(p, t);
	n = parse_peek(p, PLACE_WORD);
	if (n.kind != TOK_NUMBER || !n.integral || n.at != t->at + 1)
		parse_fail(p, token_span(t), "a function's number is missing after #");
	parse_eat(p, &n);
	s->form = MATCH_ID;
	s->number = n.whole;
	s->text = (struct str){p->text.p + n.at, n.len};
	s->text_span = token_span(&n);
}

static void parse_text_atom(struct parser *p, const struct token *t, struct set *s)
{
	s->text = t->text;
	s->text_span = (struct span){(size_t)(t->text.p - p->text.p), t->text.n};
	s->caseless = t->caseless;
	s->form = t->kind == TOK_STRING	 ? MATCH_EXACT
		  : t->kind == TOK_REGEX ? MATCH_REGEX
					 : MATCH_BARE;
	if (s->form == MATCH_EXACT)
		parse_unescape(p, t, &s->text);
	if (s->form == MATCH_REGEX)
		parse_fill(p, &s->text);
	if (s->form == MATCH_BARE && s->field == MATCH_FN)
		check_bare(p, t);
	parse_eat(p, t);
}

/* All bytes of names from `at` on. */
static struct token path_at(struct str text, size_t at)
{
	struct token t = {.kind = TOK_WORD, .at = at};

	while (at + t.len < text.n && token_name_byte(text.p[at + t.len]))
		t.len++;
	t.text = (struct str){text.p + at, t.len};
	return t;
}

/* "/src/mod/x.c" is a path, since a regular expression would end before "mod"; so is
 * "/x.c" where a field says so. */
static struct token peek_path(struct parser *p, struct token t, bool field)
{
	const struct str behind = str_from(p->text, t.at + t.len);
	const bool slash = t.at < p->text.n && p->text.p[t.at] == '/';

	if ((t.kind == TOK_REGEX && behind.n && token_name_byte(*behind.p) &&
	     !str_starts(behind, STR("->"))) ||
	    (t.kind == TOK_BAD && field && slash))
		return path_at(p->text, t.at);
	return t;
}

/* Read a name.  "Class->method" is one name, except in a path with "->". */
static struct token peek_name(struct parser *p)
{
	struct token t = parse_peek(p, PLACE_NAME);

	while (t.kind == TOK_WORD && !p->arrow && !ends_in_operator(t.text)) {
		size_t end = t.at + t.len;
		struct token more;

		if (!str_starts(str_from(p->text, end), STR("->")))
			break;
		more = token_at(p->text, end + 2, PLACE_NAME);
		if (more.kind != TOK_WORD || more.at != end + 2)
			break;
		t.len += 2 + more.len;
		t.text.n = t.len;
	}
	return parse_typed(p, t);
}

enum { FIELD_DIR = MATCH_LINE + 1 }; /* of token_fields[] */

/* dir:D means the files in the directory D, whose path is D or ends so. */
static void dir_of_files(struct parser *p, struct set *s)
{
	char regex[512];
	const bool root = s->text.n && (s->text.p[0] == '/' || s->text.p[0] == '*');

	if (s->form == MATCH_REGEX) {
		parse_wrong(p, s->text_span, "dir: takes no regular expression");
		need_hint(p->err, "file:/.../ looks at whole paths");
	}
	if (str_eq(s->text, STR("???")))
		return;
	while (s->text.n > 1 && s->text.p[s->text.n - 1] == '/')
		s->text.n--;
	regex_of(s->text, regex, sizeof(regex));
	s->form = MATCH_REGEX;
	s->text = str_eq(s->text, STR("."))
			  ? STR("^" MATCH_IN_DIR)
			  : need_printf(p->a, "%s%s[/\\\\]" MATCH_IN_DIR,
					root ? "^" : "(^|[/\\\\])",
					str_eq(s->text, STR("/")) ? "" : regex);
}

static struct set *parse_atom(struct parser *p, const char *after)
{
	struct token t = peek_name(p);
	struct set *s = new_set(p, SET_ATOM, token_span(&t));
	size_t at = t.at;
	bool field = t.kind == TOK_FIELD, dir = false;

	if (field) {
		dir = t.whole == FIELD_DIR;
		s->field = dir ? MATCH_FILE : (enum match_field)t.whole;
		parse_eat(p, &t);
		t = parse_peek(p, PLACE_NAME);
	}
	t = peek_path(p, t, field);
	parse_want(p, s->field == MATCH_FILE  ? WANT_SOURCE_FILE
		      : s->field == MATCH_OBJ ? WANT_OBJECT
					      : WANT_FUNCTION);
	if (field && (t.kind == TOK_FIELD || t.kind < TOK_WORD))
		parse_fail(p, s->span, "a name is missing after '%.*s:'",
			   (int)(s->span.len - 1), p->text.p + at);
	if (t.kind == '#' && !field) {
		parse_number_atom(p, &t, s);
	} else if (t.kind == '$' && !field) {
		s->op = SET_VAR;
		s->text = parse_value_name(p, &t);
	} else if (t.kind == TOK_STRING || t.kind == TOK_REGEX ||
		   (t.kind == TOK_WORD && (field || !is_reserved(t.text)))) {
		parse_text_atom(p, &t, s);
		if (dir)
			dir_of_files(p, s);
	} else {
		no_operand(p, &t, after);
	}
	s->span = span_to(at, p);
	return s;
}

static struct set *parse_group(struct parser *p, const struct token *t)
{
	struct token close;
	struct set *s;

	parse_eat(p, t);
	p->open++;
	s = parse_or(p, "(");
	close = parse_peek(p, PLACE_WORD);
	if (close.kind == ')') {
		p->open--;
		parse_eat(p, &close);
		s->span = span_to(t->at, p);
		return s;
	}
	if (close.kind == TOK_WORD)
		needs_quotes(p, whole_name(p->text, t->at),
			     "a name with blanks or brackets");
	parse_fail(p, token_span(t), "this '(' is not closed");
}

static struct set *parse_not(struct parser *p, const char *after)
{
	struct token t = parse_peek(p, PLACE_NAME);
	struct set *s;

	parse_nest(p, token_span(&t));
	if (token_is(&t, "not") && is_reserved(t.text)) {
		parse_eat(p, &t);
		s = new_set(p, SET_NOT, token_span(&t));
		s->a = parse_not(p, "not");
		s->span = span_to(t.at, p);
	} else if (t.kind == '(') {
		s = parse_group(p, &t);
	} else {
		s = parse_atom(p, after);
	}
	p->nest--;
	return s;
}

static struct set *join_sets(struct parser *p, enum set_op op, struct set *a,
			     struct set *b)
{
	struct set *s = new_set(p, op, a->span);

	/* A set uses a third of the stack of an expression. */
	parse_joined(p, b->span, 3 * p->operators);
	s->a = a;
	s->b = b;
	s->span = span_to(a->span.at, p);
	return s;
}

static struct set *parse_and(struct parser *p, const char *after)
{
	struct set *s = parse_not(p, after);

	while (parse_accept_word(p, "and"))
		s = join_sets(p, SET_AND, s, parse_not(p, "and"));
	return s;
}

static struct set *parse_or(struct parser *p, const char *after)
{
	struct set *s = parse_and(p, after);

	while (parse_accept_word(p, "or") || parse_accept(p, ','))
		s = join_sets(p, SET_OR, s, parse_and(p, "or"));
	return s;
}

struct set *parse_set(struct parser *p, const char *after)
{
	struct token t;
	struct set *s;
	bool outer = p->arrow;

	p->arrow = strcmp(after, "path") == 0;
	p->joined = 0;
	s = parse_or(p, after);
	p->arrow = outer;
	t = parse_peek(p, PLACE_WORD);
	if (t.kind == TOK_OROR || t.kind == TOK_ANDAND)
		parse_bad(p, &t);
	return s;
}
