/* vec_test.c - growing, zeroing, and refusing what cannot be had. */
#include "index/base/vec.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/tap.h"

static const struct {
	const char *name;
	size_t cap, need, want_least;
} cases[] = {
	{"nothing asked of nothing", 0, 0, 0},
	{"the first element", 0, 1, 1},
	{"what is there already", 100, 100, 100},
	{"one more than there is", 100, 101, 101},
	{"far more than half again", 4, 10000, 10000},
};

static void test_growth(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t *v = NULL;
		size_t cap = 0;
		bool zero = true;

		ok(vec_reserve(&v, &cap, cases[i].cap, sizeof(*v)) == 0, "%s: start",
		   cases[i].name);
		ok(vec_reserve(&v, &cap, cases[i].need, sizeof(*v)) == 0, "%s: grow",
		   cases[i].name);
		ok(cap >= cases[i].want_least, "%s: cap %zu", cases[i].name, cap);
		for (size_t j = 0; j < cap; j++)
			zero = zero && v[j] == 0;
		ok(zero, "%s: every new element is zero", cases[i].name);
		free(v);
	}
}

static void test_old_elements_stay(void)
{
	uint64_t *v = NULL, wrong = 0;
	size_t cap = 0;

	for (size_t n = 0; n < 5000; n++) {
		if (vec_reserve(&v, &cap, n + 1, sizeof(*v)))
			break;
		v[n] = n * 3;
	}
	for (size_t n = 0; n < 5000; n++)
		wrong += v[n] != n * 3;
	is_u64(wrong, 0, "growing one by one keeps every element");
	free(v);
}

static void test_huge_pages(void)
{
	static const size_t sizes[] = {1, 1000, 3 << 20};

	vec_huge_pages(NULL, 64 << 20);
	for (size_t k = 0; k < COUNT(sizes); k++) {
		uint32_t *v = calloc(sizes[k], sizeof(*v));
		bool zero = v != NULL;

		vec_huge_pages(v, sizes[k] * sizeof(*v));
		for (size_t i = 0; v && i < sizes[k]; i++)
			zero = zero && v[i] == 0;
		ok(zero, "%zu elements are zero still", sizes[k]);
		free(v);
	}
}

static void test_too_much(void)
{
	char *v = NULL;
	size_t cap = 0;

	ok(vec_reserve(&v, &cap, 10, 1) == 0, "ten bytes");
	char *before = v;
	ok(vec_reserve(&v, &cap, SIZE_MAX / 2, 16) == -1,
	   "a product past SIZE_MAX is refused");
	ok(vec_reserve(&v, &cap, SIZE_MAX / 4, 1) == -1,
	   "more than malloc has is refused");
	ok(v == before && cap >= 10, "and the array is untouched");
	free(v);
}

/* Past every size at which growing goes another way, the odd width so that blocks are not full. */
static void test_sizes(size_t room)
{
	enum { N = 500000 };
	struct odd {
		unsigned char b[28];
	} *zeroed = NULL, *raw = NULL, *aligned = NULL;
	size_t caps[3] = {0}, wrong = 0, before;

	vec_policy(VEC_OWN_MAP, room);
	for (size_t n = 0; n < N; n++) {
		before = caps[0];
		if (vec_reserve(&zeroed, &caps[0], n + 1, sizeof(*zeroed)) ||
		    vec_reserve_raw(&raw, &caps[1], n + 1, sizeof(*raw)) ||
		    vec_reserve_lines(&aligned, &caps[2], n + 1, sizeof(*aligned)))
			break;
		for (size_t i = before; i < caps[0]; i++)
			for (size_t k = 0; k < sizeof(zeroed->b); k++)
				wrong += zeroed[i].b[k] != 0;
		wrong += (uintptr_t)aligned % 64;
		zeroed[n].b[27] = raw[n].b[27] = aligned[n].b[27] =
			(unsigned char)(n % 251);
	}
	is_u64(wrong, 0, "room from %zu: new elements are zeros, arrays at a cache line",
	       room);
	for (size_t n = 0; n < N; n++)
		wrong += zeroed[n].b[27] != n % 251 || raw[n].b[27] != n % 251 ||
			 aligned[n].b[27] != n % 251;
	is_u64(wrong, 0, "room from %zu: %d of 28 bytes stay where arrays move", room, N);
	free(zeroed);
	free(raw);
	free(aligned);
	vec_policy(32 << 20, 2 << 20);
}

/* Where addresses are limited there is no room for what may come. */
static void test_few_addresses(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip("sanitizers want addresses themselves");
#else
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), from = (size_t)9 << 20,
		     to = (size_t)12 << 20;
	struct rlimit before, few;
	unsigned long pages = 0;
	unsigned char *v = NULL;
	size_t cap = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	int rc = vec_reserve_raw(&v, &cap, from, 1);

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	getrlimit(RLIMIT_AS, &before);
	few = before;
	few.rlim_cur = pages * page + 2 * to;
	if (rc || !pages || setrlimit(RLIMIT_AS, &few)) {
		skip("the number of pages is not known");
		free(v);
		return;
	}
	v[from - 1] = 7;
	rc = vec_reserve_raw(&v, &cap, cap + (to - from), 1);
	ok(rc == 0 && v[from - 1] == 7, "few addresses: %zu bytes", cap);
	setrlimit(RLIMIT_AS, &before);
	free(v);
#endif
}

int main(void)
{
	test_sizes(VEC_ROOM);
	test_sizes(2 << 20);
	test_growth();
	test_old_elements_stay();
	test_huge_pages();
	test_too_much();
	test_few_addresses();
	return done_testing();
}
