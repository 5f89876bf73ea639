/*
 * save_costs.c - the costs of an event, of functions, cycles and edges.
 *
 * Inclusive cost of a function f (inclusive.h):
 *
 *	f cannot nest in itself		self + calls of others
 *	f may nest			the same less the returning cost: an
 *					estimate, within its bounds
 *
 * Inclusive cost of a cycle: the sum of self over its functions + the calls that leave
 * it.
 */
#include "index/save/save_in.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/map.h"
#include "index/graph/inclusive.h"

/* ---- inclusive cost of one event ---- */

static void add_cost(struct save *s, int64_t *sum, int64_t v)
{
	if (cost_add(sum, v))
		s->p->saturated = true;
}

static bool leaves(const struct save *s, size_t caller, size_t edge)
{
	return s->c.component[caller] != s->c.component[s->p->callee[edge]];
}

/* Self + calls of others. */
static int64_t sum_calls(struct save *s, size_t event, size_t f)
{
	const struct profile *p = s->p;
	const struct profile_sums *cost = &p->edge_cost[event];
	int64_t sum = p->self[f * p->nevent + event];

	for (uint32_t e = p->out_first[f]; e < p->out_first[f + 1]; e++)
		if (p->callee[e] != f)
			add_cost(s, &sum, profile_cost(cost, e));
	return sum;
}

void save_sum_components(struct save *s, size_t event)
{
	const struct profile *p = s->p;
	const struct profile_sums *cost = &p->edge_cost[event];

	if (s->summed == event + 1)
		return;
	memset(s->by_component, 0, s->c.n * sizeof(*s->by_component));
	for (size_t f = 0; f < p->nfn; f++) {
		int64_t sum = p->self[f * p->nevent + event], *all;

		if (!s->in_cycle[f]) {
			s->leaving[f] = sum_calls(s, event, f);
			continue;
		}
		for (uint32_t e = p->out_first[f]; e < p->out_first[f + 1]; e++)
			if (leaves(s, f, e))
				add_cost(s, &sum, profile_cost(cost, e));
		s->leaving[f] = sum;
		all = &s->by_component[s->c.component[f]];
		add_cost(s, all, sum);
	}
	s->summed = event + 1;
}

/* Write function ids by descending value, ties by id. */
static int save_rank(struct save *s, enum index_table t, size_t event,
		     const int64_t *value)
{
	size_t n = s->p->nfn;
	uint32_t *ids = (uint32_t *)(void *)s->pair; /* overwrites pair[] */

	for (size_t f = 0; f < n; f++)
		s->pair[f] = (struct sort_pair){~cost_rank(value[f]), (uint32_t)f};
	if (sort_pairs(s->pair, n))
		return err_no_memory(s->err, "while writing the index");
	for (size_t i = 0; i < n; i++) {
		uint32_t f = s->pair[i].value;

		memcpy(&ids[i], &f, sizeof(f));
	}
	return save_column(s, t, event, ids, n);
}

static int save_cycle_costs(struct save *s, size_t event)
{
	const struct profile *p = s->p;
	int64_t *self = calloc((size_t)s->ncycles + 1, sizeof(*self));
	int64_t *incl = calloc((size_t)s->ncycles + 1, sizeof(*incl));
	int rc;

	if (!self || !incl) {
		rc = err_no_memory(s->err, "while writing the index");
		goto out;
	}
	for (uint32_t i = 0; i < s->nmember; i++) {
		uint32_t f = s->member[i], c = s->cycle[f] - 1;

		add_cost(s, &self[c], p->self[f * p->nevent + event]);
		incl[c] = s->by_component[s->c.component[f]];
	}
	rc = save_column(s, TABLE_CYCLE_SELF, event, self, s->ncycles) ||
	     save_column(s, TABLE_CYCLE_INCL, event, incl, s->ncycles);
out:
	free(self);
	free(incl);
	return rc;
}

/* col[f]: self + calls of others; all of them leave a function that is in no cycle. */
static void sum_inclusive(struct save *s, size_t event)
{
	for (size_t f = 0; f < s->p->nfn; f++)
		s->col[f] = s->in_cycle[f] ? sum_calls(s, event, f) : s->leaving[f];
	for (size_t e = 0; s->p->any_bare && e < s->p->nedge; e++)
		if (s->p->bare[s->p->callee[e]])
			add_cost(s, &s->col[s->p->callee[e]],
				 profile_cost(&s->p->edge_cost[event], e));
}

/* Set what is known of the functions that may nest. */
static void know(struct save *s, size_t event, const int64_t *edge_cost)
{
	const struct profile *p = s->p;
	struct incl_known *k = s->known;

	memset(k, 0, p->nfn * sizeof(*k));
	memset(s->flowing, 0, ((size_t)s->ncycles + 1) * sizeof(*s->flowing));
	for (uint32_t f = 0; f < p->nfn; f++)
		for (uint32_t e = p->out_first[f]; e < p->out_first[f + 1]; e++) {
			const uint32_t to = p->callee[e];

			if (to != f)
				incl_know(&k[f], s->nests[f], &k[to], s->nests[to],
					  s->cycle[f] == s->cycle[to], edge_cost[e]);
		}
	for (uint32_t i = 0; i < s->nmember; i++) {
		const uint32_t f = s->member[i];
		const int64_t self = p->self[f * p->nevent + event];

		cost_add(&k[f].spent, self);
		cost_add(&k[f].leaving, self);
		cost_add(&s->flowing[s->cycle[f]], k[f].leaving);
	}
}

static int estimate_nested(struct save *s, size_t event, const int64_t *edge_cost)
{
	const struct profile *p = s->p;
	struct call_costs costs = {
		.functions = (uint32_t)p->nfn,
		.out_first = p->out_first,
		.callee = p->callee,
		.self = p->self + event,
		.edge = edge_cost,
		.self_step = p->nevent,
		.edge_step = 1,
		.circle = s->cycle,
	};
	struct returning r;

	arena_reset(&s->arena);
	if (returning_init(&r, &costs, &s->arena))
		return err_no_memory(s->err, "while writing the index");
	know(s, event, edge_cost);
	for (uint32_t i = 0; i < s->nmember; i++) {
		uint32_t f = s->member[i];
		int64_t lo, hi;
		double incl;

		if (!s->nests[f])
			continue;
		s->known[f].cycle = s->flowing[s->cycle[f]];
		incl_bounds(&s->known[f], &lo, &hi);
		incl = (double)s->known[f].spent -
		       returning_cost(&r, &f, 1, NULL, returning_edges(s->nnests));
		s->col[f] = incl <= (double)lo	 ? lo
			    : incl >= (double)hi ? hi
						 : (int64_t)(incl + 0.5);
		if (i % 256 == 0 && save_stopped(s))
			return s->err->kind;
	}
	return 0;
}

/* Estimate with the costs of edges in 8 bytes each. */
static int estimate_wide(struct save *s, size_t event)
{
	const struct profile_sums *cost = &s->p->edge_cost[event];
	int64_t *wide;
	int rc;

	if (cost->wide)
		return estimate_nested(s, event, cost->sum);
	wide = malloc((s->p->nedge + 1) * sizeof(*wide));
	if (!wide)
		return err_no_memory(s->err, "while writing the index");
	for (size_t e = 0; e < s->p->nedge; e++)
		wide[e] = profile_cost(cost, e);
	rc = estimate_nested(s, event, wide);
	free(wide);
	return rc;
}

/* ---- who may nest in itself ---- */

/* Whether the levels in names are those of all functions: only functions of the last
 * level call themselves or cost more than their cycle.  --separate-recs can apply to a
 * single function. */
static bool levels_hold(const struct save *s, const uint64_t *level, uint64_t last)
{
	const struct profile *p = s->p;

	for (size_t f = 0; f < p->nfn; f++)
		for (uint32_t e = p->out_first[f]; e < p->out_first[f + 1]; e++)
			if (p->callee[e] == f && level[f] < last)
				return false;
	for (uint32_t i = 0; i < s->nmember && p->nevent; i++) {
		uint32_t f = s->member[i];
		int64_t sum = p->self[f * p->nevent];

		for (uint32_t e = p->out_first[f]; e < p->out_first[f + 1]; e++)
			cost_add(&sum, profile_cost(&p->edge_cost[0], e));
		if (level[f] < last && sum > s->by_component[s->c.component[f]])
			return false;
	}
	return true;
}

/* The functions that may nest: those in a cycle or, if the profile separates recursion
 * levels, those of the last level only. */
static int find_nesting(void *arg)
{
	struct save *s = arg;
	const struct profile *p = s->p;
	uint64_t last = 1, *level = (uint64_t *)s->col;
	bool levels;

	for (size_t f = 0; f < p->nfn; f++) {
		level[f] = save_by_callgrind(p)
				   ? name_level(p->name[SPACE_FN][p->fn_name[f]])
				   : 1;
		last = level[f] > last ? level[f] : last;
	}
	if (p->nevent)
		save_sum_components(s, 0);
	s->meta->levels = levels = last > 1 && levels_hold(s, level, last);
	for (uint32_t i = 0; i < s->nmember; i++) {
		uint32_t f = s->member[i];

		s->nests[f] = !p->contexts.n && (!levels || level[f] == last);
		s->nnests += s->nests[f];
	}
	return 0;
}

int save_nesting(struct save *s)
{
	uint64_t *member = malloc(((size_t)s->nmember + 1) * sizeof(*member));
	int rc;

	if (!member)
		return err_no_memory(s->err, "while writing the index");
	rc = s->nmember || s->groups.n ? map_guard(find_nesting, s, ERR_PROFILE, s->err)
				       : 0;
	if (!rc && s->nnests &&
	    (!(s->known = malloc((s->p->nfn + 1) * sizeof(*s->known))) ||
	     !(s->flowing = malloc(((size_t)s->ncycles + 1) * sizeof(*s->flowing)))))
		rc = err_no_memory(s->err, "while writing the index");
	for (uint32_t i = 0; i < s->nmember; i++)
		member[i] = s->nests[s->member[i]];
	if (!rc)
		rc = save_column(s, TABLE_CYCLE_NESTS, 0, member, s->nmember);
	free(member);
	return rc;
}

int save_sums_of_edges(struct save *s, enum index_table t, size_t event,
		       struct profile_sums *sums)
{
	const unsigned width = sums->wide ? sizeof(uint64_t) : sizeof(uint32_t);
	int rc = store_writer_rows(s->w, t, (uint32_t)event, sums->sum, width,
				   s->p->nedge, s->err);

	free(sums->sum);
	sums->sum = NULL;
	return rc || save_stopped(s) ? s->err->kind : 0;
}

int save_event(struct save *s, size_t event)
{
	const struct profile *p = s->p;
	int64_t total = 0;

	for (size_t f = 0; f < p->nfn; f++) {
		s->col[f] = p->self[f * p->nevent + event];
		add_cost(s, &total, s->col[f]);
	}
	s->meta->total[event] = total;
	if (save_column(s, TABLE_FN_SELF, event, s->col, p->nfn) ||
	    save_rank(s, TABLE_RANK_SELF, event, s->col))
		return -1;
	save_sum_components(s, event);
	sum_inclusive(s, event);
	if (p->contexts.n ? contexts_inclusive(&p->contexts, event, p->nfn, s->col,
					       &s->arena, s->err)
			  : s->nnests && estimate_wide(s, event))
		return -1;
	if (save_column(s, TABLE_FN_INCL, event, s->col, p->nfn) ||
	    save_rank(s, TABLE_RANK_INCL, event, s->col) || save_cycle_costs(s, event) ||
	    save_joined_costs(s, event))
		return -1;
	return save_sums_of_edges(s, TABLE_EDGE_INCL, event, &p->edge_cost[event]);
}
