/*
 * dwarf.h - inlined calls from the DWARF debug information of an object, by libdw.
 *
 * This is the part that reads files which anybody may have made: inlines.c runs it in a
 * process of its own, and takes only the bytes that it writes.  Those are varints:
 *
 *	enum dwarf_result; lines that agree with those of the profile, lines that differ
 *	number of frames; each: name, file of the call (a length and bytes), line of the
 *	call, 1 + the frame that it is in (an earlier one; 0: the function itself)
 *	for each address, twice: 0: no function is there; 1: not inlined; 2 + its innermost
 *	frame; plus 1: its line is not that of the profile
 */
#ifndef QUERN_DWARF_H
#define QUERN_DWARF_H

#include "engine/names/roots.h"
#include "index/base/bytes.h"

enum dwarf_result {
	DWARF_FOUND,
	DWARF_NONE,	  /* there is no debug information */
	DWARF_UNREADABLE, /* libdw cannot read it */
	DWARF_MEMORY,
	DWARF_NOT_BUILT, /* quern was built without libdw */
};

/* An address, and the line that the profile has for it: line 0 or an empty file: none. */
struct dwarf_place {
	uint64_t address, line;
	struct str file;
};

/* Find the inlined calls at[0..n), in ascending order, are in, and append them to out.  The
 * debug information may also be in a file below `roots`.  Returns 0, or -1 if memory is
 * out. */
int dwarf_read(const struct roots_file *object, const struct roots *roots,
	       const struct dwarf_place *at, size_t n, struct bytes *out);
bool dwarf_built(void); /* with libdw */

#endif
