/* hint.h - a query that a hint shows is one that runs. */
#ifndef QUERN_HINT_H
#define QUERN_HINT_H

#include "index/base/str.h"

struct arena;
struct err;
struct session;

/* Resolve the names in the query of err->hint, if it has one: a name with a slip in it is
 * mended, and an example (malloc) that this profile lacks becomes a function that it has.  A
 * query that cannot run leaves its form.  typed: what the user wrote. */
void hint_resolve(struct session *s, struct str typed, struct arena *a, struct err *err);

#endif
