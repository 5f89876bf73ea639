/*
 * query.c - run a text statement by statement; see query.h.
 *
 * A query is checked and its graph made (statement.c), then its rows (statement_rows.c).
 * The result goes to the sink, and is kept as `_` (last.c).
 */
#include "engine/query.h"

#include <stdio.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/gstages/graph_cache.h"
#include "engine/hint.h"
#include "engine/inline/inlines.h"
#include "engine/lang/result.h"
#include "engine/names/match.h"
#include "engine/names/name.h"
#include "engine/rows/doubt.h"
#include "engine/session.h"
#include "engine/set.h"
#include "engine/statement.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/base/vec.h"

static int run_let(struct session *s, struct let *let, struct arena *a, struct err *err)
{
	struct check_env env;
	bool is_cost;

	if (session_let_cost(s, let, a, &is_cost, err) ||
	    (s->n && !is_cost &&
	     (session_env(s, 0, a, &env, err) || check_let(&env, let, a, err))))
		return err->kind;
	return session_set_let(s, let, err);
}

/* An error of the program that shows the answer points at the output clause. */
static void place_of_output(struct err *err, const struct query *q, struct str text)
{
	const struct str *to = q->file.n ? &q->file : &q->shell;
	const struct tstage *as = NULL;

	if (err->len || err->kind == ERR_CANCEL)
		return;
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_AS)
			as = st;
	if (as && err->kind == ERR_QUERY) {
		err->at = as->span.at;
		err->len = (uint32_t)as->span.len;
	} else if (to->n && to->p >= text.p && to->p + to->n <= text.p + text.n) {
		err->at = (uint64_t)(to->p - text.p);
		err->len = (uint32_t)to->n;
	} else if (err->kind == ERR_OUTPUT) {
		err->at = ERR_NOWHERE;
	}
}

static int give_result(struct session *s, struct statement *run, const struct stmt *st,
		       struct str text, query_sink *sink, void *arg, struct err *err)
{
	/* The limit does not cover the time in which a reader turns the pages: the sink knows
	 * how long it waits. */
	s->due_ns = s->cancel.deadline_ns;
	cancel_after(&s->cancel, 0);
	if (sink(arg, &run->r, err))
		place_of_output(err, &st->query, text);
	cancel_after(&s->cancel, 0);
	return err->kind;
}

/* The statement as it asks inlined code: whoever reads the source does not see what the
 * compiler inlines. */
static struct str with_inlined(const struct stmt *st, struct str text, struct arena *a)
{
	const struct source *src = &st->query.source;
	/* Lines are of whole functions: there the name alone is asked. */
	const bool lines = src->of && (src->kind == S_LINES || src->kind == S_INSTRS ||
				       src->kind == S_JUMPS || src->kind == S_SOURCE ||
				       src->kind == S_ASM);
	const struct span span = lines ? src->of->span : st->span;

	if (lines && st->query.gstages)
		return (struct str){0};
	return arena_printf(a, "with inlined | %s%.*s", lines ? "find " : "",
			    (int)span.len, text.p + span.at);
}

struct running {
	struct session *s;
	struct str text;
	struct arena *a;
	query_sink *sink;
	void *arg;
	struct err *err;
	struct stmt *st; /* that is run */
};

/* Does a query of inlined code have an answer?  Lines alone tell no names of it. */
static bool answers(struct session *s, struct str text, struct arena *a)
{
	bool named = false;

	for (size_t i = 0; i < s->n; i++)
		named |= store_info(s->stores[i])->has_instr ||
			 store_info(s->stores[i])->inlined;
	return text.p && named && hint_run(s, text, a) == HINT_ANSWERS;
}

/* No function has a name of the statement: say so if inlined code has it. */
static int hint_inlined(struct session *s, const struct stmt *st, struct str text,
			struct arena *a, struct err *err)
{
	const struct str ask = with_inlined(st, text, a);

	if (!answers(s, ask, a))
		return err->kind;
	if (st->query.source.lone) {
		err_clear(err);
		err_set(err, ERR_QUERY, st->span.at, "no function matches '%.*s'",
			(int)st->span.len, text.p + st->span.at);
		err->len = (uint32_t)st->span.len;
	}
	err->hint[0] = '\0';
	return err_hint(err, "it is only inlined: %.*s", STR_ARG(ask));
}

/* Functions with a part of a name are taken: say so if inlined code has the whole. */
static int note_inlined(struct session *s, struct statement *run, const struct stmt *st)
{
	struct exec *x = &run->x;
	const struct str name = run->part, ask = with_inlined(st, x->text, x->a);

	if (!name.n || !ask.n || x->g->inlined.extra ||
	    !answers(s, arena_printf(x->a, "with inlined | %.*s", STR_ARG(name)), x->a))
		return 0;
	exec_notef(x, "inlined code is called %.*s: %.*s", STR_ARG(name), STR_ARG(ask));
	return 0;
}

struct asking {
	struct session *s;
	struct statement *run;
	struct query *q;
	struct str text;
	struct arena *a;
	struct err *err, *failed;
	size_t at; /* of the statement */
	bool set;  /* all members of a set are asked */
};

static int ask_guarded(void *arg)
{
	const struct asking *k = arg;

	return (k->set ? set_ask(k->s, k->q, k->at, k->text, k->a, k->run, k->err)
		       : statement_graph(k->s, k->q, k->text, k->a, k->run, k->err)) ||
	       statement_rows(k->s, k->run, k->q, k->failed);
}

/* Of pairs that are not certain only `unsure` tells. */
static bool is_doubted(enum doubt first)
{
	return first != DOUBTS && first != DOUBT_UNSURE;
}

static int ask_query(struct session *s, struct stmt *st, struct str text, struct arena *a,
		     query_sink *sink, void *arg, struct err *err, bool set,
		     struct str member)
{
	struct statement *run = NEED_NEW(a, struct statement);
	struct err failed = {0};
	struct asking ask = {s, run, &st->query, text, a, err, &failed, st->span.at, set};

	s->joins = false;
	if (s->n == 0) {
		err_set(err, ERR_QUERY, st->span.at, "no profile is open");
		return err_hint(err, ".open PROFILE");
	}
	if (st->query.source.kind == S_LAST && s->last_rows)
		return err_set(err, ERR_LIMIT, st->span.at,
			       "the last result had %s rows, too many "
			       "to keep as '_'",
			       GROUPED(s->last_rows));
	if (map_guard(ask_guarded, &ask, ERR_INDEX, err)) {
		if (st->query.source.lone && run->x.absent)
			parse_lone_unknown(text, &st->query.source, err);
		return run->x.absent && err->kind == ERR_QUERY
			       ? hint_inlined(s, st, text, a, err)
			       : err->kind;
	}
	if (failed.kind) {
		if (statement_result(s, run, st))
			return err->kind;
		run->r.why = str_c(failed.text);
		run->r.doubted = run->unsure || is_doubted(exec_doubted(&run->x));
		if (!give_result(s, run, st, text, sink, arg, err))
			*err = failed;
		return err->kind;
	}
	if ((!set && note_inlined(s, run, st)) || statement_result(s, run, st))
		return err->kind;
	run->r.member = member;
	give_result(s, run, st, text, sink, arg, err);
	if (st->next || !s->ends)
		session_keep_last(s, &run->r);
	return err->kind;
}

static int ask_apart(void *arg, struct str member)
{
	struct running *r = arg;
	const struct parse_limits l = session_parse_limits(r->s);
	size_t at = r->st->span.at;
	struct stmt *st;

	return parse_next(r->text, &at, &l, r->a, &st, r->err) ||
	       ask_query(r->s, st, r->text, r->a, r->sink, r->arg, r->err, false, member);
}

static int run_query(struct running *r)
{
	struct query *q = &r->st->query;
	bool one = true;

	if (r->s->set && set_open_named(r->s, q, &one, r->err))
		return r->err->kind;
	if (!one && set_tells_apart(r->s, q))
		set_each(r->s, q, ask_apart, r, r->err);
	else
		ask_query(r->s, r->st, r->text, r->a, r->sink, r->arg, r->err, !one,
			  STR(""));
	return r->err->kind;
}

static int try_stage(void *arg)
{
	const struct running *r = arg;
	const struct parse_limits l = session_parse_limits(r->s);
	struct query q = {.source = {.kind = S_FUNCTIONS}};
	struct statement run;

	if (parse_gstage_text(r->text, &l, r->a, &q.gstages, r->err))
		return r->err->kind;
	/* Report a name that matches nothing now, not with every later query. */
	return r->s->n && !r->s->set
		       ? statement_graph(r->s, &q, r->text, r->a, &run, r->err)
		       : 0;
}

int session_push(struct session *s, struct str gstage, struct err *err)
{
	struct arena a;
	struct running r = {.s = s, .text = gstage, .a = &a, .err = err};
	char *p;
	int rc;

	arena_init(&a, s->limits.arena_bytes);
	rc = session_query_scope(s, gstage, err);
	if (!rc)
		rc = session_guard(try_stage, &r, err);
	session_scope_end(s);
	arena_free(&a);
	if (rc)
		return rc;
	if (vec_reserve(&s->filters, &s->filters_cap, s->nfilters + 1,
			sizeof(*s->filters)) ||
	    !(p = session_copy(gstage)))
		return err_no_memory(err, NULL);
	s->filters[s->nfilters++] = (struct str){p, gstage.n};
	return 0;
}

/* A position in the text of a filter or a `let` means nothing in the query. */
static void fix_place(struct err *err, const struct stmt *st)
{
	if (err->kind && err->len == 0 && err->at != ERR_NOWHERE) {
		err->at = st->span.at;
		err->len = (uint32_t)(st->span.len ? st->span.len : 1);
	}
}

/* A name alone must be a function's, or it is a word that does not exist: the script is
 * wrong, and nothing of it is run. */
int session_check_lone(struct session *s, const struct stmt *st, struct str text,
		       struct arena *a, struct err *err)
{
	const struct set *of = st->query.source.of;
	struct match_atom atom;
	struct match_found found;

	if (st->is_let || !st->query.source.lone || !s->n || s->set ||
	    st->query.gstages || of->op != SET_ATOM || of->field != MATCH_FN ||
	    of->form != MATCH_BARE)
		return 0;
	atom = set_atom(of);
	if (match_find(s->stores[0], &atom, &s->cancel, a, &found, err))
		return err->kind;
	if (found.functions)
		return 0;
	match_none(s->stores[0], &atom, 0, &s->cancel, err);
	return parse_lone_unknown(text, &st->query.source, err);
}

static int run_statement(void *arg)
{
	struct running *r = arg;

	return r->st->is_let ? run_let(r->s, &r->st->let, r->a, r->err) : run_query(r);
}

/* The memory of the query is in the arena, and what else it holds is released (map_hold()). */
static int run_guarded(void *arg)
{
	struct running *r = arg;
	struct parse_limits l = session_parse_limits(r->s);
	struct stmt *st;
	int rc = parse_text(r->text, &l, r->a, &st, r->err);

	if (!rc && r->s->set)
		rc = session_any_open(r->s, r->err);
	for (const struct stmt *one = st; !rc && one; one = one->next)
		if ((rc = session_check_lone(r->s, one, r->text, r->a, r->err)))
			hint_inlined(r->s, one, r->text, r->a, r->err);
	for (; !rc && st; st = st->next) {
		r->st = st;
		rc = session_guard(run_statement, r, r->err);
		graph_cache_trim(r->s->graphs);
		flow_cache_trim(r->s->flows);
		inlines_save(r->s->inlines);
		if (rc)
			fix_place(r->err, st);
	}
	if (rc && r->err->kind == ERR_QUERY)
		hint_resolve(r->s, r->text, r->a, r->err);
	return rc;
}

int query_run(struct session *s, struct str text, struct arena *a, query_sink *sink,
	      void *arg, struct err *err)
{
	struct running r = {s, text, a, sink, arg, err, NULL};
	uint64_t bytes = s->limits.arena_bytes;
	size_t cap = a->cap;
	int rc;

	if (!a->cap || a->cap - (a->used < a->cap ? a->used : a->cap) > bytes)
		a->cap = a->used + bytes;
	if (!(rc = session_query_scope(s, text, err)) &&
	    !(rc = session_share_costs(s, err)))
		rc = session_guard(run_guarded, &r, err);
	session_scope_end(s);
	/* Damaged data reads as zeros: "no function matches" would be a wrong answer. */
	if (err->kind == ERR_QUERY || err->kind == ERR_EXPECT) {
		struct err damage = {0};

		if (session_check(s, &damage))
			*err = damage;
	}
	a->cap = cap;
	return rc ? err->kind : 0;
}
