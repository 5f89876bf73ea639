/*
 * moved.h - source trees at another path in another profile (--strip-prefix A=B).
 *
 * `vs` matches functions by their file, too.  If a tree was moved between the two runs, a
 * file below A is taken for the same file below B; the longest A that fits decides.  This
 * changes comparisons only, not what is shown.
 */
#ifndef QUERN_MOVED_H
#define QUERN_MOVED_H

#include "index/base/str.h"

struct arena;
struct err;

struct moved {
	struct move {
		char *text;	     /* "A=B" as given */
		struct str from, to; /* parts of text, without a '/' at their ends */
	} * at;
	size_t n, cap;
};

/* ERR_USAGE if rule is not A=B. */
int moved_add(struct moved *m, struct str rule, struct err *err);
void moved_clear(struct moved *m);
/* The file for comparison: itself, or a copy in the arena (p NULL: the arena is full).
 * m may be NULL. */
struct str moved_file(const struct moved *m, struct str file, struct arena *a);
/* An object for comparison: B if it is A, or has its base name (--map-object A=B). */
struct str moved_object(const struct moved *m, struct str obj);

#endif
