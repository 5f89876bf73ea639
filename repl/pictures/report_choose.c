/*
 * report_choose.c - what goes into a report; see report.h.
 *
 * Functions and calls have a budget of bytes, half of it if there is the source, too.  Rows
 * of the answer come first, then the costliest of any event, on either side.
 */
#include "engine/query.h"
#include "engine/graph/graph.h"
#include "engine/lang/result.h"
#include "index/base/err.h"
#include "index/base/cost.h"
#include "index/base/order.h"
#include "repl/pictures/report_in.h"
#include "repl/render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTION_BYTES = 3 << 20, CALL_BYTES = 3 << 20 };

bool report_is_run(const struct result *r)
{
	return strcmp(r->source, "timeline") == 0 && result_col(r, STR("start")) &&
	       result_col(r, STR("incl")) && r->depth_col >= 0;
}

/* ---- both sides ---- */

/* The number of an event of this profile on a side. */
static uint32_t event_on(const struct report *p, unsigned s, uint32_t e)
{
	const struct store *st = p->side[s].g->st;
	struct store_event here;
	uint32_t there;

	store_event(p->side[0].g->st, e, &here);
	there = s ? store_event_find(st, here.name) : e;
	return there < store_info(st)->all_events ? there : GRAPH_NONE;
}

static int prepare_side(struct report *p, unsigned s)
{
	struct side *d = &p->side[s];

	d->event = ARENA_ARRAY(&p->arrays, uint32_t, (size_t)p->events + 1);
	d->total = ARENA_ARRAY(&p->arrays, int64_t, (size_t)p->events + 1);
	d->place = ARENA_ARRAY(&p->arrays, uint32_t, (size_t)d->g->functions + 1);
	if (p->arrays.refused)
		return err_no_memory(p->rd->err, "for a report");
	if (session_graph_calls(d->g, p->rd->err))
		return p->rd->err->kind;
	for (uint32_t e = 0; e < p->events; e++) {
		d->event[e] = event_on(p, s, e);
		if (d->event[e] == GRAPH_NONE)
			continue;
		if (session_graph_event(d->g, d->event[e], p->rd->err))
			return p->rd->err->kind;
		d->total[e] = graph_total(d->g, d->event[e]);
	}
	return 0;
}

/* Functions of this profile, with those of the base that are the same; then those that
 * are gone.  Until functions are chosen, place[] is where they are in fn[]. */
static void match_functions(struct report *p)
{
	const struct compared *c = p->rd->r->compared;
	const uint32_t n = p->side[0].g->functions;

	for (uint32_t f = 0; f < n && !render_cancelled(p->rd, f); f++) {
		p->fn[f] = (struct matched){{f, c ? c->same[0][f] : GRAPH_NONE}};
		p->side[0].place[f] = f;
	}
	p->all = n;
	for (uint32_t f = 0; c && f < c->graph->functions && !render_cancelled(p->rd, f);
	     f++) {
		const uint32_t i = c->same[1][f];

		p->side[1].place[f] = i;
		if (i != RESULT_NONE && p->fn[i].in[1] == f)
			continue;
		p->side[1].place[f] = p->all;
		p->fn[p->all++] = (struct matched){{GRAPH_NONE, f}};
	}
}

/* The functions of a listing; the page opens at the one with most cost there. */
static int choose_listed(struct report *p)
{
	const struct listing *l = p->rd->r->listing;
	int64_t *cost = ARENA_ARRAY(&p->arrays, int64_t, (size_t)p->all + 1);

	if (!cost)
		return err_no_memory(p->rd->err, "for a report");
	for (size_t i = 0; i < l->nplaces && !render_cancelled(p->rd, i); i++) {
		const struct listing_place *at = &l->place[i];
		const uint32_t f = graph_of_store(p->side[0].g, at->fn);

		if (f == GRAPH_NONE || at->kind != LISTING_LINE)
			continue;
		p->row[f] = 1;
		cost_add(&cost[f], listing_cost(l, at, l->event));
		if (p->open == RESULT_NONE || cost[f] > cost[p->open])
			p->open = f;
	}
	return p->rd->err->kind;
}

static int prepare_report(struct report *p)
{
	const struct result *r = p->rd->r;
	const struct headline_cause *why =
		strcmp(r->source, "why") == 0 && r->headline ? r->headline->causes : NULL;
	const size_t rows = why ? r->headline->ncauses : r->rows;
	size_t functions = 1;

	p->events = store_info(p->side[0].g->st)->all_events;
	for (unsigned s = 0; s < p->sides; s++) {
		functions += p->side[s].g->functions;
		if (prepare_side(p, s))
			return p->rd->err->kind;
	}
	p->row = ARENA_ARRAY(&p->arrays, uint32_t, functions);
	p->fn = ARENA_ARRAY(&p->arrays, struct matched, functions);
	p->place = ARENA_ARRAY(&p->arrays, uint32_t, functions);
	if (p->arrays.refused)
		return err_no_memory(p->rd->err, "for a report");
	match_functions(p);
	if (p->rd->r->listing)
		return choose_listed(p);
	for (size_t i = 0; i < rows && !render_cancelled(p->rd, i); i++) {
		/* A cause has 1 + its function. */
		const uint32_t f = why ? why[i].of - 1 : result_fn(p->rd->r, i, 0),
			       n = p->side[0].g->functions;
		const unsigned s = f >= n;

		if (f != RESULT_NONE)
			p->row[p->side[s].place[f - s * n]] = (uint32_t)i + 1;
	}
	return p->rd->err->kind;
}

/* ---- the costliest ---- */

double report_share(const struct report *p, unsigned s, uint32_t e, int64_t cost)
{
	const int64_t total = p->side[s].total[e];

	return total > 0 ? (double)cost / (double)total : 0;
}

/* The self or inclusive cost of a function, 0 if it is not there. */
int64_t report_fn_cost(const struct report *p, unsigned s, uint32_t f, uint32_t e,
		       bool self)
{
	const struct side *d = &p->side[s];

	if (f == GRAPH_NONE || d->event[e] == GRAPH_NONE)
		return 0;
	return self ? graph_self(d->g, f, d->event[e]) : graph_incl(d->g, f, d->event[e]);
}

int64_t report_call_cost(const struct report *p, unsigned s, uint32_t edge, uint32_t e)
{
	const struct side *d = &p->side[s];

	return edge == GRAPH_NONE || d->event[e] == GRAPH_NONE
		       ? 0
		       : graph_edge_incl(d->g, edge, d->event[e]);
}

/* The largest of the shares that a function (by what it spends itself, or with its calls), or
 * a call, has of an event. */
enum weigh { WEIGH_OWN, WEIGH_INCL, WEIGH_CALL };

static double weight_of(const struct report *p, const struct matched *m, enum weigh what)
{
	double weight = 0;

	for (unsigned s = 0; s < p->sides; s++)
		for (uint32_t e = 0; e < p->events; e++)
			weight = fmax(
				weight,
				report_share(
					p, s, e,
					what == WEIGH_CALL
						? report_call_cost(p, s, m->in[s], e)
						: report_fn_cost(p, s, m->in[s], e,
								 what == WEIGH_OWN)));
	return weight;
}

static int by_spent(const void *a, const void *b)
{
	const struct spent *x = a, *y = b;
	const int c = cost_order(y->cost, x->cost);

	return c ? c : order_u64(x->fn, y->fn);
}

void report_sort(struct spent *rank, size_t n)
{
	qsort(rank, n, sizeof(*rank), by_spent);
}

/* Sort them by what they spend themselves (own), or with their calls; those of the answer first. */
static void rank_by(struct report *p, struct spent *rank, bool own)
{
	for (uint32_t i = 0; i < p->all && !render_cancelled(p->rd, i); i++)
		rank[i] = (struct spent){
			i, cost_round(1e15 * (weight_of(p, &p->fn[i],
							own ? WEIGH_OWN : WEIGH_INCL) +
					      (p->row[i] ? 2 : 0)))};
	if (!p->rd->err->kind)
		report_sort(rank, p->all);
}

/* Functions by the better of both places: the first by own cost are as wanted as the first
 * with their calls. */
static int rank_functions(struct report *p, struct spent *rank)
{
	uint32_t *place = ARENA_ARRAY(&p->arrays, uint32_t, (size_t)p->all + 1);

	if (!place)
		return err_no_memory(p->rd->err, "for a report");
	rank_by(p, rank, true);
	for (uint32_t i = 0; i < p->all; i++)
		place[rank[i].fn] = i;
	rank_by(p, rank, false);
	for (uint32_t i = 0; i < p->all; i++)
		rank[i].cost = -(int64_t)(place[rank[i].fn] < i ? place[rank[i].fn] : i);
	report_sort(rank, p->all);
	return p->rd->err->kind;
}

static int choose_functions(struct report *p)
{
	struct spent *rank = calloc((size_t)p->all + 1, sizeof(*rank));
	size_t left = p->with_source ? FUNCTION_BYTES / 2 : FUNCTION_BYTES;

	if (!rank)
		return err_no_memory(p->rd->err, "for a report");
	if (rank_functions(p, rank)) {
		free(rank);
		return p->rd->err->kind;
	}
	for (uint32_t i = 0; i < p->all && !render_cancelled(p->rd, i); i++) {
		const struct matched *m = &p->fn[rank[i].fn];
		const unsigned s = m->in[0] == GRAPH_NONE;
		size_t bytes = graph_name(p->side[s].g, m->in[s]).n + 60 +
			       (size_t)p->events * 16 * p->sides;

		p->place[rank[i].fn] = bytes <= left ? 0 : GRAPH_NONE;
		left = bytes <= left ? left - bytes : 0;
	}
	free(rank);
	/* In the order of the graph, which keeps functions of the same name together. */
	for (uint32_t i = 0; i < p->all && !render_cancelled(p->rd, i); i++) {
		if (p->place[i] != GRAPH_NONE)
			p->place[i] = p->nfunctions++;
		for (unsigned s = 0; s < p->sides; s++)
			if (p->fn[i].in[s] != GRAPH_NONE)
				p->side[s].place[p->fn[i].in[s]] = p->place[i];
	}
	return p->rd->err->kind;
}

static int calls_in_order(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	const int c = order_u64(x->from, y->from);

	return c ? c : order_u64(x->to, y->to);
}

static int calls_by_weight(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	const int c = order_double(y->weight, x->weight);

	return c ? c : calls_in_order(a, b);
}

static void choose_add_calls(struct report *p, unsigned s)
{
	const struct side *d = &p->side[s];

	for (uint32_t i = 0; i < d->g->edges && !render_cancelled(p->rd, i); i++) {
		struct call *c = &p->calls[p->between];
		struct store_edge x;

		graph_edge(d->g, i, &x);
		*c = (struct call){.from = d->place[x.caller], .to = d->place[x.callee]};
		if (c->from == GRAPH_NONE || c->to == GRAPH_NONE)
			continue;
		c->edge = (struct matched){{GRAPH_NONE, GRAPH_NONE}};
		c->edge.in[s] = i;
		p->between++;
	}
}

/* A call that both profiles have becomes one. */
static void match_calls(struct report *p)
{
	uint32_t n = 0;

	qsort(p->calls, p->between, sizeof(*p->calls), calls_in_order);
	for (uint32_t i = 0; i < p->between && !render_cancelled(p->rd, i); i++) {
		struct call *to = n ? &p->calls[n - 1] : NULL, *c = &p->calls[i];
		const unsigned s = c->edge.in[0] == GRAPH_NONE;

		if (!to || calls_in_order(to, c) || to->edge.in[s] != GRAPH_NONE) {
			p->calls[n++] = *c;
			continue;
		}
		to->edge.in[s] = c->edge.in[s];
	}
	p->between = n;
	for (uint32_t i = 0; i < n && !render_cancelled(p->rd, i); i++)
		p->calls[i].weight = weight_of(p, &p->calls[i].edge, WEIGH_CALL);
}

static int choose_calls(struct report *p)
{
	size_t most = (p->with_source ? CALL_BYTES / 2 : CALL_BYTES) /
		      (18 + (size_t)p->events * 8 * p->sides);
	size_t edges = 1;

	for (unsigned s = 0; s < p->sides; s++)
		edges += p->side[s].g->edges;
	if (!(p->calls = ARENA_ARRAY(&p->arrays, struct call, edges)))
		return err_no_memory(p->rd->err, "for a report");
	for (unsigned s = 0; s < p->sides; s++)
		choose_add_calls(p, s);
	match_calls(p);
	if (p->rd->err->kind)
		return p->rd->err->kind;
	qsort(p->calls, p->between, sizeof(*p->calls), calls_by_weight);
	if (p->between > most)
		p->most_left = p->calls[most].weight;
	p->ncalls = p->between < most ? p->between : (uint32_t)most;
	qsort(p->calls, p->ncalls, sizeof(*p->calls), calls_in_order);
	return 0;
}

int report_choose(struct report *p)
{
	return prepare_report(p) || choose_functions(p) || choose_calls(p)
		       ? p->rd->err->kind
		       : 0;
}

uint32_t report_rank(struct report *p, bool listed, struct spent **out)
{
	struct spent *rank = *out = malloc(((size_t)p->all + 1) * sizeof(*rank));
	uint32_t n = 0;

	for (uint32_t i = 0; rank && i < p->all && !render_cancelled(p->rd, i); i++) {
		const uint32_t f = p->fn[i].in[0];

		if (f != GRAPH_NONE && p->place[i] != GRAPH_NONE &&
		    (p->row[i] || !listed))
			rank[n++] = (struct spent){
				f, report_fn_cost(p, 0, f, p->rd->r->event_id, listed)};
	}
	if (rank)
		report_sort(rank, n);
	else
		err_no_memory(p->rd->err, "for a report");
	return n;
}

void report_forget(struct report *p)
{
	arena_free(&p->arrays);
	strset_free(&p->source.files);
	out_close(&p->source.o);
	strset_free(&p->strings);
}
