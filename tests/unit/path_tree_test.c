/*
 * path_tree_test.c - trees of random graphs, row by row against their chains multiplied out.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/flow/chain.h"
#include "engine/names/fnset.h"
#include "index/base/arena.h"
#include "tests/support/flows.h"
#include "tests/support/tap.h"

/* What a tree of several functions starts with, solved by Gauss. */
struct wanted {
	const struct flow *fl;
	const struct path_tree_query *q;
	uint32_t one; /* of a set of one, or FLOW_NONE */
	uint8_t *in_set, *avoided;
	double *start; /* [functions]: est of level 1 */
	double base, own;
	double *est; /* [rows] */
};

static double *roots(const struct flow *fl, struct arena *a)
{
	double *x = ARENA_ARRAY(a, double, fl->in.functions);

	memcpy(x, fl->root, fl->in.functions * sizeof(*x));
	return x;
}

static void want_members(struct wanted *w, struct arena *a)
{
	const struct flow *fl = w->fl;
	uint32_t n = fl->in.functions;
	double *first = roots(fl, a), *again = ARENA_ARRAY(a, double, n);

	flows_spread(fl, w->in_set, first, a);
	for (uint32_t f = 0; f < n; f++)
		again[f] = w->in_set[f];
	flows_expect(fl, w->in_set, again, a);
	for (uint32_t f = 0; f < n; f++) {
		if (w->q->of == TREE_PROGRAM)
			w->start[f] = fl->root[f];
		else if (w->in_set[f])
			w->start[f] = w->q->up ? fl->through[f] *
							 (1 - chain_ahead(fl, f, again))
					       : first[f];
		w->base += w->start[f];
	}
}

/* What leaves the set for the first time, or up: what enters it for the last time. */
static void want_calls(struct wanted *w, struct arena *a)
{
	const struct flow *fl = w->fl;
	uint32_t n = fl->in.functions;
	double *at = roots(fl, a), *later = ARENA_ARRAY(a, double, n);
	uint8_t *outside = ARENA_ARRAY(a, uint8_t, n);

	flows_spread(fl, w->in_set, at, a);
	for (uint32_t f = 0; f < n; f++) {
		outside[f] = !w->in_set[f];
		w->base += at[f] *= w->in_set[f];
		later[f] = w->in_set[f];
	}
	flows_spread(fl, outside, at, a);
	flows_expect(fl, w->in_set, later, a);
	flows_expect(fl, outside, later, a);
	for (uint32_t f = 0; f < n; f++) {
		if (w->in_set[f] && w->q->up)
			w->own += fl->root[f] * (1 - later[f]);
		else if (w->in_set[f] && fl->through[f] > 0)
			w->own += at[f] * (double)fl->in.self[f] / fl->through[f];
	}
	for (uint32_t i = 0; i < fl->in.edges; i++) {
		uint32_t g = fl->in.caller[i], f = fl->in.callee[i];

		if (!w->q->up && w->in_set[g] && !w->in_set[f])
			w->start[f] += at[g] * flow_share(fl, i, g);
		if (w->q->up && w->in_set[f] && !w->in_set[g])
			w->start[g] += flow_cost(fl, i) * (1 - later[f]);
	}
}

static void want(struct wanted *w, struct arena *a)
{
	const struct path_tree_query *q = w->q;
	uint32_t first = q->set ? fnset_next(q->set, 0) : FNSET_NONE;

	w->in_set = chain_marks(w->fl, q->set, a);
	w->avoided = chain_marks(w->fl, q->avoiding, a);
	w->start = ARENA_ARRAY(a, double, w->fl->in.functions);
	w->one = first != FNSET_NONE && fnset_count(q->set) == 1 ? first : FLOW_NONE;
	if (w->one != FLOW_NONE)
		w->base = q->one.est;
	else if (q->of == TREE_CALLS)
		want_calls(w, a);
	else
		want_members(w, a);
}

static uint32_t edge_between(const struct flow_input *in, uint32_t g, uint32_t f)
{
	for (uint32_t i = in->out_first[g]; i < in->out_first[g + 1]; i++)
		if (in->callee[i] == f)
			return i;
	return FLOW_NONE;
}

/* A row's share of the row above it; NAN when no call is between them. */
static double wanted_share(const struct wanted *w, uint32_t above, uint32_t f, bool top)
{
	const struct flow *fl = w->fl;
	uint32_t edge = w->q->up ? edge_between(&fl->in, f, above)
				 : edge_between(&fl->in, above, f);
	uint32_t itself = edge_between(&fl->in, above, above);
	double through = fl->through[above];

	if (edge == FLOW_NONE)
		return NAN;
	if (top && w->q->of == TREE_CALLS && itself != FLOW_NONE)
		through -= flow_cost(fl, itself);
	return through > 0 ? flow_cost(fl, edge) / through : 0;
}

static double own_share(const struct wanted *w, uint32_t f, bool top)
{
	const struct flow *fl = w->fl;
	double own = w->q->up ? fl->root[f] : (double)fl->in.self[f];
	uint32_t itself = edge_between(&fl->in, f, f);
	double through = fl->through[f];

	if (top && w->q->of == TREE_CALLS && itself != FLOW_NONE)
		through -= flow_cost(fl, itself);
	return through > 0 ? own / through : 0;
}

static bool on_path(const struct path_tree *t, const struct path_tree_row *r, uint32_t f)
{
	for (uint32_t p = r->parent; p != FLOW_NONE; p = t->rows[p].parent)
		if (t->rows[p].fn == f)
			return true;
	return false;
}

/* One row for itself; what is wrong, or NULL. */
static const char *row_fault(struct wanted *w, const struct path_tree *t, uint32_t i)
{
	const struct path_tree_row *r = &t->rows[i];
	bool top = r->parent == FLOW_NONE;
	uint32_t f = r->fn;
	double est, own;

	if (w->avoided[f])
		return "avoided";
	if (r->depth != (top ? 1 : t->rows[r->parent].depth + 1) ||
	    (!top && r->parent >= i))
		return "depth";
	if (r->recursive != (w->in_set[f] || on_path(t, r, f)))
		return "recursive";
	if (r->inner != (top && w->q->of == TREE_CALLS && w->in_set[f]))
		return "inner";
	if (r->inner)
		return r->est || r->own || r->cost.lo != r->incl ? "inner cost" : NULL;
	est = !top ? w->est[r->parent] * wanted_share(w, t->rows[r->parent].fn, f, false)
	      : w->one == FLOW_NONE ? w->start[f]
				    : w->base * wanted_share(w, w->one, f, true);
	w->est[i] = est;
	own = est * own_share(w, f, false);
	if (!flows_close(est, r->cost.est, 1e-8))
		return "est";
	if (r->cost.lo > r->cost.hi || path_under_min(est, w->q->min * (1 - 1e-9)))
		return "bounds";
	if (fabs((double)r->est - est) > 1.001 || fabs((double)r->own - own) > 1.001)
		return "units";
	return w->q->depth && r->depth > w->q->depth ? "deep" : NULL;
}

/* In whole units a row is its own part, its children, and what is left out. */
static const char *sums_fault(const struct wanted *w, const struct path_tree *t,
			      struct arena *a)
{
	const struct path_tree_query *q = w->q;
	int64_t *below = ARENA_ARRAY(a, int64_t, t->n + 1), left;
	double *last = ARENA_ARRAY(a, double, t->n + 1);
	double slack = 1 + w->fl->in.functions * (q->min > 0.5 ? q->min : 0.5);
	bool whole = !t->cut && !q->depth && !q->avoiding;

	/* below[0], last[0]: of the base */
	for (size_t i = 0; i <= t->n; i++)
		last[i] = INFINITY;
	for (size_t i = 0; i < t->n; i++) {
		const struct path_tree_row *r = &t->rows[i];
		uint32_t up = r->parent == FLOW_NONE ? 0 : r->parent + 1;
		double weight = r->inner ? (double)r->incl : r->cost.est;

		if (weight > last[up] * (1 + 1e-9))
			return "order";
		last[up] = weight;
		below[up] += r->est;
	}
	if (t->own + below[0] > t->est)
		return "base";
	left = t->est - t->own - below[0];
	if (whole && (double)left > slack)
		return "level 1";
	for (size_t i = 0; i < t->n; i++) {
		const struct path_tree_row *r = &t->rows[i];

		if (r->own + below[i + 1] > r->est)
			return "sum";
		left += r->est - r->own - below[i + 1];
		if (whole && (double)(r->est - r->own - below[i + 1]) > slack)
			return "left out of a row";
	}
	return left != t->left_out ? "left_out" : NULL;
}

/* A function's rows spend together no more than it does. */
static const char *self_fault(const struct wanted *w, const struct path_tree *t,
			      struct arena *a)
{
	uint32_t n = w->fl->in.functions;
	double *own = ARENA_ARRAY(a, double, n), *rows = ARENA_ARRAY(a, double, n);

	for (size_t i = 0; i < t->n; i++) {
		const struct path_tree_row *r = &t->rows[i];

		if (r->inner)
			continue;
		own[r->fn] += w->est[i] * own_share(w, r->fn, false);
		rows[r->fn]++;
	}
	for (uint32_t f = 0; f < n; f++) {
		double most = w->q->up ? w->fl->root[f] : (double)w->fl->in.self[f];

		/* A set of one that nests: what enters it is only settled to some digits. */
		if (own[f] > most * (1 + 1e-4) + 1e-6)
			return "more than its self cost";
	}
	return NULL;
}

static const char *fault(const struct flow *fl, const struct path_tree_query *q,
			 const struct path_tree *t, struct arena *a)
{
	struct path_tree_query calls = *q; /* below one function its calls are level 1 */
	struct wanted w = {.fl = fl, .q = &calls};
	const char *what;

	if (q->of == TREE_FRAMES && fnset_count(q->set) == 1)
		calls.of = TREE_CALLS;
	want(&w, a);
	w.est = ARENA_ARRAY(a, double, t->n + 1);
	if (t->n > (q->rows ? q->rows : PATH_TREE_ROWS))
		return "rows";
	if (!flows_close(t->base.est, w.base, 1e-8))
		return "base";
	if (w.one == FLOW_NONE && fabs((double)t->own - w.own) > 1.001)
		return "own of the base";
	if (w.one != FLOW_NONE &&
	    fabs((double)t->own - w.base * own_share(&w, w.one, true)) > 1.001)
		return "own of the top";
	for (uint32_t i = 0; i < t->n; i++)
		if ((what = row_fault(&w, t, i)))
			return what;
	if ((what = sums_fault(&w, t, a)))
		return what;
	return self_fault(&w, t, a);
}

static struct path_tree_query any_query(const struct flow *fl, struct arena *a)
{
	uint32_t n = fl->in.functions, f;
	struct path_tree_query q = {
		.of = (enum path_tree_of)flows_below(3),
		.depth = flows_below(3) ? 0 : 1 + flows_below(4),
		.min = flows_below(3) ? 0 : flows_below(30),
		.rows = flows_below(3) ? 0 : 1 + flows_below(40),
		.avoiding = flows_below(4) ? NULL : flows_set(a, n, 2),
	};

	if (q.of == TREE_PROGRAM)
		return q;
	q.up = flows_below(2);
	q.set = flows_set(a, n, flows_below(2) ? 1 : 4);
	f = fnset_next(q.set, 0);
	q.one = flows_incl(fl, f, a);
	return q;
}

static void test_brute(struct arena *a)
{
	static const char *const of[] = {"calls", "frames", "program"};
	uint32_t rows = 0, cut = 0, several = 0;
	const char *what = NULL;

	for (uint32_t round = 0; !what && round < 3000; round++) {
		struct graph g = flows_random(a, 9);
		const struct flow *fl = flows_build(a, &g);
		struct path_tree_query q = any_query(fl, a);
		struct path_tree t = flows_tree(fl, q, a);

		what = fault(fl, &q, &t, a);
		if (what)
			fprintf(stderr,
				"# round %u, %s, up %d, depth %u, min %g, rows %u\n",
				round, of[q.of], q.up, q.depth, q.min, q.rows);
		rows += t.n > 10;
		cut += t.cut;
		several += q.set && fnset_count(q.set) > 1;
		arena_reset(a);
	}
	ok(!what, "rows are their chains multiplied out, and add up%s%s",
	   what ? ": " : "", what ? what : "");
	ok(rows > 300 && cut > 100 && several > 300,
	   "%u trees had more than 10 rows, %u were cut, %u of several functions", rows,
	   cut, several);
}

/* With few rows they are the costliest of all, and those above them. */
static void test_fewer(struct arena *a)
{
	uint32_t wrong = 0, tried = 0;

	for (uint32_t round = 0; round < 500; round++) {
		struct graph g = flows_random(a, 9);
		const struct flow *fl = flows_build(a, &g);
		struct path_tree_query q = {.of = TREE_PROGRAM};
		struct path_tree all = flows_tree(fl, q, a), some;
		double least = INFINITY, most = 0;

		q.rows = 1 + (uint32_t)(all.n / 3);
		some = flows_tree(fl, q, a);
		tried += all.n > some.n;
		wrong += some.n > q.rows || (all.n > q.rows && !some.cut) ||
			 some.est != all.est || some.left_out < all.left_out;
		for (size_t i = 0; i < some.n; i++)
			least = fmin(least, some.rows[i].cost.est);
		for (size_t i = 0; i < all.n; i++)
			most = fmax(most, all.rows[i].cost.est);
		wrong += some.n > 0 && some.rows[0].cost.est < most * (1 - 1e-9);
		arena_reset(a);
	}
	is_u64(wrong, 0, "a tree of few rows has the costliest and says that it is cut");
	ok(tried > 100, "%u trees were", tried);
}

/* 0 -10-> 1 <-5- 2 -2-> 3, 1 -12-> 2 and 1 -4-> 1. */
static void test_callers(struct arena *a)
{
	static const int64_t self[] = {1, 3, 5, 2};
	static const struct given e[] = {
		{0, 1, 1, 10}, {1, 1, 4, 4}, {1, 2, 2, 12}, {2, 1, 1, 5}, {2, 3, 1, 2}};
	struct graph g = flows_given(a, self, 4, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct path_tree_query q = {.set = flows_one(a, 4, 1), .up = true, .depth = 2};
	struct path_tree t;

	q.one = flows_incl(fl, 1, a);
	t = flows_tree(fl, q, a);
	ok(t.n == 4 && t.est == 10 && t.own == 0, "callers of a member of a cycle");
	ok(t.rows[0].fn == 0 && t.rows[0].est == 7 && t.rows[0].own == 7,
	   "two thirds come from outside");
	ok(t.rows[1].fn == 1 && t.rows[1].inner && t.rows[1].incl == 4 && !t.rows[1].est,
	   "its calls of itself, measured, in no sum");
	ok(t.rows[2].fn == 2 && t.rows[2].est == 3 && t.rows[3].fn == 1 &&
		   t.rows[3].parent == 2 && t.rows[3].recursive,
	   "the other member, which it calls itself");
}

int main(void)
{
	struct arena a;

	arena_init(&a, 512 << 20);
	test_callers(&a);
	test_brute(&a);
	test_fewer(&a);
	arena_free(&a);
	return done_testing();
}
