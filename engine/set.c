/* set.c - ask the members of a set, one after the other; see set.h. */
#include "engine/set.h"

#include <string.h>

#include "engine/compare/vs.h"
#include "engine/set_in.h"
#include "engine/sources/sources.h"
#include "engine/stages/stage.h"
#include "engine/statement.h"
#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/read/folder.h"

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

/* Causes are joined first. */
static const struct tstage *rest_of(const struct query *q)
{
	return q->source.kind == S_WHY ? q->tstages : own_stages(q->tstages);
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

	need(statement_doubts(k->s, k->run, k->q), &k->err);
	exec_doubt_paired(x, &k->run->t);
	kind = exec_doubted(x);
	if (kind == DOUBTS || kind == DOUBT_UNSURE)
		return false;
	set_add_doubt(k->all, set_member(k->s, k->member)->name, kind,
		      x->doubts->why[kind]);
	*x->doubts = (struct doubts){0};
	return true;
}

static int ask_guarded(void *arg)
{
	struct asking *k = arg;
	struct table *t;
	const struct tstage *left;

	if (set_run(k))
		return k->err.kind;
	t = &k->run->t;
	left = rest_of(k->q);
	add_profile(t, set_member(k->s, k->member)->name);
	for (const struct tstage *one = k->q->tstages; one != left; one = one->next)
		exec_tstage(&k->run->x, t, one);
	if (!table_taken(t, STR("profile")))
		add_profile(t, set_member(k->s, k->member)->name);
	set_fill(t, left);
	if (k->q->source.kind != S_WHY)
		drop_last(&k->run->x, t, left);
	if (k->expects && is_doubted(k))
		t->n = 0;
	set_add(k->all, t);
	keep_said(k);
	return 0;
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

/* Its cost now is not known, so an `expect` cannot hold. */
static void doubt_event(struct set_rows *all, struct str name)
{
	set_add_doubt(
		all, name, DOUBT_EMPTY,
		need_printf(all->a, "it has no %.*s", STR_ARG(session_event(all->s))));
	set_add_asked(all, name);
}

/* Other members answered the query, this one could not. */
static void name_error(struct err *err, struct str member)
{
	struct err named = {0};

	err_set(&named, err->kind, err->at, "%.*s: %s", STR_ARG(member), err->text);
	named.len = err->len;
	if (err->hint[0])
		err_hint(&named, "%s", err->hint);
	*err = named;
}

/* Ask one; an error of it is that of the query, unless the member only lacks the name. */
static int ask_one(struct asking *k)
{
	struct set_rows *all = k->all;
	struct session *s = k->s;
	struct arena arena;
	bool absent;

	if (set_open(s, k->member, &k->err))
		return s->set->unread[k->member] ? 0 : k->err.kind;
	if (!has_event(k)) {
		all->other_event++;
		if (k->expects)
			doubt_event(all, set_member(s, k->member)->name);
		return 0;
	}
	arena_init(&arena, s->limits.arena_bytes);
	k->arena = &arena;
	k->run = NULL;
	session_guard(ask_guarded, k, &k->err);
	absent = k->err.kind == ERR_QUERY && k->run && k->run->x.absent;
	if (k->err.kind == ERR_QUERY && !absent && all->nasked)
		name_error(&k->err, set_member(s, k->member)->name);
	arena_free(&arena);
	if (absent && !all->first.kind)
		all->first = k->err;
	if (absent)
		k->err = (struct err){0};
	else if (!k->err.kind)
		all->last = k->member;
	all->absent += absent;
	if (!k->err.kind)
		set_add_asked(all, set_member(s, k->member)->name);
	return k->err.kind;
}

/* ---- all of them ---- */

static bool compares(const struct session *s, const struct query *q)
{
	return (q->source.kind == S_WHY && !q->source.vs.n) ||
	       (q->source.vs_profile.n && str_eq(q->source.vs_profile, s->set->of.base));
}

/* Call one() with each member that can be asked, until it returns what is not 0. */
static int each_member(const struct session *s, bool vs,
		       int (*one)(void *arg, size_t member), void *arg)
{
	int rc = 0;

	for (size_t i = 0; i < set_members(s) && !rc; i++)
		if (set_can_ask(s, i) && (!vs || set_member(s, i)->base.n))
			rc = one(arg, i);
	return rc;
}

static int ask_member(void *arg, size_t member)
{
	struct asking *k = arg;

	k->member = member;
	k->err = (struct err){0};
	return cancel_poll(&k->s->cancel, &k->err) || ask_one(k) ? k->err.kind : 0;
}

/* Nobody has the name, or a base, or the event. */
static int none_asked(const struct asking *k, bool vs, struct err *err)
{
	size_t without;

	set_list_members(k->s, k->all->a, false, &without);
	if (k->all->first.kind) {
		*err = k->all->first;
	} else if (vs && without) {
		err_set(err, ERR_QUERY, ERR_NOWHERE, "no profile of the set has a base");
		err_hint(err, "quern FOLDER base=FOLDER; gungraun leaves .out.old of the "
			      "run before");
	} else if (!session_unread(k->s, err)) {
		err_set(err, ERR_QUERY, ERR_NOWHERE, "no profile of the set was asked");
	}
	return err->kind;
}

/* The graph of one that was asked, for what the stages want to know of the kind of rows. */
static int make_run(struct asking *k, struct query *q, struct statement *run,
		    struct err *err)
{
	if (set_open(k->s, k->all->last, err) ||
	    statement_graph(k->s, q, k->text, k->all->a, run, err))
		return err->kind;
	run->set = k->all;
	run->notes.n = run->hints.n = 0;
	run->doubts = k->all->doubts;
	q->tstages = (struct tstage *)(uintptr_t)rest_of(q);
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
}

/* Which have no partner, new ones and those that are gone, is said once. */
static void note_partners(struct statement *run, bool expects)
{
	struct session *s = run->set->s;
	size_t new;
	const struct str list = set_list_members(s, run->x.a, false, &new);

	if (new && !s->set->told)
		exec_notef(&run->x, "%s new, without a base, and not asked: %.*s",
			   GROUPED(new), STR_ARG(list));
	set_doubt_gone(run, expects, false);
	s->set->told = true;
}

static void note_left_out(struct exec *x, const struct set_rows *all, size_t n,
			  const char *what)
{
	if (n)
		exec_notef(x, "%s of %s profiles have no %s", GROUPED(n),
			   GROUPED(set_members(all->s) - all->s->set->of.folder->gone),
			   what);
}

static void note_members(struct statement *run, bool vs, bool expects)
{
	const struct set_rows *all = run->set;
	struct exec *x = &run->x;
	enum { NOTES = 8 };

	note_left_out(
		x, all, all->other_event,
		need_printf(x->a, "%.*s: not asked", STR_ARG(session_event(all->s))).p);
	note_left_out(x, all, all->absent, "function of this name");
	if (vs)
		note_partners(run, expects);
	for (size_t i = 0; i < all->nnotes && i < NOTES; i++) {
		const size_t times = all->notes[i].times;
		const bool some = times < all->nasked;

		exec_notef(x, "%.*s%s%s%s", STR_ARG(all->notes[i].text), some ? " (" : "",
			   some ? GROUPED(times) : "",
			   !some	? ""
			   : times == 1 ? " profile)"
					: " profiles)");
	}
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
static int ask_dissolved(struct asking *k)
{
	struct asking again = *k;

	if (!k->expects || !k->all->doubts.why[DOUBT_UNSURE].n ||
	    k->s->accepted & 1u << DOUBT_UNSURE)
		return 0;
	again.all = new_rows(k->s, k->all->a);
	again.dissolved = true;
	k->all->dissolved = again.all;
	if (each_member(k->s, true, ask_member, &again))
		k->err = again.err;
	return k->err.kind;
}

/* A row a member; the query is checked with the names of one of them. */
static int ask_profiles(struct session *s, struct query *q, struct str text,
			struct arena *a, struct statement *run, struct err *err)
{
	const bool vs = compares(s, q);

	if (q->source.vs.n && !vs)
		return err_set(
			err, ERR_QUERY, q->source.vs_span.at,
			"the profiles of a set are compared with their bases: vs %.*s",
			STR_ARG(s->set->of.base));
	q->source.vs = q->source.vs_profile = STR("");
	if (statement_graph(s, q, text, a, run, err))
		return err->kind;
	run->set = new_rows(s, a);
	set_profiles(s, q, vs, run);
	q->source.vs = vs ? s->set->of.base : STR("");
	return 0;
}

int set_ask(struct session *s, struct query *q, size_t at, struct str text,
	    struct arena *a, struct statement *run, struct err *err)
{
	struct set_rows *all = new_rows(s, a);
	struct asking k = {
		.s = s, .all = all, .text = text, .at = at, .expects = set_expects(q)};
	const bool vs = compares(s, q);

	s->joins = true;
	if (q->source.kind == S_PROFILES)
		return ask_profiles(s, q, text, a, run, err);
	strset_free(all->texts);
	if (each_member(s, vs, ask_member, &k) || ask_dissolved(&k)) {
		*err = k.err;
		return err->kind;
	}
	if (all->last == SIZE_MAX)
		return none_asked(&k, vs, err);
	if (make_run(&k, q, run, err))
		return err->kind;
	note_members(run, vs, k.expects);
	take_rows(run, all, &run->t);
	if (q->source.kind == S_WHY)
		set_join_causes(all, &run->t);
	table_refs(&run->t);
	return 0;
}

void set_ask_again(const struct statement *run, struct table *t)
{
	take_rows(run, run->set->dissolved, t);
	table_refs(t);
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
	if (run->t.footer.n)
		r->footer = need_printf(a, "%s of %.*s shown; %.*s", GROUPED(r->rows),
					STR_ARG(r->profile), STR_ARG(run->t.footer));
	else if (r->rows)
		r->footer = need_printf(
			a, "%s of %s %s of %.*s", GROUPED(r->rows),
			GROUPED(r->rows_before > r->rows ? r->rows_before : r->rows),
			run->t.src ? run->t.src->rows : "rows", STR_ARG(r->profile));
}

/* ---- members apart ---- */

/* A tree, a path, a text with costs: what is above and below a row says what it means.  So people
 * read one after the other.  Below a folder each has a file. */
bool set_tells_apart(const struct session *s, const struct query *q)
{
	const enum source_kind kind = q->source.kind;
	const bool tree = kind == S_CALLTREE || kind == S_PATH || kind == S_SOURCE ||
			  kind == S_ASM || kind == S_TIMELINE ||
			  ((kind == S_CALLERS || kind == S_CALLEES) &&
			   (q->source.depth_all || q->source.depth > 1));

	return (tree && s->people && !q->tstages && !q->file.n && !q->shell.n) ||
	       str_ends(q->file, STR("/"));
}

struct telling {
	struct session *s;
	set_one *one;
	void *arg;
	struct err *err, first;
	bool told;
};

/* A member that cannot answer is an error only if no other can. */
static int tell_one(void *arg, size_t member)
{
	struct telling *k = arg;

	if (set_open(k->s, member, k->err)) {
		if (k->s->set->unread[member])
			err_clear(k->err);
		return k->err->kind;
	}
	if (!k->one(k->arg, set_member(k->s, member)->name)) {
		k->told = true;
		return 0;
	}
	if (k->err->kind != ERR_QUERY)
		return k->err->kind;
	if (!k->first.kind)
		k->first = *k->err;
	err_clear(k->err);
	return 0;
}

int set_each(struct session *s, const struct query *q, set_one *one, void *arg,
	     struct err *err)
{
	struct telling k = {.s = s, .one = one, .arg = arg, .err = err};

	if (!each_member(s, compares(s, q), tell_one, &k) && !k.told && k.first.kind)
		*err = k.first;
	return err->kind;
}
