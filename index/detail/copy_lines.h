/*
 * copy_lines.h - copy the cost lines of a piece to the index.
 *
 * In a piece (piece.h) a line is a tag, the differences of its positions, and its costs
 * if they differ from those before.  In the index (detail_code.h) the tag, with a small
 * step of the first position in it, is another one; the rest is the same.  So the lines of
 * a file are not unpacked, ordered and packed again, but copied.
 * Where a line does not come after the row before, the rows from its place on are taken
 * back, and merged with the next lines:
 *
 *	out	10 11 12 13 14 15
 *	lines		    14 16 17	14 and 15 are taken back; 14 is added, 15 goes before 16
 */
#ifndef QUERN_COPY_LINES_H
#define QUERN_COPY_LINES_H

#include "index/detail/copy_in.h"

struct copy_mark;
struct copy_tail;

/* The rows of one file. */
struct copy_file {
	uint32_t file;
	struct bytes out;
	size_t rows;
	uint64_t instr, line;	/* of the last row; 0 at first */
	size_t cost_at, cost_n; /* its costs, in out */
	/* Where some rows end: a search for a row begins at a mark. */
	struct copy_mark *mark;
	size_t nmark, mark_cap, next_mark; /* next_mark: rows before it */
};

struct copy_lines {
	struct detail_shape shape; /* COPY_EVENTS at most */
	struct copy_file *file;
	size_t nfile, used, file_cap; /* nfile: of this function; used: have buffers */
	size_t at;		      /* file[at] has the last line */
	/* Rows that were taken back from file[at]; those from tail_at on are not yet
	 * written again. */
	struct copy_tail *tail;
	size_t ntail, tail_cap, tail_at;
	struct bytes taken; /* their costs */
	size_t moved;	    /* rows taken back so far */
	unsigned char
		both[(COPY_EVENTS + 2) * VARINT_MAX]; /* scratch: a sum of two rows */
	bool full;				      /* a sum did not fit */
};

void copy_lines_init(struct copy_lines *c, struct detail_shape shape);
void copy_lines_free(struct copy_lines *c);
void copy_lines_clear(struct copy_lines *c);

/* Copy the cost lines at *in, up to a row of another kind.  *at is the row before, of any
 * kind, and becomes the last line.  files: the ids of the slots; own: the function's.
 * *first_line is the lowest known line in that file; 0: none is known. */
enum copied copy_lines_take(struct copy_lines *c, struct varint_reader *in,
			    struct copy_place *at, const uint32_t *files, uint32_t own,
			    uint64_t *first_line);
/* Append *n rows to b, as detail_encode() would.  0, or -1 when memory is out. */
int copy_lines_encode(struct copy_lines *c, struct bytes *b, uint64_t *n);

#endif
