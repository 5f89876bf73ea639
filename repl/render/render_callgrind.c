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
#include "repl/render/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"

enum { ROUND = 64 << 20 }; /* bytes of detail of one function */

struct names {
	uint8_t *fn, *file, *obj; /* 1: written before */
};

struct writer {
	struct render *rd;
	struct out *o;
	struct store *st;
	struct graph *g; /* after the graph stages; NULL: the profile itself */
	const struct store_info *info;
	struct names done;
	uint8_t *chosen;  /* per function */
	uint64_t *totals; /* per event */
	struct arena arena;
	file_id file; /* of the next lines */
};

static void put_name(struct writer *w, const char *key, uint32_t id, uint8_t *done,
		     struct str name)
{
	out_printf(w->o, "%s=(%" PRIu32 ")", key, id + 1);
	if (!done[id]) {
		out_char(w->o, ' ');
		out_str(w->o, name);
		done[id] = 1;
	}
	out_char(w->o, '\n');
}

static void put_fn(struct writer *w, const char *key, fn_id f)
{
	put_name(w, key, f, w->done.fn, store_fn_name(w->st, f));
}

static void put_file(struct writer *w, const char *key, file_id f)
{
	put_name(w, key, f, w->done.file, store_file(w->st, f));
}

static void put_obj(struct writer *w, const char *key, obj_id ob)
{
	put_name(w, key, ob, w->done.obj, store_obj(w->st, ob));
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

static void put_costs(struct writer *w, const uint64_t *costs)
{
	for (uint32_t e = 0; e < w->info->events; e++) {
		out_char(w->o, ' ');
		out_u64(w->o, costs[e]);
	}
	out_char(w->o, '\n');
}

static void add_total(struct writer *w, uint32_t e, uint64_t cost)
{
	if (__builtin_add_overflow(w->totals[e], cost, &w->totals[e]))
		w->totals[e] = UINT64_MAX;
}

/* Lines of inlined code are written under their own file. */
static void follow_file(struct writer *w, file_id file)
{
	if (file == w->file)
		return;
	put_file(w, "fi", file);
	w->file = file;
}

static int put_lines(struct writer *w, fn_id f)
{
	struct store_line *rows;
	uint64_t *costs;
	size_t n;

	if (store_lines(w->st, f, &w->arena, &rows, &costs, &n, w->rd->err))
		return (int)w->rd->err->kind;
	for (size_t i = 0; i < n; i++) {
		const uint64_t *c = costs + i * w->info->events;

		follow_file(w, rows[i].file);
		put_position(w, rows[i].instr, rows[i].line);
		put_costs(w, c);
		for (uint32_t e = 0; e < w->info->events; e++)
			add_total(w, e, c[e]);
	}
	return 0;
}

static int put_calls(struct writer *w, fn_id f)
{
	struct store_site *rows;
	uint64_t *costs;
	size_t n;

	if (store_sites(w->st, f, &w->arena, &rows, &costs, &n, w->rd->err))
		return (int)w->rd->err->kind;
	for (size_t i = 0; i < n; i++) {
		fn_id to = rows[i].callee;

		if (!w->chosen[to])
			continue;
		follow_file(w, rows[i].file);
		put_obj(w, "cob", store_fn_obj_id(w->st, to));
		put_file(w, "cfi", store_fn_file_id(w->st, to));
		put_fn(w, "cfn", to);
		out_printf(w->o, "calls=%" PRIu64 " ", rows[i].calls);
		put_position(w, 0, store_fn_line(w->st, to));
		out_char(w->o, '\n');
		put_position(w, rows[i].instr, rows[i].line);
		put_costs(w, costs + i * w->info->events);
	}
	return 0;
}

static int put_function(struct writer *w, fn_id f)
{
	out_char(w->o, '\n');
	put_obj(w, "ob", store_fn_obj_id(w->st, f));
	w->file = store_fn_file_id(w->st, f);
	put_file(w, "fl", w->file);
	put_fn(w, "fn", f);
	arena_reset(&w->arena);
	if (put_lines(w, f) == 0)
		put_calls(w, f);
	return (int)w->rd->err->kind;
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
	if (graph_is(w->g, f, GRAPH_FILES))
		out_printf(w->o, "%s=???\n", file);
	else
		put_file(w, file, store_fn_file_id(w->st, at));
}

static void put_graph_call(struct writer *w, uint32_t edge)
{
	struct store_edge x;

	graph_edge(w->g, edge, &x);
	if (!w->chosen[x.callee])
		return;
	put_graph_places(w, x.callee, "cob", "cfi");
	put_name(w, "cfn", x.callee, w->done.fn, graph_name(w->g, x.callee));
	out_printf(w->o, "calls=%" PRIu64 " %" PRIu64 "\n%" PRIu64, x.calls,
		   graph_line(w->g, x.callee), graph_line(w->g, x.caller));
	for (uint32_t e = 0; e < w->info->events; e++) {
		out_char(w->o, ' ');
		out_u64(w->o, graph_edge_incl(w->g, edge, e));
	}
	out_char(w->o, '\n');
}

static void put_graph_function(struct writer *w, uint32_t f)
{
	uint32_t first, n;

	out_char(w->o, '\n');
	put_graph_places(w, f, "ob", "fl");
	put_name(w, "fn", f, w->done.fn, graph_name(w->g, f));
	out_u64(w->o, graph_line(w->g, f));
	for (uint32_t e = 0; e < w->info->events; e++) {
		uint64_t cost = graph_self(w->g, f, e);

		out_char(w->o, ' ');
		out_u64(w->o, cost);
		add_total(w, e, cost);
	}
	out_char(w->o, '\n');
	graph_callees(w->g, f, &first, &n);
	for (uint32_t i = 0; i < n; i++)
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
	out_str(w->o, ev.name);
	if (e >= w->info->events) {
		out_c(w->o, " = ");
		out_str(w->o, ev.formula);
	}
	if (ev.long_name.n) {
		out_c(w->o, " : ");
		out_str(w->o, ev.long_name);
	}
	out_char(w->o, '\n');
}

static void put_header(struct writer *w)
{
	const struct store_info *info = w->info;

	out_c(w->o, "# callgrind format\nversion: 1\ncreator: quern\n");
	if (info->cmd.n) {
		out_c(w->o, "cmd: ");
		out_str(w->o, info->cmd);
		out_char(w->o, '\n');
	}
	out_c(w->o, "desc: Query: ");
	emit_name(w->o, EMIT_TEXT, w->rd->r->query);
	if (w->g)
		out_printf(w->o, "\ndesc: Note: one cost line per function%s",
			   w->g->estimated ? "; costs are estimates of quern" : "");
	out_printf(w->o, "\npositions:%s%s\n", info->has_instr && !w->g ? " instr" : "",
		   info->has_line || !info->has_instr || w->g ? " line" : "");
	for (uint32_t e = 0; e < info->all_events; e++)
		put_event(w, e);
	out_c(w->o, "events:");
	for (uint32_t e = 0; e < info->events; e++) {
		struct store_event ev;

		store_event(w->st, e, &ev);
		out_char(w->o, ' ');
		out_str(w->o, ev.name);
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

static void mark_chosen(struct writer *w, const struct column *id)
{
	const struct result *r = w->rd->r;

	/* A tree with recursion has no end in a graph: write the whole profile. */
	if (r->tree)
		memset(w->chosen, 1, w->g ? w->g->functions : w->info->functions);
	for (size_t i = 0; i < r->rows; i++) {
		uint32_t f = !render_absent(id, i) && id->u[i] < w->info->functions
				     ? (uint32_t)id->u[i]
				     : GRAPH_NONE;

		if (f != GRAPH_NONE && w->g)
			f = graph_of_store(w->g, f);
		if (f != GRAPH_NONE)
			w->chosen[f] = 1;
	}
}

static void write_profile(struct writer *w, const struct column *id)
{
	uint32_t functions = w->g ? w->g->functions : w->info->functions;

	for (uint32_t e = 0; w->g && e < w->info->events; e++)
		if (graph_event(w->g, e, w->rd->err))
			return;
	mark_chosen(w, id);
	put_header(w);
	for (fn_id f = 0; f < functions; f++) {
		if (render_cancelled(w->rd, f))
			return;
		if (w->chosen[f] && w->g)
			put_graph_function(w, f);
		else if (w->chosen[f] && put_function(w, f))
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
	if (check_ids(rd, id))
		return (int)rd->err->kind;
	if (rd->r->graph && !rd->r->graph->plain)
		w.g = rd->r->graph;
	else if (rd->r->nfilters && !rd->r->graph)
		return err_set(
			rd->err, ERR_QUERY, 0,
			"`_` does not keep the graph that its stages made: ask again");
	if (!w.st)
		return err_set(rd->err, ERR_QUERY, 0,
			       "the profile of this answer is closed");
	w.info = store_info(w.st);
	arena_init(&w.arena, ROUND);
	w.done.fn = calloc((size_t)w.info->functions + 1, 1);
	w.done.file = calloc((size_t)w.info->files + 1, 1);
	w.done.obj = calloc((size_t)w.info->objects + 1, 1);
	w.chosen = calloc((size_t)w.info->functions + 1, 1);
	w.totals = calloc((size_t)w.info->events + 1, sizeof(*w.totals));
	if (w.done.fn && w.done.file && w.done.obj && w.chosen && w.totals)
		write_profile(&w, id);
	else
		err_no_memory(rd->err, NULL);
	free(w.done.fn);
	free(w.done.file);
	free(w.done.obj);
	free(w.chosen);
	free(w.totals);
	arena_free(&w.arena);
	return (int)rd->err->kind;
}
