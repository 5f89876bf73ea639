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
#include "index/base/need.h"

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

/* Say in p->err why the word cannot stand here. */
static int name_unknown(struct parser *p, const struct token *t)
{
	const struct stage_word *stage = stage_find(t->text);
	char form[HABIT_MAX];
	const char *near, *q;

	if (stage && !stage->graph) {
		parse_wrong(p, token_span(t),
			    "'%s' shapes a table: a source must come before it",
			    stage->word);
		return err_hint(p->err, "functions | %s", stage->form);
	}
	/* Whoever asks whether a text parses wants no hints. */
	q = t->kind == TOK_WORD && !p->limits.any_value
		    ? habit_query(rest_of_line(p, t, "\n"), parse_reads, NULL, form)
		    : NULL;
	/* Of a name alone those who know the profile know more. */
	if (q && !str_ends(str_c(q), rest_of_line(p, t, "\n"))) {
		if (token_is(t, "select") || token_is(t, "from"))
			parse_wrong(p, token_span(t), "this looks like SQL");
		else
			parse_wrong(p, token_span(t), "no query begins with '%.*s'",
				    STR_ARG(t->text));
		return err_hint(p->err, "%s%s", habit_lead(q) ? "" : "here that is: ", q);
	}
	if (t->kind == '!' || t->kind == TOK_NE) {
		parse_wrong(p, token_span(t), "a command of the shell needs an answer");
		return err_hint(p->err, "it stands after a query: top 20 ! less");
	}
	if (t->kind != TOK_WORD) {
		parse_wrong(p, token_span(t), "a source is missing here");
		return err_hint(
			p->err,
			"start with top, functions, callers of, path from ... to");
	}
	near = nearest_verb(t->text);
	if (near && token_is(t, near)) {
		parse_wrong(p, token_span(t), "what follows '%s' is of no stage", near);
		return err_hint(p->err, ".help filters has the forms of all stages");
	}
	parse_wrong(p, token_span(t), "no source or stage is called '%.*s'",
		    STR_ARG(t->text));
	if (near)
		return err_hint(p->err, "did you mean '%s'?", near);
	return err_hint(p->err,
			"start with top, functions, callers of, path from ... to");
}

_Noreturn static void unknown_verb(struct parser *p, const struct token *t)
{
	if (t->kind == TOK_BAD)
		parse_bad(p, t);
	name_unknown(p, t);
	map_leave(p->err);
}

uint64_t parse_count(struct parser *p, const char *after, const char *hint)
{
	struct token t = parse_number(p);

	if (t.kind == TOK_BAD)
		parse_bad(p, &t);
	if (t.kind != TOK_NUMBER || !t.integral || t.percent || t.unit.kind) {
		parse_wrong(p, token_span(&t), "'%s' needs a whole number", after);
		need_hint(p->err, "%s", hint);
	}
	parse_eat(p, &t);
	return t.whole;
}

static void clause_set(struct parser *p, struct set **to, const char *word,
		       struct span at)
{
	if (*to)
		parse_fail(p, at, "'%s' is given twice; join the sets with 'or' or 'and'",
			   word);
	*to = parse_set(p, word);
}

static void clause_depth(struct parser *p, struct source *s)
{
	s->has_depth = true;
	if (parse_accept_word(p, "all")) {
		s->depth_all = true;
		return;
	}
	s->depth = parse_count(p, "depth", "write depth 3 or depth all");
}

static void clause_min(struct parser *p, struct source *s)
{
	struct token t = parse_number(p);

	if (t.kind != TOK_NUMBER) {
		if (t.kind == TOK_BAD)
			parse_bad(p, &t);
		parse_wrong(p, token_span(&t), "'min' needs a cost or a percentage");
		need_hint(p->err, "write min 1%% or min 5M");
	}
	parse_eat(p, &t);
	s->has_min = true;
	s->min = t.number;
	s->min_unit = t.unit;
	s->min_span = token_span(&t);
	s->min_percent = t.percent;
}

static void clause_by(struct parser *p, struct source *s)
{
	p->unwanted = s->top ? 0 : WANT_COLUMN;
	s->by = parse_expr(p, BP_NO_COMPARE);
	p->unwanted = 0;
}

/* part 3, thread 1-4: both ends of a comparison may be parts. */
static bool is_parts(struct parser *p)
{
	const struct parser before = *p;
	const struct token word = parse_peek(p, PLACE_WORD);
	bool is = token_is(&word, "part") || token_is(&word, "thread");

	if (parse_is_gstage(p, &word) &&
	    (token_is(&word, "activation") || token_is(&word, "slowest") ||
	     token_is(&word, "usual") || token_is(&word, "between")))
		return true;
	if (is) {
		parse_eat(p, &word);
		is = parse_peek(p, PLACE_WORD).kind == TOK_NUMBER;
	}
	*p = before;
	return is;
}

/* Of several versions each is compared by itself. */
static void no_more(struct parser *p)
{
	const struct token comma = parse_peek(p, PLACE_WORD);

	if (comma.kind != ',')
		return;
	parse_wrong(p, token_span(&comma), "a comparison has one base");
	need_hint(p->err, "ask once for each: functions vs v1; functions vs v2");
}

/* vs PROFILE, vs part 2, vs PROFILE part 2 */
static void clause_vs(struct parser *p, struct source *s)
{
	const size_t at = parse_peek(p, PLACE_WORD).at;

	s->vs_span = token_span(&(struct token){.at = p->pos});
	if (p->expected)
		p->expected->vs = true;
	if (!is_parts(p)) {
		s->vs_profile = parse_name(p, WANT_PROFILE, "the other profile's name");
		s->vs = s->vs_profile;
	}
	s->vs_span = span_to(at, p);
	if (!is_parts(p)) {
		if (s->vs.n)
			no_more(p);
		return;
	}
	s->vs_parts = parse_gstage(p);
	s->vs_span = span_to(at, p);
	s->vs = (struct str){p->text.p + s->vs_span.at, s->vs_span.len};
}

static void parse_clause(struct parser *p, struct source *s, const struct token *t,
			 const struct clause_word *c)
{
	parse_eat(p, t);
	if (c->set) {
		clause_set(p, &s->sets[c - clause_words], c->word, token_span(t));
		return;
	}
	switch (c->bit) {
	case C_BY: clause_by(p, s); return;
	case C_DEPTH: clause_depth(p, s); return;
	case C_MIN: clause_min(p, s); return;
	case C_MAX:
		s->has_max = true;
		s->max = parse_count(p, "max", "");
		return;
	default: clause_vs(p, s); return;
	}
}

/* Offer the clauses that are still missing. */
static void want_clauses(struct parser *p, const struct source *s, const struct verb *v,
			 unsigned said)
{
	const bool one = s->of || (s->kind == S_CALLTREE && (s->from || s->to));
	const unsigned left =
		v->clauses & ~((s->of || s->from || s->to ? (unsigned)C_OF : 0) |
			       (one || s->from ? (unsigned)C_FROM : 0) |
			       (one || s->to ? (unsigned)C_TO : 0));

	for (size_t i = 0; i < clause_words_n; i++)
		if ((unsigned)clause_words[i].bit & left && !(said >> i & 1))
			parse_want_word(p, clause_words[i].word);
}

static void parse_clauses(struct parser *p, struct source *s, const struct verb *v)
{
	const struct clause_word *c;
	unsigned said = 0;

	for (;;) {
		struct token t = parse_peek(p, PLACE_WORD);

		want_clauses(p, s, v, said);
		if (t.kind == TOK_ARROW && s->kind == S_PATH && s->from && !s->to) {
			parse_eat(p, &t);
			clause_set(p, &s->to, "->", token_span(&t));
			continue;
		}
		c = t.kind != TOK_WORD			     ? NULL
		    : s->kind == S_WHY && token_is(&t, "in") ? clause_find(STR("of"))
							     : clause_find(t.text);
		if (!c)
			return;
		if (!c->set && said >> (c - clause_words) & 1) {
			parse_wrong(p, token_span(&t), "'%s' is given twice", c->word);
			if (c->bit != C_VS)
				map_leave(p->err);
			need_hint(p->err, "ask once for each base");
		}
		said |= 1u << (c - clause_words);
		if (!((unsigned)c->bit & v->clauses)) {
			if (s->kind == S_PATH && c->bit == C_MAX) {
				parse_wrong(
					p, token_span(&t),
					"'max' is a number of rows; a path has a depth");
				if (s->path == PATH_ALL)
					need_hint(p->err, "did you mean 'depth'?");
				map_leave(p->err);
			}
			parse_wrong(p, token_span(&t), "'%s' takes no '%.*s'", v->word,
				    STR_ARG(t.text));
			need_hint(p->err, "its form: %s",
				  s->kind == S_THREADS && c->bit == C_OF
					  ? "parts of NAME | group by thread"
					  : v->form);
		}
		if (s->kind == S_PATH && s->path != PATH_ALL &&
		    (c->bit == C_DEPTH || c->bit == C_MIN)) {
			parse_wrong(p, token_span(&t), "'%s' goes with 'all paths' only",
				    c->word);
			need_hint(p->err, "all paths from A to B depth 6 min 1%%");
		}
		parse_clause(p, s, &t, c);
	}
}

/* callers X, path A -> B: the clause words may be omitted. */
static void parse_short(struct parser *p, struct source *s)
{
	struct token t = parse_peek(p, PLACE_NAME);
	bool operand =
		t.kind == TOK_STRING || t.kind == TOK_REGEX || t.kind == TOK_FIELD ||
		t.kind == '#' || t.kind == '$' || t.kind == '(' || t.kind == TOK_BAD ||
		(t.kind == TOK_WORD && (!is_reserved(t.text) || token_is(&t, "not")));

	parse_want(p, WANT_FUNCTION);
	if (!operand)
		return;
	*(s->kind == S_PATH ? &s->from : &s->of) =
		parse_set(p, s->kind == S_PATH ? "path" : "of");
}

_Noreturn static void missing(struct parser *p, const struct verb *v, struct span at,
			      const char *word, const char *example)
{
	parse_wrong(p, at, "'%s' needs '%s' and a function", v->word, word);
	need_hint(p->err, "%s", example);
}

static void check_needed(struct parser *p, const struct source *s, const struct verb *v)
{
	struct token t = parse_peek(p, PLACE_WORD);
	struct span at = s->span;

	if ((v->clauses & C_NEEDS_OF) && !s->of) {
		if (t.kind == TOK_WORD || t.kind == TOK_STRING) {
			parse_wrong(p, token_span(&t),
				    "'of' is missing before this name");
			need_hint(p->err, "its form: %s", v->form);
		}
		parse_wrong(p, at, "'%s' needs 'of' and a function", v->word);
		need_hint(p->err, "%s", v->form);
	}
	if (s->kind == S_CALLTREE && s->from && s->to) {
		parse_wrong(p, at,
			    "'calltree' goes from functions or to functions, not both");
		need_hint(p->err, "for the ways between them: paths from A to B");
	}
	if (s->kind != S_CALLTREE && s->of && (s->from || s->to)) {
		parse_wrong(p, at, "'%s' takes 'of', or 'from' and 'to', not both",
			    v->word);
		need_hint(p->err, "%s from main to malloc", v->word);
	}
	if (s->kind == S_PATH && !s->from)
		missing(p, v, at, "from", "path from main to malloc");
	if (s->kind == S_PATH && !s->to)
		missing(p, v, at, "to", "path from main to malloc");
}

static void parse_top(struct parser *p, struct source *s, const struct verb **v)
{
	struct token t = parse_number(p);
	const struct verb *unit;
	const char *near;

	s->top = true;
	if (t.kind == TOK_NUMBER) {
		s->has_n = true;
		s->n = parse_count(p, "top", "");
		s->each = parse_accept_word(p, "each");
		t = parse_peek(p, PLACE_WORD);
	}
	for (size_t i = 1; i < verbs_n; i++)
		if (verbs[i].clauses & C_UNIT)
			parse_want_word(p, verbs[i].word);
	unit = t.kind == TOK_WORD ? verb_find(t.text) : NULL;
	if (t.kind != TOK_WORD || clause_find(t.text) || (stage_find(t.text) && !unit))
		return;
	if (!unit || !(unit->clauses & C_UNIT) || token_is(&t, "top")) {
		parse_wrong(p, token_span(&t), "'top' ranks no '%.*s'", STR_ARG(t.text));
		if (!unit && (near = nearest_unit(t.text)))
			need_hint(p->err, "did you mean '%s'?", near);
		need_hint(p->err, "its form: %s", (*v)->form);
	}
	parse_eat(p, &t);
	s->kind = unit->kind;
	*v = unit;
}

static void parse_path_kind(struct parser *p, struct source *s, struct token *t)
{
	for (unsigned i = 0; path_words[i]; i++)
		if (token_is(t, path_words[i]))
			s->path = (enum path_kind)i;
	parse_eat(p, t);
	if (parse_number(p).kind == TOK_NUMBER) {
		s->has_n = true;
		s->n = parse_count(p, path_words[s->path], "");
	}
	*t = parse_peek(p, PLACE_WORD);
	parse_want_word(p, "path");
	parse_want_word(p, "paths");
	if (token_is(t, "path") || token_is(t, "paths"))
		return;
	parse_wrong(p, token_span(t), "'path' is missing after '%s'",
		    path_words[s->path]);
	need_hint(p->err, "%s path from main to malloc", path_words[s->path]);
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
static void parse_lone(struct parser *p, struct source *s)
{
	const size_t at = parse_peek(p, PLACE_NAME).at;

	s->kind = S_INFO;
	s->lone = true;
	s->of = parse_set(p, "of");
	s->span = span_to(at, p);
}

int parse_lone_unknown(struct str text, const struct source *s, struct err *err)
{
	const struct err no_function = *err;
	struct parser p = {.text = text, .pos = s->span.at, .err = err};
	struct token t = parse_peek(&p, PLACE_WORD);

	if (t.kind != TOK_WORD)
		return err->kind;
	err_clear(err);
	/* shop::parse is more than the word shop */
	if (!str_starts(str_from(text, t.at + t.len), STR("::")))
		name_unknown(&p, &t);
	if (err->kind && !str_starts(str_c(err->hint), STR("start with")))
		return err->kind;
	err_clear(err);
	parse_wrong(&p, s->span, "no function, source or stage is called '%.*s'",
		    (int)(s->span.len & 1023), text.p + s->span.at);
	return err_hint(
		err, "%s",
		no_function.hint[0]
			? no_function.hint
			: "start with top, functions, callers of, path from ... to");
}

void parse_source(struct parser *p, struct source *s)
{
	struct token t = parse_peek(p, PLACE_WORD);
	const struct verb *v;

	parse_want(p, WANT_VERB | WANT_STAGE);
	if (t.kind == TOK_WORD && word_in(t.text, path_words))
		parse_path_kind(p, s, &t);
	v = t.kind == TOK_WORD ? verb_find(t.text) : NULL;
	if (v && v->kind == S_INFO && is_of_gdb(p, &t))
		unknown_verb(p, &t);
	if (!v && is_lone_name(p)) {
		parse_lone(p, s);
		return;
	}
	if (!v)
		unknown_verb(p, &t);
	parse_eat(p, &t);
	s->kind = v->kind;
	s->span = token_span(&t);
	if (token_is(&t, "top"))
		parse_top(p, s, &v);
	if (p->expected)
		p->expected->source = v;
	if (v->clauses & C_SHORT)
		parse_short(p, s);
	parse_clauses(p, s, v);
	check_needed(p, s, v);
}

/* Is it the comma in 1,000? */
static bool behind_number(const struct parser *p, const struct token *t)
{
	return t->kind == ',' && t->at > 0 && t->at + 1 < p->text.n &&
	       p->text.p[t->at - 1] >= '0' && p->text.p[t->at - 1] <= '9' &&
	       p->text.p[t->at + 1] >= '0' && p->text.p[t->at + 1] <= '9';
}

/* Report a token that cannot follow a source, if we can guess what the user meant. */
static void unexpected_in_source(struct parser *p, const struct source *src,
				 const struct verb *v, const struct token *t)
{
	if (src->of && t->kind == '+')
		parse_fail(p, token_span(t), "sets of functions are joined by 'or'");
	if (t->kind == '-' && src->top) { /* of pprof */
		parse_wrong(p, token_span(t), "'top' takes no options");
		need_hint(p->err, "by inclusive cost: top by incl");
	}
	if (src->by && t->kind == TOK_WORD)
		parse_fail(p, token_span(t),
			   "'by' takes an event, a column or a formula");
	if ((v->clauses & C_OF) && !src->of && !verb_find(t->text) &&
	    !stage_find(t->text) &&
	    (t->kind == TOK_WORD || t->kind == TOK_STRING || t->kind == '/' ||
	     t->kind == '#' || t->kind == '*')) {
		parse_wrong(p, token_span(t), "'of' is missing before this name");
		if (src->kind == S_WHY)
			need_hint(p->err, "'of' for causes in it, 'under' for it with "
					  "all below it");
		need_hint(p->err, "its form: %s", src->top ? verbs[0].form : v->form);
	}
	if (src->of && t->kind == TOK_WORD) {
		parse_wrong(p, token_span(t),
			    "this word is not part of the name before it");
		need_hint(p->err,
			  "a name with blanks needs double quotes; stages need '|'");
	}
}

/* An error about a token that cannot follow a table stage. */
static void unexpected_in_stage(struct parser *p, const struct token *t)
{
	if (token_is(t, "vs")) {
		parse_wrong(p, token_span(t), "'vs' comes after the source");
		need_hint(p->err, "before the first '|': functions vs base | ...");
	}
	if (behind_number(p, t)) {
		parse_wrong(p, token_span(t), "a number is written without commas");
		need_hint(p->err, "write 1000 or 1k");
	}
	if (t->kind == ':' && str_ends((struct str){p->text.p, t->at}, STR("file"))) {
		parse_wrong(p, token_span(t), "file and line are two columns");
		need_hint(p->err,
			  "show file, line; where file = \"parser.c\" and line > 10");
	}
}

_Noreturn void parse_unexpected(struct parser *p, const struct stmt *s,
				const struct token *t)
{
	const struct verb *v = s->is_let ? NULL : verb_of_kind(s->query.source.kind);
	const struct source *src = &s->query.source;

	if (t->kind == ')')
		parse_fail(p, token_span(t), "this ')' closes nothing");
	if (v && t->kind == TOK_WORD && stage_find(t->text) &&
	    !stage_find(t->text)->graph) {
		parse_wrong(p, token_span(t), "a '|' is missing before '%.*s'",
			    STR_ARG(t->text));
		need_hint(p->err, "stages are joined by '|'");
	}
	if (v && t->kind == TOK_ARROW && src->kind == S_PATH) {
		parse_wrong(p, token_span(t), "a path has two ends");
		need_hint(p->err, "path A -> C via B");
	}
	if (v && s->query.tstages)
		unexpected_in_stage(p, t);
	else if (v)
		unexpected_in_source(p, src, v, t);
	parse_fail(p, token_span(t), "this is not expected here");
}
