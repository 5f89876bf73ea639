/*
 * path_test.c - paths, costs and trees against what really happened.
 *
 * The experiment: random call trees with recursion and several roots, whose true costs are
 * known; a profile keeps only self costs and call edges.  Whatever path.h then says must
 * hold the truth between lo and hi, always.  Searches are compared with brute force.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/flow.h"
#include "engine/path.h"
#include "engine/region.h"
#include "index/cycles.h"
#include "tests/tap.h"

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 11) % n);
}

/* ---- graphs written by hand ---- */

struct given {
	uint32_t from, to;
	uint64_t calls, w;
};

struct graph {
	uint32_t functions, edges;
	uint32_t *first, *callee;
	uint64_t *calls, *w, *self;
};

static struct graph graph_new(struct arena *a, uint32_t functions, uint32_t edges)
{
	return (struct graph){
		functions,
		edges,
		ARENA_ARRAY(a, uint32_t, functions + 1),
		ARENA_ARRAY(a, uint32_t, edges),
		ARENA_ARRAY(a, uint64_t, edges),
		ARENA_ARRAY(a, uint64_t, edges),
		ARENA_ARRAY(a, uint64_t, functions),
	};
}

/* Edges of g[] must be ordered by caller. */
static struct graph graph_of(struct arena *a, const uint64_t *self, uint32_t functions,
			     const struct given *g, uint32_t edges)
{
	struct graph r = graph_new(a, functions, edges);

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

/* Edges by callee. */
static void add_callers(struct arena *a, struct flow_input *in)
{
	uint32_t *caller = ARENA_ARRAY(a, uint32_t, in->edges),
		 *first = ARENA_ARRAY(a, uint32_t, in->functions + 2),
		 *edge = ARENA_ARRAY(a, uint32_t, in->edges);

	for (uint32_t f = 0; f < in->functions; f++)
		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			caller[i] = f;
			first[in->callee[i] + 2]++;
		}
	for (uint32_t f = 1; f < in->functions; f++)
		first[f + 1] += first[f];
	/* first[f + 1] is f's running place and becomes the start of f + 1. */
	for (uint32_t i = 0; i < in->edges; i++)
		edge[first[in->callee[i] + 1]++] = i;
	in->caller = caller;
	in->in_first = first;
	in->in_edge = edge;
}

/* As an index has it: callers first, the functions of a cycle together. */
static struct flow_input input_from(struct arena *a, const struct graph *g)
{
	struct flow_input in = {.functions = g->functions,
				.edges = g->edges,
				.out_first = g->first,
				.callee = g->callee,
				.calls = g->calls,
				.incl = g->w,
				.self = g->self};
	uint32_t *topo = ARENA_ARRAY(a, uint32_t, g->functions),
		 *cycle = ARENA_ARRAY(a, uint32_t, g->functions);
	struct cycles c = {0};

	if (cycles_find(g->functions, g->first, g->callee, &c))
		ok(false, "cycles_find");
	for (uint32_t k = 0; k < c.n; k++)
		for (uint32_t i = c.first[k]; i < c.first[k + 1]; i++) {
			topo[i] = c.topo[i];
			if (c.first[k + 1] - c.first[k] > 1)
				cycle[c.topo[i]] = k + 1;
		}
	cycles_free(&c);
	in.topo = topo;
	in.cycle = cycle;
	add_callers(a, &in);
	return in;
}

static const struct flow *flow_from(struct arena *a, const struct graph *g)
{
	struct flow_input in = input_from(a, g);
	struct flow *fl = NULL;
	struct err err = {0};

	if (flow_build(&in, a, NULL, &fl, &err))
		ok(false, "flow_build: %s", err.text);
	return fl;
}

static struct fn_set *set_of(struct arena *a, uint32_t functions, uint32_t f)
{
	struct fn_set *s = fnset_new(a, functions);

	fnset_add(s, f);
	return s;
}

static struct path_list find(const struct flow *fl, struct path_query q, struct arena *a)
{
	struct path_list list = {0};
	struct err err = {0};

	if (path_find(fl, &q, a, NULL, &list, &err))
		ok(false, "path_find: %s", err.text);
	return list;
}

static struct path_bounds cost(const struct flow *fl, struct path_cost_query q,
			       struct arena *a)
{
	struct path_bounds b = {0};
	struct err err = {0};

	if (path_cost(fl, &q, a, NULL, &b, &err))
		ok(false, "path_cost: %s", err.text);
	return b;
}

static struct path_bounds end_of(const struct path *p)
{
	return p->steps[p->n - 1].cost;
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
	const struct flow *fl = flow_from(a, &g);
	struct fn_set *s[5];
	struct path_list l;
	struct path_bounds b;

	for (uint32_t f = 0; f < 5; f++)
		s[f] = set_of(a, 5, f);
	l = find(fl, (struct path_query){.kind = PATH_ALL, .from = s[0], .to = s[4]}, a);
	is_u64(l.n, 2, "diamond: two paths");
	is_str(shown(&l.paths[0]), "0 1 3 4", "diamond: the hottest");
	b = end_of(&l.paths[0]);
	ok(fabs(b.est - 25) < 1e-9 && b.lo == 10 && b.hi == 40 && b.bounded,
	   "diamond: est 25 in 10..40 (%g in %" PRIu64 "..%" PRIu64 ")", b.est, b.lo,
	   b.hi);
	b = end_of(&l.paths[1]);
	ok(fabs(b.est - 15) < 1e-9 && b.lo == 0 && b.hi == 30,
	   "diamond: est 15 in 0..30");
	ok(l.count == 2 && fabs(l.total - 40) < 1e-9, "diamond: in all 40 on 2 paths");
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
	ok(l.n == 1 && fabs(end_of(&l.paths[0]).est - 15) < 1e-9,
	   "avoiding keeps the flow of what is left");
	l = find(fl, (struct path_query){.k = 9, .from = s[0], .to = s[4], .via = s[0]},
		 a);
	is_u64(l.n, 2, "via the start is no condition");
	l = find(fl, (struct path_query){.k = 9, .from = s[4], .to = s[0]}, a);
	is_u64(l.n, 0, "no path upwards");
	l = find(fl, (struct path_query){.k = 9, .from = s[3], .to = s[3]}, a);
	ok(l.n == 0 && l.same, "no path from a function to itself");
	b = cost(fl, (struct path_cost_query){.of = s[4], .under = s[0]}, a);
	ok(b.measured && b.lo == 40, "cost under a dominator is exact");
	b = cost(fl, (struct path_cost_query){.of = s[2], .under = s[1]}, a);
	ok(b.measured && b.hi == 0, "cost under what never reaches it is 0");
	b = cost(fl, (struct path_cost_query){.of = s[4], .under = s[1]}, a);
	ok(!b.measured && fabs(b.est - 25) < 1e-9 && b.lo == 10 && b.hi == 40,
	   "cost under one side: 25 in 10..40");
	b = cost(fl, (struct path_cost_query){.of = s[3], .under = s[1]}, a);
	ok(b.measured && b.lo == 50, "cost of a direct call is measured");
	b = cost(fl, (struct path_cost_query){.of = s[4], .avoiding = s[3]}, a);
	ok(b.measured && b.hi == 0, "cost avoiding the only way is 0");
	b = cost(fl, (struct path_cost_query){.of = s[4]}, a);
	ok(b.measured && b.lo == 40, "cost without conditions is inclusive cost");
}

/* main -> {A <-> B} -> H, and A -> A: the values of profiles like z_mut.cg. */
static void test_cycle(struct arena *a)
{
	static const uint64_t self[] = {1, 3, 5, 2};
	static const struct given e[] = {
		{0, 1, 1, 10}, {1, 1, 4, 9}, {1, 2, 2, 8}, {2, 1, 1, 5}, {2, 3, 1, 2}};
	struct graph g = graph_of(a, self, 4, e, COUNT(e));
	const struct flow *fl = flow_from(a, &g);
	struct path_list l;
	struct path_tree t = {0};
	struct err err = {0};

	is_u64(fl->vertices, 3, "a cycle is one vertex");
	is_u64(fl->incl[fl->vertex[1]], 10, "its inclusive cost");
	l = find(fl, (struct path_query){.from = set_of(a, 4, 0), .to = set_of(a, 4, 3)},
		 a);
	ok(l.n == 1 && l.paths[0].n == 3 && end_of(&l.paths[0]).lo == 2 &&
		   end_of(&l.paths[0]).measured,
	   "a cycle is one step");
	is_u64(l.paths[0].steps[1].fn, 1, "named by the function that was called");
	l = find(fl, (struct path_query){.from = set_of(a, 4, 1), .to = set_of(a, 4, 2)},
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
	const struct flow *fl = flow_from(a, &g);
	struct path_list l = find(
		fl, (struct path_query){.from = set_of(a, 5, 0), .to = set_of(a, 5, 2)},
		a);

	ok(fl->odd[fl->vertex[1]] && !fl->odd[fl->vertex[2]],
	   "sums that disagree are seen");
	ok(l.n == 1 && !end_of(&l.paths[0]).bounded && end_of(&l.paths[0]).est > 0,
	   "an estimate, no bound");
	l = find(fl, (struct path_query){.from = set_of(a, 5, 1), .to = set_of(a, 5, 4)},
		 a);
	ok(l.n == 1 && end_of(&l.paths[0]).bounded, "the ends may be odd");
	ok(!cost(fl,
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

	struct flow_input in = input_from(a, g);

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
	in = input_from(a, &g);
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
	const struct flow *fl = flow_from(a, &g);
	struct path_list l = find(fl,
				  (struct path_query){.k = 5,
						      .kind = PATH_SHORTEST,
						      .from = set_of(a, 4, 0),
						      .to = set_of(a, 4, 2)},
				  a);
	struct path_bounds b;
	struct graph none = graph_new(a, 0, 0);

	ok(l.n == 2 && l.paths[0].n == 2, "sums at 2^64 do not wrap");
	b = cost(
		fl,
		(struct path_cost_query){.of = set_of(a, 4, 2), .under = set_of(a, 4, 1)},
		a);
	ok(b.hi >= b.lo && !isnan(b.est), "nor do bounds");
	l = find(fl, (struct path_query){.from = set_of(a, 4, 0), .to = set_of(a, 4, 3)},
		 a);
	is_u64(l.n, 0, "arcs without cost are on no path");
	fl = flow_from(a, &none);
	l = find(fl, (struct path_query){.from = fnset_new(a, 0), .to = fnset_new(a, 0)},
		 a);
	is_u64(l.n, 0, "no functions, no path");
	atomic_int stop = 1;
	struct err err = {0};
	fl = flow_from(a, &g);
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

static uint8_t *per_vertex(const struct flow *fl, const struct fn_set *s, struct arena *a)
{
	uint8_t *m = ARENA_ARRAY(a, uint8_t, fl->vertices);

	for (uint32_t f = 0; s && f < fl->in.functions; f++)
		m[fl->vertex[f]] |= fnset_has(s, f);
	return m;
}

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
	t->from = per_vertex(fl, q->from, a);
	t->to = per_vertex(fl, q->to, a);
	t->via = per_vertex(fl, q->via, a);
	t->avoid = per_vertex(fl, q->avoiding, a);
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
	struct path_bounds b = end_of(p);
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

static struct fn_set *random_set(struct arena *a, uint32_t functions, uint32_t most)
{
	struct fn_set *s = fnset_new(a, functions);

	for (uint32_t n = 1 + below(most); n > 0; n--)
		fnset_add(s, below(functions));
	return s;
}

static const struct flow *random_graph(struct arena *a)
{
	uint32_t functions = 2 + below(11), edges = 0;
	struct graph g = graph_new(a, functions, functions * functions);
	bool loops = below(3) == 0;

	for (uint32_t f = 0; f < functions; f++) {
		g.first[f] = edges;
		g.self[f] = below(50);
		for (uint32_t t = loops ? 0 : f + 1; t < functions; t++) {
			if (below(100) >= (t > f ? 70u : 8u))
				continue;
			g.callee[edges] = t;
			g.calls[edges] = 1 + below(9);
			g.w[edges++] = below(6) ? below(100) : 0;
		}
	}
	g.first[functions] = edges;
	g.edges = edges;
	return flow_from(a, &g);
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
			.k = 1 + below(12),
			.from = random_set(a, n, 3),
			.to = random_set(a, n, 3),
			.via = below(3) ? NULL : random_set(a, n, 2),
			.avoiding = below(3) ? NULL : random_set(a, n, 2),
		};
		struct path_list l;
		struct tried *t;
		double *key;
		size_t want;
		bool good;

		if (q.kind == PATH_ALL) {
			q.k = below(4) ? 0 : q.k;
			q.max = below(2) ? 0 : 1 + below(5);
			q.min = below(2) ? 0 : below(20);
		}
		l = find(fl, q, a);
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

/* ---- the experiment ---- */

enum { CALLS = 600 };

struct tree {
	uint32_t functions, n;
	uint32_t fn[CALLS], parent[CALLS]; /* parent: FLOW_NONE at a root */
	uint64_t self[CALLS], incl[CALLS];
	uint32_t entry[CALLS]; /* the call that entered the vertex this one runs in */
};

/* Activations in the order of the calls: a parent stands before its children. */
static void grow_tree(struct tree *t)
{
	bool deep = below(2), recursive = below(3) != 0;
	uint32_t stack[CALLS], n = 0;

	t->functions = 3 + below(14);
	t->n = 20 + below(CALLS - 20);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t caller;

		while (n && below(deep ? 3 : 2) == 0)
			n--;
		if (n && below(60) == 0)
			n = 0; /* another root */
		t->parent[i] = n ? stack[n - 1] : FLOW_NONE;
		caller = n ? t->fn[stack[n - 1]] : 0;
		if (n == 0)
			t->fn[i] = below(8) ? 0 : below(t->functions);
		else if (recursive && below(12) == 0)
			t->fn[i] = below(t->functions);
		else if (caller + 1 < t->functions)
			t->fn[i] = caller + 1 +
				   below(below(2) ? t->functions - caller - 1 : 1);
		else
			t->fn[i] = caller;
		if (!recursive && n && t->fn[i] <= caller) {
			n--;
			i--;
			continue;
		}
		t->self[i] = below(4) ? below(30) : below(2000);
		stack[n++] = i;
	}
	for (uint32_t i = 0; i < t->n; i++)
		t->incl[i] = t->self[i];
	for (uint32_t i = t->n; i-- > 0;)
		if (t->parent[i] != FLOW_NONE)
			t->incl[t->parent[i]] += t->incl[i];
}

/* What a profile keeps of it. */
static struct graph profile_of(const struct tree *t, struct arena *a)
{
	uint32_t n = t->functions, edges = 0;
	uint64_t *w = ARENA_ARRAY(a, uint64_t, n * n),
		 *calls = ARENA_ARRAY(a, uint64_t, n * n);
	struct graph g = graph_new(a, n, n * n);

	for (uint32_t i = 0; i < t->n; i++) {
		g.self[t->fn[i]] += t->self[i];
		if (t->parent[i] == FLOW_NONE)
			continue;
		w[t->fn[t->parent[i]] * n + t->fn[i]] += t->incl[i];
		calls[t->fn[t->parent[i]] * n + t->fn[i]]++;
	}
	for (uint32_t f = 0; f < n; f++) {
		g.first[f] = edges;
		for (uint32_t c = 0; c < n; c++) {
			if (!calls[f * n + c])
				continue;
			g.callee[edges] = c;
			g.calls[edges] = calls[f * n + c];
			g.w[edges++] = w[f * n + c];
		}
	}
	g.first[n] = g.edges = edges;
	return g;
}

static void find_entries(struct tree *t, const struct flow *fl)
{
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t p = t->parent[i];
		bool inside =
			p != FLOW_NONE && fl->vertex[t->fn[p]] == fl->vertex[t->fn[i]];

		t->entry[i] = inside ? t->entry[p] : i;
	}
}

/* The call that entered the vertex above the one that i entered. */
static uint32_t above(const struct tree *t, uint32_t i)
{
	uint32_t p = t->parent[i];

	return p == FLOW_NONE ? FLOW_NONE : t->entry[p];
}

static uint64_t true_path(const struct tree *t, const struct flow *fl,
			  const struct path *p)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		size_t k = p->n;
		uint32_t e = i;

		if (t->entry[i] != i)
			continue;
		while (k > 0 && e != FLOW_NONE &&
		       fl->vertex[t->fn[e]] == p->steps[k - 1].vertex) {
			k--;
			e = above(t, e);
		}
		if (k == 0)
			sum += t->incl[i];
	}
	return sum;
}

/* Is i an entry into `of`, with `under` above it and via, avoiding as asked in between? */
static bool counts(const struct tree *t, const struct flow *fl, uint32_t i,
		   const uint8_t *of, const uint8_t *under, const uint8_t *via,
		   const uint8_t *avoid)
{
	bool seen = !via, top = !under;

	if (!of[fl->vertex[t->fn[i]]])
		return false;
	for (uint32_t e = i; e != FLOW_NONE; e = above(t, e)) {
		uint32_t v = fl->vertex[t->fn[e]];

		if (avoid && avoid[v])
			return false;
		seen |= via && via[v];
		if (under && under[v] && e != i && seen)
			return true;
	}
	return top && seen;
}

static uint64_t true_cost(const struct tree *t, const struct flow *fl,
			  const struct path_cost_query *q, struct arena *a)
{
	uint8_t *of = per_vertex(fl, q->of, a);
	uint8_t *under = q->under ? per_vertex(fl, q->under, a) : NULL;
	uint8_t *via = q->via ? per_vertex(fl, q->via, a) : NULL;
	uint8_t *avoid = q->avoiding ? per_vertex(fl, q->avoiding, a) : NULL;
	bool inside[CALLS] = {false};
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t up;

		if (t->entry[i] != i)
			continue;
		up = above(t, i);
		if (up != FLOW_NONE && inside[up])
			inside[i] = true;
		else if ((inside[i] = counts(t, fl, i, of, under, via, avoid)))
			sum += t->incl[i];
	}
	return sum;
}

/* Cost of the chain that a row of a tree stands for. */
static uint64_t true_row(const struct tree *t, const struct flow *fl,
			 const struct path_tree_query *q, const struct path_tree *tree,
			 uint32_t row)
{
	uint32_t chain[64], n = 0;
	uint64_t sum = 0;

	for (uint32_t r = row; r != FLOW_NONE && n < 64; r = tree->rows[r].parent)
		chain[n++] = tree->rows[r].fn;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t e = i, k;

		if (t->entry[i] != i || t->parent[i] == FLOW_NONE)
			continue;
		if (q->up) { /* chain[n - 1] calls the set, chain[n - 2] calls that */
			if (!fnset_has(q->set, t->fn[i]))
				continue;
			for (k = n; k > 0 && t->parent[e] != FLOW_NONE &&
				    t->fn[t->parent[e]] == chain[k - 1];
			     k--)
				e = t->entry[t->parent[e]];
		} else { /* chain[0] is called last, by chain[1]'s vertex */
			for (k = 0; k < n && e != FLOW_NONE && t->fn[e] == chain[k];
			     k++) {
				if (k + 1 == n &&
				    (t->parent[e] == FLOW_NONE ||
				     !fnset_has(q->set, t->fn[t->parent[e]])))
					break;
				e = above(t, e);
			}
			k = n - k;
		}
		if (k == 0)
			sum += t->incl[i];
	}
	(void)fl;
	return sum;
}

struct tally {
	uint64_t checked, violated, exact, outside;
	double worst; /* |est - truth| / hi */
};

static void check(struct tally *y, struct path_bounds b, uint64_t truth)
{
	double off = b.hi ? fabs(b.est - (double)truth) / (double)b.hi : 0;

	y->checked++;
	y->violated += !b.bounded || truth < b.lo || truth > b.hi;
	y->exact += b.measured;
	y->outside += b.est < (double)b.lo * (1 - 1e-9) - 1e-9 ||
		      b.est > (double)b.hi * (1 + 1e-9) + 1e-9;
	if (off > y->worst)
		y->worst = off;
}

static void report(const struct tally *y, const char *what)
{
	is_u64(y->violated, 0, "%s: the truth of %" PRIu64 " is within the bounds", what,
	       y->checked);
	is_u64(y->outside, 0, "%s: so is the estimate", what);
	ok(y->exact > 0 && y->exact < y->checked,
	   "%s: %" PRIu64 " were exact, the worst estimate was off by %.0f %%", what,
	   y->exact, 100 * y->worst);
}

static void test_experiment(struct arena *a)
{
	static const struct tally zero;
	struct tally paths = zero, costs = zero, up = zero, down = zero;
	struct tree *t = malloc(sizeof(*t));
	uint64_t odd = 0, cycles = 0;

	for (uint32_t round = 0; round < 8000; round++) {
		struct graph g;
		const struct flow *fl;
		uint32_t n;

		grow_tree(t);
		g = profile_of(t, a);
		fl = flow_from(a, &g);
		find_entries(t, fl);
		n = t->functions;
		cycles += fl->vertices < n;
		for (uint32_t v = 0; v < fl->vertices; v++)
			odd += fl->odd[v];
		for (uint32_t k = 0; k < 3; k++) {
			struct path_query q = {.kind = (enum path_kind)k,
					       .k = 4,
					       .from = random_set(a, n, 2),
					       .to = random_set(a, n, 2)};
			struct path_list l = find(fl, q, a);

			for (size_t i = 0; i < l.n; i++)
				check(&paths, end_of(&l.paths[i]),
				      true_path(t, fl, &l.paths[i]));
		}
		for (uint32_t k = 0; k < 6; k++) {
			struct path_cost_query q = {
				.of = random_set(a, n, 2),
				.under = below(5) ? random_set(a, n, 2) : NULL,
				.via = below(3) ? NULL : random_set(a, n, 2),
				.avoiding = below(3) ? NULL : random_set(a, n, 2),
			};

			check(&costs, cost(fl, q, a), true_cost(t, fl, &q, a));
		}
		for (uint32_t k = 0; k < 2; k++) {
			struct path_tree_query q = {.set = random_set(a, n, 2),
						    .up = k == 0,
						    .depth = 5,
						    .rows = 40};
			struct path_tree tree = {0};
			struct err err = {0};

			if (path_tree(fl, &q, a, NULL, &tree, &err))
				ok(false, "path_tree: %s", err.text);
			for (uint32_t i = 0; i < tree.n; i++)
				if (!tree.rows[i].recursive)
					check(q.up ? &up : &down, tree.rows[i].cost,
					      true_row(t, fl, &q, &tree, i));
		}
		arena_reset(a);
	}
	free(t);
	is_u64(odd, 0, "sums of real trees agree");
	ok(cycles > 500, "%" PRIu64 " of 8000 trees had cycles", cycles);
	report(&paths, "paths");
	report(&costs, "cost under");
	report(&up, "trees of callers");
	report(&down, "trees of callees");
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
	test_experiment(&a);
	arena_free(&a);
	test_rounded();
	return done_testing();
}
