/*
 * pair_pass.c - one rule after the other, each over the functions that are left.
 *
 *	numbered	closures and lambdas of one file, in their order (pair_numbered.c)
 *	equal		object, file and name are the same
 *	rules		one rule for names after the other, then several together
 *	no file		the same without the file, for names that need none
 *	calls		of several that only a hash tells apart, such as instances of a Rust
 *			generic: those with the same callers and callees
 *	address		functions without names, moved by one distance (pair_address.c)
 *
 * Each pass sorts the functions that are left by a hash of what must be equal.  A run of
 * equal hashes with one function of each side is a pair if the texts are equal, too.
 */
#include <stdlib.h>

#include "engine/compare/pair_in.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/store/store.h"

static bool is_left(const struct pairer *w, const struct pass *pass, unsigned s,
		    uint32_t f)
{
	const bool numbered = w->changes[s][w->name[s][f]] & PAIR_NUMBERED;

	return w->p->of[s][f] == PAIR_NONE && pair_is_first(w, s, f) &&
	       (pass->numbered ? numbered
			       : !numbered || (pass->rules & PAIR_LINES) == PAIR_LINES);
}

static int read_calls(struct pairer *w, unsigned s)
{
	struct store *st = w->st[s];
	struct pair_calls *c = &w->calls[s];

	if (c->caller)
		return 0;
	*c = (struct pair_calls){
		store_u32(st, TABLE_OUT_FIRST),	  store_u32(st, TABLE_EDGE_CALLEE),
		store_u32(st, TABLE_IN_FIRST),	  store_u32(st, TABLE_IN_EDGE),
		store_u32(st, TABLE_EDGE_CALLER),
	};
	if (c->out_first && c->callee && c->in_first && c->in_edge && c->caller)
		return 0;
	return store_check(st, w->err) ? w->err->kind : pair_no_memory(w);
}

/* A function for the other side to know it by: paired, of side 0; PAIR_NONE: it is not. */
static uint32_t known_as(const struct pairer *w, unsigned s, uint32_t g)
{
	const uint32_t first = w->first[s] ? w->first[s][g] : g;

	return w->p->of[s][first] == PAIR_NONE ? PAIR_NONE
	       : s			       ? w->p->of[s][first]
					       : first;
}

/* A hash of the callers and callees that are paired, in any order; 0: there are none. */
static uint64_t hash_calls(const struct pairer *w, unsigned s, uint32_t f)
{
	const struct pair_calls *c = &w->calls[s];
	uint64_t h = 0;
	uint32_t g;

	for (uint32_t e = c->out_first[f]; e < c->out_first[f + 1]; e++)
		if ((g = known_as(w, s, c->callee[e])) != PAIR_NONE)
			h += hash_mix(2 * (uint64_t)g + 1);
	for (uint32_t k = c->in_first[f]; k < c->in_first[f + 1]; k++)
		if ((g = known_as(w, s, c->caller[c->in_edge[k]])) != PAIR_NONE)
			h += hash_mix(2 * (uint64_t)g + 2);
	return h;
}

/* List the functions that are left by a hash of what must be equal in this pass.  In a
 * pass by calls a function with no paired neighbour is left out: nothing tells it from
 * others. */
static int hash_left(struct pairer *w, const struct pass *pass, struct sort_pair *left,
		     size_t *n)
{
	*n = 0;
	if (pass->calls && (read_calls(w, 0) || read_calls(w, 1)))
		return w->err->kind;
	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; f < w->p->functions[s]; f++) {
			const uint32_t v = f | (s ? PAIR_SIDE_1 : 0);
			struct variant name;
			uint64_t h, calls = 0;

			if (!is_left(w, pass, s, f) ||
			    (pass->calls && !(calls = hash_calls(w, s, f))))
				continue;
			if (pair_look(w, 0))
				return w->err->kind;
			h = w->hash[s][w->name[s][f]];
			if (pass->rules & w->changes[s][w->name[s][f]]) {
				if (pair_variant(w, v, pass->rules, 0, &name))
					return w->err->kind;
				h = str_hash(name.text);
			}
			h ^= hash_mix((uint64_t)(pass->no_obj ? 0 : pair_obj(w, v))
					      << 32 |
				      (pass->no_file ? 0 : pair_file(w, v)));
			h = hash_mix(h + calls);
			left[(*n)++] = (struct sort_pair){h, v};
		}
	return sort_pairs(left, *n) ? pair_no_memory(w) : 0;
}

/* How many functions the pass would look at; 0 if one side has none left, as then there
 * is nothing to pair. */
static size_t left_count(const struct pairer *w, const struct pass *pass)
{
	size_t n[2] = {0, 0};
	bool any = !pass->no_obj;

	if (w->made >= w->p->functions[0] || w->made >= w->p->functions[1])
		return 0;
	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; f < w->p->functions[s]; f++) {
			if (!is_left(w, pass, s, f))
				continue;
			n[s]++;
			any = any || pair_no_object(w, f | (s ? PAIR_SIDE_1 : 0));
		}
	return n[0] && n[1] && any ? n[0] + n[1] : 0;
}

static int pair_in_turn(struct pairer *w, const struct pass *pass,
			const struct sort_pair *run, size_t na, size_t n)
{
	for (size_t i = 0; i < na && na + i < n; i++)
		if (pair_two(w, pass, run[i].value, run[na + i].value))
			return w->err->kind;
	return 0;
}

/* f and f.cold of one side, f.isra.0 of the other: of the functions of a run, the only whole
 * one of each side, and the only ones that are the same piece. */
static int pair_pieces(struct pairer *w, const struct pass *pass,
		       const struct sort_pair *run, size_t n)
{
	enum { PART = 1, COLD = 2, PIECES = 4 };
	uint32_t one[PIECES][2] = {{0}}, count[PIECES][2] = {{0}};

	for (size_t i = 0; i < n; i++) {
		const unsigned s = pair_side(run[i].value);
		struct variant name;
		unsigned piece;

		if (pair_variant(w, run[i].value, pass->rules, 0, &name))
			return w->err->kind;
		piece = (name.part ? PART : 0u) | (name.cold ? COLD : 0u);
		one[piece][s] = run[i].value;
		count[piece][s]++;
	}
	for (unsigned k = 0; k < PIECES; k++)
		if (count[k][0] == 1 && count[k][1] == 1 &&
		    pair_two(w, pass, one[k][0], one[k][1]))
			return w->err->kind;
	return 0;
}

/* Of one function of each side (key: that of side 0, value: that of side 1), in the order of
 * side 0: equal profiles are alike in their order, so their texts are read in a row. */
static int pair_singles(struct pairer *w, const struct pass *pass, struct sort_pair *two,
			size_t n)
{
	if (sort_pairs(two, n))
		return pair_no_memory(w);
	for (size_t i = 0; i < n; i++)
		if (pair_two(w, pass, (uint32_t)two[i].key, two[i].value))
			return w->err->kind;
	return 0;
}

static int run_pass(struct pairer *w, const struct pass *pass)
{
	size_t n = left_count(w, pass), na, j, singles = 0;
	struct sort_pair *left;
	int rc = 0;

	if (n == 0)
		return 0;
	left = malloc(n * sizeof(*left));
	if (!left || hash_left(w, pass, left, &n)) {
		free(left);
		return left ? w->err->kind : pair_no_memory(w);
	}
	for (size_t i = 0; i < n && !rc; i = j) {
		/* The sort is stable, so side 0 comes first. */
		for (j = i, na = 0; j < n && left[j].key == left[i].key; j++)
			na += pair_side(left[j].value) == 0;
		if (na == 0 || na == j - i)
			continue;
		if (pass->numbered)
			rc = pair_numbered(w, pass, &left[i], na, j - i);
		else if (pass->in_turn)
			rc = pair_in_turn(w, pass, &left[i], na, j - i);
		else if (na == 1 && j == i + 2)
			/* Written over runs that were read already. */
			left[singles++] =
				(struct sort_pair){left[i].value, left[i + 1].value};
		else if (pass->rules & VARIANT_CLONE)
			rc = pair_pieces(w, pass, &left[i], j - i);
	}
	if (!rc)
		rc = pair_singles(w, pass, left, singles);
	free(left);
	return rc;
}

/* ---- what is not certain ---- */

/* Equal names were paired before, also if they have numbers.  If the clones of one
 * function do not have the same numbers on both sides, it is not certain which clone is
 * which. */
static bool are_clones_sure(const struct pairer *w, const struct sort_pair *run, size_t n)
{
	bool same = true;

	for (size_t i = 0; i < n && same; i++) {
		const unsigned s = pair_side(run[i].value);
		const uint32_t f = pair_fn(run[i].value), other = w->p->of[s][f];

		same = other != PAIR_NONE &&
		       str_eq(w->text[s][w->name[s][f]], w->text[!s][w->name[!s][other]]);
	}
	return same || n <= 2;
}

/* A function of a run, of the side that is not paired yet. */
struct costly {
	int64_t cost;
	uint32_t v;
};

static int by_cost(const void *pa, const void *pb)
{
	const struct costly *a = pa, *b = pb;

	return a->cost != b->cost ? (a->cost < b->cost ? 1 : -1) : order_u64(a->v, b->v);
}

static bool is_alone(const struct pairer *w, uint32_t v)
{
	const struct pair_calls *c = &w->calls[pair_side(v)];
	const uint32_t f = pair_fn(v);

	return c->out_first[f] == c->out_first[f + 1] &&
	       c->in_first[f] == c->in_first[f + 1];
}

/* Functions without calls that differ in a hash alone: those of equal cost are one, then the
 * dearest and the dearest. */
static int pair_by_cost(struct pairer *w, const struct sort_pair *run, size_t n)
{
	static const struct pass hash = {.rules = VARIANT_HASH};
	struct costly *at[2];
	size_t k[2] = {0, 0};
	int rc = read_calls(w, 0) || read_calls(w, 1) ? w->err->kind : 0;

	for (unsigned s = 0; s < 2 && !rc; s++)
		if (!(at[s] = ARENA_ARRAY(&w->scratch, struct costly, n)))
			rc = pair_no_memory(w);
	for (size_t i = 0; i < n && !rc; i++) {
		const uint32_t v = run[i].value, f = pair_fn(v);
		const unsigned s = pair_side(v);

		if (w->p->of[s][f] == PAIR_NONE && is_alone(w, v))
			at[s][k[s]++] = (struct costly){store_fn_self(w->st[s], f, 0), v};
	}
	for (unsigned s = 0; s < 2 && !rc; s++)
		qsort(at[s], k[s], sizeof(*at[s]), by_cost);
	for (int equal = 1; equal >= 0; equal--)
		for (size_t i = 0, j = 0; i < k[0] && j < k[1] && !rc;) {
			const struct costly *a = &at[0][i], *b = &at[1][j];
			const bool gone_a = w->p->of[0][pair_fn(a->v)] != PAIR_NONE,
				   gone_b = w->p->of[1][pair_fn(b->v)] != PAIR_NONE;

			if (!gone_a && !gone_b && (!equal || a->cost == b->cost)) {
				rc = pair_two(w, &hash, a->v, b->v);
				i++, j++;
			} else if (gone_a || gone_b) {
				i += gone_a;
				j += gone_b;
			} else {
				i += a->cost > b->cost;
				j += a->cost < b->cost;
			}
		}
	arena_reset(&w->scratch);
	return rc;
}

/* Functions of both sides that differ in a hash alone, and nothing says which is which. */
static int doubt_left(struct pairer *w, const struct sort_pair *run, size_t n)
{
	size_t left[2] = {0, 0};

	for (int mark = 0; mark < 2 && (!mark || (left[0] && left[1])); mark++)
		for (size_t i = 0; i < n; i++) {
			const unsigned s = pair_side(run[i].value);
			const uint32_t f = pair_fn(run[i].value);

			if (w->p->of[s][f] != PAIR_NONE)
				continue;
			left[s]++;
			w->p->unsure[s][f] |= (uint8_t)mark;
		}
	return left[0] && left[1] ? pair_by_cost(w, run, n) : 0;
}

/* The functions that are one without what `rules` take away, clones or hashes. */
static int doubt_alike(struct pairer *w, unsigned rules)
{
	size_t n = 0, cap = 0;
	struct sort_pair *all = NULL;
	int rc = 0;

	for (unsigned s = 0; s < 2 && !rc; s++)
		for (uint32_t f = 0; f < w->p->functions[s] && !rc; f++) {
			const uint32_t v = f | (s ? PAIR_SIDE_1 : 0);
			struct variant name;

			if (!pair_is_first(w, s, f) ||
			    !(w->changes[s][w->name[s][f]] & rules))
				continue;
			if (pair_variant(w, v, rules, 0, &name))
				rc = w->err->kind;
			else if (!(name.changed & rules))
				continue;
			else if (vec_reserve(&all, &cap, n + 1, sizeof(*all)))
				rc = pair_no_memory(w);
			else
				all[n++] = (struct sort_pair){
					str_hash(name.text) ^
						hash_mix((uint64_t)pair_obj(w, v) << 32 |
							 pair_file(w, v)),
					v};
		}
	if (!rc && sort_pairs(all, n))
		rc = pair_no_memory(w);
	for (size_t i = 0, j; i < n && !rc; i = j) {
		for (j = i + 1; j < n && all[j].key == all[i].key; j++)
			;
		if (rules & VARIANT_HASH)
			rc = doubt_left(w, &all[i], j - i);
		else if (!are_clones_sure(w, &all[i], j - i))
			for (size_t k = i; k < j; k++)
				w->p->unsure[pair_side(all[k].value)]
					    [pair_fn(all[k].value)] = 1;
	}
	free(all);
	return rc;
}

/* The strictest rules go first, so that a function is not given to a partner that only
 * resembles it.  A pass by calls may make more pairs known to the next one: it is
 * repeated until nothing changes. */
int pair_run_passes(struct pairer *w)
{
	enum { ROUNDS = 8 };
	static const struct pass calls = {.rules = VARIANT_ALL & ~VARIANT_CLONE,
					  .calls = true};
	static const struct pass passes[] = {
		{.rules = PAIR_LINES, .numbered = true},
		{.rules = 0},
		{.rules = 0, .calls = true},
		{.rules = 0, .in_turn = true},
		{.rules = VARIANT_CLONE_NUMBER},
		{.rules = VARIANT_HASH},
		{.rules = VARIANT_CLONE},
		{.rules = VARIANT_CLONE_NUMBER | VARIANT_HASH},
		{.rules = VARIANT_ALL & ~VARIANT_CLONE, .numbered = true},
		{.rules = VARIANT_ALL & ~VARIANT_CLONE},
		{.rules = VARIANT_ALL},
		{.rules = 0, .no_file = true},
		{.rules = VARIANT_CLONE_NUMBER, .no_file = true},
		{.rules = VARIANT_HASH, .no_file = true},
		{.rules = VARIANT_ALL & ~VARIANT_CLONE, .no_file = true},
		{.rules = VARIANT_ALL, .no_file = true},
		{.rules = PAIR_LINES, .numbered = true, .no_obj = true},
		{.rules = 0, .no_obj = true},
		{.rules = VARIANT_ALL, .no_obj = true},
		{.rules = 0, .no_file = true, .no_obj = true},
		{.rules = VARIANT_ALL, .no_file = true, .no_obj = true},
	};
	size_t before;

	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++)
		if (run_pass(w, &passes[i]))
			return w->err->kind;
	for (int round = 0; round < ROUNDS; round++) {
		before = w->made;
		if (run_pass(w, &calls))
			return w->err->kind;
		if (w->made == before)
			break;
	}
	return pair_addresses(w) || doubt_alike(w, VARIANT_CLONE_NUMBER) ||
			       doubt_alike(w, VARIANT_HASH)
		       ? w->err->kind
		       : 0;
}
