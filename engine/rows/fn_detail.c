/* fn_detail.c - detail of functions, of the whole profile or of some parts; see
 * fn_detail.h. */
#include "engine/rows/fn_detail.h"

#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "engine/lang/ast.h"
#include "engine/names/fnset.h"
#include "engine/rows/activations.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_hidden.h"
#include "engine/rows/part_cache.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/each_activation.h"
#include "index/part_lines.h"
#include "index/base/cancel.h"

static int poll(void *arg, struct err *err)
{
	const struct exec *x = arg;

	return cancel_poll(x->open->cancel, err);
}

/* The activations that the graph is of; n 0: all of its parts. */
static struct graph_opened opened_of(const struct graph *g)
{
	while (!g->plain && !g->run.opened)
		g = g->below;
	return g->plain ? (struct graph_opened){0} : *g->run.opened;
}

/* The parts that lines are of; NULL: all.  A report asks by the graph alone. */
static const uint8_t *parts_asked(struct exec *x, const struct run_span *span)
{
	const struct graph_opened o = opened_of(x->g);
	const uint32_t n = store_info(x->g->st)->parts;
	uint8_t *parts;

	if (x->parts || (!o.n && !span))
		return x->parts;
	parts = EXEC_ARRAY(x, uint8_t, (size_t)n + 1);
	for (uint32_t p = 0; span && p < n; p++)
		parts[p] = span->from[p] < span->to[p];
	for (size_t i = 0; i < o.n; i++)
		parts[o.at[i].part] = 1;
	return parts;
}

static bool holds(const struct part_set *s, const struct exec *x, const uint8_t *parts,
		  const struct run_span *span)
{
	const struct graph_opened o = opened_of(x->g);
	const size_t n = store_info(x->g->st)->parts, bytes = n * sizeof(*s->span);

	return s->st == x->g->st && memcmp(s->parts, parts, n) == 0 &&
	       s->nblocks == o.n &&
	       (!o.n || memcmp(s->blocks, o.at, o.n * sizeof(*o.at)) == 0) &&
	       !s->span == !span &&
	       (!span || (memcmp(s->span, span->from, bytes) == 0 &&
			  memcmp(s->span + n, span->to, bytes) == 0));
}

/* Read the parts again into the set. */
static void read_parts(struct exec *x, struct part_set *s, const uint8_t *parts,
		       const struct run_span *span)
{
	const struct graph_opened o = opened_of(x->g);
	const size_t n = store_info(x->g->st)->parts;
	struct blocks_forward *forward = NULL;
	struct part_lines_opts opts = {
		.poll = poll, .arg = x, .blocks = o.at, .nblocks = o.n, .span = span};

	part_set_clear(s);
	s->parts = malloc(n + 1);
	s->blocks = calloc(o.n + 1, sizeof(*s->blocks));
	s->span = span ? malloc((2 * n + 1) * sizeof(*s->span)) : NULL;
	if (!s->parts || !s->blocks || (span && !s->span))
		need_memory_for(NULL);
	if (o.n)
		memcpy(s->blocks, o.at, o.n * sizeof(*o.at));
	s->nblocks = o.n;
	if (span) {
		memcpy(s->span, span->from, n * sizeof(*s->span));
		memcpy(s->span + n, span->to, n * sizeof(*s->span));
		exec_forward(x, &forward);
		opts.forward = forward;
		opts.most = blocks_most(forward);
	}
	part_lines_read(x->g->st, parts, &opts, &s->lines, x->err);
	blocks_forward_free(forward);
	if (x->err->kind) {
		part_set_clear(s);
		map_leave(x->err);
	}
	memcpy(s->parts, parts, n);
	s->st = x->g->st;
}

/* The lines of the parts in x->parts; NULL: the query is about all. */
static struct part_lines *parts_of(struct exec *x)
{
	struct part_set *const s = x->open->part_cache->set, last = s[0];
	const struct graph_span *of = graph_span_of(x->g);
	const struct run_span *span = of ? &of->of : NULL;
	const uint8_t *parts = parts_asked(x, span);

	if (!parts)
		return NULL;
	if (!holds(&s[0], x, parts, span)) {
		s[0] = s[1];
		s[1] = last;
	}
	if (!holds(&s[0], x, parts, span))
		read_parts(x, &s[0], parts, span);
	return s[0].lines;
}

void fn_lines(struct exec *x, fn_id f, struct arena *a, struct store_line **rows,
	      int64_t **costs, size_t *n)
{
	struct part_lines *p = parts_of(x);

	need(p ? part_lines(p, f, a, rows, costs, n, x->err)
	       : store_lines(x->g->st, f, a, rows, costs, n, x->err),
	     x->err);
}

void fn_inlined_lines(struct exec *x, fn_id f, struct arena *a, struct store_line **rows,
		      int64_t **costs, size_t *n)
{
	struct part_lines *p = parts_of(x);

	need(p ? part_inlined_lines(p, f, a, rows, costs, n, x->err)
	       : store_inlined_lines(x->g->st, f, a, rows, costs, n, x->err),
	     x->err);
}

static void recorded_sites(struct exec *x, fn_id f, struct arena *a,
			   struct store_site **rows, int64_t **costs, size_t *n)
{
	struct part_lines *p = parts_of(x);

	need(p ? part_sites(p, f, a, rows, costs, n, x->err)
	       : store_sites(x->g->st, f, a, rows, costs, n, x->err),
	     x->err);
}

void fn_sites(struct exec *x, fn_id f, struct arena *a, struct store_site **rows,
	      int64_t **costs, uint8_t **about, size_t *n)
{
	const uint32_t events = store_info(x->g->st)->events;
	const struct fn_hidden *h;
	int64_t *part;
	uint8_t *some;
	size_t k = 0;

	recorded_sites(x, f, a, rows, costs, n);
	fn_hidden_of(x, &h);
	if (!h)
		return;
	fn_hidden_costs(h, f, *rows, *costs, *n, a, &part, &some);
	if (about)
		*about = some;
	for (size_t i = 0; i < *n; i++) {
		const struct store_site site = (*rows)[i];

		if (fn_hidden_call(h, &site) == CALL_HIDDEN)
			continue;
		for (uint32_t e = 0; e < events; e++)
			(*costs)[k * events + e] = cost_difference(
				(*costs)[i * events + e], part[i * events + e]);
		some[k] = some[i];
		(*rows)[k++] = site;
	}
	*n = k;
}

void fn_hidden_lines(struct exec *x, fn_id f, struct arena *a, struct store_line **rows,
		     int64_t **costs, uint8_t **about, size_t *n)
{
	const uint32_t events = store_info(x->g->st)->events;
	const struct fn_hidden *h;
	struct store_site *site = NULL;
	int64_t *cost;
	size_t all = 0;

	*n = 0;
	fn_hidden_of(x, &h);
	if (!h)
		return;
	recorded_sites(x, f, a, &site, &cost, &all);
	fn_hidden_costs(h, f, site, cost, all, a, costs, about);
	*rows = ARENA_ARRAY(a, struct store_line, all + 1);
	if (!*rows)
		need_memory(a);
	for (size_t i = 0; i < all; i++) {
		if (fn_hidden_call(h, &site[i]) == CALL_VISIBLE)
			continue;
		for (uint32_t e = 0; e < events; e++)
			(*costs)[*n * events + e] = (*costs)[i * events + e];
		(*about)[*n] = (*about)[i];
		(*rows)[(*n)++] =
			(struct store_line){site[i].file, site[i].line, site[i].instr};
	}
}

void fn_jumps(struct exec *x, fn_id f, struct arena *a, struct store_jump **rows,
	      size_t *n)
{
	struct part_lines *p = parts_of(x);

	need(p ? part_jumps(p, f, a, rows, n, x->err)
	       : store_jumps(x->g->st, f, a, rows, n, x->err),
	     x->err);
}

/* The functions of the store by those of x->g; *first is NULL if none is made of several. */
static void list_merged(struct exec *x, uint32_t **first, uint32_t **member)
{
	const struct graph *g = x->g;
	bool merged = false;

	*first = NULL;
	if (g->plain)
		return;
	graph_members(x->a, g->map, store_info(g->st)->functions, g->functions, first,
		      member);
	for (uint32_t f = 0; f < g->functions && !merged; f++)
		merged = (*first)[f + 1] - (*first)[f] > 1;
	if (!merged)
		*first = NULL;
}

void fn_detail_each(struct exec *x, const struct fn_set *set, fn_detail_take *take,
		    void *arg)
{
	enum { POLL = 16 };
	uint32_t *first, *member, n;
	struct arena *scratch;

	list_merged(x, &first, &member);
	n = first ? x->g->functions : store_info(x->g->st)->functions;
	scratch = need_scratch(x->a);
	for (uint32_t f = 0; f < n; f++) {
		struct fn_members of = {&f, 1, first != NULL};
		uint32_t here;

		if (x->g->plain && set && (f = fnset_next(set, f)) == FNSET_NONE)
			break;
		here = first ? f : graph_of_store(x->g, f);
		if (here == GRAPH_NONE || (set && !fnset_has(set, here)))
			continue;
		if (first) {
			of.fn = member + first[f];
			of.n = first[f + 1] - first[f];
		}
		arena_reset(scratch);
		take(x, arg, &of, scratch);
		if (f % POLL == 0)
			exec_poll_now(x);
	}
	scratch_free(scratch);
}

bool fn_detail_shared(const struct exec *x, fn_id f, enum graph_sure cost)
{
	const struct graph_span *span = graph_span_of(x->g);

	return span && !(span->sure[f] & cost);
}

struct reading_parts {
	struct exec *x;
	struct part_lines *lines;
};

static int parts_guarded(void *arg)
{
	struct reading_parts *to = arg;

	to->lines = parts_of(to->x);
	return 0;
}

void fn_part_tree(struct exec *x, struct graph *g)
{
	struct reading_parts to = {.x = x};
	struct part_contexts contexts;
	struct store_tree tree;

	store_tree(g->st, &tree);
	if (!g->run.parts || g->run.tree || !tree.whole)
		return;
	if (!x->parts) { /* all of them */
		graph_part_tree(g, NULL);
		return;
	}
	if (map_guard(parts_guarded, &to, ERR_INDEX, x->err)) {
		const struct err why = *x->err;

		need(why.kind != ERR_PROFILE, x->err);
		err_clear(x->err);
		exec_notef(x,
			   "estimates: the stacks of single parts are read from "
			   "the profile again; %s",
			   why.text);
		return;
	}
	need(part_contexts(to.lines, x->a->cap ? x->a->cap : UINT64_MAX, &contexts,
			   x->err),
	     x->err);
	if (contexts.n)
		graph_part_tree(g, &contexts);
}

void fn_detail_check(struct exec *x, const struct source *s, const char *name)
{
	const bool lines = s->kind == S_LINES || s->kind == S_INSTRS ||
			   s->kind == S_SOURCE || s->kind == S_ASM;

	if (x->g->detail || (lines && x->g->hides))
		return;
	exec_wrong(x, s->span, "'%s' has no costs of single lines after this graph stage",
		   name);
	need_hint(x->err,
		  "line detail goes with part, thread, activation, collapse%s only",
		  lines ? ", contexts and hide" : " and contexts");
}
