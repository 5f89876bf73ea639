/*
 * getters.c - columns of functions and of calls, whatever the rows are; see getters.h.
 *
 * `f` is a function of the graph: the row itself, or that which a row leads to.  `r` is the
 * number of an edge.
 */
#include "engine/sources/getters.h"

#include "engine/graph/graph_stage.h"
#include "engine/names/name.h"
#include "engine/rows/exec.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/cost.h"

/* From 1. */
uint64_t row_number(const struct table *t UNUSED, uint32_t r, uint32_t e UNUSED)
{
	return (uint64_t)r + 1;
}

/* ---- functions ---- */

bool fn_incl_estimated(const struct table *t, uint32_t f, uint32_t e)
{
	return graph_incl_is_about(t->g, f, e);
}

bool fn_is_estimated(const struct table *t, uint32_t f, uint32_t e)
{
	return !graph_is_sure(t->g, f, GRAPH_SELF) || fn_incl_estimated(t, f, e);
}

bool fn_is_inexact(const struct table *t, uint32_t f, uint32_t e UNUSED)
{
	const uint32_t events = store_info(t->g->st)->events;
	bool about = false;

	for (uint32_t i = 0; i < events && !about; i++) {
		graph_event(t->g, i);
		about = graph_incl_is_about(t->g, f, i);
	}
	return about;
}

uint64_t fn_incl_lo(const struct table *t, uint32_t f, uint32_t e)
{
	int64_t lo, hi;

	graph_incl_bounds(t->g, f, e, &lo, &hi);
	return lo;
}

uint64_t fn_incl_hi(const struct table *t, uint32_t f, uint32_t e)
{
	int64_t lo, hi;

	graph_incl_bounds(t->g, f, e, &lo, &hi);
	return hi;
}

/* Only functions on cycles have estimates, but for those of stages. */
bool fn_exact(const struct table *t)
{
	return !t->g->marks.estimated && t->g->cycles == 0;
}

bool graph_exact(const struct table *t)
{
	return !t->g->marks.estimated;
}

void fn_names(const struct table *t, struct str *out)
{
	enum { SOME = 256 };
	name_id id[SOME];

	for (size_t i = 0; i < t->n; i += SOME) {
		const size_t n = t->n - i < SOME ? t->n - i : SOME;

		store_read_u32(t->g->st, TABLE_FN_NAME, t->ref ? t->ref + i : NULL,
			       t->first + i, n, id);
		store_shown_names(t->g->st, id, n, out + i);
	}
}

/* A cost that a stage estimated has no bounds. */
bool fn_no_bounds(const struct table *t, uint32_t f)
{
	return !graph_is_sure(t->g, f, GRAPH_INCL) &&
	       !(t->g->run.span && t->g->run.span->event == t->event);
}

/* Of a good part of the functions it is cheaper to know it of all. */
void fn_prepare_sums(const struct table *t, uint32_t e)
{
	if (t->n > t->g->functions / 4)
		graph_sum_calls(t->g, e);
}

/* Inlined code is entered without a call. */
bool fn_not_called(const struct table *t, uint32_t f)
{
	return !graph_calls_counted(t->g, f);
}

bool calls_present(const struct table *t)
{
	return t->g->plain && store_counts_zeros(t->g->st);
}

/* Nobody counted calls, or not all that a sum is of. */
bool calls_unknown(const struct table *t, uint32_t r UNUSED)
{
	return !store_counts_all(t->g->st);
}

struct str fn_short(const struct table *t, uint32_t f)
{
	return graph_short_name(t->g, f, t->x->a);
}

/* The graph is plain. */
void fn_shorts(const struct table *t, struct str *out)
{
	fn_names(t, out);
	for (size_t i = 0; i < t->n; i++)
		out[i] = name_short(out[i], t->x->a);
}

struct str fn_dir(const struct table *t, uint32_t f)
{
	return graph_dir_of(graph_file(t->g, f));
}

/* For people: the file or, if it is unknown, the object. */
struct str fn_place(const struct table *t, uint32_t f)
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

bool fn_self_estimated(const struct table *t, uint32_t f, uint32_t e UNUSED)
{
	return !graph_is_sure(t->g, f, GRAPH_SELF);
}

bool fn_recursive(const struct table *t, uint32_t f, uint32_t e UNUSED)
{
	return graph_cycle(t->g, f) || graph_calls_itself(t->g, f);
}

uint64_t fn_callees(const struct table *t, uint32_t f, uint32_t e UNUSED)
{
	uint32_t first, n;

	graph_callees(t->g, f, &first, &n);
	return n;
}

/* What f calls a few times each time it runs, in all, and the most that one has that it
 * calls once.  What recursion costs below f, f is asked about. */
static int64_t passed(const struct table *t, uint32_t f, uint32_t e, int64_t *most)
{
	enum { FEW = 20 };
	const double runs = (double)fn_activations(t->g, f);
	int64_t all = 0;
	uint32_t first, n;

	graph_callees(t->g, f, &first, &n);
	for (uint32_t i = first; i < first + n; i++) {
		const int64_t incl = graph_edge_incl(t->g, i, e);
		const double each = (double)graph_edge_calls(t->g, i) / runs;

		if (each > FEW || fn_recursive(t, graph_edge_callee(t->g, i), e))
			continue;
		cost_add(&all, incl);
		*most = each <= 1 && incl > *most ? incl : *most;
	}
	return all;
}

uint64_t fn_passed(const struct table *t, uint32_t f, uint32_t e)
{
	int64_t most = 0;

	return (uint64_t)passed(t, f, e, &most);
}

uint64_t fn_passed_most(const struct table *t, uint32_t f, uint32_t e)
{
	int64_t most = 0;

	passed(t, f, e, &most);
	return (uint64_t)most;
}

/* A card has bounds where there is an estimate. */
bool fn_incl_exact(const struct table *t, uint32_t f)
{
	return !fn_incl_estimated(t, f, t->event) || !graph_is_sure(t->g, f, GRAPH_INCL);
}

/* A stage made shares of costs, and it is not known here which it left whole. */
bool stages_estimate(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	return t->g->marks.estimated;
}

/* ---- calls ---- */

/* As it is in the profile, even if it counts none: as in the store's column. */
uint64_t call_count(const struct graph *g, uint32_t edge)
{
	return g->plain ? store_edge_calls(g->st, edge) : g->shape.calls[edge];
}

/* Inlined code is entered without a call. */
bool call_not_counted(const struct table *t, uint32_t r)
{
	return !graph_calls_known(t->g, graph_edge_callee(t->g, r)) ||
	       (!graph_counts_zeros(t->g) && !graph_edge_calls(t->g, r));
}

bool call_of_itself(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return graph_edge_caller(t->g, r) == graph_edge_callee(t->g, r);
}

bool call_estimated(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return !graph_call_is_sure(t->g, r);
}
