/*
 * statement.c - the graphs that a statement sees; see statement.h.
 *
 * The stages in force come first, then its own.  Those in force that do not change its
 * source are left out, with a note.  A graph is kept for later statements under a key: all
 * that it depends on beside the store.
 */
#include "engine/statement.h"
#include "index/base/need.h"

#include <string.h>

#include "engine/compare/vs.h"
#include "engine/graph/graph.h"
#include "engine/gstages/graph_cache.h"
#include "engine/gstages/gstage.h"
#include "engine/rows/doubt.h"
#include "engine/rows/exec_set.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/err.h"

void statement_begin(struct session *s, struct str text, struct arena *a, struct err *err,
		     struct statement *run)
{
	*run = (struct statement){
		.open = {.stores = s->stores,
			 .cancel = &s->cancel,
			 .flows = s->flows,
			 .part_cache = s->part_cache,
			 .inlines = s->inlines,
			 .pairs = &s->pairs,
			 .found = &s->found,
			 .last = s->last,
			 .roots = s->roots,
			 .objects = s->objects,
			 .row_limit = s->limits.rows,
			 .accepted = s->accepted,
			 .wanted = s->wanted,
			 .nwanted = s->nwanted,
			 .safe = s->safe,
			 .people = s->people,
			 .told = &s->told,
			 .reading = &s->reading},
		.x = {.a = a,
		      .err = err,
		      .open = &run->open,
		      .env = &run->env,
		      .text = text,
		      .notes = &run->notes,
		      .hints = &run->hints,
		      .doubts = &run->doubts,
		      .part = &run->part},
	};
}

/* The length of each piece, then its bytes: equal keys are of equal pieces. */
static struct str key_of(struct exec *x, const struct str *piece, size_t n)
{
	size_t size = 0;
	char *p, *to;

	for (size_t i = 0; i < n; i++) {
		if (!piece[i].p)
			return (struct str){NULL, 0};
		size += sizeof(piece[i].n) + piece[i].n;
	}
	if (!(p = to = arena_alloc(x->a, size + 1)))
		return (struct str){NULL, 0};
	for (size_t i = 0; i < n; i++) {
		memcpy(to, &piece[i].n, sizeof(piece[i].n));
		to += sizeof(piece[i].n);
		memcpy(to, piece[i].p, piece[i].n);
		to += piece[i].n;
	}
	return (struct str){p, size};
}

/* All that the graph of the stages depends on beside the store (graph_cache.h). */
static struct str graph_key(const struct session *s, const struct query *q,
			    struct statement *run)
{
	struct exec *x = &run->x;
	size_t n = 0, stages = 0;
	struct str *piece;

	for (const struct gstage *g = q->gstages; g; g = g->next)
		stages++;
	piece = EXEC_ARRAY(x, struct str, 1 + s->nfilters + stages + 2 * s->nlets);
	piece[n++] = arena_printf(x->a, "%u %d %zu", x->event, store_demangles(x->g->st),
				  stages);
	for (size_t i = 0; i < s->nfilters; i++)
		if (!run->idle[i])
			piece[n++] = s->filters[i];
	for (const struct gstage *g = q->gstages; g; g = g->next)
		piece[n++] = (struct str){x->text.p + g->span.at, g->span.len};
	for (size_t i = 0; i < s->nlets; i++) {
		piece[n++] = arena_printf(x->a, "%d %.*s", s->lets[i].formula,
					  STR_ARG(s->lets[i].name));
		piece[n++] = s->lets[i].text;
	}
	return key_of(x, piece, n);
}

/* Its rows are functions of a graph that is made from that of the stages. */
static bool is_of_groups(const struct source *s)
{
	return s->kind == S_FILES || s->kind == S_OBJECTS || s->kind == S_DIRS ||
	       s->kind == S_CLASSES;
}

/* Run the graph stages, or take their graph from the last time.  With `vs` they depend on
 * the other profile, too. */
static void run_gstages(struct session *s, const struct query *q, struct statement *run)
{
	struct exec *x = &run->x;
	struct str key;

	if ((!run->gstages && !is_of_groups(&q->source) &&
	     !store_any_grouped(x->g->st)) ||
	    q->source.vs.n || s->reading.part) {
		exec_gstages(x, run->gstages, x->text);
		return;
	}
	if (!(key = graph_key(s, q, run)).p)
		need_memory(x->a);
	graph_cache_gstages(s->graphs, x, run->gstages, x->text, key);
}

void statement_contexts(struct statement *run, const struct gstage *first)
{
	struct gstage *g = EXEC_ARRAY(&run->x, struct gstage, 1);

	*g = (struct gstage){.kind = G_CONTEXTS,
			     .next = (struct gstage *)(uintptr_t)first};
	run->gstages = g;
}

/* Filters in force that do not change what the source lists are left out of the stages,
 * with a note. */
static void leave_out_idle(struct session *s, const struct query *q,
			   struct statement *run, struct gstage *first)
{
	struct gstage **at = &first;
	struct exec *x = &run->x;

	run->idle = EXEC_ARRAY(x, bool, s->nfilters + 1);
	for (size_t i = 0; i < s->nfilters; i++) {
		run->idle[i] = !check_heeds(&q->source, *at);
		if (!run->idle[i]) {
			at = &(*at)->next;
			continue;
		}
		*at = (*at)->next;
		exec_notef(x, "%.*s does not change this table", STR_ARG(s->filters[i]));
	}
	run->gstages = first;
	if (q->source.kind == S_WHY)
		statement_contexts(run, first);
}

void statement_sides(struct session *s, const struct query *q, struct statement *run)
{
	struct exec *x = &run->x;
	const size_t notes = x->notes->n;

	for (;;) {
		graph_plain(s->stores[run->profile], s->flows, x->a, &s->cancel, &x->g);
		if (q->source.vs.n)
			exec_vs_base(x, &q->source, run->gstages, &run->vs);
		run_gstages(s, q, run);
		exec_part_stacks(x, &q->source);
		if (!run->vs || x->by_file || !vs_inlined_differs(x, run->vs))
			return;
		/* Begin again with what is known on both sides: the files of inlined
		 * code. */
		x->by_file = true;
		x->inlined = NULL;
		x->parts = NULL;
		x->other = NULL;
		x->notes->n = notes;
		exec_note(x, STR("the names of inlined code are known on one side "
				 "only: on both, its file tells"));
	}
}

/* A tree has tens of thousands of rows, a comparison one for each function that did not
 * change, a listing one for each instruction, which nobody reads; a list of callers has
 * not. */
static void leave_out_usual(const struct session *s, const struct query *q,
			    struct source *of)
{
	static const double usual = 0.5; /* percent */
	const bool tree = of->kind == S_CALLTREE ||
			  ((of->kind == S_CALLERS || of->kind == S_CALLEES) &&
			   (of->depth_all || of->depth > 1));

	if (!s->people || q->tstages || q->file.n || q->shell.n)
		return;
	of->min_usual = of->kind == S_SOURCE || of->kind == S_ASM ||
			(of->kind == S_FUNCTIONS && of->vs.n);
	if (!tree || of->has_min || of->has_max || of->vs.n)
		return;
	of->has_min = of->min_percent = of->min_usual = true;
	of->min = usual;
}

/* focus X | why: what leads to X did not change by that; as `why under X`. */
static void tell_under(struct query *q, const struct gstage *last)
{
	while (last && last->next)
		last = last->next;
	if (q->source.kind == S_WHY && !q->source.under && !q->source.of && last &&
	    last->kind == G_FOCUS)
		q->source.under = last->set;
}

/* Doubt profiles that are cut, odd or only an index.  The answer that `_` names had its
 * doubts when it was asked. */
int statement_doubts(const struct session *s, struct statement *run,
		     const struct query *q)
{
	struct exec *x = &run->x;
	const struct str name = s->names[run->profile];

	if (q->source.kind == S_LAST || run->set) /* each member was doubted */
		return 0;
	if (s->as_index[run->profile])
		exec_doubt_quietly(
			x, DOUBT_INDEX,
			arena_printf(x->a,
				     "%.*s is an index: whether a newer profile is there "
				     "is not known",
				     STR_ARG(name)));
	exec_doubt_profile(x, x->g->st, name);
	if (x->other && x->other->st != x->g->st)
		exec_doubt_profile(x, x->other->st, q->source.vs);
	return 0;
}

/* The base that `why` has chosen, in words that a query may have. */
static void name_usual(struct exec *x, struct source *s)
{
	const struct gstage *g = s->vs_parts;

	if (g && g->kind == G_USUAL && str_eq(s->vs, STR("usual")))
		s->vs = need_printf(x->a, "usual %llu activations of %.*s",
				    (unsigned long long)g->n,
				    STR_ARG(exec_text(x, g->set->span)));
}

int statement_graph(struct session *s, struct query *q, struct str text, struct arena *a,
		    struct statement *run, struct err *err)
{
	struct exec *x = &run->x;
	struct gstage *stages;

	statement_begin(s, text, a, err, run);
	cancel_after(&s->cancel, s->limits.seconds);
	if (session_gstages(s, q, a, &stages, &run->profile, err))
		return err->kind;
	leave_out_idle(s, q, run, stages);
	leave_out_usual(s, q, &q->source);
	tell_under(q, run->gstages);
	if (session_env(s, run->profile, a, &run->env, err) ||
	    check_query(&run->env, q, a, &x->event, err))
		return err->kind;
	name_usual(x, &q->source);
	statement_sides(s, q, run);
	return 0;
}
