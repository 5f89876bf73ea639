/*
 * gstage.c - run the graph stages of a query.
 *
 * `in`, the parts and inlined functions are applied first, wherever they are written: the
 * other stages work on the result.  The places where a function is inlined are joined
 * last, so that stages such as focus know which of them lead where.
 */
#include "engine/gstages/gstage.h"
#include "engine/gstages/opened.h"

#include <inttypes.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/lang/ast.h"
#include "engine/lang/check_names.h"
#include "engine/lang/keywords.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/store_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/reading.h"
#include "engine/inline/graph_inlined.h"
#include "engine/graph/graph_stage.h"
#include "engine/inline/inlined_code.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"

/* ---- part and thread ---- */

static uint64_t part_number(const struct gstage *g, const struct part *p)
{
	return g->kind == G_THREAD ? p->thread : p->part;
}

/* Report a missing number: beside others that exist it would go unnoticed. */
_Noreturn static void no_such_part(struct exec *x, const struct gstage *g,
				   uint64_t number)
{
	uint64_t least = UINT64_MAX, most = 0;
	struct str of = {"", 0};

	for (uint32_t p = 0; p < store_info(x->g->st)->parts; p++) {
		struct part part;
		uint64_t n;

		store_part(x->g->st, p, &part);
		n = part_number(g, &part);
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	for (size_t i = 0; x->env->nprofiles > 1 && i < x->env->nprofiles; i++)
		if (x->open->stores[i] == x->g->st)
			of = x->env->profiles[i];
	exec_wrong(x, g->span,
		   least < most ? "no %s%s%.*s has the number %" PRIu64
				  "; they are %" PRIu64 " to %" PRIu64
				: "no %s%s%.*s has the number %" PRIu64
				  "; all have the number %" PRIu64,
		   g->kind == G_THREAD ? "thread" : "part", of.n ? " of " : "",
		   STR_ARG(of), number, least, most);
	if (g->kind == G_PART && least == most && store_info(x->g->st)->parts > 1)
		need_hint(x->err, "threads tell them apart: thread N | ...");
	if (least == most)
		need_hint(x->err, "there is only one: leave it out");
	need_hint(x->err, "'%s' lists them", g->kind == G_THREAD ? "threads" : "parts");
}

/* Both ends of a range must exist; numbers missing in between are no mistake. */
static void mark_parts(struct exec *x, const struct gstage *g, uint8_t *parts)
{
	uint8_t *met = EXEC_ARRAY(x, uint8_t, 2 * g->nnumbers);

	for (uint32_t p = 0; p < store_info(x->g->st)->parts; p++) {
		struct part part;
		bool wanted = false;
		uint64_t n;

		store_part(x->g->st, p, &part);
		n = part_number(g, &part);
		for (size_t i = 0; i < g->nnumbers; i++) {
			const struct number_range *r = &g->numbers[i];

			wanted |= n >= r->first && n <= r->last;
			met[2 * i] |= n == r->first;
			met[2 * i + 1] |= n == r->last;
		}
		parts[p] &= wanted;
	}
	for (size_t i = 0; i < g->nnumbers; i++)
		if (!met[2 * i] || !met[2 * i + 1])
			no_such_part(x, g,
				     met[2 * i] ? g->numbers[i].last
						: g->numbers[i].first);
}

static void run_parts(struct exec *x, const struct gstage *first)
{
	uint32_t n = store_info(x->g->st)->parts;
	uint8_t *parts = EXEC_ARRAY(x, uint8_t, (size_t)n + 1);
	const uint32_t only = x->open->reading->part;
	bool any = only > 0;

	memset(parts, !only, n);
	if (only)
		parts[only - 1] = 1;
	for (const struct gstage *g = first; g; g = g->next) {
		if (g->kind != G_PART && g->kind != G_THREAD)
			continue;
		any = true;
		mark_parts(x, g, parts);
	}
	x->parts = any && memchr(parts, 0, n) ? parts : NULL;
	if (any)
		graph_parts(x->g, parts, &x->g);
}

/* ---- activations ---- */

static void run_opened(struct exec *x, const struct gstage *first)
{
	const struct gstage *one[2] = {NULL, NULL}; /* calls, a span */

	for (const struct gstage *g = first; g; g = g->next) {
		const bool span = g->kind == G_BETWEEN;

		if (!gstage_opens(g))
			continue;
		if (one[span]) {
			exec_wrong(x, g->span, "a query opens %s once",
				   span ? "a span" : "activations");
			need_hint(x->err, span ? "the span inside both is one stage"
					       : "several are one stage: activation 1, 3 "
						 "of X");
		}
		one[span] = g;
	}
	if (one[0] || one[1])
		exec_opened(x, one[0], one[1]);
}

/* ---- inlined functions ---- */

static void run_inlined(struct exec *x, const struct gstage *first)
{
	const struct gstage *g = first;
	struct graph_inlines *in;

	while (g && g->kind != G_INLINED)
		g = g->next;
	if (!g)
		return;
	in = EXEC_ARRAY(x, struct graph_inlines, 1);
	inlined_code_find(x, in);
	if (in->codes)
		graph_inlined(x->g, in, &x->g);
}

/* ---- the others ---- */

/* Note cost that got lost: the cost of hidden functions without callers has no caller
 * to go to.  Rounding alone loses at most half a unit per function. */
static void note_lost(struct exec *x, const struct graph *below)
{
	struct flow_input from, to;
	int64_t was = 0, is = 0, lost;

	graph_event(x->g, x->event);
	graph_flow_input(below, x->event, &from);
	graph_flow_input(x->g, x->event, &to);
	for (uint32_t f = 0; f < from.functions; f++)
		cost_add(&was, from.self[f]);
	for (uint32_t f = 0; f < to.functions; f++)
		cost_add(&is, to.self[f]);
	lost = cost_difference(was, is);
	if (lost <= x->g->functions / 2 + 1)
		return;
	exec_notef(x,
		   "%.3g %% of %.*s is hidden with functions that nothing calls, "
		   "and in no row",
		   100.0 * (double)lost / (double)was, STR_ARG(x->env->events[x->event]));
}

static void hide(struct exec *x, const struct fn_set *set)
{
	const struct graph *below = x->g;

	graph_hide(x->g, set, &x->g);
	note_lost(x, below);
}

/* Find the functions with an inclusive cost below p percent; of an inlined function that
 * of all its places. */
static void small_functions(struct exec *x, double p, struct fn_set **out)
{
	struct graph *g = x->g;
	double least;

	graph_join(g, &g);
	graph_event(g, x->event);
	least = p / 100.0 * (double)graph_total(g, x->event);
	*out = fnset_new(x->a, x->g->functions);
	for (uint32_t f = 0; f < x->g->functions; f++)
		if ((double)graph_incl(g, g == x->g ? f : g->merge.group[f], x->event) <
		    least)
			fnset_add(*out, f);
}

/* The functions that a stage names or, for `cut`, that cost little.  In one part alone they
 * are those of all parts: there are other cycles in it, lines and shares. */
static void stage_set(struct exec *x, const struct gstage *g, struct fn_set **out)
{
	struct fn_set **all = x->stage_sets;

	for (const struct gstage *s = x->gstages; all && s != g; s = s->next)
		all++;
	if (all && x->of_part) {
		exec_set_of_store(x, *all, out);
		return;
	}
	if (g->kind == G_CUT)
		small_functions(x, g->percent, out);
	else {
		exec_set(x, g->set, out);
	}
	if (all)
		exec_set_to_store(x, *out, all);
}

static void gstage_cut(struct exec *x, const struct gstage *g, const struct fn_set *set)
{
	const uint32_t n = fnset_count(set);

	if (n == 0)
		return;
	exec_notef(x, "cut %g %% hides %s of %s functions", g->percent, GROUPED(n),
		   GROUPED(x->g->functions));
	hide(x, set);
}

static void collapse_by(struct exec *x, const struct gstage *g)
{
	enum graph_by by = str_eq(g->name, STR("file"))	    ? GRAPH_BY_FILE
			   : str_eq(g->name, STR("object")) ? GRAPH_BY_OBJECT
			   : str_eq(g->name, STR("dir"))    ? GRAPH_BY_DIR
			   : str_eq(g->name, STR("class"))  ? GRAPH_BY_CLASS
							    : GRAPH_BY_LAYER;

	/* One row for all would look like an answer. */
	if (by == GRAPH_BY_OBJECT && !graph_names_objects(x->g))
		exec_note(x,
			  STR("this profile names no objects: collapse by layer, file, "
			      "class or dir"));
	graph_collapse_by(x->g, by, &x->g);
}

/* The graph may live longer than the text of the query. */
static void collapse(struct exec *x, const struct fn_set *set, struct str name)
{
	graph_collapse(x->g, set, need_str(x->a, name), &x->g);
}

static void run_stage(struct exec *x, const struct gstage *g, struct str text)
{
	struct fn_set *set;

	if (gstage_opens(g))
		return;
	if (g->set || g->kind == G_CUT)
		stage_set(x, g, &set);
	exec_poll_now(x);
	switch (g->kind) {
	case G_FOCUS:
	case G_IGNORE: graph_focus(x->g, set, g->kind == G_IGNORE, &x->g); break;
	case G_HIDE: hide(x, set); break;
	case G_COLLAPSE: collapse(x, set, g->name.n ? g->name : text); break;
	case G_COLLAPSE_BY: collapse_by(x, g); break;
	case G_CUT: gstage_cut(x, g, set); break;
	case G_CONTEXTS:
	case G_WHOLE:
	case G_INLINED:
	case G_IN:
	case G_PART:
	case G_THREAD:
	case G_ACTIVATION:
	case G_SLOWEST:
	case G_USUAL:
	case G_BETWEEN: break;
	}
}

/* The graph of contexts, where the profile knows them. */
static void to_contexts(struct exec *x)
{
	if (graph_has_contexts(x->g)) {
		graph_contexts(x->g, &x->g);
		return;
	}
	fn_part_tree(x, x->g);
	x->g = x->g->run.tree ? x->g->run.tree : x->g;
}

/* Stages that keep, drop or move cost by the stacks that it is on. */
static bool looks_at_stacks(const struct gstage *g)
{
	while (g && (g->kind == G_IN || g->kind == G_PART || g->kind == G_THREAD ||
		     g->kind == G_INLINED || g->kind == G_WHOLE || gstage_opens(g)))
		g = g->next;
	return g != NULL;
}

bool gstage_contexts(const struct gstage *g)
{
	while (g && g->kind != G_CONTEXTS)
		g = g->next;
	return g != NULL;
}

static void run_on_parts(struct exec *x, const struct gstage *first, struct str text)
{
	x->g->recorded = gstage_contexts(first);
	run_inlined(x, first);
	if (looks_at_stacks(first))
		to_contexts(x);
	for (const struct gstage *g = first; g; g = g->next) {
		struct span at = g->set ? g->set->span : g->span;
		struct str name = at.at + at.len <= text.n
					  ? (struct str){text.p + at.at, at.len}
					  : STR("(collapsed)");

		run_stage(x, g, name);
	}
	if (!(x->g->recorded && x->g->contexts))
		graph_join(x->g, &x->g);
	for (const struct gstage *g = first; g; g = g->next) {
		x->g->of_whole |= g->kind == G_WHOLE;
		/* What it leaves is 100 %. */
		if (g->kind == G_IGNORE && x->env->nevents)
			graph_event(x->g, x->event);
	}
	if (x->g->merge.apart) /* files and their kin are made of it */
		x->g->merge.apart->of_whole = x->g->of_whole;
}

void exec_gstages(struct exec *x, const struct gstage *first, struct str text)
{
	x->gstages = first;
	x->stage_sets = NULL;
	run_parts(x, first);
	run_opened(x, first);
	run_on_parts(x, first, text);
}

/* Run the stages again on `parts` of the store. */
static void run_again(struct exec *x, const uint8_t *parts)
{
	x->parts = parts;
	graph_plain(x->g->st, x->open->flows, x->a, x->open->cancel, &x->g);
	if (parts)
		graph_parts(x->g, parts, &x->g);
	run_on_parts(x, x->gstages, x->text);
}

/* Find the functions of each stage.  Inlined code has other numbers in each part. */
static void find_stage_sets(struct exec *x, struct exec_texts *unsaid)
{
	struct exec again;
	size_t n = 0;

	if (x->stage_sets || x->g->inlined.extra)
		return;
	for (const struct gstage *g = x->gstages; g; g = g->next)
		n++;
	x->stage_sets = EXEC_ARRAY(x, struct fn_set *, n);
	again = *x;
	again.notes = again.hints = unsaid;
	run_again(&again, x->parts);
}

void exec_gstages_of_part(struct exec *x, uint32_t part, struct arena *a,
			  struct graph **out)
{
	struct exec_texts unsaid = {0};
	struct exec one;
	uint8_t *parts;

	find_stage_sets(x, &unsaid);
	one = *x;
	one.a = a;
	one.notes = one.hints = &unsaid;
	one.of_part = true;
	parts = EXEC_ARRAY(&one, uint8_t, store_info(x->g->st)->parts);
	parts[part] = 1;
	run_again(&one, parts);
	*out = one.g;
}
