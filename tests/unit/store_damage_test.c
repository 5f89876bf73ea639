/*
 * store_damage_test.c - an index that is damaged, or changes while it is read, is an error or
 * gives the right answer, never a signal or a wrong one.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/build.h"
#include "index/format/tables.h"
#include "tests/support/sample.h"
#include "tests/support/dice.h"
#include "tests/support/one_profile.h"
#include "tests/support/tap.h"

static const char text[] = SAMPLE_HEAD SAMPLE_TAIL;

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

/* Read a damaged file in a process of its own. */
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

int main(void)
{
	const unsigned times = getenv("QUERN_TORTURE") ? 20000 : 700;

	one_profile_begin();
	test_damage("small", text, times);
	test_damage("wide", wide_profile(), times / 2);
	test_spoilt();
	one_profile_end();
	return done_testing();
}
