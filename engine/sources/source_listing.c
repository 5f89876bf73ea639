/*
 * source_listing.c - source of f, asm of f: a listing (listing.h) as a table.
 */
#include "engine/lang/ast.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/listing/listing.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "index/base/err.h"

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
	t->rows = l->row;
	t->listing = l;
	t->ordered = true;
	return table_init(x, t, t->src, x->g, l->nrows);
}

/* ---- columns ---- */

static const struct listing_row *listing_of(const struct table *t, uint32_t r)
{
	return &((const struct listing_row *)t->rows)[r];
}

struct str listing_kind(const struct table *t, uint32_t r)
{
	return str_c(kind_names[listing_of(t, r)->kind]);
}

struct str listing_file(const struct table *t, uint32_t r)
{
	const struct listing *l = t->data;
	const struct listing_row *row = listing_of(t, r);

	if (!l->instrs)
		return store_file(l->st, row->group);
	return row->at ? store_file(l->st, row->at->file) : STR("");
}

struct str listing_obj(const struct table *t, uint32_t r)
{
	const struct listing *l = t->data;

	return store_obj(l->st, listing_of(t, r)->group);
}

/* Of an instruction; rows below a line repeat its number in machine formats only, as a
 * key. */
uint64_t listing_line(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const struct listing_row *row = listing_of(t, r);

	if (!((const struct listing *)t->data)->instrs)
		return row->pos;
	return row->at ? row->at->line : 0;
}

static uint64_t cost_of(const struct table *t, uint32_t r, uint32_t e)
{
	return listing_of(t, r)->at ? listing_cost(t->data, listing_of(t, r)->at, e) : 0;
}

bool listing_no_self(const struct table *t, uint32_t r)
{
	return listing_of(t, r)->kind != LISTING_LINE || !listing_of(t, r)->at;
}

bool listing_no_incl(const struct table *t, uint32_t r)
{
	return listing_of(t, r)->kind != LISTING_CALL;
}

uint64_t listing_self(const struct table *t, uint32_t r, uint32_t e)
{
	return listing_no_self(t, r) ? 0 : cost_of(t, r, e);
}

uint64_t listing_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return listing_no_incl(t, r) ? 0 : cost_of(t, r, e);
}

bool listing_no_calls(const struct table *t, uint32_t r)
{
	return listing_of(t, r)->kind != LISTING_CALL &&
	       listing_of(t, r)->kind != LISTING_JUMP;
}

uint64_t listing_calls(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return listing_no_calls(t, r) ? 0 : listing_of(t, r)->at->calls;
}

struct str listing_callee(const struct table *t, uint32_t r)
{
	return listing_no_incl(t, r) ? STR("") : listing_of(t, r)->name;
}

static const struct listed source_list[] = {
	{"kind", SHOW_M, 0}, {"file", SHOW_M, 0},   {"line", BOTH, 2},
	{"self", BOTH, 3},   {"self%", SHOW_T, 6},  {"calls", BOTH, 5},
	{"incl", BOTH, 4},   {"callee", SHOW_M, 0}, {"text", BOTH, 1},
};
static const struct listed asm_list[] = {
	{"kind", SHOW_M, 0},   {"obj", SHOW_M, 0}, {"instr", BOTH, 2},
	{"file", SHOW_M, 0},   {"line", BOTH, 6},  {"self", BOTH, 3},
	{"self%", SHOW_T, 7},  {"calls", BOTH, 5}, {"incl", BOTH, 4},
	{"callee", SHOW_M, 0}, {"text", BOTH, 1},
};

#define LISTING(var, word, names)                       \
	const struct source_def var = {                 \
		.name = word,                           \
		.rows = "rows",                         \
		.primary = "self",                      \
		.of = ROW_LISTING,                      \
		COLUMNS(names),                         \
		.sorted = true,                         \
		.open = listing_open,                   \
		.row_size = sizeof(struct listing_row), \
	}
LISTING(source_source, "source", source_list);
LISTING(source_asm, "asm", asm_list);
