/*
 * graph_cycles.c - see graph_cycles.h.
 *
 * The calls of a cycle are added to an empty graph, the costliest first.  A call that
 * would close a circle is left out.  The calls left out are the ones to cut: not an
 * optimum, but none of them is superfluous.  The graph is kept in topological order as it
 * grows (Pearce and Kelly, JEA 11, 2006): only if a call points backwards are the
 * functions between its ends searched.
 *
 *	calls by cost	a -> b 90   b -> c 80   c -> a 50   c -> b 10
 *	order a b c	added       added       closes      closes: to cut are c -> a, c -> b
 */
#include "engine/graph/graph_cycles.h"

#include <stdlib.h>

#include "engine/graph/graph_build.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

/* Calls, of all cycles of one question: each search may look at most calls of its cycle. */
enum { MOST_LOOKED_AT = 3000000 };

struct inside {			 /* a call inside a cycle */
	uint32_t edge, from, to; /* members, by their place in the cycle */
	int64_t cost;
	uint32_t next_out, next_in; /* next call with the same caller, callee: 1 + its
				       index; 0: none */
};

struct cycle_growing {
	struct graph *g;
	struct arena *a;
	struct inside *calls;
	uint32_t *place; /* [functions]: the index of a member in its cycle */
	/* [members]: */
	uint32_t *order;		/* position in the topological order */
	uint32_t *first_out, *first_in; /* 1 + the index of a call in the graph; 0:
					   none */
	uint32_t *todo, *ahead, *behind, *positions;
	uint8_t *met;
	uint64_t looked;
};

static int inside_by_cost(const void *x, const void *y)
{
	const struct inside *a = x, *b = y;
	const int c = cost_order(b->cost, a->cost);

	return c ? c : order_u64(a->edge, b->edge);
}

/* Find the members that v leads to (forward), or that lead to v, between the positions
 * of the ends of the new call, and put them in found[].  True if `end` is one of them. */
static bool find_between(struct cycle_growing *w, uint32_t v, uint32_t end, bool forward,
			 uint32_t *found, uint32_t *n)
{
	uint32_t todo = 0, limit = w->order[end];

	*n = 0;
	w->todo[todo++] = v;
	w->met[v] = 1;
	while (todo) {
		uint32_t u = w->todo[--todo];
		uint32_t at = forward ? w->first_out[u] : w->first_in[u];

		found[(*n)++] = u;
		for (; at; at = forward ? w->calls[at - 1].next_out
					: w->calls[at - 1].next_in) {
			uint32_t to =
				forward ? w->calls[at - 1].to : w->calls[at - 1].from;

			w->looked++;
			if (to == end) {
				while (todo) /* unmark the members found */
					found[(*n)++] = w->todo[--todo];
				return true;
			}
			if (w->met[to] ||
			    (forward ? w->order[to] > limit : w->order[to] < limit))
				continue;
			w->met[to] = 1;
			w->todo[todo++] = to;
		}
	}
	return false;
}

static void unmark_found(struct cycle_growing *w, const uint32_t *found, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		w->met[found[i]] = 0;
}

/* Sort members by their positions. */
static void sort_by_order(const struct cycle_growing *w, uint32_t *member, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) { /* few, and nearly sorted */
		uint32_t v = member[i], k = i;

		for (; k > 0 && w->order[member[k - 1]] > w->order[v]; k--)
			member[k] = member[k - 1];
		member[k] = v;
	}
}

/*
 * Share out their positions again: first to the members that lead to the new call,
 * then to those that it leads to.
 *
 *	order	to x y from	the new call goes from -> to, backwards; to leads to x,
 *	after	y from to x	y leads to from: no call points backwards any more
 */
static void reorder(struct cycle_growing *w, uint32_t nbehind, uint32_t nahead)
{
	uint32_t n = 0;

	sort_by_order(w, w->behind, nbehind);
	sort_by_order(w, w->ahead, nahead);
	for (uint32_t i = 0; i < nbehind; i++)
		w->positions[n++] = w->order[w->behind[i]];
	for (uint32_t i = 0; i < nahead; i++)
		w->positions[n++] = w->order[w->ahead[i]];
	qsort(w->positions, n, sizeof(*w->positions), compare_u32);
	for (uint32_t i = 0; i < nbehind; i++)
		w->order[w->behind[i]] = w->positions[i];
	for (uint32_t i = 0; i < nahead; i++)
		w->order[w->ahead[i]] = w->positions[nbehind + i];
}

/* Add call i unless it closes a circle. */
static bool add_call(struct cycle_growing *w, uint32_t i)
{
	struct inside *c = &w->calls[i];
	uint32_t nahead, nbehind;

	if (w->order[c->from] > w->order[c->to]) {
		bool closes = find_between(w, c->to, c->from, true, w->ahead, &nahead);

		unmark_found(w, w->ahead, nahead);
		if (closes)
			return false;
		find_between(w, c->from, c->to, false, w->behind, &nbehind);
		unmark_found(w, w->behind, nbehind);
		reorder(w, nbehind, nahead);
	}
	c->next_out = w->first_out[c->from];
	c->next_in = w->first_in[c->to];
	w->first_out[c->from] = w->first_in[c->to] = i + 1;
	return true;
}

/* Find the calls to cut in one cycle of n calls, the costliest first. */
static void open_cycle(struct cycle_growing *w, struct graph_cycle *c, uint32_t n)
{
	for (uint32_t i = 0; i < c->functions; i++) {
		w->order[i] = i;
		w->first_out[i] = w->first_in[i] = 0;
	}
	c->opening = NEED_ARRAY(w->a, uint32_t, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		if (w->looked > MOST_LOOKED_AT) {
			c->nopening = CYCLE_UNKNOWN;
			return;
		}
		graph_poll(w->g, i);
		if (add_call(w, i))
			continue;
		c->opening[c->nopening++] = w->calls[i].edge;
		cost_add(&c->opening_cost, w->calls[i].cost);
	}
}

/* Count the members and entries of each cycle, and number its members. */
static void count_members(struct graph *g, uint32_t e, struct graph_cycle *c,
			  uint32_t *place, struct arena *a)
{
	int64_t *best = NEED_ARRAY(a, int64_t, (size_t)g->cycles + 1);

	for (uint32_t f = 0; f < g->functions; f++) {
		uint32_t k = graph_cycle(g, f);
		int64_t in = 0;
		bool entry = false;

		if (!k)
			continue;
		k--;
		place[f] = c[k].functions++;
		for (uint32_t i = 0, n = graph_caller_count(g, f); i < n; i++) {
			struct store_edge x;
			uint32_t id = graph_caller(g, f, i);

			graph_edge(g, id, &x);
			if (x.in_cycle)
				continue;
			entry = true;
			cost_add(&in, graph_edge_incl(g, id, e));
		}
		c[k].entries += entry;
		if (place[f] == 0 || in > best[k]) {
			best[k] = in;
			c[k].entry = f;
		}
		graph_poll(g, f);
	}
}

/* List the calls inside cycles: those of cycle k from first[k - 1] on. */
static void list_calls(struct cycle_growing *w, uint32_t e, struct graph_cycle *c,
		       uint32_t **first)
{
	struct graph *g = w->g;
	uint32_t *at = NEED_ARRAY(w->a, uint32_t, (size_t)g->cycles + 2);
	struct store_edge x;
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->edges; i++) {
		graph_edge(g, i, &x);
		if (x.in_cycle && !x.recursive) {
			at[graph_cycle(g, x.caller) + 1]++;
			n++;
		}
		graph_poll(g, i);
	}
	for (uint32_t k = 1; k <= g->cycles; k++)
		at[k + 1] += at[k];
	w->calls = NEED_ARRAY(w->a, struct inside, (size_t)n + 1);
	for (uint32_t i = 0; i < g->edges; i++) {
		uint32_t k;

		graph_edge(g, i, &x);
		if (!x.in_cycle || x.recursive)
			continue;
		k = graph_cycle(g, x.caller);
		c[k - 1].calls++;
		w->calls[at[k]++] = (struct inside){.edge = i,
						    .from = w->place[x.caller],
						    .to = w->place[x.callee],
						    .cost = graph_edge_incl(g, i, e)};
	}
	/* at[k] has moved to the end of cycle k, where the next one begins. */
	*first = at;
}

static void allocate_growing(struct cycle_growing *w)
{
	struct arena *a = w->a;
	size_t n = (size_t)w->g->functions + 1;

	w->place = NEED_ARRAY(a, uint32_t, n);
	w->order = NEED_ARRAY(a, uint32_t, n);
	w->first_out = NEED_ARRAY(a, uint32_t, n);
	w->first_in = NEED_ARRAY(a, uint32_t, n);
	w->todo = NEED_ARRAY(a, uint32_t, n);
	w->ahead = NEED_ARRAY(a, uint32_t, n);
	w->behind = NEED_ARRAY(a, uint32_t, n);
	w->positions = NEED_ARRAY(a, uint32_t, n);
	w->met = NEED_ARRAY(a, uint8_t, n);
}

void graph_cycles(struct graph *g, uint32_t e, struct arena *a, struct graph_cycle **out)
{
	struct cycle_growing w = {.g = g, .a = a};
	struct graph_cycle *c = NEED_ARRAY(a, struct graph_cycle, (size_t)g->cycles + 1);
	uint32_t *first = NULL;

	*out = c;
	if (!g->cycles)
		return;
	allocate_growing(&w);
	count_members(g, e, c, w.place, a);
	list_calls(&w, e, c, &first);
	for (uint32_t k = 0; k < g->cycles; k++) {
		struct inside *all = w.calls;

		w.calls = all + first[k];
		qsort(w.calls, c[k].calls, sizeof(*w.calls), inside_by_cost);
		c[k].costliest = c[k].calls ? w.calls[0].edge : GRAPH_NONE;
		open_cycle(&w, &c[k], c[k].calls);
		w.calls = all;
	}
}
