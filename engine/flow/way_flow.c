/*
 * way_flow.c - see way_flow.h.
 *
 * f is called by g for 60 and by k for 40, and calls a for 60 and b for 40.  Its pairs say that
 * what g brings goes to a:
 *
 *	vertex		calls		through
 *	f by g		a 60		60
 *	f by k		b 40		40
 *	f, no call	-		0	a root of the program would stand here
 *	f as a whole	a 60, b 40	100	no call leads here
 *
 * Costs of pairs are no whole numbers.  As the costs of a flow are, all are multiplied by a
 * power of two, the largest that leaves room for sums.
 */
#include "engine/flow/way_flow.h"

#include <math.h>

#include "engine/flow/pairs.h"
#include "engine/names/fnset.h"
#include "index/base/need.h"
#include "index/base/err.h"
#include "index/base/err_struct.h"

enum { POLL = 4096, BITS = 60 };

/* The arrays of the flow, not const. */
struct parting {
	struct way_flow *w;
	const uint8_t *within; /* [functions]; NULL: all */
	const double **pair;   /* [functions] */
	uint32_t *first, *fn, *edge, *out_first, *callee, *caller, *in_first, *in_edge;
	uint32_t *cycle, *topo;
	int64_t *incl, *self, *passing;
	double *through, *root;
	uint8_t *odd;
	uint32_t vertices, edges;
};

static bool left_out(const struct parting *p, uint32_t f)
{
	return p->within && !p->within[f];
}

static uint32_t calls_within(const struct parting *p, uint32_t f)
{
	const struct flow_input *in = &p->w->of->in;
	uint32_t n = 0;

	if (!p->within)
		return in->out_first[f + 1] - in->out_first[f];
	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		n += p->within[in->callee[i]];
	return n;
}

/* Number the vertices. */
static void count_vertices(struct parting *p, struct arena *a,
			   const struct cancel *cancel)
{
	const struct flow *fl = p->w->of;
	uint64_t vertices = 0, edges = 0;
	uint32_t ways;

	p->first = NEED_ARRAY(a, uint32_t, (size_t)fl->in.functions + 1);
	p->pair = NEED_ARRAY(a, const double *, (size_t)fl->in.functions + 1);
	for (uint32_t f = 0; f < fl->in.functions; f++) {
		if (f % POLL == 0)
			need_time(cancel);
		p->first[f] = (uint32_t)vertices;
		if (left_out(p, f))
			continue;
		pairs_of(fl, f, &p->pair[f]);
		ways = p->pair[f] ? pairs_in(fl, f) + 1 : 1;
		vertices += ways;
		edges += (uint64_t)ways * calls_within(p, f);
		if (vertices >= UINT32_MAX || edges >= UINT32_MAX)
			need_fail(ERR_LIMIT, "too many calls to follow");
	}
	p->first[fl->in.functions] = p->vertices = (uint32_t)vertices;
	p->edges = (uint32_t)edges;
}

static void part_arrays(struct parting *p, struct arena *a)
{
	const size_t n = (size_t)p->vertices + 2, m = (size_t)p->edges + 1;

	p->fn = NEED_ARRAY(a, uint32_t, n);
	p->out_first = NEED_ARRAY(a, uint32_t, n);
	p->in_first = NEED_ARRAY(a, uint32_t, n);
	p->cycle = NEED_ARRAY(a, uint32_t, n);
	p->topo = NEED_ARRAY(a, uint32_t, n);
	p->self = NEED_ARRAY(a, int64_t, n);
	p->passing = NEED_ARRAY(a, int64_t, n);
	p->through = NEED_ARRAY(a, double, n);
	p->root = NEED_ARRAY(a, double, n);
	p->odd = NEED_ARRAY(a, uint8_t, n);
	p->edge = NEED_ARRAY(a, uint32_t, m);
	p->callee = NEED_ARRAY(a, uint32_t, m);
	p->caller = NEED_ARRAY(a, uint32_t, m);
	p->in_edge = NEED_ARRAY(a, uint32_t, m);
	p->incl = NEED_ARRAY(a, int64_t, m);
}

/* A cost that is almost nothing stays something. */
static int64_t scaled(const struct parting *p, double cost, bool some)
{
	const int64_t n = llround(cost * p->w->scale);

	return some && n < 1 ? 1 : n;
}

/* Add vertex v of f: the costs of row[] or, if it is NULL, those of the flow. */
static void add_vertex(struct parting *p, uint32_t v, uint32_t f, const double *row,
		       uint32_t *e)
{
	const struct flow *fl = p->w->of;
	const uint32_t first = fl->in.out_first[f], n = pairs_out(fl, f) - 1;
	bool comes = !row;
	double through;

	for (uint32_t k = 0; k <= n && !comes; k++)
		comes = row[k] > 0;
	p->fn[v] = f;
	p->cycle[v] = fl->in.cycle[f];
	p->out_first[v] = *e;
	p->self[v] = scaled(p, row ? row[n] : (double)fl->in.self[f], false);
	through = (double)p->self[v];
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t to = fl->in.callee[first + k];
		const double cost = flow_cost(fl, first + k);
		const int64_t incl = scaled(p, row ? row[k] : cost, comes && cost > 0);

		through += (double)incl;
		if (left_out(p, to))
			continue;
		p->incl[*e] = incl;
		p->edge[*e] = first + k;
		p->caller[*e] = v;
		p->callee[*e] =
			p->first[to] + (p->pair[to] ? pairs_way_in(fl, first + k) : 0);
		p->in_first[p->callee[*e] + 2]++;
		++*e;
	}
	p->through[v] = through;
	p->passing[v] = through >= 0x1p62 ? (int64_t)1 << 62 : (int64_t)through;
}

/* Callers first: what f calls itself with comes from each of its vertices, so it is last. */
static void order_vertices(struct parting *p, uint32_t f, uint32_t *at)
{
	const struct flow_input *in = &p->w->of->in;
	uint32_t again = UINT32_MAX;

	for (uint32_t i = in->in_first[f]; p->pair[f] && i < in->in_first[f + 1]; i++)
		if (in->caller[in->in_edge[i]] == f)
			again = p->first[f] + pairs_way_in(p->w->of, in->in_edge[i]);
	for (uint32_t v = p->first[f]; v < p->first[f + 1]; v++)
		if (v != again)
			p->topo[(*at)++] = v;
	if (again != UINT32_MAX)
		p->topo[(*at)++] = again;
}

static void add_vertices(struct parting *p)
{
	const struct flow *fl = p->w->of;
	uint32_t e = 0, at = 0;

	for (uint32_t f = 0; f < fl->in.functions; f++) {
		const uint32_t ways = pairs_in(fl, f);
		uint32_t root = p->first[f];

		if (left_out(p, f))
			continue;
		for (uint32_t i = 0; p->pair[f] && i < ways; i++)
			add_vertex(p, root + i, f,
				   &p->pair[f][(size_t)i * pairs_out(fl, f)], &e);
		add_vertex(p, p->first[f + 1] - 1, f, NULL, &e);
		root += p->pair[f] ? ways - 1 : 0;
		p->root[root] = fl->root[f] * p->w->scale;
	}
	p->out_first[p->vertices] = e;
	for (uint32_t v = 1; v < p->vertices; v++)
		p->in_first[v + 1] += p->in_first[v];
	for (uint32_t i = 0; i < e; i++)
		p->in_edge[p->in_first[p->callee[i] + 1]++] = i;
	for (uint32_t k = 0; k < fl->in.functions; k++)
		order_vertices(p, fl->in.topo[k], &at);
}

static double find_scale(const struct flow *fl)
{
	double most = 1;
	int bits;

	for (uint32_t f = 0; f < fl->in.functions; f++)
		most = fmax(most, fl->through[f]);
	frexp(most, &bits);
	return bits < BITS ? ldexp(1, BITS - bits) : 1;
}

void way_flow_new(const struct flow *fl, const uint8_t *within, struct arena *a,
		  const struct cancel *cancel, struct way_flow **out)
{
	struct parting p = {.within = within};

	*out = NULL;
	if (!fl->pairs)
		return;
	p.w = NEED_NEW(a, struct way_flow);
	p.w->of = fl;
	p.w->scale = find_scale(fl);
	count_vertices(&p, a, cancel);
	part_arrays(&p, a);
	add_vertices(&p);
	p.w->fn = p.fn;
	p.w->first = p.first;
	p.w->edge = p.edge;
	p.w->flow = (struct flow){.in = {.functions = p.vertices,
					 .edges = p.edges,
					 .out_first = p.out_first,
					 .callee = p.callee,
					 .incl = p.incl,
					 .self = p.self,
					 .cycle = p.cycle,
					 .topo = p.topo,
					 .caller = p.caller,
					 .in_first = p.in_first,
					 .in_edge = p.in_edge},
				  .through = p.through,
				  .root = p.root,
				  .passing = p.passing,
				  .odd = p.odd};
	*out = p.w;
}

void way_flow_set(const struct way_flow *w, const struct fn_set *set, struct arena *a,
		  const struct fn_set **out)
{
	struct fn_set *to = set ? fnset_new(a, w->flow.in.functions) : NULL;

	*out = to;
	for (uint32_t f = set ? fnset_next(set, 0) : FNSET_NONE; f != FNSET_NONE;
	     f = fnset_next(set, f + 1))
		for (uint32_t v = w->first[f]; v < w->first[f + 1] - way_flow_split(w, f);
		     v++)
			fnset_add(to, v);
}
