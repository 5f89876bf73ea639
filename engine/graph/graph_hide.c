/*
 * graph_hide.c - hide: functions vanish, their cost goes to their callers in proportion.
 *
 * For a visible u, x[h] is the cost that u sends into the hidden function h.  The share
 * x[h] / T(h) of h's self cost goes to u's self.  The same share of every edge h -> v
 * becomes an edge u -> v, or is added to x[v] if v is hidden, too.
 *	T(h) = max(calls in, self + calls out)
 * Functions are visited callers first, so one pass per u is enough, except in cycles of
 * hidden functions.  Such a cycle is swept until almost nothing turns back; the rest is
 * split like the cost that left last.  Call counts are shared in the same way, by counts; which
 * edges there are does not depend on them, as a recorded call may have a count of 0.
 *
 *	main --100--> malloc, self 40 --60--> brk	hide malloc: x[malloc] = T(malloc) = 100
 *	main has 40 more of its own		main --60--> brk
 *
 * Levels of recursion, f and f'2, are functions of their own here, and proportion may give them
 * more together than f costs.  Then others take some of their own cost, and give them calls
 * that cost as much, so that all sums stay.
 *
 * A closed function is hidden, and so is all that it calls: a call of it leads back to no
 * visible function, and its whole cost is the caller's.  No estimate is needed for it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/fnset.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/heap.h"
#include "index/base/order.h"
#include "index/graph/cycles.h"

enum {
	POLL = 256,    /* functions passed between two polls of cancel */
	SWEEPS = 1000, /* of one cycle, at most */
	FITS = 300,    /* passes over shares that are too much, at most */
};
#define ENOUGH 1e-9	  /* of the cost that entered the cycle */
#define LEAST_SHARE 1e-12 /* of what waits in a cycle, leaves it */
#define LEAST_MOVED 1e-3  /* units of cost from one share to others */

struct hide {
	uint32_t *map;	/* below -> here, GRAPH_NONE: hidden */
	uint32_t *up;	/* here -> below */
	uint32_t *comp; /* [functions below]: hidden component, callers first; or NONE */
	uint32_t comps;
	uint32_t *first, *member; /* members of component c: member[first[c] ..] */
	uint32_t *at;		  /* [functions below]: index of a hidden function in
				     member[] */
	uint32_t hidden;	  /* number of hidden functions */
	uint8_t *closed;	  /* [comps] */
	uint8_t *
		above; /* [functions below]: calls a hidden function that is not closed */
};

/* Weights of one event, or of call counts. */
struct weights {
	const struct flow_input *below;
	const uint64_t *calls; /* NULL: costs, */
	const int64_t *self, *edge;
	double *in; /* T(h), [hidden]; without the calls of h by itself */
	const struct cancel *cancel;
};

/* One walk shares out costs, or call counts. */
static double weight(const struct weights *w, uint32_t edge)
{
	return w->calls ? (double)w->calls[edge] : (double)w->edge[edge];
}

struct walk {
	double *x;		       /* [hidden]: cost that waits there */
	uint32_t *ring, ahead, behind; /* [hidden]: functions to visit */
	uint8_t *waits;		       /* [hidden] */
	uint32_t *heap, nheap;	       /* components to visit, smallest first */
	uint8_t *queued;
	double *to; /* [functions here]: cost of the new edge u -> v */
	uint32_t *touched, ntouched;
	uint8_t *seen;
	double self;
	uint32_t passed; /* functions passed, to poll every POLL */
};

/* The numbers of components are in topological order, callers first, so the smallest one
 * gets no more cost after it has been visited. */
static bool before(const struct walk *unused, const uint32_t *a, const uint32_t *b)
{
	(void)unused;
	return *a < *b;
}

HEAP(component, uint32_t, const struct walk *, before)

/* Is f hidden, and may its cost come to a visible function again? */
static bool is_open(const struct hide *h, uint32_t f)
{
	return h->comp[f] != GRAPH_NONE && !h->closed[h->comp[f]];
}

static void graph_hide_see(struct walk *k, uint32_t v)
{
	if (!k->seen[v]) {
		k->seen[v] = 1;
		k->touched[k->ntouched++] = v;
	}
}

/* Cost that u sends to a function: to a visible one it is that of the new edge, to a hidden one it
 * waits there, and of a closed one it is u's own. */
static void send_visible(struct walk *k, const struct hide *h, uint32_t to, double cost)
{
	uint32_t c = h->comp[to], v = h->map[to];

	if (c != GRAPH_NONE && h->closed[c]) {
		k->self += cost;
		return;
	}
	if (c != GRAPH_NONE) {
		k->x[h->at[to]] += cost;
		if (!k->queued[c]) {
			k->queued[c] = 1;
			component_push(k->heap, k->nheap++, c, k);
		}
		return;
	}
	k->to[v] += cost;
	graph_hide_see(k, v);
}

/* Hidden function f passes on the cost that waits there.  Returns how much of it left the
 * component. */
static double pass_hidden(struct walk *k, const struct hide *h, const struct weights *w,
			  uint32_t f)
{
	const struct flow_input *in = w->below;
	uint32_t at = h->at[f], c = h->comp[f];
	double x = k->x[at], share = w->in[at] > 0 ? x / w->in[at] : 0, stays = 0;

	k->x[at] = 0;
	if (w->self)
		k->self += share * (double)w->self[f];
	for (uint32_t e = in->out_first[f]; e < in->out_first[f + 1]; e++) {
		uint32_t callee = in->callee[e];
		double part = share * weight(w, e);

		if (callee == f)
			continue;
		if (h->comp[callee] != c) {
			send_visible(k, h, callee, part);
			continue;
		}
		k->x[h->at[callee]] += part;
		stays += part;
	}
	return x - stays;
}

/* Each member of component c passes on what waits there.  Returns how much left c. */
static double sweep(struct walk *k, const struct hide *h, const struct weights *w,
		    uint32_t c)
{
	double left = 0;

	for (uint32_t i = h->first[c]; i < h->first[c + 1]; i++) {
		if (k->x[i] > 0)
			left += pass_hidden(k, h, w, h->member[i]);
		if (k->passed++ % POLL == 0)
			need_time(w->cancel);
	}
	return left;
}

/* Pass on all cost that waits in component c.  What turns back in it after many sweeps
 * leaves as the last of them did; if nothing left, it is u's. */
static void visit(struct walk *k, const struct hide *h, const struct weights *w,
		  uint32_t c)
{
	const uint32_t first = h->first[c], end = h->first[c + 1];
	double waiting = 0, least, left, share = 1;

	k->queued[c] = 0;
	for (uint32_t i = first; i < end; i++)
		waiting += k->x[i];
	least = fmax(waiting * ENOUGH, 0.01);
	for (uint32_t n = 0; waiting > least && n < SWEEPS; n++) {
		left = sweep(k, h, w, c);
		share = left / waiting;
		waiting -= left;
	}
	for (uint32_t i = first; i < end; i++) {
		const bool leaves = share > LEAST_SHARE;

		if (w->self && !leaves)
			k->self += k->x[i];
		k->x[i] = leaves ? k->x[i] / share : 0;
	}
	sweep(k, h, w, c);
	memset(k->x + first, 0, (end - first) * sizeof(*k->x));
}

/* Visit all that u reaches through hidden functions; direct edges are not in k->to. */
static void walk_hidden(struct walk *k, const struct hide *h, const struct weights *w,
			uint32_t u)
{
	const struct flow_input *in = w->below;

	k->self = 0;
	k->ntouched = 0;
	for (uint32_t e = in->out_first[u]; e < in->out_first[u + 1]; e++)
		if (is_open(h, in->callee[e]))
			send_visible(k, h, in->callee[e], weight(w, e));
	while (k->nheap)
		visit(k, h, w, component_pop(k->heap, --k->nheap, k));
}

/* Visit the callees of f.  Hidden ones go to the ring, each once, but for closed ones, which lead
 * to no visible one; these are seen only if f is hidden. */
static void graph_hide_meet(struct walk *k, const struct hide *h,
			    const struct flow_input *in, uint32_t f)
{
	for (uint32_t e = in->out_first[f]; e < in->out_first[f + 1]; e++) {
		uint32_t to = in->callee[e];

		if (h->comp[to] == GRAPH_NONE) {
			if (h->comp[f] != GRAPH_NONE)
				graph_hide_see(k, h->map[to]);
		} else if (is_open(h, to) && !k->waits[h->at[to]]) {
			k->waits[h->at[to]] = 1;
			k->ring[k->ahead++] = to;
		}
	}
}

/* See all that u reaches through hidden functions, even what walk_hidden() missed: a call
 * that was open at a dump has cost and a count of 0, and one call of many may bring most of
 * the cost. */
static void reach(struct walk *k, const struct hide *h, const struct weights *w,
		  uint32_t u)
{
	k->ahead = 0;
	graph_hide_meet(k, h, w->below, u);
	for (k->behind = 0; k->behind < k->ahead; k->behind++) {
		graph_hide_meet(k, h, w->below, k->ring[k->behind]);
		if (k->passed++ % POLL == 0)
			need_time(w->cancel);
	}
	for (uint32_t i = 0; i < k->ahead; i++)
		k->waits[h->at[k->ring[i]]] = 0;
}

static void forget_walk(struct walk *k)
{
	for (uint32_t i = 0; i < k->ntouched; i++) {
		k->to[k->touched[i]] = 0;
		k->seen[k->touched[i]] = 0;
	}
}

/* All arrays are zeros between two walks: each walk clears what it has touched. */
static void new_walk(struct arena *a, const struct hide *h, uint32_t functions,
		     struct walk *k)
{
	size_t n = (size_t)functions + 1, c = (size_t)h->comps + 1;

	*k = (struct walk){0};
	k->x = NEED_ARRAY(a, double, (size_t)h->hidden + 1);
	k->ring = NEED_ARRAY(a, uint32_t, (size_t)h->hidden + 1);
	k->waits = NEED_ARRAY(a, uint8_t, (size_t)h->hidden + 1);
	k->heap = NEED_ARRAY(a, uint32_t, c);
	k->queued = NEED_ARRAY(a, uint8_t, c);
	k->to = NEED_ARRAY(a, double, n);
	k->touched = NEED_ARRAY(a, uint32_t, n);
	k->seen = NEED_ARRAY(a, uint8_t, n);
}

/* Compute T(h) of every hidden function that is not closed: no cost waits in those. */
static void flows(const struct hide *h, struct weights *w, struct arena *a)
{
	const struct flow_input *below = w->below;
	double *out = NEED_ARRAY(a, double, (size_t)h->hidden + 1);

	w->in = NEED_ARRAY(a, double, (size_t)h->hidden + 1);
	for (uint32_t at = 0; at < h->hidden; at++) {
		uint32_t f = h->member[at];

		if (at % POLL == 0)
			need_time(w->cancel);
		if (!is_open(h, f))
			continue;
		for (uint32_t k = below->in_first[f]; k < below->in_first[f + 1]; k++)
			if (below->caller[below->in_edge[k]] != f)
				w->in[at] += weight(w, below->in_edge[k]);
		for (uint32_t i = below->out_first[f];
		     w->self && i < below->out_first[f + 1]; i++)
			if (below->callee[i] != f)
				out[at] += weight(w, i);
	}
	for (uint32_t i = 0; i < h->hidden; i++) {
		if (w->self)
			out[i] += (double)w->self[h->member[i]];
		if (out[i] > w->in[i])
			w->in[i] = out[i];
	}
}

/* The calls from u to visible functions are exact, and so is the cost of those to closed
 * ones.  Both lists are in order of callee, and the list below is part of this one. */
static void add_direct(const struct graph *g, const struct hide *h,
		       const struct flow_input *below, uint32_t f, int64_t *self,
		       int64_t *edge)
{
	uint32_t u = h->up[f], i = g->shape.out_first[f];

	for (uint32_t x = below->out_first[u]; x < below->out_first[u + 1]; x++) {
		uint32_t to = h->map[below->callee[x]];

		if (to == GRAPH_NONE) {
			if (!is_open(h, below->callee[x]))
				cost_add(&self[f], below->incl[x]);
			continue;
		}
		while (g->shape.callee[i] != to)
			i++;
		cost_add(&edge[i], below->incl[x]);
	}
}

/* In a tree all cost of a hidden function goes to the visible one above, so it may be
 * negative. */
static void hide_tree(const struct graph *g, const struct flow_input *below,
		      struct arena *scratch, int64_t *self, int64_t *edge)
{
	const struct hide *h = g->stage;
	uint32_t *above = NEED_ARRAY(scratch, uint32_t, (size_t)below->functions + 1);

	for (uint32_t i = 0; i < below->functions; i++) {
		const uint32_t f = below->topo[i], k = below->in_first[f];
		const uint32_t in =
			k < below->in_first[f + 1] ? below->in_edge[k] : GRAPH_NONE;
		const uint32_t up =
			in == GRAPH_NONE ? GRAPH_NONE : above[below->caller[in]];
		const uint32_t here = h->map[f];

		above[f] = here == GRAPH_NONE ? up : here;
		if (above[f] != GRAPH_NONE)
			cost_add(&self[above[f]], below->self[f]);
		for (uint32_t e = up == GRAPH_NONE ? 0 : g->shape.out_first[up];
		     up != GRAPH_NONE && here != GRAPH_NONE &&
		     e < g->shape.out_first[up + 1];
		     e++)
			if (g->shape.callee[e] == here)
				edge[e] = below->incl[in];
	}
}

/* The whole units of `part` and of what rounding left of the parts before, at most `most`.  So
 * parts of a whole add up to it. */
static int64_t whole_units(double part, int64_t most, double *left)
{
	int64_t units = cost_round(part + *left);

	units = units < 0 ? 0 : units > most ? most : units;
	*left += part - (double)units;
	return units;
}

/* The cost that all calls bring to functions: no call through hidden ones costs more. */
static int64_t *all_into(const struct hide *h, const struct flow_input *in,
			 struct arena *scratch)
{
	int64_t *into = NEED_ARRAY(scratch, int64_t, (size_t)in->functions + 1);

	for (uint32_t e = 0; e < in->edges; e++)
		if (h->map[in->callee[e]] != GRAPH_NONE)
			cost_add(&into[h->map[in->callee[e]]], in->incl[e]);
	return into;
}

/* Shares that hiding gives to the visible functions: own cost, [functions], and calls, [edges].  Levels
 * of one function have one label, and its room: what their shares of own cost may be. */
struct shares {
	const struct graph *g;
	double *own, *call, *room;
	uint32_t *label; /* [functions] */
};

/* The cost that passes u, but for its calls of itself; it flows. */
static double passes(const struct flow_input *in, uint32_t u)
{
	double called = 0, spent = (double)in->self[u];

	for (uint32_t k = in->in_first[u]; k < in->in_first[u + 1]; k++)
		if (in->caller[in->in_edge[k]] != u)
			called += (double)in->incl[in->in_edge[k]];
	for (uint32_t i = in->out_first[u]; i < in->out_first[u + 1]; i++)
		if (in->callee[i] != u)
			spent += (double)in->incl[i];
	return fmax(called, spent);
}

/* All levels of a function cost together what passes the first, by which it is entered. */
static void find_rooms(const struct hide *h, const struct flow_input *below,
		       const int64_t *self, struct shares *s, struct arena *scratch)
{
	const struct graph *joined = s->g->joined;
	double *room = NEED_ARRAY(scratch, double, (size_t)below->functions + 1);

	s->label = NEED_ARRAY(scratch, uint32_t, (size_t)s->g->functions + 1);
	s->room = room;
	if (joined)
		graph_need_calls(joined);
	for (uint32_t u = 0; u < below->functions; u++)
		if (!joined || !joined->merge.again || !joined->merge.again[u])
			room[joined ? joined->merge.group[u] : u] += passes(below, u);
	for (uint32_t f = 0; f < s->g->functions; f++) {
		s->label[f] = joined ? joined->merge.group[h->up[f]] : h->up[f];
		room[s->label[f]] -= (double)self[f];
	}
}

/* Functions with room take own cost from f, and give it in turn calls of v that cost as
 * much: all sums stay.  Returns how much, at most `most`. */
static double exchange(struct shares *s, uint32_t f, uint32_t v, double most)
{
	const struct graph *g = s->g;
	double all = 0, moved = 0, part;

	for (uint32_t i = g->shape.in_first[v]; i < g->shape.in_first[v + 1]; i++) {
		const uint32_t e = g->shape.in_edge[i];

		if (s->room[s->label[g->shape.caller[e]]] > 0)
			all += s->call[e];
	}
	part = most < all ? most / all : 1;
	for (uint32_t i = g->shape.in_first[v]; all > 0 && i < g->shape.in_first[v + 1];
	     i++) {
		const uint32_t e = g->shape.in_edge[i], w = g->shape.caller[e];
		double *room = &s->room[s->label[w]];
		const double d = fmax(0, fmin(s->call[e] * part, *room));

		s->call[e] -= d;
		s->own[w] += d;
		*room -= d;
		moved += d;
	}
	s->own[f] -= moved;
	s->room[s->label[f]] += moved;
	return moved;
}

/* Move own shares of functions that have too much. */
static void fit_shares(struct shares *s)
{
	const struct graph *g = s->g;
	bool moves = true;

	for (uint32_t f = 0; f < g->functions; f++)
		s->room[s->label[f]] -= s->own[f];
	for (uint32_t n = 0; moves && n < FITS; n++) {
		moves = false;
		need_time(g->cancel);
		for (uint32_t f = 0; f < g->functions; f++)
			for (uint32_t i = g->shape.out_first[f];
			     i < g->shape.out_first[f + 1]; i++) {
				const double most =
					fmin(-s->room[s->label[f]], s->own[f]);
				double d = 0;

				if (most > LEAST_MOVED && s->call[i] > 0)
					d = exchange(s, f, g->shape.callee[i], most);
				s->call[i] += d;
				moves |= d > LEAST_MOVED;
			}
	}
	for (uint32_t f = 0; f < g->functions; f++)
		s->room[s->label[f]] += s->own[f];
}

/* Round own shares so that they add up, none above its room.  What of a share is not in self[]
 * stays; what rounding leaves goes to who has room. */
static void round_own(struct shares *s, int64_t *self)
{
	double left = 0;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t f = 0; f < s->g->functions; f++) {
			double *room = &s->room[s->label[f]];
			int64_t units;

			if (!s->own[f])
				continue;
			units = whole_units(pass ? 0 : s->own[f],
					    (int64_t)fmin(fmax(*room, 0), 9e18), &left);
			cost_add(&self[f], units);
			s->own[f] -= (double)units;
			*room -= (double)units;
		}
}

/* The columns of an event: for each visible function its own cost and calls as they were, then
 * those that come to it through hidden ones.  Own costs are rounded so that they add up to what
 * all spend, then the calls of a function so that with its own cost they are what they were. */
static void hide_fill(struct graph *g, uint32_t e, const struct flow_input *below,
		      struct arena *scratch, int64_t *self, int64_t *edge)
{
	const struct hide *h = g->stage;
	struct flow_input flowing = *below;
	struct weights w = {.below = &flowing, .cancel = g->cancel};
	const bool negative = flow_negative(below);
	struct shares s = {.g = g};
	struct walk k;
	int64_t *into;
	uint32_t n;

	(void)e;
	if (negative && flow_is_tree(below)) {
		hide_tree(g, below, scratch, self, edge);
		return;
	}
	if (negative)
		flow_without_negative(&flowing, &n, scratch);
	w.self = flowing.self;
	w.edge = flowing.incl;
	flows(h, &w, scratch);
	into = all_into(h, &flowing, scratch);
	new_walk(scratch, h, g->functions, &k);
	s.own = NEED_ARRAY(scratch, double, (size_t)g->functions + 1);
	s.call = NEED_ARRAY(scratch, double, (size_t)g->edges + 1);
	for (uint32_t f = 0; f < g->functions; f++) {
		graph_poll(g, f);
		self[f] = below->self[h->up[f]];
		add_direct(g, h, below, f, self, edge);
		if (!h->above[h->up[f]])
			continue;
		walk_hidden(&k, h, &w, h->up[f]);
		s.own[f] = k.self;
		for (uint32_t i = g->shape.out_first[f]; i < g->shape.out_first[f + 1];
		     i++)
			s.call[i] = k.to[g->shape.callee[i]];
		forget_walk(&k);
	}
	find_rooms(h, &flowing, self, &s, scratch);
	if (g->joined)
		fit_shares(&s);
	round_own(&s, self);
	for (uint32_t f = 0; f < g->functions; f++)
		for (uint32_t i = g->shape.out_first[f]; i < g->shape.out_first[f + 1];
		     i++)
			cost_add(&edge[i], whole_units(s.call[i],
						       into[g->shape.callee[i]] - edge[i],
						       &s.own[f]));
}

/* ---- structure ---- */

/* Find the components of the hidden functions alone: the graph of the calls between them is built
 * with numbers of its own, id[] and fn[]. */
static void components(struct graph *b, const struct flow_input *below,
		       const struct fn_set *set, struct hide *h)
{
	uint32_t n = fnset_count(set), m = 0, k = 0;
	uint32_t *id = NEED_ARRAY(b->a, uint32_t, (size_t)b->functions + 1);
	uint32_t *fn = NEED_ARRAY(b->a, uint32_t, (size_t)n + 1);
	uint32_t *first = NEED_ARRAY(b->a, uint32_t, (size_t)n + 2);
	uint32_t *callee = NULL;
	size_t edges = 0;
	struct cycles c = {0};

	h->comp = NEED_ARRAY(b->a, uint32_t, (size_t)b->functions + 1);
	h->member = NEED_ARRAY(b->a, uint32_t, (size_t)n + 1);
	h->at = NEED_ARRAY(b->a, uint32_t, (size_t)b->functions + 1);
	for (uint32_t f = 0; f < b->functions; f++) {
		h->comp[f] = GRAPH_NONE;
		if (fnset_has(set, f)) {
			fn[k] = f;
			id[f] = k++;
			edges += below->out_first[f + 1] - below->out_first[f];
		}
	}
	callee = NEED_ARRAY(b->a, uint32_t, edges + 1);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t e = below->out_first[fn[i]];
		     e < below->out_first[fn[i] + 1]; e++)
			if (fnset_has(set, below->callee[e]))
				callee[m++] = id[below->callee[e]];
		first[i + 1] = m;
	}
	h->first = NEED_ARRAY(b->a, uint32_t, (size_t)n + 1);
	if (cycles_find(n, first, callee, &c))
		need_memory_for(NULL);
	h->comps = (uint32_t)c.n;
	h->hidden = n;
	for (uint32_t i = 0; i < n; i++) {
		h->comp[fn[i]] = c.component[i];
		h->member[i] = fn[c.topo[i]];
		h->at[fn[c.topo[i]]] = i;
	}
	if (c.first)
		memcpy(h->first, c.first, (c.n + 1) * sizeof(*h->first));
	cycles_free(&c);
}

/* A component is closed if all its members call closed ones or each other.  Those that it
 * calls have higher numbers, so they are known when the numbers go down. */
static void find_closed(const struct flow_input *below, struct hide *h)
{
	for (uint32_t c = h->comps; c-- > 0;) {
		bool open = false;

		for (uint32_t i = h->first[c]; i < h->first[c + 1] && !open; i++) {
			const uint32_t f = h->member[i];

			for (uint32_t e = below->out_first[f];
			     e < below->out_first[f + 1]; e++) {
				const uint32_t to = h->comp[below->callee[e]];

				open |= to == GRAPH_NONE || (to != c && !h->closed[to]);
			}
		}
		h->closed[c] = !open;
	}
}

/* Mark the hidden functions that are closed, and the callers of the others. */
static void find_above(struct graph *b, const struct flow_input *below, struct hide *h)
{
	h->closed = NEED_ARRAY(b->a, uint8_t, (size_t)h->comps + 1);
	h->above = NEED_ARRAY(b->a, uint8_t, (size_t)b->functions + 1);
	find_closed(below, h);
	for (uint32_t e = 0; e < below->edges; e++)
		h->above[below->caller[e]] |= is_open(h, below->callee[e]);
}

/* The edges found so far: the first ones of the draft. */
struct edge_list {
	struct graph_draft *d;
	size_t cap;
};

/* Make room for n more edges. */
static void reserve_edges(struct edge_list *l, size_t n)
{
	struct graph_draft *d = l->d, old = *d;

	if (n <= l->cap - d->edges)
		return;
	if (n > UINT32_MAX - l->cap)
		need_fail(ERR_LIMIT, "hide makes too many calls");
	l->cap += n > l->cap / 2 ? n : l->cap / 2;
	graph_draft_edges(d, l->cap);
	if (old.edges) {
		memcpy(d->caller, old.caller, old.edges * sizeof(*d->caller));
		memcpy(d->callee, old.callee, old.edges * sizeof(*d->callee));
		memcpy(d->calls, old.calls, old.edges * sizeof(*d->calls));
	}
}

static void add_edge(struct graph_draft *d, uint32_t u, uint32_t v, uint64_t calls)
{
	d->caller[d->edges] = u;
	d->callee[d->edges] = v;
	d->calls[d->edges++] = calls;
}

/* Nobody counted how often inlined code was entered.  So that its calls go to its callers
 * when it is hidden, it counts as entered once for each of them. */
static const uint64_t *calls_to_share(const struct graph *b,
				      const struct flow_input *below,
				      struct arena *scratch)
{
	uint64_t *calls;

	if (!b->inlined.extra)
		return below->calls;
	calls = NEED_ARRAY(scratch, uint64_t, (size_t)below->edges + 1);
	memcpy(calls, below->calls, below->edges * sizeof(*calls));
	for (uint32_t f = b->functions; f-- > 0;) { /* inner code first */
		const uint32_t first = below->in_first[f], end = below->in_first[f + 1];
		uint64_t sum = 0;

		if (graph_calls_known(b, f))
			continue;
		for (uint32_t i = below->out_first[f]; i < below->out_first[f + 1]; i++)
			count_add(&sum, calls[i]);
		for (uint32_t i = first; i < end; i++)
			calls[below->in_edge[i]] = sum / (end - first);
	}
	return calls;
}

/* The calls of f through hidden functions, in k, and those to visible ones, in order. */
static void merge_calls(struct graph_draft *d, const struct hide *h,
			const struct flow_input *below, uint32_t f, struct walk *k)
{
	uint32_t u = h->up[f], x = below->out_first[u], end = below->out_first[u + 1];
	const bool counted = graph_counts_all(d->below);

	qsort(k->touched, k->ntouched, sizeof(*k->touched), compare_u32);
	for (uint32_t i = 0; i < k->ntouched || x < end;) {
		uint32_t through = i < k->ntouched ? k->touched[i] : GRAPH_NONE;
		uint32_t to = x < end ? h->map[below->callee[x]] : GRAPH_NONE;
		uint64_t calls = 0;

		if (x < end && to == GRAPH_NONE) {
			x++;
			continue;
		}
		if (through <= to) {
			if (graph_calls_known(d->below, h->up[through]))
				graph_add_calls(
					d->below, &calls,
					counted ? (uint64_t)cost_round(k->to[through])
						: 0);
			i++;
		}
		if (to <= through)
			graph_add_calls(d->below, &calls, below->calls[x++]);
		graph_end_calls(d->below, &calls);
		add_edge(d, f, to < through ? to : through, calls);
	}
}

/* A function that calls no open hidden one keeps its visible calls.  Each other one is
 * walked once to find which functions it calls through them, and how often. */
static void collect_edges(struct graph *b, const struct flow_input *below,
			  const struct hide *h, struct graph_draft *d,
			  struct arena *scratch)
{
	struct weights w = {.below = below, .cancel = b->cancel};
	/* Rarely more edges than below, and then few more. */
	struct edge_list l = {d, (size_t)below->edges + below->edges / 8 + 64};
	struct walk k;

	w.calls = calls_to_share(b, below, scratch);
	flows(h, &w, scratch);
	new_walk(scratch, h, d->functions, &k);
	graph_draft_edges(d, l.cap);
	for (uint32_t f = 0; f < d->functions; f++) {
		uint32_t u = h->up[f], n = below->out_first[u + 1] - below->out_first[u];

		graph_poll(b, f);
		if (!h->above[u]) {
			reserve_edges(&l, n);
			for (uint32_t x = below->out_first[u]; n-- > 0; x++)
				if (h->map[below->callee[x]] != GRAPH_NONE)
					add_edge(d, f, h->map[below->callee[x]],
						 below->calls[x]);
			continue;
		}
		walk_hidden(&k, h, &w, u);
		reach(&k, h, &w, u);
		reserve_edges(&l, (size_t)n + k.ntouched);
		merge_calls(d, h, below, f, &k);
		forget_walk(&k);
	}
}

/* hide moves cost to callers, so inclusive costs stay. */
static void hide_sure(struct graph *g, const struct hide *h,
		      const struct flow_input *below)
{
	uint8_t *sure, *call;

	graph_sure(g, &sure, &call);
	for (uint32_t f = 0; f < g->functions; f++) {
		const uint32_t u = h->up[f];
		uint32_t i = g->shape.out_first[f];

		if (graph_is_sure(g->below, u, GRAPH_INCL))
			sure[f] |= GRAPH_INCL;
		if (h->above[u]) {
			sure[f] &= ~GRAPH_SELF;
			continue;
		}
		for (uint32_t x = below->out_first[u]; x < below->out_first[u + 1]; x++) {
			if (h->map[below->callee[x]] != GRAPH_NONE)
				call[i++] = graph_call_is_sure(g->below, x);
			else if (!graph_call_is_sure(g->below, x))
				sure[f] &= ~GRAPH_SELF;
		}
	}
}

/* `hide a | hide b` is `hide a, b`: what is hidden already joins the set, of the graph below. */
static struct graph *join_hidden(struct graph *g, const struct fn_set **set)
{
	const struct hide *h = g->stage;
	struct fn_set *all;

	if (g->fill != hide_fill)
		return g;
	all = fnset_new(g->a, g->below->functions);
	for (uint32_t f = 0; f < g->below->functions; f++)
		if (h->map[f] == GRAPH_NONE || fnset_has(*set, h->map[f]))
			fnset_add(all, f);
	*set = all;
	return g->below;
}

void graph_hide(struct graph *g, const struct fn_set *set, struct graph **out)
{
	struct graph_draft d;
	struct hide *h = NEED_NEW(g->a, struct hide);
	struct flow_input below;
	struct arena *scratch;
	uint8_t *keep;

	g = join_hidden(g, &set);
	keep = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	for (uint32_t f = 0; f < g->functions; f++)
		keep[f] = !fnset_has(set, f);
	graph_shape(g, &below);
	components(g, &below, set, h);
	find_above(g, &below, h);
	graph_number(g, keep, &d);
	h->map = d.map;
	h->up = d.first;
	scratch = need_scratch(g->a);
	collect_edges(g, &below, h, &d, scratch);
	scratch_free(scratch);
	graph_build(&d, out);
	(*out)->ran = true;
	graph_keep_runs(&d, *out);
	(*out)->stage = h;
	/* Where the stacks of contexts are known, their shares are exact. */
	if (!g->contexts && !store_info(g->st)->negative)
		graph_joined_below(*out);
	(*out)->fill = hide_fill;
	(*out)->inlined.same = h->up;
	(*out)->hides = (g->detail && !g->inlined.extra) || g->hides;
	hide_sure(*out, h, &below);
}
