/*
 * path_cost_test.c - the cost of one set under another, against the same question as linear
 * equations: what passes each function in each state, solved by Gauss.
 */
#include <math.h>

#include "engine/flow/chain.h"
#include "engine/names/fnset.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "tests/support/flows.h"
#include "tests/support/tap.h"

enum { NOT_UNDER, UNDER, PAST_VIA, STATES, ARRIVED };

static bool in(const struct fn_set *s, uint32_t f)
{
	return s && fnset_has(s, f);
}

/* The state of a stack that was in `s`, with f on top of it. */
static unsigned with(const struct path_cost_query *q, unsigned s, uint32_t f)
{
	bool below = s != NOT_UNDER;

	if (in(q->avoiding, f))
		return NOT_UNDER;
	if (!below && in(q->under, f))
		s = UNDER;
	if (s == UNDER && (!q->via || in(q->via, f)))
		s = PAST_VIA;
	return below && s == PAST_VIA && in(q->of, f) ? ARRIVED : s;
}

static double solved(const struct flow *fl, const struct path_cost_query *q,
		     struct arena *a)
{
	uint32_t n = fl->in.functions * STATES;
	double *m = ARENA_ARRAY(a, double, (size_t)n *n), *x = ARENA_ARRAY(a, double, n);
	unsigned enter = q->under ? NOT_UNDER : UNDER;
	double arrived = 0;

	for (uint32_t f = 0; f < fl->in.functions; f++) {
		unsigned s = with(q, enter, f);

		for (unsigned k = 0; k < STATES; k++)
			m[(f * STATES + k) * (size_t)n + f * STATES + k] = 1;
		*(s == ARRIVED ? &arrived : &x[f * STATES + s]) += fl->root[f];
	}
	for (uint32_t i = 0; i < fl->in.edges; i++)
		for (unsigned k = 0; k < STATES; k++) {
			uint32_t f = fl->in.caller[i], to = fl->in.callee[i];
			unsigned s = with(q, k, to);

			if (s != ARRIVED)
				m[(to * STATES + s) * (size_t)n + f * STATES + k] -=
					flow_share(fl, i, f);
		}
	flows_solve(n, m, x);
	for (uint32_t i = 0; i < fl->in.edges; i++)
		for (unsigned k = 0; k < STATES; k++) {
			uint32_t f = fl->in.caller[i];

			if (with(q, k, fl->in.callee[i]) == ARRIVED)
				arrived += x[f * STATES + k] * flow_share(fl, i, f);
		}
	return arrived;
}

static struct path_cost_query any_query(const struct flow *fl, struct arena *a)
{
	uint32_t n = fl->in.functions;

	return (struct path_cost_query){
		.of = flows_set(a, n, 3),
		.under = flows_below(4) ? flows_set(a, n, 3) : NULL,
		.via = flows_below(3) ? NULL : flows_set(a, n, 2),
		.avoiding = flows_below(3) ? NULL : flows_set(a, n, 2),
	};
}

static void test_solved(struct arena *a)
{
	uint32_t off = 0, out = 0, some = 0, exact = 0;
	double worst = 0;

	for (uint32_t round = 0; round < 20000; round++) {
		struct graph g = flows_random(a, 10);
		const struct flow *fl = flows_build(a, &g);
		struct path_cost_query q = any_query(fl, a);
		struct path_bounds b = flows_cost(fl, q, a);
		double want = solved(fl, &q, a);

		off += !flows_close(b.est, want, 1e-6);
		worst = fmax(worst, fabs(b.est - want) / (want + b.est + 1));
		out += b.bounded &&
		       (want < (double)b.lo - 1e-6 || want > (double)b.hi + 1e-6);
		some += want > 0 && !b.measured;
		exact += want > 0 && b.measured;
		arena_reset(a);
	}
	is_u64(off, 0, "costs as by Gauss (at worst %.0e off)", worst);
	is_u64(out, 0, "and between their bounds");
	ok(some > 2000 && exact > 1000, "%u are estimates, %u are measured", some, exact);
}

/* Of all that leads to f, the functions without which it is not reached. */
static bool dominates(const struct flow *fl, uint32_t by, uint32_t f, struct arena *a)
{
	uint8_t *root = ARENA_ARRAY(a, uint8_t, fl->in.functions);
	uint32_t *todo = ARENA_ARRAY(a, uint32_t, fl->in.functions + 1), n = 0;

	for (uint32_t r = 0; r < fl->in.functions; r++)
		if (fl->root[r] > 0 && r != by) {
			root[r] = 1;
			todo[n++] = r;
		}
	while (n) {
		uint32_t g = todo[--n];

		for (uint32_t i = fl->in.out_first[g]; i < fl->in.out_first[g + 1]; i++) {
			uint32_t to = fl->in.callee[i];

			if (!fl->in.incl[i] || to == by || root[to])
				continue;
			root[to] = 1;
			todo[n++] = to;
		}
	}
	return !root[f];
}

/* Where the answer can be read off the graph it is exact. */
static void test_exact(struct arena *a)
{
	uint32_t wrong = 0, none = 0, all = 0;

	for (uint32_t round = 0; round < 5000; round++) {
		struct graph g = flows_random(a, 8);
		const struct flow *fl = flows_build(a, &g);
		uint32_t n = fl->in.functions, x = flows_below(n), y = flows_below(n);
		struct path_cost_query q = {.of = flows_one(a, n, x),
					    .under = flows_one(a, n, y)};
		uint8_t *from, *marks = chain_marks(fl, q.under, a);
		struct path_bounds b = flows_cost(fl, q, a);

		if (x == y)
			continue;
		chain_reaches(fl, marks, NULL, false, &from, a);
		if (!from[x] || !(fl->through[y] > 0)) {
			none++;
			wrong += !b.measured || b.hi;
		} else if (!fl->in.cycle[x] && dominates(fl, y, x, a)) {
			all++;
			wrong += !b.measured ||
				 !flows_close(b.est, flows_incl(fl, x, a).est, 1e-12);
		}
		arena_reset(a);
	}
	is_u64(wrong, 0,
	       "what never reaches it has 0, who all comes through has all of it");
	ok(none > 500 && all > 100, "%u and %u of these", none, all);
}

/* Who turns round 2,000 times: 0 -10-> 1 -9995-> 2 -9990-> 1, 1 -4-> 3, 2 -4-> 4. */
static void test_slow(struct arena *a)
{
	static const int64_t self[] = {0, 1, 1, 4, 4};
	static const struct given e[] = {{0, 1, 1, 10},
					 {1, 2, 1, 9995},
					 {1, 3, 1, 4},
					 {2, 1, 1, 9990},
					 {2, 4, 1, 4}};
	struct graph g = flows_given(a, self, 5, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct path_cost_query q = {.of = flows_one(a, 5, 3),
				    .under = flows_one(a, 5, 2)};
	double want = solved(fl, &q, a);
	struct path_bounds b = flows_cost(fl, q, a);

	ok(flows_close(b.est, want, 1e-6), "a cycle that settles slowly: %g (%g)", b.est,
	   want);
	q = (struct path_cost_query){.of = flows_one(a, 5, 2), .via = flows_one(a, 5, 1)};
	want = solved(fl, &q, a);
	b = flows_cost(fl, q, a);
	ok(flows_close(b.est, want, 1e-6), "and what enters it: %g (%g)", b.est, want);
}

/* Rounds inside of rounds, that turn up to so many times. */
static void test_circling(struct arena *a)
{
	static const struct {
		uint32_t digits;
		double within;
	} cases[] = {{1, 1e-6}, {2, 1e-6}, {3, 1e-2}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t off = 0, out = 0;
		double worst = 0;

		for (uint32_t round = 0; round < 1000; round++) {
			struct graph g = flows_circling(a, cases[i].digits);
			const struct flow *fl = flows_build(a, &g);
			struct path_cost_query q = any_query(fl, a);
			struct path_bounds b = flows_cost(fl, q, a);
			double want = solved(fl, &q, a),
			       by = fabs(b.est - want) / (1 + want);

			off += by > cases[i].within;
			worst = fmax(worst, by);
			out += b.bounded && (want < (double)b.lo * (1 - 1e-6) ||
					     want > (double)b.hi * (1 + 1e-6));
			arena_reset(a);
		}
		ok(!off && !out,
		   "rounds of 10^%u times what enters (%u off, at worst %.0e; %u out)",
		   cases[i].digits, off, worst, out);
	}
}

int main(void)
{
	struct arena a;

	arena_init(&a, 256 << 20);
	test_solved(&a);
	test_exact(&a);
	test_slow(&a);
	test_circling(&a);
	arena_free(&a);
	return done_testing();
}
