/*
 * path_starts.c - where trees start: the members of a set, its calls, or the roots.
 *
 * A set of several functions counts as one: cost that enters it counts once, at its
 * outermost member on the stack or, for trees of callers, at its innermost one.  The
 * chain (chain.h) estimates how much that is at each member.  What the set calls in itself
 * is inside it, and nothing of it is a row.
 *
 *	stack main A x B y, set A B	calltree from (A, B)	starts at A: outermost
 *					calltree to (A, B)	starts at B: innermost
 *					callees of (A, B)	starts at A -> x: it leaves first
 *					callers of (A, B)	starts at x -> B: it enters last
 *
 * A function with levels of recursion is such a set, too: f'2 is entered by calls of f only
 * while f is on the stack, so cost enters at f.
 */
#include "engine/flow/chain.h"
#include "engine/names/fnset.h"
#include "engine/path/path_tree_in.h"
#include "index/base/need.h"
#include "index/base/cost.h"

static void add_start(struct arena *a, struct starts *s, size_t *cap, struct start x)
{
	tree_reserve(a, &s->all, cap, s->n, sizeof(*s->all));
	s->all[s->n++] = x;
}

/* Start at each member with the cost that enters it as the outermost (callers:
 * innermost) of the set, or at each root with the cost that no call brought. */
static void start_at_members(struct growing *g, const struct flow *fl, struct arena *a,
			     struct starts *s)
{
	bool program = g->q->of == TREE_PROGRAM;
	double *cost = NULL;
	uint8_t *met = NULL;
	size_t cap = 0;

	if (!program)
		chain_reaches(fl, g->in_set, NULL, g->q->up, &met, a);
	if (!program && !g->q->up)
		chain_first(fl, g->q->set, &cost, a, g->cancel);
	if (!program && g->q->up) {
		cost = NEED_ARRAY(a, double, (size_t)fl->in.functions + 1);
		for (uint32_t f = 0; f < fl->in.functions; f++)
			cost[f] = g->in_set[f];
		chain_expect(fl, g->in_set, NULL, cost, a, g->cancel);
	}
	for (uint32_t f = 0; f < fl->in.functions; f++) {
		struct start x = {.fn = f};

		if (!program && !g->in_set[f])
			continue;
		x.est = program	   ? fl->root[f]
			: g->q->up ? fl->through[f] * (1 - chain_ahead(fl, f, cost))
				   : cost[f];
		x.exact = program || !met[f];
		s->est += x.est > 0 ? x.est : 0;
		if (x.est > 0 && !g->avoided[f])
			add_start(a, s, &cap, x);
	}
}

/* Rows by function: outside the set, and inside it. */
struct crossing {
	uint32_t *row; /* [functions]: 1 + index of the start */
	struct arena *arena;
	size_t cap;
};

/* Add the call i, by which `est` crosses the edge of the set, to the row of its other end;
 * passed: cost of the top can take it. */
static void cross(struct growing *g, const struct flow *fl, struct crossing *x,
		  struct starts *s, uint32_t i, double est, bool passed)
{
	uint32_t to = tree_other_end(g, i);
	struct start *row;

	if (g->shown && fl != g->fl)
		g->shown[i] += est;
	if (g->avoided[to] || (g->counted && g->in_set[to]))
		return;
	if (!x->row[to]) {
		add_start(x->arena, s, &x->cap,
			  (struct start){.fn = to, .inner = g->in_set[to]});
		x->row[to] = s->n;
	}
	row = &s->all[x->row[to] - 1];
	row->est += est;
	cost_add(&row->incl, fl->in.incl[i]);
	if (passed)
		cost_add(&row->passed, fl->in.incl[i]);
	count_add(&row->calls,
		  fl->in.calls[i] || !g->q->uncounted ? fl->in.calls[i] : UINT64_MAX);
}

/* Mark the members that cost passes after it has entered the set, before it leaves it. */
static uint8_t *passed_members(const struct growing *g, const struct flow *fl,
			       struct arena *a)
{
	uint8_t *out = g->in_set;

	if (g->q->entry && !g->q->up)
		chain_with(fl, g->q->entry, g->in_set, false, &out, a);
	return out;
}

/* Start at the calls by which cost first leaves the set or, in a tree of callers, by
 * which it last entered it. */
static void start_at_calls(struct growing *g, const struct flow *fl, struct arena *a,
			   struct starts *s)
{
	uint32_t n = fl->in.functions;
	struct crossing x = {NEED_ARRAY(a, uint32_t, (size_t)n + 1), a, 0};
	uint8_t *outside = NEED_ARRAY(a, uint8_t, (size_t)n + 1), *back, *there;
	const uint8_t *passed = passed_members(g, fl, a);
	const struct fn_set *entry = g->q->entry ? g->q->entry : g->q->set;
	double *first, *cost = NEED_ARRAY(a, double, (size_t)n + 1);
	double leaves = 0;
	bool up = g->q->up, returns = false;

	chain_first(fl, entry, &first, a, g->cancel);
	chain_reaches(fl, g->in_set, NULL, true, &back, a);
	chain_reaches(fl, g->in_set, NULL, false, &there, a);
	for (uint32_t f = 0; f < n; f++) {
		const double enters = fnset_has(entry, f) ? first[f] : 0;

		outside[f] = !g->in_set[f];
		cost[f] = up ? (double)g->in_set[f] : enters;
		returns |= outside[f] && back[f] && there[f];
		s->est += enters;
	}
	if (up) {
		chain_expect(fl, g->in_set, NULL, cost, a, g->cancel);
		chain_expect(fl, outside, NULL, cost, a, g->cancel);
	} else {
		chain_spread(fl, outside, cost, a, g->cancel);
	}
	for (uint32_t f = 0; f < n; f++) {
		struct calls c = tree_calls(g, f);
		double own;

		if (!g->in_set[f])
			continue;
		own = up ? fl->root[f] * (1 - cost[f])
		      : fl->through[f] > 0
			      ? cost[f] * (double)fl->in.self[f] / fl->through[f]
			      : 0;
		s->own += own;
		if (g->shown && fl != g->fl)
			g->shown_own[f] += own;
		for (uint32_t k = c.first; k < c.end; k++) {
			uint32_t i = tree_edge(g, k);
			double est = up ? flow_cost(fl, i) * (1 - cost[f])
					: cost[f] * flow_share(fl, i, f);

			leaves += g->in_set[tree_other_end(g, i)] ? 0 : est;
			cross(g, fl, &x, s, i, est, passed[f]);
		}
	}
	s->exact = !returns;
	s->leaves = s->own + leaves;
	for (uint32_t k = 0; k < s->n; k++)
		s->all[k].exact = !returns;
}

/* The contexts of one function cost together what is known of it: the estimates of what leaves
 * them are scaled to that, so that rows add up to it. */
static void scale_starts(struct starts *s, double whole)
{
	const double by = s->leaves > 0 ? whole / s->leaves : 0;

	for (uint32_t k = 0; by > 0 && k < s->n; k++)
		s->all[k].est *= by;
	s->own *= by;
	s->est = whole;
}

void tree_starts(struct growing *g, const struct flow *fl, struct arena *a,
		 struct starts *s)
{
	double *incl;

	*s = (struct starts){0};
	if (g->one == FLOW_NONE) {
		if (g->q->of == TREE_CALLS)
			start_at_calls(g, fl, a, s);
		else
			start_at_members(g, fl, a, s);
		if (fl == g->fl && g->q->as_one && g->q->one.measured)
			scale_starts(s, g->q->one.est);
		return;
	}
	if (fl == g->fl) { /* known for the whole profile */
		s->est = g->q->one.est;
		return;
	}
	incl = NEED_ARRAY(a, double, (size_t)fl->in.functions + 1);
	path_outermost(fl, g->q->set, incl, a);
	s->est = incl[g->one];
}

/* Add a row for the call of the top by itself. */
void tree_add_own_call(struct growing *g)
{
	const struct flow_input *in = &g->fl->in;
	const uint32_t f = g->one;
	size_t cap = 0;

	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		if (in->callee[i] == f && g->q->of == TREE_CALLS && !g->avoided[f]) {
			add_start(g->arena, &g->starts, &cap,
				  (struct start){.fn = f,
						 .calls = in->calls[i],
						 .incl = in->incl[i],
						 .exact = true,
						 .inner = true});
			return;
		}
}

void tree_sum_top(struct growing *g)
{
	const struct flow *fl = g->fl;
	struct top *t = &g->top;
	int64_t inside = 0;
	const uint8_t *in;

	if (g->q->of != TREE_CALLS)
		return;
	in = passed_members(g, fl, g->arena);
	for (uint32_t f = fnset_next(g->q->set, 0); f != FNSET_NONE;
	     f = fnset_next(g->q->set, f + 1)) {
		if (!in[f])
			continue;
		t->odd |= fl->odd[f];
		cost_add(&t->passing, fl->passing[f]);
		cost_add(&t->own, g->q->up ? path_root(fl, f) : fl->in.self[f]);
		for (uint32_t i = fl->in.out_first[f]; i < fl->in.out_first[f + 1]; i++)
			if (in[fl->in.callee[i]])
				cost_add(&inside, fl->in.incl[i]);
	}
	if (inside <= t->passing)
		t->passing -= inside;
}
