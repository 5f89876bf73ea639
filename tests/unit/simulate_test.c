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
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/lang/result.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/hash.h"
#include "index/base/out.h"
#include "index/build.h"
#include "tests/support/fuzzing.h"
#include "tests/support/simulate.h"
#include "tests/support/tap.h"

/* ---- what is checked ---- */

enum check {
	SELF,
	LAW,
	INCL,
	LEVELS,
	GROUPS,
	WHOLE_TREE,
	SUMS,
	TREES,
	CALLERS,
	UNDER,
	PATHS,
	FILTERS,
	SURE,
	STAGED,
	CUT_OFF,
	CHECKS,
};

static struct {
	const char *what;
	uint64_t checked, failed, unbounded, exact;
} tally[CHECKS] = {
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
	[PATHS] = {.what = "paths"},
	[FILTERS] = {.what = "focus and ignore leave out nothing"},
	[SURE] = {.what = "what focus, ignore and hide do not mark is true"},
	[STAGED] = {.what = "bounds after focus, ignore and hide"},
	[CUT_OFF] = {.what = "of a profile cut off, sums are its own"},
};

enum { ROWS = 1000, COMPARED = 24, TEXT = 600 };

struct row {
	char name[64];
	uint32_t fn; /* number of the name in the program, SIMULATE_NONE: none of them */
	uint64_t depth, id, calls, self, incl, est, lo, hi, path, step, caller, callee;
	bool estimated, exact, recursive, bounded, guessed; /* guessed: self */
};

struct answer {
	struct row *row;
	size_t n, room;
	struct err err;
};

struct trial {
	struct simulated s;
	struct session *session;
	struct out text;       /* the profile */
	const char *stage;     /* in front of every query */
	bool folded;	       /* rows are functions of several contexts */
	uint64_t state, total; /* total: self of all functions, by the index */
	uint64_t id[SIMULATE_NAMES], spent[SIMULATE_NAMES];
	bool listed[SIMULATE_NAMES]; /* the profile has it */
	bool staged; /* what is asked follows a stage: sums of rounded self costs */
	char query[TEXT];
	struct answer rows;
};

static uint64_t chains;

static uint32_t below(struct trial *t, uint32_t n)
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

__attribute__((format(printf, 4, 5))) static bool expect(struct trial *t, enum check c,
							 bool well, const char *fmt, ...)
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

struct asked {
	struct trial *t;
	struct answer *to;
};

static int take(void *arg, const struct result *r, struct err *err)
{
	struct asked *a = arg;
	struct answer *to = a->to;

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
		fill_row(a->t, r, at, &to->row[to->n]);
	}
	return 0;
}

__attribute__((format(printf, 3, 4))) static bool ask(struct trial *t, struct answer *to,
						      const char *fmt, ...)
{
	struct asked asked = {t, to};
	struct arena a;
	va_list ap;
	int n = snprintf(t->query, sizeof(t->query), "%s", t->stage);

	va_start(ap, fmt);
	vsnprintf(t->query + n, sizeof(t->query) - (size_t)n, fmt, ap);
	va_end(ap);
	to->n = 0;
	err_clear(&to->err);
	arena_init(&a, 0);
	query_run(t->session, str_c(t->query), &a, take, &asked, &to->err);
	arena_free(&a);
	return to->err.kind == ERR_NONE;
}

static bool contains(simulate_set set, uint32_t name)
{
	return name != SIMULATE_NONE && (set >> name & 1);
}

/* One to `most` functions of the profile, as a set of the language. */
static simulate_set some(struct trial *t, uint32_t most, char *text, size_t size)
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

/* ---- checks ---- */

/* lo <= truth <= hi, and so for what is shown; what is no estimate is true. */
static void within(struct trial *t, enum check c, const struct row *r, uint64_t shown,
		   uint64_t truth, simulate_set at, bool estimated, const char *what)
{
	uint64_t slack = simulate_slack(&t->s, t->staged ? ~(simulate_set)0 : at);
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

static bool check_functions(struct trial *t)
{
	struct answer *a = &t->rows;

	if (!expect(t, SELF, ask(t, a, "functions"), "%s", a->err.text))
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

	if (!expect(t, LAW, ask(t, a, "calls"), "%s", a->err.text))
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

	if (!expect(t, c, ask(t, a, "functions"), "%s", a->err.text))
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

	if (!expect(t, c, ask(t, a, "%s", query), "%s", a->err.text))
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

/* ---- trees ---- */

static uint32_t first_of(simulate_set set)
{
	uint32_t f = 0;

	while (!contains(set, f))
		f++;
	return f;
}

/* The names from the top down to a row; 0 when one of them is not the program's. */
struct chain {
	uint32_t name[SIMULATE_CALLS], n;
	char text[TEXT];
};

static bool extend(struct chain *c, uint64_t depth, const struct trial *t,
		   const struct row *r)
{
	size_t n = 0;

	if (depth >= SIMULATE_CALLS || r->fn == SIMULATE_NONE)
		return false;
	c->name[depth] = r->fn;
	c->n = (uint32_t)depth + 1;
	for (uint32_t i = 0; i < c->n && n < sizeof(c->text); i++)
		n += (size_t)snprintf(c->text + n, sizeof(c->text) - n, "%s%s",
				      i ? " > " : "", t->s.text[c->name[i]]);
	return true;
}

static simulate_set names_in(const struct chain *c)
{
	simulate_set set = 0;

	for (uint32_t i = 0; i < c->n; i++)
		set |= (simulate_set)1 << c->name[i];
	return set;
}

/* Rows of the tree of the whole program. */
static void check_whole(struct trial *t)
{
	const struct answer *a = &t->rows;
	struct chain chain = {.n = 0};

	for (size_t i = 0; i < a->n && i < COMPARED; i++) {
		const struct row *r = &a->row[i];

		if (!expect(t, WHOLE_TREE,
			    r->depth > 0 && extend(&chain, r->depth - 1, t, r),
			    "row %zu: depth %" PRIu64 " of %s", i, r->depth, r->name))
			return;
		chains++;
		within(t, WHOLE_TREE, r, r->est,
		       simulate_chain(&t->s, chain.name, chain.n, 0), names_in(&chain),
		       r->estimated, chain.text);
	}
}

/* Rows of what a set calls, but for its calls of itself; as frames, of several functions,
 * the first of each chain is one of them. */
static void check_calls(struct trial *t, simulate_set from, bool frames)
{
	const struct answer *a = &t->rows;
	struct chain chain = {.n = 0};

	for (size_t i = 0; i < a->n && i < COMPARED; i++) {
		const struct row *r = &a->row[i];

		if (!expect(t, TREES, r->depth > 0 && extend(&chain, r->depth - 1, t, r),
			    "row %zu: depth %" PRIu64 " of %s", i, r->depth, r->name))
			return;
		if (!frames && r->depth == 1 && contains(from, r->fn))
			continue;
		chains++;
		within(t, TREES, r, r->est,
		       (frames ? simulate_chain : simulate_left)(&t->s, chain.name,
								 chain.n, from),
		       names_in(&chain) | from, r->estimated, chain.text);
	}
}

/* Rows of who calls one function, which is on the stack once at most. */
static void check_callers(struct trial *t, uint32_t of)
{
	const struct answer *a = &t->rows;
	struct chain chain = {.n = 0};

	for (size_t i = 0; i < a->n && i < COMPARED; i++) {
		const struct row *r = &a->row[i];

		if (!expect(t, CALLERS,
			    r->depth > 0 && extend(&chain, r->depth - 1, t, r),
			    "row %zu: depth %" PRIu64 " of %s", i, r->depth, r->name))
			return;
		chains++;
		within(t, CALLERS, r, r->est,
		       simulate_callers(&t->s, chain.name, chain.n, of),
		       names_in(&chain) | (simulate_set)1 << of, r->estimated,
		       chain.text);
	}
}

/* What a row leaves to rows that are not there: est - self - est of its children. */
static int64_t left_out(const struct answer *a, size_t row)
{
	int64_t left = (int64_t)a->row[row].est - (int64_t)a->row[row].self;

	for (size_t i = row + 1; i < a->n && a->row[i].depth > a->row[row].depth; i++)
		if (a->row[i].depth == a->row[row].depth + 1)
			left -= (int64_t)a->row[i].est;
	return left;
}

/* Frames spend what their functions do, but for what is in no row. */
static void check_sums(struct trial *t, enum check c, const struct answer *a)
{
	uint64_t shown[SIMULATE_NAMES] = {0}, frames[SIMULATE_NAMES] = {0};
	uint64_t top = 0, self = 0, left = 0, missing = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct row *r = &a->row[i];
		int64_t rest = left_out(a, i);

		if (r->fn == SIMULATE_NONE)
			return;
		expect(t, c, rest >= 0, "row %zu, %s: its calls cost %" PRId64 " more", i,
		       r->name, -rest);
		left += rest > 0 ? (uint64_t)rest : 0;
		top += r->depth == 1 ? r->est : 0;
		self += r->self;
		shown[r->fn] += r->self;
		frames[r->fn]++;
	}
	expect(t, c, self + left == top, "%" PRIu64 " + %" PRIu64 " of %" PRIu64, self,
	       left, top);
	if (!t->s.rounded && !t->s.cut)
		expect(t, c, a->n < ROWS ? top == t->total : top <= t->total,
		       "roots have %" PRIu64 " of %" PRIu64, top, t->total);
	left += t->total > top ? t->total - top : 0;
	for (uint32_t f = 0; f < t->s.names; f++) {
		uint64_t spent = t->spent[f], most = t->s.rounded ? spent / 20 : 0;

		expect(t, c, shown[f] <= spent + frames[f] + most,
		       "%s spends %" PRIu64 " of %" PRIu64, t->s.text[f], shown[f],
		       spent);
		missing += spent > shown[f] ? spent - shown[f] : 0;
	}
	expect(t, c, missing <= left + a->n + (t->s.rounded ? t->total / 20 : 0),
	       "%" PRIu64 " are missing, %" PRIu64 " are left out", missing, left);
}

static void check_trees(struct trial *t)
{
	char of[TEXT];

	if (expect(t, WHOLE_TREE, ask(t, &t->rows, "calltree max %d", COMPARED), "%s",
		   t->rows.err.text))
		check_whole(t);
	for (uint32_t k = 0; k < 4; k++) {
		simulate_set set = some(t, 1 + k % 2, of, sizeof(of));
		bool tree = k < 2;

		if (expect(t, TREES,
			   ask(t, &t->rows,
			       tree ? "calltree from %s max %d"
				    : "callees of %s depth 3 max %d",
			       of, COMPARED),
			   "%s", t->rows.err.text))
			check_calls(t, set, tree && (set & (set - 1)));
	}
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t f = first_of(some(t, 1, of, sizeof(of)));

		if (expect(t, CALLERS,
			   ask(t, &t->rows, "calltree to %s max %d", of, COMPARED), "%s",
			   t->rows.err.text) &&
		    !simulate_nests(&t->s, f))
			check_callers(t, f);
	}
}

/* ---- questions about two functions ---- */

static void check_under(struct trial *t)
{
	for (uint32_t k = 0; k < 6; k++) {
		char x[TEXT], y[TEXT], via[TEXT] = "", avoiding[TEXT] = "";
		struct simulate_cost q = {.of = some(t, 2, x, sizeof(x)),
					  .under = some(t, 2, y, sizeof(y))};
		const struct row *r;

		if (k == 4)
			q.via = some(t, 2, via, sizeof(via));
		if (k == 5)
			q.avoiding = some(t, 1, avoiding, sizeof(avoiding));
		if (!expect(t, UNDER,
			    ask(t, &t->rows, "cost of %s under %s%s%s%s%s", x, y,
				k == 4 ? " via " : "", via, k == 5 ? " avoiding " : "",
				avoiding),
			    "%s", t->rows.err.text) ||
		    !expect(t, UNDER, t->rows.n == 1, "%zu rows", t->rows.n))
			continue;
		r = &t->rows.row[0];
		chains++;
		within(t, UNDER, r, r->est, simulate_cost(&t->s, &q), ~(simulate_set)0,
		       !r->exact, "it");
	}
}

static void check_path_rows(struct trial *t, simulate_set avoiding)
{
	const struct answer *a = &t->rows;
	struct chain chain = {.n = 0};

	for (size_t i = 0; i < a->n && i < COMPARED; i++) {
		const struct row *r = &a->row[i];

		if (!expect(t, PATHS, extend(&chain, r->step, t, r), "row %zu", i))
			return;
		chains++;
		expect(t, PATHS, !contains(avoiding, r->fn), "%s", chain.text);
		within(t, PATHS, r, r->est,
		       simulate_chain(&t->s, chain.name, chain.n,
				      (simulate_set)1 << chain.name[0]),
		       names_in(&chain), r->estimated, chain.text);
	}
}

static void check_paths(struct trial *t)
{
	static const struct {
		const char *kind, *more;
	} asked[] = {
		{"path", ""},	   {"shortest 3 paths", ""}, {"widest 3 paths", ""},
		{"all paths", ""}, {"all paths", " max 4"},  {"path", " avoiding "},
	};

	for (uint32_t k = 0; k < COUNT(asked); k++) {
		char x[TEXT], y[TEXT], z[TEXT] = "";
		simulate_set from = some(t, 2, x, sizeof(x)),
			     to = some(t, 2, y, sizeof(y)), avoiding = 0;

		if (k + 1 == COUNT(asked))
			avoiding = some(t, 1, z, sizeof(z));
		if (!(from & to) && expect(t, PATHS,
					   ask(t, &t->rows, "%s from %s to %s%s%s",
					       asked[k].kind, x, y, asked[k].more, z),
					   "%s", t->rows.err.text))
			check_path_rows(t, avoiding);
	}
}

static void check_filters(struct trial *t)
{
	const uint64_t off = t->s.inlined ? t->s.names : 1;
	uint64_t kept[SIMULATE_NAMES] = {0};
	char x[TEXT];

	some(t, 2, x, sizeof(x));
	for (uint32_t k = 0; k < 2; k++) {
		const char *how = k ? "ignore" : "focus";

		if (!expect(t, FILTERS, ask(t, &t->rows, "%s %s | functions", how, x),
			    "%s", t->rows.err.text))
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
	static const char *const how[FILTER_KINDS] = {"focus", "ignore", "hide"};

	for (uint32_t k = 0; k < FILTER_KINDS; k++) {
		char x[TEXT];
		simulate_set of = some(t, 3, x, sizeof(x));
		const uint64_t slack = simulate_slack(&t->s, ~(simulate_set)0);

		if (!expect(t, SURE, ask(t, &t->rows, "%s %s | functions", how[k], x),
			    "%s", t->rows.err.text))
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
	if (!expect(t, STAGED, ask(t, a, "functions"), "%s", a->err.text))
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->row[i].fn != SIMULATE_NONE)
			t->listed[a->row[i].fn] = true;
	return a->n > 0;
}

/* After a stage, trees, paths and costs are those of the program as the stage shows it. */
static void check_staged(struct trial *t)
{
	static const char *const how[FILTER_KINDS] = {"focus", "ignore", "hide"};
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
	if (expect(t, WHOLE_TREE, ask(t, &t->rows, "calltree max %d", ROWS), "%s",
		   t->rows.err.text))
		check_sums(t, SUMS, &t->rows);
	check_trees(t);
	check_under(t);
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
	if (expect(t, CUT_OFF, ask(t, &t->rows, "calltree max %d", ROWS), "%s",
		   t->rows.err.text))
		check_sums(t, CUT_OFF, &t->rows);
	ask(t, &t->rows, "files");
	ask(t, &t->rows, "cost of %s under %s", x, y);
	ask(t, &t->rows, "all paths from %s to %s", x, y);
	expect(t, CUT_OFF, ask(t, &t->rows, "calltree from %s", x), "%s",
	       t->rows.err.text);
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
static const uint64_t once_wrong[] = {90,  107,	 145,  458,  547,  892,
				      904, 1036, 1105, 1823, 21117};

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
