/*
 * starved_test.c - every kind of question with too little memory, more by more, so that each
 * request is refused once: "out of memory" or the answer, never some of the rows, and the
 * session answers again afterwards.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/query.h"
#include "engine/files/roots.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "index/build.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"

static struct store *open_profile(const char *path)
{
	struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};

	fuzz_directory();
	if (build_open(path, &opts, &st, &report, &err))
		printf("Bail out! %s\n", err.text);
	return st;
}

static int ask(struct session *s, const char *query, uint64_t bytes, struct out *to)
{
	struct session_limits limits = {.arena_bytes = bytes};

	out_mem(to);
	session_set_limits(s, &limits);
	return fuzz_ask(s, str_c(query), FORMAT_CSV, to);
}

static struct store *open_text(const char *text, size_t n)
{
	char path[200];
	struct store *st;
	FILE *f;

	snprintf(path, sizeof(path), "%s/p", fuzz_directory());
	f = fopen(path, "w");
	if (!f || fwrite(text, 1, n, f) != n || fclose(f))
		fuzz_fail("cannot write %s", path);
	st = open_profile(path);
	unlink(path);
	return st;
}

/* Returns how often there was too little, from so many bytes on and below so many. */
static unsigned starve_from(struct session *s, const char *query, uint64_t from,
			    uint64_t to)
{
	struct out want, got;
	int kind = ask(s, query, 0, &want);
	unsigned starved = 0;

	for (uint64_t bytes = from, more; bytes < to; bytes = more) {
		int k = ask(s, query, bytes, &got);
		bool same = k == kind && got.n == want.n &&
			    (!got.n || memcmp(got.buf, want.buf, got.n) == 0);

		if (k == ERR_LIMIT && kind != ERR_LIMIT)
			starved++;
		else if (!same)
			ok(false,
			   "%s with %llu bytes: status %d instead of %d, %zu bytes of %zu",
			   query, (unsigned long long)bytes, k, kind, got.n, want.n);
		out_close(&got);
		/* A second arena has a request that is not known. */
		more = fuzz_wanted() > bytes ? fuzz_wanted() : bytes + bytes / 12 + 64;
	}
	out_close(&want);
	return starved;
}

static unsigned starve(struct session *s, const char *query)
{
	return starve_from(s, query, 1, 4 << 20);
}

/* Of what it takes the last so many bytes are missing, and fewer, but no fewer than so many. */
static unsigned starve_end(struct session *s, const char *query, uint64_t last,
			   uint64_t least)
{
	struct out o;

	ask(s, query, 0, &o);
	out_close(&o);
	return starve_from(s, query, fuzz_used() - last, fuzz_used() - least);
}

/* That question, or one in `every` of them all. */
static void run(const char *path, const char *question, unsigned every)
{
	struct store *st = open_profile(path);
	struct session *s = st ? fuzz_session(st) : NULL;
	unsigned starved = 0;

	if (!ok(s != NULL, "%s", path))
		return;
	if (question)
		starved = starve(s, question);
	else
		for (unsigned i = 0; i == 0 || fuzz_question(i) != fuzz_question(0); i++)
			if (i % every == 0)
				starved += starve(s, fuzz_question(i));
	ok(starved > 100, "questions that had too little memory: %u", starved);
	session_free(s);
	store_close(st);
}

/* What no question of fuzzing.c grows as far: more columns than there is room for at first,
 * results that are kept. */
static void run_columns(void)
{
	static const char *const questions[] = {
		"functions | group by file: count() as a, count() as b, count() as c, "
		"count() as d, count() as e, count() as f, count() as g, count() as h, "
		"count() as i, count() as j, count() as k, count() as l, count() as m, "
		"count() as n, count() as o, count() as p",
		"functions | group by fn, file, obj, line, self, incl, calls, cycle, "
		"self + 1 as a, self + 2 as b, self + 3 as c, self + 4 as d, self + 5 as e, "
		"self + 6 as f, self + 7 as g",
		"functions | group by fn, file, obj, line, self, incl, calls, cycle, "
		"self + 1 as a, self + 2 as b, self + 3 as c, self + 4 as d, self + 5 as e, "
		"self + 6 as f, self + 7 as g, self + 8 as h",
		"functions | group by file: sum(self) | where sum(self) > 1",
		"functions | count",
		"functions | add x = self / cycle; _ | take 2",
		"functions | show fn, self.Zero%, incl.Zero% | sort -self.Zero%",
		"functions of not \"\\x\"",
		"top 3 by Zero",
		"hide x | events",
		"hide x | top 2 by Zero",
		"hide x | calltree from * by Zero",
		"hide x | path from a to z by Zero",
		"calltree from * depth 9 | group by fn: sum(est), max(est), avg(incl)",
		"calltree from * depth 9 | add a = est * 2 | sum",
		"calltree from a depth 9 | group by fn: sum(est)",
		"focus d | functions | group by file: sum(self)",
		"all paths from c to d",
		"all paths from (a, c) to (d, z)",
		"all 2 paths from a to z",
		"shortest 3 paths from * to z",
		"cost of y under b",
		"cost of (d, z) under (a, c)",
		"functions | show fn, self.Zero, incl.Zero | sum",
		"functions | show self, self.Zero | sum | show Zero",
		"functions | where file = \"a.c\"",
		"functions | where \"g.c\" != file",
		"functions of \"c*\"",
		"callsites of *",
		"functions vs base | group by fn",
		"functions | add r = self / calls | add q = r / 2 | sum",
		"functions | add self = 1 | show self, Zero, Ir",
		"collapse by file | lines",
		"collapse by file | callsites of *",
		"functions vs base | show fn, base.Zero, delta.Zero",
		"functions vs base | show fn, base, delta%, change",
	};
	static const char text[] =
		"events: Ir Zero\nfl=a.c\nfn=a\n1 5\ncfn=b\ncalls=2 1\n1 90\n"
		"cfn=c\ncalls=1 1\n2 60\nfn=b\n1 7\ncfn=c\ncalls=3 1\n3 50\ncfn=d\n"
		"calls=3 1\n3 20\nfn=c\n1 3\ncfn=d\ncalls=5 1\n3 70\nfn=d\n4 9\n"
		"cfn=c\ncalls=1 1\n4 5\ncfn=x\ncalls=8 1\n5 60\ncfn=m\ncalls=3 1\n"
		"6 100\nfn=b\ncfn=m\ncalls=3 1\n7 90\nfn=m\n1 1\ncfn=y\ncalls=2 1\n"
		"2 100\ncfn=z\ncalls=2 1\n3 90\nfn=y\n1 100\nfn=x\n6 1\ncfn=z\n"
		"calls=9 1\n3 30\nfl=g.c\nfn=g\n6 6\ncfn=x\ncalls=1 1\n3 3\nfn=z\n"
		"1 30\n";
	struct store *st;
	struct session *s;
	unsigned starved = 0;

	st = open_text(text, sizeof(text) - 1);
	s = st ? fuzz_session(st) : NULL;
	if (!ok(s != NULL, "a profile of an event without costs"))
		return;
	for (size_t i = 0; i < COUNT(questions); i++)
		starved += starve(s, questions[i]);
	ok(starved > 300, "many columns had too little memory: %u", starved);
	session_free(s);
	store_close(st);
}

/* Text of a source beside the costs: tap.h has tabs. */
static void run_source(void)
{
	static const char *const questions[] = {"source of *", "lines of *",
						"lines of * | show text, line",
						"top 3 lines", "info"};
	static char path[200];
	FILE *f;
	struct roots *roots;
	struct err err = {0};
	struct store *st;
	struct session *s;
	unsigned starved = 0;

	snprintf(path, sizeof(path), "%s/p", fuzz_directory());
	f = fopen(path, "w");
	if (!f ||
	    fputs("events: Ir\nfl=tap.h\nfn=f\n22 1\n+30 5\n+1 2\ncfn=g\n"
		  "calls=1 1\n+3 4\nfn=g\n90 4\n9000 1\nwhat\n",
		  f) < 0 ||
	    fclose(f) || roots_new(&roots, &err) || roots_add(roots, "tests", true, &err))
		fuzz_fail("%s", err.text);
	/* Older than tap.h, which has to be said. */
	utimensat(AT_FDCWD, path, (struct timespec[2]){{1000, 0}, {1000, 0}}, 0);
	st = open_profile(path);
	s = st ? fuzz_session(st) : NULL;
	if (!ok(s != NULL, "a profile of tap.h"))
		return;
	session_set_roots(s, roots, NULL);
	for (size_t i = 0; i < COUNT(questions); i++)
		starved += starve(s, questions[i]);
	ok(starved > 50, "text beside costs had too little memory: %u", starved);
	session_free(s);
	store_close(st);
	roots_free(roots);
	unlink(path);
}

/* A listing of more rows than there is room for at first: any row may be the one too many. */
static void run_long_listing(void)
{
	struct roots *roots;
	struct err err = {0};
	unsigned starved = 0;
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/long.c", fuzz_directory());
	f = fopen(path, "w");
	for (int i = 0; f && i < 900; i++)
		fprintf(f, "line %d\n", i);
	if (!f || fclose(f) || roots_new(&roots, &err) ||
	    roots_add(roots, fuzz_directory(), true, &err))
		fuzz_fail("%s", err.text);
	for (unsigned more = 0; more < 8; more++) {
		struct session *s;
		struct store *st;
		struct out o;

		out_mem(&o);
		out_c(&o, "events: Ir\nfl=long.c\nfn=f\n");
		for (unsigned i = 1; i <= more; i++)
			out_printf(&o, "%u 1\n", i);
		for (unsigned i = 20; i < 900; i += 12)
			out_printf(&o, "%u 1\n", i);
		st = open_text(o.buf, o.n);
		out_close(&o);
		if (!st || !(s = fuzz_session(st)))
			fuzz_fail("no session");
		session_set_roots(s, roots, NULL);
		starved += starve_from(s, "source of f", 20000, 4 << 20);
		session_free(s);
		store_close(st);
	}
	ok(starved > 100, "long listings had too little memory: %u", starved);
	roots_free(roots);
	unlink(path);
}

/* Few callees, and then more than there is room for at first. */
static void run_tree(void)
{
	struct store *st;
	struct session *s;
	unsigned starved = 0;
	struct out o;

	out_mem(&o);
	out_c(&o, "events: Ir\nfl=a.c\nfn=r\n1 1\n");
	for (int i = 0; i < 3; i++)
		out_printf(&o, "cfn=f%d\ncalls=1 1\n2 100\n", i);
	for (int i = 0; i < 3; i++) {
		out_printf(&o, "fn=f%d\n1 1\n", i);
		for (int k = 0; k < 90; k++)
			out_printf(&o, "cfn=g%d\ncalls=1 1\n2 %d\n", k, k + i);
	}
	st = open_text(o.buf, o.n);
	out_close(&o);
	s = st ? fuzz_session(st) : NULL;
	if (!ok(s != NULL, "a profile of many callees"))
		return;
	starved = starve(s, "calltree from r depth all") +
		  starve(s, "calltree to g9 depth all");
	ok(starved > 30, "a tree had too little memory: %u", starved);
	session_free(s);
	store_close(st);
}

/* So many rows that they are shown page by page (table.c). */
static void run_pages(void)
{
	struct store *st;
	struct session *s;
	unsigned starved;
	struct out o;

	out_mem(&o);
	out_c(&o, "events: Ir Dr\n");
	for (int i = 0; i < (1 << 18) + 100; i++)
		out_printf(&o, "fn=%d\n1 7 1\n", i);
	st = open_text(o.buf, o.n);
	out_close(&o);
	s = st ? fuzz_session(st) : NULL;
	if (!ok(s != NULL, "a profile of many functions"))
		return;
	/* Only what comes last is of pages: what holds them, then the pages. */
	starved = starve_end(s, "functions | show fn, self", 5 << 18, 0) +
		  starve_end(s, "functions | show fn, cum%", 20 << 18, 0) +
		  starve_end(s, "hide 7 | functions | show fn, self.Dr", 20 << 18, 0) +
		  starve_end(s, "functions", 18 << 18, 14 << 18);
	ok(starved > 5, "pages had too little memory: %u", starved);
	session_free(s);
	store_close(st);
}

/* By a few bytes more each time: a request may be refused whose size is not told, of an arena
 * besides the query's, or of a text that nobody looks at. */
static void run_finely(void)
{
	static const char *const questions[] = {
		"callsites",
		"top 3",
		"calltree from a depth 9 | group by fn: sum(est)",
	};
	static const char text[] =
		"events: Ir\nfl=a.c\nfn=a\n1 5\ncfn=c\ncalls=2 1\n1 90\n+1 2\nfn=b\n1 7\n"
		"cfn=c\ncalls=3 1\n3 50\nfn=c\n1 3\ncfn=d\ncalls=5 1\n3 70\nfn=d\n4 9\n";
	struct store *st = open_text(text, sizeof(text) - 1);
	struct session *s = st ? fuzz_session(st) : NULL;
	unsigned starved = 0;

	if (!ok(s != NULL, "a small profile"))
		return;
	for (size_t i = 0; i < COUNT(questions); i++) {
		struct out want, got;
		int kind = ask(s, questions[i], 0, &want);
		size_t most = fuzz_used();

		for (size_t bytes = 16; bytes <= most; bytes += 16) {
			int k = ask(s, questions[i], bytes, &got);

			starved += k == ERR_LIMIT;
			if (k != ERR_LIMIT && (k != kind || got.n != want.n ||
					       memcmp(got.buf, want.buf, got.n) != 0))
				ok(false,
				   "%s with %zu bytes of %zu: status %d, %zu bytes",
				   questions[i], bytes, most, k, got.n);
			out_close(&got);
		}
		ok(kind == 0 && want.n > 20, "%s, %zu bytes of memory", questions[i],
		   most);
		out_close(&want);
	}
	ok(starved > 100, "by a few bytes: %u had too little memory", starved);
	session_free(s);
	store_close(st);
}

/* The last result again, with less memory than it took. */
static void run_last(void)
{
	struct store *st = open_profile("tests/fixtures/small/mutual-default.out");
	struct session *s = st ? fuzz_session(st) : NULL;
	unsigned starved = 0;
	bool all = false;

	if (!ok(s != NULL, "a session with a last result"))
		return;
	for (uint64_t bytes = 1; !all && bytes < 4 << 20;
	     bytes += 1 + fuzz_wanted() / 16) {
		struct out o;
		int kind;

		kind = ask(s, "top 9", 0, &o);
		out_close(&o);
		if (kind)
			ok(false, "top 9: status %d", kind);
		kind = ask(s, "_ | take 2", bytes, &o);
		all = kind == 0;
		starved += kind == ERR_LIMIT;
		if (all ? !o.n : kind != ERR_LIMIT || o.n)
			ok(false, "_ with %llu bytes: status %d, %zu bytes",
			   (unsigned long long)bytes, kind, o.n);
		out_close(&o);
	}
	ok(all && starved > 5, "the last result had too little memory: %u", starved);
	session_free(s);
	store_close(st);
}

/* Functions that only their directory tells apart, beside those that both have. */
static void run_vs(void)
{
	static const char now
		[] = "events: Ir\nfl=/a/x.c\nfn=f\n1 3\nfn=g\n1 9\nfl=/q/y.c\nfn=h\n1 5\n"
		     "cfn=f\ncalls=1 1\n1 2\n",
	     then[] =
		     "events: Ir\nfl=/b/x.c\nfn=f\n1 4\nfn=g\n1 9\nfl=/q/y.c\nfn=h\n1 4\n"
		     "cfn=f\ncalls=1 1\n1 3\nfn=gone\n1 1\nfn=b::gone\n1 2\n";
	struct store *st = open_text(now, sizeof(now) - 1),
		     *base = open_text(then, sizeof(then) - 1);
	struct session *s;
	struct err err = {0};
	unsigned starved;

	if (!ok(!session_new(&s, &err) && !session_add(s, STR("now"), st, &err) &&
			!session_add(s, STR("base"), base, &err),
		"two profiles"))
		return;
	starved = starve(s, "functions vs base") + starve(s, "in now | top vs base");
	ok(starved > 20, "vs had too little memory: %u", starved);
	starved =
		starve(s, "functions of (gone or #1) vs base") +
		starve(s,
		       "collapse file:\"x.c\" as x | functions of (gone or #1) vs base");
	starved += starve(s, "calltree from h vs base") +
		   starve(s, "hide (gone or #0) | functions vs base");
	ok(starved > 20, "vs of functions had too little memory: %u", starved);
	session_free(s);
	store_close(st);
	store_close(base);
}

/* Names for Tab. */
static void run_names(void)
{
	struct store *st = open_profile("tests/fixtures/small/mutual-default.out");
	struct session *s = st ? fuzz_session(st) : NULL;
	unsigned starved = 0;
	size_t n = 0;

	if (!ok(s != NULL, "a session to complete in"))
		return;
	for (size_t bytes = 16; n == 0 && bytes < 1 << 20; bytes += 16) {
		struct err err = {0};
		struct str *names;
		struct arena a;
		int rc;

		arena_init(&a, bytes);
		rc = query_complete_function(s, STR("m"), 5, &a, &names, &n, &err);
		starved += rc == ERR_LIMIT;
		if (rc && (rc != ERR_LIMIT || n))
			ok(false, "%zu bytes: status %d: %s", bytes, rc, err.text);
		arena_free(&a);
	}
	ok(starved > 5 && n > 1, "names had too little memory: %u", starved);
	session_free(s);
	store_close(st);
}

/* EVERY: ask one question in so many. */
int main(int argc, char **argv)
{
	unsigned every = argc > 1		   ? (unsigned)atoi(argv[1])
			 : getenv("QUERN_TORTURE") ? 1
						   : 3;

	run("tests/fixtures/quirks/z_mut.cg", NULL, every);
	run("tests/fixtures/quirks/t_parts.cg", NULL, every);
	run("tests/fixtures/small/mutual-default.out", NULL, every);
	/* Names that are put together. */
	run("tests/fixtures/names/shapes-cpp.out", "functions | show fn, short", 1);
	run_columns();
	run_source();
	run_long_listing();
	run_tree();
	run_pages();
	run_vs();
	run_last();
	run_finely();
	run_names();
	return done_testing();
}
