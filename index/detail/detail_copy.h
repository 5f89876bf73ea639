/*
 * detail_copy.h - the rows of a function of one piece, copied to the index.
 *
 * They are coded alike in both, so what is done to rows of several pieces (detail.c), to unpack,
 * order and pack them again, is left out for most functions of a profile of one part.
 */
#ifndef QUERN_DETAIL_COPY_H
#define QUERN_DETAIL_COPY_H

#include "index/detail/copy_lines.h"
#include "index/detail/copy_refs.h"

struct copied {
	struct copied_lines lines;
	struct copied_refs refs;
};

/* Of COPY_EVENTS at most. */
void copied_init(struct copied *c, struct detail_shape shape);
void copied_free(struct copied *c);
bool copied_full(const struct copied *c); /* some sum so far did not fit */

/* A piece, behind what it says of the one before.  *first_line is the lowest known line in the
 * function's own file, 0: none is. */
enum copy copy_piece(struct copied *c, struct varint_reader *in, const struct copy_of *of,
		     uint64_t *first_line);
/* Append to b what detail_encode() would for all rows of a kind; *n rows.  0, or -1 when memory is
 * out. */
int copied_encode(struct copied *c, enum detail_kind kind, struct bytes *b, uint64_t *n);

#endif
