/*
 * map_test.c - a mapped file that shrinks is an error, not a signal; every fault that is
 * not ours stays a signal.  A query that lacks what it needs (need.h) ends by the same jump.
 */
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/cancel.h"
#include "index/base/need.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum { PAGES = 4 };

static size_t page;

/* A deleted file of size bytes, all 'x'. */
static int file_of(size_t size)
{
	char name[] = "/tmp/map_test.XXXXXX";
	int fd = mkstemp(name);
	char *p = malloc(size + 1);

	unlink(name);
	memset(p, 'x', size);
	ok(write(fd, p, size) == (ssize_t)size, "a file of %zu bytes", size);
	free(p);
	return fd;
}

/* The guarded work: read every byte of a map; how many are 'x'. */
struct reading {
	const char *p;
	size_t n, seen;
	struct err *err;
	struct reading *inner; /* read under a guard of its own, first */
	int inner_rc;
};

static int read_all(void *arg)
{
	struct reading *r = arg;
	const volatile char *p = r->p;

	if (r->inner)
		r->inner_rc = map_guard(read_all, r->inner, ERR_INDEX, r->inner->err);
	for (size_t i = 0; i < r->n; i++)
		r->seen += p[i] == 'x';
	return 0;
}

static void test_open(void)
{
	static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 100000};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct err err = {0};
		struct reading r = {.err = &err};
		struct map m;
		int fd = file_of(sizes[i]);

		is_u64((uint64_t)map_open(&m, fd, sizes[i], "f", &err), 0, "open %zu",
		       sizes[i]);
		is_u64(m.n, sizes[i], "open %zu: length", sizes[i]);
		r.p = m.p;
		r.n = m.n;
		is_u64((uint64_t)map_guard(read_all, &r, ERR_PROFILE, &err), 0,
		       "read %zu", sizes[i]);
		is_u64(r.seen, sizes[i], "read %zu: every byte", sizes[i]);
		map_close(&m);
		ok(m.n == 0 && m.slot == 0, "close %zu", sizes[i]);
		map_close(&m);
		close(fd);
	}
}

static void test_cannot_be_mapped(void)
{
	static const struct {
		const char *name, *want;
		uint64_t size;
		int kind;
	} cases[] = {
		{"not a file", "a.out: cannot be mapped: ", 10, ERR_PROFILE},
		{"more than there is memory for",
		 "a.out: cannot be mapped: ", SIZE_MAX / 4, ERR_LIMIT},
		{"more than an address", "a.out: too large to map", SIZE_MAX,
		 ERR_PROFILE},
	};
	int pair[2];

	ok(pipe(pair) == 0, "a pipe");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = {0};
		struct map m;

		is_u64((uint64_t)map_open(&m, pair[0], cases[i].size, "a.out", &err),
		       cases[i].kind, "%s", cases[i].name);
		ok(strncmp(err.text, cases[i].want, strlen(cases[i].want)) == 0,
		   "%s: \"%s\"", cases[i].name, err.text);
		ok(m.n == 0 && m.slot == 0, "%s: an empty map", cases[i].name);
		map_close(&m);
	}
	close(pair[0]);
	close(pair[1]);
}

/* Twice: the handler must be ready for the next fault. */
static void test_truncated(void)
{
	for (int round = 0; round < 2; round++) {
		struct err err = {0};
		struct reading r = {.err = &err};
		struct map m;
		int fd = file_of(PAGES * page);

		map_open(&m, fd, PAGES * page, "prof.out", &err);
		ok(ftruncate(fd, (off_t)page) == 0, "truncated under the map");
		r.p = m.p;
		r.n = m.n;
		is_u64((uint64_t)map_guard(read_all, &r, ERR_PROFILE, &err), ERR_PROFILE,
		       "the reader is told");
		is_u64(r.seen, page, "after what was still there");
		is_str(err.text, "prof.out changed or shrank while it was read",
		       "the sentence");
		map_close(&m);
		close(fd);
	}
}

static void test_nested(void)
{
	struct err err = {0}, inner_err = {0};
	struct map whole, cut;
	int fd = file_of(page), fd_cut = file_of(2 * page);
	struct reading inner = {.err = &inner_err};
	struct reading outer = {.err = &err, .inner = &inner};

	map_open(&whole, fd, page, "whole", &err);
	map_open(&cut, fd_cut, 2 * page, "cut", &err);
	inner.p = cut.p;
	inner.n = cut.n;
	outer.p = whole.p;
	outer.n = whole.n;
	ok(ftruncate(fd_cut, 0) == 0, "truncated under the map");
	is_u64((uint64_t)map_guard(read_all, &outer, ERR_PROFILE, &err), 0,
	       "outer goes on");
	is_u64((uint64_t)outer.inner_rc, ERR_INDEX, "inner ends, with its own kind");
	is_u64(outer.seen, page, "outer reads everything");

	/* The other way round: the fault comes after the inner guard is gone. */
	outer = (struct reading){.p = cut.p, .n = cut.n, .err = &err, .inner = &inner};
	inner = (struct reading){.p = whole.p, .n = whole.n, .err = &inner_err};
	err_clear(&inner_err);
	is_u64((uint64_t)map_guard(read_all, &outer, ERR_PROFILE, &err), ERR_PROFILE,
	       "a fault after the inner guard is the outer's");
	is_u64((uint64_t)outer.inner_rc, 0, "the inner one was well");
	map_close(&whole);
	map_close(&cut);
	close(fd);
	close(fd_cut);
}

static void *thread_reads(void *arg)
{
	struct reading *r = arg;

	r->inner_rc = 0;
	for (int i = 0; i < 50; i++)
		r->inner_rc += map_guard(read_all, r, ERR_PROFILE, r->err) == ERR_PROFILE;
	return NULL;
}

static void test_threads(void)
{
	enum { THREADS = 4 };
	struct err err[THREADS + 1] = {0};
	struct reading r[THREADS];
	pthread_t t[THREADS];
	struct map m;
	int fd = file_of(2 * page), started = 0;

	map_open(&m, fd, 2 * page, "shared", &err[THREADS]);
	ok(ftruncate(fd, (off_t)page) == 0, "truncated under the map");
	for (int i = 0; i < THREADS; i++) {
		r[i] = (struct reading){.p = m.p, .n = m.n, .err = &err[i]};
		started += pthread_create(&t[i], NULL, thread_reads, &r[i]) == 0;
	}
	is_u64((uint64_t)started, THREADS, "threads started");
	for (int i = 0; i < started; i++) {
		pthread_join(t[i], NULL);
		is_u64((uint64_t)r[i].inner_rc, 50, "thread %d: every fault caught", i);
	}
	map_close(&m);
	close(fd);
}

/* Threads that need more slots than there are, all at the same time. */
static void *watch_many(void *arg)
{
	static _Thread_local unsigned slot[700];
	bool *good = arg;

	for (size_t i = 0; i < COUNT(slot); i++)
		slot[i] = map_watch("", 1, "one byte");
	for (size_t i = 0; i < COUNT(slot); i++) {
		*good &= slot[i] != 0;
		map_unwatch(slot[i]);
	}
	return NULL;
}

static void test_many(void)
{
	enum { MANY = 1000, THREADS = 4 };
	static unsigned slot[MANY];
	struct err err = {0};
	struct reading r = {.err = &err};
	bool good[THREADS] = {true, true, true, true};
	pthread_t thread[THREADS];
	unsigned given = 0, last;
	struct map m;
	int fd = file_of(2 * page);

	for (int i = 0; i < MANY; i++)
		given += (slot[i] = map_watch("", 1, "one byte")) != 0;
	is_u64(given, MANY, "a thousand maps are watched");
	map_open(&m, fd, 2 * page, "the last of them", &err);
	last = m.slot;
	ok(last > MANY, "and another: slot %u", last);
	r.p = m.p;
	r.n = m.n;
	ok(ftruncate(fd, 0) == 0, "it shrinks");
	is_u64((uint64_t)map_guard(read_all, &r, ERR_PROFILE, &err), ERR_PROFILE,
	       "it is guarded too");
	is_str(err.text, "the last of them changed or shrank while it was read",
	       "by name");
	map_close(&m);
	close(fd);
	for (int i = 0; i < MANY; i++)
		map_unwatch(slot[i]);
	slot[0] = map_watch("", 1, "one byte");
	ok(slot[0] && slot[0] < last, "slots come back");
	map_unwatch(slot[0]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, watch_many, &good[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		ok(good[i], "thread %d got all it wanted", i);
	}
}

/* What a child does; its fate is the signal that ended it. */
static int read_null(void *arg)
{
	const volatile char *p = *(char **)arg;

	return p[0];
}

static void child_faults_elsewhere(const struct map *m)
{
	struct err err = {0};
	char *stray = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)m;
	map_guard(read_null, &stray, ERR_PROFILE, &err);
}

static void child_faults_unguarded(const struct map *m)
{
	struct err err = {0};
	struct reading r = {.p = m->p, .n = 1, .err = &err};

	map_guard(read_all, &r, ERR_PROFILE, &err); /* installs the handler */
	r.n = m->n;
	read_all(&r);
}

static void child_is_sent_segv(const struct map *m)
{
	struct err err = {0};
	struct reading r = {.p = m->p, .n = 1, .err = &err};

	map_guard(read_all, &r, ERR_PROFILE, &err);
	kill(getpid(), SIGSEGV);
}

static void test_not_ours(void)
{
	static const struct {
		const char *name;
		void (*child)(const struct map *m);
		int signal;
	} cases[] = {
		{"a stray address, guarded", child_faults_elsewhere, SIGSEGV},
		{"our map, unguarded", child_faults_unguarded, SIGBUS},
		{"kill -SEGV", child_is_sent_segv, SIGSEGV},
	};
	struct err err = {0};
	struct map m;
	int fd = file_of(2 * page);

	map_open(&m, fd, 2 * page, "f", &err);
	ok(ftruncate(fd, (off_t)page) == 0, "truncated under the map");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rlimit no_core = {0, 0};
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			signal(SIGSEGV, SIG_DFL); /* a sanitizer's own handler away */
			signal(SIGBUS, SIG_DFL);
			setrlimit(RLIMIT_CORE, &no_core);
			cases[i].child(&m);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		ok(WIFSIGNALED(status) && WTERMSIG(status) == cases[i].signal,
		   "%s: ended by signal %d", cases[i].name, cases[i].signal);
	}
	map_close(&m);
	close(fd);
}

/* ---- a library that follows what a file says ---- */

static int follow(void *arg)
{
	int rc;

	map_wild("a file");
	rc = read_null(arg);
	map_wild(NULL);
	return rc;
}

static int give_up(void *arg)
{
	(void)arg;
	map_fail("a page");
	return 0;
}

static void test_wild(void)
{
	struct err err = {0};
	char *stray = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t pid;

	is_u64((uint64_t)map_guard(follow, &stray, ERR_INDEX, &err), ERR_INDEX,
	       "a stray address while a file is followed");
	ok(strstr(err.text, "a file") != NULL, "names the file: %s", err.text);
	err_clear(&err);
	is_u64((uint64_t)map_guard(give_up, NULL, ERR_INDEX, &err), ERR_INDEX,
	       "given up");
	ok(strstr(err.text, "a page") != NULL, "says why: %s", err.text);
	map_fail("nobody");
	ok(true, "outside a guard nothing happens");
	pid = fork();
	if (pid == 0) {
		struct rlimit no_core = {0, 0};

		setrlimit(RLIMIT_CORE, &no_core);
		_exit(map_guard(read_null, &stray, ERR_INDEX, &err) ? 7 : 0);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) || WEXITSTATUS(status) != 7, /* a sanitizer exits */
	   "behind it a stray address is a fault again");
}

/* ---- a query that ends where it stands ---- */

static unsigned released;

static void count_release(struct map_held *h)
{
	released++;
	free(h);
}

static struct map_held *hold(void)
{
	struct map_held *h = malloc(sizeof(*h));

	h->release = count_release;
	map_hold(h);
	return h;
}

struct ending {
	struct arena *a;
	struct err own;
	struct map_held *kept; /* by the inner function, which ends well */
};

static int end_well(void *arg)
{
	struct ending *e = arg;
	struct map_held *h = hold();

	e->kept = hold();
	hold();
	map_let_go(h);
	free(h);
	return 0;
}

static int refused_inside(void *arg)
{
	struct ending *e = arg;
	struct arena *scratch = need_scratch(e->a);

	NEED_ARRAY(scratch, char, 16);
	scratch_free(need_scratch(NULL));
	hold();
	map_guard(end_well, e, ERR_INDEX, &e->own);
	NEED_ARRAY(e->a, char, 4096);
	return 0; /* never */
}

static int refused_outside(void *arg)
{
	struct ending *e = arg;
	struct err err = {0};
	struct map_held *mine = hold();
	const int rc = map_guard(refused_inside, e, ERR_INDEX, &err);

	ok(rc == ERR_LIMIT && strstr(err.text, "out of memory"), "refused: %s", err.text);
	is_u64(released, 3,
	       "what was held inside is released, by the function within, too");
	map_let_go(mine);
	free(mine);
	hold();
	need_fail(ERR_QUERY, "%s", "no more");
}

static int stopped(void *arg)
{
	need_time(arg);
	return 0;
}

static void test_leaving(void)
{
	const struct cancel late = {.deadline_ns = 1, .seconds = 3};
	struct arena a;
	struct ending e = {.a = &a};
	struct err err = {0};

	arena_init(&a, 1024);
	is_u64((uint64_t)map_guard(refused_outside, &e, ERR_INDEX, &err), ERR_QUERY,
	       "ended by the function itself");
	ok(!strcmp(err.text, "no more"), "says so: %s", err.text);
	is_u64(released, 4, "and releases what it holds");
	is_u64((uint64_t)e.own.kind, 0, "the guard within saw no error");
	err_clear(&err);
	is_u64((uint64_t)map_guard(stopped, (void *)(uintptr_t)&late, ERR_INDEX, &err),
	       ERR_LIMIT, "out of time: %s", err.text);
	err_clear(&err);
	ok(!map_guard(stopped, NULL, ERR_INDEX, &err), "nobody asks to stop");
	arena_free(&a);
}

int main(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	test_not_ours(); /* first: its children install the handler themselves */
	test_open();
	test_cannot_be_mapped();
	test_truncated();
	test_nested();
	test_threads();
	test_many();
	test_wild();
	test_leaving();
	return done_testing();
}
