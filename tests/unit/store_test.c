/*
 * store_test.c - what an index answers: every accessor, freshness, and where it is
 * kept.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/build.h"
#include "index/format/tables.h"
#include "tests/support/derived.h"
#include "tests/support/sample.h"
#include "tests/support/one_profile.h"
#include "tests/support/tap.h"

static const char text[] = SAMPLE_HEAD SAMPLE_TAIL;

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

int main(void)
{
	one_profile_begin();
	write_file(profile, text, sizeof(text) - 1);
	test_accessors();
	test_cycle();
	test_freshness();
	test_places();
	test_widths();
	one_profile_end();
	return done_testing();
}
