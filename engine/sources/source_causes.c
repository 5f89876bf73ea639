/*
 * source_causes.c - how many calls of a set each function causes (path/causes.h).
 *
 * A row is a function.  The estimate follows contexts where they are known; rows are functions
 * all the same.
 */
#include "engine/graph/flow_parts.h"
#include "engine/graph/graph_stage.h"
#include "engine/lang/ast.h"
#include "engine/names/fnset.h"
#include "engine/path/causes.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/sources/getters.h"
#include "engine/sources/neighbours.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"

struct causes_rows {
	struct cause *of; /* [functions] */
	uint64_t calls;	  /* all */
};

uint64_t cause_calls(const struct table *t, uint32_t f, uint32_t e UNUSED)
{
	const struct cause *c = ROW(cause, t, f);

	return c->lo == c->hi ? c->lo : (uint64_t)(c->est + 0.5);
}

double cause_share(const struct table *t, uint32_t f, uint32_t e)
{
	const uint64_t all = ((const struct causes_rows *)t->data)->calls;

	return all ? 100.0 * (double)cause_calls(t, f, e) / (double)all : 0;
}

bool cause_estimated(const struct table *t, uint32_t f, uint32_t e UNUSED)
{
	return t->g->marks.estimated || ROW(cause, t, f)->lo != ROW(cause, t, f)->hi;
}

/* The function of x->g that each of `follow` is, and the inclusive cost of those that may be
 * on the stack in several contexts. */
static void functions_of(struct exec *x, const struct graph *follow,
			 struct path_contexts *c)
{
	uint32_t *fn = EXEC_ARRAY(x, uint32_t, (size_t)follow->functions + 1);
	uint8_t *again = EXEC_ARRAY(x, uint8_t, (size_t)follow->functions + 1);
	struct path_bounds *whole = NULL;

	for (uint32_t f = 0; f < follow->functions; f++) {
		bool is = false;

		fn[f] = x->g == follow ? f : graph_merged(x->g, follow, f, &is);
		again[f] = is;
	}
	if (x->g != follow)
		whole = EXEC_ARRAY(x, struct path_bounds, (size_t)x->g->functions + 1);
	for (uint32_t f = 0; whole && f < x->g->functions; f++)
		whole[f] = neighbour_inclusive(x, f);
	*c = (struct path_contexts){.fn = fn, .again = again, .whole = whole};
}

static void estimated_causes(struct exec *x, const struct fn_set *of,
			     struct causes_rows *d)
{
	struct graph *follow = graph_apart(x->g);
	struct path_contexts c;
	struct causes_query q = {.of = of, .functions = x->g->functions, .c = &c};
	const struct flow *flow;

	graph_event(x->g, x->event);
	functions_of(x, follow, &c);
	exec_flow(x, follow, x->event, &flow);
	exec_parts(x, follow, flow, &q.parts);
	path_causes(flow, &q, x->a, x->open->cancel, d->of, &d->calls);
	flow_parts_free(q.parts);
	/* What such stages leave of a call, nobody counted. */
	for (uint32_t f = 0; x->g->marks.estimated && f < x->g->functions; f++)
		d->of[f].lo = 0;
}

/* Does the set call itself, so that calls of it come from inside? */
static bool calls_itself(const struct graph *g, const struct fn_set *of)
{
	for (uint32_t f = fnset_next(of, 0); f != FNSET_NONE; f = fnset_next(of, f + 1))
		for (uint32_t i = 0; i < graph_caller_count(g, f); i++)
			if (fnset_has(of, graph_edge_caller(g, graph_caller(g, f, i))))
				return true;
	return false;
}

static void note_calls(struct exec *x, const struct fn_set *of, bool any)
{
	if (!any) {
		exec_note(x, STR("nothing calls it"));
		return;
	}
	if (calls_itself(x->g, of))
		exec_note(x, STR("calls of it by itself do not count"));
}

static void causes_open(struct exec *x, const struct source *s, struct table *t)
{
	struct causes_rows *d = EXEC_ARRAY(x, struct causes_rows, 1);
	struct fn_set *of, *rows;
	struct stacks stacks;
	bool known;

	exec_set(x, s->of, &of);
	exec_stacks(x, &stacks, &known);
	d->of = EXEC_ARRAY(x, struct cause, (size_t)x->g->functions + 1);
	rows = fnset_new(x->a, x->g->functions);
	if (known)
		known_causes(&stacks, of, x->a, x->open->cancel, d->of, &d->calls);
	else
		estimated_causes(x, of, d);
	for (uint32_t f = 0; f < x->g->functions; f++)
		if (d->of[f].hi)
			fnset_add(rows, f);
	note_calls(x, of, fnset_count(rows) != 0);
	t->data = d;
	t->rows = d->of;
	refs_of_set(x, t, t->src, x->g, rows);
}

static const struct listed cause_list[] = {
	{"id", BOTH, 5},
	{"calls", BOTH, 2},
	{"share%", BOTH | HAS_BAR, 3},
	{"lo", SHOW_M, 0},
	{"hi", SHOW_M, 0},
	{"fn", BOTH, 1},
	{"file", SHOW_M, 0},
	{"line", SHOW_M, 0},
	{"file:line", SHOW_T, 4},
	{"obj", SHOW_M, 0},
	{"estimated", SHOW_M, 0},
	{"short", 0, 0},
	{"class", 0, 0},
	{"dir", 0, 0},
};

const struct source_def source_causes = {
	.name = "causes",
	.rows = "functions",
	.primary = "calls",
	.of = ROWS_CAUSE,
	COLUMNS(cause_list),
	.sorted = true,
	.open = causes_open,
	.fn = row_is_fn,
	.row_size = sizeof(struct cause),
	.subject = fn_subject,
};
