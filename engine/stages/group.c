/*
 * group.c - fold rows; see group.h.
 *
 * The number of a row's group comes from a hash of its keys; files and objects are
 * hashed as numbers.  Keys and aggregates are computed a window of rows at a time, so
 * memory goes to the groups, and 4 bytes to a row.  An aggregate that is an expression
 * over columns (D1mr / Dr) is computed from the sums of these columns.  The sums stay as
 * hidden columns, so that the result can be summed again.
 */
#include "engine/stages/group.h"

#include <string.h>

#include "engine/lang/check_names.h"
#include "engine/lang/parse.h"
#include "engine/rows/window.h"
#include "engine/stages/eval.h"
#include "engine/stages/stage.h"
#include "index/base/sort.h"

enum { KEYS = 16 };
enum { COUNTED, COUNTED_PART, LEFT_OUT }; /* is a row counted; _PART: not for AT_TOP */

struct groups {
	uint32_t *of;	/* [rows]: group */
	uint64_t *size; /* [groups]: rows */
	size_t n, size_cap;
	uint8_t *left_out; /* [rows]: enum; NULL: none is left out */
};

static bool is_absent(const struct table_col *c, size_t i)
{
	return c->absent && c->absent[i];
}

/* ---- group numbers ---- */

/* The groups' values of one key. */
struct group_key {
	struct expr *e;
	const struct table_col *now; /* of the rows in the window */
	struct table_col v;	     /* [groups] */
	size_t cap, absent_cap;
};

/* A hash of rows by their keys.  It grows with the groups, not with the rows: few groups
 * stay in the cache. */
struct numbering {
	struct group_key key[KEYS];
	size_t nkeys;
	uint32_t *slot; /* [cap]: group + 1 */
	uint64_t *hash; /* [groups] */
	size_t cap, hash_cap;
	/* With one key, a dictionary's: [dict_size()]: group + 1; or NULL */
	uint32_t *of_code;
};

static uint64_t cell_bits(const struct table_col *c, size_t i)
{
	return c->dict ? c->code[i] : c->type == COL_BOOL ? c->b[i] : c->u[i];
}

static uint64_t hash_cell(const struct table_col *c, size_t i)
{
	if (is_absent(c, i))
		return 0;
	if (col_is_text(c->type) && !c->dict)
		return str_hash(c->s[i]);
	/* The multiplier is 2^64 / golden ratio (Knuth, TAOCP 3, 6.4). */
	return (cell_bits(c, i) + 1) * 0x9e3779b97f4a7c15u;
}

static bool same_cell(const struct table_col *a, size_t i, const struct table_col *b,
		      size_t k)
{
	if (is_absent(a, i) || is_absent(b, k))
		return is_absent(a, i) && is_absent(b, k);
	if (col_is_text(a->type) && !a->dict)
		return str_eq(a->s[i], b->s[k]);
	return cell_bits(a, i) == cell_bits(b, k);
}

static bool same_key(const struct numbering *b, size_t row, size_t group)
{
	for (size_t k = 0; k < b->nkeys; k++)
		if (!same_cell(b->key[k].now, row, &b->key[k].v, group))
			return false;
	return true;
}

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

/* Keep the key of a new group: that of a row of the window. */
static int keep_key(struct window *w, struct group_key *key, size_t group, size_t row)
{
	const struct table_col *c = key->now;
	const size_t width = col_width(c);

	if (exec_grow(w->stmt, &key->v.p, &key->cap, group, group + 1, width) ||
	    exec_grow(w->stmt, &key->v.absent, &key->absent_cap, group, group + 1, 1))
		return (int)w->x.err->kind;
	key->v.absent[group] = is_absent(c, row);
	if (col_is_text(c->type) && !c->dict)
		key->v.s[group] = window_keep(w, c->s[row]);
	else
		memcpy((char *)key->v.p + group * width, (const char *)c->p + row * width,
		       width);
	return (int)w->x.err->kind;
}

static int new_group(struct window *w, struct numbering *b, struct groups *g,
		     uint64_t hash, size_t row)
{
	struct exec *x = w->stmt;

	if ((2 * (g->n + 1) > b->cap && grow_numbering(x, b, g)) ||
	    exec_grow(x, &b->hash, &b->hash_cap, g->n, g->n + 1, sizeof(*b->hash)) ||
	    exec_grow(x, &g->size, &g->size_cap, g->n, g->n + 1, sizeof(*g->size)))
		return (int)x->err->kind;
	for (size_t k = 0; k < b->nkeys; k++)
		if (keep_key(w, &b->key[k], g->n, row))
			return (int)x->err->kind;
	b->hash[g->n] = hash;
	g->size[g->n++] = 0;
	while (b->slot[hash & (b->cap - 1)])
		hash++;
	b->slot[hash & (b->cap - 1)] = (uint32_t)g->n;
	return 0;
}

static int number_rows(struct window *w, struct numbering *b, struct groups *g)
{
	for (size_t i = 0; i < w->t.n; i++) {
		uint64_t h = 0, at;
		uint32_t k;

		for (size_t c = 0; c < b->nkeys; c++)
			h = (h ^ h >> 29) * 0x9e3779b97f4a7c15u +
			    hash_cell(b->key[c].now, i);
		h ^= h >> 32;
		for (at = h; (k = b->slot[at & (b->cap - 1)]); at++)
			if (b->hash[k - 1] == h && same_key(b, i, k - 1))
				break;
		if (!k && new_group(w, b, g, h, i))
			return (int)w->x.err->kind;
		k = k ? k - 1 : (uint32_t)g->n - 1;
		g->of[w->first + i] = k;
		g->size[k]++;
	}
	return 0;
}

/* The same for one key whose texts have numbers. */
static int number_codes(struct window *w, struct numbering *b, struct groups *g)
{
	const struct table_col *c = b->key[0].now;
	const uint32_t codes = dict_size(w->t.g->st, c->dict);

	if (!b->of_code &&
	    !(b->of_code = EXEC_ARRAY(w->stmt, uint32_t, (size_t)codes + 1)))
		return (int)w->x.err->kind;
	for (size_t i = 0; i < w->t.n; i++) {
		/* A number after the last one is damage, and reported as such. */
		const uint32_t code = c->code[i] < codes ? c->code[i] : codes;

		if (!b->of_code[code]) {
			if (new_group(w, b, g, code, i))
				return (int)w->x.err->kind;
			b->of_code[code] = (uint32_t)g->n;
		}
		g->of[w->first + i] = b->of_code[code] - 1;
		g->size[b->of_code[code] - 1]++;
	}
	return 0;
}

/* The keys of the rows in the window. */
static int key_values(struct window *w, struct numbering *b, struct table_col *now)
{
	for (size_t k = 0; k < b->nkeys; k++) {
		struct table_col *v = &b->key[k].v;

		if (eval_values(w, b->key[k].e, &now[k]))
			return (int)w->x.err->kind;
		b->key[k].now = &now[k];
		v->type = now[k].type;
		v->event = now[k].event;
		v->dict = now[k].dict;
	}
	return 0;
}

static int number_windows(struct exec *x, struct table *t, struct numbering *b,
			  struct groups *g)
{
	struct table_col now[KEYS];
	struct window w;

	if (window_open(x, t, &w))
		return (int)x->err->kind;
	while (window_next(&w))
		if (!key_values(&w, b, now))
			b->nkeys == 1 && now[0].dict ? number_codes(&w, b, g)
						     : number_rows(&w, b, g);
	return window_close(&w);
}

/* Number the groups in the order of their first rows; their keys are left in b. */
static int number_groups(struct exec *x, struct table *t, const struct expr *keys,
			 struct numbering *b, struct groups *g)
{
	g->of = EXEC_ARRAY(x, uint32_t, t->n + 1);
	if (!g->of || grow_numbering(x, b, g))
		return (int)x->err->kind;
	for (const struct expr *e = keys; e; e = e->next) {
		if (b->nkeys == KEYS)
			return exec_fail(x, e->span, "more than %d columns to group by",
					 KEYS);
		b->key[b->nkeys].v.type = e->type;
		if (eval_open(x, t, e, &b->key[b->nkeys++].e))
			return (int)x->err->kind;
	}
	return number_windows(x, t, b, g);
}

/* ---- the order of groups ---- */

/* The costliest row of each group, the first of equals. */
struct costliest {
	uint64_t *bits; /* [groups]: ascending as the costs */
	uint32_t *row;	/* [groups] */
};

static int costliest_rows(struct exec *x, struct table *t, struct table_col *primary,
			  const struct groups *g, struct costliest *best)
{
	const uint64_t sign = primary->type == COL_DELTA ? (uint64_t)1 << 63 : 0;
	struct window w;

	memset(best->row, 0xff, g->n * sizeof(*best->row));
	if (window_open(x, t, &w))
		return (int)x->err->kind;
	while (window_next(&w)) {
		const struct table_col *c = window_col(&w, primary);
		const uint32_t *of = g->of + w.first;

		for (size_t i = 0; c && i < w.t.n; i++)
			if (best->row[of[i]] == UINT32_MAX ||
			    (c->u[i] ^ sign) > best->bits[of[i]]) {
				best->bits[of[i]] = c->u[i] ^ sign;
				best->row[of[i]] = (uint32_t)(w.first + i);
			}
	}
	return window_close(&w);
}

/*
 * Order groups that are equal in what orders them: as if the rows had been sorted by cost
 * before, by the costliest row of each, descending; then by that row.  *order: [groups].
 */
static int order_groups(struct exec *x, struct table *t, const struct groups *g,
			uint32_t **order)
{
	struct sort_pair *p = EXEC_ARRAY(x, struct sort_pair, g->n + 1);
	struct costliest best = {EXEC_ARRAY(x, uint64_t, g->n + 1),
				 EXEC_ARRAY(x, uint32_t, g->n + 1)};
	struct table_col *c;

	*order = EXEC_ARRAY(x, uint32_t, g->n + 1);
	if (!p || !best.bits || !best.row || !*order ||
	    table_add(t, t->vs ? STR("delta") : str_c(t->src->primary), t->event, false,
		      &c) ||
	    (t->vs && table_fill(t, c)) || costliest_rows(x, t, c, g, &best))
		return (int)x->err->kind;
	for (size_t k = 0; k < g->n; k++)
		p[k] = (struct sort_pair){best.row[k], (uint32_t)k};
	if (sort_pairs(p, g->n))
		return err_no_memory(x->err, NULL);
	for (size_t k = 0; k < g->n; k++)
		p[k].key = ~best.bits[p[k].value];
	if (sort_pairs(p, g->n))
		return err_no_memory(x->err, NULL);
	for (size_t k = 0; k < g->n; k++)
		(*order)[k] = p[k].value;
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

/* A fold over all rows. */
struct folding {
	const struct groups *g;
	enum fold f;
	uint8_t last; /* the last kind of rows that is counted */
	struct table_col *out;
	uint8_t *seen;	/* [groups] */
	uint64_t *size; /* [groups]: cells that are present; NULL: not asked */
};

/* Sums of costs, if each row counts. */
static bool fold_sums(struct folding *d, const struct table_col *c, const uint32_t *of,
		      size_t n)
{
	if (d->f != FOLD_SUM || col_is_f(c->type) || c->type == COL_DELTA || c->absent ||
	    c->estimated || d->g->left_out || d->size)
		return false;
	if (d->g->n == 1) {
		d->seen[0] = 1;
		for (size_t i = 0; i < n; i++)
			if (__builtin_add_overflow(d->out->u[0], c->u[i], &d->out->u[0]))
				d->out->u[0] = UINT64_MAX;
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		d->seen[of[i]] = 1;
		if (__builtin_add_overflow(d->out->u[of[i]], c->u[i], &d->out->u[of[i]]))
			d->out->u[of[i]] = UINT64_MAX;
	}
	return true;
}

static int fold_rows(struct window *w, struct folding *d, const struct table_col *c)
{
	const uint32_t *of = d->g->of + w->first;
	const uint8_t *left_out =
		d->f == FOLD_SUM && d->g->left_out ? d->g->left_out + w->first : NULL;

	if (fold_sums(d, c, of, w->t.n))
		return 0;
	for (size_t i = 0; i < w->t.n; i++) {
		if (is_absent(c, i) || (left_out && left_out[i] > d->last))
			continue;
		fold_cell(d->f, c, i, d->out, of[i], !d->seen[of[i]]);
		d->seen[of[i]] = 1;
		if (d->size)
			d->size[of[i]]++;
		if (c->estimated && c->estimated[i]) {
			if (!d->out->estimated &&
			    !(d->out->estimated =
				      EXEC_ARRAY(w->stmt, uint8_t, d->g->n + 1)))
				return (int)w->x.err->kind;
			d->out->estimated[of[i]] = 1;
		}
	}
	return 0;
}

/*
 * Fold the values of e, which is open, into out: [groups], zeros.  Skip absent cells; a
 * group with only absent cells is absent.
 */
static int fold_values(struct exec *x, struct table *t, const struct groups *g,
		       enum fold f, struct expr *e, uint64_t *size, struct table_col *out)
{
	const struct col_def *def = e->op == EX_COL ? e->col->def : NULL;
	struct folding d = {.g = g,
			    .f = f,
			    .last = def && def->flags & AT_TOP ? COUNTED : COUNTED_PART,
			    .out = out,
			    .seen = EXEC_ARRAY(x, uint8_t, g->n + 1),
			    .size = size};
	struct table_col v;
	struct window w;
	bool all = true;

	if (!d.seen || window_open(x, t, &w))
		return (int)x->err->kind;
	while (window_next(&w))
		if (!eval_values(&w, e, &v))
			fold_rows(&w, &d, &v);
	if (window_close(&w))
		return (int)x->err->kind;
	for (size_t k = 0; k < g->n; k++) {
		all &= d.seen[k];
		d.seen[k] = !d.seen[k];
	}
	out->absent = all ? NULL : d.seen;
	return 0;
}

/* Append a column with the fold of e, which is bound or not. */
static int fold_into(struct exec *x, struct table *t, const struct groups *g, enum fold f,
		     const struct expr *e, struct str name, struct table *out,
		     struct table_col **c)
{
	struct expr *open = NULL;

	if (!eval_open(x, t, e, &open) && !table_append(out, name, e->type, c)) {
		(*c)->unit = open->op == EX_COL ? open->col->unit : e->unit;
		if (open->op == EX_COL)
			(*c)->event = open->col->event;
		fold_values(x, t, g, f, open, NULL, *c);
	}
	return eval_close(x, open, false);
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
					     "%s row%s in no sum: recursive, or a part "
					     "of a row above",
					     GROUPED(left), left == 1 ? " is" : "s are"))
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
		if (fold_into(x, t, g, FOLD_SUM, e, STR(""), out, &n->col))
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

static int add_keys(struct exec *x, struct table *out, struct numbering *b,
		    const struct expr *keys)
{
	struct table_col *c;
	size_t k = 0;

	for (const struct expr *e = keys; e; e = e->next) {
		struct table_col *v = &b->key[k++].v;

		if (v->absent && !memchr(v->absent, 1, out->n))
			v->absent = NULL;
		if (table_adopt(out, e->as, v, &c) || table_texts(out, c))
			return (int)x->err->kind;
		c->event = out->event;
	}
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

	if (quotient(x, t, g, e, out, &ratio, &v) || table_adopt(out, name, &v, &c))
		return (int)x->err->kind;
	c->event = out->event;
	c->unit = e->unit;
	c->ratio = col_is_f(v.type) ? ratio : NULL;
	return 0;
}

/* The average of the cells that are present. */
static int add_average(struct exec *x, struct table *t, const struct groups *g,
		       const struct expr *e, struct str name, struct table *out)
{
	struct table_col *c, sum = {.type = e->type, .filled = true};
	uint64_t *n = EXEC_ARRAY(x, uint64_t, g->n + 1);
	struct expr *open = NULL;
	int rc;

	sum.p = exec_alloc(x, g->n + 1, type_width(e->type));
	if (!n || !sum.p || table_append(out, name, COL_RATIO, &c))
		return (int)x->err->kind;
	if (!eval_open(x, t, e, &open))
		fold_values(x, t, g, FOLD_SUM, open, n, &sum);
	rc = eval_close(x, open, false);
	c->unit = e->unit;
	c->absent = sum.absent;
	for (size_t k = 0; k < g->n && !rc; k++) {
		double s = col_is_f(e->type)	  ? sum.f[k]
			   : e->type == COL_DELTA ? (double)sum.i[k]
						  : (double)sum.u[k];

		c->f[k] = n[k] ? s / (double)n[k] : 0;
	}
	return rc;
}

static int aggregate(struct exec *x, struct table *t, const struct groups *g,
		     const struct expr *e, struct table *out)
{
	bool call = e->op == EX_CALL && is_aggregate(e->text);
	struct table_col *c;

	if (call && str_eq(e->text, STR("count")))
		return add_count(x, g, e->as, out);
	if (!call || (str_eq(e->text, STR("sum")) && col_is_f(e->a->type)))
		return add_quotient(x, t, g, call ? e->a : e, e->as, out);
	if (str_eq(e->text, STR("avg")))
		return add_average(x, t, g, e->a, e->as, out);
	if (!str_eq(e->text, STR("sum")))
		return fold_into(x, t, g,
				 str_eq(e->text, STR("min")) ? FOLD_MIN : FOLD_MAX, e->a,
				 e->as, out, &c);
	if (fold_into(x, t, g, FOLD_SUM, e->a, e->as, out, &c))
		return (int)x->err->kind;
	c->adds_up = true;
	return 0;
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
	struct table_col *sum;
	struct expr e;

	if (c->ratio)
		return add_quotient(x, t, g, c->ratio, c->name, out);
	if (!c->adds_up || c->percent || col_is_text(c->type) || c->type == COL_BOOL)
		return 0;
	e = eval_of_column(c);
	if (fold_into(x, t, g, FOLD_SUM, &e, c->name, out, &sum))
		return (int)x->err->kind;
	sum->adds_up = true;
	return 0;
}

static int default_sum(struct exec *x, struct table *t, struct groups *g,
		       const struct col_def *d, struct table *out)
{
	struct table_col *c;

	if (!(d->flags & ADDS_UP) || !(d->flags & SHOW_M) || is_key(out, str_c(d->name)))
		return 0;
	/* `add` may have replaced the column. */
	return table_find(t, str_c(d->name), t->event, false, &c) ||
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

/* What the groups are ordered by, descending: the first aggregate, or the sum of the
 * costs that order the rows.  NULL: neither is a number. */
static struct table_col *cost_of_groups(const struct table *t, const struct tstage *s,
					struct table *out)
{
	struct str name = s->aggs ? s->aggs->as
			  : t->vs ? STR("delta")
				  : str_c(t->src->primary);

	for (size_t i = out->ncols; i > 0; i--) {
		struct table_col *c = out->cols[i - 1];

		if (c->machine && !col_is_text(c->type) && c->type != COL_BOOL &&
		    str_eq(c->name, name))
			return c;
	}
	return NULL;
}

static int fold_groups(struct exec *x, struct table *t, const struct tstage *s,
		       struct numbering *b, struct groups *g, struct table *out)
{
	uint32_t *order = NULL;
	struct table_col *c;

	if (number_groups(x, t, s->exprs, b, g) ||
	    (t->by_cost && t->src && order_groups(x, t, g, &order)))
		return (int)x->err->kind;
	out->n = g->n;
	if (add_keys(x, out, b, s->exprs))
		return (int)x->err->kind;
	for (const struct expr *e = s->aggs; e; e = e->next)
		if (aggregate(x, t, g, e, out))
			return (int)x->err->kind;
	if ((!s->aggs && default_sums(x, t, g, out)) ||
	    (order && table_select(out, order, g->n)))
		return (int)x->err->kind;
	c = order ? cost_of_groups(t, s, out) : NULL;
	return c && exec_sort_column(x, out, c) ? (int)x->err->kind : 0;
}

int exec_group(struct exec *x, struct table *t, const struct tstage *s)
{
	struct table out = {.x = x, .g = t->g, .event = t->event};
	struct numbering b = {0};
	struct groups g = {0};

	fold_groups(x, t, s, &b, &g, &out);
	for (size_t k = 0; k < b.nkeys; k++)
		eval_close(x, b.key[k].e, t->n > 0);
	if (x->err->kind)
		return (int)x->err->kind;
	replace(t, &out, g.n);
	return 0;
}

/* ---- sum ---- */

int exec_sum(struct exec *x, struct table *t)
{
	struct table out = {.x = x, .g = t->g, .n = 1, .event = t->event};
	struct groups g = {.n = 1};
	uint64_t size = t->n;

	g.of = EXEC_ARRAY(x, uint32_t, t->n + 1);
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
