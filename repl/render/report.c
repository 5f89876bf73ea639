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
 *	d-parts-base, d-tree-base	of two profiles: the same of the base
 *
 * Of two profiles, events have the total in the base as well, or nothing if it has no such
 * event.  A function also has TAB "calls nests self ... inclusive ... through ... root ...
 * [lo ... hi ...]" of the base, nothing if it is new; and TAB its other name if that
 * differs.  If it is gone, its costs here are nothing, too: "id 0 cycle ... nests".  A call
 * also has its calls and inclusive costs in the base.
 *
 * Functions and calls have a budget of bytes.  Rows of the answer come first, then the
 * costliest of any event.  The page says what is left out.
 */
#include "repl/render/report.h"

#include <inttypes.h>
#include <math.h>
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

/* A profile: this one, or the base. */
struct side {
	struct graph *g;
	uint32_t *event; /* [events]: its number there, or GRAPH_NONE */
	uint64_t *total; /* [events] */
	uint32_t *place; /* [functions]: line of d-functions, or GRAPH_NONE */
};

/* A function or a call in both; GRAPH_NONE: not there. */
struct matched {
	uint32_t in[2];
};

struct call {
	uint32_t from, to; /* lines of d-functions */
	struct matched edge;
	double weight;
};

struct report {
	struct render *rd;
	struct out *o;
	struct side side[2];
	unsigned sides; /* 2: of two profiles */
	uint32_t events;
	uint32_t *row;	    /* [all]: 1 + row of the answer; 0: none */
	struct matched *fn; /* [all]: the functions of this profile, and then those
				 that are gone */
	uint32_t all;
	uint32_t *place;    /* [all]: line of d-functions, or GRAPH_NONE */
	struct call *calls; /* [between]: of functions in the report, the costliest first;
			       then [ncalls] in order */
	uint32_t *string;   /* [files + objects], of each side: line of d-strings */
	uint32_t nfunctions, between, ncalls, nstrings;
	double most_left; /* the largest share of a call that was left out */
};

bool report_fits(const struct render *rd)
{
	static const char *const known[] = {
		"id",	     "self",   "incl",	 "calls", "fn",
		"file",	     "line",   "obj",	 "cycle", "contribution",
		"incoming",  "short",  "self%",	 "cum%",  "incl%",
		"file:line", "change", "lo",	 "hi",	  "estimated",
		"base",	     "delta",  "delta%", "was",	  "rule",
	};
	const struct result *r = rd->r;
	const struct column *id = result_col(r, STR("id")),
			    *fn = result_col(r, STR("fn"));

	if (!r->graph || (r->base.n && !r->compared) || !id || id->type != COL_ID ||
	    !fn || fn->type != COL_NAME || strcmp(r->source, "functions") != 0)
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

static double share(const struct report *p, unsigned s, uint32_t e, uint64_t cost)
{
	const uint64_t total = p->side[s].total[e];

	return total ? (double)cost / (double)total : 0;
}

/* The self or inclusive cost of a function, 0 if it is not there. */
static uint64_t fn_cost(const struct report *p, unsigned s, uint32_t f, uint32_t e,
			bool self)
{
	const struct side *d = &p->side[s];

	if (f == GRAPH_NONE || d->event[e] == GRAPH_NONE)
		return 0;
	return self ? graph_self(d->g, f, d->event[e]) : graph_incl(d->g, f, d->event[e]);
}

static uint64_t call_cost(const struct report *p, unsigned s, uint32_t edge, uint32_t e)
{
	const struct side *d = &p->side[s];

	return edge == GRAPH_NONE || d->event[e] == GRAPH_NONE
		       ? 0
		       : graph_edge_incl(d->g, edge, d->event[e]);
}

static double weight_of_fn(const struct report *p, uint32_t i)
{
	double weight = 0;

	for (unsigned s = 0; s < p->sides; s++)
		for (uint32_t e = 0; e < p->events; e++)
			weight = fmax(
				weight,
				share(p, s, e, fn_cost(p, s, p->fn[i].in[s], e, false)));
	return weight + (p->row[i] ? 2 : 0);
}

static struct str name_of(const struct report *p, const struct matched *m)
{
	const unsigned s = m->in[0] == GRAPH_NONE;

	return graph_name(p->side[s].g, m->in[s]);
}

static int choose_functions(struct report *p)
{
	struct weighed *rank = calloc((size_t)p->all + 1, sizeof(*rank));
	size_t left = FUNCTION_BYTES;

	if (!rank)
		return err_no_memory(p->rd->err, "for a report");
	for (uint32_t i = 0; i < p->all && !render_cancelled(p->rd, i); i++)
		rank[i] = (struct weighed){i, weight_of_fn(p, i)};
	qsort(rank, p->all, sizeof(*rank), heavier);
	for (uint32_t i = 0; i < p->all; i++) {
		size_t bytes = name_of(p, &p->fn[rank[i].id]).n + 40 +
			       (size_t)p->events * 16 * p->sides;

		p->place[rank[i].id] = bytes <= left ? 0 : GRAPH_NONE;
		left = bytes <= left ? left - bytes : 0;
	}
	free(rank);
	/* In the order of the graph, which keeps functions of the same name together. */
	for (uint32_t i = 0; i < p->all; i++) {
		if (p->place[i] != GRAPH_NONE)
			p->place[i] = p->nfunctions++;
		for (unsigned s = 0; s < p->sides; s++)
			if (p->fn[i].in[s] != GRAPH_NONE)
				p->side[s].place[p->fn[i].in[s]] = p->place[i];
	}
	return 0;
}

static int calls_in_order(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int calls_by_weight(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return calls_in_order(a, b);
}

static void add_calls(struct report *p, unsigned s)
{
	const struct side *d = &p->side[s];

	for (uint32_t i = 0; i < d->g->edges && !render_cancelled(p->rd, i); i++) {
		struct call *c = &p->calls[p->between];
		struct store_edge x;

		graph_edge(d->g, i, &x);
		*c = (struct call){.from = d->place[x.caller], .to = d->place[x.callee]};
		if (c->from == GRAPH_NONE || c->to == GRAPH_NONE)
			continue;
		c->edge = (struct matched){{GRAPH_NONE, GRAPH_NONE}};
		c->edge.in[s] = i;
		for (uint32_t e = 0; e < p->events; e++)
			c->weight =
				fmax(c->weight, share(p, s, e, call_cost(p, s, i, e)));
		p->between++;
	}
}

/* A call that both profiles have becomes one. */
static void match_calls(struct report *p)
{
	uint32_t n = 0;

	qsort(p->calls, p->between, sizeof(*p->calls), calls_in_order);
	for (uint32_t i = 0; i < p->between; i++) {
		struct call *to = n ? &p->calls[n - 1] : NULL, *c = &p->calls[i];
		const unsigned s = c->edge.in[0] == GRAPH_NONE;

		if (!to || calls_in_order(to, c) || to->edge.in[s] != GRAPH_NONE) {
			p->calls[n++] = *c;
			continue;
		}
		to->edge.in[s] = c->edge.in[s];
		to->weight = fmax(to->weight, c->weight);
	}
	p->between = n;
}

static int choose_calls(struct report *p)
{
	size_t most = CALL_BYTES / (18 + (size_t)p->events * 8 * p->sides);
	size_t edges = 1;

	for (unsigned s = 0; s < p->sides; s++)
		edges += p->side[s].g->edges;
	if (!(p->calls = calloc(edges, sizeof(*p->calls))))
		return err_no_memory(p->rd->err, "for a report");
	for (unsigned s = 0; s < p->sides; s++)
		add_calls(p, s);
	match_calls(p);
	qsort(p->calls, p->between, sizeof(*p->calls), calls_by_weight);
	if (p->between > most)
		p->most_left = p->calls[most].weight;
	p->ncalls = p->between < most ? p->between : (uint32_t)most;
	qsort(p->calls, p->ncalls, sizeof(*p->calls), calls_in_order);
	return 0;
}

/* ---- the data ---- */

static void open_data(struct report *p, const char *id, unsigned s)
{
	out_printf(p->o, "<pre id=\"%s%s\" hidden>\n", id, s ? "-base" : "");
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
	open_data(p, "d-events", 0);
	for (uint32_t e = 0; e < p->events; e++) {
		struct store_event ev;

		store_event(p->side[0].g->st, e, &ev);
		emit_name(p->o, EMIT_XML, ev.name);
		out_char(p->o, '\t');
		emit_name(p->o, EMIT_XML, ev.long_name);
		if (ev.formula.n) {
			out_c(p->o, ev.long_name.n ? " = " : "= ");
			emit_name(p->o, EMIT_XML, ev.formula);
		}
		out_char(p->o, '\t');
		out_u64(p->o, p->side[0].total[e]);
		if (p->sides > 1) {
			out_char(p->o, '\t');
			if (p->side[1].event[e] != GRAPH_NONE)
				out_u64(p->o, p->side[1].total[e]);
		}
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
static void put_through(struct report *p, unsigned s, uint32_t f, bool roots)
{
	const struct side *d = &p->side[s];

	for (uint32_t e = 0; e < p->events; e++) {
		uint64_t incl = fn_cost(p, s, f, e, false), root = 0, through = 0;

		if (d->event[e] != GRAPH_NONE)
			through = graph_through(d->g, f, d->event[e], &root);
		put_number(p, roots ? root : through > incl ? through - incl : 0);
	}
}

static void put_bounds(struct report *p, unsigned s, uint32_t f)
{
	const struct side *d = &p->side[s];

	for (int high = 0; high <= 1; high++)
		for (uint32_t e = 0; e < p->events; e++) {
			uint64_t lo = 0, hi = 0;

			if (d->event[e] != GRAPH_NONE)
				graph_incl_bounds(d->g, f, d->event[e], &lo, &hi);
			put_number(p, high ? hi : lo);
		}
}

/* Whether it may nest, and its costs. */
static void put_costs(struct report *p, unsigned s, uint32_t f)
{
	const bool nests = graph_incl_estimated(p->side[s].g, f);

	put_number(p, nests);
	for (uint32_t e = 0; e < p->events; e++)
		put_number(p, fn_cost(p, s, f, e, true));
	for (uint32_t e = 0; e < p->events; e++)
		put_number(p, fn_cost(p, s, f, e, false));
	put_through(p, s, f, false);
	put_through(p, s, f, true);
	if (nests)
		put_bounds(p, s, f);
}

/* A function merged by a stage has its own name, and may be from several files. */
static void put_where(struct report *p, struct out *strings, unsigned s, uint32_t f)
{
	const struct graph *g = p->side[s].g;
	const struct store_info *info = store_info(g->st);
	uint32_t at = g->plain ? f : g->origin[f], first = 0;

	if (s)
		first = store_info(p->side[0].g->st)->files +
			store_info(p->side[0].g->st)->objects;
	put_number(p, graph_is(g, f, GRAPH_FILES)
			      ? UINT32_MAX
			      : string_of(p, strings, first + store_fn_file_id(g->st, at),
					  graph_file(g, f)));
	put_number(p,
		   graph_is(g, f, GRAPH_OBJECTS)
			   ? UINT32_MAX
			   : string_of(p, strings,
				       first + info->files + store_fn_obj_id(g->st, at),
				       graph_obj(g, f)));
	put_number(p, graph_line(g, f));
}

/* The other name, file or object of a function that was paired by a rule. */
static struct str was(const struct report *p, uint32_t i)
{
	const struct column *c = result_col(p->rd->r, STR("was"));
	const struct matched *m = &p->fn[i];
	struct str here, there;

	if (m->in[0] == GRAPH_NONE || m->in[1] == GRAPH_NONE)
		return STR("");
	if (p->row[i] && c && c->type == COL_NAME)
		return c->s[p->row[i] - 1];
	here = graph_name(p->side[0].g, m->in[0]);
	there = graph_name(p->side[1].g, m->in[1]);
	return str_eq(here, there) ? STR("") : there;
}

static void put_base_costs(struct report *p, uint32_t i)
{
	const uint32_t f = p->fn[i].in[1];

	out_char(p->o, '\t');
	if (f != GRAPH_NONE) {
		out_u64(p->o, graph_calls(p->side[1].g, f));
		put_costs(p, 1, f);
	}
	out_char(p->o, '\t');
	emit_name(p->o, EMIT_XML, was(p, i));
}

static void put_function(struct report *p, struct out *strings, uint32_t i)
{
	const unsigned s = p->fn[i].in[0] == GRAPH_NONE;
	const uint32_t f = p->fn[i].in[s];
	const struct graph *g = p->side[s].g;

	emit_name(p->o, EMIT_XML, graph_name(g, f));
	out_printf(p->o, "\t%" PRIu32, graph_id(g, f));
	put_number(p, s ? 0 : graph_calls(g, f));
	put_number(p, graph_cycle(g, f));
	put_where(p, strings, s, f);
	put_number(p, p->row[i] > 0);
	if (!s)
		put_costs(p, 0, f);
	if (p->sides > 1)
		put_base_costs(p, i);
	out_char(p->o, '\n');
}

static void put_function_rows(struct report *p)
{
	struct out strings;

	out_mem(&strings);
	open_data(p, "d-functions", 0);
	for (uint32_t i = 0; i < p->all && !render_cancelled(p->rd, i); i++)
		if (p->place[i] != GRAPH_NONE)
			put_function(p, &strings, i);
	close_data(p);
	open_data(p, "d-strings", 0);
	out_bytes(p->o, strings.buf, strings.n);
	close_data(p);
	if (strings.failed)
		err_no_memory(p->rd->err, NULL);
	out_close(&strings);
}

static void put_call_costs(struct report *p, unsigned s, uint32_t edge)
{
	struct store_edge x = {0};

	if (edge != GRAPH_NONE)
		graph_edge(p->side[s].g, edge, &x);
	put_number(p, x.calls);
	for (uint32_t e = 0; e < p->events; e++)
		put_number(p, call_cost(p, s, edge, e));
}

static void put_calls(struct report *p)
{
	uint32_t before = 0;

	open_data(p, "d-calls", 0);
	for (uint32_t i = 0; i < p->ncalls && !render_cancelled(p->rd, i); i++) {
		const struct call *c = &p->calls[i];

		out_u64(p->o, c->from - before);
		before = c->from;
		put_number(p, c->to);
		for (unsigned s = 0; s < p->sides; s++)
			put_call_costs(p, s, c->edge.in[s]);
		out_char(p->o, '\n');
	}
	close_data(p);
}

static void put_part(struct report *p, unsigned s, uint32_t i)
{
	const struct side *d = &p->side[s];
	struct store_part part;

	store_part(d->g->st, i, &part);
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
		out_u64(p->o, d->event[e] == GRAPH_NONE
				      ? 0
				      : store_part_self(d->g->st, i, d->event[e]));
	}
	out_char(p->o, '\n');
}

/* After graph stages the costs of parts are unknown: then there is no timeline. */
static void put_parts(struct report *p, unsigned s)
{
	const struct graph *g = p->side[s].g;
	uint32_t n = g->plain ? store_info(g->st)->parts : 0;

	open_data(p, "d-parts", s);
	for (uint32_t i = 0; i < n && n > 1 && n <= PARTS_MAX; i++)
		put_part(p, s, i);
	close_data(p);
}

/* ---- the tree ---- */

static bool tree_knows_more(const struct report *p, const struct graph *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < store_info(g->st)->parts; i++)
		n += !g->parts || g->parts[i];
	return p->rd->session && (n > 1 || g->group);
}

static void put_frame(struct report *p, const struct side *d,
		      const struct path_tree_row *r)
{
	out_u64(p->o, r->depth);
	put_number(p, d->place[r->fn]);
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
static int put_tree(struct report *p, const struct side *d, uint32_t e, uint32_t rows,
		    struct arena *a)
{
	struct path_tree t;
	uint32_t out = UINT32_MAX; /* depth of the frame being left out */

	if (session_program_tree(p->rd->session, d->g, d->event[e], rows, a, &t,
				 p->rd->err))
		return (int)p->rd->err->kind;
	out_printf(p->o, "@%" PRIu32, e);
	put_number(p, t.est);
	put_number(p, t.own);
	out_char(p->o, '\n');
	for (size_t i = 0; i < t.n && !render_cancelled(p->rd, i); i++) {
		const struct path_tree_row *r = &t.rows[i];

		if (r->inner || r->depth > out)
			continue;
		out = d->place[r->fn] == GRAPH_NONE ? r->depth : UINT32_MAX;
		if (out == UINT32_MAX)
			put_frame(p, d, r);
	}
	return (int)p->rd->err->kind;
}

static int put_trees(struct report *p, unsigned s)
{
	const struct side *d = &p->side[s];
	uint32_t rows = TREES_ROWS / p->sides / (p->events ? p->events : 1);
	bool more = tree_knows_more(p, d->g);
	struct arena a;
	int rc = 0;

	open_data(p, "d-tree", s);
	arena_init(&a, d->g->a->cap);
	for (uint32_t e = more ? 0 : p->events; !rc && e < p->events; e++)
		if (d->total[e]) {
			rc = put_tree(p, d, e, rows < TREE_ROWS ? rows : TREE_ROWS, &a);
			arena_reset(&a);
		}
	arena_free(&a);
	close_data(p);
	return rc;
}

/* ---- what is to be said ---- */

static void say_share(struct report *p, unsigned s, const char *before)
{
	const uint32_t e = p->rd->r->event_id;
	char percent[NUMBER_MAX];
	double cost = 0;

	for (uint32_t i = 0; i < p->all; i++)
		if (p->place[i] == GRAPH_NONE)
			cost += share(p, s, e, fn_cost(p, s, p->fn[i].in[s], e, true));
	number_percent(percent, 100 * cost);
	out_c(p->o, before);
	emit_name(p->o, EMIT_XML, str_c(percent)); /* "<0.01%" */
}

static void say_functions(struct report *p)
{
	char out[NUMBER_MAX], all[NUMBER_MAX];

	if (p->nfunctions == p->all)
		return;
	number_grouped(out, p->all - p->nfunctions);
	number_grouped(all, p->all);
	out_printf(p->o, "<p>Left out: the %s cheapest of %s functions, with ", out, all);
	say_share(p, 0, "");
	if (p->sides > 1)
		say_share(p, 1, " here and, in the base, ");
	out_c(p->o, " of ");
	emit_name(p->o, EMIT_XML, p->rd->r->event);
	out_c(p->o, " self cost together, and their calls.</p>\n");
}

static void say_calls(struct report *p)
{
	char out[NUMBER_MAX], all[NUMBER_MAX], percent[NUMBER_MAX];

	if (p->ncalls == p->between)
		return;
	number_grouped(out, p->between - p->ncalls);
	number_grouped(all, p->between);
	number_percent(percent, 100 * p->most_left);
	out_printf(p->o,
		   "<p>Left out: the %s cheapest of %s calls between functions; none is"
		   " more than ",
		   out, all);
	emit_name(p->o, EMIT_XML, str_c(percent));
	out_c(p->o, " of any event.</p>\n");
}

/* The parts that are too many for a timeline. */
static uint32_t parts_left_out(const struct report *p, unsigned s)
{
	const struct graph *g = p->side[s].g;
	const uint32_t parts = store_info(g->st)->parts;

	return g->plain && parts > PARTS_MAX ? parts : 0;
}

/* The same in one line, for stderr. */
static void note_left_out(struct report *p)
{
	struct render *rd = p->rd;
	const char *and = "left out of the report: ";
	const uint32_t parts = parts_left_out(p, 0);
	size_t n = 0;
	struct {
		uint32_t out, of;
		const char *what;
	} left[] = {
		{p->all - p->nfunctions, p->all, "functions"},
		{p->between - p->ncalls, p->between, "calls between functions"},
		{parts, parts, "parts in the timeline"},
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

/* Is there something to say of one side? */
static bool side_has_notes(const struct report *p, unsigned s)
{
	const struct graph *g = p->side[s].g;
	const struct store_info *info = store_info(g->st);

	return g->estimated || info->truncated || info->saturated || parts_left_out(p, s);
}

static void say_side(struct report *p, unsigned s)
{
	const struct graph *g = p->side[s].g;
	const struct store_info *info = store_info(g->st);
	const char *of = s ? "Base: " : "";

	if (parts_left_out(p, s))
		out_printf(p->o,
			   "<p>%sLeft out: the timeline of %" PRIu32 " parts.</p>\n", of,
			   info->parts);
	if (!s && g->estimated)
		out_c(p->o,
		      "<p>Costs marked ~ are estimates: a stage shared them out.</p>\n");
	if (info->truncated)
		out_printf(p->o,
			   "<p>%sThe profile is cut off: the costs are of what is there."
			   "</p>\n",
			   of);
	if (info->saturated)
		out_printf(p->o,
			   "<p>%sA sum was too large for 64 bits and stands at the most"
			   " that they hold.</p>\n",
			   of);
}

static void say_filters(struct report *p)
{
	const struct result *r = p->rd->r;

	if (!r->nfilters)
		return;
	out_c(p->o, r->base.n ? "<p>Both call graphs were changed by:"
			      : "<p>The call graph was changed by:");
	for (size_t i = 0; i < r->nfilters; i++) {
		out_c(p->o, i ? " | <code>" : " <code>");
		emit_name(p->o, EMIT_XML, r->filters[i]);
		out_c(p->o, "</code>");
	}
	out_c(p->o, "</p>\n");
}

static void put_notes(struct report *p)
{
	note_left_out(p);
	if (p->nfunctions == p->all && p->ncalls == p->between && !p->rd->r->nfilters &&
	    !side_has_notes(p, 0) && (p->sides == 1 || !side_has_notes(p, 1)))
		return;
	out_c(p->o, "<section class=\"card notes\" id=\"notes\" role=\"note\">\n");
	say_functions(p);
	say_calls(p);
	say_filters(p);
	for (unsigned s = 0; s < p->sides; s++)
		say_side(p, s);
	out_c(p->o, "</section>\n");
}

static void put_about(struct report *p)
{
	const struct result *r = p->rd->r;

	out_c(p->o, "<div id=\"d-about\" hidden data-event=\"");
	emit_name(p->o, EMIT_XML, r->event);
	out_c(p->o, "\" data-profile=\"");
	emit_name(p->o, EMIT_XML, r->profile);
	if (p->sides > 1) {
		out_c(p->o, "\" data-base=\"");
		emit_name(p->o, EMIT_XML, r->base);
	}
	if (p->side[0].g->estimated)
		out_c(p->o, "\" data-estimated=\"");
	out_c(p->o, "\"></div>\n");
}

static int put_body(struct report *p)
{
	const struct str html = str_c(report_html), mark = STR("<!-- notes -->\n");
	size_t at = str_find_str(html, mark);

	out_bytes(p->o, html.p, at);
	put_notes(p);
	out_str(p->o, str_from(html, at + mark.n));
	put_about(p);
	put_events(p);
	put_function_rows(p);
	put_calls(p);
	for (unsigned s = 0; s < p->sides; s++) {
		put_parts(p, s);
		if (put_trees(p, s))
			return (int)p->rd->err->kind;
	}
	out_c(p->o, "<script>\n");
	out_c(p->o, report_js);
	out_c(p->o, "</script>\n</body>\n</html>\n");
	return 0;
}

/* ---- */

/* The number of an event of this profile on a side. */
static uint32_t event_on(const struct report *p, unsigned s, uint32_t e)
{
	struct store *st = p->side[s].g->st;
	struct store_event here, there;

	store_event(p->side[0].g->st, e, &here);
	for (uint32_t i = 0; s && i < store_info(st)->all_events; i++) {
		store_event(st, i, &there);
		if (str_eq(here.name, there.name))
			return i;
	}
	return s ? GRAPH_NONE : e;
}

static int prepare_side(struct report *p, unsigned s)
{
	struct side *d = &p->side[s];

	d->event = calloc((size_t)p->events + 1, sizeof(*d->event));
	d->total = calloc((size_t)p->events + 1, sizeof(*d->total));
	d->place = calloc((size_t)d->g->functions + 1, sizeof(*d->place));
	if (!d->event || !d->total || !d->place)
		return err_no_memory(p->rd->err, "for a report");
	for (uint32_t e = 0; e < p->events; e++) {
		d->event[e] = event_on(p, s, e);
		if (d->event[e] == GRAPH_NONE)
			continue;
		if (graph_event(d->g, d->event[e], p->rd->err))
			return (int)p->rd->err->kind;
		d->total[e] = graph_total(d->g, d->event[e]);
	}
	return 0;
}

/* Functions of this profile, with those of the base that are the same; then those that
 * are gone.  Until functions are chosen, place[] is where they are in fn[]. */
static void match_functions(struct report *p)
{
	const struct compared *c = p->rd->r->compared;
	const uint32_t n = p->side[0].g->functions;

	for (uint32_t f = 0; f < n; f++) {
		p->fn[f] = (struct matched){{f, GRAPH_NONE}};
		p->side[0].place[f] = f;
	}
	p->all = n;
	for (uint32_t f = 0; p->sides > 1 && f < p->side[1].g->functions; f++) {
		uint32_t i = c->same[f];

		if (i == RESULT_NONE || p->fn[i].in[1] != GRAPH_NONE) {
			i = p->all++;
			p->fn[i].in[0] = GRAPH_NONE;
		}
		p->fn[i].in[1] = f;
		p->side[1].place[f] = i;
	}
}

/* Find the row of each function in the answer. */
static void find_rows(struct report *p)
{
	const struct result *r = p->rd->r;
	const struct column *id = result_col(r, STR("id"));
	const uint32_t of_store = store_info(p->side[0].g->st)->functions;

	for (size_t i = 0; i < r->rows; i++) {
		uint32_t f = GRAPH_NONE;
		unsigned s = 0;

		if (r->compared) {
			s = r->compared->row[0][i] == RESULT_NONE;
			f = r->compared->row[s][i];
		} else if (id->u[i] < of_store) {
			f = graph_of_store(p->side[0].g, (fn_id)id->u[i]);
		}
		if (f != GRAPH_NONE)
			p->row[p->side[s].place[f]] = (uint32_t)i + 1;
	}
}

static int prepare_report(struct report *p)
{
	size_t functions = 1, strings = 1;

	p->events = store_info(p->side[0].g->st)->all_events;
	for (unsigned s = 0; s < p->sides; s++) {
		const struct store_info *info = store_info(p->side[s].g->st);

		functions += p->side[s].g->functions;
		strings += (size_t)info->files + info->objects;
		if (prepare_side(p, s))
			return (int)p->rd->err->kind;
	}
	p->row = calloc(functions, sizeof(*p->row));
	p->fn = calloc(functions, sizeof(*p->fn));
	p->place = calloc(functions, sizeof(*p->place));
	p->string = malloc(strings * sizeof(*p->string));
	if (!p->row || !p->fn || !p->place || !p->string)
		return err_no_memory(p->rd->err, "for a report");
	memset(p->string, 0xff, strings * sizeof(*p->string));
	match_functions(p);
	find_rows(p);
	return 0;
}

int report_put(struct render *rd)
{
	const struct compared *c = rd->r->compared;
	struct report p = {.rd = rd,
			   .o = rd->o,
			   .side = {{.g = rd->r->graph}, {.g = c ? c->graph : NULL}},
			   .sides = c ? 2 : 1};

	if (!prepare_report(&p) && !choose_functions(&p) && !choose_calls(&p) &&
	    !put_body(&p))
		for (unsigned s = 0; s < p.sides; s++)
			store_check(p.side[s].g->st, rd->err);
	for (unsigned s = 0; s < 2; s++) {
		free(p.side[s].event);
		free(p.side[s].total);
		free(p.side[s].place);
	}
	free(p.row);
	free(p.fn);
	free(p.place);
	free(p.calls);
	free(p.string);
	return (int)rd->err->kind;
}
