/* sort_test.c - ascending and stable, around the switch of method and for every digit. */
#include "index/base/sort.h"

#include <stdlib.h>

#include "tests/tap.h"

/* Keys by a small generator; value is the place before sorting. */
static void fill(struct sort_pair *p, size_t n, uint64_t mask, uint64_t base)
{
	uint64_t x = 88172645463325252;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = (struct sort_pair){base | (x & mask), (uint32_t)i};
	}
}

static void test_sort(void)
{
	static const struct {
		const char *name;
		size_t n;
		uint64_t mask, base;
	} cases[] = {
		{"none", 0, 0, 0},
		{"one", 1, UINT64_MAX, 0},
		{"two", 2, UINT64_MAX, 0},
		{"the most by insertion", 64, UINT64_MAX, 0},
		{"the fewest by radix", 65, UINT64_MAX, 0},
		{"many, 64 bits", 20000, UINT64_MAX, 0},
		{"many, few different", 20000, 3, 0},
		{"all the same", 1000, 0, 42},
		{"the lowest digit only", 5000, 0x7ff, 0xabcdef0000000000},
		{"the highest bits only", 5000, 0xff80000000000000, 5},
		{"two digits apart", 5000, 0x7ff000000007ff, 0},
		{"across the border of two digits", 5000, 0xc00, 0},
	};

	for (size_t c = 0; c < COUNT(cases); c++) {
		size_t n = cases[c].n, wrong = 0, unstable = 0, foreign = 0;
		struct sort_pair *p = calloc(n + 1, sizeof(*p));
		struct sort_pair *was = calloc(n + 1, sizeof(*was));

		fill(p, n, cases[c].mask, cases[c].base);
		memcpy(was, p, n * sizeof(*p));
		is_u64((uint64_t)sort_pairs(p, n), 0, "%s: done", cases[c].name);
		for (size_t i = 1; i < n; i++) {
			wrong += p[i - 1].key > p[i].key;
			unstable +=
				p[i - 1].key == p[i].key && p[i - 1].value >= p[i].value;
		}
		for (size_t i = 0; i < n; i++)
			foreign += p[i].value >= n || was[p[i].value].key != p[i].key;
		is_u64(wrong, 0, "%s: ascending", cases[c].name);
		is_u64(unstable, 0, "%s: equal keys keep their order", cases[c].name);
		is_u64(foreign, 0, "%s: every pair is one that was given", cases[c].name);
		free(p);
		free(was);
	}
}

int main(void)
{
	test_sort();
	return done_testing();
}
