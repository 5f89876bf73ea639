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
	const int64_t *self;
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

	if (exec_rows(x, d->n + 1) ||
	    exec_grow(x, &d->row, &d->cap, d->n, d->n + 1, sizeof(*d->row)) ||
	    exec_grow(x, &d->costs, &d->costs_cap, d->n * e, (d->n + 1) * e,
		      sizeof(*d->costs)))
		return NULL;
	memset(d->costs + d->n * e, 0, e * sizeof(*d->costs));
	return &d->row[d->n++];
}

/* at[0..n) are sorted.  Functions that are one in the graph may share lines, so these are
 * joined by join_merged(). */
static int fold_inlined(struct exec *x, struct inlined_rows *d, fn_id f,
			const struct inlined_at *at, size_t n)
{
	struct inlined_row *r = NULL;

	for (size_t i = 0; i < n; i++) {
		const bool line = !i || by_origin_and_line(&at[i - 1], &at[i]);

		if (!i || (line && !x->g->plain) || at[i].file != at[i - 1].file ||
		    at[i].number != at[i - 1].number) {
			if (!(r = new_inlined(x, d)))
				return x->err->kind;
			*r = (struct inlined_row){.into = f,
						  .file = at[i].file,
						  .number = at[i].number,
						  .name = at[i].name,
						  .line = at[i].line};
		}
		r->lines += line;
		cost_add_each(d->costs + (d->n - 1) * d->events, at[i].self, d->events);
	}
	return 0;
}

/* Look up the addresses of a function later. */
static int want_lines(struct exec *x, struct inlined_rows *d, fn_id f, struct arena *a)
{
	struct store_line *line = NULL;
	int64_t *self = NULL;
	size_t n = 0;

	if (fn_inlined_lines(x, f, a, &line, &self, &n))
		return x->err->kind;
	for (size_t i = 0; i < n; i++)
		if (inlining_want(d->in, f, line[i].file, line[i].line, line[i].instr))
			return x->err->kind;
	return 0;
}

static int add_inlined(struct exec *x, struct inlined_rows *d, fn_id f, struct arena *a)
{
	struct store_line *line = NULL;
	struct inlined_at *at;
	int64_t *self = NULL;
	size_t n = 0, k = 0;

	if (fn_inlined_lines(x, f, a, &line, &self, &n))
		return x->err->kind;
	if (!(at = ARENA_ARRAY(a, struct inlined_at, n + 1)))
		return arena_full(a, x->err);
	for (size_t i = 0; i < n; i++) {
		const struct inline_frame *frame;
		struct str name;
		file_id file;

		if (!inlining_at(d->in, f, line[i].file, line[i].instr, &frame))
			continue;
		if (inlining_known(x, store_fn_obj_id(d->st, f), frame != NULL))
			return x->err->kind;
		store_inlined(d->st, line[i].file, &file, &name);
		at[k++] = (struct inlined_at){.file = file,
					      .number = frame ? frame->number : NO_NAME,
					      .name = frame ? frame->name : STR(""),
					      .line = line[i].line,
					      .self = self + i * d->events};
	}
	if (k)
		qsort(at, k, sizeof(*at), by_origin_and_line);
	return fold_inlined(x, d, f, at, k);
}

/* ---- functions that stages made one ---- */

struct inlined_key {
	uint32_t into; /* of the graph */
	file_id file;
	uint32_t number, row;
	uint64_t line;
};

static int by_key(const void *pa, const void *pb)
{
	const struct inlined_key *a = pa, *b = pb;
	int c = order_u64(a->into, b->into);

	c = c ? c : order_u64(a->file, b->file);
	c = c ? c : order_u64(a->number, b->number);
	return c ? c : order_u64(a->line, b->line);
}

/* Join the lines of functions that are one in the graph. */
static int join_merged(struct exec *x, struct inlined_rows *d)
{
	struct inlined_rows to = *d;
	struct inlined_key *k = EXEC_ARRAY(x, struct inlined_key, d->n + 1);

	to.row = EXEC_ARRAY(x, struct inlined_row, d->n + 1);
	to.costs = EXEC_ARRAY(x, int64_t, d->n * d->events + 1);
	if (!k || !to.row || !to.costs)
		return x->err->kind;
	for (size_t i = 0; i < d->n; i++)
		k[i] = (struct inlined_key){graph_of_store(x->g, d->row[i].into),
					    d->row[i].file, d->row[i].number, (uint32_t)i,
					    d->row[i].line};
	qsort(k, d->n, sizeof(*k), by_key);
	to.n = 0;
	for (size_t i = 0; i < d->n; i++) {
		const struct inlined_row *from = &d->row[k[i].row];

		if (!i || k[i].into != k[i - 1].into || k[i].file != k[i - 1].file ||
		    k[i].number != k[i - 1].number)
			to.row[to.n++] = *from;
		else
			to.row[to.n - 1].lines += k[i].line != k[i - 1].line;
		cost_add_each(to.costs + (to.n - 1) * d->events,
			      d->costs + k[i].row * d->events, d->events);
	}
	*d = to;
	return 0;
}

/* ---- opening ---- */

typedef int each_inlined(struct exec *, struct inlined_rows *, fn_id, struct arena *);

static int each_function_of(struct exec *x, struct inlined_rows *d,
			    const struct fn_set *set, each_inlined *each)
{
	enum { POLL = 16 };
	struct arena scratch;
	int rc = 0;

	arena_init(&scratch, x->a->cap);
	for (fn_id f = 0; f < store_info(d->st)->functions && !rc; f++) {
		const uint32_t here = graph_of_store(x->g, f);

		if (here == GRAPH_NONE || (set && !fnset_has(set, here)))
			continue;
		arena_reset(&scratch);
		rc = each(x, d, f, &scratch) || (f % POLL == 0 && exec_poll_now(x))
			     ? x->err->kind
			     : 0;
	}
	arena_free(&scratch);
	return rc;
}

static int inlined_open(struct exec *x, const struct source *s, struct table *t)
{
	struct inlined_rows *d = EXEC_ARRAY(x, struct inlined_rows, 1);
	struct fn_set *set = NULL;
	bool named = false;

	if (!d || fn_detail_check(x, s, t->src->name))
		return x->err->kind;
	d->st = x->g->st;
	d->events = store_info(d->st)->events;
	if (inlining_new(x, &d->in) || (s->of && exec_set(x, s->of, &set)) ||
	    (store_info(d->st)->has_instr && each_function_of(x, d, set, want_lines)) ||
	    inlining_read(d->in, true) || each_function_of(x, d, set, add_inlined) ||
	    (!x->g->plain && join_merged(x, d)))
		return x->err->kind;
	for (size_t i = 0; i < d->n && !named; i++)
		named = d->row[i].name.n;
	t->data = d;
	t->rows = d->row;
	return table_init(x, t, t->src, x->g, d->n) || (named && table_show(t, STR("fn")))
		       ? x->err->kind
		       : 0;
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
	.of = ROW_INLINED,
	COLUMNS(inlined_list),
	.sorted = true,
	.open = inlined_open,
	.fn = inlined_fn,
	.row_size = sizeof(struct inlined_row),
	.subject = inlined_subject,
};
