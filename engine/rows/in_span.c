/* in_span.c - see in_span.h. */
#include "engine/rows/in_span.h"

#include <string.h>

#include "engine/graph/graph.h"
#include "engine/rows/activations.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/contexts/span.h"
#include "index/each_activation.h"

bool span_fibers(struct store *st)
{
	for (fn_id f = 0; f < store_info(st)->functions; f++)
		if (str_ends(store_fn_name(st, f), STR("Fiber->start")))
			return true;
	return false;
}

/* ---- bounds ---- */

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The part of [start, end), moved by 0 .. more, that is in [from, to). */
static void bounds_inside(int64_t from, int64_t to, int64_t start, int64_t end,
			  int64_t more, struct span_bounds *out)
{
	const int64_t now = most(0, least(end, to) - most(start, from));
	const int64_t late = most(0, least(end + more, to) - most(start + more, from));

	out->lo = least(now, late);
	out->hi = most(now, late);
	/* Somewhere in between it lies inside, or all around. */
	if (least(from - start, to - end) <= more && most(from - start, to - end) >= 0)
		out->hi = least(end - start, to - from);
}

bool span_bounds(const struct run_span *of, const struct activation *a, int64_t end,
		 int64_t more, bool fibers, struct span_bounds *out)
{
	const int64_t total = of->total[a->part], start = total - a->after[0];
	const int64_t from = of->from[a->part], to = of->to[a->part];

	more = least(fibers ? total : more, total - end);
	if (start >= to || end + more <= from)
		return false;
	bounds_inside(from, to, start, end, more, out);
	if (fibers) {
		out->lo = 0;
		out->hi = a->incl[0];
	}
	out->sure = !fibers && start >= from && end + more <= to;
	/* All that is spent outside may be its own cost, and so may all inside. */
	out->self_lo = most(0, a->self[0] - (end - start - out->lo));
	out->self_hi = least(a->self[0], out->hi);
	return true;
}

/* ---- each of them ---- */

struct span_place {
	int64_t end;
	uint64_t calls;
	bool there; /* it, or one below it */
};

struct in_span {
	struct exec *x;
	const struct run_span *of;
	span_take *take;
	void *arg;
	struct span_place *place; /* by activation.open */
	int64_t *incl;		  /* of each: [events] */
	size_t cap, incl_cap;
	int64_t *self; /* scratch */
	uint32_t events;
	int64_t waits; /* what those with a place spend themselves */
	bool fibers;
};

static int in_span_opens(void *arg, const struct activation *a)
{
	struct in_span *w = arg;
	struct exec *x = w->x;
	const size_t had = w->cap;

	if (arena_grow(x->a, &w->place, &w->cap, had, (size_t)a->open + 1,
		       sizeof(*w->place)) ||
	    arena_grow(x->a, &w->incl, &w->incl_cap, had * w->events, w->cap * w->events,
		       sizeof(*w->incl)))
		return arena_full(x->a, x->err);
	w->place[a->open] = (struct span_place){
		.end = cost_difference(w->of->total[a->part],
				       cost_difference(a->after[0], a->self[0]))};
	memset(w->incl + (size_t)a->open * w->events, 0, w->events * sizeof(*w->incl));
	cost_add(&w->waits, a->self[0]);
	return 0;
}

static int in_span_takes(void *arg, const struct activation *a)
{
	struct in_span *w = arg;
	struct span_place *p = &w->place[a->open];
	const int64_t own = a->self[0], begin = p->end - own;
	const bool began = span_has(w->of, a->part, w->of->total[a->part] - a->after[0]);
	const bool meets = span_meets(w->of, a->part, begin, own);
	int64_t *incl = w->incl + (size_t)a->open * w->events;
	struct span_part inside = {
		.self = w->self, .incl = incl, .calls = p->calls, .bounds.sure = true};

	cost_subtract(&w->waits, own);
	for (uint32_t e = 0; e < w->events; e++)
		w->self[e] = meets ? span_cut(w->of, a->part, begin, own, a->self[e]) : 0;
	cost_add_each(incl, w->self, w->events);
	p->there |= meets || began;
	if (a->caller_open) {
		cost_add_each(w->incl + (size_t)a->caller_open * w->events, incl,
			      w->events);
		w->place[a->caller_open].there |= p->there;
		w->place[a->caller_open].calls += began;
	}
	if (p->there)
		span_bounds(w->of, a, p->end, w->waits, w->fibers, &inside.bounds);
	return w->take(w->arg, a, p->there ? &inside : NULL);
}

void exec_in_span(struct exec *x, const struct run_span *of, span_take *take, void *arg)
{
	const uint32_t events = store_info(x->g->st)->events;
	struct in_span w = {.x = x,
			    .of = of,
			    .take = take,
			    .arg = arg,
			    .events = events,
			    .self = EXEC_ARRAY(x, int64_t, (size_t)events + 1),
			    .fibers = span_fibers(x->g->st)};
	const struct activation_asked asked = {
		.open = in_span_opens, .take = in_span_takes, .arg = &w};

	need(exec_activations(x, &asked), x->err);
}
