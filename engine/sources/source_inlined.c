/*
 * source_inlined.c - inlined: code that the compiler put into other functions.
 *
 * One row per function, and what is inlined into it (inlined.h): the file of cost lines,
 * and the name of the inlined function if it is known:
 *
 *	fl=main.c  fn=main	10 5		main itself
 *	fi=sum.h		3 8, 4 4	a row: sum.h into main, self 12, 2 lines
 *
 * The costs are part of the self cost of the function: rows say how it is divided.
 * Functions are read twice: for the addresses to look up, then for the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/lang/ast.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/inline/inlined.h"
#include "engine/sources/getters.h"
#include "engine/sources/members.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"
#include "index/base/cost.h"
#include "index/base/need.h"

#define NO_NAME UINT32_MAX

struct inlined_rows {
	struct store *st;
	struct inlining *in;
	uint32_t events;
	struct inlined_row *row;
	size_t n, cap;
	int64_t *costs;
	size_t costs_cap;
};

/* ---- the rows of a function ---- */

/* An inlined line of the function at hand. */
struct inlined_at {
	file_id file;
	uint32_t number;
	struct str name;
	uint64_t line;
	int64_t *self;
};

static int by_origin_and_line(const void *pa, const void *pb)
{
	const struct inlined_at *a = pa, *b = pb;
	int c = order_u64(a->file, b->file);

	c = c ? c : order_u64(a->number, b->number);
	return c ? c : order_u64(a->line, b->line);
}

static struct inlined_row *new_inlined(struct exec *x, struct inlined_rows *d)
{
	const size_t e = d->events;

	exec_rows(x, d->n + 1);
	exec_grow(x, &d->row, &d->cap, d->n, d->n + 1, sizeof(*d->row));
	exec_grow(x, &d->costs, &d->costs_cap, d->n * e, (d->n + 1) * e,
		  sizeof(*d->costs));
	memset(d->costs + d->n * e, 0, e * sizeof(*d->costs));
	return &d->row[d->n++];
}

/* at[0..n) are sorted. */
static void fold_inlined(struct exec *x, struct inlined_rows *d, fn_id f,
			 const struct inlined_at *at, size_t n)
{
	struct inlined_row *r = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!i || at[i].file != at[i - 1].file ||
		    at[i].number != at[i - 1].number) {
			r = new_inlined(x, d);
			*r = (struct inlined_row){.into = f,
						  .file = at[i].file,
						  .number = at[i].number,
						  .name = at[i].name};
		}
		r->lines += !i || by_origin_and_line(&at[i - 1], &at[i]);
		cost_add_each(d->costs + (d->n - 1) * d->events, at[i].self, d->events);
	}
}

/* Look up the addresses of a function later. */
static void want_lines(struct exec *x, void *arg, const struct fn_members *of,
		       struct arena *a)
{
	const struct inlined_rows *d = arg;

	for (uint32_t k = 0; k < of->n; k++) {
		struct store_line *line = NULL;
		int64_t *self = NULL;
		size_t n = 0;

		fn_inlined_lines(x, of->fn[k], a, &line, &self, &n);
		for (size_t i = 0; i < n; i++)
			inlining_want(d->in, of->fn[k], line[i].file, line[i].line,
				      line[i].instr);
	}
}

/* Add those of the same line, which are neighbours; returns how many are left. */
static size_t fold_lines(const struct inlined_rows *d, struct inlined_at *at, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (k && !by_origin_and_line(&at[k - 1], &at[i]))
			cost_add_each(at[k - 1].self, at[i].self, d->events);
		else
			at[k++] = at[i];
	return k;
}

/* Add the inlined lines of function f to those that are sorted. */
static void read_inlined(struct exec *x, const struct inlined_rows *d, fn_id f,
			 struct arena *a, struct inlined_at **at, size_t *k, size_t *cap)
{
	struct store_line *line = NULL;
	struct inlined_at *to;
	int64_t *self = NULL;
	size_t n = 0, all = 0;

	fn_inlined_lines(x, f, a, &line, &self, &n);
	if (!n)
		return;
	if (arena_grow(a, at, cap, *k, *k + n, sizeof(**at)))
		need_memory(a);
	to = *at + *k;
	for (size_t i = 0; i < n; i++) {
		const struct inline_frame *frame;
		struct str name;
		file_id file;

		if (!inlining_at(d->in, f, line[i].file, line[i].instr, &frame))
			continue;
		inlining_known(x, store_fn_obj_id(d->st, f), frame != NULL);
		store_inlined(d->st, line[i].file, &file, &name);
		to[all++] = (struct inlined_at){.file = file,
						.number = frame ? frame->number : NO_NAME,
						.name = frame ? frame->name : STR(""),
						.line = line[i].line,
						.self = self + i * d->events};
	}
	if (all)
		qsort(to, all, sizeof(*to), by_origin_and_line);
	*k += fold_lines(d, to, all);
}

static void add_inlined(struct exec *x, void *arg, const struct fn_members *of,
			struct arena *a)
{
	struct inlined_rows *d = arg;
	struct inlined_at *at = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t k = 0; k < of->n; k++)
		read_inlined(x, d, of->fn[k], a, &at, &n, &cap);
	if (n && of->n > 1)
		qsort(at, n, sizeof(*at), by_origin_and_line);
	if (n)
		fold_inlined(x, d, of->fn[0], at, n);
}

/* ---- opening ---- */

static void inlined_open(struct exec *x, const struct source *s, struct table *t)
{
	struct inlined_rows *d = EXEC_ARRAY(x, struct inlined_rows, 1);
	struct fn_set *set = NULL;
	bool named = false;

	fn_detail_check(x, s, t->src->name);
	d->st = x->g->st;
	d->events = store_info(d->st)->events;
	inlining_new(x, &d->in);
	if (s->of)
		exec_set(x, s->of, &set);
	if (store_info(d->st)->has_instr)
		fn_detail_each(x, set, want_lines, d);
	inlining_read(d->in, true);
	fn_detail_each(x, set, add_inlined, d);
	for (size_t i = 0; i < d->n && !named; i++)
		named = d->row[i].name.n;
	t->data = d;
	t->rows = d->row;
	table_init(x, t, t->src, x->g, d->n);
	if (named)
		table_show(t, STR("fn"));
}

/* ---- columns ---- */

file_id inlined_file(const struct table *t, uint32_t r)
{
	return ROW(inlined_row, t, r)->file;
}

static uint32_t inlined_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, ROW(inlined_row, t, r)->into);
}

uint64_t inlined_self(const struct table *t, uint32_t r, uint32_t e)
{
	const struct inlined_rows *d = t->data;

	return store_event_of(d->st, e, d->costs + (size_t)r * d->events);
}

static const struct listed inlined_list[] = {
	{"self", BOTH, 0},   {"self%", SHOW_T | HAS_BAR, 0},
	{"cum%", SHOW_T, 0}, {"lines", BOTH, 0},
	{"file", BOTH, 0},   {"fn", SHOW_M, 0}, /* people see it if one is known */
	{"into", BOTH, 0},
};

static void inlined_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	out->fn[0] = inlined_fn(t, r);
	out->file = ROW(inlined_row, t, r)->file;
	out->name = ROW(inlined_row, t, r)->name;
}

const struct source_def source_inlined = {
	.name = "inlined",
	.rows = "inlined rows",
	.primary = "self",
	.of = ROWS_INLINED,
	COLUMNS(inlined_list),
	.sorted = true,
	.open = inlined_open,
	.fn = inlined_fn,
	.row_size = sizeof(struct inlined_row),
	.subject = inlined_subject,
};
