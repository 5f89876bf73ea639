/*
 * query.c - the way of a text through parse, check and exec; see query.h.
 *
 * A query is checked; its graph stages make a graph; the source makes a table of it, and
 * table stages change the table (run_query()).  The result goes to the sink, and is kept as
 * `_` (last.c).
 */
#include "engine/query.h"

#include <stdio.h>
#include <string.h>

#include "engine/hint.h"
#include "engine/inline/inlines.h"
#include "engine/lang/result.h"
#include "engine/names/fnset.h"
#include "engine/rows/doubt.h"
#include "engine/rows/exec.h"
#include "engine/sources/footer.h"
#include "engine/listing/listing.h"
#include "engine/files/roots.h"
#include "engine/graph/graph.h"
#include "engine/gstages/graph_cache.h"
#include "engine/gstages/gstage.h"
#include "engine/names/match.h"
#include "engine/names/name.h"
#include "engine/path/path.h"
#include "engine/session.h"
#include "engine/sources/source.h"
#include "engine/sources/sources.h"
#include "engine/stages/stage.h"
#include "engine/compare/vs.h"
#include "engine/why/why.h"
#include "index/base/err.h"
#include "index/base/vec.h"

/* What the session has open, as a running statement sees it. */
static struct exec_open open_of(struct session *s)
{
	return (struct exec_open){.stores = s->stores,
				  .cancel = &s->cancel,
				  .flows = s->flows,
				  .part_cache = s->part_cache,
				  .inlines = s->inlines,
				  .pairs = &s->pairs,
				  .last = s->last,
				  .roots = s->roots,
				  .objects = s->objects,
				  .row_limit = s->limits.rows,
				  .least_paired = s->least_paired,
				  .accepted = s->accepted,
				  .safe = s->safe,
				  .people = s->people,
				  .reading = &s->reading};
}

/* ---- for reports ---- */

/* What is asked without a statement: nobody reads its notes. */
struct unasked {
	struct exec_open open;
	struct exec_texts notes;
	struct doubts doubts;
	struct exec x;
};

static struct exec *unasked(struct session *s, struct graph *g, struct arena *a,
			    struct err *err, struct unasked *u)
{
	*u = (struct unasked){.open = open_of(s)};
	u->x = (struct exec){.a = a,
			     .err = err,
			     .open = &u->open,
			     .notes = &u->notes,
			     .hints = &u->notes,
			     .doubts = &u->doubts,
			     .g = g};
	return &u->x;
}

int session_program_tree(struct session *s, struct graph *g, uint32_t event,
			 bool unparted, uint32_t rows, struct arena *a,
			 struct path_tree *out, struct err *err)
{
	struct unasked u;
	struct exec *x = unasked(s, g, a, err, &u);
	struct path_tree_query q = {.of = TREE_PROGRAM, .rows = rows};

	x->event = event;
	x->unparted = unparted;
	return graph_event(g, event, err) || exec_tree(x, &q, out) ? err->kind : 0;
}

int session_listing(struct session *s, struct graph *g, const uint32_t *f, size_t n,
		    bool ahead, struct listing *l, struct arena *a, struct err *err)
{
	struct unasked u;
	struct exec *x = unasked(s, g, a, err, &u);
	struct fn_set *set = fnset_new(a, g->functions);

	if (!set)
		return arena_full(a, err);
	for (size_t i = 0; i < n; i++)
		fnset_add(set, f[i]);
	if (l->instrs && s->safe)
		return err_set(err, ERR_QUERY, 0, "objdump is not run under --safe");
	x->parts = g->parts;
	if (ahead ? listing_ahead(x, l, set) : listing_fill(x, l, set))
		return err->kind;
	/* A file that did not fit is no file without text. */
	return a->refused || l->texts->refused ? arena_full(a, err) : 0;
}

bool session_has_text(const struct session *s, struct str path, struct arena *a)
{
	struct roots_file file;
	const char *why;

	return s->roots && roots_look(s->roots, path, a, &file, &why);
}

/* ---- one statement ---- */

/* A statement that runs.  It is in the arena of the query: a result of many rows reads
 * them from the table when it is asked for them. */
struct statement {
	struct exec_open open;
	struct check_env env;
	size_t profile;		      /* the one it asks */
	const struct gstage *gstages; /* in force, then its own */
	bool *idle; /* of each filter in force: it changes nothing here */
	struct exec_texts notes, hints; /* of x */
	struct doubts doubts;		/* of x */
	bool unsure;			/* an `expect` hangs on DOUBT_UNSURE */
	struct str part;		/* of x */
	struct exec x;
	struct vs *vs; /* NULL: one profile */
	struct table t;
	struct result r;
};

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

/* Doubt profiles that are cut, odd or only an index.  The answer that `_` names had its
 * doubts when it was asked. */
static int doubt_profiles(const struct session *s, struct statement *run,
			  const struct query *q)
{
	struct exec *x = &run->x;
	const struct str name = s->names[run->profile];

	if (q->source.kind == S_LAST)
		return 0;
	if (s->as_index[run->profile] &&
	    exec_doubt_quietly(
		    x, DOUBT_INDEX,
		    arena_printf(x->a,
				 "%.*s is an index: whether a newer profile is there "
				 "is not known",
				 STR_ARG(name))))
		return x->err->kind;
	if (exec_doubt_profile(x, x->g->st, name))
		return x->err->kind;
	return x->other && x->other->st != x->g->st
		       ? exec_doubt_profile(x, x->other->st, q->source.vs)
		       : 0;
}

/* Run the stages, but no `take` behind an `expect`: the expectation is about all rows. */
static int change_rows(struct exec *x, struct table *t, const struct tstage *st)
{
	bool expects = false;

	for (; st; st = st->next) {
		expects |= st->kind == T_EXPECT;
		if (expects && st->kind == T_TAKE)
			continue;
		if (exec_tstage(x, t, st) || exec_poll_now(x))
			return x->err->kind;
	}
	return exec_order(x, t);
}

static int take_shown(struct exec *x, struct table *t, const struct tstage *st)
{
	while (st && st->kind != T_EXPECT)
		st = st->next;
	for (; st; st = st->next)
		if (st->kind == T_TAKE && exec_tstage(x, t, st))
			return x->err->kind;
	return 0;
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
	if (exec_vs_dissolved(x, run->vs, &v) ||
	    exec_source(x, &q->source, v, &t, q->tstages) ||
	    change_rows(x, &t, q->tstages))
		return x->err->kind;
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_EXPECT && exec_expect(x, &t, st)) {
			if (x->err->kind != ERR_EXPECT)
				return x->err->kind;
			err_clear(x->err);
			run->unsure = true;
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
static int show_files(struct table *t, const struct query *q)
{
	bool apart = false;

	for (const struct tstage *st = q->tstages; st; st = st->next)
		apart |= st->kind == T_SORT || st->kind == T_WHERE || st->kind == T_SKIP;
	return t->listing && apart && keeps_columns(q) ? table_show(t, STR("file")) : 0;
}

/* Run the source and the stages.  `expect` comes last and leaves the rows that fail
 * it; *failed: how, if it does. */
static int run_stages(const struct session *s, struct statement *run,
		      const struct query *q, struct err *failed)
{
	struct exec *x = &run->x;
	struct table *t = &run->t;

	x->whole = q->source.lone;
	if (exec_source(x, &q->source, run->vs, t, q->tstages) || show_files(t, q) ||
	    change_rows(x, t, q->tstages))
		return x->err->kind;
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_EXPECT &&
		    (doubt_profiles(s, run, q) || exec_expect(x, t, st) ||
		     expect_sure(x, run, q))) {
			if (x->err->kind != ERR_EXPECT)
				return x->err->kind;
			x->err->len = (uint32_t)st->span.len;
			*failed = *x->err;
			err_clear(x->err);
			break;
		}
	return take_shown(x, t, q->tstages);
}

static int list_filters(const struct session *s, const struct query *q,
			struct statement *run, struct result *r)
{
	struct exec *x = &run->x;
	size_t n = s->nfilters;

	for (const struct gstage *g = q->gstages; g; g = g->next)
		n++;
	r->filters = EXEC_ARRAY(x, struct str, n + 1);
	if (!r->filters)
		return x->err->kind;
	for (size_t i = 0; i < s->nfilters; i++)
		if (!run->idle[i])
			r->filters[r->nfilters++] = s->filters[i];
	for (const struct gstage *g = q->gstages; g; g = g->next) {
		struct str shown = {x->text.p + g->span.at, g->span.len};

		if (g->kind == G_COLLAPSE_BY) /* collapse by $x: what it is */
			shown = arena_printf(x->a, "collapse by %.*s", STR_ARG(g->name));
		if (g->kind == G_FOCUS && g->span.at == g->set->span.at) /* why under X */
			shown = arena_printf(x->a, "focus %.*s", STR_ARG(shown));
		if (!shown.p)
			return arena_full(x->a, x->err);
		r->filters[r->nfilters++] = shown;
	}
	return 0;
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

/* The length of each piece, then its bytes: equal keys are of equal pieces. */
static struct str key_of(struct exec *x, const struct str *piece, size_t n)
{
	size_t size = 0;
	char *p, *to;

	for (size_t i = 0; i < n; i++) {
		if (!piece[i].p)
			return (struct str){NULL, 0};
		size += sizeof(piece[i].n) + piece[i].n;
	}
	if (!(p = to = arena_alloc(x->a, size + 1)))
		return (struct str){NULL, 0};
	for (size_t i = 0; i < n; i++) {
		memcpy(to, &piece[i].n, sizeof(piece[i].n));
		to += sizeof(piece[i].n);
		memcpy(to, piece[i].p, piece[i].n);
		to += piece[i].n;
	}
	return (struct str){p, size};
}

/* All that the graph of the stages depends on beside the store (graph_cache.h). */
static struct str graph_key(const struct session *s, const struct query *q,
			    struct statement *run)
{
	struct exec *x = &run->x;
	size_t n = 0, stages = 0;
	struct str *piece;

	for (const struct gstage *g = q->gstages; g; g = g->next)
		stages++;
	if (!(piece = EXEC_ARRAY(x, struct str, 1 + s->nfilters + stages + 2 * s->nlets)))
		return (struct str){NULL, 0};
	piece[n++] = arena_printf(x->a, "%u %d %zu", x->event, store_demangles(x->g->st),
				  stages);
	for (size_t i = 0; i < s->nfilters; i++)
		if (!run->idle[i])
			piece[n++] = s->filters[i];
	for (const struct gstage *g = q->gstages; g; g = g->next)
		piece[n++] = (struct str){x->text.p + g->span.at, g->span.len};
	for (size_t i = 0; i < s->nlets; i++) {
		piece[n++] =
			arena_printf(x->a, "%d %s", s->lets[i].is_set, s->lets[i].name);
		piece[n++] = str_c(s->lets[i].text);
	}
	return key_of(x, piece, n);
}

/* Its rows are functions of a graph that is made from that of the stages. */
static bool is_of_groups(const struct source *s)
{
	return s->kind == S_FILES || s->kind == S_OBJECTS || s->kind == S_DIRS ||
	       s->kind == S_CLASSES;
}

/* Run the graph stages, or take their graph from the last time.  With `vs` they depend on
 * the other profile, too. */
static int run_gstages(struct session *s, const struct query *q, struct statement *run)
{
	struct exec *x = &run->x;
	struct str key;

	if ((!run->gstages && !is_of_groups(&q->source) &&
	     !store_any_grouped(x->g->st)) ||
	    q->source.vs.n)
		return exec_gstages(x, run->gstages, x->text);
	if (!(key = graph_key(s, q, run)).p)
		return arena_full(x->a, x->err);
	return graph_cache_gstages(s->graphs, x, run->gstages, x->text, key);
}

/* `why` tells contexts apart, which know more of what a change is below. */
static int as_recorded(struct statement *run, const struct gstage *first)
{
	struct gstage *g = EXEC_ARRAY(&run->x, struct gstage, 1);

	if (!g)
		return run->x.err->kind;
	*g = (struct gstage){.kind = G_CONTEXTS,
			     .next = (struct gstage *)(uintptr_t)first};
	run->gstages = g;
	return 0;
}

/* Filters in force that do not change what the source lists are left out of the stages,
 * with a note. */
static int leave_out_idle(struct session *s, const struct query *q, struct statement *run,
			  struct gstage *first)
{
	struct gstage **at = &first;
	struct exec *x = &run->x;

	if (!(run->idle = EXEC_ARRAY(x, bool, s->nfilters + 1)))
		return x->err->kind;
	for (size_t i = 0; i < s->nfilters; i++) {
		run->idle[i] = !check_heeds(&q->source, *at);
		if (!run->idle[i]) {
			at = &(*at)->next;
			continue;
		}
		*at = (*at)->next;
		if (exec_note(x, arena_printf(x->a, "%.*s does not change this table",
					      STR_ARG(s->filters[i]))))
			return x->err->kind;
	}
	run->gstages = first;
	return q->source.kind == S_WHY ? as_recorded(run, first) : 0;
}

/* Make the graphs of both profiles, or of the only one. */
static int run_sides(struct session *s, const struct query *q, struct statement *run)
{
	struct exec *x = &run->x;
	const size_t notes = x->notes->n;

	for (;;) {
		if (graph_plain(s->stores[run->profile], s->flows, x->a, &s->cancel,
				&x->g, x->err) ||
		    (q->source.vs.n &&
		     exec_vs_base(x, &q->source, run->gstages, run->vs, &run->vs)) ||
		    run_gstages(s, q, run))
			return x->err->kind;
		if (!run->vs || x->by_file || !vs_inlined_differs(x, run->vs))
			return 0;
		/* Begin again with what is known on both sides: the files of inlined
		 * code. */
		x->by_file = true;
		x->inlined = NULL;
		x->parts = NULL;
		x->other = NULL;
		x->notes->n = notes;
		if (exec_note(x, STR("the names of inlined code are known on one side "
				     "only: on both, its file tells")))
			return x->err->kind;
	}
}

/* The causes as `why` tells them: of the profiles as recorded, not of joined functions. */
static int find_causes(struct session *s, const struct query *q, struct statement *run,
		       struct headline *h)
{
	struct exec *x = &run->x;
	struct statement *as = EXEC_ARRAY(x, struct statement, 1);

	if (!as)
		return x->err->kind;
	*as = *run;
	as->x.notes = EXEC_ARRAY(x, struct exec_texts, 1);
	as->x.hints = EXEC_ARRAY(x, struct exec_texts, 1);
	as->x.doubts = EXEC_ARRAY(x, struct doubts, 1);
	as->x.inlined = NULL;
	as->x.parts = NULL;
	as->x.other = NULL;
	if (!as->x.notes || !as->x.hints || !as->x.doubts ||
	    (x->g->member && (as_recorded(as, run->gstages) || run_sides(s, q, as))))
		return x->err->kind;
	return exec_why_headline(&as->x, as->vs, x->g, h);
}

/* The cause is left out where it would take longer than the table. */
static int find_headline(struct session *s, const struct query *q, struct statement *run,
			 const struct headline **out)
{
	enum { MOST = 1 << 18 }; /* functions */
	const bool totals = q->source.kind == S_WHY;
	struct headline *h;

	if (exec_vs_headline(&run->x, run->vs, totals, &h))
		return run->x.err->kind;
	*out = h;
	return totals || run->x.g->functions > MOST ? 0 : find_causes(s, q, run, h);
}

static int make_result(struct session *s, struct statement *run, const struct stmt *st)
{
	const struct query *q = &st->query;
	struct result *r = &run->r;
	struct exec *x = &run->x;
	struct table *t = &run->t;

	*r = (struct result){
		.source =
			q->source.kind == S_LAST ? "_" : source_def(q->source.kind)->name,
		.of = q->source.kind == S_LAST ? NULL : source_def_of(&q->source),
		.query = check_with_values(
			x->env, (struct str){x->text.p + st->span.at, st->span.len},
			x->a),
		.profile = s->names[run->profile],
		.event = x->env->nevents ? x->env->events[x->event] : STR(""),
		.unit = x->env->nevents ? x->env->units[x->event] : (struct unit){0},
		.total = graph_total(x->g, x->event),
		.event_id = x->event,
		.doubts = x->doubts,
		.graph = q->source.kind == S_LAST ? NULL : x->g,
		.table = q->source.kind == S_LAST ? NULL : t,
		.root_one = t->root_one,
		.tree = t->tree,
		.paths = t->src && !t->ref && !t->vs ? t->paths : NULL,
		.listing = t->src && !t->ref && !t->vs ? t->listing : NULL,
		.root_fuzzy = t->root_fuzzy,
		.root_own = t->root_own,
		.root_name = t->root_name,
		.root_cost = t->root_cost,
		.upward = t->upward,
		.usual = keeps_columns(q),
		.base = q->source.kind == S_LAST && x->open->last ? x->open->last->base
								  : q->source.vs,
		.paired = {t->paired.known ? t->paired.percent[0] : -1,
			   t->paired.known ? t->paired.percent[1] : -1},
	};
	if (!r->query.p)
		return arena_full(x->a, x->err);
	if (table_result(t, r) || vs_sides(t, &r->compared) ||
	    (run->vs && !r->card && find_headline(s, q, run, &r->headline)) ||
	    footer(x, t, r) || list_filters(s, q, run, r))
		return x->err->kind;
	if (s->people && keeps_columns(q) && t->no_text.n && exec_hint(x, t->no_text))
		return x->err->kind;
	for (size_t i = 0; i < x->hints->n; i++)
		if (exec_note(x, x->hints->at[i]))
			return x->err->kind;
	r->notes = x->notes->at;
	r->nnotes = x->notes->n;
	r->nhints = x->hints->n;
	asked_for(q, r);
	/* A function that was refused memory on the way may have returned no error. */
	if (x->a->refused)
		return arena_full(x->a, x->err);
	if (x->g->a->refused)
		return arena_full(x->g->a, x->err);
	return session_check(s, x->err);
}

/* A tree has tens of thousands of rows, a comparison one for each function that did not
 * change, a listing one for each instruction, which nobody reads; a list of callers has
 * not. */
static void leave_out_usual(const struct session *s, const struct query *q,
			    struct source *of)
{
	static const double usual = 0.5; /* percent */
	const bool tree = of->kind == S_CALLTREE ||
			  ((of->kind == S_CALLERS || of->kind == S_CALLEES) &&
			   (of->depth_all || of->depth > 1));

	if (!s->people || q->tstages || q->file.n || q->shell.n)
		return;
	of->min_usual = of->kind == S_SOURCE || of->kind == S_ASM ||
			(of->kind == S_FUNCTIONS && of->vs.n && !of->also);
	if (!tree || of->has_min || of->has_max || of->vs.n)
		return;
	of->has_min = of->min_percent = of->min_usual = true;
	of->min = usual;
}

/* focus X | why: what leads to X did not change by that; as `why under X`. */
static void tell_under(struct query *q, const struct gstage *last)
{
	while (last && last->next)
		last = last->next;
	if (q->source.kind == S_WHY && !q->source.under && !q->source.of && last &&
	    last->kind == G_FOCUS)
		q->source.under = last->set;
}

/* Check the query and make the graph that its source will see. */
static int open_graph(struct session *s, struct query *q, struct str text,
		      struct arena *a, struct statement *run, struct err *err)
{
	struct exec *x = &run->x;
	struct gstage *stages;

	*run = (struct statement){.open = open_of(s)};
	*x = (struct exec){.a = a,
			   .err = err,
			   .open = &run->open,
			   .env = &run->env,
			   .text = text,
			   .notes = &run->notes,
			   .hints = &run->hints,
			   .doubts = &run->doubts,
			   .part = &run->part};
	cancel_after(&s->cancel, s->limits.seconds);
	if (session_gstages(s, q, a, &stages, &run->profile, err) ||
	    leave_out_idle(s, q, run, stages))
		return err->kind;
	leave_out_usual(s, q, &q->source);
	tell_under(q, run->gstages);
	return session_env(s, run->profile, a, &run->env, err) ||
			       check_query(&run->env, q, a, &x->event, err) ||
			       run_sides(s, q, run)
		       ? err->kind
		       : 0;
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
	/* The limit does not cover the time in which a reader turns the pages. */
	cancel_after(&s->cancel, 0);
	if (sink(arg, &run->r, err))
		place_of_output(err, &st->query, text);
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

/* Does a query of inlined code have an answer?  Lines alone tell no names of it.  A hint does not
 * wait long for the debug information, and the answer has its own time after that. */
static bool answers(struct session *s, struct str text, struct arena *a)
{
	enum { PATIENCE = 1 }; /* second */
	const struct parse_limits l = session_parse_limits(s);
	const uint32_t seconds = s->limits.seconds;
	struct statement *run = ARENA_NEW(a, struct statement);
	struct err other = {0}, failed = {0};
	struct stmt *with;
	bool yes, named = false;

	for (size_t i = 0; i < s->n; i++)
		named |= store_info(s->stores[i])->has_instr ||
			 store_info(s->stores[i])->inlined;
	if (!run || !text.p || !named || parse_text(text, &l, a, &with, &other))
		return false;
	s->limits.seconds = seconds && seconds < PATIENCE ? seconds : PATIENCE;
	yes = !open_graph(s, &with->query, text, a, run, &other) &&
	      !run_stages(s, run, &with->query, &failed);
	s->limits.seconds = seconds;
	cancel_after(&s->cancel, seconds);
	return yes;
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

	if (!name.n || !ask.n || x->g->extra ||
	    !answers(s, arena_printf(x->a, "with inlined | %.*s", STR_ARG(name)), x->a))
		return 0;
	return exec_note(x, arena_printf(x->a, "inlined code is called %.*s: %.*s",
					 STR_ARG(name), STR_ARG(ask)));
}

static int run_query(struct session *s, struct stmt *st, struct str text, struct arena *a,
		     query_sink *sink, void *arg, struct err *err)
{
	struct statement *run = ARENA_NEW(a, struct statement);
	struct err failed = {0};

	if (!run)
		return arena_full(a, err);
	if (s->n == 0) {
		err_set(err, ERR_QUERY, st->span.at, "no profile is open");
		return err_hint(err, ".open PROFILE");
	}
	if (st->query.source.kind == S_LAST && s->last_rows)
		return err_set(err, ERR_LIMIT, st->span.at,
			       "the last result had %s rows, too many "
			       "to keep as '_'",
			       GROUPED(s->last_rows));
	if (open_graph(s, &st->query, text, a, run, err) ||
	    run_stages(s, run, &st->query, &failed)) {
		if (st->query.source.lone && run->x.absent)
			parse_lone_unknown(text, &st->query.source, err);
		return run->x.absent && err->kind == ERR_QUERY
			       ? hint_inlined(s, st, text, a, err)
			       : err->kind;
	}
	if (failed.kind) {
		if (make_result(s, run, st))
			return err->kind;
		run->r.why = str_c(failed.text);
		run->r.doubted = run->unsure || exec_doubted(&run->x) < DOUBT_UNSURE;
		if (!give_result(s, run, st, text, sink, arg, err))
			*err = failed;
		return err->kind;
	}
	if (note_inlined(s, run, st) || make_result(s, run, st))
		return err->kind;
	session_keep_last(s, &run->r);
	return give_result(s, run, st, text, sink, arg, err);
}

static int try_stage(struct session *s, struct gstage *g, struct str text,
		     struct arena *a, struct err *err)
{
	struct query q = {.gstages = g, .source = {.kind = S_FUNCTIONS}};
	struct statement run;

	return open_graph(s, &q, text, a, &run, err);
}

int session_push(struct session *s, struct str gstage, struct err *err)
{
	struct parse_limits l;
	struct gstage *g;
	struct arena a;
	char *p;
	int rc;

	arena_init(&a, s->limits.arena_bytes);
	rc = session_query_scope(s, gstage, err);
	l = session_parse_limits(s);
	if (!rc)
		rc = parse_gstage_text(gstage, &l, &a, &g, err);
	/* Report a name that matches nothing now, not with every later query. */
	if (!rc && s->n)
		rc = try_stage(s, g, gstage, &a, err);
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

struct running {
	struct session *s;
	struct str text;
	struct arena *a;
	query_sink *sink;
	void *arg;
	struct err *err;
};

/* A name alone must be a function's, or it is a word that does not exist: the script is
 * wrong, and nothing of it is run. */
int session_check_lone(struct session *s, const struct stmt *st, struct str text,
		       struct arena *a, struct err *err)
{
	const struct set *of = st->query.source.of;
	struct match_atom atom = {.form = MATCH_BARE};
	struct match_found found;

	if (st->is_let || !st->query.source.lone || !s->n || st->query.gstages ||
	    of->op != SET_ATOM || of->field != FIELD_FN || of->form != FORM_BARE)
		return 0;
	atom.text = of->text;
	atom.at = of->text_span.at;
	atom.len = (uint32_t)of->text_span.len;
	if (match_find(s->stores[0], &atom, &s->cancel, a, &found, err))
		return err->kind;
	if (found.functions)
		return 0;
	atom.field = MATCH_CLASS;
	if (name_class(atom.text).n &&
	    match_find(s->stores[0], &atom, &s->cancel, a, &found, err))
		return err->kind;
	if (found.functions) {
		err_set(err, ERR_QUERY, atom.at, "'%.*s' is a class, no function",
			STR_ARG(atom.text));
		err->len = atom.len;
		return err_hint(err, "here that is: functions of class:%.*s",
				STR_ARG(atom.text));
	}
	atom.field = MATCH_FN;
	match_none(s->stores[0], &atom, 0, &s->cancel, err);
	return parse_lone_unknown(text, &st->query.source, err);
}

/* diff, where there is nothing to compare with. */
static void hint_second(const struct session *s, struct err *err)
{
	const size_t n = strlen(err->hint);

	if (s->n < 2 &&
	    str_starts(str_c(err->hint), STR("here that is: functions vs base")))
		snprintf(err->hint + n, sizeof(err->hint) - n,
			 " -- of two profiles: quern new.out base=old.out");
}

/* A fault leaks the malloc'd memory in use.  This is rare: an index damaged under a
 * query.  The memory of the query itself is in the arena. */
static int run_guarded(void *arg)
{
	struct running *r = arg;
	struct parse_limits l = session_parse_limits(r->s);
	struct stmt *st;
	int rc = parse_text(r->text, &l, r->a, &st, r->err);

	for (const struct stmt *one = st; !rc && one; one = one->next)
		if ((rc = session_check_lone(r->s, one, r->text, r->a, r->err)))
			hint_inlined(r->s, one, r->text, r->a, r->err);
	for (; !rc && st; st = st->next) {
		rc = st->is_let ? run_let(r->s, &st->let, r->a, r->err)
				: run_query(r->s, st, r->text, r->a, r->sink, r->arg,
					    r->err);
		graph_cache_trim(r->s->graphs);
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
	struct running r = {s, text, a, sink, arg, err};
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
	if (rc)
		hint_second(s, err);
	return rc ? err->kind : 0;
}
