/*
 * stacks.h - which callers to record, and how much of the stacks is proven then.
 *
 * A profile of callgrind has no stacks: where functions meet, a tree is an estimate.  With
 * --separate-callers=N it has the last N callers of each function, with
 * --separate-callersN=f those of f.  The first costs more, but what it knows is handed down
 * to callees; where the file would grow too much with N = 2, some functions alone are worth
 * more.
 */
#ifndef QUERN_RECORD_STACKS_H
#define QUERN_RECORD_STACKS_H

#include "index/base/str.h"

struct arena;
struct err;
struct store;

struct stacks_plan {
	unsigned callers; /* of each function; 0: of these alone: */
	struct str *apart;
	size_t n;
};
enum { STACKS_CALLERS = 4 }; /* of functions that are apart */

/* For a file of some `times` the size of the profile st, which has plain names.  Names are
 * in the arena, in order: callgrind's patterns are a tree that misses a name which comes after
 * one that it begins. */
int stacks_plan(struct store *st, double times, struct arena *a, struct stacks_plan *plan,
		struct err *err);
/* The share of the cost of the first event, from 0 to 1, that is certain to be on its stack:
 * the sum of the lower bounds of the ends of all chains of calls. */
int stacks_proven(struct store *st, struct arena *a, double *share, struct err *err);

#endif
