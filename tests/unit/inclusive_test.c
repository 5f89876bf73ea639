/*
 * inclusive_test.c - levels in names, and what of a cost comes back against linear equations.
 */
#include "engine/flow/flow.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/graph/inclusive.h"

#include <math.h>

#include "tests/support/flows.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"

static void test_names(void)
{
	static const struct {
		const char *name;
		uint64_t level;
	} cases[] = {
		{"f", 1},
		{"f'2", 2},
		{"f'17", 17},
		{"f'2'caller", 2},
		{"f'2'caller'3", 2},
		{"f'caller", 1},
		{"f'caller'2", 2},
		{"foo<'a'>", 1},
		{"foo<'a'>'2", 2},
		{"foo<'2'>", 1}, /* a Rust constant */
		{"foo<'2', '3'>::bar'4", 4},
		{"foo('2')", 1},
		{"f'2'<T as U>::caller", 2},
		{"foo<'\\1'>", 1},
		{"operator\"\" _x(char)", 1},
		{"operator\"\" _x(char)'2", 2},
		{"lambda(int)#1}::operator()'3", 3},
		{"f'", 1},
		{"f''", 1},
		{"f'2x", 1},
		{"'2", 1},
		{"''2", 2},
		{"2", 1},
		{"", 1},
		{"f'1", 1},
		{"f'0", 1},
		{"f'99999999999999999999", 1},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str name = {cases[i].name, strlen(cases[i].name)};

		is_u64(name_level(name), cases[i].level, "the level of %s",
		       cases[i].name);
	}
}

static void test_full(void)
{
	struct arena tiny;
	struct call_costs costs = {.functions = 1 << 20};
	struct returning r;

	arena_init(&tiny, 1);
	ok(returning_init(&r, &costs, &tiny), "no room to follow costs in");
	arena_free(&tiny);
}

static void test_bounds(void)
{
	static const struct {
		struct incl_known k;
		int64_t lo, hi;
		const char *name;
	} cases[] = {
		{{.spent = 50, .called = 60, .cycle = 40},
		 0,
		 40,
		 "no more than the cycle"},
		{{.spent = 30, .called = 30, .cycle = 40}, 0, 30, "nor than passes"},
		{{.spent = 50, .called = 50, .entering = 7, .cycle = 90},
		 7,
		 50,
		 "enters"},
		{{.spent = 50, .called = 50, .entering = 7, .leaving = 9, .cycle = 90},
		 9,
		 50,
		 "leaves"},
		{{.spent = 50, .called = 50, .leaving = 9, .once = 20, .cycle = 90},
		 20,
		 50,
		 "passes who does not nest"},
		{{.spent = 50, .called = 38, .entering = 7, .cycle = 90},
		 19,
		 50,
		 "a root"},
		{{.spent = 50, .called = 0, .entering = INT64_MAX, .cycle = 90},
		 50,
		 50,
		 "sums at 2^64"},
		{{.spent = 5, .called = 5, .once = 8, .cycle = 5},
		 5,
		 5,
		 "lo is at most hi"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t lo, hi;

		incl_bounds(&cases[i].k, &lo, &hi);
		is_u64(lo, cases[i].lo, "at least, %s", cases[i].name);
		is_u64(hi, cases[i].hi, "at most, %s", cases[i].name);
	}
}

/* What leaves the group and is back, the same by Gauss: what arrives at each member, of what
 * leaves any, where members stop it. */
static double solved(const struct flow *fl, const uint8_t *home, const uint8_t *again,
		     double *leaving, struct arena *a)
{
	uint32_t n = fl->in.functions;
	double *x = ARENA_ARRAY(a, double, n), sum = 0;

	*leaving = 0;
	for (uint32_t i = 0; i < fl->in.edges; i++)
		if (home[fl->in.caller[i]] && !home[fl->in.callee[i]]) {
			x[fl->in.callee[i]] += (double)fl->in.incl[i];
			*leaving += (double)fl->in.incl[i];
		}
	flows_spread(fl, home, x, a);
	for (uint32_t f = 0; f < n; f++)
		sum += home[f] && !(again && again[f]) ? x[f] : 0;
	return sum;
}

static struct call_costs costs_of(const struct flow *fl)
{
	return (struct call_costs){
		.functions = fl->in.functions,
		.out_first = fl->in.out_first,
		.callee = fl->in.callee,
		.self = fl->in.self,
		.edge = fl->in.incl,
		.self_step = 1,
		.edge_step = 1,
		.circle = fl->in.cycle,
	};
}

/* Members of one cycle, one of them or some. */
static uint32_t any_group(const struct flow *fl, uint32_t *member, uint8_t *home)
{
	uint32_t n = fl->in.functions, f = flows_below(n), k = 0;
	bool one = flows_below(2);

	for (uint32_t g = 0; g < n; g++)
		if (g == f ||
		    (!one && fl->in.cycle[f] && fl->in.cycle[g] == fl->in.cycle[f] &&
		     flows_below(3) == 0)) {
			home[g] = 1;
			member[k++] = g;
		}
	return k;
}

/* The same room for many questions, with what they leave behind. */
static void test_returning(struct arena *a)
{
	uint32_t wrong = 0, some = 0, dirty = 0;
	double worst = 0;

	for (uint32_t round = 0; round < 20000; round++) {
		struct graph g = flows_random(a, 10);
		const struct flow *fl = flows_build(a, &g);
		uint32_t n = fl->in.functions, *member = ARENA_ARRAY(a, uint32_t, n);
		struct call_costs costs = costs_of(fl);
		struct returning r;

		if (returning_init(&r, &costs, a))
			fuzz_fail("returning_init");
		for (int k = 0; k < 4; k++) {
			uint8_t *home = ARENA_ARRAY(a, uint8_t, n), *again = NULL;
			uint32_t count = any_group(fl, member, home);
			double got, want, leaving, off;

			if (flows_below(3) == 0 && (again = ARENA_ARRAY(a, uint8_t, n)))
				for (uint32_t f = 0; f < n; f++)
					again[f] = (uint8_t)flows_below(2);
			got = returning_cost(&r, member, count, again, 4096);
			want = solved(fl, home, again, &leaving, a);
			off = leaving > 0 ? fabs(got - want) / leaving : fabs(got);
			wrong += off > 1e-4;
			worst = fmax(worst, off);
			some += want > 1;
			for (uint32_t f = 0; f < n; f++)
				dirty += r.mass[f] != 0 || r.home[f] || r.queued[f];
		}
		arena_reset(a);
	}
	is_u64(wrong, 0, "what returns as by Gauss: at worst %.0e of what leaves off",
	       worst);
	is_u64(dirty, 0, "nothing stays on its way");
	ok(some > 10000, "%u times something returned", some);
}

/* Few edges looked at: still a part of what leaves. */
static void test_few_edges(struct arena *a)
{
	uint32_t wrong = 0;

	for (uint32_t round = 0; round < 2000; round++) {
		struct graph g = flows_random(a, 10);
		const struct flow *fl = flows_build(a, &g);
		uint32_t n = fl->in.functions, *member = ARENA_ARRAY(a, uint32_t, n);
		uint8_t *home = ARENA_ARRAY(a, uint8_t, n);
		struct call_costs costs = costs_of(fl);
		uint32_t count = any_group(fl, member, home);
		struct returning r;
		double got, out = 0;

		if (returning_init(&r, &costs, a))
			fuzz_fail("returning_init");
		got = returning_cost(&r, member, count, NULL, flows_below(20));
		for (uint32_t i = 0; i < fl->in.edges; i++)
			out += home[fl->in.caller[i]] && !home[fl->in.callee[i]]
				       ? (double)fl->in.incl[i]
				       : 0;
		wrong += !(got >= 0 && got <= out * (1 + 1e-9));
		arena_reset(a);
	}
	is_u64(wrong, 0, "looking at few edges: between nothing and all that leaves");
}

/* 0 -10-> 1 -9995-> 2 -9990-> 1, 1 -4-> 3, 2 -4-> 4: of 1's 9995 nearly all is back. */
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
	struct call_costs costs = costs_of(fl);
	static const uint32_t one[] = {1}, both[] = {1, 2};
	static const uint8_t never[] = {1, 1, 1, 1, 1};
	struct returning r;

	if (returning_init(&r, &costs, a))
		fuzz_fail("returning_init");
	ok(flows_close(returning_cost(&r, one, 1, NULL, 4096), 9990, 1e-12),
	   "one of two that turn round and round");
	ok(returning_cost(&r, both, 2, NULL, 4096) == 0, "a whole cycle is never back");
	ok(returning_cost(&r, one, 1, never, 4096) == 0, "returns that are not counted");
	ok(returning_cost(&r, one, 0, NULL, 4096) == 0, "a group of nobody");
	ok(returning_cost(&r, (const uint32_t[]){3}, 1, NULL, 4096) == 0, "in no cycle");
}

int main(void)
{
	struct arena a;

	arena_init(&a, 256 << 20);
	test_names();
	test_full();
	test_bounds();
	test_returning(&a);
	test_few_edges(&a);
	test_slow(&a);
	arena_free(&a);
	return done_testing();
}
