/*
 * detail_code.h - the packed cost lines, call sites and jumps of one function.
 *
 * Rows are ordered by (file, instr, line) and cut into groups of one file.  Numbers are
 * varints; zz(x) is the zigzag difference to the row before, +x the plain one, both from
 * 0 at the start of a group; instr and line are left out when the profile has none.
 *
 *	rows, then per group: zz(file) rows-in-group, then per row:
 *	lines:	head [+instr] [zz(line)] [costs]
 *	sites:	+instr zz(line) 2 * (edge-out_first(caller)) [calls costs]
 *	jumps:	+instr zz(line) flags [to_fn] [to_file] zz(to_instr - instr)
 *		zz(to_line - line) executed [taken]
 *
 * Costs are packed as in cost_code.h.  Most cost lines are a few bytes of code after the
 * row before, and have its line and its costs.  So they take one byte, the head:
 *
 *	bit 0		the row has the costs of the row before; they are left out
 *	bit 1		it has its line, too, which is left out (if the profile has both positions)
 *	bits 2 to 7	the first position, +instr or else zz(line), if it is below 63; else 63, and
 *			the position follows
 *
 * The first row of a group has costs.
 *
 * Most edges have one call site.  Its calls and costs are those of the edge and are left
 * out; the number of the edge is odd then.
 */
#ifndef QUERN_DETAIL_CODE_H
#define QUERN_DETAIL_CODE_H

#include "index/base/varint.h"
#include "index/base/bytes.h"

enum detail_kind { DETAIL_LINES, DETAIL_SITES, DETAIL_JUMPS, DETAIL_KINDS };
enum { DETAIL_NUMBERS = 12 }; /* a row has no more numbers, costs aside */
enum { JUMP_CONDITIONAL = 1, JUMP_OTHER_FN = 2, JUMP_OTHER_FILE = 4 }; /* flags */

struct detail_shape {
	uint32_t events;
	bool instr, line; /* which positions the profile has */
};

struct detail_row {
	uint64_t instr, line;
	uint32_t file;
	uint32_t edge; /* sites: minus the caller's first edge; jumps: flags */
	bool alone;    /* sites: the only one of its edge: calls and costs are left out */
	uint32_t to_fn, to_file;    /* jumps, when flagged */
	uint64_t to_instr, to_line; /* jumps */
	uint64_t calls;		    /* sites; jumps: executed */
	uint64_t taken;		    /* conditional jumps */
	const uint64_t *cost;	    /* lines and sites: E, read by the encoder only */
};

/* The fields by which most rows are ordered. */
struct detail_key {
	uint64_t instr, line;
	uint32_t file, row;
};

/* The bits of a cost line's head. */
enum { HEAD_COSTS = 1, HEAD_LINE = 2 };
/* Above them is the first position; HEAD_FAR: it follows as a varint. */
enum { HEAD_SHIFT = 2, HEAD_FAR = 63 };

/* Write the head of a cost line, without HEAD_COSTS, and its positions to p; returns the
 * end.  instr and line are the differences to the row before; one that the profile does
 * not have is 0. */
static inline unsigned char *detail_put_place(unsigned char *p, struct detail_shape s,
					      uint64_t instr, uint64_t line)
{
	const bool both = s.instr && s.line;
	const uint64_t first = s.instr ? instr : line;
	const unsigned head = both && !line ? HEAD_LINE : 0;

	if (__builtin_expect(first >= HEAD_FAR, 0)) {
		*p++ = (unsigned char)(HEAD_FAR << HEAD_SHIFT | head);
		p = varint_put(p, first);
	} else {
		*p++ = (unsigned char)(first << HEAD_SHIFT | head);
	}
	return both && line ? varint_put(p, line) : p;
}

/* The number for the edge of a call site. */
static inline uint64_t detail_edge_code(uint32_t edge, bool alone)
{
	return (uint64_t)edge << 1 | alone;
}

/* Append rows to b; 0, or -1 when memory is out. */
int detail_encode(struct bytes *b, enum detail_kind kind, const struct detail_shape *s,
		  const struct detail_row *rows, size_t n);
/* Encode cost lines given by keys; row i has the costs from cost[i * E] on. */
int detail_encode_lines(struct bytes *b, const struct detail_shape *s,
			const struct detail_key *key, size_t n, const uint64_t *cost);
/* Encode row by row, for rows that are not all in memory: write the number of rows
 * (bytes_put()), then of each group its file and number of rows, then its rows. */
struct detail_writer {
	struct bytes *b;
	enum detail_kind kind;
	const struct detail_shape *shape;
	uint64_t file, instr, line; /* of the row before */
	/* Of lines: where in b the last costs are; costs: there are some in this
	 * group. */
	size_t cost_at, cost_n;
	bool costs;
};
int detail_write_group(struct detail_writer *w, uint32_t file, uint64_t rows);
int detail_write_row(struct detail_writer *w, const struct detail_row *r);

/* Reading: detail_begin() returns the number of rows; call detail_next() that many times.
 * It writes E numbers to cost, which must be kept until the next call.  Damaged bytes set
 * in.bad; all rows are zeros then. */
struct detail_reader {
	struct varint_reader in;
	enum detail_kind kind;
	struct detail_shape shape;
	uint64_t left_in_group;
	struct detail_row row;	/* the one just read */
	const uint64_t *before; /* its costs, of lines; NULL: a group begins */
};
uint64_t detail_begin(struct detail_reader *r, enum detail_kind kind,
		      const struct detail_shape *s, const unsigned char *p,
		      const unsigned char *end);
void detail_next(struct detail_reader *r, uint64_t *cost);

#endif
