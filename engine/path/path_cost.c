/*
 * path_cost.c - cost of one set under another, all paths together; see path.h.
 *
 * Every unit of cost has a call stack.  Read from its root, the stack is in one of these
 * states at each of its functions:
 *
 *	OUTSIDE --under--> UNDER --via--> VIA_SEEN --of--> INSIDE
 *
 * Without `via`, `of` counts in state UNDER; without `under`, cost enters in that state.
 * `avoiding` leads back to OUTSIDE, for good if there is no `under`.
 *
 * For the estimate, each pair of a function and a state is a function of its own in a
 * chain (chain.h).
 *
 * For bounds, the cost through a function is split over the states, with two bounds for
 * each.  A call of cost w from a function with cost T through it turns a part x into at
 * least x + w - T and at most min(x, w).  Cost that is certainly in one state is not in
 * any other, which tightens both.  A state that cannot be reached has none.  So when
 * `under` dominates `of`, nothing is OUTSIDE and the bounds meet; when `under` never
 * reaches `of`, nothing is INSIDE.
 *
 * A function hands its split to its callees when it is complete.  Those in cycles gather
 * it themselves, sweep after sweep.  Components are visited in topological order.  In a
 * cycle the bounds begin at nothing and everything, which is true; every sweep tightens
 * them and keeps them true.
 */
#include <string.h>

#include "engine/flow/chain.h"
#include "engine/flow/way_flow.h"
#include "engine/graph/flow_parts.h"
#include "engine/names/fnset.h"
#include "engine/path/path.h"
#include "index/base/count.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err.h"

enum { IN_OF = 1, IN_UNDER = 2, IN_VIA = 4, IN_AVOID = 8 };
enum { OUTSIDE, UNDER, VIA_SEEN, INSIDE, STATES };
enum {
	POLL = 4096, /* functions between two polls of cancel */
	/* Of a cycle: at most and at least so many sweeps; in between, so many edges. */
	SWEEPS = 20,
	SWEEPS_LEAST = 4,
	SWEPT_MOST = 2000000,
};

struct share_of {
	int64_t lo, hi;
};

struct split { /* the cost through a function, or of a call, by state */
	struct share_of in[STATES];
};

struct costing {
	const struct flow *fl;
	struct arena *arena;
	struct arena *bounds; /* freed before the estimate is made */
	const struct cancel *cancel;
	/* [functions]: it can come to `of`, and is below `under`, if there is one.  Others
	 * do not matter: what their calls bring is as if it entered without a call. */
	const uint8_t *within;
	uint32_t *fn, n;  /* [n]: the functions within, callers first */
	uint32_t *place;  /* [functions]: of each in fn[] */
	uint8_t *marks;	  /* [functions] */
	uint8_t *reached; /* [functions]: a bit for each state in which cost can leave
			     it */
	bool under, via;
	unsigned ready; /* the state in which `of` counts */
	unsigned enter; /* the state of cost that enters without a call */
	/* By place: */
	struct split *at;		  /* its split, after it has changed the state */
	double *starts;			  /* cost that enters without a call, and */
	int64_t *root;			  /* the same as recorded */
	int64_t *arrived_lo, *arrived_hi; /* cost that enters `of` here */
	bool odd;  /* the sums of some function on the way disagree */
	bool sums; /* what enters a function is what passes it, everywhere */
};

static int64_t path_cost_less(int64_t a, int64_t b)
{
	return a > b ? a - b : 0;
}

static int64_t path_cost_least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The state of cost after a function with this mark, if it arrives in state s. */
static unsigned path_cost_move(const struct costing *c, uint8_t mark, unsigned s)
{
	bool passed = s != OUTSIDE; /* `under` is above, not at this function */

	if (s == INSIDE)
		return s;
	if (mark & IN_AVOID)
		return OUTSIDE;
	if (s == OUTSIDE && c->under && mark & IN_UNDER)
		s = UNDER;
	if (s == UNDER && c->via && mark & IN_VIA)
		s = VIA_SEEN;
	if (s == c->ready && passed && mark & IN_OF)
		return INSIDE;
	return s;
}

/* The states add up to total: each is total less the others. */
static void tighten(struct split *x, int64_t total)
{
	int64_t lo = 0, hi = 0;

	for (unsigned s = 0; s < STATES; s++) {
		x->in[s].hi = path_cost_least(x->in[s].hi, total);
		cost_add(&lo, x->in[s].lo);
		cost_add(&hi, x->in[s].hi);
	}
	for (unsigned s = 0; s < STATES; s++) {
		struct share_of *p = &x->in[s];
		int64_t most = path_cost_less(total, lo - p->lo);
		int64_t fewest = hi == INT64_MAX ? 0 : path_cost_less(total, hi - p->hi);

		p->hi = path_cost_least(p->hi, most);
		if (p->lo < fewest)
			p->lo = fewest;
	}
}

/* Does call i cost something, and lead to a function that matters? */
static bool leads_on(const struct costing *c, uint32_t i)
{
	return c->fl->in.incl[i] && c->within[c->fl->in.callee[i]];
}

static void gather_part(struct share_of *to, const struct share_of *from)
{
	cost_add(&to->lo, from->lo);
	cost_add(&to->hi, from->hi);
}

/* A pass asks for what it will read of the calls of functions some steps ahead, then for the places
 * of their callees, and if it reads splits, for those. */
enum { PLACES = 10, SPLITS = 5 };

static void fetch_calls(const struct costing *c, uint32_t far, uint32_t near)
{
	flow_fetch(&c->fl->in, c->fn, c->n, far, near);
}

static void fetch_splits(const struct costing *c, uint32_t places, uint32_t splits)
{
	const struct flow_input *in = &c->fl->in;

	for (uint32_t i = places < c->n ? in->out_first[c->fn[places]] : 0;
	     places < c->n && i < in->out_first[c->fn[places] + 1]; i++)
		__builtin_prefetch(&c->place[in->callee[i]]);
	for (uint32_t i = splits < c->n ? in->out_first[c->fn[splits]] : 0;
	     splits < c->n && i < in->out_first[c->fn[splits] + 1]; i++)
		if (c->within[in->callee[i]])
			__builtin_prefetch(&c->at[c->place[in->callee[i]]], 1);
}

/* ---- which states can be reached at all ---- */

/* The end of the component that begins at place `first`: a cycle, or one function. */
static uint32_t component_end(const struct costing *c, uint32_t first)
{
	const uint32_t *cycle = c->fl->in.cycle, of = cycle[c->fn[first]];
	uint32_t end = first + 1;

	while (of && end < c->n && cycle[c->fn[end]] == of)
		end++;
	return end;
}

/* Callers first: only the functions of a cycle are looked at again. */
static void find_reached(struct costing *c)
{
	const struct flow_input *in = &c->fl->in;
	uint32_t *todo = NEED_ARRAY(c->arena, uint32_t, (size_t)c->n * STATES + 1);

	c->reached = NEED_ARRAY(c->arena, uint8_t, (size_t)in->functions + 1);
	for (uint32_t k = 0; k < c->n; k++)
		if (c->starts[k] > 0)
			c->reached[c->fn[k]] =
				(uint8_t)(1u << path_cost_move(c, c->marks[c->fn[k]],
							       c->enter));
	for (uint32_t first = 0, end, n = 0; first < c->n; first = end) {
		const uint32_t cycle = in->cycle[c->fn[first]];

		end = component_end(c, first);
		fetch_calls(c, first + FLOW_FAR, first + FLOW_NEAR);
		for (uint32_t k = first; k < end; k++)
			for (uint32_t s = 0; s < STATES; s++)
				if (c->reached[c->fn[k]] & 1u << s)
					todo[n++] = c->fn[k] * STATES + s;
		while (n) {
			const uint32_t f = todo[--n] / STATES, s = todo[n] % STATES;

			for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1];
			     i++) {
				const uint32_t to = in->callee[i];
				const unsigned state = path_cost_move(c, c->marks[to], s);

				if (!leads_on(c, i) || c->reached[to] & 1u << state)
					continue;
				c->reached[to] |= (uint8_t)(1u << state);
				if (to == f || (cycle && in->cycle[to] == cycle))
					todo[n++] = to * STATES + state;
			}
		}
	}
}

/* The only state in which cost can leave f, or STATES.  If there is one, all that
 * leaves f is in it. */
static unsigned only_state(const struct costing *c, uint32_t f)
{
	unsigned bits = c->reached[f];

	return bits && !(bits & (bits - 1)) ? (unsigned)__builtin_ctz(bits) : STATES;
}

/* ---- the estimate ---- */

/* A function for each pair of a function and a state that is reached; callers first. */
struct points {
	uint32_t n, *of; /* [places]: the number of the first pair of each */
	uint32_t *first, *callee, *cycle, *topo;
	int64_t *incl;
	double *through, *keep, *cost;
	uint8_t *stop;
};

/* A function has as many points as it has states in which cost leaves it, and a call as
 * many as its caller. */
static void make_room(struct costing *c, struct points *p)
{
	const struct flow_input *in = &c->fl->in;
	uint32_t *of = NEED_ARRAY(c->arena, uint32_t, (size_t)c->n + 1);
	size_t n = 0, edges = 1;

	for (uint32_t k = 0; of && k < c->n; k++) {
		const uint32_t f = c->fn[k];
		unsigned states = (unsigned)__builtin_popcount(c->reached[f]);

		of[k] = (uint32_t)n;
		n += states;
		edges += (size_t)states * (in->out_first[f + 1] - in->out_first[f]);
	}
	if (edges > UINT32_MAX || n >= UINT32_MAX)
		need_fail(ERR_LIMIT, "too many calls to follow");
	n++;
	*p = (struct points){
		.n = (uint32_t)n - 1,
		.of = of,
		.first = NEED_ARRAY(c->arena, uint32_t, n),
		.callee = NEED_ARRAY(c->arena, uint32_t, edges),
		.cycle = NEED_ARRAY(c->arena, uint32_t, n),
		.topo = NEED_ARRAY(c->arena, uint32_t, n),
		.incl = NEED_ARRAY(c->arena, int64_t, edges),
		.through = NEED_ARRAY(c->arena, double, n),
		.keep = NEED_ARRAY(c->arena, double, n),
		.cost = NEED_ARRAY(c->arena, double, n),
		.stop = NEED_ARRAY(c->arena, uint8_t, n),
	};
}

/* The points of a function follow each other, by state. */
static uint32_t point_of(const struct costing *c, const struct points *p, uint32_t f,
			 unsigned s)
{
	unsigned before = c->reached[f] & ((1u << s) - 1);

	return p->of[c->place[f]] + (uint32_t)__builtin_popcount(before);
}

/* The calls of f in state s.  Calls of f by itself lead to no earlier state. */
static void path_cost_add_calls(const struct costing *c, struct points *p, uint32_t f,
				unsigned s, uint32_t *n)
{
	const struct flow_input *in = &c->fl->in;

	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
		uint32_t to = in->callee[i];

		if (!leads_on(c, i))
			continue;
		p->callee[*n] = point_of(c, p, to, path_cost_move(c, c->marks[to], s));
		p->incl[(*n)++] = in->incl[i];
	}
}

static void add_points(const struct costing *c, struct points *p, uint32_t k, uint32_t *n)
{
	const struct flow *fl = c->fl;
	const uint32_t f = c->fn[k];

	for (unsigned s = 0; s < STATES; s++) {
		uint32_t i = point_of(c, p, f, s);

		if (!(c->reached[f] & 1u << s))
			continue;
		p->through[i] = fl->through[f];
		p->keep[i] = fl->keep ? fl->keep[f] : 1;
		p->stop[i] = s == INSIDE;
		p->cycle[i] = fl->in.cycle[f];
		p->topo[i] = i;
		if (!p->stop[i])
			path_cost_add_calls(c, p, f, s, n);
		p->first[i + 1] = *n;
	}
	if (c->starts[k] > 0)
		p->cost[point_of(c, p, f, path_cost_move(c, c->marks[f], c->enter))] =
			c->starts[k];
}

/* Cost that arrives INSIDE stays there: its sum is the estimate. */
static void estimate_cost(struct costing *c, double *est)
{
	struct points p = {0};
	struct flow all;
	uint32_t edges = 0;

	make_room(c, &p);
	for (uint32_t k = 0; k < c->n; k++) {
		fetch_calls(c, k + FLOW_FAR, k + FLOW_NEAR);
		add_points(c, &p, k, &edges);
	}
	all = (struct flow){.in = {.functions = p.n,
				   .edges = edges,
				   .out_first = p.first,
				   .callee = p.callee,
				   .incl = p.incl,
				   .cycle = p.cycle,
				   .topo = p.topo},
			    .through = p.through,
			    .keep = p.keep};
	chain_spread(&all, p.stop, p.cost, c->arena, c->cancel);
	for (uint32_t i = 0; i < p.n; i++)
		*est += p.stop[i] ? p.cost[i] : 0;
}

/* ---- bounds: forward ---- */

/* Can cost leave f in no other state than OUTSIDE?  Then all of it is there. */
static bool surely_outside(const struct costing *c, uint32_t f)
{
	return c->sums && c->reached[f] == 1u << OUTSIDE;
}

/* Split the cost of call i of f over the states.  If the sums of f disagree, only states
 * that are surely empty are known. */
static void over_call(const struct costing *c, uint32_t f, uint32_t i, struct split *out)
{
	const struct flow *fl = c->fl;
	int64_t w = fl->in.incl[i], passing;
	unsigned only = only_state(c, f);

	if (only < STATES && c->sums) {
		*out = (struct split){0};
		out->in[only] = (struct share_of){w, w};
		return;
	}
	passing = fl->passing[f];
	for (unsigned s = 0; s < STATES; s++) {
		const struct share_of *p = &c->at[c->place[f]].in[s];
		bool any = c->reached[f] & 1u << s;

		out->in[s].lo =
			fl->odd[f]
				? 0
				: path_cost_less(p->lo,
						 passing - path_cost_least(w, passing));
		out->in[s].hi = !any ? 0 : fl->odd[f] ? w : path_cost_least(p->hi, w);
	}
	if (only < STATES)
		out->in[only] = (struct share_of){w, w};
	tighten(out, w);
}

static void gather_split(struct split *to, const struct split *from)
{
	for (unsigned s = 0; s < STATES; s++)
		gather_part(&to->in[s], &from->in[s]);
}

/* x: the calls into f.  Combine them with what enters without a call, move on to the
 * states after f, and sum the cost that enters `of`. */
static void combine_states(struct costing *c, uint32_t place, struct split *x)
{
	const struct flow *fl = c->fl;
	const uint32_t f = c->fn[place];
	const struct share_of root = {c->root[place], c->root[place]};
	struct split moved = {0};

	gather_part(&x->in[c->enter], &root);
	tighten(x, fl->passing[f]);
	c->arrived_lo[place] = c->arrived_hi[place] = 0;
	for (unsigned s = 0; s < STATES; s++) {
		unsigned to = path_cost_move(c, c->marks[f], s);

		if (to == INSIDE && s != INSIDE) {
			cost_add(&c->arrived_lo[place], x->in[s].lo);
			cost_add(&c->arrived_hi[place], x->in[s].hi);
		}
		gather_part(&moved.in[to], &x->in[s]);
	}
	for (unsigned s = 0; s < STATES; s++)
		moved.in[s].hi = path_cost_least(moved.in[s].hi, fl->passing[f]);
	c->at[place] = moved;
}

/* Gather the split of a function from its callers. */
static void collect_states(struct costing *c, uint32_t place)
{
	const struct flow *fl = c->fl;
	const uint32_t f = c->fn[place];
	struct split x = {0};

	for (uint32_t k = fl->in.in_first[f]; k < fl->in.in_first[f + 1]; k++) {
		uint32_t i = fl->in.in_edge[k];
		struct split part;

		if (!fl->in.incl[i] || !c->reached[fl->in.caller[i]])
			continue;
		over_call(c, fl->in.caller[i], i, &part);
		gather_split(&x, &part);
	}
	combine_states(c, place, &x);
}

/* Give each callee its part of the split of f: not f itself, nor callees in cycles, which
 * gather it, nor those all of whose cost is OUTSIDE.  at[] of a callee is the sum so far. */
static void hand_on(struct costing *c, uint32_t f)
{
	const struct flow_input *in = &c->fl->in;

	for (uint32_t i = in->out_first[f]; c->reached[f] && i < in->out_first[f + 1];
	     i++) {
		uint32_t to = in->callee[i];
		struct split part;

		if (to == f || !leads_on(c, i) || in->cycle[to] || surely_outside(c, to))
			continue;
		over_call(c, f, i, &part);
		gather_split(&c->at[c->place[to]], &part);
	}
}

/* Sweep a cycle, places first up to end, until nothing is tighter.  A large cycle is swept
 * less often: bounds are true after each sweep. */
static void path_cost_settle(struct costing *c, uint32_t first, uint32_t end)
{
	const struct flow_input *in = &c->fl->in;
	uint64_t edges = 1, sweeps;

	for (uint32_t i = first; i < end; i++) {
		uint32_t f = c->fn[i];

		c->at[i] = (struct split){0};
		for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++)
			edges += in->incl[in->in_edge[k]] &&
				 c->within[in->caller[in->in_edge[k]]];
		for (unsigned s = 0; s < STATES; s++)
			c->at[i].in[s].hi =
				c->reached[f] & 1u << s ? c->fl->passing[f] : 0;
	}
	sweeps = SWEPT_MOST / edges;
	sweeps = sweeps > SWEEPS ? SWEEPS : sweeps < SWEEPS_LEAST ? SWEEPS_LEAST : sweeps;
	for (uint64_t k = 0; k < sweeps; k++) {
		bool tighter = false;

		need_time(c->cancel);
		for (uint32_t i = first; i < end; i++) {
			struct split was = c->at[i];

			collect_states(c, i);
			tighter |= memcmp(&was, &c->at[i], sizeof(was)) != 0;
		}
		if (!tighter)
			break;
	}
}

static bool calls_itself(const struct costing *c, uint32_t f)
{
	const struct flow_input *in = &c->fl->in;

	for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
		if (in->callee[i] == f && leads_on(c, i))
			return true;
	return false;
}

/* Components in topological order.  A function outside cycles has got the splits of all its
 * callers when it is met; a cycle gathers those itself. */
static void forward(struct costing *c)
{
	const struct flow_input *in = &c->fl->in;

	for (uint32_t first = 0, end; first < c->n; first = end) {
		uint32_t f = c->fn[first], cycle = in->cycle[f];

		end = component_end(c, first);
		fetch_calls(c, first + FLOW_FAR, first + FLOW_NEAR);
		fetch_splits(c, first + PLACES, first + SPLITS);
		if (first % POLL == 0)
			need_time(c->cancel);
		if (cycle || calls_itself(c, f)) {
			path_cost_settle(c, first, end);
		} else if (!surely_outside(c, f)) {
			struct split x = c->at[first];

			combine_states(c, first, &x);
		}
		for (uint32_t i = first; i < end; i++)
			hand_on(c, c->fn[i]);
	}
}

/* ---- bounds, backward: at most so much can still arrive ---- */

/* below[s]: the most of the cost that leaves f in state s and can end in `of`. */
struct below {
	int64_t hi[STATES];
};

static void look_below(const struct costing *c, const struct below *of, uint32_t f,
		       struct below *out)
{
	const struct flow *fl = c->fl;

	*out = (struct below){0};
	for (uint32_t i = fl->in.out_first[f]; i < fl->in.out_first[f + 1]; i++) {
		uint32_t t = fl->in.callee[i];

		for (unsigned s = UNDER; c->within[t] && s < INSIDE; s++) {
			unsigned to = path_cost_move(c, c->marks[t], s);
			int64_t hi =
				to == INSIDE ? fl->in.incl[i] : of[c->place[t]].hi[to];

			cost_add(&out->hi[s], path_cost_least(hi, fl->in.incl[i]));
		}
	}
}

/* Cost that enters the chain at a function: from OUTSIDE by `under`, or without a call. */
static int64_t entering(const struct costing *c, const struct below *of, uint32_t place)
{
	const uint32_t f = c->fn[place];
	unsigned to = path_cost_move(c, c->marks[f], c->enter);
	int64_t most = c->under ? c->fl->passing[f] : c->root[place];

	if (c->under && to == OUTSIDE)
		return 0;
	return to == INSIDE ? most : path_cost_least(most, of[place].hi[to]);
}

/* From the callees up: so much of what leaves a function can still come to `of`.  It bounds
 * the cost from above where the calls into `of` alone do not. */
static void backward(struct costing *c, int64_t *most)
{
	const struct flow_input *in = &c->fl->in;
	struct below *of = NEED_ARRAY(c->bounds, struct below, (size_t)c->n + 1);

	/* In a cycle all of the cost may still arrive, until the calls bound it. */
	for (uint32_t k = 0; k < c->n; k++)
		for (unsigned s = UNDER; in->cycle[c->fn[k]] && s < INSIDE; s++)
			of[k].hi[s] = c->fl->passing[c->fn[k]];
	for (uint32_t k = c->n; k-- > 0;) {
		if (k % POLL == 0)
			need_time(c->cancel);
		fetch_calls(c, k - FLOW_FAR, k - FLOW_NEAR);
		if (c->reached[c->fn[k]] & (1u << UNDER | 1u << VIA_SEEN))
			look_below(c, of, c->fn[k], &of[k]);
		else if (in->cycle[c->fn[k]])
			of[k] = (struct below){0};
	}
	for (uint32_t k = 0; k < c->n; k++) {
		cost_add(most, entering(c, of, k));
		if (of[k].hi[UNDER] || of[k].hi[VIA_SEEN])
			c->odd |=
				c->fl->odd[c->fn[k]] && only_state(c, c->fn[k]) == STATES;
	}
}

static void mark_set(const struct costing *c, const struct fn_set *set, uint8_t bit)
{
	for (uint32_t f = set ? fnset_next(set, 0) : FNSET_NONE; f != FNSET_NONE;
	     f = fnset_next(set, f + 1))
		c->marks[f] |= c->within[f] ? bit : 0;
}

/* The cost that enters the functions that matter from others is OUTSIDE. */
static void find_starts(struct costing *c)
{
	const struct flow_input *in = &c->fl->in;

	for (uint32_t k = 0; k < c->n; k++) {
		const uint32_t f = c->fn[k];

		c->starts[k] = c->fl->root[f];
		c->root[k] = path_root(c->fl, f);
		for (uint32_t e = in->in_first[f]; e < in->in_first[f + 1]; e++) {
			const uint32_t i = in->in_edge[e];

			if (c->within[in->caller[i]])
				continue;
			c->starts[k] += flow_cost(c->fl, i);
			cost_add(&c->root[k], in->incl[i]);
		}
	}
}

static void path_cost_narrow(struct costing *c, const struct path_cost_query *q)
{
	const struct flow *fl = c->fl;
	const size_t n = (size_t)fl->in.functions + 1;
	uint8_t *below = NULL, *within;

	if (q->under)
		chain_with(fl, q->under, NULL, false, &below, c->arena);
	chain_with(fl, q->of, below, true, &within, c->arena);
	c->within = within;
	c->marks = NEED_ARRAY(c->arena, uint8_t, n);
	c->fn = NEED_ARRAY(c->arena, uint32_t, n);
	c->place = NEED_ARRAY(c->arena, uint32_t, n);
	c->n = 0;
	for (uint32_t i = 0; i < fl->in.functions; i++)
		if (within[fl->in.topo[i]]) {
			c->place[fl->in.topo[i]] = c->n;
			c->fn[c->n++] = fl->in.topo[i];
		}
	c->starts = NEED_ARRAY(c->arena, double, (size_t)c->n + 1);
	c->root = NEED_ARRAY(c->arena, int64_t, (size_t)c->n + 1);
	mark_set(c, q->of, IN_OF);
	mark_set(c, q->under, IN_UNDER);
	mark_set(c, q->via, IN_VIA);
	mark_set(c, q->avoiding, IN_AVOID);
	find_starts(c);
}

/* Without cycles and calls that record too much, the sums agree; doubles are exact up to
 * 2^53. */
static bool sums_agree(const struct costing *c)
{
	const int64_t exact = (int64_t)1 << 53;
	const struct flow *fl = c->fl;
	bool agree = !fl->keep;

	for (uint32_t k = 0; k < c->n && agree; k++)
		agree = !fl->in.cycle[c->fn[k]] && !fl->odd[c->fn[k]] &&
			fl->passing[c->fn[k]] < exact;
	return agree;
}

static void prepare_costing(struct costing *c, const struct path_cost_query *q)
{
	size_t n;

	path_cost_narrow(c, q);
	find_reached(c);
	c->sums = sums_agree(c);
	n = (size_t)c->n + 1;
	c->at = NEED_ARRAY(c->bounds, struct split, n);
	c->arrived_lo = NEED_ARRAY(c->bounds, int64_t, n);
	c->arrived_hi = NEED_ARRAY(c->bounds, int64_t, n);
}

static void find_bounds(struct costing *c, const struct path_cost_query *q, int64_t *lo,
			int64_t *hi)
{
	int64_t most = 0;

	prepare_costing(c, q);
	forward(c);
	backward(c, &most);
	for (uint32_t k = 0; k < c->n; k++) {
		cost_add(lo, c->arrived_lo[k]);
		cost_add(hi, c->arrived_hi[k]);
	}
	*hi = path_cost_least(*hi, most);
}

/* The estimate where pairs of ways are known: each function is one for each way into it
 * (way_flow.h). */
static void estimate_by_ways(const struct way_flow *w, const struct path_cost_query *q,
			     const struct costing *of, double *est)
{
	struct path_cost_query by = {0};
	struct costing c = *of;

	c.fl = &w->flow;
	way_flow_set(w, q->of, c.arena, &by.of);
	way_flow_set(w, q->under, c.arena, &by.under);
	way_flow_set(w, q->via, c.arena, &by.via);
	way_flow_set(w, q->avoiding, c.arena, &by.avoiding);
	path_cost_narrow(&c, &by);
	find_reached(&c);
	estimate_cost(&c, est);
	*est /= w->scale;
}

/* The answer for one flow. */
static void cost_in_flow(const struct flow *fl, const struct path_cost_query *q,
			 struct arena *a, const struct cancel *cancel,
			 struct path_bounds *out)
{
	struct costing c = {
		.fl = fl,
		.arena = a,
		.cancel = cancel,
		.under = q->under,
		.via = q->via,
		.ready = q->via ? VIA_SEEN : UNDER,
		.enter = q->under ? OUTSIDE : UNDER,
	};
	int64_t lo = 0, hi = 0;
	struct arena *bounds;
	struct way_flow *ways = NULL;
	uint8_t *above = NULL;
	double est = 0;

	bounds = need_scratch(a);
	c.bounds = bounds;
	find_bounds(&c, q, &lo, &hi);
	scratch_free(bounds);
	if (lo == hi) {
		est = (double)lo;
	} else {
		if (fl->pairs)
			chain_with(fl, q->of, NULL, true, &above, a);
		way_flow_new(fl, above, a, cancel, &ways);
		if (ways)
			estimate_by_ways(ways, q, &c, &est);
		else
			estimate_cost(&c, &est);
	}
	*out = path_bounds_of(est, lo, hi, !fl->mixed && (lo == hi || !c.odd));
}

/* ---- the last answers ---- */

/* Questions come again, with other columns or stages.  Their sets lie in the arena of the flow. */
struct costs_kept {
	struct cost_kept {
		struct fn_set *set[4], *room[4]; /* NULL: not asked; none yet */
		struct path_bounds is;
	} last[4];
	unsigned n; /* asked so far */
};

/* Was this asked before? */
static bool path_cost_kept(const struct flow *fl, const struct fn_set *const set[4],
			   struct path_bounds *out)
{
	const struct costs_kept *k = fl->kept ? *fl->kept : NULL;

	for (unsigned i = 0; k && i < COUNT(k->last) && i < k->n; i++) {
		const struct cost_kept *c = &k->last[i];
		bool same = true;

		for (unsigned s = 0; s < 4; s++)
			same &= fnset_same(c->set[s], set[s]);
		*out = c->is;
		if (same)
			return true;
	}
	return false;
}

static void path_cost_keep(const struct flow *fl, const struct fn_set *const set[4],
			   const struct path_bounds *is)
{
	struct cost_kept *c;

	if (!fl->kept)
		return;
	if (!*fl->kept)
		*fl->kept = NEED_NEW(fl->arena, struct costs_kept);
	c = &(*fl->kept)->last[(*fl->kept)->n % COUNT((*fl->kept)->last)];
	for (unsigned s = 0; s < 4; s++)
		if (set[s] && !c->room[s])
			c->room[s] = fnset_new(fl->arena, set[s]->functions);
	/* Nothing below can fail: a slot is of one question. */
	for (unsigned s = 0; s < 4; s++) {
		if ((c->set[s] = set[s] ? c->room[s] : NULL))
			fnset_become(c->set[s], set[s]);
	}
	c->is = *is;
	(*fl->kept)->n++;
}

static void cost_of_flow(const struct flow *fl, const struct path_cost_query *q,
			 struct arena *a, const struct cancel *cancel,
			 struct path_bounds *out)
{
	const struct fn_set *const set[4] = {q->of, q->under, q->via, q->avoiding};

	if (path_cost_kept(fl, set, out))
		return;
	cost_in_flow(fl, q, a, cancel, out);
	path_cost_keep(fl, set, out);
}

void path_cost(const struct flow *fl, const struct path_cost_query *q, struct arena *a,
	       const struct cancel *cancel, struct path_bounds *out)
{
	struct path_bounds sum = {0};
	const struct flow *part;
	struct arena *scratch;

	scratch = need_scratch(a);
	cost_of_flow(fl, q, scratch, cancel, out);
	if (!q->parts || out->measured) {
		scratch_free(scratch);
		return;
	}
	sum.bounded = flow_parts_proven(q->parts);
	flow_parts_rewind(q->parts);
	for (;;) {
		struct path_bounds b;

		flow_parts_next(q->parts, &part);
		if (!part)
			break;
		arena_reset(scratch);
		cost_in_flow(part, q, scratch, cancel, &b);
		sum.est += b.est;
		cost_add(&sum.lo, b.lo);
		cost_add(&sum.hi, b.hi);
		sum.bounded &= b.bounded;
	}
	scratch_free(scratch);
	if (out->bounded && sum.bounded)
		*out = path_bounds_of(sum.est, sum.lo > out->lo ? sum.lo : out->lo,
				      path_cost_least(sum.hi, out->hi), true);
	else
		*out = path_bounds_of(sum.est, out->lo, out->hi, out->bounded);
}
