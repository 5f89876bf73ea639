/*
 * opened.c - see opened.h.
 *
 * The blocks of the profile are gone through twice, each time from the last to the first
 * (each_activation.h).  First those that are meant are found: the third of f is known when all of
 * them were counted.  Then each block is told when it opens, callers first, so the context
 * of a call follows from that of its caller:
 *
 *	main		outside
 *	 +- f		activation 1 of f	outside
 *	 +- f		activation 2 of f	context f, a root
 *	     +- g	inside			context f, g
 */
#include "engine/gstages/opened.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "engine/lang/ast.h"
#include "engine/names/fnset.h"
#include "engine/rows/activations.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/contexts/contexts.h"
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
	uint8_t *wanted;	  /* [functions of the store] */
	uint64_t n;		  /* activations of these, */
	uint64_t behind;	  /* of which so many were met */
	uint64_t *found;	  /* blocks, ascending when all are found */
	size_t nfound, cap, most; /* most: of slowest */
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

static int find_number(void *arg, const struct activation *a)
{
	struct finding *f = arg;
	const struct gstage *g = f->stage;
	uint64_t number;
	bool is = false;

	if (!is_meant(f, a))
		return 0;
	number = f->n - f->behind++;
	for (size_t i = 0; i < g->nnumbers && !is; i++)
		is = number >= g->numbers[i].first && number <= g->numbers[i].last;
	if (!is)
		return 0;
	if (arena_grow(f->x->a, &f->found, &f->cap, f->nfound, f->nfound + 1,
		       sizeof(*f->found)))
		return arena_full(f->x->a, f->x->err);
	f->found[f->nfound++] = a->block;
	return 0;
}

/* The costliest so far, in their order: of equal ones those that began first, which are met
 * last. */
static int find_slowest(void *arg, const struct activation *a)
{
	struct finding *f = arg;
	const struct exec *x = f->x;
	size_t at;
	int64_t cost;

	if (!is_meant(f, a))
		return 0;
	f->n++;
	cost = store_event_of(x->g->st, x->event, a->incl);
	if (f->nfound == f->most && cost < f->slow[f->nfound - 1].cost)
		return 0;
	at = f->nfound < f->most ? f->nfound++ : f->nfound - 1;
	for (; at && f->slow[at - 1].cost <= cost; at--)
		f->slow[at] = f->slow[at - 1];
	f->slow[at] = (struct slow){a->block, cost};
	return 0;
}

/* The functions of the store that are meant, and how often they were called. */
static void want(struct finding *f)
{
	struct exec *x = f->x;
	const uint32_t functions = store_info(x->g->st)->functions;
	struct fn_set *set;
	struct store_tree tree;

	exec_set(x, f->stage->set, &set);
	f->wanted = EXEC_ARRAY(x, uint8_t, (size_t)functions + 1);
	for (fn_id fn = 0; fn < functions; fn++) {
		const uint32_t here = graph_of_store(x->g, fn);

		f->wanted[fn] = here != GRAPH_NONE && fnset_has(set, here);
	}
	store_tree(x->g->st, &tree);
	for (context_id c = 0; c < tree.contexts; c++) {
		if (f->wanted[store_context_fn(x->g->st, c)])
			f->n += store_context_calls(x->g->st, c);
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
		exec_wrong(
			x, g->span,
			n == 1 ? "%.*s has %s activation: number 1%.0" PRIu64
			       : "%.*s has %s activations: there is no number %" PRIu64,
			STR_ARG(of), GROUPED(n), r->first ? r->last : r->first);
		need_hint(x->err, "activations of %.*s lists them", STR_ARG(of));
	}
}

static void slowest(struct finding *f)
{
	struct exec *x = f->x;
	const struct activation_asked asked = {
		.take = find_slowest, .of = f->wanted, .arg = f};

	f->most = f->stage->n < f->n ? (size_t)f->stage->n : (size_t)f->n;
	f->slow = EXEC_ARRAY(x, struct slow, f->most + 1);
	if (f->most)
		need(exec_activations(x, &asked), x->err);
	f->found = EXEC_ARRAY(x, uint64_t, f->nfound + 1);
	for (size_t i = 0; i < f->nfound; i++)
		f->found[i] = f->slow[i].block;
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
	asked.take = find_number;
	need(exec_activations(x, &asked), x->err);
}

static void find(struct finding *f)
{
	want(f);
	if (f->stage->kind == G_SLOWEST)
		slowest(f);
	else
		numbered(f);
	qsort(f->found, f->nfound, sizeof(*f->found), compare_u64);
}

/* ---- what is below them ---- */

struct opening {
	struct exec *x;
	uint32_t *context; /* by activation.open: a reference */
	size_t cap;
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
	o->context[a->open] = here;
	c->calls[here - 1]++;
	for (size_t e = 0; e < c->events; e++)
		c->full |= cost_add(&c->self[(here - 1) * c->events + e], a->self[e]);
	return 0;
}

int exec_opened(struct exec *x, const struct gstage *g)
{
	struct finding f = {.x = x, .stage = g};
	struct graph *plain = x->g->plain ? x->g : x->g->below;
	struct activation_asked asked = {.open = open_one, .uncosted = true};
	struct part_contexts from;
	struct opening *o;

	exec_has_tree(x, g->span);
	find(&f);
	if (!(o = calloc(1, sizeof(*o))))
		need_memory_for(NULL);
	o->held.release = release;
	map_hold(&o->held);
	o->x = x;
	contexts_init(&o->all, store_info(x->g->st)->events,
		      x->a->cap ? x->a->cap : UINT64_MAX);
	asked.arg = o;
	asked.below = f.found;
	asked.nbelow = f.nfound;
	need(exec_activations(x, &asked) ||
		     contexts_order(&o->all, store_info(x->g->st)->functions, x->err),
	     x->err);
	from = (struct part_contexts){(uint32_t)o->all.n, o->all.parent, o->all.fn,
				      o->all.calls, o->all.self};
	graph_activations(plain, &from, &x->g);
	map_let_go(&o->held);
	release(&o->held);
	return 0;
}
