/*
 * source_activations.c - activations of f: a row for each call of it.
 *
 * The index has no single activations: they are read from the profile again
 * (index/each_activation.h), from the last to the first, so the rows are filled in from the
 * end.  How many they are is known from the contexts; or from a span of the run, of which
 * those calls are rows that have something there, with that part of their costs.
 */
#include "engine/sources/source_activations.h"

#include <string.h>

#include "engine/lang/ast.h"
#include "engine/names/fnset.h"
#include "engine/rows/activations.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/in_span.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "index/base/cancel.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/each_activation.h"
#include "index/part_lines.h"

void exec_has_activations(struct exec *x, const struct source *s)
{
	exec_has_tree(x, s->span);
	if (x->g->plain || x->g->run.opened ||
	    ((x->g->run.parts || x->g->run.span) && x->g->below->plain))
		return;
	exec_wrong(x, s->span,
		   "single activations are those of the profile as it is, not "
		   "after this graph stage");
	need_hint(x->err, "part, thread, activation and between may stand before");
}

/* ---- rows ---- */

struct activations_data {
	struct activation_row *row;
	int64_t *cost;	/* per row: start, self and incl of each event */
	size_t n, free; /* the first `free` of n rows are not filled in */
	size_t events;
	int64_t *total;	       /* per part: of each event, so far */
	uint64_t met;	       /* those asked for, so far, also outside a span */
	const uint8_t *wanted; /* per function of the store */
	struct exec *x;
};

static int64_t cost_of(const struct table *t, uint32_t r, uint32_t e, unsigned which)
{
	const struct activations_data *d = t->data;

	return store_event_of(t->g->st, e, d->cost + ((size_t)r * 3 + which) * d->events);
}

uint64_t activation_start(const struct table *t, uint32_t r, uint32_t e)
{
	return (uint64_t)cost_of(t, r, e, 0);
}

uint64_t activation_self(const struct table *t, uint32_t r, uint32_t e)
{
	return (uint64_t)cost_of(t, r, e, 1);
}

uint64_t activation_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return (uint64_t)cost_of(t, r, e, 2);
}

uint64_t activation_part(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	struct part p;

	store_part(t->g->st, ROW(activation_row, t, r)->part, &p);
	return p.part;
}

bool activation_is_root(const struct table *t, uint32_t r)
{
	return ROW(activation_row, t, r)->caller == NO_CALLER;
}

/* A start is estimated: own cost of the callers may have been spent before it. */
bool activation_may_start_later(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return ROW(activation_row, t, r)->depth > 1;
}

bool activation_about(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return ROW(activation_row, t, r)->about;
}

bool activation_unbounded(const struct table *t, uint32_t r UNUSED)
{
	return !t->g->run.span || t->g->run.span->event != t->event;
}

struct str activation_caller(const struct table *t, uint32_t r)
{
	const uint32_t caller = ROW(activation_row, t, r)->caller;

	return caller == NO_CALLER ? STR("") : store_fn_alone(t->g->st, caller);
}

uint64_t activation_caller_id(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const uint32_t caller = ROW(activation_row, t, r)->caller;

	return caller == NO_CALLER ? 0 : caller;
}

static uint32_t activation_fn(const struct table *t, uint32_t r)
{
	return ROW(activation_row, t, r)->fn;
}

/* Is it one of those that a stage has opened? */
static bool is_opened(const struct graph *g, const struct activation *a)
{
	size_t lo = 0, hi = g->run.opened ? g->run.opened->n : 0;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		const struct part_blocks *b = &g->run.opened->at[mid];

		if (b->part < a->part || (b->part == a->part && b->to <= a->in_part))
			lo = mid + 1;
		else
			hi = mid;
	}
	return !g->run.opened ||
	       (lo < g->run.opened->n && g->run.opened->at[lo].part == a->part &&
		g->run.opened->at[lo].from <= a->in_part);
}

bool activation_is_asked(const struct exec *x, const struct activation *a)
{
	return (!x->parts || x->parts[a->part]) && is_opened(x->g, a);
}

/* ---- filling them in ---- */

static int not_as_indexed(struct exec *x)
{
	err_set(x->err, ERR_PROFILE, 0,
		"the profile has not the calls that its index has");
	need_hint(x->err, "it was replaced by another of its size and times: "
			  "--rebuild");
}

/* p: NULL if nothing of it is in the span. */
static int put_row(struct activations_data *d, const struct activation *a,
		   const struct span_part *p, const int64_t *self, const int64_t *incl,
		   uint64_t calls)
{
	struct exec *x = d->x;
	const size_t events = d->events;
	int64_t *cost;

	if (a->caller == NO_CALLER)
		memcpy(d->total + (size_t)a->part * events, a->after,
		       events * sizeof(*a->after));
	if (!d->wanted[a->fn] || !activation_is_asked(x, a))
		return 0;
	d->met++;
	if (!p)
		return 0;
	if (!d->free)
		return not_as_indexed(x);
	d->free--;
	cost = d->cost + d->free * 3 * events;
	d->row[d->free] = (struct activation_row){.fn = graph_of_store(x->g, a->fn),
						  .caller = a->caller,
						  .part = a->part,
						  .depth = a->depth,
						  .calls = calls,
						  .number = d->met,
						  .lo = p->bounds.lo,
						  .hi = p->bounds.hi,
						  .about = !p->bounds.sure};
	memcpy(cost, a->after, events * sizeof(*cost));
	memcpy(cost + events, self, events * sizeof(*cost));
	memcpy(cost + 2 * events, incl, events * sizeof(*cost));
	return 0;
}

static int take_row(void *arg, const struct activation *a)
{
	static const struct span_part all = {.bounds.sure = true};

	return put_row(arg, a, &all, a->self, a->incl, a->calls);
}

static int take_part(void *arg, const struct activation *a, const struct span_part *p)
{
	return put_row(arg, a, p, p ? p->self : NULL, p ? p->incl : NULL,
		       p ? p->calls : 0);
}

/* The functions of the store that are asked for; of a span those that had nothing there, too,
 * as their calls are counted. */
static const uint8_t *functions_of(struct exec *x, const struct source *s)
{
	struct graph *const g = x->g, *of = g->run.span ? g->below : g;
	const uint32_t functions = store_info(g->st)->functions;
	uint8_t *wanted = EXEC_ARRAY(x, uint8_t, (size_t)functions + 1);
	struct fn_set *set = NULL;

	x->g = of;
	if (s->of)
		exec_set(x, s->of, &set);
	x->g = g;
	for (fn_id f = 0; f < functions; f++) {
		const uint32_t here = graph_of_store(of, f);

		wanted[f] = here != GRAPH_NONE && (!set || fnset_has(set, here));
	}
	return wanted;
}

/* Room for the rows: how often all of these functions were called. */
static void want(struct exec *x, const uint8_t *wanted, struct activations_data *d)
{
	const uint32_t functions = store_info(x->g->st)->functions;
	const struct graph_span *span = x->g->run.span;
	struct store_tree tree;
	uint64_t n = 0, opened = 0;

	store_tree(x->g->st, &tree);
	for (fn_id f = 0; span && f < functions; f++)
		n += wanted[f] ? span->calls[f] : 0;
	for (context_id c = 0; !span && c < tree.contexts; c++) {
		n += wanted[store_context_fn(x->g->st, c)]
			     ? store_context_calls(x->g->st, c)
			     : 0;
		exec_poll(x);
	}
	for (size_t i = 0; x->g->run.opened && i < x->g->run.opened->n; i++)
		opened += x->g->run.opened->at[i].to - x->g->run.opened->at[i].from;
	n = x->g->run.opened && opened < n ? opened : n;
	d->wanted = wanted;
	d->n = d->free = (size_t)n;
	need(store_check(x->g->st, x->err), x->err);
	exec_rows(x, n);
}

/* Turn the cost that is left of the part at each start into the cost before it, and count
 * from the first one. */
static void turn(struct activations_data *d)
{
	const size_t events = d->events;

	for (size_t i = 0; i < d->n; i++) {
		d->row[i].number = d->met + 1 - d->row[i].number;
		for (size_t e = 0; e < events; e++) {
			int64_t *start = &d->cost[i * 3 * events + e];

			*start = cost_difference(d->total[d->row[i].part * events + e],
						 *start);
		}
	}
}

static int read_rows(struct exec *x, struct activations_data *d)
{
	const struct store_info *info = store_info(x->g->st);
	const size_t events = info->events;
	const struct activation_asked asked = {.take = take_row, .arg = d};

	d->x = x;
	d->events = events;
	d->row = EXEC_ARRAY(x, struct activation_row, d->n + 1);
	d->cost = EXEC_ARRAY(x, int64_t, d->n * 3 * events + 1);
	d->total = EXEC_ARRAY(x, int64_t, (size_t)info->parts * events + 1);
	if (d->n && x->g->run.span)
		exec_in_span(x, &x->g->run.span->of, take_part, d);
	else if (d->n && exec_activations(x, &asked))
		return x->err->kind;
	if (d->free && !x->parts)
		return not_as_indexed(x);
	d->row += d->free;
	d->cost += d->free * 3 * events;
	d->n -= d->free;
	turn(d);
	return 0;
}

/* Tables for people show the function, and the part, only if there are several. */
static void show_several(struct table *t, const struct activations_data *d)
{
	bool fns = false, parts = false;

	for (size_t i = 1; i < d->n; i++) {
		fns |= d->row[i].fn != d->row[0].fn;
		parts |= d->row[i].part != d->row[0].part;
	}
	if (fns)
		table_show(t, STR("fn"));
	if (parts)
		table_show(t, STR("part"));
}

static void activations_open(struct exec *x, const struct source *s, struct table *t)
{
	struct activations_data *d = EXEC_ARRAY(x, struct activations_data, 1);

	exec_has_activations(x, s);
	want(x, functions_of(x, s), d);
	need(read_rows(x, d), x->err);
	t->data = d;
	t->rows = d->row;
	table_init(x, t, &source_activations, x->g, d->n);
	if (x->g->run.span)
		table_tell(t, STR("estimated"));
	show_several(t, d);
}

static const struct listed activation_list[] = {
	{"number", BOTH, 3}, {"start", BOTH, 4},
	{"incl", BOTH, 1},   {"incl%", SHOW_T | HAS_BAR, 5},
	{"self", BOTH, 2},   {"depth", BOTH, 8},
	{"calls", BOTH, 9},  {"id", SHOW_M, 0},
	{"fn", SHOW_M, 7},   {"file", SHOW_M, 0},
	{"line", SHOW_M, 0}, {"caller_id", SHOW_M, 0},
	{"caller", BOTH, 6}, {"part", SHOW_M, 10},
	{"short", 0, 0},     {"class", 0, 0},
	{"dir", 0, 0},	     {"recursive", 0, 0},
	{"lo", 0, 0},	     {"hi", 0, 0},
	{"estimated", 0, 0},
};

const struct source_def source_activations = {
	.name = "activations",
	.rows = "activations",
	.primary = "incl",
	.of = ROWS_ACTIVATION,
	COLUMNS(activation_list),
	.open = activations_open,
	.fn = activation_fn,
	.row_size = sizeof(struct activation_row),
};
