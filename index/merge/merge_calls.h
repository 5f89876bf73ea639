/* merge_calls.h - the self cost of functions without a block, which only calls tell. */
#ifndef QUERN_MERGE_CALLS_H
#define QUERN_MERGE_CALLS_H

#include <stdbool.h>

struct profile;

/* Set p->loose, bare and any_bare, and which of p->calls_only cost what flows into them, which
 * is added to their self cost: after all files are merged, since a further one may have a
 * block.  by_callgrind: all have, and none does.  -1: out of memory. */
int merge_calls_only(struct profile *p, bool by_callgrind);

#endif
