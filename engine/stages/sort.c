/*
 * sort.c - order a table by keys.
 *
 * Ties keep their order (the row number is the last key).  Absent values come last in
 * both directions.  All functions by self or inclusive cost are not sorted at all: the
 * index has that order, and `take N` reads N rows of it.  Other sorts before `take N` use
 * a heap of N rows.  Many rows are sorted by the bits of their keys, the last key first;
 * few, or texts, by comparing.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/stages/eval.h"
#include "engine/rows/exec.h"
#include "engine/sources/source.h"
#include "engine/stages/stage.h"
#include "index/base/sort.h"

enum { KEYS = 16 };

struct order {
	const struct table *t;
	struct table_col key[KEYS];
	bool asc[KEYS];
	size_t n;
};

static int cmp_values(const struct table *t, const struct table_col *c, uint32_t a,
		      uint32_t b)
{
	if (col_is_text(c->type))
		return str_cmp(col_text(t, c, a), col_text(t, c, b));
	if (col_is_f(c->type))
		return (c->f[a] > c->f[b]) - (c->f[a] < c->f[b]);
	if (c->type == COL_BOOL)
		return c->b[a] - c->b[b];
	if (c->type == COL_DELTA)
		return (c->i[a] > c->i[b]) - (c->i[a] < c->i[b]);
	return (c->u[a] > c->u[b]) - (c->u[a] < c->u[b]);
}

/* < 0: row a comes before row b. */
static int cmp_rows(const struct order *o, uint32_t a, uint32_t b)
{
	for (size_t k = 0; k < o->n; k++) {
		const struct table_col *c = &o->key[k];
		int no_a = c->absent && c->absent[a], no_b = c->absent && c->absent[b];
		int d = no_a || no_b ? no_a - no_b
			: o->asc[k]  ? cmp_values(o->t, c, a, b)
				     : cmp_values(o->t, c, b, a);

		if (d)
			return d;
	}
	return (a > b) - (a < b);
}

/* Merge sort: stable, without globals, polls. */
static int merge_sort(struct exec *x, const struct order *o, uint32_t *v, uint32_t *tmp,
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
				if (exec_poll(x))
					return (int)x->err->kind;
			}
		}
		memcpy(v, tmp, n * sizeof(*v));
	}
	return 0;
}

/* ---- by bits ---- */

enum { MANY = 4096 };

/* Numbers whose order as unsigned ones is that of the cells. */
static uint64_t ordered_bits(const struct table_col *c, bool asc, uint32_t row)
{
	const uint64_t sign = (uint64_t)1 << 63;
	uint64_t bits;
	double v;

	if (col_is_f(c->type)) {
		v = c->f[row] + 0.0; /* -0 is 0 */
		memcpy(&bits, &v, sizeof(bits));
		bits = bits & sign ? ~bits : bits | sign;
	} else if (c->type == COL_BOOL) {
		bits = c->b[row];
	} else {
		bits = c->type == COL_DELTA ? c->u[row] ^ sign : c->u[row];
	}
	return asc ? bits : ~bits;
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

static bool has_bits(const struct order *o, size_t n)
{
	for (size_t k = 0; k < o->n; k++)
		if (col_is_text(o->key[k].type))
			return false;
	return n >= MANY;
}

static int bits_sort(struct exec *x, const struct order *o, uint32_t *v, size_t n)
{
	struct sort_pair *p = malloc(2 * n * sizeof(*p));
	int rc = p ? 0 : err_no_memory(x->err, NULL);

	/* The row number is the last key: v may be a heap. */
	for (size_t i = 0; !rc && i < n; i++)
		p[i] = (struct sort_pair){v[i], v[i]};
	if (!rc && sort_pairs(p, n))
		rc = err_no_memory(x->err, NULL);
	for (size_t k = o->n; !rc && k > 0; k--) {
		const struct table_col *c = &o->key[k - 1];

		for (size_t i = 0; i < n; i++)
			p[i].key = ordered_bits(c, o->asc[k - 1], p[i].value);
		if (sort_pairs(p, n))
			rc = err_no_memory(x->err, NULL);
		else if (c->absent)
			absent_last(c, p, p + n, n);
		rc = rc ? rc : exec_poll_now(x);
	}
	for (size_t i = 0; !rc && i < n; i++)
		v[i] = p[i].value;
	free(p);
	return rc;
}

/* ---- the first ones ---- */

static void sift(const struct order *o, uint32_t *heap, size_t n, size_t i)
{
	for (;;) {
		size_t c = 2 * i + 1;
		uint32_t swap;

		if (c >= n)
			return;
		if (c + 1 < n && cmp_rows(o, heap[c + 1], heap[c]) > 0)
			c++;
		if (cmp_rows(o, heap[c], heap[i]) <= 0)
			return;
		swap = heap[i];
		heap[i] = heap[c];
		heap[c] = swap;
		i = c;
	}
}

/* Find the first `keep` rows in order.  The root of the heap is the last of them. */
static int first_rows(struct exec *x, const struct order *o, uint32_t *v, size_t n,
		      size_t keep)
{
	for (size_t i = keep / 2; i > 0; i--)
		sift(o, v, keep, i - 1);
	for (size_t i = keep; i < n; i++) {
		if (exec_poll(x))
			return (int)x->err->kind;
		if (cmp_rows(o, v[i], v[0]) < 0) {
			v[0] = v[i];
			sift(o, v, keep, 0);
		}
	}
	return 0;
}

static int eval_keys(struct exec *x, struct table *t, const struct expr *keys,
		     struct order *o)
{
	for (const struct expr *e = keys; e; e = e->next) {
		if (o->n == KEYS)
			return exec_fail(x, e->span, "more than %d sort keys", KEYS);
		o->asc[o->n] = e->asc;
		if (eval(x, t, e, &o->key[o->n++]))
			return (int)x->err->kind;
	}
	return 0;
}

static int primary_key(struct exec *x, struct table *t, struct order *o)
{
	struct table_col *c;

	if (table_column(t, t->vs ? STR("delta") : str_c(t->src->primary), t->event,
			 false, &c))
		return (int)x->err->kind;
	o->key[0] = *c;
	o->n = 1;
	return 0;
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

static int take_ranked(struct exec *x, struct table *t, bool by_incl, uint32_t ev,
		       size_t n)
{
	uint32_t *rows = EXEC_ARRAY(x, uint32_t, n + 1);

	if (!rows)
		return (int)x->err->kind;
	for (size_t i = 0; i < n; i++) {
		rows[i] = by_incl ? store_rank_incl(t->g->st, ev, (uint32_t)i)
				  : store_rank_self(t->g->st, ev, (uint32_t)i);
		if (exec_poll(x))
			return (int)x->err->kind;
	}
	return table_select(t, rows, n);
}

/* Show each key that is not in the table yet, so that the order is visible. */
static int show_keys(struct exec *x, struct table *t, const struct expr *keys)
{
	for (const struct expr *e = keys; e; e = e->next) {
		struct table_col v, *c;
		struct expr *ratio = NULL;

		if (e->op == EX_COL && !e->let) {
			if (eval_column(t, e, &c))
				return (int)x->err->kind;
			if (!c->machine && !c->table)
				c->machine = c->table = true;
			continue;
		}
		if (eval(x, t, e, &v) ||
		    (e->type == COL_RATIO && eval_bind(x, t, e, &ratio)) ||
		    table_adopt(t, e->as, &v, &c))
			return (int)x->err->kind;
		c->event = t->event;
		c->ratio = ratio;
	}
	return 0;
}

int exec_sort(struct exec *x, struct table *t, const struct expr *keys, size_t n)
{
	struct order o = {.t = t};
	size_t sorted = t->n;
	uint32_t ev, *v;
	bool by_incl;

	if (n > t->n)
		n = t->n;
	if (ranked(t, keys, &by_incl, &ev))
		return take_ranked(x, t, by_incl, ev, n) || show_keys(x, t, keys)
			       ? (int)x->err->kind
			       : 0;
	if (keys ? eval_keys(x, t, keys, &o) : primary_key(x, t, &o))
		return (int)x->err->kind;
	v = EXEC_ARRAY(x, uint32_t, 2 * t->n + 1);
	if (!v)
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++)
		v[i] = (uint32_t)i;
	if (n && n < t->n / 4) {
		if (first_rows(x, &o, v, t->n, n))
			return (int)x->err->kind;
		sorted = n;
	}
	if ((has_bits(&o, sorted) ? bits_sort(x, &o, v, sorted)
				  : merge_sort(x, &o, v, v + t->n, sorted)) ||
	    table_select(t, v, n))
		return (int)x->err->kind;
	return show_keys(x, t, keys);
}
