/*
 * demangle.h - names as compilers write them into objects, back in source form.
 *
 * Profiles recorded with --demangle=no have "_ZNSt6vectorIiE9push_backERKi".  GNU
 * libiberty demangles C++ and Rust names, with the options of valgrind's own demangler,
 * so both kinds of profile have the same names.  Names of OCaml, which valgrind leaves as
 * they are, are read in demangle_ocaml.c.
 */
#ifndef QUERN_DEMANGLE_H
#define QUERN_DEMANGLE_H

#include "index/base/str.h"

struct arena;

enum {
	DEMANGLE_IN = 16 << 10,	 /* longest name that is tried */
	DEMANGLE_OUT = 32 << 10, /* longest result: a few bytes can expand to megabytes */
};

/* Whether some piece of the name, separated by "'" ("f'2", "f'caller"), looks mangled. */
bool demangle_wanted(struct str name);
/* Demangle every mangled piece of the name, into the arena.  The name itself if
 * nothing can be read, it takes too long, or the arena is full.  *spent, 0 at first:
 * time spent on slow names; after one second in all, names that may be slow are left
 * as they are.  Uses ITIMER_VIRTUAL during the call and keeps SIGVTALRM. */
struct str demangle(struct str name, uint64_t *spent, struct arena *a);

#endif
