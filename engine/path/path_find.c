/*
 * path_find.c - the best paths from one set to another; see path.h.
 *
 * First, backwards from the ends: the best rest of a path from each point, ignoring that
 * no function may come twice.  Callees come before their callers, and in a cycle the best
 * rest comes first (Dijkstra).  Then paths grow from the starts, the most promising one
 * first: its cost so far times the best rest.  So the path that reaches an end next is
 * the next best one (A* search).  A start without a promising rest is never visited, and
 * k paths cost about k times their length.
 *
 * A point is a function and whether `via` has been seen: two layers.  In a flow with pairs, a
 * function is found for each of its ways in (way_flow.h): that decides how its cost goes on.
 *
 *	main --0.7--> a --0.5--> end	rest of a 0.5, of b 0.9, of main 0.35
 *	     --0.3--> b --0.9--> end	heap: main 1 * 0.35; then main a 0.7 * 0.5 and
 *					main b 0.3 * 0.9; main a end comes out first: 0.35
 *
 * The rest ignores that a path must not come to a function twice, so it is never too low: no
 * path that is still to come out can be better than the one that does.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/flow/chain.h"
#include "engine/flow/pairs.h"
#include "engine/flow/way_flow.h"
#include "engine/graph/flow_parts.h"
#include "engine/names/fnset.h"
#include "engine/path/path.h"
#include "index/base/need.h"
#include "index/base/err_struct.h"
#include "index/base/heap.h"
#include "index/base/order.h"

enum { IN_FROM = 1, IN_TO = 2, IN_VIA = 4, IN_AVOID = 8 };
enum {
	POLL = 4096,	      /* points or paths between two polls of cancel */
	MOST_STEPS = 1 << 24, /* calls looked at: some graphs have paths without end */
};

/* The worth of a path, or of the rest of one; compared by the kind of the query. */
struct worth {
	double est;  /* a product of shares */
	double wide; /* the cost of its narrowest call */
	uint32_t calls;
};

struct grown {		 /* a path from a start, linked to the one that it extends */
	uint32_t before; /* index; FLOW_NONE: a start */
	uint32_t point, edge;
	struct worth so_far;
};

struct promise { /* in the heap */
	struct worth best;
	uint32_t path;
};

struct search {
	const struct flow
		*fl; /* where paths are found: the flow that is asked, or `ways` */
	const struct flow *asked;
	struct way_flow *ways; /* NULL: there are no pairs */
	const struct path_query *q;
	struct arena *arena;
	const struct cancel *cancel;
	enum path_kind kind; /* the kind of the query, or fewest calls */
	uint32_t layers;
	uint8_t *marks;
	double *first;	    /* [functions]: the cost of a start as the outermost of its
			       set */
	struct worth *rest; /* [functions * layers]; calls is 0 if no end can be
			       reached */
	uint32_t *fewest;   /* [functions * layers]: the fewest calls to an end; NULL:
			       no limit */
	uint8_t *settled;   /* [functions * layers]: the rest is final */
	uint8_t *offers;    /* [functions]: a caller may end here or go on from here */
	struct promise *heap;
	struct grown *grown;
	uint32_t nheap, ngrown;
	size_t heap_cap, grown_cap;
	uint64_t steps;
};

/* Of equal worth by the kind, the costlier path is better, then the shorter one. */
static bool better(enum path_kind kind, const struct worth *a, const struct worth *b)
{
	if (kind == PATH_SHORTEST && a->calls != b->calls)
		return a->calls < b->calls;
	if (kind == PATH_WIDEST && a->wide != b->wide)
		return a->wide > b->wide;
	if (a->est != b->est)
		return a->est > b->est;
	return a->calls < b->calls;
}

static struct worth joined(const struct worth *a, const struct worth *b)
{
	return (struct worth){a->est * b->est, fmin(a->wide, b->wide),
			      a->calls + b->calls};
}

/* A vertex of `ways` is a function for one of its ways in; answers are of functions. */
static uint32_t function_at(const struct search *s, uint32_t f)
{
	return s->ways ? s->ways->fn[f] : f;
}

static uint32_t edge_asked(const struct search *s, uint32_t edge)
{
	return s->ways && edge != FLOW_NONE ? s->ways->edge[edge] : edge;
}

static struct worth of_call(const struct search *s, uint32_t edge)
{
	return (struct worth){flow_share(s->fl, edge, s->fl->in.caller[edge]),
			      (double)s->asked->in.incl[edge_asked(s, edge)], 1};
}

static void reserve_one(struct search *s, void *pp, size_t *cap, uint32_t n, size_t size)
{
	if (n == UINT32_MAX)
		need_memory(s->arena);
	need_grow(s->arena, pp, cap, n, (size_t)n + 1, size);
}

/* ---- heap: the best on top ---- */

/* Among equals, prefer the one found last, so that one of many equal paths is followed
 * to its end.  Factors are multiplied in different orders: worths that differ by rounding
 * are equal. */
static bool before(const struct search *s, const struct promise *a,
		   const struct promise *b)
{
	const struct worth x = {(float)a->best.est, a->best.wide, a->best.calls};
	const struct worth y = {(float)b->best.est, b->best.wide, b->best.calls};

	if (better(s->kind, &x, &y))
		return true;
	return !better(s->kind, &y, &x) && a->path > b->path;
}

HEAP(promise, struct promise, const struct search *, before)

static void push_promise(struct search *s, struct promise x)
{
	reserve_one(s, &s->heap, &s->heap_cap, s->nheap, sizeof(*s->heap));
	promise_push(s->heap, s->nheap++, x, s);
}

/* ---- points ---- */

static uint32_t fn_of(const struct search *s, uint32_t point)
{
	return point / s->layers;
}

static uint32_t layer_of(const struct search *s, uint32_t point)
{
	return point % s->layers;
}

/* The layer after f, for a path that comes to f in `layer`: 1 once via has been seen. */
static uint32_t layer_at(const struct search *s, uint32_t f, uint32_t layer)
{
	return layer || (s->q->via && s->marks[f] & IN_VIA);
}

/* Does a path that comes to f in that layer end there? */
static bool ends(const struct search *s, uint32_t f, uint32_t layer)
{
	return s->marks[f] & IN_TO && layer_at(s, f, layer) == s->layers - 1;
}

/* May a path go on through f, between its ends? */
static bool inside(const struct search *s, uint32_t f)
{
	return !(s->marks[f] & (IN_FROM | IN_TO | IN_AVOID));
}

/* ---- the best that can follow ---- */

/* Keep x as the rest of a path from `point` if it is better. */
static bool improve(struct search *s, uint32_t point, struct worth x)
{
	struct worth *old = &s->rest[point];

	if (old->calls && !better(s->kind, &x, old))
		return false;
	*old = x;
	return true;
}

/* Does a path from f go on to its callees? */
static bool goes_on(const struct search *s, uint32_t f)
{
	return !(s->marks[f] & IN_AVOID) &&
	       (s->marks[f] & IN_FROM || !(s->marks[f] & IN_TO));
}

/* What a path that comes to f in `layer` may still have before it; NULL: no end. */
static const struct worth *offer(const struct search *s, uint32_t f, uint32_t layer)
{
	static const struct worth nothing = {1, INFINITY, 0};
	const struct worth *rest;

	if (s->marks[f] & IN_AVOID)
		return NULL;
	if (ends(s, f, layer))
		return &nothing;
	rest = &s->rest[f * s->layers + layer_at(s, f, layer)];
	return inside(s, f) && rest->calls ? rest : NULL;
}

/* Find the best rest of g from the offers of its callees; those of the cycle of g may come
 * too early. */
static void look_down(struct search *s, uint32_t g)
{
	const struct flow_input *in = &s->fl->in;

	for (uint32_t i = in->out_first[g]; i < in->out_first[g + 1]; i++) {
		uint32_t f = in->callee[i];
		struct worth call;

		if (!s->offers[f] || !in->incl[i] ||
		    function_at(s, f) == function_at(s, g))
			continue;
		call = of_call(s, i);
		for (uint32_t l = 0; l < s->layers; l++) {
			const struct worth *x = offer(s, f, l);

			if (x && improve(s, g * s->layers + l, joined(&call, x)))
				s->offers[g] |= inside(s, g);
		}
	}
}

/* Offer the rest x of f in `layer` to the callers of f in its cycle. */
static void look_up(struct search *s, uint32_t f, uint32_t layer, const struct worth *x)
{
	const struct flow_input *in = &s->fl->in;

	for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++) {
		uint32_t edge = in->in_edge[k], g = in->caller[edge];
		uint32_t point = g * s->layers + layer;
		struct worth call;

		if (!in->incl[edge] || function_at(s, g) == function_at(s, f) ||
		    in->cycle[g] != in->cycle[f] || !goes_on(s, g))
			continue;
		call = of_call(s, edge);
		if (!improve(s, point, joined(&call, x)))
			continue;
		s->offers[g] |= inside(s, g);
		push_promise(s, (struct promise){s->rest[point], point});
	}
}

/* The rests of a cycle, topo[first] up to topo[end]: from outside, then the best first. */
static void rest_of_cycle(struct search *s, uint32_t first, uint32_t end)
{
	const uint32_t *topo = s->fl->in.topo;

	for (uint32_t k = first; k < end; k++)
		if (goes_on(s, topo[k]))
			look_down(s, topo[k]);
	for (uint32_t k = first; k < end; k++)
		for (uint32_t l = 0; l < s->layers; l++) {
			uint32_t point = topo[k] * s->layers + l;

			if (s->rest[point].calls)
				push_promise(s, (struct promise){s->rest[point], point});
		}
	for (uint32_t polled = 0; s->nheap; polled++) {
		struct promise p = promise_pop(s->heap, --s->nheap, s);
		uint32_t f = fn_of(s, p.path), layer = layer_of(s, p.path);

		if (polled % POLL == 0)
			need_time(s->cancel);
		if (s->settled[p.path])
			continue;
		s->settled[p.path] = 1;
		/* via may be seen at f itself: f is entered in either layer. */
		for (uint32_t l = 0; l < s->layers && inside(s, f); l++)
			if (layer_at(s, f, l) == layer)
				look_up(s, f, l, &s->rest[p.path]);
	}
}

/* The functions in topological order lie anywhere: ask early for the calls of one. */
static void fetch_calls(const struct flow_input *in, uint32_t far, uint32_t near)
{
	if (far < in->functions)
		__builtin_prefetch(&in->out_first[in->topo[far]]);
	if (near < in->functions)
		__builtin_prefetch(&in->callee[in->out_first[in->topo[near]]]);
}

/* Start with the ends.  Returns the number of starts. */
static uint32_t forget_rests(struct search *s)
{
	size_t n = s->fl->in.functions;
	uint32_t starts = 0;

	if (s->fewest) { /* the second search */
		memset(s->settled, 0, n * s->layers);
		memset(s->rest, 0, n * s->layers * sizeof(*s->rest));
	}
	for (size_t f = 0; f < n; f++) {
		s->offers[f] = (s->marks[f] & (IN_TO | IN_AVOID)) == IN_TO;
		starts += (s->marks[f] & IN_FROM) != 0;
	}
	return starts;
}

/* rest[g * layers + l]: the best rest after g; l: via has been seen.  No path leads to
 * functions before the first start. */
static void find_rest(struct search *s)
{
	enum { FAR = 24, NEAR = 12 };
	const struct flow_input *in = &s->fl->in;
	uint32_t starts = forget_rests(s);

	for (uint32_t end = in->functions, first; end > 0 && starts; end = first) {
		uint32_t f = in->topo[end - 1], cycle = in->cycle[f];

		fetch_calls(in, end - 1 - FAR, end - 1 - NEAR);
		first = flow_component(in, in->topo, end);
		if (first % POLL == 0)
			need_time(s->cancel);
		if (cycle)
			rest_of_cycle(s, first, end);
		if (!cycle && goes_on(s, f))
			look_down(s, f);
		for (uint32_t k = first; k < end; k++)
			starts -= (s->marks[in->topo[k]] & IN_FROM) != 0;
	}
}

/* The best rest may have too many calls while another has not. */
static void find_fewest(struct search *s)
{
	size_t n = (size_t)s->fl->in.functions * s->layers;

	s->fewest = NEED_ARRAY(s->arena, uint32_t, n + 1);
	s->kind = PATH_SHORTEST;
	find_rest(s);
	s->kind = s->q->kind;
	for (size_t i = 0; i < n; i++)
		s->fewest[i] = s->rest[i].calls;
}

/* ---- paths ---- */

/* Add a path that extends `before` by a call to `point`, unless no end can follow, or its best
 * end is too long or costs too little. */
static void grow_path(struct search *s, uint32_t before, uint32_t point, uint32_t edge,
		      struct worth so_far, bool end)
{
	struct worth best = so_far;
	uint32_t calls = so_far.calls;

	if (!end) {
		if (!s->rest[point].calls)
			return;
		best = joined(&so_far, &s->rest[point]);
		calls += s->fewest ? s->fewest[point] : 0;
	}
	if ((s->q->max && calls > s->q->max) || path_under_min(best.est, s->q->min))
		return;
	reserve_one(s, &s->grown, &s->grown_cap, s->ngrown, sizeof(*s->grown));
	s->grown[s->ngrown] = (struct grown){before, point, edge, so_far};
	push_promise(s, (struct promise){best, s->ngrown++});
}

static void grow_starts(struct search *s)
{
	for (uint32_t f = 0; f < s->fl->in.functions; f++) {
		if ((s->marks[f] & (IN_FROM | IN_AVOID)) != IN_FROM || !(s->first[f] > 0))
			continue;
		grow_path(s, FLOW_NONE, f * s->layers + layer_at(s, f, 0), FLOW_NONE,
			  (struct worth){s->first[f], INFINITY, 0}, false);
	}
}

/* Calls out of a cycle never return to it, so the path before the cycle of f need not
 * be searched. */
static bool on_path(const struct search *s, uint32_t path, uint32_t f)
{
	uint32_t cycle = s->fl->in.cycle[f];

	for (; cycle && path != FLOW_NONE; path = s->grown[path].before) {
		uint32_t g = fn_of(s, s->grown[path].point);

		if (function_at(s, g) == function_at(s, f))
			return true;
		if (s->fl->in.cycle[g] != cycle)
			return false;
	}
	return false;
}

/* Is the last step of a path an end?  A start alone is no path, though it may be in both sets. */
static bool complete(const struct search *s, uint32_t path)
{
	const struct grown *x = &s->grown[path];
	uint32_t f = fn_of(s, x->point);

	return x->before != FLOW_NONE && s->marks[f] & IN_TO;
}

/* Extend a path by each call of its last function that does not come back to it. */
static void prolong(struct search *s, uint32_t path)
{
	const struct flow_input *in = &s->fl->in;
	uint32_t f = fn_of(s, s->grown[path].point);
	uint32_t layer = layer_of(s, s->grown[path].point);

	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
		uint32_t to = in->callee[i];
		bool end = ends(s, to, layer);
		struct worth call, so_far;

		s->steps++;
		if (!in->incl[i] || s->marks[to] & IN_AVOID || (!end && !inside(s, to)))
			continue;
		call = of_call(s, i);
		so_far = joined(&s->grown[path].so_far, &call);
		/* An end may be the start itself, if both sets have it. */
		if (function_at(s, to) == function_at(s, f) ||
		    (!end && on_path(s, path, to)))
			continue;
		grow_path(s, path, to * s->layers + layer_at(s, to, layer), i, so_far,
			  end);
	}
}

/* ---- the answer ---- */

/* The steps from the start to the end, with their costs: those of the flow that was asked,
 * also if the path was found in one that has ways apart. */
static void steps_of(struct search *s, uint32_t path, struct path *out)
{
	const struct flow *fl = s->asked;
	uint32_t n = s->grown[path].so_far.calls + 1, k = n;
	struct path_step *step = NEED_ARRAY(s->arena, struct path_step, n);
	uint32_t start = path;

	for (uint32_t i = path; i != FLOW_NONE; i = s->grown[i].before) {
		const uint32_t edge = s->grown[start = i].edge;

		step[--k].fn = function_at(s, fn_of(s, s->grown[i].point));
		step[k].edge = edge_asked(s, edge);
		/* The share of the edge, until the cost is known. */
		step[k].cost.est = edge == FLOW_NONE ? 0
						     : flow_share(s->fl, edge,
								  s->fl->in.caller[edge]);
	}
	step[0].cost =
		path_from(fl, step[0].fn, s->first[fn_of(s, s->grown[start].point)]);
	step[0].incl = path_units(&step[0].cost);
	for (k = 1; k < n; k++) {
		uint32_t i = step[k].edge, f = fl->in.caller[i];

		step[k].calls = fl->in.calls[i];
		step[k].incl = fl->in.incl[i];
		step[k].cost =
			path_bounds_next(step[k - 1].cost, fl->in.incl[i],
					 step[k].cost.est, fl->passing[f], fl->odd[f]);
	}
	*out = (struct path){step, n};
}

static void add_path(struct search *s, struct path_list *list, size_t *cap, uint32_t path)
{
	need_grow(s->arena, &list->paths, cap, list->n, list->n + 1,
		  sizeof(*list->paths));
	steps_of(s, path, &list->paths[list->n++]);
}

/* Take the path that may still become the best.  If it is complete, no other one can
 * be better, as `best` of each is never too low; if not, it is extended by each of its
 * calls. */
static void find_paths(struct search *s, uint32_t k, struct path_list *list)
{
	size_t cap = 0;

	for (uint32_t polled = 0; s->nheap; polled++) {
		struct promise p = promise_pop(s->heap, --s->nheap, s);

		if (polled % POLL == 0)
			need_time(s->cancel);
		if (s->steps > MOST_STEPS) {
			list->more = list->truncated = true;
			return;
		}
		if (!complete(s, p.path)) {
			prolong(s, p.path);
			continue;
		}
		if (list->n == k) {
			list->more = true;
			return;
		}
		add_path(s, list, &cap, p.path);
	}
}

/* ---- the parts of a profile ---- */

/* Multiply the shares of one part along the path.  Its own bounds are not asked for. */
static void add_part_estimate(void *arg, const struct flow *fl, const double *first,
			      struct path *p)
{
	(void)arg;
	const double start = first[p->steps[0].fn];
	struct path_bounds b = path_bounds_of(start, 0, path_rounded(start), true);

	p->steps[0].cost.est += start;
	for (size_t k = 1; k < p->n; k++) {
		uint32_t i = p->steps[k].edge;
		double share = flow_share(fl, i, fl->in.caller[i]);

		if (k > 1)
			pairs_share(fl, p->steps[k - 1].edge, i, &share);
		b.est *= share;
		p->steps[k].cost.est += b.est;
	}
}

void path_sum_parts(const struct path_query *q, struct path_list *list,
		    const struct arena *a, path_add_part *add, void *arg)
{
	const struct flow *fl;
	struct arena *scratch;

	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; k < list->paths[i].n; k++)
			list->paths[i].steps[k].cost.est = 0;
	scratch = need_scratch(a);
	flow_parts_rewind(q->parts);
	for (;;) {
		double *first;

		flow_parts_next(q->parts, &fl);
		if (!fl)
			break;
		arena_reset(scratch);
		first = NEED_ARRAY(scratch, double, (size_t)fl->in.functions + 1);
		path_outermost(fl, q->from, first, scratch);
		for (size_t i = 0; i < list->n; i++)
			add(arg, fl, first, &list->paths[i]);
	}
	scratch_free(scratch);
	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; k < list->paths[i].n; k++) {
			struct path_bounds *b = &list->paths[i].steps[k].cost;

			*b = path_bounds_of(b->est, b->lo, b->hi, b->bounded);
		}
}

int paths_by_functions(const struct path *a, const struct path *b)
{
	int c = order_u64(a->n, b->n);

	for (size_t i = 0; !c && i < a->n; i++)
		c = order_u64(a->steps[i].fn, b->steps[i].fn);
	return c;
}

/* The order changes when estimates of parts are summed, or were too close to compare. */
int paths_by_cost(const void *x, const void *y)
{
	const struct path *a = x, *b = y;
	const int c =
		order_double(b->steps[b->n - 1].cost.est, a->steps[a->n - 1].cost.est);

	return c ? c : paths_by_functions(a, b);
}

/* ---- */

/* Find the cost of each start as the outermost of its set.  No caller asks which calls brought
 * it: it stands at the last way into the start, that of cost without a call. */
static void find_first(struct search *s)
{
	const struct flow_input *in = &s->asked->in;
	double *first = NEED_ARRAY(s->arena, double, (size_t)in->functions + 1);

	path_outermost(s->asked, s->q->from, first, s->arena);
	s->first = first;
	if (!s->ways)
		return;
	s->first = NEED_ARRAY(s->arena, double, (size_t)s->fl->in.functions + 1);
	for (uint32_t f = 0; f < in->functions; f++)
		if (s->ways->first[f] < s->ways->first[f + 1])
			s->first[s->ways->first[f + 1] - 1] = first[f];
}

/* Mark a function: all its ways in, too. */
static void mark_function(struct search *s, uint32_t f, uint8_t bit, bool *same)
{
	const uint32_t first = s->ways ? s->ways->first[f] : f;
	const uint32_t end = s->ways ? s->ways->first[f + 1] : f + 1;

	*same |= first < end && s->marks[first] & IN_FROM && bit == IN_TO;
	for (uint32_t v = first; v < end; v++)
		s->marks[v] |= bit;
}

/* The functions on the ways from a start to an end. */
static void find_between(struct search *s, uint8_t **out)
{
	uint8_t *below;

	chain_with(s->asked, s->q->from, NULL, false, &below, s->arena);
	chain_with(s->asked, s->q->to, below, true, out, s->arena);
}

static void prepare_search(struct search *s, bool *same)
{
	const struct path_query *q = s->q;
	const struct {
		const struct fn_set *set;
		uint8_t bit;
	} sets[] = {{q->from, IN_FROM},
		    {q->to, IN_TO},
		    {q->via, IN_VIA},
		    {q->avoiding, IN_AVOID}};
	uint8_t *between = NULL;
	size_t n;

	if (s->asked->pairs)
		find_between(s, &between);
	way_flow_new(s->asked, between, s->arena, s->cancel, &s->ways);
	s->fl = s->ways ? &s->ways->flow : s->asked;
	n = (size_t)s->fl->in.functions + 1;
	s->kind = q->kind;
	s->layers = q->via ? 2 : 1;
	s->marks = NEED_ARRAY(s->arena, uint8_t, n);
	s->rest = NEED_ARRAY(s->arena, struct worth, n * s->layers);
	s->settled = NEED_ARRAY(s->arena, uint8_t, n * s->layers);
	s->offers = NEED_ARRAY(s->arena, uint8_t, n);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		for (uint32_t f = sets[i].set ? fnset_next(sets[i].set, 0) : FNSET_NONE;
		     f != FNSET_NONE; f = fnset_next(sets[i].set, f + 1))
			mark_function(s, f, sets[i].bit, same);
	find_first(s);
}

/* The estimate of all paths together, of any length, with recursion.  Unknown with
 * via. */
static void find_total(struct search *s, struct path_list *list)
{
	const struct flow_input *in = &s->fl->in;
	uint8_t *stop = NEED_ARRAY(s->arena, uint8_t, (size_t)in->functions + 1);
	double *cost = NEED_ARRAY(s->arena, double, (size_t)in->functions + 1);

	for (uint32_t f = 0; f < in->functions; f++) {
		stop[f] = !inside(s, f);
		if (!(s->marks[f] & IN_FROM) || s->marks[f] & IN_AVOID)
			continue;
		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
			if (function_at(s, in->callee[i]) != function_at(s, f))
				cost[in->callee[i]] +=
					s->first[f] * flow_share(s->fl, i, f);
	}
	chain_spread(s->fl, stop, cost, s->arena, s->cancel);
	for (uint32_t f = 0; f < in->functions && !s->q->via; f++)
		if ((s->marks[f] & (IN_TO | IN_AVOID)) == IN_TO)
			list->total += cost[f];
}

void path_find(const struct flow *fl, const struct path_query *q, struct arena *a,
	       const struct cancel *cancel, struct path_list *out)
{
	struct search s = {.asked = fl, .q = q, .arena = a, .cancel = cancel};
	struct path_list list = {0};
	uint32_t k = q->k ? q->k : 1;
	bool all = q->kind == PATH_ALL;

	if (all && (q->k == 0 || q->k > PATH_ALL_CAP))
		k = PATH_ALL_CAP;
	prepare_search(&s, &list.same);
	if (q->max)
		find_fewest(&s);
	find_rest(&s);
	s.nheap = 0;
	grow_starts(&s);
	find_paths(&s, k, &list);
	if (all)
		find_total(&s, &list);
	list.truncated |= all && list.more && (q->k == 0 || q->k > PATH_ALL_CAP);
	if (q->parts && list.n)
		path_sum_parts(q, &list, a, add_part_estimate, NULL);
	if (list.n && (q->kind == PATH_HOTTEST || all))
		qsort(list.paths, list.n, sizeof(*list.paths), paths_by_cost);
	*out = list;
}
