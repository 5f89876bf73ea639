/* sort_test.c - ascending and stable, around the switch of method and for every digit. */
#include "index/base/sort.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/tap.h"

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

enum { STRINGS = 20000, LONGEST = 4000 };

/* One string of each kind, of a generator at x; its length. */
static size_t numbers(char *p, uint64_t x)
{
	return (size_t)sprintf(p, "%u", (unsigned)(x % 3000));
}

static size_t mangled(char *p, uint64_t x)
{
	static const char *const of[] = {"_ZN4llvm", "_ZN4llvm2cl3optI", "_ZNSt6vectorI",
					 ""};

	return (size_t)sprintf(p, "%sN%uE%s", of[x % 4], (unsigned)(x >> 8 & 255),
			       of[x >> 16 & 3]);
}

/* a, and zeros, or others, behind it. */
static size_t zeros(char *p, uint64_t x)
{
	const size_t n = x % 40;

	memset(p, 0, n + 1);
	p[0] = 'a';
	if (x >> 32 & 1)
		p[x >> 40 & 31] = (char)(x >> 48);
	return n;
}

static size_t alike(char *p, uint64_t x)
{
	const size_t n = LONGEST - 8 + x % 8;

	memset(p, 'x', n);
	p[n - 1 - (x >> 8 & 3)] = (char)(x >> 16);
	return n;
}

static void test_strings(void)
{
	static const struct {
		const char *name;
		size_t (*make)(char *p, uint64_t x);
		size_t n;
	} cases[] = {
		{"none", numbers, 0},
		{"one", numbers, 1},
		{"a few, some twice", numbers, 12},
		{"numbers, most of them many times", numbers, STRINGS},
		{"mangled names", mangled, STRINGS},
		{"names with zeros in them", zeros, STRINGS},
		{"long ones that are alike", alike, 500},
	};
	static struct str s[STRINGS];
	static struct sort_pair order[STRINGS];
	static bool met[STRINGS];

	for (size_t c = 0; c < COUNT(cases); c++) {
		uint64_t x = 88172645463325252;
		size_t n = cases[c].n, wrong = 0, lost = n;
		char *text = malloc(n * (cases[c].make == alike ? LONGEST : 64) + 1),
		     *p = text;

		for (size_t i = 0; i < n; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			s[i] = (struct str){p, cases[c].make(p, x)};
			p += s[i].n;
			met[i] = false;
		}
		is_u64((uint64_t)sort_strings(s, n, order), 0, "%s: done", cases[c].name);
		for (size_t i = 1; i < n; i++) {
			int cmp = str_cmp(s[order[i - 1].value], s[order[i].value]);

			wrong += cmp > 0 ||
				 (cmp == 0 && order[i - 1].value >= order[i].value);
		}
		for (size_t i = 0; i < n; i++) {
			lost -= order[i].value < n && !met[order[i].value];
			met[order[i].value < n ? order[i].value : 0] = true;
		}
		is_u64(wrong, 0, "%s: in order, equal ones as they stood", cases[c].name);
		is_u64(lost, 0, "%s: each is there", cases[c].name);
		free(text);
	}
}

int main(void)
{
	test_sort();
	test_strings();
	return done_testing();
}
