/*
 * source_inlined.c - inlined: code that the compiler put into other functions.
 *
 * A cost line of another file than its function's is inlined from there.  One row per
 * function, and file inlined into it:
 *
 *	fl=main.c  fn=main	10 5		main itself
 *	fi=sum.h		3 8, 4 4	a row: sum.h into main, self 12, 2 lines
 *
 * The costs are part of the self cost of the function: rows say how it is divided.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/sources/inlined.h"
#include "engine/sources/source.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What is inlined from one place into one function. */
struct inlined_row {
	fn_id into; /* of the store */
	file_id file;
	uint64_t lines; /* self[events] are in inlined_rows.costs */
};

struct inlined_rows {
	struct store *st;
	uint32_t events;
	struct inlined_row *row;
	size_t n, cap;
	uint64_t *costs;
	size_t costs_cap;
};

bool inlined_line(struct store *st, fn_id f, file_id file)
{
	const file_id own = store_fn_file_id(st, f);

	return file != own && !str_eq(store_file(st, own), STR("???")) &&
	       !str_eq(store_file(st, file), STR("???"));
}

/* ---- the rows of a function ---- */

/* An inlined line of the function at hand. */
struct inlined_at {
	file_id file;
	uint64_t line;
	const uint64_t *self;
};

static int by_file_and_line(const void *pa, const void *pb)
{
	const struct inlined_at *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static void add_costs(uint64_t *to, const uint64_t *from, uint32_t n)
{
	for (uint32_t e = 0; e < n; e++)
		to[e] = graph_add(to[e], from[e]);
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

/* at[0..n) are sorted. */
static int fold_inlined(struct exec *x, struct inlined_rows *d, fn_id f,
			const struct inlined_at *at, size_t n)
{
	struct inlined_row *r = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!i || at[i].file != at[i - 1].file) {
			if (!(r = new_inlined(x, d)))
				return (int)x->err->kind;
			*r = (struct inlined_row){.into = f, .file = at[i].file};
		}
		r->lines += !i || by_file_and_line(&at[i - 1], &at[i]);
		add_costs(d->costs + (d->n - 1) * d->events, at[i].self, d->events);
	}
	return 0;
}

static int add_inlined(struct exec *x, struct inlined_rows *d, fn_id f, struct arena *a)
{
	struct store_line *line = NULL;
	struct inlined_at *at;
	uint64_t *self = NULL;
	size_t n = 0, k = 0;

	if (fn_lines(x, f, a, &line, &self, &n))
		return (int)x->err->kind;
	if (!(at = ARENA_ARRAY(a, struct inlined_at, n + 1)))
		return arena_full(a, x->err);
	for (size_t i = 0; i < n; i++)
		if (inlined_line(d->st, f, line[i].file))
			at[k++] = (struct inlined_at){line[i].file, line[i].line,
						      self + i * d->events};
	if (k)
		qsort(at, k, sizeof(*at), by_file_and_line);
	return fold_inlined(x, d, f, at, k);
}

/* ---- functions that stages made one ---- */

struct inlined_key {
	uint32_t into; /* of the graph */
	file_id file;
	uint32_t row;
};

static int by_key(const void *pa, const void *pb)
{
	const struct inlined_key *a = pa, *b = pb;

	if (a->into != b->into)
		return a->into < b->into ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Join rows of functions that a stage merged; `lines` counts those of each. */
static int join_merged(struct exec *x, struct inlined_rows *d)
{
	struct inlined_rows to = *d;
	struct inlined_key *k = EXEC_ARRAY(x, struct inlined_key, d->n + 1);

	to.row = EXEC_ARRAY(x, struct inlined_row, d->n + 1);
	to.costs = EXEC_ARRAY(x, uint64_t, d->n * d->events + 1);
	if (!k || !to.row || !to.costs)
		return (int)x->err->kind;
	for (size_t i = 0; i < d->n; i++)
		k[i] = (struct inlined_key){graph_of_store(x->g, d->row[i].into),
					    d->row[i].file, (uint32_t)i};
	qsort(k, d->n, sizeof(*k), by_key);
	to.n = 0;
	for (size_t i = 0; i < d->n; i++) {
		const struct inlined_row *from = &d->row[k[i].row];

		if (!i || k[i].into != k[i - 1].into || k[i].file != k[i - 1].file)
			to.row[to.n++] = *from;
		else
			to.row[to.n - 1].lines += from->lines;
		add_costs(to.costs + (to.n - 1) * d->events,
			  d->costs + k[i].row * d->events, d->events);
	}
	*d = to;
	return 0;
}

/* ---- opening ---- */

static int read_functions(struct exec *x, struct inlined_rows *d,
			  const struct fn_set *set)
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
		rc = add_inlined(x, d, f, &scratch) || (f % POLL == 0 && exec_poll_now(x))
			     ? (int)x->err->kind
			     : 0;
	}
	arena_free(&scratch);
	return rc;
}

static int inlined_open(struct exec *x, const struct source *s, struct table *t)
{
	struct inlined_rows *d = EXEC_ARRAY(x, struct inlined_rows, 1);
	struct fn_set *set = NULL;

	if (!d || fn_detail_check(x, s, t->src->name))
		return (int)x->err->kind;
	d->st = x->g->st;
	d->events = store_info(d->st)->events;
	if ((s->of && exec_set(x, s->of, &set)) || read_functions(x, d, set) ||
	    (!x->g->plain && join_merged(x, d)))
		return (int)x->err->kind;
	t->data = d;
	return table_init(x, t, t->src, x->g, d->n);
}

/* ---- the share of rows ---- */

struct inlined_sum {
	struct store *st;
	fn_id f;
	file_id last; /* the file of the line before, and whether it is inlined */
	bool is;
	uint32_t event;
	uint64_t sum, lines;
};

enum { LINES_MOST = 1 << 20 }; /* of all functions of a table: a few milliseconds */

static int sum_line(void *arg, const struct store_line *row, const uint64_t *costs,
		    struct err *err)
{
	struct inlined_sum *s = arg;

	if (++s->lines > LINES_MOST)
		return err_set(err, ERR_LIMIT, 0, "too many lines");
	if (row->file != s->last) {
		s->last = row->file;
		s->is = inlined_line(s->st, s->f, row->file);
	}
	if (s->is)
		s->sum = graph_add(s->sum, store_event_of(s->st, s->event, costs));
	return 0;
}

bool inlined_share(struct store *st, const fn_id *f, size_t n, uint32_t event,
		   uint64_t *sum)
{
	struct inlined_sum s = {.st = st, .event = event};
	struct err ignored = {0};

	for (size_t i = 0; i < n; i++) {
		s.f = f[i];
		s.last = UINT32_MAX;
		if (store_each_line(st, f[i], sum_line, &s, &ignored))
			return false;
	}
	*sum = s.sum;
	return true;
}

/* ---- columns ---- */

static const struct inlined_row *inlined_of(const struct table *t, uint32_t r)
{
	return &((const struct inlined_rows *)t->data)->row[r];
}

static struct str inlined_file(const struct table *t, uint32_t r)
{
	return store_file(t->g->st, inlined_of(t, r)->file);
}

static void inlined_files(const struct table *t, uint32_t *out)
{
	for (size_t i = 0; i < t->n; i++)
		out[i] = inlined_of(t, row_ref(t, i))->file;
}

static uint32_t inlined_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, inlined_of(t, r)->into);
}

static struct str inlined_into(const struct table *t, uint32_t r)
{
	return graph_name(t->g, inlined_fn(t, r));
}

static uint64_t inlined_self(const struct table *t, uint32_t r, uint32_t e)
{
	const struct inlined_rows *d = t->data;

	return store_event_of(d->st, e, d->costs + (size_t)r * d->events);
}

static uint64_t inlined_lines(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return inlined_of(t, r)->lines;
}

static const struct col_def inlined_cols[] = {
	{"self", COL_COST, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = inlined_self},
	{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR, .u = NULL},
	{"cum%", COL_PERCENT, SHOW_T | IS_CUM, .u = NULL},
	{"lines", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = inlined_lines},
	{"file", COL_FILE, SHOW_M | SHOW_T, .s = inlined_file, .dict = DICT_FILE,
	 .codes = inlined_files},
	{"into", COL_NAME, SHOW_M | SHOW_T, .s = inlined_into},
};

static struct str inlined_key(const struct table *t, uint32_t r, struct arena *a)
{
	struct str fn = fn_key(t, inlined_fn(t, r), a);
	struct str file = file_key(t, inlined_of(t, r)->file, a);

	if (!fn.p || !file.p)
		return (struct str){NULL, 0};
	return arena_join(a, (struct str[]){fn, file}, 2);
}

const struct source_def source_inlined = {
	"inlined", "inlined rows", "self",     inlined_cols, COUNT(inlined_cols),
	true,	   inlined_open,   inlined_fn, inlined_key,
};
