/*
 * store_test.c - what an index answers: every accessor, freshness, where it is kept, and that
 * a damaged one is an error or gives the right answer, never a signal or a wrong one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/format/tables.h"
#include "index/each_activation.h"
#include "index/part_lines.h"
#include "index/file/source.h"
#include "tests/support/derived.h"
#include "tests/support/pack.h"
#include "tests/support/sample.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

static char dir[64], profile[128], index_path[160];

static const char text[] = SAMPLE_HEAD SAMPLE_TAIL;

static void write_file(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
		abort();
}

static struct store *open_profile(const struct build_opts *opts,
				  struct build_report *report)
{
	struct err err = {0};
	struct store *st = NULL;

	if (build_open(profile, opts, &st, report, &err)) {
		fprintf(stderr, "# %s\n", err.text);
		return NULL;
	}
	return st;
}

/* ---- what it says ---- */

static bool is(struct str s, const char *want)
{
	return str_eq(s, str_c(want));
}

/* The function of a name in a file; aborts when there is none. */
static fn_id fn(struct store *st, const char *name, const char *file)
{
	name_id n = store_name_lower(st, str_c(name));
	fn_id first;
	uint32_t count;

	store_fns_of_name(st, n, &first, &count);
	for (uint32_t i = 0; i < count; i++)
		if (is(store_fn_name(st, first + i), name) &&
		    is(store_fn_file(st, first + i), file))
			return first + i;
	fprintf(stderr, "# no %s in %s\n", name, file);
	abort();
}

static void test_whole(struct store *st)
{
	const struct store_info *i = store_info(st);
	struct store_event e;
	static const struct {
		const char *what;
		size_t at;
		uint32_t want;
	} counts[] = {
		{"recorded events", offsetof(struct store_info, events), 3},
		{"all events", offsetof(struct store_info, all_events), 4},
		{"functions", offsetof(struct store_info, functions), 5},
		{"edges", offsetof(struct store_info, edges), 4},
		{"cycles", offsetof(struct store_info, cycles), 0},
		{"parts", offsetof(struct store_info, parts), 2},
		{"names", offsetof(struct store_info, names), 5},
		{"files", offsetof(struct store_info, files), 3},
		{"objects", offsetof(struct store_info, objects), 3},
	};

	for (size_t k = 0; k < COUNT(counts); k++) {
		uint32_t got;

		memcpy(&got, (const char *)i + counts[k].at, sizeof(got));
		is_u64(got, counts[k].want, "%s", counts[k].what);
	}
	is_u64(i->lines, 5, "cost lines");
	is_u64(i->callsites, 4, "call sites");
	is_u64(i->jumps, 1, "jumps");
	is_u64(i->diagnostics, 1, "diagnostics");
	is_u64(i->input_bytes, sizeof(text) - 1, "bytes of the profile");
	ok(i->has_line && i->has_instr && !i->saturated && i->truncated, "flags");
	ok(is(i->cmd, "./x y") && is(i->creator, "callgrind-3.19.0"), "cmd and creator");
	store_event(st, 3, &e);
	ok(is(e.name, "X") && is(e.long_name, "Ex") && is(e.formula, "2 Ir + Dr") &&
		   !e.builtin,
	   "a derived event");
	is_u64(store_event_find(st, STR("Dw")), 2, "an event by name");
	is_u64(store_event_find(st, STR("none")), 4, "no event by that name");
	is_u64(store_total(st, 0), 12, "total of Ir");
	is_u64(store_total(st, 3), 25, "total of a derived event");
}

static void test_functions(struct store *st)
{
	fn_id m = fn(st, "main", "a.c"), a = fn(st, "A", "a.c"), b = fn(st, "B", "a.c"),
	      h = fn(st, "H", "a.h"), a2 = fn(st, "A", "a.h");
	struct store_edge edge;
	edge_id first;
	uint32_t n;

	ok(is(store_fn_obj(st, h), "/lib/h") && is(store_fn_obj(st, m), "/bin/x"),
	   "objects");
	is_u64(store_fn_self(st, h, 0), 3, "self cost over two parts");
	is_u64(store_fn_self(st, h, 2), 4, "self cost of an event of one part");
	is_u64(store_fn_incl(st, m, 0), 11, "inclusive cost of main");
	is_u64(store_fn_incl(st, b, 0), 8, "inclusive cost of B");
	is_u64(store_fn_incl(st, m, 3), 23, "inclusive cost of a derived event");
	is_u64(store_fn_calls(st, a), 2, "calls");
	is_u64(store_fn_line(st, m), 1, "the first line");
	ok(!store_fn_nests(st, b), "outside of cycles nothing nests");
	is_u64(store_rank_self(st, 0, 0), b, "the first by self cost");
	is_u64(store_rank_incl(st, 0, 0), m, "the first by inclusive cost");
	store_callees(st, b, &first, &n);
	is_u64(n, 2, "callees of B");
	store_edge(st, first, &edge);
	ok(edge.caller == b && edge.callee == a2 && edge.calls == 1, "B -> A of a.h");
	is_u64(store_caller_count(st, a2), 1, "callers of it");
	is_u64(store_caller(st, a2, 0), first, "which are");
	is_u64(store_edge_incl(st, first, 0), 1, "its cost");
	is_u64((uint64_t)store_costs(st, TABLE_FN_SELF, 3)[m], 3, "a derived column");
	is_u64(store_u32(st, TABLE_TOPO)[0], m, "main comes first");
	is_u64(store_name_lower(st, STR("zzz")), store_info(st)->names,
	       "no name behind the last");
}

static void test_detail(struct store *st)
{
	fn_id b = fn(st, "B", "a.c"), h = fn(st, "H", "a.h");
	struct arena a;
	struct err err = {0};
	struct store_line *line;
	struct store_site *site;
	struct store_jump *jump;
	int64_t *cost;
	size_t n;

	arena_init(&a, 0);
	ok(!store_lines(st, h, &a, &line, &cost, &n, &err) && n == 2 &&
		   line[0].line == 9 && line[0].instr == 0x90 && cost[0] == 2 &&
		   cost[2] == 4 && line[1].line == 10 && line[1].instr == 0x91,
	   "lines");
	ok(!store_sites(st, b, &a, &site, &cost, &n, &err) && n == 2 &&
		   site[0].line == 6 && site[0].instr == 0x32 && site[0].calls == 1 &&
		   cost[0] == 1 && site[1].callee == h && cost[3] == 2,
	   "call sites");
	ok(!store_jumps(st, b, &a, &jump, &n, &err) && n == 1 && jump[0].conditional &&
		   jump[0].executed == 4 && jump[0].taken == 1 && jump[0].line == 8 &&
		   jump[0].to_line == 6 && jump[0].to_instr == 0x30 && jump[0].to_fn == b,
	   "jumps");
	arena_free(&a);
}

static void test_parts(struct store *st)
{
	struct arena a;
	struct err err = {0};
	struct part p;
	struct store_diag d;
	struct store_verified checked;
	const atomic_int stop = 1;
	uint64_t *calls;
	int64_t *cost;
	fn_id *fns;
	edge_id *edges;
	size_t n;

	arena_init(&a, 0);
	store_part(st, 0, &p);
	ok(p.part == 1 && p.pid == 7 && p.has_totals && !p.has_summary && p.offset == 0,
	   "part 1");
	ok(is(p.trigger, "Program termination") && is(p.time_range, "0 - 9"),
	   "its desc lines");
	is_u64(store_part_self(st, 0, 0), 9, "its self cost");
	is_u64(store_part_totals(st, 0, 1), 1, "its totals:");
	store_part(st, 1, &p);
	ok(p.part == 2 && p.pid == 7 && is(p.cmd, "./x y") &&
		   is(p.positions, "instr line") && is(p.events, "Ir Dw") &&
		   p.has_summary,
	   "part 2 inherits");
	is_u64(p.offset + p.bytes, sizeof(text) - 1, "and ends with the file");
	is_u64(store_part_summary(st, 1, 2), 4, "its summary: by event name");
	ok(!store_part_functions(st, 1, &a, &fns, &cost, &n, &err) && n == 1 &&
		   fns[0] == fn(st, "H", "a.h") && cost[0] == 3 && cost[2] == 4,
	   "functions of part 2");
	ok(!store_part_edges(st, 0, &a, &edges, &calls, &cost, &n, &err) && n == 4 &&
		   calls[edges[0]] + calls[edges[1]] + calls[edges[2]] +
				   calls[edges[3]] ==
			   5,
	   "edges of part 1");
	is_u64(store_diag_count(st), 1, "one diagnostic");
	store_diag(st, 0, &d);
	ok(is(d.text, "what") && d.line == 44 && d.count == 1,
	   "the unknown line (%" PRIu64 ")", d.line);
	ok(!derived_verify(st, &checked, &err) && !store_check(st, &err),
	   "the index is sound: %s", err.text);
	ok(checked.values > 30 && checked.pages > checked.values &&
		   checked.strings == 11 && checked.detail == 10,
	   "and all of it was looked at");
	ok(store_verify(st, &stop, &checked, &err) == ERR_CANCEL, "interrupted");
	arena_free(&a);
}

static void test_accessors(void)
{
	struct build_opts opts = {.index_path = index_path};
	struct build_report report;
	struct store *st = open_profile(&opts, &report);

	if (!ok(st != NULL, "built"))
		return;
	is_u64(report.how, BUILD_NEW, "there was none");
	test_whole(st);
	test_functions(st);
	test_detail(st);
	test_parts(st);
	store_close(st);
}

/* ---- cycles ---- */

static void test_cycle(void)
{
	static const char z[] =
		"events: Ir\nfn=main\n1 1\ncfn=A\ncalls=1 1\n1 10\nfn=A\n1 3\n"
		"cfn=B\ncalls=1 1\n1 6\nfn=B\n1 5\ncfn=A\ncalls=1 1\n1 1\ncfn=H\n"
		"calls=1 1\n1 2\nfn=H\n1 2\n";
	struct build_opts opts = {.no_write = true};
	struct build_report report;
	struct store_cycle c;
	struct store *st;
	fn_id a, b;

	write_file(profile, z, sizeof(z) - 1);
	st = open_profile(&opts, &report);
	if (!ok(st != NULL, "a profile with a cycle"))
		return;
	a = fn(st, "A", "???");
	b = fn(st, "B", "???");
	is_u64(store_info(st)->cycles, 1, "one cycle");
	store_cycle(st, 1, &c);
	ok(c.functions == 2 && c.members[0] == a && c.members[1] == b, "its members");
	is_u64(store_cycle_incl(st, 1, 0), 10, "its inclusive cost");
	is_u64(store_cycle_self(st, 1, 0), 8, "its self cost");
	ok(store_fn_nests(st, a) && store_fn_nests(st, b), "they may nest in themselves");
	is_u64(store_fn_incl(st, a, 0), 9, "A costs less than what the cycle does");
	is_u64(store_fn_incl(st, b, 0), 7, "B what it spends and leads out of the cycle");
	is_u64(store_fn_cycle(st, a), 1, "A is in it");
	is_u64(report.index[0], 0, "no_write leaves no index");
	store_close(st);
}

/* ---- freshness ---- */

static enum build_how how_now(const struct build_opts *opts, uint64_t *total)
{
	struct build_report report = {0};
	struct store *st = open_profile(opts, &report);

	if (!st)
		return (enum build_how)99;
	*total = store_total(st, 0);
	store_close(st);
	return report.how;
}

static void set_time(int64_t seconds)
{
	struct timespec t[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

	utimensat(AT_FDCWD, profile, t, 0);
}

static void test_freshness(void)
{
	struct build_opts opts = {.index_path = index_path}, forced = opts;
	char other[160];
	uint64_t total = 0;

	write_file(profile, "events: Ir\nfn=f\n1 5\n", 20);
	is_u64(how_now(&opts, &total), BUILD_STALE, "another profile than was indexed");
	is_u64(how_now(&opts, &total), BUILD_FRESH, "nothing changed");
	set_time(1000000);
	is_u64(how_now(&opts, &total), BUILD_FRESH, "touched: only the times changed");
	write_file(profile, "events: Ir\nfn=f\n1 6\n", 20);
	set_time(1000000);
	is_u64(how_now(&opts, &total), BUILD_STALE,
	       "rewritten with the same size and time");
	is_u64(total, 6, "the new answer");
	snprintf(other, sizeof(other), "%s/other", dir);
	write_file(other, "events: Ir\nfn=f\n1 6\n", 20);
	rename(other, profile);
	is_u64(how_now(&opts, &total), BUILD_FRESH, "replaced by the same content");
	forced.rebuild = true;
	is_u64(how_now(&forced, &total), BUILD_FORCED, "forced");
	write_file(profile, "events: Ir\nfn=f\n1 7\n2 1\n", 24);
	is_u64(how_now(&opts, &total), BUILD_STALE, "longer");
	is_u64(total, 8, "the new answer");
}

/* ---- places ---- */

static void test_places(void)
{
	struct build_opts opts = {0}, named = {.index_path = index_path, .no_wait = true};
	struct build_report report;
	struct store *st = open_profile(&opts, &report);
	struct err err = {0};
	char beside[200], lock[200], left[220], cache[200];
	int fd;

	snprintf(beside, sizeof(beside), "%s.quern", profile);
	ok(st && access(beside, R_OK) == 0, "the index is beside the profile");
	store_close(st);
	st = NULL;
	unlink(beside);

	snprintf(lock, sizeof(lock), "%s.lock", index_path);
	unlink(index_path);
	fd = open(lock, O_RDWR | O_CREAT, 0600);
	flock(fd, LOCK_EX);
	is_u64((uint64_t)build_open(profile, &named, &st, &report, &err), ERR_LOCKED,
	       "somebody else builds it");
	close(fd);
	snprintf(left, sizeof(left), "%s.tmp.999999999.1", index_path);
	write_file(left, "x", 1);
	st = open_profile(&named, &report);
	ok(st && access(left, F_OK), "what a dead builder left is removed");
	store_close(st);

	if (geteuid() == 0) {
		skip("root can write into every directory");
		return;
	}
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	setenv("XDG_CACHE_HOME", cache, 1);
	chmod(dir, 0500);
	mkdir(cache, 0700);
	st = open_profile(&opts, &report);
	chmod(dir, 0700);
	ok(st && strstr(report.index, "/cache/quern/"), "or in the cache: %s",
	   report.index);
	store_close(st);
}

/* ---- damage ---- */

/* One number that depends on everything an index can be asked. */
static uint64_t ask_all(struct store *st, struct err *err)
{
	const struct store_info *info = store_info(st);
	uint64_t h = 7;
	struct arena a;

#define MIX(v) (h = (h ^ (uint64_t)(v)) * 0x9e3779b97f4a7c15)
	arena_init(&a, 64 << 20);
	for (uint32_t e = 0; e < info->all_events; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		MIX(str_hash(ev.name));
		MIX(store_total(st, e));
	}
	for (fn_id f = 0; f < info->functions && !err->kind; f++) {
		struct store_line *line;
		struct store_site *site;
		struct store_jump *jump;
		int64_t *cost;
		size_t n;

		MIX(str_hash(store_fn_name(st, f)));
		MIX(str_hash(store_fn_file(st, f)));
		MIX(str_hash(store_fn_obj(st, f)));
		MIX(store_fn_line(st, f));
		MIX(store_fn_calls(st, f));
		for (uint32_t e = 0; e < info->events; e++) {
			MIX(store_fn_self(st, f, e));
			MIX(store_fn_incl(st, f, e));
			MIX(store_rank_self(st, e, f));
			MIX(store_rank_incl(st, e, f));
		}
		MIX(store_fn_nests(st, f));
		if (!store_lines(st, f, &a, &line, &cost, &n, err))
			for (size_t i = 0; i < n; i++)
				MIX(line[i].line + line[i].instr +
				    cost[i * info->events]);
		if (!store_sites(st, f, &a, &site, &cost, &n, err))
			for (size_t i = 0; i < n; i++)
				MIX(site[i].line + site[i].callee + site[i].calls);
		if (!store_jumps(st, f, &a, &jump, &n, err))
			for (size_t i = 0; i < n; i++)
				MIX(jump[i].to_line + jump[i].executed);
	}
	for (enum index_table t = TABLE_FN_NAME; t < INDEX_TABLES; t++) {
		const void *p = NULL;

		if (table_width(t) == sizeof(uint64_t))
			p = store_u64(st, t);
		else if (table_width(t))
			p = store_u32(st, t);
		MIX(p ? *(const uint32_t *)p : 0);
	}
	for (uint32_t c = 1; c <= info->cycles; c++) {
		struct store_cycle cycle;

		store_cycle(st, c, &cycle);
		MIX(cycle.functions + store_cycle_incl(st, c, 0) +
		    store_cycle_self(st, c, 0));
	}
	for (uint32_t p = 0; p < info->parts && !err->kind; p++) {
		struct part part;
		uint64_t *calls;
		int64_t *cost;
		fn_id *fns;
		edge_id *edges;
		size_t n;

		store_part(st, p, &part);
		MIX(str_hash(part.cmd));
		MIX(part.offset);
		MIX(store_part_self(st, p, 0) + store_part_totals(st, p, 0) +
		    store_part_summary(st, p, 0));
		if (!store_part_functions(st, p, &a, &fns, &cost, &n, err))
			for (size_t i = 0; i < n; i++)
				MIX(fns[i] + cost[i * info->events]);
		if (!store_part_edges(st, p, &a, &edges, &calls, &cost, &n, err))
			for (size_t i = 0; i < n; i++)
				MIX(edges[i] + calls[i]);
	}
	for (uint32_t i = 0; i < store_diag_count(st); i++) {
		struct store_diag d;

		store_diag(st, i, &d);
		MIX(str_hash(d.text) + d.line + d.count);
	}
	store_check(st, err);
	arena_free(&a);
	return h;
}

struct asking {
	struct store *st;
	struct err *err;
	uint64_t answer;
};

static int ask_guarded(void *arg)
{
	struct asking *q = arg;

	q->answer = ask_all(q->st, q->err);
	return q->err->kind;
}

/* Exit statuses of a reader that neither a sanitizer nor valgrind ends with. */
enum verdict { SAID_ERROR = 70, SAID_RIGHT, SAID_WRONG, DIED };

/* What a reader of a damaged file says, in a process of its own. */
static enum verdict verdict(const char *path, uint64_t want)
{
	pid_t child;
	int status;

	fflush(stdout); /* valgrind writes what is left, in every child */
	child = fork();
	if (child == 0) {
		struct err err = {0};
		struct asking q = {.err = &err};

		end_after(10);
		if (store_open(path, true, &q.st, &err) ||
		    map_guard(ask_guarded, &q, ERR_INDEX, &err))
			_exit(SAID_ERROR);
		_exit(q.answer == want ? SAID_RIGHT : SAID_WRONG);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status) < SAID_ERROR || WEXITSTATUS(status) > SAID_WRONG)
		return DIED;
	return (enum verdict)WEXITSTATUS(status);
}

/* Damage a copy of the index once; says what was done. */
static size_t damage(unsigned char *p, size_t n, size_t i, char *what, size_t size)
{
	size_t pages = n / 4096, page, at;

	switch (i % 7) {
	case 0: /* one bit, anywhere */
		at = dice_u64() % n;
		p[at] ^= (unsigned char)(1u << (dice_u64() % 8));
		snprintf(what, size, "bit of byte %zu", at);
		return n;
	case 1: /* truncated */
		at = dice_u64() % n;
		snprintf(what, size, "truncated to %zu", at);
		return at;
	case 2: /* a byte of a page's header */
		page = dice_u64() % pages;
		at = page * 4096 + dice_u64() % 16;
		p[at] = (unsigned char)dice_u64();
		snprintf(what, size, "header byte %zu of page %zu", at % 4096, page);
		return n;
	case 3: /* a byte of the first 64 of a page: the nodes of a branch or leaf */
		page = dice_u64() % pages;
		at = page * 4096 + dice_u64() % 64;
		p[at] ^= (unsigned char)(1u << (dice_u64() % 8));
		snprintf(what, size, "bit of byte %zu of page %zu", at % 4096, page);
		return n;
	case 4: /* a page zeroed */
		page = dice_u64() % pages;
		memset(p + page * 4096, 0, 4096);
		snprintf(what, size, "page %zu zeroed", page);
		return n;
	case 5: /* a bit of LMDB's own description of the file */
		at = (i / 7) % 2 * 4096 + dice_u64() % 152;
		p[at] ^= (unsigned char)(1u << (dice_u64() % 8));
		snprintf(what, size, "bit of byte %zu", at);
		return n;
	default: /* two pages exchanged */
		page = dice_u64() % pages;
		at = dice_u64() % pages;
		memmove(p + page * 4096, p + at * 4096, 4096);
		snprintf(what, size, "page %zu over page %zu", at, page);
		return n;
	}
}

static void test_damage(const char *name, const char *of, unsigned times)
{
	struct build_opts opts = {.index_path = index_path, .rebuild = true};
	struct build_report report;
	struct err err = {0};
	struct store *st;
	struct stat sb;
	unsigned seen[4] = {0};
	unsigned char *good, *bad;
	char path[160], what[100];
	uint64_t want;
	int fd;

	write_file(profile, of, strlen(of));
	st = open_profile(&opts, &report);
	if (!ok(st != NULL, "%s: an index to damage", name))
		return;
	want = ask_all(st, &err);
	store_close(st);
	fd = open(index_path, O_RDONLY);
	if (fstat(fd, &sb) || !(good = malloc((size_t)sb.st_size)) ||
	    !(bad = malloc((size_t)sb.st_size)) ||
	    read(fd, good, (size_t)sb.st_size) != sb.st_size)
		abort();
	close(fd);
	is_u64((uint64_t)verdict(index_path, want), SAID_RIGHT,
	       "undamaged: the right answer");
	snprintf(path, sizeof(path), "%s/damaged", dir);
	for (unsigned i = 0; i < times; i++) {
		size_t n = damage(memcpy(bad, good, (size_t)sb.st_size),
				  (size_t)sb.st_size, i, what, sizeof(what));
		enum verdict v;

		write_file(path, bad, n);
		v = verdict(path, want);
		seen[v - SAID_ERROR]++;
		if (v != SAID_ERROR && v != SAID_RIGHT)
			fprintf(stderr, "# %s: %s\n", what,
				v == DIED ? "died" : "a wrong answer");
	}
	unlink(path);
	printf("# %u errors, %u right answers\n", seen[0], seen[SAID_RIGHT - SAID_ERROR]);
	is_u64(seen[SAID_WRONG - SAID_ERROR], 0, "%s: %u damaged files, no wrong answer",
	       name, times);
	is_u64(seen[DIED - SAID_ERROR], 0, "%s: no signal, no hang, no sanitizer", name);
	free(good);
	free(bad);
}

/* So many events that the tree of values has a branch page. */
static const char *wide_profile(void)
{
	static char wide[4000];
	size_t n = 0;

	n += (size_t)snprintf(wide, sizeof(wide), "events:");
	for (int i = 0; i < 60; i++)
		n += (size_t)snprintf(wide + n, sizeof(wide) - n, " E%d", i);
	n += (size_t)snprintf(wide + n, sizeof(wide) - n, "\nfn=f\n1");
	for (int i = 0; i < 60; i++)
		n += (size_t)snprintf(wide + n, sizeof(wide) - n, " %d", i * i + 1);
	snprintf(wide + n, sizeof(wide) - n, "\ncfn=g\ncalls=1 1\n2 7\n");
	return wide;
}

/* ---- what changes while it is read ---- */

/* In every page of such flags: u16 `lower`, or the sizes of its values. */
static void spoil_pages(const char *path, uint16_t flags, bool sizes)
{
	enum { PAGE = 4096, HEADER = 16, FLAGS = 10, LOWER = 12 };
	unsigned char page[PAGE];
	int fd;

	chmod(path, 0600);
	fd = open(path, O_RDWR);
	for (off_t at = 2 * PAGE; pread(fd, page, PAGE, at) == PAGE; at += PAGE) {
		const uint16_t one = HEADER + 2;
		const uint32_t small = 8;
		uint16_t is, lower, node;

		memcpy(&is, page + FLAGS, 2);
		memcpy(&lower, page + LOWER, 2);
		if (is != flags)
			continue;
		if (!sizes && pwrite(fd, &one, 2, at + LOWER) != 2)
			abort();
		for (uint16_t i = HEADER; sizes && i < lower; i += 2) {
			memcpy(&node, page + i, 2);
			if (pwrite(fd, &small, 4, at + node) != 4)
				abort();
		}
	}
	close(fd);
}

/* The pages of an index are checked when it is opened; who writes to it then is found out. */
static void test_spoilt(void)
{
	enum { BRANCH = 1, LEAF = 2 };
	static const struct {
		const char *name;
		uint16_t flags;
		bool sizes;
		const char *said;
	} cases[] = {
		{"values smaller than their headers", LEAF, true, "its header is wrong"},
		{"a branch page of one node", BRANCH, false,
		 "changed or shrank while it was read"},
	};
	struct build_opts opts = {.index_path = index_path, .rebuild = true};
	struct build_report report;

	write_file(profile, wide_profile(), strlen(wide_profile()));
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = {0};
		struct asking q = {.st = open_profile(&opts, &report), .err = &err};

		if (!ok(q.st != NULL, "%s: indexed", cases[i].name))
			return;
		store_close(q.st);
		if (!ok(!store_open(index_path, true, &q.st, &err), "  opened"))
			return;
		spoil_pages(index_path, cases[i].flags, cases[i].sizes);
		is_u64((uint64_t)map_guard(ask_guarded, &q, ERR_INDEX, &err), ERR_INDEX,
		       "%s: an error", cases[i].name);
		ok(strstr(err.text, cases[i].said) != NULL, "  which is said: %s",
		   err.text);
		store_close(q.st);
	}
	unlink(index_path);
}

static int refuse(void *arg, struct err *err)
{
	unsigned *before = arg;

	return (*before)-- ? 0 : err_set(err, ERR_CANCEL, 0, "interrupted");
}

/* A part of more text than is read between two looks at Ctrl-C: behind the first, which is
 * small, within it, and behind it. */
static void test_part_interrupted(void)
{
	static const uint8_t both[] = {1, 1};
	struct build_opts opts = {.no_write = true};
	struct part_lines *lines = NULL;
	struct build_report report;
	struct err err = {0};
	struct store *st;
	struct out o;

	out_mem(&o);
	out_c(&o, "events: Ir\nfn=f\n1 1\npart: 2\n");
	for (int i = 0; i < 1 << 19; i++)
		out_printf(&o, "%d 1\n", 1000000 + i);
	write_file(profile, o.buf, o.n);
	out_close(&o);
	st = open_profile(&opts, &report);
	if (!ok(st != NULL, "a part of 5 MiB"))
		return;
	for (unsigned k = 0; k < 3; k++) {
		unsigned before = k;
		const struct part_lines_opts how = {.poll = refuse, .arg = &before};

		err_clear(&err);
		is_u64((uint64_t)part_lines_read(st, both, &how, &lines, &err),
		       ERR_CANCEL, "reading it again is interrupted, look %u", k);
		ok(!lines, "  and nothing comes of it: %s", err.text);
	}
	store_close(st);
}

static int take_one(void *arg, const struct activation *a)
{
	(void)arg;
	(void)a;
	return 0;
}

/* The walks over the blocks of an Xdebug profile: of single calls, and of the lines of a span. */
static void test_walks_interrupted(void)
{
	struct build_opts opts = {.no_write = true};
	struct blocks_forward *forward = NULL;
	struct blocks *blocks = NULL;
	struct build_report report;
	struct err err = {0};
	struct store *st;
	struct out o;

	out_mem(&o);
	out_c(&o,
	      "version: 1\ncreator: xdebug 3.2.0\npositions: line\n\nevents: Time_(10ns)\n\n");
	for (int i = 0; i < 1 << 16; i++)
		out_printf(&o, "fl=/a.php\nfn=f\n3 %d\n\n", i % 7);
	out_c(&o, "fl=/a.php\nfn={main}\n1 1\n");
	for (int i = 0; i < 1 << 16; i++)
		out_printf(&o, "cfl=/a.php\ncfn=f\ncalls=1 0 0\n2 %d\n", i % 7);
	write_file(profile, o.buf, o.n);
	out_close(&o);
	st = open_profile(&opts, &report);
	if (!ok(st && !blocks_read(st, &opts, &blocks, &err), "blocks of 65,536 calls %s",
		err.text))
		return;
	for (unsigned k = 0; k < 3; k++) {
		unsigned before = k;
		const struct activation_asked how = {
			.take = take_one, .poll = refuse, .poll_arg = &before};

		err_clear(&err);
		is_u64((uint64_t)each_activation(blocks, &how, &err), ERR_CANCEL,
		       "calls are interrupted, look %u", k);
		before = k;
		err_clear(&err);
		is_u64((uint64_t)blocks_forward(blocks, &how, &forward, &err), ERR_CANCEL,
		       "and how they claim each other");
		ok(!forward, "  and nothing comes of it: %s", err.text);
	}
	blocks_free(blocks);
	store_close(st);
}

/* The first file of a set grows. */
static int append(void *arg, struct err *err)
{
	int fd = open(arg, O_WRONLY | O_APPEND);

	(void)err;
	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd))
		abort();
	return 0;
}

/* That a file changed while its part was read is found before the next file is read. */
static void test_part_changed(void)
{
	static const uint8_t both[] = {1, 1};
	static const char first[] = "pid: 1\npart: 1\nevents: Ir\nfl=a\nfn=f\n1 1\n",
			  second[] = "pid: 1\npart: 2\nevents: Ir\nfl=a\nfn=f\n1 2\n";
	struct build_opts opts = {.no_write = true};
	struct part_lines *lines = NULL;
	struct build_report report;
	char name[2][160];
	const char *const path[] = {name[0], name[1]};
	const struct part_lines_opts whole = {0},
				     grows = {.poll = append, .arg = name[0]};
	struct store *st = NULL;
	struct err err = {0};
	size_t n;
	char *p;

	for (int i = 0; i < 2; i++)
		snprintf(name[i], sizeof(name[i]), "%s/q.%d", dir, i + 1);
	p = pack_text(PACK_GZIP, 1, first, sizeof(first) - 1, &n);
	write_file(path[0], p, n);
	free(p);
	write_file(path[1], second, sizeof(second) - 1);
	if (!ok(!build_open_set(path, 2, &opts, &st, &report, &err), "a set %s",
		err.text))
		return;
	is_u64((uint64_t)part_lines_read(st, both, &whole, &lines, &err), 0,
	       "its parts are read again");
	part_lines_free(lines);
	lines = NULL;
	is_u64((uint64_t)part_lines_read(st, both, &grows, &lines, &err), ERR_PROFILE,
	       "a file that grows meanwhile");
	ok(!lines && strstr(err.text, "q.1") && strstr(err.text, "changed"),
	   "  is said: %s", err.text);
	store_close(st);
}

/* Columns are as narrow as the largest row of each value allows. */
static void test_widths(void)
{
	static const uint64_t edge[] = {0,
					UINT8_MAX,
					UINT8_MAX + 1,
					UINT16_MAX,
					UINT16_MAX + 1,
					UINT32_MAX,
					(uint64_t)UINT32_MAX + 1,
					INT64_MAX};
	enum { EDGES = COUNT(edge), MANY = BLOCK_ROWS + 300 };
	struct build_opts opts = {.index_path = index_path};
	struct build_report report;
	char *many = malloc((size_t)MANY * 32), *p = many;
	struct store *st;
	size_t wrong = 0;

	if (!many)
		abort();
	p += sprintf(p, "events: a b c d e f g h\nfn=one\n1");
	for (size_t e = 0; e < EDGES; e++)
		p += sprintf(p, " %llu", (unsigned long long)edge[e]);
	p += sprintf(p, "\nfn=other\n1 0\n");
	write_file(profile, many, (size_t)(p - many));
	st = open_profile(&opts, &report);
	for (uint32_t e = 0; st && e < EDGES; e++) {
		const fn_id f = fn(st, "one", "???");
		const int64_t *whole = store_costs(st, TABLE_FN_SELF, e);

		is_u64(store_fn_self(st, f, e), edge[e],
		       "a row that needs so many bytes");
		ok(whole && (uint64_t)whole[f] == edge[e] && whole[!f] == 0,
		   "in one piece, too");
	}
	store_close(st);
	/* One value narrow, the next one wide. */
	p = many;
	p += sprintf(p, "events: Ir\n");
	for (uint32_t i = 0; i < MANY; i++)
		p += sprintf(p, "fn=f%06u\n1 %u\n", i,
			     i < BLOCK_ROWS ? i % 200 : 70000 + i);
	write_file(profile, many, (size_t)(p - many));
	st = open_profile(&opts, &report);
	for (uint32_t i = 0; i < MANY; i++) {
		const int64_t want = i < BLOCK_ROWS ? i % 200 : 70000 + i;

		wrong += store_fn_self(st, i, 0) != want ||
			 store_costs(st, TABLE_FN_SELF, 0)[i] != want;
	}
	is_u64(wrong, 0, "%d rows, of a byte and of four", MANY);
	store_close(st);
	free(many);
	write_file(profile, text, sizeof(text) - 1);
}

static void clean(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		fprintf(stderr, "# %s is left\n", dir);
}

int main(void)
{
	const char *times = getenv("QUERN_TORTURE") ? "20000" : "700";

	snprintf(dir, sizeof(dir), "%s/quern-store-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir))
		abort();
	snprintf(profile, sizeof(profile), "%s/profile", dir);
	snprintf(index_path, sizeof(index_path), "%s/index", dir);
	write_file(profile, text, sizeof(text) - 1);
	test_accessors();
	test_cycle();
	test_freshness();
	test_places();
	test_widths();
	test_damage("small", text, (unsigned)strtoul(times, NULL, 10));
	test_damage("wide", wide_profile(), (unsigned)strtoul(times, NULL, 10) / 2);
	test_spoilt();
	test_part_interrupted();
	test_walks_interrupted();
	test_part_changed();
	clean();
	return done_testing();
}
