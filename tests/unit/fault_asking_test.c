/*
 * fault_asking_test.c - every place of a question that allocates, calls the system or looks
 * at the clock, refused once.
 *
 * Or Ctrl-C comes there, or the index or the profile shrinks.  What comes out is the right
 * answer or an error in words, and no memory is lost.  fault_test.c does it to builds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/files/roots.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/out.h"
#include "tests/support/faults.h"
#include "tests/support/fuzzing.h"
#include "tests/support/pack.h"
#include "tests/support/tap.h"

static struct out grown; /* the text of a profile or a source */

/* NULL: there are no more. */
static const char *question(unsigned i)
{
	return i && fuzz_question(i) == fuzz_question(0) ? NULL : fuzz_question(i);
}

static char profile_path[300], index_path[300];

static struct roots *roots; /* of sources and objects; NULL: none */

static struct session *session_of(struct store *st)
{
	struct session *s = faults_session(st);

	if (roots)
		session_set_roots(s, roots, roots);
	return s;
}

/* The index is opened anew for each question: what is read of it stays there. */
static struct store *indexed(void)
{
	struct store *st;
	struct err err = {0};

	if (store_open(index_path, true, &st, &err))
		fuzz_fail("%s", err.text);
	return st;
}

/* One fault: the answer, or an error that is of its kind. */
static void refuse_one(const char *q, const char *fault, int kind, const struct out *want)
{
	struct store *st = indexed();
	struct session *s = session_of(st);
	unsigned lost = out_lost();
	struct out got;
	bool well;
	int now;

	out_mem(&got);
	faults_arm(fault);
	now = fuzz_ask(s, str_c(q), FORMAT_CSV, &got);
	faults_arm(NULL);
	if (now == kind)
		well = got.n == want->n && memcmp(got.buf, want->buf, got.n) == 0;
	else
		well = now == ERR_LIMIT || (fault[0] == 'm' && now == ERR_INDEX) ||
		       (fault[0] == 's' && now != 0);
	/* A listing says in its place why there is no text. */
	well |= roots && now == kind &&
		str_find_str((struct str){got.buf, got.n}, STR(": no text: ")) < got.n;
	/* What the answer is written to may have lacked it. */
	if (!well && out_lost() == lost)
		ok(false, "%s: %s: status %d instead of %d, %zu bytes of %zu\n%.*s",
		   fault, q, now, kind, got.n, want->n, (int)got.n, got.n ? got.buf : "");
	out_close(&got);
	session_free(s);
	store_close(st);
}

static unsigned refuse_each(const char *q, char class, int error)
{
	static uint64_t hash[FAULTS_ROOM];
	struct store *st = indexed();
	struct session *s = session_of(st);
	unsigned long *k;
	struct out want;
	size_t n;
	int kind;

	out_mem(&want);
	faults_arm(NULL);
	faults_record(class, hash, FAULTS_ROOM);
	kind = fuzz_ask(s, str_c(q), FORMAT_CSV, &want);
	k = faults_stacks(hash, faults_record(class, NULL, 0), false, &n);
	session_free(s);
	store_close(st);
	for (size_t i = 0; i < n; i++) {
		char fault[40];

		snprintf(fault, sizeof(fault), "%s:%lu:%d",
			 class == 'm'	? "mem"
			 : class == 'c' ? "clk"
					: "sys",
			 k[i], error);
		refuse_one(q, fault, kind, &want);
	}
	free(k);
	out_close(&want);
	return (unsigned)n;
}

static void index_set(const char *const *path, size_t files)
{
	struct build_opts opts = {.jobs = 1, .rebuild = true, .index_path = index_path};
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};

	if (build_open_set(path, files, &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	store_close(st);
}

static void ask_index(const char *name)
{
	unsigned failed = tap_failed, n = 0;

	for (unsigned i = 0; question(i) && tap_failed < failed + 20; i++) {
		n += refuse_each(question(i), 'm', ENOMEM);
		n += refuse_each(question(i), 's', EIO);
		n += refuse_each(question(i), 'c', EIO);
	}
	ok(tap_failed == failed && n > 5, "questions of %s: %u new places", name, n);
}

static void ask_all(const char *const *path, size_t files)
{
	index_set(path, files);
	ask_index(path[0]);
}

/* Each function with so many lines and calls, in two parts. */
static void more_lines(int arg)
{
	grown.n = 0;
	out_c(&grown, "events: Ir\nfl=a.c\n");
	for (int part = 1; part <= 2; part++) {
		out_printf(&grown, "part: %d\nfn=f\n1 1\n", part);
		for (int i = 1; i < arg; i++)
			out_printf(&grown, i % 2 ? "+1 1\n" : "cfn=g\ncalls=1 1\n+1 1\n");
	}
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

/* More is derived from known events. */
static void derived_events(int arg)
{
	static const char profile[] =
		"events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim e0 e1 e2\n"
		"fl=a.c\nfn=f\n1 1 2 3 4 5 6 7 8 9\ncfn=g\ncalls=1 1\n1 1 1 1\n"
		"fn=g\n1 1 1 1 1\n";

	(void)arg;
	faults_empty();
	faults_put("p", profile, sizeof(profile) - 1);
}

/* A few questions of a profile, which is made again for each of so many arguments. */
static void ask_growing(const char *name, void (*prepare)(int), int from, int to,
			int step, const char *const *questions)
{
	unsigned failed = tap_failed, n = 0;
	const char *path = profile_path;

	for (int arg = from; arg < to && tap_failed < failed + 20; arg += step) {
		prepare(arg);
		index_set(&path, 1);
		for (size_t i = 0; questions[i]; i++)
			n += refuse_each(questions[i], 'm', ENOMEM);
	}
	ok(tap_failed == failed && n > 0, "questions of %s: %u new places", name, n);
}

/* Text and instructions beside costs.  objdump is a script that prints always the same. */
static void ask_listings(void)
{
	static const char profile[] =
		"positions: instr line\nevents: Ir\nob=o\nfl=s.c\nfn=f\n"
		"0x401000 1 5\n0x401100 400 7\n";
	static const char script[] =
		"#!/bin/sh\ni=4198400\nwhile [ $i -lt 4199900 ]; do\n"
		"printf '  %x:\\tnop with %0100d bytes behind it\\n' $i 100\n"
		"i=$((i+1))\ndone\n";
	static const char *const questions[] = {"asm of f", "source of f", "lines of f"};
	unsigned failed = tap_failed, n = 0;
	const char *path = profile_path;
	char before[4096];
	struct err err = {0};

	faults_empty();
	faults_put("p", profile, sizeof(profile) - 1);
	faults_put("o", "an object", 9);
	faults_put("objdump", script, sizeof(script) - 1);
	chmod(faults_path("objdump"), 0755);
	grown.n = 0;
	for (int i = 1; i < 900; i++)
		out_printf(&grown, "line %d\n", i);
	faults_put("s.c", grown.buf, grown.n);
	snprintf(before, sizeof(before), "%s", getenv("PATH") ? getenv("PATH") : "");
	setenv("PATH", faults_dir, 1);
	if (roots_new(&roots, &err) || roots_add(roots, faults_dir, true, &err))
		fuzz_fail("%s", err.text);
	index_set(&path, 1);
	for (size_t i = 0; i < COUNT(questions); i++) {
		n += refuse_each(questions[i], 'm', ENOMEM);
		n += refuse_each(questions[i], 's', EIO);
	}
	roots_free(roots);
	roots = NULL;
	setenv("PATH", before, 1);
	ok(tap_failed == failed && n > 20, "listings: %u new places", n);
}

/* ---- what is no question ---- */

static int explain_all(struct session *s, struct err *err)
{
	struct arena a;
	struct str out;
	int rc = 0;

	arena_init(&a, 0);
	for (unsigned i = 0; question(i) && !rc; i++)
		rc = query_explain(s, str_c(question(i)), &a, &out, err);
	arena_free(&a);
	session_rename_none(s); /* forget the pairs */
	return rc;
}

/* More than the table of guarded maps has room for at first. */
static int map_many(struct err *err)
{
	static struct map map[400];
	int fd = open(faults_path("p"), O_RDONLY | O_CLOEXEC), rc = fd < 0, n = 0;

	while (!rc && n < (int)COUNT(map))
		if (!(rc = map_open(&map[n], fd, 100, "p", err)))
			n++;
	while (n)
		map_close(&map[--n]);
	close(fd);
	return rc;
}

static void refuse_calls(const char *name, int (*call)(struct session *, struct err *))
{
	static uint64_t hash[FAULTS_ROOM];
	unsigned failed = tap_failed, refused = 0;
	const char *path = profile_path;
	struct err err = {0};
	struct session *s;
	struct store *st;
	unsigned long *k;
	size_t n;

	faults_fixture(1);
	index_set(&path, 1);
	st = indexed();
	s = session_of(st);
	call(s, &err); /* what the store keeps from now on is not asked for again */
	err_clear(&err);
	faults_arm(NULL);
	faults_record('m', hash, FAULTS_ROOM);
	call(s, &err);
	k = faults_stacks(hash, faults_record('m', NULL, 0), true, &n);
	for (size_t i = 0; i < n; i++) {
		char fault[40];
		long before = faults_live();
		int rc;

		snprintf(fault, sizeof(fault), "mem:%lu:12", k[i]);
		err_clear(&err);
		faults_arm(fault);
		rc = call(s, &err);
		faults_arm(NULL);
		refused += rc == ERR_LIMIT;
		if ((rc && (rc != ERR_LIMIT || !err.text[0])) || faults_live() != before)
			ok(false, "%s, %s: status %d, %ld allocations are lost: %s", name,
			   fault, rc, faults_live() - before, err.text);
	}
	free(k);
	session_free(s);
	store_close(st);
	ok(tap_failed == failed && refused, "%s: %u of %zu refused", name, refused, n);
}

/* The table of guarded maps grows once for all: that has to fail before it works. */
static void refuse_maps(void)
{
	struct err err = {0};

	faults_fixture(1);
	faults_arm("mem:1:12");
	is_u64((uint64_t)map_many(&err), ERR_LIMIT, "many maps, no memory: %s", err.text);
	faults_arm(NULL);
	err_clear(&err);
	is_u64((uint64_t)map_many(&err), 0, "many maps");
}

/* The index, or the profile that parts are read from again, shrinks while it is asked: the right
 * answer or an error. */
static void ask_shrunk(const struct file *was, const char *file, const char *q,
		       unsigned long at, const struct out *want, int kind)
{
	struct session *s;
	struct store *st;
	struct err err = {0};
	struct out got;
	char fault[300];
	long before;
	int now;

	faults_put(file, was->p, was->n);
	out_mem(&got);
	before = faults_live();
	if (store_open(faults_path("i"), true, &st, &err))
		fuzz_fail("%s", err.text);
	s = session_of(st);
	snprintf(fault, sizeof(fault), "mem:%lu:cut@%s", at, faults_path(file));
	faults_arm(fault);
	now = fuzz_ask(s, str_c(q), FORMAT_CSV, &got);
	faults_arm(NULL);
	session_free(s);
	store_close(st);
	if (now == kind ? got.n != want->n || memcmp(got.buf, want->buf, got.n) != 0
			: now != ERR_INDEX && now != ERR_PROFILE && now != ERR_STALE)
		ok(false, "%s: %s: status %d instead of %d, %zu bytes of %zu", q, fault,
		   now, kind, got.n, want->n);
	out_close(&got);
	/* A query whose index shrinks may leave an arena of its own behind (query.c). */
	if (faults_live() != before && file[0] == 'p')
		ok(false, "%s: %s: %ld allocations are lost", q, fault,
		   faults_live() - before);
}

static unsigned long shrink_each(const struct file *was, const char *file, const char *q,
				 bool anew)
{
	static uint64_t hash[FAULTS_ROOM];
	struct session *s;
	struct store *st;
	struct err err = {0};
	unsigned long *k;
	struct out want;
	size_t n;
	int kind;

	faults_put(file, was->p, was->n);
	if (store_open(faults_path("i"), true, &st, &err))
		fuzz_fail("%s", err.text);
	s = session_of(st);
	out_mem(&want);
	faults_arm(NULL);
	faults_record('m', hash, FAULTS_ROOM);
	kind = fuzz_ask(s, str_c(q), FORMAT_CSV, &want);
	k = faults_stacks(hash, faults_record('m', NULL, 0), anew, &n);
	session_free(s);
	store_close(st);
	for (size_t i = 0; i < n; i++)
		ask_shrunk(was, file, q, k[i], &want, kind);
	free(k);
	out_close(&want);
	return n;
}

static void ask_shrinking(const char *path)
{
	struct build_opts opts = {.jobs = 1};
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};
	static const char *const files[] = {"i", "p"};

	faults_empty();
	faults_copy(path, "p");
	opts.index_path = faults_path("i");
	if (build_open(faults_path("p"), &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	store_close(st);
	for (size_t f = 0; f < COUNT(files); f++) {
		struct file was = faults_get(faults_path(files[f]));
		unsigned failed = tap_failed;
		unsigned long n = 0;

		for (unsigned i = 0; question(i) && tap_failed < failed + 20; i++)
			n += shrink_each(&was, files[f], question(i), i == 0);
		faults_put(files[f], was.p, was.n);
		ok(tap_failed == failed && n > 100,
		   "%s shrinks while questions of %s are answered: %lu places", files[f],
		   path, n);
		free(was.p);
	}
}

/* All of an index is checked, with no memory for it. */
static void verify_starved(const char *path)
{
	struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report;
	struct store_verified checked;
	struct store *st = NULL;
	struct err err = {0};
	unsigned refused = 0, failed = tap_failed;

	if (build_open(path, &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	for (int k = 1; k < 60; k++) {
		char fault[40];
		int rc;

		snprintf(fault, sizeof(fault), "mem:%d:12", k);
		err_clear(&err);
		faults_arm(fault);
		rc = store_verify(st, NULL, &checked, &err);
		faults_arm(NULL);
		refused += rc == ERR_LIMIT;
		if (rc && rc != ERR_LIMIT)
			ok(false, "--verify, %s: status %d: %s", fault, rc, err.text);
	}
	ok(tap_failed == failed && refused > 2, "--verify of %s: %u refused", path,
	   refused);
	store_close(st);
}

/* So many functions, calls and lines that every loop looks at the clock. */
static void wide(void)
{
	FILE *f = fopen(faults_path("p"), "w");

	if (!f)
		fuzz_fail("cannot write");
	fprintf(f, "events: Ir\npositions: instr line\n");
	for (int part = 1; part <= 3; part++) {
		fprintf(f, "\npart: %d\n", part);
		for (int i = 1; i < 1500; i++)
			fprintf(f,
				"ob=o%d\nfl=d%d/f%d.c\nfn=c%d::f%d\n0x%x %d %d\ncfi=d%d/f%d.c\n"
				"cfn=c%d::f%d\ncalls=%d 0x10 1\n0x%x %d %d\njump=1 0x%x %d\n"
				"0x%x %d\n",
				i % 50, i % 40, i % 300, i % 60, i, i * 16, i, i * part,
				(i * 7 + 1) % 1500 % 40, (i * 7 + 1) % 1500 % 300,
				(i * 7 + 1) % 1500 % 60, (i * 7 + 1) % 1500, i % 5 + 1,
				i * 16 + 4, i + 1, i * 3, i * 16, i, i * 16 + 8, i + 2);
	}
	fclose(f);
}

/* From s to z by 2,000 others, each of which also calls what is farther from z. */
static void star(void)
{
	enum { NEAR = 2000, FAR = 35 };
	FILE *f = fopen(faults_path("p"), "w");

	if (!f)
		fuzz_fail("cannot write");
	fprintf(f, "events: Ir\nfn=s\n");
	for (int i = 0; i < NEAR; i++)
		fprintf(f, "cfn=m%d\ncalls=1 1\n1 100\n", i);
	for (int i = 0; i < NEAR; i++) {
		fprintf(f, "fn=m%d\ncfn=z\ncalls=1 1\n1 10\n", i);
		for (int k = 0; k < FAR; k++)
			fprintf(f, "cfn=n%d\ncalls=1 1\n1 2\n", k);
	}
	for (int k = 0; k < FAR; k++)
		fprintf(f, "fn=n%d\ncfn=z\ncalls=1 1\n1 4000\n", k);
	fprintf(f, "fn=z\n1 160000\n");
	fclose(f);
}

/* Ctrl-C at the k-th allocation of a question: the answer or none. */
static void interrupt_question(const char *q)
{
	static uint64_t hash[FAULTS_ROOM];
	unsigned failed = tap_failed, stopped = 0;
	unsigned long *k = NULL;
	struct out want;
	size_t n = 0;

	out_mem(&want);
	/* The first is not interrupted. */
	for (size_t i = 0; i <= n; i++) {
		struct store *st = indexed();
		struct session *s = session_of(st);
		struct out got;
		char fault[40];
		int kind;

		session_set_cancel(s, &faults_cancel);
		atomic_store(&faults_cancel, 0);
		out_mem(&got);
		if (k)
			snprintf(fault, sizeof(fault), "mem:%lu:stop", k[i - 1]);
		faults_arm(k ? fault : NULL);
		if (!k)
			faults_record('m', hash, FAULTS_ROOM);
		kind = fuzz_ask(s, str_c(q), FORMAT_CSV, k ? &got : &want);
		if (!k && kind)
			ok(false, "%s: status %d", q, kind);
		if (!k)
			k = faults_stacks(hash, faults_record('m', NULL, 0), true, &n);
		faults_arm(NULL);
		stopped += kind == ERR_CANCEL;
		if (kind ? kind != ERR_CANCEL
			 : got.n && (got.n != want.n ||
				     memcmp(got.buf, want.buf, got.n) != 0))
			ok(false, "%s, %s: status %d, %zu bytes of %zu", q, fault, kind,
			   got.n, want.n);
		out_close(&got);
		session_free(s);
		store_close(st);
	}
	atomic_store(&faults_cancel, 0);
	free(k);
	out_close(&want);
	ok(tap_failed == failed && stopped > 5,
	   "%s: interrupted at %zu allocations, %u in time", q, n, stopped);
}

static void interrupt_questions(void)
{
	const char *path = profile_path;

	faults_empty();
	star();
	index_set(&path, 1);
	interrupt_question("all 9999 paths from s to z depth 2");
	interrupt_question("calltree from m7 depth all");
	interrupt_question("functions | group by fn: sum(self)");
}

static void ask_one_of(int which)
{
	char name[5][300];
	const char *path[5] = {profile_path, name[1], name[2], name[3], name[4]};

	switch (which) {
	case 0: faults_fixture(1); break;
	case 1: faults_fixture(0); break;
	case 2: faults_packed(PACK_GZIP); break;
	case 3:
		faults_threads(0);
		for (int i = 0; i < 5; i++) {
			snprintf(name[i], sizeof(name[i]), "%s/t-0%d", faults_dir, i + 1);
			path[i] = name[i];
		}
		break;
	default:
		faults_empty();
		wide();
		break;
	}
	ask_all(path, which == 3 ? 5 : 1);
}

int main(int argc, char **argv)
{
	if (!faults_begin(argv)) {
		skip("no fault.so in this variant");
		return done_testing();
	}
	snprintf(profile_path, sizeof(profile_path), "%s", faults_path("p"));
	snprintf(index_path, sizeof(index_path), "%s", faults_path("i"));
	out_mem(&grown);
	if (argc < 2 || strstr("questions", argv[1])) {
		/* From one place, or all would be called anew. */
		for (volatile int i = 0; i < 5; i++)
			ask_one_of(i);
		ask_growing("more and more lines", more_lines, 300, 1500, 15,
			    (const char *const[]){"part 2 | lines of *",
						  "part 2 | callsites",
						  "lines | sort self", NULL});
		ask_growing("events that are derived", derived_events, 0, 1, 1,
			    (const char *const[]){"path from * to * by CEst",
						  "top 3 by CEst", NULL});
		ask_listings();
		refuse_calls("explain", explain_all);
		refuse_maps();
	}
	if (argc < 2 || strstr("interrupted questions", argv[1]))
		interrupt_questions();
	if (argc < 2 || strstr("verify", argv[1]))
		verify_starved("tests/fixtures/quirks/t_parts.cg");
	if (argc < 2 || strstr("questions that shrink", argv[1]))
		ask_shrinking("tests/fixtures/quirks/t_parts.cg");
	out_close(&grown);
	faults_end();
	return done_testing();
}
