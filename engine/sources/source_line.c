/*
 * source_line.c - detail of functions: lines, instrs, callsites, jumps.
 *
 * lines and instrs have one row per place of a function: its cost lines (self) and the
 * call sites there (calls_out, incl_out).  A place is (file, line) or (file, instr,
 * line).  line_rows.c reads them.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph_stage.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/inline/inlined.h"
#include "engine/sources/line_rows.h"
#include "engine/sources/source.h"
#include "engine/listing/source_text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- text ---- */

/* *any: some place has text.  If a file cannot be read, `source of` says why. */
static int read_texts(struct exec *x, struct detail *d, bool *any)
{
	struct text_file *files = NULL;

	*any = false;
	if (!(d->text = EXEC_ARRAY(x, struct text_file *, d->n + 1)))
		return x->err->kind;
	for (size_t i = 0; i < d->n; i++) {
		if (text_of_file(x, &files, plain_file(d, d->places[i].file),
				 &d->text[i]))
			return x->err->kind;
		*any |= d->text[i]->line != NULL;
	}
	for (struct text_file *f = files; f; f = f->next)
		if (f->newer && text_note_newer(x, f))
			return x->err->kind;
	return 0;
}

/* ---- opening ---- */

static const struct source_def source_lines_text;

static int callers_set(struct exec *x, const struct fn_set *of, struct fn_set **out)
{
	if (!(*out = fnset_new(x->a, x->g->functions)))
		return arena_full(x->a, x->err);
	for (uint32_t f = fnset_next(of, 0); f != FNSET_NONE; f = fnset_next(of, f + 1))
		for (uint32_t i = 0, n = graph_caller_count(x->g, f); i < n; i++) {
			struct store_edge e;

			graph_edge(x->g, graph_caller(x->g, f, i), &e);
			fnset_add(*out, e.caller);
		}
	return exec_poll_now(x);
}

/* The functions whose lines are asked for; NULL: all. */
static int detail_set(struct exec *x, const struct source *s, struct detail *d,
		      struct fn_set **out)
{
	const struct set *of = s->of ? s->of : s->from;

	*out = NULL;
	if ((of && exec_set(x, of, out)) || (s->to && exec_set(x, s->to, &d->to)))
		return x->err->kind;
	if (s->kind == S_CALLSITES && s->of)
		return exec_hint(x, STR("`callsites of` lists the calls that a function "
					"makes, `callsites to` those to it"));
	return s->to && !of ? callers_set(x, d->to, out) : 0;
}

static int detail_open(struct exec *x, const struct source *s, struct table *t)
{
	struct detail *d = EXEC_ARRAY(x, struct detail, 1);
	const struct store_info *i = store_info(x->g->st);
	struct fn_set *set;
	bool text = false;

	if (!d)
		return x->err->kind;
	if (fn_detail_check(x, s, t->src->name))
		return x->err->kind;
	if ((s->kind == S_INSTRS || s->kind == S_JUMPS) && !i->has_instr &&
	    (s->kind == S_INSTRS || i->jumps == 0)) {
		exec_fail(x, s->span, "this profile has no %s",
			  s->kind == S_JUMPS ? "jumps" : "instruction addresses");
		return err_hint(x->err, "run callgrind with %s",
				s->kind == S_JUMPS ? "--collect-jumps=yes"
						   : "--dump-instr=yes");
	}
	d->st = x->g->st;
	d->events = i->events;
	d->by_instr = s->kind == S_INSTRS;
	/* Rows of merged functions are merged at the end, and jumps have no cost. */
	if (detail_set(x, s, d, &set))
		return x->err->kind;
	if (!set && x->g->plain && s->kind != S_JUMPS)
		d->keep = x->keep;
	if (line_rows(x, s->kind, d, set))
		return x->err->kind;
	t->data = d;
	t->ordered = s->of || s->from;
	if (s->kind == S_LINES && s->of && read_texts(x, d, &text))
		return x->err->kind;
	if (table_init(x, t, text ? &source_lines_text : t->src, x->g, d->n))
		return x->err->kind;
	t->rows_before += d->dropped;
	return 0;
}

/* ---- columns of lines and instrs ---- */

static const struct detail *detail_of(const struct table *t)
{
	return t->data;
}

static const struct place *place_of(const struct table *t, uint32_t r)
{
	return &detail_of(t)->places[r];
}

static uint64_t detail_cost(const struct table *t, size_t at, uint32_t e)
{
	return store_event_of(detail_of(t)->st, e, detail_of(t)->costs + at);
}

static struct str place_file(const struct table *t, uint32_t r)
{
	return store_file(detail_of(t)->st,
			  plain_file(detail_of(t), place_of(t, r)->file));
}

static void place_files(const struct table *t, uint32_t *out)
{
	for (size_t i = 0; i < t->n; i++)
		out[i] = plain_file(detail_of(t), place_of(t, row_ref(t, i))->file);
}

static uint64_t place_line(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return place_of(t, r)->line;
}

static uint64_t place_instr(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return place_of(t, r)->instr;
}

static uint64_t place_self(const struct table *t, uint32_t r, uint32_t e)
{
	return detail_cost(t, (size_t)r * 2 * detail_of(t)->events, e);
}

static uint64_t place_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return place_of(t, r)->calls_out;
}

static uint64_t place_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return detail_cost(t, ((size_t)r * 2 + 1) * detail_of(t)->events, e);
}

static struct str place_fn(const struct table *t, uint32_t r)
{
	return graph_name(t->g, graph_of_store(t->g, place_of(t, r)->fn));
}

static bool place_no_line(const struct table *t, uint32_t r)
{
	return place_of(t, r)->line == 0;
}

/* Look up all rows at once: stages may ask for a few at a time. */
static int prepare_inlined(const struct table *t, uint32_t event)
{
	struct detail *d = t->data;

	(void)event;
	if (d->in)
		return 0;
	if (inlining_new(t->x, &d->in))
		return t->x->err->kind;
	for (size_t i = 0; i < d->n; i++) {
		const struct place *p = &d->places[i];

		if (inlining_want(d->in, p->fn, p->file, p->line, p->instr) ||
		    exec_poll(t->x))
			return t->x->err->kind;
	}
	return inlining_read(d->in, true);
}

/* Whether the row is inlined; *f: its innermost inlined call, if that is known. */
static bool place_frame(const struct table *t, uint32_t r, const struct inline_frame **f)
{
	const struct place *p = place_of(t, r);

	*f = NULL;
	return detail_of(t)->in
		       ? inlining_at(detail_of(t)->in, p->fn, p->file, p->instr, f)
		       : inlined_line(detail_of(t)->st, p->fn,
				      plain_file(detail_of(t), p->file));
}

/* The function that the line is inlined from, or else its file. */
static struct str place_inlined(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;

	return place_frame(t, r, &f) && f && f->name.n ? f->name : place_file(t, r);
}

static bool place_not_inlined(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;

	return !place_frame(t, r, &f);
}

/* The inlined calls of an instruction, and where they are. */
static struct str instr_inlined(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;
	struct str s = STR("");

	if (place_frame(t, r, &f))
		s = f ? inlining_chain(t->x->a, f) : place_file(t, r);
	return s.p ? s : STR("");
}

static struct str instr_inlined_at(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;
	struct str s = STR("");

	if (place_frame(t, r, &f) && f)
		s = inlining_calls(t->x->a, f);
	return s.p ? s : STR("");
}

static bool instr_no_calls(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;

	return !place_frame(t, r, &f) || !f;
}

#define PLACE_COSTS                                                                    \
	{"self", COL_COST, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = place_self},    \
		{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR,        \
		 .u = NULL},                                                           \
		{"calls_out", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = place_calls}, \
		{"incl_out", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = place_incl},  \
	{                                                                              \
		"fn", COL_NAME, SHOW_M | SHOW_T, .s = place_fn                         \
	}

static struct str place_text(const struct table *t, uint32_t r)
{
	const struct detail *d = detail_of(t);
	struct str s;

	if (!d->text)
		return STR("");
	s = str_trim(text_at(d->text[r], d->places[r].line));
	s = text_clean(t->x->a, s);
	return s.p ? s : STR("");
}

static struct str place_class(const struct table *t, uint32_t r)
{
	return graph_class_shown(t->g, graph_of_store(t->g, place_of(t, r)->fn));
}

static struct str place_dir(const struct table *t, uint32_t r)
{
	return graph_dir_of(place_file(t, r));
}

static uint64_t place_fn_id(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return graph_id(t->g, graph_of_store(t->g, place_of(t, r)->fn));
}

#define LINE_COLS(shown)                                                                \
	{"file",	  COL_FILE,	     SHOW_M | SHOW_T,                           \
	 .s = place_file, .dict = DICT_FILE, .codes = place_files},                     \
		{"line", COL_LINE, SHOW_M | SHOW_T, .u = place_line,                    \
		 .absent = place_no_line},                                              \
		PLACE_COSTS, {"text", COL_STR, shown, .s = place_text},                 \
		{"class", COL_NAME, 0, .s = place_class},                               \
		{"fn_id", COL_ID, 0, .u = place_fn_id},                                 \
		{"dir", COL_FILE, 0, .s = place_dir},                                   \
	{                                                                               \
		"inlined", COL_STR, 0, .s = place_inlined, .absent = place_not_inlined, \
				       .prepare = prepare_inlined                       \
	}

static const struct col_def line_cols[] = {LINE_COLS(0)};
/* Used if some text could be read. */
static const struct col_def line_text_cols[] = {LINE_COLS(SHOW_T)};
static const struct col_def instr_cols[] = {
	{"file", COL_FILE, SHOW_M | SHOW_T, .s = place_file, .dict = DICT_FILE,
	 .codes = place_files},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = place_line, .absent = place_no_line},
	{"instr", COL_ADDR, SHOW_M | SHOW_T, .u = place_instr},
	PLACE_COSTS,
	{"inlined", COL_STR, 0, .s = instr_inlined, .absent = place_not_inlined,
	 .prepare = prepare_inlined},
	{"inlined_at", COL_STR, 0, .s = instr_inlined_at, .absent = instr_no_calls,
	 .prepare = prepare_inlined},
};

static uint32_t place_graph_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, place_of(t, r)->fn);
}

static void place_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	const struct place *p = place_of(t, r);

	out->fn[0] = place_graph_fn(t, r);
	out->file = plain_file(detail_of(t), p->file);
	out->line = p->line;
}

const struct source_def source_lines = {
	"lines", "lines",     "self",	      line_cols,     COUNT(line_cols),
	true,	 detail_open, place_graph_fn, place_subject,
};
static const struct source_def source_lines_text = {
	"lines", "lines",     "self",	      line_text_cols, COUNT(line_text_cols),
	true,	 detail_open, place_graph_fn, place_subject,
};
const struct source_def source_instrs = {
	"instrs", "instructions", "self",	  instr_cols, COUNT(instr_cols),
	true,	  detail_open,	  place_graph_fn, NULL,
};

/* ---- columns of callsites ---- */

static const struct site *site_of(const struct table *t, uint32_t r)
{
	return &detail_of(t)->sites[r];
}

static struct store_edge site_edge(const struct table *t, uint32_t r)
{
	struct store_edge e;

	store_edge(detail_of(t)->st, site_of(t, r)->edge, &e);
	return e;
}

static uint32_t site_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, site_edge(t, r).caller);
}

static struct str site_caller(const struct table *t, uint32_t r)
{
	return graph_name(t->g, site_fn(t, r));
}

static struct str site_callee(const struct table *t, uint32_t r)
{
	uint32_t f = graph_of_store(t->g, site_edge(t, r).callee);

	return f == GRAPH_NONE ? STR("???") : graph_name(t->g, f);
}

static struct str site_file(const struct table *t, uint32_t r)
{
	return store_file(detail_of(t)->st, site_of(t, r)->file);
}

static void site_files(const struct table *t, uint32_t *out)
{
	for (size_t i = 0; i < t->n; i++)
		out[i] = site_of(t, row_ref(t, i))->file;
}

static uint64_t site_line(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return site_of(t, r)->line;
}

static uint64_t site_instr(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return site_of(t, r)->instr;
}

static uint64_t site_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return site_of(t, r)->calls;
}

static uint64_t site_caller_id(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return graph_id(t->g, site_fn(t, r));
}

static uint64_t site_callee_id(const struct table *t, uint32_t r, uint32_t e)
{
	const uint32_t f = graph_of_store(t->g, site_edge(t, r).callee);

	(void)e;
	return f == GRAPH_NONE ? 0 : graph_id(t->g, f); /* 0: absent */
}

static bool site_no_callee(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, site_edge(t, r).callee) == GRAPH_NONE;
}

static uint64_t site_caller_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return fn_activations(t->g, site_fn(t, r));
}

static uint64_t site_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return detail_cost(t, (size_t)r * detail_of(t)->events, e);
}

static bool site_no_line(const struct table *t, uint32_t r)
{
	return site_of(t, r)->line == 0;
}

static bool site_no_instr(const struct table *t, uint32_t r)
{
	(void)r;
	return !store_info(detail_of(t)->st)->has_instr;
}

static const struct col_def site_cols[] = {
	{"caller", COL_NAME, SHOW_M | SHOW_T, .s = site_caller},
	{"callee", COL_NAME, SHOW_M | SHOW_T, .s = site_callee},
	{"file", COL_FILE, SHOW_M | SHOW_T, .s = site_file, .dict = DICT_FILE,
	 .codes = site_files},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = site_line, .absent = site_no_line},
	{"instr", COL_ADDR, SHOW_M, .u = site_instr, .absent = site_no_instr},
	{"calls", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = site_calls},
	{"incl", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = site_incl},
	{"incl%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR, .u = NULL},
	{"caller_calls", COL_COUNT, 0, .u = site_caller_calls},
	{"caller_id", COL_ID, 0, .u = site_caller_id},
	{"callee_id", COL_ID, 0, .u = site_callee_id, .absent = site_no_callee},
};

const struct source_def source_callsites = {
	"callsites", "call sites", "incl",  site_cols, COUNT(site_cols),
	true,	     detail_open,  site_fn, NULL,
};

/* ---- columns of jumps ---- */

static const struct jump *jump_of(const struct table *t, uint32_t r)
{
	return &detail_of(t)->jumps[r];
}

#define JUMP_U(name, expr)                                                         \
	static uint64_t jump_##name(const struct table *t, uint32_t r, uint32_t e) \
	{                                                                          \
		(void)e;                                                           \
		return jump_of(t, r)->expr;                                        \
	}
JUMP_U(line, j.line)
JUMP_U(instr, j.instr)
JUMP_U(to_line, j.to_line)
JUMP_U(to_instr, j.to_instr)
JUMP_U(conditional, j.conditional)
JUMP_U(executed, j.executed)
JUMP_U(taken, j.taken)

static uint32_t jump_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, jump_of(t, r)->fn);
}

static struct str jump_name(const struct table *t, uint32_t r)
{
	return graph_name(t->g, jump_fn(t, r));
}

static struct str jump_to_name(const struct table *t, uint32_t r)
{
	return store_fn_shown(detail_of(t)->st, jump_of(t, r)->j.to_fn);
}

static struct str jump_file(const struct table *t, uint32_t r)
{
	return store_file(detail_of(t)->st, jump_of(t, r)->j.file);
}

static struct str jump_to_file(const struct table *t, uint32_t r)
{
	return store_file(detail_of(t)->st, jump_of(t, r)->j.to_file);
}

static bool jump_no_instr(const struct table *t, uint32_t r)
{
	(void)r;
	return !store_info(detail_of(t)->st)->has_instr;
}

static const struct col_def jump_cols[] = {
	{"fn", COL_NAME, SHOW_M | SHOW_T, .s = jump_name},
	{"file", COL_FILE, SHOW_M, .s = jump_file},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = jump_line},
	{"instr", COL_ADDR, SHOW_M | SHOW_T, .u = jump_instr, .absent = jump_no_instr},
	{"to_fn", COL_NAME, SHOW_M, .s = jump_to_name},
	{"to_file", COL_FILE, SHOW_M, .s = jump_to_file},
	{"to_line", COL_LINE, SHOW_M | SHOW_T, .u = jump_to_line},
	{"to_instr", COL_ADDR, SHOW_M | SHOW_T, .u = jump_to_instr,
	 .absent = jump_no_instr},
	{"conditional", COL_BOOL, SHOW_M | SHOW_T, .u = jump_conditional},
	{"executed", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = jump_executed},
	{"taken", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = jump_taken},
};

const struct source_def source_jumps = {
	"jumps", "jumps",     "executed", jump_cols, COUNT(jump_cols),
	true,	 detail_open, jump_fn,	  NULL,
};
