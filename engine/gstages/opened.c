/*
 * opened.c - see opened.h.
 *
 * The blocks of the profile are gone through from the last to the first
 * (each_activation.h).  Each is told when it opens, callers first, so the context of a call
 * follows from that of its caller:
 *
 *	main		outside
 *	 +- f		activation 1 of f	outside
 *	 +- f		activation 2 of f	context f, a root
 *	     +- g	inside			context f, g
 *
 * Activations that are meant are found on the same way by their number, as the index knows how many
 * there are.  If some are inside others, or sought by their costs, which are known when they
 * are complete, they are found on a way before.  A span of the run: see below.
 */
#include "engine/gstages/opened.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "engine/lang/ast.h"
#include "engine/lang/check_names.h"
#include "engine/names/fnset.h"
#include "engine/rows/activations.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/in_span.h"
#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/contexts/contexts.h"
#include "index/contexts/span.h"
#include "index/each_activation.h"
#include "index/part_lines.h"

/* ---- which ones ---- */

struct slow {
	uint64_t block;
	int64_t cost;
};

struct finding {
	struct exec *x;
	const struct gstage *stage;
	const struct run_span *span; /* calls have what lies in it; NULL: all */
	uint8_t *wanted;	     /* [functions of the store] */
	bool picks;		     /* they open in their order: none is in another */
	uint64_t n;		     /* activations of these */
	uint64_t behind;	     /* how many of them were met */
	uint64_t left;		     /* to be picked */
	uint64_t *found;	     /* blocks, ascending when all are found */
	size_t nfound, cap, most;    /* most: of slow[] */
	struct slow *slow;
};

static bool is_meant(const struct finding *f, const struct activation *a)
{
	return !f->x->parts || f->x->parts[a->part];
}

static int count(void *arg, const struct activation *a)
{
	struct finding *f = arg;

	f->n += is_meant(f, a);
	return 0;
}

static bool is_number(const struct gstage *g, uint64_t number)
{
	bool is = false;

	for (size_t i = 0; i < g->nnumbers && !is; i++)
		is = number >= g->numbers[i].first && number <= g->numbers[i].last;
	return is;
}

static int add_found(struct finding *f, uint64_t block)
{
	if (arena_grow(f->x->a, &f->found, &f->cap, f->nfound, f->nfound + 1,
		       sizeof(*f->found)))
		return arena_full(f->x->a, f->x->err);
	f->found[f->nfound++] = block;
	return 0;
}

static int find_number(void *arg, const struct activation *a)
{
	struct finding *f = arg;

	return is_meant(f, a) && is_number(f->stage, f->n - f->behind++)
		       ? add_found(f, a->block)
		       : 0;
}

/* The costliest so far, in their order: of equal ones those that began first, which are met
 * last. */
static void add_slow(struct finding *f, uint64_t block, int64_t cost)
{
	size_t at;

	if (f->nfound == f->most && cost < f->slow[f->nfound - 1].cost)
		return;
	at = f->nfound < f->most ? f->nfound++ : f->nfound - 1;
	for (; at && f->slow[at - 1].cost <= cost; at--)
		f->slow[at] = f->slow[at - 1];
	f->slow[at] = (struct slow){block, cost};
}

static int find_cost(void *arg, const struct activation *a)
{
	struct finding *f = arg;
	const struct exec *x = f->x;
	const int64_t cost = store_event_of(x->g->st, x->event, a->incl);

	if (!is_meant(f, a))
		return 0;
	if (f->stage->kind == G_SLOWEST)
		add_slow(f, a->block, cost);
	else if (f->nfound < f->most)
		f->slow[f->nfound++] = (struct slow){a->block, cost};
	return 0;
}

static int find_inside(void *arg, const struct activation *a,
		       const struct span_part *inside)
{
	const struct finding *f = arg;
	struct activation there = *a;

	if (!inside || !f->wanted[a->fn])
		return 0;
	there.incl = inside->incl;
	return find_cost(arg, &there);
}

/* The functions of the store that are meant, and how often they were called. */
static void want(struct finding *f)
{
	struct exec *x = f->x;
	const uint32_t functions = store_info(x->g->st)->functions;
	struct fn_set *set;
	struct store_tree tree;
	uint8_t *inside;

	exec_set(x, f->stage->set, &set);
	f->wanted = EXEC_ARRAY(x, uint8_t, (size_t)functions + 1);
	for (fn_id fn = 0; fn < functions; fn++) {
		const uint32_t here = graph_of_store(x->g, fn);

		f->wanted[fn] = here != GRAPH_NONE && fnset_has(set, here);
	}
	store_tree(x->g->st, &tree);
	inside = EXEC_ARRAY(x, uint8_t, (size_t)tree.contexts + 1);
	f->picks = f->stage->kind == G_ACTIVATION && !f->span && !span_fibers(x->g->st);
	for (context_id c = 0; c < tree.contexts; c++) {
		const context_id above = store_context_parent(x->g->st, c);
		const bool is = f->wanted[store_context_fn(x->g->st, c)];
		const bool within = above != NO_CONTEXT && inside[above];

		f->n += is ? store_context_calls(x->g->st, c) : 0;
		f->picks &= !(is && within);
		inside[c] = is || within;
		exec_poll(x);
	}
	need(store_check(x->g->st, x->err), x->err);
}

static void no_such_number(struct exec *x, const struct gstage *g, uint64_t n)
{
	const struct str of = exec_text(x, g->set->span);

	for (size_t i = 0; i < g->nnumbers; i++) {
		const struct number_range *r = &g->numbers[i];

		if (r->first && r->last <= n)
			continue;
		exec_wrong(x, g->span,
			   "%.*s has %s activation%s: there is no number %" PRIu64,
			   STR_ARG(of), GROUPED(n), n == 1 ? "" : "s",
			   r->first ? r->last : r->first);
		need_hint(x->err, "activations of %.*s lists them", STR_ARG(of));
	}
}

static int by_cost(const void *a, const void *b)
{
	const struct slow *x = a, *y = b;
	const int c = cost_order(x->cost, y->cost);

	return c ? c : order_u64(x->block, y->block);
}

/* The first ones of slow[], or of all by cost those in the middle. */
static void by_their_costs(struct finding *f)
{
	struct exec *x = f->x;
	const bool usual = f->stage->kind == G_USUAL;
	const struct activation_asked asked = {
		.take = find_cost, .of = f->wanted, .arg = f};
	const uint64_t n = f->stage->n < f->n ? f->stage->n : f->n;
	size_t first;

	f->most = (size_t)(usual ? f->n : n);
	f->slow = EXEC_ARRAY(x, struct slow, f->most + 1);
	if (f->most && f->span)
		exec_in_span(x, f->span, find_inside, f);
	else if (f->most)
		need(exec_activations(x, &asked), x->err);
	if (usual)
		qsort(f->slow, f->nfound, sizeof(*f->slow), by_cost);
	first = usual && n < f->nfound ? (f->nfound - (size_t)n) / 2 : 0;
	f->nfound = n < f->nfound ? (size_t)n : f->nfound;
	f->found = EXEC_ARRAY(x, uint64_t, f->nfound + 1);
	for (size_t i = 0; i < f->nfound; i++)
		f->found[i] = f->slow[first + i].block;
}

static void numbered(struct finding *f)
{
	struct exec *x = f->x;
	struct activation_asked asked = {
		.take = count, .of = f->wanted, .uncosted = true, .arg = f};

	if (x->parts) {
		f->n = 0;
		need(exec_activations(x, &asked), x->err);
	}
	no_such_number(x, f->stage, f->n);
	for (uint64_t i = 1; f->picks && i <= f->n; i++)
		f->left += is_number(f->stage, i);
	asked.take = find_number;
	if (!f->picks)
		need(exec_activations(x, &asked), x->err);
}

static void find(struct finding *f)
{
	want(f);
	if (f->stage->kind == G_ACTIVATION)
		numbered(f);
	else
		by_their_costs(f);
}

/* ---- what is below them ---- */

struct opening {
	struct exec *x;
	struct finding *f;
	uint32_t *context; /* by activation.open: a reference */
	size_t cap;
	struct part_blocks *blocks; /* descending */
	size_t nblocks, blocks_cap;
	struct contexts all;
	struct map_held held;
};

static void release(struct map_held *h)
{
	struct opening *o =
		(struct opening *)(void *)((char *)h - offsetof(struct opening, held));

	contexts_free(&o->all);
	free(o->context);
	free(o);
}

/* Note the block, which stands before those that were noted. */
static int add_block(struct opening *o, const struct activation *a)
{
	struct exec *x = o->x;
	struct part_blocks *last = o->nblocks ? &o->blocks[o->nblocks - 1] : NULL;

	if (last && last->part == a->part && last->from == a->in_part + 1) {
		last->from--;
		return 0;
	}
	if (arena_grow(x->a, &o->blocks, &o->blocks_cap, o->nblocks, o->nblocks + 1,
		       sizeof(*o->blocks)))
		return arena_full(x->a, x->err);
	o->blocks[o->nblocks++] =
		(struct part_blocks){a->part, a->in_part, a->in_part + 1};
	return 0;
}

static int open_one(void *arg, const struct activation *a)
{
	struct opening *o = arg;
	struct contexts *c = &o->all;
	struct err *err = o->x->err;
	uint32_t here;

	if (vec_reserve_raw(&o->context, &o->cap, (size_t)a->open + 1,
			    sizeof(*o->context)))
		return err_no_memory(err, "while opening an activation");
	if (!(here = contexts_of(c, a->inside ? o->context[a->caller_open] : 0, a->fn,
				 err)))
		return err->kind;
	if (add_block(o, a) || (o->f->picks && !a->inside && add_found(o->f, a->block)))
		return err->kind;
	o->context[a->open] = here;
	c->calls[here - 1]++;
	cost_add_each(c->self + (size_t)(here - 1) * c->events, a->self, c->events);
	return 0;
}

static bool pick(void *arg, uint32_t part)
{
	struct finding *f = ((struct opening *)arg)->f;
	const bool is = (!f->x->parts || f->x->parts[part]) &&
			is_number(f->stage, f->n - f->behind++);

	f->left -= is;
	return is;
}

/* more: numbers of each context beside its costs. */
static struct opening *new_opening(struct exec *x, size_t more)
{
	struct opening *o = calloc(1, sizeof(*o));

	if (!o)
		need_memory_for(NULL);
	o->held.release = release;
	map_hold(&o->held);
	o->x = x;
	contexts_init(&o->all, store_info(x->g->st)->events + more,
		      x->a->cap ? x->a->cap : UINT64_MAX);
	return o;
}

/* The blocks in their order, and the parts that they are in, which x asks from now on. */
static const struct graph_opened *blocks_of(struct opening *o)
{
	struct exec *x = o->x;
	struct graph_opened *opened = EXEC_ARRAY(x, struct graph_opened, 1);
	struct part_blocks *at = EXEC_ARRAY(x, struct part_blocks, o->nblocks + 1);
	uint8_t *parts = EXEC_ARRAY(x, uint8_t, (size_t)store_info(x->g->st)->parts + 1);

	for (size_t i = 0; i < o->nblocks; i++) {
		at[i] = o->blocks[o->nblocks - 1 - i];
		parts[at[i].part] = 1;
	}
	x->parts = parts;
	qsort(o->f->found, o->f->nfound, sizeof(*o->f->found), compare_u64);
	*opened = (struct graph_opened){at, o->nblocks, o->f->found, o->f->nfound};
	return opened;
}

/* The costs of the contexts apart from what each has beside them, the least in the span. */
static const int64_t *split_least(struct opening *o, const int64_t **least)
{
	const struct contexts *c = &o->all;
	const size_t events = c->events - 1;
	int64_t *self = EXEC_ARRAY(o->x, int64_t, c->n * events + 1);
	int64_t *lo = EXEC_ARRAY(o->x, int64_t, c->n + 1);

	for (size_t i = 0; i < c->n; i++) {
		memcpy(self + i * events, c->self + i * c->events,
		       events * sizeof(*self));
		lo[i] = c->self[i * c->events + events];
	}
	*least = lo;
	return self;
}

/* Go through the blocks, and make x->g the graph of the contexts that it has found.  least: of a
 * span; or NULL. */
static void open_asked(struct opening *o, struct activation_asked *asked,
		       const int64_t **least)
{
	struct exec *x = o->x;
	struct graph *plain = x->g->plain ? x->g : x->g->below;
	const struct contexts *c = &o->all;
	struct part_contexts from;

	need(exec_activations(x, asked), x->err);
	if (o->f && o->f->span && !c->n) {
		exec_wrong(x, o->f->stage->span, "nothing of this lies in the span");
		need_hint(x->err,
			  "activations of %.*s, behind `between`, lists calls that do",
			  STR_ARG(exec_text(x, o->f->stage->set->span)));
	}
	need(contexts_order(&o->all, store_info(x->g->st)->functions, x->err), x->err);
	from = (struct part_contexts){(uint32_t)c->n, c->parent, c->fn, c->calls,
				      c->self};
	if (least)
		from.self = split_least(o, least);
	graph_activations(plain, &from, o->f ? blocks_of(o) : NULL, &x->g);
}

static void open_found(struct exec *x, const struct gstage *g)
{
	struct finding f = {.x = x, .stage = g};
	struct activation_asked asked = {.open = open_one, .uncosted = true};
	struct opening *o;

	find(&f);
	if (f.picks) {
		asked.of = f.wanted;
		asked.pick = pick;
		asked.left = &f.left;
	} else {
		qsort(f.found, f.nfound, sizeof(*f.found), compare_u64);
		asked.below = f.found;
		asked.nbelow = f.nfound;
	}
	o = new_opening(x, 0);
	o->f = &f;
	asked.arg = o;
	open_asked(o, &asked, NULL);
	map_let_go(&o->held);
	release(&o->held);
}

/* ---- a span of the run ----
 *
 * A run is measured in its first event.  An activation spends its own cost after all that it
 * calls, as `start` of activations and the pictures of `timeline` have it; so blocks lie
 * beside each other in the order of the file, and a span has of each the part inside.
 *
 *	 0       5        10			between 4 and 7: 3 of f, or
 *	 | g  f  f   main  |			g and main, if these came first
 *
 * Bounds are those of its calls (rows/in_span.h).  Of some calls that are opened, too, those
 * have a context that are inside them.
 */

struct open_place {
	uint32_t fn, caller,
		context; /* caller: its place, 0: none; context: 0: none yet */
	int64_t end;
	bool inside; /* of the calls that are opened; without any, of the run */
};

struct span_walk {
	struct opening *o;
	struct run_span of;
	struct open_place *place; /* [open + 1] */
	uint32_t *chain;	  /* of callers without a context, upwards */
	size_t cap, chain_cap;
	uint64_t *on;	  /* [functions]: on the stack so many times */
	int64_t *lo, *hi; /* [functions]: inclusive */
	int64_t *self_lo, *self_hi;
	uint64_t *calls; /* [functions]: that have something inside */
	uint8_t *sure;	 /* [functions]: enum graph_sure */
	int64_t waits;	 /* the own costs of open ones */
	bool fibers;	 /* stacks take turns */
	bool falls;	 /* some cost is below 0 */
};

/* The context of an open activation, made after those of its callers.  0: an error. */
static uint32_t context_of(struct span_walk *w, uint32_t open)
{
	struct exec *x = w->o->x;
	uint32_t at = open, above;
	size_t n = 0;

	for (; at && w->place[at].inside && !w->place[at].context;
	     at = w->place[at].caller) {
		if (arena_grow(x->a, &w->chain, &w->chain_cap, n, n + 1,
			       sizeof(*w->chain))) {
			arena_full(x->a, x->err);
			return 0;
		}
		w->chain[n++] = at;
	}
	above = at ? w->place[at].context : 0;
	while (n--) {
		struct open_place *p = &w->place[w->chain[n]];

		if (!(above = p->context = contexts_of(&w->o->all, above, p->fn, x->err)))
			return 0;
	}
	return above;
}

/* Add the part of its own cost that lies inside. */
static int add_own(struct span_walk *w, const struct activation *a)
{
	struct contexts *c = &w->o->all;
	const int64_t own = a->self[0], begin = w->place[a->open].end - own;
	int64_t *self;
	uint32_t here;

	if (!span_meets(&w->of, a->part, begin, own))
		return 0;
	if (!(here = context_of(w, a->open)))
		return w->o->x->err->kind;
	self = c->self + (size_t)(here - 1) * c->events;
	for (size_t e = 0; e + 1 < c->events; e++)
		cost_add(&self[e], span_cut(&w->of, a->part, begin, own, a->self[e]));
	return 0;
}

/* Is it one of those that were found, or below one? */
static bool is_opened(const struct span_walk *w, const struct activation *a)
{
	const struct finding *f = w->o->f;
	struct bisect b = bisect_in(0, f ? f->nfound : 0);

	while (bisect_next(&b))
		bisect_step(&b, f->found[b.mid] < a->block);
	return !f || (a->caller_open && w->place[a->caller_open].inside) ||
	       (b.lo < f->nfound && f->found[b.lo] == a->block);
}

static int span_opens(void *arg, const struct activation *a)
{
	struct span_walk *w = arg;
	struct exec *x = w->o->x;

	if (arena_grow(x->a, &w->place, &w->cap, w->cap, (size_t)a->open + 1,
		       sizeof(*w->place)))
		return arena_full(x->a, x->err);
	w->place[a->open] = (struct open_place){.fn = a->fn,
						.caller = a->caller_open,
						.end = w->of.total[a->part] -
						       (a->after[0] - a->self[0]),
						.inside = is_opened(w, a)};
	w->falls |= a->self[0] < 0;
	cost_add(&w->waits, a->self[0]);
	if (!w->place[a->open].inside)
		return 0;
	w->on[a->fn]++;
	return (w->o->f && add_block(w->o, a)) || add_own(w, a) ? x->err->kind : 0;
}

static int span_takes(void *arg, const struct activation *a)
{
	struct span_walk *w = arg;
	struct open_place *p = &w->place[a->open];
	const int64_t start = w->of.total[a->part] - a->after[0];
	struct span_bounds is;
	uint32_t here;

	cost_subtract(&w->waits, a->self[0]);
	if (!p->inside)
		return 0;
	w->on[a->fn]--;
	if (span_has(&w->of, a->part, start)) {
		if (!(here = context_of(w, a->open)))
			return w->o->x->err->kind;
		w->o->all.calls[here - 1]++;
	}
	w->calls[a->fn] += p->context != 0;
	if (!span_bounds(&w->of, a, p->end, w->waits, w->fibers, &is))
		return 0;
	if (!is.sure)
		w->sure[a->fn] = 0;
	if (p->context)
		cost_add(&w->o->all.self[p->context * w->o->all.events - 1], is.lo);
	cost_add(&w->self_lo[a->fn], is.self_lo);
	cost_add(&w->self_hi[a->fn], is.self_hi);
	if (!w->on[a->fn])
		cost_add(&w->lo[a->fn], is.lo);
	if (!w->on[a->fn] || w->fibers)
		cost_add(&w->hi[a->fn], is.hi);
	return 0;
}

/* An end of the span, as a count of the first event; or in percent. */
static double span_end(struct exec *x, const struct gstage_end *end)
{
	const struct unit of = x->env->units[0];

	if (end->unit.kind && end->unit.kind != of.kind) {
		exec_wrong(x, end->span,
			   "a run is measured in %.*s, which has no such unit",
			   STR_ARG(x->env->events[0]));
		need_hint(x->err, "write a number without a unit, or between 10%% and "
				  "20%%");
	}
	return end->unit.kind ? end->at / (double)of.scale : end->at;
}

/* What each part costs in the first event, and where the span lies in it.  Returns its length in
 * all of them. */
static int64_t span_ends(struct exec *x, const struct gstage *g, struct span_walk *w)
{
	const uint32_t parts = store_info(x->g->st)->parts;
	const uint32_t events = store_info(x->g->st)->events;
	struct arena *scratch = need_scratch(x->a);
	const double end[2] = {span_end(x, &g->end[0]), span_end(x, &g->end[1])};
	int64_t *from = EXEC_ARRAY(x, int64_t, (size_t)parts + 1);
	int64_t *to = EXEC_ARRAY(x, int64_t, (size_t)parts + 1);
	int64_t *total = EXEC_ARRAY(x, int64_t, (size_t)parts + 1);
	int64_t length = 0, most = 0;

	if (g->end[0].percent == g->end[1].percent && end[0] >= end[1])
		exec_fail(x, g->span,
			  "this span is empty: the smaller number comes first");
	w->of = (struct run_span){from, to, total};
	for (uint32_t p = 0; p < parts; p++) {
		fn_id *fns;
		int64_t *costs, at[2];
		size_t n;

		arena_reset(scratch);
		need(store_part_functions(x->g->st, p, scratch, &fns, &costs, &n, x->err),
		     x->err);
		for (size_t i = 0; i < n; i++)
			cost_add(&total[p], costs[i * events]);
		for (int i = 0; i < 2; i++)
			at[i] = cost_round(g->end[i].percent
						   ? end[i] * (double)total[p] / 100
						   : end[i]);
		from[p] = at[0] > 0 ? at[0] : 0;
		to[p] = at[1] < total[p] ? at[1] : total[p];
		if (x->parts && !x->parts[p])
			continue;
		most = most > total[p] ? most : total[p];
		if (to[p] > from[p])
			cost_add(&length, to[p] - from[p]);
	}
	scratch_free(scratch);
	if (length <= 0) {
		exec_wrong(x, g->span, "nothing ran in this span");
		need_hint(x->err, "the run takes %lld of %.*s", (long long)most,
			  STR_ARG(x->env->events[0]));
	}
	return length;
}

/* What the reading of blocks may leave out: of calls that are opened, nothing, as their blocks
 * are noted. */
static const struct activation_span *parts_told(struct exec *x, const struct span_walk *w,
						bool calls)
{
	const uint32_t parts = store_info(x->g->st)->parts;
	struct activation_span *told =
		EXEC_ARRAY(x, struct activation_span, (size_t)parts + 1);

	for (uint32_t p = 0; p < parts; p++) {
		const bool is = !x->parts || x->parts[p];
		const int64_t total = w->of.total[p];

		/* A call without cost that ends with the run is in a span up to its end. */
		told[p].late = !is			       ? INT64_MAX
			       : calls || w->of.to[p] == total ? -1
							       : total - w->of.to[p];
		told[p].early = calls || w->fibers ? INT64_MAX : total - w->of.from[p];
	}
	return told;
}

static bool is_whole(const struct exec *x, const struct run_span *of)
{
	bool whole = true;

	for (uint32_t p = 0; p < store_info(x->g->st)->parts; p++)
		if (!x->parts || x->parts[p])
			whole &= of->from[p] == 0 && of->to[p] == of->total[p];
	return whole;
}

/* Of these calls, if there are some, what lies in the span.  The whole run is as it is. */
static void open_span(struct exec *x, const struct gstage *g, const struct gstage *calls)
{
	const size_t functions = store_info(x->g->st)->functions;
	struct activation_asked asked = {.open = span_opens, .take = span_takes};
	struct graph_span *span = EXEC_ARRAY(x, struct graph_span, 1);
	struct span_walk *w = EXEC_ARRAY(x, struct span_walk, 1);
	const int64_t length = span_ends(x, g, w);
	struct finding f = {.x = x, .stage = calls, .span = &w->of};

	if (!calls && is_whole(x, &w->of))
		return;
	w->on = EXEC_ARRAY(x, uint64_t, functions + 1);
	w->lo = EXEC_ARRAY(x, int64_t, functions + 1);
	w->hi = EXEC_ARRAY(x, int64_t, functions + 1);
	w->self_lo = EXEC_ARRAY(x, int64_t, functions + 1);
	w->self_hi = EXEC_ARRAY(x, int64_t, functions + 1);
	w->calls = EXEC_ARRAY(x, uint64_t, functions + 1);
	w->sure = EXEC_ARRAY(x, uint8_t, functions + 1);
	memset(w->sure, GRAPH_SELF | GRAPH_INCL, functions);
	w->fibers = span_fibers(x->g->st);
	if (calls) {
		find(&f);
		qsort(f.found, f.nfound, sizeof(*f.found), compare_u64);
	}
	asked.span = parts_told(x, w, calls != NULL);
	w->o = new_opening(x, 1);
	w->o->f = calls ? &f : NULL;
	asked.uncosted = !w->fibers;
	asked.arg = w;
	open_asked(w->o, &asked, &span->context_lo);
	map_let_go(&w->o->held);
	release(&w->o->held);
	if (w->falls) {
		exec_wrong(x, g->span, "%.*s falls, so it does not measure a run",
			   STR_ARG(x->env->events[0]));
		need_hint(x->err, "activation N of X opens a call");
	}
	for (size_t fn = 0; fn < functions; fn++) {
		w->hi[fn] = w->hi[fn] < length ? w->hi[fn] : length;
		w->self_hi[fn] = w->self_hi[fn] < length ? w->self_hi[fn] : length;
	}
	*span = (struct graph_span){.of = w->of,
				    .length = length,
				    .lo = w->lo,
				    .hi = w->hi,
				    .self_lo = w->self_lo,
				    .self_hi = w->self_hi,
				    .calls = w->calls,
				    .sure = w->sure,
				    .context_lo = span->context_lo};
	graph_span(x->g, span);
}

void exec_opened(struct exec *x, const struct gstage *calls, const struct gstage *span)
{
	exec_has_tree(x, (span ? span : calls)->span);
	if (span)
		open_span(x, span, calls);
	else
		open_found(x, calls);
}
