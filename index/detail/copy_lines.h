/*
 * copy_lines.h - the cost lines of a piece, copied to the index.
 *
 * In a piece (once.h) a line is a tag, the differences of its positions and its costs, if they are
 * others than those before; in the index (detail_code.h) it is the same but for the tag.  So the
 * lines of a file are not unpacked, ordered and packed again, but copied, and only where a turn begins in front of where the one
 * before ended are those behind its beginning taken back, to be put among its own:
 *
 *	out	10 11 12 13 14 15
 *	turn		    14 16 17	14 and 15 are taken back: 14 is added, 15 goes in front of 16
 */
#ifndef QUERN_COPY_LINES_H
#define QUERN_COPY_LINES_H

#include "index/detail/copy_code.h"

struct copy_mark;
struct copy_tail;

/* What was copied of one file. */
struct copy_file {
	uint32_t file;
	struct bytes out;
	size_t rows;
	uint64_t instr, line;	/* of the last; 0 at first */
	size_t cost_at, cost_n; /* its costs, in out */
	/* Where some rows end, to find others from. */
	struct copy_mark *mark;
	size_t nmark, mark_cap, next_mark; /* next_mark: in rows */
};

struct copied_lines {
	struct detail_shape shape; /* COPY_EVENTS at most */
	struct copy_file *file;
	size_t nfile, used, file_cap; /* of the function at hand; that have buffers */
	size_t at;		      /* the file of the last line */
	/* Rows of it taken back, of which those from tail_at on are still to come. */
	struct copy_tail *tail;
	size_t ntail, tail_cap, tail_at;
	struct bytes taken; /* their costs */
	size_t moved;
	/* scratch: the costs of a row that says fewer, of two rows added */
	unsigned char single[(COPY_EVENTS + 2) * VARINT_MAX],
		both[(COPY_EVENTS + 2) * VARINT_MAX];
	bool full; /* a sum did not fit */
};

void copied_lines_init(struct copied_lines *c, struct detail_shape shape);
void copied_lines_free(struct copied_lines *c);
void copied_lines_clear(struct copied_lines *c);

/* Cost lines at *in, up to a row of another kind.  *at is that of the row before, of whatever kind,
 * and then of the last line.  *first_line is the lowest known line in the function's own file, 0:
 * none is. */
enum copy copy_lines(struct copied_lines *c, struct varint_reader *in,
		     struct copy_place *at, const struct copy_of *of,
		     uint64_t *first_line);
/* As detail_encode(); *n rows. */
int copied_lines_encode(struct copied_lines *c, struct bytes *b, uint64_t *n);

#endif
