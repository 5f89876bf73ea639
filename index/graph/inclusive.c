/*
 * inclusive.c - how much of a function's cost returns to it; see inclusive.h.
 *
 * The cost that leaves a group of functions is pushed along the calls, in a queue, until
 * almost none is left on its way:
 *
 *	mass[v]		waiting at v; a push splits it over v's calls of other functions
 *
 * A call of v by itself leaves the mass at v, so the split ignores it.  When enough edges
 * have been visited, the mass still waiting is split in the ratio of the mass that
 * returned to the mass that ended elsewhere.
 */
#include "index/graph/inclusive.h"

#include <string.h>

#include "index/base/arena.h"
#include "index/base/cost.h"

/* After the level the name ends, or a caller's name follows.  A '2' before a character
 * that cannot begin a name is a constant in quotes, as in "f<'2'>". */
static bool level_ends(struct str name, size_t end)
{
	if (end == name.n)
		return true;
	if (name.p[end] != '\'')
		return false;
	return end + 1 == name.n || !memchr(">,)]} ", name.p[end + 1], 6);
}

uint64_t name_level(struct str name)
{
	uint64_t level = 1;

	for (size_t i = 1; i + 1 < name.n; i++) {
		size_t end = i + 1;

		if (name.p[i] != '\'')
			continue;
		while (end < name.n && name.p[end] >= '0' && name.p[end] <= '9')
			end++;
		if (end > i + 1 && level_ends(name, end)) {
			const struct str digits = {name.p + i + 1, end - i - 1};

			return str_u64(digits, &level) && level > 1 ? level : 1;
		}
	}
	return 1;
}

void incl_know(struct incl_known *from, bool from_nests, struct incl_known *to,
	       bool to_nests, bool inside, int64_t cost)
{
	cost = cost_flow(cost);
	cost_add(&from->spent, cost);
	cost_add(&to->called, cost);
	if (!inside) {
		cost_add(&from->leaving, cost);
		cost_add(&to->entering, cost);
	}
	if (!from_nests && cost > to->once)
		to->once = cost;
	if (!to_nests && cost > from->once)
		from->once = cost;
}

void incl_bounds(const struct incl_known *k, int64_t *lo, int64_t *hi)
{
	const int64_t root = cost_flow(cost_difference(k->spent, k->called));
	int64_t least = cost_sum(k->entering, root), most = k->spent;

	if (least < k->leaving)
		least = k->leaving;
	if (least < k->once)
		least = k->once;
	if (most > k->cycle)
		most = k->cycle;
	*lo = least < most ? least : most;
	*hi = most;
}

int returning_init(struct returning *r, const struct call_costs *of, struct arena *a)
{
	size_t n = (size_t)of->functions + 1;

	*r = (struct returning){
		.of = *of,
		.away = ARENA_ARRAY(a, double, n),
		.mass = ARENA_ARRAY(a, double, n),
		.queue = ARENA_ARRAY(a, uint32_t, n),
		.queued = ARENA_ARRAY(a, uint8_t, n),
		.home = ARENA_ARRAY(a, uint8_t, n),
	};
	return r->away && r->mass && r->queue && r->queued && r->home ? 0 : -1;
}

static double edge_cost(const struct returning *r, uint32_t i)
{
	return (double)cost_flow(r->of.edge[i * r->of.edge_step]);
}

static double away(struct returning *r, uint32_t f)
{
	if (r->away[f] > 0)
		return r->away[f];
	r->away[f] = (double)cost_flow(r->of.self[f * r->of.self_step]);
	for (uint32_t i = r->of.out_first[f]; i < r->of.out_first[f + 1]; i++)
		if (r->of.callee[i] != f)
			r->away[f] += edge_cost(r, i);
	return r->away[f];
}

struct pushing {
	struct returning *r;
	const uint8_t *again;
	uint32_t circle;
	size_t head, n;		  /* a ring: functions of the circle with mass */
	double returned, waiting; /* cost that has returned; sum of all mass */
};

static void inclusive_arrive(struct pushing *p, uint32_t f, double cost)
{
	struct returning *r = p->r;
	size_t at;

	if (r->home[f]) {
		p->returned += p->again && p->again[f] ? 0 : cost;
		return;
	}
	if (r->of.circle[f] != p->circle)
		return;
	r->mass[f] += cost;
	p->waiting += cost;
	if (r->queued[f])
		return;
	r->queued[f] = 1;
	at = p->head + p->n++;
	r->queue[at < r->of.functions ? at : at - r->of.functions] = f;
}

static uint32_t leave_queue(struct pushing *p)
{
	struct returning *r = p->r;
	uint32_t f = r->queue[p->head];

	p->head = p->head + 1 < r->of.functions ? p->head + 1 : 0;
	p->n--;
	r->queued[f] = 0;
	return f;
}

static uint32_t push(struct pushing *p, uint32_t f)
{
	struct returning *r = p->r;
	double mass = r->mass[f], share = away(r, f) > 0 ? mass / r->away[f] : 0;
	uint32_t first = r->of.out_first[f], end = r->of.out_first[f + 1];

	r->mass[f] = 0;
	p->waiting -= mass;
	for (uint32_t i = first; i < end; i++)
		if (r->of.callee[i] != f)
			inclusive_arrive(p, r->of.callee[i], share * edge_cost(r, i));
	return end - first + 1;
}

/* Start with all cost that leaves the group; returns its sum. */
static double set_out(struct pushing *p, const uint32_t *member, size_t n)
{
	struct returning *r = p->r;
	double sum = 0;

	for (size_t k = 0; k < n; k++)
		for (uint32_t i = r->of.out_first[member[k]];
		     i < r->of.out_first[member[k] + 1]; i++) {
			uint32_t to = r->of.callee[i];

			if (r->home[to])
				continue;
			sum += edge_cost(r, i);
			inclusive_arrive(p, to, edge_cost(r, i));
		}
	return sum;
}

double returning_cost(struct returning *r, const uint32_t *member, size_t n,
		      const uint8_t *again, uint32_t edges)
{
	struct pushing p = {.r = r, .again = again};
	double out, least, ended;
	uint64_t looked = 0;

	if (!n || !(p.circle = r->of.circle[member[0]]))
		return 0;
	for (size_t k = 0; k < n; k++)
		r->home[member[k]] = 1;
	out = set_out(&p, member, n);
	least = out * 1e-5;
	while (p.n && looked < edges && p.waiting > least)
		looked += push(&p, leave_queue(&p));
	while (p.n)
		r->mass[leave_queue(&p)] = 0;
	for (size_t k = 0; k < n; k++)
		r->home[member[k]] = 0;
	/* If every return is nested, no cost is known to end elsewhere. */
	ended = out - p.returned - (p.waiting > 0 ? p.waiting : 0);
	if (p.waiting > 0 && p.returned > 0 && p.returned + ended > 0)
		p.returned += p.waiting * p.returned / (p.returned + ended);
	return p.returned;
}
