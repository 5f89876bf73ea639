/*
 * first.h - take the lines of a function's first block without going through rows.
 *
 * Such lines (once.h) are most of a profile of one part, and each is new: all there is to do
 * is to read its numbers and to pack them.  The usual forms, cost lines of up to 32
 * columns, jumps, calls, and the heads of functions that are new, are taken here straight from
 * the text; everything else, and whatever is odd about one of these, is left to decode.h and
 * tally.h, which give the same result.
 */
#ifndef QUERN_FIRST_H
#define QUERN_FIRST_H

#include <stdbool.h>

#include "index/lines/decode.h"
#include "index/tally/tally.h"

/* True when the lines at hand are of a first block, and of a profile whose usual lines
 * first_run() takes. */
bool first_ready(const struct tally *t, const struct decode *d);

/*
 * Take lines from p, at most to end; returns where it stopped: the start of a line.  32 bytes
 * in front of p and 512 behind end, and 16 for each column, are readable.  t and d are as if they had taken the lines
 * themselves.
 */
const char *first_run(struct tally *t, struct decode *d, const char *p, const char *end);

#endif
