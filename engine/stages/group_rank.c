/*
 * group_rank.c - the median of the values of each group, and other ranks; see group_in.h.
 *
 * All values of a group are needed at once.  They are kept as keys that order as the
 * values do, group after group:
 *
 *	keys	| group 0 ... | group 1 ... |		end[g]: after the keys of group g
 *
 * The key of a rank is found by its bits, from the highest in which keys differ: those
 * with a 0 go before those with a 1, and the search goes on in the part with the rank.  So
 * no order of the values makes it slow.
 */
#include <string.h>

#include "engine/rows/exec.h"
#include "engine/rows/window.h"
#include "engine/stages/eval.h"
#include "engine/stages/group_in.h"
#include "index/base/err_struct.h"

struct ranking {
	const struct groups *g;
	uint64_t *key;
	size_t *end;	    /* [groups]; while keys are added, where the next one goes */
	uint8_t *estimated; /* [groups] */
	bool any_estimated;
};

/* ---- keys ---- */

#define SIGN (UINT64_C(1) << 63)

static uint64_t key_of(const struct table_col *c, size_t i)
{
	uint64_t bits;

	if (col_is_signed(c->type))
		return (uint64_t)c->i[i] ^ SIGN;
	if (!col_is_f(c->type))
		return c->u[i];
	memcpy(&bits, &c->f[i], sizeof(bits));
	return bits & SIGN ? ~bits : bits | SIGN;
}

static double float_of(uint64_t key)
{
	const uint64_t bits = key & SIGN ? key & ~SIGN : ~key;
	double f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static void put_value(struct table_col *c, size_t i, uint64_t key)
{
	if (col_is_f(c->type))
		c->f[i] = float_of(key);
	else if (col_is_signed(c->type))
		c->i[i] = (int64_t)(key ^ SIGN);
	else
		c->u[i] = key;
}

/* The value in the middle between those of two keys of a type, low <= high. */
static double between(enum col_type type, uint64_t low, uint64_t high)
{
	const uint64_t middle = low + (high - low) / 2;
	const double half = (high - low) % 2 ? 0.5 : 0;

	if (col_is_f(type))
		return low == high ? float_of(low)
				   : float_of(low) / 2 + float_of(high) / 2;
	return half +
	       (col_is_signed(type) ? (double)(int64_t)(middle ^ SIGN) : (double)middle);
}

/* ---- the one of a rank ---- */

/* Move the keys in which the bit is 0 to the front; returns how many they are. */
static size_t split(uint64_t *key, size_t n, uint64_t bit)
{
	size_t without = 0;

	for (size_t i = 0; i < n; i++)
		if (!(key[i] & bit)) {
			const uint64_t k = key[i];

			key[i] = key[without];
			key[without++] = k;
		}
	return without;
}

/* The highest bit in which keys differ; 0: they are equal. */
static uint64_t highest_difference(const uint64_t *key, size_t n)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= key[i] ^ key[0];
	return differ ? UINT64_C(1) << (63 - __builtin_clzll(differ)) : 0;
}

/* The key with `rank` others before it in their order; changes the order of keys[]. */
static uint64_t key_at(uint64_t *key, size_t n, size_t rank)
{
	uint64_t bit;

	while ((bit = highest_difference(key, n))) {
		const size_t without = split(key, n, bit);

		if (rank < without) {
			n = without;
		} else {
			key += without;
			n -= without;
			rank -= without;
		}
	}
	return key[0];
}

/* The rank of the smallest of n values that is at least as large as this percentage of
 * them. */
static size_t percent_rank(size_t n, size_t percent)
{
	return n - n * (100 - percent) / 100 - 1;
}

static void rank_group(struct exec *x, uint64_t *key, size_t n, enum aggregate agg,
		       enum col_type type, struct table_col *c, size_t group)
{
	if (agg == AGG_MEDIAN) {
		const uint64_t low = key_at(key, n, (n - 1) / 2);

		c->f[group] = between(type, low, n % 2 ? low : key_at(key, n, n / 2));
	} else {
		put_value(c, group,
			  key_at(key, n, percent_rank(n, agg == AGG_P90 ? 90 : 99)));
	}
	if (n > WINDOW)
		exec_poll_now(x);
	else
		exec_poll(x);
}

/* ---- all groups ---- */

static void add_keys(const struct window *w, struct ranking *r, const struct table_col *v)
{
	const uint32_t *of = r->g->of + w->first;

	for (size_t i = 0; i < w->t.n; i++) {
		if (group_absent(v, i))
			continue;
		r->key[r->end[of[i]]++] = key_of(v, i);
		if (v->estimated && v->estimated[i]) {
			r->estimated[of[i]] = 1;
			r->any_estimated = true;
		}
	}
}

static void read_keys(struct exec *x, struct table *t, struct expr *e, struct ranking *r)
{
	const struct groups *g = r->g;
	struct table_col v;
	struct window w;
	size_t at = 0;

	r->key = EXEC_ARRAY(x, uint64_t, t->n + 1);
	r->end = EXEC_ARRAY(x, size_t, g->n + 1);
	r->estimated = EXEC_ARRAY(x, uint8_t, g->n + 1);
	window_open(x, t, &w);
	for (size_t i = 0; i < g->n; i++) {
		r->end[i] = at;
		at += g->size[i];
	}
	while (window_next(&w)) {
		eval_values(&w, e, &v);
		add_keys(&w, r, &v);
	}
	window_close(&w);
}

static void rank_groups(struct exec *x, struct ranking *r, enum aggregate agg,
			enum col_type type, struct table_col *c)
{
	const struct groups *g = r->g;
	size_t at = 0;

	for (size_t i = 0; i < g->n; at += g->size[i++]) {
		const size_t n = r->end[i] - at;

		if (n) {
			rank_group(x, r->key + at, n, agg, type, c, i);
			continue;
		}
		if (!c->absent)
			c->absent = EXEC_ARRAY(x, uint8_t, g->n + 1);
		c->absent[i] = 1;
	}
	c->estimated = r->any_estimated ? r->estimated : NULL;
}

void groups_rank_into(struct exec *x, struct table *t, const struct groups *g,
		      enum aggregate agg, const struct expr *e, struct str name,
		      struct table *out)
{
	struct ranking r = {.g = g};
	struct expr *open = NULL;
	struct table_col *c;

	const enum col_type type = agg == AGG_MEDIAN ? COL_RATIO : e->type;

	eval_open(x, t, e, &open);
	table_append(out, name, type, &c);
	c->unit = open->op == EX_COL ? open->col->unit : e->unit;
	if (open->op == EX_COL)
		c->event = open->col->event;
	read_keys(x, t, open, &r);
	rank_groups(x, &r, agg, e->type, c);
	eval_close(x, open, false);
}
