/*
 * source_fn.c - functions, find, cycles, and the groups files, objects, dirs, classes.
 *
 * A row of functions is the number of a function in the graph.  Groups are functions of
 * the graph collapsed by that field (graph_merge.c), so their inclusive costs follow the
 * same rule.
 */
#include <inttypes.h>

#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/graph/graph_cycles.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/name.h"
#include "engine/sources/source.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t fn_id_of(const struct table *t, uint32_t f, uint32_t e)
{
	(void)e;
	return graph_id(t->g, f);
}

static uint64_t fn_self(const struct table *t, uint32_t f, uint32_t e)
{
	return graph_self(t->g, f, e);
}

static uint64_t fn_incl(const struct table *t, uint32_t f, uint32_t e)
{
	return graph_incl(t->g, f, e);
}

bool fn_incl_estimated(const struct table *t, uint32_t f, uint32_t e)
{
	uint64_t lo, hi;

	if (!graph_is_sure(t->g, f, GRAPH_INCL))
		return true;
	if (!graph_incl_estimated(t->g, f))
		return false;
	graph_incl_bounds(t->g, f, e, &lo, &hi);
	return lo < hi;
}

uint64_t fn_is_estimated(const struct table *t, uint32_t f, uint32_t e)
{
	return !graph_is_sure(t->g, f, GRAPH_SELF) || fn_incl_estimated(t, f, e);
}

uint64_t fn_incl_lo(const struct table *t, uint32_t f, uint32_t e)
{
	uint64_t lo, hi;

	graph_incl_bounds(t->g, f, e, &lo, &hi);
	return lo;
}

uint64_t fn_incl_hi(const struct table *t, uint32_t f, uint32_t e)
{
	uint64_t lo, hi;

	graph_incl_bounds(t->g, f, e, &lo, &hi);
	return hi;
}

/* Only functions on cycles have estimates, but for those of stages. */
static bool fn_exact(const struct table *t)
{
	return !t->g->estimated && t->g->cycles == 0;
}

bool graph_exact(const struct table *t)
{
	return !t->g->estimated;
}

static void fn_name_codes(const struct table *t, uint32_t *out)
{
	store_read_u32(t->g->st, STORE_FN_NAME, t->ref, t->first, t->n, out);
}

static void fn_names(const struct table *t, struct str *out)
{
	enum { SOME = 256 };
	name_id id[SOME];

	for (size_t i = 0; i < t->n; i += SOME) {
		const size_t n = t->n - i < SOME ? t->n - i : SOME;

		store_read_u32(t->g->st, STORE_FN_NAME, t->ref ? t->ref + i : NULL,
			       t->first + i, n, id);
		store_shown_names(t->g->st, id, n, out + i);
	}
}

static void fn_files(const struct table *t, uint32_t *out)
{
	store_read_u32(t->g->st, STORE_FN_FILE, t->ref, t->first, t->n, out);
}

static void fn_objects(const struct table *t, uint32_t *out)
{
	store_read_u32(t->g->st, STORE_FN_OBJ, t->ref, t->first, t->n, out);
}

/* A cost that a stage estimated has no bounds. */
static bool fn_no_bounds(const struct table *t, uint32_t f)
{
	return !graph_is_sure(t->g, f, GRAPH_INCL);
}

static uint64_t fn_contribution(const struct table *t, uint32_t f, uint32_t e)
{
	return graph_contribution(t->g, f, e);
}

static uint64_t fn_incoming(const struct table *t, uint32_t f, uint32_t e)
{
	return graph_incoming(t->g, f, e);
}

/* Of a good part of the functions it is cheaper to know it of all. */
static int fn_prepare_sums(const struct table *t, uint32_t e)
{
	return t->n > t->g->functions / 4 ? graph_sum_calls(t->g, e, t->x->err) : 0;
}

uint64_t fn_activations(const struct graph *g, uint32_t f)
{
	const uint64_t calls = f == GRAPH_NONE ? 0 : graph_calls(g, f);

	return calls ? calls : 1;
}

static uint64_t fn_calls(const struct table *t, uint32_t f, uint32_t e)
{
	(void)e;
	return graph_calls(t->g, f);
}

/* Inlined code is entered without a call. */
static bool fn_not_called(const struct table *t, uint32_t f)
{
	return !graph_calls_known(t->g, f);
}

bool calls_present(const struct table *t)
{
	return t->g->plain;
}

static uint64_t fn_line(const struct table *t, uint32_t f, uint32_t e)
{
	(void)e;
	return graph_line(t->g, f);
}

static uint64_t fn_cycle(const struct table *t, uint32_t f, uint32_t e)
{
	(void)e;
	return graph_cycle(t->g, f);
}

static struct str fn_name(const struct table *t, uint32_t f)
{
	return graph_name(t->g, f);
}

static struct str fn_file(const struct table *t, uint32_t f)
{
	return graph_file(t->g, f);
}

static struct str fn_obj(const struct table *t, uint32_t f)
{
	return graph_obj(t->g, f);
}

static struct str fn_short(const struct table *t, uint32_t f)
{
	return graph_short_name(t->g, f, t->x->a);
}

/* The graph is plain. */
static void fn_shorts(const struct table *t, struct str *out)
{
	fn_names(t, out);
	for (size_t i = 0; i < t->n; i++)
		out[i] = name_short(out[i], t->x->a);
}

static struct str fn_class(const struct table *t, uint32_t f)
{
	return graph_class_shown(t->g, f);
}

static struct str fn_dir(const struct table *t, uint32_t f)
{
	return graph_dir_of(graph_file(t->g, f));
}

/* For people: the file or, if it is unknown, the object. */
static struct str fn_place(const struct table *t, uint32_t f)
{
	struct str file = str_basename(graph_file(t->g, f));
	struct str obj = str_basename(graph_obj(t->g, f));
	uint64_t line = graph_line(t->g, f);

	if (str_eq(file, STR("???")) && !line && !str_eq(obj, STR("???")))
		return arena_printf(t->x->a, "[%.*s]", STR_ARG(obj));

	return line ? arena_printf(t->x->a, "%.*s:%llu", STR_ARG(file),
				   (unsigned long long)line)
		    : file;
}

static bool fn_estimated(const struct table *t, uint32_t f, uint32_t e)
{
	(void)f, (void)e;
	return t->g->estimated;
}

bool fn_self_estimated(const struct table *t, uint32_t f, uint32_t e)
{
	(void)e;
	return !graph_is_sure(t->g, f, GRAPH_SELF);
}

static bool fn_no_line(const struct table *t, uint32_t f)
{
	return graph_line(t->g, f) == 0;
}

static bool fn_no_cycle(const struct table *t, uint32_t f)
{
	return graph_cycle(t->g, f) == 0;
}

static uint64_t fn_recursive(const struct table *t, uint32_t f, uint32_t e)
{
	(void)e;
	return graph_cycle(t->g, f) || graph_calls_itself(t->g, f);
}

static const struct col_def fn_cols[] = {
	{"id", COL_ID, SHOW_M | SHOW_T, .u = fn_id_of},
	{"self", COL_COST, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = fn_self,
	 .estimated = fn_self_estimated, .exact = graph_exact,
	 .stored = 1 + STORE_FN_SELF},
	{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR, .u = NULL},
	{"cum%", COL_PERCENT, SHOW_T | IS_CUM, .u = NULL},
	{"incl", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = fn_incl,
	 .estimated = fn_incl_estimated, .exact = fn_exact, .stored = 1 + STORE_FN_INCL},
	{"incl%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL, .u = NULL},
	{"calls", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = fn_calls,
	 .absent = fn_not_called, .present = calls_present, .stored = 1 + STORE_FN_CALLS},
	{"fn", COL_NAME, SHOW_M | SHOW_T, .s = fn_name, .texts = fn_names,
	 .dict = DICT_NAME, .codes = fn_name_codes},
	{"file:line", COL_STR, SHOW_T, .s = fn_place},
	{"file", COL_FILE, SHOW_M, .s = fn_file, .dict = DICT_FILE, .codes = fn_files},
	{"line", COL_LINE, SHOW_M, .u = fn_line, .absent = fn_no_line,
	 .stored = 1 + STORE_FN_LINE},
	{"obj", COL_OBJ, SHOW_M, .s = fn_obj, .dict = DICT_OBJ, .codes = fn_objects},
	{"cycle", COL_ID, SHOW_M | SHOW_T, .u = fn_cycle, .absent = fn_no_cycle},
	{"recursive", COL_BOOL, SHOW_T, .u = fn_recursive},
	{"contribution", COL_COST, SHOW_M | PER_EVENT, .u = fn_contribution,
	 .estimated = fn_estimated, .exact = graph_exact, .prepare = fn_prepare_sums},
	{"incoming", COL_COST, SHOW_M | PER_EVENT, .u = fn_incoming,
	 .estimated = fn_estimated, .exact = graph_exact, .prepare = fn_prepare_sums},
	{"short", COL_NAME, SHOW_M, .s = fn_short, .texts = fn_shorts},
	{"lo", COL_COST, SHOW_M | PER_EVENT | IF_EXACT, .u = fn_incl_lo,
	 .absent = fn_no_bounds, .exact = fn_exact, .present = fn_exact,
	 .stored = 1 + STORE_FN_INCL},
	{"hi", COL_COST, SHOW_M | PER_EVENT | IF_EXACT, .u = fn_incl_hi,
	 .absent = fn_no_bounds, .exact = fn_exact, .present = fn_exact,
	 .stored = 1 + STORE_FN_INCL},
	{"estimated", COL_BOOL, SHOW_M | PER_EVENT, .u = fn_is_estimated},
	{"class", COL_NAME, 0, .s = fn_class},
	{"dir", COL_FILE, 0, .s = fn_dir},
};

uint32_t row_is_fn(const struct table *t, uint32_t f)
{
	(void)t;
	return f;
}

void fn_subject(const struct table *t, uint32_t f, struct row_subject *out)
{
	(void)t;
	out->fn[0] = f;
}

int refs_of_set(struct exec *x, struct table *t, const struct source_def *def,
		struct graph *g, const struct fn_set *set)
{
	uint32_t n = fnset_count(set), k = 0;

	if (table_init(x, t, def, g, n))
		return x->err->kind;
	t->ref = EXEC_ARRAY(x, uint32_t, (size_t)n + 1);
	if (!t->ref)
		return x->err->kind;
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE; f = fnset_next(set, f + 1))
		t->ref[k++] = f;
	return 0;
}

static int fn_open(struct exec *x, const struct source *s, struct table *t)
{
	const struct source_def *def = t->src;
	struct fn_set *set;

	if (!s->of)
		return table_init(x, t, def, x->g, x->g->functions);
	return exec_set(x, s->of, &set) ? x->err->kind
					: refs_of_set(x, t, def, x->g, set);
}

const struct source_def source_functions = {
	"functions", "functions", "self",    fn_cols,	 COUNT(fn_cols),
	true,	     fn_open,	  row_is_fn, fn_subject,
};
const struct source_def source_find = {
	"find", "functions", "self",	fn_cols,    COUNT(fn_cols),
	true,	fn_open,     row_is_fn, fn_subject,
};

/* ---- groups ---- */

struct groups {
	struct graph *g;     /* collapsed */
	uint32_t *functions; /* [groups] */
};

static uint64_t group_functions(const struct table *t, uint32_t f, uint32_t e)
{
	const struct groups *d = t->data;

	(void)e;
	return d->functions[f];
}

static const struct col_def group_cols[] = {
	{"name", COL_FILE, SHOW_M | SHOW_T, .s = fn_name},
	{"self", COL_COST, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = fn_self,
	 .estimated = fn_estimated},
	{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR, .u = NULL},
	{"cum%", COL_PERCENT, SHOW_T | IS_CUM, .u = NULL},
	{"incl", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = fn_incl,
	 .estimated = fn_incl_estimated},
	{"incl%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL, .u = NULL},
	{"functions", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = group_functions},
	{"calls", COL_COUNT, 0, .u = fn_calls},
	{"lo", COL_COST, SHOW_M | PER_EVENT, .u = fn_incl_lo, .absent = fn_no_bounds},
	{"hi", COL_COST, SHOW_M | PER_EVENT, .u = fn_incl_hi, .absent = fn_no_bounds},
	{"estimated", COL_BOOL, SHOW_M | PER_EVENT, .u = fn_is_estimated},
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

/* Count members; with a set, only groups with one of its functions become rows. */
static int group_rows(struct exec *x, const struct source *s, struct groups *d,
		      struct fn_set *rows)
{
	const uint32_t *group;
	struct fn_set *set = NULL;

	if (s->of && exec_set(x, s->of, &set))
		return x->err->kind;
	group = graph_groups(d->g);
	d->functions = EXEC_ARRAY(x, uint32_t, (size_t)d->g->functions + 1);
	if (!d->functions)
		return x->err->kind;
	for (uint32_t f = 0; f < x->g->functions; f++) {
		if (group[f] == GRAPH_NONE)
			continue;
		d->functions[group[f]]++;
		if (!set || fnset_has(set, f))
			fnset_add(rows, group[f]);
		if (exec_poll(x))
			return x->err->kind;
	}
	return 0;
}

static int group_open(struct exec *x, const struct source *s, struct table *t)
{
	struct groups *d = EXEC_ARRAY(x, struct groups, 1);
	struct fn_set *rows;

	if (!d || graph_collapse_by(x->g, by_of(s->kind), &d->g, x->err))
		return x->err->kind;
	rows = fnset_new(x->a, d->g->functions);
	if (!rows)
		return arena_full(x->a, x->err);
	if (group_rows(x, s, d, rows))
		return x->err->kind;
	t->data = d;
	return refs_of_set(x, t, t->src, d->g, rows);
}

#define GROUP(var, name)                                                    \
	const struct source_def var = {                                     \
		name, name,	  "self", group_cols,	 COUNT(group_cols), \
		true, group_open, NULL,	  group_subject,                    \
	}
GROUP(source_files, "files");
GROUP(source_objects, "objects");
GROUP(source_dirs, "dirs");
GROUP(source_classes, "classes");

/* ---- cycles: row i is cycle i + 1 ---- */

static const struct graph_cycle *cycle_row(const struct table *t, uint32_t i)
{
	return &((const struct graph_cycle *)t->data)[i];
}

static uint64_t cycle_id(const struct table *t, uint32_t i, uint32_t e)
{
	(void)t, (void)e;
	return (uint64_t)i + 1;
}

static uint64_t cycle_functions(const struct table *t, uint32_t i, uint32_t e)
{
	(void)e;
	return cycle_row(t, i)->functions;
}

static uint64_t cycle_self(const struct table *t, uint32_t i, uint32_t e)
{
	return graph_cycle_self(t->g, i + 1, e);
}

static uint64_t cycle_incl(const struct table *t, uint32_t i, uint32_t e)
{
	return graph_cycle_incl(t->g, i + 1, e);
}

static struct str cycle_entry(const struct table *t, uint32_t i)
{
	return graph_name(t->g, cycle_row(t, i)->entry);
}

static uint64_t cycle_entries(const struct table *t, uint32_t i, uint32_t e)
{
	(void)e;
	return cycle_row(t, i)->entries;
}

static uint64_t cycle_calls(const struct table *t, uint32_t i, uint32_t e)
{
	(void)e;
	return cycle_row(t, i)->calls;
}

/* "caller -> callee" */
static struct str call_text(const struct table *t, uint32_t edge)
{
	struct store_edge x;

	graph_edge(t->g, edge, &x);
	return arena_printf(t->x->a, "%.*s -> %.*s", STR_ARG(graph_name(t->g, x.caller)),
			    STR_ARG(graph_name(t->g, x.callee)));
}

static struct str cycle_costliest(const struct table *t, uint32_t i)
{
	return call_text(t, cycle_row(t, i)->costliest);
}

static bool cycle_not_opened(const struct table *t, uint32_t i)
{
	return cycle_row(t, i)->nopening == CYCLE_UNKNOWN;
}

static uint64_t cycle_cuts(const struct table *t, uint32_t i, uint32_t e)
{
	(void)e;
	return cycle_not_opened(t, i) ? 0 : cycle_row(t, i)->nopening;
}

/* The share of the cycle's cost in the calls to cut. */
static double cycle_cut_share(const struct table *t, uint32_t i, uint32_t e)
{
	double incl = (double)graph_cycle_incl(t->g, i + 1, t->event);

	(void)e;
	return incl > 0 ? 100.0 * (double)cycle_row(t, i)->opening_cost / incl : 0;
}

static struct str cycle_cut(const struct table *t, uint32_t i)
{
	const struct graph_cycle *c = cycle_row(t, i);
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

static const struct col_def cycle_cols[] = {
	{"id", COL_ID, SHOW_M | SHOW_T, .u = cycle_id},
	{"functions", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = cycle_functions},
	{"self", COL_COST, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = cycle_self},
	{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL, .u = NULL},
	{"incl", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = cycle_incl},
	{"incl%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR, .u = NULL},
	{"entry", COL_NAME, SHOW_M | SHOW_T, .s = cycle_entry},
	{"entries", COL_COUNT, SHOW_M | SHOW_T, .u = cycle_entries},
	{"calls", COL_COUNT, SHOW_M, .u = cycle_calls},
	{"costliest", COL_STR, SHOW_M | SHOW_T | HAS_CALLS, .s = cycle_costliest},
	{"cuts", COL_COUNT, SHOW_M | SHOW_T, .u = cycle_cuts, .absent = cycle_not_opened},
	{"share%", COL_PERCENT, SHOW_M | SHOW_T, .f = cycle_cut_share,
	 .absent = cycle_not_opened},
	{"cut", COL_STR, SHOW_M | SHOW_T | HAS_CALLS, .s = cycle_cut},
};

/* Note how many functions, of set or of all (NULL), call themselves and are in no cycle:
 * one might look for them here. */
static int note_self_calls(struct exec *x, const struct fn_set *set)
{
	struct flow_input in;
	uint32_t n = 0;

	if (graph_shape(x->g, &in, x->err))
		return x->err->kind;
	for (uint32_t f = 0; f < in.functions; f++) {
		bool self = false;

		for (uint32_t e = in.out_first[f]; e < in.out_first[f + 1]; e++)
			self |= in.callee[e] == f;
		n += self && !in.cycle[f] && (!set || fnset_has(set, f));
		if (exec_poll(x))
			return x->err->kind;
	}
	return n ? exec_hint(x, arena_printf(
					x->a,
					"%s function%s call%s only %s: in no cycle; "
					"calls | where caller_id = callee_id lists %s",
					GROUPED(n), n == 1 ? "" : "s", n == 1 ? "s" : "",
					n == 1 ? "itself" : "themselves",
					n == 1 ? "it" : "them"))
		 : 0;
}

static int cycle_open(struct exec *x, const struct source *s, struct table *t)
{
	struct graph_cycle *d;
	struct fn_set *set, *rows = fnset_new(x->a, x->g->cycles);

	if (!rows)
		return arena_full(x->a, x->err);
	if (graph_event(x->g, x->event, x->err) ||
	    graph_cycles(x->g, x->event, x->a, &d, x->err))
		return x->err->kind;
	t->data = d;
	if (!s->of)
		return table_init(x, t, &source_cycles, x->g, x->g->cycles) ||
				       note_self_calls(x, NULL)
			       ? x->err->kind
			       : 0;
	if (exec_set(x, s->of, &set) || note_self_calls(x, set))
		return x->err->kind;
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE; f = fnset_next(set, f + 1))
		if (graph_cycle(x->g, f))
			fnset_add(rows, graph_cycle(x->g, f) - 1);
	return refs_of_set(x, t, &source_cycles, x->g, rows);
}

static uint32_t cycle_fn(const struct table *t, uint32_t i)
{
	return cycle_row(t, i)->entry;
}

static void cycle_subject(const struct table *t, uint32_t i, struct row_subject *out)
{
	out->fn[0] = cycle_fn(t, i);
}

const struct source_def source_cycles = {
	"cycles", "cycles",   "incl",	cycle_cols,    COUNT(cycle_cols),
	true,	  cycle_open, cycle_fn, cycle_subject,
};
