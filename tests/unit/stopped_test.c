/*
 * stopped_test.c - Ctrl-C at every place that checks for it.
 *
 * The session's flag is in a page that cannot be read, so each check of the flag raises a
 * signal.  The handler records the stack, lets this one instruction read the page, and
 * locks the page again.  Then the query runs once for each stack that is new, and the
 * check with that stack finds the flag set.  The query must end with "interrupted" or the
 * right answer, and the next query must be answered as usual.
 */
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "index/build.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

enum { ROOM = 1000, PAGE = 4096, FUNCTIONS = 4500, ONE_STEP = 0x100 /* EFLAGS: TF */ };

static atomic_int *flag; /* in a page of its own */
static unsigned long looks, stop_at;
static uint64_t *stacks; /* [ROOM] of each look; NULL: not wanted */

static uint64_t stack_hash(void)
{
	void *frame[24];
	uint64_t h = 0;
	int n = backtrace(frame, 24);

	for (int i = 0; i < n; i++)
		h = (h ^ (uint64_t)(uintptr_t)frame[i]) * 0x9e3779b97f4a7c15;
	return h;
}

static void on_look(int sig, siginfo_t *si, void *context)
{
	ucontext_t *c = context;

	if ((uintptr_t)si->si_addr / PAGE != (uintptr_t)flag / PAGE) {
		signal(sig, SIG_DFL);
		return;
	}
	mprotect(flag, PAGE, PROT_READ | PROT_WRITE);
	if (stacks && looks < ROOM)
		stacks[looks] = stack_hash();
	if (++looks == stop_at)
		atomic_store(flag, 1); /* and it stays */
	else if (looks < ROOM)	       /* more are of rows or functions like the others */
		c->uc_mcontext.gregs[REG_EFL] |= ONE_STEP;
}

static void on_step(int sig, siginfo_t *si, void *context)
{
	ucontext_t *c = context;

	(void)sig;
	(void)si;
	mprotect(flag, PAGE, PROT_NONE);
	c->uc_mcontext.gregs[REG_EFL] &= ~ONE_STEP;
}

static void watch(void)
{
	struct sigaction look = {.sa_sigaction = on_look, .sa_flags = SA_SIGINFO};
	struct sigaction step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
	void *frame[2];

	flag = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (flag == MAP_FAILED || sigaction(SIGSEGV, &look, NULL) ||
	    sigaction(SIGTRAP, &step, NULL))
		fuzz_fail("cannot watch");
	backtrace(frame, 2); /* the first one allocates */
}

static int ask(struct session *s, const char *q, unsigned long at, struct out *to)
{
	int kind;

	mprotect(flag, PAGE, PROT_READ | PROT_WRITE);
	atomic_store(flag, 0);
	mprotect(flag, PAGE, PROT_NONE);
	looks = 0;
	stop_at = at;
	out_mem(to);
	kind = fuzz_ask(s, str_c(q), FORMAT_CSV, to);
	mprotect(flag, PAGE, PROT_READ | PROT_WRITE);
	return kind;
}

/* Whether it was not met before. */
static bool is_new(uint64_t hash)
{
	static uint64_t seen[1 << 16];
	size_t at = hash % COUNT(seen);

	while (seen[at] && seen[at] != hash)
		at = (at + 1) % COUNT(seen);
	if (seen[at])
		return false;
	seen[at] = hash;
	return true;
}

static unsigned places, stopped;

static void stop_each(struct session *s, const char *q)
{
	static uint64_t hash[ROOM];
	struct out want, got;
	unsigned long n;
	int kind;

	stacks = hash;
	kind = ask(s, q, 0, &want);
	stacks = NULL;
	n = looks < ROOM ? looks : ROOM;
	for (unsigned long k = 0; k < n; k++) {
		int now;

		if (!is_new(hash[k]))
			continue;
		now = ask(s, q, k + 1, &got);
		places++;
		stopped += now == ERR_CANCEL;
		if (now != ERR_CANCEL &&
		    (now != kind || !str_eq((struct str){got.buf, got.n},
					    (struct str){want.buf, want.n})))
			ok(false, "%s: look %lu: status %d instead of %d", q, k + 1, now,
			   kind);
		out_close(&got);
	}
	out_close(&want);
}

/* A search that only its limit of memory ends looks again and again, from one place. */
static void look_again(struct session *s, const char *q)
{
	static uint64_t hash[ROOM];
	struct out out;
	int kind;

	stacks = hash;
	kind = ask(s, q, 0, &out);
	stacks = NULL;
	ok(kind == ERR_LIMIT && looks > 1 && looks < ROOM &&
		   hash[looks - 1] == hash[looks - 2],
	   "%s: looks while it searches: status %d, %lu looks", q, kind, looks);
	out_close(&out);
}

/* So many functions and edges that every loop looks. */
static void write_wide(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		fuzz_fail("cannot write %s", path);
	fprintf(f, "events: Ir\n");
	for (int part = 1; part <= 2; part++) {
		fprintf(f, "\npart: %d\n", part);
		for (int i = 1; i < FUNCTIONS; i++)
			fprintf(f,
				"ob=o%d\nfl=d%d/f%d.c\nfn=c%d::f%d\n%d %d\ncfn=c%d::f%d\n"
				"calls=%d 1\n%d %d\n",
				i % 50, i % 40, i % 300, i % 60, i, i, i * part,
				(i + 1) % 60, i + 1, i % 5 + 1, i + 1, i * 3);
	}
	fclose(f);
}

/* More edges than are followed between two looks, and parts of as many threads. */
static void write_dense(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		fuzz_fail("cannot write %s", path);
	fprintf(f, "events: Ir\nfl=a.c\n");
	for (int i = 1; i <= 380; i++) {
		fprintf(f, "fn=(%d)%s\n1 1\n", i, i == 1 ? " f1" : "");
		if (i == 1)
			for (int k = 2; k <= 380; k++)
				fprintf(f, "cfn=(%d) f%d\ncalls=1 1\n1 9\n", k, k);
		for (int k = i + 1; i > 1 && k <= 380; k++)
			fprintf(f, "cfn=(%d)\ncalls=1 1\n1 %d\n", k, k);
	}
	for (int i = 1; i <= 200; i++)
		fprintf(f, "part: %d\nthread: %d\nfn=(1)\n1 1\n", i, i);
	fclose(f);
}

/* All that is asked, or only what takes many edges or threads. */
static void run(const char *path, bool dense)
{
	static const char *const more[] = {
		"all paths from f1 to f40",
		"with inlined | calls",
		"hide f7 | cost of f9 under f1",
		"focus f9 | calltree from f1 depth 9",
		"part 2 | threads",
		"collapse by object | path from * to *",
		"calls of *",
		"functions | where file ~ \"a\" or fn !~ \"b\"",
		"threads",
		"cost of f3000 via f2000 under f1"};
	struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report;
	struct store *st = NULL;
	struct session *s;
	struct err err = {0};
	const struct session_limits limits = {
		.seconds = 3600, .rows = 20000, .arena_bytes = 256 << 20};

	if (build_open(path, &opts, &st, &report, &err) || !(s = fuzz_session(st)))
		fuzz_fail("%s", err.text);
	session_set_limits(s, &limits);
	session_set_cancel(s, flag);
	places = stopped = 0;
	for (unsigned i = 0; !dense && (i == 0 || fuzz_question(i) != fuzz_question(0));
	     i++)
		stop_each(s, fuzz_question(i));
	for (size_t i = 0; !dense && i < COUNT(more); i++)
		stop_each(s, more[i]);
	if (dense) {
		stop_each(s, "path from f1 to f380");
		stop_each(s, "threads");
		look_again(s, "all 9999 paths from f1 to f380");
	}
	/* How many stacks are new is the compiler's: each question that is dense has one. */
	ok(tap_failed == 0 && stopped > (dense ? 1 : 30),
	   "%s: stopped at %u of %u places that look", path, stopped, places);
	session_free(s);
	store_close(st);
}

int main(void)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/wide", fuzz_directory());
	watch();
	write_wide(path);
	run(path, false);
	write_dense(path);
	run(path, true);
	unlink(path);
	run("tests/fixtures/small/mutual-instr-jumps.out", false);
	return done_testing();
}

#else

int main(void)
{
	skip("only x86-64 can step, and the thread sanitizer cannot");
	return done_testing();
}

#endif
