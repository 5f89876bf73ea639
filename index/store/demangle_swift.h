/* demangle_swift.h - symbols of Swift, shortened: no demangler for them is in Debian. */
#ifndef QUERN_DEMANGLE_SWIFT_H
#define QUERN_DEMANGLE_SWIFT_H

#include "index/base/str.h"

/* Does the name begin as such a symbol: $s4main, _$s4main, _T04main? */
bool swift_wanted(struct str name);
/* main.Box.push of $s4main3BoxV4pushyySiF, through put(), in pieces: without types, so
 * that overloads look alike.  False, and nothing is put, if it is not such a symbol. */
bool swift_demangle(struct str name, void (*put)(const char *p, size_t n, void *arg),
		    void *arg);

#endif
