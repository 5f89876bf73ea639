/*
 * detail_lines.h - the cost lines of one function while they are gathered (detail.c).
 *
 * Most rows of a profile are cost lines.  So a line is a key of 24 bytes, by which it is
 * ordered; its costs are in another array:
 *
 *	key	{instr line file row} ...	in the order of the text, then sorted
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
	size_t expected; /* the first row that the next line may be */
	size_t known;	 /* rows of the pieces before this one */
	bool ordered;	 /* and no two equal, so far */
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

/* A piece begins: its lines may be those held so far, in the same order. */
static inline void detail_lines_again(struct detail_lines *l)
{
	l->expected = 0;
	l->known = l->n;
}

enum { DETAIL_SKIPPED = 4 }; /* rows that a piece may leave out between two lines */

/* Add a line; returns its costs, which are zeros, or NULL when memory is out. */
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

/* The costs of a line, zeros if it is new; NULL when memory is out. */
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
 * Order n keys.  `spare` is grown to the same size; the two arrays may be exchanged.
 * Equal keys are ordered by detail_compare() of their rows in `more`; if `more` is NULL,
 * they keep their order.  0, or -1 when memory is out.
 */
int detail_order(struct detail_key **key, size_t *cap, struct detail_key **spare,
		 size_t *spare_cap, size_t n, const struct detail_row *more);

#endif
