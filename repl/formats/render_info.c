/*
 * render_info.c - the card of a function, for people.
 *
 *	malloc
 *	#345  malloc.c:1338  libc.so.6
 *	1,333 calls from 6 functions; calls 3 functions
 *
 *	event    self  self%    incl  incl%  incl/call
 *	Ir     52,247  1.83%  92,658  3.24%      69.51
 *	incl% of others: Dr 3.51%, Dw 4.02% ...		if there are more than FEW events
 *
 *	calls    incl  share% of incl  callers
 *	1,330  90,729  97.92%  operator new(unsigned long)
 *
 * The numbers come from the call graph that the query asked, so stages count.
 */
#include "repl/formats/render_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "engine/graph/graph.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/out.h"
#include "repl/render/cell.h"
#include "repl/render/render.h"
#include "repl/term/number.h"

enum { NEIGHBOURS = 8, CELL = NUMBER_MAX + 2, COLUMNS = 5, WIDE = 6, FEW = 5 };

struct card {
	struct render *rd;
	struct graph *g;
	uint32_t f, event;
	struct unit unit;
};

struct neighbour {
	uint32_t fn, edge;
	int64_t incl;
	uint64_t calls;
	bool about; /* incl is an estimate */
};

/* ---- tables of a few columns ---- */

/* Right-aligned cells, then text that may be wider than the rest. */
struct line {
	char cell[COLUMNS][CELL];
	struct str first, last; /* left of the cells; right of them */
};

static void put_lines(struct card *c, const struct line *line, size_t n, size_t columns)
{
	struct out *o = c->rd->o;
	const enum emit_form form = cell_form(c->rd->look);
	size_t width[COLUMNS] = {0}, first = 0, all = 0, screen = c->rd->look->columns;

	for (size_t i = 0; i < n; i++) {
		size_t w = emit_width(form, line[i].first);

		first = w > first ? w : first;
		for (size_t k = 0; k < columns; k++) {
			w = strlen(line[i].cell[k]);
			width[k] = w > width[k] ? w : width[k];
		}
	}
	for (size_t k = 0; k < columns; k++)
		all += width[k] + 2;
	all += first;
	for (size_t i = 0; i < n; i++) {
		size_t room = !screen || c->rd->look->wide ? SIZE_MAX
			      : screen > all + WIDE	   ? screen - all - 2
							   : WIDE;

		out_c(o, cell_paint(c->rd->look, i ? PAINT_NONE : PAINT_HEAD));
		emit_name(o, form, line[i].first);
		out_fill(o, ' ', first - emit_width(form, line[i].first));
		for (size_t k = 0; k < columns; k++) {
			out_fill(o, ' ', 2 + width[k] - strlen(line[i].cell[k]));
			out_c(o, line[i].cell[k]);
		}
		if (line[i].last.n) {
			out_c(o, "  ");
			fit_put(o, form, FIT_NAME, line[i].last, room);
		}
		if (!i)
			out_c(o, cell_paint(c->rd->look, PAINT_NONE));
		out_char(o, '\n');
	}
}

static void set_cost(const struct card *c, char *cell, struct unit u, int64_t cost,
		     bool estimated)
{
	const bool exact = c->rd->look->exact;

	cell[0] = '~';
	cell_cost(cell + estimated, u, cost, exact, exact || cost_size(cost) <= 999999);
}

static void set_share(char *cell, int64_t part, int64_t whole, bool estimated)
{
	cell[0] = '~';
	if (whole > 0)
		number_percent(cell + estimated, 100.0 * (double)part / (double)whole);
	else
		snprintf(cell, CELL, "-");
}

/* ---- costs ---- */

static int set_event(struct card *c, struct line *l, uint32_t e)
{
	const struct graph *g = c->g;
	const uint64_t calls = graph_calls_counted(g, c->f) ? graph_calls(g, c->f) : 0;
	struct store_event ev;
	struct unit u;
	int64_t self, incl, total;
	bool about, self_about = !graph_is_sure(g, c->f, GRAPH_SELF);

	*l = (struct line){0};
	if (session_graph_event(c->g, e, c->rd->err))
		return c->rd->err->kind;
	total = graph_total(g, e);
	about = graph_incl_is_about(g, c->f, e);
	store_event(g->st, e, &ev);
	u = store_unit(g->st, e);
	self = graph_self(g, c->f, e);
	incl = graph_incl(g, c->f, e);
	l->first = event_title(ev.name, u);
	set_cost(c, l->cell[0], u, self, self_about);
	set_share(l->cell[1], self, total, self_about);
	set_cost(c, l->cell[2], u, incl, about);
	set_share(l->cell[3], incl, total, about);
	snprintf(l->cell[4], CELL, "-");
	if (calls)
		number_per(l->cell[4], u, (double)incl / (double)calls);
	return 0;
}

static void put_bounds(struct card *c)
{
	char lo[CELL], hi[CELL];
	int64_t least, most;

	if (!graph_is_sure(c->g, c->f, GRAPH_INCL) ||
	    !graph_incl_is_about(c->g, c->f, c->event))
		return;
	graph_incl_bounds(c->g, c->f, c->event, &least, &most);
	set_cost(c, lo, c->unit, least, false);
	set_cost(c, hi, c->unit, most, false);
	out_printf(c->rd->o, "~ incl is estimated, between %.*s and %.*s ",
		   STR_ARG(str_trim(str_c(lo))), STR_ARG(str_trim(str_c(hi))));
	emit_name(c->rd->o, cell_form(c->rd->look), result_title(c->rd->r));
	out_char(c->rd->o, '\n');
}

/* Go on in this line of the screen, or in the next one. */
static void put_words(struct card *c, size_t *at, struct str name, const char *value)
{
	const size_t screen = c->rd->look->columns;
	const enum emit_form form = cell_form(c->rd->look);
	const size_t w = 1 + emit_width(form, name) + strlen(value);

	if (screen && *at + w > screen) {
		out_c(c->rd->o, "\n ");
		*at = 1;
	}
	out_char(c->rd->o, ' ');
	emit_name(c->rd->o, form, name);
	out_c(c->rd->o, value);
	*at += w;
}

/* The shares of all events but that of line `chosen`. */
static void put_others(struct card *c, const struct line *line, size_t n, size_t chosen)
{
	static const char head[] = "incl% of others:";
	const size_t last = chosen + 1 < n ? n - 1 : n - 2;
	size_t at = sizeof(head) - 1;
	char share[CELL + 2];

	out_c(c->rd->o, head);
	for (size_t i = 1; i < n; i++) {
		snprintf(share, sizeof(share), " %s%c", line[i].cell[3],
			 i < last ? ',' : ';');
		if (i != chosen)
			put_words(c, &at, line[i].first, share);
	}
	put_words(c, &at, STR("--wide has all"), "\n");
}

static int put_costs(struct card *c)
{
	const uint32_t events = store_info(c->g->st)->all_events;
	struct line *line = calloc((size_t)events + 1, sizeof(*line));
	size_t n = 1, chosen = 1;

	if (!line)
		return err_no_memory(c->rd->err, NULL);
	line[0] = (struct line){
		{"self", "self%", "incl", "incl%", "incl/call"}, STR("event"), STR("")};
	for (uint32_t e = 0; e < events && !c->rd->err->kind; e++) {
		/* An event that the program has none of says nothing. */
		chosen = e == c->event ? n : chosen;
		if (!set_event(c, &line[n], e) && (graph_total(c->g, e) || e == c->event))
			n++;
	}
	if (!c->rd->err->kind && n <= FEW + 1 + c->rd->look->wide * n) {
		put_lines(c, line, n, COLUMNS);
		put_bounds(c);
	} else if (!c->rd->err->kind) {
		const struct line shown[] = {line[0], line[chosen]};

		put_lines(c, shown, 2, COLUMNS);
		put_bounds(c);
		put_others(c, line, n, chosen);
	}
	free(line);
	return c->rd->err->kind;
}

/* ---- callers and callees ---- */

static int dearer(const void *a, const void *b)
{
	const struct neighbour *x = a, *y = b;
	int c = cost_order(y->incl, x->incl);

	c = c ? c : order_u64(y->calls, x->calls);
	return c ? c : order_u64(x->fn, y->fn);
}

static struct neighbour neighbour_of(const struct card *c, uint32_t edge, bool caller)
{
	struct store_edge e;

	graph_edge(c->g, edge, &e);
	return (struct neighbour){.fn = caller ? e.caller : e.callee,
				  .edge = edge,
				  .incl = graph_edge_incl(c->g, edge, c->event),
				  .about = !graph_call_is_sure(c->g, edge),
				  .calls = e.calls};
}

/* The calls to or from the function, the dearest first; *n: how many. */
static struct neighbour *neighbours_of(struct card *c, bool callers, uint32_t *n)
{
	struct neighbour *all;
	uint32_t first = 0;

	if (callers)
		*n = graph_caller_count(c->g, c->f);
	else
		graph_callees(c->g, c->f, &first, n);
	if (!(all = calloc((size_t)*n + 1, sizeof(*all)))) {
		err_no_memory(c->rd->err, NULL);
		return NULL;
	}
	for (uint32_t i = 0; i < *n; i++)
		all[i] = neighbour_of(
			c, callers ? graph_caller(c->g, c->f, i) : first + i, callers);
	if (*n)
		qsort(all, *n, sizeof(*all), dearer);
	return all;
}

static void put_more(struct card *c, uint32_t n, int64_t incl, bool about,
		     const char *what)
{
	char cost[NUMBER_MAX + 2];

	if (n <= NEIGHBOURS)
		return;
	set_cost(c, cost, c->unit, incl, about);
	out_printf(c->rd->o, "and %s more: %.*s; %s of #%" PRIu32 "\n",
		   GROUPED(n - NEIGHBOURS), STR_ARG(str_trim(str_c(cost))), what,
		   graph_id(c->g, c->f));
}

/* What passes the function: the calls by others or, if that is more, its own cost and the calls
 * of others.  A call has the same share of it as `callers of` and `callees of` say: of incl. */
static int64_t passing(const struct card *c)
{
	int64_t called = 0, spent = graph_self(c->g, c->f, c->event);
	uint32_t first, n;

	graph_callees(c->g, c->f, &first, &n);
	for (uint32_t i = first; i < first + n; i++)
		if (graph_edge_callee(c->g, i) != c->f)
			cost_add(&spent, graph_edge_incl(c->g, i, c->event));
	for (uint32_t i = 0; i < graph_caller_count(c->g, c->f); i++) {
		const uint32_t edge = graph_caller(c->g, c->f, i);

		if (graph_edge_caller(c->g, edge) != c->f)
			cost_add(&called, graph_edge_incl(c->g, edge, c->event));
	}
	return called > spent ? called : spent;
}

/* A call of itself is inside others, as in a cycle others are: no share can be read off those
 * calls, 'callers of' estimates. */
static int put_neighbours(struct card *c, bool callers)
{
	const char *const what = callers ? "callers" : "callees";
	struct line line[NEIGHBOURS + 1] = {
		{{"calls", "incl", "share% of incl"}, {0}, {0}}};
	uint32_t n;
	struct neighbour *all = neighbours_of(c, callers, &n);
	const int64_t whole = graph_cycle(c->g, c->f) ? 0 : passing(c);
	int64_t rest = 0;
	bool about = false, rest_about = false; /* some cost is an estimate */

	if (!all)
		return c->rd->err->kind;
	for (uint32_t i = 0; i < n; i++) {
		about |= all[i].about;
		if (i < NEIGHBOURS)
			continue;
		cost_add(&rest, all[i].incl);
		rest_about |= all[i].about;
	}
	line[0].last = str_c(what);
	for (uint32_t i = 0; i < n && i < NEIGHBOURS; i++) {
		struct line *l = &line[i + 1];

		if (graph_calls_known(c->g, callers ? c->f : all[i].fn) &&
		    (all[i].calls || store_counts_zeros(c->g->st)))
			str_grouped(all[i].calls, l->cell[0]);
		else
			snprintf(l->cell[0], CELL, "-");
		set_cost(c, l->cell[1], c->unit, all[i].incl, all[i].about);
		set_share(l->cell[2], all[i].incl, all[i].fn == c->f ? 0 : whole, about);
		l->last =
			all[i].fn == c->f ? STR("(itself)") : graph_name(c->g, all[i].fn);
	}
	if (n) {
		out_char(c->rd->o, '\n');
		put_lines(c, line, 1 + (n < NEIGHBOURS ? n : NEIGHBOURS), 3);
		put_more(c, n, rest, rest_about, what);
	}
	free(all);
	return 0;
}

/* ---- the head ---- */

static void put_place(struct card *c)
{
	const enum emit_form form = cell_form(c->rd->look);
	struct out *o = c->rd->o;
	struct str file = graph_file(c->g, c->f), obj = graph_obj(c->g, c->f);
	uint64_t line = graph_line(c->g, c->f);

	out_printf(o, "#%" PRIu32, graph_id(c->g, c->f));
	if (!str_eq(file, STR("???"))) {
		out_c(o, "  ");
		emit_name(o, form, file);
		if (line)
			out_printf(o, ":%" PRIu64, line);
	}
	if (!str_eq(obj, STR("???"))) {
		out_c(o, "  ");
		emit_name(o, form, obj);
	}
	out_char(o, '\n');
}

static void put_count(struct out *o, uint64_t n, const char *one, const char *many)
{
	out_printf(o, "%s %s", GROUPED(n), n == 1 ? one : many);
}

/* The N of "f'N": Callgrind counts the activations of f from the Nth on apart. */
static struct str level_of(struct str name)
{
	size_t at = name.n;

	while (at > 0 && name.p[at - 1] >= '0' && name.p[at - 1] <= '9')
		at--;
	return at > 0 && name.p[at - 1] == '\'' ? str_from(name, at)
						: (struct str){"", 0};
}

static void put_calls(struct card *c)
{
	const struct str level = level_of(graph_name(c->g, c->f));
	struct out text, *const o = &text;
	const uint32_t cycle = graph_cycle(c->g, c->f);
	const bool inlined =
		!graph_calls_known(c->g, c->f) && store_counts_calls(c->g->st);
	uint32_t first, n;

	out_mem(o);
	if (graph_calls_counted(c->g, c->f))
		put_count(o, graph_calls(c->g, c->f), "call", "calls");
	else
		out_c(o, inlined ? "inlined" : "calls not counted");
	out_c(o, inlined ? " into " : " from ");
	put_count(o, graph_caller_count(c->g, c->f), "function", "functions");
	graph_callees(c->g, c->f, &first, &n);
	out_c(o, graph_calls_counted(c->g, c->f) ? ", to " : "; calls ");
	put_count(o, n, "function", "functions");
	if (graph_calls_itself(c->g, c->f))
		out_c(o, "; recursive: it calls itself");
	if (graph_calls_only(c->g, c->f))
		out_c(o, "; known by these calls only: self is their cost");
	if (level.n)
		out_printf(o, "; activations from level %.*s on", STR_ARG(level));
	if (cycle)
		out_printf(o, "; recursive: in cycle %" PRIu32, cycle);
	cell_lines(c->rd->o, c->rd->look, PAINT_NONE, out_text(&text),
		   c->rd->look->columns);
	out_close(o);
}

static int put_function(struct card *c)
{
	struct out *o = c->rd->o;

	if (session_graph_event(c->g, c->event, c->rd->err))
		return c->rd->err->kind;
	out_c(o, cell_paint(c->rd->look, PAINT_HEAD));
	emit_name(o, cell_form(c->rd->look), graph_name(c->g, c->f));
	out_c(o, cell_paint(c->rd->look, PAINT_NONE));
	out_char(o, '\n');
	put_place(c);
	put_calls(c);
	out_char(o, '\n');
	return put_costs(c) || put_neighbours(c, true) || put_neighbours(c, false)
		       ? c->rd->err->kind
		       : 0;
}

bool render_info_fits(const struct result *r)
{
	static const char *const whole[] = {"id",      "fn",	  "file",  "line",
					    "obj",     "cycle",	  "calls", "callers",
					    "callees", "incoming"};

	if (!r->card || !r->graph || r->base.n || strcmp(r->source, "info") != 0)
		return false;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		const struct column *c = result_col(r, str_c(whole[i]));

		if (!c || !c->table)
			return false;
	}
	return result_col(r, STR("id"))->type == COL_ID;
}

int render_info(struct render *rd)
{
	const struct result *r = rd->r;
	const struct column *id = result_col(r, STR("id"));
	struct card c = {.rd = rd, .g = r->graph, .event = r->event_id, .unit = r->unit};

	for (size_t row = 0; row < r->rows && !rd->err->kind; row++) {
		if (render_cancelled(rd, row))
			break;
		c.f = graph_of_store(c.g, (fn_id)id->u[row]);
		if (c.f == GRAPH_NONE)
			continue;
		if (row)
			out_char(rd->o, '\n');
		put_function(&c);
	}
	return rd->err->kind;
}
