/* set.c - ask the members of a set, one after the other; see set.h. */
#include "engine/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare/vs.h"
#include "engine/gstages/gstage.h"
#include "engine/lang/keywords.h"
#include "engine/set_in.h"
#include "engine/sources/sources.h"
#include "engine/stages/stage.h"
#include "engine/statement.h"
#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/base/vec.h"
#include "index/read/folder.h"

enum { NAMED = 3 }; /* members in a sentence */

static void free_set(struct profile_set *set)
{
	strset_free(&set->texts);
	free(set->unread);
	free(set);
}

int session_set_members(struct session *s, const struct session_members *of,
			struct err *err)
{
	struct profile_set *set = calloc(1, sizeof(*set));

	if (!set || !(set->unread = calloc(of->folder->n + 1, sizeof(bool)))) {
		free(set);
		return err_no_memory(err, NULL);
	}
	set->of = *of;
	set->now = SIZE_MAX;
	s->set = set;
	s->set_free = free_set;
	return 0;
}

/* ---- open and close ---- */

static size_t members(const struct session *s)
{
	return s->set->of.folder->n;
}

static const struct folder_member *member_at(const struct session *s, size_t i)
{
	return &s->set->of.folder->at[i];
}

static struct str name_at(const struct session *s, size_t i)
{
	return str_c(member_at(s, i)->name);
}

/* Those that only the base has, or of which nothing but an index is left, cannot be asked. */
static bool can_ask(const struct session *s, size_t i)
{
	return member_at(s, i)->now.n && !s->set->unread[i];
}

/* The event of all is that of the first. */
static int choose_event(struct session *s, struct err *err)
{
	if (!s->event && session_event(s).n &&
	    !(s->event = session_copy(session_event(s))))
		return err_no_memory(err, NULL);
	return 0;
}

/* Open a member in place of the one that is open.  What is wrong with it has been said. */
static int open_member(struct session *s, size_t i, struct err *err)
{
	struct profile_set *set = s->set;

	if (set->now == i)
		return 0;
	set->now = SIZE_MAX;
	set->of.close(set->of.arg);
	if (set->of.open(set->of.arg, i, err)) {
		if (err->kind != ERR_CANCEL && err->kind != ERR_LIMIT) {
			set->unread[i] = true;
			set->nunread++;
		}
		return err->kind;
	}
	set->now = i;
	return choose_event(s, err) ? err->kind : session_share_costs(s, err);
}

int session_any_open(struct session *s, struct err *err)
{
	struct err last = {0};

	for (size_t i = 0; s->set->now == SIZE_MAX && i < members(s); i++) {
		if (!can_ask(s, i))
			continue;
		last = (struct err){0};
		if (open_member(s, i, &last) && !s->set->unread[i])
			break;
	}
	if (s->set->now == SIZE_MAX)
		*err = last;
	if (s->set->now == SIZE_MAX && !err->kind)
		err_set(err, ERR_PROFILE, ERR_NOWHERE,
			"no profile of the set can be read");
	return err->kind;
}

static size_t find_member(const struct session *s, struct str name)
{
	size_t i = 0;

	while (i < members(s) && !str_eq(name_at(s, i), name) &&
	       !str_eq(str_c(member_at(s, i)->key), name))
		i++;
	return i;
}

int set_open_named(struct session *s, const struct query *q, bool *plain, struct err *err)
{
	size_t i = members(s);

	*plain = q->source.kind == S_LAST;
	for (const struct gstage *g = q->gstages; g && i == members(s); g = g->next)
		if (g->kind == G_IN)
			i = find_member(s, g->name);
	if (i == members(s))
		return 0;
	*plain = true;
	return open_member(s, i, err);
}

int session_unread(const struct session *s, struct err *err)
{
	const struct session_members *of = s->set ? &s->set->of : NULL;
	const size_t n = !of ? 0
			     : s->set->nunread + of->folder->nproblems +
					 (of->bases ? of->bases->nproblems : 0);

	return n ? err_set(err, ERR_PROFILE, ERR_NOWHERE,
			   "the answers are without %s that cannot be read",
			   n == 1 ? "a profile" : "profiles")
		 : 0;
}

/* ---- one member ---- */

struct asking {
	struct session *s;
	struct set_rows *all;
	struct str text;
	size_t at; /* of the statement */
	size_t member;
	bool dissolved;
	struct arena arena;
	struct err err;
	struct statement *run;
};

/* The stages that run for each member alone: up to the last `each`, else the first that ask row by
 * row. */
static const struct tstage *own_stages(const struct tstage *st)
{
	const struct tstage *rest = st;

	for (const struct tstage *one = st; one; one = one->next)
		rest = one->each ? one->next : rest;
	while (rest && rest->kind == T_WHERE)
		rest = rest->next;
	return rest;
}

/* What is not among the first of its member is not among the first of all. */
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
	if (arena_grow(all->a, &all->notes, &all->notes_cap, all->nnotes, all->nnotes + 1,
		       sizeof(*all->notes)))
		need_memory(all->a);
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
			all->doubts.why[i] = need_printf(
				all->a, "%.*s: %.*s", STR_ARG(name_at(k->s, k->member)),
				STR_ARG(run->doubts.why[i]));
}

static bool expects(const struct query *q)
{
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_EXPECT)
			return true;
	return false;
}

static int ask_guarded(void *arg)
{
	struct asking *k = arg;
	struct session *s = k->s;
	const struct parse_limits l = session_parse_limits(s);
	struct statement *run = k->run = NEED_NEW(&k->arena, struct statement);
	struct exec *x = &run->x;
	const struct tstage *rest;
	struct stmt *st;
	struct query *q;
	size_t at = k->at;
	struct vs *v;

	if (parse_next(k->text, &at, &l, &k->arena, &st, &k->err))
		return k->err.kind;
	q = &st->query;
	if (statement_graph(s, q, k->text, &k->arena, run, &k->err))
		return k->err.kind;
	v = run->vs;
	if (v && k->dissolved)
		exec_vs_dissolved(x, run->vs, &v);
	x->whole = q->source.lone;
	if (exec_source(x, &q->source, v, &run->t, q->tstages))
		return k->err.kind;
	add_profile(&run->t, name_at(s, k->member));
	rest = own_stages(q->tstages);
	for (const struct tstage *one = q->tstages; one != rest; one = one->next)
		exec_tstage(x, &run->t, one);
	if (!table_taken(&run->t, STR("profile")))
		add_profile(&run->t, name_at(s, k->member));
	set_fill(&run->t, rest);
	drop_last(x, &run->t, rest);
	if (expects(q))
		need(statement_doubts(s, run, q), &k->err);
	set_add(k->all, &run->t);
	keep_said(k);
	return 0;
}

static void add_asked(struct set_rows *all, struct str name)
{
	if (arena_grow(all->a, &all->asked, &all->asked_cap, all->nasked, all->nasked + 1,
		       sizeof(*all->asked)))
		need_memory(all->a);
	all->asked[all->nasked++] = name;
}

/* The set's event is that of its first member; others that lack it are of another kind. */
static bool has_event(const struct asking *k)
{
	const struct str event = session_event(k->s);
	struct store *st = k->s->stores[0];

	for (uint32_t e = 0; e < store_info(st)->all_events; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		if (str_eq(ev.name, event))
			return true;
	}
	return false;
}

/* Ask one; an error of it is that of the query, unless the member only lacks the name. */
static int ask_one(struct asking *k)
{
	struct set_rows *all = k->all;
	struct session *s = k->s;
	bool absent;

	if (open_member(s, k->member, &k->err))
		return s->set->unread[k->member] ? 0 : k->err.kind;
	if (!has_event(k)) {
		all->other_event++;
		return 0;
	}
	arena_init(&k->arena, s->limits.arena_bytes);
	k->run = NULL;
	session_guard(ask_guarded, k, &k->err);
	absent = k->err.kind == ERR_QUERY && k->run && k->run->x.absent;
	arena_free(&k->arena);
	if (absent && !all->first.kind)
		all->first = k->err;
	if (absent)
		k->err = (struct err){0};
	else if (!k->err.kind)
		all->last = k->member;
	all->absent += absent;
	if (!k->err.kind)
		add_asked(all, name_at(s, k->member));
	return k->err.kind;
}

/* ---- all of them ---- */

/* "decode/large, decode/small, +3" */
static void add_name(struct arena *a, struct str *list, size_t n, struct str name)
{
	if (n < NAMED)
		*list = need_printf(a, "%.*s%s%.*s", STR_ARG(*list), n ? ", " : "",
				    STR_ARG(name));
}

static struct str with_more(struct arena *a, struct str list, size_t n)
{
	return n > NAMED ? need_printf(a, "%.*s, +%s", STR_ARG(list), GROUPED(n - NAMED))
			 : list;
}

static bool compares(const struct session *s, const struct query *q)
{
	return q->source.vs_profile.n && str_eq(q->source.vs_profile, s->set->of.base);
}

static int ask_members(struct asking *k, bool vs)
{
	struct session *s = k->s;

	for (size_t i = 0; i < members(s); i++) {
		k->member = i;
		k->err = (struct err){0};
		if (!can_ask(s, i))
			continue;
		if (vs && !member_at(s, i)->base.n) {
			k->all->without_base++;
			continue;
		}
		if (cancel_poll(&s->cancel, &k->err) || ask_one(k))
			return k->err.kind;
	}
	return 0;
}

/* Nobody has the name, or a base, or the event. */
static int none_asked(const struct asking *k, struct err *err)
{
	const struct set_rows *all = k->all;

	if (all->first.kind) {
		*err = all->first;
		return err->kind;
	}
	if (all->without_base) {
		err_set(err, ERR_QUERY, ERR_NOWHERE, "no profile of the set has a base");
		return err_hint(
			err, "quern FOLDER base=FOLDER; gungraun leaves .out.old of the "
			     "run before");
	}
	if (k->s->set->nunread)
		return session_unread(k->s, err);
	return err_set(err, ERR_QUERY, ERR_NOWHERE, "no profile of the set was asked");
}

/* The graph of one that was asked, for what the stages want to know of the kind of rows. */
static int make_run(struct asking *k, struct query *q, struct statement *run,
		    struct err *err)
{
	if (open_member(k->s, k->all->last, err) ||
	    statement_graph(k->s, q, k->text, k->all->a, run, err))
		return err->kind;
	run->set = k->all;
	run->notes.n = run->hints.n = 0;
	run->doubts = k->all->doubts;
	q->tstages = (struct tstage *)(uintptr_t)own_stages(q->tstages);
	return 0;
}

static void take_rows(const struct statement *run, const struct set_rows *all,
		      struct table *t)
{
	*t = all->t;
	t->x = (struct exec *)(uintptr_t)&run->x;
	t->g = run->x.g;
	t->vs = run->vs;
	t->set = true;
	table_refs(t);
}

static void note_left_out(struct statement *run)
{
	const struct set_rows *all = run->set;
	struct exec *x = &run->x;

	if (all->other_event)
		exec_notef(x, "%s of %s profiles have no %.*s: not asked",
			   GROUPED(all->other_event), GROUPED(members(all->s)),
			   STR_ARG(session_event(all->s)));
	if (all->absent)
		exec_notef(x, "%s of %s profiles have no function of this name",
			   GROUPED(all->absent), GROUPED(members(all->s)));
}

/* Which have no partner: new ones, and those that are gone. */
static void note_partners(struct statement *run)
{
	const struct set_rows *all = run->set;
	const struct session_members *of = &all->s->set->of;
	struct exec *x = &run->x;
	struct str list = STR("");
	size_t n = 0;

	for (size_t i = 0; i < members(all->s); i++)
		if (can_ask(all->s, i) && !member_at(all->s, i)->base.n)
			add_name(x->a, &list, n++, name_at(all->s, i));
	if (n && !all->s->set->told_new)
		exec_notef(x, "%s new, without a base, and not asked: %.*s", GROUPED(n),
			   STR_ARG(with_more(x->a, list, n)));
	all->s->set->told_new = true;
	list = STR("");
	n = 0;
	for (size_t i = 0; of->bases && i < of->bases->n; i++)
		if (of->bases->at[i].before == &of->bases->at[i])
			add_name(x->a, &list, n++, str_c(of->bases->at[i].name));
	if (n)
		(all->s->set->told_gone ? exec_doubt_quietly : exec_doubt)(
			x, DOUBT_GONE,
			need_printf(x->a, "%s only in the base: %.*s", GROUPED(n),
				    STR_ARG(with_more(x->a, list, n))));
	all->s->set->told_gone = true;
}

static void note_members(struct statement *run, bool vs)
{
	const struct set_rows *all = run->set;
	struct exec *x = &run->x;
	enum { NOTES = 8 };

	note_left_out(run);
	if (vs)
		note_partners(run);
	for (size_t i = 0; i < all->nnotes && i < NOTES; i++)
		if (all->notes[i].times == 1 && all->nasked > 1)
			exec_notef(x, "%.*s (1 profile)", STR_ARG(all->notes[i].text));
		else
			exec_notef(x, "%.*s%s", STR_ARG(all->notes[i].text),
				   all->notes[i].times < all->nasked
					   ? need_printf(x->a, " (%s profiles)",
							 GROUPED(all->notes[i].times))
						     .p
					   : "");
	if (all->nnotes > NOTES)
		exec_notef(x, "and %s more notes: in NAME | ... has those of one",
			   GROUPED(all->nnotes - NOTES));
}

static struct set_rows *new_rows(struct session *s, struct arena *a)
{
	struct set_rows *all = NEED_NEW(a, struct set_rows);

	*all = (struct set_rows){
		.s = s, .a = a, .texts = &s->set->texts, .last = SIZE_MAX};
	return all;
}

/* An `expect` that hangs on uncertain partners asks what it would see without them. */
static int ask_dissolved(struct asking *k, const struct query *q)
{
	struct set_rows *all = k->all;

	if (!expects(q) || !all->doubts.why[DOUBT_UNSURE].n ||
	    k->s->accepted & 1u << DOUBT_UNSURE)
		return 0;
	k->all = new_rows(k->s, all->a);
	k->dissolved = true;
	if (ask_members(k, true))
		return k->err.kind;
	all->dissolved = k->all;
	k->all = all;
	return 0;
}

int set_ask(struct session *s, struct query *q, size_t at, struct str text,
	    struct arena *a, struct statement *run, struct err *err)
{
	struct set_rows *all = new_rows(s, a);
	struct asking k = {.s = s, .all = all, .text = text, .at = at};
	const bool vs = compares(s, q);

	strset_free(all->texts);
	s->joins = true;
	if (ask_members(&k, vs) || ask_dissolved(&k, q)) {
		*err = k.err;
		return err->kind;
	}
	if (all->last == SIZE_MAX)
		return none_asked(&k, err);
	if (make_run(&k, q, run, err))
		return err->kind;
	note_members(run, vs);
	take_rows(run, all, &run->t);
	return 0;
}

int set_ask_again(const struct statement *run, struct table *t)
{
	take_rows(run, run->set->dissolved, t);
	return 0;
}

/* Names are kept once each: equal ones are in one place. */
void set_broken(struct statement *run)
{
	struct set_rows *all = run->set;
	const struct table *t = &run->t;
	const struct table_col *c = NULL;
	const size_t n = all->nasked;
	uint8_t *breaks = NEED_ARRAY(run->x.a, uint8_t, n + 1);
	struct strset names = {0};

	for (size_t i = 0; i < t->ncols && !c; i++)
		if (str_eq(t->cols[i]->name, STR("profile")) &&
		    t->cols[i]->type == COL_STR && t->cols[i]->filled)
			c = t->cols[i];
	for (size_t i = 0; i < n && c; i++)
		strset_add(&names, all->asked[i]);
	for (size_t i = 0; i < t->n && c; i++) {
		const uint32_t at = strset_add(&names, c->s[i]);

		if (at < n)
			breaks[at] = 1;
	}
	strset_free(&names);
	all->broken = NEED_ARRAY(run->x.a, struct str, n + 1);
	for (size_t i = 0; i < n; i++)
		if (breaks[i])
			all->broken[all->nbroken++] = all->asked[i];
}

void set_result(struct statement *run, struct result *r)
{
	const struct set_rows *all = run->set;
	struct arena *a = run->x.a;

	r->members = all->asked;
	r->nmembers = all->nasked;
	r->broken = all->broken;
	r->nbroken = all->nbroken;
	r->profile = need_printf(a, "%s profile%s", GROUPED(all->nasked),
				 all->nasked == 1 ? "" : "s");
	r->graph = NULL;
	r->table = NULL;
	r->total = 0;
	if (r->rows)
		r->footer = need_printf(
			a, "%s of %s %s of %.*s", GROUPED(r->rows),
			GROUPED(r->rows_before > r->rows ? r->rows_before : r->rows),
			run->t.src ? run->t.src->rows : "rows", STR_ARG(r->profile));
}

/* ---- members apart ---- */

/* A tree, a path, a text with costs: what is above and below a row says what it means.  So people
 * read one after the other. */
bool set_tells_apart(const struct session *s, const struct query *q)
{
	const enum source_kind kind = q->source.kind;
	const bool tree = kind == S_CALLTREE || kind == S_PATH || kind == S_SOURCE ||
			  kind == S_ASM || kind == S_TIMELINE ||
			  ((kind == S_CALLERS || kind == S_CALLEES) &&
			   (q->source.depth_all || q->source.depth > 1));

	return tree && s->people && !q->tstages && !q->file.n && !q->shell.n;
}

int set_each(struct session *s, const struct query *q, set_one *one, void *arg,
	     struct err *err)
{
	const bool vs = compares(s, q);
	struct err first = {0};
	size_t told = 0;

	for (size_t i = 0; i < members(s); i++) {
		if (!can_ask(s, i) || (vs && !member_at(s, i)->base.n))
			continue;
		if (open_member(s, i, err) && !s->set->unread[i])
			return err->kind;
		err_clear(err);
		if (s->set->unread[i])
			continue;
		if (!one(arg, name_at(s, i))) {
			told++;
		} else if (err->kind != ERR_QUERY) {
			return err->kind;
		} else {
			first = first.kind ? first : *err;
			err_clear(err);
		}
	}
	if (!told && first.kind)
		*err = first;
	return err->kind;
}
