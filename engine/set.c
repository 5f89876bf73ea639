/* set.c - ask the members of a set, one after the other; see set.h. */
#include "engine/set.h"

#include "engine/set_in.h"
#include "engine/statement.h"
#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/read/folder.h"

static bool compares(const struct session *s, const struct query *q)
{
	return (q->source.kind == S_WHY && !q->source.vs.n) ||
	       (q->source.vs_profile.n && str_eq(q->source.vs_profile, s->set->of.base));
}

/* Open each member that can be asked and call one() with it, until there is an error. */
static int each_member(struct session *s, bool vs, void (*one)(void *arg, size_t member),
		       void *arg, struct err *err)
{
	for (size_t i = 0; i < set_members(s) && !err->kind; i++) {
		if (!set_can_ask(s, i) || (vs && !set_member(s, i)->base.n) ||
		    cancel_poll(&s->cancel, err))
			continue;
		if (!set_open(s, i, err))
			one(arg, i);
		else if (set_member(s, i)->unread)
			err_clear(err);
	}
	return err->kind;
}

/* Nobody has the name, or a base, or the event. */
static int none_asked(const struct asking *k, bool vs)
{
	struct err *err = k->err;
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
		const struct set_note *n = &all->notes[i];

		exec_note(x, n->times >= all->nasked
				     ? n->text
				     : need_printf(x->a, "%.*s (%s profile%s)",
						   STR_ARG(n->text), GROUPED(n->times),
						   n->times == 1 ? "" : "s"));
	}
	if (all->nnotes > NOTES)
		exec_notef(x, "and %s more notes: in NAME | ... has those of one",
			   GROUPED(all->nnotes - NOTES));
}

/* An `expect` that hangs on uncertain partners asks what it would see without them. */
static int ask_dissolved(struct asking *k)
{
	struct asking again = *k;

	if (!k->expects || !k->all->doubts.why[DOUBT_UNSURE].n ||
	    k->s->accepted & 1u << DOUBT_UNSURE)
		return 0;
	k->all->dissolved = again.all = set_rows_new(k->s, k->all->a);
	again.dissolved = true;
	return each_member(k->s, true, set_ask_member, &again, k->err);
}

/* A row a member; the query is checked with the names of one of them. */
static int ask_profiles(const struct asking *k, struct query *q, bool vs,
			struct statement *run)
{
	if (q->source.vs.n && !vs)
		return err_set(
			k->err, ERR_QUERY, q->source.vs_span.at,
			"the profiles of a set are compared with their bases: vs %.*s",
			STR_ARG(k->s->set->of.base));
	q->source.vs = q->source.vs_profile = STR("");
	if (statement_graph(k->s, q, k->text, k->all->a, run, k->err))
		return k->err->kind;
	run->set = k->all;
	set_profiles(k->s, q, vs, run);
	q->source.vs = vs ? k->s->set->of.base : STR("");
	return 0;
}

int set_ask(struct session *s, struct query *q, size_t at, struct str text,
	    struct arena *a, struct statement *run, struct err *err)
{
	struct set_rows *all = set_rows_new(s, a);
	struct asking k = {.s = s,
			   .all = all,
			   .text = text,
			   .at = at,
			   .expects = set_expects(q),
			   .err = err};
	const bool vs = compares(s, q);

	s->joins = true;
	strset_free(all->texts);
	if (q->source.kind == S_PROFILES)
		return ask_profiles(&k, q, vs, run);
	if (each_member(s, vs, set_ask_member, &k, err) || ask_dissolved(&k))
		return err->kind;
	if (all->last == SIZE_MAX)
		return none_asked(&k, vs);
	/* The graph of one that was asked: stages want to know of the kind of rows. */
	if (set_open(s, all->last, err) || statement_graph(s, q, text, a, run, err))
		return err->kind;
	run->set = all;
	run->notes.n = run->hints.n = 0;
	run->doubts = all->doubts;
	q->tstages = (struct tstage *)(uintptr_t)set_rest(q);
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
static void tell_one(void *arg, size_t member)
{
	struct telling *k = arg;

	if (!k->one(k->arg, set_member(k->s, member)->name)) {
		k->told = true;
	} else if (k->err->kind == ERR_QUERY) {
		k->first = k->first.kind ? k->first : *k->err;
		err_clear(k->err);
	}
}

int set_each(struct session *s, const struct query *q, set_one *one, void *arg,
	     struct err *err)
{
	struct telling k = {.s = s, .one = one, .arg = arg, .err = err};

	if (!each_member(s, compares(s, q), tell_one, &k, err) && !k.told && k.first.kind)
		*err = k.first;
	return err->kind;
}
