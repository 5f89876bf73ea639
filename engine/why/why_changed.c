/*
 * why_changed.c - leave out of the model what is the same on both sides; see why.h.
 *
 * Two builds of a large program differ in a few functions, and in the costs of the calls
 * that lead to them.  A function that has the same calls, callees and costs on both sides
 * explains nothing.  So the model has the functions that changed, and those that they call,
 * without the calls of these.
 *
 *	main -> a -> b (changed)	model: main -> a -> b, a -> c
 *	        a -> c -> d		d is left out; the cost of c is all that is in it
 *	main -> e -> b			e is left out: b is called from outside
 *
 * A cycle is left out as a whole or not at all.
 */
#include "engine/why/why_in.h"

#include "engine/compare/vs.h"
#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "index/base/need.h"
#include "index/base/err_struct.h"

/* CALLED: the same, by one that changed; CALLER: of a function of `under` */
enum state { SAME, CALLED, CHANGED, CALLER };

/* Edges of a side that were read together. */
enum { CALLS = 4096 };
struct calls_read {
	uint32_t first, n;
	uint32_t callee[CALLS];
	uint64_t calls[CALLS];
	int64_t cost[CALLS];
};

struct changes {
	struct why *w;
	struct calls_read *calls; /* [SIDES] */
	struct exec *x;
	uint8_t *state;	 /* [n] */
	double *uneven;	 /* [n]: calls of it, here less base */
	bool *in[SIDES]; /* [cycles + 1]: the cycle has a member that is not SAME */
	bool *reached;	 /* [n]: by calls from functions of `under` */
	uint32_t *todo;	 /* reached, but not their callees */
	size_t ntodo;
};

/* Read edges from i on: many if they follow those that were read, as for callers in order. */
static void read_calls(const struct why *w, unsigned side, struct calls_read *c,
		       uint32_t i)
{
	const struct graph *g = w->g[side];
	const uint32_t more = i == c->first + c->n ? 2 * c->n : 0;

	c->first = i;
	c->n = more > CALLS ? CALLS : more < 16 ? 16 : more;
	c->n = c->n < g->edges - i ? c->n : g->edges - i;
	if (!g->plain) {
		for (uint32_t k = 0; k < c->n; k++) {
			c->callee[k] = graph_edge_callee(g, i + k);
			c->calls[k] = graph_edge_calls(g, i + k);
			c->cost[k] = graph_edge_incl(g, i + k, w->event[side]);
		}
		return;
	}
	store_read_u32(g->st, TABLE_EDGE_CALLEE, NULL, i, c->n, c->callee);
	store_read_u64(g->st, TABLE_EDGE_CALLS, NULL, i, c->n, c->calls);
	store_read_costs(g->st, TABLE_EDGE_INCL, w->event[side], NULL, i, c->n, c->cost);
}

/* Where edge i of a side is in what was read. */
static uint32_t call_at(const struct why *w, unsigned side, struct calls_read *c,
			uint32_t i)
{
	if (i - c->first >= c->n)
		read_calls(w, side, c, i);
	return i - c->first;
}

/* Vertices have the numbers of the first side still: only those of the other are looked up. */
static bool same_calls(struct changes *c, uint32_t f)
{
	const struct why *w = c->w;
	const unsigned one = w->first, two = !one;
	struct calls_read *a = &c->calls[one], *b = &c->calls[two];
	uint32_t i, j, n, m;

	graph_callees(w->g[one], w->fn[one][f], &i, &n);
	graph_callees(w->g[two], w->fn[two][f], &j, &m);
	if (n != m)
		return false;
	for (m += j; j < m; i++, j++) {
		const uint32_t p = call_at(w, one, a, i), q = call_at(w, two, b, j);

		if (b->callee[q] >= w->g[two]->functions ||
		    a->callee[p] != w->of[two][b->callee[q]] ||
		    a->calls[p] != b->calls[q] || a->cost[p] != b->cost[q])
			return false;
	}
	return true;
}

double why_edge_calls(const struct why *w, unsigned side, uint32_t edge)
{
	const uint64_t calls = graph_edge_calls(w->g[side], edge);

	return calls ? (double)calls : 1;
}

double why_edge_cost(const struct why *w, unsigned side, uint32_t edge)
{
	return (double)graph_edge_incl(w->g[side], edge, w->event[side]);
}

static bool is_same(struct changes *c, uint32_t f)
{
	const struct why *w = c->w;

	return w->fn[BASE][f] != WHY_NONE && w->fn[HERE][f] != WHY_NONE &&
	       graph_self(w->g[BASE], w->fn[BASE][f], w->event[BASE]) ==
		       graph_self(w->g[HERE], w->fn[HERE][f], w->event[HERE]) &&
	       same_calls(c, f);
}

/* each() for the callees of f on its sides. */
static void callees(struct changes *c, uint32_t f,
		    void (*each)(struct changes *c, unsigned side, uint32_t edge,
				 uint32_t to))
{
	const struct why *w = c->w;

	for (unsigned s = 0; s < SIDES; s++) {
		uint32_t first, n;

		if (w->fn[s][f] == WHY_NONE)
			continue;
		graph_callees(w->g[s], w->fn[s][f], &first, &n);
		for (uint32_t e = first; e < first + n; e++)
			each(c, s, e, w->of[s][graph_edge_callee(w->g[s], e)]);
	}
}

static void count_uneven(struct changes *c, unsigned side, uint32_t edge, uint32_t to)
{
	c->uneven[to] += (side == HERE ? 1 : -1) * why_edge_calls(c->w, side, edge);
}

static void mark_called(struct changes *c, unsigned side, uint32_t edge, uint32_t to)
{
	(void)side;
	(void)edge;
	if (c->state[to] == SAME)
		c->state[to] = CALLED;
}

/* A function that is called more often has less self cost a call. */
static void find_changed(struct changes *c)
{
	const struct why *w = c->w;

	for (uint32_t f = 0; f < w->root; f++) {
		if (!is_same(c, f) && !why_is_library(w, f)) {
			c->state[f] = CHANGED;
			callees(c, f, count_uneven);
		}
		exec_poll(c->x);
	}
	for (uint32_t f = 0; f < w->root; f++)
		if (c->uneven[f] != 0 && !why_is_library(w, f))
			c->state[f] = CHANGED;
}

/* Whether f is in a marked cycle; `mark` it if so said. */
static bool in_cycle(const struct changes *c, uint32_t f, bool mark)
{
	const struct why *w = c->w;
	bool marked = false;

	for (unsigned s = 0; s < SIDES && !why_is_library(w, f); s++) {
		const uint32_t cycle =
			w->fn[s][f] == WHY_NONE ? 0 : graph_cycle(w->g[s], w->fn[s][f]);

		if (cycle && mark)
			c->in[s][cycle] = true;
		marked |= c->in[s][cycle];
	}
	return marked;
}

static void widen(struct changes *c)
{
	const struct why *w = c->w;

	for (bool more = true; more;) {
		more = false;
		for (uint32_t f = 0; f < w->root; f++)
			if (c->state[f] == CHANGED)
				callees(c, f, mark_called);
		for (uint32_t f = 0; f < w->root; f++)
			if (c->state[f] != SAME)
				in_cycle(c, f, true);
		for (uint32_t f = 0; f < w->root; f++)
			if (c->state[f] != CHANGED && in_cycle(c, f, false)) {
				c->state[f] = CHANGED;
				more = true;
			}
		exec_poll_now(c->x);
	}
}

static void reach(struct changes *c, uint32_t f)
{
	if (!c->reached[f])
		c->todo[c->ntodo++] = f;
	c->reached[f] = true;
}

static void reach_callee(struct changes *c, unsigned side, uint32_t edge, uint32_t to)
{
	(void)side;
	(void)edge;
	reach(c, to);
}

/* Leave out what the functions of `under` do not lead to. */
static void keep_under(struct changes *c, struct arena *scratch)
{
	const struct why *w = c->w;

	c->reached = ARENA_ARRAY(scratch, bool, w->n);
	c->todo = ARENA_ARRAY(scratch, uint32_t, w->n);
	if (!c->reached || !c->todo)
		need_memory(scratch);
	for (uint32_t f = 0; f < w->root; f++)
		if (why_in_set(w, w->under, f))
			reach(c, f);
	while (c->ntodo)
		callees(c, c->todo[--c->ntodo], reach_callee);
	for (uint32_t f = 0; f < w->root; f++)
		c->state[f] = c->reached[f] ? c->state[f] : SAME;
	for (unsigned s = 0; s < SIDES; s++)
		for (uint32_t f = fnset_next(w->under[s], 0); f != FNSET_NONE;
		     f = fnset_next(w->under[s], f + 1))
			for (uint32_t i = 0; i < graph_caller_count(w->g[s], f); i++) {
				const uint32_t e = graph_caller(w->g[s], f, i),
					       g = w->of[s]
							[graph_edge_caller(w->g[s], e)];

				c->state[g] = c->reached[g] ? c->state[g] : CALLER;
			}
	exec_poll_now(c->x);
}

/* Number anew what is kept. */
static void renumber(struct changes *c)
{
	struct why *w = c->w;
	uint32_t *now = EXEC_ARRAY(c->x, uint32_t, w->n);
	uint32_t n = 0;

	w->closed = EXEC_ARRAY(c->x, bool, w->n);
	w->caller = EXEC_ARRAY(c->x, bool, w->n);
	for (uint32_t f = 0; f < w->root; f++) {
		now[f] = c->state[f] == SAME ? WHY_NONE : n;
		if (c->state[f] == SAME)
			continue;
		w->caller[n] = c->state[f] == CALLER;
		w->closed[n] = c->state[f] == CALLED || w->caller[n];
		for (unsigned s = 0; s < SIDES; s++)
			w->fn[s][n] = w->fn[s][f];
		n++;
	}
	for (unsigned s = 0; s < SIDES; s++) {
		for (uint32_t f = 0; f < w->g[s]->functions; f++)
			w->of[s][f] = now[w->of[s][f]];
		w->fn[s][n] = WHY_NONE;
	}
	w->root = n;
	w->n = n + 1;
}

bool why_paired(const struct why *w, uint32_t f)
{
	const unsigned s = w->fn[HERE][f] != WHY_NONE ? HERE : BASE;

	return (w->fn[HERE][f] != WHY_NONE && w->fn[BASE][f] != WHY_NONE) ||
	       vs_paired(w->vs, s == BASE, graph_origin(w->g[s], w->fn[s][f]));
}

void why_changed(struct why *w)
{
	struct changes c = {.w = w, .x = w->run[HERE]};
	struct arena *scratch = need_scratch(c.x->a);

	c.state = NEED_ARRAY(scratch, uint8_t, w->n);
	c.uneven = NEED_ARRAY(scratch, double, w->n);
	c.calls = NEED_ARRAY(scratch, struct calls_read, SIDES);
	for (unsigned s = 0; s < SIDES; s++)
		c.in[s] = NEED_ARRAY(scratch, bool, (size_t)w->g[s]->cycles + 1);
	why_libraries(w, scratch);
	find_changed(&c);
	widen(&c);
	if (w->under[HERE])
		keep_under(&c, scratch);
	renumber(&c);
	scratch_free(scratch);
}

/* ---- what is known of the rest ---- */

double why_inside(const struct why *w, unsigned side, uint32_t f)
{
	const struct graph *g = w->g[side];
	const uint32_t fn = w->fn[side][f];
	double sum = (double)graph_self(g, fn, w->event[side]);
	uint32_t first, n;

	if (why_is_library(w, f))
		return why_library_cost(w, side, fn);
	graph_callees(g, fn, &first, &n);
	for (uint32_t e = first; w->closed[f] && e < first + n; e++)
		if (graph_edge_callee(g, e) != fn)
			sum += why_edge_cost(w, side, e);
	return sum;
}

/* The edge of the root for calls by g, which is 0 unless it is told. */
static struct why_edge *outside_of(struct why *w, uint32_t f, uint32_t g,
				   struct why_edge **out, size_t *cap, size_t first,
				   size_t *n)
{
	for (size_t i = first; i < *n; i++)
		if ((*out)[i].caller == g)
			return &(*out)[i];
	exec_grow(w->run[HERE], out, cap, *n, *n + 1, sizeof(**out));
	(*out)[*n] = (struct why_edge){.from = w->root,
				       .to = f,
				       .caller = g,
				       .site = (uint32_t)(*n - first) + 1};
	return &(*out)[(*n)++];
}

void why_from_outside(struct why *w, uint32_t f, struct why_edge **out, size_t *cap,
		      size_t *n)
{
	const size_t first = *n;

	for (unsigned s = 0; s < SIDES; s++) {
		const struct graph *g = w->g[s];
		const uint32_t fn = w->fn[s][f],
			       callers = fn == WHY_NONE ? 0 : graph_caller_count(g, fn);

		for (uint32_t i = 0; i < callers; i++) {
			const uint32_t e = graph_caller(g, fn, i);
			const uint32_t from = graph_edge_caller(g, e),
				       caller = w->of[s][from];
			const bool told = caller != WHY_NONE && w->caller[caller];
			struct why_edge *to;

			if (from == fn || (caller != WHY_NONE && !w->closed[caller]) ||
			    (w->library && w->library[w->same[s][from]]))
				continue;
			to = outside_of(w, f, told ? caller + 1 : 0, out, cap, first, n);
			to->calls[s] += why_edge_calls(w, s, e);
			to->cost[s] += why_edge_cost(w, s, e);
		}
	}
	exec_poll(w->run[HERE]);
}
