/*
 * parse.c - statements: let, and stages | source | stages > file.
 *
 * The first word of each piece between "|" decides whether it is a graph stage, a source
 * or a table stage.  Their order is checked here, so that each wrong order has its own
 * message.
 */
#include "engine/lang/parse.h"

#include <stdarg.h>
#include <sys/resource.h>

#include "engine/lang/parse_in.h"
#include "engine/lang/parse_stage.h"
#include "engine/lang/habits.h"
#include "engine/lang/keywords.h"
#include "index/base/arena.h"
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/need.h"

struct token parse_typed(struct parser *p, struct token t)
{
	struct query_context *e = p->expected;
	const bool quoted = t.kind == TOK_BAD && p->text.p[t.at] == '"';

	if (e && (quoted || ((t.kind == TOK_WORD || t.kind == TOK_NUMBER) &&
			     t.at + t.len >= p->text.n))) {
		e->word_at = t.at + quoted;
		e->quoted = quoted;
		p->text.n = t.at;
		t.kind = TOK_END;
		t.len = 0;
	}
	p->at_end = t.kind == TOK_END;
	return t;
}

void parse_want(struct parser *p, unsigned want)
{
	if (p->expected && p->at_end)
		p->expected->want |= want & ~p->unwanted;
}

void parse_want_word(struct parser *p, const char *word)
{
	struct query_context *e = p->expected;

	parse_want(p, WANT_KEYWORD);
	if (e && p->at_end && e->nkeywords + 1 < COUNT(e->keywords))
		e->keywords[e->nkeywords++] = word;
}

/* Inside brackets, and after "|" and ",", a newline is a blank. */
struct token parse_peek(struct parser *p, enum token_place place)
{
	struct token t = token_at(p->text, p->pos, place);

	if (t.kind == TOK_NEWLINE && (p->open || p->joins))
		t = token_at(p->text, token_go_on(p->text, t.at), place);
	return parse_typed(p, t);
}

void parse_eat(struct parser *p, const struct token *t)
{
	p->pos = t->at + t->len;
	p->joins = t->kind == '|' || t->kind == ',';
}

bool parse_accept(struct parser *p, int kind)
{
	struct token t = parse_peek(p, PLACE_WORD);

	if (kind == '|')
		parse_want_word(p, "|");
	if (t.kind != kind)
		return false;
	parse_eat(p, &t);
	return true;
}

bool parse_accept_word(struct parser *p, const char *word)
{
	struct token t = parse_peek(p, PLACE_WORD);

	parse_want_word(p, word);
	if (!token_is(&t, word))
		return false;
	parse_eat(p, &t);
	return true;
}

static void __attribute__((format(printf, 3, 0)))
put_wrong(struct err *err, struct span at, const char *fmt, va_list ap)
{
	if (err->kind)
		return;
	err_setv(err, ERR_QUERY, at.at, fmt, ap);
	err->len = (uint32_t)(at.len ? at.len : 1);
}

void span_wrong(struct err *err, struct span at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_wrong(err, at, fmt, ap);
	va_end(ap);
}

_Noreturn void span_fail(struct err *err, struct span at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_wrong(err, at, fmt, ap);
	va_end(ap);
	map_leave(err);
}

_Noreturn void parse_bad(struct parser *p, const struct token *t)
{
	static const struct {
		int kind;
		const char *why, *hint;
	} habit[] = {
		{TOK_EQEQ, "'==' is not an operator here", "did you mean '='?"},
		{TOK_ANDAND, "'&&' is not an operator here", "did you mean 'and'?"},
		{TOK_OROR, "'||' is not an operator here", "did you mean 'or'?"},
		{TOK_LTGT, "'<>' is not an operator here", "did you mean '!='?"},
	};

	for (size_t i = 0; i < sizeof(habit) / sizeof(*habit); i++)
		if (t->kind == habit[i].kind) {
			parse_wrong(p, token_span(t), "%s", habit[i].why);
			need_hint(p->err, "%s", habit[i].hint);
		}
	if (t->kind == TOK_BAD) {
		parse_wrong(p, token_span(t), "%s", t->why);
		need_hint(p->err, "%s", t->hint);
	}
	parse_fail(p, token_span(t), "this is not expected here");
}

struct span token_span(const struct token *t)
{
	return (struct span){t->at, t->len};
}

struct span span_to(size_t at, const struct parser *p)
{
	return (struct span){at, p->pos > at ? p->pos - at : 0};
}

void *parse_new(struct parser *p, size_t size)
{
	return need_array(p->a, 1, size);
}

void parse_nest(struct parser *p, struct span at)
{
	if (p->nest++ < p->nesting)
		return;
	parse_wrong(p, at, "nested more than %u deep", p->nesting);
	p->err->kind = ERR_LIMIT;
	need_hint(p->err, "fewer brackets, or raise it: --limit nesting=1000");
}

/* Sanitizers and unoptimized builds use more stack. */
#ifndef __has_feature
#define __has_feature(f) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	!defined(__OPTIMIZE__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

unsigned parse_operators(void)
{
	/* Bytes of stack that eval.c uses per operator, rounded up. */
	enum { EACH = SANITIZED ? 2560 : 640 };
	const rlim_t usual = 8 << 20;
	struct rlimit stack = {.rlim_cur = usual};

	getrlimit(RLIMIT_STACK, &stack);
	return (unsigned)((stack.rlim_cur < usual ? stack.rlim_cur : usual) / 4 * 3 /
			  EACH);
}

void parse_joined(struct parser *p, struct span at, unsigned most)
{
	if (p->joined++ < most)
		return;
	parse_wrong(p, at, "more than %u operators in one expression", most);
	p->err->kind = ERR_LIMIT;
	need_hint(p->err, "a list takes any number: fn in (\"a\", \"b\")");
}

/* The only escapes are \" and \\. */
void parse_unescape(struct parser *p, const struct token *t, struct str *out)
{
	struct str s = t->text;
	char *b;
	size_t n = 0;

	if (str_find(s, '\\') == s.n) {
		*out = s;
		parse_fill(p, out);
		return;
	}
	b = parse_new(p, s.n);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\' && i + 1 < s.n &&
		    (s.p[i + 1] == '"' || s.p[i + 1] == '\\'))
			i++;
		b[n++] = s.p[i];
	}
	*out = (struct str){b, n};
	parse_fill(p, out);
}

struct str parse_name(struct parser *p, unsigned want, const char *what)
{
	struct token t = parse_peek(p, PLACE_NAME);

	parse_want(p, want);
	if (t.kind == TOK_BAD)
		parse_bad(p, &t);
	if (t.kind == '$')
		return parse_value_text(p, &t);
	if (t.kind != TOK_WORD && t.kind != TOK_STRING)
		parse_fail(p, token_span(&t), "%s is missing here", what);
	parse_eat(p, &t);
	if (t.kind == TOK_STRING)
		parse_unescape(p, &t, &t.text);
	return t.text;
}

/* A right side of let $NAME. */
struct right_side {
	struct parser *p;
	struct let *let;
};

static int side_as_set(void *arg)
{
	const struct right_side *r = arg;

	r->let->set = parse_set(r->p, "=");
	return 0;
}

static int side_as_expr(void *arg)
{
	const struct right_side *r = arg;

	r->let->expr = parse_expr(r->p, BP_ANY);
	return 0;
}

/* Is it one?  If not, wrong says why. */
static bool reads(int (*fn)(void *), struct right_side *r, struct err *wrong)
{
	struct err *outer = r->p->err;
	int rc;

	r->p->err = wrong;
	rc = map_guard(fn, r, ERR_INDEX, wrong);
	r->p->err = outer;
	need(rc && wrong->kind != ERR_QUERY, wrong);
	return !rc;
}

/* The right side of let $NAME: a set or, if it cannot be one, an expression. */
static void parse_value(struct parser *p, struct let *let)
{
	const struct parser before = *p;
	struct right_side r = {p, let};
	struct err no_set = {0}, no_expr = {0};
	struct token t;

	if (reads(side_as_set, &r, &no_set)) {
		t = parse_peek(p, PLACE_WORD);
		if (t.kind == TOK_END || t.kind == TOK_NEWLINE || t.kind == ';')
			return;
	}
	*p = before;
	let->set = NULL;
	if (!no_set.kind) {
		let->expr = parse_expr(p, BP_ANY);
	} else if (!reads(side_as_expr, &r, &no_expr)) {
		/* Neither: what is wrong with the set says most. */
		*p = before;
		let->set = parse_set(p, "=");
	}
}

/* let NAME = expr, let $NAME = set.  The session keeps the text of the right side. */
static void parse_let(struct parser *p, struct let *let)
{
	bool set = parse_accept(p, '$');
	struct token t = parse_peek(p, PLACE_WORD), eq;
	size_t at;

	parse_want(p, set ? WANT_VALUE : 0);
	if (t.kind != TOK_WORD || str_find(t.text, '.') < t.text.n ||
	    str_ends(t.text, STR("%"))) {
		parse_wrong(p, token_span(&t),
			    "'let' needs a name of letters, digits and _");
		need_hint(p->err,
			  "let CPI = Cycles / Ir, or let $hot = memcpy or memset");
	}
	parse_eat(p, &t);
	let->name = t.text;
	let->span = token_span(&t);
	eq = parse_peek(p, PLACE_WORD);
	if (eq.kind == TOK_EQEQ)
		parse_bad(p, &eq);
	if (eq.kind != '=')
		parse_fail(p, token_span(&eq), "'=' is missing here");
	parse_eat(p, &eq);
	at = parse_peek(p, PLACE_OPERAND).at;
	let->value = set;
	if (set)
		parse_value(p, let);
	else
		let->expr = parse_expr(p, BP_NO_COMPARE);
	let->text = (struct str){p->text.p + at, p->pos - at};
	if (set)
		parse_keep_value(p, let->name, let->text);
}

static bool is_digits(struct str s)
{
	struct token t = token_at(s, 0, PLACE_OPERAND);

	return t.kind == TOK_NUMBER && t.len == s.n;
}

/* Is the name of the file still being typed? */
static bool want_file(struct parser *p)
{
	size_t at = p->pos;

	while (at < p->text.n && p->text.p[at] == ' ')
		at++;
	for (size_t i = at; i < p->text.n; i++)
		if (p->text.p[i] == '\n' || p->text.p[i] == ';' || p->text.p[i] == '|')
			return false;
	p->expected->word_at = at;
	p->expected->want = WANT_FILE;
	p->pos = p->text.n;
	return true;
}

static void parse_output(struct parser *p, struct query *q)
{
	struct token t = parse_peek(p, PLACE_WORD);
	size_t end;

	if (t.kind == '!' || t.kind == TOK_NE || t.kind == TOK_NOT_MATCH) {
		for (end = t.at + 1; end < p->text.n && p->text.p[end] != '\n'; end++)
			;
		q->shell = str_trim((struct str){p->text.p + t.at + 1, end - t.at - 1});
		q->out_span = (struct span){t.at, end - t.at};
		p->pos = end;
		if (!q->shell.n)
			parse_fail(p, token_span(&t),
				   "a shell command is missing after '!'");
		return;
	}
	if (t.kind != '>')
		return;
	parse_eat(p, &t);
	if (p->expected && want_file(p))
		return;
	t = parse_peek(p, PLACE_NAME);
	if (p->pos < p->text.n && p->text.p[p->pos] == '>') {
		parse_wrong(p, (struct span){p->pos - 1, 2},
			    "nothing is appended to a file");
		need_hint(p->err, "> FILE writes a new one; a shell can append: "
				  "quern ... -c '...' >> FILE");
	}
	if (t.kind == TOK_STRING) {
		parse_eat(p, &t);
		q->out_span = token_span(&t);
		parse_unescape(p, &t, &q->file);
		return;
	}
	for (end = t.at;
	     end < p->text.n && p->text.p[end] != '\n' && p->text.p[end] != ' ' &&
	     p->text.p[end] != ';' && p->text.p[end] != '|';
	     end++)
		;
	q->file = (struct str){p->text.p + t.at, end - t.at};
	parse_fill(p, &q->file);
	q->out_span = (struct span){t.at, end - t.at};
	p->pos = end;
	if (q->file.n && is_digits(q->file)) {
		parse_wrong(p, q->out_span,
			    "a file whose name is a number needs double quotes");
		need_hint(p->err, "a comparison stands once: self > 5 and self < 10");
	}
	if (!q->file.n)
		parse_fail(p, token_span(&t), "a file name is missing after '>'");
}

_Noreturn static void only_stages(struct parser *p, const struct token *last)
{
	const struct token t = parse_peek(p, PLACE_WORD);

	if (t.kind == TOK_WORD && !verb_find(t.text) && !stage_find(t.text) &&
	    !clause_find(t.text) && !token_is(&t, "vs")) {
		parse_wrong(p, token_span(&t), "names are joined by 'or'");
		need_hint(p->err, "hide A or B | top 10");
	}
	parse_wrong(p, token_span(last),
		    "the query has no source: a graph stage alone shows nothing");
	need_hint(p->err, "go on with a source: ... | top 10");
}

/* why under X: focus X | why, of the functions of X with all below them */
static void focus_under(struct parser *p, struct query *q, struct gstage **at)
{
	struct source *s = &q->source;

	*at = PARSE_NEW(p, struct gstage);
	**at = (struct gstage){.kind = G_FOCUS, .set = s->under, .span = s->under->span};
}

static void parse_query(struct parser *p, struct query *q)
{
	struct gstage **gtail = &q->gstages;
	struct tstage **ttail = &q->tstages;
	struct token t = parse_peek(p, PLACE_WORD);

	/* `| take 3` goes on from the last answer. */
	if (t.kind == '|') {
		q->source.kind = S_LAST;
		q->source.span = token_span(&t);
	}
	while (parse_is_gstage(p, &t)) {
		*gtail = parse_gstage(p);
		gtail = &(*gtail)->next;
		if (!parse_accept(p, '|'))
			only_stages(p, &t);
		t = parse_peek(p, PLACE_WORD);
	}
	if (q->source.kind != S_LAST)
		parse_source(p, &q->source);
	if (q->source.kind == S_WHY && q->source.under)
		focus_under(p, q, gtail);
	while (parse_accept(p, '|')) {
		*ttail = parse_tstage(p);
		ttail = &(*ttail)->next;
	}
	parse_output(p, q);
}

static void parse_end(struct parser *p, const struct stmt *s)
{
	struct token t = parse_peek(p, PLACE_WORD);

	if (t.kind == TOK_END || t.kind == TOK_NEWLINE || t.kind == ';')
		return;
	if (t.kind == TOK_BAD || (t.kind >= TOK_NE && t.kind != TOK_ARROW))
		parse_bad(p, &t);
	parse_unexpected(p, s, &t);
}

static void parse_stmt(struct parser *p, struct stmt *s, const struct token *first)
{
	p->open = 0;
	p->joins = false;
	if (token_is(first, "let")) {
		parse_eat(p, first);
		s->is_let = true;
		parse_let(p, &s->let);
	} else {
		parse_query(p, &s->query);
	}
	s->span = span_to(first->at, p);
	parse_end(p, s);
}

static int parse_start(struct parser *p, struct str text, const struct parse_limits *l,
		       struct arena *a, struct err *err)
{
	*p = (struct parser){.text = text,
			     .nesting = l->nesting,
			     .operators = l->operators ? l->operators : parse_operators(),
			     .limits = *l,
			     .a = a,
			     .err = err};
	p->limits.values = NULL;
	p->limits.nvalues = 0;
	p->limits.outer = l;
	if (text.n <= l->text_bytes)
		return 0;
	err_set(err, ERR_LIMIT, 0, "the query has %zu bytes; the limit is %zu", text.n,
		l->text_bytes);
	return err_hint(err, "raise it: --limit text=%zu", text.n);
}

/* Skip to the first token of the next statement.  Returns false at the end of the text. */
static bool find_stmt(struct parser *p, struct token *t)
{
	for (;;) {
		p->pos = token_skip_lines(p->text, p->pos);
		*t = parse_peek(p, PLACE_WORD);
		if (t->kind != ';')
			return t->kind != TOK_END;
		parse_eat(p, t);
	}
}

/* What one reading of a text makes.  A mistake leaves through the guard around it. */
struct reading {
	struct parser p;
	struct token first; /* of the statement */
	struct stmt *stmt;
	struct gstage *gstage;
	struct expr *expr;
	struct set *set;
};

static int run(struct reading *r, int (*fn)(void *), struct str text,
	       const struct parse_limits *l, struct arena *a, struct err *err)
{
	return parse_start(&r->p, text, l, a, err) || map_guard(fn, r, ERR_INDEX, err)
		       ? err->kind
		       : 0;
}

static int read_stmt(void *arg)
{
	struct reading *r = arg;

	r->stmt = PARSE_NEW(&r->p, struct stmt);
	parse_stmt(&r->p, r->stmt, &r->first);
	return 0;
}

static int read_text(void *arg)
{
	struct reading *r = arg;
	struct stmt *first = NULL, **tail = &first;

	for (; find_stmt(&r->p, &r->first); tail = &(*tail)->next) {
		read_stmt(r);
		*tail = r->stmt;
	}
	r->stmt = first;
	return 0;
}

int parse_text(struct str text, const struct parse_limits *l, struct arena *a,
	       struct stmt **out, struct err *err)
{
	struct reading r = {.stmt = NULL};

	if (!run(&r, read_text, text, l, a, err))
		*out = r.stmt;
	return err->kind;
}

bool parse_reads(void *unused, struct str query)
{
	const struct parse_limits l = {
		.text_bytes = query.n, .nesting = 20, .any_value = true};
	struct arena a;
	struct err err = {0};
	struct stmt *stmt;
	int rc;

	(void)unused;
	arena_init(&a, 1 << 20);
	rc = parse_text(query, &l, &a, &stmt, &err);
	arena_free(&a);
	return rc == 0;
}

bool parse_goes_on(struct str text, const struct parse_limits *l, struct arena *a)
{
	struct err err = {0};
	struct reading r = {.stmt = NULL};

	return run(&r, read_text, text, l, a, &err) && r.p.at_end &&
	       (r.p.open || r.p.joins);
}

/* After a mistake: skip the rest of its statement, or of its stage. */
static void skip_stmt(struct parser *p, bool stage)
{
	for (;;) {
		struct token t = parse_peek(p, PLACE_WORD);

		if (t.kind == TOK_END || t.kind == TOK_NEWLINE || t.kind == ';' ||
		    (stage && t.kind == '|'))
			return;
		t.len = t.len ? t.len : 1;
		parse_eat(p, &t);
		p->open += t.kind == '(';
		p->open -= t.kind == ')' && p->open;
		if (t.kind == '!') /* a command of the shell: the rest of the line */
			p->pos = t.at + str_find(str_from(p->text, t.at), '\n');
	}
}

int parse_next(struct str text, size_t *pos, const struct parse_limits *l,
	       struct arena *a, struct stmt **out, struct err *err)
{
	struct reading r = {.stmt = NULL};

	if (parse_start(&r.p, text, l, a, err)) {
		*out = NULL;
		*pos = text.n;
		return err->kind;
	}
	r.p.pos = *pos;
	if (find_stmt(&r.p, &r.first) && map_guard(read_stmt, &r, ERR_INDEX, err)) {
		if (r.p.pos <= r.first.at)
			r.p.pos = r.first.at;
		skip_stmt(&r.p, false);
	}
	*out = r.stmt;
	*pos = r.p.pos;
	return err->kind;
}

void parse_expected(struct str text, const struct parse_limits *l, struct arena *a,
		    struct query_context *out)
{
	struct reading r = {.stmt = NULL};
	struct parser *p = &r.p;

	out->word_at = text.n;
	for (size_t at = 0;; at = p->pos) {
		struct err err = {0};

		if (parse_start(p, text, l, a, &err))
			return;
		p->pos = at;
		p->expected = out;
		if (!find_stmt(p, &r.first))
			break;
		if (r.first.kind != '|') { /* else it goes on after a mistake */
			out->source = NULL;
			out->vs = false;
		}
		if (map_guard(read_stmt, &r, ERR_INDEX, &err) && !p->at_end) {
			if (token_at(p->text, p->pos, PLACE_OPERAND).kind == TOK_BAD)
				return;
			skip_stmt(p, true);
		}
		if (p->at_end)
			return;
	}
	out->want = WANT_VERB | WANT_STAGE;
}

static void all_read(struct parser *p)
{
	struct token t = parse_peek(p, PLACE_WORD);

	if (t.kind == TOK_END)
		return;
	if (t.kind == TOK_BAD)
		parse_bad(p, &t);
	parse_fail(p, token_span(&t), "this is not expected here");
}

static int read_gstage(void *arg)
{
	struct reading *r = arg;
	struct token t = parse_peek(&r->p, PLACE_WORD);

	if (!parse_is_gstage(&r->p, &t) && !token_is(&t, "contexts")) {
		parse_wrong(&r->p, token_span(&t), "a graph stage is missing here");
		need_hint(r->p.err, "focus, ignore, hide, collapse, contexts, whole, "
				    "with inlined, cut, in, part or thread");
	}
	r->gstage = parse_gstage(&r->p);
	all_read(&r->p);
	return 0;
}

int parse_gstage_text(struct str text, const struct parse_limits *l, struct arena *a,
		      struct gstage **out, struct err *err)
{
	struct reading r = {.gstage = NULL};

	if (!run(&r, read_gstage, text, l, a, err))
		*out = r.gstage;
	return err->kind;
}

static int read_expr(void *arg)
{
	struct reading *r = arg;

	r->expr = parse_expr(&r->p, BP_ANY);
	all_read(&r->p);
	return 0;
}

int parse_expr_text(struct str text, const struct parse_limits *l, struct arena *a,
		    struct expr **out, struct err *err)
{
	struct reading r = {.expr = NULL};

	if (!run(&r, read_expr, text, l, a, err))
		*out = r.expr;
	return err->kind;
}

static int read_set(void *arg)
{
	struct reading *r = arg;

	r->set = parse_set(&r->p, "$");
	all_read(&r->p);
	return 0;
}

int parse_set_text(struct str text, const struct parse_limits *l, struct arena *a,
		   struct set **out, struct err *err)
{
	struct reading r = {.set = NULL};

	if (!run(&r, read_set, text, l, a, err))
		*out = r.set;
	return err->kind;
}
