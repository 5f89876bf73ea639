/*
 * why_test.c - the causes of `why` add up to the difference, of random programs.
 *
 *	why_test [SEED [PAIRS]]
 *
 * Programs (tests/support/simulate.h: cycles, levels, threads, parts, callers in names, rounded
 * costs, profiles cut off) are written and indexed, GROUP at a time, and each is compared with
 * each: of a pair the rows add up to the difference of the totals, to the unit, the other way
 * round they are the negative, and of a profile and itself there are none.  Every other program
 * is the one before with a function that costs twice as much.  So are parts and threads of one.
 * In every other group the library of the programs is libc, whose inside is not told.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/lang/result.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/hash.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/store/store.h"
#include "tests/support/fuzzing.h"
#include "tests/support/simulate.h"
#include "tests/support/tap.h"

enum { GROUP = 12, TEXT = 200 };

struct rows {
	int64_t sum, *delta; /* delta: sorted */
	size_t n, room;
	bool answered, rest; /* rest: there is a row of that kind */
};

struct group {
	struct session *session;
	struct store *st[GROUP];
	uint64_t seed[GROUP];
	bool timed[GROUP]; /* its event is Time, not Ir */
	struct rows there, back;
};

static uint64_t pairs, parts;
static struct {
	const char *what;
	uint64_t failed;
} checks[] = {
	{"each is answered, without a rest", 0},
	{"rows add up to the difference", 0},
	{"the other way round they are the negative", 0},
	{"no difference to itself", 0},
};
enum { ANSWERED, ADDS_UP, NEGATIVE, ITSELF };

static void check(const struct group *g, bool well, unsigned which, const char *query)
{
	if (well || checks[which].failed++ >= 3)
		return;
	fprintf(stderr, "# not so: %s: %s; seeds", checks[which].what, query);
	for (size_t i = 0; i < GROUP; i++)
		fprintf(stderr, " %" PRIu64, g->seed[i]);
	fputc('\n', stderr);
}

/* ---- asking ---- */

static int take(void *arg, const struct result *r, struct err *err)
{
	const struct column *delta = result_col(r, STR("delta")),
			    *kind = result_col(r, STR("kind")),
			    *cost = delta ? delta : result_col(r, STR("self"));
	struct rows *to = arg;

	if (result_whole(r, err) || !cost)
		return err->kind;
	if (to->room < r->rows) {
		to->room = r->rows * 2;
		if (!(to->delta = realloc(to->delta, to->room * sizeof(*to->delta))))
			abort();
	}
	for (to->n = 0; to->n < r->rows; to->n++) {
		to->delta[to->n] = cost->i[to->n];
		to->sum += cost->i[to->n];
		to->rest |= kind && str_eq(kind->s[to->n], STR("rest"));
	}
	return 0;
}

static int by_cost(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void ask(const struct group *g, struct rows *to, const char *query)
{
	struct arena a;
	struct err err = {0};

	to->n = 0;
	to->sum = 0;
	to->rest = false;
	arena_init(&a, 0);
	to->answered = query_run(g->session, str_c(query), &a, take, to, &err) == 0;
	if (!to->answered && strstr(query, "why"))
		fprintf(stderr, "# %s: %s\n", query, err.text);
	arena_free(&a);
	if (to->n)
		qsort(to->delta, to->n, sizeof(*to->delta), by_cost);
}

/* The self costs of all functions. */
static int64_t total(struct group *g, const char *of)
{
	char query[TEXT];

	snprintf(query, sizeof(query), "%s | functions", of);
	ask(g, &g->there, query);
	return g->there.sum;
}

/* a, b: "in p1", "in p0 | part 2"; there, back: what is asked. */
static void check_pair(struct group *g, const char *a, const char *b, const char *there,
		       const char *back)
{
	const int64_t delta = total(g, a) - total(g, b);
	bool negative;

	ask(g, &g->there, there);
	ask(g, &g->back, back);
	check(g, g->there.answered && g->back.answered && !g->there.rest && !g->back.rest,
	      ANSWERED, there);
	check(g, g->there.sum == delta, ADDS_UP, there);
	negative = g->there.n == g->back.n;
	for (size_t i = 0; negative && i < g->there.n; i++)
		negative = g->there.delta[i] == -g->back.delta[g->back.n - 1 - i];
	check(g, negative, NEGATIVE, there);
	pairs++;
}

static void compare(struct group *g, unsigned i, unsigned k)
{
	char a[20], b[20], there[TEXT], back[TEXT];

	snprintf(a, sizeof(a), "in p%u", i);
	snprintf(b, sizeof(b), "in p%u", k);
	snprintf(there, sizeof(there), "%s | why vs p%u max 100000", a, k);
	snprintf(back, sizeof(back), "%s | why vs p%u max 100000", b, i);
	if (i == k) {
		ask(g, &g->there, there);
		check(g, g->there.answered && !g->there.n, ITSELF, there);
	} else {
		check_pair(g, a, b, there, back);
	}
}

/* The parts, or the threads, of a profile that has several. */
static void compare_parts(struct group *g, unsigned i, const char *word)
{
	char a[40], b[40], there[TEXT], back[TEXT];
	uint64_t n = 0;

	for (uint32_t p = 0; p < store_info(g->st[i])->parts; p++) {
		struct part part;

		store_part(g->st[i], p, &part);
		n = *word == 't' ? part.thread : part.part;
	}
	for (uint64_t k = 2; k <= n; k++) {
		snprintf(a, sizeof(a), "in p%u | %s %" PRIu64, i, word, k);
		snprintf(b, sizeof(b), "in p%u | %s 1", i, word);
		snprintf(there, sizeof(there), "%s | why vs %s 1 max 100000", a, word);
		snprintf(back, sizeof(back), "%s | why vs %s %" PRIu64 " max 100000", b,
			 word, k);
		check_pair(g, a, b, there, back);
		parts++;
	}
}

/* ---- programs ---- */

/* Every activation of a function spends twice as much. */
static void make_dearer(struct simulated *s, uint32_t name)
{
	for (uint32_t i = 0; i < s->calls; i++)
		for (uint32_t p = 0; s->name[i] == name && p < s->parts; p++) {
			const uint64_t more = s->self[i][p];

			s->self[i][p] += more;
			for (uint32_t k = i; k != SIMULATE_NONE; k = s->parent[k])
				s->incl[k][p] += more;
		}
}

static void rename_library(struct out *text)
{
	static const char was[] = "/libx.so";

	for (size_t i = 0; i + sizeof(was) <= text->n; i++)
		if (!memcmp(text->buf + i, was, sizeof(was) - 1))
			text->buf[i + 4] = 'c';
}

static struct store *indexed(const struct simulated *s, unsigned number)
{
	const struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};
	struct out text;
	char path[96];
	FILE *f;

	out_mem(&text);
	simulate_write(s, &text);
	if (s->seed / GROUP % 2)
		rename_library(&text);
	snprintf(path, sizeof(path), "%s/why%u", fuzz_directory(), number);
	f = fopen(path, "w");
	if (!f || fwrite(text.buf, 1, text.n, f) != text.n || fclose(f))
		abort();
	if (build_open(path, &opts, &st, &report, &err) && !s->cut)
		fuzz_fail("%s", err.text);
	out_close(&text);
	return st;
}

static void add(struct group *g, unsigned i, uint64_t seed, struct simulated *s)
{
	struct err err = {0};
	char name[20];

	snprintf(name, sizeof(name), "p%u", i);
	do {
		simulate(s, seed);
		if (i % 2)
			make_dearer(s, s->name[hash_mix(seed) % s->calls]);
		g->timed[i] = s->rounded;
		g->seed[i] = seed++;
	} while (!(g->st[i] = indexed(s, i)));
	if (session_add(g->session, str_c(name), g->st[i], &err))
		fuzz_fail("%s", err.text);
}

static void run_group(struct group *g, uint64_t seed, struct simulated *s)
{
	struct err err = {0};
	char path[96];

	if (session_new(&g->session, &err))
		fuzz_fail("%s", err.text);
	for (unsigned i = 0; i < GROUP; i++) {
		add(g, i, i % 2 ? g->seed[i - 1] : seed + i, s);
		compare_parts(g, i, s->separate ? "thread" : "part");
	}
	for (unsigned i = 0; i < GROUP; i++)
		for (unsigned k = 0; k <= i; k++)
			if (g->timed[i] == g->timed[k])
				compare(g, i, k);
	session_free(g->session);
	for (unsigned i = 0; i < GROUP; i++) {
		store_close(g->st[i]);
		snprintf(path, sizeof(path), "%s/why%u", fuzz_directory(), i);
		unlink(path);
	}
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : tap_seed(0) * 1000000 + 1;
	const uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 0) : 10000;
	struct simulated *s = calloc(1, sizeof(*s));
	struct group g = {0};

	if (!s)
		return 1;
	for (; pairs < most; seed += GROUP)
		run_group(&g, seed, s);
	for (size_t i = 0; i < COUNT(checks); i++)
		is_u64(checks[i].failed, 0, "%s: %" PRIu64 " pairs, %" PRIu64 " of parts",
		       checks[i].what, pairs, parts);
	free(g.there.delta);
	free(g.back.delta);
	free(s);
	return done_testing();
}
