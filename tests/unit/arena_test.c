/* arena_test.c - alignment, zeroing, the cap, reuse after a reset. */
#include "index/base/arena.h"

#include <stdint.h>

#include "index/base/err.h"
#include "tests/support/tap.h"

static void test_cap(void)
{
	static const struct {
		const char *name;
		size_t cap, first, second;
		bool first_fits, second_fits;
	} cases[] = {
		{"no cap", 0, 1 << 20, 1 << 20, true, true},
		{"exactly the cap", 4096, 4096, 0, true, true},
		{"one byte past the cap", 4096, 4097, 0, false, true},
		{"full, then one more", 4096, 4096, 1, true, false},
		{"rounded up to 16", 4096, 4081, 1, true, false},
		{"two halves", 4096, 2048, 2048, true, true},
		{"larger than a chunk", 64 << 20, 40 << 20, 16 << 20, true, true},
		{"a size near SIZE_MAX", 0, SIZE_MAX - 3, 16, false, true},
		{"half of SIZE_MAX", 4096, SIZE_MAX / 2 + 1, 16, false, true},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena a;

		arena_init(&a, cases[i].cap);
		ok(!!arena_alloc(&a, cases[i].first) == cases[i].first_fits, "%s: first",
		   cases[i].name);
		ok(!!arena_alloc(&a, cases[i].second) == cases[i].second_fits,
		   "%s: second", cases[i].name);
		ok(!cases[i].cap || a.used <= cases[i].cap, "%s: %zu used", cases[i].name,
		   a.used);
		arena_free(&a);
	}
}

static void test_bytes(void)
{
	struct arena a;
	unsigned crooked = 0, dirty = 0;

	arena_init(&a, 0);
	for (int round = 0; round < 3; round++) {
		for (size_t n = 1; n < 5000; n += 7) {
			unsigned char *p = arena_alloc(&a, n);

			crooked += (uintptr_t)p % 16 != 0;
			for (size_t i = 0; i < n; i++)
				dirty += p[i] != 0;
			memset(p, 0xa5, n);
		}
		arena_reset(&a);
		is_u64(a.used, 0, "nothing is used after reset %d", round);
	}
	is_u64(crooked, 0, "every address is a multiple of 16");
	is_u64(dirty, 0, "every byte is zero, after a reset too");
	ok(arena_alloc(&a, 0) != NULL, "no bytes is not a failure");
	arena_free(&a);
	ok(arena_alloc(&a, 1) != NULL, "usable after arena_free");
	arena_free(&a);
}

static void test_arrays(void)
{
	struct arena a;

	arena_init(&a, 1 << 20);
	ok(ARENA_ARRAY(&a, uint64_t, 1000) != NULL, "a thousand numbers");
	ok(arena_array(&a, SIZE_MAX / 4, 8) == NULL,
	   "a product past SIZE_MAX is refused");
	ok(arena_array(&a, SIZE_MAX, SIZE_MAX) == NULL, "far past");
	ok(ARENA_ARRAY(&a, uint64_t, 1 << 20) == NULL, "past the cap");
	ok(ARENA_NEW(&a, struct arena) != NULL, "and what fits still fits");
	arena_free(&a);
}

static void test_strings(void)
{
	struct arena a;
	struct str s, copy;

	arena_init(&a, 64);
	s = STR("a\0b");
	copy = arena_str(&a, s);
	ok(str_eq(copy, s) && copy.p != s.p, "a copy holds every byte");
	ok(copy.p[copy.n] == '\0', "and ends in a NUL of its own");
	copy = arena_str(&a, (struct str){NULL, 0});
	ok(copy.p && copy.n == 0, "a copy of nothing");
	copy = arena_printf(&a, "%s:%d", "x.c", 12);
	ok(str_eq(copy, STR("x.c:12")), "printed");
	copy = arena_printf(&a, "%0100d", 1);
	ok(!copy.p && copy.n == 0, "no room to print");
	copy = arena_str(&a, str_c("sixteen bytes ..sixteen bytes ..sixteen bytes .."));
	ok(!copy.p && copy.n == 0, "no room to copy");
	arena_free(&a);
}

static void test_full(void)
{
	struct arena a;
	struct err err = {0};

	arena_init(&a, 64 << 20);
	arena_alloc(&a, 48 << 20);
	is_u64((uint64_t)arena_full(&a, &err), ERR_LIMIT, "full is a limit");
	is_str(err.text, "out of memory: 48 MiB are in use (the limit is 64 MiB)",
	       "text");
	ok(strstr(err.hint, "--mem") != NULL, "the hint names the option");
	arena_free(&a);

	err_clear(&err);
	arena_init(&a, 0);
	arena_full(&a, &err);
	is_str(err.text, "out of memory: 0 MiB are in use", "no limit, none named");
}

int main(void)
{
	test_cap();
	test_bytes();
	test_arrays();
	test_strings();
	test_full();
	return done_testing();
}
