/*
 * render_dot.c - a call graph for Graphviz: `calls of X > graph.dot`.
 *
 * Edges are the rows of `calls` (caller, callee), or the steps of trees and paths, from
 * caller to callee.  There are at most NODES functions: a larger drawing is a black
 * square.  The functions with which the program starts are one node, as far as nearly all
 * of each is in the next: "_start > ... > main".
 *
 * Functions have their self and inclusive costs, and are the redder the more of the total
 * they spend themselves.  Of two profiles, edges have the inclusive costs of both and
 * functions their self costs.  Both are coloured by the change (change.h).
 */
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "engine/graph/graph.h"
#include "repl/render/change.h"
#include "repl/render/fit.h"
#include "repl/pictures/frames.h"
#include "repl/term/number.h"
#include "index/base/cost.h"
#include "index/base/count.h"
#include "index/base/order.h"

enum { NODES = 25, LABEL = 48, JOINTS = 32 };
#define JOINED 0.95

/* A function by its number, or what only has a name (RESULT_NONE). */
struct end {
	struct str name;
	uint32_t fn;
};

struct edge {
	struct end from, to;
	uint64_t calls;
	int64_t cost, base;
	bool estimated;
	int64_t wide; /* what it is drawn by: at most what its ends cost, which calls in a
			 cycle exceed */
	bool joint;   /* of a chain: both ends are in one node */
};

struct node {
	struct end end;
	int64_t self[2]; /* in this profile, and the base */
	int64_t incl;	 /* of one profile */
	bool known;	 /* these are */
	bool estimated;	 /* incl is */
};

struct graph_drawn {
	struct edge *edges;
	size_t n;
	const struct edge *joint[JOINTS];
	size_t joints;
	struct node nodes[NODES];
	size_t nnodes, left_out;
	int64_t most, whole;
	struct unit unit;
	/* Those that have the functions: one profile, or two; or none. */
	struct graph *side[2];
	uint32_t event[2];
	const uint32_t *there; /* of two profiles: struct compared, same[0] */
	bool two;	       /* two profiles */
};

static int end_order(const struct end *a, const struct end *b)
{
	const int c = order_u64(a->fn, b->fn);

	return c || a->fn != RESULT_NONE ? c : str_cmp(a->name, b->name);
}

static bool same_end(const struct end *a, const struct end *b)
{
	return !end_order(a, b);
}

/* The last function of the chain that an end is in. */
static const struct end *last_of(const struct graph_drawn *g, const struct end *end)
{
	for (size_t k = 0; k < g->joints; k++)
		if (same_end(&g->joint[k]->from, end)) {
			end = &g->joint[k]->to;
			k = SIZE_MAX; /* from the first again */
		}
	return end;
}

/* The node of an end; NODES: there is no room for it. */
static size_t node_number(struct graph_drawn *g, const struct end *end)
{
	size_t i = 0;

	end = last_of(g, end);
	while (i < g->nnodes && !same_end(&g->nodes[i].end, end))
		i++;
	if (i == g->nnodes && i < NODES)
		g->nodes[g->nnodes++] = (struct node){.end = *end};
	return i;
}

static int by_ends(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	const int c = end_order(&x->from, &y->from);

	return c ? c : end_order(&x->to, &y->to);
}

static int by_names(const struct edge *x, const struct edge *y)
{
	int c = str_cmp(x->from.name, y->from.name);

	c = c ? c : str_cmp(x->to.name, y->to.name);
	return c ? c : by_ends(x, y);
}

static int dot_by_cost(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	const int c = cost_order(y->wide, x->wide);

	return c ? c : by_names(a, b);
}

/* Merge the edges with the same ends.  A tree repeats a call wherever it is taken,
 * with the cost in that place, but each time with all of its calls. */
static void merge_edges(struct render *rd, struct graph_drawn *g)
{
	size_t n = 0;

	qsort(g->edges, g->n, sizeof(*g->edges), by_ends);
	for (size_t i = 0; i < g->n && !render_cancelled(rd, i); i++) {
		struct edge *to = n ? &g->edges[n - 1] : NULL, *e = &g->edges[i];

		if (!to || by_ends(to, e)) {
			g->edges[n++] = *e;
			continue;
		}
		cost_add(&to->cost, e->cost);
		cost_add(&to->base, e->base);
		to->calls = to->calls > e->calls ? to->calls : e->calls;
		to->estimated |= e->estimated;
	}
	g->n = n;
}

static bool new_edges(struct render *rd, struct graph_drawn *g, size_t n)
{
	g->edges = calloc(n + 1, sizeof(*g->edges));
	if (!g->edges)
		err_no_memory(rd->err, NULL);
	return g->edges;
}

/* One end of the call in a row.  A row that only the base has may have an old name. */
static struct end end_of_call(const struct result *r, const struct column *c, size_t row,
			      unsigned end)
{
	const uint32_t fn = result_fn(r, row, end);

	return (struct end){r->graph && fn < r->graph->functions
				    ? graph_name(r->graph, fn)
				    : c->s[row],
			    fn};
}

static bool edges_of_calls(struct render *rd, struct graph_drawn *g)
{
	const struct result *r = rd->r;
	const struct column *from = result_col(r, STR("caller"));
	const struct column *to = result_col(r, STR("callee"));
	const struct column *cost = result_col(r, STR("incl"));
	const struct column *calls = result_col(r, STR("calls"));
	const struct column *base = r->base.n ? result_col(r, STR("base")) : NULL;

	if (!from || !to || !cost || from->type != COL_NAME || to->type != COL_NAME ||
	    cost->type != COL_COST || !new_edges(rd, g, r->rows))
		return false;
	for (; g->n < r->rows && !render_cancelled(rd, g->n); g->n++)
		g->edges[g->n] = (struct edge){
			.from = end_of_call(r, from, g->n, 0),
			.to = end_of_call(r, to, g->n, 1),
			.cost = cost->i[g->n],
			.calls = calls ? calls->u[g->n] : 0,
			.base = r->compared ? r->compared->cost[1][g->n]
				: base && base->type == COL_COST ? base->i[g->n]
								 : 0};
	return true;
}

static struct end end_of_frame(const struct frame *x)
{
	return (struct end){x->name, x->fn};
}

static int edges_of_frames(struct render *rd, struct graph_drawn *g)
{
	const struct column *calls = result_col(rd->r, STR("calls"));
	struct frames f;

	if (frames_of(rd, "dot", &f) == 0 && new_edges(rd, g, f.n))
		for (size_t i = 0; i < f.n && !render_cancelled(rd, i); i++) {
			const struct frame *x = &f.all[i], *on;

			if (x->parent == FRAME_NONE || x->other)
				continue;
			on = &f.all[x->parent];
			if (on->other)
				continue;
			g->edges[g->n++] = (struct edge){
				.from = end_of_frame(rd->r->upward ? x : on),
				.to = end_of_frame(rd->r->upward ? on : x),
				.cost = (int64_t)x->value[0],
				.base = (int64_t)x->value[1],
				.calls = calls && x->row != FRAME_NONE &&
							 !render_absent(calls, x->row)
						 ? calls->u[x->row]
						 : 0,
				.estimated = frame_estimated(x)};
		}
	frames_free(&f);
	return rd->err->kind;
}

/* ---- functions ---- */

static int find_sides(struct render *rd, struct graph_drawn *g)
{
	const struct result *r = rd->r;
	const struct compared *c = r->compared;

	render_asks(rd);
	if (!r->graph || (g->two && (!c || !c->same[0])))
		return 0;
	g->side[0] = r->graph;
	g->event[0] = r->event_id;
	if (g->two) {
		g->side[1] = c->graph;
		g->event[1] = c->event;
		g->there = c->same[0];
	}
	return session_graph_event(r->graph, r->event_id, rd->err) ||
			       (g->two &&
				session_graph_event(c->graph, c->event, rd->err))
		       ? rd->err->kind
		       : 0;
}

/* The number of a function on a side; RESULT_NONE: it is not there. */
static uint32_t on_side(const struct graph_drawn *g, int s, uint32_t fn)
{
	const uint32_t n = g->side[0] ? g->side[0]->functions : 0;

	if (!g->side[s] || fn == RESULT_NONE)
		return RESULT_NONE;
	if (fn < n)
		return s ? g->there[fn] : fn;
	return s ? fn - n : RESULT_NONE;
}

/* Is f called by nothing, or only by what nothing calls or is part of a chain? */
static bool starts(const struct graph_drawn *g, int s, uint32_t f)
{
	const struct graph *graph = g->side[s];

	for (uint32_t i = 0; i < graph_caller_count(graph, f); i++) {
		const uint32_t by = graph_edge_caller(graph, graph_caller(graph, f, i));
		bool start = !graph_caller_count(graph, by);

		for (size_t k = 0; k < g->joints; k++)
			start |= on_side(g, s, g->joint[k]->from.fn) == by;
		if (!start)
			return false;
	}
	return true;
}

/* Is nearly all of the caller in this call, and is it the only one of the callee, in each
 * profile that has one of them? */
static bool goes_on(const struct graph_drawn *g, const struct edge *e)
{
	for (int s = 0; s < 2; s++) {
		const uint32_t from = on_side(g, s, e->from.fn),
			       to = on_side(g, s, e->to.fn);
		const int64_t cost = s ? e->base : e->cost;

		if (from == RESULT_NONE && to == RESULT_NONE && (s || g->two))
			continue;
		if (from == RESULT_NONE || to == RESULT_NONE || from == to || cost <= 0 ||
		    !starts(g, s, from) || graph_caller_count(g->side[s], to) != 1 ||
		    (double)cost <
			    JOINED * (double)graph_incl(g->side[s], from, g->event[s]))
			return false;
	}
	return true;
}

/* Make the functions with which the program starts one, with the name of the last. */
static void join_start(struct graph_drawn *g)
{
	for (size_t i = 0; i < g->n && i < NODES + g->joints; i++) {
		struct edge *e = &g->edges[i];

		if (g->joints == JOINTS || g->joints + 1 == g->n)
			return;
		if (e->joint || !goes_on(g, e))
			continue;
		e->joint = true;
		g->joint[g->joints++] = e;
		i = SIZE_MAX; /* from the first again */
	}
}

/* Add what a function of a node costs. */
static void add_fn(const struct graph_drawn *g, struct node *to, uint32_t fn)
{
	for (int s = 0; s < 2; s++) {
		const uint32_t f = on_side(g, s, fn);

		if (f == RESULT_NONE)
			continue;
		to->known = true;
		cost_add(&to->self[s], graph_self(g->side[s], f, g->event[s]));
		/* Those of a chain contain each other. */
		if (!g->two && graph_incl(g->side[0], f, g->event[0]) >= to->incl) {
			to->incl = graph_incl(g->side[0], f, g->event[0]);
			to->estimated = graph_incl_is_about(g->side[0], f, g->event[0]);
		}
	}
}

static void find_costs(struct graph_drawn *g)
{
	for (size_t i = 0; i < g->nnodes; i++) {
		struct node *to = &g->nodes[i];

		add_fn(g, to, to->end.fn);
		for (size_t k = 0; k < g->joints; k++)
			if (same_end(last_of(g, &g->joint[k]->from), &to->end))
				add_fn(g, to, g->joint[k]->from.fn);
	}
}

/* "38 k -> 30 k" and "-8,000 (-21.1%)" in a label: the base comes first. */
static void put_both(struct out *o, const struct graph_drawn *g, int64_t now,
		     int64_t base, bool estimated)
{
	char from[NUMBER_MAX], to[NUMBER_MAX], change[CHANGE_MAX];
	const char *about = estimated ? "~" : "";

	number_cost(from, g->unit, base);
	number_cost(to, g->unit, now);
	change_text(change, g->unit, now, base);
	out_printf(o, "%s%.*s -> %s%.*s\\n%s", about, STR_ARG(str_trim(str_c(from))),
		   about, STR_ARG(str_trim(str_c(to))), change);
}

/* ---- drawing ---- */

/* "\nself 12.3 k (4.1%)" */
static void put_share(struct out *o, const struct graph_drawn *g, const char *what,
		      int64_t cost)
{
	char number[NUMBER_MAX], percent[NUMBER_MAX];

	number_cost(number, g->unit, cost);
	number_percent(percent,
		       g->whole > 0 ? 100.0 * (double)cost / (double)g->whole : 0);
	out_printf(o, "%s%.*s (%s)", what, STR_ARG(str_trim(str_c(number))), percent);
}

/* The costs, and a colour from pale yellow to red; the area of the box is the own cost. */
static void put_own(struct out *o, const struct graph_drawn *g, const struct node *x)
{
	const double part = g->whole > 0 && x->self[0] > 0
				    ? (double)x->self[0] / (double)g->whole
				    : 0;
	const double share = part < 1 ? part : 1;

	put_share(o, g, "\\nself ", x->self[0]);
	put_share(o, g, x->estimated ? "\\nincl ~" : "\\nincl ", x->incl);
	out_printf(o, "\", fontsize=%.0f, fillcolor=\"%.3f %.3f 0.970\"",
		   8 + 32 * sqrt(share), (48 - 40 * fmin(1, 4 * share)) / 360,
		   0.12 + 0.43 * sqrt(share));
}

/* The functions before the last one of a chain: the first, or all. */
static void put_chain(struct out *o, const struct graph_drawn *g, const struct end *last,
		      bool all)
{
	size_t n = 0;

	for (size_t i = 0; i < g->joints; i++) {
		const struct end *from = &g->joint[i]->from;

		if (!same_end(last_of(g, from), last) || (n++ && !all))
			continue;
		fit_put(o, EMIT_TEXT, FIT_NAME, from->name, all ? SIZE_MAX : LABEL / 2);
		out_c(o, " \xe2\x80\xba ");
	}
	if (!all && n > 1)
		out_c(o, "\xe2\x80\xa6 \xe2\x80\xba ");
}

static void put_node(struct out *o, const struct graph_drawn *g, size_t number)
{
	const struct node *x = &g->nodes[number];
	struct out label, quoted;

	out_mem(&label);
	out_mem(&quoted);
	put_chain(&label, g, &x->end, false);
	fit_put(&label, EMIT_TEXT, FIT_NAME, x->end.name, label.n ? LABEL / 2 : LABEL);
	emit_name(&quoted, EMIT_DOT, (struct str){label.buf, label.n});
	out_printf(o, "\tn%zu [label=", number);
	out_bytes(o, quoted.buf, x->known && quoted.n ? quoted.n - 1 : quoted.n);
	if (x->known && !g->two) {
		put_own(o, g, x);
	} else if (x->known) {
		out_c(o, "\\nself ");
		put_both(o, g, x->self[0], x->self[1], false);
		out_c(o, "\", fillcolor=\"");
		change_put_hex(o, change_of(x->self[0], x->self[1], g->whole, false));
		out_char(o, '"');
	}
	label.n = 0;
	put_chain(&label, g, &x->end, true);
	emit_name(&label, EMIT_TEXT, x->end.name);
	out_c(o, ", tooltip=");
	emit_name(o, EMIT_DOT, (struct str){label.buf, label.n});
	out_c(o, "];\n");
	out_close(&label);
	out_close(&quoted);
}

static void put_edge_cost(struct out *o, const struct graph_drawn *g,
			  const struct edge *e)
{
	char cost[NUMBER_MAX];

	if (g->two) {
		put_both(o, g, e->cost, e->base, e->estimated);
		return;
	}
	number_cost(cost, g->unit, e->cost);
	/* Costs without a unit have the width of one, too. */
	out_printf(o, "%s%.*s", e->estimated ? "~" : "", STR_ARG(str_trim(str_c(cost))));
}

static void put_edge(struct render *rd, struct graph_drawn *g, const struct edge *e,
		     size_t from, size_t to)
{
	const double share =
		g->most > 0 && e->wide > 0 ? (double)e->wide / (double)g->most : 0;

	out_printf(rd->o, "\tn%zu -> n%zu [label=\"", from, to);
	put_edge_cost(rd->o, g, e);
	if (e->calls)
		out_printf(rd->o, "\\n%s call%s", GROUPED(e->calls),
			   e->calls == 1 ? "" : "s");
	out_printf(rd->o, "\", penwidth=%.2f%s", 0.6 + 4 * share,
		   e->estimated ? ", style=dashed" : "");
	if (g->two) {
		out_c(rd->o, ", color=\"");
		change_put_hex(rd->o,
			       change_of(e->cost, e->base, g->whole, e->estimated));
		out_char(rd->o, '"');
	}
	out_c(rd->o, "];\n");
}

static void put_dot_head(struct render *rd, const struct graph_drawn *g)
{
	struct out *o = rd->o, label;

	out_mem(&label);
	emit_name(&label, EMIT_DOT, rd->r->query);
	out_c(o, "digraph quern {\n\tlabel=");
	out_bytes(o, label.buf, g->two && label.n ? label.n - 1 : label.n);
	out_close(&label);
	if (g->two)
		out_c(o, "\\nbase -> here: orange is more, blue is less\"");
	out_c(o,
	      ";\n\tnode [shape=box, style=\"rounded,filled\", fillcolor=\"#fff4dd\","
	      " fontname=\"sans-serif\"];\n\tedge [fontname=\"sans-serif\", fontsize=10];\n");
}

static void find_widths(struct graph_drawn *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct edge *e = &g->edges[i];
		const uint32_t ends[] = {e->from.fn, e->to.fn};

		e->wide = e->cost > e->base ? e->cost : e->base;
		for (size_t k = 0; k < COUNT(ends) && g->side[0] && !g->two; k++)
			if (ends[k] != RESULT_NONE) {
				const int64_t incl =
					graph_incl(g->side[0], ends[k], g->event[0]);

				e->wide = incl < e->wide ? incl : e->wide;
			}
	}
}

static void put_edges(struct render *rd, struct graph_drawn *g)
{
	for (size_t i = 0; i < g->n && !render_cancelled(rd, i); i++) {
		const struct edge *e = &g->edges[i];
		size_t from, to;

		if (e->joint)
			continue;
		g->most = g->most ? g->most : e->wide;
		from = node_number(g, &e->from);
		to = from < NODES ? node_number(g, &e->to) : NODES;
		if (to < NODES)
			put_edge(rd, g, e, from, to);
		else
			g->left_out++;
	}
}

static void put_graph(struct render *rd, struct graph_drawn *g)
{
	const struct compared *c = rd->r->compared;
	struct out *o = rd->o;

	g->two = rd->r->base.n;
	g->unit = rd->r->unit;
	g->whole = c && c->total > rd->r->total ? c->total : rd->r->total;
	if (find_sides(rd, g))
		return;
	put_dot_head(rd, g);
	merge_edges(rd, g);
	if (rd->err->kind)
		return;
	find_widths(g);
	qsort(g->edges, g->n, sizeof(*g->edges), dot_by_cost);
	if (g->side[0])
		join_start(g);
	put_edges(rd, g);
	find_costs(g);
	for (size_t i = 0; i < g->nnodes; i++)
		put_node(o, g, i);
	if (g->left_out)
		out_printf(o, "\tother [label=\"%s more calls\", style=dashed];\n",
			   GROUPED(g->left_out));
	out_c(o, "}\n");
}

static int check_edges(struct render *rd, const struct graph_drawn *g)
{
	if (g->n)
		return 0;
	err_set(rd->err, ERR_QUERY, 0, "a call graph needs calls, and '%s' has none",
		rd->r->source);
	return err_hint(rd->err, "calls | as dot");
}

int render_dot(struct render *rd)
{
	struct graph_drawn *g = calloc(1, sizeof(*g));

	if (!g)
		err_no_memory(rd->err, NULL);
	else if ((edges_of_calls(rd, g) ||
		  (!rd->err->kind && edges_of_frames(rd, g) == 0)) &&
		 !check_edges(rd, g))
		put_graph(rd, g);
	free(g ? g->edges : NULL);
	free(g);
	return rd->err->kind;
}
