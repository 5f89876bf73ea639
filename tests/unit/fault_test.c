/*
 * fault_test.c - every place of a build that allocates or calls the system, refused once.
 *
 * A profile is indexed for each of those calls that is new, and that call fails; or Ctrl-C
 * comes there, or a file shrinks.  What comes out is the right answer or an error in words;
 * nothing is left behind: no memory, no descriptor, no file.  fault_growing_test.c does it to
 * inputs that grow, fault_asking_test.c to questions, crash/building.t and asking.t to the
 * whole program.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "tests/support/faults.h"
#include "tests/support/fuzzing.h"
#include "tests/support/pack.h"
#include "tests/support/tap.h"

static void check(const struct scene *s, const char *fault, const struct out *want)
{
	const char *wrong = faults_check(s, fault, want);

	if (wrong)
		ok(false, "%s", wrong);
}

static void sweep(const struct scene *s, bool mem, const char *const *how, size_t nhow,
		  const struct out *want)
{
	static uint64_t hash[FAULTS_ROOM];
	unsigned long calls, *k;
	unsigned failed = tap_failed;
	size_t n;

	s->prepare(s->arg);
	faults_record(mem ? 'm' : 's', hash, FAULTS_ROOM);
	faults_build(s, NULL, NULL, &(struct err){0});
	calls = faults_record(mem ? 'm' : 's', NULL, 0);
	k = faults_stacks(hash, calls < FAULTS_ROOM ? calls : FAULTS_ROOM, false, &n);
	for (size_t i = 0; i < n && tap_failed < failed + 20; i++)
		for (size_t h = 0; h < nhow; h++) {
			char fault[40];

			/* One in turn. */
			if (i % nhow != h && !getenv("QUERN_TORTURE"))
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
	static const char *const sys[] = {":95", ":5", ":28", ":4", ":24", "+:5"};
	struct err err = {0};
	struct out want;

	out_mem(&want);
	faults_empty();
	s->prepare(s->arg);
	if (ok(faults_build(s, NULL, &want, &err) == 0 && want.n > 100, "%s%s%s", s->name,
	       err.text[0] ? ": " : "", err.text)) {
		sweep(s, true, mem, COUNT(mem), &want);
		sweep(s, false, sys, COUNT(sys), &want);
	}
	out_close(&want);
}

/* The allocations of a build, one per place that asks for it, out of *calls. */
static unsigned long *new_sites(const struct scene *s, size_t *n, unsigned long *calls)
{
	static uint64_t hash[FAULTS_ROOM];

	s->prepare(s->arg);
	faults_record('m', hash, FAULTS_ROOM);
	faults_build(s, NULL, NULL, &(struct err){0});
	*calls = faults_record('m', NULL, 0);
	return faults_stacks(hash, *calls < FAULTS_ROOM ? *calls : FAULTS_ROOM, true, n);
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
		files = faults_files();
		before = faults_live();
		snprintf(fault, sizeof(fault), "mem:%lu:stop", k[i]);
		rc = faults_build(s, fault, NULL, &err);
		stopped += rc == ERR_CANCEL;
		if (rc && (rc != ERR_CANCEL || faults_files() != files))
			ok(false, "%s: status %d, %u files instead of %u: %s", fault, rc,
			   faults_files(), files, err.text);
		if (faults_live() != before)
			ok(false, "%s: %ld allocations are lost", fault,
			   faults_live() - before);
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
		fd = faults_next_fd();
		before = faults_live();
		snprintf(fault, sizeof(fault), "mem:%lu:cut@%s", k[i], faults_path(file));
		rc = faults_build(s, fault, NULL, &err);
		refused += rc != 0;
		if (rc && (rc != err.kind || !err.text[0] || rc == ERR_LIMIT))
			ok(false, "%s: status %d: %s", fault, rc, err.text);
		/* mdb_txn_begin() reads the index before it gives its transaction out. */
		if (faults_live() != before &&
		    (faults_live() != before + 1 || file != s->index))
			ok(false, "%s: %ld allocations are lost: %s", fault,
			   faults_live() - before, err.text);
		if (faults_next_fd() != fd)
			ok(false, "%s: a descriptor is lost", fault);
	}
	ok(tap_failed == failed && refused > 30,
	   "%s: %s shrinks at %zu of %lu allocations, %u are too early", s->name, file, n,
	   calls, refused);
	free(k);
}

/* ---- the scenes ---- */

static char text[1 << 17];

/* Many names, half of them made of others. */
static void named(int arg)
{
	size_t n = (size_t)snprintf(text, sizeof(text), "events: Ir\n");

	(void)arg;
	faults_empty();
	for (int i = 0; i < 600; i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n,
			"fl=f%d.c\nfn=(%d) n%d\n%d 1\nfn=(%d) (%d)'2'(%d)\n1 1\n",
			i % 200, i + 1, i * 7 % 1000, i + 1, i + 1001, i + 1,
			i ? i + 1000 : 1);
	faults_put("p", text, n);
}

/* Names that begin alike, some of which end there, and one name in many objects: each group is
 * too large to be sorted without memory. */
static void alike(int arg)
{
	size_t n = (size_t)snprintf(text, sizeof(text), "events: Ir\n");

	(void)arg;
	faults_empty();
	for (int i = 0; i < 100; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "ob=o%d\nfl=f.c\nfn=beginning\n1 1\n", 99 - i);
	for (int i = 0; i < 200; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "fn=%s%d\n1 1\n",
				      i < 80 ? "another_" : "beginnin", 199 - i);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "fn=beginnin\n1 1\n");
	faults_put("p", text, n);
}

/* Ids that get other names, small ones and large. */
static void renamed(int arg)
{
	size_t n = (size_t)snprintf(text, sizeof(text), "events: Ir\n");

	(void)arg;
	faults_empty();
	for (int i = 0; i < 900; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "fl=(1) f.c\nfn=(%d) n%d\n%d 1\nfn=(%d) m%d\n1 1\n",
				      i % 40 + 1, i, i + 1, 1000000 + 7 * i, i);
	faults_put("p", text, n);
}

#define THREADS "t-01", "t-02", "t-03", "t-04"
static const struct scene four = {"four",    faults_threads, 0,
				  {THREADS}, .index = "i",   .leaves = 6};

/* An index of four of the five: one is added to it. */
static void all_but_one(int arg)
{
	static struct file index;

	(void)arg;
	faults_threads(0);
	if (!index.p) {
		faults_build(&four, NULL, NULL, &(struct err){0});
		index = faults_get(faults_path("i"));
	}
	faults_put("i", index.p, index.n);
	chmod(faults_path("i"), 0444);
}

/* So many odd lines that the index does not tell them all: its files are read again. */
static void odd_set(int arg)
{
	static const struct scene two = {"two", NULL, 0, {"q.1", "q.2"}, .index = "i"};

	(void)arg;
	faults_empty();
	for (int i = 1; i <= 3; i++) {
		char p[400], name[16];
		size_t n = (size_t)snprintf(
			p, sizeof(p), "pid: 1\npart: %d\nevents: Ir\nfl=a.c\nfn=f\n1 1\n",
			i);

		for (int k = 0; k < 9; k++)
			n += (size_t)snprintf(p + n, sizeof(p) - n, "odd %d\n", k);
		snprintf(name, sizeof(name), "q.%d", i);
		faults_put(name, p, n);
	}
	faults_build(&two, NULL, NULL, &(struct err){0});
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
	faults_empty();
	faults_put("p", p, size);
	free(p);
}

/* One that is damaged: it is made again. */
static void damaged(int arg)
{
	(void)arg;
	all_but_one(0);
	chmod(faults_path("i"), 0644);
	if (truncate(faults_path("i"), 50000))
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
	{"parts that shrink", faults_fixture, 1, {"p"}, .mapped = {"p"}},
	{"a set that shrinks",
	 faults_threads,
	 0,
	 {THREADS, "t-05"},
	 .mapped = {"t-01", "t-05"}},
	{"a file is added and all shrinks",
	 all_but_one,
	 0,
	 {THREADS, "t-05"},
	 .index = shrunk,
	 .mapped = {"t-05", shrunk}},
	{"gzip, interrupted", faults_packed, PACK_GZIP, {"p"}, .mapped = {NULL}},
	{"little memory, interrupted",
	 faults_spilled,
	 0,
	 {"p"},
	 .opts = {.mem = 8 << 10, .run = 16}},
};

static const struct scene scenes[] = {
	{"a profile with jumps", faults_fixture, 0, {"p"}, .leaves = 1},
	{"parts", faults_fixture, 1, {"p"}, .leaves = 1},
	{"an odd one", faults_fixture, 2, {"p"}, .leaves = 1},
	{"names made of names", named, 0, {"p"}, .leaves = 1},
	{"little memory", faults_spilled, 0, {"p"}, .opts = {.mem = 8 << 10, .run = 16}},
	{"small stretches", faults_spilled, 0, {"p"}, .opts = {.stretch = 512}},
	{"names that begin alike", alike, 0, {"p"}, .leaves = 1},
	{"ids that get other names",
	 renamed,
	 0,
	 {"p"},
	 .opts = {.stretch = 512},
	 .leaves = 1},
	{"gzip", faults_packed, PACK_GZIP, {"p"}, .leaves = 1},
	{"bzip2", faults_packed, PACK_BZIP2, {"p"}, .leaves = 1},
	{"xz", faults_packed, PACK_XZ, {"p"}, .leaves = 1},
	{"zstd", faults_packed, PACK_ZSTD, {"p"}, .leaves = 1},
	{"an index is kept", faults_spilled, 0, {"p"}, .index = "i", .leaves = 2},
	{"a set", faults_threads, 0, {THREADS, "t-05"}, .leaves = 5},
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

int main(int argc, char **argv)
{
	if (!faults_begin(argv)) {
		skip("no fault.so in this variant");
		return done_testing();
	}
	for (size_t i = 0; i < COUNT(scenes); i++)
		if (argc < 2 || strstr(scenes[i].name, argv[1]))
			run_scene(&scenes[i]);
	for (size_t i = 0; i < COUNT(shrinking); i++)
		if (argc < 2 || strstr("interrupted", argv[1]))
			interrupt(&shrinking[i]);
	for (size_t i = 0; i < COUNT(shrinking); i++)
		for (size_t k = 0; shrinking[i].mapped[k]; k++)
			if (argc < 2 || strstr(shrinking[i].name, argv[1]))
				shrink(&shrinking[i], shrinking[i].mapped[k]);
	faults_end();
	return done_testing();
}
