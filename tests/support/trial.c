/*
 * trial.c - ask about a random program, and count what is compared; see trial.h.
 */
#include "tests/support/trial.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lang/result.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/hash.h"

struct tally tally[CHECKS] = {
	[SELF] = {.what = "self costs are the program's"},
	[LAW] = {.what = "root + calls in = self + calls out"},
	[INCL] = {.what = "inclusive costs count each unit once"},
	[LEVELS] = {.what = "  of functions whose contexts are apart"},
	[GROUPS] = {.what = "  of files, objects and classes"},
	[WHOLE_TREE] = {.what = "the tree of the whole program: bounds"},
	[SUMS] = {.what = "  what its frames spend adds up"},
	[TREES] = {.what = "trees from a function: bounds"},
	[CALLERS] = {.what = "trees of callers: bounds"},
	[UNDER] = {.what = "cost of X under Y"},
	[CAUSES] = {.what = "calls that each function causes"},
	[PATHS] = {.what = "paths"},
	[FILTERS] = {.what = "focus and ignore leave out nothing"},
	[SURE] = {.what = "what focus, ignore and hide do not mark is true"},
	[STAGED] = {.what = "bounds after focus, ignore and hide"},
	[CUT_OFF] = {.what = "of a profile cut off, sums are its own"},
};

uint64_t chains;

uint32_t below(struct trial *t, uint32_t n)
{
	t->state += 0x9e3779b97f4a7c15;
	return (uint32_t)(hash_mix(t->state) % n);
}

static void keep(const struct trial *t)
{
	const char *dir = getenv("KEEP");
	char path[512];
	FILE *f;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/simulated.%" PRIu64, dir, t->s.seed);
	f = fopen(path, "w");
	if (f) {
		fwrite(t->text.buf, 1, t->text.n, f);
		fclose(f);
	}
}

bool expect(struct trial *t, enum check c, bool well, const char *fmt, ...)
{
	va_list ap;

	tally[c].checked++;
	if (well || tally[c].failed++ >= 5)
		return well;
	va_start(ap, fmt);
	fprintf(stderr, "# %s: seed %" PRIu64 "%s, %s: ", tally[c].what, t->s.seed,
		t->s.rounded ? " (rounded)" : "", t->query);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	keep(t);
	return false;
}

/* ---- asking ---- */

static const struct {
	const char *name;
	size_t at;
} columns[] =
	{
		{"depth", offsetof(struct row, depth)},
		{"id", offsetof(struct row, id)},
		{"calls", offsetof(struct row, calls)},
		{"self", offsetof(struct row, self)},
		{"incl", offsetof(struct row, incl)},
		{"est", offsetof(struct row, est)},
		{"lo", offsetof(struct row, lo)},
		{"hi", offsetof(struct row, hi)},
		{"path", offsetof(struct row, path)},
		{"step", offsetof(struct row, step)},
		{"caller_id", offsetof(struct row, caller)},
		{"callee_id", offsetof(struct row, callee)},
},
  flags[] = {
	  {"estimated", offsetof(struct row, estimated)},
	  {"exact", offsetof(struct row, exact)},
	  {"recursive", offsetof(struct row, recursive)},
};

static bool absent(const struct column *c, size_t at)
{
	return !c || (c->absent && c->absent[at]);
}

static bool estimated(const struct column *c, size_t at)
{
	return c && c->estimated && c->estimated[at];
}

static void fill_row(const struct trial *t, const struct result *r, size_t at,
		     struct row *row)
{
	const struct column *name = result_col(r, STR("fn"));

	memset(row, 0, sizeof(*row));
	for (size_t i = 0; i < COUNT(columns); i++) {
		const struct column *c = result_col(r, str_c(columns[i].name));

		if (!absent(c, at))
			memcpy((char *)row + columns[i].at, &c->u[at], sizeof(uint64_t));
	}
	for (size_t i = 0; i < COUNT(flags); i++) {
		const struct column *c = result_col(r, str_c(flags[i].name));

		if (!absent(c, at))
			memcpy((char *)row + flags[i].at, &c->b[at], sizeof(bool));
	}
	row->estimated |= estimated(result_col(r, STR("est")), at) ||
			  estimated(result_col(r, STR("incl")), at);
	row->guessed = estimated(result_col(r, STR("self")), at);
	row->bounded = !absent(result_col(r, STR("lo")), at) &&
		       !absent(result_col(r, STR("hi")), at);
	if (!name)
		name = result_col(r, STR("name"));
	if (name)
		snprintf(row->name, sizeof(row->name), "%.*s", STR_ARG(name->s[at]));
	row->fn = simulate_find(&t->s, row->name);
}

static int take(void *arg, const struct result *r, struct err *err)
{
	struct trial *t = arg;
	struct answer *to = &t->rows;

	if (to->room < r->rows) {
		to->room = r->rows * 2;
		to->row = realloc(to->row, to->room * sizeof(*to->row));
		if (!to->row)
			abort();
	}
	for (to->n = 0; to->n < r->rows; to->n++) {
		size_t at;

		if (result_row(r, to->n, &at, err))
			return err->kind;
		fill_row(t, r, at, &to->row[to->n]);
	}
	return 0;
}

bool ask(struct trial *t, enum check c, const char *fmt, ...)
{
	struct arena a;
	struct err err = {0};
	va_list ap;
	int n = snprintf(t->query, sizeof(t->query), "%s", t->stage);

	va_start(ap, fmt);
	vsnprintf(t->query + n, sizeof(t->query) - (size_t)n, fmt, ap);
	va_end(ap);
	t->rows.n = 0;
	arena_init(&a, 0);
	query_run(t->session, str_c(t->query), &a, take, t, &err);
	arena_free(&a);
	return c == CHECKS ? !err.kind : expect(t, c, !err.kind, "%s", err.text);
}

bool contains(simulate_set set, uint32_t name)
{
	return name != SIMULATE_NONE && (set >> name & 1);
}

simulate_set some(struct trial *t, uint32_t most, char *text, size_t size)
{
	simulate_set set = 0;
	size_t n = 0;

	for (uint32_t k = 1 + below(t, most); k; k--) {
		uint32_t f = below(t, t->s.names);

		while (!t->listed[f])
			f = (f + 1) % t->s.names;
		if (contains(set, f))
			continue;
		set |= (simulate_set)1 << f;
		n += (size_t)snprintf(text + n, size - n, "%s#%" PRIu64, n ? " or " : "",
				      t->id[f]);
	}
	return set;
}

void within(struct trial *t, enum check c, const struct row *r, uint64_t shown,
	    uint64_t truth, simulate_set at, bool estimated, const char *what)
{
	/* The cost of a known stack is the sum of all rounded costs below it. */
	const simulate_set all = ~(simulate_set)0;
	uint64_t slack = simulate_slack(&t->s, t->staged || t->s.rounded ? all : at);
	uint64_t off = shown > truth ? shown - truth : truth - shown;

	tally[c].exact += !estimated;
	tally[c].unbounded += !r->bounded;
	expect(t, c, estimated || off <= slack,
	       "%s: %" PRIu64 " and no estimate, but it is %" PRIu64, what, shown, truth);
	if (!r->bounded)
		return;
	expect(t, c, r->lo <= truth + slack && truth <= r->hi + slack,
	       "%s: it is %" PRIu64 ", not %" PRIu64 " to %" PRIu64, what, truth, r->lo,
	       r->hi);
	expect(t, c, r->lo <= shown && shown <= r->hi,
	       "%s: the estimate of %" PRIu64 " is not %" PRIu64 " to %" PRIu64, what,
	       shown, r->lo, r->hi);
}
