/*
 * session.c - open profiles and what is set for all queries; see query.h.
 *
 * Graph stages in force and lets are kept as text, and parsed where they are used.
 */
#include "engine/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/inline/inlines.h"
#include "engine/lang/ast.h"
#include "engine/lang/check_names.h"
#include "engine/rows/doubt.h"
#include "engine/rows/part_cache.h"
#include "engine/gstages/graph_cache.h"
#include "engine/gstages/gstage.h"
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/vec.h"
#include "index/format/event.h"
#include "index/store/store.h"

enum {
	NESTING = 200,
	TEXT_BYTES = 64 << 10,
	SECONDS = 60,
	ROWS = 10000000,
};
#define ARENA_BYTES ((uint64_t)2 << 30)

int session_new(struct session **out, struct err *err)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return err_no_memory(err, NULL);
	s->part_cache = part_cache_new();
	s->graphs = graph_cache_new();
	s->inlines = inlines_new();
	if (!s->part_cache || !s->graphs || !s->inlines ||
	    flow_cache_new(&s->flows, err)) {
		err_no_memory(err, NULL);
		graph_cache_free(s->graphs);
		part_cache_free(s->part_cache);
		inlines_free(s->inlines);
		free(s);
		return err->kind;
	}
	arena_init(&s->kept[0], 0);
	arena_init(&s->kept[1], 0);
	session_set_limits(s, &(struct session_limits){0});
	*out = s;
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	if (s->set)
		s->set_free(s->set);
	graph_cache_free(s->graphs);
	flow_cache_free(s->flows);
	part_cache_free(s->part_cache);
	inlines_free(s->inlines);
	pair_cache_free(&s->pairs);
	found_drop(&s->found, NULL);
	for (size_t i = 0; i < s->n; i++)
		free((void *)(uintptr_t)s->names[i].p);
	for (size_t i = 0; i < s->nfilters; i++)
		free((void *)(uintptr_t)s->filters[i].p);
	session_free_lets(s);
	arena_free(&s->kept[0]);
	arena_free(&s->kept[1]);
	free(s->stores);
	free(s->names);
	free(s->as_index);
	free(s->filters);
	for (size_t i = 0; i < s->nwanted; i++)
		free((void *)(uintptr_t)s->wanted[i].p);
	free(s->wanted);
	for (size_t i = 0; i < s->units.n; i++)
		free(s->units.at[i].event);
	free(s->units.at);
	free(s->event);
	free(s);
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
	    vec_reserve(&s->as_index, &s->as_index_cap, s->n + 1, sizeof(bool)) ||
	    !(p = session_copy(name)))
		return err_no_memory(err, NULL);
	s->stores[s->n] = st;
	store_set_units(st, &s->units);
	s->as_index[s->n] = false;
	s->names[s->n++] = (struct str){p, name.n};
	s->costs_due = s->nlets > 0;
	return 0;
}

void session_as_index(struct session *s)
{
	s->as_index[s->n - 1] = true;
}

int session_keep_inlines(struct session *s, const char *index, bool trust,
			 struct err *err)
{
	return *index ? inlines_keep(s->inlines, s->stores[s->n - 1], index, trust, err)
		      : 0;
}

static void forget_last(struct session *s)
{
	arena_reset(&s->kept[0]);
	arena_reset(&s->kept[1]);
	s->last = NULL;
	s->last_rows = 0;
}

/* Where it is open; s->n and an error: nowhere. */
static size_t find_open(const struct session *s, struct str name, struct err *err)
{
	const size_t i = find_profile(s, name);

	if (i == s->n) {
		err_set(err, ERR_QUERY, 0, "no profile is open under the name '%.*s'",
			STR_ARG(name));
		err_hint(err, ".profiles lists them");
	}
	return i;
}

int session_use(struct session *s, struct str name, struct err *err)
{
	const size_t i = find_open(s, name, err);
	struct store *st;
	bool as_index;

	if (i == s->n)
		return err->kind;
	st = s->stores[0];
	name = s->names[0];
	as_index = s->as_index[0];
	s->stores[0] = s->stores[i];
	s->names[0] = s->names[i];
	s->as_index[0] = s->as_index[i];
	s->stores[i] = st;
	s->names[i] = name;
	s->as_index[i] = as_index;
	pair_forget(&s->pairs);
	return 0;
}

int session_remove(struct session *s, struct str name, struct err *err)
{
	const size_t i = find_open(s, name, err);

	if (i == s->n)
		return err->kind;
	graph_cache_drop(s->graphs, s->stores[i]);
	flow_cache_drop(s->flows, s->stores[i]);
	part_cache_drop(s->part_cache, s->stores[i]);
	inlines_drop(s->inlines, s->stores[i]);
	found_drop(&s->found, s->stores[i]);
	pair_forget(&s->pairs);
	if (!s->set)
		forget_last(s);
	free((void *)(uintptr_t)s->names[i].p);
	memmove(&s->stores[i], &s->stores[i + 1], (s->n - i - 1) * sizeof(*s->stores));
	memmove(&s->names[i], &s->names[i + 1], (s->n - i - 1) * sizeof(*s->names));
	memmove(&s->as_index[i], &s->as_index[i + 1], (s->n - i - 1) * sizeof(bool));
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
		.nesting = (unsigned)s->limits.nesting,
		.values = s->lets,
		.nvalues = s->nlets,
	};
}

/* The unit that all recorded events of a sum have. */
static struct unit unit_of_sum(struct store *st, uint32_t e, const struct unit *units)
{
	struct unit all = {0};
	bool any = false;

	for (uint32_t i = 0; i < store_info(st)->events; i++) {
		if (!store_event_coef(st, e, i))
			continue;
		if (any && (all.kind != units[i].kind || all.scale != units[i].scale))
			return (struct unit){0};
		all = units[i];
		any = true;
	}
	return all;
}

int session_set_unit(struct session *s, struct str rule, struct err *err)
{
	const size_t eq = str_find(rule, '=');
	const struct unit unit = unit_of_text(str_from(rule, eq + 1));

	if (eq == 0 || eq >= rule.n || !unit.kind) {
		err_set(err, ERR_USAGE, 0, "--unit takes EVENT=UNIT, not '%.*s'",
			STR_ARG(rule));
		return err_hint(err, "units are ns, 10ns, us, ms, s, B, KiB, MiB, GiB: "
				     "--unit Time=us");
	}
	if (vec_reserve(&s->units.at, &s->units_cap, s->units.n + 1,
			sizeof(*s->units.at)) ||
	    !(s->units.at[s->units.n].event = session_copy((struct str){rule.p, eq})))
		return err_no_memory(err, NULL);
	s->units.at[s->units.n++].unit = unit;
	return 0;
}

/* Does the event cost something in a profile? */
static bool costs_something(const struct session *s, struct str event)
{
	for (size_t p = 0; p < s->n; p++) {
		struct store *st = s->stores[p];
		const uint32_t e = store_event_find(st, event);

		if (e < store_info(st)->events && store_total(st, e))
			return true;
	}
	return false;
}

/* The first recorded event of a profile that costs something; with a name, the first that has it as
 * its long name.  0 if the profile has no such event. */
static uint32_t first_named(const struct session *s, struct store *st, struct str name)
{
	for (uint32_t e = 0; e < store_info(st)->events; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		if ((!name.n || str_eq(ev.long_name, name)) &&
		    costs_something(s, ev.name))
			return e;
	}
	return 0;
}

/* curB, the first of valgrind's --xtree-memory, is 0 in programs that free all.  KLEE's first
 * is what was covered, and no cost: instructions are. */
static uint32_t first_costly(const struct session *s, struct store *st)
{
	const uint32_t first = first_named(s, st, STR(""));
	struct store_event ev = {0};
	uint32_t run = 0;

	if (store_info(st)->events)
		store_event(st, first, &ev);
	if (str_eq(ev.long_name, STR("CoveredInstructions")))
		run = first_named(s, st, STR("Instructions"));
	return run ? run : first;
}

int session_env(struct session *s, size_t p, struct arena *a, struct check_env *env,
		struct err *err)
{
	struct store *st = s->stores[p];
	uint32_t n = store_info(st)->all_events;
	struct str *events = ARENA_ARRAY(a, struct str, (size_t)n + 1);
	struct str *long_names = ARENA_ARRAY(a, struct str, (size_t)n + 1);
	struct unit *units = ARENA_ARRAY(a, struct unit, (size_t)n + 1);
	uint32_t chosen;

	if (!events || !long_names || !units)
		return arena_full(a, err);
	*env = (struct check_env){.events = events,
				  .long_names = long_names,
				  .units = units,
				  .nevents = n,
				  .others = !store_is_callgrind(st),
				  .profiles = s->names,
				  .nprofiles = s->n,
				  .last = s->last,
				  .limits = session_parse_limits(s),
				  .safe = s->safe,
				  .set = s->joins,
				  .event_scope = "this profile"};
	for (uint32_t e = 0; e < n; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		events[e] = ev.name;
		long_names[e] = ev.long_name;
		units[e] = store_unit(st, e);
		if (store_event_is_added(st, e))
			units[e] = unit_of_sum(st, e, units);
	}
	env->event = first_costly(s, st);
	if (s->event && (chosen = check_find_event(env, str_c(s->event))) < n)
		env->event = chosen;
	return 0;
}

void session_for_people(struct session *s, bool people)
{
	s->people = people;
}

void session_ends(struct session *s)
{
	s->ends = true;
}

int session_set_event(struct session *s, struct str event, struct err *err)
{
	struct arena a;
	struct check_env env;
	char *p = NULL;
	uint32_t e;

	if (s->n == 0)
		return err_set(err, ERR_QUERY, 0, "no profile is open");
	if (event.n > 1 && event.p[0] == '"' && event.p[event.n - 1] == '"')
		event = (struct str){event.p + 1, event.n - 2};
	arena_init(&a, 0);
	if (session_env(s, 0, &a, &env, err))
		;
	else if ((e = check_find_event(&env, event)) == env.nevents)
		check_no_event(&env, event, (struct span){0, event.n}, err);
	else if (!(p = session_copy(env.events[e])))
		err_no_memory(err, NULL);
	arena_free(&a);
	if (!p)
		return err->kind;
	free(s->event);
	s->event = p;
	s->event_usual = false;
	return 0;
}

struct str session_event(const struct session *s)
{
	struct store_event e = {0};

	if (s->event)
		return str_c(s->event);
	if (s->n && store_info(s->stores[0])->events)
		store_event(s->stores[0], first_costly(s, s->stores[0]), &e);
	return e.name;
}

bool session_event_set(const struct session *s)
{
	return s->event && !s->event_usual;
}

void session_set_cancel(struct session *s, const atomic_int *cancel)
{
	s->cancel.asked = cancel;
}

struct cancel session_answering(const struct session *s)
{
	struct cancel c = s->cancel;

	c.deadline_ns = s->due_ns;
	c.seconds = s->limits.seconds;
	return c;
}

void session_set_due(struct session *s, uint64_t deadline_ns)
{
	s->cancel.deadline_ns = deadline_ns;
	s->cancel.seconds = s->limits.seconds;
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
	inlines_limit(s->inlines, (size_t)s->limits.arena_bytes);
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

void session_set_reading(struct session *s, const struct session_reading *r)
{
	s->reading = *r;
}

void session_set_safe(struct session *s, bool safe)
{
	s->safe = safe;
}

int session_rename(struct session *s, struct str rule, struct err *err)
{
	pair_forget(&s->pairs);
	return rename_add(&s->pairs.rules, rule, err);
}

void session_rename_none(struct session *s)
{
	pair_forget(&s->pairs);
	rename_clear(&s->pairs.rules);
}

struct str session_renames(const struct session *s, size_t i)
{
	const struct renames *of = &s->pairs.rules;

	return i < of->n ? rename_text(of, i) : (struct str){NULL, 0};
}

bool session_accepts(const struct session *s, const char *word)
{
	unsigned kind = 0;

	while (kind < DOUBTS && strcmp(doubt_kinds[kind].word, word) != 0)
		kind++;
	return s->accepted >> kind & 1;
}

bool session_accept_at(size_t i, const char **word, const char **help)
{
	if (i >= DOUBTS)
		return false;
	*word = doubt_kinds[i].word;
	*help = doubt_kinds[i].help;
	return true;
}

static int no_doubt(struct str word, struct err *err)
{
	char list[200] = "";
	size_t n = 0;

	for (size_t i = 0; i < DOUBTS && n < sizeof(list); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, " %s",
				      doubt_kinds[i].word);
	err_set(err, ERR_USAGE, 0, "--accept takes words such as 'runs', not '%.*s'",
		STR_ARG(word));
	return err_hint(err, "there are:%s; profile:NAME and fn:NAME accept rows", list);
}

/* A name may hold commas: it is the rest of the text. */
static int accept_name(struct session *s, struct str text, struct err *err)
{
	char *p;

	if (vec_reserve(&s->wanted, &s->wanted_cap, s->nwanted + 1, sizeof(*s->wanted)) ||
	    !(p = session_copy(text)))
		return err_no_memory(err, NULL);
	s->wanted[s->nwanted++] = (struct str){p, text.n};
	return 0;
}

int session_accept(struct session *s, struct str words, struct err *err)
{
	for (;;) {
		if (str_starts(words, STR("profile:")) || str_starts(words, STR("fn:")))
			return accept_name(s, words, err);
		const struct str word = {words.p, str_find(words, ',')};
		unsigned kind = 0;

		while (kind < DOUBTS && !str_eq(word, str_c(doubt_kinds[kind].word)))
			kind++;
		if (kind == DOUBTS)
			return no_doubt(word, err);
		s->accepted |= 1u << kind;
		if (word.n == words.n)
			return 0;
		words = str_from(words, word.n + 1);
	}
}

int session_pop(struct session *s, struct err *err)
{
	if (s->nfilters == 0)
		return err_set(err, ERR_QUERY, 0, "there is no filter");
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
		return err->kind;
	if ((*out)->kind == G_COLLAPSE && !(*out)->name.n)
		(*out)->name = str_trim(str_from(text, (*out)->set->span.at));
	(*out)->span = (struct span){0, 0};
	no_span((*out)->set);
	return 0;
}

/* Where the profile knows its stacks, a list of contexts has them for functions. */
static void list_contexts(struct store *st, const struct gstage *stages,
			  struct source *of)
{
	struct store_tree tree;

	store_tree(st, &tree);
	if ((of->kind == S_FUNCTIONS || of->kind == S_FIND) && tree.whole &&
	    gstage_contexts(stages))
		of->kind = S_CONTEXTS;
}

int session_gstages(struct session *s, struct query *q, struct arena *a,
		    struct gstage **out, size_t *profile, struct err *err)
{
	struct gstage *first = NULL, **tail = &first;
	struct check_env env = {.profiles = s->names, .nprofiles = s->n};

	for (size_t i = 0; i < s->nfilters; i++) {
		if (parse_filter(s, s->filters[i], a, tail, err))
			return err->kind;
		tail = &(*tail)->next;
	}
	*tail = q->gstages;
	*profile = 0;
	for (const struct gstage *g = first; g; g = g->next)
		if (g->kind == G_IN)
			*profile = check_profile(&env, g->name, g->span, err);
	*out = first;
	list_contexts(s->stores[*profile], first, &q->source);
	return 0;
}

/* ---- damage ---- */

int session_guard(int (*fn)(void *), void *arg, struct err *err)
{
	if (!map_guard(fn, arg, ERR_INDEX, err))
		return 0;
	if (err->kind == ERR_INDEX)
		err_hint(err, "rebuild it: run quern with --rebuild");
	return err->kind;
}

int session_check(const struct session *s, struct err *err)
{
	for (size_t i = 0; i < s->n; i++)
		store_check(s->stores[i], err);
	return err->kind;
}
