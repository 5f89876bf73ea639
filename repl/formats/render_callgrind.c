/*
 * render_callgrind.c - the functions of an answer as a profile of their own, which
 * KCachegrind, callgrind_annotate and quern open:
 *
 *	functions of obj:libm* > libm.callgrind
 *
 * Self costs are complete, by line (and instruction); calls are kept if both ends are in
 * the answer.  Graph stages change costs per function and call (the lines of a hidden
 * function belong to no single caller).  So after graph stages, each function has one
 * cost line, at its first line.  Names are written byte for byte, each after its
 * "(number) ", so that a name that looks like a number is not taken for one.
 */
#include "engine/query.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/graph/graph.h"
#include "index/base/cost.h"

enum { MOST_AHEAD = 16 }; /* calls of a function */

/* Of a chosen function, for the calls of it. */
struct callee {
	uint64_t line;
	struct str name;
	file_id file;
	obj_id obj;
	bool chosen, named; /* in the answer; its name was written before */
};

struct writer {
	struct render *rd;
	struct out *o;
	struct store *st;
	struct graph *g; /* after the graph stages; NULL: the profile itself */
	const struct store_info *info;
	uint32_t functions, numbers;	 /* to be written; the ids are lower */
	struct callee *fn;		 /* [functions] */
	uint8_t *file_named, *obj_named; /* 1: written before */
	int64_t *totals, *costs;	 /* per event; costs: of one line */
	file_id file;			 /* of the next lines */
	size_t rows;			 /* lines and calls so far */
};

static void put_id(struct writer *w, const char *key, uint32_t id)
{
	out_c(w->o, key);
	out_c(w->o, "=(");
	out_u64(w->o, (uint64_t)id + 1);
	out_char(w->o, ')');
}

static void put_first_name(struct writer *w, struct str name)
{
	out_char(w->o, ' ');
	emit_raw(w->o, name);
}

static void put_fn(struct writer *w, const char *key, uint32_t f)
{
	put_id(w, key, f);
	if (!w->fn[f].named)
		put_first_name(w, w->g ? graph_name(w->g, f) : w->fn[f].name);
	w->fn[f].named = true;
	out_char(w->o, '\n');
}

static void put_file(struct writer *w, const char *key, file_id f)
{
	put_id(w, key, f);
	if (!w->file_named[f])
		put_first_name(w, store_file(w->st, f));
	w->file_named[f] = 1;
	out_char(w->o, '\n');
}

static void put_obj(struct writer *w, const char *key, obj_id ob)
{
	put_id(w, key, ob);
	if (!w->obj_named[ob])
		put_first_name(w, store_obj(w->st, ob));
	w->obj_named[ob] = 1;
	out_char(w->o, '\n');
}

static void put_position(struct writer *w, uint64_t instr, uint64_t line)
{
	if (w->info->has_instr)
		out_printf(w->o, "0x%" PRIx64, instr);
	if (w->info->has_instr && w->info->has_line)
		out_char(w->o, ' ');
	if (w->info->has_line || !w->info->has_instr)
		out_u64(w->o, line);
}

static void put_costs(struct writer *w, const int64_t *costs)
{
	for (uint32_t e = 0; e < w->info->events; e++) {
		out_char(w->o, ' ');
		out_i64(w->o, costs[e]);
	}
	out_char(w->o, '\n');
}

/* Lines of inlined code are written under their own file. */
static void follow_file(struct writer *w, file_id file)
{
	if (file == w->file)
		return;
	put_file(w, "fi", file);
	w->file = file;
}

static int put_line(void *arg, const struct store_line *row, const int64_t *costs,
		    struct err *err)
{
	struct writer *w = arg;

	(void)err;
	follow_file(w, row->file);
	put_position(w, row->instr, row->line);
	put_costs(w, costs);
	for (uint32_t e = 0; e < w->info->events; e++)
		cost_add(&w->totals[e], costs[e]);
	return render_cancelled(w->rd, w->rows++);
}

/* Of so many calls of an edge.  -1: nobody counted. */
static void put_calls(struct writer *w, uint64_t calls, uint64_t of)
{
	const bool counted = calls || of || store_counts_zeros(w->st);

	out_c(w->o, "calls=");
	out_i64(w->o, counted && store_counts_calls(w->st) ? (int64_t)calls : -1);
}

static int put_call(void *arg, const struct store_site *row, const int64_t *costs,
		    struct err *err)
{
	struct writer *w = arg;
	const struct callee *to = &w->fn[row->callee];

	(void)err;
	if (!to->chosen)
		return 0;
	follow_file(w, row->file);
	put_obj(w, "cob", to->obj);
	put_file(w, "cfi", to->file);
	put_fn(w, "cfn", row->callee);
	put_calls(w, row->calls, store_edge_calls(w->st, row->edge));
	out_char(w->o, ' ');
	put_position(w, 0, to->line);
	out_char(w->o, '\n');
	put_position(w, row->instr, row->line);
	put_costs(w, costs);
	return render_cancelled(w->rd, w->rows++);
}

static int put_function(struct writer *w, fn_id f)
{
	out_char(w->o, '\n');
	put_obj(w, "ob", w->fn[f].obj);
	w->file = w->fn[f].file;
	put_file(w, "fl", w->file);
	put_fn(w, "fn", f);
	return store_each_line(w->st, f, put_line, w, w->rd->err) ||
			       store_each_site(w->st, f, put_call, w, w->rd->err)
		       ? w->rd->err->kind
		       : 0;
}

/* ---- what graph stages left ---- */

/* A merged function may be from several files: then it gets none. */
static void put_graph_places(struct writer *w, uint32_t f, const char *obj,
			     const char *file)
{
	fn_id at = w->g->origin[f];

	if (graph_is(w->g, f, GRAPH_OBJECTS))
		out_printf(w->o, "%s=???\n", obj);
	else
		put_obj(w, obj, store_fn_obj_id(w->st, at));
	if (graph_is(w->g, f, GRAPH_FILES) || graph_file_id(w->g, f) == GRAPH_NO_FILE)
		out_printf(w->o, "%s=???\n", file);
	else
		put_file(w, file, graph_file_id(w->g, f));
}

static void put_graph_call(struct writer *w, uint32_t edge)
{
	struct store_edge x;

	graph_edge(w->g, edge, &x);
	if (!w->fn[x.callee].chosen)
		return;
	put_graph_places(w, x.callee, "cob", "cfi");
	put_fn(w, "cfn", x.callee);
	put_calls(w, x.calls, x.calls);
	out_printf(w->o, " %" PRIu64 "\n%" PRIu64, graph_line(w->g, x.callee),
		   graph_line(w->g, x.caller));
	for (uint32_t e = 0; e < w->info->events; e++)
		w->costs[e] = graph_edge_incl(w->g, edge, e);
	put_costs(w, w->costs);
}

static void put_graph_function(struct writer *w, uint32_t f)
{
	uint32_t first, n;

	out_char(w->o, '\n');
	put_graph_places(w, f, "ob", "fl");
	put_fn(w, "fn", f);
	out_u64(w->o, graph_line(w->g, f));
	for (uint32_t e = 0; e < w->info->events; e++) {
		w->costs[e] = graph_self(w->g, f, e);
		cost_add(&w->totals[e], w->costs[e]);
	}
	put_costs(w, w->costs);
	graph_callees(w->g, f, &first, &n);
	for (uint32_t i = 0; i < n && !render_cancelled(w->rd, i); i++)
		put_graph_call(w, first + i);
}

/* ---- the file ---- */

static void put_event(struct writer *w, uint32_t e)
{
	struct store_event ev;

	store_event(w->st, e, &ev);
	if (ev.builtin || (e < w->info->events && !ev.long_name.n))
		return;
	out_c(w->o, "event: ");
	emit_raw(w->o, ev.name);
	if (e >= w->info->events) {
		out_c(w->o, " = ");
		emit_raw(w->o, ev.formula);
	}
	if (ev.long_name.n) {
		out_c(w->o, " : ");
		emit_raw(w->o, ev.long_name);
	}
	out_char(w->o, '\n');
}

static void put_header(struct writer *w)
{
	const struct store_info *info = w->info;

	out_c(w->o, "# callgrind format\nversion: 1\ncreator: quern\n");
	if (info->cmd.n) {
		out_c(w->o, "cmd: ");
		emit_raw(w->o, info->cmd);
		out_char(w->o, '\n');
	}
	out_c(w->o, "desc: Query: ");
	emit_name(w->o, EMIT_TEXT, w->rd->r->query);
	if (store_any_grouped(w->st) && (!w->g || w->g->recorded))
		out_c(w->o, "\ndesc: Contexts: in names");
	if (w->g)
		out_printf(w->o, "\ndesc: Note: one cost line per function%s",
			   w->g->marks.estimated ? "; costs are estimates of quern" : "");
	out_printf(w->o, "\npositions:%s%s\n", info->has_instr && !w->g ? " instr" : "",
		   info->has_line || !info->has_instr || w->g ? " line" : "");
	for (uint32_t e = 0; e < info->all_events; e++)
		put_event(w, e);
	out_c(w->o, "events:");
	for (uint32_t e = 0; e < info->events; e++) {
		struct store_event ev;

		store_event(w->st, e, &ev);
		out_char(w->o, ' ');
		emit_raw(w->o, ev.name);
	}
	out_char(w->o, '\n');
}

static struct store *store_of(const struct render *rd)
{
	for (size_t i = 0; rd->session && i < session_profiles(rd->session); i++)
		if (str_eq(session_profile_name(rd->session, i), rd->r->profile))
			return session_profile(rd->session, i);
	return NULL;
}

static int check_ids(const struct render *rd, const struct column *id)
{
	const struct column *fn = result_col(rd->r, STR("fn"));

	if (!id || id->type != COL_ID || !fn || fn->type != COL_NAME) {
		err_set(rd->err, ERR_QUERY, 0,
			"callgrind holds functions, and this answer has none");
		return err_hint(rd->err, "functions of obj:libc* > libc.callgrind");
	}
	return 0;
}

/* A function as the store has it: all of its contexts, unless the answer is about these. */
static void choose(struct writer *w, uint32_t f)
{
	const struct graph *g = w->rd->r->graph;
	const bool one = w->g || (g && g->recorded);
	const group_id of = one ? 0 : store_group_of(w->st, f);

	w->fn[f].chosen = true;
	for (uint32_t i = 0; !one && i < store_group_size(w->st, of); i++)
		w->fn[store_group_fn(w->st, of, i)].chosen = true;
}

static void mark_chosen(struct writer *w, const struct column *id)
{
	const struct result *r = w->rd->r;

	/* A tree with recursion has no end in a graph: write the whole profile. */
	for (uint32_t f = 0; r->tree && f < w->functions; f++)
		w->fn[f].chosen = true;
	for (size_t i = 0; i < r->rows && !render_cancelled(w->rd, i); i++) {
		uint32_t f = !render_absent(id, i) && id->u[i] < w->numbers
				     ? (uint32_t)id->u[i]
				     : GRAPH_NONE;

		if (f != GRAPH_NONE && w->g)
			f = graph_of_store(w->g, f);
		if (f != GRAPH_NONE)
			choose(w, f);
	}
}

static void find_callees(struct writer *w)
{
	for (fn_id f = 0; f < w->info->functions && !render_cancelled(w->rd, f); f++) {
		struct callee *x = &w->fn[f];

		if (!x->chosen)
			continue;
		x->line = store_fn_line(w->st, f);
		x->name = store_fn_name(w->st, f);
		x->file = store_fn_file_id(w->st, f);
		x->obj = store_fn_obj_id(w->st, f);
	}
}

/* The functions that f calls are anywhere in fn[], and their names in the index. */
static void prefetch_callees(const struct writer *w, fn_id f, bool names)
{
	edge_id first;
	uint32_t n;

	if (f >= w->info->functions)
		return;
	store_callees(w->st, f, &first, &n);
	for (uint32_t i = 0; i < n && i < MOST_AHEAD; i++) {
		const struct callee *to = &w->fn[store_edge_callee(w->st, first + i)];

		__builtin_prefetch(names ? to->name.p : (const char *)to);
	}
}

static int put_ahead(struct writer *w, fn_id f)
{
	prefetch_callees(w, f + 4, false);
	prefetch_callees(w, f + 2, true);
	return put_function(w, f);
}

static void write_profile(struct writer *w, const struct column *id)
{
	render_asks(w->rd);
	for (uint32_t e = 0; w->g && e < w->info->events; e++)
		if (session_graph_event(w->g, e, w->rd->err))
			return;
	mark_chosen(w, id);
	if (!w->g)
		find_callees(w);
	put_header(w);
	for (fn_id f = 0; f < w->functions; f++) {
		if (render_cancelled(w->rd, f))
			return;
		if (w->fn[f].chosen && w->g)
			put_graph_function(w, f);
		else if (w->fn[f].chosen && put_ahead(w, f))
			return;
	}
	out_c(w->o, "\ntotals:");
	put_costs(w, w->totals);
	store_check(w->st, w->rd->err);
}

int render_callgrind(struct render *rd)
{
	const struct column *id = result_col(rd->r, STR("id"));
	struct writer w = {.rd = rd, .o = rd->o, .st = store_of(rd)};

	if (rd->r->base.n)
		return render_one_profile(rd, "callgrind",
					  "ask without vs, once for each profile");
	if (check_ids(rd, id) || result_load(rd->r, id, rd->err))
		return rd->err->kind;
	if (rd->r->graph && !graph_as_stored(rd->r->graph))
		w.g = rd->r->graph;
	else if (rd->r->nfilters && !rd->r->graph)
		return err_set(
			rd->err, ERR_QUERY, 0,
			"`_` does not keep the graph that its stages made: ask again");
	if (!w.st)
		return err_set(rd->err, ERR_QUERY, 0,
			       "the profile of this answer is closed");
	w.info = store_info(w.st);
	w.functions = w.g ? w.g->functions : w.info->functions;
	w.numbers = w.g ? graph_numbers(w.g) : w.info->functions;
	w.fn = calloc((size_t)w.functions + 1, sizeof(*w.fn));
	w.file_named = calloc((size_t)w.info->files + 1, 1);
	w.obj_named = calloc((size_t)w.info->objects + 1, 1);
	w.totals = calloc((size_t)w.info->events * 2 + 1, sizeof(*w.totals));
	w.costs = w.totals ? w.totals + w.info->events : NULL;
	if (w.fn && w.file_named && w.obj_named && w.totals)
		write_profile(&w, id);
	else
		err_no_memory(rd->err, NULL);
	free(w.fn);
	free(w.file_named);
	free(w.obj_named);
	free(w.totals);
	return rd->err->kind;
}
