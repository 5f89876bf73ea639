/*
 * source_contexts.c - contexts: functions with what the profile knows of their callers.
 *
 * Where the stacks are known (index/graph/stacks.h) a row is one stack: `under` is the row of
 * its caller, so the rows are the call tree.
 *
 *	 #  under  depth  fn
 *	 1      -      1  main
 *	 2      1      2  work
 *	 3      1      2  strlen
 *	 4      2      3  strlen
 *
 * Elsewhere a row is a function as it was recorded, with what its name says of its callers
 * (store.h, groups), and nothing says what it is under.  In both cases each cost is the self
 * cost of one row.
 */
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "index/base/err_struct.h"
#include "index/graph/stacks.h"
#include "engine/graph/graph_stage.h"
#include "engine/lang/ast.h"

struct contexts_rows {
	bool known;
	const struct stacks *shape;
	struct stacks *of; /* [all events]; n 0: of this event they are not made yet */
	uint32_t *depth;   /* [n]; of all events */
};

static const struct contexts_rows *rows_of(const struct table *t)
{
	return t->data;
}

static uint32_t context_fn(const struct table *t, uint32_t v)
{
	const struct contexts_rows *d = rows_of(t);

	return d->known ? d->shape->fn[v] : v;
}

uint64_t context_id_of(const struct table *t, uint32_t v, uint32_t e UNUSED)
{
	return rows_of(t)->known ? (uint64_t)v + 1 : graph_id(t->g, v);
}

/* The number of the row above; 0: it is a root. */
uint64_t context_under(const struct table *t, uint32_t v, uint32_t e UNUSED)
{
	const struct contexts_rows *d = rows_of(t);

	return d->known ? (uint32_t)(d->shape->caller[v] + 1) : 0;
}

/* The number of the function, as other tables have it. */
uint64_t context_fn_id(const struct table *t, uint32_t v, uint32_t e UNUSED)
{
	struct store *st = t->g->st;

	if (rows_of(t)->known || !graph_in_group(t->g, v))
		return graph_id(t->g, context_fn(t, v));
	return store_group_fn(st, store_group_of(st, graph_origin(t->g, v)), 0);
}

uint64_t context_depth(const struct table *t, uint32_t v, uint32_t e UNUSED)
{
	return rows_of(t)->known ? rows_of(t)->depth[v] : 0;
}

uint64_t context_calls(const struct table *t, uint32_t v, uint32_t e UNUSED)
{
	return rows_of(t)->known ? rows_of(t)->shape->calls[v] : graph_calls(t->g, v);
}

bool context_not_called(const struct table *t, uint32_t v)
{
	return !rows_of(t)->known && !graph_calls_counted(t->g, v);
}

uint64_t context_self(const struct table *t, uint32_t v, uint32_t e)
{
	return rows_of(t)->known ? rows_of(t)->of[e].self[v] : graph_self(t->g, v, e);
}

uint64_t context_incl(const struct table *t, uint32_t v, uint32_t e)
{
	return rows_of(t)->known ? rows_of(t)->of[e].incl[v] : graph_incl(t->g, v, e);
}

bool context_self_estimated(const struct table *t, uint32_t v, uint32_t e)
{
	return rows_of(t)->known ? t->g->marks.estimated : fn_self_estimated(t, v, e);
}

bool context_incl_estimated(const struct table *t, uint32_t v, uint32_t e)
{
	return rows_of(t)->known ? t->g->marks.estimated : fn_incl_estimated(t, v, e);
}

/* Make the stacks of the graph with the costs of an event. */
void prepare_contexts(const struct table *t, uint32_t e)
{
	const struct contexts_rows *d = rows_of(t);
	bool known;

	if (!d->known || d->of[e].n)
		return;
	graph_event(t->g, e);
	graph_stacks(t->g, e, t->x->a, &d->of[e], &known);
}

static void count_depths(struct exec *x, const struct stacks *s, uint32_t **out)
{
	uint32_t *depth = EXEC_ARRAY(x, uint32_t, (size_t)s->n + 1);

	for (uint32_t v = 0; v < s->n; v++)
		depth[v] = s->caller[v] == UINT32_MAX ? 1 : depth[s->caller[v]] + 1;
	*out = depth;
}

/* Make a row for each context of the functions in a set. */
static void contexts_of_set(struct exec *x, const struct source *s, struct table *t,
			    const struct stacks *stacks)
{
	struct fn_set *set;
	uint32_t n = 0;

	exec_set(x, s->of, &set);
	for (uint32_t v = 0; v < stacks->n; v++)
		n += fnset_has(set, stacks->fn[v]);
	table_init(x, t, t->src, x->g, n);
	t->ref = EXEC_ARRAY(x, uint32_t, (size_t)n + 1);
	n = 0;
	for (uint32_t v = 0; v < stacks->n; v++)
		if (fnset_has(set, stacks->fn[v]))
			t->ref[n++] = v;
}

/* The graph whose functions are those of the profile, with their names. */
static struct graph *recorded_graph(struct exec *x)
{
	struct graph *g = EXEC_ARRAY(x, struct graph, 1);

	*g = *graph_apart(x->g);
	g->recorded = true;
	return g;
}

/* Without stacks a row is a function as it was recorded. */
static void recorded_open(struct exec *x, const struct source *s, struct table *t)
{
	struct graph *const of = x->g, *g = recorded_graph(x);
	const struct fn_set *members;
	struct fn_set *set;

	if (s->of) {
		exec_set(x, s->of, &set);
		graph_members_of(of, graph_apart(of), set, false, x->a, &members);
	}
	x->g = g;
	if (s->of) {
		refs_of_set(x, t, t->src, g, members);
		return;
	}
	table_init(x, t, t->src, g, g->functions);
}

static uint32_t context_above(const struct table *t, uint32_t v)
{
	return rows_of(t)->known ? rows_of(t)->shape->caller[v] : UINT32_MAX;
}

static void contexts_open(struct exec *x, const struct source *s, struct table *t)
{
	struct contexts_rows *d = EXEC_ARRAY(x, struct contexts_rows, 1);
	const size_t events = store_info(x->g->st)->all_events;
	struct stacks *stacks;

	d->of = EXEC_ARRAY(x, struct stacks, events + 1);
	t->data = d;
	d->shape = stacks = &d->of[x->event];
	exec_stacks(x, stacks, &d->known);
	if (!d->known) {
		recorded_open(x, s, t);
		return;
	}
	count_depths(x, stacks, &d->depth);
	if (s->of) {
		contexts_of_set(x, s, t, stacks);
		return;
	}
	table_init(x, t, t->src, x->g, stacks->n);
}

static const struct listed context_list[] = {
	{"id", BOTH, 7},      {"under", BOTH, 6},	{"depth", BOTH, 9},
	{"calls", BOTH, 5},   {"self", BOTH, 2},	{"self%", SHOW_T | HAS_BAR, 3},
	{"incl", BOTH, 4},    {"incl%", SHOW_T, 8},	{"fn", BOTH, 1},
	{"file", SHOW_M, 0},  {"obj", SHOW_M, 0},	{"short", 0, 0},
	{"line", 0, 0},	      {"class", 0, 0},		{"dir", 0, 0},
	{"fn_id", SHOW_M, 0}, {"estimated", SHOW_M, 0}, {"row", 0, 0},
};

const struct source_def source_contexts = {
	.name = "contexts",
	.rows = "contexts",
	.primary = "self",
	.of = ROWS_CONTEXT,
	COLUMNS(context_list),
	.sorted = true,
	.open = contexts_open,
	.fn = context_fn,
	.subject = fn_subject,
	.above = context_above,
};
