/*
 * inline_code.h - the inlined calls of an object as bytes.
 *
 * The child that reads an object (dwarf.h) sends them, and the file beside the index keeps
 * them (inlines_file.h).  All numbers are varints:
 *
 *	lines that agree with those of the profile, lines that differ
 *	number of texts; each: a length and bytes
 *	number of frames; each: name and file of the call (texts), line of the call,
 *		1 + the frame that it is in (an earlier one; 0: the function itself)
 *	number of addresses; each: its difference to the one before; then, as a zigzag
 *		difference to the one before, twice its `found`, plus 1: another line
 */
#ifndef QUERN_INLINE_CODE_H
#define QUERN_INLINE_CODE_H

#include "index/base/arena.h"
#include "index/base/bytes.h"
#include "index/base/strset.h"
#include "index/base/varint.h"

enum { FOUND_NONE, FOUND_FUNCTION, FOUND_FRAME };

struct inline_link {
	uint32_t name, file;
	uint32_t outer; /* 1 + index; 0: the function */
	uint64_t line;
};

struct inline_place {
	uint64_t address;
	uint32_t found; /* FOUND_NONE, FOUND_FUNCTION, FOUND_FRAME + innermost frame */
	bool other;	/* its line is not that of the profile */
};

struct inline_code {
	uint64_t agree, differ;
	struct str *text;
	struct inline_link *frame;
	struct inline_place *at; /* in ascending order, each address once */
	size_t texts, frames, n;
};

/* Append c; frames that lead to no address are left out.  Returns 0, or -1 if memory is
 * out. */
int inline_code_put(const struct inline_code *c, struct bytes *out);
/* Read c; the arrays are in the arena, the texts views of what is read.  Sets in->bad if
 * the bytes are not sound.  Returns 0, or -1 if memory is out. */
int inline_code_get(struct inline_code *c, struct varint_reader *in, struct arena *a);

/* A length and bytes. */
int inline_text_put(struct bytes *out, struct str s);
struct str inline_text_get(struct varint_reader *in);

#endif
