/*
 * set_ask.c - ask one member of a set; see set.h.
 *
 * Its rows go into the table of all, its notes among theirs, and a doubt of it is its own.
 */
#include <string.h>

#include "engine/compare/vs.h"
#include "engine/set_in.h"
#include "engine/sources/sources.h"
#include "engine/stages/stage.h"
#include "engine/statement.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/read/folder.h"

/* The stages that see the rows of all: those behind the last `each`, else behind the first ones that
 * ask row by row.  Causes are joined first. */
const struct tstage *set_rest(const struct query *q)
{
	const struct tstage *rest = q->tstages;

	if (q->source.kind == S_WHY)
		return rest;
	for (const struct tstage *one = rest; one; one = one->next)
		rest = one->each ? one->next : rest;
	while (rest && rest->kind == T_WHERE)
		rest = rest->next;
	return rest;
}

/* A row that is not among the first of its member is not among the first of all. */
static void drop_last(struct exec *x, struct table *t, const struct tstage *rest)
{
	const struct tstage *take = rest && rest->kind == T_SORT ? rest->next : rest;

	if (!take || take->kind != T_TAKE)
		return;
	if (take != rest)
		exec_tstage(x, t, rest);
	exec_tstage(x, t, take);
}

/* The column `profile` comes first, in place of one that the source has. */
static void add_profile(struct table *t, struct str member)
{
	struct table_col *c;

	for (size_t i = 0; i < t->ncols; i++)
		if (str_eq(t->cols[i]->name, STR("profile")))
			t->cols[i]->machine = t->cols[i]->table = false;
	table_append(t, STR("profile"), COL_STR, &c);
	for (size_t i = 0; i < t->n; i++)
		c->s[i] = member;
	memmove(&t->cols[1], &t->cols[0], (t->ncols - 1) * sizeof(*t->cols));
	t->cols[0] = c;
}

static void keep_note(struct set_rows *all, struct str text)
{
	for (size_t i = 0; i < all->nnotes; i++)
		if (str_eq(all->notes[i].text, text)) {
			all->notes[i].times++;
			return;
		}
	need_grow(all->a, &all->notes, &all->notes_cap, all->nnotes, all->nnotes + 1,
		  sizeof(*all->notes));
	all->notes[all->nnotes++] = (struct set_note){need_str(all->a, text), 1};
}

static void keep_said(const struct asking *k)
{
	const struct statement *run = k->run;
	struct set_rows *all = k->all;

	for (size_t i = 0; i < run->notes.n; i++)
		keep_note(all, run->notes.at[i]);
	for (int i = 0; i < DOUBTS; i++)
		if (run->doubts.why[i].n && !all->doubts.why[i].n)
			all->doubts.why[i] =
				need_printf(all->a, "%.*s: %.*s",
					    STR_ARG(set_member(k->s, k->member)->name),
					    STR_ARG(run->doubts.why[i]));
}

/* Is the member doubted, so that its rows tell nothing? */
static bool is_doubted(struct asking *k)
{
	struct exec *x = &k->run->x;
	enum doubt kind;

	need(statement_doubts(k->s, k->run, k->q), k->err);
	exec_doubt_paired(x, &k->run->t);
	kind = exec_doubted(x);
	if (kind == DOUBTS || kind == DOUBT_UNSURE)
		return false;
	set_add_doubt(k->all, set_member(k->s, k->member)->name, kind,
		      x->doubts->why[kind]);
	*x->doubts = (struct doubts){0};
	return true;
}

/* The source of the statement, and the stages that are of each, on the member that is open. */
static int ask_guarded(void *arg)
{
	struct asking *k = arg;
	const struct str name = set_member(k->s, k->member)->name;
	const struct parse_limits l = session_parse_limits(k->s);
	struct statement *run = k->run = NEED_NEW(k->arena, struct statement);
	const struct tstage *left;
	struct table *t = &run->t;
	size_t at = k->at;
	struct stmt *st;
	struct vs *v;

	if (parse_next(k->text, &at, &l, k->arena, &st, k->err))
		return k->err->kind;
	k->q = &st->query;
	if (statement_graph(k->s, k->q, k->text, k->arena, run, k->err))
		return k->err->kind;
	v = run->vs;
	if (v && k->dissolved)
		exec_vs_dissolved(&run->x, run->vs, &v);
	run->x.whole = k->q->source.lone;
	exec_source(&run->x, &k->q->source, v, t, k->q->tstages);
	left = set_rest(k->q);
	add_profile(t, name);
	for (const struct tstage *one = k->q->tstages; one != left; one = one->next)
		exec_tstage(&run->x, t, one);
	if (!table_taken(t, STR("profile")))
		add_profile(t, name);
	set_fill(t, left);
	if (k->q->source.kind != S_WHY)
		drop_last(&run->x, t, left);
	if (k->expects && is_doubted(k))
		t->n = 0;
	set_add(k->all, t);
	keep_said(k);
	return 0;
}

/* The set's event is that of its first member; others that lack it are of another kind. */
static bool has_event(const struct session *s)
{
	const struct store *st = s->stores[0];

	return store_event_find(st, session_event(s)) < store_info(st)->all_events;
}

/* Other members answered the query, this one could not. */
static void name_error(struct err *err, struct str member)
{
	const struct err was = *err;

	err_clear(err);
	err_set(err, was.kind, was.at, "%.*s: %s", STR_ARG(member), was.text);
	err->len = was.len;
	memcpy(err->hint, was.hint, sizeof(err->hint));
}

/* Ask one; an error of it is that of the query, unless the member only lacks the name.  Without the
 * event its cost is not known, so an `expect` cannot hold. */
void set_ask_member(void *arg, size_t member)
{
	struct asking *k = arg;
	struct set_rows *all = k->all;
	const struct str name = set_member(k->s, member)->name;
	struct arena arena;

	if (!has_event(k->s)) {
		all->other_event++;
		if (!k->expects)
			return;
		set_add_doubt(all, name, DOUBT_EMPTY,
			      need_printf(all->a, "it has no %.*s",
					  STR_ARG(session_event(all->s))));
		set_add_asked(all, name);
		return;
	}
	arena_init(&arena, k->s->limits.arena_bytes);
	k->member = member;
	k->arena = &arena;
	k->run = NULL;
	session_guard(ask_guarded, k, k->err);
	if (!k->err->kind) {
		all->last = member;
	} else if (k->err->kind == ERR_QUERY && k->run && k->run->x.absent) {
		all->absent++;
		if (!all->first.kind)
			all->first = *k->err;
		err_clear(k->err);
	} else if (k->err->kind == ERR_QUERY && all->nasked) {
		name_error(k->err, name);
	}
	if (!k->err->kind)
		set_add_asked(all, name);
	arena_free(&arena);
}

struct set_rows *set_rows_new(struct session *s, struct arena *a)
{
	struct set_rows *all = NEED_NEW(a, struct set_rows);

	*all = (struct set_rows){
		.s = s, .a = a, .texts = &s->set->texts, .last = SIZE_MAX};
	return all;
}
