/*
 * path_test.c - paths, costs and trees of graphs by hand, and searches against brute force.
 *
 * What really happened is compared in path_truth_test.c.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/flows.h"
#include "tests/tap.h"

/* ---- graphs written by hand ---- */

struct given {
	uint32_t from, to;
	uint64_t calls, w;
};

static struct fn_set *set_of(struct arena *a, uint32_t functions, uint32_t f)
{
	struct fn_set *s = fnset_new(a, functions);

	fnset_add(s, f);
	return s;
}

/* Edges of g[] must be ordered by caller. */
static struct graph graph_of(struct arena *a, const uint64_t *self, uint32_t functions,
			     const struct given *g, uint32_t edges)
{
	struct graph r = flows_graph(a, functions, edges);

	memcpy(r.self, self, functions * sizeof(*self));
	for (uint32_t i = 0; i < edges; i++) {
		r.first[g[i].from + 1]++;
		r.callee[i] = g[i].to;
		r.calls[i] = g[i].calls;
		r.w[i] = g[i].w;
	}
	for (uint32_t f = 0; f < functions; f++)
		r.first[f + 1] += r.first[f];
	return r;
}

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
	static const uint64_t self[] = {0, 10, 10, 40, 40};
	static const struct given e[] = {{0, 1, 1, 60},
					 {0, 2, 2, 40},
					 {1, 3, 3, 50},
					 {2, 3, 4, 30},
					 {3, 4, 7, 40}};
	struct graph g = graph_of(a, self, 5, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct fn_set *s[5];
	struct path_list l;
	struct path_bounds b;

	for (uint32_t f = 0; f < 5; f++)
		s[f] = set_of(a, 5, f);
	l = flows_find(
		fl, (struct path_query){.kind = PATH_ALL, .from = s[0], .to = s[4]}, a);
	is_u64(l.n, 2, "diamond: two paths");
	is_str(shown(&l.paths[0]), "0 1 3 4", "diamond: the hottest");
	b = flows_end(&l.paths[0]);
	ok(fabs(b.est - 25) < 1e-9 && b.lo == 10 && b.hi == 40 && b.bounded,
	   "diamond: est 25 in 10..40 (%g in %" PRIu64 "..%" PRIu64 ")", b.est, b.lo,
	   b.hi);
	b = flows_end(&l.paths[1]);
	ok(fabs(b.est - 15) < 1e-9 && b.lo == 0 && b.hi == 30,
	   "diamond: est 15 in 0..30");
	ok(l.count == 2 && fabs(l.total - 40) < 1e-9, "diamond: in all 40 on 2 paths");
	is_u64(l.paths[0].steps[2].calls, 3, "calls of the step");
	ok(!l.more && !l.truncated && !l.same, "nothing was cut");
	l = flows_find(fl, (struct path_query){.k = 1, .from = s[0], .to = s[4]}, a);
	ok(l.n == 1 && l.more && !l.truncated, "one of two: there are more");
	l = flows_find(fl,
		       (struct path_query){.k = 9, .from = s[0], .to = s[4], .via = s[2]},
		       a);
	ok(l.n == 1 && strcmp(shown(&l.paths[0]), "0 2 3 4") == 0, "via");
	l = flows_find(
		fl,
		(struct path_query){.k = 9, .from = s[0], .to = s[4], .avoiding = s[1]},
		a);
	ok(l.n == 1 && fabs(flows_end(&l.paths[0]).est - 15) < 1e-9,
	   "avoiding keeps the flow of what is left");
	l = flows_find(fl,
		       (struct path_query){.k = 9, .from = s[0], .to = s[4], .via = s[0]},
		       a);
	is_u64(l.n, 2, "via the start is no condition");
	l = flows_find(fl, (struct path_query){.k = 9, .from = s[4], .to = s[0]}, a);
	is_u64(l.n, 0, "no path upwards");
	l = flows_find(fl, (struct path_query){.k = 9, .from = s[3], .to = s[3]}, a);
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

/* main -> {A <-> B} -> H, and A -> A: the values of profiles like z_mut.cg. */
static void test_cycle(struct arena *a)
{
	static const uint64_t self[] = {1, 3, 5, 2};
	static const struct given e[] = {
		{0, 1, 1, 10}, {1, 1, 4, 9}, {1, 2, 2, 8}, {2, 1, 1, 5}, {2, 3, 1, 2}};
	struct graph g = graph_of(a, self, 4, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct path_list l;
	struct path_tree t = {0};
	struct err err = {0};

	is_u64(fl->vertices, 3, "a cycle is one vertex");
	is_u64(fl->incl[fl->vertex[1]], 10, "its inclusive cost");
	l = flows_find(
		fl, (struct path_query){.from = set_of(a, 4, 0), .to = set_of(a, 4, 3)},
		a);
	ok(l.n == 1 && l.paths[0].n == 3 && flows_end(&l.paths[0]).lo == 2 &&
		   flows_end(&l.paths[0]).measured,
	   "a cycle is one step");
	is_u64(l.paths[0].steps[1].fn, 1, "named by the function that was called");
	l = flows_find(
		fl, (struct path_query){.from = set_of(a, 4, 1), .to = set_of(a, 4, 2)},
		a);
	ok(l.n == 0 && l.same, "both ends in one cycle");
	path_tree(fl, &(struct path_tree_query){.set = set_of(a, 4, 1), .up = true}, a,
		  NULL, &t, &err);
	ok(t.n == 3 && t.rows[0].fn == 0 && !t.rows[0].recursive &&
		   t.rows[0].cost.lo == 10,
	   "callers of a member: the entry first");
	ok(t.rows[1].recursive && t.rows[2].recursive && t.rows[1].fn == 1 &&
		   t.rows[2].fn == 2,
	   "then the calls inside the cycle, flagged");
	path_tree(fl, &(struct path_tree_query){.set = set_of(a, 4, 0)}, a, NULL, &t,
		  &err);
	ok(t.n == 2 && t.rows[0].fn == 1 && t.rows[1].fn == 3 && t.rows[1].depth == 2 &&
		   t.rows[1].parent == 0,
	   "callees go on below the cycle");
}

/* 1 takes in 100 but spends only 30: no bound goes through it. */
static void test_odd(struct arena *a)
{
	static const uint64_t self[] = {0, 10, 15, 0, 5};
	static const struct given e[] = {
		{0, 1, 1, 100}, {1, 2, 1, 20}, {2, 4, 1, 5}, {3, 1, 1, 7}};
	struct graph g = graph_of(a, self, 5, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct path_list l = flows_find(
		fl, (struct path_query){.from = set_of(a, 5, 0), .to = set_of(a, 5, 2)},
		a);

	ok(fl->odd[fl->vertex[1]] && !fl->odd[fl->vertex[2]],
	   "sums that disagree are seen");
	ok(l.n == 1 && !flows_end(&l.paths[0]).bounded && flows_end(&l.paths[0]).est > 0,
	   "an estimate, no bound");
	l = flows_find(
		fl, (struct path_query){.from = set_of(a, 5, 1), .to = set_of(a, 5, 4)},
		a);
	ok(l.n == 1 && flows_end(&l.paths[0]).bounded, "the ends may be odd");
	ok(!flows_cost(fl,
		       (struct path_cost_query){.of = set_of(a, 5, 4),
						.under = set_of(a, 5, 0)},
		       a)
		    .bounded,
	   "nor for a cost through it");
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
		struct flow *bad = NULL;
		struct err err = {0};

		*cases[i].at = cases[i].to;
		ok(flow_build(&in, a, NULL, &bad, &err) == ERR_INDEX &&
			   strstr(err.text, cases[i].what) &&
			   strstr(err.hint, "--rebuild"),
		   "a damaged graph is refused: %s", err.text);
		*cases[i].at = was;
	}
}

/* Ctrl-C while the edges are added up, of which there are enough for it to be looked at. */
static void test_interrupted(struct arena *a)
{
	enum { EDGES = 70000 };
	static const uint64_t self[2];
	static struct given e[EDGES];
	struct graph g;
	struct flow_input in;
	struct flow *fl = NULL;
	struct err err = {0};
	atomic_int cancel = 0;

	for (uint32_t i = 0; i < EDGES; i++)
		e[i] = (struct given){0, 1, 1, 1};
	g = graph_of(a, self, 2, e, EDGES);
	in = flows_input(a, &g);
	is_u64((uint64_t)flow_build(&in, a, &cancel, &fl, &err), 0, "70,000 edges");
	cancel = 1;
	fl = NULL;
	ok(flow_build(&in, a, &cancel, &fl, &err) == ERR_CANCEL && !fl,
	   "interrupted while they are added up: %s", err.text);
}

static void test_extremes(struct arena *a)
{
	static const uint64_t self[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0};
	static const struct given e[] = {{0, 1, UINT64_MAX, UINT64_MAX},
					 {0, 2, 1, UINT64_MAX},
					 {1, 2, UINT64_MAX, UINT64_MAX},
					 {2, 3, 1, 0}};
	struct graph g = graph_of(a, self, 4, e, COUNT(e));
	const struct flow *fl = flows_build(a, &g);
	struct path_list l = flows_find(fl,
					(struct path_query){.k = 5,
							    .kind = PATH_SHORTEST,
							    .from = set_of(a, 4, 0),
							    .to = set_of(a, 4, 2)},
					a);
	struct path_bounds b;
	struct graph none = flows_graph(a, 0, 0);

	ok(l.n == 2 && l.paths[0].n == 2, "sums at 2^64 do not wrap");
	b = flows_cost(
		fl,
		(struct path_cost_query){.of = set_of(a, 4, 2), .under = set_of(a, 4, 1)},
		a);
	ok(b.hi >= b.lo && !isnan(b.est), "nor do bounds");
	l = flows_find(
		fl, (struct path_query){.from = set_of(a, 4, 0), .to = set_of(a, 4, 3)},
		a);
	is_u64(l.n, 0, "arcs without cost are on no path");
	fl = flows_build(a, &none);
	l = flows_find(
		fl, (struct path_query){.from = fnset_new(a, 0), .to = fnset_new(a, 0)},
		a);
	is_u64(l.n, 0, "no functions, no path");
	atomic_int stop = 1;
	struct err err = {0};
	fl = flows_build(a, &g);
	ok(path_find(fl,
		     &(struct path_query){.from = set_of(a, 4, 0), .to = set_of(a, 4, 2)},
		     a, &stop, &l, &err) == ERR_CANCEL,
	   "interrupted");
	refuse_damaged(&g, a);
}

/* ---- brute force ---- */

struct tried {
	const struct flow *fl;
	const struct path_query *q;
	uint8_t *from, *to, *via, *avoid; /* per vertex */
	double est[20000];
	uint64_t hi[20000];
	uint32_t length[20000];
	uint32_t n;
	double total;
};

static void try_from(struct tried *t, uint32_t v, bool start, double est, uint64_t hi,
		     uint32_t length, bool via)
{
	const struct flow *fl = t->fl;

	for (uint32_t i = fl->out_first[v]; i < fl->out_first[v + 1]; i++) {
		uint32_t u = fl->to[i];
		double e = start ? (double)fl->w[i]
				 : est * ((double)fl->w[i] / (double)fl->incl[v]);
		uint64_t h = fl->w[i] < hi ? fl->w[i] : hi;
		bool seen = via || t->via[u];

		if (!fl->w[i] || t->avoid[u] || (t->q->max && length == t->q->max))
			continue;
		if (t->to[u]) {
			if (!seen)
				continue;
			t->total += e;
			if (e * (1 + 1e-12) < t->q->min || t->n == COUNT(t->est))
				continue;
			t->est[t->n] = e;
			t->hi[t->n] = h;
			t->length[t->n++] = length + 1;
		} else if (!t->from[u]) {
			try_from(t, u, false, e, h, length + 1, seen);
		}
	}
}

static struct tried *brute(const struct flow *fl, const struct path_query *q,
			   struct arena *a)
{
	struct tried *t = ARENA_NEW(a, struct tried);

	t->fl = fl;
	t->q = q;
	t->from = flows_vertices(fl, q->from, a);
	t->to = flows_vertices(fl, q->to, a);
	t->via = flows_vertices(fl, q->via, a);
	t->avoid = flows_vertices(fl, q->avoiding, a);
	for (uint32_t v = 0; v < fl->vertices; v++)
		if (t->from[v] && !t->avoid[v])
			try_from(t, v, true, 0, UINT64_MAX, 0, !q->via || t->via[v]);
	return t;
}

static int falling(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a < b) - (a > b);
}

/* The keys that the list must be ordered by, best first. */
static void sort_tried(struct tried *t, enum path_kind kind, double *key)
{
	for (uint32_t i = 0; i < t->n; i++)
		key[i] = kind == PATH_WIDEST	 ? (double)t->hi[i]
			 : kind == PATH_SHORTEST ? -(double)t->length[i] * 1e9 + t->est[i]
						 : t->est[i];
	qsort(key, t->n, sizeof(*key), falling);
}

static double key_of(const struct path *p, enum path_kind kind)
{
	struct path_bounds b = flows_end(p);
	uint64_t hi = UINT64_MAX;

	for (size_t i = 1; i < p->n; i++)
		hi = p->steps[i].incl < hi ? p->steps[i].incl : hi;
	return kind == PATH_WIDEST     ? (double)hi
	       : kind == PATH_SHORTEST ? -(double)(p->n - 1) * 1e9 + b.est
				       : b.est;
}

static bool close_to(double x, double y)
{
	return fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y)) + 1e-12;
}

static bool distinct(const struct path_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < i; j++) {
			const struct path *p = &l->paths[i], *q = &l->paths[j];
			bool same = p->n == q->n;

			for (size_t k = 0; same && k < p->n; k++)
				same = p->steps[k].vertex == q->steps[k].vertex;
			if (same)
				return false;
		}
	return true;
}

static const struct flow *random_graph(struct arena *a)
{
	uint32_t functions = 2 + flows_below(11), edges = 0;
	struct graph g = flows_graph(a, functions, functions * functions);
	bool loops = flows_below(3) == 0;

	for (uint32_t f = 0; f < functions; f++) {
		g.first[f] = edges;
		g.self[f] = flows_below(50);
		for (uint32_t t = loops ? 0 : f + 1; t < functions; t++) {
			if (flows_below(100) >= (t > f ? 70u : 8u))
				continue;
			g.callee[edges] = t;
			g.calls[edges] = 1 + flows_below(9);
			g.w[edges++] = flows_below(6) ? flows_below(100) : 0;
		}
	}
	g.first[functions] = edges;
	g.edges = edges;
	return flows_build(a, &g);
}

static void test_brute(struct arena *a)
{
	static const char *const name[] = {"hottest", "widest", "shortest", "all"};
	uint32_t wrong[4] = {0}, wrong_sums = 0, repeated = 0, lists = 0, many = 0;

	for (uint32_t round = 0; round < 6000; round++) {
		const struct flow *fl = random_graph(a);
		uint32_t n = fl->in.functions;
		struct path_query q = {
			.kind = (enum path_kind)(round % 4),
			.k = 1 + flows_below(12),
			.from = flows_set(a, n, 3),
			.to = flows_set(a, n, 3),
			.via = flows_below(3) ? NULL : flows_set(a, n, 2),
			.avoiding = flows_below(3) ? NULL : flows_set(a, n, 2),
		};
		struct path_list l;
		struct tried *t;
		double *key;
		size_t want;
		bool good;

		if (q.kind == PATH_ALL) {
			q.k = flows_below(4) ? 0 : q.k;
			q.max = flows_below(2) ? 0 : 1 + flows_below(5);
			q.min = flows_below(2) ? 0 : flows_below(20);
		}
		l = flows_find(fl, q, a);
		t = brute(fl, &q, a);
		key = ARENA_ARRAY(a, double, t->n + 1);
		sort_tried(t, q.kind, key);
		want = q.k && q.k < t->n ? q.k : t->n;
		good = l.n == want && l.more == (want < t->n);
		/* A search by depth that was cut keeps any of those that fit. */
		for (size_t i = 0; good && i < l.n && !(l.more && q.max); i++)
			good = close_to(key_of(&l.paths[i], q.kind), key[i]);
		wrong[q.kind] += !good;
		repeated += !distinct(&l);
		wrong_sums +=
			q.kind == PATH_ALL && (!close_to(l.total, t->total) ||
					       (q.min == 0 && l.count != (double)t->n));
		lists++;
		many += l.n > 1;
		arena_reset(a);
	}
	for (size_t k = 0; k < 4; k++)
		is_u64(wrong[k], 0, "%s paths as by brute force", name[k]);
	is_u64(repeated, 0, "no path twice");
	is_u64(wrong_sums, 0, "count and total as by brute force");
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
		{18446744073709551615.0, UINT64_MAX, "2^64"},
		{1e300, UINT64_MAX, "far above"},
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
	test_interrupted(&a);
	arena_reset(&a);
	test_brute(&a);
	arena_free(&a);
	test_rounded();
	return done_testing();
}
