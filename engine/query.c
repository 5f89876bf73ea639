/*
 * query.c - sessions, and the way of a text through parse, check and exec; see query.h.
 *
 * `_` is a deep copy in the session's own arena.  Two arenas take turns, so that a query
 * over `_` can read the old result while it makes the new one.  A failed query changes
 * neither.
 */
#include "engine/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/sources/footer.h"
#include "engine/graph/graph.h"
#include "engine/stages/gstage.h"
#include "engine/path/path.h"
#include "engine/session.h"
#include "engine/sources/source.h"
#include "engine/sources/sources.h"
#include "engine/stages/stage.h"
#include "engine/stages/vs.h"
#include "index/base/map.h"
#include "index/base/vec.h"

enum {
	NESTING = 200,
	TEXT_BYTES = 64 << 10,
	SECONDS = 60,
	LEAST_PAIRED = 50, /* percent */
	ROWS = 10000000,
	KEPT_ROWS = 1 << 18, /* rows of `_` */
};
#define ARENA_BYTES ((uint64_t)2 << 30)

/* ---- session ---- */

int session_new(struct session **out, struct err *err)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return err_no_memory(err, NULL);
	s->part_cache = part_cache_new();
	if (!s->part_cache || flow_cache_new(&s->flows, err)) {
		err_no_memory(err, NULL);
		part_cache_free(s->part_cache);
		free(s);
		return (int)err->kind;
	}
	arena_init(&s->kept[0], 0);
	arena_init(&s->kept[1], 0);
	session_set_limits(s, &(struct session_limits){0});
	s->least_paired = LEAST_PAIRED;
	*out = s;
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	flow_cache_free(s->flows);
	part_cache_free(s->part_cache);
	pair_cache_free(&s->pairs);
	for (size_t i = 0; i < s->n; i++)
		free((void *)(uintptr_t)s->names[i].p);
	for (size_t i = 0; i < s->nfilters; i++)
		free((void *)(uintptr_t)s->filters[i].p);
	for (size_t i = 0; i < s->nlets; i++) {
		free(s->lets[i].name);
		free(s->lets[i].text);
	}
	arena_free(&s->kept[0]);
	arena_free(&s->kept[1]);
	free(s->stores);
	free(s->names);
	free(s->filters);
	free(s->lets);
	free(s->event);
	free(s);
}

static char *copy(struct str s)
{
	char *p = malloc(s.n + 1);

	if (p) {
		if (s.n)
			memcpy(p, s.p, s.n);
		p[s.n] = '\0';
	}
	return p;
}

static size_t find_profile(const struct session *s, struct str name)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->names[i], name))
			return i;
	return s->n;
}

int session_add(struct session *s, struct str name, struct store *st, struct err *err)
{
	char *p;

	if (find_profile(s, name) < s->n) {
		err_set(err, ERR_QUERY, 0,
			"a profile is already open under the name '%.*s'", STR_ARG(name));
		return err_hint(err, "give it another: NAME=FILE");
	}
	if (vec_reserve(&s->stores, &s->cap, s->n + 1, sizeof(*s->stores)) ||
	    vec_reserve(&s->names, &s->names_cap, s->n + 1, sizeof(*s->names)) ||
	    !(p = copy(name)))
		return err_no_memory(err, NULL);
	s->stores[s->n] = st;
	s->names[s->n++] = (struct str){p, name.n};
	return 0;
}

static void forget_last(struct session *s)
{
	arena_reset(&s->kept[0]);
	arena_reset(&s->kept[1]);
	s->last = NULL;
	s->last_rows = 0;
}

int session_remove(struct session *s, struct str name, struct err *err)
{
	size_t i = find_profile(s, name);

	if (i == s->n)
		return err_set(err, ERR_QUERY, 0,
			       "no profile is open under the name '%.*s'", STR_ARG(name));
	flow_cache_drop(s->flows, s->stores[i]);
	part_cache_drop(s->part_cache, s->stores[i]);
	pair_forget(&s->pairs);
	forget_last(s);
	free((void *)(uintptr_t)s->names[i].p);
	memmove(&s->stores[i], &s->stores[i + 1], (s->n - i - 1) * sizeof(*s->stores));
	memmove(&s->names[i], &s->names[i + 1], (s->n - i - 1) * sizeof(*s->names));
	s->n--;
	return 0;
}

size_t session_profiles(const struct session *s)
{
	return s->n;
}

struct str session_profile_name(const struct session *s, size_t i)
{
	return s->names[i];
}

struct store *session_profile(const struct session *s, size_t i)
{
	return s->stores[i];
}

struct parse_limits session_parse_limits(const struct session *s)
{
	return (struct parse_limits){
		.text_bytes = s->limits.text_bytes,
		.nesting = s->limits.nesting,
	};
}

int session_env(struct session *s, size_t p, struct arena *a, struct check_env *env,
		struct err *err)
{
	struct store *st = s->stores[p];
	uint32_t n = store_info(st)->all_events;
	struct str *events = ARENA_ARRAY(a, struct str, (size_t)n + 1);
	struct check_let *lets = ARENA_ARRAY(a, struct check_let, s->nlets + 1);

	if (!events || !lets)
		return arena_full(a, err);
	*env = (struct check_env){.events = events,
				  .nevents = n,
				  .profiles = s->names,
				  .nprofiles = s->n,
				  .lets = lets,
				  .nlets = s->nlets,
				  .last = s->last,
				  .limits = session_parse_limits(s),
				  .safe = s->safe,
				  .event_scope = "this profile"};
	for (uint32_t e = 0; e < n; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		events[e] = ev.name;
		if (s->event && str_eq(ev.name, str_c(s->event)))
			env->event = e;
	}
	for (size_t i = 0; i < s->nlets; i++)
		lets[i] = (struct check_let){str_c(s->lets[i].name),
					     str_c(s->lets[i].text), s->lets[i].is_set};
	return 0;
}

int session_set_event(struct session *s, struct str event, struct err *err)
{
	struct arena a;
	struct check_env env;
	char *p;
	int rc = 0;

	if (s->n == 0)
		return err_set(err, ERR_QUERY, 0, "no profile is open");
	arena_init(&a, 0);
	if (session_env(s, 0, &a, &env, err) ||
	    check_event(&env, event, (struct span){0, event.n}, err) == env.nevents)
		rc = (int)err->kind;
	arena_free(&a);
	if (rc)
		return rc;
	if (!(p = copy(event)))
		return err_no_memory(err, NULL);
	free(s->event);
	s->event = p;
	return 0;
}

struct str session_event(const struct session *s)
{
	struct store_event e = {0};

	if (s->event)
		return str_c(s->event);
	if (s->n && store_info(s->stores[0])->events)
		store_event(s->stores[0], 0, &e);
	return e.name;
}

void session_set_cancel(struct session *s, const atomic_int *cancel)
{
	s->cancel.asked = cancel;
}

void session_set_limits(struct session *s, const struct session_limits *l)
{
	s->limits = (struct session_limits){
		.rows = l->rows ? l->rows : ROWS,
		.arena_bytes = l->arena_bytes ? l->arena_bytes : ARENA_BYTES,
		.seconds = l->seconds ? l->seconds : SECONDS,
		.nesting = l->nesting ? l->nesting : NESTING,
		.text_bytes = l->text_bytes ? l->text_bytes : TEXT_BYTES,
	};
}

const struct session_limits *session_limits(const struct session *s)
{
	return &s->limits;
}

void session_set_roots(struct session *s, const struct roots *sources,
		       const struct roots *objects)
{
	s->roots = sources;
	s->objects = objects;
}

void session_set_safe(struct session *s, bool safe)
{
	s->safe = safe;
}

int session_pair(struct session *s, enum session_rule kind, struct str rule,
		 struct err *err)
{
	struct pair_rules *to = &s->pairs.rules;

	pair_forget(&s->pairs);
	switch (kind) {
	case RULE_FILES: return moved_add(&to->files, rule, err);
	case RULE_OBJECTS: return moved_add(&to->objects, rule, err);
	case RULE_NAMES: return rename_add(&to->names, rule, err);
	}
	return 0;
}

void session_pair_none(struct session *s, enum session_rule kind)
{
	struct pair_rules *of = &s->pairs.rules;

	pair_forget(&s->pairs);
	switch (kind) {
	case RULE_FILES: moved_clear(&of->files); break;
	case RULE_OBJECTS: moved_clear(&of->objects); break;
	case RULE_NAMES: rename_clear(&of->names); break;
	}
}

struct str session_pair_rule(const struct session *s, enum session_rule kind, size_t i)
{
	const struct pair_rules *of = &s->pairs.rules;
	const struct moved *moved = kind == RULE_FILES ? &of->files : &of->objects;

	if (kind == RULE_NAMES)
		return i < of->names.n ? rename_text(&of->names, i)
				       : (struct str){NULL, 0};
	return i < moved->n ? str_c(moved->at[i].text) : (struct str){NULL, 0};
}

void session_pair_exact(struct session *s, bool exact)
{
	pair_forget(&s->pairs);
	s->pairs.rules.exact = exact;
}

bool session_pairs_exactly(const struct session *s)
{
	return s->pairs.rules.exact;
}

int session_least_paired(struct session *s, struct str percent, struct err *err)
{
	char text[32], *end;
	double v;

	snprintf(text, sizeof(text), "%.*s", STR_ARG(percent));
	v = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%") != 0) || !(v >= 0 && v <= 100))
		return err_set(
			err, ERR_USAGE, 0,
			"the least share paired is a percentage from 0 to 100, not "
			"'%s'",
			text);
	s->least_paired = v;
	return 0;
}

double session_least(const struct session *s)
{
	return s->least_paired;
}

int session_pop(struct session *s, struct err *err)
{
	if (s->nfilters == 0)
		return err_set(err, ERR_QUERY, 0, "no graph stage is in force");
	free((void *)(uintptr_t)s->filters[--s->nfilters].p);
	return 0;
}

size_t session_filters(const struct session *s)
{
	return s->nfilters;
}

struct str session_filter(const struct session *s, size_t i)
{
	return s->filters[i];
}

/* ---- damage ---- */

int session_guard(int (*fn)(void *), void *arg, struct err *err)
{
	if (!map_guard(fn, arg, ERR_INDEX, err))
		return 0;
	if (err->kind == ERR_INDEX)
		err_hint(err, "rebuild it: run quern with --rebuild");
	return (int)err->kind;
}

int session_check(const struct session *s, struct err *err)
{
	for (size_t i = 0; i < s->n; i++)
		store_check(s->stores[i], err);
	return (int)err->kind;
}

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

	return graph_event(x.g, event, err) || exec_tree(&x, &q, out) ? (int)err->kind
								      : 0;
}

/* ---- graph stages in force ---- */

/* The spans of kept filters point into their own text, not into the text of the query. */
static void no_span(struct set *set)
{
	if (!set)
		return;
	set->span = set->text_span = (struct span){0, 0};
	no_span(set->a);
	no_span(set->b);
}

static int parse_filter(struct session *s, struct str text, struct arena *a,
			struct gstage **out, struct err *err)
{
	struct parse_limits l = session_parse_limits(s);

	if (parse_gstage_text(text, &l, a, out, err))
		return (int)err->kind;
	if ((*out)->kind == G_COLLAPSE && !(*out)->name.n)
		(*out)->name = str_trim(str_from(text, (*out)->set->span.at));
	(*out)->span = (struct span){0, 0};
	no_span((*out)->set);
	return 0;
}

int session_gstages(struct session *s, const struct query *q, struct arena *a,
		    const struct gstage **out, size_t *profile, struct err *err)
{
	struct gstage *first = NULL, **tail = &first;
	struct check_env env = {.profiles = s->names, .nprofiles = s->n};

	for (size_t i = 0; i < s->nfilters; i++) {
		if (parse_filter(s, s->filters[i], a, tail, err))
			return (int)err->kind;
		tail = &(*tail)->next;
	}
	*tail = q->gstages;
	*profile = 0;
	for (const struct gstage *g = first; g; g = g->next)
		if (g->kind == G_IN) {
			*profile = check_profile(&env, g->name, g->span, err);
			if (*profile == s->n)
				return (int)err->kind;
		}
	*out = first;
	return 0;
}

/* ---- one statement ---- */

static int set_let(struct session *s, const struct let *let, struct err *err)
{
	struct session_let *l = NULL;
	char *text = copy(let->text), *name = copy(let->name);

	for (size_t i = 0; i < s->nlets; i++)
		if (str_eq(str_c(s->lets[i].name), let->name) &&
		    s->lets[i].is_set == (let->set != NULL))
			l = &s->lets[i];
	if (!l && !vec_reserve(&s->lets, &s->lets_cap, s->nlets + 1, sizeof(*s->lets)))
		l = &s->lets[s->nlets];
	if (!text || !name || !l) {
		free(text);
		free(name);
		return err_no_memory(err, NULL);
	}
	if (l == &s->lets[s->nlets])
		s->nlets++;
	free(l->name);
	free(l->text);
	*l = (struct session_let){name, text, let->set != NULL};
	return 0;
}

static int run_let(struct session *s, struct let *let, struct arena *a, struct err *err)
{
	struct check_env env;

	if (session_env(s, 0, a, &env, err) || check_let(&env, let, a, err))
		return (int)err->kind;
	return set_let(s, let, err);
}

/* Run the source and the stages.  `expect` comes last and leaves the rows that fail
 * it. */
static int run_stages(struct exec *x, const struct query *q, struct table *t,
		      int *expected)
{
	if (exec_source(x, &q->source, t, q->tstages))
		return (int)x->err->kind;
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (exec_tstage(x, t, st, st->next) || exec_poll_now(x))
			return (int)x->err->kind;
	for (const struct tstage *st = q->tstages; st; st = st->next)
		if (st->kind == T_EXPECT && exec_expect(x, t, st)) {
			if (x->err->kind != ERR_EXPECT)
				return (int)x->err->kind;
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
		return (int)x->err->kind;
	for (size_t i = 0; i < s->nfilters; i++)
		r->filters[r->nfilters++] = s->filters[i];
	for (const struct gstage *g = q->gstages; g; g = g->next)
		r->filters[r->nfilters++] =
			(struct str){text.p + g->span.at, g->span.len};
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

static int copy_strings(struct arena *a, struct str *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s[i] = arena_str(a, s[i]);
		if (!s[i].p)
			return -1;
	}
	return 0;
}

static void *copy_bytes(struct arena *a, const void *p, size_t n)
{
	void *to = arena_alloc(a, n ? n : 1);

	if (to && n)
		memcpy(to, p, n);
	return to;
}

static int copy_column(struct arena *a, struct column *c, size_t rows)
{
	void *values = copy_bytes(a, c->u, rows * col_width(c->type));

	c->name = arena_str(a, c->name);
	if (!values || !c->name.p)
		return -1;
	c->u = values;
	if (c->estimated && !(c->estimated = copy_bytes(a, c->estimated, rows)))
		return -1;
	if (c->absent && !(c->absent = copy_bytes(a, c->absent, rows)))
		return -1;
	return col_is_text(c->type) ? copy_strings(a, values, rows) : 0;
}

static struct result *copy_result(struct arena *a, const struct result *r)
{
	struct result *to = copy_bytes(a, r, sizeof(*r));

	if (!to)
		return NULL;
	to->notes = to->filters = NULL;
	to->nnotes = to->nfilters = 0;
	to->graph = NULL;
	to->paths = NULL;
	to->compared = NULL;
	to->base = arena_str(a, r->base);
	if (!to->base.p)
		return NULL;
	to->on = r->on ? copy_bytes(a, r->on, r->rows * sizeof(*r->on)) : NULL;
	if (r->on && !to->on)
		return NULL;
	to->why = STR("");
	to->query = arena_str(a, r->query);
	to->cols = copy_bytes(a, r->cols, r->ncols * sizeof(*r->cols));
	for (size_t i = 0; to->cols && i < r->ncols; i++)
		if (copy_column(a, &to->cols[i], r->rows))
			return NULL;
	return to->cols ? to : NULL;
}

static void keep_last(struct session *s, const struct result *r)
{
	struct arena *a = &s->kept[!s->now];
	struct result *last = NULL;

	arena_reset(a);
	if (r->rows <= KEPT_ROWS)
		last = copy_result(a, r);
	s->now = !s->now;
	s->last = last;
	s->last_rows = last ? 0 : r->rows;
}

static int make_result(struct session *s, struct exec *x, const struct stmt *st,
		       struct str text, struct table *t, size_t profile, struct result *r)
{
	const struct query *q = &st->query;

	*r = (struct result){
		.source =
			q->source.kind == S_LAST ? "_" : source_def(q->source.kind)->name,
		.query = (struct str){text.p + st->span.at, st->span.len},
		.profile = s->names[profile],
		.event = x->env->nevents ? x->env->events[x->event] : STR(""),
		.total = graph_total(x->g, x->event),
		.event_id = x->event,
		.graph = q->source.kind == S_LAST ? NULL : x->g,
		.tree = t->tree,
		.paths = t->src && !t->ref && !t->vs ? t->paths : NULL,
		.root_fuzzy = t->root_fuzzy,
		.root_own = t->root_own,
		.root_name = t->root_name,
		.root_cost = t->root_cost,
		.upward = t->upward,
		.base = q->source.kind == S_LAST && x->last ? x->last->base
							    : q->source.vs,
		.paired = {x->paired[0], x->paired[1]},
	};
	if (table_result(t, r) || vs_sides(t, &r->compared) || footer(x, t, r) ||
	    list_filters(s, q, text, x, r))
		return (int)x->err->kind;
	r->notes = x->notes;
	r->nnotes = x->nnotes;
	asked_for(q, r);
	/* A function that was refused memory on the way may have returned no error. */
	if (x->a->refused)
		return arena_full(x->a, x->err);
	return session_check(s, x->err);
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
			       session_env(s, *profile, a, env, err) ||
			       check_query(env, q, a, &x->event, err) ||
			       graph_plain(s->stores[*profile], a, &s->cancel, &x->g,
					   err) ||
			       (q->source.vs.n && exec_vs_base(x, &q->source)) ||
			       exec_gstages(x, x->gstages, text)
		       ? (int)err->kind
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

static int run_query(struct session *s, struct stmt *st, struct str text, struct arena *a,
		     query_sink *sink, void *arg, struct err *err)
{
	struct check_env env;
	struct exec x;
	struct table t = {0};
	struct result r;
	size_t profile;
	int expected = 0;

	if (s->n == 0)
		return err_set(err, ERR_QUERY, st->span.at, "no profile is open");
	if (st->query.source.kind == S_LAST && s->last_rows)
		return err_set(err, ERR_LIMIT, st->span.at,
			       "the last result had %llu rows, too many "
			       "to keep as '_'",
			       (unsigned long long)s->last_rows);
	if (open_graph(s, &st->query, text, a, &x, &env, &profile, err) ||
	    run_stages(&x, &st->query, &t, &expected))
		return (int)err->kind;
	if (expected) {
		struct err failed = *err;

		err_clear(err);
		if (make_result(s, &x, st, text, &t, profile, &r))
			return (int)err->kind;
		r.why = str_c(failed.text);
		if (sink(arg, &r, err))
			place_of_output(err, &st->query, text);
		else
			*err = failed;
		return (int)err->kind;
	}
	if (make_result(s, &x, st, text, &t, profile, &r))
		return (int)err->kind;
	/* The limit does not cover the time in which a reader turns the pages. */
	cancel_after(&s->cancel, 0);
	keep_last(s, &r);
	if (sink(arg, &r, err))
		place_of_output(err, &st->query, text);
	return (int)err->kind;
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
	struct parse_limits l = session_parse_limits(s);
	struct gstage *g;
	struct arena a;
	char *p;
	int rc;

	arena_init(&a, s->limits.arena_bytes);
	rc = parse_gstage_text(gstage, &l, &a, &g, err);
	/* Report a name that matches nothing now, not with every later query. */
	if (!rc && s->n)
		rc = try_stage(s, g, gstage, &a, err);
	arena_free(&a);
	if (rc)
		return rc;
	if (vec_reserve(&s->filters, &s->filters_cap, s->nfilters + 1,
			sizeof(*s->filters)) ||
	    !(p = copy(gstage)))
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

/* A fault leaks the malloc'd memory in use.  This is rare: an index damaged under a
 * query.  The memory of the query itself is in the arena. */
static int run_guarded(void *arg)
{
	struct running *r = arg;
	struct parse_limits l = session_parse_limits(r->s);
	struct stmt *st;
	int rc = parse_text(r->text, &l, r->a, &st, r->err);

	for (; !rc && st; st = st->next) {
		rc = st->is_let ? run_let(r->s, &st->let, r->a, r->err)
				: run_query(r->s, st, r->text, r->a, r->sink, r->arg,
					    r->err);
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
	rc = session_guard(run_guarded, &r, err);
	/* Damaged data reads as zeros: "no function matches" would be a wrong answer. */
	if (err->kind == ERR_QUERY || err->kind == ERR_EXPECT) {
		struct err damage = {0};

		if (session_check(s, &damage))
			*err = damage;
	}
	a->cap = cap;
	return rc ? (int)err->kind : 0;
}
