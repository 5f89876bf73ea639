/* brief.c - short names of functions; see brief.h. */
#include "repl/render/brief.h"

#include <stdlib.h>

#include "engine/lang/col_type.h"
#include "engine/lang/result.h"
#include "engine/names/name.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "repl/render/render.h"

enum {
	ROWS_TOLD_APART = 20000, /* of a larger answer nobody reads the names */
};

static const char doing[] = "while the answer was written";

/* Names that a graph stage gave are no functions', and stay whole. */
static bool collapsed(const struct result *r)
{
	for (size_t i = 0; i < r->nfilters; i++)
		if (str_starts(r->filters[i], STR("collapse")))
			return true;
	return false;
}

struct str brief_name(const struct result *r, struct str name, struct arena *a)
{
	const struct str brief = collapsed(r) ? name : name_short(name, a);

	return brief.p ? brief : name;
}

static struct str short_name(struct brief *b, const struct column *c, size_t row)
{
	const struct result *r = b->rd->r;
	const struct column *known = result_col(r, STR("short"));
	struct str name;

	if (known && known->type == COL_NAME && str_eq(c->name, STR("fn")))
		return known->s[row];
	arena_reset(&b->a);
	name = brief_name(r, c->s[row], &b->a);
	if (b->a.refused)
		err_no_memory(b->rd->err, doing);
	return name;
}

static uint64_t hash_of(struct str name)
{
	uint64_t hash[2];

	str_hash128(name, hash);
	return hash[0];
}

struct name_pair {
	uint64_t brief, whole; /* hashes */
};

static int compare_pairs(const void *a, const void *b)
{
	const struct name_pair *x = a, *y = b;
	const int c = order_u64(x->brief, y->brief);

	return c ? c : order_u64(x->whole, y->whole);
}

/* Find the short names that several functions of the answer share: vector::push_back. */
static int find_same(struct brief *b)
{
	const struct result *r = b->rd->r;
	struct name_pair *pair = NULL;
	size_t n = 0;

	if (r->rows > ROWS_TOLD_APART)
		return 0;
	pair = calloc(r->ncols * r->rows + 1, sizeof(*pair));
	b->same = calloc(r->ncols * r->rows + 1, sizeof(*b->same));
	if (!pair || !b->same) {
		free(pair);
		return err_no_memory(b->rd->err, doing);
	}
	for (size_t i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];
		const bool named = c->table && c->type == COL_NAME;

		for (size_t row = 0;
		     named && row < r->rows && !render_cancelled(b->rd, row); row++)
			if (!render_absent(c, row))
				pair[n++] =
					(struct name_pair){hash_of(short_name(b, c, row)),
							   hash_of(c->s[row])};
	}
	if (n)
		qsort(pair, n, sizeof(*pair), compare_pairs);
	for (size_t i = 1; i < n; i++)
		if (pair[i].brief == pair[i - 1].brief &&
		    pair[i].whole != pair[i - 1].whole)
			b->same[b->nsame++] = pair[i].brief;
	free(pair);
	return b->rd->err->kind;
}

int brief_init(struct brief *b, struct render *rd)
{
	*b = (struct brief){.rd = rd};
	arena_init(&b->a, 0);
	return find_same(b);
}

void brief_free(struct brief *b)
{
	arena_free(&b->a);
	free(b->same);
}

struct str brief_of(struct brief *b, const struct column *c, size_t row)
{
	const struct str name = short_name(b, c, row);
	const uint64_t h = b->nsame ? hash_of(name) : 0;

	return b->nsame && bsearch(&h, b->same, b->nsame, sizeof(h), compare_u64)
		       ? c->s[row]
		       : name;
}
