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

/* The functions in topological order lie anywhere in the arrays.  A pass asks for what it
 * will read of the functions a few steps ahead: first where their calls are, then the
 * calls. */
enum { FAR = 24, NEAR = 12 };

static void fetch_ahead(const struct flow *fl, uint32_t far, uint32_t near)
{
	const struct flow_input *in = &fl->in;

	if (far < in->functions)
		__builtin_prefetch(&in->out_first[in->topo[far]]);
	if (near < in->functions) {
		uint32_t i = in->out_first[in->topo[near]];

		__builtin_prefetch(&in->callee[i]);
		__builtin_prefetch(&in->incl[i]);
		__builtin_prefetch(&fl->through[in->topo[near]]);
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
		fetch_ahead(fl, first + FAR, first + NEAR);
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
		sum += flow_share(fl, i, f) * value[fl->in.callee[i]];
	return sum;
}

/* The value of f from the values of its callees, except f itself. */
static double expect(const struct flow *fl, uint32_t f, const double *more, double *value)
{
	double sum, turn = turns(fl, f);

	value[f] = 0;
	sum = chain_ahead(fl, f, value) + (more ? more[f] : 0);
	return sum * turn;
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

/* Mark the functions whose value can differ from 0: those that have one, and all that
 * lead to them. */
static uint8_t *lead_to_some(const struct flow_input *in, const double *more,
			     const double *value, struct arena *a)
{
	uint8_t *some = NEED_ARRAY(a, uint8_t, (size_t)in->functions + 1);
	uint32_t *todo = NEED_ARRAY(a, uint32_t, (size_t)in->functions + 1), left = 0;

	for (uint32_t f = 0; f < in->functions; f++)
		if (value[f] != 0 || (more && more[f] != 0)) {
			some[f] = 1;
			todo[left++] = f;
		}
	while (left) {
		uint32_t f = todo[--left];

		for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++) {
			uint32_t from = in->caller[in->in_edge[k]];

			if (some[from])
				continue;
			some[from] = 1;
			todo[left++] = from;
		}
	}
	return some;
}

void chain_expect(const struct flow *fl, const uint8_t *known, const double *more,
		  double *value, struct arena *scratch, const struct cancel *cancel)
{
	const struct flow_input *in = &fl->in;
	size_t n = any_cycle(in) ? in->functions : 0;
	double *step = NEED_ARRAY(scratch, double, n + 1);
	uint8_t *some = lead_to_some(in, more, value, scratch);

	need_time(cancel);
	for (uint32_t end = in->functions, first; end > 0; end = first) {
		uint32_t f = in->topo[end - 1];

		if (end % POLL == 0)
			need_time(cancel);
		first = flow_component(in, in->topo, end);
		if (!some[f])
			continue;
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

void chain_reaches(const struct flow *fl, const uint8_t *marks, const uint8_t *within,
		   bool down, uint8_t **out, struct arena *a)
{
	const struct flow_input *in = &fl->in;
	size_t n = (size_t)in->functions + 1;
	uint8_t *met = NEED_ARRAY(a, uint8_t, n);
	uint32_t *todo = NEED_ARRAY(a, uint32_t, 2 * n), left = 0;
	const uint32_t *first = down ? in->in_first : in->out_first;

	for (uint32_t f = 0; f < in->functions; f++)
		if (marks[f] && (!within || within[f]))
			todo[left++] = f;
	while (left) {
		uint32_t f = todo[--left];

		for (uint32_t k = first[f]; k < first[f + 1]; k++) {
			uint32_t i = down ? in->in_edge[k] : k;
			uint32_t to = down ? in->caller[i] : in->callee[i];

			if (met[to] || (within && !within[to]) || !in->incl[i])
				continue;
			met[to] = 1;
			todo[left++] = to;
			__builtin_prefetch(&first[to]);
		}
	}
	*out = met;
}

void chain_with(const struct flow *fl, const struct fn_set *set, const uint8_t *within,
		bool down, uint8_t **out, struct arena *a)
{
	const uint8_t *marks = chain_marks(fl, set, a);

	chain_reaches(fl, marks, within, down, out, a);
	for (uint32_t f = 0; f < fl->in.functions; f++)
		(*out)[f] |= marks[f] && (!within || within[f]);
}
