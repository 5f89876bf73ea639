/*
 * demangle.h - names as compilers write them into objects, in the words of the source.
 *
 * Profiles recorded with --demangle=no have "_ZNSt6vectorIiE9push_backERKi".  GNU libiberty
 * takes C++ and Rust names apart, with the options of valgrind's own demangler, so that
 * both kinds of profile have the same names.
 */
#ifndef QUERN_DEMANGLE_H
#define QUERN_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "index/base/str.h"

enum {
	DEMANGLE_IN = 16 << 10, /* bytes of a name that is tried */
	DEMANGLE_OUT =
		32 << 10, /* of what it may become: a few bytes can say megabytes */
};

/* Some piece of the name, which "'" separates ("f'2", "f'caller"), looks mangled. */
bool demangle_wanted(struct str name);
/* The name with every mangled piece demangled: in the arena, or as it is where nothing can
 * be read, it takes too long or the arena is full.  *spent, 0 at first, is the time of names
 * that were slow: a second in all, then those that may be are left as they are.  Uses
 * ITIMER_VIRTUAL meanwhile, and SIGVTALRM for good. */
struct str demangle(struct str name, uint64_t *spent, struct arena *a);

#endif
