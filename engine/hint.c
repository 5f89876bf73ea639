/*
 * hint.c - resolve the query of a hint; see hint.h.
 *
 * The query is parsed and checked as if it were asked, and each name in it is looked up.  The
 * first mistake tells what to put in its place, and the rest is checked again.  A name that is
 * no function's, but that of an object, a file or a class, becomes obj:, file: or class:.  Then
 * the query is run: a hint is shown if it has an answer.
 */
#include "engine/hint.h"

#include <stdio.h>
#include <string.h>

#include "engine/check/check.h"
#include "engine/lang/habits.h"
#include "engine/lang/keywords.h"
#include "engine/lang/parse.h"
#include "engine/lang/token.h"
#include "engine/names/match.h"
#include "engine/names/name.h"
#include "engine/session.h"
#include "engine/statement.h"
#include "index/base/arena.h"
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/need.h"
#include "index/store/store.h"

static const char here[] = "here that is: ";
enum { SLIPS = 3 }; /* letters that differ in a name that is misspelled */

struct resolving {
	struct session *s;
	struct str typed, query;
	struct str reads,
		missing; /* the first that reads, and has a name that is nowhere */
	struct arena *a;
	struct str instead; /* of the place of the error; or empty */
	bool placed;	    /* a name became one of an object, file or class */
	bool finds;	    /* names of a `find` */
	bool nowhere;	    /* the mistake is a name */
	struct err why;	    /* what this profile lacks for an answer */
	struct err *err;
};

/* The function with the largest own cost whose name needs no quotes. */
static struct str costly_name(struct store *st)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_";

	for (uint32_t i = 0; i < store_info(st)->functions; i++) {
		const struct str name = store_fn_alone(st, store_rank_self(st, 0, i));
		size_t n = 0;

		while (n < name.n && memchr(plain, name.p[n], sizeof(plain) - 1))
			n++;
		if (n == name.n && n && !verb_find(name) && name.p[0] > '9')
			return name;
	}
	return (struct str){0};
}

/* field:NAME, in quotes unless it is one word. */
static struct str place_named(struct resolving *r, const char *field, struct str path)
{
	struct str name = str_basename(path);
	const struct token t = token_at(name, 0, PLACE_NAME);

	if (t.kind != TOK_WORD || t.len != name.n)
		name = name_quoted(name, r->a);
	return name.p ? arena_printf(r->a, "%s:%.*s", field, STR_ARG(name)) : name;
}

/* Find the object or the file of this name. */
static bool find_place(struct resolving *r, struct str name)
{
	struct store *st = r->s->stores[0];

	r->instead.n = 0;
	for (uint32_t i = 0; !r->instead.n && i < store_info(st)->files; i++)
		if (str_eq(str_basename(store_file(st, i)), name))
			r->instead = place_named(r, "file", name);
	for (uint32_t i = 0; !r->instead.n && i < store_info(st)->objects; i++)
		if (name_is_base(store_obj(st, i), name))
			r->instead = place_named(r, "obj", store_obj(st, i));
	for (uint32_t i = 0; !r->instead.n && i < store_info(st)->files; i++)
		if (name_is_base(store_file(st, i), name))
			r->instead = place_named(r, "file", store_file(st, i));
	return r->instead.n;
}

/* Does a name of the field match? */
static int find_name(struct resolving *r, struct match_atom *atom, enum match_field field,
		     bool part, bool *found)
{
	struct match_found names;

	atom->field = field;
	atom->part = atom->nocase = part;
	if (match_find(r->s->stores[0], atom, &r->s->cancel, r->a, &names, r->err))
		return r->err->kind;
	*found = names.functions;
	return 0;
}

/* The text in quotes that the hint of r->err has, for the place of the mistake; but no name that
 * would be more than a name there: `x > file`. */
static void take_near(struct resolving *r)
{
	static const char text[] = "text needs double quotes: ",
			  near[] = "did you mean '";
	const struct str hint = str_c(r->err->hint);

	if (str_starts(hint, str_c(text))) {
		r->instead = arena_printf(r->a, "%s", hint.p + strlen(text));
	} else if (str_starts(hint, str_c(near))) {
		r->instead = arena_printf(r->a, "%s", hint.p + strlen(near));
		r->instead.n = str_find(r->instead, '\'');
		if (!str_eq(r->instead, STR("!=")) &&
		    strcspn(r->instead.p, ";|>!\"'") < r->instead.n)
			r->instead.n = 0;
	}
}

static int look_up(struct resolving *r, const struct set *set)
{
	struct match_atom atom;
	bool found = false, class = false;
	/* The first word is a name only as it is: index by function name. */
	const bool lone = set && str_eq(set->text, (struct str){r->typed.p,
								str_find(r->typed, ' ')});

	if (!set)
		return 0;
	if (set->op != SET_ATOM)
		return look_up(r, set->a) || look_up(r, set->b);
	if (set->field != MATCH_FN || set->form != MATCH_BARE)
		return 0;
	atom = set_atom(set);
	if (find_name(r, &atom, MATCH_FN, false, &found) || found)
		return r->err->kind;
	/* find lexer: those with it in their names, rather than those of lexer.cc */
	if (r->finds && (find_name(r, &atom, MATCH_FN, true, &found) || found))
		return r->err->kind;
	atom = set_atom(set);
	r->placed = find_place(r, set->text);
	if (!r->placed && (find_name(r, &atom, MATCH_CLASS, false, &class) ||
			   (!class && find_name(r, &atom, MATCH_FN, true, &found))))
		return r->err->kind;
	if (found && !lone)
		return 0;
	if (class) {
		r->placed = true;
		r->instead = arena_printf(r->a, "class:%.*s", STR_ARG(set->text));
	}
	atom.field = MATCH_FN;
	atom.part = atom.nocase = false;
	err_set(r->err, ERR_QUERY, atom.at, "no such name");
	r->err->len = atom.len;
	if (r->placed)
		return r->err->kind;
	if (str_find_str(r->typed, set->text) == r->typed.n)
		r->instead = costly_name(r->s->stores[0]);
	if (r->instead.n || lone)
		return r->err->kind;
	/* Names that are spelled almost so are looked for among all. */
	err_clear(r->err);
	match_none(r->s->stores[0], &atom, 0, &r->s->cancel, r->err);
	take_near(r);
	/* qsort has something of ld.so, and is not what was meant. */
	if (str_find_str(r->instead, set->text) == r->instead.n &&
	    str_distance(r->instead, set->text, SLIPS) > SLIPS)
		r->instead.n = 0;
	return r->err->kind;
}

static int look_up_all(struct resolving *r, const struct query *q)
{
	r->finds = q->source.kind == S_FIND;
	for (size_t i = 0; i < SOURCE_SETS; i++)
		if (look_up(r, q->source.sets[i]))
			return r->err->kind;
	for (const struct gstage *g = q->gstages; g; g = g->next)
		if (look_up(r, g->set))
			return r->err->kind;
	return 0;
}

/* 0: the query can run; or what is wrong is in r->err, and r->instead. */
static int try_query(struct resolving *r)
{
	const struct parse_limits l = session_parse_limits(r->s);
	struct check_env env;
	struct stmt *st = NULL;
	uint32_t event;

	r->instead = (struct str){0};
	r->nowhere = false;
	if (parse_text(r->query, &l, r->a, &st, r->err)) {
		take_near(r);
		return r->err->kind;
	}
	for (; st; st = st->next) {
		if (st->is_let)
			continue;
		/* Checking changes the query: its names first. */
		if ((r->nowhere = look_up_all(r, &st->query)))
			return r->err->kind;
		if (session_env(r->s, 0, r->a, &env, r->err))
			return r->err->kind;
		if (check_query(&env, &st->query, r->a, &event, r->err)) {
			take_near(r);
			return r->err->kind;
		}
	}
	return 0;
}

/* May the answer be empty?  That nothing meets a condition is an answer, but not if a note says
 * that no row has the text in it. */
static bool may_be_empty(const struct query *q, const struct statement *run)
{
	bool may = q->source.kind == S_CYCLES;

	for (const struct tstage *st = q->tstages; st; st = st->next)
		may |= st->kind == T_WHERE || st->kind == T_EXPECT || st->kind == T_SKIP;
	return q->source.vs.n || q->source.kind == S_WHY || (may && !run->notes.n);
}

struct trial {
	struct session *s;
	struct str query;
	struct arena *a;
	struct err *err;
	struct statement *run; /* the one that runs */
	bool answers;	       /* one of them has rows, or need not */
};

static int run_guarded(void *arg)
{
	struct trial *t = arg;
	const struct parse_limits l = session_parse_limits(t->s);
	struct err failed = {0};
	struct stmt *st;

	need(parse_text(t->query, &l, t->a, &st, t->err), t->err);
	for (; st; st = st->next) {
		t->answers |= st->is_let;
		if (st->is_let)
			continue;
		if (t->s->safe && (st->query.file.n || st->query.shell.n))
			need_fail(ERR_QUERY, "--safe writes no file and runs no command");
		if (st->query.source.kind == S_ASM) /* runs no other program */
			st->query.source.kind = S_INSTRS;
		t->run = NEED_NEW(t->a, struct statement);
		need(statement_graph(t->s, &st->query, t->query, t->a, t->run, t->err),
		     t->err);
		need(statement_rows(t->s, t->run, &st->query, &failed), t->err);
		need(failed.kind, &failed);
		t->answers |= t->run->t.n || may_be_empty(&st->query, t->run);
	}
	return 0;
}

/* Run it for a sixtieth of what an answer may take, usually a second; what was asked has its own
 * time after that. */
static enum hint_run try_run(struct trial *t)
{
	const uint64_t seconds = t->s->limits.seconds;

	t->s->limits.seconds = seconds > 60 ? seconds / 60 : 1;
	session_guard(run_guarded, t, t->err);
	t->s->limits.seconds = seconds;
	cancel_after(&t->s->cancel, seconds);
	if (!t->err->kind)
		return t->answers ? HINT_ANSWERS : HINT_EMPTY;
	if (t->err->kind != ERR_QUERY)
		return t->err->kind == ERR_EXPECT ? HINT_EMPTY : HINT_LONG;
	return t->run && t->run->x.absent ? HINT_EMPTY : HINT_LACKS;
}

enum hint_run hint_run(struct session *s, struct str query, struct arena *a)
{
	struct err err = {0};

	return try_run(&(struct trial){.s = s, .query = query, .a = a, .err = &err});
}

/* Put r->instead in the place of the mistake. */
static bool mend(struct resolving *r)
{
	const struct str q = r->query;
	size_t at = r->err->at, end = at + r->err->len;

	if (!r->instead.n || !r->err->len || end > q.n)
		return false;
	/* A name in quotes becomes a form without them. */
	if (at && q.p[at - 1] == '"' && end < q.n && q.p[end] == '"') {
		at--;
		end++;
	}
	r->query = arena_printf(r->a, "%.*s%.*s%.*s", (int)at, q.p, STR_ARG(r->instead),
				(int)(q.n - end), q.p + end);
	return r->query.p;
}

/* A comparison with a base that is not open. */
static bool lacks_base(const struct resolving *r)
{
	return r->s->n < 2 && str_starts(str_c(r->err->text),
					 STR("no profile is open under the name 'base'"));
}

/* Mend the query until it can be asked: then it is in r->query, and it has an answer, or r->why
 * says what this profile lacks for one. */
static bool resolves(void *arg, struct str query)
{
	enum { MENDED = 4 };
	struct resolving *r = arg;
	struct trial t = {.s = r->s, .a = r->a, .err = &r->why};
	enum hint_run how;

	err_clear(r->err);
	err_clear(&r->why);
	r->placed = false;
	r->query = arena_printf(r->a, "%.*s", STR_ARG(query));
	for (int i = 0; r->query.p && i < MENDED && try_query(r); i++) {
		if (str_starts(str_c(r->err->hint), str_c(here)))
			r->query = arena_printf(r->a, "%s", r->err->hint + strlen(here));
		else if (!mend(r))
			break;
		err_clear(r->err);
	}
	if (r->err->kind && r->nowhere && !r->reads.n) {
		r->reads = r->query;
		r->missing = (struct str){r->query.p + r->err->at, r->err->len};
	}
	if (!r->query.p || r->err->kind)
		return r->query.p && lacks_base(r);
	if (r->s->set)
		return true;
	t.query = r->query;
	how = try_run(&t);
	if (how != HINT_LACKS)
		err_clear(&r->why);
	return how != HINT_EMPTY;
}

/* Is there no hint, or one that knows less than a query that runs? */
static bool is_guess(const char *hint)
{
	return !hint[0] || str_starts(str_c(hint), STR("did you mean")) ||
	       str_starts(str_c(hint), STR("start with")) ||
	       str_starts(str_c(hint), STR("all paths from A")) ||
	       str_starts(str_c(hint), STR("an event, or"));
}

/* Is the mistake one of a word alone, which mends the query? */
static bool is_mended(const char *text)
{
	static const char *const known[] = {"no event ", "is not an operator here",
					    "no profile is open under"};
	bool is = false;

	for (size_t i = 0; i < COUNT(known); i++)
		is |= strstr(text, known[i]) != NULL;
	return is;
}

/* The statement with the mistake. */
static struct str wrong_statement(struct str typed, uint64_t at)
{
	size_t from = at < typed.n ? at : typed.n, end = from;

	while (from && !strchr(";\n", typed.p[from - 1]))
		from--;
	while (end < typed.n && !strchr(";\n", typed.p[end]))
		end++;
	return str_trim((struct str){typed.p + from, end - from});
}

/* Say what is wrong with the query that comes first, or its form. */
static void put_form(const struct resolving *r, const struct err *first, struct err *err)
{
	const struct str query = r->reads.n ? r->reads : r->query;
	const struct verb *v = verb_find((struct str){query.p, str_find(query, ' ')});

	err->hint[0] = '\0';
	if (first->hint[0] && first->kind == ERR_QUERY && !r->reads.n)
		err_hint(err, "%s", first->hint);
	else if (v && str_starts(r->typed, str_c(v->word)))
		err_hint(err, "its form: %s", v->form);
	else if (r->missing.n)
		err_hint(err, "nothing here is called '%.*s'", STR_ARG(r->missing));
	else
		err_hint(err, "start with top, functions, callers of, path from ... to");
}

/* Does the hint say less than what is wrong with the query that comes first, or its form? */
static bool is_less(const struct resolving *r, const char *said, const struct err *first)
{
	return habit_is_command(str_c(said)) ? first->hint[0] && !r->reads.n
					     : r->reads.n && habit_lead(said);
}

/* Is the statement itself one that answers, with a word in it changed? */
static bool mends(struct resolving *r, struct str query, const struct err *err)
{
	return is_guess(err->hint) && resolves(r, query) &&
	       (r->placed || is_mended(err->text));
}

static void put_query(const struct resolving *r, const char *said, struct err *err)
{
	const size_t own = said ? habit_lead(said) : 0;

	err->hint[0] = '\0';
	if (lacks_base(r))
		err_hint(
			err,
			"it would be: %.*s -- of two profiles: quern new.out base=old.out",
			STR_ARG(r->query));
	else if (r->why.kind)
		err_hint(err, "it would be: %.*s -- %s%s%s", STR_ARG(r->query),
			 r->why.text, r->why.hint[0] ? ": " : "", r->why.hint);
	else
		err_hint(err, "%.*s%.*s", own ? (int)own : (int)strlen(here),
			 own ? said : here, STR_ARG(r->query));
}

/* "did you mean 'show'?" of a question in English: what it would be is no query. */
static void drop_guess(struct resolving *r, struct err *err)
{
	static const char near[] = "did you mean '";

	if (!str_starts(str_c(err->hint), str_c(near)) ||
	    !str_starts(str_c(err->text), STR("no source or stage is called")))
		return;
	err_clear(r->err);
	r->query = query_hinted(r->typed, err, r->a);
	r->query = wrong_statement(r->query, err->at);
	if (!r->query.n || !try_query(r) || r->nowhere)
		return;
	err->hint[0] = '\0';
	err_hint(err, "start with top, functions, callers of, path from ... to");
}

void hint_resolve(struct session *s, struct str typed, struct arena *a, struct err *err)
{
	struct err inner = {0}, first;
	struct resolving r = {.s = s, .typed = typed, .a = a, .err = &inner};
	const struct str query = wrong_statement(typed, err->at);
	const bool known = str_starts(str_c(err->hint), str_c(here));
	char form[HABIT_MAX];
	const char *said;

	if (!s->n || (known && habit_is_command(str_c(err->hint + strlen(here)))))
		return;
	r.query = query;
	/* The mistake shows only as it runs; but "top 2" in quotes is no name. */
	if (!known && !try_query(&r) && !(query.n && query.p[0] == '"'))
		return;
	if (known)
		r.query = arena_printf(a, "%s", err->hint + strlen(here));
	if (!r.query.p || (known && resolves(&r, r.query))) {
		said = NULL;
	} else {
		first = known ? inner : (struct err){0};
		said = habit_query(query, resolves, &r, form);
		if (said ? is_less(&r, said, &first) : known || habit_lead(err->hint)) {
			put_form(&r, &first, err);
			return;
		}
		if (said && habit_is_command(str_c(said)))
			r.query = str_c(said);
		else if (!said && !mends(&r, query, err)) {
			drop_guess(&r, err);
			return;
		}
	}
	if (r.query.p)
		put_query(&r, said, err);
}

struct str query_hinted(struct str text, const struct err *err, struct arena *a)
{
	static const char *const leads[] = {here, "it is only inlined: "};
	const struct str hint = str_c(err->hint);
	struct err as = *err;
	struct resolving r = {.query = text, .a = a};

	if (str_find_str(hint, STR(" ... ")) < hint.n) /* its middle is left out */
		return STR("");
	for (size_t i = 0; i < COUNT(leads); i++)
		if (str_starts(hint, str_c(leads[i]))) {
			r.query = str_from(hint, strlen(leads[i]));
			r.query.n = str_find_str(r.query, STR(" -- "));
			return habit_is_command(r.query) ? STR("") : r.query;
		}
	r.err = &as;
	if (str_starts(hint, STR("did you mean '")))
		take_near(&r);
	return mend(&r) ? r.query : STR("");
}
