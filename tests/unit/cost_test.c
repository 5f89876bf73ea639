/* cost_test.c - sums at both ends of the numbers; the order of numbers. */
#include "index/base/cost.h"
#include "index/base/order.h"

#include "tests/support/tap.h"

#define MOST UINT64_MAX

static void test_counts(void)
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
		uint64_t count = cases[i].a;

		is_u64(count_add(&count, cases[i].b), cases[i].full, "%s: full",
		       cases[i].name);
		is_u64(count, cases[i].want, "%s", cases[i].name);
		is_u64(count_sum(cases[i].a, cases[i].b), cases[i].want, "%s: sum",
		       cases[i].name);
	}
}

static void test_costs(void)
{
	static const struct {
		const char *name;
		int64_t a, b, sum, less; /* a + b, a - b */
		bool full;
	} cases[] = {
		{"nothing", 0, 0, 0, 0, false},
		{"small costs", 3, -4, -1, 7, false},
		{"the largest sum", INT64_MAX - 1, 1, INT64_MAX, INT64_MAX - 2, false},
		{"one more", INT64_MAX, 1, INT64_MAX, INT64_MAX - 1, true},
		{"far more", INT64_MAX, INT64_MAX, INT64_MAX, 0, true},
		{"the least sum", INT64_MIN + 1, -1, INT64_MIN, INT64_MIN + 2, false},
		{"one less", INT64_MIN, -1, INT64_MIN, INT64_MIN + 1, true},
		{"far less", INT64_MIN, INT64_MIN, INT64_MIN, 0, true},
		{"both ends", INT64_MAX, INT64_MIN, INT64_MAX, INT64_MAX, true},
		{"both ends, turned", INT64_MIN, INT64_MAX, INT64_MIN, INT64_MIN, true},
		{"an end, and back", INT64_MAX, -5, INT64_MAX, INT64_MAX, true},
		{"and the other way", -5, INT64_MAX, INT64_MAX, INT64_MIN, true},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const int64_t a = cases[i].a, b = cases[i].b;
		int64_t cost = a, from = a, both[] = {a, 1};
		uint64_t bits = (uint64_t)a;

		is_u64(cost_add(&cost, b), cases[i].full, "%s: full", cases[i].name);
		ok(cost == cases[i].sum, "%s", cases[i].name);
		ok(cost_sum(a, b) == cases[i].sum, "%s: sum", cases[i].name);
		ok(cost_difference(a, b) == cases[i].less, "%s: difference",
		   cases[i].name);
		cost_subtract(&from, b);
		ok(from == cases[i].less, "%s: subtracted", cases[i].name);
		is_u64(cost_add_bits(&bits, (uint64_t)b), cases[i].full, "%s: bits: full",
		       cases[i].name);
		is_u64(bits, (uint64_t)cases[i].sum, "%s: bits", cases[i].name);
		is_u64(cost_sum_bits((uint64_t)a, (uint64_t)b), (uint64_t)cases[i].sum,
		       "%s: sum of bits", cases[i].name);
		cost_add_each(both, (int64_t[]){b, -2}, 2);
		ok(both[0] == cases[i].sum && both[1] == -1, "%s: for each event",
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
	ok(cost_order(0, -1) > 0 && cost_order(INT64_MIN, INT64_MAX) < 0, "costs");
	ok(cost_rank(INT64_MIN) == 0 && cost_rank(-1) < cost_rank(0) &&
		   cost_rank(INT64_MAX) == MOST,
	   "ranks of costs");
	ok(cost_size(-3) == 3 && cost_size(INT64_MIN) == INT64_MAX, "sizes of costs");
	ok(cost_flow(-3) == 0 && cost_flow(3) == 3, "costs that flow");
	ok(compare_u32(&a, &b) < 0 && compare_u32(&b, &b) == 0, "elements of 32 bits");
	ok(compare_u64(&d, &c) > 0 && compare_u64(&c, &c) == 0, "elements of 64 bits");
}

int main(void)
{
	test_counts();
	test_costs();
	test_order();
	return done_testing();
}
