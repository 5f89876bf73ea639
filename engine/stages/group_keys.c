/*
 * group_keys.c - the group of each row; see group_in.h.
 *
 * The number of a row's group comes from a hash of its keys; files and objects are hashed
 * as numbers.  Keys are computed a window of rows at a time, so memory goes to the
 * groups, and 4 bytes to a row.
 */
#include <string.h>

#include "engine/rows/window.h"
#include "engine/stages/eval.h"
#include "engine/stages/group_in.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/base/sort.h"

/* ---- group numbers ---- */

static uint64_t cell_bits(const struct table_col *c, size_t i)
{
	return c->dict ? c->code[i] : c->type == COL_BOOL ? c->b[i] : c->u[i];
}

static uint64_t hash_cell(const struct table_col *c, size_t i)
{
	if (group_absent(c, i))
		return 0;
	if (col_is_text(c->type) && !c->dict)
		return str_hash(c->s[i]);
	/* The multiplier is 2^64 / golden ratio (Knuth, TAOCP 3, 6.4). */
	return (cell_bits(c, i) + 1) * 0x9e3779b97f4a7c15u;
}

static bool same_cell(const struct table_col *a, size_t i, const struct table_col *b,
		      size_t k)
{
	if (group_absent(a, i) || group_absent(b, k))
		return group_absent(a, i) && group_absent(b, k);
	if (col_is_text(a->type) && !a->dict)
		return str_eq(a->s[i], b->s[k]);
	return cell_bits(a, i) == cell_bits(b, k);
}

static bool same_key(const struct group_keys *b, size_t row, size_t group)
{
	for (size_t k = 0; k < b->nkeys; k++)
		if (!same_cell(b->key[k].now, row, &b->key[k].v, group))
			return false;
	return true;
}

/* Keep the key of a new group: that of a row of the window. */
static void keep_key(struct window *w, struct group_key *key, size_t group, size_t row)
{
	const struct table_col *c = key->now;
	const size_t width = col_width(c);

	exec_grow(w->stmt, &key->v.p, &key->cap, group, group + 1, width);
	exec_grow(w->stmt, &key->v.absent, &key->absent_cap, group, group + 1, 1);
	key->v.absent[group] = group_absent(c, row);
	if (col_is_text(c->type) && !c->dict)
		key->v.s[group] = window_keep(w, c->s[row]);
	else
		memcpy((char *)key->v.p + group * width, (const char *)c->p + row * width,
		       width);
}

static void new_group(struct window *w, struct group_keys *b, struct groups *g,
		      size_t row)
{
	struct exec *x = w->stmt;

	exec_grow(x, &g->size, &g->size_cap, g->n, g->n + 1, sizeof(*g->size));
	for (size_t k = 0; k < b->nkeys; k++)
		keep_key(w, &b->key[k], g->n, row);
	g->size[g->n++] = 0;
}

static void number_rows(struct window *w, struct group_keys *b, struct groups *g)
{
	for (size_t i = 0; i < w->t.n; i++) {
		uint64_t sum = 0;
		uint32_t h, probe, k;

		for (size_t c = 0; c < b->nkeys; c++)
			sum = (sum ^ sum >> 29) * 0x9e3779b97f4a7c15u +
			      hash_cell(b->key[c].now, i);
		h = (uint32_t)(sum ^ sum >> 32);
		probe = hash_start(&b->by, h);
		while ((k = hash_next(&b->by, h, &probe)) != HASH_NONE)
			if (same_key(b, i, k))
				break;
		if (k == HASH_NONE) {
			k = (uint32_t)g->n;
			new_group(w, b, g, i);
			if (hash_add(&b->by, h, k))
				need_memory(w->stmt->a);
		}
		g->of[w->first + i] = k;
		g->size[k]++;
	}
}

/* Number the groups of one key whose texts have numbers. */
static void number_codes(struct window *w, struct group_keys *b, struct groups *g)
{
	const struct table_col *c = b->key[0].now;
	const uint32_t codes = dict_size(w->t.g->st, c->dict);

	if (!b->of_code)
		b->of_code = EXEC_ARRAY(w->stmt, uint32_t, (size_t)codes + 1);
	for (size_t i = 0; i < w->t.n; i++) {
		/* A number after the last one is damage, and reported as such. */
		const uint32_t code = c->code[i] < codes ? c->code[i] : codes;

		if (!b->of_code[code]) {
			new_group(w, b, g, i);
			b->of_code[code] = (uint32_t)g->n;
		}
		g->of[w->first + i] = b->of_code[code] - 1;
		g->size[b->of_code[code] - 1]++;
	}
}

/* The keys of the rows in the window. */
static void key_values(struct window *w, struct group_keys *b, struct table_col *now)
{
	for (size_t k = 0; k < b->nkeys; k++) {
		struct table_col *v = &b->key[k].v;

		eval_values(w, b->key[k].e, &now[k]);
		b->key[k].now = &now[k];
		v->type = now[k].type;
		v->event = now[k].event;
		v->dict = now[k].dict;
	}
}

static void number_windows(struct exec *x, struct table *t, struct group_keys *b,
			   struct groups *g)
{
	struct table_col now[KEYS];
	struct window w;

	window_open(x, t, &w);
	while (window_next(&w)) {
		key_values(&w, b, now);
		if (b->nkeys == 1 && now[0].dict)
			number_codes(&w, b, g);
		else
			number_rows(&w, b, g);
	}
	window_close(&w);
}

void groups_number(struct exec *x, struct table *t, const struct expr *keys,
		   struct group_keys *b, struct groups *g)
{
	g->of = EXEC_ARRAY(x, uint32_t, t->n + 1);
	b->by.arena = x->a;
	for (const struct expr *e = keys; e; e = e->next) {
		if (b->nkeys == KEYS)
			exec_fail(x, e->span, "more than %d columns to group by", KEYS);
		b->key[b->nkeys].v.type = e->type;
		eval_open(x, t, e, &b->key[b->nkeys++].e);
	}
	number_windows(x, t, b, g);
}

/* ---- the order of groups ---- */

/* The costliest row of each group, the first of equals. */
struct costliest {
	uint64_t *bits; /* [groups]: ascending as the costs */
	uint32_t *row;	/* [groups] */
};

/* A cost, or the size of a change. */
static uint64_t cost_bits(const struct table_col *c, size_t i)
{
	if (c->type == COL_DELTA)
		return c->i[i] < 0 ? 0 - c->u[i] : c->u[i];
	return col_is_signed(c->type) ? c->u[i] ^ (uint64_t)1 << 63 : c->u[i];
}

static void costliest_rows(struct exec *x, struct table *t, struct table_col *primary,
			   const struct groups *g, struct costliest *best)
{
	struct window w;

	memset(best->row, 0xff, g->n * sizeof(*best->row));
	window_open(x, t, &w);
	while (window_next(&w)) {
		const struct table_col *c = window_col(&w, primary);
		const uint32_t *of = g->of + w.first;

		for (size_t i = 0; c && i < w.t.n; i++) {
			const uint64_t bits = cost_bits(c, i);

			if (best->row[of[i]] == UINT32_MAX || bits > best->bits[of[i]]) {
				best->bits[of[i]] = bits;
				best->row[of[i]] = (uint32_t)(w.first + i);
			}
		}
	}
	window_close(&w);
}

void groups_order(struct exec *x, struct table *t, const struct groups *g,
		  uint32_t **order)
{
	struct sort_pair *p = EXEC_ARRAY(x, struct sort_pair, g->n + 1);
	struct costliest best = {EXEC_ARRAY(x, uint64_t, g->n + 1),
				 EXEC_ARRAY(x, uint32_t, g->n + 1)};
	struct table_col *c;

	*order = EXEC_ARRAY(x, uint32_t, g->n + 1);
	table_add(t, t->vs ? STR("delta") : str_c(t->src->primary), t->event, false, &c);
	if (t->vs)
		table_fill(t, c);
	costliest_rows(x, t, c, g, &best);
	for (size_t k = 0; k < g->n; k++)
		p[k] = (struct sort_pair){best.row[k], (uint32_t)k};
	if (sort_pairs(p, g->n))
		need_memory_for(NULL);
	for (size_t k = 0; k < g->n; k++)
		p[k].key = ~best.bits[p[k].value];
	if (sort_pairs(p, g->n))
		need_memory_for(NULL);
	for (size_t k = 0; k < g->n; k++)
		(*order)[k] = p[k].value;
	exec_poll_now(x);
}
