/* hint.h - a query that a hint shows is one that runs. */
#ifndef QUERN_HINT_H
#define QUERN_HINT_H

#include "index/base/str.h"

struct arena;
struct err;
struct session;

/* HINT_EMPTY: it has no rows where some are wanted, holds no more than what it expects, or names
 * what is nowhere.  HINT_LACKS: this profile has not what it is about.  HINT_LONG: more than a
 * sixtieth of what an answer may take. */
enum hint_run { HINT_EMPTY, HINT_ANSWERS, HINT_LONG, HINT_LACKS };
/* Run the query of a hint without showing its answer. */
enum hint_run hint_run(struct session *s, struct str query, struct arena *a);
/* Resolve the names in the query of err->hint, if it has one: a name with a slip in it is
 * mended, and an example (malloc) that this profile lacks becomes a function that it has.  A
 * query that cannot run, or has no rows, leaves its form.  typed: what the user wrote. */
void hint_resolve(struct session *s, struct str typed, struct arena *a, struct err *err);

#endif
