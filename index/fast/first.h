/*
 * first.h - take the lines of a function's first block straight from the text to packed
 * rows.
 *
 * Most lines of a profile of one part are in first blocks.  Each is new there, so nothing
 * is looked up: its numbers are read and packed (piece.h).  Taken are the usual forms:
 * cost lines of up to 32 columns, jumps, calls, and the heads of functions that are new.
 * Every other line is left to decode.h and tally.h.  The tally is the same whether a line
 * is taken here or there.
 */
#ifndef QUERN_FIRST_H
#define QUERN_FIRST_H

#include "index/lines/decode.h"
#include "index/tally/tally.h"

/* True when first_run() can take the next lines: the block is its function's first, and
 * the profile's positions and columns are usual. */
bool first_ready(const struct tally *t, const struct decode *d);

/*
 * Take lines from p on, at most to end; returns where it stopped: the start of a line.
 * Readable: 32 bytes before p; 512 + 16 * columns after end.  t and d are as if they had
 * taken the lines themselves.
 */
const char *first_run(struct tally *t, struct decode *d, const char *p, const char *end);

#endif
