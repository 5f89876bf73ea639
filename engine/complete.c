/*
 * complete.c - completion of the end of an unfinished query; see query.h.
 *
 * The text before the word is read token by token, and only what decides is remembered:
 * the verb, the last keyword, and whether an operand or an operator comes next.  A wrong
 * query is no error here.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "engine/session.h"
#include "engine/lang/token.h"
#include "engine/sources/columns.h"
#include "engine/sources/sources.h"
#include "engine/compare/vs.h"
#include "engine/lang/habits.h"
#include "engine/lang/keywords.h"
#include "engine/lang/parse_in.h"
#include "engine/lang/result.h"
#include "index/base/err_struct.h"

/* ---- where are we ---- */

enum due { DUE_START, DUE_SET, DUE_AFTER_SET, DUE_EXPR, DUE_WORD };

struct place {
	enum due due;
	bool source; /* a source was seen in this query */
	const struct verb *verb;
	const struct stage_word *stage;
	struct str keyword;	 /* the last keyword */
	struct str field;	 /* "file" after file: */
	bool let, set;		 /* set: this source has named a set */
	const struct verb *rows; /* the source of this query: whose columns there are */
	bool vs, dollar;	 /* dollar: the last token was $ */
	unsigned said; /* clauses of this source by their place in clause_words: they are
			  not offered again */
};

/* Does a set of functions follow?  The form of a stage tells. */
static bool is_set_word(struct str w)
{
	const struct clause_word *c = clause_find(w);
	const struct stage_word *s = stage_find(w);
	const struct verb *v = verb_find(w);

	if (c)
		return c->set;
	if (s)
		return strstr(s->form, " SET") != NULL;
	return v ? (v->clauses & C_SHORT) != 0
		 : token_same(w, "and") || token_same(w, "or") || token_same(w, "not");
}

static void after_first_word(struct place *p, struct str w)
{
	p->verb = verb_find(w);
	p->stage = stage_find(w);
	p->keyword = w;
	p->let = token_same(w, "let");
	if (p->verb) {
		p->source = true;
		p->rows = p->verb;
		p->vs = false;
	}
	p->due = is_set_word(w)			? DUE_SET
		 : p->stage && !p->stage->graph ? DUE_EXPR
						: DUE_WORD;
}

static bool in_set_clause(const struct place *p)
{
	return p->due == DUE_SET || p->due == DUE_AFTER_SET;
}

static bool was_said(const struct place *p, const struct clause_word *w)
{
	return p->said >> (w - clause_words) & 1;
}

static void step_word(struct place *p, struct str w)
{
	const struct clause_word *clause = clause_find(w);

	if (clause && p->due != DUE_EXPR)
		p->said |= 1u << (clause - clause_words);
	p->vs |= token_same(w, "vs") && p->due != DUE_EXPR;
	if (p->verb == verbs && p->due == DUE_WORD && verb_find(w) &&
	    (verb_find(w)->clauses & C_UNIT))
		p->rows = verb_find(w);
	if (p->due == DUE_START) {
		after_first_word(p, w);
	} else if (p->due != DUE_EXPR &&
		   (clause_find(w) || (in_set_clause(p) && is_set_word(w)))) {
		p->keyword = w;
		p->due = is_set_word(w) ? DUE_SET : DUE_WORD;
	} else if (p->due == DUE_SET) {
		p->due = DUE_AFTER_SET;
		p->set = true;
	} else if (p->due == DUE_WORD && is_set_word(w)) {
		p->keyword = w;
		p->due = DUE_SET;
	} else if (p->stage && p->stage->kind == T_GROUP && token_same(w, "by")) {
		p->keyword = w;
	}
	p->field.n = 0;
}

static void step_token(struct place *p, const struct token *t)
{
	p->dollar = t->kind == '$';
	switch (t->kind) {
	case '|':
	case ';':
	case TOK_NEWLINE:
		if (t->kind != '|') {
			p->source = false;
			p->rows = NULL;
		}
		p->due = DUE_START;
		p->verb = NULL;
		p->stage = NULL;
		p->let = false;
		p->said = 0;
		p->set = false;
		return;
	case TOK_WORD: step_word(p, t->text); return;
	case TOK_FIELD: p->field = t->text; return;
	case TOK_ARROW:
	case ',':
	case '(':
		if (in_set_clause(p))
			p->due = DUE_SET;
		return;
	case '>':
		if (p->due != DUE_EXPR)
			p->keyword = STR(">");
		return;
	case ':': p->keyword = STR(":"); return;
	case '=':
		if (p->let)
			p->due = DUE_EXPR;
		return;
	case TOK_NUMBER:
		/* `depth 2` is complete: another clause follows. */
		if (p->due == DUE_WORD && clause_find(p->keyword))
			p->keyword.n = 0;
		else if (p->due != DUE_SET)
			return;
		/* fall through */
	default:
		if (p->due == DUE_SET && (t->kind == TOK_STRING || t->kind == TOK_REGEX ||
					  t->kind == TOK_NUMBER)) {
			p->due = DUE_AFTER_SET;
			p->set = true;
		}
		p->field.n = 0;
		return;
	}
}

static enum token_place token_place_of(const struct place *p)
{
	return p->due == DUE_SET    ? PLACE_NAME
	       : p->due == DUE_EXPR ? PLACE_OPERAND
				    : PLACE_WORD;
}

/* Read up to the word at the end of the text; returns where it starts. */
static size_t read_to_word(struct str text, struct place *p, bool *quoted)
{
	size_t at = 0;

	*quoted = false;
	for (;;) {
		struct token t = token_at(text, at, token_place_of(p));

		if (t.kind == TOK_END)
			return text.n;
		if (t.kind == TOK_BAD && text.p[t.at] == '"') {
			*quoted = true;
			return t.at + 1;
		}
		/* A word that touches the end is still being typed. */
		if (t.at + t.len >= text.n &&
		    (t.kind == TOK_WORD || t.kind == TOK_NUMBER))
			return t.at;
		if (t.kind == '>' && p->due != DUE_EXPR && t.at + t.len < text.n) {
			p->keyword = STR(">");
			at = t.at + t.len;
			while (at < text.n && text.p[at] == ' ')
				at++;
			return at;
		}
		step_token(p, &t);
		at = t.at + (t.len ? t.len : 1);
	}
}

/* ---- what is wanted there ---- */

static const char *const path_start[] = {"path", "paths", NULL};
static const char *const by_words[] = {"file", "object", "class", "dir", NULL};
static const char *const sort_words[] = {"asc", "desc", NULL};
static const char *const expect_words[] = {"none", "some", NULL};
static const char *const collapse_words[] = {"by", NULL};
static const char *const depth_words[] = {"all", NULL};
static const char *const with_words[] = {"inlined", NULL};

static void want_keywords(struct query_context *c, const char *const *words)
{
	c->want |= WANT_KEYWORD;
	c->keywords = words;
}

/* Is the source complete here?  Then a stage may follow. */
static bool is_whole(const struct place *p)
{
	if (!p->verb)
		return p->stage && p->due == DUE_AFTER_SET;
	if (p->verb->kind == S_PATH)
		return p->set && was_said(p, clause_find(STR("to")));
	return p->set || !(p->verb->clauses & C_NEEDS_OF);
}

static bool is_offered(const struct place *p, const struct clause_word *w)
{
	const struct verb *v = p->verb;
	const bool ended = was_said(p, clause_find(STR("from"))) ||
			   was_said(p, clause_find(STR("to")));

	if (!((unsigned)w->bit & v->clauses) || was_said(p, w))
		return false;
	switch (w->bit) {
	case C_OF: return !p->set;
	case C_FROM:
	case C_TO:
		return !was_said(p, clause_find(STR("of"))) &&
		       !(v->kind == S_CALLTREE && ended);
	case C_VS: return v->kind != S_LAST && source_def(v->kind)->subject;
	default: return true;
	}
}

/* Offer the clauses that are still missing, the operators of sets, and the pipe. */
static void want_clauses(const struct place *p, struct query_context *c)
{
	size_t n = 0;

	for (size_t i = 0; p->verb == verbs && i < verbs_n; i++)
		if (i && (verbs[i].clauses & C_UNIT))
			c->words[n++] = verbs[i].word;
	for (size_t i = 0; p->verb && i < clause_words_n; i++)
		if (is_offered(p, &clause_words[i]))
			c->words[n++] = clause_words[i].word;
	for (size_t i = 0; !p->verb && !p->stage && path_start[i]; i++)
		c->words[n++] = path_start[i];
	if (!p->verb && p->stage && p->stage->graph && p->stage->kind == G_COLLAPSE)
		c->words[n++] = "as";
	if (p->due == DUE_AFTER_SET) {
		c->words[n++] = "and";
		c->words[n++] = "or";
	}
	if (is_whole(p))
		c->words[n++] = "|";
	c->words[n] = NULL;
	c->want |= WANT_KEYWORD;
	c->keywords = c->words;
}

static void want_expr(const struct place *p, struct query_context *c)
{
	switch (p->let ? T_ADD : (enum tstage_kind)p->stage->kind) {
	case T_AS: c->want = WANT_FORMAT; return;
	case T_TAKE:
	case T_SKIP:
	case T_SUM:
	case T_COUNT: return;
	case T_SORT: want_keywords(c, sort_words); break;
	case T_EXPECT: want_keywords(c, expect_words); break;
	case T_GROUP:
		if (str_eq(p->keyword, STR(":")))
			want_keywords(c, aggregate_words);
		break;
	case T_WHERE:
	case T_SHOW:
	case T_ADD: break;
	}
	c->want |= WANT_COLUMN | WANT_EVENT;
}

static void want_word(const struct place *p, struct query_context *c)
{
	struct str k = p->keyword;

	if (token_same(k, "by") && p->stage && p->stage->graph)
		want_keywords(c, by_words);
	else if (token_same(k, "by"))
		c->want |=
			WANT_EVENT |
			(p->verb && str_eq(str_c(p->verb->word), STR("top")) ? WANT_COLUMN
									     : 0);
	else if (token_same(k, "vs") || token_same(k, "in"))
		c->want |= WANT_PROFILE;
	else if (token_same(k, "depth"))
		want_keywords(c, depth_words);
	else if (token_same(k, "with"))
		want_keywords(c, with_words);
	else if (!(p->stage && p->stage->graph))
		want_clauses(p, c);
}

static void want_set(const struct place *p, struct query_context *c)
{
	if (str_eq(p->field, STR("file")))
		c->want = WANT_SOURCE_FILE;
	else if (str_eq(p->field, STR("obj")))
		c->want = WANT_OBJECT;
	else
		c->want = WANT_FUNCTION;
	if (p->verb && !c->quoted && !p->field.n && (p->verb->clauses & C_SHORT) &&
	    str_eq(p->keyword, str_c(p->verb->word)))
		want_clauses(p, c);
	if (p->stage && p->stage->kind == G_COLLAPSE && p->stage->graph)
		want_keywords(c, collapse_words);
}

void query_context(struct session *s, struct str text, struct query_context *out)
{
	struct place p = {.due = DUE_START};
	struct query_context c = {0};

	(void)s;
	c.word_at = read_to_word(text, &p, &c.quoted);
	c.source = p.rows;
	c.vs = p.vs;
	if (p.dollar)
		c.want = WANT_VALUE;
	else if (str_eq(p.keyword, STR(">")))
		c.want = WANT_FILE;
	else if (p.due == DUE_START)
		c.want = p.source ? WANT_STAGE : WANT_VERB | WANT_STAGE;
	else if (p.due == DUE_SET)
		want_set(&p, &c);
	else if (p.due == DUE_AFTER_SET)
		want_clauses(&p, &c);
	else if (p.due == DUE_EXPR)
		want_expr(&p, &c);
	else
		want_word(&p, &c);
	*out = c;
	if (c.keywords == c.words)
		out->keywords = out->words;
}

size_t query_columns(const struct verb *v, bool vs, const char **names, size_t max)
{
	const enum source_kind kind = v ? v->kind : S_FUNCTIONS;
	const struct source_def *def = kind == S_LAST ? NULL : source_def(kind);
	size_t n = 0;

	for (size_t i = 0; def && i < def->ncols && n < max; i++)
		names[n++] = def->cols[i].name;
	for (size_t i = 0; def && def->subject && vs && i < vs_col_count(def) && n < max;
	     i++)
		names[n++] = vs_cols[i].name;
	return n;
}

bool query_column_at(size_t i, const char **name, const char **means)
{
	const struct column_row *row = column_at(i);

	if (row) {
		*name = row->name;
		*means = row->help;
	}
	return row != NULL;
}

const char *query_column_means(struct str name)
{
	return column_help(name);
}

unsigned query_column_place(const struct result *r, struct str name)
{
	for (size_t i = 0; r->of && i < r->of->ncols; i++) {
		const struct listed *l = &r->of->list[i];

		if (str_eq(name, str_c(l->flags & WITH_LINE ? "file:line" : l->name)))
			return l->place;
	}
	return 0;
}

/* ---- is there more to come ---- */

static const struct parse_limits any_text = {
	.text_bytes = SIZE_MAX, .nesting = 200, .any_value = true};

size_t query_statement(struct str text, size_t at)
{
	struct stmt *st;
	struct arena a;
	struct err err = {0};

	arena_init(&a, 64 << 20);
	parse_next(text, &at, &any_text, &a, &st, &err);
	arena_free(&a);
	/* With the comment behind it: in "sort #" it is what was meant. */
	const struct token end = token_at(text, at, PLACE_WORD);
	return end.kind == TOK_NEWLINE || end.kind == TOK_END ? end.at : at;
}

bool query_reads(struct str text)
{
	struct token t = token_at(text, 0, PLACE_WORD);
	struct stmt *st = NULL;
	struct err err = {0};
	struct arena a;
	char form[HABIT_MAX];
	bool reads;

	arena_init(&a, 64 << 20);
	reads = parse_text(text, &any_text, &a, &st, &err) == 0 && st;
	/* A name alone may be a file that is missing; a wrong query is one if it begins like
	 * one and goes on. */
	if (reads)
		reads = st->is_let || !st->query.source.lone || st->query.tstages ||
			st->query.gstages;
	else
		reads = t.kind == TOK_WORD && t.len < text.n && text.p[t.len] == ' ' &&
			(verb_find(t.text) || stage_find(t.text) ||
			 token_at(text, t.len, PLACE_WORD).kind == TOK_ARROW ||
			 habit_query(text, parse_reads, NULL, form));
	arena_free(&a);
	return reads;
}

const char *query_meant(struct str words, char *buf)
{
	const bool reads =
		words.n < HABIT_MAX && query_reads(words) && parse_reads(NULL, words);
	const char *said = NULL;

	/* `top by object` reads as a query, too, but ranks by no number. */
	if (!reads || str_starts(words, STR("top")))
		said = habit_query(words, parse_reads, NULL, buf);
	if (said && !str_starts(str_c(said), STR("the key")))
		return said;
	if (!reads)
		return NULL;
	memcpy(buf, words.p, words.n);
	buf[words.n] = '\0';
	return buf;
}

bool query_incomplete(struct str text)
{
	struct str s = text;
	struct arena a;
	bool more;

	while (s.n && strchr(" \t\r\n", s.p[s.n - 1]) && s.p[s.n - 1])
		s.n--;
	if (s.n && s.p[s.n - 1] == '\\')
		return true;
	arena_init(&a, 64 << 20);
	more = parse_goes_on(s, &any_text, &a);
	arena_free(&a);
	return more;
}

/* ---- function names ---- */

struct best {
	name_id name;
	int64_t cost;
};

static bool complete_fits(struct str name, struct str prefix)
{
	struct str rest = name;

	if (str_starts(name, prefix))
		return true;
	for (;;) {
		size_t i = str_find(rest, ':');

		if (i + 1 >= rest.n)
			return false;
		rest = str_from(rest, i + 1);
		if (rest.p[0] == ':') {
			rest = str_from(rest, 1);
			if (str_starts(rest, prefix))
				return true;
		}
	}
}

/* f'2 and f'g are contexts of f, and no names of functions. */
static bool names_context(struct store *st, name_id n)
{
	fn_id first;
	uint32_t count;

	if (!store_any_grouped(st))
		return false;
	store_fns_of_name(st, n, &first, &count);
	return count && !str_eq(store_fn_alone(st, first), store_shown(st, n));
}

static int64_t cost_of_name(struct store *st, name_id n, uint32_t e)
{
	fn_id first;
	uint32_t count;
	int64_t most = INT64_MIN;

	store_fns_of_name(st, n, &first, &count);
	for (uint32_t i = 0; i < count; i++) {
		int64_t c = store_fn_incl(st, first + i, e);

		if (c > most)
			most = c;
	}
	return most;
}

/* Insert in order of cost; the list is short, the cheapest drops out. */
static void offer_name(struct best *b, size_t *n, size_t max, name_id name, int64_t cost)
{
	size_t i = *n;

	if (*n == max && cost <= b[max - 1].cost)
		return;
	if (*n < max)
		(*n)++;
	else
		i--;
	for (; i > 0 && b[i - 1].cost < cost; i--)
		b[i] = b[i - 1];
	b[i] = (struct best){name, cost};
}

static bool is_found(const struct best *b, size_t n, name_id name)
{
	for (size_t i = 0; i < n; i++)
		if (b[i].name == name)
			return true;
	return false;
}

/* Among the costliest functions, as the index has them in order: if there are enough, no
 * other has to be looked at. */
static bool costliest_names(struct store *st, struct str prefix, uint32_t e,
			    struct best *b, size_t *n, size_t max)
{
	enum { MANY = 20000 };
	const struct store_info *i = store_info(st);
	const uint32_t some = i->functions < MANY ? i->functions : MANY;

	for (uint32_t k = 0; e < i->events && k < some && *n < max; k++) {
		const fn_id f = store_rank_incl(st, e, k);
		const name_id name = store_fn_name_id(st, f);

		if (complete_fits(store_shown(st, name), prefix) &&
		    !is_found(b, *n, name) && !names_context(st, name))
			b[(*n)++] = (struct best){name, store_fn_incl(st, f, e)};
	}
	return *n == max || (e < i->events && some == i->functions);
}

/* The names that contain the prefix, a byte each; NULL: any name may fit. */
static uint8_t *names_to_look_at(struct store *st, struct str prefix)
{
	const uint32_t names = store_info(st)->names;
	uint8_t *has =
		prefix.n && !store_any_mangled(st) ? calloc((size_t)names + 1, 1) : NULL;

	for (name_id i = 0; has && i < names;)
		i = store_names_with(st, prefix, i, has);
	return has;
}

static void search_names(struct store *st, struct str prefix, uint32_t e, struct best *b,
			 size_t *n, size_t max)
{
	enum { BUDGET_NS = 100000000 };
	const uint32_t names = store_info(st)->names;
	const uint64_t start = cancel_now_ns();
	uint8_t *has;

	if (costliest_names(st, prefix, e, b, n, max))
		return;
	*n = 0;
	has = names_to_look_at(st, prefix);
	for (name_id i = 0; i < names; i++) {
		if ((i & 4095) == 4095 && cancel_now_ns() - start > BUDGET_NS)
			break;
		if ((!has || has[i]) && complete_fits(store_shown(st, i), prefix) &&
		    !names_context(st, i))
			offer_name(b, n, max, i, cost_of_name(st, i, e));
	}
	free(has);
}

int query_complete_function(struct session *s, struct str prefix, size_t max,
			    struct arena *a, struct str **names, size_t *n,
			    struct err *err)
{
	struct best *b = ARENA_ARRAY(a, struct best, max + 1);
	struct check_env env;
	size_t k = 0;

	*n = 0;
	if (s->n == 0 || max == 0)
		return 0;
	if (session_env(s, 0, a, &env, err))
		return err->kind;
	*names = ARENA_ARRAY(a, struct str, max + 1);
	if (!b || !*names)
		return arena_full(a, err);
	search_names(s->stores[0], prefix, env.event, b, &k, max);
	for (size_t i = 0; i < k; i++) {
		(*names)[i] = arena_str(a, store_shown(s->stores[0], b[i].name));
		if (!(*names)[i].p)
			return arena_full(a, err);
	}
	*n = k;
	return store_check(s->stores[0], err);
}
