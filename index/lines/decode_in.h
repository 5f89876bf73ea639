/*
 * decode_in.h - the inside of the decoder, for decode.c (blocks, and usual lines fast)
 * and decode_line.c (any line).
 */
#ifndef QUERN_DECODE_IN_H
#define QUERN_DECODE_IN_H

#include "index/lines/decode.h"

/* Decode one line without its newline, whatever it is: what decode.c leaves. */
void decode_line(struct decode *d, struct batch *b, struct str line);

static inline struct row *push(struct batch *b, enum row_kind kind, const char *line)
{
	struct row *r = &b->row[b->n++];

	r->kind = (uint8_t)kind;
	r->flags = 0;
	r->nc = 0;
	r->at = (uint32_t)(line - b->text);
	r->cost = (uint32_t)b->ncost;
	return r;
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Xdebug's time of -n nanoseconds is (2^64 - n) / unit. */
static inline bool wrapped_time(const struct decode *d, uint32_t col, uint64_t cost)
{
	return d->time_unit && col == d->time_col &&
	       cost >= ((uint64_t)1 << 63) / d->time_unit &&
	       cost <= UINT64_MAX / d->time_unit;
}

/* Costs of a line, or-ed, that may be negative, which is written as 2^64 - n: a unit is
 * 1,000 ns at most. */
static inline bool maybe_negative(const struct decode *d, uint64_t costs)
{
	return costs >> (d->time_unit ? 53 : 63);
}

/* Whether the row is a calls= or jump=, whose line follows. */
static inline bool waits_for_line(const struct row *r)
{
	return r->kind >= ROW_CALLS && r->kind <= ROW_JUMP_BAD;
}

/* Whether the next line of positions and costs moves the base. */
static inline bool moves_base(const struct decode *d, const struct batch *b)
{
	if (!d->apart)
		return true;
	return b->n ? !waits_for_line(&b->row[b->n - 1]) : !d->of_record;
}

#endif
