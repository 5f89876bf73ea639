/*
 * statement_rows.c - the rows of a statement, and the result that is made of them; see
 * statement.h.
 *
 *     source -> stages, `expect` last -> headline, footer, filters, notes -> result
 */
#include "engine/statement.h"

#include <math.h>

#include "engine/compare/vs.h"
#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/rows/doubt.h"
#include "engine/set.h"
#include "engine/sources/footer.h"
#include "engine/sources/source.h"
#include "engine/sources/sources.h"
#include "engine/stages/stage.h"
#include "engine/why/why.h"
#include "index/base/err.h"
#include "index/base/need.h"

/* top | where ...: top, which was given no number, has left out most rows by then. */
static void note_top(struct exec *x, const struct table *t, const struct tstage *take)
{
	const struct str top = {x->text.p + take->span.at, take->span.len};

	if (take->kind != T_TAKE || !take->next || take->next->kind != T_WHERE ||
	    !t->src || take->span.at + take->span.len > x->text.n ||
	    !str_starts(top, STR("top")) || take->n != 10 || t->n < take->n)
		return;
	exec_hintf(x,
		   "top took 10 rows first; of all rows: %s | where ... | sort "
		   "... | take 10",
		   t->src->name);
}

/* Run the stages, but no `take` behind an `expect`: the expectation is about all rows. */
static void change_rows(struct exec *x, struct table *t, const struct tstage *st)
{
	bool expects = false;

	for (; st; st = st->next) {
		expects |= st->kind == T_EXPECT;
		if (expects && st->kind == T_TAKE)
			continue;
		exec_tstage(x, t, st);
		note_top(x, t, st);
		exec_poll_now(x);
	}
	exec_order(x, t);
}

static void take_shown(struct exec *x, struct table *t, const struct tstage *st)
{
	while (st && st->kind != T_EXPECT)
		st = st->next;
	for (; st; st = st->next)
		if (st->kind == T_TAKE)
			exec_tstage(x, t, st);
}

/* Is the text the name of `word` that was accepted, "fn:decode"?  Without its parameters, too. */
static bool is_wanted(const struct exec *x, struct str prefix, struct str text)
{
	for (size_t i = 0; i < x->open->nwanted; i++) {
		const struct str w = x->open->wanted[i], name = str_from(w, prefix.n);

		if (str_starts(w, prefix) && str_starts(text, name) &&
		    (text.n == name.n || text.p[name.n] == '(' || text.p[name.n] == '<'))
			return true;
	}
	return false;
}

/* The column of a table by which rows are accepted; NULL: it has none. */
static struct table_col *wanted_column(struct table *t, struct str name)
{
	struct table_col *c = NULL;

	if (table_taken(t, name) || source_col(t->src, name))
		table_column(t, name, t->event, false, &c);
	return c && col_is_text(c->type) ? c : NULL;
}

/* Leave out the rows that were accepted by name, and say so. */
static void leave_out_wanted(struct statement *run, struct table *t,
			     const struct tstage *expect)
{
	static const struct {
		struct str prefix, column;
	} names[] = {{STR("profile:"), STR("profile")}, {STR("fn:"), STR("fn")}};
	struct exec *x = &run->x;
	uint32_t *keep;
	size_t n = 0;

	if (!x->open->nwanted || str_eq(expect->name, STR("some")))
		return;
	keep = EXEC_ARRAY(x, uint32_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		bool wanted = false;

		for (size_t k = 0; k < 2; k++) {
			const struct table_col *c = wanted_column(t, names[k].column);

			wanted |= c && is_wanted(x, names[k].prefix, col_text(t, c, i));
		}
		if (!wanted)
			keep[n++] = (uint32_t)i;
	}
	if (n == t->n)
		return;
	run->accepted = need_printf(x->a, "accepted by name: %s row%s", GROUPED(t->n - n),
				    t->n - n == 1 ? "" : "s");
	table_select(t, keep, n);
}

/* Would the expectations hold if functions with an uncertain partner had none? */
static int expect_sure(struct exec *x, struct statement *run, const struct query *q)
{
	const size_t notes = x->notes->n, hints = x->hints->n;
	struct table t = {0};
	struct vs *v;

	if (!run->vs || !x->doubts->why[DOUBT_UNSURE].n ||
	    exec_doubted(x) != DOUBT_UNSURE)
		return 0;
	if (run->set) {
		set_ask_again(run, &t);
	} else {
		exec_vs_dissolved(x, run->vs, &v);
		exec_source(x, &q->source, v, &t, q->tstages);
	}
	change_rows(x, &t, q->tstages);
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_EXPECT &&
		    (leave_out_wanted(run, &t, st), exec_expect(x, &t, st))) {
			if (x->err->kind != ERR_EXPECT)
				return x->err->kind;
			err_clear(x->err);
			run->unsure = true;
			if (run->set)
				set_unsure(run, &t);
			return exec_expect_sure(x, st);
		}
	x->doubts->why[DOUBT_UNSURE] = STR("");
	x->notes->n = notes;
	x->hints->n = hints;
	return 0;
}

/* Has the answer the columns of its source? */
static bool keeps_columns(const struct query *q)
{
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_SHOW || st->kind == T_GROUP || st->kind == T_SUM ||
		    st->kind == T_COUNT)
			return false;
	return true;
}

/* Rows of a listing that do not follow the name of their file say it. */
static void show_files(struct table *t, const struct query *q)
{
	bool apart = false;

	for (const struct tstage *st = q->tstages; st; st = st->next)
		apart |= st->kind == T_SORT || st->kind == T_WHERE || st->kind == T_SKIP;
	if (t->listing && apart && keeps_columns(q))
		table_show(t, STR("file"));
}

int statement_rows(const struct session *s, struct statement *run, const struct query *q,
		   struct err *failed)
{
	struct exec *x = &run->x;
	struct table *t = &run->t;

	x->whole = q->source.lone;
	if (!run->set)
		exec_source(x, &q->source, run->vs, t, q->tstages);
	show_files(t, q);
	change_rows(x, t, q->tstages);
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_EXPECT &&
		    (leave_out_wanted(run, t, st),
		     statement_doubts(s, run, q) || exec_expect(x, t, st) ||
			     expect_sure(x, run, q) || set_doubted(run, st))) {
			if (x->err->kind != ERR_EXPECT)
				return x->err->kind;
			x->err->len = (uint32_t)st->span.len;
			*failed = *x->err;
			err_clear(x->err);
			if (run->set)
				set_broken(run);
			break;
		}
	take_shown(x, t, q->tstages);
	return 0;
}

static void list_filters(const struct session *s, const struct query *q,
			 struct statement *run, struct result *r)
{
	struct exec *x = &run->x;
	size_t n = s->nfilters;

	for (const struct gstage *g = q->gstages; g; g = g->next)
		n++;
	r->filters = EXEC_ARRAY(x, struct str, n + 1);
	for (size_t i = 0; i < s->nfilters; i++)
		if (!run->idle[i])
			r->filters[r->nfilters++] = s->filters[i];
	for (const struct gstage *g = q->gstages; g; g = g->next) {
		struct str shown = {x->text.p + g->span.at, g->span.len};

		if (g->kind == G_COLLAPSE_BY) /* collapse by $x: what it is */
			shown = need_printf(x->a, "collapse by %.*s", STR_ARG(g->name));
		if (g->kind == G_FOCUS && g->span.at == g->set->span.at) /* why under X */
			shown = need_printf(x->a, "focus %.*s", STR_ARG(shown));
		r->filters[r->nfilters++] = shown;
	}
}

static void asked_for(const struct query *q, struct result *r)
{
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_AS)
			r->format = st->format;
		else if (st->kind == T_EXPECT)
			r->expects = true;
	r->file = q->file;
	r->shell = q->shell;
	if (r->format == FORMAT_NONE && q->file.n)
		r->format = format_of_file(q->file);
}

/* Ask again; nobody hears the notes. */
static struct statement *statement_again(struct statement *run)
{
	struct statement *as = EXEC_ARRAY(&run->x, struct statement, 1);

	*as = *run;
	as->notes = as->hints = (struct exec_texts){0};
	as->doubts = (struct doubts){0};
	as->x.notes = &as->notes;
	as->x.hints = &as->hints;
	as->x.doubts = &as->doubts;
	as->x.inlined = NULL;
	as->x.parts = NULL;
	as->x.other = NULL;
	return as;
}

/* `why` tells contexts apart.  A page of it has the functions that others ask for, and its
 * causes lead to these. */
static void why_of_functions(struct session *s, const struct query *q,
			     struct statement *run, struct result *r, struct headline *h)
{
	struct exec *x = &run->x;
	const struct graph *const of[] = {x->g, r->compared->graph};
	struct statement *as;

	if (!store_any_grouped(of[0]->st) && !store_any_grouped(of[1]->st))
		return;
	as = statement_again(run);
	as->gstages = run->gstages->next; /* without G_CONTEXTS */
	statement_sides(s, q, as);
	r->graph = as->x.g;
	vs_graphs(&as->x, as->vs, &r->compared);
	for (size_t i = 0; i < h->ncauses; i++) {
		uint32_t *f = &h->causes[i].of;
		const uint32_t here = of[0]->functions;
		const bool gone = *f > here;

		if (*f)
			*f = 1 + (gone ? r->graph->functions : 0) +
			     graph_of_store(gone ? r->compared->graph : r->graph,
					    graph_origin(of[gone], *f - 1 - gone * here));
	}
}

/* The causes as `why` tells them: of the profiles as recorded, not of joined functions. */
static void headline_causes(struct session *s, const struct query *q,
			    struct statement *run, struct headline *h)
{
	struct exec *x = &run->x;
	struct statement *as = statement_again(run);

	if (x->g->merge.member) {
		statement_contexts(as, run->gstages);
		statement_sides(s, q, as);
	}
	exec_why_headline(&as->x, as->vs, x->g, h);
}

/* Another event may have got worse.  Of hardly a difference `why` has a note about all others. */
static void headline_others(const struct query *q, struct statement *run,
			    struct headline *h)
{
	static const double little = 0.001;
	struct exec *x = &run->x;
	const double change = (double)h->total[0] - (double)h->total[1];

	if (fabs(change) <= little * fabs((double)h->total[1]) &&
	    (h->cause.n || (q->source.kind == S_WHY && !q->source.of)))
		return;
	h->others = vs_other_events(x, run->vs, q->source.vs, false);
	need((int)x->err->kind, x->err);
	if (!h->others.p)
		need_memory(x->a);
}

/* The cause is left out where it would take longer than the table. */
static struct headline *find_headline(struct session *s, const struct query *q,
				      struct statement *run)
{
	enum { MOST = 1 << 18 }; /* functions */
	const bool totals = q->source.kind == S_WHY;
	struct headline *h;

	exec_vs_headline(&run->x, run->vs, totals, &h);
	if (totals && run->t.src && !run->t.ref && !q->source.under)
		why_as_causes(&run->x, run->t.rows, run->t.n, h);
	else if (!totals && run->x.g->functions <= MOST)
		headline_causes(s, q, run, h);
	headline_others(q, run, h);
	return h;
}

int statement_result(struct session *s, struct statement *run, const struct stmt *st)
{
	const struct query *q = &st->query;
	struct result *r = &run->r;
	struct exec *x = &run->x;
	struct table *t = &run->t;
	struct headline *h = NULL;
	const bool last = q->source.kind == S_LAST, as_made = t->src && !t->ref && !t->vs;

	*r = (struct result){
		.source = last ? "_" : source_def(q->source.kind)->name,
		.of = last ? NULL : source_def_of(&q->source),
		.query = check_with_values(
			x->env, (struct str){x->text.p + st->span.at, st->span.len},
			x->a),
		.profile = s->names[run->profile],
		.event = x->env->nevents ? x->env->events[x->event] : STR(""),
		.unit = x->env->nevents ? x->env->units[x->event] : (struct unit){0},
		.total = graph_total(x->g, x->event),
		.total_about = graph_total_is_about(x->g),
		.event_id = x->event,
		.doubts = x->doubts,
		.graph = last ? NULL : x->g,
		.table = last ? NULL : t,
		.top = t->top,
		.tree = t->tree,
		.paths = as_made ? t->paths : NULL,
		.listing = as_made ? t->listing : NULL,
		.upward = t->upward,
		.usual = keeps_columns(q),
		.base = last && x->open->last ? x->open->last->base : q->source.vs,
		.paired = {t->paired.known ? t->paired.percent[0] : -1,
			   t->paired.known ? t->paired.percent[1] : -1},
	};
	asked_for(q, r);
	table_result(t, r);
	asked_for(q, r);
	if (run->set)
		set_result(run, r);
	else {
		vs_sides(t, &r->compared);
		if (run->vs && q->source.kind == S_WHY)
			vs_graphs(x, run->vs, &r->compared);
		if (run->vs && !r->card)
			r->headline = h = find_headline(s, q, run);
		if (h && q->source.kind == S_WHY && r->format == FORMAT_HTML)
			why_of_functions(s, q, run, r, h);
		footer(x, t, r);
	}
	if (run->accepted.n) {
		exec_note(x, run->accepted);
		r->footer = need_printf(x->a, "%.*s%s%.*s", STR_ARG(r->footer),
					r->footer.n ? "; " : "", STR_ARG(run->accepted));
	}
	list_filters(s, q, run, r);
	if (s->people && keeps_columns(q) && t->no_text.n)
		exec_hint(x, t->no_text);
	for (size_t i = 0; i < x->hints->n; i++)
		exec_note(x, x->hints->at[i]);
	r->notes = x->notes->at;
	r->nnotes = x->notes->n;
	r->nhints = x->hints->n;
	/* A function that was refused memory on the way may have returned no error. */
	if (x->a->refused)
		return arena_full(x->a, x->err);
	if (x->g->a->refused)
		return arena_full(x->g->a, x->err);
	return session_check(s, x->err);
}
