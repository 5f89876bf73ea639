/*
 * query.c - the way of a text through parse, check and exec; see query.h.
 *
 * A query is checked; its graph stages make a graph; the source makes a table of it, and
 * table stages change the table (run_query()).  The result goes to the sink, and is kept as
 * `_` (last.c).
 */
#include "engine/query.h"

#include <stdlib.h>
#include <string.h>

#include "engine/inline/inlines.h"
#include "engine/rows/exec.h"
#include "engine/sources/footer.h"
#include "engine/listing/listing.h"
#include "engine/graph/graph.h"
#include "engine/gstages/graph_cache.h"
#include "engine/gstages/gstage.h"
#include "engine/names/match.h"
#include "engine/path/path.h"
#include "engine/session.h"
#include "engine/sources/source.h"
#include "engine/sources/sources.h"
#include "engine/stages/stage.h"
#include "engine/stages/vs.h"
#include "index/base/vec.h"

/* ---- for reports ---- */

int session_program_tree(struct session *s, struct graph *g, uint32_t event,
			 bool unparted, uint32_t rows, struct arena *a,
			 struct path_tree *out, struct err *err)
{
	struct exec x = {.a = a,
			 .err = err,
			 .cancel = &s->cancel,
			 .g = g,
			 .event = event,
			 .unparted = unparted,
			 .flows = s->flows};
	struct path_tree_query q = {.of = TREE_PROGRAM, .rows = rows};

	return graph_event(x.g, event, err) || exec_tree(&x, &q, out) ? err->kind : 0;
}

static struct exec listing_exec(struct session *s, struct graph *g, struct arena *a,
				struct err *err)
{
	return (struct exec){.a = a,
			     .err = err,
			     .cancel = &s->cancel,
			     .g = g,
			     .parts = g->parts,
			     .part_cache = s->part_cache,
			     .inlines = s->inlines,
			     .roots = s->roots,
			     .objects = s->objects,
			     .safe = s->safe,
			     .row_limit = s->limits.rows};
}

int session_listing(struct session *s, struct graph *g, const uint32_t *f, size_t n,
		    bool ahead, struct listing *l, struct arena *a, struct err *err)
{
	struct exec x = listing_exec(s, g, a, err);
	struct fn_set *set = fnset_new(a, g->functions);

	if (!set)
		return arena_full(a, err);
	for (size_t i = 0; i < n; i++)
		fnset_add(set, f[i]);
	if (l->instrs && s->safe)
		return err_set(err, ERR_QUERY, 0, "objdump is not run under --safe");
	if (ahead ? listing_ahead(&x, l, set) : listing_fill(&x, l, set))
		return err->kind;
	/* A file that did not fit is no file without text. */
	return a->refused || l->texts->refused ? arena_full(a, err) : 0;
}

/* ---- one statement ---- */

static int run_let(struct session *s, struct let *let, struct arena *a, struct err *err)
{
	struct check_env env;

	if (session_env(s, 0, a, &env, err) || check_let(&env, let, a, err))
		return err->kind;
	return session_set_let(s, let, err);
}

/* Run the source and the stages.  `expect` comes last and leaves the rows that fail
 * it. */
static int run_stages(struct exec *x, const struct query *q, struct table *t,
		      int *expected)
{
	x->whole = q->source.lone;
	if (exec_source(x, &q->source, t, q->tstages))
		return x->err->kind;
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (exec_tstage(x, t, st) || exec_poll_now(x))
			return x->err->kind;
	if (exec_order(x, t))
		return x->err->kind;
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_EXPECT && exec_expect(x, t, st)) {
			if (x->err->kind != ERR_EXPECT)
				return x->err->kind;
			x->err->len = (uint32_t)st->span.len;
			*expected = ERR_EXPECT;
			break;
		}
	return 0;
}

static int list_filters(struct session *s, const struct query *q, struct str text,
			struct exec *x, struct result *r)
{
	size_t n = s->nfilters;

	for (const struct gstage *g = q->gstages; g; g = g->next)
		n++;
	r->filters = EXEC_ARRAY(x, struct str, n + 1);
	if (!r->filters)
		return x->err->kind;
	for (size_t i = 0; i < s->nfilters; i++)
		if (!x->idle[i])
			r->filters[r->nfilters++] = s->filters[i];
	for (const struct gstage *g = q->gstages; g; g = g->next) {
		struct str shown = {text.p + g->span.at, g->span.len};

		if (g->kind == G_COLLAPSE_BY) /* collapse by $x: what it is */
			shown = arena_printf(x->a, "collapse by %.*s", STR_ARG(g->name));
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

static int make_result(struct session *s, struct exec *x, const struct stmt *st,
		       struct str text, struct table *t, size_t profile, struct result *r)
{
	const struct query *q = &st->query;

	*r = (struct result){
		.source =
			q->source.kind == S_LAST ? "_" : source_def(q->source.kind)->name,
		.query = check_with_values(
			x->env, (struct str){text.p + st->span.at, st->span.len}, x->a),
		.profile = s->names[profile],
		.event = x->env->nevents ? x->env->events[x->event] : STR(""),
		.unit = x->env->nevents ? x->env->units[x->event] : (struct unit){0},
		.total = graph_total(x->g, x->event),
		.event_id = x->event,
		.graph = q->source.kind == S_LAST ? NULL : x->g,
		.tree = t->tree,
		.paths = t->src && !t->ref && !t->vs ? t->paths : NULL,
		.listing = t->src && !t->ref && !t->vs ? t->listing : NULL,
		.root_fuzzy = t->root_fuzzy,
		.root_own = t->root_own,
		.root_name = t->root_name,
		.root_cost = t->root_cost,
		.upward = t->upward,
		.base = q->source.kind == S_LAST && x->last ? x->last->base
							    : q->source.vs,
		.paired = {x->paired[0], x->paired[1]},
	};
	if (!r->query.p)
		return arena_full(x->a, x->err);
	if (table_result(t, r) || vs_sides(t, &r->compared) || footer(x, t, r) ||
	    list_filters(s, q, text, x, r))
		return x->err->kind;
	for (size_t i = 0; i < x->nhints; i++)
		if (exec_note(x, x->hints[i]))
			return x->err->kind;
	r->notes = x->notes;
	r->nnotes = x->nnotes;
	r->nhints = x->nhints;
	asked_for(q, r);
	/* A function that was refused memory on the way may have returned no error. */
	if (x->a->refused)
		return arena_full(x->a, x->err);
	if (x->g->a->refused)
		return arena_full(x->g->a, x->err);
	return session_check(s, x->err);
}

/* All that the graph of the stages depends on beside the store (graph_cache.h). */
static struct str graph_key(const struct session *s, const struct query *q,
			    struct str text, const struct exec *x)
{
	struct str key = arena_printf(x->a, "%u %d", x->event, store_demangles(x->g->st));

	for (size_t i = 0; key.p && i < s->nfilters; i++)
		if (!x->idle[i])
			key = arena_printf(x->a, "%.*s\n%.*s", STR_ARG(key),
					   STR_ARG(s->filters[i]));
	for (const struct gstage *g = q->gstages; key.p && g; g = g->next)
		key = arena_printf(x->a, "%.*s\n%.*s", STR_ARG(key), (int)g->span.len,
				   text.p + g->span.at);
	for (size_t i = 0; key.p && i < s->nlets; i++)
		key = arena_printf(x->a, "%.*s\n%s %d %s", STR_ARG(key), s->lets[i].name,
				   s->lets[i].is_set, s->lets[i].text);
	return key;
}

/* Its rows are functions of a graph that is made from that of the stages. */
static bool is_of_groups(const struct source *s)
{
	return s->kind == S_FILES || s->kind == S_OBJECTS || s->kind == S_DIRS ||
	       s->kind == S_CLASSES;
}

/* Run the graph stages, or take their graph from the last time.  With `vs` they depend on
 * the other profile, too. */
static int run_gstages(struct session *s, const struct query *q, struct str text,
		       struct exec *x)
{
	struct str key;

	if ((!x->gstages && !is_of_groups(&q->source)) || q->source.vs.n)
		return exec_gstages(x, x->gstages, text);
	if (!(key = graph_key(s, q, text, x)).p)
		return arena_full(x->a, x->err);
	return graph_cache_gstages(s->graphs, x, x->gstages, text, key);
}

/* Filters in force that do not change what the source lists are left out, with a note. */
static int leave_out_idle(struct session *s, const struct query *q, struct exec *x)
{
	const struct gstage **at = &x->gstages;

	if (!(x->idle = EXEC_ARRAY(x, bool, s->nfilters + 1)))
		return x->err->kind;
	for (size_t i = 0; i < s->nfilters; i++) {
		const struct gstage *g = *at;

		x->idle[i] = !check_heeds(&q->source, g);
		if (!x->idle[i]) {
			at = (const struct gstage **)(uintptr_t)&g->next;
			continue;
		}
		*at = g->next;
		if (exec_note(x, arena_printf(x->a, "%.*s does not change this table",
					      STR_ARG(s->filters[i]))))
			return x->err->kind;
	}
	return 0;
}

/* Check the query and make the graph that its source will see. */
static int open_graph(struct session *s, struct query *q, struct str text,
		      struct arena *a, struct exec *x, struct check_env *env,
		      size_t *profile, struct err *err)
{
	*x = (struct exec){.a = a,
			   .err = err,
			   .cancel = &s->cancel,
			   .env = env,
			   .stores = s->stores,
			   .flows = s->flows,
			   .part_cache = s->part_cache,
			   .inlines = s->inlines,
			   .pairs = &s->pairs,
			   .paired = {-1, -1},
			   .least_paired = s->least_paired,
			   .last = s->last,
			   .roots = s->roots,
			   .objects = s->objects,
			   .safe = s->safe,
			   .text = text,
			   .row_limit = s->limits.rows};
	cancel_after(&s->cancel, s->limits.seconds);
	return session_gstages(s, q, a, &x->gstages, profile, err) ||
			       leave_out_idle(s, q, x) ||
			       session_env(s, *profile, a, env, err) ||
			       check_query(env, q, a, &x->event, err) ||
			       graph_plain(s->stores[*profile], a, &s->cancel, &x->g,
					   err) ||
			       (q->source.vs.n && exec_vs_base(x, &q->source)) ||
			       run_gstages(s, q, text, x)
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

/* A statement that runs.  It is in the arena of the query: a result of many rows reads them from
 * the table when it is asked for them. */
struct statement {
	struct check_env env;
	struct exec x;
	struct table t;
	struct result r;
};

static int give_result(struct session *s, struct statement *run, const struct stmt *st,
		       struct str text, query_sink *sink, void *arg, struct err *err)
{
	/* The limit does not cover the time in which a reader turns the pages. */
	cancel_after(&s->cancel, 0);
	if (sink(arg, &run->r, err))
		place_of_output(err, &st->query, text);
	return err->kind;
}

static int run_query(struct session *s, struct stmt *st, struct str text, struct arena *a,
		     query_sink *sink, void *arg, struct err *err)
{
	struct statement *run = ARENA_NEW(a, struct statement);
	size_t profile;
	int expected = 0;

	if (!run)
		return arena_full(a, err);
	if (s->n == 0)
		return err_set(err, ERR_QUERY, st->span.at, "no profile is open");
	if (st->query.source.kind == S_LAST && s->last_rows)
		return err_set(err, ERR_LIMIT, st->span.at,
			       "the last result had %s rows, too many "
			       "to keep as '_'",
			       GROUPED(s->last_rows));
	if (open_graph(s, &st->query, text, a, &run->x, &run->env, &profile, err) ||
	    run_stages(&run->x, &st->query, &run->t, &expected)) {
		if (st->query.source.lone && run->x.absent)
			parse_lone_unknown(text, &st->query.source, err);
		return err->kind;
	}
	if (expected) {
		struct err failed = *err;

		err_clear(err);
		if (make_result(s, &run->x, st, text, &run->t, profile, &run->r))
			return err->kind;
		run->r.why = str_c(failed.text);
		if (!give_result(s, run, st, text, sink, arg, err))
			*err = failed;
		return err->kind;
	}
	if (make_result(s, &run->x, st, text, &run->t, profile, &run->r))
		return err->kind;
	session_keep_last(s, &run->r);
	return give_result(s, run, st, text, sink, arg, err);
}

static int try_stage(struct session *s, struct gstage *g, struct str text,
		     struct arena *a, struct err *err)
{
	struct query q = {.gstages = g, .source = {.kind = S_FUNCTIONS}};
	struct check_env env;
	struct exec x;
	size_t profile;

	return open_graph(s, &q, text, a, &x, &env, &profile, err);
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
	match_none(s->stores[0], &atom, 0, &s->cancel, err);
	return parse_lone_unknown(text, &st->query.source, err);
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
		rc = session_check_lone(r->s, one, r->text, r->a, r->err);
	for (; !rc && st; st = st->next) {
		rc = st->is_let ? run_let(r->s, &st->let, r->a, r->err)
				: run_query(r->s, st, r->text, r->a, r->sink, r->arg,
					    r->err);
		graph_cache_trim(r->s->graphs);
		inlines_save(r->s->inlines);
		if (rc)
			fix_place(r->err, st);
	}
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
	if (!(rc = session_query_scope(s, text, err)))
		rc = session_guard(run_guarded, &r, err);
	session_scope_end(s);
	/* Damaged data reads as zeros: "no function matches" would be a wrong answer. */
	if (err->kind == ERR_QUERY || err->kind == ERR_EXPECT) {
		struct err damage = {0};

		if (session_check(s, &damage))
			*err = damage;
	}
	a->cap = cap;
	return rc ? err->kind : 0;
}
