/*
 * derived.c - what an index derives from what it records; see derived.h.
 *
 * Ids are dense, tables are in order, values stored in two ways agree, and sums add up:
 *
 *	self of a function = sum of its cost lines	total of an event = sum of all self
 *	calls, cost of an edge = sums of its call sites	self of a part = sum of its functions
 *	inclusive = self + outgoing edges, a cycle's for its members
 *
 * Sums that saturated are not compared.
 */
#include "tests/support/derived.h"

#include <string.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/graph/inclusive.h"
#include "index/graph/joined.h"
#include "index/graph/stacks.h"
#include "index/store/store_in.h"

struct derived {
	struct store *st;
	const struct store_info *in;
	struct arena a;			   /* for one function, part or event */
	struct arena kept;		   /* the arrays below */
	const uint32_t *ids[INDEX_TABLES]; /* whole columns, but those of events */
	uint64_t *sum;			   /* [functions or edges, whichever are more] */
	uint8_t *seen;			   /* the same size */
	uint32_t nnests;		   /* number of functions with nests[] set */
	uint8_t *nests;			   /* [functions] */
	struct incl_known *known;	   /* [functions] */
	int64_t *spent, *flowing;	   /* the same size as sum */
	struct err *err;
};

static int wrong(struct derived *v, enum index_table t, uint64_t row, const char *what)
{
	store_damaged(v->st, t, (uint32_t)(row / BLOCK_ROWS), what);
	return store_check(v->st, v->err);
}

/* Whether damage was found. */
static int stopped(struct derived *v)
{
	return v->st->damage.kind ? store_check(v->st, v->err) : v->err->kind;
}

static int id_columns(struct derived *v)
{
	for (enum index_table t = TABLE_OBJ; t < INDEX_TABLES; t++)
		if (table_width(t) == sizeof(uint32_t) && !table_has_events(t) &&
		    !(v->ids[t] = store_u32(v->st, t)))
			return store_check(v->st, v->err);
	return 0;
}

/* ---- order ---- */

static int strings_ascend(struct derived *v, enum index_table t, uint32_t from,
			  uint32_t n, struct str (*string)(struct store *, uint32_t))
{
	struct str last = {NULL, 0};

	for (uint32_t i = from; i < from + n; i++) {
		struct str s = string(v->st, i);

		if (i > from && str_cmp(last, s) >= 0)
			return wrong(v, t, 0, "its strings are not in order");
		last = s;
	}
	return stopped(v);
}

static int strings(struct derived *v)
{
	return strings_ascend(v, TABLE_NAME, 0, v->in->names, store_name) ||
	       strings_ascend(v, TABLE_FILE, 0, v->in->files, store_file) ||
	       strings_ascend(v, TABLE_FILE, v->in->files, v->in->inlined, store_file) ||
	       strings_ascend(v, TABLE_OBJ, 0, v->in->objects, store_obj);
}

static int functions(struct derived *v)
{
	const uint32_t *name = v->ids[TABLE_FN_NAME], *file = v->ids[TABLE_FN_FILE],
		       *obj = v->ids[TABLE_FN_OBJ];

	for (uint32_t f = 1; f < v->in->functions; f++)
		if (name[f] < name[f - 1] ||
		    (name[f] == name[f - 1] &&
		     (file[f] < file[f - 1] ||
		      (file[f] == file[f - 1] && obj[f] <= obj[f - 1]))))
			return wrong(v, TABLE_FN_NAME, f,
				     "the functions are not in order");
	return stopped(v);
}

/* Reading the columns checks that edges agree with the spans of their callers. */
static int edges(struct derived *v)
{
	const uint32_t *callee = v->ids[TABLE_EDGE_CALLEE], *in = v->ids[TABLE_IN_EDGE],
		       *in_first = v->ids[TABLE_IN_FIRST];

	for (uint32_t f = 0; f < v->in->functions; f++)
		for (uint32_t i = in_first[f]; i < in_first[f + 1]; i++)
			if (callee[in[i]] != f || (i > in_first[f] && in[i] <= in[i - 1]))
				return wrong(v, TABLE_IN_EDGE, i,
					     "it has another function's edge");
	return stopped(v);
}

static int rank(struct derived *v, enum index_table t, uint32_t e, const int64_t *cost,
		fn_id (*ranked)(struct store *, uint32_t, uint32_t))
{
	fn_id last = 0;

	memset(v->seen, 0, v->in->functions);
	for (uint32_t i = 0; cost && i < v->in->functions; i++) {
		fn_id f = ranked(v->st, e, i);
		bool rises =
			i && (f < last ? cost[f] >= cost[last] : cost[f] > cost[last]);

		if (rises || v->seen[f])
			return wrong(v, t, i, "it is not in order");
		v->seen[f] = 1;
		last = f;
	}
	return stopped(v);
}

static int ranks(struct derived *v)
{
	for (uint32_t e = 0; e < v->in->events; e++)
		if (rank(v, TABLE_RANK_SELF, e, store_costs(v->st, TABLE_FN_SELF, e),
			 store_rank_self) ||
		    rank(v, TABLE_RANK_INCL, e, store_costs(v->st, TABLE_FN_INCL, e),
			 store_rank_incl))
			return v->err->kind;
	return 0;
}

static bool one_cycle(const uint32_t *cycle, fn_id a, fn_id b)
{
	return cycle[a] && cycle[a] == cycle[b];
}

static int topological_order(struct derived *v)
{
	const uint32_t *caller = v->ids[TABLE_EDGE_CALLER],
		       *callee = v->ids[TABLE_EDGE_CALLEE];

	for (uint32_t i = 0; i < v->in->functions; i++)
		v->sum[v->ids[TABLE_TOPO][i]] = i;
	for (uint32_t e = 0; e < v->in->edges; e++)
		if (v->sum[caller[e]] > v->sum[callee[e]] &&
		    !one_cycle(v->ids[TABLE_FN_CYCLE], caller[e], callee[e]))
			return wrong(v, TABLE_TOPO, 0,
				     "a callee comes before its caller");
	return 0;
}

static int cycles(struct derived *v)
{
	const uint32_t *cycle = v->ids[TABLE_FN_CYCLE];
	uint32_t members = 0;

	for (uint32_t c = 1; c <= v->in->cycles; c++) {
		struct store_cycle s;

		store_cycle(v->st, c, &s);
		for (uint32_t i = 0; i < s.functions; i++)
			if (cycle[s.members[i]] != c ||
			    (i && s.members[i] <= s.members[i - 1]))
				return wrong(v, TABLE_CYCLE_MEMBER, i,
					     "it has another cycle's member");
		members += s.functions;
	}
	for (uint32_t f = 0; f < v->in->functions; f++)
		members -= cycle[f] != 0;
	if (members)
		return wrong(v, TABLE_CYCLE_FIRST, 0, "members are missing");
	return stopped(v);
}

/* ---- sums ---- */

static int calls(struct derived *v)
{
	const uint64_t *of_fn = store_u64(v->st, TABLE_FN_CALLS);
	const uint64_t *of_edge = store_u64(v->st, TABLE_EDGE_CALLS);
	const uint32_t *callee = v->ids[TABLE_EDGE_CALLEE];

	if (!of_fn || !of_edge || !!v->in->saturated)
		return stopped(v);
	memset(v->sum, 0, v->in->functions * sizeof(*v->sum));
	for (uint32_t e = 0; e < v->in->edges; e++)
		v->sum[callee[e]] += of_edge[e];
	for (uint32_t i = 0; i < store_roots(v->st); i++)
		v->sum[store_root(v->st, i).fn] += store_root(v->st, i).calls;
	for (uint32_t f = 0; f < v->in->functions; f++)
		if (v->sum[f] != of_fn[f])
			return wrong(v, TABLE_FN_CALLS, f,
				     "it is not the sum of the edges");
	return 0;
}

/* One event's columns, arrays of functions; cycle[] has one element per cycle. */
struct summing {
	const int64_t *self, *incl, *of_edge;
	const uint32_t *first, *callee, *cycle;
	struct incl_known *known;
	int64_t *spent;		     /* self + calls of others, with their signs */
	int64_t *of_cycle, *flowing; /* with signs, and of known[].leaving */
};

static void sum_edges(struct derived *v, struct summing *s)
{
	for (uint32_t f = 0; f < v->in->functions; f++) {
		s->known[f].spent = s->known[f].leaving = s->spent[f] = s->self[f];
		if (s->cycle[f])
			cost_add(&s->of_cycle[s->cycle[f]], s->self[f]);
	}
	for (uint32_t f = 0; f < v->in->functions; f++)
		for (uint32_t e = s->first[f]; e < s->first[f + 1]; e++) {
			const uint32_t to = s->callee[e];
			const bool inside = one_cycle(s->cycle, f, to);

			if (to == f)
				continue;
			incl_know(&s->known[f], v->nests[f], &s->known[to], v->nests[to],
				  inside, s->of_edge[e]);
			cost_add(&s->spent[f], s->of_edge[e]);
			if (s->cycle[f] && !inside)
				cost_add(&s->of_cycle[s->cycle[f]], s->of_edge[e]);
		}
	for (uint32_t f = 0; f < v->in->functions; f++)
		if (s->cycle[f])
			cost_add(&s->flowing[s->cycle[f]], s->known[f].leaving);
}

/* Compare inclusive cost with the formula of save.c; an estimate may be rounded
 * differently on another machine. */
static bool as_known(const struct derived *v, const struct incl_known *k, uint32_t f,
		     int64_t incl, struct returning *r)
{
	double want, off;
	int64_t lo, hi;

	incl_bounds(k, &lo, &hi);
	if (incl < lo || incl > hi)
		return false;
	want = (double)k->spent -
	       returning_cost(r, &f, 1, NULL, returning_edges(v->nnests));
	want = want < (double)lo ? (double)lo : want > (double)hi ? (double)hi : want;
	off = want - (double)incl;
	return (off < 0 ? -off : off) <= 1 + want * 1e-9;
}

/* The inclusive costs of functions by the stacks that the profile knows; *out is NULL if it
 * knows none. */
static int by_stacks(struct derived *v, uint32_t event, int64_t **out)
{
	struct stacks s = {.functions = v->in->functions};
	struct store_tree tree;

	*out = NULL;
	store_tree(v->st, &tree);
	if (!tree.whole)
		return 0;
	s.n = tree.contexts;
	s.fn = v->ids[TABLE_CONTEXT_FN];
	s.incl = store_costs(v->st, TABLE_CONTEXT_INCL, event);
	if (!s.incl)
		return store_check(v->st, v->err);
	if (!(*out = ARENA_ARRAY(&v->a, int64_t, (size_t)s.functions + 1)) ||
	    stacks_link(&s, v->ids[TABLE_CONTEXT_PARENT], &v->a))
		return arena_full(&v->a, v->err);
	return stacks_inclusive(&s, *out, &v->a, NULL, v->err);
}

/* Check self and inclusive cost of functions and cycles for one event. */
static int costs_of(struct derived *v, uint32_t event)
{
	struct summing s = {
		.self = store_costs(v->st, TABLE_FN_SELF, event),
		.incl = store_costs(v->st, TABLE_FN_INCL, event),
		.of_edge = store_costs(v->st, TABLE_EDGE_INCL, event),
		.first = v->ids[TABLE_OUT_FIRST],
		.callee = v->ids[TABLE_EDGE_CALLEE],
		.cycle = v->ids[TABLE_FN_CYCLE],
		.known = v->known,
		.spent = v->spent,
		.of_cycle = (int64_t *)v->sum,
		.flowing = v->flowing,
	};
	struct call_costs costs = {
		.functions = v->in->functions,
		.out_first = s.first,
		.callee = s.callee,
		.self = s.self,
		.edge = s.of_edge,
		.self_step = 1,
		.edge_step = 1,
		.circle = s.cycle,
	};
	int64_t total = 0, *stacks;
	struct returning r;

	if (!s.self || !s.incl || !s.of_edge)
		return stopped(v);
	memset(v->known, 0, v->in->functions * sizeof(*v->known));
	memset(v->sum, 0, ((size_t)v->in->cycles + 1) * sizeof(*v->sum));
	memset(v->flowing, 0, ((size_t)v->in->cycles + 1) * sizeof(*v->flowing));
	sum_edges(v, &s);
	for (uint32_t i = 0; i < v->in->edges; i++)
		if (store_fn_bare(v->st, s.callee[i])) /* what flows in is all there is */
			cost_add(&s.spent[s.callee[i]], s.of_edge[i]);
	arena_reset(&v->a);
	if (returning_init(&r, &costs, &v->a))
		return arena_full(&v->a, v->err);
	if (by_stacks(v, event, &stacks))
		return v->err->kind;
	for (uint32_t f = 0; f < v->in->functions; f++) {
		cost_add(&total, s.self[f]);
		s.known[f].cycle = s.flowing[s.cycle[f]];
		if (stacks	  ? stacks[f] != s.incl[f]
		    : v->nests[f] ? !as_known(v, &s.known[f], f, s.incl[f], &r)
				  : s.spent[f] != s.incl[f])
			return wrong(v, TABLE_FN_INCL, f,
				     stacks ? "it is not the sum of its contexts"
				     : v->nests[f]
					     ? "it is not what its calls leave of it"
					     : "it is not self and outgoing edges");
	}
	for (uint32_t c = 1; c <= v->in->cycles; c++)
		if (store_cycle_incl(v->st, c, event) != s.of_cycle[c])
			return wrong(v, TABLE_CYCLE_INCL, c,
				     "it is not the sum of its members");
	if (total != store_total(v->st, event))
		return wrong(v, TABLE_META, 0, "a total is not the sum of the functions");
	return stopped(v);
}

static int costs(struct derived *v)
{
	for (uint32_t f = 0; f < v->in->functions; f++)
		v->nnests += v->nests[f] = store_fn_nests(v->st, f);
	for (uint32_t e = 0; !v->in->saturated && e < v->in->events; e++)
		if (costs_of(v, e))
			return v->err->kind;
	return 0;
}

/* ---- contexts ---- */

/* Siblings stand together, by function. */
static int context_order(struct derived *v, uint32_t n)
{
	const uint32_t *parent = v->ids[TABLE_CONTEXT_PARENT],
		       *fn = v->ids[TABLE_CONTEXT_FN];

	for (uint32_t c = 1; c < n; c++)
		if (parent[c] == parent[c - 1] && fn[c] <= fn[c - 1])
			return wrong(v, TABLE_CONTEXT_FN, c,
				     "the contexts are not in order");
	return stopped(v);
}

/* The self costs of a function's contexts are its self cost; an inclusive cost is self
 * and those of the contexts that it calls. */
static int context_costs(struct derived *v, uint32_t event, uint32_t n)
{
	const int64_t *self = store_costs(v->st, TABLE_CONTEXT_SELF, event);
	const int64_t *incl = store_costs(v->st, TABLE_CONTEXT_INCL, event);
	const uint32_t *parent = v->ids[TABLE_CONTEXT_PARENT];
	int64_t *sum = (int64_t *)v->sum, *below;

	if (!self || !incl)
		return store_check(v->st, v->err);
	arena_reset(&v->a);
	if (!(below = ARENA_ARRAY(&v->a, int64_t, (size_t)n + 1)))
		return err_no_memory(v->err, "to check the index");
	memset(v->sum, 0, v->in->functions * sizeof(*v->sum));
	for (uint32_t c = n; c-- > 0;) {
		cost_add(&sum[v->ids[TABLE_CONTEXT_FN][c]], self[c]);
		if (incl[c] != cost_sum(self[c], below[c]))
			return wrong(v, TABLE_CONTEXT_INCL, c,
				     "it is not self and what it calls");
		if (parent[c])
			cost_add(&below[parent[c] - 1], incl[c]);
	}
	for (uint32_t f = 0; f < v->in->functions; f++)
		if (sum[f] != store_fn_self(v->st, f, event))
			return wrong(v, TABLE_CONTEXT_SELF, f,
				     "its sum is not the function's self cost");
	return 0;
}

static int contexts(struct derived *v)
{
	struct store_tree tree;
	const uint64_t *calls;
	uint64_t all = 0;

	store_tree(v->st, &tree);
	if (!tree.contexts)
		return 0;
	calls = store_u64(v->st, TABLE_CONTEXT_CALLS);
	for (uint32_t c = 0; calls && c < tree.contexts; c++)
		all += calls[c];
	if (calls && all != tree.activations)
		return wrong(v, TABLE_CONTEXT_CALLS, 0,
			     "its sum is not the number of activations");
	if (context_order(v, tree.contexts))
		return v->err->kind;
	for (uint32_t e = 0; !v->in->saturated && e < v->in->events; e++)
		if (context_costs(v, e, tree.contexts))
			return v->err->kind;
	return stopped(v);
}

/* ---- groups ---- */

struct group_columns {
	const int64_t *self, *edge, *incl;
};

static int64_t self_of(const void *of, uint32_t f)
{
	return ((const struct group_columns *)of)->self[f];
}

static int64_t edge_of(const void *of, uint32_t i)
{
	return ((const struct group_columns *)of)->edge[i];
}

static int64_t incl_of(const void *of, uint32_t f)
{
	return ((const struct group_columns *)of)->incl[f];
}

static int columns_of(struct derived *v, uint32_t e, struct group_columns *out)
{
	*out = (struct group_columns){store_costs(v->st, TABLE_FN_SELF, e),
				      store_costs(v->st, TABLE_EDGE_INCL, e),
				      store_costs(v->st, TABLE_FN_INCL, e)};
	return store_check(v->st, v->err);
}

static int compare_groups(struct derived *v, const struct joined *j)
{
	if (j->edges != v->in->group_edges || j->cycles != v->in->group_cycles)
		return wrong(v, TABLE_META, 0, "groups have other calls");
	for (uint32_t g = 0; g < j->groups; g++) {
		if (v->ids[TABLE_GROUP_CYCLE][g] != j->cycle[g])
			return wrong(v, TABLE_GROUP_CYCLE, g,
				     "a group is in another cycle");
		if (v->ids[TABLE_GROUP_KNOWN][g] != j->known[g])
			return wrong(v, TABLE_GROUP_KNOWN, g,
				     "its cost does not follow from its functions");
	}
	return 0;
}

static int group_costs(struct derived *v, const struct joined *j, uint32_t event)
{
	struct group_columns columns;
	const struct joined_costs costs = {&columns, self_of, edge_of, incl_of};

	if (columns_of(v, event, &columns))
		return v->err->kind;
	for (uint32_t g = 0; g < j->groups; g++)
		if (store_group_incl(v->st, g, event) !=
		    (j->known[g] ? joined_incl(j, g, &costs) : 0))
			return wrong(v, TABLE_GROUP_INCL, g,
				     "it does not follow from its functions");
	return stopped(v);
}

/* Join the groups again. */
static int joined_groups(struct derived *v)
{
	const uint32_t *first = v->ids[TABLE_GROUP_FIRST], *fn = v->ids[TABLE_GROUP_FN];
	struct group_columns columns;
	const struct joined_costs costs = {&columns, self_of, edge_of, incl_of};
	struct joined j = {.functions = v->in->functions,
			   .groups = v->in->groups,
			   .out_first = v->ids[TABLE_OUT_FIRST],
			   .callee = v->ids[TABLE_EDGE_CALLEE],
			   .of = v->ids[TABLE_GROUP_OF],
			   .first = first,
			   .fn = fn,
			   .again = v->seen,
			   .nests = v->nests,
			   .levels = v->st->meta.levels};
	int rc;

	if (!!v->in->saturated || columns_of(v, 0, &columns))
		return stopped(v);
	for (uint32_t g = 0; g < j.groups; g++) {
		uint32_t least = UINT32_MAX, *level = (uint32_t *)v->sum;

		for (uint32_t i = first[g]; i < first[g + 1]; i++) {
			level[i] = store_fn_context(v->st, fn[i], &(struct str){0});
			least = level[i] < least ? level[i] : least;
		}
		for (uint32_t i = first[g]; i < first[g + 1]; i++)
			v->seen[fn[i]] = level[i] > least;
	}
	if (joined_find(&j, &costs))
		rc = err_no_memory(v->err, "to check the index");
	else
		rc = compare_groups(v, &j);
	for (uint32_t e = 0; !rc && e < v->in->events; e++)
		rc = group_costs(v, &j, e);
	joined_free(&j);
	return rc;
}

static int groups(struct derived *v)
{
	const uint32_t *of = v->ids[TABLE_GROUP_OF], *first = v->ids[TABLE_GROUP_FIRST],
		       *fn = v->ids[TABLE_GROUP_FN];

	if (!store_any_grouped(v->st))
		return 0;
	for (uint32_t g = 0; g < v->in->groups; g++) {
		if (first[g] == first[g + 1])
			return wrong(v, TABLE_GROUP_FIRST, g, "a group has no functions");
		for (uint32_t i = first[g]; i < first[g + 1]; i++)
			if (of[fn[i]] != g || (i > first[g] && fn[i] <= fn[i - 1]))
				return wrong(v, TABLE_GROUP_FN, i,
					     "it has another group's function");
		store_group_name(v->st, g);
	}
	return joined_groups(v);
}

/* ---- detail ---- */

/* Order by file, instr and line. */
static int by_place(struct store_line a, struct store_line b)
{
	if (a.file != b.file)
		return a.file < b.file ? -1 : 1;
	if (a.instr != b.instr)
		return a.instr < b.instr ? -1 : 1;
	return a.line < b.line ? -1 : a.line > b.line;
}

/* The sum of an event in n rows. */
static int64_t sum_of(const struct derived *v, const int64_t *cost, size_t n, uint32_t e)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		cost_add(&sum, cost[i * v->in->events + e]);
	return sum;
}

static int lines_of(struct derived *v, fn_id f)
{
	struct store_line *row;
	int64_t *cost;
	size_t n;

	if (store_inlined_lines(v->st, f, &v->a, &row, &cost, &n, v->err))
		return v->err->kind;
	for (size_t i = 1; i < n; i++)
		if (by_place(row[i - 1], row[i]) >= 0)
			return wrong(v, TABLE_LINES, 0, "its rows are not in order");
	for (uint32_t e = 0; !v->in->saturated && e < v->in->events; e++)
		if (sum_of(v, cost, n, e) != store_fn_self(v->st, f, e))
			return wrong(v, TABLE_LINES, 0,
				     "its sum is not the function's self cost");
	return 0;
}

static int sites_of(struct derived *v, fn_id f)
{
	uint32_t events = v->in->events, edges;
	struct store_site *row;
	edge_id first;
	int64_t *cost;
	size_t n;

	store_callees(v->st, f, &first, &edges);
	if (store_sites(v->st, f, &v->a, &row, &cost, &n, v->err))
		return v->err->kind;
	for (size_t i = 1; i < n; i++) {
		const struct store_site *a = &row[i - 1], *b = &row[i];
		const int order =
			by_place((struct store_line){a->file, a->line, a->instr},
				 (struct store_line){b->file, b->line, b->instr});

		if (order > 0 || (order == 0 && a->edge >= b->edge))
			return wrong(v, TABLE_SITES, 0, "its rows are not in order");
	}
	/* Column 0 counts calls. */
	for (uint32_t e = 0; !v->in->saturated && e <= events; e++) {
		memset(v->sum, 0, edges * sizeof(*v->sum));
		for (size_t i = 0; i < n; i++)
			v->sum[row[i].edge - first] +=
				e ? (uint64_t)cost[i * events + e - 1] : row[i].calls;
		for (uint32_t i = 0; i < edges; i++) {
			struct store_edge edge;

			store_edge(v->st, first + i, &edge);
			if (!e && !edge.calls) /* nobody counted all of them */
				continue;
			if (v->sum[i] !=
			    (e ? (uint64_t)store_edge_incl(v->st, first + i, e - 1)
			       : edge.calls))
				return wrong(v, TABLE_SITES, 0,
					     "its sum is not the edge's");
		}
	}
	return 0;
}

static int jumps_of(struct derived *v, fn_id f)
{
	struct store_jump *row;
	size_t n;

	if (store_jumps(v->st, f, &v->a, &row, &n, v->err))
		return v->err->kind;
	for (size_t i = 1; i < n; i++) {
		const struct store_jump *a = &row[i - 1], *b = &row[i];

		if (by_place((struct store_line){a->file, a->line, a->instr},
			     (struct store_line){b->file, b->line, b->instr}) > 0)
			return wrong(v, TABLE_JUMPS, 0, "its rows are not in order");
	}
	return 0;
}

static int detail(struct derived *v)
{
	for (fn_id f = 0; f < v->in->functions; f++) {
		arena_reset(&v->a);
		if (lines_of(v, f) || sites_of(v, f) || jumps_of(v, f) || stopped(v))
			return v->err->kind;
	}
	return 0;
}

static int part(struct derived *v, uint32_t p)
{
	int64_t *cost;
	fn_id *fns;
	size_t n;

	arena_reset(&v->a);
	if (store_part_functions(v->st, p, &v->a, &fns, &cost, &n, v->err))
		return v->err->kind;
	for (uint32_t e = 0; !v->in->saturated && e < v->in->events; e++)
		if (sum_of(v, cost, n, e) != store_part_self(v->st, p, e))
			return wrong(v, TABLE_PART_SELF, p,
				     "it is not the sum of its functions");
	return stopped(v);
}

static int parts(struct derived *v)
{
	bool totals = v->in->parts > 0;
	struct part head;

	for (uint32_t p = 0; p < v->in->parts; p++) {
		store_part(v->st, p, &head);
		if (part(v, p))
			return v->err->kind;
		totals &= head.has_totals;
	}
	if (totals != v->st->meta.totals)
		return wrong(v, TABLE_META, 0, "not all parts have totals, or all have");
	return stopped(v);
}

/* ---- all of it ---- */

static int derived_guarded(void *arg)
{
	static int (*const steps[])(struct derived *) = {
		strings, id_columns, functions, edges,	cycles, topological_order,
		ranks,	 calls,	     costs,	detail, parts,	contexts,
		groups,
	};
	struct derived *v = arg;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i](v))
			return v->err->kind;
	return store_check(v->st, v->err);
}

int derived_verify(struct store *st, struct store_verified *out, struct err *err)
{
	const struct store_info *in = store_info(st);
	bool as_recorded = st->as_recorded;
	size_t most = (in->functions > in->edges ? in->functions : in->edges) + (size_t)2;
	struct derived v = {st, in, .err = err};

	if (store_verify(st, NULL, out, err))
		return err->kind;
	st->as_recorded = true; /* names are sorted as recorded */
	arena_init(&v.a, 0);
	arena_init(&v.kept, 0);
	v.sum = ARENA_ARRAY(&v.kept, uint64_t, most);
	v.seen = ARENA_ARRAY(&v.kept, uint8_t, most);
	v.nests = ARENA_ARRAY(&v.kept, uint8_t, most);
	v.known = ARENA_ARRAY(&v.kept, struct incl_known, most);
	v.spent = ARENA_ARRAY(&v.kept, int64_t, most);
	v.flowing = ARENA_ARRAY(&v.kept, int64_t, most);
	if (!v.sum || !v.seen || !v.nests || !v.known || !v.spent || !v.flowing)
		err_no_memory(err, "to check the index");
	else
		map_guard(derived_guarded, &v, ERR_INDEX, err);
	arena_free(&v.a);
	arena_free(&v.kept);
	st->as_recorded = as_recorded;
	return err->kind;
}
