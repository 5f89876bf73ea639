/*
 * chain_test.c - where cost goes and came from, against dense linear equations.
 */
#include "engine/flow/chain.h"

#include <math.h>

#include "engine/lang/col_type.h"
#include "engine/lang/result.h"
#include "engine/names/fnset.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/cancel.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "index/format/event.h"
#include "tests/support/flows.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"
#include "index/base/map.h"

/* Two functions, or more, that pass nearly all that they have round, and who calls them:
 * 0 -10-> 1, 1 -> 2 -> .. -> 1 with `turns` times that; each spends 1 on its way, and calls
 * another function for 2. */
static const struct flow *slow_flow(struct arena *a, uint32_t members, uint64_t turns)
{
	uint32_t n = 2 * members + 1, edges = 0;
	struct graph g = flows_graph(a, n, n);
	uint64_t out = 10 * turns, ends = 3 * (uint64_t)members;

	for (uint32_t f = 0; f < n; f++) {
		g.first[f] = edges;
		g.self[f] = f == 0 ? 0 : f <= members ? 1 : 2;
		if (f > members)
			continue;
		if (f == 0) {
			g.callee[edges] = 1;
			g.w[edges++] = ends;
			continue;
		}
		/* Member 1 gets back what it sent less what all of them spend. */
		g.callee[edges] = f < members ? f + 1 : 1;
		g.w[edges++] = out + 3 * (uint64_t)(members - f);
		g.callee[edges] = f + members;
		g.w[edges++] = 2;
	}
	g.first[n] = edges;
	g.edges = edges;
	for (uint32_t i = 0; i < edges; i++)
		g.calls[i] = 1;
	return flows_build(a, &g);
}

/* What starts at each function, and who stops it. */
static void any_start(uint32_t n, double *cost, uint8_t *stop)
{
	for (uint32_t f = 0; f < n; f++) {
		cost[f] = flows_below(2) ? flows_below(1000) : 0;
		stop[f] = flows_below(4) == 0;
	}
}

static bool all_close(uint32_t n, const double *x, const double *y, double within)
{
	for (uint32_t f = 0; f < n; f++)
		if (!(fabs(x[f] - y[f]) <= within * (1 + fabs(x[f]) + fabs(y[f]))))
			return false;
	return true;
}

static bool spread_agrees(const struct flow *fl, double within, struct arena *a)
{
	uint32_t n = fl->in.functions;
	double *x = ARENA_ARRAY(a, double, n), *y = ARENA_ARRAY(a, double, n);
	uint8_t *stop = ARENA_ARRAY(a, uint8_t, n);

	any_start(n, x, stop);
	memcpy(y, x, n * sizeof(*x));
	chain_spread(fl, stop, x, a, NULL);
	flows_spread(fl, stop, y, a);
	return all_close(n, x, y, within);
}

static bool expect_agrees(const struct flow *fl, double within, struct arena *a)
{
	uint32_t n = fl->in.functions;
	double *x = ARENA_ARRAY(a, double, n), *y = ARENA_ARRAY(a, double, n);
	uint8_t *known = ARENA_ARRAY(a, uint8_t, n);

	any_start(n, x, known);
	for (uint32_t f = 0; f < n; f++)
		x[f] = y[f] = known[f] ? x[f] / 1000 : 0;
	chain_expect(fl, known, NULL, x, a, NULL);
	flows_expect(fl, known, y, a);
	for (uint32_t f = 0; f < n; f++)
		if (!known[f] && !flows_close(chain_ahead(fl, f, x), x[f], 10 * within))
			return false;
	return all_close(n, x, y, within);
}

/* Nobody has more than passes it; what is spent before the set is reached and what reaches it
 * is all there is. */
static bool first_agrees(const struct flow *fl, double within, struct arena *a)
{
	uint32_t n = fl->in.functions;
	struct fn_set *set = flows_set(a, n, 3);
	double *x, *y = ARENA_ARRAY(a, double, n), sum = 0, all = 0;

	memcpy(y, fl->root, n * sizeof(*y));
	chain_first(fl, set, &x, a, NULL);
	flows_spread(fl, chain_marks(fl, set, a), y, a);
	for (uint32_t f = 0; f < n; f++) {
		all += fl->root[f];
		if (fnset_has(set, f))
			sum += x[f];
		else if (fl->through[f] > 0)
			sum += x[f] * (double)fl->in.self[f] / fl->through[f];
		if (x[f] > fl->through[f] * (1 + within) + 1e-9)
			return false;
	}
	return all_close(n, x, y, within) && flows_close(sum, all, within);
}

/* The cost that has passed the set, and the cost that has not yet, are all that passes a
 * function. */
static bool passed_agrees(const struct flow *fl, double within, struct arena *a)
{
	uint32_t n = fl->in.functions;
	struct fn_set *set = flows_set(a, n, 3);
	double *passed, *before;

	chain_passed(fl, set, &passed, a, NULL);
	chain_first(fl, set, &before, a, NULL);
	for (uint32_t f = 0; f < n; f++) {
		double all = fnset_has(set, f) ? passed[f] : passed[f] + before[f];

		if (!flows_close(all, fl->through[f], within))
			return false;
	}
	return true;
}

static void mark_from(const struct flow *fl, uint32_t f, bool down, uint8_t *met)
{
	for (uint32_t i = 0; i < fl->in.edges; i++) {
		uint32_t from = down ? fl->in.callee[i] : fl->in.caller[i];
		uint32_t to = down ? fl->in.caller[i] : fl->in.callee[i];

		if (from != f || !fl->in.incl[i] || met[to])
			continue;
		met[to] = 1;
		mark_from(fl, to, down, met);
	}
}

static bool reaches_agrees(const struct flow *fl, struct arena *a)
{
	uint32_t n = fl->in.functions;
	uint8_t *marks = chain_marks(fl, flows_set(a, n, 2), a), *met;
	uint8_t *want = ARENA_ARRAY(a, uint8_t, n);
	bool down = flows_below(2);

	chain_reaches(fl, marks, NULL, down, &met, a);
	for (uint32_t f = 0; f < n; f++)
		if (marks[f])
			mark_from(fl, f, down, want);
	return memcmp(met, want, n) == 0;
}

static void test_random(struct arena *a)
{
	uint32_t wrong[4] = {0}, circles = 0, rounds = 20000;

	for (uint32_t round = 0; round < rounds; round++) {
		struct graph g = flows_random(a, 12);
		const struct flow *fl = flows_build(a, &g);
		uint32_t in_circles = 0;

		for (uint32_t f = 0; f < fl->in.functions; f++)
			in_circles += fl->in.cycle[f] != 0;
		circles += in_circles > 2;
		wrong[0] += !spread_agrees(fl, 1e-7, a);
		wrong[1] += !expect_agrees(fl, 1e-7, a);
		wrong[2] += !first_agrees(fl, 1e-7, a);
		wrong[3] += !reaches_agrees(fl, a);
		arena_reset(a);
	}
	is_u64(wrong[0], 0, "cost that is spread");
	is_u64(wrong[1], 0, "shares that are to be expected");
	is_u64(wrong[2], 0, "what a set is first entered with");
	is_u64(wrong[3], 0, "who reaches whom");
	ok(circles > rounds / 4, "%u of %u graphs had a cycle of three or more", circles,
	   rounds);
}

/* What turns thousands of times is extrapolated. */
static void test_slow(struct arena *a)
{
	static const struct {
		uint32_t members;
		uint64_t turns;
		double within;
	} cases[] = {{2, 1, 1e-9},   {2, 100, 1e-6},  {2, 1000, 1e-4}, {2, 30000, 1e-3},
		     {3, 100, 1e-6}, {3, 3000, 1e-4}, {7, 1000, 1e-3}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t wrong = 0;

		for (int round = 0; round < 200; round++) {
			const struct flow *fl =
				slow_flow(a, cases[i].members, cases[i].turns);

			wrong += !spread_agrees(fl, cases[i].within, a);
			wrong += !expect_agrees(fl, cases[i].within, a);
			wrong += !first_agrees(fl, cases[i].within, a);
			arena_reset(a);
		}
		is_u64(wrong, 0, "%u functions and %" PRIu64 " turns: within %g",
		       cases[i].members, cases[i].turns, cases[i].within);
	}
}

/* Rounds inside of rounds, so that one shrinks while others still fill up. */
static void test_circling(struct arena *a)
{
	static const struct {
		uint32_t digits;
		double within;
	} cases[] = {{1, 1e-7}, {2, 1e-6}, {3, 1e-5}, {4, 1e-2}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t wrong[3] = {0};

		for (int round = 0; round < 1000; round++) {
			struct graph g = flows_circling(a, cases[i].digits);
			const struct flow *fl = flows_build(a, &g);

			wrong[0] += !spread_agrees(fl, cases[i].within, a);
			wrong[1] += !expect_agrees(fl, cases[i].within, a);
			wrong[2] += !first_agrees(fl, cases[i].within, a);
			arena_reset(a);
		}
		ok(!wrong[0] && !wrong[1] && !wrong[2],
		   "rounds of 10^%u times what enters: within %g (wrong: %u, %u, %u)",
		   cases[i].digits, cases[i].within, wrong[0], wrong[1], wrong[2]);
	}
}

static void test_passed(struct arena *a)
{
	uint32_t wrong = 0;

	for (uint32_t round = 0; round < 20000; round++) {
		struct graph g = flows_random(a, 12);

		wrong += !passed_agrees(flows_build(a, &g), 1e-7, a);
		arena_reset(a);
	}
	is_u64(wrong, 0, "cost that has passed a set");
}

struct stopped {
	const struct flow *fl;
	struct arena *a;
	const struct cancel *cancel;
	double cost[5];
};

static int spread(void *arg)
{
	struct stopped *s = arg;
	const uint8_t none[5] = {0};

	chain_spread(s->fl, none, s->cost, s->a, s->cancel);
	return 0;
}

static int expect(void *arg)
{
	struct stopped *s = arg;
	const uint8_t none[5] = {0};

	chain_expect(s->fl, none, NULL, s->cost, s->a, s->cancel);
	return 0;
}

static int find_first(void *arg)
{
	struct stopped *s = arg;
	double *first;

	chain_first(s->fl, flows_one(s->a, 5, 2), &first, s->a, s->cancel);
	return 0;
}

static void test_interrupted(struct arena *a)
{
	const atomic_int now = 1;
	const struct cancel stop = {.asked = &now},
			    late = {.deadline_ns = 1, .seconds = 3};
	struct stopped s = {slow_flow(a, 2, 100), a, &stop, {1}};
	struct err err = {0};

	ok(map_guard(spread, &s, ERR_INDEX, &err) == ERR_CANCEL, "interrupted: %s",
	   err.text);
	err = (struct err){0};
	ok(map_guard(expect, &s, ERR_INDEX, &err) == ERR_CANCEL, "and backward");
	err = (struct err){0};
	ok(map_guard(find_first, &s, ERR_INDEX, &err) == ERR_CANCEL, "and for a set");
	err = (struct err){0};
	s.cancel = &late;
	ok(map_guard(spread, &s, ERR_INDEX, &err) == ERR_LIMIT &&
		   strstr(err.text, "limit of 3 s") && strstr(err.hint, "seconds=30"),
	   "out of time: %s: %s", err.text, err.hint);
}

int main(void)
{
	struct arena a;

	arena_init(&a, 256 << 20);
	test_random(&a);
	test_slow(&a);
	test_circling(&a);
	test_passed(&a);
	test_interrupted(&a);
	arena_free(&a);
	return done_testing();
}
