/* moved_test.c - files and objects that are another one for comparison. */
#include "engine/compare/moved.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "tests/support/tap.h"

static const struct {
	const char *name, *rule, *path;
	const char *file, *object; /* what it is compared as */
} cases[] = {
	{"below A", "/home/me=/build", "/home/me/a.c", "/build/a.c", "/home/me/a.c"},
	{"A itself", "/home/me=/build", "/home/me", "/build", "/build"},
	{"whole components", "/home/m=/build", "/home/me/a.c", "/home/me/a.c",
	 "/home/me/a.c"},
	{"relative to A", "/home/me=", "/home/me/a.c", "a.c", "/home/me/a.c"},
	{"slashes at the ends", "/home/me/=/build/", "/home/me//a.c", "/build/a.c",
	 "/home/me//a.c"},
	{"an object by its base name", "app-1=app", "/usr/bin/app-1", "/usr/bin/app-1",
	 "app"},
	{"an object by its path", "/opt/x/app-1=/opt/y/app", "/opt/x/app-1", "/opt/y/app",
	 "/opt/y/app"},
};

int main(void)
{
	struct arena a;
	struct err err = {0};

	arena_init(&a, 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct moved m = {0};
		struct str path = str_c(cases[i].path), got;

		ok(!moved_add(&m, str_c(cases[i].rule), &err), "%s", cases[i].name);
		got = moved_file(&m, path, &a);
		ok(str_eq(got, str_c(cases[i].file)), "  file %.*s", STR_ARG(got));
		got = moved_object(&m, path);
		ok(str_eq(got, str_c(cases[i].object)), "  object %.*s", STR_ARG(got));
		moved_clear(&m);
	}
	arena_free(&a);
	return done_testing();
}
