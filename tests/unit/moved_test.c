/* moved_test.c - which prefix of two paths differs. */
#include "engine/names/moved.h"
#include "tests/support/tap.h"

static const struct {
	const char *name, *now, *base;
	const char *from, *to; /* NULL: there is no guess */
} cases[] = {
	{"another root", "/home/me/src/a.c", "/build/src/a.c", "/home/me", "/build"},
	{"only the directory", "/a/x.c", "/b/x.c", "/a", "/b"},
	{"whole components", "/a/my.c", "/b/y.c", NULL, NULL},
	{"a base name alone", "x.c", "/b/x.c", NULL, NULL},
	{"nothing in front, now", "/src/a.c", "/build/src/a.c", NULL, NULL},
	{"nothing in front, then", "/build/src/a.c", "/src/a.c", NULL, NULL},
	{"the same", "/src/a.c", "/src/a.c", NULL, NULL},
	{"empty", "", "", NULL, NULL},
};

int main(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str from = {"", 0}, to = from;
		int rc = moved_guess(str_c(cases[i].now), str_c(cases[i].base), &from,
				     &to);

		is_u64(rc == 0, cases[i].from != NULL, "%s", cases[i].name);
		ok(str_eq(from, str_c(cases[i].from ? cases[i].from : "")) &&
			   str_eq(to, str_c(cases[i].to ? cases[i].to : "")),
		   "  %.*s=%.*s", STR_ARG(from), STR_ARG(to));
	}
	return done_testing();
}
