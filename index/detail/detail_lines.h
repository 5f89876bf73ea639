/*
 * detail_lines.h - the cost lines of one function while they are gathered (detail.c).
 *
 * They are most rows of most profiles, so each is 24 bytes that decide of its order, and its
 * costs beside them:
 *
 *	key	{instr line file row} ...	in the order of the text, then in their own
 *	cost	row 0: E numbers  row 1: E ...
 */
#ifndef QUERN_DETAIL_LINES_H
#define QUERN_DETAIL_LINES_H

#include "index/base/vec.h"
#include "index/format/detail_code.h"

struct detail_lines {
	struct detail_key *key, *spare;
	size_t n, cap, spare_cap;
	uint64_t *cost; /* nevent per row */
	size_t cost_cap;
	size_t nevent;
	size_t expected; /* the row that may come again next, */
	size_t known;	 /* of those before the piece at hand */
	bool ordered;	 /* and different, so far */
	bool full;	 /* a sum did not fit */
};

/* nevent 0 ... EVENTS_MAX; everything else empty. */
void detail_lines_init(struct detail_lines *l, size_t nevent);
void detail_lines_free(struct detail_lines *l);

static inline void detail_lines_clear(struct detail_lines *l)
{
	l->n = l->expected = l->known = 0;
	l->ordered = true;
}

static inline bool detail_key_after(const struct detail_key *a,
				    const struct detail_key *b)
{
	return a->file != b->file     ? a->file > b->file
	       : a->instr != b->instr ? a->instr > b->instr
				      : a->line > b->line;
}

/* A piece begins: lines there are may come again, in their order. */
static inline void detail_lines_again(struct detail_lines *l)
{
	l->expected = 0;
	l->known = l->n;
}

enum { DETAIL_SKIPPED = 4 }; /* rows that may be missing where they come again */

/* Another line, of other costs; the same as below. */
static inline uint64_t *detail_lines_add(struct detail_lines *l, struct detail_key key)
{
	uint64_t *cost;

	if (vec_reserve_raw(&l->key, &l->cap, l->n + 1, sizeof(*l->key)) ||
	    vec_reserve_raw(&l->cost, &l->cost_cap, (l->n + 1) * l->nevent + 1,
			    sizeof(*l->cost)))
		return NULL;
	if (l->n)
		l->ordered &= detail_key_after(&key, &l->key[l->n - 1]);
	key.row = (uint32_t)l->n;
	l->key[l->n] = key;
	cost = l->cost + l->n++ * l->nevent;
	for (size_t e = 0; e < l->nevent; e++)
		cost[e] = 0;
	return cost;
}

/* The costs of that line, which are zeros when it is new; NULL when memory is out. */
static inline uint64_t *detail_lines_row(struct detail_lines *l, uint64_t instr,
					 uint64_t line, uint32_t file)
{
	const size_t end = l->known - l->expected > DETAIL_SKIPPED
				   ? l->expected + DETAIL_SKIPPED
				   : l->known;

	for (size_t i = l->expected; i < end; i++)
		if (l->key[i].instr == instr && l->key[i].line == line &&
		    l->key[i].file == file) {
			l->expected = i + 1;
			return l->cost + i * l->nevent;
		}
	return detail_lines_add(l, (struct detail_key){instr, line, file, 0});
}

/* Put them in order and add those that are equal.  0, or -1 when memory is out. */
int detail_lines_order(struct detail_lines *l);

/*
 * Order n keys; `spare` has room for as many, and the two may change places.  more: of which
 * detail_compare() decides between keys that are alike, by their rows; NULL: they are equal,
 * and stay as they stand.  0, or -1 when memory is out.
 */
int detail_order(struct detail_key **key, size_t *cap, struct detail_key **spare,
		 size_t *spare_cap, size_t n, const struct detail_row *more);

#endif
