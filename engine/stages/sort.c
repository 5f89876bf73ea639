/*
 * sort.c - order a table by keys.
 *
 * Ties keep their order (the row number is the last key).  Absent values come last in
 * both directions.  All functions by self or inclusive cost are not sorted at all: the
 * index has that order, and `take N` reads N rows of it.  Other sorts before `take N` look
 * at the first key of all rows, a window at a time, and sort those that may be among the
 * first.  Many rows are sorted by
 * the bits of their keys, the last key first; few, or texts, by comparing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/lang/parse_in.h"
#include "engine/rows/window.h"
#include "engine/stages/eval.h"
#include "engine/rows/row_loops.h"
#include "engine/sources/source.h"
#include "engine/stages/stage.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/sort.h"
#include "index/base/need.h"

enum { KEYS = 16 };

struct order {
	struct table_col key[KEYS];
	bool asc[KEYS];
	size_t n;
};

/* Text ascends and numbers descend, unless the key says otherwise. */
static bool ascends(const struct expr *e)
{
	return e->written ? e->asc : col_is_text(e->type);
}

/* ---- by bits ---- */

enum { MANY = 4096 };

static bool is_compared(const struct table_col *c)
{
	return col_is_text(c->type) && !c->dict;
}

/* A number for the start of a text, whose order is that of the texts if it differs. */
static uint64_t first_bytes(struct str s)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < sizeof(bits); i++)
		bits = bits << 8 | (i < s.n ? (unsigned char)s.p[i] : 0);
	return bits;
}

/* Numbers whose order as unsigned ones is that of the cells; absent ones are equal. */
static uint64_t ordered_bits(const struct table_col *c, bool asc, uint32_t row)
{
	const uint64_t sign = (uint64_t)1 << 63;
	uint64_t bits;
	double v;

	if (c->absent && c->absent[row])
		return UINT64_MAX;
	if (col_is_f(c->type)) {
		v = c->f[row] + 0.0; /* -0 is 0 */
		memcpy(&bits, &v, sizeof(bits));
		bits = bits & sign ? ~bits : bits | sign;
	} else if (c->type == COL_BOOL) {
		bits = c->b[row];
	} else if (c->dict) {
		bits = c->code[row]; /* dictionaries are sorted */
	} else if (is_compared(c)) {
		bits = first_bytes(c->s[row]);
	} else {
		bits = col_is_signed(c->type) ? c->u[row] ^ sign : c->u[row];
	}
	return asc ? bits : ~bits;
}

static void order_bits(const struct table_col *c, bool asc, size_t n, uint64_t *out)
{
	const uint64_t flip = col_is_signed(c->type) ? ~((uint64_t)1 << 63) : UINT64_MAX;

	if (asc || c->absent || c->dict || col_is_f(c->type) || is_compared(c))
		for (size_t i = 0; i < n; i++)
			out[i] = ordered_bits(c, asc, (uint32_t)i);
	else
		for (size_t i = 0; i < n; i++)
			out[i] = c->u[i] ^ flip;
}

static void absent_last(const struct table_col *c, struct sort_pair *p,
			struct sort_pair *tmp, size_t n)
{
	size_t k = 0, absent = 0;

	for (size_t i = 0; i < n; i++)
		if (c->absent[p[i].value])
			tmp[absent++] = p[i];
		else
			p[k++] = p[i];
	memcpy(p + k, tmp, absent * sizeof(*p));
}

static bool sorts_by_bits(const struct order *o, size_t n)
{
	for (size_t k = 0; k < o->n; k++)
		if (is_compared(&o->key[k]))
			return false;
	return n >= MANY;
}

static void bits_sort(struct exec *x, const struct order *o, uint32_t *v, size_t n)
{
	struct arena *scratch = need_scratch(NULL);
	struct sort_pair *p = NEED_ARRAY(scratch, struct sort_pair, 2 * n);

	for (size_t i = 0; i < n; i++)
		p[i].value = v[i];
	for (size_t k = o->n; k > 0; k--) {
		const struct table_col *c = &o->key[k - 1];

		for (size_t i = 0; i < n; i++)
			p[i].key = ordered_bits(c, o->asc[k - 1], p[i].value);
		if (sort_pairs(p, n))
			need_memory_for(NULL);
		if (c->absent)
			absent_last(c, p, p + n, n);
		exec_poll_now(x);
	}
	for (size_t i = 0; i < n; i++)
		v[i] = p[i].value;
	scratch_free(scratch);
}

/* ---- by comparing ---- */

static int cmp_values(const struct table_col *c, uint32_t a, uint32_t b)
{
	return is_compared(c)
		       ? str_cmp(c->s[a], c->s[b])
		       : order_u64(ordered_bits(c, true, a), ordered_bits(c, true, b));
}

/* < 0: row a comes before row b. */
static int cmp_rows(const struct order *o, uint32_t a, uint32_t b)
{
	for (size_t k = 0; k < o->n; k++) {
		const struct table_col *c = &o->key[k];
		int no_a = c->absent && c->absent[a], no_b = c->absent && c->absent[b];
		int d = no_a || no_b ? no_a - no_b
			: o->asc[k]  ? cmp_values(c, a, b)
				     : cmp_values(c, b, a);

		if (d)
			return d;
	}
	return (a > b) - (a < b);
}

/* Merge sort: stable, without globals, polls. */
static void merge_sort(struct exec *x, const struct order *o, uint32_t *v, uint32_t *tmp,
		       size_t n)
{
	for (size_t w = 1; w < n; w *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * w) {
			size_t mid = lo + w < n ? lo + w : n,
			       hi = lo + 2 * w < n ? lo + 2 * w : n;
			size_t i = lo, j = mid, k = lo;

			while (i < mid || j < hi) {
				bool left = j >= hi ||
					    (i < mid && cmp_rows(o, v[i], v[j]) <= 0);

				tmp[k++] = left ? v[i++] : v[j++];
				exec_poll(x);
			}
		}
		memcpy(v, tmp, n * sizeof(*v));
	}
}

/* ---- the first ones ---- */

/*
 * The rows that may be among the first ones: of all rows looked at, those whose first key is
 * no more than that of the row in place `keep`.  Too many are sorted, and the last ones
 * dropped.  All keys are asked of those that are left in the end.
 */
struct first_rows {
	struct expr *key; /* the first */
	bool asc;
	bool decides;		   /* rows with equal bits are in order */
	struct sort_pair *row;	   /* their bits and numbers */
	size_t n, cap, keep, full; /* they are too many from `full` on */
	uint64_t most;		   /* bits of a row that may still be one */
};

static void drop_last(struct first_rows *h)
{
	size_t n = h->keep;

	if (sort_pairs(h->row, h->n))
		need_memory_for(NULL);
	h->most = h->row[n - 1].key;
	while (!h->decides && n < h->n && h->row[n].key == h->most)
		n++;
	h->most -= h->decides && h->most; /* equal rows that come later are behind */
	h->n = n;
	h->full = 2 * n + WINDOW;
}

static void first_of_window(struct window *w, struct first_rows *h)
{
	uint64_t *bits = EXEC_ARRAY(&w->x, uint64_t, w->t.n);
	struct table_col v;

	eval_values(w, h->key, &v);
	exec_grow(w->stmt, &h->row, &h->cap, h->n, h->n + w->t.n, sizeof(*h->row));
	h->decides &= !v.absent; /* its bits are those of some numbers */
	order_bits(&v, h->asc, w->t.n, bits);
	for (size_t i = 0;
	     (i = row_loops()->find_upto(bits, i, w->t.n, h->most)) < w->t.n; i++)
		h->row[h->n++] = (struct sort_pair){bits[i], (uint32_t)(w->first + i)};
	if (h->n >= h->full)
		drop_last(h);
}

/* Skip windows without a row that may be one of the first, as far as the index tells. */
static void skip_windows(struct window *w, const struct first_rows *h)
{
	const struct table *t = w->of;
	const struct expr *e = h->key;
	const struct col_def *d =
		e->op == EX_COL && !e->col->percent ? e->col->def : NULL;
	int64_t least;
	uint64_t row;

	if (!d || !d->get.stored || d->flags & IF_EXACT || t->ref || t->vs ||
	    !t->g->plain || h->asc || h->most == UINT64_MAX)
		return;
	least = (int64_t)(~h->most ^
			  (col_is_signed(e->col->type) ? (uint64_t)1 << 63 : 0));
	row = store_seek(t->g->st, d->get.stored - 1,
			 d->flags & PER_EVENT ? e->col->event : 0,
			 t->first + w->first + WINDOW, least);
	window_skip(w, (size_t)(row - t->first));
}

/* Leave the rows that can be among the first `keep` by a key, or all if these are too many;
 * keep > 0. */
static void keep_first(struct exec *x, struct table *t, const struct expr *key,
		       size_t keep)
{
	struct first_rows h = {.asc = ascends(key),
			       .decides = !key->next && !col_is_text(key->type),
			       .keep = keep,
			       .full = 2 * keep + WINDOW,
			       .most = UINT64_MAX};
	const size_t many = t->n / 2 + WINDOW; /* the rest would spare nothing */
	struct window w;
	uint32_t *rows;

	eval_open(x, t, key, &h.key);
	window_open(x, t, &w);
	while (h.full <= many && window_next(&w)) {
		first_of_window(&w, &h);
		skip_windows(&w, &h);
	}
	window_close(&w);
	eval_close(x, h.key, false);
	if (h.full > many)
		return;
	rows = EXEC_ARRAY(x, uint32_t, h.n + 1);
	for (size_t i = 0; i < h.n; i++)
		h.row[i].key = h.row[i].value;
	if (sort_pairs(h.row, h.n))
		need_memory_for(NULL);
	for (size_t i = 0; i < h.n; i++)
		rows[i] = h.row[i].value;
	table_select(t, rows, h.n);
}

/* ---- all of them ---- */

static void eval_keys(struct exec *x, struct table *t, const struct expr *keys,
		      struct order *o)
{
	for (const struct expr *e = keys; e; e = e->next) {
		if (o->n == KEYS)
			exec_fail(x, e->span, "more than %d sort keys", KEYS);
		eval(x, t, e, &o->key[o->n]);
		o->asc[o->n] = ascends(e);
		o->n++;
	}
}

/* Sort by all keys, and keep the first n rows. */
static void sort_all(struct exec *x, struct table *t, const struct expr *keys, size_t n)
{
	struct order o = {0};
	uint32_t *v = EXEC_ARRAY(x, uint32_t, 2 * t->n + 1);

	eval_keys(x, t, keys, &o);
	for (size_t i = 0; i < t->n; i++)
		v[i] = (uint32_t)i;
	if (!sorts_by_bits(&o, t->n))
		merge_sort(x, &o, v, v + t->n, t->n);
	else
		bits_sort(x, &o, v, t->n);
	table_select(t, v, n);
}

static bool sort_is_col(const struct expr *e, const char *name)
{
	return e->op == EX_COL && !e->let && !e->percent && str_eq(e->text, str_c(name));
}

/* Does the index have this order?  Only for all functions of the store, one key,
 * descending. */
static bool ranked(const struct table *t, const struct expr *keys, bool *by_incl,
		   uint32_t *ev)
{
	if (t->src != &source_functions || t->vs || t->ref || !t->g->plain ||
	    t->n != t->g->functions)
		return false;
	if (keys && (keys->asc || keys->next ||
		     !(sort_is_col(keys, "self") || sort_is_col(keys, "incl"))))
		return false;
	*by_incl = keys && sort_is_col(keys, "incl");
	if (!(keys && keys->event.n) &&
	    table_taken(t, *by_incl ? STR("incl") : STR("self")))
		return false;
	*ev = keys ? keys->ev : t->event;
	return *ev < store_info(t->g->st)->events;
}

static void take_ranked(struct exec *x, struct table *t, bool by_incl, uint32_t ev,
			size_t n)
{
	uint32_t *rows = EXEC_ARRAY(x, uint32_t, n + 1);

	for (size_t i = 0; i < n; i++) {
		rows[i] = by_incl ? store_rank_incl(t->g->st, ev, (uint32_t)i)
				  : store_rank_self(t->g->st, ev, (uint32_t)i);
		exec_poll(x);
	}
	table_select(t, rows, n);
}

static bool same_expr(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	return a->op == b->op && a->op != EX_CALL && a->col == b->col &&
	       a->number == b->number && str_eq(a->text, b->text) &&
	       same_expr(a->a, b->a) && same_expr(a->b, b->b);
}

/* Does a column with a name of its own show the ratio: rate, or incl/call? */
static bool is_shown(const struct table *t, const struct expr *e,
		     const struct expr *ratio)
{
	const bool per_call = e->op == EX_DIV && e->a->op == EX_COL &&
			      e->b->op == EX_COL && !e->a->event.n &&
			      str_eq(e->a->text, STR("incl")) &&
			      str_eq(e->b->text, STR("calls"));

	for (size_t i = 0; i < t->ncols; i++) {
		const struct table_col *c = t->cols[i];

		if (c->table &&
		    ((ratio && same_expr(c->ratio, ratio)) ||
		     (per_call && c->def && str_eq(c->name, STR("incl/call")))))
			return true;
	}
	return false;
}

/* People see the counts that a rate is made of, too. */
static void show_counts(const struct expr *e)
{
	if (!e)
		return;
	if (e->op == EX_COL && e->col && e->col->def && !e->col->machine)
		e->col->table = true;
	show_counts(e->a);
	show_counts(e->b);
}

/* The cost that e adds up, and that of the profile in these events; 0: e adds up none. */
static int64_t total_of(const struct table *t, const struct expr *e, struct str *text)
{
	int64_t a, b;
	struct str more;

	if (e->op == EX_COL) {
		*text = e->col ? e->col->name : STR("");
		return e->col && e->col->def && e->col->def->flags & PER_EVENT
			       ? graph_total(t->g, e->col->event)
			       : 0;
	}
	if (e->op != EX_ADD || (a = total_of(t, e->a, text)) <= 0 ||
	    (b = total_of(t, e->b, &more)) <= 0)
		return 0;
	*text = arena_printf(t->x->a, "%.*s + %.*s", STR_ARG(*text), STR_ARG(more));
	cost_add(&a, b);
	return a;
}

/* A rate of few says little: say so if the first row has few. */
static void note_few(struct exec *x, struct table *t, const struct expr *key,
		     const struct expr *ratio)
{
	enum { FEW = 1000 }; /* of the total */
	const struct expr *of = ratio->op == EX_DIV ? ratio->b : NULL;
	struct str counts;
	const int64_t total = of && t->g ? total_of(t, of, &counts) : 0;
	struct table_col v;
	double first;

	if (!t->n || total < FEW || ascends(key))
		return;
	eval(x, t, of, &v);
	first = col_is_f(v.type) ? v.f[0] : (double)v.i[0];
	if (!(first * FEW >= (double)total))
		exec_hintf(x,
			   "the first rows have few %.*s: | where %.*s > %" PRId64
			   " before the sort leaves them out",
			   STR_ARG(counts), STR_ARG(counts), total / FEW);
}

/* Show each key that is not in the table yet, so that the order is visible. */
static void show_keys(struct exec *x, struct table *t, const struct expr *keys)
{
	for (const struct expr *e = keys; e; e = e->next) {
		struct table_col v, *c;
		struct expr *ratio = NULL;

		if (e->op == EX_COL && !e->let) {
			eval_column(t, e, &c);
			if (!c->machine && !c->table)
				c->machine = c->table = true;
			ratio = c->ratio;
		} else {
			if (e->type == COL_RATIO)
				eval_bind(x, t, e, &ratio);
		}
		if (e == keys && ratio && x->open->people) {
			if (t->src && t->ncols && t->cols[0]->machine)
				show_counts(ratio);
			note_few(x, t, e, ratio);
		}
		if (e->op == EX_COL && !e->let)
			continue;
		if (is_shown(t, e, ratio))
			continue;
		eval(x, t, e, &v);
		table_adopt(t, e->as, &v, &c);
		c->event = t->event;
		c->ratio = ratio && eval_is_quotient(ratio) ? ratio : NULL;
	}
}

/* Is a key a condition?  Its texts are noted if no row has them: all rows are asked. */
static bool any_condition(const struct expr *keys)
{
	for (; keys; keys = keys->next)
		if (keys->type == COL_BOOL)
			return true;
	return false;
}

/* The first n rows by keys. */
static void sort_first(struct exec *x, struct table *t, const struct expr *keys, size_t n)
{
	enum { MOST = 1 << 16 };

	if (n && n < t->n / 4 && n <= MOST && !any_condition(keys))
		keep_first(x, t, keys, n);
	sort_all(x, t, keys, n);
}

/* The bar of a table shows what sorts it: the share of that, if there is such a column. */
static void move_bar(struct table *t, struct table_col *by)
{
	struct table_col *bar = by;

	if (col_is_text(by->type) || by->type == COL_BOOL || by->type == COL_ID ||
	    by->type == COL_LINE)
		return;
	for (size_t i = 0; i < t->ncols; i++) {
		struct table_col *c = t->cols[i];

		c->bar = false;
		if (by->type != COL_DELTA && c->percent && c->table &&
		    c->event == by->event &&
		    str_eq((struct str){c->name.p, c->name.n - 1}, by->name))
			bar = c;
	}
	bar->bar = true;
}

/* Descending; by the sizes of changes. */
static void sort_by(struct exec *x, struct table *t, struct table_col *c, bool sizes,
		    size_t n)
{
	struct expr cost = eval_of_column(c);
	const struct expr size = {
		.op = EX_CALL, .text = STR("abs"), .type = c->type, .a = &cost};

	sort_first(x, t, sizes ? &size : &cost, n);
	move_bar(t, c);
}

void exec_sort_column(struct exec *x, struct table *t, struct table_col *c, bool sizes)
{
	sort_by(x, t, c, sizes, t->n);
}

void exec_sort(struct exec *x, struct table *t, const struct expr *keys, size_t n)
{
	struct table_col *primary;
	uint32_t ev;
	bool by_incl;

	if (n > t->n)
		n = t->n;
	if (ranked(t, keys, &by_incl, &ev)) {
		take_ranked(x, t, by_incl, ev, n);
	} else if (keys) {
		sort_first(x, t, keys, n);
	} else {
		table_add(t, t->vs ? STR("delta") : str_c(t->src->primary), t->event,
			  false, &primary);
		sort_by(x, t, primary, t->vs != NULL, n);
	}
	show_keys(x, t, keys);
	if (keys && keys->op == EX_COL && !keys->let) {
		eval_column(t, keys, &primary);
		move_bar(t, primary);
	}
}
