/*
 * export_table.c - the contents of the tables of .export; see export.h.
 *
 * Names, order and meaning of the columns are a contract: they are in schema.json, and
 * other programs read them.  A new column goes last, before the costs.  A column whose
 * meaning changes gets another name.
 *
 * Every table begins with the profile, so that files of several exports can be read as
 * one.
 */
#include "engine/graph/graph.h"
#include "index/base/err_struct.h"
#include "repl/export/export_in.h"

/* ---- profiles and their events ---- */

static int profile_rows(struct export *x)
{
	const struct store_info *i = store_info(x->st);
	struct graph *g;

	if (export_graph(x, false, &g))
		return x->err->kind;
	export_row_start(x);
	export_text(x, i->profile);
	export_text(x, i->creator);
	export_text(x, i->cmd);
	export_number(x, g->functions);
	export_number(x, g->edges);
	export_number(x, g->cycles);
	export_number(x, i->parts);
	export_number(x, i->input_bytes);
	export_number(x, i->input_lines);
	export_number(x, i->diagnostics);
	export_bool(x, i->truncated);
	export_bool(x, i->saturated);
	export_number(x, i->built_s);
	return export_row_end(x);
}

static int event_rows(struct export *x)
{
	const struct store_info *i = store_info(x->st);

	for (uint32_t e = 0; e < i->all_events; e++) {
		struct store_event ev;

		store_event(x->st, e, &ev);
		export_row_start(x);
		export_text(x, ev.name);
		export_number(x, e);
		export_text(x, ev.long_name);
		export_text(x, ev.formula);
		export_bool(x, e < i->events);
		export_cost(x, store_total(x->st, e));
		if (export_row_end(x))
			return x->err->kind;
	}
	return 0;
}

/* ---- functions and calls ---- */

/* Cost columns are adjacent: write one vector of costs after the other. */
static void put_graph_costs(struct export *x, const struct graph *g, uint32_t of,
			    int64_t (*cost)(const struct graph *, uint32_t, uint32_t))
{
	for (uint32_t e = 0; e < store_info(x->st)->events; e++)
		x->costs[e] = cost(g, of, e);
	export_costs(x, x->costs);
}

static void put_costs(struct export *x, uint32_t of,
		      int64_t (*cost)(struct store *, uint32_t, uint32_t))
{
	for (uint32_t e = 0; e < store_info(x->st)->events; e++)
		x->costs[e] = cost(x->st, of, e);
	export_costs(x, x->costs);
}

/* Of any event. */
static bool incl_estimated(const struct graph *g, uint32_t f)
{
	int64_t lo = 0, hi = 0;

	if (!graph_incl_estimated(g, f))
		return false;
	for (uint32_t e = 0; e < store_info(g->st)->events && lo == hi; e++)
		graph_incl_bounds(g, f, e, &lo, &hi);
	return lo < hi;
}

static int function_rows(struct export *x)
{
	struct graph *g;

	if (export_graph(x, true, &g))
		return x->err->kind;
	for (uint32_t f = 0; f < g->functions; f++) {
		const fn_id fn = graph_id(g, f);

		export_row_start(x);
		export_number(x, fn);
		export_text(x, store_fn_alone(x->st, fn));
		export_text(x, store_fn_file(x->st, fn));
		export_text(x, store_fn_obj(x->st, fn));
		export_number(x, graph_line(g, f));
		export_number(x, graph_cycle(g, f));
		export_number(x, graph_calls(g, f));
		put_graph_costs(x, g, f, graph_self);
		export_bool(x, incl_estimated(g, f));
		put_graph_costs(x, g, f, graph_incl);
		if (export_row_end(x))
			return x->err->kind;
	}
	return 0;
}

static const struct export_key edge_keys[] = {
	{"caller", "functions"}, {"callee", "functions"}, {NULL, NULL}};

static int edge_rows(struct export *x)
{
	struct graph *g;

	if (export_graph(x, true, &g))
		return x->err->kind;
	for (edge_id i = 0; i < g->edges; i++) {
		struct store_edge e;

		graph_edge(g, i, &e);
		export_row_start(x);
		export_number(x, graph_id(g, e.caller));
		export_number(x, graph_id(g, e.callee));
		export_number(x, e.calls);
		export_bool(x, e.recursive);
		export_bool(x, e.in_cycle);
		put_graph_costs(x, g, i, graph_edge_incl);
		if (export_row_end(x))
			return x->err->kind;
	}
	return 0;
}

/* ---- contexts ---- */

static const struct export_key context_keys[] = {{"function", "functions"}, {NULL, NULL}};

static int put_context(struct export *x, context_id c, uint32_t depth)
{
	const context_id under = store_context_parent(x->st, c);

	export_row_start(x);
	export_number(x, (uint64_t)c + 1);
	export_number(x, under == NO_CONTEXT ? 0 : (uint64_t)under + 1);
	export_number(x, depth);
	export_number(x, store_context_fn(x->st, c));
	export_number(x, store_context_calls(x->st, c));
	export_text(x, store_fn_shown(x->st, store_context_fn(x->st, c)));
	put_costs(x, c, store_context_self);
	put_costs(x, c, store_context_incl);
	return export_row_end(x);
}

/* The first context of f: the number of its function. */
static fn_id function_of(struct export *x, fn_id f)
{
	return store_group_fn(x->st, store_group_of(x->st, f), 0);
}

/* The contexts that names tell apart. */
static int named_rows(struct export *x)
{
	for (fn_id f = 0; f < store_info(x->st)->functions; f++) {
		export_row_start(x);
		export_number(x, (uint64_t)f + 1);
		export_number(x, 0);
		export_number(x, 0);
		export_number(x, function_of(x, f));
		export_number(x, store_fn_calls(x->st, f));
		export_text(x, store_fn_shown(x->st, f));
		put_costs(x, f, store_fn_self);
		put_costs(x, f, store_fn_incl);
		if (export_row_end(x))
			return x->err->kind;
	}
	return 0;
}

/* They are by level, in a level by caller: level by level, the first one that has a caller
 * in this level begins the next. */
static int context_rows(struct export *x)
{
	context_id level = 0; /* the first of it */
	struct store_tree tree;
	uint32_t depth = 1;

	if (store_any_grouped(x->st))
		return named_rows(x);
	store_tree(x->st, &tree);
	for (context_id c = 0; c < tree.contexts; c++) {
		const context_id under = store_context_parent(x->st, c);

		if (under != NO_CONTEXT && under >= level) {
			depth++;
			level = c;
		}
		if (put_context(x, c, depth))
			return x->err->kind;
	}
	return 0;
}

/* ---- detail ---- */

static const struct export_key function_keys[] = {{"function", "functions"},
						  {NULL, NULL}};

enum { PARTS = 1, CALLS = 2, PLACES = 4 }; /* or-ed: the cells of a row */

static int put_row(struct export *x, unsigned cells, const struct export_row *r)
{
	export_row_start(x);
	if (cells & PARTS)
		export_number(x, r->part);
	export_number(x, r->fn);
	if (cells & CALLS)
		export_number(x, r->callee);
	if (cells & PLACES) {
		export_name(x, store_file(x->st, r->file));
		export_number(x, r->line);
		export_number(x, r->instr);
	}
	if (cells & CALLS)
		export_number(x, r->calls);
	export_costs(x, x->added.costs + r->costs);
	return export_row_end(x);
}

/* Put the rows that were added up. */
static int put_added(struct export *x, unsigned cells)
{
	int rc = 0;

	export_add_up(x);
	for (size_t i = 0; !rc && i < x->added.n; i++)
		rc = put_row(x, cells, &x->added.rows[i]);
	x->added.n = x->added.ncosts = 0;
	return rc;
}

static int add_line(void *arg, const struct store_line *l, const int64_t *costs,
		    struct err *err)
{
	struct export *x = arg;

	(void)err; /* it is x->err */
	return export_add(
		x,
		&(struct export_row){
			.fn = x->fn, .file = l->file, .line = l->line, .instr = l->instr},
		costs);
}

static int add_site(void *arg, const struct store_site *s, const int64_t *costs,
		    struct err *err)
{
	struct export *x = arg;

	(void)err;
	return export_add(x,
			  &(struct export_row){.fn = x->fn,
					       .callee = function_of(x, s->callee),
					       .file = s->file,
					       .line = s->line,
					       .instr = s->instr,
					       .calls = s->calls},
			  costs);
}

/* The lines or call sites of all functions, by their groups. */
static int detail_rows(struct export *x, bool sites)
{
	for (group_id g = 0; g < store_info(x->st)->groups; g++) {
		x->fn = store_group_fn(x->st, g, 0);
		for (uint32_t i = 0, n = store_group_size(x->st, g); i < n; i++) {
			const fn_id f = store_group_fn(x->st, g, i);

			if (sites ? store_each_site(x->st, f, add_site, x, x->err)
				  : store_each_line(x->st, f, add_line, x, x->err))
				return x->err->kind;
		}
		if (put_added(x, sites ? PLACES | CALLS : PLACES))
			return x->err->kind;
	}
	return 0;
}

static int line_rows(struct export *x)
{
	return detail_rows(x, false);
}

static int callsite_rows(struct export *x)
{
	return detail_rows(x, true);
}

/* ---- parts ---- */

/* Replace newlines: many readers of CSV work line by line. */
static struct str one_line(struct export *x, struct str s)
{
	size_t n = 0;
	char *p;

	arena_reset(&x->arena);
	p = arena_alloc(&x->arena, 2 * s.n + 1);
	if (!p)
		return s;
	for (size_t i = 0; i < s.n; i++) {
		p[n++] = s.p[i] == '\n' ? ';' : s.p[i];
		if (s.p[i] == '\n')
			p[n++] = ' ';
	}
	return (struct str){p, n};
}

static int part_rows(struct export *x)
{
	for (uint32_t p = 0; p < store_info(x->st)->parts; p++) {
		struct part part;

		store_part(x->st, p, &part);
		export_row_start(x);
		export_number(x, p + 1);
		export_number(x, part.part);
		export_number(x, part.pid);
		export_number(x, part.thread);
		export_text(x, part.trigger);
		export_text(x, part.time_range);
		export_text(x, one_line(x, part.desc));
		export_number(x, part.functions);
		export_bool(x, part.has_totals);
		put_costs(x, p, store_part_self);
		if (export_row_end(x))
			return x->err->kind;
	}
	return 0;
}

static const struct export_key part_function_keys[] = {
	{"part", "parts"}, {"function", "functions"}, {NULL, NULL}};

static int part_function_rows(struct export *x)
{
	uint32_t events = store_info(x->st)->events;

	for (uint32_t p = 0; p < store_info(x->st)->parts; p++) {
		int64_t *costs;
		fn_id *fns;
		size_t n;

		arena_reset(&x->arena);
		if (store_part_functions(x->st, p, &x->arena, &fns, &costs, &n, x->err))
			return x->err->kind;
		for (size_t i = 0; i < n; i++)
			if (export_add(x,
				       &(struct export_row){.part = p + 1,
							    .fn = function_of(x, fns[i])},
				       costs + i * events))
				return x->err->kind;
		if (put_added(x, PARTS))
			return x->err->kind;
	}
	return 0;
}

static const struct export_key part_edge_keys[] = {{"part", "parts"},
						   {"caller", "functions"},
						   {"callee", "functions"},
						   {NULL, NULL}};

static int part_edge_rows(struct export *x)
{
	uint32_t events = store_info(x->st)->events;

	for (uint32_t p = 0; p < store_info(x->st)->parts; p++) {
		uint64_t *calls;
		int64_t *costs;
		edge_id *edges;
		size_t n;

		arena_reset(&x->arena);
		if (store_part_edges(x->st, p, &x->arena, &edges, &calls, &costs, &n,
				     x->err))
			return x->err->kind;
		for (size_t i = 0; i < n; i++) {
			struct store_edge e;

			store_edge(x->st, edges[i], &e);
			if (export_add(x,
				       &(struct export_row){
					       .part = p + 1,
					       .fn = function_of(x, e.caller),
					       .callee = function_of(x, e.callee),
					       .calls = calls[i]},
				       costs + i * events))
				return x->err->kind;
		}
		if (put_added(x, PARTS | CALLS))
			return x->err->kind;
	}
	return 0;
}

/* ---- the table of tables ---- */

const struct export_table export_tables[] = {
	{"profiles", "one row for each profile", false, profile_columns, NULL,
	 profile_rows},
	{"events", "what was counted", false, event_columns, NULL, event_rows},
	{"functions", "one row for each function", false, function_columns, NULL,
	 function_rows},
	{"edges", "who calls whom", false, edge_columns, edge_keys, edge_rows},
	{"contexts",
	 "the call tree, or the contexts in names, if there are; they add up to functions",
	 false, context_columns, context_keys, context_rows},
	{"lines", "cost lines; they add up to the self costs of functions", false,
	 line_columns, function_keys, line_rows},
	{"callsites", "the lines that call; they add up to edges", false,
	 callsite_columns, edge_keys, callsite_rows},
	{"parts", "dumps and threads within a profile", false, part_columns, NULL,
	 part_rows},
	{"part_functions", "functions in each part; they add up to functions", true,
	 part_function_columns, part_function_keys, part_function_rows},
	{"part_edges", "edges in each part; they add up to edges", true,
	 part_edge_columns, part_edge_keys, part_edge_rows},
};
const size_t export_tables_n = sizeof(export_tables) / sizeof(export_tables[0]);
