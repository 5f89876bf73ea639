/*
 * report_data.c - the data of a report: hidden elements that its script reads.
 *
 * The data is one element each, a line per row (tabs and newlines in names are escaped):
 *
 *	d-events	name TAB shown name TAB long name TAB unit and scale ("ns 10", or
 *			nothing) TAB total
 *	d-strings	files and objects, by number; TAB 1: --with-source finds that file
 *	d-functions	name TAB short name if that differs TAB id calls cycle file object
 *			line listed nests, then per event self ..., inclusive ...,
 *			through - inclusive ..., root ... and, if it nests, the bounds
 *			lo ..., hi ... of inclusive.  calls are -1 if nobody counted them:
 *			of inlined functions
 *	d-calls		caller - the one before, callee, calls, inclusive cost per event
 *	d-parts		label TAB self cost per event TAB basic blocks from begin to end, 0 if
 *			that is not known; of many parts, so many lines are sums of parts
 *			that follow each other; of few, TAB function, own cost in the event of
 *			the query of those with most; TAB alone: of others, too
 *	d-tree		per event "@event cost own proven" of the tree of the whole program;
 *			proven: the share that is on proven stacks.  Then its frames as in any
 *			picture (frames.h): so many lines back is the one it lies on (0: none),
 *			function, cost, own; for an estimate lo hi (-1: no more than that), and
 *			1 if its function runs on this stack more than once, 2 if it is no row
 *	d-near		per event "@event", then the callers and callees of functions that
 *			nest in others, of whose cost the calls record more than there is:
 *			function up, and for each caller (up 1) or callee: function est lo hi
 *
 *	d-run		of a timeline, a line per row: depth, function or -1: several short
 *			calls, start, inclusive and own cost in the event of the query, calls
 *
 *	d-parts-base, d-tree-base, d-near-base	of two profiles: the same of the base
 *
 * Of two profiles, events have the total in the base as well, or nothing if it has no such
 * event.  A function also has TAB "calls nests self ... inclusive ... through ... root ...
 * [lo ... hi ...]" of the base, nothing if it is new; and TAB its other name if that
 * differs.  If it is gone, it ends at `listed`: there are no costs here.  A call
 * also has its calls and inclusive costs in the base.
 */
#include "engine/graph/graph.h"
#include "engine/lang/col_type.h"
#include "engine/lang/result.h"
#include "engine/query.h"
#include "index/base/err.h"
#include "repl/pictures/report_in.h"

#include <inttypes.h>
#include <stdio.h>

#include <stdlib.h>

#include "engine/names/name.h"
#include "engine/path/path.h"
#include "index/base/cost.h"
#include "index/base/sort.h"
#include "index/format/event.h"
#include "repl/pictures/frames.h"
#include "repl/render/render.h"
#include "repl/term/emit.h"

enum { PARTS_TOLD = 100, PARTS_FUNCTIONS = 5000 /* of all parts */ };
enum { TREE_ROWS = 10000 /* per event */, TREES_ROWS = 100000 };
enum { RUN_ROWS = 60000 };
enum { NEAR_MOST = 500 /* functions, of all events */ };

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

static void put_cost(struct report *p, int64_t v)
{
	out_char(p->o, ' ');
	out_i64(p->o, v);
}

void report_put_events(struct report *p)
{
	open_data(p, "d-events", 0);
	for (uint32_t e = 0; e < p->events; e++) {
		struct store_event ev;
		struct unit u;

		store_event(p->side[0].g->st, e, &ev);
		u = store_unit(p->side[0].g->st, e);
		emit_xml(p->o, "", ev.name, "\t");
		emit_xml(p->o, "", event_title(ev.name, u), "\t");
		emit_name(p->o, EMIT_XML, ev.long_name);
		if (ev.formula.n)
			emit_xml(p->o, ev.long_name.n ? " = " : "= ", ev.formula, "");
		out_char(p->o, '\t');
		if (u.kind)
			out_printf(p->o, "%s %" PRIu64, unit_name(u), u.scale);
		out_char(p->o, '\t');
		out_i64(p->o, p->side[0].total[e]);
		if (p->sides > 1) {
			out_char(p->o, '\t');
			if (p->side[1].event[e] != GRAPH_NONE)
				out_i64(p->o, p->side[1].total[e]);
		}
		out_char(p->o, '\n');
	}
	close_data(p);
}

/* The number of a file or an object. */
static void put_string(struct report *p, struct str s)
{
	const uint32_t n = strset_add(&p->strings, s);

	if (n == HASH_NONE)
		err_no_memory(p->rd->err, "for a report");
	put_number(p, n);
}

enum cost_of { OF_SELF, OF_INCL, OF_MORE, OF_ROOT, OF_LO, OF_HI, OF_END };

/* MORE: the cost through f less its inclusive cost, mostly 0; ROOT: that no call brought. */
static int64_t cost_of(const struct report *p, unsigned s, uint32_t f, uint32_t e,
		       enum cost_of of)
{
	const struct side *d = &p->side[s];
	const int64_t incl = report_fn_cost(p, s, f, e, false);
	int64_t a, b = 0;

	if (of <= OF_INCL || d->event[e] == GRAPH_NONE)
		return of == OF_SELF ? report_fn_cost(p, s, f, e, true) : incl;
	if (of >= OF_LO) {
		graph_incl_bounds(d->g, f, d->event[e], &a, &b);
		return of == OF_LO ? a : b;
	}
	a = graph_through(d->g, f, d->event[e], &b);
	return of == OF_ROOT ? b : a > incl ? cost_difference(a, incl) : 0;
}

/* Whether it may nest, and its costs. */
static void put_costs(struct report *p, unsigned s, uint32_t f)
{
	const bool nests = graph_incl_estimated(p->side[s].g, f);

	put_number(p, nests);
	for (enum cost_of of = OF_SELF; of < (nests ? OF_END : OF_LO); of++)
		for (uint32_t e = 0; e < p->events; e++)
			put_cost(p, cost_of(p, s, f, e, of));
}

/* A function merged by a stage has its own name, and may be from several files. */
static void put_where(struct report *p, const struct graph *g, uint32_t f)
{
	if (!graph_is(g, f, GRAPH_FILES) && graph_file_id(g, f) != GRAPH_NO_FILE)
		put_string(p, graph_file(g, f));
	else
		put_number(p, UINT32_MAX);
	if (!graph_is(g, f, GRAPH_OBJECTS))
		put_string(p, graph_obj(g, f));
	else
		put_number(p, UINT32_MAX);
	put_number(p, graph_line(g, f));
}

/* The other name, file or object of a function that was paired by a rule. */
static struct str data_was(const struct report *p, uint32_t i)
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

/* How often; -1: nobody counted. */
static void put_times(struct report *p, bool counted, uint64_t calls)
{
	if (counted)
		out_u64(p->o, calls);
	else
		out_c(p->o, "-1");
}

static void put_base_costs(struct report *p, uint32_t i)
{
	const uint32_t f = p->fn[i].in[1];

	out_char(p->o, '\t');
	if (f != GRAPH_NONE) {
		put_times(p, graph_calls_counted(p->side[1].g, f) && p->side[1].g->edges,
			  graph_calls(p->side[1].g, f));
		put_costs(p, 1, f);
	}
	emit_xml(p->o, "\t", data_was(p, i), "");
}

/* The name without parameters, template arguments and leading namespaces. */
static void put_short(struct report *p, const struct graph *g, uint32_t f)
{
	const struct str name = graph_name(g, f);
	struct str brief;

	arena_reset(&p->names);
	brief = graph_short_name(g, f, &p->names);
	if (!brief.p)
		err_no_memory(p->rd->err, "for a report");
	else if (!str_eq(brief, name))
		emit_name(p->o, EMIT_XML, brief);
}

static void put_function(struct report *p, uint32_t i)
{
	const unsigned s = p->fn[i].in[0] == GRAPH_NONE;
	const uint32_t f = p->fn[i].in[s];
	const struct graph *g = p->side[s].g;

	emit_xml(p->o, "", graph_name(g, f), "\t");
	put_short(p, g, f);
	out_printf(p->o, "\t%" PRIu32, graph_id(g, f));
	out_char(p->o, ' ');
	put_times(p, graph_calls_counted(g, f) && g->edges, s ? 0 : graph_calls(g, f));
	put_number(p, graph_cycle(g, f));
	put_where(p, g, f);
	put_number(p, p->row[i] > 0 && !p->answer);
	if (!s)
		put_costs(p, 0, f);
	if (p->sides > 1)
		put_base_costs(p, i);
	out_char(p->o, '\n');
}

/* Parts sharpen a tree, but not that of one side only. */
static bool parts_count(const struct report *p)
{
	bool many = true;

	for (unsigned s = 0; s < p->sides; s++)
		many &= graph_part_count(p->side[s].g) > 1;
	return many;
}

static void put_function_rows(struct report *p)
{
	open_data(p, "d-functions", 0);
	for (uint32_t i = 0; i < p->all && !render_cancelled(p->rd, i); i++)
		if (p->place[i] != GRAPH_NONE)
			put_function(p, i);
	close_data(p);
}

static void put_strings(struct report *p)
{
	open_data(p, "d-strings", 0);
	for (uint32_t i = 0; i < p->strings.n && !render_cancelled(p->rd, i); i++) {
		arena_reset(&p->names);
		emit_name(p->o, EMIT_XML, p->strings.at[i]);
		if (p->side[0].g->detail && p->rd->session &&
		    session_has_text(p->rd->session, p->strings.at[i], &p->names))
			out_c(p->o, "\t1");
		out_char(p->o, '\n');
	}
	close_data(p);
}

static void put_call_costs(struct report *p, unsigned s, uint32_t edge)
{
	const struct graph *g = p->side[s].g;

	out_char(p->o, ' ');
	if (edge != GRAPH_NONE)
		put_times(
			p,
			graph_calls_known(g, graph_edge_callee(g, edge)) &&
				(graph_edge_calls(g, edge) || store_counts_zeros(g->st)),
			graph_edge_calls(g, edge));
	else
		out_char(p->o, '0');
	for (uint32_t e = 0; e < p->events; e++)
		put_cost(p, report_call_cost(p, s, edge, e));
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

/* "part 3, thread 1, why", or "parts 1 to 65 in file order". */
static void put_part_label(struct report *p, unsigned s, uint32_t i, uint32_t end)
{
	struct part part;

	if (end - i > 1) {
		out_printf(p->o, "parts %s to %s in file order", GROUPED(i + 1),
			   GROUPED(end));
		return;
	}
	store_part(p->side[s].g->st, i, &part);
	out_printf(p->o, "part %" PRIu64, part.part);
	if (part.thread)
		out_printf(p->o, ", thread %" PRIu64, part.thread);
	if (part.trigger.n)
		emit_xml(p->o, ", ", part.trigger, "");
}

/* The functions that spend most in part i: TAB function, cost. */
static void put_part_functions(struct report *p, uint32_t i)
{
	const struct graph *g = p->side[0].g;
	const uint32_t events = store_info(g->st)->events;
	struct spent *rank;
	struct arena a;
	fn_id *fn;
	int64_t *costs;
	size_t n = 0;

	arena_init(&a, g->a->cap);
	rank = ARENA_ARRAY(&a, struct spent, (size_t)g->functions + 1);
	if (!rank)
		err_no_memory(p->rd->err, "for a report");
	else if (store_part_functions(g->st, i, &a, &fn, &costs, &n, p->rd->err))
		n = 0;
	for (uint32_t f = 0; rank && f < g->functions && !render_cancelled(p->rd, f); f++)
		rank[f].fn = f;
	/* Several functions of the store may be one of the graph. */
	for (size_t k = 0; k < n && !render_cancelled(p->rd, k); k++) {
		const uint32_t f = graph_of_store(g, fn[k]);

		if (f != GRAPH_NONE)
			cost_add(&rank[f].cost, store_event_of(g->st, p->rd->r->event_id,
							       costs + k * events));
	}
	if (n)
		report_sort(rank, g->functions);
	n = n < g->functions ? n : g->functions;
	for (size_t k = 0; k < n && rank[k].cost > 0; k++)
		if (k >= PARTS_FUNCTIONS / store_info(g->st)->parts) {
			out_c(p->o, "\t");
			break;
		} else if (p->side[0].place[rank[k].fn] != GRAPH_NONE) {
			out_printf(p->o, "\t%" PRIu32 " %" PRId64,
				   p->side[0].place[rank[k].fn], rank[k].cost);
		}
	arena_free(&a);
}

/* One bar of the timeline: parts i to end - 1. */
static void put_bar(struct report *p, unsigned s, uint32_t i, uint32_t end)
{
	const struct side *d = &p->side[s];
	uint64_t span = 0, from, to;

	put_part_label(p, s, i, end);
	out_char(p->o, '\t');
	for (uint32_t e = 0; e < p->events; e++) {
		int64_t sum = 0;

		for (uint32_t k = i; k < end && d->event[e] != GRAPH_NONE; k++)
			cost_add(&sum, store_part_self(d->g->st, k, d->event[e]));
		out_c(p->o, e ? " " : "");
		out_i64(p->o, sum);
	}
	for (uint32_t k = i; k < end; k++)
		if (store_part_blocks(d->g->st, k, &from, &to) && to > from)
			span += to - from;
	out_printf(p->o, "\t%" PRIu64, span);
	if (p->sides == 1 && store_info(d->g->st)->parts <= PARTS_TOLD)
		put_part_functions(p, i);
	out_char(p->o, '\n');
}

/* After graph stages the costs of parts are unknown: then there is no timeline. */
static void put_parts(struct report *p, unsigned s)
{
	const struct graph *g = p->side[s].g;
	const uint32_t n = graph_as_stored(g) ? store_info(g->st)->parts : 0;
	const uint32_t per = n / REPORT_PARTS + (n % REPORT_PARTS > 0);

	open_data(p, "d-parts", s);
	/* Each is of many functions, or of many parts. */
	for (uint32_t i = 0; i < n && n > 1 && !render_cancelled(p->rd, 0); i += per)
		put_bar(p, s, i, n - i < per ? n : i + per);
	close_data(p);
}

/* ---- the tree ---- */

static void put_bounds(struct report *p, const struct path_tree_row *r)
{
	const struct path_bounds *b = &r->cost;

	put_cost(p, b->measured ? r->est : b->bounded ? b->lo : -1);
	put_cost(p, b->measured ? r->est : b->bounded ? b->hi : -1);
}

/* The costliest frames, with those that they lie on, of functions that the page holds. */
static void put_frames(struct report *p, const struct side *d, const struct frames *f,
		       size_t most, struct arena *a)
{
	struct sort_pair *rank = ARENA_ARRAY(a, struct sort_pair, f->n + 1);
	uint32_t *line = ARENA_ARRAY(a, uint32_t, f->n + 1), n = 0;
	unsigned marks;

	for (size_t i = 0; rank && i < f->n; i++)
		rank[i] = (struct sort_pair){~f->all[i].value[0], (uint32_t)i};
	if (!line || !rank || sort_pairs(rank, f->n)) {
		err_no_memory(p->rd->err, "for a report");
		return;
	}
	for (size_t i = 0; i < f->n && i < most; i++)
		line[rank[i].value] = UINT32_MAX;
	for (size_t i = 0; i < f->n && !render_cancelled(p->rd, i); i++) {
		const struct frame *x = &f->all[i];
		const uint32_t on = x->parent == FRAME_NONE ? 0 : line[x->parent];
		const bool lies = x->parent == FRAME_NONE || on;

		line[i] = line[i] && lies && x->fn != RESULT_NONE &&
					  d->place[x->fn] != GRAPH_NONE
				  ? ++n
				  : 0;
		if (!line[i])
			continue;
		out_u64(p->o, on ? n - on : 0);
		put_number(p, d->place[x->fn]);
		put_number(p, x->value[0]);
		put_number(p, x->self[0]);
		marks = (frame_repeats(x) ? 1 : 0) + (x->other ? 2 : 0);
		if (x->estimated[0] || marks) {
			put_cost(p, x->estimated[0] ? x->lo : (int64_t)x->value[0]);
			put_cost(p, x->estimated[0] ? x->hi : (int64_t)x->value[0]);
		}
		if (marks)
			put_number(p, marks);
		out_char(p->o, '\n');
	}
}

static int put_tree(struct report *p, const struct side *d, uint32_t e, size_t rows,
		    struct arena *a)
{
	/* In the event of the answer it is the tree of a picture. */
	const bool all = d == &p->side[0] && e == p->rd->r->event_id;
	struct frames f = {0};
	struct path_tree t;

	render_asks(p->rd);
	if (!session_program_tree(p->rd->session, d->g, d->event[e], !parts_count(p),
				  all ? 0 : (uint32_t)rows, a, &t, p->rd->err) &&
	    !frames_of_tree(p->rd, d->g, &t, &f)) {
		out_printf(p->o, "@%" PRIu32, e);
		put_number(p, f.sum[0]);
		put_cost(p, t.own);
		out_printf(p->o, " %.4f\n", t.proven);
		put_frames(p, d, &f, rows, a);
	}
	frames_free(&f);
	arena_reset(a);
	return p->rd->err->kind;
}

static int put_trees(struct report *p, unsigned s)
{
	const struct side *d = &p->side[s];
	uint32_t rows = TREES_ROWS / (p->with_source ? 2 : 1) / p->sides /
			(p->events ? p->events : 1);
	struct arena a;

	open_data(p, "d-tree", s);
	arena_init(&a, d->g->a->cap);
	rows = rows < TREE_ROWS ? rows : TREE_ROWS;
	for (uint32_t e = p->rd->session ? 0 : p->events; e < p->events; e++)
		if (d->total[e] && put_tree(p, d, e, rows, &a))
			break;
	arena_free(&a);
	close_data(p);
	return p->rd->err->kind;
}

/* ---- callers and callees of functions in cycles ---- */

static int put_near_of(struct report *p, const struct side *d, uint32_t f, uint32_t e,
		       struct arena *a)
{
	for (int up = 0; up <= 1; up++) {
		struct path_tree t;

		arena_reset(a);
		render_asks(p->rd);
		if (session_near(p->rd->session, d->g, d->event[e], !parts_count(p), f,
				 up, a, &t, p->rd->err))
			return p->rd->err->kind;
		out_printf(p->o, "%" PRIu32 " %d", d->place[f], up);
		for (size_t i = 0; i < t.n; i++) {
			const struct path_tree_row *r = &t.rows[i];

			if (r->inner || d->place[r->fn] == GRAPH_NONE)
				continue;
			put_number(p, d->place[r->fn]);
			put_cost(p, r->est);
			put_bounds(p, r);
		}
		out_char(p->o, '\n');
	}
	return 0;
}

/* The same from what each call takes and brings: where stacks are known. */
static void put_shares(struct report *p, const struct side *d, uint32_t f,
		       int64_t *const shares[2])
{
	uint32_t first, n;

	graph_callees(d->g, f, &first, &n);
	for (int up = 0; up <= 1; up++) {
		const uint32_t m = up ? graph_caller_count(d->g, f) : n;

		out_printf(p->o, "%" PRIu32 " %d", d->place[f], up);
		for (uint32_t i = 0; i < m && !render_cancelled(p->rd, i); i++) {
			const uint32_t edge = up ? graph_caller(d->g, f, i) : first + i;
			const uint32_t of = up ? graph_edge_caller(d->g, edge)
					       : graph_edge_callee(d->g, edge);

			if (d->place[of] == GRAPH_NONE || !shares[up][edge])
				continue;
			put_number(p, d->place[of]);
			for (int k = 0; k < 3; k++) /* est, lo, hi */
				put_cost(p, shares[up][edge]);
		}
		out_char(p->o, '\n');
	}
}

/* The functions of cycles that are in the page, the costliest first; returns how many. */
static uint32_t in_cycles(struct report *p, unsigned s, struct spent **out)
{
	const struct side *d = &p->side[s];
	struct spent *rank =
		ARENA_ARRAY(&p->arrays, struct spent, (size_t)d->g->functions + 1);
	uint32_t n = 0;

	if (!(*out = rank))
		err_no_memory(p->rd->err, "for a report");
	for (uint32_t f = 0; rank && f < d->g->functions && !render_cancelled(p->rd, f);
	     f++)
		if (d->place[f] != GRAPH_NONE && graph_cycle(d->g, f))
			rank[n++] = (struct spent){
				f, report_fn_cost(p, s, f, p->rd->r->event_id, false)};
	if (rank)
		report_sort(rank, n);
	return n;
}

/* May f run while it runs?  Or else its calls say what they bring and take. */
static bool nests(const struct side *d, uint32_t f, uint32_t e)
{
	int64_t root;

	return graph_incl_estimated(d->g, f) ||
	       graph_through(d->g, f, d->event[e], &root) !=
		       graph_incl(d->g, f, d->event[e]);
}

/* Of the event of the query first; of others as long as not too many trees are grown. */
static int put_near(struct report *p, unsigned s)
{
	const struct side *d = &p->side[s];
	const uint32_t first = p->rd->r->event_id;
	struct spent *rank;
	const uint32_t n = in_cycles(p, s, &rank);
	struct arena a, trees;
	uint32_t left = NEAR_MOST / p->sides;

	open_data(p, "d-near", s);
	arena_init(&a, d->g->a->cap);
	arena_init(&trees, d->g->a->cap);
	for (uint32_t k = p->rd->session && n ? 0 : p->events; k < p->events; k++) {
		const uint32_t e = k == 0 ? first : k <= first ? k - 1 : k;
		int64_t *shares[2];

		if (!d->total[e])
			continue;
		arena_reset(&a);
		render_asks(p->rd);
		if (session_shares(p->rd->session, d->g, d->event[e], &a, shares,
				   p->rd->err))
			break;
		out_printf(p->o, "@%" PRIu32 "\n", e);
		for (uint32_t i = 0; i < n && (left || shares[0]); i++) {
			if (!nests(d, rank[i].fn, e))
				continue;
			if (shares[0])
				put_shares(p, d, rank[i].fn, shares);
			else if (put_near_of(p, d, rank[i].fn, e, &trees))
				break;
			else
				left--;
		}
	}
	arena_free(&trees);
	arena_free(&a);
	close_data(p);
	return p->rd->err->kind;
}

/* ---- a run in the order of time ---- */

/* The least cost of a row that at most so many have. */
static int64_t least_of(const struct column *incl, size_t rows, size_t most)
{
	int64_t least = 0;

	for (size_t n = rows; n > most;) {
		least = least ? 2 * least : 1;
		n = 0;
		for (size_t i = 0; i < rows; i++)
			n += incl->i[i] >= least;
	}
	return least;
}

static void put_run(struct report *p)
{
	const struct result *r = p->rd->r;
	const struct column *start = result_col(r, STR("start")),
			    *incl = result_col(r, STR("incl")),
			    *own = result_col(r, STR("self")),
			    *calls = result_col(r, STR("calls")),
			    *id = result_col(r, STR("id"));
	const struct graph *g = p->side[0].g;
	const int64_t least = least_of(incl, r->rows, RUN_ROWS);

	if (least) {
		out_printf(p->o, "<p id=\"runleft\" hidden>%" PRId64 "</p>\n", least);
		snprintf(p->rd->note, sizeof(p->rd->note),
			 "left out of the timeline: calls under %" PRId64, least);
	}
	open_data(p, "d-run", 0);
	for (size_t i = 0; i < r->rows && !render_cancelled(p->rd, i); i++) {
		const uint32_t f = !id || render_absent(id, i)
					   ? GRAPH_NONE
					   : graph_of_store(g, (fn_id)id->u[i]);
		const uint32_t place = f == GRAPH_NONE ? f : p->side[0].place[f];

		if (incl->i[i] < least)
			continue;
		out_u64(p->o, r->cols[r->depth_col].u[i]);
		put_cost(p, place == GRAPH_NONE ? -1 : (int64_t)place);
		put_cost(p, start->i[i]);
		put_cost(p, incl->i[i]);
		put_cost(p, own ? own->i[i] : 0);
		put_number(p, calls ? calls->u[i] : 1);
		out_char(p->o, '\n');
	}
	close_data(p);
}

int report_put_data(struct report *p)
{
	arena_init(&p->names, 0);
	put_function_rows(p);
	put_strings(p);
	arena_free(&p->names);
	put_calls(p);
	if (p->answer && report_is_run(p->rd->r))
		put_run(p);
	for (unsigned s = 0; s < p->sides; s++) {
		put_parts(p, s);
		if (put_trees(p, s) || put_near(p, s))
			return p->rd->err->kind;
	}
	return 0;
}
