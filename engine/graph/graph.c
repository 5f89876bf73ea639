/*
 * graph.c - read a graph: the store itself, or the columns of a stage; see graph.h.
 *
 * A plain graph has no columns: every question goes to the store, with the same numbers.
 * So a query without stages costs what it looks at, however large the profile is.  The
 * graph of a stage has columns of its own, and the graph that it was made from below it:
 *
 *	hide malloc | collapse by file | files
 *	store <- plain <- hidden <- collapsed		each knows the one to its left
 *
 * Some answers are not in the columns, but in the graph below: the inclusive cost of a
 * function that a stage left as it was (`same`), the totals of what a stage dropped.
 */
#include "engine/graph/graph.h"

#include "engine/flow/flow.h"
#include "engine/flow/pairs.h"
#include "engine/graph/graph_build.h"
#include "engine/names/name.h"
#include "index/base/need.h"
#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/err_kind.h"
#include "index/base/err_struct.h"

void graph_plain(struct store *st, struct flow_cache *cache, struct arena *a,
		 const struct cancel *cancel, struct graph **out)
{
	const struct store_info *i = store_info(st);
	struct graph *g = NEED_NEW(a, struct graph);

	g->st = st;
	g->a = a;
	g->cancel = cancel;
	g->cache = cache;
	g->functions = i->functions;
	g->edges = i->edges;
	g->cycles = i->cycles;
	g->plain = g->detail = true;
	*out = g;
}

void graph_need_calls(const struct graph *g)
{
	if (g->merge.late)
		g->merge.late->join(g->merge.late->of);
}

static int join_guarded(void *g)
{
	graph_need_calls(g);
	return 0;
}

/* Join the calls for a reader that cannot fail; an error is kept for later. */
static bool calls_are_joined(const struct graph *g)
{
	struct err err = {0};

	if (g->merge.late && map_guard(join_guarded, (struct graph *)(uintptr_t)g,
				       ERR_INDEX, &err) == ERR_LIMIT)
		store_short(g->st);
	return !g->merge.late;
}

/* Before graph_event(), or after it failed, an event has no columns, and all its sums are
 * 0. */
static const struct graph_costs *costs(const struct graph *g, uint32_t e)
{
	static const struct graph_costs none;

	return g->costs[e] ? g->costs[e] : &none;
}

/* A number must mean one function in every query of the session, so it is that of the
 * store: for a function with contexts that of its first one. */
uint32_t graph_id(const struct graph *g, uint32_t f)
{
	const uint32_t fn = g->inlined.number ? g->inlined.number[f] : graph_origin(g, f);

	/* Of a part or a stage it may be another context of the function. */
	return g->plain || g->recorded || g->inlined.number || !graph_in_group(g, f)
		       ? fn
		       : store_group_fn(g->st, store_group_of(g->st, fn), 0);
}

/* Inlined functions have numbers behind those of the store. */
uint32_t graph_numbers(const struct graph *g)
{
	return store_info(g->st)->functions + g->inlined.extra;
}

fn_id graph_origin(const struct graph *g, uint32_t f)
{
	return g->plain ? f : g->origin[f];
}

struct str graph_own_name(const struct graph *g, uint32_t f)
{
	return g->name ? g->name[f] : (struct str){NULL, 0};
}

struct str graph_name(const struct graph *g, uint32_t f)
{
	struct str own = graph_own_name(g, f);

	if (own.p)
		return own;
	return (g->recorded ? store_fn_shown : store_fn_alone)(g->st, graph_origin(g, f));
}

/* The mark is at the end of the name, so that it is cut off without a copy. */
struct str graph_plain_name(const struct graph *g, uint32_t f)
{
	struct str name = graph_name(g, f);

	if (graph_is(g, f, GRAPH_INLINED))
		name.n -= sizeof(NAME_INLINED) - 1;
	return name;
}

/* A group that is named after a file or an object is that place, not a function: it has no
 * class, and its name no short form. */
bool graph_is_place(const struct graph *g, uint32_t f)
{
	const struct str name = graph_own_name(g, f), file = graph_file(g, f);

	if (graph_is(g, f, GRAPH_INLINED))
		return str_eq(graph_plain_name(g, f), str_basename(file));
	return name.p && (str_eq(name, file) || str_eq(name, graph_obj(g, f)));
}

struct str graph_short_name(const struct graph *g, uint32_t f, struct arena *a)
{
	const struct str name = graph_name(g, f);

	return graph_own_name(g, f).p && !graph_is(g, f, GRAPH_INLINED)
		       ? name
		       : name_short(name, a);
}

struct str graph_class(const struct graph *g, uint32_t f)
{
	return graph_is_place(g, f) ? STR("") : name_class(graph_plain_name(g, f));
}

bool graph_is(const struct graph *g, uint32_t f, enum graph_mixed what)
{
	return !g->plain && g->mixed && (g->mixed[f] & what);
}

bool graph_is_placed(const struct graph *g, uint32_t f)
{
	return g->inlined.file && g->inlined.file[f] != GRAPH_NONE;
}

file_id graph_file_id(const struct graph *g, uint32_t f)
{
	return graph_is_placed(g, f) ? g->inlined.file[f]
				     : store_fn_file_id(g->st, graph_origin(g, f));
}

struct str graph_file(const struct graph *g, uint32_t f)
{
	file_id file;

	if (graph_is(g, f, GRAPH_FILES))
		return STR("(several)");
	file = graph_file_id(g, f);
	return file == GRAPH_NO_FILE ? STR("???") : store_file(g->st, file);
}

struct str graph_obj(const struct graph *g, uint32_t f)
{
	if (graph_is(g, f, GRAPH_OBJECTS))
		return STR("(several)");
	return store_fn_obj(g->st, graph_origin(g, f));
}

uint64_t graph_line(const struct graph *g, uint32_t f)
{
	if (graph_own_name(g, f).p)
		return 0;
	return graph_is_placed(g, f) ? g->inlined.line[f]
				     : store_fn_line(g->st, graph_origin(g, f));
}

uint32_t graph_cycle(const struct graph *g, uint32_t f)
{
	return g->plain ? store_fn_cycle(g->st, f) : g->shape.cycle[f];
}

uint64_t graph_calls(const struct graph *g, uint32_t f)
{
	return !store_counts_calls(g->st) ? 0
	       : g->plain		  ? store_fn_calls(g->st, f)
					  : g->shape.fn_calls[f];
}

bool graph_calls_known(const struct graph *g, uint32_t f)
{
	return !graph_is(g, f, GRAPH_INLINED) && store_counts_calls(g->st);
}

/* The function of an earlier graph, *in, that has the inclusive cost of f; or GRAPH_NONE. */
static uint32_t same_before(const struct graph *g, uint32_t f, const struct graph **in)
{
	const struct graph_inlined *i = &g->inlined;

	*in = g->below;
	if (!i->before || i->same[f] != GRAPH_NONE)
		return i->same ? i->same[f] : GRAPH_NONE;
	*in = g->joined;
	return i->before[f];
}

bool graph_counts_all(const struct graph *g)
{
	return store_counts_all(g->st) && (!g->run.parts || graph_counts_zeros(g));
}

bool graph_calls_counted(const struct graph *g, uint32_t f)
{
	const struct graph *in;
	const uint32_t same = same_before(g, f, &in);

	if (!graph_calls_known(g, f) || graph_counts_all(g))
		return graph_calls_known(g, f);
	if (same != GRAPH_NONE)
		return graph_calls_counted(in, same);
	for (uint32_t i = 0, n = graph_caller_count(g, f); i < n; i++)
		if (!graph_edge_calls(g, graph_caller(g, f, i)))
			return false;
	return true;
}

const struct graph_span *graph_span_of(const struct graph *g)
{
	while (g->below && !g->run.span)
		g = g->below;
	return g->run.span;
}

bool graph_counts_zeros(const struct graph *g)
{
	return store_counts_zeros(g->st) || graph_span_of(g);
}

uint64_t graph_site_calls(const struct graph *g, uint64_t calls)
{
	return store_counts_calls(g->st) && (calls || graph_counts_zeros(g))
		       ? calls
		       : CALLS_UNKNOWN;
}

void graph_add_calls(const struct graph *g, uint64_t *sum, uint64_t calls)
{
	count_add(sum, calls || graph_counts_all(g) ? calls : UINT64_MAX);
}

void graph_end_calls(const struct graph *g, uint64_t *sum)
{
	if (*sum == UINT64_MAX && !graph_counts_all(g))
		*sum = 0;
}

bool graph_some_calls(const struct graph *g)
{
	while (!g->plain && !g->marks.some_calls)
		g = g->below;
	return g->marks.some_calls;
}

int64_t graph_self(const struct graph *g, uint32_t f, uint32_t e)
{
	return g->plain	     ? store_fn_self(g->st, f, e)
	       : g->costs[e] ? g->costs[e]->self[f]
			     : 0;
}

/* From where it is cheapest to where it must be computed: the store, the graph below, what
 * the index knows of a function with contexts, and last the estimate of the stage, which
 * is made of one function when it is asked for. */
static int64_t found_incl(const struct graph *g, uint32_t f, uint32_t e)
{
	const struct graph *in;
	const uint32_t same = same_before(g, f, &in);

	if (g->plain)
		return store_fn_incl(g->st, f, e);
	if (same != GRAPH_NONE)
		return graph_incl(in, same, e);
	if (g->merge.late && g->merge.late->known[f])
		return store_group_incl(g->st, f, e);
	if (!g->costs[e] || !calls_are_joined(g))
		return 0;
	if (g->costs[e]->estimate)
		g->costs[e]->estimate(g, f, e);
	return g->costs[e]->incl[f];
}

/* Stages estimate it apart from own costs, and levels of recursion apart from each other: it is
 * no less than what all of them spend, and no more than the whole. */
int64_t graph_incl(const struct graph *g, uint32_t f, uint32_t e)
{
	const int64_t incl = found_incl(g, f, e);
	const struct graph_costs *c = g->plain ? NULL : g->costs[e];
	const struct graph *in;
	const uint32_t same = g->plain ? GRAPH_NONE : same_before(g, f, &in);

	if (!c || !c->made || store_info(g->st)->negative ||
	    (graph_is_sure(g, f, GRAPH_INCL) &&
	     (same == GRAPH_NONE || !graph_incl_is_about(in, same, e))))
		return incl;
	return incl < c->self[f] ? c->self[f] : incl > c->total ? c->total : incl;
}

bool graph_nests(const struct graph *g, uint32_t f)
{
	return g->plain ? store_fn_nests(g->st, f) : g->shape.nests[f];
}

bool graph_is_sure(const struct graph *g, uint32_t f, enum graph_sure cost)
{
	return !g->marks.estimated || (g->marks.sure && g->marks.sure[f] & cost);
}

bool graph_call_is_sure(const struct graph *g, uint32_t edge)
{
	return !g->marks.estimated || (g->marks.sure_call && g->marks.sure_call[edge]);
}

bool graph_calls_only(const struct graph *g, uint32_t f)
{
	return !graph_is(g, f,
			 GRAPH_FILES | GRAPH_OBJECTS | GRAPH_NAMED | GRAPH_INLINED) &&
	       store_fn_calls_only(g->st, graph_origin(g, f));
}

bool graph_bare(const struct graph *g, uint32_t f)
{
	return !graph_is(g, f,
			 GRAPH_FILES | GRAPH_OBJECTS | GRAPH_NAMED | GRAPH_INLINED) &&
	       store_fn_bare(g->st, graph_origin(g, f));
}

bool graph_calls_itself(const struct graph *g, uint32_t f)
{
	uint32_t first, n;

	if (g->merge.late)
		return graph_late_recurs(g, f);
	if (g->plain)
		return store_calls_itself(g->st, f);
	graph_callees(g, f, &first, &n);
	for (uint32_t i = first; i < first + n; i++)
		if (graph_edge_callee(g, i) == f)
			return true;
	return false;
}

bool graph_incl_estimated(const struct graph *g, uint32_t f)
{
	const struct graph *in;
	const uint32_t same = same_before(g, f, &in);

	if (same != GRAPH_NONE)
		return graph_incl_estimated(in, same);
	if (g->merge.late)
		return !g->merge.late->known[f];
	return graph_nests(g, f) && (g->plain || !g->merge.added || !g->merge.added[f]) &&
	       !(g->marks.sure && g->marks.sure[f] & GRAPH_INCL);
}

/* Self and the calls that leave the cycle, as in struct incl_known. */
static int64_t flow_leaving(const struct graph *g, uint32_t f, uint32_t e)
{
	int64_t leaving = graph_self(g, f, e);
	uint32_t first, n;

	graph_callees(g, f, &first, &n);
	for (uint32_t i = first; i < first + n; i++)
		if (!graph_edge_in_cycle(g, i))
			cost_add(&leaving, cost_flow(graph_edge_incl(g, i, e)));
	return leaving;
}

/* The cost of the cycle, without negative costs. */
static int64_t flow_cycle(const struct graph *g, uint32_t cycle, uint32_t e)
{
	int64_t sum = 0;

	if (!store_info(g->st)->negative)
		return graph_cycle_incl(g, cycle, e);
	for (uint32_t f = 0; f < g->functions; f++)
		if (graph_cycle(g, f) == cycle)
			cost_add(&sum, flow_leaving(g, f, e));
	return sum;
}

/* Collect the costs of the edges into f and out of f. */
static void know_function(const struct graph *g, uint32_t f, uint32_t e,
			  struct incl_known *k)
{
	const bool nests = graph_nests(g, f);
	const uint32_t cycle = graph_cycle(g, f);
	struct incl_known other;
	struct store_edge x;
	uint32_t first, n;

	k->spent = k->leaving = graph_self(g, f, e);
	graph_callees(g, f, &first, &n);
	for (uint32_t i = first; i < first + n; i++) {
		graph_edge(g, i, &x);
		other = (struct incl_known){0};
		if (!x.recursive)
			incl_know(k, nests, &other, graph_nests(g, x.callee), x.in_cycle,
				  graph_edge_incl(g, i, e));
	}
	n = graph_caller_count(g, f);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t id = graph_caller(g, f, i);

		graph_edge(g, id, &x);
		other = (struct incl_known){0};
		if (!x.recursive)
			incl_know(&other, graph_nests(g, x.caller), k, nests, x.in_cycle,
				  graph_edge_incl(g, id, e));
	}
	k->cycle = cycle ? flow_cycle(g, cycle, e) : k->leaving;
}

/* A function costs no less than each of its contexts, and no more than those together by
 * which it is entered. */
static void bounds_of_members(const struct graph *g, uint32_t f, uint32_t e, int64_t *lo,
			      int64_t *hi)
{
	int64_t least = *lo, most = 0;

	for (uint32_t i = g->merge.member_first[f]; i < g->merge.member_first[f + 1];
	     i++) {
		const uint32_t m = g->merge.member[i];
		int64_t from, to;

		graph_incl_bounds(g->below, m, e, &from, &to);
		least = from > least ? from : least;
		if (!g->merge.again || !g->merge.again[m])
			cost_add(&most, to);
	}
	*hi = most < *hi ? most : *hi;
	*lo = least < *hi ? least : *hi;
}

void graph_incl_bounds(const struct graph *g, uint32_t f, uint32_t e, int64_t *lo,
		       int64_t *hi)
{
	struct incl_known k = {0};
	const struct graph *in;
	const uint32_t same = same_before(g, f, &in);

	if (same != GRAPH_NONE) {
		graph_incl_bounds(in, same, e, lo, hi);
		return;
	}
	*lo = *hi = graph_incl(g, f, e);
	if (g->run.span && e == g->run.span->event) {
		*lo = g->run.span->lo[graph_origin(g, f)];
		*hi = g->run.span->hi[graph_origin(g, f)];
	}
	if (!graph_incl_estimated(g, f))
		return;
	know_function(g, f, e, &k);
	incl_bounds(&k, lo, hi);
	if (!g->plain && g->merge.member)
		bounds_of_members(g, f, e, lo, hi);
}

bool graph_incl_is_about(const struct graph *g, uint32_t f, uint32_t e)
{
	int64_t lo, hi;

	if (!graph_is_sure(g, f, GRAPH_INCL))
		return true;
	if (!graph_incl_estimated(g, f))
		return false;
	graph_incl_bounds(g, f, e, &lo, &hi);
	return lo < hi;
}

/* A function may spend more with its calls than calls bring in: then it is a root, too, and
 * starts with the rest.  Or less: then some call of it contradicts the others. */
int64_t graph_through(const struct graph *g, uint32_t f, uint32_t e, int64_t *root)
{
	int64_t called = graph_incoming(g, f, e), spent = graph_self(g, f, e);
	uint32_t first, n;

	graph_callees(g, f, &first, &n);
	for (uint32_t i = first; i < first + n; i++)
		cost_add(&spent, graph_edge_incl(g, i, e));
	*root = spent > called ? cost_difference(spent, called) : 0;
	return spent > called ? spent : called;
}

struct graph_sums {
	int64_t *contribution, *incoming; /* [functions]; or NULL */
};

static bool one_cycle(const struct graph *g, uint32_t a, uint32_t b)
{
	const uint32_t cycle = g->cycles ? graph_cycle(g, a) : 0;

	return a == b || (cycle && cycle == graph_cycle(g, b));
}

int64_t graph_contribution(const struct graph *g, uint32_t f, uint32_t e)
{
	int64_t leaving = graph_self(g, f, e);
	uint32_t first, n;

	if (g->sums && g->sums[e].contribution)
		return g->sums[e].contribution[f];
	if (g->merge.late)
		return cost_sum(leaving, graph_late_sum(g, f, e, false));
	graph_callees(g, f, &first, &n);
	for (uint32_t i = first; i < first + n; i++)
		if (!one_cycle(g, f, graph_edge_callee(g, i)))
			cost_add(&leaving, graph_edge_incl(g, i, e));
	return leaving;
}

int64_t graph_incoming(const struct graph *g, uint32_t f, uint32_t e)
{
	int64_t sum = 0;

	if (g->sums && g->sums[e].incoming)
		return g->sums[e].incoming[f];
	if (g->merge.late)
		return graph_late_sum(g, f, e, true);
	for (uint32_t i = 0, n = graph_caller_count(g, f); i < n; i++)
		cost_add(&sum, graph_edge_incl(g, graph_caller(g, f, i), e));
	return sum;
}

/* graph_contribution() and graph_incoming() of all functions, by one look at each edge:
 * asked one by one, the edges into a function are far apart. */
void graph_sum_calls(struct graph *g, uint32_t e)
{
	const size_t events = store_info(g->st)->all_events;
	int64_t *in, *leaving;

	graph_need_calls(g);
	if (!g->sums)
		g->sums = NEED_ARRAY(g->a, struct graph_sums, events);
	if (g->sums[e].incoming)
		return;
	in = NEED_ARRAY(g->a, int64_t, (size_t)g->functions + 1);
	leaving = NEED_ARRAY(g->a, int64_t, (size_t)g->functions + 1);
	for (uint32_t f = 0; f < g->functions; f++) {
		uint32_t first, n;

		leaving[f] = graph_self(g, f, e);
		graph_callees(g, f, &first, &n);
		for (uint32_t i = first; i < first + n; i++) {
			const uint32_t to = graph_edge_callee(g, i);
			const int64_t cost = graph_edge_incl(g, i, e);

			cost_add(&in[to], cost);
			if (!one_cycle(g, f, to))
				cost_add(&leaving[f], cost);
		}
		if (f % 65536 == 0)
			need_time(g->cancel);
	}
	g->sums[e] = (struct graph_sums){leaving, in};
}

uint32_t graph_part_count(const struct graph *g)
{
	uint32_t n = 0;

	if (g->contexts) /* whose costs are sums of all parts */
		return 1;
	for (uint32_t i = 0; i < store_info(g->st)->parts; i++)
		n += !g->run.parts || g->run.parts[i];
	return n;
}

/*
 * 100 % of an answer: the whole profile less what stages dropped, unless `whole` stands
 * among the stages.
 *
 *	store 100	ignore malloc drops 20		left 80		total 80
 *			hide memcpy drops nothing	left 80		total 80
 */
int64_t graph_total(const struct graph *g, uint32_t e)
{
	int64_t dropped = 0;

	for (const struct graph *b = g; b; b = b->below) {
		if (b->of_whole)
			return store_total(g->st, e);
		if (b->drops && b->costs[e])
			cost_add(&dropped, cost_difference(graph_left(b->below, e),
							   graph_left(b, e)));
	}
	return cost_difference(graph_whole(g, e), dropped);
}

int64_t graph_whole(const struct graph *g, uint32_t e)
{
	if (g->run.whole)
		return costs(g->run.whole, e)->total;
	return store_total(g->st, e);
}

int64_t graph_left(const struct graph *g, uint32_t e)
{
	return !g->plain && g->costs[e] ? g->costs[e]->total : graph_whole(g, e);
}

bool graph_left_is_about(const struct graph *g)
{
	for (; g && g->marks.estimated; g = g->below)
		for (uint32_t f = 0; f < g->functions; f++)
			if (!graph_is_sure(g, f, GRAPH_SELF))
				return true;
	return false;
}

bool graph_total_is_about(const struct graph *g)
{
	const bool of_whole = g->of_whole;

	while (g && !g->drops)
		g = g->below;
	return !of_whole && g && graph_left_is_about(g);
}

void graph_edge(const struct graph *g, uint32_t edge, struct store_edge *out)
{
	if (g->plain) {
		store_edge(g->st, edge, out);
		return;
	}
	out->caller = g->shape.caller[edge];
	out->callee = g->shape.callee[edge];
	out->calls = g->shape.calls[edge];
	out->recursive = out->caller == out->callee;
	out->in_cycle = out->recursive ||
			(g->shape.cycle[out->caller] &&
			 g->shape.cycle[out->caller] == g->shape.cycle[out->callee]);
}

uint32_t graph_edge_caller(const struct graph *g, uint32_t edge)
{
	return g->plain ? store_edge_caller(g->st, edge) : g->shape.caller[edge];
}

uint32_t graph_edge_callee(const struct graph *g, uint32_t edge)
{
	return g->plain ? store_edge_callee(g->st, edge) : g->shape.callee[edge];
}

uint64_t graph_edge_calls(const struct graph *g, uint32_t edge)
{
	return !store_counts_calls(g->st) ? 0
	       : g->plain		  ? store_edge_calls(g->st, edge)
					  : g->shape.calls[edge];
}

bool graph_edge_in_cycle(const struct graph *g, uint32_t edge)
{
	return one_cycle(g, graph_edge_caller(g, edge), graph_edge_callee(g, edge));
}

int64_t graph_edge_incl(const struct graph *g, uint32_t edge, uint32_t e)
{
	return g->plain		   ? store_edge_incl(g->st, edge, e)
	       : costs(g, e)->edge ? costs(g, e)->edge[edge]
				   : 0;
}

void graph_callees(const struct graph *g, uint32_t f, uint32_t *first, uint32_t *n)
{
	if (g->plain) {
		store_callees(g->st, f, first, n);
		return;
	}
	*first = *n = 0;
	if (!calls_are_joined(g))
		return;
	*first = g->shape.out_first[f];
	*n = g->shape.out_first[f + 1] - *first;
}

/* The calls of a function are in the order of the functions that they call. */
uint32_t graph_edge_between(const struct graph *g, uint32_t from, uint32_t to)
{
	uint32_t first, n;
	struct bisect b;

	graph_callees(g, from, &first, &n);
	b = bisect_in(first, first + n);
	while (bisect_next(&b))
		bisect_step(&b, graph_edge_callee(g, (uint32_t)b.mid) < to);
	return b.lo < first + n && graph_edge_callee(g, (uint32_t)b.lo) == to
		       ? (uint32_t)b.lo
		       : GRAPH_NONE;
}

uint32_t graph_caller_count(const struct graph *g, uint32_t f)
{
	return g->plain		     ? store_caller_count(g->st, f)
	       : calls_are_joined(g) ? g->shape.in_first[f + 1] - g->shape.in_first[f]
				     : 0;
}

uint32_t graph_caller(const struct graph *g, uint32_t f, uint32_t i)
{
	return g->plain ? store_caller(g->st, f, i)
			: g->shape.in_edge[g->shape.in_first[f] + i];
}

bool graph_in_group(const struct graph *g, uint32_t f)
{
	return !graph_is(g, f, GRAPH_NAMED | GRAPH_INLINED);
}

bool graph_as_stored(const struct graph *g)
{
	return g->plain || (g->merge.apart && g->merge.apart->plain);
}

uint32_t graph_members_count(const struct graph *g, uint32_t f)
{
	return g->plain || !g->merge.member
		       ? 1
		       : g->merge.member_first[f + 1] - g->merge.member_first[f];
}

uint32_t graph_member(const struct graph *g, uint32_t f, uint32_t i)
{
	return g->plain || !g->merge.member
		       ? f
		       : g->merge.member[g->merge.member_first[f] + i];
}

uint32_t graph_of_store(const struct graph *g, fn_id f)
{
	return g->plain ? f : g->map[f];
}

int64_t graph_cycle_self(const struct graph *g, uint32_t cycle, uint32_t e)
{
	int64_t sum = 0;

	if (g->plain)
		return store_cycle_self(g->st, cycle, e);
	for (uint32_t f = 0; f < g->functions; f++)
		if (g->shape.cycle[f] == cycle)
			cost_add(&sum, graph_self(g, f, e));
	return sum;
}

int64_t graph_cycle_incl(const struct graph *g, uint32_t cycle, uint32_t e)
{
	if (g->plain)
		return store_cycle_incl(g->st, cycle, e);
	return calls_are_joined(g) ? costs(g, e)->cycle[cycle] : 0;
}

void graph_shape(const struct graph *g, struct flow_input *out)
{
	if (g->plain) {
		flow_shape_of(g->st, out);
		return;
	}
	graph_need_calls(g);
	*out = (struct flow_input){
		.functions = g->functions,
		.edges = g->edges,
		.out_first = g->shape.out_first,
		.callee = g->shape.callee,
		.calls = g->shape.calls,
		.cycle = g->shape.cycle,
		.topo = g->shape.topo,
		.nests = g->shape.nests,
		.caller = g->shape.caller,
		.in_first = g->shape.in_first,
		.in_edge = g->shape.in_edge,
	};
}

void graph_flow_input(const struct graph *g, uint32_t e, struct flow_input *out)
{
	if (g->plain) {
		flow_input_of(g->st, e, out);
		return;
	}
	graph_shape(g, out);
	out->incl = g->costs[e]->edge;
	out->self = g->costs[e]->self;
}

/* Pairs (pairs.h) are solved once, for the plain graph.  Stages that only thin it out keep
 * them; above one that merges or makes functions there are none. */
void graph_pairs(const struct graph *g, struct flow *fl, struct arena *a)
{
	const struct graph *b = g;
	const struct flow *base;

	while (!b->plain && b->marks.thins)
		b = b->below;
	if (!b->plain || !b->cache)
		return;
	flow_base(b->cache, g->st, g->cancel, &base);
	if (base)
		pairs_like(base->pairs, fl, g->plain ? NULL : g->origin, a);
}

void graph_flow(struct graph *g, uint32_t e, const struct flow **out)
{
	struct flow_input in;
	struct flow *flow;

	if (!g->flows[e]) {
		graph_flow_input(g, e, &in);
		flow_build(&in, g->a, g->cancel, &flow);
		graph_pairs(g, flow, g->a);
		g->flows[e] = flow;
	}
	*out = g->flows[e];
}

bool graph_has_contexts(const struct graph *g)
{
	struct store_tree t;

	store_tree(g->st, &t);
	return g->plain && t.whole;
}

bool graph_tree_sure(const struct graph *g)
{
	struct store_tree t;

	store_tree(g->st, &t);
	return !t.lost && !t.unsure;
}

/* Merging functions keeps their stacks; contexts without a cycle are stacks themselves. */
bool graph_stacks_known(const struct graph *g)
{
	while (!g->plain && g->merge.group)
		g = g->below;
	return graph_has_contexts(g) || g->run.tree || (g->contexts && !g->cycles);
}
