/*
 * part_code.h - what a part cost, as bytes: nearly the same for the tally and the index.
 *
 *	rows of functions: E self costs each
 *	rows of edges: calls and E inclusive costs each
 *	in the tally only: E sums of the self costs, sized (sized.h)
 *
 * Rows are how many (a varint), their ids, bytes of their numbers (a varint), their
 * numbers: sized.  They stand in the order in which the part's text first has them,
 * whatever the ids, each of which is the zigzag difference to the one before.  So where
 * ids are the slots of a stretch they are all that has to be written anew to have the
 * index's.
 */
#ifndef QUERN_PART_CODE_H
#define QUERN_PART_CODE_H

#include "index/base/bytes.h"

/* Where the numbers of rows are. */
enum part_numbers {
	PART_BY_ID,   /* those of id from id * width on */
	PART_IN_TURN, /* one row's behind those of the one before */
};

/* n rows of `width` numbers. */
struct part_rows {
	uint32_t *id;
	size_t n, width;
	uint64_t *numbers;
	enum part_numbers where;
};

/* Append rows; 0, or -1 when memory is out. */
int part_put_rows(struct bytes *b, const struct part_rows *rows);
/* Append how many there are and their ids, what rows begin with; the same. */
int part_put_ids(struct bytes *b, const uint32_t *id, size_t n);
/* Append the sum of each of their numbers, UINT64_MAX at most; the same. */
int part_put_sums(struct bytes *b, const struct part_rows *rows);

#endif
