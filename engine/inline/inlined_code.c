/*
 * inlined_code.c - see inlined_code.h.
 *
 * Functions are read twice, as for the source `inlined`: for the addresses to look up,
 * then for the code.  Each cost line belongs to the innermost inlined function there, and
 * a call to that of the cost line at its place:
 *
 *	address	cost	inlined		code
 *	0x10	5	-		F itself
 *	0x14	3	a		F > a
 *	0x18	4	b in a		F > a > b
 *
 * If only files tell, the code of a file is one function, with the name of the file.
 *
 * callgrind takes the file and line of a function's first instruction for the function's.  If
 * debug information says that this is inlined, the function is where that was called.
 */
#include "engine/inline/inlined_code.h"

#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/names/name.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/inline/inlined.h"
#include "index/base/need.h"
#include "index/base/err_struct.h"
#include "index/base/hash.h"
#include "index/base/bisect.h"
#include "index/base/order.h"
#include "index/base/cost.h"

#define OWN UINT32_MAX /* code that is not inlined */

/* An inlined function is known by its name, or else by its file. */
struct inlined_key {
	obj_id obj;
	bool by_file;
	uint32_t number; /* of the name, or of the file */
};

struct found_fn {
	struct inlined_key key;
	struct str name, code_file; /* code_file: of an outer function, by the debug
				       information; or empty */
	file_id file;		    /* of most of its lines, if one has most */
	uint32_t votes;		    /* lines there less those elsewhere */
};

/* A cost line of the function at hand. */
struct code_line {
	file_id file;
	uint64_t instr, line;
	uint32_t code;
};

/* A call site of it. */
struct code_site {
	uint32_t code, edge;
	uint64_t calls;
	const int64_t *costs;
};

struct finding {
	struct exec *x, reader; /* reader: the same, with memory for what is looked up */
	struct store *st;
	struct inlining *in;
	uint32_t events;
	struct found_fn *fn;
	struct inlined_code *code;
	struct inlined_call *call;
	int64_t *self, *cost;
	size_t fns, fn_cap, codes, code_cap, calls, call_cap, self_cap, cost_cap;
	struct hash by_key, by_place, by_file;
	const struct inline_frame **chain; /* innermost first */
	size_t chain_cap;
	uint8_t *moved; /* [edges]: MOVED, STAYS */
	file_id *own;	/* [functions of the graph], and the lines: see graph_inlines */
	uint64_t *own_line;
	uint32_t placed; /* functions */
	/* Of the function at hand: */
	uint32_t f; /* of the graph */
	fn_id of_store;
	const struct inline_frame *last; /* the frame met last, and its code */
	uint32_t last_code;
	struct arena *rows;
};

enum { MOVED = 1, STAYS = 2 };

/* ---- functions and code ---- */

static uint32_t hash_three(uint32_t a, uint32_t b, uint32_t c)
{
	return (uint32_t)hash_mix(hash_mix((uint64_t)a << 32 | b) ^ c);
}

/* The inlined function with this key. */
static uint32_t fn_of_key(struct finding *w, struct inlined_key key, struct str name)
{
	const uint32_t h = hash_three(key.obj, key.number, key.by_file);
	uint32_t probe = hash_start(&w->by_key, h), i;

	while ((i = hash_next(&w->by_key, h, &probe)) != HASH_NONE)
		if (w->fn[i].key.obj == key.obj && w->fn[i].key.number == key.number &&
		    w->fn[i].key.by_file == key.by_file)
			return i;
	exec_grow(w->x, &w->fn, &w->fn_cap, w->fns, w->fns + 1, sizeof(*w->fn));
	if (w->fns >= GRAPH_NO_FILE || hash_add(&w->by_key, h, (uint32_t)w->fns))
		need_memory(w->x->a);
	w->fn[w->fns] =
		(struct found_fn){.key = key, .name = name, .file = GRAPH_NO_FILE};
	return (uint32_t)w->fns++;
}

/* The code of an inlined function in a function or other code. */
static uint32_t code_in(struct finding *w, uint32_t into, uint32_t fn)
{
	const uint32_t h = hash_three(into, fn, 0);
	uint32_t probe = hash_start(&w->by_place, h), i;

	while ((i = hash_next(&w->by_place, h, &probe)) != HASH_NONE)
		if (w->code[i].into == into && w->code[i].fn == fn)
			return i;
	exec_grow(w->x, &w->code, &w->code_cap, w->codes, w->codes + 1, sizeof(*w->code));
	exec_grow(w->x, &w->self, &w->self_cap, w->codes * w->events,
		  (w->codes + 1) * w->events, sizeof(*w->self));
	if (w->codes >= GRAPH_NO_FILE - w->x->g->functions ||
	    hash_add(&w->by_place, h, (uint32_t)w->codes))
		need_memory(w->x->a);
	w->code[w->codes] = (struct inlined_code){into, fn};
	return (uint32_t)w->codes++;
}

static obj_id obj_at_hand(const struct finding *w)
{
	return store_fn_obj_id(w->st, w->of_store);
}

static uint32_t fn_of_frame(struct finding *w, const struct inline_frame *f,
			    const struct inline_frame *inner)
{
	struct inlined_key key = {obj_at_hand(w), false, f->number};
	const uint32_t i = fn_of_key(w, key, f->name);

	if (inner)
		w->fn[i].code_file = inner->file;
	return i;
}

/* A line of f is in `file`.  Of code in several files (macros) that with most lines stays,
 * by the vote of Boyer and Moore. */
static void vote_for_file(struct found_fn *f, file_id file)
{
	if (!f->votes)
		f->file = file;
	f->votes += f->file == file ? 1 : UINT32_MAX;
}

/* Put the frame and those that it is inlined into in w->chain. */
static size_t list_chain(struct finding *w, const struct inline_frame *frame)
{
	size_t n = 0;

	for (const struct inline_frame *f = frame; f; f = f->outer) {
		exec_grow(w->x, &w->chain, &w->chain_cap, n, n + 1, sizeof(*w->chain));
		exec_poll(w->x);
		w->chain[n++] = f;
	}
	return n;
}

/* The code of a place that is inlined. */
static uint32_t code_of_frame(struct finding *w, const struct inline_frame *frame,
			      file_id file)
{
	uint32_t code = OWN, into = w->f;

	if (!frame) {
		const struct inlined_key key = {obj_at_hand(w), true, file};

		return code_in(w, into,
			       fn_of_key(w, key, str_basename(store_file(w->st, file))));
	}
	if (frame == w->last)
		return w->last_code;
	for (size_t i = list_chain(w, frame); i-- > 0;) {
		const uint32_t fn =
			fn_of_frame(w, w->chain[i], i ? w->chain[i - 1] : NULL);

		code = code_in(w, into, fn);
		into = w->x->g->functions + code;
	}
	w->last = frame;
	w->last_code = code;
	return code;
}

/* *code: OWN if the place is not inlined. */
static void code_at(struct finding *w, file_id file, uint64_t instr, uint32_t *code)
{
	const struct inline_frame *frame;
	struct str name;

	*code = OWN;
	if (!inlining_at(w->in, w->of_store, file, instr, &frame))
		return;
	store_inlined(w->st, file, &file, &name);
	*code = code_of_frame(w, frame, file);
	vote_for_file(&w->fn[w->code[*code].fn], file);
}

/* ---- the lines of a function ---- */

static int by_place(const void *pa, const void *pb)
{
	const struct code_line *a = pa, *b = pb;
	int c = order_u64(a->file, b->file);

	c = c ? c : order_u64(a->instr, b->instr);
	return c ? c : order_u64(a->line, b->line);
}

static void add_lines(struct finding *w, struct code_line **out, size_t *n)
{
	struct store_line *line = NULL;
	struct code_line *to;
	int64_t *costs = NULL;
	struct str name;

	fn_inlined_lines(w->x, w->of_store, w->rows, &line, &costs, n);
	if (!(to = *out = ARENA_ARRAY(w->rows, struct code_line, *n + 1)))
		need_memory(w->rows);
	for (size_t i = 0; i < *n; i++) {
		file_id file;

		store_inlined(w->st, line[i].file, &file, &name);
		to[i] = (struct code_line){file, line[i].instr, line[i].line, OWN};
		code_at(w, line[i].file, line[i].instr, &to[i].code);
		for (uint32_t e = 0; to[i].code != OWN && e < w->events; e++) {
			int64_t *sum = &w->self[(size_t)to[i].code * w->events + e];

			cost_add(sum, costs[i * w->events + e]);
		}
	}
	if (store_info(w->st)->inlined && *n)
		qsort(to, *n, sizeof(*to), by_place);
}

/* ---- its calls ---- */

/* The code of the line at the place of a call.  If several are there, nothing tells which
 * of them calls: the function itself. */
static void code_of_site(struct finding *w, const struct code_line *line, size_t n,
			 const struct store_site *s, uint32_t *code)
{
	const struct code_line place = {s->file, s->instr, s->line, OWN};
	struct bisect b = bisect_in(0, n);

	while (bisect_next(&b))
		bisect_step(&b, by_place(&line[b.mid], &place) < 0);
	if (b.lo == n || by_place(&line[b.lo], &place) != 0) {
		code_at(w, s->file, s->instr, code);
		return;
	}
	*code = line[b.lo].code;
	for (size_t i = b.lo; i < n && by_place(&line[i], &place) == 0; i++)
		if (line[i].code != *code)
			*code = OWN;
}

/* The call in the graph; GRAPH_NONE: it is in none of its parts. */
static uint32_t edge_of_site(const struct finding *w, const struct store_site *s)
{
	const struct graph *g = w->x->g;

	return g->plain ? s->edge
			: graph_edge_between(g, w->f, graph_of_store(g, s->callee));
}

static int by_code(const void *pa, const void *pb)
{
	const struct code_site *a = pa, *b = pb;
	const int c = order_u64(a->code, b->code);

	return c ? c : order_u64(a->edge, b->edge);
}

/* site[0..n) are sorted. */
static void join_sites(struct finding *w, const struct code_site *site, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const bool new = !i || by_code(&site[i - 1], &site[i]);
		int64_t *sum;

		if (new) {
			exec_grow(w->x, &w->call, &w->call_cap, w->calls, w->calls + 1,
				  sizeof(*w->call));
			exec_grow(w->x, &w->cost, &w->cost_cap, w->calls * w->events,
				  (w->calls + 1) * w->events, sizeof(*w->cost));
			w->call[w->calls++] =
				(struct inlined_call){site[i].code, site[i].edge, 0};
		}
		graph_add_calls(w->x->g, &w->call[w->calls - 1].calls, site[i].calls);
		sum = w->cost + (w->calls - 1) * w->events;
		cost_add_each(sum, site[i].costs, w->events);
		if (i + 1 == n || by_code(&site[i], &site[i + 1]))
			graph_end_calls(w->x->g, &w->call[w->calls - 1].calls);
	}
}

static void add_sites(struct finding *w, const struct code_line *line, size_t nlines)
{
	struct store_site *s = NULL;
	struct code_site *site;
	int64_t *costs = NULL;
	size_t n = 0, k = 0;

	fn_sites(w->x, w->of_store, w->rows, &s, &costs, NULL, &n);
	if (!(site = ARENA_ARRAY(w->rows, struct code_site, n + 1)))
		need_memory(w->rows);
	for (size_t i = 0; i < n; i++) {
		const uint32_t edge = edge_of_site(w, &s[i]);
		uint32_t code;

		code_of_site(w, line, nlines, &s[i], &code);
		if (edge == GRAPH_NONE)
			continue;
		w->moved[edge] |= code == OWN ? STAYS : MOVED;
		if (code != OWN)
			site[k++] = (struct code_site){code, edge, s[i].calls,
						       costs + i * w->events};
	}
	if (k)
		qsort(site, k, sizeof(*site), by_code);
	join_sites(w, site, k);
}

/* The files of the profile by their base names. */
static void list_files(struct finding *w)
{
	for (file_id i = 0; i < store_info(w->st)->files; i++) {
		const struct str base = str_basename(store_file(w->st, i));

		if (hash_add(&w->by_file, (uint32_t)str_hash(base), i))
			need_memory(w->x->a);
	}
}

/* A file by the name that debug information has for it, which may write its directory in
 * another way, or leave out where that is. */
static file_id file_named(const struct finding *w, struct str name)
{
	const struct str base = str_basename(name);
	const uint32_t h = (uint32_t)str_hash(base);
	uint32_t probe = hash_start(&w->by_file, h), i;
	file_id found = GRAPH_NO_FILE, end = GRAPH_NO_FILE, all = 0, ends = 0;

	while (name.n && (i = hash_next(&w->by_file, h, &probe)) != HASH_NONE) {
		const struct str file = store_file(w->st, i);

		if (str_eq(file, name))
			return i;
		if (!str_eq(str_basename(file), base))
			continue;
		if (str_ends(file, name) && file.p[file.n - name.n - 1] == '/') {
			end = i;
			ends++;
		}
		found = i;
		all++;
	}
	return ends == 1 ? end : all == 1 ? found : GRAPH_NO_FILE;
}

/* Where the function is, if its first instruction is inlined: where that was called. */
static void place_function(struct finding *w, const struct code_line *line, size_t n)
{
	const struct code_line *first = line;
	const struct inline_frame *f;
	file_id file;

	for (size_t i = 1; i < n; i++)
		first = line[i].instr < first->instr ? &line[i] : first;
	if (!n || first->code == OWN ||
	    !inlining_at(w->in, w->of_store, first->file, first->instr, &f) || !f)
		return;
	while (f->outer)
		f = f->outer;
	if ((file = file_named(w, f->file)) == GRAPH_NO_FILE)
		return;
	w->own[w->f] = file;
	w->own_line[w->f] = f->line;
	w->placed++;
}

static void add_function(struct finding *w)
{
	struct code_line *line = NULL;
	size_t n = 0;

	w->last = NULL;
	add_lines(w, &line, &n);
	place_function(w, line, n);
	add_sites(w, line, n);
}

/* Look up the addresses of a function later. */
static void want_function(struct finding *w)
{
	struct store_line *line = NULL;
	struct store_site *site = NULL;
	int64_t *costs = NULL;
	size_t lines = 0, sites = 0;

	fn_inlined_lines(w->x, w->of_store, w->rows, &line, &costs, &lines);
	fn_sites(w->x, w->of_store, w->rows, &site, &costs, NULL, &sites);
	for (size_t i = 0; i < lines; i++)
		inlining_want(w->in, w->of_store, line[i].file, line[i].line,
			      line[i].instr);
	for (size_t i = 0; i < sites; i++)
		inlining_want(w->in, w->of_store, site[i].file, site[i].line,
			      site[i].instr);
}

static void each_function(struct finding *w, void (*each)(struct finding *))
{
	enum { POLL = 16 };

	for (w->f = 0; w->f < w->x->g->functions; w->f++) {
		w->of_store = graph_origin(w->x->g, w->f);
		arena_reset(w->rows);
		each(w);
		if (w->f % POLL == 0)
			exec_poll_now(w->x);
	}
}

/* ---- what was found ---- */

static void keep_fns(struct finding *w, struct inlined_fn *out)
{
	for (size_t i = 0; i < w->fns; i++) {
		const struct found_fn *f = &w->fn[i];

		out[i].name = arena_join(w->x->a, f->name.n ? f->name : STR("???"),
					 STR(NAME_INLINED), STR(""));
		if (!out[i].name.p)
			need_memory(w->x->a);
		inlining_known(w->x, f->key.obj, !f->key.by_file);
		out[i].file =
			f->file != GRAPH_NO_FILE ? f->file : file_named(w, f->code_file);
	}
}

static void keep_found(struct finding *w, struct graph_inlines *out)
{
	struct exec *x = w->x;

	*out = (struct graph_inlines){.fn = EXEC_ARRAY(x, struct inlined_fn, w->fns + 1),
				      .code = w->code,
				      .self = w->self,
				      .call = w->call,
				      .cost = w->cost,
				      .fns = (uint32_t)w->fns,
				      .codes = (uint32_t)w->codes,
				      .calls = (uint32_t)w->calls,
				      .file = w->own,
				      .line = w->own_line,
				      .gone = w->moved};
	keep_fns(w, out->fn);
	for (uint32_t i = 0; i < x->g->edges; i++)
		w->moved[i] = w->moved[i] == MOVED;
}

static void note_found(struct finding *w)
{
	bool by_file = false;

	for (size_t i = 0; i < w->fns && !by_file; i++)
		by_file = w->fn[i].key.by_file;
	if (!w->fns) {
		exec_note(w->x, STR("no inlined code is known in this profile"));
		return;
	}
	if (w->placed)
		exec_hintf(w->x,
			   "%s function%s with inlined code: file and line are "
			   "those of the call, recorded are those of the code",
			   GROUPED(w->placed), w->placed == 1 ? " begins" : "s begin");
	if (!by_file || store_info(w->st)->has_instr)
		return;
	exec_notef(w->x, "inlined functions have the names of their files%s",
		   store_is_callgrind(w->st)
			   ? ": only profiles with --dump-instr=yes tell more"
			   : "");
}

/* Look up all addresses in the debug information.  The memory for that is of scratch; only
 * the notes are kept. */
static void look_up(struct finding *w, struct arena *scratch)
{
	struct exec_texts notes = {0};

	w->reader = *w->x;
	w->reader.a = scratch;
	w->reader.notes = &notes;
	inlining_new(&w->reader, &w->in);
	if (store_info(w->st)->has_instr)
		each_function(w, want_function);
	inlining_read(w->in, true);
	for (size_t i = 0; i < notes.n; i++)
		exec_note(w->x, arena_str(w->x->a, notes.at[i]));
}

void inlined_code_find(struct exec *x, struct graph_inlines *out)
{
	struct finding w = {.x = x,
			    .st = x->g->st,
			    .last_code = OWN,
			    .by_key = {.arena = x->a},
			    .by_place = {.arena = x->a},
			    .by_file = {.arena = x->a}};
	struct arena *scratch;

	w.events = store_info(w.st)->events;
	w.moved = EXEC_ARRAY(x, uint8_t, (size_t)x->g->edges + 1);
	w.own = EXEC_ARRAY(x, file_id, (size_t)x->g->functions + 1);
	w.own_line = EXEC_ARRAY(x, uint64_t, (size_t)x->g->functions + 1);
	for (uint32_t f = 0; f < x->g->functions; f++)
		w.own[f] = GRAPH_NONE;
	scratch = need_scratch(x->a);
	w.rows = need_scratch(x->a);
	look_up(&w, scratch);
	list_files(&w);
	each_function(&w, add_function);
	keep_found(&w, out);
	note_found(&w);
	scratch_free(w.rows);
	scratch_free(scratch);
}
