/*
 * path.c - bounds of chains of calls; see path.h.
 *
 *	|----------- passes f: 100 ------------|
 *	|--- came by this way: 70 ---|
 *	               |- goes on by a call: 60 -|	at least 30 came this way
 *	               |---- 30 ---->|			and goes on by the call
 *
 * Costs are whole numbers, of 64 bits, and bounds are computed in them.  Estimates are
 * doubles; where they meet bounds they are cut to them, so that a row never contradicts
 * what is proven of it.
 */
#include "engine/path/path.h"

#include <math.h>

#include "engine/flow/flow.h"
#include "engine/names/fnset.h"
#include "index/base/cost.h"
#include "index/graph/inclusive.h"
#include "index/base/need.h"

#define SAME 1e-6 /* of a cost: a difference that nobody sees */

int64_t path_rounded(double est)
{
	return est > 0 ? cost_round(est) : 0;
}

/* The estimate as a whole number that is within the bounds, as rounding may leave them. */
int64_t path_units(const struct path_bounds *b)
{
	int64_t u = path_rounded(b->est);

	if (!b->bounded)
		return u;
	return u < b->lo ? b->lo : u > b->hi ? b->hi : u;
}

int64_t path_root(const struct flow *fl, uint32_t f)
{
	const struct flow_input *in = &fl->in;
	int64_t called = 0;

	/* A double is exact up to 2^53. */
	if (fl->keep || fl->odd[f] || fl->passing[f] < (int64_t)1 << 53)
		return path_rounded(fl->root[f]);
	for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++)
		cost_add(&called, in->incl[in->in_edge[k]]);
	return cost_difference(fl->passing[f], called);
}

struct path_bounds path_root_bounds(const struct flow *fl, uint32_t f)
{
	const bool called = fl->in.in_first[f + 1] > fl->in.in_first[f];
	const int64_t root = called ? path_root(fl, f) : fl->passing[f];

	/* If calls are scaled, so is what they do not bring; but callgrind's records of one
	 * call may be off by a unit or two, which nobody sees. */
	return path_bounds_of(
		(double)root, root, root,
		!fl->odd[f] &&
			(!fl->keep || (!called && fabs((double)root - fl->through[f]) <=
							  (double)root * SAME)));
}

/* A product of shares is off by rounding: a cost of exactly the least is not under it. */
bool path_under_min(double est, double min)
{
	return est * (1 + 1e-12) < min;
}

struct path_bounds path_bounds_exact(int64_t cost)
{
	return (struct path_bounds){(double)cost, cost, cost, true, true};
}

struct path_bounds path_bounds_of(double est, int64_t lo, int64_t hi, bool bounded)
{
	struct path_bounds b = {est, lo, hi, bounded, bounded && lo == hi};

	/* Rounded costs can contradict each other by a few units. */
	if (lo > hi) {
		b.lo = hi;
		b.hi = lo;
	}

	if (bounded && b.est < (double)b.lo)
		b.est = (double)b.lo;
	if (bounded && b.est > (double)b.hi)
		b.est = (double)b.hi;
	return b;
}

/* Only an upper bound is known.  Rounding may put the estimate above it by a unit: then that
 * is the bound. */
struct path_bounds path_bounds_most(double est, int64_t most)
{
	const int64_t shown = path_rounded(est);

	return (struct path_bounds){est, 0, shown > most ? shown : most,
				    most != INT64_MAX, false};
}

struct path_bounds path_bounds_between(double est, int64_t least, int64_t most)
{
	struct path_bounds b = path_bounds_most(est, most);

	b.lo = least < path_rounded(est) ? least : path_rounded(est);
	b.measured = least > 0 && b.bounded && b.lo == b.hi;
	return b;
}

int64_t path_overlap(int64_t lo, int64_t part, int64_t passing)
{
	const int64_t others = cost_difference(passing, part);

	return others >= 0 && lo > others ? cost_difference(lo, others) : 0;
}

struct path_bounds path_bounds_next(struct path_bounds b, int64_t w, double share,
				    int64_t passing, bool odd)
{
	if (!b.bounded || odd)
		return path_bounds_of(b.est * share, 0, w, false);
	return path_bounds_of(b.est * share, path_overlap(b.lo, w, passing),
			      w < b.hi ? w : b.hi, true);
}

static bool nests(const struct flow_input *in, uint32_t f)
{
	return in->nests ? in->nests[f] : in->cycle[f] != 0;
}

/* All that incl_bounds() needs of f, but for the cost of its cycle, which takes a look at
 * each function. */
static struct incl_known know_in_flow(const struct flow_input *in, uint32_t f)
{
	struct incl_known k = {.spent = in->self[f], .leaving = in->self[f]}, other = {0};
	const uint32_t cycle = in->cycle[f];

	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
		const uint32_t to = in->callee[i];

		if (to != f)
			incl_know(&k, nests(in, f), &other, nests(in, to),
				  cycle && in->cycle[to] == cycle, in->incl[i]);
	}
	for (uint32_t j = in->in_first[f]; j < in->in_first[f + 1]; j++) {
		const uint32_t i = in->in_edge[j], from = in->caller[i];

		if (from != f)
			incl_know(&other, nests(in, from), &k, nests(in, f),
				  cycle && in->cycle[from] == cycle, in->incl[i]);
	}
	return k;
}

/* The inclusive cost of a cycle. */
static int64_t cycle_cost(const struct flow_input *in, uint32_t cycle)
{
	int64_t sum = 0;

	for (uint32_t m = 0; m < in->functions; m++) {
		if (in->cycle[m] != cycle)
			continue;
		cost_add(&sum, in->self[m]);
		for (uint32_t i = in->out_first[m]; i < in->out_first[m + 1]; i++)
			if (in->cycle[in->callee[i]] != cycle)
				cost_add(&sum, in->incl[i]);
	}
	return sum;
}

/* Every entry from another function is outermost; calls of f by itself are left out. */
static double entered_by_others(const struct flow *fl, uint32_t f)
{
	const struct flow_input *in = &fl->in;
	double incl = fl->through[f];

	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		if (in->callee[i] == f)
			incl -= flow_cost(fl, i);
	return incl > 0 ? incl : 0;
}

void path_outermost(const struct flow *fl, const struct fn_set *set, double *incl,
		    struct arena *scratch)
{
	const struct flow_input *in = &fl->in;
	struct call_costs costs = flow_call_costs(in, in->cycle);
	struct returning r = {0};
	uint32_t most = fnset_count(set), cycle = 0;
	int64_t cycle_incl = 0;

	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE;
	     f = fnset_next(set, f + 1)) {
		struct incl_known k;
		int64_t lo, hi;

		incl[f] = entered_by_others(fl, f);
		if (!nests(in, f) || !in->cycle[f])
			continue;
		if (!r.mass && returning_init(&r, &costs, scratch))
			need_memory(scratch);
		/* Cost that returns to f through its cycle belongs to the entry before. */
		incl[f] -= returning_cost(&r, &f, 1, NULL, returning_edges(most));
		incl[f] = incl[f] > 0 ? incl[f] : 0;
		/* The cost that returns is an estimate, but the bounds are recorded.  So the
		 * result stays within them, unless the flow kept only a share of the calls:
		 * then it does not add up to them. */
		if (fl->keep)
			continue;
		if (in->cycle[f] != cycle)
			cycle_incl = cycle_cost(in, cycle = in->cycle[f]);
		k = know_in_flow(in, f);
		k.cycle = cycle_incl;
		incl_bounds(&k, &lo, &hi);
		incl[f] = fmax((double)lo, fmin((double)hi, incl[f]));
	}
}

struct path_bounds path_from(const struct flow *fl, uint32_t f, double incl)
{
	struct incl_known k = know_in_flow(&fl->in, f);
	int64_t lo = k.spent, hi = lo;

	k.cycle = INT64_MAX;
	if (nests(&fl->in, f) && fl->in.cycle[f])
		incl_bounds(&k, &lo, &hi);
	return path_bounds_of(incl, lo, hi, !fl->odd[f]);
}
