/*
 * known_path.c - the paths from one set to another over known stacks; see known.h.
 *
 * A node is a chain of functions that begins in `from`, and adds up the vertices whose
 * stacks end so.  Vertices are met from the roots on, so the node of the caller is there:
 *
 *	from a to c	a	a;b	a;b;c	a;c
 *	vertices	1 7	2 8	3 9	4		a path is a node that ends in `to`
 */
#include "engine/flow/flow.h"
#include "engine/names/fnset.h"
#include "engine/path/known.h"

#include <stdlib.h>

#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/hash.h"

enum { POLL = 65536 };
#define NO_NODE UINT32_MAX

struct path_link {
	uint32_t fn, parent; /* NO_NODE: it begins here */
	uint32_t calls_made; /* steps before this one */
	int64_t est;
	uint64_t calls;
	bool via, end;
};

struct stack_finding {
	const struct stacks *s;
	const struct path_query *q;
	struct arena *a;
	const struct cancel *cancel;
	struct path_link *link;
	size_t n, cap;
	struct hash by;
	uint32_t *at; /* [vertices]: the node that a path goes on from; NO_NODE */
};

static bool has(const struct fn_set *set, uint32_t f)
{
	return set && fnset_has(set, f);
}

/* Add vertex v to the chain that ends with it. */
static void add_vertex(struct stack_finding *w, uint32_t parent, uint32_t v,
		       uint32_t *out)
{
	const uint32_t fn = w->s->fn[v];
	const uint32_t h = (uint32_t)hash_mix((uint64_t)parent << 32 | fn);
	uint32_t probe = hash_start(&w->by, h), i;

	while ((i = hash_next(&w->by, h, &probe)) != HASH_NONE)
		if (w->link[i].parent == parent && w->link[i].fn == fn)
			break;
	if (i == HASH_NONE) {
		const struct path_link *up = parent == NO_NODE ? NULL : &w->link[parent];
		const struct path_link new = {.fn = fn,
					      .parent = parent,
					      .calls_made = up ? up->calls_made + 1 : 0,
					      .via = (up && up->via) ||
						     has(w->q->via, fn),
					      .end = up && has(w->q->to, fn)};

		if (w->n >= NO_NODE || hash_add(&w->by, h, i = (uint32_t)w->n))
			need_memory(w->a);
		need_grow(w->a, &w->link, &w->cap, w->n, w->n + 1, sizeof(*w->link));
		w->link[w->n++] = new;
	}
	cost_add(&w->link[i].est, w->s->incl[v]);
	count_add(&w->link[i].calls, w->s->calls[v]);
	*out = w->link[i].end ? NO_NODE : i;
}

/* Go on with the path that leads to v's caller, and begin one where v is the outermost of
 * its function. */
static void follow_vertex(struct stack_finding *w, uint32_t v, bool outermost)
{
	const struct stacks *s = w->s;
	const struct path_query *q = w->q;
	const uint32_t c = s->caller[v], f = s->fn[v];
	uint32_t up = c == FLOW_NONE ? NO_NODE : w->at[c];

	w->at[v] = NO_NODE;
	if (has(q->avoiding, f))
		return;
	if (up != NO_NODE && q->max && w->link[up].calls_made >= q->max)
		up = NO_NODE;
	if (up != NO_NODE && (has(q->to, f) || !has(q->from, f)))
		add_vertex(w, up, v, &w->at[v]);
	if (has(q->from, f) && outermost)
		add_vertex(w, NO_NODE, v, &w->at[v]);
}

/* A vertex stands behind its caller, so at[] of the caller is known when it comes. */
static void follow_stacks(struct stack_finding *w)
{
	const struct stacks *s = w->s;
	struct err err = {0};
	uint32_t *above = NEED_ARRAY(w->a, uint32_t, (size_t)s->n + 1);

	w->at = NEED_ARRAY(w->a, uint32_t, (size_t)s->n + 1);
	need(stacks_above(s, above, w->a, w->cancel, &err), &err);
	for (uint32_t v = 0; v < s->n; v++) {
		follow_vertex(w, v, above[v] == UINT32_MAX);
		if (v % POLL == 0)
			need_time(w->cancel);
	}
}

/* A path ends in `to`, has cost, and has met `via` if that is asked for. */
static bool is_wanted(const struct stack_finding *w, const struct path_link *l)
{
	return l->end && l->est && (!w->q->via || l->via) &&
	       !path_under_min((double)cost_size(l->est), w->q->min);
}

/* Of equal costs the node that was made first, so that the order is the same in every
 * run. */
static int dearest(const void *pa, const void *pb)
{
	const struct path_link *a = *(const struct path_link *const *)pa,
			       *b = *(const struct path_link *const *)pb;

	if (a->est != b->est)
		return a->est < b->est ? 1 : -1;
	return a < b ? -1 : a > b;
}

static int shortest(const void *pa, const void *pb)
{
	const struct path_link *a = *(const struct path_link *const *)pa,
			       *b = *(const struct path_link *const *)pb;

	if (a->calls_made != b->calls_made)
		return a->calls_made < b->calls_made ? -1 : 1;
	return dearest(pa, pb);
}

static void put_path(const struct stack_finding *w, const struct path_link *end,
		     struct path *p)
{
	p->n = end->calls_made + 1;
	p->steps = NEED_ARRAY(w->a, struct path_step, p->n);
	for (size_t i = p->n; i-- > 0; end = i ? &w->link[end->parent] : end)
		p->steps[i] = (struct path_step){.fn = end->fn,
						 .edge = FLOW_NONE,
						 .calls = i ? end->calls : 0,
						 .incl = end->est,
						 .cost = path_bounds_exact(end->est)};
}

/* The nodes that are paths, in the order asked for, as many as are wanted; total: of all. */
static void list_paths(const struct stack_finding *w, struct path_list *out)
{
	const struct path_link **by =
		NEED_ARRAY(w->a, const struct path_link *, w->n + 1);
	size_t n = 0, k = w->q->k;

	for (size_t i = 0; i < w->n; i++)
		if (is_wanted(w, &w->link[i])) {
			by[n++] = &w->link[i];
			out->total += (double)w->link[i].est;
		}
	if (n)
		qsort(by, n, sizeof(*by),
		      w->q->kind == PATH_SHORTEST ? shortest : dearest);
	k = k && k < PATH_ALL_CAP ? k : PATH_ALL_CAP;
	out->more = n > k;
	out->truncated = w->q->kind == PATH_ALL && n > k;
	k = n < k ? n : k;
	out->paths = NEED_ARRAY(w->a, struct path, k + 1);
	for (; out->n < k; out->n++)
		put_path(w, by[out->n], &out->paths[out->n]);
}

void known_paths(const struct stacks *s, const struct path_query *q, struct arena *a,
		 const struct cancel *cancel, struct path_list *out)
{
	struct stack_finding w = {
		.s = s, .q = q, .a = a, .cancel = cancel, .by = {.arena = a}};

	*out = (struct path_list){0};
	for (uint32_t f = fnset_next(q->from, 0); f != FNSET_NONE;
	     f = fnset_next(q->from, f + 1))
		out->same |= fnset_has(q->to, f);
	follow_stacks(&w);
	list_paths(&w, out);
}
