/*
 * copy.h - copy the rows of a function that has one piece to the index.
 *
 * Pieces and the index pack rows alike, so most functions of a profile of one part need
 * not be unpacked, ordered and packed again, as those of several pieces are (detail.c).
 */
#ifndef QUERN_COPY_H
#define QUERN_COPY_H

#include "index/detail/copy_lines.h"
#include "index/detail/copy_sites.h"

struct copy {
	struct copy_lines lines;
	struct copy_sites sites;
};

/* The shape has COPY_EVENTS events at most. */
void copy_init(struct copy *c, struct detail_shape shape);
void copy_free(struct copy *c);
bool copy_full(const struct copy *c); /* some sum so far did not fit */

/* Copy the rows of a piece; *in is after the number of bytes of the piece before.
 * *first_line is the lowest known line in the function's own file; 0: none is known. */
enum copied copy_piece(struct copy *c, struct varint_reader *in, const struct copy_of *of,
		       uint64_t *first_line);
/* Append the *n rows of a kind to b, as detail_encode() would.  0, or -1 when memory is
 * out. */
int copy_encode(struct copy *c, enum detail_kind kind, struct bytes *b, uint64_t *n);

#endif
