/*
 * group.c - fold rows; see group.h.
 *
 * The number of a row's group comes from a hash of its key columns.  An aggregate that is
 * an expression over columns (D1mr / Dr) is computed from the sums of these columns.  The
 * sums stay as hidden columns, so that the result can be summed again.
 */
#include "engine/stages/group.h"

#include <string.h>

#include "engine/lang/check_names.h"
#include "engine/stages/eval.h"
#include "engine/rows/exec.h"
#include "engine/lang/parse.h"
#include "index/base/sort.h"

enum { COUNTED, COUNTED_PART, LEFT_OUT }; /* is a row counted; _PART: not for AT_TOP */

struct groups {
	uint32_t *of;	 /* [rows]: group */
	uint32_t *first; /* [groups]: its first row */
	uint64_t *size;	 /* [groups]: rows */
	size_t n;
	uint8_t *left_out; /* [rows]: enum; NULL: none is left out */
};

/* ---- group numbers ---- */

static bool is_absent(const struct table_col *c, size_t i)
{
	return c->absent && c->absent[i];
}

static uint64_t hash_cell(const struct table_col *c, size_t i)
{
	struct str s;

	if (is_absent(c, i))
		return 0;
	if (col_is_text(c->type))
		return str_hash(c->s[i]);
	s = (struct str){(const char *)c->p + i * col_width(c->type), col_width(c->type)};
	return str_hash(s);
}

static bool same_cell(const struct table_col *c, size_t a, size_t b)
{
	if (is_absent(c, a) || is_absent(c, b))
		return is_absent(c, a) && is_absent(c, b);
	if (col_is_text(c->type))
		return str_eq(c->s[a], c->s[b]);
	return memcmp((const char *)c->p + a * col_width(c->type),
		      (const char *)c->p + b * col_width(c->type),
		      col_width(c->type)) == 0;
}

static bool same_key(const struct table_col *key, size_t nkeys, size_t a, size_t b)
{
	for (size_t k = 0; k < nkeys; k++)
		if (!same_cell(&key[k], a, b))
			return false;
	return true;
}

/* A hash of rows by their keys.  It grows with the groups, not with the rows: few groups
 * stay in the cache. */
struct numbering {
	uint32_t *slot; /* [cap]: group + 1 */
	uint64_t *hash; /* [groups] */
	size_t cap, hash_cap, first_cap, size_cap;
};

static int grow_numbering(struct exec *x, struct numbering *b, const struct groups *g)
{
	const size_t cap = b->cap ? 4 * b->cap : 1024;
	uint32_t *slot = EXEC_ARRAY(x, uint32_t, cap);

	if (!slot)
		return (int)x->err->kind;
	for (size_t k = 0; k < g->n; k++) {
		uint64_t h = b->hash[k];

		while (slot[h & (cap - 1)])
			h++;
		slot[h & (cap - 1)] = (uint32_t)k + 1;
	}
	b->slot = slot;
	b->cap = cap;
	return 0;
}

static int new_group(struct exec *x, struct numbering *b, struct groups *g, uint64_t hash,
		     size_t row)
{
	if ((2 * (g->n + 1) > b->cap && grow_numbering(x, b, g)) ||
	    exec_grow(x, &b->hash, &b->hash_cap, g->n, g->n + 1, sizeof(*b->hash)) ||
	    exec_grow(x, &g->first, &b->first_cap, g->n, g->n + 1, sizeof(*g->first)) ||
	    exec_grow(x, &g->size, &b->size_cap, g->n, g->n + 1, sizeof(*g->size)))
		return (int)x->err->kind;
	b->hash[g->n] = hash;
	g->first[g->n] = (uint32_t)row;
	g->size[g->n++] = 0;
	while (b->slot[hash & (b->cap - 1)])
		hash++;
	b->slot[hash & (b->cap - 1)] = (uint32_t)g->n;
	return 0;
}

static int number_groups(struct exec *x, struct table *t, const struct table_col *key,
			 size_t nkeys, struct groups *g)
{
	struct numbering b = {0};

	g->of = EXEC_ARRAY(x, uint32_t, t->n + 1);
	if (!g->of || grow_numbering(x, &b, g))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++) {
		uint64_t h = 0, at;
		uint32_t k;

		for (size_t c = 0; c < nkeys; c++)
			h = h * 0x9e3779b97f4a7c15u + hash_cell(&key[c], i);
		h ^= h >> 32;
		for (at = h; (k = b.slot[at & (b.cap - 1)]); at++)
			if (b.hash[k - 1] == h &&
			    same_key(key, nkeys, i, g->first[k - 1]))
				break;
		if (!k && new_group(x, &b, g, h, i))
			return (int)x->err->kind;
		g->of[i] = k ? k - 1 : (uint32_t)g->n - 1;
		g->size[g->of[i]]++;
		if (exec_poll(x))
			return (int)x->err->kind;
	}
	return 0;
}

/* ---- the order of groups ---- */

/* Is row a costlier than b, or the first of two that are equal? */
static bool is_before(const struct table_col *c, uint32_t a, uint32_t b)
{
	if (c->u[a] == c->u[b])
		return a < b;
	return c->type == COL_DELTA ? c->i[a] > c->i[b] : c->u[a] > c->u[b];
}

/*
 * Number the groups as if the rows had been sorted by cost before: by the costliest row of
 * each.  order: by these rows; then, as the sort is stable, by their costs.
 */
static int order_groups(struct exec *x, struct table *t, struct groups *g)
{
	const uint64_t sign = (uint64_t)1 << 63;
	struct sort_pair *order = EXEC_ARRAY(x, struct sort_pair, g->n + 1);
	uint32_t *first = EXEC_ARRAY(x, uint32_t, g->n + 1);
	uint32_t *now = EXEC_ARRAY(x, uint32_t, g->n + 1);
	uint64_t *size = EXEC_ARRAY(x, uint64_t, g->n + 1);
	struct table_col *c;

	if (!order || !first || !now || !size ||
	    table_own(t, t->vs ? STR("delta") : str_c(t->src->primary), t->event, false,
		      &c))
		return (int)x->err->kind;
	for (uint32_t i = 0; i < t->n; i++)
		if (is_before(c, i, g->first[g->of[i]]))
			g->first[g->of[i]] = i;
	for (size_t k = 0; k < g->n; k++)
		order[k] = (struct sort_pair){g->first[k], (uint32_t)k};
	if (sort_pairs(order, g->n))
		return err_no_memory(x->err, NULL);
	for (size_t k = 0; k < g->n; k++)
		order[k].key = ~(c->u[order[k].key] ^ (c->type == COL_DELTA ? sign : 0));
	if (sort_pairs(order, g->n))
		return err_no_memory(x->err, NULL);
	for (size_t k = 0; k < g->n; k++) {
		first[k] = g->first[order[k].value];
		size[k] = g->size[order[k].value];
		now[order[k].value] = (uint32_t)k;
	}
	for (size_t i = 0; i < t->n; i++)
		g->of[i] = now[g->of[i]];
	g->first = first;
	g->size = size;
	return exec_poll_now(x);
}

/* ---- folding one column ---- */

enum fold { FOLD_SUM, FOLD_MIN, FOLD_MAX };

static void fold_u(enum fold f, uint64_t *to, uint64_t v)
{
	if (f == FOLD_SUM && __builtin_add_overflow(*to, v, to))
		*to = UINT64_MAX;
	else if ((f == FOLD_MIN && v < *to) || (f == FOLD_MAX && v > *to))
		*to = v;
}

static void fold_i(enum fold f, int64_t *to, int64_t v)
{
	if (f == FOLD_SUM && __builtin_add_overflow(*to, v, to))
		*to = v > 0 ? INT64_MAX : INT64_MIN;
	else if ((f == FOLD_MIN && v < *to) || (f == FOLD_MAX && v > *to))
		*to = v;
}

static void fold_f(enum fold f, double *to, double v)
{
	if (f == FOLD_SUM)
		*to += v;
	else if ((f == FOLD_MIN && v < *to) || (f == FOLD_MAX && v > *to))
		*to = v;
}

static void fold_cell(enum fold f, const struct table_col *c, size_t i,
		      struct table_col *out, size_t g, bool first)
{
	if (col_is_f(c->type) && first)
		out->f[g] = c->f[i];
	else if (col_is_f(c->type))
		fold_f(f, &out->f[g], c->f[i]);
	else if (c->type == COL_DELTA && first)
		out->i[g] = c->i[i];
	else if (c->type == COL_DELTA)
		fold_i(f, &out->i[g], c->i[i]);
	else if (first)
		out->u[g] = c->u[i];
	else
		fold_u(f, &out->u[g], c->u[i]);
}

/* Skip absent cells; a group with only absent cells is absent. */
static int fold_column(struct exec *x, const struct groups *g, size_t rows, enum fold f,
		       const struct table_col *c, struct table_col *out)
{
	uint8_t *seen = EXEC_ARRAY(x, uint8_t, g->n + 1);
	uint8_t last = c->def && c->def->flags & AT_TOP ? COUNTED : COUNTED_PART;
	bool all = true;

	if (!seen)
		return (int)x->err->kind;
	for (size_t i = 0; i < rows; i++) {
		if (is_absent(c, i) ||
		    (f == FOLD_SUM && g->left_out && g->left_out[i] > last))
			continue;
		fold_cell(f, c, i, out, g->of[i], !seen[g->of[i]]);
		seen[g->of[i]] = 1;
		if (c->estimated && c->estimated[i]) {
			if (!out->estimated &&
			    !(out->estimated = EXEC_ARRAY(x, uint8_t, g->n + 1)))
				return (int)x->err->kind;
			out->estimated[g->of[i]] = 1;
		}
		if (exec_poll(x))
			return (int)x->err->kind;
	}
	for (size_t k = 0; k < g->n; k++) {
		all &= seen[k];
		seen[k] = !seen[k];
	}
	out->absent = all ? NULL : seen;
	return 0;
}

/* ---- rows that are parts of others ---- */

/* Does the group contain a row that r is a part of?  at[ref]: its index + 1 in the
 * table. */
static bool is_inside(const struct table *t, const struct groups *g, const uint32_t *at,
		      uint32_t r, uint32_t group)
{
	uint32_t up = t->part_of(t, r);

	for (; up < ROW_UNCOUNTED; up = t->part_of(t, up))
		if (at[up] && g->of[at[up] - 1] == group)
			return true;
	return false;
}

/* Count the cost of a row once: by itself, or in the row of its group that contains
 * it. */
static int leave_out_parts(struct exec *x, struct table *t, struct groups *g)
{
	uint32_t most = 0, *at, left = 0;

	if (!t->part_of || table_refs(t))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++)
		most = t->ref[i] > most ? t->ref[i] : most;
	at = EXEC_ARRAY(x, uint32_t, (size_t)most + 1);
	g->left_out = EXEC_ARRAY(x, uint8_t, t->n + 1);
	if (!at || !g->left_out)
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++)
		at[t->ref[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t up = t->part_of(t, t->ref[i]);

		if (up == ROW_UNCOUNTED || is_inside(t, g, at, t->ref[i], g->of[i]))
			g->left_out[i] = LEFT_OUT;
		else if (up != ROW_WHOLE)
			g->left_out[i] = COUNTED_PART;
		left += g->left_out[i] == LEFT_OUT;
		if (exec_poll(x))
			return (int)x->err->kind;
	}
	return left ? exec_note(x,
				arena_printf(x->a,
					     "%u row%s in no sum: recursive, or a part "
					     "of a row above",
					     left, left == 1 ? " is" : "s are"))
		    : 0;
}

/* ---- quotients of sums ---- */

/* Is e too high to recurse over?  Ratios of ratios are higher than the expressions
 * written. */
static int too_high(struct exec *x)
{
	err_set(x->err, ERR_LIMIT, 0,
		"a quotient made of others has more than %u operators",
		parse_operators());
	return err_hint(x->err, "sum the columns first, and divide the sums");
}

/* Apply the bound expression e to the sums of its columns per group.  The sums become
 * hidden columns of out. */
static struct expr *over_sums(struct exec *x, struct table *t, const struct groups *g,
			      const struct expr *e, struct table *out, unsigned left)
{
	struct expr *n;

	if (!e || x->err->kind || !(n = EXEC_ARRAY(x, struct expr, 1)))
		return NULL;
	if (left == 0) {
		too_high(x);
		return NULL;
	}
	*n = *e;
	if (e->col) {
		if (table_append(out, STR(""), e->col->type, &n->col) ||
		    fold_column(x, g, t->n, FOLD_SUM, e->col, n->col))
			return NULL;
		n->col->machine = n->col->table = false;
	}
	n->a = over_sums(x, t, g, e->a, out, left - 1);
	n->b = over_sums(x, t, g, e->b, out, left - 1);
	return n;
}

static int quotient(struct exec *x, struct table *t, const struct groups *g,
		    const struct expr *e, struct table *out, struct expr **ratio,
		    struct table_col *v)
{
	struct expr *bound;

	if (eval_bind(x, t, e, &bound))
		return (int)x->err->kind;
	*ratio = over_sums(x, t, g, bound, out, parse_operators());
	return x->err->kind ? (int)x->err->kind : eval(x, out, *ratio, v);
}

/* ---- group ---- */

static int copy_key(struct exec *x, struct table *out, const struct groups *g,
		    const struct table_col *key, struct str name)
{
	struct table_col *c;
	size_t w = col_width(key->type);

	if (table_append(out, name, key->type, &c))
		return (int)x->err->kind;
	if (key->absent && !(c->absent = EXEC_ARRAY(x, uint8_t, g->n + 1)))
		return (int)x->err->kind;
	for (size_t k = 0; k < g->n; k++) {
		memcpy((char *)c->p + k * w, (const char *)key->p + g->first[k] * w, w);
		if (key->absent)
			c->absent[k] = key->absent[g->first[k]];
	}
	return 0;
}

static int add_sum(struct exec *x, struct table *t, const struct groups *g,
		   struct table_col *v, struct str name, struct table *out)
{
	struct table_col *c;

	if (table_append(out, name, v->type, &c) ||
	    fold_column(x, g, t->n, FOLD_SUM, v, c))
		return (int)x->err->kind;
	c->event = v->event;
	c->adds_up = true;
	return 0;
}

static int add_count(struct exec *x, const struct groups *g, struct str name,
		     struct table *out)
{
	struct table_col *c;

	if (table_append(out, name, COL_COUNT, &c))
		return (int)x->err->kind;
	if (g->n)
		memcpy(c->u, g->size, g->n * sizeof(*c->u));
	c->adds_up = true;
	return 0;
}

static int add_quotient(struct exec *x, struct table *t, const struct groups *g,
			const struct expr *e, struct str name, struct table *out)
{
	struct table_col v, *c;
	struct expr *ratio = NULL;

	if (quotient(x, t, g, e, out, &ratio, &v) || table_append(out, name, v.type, &c))
		return (int)x->err->kind;
	c->p = v.p;
	c->absent = v.absent;
	c->estimated = v.estimated;
	c->ratio = col_is_f(v.type) ? ratio : NULL;
	return 0;
}

/* The average of the cells that are present. */
static int add_average(struct exec *x, struct table *t, const struct groups *g,
		       const struct table_col *v, struct str name, struct table *out)
{
	struct table_col *c, sum = {.type = v->type, .filled = true};
	uint64_t *n = EXEC_ARRAY(x, uint64_t, g->n + 1);

	sum.p = exec_alloc(x, g->n + 1, col_width(v->type));
	if (!n || !sum.p || fold_column(x, g, t->n, FOLD_SUM, v, &sum) ||
	    table_append(out, name, COL_RATIO, &c))
		return (int)x->err->kind;
	c->absent = sum.absent;
	for (size_t i = 0; i < t->n; i++)
		n[g->of[i]] += !is_absent(v, i);
	for (size_t k = 0; k < g->n; k++) {
		double s = col_is_f(v->type)	  ? sum.f[k]
			   : v->type == COL_DELTA ? (double)sum.i[k]
						  : (double)sum.u[k];

		c->f[k] = n[k] ? s / (double)n[k] : 0;
	}
	return 0;
}

static int aggregate(struct exec *x, struct table *t, const struct groups *g,
		     const struct expr *e, struct table *out)
{
	struct table_col v, *c;
	bool call = e->op == EX_CALL && is_aggregate(e->text);
	enum fold f;

	if (call && str_eq(e->text, STR("count")))
		return add_count(x, g, e->as, out);
	if (!call || (str_eq(e->text, STR("sum")) && col_is_f(e->a->type)))
		return add_quotient(x, t, g, call ? e->a : e, e->as, out);
	if (eval(x, t, e->a, &v))
		return (int)x->err->kind;
	if (str_eq(e->text, STR("avg")))
		return add_average(x, t, g, &v, e->as, out);
	if (str_eq(e->text, STR("sum")))
		return add_sum(x, t, g, &v, e->as, out);
	f = str_eq(e->text, STR("min")) ? FOLD_MIN : FOLD_MAX;
	if (table_append(out, e->as, v.type, &c))
		return (int)x->err->kind;
	return fold_column(x, g, t->n, f, &v, c);
}

/* The keys are the first columns. */
static bool is_key(const struct table *out, struct str name)
{
	for (size_t i = 0; i < out->ncols; i++)
		if (str_eq(out->cols[i]->name, name))
			return true;
	return false;
}

static int sum_column(struct exec *x, struct table *t, const struct groups *g,
		      struct table_col *c, struct table *out)
{
	if (c->ratio)
		return add_quotient(x, t, g, c->ratio, c->name, out);
	if (!c->adds_up || c->percent || col_is_text(c->type) || c->type == COL_BOOL)
		return 0;
	return table_fill(t, c) || add_sum(x, t, g, c, c->name, out) ? (int)x->err->kind
								     : 0;
}

static int default_sum(struct exec *x, struct table *t, struct groups *g,
		       const struct col_def *d, struct table *out)
{
	struct table_col *c;

	if (!(d->flags & ADDS_UP) || !(d->flags & SHOW_M) || is_key(out, str_c(d->name)))
		return 0;
	/* `add` may have replaced the column. */
	return table_column(t, str_c(d->name), t->event, false, &c) ||
			       sum_column(x, t, g, c, out)
		       ? (int)x->err->kind
		       : 0;
}

/* The change of the sums in percent. */
static int add_change(const struct table *t, struct table *out)
{
	const struct table_col *base = NULL, *delta = NULL;
	struct table_col *c;

	if (!t->vs || table_taken(t, STR("base")) || table_taken(t, STR("delta")))
		return 0;
	for (size_t i = 0; i < out->ncols; i++) {
		if (str_eq(out->cols[i]->name, STR("base")))
			base = out->cols[i];
		if (str_eq(out->cols[i]->name, STR("delta")))
			delta = out->cols[i];
	}
	if (!base || !delta)
		return 0;
	if (table_append(out, STR("delta%"), COL_PERCENT, &c))
		return (int)t->x->err->kind;
	for (size_t i = 0; i < out->n; i++)
		c->f[i] = vs_percent((double)delta->i[i], (double)base->u[i]);
	c->absent = base->absent;
	c->estimated = delta->estimated;
	return 0;
}

/* Without aggregates: count the rows, and sum the columns of the source and of vs that
 * add up. */
static int default_sums(struct exec *x, struct table *t, struct groups *g,
			struct table *out)
{
	if (leave_out_parts(x, t, g) || add_count(x, g, STR("count"), out))
		return (int)x->err->kind;
	for (size_t i = 0; t->src && i < t->src->ncols; i++)
		if (default_sum(x, t, g, &t->src->cols[i], out))
			return (int)x->err->kind;
	for (size_t i = 0; t->vs && i < VS_COLS; i++)
		if (default_sum(x, t, g, &vs_cols[i], out))
			return (int)x->err->kind;
	return add_change(t, out);
}

static void replace(struct table *t, struct table *out, size_t rows)
{
	out->footer = t->footer;
	out->rows_before = rows;
	out->truncated = t->truncated;
	*t = *out;
}

int exec_group(struct exec *x, struct table *t, const struct tstage *s)
{
	enum { KEYS = 16 };
	struct table_col key[KEYS];
	struct table out = {.x = x, .g = t->g, .event = t->event};
	struct groups g = {0};
	size_t n = 0;

	for (const struct expr *e = s->exprs; e; e = e->next) {
		if (n == KEYS)
			return exec_fail(x, e->span, "more than %d columns to group by",
					 KEYS);
		if (eval(x, t, e, &key[n++]))
			return (int)x->err->kind;
	}
	if (number_groups(x, t, key, n, &g) ||
	    (t->by_cost && t->src && order_groups(x, t, &g)))
		return (int)x->err->kind;
	out.n = g.n;
	n = 0;
	for (const struct expr *e = s->exprs; e; e = e->next)
		if (copy_key(x, &out, &g, &key[n++], e->as))
			return (int)x->err->kind;
	for (const struct expr *e = s->aggs; e; e = e->next)
		if (aggregate(x, t, &g, e, &out))
			return (int)x->err->kind;
	if (!s->aggs && default_sums(x, t, &g, &out))
		return (int)x->err->kind;
	replace(t, &out, g.n);
	return 0;
}

/* ---- sum ---- */

int exec_sum(struct exec *x, struct table *t)
{
	struct table out = {.x = x, .g = t->g, .n = 1, .event = t->event};
	struct groups g = {.n = 1};
	uint32_t first = 0;
	uint64_t size = t->n;

	g.of = EXEC_ARRAY(x, uint32_t, t->n + 1);
	g.first = &first;
	g.size = &size;
	if (!g.of || leave_out_parts(x, t, &g))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->ncols; i++) {
		struct table_col *c = t->cols[i];

		if ((c->machine || c->table) && sum_column(x, t, &g, c, &out))
			return (int)x->err->kind;
	}
	if (out.ncols == 0)
		return err_set(x->err, ERR_QUERY, 0,
			       "no column of these rows can be summed");
	if (add_change(t, &out))
		return (int)x->err->kind;
	replace(t, &out, 1);
	return 0;
}
