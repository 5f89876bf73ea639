/*
 * hint.c - resolve the query of a hint; see hint.h.
 *
 * The query is parsed and checked as if it were asked, and each name in it is looked up.  The
 * first mistake tells what to put in its place, and the rest is checked again.  A name that is
 * no function's, but that of an object, a file or a class, becomes obj:, file: or class:.
 */
#include "engine/hint.h"

#include <stdio.h>
#include <string.h>

#include "engine/check/check.h"
#include "engine/lang/habits.h"
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
	bool placed;	    /* a name became one of an object, file or class */
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

/* Is it the base name, or what stands before its version or ending: libc of libc.so.6? */
static bool is_base_name(struct str path, struct str name)
{
	const struct str base = str_basename(path);

	return str_starts(base, name) && (base.n == name.n || base.p[name.n] == '.');
}

/* Find the object or the file of this name. */
static bool find_place(struct resolving *r, struct str name)
{
	struct store *st = r->s->stores[0];

	r->instead.n = 0;
	for (uint32_t i = 0; !r->instead.n && i < store_info(st)->objects; i++)
		if (is_base_name(store_obj(st, i), name))
			r->instead =
				arena_printf(r->a, "obj:%.*s",
					     STR_ARG(str_basename(store_obj(st, i))));
	for (uint32_t i = 0; !r->instead.n && i < store_info(st)->files; i++)
		if (is_base_name(store_file(st, i), name))
			r->instead =
				arena_printf(r->a, "file:%.*s",
					     STR_ARG(str_basename(store_file(st, i))));
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

static int look_up(struct resolving *r, const struct set *set)
{
	struct match_atom atom;
	const char *near;
	bool found = false, class = false;

	if (!set)
		return 0;
	if (set->op != SET_ATOM)
		return look_up(r, set->a) || look_up(r, set->b);
	if (set->field != MATCH_FN || set->form != MATCH_BARE)
		return 0;
	atom = set_atom(set);
	if (find_name(r, &atom, MATCH_FN, false, &found) || found)
		return r->err->kind;
	r->placed = find_place(r, set->text);
	if (!r->placed && (find_name(r, &atom, MATCH_CLASS, false, &class) ||
			   (!class && find_name(r, &atom, MATCH_FN, true, &found))))
		return r->err->kind;
	if (found)
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
	if (str_find_str(r->typed, set->text) == r->typed.n) {
		r->instead = costly_name(r->s->stores[0]);
		return r->err->kind;
	}
	/* Names that are spelled almost so are looked for among all. */
	err_clear(r->err);
	match_none(r->s->stores[0], &atom, 0, &r->s->cancel, r->err);
	if ((near = strchr(r->err->hint, '\'')))
		r->instead =
			arena_printf(r->a, "%.*s", (int)strcspn(near + 1, "'"), near + 1);
	return r->err->kind;
}

static int look_up_all(struct resolving *r, const struct query *q)
{
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

/* Mend the query until it runs: then it is in r->query. */
static bool resolves(void *arg, struct str query)
{
	enum { MENDED = 4 };
	struct resolving *r = arg;

	err_clear(r->err);
	r->placed = false;
	r->query = arena_printf(r->a, "%.*s", STR_ARG(query));
	for (int i = 0; r->query.p && i < MENDED && try_query(r); i++) {
		if (str_starts(str_c(r->err->hint), str_c(here)))
			r->query = arena_printf(r->a, "%s", r->err->hint + strlen(here));
		else if (!mend(r))
			break;
		err_clear(r->err);
	}
	/* Of a profile that is not open: see hint_second(). */
	return r->query.p &&
	       (!r->err->kind ||
		(r->s->n < 2 &&
		 str_starts(str_c(r->err->text), STR("no profile is open under"))));
}

/* Is there no hint, or one that knows less than a query that runs? */
static bool is_guess(const char *hint)
{
	return !hint[0] || str_starts(str_c(hint), STR("did you mean")) ||
	       str_starts(str_c(hint), STR("start with")) ||
	       str_starts(str_c(hint), STR("an event, or"));
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

void hint_resolve(struct session *s, struct str typed, struct arena *a, struct err *err)
{
	struct err inner = {0};
	struct resolving r = {.s = s, .typed = typed, .a = a, .err = &inner};
	struct str query = wrong_statement(typed, err->at);
	char form[HABIT_MAX];
	const char *said;
	const struct verb *v;

	if (!s->n)
		return;
	if (!str_starts(str_c(err->hint), str_c(here))) {
		r.query = query;
		if (!try_query(&r)) /* what is wrong shows only as it runs */
			return;
		said = habit_query(query, resolves, &r, form);
		if (!said &&
		    (!is_guess(err->hint) || !resolves(&r, query) ||
		     !(r.placed || str_starts(str_c(err->text), STR("no event ")))))
			return;
		if (said && habit_is_command(str_c(said)))
			r.query = str_c(said);
		err->hint[0] = '\0';
		err_hint(err, "%s%.*s", here, STR_ARG(r.query));
		return;
	}
	query = str_c(err->hint + strlen(here));
	if (habit_is_command(query))
		return;
	query = arena_printf(a, "%.*s", STR_ARG(query));
	if (!query.p)
		return;
	err->hint[0] = '\0';
	if (resolves(&r, query)) {
		err_hint(err, "%s%.*s", here, STR_ARG(r.query));
		return;
	}
	v = verb_find((struct str){r.query.p, str_find(r.query, ' ')});
	if (inner.hint[0] && inner.kind == ERR_QUERY)
		err_hint(err, "%s", inner.hint);
	else if (v)
		err_hint(err, "its form: %s", v->form);
}
