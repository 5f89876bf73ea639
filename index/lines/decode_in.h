/* decode_in.h - the inside of the decoder: a block (decode.c), a line (decode_line.c). */
#ifndef QUERN_DECODE_IN_H
#define QUERN_DECODE_IN_H

#include "index/lines/decode.h"

/* Decode one line without its newline, whatever it is. */
void decode_line(struct decode *d, struct batch *b, struct str line);

/* Whether a line that begins so is a cost line. */
static inline bool begins_cost(char c)
{
	return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*';
}

/* Whether the row is a calls= or jump=, whose line follows. */
static inline bool waits_for_line(const struct row *r)
{
	return r->kind >= LINE_CALLS && r->kind <= LINE_JUMP_BAD;
}

/* A jump=, whose line has no cost. */
static inline bool is_of_jump(const struct row *r)
{
	return r->kind >= LINE_JUMP && r->kind <= LINE_JUMP_BAD;
}

#endif
