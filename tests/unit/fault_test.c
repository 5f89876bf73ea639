/*
 * fault_test.c - every place that allocates or calls the system, refused once.
 *
 * A profile is indexed, or a question asked, while the stack of each allocation, system call
 * and look at the clock is kept (crash/fault.c, preloaded); then it is done again for each stack that is new,
 * and that call fails.  What comes out is the right answer or an error in words; nothing is
 * left behind: no memory, no descriptor, no file.  crash/building.t and asking.t do the same to
 * the whole program.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/moved.h"
#include "engine/query.h"
#include "engine/roots.h"
#include "index/base/map.h"
#include "index/build.h"
#include "tests/fuzzing.h"
#include "tests/pack.h"
#include "tests/tap.h"

static void (*arm)(const char *);
static unsigned long (*record)(char class, uint64_t *hash, size_t n);
static long (*live)(void);
static void (*flag)(atomic_int *);
static atomic_int cancel; /* of every build */

enum { ROOM = 1 << 20, FILES = 8 };

static char dir[200];

/* ---- files ---- */

static const char *in_dir(const char *name)
{
	static char path[FILES + 4][300];
	static unsigned next;
	char *p = path[next++ % (FILES + 4)];

	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

static void put(const char *name, const void *p, size_t n)
{
	const char *path = in_dir(name);
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
		fuzz_fail("cannot write %s: %s", path, strerror(errno));
}

struct file {
	char *p;
	size_t n;
};

static struct file get(const char *path)
{
	struct file f = {malloc(8 << 20), 0};
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 || !f.p ? -1 : read(fd, f.p, 8 << 20);

	if (n < 0 || close(fd))
		fuzz_fail("cannot read %s: %s", path, strerror(errno));
	f.n = (size_t)n;
	return f;
}

static void copy(const char *from, const char *name)
{
	struct file f = get(from);

	put(name, f.p, f.n);
	free(f.p);
}

static void empty_dir(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

static unsigned files_in_dir(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

/* ---- what is done ---- */

struct scene {
	const char *name;
	void (*prepare)(int arg); /* before each try; files are in dir */
	int arg;
	const char *file[FILES]; /* in dir, NULL-terminated; NULL: "p" */
	struct build_opts opts;
	const char *index;     /* in dir; NULL: none is kept */
	unsigned leaves;       /* files in dir afterwards, when it works */
	const char *mapped[3]; /* in dir, NULL-terminated: what may shrink meanwhile */
	bool quiet;	       /* there would be too much to ask */
};

static const char *const asked[] = {
	"functions | show fn, file, obj, line, self, incl, calls",
	"calls",
	"lines",
	"callsites",
	"jumps",
	"instrs",
	"cycles",
	"events",
	"parts",
	"part 1 | functions",
	"part 2 | lines",
	"part 2 | callsites",
	"part 2 | jumps",
	"info main"};

static struct roots *roots; /* of sources and objects; NULL: none */

/* With time enough on the slowest of machines, and little beside the hours of "clk". */
static struct session *session_of(struct store *st)
{
	const struct session_limits limits = {
		.seconds = 3600, .rows = 20000, .arena_bytes = 64 << 20};
	struct session *s = fuzz_session(st);

	if (!s)
		fuzz_fail("no session");
	session_set_limits(s, &limits);
	if (roots)
		session_set_roots(s, roots, roots);
	return s;
}

/* Index, open, ask everything; answers appended to *to.  Only the indexing is armed. */
static int build(const struct scene *s, const char *fault, struct out *to,
		 struct err *err)
{
	struct build_opts opts = s->opts;
	struct build_report report;
	struct store *st = NULL;
	const char *path[FILES];
	struct session *session;
	size_t n = 0;
	int rc;

	for (; n < FILES && (s->file[n] || n == 0); n++)
		path[n] = in_dir(s->file[n] ? s->file[n] : "p");
	opts.no_write = !s->index;
	opts.index_path = s->index ? in_dir(s->index) : NULL;
	opts.jobs = 1;
	opts.cancel = &cancel;
	atomic_store(&cancel, 0);
	arm(fault);
	rc = n == 1 ? build_open(path[0], &opts, &st, &report, err)
		    : build_open_set(path, n, &opts, &st, &report, err);
	if (fault)
		arm(NULL);
	if (rc)
		return rc;
	session = session_of(st);
	for (size_t i = 0; to && !s->quiet && i < COUNT(asked); i++)
		fuzz_ask(session, str_c(asked[i]), FORMAT_CSV, to);
	session_free(session);
	store_close(st);
	return 0;
}

static int next_fd(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

static void check(const struct scene *s, const char *fault, const struct out *want)
{
	struct err err = {0};
	struct out got;
	unsigned files;
	long before;
	int fd, rc;

	s->prepare(s->arg);
	files = files_in_dir();
	out_mem(&got);
	fd = next_fd();
	before = live();
	rc = build(s, fault, &got, &err);
	if (!rc && (got.n != want->n || memcmp(got.buf, want->buf, got.n) != 0))
		ok(false, "%s, %s: another answer, %zu bytes of %zu", s->name, fault,
		   got.n, want->n);
	if (rc && (!err.text[0] || rc != (int)err.kind))
		ok(false, "%s, %s: status %d, kind %d, '%s'", s->name, fault, rc,
		   (int)err.kind, err.text);
	if (rc && fault[0] == 'm' && rc != ERR_LIMIT && rc != ERR_INDEX &&
	    rc != ERR_PROFILE)
		ok(false, "%s, %s: status %d for want of memory: %s", s->name, fault, rc,
		   err.text);
	if (rc && fault[0] == 'm' && strstr(err.text, "damaged"))
		ok(false, "%s, %s: called damage: %s", s->name, fault, err.text);
	out_close(&got);
	if (live() != before)
		ok(false, "%s, %s: %ld allocations are lost: %s", s->name, fault,
		   live() - before, err.text);
	if (next_fd() != fd)
		ok(false, "%s, %s: a descriptor is lost", s->name, fault);
	/* What failed may be an unlink(). */
	if (files_in_dir() > (s->leaves > files ? s->leaves : files) + (fault[0] == 's'))
		ok(false, "%s, %s: %u files instead of %u", s->name, fault,
		   files_in_dir(), files);
}

/* The k-th calls, from 1, whose stacks no scene had before, or not since `anew`; n of them. */
static unsigned long *new_stacks(const uint64_t *hash, unsigned long calls, bool anew,
				 size_t *n)
{
	static uint64_t seen[1 << 16];
	unsigned long *k = malloc((calls + 1) * sizeof(*k));

	if (anew || getenv("QUERN_TORTURE"))
		memset(seen, 0, sizeof(seen));
	*n = 0;
	for (unsigned long i = 0; i < calls; i++) {
		size_t at = hash[i] % COUNT(seen);

		while (seen[at] && seen[at] != hash[i])
			at = (at + 1) % COUNT(seen);
		if (!seen[at])
			k[(*n)++] = i + 1;
		seen[at] = hash[i];
	}
	return k;
}

static void sweep(const struct scene *s, bool mem, const char *const *how, size_t nhow,
		  const struct out *want)
{
	static uint64_t hash[ROOM];
	unsigned long calls, *k;
	unsigned failed = tap_failed;
	size_t n;

	s->prepare(s->arg);
	record(mem ? 'm' : 's', hash, ROOM);
	build(s, NULL, NULL, &(struct err){0});
	calls = record(mem ? 'm' : 's', NULL, 0);
	k = new_stacks(hash, calls < ROOM ? calls : ROOM, false, &n);
	for (size_t i = 0; i < n && tap_failed < failed + 20; i++)
		for (size_t h = 0; h < nhow; h++) {
			char fault[40];

			/* The first, and one of the others in turn. */
			if (h && i % 4 != h - 1 && !getenv("QUERN_TORTURE"))
				continue;
			snprintf(fault, sizeof(fault), "%s:%lu%s", mem ? "mem" : "sys",
				 k[i], how[h]);
			check(s, fault, want);
		}
	ok(tap_failed == failed && calls > 30, "%s: %lu %s, %zu of them new", s->name,
	   calls, mem ? "allocations" : "system calls", n);
	free(k);
}

static void run_scene(const struct scene *s)
{
	static const char *const mem[] = {":12", "+:12"};
	static const char *const sys[] = {":95", ":5", ":28", ":4", ":24"};
	struct err err = {0};
	struct out want;

	out_mem(&want);
	empty_dir();
	s->prepare(s->arg);
	if (ok(build(s, NULL, &want, &err) == 0 && want.n > 100, "%s%s%s", s->name,
	       err.text[0] ? ": " : "", err.text)) {
		sweep(s, true, mem, COUNT(mem), &want);
		sweep(s, false, sys, COUNT(sys), &want);
	}
	out_close(&want);
}

/* The allocations of a build, one per place that asks for it, out of *calls. */
static unsigned long *new_sites(const struct scene *s, size_t *n, unsigned long *calls)
{
	static uint64_t hash[ROOM];

	s->prepare(s->arg);
	record('m', hash, ROOM);
	build(s, NULL, NULL, &(struct err){0});
	*calls = record('m', NULL, 0);
	return new_stacks(hash, *calls < ROOM ? *calls : ROOM, true, n);
}

/* Ctrl-C at the k-th allocation: the index or none, and nothing is lost. */
static void interrupt(const struct scene *s)
{
	unsigned failed = tap_failed, stopped = 0;
	unsigned long calls, *k;
	size_t n;

	k = new_sites(s, &n, &calls);
	for (size_t i = 0; i < n && tap_failed < failed + 20; i++) {
		struct err err = {0};
		unsigned files;
		char fault[40];
		long before;
		int rc;

		s->prepare(s->arg);
		files = files_in_dir();
		before = live();
		snprintf(fault, sizeof(fault), "mem:%lu:stop", k[i]);
		rc = build(s, fault, NULL, &err);
		stopped += rc == ERR_CANCEL;
		if (rc && (rc != ERR_CANCEL || files_in_dir() != files))
			ok(false, "%s: status %d, %u files instead of %u: %s", fault, rc,
			   files_in_dir(), files, err.text);
		if (live() != before)
			ok(false, "%s: %ld allocations are lost", fault, live() - before);
	}
	ok(tap_failed == failed && stopped > 30,
	   "%s: interrupted at %zu of %lu allocations, %u in time", s->name, n, calls,
	   stopped);
	free(k);
}

/* A file is cut to nothing at the k-th allocation, so that what is read next of its map is a
 * fault: nothing that was allocated until then may be lost. */
static void shrink(const struct scene *s, const char *file)
{
	unsigned failed = tap_failed, refused = 0;
	unsigned long calls, *k;
	size_t n;

	k = new_sites(s, &n, &calls);
	for (size_t i = 0; i < n && tap_failed < failed + 20; i++) {
		struct err err = {0};
		char fault[300];
		long before;
		int fd, rc;

		s->prepare(s->arg);
		fd = next_fd();
		before = live();
		snprintf(fault, sizeof(fault), "mem:%lu:cut@%s", k[i], in_dir(file));
		rc = build(s, fault, NULL, &err);
		refused += rc != 0;
		if (rc && (rc != (int)err.kind || !err.text[0] || rc == ERR_LIMIT))
			ok(false, "%s: status %d: %s", fault, rc, err.text);
		/* mdb_txn_begin() reads the index before it gives its transaction out. */
		if (live() != before && (live() != before + 1 || file != s->index))
			ok(false, "%s: %ld allocations are lost: %s", fault,
			   live() - before, err.text);
		if (next_fd() != fd)
			ok(false, "%s: a descriptor is lost", fault);
	}
	ok(tap_failed == failed && refused > 30,
	   "%s: %s shrinks at %zu of %lu allocations, %u are too early", s->name, file, n,
	   calls, refused);
	free(k);
}

/* ---- the scenes ---- */

static void with(int which)
{
	static const char *const fixture[] = {"small/mutual-instr-jumps.out",
					      "small/thr-septhreads-combine-bb.out",
					      "quirks/z_mut.cg"};
	char path[200];

	empty_dir();
	snprintf(path, sizeof(path), "tests/fixtures/%s", fixture[which]);
	copy(path, "p");
}

static size_t repeated(char *p, size_t cap)
{
	size_t n = (size_t)snprintf(p, cap, "events: Ir Dr\nevent: Sum = Ir + Dr\n");

	for (int part = 1; part <= 12; part++) {
		n += (size_t)snprintf(p + n, cap - n, "\npart: %d\n", part);
		for (int fn = 1; fn <= 12; fn++) {
			n += (size_t)snprintf(p + n, cap - n,
					      part == 1 ? "\nfl=(1) f.c\nfn=(%d) name%d\n"
							: "\nfl=(1)\nfn=(%d)\n",
					      fn, fn);
			for (int i = 1; i < 20; i++)
				n += (size_t)snprintf(
					p + n, cap - n,
					i % 7 ? "+%d %d 1\n"
					      : "cfn=(5)\ncalls=%d 1\n+1 %d 7\n",
					i % 3 + 1, part * i);
		}
	}
	return n;
}

static char text[1 << 17];

static void spilled(int arg)
{
	(void)arg;
	empty_dir();
	put("p", text, repeated(text, sizeof(text)));
}

/* Many names, half of them made of others. */
static void named(int arg)
{
	size_t n = (size_t)snprintf(text, sizeof(text), "events: Ir\n");

	(void)arg;
	empty_dir();
	for (int i = 0; i < 600; i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n,
			"fl=f%d.c\nfn=(%d) n%d\n%d 1\nfn=(%d) (%d)'2'(%d)\n1 1\n",
			i % 200, i + 1, i * 7 % 1000, i + 1, i + 1001, i + 1,
			i ? i + 1000 : 1);
	put("p", text, n);
}

/* Names that begin alike, some of which end there, and one name in many objects: each group is
 * too large to be sorted without memory. */
static void alike(int arg)
{
	size_t n = (size_t)snprintf(text, sizeof(text), "events: Ir\n");

	(void)arg;
	empty_dir();
	for (int i = 0; i < 100; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "ob=o%d\nfl=f.c\nfn=beginning\n1 1\n", 99 - i);
	for (int i = 0; i < 200; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "fn=%s%d\n1 1\n",
				      i < 80 ? "another_" : "beginnin", 199 - i);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "fn=beginnin\n1 1\n");
	put("p", text, n);
}

/* Ids that get other names, small ones and large. */
static void renamed(int arg)
{
	size_t n = (size_t)snprintf(text, sizeof(text), "events: Ir\n");

	(void)arg;
	empty_dir();
	for (int i = 0; i < 900; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "fl=(1) f.c\nfn=(%d) n%d\n%d 1\nfn=(%d) m%d\n1 1\n",
				      i % 40 + 1, i, i + 1, 1000000 + 7 * i, i);
	put("p", text, n);
}

static void packed(int how)
{
	size_t n = repeated(text, sizeof(text)), size;
	char *p = pack_text((enum pack)how, 1, text, n, &size);

	empty_dir();
	put("p", p, size);
	free(p);
}

static void threads(int arg)
{
	(void)arg;
	empty_dir();
	for (int i = 1; i <= 5; i++) {
		char from[100], to[20];

		snprintf(from, sizeof(from),
			 "tests/fixtures/small/thr-septhreads.out-0%d", i);
		snprintf(to, sizeof(to), "t-0%d", i);
		copy(from, to);
	}
}

#define THREADS "t-01", "t-02", "t-03", "t-04"
static const struct scene four = {"four",    threads,	   0,
				  {THREADS}, .index = "i", .leaves = 6};

/* An index of four of the five: one is added to it. */
static void all_but_one(int arg)
{
	(void)arg;
	static struct file index;

	threads(0);
	if (!index.p) {
		build(&four, NULL, NULL, &(struct err){0});
		index = get(in_dir("i"));
	}
	put("i", index.p, index.n);
	chmod(in_dir("i"), 0444);
}

/* So many odd lines that the index does not tell them all: its files are read again. */
static void odd_set(int arg)
{
	static const struct scene two = {"two", NULL, 0, {"q.1", "q.2"}, .index = "i"};

	(void)arg;
	empty_dir();
	for (int i = 1; i <= 3; i++) {
		char p[400], name[16];
		size_t n = (size_t)snprintf(
			p, sizeof(p), "pid: 1\npart: %d\nevents: Ir\nfl=a.c\nfn=f\n1 1\n",
			i);

		for (int k = 0; k < 9; k++)
			n += (size_t)snprintf(p + n, sizeof(p) - n, "odd %d\n", k);
		snprintf(name, sizeof(name), "q.%d", i);
		put(name, p, n);
	}
	build(&two, NULL, NULL, &(struct err){0});
}

/* A line longer than the room in front of a block, of which it takes several. */
static void long_line(int arg)
{
	static char line[300000];
	size_t n = (size_t)snprintf(line, sizeof(line), "events: Ir\nfl=a.c\nfn=f\n1 "),
	       size;
	char *p;

	(void)arg;
	memset(line + n, ' ', 200000);
	n += 200000;
	n += (size_t)snprintf(line + n, sizeof(line) - n, "7\nfn=g\n2 3\n");
	p = pack_text(PACK_GZIP, 1, line, n, &size);
	empty_dir();
	put("p", p, size);
	free(p);
}

/* One that is damaged: it is made again. */
static void damaged(int arg)
{
	(void)arg;
	all_but_one(0);
	chmod(in_dir("i"), 0644);
	if (truncate(in_dir("i"), 5000))
		fuzz_fail("cannot truncate");
}

static const char shrunk[] = "i";
static const struct scene shrinking[] = {
	{"many names", named, 0, {"p"}, .mapped = {"p"}},
	{"many names in small stretches",
	 named,
	 0,
	 {"p"},
	 .opts = {.stretch = 512},
	 .mapped = {"p"}},
	{"parts that shrink", with, 1, {"p"}, .mapped = {"p"}},
	{"a set that shrinks", threads, 0, {THREADS, "t-05"}, .mapped = {"t-01", "t-05"}},
	{"a file is added and all shrinks",
	 all_but_one,
	 0,
	 {THREADS, "t-05"},
	 .index = shrunk,
	 .mapped = {"t-05", shrunk}},
	{"gzip, interrupted", packed, PACK_GZIP, {"p"}, .mapped = {NULL}},
	{"little memory, interrupted",
	 spilled,
	 0,
	 {"p"},
	 .opts = {.mem = 8 << 10, .run = 16}},
};

static const struct scene scenes[] = {
	{"a profile with jumps", with, 0, {"p"}, .leaves = 1},
	{"parts", with, 1, {"p"}, .leaves = 1},
	{"an odd one", with, 2, {"p"}, .leaves = 1},
	{"names made of names", named, 0, {"p"}, .leaves = 1},
	{"little memory", spilled, 0, {"p"}, .opts = {.mem = 8 << 10, .run = 16}},
	{"small stretches", spilled, 0, {"p"}, .opts = {.stretch = 512}},
	{"names that begin alike", alike, 0, {"p"}, .leaves = 1},
	{"ids that get other names",
	 renamed,
	 0,
	 {"p"},
	 .opts = {.stretch = 512},
	 .leaves = 1},
	{"gzip", packed, PACK_GZIP, {"p"}, .leaves = 1},
	{"bzip2", packed, PACK_BZIP2, {"p"}, .leaves = 1},
	{"xz", packed, PACK_XZ, {"p"}, .leaves = 1},
	{"zstd", packed, PACK_ZSTD, {"p"}, .leaves = 1},
	{"lz4", packed, PACK_LZ4, {"p"}, .leaves = 1},
	{"an index is kept", spilled, 0, {"p"}, .index = "i", .leaves = 2},
	{"a set", threads, 0, {THREADS, "t-05"}, .leaves = 5},
	{"a file is added", all_but_one, 0, {THREADS, "t-05"}, .index = "i", .leaves = 6},
	{"a file is added in little memory",
	 all_but_one,
	 0,
	 {THREADS, "t-05"},
	 .opts = {.mem = 1 << 10, .run = 9},
	 .index = "i",
	 .leaves = 6},
	{"all are read again",
	 odd_set,
	 0,
	 {"q.1", "q.2", "q.3"},
	 .index = "i",
	 .leaves = 4},
	{"a long line", long_line, 0, {"p"}, .opts = {.mem = 1 << 20}, .leaves = 1},
	{"an index is damaged", damaged, 0, {THREADS}, .index = "i", .leaves = 6},
};

/* ---- inputs that grow ----
 *
 * Room grows by doubling and comes from arenas in chunks, so which request has to allocate
 * depends on what came before it.  In inputs that differ by a few bytes, or by one more of a
 * thing, each request is once that which does; only those that no input had before fail.
 */

static struct out grown;

/* arg: how many odd lines, and behind them, in hundreds, what else is odd. */
static void odder(int arg)
{
	static const char *const last[] = {
		"cfn=g\ncalls=1 1\n",	    /* and the file ends */
		"cfn=g\ncalls=1 1\nfn=h\n", /* no cost line follows */
		"events: Ir Ir\n2 1 1\n",
		"totals: x\n",
		"part: x\npid: y\nevents: Ir\n",
	};

	grown.n = 0;
	out_c(&grown, "events: Ir\nfl=a.c\nfn=f\n1 1\n");
	for (int i = 0; i < arg % 100; i++)
		out_printf(&grown,
			   i % 3 == 0	? "what %d\n"
			   : i % 3 == 1 ? "1 x%d\n"
					: "fn=(%d)\n1 1\n",
			   i);
	out_c(&grown, last[arg / 100]);
	empty_dir();
	put("p", grown.buf, grown.n);
}

/* More columns than a line may have, behind odd lines. */
static void many_columns(int arg)
{
	grown.n = 0;
	for (int i = 0; i < arg; i++)
		out_c(&grown, "what\n");
	out_c(&grown, "events:");
	for (int i = 0; i < 4100; i++)
		out_printf(&grown, " e%d", i % 3);
	out_c(&grown, "\nfn=f\n1 1\n");
	empty_dir();
	put("p", grown.buf, grown.n);
}

static void header(int filled, int part)
{
	out_printf(&grown, "pid: 1\npart: %d\ndesc: %0*d\ndesc: Trigger: t\ndesc: more\n",
		   part, filled, 7);
	out_printf(
		&grown,
		"event: Sum = Ir + Dr : both\nevents: Ir Dr Dw\nsummary: 1 2 3\n"
		"fl=a.c\nfn=f\n1 %d\ncfn=g\ncalls=1 1\n2 3\njump=1 2\n3\ntotals: 1 2 3\n",
		part);
}

/* Each chunk ends elsewhere. */
static void filled(int arg)
{
	grown.n = 0;
	header(arg * 40, 1);
	header(5, 2);
	empty_dir();
	put("p", grown.buf, grown.n);
}

/* So many calls, lines and jumps, in three parts. */
static void more_of_all(int arg)
{
	grown.n = 0;
	out_c(&grown, "events: Ir\nfl=a.c\n");
	for (int part = 1; part <= 3; part++) {
		out_printf(&grown, "part: %d\nfn=f\n", part);
		for (int i = 0; i < arg; i++)
			out_printf(&grown,
				   "%d 1\ncfn=g%d\ncalls=1 1\n%d 2\njump=1 %d\n%d\n",
				   i + 1, i, i + 1, i, i + 2);
		out_c(&grown, "fn=g1\n7 7\nfn=f\n1 1\n");
	}
	empty_dir();
	put("p", grown.buf, grown.n);
}

/* An index of two files, and a third. */
static void filled_set(int arg)
{
	static const struct scene two = {"two", NULL, 0, {"q.1", "q.2"}, .index = "i"};

	empty_dir();
	for (int i = 1; i <= 3; i++) {
		grown.n = 0;
		header(i == 2 ? arg * 40 : 3, i);
		for (int k = 0; k < 6 + arg % 8; k++)
			out_printf(&grown, "odd %d\n", k);
		put(i == 1 ? "q.1" : i == 2 ? "q.2" : "q.3", grown.buf, grown.n);
	}
	build(&two, NULL, NULL, &(struct err){0});
}

/* The name of a callee, or its number when it was said before. */
static void callee(int i, bool known)
{
	if (known)
		out_printf(&grown, "cfn=(%d)\n", 100 + i);
	else
		out_printf(&grown, "cfn=(%d) g%d\n", 100 + i, i);
}

/* Of two functions each calls so many, in parts of its own until all is known; then both do, so
 * that a part touches more than any before. */
static void more_calls(int arg)
{
	grown.n = 0;
	out_c(&grown, "events: Ir Dr\nfl=(1) a.c\nfn=(1) f1\n1 1\nfn=(2) f2\n1 1\n");
	for (int part = 1; part <= 7; part++) {
		out_printf(&grown, "\npart: %d\n", part);
		for (int f = 1; f <= 2; f++) {
			if (part < 7 && f != 1 + (part > 3))
				continue;
			out_printf(&grown, "\nfl=(1)\nfn=(%d)\n", f);
			for (int i = 0; i < arg; i++) {
				out_printf(&grown, "%d 1 1\n", i + 2);
				callee(i, part > 1);
				out_printf(&grown, "calls=1 1\n%d 2 2\n", i + 2);
			}
		}
	}
	out_printf(&grown, "#%*s\n", 700, "room to look ahead");
	empty_dir();
	put("p", grown.buf, grown.n);
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
	empty_dir();
	put("p", grown.buf, grown.n);
}

/* Known events and others, from which more are derived. */
static void more_events(int arg)
{
	grown.n = 0;
	out_c(&grown, "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim");
	for (int i = 0; i < arg; i++)
		out_printf(&grown, " e%d", i);
	out_c(&grown, "\nfl=a.c\nfn=f\n1 1 2 3 4 5 6 7 8 9\ncfn=g\ncalls=1 1\n1 1 1 1\n"
		      "fn=g\n1 1 1 1 1\n");
	empty_dir();
	put("p", grown.buf, grown.n);
}

/* Parts with sums, and long odd lines, of which an index is made, before a file is added. */
static void more_parts_set(int arg)
{
	static const struct scene two = {"two", NULL, 0, {"q.1", "q.2"}, .index = "i"};

	empty_dir();
	for (int i = 1; i <= 3; i++) {
		grown.n = 0;
		for (int k = 0; k < (i == 2 ? 10 + arg : 1); k++) {
			out_printf(&grown, "pid: 1\npart: %d\nevents:", i * 1000 + k);
			for (int e = 0; e < 12; e++)
				out_printf(&grown, " e%d", e);
			out_c(&grown,
			      "\nsummary: 1 2 3 4 5 6 7 8 9 10 11 12\nfl=a.c\nfn=f\n1 1\n"
			      "totals: 1\n");
		}
		for (int k = 0; i == 1 && k < arg * 15; k++)
			out_printf(&grown,
				   "cfi=a.c\ncfn=g%d\ncalls=1 1\n%d 1 2\njump=1 %d\n%d\n",
				   k, k, k, k + 7);
		for (int k = 0; k < 6; k++)
			out_printf(&grown, "%0*d odd\n", 150 + arg, 0);
		put(i == 1 ? "q.1" : i == 2 ? "q.2" : "q.3", grown.buf, grown.n);
	}
	build(&two, NULL, NULL, &(struct err){0});
}

/* Blocks of an index that are full before all is in them. */
static void full_blocks(int arg)
{
	(void)arg;
	grown.n = 0;
	out_c(&grown, "events: Ir Dr\nfl=a.c\n");
	for (int part = 1; part <= 16; part++) {
		out_printf(&grown, "part: %d\n", part);
		for (int i = 1; i < 3500; i++)
			out_printf(&grown,
				   part == 1 ? "fn=(%d) f%d\n+%d %d %d\n"
					     : "fn=(%d)\n%.0d+%d %d %d\n",
				   i, part == 1 ? i : 0, part, 70000 + i, 70000 + part);
	}
	empty_dir();
	put("p", grown.buf, grown.n);
}

static const struct growing {
	struct scene scene;
	int from, to;
} growing[] = {
	{{"odd lines and a call at the end", .prepare = odder}, 0, 60},
	{{"odd lines and a call without costs", .prepare = odder}, 100, 160},
	{{"odd lines and an event twice", .prepare = odder}, 200, 260},
	{{"odd lines and odd totals", .prepare = odder}, 300, 360},
	{{"odd lines and an odd part", .prepare = odder}, 400, 460},
	{{"too many columns", .prepare = many_columns}, 20, 21},
	{{"long headers", .prepare = filled}, 0, 420},
	{{"more and more", .prepare = more_of_all}, 0, 70},
	{{"more and more, in stretches", .prepare = more_of_all,
	  .opts = {.stretch = 100}},
	 0,
	 70},
	{{"more and more, in little memory", .prepare = more_of_all,
	  .opts = {.mem = 4 << 10, .run = 9}},
	 0,
	 70},
	{{"more and more calls", .prepare = more_calls}, 1, 90},
	{{"more and more events", .prepare = more_events}, 0, 70},
	{{"a file is added to more and more parts", .prepare = more_parts_set,
	  .file = {"q.1", "q.2", "q.3"}, .index = "i"},
	 0,
	 60},
	{{"full blocks", .prepare = full_blocks, .index = "i", .leaves = 2,
	  .quiet = true},
	 0,
	 1},
	{{"a file is added to long headers", .prepare = filled_set,
	  .file = {"q.1", "q.2", "q.3"}, .index = "i"},
	 0,
	 420},
};

static void grow(const struct growing *g)
{
	static uint64_t hash[ROOM];
	unsigned failed = tap_failed, places = 0;

	for (int arg = g->from; arg < g->to && tap_failed < failed + 20; arg++) {
		struct scene s = g->scene;
		struct err err = {0};
		unsigned long *k;
		struct out want;
		size_t n;

		s.arg = arg;
		s.prepare(arg);
		record('m', hash, ROOM);
		build(&s, NULL, NULL, &err);
		k = new_stacks(hash, record('m', NULL, 0), false, &n);
		out_mem(&want);
		if (n) {
			s.prepare(arg);
			build(&s, NULL, &want, &err);
		}
		for (size_t i = 0; i < n; i++) {
			char fault[40];

			snprintf(fault, sizeof(fault), "mem:%lu:12", k[i]);
			check(&s, fault, &want);
		}
		places += (unsigned)n;
		out_close(&want);
		free(k);
	}
	ok(tap_failed == failed, "%s: %u new places", g->scene.name, places);
}

/* ---- questions ---- */

/* NULL: there are no more. */
static const char *question(unsigned i)
{
	return i && fuzz_question(i) == fuzz_question(0) ? NULL : fuzz_question(i);
}

static char profile_path[300], index_path[300];

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
	arm(fault);
	now = fuzz_ask(s, str_c(q), FORMAT_CSV, &got);
	arm(NULL);
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
	static uint64_t hash[ROOM];
	struct store *st = indexed();
	struct session *s = session_of(st);
	unsigned long *k;
	struct out want;
	size_t n;
	int kind;

	out_mem(&want);
	arm(NULL);
	record(class, hash, ROOM);
	kind = fuzz_ask(s, str_c(q), FORMAT_CSV, &want);
	k = new_stacks(hash, record(class, NULL, 0), false, &n);
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

	empty_dir();
	put("p", profile, sizeof(profile) - 1);
	put("o", "an object", 9);
	put("objdump", script, sizeof(script) - 1);
	chmod(in_dir("objdump"), 0755);
	grown.n = 0;
	for (int i = 1; i < 900; i++)
		out_printf(&grown, "line %d\n", i);
	put("s.c", grown.buf, grown.n);
	snprintf(before, sizeof(before), "%s", getenv("PATH") ? getenv("PATH") : "");
	setenv("PATH", dir, 1);
	if (roots_new(&roots, &err) || roots_add(roots, dir, true, &err))
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
	return rc;
}

static int say_moved(struct session *s, struct err *err)
{
	struct moved m = {0};
	int rc = 0;

	(void)s;
	for (int i = 0; i < 50 && !rc; i++)
		rc = moved_add(&m, STR("/build/src=/home/me/src"), err);
	moved_clear(&m);
	return rc;
}

/* More than the table of guarded maps has room for at first. */
static int map_many(struct err *err)
{
	static struct map map[400];
	int fd = open(in_dir("p"), O_RDONLY | O_CLOEXEC), rc = fd < 0, n = 0;

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
	static uint64_t hash[ROOM];
	unsigned failed = tap_failed, refused = 0;
	const char *path = profile_path;
	struct err err = {0};
	struct session *s;
	struct store *st;
	unsigned long *k;
	size_t n;

	with(1);
	index_set(&path, 1);
	st = indexed();
	s = session_of(st);
	arm(NULL);
	record('m', hash, ROOM);
	call(s, &err);
	k = new_stacks(hash, record('m', NULL, 0), true, &n);
	for (size_t i = 0; i < n; i++) {
		char fault[40];
		long before = live();
		int rc;

		snprintf(fault, sizeof(fault), "mem:%lu:12", k[i]);
		err_clear(&err);
		arm(fault);
		rc = call(s, &err);
		arm(NULL);
		refused += rc == ERR_LIMIT;
		if ((rc && (rc != ERR_LIMIT || !err.text[0])) || live() != before)
			ok(false, "%s, %s: status %d, %ld allocations are lost: %s", name,
			   fault, rc, live() - before, err.text);
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

	with(1);
	arm("mem:1:12");
	is_u64((uint64_t)map_many(&err), ERR_LIMIT, "many maps, no memory: %s", err.text);
	arm(NULL);
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

	put(file, was->p, was->n);
	out_mem(&got);
	before = live();
	if (store_open(in_dir("i"), true, &st, &err))
		fuzz_fail("%s", err.text);
	s = session_of(st);
	snprintf(fault, sizeof(fault), "mem:%lu:cut@%s", at, in_dir(file));
	arm(fault);
	now = fuzz_ask(s, str_c(q), FORMAT_CSV, &got);
	arm(NULL);
	session_free(s);
	store_close(st);
	if (now == kind ? got.n != want->n || memcmp(got.buf, want->buf, got.n) != 0
			: now != ERR_INDEX && now != ERR_PROFILE && now != ERR_STALE)
		ok(false, "%s: %s: status %d instead of %d, %zu bytes of %zu", q, fault,
		   now, kind, got.n, want->n);
	out_close(&got);
	/* A query whose index shrinks may leave an arena of its own behind (query.c). */
	if (live() != before && file[0] == 'p')
		ok(false, "%s: %s: %ld allocations are lost", q, fault, live() - before);
}

static unsigned long shrink_each(const struct file *was, const char *file, const char *q,
				 bool anew)
{
	static uint64_t hash[ROOM];
	struct session *s;
	struct store *st;
	struct err err = {0};
	unsigned long *k;
	struct out want;
	size_t n;
	int kind;

	put(file, was->p, was->n);
	if (store_open(in_dir("i"), true, &st, &err))
		fuzz_fail("%s", err.text);
	s = session_of(st);
	out_mem(&want);
	arm(NULL);
	record('m', hash, ROOM);
	kind = fuzz_ask(s, str_c(q), FORMAT_CSV, &want);
	k = new_stacks(hash, record('m', NULL, 0), anew, &n);
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

	empty_dir();
	copy(path, "p");
	opts.index_path = in_dir("i");
	if (build_open(in_dir("p"), &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	store_close(st);
	for (size_t f = 0; f < COUNT(files); f++) {
		struct file was = get(in_dir(files[f]));
		unsigned failed = tap_failed;
		unsigned long n = 0;

		for (unsigned i = 0; question(i) && tap_failed < failed + 20; i++)
			n += shrink_each(&was, files[f], question(i), i == 0);
		put(files[f], was.p, was.n);
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
		arm(fault);
		rc = store_verify(st, NULL, &checked, &err);
		arm(NULL);
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
	FILE *f = fopen(in_dir("p"), "w");

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
	FILE *f = fopen(in_dir("p"), "w");

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
	static uint64_t hash[ROOM];
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

		session_set_cancel(s, &cancel);
		atomic_store(&cancel, 0);
		out_mem(&got);
		if (k)
			snprintf(fault, sizeof(fault), "mem:%lu:stop", k[i - 1]);
		arm(k ? fault : NULL);
		if (!k)
			record('m', hash, ROOM);
		kind = fuzz_ask(s, str_c(q), FORMAT_CSV, k ? &got : &want);
		if (!k && kind)
			ok(false, "%s: status %d", q, kind);
		if (!k)
			k = new_stacks(hash, record('m', NULL, 0), true, &n);
		arm(NULL);
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
	atomic_store(&cancel, 0);
	free(k);
	out_close(&want);
	ok(tap_failed == failed && stopped > 5,
	   "%s: interrupted at %zu allocations, %u in time", q, n, stopped);
}

static void interrupt_questions(void)
{
	const char *path = profile_path;

	empty_dir();
	star();
	index_set(&path, 1);
	interrupt_question("all 9999 paths from s to z max 2");
	interrupt_question("calltree from m7 depth all");
	interrupt_question("functions | group by fn: sum(self)");
}

static void ask_one_of(int which)
{
	char name[5][300];
	const char *path[5] = {profile_path, name[1], name[2], name[3], name[4]};

	switch (which) {
	case 0: with(1); break;
	case 1: with(0); break;
	case 2: packed(PACK_GZIP); break;
	case 3:
		threads(0);
		for (int i = 0; i < 5; i++) {
			snprintf(name[i], sizeof(name[i]), "%s/t-0%d", dir, i + 1);
			path[i] = name[i];
		}
		break;
	default:
		empty_dir();
		wide();
		break;
	}
	ask_all(path, which == 3 ? 5 : 1);
}

/* Again with fault.so before libc, which stands beside this program. */
static void preload(char **argv)
{
	char so[4096];
	int n = (int)(strrchr(argv[0], '/') ? strrchr(argv[0], '/') - argv[0] : 0);

	snprintf(so, sizeof(so), "%.*s/fault.so", n, n ? argv[0] : ".");
	if (getenv("FAULT_TEST") || access(so, R_OK)) {
		skip("no fault.so in this variant: the sanitizers stand in its place");
		exit(done_testing());
	}
	setenv("FAULT_TEST", "1", 1);
	setenv("LD_PRELOAD", so, 1);
	execv(argv[0], argv);
	fuzz_fail("cannot start %s again", argv[0]);
}

int main(int argc, char **argv)
{
	*(void **)&arm = dlsym(RTLD_DEFAULT, "fault_arm");
	*(void **)&record = dlsym(RTLD_DEFAULT, "fault_record");
	*(void **)&live = dlsym(RTLD_DEFAULT, "fault_live");
	*(void **)&flag = dlsym(RTLD_DEFAULT, "fault_flag");
	if (!arm || !record || !live || !flag)
		preload(argv);
	flag(&cancel);
	snprintf(dir, sizeof(dir), "%s/work", fuzz_directory());
	mkdir(dir, 0700);
	snprintf(profile_path, sizeof(profile_path), "%s/p", dir);
	snprintf(index_path, sizeof(index_path), "%s/i", dir);
	for (size_t i = 0; i < COUNT(scenes); i++)
		if (argc < 2 || strstr(scenes[i].name, argv[1]))
			run_scene(&scenes[i]);
	out_mem(&grown);
	for (size_t i = 0; i < COUNT(growing); i++)
		if (argc < 2 || strstr("growing", argv[1]))
			grow(&growing[i]);
	out_close(&grown);
	if (argc < 2 || strstr("questions", argv[1])) {
		/* From one place, or all would be called anew. */
		for (volatile int i = 0; i < 5; i++)
			ask_one_of(i);
		ask_growing("more and more lines", more_lines, 300, 1500, 15,
			    (const char *const[]){"part 2 | lines of *",
						  "part 2 | callsites",
						  "lines | sort self", NULL});
		ask_growing("events that are derived", more_events, 3, 4, 1,
			    (const char *const[]){"path from * to * by CEst",
						  "top 3 by CEst", NULL});
		ask_listings();
		refuse_calls("explain", explain_all);
		refuse_calls("moved", say_moved);
		refuse_maps();
	}
	if (argc < 2 || strstr("interrupted questions", argv[1]))
		interrupt_questions();
	if (argc < 2 || strstr("verify", argv[1]))
		verify_starved("tests/fixtures/quirks/t_parts.cg");
	if (argc < 2 || strstr("questions that shrink", argv[1]))
		ask_shrinking("tests/fixtures/quirks/t_parts.cg");
	for (size_t i = 0; i < COUNT(shrinking); i++)
		if (argc < 2 || strstr("interrupted", argv[1]))
			interrupt(&shrinking[i]);
	for (size_t i = 0; i < COUNT(shrinking); i++)
		for (size_t k = 0; shrinking[i].mapped[k]; k++)
			if (argc < 2 || strstr(shrinking[i].name, argv[1]))
				shrink(&shrinking[i], shrinking[i].mapped[k]);
	empty_dir();
	rmdir(dir);
	return done_testing();
}
