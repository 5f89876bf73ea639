/*
 * trial_trees.c - trees, paths and costs under functions, against the stacks of the program;
 * see trial.h.
 */
#include "tests/support/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "index/base/count.h"

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

typedef uint64_t truth_of(const struct simulated *s, const uint32_t *name, uint32_t n,
			  simulate_set set);

static uint32_t first_of(simulate_set set)
{
	uint32_t f = 0;

	while (!contains(set, f))
		f++;
	return f;
}

/* The set is one function.  Where it is on the stack several times, the innermost is called. */
static uint64_t callers_of(const struct simulated *s, const uint32_t *name, uint32_t n,
			   simulate_set set)
{
	return simulate_callers(s, name, n, first_of(set));
}

/* Rows of a tree of a set, against the truth.  Calls of the set by itself are left out
 * where `left` is. */
static void check_chains(struct trial *t, enum check c, truth_of *truth, simulate_set set)
{
	const struct answer *a = &t->rows;
	struct chain chain = {.n = 0};

	for (size_t i = 0; i < a->n && i < COMPARED; i++) {
		const struct row *r = &a->row[i];

		if (!expect(t, c, r->depth > 0 && extend(&chain, r->depth - 1, t, r),
			    "row %zu: depth %" PRIu64 " of %s", i, r->depth, r->name))
			return;
		if (truth == simulate_left && r->depth == 1 && contains(set, r->fn))
			continue;
		chains++;
		within(t, c, r, r->est, truth(&t->s, chain.name, chain.n, set),
		       names_in(&chain) | set, r->estimated, chain.text);
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

void check_sums(struct trial *t, enum check c, const struct answer *a)
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

/* The direct callees or callers of a function have one cost, however the tree is asked for. */
static void check_levels(struct trial *t, const char *of, bool up)
{
	const char *const from = up ? "to" : "from", *const near =
							     up ? "callers" : "callees";
	uint64_t est[SIMULATE_NAMES] = {0};
	char query[4][TEXT + 60];

	snprintf(query[0], sizeof(query[0]), "%s of %s", near, of);
	snprintf(query[1], sizeof(query[0]), "%s of %s depth 2 | where depth = 1", near,
		 of);
	snprintf(query[2], sizeof(query[0]), "calltree %s %s depth 1 min 0", from, of);
	snprintf(query[3], sizeof(query[0]), "calltree %s %s min 0 | where depth = 1",
		 from, of);
	for (size_t q = 0; q < COUNT(query); q++) {
		if (!ask(t, TREES, "%s", query[q]))
			return;
		for (size_t i = 0; i < t->rows.n; i++) {
			const struct row *r = &t->rows.row[i];
			uint64_t *e = r->fn == SIMULATE_NONE ? NULL : &est[r->fn];

			if (e && !q)
				*e = r->est;
			else if (e)
				expect(t, TREES, r->est <= *e + 1 && *e <= r->est + 1,
				       "%s: %" PRIu64 ", not %" PRIu64, r->name, r->est,
				       *e);
		}
	}
}

void check_trees(struct trial *t)
{
	char of[TEXT];

	if (ask(t, WHOLE_TREE, "calltree max %d", COMPARED))
		check_chains(t, WHOLE_TREE, simulate_chain, 0);
	for (uint32_t k = 0; k < 6; k++) {
		simulate_set set = some(t, 1 + k % 2, of, sizeof(of));
		bool tree = k < 4;

		if (ask(t, TREES,
			tree ? "calltree from %s depth %u max %d"
			     : "callees of %s depth %u max %d",
			of, 1 + below(t, 4), COMPARED))
			check_chains(t, TREES,
				     tree && (set & (set - 1)) ? simulate_chain
							       : simulate_left,
				     set);
	}
	for (uint32_t k = 0; k < 2; k++) {
		const simulate_set set = some(t, 1, of, sizeof(of));

		if (ask(t, CALLERS, "calltree to %s depth %u max %d", of, 1 + below(t, 4),
			COMPARED))
			check_chains(t, CALLERS, callers_of, set);
		check_levels(t, of, k);
	}
}

/* ---- questions about two functions ---- */

void check_under(struct trial *t)
{
	for (uint32_t k = 0; k < 8; k++) { /* the last two have no `under` */
		const bool by = k == 4 || k == 6, without = k == 5 || k == 7;
		char x[TEXT], y[TEXT] = "", via[TEXT] = "", avoiding[TEXT] = "";
		struct simulate_cost q = {.of = some(t, 2, x, sizeof(x))};
		const struct row *r;

		if (k < 6)
			q.under = some(t, 2, y, sizeof(y));
		if (by)
			q.via = some(t, 2, via, sizeof(via));
		if (without)
			q.avoiding = some(t, 1, avoiding, sizeof(avoiding));
		if (!ask(t, UNDER, "cost of %s%s%s%s%s%s%s", x, k < 6 ? " under " : "", y,
			 by ? " via " : "", via, without ? " avoiding " : "", avoiding) ||
		    !expect(t, UNDER, t->rows.n == 1, "%zu rows", t->rows.n))
			continue;
		r = &t->rows.row[0];
		chains++;
		within(t, UNDER, r, r->est, simulate_cost(&t->s, &q), ~(simulate_set)0,
		       !r->exact, "it");
	}
}

/* Each function that is on the stack of a call is a row, and has it once. */
void check_causes(struct trial *t)
{
	uint64_t causes[SIMULATE_NAMES];
	char x[TEXT];
	const simulate_set of = some(t, 2, x, sizeof(x));

	if (strstr(t->stage, "part ") ||
	    strstr(t->stage, "thread ")) /* calls are of all */
		return;
	if (!ask(t, CAUSES, "causes of %s", x))
		return;
	simulate_causes(&t->s, of, causes);
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct row *r = &t->rows.row[i];
		const uint64_t truth = causes[r->fn];

		expect(t, CAUSES, r->lo <= truth && truth <= r->hi,
		       "%s: it is %" PRIu64 ", not %" PRIu64 " to %" PRIu64, r->name,
		       truth, r->lo, r->hi);
		within(t, CAUSES, r, r->calls, truth, 0, r->estimated, r->name);
		causes[r->fn] = 0;
	}
	for (uint32_t f = 0; f < t->s.names; f++)
		expect(t, CAUSES, !causes[f], "%s is no row", t->s.text[f]);
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

void check_paths(struct trial *t)
{
	static const struct {
		const char *kind, *more;
	} asked[] = {
		{"path", ""},	   {"shortest 3 paths", ""},  {"widest 3 paths", ""},
		{"all paths", ""}, {"all paths", " depth 4"}, {"path", " avoiding "},
	};

	for (uint32_t k = 0; k < COUNT(asked); k++) {
		char x[TEXT], y[TEXT], z[TEXT] = "";
		simulate_set from = some(t, 2, x, sizeof(x)),
			     to = some(t, 2, y, sizeof(y)), avoiding = 0;

		if (k + 1 == COUNT(asked))
			avoiding = some(t, 1, z, sizeof(z));
		if (!(from & to) && ask(t, PATHS, "%s from %s to %s%s%s", asked[k].kind,
					x, y, asked[k].more, z))
			check_path_rows(t, avoiding);
	}
}
