/*
 * source_line.c - detail of functions: lines, instrs, callsites, jumps.
 *
 * lines and instrs have one row per place of a function: its cost lines (self) and the
 * call sites there (calls_out, incl_out).  A place is (file, line) or (file, instr,
 * line).  line_rows.c reads them.
 */

#include "engine/graph/graph_stage.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/place_set.h"
#include "engine/rows/reading.h"
#include "engine/inline/inlined.h"
#include "engine/sources/getters.h"
#include "engine/sources/line_rows.h"
#include "engine/sources/source.h"
#include "engine/listing/source_text.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"

/* ---- text ---- */

/* *any: some place has text; *none: what is to be said of those without. */
static void read_texts(struct exec *x, struct line_rows *d, bool *any, struct str *none)
{
	struct text_file *files = NULL;
	struct texts_missing missing = {.list = STR("")};
	size_t n = 0;

	*any = false;
	d->text = EXEC_ARRAY(x, struct text_file *, d->n + 1);
	for (size_t i = 0; i < d->n; i++) {
		text_of_file(x, &files, plain_file(d, d->places[i].file), &d->text[i]);
		*any |= d->text[i]->line != NULL;
		text_missing(x, &missing, d->text[i],
			     store_file(d->st, plain_file(d, d->places[i].file)));
	}
	for (struct text_file *f = files; f; f = f->next, n++)
		if (f->newer)
			text_note_newer(x, f);
	if (missing.n)
		*none = text_missing_note(x, &missing, n);
}

/* ---- opening ---- */

static void callers_set(struct exec *x, const struct fn_set *of, struct fn_set **out)
{
	*out = fnset_new(x->a, x->g->functions);
	for (uint32_t f = fnset_next(of, 0); f != FNSET_NONE; f = fnset_next(of, f + 1))
		for (uint32_t i = 0, n = graph_caller_count(x->g, f); i < n; i++) {
			struct store_edge e;

			graph_edge(x->g, graph_caller(x->g, f, i), &e);
			fnset_add(*out, e.caller);
		}
	exec_poll_now(x);
}

static void portion_set(struct exec *x, struct fn_set **out)
{
	const struct session_reading *p = x->open->reading;

	*out = fnset_new(x->a, x->g->functions);
	for (uint32_t i = 0; i < p->number && i < x->g->functions - p->first; i++)
		fnset_add(*out, p->first + i);
}

/* The functions whose lines are asked for; NULL: all. */
static void detail_set(struct exec *x, const struct source *s, struct line_rows *d,
		       struct fn_set **out)
{
	const struct set *of = s->of ? s->of : s->from;

	*out = NULL;
	if (of && (s->kind == S_LINES || s->kind == S_INSTRS)) {
		exec_place_set(x, of, out, &d->only);
		return;
	}
	if (of)
		exec_set(x, of, out);
	if (s->to)
		exec_set(x, s->to, &d->to);
	if (!of && !s->to && x->open->reading->number) {
		portion_set(x, out);
		return;
	}
	if (s->kind == S_CALLSITES && s->of) {
		exec_hint(x, STR("`callsites of` lists the calls that a function "
				 "makes, `callsites to` those to it"));
		return;
	}
	if (s->to && !of)
		callers_set(x, d->to, out);
}

/* Read the sites of the calls in x->calls alone, made by functions of the set (NULL: all);
 * false: there are none, and a note may say why of all. */
static bool read_some(struct exec *x, struct line_rows *d, const struct fn_set *of)
{
	struct fn_set *callers = fnset_new(x->a, x->g->functions);

	for (uint32_t e = fnset_next(x->calls, 0); e != FNSET_NONE;
	     e = fnset_next(x->calls, e + 1))
		fnset_add(callers, graph_edge_caller(x->g, e));
	if (of)
		fnset_and(callers, of);
	d->calls = x->calls;
	line_rows(x, d, callers);
	d->calls = NULL;
	return d->n > 0;
}

static void detail_open(struct exec *x, const struct source *s, struct table *t)
{
	struct line_rows *d = EXEC_ARRAY(x, struct line_rows, 1);
	const struct store_info *i = store_info(x->g->st);
	struct fn_set *set;
	bool text = false;

	fn_detail_check(x, s, t->src->name);
	if ((s->kind == S_INSTRS || s->kind == S_JUMPS) && !i->has_instr &&
	    (s->kind == S_INSTRS || i->jumps == 0))
		source_lacks(x, s->span,
			     s->kind == S_JUMPS ? "jumps" : "instruction addresses",
			     s->kind == S_JUMPS ? "--collect-jumps=yes"
						: "--dump-instr=yes");
	d->st = x->g->st;
	d->events = i->events;
	d->kind = s->kind;
	/* Rows of merged functions are merged, and jumps have no cost. */
	detail_set(x, s, d, &set);
	if (!set && !d->only && x->g->plain && s->kind != S_JUMPS)
		d->keep = x->keep;
	if (!x->calls || !read_some(x, d, set))
		line_rows(x, d, set);
	t->data = d;
	t->rows = s->kind == S_JUMPS ? (const void *)d->jumps : d->places;
	t->ordered =
		x->open->reading->number || (s->kind != S_LINES && (s->of || s->from));
	if (s->kind == S_LINES && s->of)
		read_texts(x, d, &text, &t->no_text);
	table_init(x, t, t->src, x->g, d->n);
	if (text)
		table_show(t, STR("text"));
	if (graph_span_of(x->g)
		    ? s->kind != S_JUMPS
		    : x->g->hides && (s->kind == S_LINES || s->kind == S_INSTRS))
		table_tell(t, STR("estimated"));
	t->rows_before += d->dropped;
}

/* ---- columns of lines and instrs ---- */

static const struct line_rows *rows_of(const struct table *t)
{
	return t->data;
}

static const struct place *place_of(const struct table *t, uint32_t r)
{
	return &rows_of(t)->places[r];
}

static uint64_t detail_cost(const struct table *t, size_t at, uint32_t e)
{
	return store_event_of(rows_of(t)->st, e, rows_of(t)->costs + at);
}

file_id place_file(const struct table *t, uint32_t r)
{
	return plain_file(rows_of(t), place_of(t, r)->file);
}

uint64_t place_self(const struct table *t, uint32_t r, uint32_t e)
{
	return detail_cost(t, (size_t)r * 2 * rows_of(t)->events, e);
}

uint64_t place_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return detail_cost(t, ((size_t)r * 2 + 1) * rows_of(t)->events, e);
}

bool place_about(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return place_of(t, r)->about;
}

bool place_exact(const struct table *t)
{
	return !t->g->hides && !graph_span_of(t->g);
}

/* A line has bounds in a span, by the event that measures it: those of its function, if that
 * spends nothing elsewhere. */
bool place_unbounded(const struct table *t, uint32_t r)
{
	const struct graph_span *span = graph_span_of(t->g);

	return !span || span->event != t->event || t->g->hides ||
	       !place_of(t, r)->bounded;
}

uint64_t place_lo(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const struct graph_span *span = graph_span_of(t->g);
	const struct place *p = place_of(t, r);

	return span && p->has_self && p->alone ? (uint64_t)span->self_lo[p->of] : 0;
}

uint64_t place_hi(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const struct graph_span *span = graph_span_of(t->g);
	const struct place *p = place_of(t, r);

	return span && p->has_self ? (uint64_t)span->self_hi[p->of] : 0;
}

/* Look up all rows at once: stages may ask for a few at a time. */
void prepare_inlined(const struct table *t, uint32_t event UNUSED)
{
	struct line_rows *d = t->data;

	if (d->in)
		return;
	inlining_new(t->x, &d->in);
	for (size_t i = 0; i < d->n; i++) {
		const struct place *p = &d->places[i];

		inlining_want(d->in, p->of, p->file, p->line, p->instr);
		exec_poll(t->x);
	}
	inlining_read(d->in, true);
}

/* Whether the row is inlined; *f: its innermost inlined call, if that is known. */
static bool place_frame(const struct table *t, uint32_t r, const struct inline_frame **f)
{
	const struct place *p = place_of(t, r);

	*f = NULL;
	return rows_of(t)->in ? inlining_at(rows_of(t)->in, p->of, p->file, p->instr, f)
			      : inlined_line(rows_of(t)->st, p->of, place_file(t, r));
}

static struct str place_file_name(const struct table *t, uint32_t r)
{
	return store_file(rows_of(t)->st, place_file(t, r));
}

/* Of a line the function that it is inlined from, of an instruction its inlined calls; or
 * else the file. */
struct str place_inlined(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;
	struct str s = STR("");

	if (!place_frame(t, r, &f))
		return rows_of(t)->kind == S_INSTRS ? s : place_file_name(t, r);
	if (rows_of(t)->kind == S_INSTRS)
		s = f ? inlining_chain(t->x->a, f, false) : place_file_name(t, r);
	else
		s = f && f->name.n ? f->name : place_file_name(t, r);
	return s.p ? s : STR("");
}

bool place_not_inlined(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;

	return !place_frame(t, r, &f);
}

/* Where the inlined calls of an instruction are. */
struct str place_inlined_at(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;
	struct str s = STR("");

	if (place_frame(t, r, &f) && f)
		s = inlining_calls(t->x->a, f);
	return s.p ? s : STR("");
}

bool place_not_in_calls(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;

	return !place_frame(t, r, &f) || !f;
}

struct str place_text(const struct table *t, uint32_t r)
{
	const struct line_rows *d = rows_of(t);
	struct str s;

	if (!d->text)
		return STR("");
	s = str_trim(text_at(d->text[r], d->places[r].line));
	s = text_clean(t->x->a, s);
	return s.p ? s : STR("");
}

struct str place_dir(const struct table *t, uint32_t r)
{
	return graph_dir_of(place_file_name(t, r));
}

static const struct listed line_list[] = {
	{"file", BOTH | WITH_LINE, 1},
	{"line", BOTH, 0},
	{"self", BOTH, 2},
	{"self%", SHOW_T | HAS_BAR, 3},
	{"calls_out", BOTH, 7},
	{"incl_out", BOTH, 6},
	{"fn", BOTH, 5},
	{"text", 0, 4}, /* people see it if some could be read */
	{"class", 0, 0},
	{"fn_id", 0, 0},
	{"dir", 0, 0},
	{"inlined", 0, 0},
	{"has_self", 0, 0},
	{"estimated", 0, 0}, /* machines see it after a stage that shares out */
	{"instr", 0, 0},
	{"lo", 0, 0},
	{"hi", 0, 0},
};
static const struct listed instr_list[] = {
	{"file", BOTH, 0},
	{"line", BOTH, 0},
	{"instr", BOTH, 0},
	{"self", BOTH, 0},
	{"self%", SHOW_T | HAS_BAR, 0},
	{"calls_out", BOTH, 0},
	{"incl_out", BOTH, 0},
	{"fn", BOTH, 0},
	{"inlined", 0, 0},
	{"inlined_at", 0, 0},
	{"fn_id", 0, 0},
	{"has_self", 0, 0},
	{"estimated", 0, 0}, /* machines see it after a stage that shares out */
};

static uint32_t place_graph_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, place_of(t, r)->of);
}

static void place_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	const struct place *p = place_of(t, r);

	out->fn[0] = place_graph_fn(t, r);
	out->file = plain_file(rows_of(t), p->file);
	out->line = p->line;
}

const struct source_def source_lines = {
	.few_calls = true,
	.name = "lines",
	.rows = "lines",
	.primary = "self",
	.of = ROWS_PLACE,
	COLUMNS(line_list),
	.sorted = true,
	.open = detail_open,
	.fn = place_graph_fn,
	.subject = place_subject,
	.row_size = sizeof(struct place),
};
const struct source_def source_instrs = {
	.few_calls = true,
	.name = "instrs",
	.rows = "instructions",
	.primary = "self",
	.of = ROWS_PLACE,
	COLUMNS(instr_list),
	.sorted = true,
	.open = detail_open,
	.fn = place_graph_fn,
	.row_size = sizeof(struct place),
};

/* ---- columns of callsites ---- */

static fn_id caller_of(const struct table *t, uint32_t r)
{
	return store_edge_caller(rows_of(t)->st, place_of(t, r)->of);
}

static fn_id callee_of(const struct table *t, uint32_t r)
{
	return store_edge_callee(rows_of(t)->st, place_of(t, r)->of);
}

static uint32_t site_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, caller_of(t, r));
}

/* Or GRAPH_NONE */
static uint32_t site_callee_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, callee_of(t, r));
}

uint32_t site_caller_name(const struct table *t, uint32_t r)
{
	return store_fn_name_id(rows_of(t)->st, caller_of(t, r));
}

uint32_t site_callee_name(const struct table *t, uint32_t r)
{
	return store_fn_name_id(rows_of(t)->st, callee_of(t, r));
}

struct str site_caller(const struct table *t, uint32_t r)
{
	return graph_name(t->g, site_fn(t, r));
}

struct str site_callee(const struct table *t, uint32_t r)
{
	const uint32_t f = site_callee_fn(t, r);

	return f == GRAPH_NONE ? STR("???") : graph_name(t->g, f);
}

uint64_t site_callee_id(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const uint32_t f = site_callee_fn(t, r);

	return f == GRAPH_NONE ? 0 : graph_id(t->g, f);
}

/* A call inside a cycle, or of itself. */
bool site_recursive(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const uint32_t from = site_fn(t, r), to = site_callee_fn(t, r);
	const uint32_t cycle = from == GRAPH_NONE ? 0 : graph_cycle(t->g, from);

	return to != GRAPH_NONE &&
	       (from == to || (cycle && cycle == graph_cycle(t->g, to)));
}

bool site_no_callee(const struct table *t, uint32_t r)
{
	return site_callee_fn(t, r) == GRAPH_NONE;
}

bool place_not_counted(const struct table *t, uint32_t r)
{
	return !store_counts_calls(t->g->st) || ROW(place, t, r)->calls == CALLS_UNKNOWN;
}

uint64_t site_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return detail_cost(t, (size_t)r * rows_of(t)->events, e);
}

bool detail_no_instr(const struct table *t, uint32_t r UNUSED)
{
	return !store_info(rows_of(t)->st)->has_instr;
}

static const struct listed site_list[] = {
	{"caller", BOTH, 6},
	{"callee", BOTH, 2},
	{"file", BOTH | WITH_LINE, 1},
	{"line", BOTH, 0},
	{"instr", SHOW_M, 0},
	{"calls", BOTH, 3},
	{"incl", BOTH, 4},
	{"incl%", SHOW_T | HAS_BAR, 5},
	{"caller_calls", 0, 0},
	{"recursive", 0, 0},
	{"caller_id", 0, 0},
	{"callee_id", 0, 0},
	{"estimated", 0, 0}, /* machines see it in a span of the run */
};

const struct source_def source_callsites = {
	.name = "callsites",
	.rows = "call sites",
	.primary = "incl",
	.of = ROWS_SITE,
	COLUMNS(site_list),
	.sorted = true,
	.open = detail_open,
	.fn = site_fn,
	.caller = {site_fn, 0},
	.callee = {site_callee_fn, 0},
	.row_size = sizeof(struct place),
};

/* ---- columns of jumps ---- */

static const struct jump *jump_of(const struct table *t, uint32_t r)
{
	return &rows_of(t)->jumps[r];
}

static uint32_t jump_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, jump_of(t, r)->fn);
}

struct str jump_to_name(const struct table *t, uint32_t r)
{
	return store_fn_shown(rows_of(t)->st, jump_of(t, r)->j.to_fn);
}

file_id jump_file(const struct table *t, uint32_t r)
{
	return jump_of(t, r)->j.file;
}

file_id jump_to_file(const struct table *t, uint32_t r)
{
	return jump_of(t, r)->j.to_file;
}

static const struct listed jump_list[] = {
	{"fn", BOTH, 6},       {"file", SHOW_M, 0},   {"line", BOTH, 1},
	{"instr", BOTH, 7},    {"to_fn", SHOW_M, 0},  {"to_file", SHOW_M, 0},
	{"to_line", BOTH, 2},  {"to_instr", BOTH, 8}, {"conditional", BOTH, 5},
	{"executed", BOTH, 3}, {"taken", BOTH, 4},
};

const struct source_def source_jumps = {
	.few_calls = true,
	.name = "jumps",
	.rows = "jumps",
	.primary = "executed",
	.of = ROWS_JUMP,
	COLUMNS(jump_list),
	.sorted = true,
	.open = detail_open,
	.fn = jump_fn,
	.row_size = sizeof(struct jump),
};
