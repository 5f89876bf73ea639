/*
 * hint.c - resolve the query of a hint; see hint.h.
 *
 * The query is parsed and checked as if it were asked, and each name in it is looked up.  The
 * first mistake tells what to put in its place, and the rest is checked again.
 */
#include "engine/hint.h"

#include <stdio.h>
#include <string.h>

#include "engine/check/check.h"
#include "engine/lang/keywords.h"
#include "engine/lang/parse.h"
#include "engine/names/match.h"
#include "engine/session.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/store/store.h"

static const char here[] = "here that is: ";

struct resolving {
	struct session *s;
	struct str typed, query;
	struct arena *a;
	struct str instead; /* of the place of the error; or empty */
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

static int look_up(struct resolving *r, const struct set *set)
{
	struct match_atom atom = {.form = MATCH_BARE};
	struct store *st = r->s->stores[0];
	struct match_found found;
	const char *near;

	if (!set)
		return 0;
	if (set->op != SET_ATOM)
		return look_up(r, set->a) || look_up(r, set->b);
	if (set->field != FIELD_FN || set->form != FORM_BARE)
		return 0;
	atom.text = set->text;
	atom.at = set->text_span.at;
	atom.len = (uint32_t)set->text_span.len;
	for (int part = 0; part < 2; part++) {
		atom.part = atom.nocase = part;
		if (match_find(st, &atom, &r->s->cancel, r->a, &found, r->err))
			return r->err->kind;
		if (found.functions)
			return 0;
	}
	atom.part = atom.nocase = false;
	match_none(st, &atom, 0, &r->s->cancel, r->err);
	if (str_find_str(r->typed, set->text) == r->typed.n) {
		r->instead = costly_name(st);
	} else if ((near = strchr(r->err->hint, '\''))) {
		r->instead =
			arena_printf(r->a, "%.*s", (int)strcspn(near + 1, "'"), near + 1);
	}
	return r->err->kind;
}

static int look_up_all(struct resolving *r, const struct query *q)
{
	for (size_t i = 0; i < SOURCE_SETS; i++)
		if (look_up(r, source_set(&q->source, i)))
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
	struct stmt *st;
	uint32_t event;
	const char *near;

	r->instead = (struct str){0};
	if (parse_text(r->query, &l, r->a, &st, r->err))
		return r->err->kind;
	for (; st; st = st->next) {
		if (st->is_let)
			continue;
		/* Checking changes the query: its names first. */
		if (look_up_all(r, &st->query))
			return r->err->kind;
		if (session_env(r->s, 0, r->a, &env, r->err))
			return r->err->kind;
		if (!check_query(&env, &st->query, r->a, &event, r->err))
			continue;
		if (str_starts(str_c(r->err->hint), STR("text needs double quotes: "))) {
			r->instead = arena_printf(r->a, "%s", strchr(r->err->hint, '"'));
		} else if (str_starts(str_c(r->err->hint), STR("did you mean '"))) {
			near = r->err->hint + strlen("did you mean '");
			r->instead =
				arena_printf(r->a, "%.*s", (int)strcspn(near, "'"), near);
		}
		return r->err->kind;
	}
	return 0;
}

/* Put r->instead in the place of the mistake. */
static bool mend(struct resolving *r)
{
	const struct str q = r->query;
	const size_t at = r->err->at, end = at + r->err->len;

	if (!r->instead.n || !r->err->len || end > q.n)
		return false;
	r->query = arena_printf(r->a, "%.*s%.*s%.*s", (int)at, q.p, STR_ARG(r->instead),
				(int)(q.n - end), q.p + end);
	return r->query.p;
}

void hint_resolve(struct session *s, struct str typed, struct arena *a, struct err *err)
{
	enum { MENDED = 4 };
	struct err inner = {0};
	struct resolving r = {.s = s, .typed = typed, .a = a, .err = &inner};
	const struct verb *v;
	struct str word;

	if (!s->n || !str_starts(str_c(err->hint), str_c(here)))
		return;
	r.query = arena_printf(a, "%s", err->hint + strlen(here));
	/* Dot-commands and keys are no queries; "| take 5" is a part of one. */
	if (!r.query.p || strchr(".|!", r.query.p[0]) ||
	    str_starts(r.query, STR("the key")))
		return;
	for (int i = 0; i < MENDED && try_query(&r); i++) {
		if (str_starts(str_c(inner.hint), str_c(here)))
			r.query = arena_printf(a, "%s", inner.hint + strlen(here));
		else if (!mend(&r))
			break;
		err_clear(&inner);
	}
	if (inner.kind == ERR_QUERY && str_find_str(r.query, STR(" vs ")) < r.query.n)
		return; /* of a profile that is not open: see hint_second() */
	err->hint[0] = '\0';
	if (!inner.kind) {
		err_hint(err, "%s%.*s", here, STR_ARG(r.query));
		return;
	}
	word = (struct str){r.query.p, str_find(r.query, ' ')};
	v = verb_find(word);
	if (inner.hint[0] && inner.kind == ERR_QUERY)
		err_hint(err, "%s", inner.hint);
	else if (v)
		err_hint(err, "its form: %s", v->form);
}
