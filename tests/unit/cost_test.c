/* cost_test.c - sums at the ends of the numbers; the order of numbers. */
#include "index/base/cost.h"

#include "tests/support/tap.h"

#define MOST UINT64_MAX

static void test_sums(void)
{
	static const struct {
		const char *name;
		uint64_t a, b, want;
		bool full;
	} cases[] = {
		{"nothing", 0, 0, 0, false},
		{"small numbers", 3, 4, 7, false},
		{"the largest sum that fits", MOST - 1, 1, MOST, false},
		{"one more", MOST, 1, MOST, true},
		{"far more", MOST, MOST, MOST, true},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t cost = cases[i].a, count = cases[i].a, both[] = {cases[i].a, 1};

		is_u64(cost_add(&cost, cases[i].b), cases[i].full, "%s: full",
		       cases[i].name);
		is_u64(cost, cases[i].want, "%s", cases[i].name);
		is_u64(count_add(&count, cases[i].b), cases[i].full, "%s: a count: full",
		       cases[i].name);
		is_u64(count, cases[i].want, "%s: a count", cases[i].name);
		is_u64(cost_sum(cases[i].a, cases[i].b), cases[i].want, "%s: sum",
		       cases[i].name);
		is_u64(count_sum(cases[i].a, cases[i].b), cases[i].want,
		       "%s: sum of counts", cases[i].name);
		cost_add_each(both, (uint64_t[]){cases[i].b, 2}, 2);
		ok(both[0] == cases[i].want && both[1] == 3, "%s: for each event",
		   cases[i].name);
	}
}

static void test_order(void)
{
	const uint32_t a = 1, b = UINT32_MAX;
	const uint64_t c = 1, d = MOST;

	ok(order_u64(1, 2) < 0 && order_u64(2, 1) > 0 && order_u64(2, 2) == 0, "numbers");
	ok(order_u64(0, MOST) < 0, "numbers that are far apart");
	ok(order_double(0.25, 0.5) < 0 && order_double(0.5, 0.5) == 0, "fractions");
	ok(cost_order(MOST, 0) > 0, "costs");
	ok(compare_u32(&a, &b) < 0 && compare_u32(&b, &b) == 0, "elements of 32 bits");
	ok(compare_u64(&d, &c) > 0 && compare_u64(&c, &c) == 0, "elements of 64 bits");
}

int main(void)
{
	test_sums();
	test_order();
	return done_testing();
}
