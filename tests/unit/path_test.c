/*
 * path_test.c - paths of graphs by hand, and searches against brute force.
 *
 * Trees and costs of sets against brute force: path_tree_test.c, path_cost_test.c.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/flow/chain.h"
#include "engine/names/fnset.h"
#include "index/base/arena.h"
#include "index/base/cancel.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/order.h"
#include "tests/support/flows.h"
#include "tests/support/tap.h"
#include "index/base/map.h"

static struct path_list find(const struct flow *fl, struct path_query q, struct arena *a)
{
	return flows_find(fl, q, a);
}

/* ---- graphs written by hand ---- */

static const char *shown(const struct path *p)
{
	static char text[256];
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", i ? " " : "",
				      p->steps[i].fn);
	return text;
}

/*
 *	     0 main
 *	 60 /   \ 40
 *	   1     2
 *	 50 \   / 30	and 3 calls 4 for 40 of its 80
 *	     3
 */
static void test_diamond(struct arena *a)
{
	static const int64_t self[] = {0, 10, 10, 40, 40};
	static const struct given e[] = {{0, 1, 1, 60},
					 {0, 2, 2, 40},
					 {1, 3, 3, 50},
					 {2, 3, 4, 30},
					 {3, 4, 7, 40}};
	struct graph g = flows_given(a, self, 5, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct fn_set *s[5];
	struct path_list l;
	struct path_bounds b;

	for (uint32_t f = 0; f < 5; f++)
		s[f] = flows_one(a, 5, f);
	l = find(fl, (struct path_query){.kind = PATH_ALL, .from = s[0], .to = s[4]}, a);
	is_u64(l.n, 2, "diamond: two paths");
	is_str(shown(&l.paths[0]), "0 1 3 4", "diamond: the hottest");
	b = flows_end(&l.paths[0]);
	ok(fabs(b.est - 25) < 1e-9 && b.lo == 10 && b.hi == 40 && b.bounded,
	   "diamond: est 25 in 10..40 (%g in %" PRIu64 "..%" PRIu64 ")", b.est, b.lo,
	   b.hi);
	b = flows_end(&l.paths[1]);
	ok(fabs(b.est - 15) < 1e-9 && b.lo == 0 && b.hi == 30,
	   "diamond: est 15 in 0..30");
	ok(fabs(l.total - 40) < 1e-9, "diamond: in all 40 on 2 paths");
	is_u64(l.paths[0].steps[2].calls, 3, "calls of the step");
	ok(!l.more && !l.truncated && !l.same, "nothing was cut");
	l = find(fl, (struct path_query){.k = 1, .from = s[0], .to = s[4]}, a);
	ok(l.n == 1 && l.more && !l.truncated, "one of two: there are more");
	l = find(fl, (struct path_query){.k = 9, .from = s[0], .to = s[4], .via = s[2]},
		 a);
	ok(l.n == 1 && strcmp(shown(&l.paths[0]), "0 2 3 4") == 0, "via");
	l = find(fl,
		 (struct path_query){.k = 9, .from = s[0], .to = s[4], .avoiding = s[1]},
		 a);
	ok(l.n == 1 && fabs(flows_end(&l.paths[0]).est - 15) < 1e-9,
	   "avoiding keeps the flow of what is left");
	l = find(fl, (struct path_query){.k = 9, .from = s[0], .to = s[4], .via = s[0]},
		 a);
	is_u64(l.n, 2, "via the start is no condition");
	l = find(fl, (struct path_query){.k = 9, .from = s[4], .to = s[0]}, a);
	is_u64(l.n, 0, "no path upwards");
	l = find(fl, (struct path_query){.k = 9, .from = s[3], .to = s[3]}, a);
	ok(l.n == 0 && l.same, "no path from a function to itself");
	b = flows_cost(fl, (struct path_cost_query){.of = s[4], .under = s[0]}, a);
	ok(b.measured && b.lo == 40, "cost under a dominator is exact");
	b = flows_cost(fl, (struct path_cost_query){.of = s[2], .under = s[1]}, a);
	ok(b.measured && b.hi == 0, "cost under what never reaches it is 0");
	b = flows_cost(fl, (struct path_cost_query){.of = s[4], .under = s[1]}, a);
	ok(!b.measured && fabs(b.est - 25) < 1e-9 && b.lo == 10 && b.hi == 40,
	   "cost under one side: 25 in 10..40");
	b = flows_cost(fl, (struct path_cost_query){.of = s[3], .under = s[1]}, a);
	ok(b.measured && b.lo == 50, "cost of a direct call is measured");
	b = flows_cost(fl, (struct path_cost_query){.of = s[4], .avoiding = s[3]}, a);
	ok(b.measured && b.hi == 0, "cost avoiding the only way is 0");
	b = flows_cost(fl, (struct path_cost_query){.of = s[4]}, a);
	ok(b.measured && b.lo == 40, "cost without conditions is inclusive cost");
}

/*
 * 0 -10-> 1 <-5- 2 -2-> 3, 1 -12-> 2 and 1 -4-> 1: of what enters 2 through 1 for the first
 * time 4 come back to it, so that it is entered with 8.
 */
static void test_cycle(struct arena *a)
{
	static const int64_t self[] = {1, 3, 5, 2};
	static const struct given e[] = {
		{0, 1, 1, 10}, {1, 1, 4, 4}, {1, 2, 2, 12}, {2, 1, 1, 5}, {2, 3, 1, 2}};
	struct graph g = flows_given(a, self, 4, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct fn_set *s[4];
	struct path_list l;
	struct path_bounds b;

	for (uint32_t f = 0; f < 4; f++)
		s[f] = flows_one(a, 4, f);
	ok(!fl->keep && fl->root[0] == 11 && fl->root[1] == 0 && fl->through[1] == 19,
	   "a cycle's sums agree");
	l = find(fl, (struct path_query){.kind = PATH_ALL, .from = s[0], .to = s[3]}, a);
	is_str(l.n ? shown(&l.paths[0]) : NULL, "0 1 2 3",
	       "through the members of a cycle");
	b = flows_end(&l.paths[0]);
	ok(l.n == 1 && !l.more && fabs(b.est - 20.0 / 19) < 1e-9 && b.lo == 0 &&
		   b.hi == 2,
	   "one path that takes no turn: 1.05 in 0..2 (%g)", b.est);
	b = l.paths[0].steps[2].cost;
	ok(fabs(b.est - 120.0 / 19) < 1e-9 && b.lo == 3 && b.hi == 10,
	   "proportion and bounds inside the cycle: 6.3 in 3..10 (%g)", b.est);
	ok(fabs(l.total - 2) < 1e-9, "those with turns are in the total (%g)", l.total);
	l = find(fl, (struct path_query){.from = s[2], .to = s[1]}, a);
	ok(l.n == 1 && flows_close(l.paths[0].steps[0].cost.est, 8, 1e-4) &&
		   flows_close(flows_end(&l.paths[0]).est, 8 * 5.0 / 12, 1e-4),
	   "from the other member, what passes it first (%g, %g)",
	   l.n ? l.paths[0].steps[0].cost.est : -1,
	   l.n ? flows_end(&l.paths[0]).est : -1);
	l = find(fl, (struct path_query){.k = 9, .from = s[2], .to = s[2]}, a);
	is_str(l.n == 1 && l.same ? shown(&l.paths[0]) : NULL, "2 1 2", "and round");
	l = find(fl, (struct path_query){.k = 9, .from = s[1], .to = s[1]}, a);
	is_str(l.n == 1 ? shown(&l.paths[0]) : NULL, "1 2 1",
	       "a call by itself is no way round");
	b = flows_cost(fl, (struct path_cost_query){.of = s[3], .under = s[2]}, a);
	ok(b.measured && b.lo == 2, "cost under a dominator in a cycle is exact");
	b = flows_cost(fl, (struct path_cost_query){.of = s[2], .under = s[0]}, a);
	ok(fabs(b.est - 8) < 1e-6 && b.lo <= 8 && b.hi >= 8 && !b.measured,
	   "a nested entry is counted once: %g in %" PRIu64 "..%" PRIu64, b.est, b.lo,
	   b.hi);
}

/* 1 takes in 107 but spends only 30: no bound goes through it. */
static void test_odd(struct arena *a)
{
	static const int64_t self[] = {0, 10, 15, 0, 5};
	static const struct given e[] = {
		{0, 1, 1, 100}, {1, 2, 1, 20}, {2, 4, 1, 5}, {3, 1, 1, 7}};
	static const int64_t rounded_self[] = {0, 100};
	static const struct given rounded[] = {{0, 1, 3, 102}};
	struct graph g = flows_given(a, self, 5, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct fn_set *s[5];
	struct path_list l;

	for (uint32_t f = 0; f < 5; f++)
		s[f] = flows_one(a, 5, f);
	ok(fl->odd[1] && fl->odd[0] && !fl->odd[2], "sums that disagree are seen");
	ok(fl->keep && flows_close(fl->root[0] + fl->root[3], 30, 1e-12),
	   "what is kept of the calls adds up to what is spent");
	l = find(fl, (struct path_query){.from = s[0], .to = s[2]}, a);
	ok(l.n == 1 && !flows_end(&l.paths[0]).bounded && flows_end(&l.paths[0]).est > 0,
	   "an estimate, no bound");
	l = find(fl, (struct path_query){.from = s[0], .to = s[1]}, a);
	ok(l.n == 1 && !flows_end(&l.paths[0]).bounded,
	   "nor for a path that ends there: what was cut was its caller's, too");
	l = find(fl, (struct path_query){.from = s[2], .to = s[4]}, a);
	ok(l.n == 1 && flows_end(&l.paths[0]).bounded, "and may begin below");
	ok(!flows_cost(fl, (struct path_cost_query){.of = s[4], .under = s[0]}, a)
		    .bounded,
	   "nor for a cost through it");
	g = flows_given(a, rounded_self, 2, rounded, COUNT(rounded));
	fl = flows_build(a, &g);
	ok(fl->keep && !fl->odd[1] && flows_close(fl->root[0], 100, 1e-12),
	   "a unit a call is no more than rounding");
}

struct asking {
	const struct flow_input *in;
	const struct flow *fl;
	const struct path_query *find;
	const struct path_tree_query *tree;
	const struct path_cost_query *cost;
	struct arena *a;
	const struct cancel *cancel;
};

static int build(void *arg)
{
	struct asking *k = arg;
	struct flow *fl;

	flow_build(k->in, k->a, k->cancel, &fl);
	return 0;
}

static int search(void *arg)
{
	struct asking *k = arg;
	struct path_list l;

	path_find(k->fl, k->find, k->a, k->cancel, &l);
	return 0;
}

static int grow(void *arg)
{
	struct asking *k = arg;
	struct path_tree t;

	path_tree(k->fl, k->tree, k->a, k->cancel, &t);
	return 0;
}

static int price(void *arg)
{
	struct asking *k = arg;
	struct path_bounds b;

	path_cost(k->fl, k->cost, k->a, k->cancel, &b);
	return 0;
}

static void refuse_damaged(struct graph *g, struct arena *a)
{
	const struct {
		uint32_t *at, to;
		const char *what;
	} cases[] = {
		{&g->callee[0], 77, "a callee is out of range"},
		{&g->first[0], 1, "edges and functions do not fit"},
		{&g->first[4], 3, "edges and functions do not fit"},
		{&g->first[1], 4, "edges are out of order"},
	};

	struct flow_input in = flows_input(a, g);

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t was = *cases[i].at;
		struct asking bad = {.in = &in, .a = a};
		struct err err = {0};

		*cases[i].at = cases[i].to;
		ok(map_guard(build, &bad, ERR_LIMIT, &err) == ERR_INDEX &&
			   strstr(err.text, cases[i].what) &&
			   strstr(err.hint, "--rebuild"),
		   "a damaged graph is refused: %s", err.text);
		*cases[i].at = was;
	}
}

static void test_interrupted(struct arena *a)
{
	static const int64_t self[] = {1, 1};
	static const struct given e[] = {{0, 1, 1, 1}};
	struct graph g = flows_given(a, self, 2, e, COUNT(e));
	struct flow_input in = flows_input(a, &g);
	const struct flow *fl = flows_build(a, &g);
	struct fn_set *s[] = {flows_one(a, 2, 0), flows_one(a, 2, 1)};
	struct path_query find = {.from = s[0], .to = s[1]};
	struct path_tree_query tree = {.set = s[0], .one = flows_incl(fl, 0, a)};
	struct path_cost_query cost = {.of = s[1], .under = s[0]};
	struct err err = {0};
	const atomic_int now = 1;
	const struct cancel stop = {.asked = &now};
	struct asking k = {&in, fl, &find, &tree, &cost, a, &stop};

	ok(map_guard(build, &k, ERR_INDEX, &err) == ERR_CANCEL, "interrupted: %s",
	   err.text);
	err = (struct err){0};
	ok(map_guard(search, &k, ERR_INDEX, &err) == ERR_CANCEL, "a search");
	err = (struct err){0};
	ok(map_guard(grow, &k, ERR_INDEX, &err) == ERR_CANCEL, "a tree");
	err = (struct err){0};
	ok(map_guard(price, &k, ERR_INDEX, &err) == ERR_CANCEL, "a cost");
}

static void test_extremes(struct arena *a)
{
	static const int64_t self[] = {INT64_MAX, INT64_MAX, INT64_MAX, 0};
	static const struct given e[] = {{0, 1, UINT64_MAX, INT64_MAX},
					 {0, 2, 1, INT64_MAX},
					 {1, 2, UINT64_MAX, INT64_MAX},
					 {2, 1, 1, INT64_MAX},
					 {2, 3, 1, 0}};
	struct graph g = flows_given(a, self, 4, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct fn_set *s[4];
	struct path_query q = {.k = 5, .kind = PATH_SHORTEST};
	struct path_list l;
	struct path_bounds b;
	struct path_tree t;

	for (uint32_t f = 0; f < 4; f++)
		s[f] = flows_one(a, 4, f);
	q.from = s[0], q.to = s[2];
	l = find(fl, q, a);
	ok(l.n == 2 && l.paths[0].n == 2 && flows_end(&l.paths[0]).hi == INT64_MAX,
	   "sums at 2^63 do not wrap");
	b = flows_cost(fl, (struct path_cost_query){.of = s[2], .under = s[1]}, a);
	ok(b.hi >= b.lo && !isnan(b.est), "nor do bounds");
	t = flows_tree(fl, (struct path_tree_query){.of = TREE_PROGRAM, .rows = 100}, a);
	ok(t.n && t.n <= 100 && t.cut, "nor do trees: %zu rows", t.n);
	q.to = s[3];
	is_u64(find(fl, q, a).n, 0, "calls without cost are on no path");
	refuse_damaged(&g, a);
}

static void test_nothing(struct arena *a)
{
	struct graph g = flows_graph(a, 0, 0);
	const struct flow *fl = flows_build(a, &g);
	struct fn_set *none = fnset_new(a, 0);

	is_u64(find(fl, (struct path_query){.from = none, .to = none}, a).n, 0,
	       "no functions, no path");
	is_u64(flows_tree(fl, (struct path_tree_query){.of = TREE_PROGRAM}, a).n, 0,
	       "no tree");
	is_u64(flows_tree(fl, (struct path_tree_query){.of = TREE_FRAMES, .set = none}, a)
		       .n,
	       0, "nor of a set");
	is_u64(flows_cost(fl, (struct path_cost_query){.of = none}, a).hi, 0, "no cost");
}

/* ---- brute force ---- */

enum { MOST_PATHS = 20000 };

struct tried {
	const struct flow *fl;
	const struct path_query *q;
	double key[MOST_PATHS]; /* better paths have more of it */
	uint32_t n;
};

struct so_far {
	double est, wide;
	uint32_t length, start;
	bool via;
	uint8_t on[16]; /* the functions of the path */
};

static bool in(const struct fn_set *s, uint32_t f)
{
	return s && fnset_has(s, f);
}

/* What a list is ordered by; of equally wide paths any may be first. */
static double key_of(enum path_kind kind, double est, double wide, uint32_t length)
{
	return kind == PATH_WIDEST     ? wide
	       : kind == PATH_SHORTEST ? est - 1e9 * length
				       : est;
}

static void try_from(struct tried *t, uint32_t f, const struct so_far *before)
{
	const struct path_query *q = t->q;
	const struct flow_input *in_ = &t->fl->in;

	for (uint32_t i = in_->out_first[f]; i < in_->out_first[f + 1]; i++) {
		uint32_t to = in_->callee[i];
		struct so_far x = *before;
		bool end = in(q->to, to);

		x.est *= (double)in_->incl[i] / t->fl->through[f];
		x.wide = fmin(x.wide, (double)in_->incl[i]);
		x.length++;
		x.via |= in(q->via, to);
		if (!in_->incl[i] || to == f || in(q->avoiding, to) ||
		    (q->max && x.length > q->max) || (x.on[to] && !end))
			continue;
		x.on[to] = 1;
		if (end && x.via && !path_under_min(x.est, q->min) && t->n < MOST_PATHS)
			t->key[t->n++] = key_of(q->kind, x.est, x.wide, x.length);
		else if (!end && !in(q->from, to))
			try_from(t, to, &x);
	}
}

static int falling(const void *x, const void *y)
{
	return order_double(*(const double *)y, *(const double *)x);
}

static struct tried *brute(const struct flow *fl, const struct path_query *q,
			   struct arena *a)
{
	struct tried *t = ARENA_NEW(a, struct tried);
	uint32_t n = fl->in.functions;
	double *first = ARENA_ARRAY(a, double, n);

	t->fl = fl;
	t->q = q;
	path_outermost(fl, q->from, first, a);
	for (uint32_t f = 0; f < n; f++) {
		struct so_far x = {.est = first[f], .wide = INFINITY};

		x.via = !q->via || in(q->via, f);
		x.on[f] = 1;
		if (in(q->from, f) && !in(q->avoiding, f) && first[f] > 1e-9)
			try_from(t, f, &x);
	}
	qsort(t->key, t->n, sizeof(*t->key), falling);
	return t;
}

static bool distinct(const struct path_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < i; j++) {
			const struct path *p = &l->paths[i], *q = &l->paths[j];
			bool same = p->n == q->n;

			for (size_t k = 0; same && k < p->n; k++)
				same = p->steps[k].fn == q->steps[k].fn;
			if (same)
				return false;
		}
	return true;
}

/* Each step is a call of the one before it, and costs its share, between its bounds. */
static bool sound(const struct flow *fl, const struct path *p)
{
	for (size_t k = 1; k < p->n; k++) {
		const struct path_step *s = &p->steps[k], *up = s - 1;
		double est = up->cost.est * flow_share(fl, s->edge, up->fn);

		if (fl->in.caller[s->edge] != up->fn || fl->in.callee[s->edge] != s->fn ||
		    s->incl != fl->in.incl[s->edge] ||
		    s->calls != fl->in.calls[s->edge] ||
		    !flows_close(est, s->cost.est, 1e-9) || !s->cost.bounded ||
		    s->cost.lo > s->cost.hi)
			return false;
	}
	return true;
}

static bool as_tried(const struct path_query *q, const struct path_list *l,
		     const struct tried *t)
{
	size_t want = q->k && q->k < t->n ? q->k : t->n;

	if (l->n != want || l->more != (want < t->n) || !distinct(l))
		return false;
	for (size_t i = 0; i < l->n; i++) {
		const struct path *p = &l->paths[i];
		double wide = INFINITY;

		for (size_t k = 1; k < p->n; k++)
			wide = fmin(wide, (double)p->steps[k].incl);
		if (!flows_close(
			    key_of(q->kind, flows_end(p).est, wide, (uint32_t)p->n - 1),
			    t->key[i], 1e-8))
			return false;
	}
	return true;
}

static struct path_query any_query(const struct flow *fl, enum path_kind kind,
				   struct arena *a)
{
	uint32_t n = fl->in.functions;
	struct path_query q = {
		.kind = kind,
		.k = 1 + flows_below(12),
		.from = flows_set(a, n, 3),
		.to = flows_set(a, n, 3),
		.via = flows_below(3) ? NULL : flows_set(a, n, 2),
		.avoiding = flows_below(3) ? NULL : flows_set(a, n, 2),
	};

	if (kind == PATH_ALL) {
		q.k = flows_below(4) ? 0 : q.k;
		q.max = flows_below(2) ? 0 : 1 + flows_below(5);
		q.min = flows_below(2) ? 0 : flows_below(20);
	}
	return q;
}

static void test_brute(struct arena *a)
{
	static const char *const name[] = {"hottest", "widest", "shortest", "all"};
	uint32_t wrong[4] = {0}, unsound = 0, lists = 0, many = 0;

	for (uint32_t round = 0; round < 20000; round++) {
		struct graph g = flows_random(a, 9);
		const struct flow *fl = flows_build(a, &g);
		struct path_query q = any_query(fl, (enum path_kind)(round % 4), a);
		struct path_list l = flows_find(fl, q, a);

		wrong[q.kind] += !as_tried(&q, &l, brute(fl, &q, a));
		for (size_t i = 0; i < l.n; i++)
			unsound += !sound(fl, &l.paths[i]);
		lists++;
		many += l.n > 1;
		arena_reset(a);
	}
	for (size_t k = 0; k < 4; k++)
		is_u64(wrong[k], 0, "%s paths as by brute force", name[k]);
	is_u64(unsound, 0, "paths are calls with their shares and bounds");
	ok(many > lists / 8, "%u of %u lists had more than one path", many, lists);
}

static void test_rounded(void)
{
	static const struct {
		double est;
		uint64_t want;
		const char *name;
	} cases[] = {
		{0.49, 0, "down"},
		{0.5, 1, "up"},
		{-1, 0, "below zero"},
		{9223372036854775807.0, INT64_MAX, "2^63"},
		{1e300, INT64_MAX, "far above"},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		is_u64(path_rounded(cases[i].est), cases[i].want,
		       "an estimate rounded: %s", cases[i].name);
}

int main(void)
{
	struct arena a;

	arena_init(&a, 256 << 20);
	test_diamond(&a);
	test_cycle(&a);
	test_odd(&a);
	test_extremes(&a);
	test_nothing(&a);
	test_interrupted(&a);
	test_brute(&a);
	arena_free(&a);
	test_rounded();
	return done_testing();
}
