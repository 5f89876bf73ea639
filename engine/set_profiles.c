/*
 * set_profiles.c - `profiles` of a set: a row for each, with its base, the change and its cause.
 *
 * For a total no index is made: each profile is read as it is, several at once.  Causes are looked
 * for in the rows that are left by then.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/compare/vs.h"
#include "engine/rows/exec.h"
#include "engine/rows/set_columns.h"
#include "engine/set_in.h"
#include "engine/stages/stage.h"
#include "engine/statement.h"
#include "index/base/cancel.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/base/ordered.h"
#include "index/build.h"
#include "index/merge/profile.h"
#include "index/read/folder.h"

enum { GONE = 1, NEW, SAME, MORE, LESS, KINDS };

/* What is seen of one side at a glance; texts are malloc'd. */
struct glance {
	struct str event;
	uint64_t parts, functions;
	int64_t total;
	char *creator, *cmd;
	bool seen, has_event, truncated;
	struct err err;
};

struct member_row {
	const struct folder_member *of; /* NULL: only the base has it */
	struct str name;
	size_t member;
	struct glance now, base;
};

struct looking {
	struct map_held held;
	struct session *s;
	struct member_row *row;
	size_t n;
	bool vs;
	struct build_opts opts;
};

/* ---- at a glance ---- */

static int see(void *arg, struct profile *p, struct err *err)
{
	struct glance *g = arg;
	const uint32_t e = profile_event(p, g->event);

	g->parts = p->npart;
	g->functions = p->nfn;
	g->has_event = e != HASH_NONE && e < p->nevent;
	for (size_t f = 0; f < p->nfn && g->has_event; f++)
		cost_add(&g->total, p->self[f * p->nevent + e]);
	if (p->npart) {
		g->creator = strndup(p->part[0].creator.p, p->part[0].creator.n);
		g->cmd = strndup(p->part[0].cmd.p, p->part[0].cmd.n);
	}
	g->seen = true;
	return err->kind;
}

static void look(const struct looking *l, const struct folder_files *f, struct glance *g)
{
	if (f->n)
		build_look((const char *const *)f->at, f->n, &l->opts, see, g,
			   &g->truncated, &g->err);
}

static int look_at(void *worker, void *slot, size_t item)
{
	const struct looking *l = worker;
	struct member_row *r = &l->row[item];

	(void)slot;
	if (r->of)
		look(l, &r->of->now, &r->now);
	if (l->vs)
		look(l, r->of ? &r->of->base : &l->s->set->of.bases->at[r->member].now,
		     &r->base);
	return 0;
}

static int taken(void *arg, void *slot, size_t item, int made)
{
	const struct looking *l = arg;

	(void)slot;
	(void)item;
	(void)made;
	return l->opts.cancel && atomic_load(l->opts.cancel) ? ERR_CANCEL : 0;
}

static void free_glance(struct glance *g)
{
	free(g->creator);
	free(g->cmd);
}

static void looking_free(struct map_held *held)
{
	struct looking *l = (struct looking *)(void *)held;

	for (size_t i = 0; i < l->n; i++) {
		free_glance(&l->row[i].now);
		free_glance(&l->row[i].base);
	}
	free(l->row);
	free(l);
}

static void list_rows(struct looking *l, struct str event)
{
	const struct folder *bases = l->vs ? l->s->set->of.bases : NULL;
	const size_t n = set_members(l->s);

	for (size_t i = 0; i < n; i++)
		if (set_can_ask(l->s, i))
			l->row[l->n++] = (struct member_row){
				.of = set_member(l->s, i),
				.name = str_c(set_member(l->s, i)->name),
				.member = i};
	for (size_t i = 0; bases && i < bases->n; i++)
		if (bases->at[i].before == &bases->at[i])
			l->row[l->n++] = (struct member_row){
				.name = str_c(bases->at[i].name), .member = i};
	for (size_t i = 0; i < l->n; i++)
		l->row[i].now.event = l->row[i].base.event = event;
}

static struct looking *look_all(struct session *s, struct exec *x, struct str event,
				bool vs)
{
	const size_t most = set_members(s) + (s->set->of.bases ? s->set->of.bases->n : 0);
	struct looking *l = calloc(1, sizeof(*l));
	void *worker[64];
	char slots[64];
	struct ordered o;

	if (!l || !(l->row = calloc(most + 1, sizeof(*l->row)))) {
		free(l);
		need_memory_for("while profiles were listed");
	}
	l->held.release = looking_free;
	map_hold(&l->held);
	l->s = s;
	l->vs = vs;
	l->opts = (struct build_opts){.merge = true,
				      .regular = true,
				      .jobs = 1,
				      .mem = s->reading.mem,
				      .cancel = s->cancel.asked};
	list_rows(l, event);
	for (size_t i = 0; i < 64; i++)
		worker[i] = l;
	o = (struct ordered){.items = l->n,
			     .slots = slots,
			     .nslots = 64,
			     .slot_size = 1,
			     .worker = worker,
			     .nworkers = ordered_jobs(s->reading.jobs),
			     .make = look_at,
			     .take = taken,
			     .arg = l};
	o.nworkers = o.nworkers > 64 ? 64 : o.nworkers;
	if (ordered_run(&o))
		exec_poll_now(x);
	return l;
}

/* What could not be read at a glance is opened, which says why. */
static void open_unseen(struct looking *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct member_row *r = &l->row[i];
		struct err err = {0};

		if (!r->of || (r->now.seen && (!l->vs || !r->of->base.n || r->base.seen)))
			continue;
		need(set_open(l->s, r->member, &err) && !set_can_ask(l->s, r->member)
			     ? 0
			     : err.kind,
		     &err);
	}
}

/* ---- rows ---- */

static struct str text_of(struct exec *x, const char *text)
{
	return text ? need_str(x->a, str_c(text)) : STR("");
}

static struct str written(struct exec *x, int64_t s)
{
	const time_t when = (time_t)s;
	struct tm at;
	char text[40];

	if (!localtime_r(&when, &at) || !strftime(text, sizeof(text), "%F %T", &at))
		return STR("");
	return need_str(x->a, str_c(text));
}

static unsigned kind_of(const struct member_row *r)
{
	return !r->of			       ? GONE
	       : !r->base.seen		       ? NEW
	       : r->now.total == r->base.total ? SAME
	       : r->now.total > r->base.total  ? MORE
					       : LESS;
}

static void put_base(struct table *t, size_t i, const struct member_row *r)
{
	const unsigned kind = kind_of(r);
	const bool both = kind > NEW && r->now.has_event && r->base.has_event;

	set_column(t, "base")->i[i] = r->base.total;
	set_column(t, "base")->absent[i] = !r->base.has_event;
	set_column(t, "delta")->i[i] = cost_difference(r->now.total, r->base.total);
	set_column(t, "delta")->absent[i] = !both;
	set_column(t, "delta%")->f[i] =
		vs_percent((double)set_column(t, "delta")->i[i], (double)r->base.total);
	set_column(t, "delta%")->absent[i] = !both;
	set_column(t, "change")->s[i] = kind == GONE  ? STR("gone")
					: kind == NEW ? STR("new")
						      : STR("");
	set_column(t, "why")->s[i] = STR("");
}

static void put_row(struct table *t, size_t i, const struct member_row *r, bool vs)
{
	struct exec *x = t->x;
	const struct glance *g = r->of ? &r->now : &r->base;

	set_column(t, "profile")->s[i] = need_str(x->a, r->name);
	set_column(t, "command")->s[i] = text_of(x, g->cmd);
	set_column(t, "created")->s[i] = r->of ? written(x, r->of->written_s) : STR("");
	set_column(t, "creator")->s[i] = text_of(x, g->creator);
	set_column(t, "parts")->u[i] = g->parts;
	set_column(t, "functions")->u[i] = g->functions;
	set_column(t, "total")->i[i] = r->now.total;
	set_column(t, "total")->absent[i] = !r->of || !r->now.has_event;
	set_column(t, "path")->s[i] = r->of ? text_of(x, r->of->now.at[0]) : STR("");
	if (vs)
		put_base(t, i, r);
}

/* Those of which nothing could be read are told of, and no rows. */
static size_t drop_unread(struct looking *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct member_row *r = &l->row[i], was = *r;

		if (r->of ? !r->now.seen : !r->base.seen) {
			free_glance(&r->now);
			free_glance(&r->base);
		} else {
			*r = l->row[n];
			l->row[n++] = was;
		}
	}
	for (size_t i = n; i < l->n; i++)
		l->row[i] = (struct member_row){0};
	return l->n = n;
}

/* ---- the sentence below ---- */

static struct str summary(struct exec *x, const struct looking *l)
{
	size_t n[KINDS] = {0}, pairs = 0;
	double logs = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct member_row *r = &l->row[i];

		n[kind_of(r)]++;
		if (kind_of(r) > NEW && r->now.total > 0 && r->base.total > 0) {
			logs += log((double)r->now.total / (double)r->base.total);
			pairs++;
		}
	}
	return need_printf(
		x->a,
		"%s grew, %s shrank, %s the same; new %s, gone %s; geometric mean "
		"%+.2f %%",
		GROUPED(n[MORE]), GROUPED(n[LESS]), GROUPED(n[SAME]), GROUPED(n[NEW]),
		GROUPED(n[GONE]), pairs ? 100 * (exp(logs / (double)pairs) - 1) : 0.0);
}

/* The cause that most of those have that changed. */
static struct str common_cause(struct exec *x, const struct table *t)
{
	const struct table_col *why = set_column(t, "why"),
			       *delta = set_column(t, "delta");
	size_t best = 0, changed = 0, at = 0;

	for (size_t i = 0; i < t->n; i++) {
		size_t same = 0;

		changed += why->s[i].n > 0;
		for (size_t k = 0; k < t->n && why->s[i].n && t->n < 4096; k++)
			same += str_eq(why->s[k], why->s[i]) &&
				(delta->i[k] > 0) == (delta->i[i] > 0);
		if (same > best) {
			best = same;
			at = i;
		}
	}
	return best > 1 ? need_printf(x->a, "; %s of the %s: %.*s", GROUPED(best),
				      GROUPED(changed), STR_ARG(why->s[at]))
			: STR("");
}

/* ---- causes ---- */

static bool names_why(const struct expr *e)
{
	for (; e; e = e->next)
		if ((e->op == EX_COL && str_eq(e->text, STR("why"))) || names_why(e->a) ||
		    names_why(e->b))
			return true;
	return false;
}

/* Is the column asked for, or seen? */
static bool wants_why(const struct tstage *st)
{
	for (; st; st = st->next) {
		if (names_why(st->exprs) || names_why(st->aggs))
			return true;
		if (st->kind == T_SHOW || st->kind == T_GROUP || st->kind == T_SUM ||
		    st->kind == T_COUNT)
			return false;
	}
	return true;
}

/* Stages that drop and order rows come before the causes of those that are left. */
static const struct tstage *before_why(const struct tstage *st)
{
	while (st &&
	       (st->kind == T_WHERE || st->kind == T_SORT || st->kind == T_TAKE ||
		st->kind == T_SKIP) &&
	       !names_why(st->exprs))
		st = st->next;
	return st;
}

struct why {
	struct asking k;
	struct str found;
	struct arena *to;
};

static int first_why(void *arg)
{
	struct why *w = arg;
	struct table *t;

	if (set_run(&w->k))
		return w->k.err.kind;
	t = &w->k.run->t;
	for (size_t i = 0; i < t->n && i < 1; i++) {
		struct table_col *why, *kind;

		table_column(t, STR("why"), t->event, false, &why);
		table_column(t, STR("kind"), t->event, false, &kind);
		if (!str_eq(kind->s[i], STR("rest")) && !str_eq(kind->s[i], STR("noise")))
			w->found = need_str(w->to, why->s[i]);
	}
	return 0;
}

/* The first cause of the open member; what has none, has none. */
static struct str why_of(struct session *s, struct exec *x, struct str event,
			 size_t member)
{
	struct arena a;
	struct why w = {.to = x->a};

	arena_init(&a, s->limits.arena_bytes);
	w.k = (struct asking){.s = s,
			      .text = need_printf(x->a, "why vs %.*s by \"%.*s\"",
						  STR_ARG(s->set->of.base),
						  STR_ARG(event)),
			      .member = member,
			      .arena = &a};
	s->joins = false;
	session_guard(first_why, &w, &w.k.err);
	s->joins = true;
	arena_free(&a);
	if (w.k.err.kind == ERR_CANCEL || w.k.err.kind == ERR_LIMIT)
		need(w.k.err.kind, &w.k.err);
	return w.found;
}

/* Members were opened in the place of the one by whose names the query was checked: one of them
 * takes its place. */
static void take_open(struct session *s, struct statement *run)
{
	struct exec *x = &run->x;

	need(session_any_open(s, x->err) || session_env(s, 0, x->a, &run->env, x->err),
	     x->err);
	graph_plain(s->stores[0], s->flows, x->a, &s->cancel, &x->g);
	run->t.g = x->g;
}

static void fill_why(struct session *s, struct exec *x, struct str event, struct table *t)
{
	const struct table_col *path = set_column(t, "path"),
			       *delta = set_column(t, "delta");
	struct table_col *why = set_column(t, "why");

	for (size_t i = 0; i < t->n; i++) {
		struct err err = {0};
		size_t m = 0;

		if (delta->absent[i] || !delta->i[i])
			continue;
		while (strncmp(set_member(s, m)->now.n ? set_member(s, m)->now.at[0] : "",
			       path->s[i].p, path->s[i].n) != 0 ||
		       strlen(set_member(s, m)->now.at[0]) != path->s[i].n)
			m++;
		if (!set_open(s, m, &err))
			why->s[i] = why_of(s, x, event, m);
		exec_poll_now(x);
	}
}

/* Worst first; without a base by name. */
static void order_rows(struct table *t, bool vs)
{
	if (vs)
		exec_sort_column(t->x, t, set_column(t, "delta%"), false);
}

void set_profiles(struct session *s, struct query *q, bool vs, struct statement *run)
{
	struct exec *x = &run->x;
	const struct str event = need_str(x->a, x->env->events[x->event]);
	struct looking *l = look_all(s, x, event, vs);
	struct table *t = &run->t;
	const struct tstage *rest = before_why(q->tstages);
	struct str below;

	open_unseen(l);
	*t = (struct table){.x = x, .g = x->g, .event = x->event, .set = true};
	t->n = t->rows_before = drop_unread(l);
	set_append(t, S_PROFILES, vs);
	for (size_t i = 0; i < t->n; i++)
		put_row(t, i, &l->row[i], vs);
	table_refs(t);
	below = vs ? summary(x, l) : STR("");
	for (size_t i = 0; i < l->n; i++)
		if (l->row[i].now.truncated || l->row[i].base.truncated)
			exec_doubt(x, DOUBT_CUT,
				   need_printf(x->a,
					       "%.*s is cut off: its end is missing",
					       STR_ARG(l->row[i].name)));
	for (size_t i = 0; i < t->n; i++)
		run->set->asked[run->set->nasked++] = set_column(t, "profile")->s[i];
	map_let_go(&l->held);
	looking_free(&l->held);
	order_rows(t, vs);
	for (const struct tstage *st = q->tstages; st != rest; st = st->next)
		exec_tstage(x, t, st);
	q->tstages = (struct tstage *)(uintptr_t)rest;
	if (vs && wants_why(rest)) {
		fill_why(s, x, event, t);
		below = need_printf(x->a, "%.*s%.*s", STR_ARG(below),
				    STR_ARG(common_cause(x, t)));
	}
	t->footer = below;
	take_open(s, run);
}
