/*
 * causes.c - see causes.h.
 *
 * The estimate: the calls that a function causes are its callers' by how often each calls it,
 * whatever the calls cost.  A cycle as a whole causes what its members do; a member causes of
 * that what it makes outside the cycle, or what the cost that leads through it brings.  A unit of cost through a caller g of the
 * set brings calls(g) / through(g) of the calls, so a unit through f brings
 *
 *	u(f) = calls(f) / through(f) + sum over the calls of f of share(f -> h) * u(h)
 *
 * The bounds ask what can be above a caller.  f causes at least the calls of the callers that
 * it dominates, since each way from a root to them leads through it; and at most the calls of
 * those that it reaches.
 *
 *	main -> f -> malloc 3	f -> h		f causes 3 at least, and 8 at most, as it
 *	main -> g -> h -> malloc 5		reaches h; g causes 0 to 5, main 8
 */
#include "engine/path/causes.h"

#include <math.h>
#include <string.h>

#include "engine/flow/chain.h"
#include "engine/graph/flow_parts.h"
#include "engine/names/fnset.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

enum {
	POLL = 65536,	    /* functions between two polls of cancel */
	BLOCK = 64,	    /* callers that are looked for at once: bits of a word */
	VISITS = 100000000, /* functions and edges that all blocks may visit */
};

struct causing {
	const struct flow *fl;
	const struct causes_query *q;
	struct arena *a;
	const struct cancel *cancel;
	struct cause *out;
};

static void causes_poll(const struct causing *c, uint32_t i)
{
	if (!(i % POLL))
		need_time(c->cancel);
}

/* direct[f]: the calls of the set that f itself makes. */
static uint64_t *count_direct(const struct causing *c, const struct flow *fl,
			      struct arena *a, uint64_t *all)
{
	const struct flow_input *in = &fl->in;
	uint64_t *direct = NEED_ARRAY(a, uint64_t, (size_t)in->functions + 1);

	for (uint32_t f = 0; direct && f < in->functions; f++) {
		if (fnset_has(c->q->of, c->q->c->fn[f]))
			continue;
		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++)
			if (fnset_has(c->q->of, c->q->c->fn[in->callee[i]]))
				count_add(&direct[f], in->calls[i]);
		count_add(all, direct[f]);
	}
	return direct;
}

/* ---- the estimate ---- */

/* A cycle counts as one function: what its members make, the whole cycle causes. */
static bool same_cycle(const struct flow_input *in, uint32_t f, uint32_t g)
{
	return f == g || (in->cycle[f] && in->cycle[f] == in->cycle[g]);
}

/* made[f]: the calls of direct[] that f makes, or functions that it calls outside its cycle;
 * caused[f]: those of its cycle, or its own.  Those of a function are its
 * callers' by how often each calls it; of calls that nobody counted, by their cost.  A cycle is
 * one function: what its members make, all of them cause. */
static void share_calls(const struct flow *fl, const uint64_t *direct, double *made,
			double *caused)
{
	const struct flow_input *in = &fl->in;

	for (uint32_t end = in->functions, first; end > 0; end = first) {
		double all = 0, calls = 0;

		first = flow_component(in, in->topo, end);
		for (uint32_t i = end; i-- > first;) {
			const uint32_t f = in->topo[i];

			all += made[f] += (double)direct[f];
			for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++)
				if (!same_cycle(in, in->caller[in->in_edge[k]], f))
					calls += (double)in->calls[in->in_edge[k]];
		}
		for (uint32_t i = first; i < end; i++) {
			const uint32_t f = in->topo[i];

			caused[f] = all;
			for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++) {
				const uint32_t e = in->in_edge[k];

				if (!same_cycle(in, in->caller[e], f))
					made[in->caller[e]] +=
						all *
						(calls > 0 ? (double)in->calls[e] / calls
							   : flow_share(fl, e, f));
			}
		}
	}
}

/* Add the estimate of one flow; costs[function]: the inclusive cost that it is of.  Values are
 * shares of all calls for `unit` of cost, the largest that passes a function, so that they are
 * not tiny. */
static void estimate_flow(struct causing *c, const struct flow *fl, struct arena *a,
			  double *costs)
{
	const struct path_contexts *of = c->q->c;
	const uint32_t n = fl->in.functions;
	double *own = NEED_ARRAY(a, double, (size_t)n + 1);
	double *value = NEED_ARRAY(a, double, (size_t)n + 1);
	double *incl = NEED_ARRAY(a, double, (size_t)n + 1);
	double *made = NEED_ARRAY(a, double, (size_t)n + 1);
	double *caused = NEED_ARRAY(a, double, (size_t)n + 1);
	uint8_t *known = NEED_ARRAY(a, uint8_t, (size_t)n + 1);
	struct fn_set *some = fnset_new(a, n);
	uint64_t all = 0;
	const uint64_t *direct = count_direct(c, fl, a, &all);
	double unit = 0; /* values are shares of all calls for so much cost */

	for (uint32_t f = 0; f < n; f++)
		unit = fmax(unit, fl->through[f]);
	for (uint32_t f = 0; f < n; f++)
		if (direct[f] && fl->through[f] > 0)
			own[f] = (double)direct[f] / (double)all * unit / fl->through[f];
	chain_expect(fl, known, own, value, a, c->cancel);
	for (uint32_t f = 0; f < n; f++)
		if (value[f] > 0 && !of->again[f])
			fnset_add(some, f);
	path_outermost(fl, some, incl, a);
	share_calls(fl, direct, made, caused);
	for (uint32_t f = 0; f < n; f++) {
		const double by_cost = incl[f] * value[f] / unit * (double)all;

		if (!of->again[f])
			c->out[of->fn[f]].est +=
				fl->in.cycle[f] ? fmax(made[f], fmin(caused[f], by_cost))
						: caused[f];
		costs[of->fn[f]] += incl[f];
	}
	/* An inner context has an outer one above it, which causes at least as many. */
	for (uint32_t f = 0; f < n; f++)
		if (of->again[f])
			c->out[of->fn[f]].est = fmax(c->out[of->fn[f]].est, made[f]);
}

/* Sum the estimates of the parts, if there are any; else take that of the whole. */
static void estimate_parts(struct causing *c, double *costs)
{
	const struct flow *part;
	struct arena *scratch;

	scratch = need_scratch(c->a);
	if (!c->q->parts) {
		estimate_flow(c, c->fl, scratch, costs);
	} else {
		flow_parts_rewind(c->q->parts);
		for (;;) {
			flow_parts_next(c->q->parts, &part);
			if (!part)
				break;
			arena_reset(scratch);
			estimate_flow(c, part, scratch, costs);
		}
	}
	scratch_free(scratch);
}

/* Contexts of one function that may be on the stack together have more cost than it. */
static void estimate_causes(struct causing *c)
{
	const struct path_contexts *of = c->q->c;
	double *costs = NEED_ARRAY(c->a, double, (size_t)c->q->functions + 1);

	estimate_parts(c, costs);
	for (uint32_t f = 0; f < c->q->functions; f++)
		if (of->whole && of->whole[f].est < costs[f])
			c->out[f].est *= of->whole[f].est / costs[f];
}

/* ---- at least: dominators (Cooper, Harvey, Kennedy) ---- */

struct dominators {
	uint32_t n;
	uint32_t *of; /* [n]: functions, callers first; of[0] stands above all roots */
	uint32_t *number; /* [functions]: its place there; 0: not met yet */
	uint32_t *up;	  /* [n]: the place of the function that dominates it */
	uint8_t *root;	  /* [functions] */
};

/* Visit f and all below, without recursion: stack[] holds the way from f, next[v] the next call
 * of v to follow.  A function is put into of[] when all below it are there; of[] is filled from
 * its end, so callers come first, but for calls that close a cycle. */
static void visit(const struct flow_input *in, struct dominators *d, uint32_t *next,
		  uint32_t *stack, uint32_t f, uint32_t *at)
{
	uint32_t depth = 0;

	d->number[f] = 1;
	stack[depth++] = f;
	while (depth) {
		const uint32_t v = stack[depth - 1];

		if (next[v] == in->out_first[v + 1]) {
			d->of[--*at] = v;
			depth--;
		} else if (!d->number[in->callee[next[v]++]]) {
			stack[depth] = in->callee[next[v] - 1];
			d->number[stack[depth++]] = 1;
		}
	}
}

static bool called_by_others(const struct flow_input *in, uint32_t f)
{
	for (uint32_t k = in->in_first[f]; k < in->in_first[f + 1]; k++)
		if (in->caller[in->in_edge[k]] != f)
			return true;
	return false;
}

/* Number the functions; those of a cycle that nothing else leads to are all roots. */
static void number_functions(struct causing *c, struct dominators *d)
{
	const struct flow_input *in = &c->fl->in;
	const uint32_t n = in->functions;
	uint32_t *next = NEED_ARRAY(c->a, uint32_t, (size_t)n + 1);
	uint32_t *stack = NEED_ARRAY(c->a, uint32_t, (size_t)n + 1), at = n + 1;

	d->n = n + 1;
	d->of = NEED_ARRAY(c->a, uint32_t, (size_t)n + 1);
	d->number = NEED_ARRAY(c->a, uint32_t, (size_t)n + 1);
	d->up = NEED_ARRAY(c->a, uint32_t, (size_t)n + 1);
	d->root = NEED_ARRAY(c->a, uint8_t, (size_t)n + 1);
	memcpy(next, in->out_first, n * sizeof(*next));
	for (uint32_t f = 0; f < n; f++)
		if ((d->root[f] = c->fl->root[f] > 0 || !called_by_others(in, f)) &&
		    !d->number[f])
			visit(in, d, next, stack, f, &at);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t f = in->topo[i];

		if (d->number[f])
			continue;
		for (uint32_t k = i; k < n && in->cycle[in->topo[k]] == in->cycle[f]; k++)
			d->root[in->topo[k]] = 1;
		visit(in, d, next, stack, f, &at);
	}
	for (uint32_t k = 1; k < d->n; k++)
		d->number[d->of[k]] = k;
}

/* The last place that stands above both. */
static uint32_t meet(const struct dominators *d, uint32_t a, uint32_t b)
{
	while (a != b)
		if (a > b)
			a = d->up[a];
		else
			b = d->up[b];
	return a;
}

/* Sweep over the functions, callers first, until nothing changes: what dominates a function
 * is the last place that stands above all its callers.  Without cycles the second sweep
 * changes nothing. */
static void find_dominators(struct causing *c, struct dominators *d)
{
	const struct flow_input *in = &c->fl->in;
	bool changed = true;

	number_functions(c, d);
	memset(d->up, 0xff, d->n * sizeof(*d->up));
	while (changed) {
		changed = false;
		for (uint32_t k = 1; k < d->n; k++) {
			const uint32_t f = d->of[k];
			uint32_t up = d->root[f] ? 0 : FLOW_NONE;

			causes_poll(c, k);
			for (uint32_t i = in->in_first[f]; i < in->in_first[f + 1]; i++) {
				const uint32_t p = d->number[in->caller[in->in_edge[i]]];

				if (p == k || d->up[p] == FLOW_NONE)
					continue;
				up = up == FLOW_NONE ? p : meet(d, p, up);
			}
			changed |= d->up[k] != up;
			d->up[k] = up;
		}
	}
}

/* Does another context of the function of place k dominate it? */
static bool dominated_by_own(const struct causing *c, const struct dominators *d,
			     uint32_t k)
{
	const uint32_t *fn = c->q->c->fn;

	for (uint32_t p = d->up[k]; p; p = d->up[p])
		if (fn[d->of[p]] == fn[d->of[k]])
			return true;
	return false;
}

/* From the end, the calls of a function are complete when they are added to those of the
 * function that dominates it.  A context below another one of its function is counted by
 * that. */
static void at_least(struct causing *c, const uint64_t *direct)
{
	struct dominators d;
	uint64_t *sum;

	find_dominators(c, &d);
	sum = NEED_ARRAY(c->a, uint64_t, d.n);
	for (uint32_t k = d.n; k-- > 1;) {
		const uint32_t f = d.of[k];

		count_add(&sum[k], direct[f]);
		if (d.up[k])
			count_add(&sum[d.up[k]], sum[k]);
		if (sum[k] && !dominated_by_own(c, &d, k))
			count_add(&c->out[c->q->c->fn[f]].lo, sum[k]);
	}
}

/* ---- at most: callers within reach ---- */

/* below[f]: a bit for each caller of the block that f reaches, or is. */
static void look_down(const struct flow_input *in, uint64_t *below)
{
	for (uint32_t end = in->functions, first; end > 0; end = first) {
		uint64_t any = 0;

		first = flow_component(in, in->topo, end);
		for (uint32_t i = end; i-- > first;) {
			const uint32_t f = in->topo[i];

			any |= below[f];
			for (uint32_t e = in->out_first[f]; e < in->out_first[f + 1]; e++)
				any |= below[in->callee[e]];
		}
		for (uint32_t i = first; i < end; i++)
			below[in->topo[i]] = any;
	}
}

/* The callers are looked for in blocks of BLOCK, each with a pass over the graph.  If that takes
 * more than VISITS, several callers share a bit: then all of them count as reached if one is,
 * which is still an upper bound. */
static void at_most(struct causing *c, const uint64_t *direct)
{
	const struct flow_input *in = &c->fl->in;
	const size_t n = in->functions, functions = c->q->functions;
	const size_t most = 1 + VISITS / (n + in->edges + 1);
	uint64_t *below = NEED_ARRAY(c->a, uint64_t, n + 1);
	uint64_t *of = NEED_ARRAY(c->a, uint64_t, functions + 1);
	size_t callers = 0, blocks;

	for (size_t f = 0; f < n; f++)
		callers += direct[f] > 0;
	blocks = (callers + BLOCK - 1) / BLOCK;
	blocks = blocks < most ? blocks : most;
	for (size_t b = 0; b < blocks; b++) {
		uint64_t weight[BLOCK] = {0};
		size_t slot = 0;

		memset(below, 0, n * sizeof(*below));
		memset(of, 0, functions * sizeof(*of));
		for (size_t f = 0; f < n; f++)
			if (direct[f] && slot++ % blocks == b) {
				const size_t bit = (slot - 1) / blocks % BLOCK;

				below[f] |= (uint64_t)1 << bit;
				count_add(&weight[bit], direct[f]);
			}
		look_down(in, below);
		for (size_t f = 0; f < n; f++)
			of[c->q->c->fn[f]] |= below[f];
		for (size_t f = 0; f < functions; f++)
			for (uint64_t bits = of[f]; bits; bits &= bits - 1)
				count_add(&c->out[f].hi, weight[__builtin_ctzll(bits)]);
		need_time(c->cancel);
	}
}

/* The last answer, in the arena of the flow: of the functions of the flow itself. */
struct causes_kept {
	struct fn_set *of;
	struct cause *out; /* [functions of the flow] */
	uint64_t calls;
};

static bool may_keep(const struct flow *fl, const struct causes_query *q)
{
	return fl->causes && !q->parts && !q->c->whole;
}

static void keep_causes(const struct flow *fl, const struct causes_query *q,
			const struct cause *out, uint64_t calls)
{
	struct causes_kept *k = *fl->causes;

	if (!k) {
		k = NEED_NEW(fl->arena, struct causes_kept);
		k->of = fnset_new(fl->arena, q->functions);
		k->out = NEED_ARRAY(fl->arena, struct cause, (size_t)q->functions + 1);
	}
	fnset_become(k->of, q->of);
	memcpy(k->out, out, q->functions * sizeof(*out));
	k->calls = calls;
	*fl->causes = k;
}

void path_causes(const struct flow *fl, const struct causes_query *q, struct arena *a,
		 const struct cancel *cancel, struct cause *out, uint64_t *calls)
{
	const struct causes_kept *kept = may_keep(fl, q) ? *fl->causes : NULL;
	struct causing c = {fl, q, a, cancel, out};
	const uint64_t *direct;

	if (kept && fnset_same(kept->of, q->of)) {
		memcpy(out, kept->out, q->functions * sizeof(*out));
		*calls = kept->calls;
		return;
	}
	direct = count_direct(&c, fl, a, calls);
	estimate_causes(&c);
	at_least(&c, direct);
	at_most(&c, direct);
	for (uint32_t f = 0; f < q->functions; f++)
		out[f].est = fmax((double)out[f].lo, fmin((double)out[f].hi, out[f].est));
	if (may_keep(fl, q))
		keep_causes(fl, q, out, *calls);
}

/* Vertices stand behind their callers: from the end, sum[] of a vertex is complete when it is
 * met.  Of a function that is on the stack twice only the outermost vertex counts. */
void known_causes(const struct stacks *s, const struct fn_set *of, struct arena *a,
		  const struct cancel *cancel, struct cause *out, uint64_t *calls)
{
	struct err failed = {0};
	uint64_t *sum = NEED_ARRAY(a, uint64_t, (size_t)s->n + 1);
	uint32_t *above = NEED_ARRAY(a, uint32_t, (size_t)s->n + 1);

	need(stacks_above(s, above, a, cancel, &failed), &failed);
	for (uint32_t v = s->n; v-- > 0;) {
		const uint32_t up = s->caller[v];
		struct cause *c = &out[s->fn[v]];

		if (above[v] == UINT32_MAX)
			count_add(&c->lo, sum[v]);
		c->hi = c->lo;
		c->est = (double)c->lo;
		if (up == FLOW_NONE)
			continue;
		count_add(&sum[up], sum[v]);
		if (fnset_has(of, s->fn[v]) && !fnset_has(of, s->fn[up])) {
			count_add(&sum[up], s->calls[v]);
			count_add(calls, s->calls[v]);
		}
	}
}
