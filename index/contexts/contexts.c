/*
 * contexts.c - from blocks to contexts; see contexts.h.
 *
 * The blocks that still want others are a stack: the block read next is claimed by the
 * innermost of them, or by a call of the seams, or it is a root.  A block leaves the
 * stack with the last one that it wants, so a recursion of a million levels takes no
 * more room than the calls that are left.
 */
#include "index/contexts/contexts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/hash.h"
#include "index/base/vec.h"

enum {
	CELLS = 1 << 12,
	WINDOW = 1 << 20, /* bytes of records that are read at once */
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
	free(c->cell);
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
	const uint64_t each = 2 * sizeof(uint32_t) + (1 + c->events) * sizeof(uint64_t);

	if (n >= UINT32_MAX - 1 || n * each + c->cells * sizeof(*c->cell) > c->most) {
		contexts_full(c, err);
		return 0;
	}
	if (vec_reserve(&c->parent, &c->parent_cap, n, sizeof(*c->parent)) ||
	    vec_reserve(&c->fn, &c->fn_cap, n, sizeof(*c->fn)) ||
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

/* ---- blocks, backwards ---- */

/* A block that wants others, which stand before it. */
struct wanting {
	uint64_t blocks;
	uint32_t context;
};

struct backwards {
	struct contexts *c;
	const struct context_stretch *s; /* the stretch at hand */
	struct claims *claims;
	size_t by, of; /* the next ones, counted from the end */
	struct wanting *wanting;
	size_t n, cap;
	uint64_t number; /* of the block after the one at hand, in the file */
	uint64_t base;	 /* of the first block of the stretch */
	size_t events;	 /* costs of a record */
	size_t change;	 /* of s->log->events[]: the next one before */
	struct err *err;
};

/* The context that called block `number`; 0: it is a root. */
static uint32_t caller_of(struct backwards *b, uint64_t number)
{
	const struct claims *claims = b->claims;
	struct wanting *top;

	if (b->of && claims->of[b->of - 1].key == number)
		return claims->by[claims->of[--b->of].value].context;
	if (!b->n)
		return 0;
	top = &b->wanting[b->n - 1];
	b->n -= --top->blocks == 0;
	return top->context;
}

/* Records before block `number` of the stretch may have other costs. */
static void events_before(struct backwards *b, uint64_t number)
{
	const struct block_log *log = b->s->log;

	while (b->change && log->events[b->change - 1].from > number)
		b->change--;
	b->events = b->change ? log->events[b->change - 1].events : 0;
}

/* Add the record that ends at p; its start, or NULL. */
static inline const unsigned char *take_record(struct backwards *b,
					       const unsigned char *p)
{
	struct contexts *const c = b->c;
	const uint64_t number = --b->number;
	uint64_t head, wants;
	uint32_t context;
	uint64_t *self;

	if (b->change && b->s->log->events[b->change - 1].from > number - b->base)
		events_before(b, number - b->base);
	p = block_log_number(p, &head);
	wants = head & 3;
	if (wants == 3) {
		p = block_log_number(p, &wants);
		wants += 3;
	}
	context = contexts_of(c, caller_of(b, number), b->s->fn[head >> 2], b->err);
	if (!context)
		return NULL;
	c->calls[context - 1]++;
	self = c->self + (size_t)(context - 1) * c->events;
	for (size_t e = 0; e < b->events; e++) {
		uint64_t cost;

		p = block_log_number(p, &cost);
		self[b->s->event[e]] += varint_unzigzag(0, cost);
	}
	if (b->by && b->claims->by[b->by - 1].number == number)
		b->claims->by[--b->by].context = context;
	if (!wants)
		return p;
	if (vec_reserve_raw(&b->wanting, &b->cap, b->n + 1, sizeof(*b->wanting))) {
		no_memory(b->err);
		return NULL;
	}
	b->wanting[b->n++] = (struct wanting){wants, context};
	return p;
}

/* Add the records of p[0..n) from the end, and those that begin before `most` bytes only
 * if `all`; *left: the bytes that are left. */
static int take_records(struct backwards *b, const unsigned char *p, uint64_t n,
			size_t most, bool all, uint64_t *left)
{
	const unsigned char *at = p + n;

	while (at > p && (all || (size_t)(at - p) >= most))
		if (!(at = take_record(b, at)))
			return b->err->kind;
	*left = (uint64_t)(at - p);
	return 0;
}

static int take_stretch(struct backwards *b, const atomic_int *cancel)
{
	const struct block_log *log = b->s->log;
	const struct spill *records = &log->records;
	const size_t most = block_log_most(b->events);
	struct bytes scratch = {0};
	uint64_t at = records->spilled, left = 0;
	int rc;

	/* Whole records are in memory and in the file. */
	rc = take_records(b, records->buf.p, records->buf.n, 0, true, &left);
	while (!rc && at) {
		const uint64_t n = at < WINDOW ? at : WINDOW;
		const unsigned char *p = spill_read(records, at - n, n, &scratch);

		if (!p)
			rc = err_set(b->err, ERR_INDEX, 0,
				     "cannot read a temporary file in %s: %s",
				     records->dir, strerror(errno));
		else
			rc = take_records(b, p, n, most, n == at, &left);
		at = at - n + left;
		if (!rc && cancel && atomic_load(cancel))
			rc = err_set(b->err, ERR_CANCEL, 0, "interrupted");
	}
	free(scratch.p);
	return rc;
}

int contexts_add(struct contexts *c, const struct context_stretch *s, size_t n,
		 struct claims *claims, const atomic_int *cancel, struct err *err)
{
	struct backwards b = {.c = c,
			      .claims = claims,
			      .by = claims->nby,
			      .of = claims->n,
			      .number = claims->blocks,
			      .err = err};
	int rc = 0;

	while (n-- > 0 && !rc) {
		b.s = &s[n];
		b.base = b.number - s[n].log->blocks;
		b.change = s[n].log->nevents;
		events_before(&b, UINT64_MAX);
		rc = take_stretch(&b, cancel);
	}
	free(b.wanting);
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
			       move_u64(&c->self, level, c->n, c->events)
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

	free(c->cell);
	c->cell = NULL;
	c->cells = 0;
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
