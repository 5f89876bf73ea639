/*
 * set_profiles.c - `profiles` of a set: a row for each, with its base, the change and its cause.
 *
 * For a total no index is made: each profile is read as it is, several at once.  Causes are looked
 * for in the rows that are left by then.
 */
#include <math.h>
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
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/base/ordered.h"
#include "index/build.h"
#include "index/file/source.h"
#include "index/merge/profile.h"
#include "index/read/folder.h"

/* The file of one side, as far as its name and head tell. */
struct glance {
	uint64_t parts, functions;
	int64_t total;
	bool seen, has_event;
	bool odd; /* it is cut, or its lines are, or what its totals say */
};

struct seen {
	size_t member;
	struct glance now, base;
};

struct looking {
	struct session *s;
	struct set_rows *all;
	struct str event;
	bool vs;
	struct seen *at;
	size_t n;
	struct build_opts opts;
};

/* ---- at a glance ---- */

/* Do the parts say a total that is not the sum of the lines? */
static bool says_other(const struct profile *p, uint32_t e, int64_t total)
{
	int64_t says = 0;

	for (size_t i = 0; i < p->npart; i++) {
		const struct part *part = &p->part[i];
		const int64_t *of = part->totals ? part->totals : part->summary;

		if (!of || e >= p->nevent)
			return false;
		cost_add(&says, of[e]);
	}
	return says != total;
}

struct look {
	const struct looking *all;
	struct glance *at;
};

static int see(void *arg, struct profile *p, struct err *err)
{
	const struct look *k = arg;
	struct glance *g = k->at;
	const uint32_t e = profile_event(p, k->all->event);

	g->parts = p->npart;
	g->functions = p->nfn;
	g->has_event = e != HASH_NONE && e < p->nevent;
	for (size_t f = 0; f < p->nfn && g->has_event; f++)
		cost_add(&g->total, p->self[f * p->nevent + e]);
	g->odd |= p->nodds || says_other(p, e, g->total);
	g->seen = true;
	return err->kind;
}

static void look(const struct looking *l, const struct folder_files *f, struct glance *g)
{
	struct look k = {l, g};
	struct err err = {0};

	if (f->n)
		build_look(f->at, f->n, &l->opts, see, &k, &g->odd, &err);
}

static int look_at(void *worker, void *slot, size_t item)
{
	const struct looking *l = worker;
	const struct folder_member *m = set_member(l->s, l->at[item].member);

	(void)slot;
	look(l, &m->now, &l->at[item].now);
	if (l->vs)
		look(l, &m->base, &l->at[item].base);
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

static void look_all(struct looking *l, struct exec *x)
{
	struct session *s = l->s;
	void *worker[64];
	char slots[64];
	struct ordered o = {.slots = slots,
			    .nslots = sizeof(slots),
			    .slot_size = 1,
			    .worker = worker,
			    .nworkers = ordered_jobs(s->reading.jobs),
			    .make = look_at,
			    .take = taken,
			    .arg = l};

	l->at = NEED_ARRAY(x->a, struct seen, set_members(s) + 1);
	l->opts = (struct build_opts){.merge = true,
				      .regular = true,
				      .jobs = 1,
				      .mem = s->reading.mem,
				      .cancel = s->cancel.asked};
	for (size_t i = 0; i < set_members(s); i++)
		if (set_can_ask(s, i) || (l->vs && !set_member(s, i)->now.n))
			l->at[l->n++].member = i;
	for (size_t i = 0; i < COUNT(worker); i++)
		worker[i] = l;
	o.items = l->n;
	o.nworkers = o.nworkers > COUNT(worker) ? COUNT(worker) : o.nworkers;
	if (ordered_run(&o))
		exec_poll_now(x);
}

/* A file that could not be read so is opened, which says why; it has no row. */
static void drop_unread(struct looking *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct seen *r = &l->at[i];
		const struct folder_member *m = set_member(l->s, r->member);
		struct err err = {0};

		if (m->now.n && (!r->now.seen || (l->vs && m->base.n && !r->base.seen)) &&
		    set_open(l->s, r->member, &err) && set_can_ask(l->s, r->member))
			need(err.kind, &err);
		if (m->now.n ? r->now.seen && set_can_ask(l->s, r->member) : r->base.seen)
			l->at[n++] = *r;
	}
	l->n = n;
}

static bool is_own_base(const struct folder_member *m)
{
	return m->now.n && m->now.n == m->base.n &&
	       source_same_file(m->now.at[0], m->base.at[0]);
}

/* Opened, it says what is odd. */
static void doubt(const struct looking *l, struct exec *x, const struct seen *r)
{
	const struct str name = set_member(l->s, r->member)->name;
	const struct doubts before = *x->doubts;
	struct err err = {0};

	*x->doubts = (struct doubts){0};
	need(set_can_ask(l->s, r->member) ? set_open(l->s, r->member, &err) : 0, &err);
	for (size_t i = 0; i < l->s->n; i++)
		exec_doubt_profile(x, l->s->stores[i], l->s->names[i]);
	for (int kind = 0; kind < DOUBTS; kind++)
		if (x->doubts->why[kind].n)
			set_add_doubt(l->all, name, kind, x->doubts->why[kind]);
	*x->doubts = before;
}

/* ---- rows ---- */

static struct str written(struct exec *x, int64_t s)
{
	const time_t when = (time_t)s;
	struct tm at;
	char text[40];

	if (!localtime_r(&when, &at) || !strftime(text, sizeof(text), "%F %T", &at))
		return STR("");
	return need_str(x->a, str_c(text));
}

static struct profile_row row_of(struct exec *x, const struct folder_member *m,
				 const struct seen *r)
{
	const struct glance *g = m->now.n ? &r->now : &r->base;
	struct profile_row row = {
		.profile = m->name,
		.command = m->cmd,
		.created = m->now.n ? written(x, m->written_s) : STR(""),
		.creator = m->creator,
		.change = !m->now.n	  ? STR("gone")
			  : !r->base.seen ? STR("new")
					  : STR(""),
		.path = m->now.n ? str_c(m->now.at[0]) : STR(""),
		.parts = g->parts,
		.functions = g->functions,
		.total = r->now.total,
		.base = r->base.total,
		.delta = cost_difference(r->now.total, r->base.total),
	};

	row.percent = vs_percent((double)row.delta, (double)row.base);
	row.lacks = (r->now.has_event ? 0 : NO_TOTAL | NO_DELTA) |
		    (r->base.has_event ? 0 : NO_BASE | NO_DELTA);
	return row;
}

static struct str summary(struct exec *x, const struct profile_row *row, size_t n)
{
	size_t more = 0, less = 0, new = 0, gone = 0, pairs = 0;
	double logs = 0;

	for (size_t i = 0; i < n; i++) {
		const bool both = !row[i].change.n && !(row[i].lacks & NO_DELTA);

		new += str_eq(row[i].change, STR("new"));
		gone += str_eq(row[i].change, STR("gone"));
		more += both && row[i].total > row[i].base;
		less += both && row[i].total < row[i].base;
		if (both && row[i].total > 0 && row[i].base > 0) {
			logs += log((double)row[i].total / (double)row[i].base);
			pairs++;
		}
	}
	return need_printf(
		x->a,
		"%s grew, %s shrank, %s the same; new %s, gone %s; geometric mean "
		"%+.2f %%",
		GROUPED(more), GROUPED(less), GROUPED(n - more - less - new - gone),
		GROUPED(new), GROUPED(gone),
		pairs ? 100 * (exp(logs / (double)pairs) - 1) : 0.0);
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

/* Each cause with its sign, of rows that changed: it goes into their column.  *n: how many. */
static struct str *find_why(struct session *s, struct exec *x, struct table *t,
			    const struct looking *l, size_t *n)
{
	const struct table_col *delta = set_column(t, "delta");
	struct str *why = set_column(t, "why")->s;
	struct str *all = NEED_ARRAY(x->a, struct str, t->n + 1);
	struct set_rows *rows = set_rows_new(s, x->a);
	struct err err = {0};
	struct asking k = {.s = s,
			   .all = rows,
			   .text = need_printf(x->a, "why vs %.*s by \"%.*s\"",
					       STR_ARG(s->set->of.base),
					       STR_ARG(l->event)),
			   .err = &err};

	for (size_t i = 0; i < t->n; i++) {
		const size_t first = rows->t.n, member = l->at[row_ref(t, i)].member;
		struct str kind;

		if (delta->absent[i] || !delta->i[i])
			continue;
		if (!set_open(s, member, &err))
			set_ask_member(&k, member);
		if (err.kind == ERR_CANCEL || err.kind == ERR_LIMIT)
			need(err.kind, &err);
		err_clear(&err);
		exec_poll_now(x);
		if (first == rows->t.n)
			continue;
		kind = set_column(&rows->t, "kind")->s[first];
		if (str_eq(kind, STR("rest")) || str_eq(kind, STR("noise")))
			continue;
		why[i] = set_column(&rows->t, "why")->s[first];
		all[(*n)++] = need_printf(x->a, "%c%.*s", delta->i[i] > 0 ? '+' : '-',
					  STR_ARG(why[i]));
	}
	return all;
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The causes of the rows of t, and the one that most of those have that changed. */
static struct str fill_why(struct session *s, struct exec *x, struct table *t,
			   const struct looking *l)
{
	size_t n = 0, best = 1;
	struct str most = STR(""), *all = find_why(s, x, t, l, &n);

	if (n)
		qsort(all, n, sizeof(*all), by_text);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && str_eq(all[i], all[end]);)
			end++;
		most = end - i > best ? str_from(all[i], 1) : most;
		best = end - i > best ? end - i : best;
	}
	return most.n ? need_printf(x->a, "; %s of the %s: %.*s", GROUPED(best),
				    GROUPED(n), STR_ARG(most))
		      : STR("");
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

void set_profiles(struct session *s, struct query *q, bool vs, struct statement *run)
{
	struct exec *x = &run->x;
	struct looking l = {.s = s,
			    .all = run->set,
			    .event = need_str(x->a, x->env->events[x->event]),
			    .vs = vs};
	struct table *t = &run->t;
	struct profile_row *row;

	look_all(&l, x);
	drop_unread(&l);
	row = NEED_ARRAY(x->a, struct profile_row, l.n + 1);
	run->set->asked = NEED_ARRAY(x->a, struct str, l.n + 1);
	run->set->nasked = l.n;
	for (size_t i = 0; i < l.n; i++) {
		row[i] = row_of(x, set_member(s, l.at[i].member), &l.at[i]);
		run->set->asked[i] = row[i].profile;
		if (!set_expects(q))
			continue;
		if (l.at[i].now.odd || l.at[i].base.odd)
			doubt(&l, x, &l.at[i]);
		if (is_own_base(set_member(s, l.at[i].member)))
			set_add_doubt(run->set, row[i].profile, DOUBT_ITSELF,
				      STR("it is compared with itself"));
		if (row[i].lacks & NO_TOTAL ? set_can_ask(s, l.at[i].member)
					    : l.at[i].base.seen && row[i].lacks)
			set_add_doubt(
				run->set, row[i].profile, DOUBT_EMPTY,
				need_printf(x->a, "it has no %.*s", STR_ARG(l.event)));
	}
	if (vs)
		set_doubt_gone(run, set_expects(q), true);
	*t = (struct table){.x = x, .g = x->g, .event = x->event, .set = true};
	t->n = t->rows_before = l.n;
	set_append(t, S_PROFILES, vs, row);
	table_refs(t);
	t->footer = vs ? summary(x, row, l.n) : STR("");
	if (vs) /* worst first; else by name */
		exec_sort_column(x, t, set_column(t, "delta%"), false);
	/* Stages that drop and order rows come before the causes of those that are left. */
	for (const struct tstage *st = q->tstages;
	     st &&
	     (st->kind == T_WHERE || st->kind == T_SORT || st->kind == T_TAKE ||
	      st->kind == T_SKIP) &&
	     !names_why(st->exprs);
	     st = st->next) {
		exec_tstage(x, t, st);
		q->tstages = st->next;
	}
	if (vs && wants_why(q->tstages)) {
		const struct str causes = fill_why(s, x, t, &l);

		t->footer = need_printf(x->a, "%.*s%.*s", STR_ARG(t->footer),
					STR_ARG(causes));
	}
	take_open(s, run);
}
