/* flows.c - see flows.h. */
#include "tests/support/flows.h"

#include <math.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/names/fnset.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/graph/cycles.h"
#include "index/base/hash.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"

static uint64_t seed;

uint32_t flows_below(uint32_t n)
{
	if (seed == 0)
		seed = hash_mix(tap_seed(1));
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 11) % n);
}

struct graph flows_graph(struct arena *a, uint32_t functions, uint32_t edges)
{
	return (struct graph){
		functions,
		edges,
		ARENA_ARRAY(a, uint32_t, functions + 1),
		ARENA_ARRAY(a, uint32_t, edges),
		ARENA_ARRAY(a, uint64_t, edges),
		ARENA_ARRAY(a, int64_t, edges),
		ARENA_ARRAY(a, int64_t, functions),
	};
}

struct graph flows_given(struct arena *a, const int64_t *self, uint32_t functions,
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

/* ---- random graphs ---- */

enum { MOST = 16, DEEPEST = 14 };

struct program {
	uint32_t functions, left; /* left: activations */
	bool may[MOST][MOST];
	uint64_t calls[MOST][MOST];
	int64_t self[MOST], w[MOST][MOST];
};

/* Run f; what it and its callees cost is added to an edge at each return. */
static int64_t run(struct program *p, uint32_t f, uint32_t depth)
{
	int64_t cost = flows_below(3) ? flows_below(40) : 0;

	p->self[f] += cost;
	for (uint32_t n = 2 + flows_below(6); n > 0 && depth < DEEPEST && p->left; n--) {
		uint32_t to = flows_below(p->functions);
		uint64_t below;

		if (!p->may[f][to])
			continue;
		p->left--;
		below = run(p, to, depth + 1);
		p->calls[f][to]++;
		p->w[f][to] += below;
		cost += below;
	}
	return cost;
}

/* Any costs; who is called for more than it calls for spends the rest, and so that nothing
 * goes round for ever, each spends a little. */
static void make_up(struct program *p)
{
	for (uint32_t f = 0; f < p->functions; f++)
		for (uint32_t to = 0; to < p->functions; to++)
			if (p->may[f][to]) {
				p->calls[f][to] = 1 + flows_below(9);
				p->w[f][to] = flows_below(6) ? flows_below(100) : 0;
			}
	for (uint32_t f = 0; f < p->functions; f++) {
		uint64_t in = 0, out = 0;

		for (uint32_t g = 0; g < p->functions; g++) {
			in += p->w[g][f];
			out += p->w[f][g];
		}
		p->self[f] = (in > out ? in - out : 0) + 1 + flows_below(30);
	}
}

/* The program's sums as a graph. */
static struct graph graph_of(struct arena *a, const struct program *p)
{
	struct graph g = flows_graph(a, p->functions, p->functions * p->functions);
	uint32_t n = 0;

	for (uint32_t f = 0; f < p->functions; f++) {
		g.self[f] = p->self[f];
		for (uint32_t to = 0; to < p->functions; to++) {
			if (!p->calls[f][to])
				continue;
			g.callee[n] = to;
			g.calls[n] = p->calls[f][to];
			g.w[n++] = p->w[f][to];
		}
		g.first[f + 1] = n;
	}
	g.edges = n;
	return g;
}

struct graph flows_random(struct arena *a, uint32_t most)
{
	struct program p = {.functions = 2 + flows_below(most - 1), .left = 400};
	uint32_t up = flows_below(3) * 15, down = 30 + flows_below(50);

	for (uint32_t f = 0; f < p.functions; f++)
		for (uint32_t to = 0; to < p.functions; to++)
			p.may[f][to] = flows_below(100) < (to > f ? down : up);
	if (flows_below(2))
		make_up(&p);
	else
		run(&p, 0, 0);
	return graph_of(a, &p);
}

struct graph flows_circling(struct arena *a, uint32_t digits)
{
	enum { N = 9, WALKS = 12, LONGEST = 5 };
	struct program p = {.functions = N};

	for (uint32_t f = 1; f < N; f++)
		p.self[f] = 1;
	for (uint32_t k = 0; k < WALKS; k++) {
		bool round = k >= WALKS / 2;
		uint32_t first = round ? 1 + flows_below(N - 1) : 0, f = first;
		uint64_t cost = 10;

		for (uint32_t d = round ? flows_below(digits + 1) : 0; d > 0; d--)
			cost *= 10;
		for (uint32_t n = 1 + flows_below(LONGEST); n > 0; n--) {
			uint32_t to = round && n == 1 ? first : 1 + flows_below(N - 1);

			p.calls[f][to]++;
			p.w[f][to] += cost;
			f = to;
		}
		p.self[f] += round ? 0 : cost;
	}
	return graph_of(a, &p);
}

/* ---- as an index has them ---- */

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

struct flow_input flows_input(struct arena *a, const struct graph *g)
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
		fuzz_fail("cycles_find");
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

const struct flow *flows_build(struct arena *a, const struct graph *g)
{
	struct flow_input in = flows_input(a, g);
	struct flow *fl = NULL;

	flow_build(&in, a, NULL, &fl);
	return fl;
}

struct path_list flows_find(const struct flow *fl, struct path_query q, struct arena *a)
{
	struct path_list list = {0};

	path_find(fl, &q, a, NULL, &list);
	return list;
}

struct path_tree flows_tree(const struct flow *fl, struct path_tree_query q,
			    struct arena *a)
{
	struct path_tree t = {0};

	path_tree(fl, &q, a, NULL, &t);
	return t;
}

struct path_bounds flows_cost(const struct flow *fl, struct path_cost_query q,
			      struct arena *a)
{
	struct path_bounds b = {0};

	path_cost(fl, &q, a, NULL, &b);
	return b;
}

struct path_bounds flows_end(const struct path *p)
{
	return p->steps[p->n - 1].cost;
}

struct path_bounds flows_incl(const struct flow *fl, uint32_t f, struct arena *a)
{
	double *incl = ARENA_ARRAY(a, double, fl->in.functions + 1);

	path_outermost(fl, flows_one(a, fl->in.functions, f), incl, a);
	return path_bounds_of(incl[f], 0, fl->passing[f], true);
}

struct fn_set *flows_set(struct arena *a, uint32_t functions, uint32_t most)
{
	struct fn_set *s = fnset_new(a, functions);

	for (uint32_t n = 1 + flows_below(most); n > 0; n--)
		fnset_add(s, flows_below(functions));
	return s;
}

struct fn_set *flows_one(struct arena *a, uint32_t functions, uint32_t f)
{
	struct fn_set *s = fnset_new(a, functions);

	fnset_add(s, f);
	return s;
}

static void swap(double *x, double *y)
{
	double was = *x;

	*x = *y;
	*y = was;
}

void flows_solve(uint32_t n, double *m, double *b)
{
	for (uint32_t c = 0; c < n; c++) {
		uint32_t best = c;

		for (uint32_t r = c + 1; r < n; r++)
			if (fabs(m[r * n + c]) > fabs(m[best * n + c]))
				best = r;
		for (uint32_t k = c; best != c && k < n; k++)
			swap(&m[c * n + k], &m[best * n + k]);
		if (best != c)
			swap(&b[c], &b[best]);
		for (uint32_t r = 0; r < n; r++) {
			double by = r == c ? 0 : m[r * n + c] / m[c * n + c];

			for (uint32_t k = c; by != 0 && k < n; k++)
				m[r * n + k] -= by * m[c * n + k];
			b[r] -= by * b[c];
		}
	}
	for (uint32_t c = 0; c < n; c++)
		b[c] /= m[c * n + c];
}

/* Add what takes each call to the rows of the functions that it is counted for. */
static void add_shares(const struct flow *fl, const uint8_t *stop, bool forward,
		       double *m)
{
	uint32_t n = fl->in.functions;

	for (uint32_t i = 0; i < fl->in.edges; i++) {
		uint32_t f = fl->in.caller[i], to = fl->in.callee[i];

		if (!stop[f])
			m[forward ? to * n + f : f * n + to] -= flow_share(fl, i, f);
	}
	for (uint32_t f = 0; f < n; f++)
		m[f * n + f] += 1;
}

void flows_spread(const struct flow *fl, const uint8_t *stop, double *cost,
		  struct arena *a)
{
	uint32_t n = fl->in.functions;
	double *m = ARENA_ARRAY(a, double, (size_t)n *n);

	add_shares(fl, stop, true, m);
	flows_solve(n, m, cost);
}

void flows_expect(const struct flow *fl, const uint8_t *known, double *value,
		  struct arena *a)
{
	uint32_t n = fl->in.functions;
	double *m = ARENA_ARRAY(a, double, (size_t)n *n);

	add_shares(fl, known, false, m);
	for (uint32_t f = 0; f < n; f++)
		value[f] = known[f] ? value[f] : 0;
	flows_solve(n, m, value);
}

bool flows_close(double x, double y, double within)
{
	return fabs(x - y) <= within * (fabs(x) + fabs(y)) + 1e-9;
}
