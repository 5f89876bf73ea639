/*
 * simulate_test.c - answers about random programs against what their stacks really were.
 *
 *	simulate_test [SEED [CHAINS]]
 *
 * The test writes the profile of each program (tests/support/simulate.h), indexes it and
 * runs queries.  It compares the answers with the true stacks: bounds must hold, a number
 * that is not marked as an estimate must be true, and rows must add up to what was spent.
 * If the profile is rounded, all of this must hold up to the rounding.  If it is cut off,
 * only the sums are compared.
 *
 * SEED is the seed of the first program, and each further one has the next seed.  The test
 * ends when it has compared CHAINS chains of calls.  KEEP=DIR keeps the profiles of
 * programs that fail, in DIR.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/err_struct.h"
#include "index/base/hash.h"
#include "index/build.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"
#include "tests/support/trial.h"

static const char *const how[FILTER_KINDS] = {"focus", "ignore", "hide"};

static bool check_functions(struct trial *t)
{
	struct answer *a = &t->rows;

	if (!ask(t, SELF, "functions"))
		return false;
	t->total = 0;
	memset(t->listed, 0, sizeof(t->listed));
	memset(t->spent, 0, sizeof(t->spent));
	for (size_t i = 0; i < a->n; i++) {
		const struct row *r = &a->row[i];

		/* Of a profile cut off, calls that bear out a context may be missing. */
		if (r->fn == SIMULATE_NONE && t->s.cut)
			return false;
		if (!expect(t, SELF, r->fn != SIMULATE_NONE, "no function %s", r->name))
			return false;
		t->listed[r->fn] = true;
		t->id[r->fn] = r->id;
		t->spent[r->fn] = r->self;
		t->total += r->self;
	}
	for (uint32_t f = 0; f < t->s.names && !t->s.cut; f++) {
		simulate_set one = (simulate_set)1 << f;
		uint64_t truth = simulate_self(&t->s, one), slack;

		slack = simulate_slack(&t->s, one);
		expect(t, SELF,
		       t->spent[f] <= truth + slack && truth <= t->spent[f] + slack,
		       "%s: %" PRIu64 " instead of %" PRIu64, t->s.text[f], t->spent[f],
		       truth);
	}
	return a->n > 0;
}

static uint32_t name_of(const struct trial *t, uint64_t id)
{
	for (uint32_t f = 0; f < t->s.names; f++)
		if (t->listed[f] && t->id[f] == id)
			return f;
	abort();
}

static void check_law(struct trial *t)
{
	uint64_t in[SIMULATE_NAMES] = {0}, out[SIMULATE_NAMES] = {0};
	struct answer *a = &t->rows;

	if (!ask(t, LAW, "calls"))
		return;
	for (size_t i = 0; i < a->n; i++) {
		out[name_of(t, a->row[i].caller)] += a->row[i].incl;
		in[name_of(t, a->row[i].callee)] += a->row[i].incl;
	}
	for (uint32_t f = 0; f < t->s.names; f++) {
		uint64_t slack = simulate_slack(&t->s, (simulate_set)1 << f),
			 left = simulate_root(&t->s, f) + in[f],
			 right = t->spent[f] + out[f];

		expect(t, LAW, left <= right + slack && right <= left + slack,
		       "%s: %" PRIu64 " and %" PRIu64, t->s.text[f], left, right);
	}
}

static void check_inclusive(struct trial *t)
{
	const enum check c = t->folded ? LEVELS : INCL;
	struct answer *a = &t->rows;

	if (!ask(t, c, "functions"))
		return;
	for (size_t i = 0; i < a->n; i++) {
		simulate_set one = (simulate_set)1 << a->row[i].fn;

		within(t, c, &a->row[i], a->row[i].incl, simulate_incl(&t->s, one),
		       ~(simulate_set)0, a->row[i].estimated, a->row[i].name);
	}
}

/* Rows that stand for all functions of a group. */
static void check_groups(struct trial *t, enum check c, enum simulate_group kind,
			 const char *query)
{
	struct answer *a = &t->rows;

	if (!ask(t, c, "%s", query))
		return;
	for (size_t i = 0; i < a->n; i++) {
		const struct row *r = &a->row[i];
		simulate_set set = simulate_group(&t->s, kind, r->name);
		uint64_t self = 0;

		for (uint32_t f = 0; f < t->s.names; f++)
			self += contains(set, f) ? t->spent[f] : 0;
		expect(t, c, r->self == self, "%s: self is %" PRIu64 ", not %" PRIu64,
		       r->name, self, r->self);
		within(t, c, r, r->incl, simulate_incl(&t->s, set), ~(simulate_set)0,
		       r->estimated, r->name);
	}
}

static void check_filters(struct trial *t)
{
	const uint64_t off = t->s.inlined ? t->s.names : 1;
	uint64_t kept[SIMULATE_NAMES] = {0};
	char x[TEXT];

	some(t, 2, x, sizeof(x));
	for (uint32_t k = 0; k < 2; k++) {
		if (!ask(t, FILTERS, "%s %s | functions", how[k], x))
			return;
		for (size_t i = 0; i < t->rows.n; i++)
			if (t->rows.row[i].fn != SIMULATE_NONE)
				kept[t->rows.row[i].fn] += t->rows.row[i].self;
	}
	/* Each place of inlined code is rounded. */
	for (uint32_t f = 0; f < t->s.names; f++)
		expect(t, FILTERS,
		       kept[f] <= t->spent[f] + off && t->spent[f] <= kept[f] + off,
		       "%s: %" PRIu64 " of %" PRIu64, t->s.text[f], kept[f], t->spent[f]);
}

/* A cost that a stage does not mark as an estimate is the true one. */
static void check_sure(struct trial *t)
{
	for (uint32_t k = 0; k < FILTER_KINDS; k++) {
		char x[TEXT];
		simulate_set of = some(t, 3, x, sizeof(x));
		const uint64_t slack = simulate_slack(&t->s, ~(simulate_set)0);

		if (!ask(t, SURE, "%s %s | functions", how[k], x))
			return;
		for (size_t i = 0; i < 2 * t->rows.n; i++) {
			const struct row *r = &t->rows.row[i / 2];
			const bool incl = i % 2;
			const uint64_t shown = incl ? r->incl : r->self;
			uint64_t truth;

			if (r->fn == SIMULATE_NONE || (incl ? r->estimated : r->guessed))
				continue;
			truth = simulate_filtered(&t->s, (enum simulate_filter)k, of,
						  r->fn, incl);
			tally[SURE].exact++;
			expect(t, SURE,
			       (shown > truth ? shown - truth : truth - shown) <= slack,
			       "%s of %s: %" PRIu64 ", but it is %" PRIu64,
			       incl ? "incl" : "self", r->name, shown, truth);
		}
	}
}

/* The functions that a stage leaves. */
static bool list_left(struct trial *t)
{
	struct answer *a = &t->rows;

	memset(t->listed, 0, sizeof(t->listed));
	if (!ask(t, STAGED, "functions"))
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->row[i].fn != SIMULATE_NONE)
			t->listed[a->row[i].fn] = true;
	return a->n > 0;
}

/* After a stage, trees, paths and costs are those of the program as the stage shows it. */
static void check_staged(struct trial *t)
{
	const struct simulated whole = t->s;
	const char *const stage = t->stage;
	bool listed[SIMULATE_NAMES];

	memcpy(listed, t->listed, sizeof(listed));
	for (uint32_t k = 0; k < FILTER_KINDS; k++) {
		char x[TEXT], all[2 * TEXT];
		const simulate_set of = some(t, 2, x, sizeof(x));

		snprintf(all, sizeof(all), "%s%s %s | ", stage, how[k], x);
		t->stage = all;
		simulate_stage(&t->s, (enum simulate_filter)k, of);
		t->staged = true;
		if (list_left(t)) {
			check_trees(t);
			check_under(t);
			check_paths(t);
		}
		t->staged = false;
		t->s = whole;
		t->stage = stage;
		memcpy(t->listed, listed, sizeof(listed));
	}
}

/* ---- a program ---- */

static void ask_all(struct trial *t)
{
	if (!check_functions(t))
		return;
	check_law(t);
	check_inclusive(t);
	check_groups(t, GROUPS, GROUP_FILE, "files");
	if (!t->s.rounded && !t->s.inlined)
		check_groups(t, GROUPS, GROUP_OBJECT, "objects");
	if (!t->s.inlined)
		check_groups(t, GROUPS, GROUP_CLASS, "classes");
	if (ask(t, WHOLE_TREE, "calltree max %d", ROWS))
		check_sums(t, SUMS, &t->rows);
	check_trees(t);
	check_under(t);
	check_causes(t);
	check_paths(t);
	check_filters(t);
	check_sure(t);
	check_staged(t);
}

/* Nothing is known of what is missing; but what is there is shown. */
static void ask_cut(struct trial *t)
{
	char x[TEXT], y[TEXT];

	if (!check_functions(t))
		return;
	some(t, 2, x, sizeof(x));
	some(t, 2, y, sizeof(y));
	if (ask(t, CUT_OFF, "calltree max %d", ROWS))
		check_sums(t, CUT_OFF, &t->rows);
	ask(t, CHECKS, "files");
	ask(t, CHECKS, "cost of %s under %s", x, y);
	ask(t, CHECKS, "all paths from %s to %s", x, y);
	ask(t, CUT_OFF, "calltree from %s", x);
	check_filters(t);
}

/* About all of the program, or about a part or a thread. */
static void narrow(struct trial *t, const char *first, char *stage, size_t size)
{
	uint32_t part = SIMULATE_NONE, thread = SIMULATE_NONE;
	int n = snprintf(stage, size, "%s", first);

	if (t->s.inlined) {
		snprintf(stage + n, size - (size_t)n, "with inlined | ");
	} else if (!t->s.cut && t->s.separate && below(t, 3) == 0) {
		thread = below(t, t->s.threads);
		snprintf(stage + n, size - (size_t)n, "thread %u | ", thread + 1);
	} else if (!t->s.cut && !t->s.separate && t->s.parts > 1 && below(t, 3) == 0) {
		part = below(t, t->s.parts);
		snprintf(stage + n, size - (size_t)n, "part %u | ", part + 1);
	}
	t->stage = stage;
	simulate_ask(&t->s, part, thread);
}

static struct store *indexed(struct trial *t)
{
	const struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/simulated", fuzz_directory());
	f = fopen(path, "w");
	if (!f || fwrite(t->text.buf, 1, t->text.n, f) != t->text.n || fclose(f))
		abort();
	build_open(path, &opts, &st, &report, &err);
	snprintf(t->query, sizeof(t->query), "its profile");
	expect(t, SELF, st != NULL || t->s.cut, "%s", err.text);
	unlink(path);
	return st;
}

static void ask_about(struct trial *t, const char *first)
{
	char stage[60];

	narrow(t, first, stage, sizeof(stage));
	(t->s.cut ? ask_cut : ask_all)(t);
}

/* Each context is a row of its own, then each function is. */
static void run_program(struct trial *t, uint64_t seed)
{
	struct store *st;
	struct err err = {0};
	bool apart;

	simulate(&t->s, seed);
	t->state = hash_mix(~seed);
	t->stage = "";
	out_mem(&t->text);
	simulate_write(&t->s, &t->text);
	st = indexed(t);
	if (st && (session_new(&t->session, &err) ||
		   session_add(t->session, STR("p"), st, &err)))
		fuzz_fail("%s", err.text);
	apart = t->s.callers || t->s.levels > 1;
	t->folded = false;
	if (st && !t->s.callers)
		ask_about(t, apart ? "contexts | " : "");
	t->folded = apart;
	simulate_fold(&t->s);
	if (st && apart)
		ask_about(t, "");
	if (st)
		session_free(t->session);
	store_close(st);
	out_close(&t->text);
}

static void report(uint64_t programs)
{
	for (size_t i = 0; i < CHECKS; i++) {
		if (!tally[i].checked) {
			skip(tally[i].what);
			continue;
		}
		is_u64(tally[i].failed, 0,
		       "%s: %" PRIu64 " checked, %" PRIu64 " exact, %" PRIu64
		       " without bounds",
		       tally[i].what, tally[i].checked, tally[i].exact,
		       tally[i].unbounded);
	}
	printf("# %" PRIu64 " chains of %" PRIu64 " programs\n", chains, programs);
}

/* Programs about which something was once wrong. */
static const uint64_t once_wrong[] = {90,  107,	 145,  458,  547,   892,
				      904, 1036, 1105, 1823, 21117, 777200};

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0)
				  : tap_seed(0) * 1000000 + 1,
		 seed = first;
	uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 0) : 10000;
	struct trial *t = calloc(1, sizeof(*t));

	if (!t)
		return 1;
	for (size_t i = 0; argc < 2 && i < COUNT(once_wrong); i++)
		run_program(t, once_wrong[i]);
	while (chains < most)
		run_program(t, seed++);
	report(seed - first);
	free(t->rows.row);
	free(t);
	return done_testing();
}
