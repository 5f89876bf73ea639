/*
 * graph_focus.c - focus and ignore: the cost that passes through a set, or the rest.
 *
 * Over the graph with its cycles condensed, per event:
 *	F(v)	share of v's cost that came through the set: 1 in the set, else
 *		sum over callers u of w(u,v) F(u) / I(v)
 *	U(v)	share of v's cost that will pass the set at or below v: 1 in the set, else
 *		sum over callees x of w(v,x) U(x) / I(v)
 *	self'(v) = F(v) self(v)		w'(u,v) = w(u,v) (F(u) + (1 - F(u)) U(v))
 * ignore is what focus leaves out.  Call counts stay those of the profile.
 */
#include <string.h>

#include "engine/graph_build.h"
#include "engine/graph_stage.h"
#include "index/cycles.h"

struct focus {
	const struct fn_set *set;
	bool ignore;
	uint32_t *map;	 /* below -> here */
	uint32_t *edge;	 /* here, of each draft edge */
	uint32_t *draft; /* edge below of each draft edge */
	uint32_t drafts;
	uint32_t *comp, *first, *topo; /* below, condensed; components callers first */
	uint32_t comps;
	uint8_t *in_set; /* [comps] */
};

static int condense(struct graph *b, struct focus *s, struct err *err)
{
	size_t n = (size_t)b->functions + 2;
	uint32_t *first = ARENA_ARRAY(b->a, uint32_t, n);
	uint32_t *callee = ARENA_ARRAY(b->a, uint32_t, (size_t)b->edges + 1);
	struct cycles c = {0};

	s->comp = ARENA_ARRAY(b->a, uint32_t, n);
	s->topo = ARENA_ARRAY(b->a, uint32_t, n);
	s->first = ARENA_ARRAY(b->a, uint32_t, n);
	s->in_set = ARENA_ARRAY(b->a, uint8_t, n);
	if (!first || !callee || !s->comp || !s->topo || !s->first || !s->in_set)
		return arena_full(b->a, err);
	for (uint32_t i = 0; i < b->edges; i++) {
		struct store_edge e;

		graph_edge(b, i, &e);
		callee[i] = e.callee;
		first[e.caller + 1]++;
	}
	for (uint32_t f = 0; f < b->functions; f++)
		first[f + 1] += first[f];
	if (cycles_find(b->functions, first, callee, &c))
		return err_set(err, ERR_LIMIT, 0, "out of memory");
	s->comps = (uint32_t)c.n;
	for (uint32_t f = 0; f < b->functions; f++) {
		s->comp[f] = c.component[f];
		s->topo[f] = c.topo[f];
		s->in_set[s->comp[f]] |= fnset_has(s->set, f);
	}
	for (uint32_t k = 0; k <= s->comps && c.first; k++)
		s->first[k] = c.first[k];
	cycles_free(&c);
	return 0;
}

/* Apply fn to the edges that leave component c. */
typedef void edge_step(void *arg, uint32_t edge, uint32_t from, uint32_t to);

static void each_out(struct graph *b, const struct focus *s, uint32_t c, edge_step *fn,
		     void *arg)
{
	for (uint32_t i = s->first[c]; i < s->first[c + 1]; i++) {
		uint32_t first, n;

		graph_callees(b, s->topo[i], &first, &n);
		for (uint32_t e = first; e < first + n; e++) {
			struct store_edge edge;

			graph_edge(b, e, &edge);
			if (s->comp[edge.callee] != c)
				fn(arg, e, c, s->comp[edge.callee]);
		}
	}
}

/* ---- which functions stay ---- */

struct reach {
	uint8_t *down, *up; /* below a kept component, above one; [comps] */
};

static void reach_down(void *arg, uint32_t e, uint32_t from, uint32_t to)
{
	struct reach *r = arg;

	(void)e;
	r->down[to] |= r->down[from];
}

static void reach_up(void *arg, uint32_t e, uint32_t from, uint32_t to)
{
	struct reach *r = arg;

	(void)e;
	r->up[from] |= r->up[to];
}

static void has_caller(void *arg, uint32_t e, uint32_t from, uint32_t to)
{
	(void)e, (void)from;
	((uint8_t *)arg)[to] = 1;
}

static int kept(struct graph *b, const struct focus *s, uint8_t **out, struct err *err)
{
	size_t n = (size_t)s->comps + 1;
	struct reach r = {ARENA_ARRAY(b->a, uint8_t, n), ARENA_ARRAY(b->a, uint8_t, n)};
	uint8_t *called = ARENA_ARRAY(b->a, uint8_t, n);
	uint8_t *keep = ARENA_ARRAY(b->a, uint8_t, (size_t)b->functions + 1);

	if (!r.down || !r.up || !called || !keep)
		return arena_full(b->a, err);
	for (uint32_t c = 0; c < s->comps; c++)
		each_out(b, s, c, has_caller, called);
	for (uint32_t c = 0; c < s->comps; c++) {
		if (s->ignore)
			r.down[c] = !s->in_set[c] && (r.down[c] || !called[c]);
		else
			r.down[c] |= s->in_set[c];
		each_out(b, s, c, reach_down, &r);
	}
	for (uint32_t c = s->comps; c > 0 && !s->ignore; c--) {
		r.up[c - 1] = s->in_set[c - 1];
		each_out(b, s, c - 1, reach_up, &r);
	}
	for (uint32_t f = 0; f < b->functions; f++)
		keep[f] = r.down[s->comp[f]] || r.up[s->comp[f]];
	*out = keep;
	return 0;
}

/* ---- costs ---- */

struct shares {
	struct graph *b;
	uint32_t e;
	double *in, *out, *f, *u; /* [comps]; f and u first hold sums of cost */
};

static void sum_flow(void *arg, uint32_t e, uint32_t from, uint32_t to)
{
	struct shares *s = arg;
	double w = (double)graph_edge_incl(s->b, e, s->e);

	s->in[to] += w;
	s->out[from] += w;
}

static void share_down(void *arg, uint32_t e, uint32_t from, uint32_t to)
{
	struct shares *s = arg;

	s->f[to] += s->f[from] * (double)graph_edge_incl(s->b, e, s->e);
}

static void share_up(void *arg, uint32_t e, uint32_t from, uint32_t to)
{
	struct shares *s = arg;

	s->u[from] += s->u[to] * (double)graph_edge_incl(s->b, e, s->e);
}

static double share_of(double part, double whole, bool in_set)
{
	if (in_set)
		return 1;
	return whole > 0 ? (part < whole ? part / whole : 1) : 0;
}

static int find_shares(const struct focus *s, struct shares *h, struct err *err)
{
	struct graph *b = h->b;
	size_t n = (size_t)s->comps + 1;

	h->in = ARENA_ARRAY(b->a, double, n);
	h->out = ARENA_ARRAY(b->a, double, n);
	h->f = ARENA_ARRAY(b->a, double, n);
	h->u = ARENA_ARRAY(b->a, double, n);
	if (!h->in || !h->out || !h->f || !h->u)
		return arena_full(b->a, err);
	for (uint32_t f = 0; f < b->functions; f++)
		h->out[s->comp[f]] += (double)graph_self(b, f, h->e);
	for (uint32_t c = 0; c < s->comps; c++) {
		each_out(b, s, c, sum_flow, h);
		if (graph_poll(b, c, err))
			return (int)err->kind;
	}
	for (uint32_t c = 0; c < s->comps; c++) {
		if (h->out[c] > h->in[c])
			h->in[c] = h->out[c];
		h->f[c] = share_of(h->f[c], h->in[c], s->in_set[c]);
		each_out(b, s, c, share_down, h);
	}
	for (uint32_t c = s->comps; c > 0; c--) {
		each_out(b, s, c - 1, share_up, h);
		h->u[c - 1] = share_of(h->u[c - 1], h->in[c - 1], s->in_set[c - 1]);
	}
	return 0;
}

/* Nothing is lost to rounding where the share is all or nothing. */
static uint64_t part_of(uint64_t cost, double share, bool ignore)
{
	uint64_t part = share >= 1 ? cost : graph_round(share * (double)cost);

	if (part > cost)
		part = cost;
	return ignore ? cost - part : part;
}

static int focus_fill(struct graph *g, uint32_t e, uint64_t *self, uint64_t *edge,
		      struct err *err)
{
	const struct focus *s = g->stage;
	struct shares h = {.b = g->below, .e = e};

	if (graph_event(h.b, e, err) || find_shares(s, &h, err))
		return (int)err->kind;
	for (uint32_t f = 0; f < h.b->functions; f++)
		if (s->map[f] != GRAPH_NONE)
			self[s->map[f]] = part_of(graph_self(h.b, f, e), h.f[s->comp[f]],
						  s->ignore);
	for (uint32_t i = 0; i < s->drafts; i++) {
		struct store_edge x;
		double fu, uv;

		graph_edge(h.b, s->draft[i], &x);
		fu = h.f[s->comp[x.caller]];
		uv = s->comp[x.caller] == s->comp[x.callee] ? 0 : h.u[s->comp[x.callee]];
		edge[s->edge[i]] = graph_add(edge[s->edge[i]],
					     part_of(graph_edge_incl(h.b, s->draft[i], e),
						     fu + (1 - fu) * uv, s->ignore));
	}
	return 0;
}

static int kept_edges(struct graph *b, struct graph_draft *d, struct focus *s,
		      struct err *err)
{
	size_t n = (size_t)b->edges + 1;

	d->caller = ARENA_ARRAY(b->a, uint32_t, n);
	d->callee = ARENA_ARRAY(b->a, uint32_t, n);
	d->calls = ARENA_ARRAY(b->a, uint64_t, n);
	s->draft = ARENA_ARRAY(b->a, uint32_t, n);
	if (!d->caller || !d->callee || !d->calls || !s->draft)
		return arena_full(b->a, err);
	for (uint32_t i = 0; i < b->edges; i++) {
		struct store_edge e;

		graph_edge(b, i, &e);
		if (d->map[e.caller] == GRAPH_NONE || d->map[e.callee] == GRAPH_NONE)
			continue;
		d->caller[d->edges] = d->map[e.caller];
		d->callee[d->edges] = d->map[e.callee];
		d->calls[d->edges] = e.calls;
		s->draft[d->edges++] = i;
	}
	s->drafts = d->edges;
	return 0;
}

int graph_focus(struct graph *g, const struct fn_set *set, bool ignore,
		struct graph **out, struct err *err)
{
	struct graph_draft d = {.below = g};
	struct focus *s = ARENA_NEW(g->a, struct focus);
	uint8_t *keep = NULL;

	if (!s)
		return arena_full(g->a, err);
	s->set = set;
	s->ignore = ignore;
	if (condense(g, s, err) || kept(g, s, &keep, err) ||
	    graph_number(&d, keep, err) || kept_edges(g, &d, s, err) ||
	    graph_build(&d, out, &s->edge, err))
		return (int)err->kind;
	s->map = d.map;
	(*out)->stage = s;
	(*out)->fill = focus_fill;
	(*out)->estimated = true;
	return 0;
}
