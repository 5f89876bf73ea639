/*
 * vs_join.c - join the rows of two profiles that mean the same.
 *
 * The keys of the rows (vs_keys.c) are made of what pair.h pairs.  A row that only one side
 * has is kept; its costs on the other side are 0.
 */
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/path/path.h"
#include "engine/sources/source.h"
#include "engine/compare/vs_in.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/need.h"

void vs_keys_index(struct exec *x, struct vs_keys *k, size_t n)
{
	k->by = (struct hash){.arena = x->a};
	k->used = EXEC_ARRAY(x, uint8_t, n + 1);
	if (hash_expect(&k->by, n))
		need_memory(x->a);
	for (size_t i = 0; i < n; i++) {
		if (hash_add(&k->by, (uint32_t)k->key[i].hash[0], (uint32_t)i))
			need_memory(x->a);
		exec_poll(x);
	}
}

uint32_t vs_keys_take(struct vs_keys *k, const struct vs_key *key)
{
	uint32_t probe = hash_start(&k->by, (uint32_t)key->hash[0]), r;

	while ((r = hash_next(&k->by, (uint32_t)key->hash[0], &probe)) != HASH_NONE)
		if (!k->used[r] && !memcmp(&k->key[r], key, sizeof(*key))) {
			k->used[r] = 1;
			return r;
		}
	return GRAPH_NONE;
}

/* The keys of all rows of a side. */
static struct vs_key *row_keys(struct exec *x, struct vs *v, unsigned side)
{
	const size_t n = side ? v->b.n : v->a.n;
	struct vs_key *key = EXEC_ARRAY(x, struct vs_key, n + 1);
	struct arena *scratch = need_scratch(x->a);

	for (size_t i = 0; i < n; i++)
		vs_row_key(v, side, i, scratch, &key[i]);
	exec_poll(x);
	scratch_free(scratch);
	return key;
}

/* Each of these finds v->ib of the rows of a. */
static void join_by_key(struct exec *x, struct vs *v)
{
	struct vs_keys base = {.key = row_keys(x, v, 1)};
	const struct vs_key *here;

	vs_keys_index(x, &base, v->b.n);
	here = row_keys(x, v, 0);
	for (size_t i = 0; i < v->a.n; i++)
		v->ib[i] = vs_keys_take(&base, &here[i]);
	exec_poll_now(x);
}

/* Of functions as the profiles have them: the pairs themselves. */
static void join_functions(struct exec *x, struct vs *v)
{
	const struct pairing *p = v->pairing;
	uint32_t *row = EXEC_ARRAY(x, uint32_t, (size_t)p->functions[1] + 1);

	for (size_t r = 0; r < v->b.n; r++)
		row[row_ref(&v->b, r)] = (uint32_t)r + 1;
	for (size_t i = 0; i < v->a.n; i++) {
		const uint32_t f = p->of[0][row_ref(&v->a, i)];

		v->ib[i] = f == PAIR_NONE || !row[f] ? GRAPH_NONE : row[f] - 1;
		if (v->dissolve && p->unsure[0][row_ref(&v->a, i)])
			v->ib[i] = GRAPH_NONE;
	}
	exec_poll_now(x);
}

/* The joined row that row i, whichever side has it, is below; n: none. */
static uint32_t row_above(const struct vs *v, size_t i, size_t n)
{
	const bool base = v->ia[i] == GRAPH_NONE;
	const struct table *t = base ? &v->b : &v->a;
	const uint32_t up = t->paths->rows[row_ref(t, base ? v->ib[i] : v->ia[i])].parent;

	return up == FLOW_NONE ? (uint32_t)n : base ? v->of_base[up] : v->of_here[up];
}

/*
 * Order the rows of two trees as one tree: those that only the base has follow the others
 * below the same row.
 *
 *	here	f  f;g  k	base	f  f;h  k
 *	joined	f  f;g  f;h  k
 *
 * First each row is put into the list of the row above it, from the last to the first, so
 * that the lists are in order; first[n] is the list of level 1.  Then a walk takes the next
 * row from the list of the row where it stands, or goes up if that list is used up.
 */
static void nest_rows(struct exec *x, struct vs *v, size_t n)
{
	uint32_t *up = EXEC_ARRAY(x, uint32_t, n + 1);
	uint32_t *first = EXEC_ARRAY(x, uint32_t, n + 1); /* [rows]: 1 + the row below */
	uint32_t *next = EXEC_ARRAY(x, uint32_t, n + 1); /* 1 + the next below the same */
	uint32_t *ia = EXEC_ARRAY(x, uint32_t, n + 1),
		 *ib = EXEC_ARRAY(x, uint32_t, n + 1);
	size_t at = n;

	for (size_t i = n; i-- > 0;) {
		up[i] = row_above(v, i, n);
		next[i] = first[up[i]];
		first[up[i]] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < n; i++) {
		while (!first[at])
			at = up[at];
		const size_t row = first[at] - 1;

		first[at] = next[row];
		ia[i] = v->ia[row];
		ib[i] = v->ib[row];
		*(ia[i] == GRAPH_NONE ? &v->of_base[ib[i]] : &v->of_here[ia[i]]) =
			(uint32_t)i;
		if (ia[i] != GRAPH_NONE && ib[i] != GRAPH_NONE)
			v->of_base[ib[i]] = (uint32_t)i;
		at = row;
	}
	v->ia = ia;
	v->ib = ib;
	exec_poll_now(x);
}

/* Functions of graphs without stages are paired by number.  All other rows are compared
 * by their keys, which costs a hash of each. */
static void vs_match_rows(struct exec *x, struct vs *v)
{
	const bool functions =
		v->a.src->fn == row_is_fn && v->a.g->plain && v->b.g->plain;

	v->ib = EXEC_ARRAY(x, uint32_t, v->a.n + v->b.n + 1);
	if (functions) {
		join_functions(x, v);
		return;
	}
	join_by_key(x, v);
}

/*
 * Number the joined rows: those of a keep their numbers, those that only b has come behind.
 *
 *	a	f g h		joined	f g h k
 *	b	h k		ia	0 1 2 -
 *				ib	- - 0 1		of_base	2 3
 */
void vs_join_rows(struct exec *x, struct vs *v, size_t *rows)
{
	size_t n = v->a.n;

	v->ia = EXEC_ARRAY(x, uint32_t, v->a.n + v->b.n + 1);
	v->of_base = EXEC_ARRAY(x, uint32_t, v->b.n + 1);
	v->of_here = EXEC_ARRAY(x, uint32_t, v->a.n + 1);
	vs_match_rows(x, v);
	memset(v->of_base, 0xff, v->b.n * sizeof(*v->of_base));
	for (size_t i = 0; i < n; i++) {
		v->ia[i] = v->of_here[i] = (uint32_t)i;
		if (v->ib[i] != GRAPH_NONE)
			v->of_base[v->ib[i]] = (uint32_t)i;
	}
	for (size_t r = 0; r < v->b.n; r++)
		if (v->of_base[r] == GRAPH_NONE) {
			v->of_base[r] = (uint32_t)n;
			v->ia[n] = GRAPH_NONE;
			v->ib[n++] = (uint32_t)r;
		}
	*rows = v->rows = n;
	if (v->a.tree)
		nest_rows(x, v, n);
}
