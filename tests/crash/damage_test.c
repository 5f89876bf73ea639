/*
 * damage_test.c - queries over indexes that are damaged, forged, damaged while they are
 * read, or replaced; in processes of their own, so that a signal is seen.
 *
 *	damage_test [EVERY]		some of each, or a part of those, 1 / EVERY, as TAP
 *	damage_test ROW SEED FROM N	tries FROM .. FROM+N-1; one line per failure, then "done"
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/format/tables.h"
#include "repl/render/render.h"
#include "repl/formats/renderers.h"
#include "tests/support/derived.h"
#include "tests/support/sample.h"
#include "tests/support/tap.h"

enum { PAGE = 4096, QUERIES = 25, HUNG = 20 };

static const char text[] = SAMPLE_HEAD
	"fn=(5) C\n0x50 1 2\ncfn=(6) D\ncalls=1 0x60\n0x52 1 4\nfn=(6)\n0x60 1 3\ncfn=(5)\n"
	"calls=1 0x50\n0x62 1 1\n" SAMPLE_TAIL;

static const char *const queries[QUERIES] = {
	"functions",
	"top 3 by incl",
	"callers of A",
	"callees of B",
	"calls",
	"callsites",
	"lines",
	"inlined",
	"jumps of B",
	"parts",
	"events",
	"info",
	"info H",
	"find A",
	"cycles",
	"files",
	"objects",
	"path from main to H",
	"calltree from main",
	"cost of H under main",
	"collapse by object | functions",
	"part 2 | functions",
	"hide A | callers of H",
	"dirs",
	"lines of B",
};

static char dir[64], profile[100], good_path[100], bad_path[100];
static unsigned char *good;
static size_t good_n;
static uint64_t right[QUERIES];

static uint64_t state;

static uint64_t random_u64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void seed(uint64_t s, uint64_t i)
{
	state = (s * 0x9e3779b97f4a7c15 + i * 0xbf58476d1ce4e5b9) | 1;
	for (int k = 0; k < 8; k++)
		random_u64();
}

static void write_file(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
		abort();
}

/* ---- asking ---- */

struct asked {
	uint64_t hash;
	struct session *session;
};

/* The answer as it would be printed. */
static int hash_answer(void *arg, const struct result *r, struct err *err)
{
	struct asked *q = arg;
	struct look look = {.utf8 = true};
	struct out o;
	struct render rd = {
		.o = &o, .r = r, .look = &look, .session = q->session, .err = err};

	out_mem(&o);
	renderers[FORMAT_CSV](&rd);
	q->hash = str_hash((struct str){o.n ? o.buf : "", o.n});
	out_close(&o);
	return session_check(q->session,
			     err); /* names were read from the index just now */
}

/* 0 and the answer's hash, or the kind of the error. */
static int ask(struct session *s, size_t i, uint64_t *hash, struct err *err)
{
	struct asked q = {0, s};
	struct arena a;

	arena_init(&a, 0);
	query_run(s, str_c(queries[i]), &a, hash_answer, &q, err);
	arena_free(&a);
	*hash = q.hash;
	return err->kind;
}

static int open_session(const char *path, struct store **st, struct session **s,
			struct err *err)
{
	if (store_open(path, true, st, err))
		return err->kind;
	if (session_new(s, err) || session_add(*s, STR("p"), *st, err))
		abort();
	return 0;
}

static void close_session(struct store *st, struct session *s)
{
	session_free(s);
	store_close(st);
}

static bool named_error(const struct err *e)
{
	return (e->kind == ERR_INDEX || e->kind == ERR_LIMIT || e->kind == ERR_STALE) &&
	       e->text[0];
}

/* What a child came to say, in statuses that neither a sanitizer nor valgrind ends with; the
 * text of a failure goes through shared memory. */
enum verdict { SAID_RIGHT = 70, SAID_ERROR, SAID_WRONG };
static char *told;

static int wrong(const char *what, size_t i, const struct err *err)
{
	snprintf(told, PAGE, "%s: '%s': %d %s", what, queries[i], err->kind, err->text);
	return SAID_WRONG;
}

/* ---- a damaged index ---- */

/* Every answer is right or an error. */
static int ask_each(size_t times)
{
	struct err err = {0};
	struct store *st;
	struct session *s;
	int said = SAID_RIGHT;
	uint64_t hash;

	if (open_session(bad_path, &st, &s, &err))
		return named_error(&err) ? SAID_ERROR : wrong("open", 0, &err);
	for (size_t i = 0; i < times; i++) {
		size_t q = i * 7 % QUERIES;

		err_clear(&err);
		if (ask(s, q, &hash, &err)) {
			if (!named_error(&err))
				return wrong("not about the damage", q, &err);
			said = SAID_ERROR;
		} else if (hash != right[q]) {
			return wrong("another answer", q, &err);
		}
	}
	close_session(st, s);
	return said;
}

static int ask_damaged(void)
{
	return ask_each(QUERIES);
}

static size_t damage(unsigned char *p, size_t n, size_t i)
{
	size_t page = random_u64() % (n / PAGE), at = random_u64() % n;

	switch (i % 8) {
	case 0: /* a bit, anywhere */
		p[at] ^= (unsigned char)(1u << (random_u64() % 8));
		return n;
	case 1: return at;
	case 2: /* a page's header */
		p[page * PAGE + at % 16] = (unsigned char)random_u64();
		return n;
	case 3: /* nodes of a branch or leaf, header of a value */
		p[page * PAGE + at % 64] ^= (unsigned char)(1u << (random_u64() % 8));
		return n;
	case 4: memset(p + page * PAGE, 0, PAGE); return n;
	case 5: /* LMDB's own description */
		p[at % 2 * PAGE + random_u64() % 152] ^=
			(unsigned char)(1u << (random_u64() % 8));
		return n;
	case 6: /* one page over another */
		memmove(p + page * PAGE, p + at / PAGE * PAGE, PAGE);
		return n;
	default: /* several bytes of a value */
		for (int k = 0; k < 8; k++)
			p[page * PAGE + random_u64() % PAGE] =
				(unsigned char)random_u64();
		return n;
	}
}

static void make_damaged(size_t i)
{
	unsigned char *bad = malloc(good_n);
	size_t n = damage(memcpy(bad, good, good_n), good_n, i);

	write_file(bad_path, bad, n);
	free(bad);
}

/* ---- forged: damaged, with checksums that fit ---- */

/* Tables of which every number can be had in another way.  The cost of an edge with one
 * call site is stored once. */
static const enum index_table redundant[] = {
	TABLE_FN_CYCLE,	   TABLE_FN_CALLS,     TABLE_FN_SELF,	 TABLE_FN_INCL,
	TABLE_RANK_SELF,   TABLE_RANK_INCL,    TABLE_OUT_FIRST,	 TABLE_IN_FIRST,
	TABLE_EDGE_CALLER, TABLE_EDGE_CALLEE,  TABLE_IN_EDGE,	 TABLE_EDGE_CALLS,
	TABLE_CYCLE_FIRST, TABLE_CYCLE_MEMBER, TABLE_CYCLE_INCL, TABLE_PART_SELF,
};

static bool is_redundant(unsigned t)
{
	for (size_t i = 0; i < COUNT(redundant); i++)
		if (redundant[i] == t)
			return true;
	return false;
}

static unsigned forged;

static void make_forged(size_t i)
{
	unsigned char *bad = malloc(good_n);
	size_t page, at;
	struct value_header h;

	(void)i;
	memcpy(bad, good, good_n);
	do {
		page = 2 + random_u64() % (good_n / PAGE - 2);
		at = page * PAGE + 16;
		memcpy(&h, bad + at, sizeof(h));
	} while (h.magic != VALUE_MAGIC || h.bytes == 0);
	for (uint64_t k = random_u64() % 3 + 1; k > 0; k--)
		bad[at + sizeof(h) + random_u64() % h.bytes] ^=
			(unsigned char)(1u << (random_u64() % 8));
	h.check = value_check(&h, bad + at + sizeof(h));
	memcpy(bad + at, &h, sizeof(h));
	forged = memcmp(bad, good, good_n) ? h.table : 0;
	write_file(bad_path, bad, good_n);
	free(bad);
}

/* Anything but a signal or a hang; --verify finds what can be found. */
static int ask_forged(void)
{
	struct err err = {0}, none = {0};
	struct store_verified v;
	struct store *st;
	struct session *s;
	uint64_t hash;

	if (open_session(bad_path, &st, &s, &err))
		return named_error(&err) ? SAID_ERROR : wrong("open", 0, &err);
	for (size_t i = 0; i < QUERIES; i++) {
		err_clear(&none);
		ask(s, i, &hash, &none);
	}
	close_session(st, s);
	if (open_session(bad_path, &st, &s, &err))
		return SAID_ERROR;
	derived_verify(st, &v, &err);
	close_session(st, s);
	if (!err.kind && is_redundant(forged)) {
		snprintf(told, PAGE, "--verify finds nothing wrong with a forged '%s'",
			 table_name((enum index_table)forged));
		return SAID_WRONG;
	}
	return err.kind ? SAID_ERROR : SAID_RIGHT;
}

/* ---- damaged while it is read ---- */

static void damage_in_place(size_t i)
{
	int fd = open(bad_path, O_RDWR);
	unsigned char junk[PAGE];
	off_t at = (off_t)(random_u64() % good_n);

	for (size_t k = 0; k < sizeof(junk); k++)
		junk[k] = (unsigned char)(i % 4 == 2 ? 0 : random_u64());
	if (fd < 0)
		abort();
	switch (i % 4) {
	case 0:
		if (ftruncate(fd, at))
			abort();
		break;
	case 1: /* one byte */
	case 2: /* a page of zeros */
	case 3: /* a page of anything */
		if (pwrite(fd, junk, i % 4 == 1 ? 1 : PAGE,
			   i % 4 == 1 ? at : at / PAGE * PAGE) < 0)
			abort();
	}
	close(fd);
}

static int ask_live(void)
{
	return ask_each(QUERIES * 3);
}

static void make_good(size_t i)
{
	/* A published index is older than a tick of the file system's clock. */
	const struct timespec then[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

	(void)i;
	write_file(bad_path, good, good_n);
	utimensat(AT_FDCWD, bad_path, then, 0);
}

/* ---- the rows ---- */

static const struct row {
	const char *name, *what;
	unsigned commit;
	void (*make)(size_t i);
	int (*child)(void);
	void (*meanwhile)(size_t i);
} rows[] = {
	{"damaged", "a damaged index is asked everything", 2000, make_damaged,
	 ask_damaged, NULL},
	{"forged", "damage under a right checksum", 400, make_forged, ask_forged, NULL},
	{"live", "an index is damaged while it is read", 300, make_good, ask_live,
	 damage_in_place},
};

/* NULL, or what went wrong. */
static const char *try_one(const struct row *r, uint64_t s, size_t i)
{
	static char what[PAGE + 200];
	pid_t child;
	int status;

	seed(s, i);
	r->make(i);
	told[0] = '\0';
	fflush(stdout); /* valgrind writes what is left, in every child */
	child = fork();
	if (child == 0) {
		end_after(HUNG);
		_exit(r->child());
	}
	if (r->meanwhile) {
		struct timespec pause = {.tv_nsec = (long)(random_u64() % 3000000)};

		nanosleep(&pause, NULL);
		r->meanwhile(i);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	if (WIFEXITED(status) &&
	    (WEXITSTATUS(status) == SAID_RIGHT || WEXITSTATUS(status) == SAID_ERROR))
		return NULL;
	snprintf(what, sizeof(what), "try %zu: %s %d %s", i,
		 WIFSIGNALED(status) ? "signal" : "status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), told);
	return what;
}

static void run_row(const struct row *r, unsigned tries)
{
	unsigned bad = 0;

	for (size_t i = 0; i < tries; i++) {
		const char *what = try_one(r, tap_seed(1), i);

		bad += what != NULL;
		if (what && bad < 6)
			fprintf(stderr, "# %s\n", what);
	}
	is_u64(bad, 0, "%s: %s: %u", r->name, r->what, tries);
}

/* ---- rebuilt under readers ---- */

/* Each of the last few stores answers as it did when it was opened. */
static void test_swaps(unsigned swaps)
{
	enum { OPEN = 6 };
	struct build_opts opts = {.index_path = good_path, .rebuild = true};
	struct {
		struct store *st;
		struct session *s;
		uint64_t hash;
	} ring[OPEN] = {{0}};
	struct build_report report;
	struct err err = {0};
	unsigned bad = 0;
	char body[sizeof(text) + 100];

	for (unsigned i = 0; i < swaps; i++) {
		unsigned at = i % OPEN;
		uint64_t hash;

		snprintf(body, sizeof(body), "%sfn=(9) extra%u\n1 1 %u\n", text, i % 2,
			 i % 7);
		write_file(profile, body, strlen(body));
		if (ring[at].s)
			close_session(ring[at].st, ring[at].s);
		ring[at].s = NULL;
		if (build_open(profile, &opts, &ring[at].st, &report, &err) ||
		    session_new(&ring[at].s, &err) ||
		    session_add(ring[at].s, STR("p"), ring[at].st, &err) ||
		    ask(ring[at].s, 0, &ring[at].hash, &err)) {
			fprintf(stderr, "# swap %u: %s\n", i, err.text);
			bad++;
			break;
		}
		for (unsigned k = 0; k < OPEN; k++) {
			err_clear(&err);
			if (ring[k].s &&
			    (ask(ring[k].s, 0, &hash, &err) || hash != ring[k].hash)) {
				fprintf(stderr, "# swap %u: store %u: %s\n", i, k,
					err.text);
				bad++;
			}
		}
	}
	for (unsigned k = 0; k < OPEN; k++)
		if (ring[k].s)
			close_session(ring[k].st, ring[k].s);
	is_u64(bad, 0, "swaps: %u indexes replaced under six readers each", swaps);
}

/* ---- */

static void make_index(void)
{
	struct build_opts opts = {.index_path = good_path};
	struct build_report report;
	struct err err = {0};
	struct store *st;
	struct session *s;
	struct stat sb;
	int fd;

	write_file(profile, text, sizeof(text) - 1);
	if (build_open(profile, &opts, &st, &report, &err)) {
		fprintf(stderr, "# %s\n", err.text);
		abort();
	}
	store_close(st);
	fd = open(good_path, O_RDONLY);
	if (fstat(fd, &sb) || !(good = malloc((size_t)sb.st_size)) ||
	    read(fd, good, (size_t)sb.st_size) != sb.st_size)
		abort();
	close(fd);
	good_n = (size_t)sb.st_size;
	if (open_session(good_path, &st, &s, &err))
		abort();
	for (size_t i = 0; i < QUERIES; i++)
		if (ask(s, i, &right[i], &err)) {
			fprintf(stderr, "# '%s': %s\n", queries[i], err.text);
			abort();
		}
	close_session(st, s);
}

static int torture(char **arg)
{
	uint64_t s = strtoull(arg[1], NULL, 10);
	size_t from = strtoull(arg[2], NULL, 10), n = strtoull(arg[3], NULL, 10);

	if (strcmp(arg[0], "swaps") == 0)
		test_swaps((unsigned)n);
	for (size_t r = 0; r < COUNT(rows); r++)
		for (size_t i = from; strcmp(arg[0], rows[r].name) == 0 && i < from + n;
		     i++) {
			const char *what = try_one(&rows[r], s, i);

			if (what)
				puts(what);
		}
	puts("done");
	return 0;
}

int main(int argc, char **argv)
{
	unsigned every = argc == 2 ? (unsigned)atoi(argv[1]) : 1;
	int rc;
	char command[100];

	if (every == 0) {
		fprintf(stderr, "usage: damage_test [EVERY]\n");
		return 2;
	}
	snprintf(dir, sizeof(dir), "%s/quern-damage-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	told = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		    0);
	if (!mkdtemp(dir) || told == MAP_FAILED)
		abort();
	snprintf(profile, sizeof(profile), "%s/profile", dir);
	snprintf(good_path, sizeof(good_path), "%s/good", dir);
	snprintf(bad_path, sizeof(bad_path), "%s/bad", dir);
	make_index();
	if (argc == 5) {
		rc = torture(argv + 1);
	} else {
		for (size_t i = 0; i < COUNT(rows); i++)
			run_row(&rows[i], (rows[i].commit + every - 1) / every);
		test_swaps((200 + every - 1) / every);
		rc = done_testing();
	}
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		fprintf(stderr, "# %s is left\n", dir);
	return rc;
}
