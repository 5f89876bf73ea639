/*
 * path.c - bounds of chains of calls; see path.h.
 */
#include "engine/path.h"

#include "index/inclusive.h"

uint64_t path_rounded(double est)
{
	return est >= 18446744073709551615.0 ? UINT64_MAX
	       : est > 0		     ? (uint64_t)(est + 0.5)
					     : 0;
}

bool path_under_min(double est, double min)
{
	return est * (1 + 1e-12) < min;
}

struct path_bounds path_bounds_exact(uint64_t cost)
{
	return (struct path_bounds){(double)cost, cost, cost, true, true};
}

struct path_bounds path_bounds_of(double est, uint64_t lo, uint64_t hi, bool bounded)
{
	struct path_bounds b = {est, lo, hi, bounded, bounded && lo == hi};

	if (bounded && b.est < (double)lo)
		b.est = (double)lo;
	if (bounded && b.est > (double)hi)
		b.est = (double)hi;
	return b;
}

struct path_bounds path_bounds_next(struct path_bounds b, uint64_t w, double share,
				    uint64_t passing, bool odd)
{
	uint64_t lo = 0;

	if (!b.bounded || odd)
		return path_bounds_of(b.est * share, 0, w, false);
	/* The chain and the call are parts of what passes: what does not fit side by side
	 * must overlap. */
	if (w <= passing && b.lo > passing - w)
		lo = b.lo - (passing - w);
	return path_bounds_of(b.est * share, lo, w < b.hi ? w : b.hi, true);
}

double path_outermost(const struct flow *fl, uint32_t f, bool nests,
		      struct arena *scratch)
{
	const struct flow_input *in = &fl->in;
	struct call_costs costs = {
		.functions = in->functions,
		.out_first = in->out_first,
		.callee = in->callee,
		.self = in->self,
		.edge = in->incl,
		.self_step = 1,
		.edge_step = 1,
		.circle = in->cycle,
	};
	struct returning r;
	double incl = fl->through[f];

	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		if (in->callee[i] == f)
			incl -= flow_cost(fl, i);
	if (!nests || !in->cycle[f])
		return incl;
	if (returning_init(&r, &costs, scratch))
		return -1;
	incl -= returning_cost(&r, &f, 1, NULL, returning_edges(1));
	return incl > 0 ? incl : 0;
}
