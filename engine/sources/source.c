/* source.c - functions shared by the sources; see source.h. */
#include "engine/sources/source.h"

#include "engine/flow/flow.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"
#include "index/graph/stacks.h"
#include "engine/graph/graph_stage.h"
#include "engine/lang/ast.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/reading.h"

void exec_part_stacks(struct exec *x, const struct source *s)
{
	const bool no_functions = s->kind == S_EVENTS || s->kind == S_PARTS ||
				  s->kind == S_THREADS || s->kind == S_PROFILES;

	if (!x->g->run.parts || x->g != x->g->run.whole || (no_functions && !s->of) ||
	    x->open->reading->part)
		return;
	fn_part_tree(x, x->g);
}

void exec_note_tree(struct exec *x)
{
	struct store_tree t;
	struct str of = STR("");
	uint32_t files;

	store_tree(x->g->st, &t);
	if (t.unsure)
		exec_notef(
			x,
			"fibers take turns: %s of %s calls fit several blocks by name and "
			"cost, and are the nearest's; stacks may differ by these",
			GROUPED(t.unsure), GROUPED(t.activations));
	if (!t.why.n)
		return;
	if (!t.lost) {
		exec_notef(x, "stacks are estimates: %.*s", STR_ARG(t.why));
		return;
	}
	store_inputs(x->g->st, &files);
	if (files > 1)
		of = arena_printf(
			x->a, " of %.*s",
			STR_ARG(str_basename(store_input_path(x->g->st, t.file))));
	exec_notef(x,
		   "%s%s call%s of %s activations: %.*s, first in the block at "
		   "line %llu%.*s",
		   t.whole ? "stacks are known, but for " : "stacks are estimates, for ",
		   GROUPED(t.lost), t.lost == 1 ? "" : "s", GROUPED(t.activations),
		   STR_ARG(t.why), (unsigned long long)t.line, STR_ARG(of));
}

void exec_stacks(struct exec *x, struct stacks *out, bool *known)
{
	*known = false;
	if (!graph_stacks_known(x->g))
		return;
	exec_note_tree(x);
	graph_event(x->g, x->event);
	graph_stacks(x->g, x->event, x->a, out, known);
}

void exec_note_negative(struct exec *x, uint32_t n)
{
	exec_notef(x,
		   "%s negative cost%s of calls and functions count%s as 0 in "
		   "estimates, which have no bounds",
		   GROUPED(n), n == 1 ? "" : "s", n == 1 ? "s" : "");
}

void exec_flow(struct exec *x, struct graph *g, uint32_t event, const struct flow **out)
{
	if (g->plain)
		flow_of(x->open->flows, g->st, event, x->open->cancel, out);
	else
		graph_flow(g, event, out);
	if ((*out)->negative)
		exec_note_negative(x, (*out)->negative);
	if (!(*out)->nodd || g->marks.estimated)
		return;
	exec_notef(x,
		   "%s function%s cost less than the calls into them say: "
		   "estimates are scaled to add up, without bounds",
		   GROUPED((*out)->nodd), (*out)->nodd == 1 ? "" : "s");
}
