/*
 * source_listing.c - source of f, asm of f: a listing (listing.h) as a table.
 */
#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/listing/listing.h"
#include "engine/sources/source.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const kind_names[] = {"file", "line", "call",
					 "jump", "gap",	 "inlined"};

/* Refuse what this profile, or --safe, does not have. */
static int check_listing(struct exec *x, const struct source *s, const char *name)
{
	if (fn_detail_check(x, s, name))
		return x->err->kind;
	if (s->kind != S_ASM)
		return 0;
	if (!store_info(x->g->st)->has_instr) {
		exec_fail(x, s->span, "this profile has no instruction addresses");
		return err_hint(x->err, "run callgrind with --dump-instr=yes");
	}
	if (x->open->safe)
		return exec_fail(x, s->span, "asm runs objdump: not under --safe");
	return 0;
}

static int listing_open(struct exec *x, const struct source *s, struct table *t)
{
	struct listing *l = EXEC_ARRAY(x, struct listing, 1);
	struct text_file **files = EXEC_ARRAY(x, struct text_file *, 1);
	struct fn_set *set = NULL;

	if (!l || !files)
		return x->err->kind;
	*files = NULL;
	*l = (struct listing){.st = x->g->st,
			      .events = store_info(x->g->st)->events,
			      .event = x->event,
			      .instrs = s->kind == S_ASM,
			      .files = files,
			      .texts = x->a};
	if (check_listing(x, s, t->src->name) || exec_set(x, s->of, &set) ||
	    listing_fill(x, l, set))
		return x->err->kind;
	t->data = l;
	t->listing = l;
	t->ordered = true;
	return table_init(x, t, t->src, x->g, l->nrows);
}

/* ---- columns ---- */

static const struct listing_row *listing_row(const struct table *t, uint32_t r)
{
	return &((const struct listing *)t->data)->row[r];
}

static struct str row_kind(const struct table *t, uint32_t r)
{
	return str_c(kind_names[listing_row(t, r)->kind]);
}

static struct str row_file(const struct table *t, uint32_t r)
{
	const struct listing *l = t->data;
	const struct listing_row *row = listing_row(t, r);

	if (!l->instrs)
		return store_file(l->st, row->group);
	return row->at ? store_file(l->st, row->at->file) : STR("");
}

static struct str row_obj(const struct table *t, uint32_t r)
{
	const struct listing *l = t->data;

	return store_obj(l->st, listing_row(t, r)->group);
}

static uint64_t row_pos(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return listing_row(t, r)->pos;
}

static bool no_pos(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->pos == 0;
}

/* Rows below a line repeat its number in machine formats only, as a key. */
static uint64_t row_at_line(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return listing_row(t, r)->at ? listing_row(t, r)->at->line : 0;
}

static bool no_at_line(const struct table *t, uint32_t r)
{
	return row_at_line(t, r, 0) == 0;
}

static uint64_t row_cost(const struct table *t, uint32_t r, uint32_t e)
{
	return listing_row(t, r)->at ? listing_cost(t->data, listing_row(t, r)->at, e)
				     : 0;
}

static bool no_self(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->kind != LISTING_LINE || !listing_row(t, r)->at;
}

static bool no_incl(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->kind != LISTING_CALL;
}

static uint64_t row_self(const struct table *t, uint32_t r, uint32_t e)
{
	return no_self(t, r) ? 0 : row_cost(t, r, e);
}

static uint64_t row_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return no_incl(t, r) ? 0 : row_cost(t, r, e);
}

static bool no_calls(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->kind != LISTING_CALL &&
	       listing_row(t, r)->kind != LISTING_JUMP;
}

static uint64_t row_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return no_calls(t, r) ? 0 : listing_row(t, r)->at->calls;
}

static struct str row_callee(const struct table *t, uint32_t r)
{
	return no_incl(t, r) ? STR("") : listing_row(t, r)->name;
}

static struct str row_text(const struct table *t, uint32_t r)
{
	return listing_row(t, r)->text;
}

#define LISTING_COSTS                                                             \
	{"self", COL_COST, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = row_self,  \
	 .absent = no_self},                                                      \
		{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL, .u = NULL,  \
		 .absent = no_self},                                              \
		{"calls", COL_COUNT, SHOW_M | SHOW_T, .u = row_calls,             \
		 .absent = no_calls},                                             \
		{"incl", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = row_incl,    \
		 .absent = no_incl},                                              \
		{"callee", COL_NAME, SHOW_M, .s = row_callee, .absent = no_incl}, \
	{                                                                         \
		"text", COL_STR, SHOW_M | SHOW_T, .s = row_text                   \
	}

static const struct col_def source_cols[] = {
	{"kind", COL_STR, SHOW_M, .s = row_kind},
	{"file", COL_FILE, SHOW_M, .s = row_file},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = row_pos, .absent = no_pos},
	LISTING_COSTS,
};
static const struct col_def asm_cols[] = {
	{"kind", COL_STR, SHOW_M, .s = row_kind},
	{"obj", COL_OBJ, SHOW_M, .s = row_obj},
	{"instr", COL_ADDR, SHOW_M | SHOW_T, .u = row_pos, .absent = no_pos},
	{"file", COL_FILE, SHOW_M, .s = row_file},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = row_at_line, .absent = no_at_line},
	LISTING_COSTS,
};

const struct source_def source_source = {
	"source", "rows",	"self", source_cols, COUNT(source_cols),
	true,	  listing_open, NULL,	NULL,
};
const struct source_def source_asm = {
	"asm", "rows", "self", asm_cols, COUNT(asm_cols), true, listing_open, NULL, NULL,
};
