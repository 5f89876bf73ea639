/*
 * dwarf.h - inlined calls from the DWARF debug information of an object, by libdw.
 *
 * This is the part that reads files which anybody may have made: inlines_child.c runs it in
 * a process of its own, and takes only the bytes that it writes: enum dwarf_result as a
 * varint, the build-id (a length and bytes), and after DWARF_FOUND an inline_code.h.  After
 * DWARF_NONE, too: its texts are where separate debug information would be looked for.
 */
#ifndef QUERN_DWARF_H
#define QUERN_DWARF_H

#include "index/base/bytes.h"
#include "index/base/str.h"

struct roots;
struct roots_file;

enum dwarf_result {
	DWARF_FOUND,
	DWARF_NONE,	  /* there is no debug information */
	DWARF_APART,	  /* a part of it is in a file that is not found */
	DWARF_UNREADABLE, /* libdw cannot read it */
	DWARF_MEMORY,
	DWARF_NOT_BUILT, /* quern was built without libdw */
};

/* An address, and the line that the profile has for it: line 0 or an empty file: none. */
struct dwarf_place {
	uint64_t address, line;
	struct str file;
};

struct dwarf_ask {
	const struct roots_file *object;
	const struct roots *roots;    /* where separate debug information may be */
	const struct dwarf_place *at; /* [n], in ascending order, each address once */
	size_t n; /* 0: only the build-id, and whether there is debug information */
	bool demangle;
	size_t most; /* bytes of the answer */
	/* Called when all files are open, before they are read, with their bytes; to set
	 * limits. */
	void (*opened)(uint64_t bytes);
};

/* Find the inlined calls that addresses are in, and append the answer to out.  From the
 * first line of debug information on, no file is opened that is not below the roots.
 * Returns 0, or -1 if memory is out. */
int dwarf_read(const struct dwarf_ask *ask, struct bytes *out);
bool dwarf_built(void); /* with libdw */

#endif
