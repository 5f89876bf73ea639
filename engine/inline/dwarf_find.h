/*
 * dwarf_find.h - the files with the debug information of an object.
 *
 *	the object itself
 *	/usr/lib/debug/.build-id/xx/yyyy.debug	with the build-id of the object
 *	DIR/LINK, DIR/.debug/LINK, /usr/lib/debug/DIR/LINK	by .gnu_debuglink
 *
 * and, from there, the file that .gnu_debugaltlink names (dwz).  Each must be a regular file
 * below the roots, and belong to the object by its build-id or checksum.
 */
#ifndef QUERN_DWARF_FIND_H
#define QUERN_DWARF_FIND_H

#ifdef HAVE_LIBDW

#include <elfutils/libdw.h>

#include "index/base/arena.h"

struct roots;
struct roots_file;

enum { DWARF_TRIED = 8 };

struct dwarf_files {
	Elf *elf;	/* the object; NULL: it is none */
	Elf *debug_elf; /* with debug information; maybe the object; NULL: none */
	Elf *alt_elf;
	Dwarf *debug, *alt;	       /* NULL: none, or they cannot be read */
	bool apart;		       /* a file with a part of it is not there */
	struct str tried[DWARF_TRIED]; /* paths of separate files that do not fit */
	size_t ntried;
	struct str path, dir; /* of debug_elf; dir with the slash */
	uint64_t bytes;	      /* of all files */
	struct arena arena;
};

/* Find elf and debug_elf, and then the rest.  The files stay open until dwarf_find_end(). */
void dwarf_find(struct dwarf_files *f, const struct roots_file *object,
		const struct roots *roots);
void dwarf_find_open(struct dwarf_files *f, const struct roots *roots);
void dwarf_find_end(struct dwarf_files *f);
/* Empty: it has none. */
struct str dwarf_build_id(Elf *elf);

/* Whether libdw may open the file with the rest of a unit (DW_AT_dwo_name): it would look
 * for it below the directory of the debug information and below `comp_dir`. */
bool dwarf_find_split(struct dwarf_files *f, const struct roots *roots, struct str name,
		      struct str comp_dir);

#endif
#endif
