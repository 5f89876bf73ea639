/*
 * pairs.c - see pairs.h.
 *
 * The pairs of f are a table: a row for each call into f and one for cost that no call brought,
 * a column for each call by f and one for its own cost.
 *
 *		a	b	own	sum
 *	by g	60	0	0	60
 *	by k	0	30	10	40
 *	no call	0	0	0	0
 *
 * To scale pairs x of sums r0, c0 to sums r, c: begin with r_i c_j x_ij / (r0_i c0_j), then
 * fit the sums.
 */
#include "engine/flow/pairs.h"

#include "engine/flow/signs.h"
#include "index/base/need.h"
#include "index/base/bisect.h"
#include "index/base/err_struct.h"

#define NONE UINT32_MAX

struct pairs {
	struct signs *signs;
	struct flow *fl;
	struct pairs *base; /* NULL: these are solved by signs */
	const uint32_t *fn; /* [functions] */
	const double **of;  /* [functions]; NULL: not asked for yet */
	struct arena *a;
	const struct cancel *cancel;
};

static const double in_proportion;

static void new_pairs(struct pairs of)
{
	struct pairs *p = NEED_NEW(of.a, struct pairs);

	*p = of;
	p->of = NEED_ARRAY(of.a, const double *, (size_t)of.fl->in.functions + 1);
	of.fl->pairs = p;
}

void pairs_new(struct signs *signs, struct flow *fl, struct arena *a,
	       const struct cancel *cancel)
{
	new_pairs((struct pairs){.signs = signs, .fl = fl, .a = a, .cancel = cancel});
}

void pairs_like(struct pairs *base, struct flow *fl, const uint32_t *fn, struct arena *a)
{
	if (!base || fl->mixed)
		return;
	new_pairs((struct pairs){.base = base,
				 .signs = base->signs,
				 .fl = fl,
				 .fn = fn,
				 .a = a,
				 .cancel = base->cancel});
}

void pairs_forget(struct pairs *p, uint32_t f)
{
	if (p)
		p->of[f] = NULL;
}

uint32_t pairs_way_in(const struct flow *fl, uint32_t edge)
{
	const struct flow_input *in = &fl->in;
	const uint32_t f = in->callee[edge];
	struct bisect b = bisect_in(in->in_first[f], in->in_first[f + 1] - 1);

	while (bisect_next(&b))
		bisect_step(&b, in->in_edge[b.mid] < edge);
	return (uint32_t)b.lo - in->in_first[f];
}

/* ---- scaled to another flow ---- */

/* The ways of one side with some cost. */
struct side {
	uint32_t n, *here, *there; /* the way here; there, or NONE */
	double *cost, *was;	   /* here, there */
};

static uint32_t fn_there(const struct pairs *p, uint32_t f)
{
	return p->fn ? p->fn[f] : f;
}

static bool may_have_pairs(const struct pairs *p, uint32_t f)
{
	for (; p->base; p = p->base)
		f = fn_there(p, f);
	return signs_apply(p->signs, f);
}

/* Both flows have their calls of a function in the order of the functions at the other end. */
static void find_side(const struct pairs *p, uint32_t f, bool into, struct side *s,
		      struct arena *a)
{
	const struct flow *fl = p->fl, *base = p->base->fl;
	const struct flow_input *in = &fl->in, *old = &base->in;
	const uint32_t f0 = fn_there(p, f);
	const uint32_t *first = into ? in->in_first : in->out_first;
	const uint32_t *first0 = into ? old->in_first : old->out_first;
	const uint32_t n = first[f + 1] - first[f], end = first0[f0 + 1];
	uint32_t at = first0[f0];
	const double rest = into ? fl->root[f] : (double)in->self[f];

	s->here = NEED_ARRAY(a, uint32_t, (size_t)n + 1);
	s->there = NEED_ARRAY(a, uint32_t, (size_t)n + 1);
	s->cost = NEED_ARRAY(a, double, (size_t)n + 1);
	s->was = NEED_ARRAY(a, double, (size_t)n + 1);
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t i = into ? in->in_edge[first[f] + k] : first[f] + k;
		const uint32_t other = fn_there(p, into ? in->caller[i] : in->callee[i]);
		uint32_t i0 = NONE, there = NONE;

		for (; at < end; at++) {
			i0 = into ? old->in_edge[at] : at;
			there = into ? old->caller[i0] : old->callee[i0];
			if (there >= other)
				break;
		}
		if (!(flow_cost(fl, i) > 0))
			continue;
		s->here[s->n] = k;
		s->there[s->n] = at < end && there == other ? at - first0[f0] : NONE;
		s->was[s->n] = s->there[s->n] == NONE ? 0 : flow_cost(base, i0);
		s->cost[s->n++] = flow_cost(fl, i);
	}
	if (rest > 0) {
		s->here[s->n] = n;
		s->there[s->n] = end - first0[f0];
		s->was[s->n] = into ? base->root[f0] : (double)old->self[f0];
		s->cost[s->n++] = rest;
	}
}

/* The pairs x of the base, scaled to f. */
static void scale(const struct pairs *p, uint32_t f, const double *x, const double **out,
		  struct arena *a)
{
	const size_t columns = pairs_out(p->fl, f), rows = pairs_in(p->fl, f),
		     columns0 = pairs_out(p->base->fl, fn_there(p, f));
	const double all = p->base->fl->through[fn_there(p, f)];
	struct side in = {0}, ways = {0};
	double *fit, *sums, *to;

	find_side(p, f, true, &in, a);
	find_side(p, f, false, &ways, a);
	if (in.n < 2 || ways.n < 2)
		return;
	fit = NEED_ARRAY(a, double, (size_t)in.n *ways.n);
	sums = NEED_ARRAY(a, double, ways.n);
	to = NEED_ARRAY(p->a, double, rows *columns);
	for (size_t i = 0; i < in.n; i++)
		for (size_t j = 0; j < ways.n; j++) {
			const bool known = in.was[i] > 0 && ways.was[j] > 0;

			fit[i * ways.n + j] =
				in.cost[i] * ways.cost[j] *
				(known ? x[in.there[i] * columns0 + ways.there[j]] * all /
						 in.was[i] / ways.was[j]
				       : 1);
		}
	if (!signs_fit(fit, in.n, ways.n, in.cost, ways.cost, sums))
		return;
	for (size_t i = 0; i < in.n; i++)
		for (size_t j = 0; j < ways.n; j++)
			to[in.here[i] * columns + ways.here[j]] = fit[i * ways.n + j];
	*out = to;
}

void pairs_of(const struct flow *fl, uint32_t f, const double **out)
{
	struct pairs *p = fl->pairs;
	const double *x = NULL;
	struct arena *scratch;
	double *solved;

	*out = NULL;
	if (!p)
		return;
	if (!p->of[f])
		need_time(p->cancel);
	if (!p->of[f] && !p->base) {
		signs_solve(p->signs, f, &solved);
		x = solved;
	} else if (!p->of[f] && may_have_pairs(p, f)) {
		const double *was;

		scratch = need_scratch(p->a);
		pairs_of(p->base->fl, fn_there(p, f), &was);
		if (was)
			scale(p, f, was, &x, scratch);
		scratch_free(scratch);
	}
	if (!p->of[f])
		p->of[f] = x ? x : &in_proportion;
	*out = p->of[f] == &in_proportion ? NULL : p->of[f];
}

void pairs_share(const struct flow *fl, uint32_t before, uint32_t edge, double *out)
{
	const uint32_t f = fl->in.caller[edge];
	const double came = flow_cost(fl, before);
	const double *x;

	pairs_of(fl, f, &x);
	if (!x)
		*out = flow_share(fl, edge, f);
	else
		*out = came > 0 ? x[(size_t)pairs_way_in(fl, before) * pairs_out(fl, f) +
				    edge - fl->in.out_first[f]] /
					  came
				: 0;
}
