/*
 * render_dot.c - a call graph for Graphviz: `calls of X > graph.dot`.
 *
 * Edges are the rows of `calls` (caller, callee), or the steps of trees and paths, from
 * caller to callee.  There are at most NODES functions: a larger drawing is a black
 * square.
 */
#include "repl/render/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "repl/render/fit.h"
#include "repl/render/frames.h"
#include "repl/term/number.h"

enum { NODES = 80, LABEL = 48 };

struct edge {
	struct str from, to;
	uint64_t cost, calls;
	bool estimated;
};

struct graph {
	struct edge *edges;
	size_t n;
	struct str names[NODES];
	size_t nnames, left_out;
	uint64_t most;
};

static size_t name_number(struct graph *g, struct str name)
{
	for (size_t i = 0; i < g->nnames; i++)
		if (str_eq(g->names[i], name))
			return i;
	if (g->nnames == NODES)
		return NODES;
	g->names[g->nnames] = name;
	return g->nnames++;
}

static int by_ends(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	int c = str_cmp(x->from, y->from);

	return c ? c : str_cmp(x->to, y->to);
}

static int dot_by_cost(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->cost != y->cost ? (x->cost < y->cost) - (x->cost > y->cost)
				  : by_ends(a, b);
}

/* Merge the edges with the same ends.  A tree repeats a call wherever it is taken,
 * with the cost in that place, but each time with all of its calls. */
static void merge_edges(struct graph *g)
{
	size_t n = 0;

	qsort(g->edges, g->n, sizeof(*g->edges), by_ends);
	for (size_t i = 0; i < g->n; i++) {
		struct edge *to = n ? &g->edges[n - 1] : NULL, *e = &g->edges[i];

		if (!to || by_ends(to, e)) {
			g->edges[n++] = *e;
			continue;
		}
		if (__builtin_add_overflow(to->cost, e->cost, &to->cost))
			to->cost = UINT64_MAX;
		to->calls = to->calls > e->calls ? to->calls : e->calls;
		to->estimated |= e->estimated;
	}
	g->n = n;
}

static bool new_edges(struct render *rd, struct graph *g, size_t n)
{
	g->edges = calloc(n + 1, sizeof(*g->edges));
	if (!g->edges)
		err_no_memory(rd->err, NULL);
	return g->edges;
}

static bool edges_of_calls(struct render *rd, struct graph *g)
{
	const struct result *r = rd->r;
	const struct column *from = result_col(r, STR("caller"));
	const struct column *to = result_col(r, STR("callee"));
	const struct column *cost = result_col(r, STR("incl"));
	const struct column *calls = result_col(r, STR("calls"));

	if (!from || !to || !cost || from->type != COL_NAME || to->type != COL_NAME ||
	    cost->type != COL_COST || !new_edges(rd, g, r->rows))
		return false;
	for (; g->n < r->rows; g->n++)
		g->edges[g->n] = (struct edge){from->s[g->n], to->s[g->n], cost->u[g->n],
					       calls ? calls->u[g->n] : 0, false};
	return true;
}

static int edges_of_frames(struct render *rd, struct graph *g)
{
	const struct column *calls = result_col(rd->r, STR("calls"));
	struct frames f;

	if (frames_of(rd->r, "dot", &f, rd->err) == 0 && new_edges(rd, g, f.n))
		for (size_t i = 0; i < f.n && !render_cancelled(rd, i); i++) {
			const struct frame *x = &f.all[i], *on;

			if (x->parent == FRAME_NONE || x->other)
				continue;
			on = &f.all[x->parent];
			if (on->other)
				continue;
			g->edges[g->n++] = (struct edge){
				.from = rd->r->upward ? x->name : on->name,
				.to = rd->r->upward ? on->name : x->name,
				.cost = x->value,
				.calls = calls && x->row != FRAME_NONE &&
							 !render_absent(calls, x->row)
						 ? calls->u[x->row]
						 : 0,
				.estimated = x->estimated};
		}
	frames_free(&f);
	return (int)rd->err->kind;
}

static void put_node(struct out *o, size_t number, struct str name)
{
	struct out label;

	out_mem(&label);
	fit_put(&label, EMIT_TEXT, FIT_NAME, name, LABEL);
	out_printf(o, "\tn%zu [label=", number);
	emit_name(o, EMIT_DOT, (struct str){label.buf, label.n});
	out_c(o, ", tooltip=");
	emit_name(o, EMIT_DOT, name);
	out_c(o, "];\n");
	out_close(&label);
}

static void put_edge(struct render *rd, struct graph *g, const struct edge *e,
		     size_t from, size_t to)
{
	char cost[NUMBER_MAX], calls[NUMBER_MAX];
	double share = g->most ? (double)e->cost / (double)g->most : 0;

	number_si(cost, e->cost);
	number_grouped(calls, e->calls);
	/* Costs without a unit have the width of one, too. */
	out_printf(rd->o, "\tn%zu -> n%zu [label=\"%s%.*s", from, to,
		   e->estimated ? "~" : "", STR_ARG(str_trim(str_c(cost))));
	if (e->calls)
		out_printf(rd->o, "\\n%s call%s", calls, e->calls == 1 ? "" : "s");
	out_printf(rd->o, "\", penwidth=%.2f%s];\n", 0.6 + 4 * share,
		   e->estimated ? ", style=dashed" : "");
}

static void put_graph(struct render *rd, struct graph *g)
{
	struct out edges, *o = rd->o;

	out_c(o, "digraph quern {\n\tlabel=");
	emit_name(o, EMIT_DOT, rd->r->query);
	out_c(o,
	      ";\n\tnode [shape=box, style=\"rounded,filled\", fillcolor=\"#fff4dd\","
	      " fontname=\"sans-serif\"];\n\tedge [fontname=\"sans-serif\", fontsize=10];\n");
	merge_edges(g);
	qsort(g->edges, g->n, sizeof(*g->edges), dot_by_cost);
	g->most = g->n ? g->edges[0].cost : 0;
	out_mem(&edges);
	rd->o = &edges;
	for (size_t i = 0; i < g->n && !render_cancelled(rd, i); i++) {
		size_t from = name_number(g, g->edges[i].from);
		size_t to = from < NODES ? name_number(g, g->edges[i].to) : NODES;

		if (to < NODES)
			put_edge(rd, g, &g->edges[i], from, to);
		else
			g->left_out++;
	}
	rd->o = o;
	for (size_t i = 0; i < g->nnames; i++)
		put_node(o, i, g->names[i]);
	out_bytes(o, edges.buf, edges.n);
	out_close(&edges);
	if (g->left_out)
		out_printf(o, "\tother [label=\"%zu more calls\", style=dashed];\n",
			   g->left_out);
	out_c(o, "}\n");
}

int render_dot(struct render *rd)
{
	struct graph *g = calloc(1, sizeof(*g));

	if (!g)
		err_no_memory(rd->err, NULL);
	else if (edges_of_calls(rd, g) || (!rd->err->kind && edges_of_frames(rd, g) == 0))
		put_graph(rd, g);
	free(g ? g->edges : NULL);
	free(g);
	return (int)rd->err->kind;
}
