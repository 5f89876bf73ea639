/*
 * source_fn.c - functions, find, cycles, and the groups files, objects, dirs, classes.
 *
 * A row of functions is the number of a function in the graph.  Groups are functions of
 * the graph collapsed by that field (graph_merge.c), so their inclusive costs follow the
 * same rule.
 */

#include "engine/flow/flow.h"
#include "engine/lang/ast.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/graph/graph_cycles.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/name.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"

uint64_t fn_activations(const struct graph *g, uint32_t f)
{
	const uint64_t calls = f == GRAPH_NONE ? 0 : graph_calls(g, f);

	return calls ? calls : 1;
}

static const struct listed fn_list[] = {
	{"id", BOTH, 7},
	{"self", BOTH, 2},
	{"self%", SHOW_T | HAS_BAR, 3},
	{"cum%", SHOW_T, 11},
	{"incl", BOTH, 4},
	{"incl%", SHOW_T, 8},
	{"calls", BOTH, 5},
	{"fn", BOTH, 1},
	{"file:line", SHOW_T, 9},
	{"file", SHOW_M, 0},
	{"line", SHOW_M, 0},
	{"obj", SHOW_M, 0},
	{"cycle", BOTH, 10},
	{"recursive", SHOW_T, 6},
	{"contribution", SHOW_M, 0},
	{"incoming", SHOW_M, 0},
	{"short", SHOW_M, 0},
	{"lo", SHOW_M, 0},
	{"hi", SHOW_M, 0},
	{"estimated", SHOW_M, 0},
	{"inexact", 0, 0},
	{"class", 0, 0},
	{"dir", 0, 0},
	{"layer", 0, 0},
	{"fn_id", 0, 0},
	{"passed", 0, 0},
	{"passed_most", 0, 0},
	{"usual", 0, 0},
	{"slowest", 0, 0},
	{"calls_only", SHOW_T, 6},
};

uint32_t row_is_fn(const struct table *t UNUSED, uint32_t f)
{
	return f;
}

void fn_subject(const struct table *t, uint32_t ref, struct row_subject *out)
{
	if (t->src->fn)
		out->fn[0] = t->src->fn(t, ref);
}

void refs_of_set(struct exec *x, struct table *t, const struct source_def *def,
		 struct graph *g, const struct fn_set *set)
{
	uint32_t n = fnset_count(set), k = 0;

	table_init(x, t, def, g, n);
	t->ref = EXEC_ARRAY(x, uint32_t, (size_t)n + 1);
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE; f = fnset_next(set, f + 1))
		t->ref[k++] = f;
}

static void fn_open(struct exec *x, const struct source *s, struct table *t)
{
	const struct source_def *def = t->src;
	struct fn_set *set;

	if (!s->of) {
		table_init(x, t, def, x->g, x->g->functions);
		return;
	}
	exec_set(x, s->of, &set);
	refs_of_set(x, t, def, x->g, set);
}

#define FUNCTIONS(var, word)            \
	const struct source_def var = { \
		.name = word,           \
		.rows = "functions",    \
		.primary = "self",      \
		.of = ROWS_FN,          \
		COLUMNS(fn_list),       \
		.few_calls = true,      \
		.sorted = true,         \
		.open = fn_open,        \
		.fn = row_is_fn,        \
		.subject = fn_subject,  \
	}
FUNCTIONS(source_functions, "functions");
FUNCTIONS(source_find, "find");

/* ---- groups ---- */

struct collapsed {
	struct graph *g;     /* collapsed */
	uint32_t *functions; /* [groups] */
};

uint64_t group_functions(const struct table *t, uint32_t f, uint32_t e UNUSED)
{
	const struct collapsed *d = t->data;

	return d->functions[f];
}

static const struct listed group_list[] = {
	{"name", BOTH, 1},	{"self", BOTH, 2},	  {"self%", SHOW_T | HAS_BAR, 3},
	{"cum%", SHOW_T, 7},	{"incl", BOTH, 4},	  {"incl%", SHOW_T, 5},
	{"functions", BOTH, 6}, {"calls", 0, 0},	  {"lo", SHOW_M, 0},
	{"hi", SHOW_M, 0},	{"estimated", SHOW_M, 0},
};

static void group_subject(const struct table *t, uint32_t f, struct row_subject *out)
{
	if (t->src == &source_classes)
		out->name = graph_name(t->g, f);
	else
		out->fn[0] = f;
}

static enum graph_by by_of(enum source_kind k)
{
	return k == S_FILES	? GRAPH_BY_FILE
	       : k == S_OBJECTS ? GRAPH_BY_OBJECT
	       : k == S_DIRS	? GRAPH_BY_DIR
				: GRAPH_BY_CLASS;
}

/* Contexts know best what enters a group: they are what is collapsed. */
static struct graph *collapsed(const struct exec *x)
{
	return x->g->merge.member ? graph_apart(x->g) : x->g;
}

/* Count members; with a set, only groups with one of its functions become rows. */
static void group_rows(struct exec *x, const struct source *s, struct collapsed *d,
		       struct fn_set *rows)
{
	const uint32_t *group;
	struct fn_set *set = NULL;

	if (s->of)
		exec_set(x, s->of, &set);
	group = graph_groups(d->g);
	d->functions = EXEC_ARRAY(x, uint32_t, (size_t)d->g->functions + 1);
	for (uint32_t f = 0; f < x->g->functions; f++) {
		const uint32_t to = group[x->g == collapsed(x) ? f : x->g->from[f]];

		if (to == GRAPH_NONE)
			continue;
		d->functions[to]++;
		if (!set || fnset_has(set, f))
			fnset_add(rows, to);
		exec_poll(x);
	}
}

static void group_open(struct exec *x, const struct source *s, struct table *t)
{
	struct collapsed *d = EXEC_ARRAY(x, struct collapsed, 1);
	struct fn_set *rows;

	graph_collapse_by(collapsed(x), by_of(s->kind), &d->g);
	rows = fnset_new(x->a, d->g->functions);
	group_rows(x, s, d, rows);
	t->data = d;
	refs_of_set(x, t, t->src, d->g, rows);
}

#define GROUP(var, word, one)             \
	const struct source_def var = {   \
		.name = word,             \
		.rows = word,             \
		.primary = "self",        \
		.named = one,             \
		.of = ROWS_GROUP,         \
		COLUMNS(group_list),      \
		.few_calls = true,        \
		.sorted = true,           \
		.open = group_open,       \
		.subject = group_subject, \
	}
GROUP(source_files, "files", "file");
GROUP(source_objects, "objects", "obj");
GROUP(source_dirs, "dirs", "dir");
GROUP(source_classes, "classes", "class");

/* ---- cycles: row i is cycle i + 1 ---- */

uint64_t cycle_self(const struct table *t, uint32_t i, uint32_t e)
{
	return graph_cycle_self(t->g, i + 1, e);
}

uint64_t cycle_incl(const struct table *t, uint32_t i, uint32_t e)
{
	return graph_cycle_incl(t->g, i + 1, e);
}

/* "caller -> callee" */
static struct str call_text(const struct table *t, uint32_t edge)
{
	struct store_edge x;

	graph_edge(t->g, edge, &x);
	return arena_printf(t->x->a, "%.*s -> %.*s", STR_ARG(graph_name(t->g, x.caller)),
			    STR_ARG(graph_name(t->g, x.callee)));
}

struct str cycle_costliest(const struct table *t, uint32_t i)
{
	return call_text(t, ROW(graph_cycle, t, i)->costliest);
}

bool cycle_not_opened(const struct table *t, uint32_t i)
{
	return ROW(graph_cycle, t, i)->nopening == CYCLE_UNKNOWN;
}

uint64_t cycle_cuts(const struct table *t, uint32_t i, uint32_t e UNUSED)
{
	return cycle_not_opened(t, i) ? 0 : ROW(graph_cycle, t, i)->nopening;
}

/* The share of the cycle's cost in the calls to cut. */
double cycle_cut_share(const struct table *t, uint32_t i, uint32_t e UNUSED)
{
	double incl = (double)graph_cycle_incl(t->g, i + 1, t->event);

	return incl > 0 ? 100.0 * (double)ROW(graph_cycle, t, i)->opening_cost / incl : 0;
}

struct str cycle_cut(const struct table *t, uint32_t i)
{
	const struct graph_cycle *c = ROW(graph_cycle, t, i);
	struct str text = STR("");

	for (uint32_t k = 0; k < c->nopening && k < 3 && !cycle_not_opened(t, i); k++) {
		struct str call = call_text(t, c->opening[k]);

		text = arena_printf(t->x->a, "%.*s%s%.*s", STR_ARG(text), k ? "; " : "",
				    STR_ARG(call));
	}
	if (!cycle_not_opened(t, i) && c->nopening > 3)
		text = arena_printf(t->x->a, "%.*s; ...", STR_ARG(text));
	return text;
}

static const struct listed cycle_list[] = {
	{"id", BOTH, 1},	 {"functions", BOTH, 4}, {"self", BOTH, 9},
	{"self%", SHOW_T, 12},	 {"incl", BOTH, 3},	 {"incl%", SHOW_T | HAS_BAR, 6},
	{"entry", BOTH, 2},	 {"entries", BOTH, 8},	 {"calls", SHOW_M, 0},
	{"costliest", BOTH, 11}, {"cuts", BOTH, 5},	 {"share%", SHOW_M, 0},
	{"cut", BOTH, 7},
};

/* Note how many functions, of set or of all (NULL), call themselves and are in no cycle:
 * one might look for them here. */
static void note_self_calls(struct exec *x, const struct fn_set *set,
			    const struct set *of)
{
	struct flow_input in;
	uint32_t n = 0;

	graph_shape(x->g, &in);
	for (uint32_t f = 0; f < in.functions; f++) {
		bool self = false;

		for (uint32_t e = in.out_first[f]; e < in.out_first[f + 1]; e++)
			self |= in.callee[e] == f;
		n += self && !in.cycle[f] && (!set || fnset_has(set, f));
		exec_poll(x);
	}
	if (n)
		exec_hintf(x,
			   "%s function%s call%s only %s: in no cycle; "
			   "functions%s%.*s | where recursive and not cycle > 0 lists "
			   "%s",
			   GROUPED(n), n == 1 ? "" : "s", n == 1 ? "s" : "",
			   n == 1 ? "itself" : "themselves", of ? " of " : "",
			   of ? (int)of->span.len : 0, of ? x->text.p + of->span.at : "",
			   n == 1 ? "it" : "them");
}

static void cycle_open(struct exec *x, const struct source *s, struct table *t)
{
	struct graph_cycle *d;
	struct fn_set *set, *rows = fnset_new(x->a, x->g->cycles);

	graph_event(x->g, x->event);
	graph_cycles(x->g, x->event, x->a, &d);
	t->rows = d;
	if (!s->of) {
		table_init(x, t, &source_cycles, x->g, x->g->cycles);
		note_self_calls(x, NULL, NULL);
		return;
	}
	exec_set(x, s->of, &set);
	note_self_calls(x, set, s->of);
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE; f = fnset_next(set, f + 1))
		if (graph_cycle(x->g, f))
			fnset_add(rows, graph_cycle(x->g, f) - 1);
	refs_of_set(x, t, &source_cycles, x->g, rows);
}

static uint32_t cycle_fn(const struct table *t, uint32_t i)
{
	return ROW(graph_cycle, t, i)->entry;
}

const struct source_def source_cycles = {
	.name = "cycles",
	.rows = "cycles",
	.primary = "incl",
	.of = ROWS_CYCLE,
	COLUMNS(cycle_list),
	.sorted = true,
	.open = cycle_open,
	.fn = cycle_fn,
	.subject = fn_subject,
	.row_size = sizeof(struct graph_cycle),
};
