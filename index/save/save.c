/*
 * save.c - write the tables of the index from a merged profile; see save.h.
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
#include "index/save/save.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/map.h"
#include "index/base/ordered.h"
#include "index/base/sort.h"
#include "index/base/vec.h"
#include "index/contexts/name_contexts.h"
#include "index/graph/cycles.h"
#include "index/graph/inclusive.h"
#include "index/graph/joined.h"

struct save {
	struct profile *p;
	struct store_writer *w;
	struct meta *meta;
	const atomic_int *cancel;
	struct err *err;
	struct cycles c;
	uint32_t *cycle; /* per function: 0, or its cycle from 1 */
	uint32_t ncycles;
	uint32_t *cycle_first, *member; /* ncycles + 1; the functions in cycles */
	uint32_t nmember;
	uint8_t *in_cycle;	  /* per function */
	uint8_t *nests;		  /* per function: may nest in itself */
	uint32_t nnests;	  /* how many may */
	struct arena arena;	  /* for `returning` */
	struct incl_known *known; /* scratch, one per function, if any may nest, */
	int64_t *flowing;	  /* and one per cycle */
	int64_t *col, *leaving;	  /* scratch, one per function */
	int64_t *by_component;	  /* scratch, one per component; of cycles only */
	size_t summed;		  /* 1 + the event that `leaving` is of; 0: none */
	struct sort_pair *pair;	  /* scratch, one per function or edge */
	struct name_contexts groups;
	struct joined joined; /* if there are groups */
	size_t event;	      /* of which its costs are */
	/* state of save_graph() */
	bool aside, ready; /* prepare() runs in `thread`; it has finished */
	pthread_t thread;
	atomic_bool prepared;
	struct err aside_err; /* the thread's error */
	size_t next;	      /* the next piece to write */
};

static int save_stopped(const struct save *s)
{
	if (s->cancel && atomic_load_explicit(s->cancel, memory_order_relaxed))
		return err_set(s->err, ERR_CANCEL, 0, "interrupted");
	return 0;
}

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

/* leaving[f]: self + edges of f that leave its component.  by_component: their sums, of
 * cycles. */
static void sum_components(struct save *s, size_t event)
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

/* ---- cycles ---- */

static bool is_cycle(const struct save *s, size_t component)
{
	return s->c.first[component + 1] - s->c.first[component] > 1;
}

static void mark_cycles(struct save *s)
{
	for (size_t k = 0; k < s->c.n; k++)
		for (uint32_t i = s->c.first[k]; is_cycle(s, k) && i < s->c.first[k + 1];
		     i++)
			s->in_cycle[s->c.topo[i]] = 1;
}

/* Number the cycles by inclusive cost of event 0, descending. */
static int number_cycles(struct save *s, struct err *err)
{
	uint32_t n = 0;

	for (size_t k = 0; k < s->c.n; k++)
		if (is_cycle(s, k)) {
			s->pair[n].key =
				~cost_rank(s->p->nevent ? s->by_component[k] : 0);
			s->pair[n++].value = (uint32_t)k;
		}
	if (sort_pairs(s->pair, n))
		return err_no_memory(err, "while writing the index");
	s->ncycles = n;
	s->cycle_first = calloc((size_t)n + 2, sizeof(*s->cycle_first));
	s->member = malloc((s->p->nfn + 1) * sizeof(*s->member));
	if (!s->cycle_first || !s->member)
		return err_no_memory(err, "while writing the index");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = s->pair[i].value, size = s->c.first[k + 1] - s->c.first[k];

		memcpy(s->member + s->nmember, s->c.topo + s->c.first[k],
		       size * sizeof(*s->member));
		for (uint32_t m = 0; m < size; m++)
			s->cycle[s->member[s->nmember + m]] = i + 1;
		s->nmember += size;
		s->cycle_first[i + 1] = s->nmember;
	}
	return 0;
}

/* ---- columns ---- */

static int save_column(struct save *s, enum table t, size_t event, const void *rows,
		       size_t n)
{
	return store_writer_column(s->w, t, (uint32_t)event, rows, n, s->err) ||
	       save_stopped(s);
}

/* Write function ids by descending value, ties by id. */
static int save_rank(struct save *s, enum table t, size_t event, const int64_t *value)
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

/* The same with the costs of edges in 8 bytes each. */
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

/* Write the sums of edges and free them. */
static int save_sums_of_edges(struct save *s, enum table t, size_t event,
			      struct profile_sums *sums)
{
	const unsigned width = sums->wide ? sizeof(uint64_t) : sizeof(uint32_t);
	int rc = store_writer_rows(s->w, t, (uint32_t)event, sums->sum, width,
				   s->p->nedge, s->err);

	free(sums->sum);
	sums->sum = NULL;
	return rc || save_stopped(s) ? s->err->kind : 0;
}

/* ---- functions whose contexts are joined ---- */

static int64_t self_of(const void *of, uint32_t f)
{
	const struct save *s = of;

	return s->p->self[f * s->p->nevent + s->event];
}

static int64_t edge_of(const void *of, uint32_t i)
{
	const struct save *s = of;

	return profile_cost(&s->p->edge_cost[s->event], i);
}

static int64_t incl_of(const void *of, uint32_t f)
{
	const struct save *s = of;

	return s->col[f];
}

static struct joined_costs costs_of_event(struct save *s, size_t event)
{
	s->event = event;
	return (struct joined_costs){s, self_of, edge_of, incl_of};
}

static int save_joined(struct save *s)
{
	const struct profile *p = s->p;
	const struct name_contexts *g = &s->groups;
	const struct joined_costs costs = costs_of_event(s, 0);

	if (!g->n)
		return 0;
	s->joined = (struct joined){.functions = (uint32_t)p->nfn,
				    .groups = (uint32_t)g->n,
				    .out_first = p->out_first,
				    .callee = p->callee,
				    .of = g->of,
				    .first = g->first,
				    .fn = g->fn,
				    .again = g->again,
				    .nests = s->nests,
				    .levels = s->meta->levels};
	if (joined_find(&s->joined, p->nevent ? &costs : NULL))
		return err_no_memory(s->err, "while writing the index");
	s->meta->group_edges = s->joined.edges;
	s->meta->group_cycles = s->joined.cycles;
	return save_column(s, TABLE_GROUP_CYCLE, 0, s->joined.cycle, g->n) ||
	       save_column(s, TABLE_GROUP_KNOWN, 0, s->joined.known, g->n);
}

/* col[]: the inclusive costs of functions. */
static int save_joined_costs(struct save *s, size_t event)
{
	const struct joined_costs costs = costs_of_event(s, event);
	const size_t n = s->groups.n;
	int64_t *incl;
	int rc;

	if (!n)
		return 0;
	if (!(incl = calloc(n, sizeof(*incl))))
		return err_no_memory(s->err, "while writing the index");
	for (uint32_t g = 0; g < n; g++)
		if (s->joined.known[g])
			incl[g] = joined_incl(&s->joined, g, &costs);
	rc = save_column(s, TABLE_GROUP_INCL, event, incl, n);
	free(incl);
	return rc;
}

static int save_event(struct save *s, size_t event)
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
	sum_components(s, event);
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

static int save_edge_columns(struct save *s)
{
	const struct profile *p = s->p;
	uint32_t *caller = malloc((p->nedge + 1) * sizeof(*caller));
	int rc;

	if (!caller)
		return err_no_memory(s->err, "while writing the index");
	for (uint32_t f = 0; f < p->nfn; f++)
		for (uint32_t e = p->out_first[f]; e < p->out_first[f + 1]; e++)
			caller[e] = f;
	rc = save_column(s, TABLE_EDGE_CALLER, 0, caller, p->nedge);
	free(caller);
	return rc || save_column(s, TABLE_EDGE_CALLEE, 0, p->callee, p->nedge) ||
	       save_column(s, TABLE_OUT_FIRST, 0, p->out_first, p->nfn + 1);
}

/* Write incoming edges by callee (ordered by caller already) and calls per function. */
static int save_incoming(struct save *s)
{
	const struct profile *p = s->p;
	uint64_t *calls = (uint64_t *)s->col;
	uint32_t *first = calloc(p->nfn + 3, sizeof(*first));
	uint32_t *edge = malloc((p->nedge + 1) * sizeof(*edge));
	int rc = first && edge ? 0 : err_no_memory(s->err, "while writing the index");

	if (!rc) {
		memset(calls, 0, (p->nfn + 1) * sizeof(*calls));
		for (size_t e = 0; e < p->nedge; e++) {
			uint32_t g = p->callee[e];

			first[g + 2]++;
			s->p->saturated |=
				count_add(&calls[g], profile_sum(&p->calls, e));
		}
		for (size_t f = 1; f <= p->nfn + 1; f++)
			first[f] += first[f - 1];
		for (size_t e = 0; e < p->nedge; e++)
			edge[first[p->callee[e] + 1]++] = (uint32_t)e;
		rc = save_column(s, TABLE_IN_FIRST, 0, first, p->nfn + 1) ||
		     save_column(s, TABLE_IN_EDGE, 0, edge, p->nedge) ||
		     save_column(s, TABLE_FN_CALLS, 0, calls, p->nfn) ||
		     save_sums_of_edges(s, TABLE_EDGE_CALLS, 0, &s->p->calls);
	}
	free(first);
	free(edge);
	return rc;
}

static int save_contexts_of(struct save *s)
{
	return save_contexts(&s->p->contexts, s->w, &s->p->saturated, s->err) ||
	       save_stopped(s);
}

/* ---- contexts in names ---- */

/* Written by callgrind, or exported from its data. */
static bool by_callgrind(const struct profile *p)
{
	struct str creator, desc, names = STR("Contexts: in names");

	if (!p->npart)
		return false;
	creator = p->part[0].creator;
	desc = p->part[0].desc;
	return str_starts(creator, STR("callgrind")) ||
	       (str_eq(creator, STR("quern")) && str_find_str(desc, names) < desc.n);
}

static int find_groups(void *arg)
{
	struct save *s = arg;
	const struct profile *p = s->p;
	const struct named_calls calls = {
		.nfn = p->nfn,
		.nname = p->nname[SPACE_FN],
		.name = p->name[SPACE_FN],
		.fn_name = p->fn_name,
		.fn_file = p->fn_file,
		.fn_obj = p->fn_obj,
		.out_first = p->out_first,
		.callee = p->callee,
	};

	return name_contexts_find(&s->groups, &calls)
		       ? err_no_memory(s->err, "while writing the index")
		       : 0;
}

static int save_groups(struct save *s)
{
	const struct name_contexts *g = &s->groups;
	const size_t n = s->p->nfn;

	if (by_callgrind(s->p) && map_guard(find_groups, s, ERR_PROFILE, s->err))
		return s->err->kind;
	s->meta->groups = g->n;
	if (!g->n)
		return 0;
	return save_column(s, TABLE_GROUP_OF, 0, g->of, n) ||
	       save_column(s, TABLE_GROUP_NAME, 0, g->base, n) ||
	       save_column(s, TABLE_GROUP_FIRST, 0, g->first, g->n + 1) ||
	       save_column(s, TABLE_GROUP_FN, 0, g->fn, n);
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
		level[f] = by_callgrind(p) ? name_level(p->name[SPACE_FN][p->fn_name[f]])
					   : 1;
		last = level[f] > last ? level[f] : last;
	}
	if (p->nevent)
		sum_components(s, 0);
	s->meta->levels = levels = last > 1 && levels_hold(s, level, last);
	for (uint32_t i = 0; i < s->nmember; i++) {
		uint32_t f = s->member[i];

		s->nests[f] = !p->contexts.n && (!levels || level[f] == last);
		s->nnests += s->nests[f];
	}
	return 0;
}

static int save_nesting(struct save *s)
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

static int save_called(struct save *s)
{
	const size_t n = s->p->nfn;
	uint32_t *called = malloc((n + 1) * sizeof(*called));
	int rc;

	if (!called)
		return err_no_memory(s->err, "while writing the index");
	for (size_t f = 0; f < n; f++)
		called[f] = (s->p->fn_begin[f] > 0 ? FN_BEGINS : 0) |
			    (s->p->calls_only[f] ? FN_CALLS_ONLY : 0);
	rc = save_column(s, TABLE_FN_CALLED, 0, called, n);
	free(called);
	return rc;
}

static int save_identities(struct save *s)
{
	const struct profile *p = s->p;

	return save_groups(s) || save_nesting(s) || save_joined(s) ||
	       save_column(s, TABLE_FN_NAME, 0, p->fn_name, p->nfn) ||
	       save_column(s, TABLE_FN_FILE, 0, p->fn_file, p->nfn) ||
	       save_column(s, TABLE_FN_OBJ, 0, p->fn_obj, p->nfn) ||
	       save_column(s, TABLE_FN_CYCLE, 0, s->cycle, p->nfn) || save_called(s) ||
	       save_column(s, TABLE_TOPO, 0, s->c.topo, p->nfn) ||
	       save_column(s, TABLE_CYCLE_FIRST, 0, s->cycle_first,
			   (size_t)s->ncycles + 1) ||
	       save_column(s, TABLE_CYCLE_MEMBER, 0, s->member, s->nmember);
}

/* ---- strings: offsets and bytes, STRING_ROWS to a value ---- */

struct strings {
	struct save *s;
	enum table table;
	enum name_space space;
	char *buf; /* a copy of a value; a file that shrinks ends the reading by a jump */
	size_t cap;
};

static int strings_guarded(void *arg)
{
	struct strings *to = arg;
	struct save *s = to->s;
	const struct str *str = s->p->name[to->space];
	size_t n = s->p->nname[to->space];

	for (size_t at = 0; at < n; at += STRING_ROWS) {
		size_t rows = n - at < STRING_ROWS ? n - at : STRING_ROWS;
		size_t bytes = (rows + 1) * sizeof(uint32_t);
		uint32_t offset[STRING_ROWS + 1];

		for (size_t i = 0; i < rows; i++) {
			offset[i] = (uint32_t)bytes;
			bytes += str[at + i].n;
		}
		/* store_writer_put() refuses what is too long for these. */
		offset[rows] = (uint32_t)bytes;
		if (vec_reserve(&to->buf, &to->cap, bytes, 1))
			return err_no_memory(s->err, "while writing the index");
		memcpy(to->buf, offset, (rows + 1) * sizeof(*offset));
		for (size_t i = 0; i < rows; i++)
			if (str[at + i].n)
				memcpy(to->buf + offset[i], str[at + i].p, str[at + i].n);
		if (store_writer_put(s->w, to->table, 0, (uint32_t)(at / STRING_ROWS),
				     (uint32_t)rows, to->buf, bytes, s->err) ||
		    save_stopped(s))
			return s->err->kind;
	}
	return 0;
}

static int save_strings(struct save *s, enum table t, enum name_space space)
{
	struct strings to = {.s = s, .table = t, .space = space};
	int rc = map_guard(strings_guarded, &to, ERR_PROFILE, s->err);

	free(to.buf);
	return rc;
}

/* ---- meta and diagnostics ---- */

static int save_diagnostics(struct save *s)
{
	const struct profile *p = s->p;
	struct bytes b = {0};
	struct coder c = {.to = &b};
	uint64_t rows = 0;
	bool told = false;
	int rc;

	for (size_t k = 0; k < p->nodds; k++) {
		const struct odd_count *o = &p->odds[k];

		s->meta->diagnostics += o->count;
		for (size_t i = 0; i < (o->n ? o->n : 1); i++, rows++) {
			struct diag d = {.kind = o->kind, .count = o->count};

			if (o->n) {
				d.file = p->odd[o->first + i].file;
				d.line = p->odd[o->first + i].line;
				d.text = p->odd[o->first + i].text;
			}
			diag_code(&c, &d);
		}
		told |= o->kind == ODD_SUM_OVERFLOW;
	}
	/* a sum over functions or edges, or of a jump */
	if ((p->saturated || s->meta->saturated) && !told) {
		struct diag d = {.kind = ODD_SUM_OVERFLOW, .count = 1};

		diag_code(&c, &d);
		s->meta->diagnostics++;
		rows++;
	}
	rc = c.failed ? err_no_memory(s->err, "while writing the index")
		      : store_writer_put(s->w, TABLE_DIAG, 0, 0, (uint32_t)rows, b.p, b.n,
					 s->err);
	free(b.p);
	return rc;
}

static int save_meta(struct save *s)
{
	const struct profile *p = s->p;
	struct meta *m = s->meta;
	struct bytes b = {0};
	struct coder c = {.to = &b};
	int rc;

	m->built_s = (uint64_t)time(NULL);
	m->input_bytes = p->bytes;
	m->input_lines = p->lines;
	m->functions = p->nfn;
	m->edges = p->nedge;
	m->cycles = s->ncycles;
	m->cycle_members = s->nmember;
	m->parts = p->npart;
	for (int i = 0; i < SPACES; i++)
		m->strings[i] = p->nname[i];
	m->pairs = p->npair;
	m->has_line = p->has_line;
	m->has_instr = p->has_instr;
	m->saturated |= p->saturated;
	m->negative = p->negative;
	m->totals = m->summaries = p->npart > 0;
	for (size_t i = 0; i < p->npart; i++) {
		m->totals &= p->part[i].has_totals;
		m->summaries &= p->part[i].has_summary && part_is_cachegrind(&p->part[i]);
	}
	m->tree = p->tree;
	m->events = p->nevent;
	m->all_events = p->nall_events;
	m->event = p->event;
	if (p->npart) {
		m->creator = p->part[0].creator;
		m->cmd = p->part[0].cmd;
	}
	meta_code(&c, m);
	rc = c.failed ? err_no_memory(s->err, "while writing the index")
		      : store_writer_put(s->w, TABLE_META, 0, 0, INDEX_VERSION, b.p, b.n,
					 s->err);
	free(b.p);
	return rc;
}

/* Compute all facts about the graph before any are written; errors go to `err`. */
static int prepare(struct save *s, struct err *err)
{
	const struct profile *p = s->p;
	size_t n = p->nfn > p->nedge ? p->nfn : p->nedge;

	s->cycle = calloc(p->nfn + 1, sizeof(*s->cycle));
	s->col = malloc((p->nfn + 1) * sizeof(*s->col));
	s->leaving = malloc((p->nfn + 1) * sizeof(*s->leaving));
	s->nests = calloc(p->nfn + 1, sizeof(*s->nests));
	s->in_cycle = calloc(p->nfn + 1, sizeof(*s->in_cycle));
	s->pair = malloc((n + 1) * sizeof(*s->pair));
	if (!s->cycle || !s->col || !s->leaving || !s->nests || !s->in_cycle ||
	    !s->pair || cycles_find(p->nfn, p->out_first, p->callee, &s->c))
		return err_no_memory(err, "while writing the index");
	s->by_component = malloc((s->c.n + 1) * sizeof(*s->by_component));
	if (!s->by_component)
		return err_no_memory(err, "while writing the index");
	mark_cycles(s);
	if (p->nevent)
		sum_components(s, 0);
	return number_cycles(s, err);
}

/* ---- names, functions and edges: all that needs no detail ---- */

static void *prepare_aside(void *arg)
{
	struct save *s = arg;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prepare(s, &s->aside_err);
	atomic_store_explicit(&s->prepared, true, memory_order_release);
	return NULL;
}

/* Run prepare() in a thread, if one can be started. */
static void begin_prepare(struct save *s, unsigned jobs)
{
	atomic_init(&s->prepared, false);
	s->aside = jobs > 1 && !pthread_create(&s->thread, NULL, prepare_aside, s);
}

static void join_prepare(struct save *s)
{
	if (s->aside)
		pthread_join(s->thread, NULL);
	s->aside = false;
}

/* Wait for prepare(), or set *left to be called again. */
static int end_prepare(struct save *s, bool wait, enum ordered_left *left)
{
	if (s->aside && !wait &&
	    !atomic_load_explicit(&s->prepared, memory_order_acquire)) {
		*left = ORDERED_LATER;
		return 0;
	}
	if (!s->aside)
		return prepare(s, s->err);
	join_prepare(s);
	if (s->aside_err.kind)
		*s->err = s->aside_err;
	return s->err->kind;
}

static int save_file_names(struct save *s)
{
	return save_strings(s, TABLE_OBJ, SPACE_OBJ) ||
	       save_strings(s, TABLE_FILE, SPACE_FILE);
}

static int save_fn_names(struct save *s)
{
	return save_strings(s, TABLE_NAME, SPACE_FN);
}

/* The pieces of the graph's tables, with the per-event ones in between. */
static int (*const begin_graph[])(struct save *s) = {save_file_names, save_fn_names,
						     save_identities};
static int (*const end_graph[])(struct save *s) = {save_edge_columns, save_incoming,
						   save_contexts_of};
enum {
	BEGIN = sizeof(begin_graph) / sizeof(begin_graph[0]),
	END = sizeof(end_graph) / sizeof(end_graph[0]),
};

static int save_graph(void *arg, bool wait, enum ordered_left *left)
{
	struct save *s = arg;
	const size_t events = s->p->nevent, at = s->next;
	int rc;

	*left = ORDERED_MORE;
	if (!s->ready) {
		rc = end_prepare(s, wait, left);
		s->ready = *left == ORDERED_MORE;
		return rc || save_stopped(s) ? s->err->kind : 0;
	}
	rc = at < BEGIN		   ? begin_graph[at](s)
	     : at < BEGIN + events ? save_event(s, at - BEGIN)
				   : end_graph[at - BEGIN - events](s);
	if (++s->next == BEGIN + events + END)
		*left = ORDERED_NOTHING;
	return rc ? s->err->kind : 0;
}

int save_profile(struct profile *p, struct store_writer *w, struct meta *meta,
		 const struct save_opts *given, struct err *err)
{
	struct save s = {
		.p = p, .w = w, .meta = meta, .cancel = given->cancel, .err = err};
	struct save_opts opts = *given;
	int rc;

	meta->total = ARENA_ARRAY(&p->arena, int64_t, p->nevent + 1);
	if (!meta->total)
		return err_no_memory(err, "while writing the index");
	opts.jobs = ordered_jobs(opts.jobs);
	arena_init(&s.arena, 0);
	begin_prepare(&s, opts.jobs);
	rc = save_detail(p, w, meta, &opts, save_graph, &s, err) ||
	     save_parts(p, w, meta->total, &s.groups, opts.jobs, opts.cancel, err) ||
	     save_diagnostics(&s) || save_meta(&s);
	join_prepare(&s);
	cycles_free(&s.c);
	name_contexts_free(&s.groups);
	joined_free(&s.joined);
	arena_free(&s.arena);
	void *const arrays[] = {s.cycle,   s.cycle_first, s.member,	  s.col,
				s.leaving, s.nests,	  s.by_component, s.pair,
				s.known,   s.flowing,	  s.in_cycle};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	return rc ? err->kind : 0;
}
