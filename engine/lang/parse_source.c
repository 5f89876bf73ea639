/*
 * parse_source.c - sources: a verb, then its clauses in any order.
 *
 * The table in keywords.c lists the clauses of each verb.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/lang/parse_stage.h"
#include "engine/lang/check_names.h"
#include "engine/lang/habits.h"
#include "engine/lang/keywords.h"
#include "index/base/arena.h"
#include "index/base/err.h"

static bool word_in(struct str w, const char *const *list)
{
	for (; *list; list++)
		if (token_same(w, *list))
			return true;
	return false;
}

/* The rest of the statement that begins at t. */
static struct str rest_of_line(const struct parser *p, const struct token *t,
			       const char *ends)
{
	struct str s = str_from(p->text, t->at);
	size_t n = 0;

	while (n < s.n && !strchr(ends, s.p[n]))
		n++;
	return str_trim((struct str){s.p, n});
}

/* "obj:libc.so.6" alone: a library, file or class has rows, but no card. */
static bool parse_set_alone(struct parser *p, const struct token *t)
{
	static const struct {
		const char *word, *source;
	} kinds[] = {{"obj", "objects"}, {"file", "files"}, {"class", "classes"}};
	const struct str rest = rest_of_line(p, t, "\n;|>");

	if (rest.n <= t->len + 1 || rest.p[t->len] != ':' || rest.n > 200)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (token_is(t, kinds[i].word)) {
			parse_fail(p, token_span(t), "a set of functions is no query");
			err_hint(p->err, "here that is: %s of %.*s", kinds[i].source,
				 STR_ARG(rest));
			return true;
		}
	return false;
}

/* where change = new: only a comparison has these columns. */
static bool of_comparison(struct str s)
{
	return str_find_str(s, STR("change")) < s.n ||
	       str_find_str(s, STR("delta")) < s.n;
}

/* count functions: the source comes first. */
static int stage_first(struct parser *p, const struct token *t,
		       const struct stage_word *stage)
{
	const struct str rest = rest_of_line(p, t, "\n;");
	const struct str behind = str_trim(str_from(rest, t->len));
	const struct token word = token_at(behind, 0, PLACE_WORD);
	const bool shapes = stage->kind != T_SORT && stage->kind != T_WHERE &&
			    stage->kind != T_GROUP && stage->kind != T_ADD;

	parse_fail(p, token_span(t), "'%s' shapes a table: a source must come before it",
		   stage->word);
	if (shapes && word.kind == TOK_WORD && verb_find(word.text) &&
	    (parse_here(p, "%.*s | %s", STR_ARG(behind), stage->word) ||
	     parse_here(p, "%.*s", STR_ARG(behind))))
		return p->err->kind;
	if (behind.n && ((of_comparison(behind) &&
			  parse_here(p, "functions vs base | %.*s", STR_ARG(rest))) ||
			 parse_here(p, "functions | %.*s", STR_ARG(rest))))
		return p->err->kind;
	return err_hint(p->err, "functions | %s", stage->form);
}

static int unknown_verb(struct parser *p, const struct token *t)
{
	const struct token after = token_at(p->text, t->at + t->len, PLACE_WORD);
	const struct str rest = rest_of_line(p, t, "\n;");
	const struct stage_word *stage = stage_find(t->text);
	char form[HABIT_MAX];
	const char *near, *q;

	if (t->kind == TOK_BAD)
		return parse_bad(p, t);
	q = t->kind == TOK_WORD ? habit_query(rest_of_line(p, t, "\n"), parse_reads, form)
				: NULL;
	if (q) {
		if (token_is(t, "select") || token_is(t, "from"))
			parse_fail(p, token_span(t), "this looks like SQL");
		else
			parse_fail(p, token_span(t), "'%.*s' is a word of another tool",
				   STR_ARG(t->text));
		return err_hint(p->err, "here that is: %s", q);
	}
	if (t->kind == '!' || t->kind == TOK_NE) {
		parse_fail(p, token_span(t), "a command of the shell needs an answer");
		return err_hint(p->err, "it stands after a query: top 20 ! less");
	}
	if (t->kind != TOK_WORD) {
		parse_fail(p, token_span(t), "a source is missing here");
		return err_hint(
			p->err,
			"start with top, functions, callers of, path from ... to");
	}
	if (stage && !stage->graph)
		return stage_first(p, t, stage);
	if (parse_set_alone(p, t))
		return p->err->kind;
	if (after.kind == TOK_ARROW) {
		parse_fail(p, token_span(t), "a path begins with 'path'");
		if (!parse_here(p, "path %.*s", STR_ARG(rest)))
			err_hint(p->err, "path main -> malloc");
		return p->err->kind;
	}
	parse_fail(p, token_span(t), "no source or stage is called '%.*s'",
		   STR_ARG(t->text));
	if (token_is(&after, "vs") && parse_here(p, "info %.*s", STR_ARG(rest)))
		return p->err->kind;
	near = nearest_verb(t->text);
	if (near)
		return err_hint(p->err, "did you mean '%s'?", near);
	return err_hint(p->err,
			"start with top, functions, callers of, path from ... to");
}

int parse_count(struct parser *p, const char *after, uint64_t *out)
{
	struct token t = parse_number(p);

	if (t.kind == TOK_BAD)
		return parse_bad(p, &t);
	if (t.kind != TOK_NUMBER || !t.integral || t.percent || t.unit.kind)
		return parse_fail(p, token_span(&t), "'%s' needs a whole number", after);
	parse_eat(p, &t);
	*out = t.whole;
	return 0;
}

static int clause_set(struct parser *p, struct set **to, const char *word, struct span at)
{
	if (*to)
		return parse_fail(p, at,
				  "'%s' is given twice; join the sets with 'or' or 'and'",
				  word);
	return parse_set(p, word, to);
}

static int clause_depth(struct parser *p, struct source *s)
{
	s->has_depth = true;
	if (parse_accept_word(p, "all")) {
		s->depth_all = true;
		return 0;
	}
	if (parse_count(p, "depth", &s->depth))
		return err_hint(p->err, "write depth 3 or depth all");
	return 0;
}

static int clause_min(struct parser *p, struct source *s)
{
	struct token t = parse_number(p);

	if (t.kind != TOK_NUMBER) {
		if (t.kind == TOK_BAD)
			return parse_bad(p, &t);
		parse_fail(p, token_span(&t), "'min' needs a cost or a percentage");
		return err_hint(p->err, "write min 1%% or min 5M");
	}
	parse_eat(p, &t);
	s->has_min = true;
	s->min = t.number;
	s->min_unit = t.unit;
	s->min_span = token_span(&t);
	s->min_percent = t.percent;
	return 0;
}

/* part 3, thread 1-4: both ends of a comparison may be parts. */
static bool is_parts(struct parser *p)
{
	const struct parser before = *p;
	const struct token word = parse_peek(p, PLACE_WORD);
	bool is = token_is(&word, "part") || token_is(&word, "thread");

	if (is) {
		parse_eat(p, &word);
		is = parse_peek(p, PLACE_WORD).kind == TOK_NUMBER;
	}
	*p = before;
	return is;
}

/* vs A, B, C: B and C have a column each. */
static int clause_also(struct parser *p, struct source *s)
{
	for (struct also **next = &s->also;; next = &(*next)->next) {
		const struct token comma = parse_peek(p, PLACE_WORD);
		size_t at;

		if (comma.kind != ',')
			return 0;
		parse_eat(p, &comma);
		at = parse_peek(p, PLACE_NAME).at;
		if (!(*next = ARENA_NEW(p->a, struct also)))
			return arena_full(p->a, p->err);
		if (parse_name(p, "the name of one more profile", &(*next)->name))
			return p->err->kind;
		(*next)->span = span_to(at, p);
	}
}

/* functions vs thread 1, thread 2: a source sees one side, and the other stands behind
 * `vs`. */
static int both_sides(struct parser *p, const struct source *s, size_t at, size_t vs)
{
	const struct token t = parse_peek(p, PLACE_WORD);
	const struct str one = str_trim((struct str){p->text.p + at, t.at - at});

	if (!token_is(&t, "thread") && !token_is(&t, "part"))
		return p->err->kind;
	err_clear(p->err);
	parse_fail(p, token_span(&t),
		   "one side of a comparison stands before the source");
	parse_here(p, "%.*s | %.*s %.*s", (int)(one.n ? one.n - 1 : 0), one.p,
		   (int)(vs - s->span.at), p->text.p + s->span.at,
		   STR_ARG(rest_of_line(p, &t, "\n;|>")));
	return p->err->kind;
}

/* vs PROFILE, vs part 2, vs PROFILE part 2 */
static int clause_vs(struct parser *p, struct source *s)
{
	const size_t at = parse_peek(p, PLACE_WORD).at, vs = p->pos;

	s->vs_span = token_span(&(struct token){.at = p->pos});
	if (!is_parts(p)) {
		if (parse_name(p, "the other profile's name", &s->vs_profile))
			return p->err->kind;
		s->vs = s->vs_profile;
	}
	s->vs_span = span_to(at, p);
	if (!is_parts(p))
		return s->vs.n ? clause_also(p, s) : 0;
	if (parse_gstage(p, &s->vs_parts))
		return both_sides(p, s, at, vs);
	s->vs_span = span_to(at, p);
	s->vs = (struct str){p->text.p + s->vs_span.at, s->vs_span.len};
	return 0;
}

static int parse_clause(struct parser *p, struct source *s, const struct token *t)
{
	static const struct {
		const char *word;
		size_t at; /* offset of the set in struct source */
	} sets[] = {
		{"of", offsetof(struct source, of)},
		{"from", offsetof(struct source, from)},
		{"to", offsetof(struct source, to)},
		{"under", offsetof(struct source, under)},
		{"via", offsetof(struct source, via)},
		{"avoiding", offsetof(struct source, avoiding)},
	};

	parse_eat(p, t);
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		if (token_is(t, sets[i].word))
			return clause_set(p,
					  (struct set **)(void *)((char *)s + sets[i].at),
					  sets[i].word, token_span(t));
	if (token_is(t, "by") && s->by)
		return parse_fail(p, token_span(t), "'by' is given twice");
	if (token_is(t, "by"))
		return parse_expr(p, BP_NO_COMPARE, &s->by);
	if (token_is(t, "depth"))
		return clause_depth(p, s);
	if (token_is(t, "min"))
		return clause_min(p, s);
	if (token_is(t, "max")) {
		s->has_max = true;
		return parse_count(p, "max", &s->max);
	}
	return clause_vs(p, s);
}

static int parse_clauses(struct parser *p, struct source *s, const struct verb *v)
{
	const struct clause_word *c;

	for (;;) {
		struct token t = parse_peek(p, PLACE_WORD);

		if (t.kind == TOK_ARROW && s->kind == S_PATH && s->from && !s->to) {
			parse_eat(p, &t);
			if (clause_set(p, &s->to, "->", token_span(&t)))
				return p->err->kind;
			continue;
		}
		c = t.kind == TOK_WORD ? clause_find(t.text) : NULL;
		if (!c)
			return 0;
		if (!((unsigned)c->bit & v->clauses)) {
			parse_fail(p, token_span(&t), "'%s' takes no '%.*s'", v->word,
				   STR_ARG(t.text));
			return err_hint(p->err, "its form: %s",
					s->kind == S_THREADS && c->bit == C_OF
						? "parts of NAME | group by thread"
						: v->form);
		}
		if (parse_clause(p, s, &t))
			return p->err->kind;
	}
}

/* callers X, path A -> B: the clause words may be omitted. */
static int parse_short(struct parser *p, struct source *s)
{
	struct token t = parse_peek(p, PLACE_NAME);
	bool operand =
		t.kind == TOK_STRING || t.kind == TOK_REGEX || t.kind == TOK_FIELD ||
		t.kind == '#' || t.kind == '$' || t.kind == '(' || t.kind == TOK_BAD ||
		(t.kind == TOK_WORD && (!is_reserved(t.text) || token_is(&t, "not")));

	if (!operand)
		return 0;
	return parse_set(p, s->kind == S_PATH ? "path" : "of",
			 s->kind == S_PATH ? &s->from : &s->of);
}

static int missing(struct parser *p, const struct verb *v, struct span at,
		   const char *word, const char *example)
{
	parse_fail(p, at, "'%s' needs '%s' and a function", v->word, word);
	return err_hint(p->err, "%s", example);
}

/* The text of the source, as far as it is parsed. */
static struct str source_text(const struct parser *p, const struct source *s)
{
	return str_trim((struct str){p->text.p + s->span.at, p->pos - s->span.at});
}

static int check_needed(struct parser *p, const struct source *s, const struct verb *v)
{
	struct token t = parse_peek(p, PLACE_WORD);
	struct span at = s->span;

	if ((v->clauses & C_NEEDS_OF) && !s->of) {
		if (t.kind == TOK_WORD || t.kind == TOK_STRING) {
			parse_fail(p, token_span(&t), "'of' is missing before this name");
			return err_hint(p->err, "its form: %s", v->form);
		}
		parse_fail(p, at, "'%s' needs 'of' and a function", v->word);
		if (s->kind == S_FIND ? parse_here(p, "find malloc")
				      : parse_here(p, "%s of malloc%.*s", v->word,
						   STR_ARG(str_from(source_text(p, s),
								    strlen(v->word)))))
			return p->err->kind;
		return err_hint(p->err, "%s", v->form);
	}
	if (s->kind == S_CALLTREE && !s->from && !s->to &&
	    (t.kind == TOK_STRING || t.kind == TOK_REGEX || t.kind == '#' ||
	     (t.kind == TOK_WORD && !is_clause_word(t.text) && !stage_find(t.text))))
		return missing(p, v, at, "from",
			       "calltree from main, or calltree to malloc");
	if (s->kind == S_CALLTREE && s->from && s->to) {
		parse_fail(p, at,
			   "'calltree' goes from functions or to functions, not both");
		return err_hint(p->err, "for the ways between them: paths from A to B");
	}
	if (s->kind != S_CALLTREE && s->of && (s->from || s->to)) {
		parse_fail(p, at, "'%s' takes 'of', or 'from' and 'to', not both",
			   v->word);
		return err_hint(p->err, "%s from main to malloc", v->word);
	}
	if (s->kind == S_PATH && !s->from)
		return missing(p, v, at, "from", "path from main to malloc");
	if (s->kind == S_PATH && !s->to)
		return missing(p, v, at, "to", "path from main to malloc");
	return 0;
}

static int parse_top(struct parser *p, struct source *s, const struct verb **v)
{
	struct token t = parse_number(p);
	const struct verb *unit;
	const char *near, *other;
	struct str rest;

	s->top = true;
	if (t.kind == TOK_NUMBER) {
		s->has_n = true;
		if (parse_count(p, "top", &s->n))
			return p->err->kind;
		t = parse_peek(p, PLACE_WORD);
	}
	unit = t.kind == TOK_WORD ? verb_find(t.text) : NULL;
	if (t.kind != TOK_WORD || is_clause_word(t.text) || (stage_find(t.text) && !unit))
		return 0;
	if (!unit || !(unit->clauses & C_UNIT) || token_is(&t, "top")) {
		parse_fail(p, token_span(&t), "'top' ranks no '%.*s'", STR_ARG(t.text));
		rest = str_from(rest_of_line(p, &t, "\n;"), t.len);
		if ((other = habit_top(t.text)) &&
		    (s->has_n ? parse_here(p, "top %" PRIu64 " %s%.*s", s->n, other,
					   STR_ARG(rest))
			      : parse_here(p, "top %s%.*s", other, STR_ARG(rest))))
			return p->err->kind;
		if (!unit && (near = nearest_unit(t.text)))
			return err_hint(p->err, "did you mean '%s'?", near);
		if (!unit && parse_here(p, "info %.*s", STR_ARG(t.text)))
			return p->err->kind;
		return err_hint(p->err, "its form: %s", (*v)->form);
	}
	parse_eat(p, &t);
	s->kind = unit->kind;
	*v = unit;
	return 0;
}

static int parse_path_kind(struct parser *p, struct source *s, struct token *t)
{
	for (unsigned i = 0; path_words[i]; i++)
		if (token_is(t, path_words[i]))
			s->path = (enum path_kind)i;
	parse_eat(p, t);
	if (parse_number(p).kind == TOK_NUMBER) {
		s->has_n = true;
		if (parse_count(p, path_words[s->path], &s->n))
			return p->err->kind;
	}
	*t = parse_peek(p, PLACE_WORD);
	if (token_is(t, "path") || token_is(t, "paths"))
		return 0;
	parse_fail(p, token_span(t), "'path' is missing after '%s'", path_words[s->path]);
	return err_hint(p->err, "%s path from main to malloc", path_words[s->path]);
}

/* Is all of the source one name, which is no word of the language? */
static bool is_lone_name(struct parser *p)
{
	struct token t = parse_peek(p, PLACE_NAME), after;
	const struct stage_word *stage = t.kind == TOK_WORD ? stage_find(t.text) : NULL;
	bool number = parse_peek(p, PLACE_WORD).kind == TOK_NUMBER;
	size_t end = t.at + t.len;

	if (number && !str_starts(t.text, STR("0x")))
		return false;
	if (t.kind == '#' || t.kind == '$') {
		after = token_at(p->text, end, PLACE_WORD);
		end = after.at + after.len;
	} else if (t.kind != TOK_STRING && t.kind != TOK_REGEX &&
		   (t.kind != TOK_WORD || stage || is_reserved(t.text))) {
		return false;
	}
	after = token_at(p->text, end, PLACE_WORD);
	return after.kind == TOK_END || after.kind == TOK_NEWLINE || after.kind == ';' ||
	       after.kind == '|' || after.kind == '>';
}

/* info functions, info functions TEXT */
static bool is_of_gdb(const struct parser *p, const struct token *t)
{
	struct token next = token_at(p->text, t->at + t->len, PLACE_WORD);

	return token_is(&next, "functions");
}

/* A name alone shows the function. */
static int parse_lone(struct parser *p, struct source *s)
{
	const size_t at = parse_peek(p, PLACE_NAME).at;

	s->kind = S_INFO;
	s->lone = true;
	if (parse_set(p, "of", &s->of))
		return p->err->kind;
	s->span = span_to(at, p);
	return 0;
}

int parse_lone_unknown(struct str text, const struct source *s, struct err *err)
{
	static const struct parse_limits none = {0};
	const struct err no_function = *err;
	struct parser p = {.text = text, .pos = s->span.at, .limits = &none, .err = err};
	struct token t = parse_peek(&p, PLACE_WORD);

	if (t.kind != TOK_WORD)
		return err->kind;
	err_clear(err);
	/* shop::parse is more than the word shop */
	if (!str_starts(str_from(text, t.at + t.len), STR("::")))
		unknown_verb(&p, &t);
	if (err->kind && !str_starts(str_c(err->hint), STR("start with")))
		return err->kind;
	err_clear(err);
	parse_fail(&p, s->span, "no function, source or stage is called '%.*s'",
		   (int)(s->span.len & 1023), text.p + s->span.at);
	return err_hint(
		err, "%s",
		no_function.hint[0]
			? no_function.hint
			: "start with top, functions, callers of, path from ... to");
}

int parse_source(struct parser *p, struct source *s)
{
	struct token t = parse_peek(p, PLACE_WORD);
	const struct verb *v;

	if (t.kind == TOK_WORD && word_in(t.text, path_words) &&
	    parse_path_kind(p, s, &t))
		return p->err->kind;
	v = t.kind == TOK_WORD ? verb_find(t.text) : NULL;
	if (v && v->kind == S_INFO && is_of_gdb(p, &t))
		return unknown_verb(p, &t);
	if (!v)
		return is_lone_name(p) ? parse_lone(p, s) : unknown_verb(p, &t);
	parse_eat(p, &t);
	s->kind = v->kind;
	s->span = token_span(&t);
	if (token_is(&t, "top") && parse_top(p, s, &v))
		return p->err->kind;
	if (((v->clauses & C_SHORT) && parse_short(p, s)) || parse_clauses(p, s, v))
		return p->err->kind;
	return check_needed(p, s, v);
}

/* Is it the comma in 1,000? */
static bool behind_number(const struct parser *p, const struct token *t)
{
	return t->kind == ',' && t->at > 0 && t->at + 1 < p->text.n &&
	       p->text.p[t->at - 1] >= '0' && p->text.p[t->at - 1] <= '9' &&
	       p->text.p[t->at + 1] >= '0' && p->text.p[t->at + 1] <= '9';
}

/* Is it a word after a stage that is a list of columns? */
static bool in_list(const struct tstage *s, const struct token *t)
{
	return t->kind == TOK_WORD &&
	       (s->kind == T_SHOW || s->kind == T_SORT || s->kind == T_GROUP);
}

/* The word that ends before t; empty: none does. */
static struct str word_before(const struct parser *p, const struct token *t)
{
	const struct str s = str_trim((struct str){p->text.p, t->at});
	size_t n = 0;

	while (n < s.n && token_is_word_byte(s.p[s.n - n - 1]))
		n++;
	return str_from(s, s.n - n);
}

/* Report a token that cannot follow a source, if we can guess what the user meant; else
 * return 0. */
static int unexpected_in_source(struct parser *p, const struct source *src,
				const struct verb *v, const struct token *t)
{
	static const char *const named[] = {"like",    "named", "called", "matching",
					    "matches", "in",	NULL};
	static const char *const first[] = {"head", "limit", "first", NULL};
	const char *other;
	struct str rest;

	if (src->of && t->kind == TOK_NUMBER &&
	    (str_eq(word_before(p, t), STR("thread")) ||
	     str_eq(word_before(p, t), STR("part")))) {
		const struct str stage = word_before(p, t);

		parse_fail(p, token_span(t), "'%.*s N' stands before the source",
			   STR_ARG(stage));
		return err_hint(p->err,
				src->has_n ? "%.*s %.*s | %s %" PRIu64 : "%.*s %.*s | %s",
				STR_ARG(stage), (int)token_span(t).len, p->text.p + t->at,
				src->top ? "top" : v->word, src->n);
	}
	if (t->kind == TOK_NUMBER && src->top && !src->has_n) {
		parse_fail(p, token_span(t), "the number of rows comes after 'top'");
		return err_hint(p->err, "top %.*s %s", (int)t->len, p->text.p + t->at,
				v->word);
	}
	if (src->top && src->by && (token_is(t, "desc") || token_is(t, "asc"))) {
		const struct str before = {p->text.p + src->span.at,
					   t->at - src->span.at};

		parse_fail(p, token_span(t), "'top' has the costliest first");
		if (!token_is(t, "desc") ||
		    !parse_here(p, "%.*s", STR_ARG(str_trim(before))))
			err_hint(p->err, "the other order: functions | sort self asc");
		return p->err->kind;
	}
	if (src->by && t->kind == TOK_WORD &&
	    (other = habit_rate(rest_of_line(p, &(struct token){.at = src->by->span.at},
					     "\n;|>")))) {
		parse_fail(p, token_span(t),
			   "'by' takes an event, a column or a formula");
		return err_hint(p->err, "here that is: %s", other);
	}
	if (src->of && t->kind == '+') {
		parse_fail(p, token_span(t), "sets of functions are joined by 'or'");
		parse_here(p, "%.*s or%.*s", STR_ARG(source_text(p, src)),
			   STR_ARG(str_from(rest_of_line(p, t, "\n;"), 1)));
		return p->err->kind;
	}
	if (t->kind == '-' && src->top) { /* of pprof */
		parse_fail(p, token_span(t), "'top' takes no options");
		return err_hint(p->err, "by inclusive cost: top by incl");
	}
	if ((v->clauses & C_UNIT) && token_is(t, "top")) {
		parse_fail(p, token_span(t), "'top' stands before what it ranks");
		return err_hint(p->err, "top 10 %s, or %s | take 10", v->word, v->word);
	}
	if ((v->clauses & C_OF) && !src->of &&
	    (t->kind == TOK_WORD || t->kind == TOK_STRING || t->kind == '/' ||
	     t->kind == '#' || t->kind == '*')) {
		parse_fail(p, token_span(t), "'of' is missing before this name");
		if (src->kind == S_WHY)
			return err_hint(p->err,
					"'of' for causes in it, 'under' for it with "
					"all below it");
		rest = rest_of_line(p, t, "\n;");
		if (word_in(t->text, first) &&
		    parse_here(p, "%.*s | take %.*s", STR_ARG(source_text(p, src)),
			       STR_ARG(str_trim(str_from(rest, t->len)))))
			return p->err->kind;
		if (word_in(t->text, named))
			rest = str_trim(str_from(rest, t->len));
		if (parse_here(p, "%.*s of %.*s", STR_ARG(source_text(p, src)),
			       STR_ARG(rest)) ||
		    parse_here(p, "%.*s of %.*s", STR_ARG(source_text(p, src)),
			       (int)str_trim((struct str){rest.p, str_find(rest, '|')}).n,
			       rest.p))
			return p->err->kind;
		return err_hint(p->err, "its form: %s",
				src->top ? verbs[0].form : v->form);
	}
	if (src->of && t->kind == TOK_WORD) {
		parse_fail(p, token_span(t),
			   "this word is not part of the name before it");
		return err_hint(
			p->err,
			"a name with blanks needs double quotes; stages need '|'");
	}
	return 0;
}

/* sum self: columns are added up by sum(self), after "group by". */
static int columns_of_sum(struct parser *p, const struct source *src,
			  const struct tstage *last, const struct token *t)
{
	const struct str agg = word_before(p, t);
	struct token column = *t;
	struct str call;

	if (!is_aggregate(agg) ||
	    (last->kind != T_GROUP && last->kind != T_SUM && last->kind != T_COUNT))
		return 0;
	if (t->kind == '(')
		column = token_at(p->text, t->at + 1, PLACE_WORD);
	if (column.kind != TOK_WORD)
		column.text = STR("self");
	if (str_eq(agg, STR("count")))
		column.text = STR("");
	call = arena_printf(p->a, column.text.n ? "%.*s(%.*s)" : "%.*s", STR_ARG(agg),
			    STR_ARG(column.text));
	if (!call.p)
		return arena_full(p->a, p->err);
	if (last->kind == T_GROUP) {
		parse_fail(p, token_span(t),
			   column.text.n ? "the column of '%.*s' stands in brackets"
					 : "'%.*s' counts rows and takes no column",
			   STR_ARG(agg));
		return err_hint(p->err,
				last->aggs && column.text.n ? "%.*s"
							    : "group by COLUMN: %.*s",
				STR_ARG(call));
	}
	parse_fail(p, token_span(t), "the stage '%.*s' takes no columns", STR_ARG(agg));
	/* Inclusive costs do not add up. */
	if (src->of && str_eq(column.text, STR("incl")) &&
	    parse_here(p, "cost of %.*s", (int)src->of->span.len,
		       p->text.p + src->of->span.at))
		return p->err->kind;
	return column.text.n
		       ? err_hint(p->err,
				  "%.*s stands after 'group by': group by \"all\": %.*s",
				  STR_ARG(call), STR_ARG(call))
		       : err_hint(p->err,
				  "more columns: group by \"all\": count, sum(self)");
}

/* The same for a token that cannot follow a table stage. */
static int unexpected_in_stage(struct parser *p, const struct source *src,
			       const struct tstage *stages, const struct token *t)
{
	const struct tstage *last = stages;

	while (last->next)
		last = last->next;
	if (token_is(t, "vs")) {
		parse_fail(p, token_span(t), "'vs' comes after the source");
		return err_hint(p->err, "before the first '|': functions vs base | ...");
	}
	if (behind_number(p, t)) {
		parse_fail(p, token_span(t), "a number is written without commas");
		return err_hint(p->err, "write 1000 or 1k");
	}
	if (token_is(t, "like") || token_is(t, "contains") || token_is(t, "matches")) {
		parse_fail(p, token_span(t), "'%.*s' is not an operator here",
			   STR_ARG(t->text));
		return err_hint(p->err, "fn ~ \"text\", or fn ~ /a regular expression/");
	}
	if (t->kind == ':' && str_ends((struct str){p->text.p, t->at}, STR("file"))) {
		parse_fail(p, token_span(t), "file and line are two columns");
		return err_hint(
			p->err,
			"show file, line; where file = \"parser.c\" and line > 10");
	}
	if (token_is(t, "between")) {
		parse_fail(p, token_span(t), "'between' is not an operator here");
		return err_hint(p->err, "self > 1k and self < 1M");
	}
	if (columns_of_sum(p, src, last, t))
		return p->err->kind;
	if (in_list(last, t)) {
		parse_fail(p, token_span(t), "a ',' or '|' is missing before this");
		return err_hint(p->err, "columns are separated by commas: show fn, self");
	}
	return 0;
}

int parse_unexpected(struct parser *p, const struct stmt *s, const struct token *t)
{
	const struct verb *v = s->is_let ? NULL : verb_of_kind(s->query.source.kind);
	const struct source *src = &s->query.source;
	char form[HABIT_MAX];
	const char *other;
	int said = 0;

	if (t->kind == ')')
		return parse_fail(p, token_span(t), "this ')' closes nothing");
	if (v && t->kind == TOK_WORD && stage_find(t->text) &&
	    !stage_find(t->text)->graph) {
		const struct str before = {p->text.p + src->span.at,
					   t->at - src->span.at};

		parse_fail(p, token_span(t), "a '|' is missing before '%.*s'",
			   STR_ARG(t->text));
		if (!parse_here(p, "%.*s | %.*s", STR_ARG(str_trim(before)),
				STR_ARG(rest_of_line(p, t, "\n;"))))
			err_hint(p->err, "stages are joined by '|'");
		return p->err->kind;
	}
	if (v && t->kind == TOK_ARROW && src->kind == S_PATH) {
		parse_fail(p, token_span(t), "a path has two ends");
		return err_hint(p->err, "path A -> C via B");
	}
	if (v && (v->kind == S_PARTS || v->kind == S_THREADS) &&
	    (other = habit_portion(parse_line(p, src->span.at), parse_reads, form))) {
		parse_fail(p, token_span(t), "'%s' lists all of them", v->word);
		return err_hint(p->err, "here that is: %s", other);
	}
	if (v)
		said = s->query.tstages ? unexpected_in_stage(p, src, s->query.tstages, t)
					: unexpected_in_source(p, src, v, t);
	return said ? said : parse_fail(p, token_span(t), "this is not expected here");
}
