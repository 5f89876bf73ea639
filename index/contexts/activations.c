/*
 * activations.c - from blocks to activations; see activations.h.
 *
 * Activations that are not complete yet have a place in a pool:
 *
 *	place	fn  caller's place  calls that are not complete  incl of each event
 *
 * Those that want blocks which stand before them are a stack, as in contexts.c.  One whose
 * calls are complete adds its cost to its caller, which may be complete then, too.  One that
 * calls nothing, and of which nobody is told, needs no place.
 */
#include "index/contexts/activations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/contexts/backwards.h"

#define NOWHERE UINT32_MAX

enum { POLL = 1 << 14 }; /* blocks between looks whether to stop */

struct block_place {
	uint64_t left; /* activations that it called and that are not complete */
	uint64_t block;
	uint64_t calls;
	int64_t after;	     /* of the first event, when it was opened */
	uint32_t fn, caller; /* the caller's place, or NOWHERE */
	uint32_t depth;
	uint32_t next; /* of a free place: the next one */
	bool below;    /* it is one of asked->below, or below one */
};

struct wanting {
	uint64_t blocks;
	uint32_t place;
};

struct block_walk {
	const struct activations *of;
	const struct activation_asked *asked;
	size_t below;	 /* of asked->below, so many are still to come */
	uint64_t inside; /* open ones that are below them */
	bool done;
	bool quiet, passed; /* of a span: nobody is told; and it lies behind */
	/* With a span: what those with a place spend themselves; may wrap. */
	uint64_t waits;
	uint32_t ticks;
	size_t by, seam;   /* of the claims, the next ones, counted from the end */
	uint32_t *claimed; /* per claimer: blocks that its calls of the seams claim */
	struct block_place *place;
	int64_t *cost; /* per place: self and incl of each event */
	size_t n, cap, cost_cap;
	uint32_t free; /* the first free place, or NOWHERE */
	struct wanting *wanting;
	size_t nwanting, wanting_cap;
	const struct activation_part *part; /* of the block at hand */
	int64_t *after;			    /* of its part, each event */
	struct err *err;
};

static int no_memory(struct err *err)
{
	return err_no_memory(err, "while reading activations");
}

/* ---- places ---- */

static int64_t *costs_of(const struct block_walk *w, uint32_t place)
{
	return w->cost + (size_t)place * 2 * w->of->events;
}

static int new_place(struct block_walk *w, uint32_t *out)
{
	const size_t each = sizeof(*w->place) + 2 * w->of->events * sizeof(*w->cost);

	if (w->free != NOWHERE) {
		*out = w->free;
		w->free = w->place[w->free].next;
		return 0;
	}
	if (w->n >= NOWHERE - 1 || (w->n + 1) * each > w->of->most) {
		err_set(w->err, ERR_LIMIT, 0,
			"activations inside each other take more than %" PRIu64 " MiB",
			w->of->most >> 20);
		return err_hint(w->err, "let them have more, as in --mem %" PRIu64 "M",
				w->of->most >> 19);
	}
	if (vec_reserve_raw(&w->place, &w->cap, w->n + 1, sizeof(*w->place)) ||
	    vec_reserve_raw(&w->cost, &w->cost_cap, (w->n + 1) * 2 * w->of->events,
			    sizeof(*w->cost)))
		return no_memory(w->err);
	*out = (uint32_t)w->n++;
	return 0;
}

static int tell(const struct block_walk *w, activation_take *take, uint32_t at,
		const int64_t *after)
{
	const struct block_place *p = &w->place[at];
	const int64_t *cost = costs_of(w, at);
	const struct activation a = {
		.block = p->block,
		.in_part = p->block - w->of->first - w->part->first,
		.fn = p->fn,
		.caller = p->caller == NOWHERE ? NO_CALLER : w->place[p->caller].fn,
		.part = w->part->part,
		.depth = p->depth,
		.open = at + 1,
		.caller_open = p->caller == NOWHERE ? 0 : p->caller + 1,
		.inside = p->caller != NOWHERE && w->place[p->caller].below,
		.calls = p->calls,
		.self = cost,
		.incl = cost + w->of->events,
		.after = after};

	return take(w->asked->arg, &a) ? w->err->kind : 0;
}

/* Is anybody told of an activation of fn when it is complete? */
static bool takes(const struct block_walk *w, uint32_t fn)
{
	return w->asked->take && !w->quiet && (!w->asked->of || w->asked->of[fn]);
}

/* Report an activation whose calls are complete, and each caller that this completes. */
static int complete(struct block_walk *w, uint32_t at)
{
	const struct activation_asked *asked = w->asked;
	const size_t events = asked->uncosted ? 0 : w->of->events;

	for (;;) {
		struct block_place *p = &w->place[at];
		const int64_t *incl = costs_of(w, at) + w->of->events;
		const uint32_t caller = p->caller;

		if (p->below && takes(w, p->fn) && tell(w, asked->take, at, w->after))
			return w->err->kind;
		w->inside -= p->below;
		if (asked->span)
			w->waits -= (uint64_t)*costs_of(w, at);
		p->left = 0;
		p->next = w->free;
		w->free = at;
		if (caller == NOWHERE)
			return 0;
		for (size_t e = 0; e < events; e++)
			cost_add(&costs_of(w, caller)[w->of->events + e], incl[e]);
		if (--w->place[caller].left)
			return 0;
		at = caller;
	}
}

/* ---- blocks ---- */

/* The place that called block `number`; NOWHERE: it is a root. */
static uint32_t caller_of(struct block_walk *w, uint64_t number)
{
	const struct claims *claims = w->of->claims;
	struct wanting *top;

	if (w->seam && claims->of[w->seam - 1].key == number)
		return claims->by[claims_by(claims, --w->seam)].context;
	if (!w->nwanting)
		return NOWHERE;
	top = &w->wanting[w->nwanting - 1];
	w->nwanting -= --top->blocks == 0;
	return top->place;
}

/* ---- a span ---- */

static int by_block(const void *a, const void *b)
{
	return order_u64(((const struct wanting *)a)->blocks,
			 ((const struct wanting *)b)->blocks);
}

/* Tell of all that are open: when they open, callers first; or those that stand first first,
 * as nothing before them can be in the span. */
static int tell_open(struct block_walk *w, bool opens)
{
	struct wanting *open = calloc(w->n + 1, sizeof(*open));
	size_t n = 0;
	int rc = open ? 0 : no_memory(w->err);

	for (uint32_t i = 0; open && i < w->n; i++)
		if (w->place[i].left)
			open[n++] = (struct wanting){w->place[i].block, i};
	if (n)
		qsort(open, n, sizeof(*open), by_block);
	for (size_t i = 0; !rc && i < n; i++) {
		const uint32_t at = open[opens ? n - 1 - i : i].place;

		rc = tell(w, opens ? w->asked->open : w->asked->take, at,
			  opens ? &w->place[at].after : w->after);
	}
	free(open);
	return rc;
}

static int look_at_span(struct block_walk *w, int64_t own)
{
	const struct activation_span *span = &w->asked->span[w->part->part];
	int64_t before = w->after[0];

	cost_subtract(&before, (int64_t)w->waits);
	if (!w->quiet && before > span->early) {
		if (tell_open(w, false))
			return w->err->kind;
		w->quiet = w->passed = true;
	}
	if (w->passed || !w->quiet || cost_sum(w->after[0], own) <= span->late)
		return 0;
	w->quiet = false;
	return tell_open(w, true);
}

/* Blocks before the first of a part are of the part before. */
static void enter_part(struct block_walk *w, uint64_t number)
{
	while (number < w->part->first && w->part > w->of->parts)
		w->part--;
	memset(w->after, 0, w->of->events * sizeof(*w->after));
	w->quiet = w->asked->span && w->asked->span[w->part->part].late >= 0;
	w->passed = false;
}

static int want(struct block_walk *w, uint32_t place, uint64_t blocks)
{
	if (!blocks)
		return 0;
	if (vec_reserve_raw(&w->wanting, &w->wanting_cap, w->nwanting + 1,
			    sizeof(*w->wanting)))
		return no_memory(w->err);
	w->wanting[w->nwanting++] = (struct wanting){blocks, place};
	return 0;
}

/* Is the block below those that are asked for? */
static bool is_below(struct block_walk *w, uint64_t block, uint32_t fn, uint32_t caller)
{
	const struct activation_asked *asked = w->asked;
	bool is = (!asked->below && !asked->pick) ||
		  (caller != NOWHERE && w->place[caller].below);

	if (asked->pick && *asked->left && asked->of[fn])
		is |= asked->pick(asked->arg, w->part->part);
	if (w->below && w->asked->below[w->below - 1] == block) {
		w->below--;
		is = true;
	}
	return is;
}

static void take_costs(struct block_walk *w, uint32_t at, const struct block_back *block)
{
	const size_t events = w->of->events;
	int64_t *cost = costs_of(w, at);

	for (size_t e = 0; e < events; e++) {
		cost[e] = cost[events + e] = block->self[e];
		cost_add(&w->after[e], block->self[e]);
	}
	if (events)
		w->place[at].after = w->after[0];
	if (w->asked->span)
		w->waits += (uint64_t)cost[0];
}

/* One that calls nothing, and of which nobody is told. */
static int take_leaf(struct block_walk *w, uint32_t caller,
		     const struct block_back *block)
{
	const size_t events = w->of->events;

	for (size_t e = 0; e < events; e++)
		cost_add(&w->after[e], block->self[e]);
	if (caller == NOWHERE)
		return 0;
	for (size_t e = 0; e < events && !w->asked->uncosted; e++)
		cost_add(&costs_of(w, caller)[events + e], block->self[e]);
	return --w->place[caller].left ? 0 : complete(w, caller);
}

/* End the reading if nothing else is asked for. */
static int look_done(struct block_walk *w)
{
	const struct activation_asked *asked = w->asked;

	if (asked->below || asked->pick
		    ? w->below || (asked->pick && *asked->left) || w->inside
		    : !w->passed || w->part > w->of->parts)
		return 0;
	w->done = true;
	return err_set(w->err, ERR_CANCEL, 0, "done");
}

static int take_block(void *arg, const struct block_back *block)
{
	struct block_walk *w = arg;
	const struct activation_asked *asked = w->asked;
	struct claims *claims = w->of->claims;
	const uint32_t caller = caller_of(w, block->number);
	uint64_t calls = block->wants;
	uint32_t at = NOWHERE;
	const bool claimer = w->by && claims->by[w->by - 1].number == block->number;
	bool below, opens;

	if (++w->ticks % POLL == 0 && asked->poll && asked->poll(asked->poll_arg, w->err))
		return w->err->kind;
	if (block->number < w->part->first)
		enter_part(w, block->number);
	if (asked->span && look_at_span(w, block->self[0]))
		return w->err->kind;
	below = is_below(w, w->of->first + block->number, block->fn, caller);
	opens = asked->open && below && !w->quiet;
	if (!calls && !claimer && !opens && !(below && takes(w, block->fn)))
		return take_leaf(w, caller, block) ? w->err->kind : look_done(w);
	if (new_place(w, &at))
		return w->err->kind;
	if (claimer) {
		calls += w->claimed[--w->by];
		claims->by[w->by].context = at;
	}
	w->inside += below;
	w->place[at] = (struct block_place){
		.left = calls,
		.calls = calls,
		.block = w->of->first + block->number,
		.fn = block->fn,
		.caller = caller,
		.depth = caller == NOWHERE ? 1 : w->place[caller].depth + 1,
		.below = below};
	if (!asked->uncosted || (asked->open && below))
		take_costs(w, at, block);
	if ((opens && tell(w, asked->open, at, w->after)) || want(w, at, block->wants) ||
	    (!calls && complete(w, at)))
		return w->err->kind;
	return look_done(w);
}

int activations_each(const struct activations *of, struct err *err)
{
	struct claims *claims = of->claims;
	const struct activation_asked *asked = of->asked;
	struct block_walk w = {.of = of,
			       .asked = asked,
			       .by = claims->nby,
			       .seam = claims->n,
			       .claimed = calloc(claims->nby + 1, sizeof(*w.claimed)),
			       .free = NOWHERE,
			       .part = of->parts + of->nparts - 1,
			       .after = calloc(of->events + 1, sizeof(*w.after)),
			       .err = err};
	int rc = w.claimed && w.after ? 0 : no_memory(err);

	if (!rc)
		enter_part(&w, w.part->first);
	/* Those of the files after this one were met. */
	for (w.below = asked->nbelow;
	     w.below && asked->below[w.below - 1] >= of->first + claims->blocks;)
		w.below--;
	for (size_t i = 0; !rc && i < claims->n; i++)
		w.claimed[claims_by(claims, i)]++;
	if (!rc)
		rc = backwards_read(of->s, of->n, claims->blocks, of->events, take_block,
				    &w, NULL, err);
	if (w.done) {
		err_clear(err);
		rc = 0;
	}
	free(w.claimed);
	free(w.after);
	free(w.place);
	free(w.cost);
	free(w.wanting);
	return rc;
}
