/*
 * piece.h - lines of a function, packed.
 *
 * Most functions of a profile of one part have one block.  Its lines need no look-up
 * while they are read (they are distinct, or are added when the index is written), so
 * each is kept in a few bytes, a tenth of an entry's size.  A piece holds the lines of
 * one block; the pieces of a function are a chain.  Lines that find no room as entries
 * become pieces, and so do entries that must give room (tally.c).
 *
 *	piece: bytes of the function's piece before, 0: none, [distance back to it]; lines
 *	tag: kind | FILE | INSTR | LINE, number of costs in the upper bits
 *	[file] [zz(instr)] [zz(line)], then by kind:
 *	cost line	costs (cost_code.h); none: those of the cost line before
 *	call		edge count costs
 *	jump		zz(to_instr) zz(to_line) [to_fn to_file] executed [taken]
 *
 * zz(x): zigzag difference to the line before (to the jump's own position), 0 at the
 * start.  A jump has to_fn and to_file (its number of costs is 1) if they differ from
 * those of the jump before; 0, also at the start, means the function itself in the row's
 * own file.
 */
#ifndef QUERN_PIECE_H
#define QUERN_PIECE_H

#include "index/base/varint.h"
#include "index/format/cost_code.h"
#include "index/base/bytes.h"

struct piece_row {
	uint8_t kind; /* enum entry_kind (tally.h) */
	uint32_t ncost;
	uint32_t file; /* name slot */
	uint32_t edge; /* edge slot of a call */
	uint64_t instr, line;
	uint64_t count; /* calls; jumps: executed */
	uint64_t taken;
	/* Jumps: target as in tally.h, to[2] as piece_target() packs it.  At the end of a
	 * row: that of the last jump. */
	uint64_t to[3];
	/* Reading: the ncosts costs of the last cost line with costs; NULL: none so
	 * far. */
	const unsigned char *costs;
	uint32_t ncosts;
	/* Writing: the one cost of the last cost line, if known. */
	bool cost_known;
	uint64_t cost;
};

/* Pack a jump's target for a function of that name in that file (slots).  `to` is name
 * and file as in tally.h; 0: the jump stays in function and file. */
static inline uint64_t piece_target(uint32_t fn_name, uint32_t file, uint64_t to)
{
	return to == ((uint64_t)fn_name << 32 | file) ? 0 : to + 1;
}

/* The inverse of piece_target(). */
static inline uint64_t piece_goes_to(uint32_t fn_name, uint32_t file,
				     uint64_t piece_target)
{
	return piece_target ? piece_target - 1 : (uint64_t)fn_name << 32 | file;
}

enum {
	PIECE_KIND = 3,
	PIECE_FILE = 4,
	PIECE_INSTR = 8,
	PIECE_LINE = 16,
	PIECE_COSTS = 5,
	PIECE_TO = 1 << PIECE_COSTS,
};

/* Move *at back to the function's piece before.  Returns the bytes of that; 0: there is no
 * other. */
static inline uint64_t piece_before(struct varint_reader *in, uint64_t *at)
{
	uint64_t n = varint_get(in);

	*at -= n ? varint_get(in) : 0;
	return n;
}

/* Most bytes of a row. */
static inline size_t piece_room(uint32_t ncost)
{
	return (12 + costs_numbers(ncost)) * VARINT_MAX;
}

/* Write a difference, unless it is 0. */
static inline unsigned char *piece_put_change(unsigned char *p, uint64_t zigzag)
{
	if (__builtin_expect(zigzag >= 0x80, 0))
		return varint_put(p, zigzag);
	*p = (unsigned char)zigzag;
	return p + (zigzag != 0);
}

/* Append r with ncost costs; *before is the row before (all zeros for the first of a
 * piece) and is set to r.  Returns 0, or -1 if memory is out. */
int piece_put(struct bytes *b, struct piece_row *before, const struct piece_row *r,
	      const uint64_t *cost);

/* Read the row after *r (all zeros at first) into *r; false at the end.  cost gets
 * ncost numbers. */
bool piece_get(struct varint_reader *in, struct piece_row *r, uint64_t *cost);

#endif
