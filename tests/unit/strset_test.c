/* strset_test.c - every string has one number; copies outlive what they are copies of. */
#include "index/base/strset.h"

#include <stdio.h>

#include "tests/support/tap.h"

static void test_numbers(void)
{
	static const struct {
		const char *name, *text;
		uint32_t want;
	} cases[] = {
		{"the first", "main", 0},	{"another", "read", 1},
		{"the first again", "main", 0}, {"a prefix", "mai", 2},
		{"the empty string", "", 3},	{"the empty string again", "", 3},
	};
	struct strset t = {0};

	for (size_t i = 0; i < COUNT(cases); i++)
		is_u64(strset_add(&t, str_c(cases[i].text)), cases[i].want, "%s",
		       cases[i].name);
	is_u64(t.n, 4, "four strings");
	ok(str_eq(t.at[2], STR("mai")), "by number");
	strset_free(&t);
	is_u64(t.n, 0, "it is empty again");
}

static void test_copies(void)
{
	enum { MANY = 5000 };
	struct strset t = {0};
	uint32_t wrong = 0;
	char text[16];

	is_u64((uint64_t)strset_expect(&t, MANY), 0, "room");
	for (uint32_t again = 0; again < 2; again++)
		for (uint32_t i = 0; i < MANY; i++) {
			snprintf(text, sizeof(text), "fn%u", i);
			wrong += strset_copy(&t, str_c(text)) != i;
		}
	is_u64(wrong, 0, "strings written over are found by their copies");
	is_u64(t.n, MANY, "each once");
	strset_free(&t);
}

int main(void)
{
	test_numbers();
	test_copies();
	return done_testing();
}
