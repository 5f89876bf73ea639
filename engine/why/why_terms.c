/*
 * why_terms.c - the terms of the sum in why.h, and what they leave over.
 *
 * Two passes, half each: the calls of this side at the prices of the base, and the reverse
 * with the sign turned.  A pass goes from callers to callees.  Each unit gets from its callers
 * the difference P that they carry down to it, and has the terms
 *
 *	self		runs * change of self cost per run
 *	calls		runs * change of the rate * price of the call
 *	carried down	runs * rate * change of the price: not a row, but P of the callee
 *
 * The terms of a unit must add up to P.  What is left is the mix: other callers call it, with
 * other arguments, and it did not change.  It is taken from the terms as far as another mix
 * can explain them, then from those against the sign of P, then by cost.  So the rows add up
 * to the difference, whatever is estimated on the way.
 */
#include "engine/why/why_in.h"

#include <math.h>
#include <string.h>

#include "engine/rows/exec.h"
#include "index/base/err_struct.h"

struct term {
	double cost, full;   /* full: before anything was taken from it */
	struct why_sum *row; /* where it goes */
	uint32_t f;
	struct why_edge *down; /* carried down by this call; or NULL */
	bool self;
	bool inside; /* a call in a cycle */
	double was;  /* what the term's cost was at prices p */
	double is;   /* its cost on side q; 0: a call */
};

struct term_pass {
	struct why *w;
	struct exec *x;
	unsigned p, q;	/* prices, counts */
	double half;	/* of each term, with its sign */
	double *arrive; /* [n]: P of each function */
	/* [n]: the share of its runs that are there because something above calls more
	 * often. */
	double *more;
	const bool *different; /* [n] */
	struct term *term;     /* of the unit at hand */
	size_t n;
};

/* Another mix of callers: the share of calls from callers that make more of them now. */
struct mix {
	double before, after, cost;
};

/* ---- how much can another mix of callers explain? ---- */

static double share_of_calls(const struct term_pass *s, unsigned side,
			     const struct why_edge *e)
{
	return why_per_run(e->calls[side], s->w->runs[side][e->to]);
}

static struct mix mix_of(const struct term_pass *s, uint32_t f)
{
	const struct why *w = s->w;
	struct mix m = {0};

	if (!(w->runs[s->p][f] > 0) || !(w->runs[s->q][f] > 0))
		return m;
	for (size_t i = w->in_first[f]; i < w->in_first[f + 1];) {
		const uint32_t from = w->in[i]->from, site = w->in[i]->site;
		double before = 0, after = 0, cost = 0;

		/* Calls from outside of the model are site 1 of the root. */
		for (; i < w->in_first[f + 1] && w->in[i]->from == from &&
		       (from != w->root || w->in[i]->site == site);
		     i++) {
			before += share_of_calls(s, s->p, w->in[i]);
			after += share_of_calls(s, s->q, w->in[i]);
			cost += w->in[i]->cost[s->q];
		}
		if (after > before + 1e-12) {
			m.before += before;
			m.after += after;
			m.cost += cost;
		}
	}
	return m;
}

/* The share of f's runs of side q that come from calls made more often, here or above. */
static double more_often(const struct term_pass *s, uint32_t f)
{
	const struct why *w = s->w;
	double sum = 0;

	for (size_t i = w->in_first[f]; i < w->in_first[f + 1]; i++) {
		const struct why_edge *e = w->in[i];
		const double now = why_rate(w, s->q, e);
		double same = 1;

		if (!(now > 0))
			continue;
		if (why_has(w, s->p, e->from))
			same = fmin(why_rate(w, s->p, e) / now, 1);
		sum += share_of_calls(s, s->q, e) *
		       ((1 - same) + same * s->more[e->from]);
	}
	return fmin(sum, 1);
}

/* From the callers' side: what a call adds to its callee. */
static void push_more(struct term_pass *s, uint32_t g)
{
	const struct why *w = s->w;
	const bool both = why_has(w, s->p, g);

	if (!s->different[g] && s->more[g] == 0)
		return;
	for (uint32_t i = 0; i < w->outs[g]; i++) {
		const struct why_edge *e = &w->out[g][i];
		const double now = why_rate(w, s->q, e);
		const double same =
			both && now > 0 ? fmin(why_rate(w, s->p, e) / now, 1) : 1;

		if (now > 0 && (same < 1 || s->more[g] > 0) && !e->inside)
			s->more[e->to] += share_of_calls(s, s->q, e) *
					  ((1 - same) + same * s->more[g]);
	}
}

static void find_more(struct term_pass *s)
{
	enum { SWEEPS = 6 }; /* in a cycle */
	const struct why *w = s->w;

	for (uint32_t u = w->units; u-- > 0;) {
		const uint32_t first = w->unit_first[u], last = w->unit_first[u + 1];

		for (unsigned k = 0; k < SWEEPS && last - first > 1; k++)
			for (uint32_t m = last; m-- > first;)
				s->more[w->member[m]] = more_often(s, w->member[m]);
		for (uint32_t m = last; m-- > first;) {
			const uint32_t f = w->member[m];

			s->more[f] = f == w->root ? 0 : fmin(s->more[f], 1);
			push_more(s, f);
		}
		exec_poll(s->x);
	}
}

/* The explanation by the callers of f alone. */
static double mixed_here(const struct term *t, const struct mix *m)
{
	const double change = m->after - m->before;
	double share = 1;

	if (change < 1e-9)
		return 0;
	if (t->cost < 0) {
		if (m->before < 1)
			share = t->was * change / ((1 - m->before) * -t->cost);
	} else {
		if (m->before > 0)
			share = t->was * change / (m->before * t->cost);
		if (t->self || t->down)
			share = fmin(share, m->cost / t->cost);
	}
	return fmax(0, fmin(share, 1));
}

/* The share of a term that another mix, here or above, explains. */
static double mixed(const struct term_pass *s, const struct term *t, const struct mix *m)
{
	const double more = s->more[t->f];
	double above = 0;

	if (t->cost == 0)
		return 0;
	/* A twentieth of new runs is enough to explain a dearer mean. */
	if (t->f != s->w->root && more > 1e-9)
		above = t->cost > 0 ? more / 0.05 : t->was * more / -t->cost;
	return fmax(fmin(above, 1), mixed_here(t, m));
}

/* ---- the terms of a unit ---- */

static void add_term(struct term_pass *s, struct term t)
{
	t.full = t.cost;
	s->term[s->n++] = t;
}

static void terms_of_call(struct term_pass *s, struct why_edge *e, bool both)
{
	const struct why *w = s->w;
	const double runs = w->runs[s->q][e->from], rate = why_rate(w, s->q, e),
		     before = both ? why_rate(w, s->p, e) : rate;
	double now = why_price(s->q, e), was = both ? why_price(s->p, e) : now, price;

	if (!(e->calls[s->q] > 0) && !(both && e->calls[s->p] > 0))
		return;
	if (!(e->calls[s->p] > 0))
		was = now;
	if (!(e->calls[s->q] > 0))
		now = was;
	/* More calls, each cheaper, or the reverse: the lesser price gives less to cancel. */
	price = (rate - before) * (now - was) < 0 ? fmin(was, now) : was;
	if (rate != before)
		add_term(s, (struct term){.cost = runs * (rate - before) * price,
					  .row = &e->row,
					  .f = e->from,
					  .inside = e->inside,
					  .was = runs * before * price});
	if (e->inside || !(rate > 0))
		return;
	/* What changed in a library is the caller's. */
	add_term(s, (struct term){.cost = runs * (rate * now - before * was) -
					  runs * (rate - before) * price,
				  .row = why_is_library(w, e->to) ? &e->row : &e->flow,
				  .f = e->from,
				  .down = e,
				  .was = runs * rate * was,
				  .is = runs * rate * now});
}

static void terms_of(struct term_pass *s, uint32_t f)
{
	struct why *w = s->w;
	const bool both = why_has(w, s->p, f);
	const double runs = w->runs[s->q][f];

	if (both) {
		const double is = why_per_run(w->self[s->q][f], runs),
			     was = why_per_run(w->self[s->p][f], w->runs[s->p][f]);

		add_term(s, (struct term){.cost = runs * (is - was),
					  .row = &w->own[f],
					  .f = f,
					  .self = true,
					  .was = runs * was,
					  .is = runs * is});
	}
	for (uint32_t i = 0; i < w->outs[f]; i++)
		terms_of_call(s, &w->out[f][i], both);
}

/* ---- the terms add up to P ---- */

static double left_over(const struct term_pass *s, double p)
{
	for (size_t i = 0; i < s->n; i++)
		p -= s->term[i].cost;
	return p;
}

/* Reduce the terms by what another mix of callers can explain. */
static void take_mix(struct term_pass *s)
{
	struct mix m = {0};

	for (size_t i = 0; i < s->n; i++) {
		struct term *t = &s->term[i];

		if (!i || t->f != s->term[i - 1].f)
			m = mix_of(s, t->f);
		t->cost *= 1 - mixed(s, t, &m);
	}
}

/* Change the terms by `d` in all: each by its part of what it has to give. */
static double give_back(struct term_pass *s, double d)
{
	double all = 0, share;

	for (size_t i = 0; i < s->n; i++) {
		const double taken = s->term[i].full - s->term[i].cost;

		all += taken * d > 0 ? fabs(taken) : 0;
	}
	if (!(all > 0))
		return d;
	share = fmin(1, fabs(d) / all);
	for (size_t i = 0; i < s->n; i++) {
		const double taken = s->term[i].full - s->term[i].cost;

		s->term[i].cost += taken * d > 0 ? share * taken : 0;
	}
	return d - copysign(share * all, d);
}

static double shrink_opposite(struct term_pass *s, double d)
{
	double all = 0, share;

	for (size_t i = 0; i < s->n; i++)
		all += s->term[i].cost * d < 0 ? fabs(s->term[i].cost) : 0;
	if (!(all > 0))
		return d;
	share = fmin(1, fabs(d) / all);
	for (size_t i = 0; i < s->n; i++)
		s->term[i].cost *= s->term[i].cost * d < 0 ? 1 - share : 1;
	return d - copysign(share * all, d);
}

/* In a cycle the recorded cost of a call is that of all levels below, counted at each: their
 * mean is less than what one more call at the top brings.  So the calls that changed as d
 * says bring what is left of it. */
static double grow_inside(struct term_pass *s, double d)
{
	double all = 0;

	for (size_t i = 0; i < s->n; i++)
		all += s->term[i].inside && s->term[i].cost * d > 0 ? s->term[i].cost : 0;
	for (size_t i = 0; i < s->n && all != 0; i++)
		if (s->term[i].inside && s->term[i].cost * d > 0)
			s->term[i].cost *= 1 + d / all;
	return all != 0 ? 0 : d;
}

static void spread(struct term_pass *s, double d)
{
	double all = 0;

	for (size_t i = 0; i < s->n; i++)
		all += s->term[i].is;
	if (!(all > 0)) {
		s->term[0].cost += d;
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		s->term[i].cost += d * s->term[i].is / all;
}

static void add_up(struct term_pass *s, double p)
{
	double d = left_over(s, p);

	if (fabs(d) <= 1e-9 * (fabs(p) + 1))
		return;
	take_mix(s);
	d = left_over(s, p);
	if (d != 0)
		d = give_back(s, d);
	if (d != 0)
		d = shrink_opposite(s, d);
	if (fabs(d) > 1e-12)
		d = grow_inside(s, d);
	if (fabs(d) > 1e-12)
		spread(s, d);
}

/* ---- passes ---- */

static bool call_differs(const struct why *w, const struct why_edge *e)
{
	return why_rate(w, BASE, e) != why_rate(w, HERE, e) ||
	       why_price(BASE, e) != why_price(HERE, e);
}

/* [n]: has the function terms that are not 0? */
static void find_different(struct why *w, bool **out)
{
	struct exec *x = w->run[HERE];
	bool *different = *out = EXEC_ARRAY(x, bool, w->n);

	for (uint32_t f = 0; f < w->n; f++) {
		different[f] = !why_has(w, BASE, f) || !why_has(w, HERE, f) ||
			       why_per_run(w->self[BASE][f], w->runs[BASE][f]) !=
				       why_per_run(w->self[HERE][f], w->runs[HERE][f]);
		for (uint32_t i = 0; i < w->outs[f] && !different[f]; i++)
			different[f] = call_differs(w, &w->out[f][i]);
	}
	exec_poll_now(x);
}

/* Nothing changed in the unit, and nothing is carried down to it. */
static bool is_same(const struct term_pass *s, uint32_t u)
{
	const struct why *w = s->w;

	for (uint32_t m = w->unit_first[u]; m < w->unit_first[u + 1]; m++)
		if (s->different[w->member[m]] || s->arrive[w->member[m]] != 0)
			return false;
	return true;
}

static void pass_unit(struct term_pass *s, uint32_t u)
{
	const struct why *w = s->w;
	double p = 0;

	s->n = 0;
	if (is_same(s, u) || why_is_library(w, w->member[w->unit_first[u]]))
		return;
	for (uint32_t m = w->unit_first[u]; m < w->unit_first[u + 1]; m++) {
		const uint32_t f = w->member[m];

		if (!why_has(w, s->q, f))
			continue;
		p += s->arrive[f];
		terms_of(s, f);
	}
	if (!s->n)
		return;
	if (u != w->unit[w->root])
		add_up(s, p);
	for (size_t i = 0; i < s->n; i++) {
		const struct term *t = &s->term[i];

		t->row->cost += s->half * t->cost;
		t->row->spread += t->cost / 2;
		if (t->down)
			s->arrive[t->down->to] += t->cost;
	}
}

static size_t most_terms(const struct why *w)
{
	size_t most = 0;

	for (uint32_t u = 0; u < w->units; u++) {
		size_t n = 0;

		for (uint32_t m = w->unit_first[u]; m < w->unit_first[u + 1]; m++)
			n += 1 + 2 * (size_t)w->outs[w->member[m]];
		most = n > most ? n : most;
	}
	return most;
}

static void one_pass(struct term_pass *s)
{
	memset(s->arrive, 0, s->w->n * sizeof(*s->arrive));
	memset(s->more, 0, s->w->n * sizeof(*s->more));
	find_more(s);
	for (uint32_t u = s->w->units; u-- > 0;) {
		pass_unit(s, u);
		exec_poll(s->x);
	}
}

void why_terms(struct why *w)
{
	struct exec *x = w->run[HERE];
	struct term_pass s = {.w = w,
			      .x = x,
			      .arrive = EXEC_ARRAY(x, double, w->n),
			      .more = EXEC_ARRAY(x, double, w->n),
			      .term = EXEC_ARRAY(x, struct term, most_terms(w) + 1)};
	bool *different;

	find_different(w, &different);
	s.different = different;
	s.p = BASE;
	s.q = HERE;
	s.half = 0.5;
	one_pass(&s);
	s.p = HERE;
	s.q = BASE;
	s.half = -0.5;
	one_pass(&s);
}
