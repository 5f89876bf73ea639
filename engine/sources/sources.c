/*
 * sources.c - the sources by kind, and `_`; see sources.h.
 */
#include "engine/sources/sources.h"
#include "index/base/need.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/rows/doubt.h"
#include "engine/lang/result.h"
#include "engine/rows/exec.h"
#include "engine/sources/columns.h"
#include "engine/flow/chain.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec_set.h"
#include "index/base/arena.h"
#include "index/base/count.h"
#include "index/base/err_struct.h"

static void last_open(struct exec *x, const struct source *s UNUSED, struct table *t)
{
	const struct result *r = x->open->last; /* not NULL: check.c tested it */

	table_init(x, t, NULL, x->g, r->rows);
	for (size_t i = 0; i < r->ncols; i++) {
		const struct column *from = &r->cols[i];
		struct table_col *c;
		size_t w = type_width(from->type);

		table_append(t, from->name, from->type, &c);
		memcpy(c->p, from->u, r->rows * w);
		c->event = from->event;
		c->unit = from->unit;
		c->machine = from->machine;
		c->table = from->table;
		c->bar = from->bar;
		c->calls = from->calls;
		c->adds_up = from->adds_up;
		if (from->estimated)
			c->estimated = EXEC_ARRAY(x, uint8_t, r->rows + 1);
		if (from->absent)
			c->absent = EXEC_ARRAY(x, uint8_t, r->rows + 1);
		if (from->estimated)
			memcpy(c->estimated, from->estimated, r->rows);
		if (from->absent)
			memcpy(c->absent, from->absent, r->rows);
	}
	t->card = r->card;
	t->on = r->on;
	*x->doubts = *r->doubts;
	t->paired = (struct paired){.known = r->paired[0] >= 0,
				    .percent = {r->paired[0], r->paired[1]}};
}

static const struct source_def last = {
	.name = "_",
	.primary = "self",
	.of = ROWS_JOINED,
	.few_calls = true,
	.open = last_open,
};

/* After those that have a word of their own: with a set, or of two profiles. */
enum { S_INFO_FN = SOURCES, S_INFO_VS, S_PARTS_OF, TABLES };

static const struct source_def *const defs[TABLES] = {
	[S_FUNCTIONS] = &source_functions,
	[S_FILES] = &source_files,
	[S_OBJECTS] = &source_objects,
	[S_DIRS] = &source_dirs,
	[S_CLASSES] = &source_classes,
	[S_LINES] = &source_lines,
	[S_INSTRS] = &source_instrs,
	[S_INLINED] = &source_inlined,
	[S_CALLS] = &source_calls,
	[S_CALLSITES] = &source_callsites,
	[S_JUMPS] = &source_jumps,
	[S_ACTIVATIONS] = &source_activations,
	[S_TIMELINE] = &source_timeline,
	[S_CYCLES] = &source_cycles,
	[S_CONTEXTS] = &source_contexts,
	[S_PARTS] = &source_parts,
	[S_THREADS] = &source_threads,
	[S_EVENTS] = &source_events,
	[S_PROFILES] = &source_profiles,
	[S_CALLERS] = &source_callers,
	[S_CALLEES] = &source_callees,
	[S_CALLTREE] = &source_calltree,
	[S_PATH] = &source_path,
	[S_COST] = &source_cost,
	[S_CAUSES] = &source_causes,
	[S_SOURCE] = &source_source,
	[S_ASM] = &source_asm,
	[S_FIND] = &source_find,
	[S_INFO] = &source_info,
	[S_WHY] = &source_why,
	[S_LAST] = &last,
	[S_INFO_FN] = &source_info_fn,
	[S_INFO_VS] = &source_info_vs,
	[S_PARTS_OF] = &source_parts_of,
};

/* Make the columns of a source from its list and the registry, once: sessions of several
 * threads share them. */
static void make_columns(size_t i)
{
	static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
	static atomic_bool made[TABLES];
	static bool joined;

	if (made[i])
		return;
	pthread_mutex_lock(&making);
	if (!made[i])
		columns_resolve(defs[i]);
	if (!joined)
		columns_resolve_joined();
	joined = true;
	made[i] = true;
	pthread_mutex_unlock(&making);
}

const struct source_def *source_at(size_t i)
{
	if (i >= TABLES)
		return NULL;
	make_columns(i);
	return defs[i];
}

const struct source_def *source_def(enum source_kind kind)
{
	return source_at(kind);
}

const struct source_def *source_def_of(const struct source *s)
{
	return source_at(s->kind == S_INFO && s->of	? (size_t)S_INFO_FN
			 : s->kind == S_INFO && s->vs.n ? (size_t)S_INFO_VS
			 : s->kind == S_PARTS && s->of	? (size_t)S_PARTS_OF
							: (size_t)s->kind);
}

static bool is_of_calls(enum source_kind kind)
{
	return kind == S_CALLS || kind == S_CALLSITES || kind == S_CYCLES ||
	       kind == S_CALLERS || kind == S_CALLEES || kind == S_CAUSES;
}

/* Without it "no rows" would mean that a function has no callers. */
static void note_no_calls(struct exec *x)
{
	const struct store_info *i = store_info(x->g->st);

	if (i->edges || !i->functions)
		return;
	exec_note(x, STR("this profile records no calls, only what each function "
			 "costs itself; callgrind records calls, cachegrind "
			 "does not"));
}

/* calls from A to B are direct ones. */
static void note_indirect(struct exec *x, const struct source *s)
{
	const struct span from = s->from->span, to = s->to->span;

	if (!from.len || !to.len || from.at + from.len > x->text.n ||
	    to.at + to.len > x->text.n)
		return;
	exec_notef(x, "no call leads directly there: path from %.*s to %.*s",
		   (int)from.len, x->text.p + from.at, (int)to.len, x->text.p + to.at);
}

/* Say that no way passes what is to be avoided. */
static void note_avoided(struct exec *x, const struct source *s)
{
	const size_t notes = x->notes->n, hints = x->hints->n;
	const struct set *sets[] = {s->kind == S_COST ? s->under : s->from,
				    s->kind == S_COST ? s->of : s->to, s->avoiding};
	struct fn_set *set[3] = {0};
	uint8_t *after = NULL, *before = NULL;
	const struct flow *flow;

	for (size_t i = 0; i < COUNT(sets); i++)
		if (sets[i])
			exec_set(x, sets[i], &set[i]);
	graph_event(x->g, x->event);
	exec_flow(x, x->g, x->event, &flow);
	if (set[0])
		chain_with(flow, set[0], NULL, false, &after, x->a);
	if (set[1])
		chain_with(flow, set[1], NULL, true, &before, x->a);
	x->notes->n = notes; /* the source had them, too */
	x->hints->n = hints;
	for (uint32_t f = fnset_next(set[2], 0); f != FNSET_NONE;
	     f = fnset_next(set[2], f + 1))
		if ((!after || after[f]) && (!before || before[f]))
			return;
	exec_note(x, STR("no way here passes what is avoided: the answer is the "
			 "same without it"));
}

void sources_open(struct exec *x, const struct source *s, struct table *t)
{
	t->src = source_def_of(s);
	if (!t->src->few_calls)
		graph_need_calls(x->g);
	t->src->open(x, s, t);
	if (is_of_calls(s->kind))
		note_no_calls(x);
	if (s->avoiding && !x->other)
		note_avoided(x, s);
	if (!t->n && s->from && s->to && is_of_calls(s->kind) &&
	    store_info(x->g->st)->edges)
		note_indirect(x, s);
}
