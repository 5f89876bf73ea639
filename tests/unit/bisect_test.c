/* bisect_test.c - the first element that is not before a key, in ranges of any length. */
#include "index/base/bisect.h"

#include <stdint.h>

#include "tests/support/tap.h"

static size_t find(const uint64_t *of, size_t lo, size_t hi, uint64_t key)
{
	struct bisect b = bisect_in(lo, hi);

	while (bisect_next(&b))
		bisect_step(&b, of[b.mid] < key);
	return b.lo;
}

static void test_bisect(void)
{
	static const uint64_t of[] = {3, 5, 5, 5, 8, UINT64_MAX};
	static const struct {
		const char *name;
		size_t lo, hi;
		uint64_t key;
		size_t want;
	} cases[] = {
		{"nothing to search", 0, 0, 5, 0},
		{"nothing to search, in the middle", 4, 4, 3, 4},
		{"before all", 0, 6, 0, 0},
		{"the first", 0, 6, 3, 0},
		{"the first of equals", 0, 6, 5, 1},
		{"between two", 0, 6, 6, 4},
		{"the last", 0, 6, UINT64_MAX, 5},
		{"after all", 0, 5, 9, 5},
		{"one that is before", 0, 1, 4, 1},
		{"a part of the array", 2, 5, 5, 2},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		is_u64(find(of, cases[i].lo, cases[i].hi, cases[i].key), cases[i].want,
		       "%s", cases[i].name);
}

int main(void)
{
	test_bisect();
	return done_testing();
}
