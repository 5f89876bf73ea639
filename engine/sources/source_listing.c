/*
 * source_listing.c - source of f, asm of f: a listing (listing.h) as a table.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/lang/ast.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/place_set.h"
#include "engine/listing/listing.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"

static const char *const kind_names[] = {"file", "line", "call",
					 "jump", "gap",	 "inlined"};

_Noreturn void source_lacks(struct exec *x, struct span at, const char *what,
			    const char *option)
{
	exec_wrong(x, at, "this profile has no %s", what);
	if (str_starts(store_info(x->g->st)->creator, STR("xdebug")))
		need_hint(x->err, "Xdebug records none: ask for lines or source of");
	if (!store_is_callgrind(x->g->st))
		need_hint(x->err,
			  "its producer records none: ask for lines or source of");
	need_hint(x->err, "run callgrind with %s", option);
}

/* Refuse what this profile, or --safe, does not have. */
static void check_listing(struct exec *x, const struct source *s, const char *name)
{
	fn_detail_check(x, s, name);
	if (s->kind != S_ASM)
		return;
	if (!store_info(x->g->st)->has_instr)
		source_lacks(x, s->span, "instruction addresses", "--dump-instr=yes");
	if (x->open->safe)
		exec_fail(x, s->span, "asm runs objdump: not under --safe");
}

enum { READ = 200, COSTLIEST = 24, AROUND = 4 /* rows */ };

/* The cost of a line itself, or of inlined code that it calls. */
static int64_t row_cost(const struct listing *l, const struct listing_row *row)
{
	return (row->kind == LISTING_LINE || row->kind == LISTING_INLINED) && row->at
		       ? listing_cost(l, row->at, l->event)
		       : 0;
}

static int costlier(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return cost_order(*b, *a);
}

/* keep[i]: row i is the head of a file, or near one of the costliest rows. */
static void rows_to_read(struct exec *x, const struct listing *l, bool *keep)
{
	int64_t *self = EXEC_ARRAY(x, int64_t, l->nrows), least;
	size_t left = COSTLIEST; /* of the cost `least` */

	for (size_t i = 0; i < l->nrows; i++)
		self[i] = row_cost(l, &l->row[i]);
	qsort(self, l->nrows, sizeof(*self), costlier);
	least = self[COSTLIEST - 1] > 0 ? self[COSTLIEST - 1] : 1;
	while (left && self[COSTLIEST - left] > least)
		left--;
	for (size_t i = 0; i < l->nrows; i++) {
		const int64_t cost = row_cost(l, &l->row[i]);
		const bool costly = cost > least || (left && cost == least);

		keep[i] |= l->row[i].kind == LISTING_FILE;
		left -= costly && cost == least;
		for (size_t k = i < AROUND ? 0 : i - AROUND;
		     costly && k < l->nrows && k <= i + AROUND; k++)
			keep[k] = true;
	}
}

/* Rows from..to - 1 as one, unless they are few. */
static void put_gap(struct exec *x, struct listing *l, size_t from, size_t to, size_t *n)
{
	if (to - from <= 2 * AROUND) {
		memmove(&l->row[*n], &l->row[from], (to - from) * sizeof(*l->row));
		*n += to - from;
		return;
	}
	l->row[*n] = (struct listing_row){
		.kind = LISTING_GAP,
		.group = l->row[from].group,
		.name = STR(""),
		.text = need_printf(x->a, "... %s rows", GROUPED(to - from))};
	++*n;
}

/* Of a long listing people see what is around its costliest rows. */
static void shorten(struct exec *x, struct listing *l)
{
	bool *keep = l->nrows > READ ? EXEC_ARRAY(x, bool, l->nrows) : NULL;
	const size_t all = l->nrows;
	size_t n = 0, gap = 0;

	if (all <= READ)
		return;
	rows_to_read(x, l, keep);
	for (size_t i = 0; i <= all; i++) {
		if (i < all && !keep[i])
			continue;
		put_gap(x, l, gap, i, &n);
		if (i < all)
			l->row[n++] = l->row[i];
		gap = i + 1;
	}
	l->nrows = n;
	exec_hintf(x,
		   "these are the %d costliest rows with those around them; all: "
		   "| take %zu",
		   COSTLIEST, all);
}

static void listing_open(struct exec *x, const struct source *s, struct table *t)
{
	struct listing *l = EXEC_ARRAY(x, struct listing, 1);
	struct text_file **files = EXEC_ARRAY(x, struct text_file *, 1);
	struct fn_set *set = NULL;
	size_t all;

	*files = NULL;
	*l = (struct listing){.st = x->g->st,
			      .events = store_info(x->g->st)->events,
			      .event = x->event,
			      .instrs = s->kind == S_ASM,
			      .files = files,
			      .texts = x->a};
	check_listing(x, s, t->src->name);
	if (l->instrs)
		exec_set(x, s->of, &set);
	else
		exec_place_set(x, s->of, &set, &l->only);
	listing_fill(x, l, set);
	all = l->nrows;
	if (s->min_usual)
		shorten(x, l);
	t->data = l;
	t->rows = l->row;
	t->listing = l;
	t->ordered = true;
	table_init(x, t, t->src, x->g, l->nrows);
	if (x->g->hides)
		table_tell(t, STR("estimated"));
	t->rows_before = all;
}

/* ---- columns ---- */

struct str listing_kind(const struct table *t, uint32_t r)
{
	return str_c(kind_names[ROW(listing_row, t, r)->kind]);
}

struct str listing_file(const struct table *t, uint32_t r)
{
	const struct listing *l = t->data;
	const struct listing_row *row = ROW(listing_row, t, r);

	if (!l->instrs)
		return store_file(l->st, row->group);
	return row->at ? store_file(l->st, row->at->file) : STR("");
}

struct str listing_obj(const struct table *t, uint32_t r)
{
	const struct listing *l = t->data;

	return store_obj(l->st, ROW(listing_row, t, r)->group);
}

/* Of an instruction; rows below a line repeat its number in machine formats only, as a
 * key. */
uint64_t listing_line(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const struct listing_row *row = ROW(listing_row, t, r);

	if (!((const struct listing *)t->data)->instrs)
		return row->pos;
	return row->at ? row->at->line : 0;
}

static uint64_t cost_of(const struct table *t, uint32_t r, uint32_t e)
{
	return ROW(listing_row, t, r)->at
		       ? listing_cost(t->data, ROW(listing_row, t, r)->at, e)
		       : 0;
}

bool listing_no_self(const struct table *t, uint32_t r)
{
	return ROW(listing_row, t, r)->kind != LISTING_LINE ||
	       !ROW(listing_row, t, r)->at;
}

/* A row of inlined code without a place says where that begins. */
bool listing_no_incl(const struct table *t, uint32_t r)
{
	const struct listing_row *row = ROW(listing_row, t, r);

	return row->kind != LISTING_CALL && (row->kind != LISTING_INLINED || !row->at);
}

uint64_t listing_self(const struct table *t, uint32_t r, uint32_t e)
{
	return listing_no_self(t, r) ? 0 : cost_of(t, r, e);
}

uint64_t listing_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return listing_no_incl(t, r) ? 0 : cost_of(t, r, e);
}

bool listing_about(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return ROW(listing_row, t, r)->at && ROW(listing_row, t, r)->at->about;
}

bool listing_no_calls(const struct table *t, uint32_t r)
{
	const struct listing_row *row = ROW(listing_row, t, r);

	if (row->kind == LISTING_CALL)
		return row->at->calls == CALLS_UNKNOWN;
	return row->kind != LISTING_JUMP;
}

uint64_t listing_calls(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return listing_no_calls(t, r) ? 0 : ROW(listing_row, t, r)->at->calls;
}

struct str listing_callee(const struct table *t, uint32_t r)
{
	return listing_no_incl(t, r) ? STR("") : ROW(listing_row, t, r)->name;
}

static const struct listed source_list[] = {
	{"kind", SHOW_M, 0}, {"file", SHOW_M, 0},   {"line", BOTH, 2},
	{"self", BOTH, 3},   {"self%", SHOW_T, 6},  {"calls", BOTH, 5},
	{"incl", BOTH, 4},   {"callee", SHOW_M, 0}, {"text", BOTH, 1},
	{"estimated", 0, 0},
};
static const struct listed asm_list[] = {
	{"kind", SHOW_M, 0},   {"obj", SHOW_M, 0}, {"instr", BOTH, 2},
	{"file", SHOW_M, 0},   {"line", BOTH, 6},  {"self", BOTH, 3},
	{"self%", SHOW_T, 7},  {"calls", BOTH, 5}, {"incl", BOTH, 4},
	{"callee", SHOW_M, 0}, {"text", BOTH, 1},  {"estimated", 0, 0},
};

#define LISTING(var, word, names)                       \
	const struct source_def var = {                 \
		.name = word,                           \
		.rows = "rows",                         \
		.primary = "self",                      \
		.of = ROWS_LISTING,                     \
		COLUMNS(names),                         \
		.sorted = true,                         \
		.open = listing_open,                   \
		.row_size = sizeof(struct listing_row), \
	}
LISTING(source_source, "source", source_list);
LISTING(source_asm, "asm", asm_list);
