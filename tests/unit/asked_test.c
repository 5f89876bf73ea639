/*
 * asked_test.c - every function of every fixture can be asked for: by its full name in
 * quotes, and by its short name, bare, unless the language says that it needs quotes.
 */
#include <dirent.h>
#include <stdlib.h>

#include "engine/lang/result.h"
#include "engine/names/name.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/build.h"
#include "tests/support/tap.h"

struct names {
	struct str *fn, *short_;
	const uint64_t *id;
	size_t n;
};

static struct session *session;
static struct arena kept, scratch;

static int keep(void *arg, const struct result *r, struct err *err)
{
	struct names *n = arg;
	const struct column *fn = result_col(r, STR("fn")),
			    *s = result_col(r, STR("short"));

	(void)err;
	n->n = r->rows;
	n->fn = ARENA_ARRAY(&kept, struct str, r->rows + 1);
	n->short_ = ARENA_ARRAY(&kept, struct str, r->rows + 1);
	for (size_t i = 0; i < r->rows; i++) {
		n->fn[i] = arena_str(&kept, fn->s[i]);
		n->short_[i] = arena_str(&kept, s->s[i]);
	}
	return 0;
}

struct wanted {
	struct str fn;
	bool found;
};

static int look(void *arg, const struct result *r, struct err *err)
{
	struct wanted *w = arg;
	const struct column *fn = result_col(r, STR("fn"));

	(void)err;
	for (size_t i = 0; i < r->rows && !w->found; i++)
		w->found = str_eq(fn->s[i], w->fn);
	return 0;
}

static bool finds(struct str name, struct str fn, struct err *err)
{
	static const char before[] = "find ", after[] = " | show fn";
	char *text = arena_alloc(&scratch, name.n + sizeof(before) + sizeof(after));
	struct wanted w = {fn, false};
	size_t n = sizeof(before) - 1;

	/* A name may have NUL bytes. */
	memcpy(text, before, n);
	memcpy(text + n, name.p, name.n);
	memcpy(text + n + name.n, after, sizeof(after));
	err_clear(err);
	query_run(session, (struct str){text, n + name.n + sizeof(after) - 1}, &scratch,
		  look, &w, err);
	return w.found;
}

/* Bytes that no bare name has: what follows "operator", and those of no language. */
static bool is_odd(struct str s)
{
	if (str_find_str(s, STR("operator")) < s.n || s.n == 0 || s.p[0] == '#' ||
	    s.p[0] == '$' || str_eq(s, STR("and")) || str_eq(s, STR("or")) ||
	    str_eq(s, STR("not")))
		return true;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') ||
			     (c && strchr("_~:.@$*?-{}<>+/\\", c));

		/* "(" is Go's receiver, or a name that is a group with a blank in it. */
		if (!plain && !(c == '(' && i > 0 && s.p[i - 1] == '.') &&
		    !(c == ')' && str_find_str(s, STR(".(*")) < s.n))
			return true;
	}
	return s.p[0] == '/' || s.p[0] == '-' || s.p[0] == '+' || s.p[0] == '.' ||
	       s.p[0] == '?' || s.p[0] == '@' || s.p[0] == '\\' ||
	       str_find_str(s, STR("::<")) < s.n;
}

static void ask_all(const char *path, const struct names *n)
{
	size_t exact = 0, bare = 0, refused = 0, odd = 0;
	struct err err = {0};

	for (size_t i = 0; i < n->n; i++) {
		arena_reset(&scratch);
		if (finds(name_quoted(n->fn[i], &scratch), n->fn[i], &err))
			exact++;
		else
			fprintf(stderr, "# not found: \"%.*s\": %s\n", STR_ARG(n->fn[i]),
				err.text);
		if (finds(n->short_[i], n->fn[i], &err)) {
			bare++;
		} else if (is_odd(n->short_[i])) {
			odd++;
		} else {
			refused++;
			fprintf(stderr, "# not found bare: %.*s: %s\n",
				STR_ARG(n->short_[i]), err.text);
		}
	}
	is_u64(exact, n->n, "%s: by their full names", path);
	is_u64(refused, 0, "%s: bare, %zu of %zu (%zu need quotes)", path, bare, n->n,
	       odd);
}

static void run_profile(const char *path)
{
	struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report;
	struct names n = {0};
	struct store *st = NULL;
	struct err err = {0};

	if (build_open(path, &opts, &st, &report, &err))
		return; /* some fixtures are there to be refused */
	arena_init(&kept, 0);
	arena_init(&scratch, 0);
	if (session_new(&session, &err) || session_add(session, STR("p"), st, &err) ||
	    query_run(session, STR("functions | show fn, short"), &kept, keep, &n, &err))
		ok(false, "%s: %s", path, err.text);
	else
		ask_all(path, &n);
	session_free(session);
	arena_free(&kept);
	arena_free(&scratch);
	store_close(st);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One file in `every`. */
static void run_directory(const char *dir, size_t every)
{
	char *names[200], path[400];
	struct dirent *e;
	DIR *d = opendir(dir);
	size_t n = 0;

	while (d && (e = readdir(d)) && n < COUNT(names))
		if (strstr(e->d_name, ".out") || strstr(e->d_name, ".cal") ||
		    strstr(e->d_name, ".cg"))
			if (!strstr(e->d_name, ".quern"))
				names[n++] = strdup(e->d_name);
	if (d)
		closedir(d);
	if (n == 0) {
		skip("the fixtures are not below the current directory");
		return;
	}
	qsort(names, n, sizeof(*names), compare);
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (i % every == 0)
			run_profile(path);
		free(names[i]);
	}
}

/* EVERY: read one fixture in so many, under valgrind. */
int main(int argc, char **argv)
{
	size_t every = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	run_directory("tests/fixtures/names", every);
	run_directory("tests/fixtures/small", every);
	run_directory("tests/fixtures/quirks", every);
	return done_testing();
}
