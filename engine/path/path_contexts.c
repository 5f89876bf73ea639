/*
 * path_contexts.c - paths of functions, in a flow that has their contexts apart.
 *
 * A path is found as a chain of contexts.  Its functions may be called in the same order in
 * other contexts, too: the cost of a path of functions is the sum over all such chains.
 * They are followed together, a step at a time: X of a context (path.h) is the cost of all
 * chains that lead to it.
 *
 *	path main -> f -> g				step 0	main 100
 *	main calls two contexts of f			step 1	60 and 40
 *	one calls g for 30, the other one for 10	step 2	40: the cost of the path
 *
 * So a path is as quick to follow with many contexts as its functions have calls.
 */
#include <stdlib.h>

#include "engine/flow/flow.h"
#include "engine/flow/pairs.h"
#include "engine/graph/flow_parts.h"
#include "engine/names/fnset.h"
#include "engine/path/path.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"

struct following {
	const struct path_contexts *c;
	struct path_bounds *at, *next; /* [functions of the flow]; est < 0: not reached */
	uint32_t *here, *there, nhere; /* those that are reached */
	const struct fn_set *from;
	const double *first; /* [functions of the flow]: path_outermost() */
	double *came; /* [edges of the flow]: est of the chains whose last call it is; NULL:
			 the flow has no pairs */
};

/* A sum has bounds only if all chains have. */
static void add_chain(struct path_bounds *to, const struct path_bounds *b)
{
	to->est += b->est;
	cost_add(&to->lo, b->lo);
	cost_add(&to->hi, b->hi);
	to->bounded &= b->bounded;
}

/* The sum of no chains. */
static struct path_bounds nothing(void)
{
	return (struct path_bounds){.bounded = true};
}

/* Contexts that may be on the stack together: their costs count more than once. */
static void start_together(struct following *w, uint32_t fn)
{
	double sum = 0;

	for (uint32_t k = 0; k < w->nhere; k++)
		sum += w->at[w->here[k]].est;
	for (uint32_t k = 0; k < w->nhere; k++) {
		struct path_bounds *b = &w->at[w->here[k]];

		*b = path_bounds_of(sum > 0 ? b->est * w->c->whole[fn].est / sum : 0, 0,
				    b->hi, b->bounded);
	}
}

/* Begin at each context of fn that enters the set: with the cost by which it is the
 * outermost. */
static void start_chains(struct following *w, const struct flow *fl,
			 const struct fn_set *from, uint32_t fn)
{
	w->nhere = 0;
	for (uint32_t f = fnset_next(from, 0); f != FNSET_NONE;
	     f = fnset_next(from, f + 1)) {
		if (w->c->fn[f] != fn || w->c->again[f] || !(w->first[f] > 0))
			continue;
		w->at[f] = path_from(fl, f, w->first[f]);
		w->here[w->nhere++] = f;
	}
	if (w->nhere > 1 && !w->c->added[fn])
		start_together(w, fn);
}

/* The estimate of the chains that lead to f and go on by edge i. */
static void follow_pairs(struct following *w, const struct flow *fl, uint32_t f,
			 uint32_t i, bool first, double *est)
{
	const struct flow_input *in = &fl->in;
	double share;

	*est = w->at[f].est * flow_share(fl, i, f);
	if (!w->came || first)
		return;
	*est = 0;
	for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++) {
		const double came = w->came[in->in_edge[k]];

		if (!(came > 0))
			continue;
		pairs_share(fl, in->in_edge[k], i, &share);
		*est += came * share;
	}
}

/* Nothing has come to these contexts. */
static void forget_came(struct following *w, const struct flow *fl, const uint32_t *of,
			uint32_t n)
{
	const struct flow_input *in = &fl->in;

	for (uint32_t j = 0; w->came && j < n; j++)
		for (uint32_t k = in->in_first[of[j]]; k < in->in_first[of[j] + 1]; k++)
			w->came[in->in_edge[k]] = 0;
}

/* Go on to the contexts of fn. */
static void follow_chains(struct following *w, const struct flow *fl, uint32_t fn,
			  bool first)
{
	const struct flow_input *in = &fl->in;
	struct path_bounds *at = w->at;
	uint32_t *here = w->here, n = 0;
	double est;

	for (uint32_t k = 0; k < w->nhere; k++) {
		const uint32_t f = here[k];

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			const uint32_t to = in->callee[i];
			struct path_bounds b;

			if (w->c->fn[to] != fn || !in->incl[i])
				continue;
			if (w->next[to].est < 0) {
				w->next[to] = nothing();
				w->there[n++] = to;
			}
			follow_pairs(w, fl, f, i, first, &est);
			b = path_bounds_next(at[f], in->incl[i], 0, fl->passing[f],
					     fl->odd[f]);
			b = path_bounds_of(est, b.lo, b.hi, b.bounded);
			add_chain(&w->next[to], &b);
			if (w->came)
				w->came[i] = b.est;
		}
		at[f].est = -1;
	}
	forget_came(w, fl, here, w->nhere);
	w->at = w->next;
	w->next = at;
	w->here = w->there;
	w->there = here;
	w->nhere = n;
}

/* The cost of the first steps of the path, one after the other; only `est` if it is one of
 * several parts. */
static void cost_of_steps(struct following *w, const struct flow *fl,
			  const struct fn_set *from, struct path *p, bool part)
{
	start_chains(w, fl, from, p->steps[0].fn);
	for (size_t i = 0; i < p->n; i++) {
		struct path_bounds sum = nothing();

		if (i)
			follow_chains(w, fl, p->steps[i].fn, i == 1);
		for (uint32_t k = 0; k < w->nhere; k++)
			add_chain(&sum, &w->at[w->here[k]]);
		if (!i && !part && w->nhere > 1)
			sum = w->c->whole[p->steps[0].fn];
		/* Chains of several contexts may share what they were called by. */
		if (i && sum.bounded && p->steps[i - 1].cost.bounded &&
		    sum.hi > p->steps[i - 1].cost.hi && !part)
			sum.hi = p->steps[i - 1].cost.hi;
		if (part)
			p->steps[i].cost.est += sum.est;
		else
			p->steps[i].cost =
				path_bounds_of(sum.est, sum.lo, sum.hi, sum.bounded);
	}
	for (uint32_t k = 0; k < w->nhere; k++)
		w->at[w->here[k]].est = -1;
	forget_came(w, fl, w->here, w->nhere);
}

static void add_part_costs(void *arg, const struct flow *fl, const double *first,
			   struct path *p)
{
	struct following *w = arg;

	w->first = first;
	cost_of_steps(w, fl, w->from, p, true);
}

/* ---- equal paths ---- */

static int refs_by_functions(const void *x, const void *y)
{
	const struct path *a = *(const struct path *const *)x,
			  *b = *(const struct path *const *)y;
	const int c = paths_by_functions(a, b);

	return c ? c : (a > b) - (a < b);
}

/* Keep the first of equal paths, in their order. */
static void drop_equal(struct path_list *list, struct arena *a)
{
	struct path **by = NEED_ARRAY(a, struct path *, list->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		by[i] = &list->paths[i];
	qsort(by, list->n, sizeof(*by), refs_by_functions);
	for (size_t i = list->n; i-- > 1;)
		if (!paths_by_functions(by[i], by[i - 1]))
			by[i]->n = 0;
	for (size_t i = 0; i < list->n; i++)
		if (list->paths[i].n)
			list->paths[n++] = list->paths[i];
	list->n = n;
}

/* The parts may say that a path has no cost at all: it goes, unless a bound allows some. */
static void drop_costless(struct path_list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct path *p = &list->paths[i];

		if (p->steps[p->n - 1].cost.est > 0 || p->steps[p->n - 1].cost.hi)
			list->paths[n++] = *p;
	}
	list->n = n;
}

/* ---- */

static void start_following(struct following *w, const struct flow *fl,
			    const struct path_query *q, struct arena *a)
{
	const size_t n = (size_t)fl->in.functions + 1;
	double *first = NEED_ARRAY(a, double, n);

	w->at = NEED_ARRAY(a, struct path_bounds, n);
	w->next = NEED_ARRAY(a, struct path_bounds, n);
	w->here = NEED_ARRAY(a, uint32_t, n);
	w->there = NEED_ARRAY(a, uint32_t, n);
	w->first = first;
	w->came = fl->pairs ? NEED_ARRAY(a, double, (size_t)fl->in.edges + 1) : NULL;
	path_outermost(fl, q->from, first, a);
	for (size_t f = 0; f < n; f++)
		w->at[f].est = w->next[f].est = -1;
}

void path_of_functions(const struct flow *fl, const struct path_query *q,
		       const struct path_contexts *c, struct arena *a,
		       const struct cancel *cancel, struct path_list *list)
{
	struct following w = {.c = c, .from = q->from};

	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; k < list->paths[i].n; k++) {
			struct path_step *s = &list->paths[i].steps[k];

			s->fn = c->fn[s->fn];
		}
	drop_equal(list, a);
	start_following(&w, fl, q, a);
	for (size_t i = 0; i < list->n; i++) {
		cost_of_steps(&w, fl, q->from, &list->paths[i], false);
		need_time(cancel);
	}
	if (q->parts)
		path_sum_parts(q, list, a, add_part_costs, &w);
	drop_costless(list);
	if (list->n && (q->kind == PATH_HOTTEST || q->kind == PATH_ALL))
		qsort(list->paths, list->n, sizeof(*list->paths), paths_by_cost);
}
