/*
 * chain.c - sweeps over a flow; see chain.h.
 *
 *	rest[f]		cost that has arrived at f and was not passed on yet
 *	cost[f]		cost that f has passed on so far
 *
 * A sweep passes on the rest of each function of a cycle in turn.  Calls of f by itself
 * multiply this cost: they are summed as a geometric series.
 */
#include "engine/flow/chain.h"

#include <math.h>
#include <string.h>

#include "engine/names/fnset.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

enum { SWEEPS = 200, LEAST_SWEEPS = 12, MOST_SWEEPS = 20000, POLL = 1 << 14 };
#define ENOUGH 1e-11   /* of the cost that entered the cycle */
#define EDGES_MOST 1e7 /* edges visited in one cycle */
#define EDGES_MORE 4e6 /* the same, after SWEEPS */
#define EVEN \
	1e-8 /* a ratio is steady if its distance to 1 changes by less than EVEN times
		the distance squared */

static uint32_t component_end(const struct flow_input *in, uint32_t first)
{
	uint32_t cycle = in->cycle[in->topo[first]], end = first + 1;

	while (cycle && end < in->functions && in->cycle[in->topo[end]] == cycle)
		end++;
	return end;
}

static uint32_t sweeps_for(const struct flow_input *in, uint32_t first, uint32_t end)
{
	double edges = 1, n;

	for (uint32_t i = first; i < end; i++)
		edges += in->out_first[in->topo[i] + 1] - in->out_first[in->topo[i]];
	n = fmin(EDGES_MOST / edges, fmax(SWEEPS, EDGES_MORE / edges));
	return n > MOST_SWEEPS	  ? MOST_SWEEPS
	       : n < LEAST_SWEEPS ? LEAST_SWEEPS
				  : (uint32_t)n;
}

/* The progress of the sweeps over a cycle. */
struct settling {
	uint32_t sweeps, most;
	double moved; /* by the last sweep */
	double ratio; /* of `moved` to the one before; 0: the cycle has settled */
};

/* Is another sweep worth it, after one that moved so much?  No if the cycle has
 * settled, or if the rest shrinks evenly: then it can be extrapolated. */
static bool go_on(struct settling *s, double moved, double enough)
{
	double ratio = s->moved > 0 ? moved / s->moved : 0;
	double left = 1 - ratio;
	bool even = fabs(ratio - s->ratio) <= EVEN * left * left;

	s->moved = moved;
	s->ratio = moved > enough ? ratio : 0;
	return moved > enough && ++s->sweeps < s->most && !(even && s->sweeps >= SWEEPS);
}

/* The factor by which f's calls of itself multiply what passes it. */
static double turns(const struct flow *fl, uint32_t f)
{
	for (uint32_t i = fl->in.out_first[f]; i < fl->in.out_first[f + 1]; i++)
		if (fl->in.callee[i] == f) {
			double share = flow_share(fl, i, f);

			return share < 1 - 1e-12 ? 1 / (1 - share) : 1e12;
		}
	return 1;
}

/* Of functions in the order of calls; next: of that, the values of its callees. */
enum { NEXT = 8 };

static void fetch_ahead(const struct flow *fl, uint32_t far, uint32_t near, uint32_t next,
			const double *value)
{
	const struct flow_input *in = &fl->in;

	flow_fetch(in, in->topo, in->functions, far, near);
	if (near < in->functions)
		__builtin_prefetch(&fl->through[in->topo[near]]);
	if (next < in->functions) {
		const uint32_t f = in->topo[next];

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
			__builtin_prefetch(&value[in->callee[i]]);
	}
}

static bool any_cycle(const struct flow_input *in)
{
	for (uint32_t f = 0; f < in->functions; f++)
		if (in->cycle[f])
			return true;
	return false;
}

/* ---- forward ---- */

struct spreading {
	const struct flow *fl;
	const uint8_t *stop;
	double *cost, *rest, *last;
};

/* Send cost from f along its calls: inside the cycle to rest[], or out of it. */
static void send_calls(struct spreading *s, uint32_t f, double cost, bool inside)
{
	const struct flow_input *in = &s->fl->in;
	uint32_t cycle = in->cycle[f];
	double share;

	if (!(cost > 0) || !(s->fl->through[f] > 0))
		return;
	share = cost / s->fl->through[f];
	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
		uint32_t to = in->callee[i];

		if (to == f || !in->incl[i] ||
		    (cycle && in->cycle[to] == cycle) != inside)
			continue;
		*(inside ? &s->rest[to] : &s->cost[to]) += share * flow_cost(s->fl, i);
	}
}

/* Pass on the rest of f; returns it. */
static double pass_rest(struct spreading *s, uint32_t f)
{
	double cost = s->rest[f];

	s->rest[f] = 0;
	if (s->stop[f]) {
		s->last[f] = cost;
		s->cost[f] += cost;
		return 0;
	}
	cost *= turns(s->fl, f);
	s->last[f] = cost;
	s->cost[f] += cost;
	send_calls(s, f, cost, true);
	return cost;
}

/* Extrapolate: the rest goes on shrinking at the ratio of the last two sweeps. */
static void extrapolate(struct spreading *s, uint32_t first, uint32_t end, double ratio)
{
	double more = ratio < 1 ? ratio / (1 - ratio) : 0;

	for (uint32_t i = first; i < end; i++) {
		uint32_t f = s->fl->in.topo[i];

		s->cost[f] += more > 0 ? s->last[f] * more : s->stop[f] ? s->rest[f] : 0;
		s->rest[f] = 0;
	}
}

static void spread_cycle(struct spreading *s, uint32_t first, uint32_t end,
			 const struct cancel *cancel)
{
	const uint32_t *topo = s->fl->in.topo;
	struct settling settling = {.most = sweeps_for(&s->fl->in, first, end)};
	double entered = 0, moved;

	for (uint32_t i = first; i < end; i++) {
		entered += s->rest[topo[i]] = s->cost[topo[i]];
		s->cost[topo[i]] = 0;
	}
	if (!(entered > 0))
		return;
	do {
		moved = 0;
		need_time(cancel);
		for (uint32_t i = first; i < end; i++)
			moved += pass_rest(s, topo[i]);
	} while (go_on(&settling, moved, entered * ENOUGH));
	extrapolate(s, first, end, settling.ratio);
	for (uint32_t i = first; i < end; i++)
		if (!s->stop[topo[i]])
			send_calls(s, topo[i], s->cost[topo[i]], false);
}

void chain_spread(const struct flow *fl, const uint8_t *stop, double *cost,
		  struct arena *scratch, const struct cancel *cancel)
{
	const struct flow_input *in = &fl->in;
	size_t n = any_cycle(in) ? in->functions : 0; /* cycles need more arrays */
	struct spreading s = {
		.fl = fl,
		.stop = stop,
		.cost = cost,
		.rest = NEED_ARRAY(scratch, double, n + 1),
		.last = NEED_ARRAY(scratch, double, n + 1),
	};

	for (uint32_t first = 0, end; first < in->functions; first = end) {
		uint32_t f = in->topo[first];

		end = component_end(in, first);
		fetch_ahead(fl, first + FLOW_FAR, first + FLOW_NEAR, first + NEXT, cost);
		if (first % POLL == 0)
			need_time(cancel);
		if (in->cycle[f]) {
			spread_cycle(&s, first, end, cancel);
		} else if (!stop[f] && cost[f] > 0) {
			cost[f] *= turns(fl, f);
			send_calls(&s, f, cost[f], false);
		}
	}
}

/* ---- backward ---- */

double chain_ahead(const struct flow *fl, uint32_t f, const double *value)
{
	double sum = 0;

	for (uint32_t i = fl->in.out_first[f]; i < fl->in.out_first[f + 1]; i++)
		if (value[fl->in.callee[i]] != 0)
			sum += flow_share(fl, i, f) * value[fl->in.callee[i]];
	return sum;
}

/* The value of f from the values of its callees, except f itself. */
static double expect(const struct flow *fl, uint32_t f, const double *more, double *value)
{
	double sum;

	value[f] = 0;
	sum = chain_ahead(fl, f, value) + (more ? more[f] : 0);
	return sum > 0 || sum < 0 ? sum * turns(fl, f) : 0;
}

static void expect_cycle(const struct flow *fl, const uint8_t *known, const double *more,
			 double *value, uint32_t first, uint32_t end, double *step,
			 const struct cancel *cancel)
{
	const uint32_t *topo = fl->in.topo;
	struct settling settling = {.most = sweeps_for(&fl->in, first, end)};
	double moved, ratio;

	do {
		moved = 0;
		need_time(cancel);
		for (uint32_t i = end; i-- > first;) {
			uint32_t f = topo[i];
			double was = value[f];

			if (known[f])
				continue;
			value[f] = expect(fl, f, more, value);
			step[f] = value[f] - was;
			moved += fabs(step[f]);
		}
	} while (go_on(&settling, moved, ENOUGH));
	ratio = settling.ratio;
	for (uint32_t i = first; i < end && ratio > 0 && ratio < 1; i++)
		if (!known[topo[i]])
			value[topo[i]] += step[topo[i]] * ratio / (1 - ratio);
}

void chain_expect(const struct flow *fl, const uint8_t *known, const double *more,
		  double *value, struct arena *scratch, const struct cancel *cancel)
{
	const struct flow_input *in = &fl->in;
	size_t n = any_cycle(in) ? in->functions : 0;
	double *step = NEED_ARRAY(scratch, double, n + 1);

	for (uint32_t end = in->functions, first; end > 0; end = first) {
		uint32_t f = in->topo[end - 1];

		if (end % POLL == 0)
			need_time(cancel);
		first = flow_component(in, in->topo, end);
		fetch_ahead(fl, end - 1 - FLOW_FAR, end - 1 - FLOW_NEAR, end - 1 - NEXT,
			    value);
		if (in->cycle[f]) {
			expect_cycle(fl, known, more, value, first, end, step, cancel);
		} else if (!known[f]) {
			value[f] = expect(fl, f, more, value);
		}
	}
}

/* ---- sets ---- */

uint8_t *chain_marks(const struct flow *fl, const struct fn_set *set, struct arena *a)
{
	uint8_t *marks = NEED_ARRAY(a, uint8_t, (size_t)fl->in.functions + 1);

	for (uint32_t f = marks && set ? fnset_next(set, 0) : FNSET_NONE; f != FNSET_NONE;
	     f = fnset_next(set, f + 1))
		marks[f] = 1;
	return marks;
}

void chain_first(const struct flow *fl, const struct fn_set *set, double **first,
		 struct arena *a, const struct cancel *cancel)
{
	size_t n = (size_t)fl->in.functions + 1;
	uint8_t *stop = chain_marks(fl, set, a);
	double *cost = NEED_ARRAY(a, double, n);

	memcpy(cost, fl->root, (n - 1) * sizeof(*cost));
	*first = cost;
	chain_spread(fl, stop, cost, a, cancel);
}

void chain_passed(const struct flow *fl, const struct fn_set *set, double **passed,
		  struct arena *a, const struct cancel *cancel)
{
	const struct flow_input *in = &fl->in;
	uint8_t *stop = chain_marks(fl, set, a);
	double *cost = NEED_ARRAY(a, double, (size_t)in->functions + 1);

	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE; f = fnset_next(set, f + 1))
		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
			cost[in->callee[i]] += flow_cost(fl, i);
	chain_spread(fl, stop, cost, a, cancel);
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE; f = fnset_next(set, f + 1))
		cost[f] = fl->through[f];
	*passed = cost;
}

/* A set as it grows: marks[], and what met[] has. */
struct reaching {
	const struct flow_input *in;
	const uint8_t *marks, *within;
	uint8_t *met;
	uint32_t *todo, left; /* of a cycle */
};

static bool is_reached(const struct reaching *r, uint32_t f)
{
	return (r->met[f] || r->marks[f]) && (!r->within || r->within[f]);
}

/* Meet f by call i, or not.  True: it is met for the first time. */
static bool meet(struct reaching *r, uint32_t i, uint32_t f)
{
	if (!r->in->incl[i] || r->met[f] || (r->within && !r->within[f]))
		return false;
	r->met[f] = 1;
	return true;
}

/* From f on, inside its cycle. */
static void go_round(struct reaching *r, uint32_t f, bool down)
{
	const struct flow_input *in = r->in;
	const uint32_t *first = down ? in->in_first : in->out_first;

	if (!is_reached(r, f))
		return;
	r->todo[r->left++] = f;
	while (r->left) {
		f = r->todo[--r->left];
		for (uint32_t k = first[f]; k < first[f + 1]; k++) {
			const uint32_t i = down ? in->in_edge[k] : k;
			const uint32_t to = down ? in->caller[i] : in->callee[i];

			if (in->cycle[to] == in->cycle[f] && meet(r, i, to))
				r->todo[r->left++] = to;
		}
	}
}

/* Functions in the order of calls: from the end, callees are known. */
static void reach_up(struct reaching *r)
{
	const struct flow_input *in = r->in;

	for (uint32_t end = in->functions, first; end > 0; end = first) {
		first = flow_component(in, in->topo, end);
		flow_fetch(in, in->topo, in->functions, end - 1 - FLOW_FAR,
			   end - 1 - FLOW_NEAR);
		for (uint32_t at = first; at < end; at++) {
			const uint32_t f = in->topo[at];

			for (uint32_t i = in->out_first[f];
			     i < in->out_first[f + 1] && !r->met[f]; i++)
				if (is_reached(r, in->callee[i]))
					meet(r, i, f);
		}
		for (uint32_t at = first; at < end && in->cycle[in->topo[first]]; at++)
			go_round(r, in->topo[at], true);
	}
}

static void reach_down(struct reaching *r)
{
	const struct flow_input *in = r->in;

	for (uint32_t first = 0, end; first < in->functions; first = end) {
		end = component_end(in, first);
		flow_fetch(in, in->topo, in->functions, first + FLOW_FAR,
			   first + FLOW_NEAR);
		for (uint32_t at = first; at < end && in->cycle[in->topo[first]]; at++)
			go_round(r, in->topo[at], false);
		for (uint32_t at = first; at < end; at++) {
			const uint32_t f = in->topo[at];

			for (uint32_t i = in->out_first[f];
			     i < in->out_first[f + 1] && is_reached(r, f); i++)
				meet(r, i, in->callee[i]);
		}
	}
}

void chain_reaches(const struct flow *fl, const uint8_t *marks, const uint8_t *within,
		   bool down, uint8_t **out, struct arena *a)
{
	const size_t n = any_cycle(&fl->in) ? fl->in.functions : 0;
	struct reaching r = {.in = &fl->in,
			     .marks = marks,
			     .within = within,
			     .met = NEED_ARRAY(a, uint8_t, (size_t)fl->in.functions + 1),
			     .todo = NEED_ARRAY(a, uint32_t, n + 1)};

	if (down)
		reach_up(&r);
	else
		reach_down(&r);
	*out = r.met;
}

void chain_with(const struct flow *fl, const struct fn_set *set, const uint8_t *within,
		bool down, uint8_t **out, struct arena *a)
{
	const uint8_t *marks = chain_marks(fl, set, a);

	chain_reaches(fl, marks, within, down, out, a);
	for (uint32_t f = 0; f < fl->in.functions; f++)
		(*out)[f] |= marks[f] && (!within || within[f]);
}
