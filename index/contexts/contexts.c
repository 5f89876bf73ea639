/*
 * contexts.c - from blocks to contexts; see contexts.h.
 *
 * The blocks that still want others are a stack: the block read next is claimed by the
 * innermost of them, or by a call of the seams, or it is a root.  A block leaves the
 * stack with the last one that it wants, so a recursion of a million levels takes no
 * more room than the calls that are left.
 */
#include "index/contexts/contexts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/contexts/backwards.h"

enum {
	CELLS = 1 << 12,
	ROOTS = 1 << 16, /* so many are kept before equal ones are added up */
};

static int no_memory(struct err *err)
{
	return err_no_memory(err, "while building the call tree");
}

void contexts_init(struct contexts *c, size_t events, uint64_t most)
{
	*c = (struct contexts){.events = events, .most = most};
}

void contexts_free(struct contexts *c)
{
	free(c->parent);
	free(c->fn);
	free(c->calls);
	free(c->self);
	free(c->first);
	free(c->next);
	free(c->cell);
	free(c->root);
	*c = (struct contexts){0};
}

/* ---- finding a context ---- */

static inline size_t cell_of(const struct contexts *c, uint32_t parent, uint32_t fn)
{
	const uint64_t h = ((uint64_t)parent << 32 | fn) * 0x9e3779b97f4a7c15;

	return (size_t)(h ^ h >> 29) & (c->cells - 1);
}

/* Twice the cells. */
static int rehash(struct contexts *c)
{
	const size_t cells = c->cells ? c->cells * 2 : CELLS;
	uint32_t *cell = calloc(cells, sizeof(*cell));

	if (!cell)
		return -1;
	free(c->cell);
	c->cell = cell;
	c->cells = cells;
	for (size_t i = 0; i < c->n; i++) {
		size_t at = cell_of(c, c->parent[i], c->fn[i]);

		while (cell[at])
			at = (at + 1) & (cells - 1);
		cell[at] = (uint32_t)i + 1;
	}
	return 0;
}

static int contexts_full(const struct contexts *c, struct err *err)
{
	err_set(err, ERR_LIMIT, 0,
		"the stacks of the call tree take more than %" PRIu64 " MiB",
		c->most >> 20);
	return err_hint(err, "let them have more, as in --mem %" PRIu64 "M",
			c->most >> 19);
}

static uint32_t add(struct contexts *c, size_t cell, uint32_t parent, uint32_t fn,
		    struct err *err)
{
	const size_t n = c->n + 1;
	const uint64_t each = 4 * sizeof(uint32_t) + (1 + c->events) * sizeof(uint64_t);

	if (n >= UINT32_MAX - 1 || n * each + c->cells * sizeof(*c->cell) > c->most) {
		contexts_full(c, err);
		return 0;
	}
	if (vec_reserve(&c->parent, &c->parent_cap, n, sizeof(*c->parent)) ||
	    vec_reserve(&c->fn, &c->fn_cap, n, sizeof(*c->fn)) ||
	    vec_reserve(&c->first, &c->first_cap, n, sizeof(*c->first)) ||
	    vec_reserve(&c->next, &c->next_cap, n, sizeof(*c->next)) ||
	    vec_reserve(&c->calls, &c->calls_cap, n, sizeof(*c->calls)) ||
	    vec_reserve(&c->self, &c->self_cap, n * c->events, sizeof(*c->self))) {
		no_memory(err);
		return 0;
	}
	c->parent[c->n] = parent;
	c->fn[c->n] = fn;
	c->n = n;
	c->cell[cell] = (uint32_t)n;
	return (uint32_t)n;
}

uint32_t contexts_of(struct contexts *c, uint32_t parent, uint32_t fn, struct err *err)
{
	size_t at;

	if (2 * c->n >= c->cells && rehash(c)) {
		no_memory(err);
		return 0;
	}
	for (at = cell_of(c, parent, fn); c->cell[at]; at = (at + 1) & (c->cells - 1)) {
		const uint32_t i = c->cell[at] - 1;

		if (c->parent[i] == parent && c->fn[i] == fn)
			return i + 1;
	}
	return add(c, at, parent, fn, err);
}

/* ---- roots ---- */

static int by_part(const void *a, const void *b)
{
	const struct context_root *x = a, *y = b;

	return order_u64((uint64_t)x->part << 32 | x->fn,
			 (uint64_t)y->part << 32 | y->fn);
}

/* Put the roots in their order, each once. */
static void add_up_roots(struct contexts *c)
{
	size_t n = 0;

	if (c->nroot)
		qsort(c->root, c->nroot, sizeof(*c->root), by_part);
	for (size_t i = 0; i < c->nroot; i++)
		if (n && !by_part(&c->root[n - 1], &c->root[i]))
			count_add(&c->root[n - 1].calls, c->root[i].calls);
		else
			c->root[n++] = c->root[i];
	c->nroot = c->nsorted = n;
}

/* ---- blocks, backwards ---- */

/* A block that wants others, which stand before it. */
struct wanting {
	uint64_t blocks;
	uint32_t context;
	uint32_t last; /* context of the block that it got last; 0: none yet */
};

struct adding {
	struct contexts *c;
	struct claims *claims;
	size_t by, of;			     /* the next ones, counted from the end */
	const struct activation_part *parts; /* or NULL */
	size_t nparts; /* the last of these is of the block at hand */
	struct wanting *wanting;
	size_t n, cap;
	struct err *err;
};

/* The context of fn below the innermost block, which called it before the call found
 * last.  The child that came at this place on the last visit is tried first. */
static inline uint32_t wanted(struct adding *a, uint32_t fn)
{
	struct contexts *const c = a->c;
	struct wanting *const top = &a->wanting[a->n - 1];
	const uint32_t parent = top->context, last = top->last;
	uint32_t at = last ? c->next[last - 1] : c->first[parent - 1];

	if (__builtin_expect(!at || c->fn[at - 1] != fn, 0)) {
		if (!(at = contexts_of(c, parent, fn, a->err)))
			return 0;
		*(last ? &c->next[last - 1] : &c->first[parent - 1]) = at;
	}
	top->last = at;
	a->n -= --top->blocks == 0;
	return at;
}

/* The context of a block; 0: an error. */
static inline uint32_t context_of_block(struct adding *a, const struct block_back *block)
{
	const struct claims *claims = a->claims;
	uint32_t parent = 0;

	if (a->of && claims->of[a->of - 1].key == block->number)
		parent = claims->by[claims_by(claims, --a->of)].context;
	else if (a->n)
		return wanted(a, block->fn);
	return contexts_of(a->c, parent, block->fn, a->err);
}

int contexts_root(struct contexts *c, const struct context_root *root)
{
	if (vec_reserve(&c->root, &c->root_cap, c->nroot + 1, sizeof(*c->root)))
		return -1;
	c->root[c->nroot++] = *root;
	return 0;
}

/* Of a file without calls each block is a root: equal ones in a row are one. */
static int add_root(struct adding *a, const struct block_back *block)
{
	struct contexts *const c = a->c;
	struct context_root *last = c->nroot ? &c->root[c->nroot - 1] : NULL;
	uint32_t part;

	while (a->nparts > 1 && a->parts[a->nparts - 1].first > block->number)
		a->nparts--;
	part = a->parts[a->nparts - 1].part;
	if (last && last->part == part && last->fn == block->fn) {
		last->calls++;
		return 0;
	}
	if (c->nroot >= ROOTS && c->nroot >= 2 * c->nsorted)
		add_up_roots(c);
	return contexts_root(c, &(struct context_root){part, block->fn, 1})
		       ? no_memory(a->err)
		       : 0;
}

static int add_block(void *arg, const struct block_back *block)
{
	struct adding *a = arg;
	struct contexts *const c = a->c;
	const uint32_t context = context_of_block(a, block);
	int64_t *self;

	if (!context)
		return a->err->kind;
	if (!c->parent[context - 1] && a->nparts && add_root(a, block))
		return a->err->kind;
	c->calls[context - 1]++;
	self = c->self + (size_t)(context - 1) * c->events;
	for (size_t e = 0; e < c->events; e++)
		c->full |= cost_add(&self[e], block->self[e]);
	if (a->by && a->claims->by[a->by - 1].number == block->number)
		a->claims->by[--a->by].context = context;
	if (!block->wants)
		return 0;
	if (vec_reserve_raw(&a->wanting, &a->cap, a->n + 1, sizeof(*a->wanting)))
		return no_memory(a->err);
	a->wanting[a->n++] = (struct wanting){block->wants, context, 0};
	return 0;
}

int contexts_add(struct contexts *c, const struct context_stretch *s, size_t n,
		 struct claims *claims, const struct activation_part *parts,
		 size_t nparts, const atomic_int *cancel, struct err *err)
{
	struct adding a = {.c = c,
			   .claims = claims,
			   .by = claims->nby,
			   .of = claims->n,
			   .parts = parts,
			   .nparts = nparts,
			   .err = err};
	const int rc = backwards_read(s, n, claims->blocks, c->events, add_block, &a,
				      cancel, err);

	free(a.wanting);
	return rc;
}

/* ---- their order ---- */

/* order[]: the contexts by key[], which is below `keys`; equal ones as in from[], or
 * ascending.  first[keys + 1]: scratch, then the end of each key. */
static void by_key(const uint32_t *key, size_t n, size_t keys, const uint32_t *from,
		   uint32_t *first, uint32_t *order)
{
	memset(first, 0, (keys + 1) * sizeof(*first));
	for (size_t i = 0; i < n; i++)
		first[key[i] + 1]++;
	for (size_t k = 1; k <= keys; k++)
		first[k] += first[k - 1];
	for (size_t i = 0; i < n; i++) {
		const uint32_t x = from ? from[i] : (uint32_t)i;

		order[first[key[x]]++] = x;
	}
}

/* level[]: the contexts by level, parent, function, from their children in the order of
 * functions.  Those of reference k are child[end[k - 1]..end[k]). */
static void by_level(const uint32_t *child, const uint32_t *end, size_t n,
		     uint32_t *level)
{
	size_t made = 0;

	for (uint32_t i = 0; i < end[0]; i++)
		level[made++] = child[i];
	for (size_t at = 0; at < n && at < made; at++)
		for (uint32_t k = level[at] + 1, i = end[k - 1]; i < end[k]; i++)
			level[made++] = child[i];
}

static int move_u32(uint32_t **column, const uint32_t *level, size_t n)
{
	uint32_t *to = malloc((n + 1) * sizeof(*to));

	if (!to)
		return -1;
	for (size_t i = 0; i < n; i++)
		to[i] = (*column)[level[i]];
	free(*column);
	*column = to;
	return 0;
}

static int move_u64(uint64_t **column, const uint32_t *level, size_t n, size_t width)
{
	uint64_t *to = malloc((n * width + 1) * sizeof(*to));

	if (!to)
		return -1;
	for (size_t i = 0; i < n; i++)
		memcpy(to + i * width, *column + level[i] * width, width * sizeof(*to));
	free(*column);
	*column = to;
	return 0;
}

/* Put all columns in the order of level[]; place[]: scratch. */
static int reorder(struct contexts *c, const uint32_t *level, uint32_t *place)
{
	for (size_t i = 0; i < c->n; i++)
		place[level[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < c->n; i++)
		c->parent[i] = c->parent[i] ? place[c->parent[i] - 1] : 0;
	c->parent_cap = c->fn_cap = c->calls_cap = c->self_cap = 0;
	return move_u32(&c->parent, level, c->n) || move_u32(&c->fn, level, c->n) ||
			       move_u64(&c->calls, level, c->n, 1) ||
			       move_u64((uint64_t **)&c->self, level, c->n, c->events)
		       ? -1
		       : 0;
}

int contexts_order(struct contexts *c, size_t nfn, struct err *err)
{
	const size_t most = c->n > nfn ? c->n : nfn;
	uint32_t *a = malloc((c->n + 1) * sizeof(*a)),
		 *b = malloc((c->n + 1) * sizeof(*b));
	uint32_t *first = malloc((most + 3) * sizeof(*first));
	int rc = a && b && first ? 0 : -1;

	add_up_roots(c);
	free(c->cell);
	free(c->first);
	free(c->next);
	c->cell = c->first = c->next = NULL;
	c->first_cap = c->next_cap = c->cells = 0;
	if (!rc) {
		by_key(c->fn, c->n, nfn, NULL, first, a);
		by_key(c->parent, c->n, c->n + 1, a, first, b);
		by_level(b, first, c->n, a);
		rc = reorder(c, a, b);
	}
	free(a);
	free(b);
	free(first);
	return rc ? no_memory(err) : 0;
}
