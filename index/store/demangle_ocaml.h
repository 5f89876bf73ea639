/* demangle_ocaml.h - symbols of OCaml's native compiler. */
#ifndef QUERN_DEMANGLE_OCAML_H
#define QUERN_DEMANGLE_OCAML_H

#include "index/base/str.h"

/* Does the name begin as such a symbol: camlStdlib? */
bool ocaml_wanted(struct str name);
/* Stdlib.List.map of camlStdlib__List.map_506, through put(), in a few pieces.  False, and
 * nothing is put, if it is not such a symbol. */
bool ocaml_demangle(struct str name, void (*put)(const char *p, size_t n, void *arg),
		    void *arg);

#endif
