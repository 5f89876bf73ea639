/*
 * why_rows.c - from terms to causes; see why.h.
 *
 * The terms of one caller and callee, at any site and level of recursion, are one cause.
 * What came through a function that one side has alone is told as a call of that function.
 * A call that one caller makes less and another more has moved.
 */
#include "engine/why/why_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare/vs.h"
#include "engine/graph/graph.h"
#include "engine/rows/exec.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

struct causes {
	struct why *w;
	struct exec *x;
	struct why_cause *at;
	size_t n, cap;
};

static void add_cause(struct causes *c, struct why_cause one)
{
	if (one.cost == 0)
		return;
	exec_grow(c->x, &c->at, &c->cap, c->n, c->n + 1, sizeof(*c->at));
	c->at[c->n++] = one;
	exec_poll(c->x);
}

static void join_cause(struct why_cause *to, struct why_cause *from)
{
	to->cost += from->cost;
	to->spread += from->spread;
	from->cost = from->spread = 0;
}

/* ---- through joined functions ---- */

static uint32_t largest_via(const struct why *w, unsigned side, uint32_t from,
			    uint32_t to)
{
	const struct why_via *best = NULL;

	for (uint32_t i = w->via_first[from]; i != WHY_NONE; i = w->via[i].next) {
		const struct why_via *v = &w->via[i];

		if (v->side == side && v->to == to && (!best || v->cost > best->cost))
			best = v;
	}
	return best ? best->through : WHY_NONE;
}

/* Move the part of *sum that came through joined functions to causes that name these. */
static void add_through(struct causes *c, uint32_t from, uint32_t to, struct why_sum *sum)
{
	const struct why *w = c->w;
	const double base = why_via_total(w, BASE, from, to),
		     here = why_via_total(w, HERE, from, to), net = here - base;
	const unsigned big = net > 0 ? HERE : BASE;
	const double all = big == HERE ? here : base;
	double take;

	if (!(net * sum->cost > 0))
		return;
	take = fabs(net) < 0.98 * fabs(sum->cost) ? net / sum->cost : 1;
	for (uint32_t i = w->via_first[from]; i != WHY_NONE; i = w->via[i].next) {
		const struct why_via *v = &w->via[i];
		struct why_cause one = {.cost = take * sum->cost * v->cost / all,
					.spread = take * sum->spread * v->cost / all,
					.fn = from,
					.callee = v->through,
					.only = big == HERE ? WHY_IS_NEW : WHY_IS_GONE};

		if (v->side != big || v->to != to)
			continue;
		one.other = largest_via(w, !big, from, to);
		/* A deeper level of the caller itself is not a new function. */
		if (w->name[from] == w->name[v->through])
			one.only = WHY_BOTH;
		add_cause(c, one);
	}
	sum->cost = take < 1 ? (1 - take) * sum->cost : 0;
	sum->spread *= 1 - take;
}

static void list_terms(struct causes *c)
{
	struct why *w = c->w;

	for (uint32_t f = 0; f < w->n; f++) {
		struct why_sum own = w->own[f];

		if (own.cost != 0 && w->via_first)
			add_through(c, f, WHY_NONE, &own);
		add_cause(c, (struct why_cause){.cost = own.cost,
						.spread = own.spread,
						.fn = f,
						.callee = WHY_NONE,
						.other = WHY_NONE});
		for (uint32_t i = 0; i < w->outs[f]; i++) {
			struct why_edge *e = &w->out[f][i];
			struct why_sum row = e->row;

			if (row.cost != 0 && e->site == 0 && w->via_first)
				add_through(c, f, e->to, &row);
			add_cause(c,
				  (struct why_cause){.cost = row.cost,
						     .spread = row.spread,
						     .fn = e->caller ? e->caller - 1 : f,
						     .callee = e->to,
						     .edge = e,
						     .other = WHY_NONE});
		}
	}
}

/* ---- one cause from several terms ---- */

/* What the cause is about, in names: equal keys are one cause. */
struct key {
	uint32_t fn, callee, other;
	enum why_new only;
	uint32_t cause;
};

static uint32_t name_of(const struct why *w, uint32_t f)
{
	return f == WHY_NONE ? WHY_NONE : w->name[f];
}

static int by_key(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;
	int c = order_u64(a->fn, b->fn);

	c = c ? c : order_u64(a->callee, b->callee);
	c = c ? c : order_u64(a->only, b->only);
	c = c ? c : order_u64(a->other, b->other);
	return c;
}

static int by_key_and_number(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;
	const int c = by_key(a, b);

	return c ? c : order_u64(a->cause, b->cause);
}

/* The largest term stands for all. */
static void join_terms(struct causes *c)
{
	struct key *key = EXEC_ARRAY(c->x, struct key, c->n + 1);
	struct why_cause *to = EXEC_ARRAY(c->x, struct why_cause, c->n + 1);
	double largest = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		key[i] = (struct key){
			name_of(c->w, c->at[i].fn), name_of(c->w, c->at[i].callee),
			name_of(c->w, c->at[i].other), c->at[i].only, (uint32_t)i};
	qsort(key, c->n, sizeof(*key), by_key_and_number);
	for (size_t i = 0; i < c->n; i++) {
		const struct why_cause *one = &c->at[key[i].cause];
		struct why_cause sum = *one;

		if (i && !by_key(&key[i - 1], &key[i])) {
			const struct why_cause *before = &to[--n];

			sum = fabs(one->cost) > largest ? *one : *before;
			sum.cost = before->cost + one->cost;
			sum.spread = before->spread + one->spread;
		} else {
			largest = 0;
		}
		largest = fmax(largest, fabs(one->cost));
		to[n++] = sum;
	}
	c->at = to;
	c->n = n;
}

/* ---- how often, before and now ---- */

/* The calls of a pair for each run of the caller, as recorded. */
static double recorded_rate(const struct why *w, unsigned side, uint32_t from,
			    uint32_t to)
{
	const struct graph *g = w->g[side];
	uint32_t e, first, n;
	double calls;

	if (from == w->root || w->fn[side][from] == WHY_NONE ||
	    w->fn[side][to] == WHY_NONE)
		return 0;
	e = graph_edge_between(g, w->fn[side][from], w->fn[side][to]);
	calls = e == GRAPH_NONE ? 0 : (double)graph_edge_calls(g, e);
	/* and those that its pieces make */
	graph_callees(g, w->fn[side][from], &first, &n);
	for (uint32_t i = first; e == GRAPH_NONE && i < first + n; i++) {
		const uint32_t callee = graph_edge_callee(g, i);
		uint32_t of;

		if (!why_piece_of(g, callee, w->fn[side][from]))
			continue;
		of = graph_edge_between(g, callee, w->fn[side][to]);
		calls += of == GRAPH_NONE ? 0 : (double)graph_edge_calls(g, of);
	}
	return why_per_run(calls, w->runs[side][from]);
}

static double recorded_self(const struct why *w, unsigned side, uint32_t f)
{
	const uint32_t fn = w->fn[side][f];

	return why_per_run((double)graph_self(w->g[side], fn, w->event[side]),
			   (double)graph_calls(w->g[side], fn));
}

bool why_inlined(const struct why *w, const struct why_cause *c)
{
	static const double most = 0.75, least = 0.5;
	const unsigned side = c->only == WHY_IS_NEW ? HERE : BASE;
	double moved;
	uint32_t e;

	if (c->only == WHY_BOTH ||
	    why_is_unknown(graph_obj(w->g[side], w->fn[side][c->callee])) ||
	    !why_has(w, BASE, c->fn) || !why_has(w, HERE, c->fn))
		return false;
	e = graph_edge_between(w->g[side], w->fn[side][c->fn], w->fn[side][c->callee]);
	if (e == GRAPH_NONE || fabs(c->cost) > most * fabs(why_edge_cost(w, side, e)))
		return false;
	moved = recorded_rate(w, side, c->fn, c->callee) *
		recorded_self(w, side, c->callee);
	return recorded_self(w, !side, c->fn) - recorded_self(w, side, c->fn) >
	       least * moved;
}

/* The calls of a pair at all sites, as joined: how many for each run, at what price. */
struct call_price {
	double rate, price;
};

static struct call_price joined_calls(const struct why *w, unsigned side, uint32_t from,
				      uint32_t to)
{
	const uint32_t g = w->caller[from] ? w->root : from;
	double calls = 0, cost = 0;

	for (uint32_t i = 0; i < w->outs[g]; i++) {
		const struct why_edge *e = &w->out[g][i];

		if (e->to == to && (g == from || e->caller == from + 1)) {
			calls += e->calls[side];
			cost += e->cost[side];
		}
	}
	return (struct call_price){why_per_run(calls, w->runs[side][from]),
				   why_per_run(cost, calls)};
}

/* Calls of a library function that cost more or less each, rather than being more or less;
 * of[]: how they were and are. */
static bool is_price(const struct why *w, const struct why_cause *c,
		     struct call_price of[SIDES])
{
	if (!c->edge || c->fn == w->root || !why_is_library(w, c->callee))
		return false;
	for (unsigned s = 0; s < SIDES; s++)
		of[s] = joined_calls(w, s, c->fn, c->callee);
	return of[BASE].rate > 0 && of[HERE].rate > 0 &&
	       (of[HERE].price - of[BASE].price) * c->cost > 0 &&
	       fabs((of[HERE].price - of[BASE].price) * (of[BASE].rate + of[HERE].rate)) >
		       fabs((of[HERE].rate - of[BASE].rate) *
			    (of[BASE].price + of[HERE].price));
}

bool why_supports(const struct why_cause *c)
{
	return (c->to - c->from) * c->cost > 0;
}

/* How often fn calls the callee: at all sites, or at the largest alone if that says more of
 * the cost. */
static void describe_rates(const struct why *w, struct why_cause *c)
{
	const bool joined = c->edge && c->only == WHY_BOTH;
	double from, to;

	c->from = joined ? joined_calls(w, BASE, c->fn, c->callee).rate
			 : recorded_rate(w, BASE, c->fn, c->callee);
	c->to = joined ? joined_calls(w, HERE, c->fn, c->callee).rate
		       : recorded_rate(w, HERE, c->fn, c->callee);
	if (!joined || c->edge->caller || !(c->from > 0 && c->to > 0))
		return;
	from = why_rate(w, BASE, c->edge);
	to = why_rate(w, HERE, c->edge);
	c->line = from == 0 ? WHY_NEW_LINE : to == 0 ? WHY_OLD_LINE : WHY_ANY_LINE;
	if (c->other != WHY_NONE || why_supports(c))
		return;
	c->line = c->line ? c->line : WHY_ONE_LINE;
	c->from = from;
	c->to = to;
}

static enum why_kind kind_of_call(const struct why *w, const struct why_cause *c)
{
	if (c->fn == w->root)
		return WHY_ENTERED;
	if (c->only != WHY_BOTH)
		return c->only == WHY_IS_NEW ? WHY_NEWLY : WHY_NO_LONGER;
	if (c->edge && c->other == WHY_NONE && !why_supports(c))
		return c->edge->caller ? WHY_OUTSIDE : WHY_MIX;
	if (c->edge && !c->line && (c->from == 0 || c->to == 0))
		return c->from == 0 ? WHY_NEWLY : WHY_NO_LONGER;
	return c->to > c->from ? WHY_MORE : WHY_LESS;
}

static void describe_call(const struct why *w, struct why_cause *c)
{
	struct call_price of[SIDES];

	if (c->kind == WHY_LAYOUT)
		return;
	if (is_price(w, c, of)) {
		c->kind = WHY_BELOW;
		c->from = of[BASE].price;
		c->to = of[HERE].price;
		return;
	}
	describe_rates(w, c);
	if (c->kind != WHY_MOVED)
		c->kind = kind_of_call(w, c);
	if (c->kind == WHY_OUTSIDE) {
		c->from = c->edge->calls[BASE];
		c->to = c->edge->calls[HERE];
	}
}

/* ---- means over unlike runs ---- */

/* All levels of a function: its runs, those that others ask for, and its own cost. */
struct levels {
	double runs[SIDES], entries[SIDES], self[SIDES];
};

static struct levels *find_levels(const struct causes *c)
{
	const struct why *w = c->w;
	struct levels *of = EXEC_ARRAY(c->x, struct levels, w->n);

	for (uint32_t f = 0; f < w->n; f++)
		for (unsigned s = 0; s < SIDES; s++) {
			of[w->name[f]].runs[s] += w->runs[s][f];
			of[w->name[f]].self[s] += w->self[s][f];
			for (uint32_t i = 0; i < w->outs[f]; i++) {
				const uint32_t to = w->name[w->out[f][i].to];

				of[to].entries[s] +=
					to == w->name[f] ? 0 : w->out[f][i].calls[s];
			}
		}
	return of;
}

/* Does other recursion, of this cost, explain more of the own cost than what a mean run spends?
 * A mean run that spends less is no cause if all of them do not. */
static bool is_recursion(const struct levels *of, double own, double cost)
{
	static const double little = 0.25;
	double runs[SIDES], self[SIDES];

	for (unsigned s = 0; s < SIDES; s++) {
		runs[s] = why_per_run(of->runs[s], fmax(1, of->entries[s]));
		self[s] = why_per_run(of->self[s], of->runs[s]);
	}
	if (own * cost < 0 && fabs(own) > little * fabs(cost) &&
	    (of->self[HERE] - of->self[BASE]) * own > 0)
		return false;
	return (runs[HERE] - runs[BASE]) * cost > 0 &&
	       fabs((runs[HERE] - runs[BASE]) * (self[HERE] + self[BASE])) >=
		       fabs((self[HERE] - self[BASE]) * (runs[HERE] + runs[BASE]));
}

/* The leaves of a deeper tree, and its inner levels, spend other costs: the mean of all runs
 * changes though no run does.  c[0..n-1]: the causes of one caller. */
static void join_recursion(const struct why *w, const struct levels *of,
			   struct why_cause *c, size_t n)
{
	struct why_cause *calls = NULL, *own = NULL;

	for (size_t i = 0; i < n; i++) {
		if (c[i].callee == WHY_NONE)
			own = &c[i];
		else if (w->name[c[i].callee] == w->name[c[i].fn] &&
			 (!calls || fabs(c[i].cost) > fabs(calls->cost)))
			calls = &c[i];
	}
	if (calls && own && calls->fn != w->root &&
	    is_recursion(&of[w->name[own->fn]], own->cost, calls->cost))
		join_cause(calls, own);
}

/* What a cause is a change of: the calls of a pair, or the own cost of a function.  Is it in
 * all what it was? */
static bool is_mean(const struct why *w, const struct levels *of,
		    const struct why_cause *c)
{
	static const double near = 0.02;
	double all[SIDES] = {0};

	for (unsigned s = 0; s < SIDES; s++) {
		if (c->callee == WHY_NONE)
			all[s] = of[w->name[c->fn]].self[s];
		for (uint32_t i = 0; c->callee != WHY_NONE && i < w->outs[c->fn]; i++) {
			const struct why_edge *e = &w->out[c->fn][i];

			if (e->to == c->callee)
				all[s] += why_is_library(w, e->to) ? e->cost[s]
								   : e->calls[s];
		}
	}
	return all[BASE] > 0 && fabs(all[HERE] - all[BASE]) <= near * all[BASE];
}

/* Twice as many calls of f, of which the new ones do nothing: a mean run of f does less, which
 * is no cause, but a part of what the calls cost. */
static void join_means(struct causes *c, const struct levels *of)
{
	const struct why *w = c->w;
	struct why_cause **calls = EXEC_ARRAY(c->x, struct why_cause *, w->n);

	for (size_t i = 0; i < c->n; i++) {
		struct why_cause *one = &c->at[i], **of_callee;

		if (one->callee == WHY_NONE || !one->edge || one->fn == w->root ||
		    one->only != WHY_BOTH || one->kind == WHY_LAYOUT ||
		    w->name[one->fn] == w->name[one->callee])
			continue;
		of_callee = &calls[w->name[one->callee]];
		if (!*of_callee || fabs(one->cost) > fabs((*of_callee)->cost))
			*of_callee = one;
	}
	for (size_t i = 0; i < c->n; i++) {
		struct why_cause *one = &c->at[i], *by;

		by = one->fn == w->root ? NULL : calls[w->name[one->fn]];
		if (by && by != one && one->cost * by->cost < 0 &&
		    fabs(one->cost) <= fabs(by->cost) && one->only == WHY_BOTH &&
		    one->kind != WHY_LAYOUT && one->other == WHY_NONE &&
		    (one->callee == WHY_NONE || one->edge) && is_mean(w, of, one))
			join_cause(by, one);
	}
	exec_poll_now(c->x);
}

/* Causes are in the order of their callers (join_terms()). */
static void find_means(struct causes *c)
{
	const uint32_t *name = c->w->name;
	const struct levels *of = find_levels(c);

	for (size_t i = 0, k; i < c->n; i = k) {
		for (k = i + 1; k < c->n && name[c->at[k].fn] == name[c->at[i].fn]; k++)
			;
		join_recursion(c->w, of, &c->at[i], k - i);
	}
	join_means(c, of);
}

/* ---- the heap ---- */

/* Memory is got or released as often as before, at another price. */
static bool is_heap(const struct why *w, struct why_cause *c, bool *releases)
{
	static const double near = 0.02;
	struct call_price of[SIDES];

	if (!is_price(w, c, of) || !why_allocates(w, c->callee, releases) ||
	    fabs(of[HERE].rate - of[BASE].rate) > near * of[BASE].rate)
		return false;
	c->from = of[BASE].price;
	c->to = of[HERE].price;
	return true;
}

/* Other sizes or another order of blocks change what many calls cost, of free() long after.
 * All of that is one cause, of the call that gets memory whose cost changed most. */
static void join_heap(struct causes *c)
{
	struct why_cause *best[2] = {NULL, NULL}; /* of what costs less, more */
	double largest[2][2] = {{0}};		  /* of what releases, allocates */
	struct why_cause sum = {0};

	for (size_t i = 0; i < c->n; i++) {
		struct why_cause *one = &c->at[i];
		const bool more = one->cost > 0;
		bool releases;

		if (!is_heap(c->w, one, &releases))
			continue;
		one->kind = WHY_LAYOUT;
		if (fabs(one->cost) <= largest[more][!releases] ||
		    (releases && largest[more][true] > 0))
			continue; /* what releases names the row only alone */
		best[more] = one;
		largest[more][!releases] = fabs(one->cost);
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].kind == WHY_LAYOUT)
			join_cause(&sum, &c->at[i]);
	if (sum.cost != 0)
		join_cause(best[sum.cost > 0], &sum);
}

/* ---- moved calls ---- */

/* Two causes with one callee: a caller that calls it less, and one that calls it more. */
static void join_moved(struct why_cause *less, struct why_cause *more)
{
	struct why_cause *keep = fabs(more->cost) >= fabs(less->cost) ? more : less,
			 *gone = keep == more ? less : more;

	if (!(less->cost < 0 && more->cost > 0) ||
	    fabs(less->cost + more->cost) >= 0.5 * fmax(more->cost, -less->cost))
		return;
	join_cause(keep, gone);
	keep->kind = WHY_MOVED;
	keep->other = gone->fn;
}

static void find_moved(struct causes *c)
{
	const struct why *w = c->w;
	struct call_price of[SIDES];
	struct why_cause **less = EXEC_ARRAY(c->x, struct why_cause *, w->n),
			 **more = EXEC_ARRAY(c->x, struct why_cause *, w->n);

	for (size_t i = 0; i < c->n; i++) {
		struct why_cause *one = &c->at[i];
		uint32_t f;

		if (one->callee == WHY_NONE || one->only != WHY_BOTH ||
		    is_price(w, one, of))
			continue;
		f = w->name[one->callee];
		if (!less[f] || one->cost < less[f]->cost)
			less[f] = one;
		if (!more[f] || one->cost > more[f]->cost)
			more[f] = one;
	}
	for (uint32_t f = 0; f < w->n; f++)
		if (less[f] && less[f] != more[f])
			join_moved(less[f], more[f]);
}

/* ---- one call in place of another ---- */

/* The calls of one caller that are new and make it dearer, and those made less that make it
 * cheaper; or, seen from the other side, those that are gone and those made more. */
struct swap {
	double in[2],
		out[2]; /* [is new, is gone]: costs of the calls, and of the others */
	struct why_cause *largest, *opposite;
};

static bool swaps_in(const struct why_cause *c, bool gone)
{
	return gone ? c->to == 0 && c->cost < 0 : c->from == 0 && c->cost > 0;
}

static bool swaps_out(const struct why_cause *c, bool gone)
{
	return gone ? c->to > c->from && c->cost > 0 : c->to < c->from && c->cost < 0;
}

/* Is the smaller of the two costs at least a fifth of the larger one? */
static bool is_swap(const struct swap *s, bool gone)
{
	static const double least = 0.2;
	const double a = fabs(s->in[gone]), b = fabs(s->out[gone]);

	return a > 0 && b > 0 && fmin(a, b) >= least * fmax(a, b);
}

/* c[0..n-1]: the calls of one caller.  The largest takes the cost of all that swap. */
static void join_swaps(struct why_cause **c, size_t n)
{
	struct swap s = {0};
	bool swap[2];

	for (size_t i = 0; i < n; i++)
		for (unsigned gone = 0; gone < 2; gone++) {
			s.in[gone] += swaps_in(c[i], gone) ? c[i]->cost : 0;
			s.out[gone] += swaps_out(c[i], gone) ? c[i]->cost : 0;
		}
	for (unsigned gone = 0; gone < 2; gone++)
		swap[gone] = is_swap(&s, gone);
	for (size_t i = 0; i < n; i++) {
		bool of = false;

		for (unsigned gone = 0; gone < 2; gone++)
			of |= swap[gone] &&
			      (swaps_in(c[i], gone) || swaps_out(c[i], gone));
		if (!of) {
			c[i] = NULL;
			continue;
		}
		if (!s.largest || fabs(c[i]->cost) > fabs(s.largest->cost))
			s.largest = c[i];
	}
	for (size_t i = 0; i < n && s.largest; i++)
		if (c[i] && c[i]->cost * s.largest->cost < 0 &&
		    (!s.opposite || fabs(c[i]->cost) > fabs(s.opposite->cost)))
			s.opposite = c[i];
	for (size_t i = 0; i < n && s.opposite; i++)
		if (c[i] && c[i] != s.largest)
			join_cause(s.largest, c[i]);
	if (s.opposite)
		s.largest->other = s.opposite->callee;
}

/* Causes are in the order of their callers (join_terms()). */
static void find_swaps(struct causes *c)
{
	struct why_cause **of = EXEC_ARRAY(c->x, struct why_cause *, c->n + 1);
	const uint32_t *name = c->w->name;

	for (size_t i = 0, k; i < c->n;) {
		const uint32_t fn = name[c->at[i].fn];

		for (k = 0; i < c->n && name[c->at[i].fn] == fn; i++) {
			struct why_cause *one = &c->at[i];

			if (one->callee == WHY_NONE || one->fn == c->w->root ||
			    fabs(one->cost) < 0.5 || one->kind == WHY_MOVED)
				continue;
			describe_call(c->w, one);
			if (one->kind != WHY_BELOW && one->kind != WHY_LAYOUT)
				of[k++] = one;
		}
		if (k > 1)
			join_swaps(of, k);
		exec_poll(c->x);
	}
}

/* ---- all of them ---- */

static int by_size(const void *pa, const void *pb)
{
	const struct why_cause *a = pa, *b = pb;
	int c = (int)b->sure - (int)a->sure;

	c = c ? c : order_double(fabs(b->cost), fabs(a->cost));

	c = c ? c : order_u64(a->fn, b->fn);
	return c ? c : order_u64(a->callee, b->callee);
}

/* Time differs from run to run, the number of calls does not: a change of calls that is not
 * tiny is a cause, other time for the same calls may be none. */
static void mark_sure(struct why_cause *c, size_t n)
{
	static const double tiny = 0.05;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += c[i].cost;
	for (size_t i = 0; i < n; i++)
		c[i].sure =
			c[i].callee != WHY_NONE && fabs(c[i].cost) >= tiny * fabs(sum);
}

/* Of several runs a side, some here cost no more than some of the base. */
static bool is_noise(const struct why *w, const struct why_cause *c)
{
	return w->several && c->callee == WHY_NONE && c->fn != w->root &&
	       w->fn[BASE][c->fn] != WHY_NONE && w->fn[HERE][c->fn] != WHY_NONE &&
	       vs_overlap(w->vs, w->fn[HERE][c->fn], w->fn[BASE][c->fn]);
}

/* What the heap costs follows from something: a cause of a quarter goes before it. */
static void heap_last(struct why_cause *c, size_t n)
{
	static const double least = 0.25;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += c[i].cost;
	for (size_t i = 1; i < n && c->kind == WHY_LAYOUT; i++)
		if (c[i].cost / sum >= least) {
			const struct why_cause first = c[i];

			memmove(c + 1, c, i * sizeof(*c));
			*c = first;
		}
}

void why_causes(struct why *w, struct why_cause **out, size_t *n)
{
	struct causes c = {.w = w, .x = w->run[HERE]};
	size_t k = 0;

	list_terms(&c);
	join_terms(&c);
	join_heap(&c);
	find_moved(&c);
	find_swaps(&c);
	find_means(&c);
	for (size_t i = 0; i < c.n; i++) {
		if (fabs(c.at[i].cost) < 0.5) {
			w->tiny++;
			continue;
		}
		if (is_noise(w, &c.at[i])) {
			w->noise += c.at[i].cost;
			w->noises++;
		} else {
			c.at[k++] = c.at[i];
		}
	}
	if (w->noisy)
		mark_sure(c.at, k);
	if (k)
		qsort(c.at, k, sizeof(*c.at), by_size);
	heap_last(c.at, k);
	*out = c.at;
	*n = k;
}

/* ---- what people want to know of a cause ---- */

/* The share of the calls of `to` that `from` makes. */
static double share_of_calls(const struct why *w, unsigned side, uint32_t from,
			     uint32_t to)
{
	double calls = 0;

	for (uint32_t i = 0; i < w->outs[from]; i++)
		if (w->out[from][i].to == to)
			calls += w->out[from][i].calls[side];
	return why_per_run(calls, w->runs[side][to]);
}

/* The caller that brings most of what is carried down to f; *share of it. */
static uint32_t main_caller(const struct why *w, uint32_t f, double *share)
{
	double all = 0, most = 0;
	uint32_t best = WHY_NONE;

	for (size_t i = w->in_first[f]; i < w->in_first[f + 1];) {
		const uint32_t from = w->in[i]->from;
		double flow = 0;

		for (; i < w->in_first[f + 1] && w->in[i]->from == from; i++)
			flow += w->in[i]->flow.cost;
		all += fabs(flow);
		if (fabs(flow) > most) {
			most = fabs(flow);
			best = from;
		}
	}
	*share = why_per_run(most, all);
	return best;
}

/* Go up while one caller carries nearly all of the change.  The cause is at the first
 * function that makes only some of the calls: f changed only below it. */
static uint32_t only_below(const struct why *w, uint32_t f)
{
	enum { STEPS = 12 };
	static const double most_flow = 0.85, most_calls = 0.75;

	for (unsigned step = 0; step < STEPS && f != w->root; step++) {
		double share;
		const uint32_t g = main_caller(w, f, &share);

		if (g == WHY_NONE || share < most_flow || g == f)
			return WHY_NONE;
		if (fmax(share_of_calls(w, BASE, g, f), share_of_calls(w, HERE, g, f)) <
		    most_calls)
			return g == w->root ? WHY_NONE : g;
		f = g;
	}
	return WHY_NONE;
}

/* A change of misses or mispredicted branches while the number of instructions stayed. */
static bool same_work(const struct why *w, uint32_t f)
{
	static const double near = 1e-3;
	double self[SIDES];

	for (unsigned s = 0; s < SIDES; s++) {
		const uint32_t ir = w->work[s];

		if (ir == WHY_NONE || ir == w->event[s] || w->fn[s][f] == WHY_NONE)
			return false;
		self[s] = (double)graph_self(w->g[s], w->fn[s][f], ir);
	}
	return fabs(self[HERE] - self[BASE]) <= near * fabs(self[BASE]);
}

/* A change that is not in one run of it is one of how often it runs, or of who calls it. */
static void describe_own(const struct why *w, struct why_cause *c)
{
	const uint32_t f = c->fn;

	c->from = why_per_run(w->self[BASE][f], w->runs[BASE][f]);
	c->to = why_per_run(w->self[HERE][f], w->runs[HERE][f]);
	c->kind = w->closed[f]	     ? WHY_BELOW
		  : same_work(w, f)  ? WHY_LAYOUT
		  : !why_supports(c) ? WHY_MIX
				     : WHY_OWN;
	if (c->kind == WHY_MIX) {
		c->from = w->runs[BASE][f];
		c->to = w->runs[HERE][f];
	}
}

void why_describe(struct why *w, struct why_cause *c)
{
	/* Where contexts are joined, a caller that nests says nothing of what is below it. */
	c->below = c->fn == w->root || w->caller[c->fn] || w->g[HERE]->merge.member
			   ? WHY_NONE
			   : only_below(w, c->fn);
	if (c->below != WHY_NONE && w->name[c->below] == w->name[c->fn])
		c->below = WHY_NONE;
	if (c->callee != WHY_NONE) {
		describe_call(w, c);
		return;
	}
	describe_own(w, c);
}
