/*
 * why_units.c - units of functions that call each other; see why.h.
 *
 * In a cycle the recorded costs of calls count some costs several times.  So a cycle is one
 * unit: what enters it is what is in it and what leaves it.  The recorded costs of calls
 * between units are made to agree with that (repair), callees first.  What is there without
 * a call that brings it came from outside: the root calls it once.
 */
#include "engine/why/why_in.h"

#include <math.h>

#include "engine/graph/graph.h"
#include "engine/rows/exec.h"
#include "index/base/need.h"
#include "index/base/err.h"
#include "index/graph/cycles.h"

/* The calls of the model as cycles_find() wants them. */
static void list_calls(struct why *w, struct arena *a, uint32_t **first,
		       uint32_t **callee)
{
	size_t n = 0;

	for (uint32_t g = 0; g < w->n; g++)
		n += w->outs[g];
	*first = NEED_ARRAY(a, uint32_t, (size_t)w->n + 1);
	*callee = NEED_ARRAY(a, uint32_t, n + 1);
	for (uint32_t g = 0, at = 0; g < w->n; g++) {
		for (uint32_t i = 0; i < w->outs[g]; i++)
			(*callee)[at++] = w->out[g][i].to;
		(*first)[g + 1] = at;
	}
}

/* cycles_find() has callers first, units have callees first. */
static void number_units(struct why *w, const struct cycles *c)
{
	w->units = (uint32_t)c->n;
	for (uint32_t i = 0; i < w->n; i++) {
		const uint32_t f = w->member[i] = c->topo[w->n - 1 - i];

		w->unit[f] = w->units - 1 - c->component[f];
		w->unit_first[w->unit[f] + 1] = i + 1;
	}
	for (uint32_t g = 0; g < w->n; g++)
		for (uint32_t i = 0; i < w->outs[g]; i++)
			w->out[g][i].inside = w->unit[w->out[g][i].to] == w->unit[g];
}

static void find_units(struct exec *x, struct why *w)
{
	uint32_t *first, *callee;
	struct arena *scratch = need_scratch(x->a);
	struct cycles c;

	list_calls(w, scratch, &first, &callee);
	w->unit = EXEC_ARRAY(x, uint32_t, w->n);
	w->member = EXEC_ARRAY(x, uint32_t, w->n);
	w->unit_first = EXEC_ARRAY(x, uint32_t, (size_t)w->n + 1);
	if (cycles_find(w->n, first, callee, &c))
		need_memory_for("while looking for cycles");
	number_units(w, &c);
	cycles_free(&c);
	scratch_free(scratch);
	exec_poll_now(x);
}

/* ---- repair ---- */

/* One side while its units are repaired. */
struct repair {
	struct why *w;
	unsigned side;
	double *cost, *calls; /* [n]: entering each vertex, from outside its unit */
	double *scale;	      /* [units]: of the cost of calls that enter */
	double *per_call;     /* [units]: in place of it, if they cost nothing */
	bool any;	      /* some scale is not 1 */
	double *root;	      /* [n]: cost that the root brings; NaN: it does not call */
};

static void sum_entering(struct repair *r)
{
	const struct why *w = r->w;

	for (uint32_t g = 0; g < w->n; g++)
		for (uint32_t i = 0; i < w->outs[g]; i++) {
			const struct why_edge *e = &w->out[g][i];

			if (e->inside)
				continue;
			r->cost[e->to] += e->cost[r->side];
			r->calls[e->to] += e->calls[r->side];
		}
}

static double repaired(const struct repair *r, const struct why_edge *e)
{
	uint32_t u;

	if (!r->any || e->inside)
		return e->cost[r->side];
	u = r->w->unit[e->to];
	return e->cost[r->side] * r->scale[u] + e->calls[r->side] * r->per_call[u];
}

/* Self cost of f and that of its calls out of the unit. */
static double leaving(const struct repair *r, uint32_t f)
{
	const struct why *w = r->w;
	double sum = w->self[r->side][f];

	for (uint32_t i = 0; i < w->outs[f]; i++)
		if (!w->out[f][i].inside)
			sum += repaired(r, &w->out[f][i]);
	return sum;
}

/* The member that spends the most cost which no call from outside brings. */
static uint32_t entry_of(const struct repair *r, uint32_t u)
{
	const struct why *w = r->w;
	uint32_t best = WHY_NONE;
	double most = -INFINITY;

	for (uint32_t m = w->unit_first[u]; m < w->unit_first[u + 1]; m++) {
		const uint32_t f = w->member[m];
		const double rest = leaving(r, f) - r->cost[f];

		if (why_has(w, r->side, f) && rest > most) {
			most = rest;
			best = f;
		}
	}
	return best;
}

static void repair_unit(struct repair *r, uint32_t u)
{
	/* A unit that is short by less is rounding, or a call that was cut. */
	static const double share = 0.02, units = 50;
	const struct why *w = r->w;
	double need = 0, have = 0, calls = 0;

	for (uint32_t m = w->unit_first[u]; m < w->unit_first[u + 1]; m++) {
		const uint32_t f = w->member[m];

		if (!why_has(w, r->side, f))
			continue;
		need += leaving(r, f);
		have += r->cost[f];
		calls += r->calls[f];
	}
	r->scale[u] = 1;
	if (!(calls > 0) || need - have > share * need + units) {
		const uint32_t entry = entry_of(r, u);

		if (entry != WHY_NONE)
			r->root[entry] = need - have;
	} else if (have > 0) {
		r->scale[u] = need / have;
	} else {
		r->per_call[u] = need / calls;
	}
	r->any |= r->scale[u] != 1 || r->per_call[u] != 0;
}

static void write_repaired(const struct repair *r)
{
	const struct why *w = r->w;

	for (uint32_t g = 0; g < w->n; g++)
		for (uint32_t i = 0; i < w->outs[g]; i++)
			w->out[g][i].cost[r->side] = repaired(r, &w->out[g][i]);
}

/* The root calls what no call brings, too; its unit is the last one. */
static void add_root(struct exec *x, struct why *w, double *const root[SIDES])
{
	const struct why_edge *outside = w->out[w->root];
	const uint32_t outsides = w->outs[w->root];
	uint32_t n = 0, at = 0;

	for (uint32_t f = 0; f < w->root; f++)
		n += !isnan(root[BASE][f]) || !isnan(root[HERE][f]);
	w->out[w->root] = EXEC_ARRAY(x, struct why_edge, (size_t)n + outsides + 1);
	w->outs[w->root] = 0;
	for (uint32_t f = 0; f < w->root; f++) {
		struct why_edge *e = &w->out[w->root][w->outs[w->root]];

		if (!isnan(root[BASE][f]) || !isnan(root[HERE][f])) {
			*e = (struct why_edge){.from = w->root, .to = f};
			for (unsigned s = 0; s < SIDES; s++)
				if (!isnan(root[s][f])) {
					e->calls[s] = 1;
					e->cost[s] = root[s][f];
				}
			e = &w->out[w->root][++w->outs[w->root]];
		}
		for (; at < outsides && outside[at].to == f; w->outs[w->root]++)
			*e++ = outside[at++];
	}
}

static void repair_side(struct why *w, unsigned side, struct arena *scratch,
			double **root)
{
	struct exec *x = w->run[HERE];
	struct repair r = {.w = w,
			   .side = side,
			   .cost = ARENA_ARRAY(scratch, double, w->n),
			   .calls = ARENA_ARRAY(scratch, double, w->n),
			   .scale = ARENA_ARRAY(scratch, double, w->units),
			   .per_call = ARENA_ARRAY(scratch, double, w->units),
			   .root = ARENA_ARRAY(scratch, double, w->n)};

	if (!(*root = r.root))
		need_memory(scratch);
	for (uint32_t f = 0; f < w->n; f++)
		r.root[f] = NAN;
	sum_entering(&r);
	for (uint32_t u = 0; u < w->units; u++) {
		if (u != w->unit[w->root])
			repair_unit(&r, u);
		exec_poll(x);
	}
	if (r.any)
		write_repaired(&r);
}

static void repair(struct exec *x, struct why *w)
{
	struct arena *scratch = need_scratch(x->a);
	double *root[SIDES];

	repair_side(w, BASE, scratch, &root[BASE]);
	repair_side(w, HERE, scratch, &root[HERE]);
	add_root(x, w, root);
	scratch_free(scratch);
}

/* ---- how often functions run ---- */

static void count_runs(struct why *w, unsigned side)
{
	for (uint32_t g = 0; g < w->n; g++)
		for (uint32_t i = 0; i < w->outs[g]; i++)
			w->runs[side][w->out[g][i].to] += w->out[g][i].calls[side];
	w->runs[side][w->root] = 1;
	for (uint32_t f = 0; f < w->root; f++)
		if (w->caller[f] && w->fn[side][f] != WHY_NONE)
			w->runs[side][f] =
				fmax(1, (double)graph_calls(w->g[side], w->fn[side][f]));
}

/* The edges by callee. */
static void index_in(struct exec *x, struct why *w)
{
	size_t edges = 0, *at = EXEC_ARRAY(x, size_t, (size_t)w->n + 2);

	for (uint32_t g = 0; g < w->n; g++)
		for (uint32_t i = 0; i < w->outs[g]; i++, edges++)
			at[w->out[g][i].to + 2]++;
	for (uint32_t f = 0; f < w->n; f++)
		at[f + 2] += at[f + 1];
	w->in_first = at;
	w->in = EXEC_ARRAY(x, struct why_edge *, edges + 1);
	for (uint32_t g = 0; g < w->n; g++)
		for (uint32_t i = 0; i < w->outs[g]; i++)
			w->in[at[w->out[g][i].to + 1]++] = &w->out[g][i];
	exec_poll_now(x);
}

void why_units(struct why *w)
{
	struct exec *x = w->run[HERE];

	find_units(x, w);
	repair(x, w);
	index_in(x, w);
	for (unsigned s = 0; s < SIDES; s++) {
		w->runs[s] = EXEC_ARRAY(x, double, w->n);
		count_runs(w, s);
	}
}
