/*
 * part_code.h - what a part cost, as bytes: the same numbers for the tally, the merge and the
 * store.
 *
 *	functions, then per function: id, E self costs
 *	edges, then per edge: id, calls, E inclusive costs
 *
 * While tallying, numbers are sized (sized.h) and ids are the stretch's slots; in the index
 * numbers are varints and ids those of functions and edges, ascending, each as the difference to
 * the one before.
 */
#ifndef QUERN_PART_CODE_H
#define QUERN_PART_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "index/base/vec.h"

struct tally;

/* Growing bytes for varints. */
struct bytes {
	unsigned char *p;
	size_t n, cap;
};
/* Room for n more bytes, whatever is in them. */
static inline int bytes_room(struct bytes *b, size_t n)
{
	return vec_reserve_raw(&b->p, &b->cap, b->n + n, 1);
}
int bytes_put(struct bytes *b, uint64_t v);
int bytes_append(struct bytes *b, const unsigned char *p, size_t n);

/* Append a number as the tally's are; 0, or -1 when memory is out. */
int part_put(struct bytes *b, uint64_t v);
/* Append the current part of t to t->parts; the same. */
int part_encode(struct tally *t);

#endif
