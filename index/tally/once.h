/*
 * once.h - lines of a function, packed.
 *
 * Most functions of a profile of one part have one block.  Its lines need no look-up while
 * they are read (they are distinct, or are added when the index is written), so they are
 * kept as a few bytes each, a tenth of an entry's size.  Each function has a chain of such
 * pieces: what could not become an entry for want of room, and what was one (tally.c).
 *
 *	piece: bytes of the function's piece before it, 0: none; else how far before; then lines
 *	tag: kind | FILE | INSTR | LINE, number of costs in the upper bits
 *	[file] [zz(instr)] [zz(line)], then by kind:
 *	cost line	costs (cost_code.h); none: those of the cost line before
 *	call		edge count costs
 *	jump		zz(to_instr) zz(to_line) [to_fn to_file] executed [taken]
 *
 * zz(x): zigzag difference to the line before (to the jump's own position), 0 at the start.
 * What a jump goes to is said when it is not what the jump before went to (number of costs 1): 0 is
 * the function itself in the row's own file, and what is so at the start.
 */
#ifndef QUERN_ONCE_H
#define QUERN_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include "index/base/varint.h"
#include "index/format/cost_code.h"
#include "index/base/bytes.h"

struct once_row {
	uint8_t kind; /* enum entry_kind (tally.h) */
	uint32_t ncost;
	uint32_t file; /* slot */
	uint32_t edge; /* slot, of a call */
	uint64_t instr, line;
	uint64_t count; /* calls; jumps: executed */
	uint64_t taken;
	/* Jumps: as in tally.h, [2] as once_to(); and that of the last jump. */
	uint64_t to[3];
	/* Reading: the ncosts costs of the last cost line that has some; NULL: there was none. */
	const unsigned char *costs;
	uint32_t ncosts;
	/* Writing: the last cost line cost this, one number; false: that is not known. */
	bool cost_known;
	uint64_t cost;
};

/* Where a jump of a function of that name slot, in that file, goes: `to` is a name and a file slot as
 * in tally.h.  0: it stays there. */
static inline uint64_t once_to(uint32_t fn_name, uint32_t file, uint64_t to)
{
	return to == ((uint64_t)fn_name << 32 | file) ? 0 : to + 1;
}

/* The other direction. */
static inline uint64_t once_goes_to(uint32_t fn_name, uint32_t file, uint64_t once_to)
{
	return once_to ? once_to - 1 : (uint64_t)fn_name << 32 | file;
}

enum {
	ONCE_KIND = 3,
	ONCE_FILE = 4,
	ONCE_INSTR = 8,
	ONCE_LINE = 16,
	ONCE_COSTS = 5,
	ONCE_TO = 1 << ONCE_COSTS,
};

/* Bytes of the piece in front of that at *at, which *at moves to; 0: there is none. */
static inline uint64_t once_piece(struct varint_reader *in, uint64_t *at)
{
	uint64_t n = varint_get(in);

	*at -= n ? varint_get(in) : 0;
	return n;
}

/* Bytes that a row may take. */
static inline size_t once_room(uint32_t ncost)
{
	return (12 + costs_numbers(ncost)) * VARINT_MAX;
}

/* A difference, which is left out when it is 0. */
static inline unsigned char *once_put_change(unsigned char *p, uint64_t zigzag)
{
	if (__builtin_expect(zigzag >= 0x80, 0))
		return varint_put(p, zigzag);
	*p = (unsigned char)zigzag;
	return p + (zigzag != 0);
}

/* Append r and its ncost costs behind *before (all zeros for the first of a piece), which is
 * told of them.  0, or -1 when memory is out. */
int once_put(struct bytes *b, struct once_row *before, const struct once_row *r,
	     const uint64_t *cost);

/* The next row behind *r (all zeros at first) into *r; false at the end.  cost receives
 * ncost numbers. */
bool once_get(struct varint_reader *in, struct once_row *r, uint64_t *cost);

#endif
