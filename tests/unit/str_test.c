/* str_test.c - views: comparing, cutting, searching, numbers, distances. */
#include "index/base/str.h"

#include "tests/support/tap.h"

/* Bytes of a literal, NULs included; {NULL, 0} is the view of nothing at all. */
#define S(lit)                          \
	{                               \
		"" lit, sizeof(lit) - 1 \
	}
static const struct str nothing;

static void test_cmp(void)
{
	static const struct {
		struct str a, b;
		int want;
	} cases[] = {
		{S("abc"), S("abc"), 0},    {S("abc"), S("abd"), -1},
		{S("ab"), S("abc"), -1},    {S(""), S(""), 0},
		{{NULL, 0}, S(""), 0},	    {{NULL, 0}, S("a"), -1},
		{S("a\0b"), S("a\0c"), -1}, {S("a\0b"), S("a"), 1},
		{S("\xff"), S("\x01"), 1},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int c = str_cmp(cases[i].a, cases[i].b), want = cases[i].want;
		int back = str_cmp(cases[i].b, cases[i].a);

		ok((c > 0) - (c < 0) == want && (back > 0) - (back < 0) == -want,
		   "cmp %zu: both ways", i);
		ok(str_eq(cases[i].a, cases[i].b) == (want == 0), "cmp %zu: eq", i);
	}
}

static void test_affixes(void)
{
	static const struct {
		struct str s, affix;
		bool starts, ends;
	} cases[] = {
		{S("fn=(1) main"), S("fn="), true, false},
		{S("lib.so"), S(".so"), false, true},
		{S("ab"), S("ab"), true, true},
		{S("ab"), S("abc"), false, false},
		{S("ab"), S(""), true, true},
		{{NULL, 0}, {NULL, 0}, true, true},
		{S("x\0y"), S("x\0"), true, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		ok(str_starts(cases[i].s, cases[i].affix) == cases[i].starts,
		   "starts %zu", i);
		ok(str_ends(cases[i].s, cases[i].affix) == cases[i].ends, "ends %zu", i);
	}
}

static void test_cuts(void)
{
	static const struct {
		struct str in, trimmed, base;
	} cases[] = {
		{S(" \t a b \r"), S("a b"), S(" \t a b \r")},
		{S("  "), S(""), S("  ")},
		{S(""), S(""), S("")},
		{{NULL, 0}, S(""), S("")},
		{S("/usr/lib/libc.so.6"), S("/usr/lib/libc.so.6"), S("libc.so.6")},
		{S("dir/"), S("dir/"), S("")},
		{S("\n"), S("\n"), S("\n")},
		{S("C:\\a\\x.c"), S("C:\\a\\x.c"), S("x.c")},
		{S("C:/a/x.c"), S("C:/a/x.c"), S("x.c")},
		{S("C:\\a/b\\x.c"), S("C:\\a/b\\x.c"), S("x.c")},
		{S("C:\\a\\b/x.c"), S("C:\\a\\b/x.c"), S("x.c")},
		{S("\\\\host\\a b\\x.c"), S("\\\\host\\a b\\x.c"), S("x.c")},
		{S("src\\main.rs"), S("src\\main.rs"), S("main.rs")},
		{S("/usr/a\\b"), S("/usr/a\\b"), S("a\\b")},
		{S("C:\\"), S("C:\\"), S("")},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		ok(str_eq(str_trim(cases[i].in), cases[i].trimmed), "trim %zu", i);
		ok(str_eq(str_basename(cases[i].in), cases[i].base), "basename %zu", i);
	}
	ok(str_eq(str_from(STR("abc"), 1), STR("bc")), "from 1");
	for (size_t n = 0; n < 9; n++) /* a, 2 bytes, 3 bytes, b */
		ok(str_cut(STR("a\xc3\xa9\xe6\x97\xa5z"), n).n ==
			   (size_t)("\0\1\1\3\3\3\6\7\7"[n]),
		   "cut between letters, %zu", n);
	ok(str_from(STR("abc"), 3).n == 0, "from the end");
	ok(str_from(STR("abc"), 99).n == 0, "from past the end is the end");
	ok(str_from(nothing, 0).n == 0 && str_from(nothing, 7).n == 0, "from of nothing");
	ok(str_c(NULL).n == 0 && str_c(NULL).p, "NULL is the empty view");
	ok(str_eq(str_c("abc"), STR("abc")), "a C string");
}

static void test_find(void)
{
	static const struct {
		struct str s, needle;
		size_t want;
	} cases[] = {
		{S("abcabc"), S("ca"), 2},   {S("aaab"), S("aab"), 1},
		{S("abc"), S("abcd"), 3},    {S("abc"), S(""), 0},
		{S("abc"), S("x"), 3},	     {S("abc"), S("c"), 2},
		{S(""), S("a"), 0},	     {{NULL, 0}, S("a"), 0},
		{S("a\0b\0c"), S("\0c"), 3}, {S("ab"), S("bb"), 2},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		is_u64(str_find_str(cases[i].s, cases[i].needle), cases[i].want,
		       "find a string %zu", i);
	is_u64(str_find(STR("a=b"), '='), 1, "find a byte");
	is_u64(str_find(STR("a=b"), 'x'), 3, "an absent byte is at the end");
	is_u64(str_find(nothing, 'x'), 0, "a byte in nothing");
	is_u64(str_find(STR("a\0b"), '\0'), 1, "NUL is a byte");
}

static void test_u64(void)
{
	static const struct {
		struct str s;
		bool good;
		uint64_t want;
	} cases[] = {
		{S("0"), true, 0},
		{S("42"), true, 42},
		{S("007"), true, 7},
		{S("0x1F"), true, 31},
		{S("0Xab"), true, 171},
		{S("18446744073709551615"), true, UINT64_MAX},
		{S("18446744073709551616"), false, 0},
		{S("99999999999999999999"), false, 0},
		{S("0xffffffffffffffff"), true, UINT64_MAX},
		{S("0x10000000000000000"), false, 0},
		{S(""), false, 0},
		{{NULL, 0}, false, 0},
		{S("0x"), false, 0},
		{S("12a"), false, 0},
		{S("0xg"), false, 0},
		{S("-1"), false, 0},
		{S("+1"), false, 0},
		{S(" 1"), false, 0},
		{S("1\0"), false, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t v = 12345;
		const char *name = cases[i].s.p ? cases[i].s.p : "(nothing)";

		ok(str_u64(cases[i].s, &v) == cases[i].good, "number '%s'", name);
		is_u64(v, cases[i].good ? cases[i].want : 12345, "value of '%s'", name);
	}
}

static void test_distance(void)
{
	static const struct {
		const char *a, *b;
		unsigned max, want;
	} cases[] = {
		{"main", "main", 3, 0},	     {"", "abc", 5, 3},
		{"abc", "", 5, 3},	     {"", "", 0, 0},
		{"kitten", "sitting", 5, 3}, {"kitten", "sitting", 2, 3},
		{"D1Mr", "D1mr", 2, 1},	     {"calleers", "callers", 2, 1},
		{"tpo", "top", 2, 1},	     {"ca", "abc", 5, 3},
		{"abcdef", "a", 2, 3},	     {"ba", "ab", 1, 1},
		{"xbay", "xaby", 1, 1},	     {"abcdefgh", "hgfedcba", 3, 4},
	};
	char longest[300];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str a = str_c(cases[i].a), b = str_c(cases[i].b);

		is_u64(str_distance(a, b, cases[i].max), cases[i].want,
		       "'%s' to '%s' in %u", cases[i].a, cases[i].b, cases[i].max);
		is_u64(str_distance(b, a, cases[i].max), cases[i].want, "and back");
	}
	memset(longest, 'a', sizeof(longest));
	is_u64(str_distance((struct str){longest, 128}, (struct str){longest, 128}, 2), 0,
	       "the longest that is compared");
	is_u64(str_distance((struct str){longest, 129}, (struct str){longest, 129}, 2), 3,
	       "longer ones are far");
}

static void test_hash(void)
{
	is_u64(str_hash(STR("")), 0x2d06800538d394c2, "XXH3-64 of nothing");
	is_u64(str_hash(nothing), str_hash(STR("")), "without an address too");
	ok(str_hash(STR("a\0b")) != str_hash(STR("a\0c")), "every byte counts");
}

int main(void)
{
	test_cmp();
	test_affixes();
	test_cuts();
	test_find();
	test_u64();
	test_distance();
	test_hash();
	return done_testing();
}
