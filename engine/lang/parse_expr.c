/*
 * parse_expr.c - expressions, by one Pratt table.
 *
 * Comparisons do not associate: after `a > b` a second ">" at the same level ends the
 * expression, so that `where self > 1M > out.csv` writes a file.  In sort, show and by a
 * comparison makes no sense, and the first ">" ends the expression: BP_NO_COMPARE.
 */
#include <ctype.h>
#include <string.h>

#include "engine/lang/ast.h"
#include "engine/lang/keywords.h"
#include "engine/lang/parse_in.h"
#include "index/base/count.h"
#include "index/base/need.h"
#include "index/format/event.h"

struct infix {
	int kind; /* a token kind, or TOK_WORD and `word` */
	const char *word;
	enum expr_op op;
	int left, right; /* binding powers */
};

static const struct infix infixes[] = {
	{TOK_WORD, "or", EX_OR, 10, 11}, {TOK_WORD, "and", EX_AND, 20, 21},
	{'=', NULL, EX_EQ, 30, 31},	 {TOK_NE, NULL, EX_NE, 30, 31},
	{'<', NULL, EX_LT, 30, 31},	 {TOK_LE, NULL, EX_LE, 30, 31},
	{'>', NULL, EX_GT, 30, 31},	 {TOK_GE, NULL, EX_GE, 30, 31},
	{'~', NULL, EX_MATCH, 30, 31},	 {TOK_NOT_MATCH, NULL, EX_NOT_MATCH, 30, 31},
	{TOK_WORD, "in", EX_IN, 30, 31}, {'+', NULL, EX_ADD, 40, 41},
	{'-', NULL, EX_SUB, 40, 41},	 {'*', NULL, EX_MUL, 50, 51},
	{'/', NULL, EX_DIV, 50, 51},
};
enum { BP_NOT = 25, BP_NEG = 60, BP_COMPARE = 30 };

static const struct infix *infix_of(const struct token *t)
{
	for (size_t i = 0; i < COUNT(infixes); i++) {
		const struct infix *x = &infixes[i];

		if (x->word ? token_is(t, x->word) : t->kind == x->kind)
			return x;
	}
	return NULL;
}

static struct expr *new_expr(struct parser *p, enum expr_op op, const struct token *t)
{
	struct expr *e = PARSE_NEW(p, struct expr);

	e->op = op;
	e->span = token_span(t);
	e->text = t->text;
	return e;
}

static void parse_list(struct parser *p, struct expr **out)
{
	struct expr **tail = out;

	p->open++;
	if (parse_accept(p, ')')) {
		p->open--;
		return;
	}
	for (;;) {
		struct token t;

		*tail = parse_expr(p, BP_ANY);
		tail = &(*tail)->next;
		t = parse_peek(p, PLACE_WORD);
		if (t.kind == ')') {
			p->open--;
			parse_eat(p, &t);
			return;
		}
		if (t.kind == ',')
			parse_eat(p, &t);
		if (t.kind != ',')
			parse_fail(p, token_span(&t), "a ')' or ',' is missing here");
	}
}

/* Split "incl.D1mr%" into its pieces. */
static void column_parts(struct expr *e)
{
	size_t dot;

	if (str_ends(e->text, STR("%"))) {
		e->percent = true;
		e->text.n--;
	}
	dot = str_find(e->text, '.');
	if (dot < e->text.n) {
		e->event = str_from(e->text, dot + 1);
		e->text.n = dot;
	}
}

/* How many bytes behind a word are the unit in the name of an event: 6 of Time_(10ns). 0:
 * no unit follows. */
static size_t unit_bytes(struct parser *p, const struct token *t)
{
	const struct str rest = str_from(p->text, t->at + t->len);
	const size_t n = str_find(rest, ')') + 1, dot = str_find(t->text, '.');
	struct str whole = {t->text.p, t->len + n};

	if (function_find(t->text) || is_aggregate(t->text) || !rest.n ||
	    rest.p[0] != '(' || n > rest.n)
		return 0;
	whole = dot < t->len ? str_from(whole, dot + 1) : whole;
	return event_unit(whole, STR(""), STR("")).kind ? n : 0;
}

/* self."Data Read Access": the name of an event, quoted. */
static void quoted_event(struct parser *p, struct expr *e)
{
	struct token t;

	if (p->expected && str_eq(str_from(p->text, p->pos), STR(".")))
		p->expected->want |= WANT_EVENT;
	if (!str_starts(str_from(p->text, p->pos), STR(".\"")))
		return;
	p->pos++;
	t = parse_peek(p, PLACE_WORD);
	parse_want(p, WANT_EVENT);
	if (t.kind != TOK_STRING)
		parse_bad(p, &t);
	parse_eat(p, &t);
	e->span.len = t.at + t.len - e->span.at;
	parse_unescape(p, &t, &e->event);
}

/* The names of functions are keywords: they may be written in any case. */
static void in_lower_case(struct parser *p, struct str *word)
{
	char *to = parse_new(p, word->n);

	for (size_t i = 0; i < word->n; i++)
		to[i] = (char)tolower((unsigned char)word->p[i]);
	word->p = to;
}

static struct expr *parse_word_operand(struct parser *p, const struct token *t)
{
	struct expr *e = new_expr(p, EX_COL, t);
	const size_t unit = unit_bytes(p, t);
	struct token open;

	parse_eat(p, t);
	p->pos += unit;
	e->text.n += unit;
	e->span.len += unit;
	quoted_event(p, e);
	open = parse_peek(p, PLACE_WORD);
	if (open.kind == '(' && open.at == t->at + t->len) {
		e->op = EX_CALL;
		parse_eat(p, &open);
		in_lower_case(p, &e->text);
		parse_list(p, &e->a);
		e->span = span_to(t->at, p);
	} else if (!e->event.n) {
		column_parts(e);
	}
	return e;
}

static struct expr *parse_literal(struct parser *p, const struct token *t)
{
	struct expr *e = new_expr(p,
				  t->kind == TOK_NUMBER	  ? EX_NUMBER
				  : t->kind == TOK_STRING ? EX_TEXT
							  : EX_REGEX,
				  t);

	e->number = t->number;
	e->unit = t->unit;
	e->whole = t->whole;
	e->integral = t->integral && !t->percent;
	e->percent = t->percent;
	e->caseless = t->caseless;
	parse_eat(p, t);
	if (t->kind == TOK_STRING)
		parse_unescape(p, t, &e->text);
	else if (t->kind == TOK_REGEX)
		parse_fill(p, &e->text);
	return e;
}

static struct expr *parse_unary(struct parser *p, const struct token *t, enum expr_op op,
				int bp)
{
	struct expr *e = new_expr(p, op, t);

	parse_eat(p, t);
	e->a = parse_expr(p, bp);
	e->span = span_to(t->at, p);
	return e;
}

static struct expr *parse_parens(struct parser *p, const struct token *t)
{
	struct token close;
	struct expr *e;

	parse_eat(p, t);
	p->open++;
	e = parse_expr(p, BP_ANY);
	close = parse_peek(p, PLACE_WORD);
	if (close.kind != ')') {
		if (close.kind == TOK_BAD || close.kind >= TOK_EQEQ)
			parse_bad(p, &close);
		parse_fail(p, token_span(t), "this '(' is not closed");
	}
	p->open--;
	parse_eat(p, &close);
	return e;
}

static struct expr *parse_operand(struct parser *p)
{
	struct token t = parse_peek(p, PLACE_OPERAND);

	parse_want(p, WANT_COLUMN | WANT_EVENT);
	for (size_t i = 0; p->aggregates && aggregate_words[i]; i++)
		parse_want_word(p, aggregate_words[i]);
	if (token_is(&t, "not"))
		return parse_unary(p, &t, EX_NOT, BP_NOT);
	if (t.kind == '-')
		return parse_unary(p, &t, EX_NEG, BP_NEG);
	if (t.kind == '(')
		return parse_parens(p, &t);
	if (t.kind == TOK_NUMBER || t.kind == TOK_STRING || t.kind == TOK_REGEX)
		return parse_literal(p, &t);
	if (t.kind == TOK_WORD && !infix_of(&t))
		return parse_word_operand(p, &t);
	if (t.kind == '$')
		return parse_value_expr(p, &t);
	if (t.kind == TOK_BAD || t.kind >= TOK_NE)
		parse_bad(p, &t);
	parse_fail(p, token_span(&t),
		   t.kind == TOK_END || t.kind == TOK_NEWLINE
			   ? "the expression is not finished"
			   : "a column, a number or \"text\" is missing here");
}

/* fn in $hot, file in ("a.c", "b.c") */
static void parse_in(struct parser *p, struct expr *e)
{
	struct token t = parse_peek(p, PLACE_WORD);

	if (t.kind == '(') {
		parse_eat(p, &t);
		parse_list(p, &e->b);
		if (!e->b)
			parse_fail(p, span_to(t.at, p),
				   "the list is empty: in (\"a\", \"b\")");
		return;
	}
	if (t.kind != '$')
		parse_fail(p, token_span(&t),
			   "'in' needs a list or a named set: in (\"a\", "
			   "\"b\") or in $x");
	e->b = new_expr(p, EX_VAR, &t); /* EX_VAR appears only here */
	e->b->text = parse_value_name(p, &t);
	e->b->span = span_to(t.at, p);
}

/* fn ~ ^_dl_: a regular expression without its slashes, up to a blank or a bracket or
 * stage that it does not open. */
static void bare_regex(struct parser *p)
{
	const struct token t = parse_peek(p, PLACE_OPERAND);
	const struct str s = str_from(p->text, t.at);
	size_t n = 0, open = 0;

	if (!s.n || (!token_is_word_byte(s.p[0]) && !strchr("^[.*+?\\", s.p[0])))
		return;
	for (; n < s.n && n < 200 && !strchr(" \t\n;/", s.p[n]); n++) {
		if (!open && (s.p[n] == ')' || s.p[n] == '|'))
			break;
		open += s.p[n] == '(';
		open -= s.p[n] == ')';
	}
	parse_wrong(p, (struct span){t.at, n},
		    "the right side of ~ is a /regular expression/ or \"text\"");
	need_hint(p->err, "write /%.*s/", (int)n, s.p);
}

static void parse_right(struct parser *p, const struct infix *x, struct expr *e)
{
	if (x->op == EX_IN) {
		parse_in(p, e);
		return;
	}
	if (x->op == EX_MATCH || x->op == EX_NOT_MATCH)
		bare_regex(p);
	e->b = parse_expr(p, x->right);
	if ((x->op == EX_MATCH || x->op == EX_NOT_MATCH) && e->b->op != EX_REGEX &&
	    e->b->op != EX_TEXT) {
		parse_wrong(p, e->b->span,
			    "the right side of ~ is a /regular expression/ or \"text\"");
		need_hint(p->err, "write /%.*s/", (int)(e->b->span.len & 255),
			  p->text.p + e->b->span.at);
	}
}

/* Behind "=" or "!=": `estimated = true` is `estimated`, `= false` is `not estimated`. */
static bool parse_truth(struct parser *p, struct expr *e)
{
	const struct token t = parse_peek(p, PLACE_WORD);
	const bool yes = token_is(&t, "true");

	if ((e->op != EX_EQ && e->op != EX_NE) || (!yes && !token_is(&t, "false")))
		return false;
	parse_eat(p, &t);
	if (yes == (e->op == EX_EQ))
		*e = *e->a;
	else
		e->op = EX_NOT;
	return true;
}

static bool goes_on(const struct infix *x, int bp, int ceiling)
{
	return x->left >= bp && x->left <= ceiling &&
	       !(x->left == BP_COMPARE && ceiling == BP_COMPARE);
}

struct expr *parse_expr(struct parser *p, int bp)
{
	struct token t = parse_peek(p, PLACE_OPERAND);
	int ceiling; /* operators that follow bind no tighter than this */
	size_t at = t.at;
	struct expr *out;

	if (p->nest == 0)
		p->joined = 0;
	parse_nest(p, token_span(&t));
	out = parse_operand(p);
	ceiling = out->op == EX_NOT && p->text.p[at] == 'n' ? BP_NOT : BP_NEG;
	for (;;) {
		const struct infix *x;
		struct expr *e;

		t = parse_peek(p, PLACE_WORD);
		if (t.kind >= TOK_EQEQ && t.kind <= TOK_LTGT)
			parse_bad(p, &t);
		for (size_t i = 0; i < COUNT(infixes); i++)
			if (infixes[i].word && goes_on(&infixes[i], bp, ceiling))
				parse_want_word(p, infixes[i].word);
		x = infix_of(&t);
		if (!x || !goes_on(x, bp, ceiling))
			break;
		ceiling = x->left;
		parse_joined(p, token_span(&t), p->operators);
		e = new_expr(p, x->op, &t);
		parse_eat(p, &t);
		e->a = out;
		if (!parse_truth(p, e))
			parse_right(p, x, e);
		e->span = span_to(at, p);
		out = e;
	}
	out->as = (struct str){p->text.p + out->span.at, out->span.len};
	p->nest--;
	return out;
}
