/*
 * report.c - write the HTML report; see report.h.
 *
 * The data is one element each, a line per row (tabs and newlines in names are escaped):
 *
 *	d-events	name TAB long name TAB total
 *	d-strings	files and objects, by number
 *	d-functions	name TAB id calls cycle file object line listed nests, then per
 *			event self ..., inclusive ..., through - inclusive ..., root ...
 *			and, if it nests, the bounds lo ..., hi ... of inclusive
 *	d-calls		caller - the one before, callee, calls, inclusive cost per event
 *	d-parts		label TAB self cost per event
 *	d-tree		if the calls alone do not determine the tree of the whole program (it
 *			is a sum of parts, or functions were merged): per event "@event est
 *			own", then its frames, depth first: depth function est own, and for an
 *			estimate lo hi
 *
 * Functions and calls have a budget of bytes.  Rows of the answer come first, then the
 * costliest of any event.  The page says what is left out.
 */
#include "repl/render/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/path/path.h"
#include "repl/term/number.h"

enum {
	FUNCTION_BYTES = 3 << 20,
	CALL_BYTES = 3 << 20,
	PARTS_MAX = 20000,
	TREE_ROWS = 10000, /* per event */
	TREES_ROWS = 100000,
};

struct weighed {
	uint32_t id;
	double weight; /* the largest of its shares of the events */
};

struct report {
	struct render *rd;
	struct out *o;
	struct graph *g;
	uint32_t events;
	uint64_t *total;      /* [events] */
	bool *listed;	      /* [functions]: a row of the answer */
	uint32_t *place;      /* [functions]: line of d-functions, or GRAPH_NONE */
	struct weighed *rank; /* [the larger of functions and edges] */
	uint8_t *edge;	      /* [edges]: in the report */
	uint32_t *string;     /* [files + objects]: line of d-strings, or GRAPH_NONE */
	uint32_t nfunctions, nedges, nstrings;
	double most_left; /* the largest share of a call that was left out */
};

bool report_fits(const struct render *rd)
{
	static const char *const known[] = {
		"id",	     "self",   "incl",	"calls", "fn",
		"file",	     "line",   "obj",	"cycle", "contribution",
		"incoming",  "short",  "self%", "cum%",	 "incl%",
		"file:line", "change", "lo",	"hi",	 "estimated",
	};
	const struct result *r = rd->r;
	const struct column *id = result_col(r, STR("id")),
			    *fn = result_col(r, STR("fn"));

	if (!r->graph || !id || id->type != COL_ID || !fn || fn->type != COL_NAME ||
	    strcmp(r->source, "functions") != 0)
		return false;
	for (size_t i = 0; i < r->ncols; i++) {
		size_t k = 0, n = sizeof(known) / sizeof(known[0]);

		while (k < n && !str_eq(r->cols[i].name, str_c(known[k])))
			k++;
		if (k == n)
			return false;
	}
	return true;
}

/* ---- what goes in ---- */

static int heavier(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

static double share_of_event(const struct report *p, uint32_t e, uint64_t cost)
{
	return p->total[e] ? (double)cost / (double)p->total[e] : 0;
}

static void choose_functions(struct report *p)
{
	size_t left = FUNCTION_BYTES;
	uint32_t n = p->g->functions;

	for (uint32_t f = 0; f < n && !render_cancelled(p->rd, f); f++) {
		struct weighed *w = &p->rank[f];

		*w = (struct weighed){f, p->listed[f] ? 2 : 0};
		for (uint32_t e = 0; e < p->events; e++) {
			double s = share_of_event(p, e, graph_incl(p->g, f, e));

			w->weight = s + (p->listed[f] ? 2 : 0) > w->weight
					    ? s + (p->listed[f] ? 2 : 0)
					    : w->weight;
		}
	}
	qsort(p->rank, n, sizeof(*p->rank), heavier);
	for (uint32_t i = 0; i < n; i++) {
		size_t bytes =
			graph_name(p->g, p->rank[i].id).n + 40 + (size_t)p->events * 16;

		p->place[p->rank[i].id] = bytes <= left ? p->nfunctions++ : GRAPH_NONE;
		left = bytes <= left ? left - bytes : 0;
	}
	/* In the order of the graph, which keeps functions of the same name together. */
	p->nfunctions = 0;
	for (uint32_t f = 0; f < n; f++)
		if (p->place[f] != GRAPH_NONE)
			p->place[f] = p->nfunctions++;
}

static void choose_calls(struct report *p)
{
	size_t most = CALL_BYTES / (18 + (size_t)p->events * 8);
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->g->edges && !render_cancelled(p->rd, i); i++) {
		struct store_edge x;
		struct weighed *w = &p->rank[n];

		graph_edge(p->g, i, &x);
		if (p->place[x.caller] == GRAPH_NONE || p->place[x.callee] == GRAPH_NONE)
			continue;
		*w = (struct weighed){i, 0};
		for (uint32_t e = 0; e < p->events; e++) {
			double s = share_of_event(p, e, graph_edge_incl(p->g, i, e));

			w->weight = s > w->weight ? s : w->weight;
		}
		n++;
	}
	qsort(p->rank, n, sizeof(*p->rank), heavier);
	if (n > most)
		p->most_left = p->rank[most].weight;
	p->nedges = n < most ? n : (uint32_t)most;
	for (uint32_t i = 0; i < p->nedges; i++)
		p->edge[p->rank[i].id] = 1;
}

/* ---- the data ---- */

static void open_data(struct report *p, const char *id)
{
	out_printf(p->o, "<pre id=\"%s\" hidden>\n", id);
}

static void close_data(struct report *p)
{
	out_c(p->o, "</pre>\n");
}

static void put_number(struct report *p, uint64_t v)
{
	out_char(p->o, ' ');
	out_u64(p->o, v);
}

static void put_events(struct report *p)
{
	open_data(p, "d-events");
	for (uint32_t e = 0; e < p->events; e++) {
		struct store_event ev;

		store_event(p->g->st, e, &ev);
		emit_name(p->o, EMIT_XML, ev.name);
		out_char(p->o, '\t');
		emit_name(p->o, EMIT_XML, ev.long_name);
		if (ev.formula.n) {
			out_c(p->o, ev.long_name.n ? " = " : "= ");
			emit_name(p->o, EMIT_XML, ev.formula);
		}
		out_char(p->o, '\t');
		out_u64(p->o, p->total[e]);
		out_char(p->o, '\n');
	}
	close_data(p);
}

/* The number of a file or object, assigned at its first use. */
static uint32_t string_of(struct report *p, struct out *strings, uint32_t key,
			  struct str s)
{
	if (p->string[key] == GRAPH_NONE) {
		p->string[key] = p->nstrings++;
		emit_name(strings, EMIT_XML, s);
		out_char(strings, '\n');
	}
	return p->string[key];
}

/* Write the cost through f less its inclusive cost, mostly 0, or the cost that no call
 * brought. */
static void put_through(struct report *p, uint32_t f, bool roots)
{
	for (uint32_t e = 0; e < p->events; e++) {
		uint64_t incl = graph_incl(p->g, f, e), root;
		uint64_t through = graph_through(p->g, f, e, &root);

		put_number(p, roots ? root : through > incl ? through - incl : 0);
	}
}

static void put_bounds(struct report *p, uint32_t f)
{
	for (int high = 0; high <= 1; high++)
		for (uint32_t e = 0; e < p->events; e++) {
			uint64_t lo, hi;

			graph_incl_bounds(p->g, f, e, &lo, &hi);
			put_number(p, high ? hi : lo);
		}
}

/* A function merged by a stage has its own name, and may be from several files. */
static void put_function(struct report *p, struct out *strings, uint32_t f)
{
	const struct graph *g = p->g;
	uint32_t at = g->plain ? f : g->origin[f];
	uint32_t files = store_info(g->st)->files;

	emit_name(p->o, EMIT_XML, graph_name(g, f));
	out_printf(p->o, "\t%" PRIu32, graph_id(g, f));
	put_number(p, graph_calls(g, f));
	put_number(p, graph_cycle(g, f));
	put_number(p, graph_is(g, f, GRAPH_FILES)
			      ? UINT32_MAX
			      : string_of(p, strings, store_fn_file_id(g->st, at),
					  graph_file(g, f)));
	put_number(p, graph_is(g, f, GRAPH_OBJECTS)
			      ? UINT32_MAX
			      : string_of(p, strings, files + store_fn_obj_id(g->st, at),
					  graph_obj(g, f)));
	put_number(p, graph_line(g, f));
	put_number(p, p->listed[f]);
	put_number(p, graph_incl_estimated(g, f));
	for (uint32_t e = 0; e < p->events; e++)
		put_number(p, graph_self(g, f, e));
	for (uint32_t e = 0; e < p->events; e++)
		put_number(p, graph_incl(g, f, e));
	put_through(p, f, false);
	put_through(p, f, true);
	if (graph_incl_estimated(g, f))
		put_bounds(p, f);
	out_char(p->o, '\n');
}

static void put_function_rows(struct report *p)
{
	struct out strings;

	out_mem(&strings);
	open_data(p, "d-functions");
	for (uint32_t f = 0; f < p->g->functions && !render_cancelled(p->rd, f); f++)
		if (p->place[f] != GRAPH_NONE)
			put_function(p, &strings, f);
	close_data(p);
	open_data(p, "d-strings");
	out_bytes(p->o, strings.buf, strings.n);
	close_data(p);
	if (strings.failed)
		err_no_memory(p->rd->err, NULL);
	out_close(&strings);
}

static void put_calls(struct report *p)
{
	uint32_t before = 0;

	open_data(p, "d-calls");
	for (uint32_t i = 0; i < p->g->edges && !render_cancelled(p->rd, i); i++) {
		struct store_edge x;

		if (!p->edge[i])
			continue;
		graph_edge(p->g, i, &x);
		out_u64(p->o, p->place[x.caller] - before);
		before = p->place[x.caller];
		put_number(p, p->place[x.callee]);
		put_number(p, x.calls);
		for (uint32_t e = 0; e < p->events; e++)
			put_number(p, graph_edge_incl(p->g, i, e));
		out_char(p->o, '\n');
	}
	close_data(p);
}

/* After graph stages the costs of parts are unknown: then there is no timeline. */
static void put_parts(struct report *p)
{
	struct store *st = p->g->st;
	uint32_t n = p->g->plain ? store_info(st)->parts : 0;

	open_data(p, "d-parts");
	for (uint32_t i = 0; i < n && n > 1 && n <= PARTS_MAX; i++) {
		struct store_part part;

		store_part(st, i, &part);
		out_printf(p->o, "part %" PRIu64, part.part);
		if (part.thread)
			out_printf(p->o, ", thread %" PRIu64, part.thread);
		if (part.trigger.n) {
			out_c(p->o, ", ");
			emit_name(p->o, EMIT_XML, part.trigger);
		}
		out_char(p->o, '\t');
		for (uint32_t e = 0; e < p->events; e++) {
			out_c(p->o, e ? " " : "");
			out_u64(p->o, store_part_self(st, i, e));
		}
		out_char(p->o, '\n');
	}
	close_data(p);
}

/* ---- the tree ---- */

static bool tree_knows_more(const struct report *p)
{
	const struct graph *g = p->g;
	uint32_t n = 0;

	for (uint32_t i = 0; i < store_info(g->st)->parts; i++)
		n += !g->parts || g->parts[i];
	return p->rd->session && (n > 1 || g->group);
}

static void put_frame(struct report *p, const struct path_tree_row *r)
{
	out_u64(p->o, r->depth);
	put_number(p, p->place[r->fn]);
	put_number(p, r->est);
	put_number(p, r->own);
	if (!r->cost.measured) {
		put_number(p, r->cost.lo);
		put_number(p, r->cost.hi);
	}
	out_char(p->o, '\n');
}

/* Leave out the frames of functions that are not in the report, with all frames on
 * them. */
static int put_tree(struct report *p, uint32_t e, uint32_t rows, struct arena *a)
{
	struct path_tree t;
	uint32_t out = UINT32_MAX; /* depth of the frame being left out */

	if (session_program_tree(p->rd->session, p->rd->r, e, rows, a, &t, p->rd->err))
		return (int)p->rd->err->kind;
	out_printf(p->o, "@%" PRIu32, e);
	put_number(p, t.est);
	put_number(p, t.own);
	out_char(p->o, '\n');
	for (size_t i = 0; i < t.n && !render_cancelled(p->rd, i); i++) {
		const struct path_tree_row *r = &t.rows[i];

		if (r->inner || r->depth > out)
			continue;
		out = p->place[r->fn] == GRAPH_NONE ? r->depth : UINT32_MAX;
		if (out == UINT32_MAX)
			put_frame(p, r);
	}
	return (int)p->rd->err->kind;
}

static int put_trees(struct report *p)
{
	uint32_t rows = TREES_ROWS / (p->events ? p->events : 1);
	bool more = tree_knows_more(p);
	struct arena a;
	int rc = 0;

	open_data(p, "d-tree");
	arena_init(&a, p->g->a->cap);
	for (uint32_t e = more ? 0 : p->events; !rc && e < p->events; e++)
		if (p->total[e]) {
			rc = put_tree(p, e, rows < TREE_ROWS ? rows : TREE_ROWS, &a);
			arena_reset(&a);
		}
	arena_free(&a);
	close_data(p);
	return rc;
}

/* ---- what is to be said ---- */

static void say_functions(struct report *p)
{
	uint32_t left = p->g->functions - p->nfunctions, e = p->rd->r->event_id;
	char out[NUMBER_MAX], all[NUMBER_MAX], percent[NUMBER_MAX];
	double cost = 0;

	if (!left)
		return;
	for (uint32_t f = 0; f < p->g->functions; f++)
		if (p->place[f] == GRAPH_NONE)
			cost += share_of_event(p, e, graph_self(p->g, f, e));
	number_grouped(out, left);
	number_grouped(all, p->g->functions);
	number_percent(percent, 100 * cost);
	out_printf(p->o, "<p>Left out: the %s cheapest of %s functions, with ", out, all);
	emit_name(p->o, EMIT_XML, str_c(percent)); /* "<0.01%" */
	out_c(p->o, " of ");
	emit_name(p->o, EMIT_XML, p->rd->r->event);
	out_c(p->o, " self cost together, and their calls.</p>\n");
}

static void say_calls(struct report *p, uint32_t between)
{
	char out[NUMBER_MAX], all[NUMBER_MAX], percent[NUMBER_MAX];

	if (p->nedges == between)
		return;
	number_grouped(out, between - p->nedges);
	number_grouped(all, between);
	number_percent(percent, 100 * p->most_left);
	out_printf(p->o,
		   "<p>Left out: the %s cheapest of %s calls between functions; none is"
		   " more than ",
		   out, all);
	emit_name(p->o, EMIT_XML, str_c(percent));
	out_c(p->o, " of any event.</p>\n");
}

/* The same in one line, for stderr. */
static void note_left_out(struct report *p, uint32_t between)
{
	const struct store_info *info = store_info(p->g->st);
	struct render *rd = p->rd;
	const char *and = "left out of the report: ";
	size_t n = 0;
	struct {
		uint32_t out, of;
		const char *what;
	} left[] = {
		{p->g->functions - p->nfunctions, p->g->functions, "functions"},
		{between - p->nedges, between, "calls between functions"},
		{p->g->plain && info->parts > PARTS_MAX ? info->parts : 0, info->parts,
		 "parts in the timeline"},
	};

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		char out[NUMBER_MAX], all[NUMBER_MAX];

		if (!left[i].out)
			continue;
		number_grouped(out, left[i].out);
		number_grouped(all, left[i].of);
		n += (size_t)snprintf(rd->note + n, sizeof(rd->note) - n, "%s%s of %s %s",
				      and, out, all, left[i].what);
		and = ", ";
	}
}

static void put_notes(struct report *p)
{
	const struct result *r = p->rd->r;
	const struct store_info *info = store_info(p->g->st);
	uint32_t between = 0;

	for (uint32_t i = 0; i < p->g->edges; i++) {
		struct store_edge x;

		graph_edge(p->g, i, &x);
		between += p->place[x.caller] != GRAPH_NONE &&
			   p->place[x.callee] != GRAPH_NONE;
	}
	note_left_out(p, between);
	if (p->nfunctions == p->g->functions && p->nedges == between && !r->nfilters &&
	    !p->g->estimated && !info->truncated && !info->saturated &&
	    info->parts <= PARTS_MAX)
		return;
	out_c(p->o, "<section class=\"card notes\" id=\"notes\" role=\"note\">\n");
	say_functions(p);
	say_calls(p, between);
	if (p->g->plain && info->parts > PARTS_MAX)
		out_printf(p->o, "<p>Left out: the timeline of %" PRIu32 " parts.</p>\n",
			   info->parts);
	if (r->nfilters) {
		out_c(p->o, "<p>The call graph was changed by:");
		for (size_t i = 0; i < r->nfilters; i++) {
			out_c(p->o, i ? " | <code>" : " <code>");
			emit_name(p->o, EMIT_XML, r->filters[i]);
			out_c(p->o, "</code>");
		}
		out_c(p->o, "</p>\n");
	}
	if (p->g->estimated)
		out_c(p->o,
		      "<p>Costs marked ~ are estimates: a stage shared them out.</p>\n");
	if (info->truncated)
		out_c(p->o,
		      "<p>The profile is cut off: the costs are of what is there.</p>\n");
	if (info->saturated)
		out_c(p->o, "<p>A sum was too large for 64 bits and stands at the most"
			    " that they hold.</p>\n");
	out_c(p->o, "</section>\n");
}

static int put_body(struct report *p)
{
	const struct result *r = p->rd->r;
	const struct str html = str_c(report_html), mark = STR("<!-- notes -->\n");
	size_t at = str_find_str(html, mark);

	out_bytes(p->o, html.p, at);
	put_notes(p);
	out_str(p->o, str_from(html, at + mark.n));
	out_c(p->o, "<div id=\"d-about\" hidden data-event=\"");
	emit_name(p->o, EMIT_XML, r->event);
	out_c(p->o, "\" data-profile=\"");
	emit_name(p->o, EMIT_XML, r->profile);
	out_c(p->o, p->g->estimated ? "\" data-estimated=\"\"></div>\n" : "\"></div>\n");
	put_events(p);
	put_function_rows(p);
	put_calls(p);
	put_parts(p);
	if (put_trees(p))
		return (int)p->rd->err->kind;
	out_c(p->o, "<script>\n");
	out_c(p->o, report_js);
	out_c(p->o, "</script>\n</body>\n</html>\n");
	return 0;
}

/* ---- */

static int prepare_report(struct report *p)
{
	const struct column *id = result_col(p->rd->r, STR("id"));
	const struct store_info *info = store_info(p->g->st);
	size_t functions = p->g->functions, edges = p->g->edges;
	size_t strings = (size_t)info->files + info->objects;

	p->events = info->all_events;
	p->total = calloc((size_t)p->events + 1, sizeof(*p->total));
	p->listed = calloc(functions + 1, sizeof(*p->listed));
	p->place = calloc(functions + 1, sizeof(*p->place));
	p->edge = calloc(edges + 1, 1);
	p->string = malloc((strings + 1) * sizeof(*p->string));
	p->rank = calloc((functions > edges ? functions : edges) + 1, sizeof(*p->rank));
	if (!p->total || !p->listed || !p->place || !p->edge || !p->string || !p->rank)
		return err_no_memory(p->rd->err, "for a report");
	memset(p->string, 0xff, (strings + 1) * sizeof(*p->string));
	for (uint32_t e = 0; e < p->events; e++) {
		if (graph_event(p->g, e, p->rd->err))
			return (int)p->rd->err->kind;
		p->total[e] = graph_total(p->g, e);
	}
	for (size_t i = 0; i < p->rd->r->rows; i++) {
		uint32_t f = id->u[i] < info->functions
				     ? graph_of_store(p->g, (fn_id)id->u[i])
				     : GRAPH_NONE;

		if (f != GRAPH_NONE)
			p->listed[f] = true;
	}
	return 0;
}

int report_put(struct render *rd)
{
	struct report p = {.rd = rd, .o = rd->o, .g = rd->r->graph};

	if (prepare_report(&p) == 0) {
		choose_functions(&p);
		choose_calls(&p);
		if (!put_body(&p))
			store_check(p.g->st, rd->err);
	}
	free(p.total);
	free(p.listed);
	free(p.place);
	free(p.edge);
	free(p.string);
	free(p.rank);
	return (int)rd->err->kind;
}
