/*
 * vs_runs.c - the least, median and most that a function costs in one run.
 *
 * Each side of a comparison may be several runs of a program, added up.  A run is the parts
 * with one pid; if the profile has none, those of one file.  A function that a run does not
 * have cost 0 there.  A change is noise if the two ranges overlap: some run of one side is
 * no dearer than some run of the other.
 *
 *	base	10 12 13	least 10  median 12  most 13
 *	here	12 15		least 12  median 13  most 15	12 <= 13: noise
 *	here	14 15		least 14  median 14  most 15	a change
 */
#include <stdlib.h>

#include "engine/graph/graph.h"
#include "engine/compare/vs.h"
#include "engine/compare/vs_in.h"
#include "engine/rows/doubt.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/cost.h"
#include "index/base/need.h"

struct vs_runs {
	uint32_t n;	     /* runs, at least 1 */
	const int64_t *cost; /* [functions of the graph * n], each function's ascending */
};

/* Pids are small, so the number of a file is moved above them: pid 1 and file 1 are two
 * runs. */
static uint64_t run_of(const struct part *p)
{
	return p->pid ? p->pid : (uint64_t)p->file << 32;
}

/* Number the runs: run[part], of those parts that count. */
static void number_runs(struct exec *x, uint32_t **out, uint32_t *n)
{
	const uint32_t parts = store_info(x->g->st)->parts;
	uint32_t *run = EXEC_ARRAY(x, uint32_t, (size_t)parts + 1);
	uint64_t *of = EXEC_ARRAY(x, uint64_t, (size_t)parts + 1);
	struct hash known = {.arena = x->a};

	*out = run;
	*n = 0;
	for (uint32_t p = 0; p < parts; p++) {
		struct part part;
		uint32_t h, probe, r;

		if (x->parts && !x->parts[p])
			continue;
		store_part(x->g->st, p, &part);
		h = (uint32_t)hash_mix(run_of(&part));
		probe = hash_start(&known, h);
		while ((r = hash_next(&known, h, &probe)) != HASH_NONE)
			if (of[r] == run_of(&part))
				break;
		if (r == HASH_NONE && hash_add(&known, h, r = (*n)++))
			need_memory(x->a);
		of[r] = run_of(&part);
		run[p] = r;
		exec_poll(x);
	}
}

/* Add the self costs of part p to those of its run: cost[function * runs + run]. */
static void add_part(struct exec *x, uint32_t event, uint32_t p, uint32_t run,
		     const struct vs_runs *r, int64_t *cost)
{
	const uint32_t events = store_info(x->g->st)->events;
	struct arena *scratch;
	int64_t *costs;
	fn_id *fns;
	size_t n;

	scratch = need_scratch(x->a);
	need(store_part_functions(x->g->st, p, scratch, &fns, &costs, &n, x->err),
	     x->err);
	for (size_t i = 0; i < n; i++) {
		const uint32_t f = graph_of_store(x->g, fns[i]);
		int64_t *to = &cost[(size_t)f * r->n + run];

		if (f != GRAPH_NONE)
			cost_add(to, store_event_of(x->g->st, event, &costs[i * events]));
		exec_poll(x);
	}
	scratch_free(scratch);
}

static int compare_costs(const void *a, const void *b)
{
	return cost_order(*(const int64_t *)a, *(const int64_t *)b);
}

/* Sum the parts of each run by function, then sort the costs of each function, so that
 * the least, the median and the most are at known places. */
static void runs_new(struct exec *x, uint32_t event, struct vs_runs **out)
{
	const uint32_t parts = store_info(x->g->st)->parts;
	struct vs_runs *r = EXEC_ARRAY(x, struct vs_runs, 1);
	int64_t *cost;
	uint32_t *run;

	number_runs(x, &run, &r->n);
	cost = EXEC_ARRAY(x, int64_t, (size_t)x->g->functions * r->n + 1);
	for (uint32_t p = 0; p < parts; p++)
		if (!x->parts || x->parts[p])
			add_part(x, event, p, run[p], r, cost);
	for (uint32_t f = 0; f < x->g->functions; f++) {
		qsort(&cost[(size_t)f * r->n], r->n, sizeof(*cost), compare_costs);
		exec_poll_now(x);
	}
	r->cost = cost;
	*out = r;
}

struct vs_range vs_runs_range(const struct vs_runs *r, uint32_t f)
{
	const int64_t *c = f == GRAPH_NONE ? NULL : &r->cost[(size_t)f * r->n];
	struct vs_range out = {0};

	if (!c || r->n == 0)
		return out;
	out.least = c[0];
	out.most = c[r->n - 1];
	out.median = c[(r->n - 1) / 2];
	/* The mean of the two in the middle, by their difference: their sum may not fit. */
	if (r->n % 2 == 0)
		out.median += cost_difference(c[r->n / 2], out.median) / 2;
	return out;
}

bool vs_runs_known(const struct vs *v)
{
	return !v->a.g->marks.estimated && !v->b.g->marks.estimated &&
	       !v->a.g->inlined.extra && !v->b.g->inlined.extra;
}

/* The runs of one event are kept: several columns of a row ask for them. */
void vs_know_runs(struct vs *v, uint32_t event, uint32_t base_event)
{
	if (v->runs[0] && v->runs_event == event)
		return;
	v->runs_event = event;
	runs_new(v->a.x, event, &v->runs[0]);
	runs_new(v->b.x, base_event, &v->runs[1]);
}

void vs_runs_count(struct exec *x, const struct vs *v, bool doubt, uint32_t n[2])
{
	struct str why;
	uint32_t *run;

	number_runs(v->a.x, &run, &n[0]);
	number_runs(v->b.x, &run, &n[1]);
	if (n[0] == n[1] || !doubt)
		return;
	why = arena_printf(x->a,
			   "%u run%s here, %u in the base: compare median with "
			   "base_median, not sums",
			   n[0], n[0] == 1 ? "" : "s", n[1]);
	if (v->of_runs) {
		exec_note(x, why);
		return;
	}
	exec_doubt(x, DOUBT_RUNS, why);
}

bool vs_overlap(const struct vs *v, uint32_t here, uint32_t base)
{
	const struct vs_range now = vs_runs_range(v->runs[0], here),
			      was = vs_runs_range(v->runs[1], base);

	return now.least <= was.most && was.least <= now.most;
}

bool vs_several_runs(struct exec *x, struct vs *v, bool doubt)
{
	uint32_t n[2];

	if (v->a.g->st == v->b.g->st)
		return false;
	vs_runs_count(x, v, doubt, n);
	if (n[0] < 2 || n[1] < 2 || !vs_runs_known(v))
		return false;
	vs_know_runs(v, x->event, v->base.event);
	return true;
}
