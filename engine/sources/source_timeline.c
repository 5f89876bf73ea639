/*
 * source_timeline.c - timeline: the activations of an Xdebug profile in the order of time.
 *
 * Calls that cost less than `min`, and those deeper than DEEPEST, have no row of their own:
 * a run of them beside each other is one row, "(12 calls)".  Activations come in the reverse
 * of the order in which they began, each after all that it called
 * (index/each_activation.h).  So a run of calls is collected at their caller until one with
 * a row comes, or the caller itself:
 *
 *	time	f: g  h  F  i		(only F has a row)
 *	read	i  F  h  g  f		rows: i as (1 call), F, h and g as (2 calls), f
 *
 * Rows are linked at their callers, too, for the stacks of fibers take turns.
 */
#include "engine/lang/ast.h"
#include "engine/lang/check_names.h"
#include "engine/rows/activations.h"
#include "engine/rows/exec.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "engine/sources/source_activations.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/each_activation.h"

enum {
	SHARES =
		3900, /* the default of `min`: this part of the whole, 0.3 px of a picture */
	DEEPEST = 1000, /* levels with rows */
	ROWS = 200000,
};

#define NO_ROW UINT32_MAX

/* What is known of the calls of an activation that is not complete: a run of those without
 * rows, and the rows of those after them. */
struct calling {
	uint64_t depth; /* of the activation, below what a stage has opened */
	uint64_t calls;
	int64_t cost, after;
	uint32_t part, first;
};

struct timeline {
	struct exec *x;
	struct moment *row; /* in the reverse of time, then in time */
	size_t n, cap;
	struct calling *calling; /* by activation.open; [0]: the roots */
	size_t ncalling, calling_cap;
	int64_t min, merged_cost;
	uint64_t merged;
	int64_t *total; /* per part, so far */
};

bool moment_merged(const struct table *t, uint32_t r)
{
	return ROW(moment, t, r)->fn == GRAPH_NONE;
}

struct str moment_name(const struct table *t, uint32_t r)
{
	const struct moment *m = ROW(moment, t, r);

	return m->fn == GRAPH_NONE
		       ? arena_printf(t->x->a, "(%s call%s)", GROUPED(m->calls),
				      m->calls == 1 ? "" : "s")
		       : graph_name(t->g, m->fn);
}

struct str moment_file(const struct table *t, uint32_t r)
{
	return moment_merged(t, r) ? STR("") : graph_file(t->g, ROW(moment, t, r)->fn);
}

uint64_t moment_id(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return moment_merged(t, r) ? 0 : graph_id(t->g, ROW(moment, t, r)->fn);
}

bool moment_may_start_later(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return ROW(moment, t, r)->on != ROW_WHOLE;
}

static uint32_t moment_part_of(const struct table *t, uint32_t r)
{
	return ROW(moment, t, r)->on;
}

/* ---- rows, in the reverse of time ----
 *
 * The index calls these while it reads, so they return an error to it.
 */

/* Add a row in front of those of its caller. */
static int add_moment(struct timeline *l, const struct moment *m, uint32_t caller)
{
	struct calling *c = &l->calling[caller];

	if (l->n >= ROWS) {
		err_set(l->x->err, ERR_LIMIT, 0, "more than %s frames",
			GROUPED((uint64_t)ROWS));
		need_hint(l->x->err, "leave short calls out: timeline min 1%%");
	}
	if (arena_grow(l->x->a, &l->row, &l->cap, l->n, l->n + 1, sizeof(*l->row)))
		return arena_full(l->x->a, l->x->err);
	l->row[l->n] = *m;
	l->row[l->n].next = c->first;
	c->first = (uint32_t)l->n++;
	return 0;
}

/* Make a row of the run of calls. */
static int end_run(struct timeline *l, uint32_t caller, uint64_t depth)
{
	struct calling *c = &l->calling[caller];
	const struct moment m = {.depth = depth,
				 .calls = c->calls,
				 .incl = c->cost,
				 .start = c->after,
				 .fn = GRAPH_NONE,
				 .first = NO_ROW,
				 .part = c->part};

	if (!c->calls)
		return 0;
	l->merged += c->calls;
	cost_add(&l->merged_cost, c->cost);
	c->calls = 0;
	c->cost = 0;
	return add_moment(l, &m, caller);
}

static int know_calling(struct timeline *l, uint32_t last)
{
	if (arena_grow(l->x->a, &l->calling, &l->calling_cap, l->ncalling,
		       (size_t)last + 1, sizeof(*l->calling)))
		return arena_full(l->x->a, l->x->err);
	while (l->ncalling <= last)
		l->calling[l->ncalling++] = (struct calling){.first = NO_ROW};
	return 0;
}

/* Add a call without a row to the run.  What it calls has no row, either. */
static void join_run(struct timeline *l, const struct activation *a, int64_t incl,
		     int64_t after)
{
	struct calling *mine = &l->calling[a->open], *c = &l->calling[a->caller_open];

	c->calls += 1 + mine->calls;
	cost_add(&c->cost, incl);
	c->after = after;
	c->part = a->part;
	mine->calls = 0;
	mine->cost = 0;
}

static int add_call(struct timeline *l, const struct activation *a, int64_t incl,
		    int64_t after, int64_t self)
{
	struct calling *mine = &l->calling[a->open];
	struct moment m = {.depth = a->depth,
			   .calls = 1,
			   .incl = incl,
			   .self = self,
			   .start = after,
			   .fn = graph_of_store(l->x->g, a->fn),
			   .part = a->part};

	if (end_run(l, a->open, a->depth + 1) || end_run(l, a->caller_open, a->depth))
		return l->x->err->kind;
	m.first = mine->first;
	mine->first = NO_ROW;
	return add_moment(l, &m, a->caller_open);
}

/* The part of it that lies in the span, which begins where `after` says and costs incl; false:
 * none. */
static bool cut_to_span(const struct graph_span *span, uint32_t part, int64_t *incl,
			int64_t *after, int64_t *self)
{
	const int64_t total = span->of.total[part], end = total - *after + *incl;
	const int64_t own = end - *self, from = span->of.from[part],
		      to = span->of.to[part];
	const int64_t start = total - *after > from ? total - *after : from;

	*incl = (end < to ? end : to) - start;
	*self = (end < to ? end : to) - (own > from ? own : from);
	*self = *self > 0 ? *self : 0;
	*after = total - start;
	return *incl > 0;
}

static int open_moment(void *arg, const struct activation *a)
{
	struct timeline *l = arg;

	if (know_calling(l, a->open))
		return l->x->err->kind;
	l->calling[a->open].depth = a->inside ? l->calling[a->caller_open].depth + 1 : 1;
	return 0;
}

static int take_moment(void *arg, const struct activation *a)
{
	struct timeline *l = arg;
	const struct graph *g = l->x->g;
	struct activation of = *a;
	int64_t incl = store_event_of(g->st, l->x->event, a->incl);
	int64_t after = store_event_of(g->st, l->x->event, a->after);
	int64_t self = store_event_of(g->st, l->x->event, a->self);

	if (g->run.opened && !a->inside)
		of.caller_open = 0;
	if (g->run.opened)
		of.depth = (uint32_t)l->calling[a->open].depth;
	if (!of.caller_open)
		l->total[a->part] = after;
	if (l->x->parts && !l->x->parts[a->part])
		return 0;
	if (g->run.span && !cut_to_span(g->run.span, a->part, &incl, &after, &self))
		return 0;
	if (know_calling(l, a->open > of.caller_open ? a->open : of.caller_open))
		return l->x->err->kind;
	if (incl >= l->min && of.depth <= DEEPEST)
		return add_call(l, &of, incl, after, self);
	join_run(l, &of, incl, after);
	return 0;
}

/* A span begins at 0. */
static void begin_span(struct timeline *l)
{
	const struct graph_span *span = l->x->g->run.span;

	for (uint32_t p = 0; span && p < store_info(l->x->g->st)->parts; p++)
		l->total[p] = cost_difference(span->of.total[p], span->of.from[p]);
}

/* Put the rows in the order of time, each after the one that it lies on. */
static void turn(struct timeline *l)
{
	struct moment *row = EXEC_ARRAY(l->x, struct moment, l->n + 1);
	uint32_t *from = EXEC_ARRAY(l->x, uint32_t, l->n + 1);
	uint32_t on = ROW_WHOLE, next = l->n ? l->calling[0].first : NO_ROW, n = 0;

	for (;;) {
		while (next == NO_ROW && on != ROW_WHOLE) {
			next = l->row[from[on]].next;
			on = row[on].on;
		}
		if (next == NO_ROW)
			break;
		row[n] = l->row[next];
		row[n].start = cost_difference(l->total[row[n].part], row[n].start);
		row[n].on = on;
		from[n] = next;
		next = row[n].first;
		on = n++;
	}
	l->row = row;
}

static void note_merged(struct exec *x, const struct timeline *l)
{
	const int64_t whole = graph_total(x->g, x->event);

	if (!l->merged)
		return;
	exec_notef(x,
		   "%s short calls beside each other are one frame: %.3g %% of "
		   "the cost; min shows more, or fewer",
		   GROUPED(l->merged),
		   whole ? 100.0 * (double)l->merged_cost / (double)whole : 0.0);
}

static void timeline_open(struct exec *x, const struct source *s, struct table *t)
{
	struct timeline *l = EXEC_ARRAY(x, struct timeline, 1);
	struct activation_asked asked = {.take = take_moment, .arg = l};
	const double whole = (double)graph_total(x->g, x->event);

	exec_has_activations(x, s);
	if (x->g->run.span && x->event != x->g->run.span->event)
		exec_fail(x, s->span, "a span is drawn in %.*s, by which it is measured",
			  STR_ARG(x->env->events[x->g->run.span->event]));
	if (x->g->run.opened) {
		asked.open = open_moment;
		asked.below = x->g->run.opened->block;
		asked.nbelow = x->g->run.opened->nblocks;
	}
	l->x = x;
	l->min = !s->has_min	  ? (int64_t)(whole / SHARES) + 1
		 : s->min_percent ? (int64_t)(s->min / 100 * whole)
				  : (int64_t)s->min;
	l->total = EXEC_ARRAY(x, int64_t, (size_t)store_info(x->g->st)->parts + 1);
	need(know_calling(l, 0), x->err);
	need(exec_activations(x, &asked), x->err);
	need(end_run(l, 0, 1), x->err);
	begin_span(l);
	turn(l);
	note_merged(x, l);
	t->rows = l->row;
	t->part_of = moment_part_of;
	table_init(x, t, &source_timeline, x->g, l->n);
}

static const struct listed timeline_list[] = {
	{"depth", BOTH, 6},  {"start", BOTH, 2},
	{"incl", BOTH, 3},   {"incl%", SHOW_T | HAS_BAR, 4},
	{"self", BOTH, 5},   {"calls", BOTH, 7},
	{"id", SHOW_M, 0},   {"fn", BOTH, 1},
	{"file", SHOW_M, 0},
};

static uint32_t moment_fn(const struct table *t, uint32_t r)
{
	return ROW(moment, t, r)->fn;
}

const struct source_def source_timeline = {
	.name = "timeline",
	.rows = "frames",
	.primary = "incl",
	.of = ROWS_MOMENT,
	COLUMNS(timeline_list),
	.open = timeline_open,
	.fn = moment_fn,
	.row_size = sizeof(struct moment),
};
