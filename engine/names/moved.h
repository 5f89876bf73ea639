/*
 * moved.h - source trees that stand elsewhere in another profile (--strip-prefix A=B).
 *
 * `vs` matches functions by their file, too.  Where a tree was moved between the two runs,
 * files below A are taken for files below B; the longest A that fits decides.  Only what is
 * compared is changed, never what is shown.
 */
#ifndef QUERN_MOVED_H
#define QUERN_MOVED_H

#include <stddef.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/str.h"

struct moved {
	struct move {
		char *text;	     /* "A=B" as given */
		struct str from, to; /* of it, without a '/' at their ends */
	} * at;
	size_t n, cap;
};

/* ERR_USAGE when rule is not A=B. */
int moved_add(struct moved *m, struct str rule, struct err *err);
void moved_clear(struct moved *m);
/* The file as it is compared: itself, or a copy in the arena (p is NULL when it is full).  m may be
 * NULL: none moved. */
struct str moved_file(const struct moved *m, struct str file, struct arena *a);
/* The shortest A and B that make one file the other, if only their directories differ. */
int moved_guess(struct str now, struct str base, struct str *from, struct str *to);

#endif
