/*
 * part_code.h - what a part cost, as bytes: one code for the tally, the merge and the store.
 *
 *	functions, then per function: id, E self costs
 *	edges, then per edge: id, calls, E inclusive costs
 *
 * All numbers are varints.  Ids are the stretch's slots while tallying; in the index they
 * are function and edge ids, ascending, each as the difference to the one before.
 */
#ifndef QUERN_PART_CODE_H
#define QUERN_PART_CODE_H

#include <stddef.h>
#include <stdint.h>

struct tally;

/* Append the current part of t to t->parts; 0, or -1 when memory is out. */
int part_encode(struct tally *t);

/* Growing bytes for varints. */
struct bytes {
	unsigned char *p;
	size_t n, cap;
};
int bytes_room(struct bytes *b, size_t n);
int bytes_put(struct bytes *b, uint64_t v);
int bytes_append(struct bytes *b, const unsigned char *p, size_t n);

#endif
