/*
 * why_place.c - the line of a cause: the call that is new or made more often, or the line
 * inside the function that costs more than any on the other side, where that costs less; see
 * why.h.
 *
 * Lines have no names, and an edit moves all below it.  So the lines of the two sides are
 * compared by what they cost in one run of the function: what has an equal on the other side
 * did not change.  Call sites are put side by side (why_align()).
 *
 * Code that is inlined from a header of the system stands for the line of the function that
 * calls it, if the debug information of both sides tells:
 *
 *	new_allocator.h:158 in main, inlined at basic_string.h:239, at shop.cpp:47: shop.cpp:47
 */
#include "engine/why/why_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/inline/inlined.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"
#include "index/base/order.h"

/* A line, and its cost in one run. */
struct line_cost {
	struct str name;
	uint32_t number; /* of the file, the same on both sides */
	uint32_t line;
	double per_run;
	bool matched;
};

struct line_costs {
	struct line_cost *at;
	size_t n;
};

/* A line of no file leads nowhere. */
static void set_place(struct str file, uint32_t line, bool gone, struct why_place *out)
{
	if (!str_eq(file, STR("???")))
		*out = (struct why_place){file, line, 0, gone};
}

static int by_per_run(const void *pa, const void *pb)
{
	const struct line_cost *a = *(const struct line_cost *const *)pa,
			       *b = *(const struct line_cost *const *)pb;
	const int c = order_double(a->per_run, b->per_run);

	return c ? c : order_u64((uint64_t)a->line, (uint64_t)b->line);
}

static struct line_cost **sorted(struct exec *x, const struct line_costs *p)
{
	struct line_cost **at = EXEC_ARRAY(x, struct line_cost *, p->n + 1);

	for (size_t i = 0; at && i < p->n; i++)
		at[i] = &p->at[i];
	if (at && p->n)
		qsort(at, p->n, sizeof(struct line_cost *), by_per_run);
	return at;
}

/* Mark in both what has an equal in the other, each once. */
static int match_equals(struct exec *x, const struct line_costs *a,
			const struct line_costs *b)
{
	static const double near = 1e-3;
	struct line_cost **pa = sorted(x, a), **pb = sorted(x, b);
	size_t i = 0, j = 0;

	if (!pa || !pb)
		return x->err->kind;
	while (i < a->n && j < b->n) {
		const double d = pa[i]->per_run - pb[j]->per_run;

		if (fabs(d) <= near * pb[j]->per_run)
			pa[i++]->matched = pb[j++]->matched = true;
		else if (d < 0)
			i++;
		else
			j++;
	}
	return 0;
}

/* The largest that is not matched, of the program rather than of the system. */
static const struct line_cost *largest(const struct line_costs *p)
{
	const struct line_cost *best[2] = {NULL, NULL};

	for (size_t i = 0; i < p->n; i++) {
		const struct line_cost *one = &p->at[i];
		const struct line_cost **to = &best[why_of_system(one->name)];

		if (!one->matched && (!*to || one->per_run > (*to)->per_run))
			*to = one;
	}
	return best[0] ? best[0] : best[1];
}

/* ---- calls ---- */

/* The sites of c on both sides; own: their places in the program, as far as known.
 * *mixed: on one side they are. */
static void sites_of_call(struct why *w, const struct why_cause *c, bool own,
			  struct why_sites s[SIDES], bool *mixed)
{
	struct exec *x = w->run[HERE];
	bool of[SIDES] = {false, false};

	for (unsigned k = 0; k < SIDES; k++) {
		struct why_sites all;

		s[k] = (struct why_sites){0};
		if (w->fn[k][c->fn] == WHY_NONE)
			continue;
		why_sites_of(w, k, c->fn, own, x->a, &all);
		s[k] = why_sites_to(&all, c->callee);
		for (size_t i = 0; i < s[k].n; i++)
			of[k] |= why_of_system(s[k].at[i].name);
	}
	*mixed = s[BASE].n && s[HERE].n && of[BASE] != of[HERE];
}

/* The site whose cost in one run changed most in the direction of the cause. */
static int place_of_call(struct why *w, const struct why_cause *c, struct why_place *out)
{
	struct exec *x = w->run[HERE];
	const double sign = c->cost < 0 ? -1 : 1;
	struct why_sites s[SIDES];
	uint32_t *of[SIDES] = {NULL, NULL}, numbers = 0, best = 0;
	bool mixed, aligned;
	double *gain;
	int rc;

	sites_of_call(w, c, true, s, &mixed);
	if (mixed)
		sites_of_call(w, c, false, s, &mixed);
	aligned = why_align(w, c->fn, s, x->a, of, &numbers, &rc);
	if (rc || (!aligned && s[BASE].n && s[HERE].n && s[BASE].n + s[HERE].n > 2))
		return rc;
	gain = EXEC_ARRAY(x, double, numbers + s[BASE].n + s[HERE].n);
	for (unsigned k = 0; k < SIDES; k++)
		for (uint32_t i = 0; i < s[k].n; i++)
			gain[aligned ? of[k][i] : i] +=
				(k == HERE ? sign : -sign) *
				why_per_run(s[k].at[i].cost, w->runs[k][c->fn]);
	for (uint32_t i = 0; i < (aligned ? numbers : s[BASE].n + s[HERE].n); i++)
		best = gain[i] > gain[best] ? i : best;
	for (unsigned k = 0; k < SIDES; k++)
		for (uint32_t i = 0; i < s[k].n; i++)
			if ((aligned ? of[k][i] : i) == best)
				set_place(s[k].at[i].name, s[k].at[i].line, k == BASE,
					  out);
	return 0;
}

/* ---- lines inside ---- */

static int by_place(const void *pa, const void *pb)
{
	const struct line_cost *a = pa, *b = pb;
	const int c = order_u64(a->number, b->number);

	return c ? c : order_u64(a->line, b->line);
}

/* The lines of a recorded function. */
static void add_lines(struct why *w, unsigned side, uint32_t f, fn_id fn, bool own,
		      struct line_costs *out)
{
	struct exec *x = w->run[side];
	struct store *st = w->g[side]->st;
	const uint32_t events = store_info(st)->events;
	struct store_line *row = NULL;
	struct inlining *in = NULL;
	int64_t *costs = NULL;
	size_t n = 0;
	struct line_cost *all;

	fn_lines(x, fn, x->a, &row, &costs, &n);
	if (own)
		inlining_new(x, &in);
	all = EXEC_ARRAY(x, struct line_cost, out->n + n + 1);
	if (out->n)
		memcpy(all, out->at, out->n * sizeof(*all));
	out->at = all;
	for (size_t i = 0; i < n; i++)
		why_want_place(in, st, fn, row[i].file, row[i].line, row[i].instr);
	if (in)
		inlining_read(in, false);
	for (size_t i = 0; i < n; i++) {
		const int64_t cost =
			store_event_of(st, w->event[side], &costs[i * events]);
		const struct why_place p = why_own_place(w, side, in, fn, row[i].file,
							 row[i].line, row[i].instr);

		if (!cost)
			continue;
		all[out->n++] = (struct line_cost){
			.name = p.file,
			.number = p.number,
			.line = p.line,
			.per_run = why_per_run((double)cost, w->runs[side][f])};
	}
}

static void list_lines(struct why *w, unsigned side, uint32_t f, bool own,
		       struct line_costs *out)
{
	/* Where a call tree joined contexts, no members are listed: each function is its own. */
	const struct graph *g = w->g[side], *of = g->merge.member ? g->merge.apart : g;
	const uint32_t v = w->fn[side][f];
	double sum = 0;
	size_t k;

	*out = (struct line_costs){0};
	if (v == WHY_NONE || !why_has_detail(g, v))
		return;
	for (uint32_t m = 0; m < graph_members_count(g, v); m++)
		add_lines(w, side, f, graph_origin(of, graph_member(g, v, m)), own, out);
	k = out->n;
	for (size_t i = 0; i < k; i++)
		sum += out->at[i].per_run * w->runs[side][f];
	/* A stage gave it costs of others, which are in no line of it. */
	if ((double)graph_self(g, v, w->event[side]) > sum + 1) {
		out->n = 0;
		return;
	}
	if (k)
		qsort(out->at, k, sizeof(*out->at), by_place);
	out->n = 0;
	for (size_t i = 0; i < k; i++) {
		if (out->n && !by_place(&out->at[out->n - 1], &out->at[i]))
			out->at[out->n - 1].per_run += out->at[i].per_run;
		else
			out->at[out->n++] = out->at[i];
	}
}

/* A line that stands where it stood, and costs nearly the same, is taken for its change. */
static void less_of_same(const struct line_costs *a, struct line_costs *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct line_cost *same =
			a->n ? bsearch(&b->at[i], a->at, a->n, sizeof(*same), by_place)
			     : NULL;

		if (same && !b->at[i].matched &&
		    fabs(same->per_run - b->at[i].per_run) < 0.5 * b->at[i].per_run)
			b->at[i].per_run -= same->per_run;
	}
}

/* Is a line in a header of the system? */
static bool any_of_system(const struct line_costs *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (why_of_system(p->at[i].name))
			return true;
	return false;
}

static void place_inside(struct why *w, const struct why_cause *c, struct why_place *out)
{
	const unsigned more = c->cost < 0 ? BASE : HERE; /* the side that spends more */
	struct line_costs p[SIDES];
	const struct line_cost *best;

	for (unsigned own = 2; own--;) {
		for (unsigned k = 0; k < SIDES; k++)
			list_lines(w, k, c->fn, own, &p[k]);
		if (any_of_system(&p[BASE]) == any_of_system(&p[HERE]))
			break;
	}
	need(match_equals(w->run[HERE], &p[BASE], &p[HERE]), w->run[HERE]->err);
	less_of_same(&p[!more], &p[more]);
	best = largest(&p[more]);
	best = best ? best : largest(&p[!more]);
	if (best)
		set_place(best->name, best->line, more == BASE, out);
}

int why_place(struct why *w, const struct why_cause *c, struct why_place *out)
{
	*out = (struct why_place){0};
	if (c->fn == w->root)
		return 0;
	if (c->callee == WHY_NONE) {
		place_inside(w, c, out);
		return 0;
	}
	return place_of_call(w, c, out);
}
