/*
 * why_splice.c - join functions that one side has alone to their callers; see why.h.
 *
 * Code that is inlined on one side, or split, or moved into a helper, is the same work under
 * another name.  Each caller g gets the share of f that it brought: its part of f's self
 * cost and of f's calls.
 *
 *	main -> helper (new) -> malloc		main -> malloc, through helper
 *
 * What came through which function is kept (struct why_via), so that a row can say "main
 * now calls helper, which is new".  A function without a caller stays.
 */
#include "engine/why/why_in.h"

#include <stdlib.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/graph/graph.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"
#include "index/base/order.h"

/* A function with more ways through it (callers times callees) is not joined: each way
 * would become a call. */
enum { MOST_WAYS = 10000 };

/* A call that begins or ends at a function of one side. */
struct call {
	uint32_t from, to;
	double calls, cost;
	uint32_t next_out, next_in;
	bool dead;
};

struct splice {
	struct why *w;
	struct exec *x;
	unsigned side;
	const bool *one;	 /* of this side alone, and called */
	struct flow_input shape; /* the graph, without costs */
	struct call *call;
	size_t n, cap;
	uint32_t *out, *in; /* [vertices]: first call, or WHY_NONE */
	struct hash by;	    /* (from, to) */
};

static uint32_t hash_pair(uint32_t from, uint32_t to)
{
	return (uint32_t)hash_mix((uint64_t)from << 32 | to);
}

/* Add calls to the one between two vertices. */
static void add_call(struct splice *s, uint32_t from, uint32_t to, double calls,
		     double cost)
{
	const uint32_t h = hash_pair(from, to);
	uint32_t probe = hash_start(&s->by, h), i;
	struct call *c;

	while ((i = hash_next(&s->by, h, &probe)) != HASH_NONE)
		if (s->call[i].from == from && s->call[i].to == to && !s->call[i].dead) {
			s->call[i].calls += calls;
			s->call[i].cost += cost;
			return;
		}
	exec_grow(s->x, &s->call, &s->cap, s->n, s->n + 1, sizeof(*s->call));
	if (hash_add(&s->by, h, (uint32_t)s->n))
		need_memory(s->x->a);
	c = &s->call[s->n];
	*c = (struct call){from, to, calls, cost, s->out[from], s->in[to], false};
	s->out[from] = s->in[to] = (uint32_t)s->n++;
}

/* ---- what came through a function ---- */

static uint32_t hash_via(unsigned side, uint32_t from, uint32_t to, uint32_t through)
{
	return (uint32_t)hash_mix(((uint64_t)from << 32 | to) ^
				  hash_mix((uint64_t)through << 1 | side));
}

static void add_via(struct splice *s, uint32_t from, uint32_t to, uint32_t through,
		    double cost)
{
	struct why *w = s->w;
	const uint32_t h = hash_via(s->side, from, to, through);
	uint32_t probe = hash_start(&w->via_by, h), i;

	while ((i = hash_next(&w->via_by, h, &probe)) != HASH_NONE) {
		struct why_via *v = &w->via[i];

		if (v->side == s->side && v->from == from && v->to == to &&
		    v->through == through) {
			v->cost += cost;
			return;
		}
	}
	exec_grow(s->x, &w->via, &w->via_cap, w->vias, w->vias + 1, sizeof(*w->via));
	if (hash_add(&w->via_by, h, (uint32_t)w->vias))
		need_memory(s->x->a);
	w->via[w->vias] =
		(struct why_via){s->side, from, to, through, cost, w->via_first[from]};
	w->via_first[from] = (uint32_t)w->vias++;
}

double why_via_total(const struct why *w, unsigned side, uint32_t from, uint32_t to)
{
	double sum = 0;

	if (!w->via_first)
		return 0;
	for (uint32_t i = w->via_first[from]; i != WHY_NONE; i = w->via[i].next)
		if (w->via[i].side == side && w->via[i].to == to)
			sum += w->via[i].cost;
	return sum;
}

/* ---- one function ---- */

/* Its calls of itself go first; then its callers and callees are counted. */
static void count_calls(struct splice *s, uint32_t f, size_t *ins, size_t *outs,
			double *calls, double *cost)
{
	*ins = *outs = 0;
	*calls = *cost = 0;
	for (uint32_t i = s->out[f]; i != WHY_NONE; i = s->call[i].next_out) {
		s->call[i].dead |= s->call[i].to == f;
		*outs += !s->call[i].dead;
	}
	for (uint32_t i = s->in[f]; i != WHY_NONE; i = s->call[i].next_in)
		if (!s->call[i].dead) {
			++*ins;
			*calls += s->call[i].calls;
			*cost += s->call[i].cost;
		}
}

/* ---- pieces of a function ---- */

bool why_is_piece(struct str name)
{
	return str_find_str(name, STR(".cold")) < name.n ||
	       str_find_str(name, STR(".part.")) < name.n;
}

/* The name without " [clone .cold]" or ".cold", ".isra.0". */
static struct str why_whole(struct str name)
{
	const size_t bracket = str_find_str(name, STR(" [clone ")),
		     dot = 1 + str_find(str_from(name, name.n > 0), '.');

	name.n = bracket < name.n ? bracket : dot < name.n ? dot : name.n;
	return name;
}

bool why_piece_of(const struct graph *g, uint32_t f, uint32_t of)
{
	const struct str name = graph_name(g, f);

	return why_is_piece(name) &&
	       str_eq(why_whole(name), why_whole(graph_name(g, of)));
}

/* A piece of the caller goes without a name: the caller has what came through others. */
static void give_pieces(struct splice *s, uint32_t f, uint32_t caller, double share)
{
	const struct why *w = s->w;

	for (uint32_t i = w->via_first[f]; i != WHY_NONE; i = w->via[i].next) {
		const struct why_via v = w->via[i];

		if (v.side == s->side)
			add_via(s, caller, v.to, v.through, share * v.cost);
	}
}

/* ---- joining ---- */

/* Give a caller its share of f's self cost and of f's calls. */
static void give(struct splice *s, uint32_t f, uint32_t caller, double share)
{
	struct why *w = s->w;
	const bool piece =
		why_piece_of(w->g[s->side], w->fn[s->side][f], w->fn[s->side][caller]);

	w->self[s->side][caller] += share * w->self[s->side][f];
	if (piece)
		give_pieces(s, f, caller, share);
	else
		add_via(s, caller, WHY_NONE, f, share * w->self[s->side][f]);
	for (uint32_t i = s->out[f]; i != WHY_NONE; i = s->call[i].next_out) {
		const struct call c = s->call[i];

		if (!c.dead) {
			add_call(s, caller, c.to, share * c.calls, share * c.cost);
			if (!piece)
				add_via(s, caller, c.to, f, share * c.cost);
		}
	}
}

/* By cost; in a cycle, where a cost is counted several times, by calls. */
static void join(struct splice *s, uint32_t f, bool in_cycle)
{
	size_t ins, outs;
	double calls, cost;

	count_calls(s, f, &ins, &outs, &calls, &cost);
	if (ins * outs > MOST_WAYS || !ins)
		return;
	for (uint32_t i = s->in[f]; i != WHY_NONE; i = s->call[i].next_in) {
		const struct call c = s->call[i];

		if (c.dead)
			continue;
		s->call[i].dead = true;
		give(s, f, c.from,
		     in_cycle || cost <= 0 ? c.calls / calls : c.cost / cost);
	}
	for (uint32_t i = s->out[f]; i != WHY_NONE; i = s->call[i].next_out)
		s->call[i].dead = true;
	s->w->self[s->side][f] = 0;
	s->w->gone[f] = true;
	s->w->via_first[f] = WHY_NONE;
	s->w->spliced += !why_paired(s->w, f);
	exec_poll_now(s->x);
}

/* ---- one side ---- */

static void read_call(struct splice *s, uint32_t e)
{
	const struct flow_input *in = &s->shape;
	const uint32_t *of = s->w->of[s->side], from = of[in->caller[e]];

	if (from == WHY_NONE || s->w->caller[from])
		return;
	add_call(s, from, of[in->callee[e]], in->calls[e] ? (double)in->calls[e] : 1,
		 (double)graph_edge_incl(s->w->g[s->side], e, s->w->event[s->side]));
}

static bool is_one(const struct splice *s, uint32_t fn)
{
	const uint32_t f = s->w->of[s->side][fn];

	return f != WHY_NONE && s->one[f];
}

static void read_calls(struct splice *s, uint32_t fn)
{
	const struct flow_input *in = &s->shape;

	for (uint32_t e = in->out_first[fn]; e < in->out_first[fn + 1]; e++)
		read_call(s, e);
	for (uint32_t i = in->in_first[fn]; i < in->in_first[fn + 1]; i++) {
		const uint32_t e = in->in_edge[i];

		/* A call between two of them is read once. */
		if (!is_one(s, in->caller[e]))
			read_call(s, e);
	}
}

/* Callees first, so that a caller names the function that it calls itself. */
static void join_side(struct splice *s)
{
	const struct flow_input *in = &s->shape;
	const uint32_t *of = s->w->of[s->side];

	for (uint32_t i = in->functions; i-- > 0;)
		if (is_one(s, in->topo[i]))
			read_calls(s, in->topo[i]);
	for (uint32_t i = in->functions; i-- > 0;) {
		const uint32_t fn = in->topo[i];

		if (is_one(s, fn))
			join(s, of[fn], in->cycle[fn] != 0);
	}
}

static void keep_calls(struct splice *s, struct why_joined *out, size_t *cap)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct call *c = &s->call[i];
		struct why_edge *e;

		if (c->dead)
			continue;
		exec_grow(s->x, &out->edge, cap, out->n, out->n + 1, sizeof(*out->edge));
		e = &out->edge[out->n++];
		*e = (struct why_edge){.from = c->from, .to = c->to};
		e->calls[s->side] = c->calls;
		e->cost[s->side] = c->cost;
	}
}

static bool is_called(const struct why *w, unsigned side, uint32_t f)
{
	const struct graph *g = w->g[side];
	const uint32_t fn = w->fn[side][f], n = graph_caller_count(g, fn);

	for (uint32_t i = 0; i < n; i++)
		if (graph_edge_caller(g, graph_caller(g, fn, i)) != fn)
			return true;
	return false;
}

static int by_ends(const void *pa, const void *pb)
{
	const struct why_edge *a = pa, *b = pb;
	const int c = order_u64(a->from, b->from);

	return c ? c : order_u64(a->to, b->to);
}

void why_splice(struct why *w, bool **joinable, struct why_joined *out)
{
	struct exec *x = w->run[HERE];
	bool *one = EXEC_ARRAY(x, bool, w->n);
	uint32_t count[SIDES] = {0};
	size_t cap = 0;

	*joinable = one;
	for (uint32_t f = 0; f < w->root; f++) {
		const unsigned side = w->fn[HERE][f] != WHY_NONE;

		one[f] = w->fn[!side][f] == WHY_NONE && !w->caller[f] &&
			 !why_is_library(w, f) && !why_in_set(w, w->under, f) &&
			 is_called(w, side, f);
		count[side] += one[f];
	}
	if (!count[BASE] && !count[HERE])
		return;
	w->via_by.arena = x->a;
	w->via_first = EXEC_ARRAY(x, uint32_t, w->n);
	memset(w->via_first, 0xff, w->n * sizeof(uint32_t));
	for (unsigned side = 0; side < SIDES; side++) {
		struct splice s = {.w = w,
				   .x = x,
				   .side = side,
				   .one = one,
				   .out = EXEC_ARRAY(x, uint32_t, w->n),
				   .in = EXEC_ARRAY(x, uint32_t, w->n),
				   .by = {.arena = x->a}};

		memset(s.out, 0xff, w->n * sizeof(uint32_t));
		memset(s.in, 0xff, w->n * sizeof(uint32_t));
		if (!count[side])
			continue;
		graph_shape(w->g[side], &s.shape);
		join_side(&s);
		keep_calls(&s, out, &cap);
	}
	if (out->n)
		qsort(out->edge, out->n, sizeof(*out->edge), by_ends);
}
