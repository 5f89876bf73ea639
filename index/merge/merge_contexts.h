/* merge_contexts.h - the call trees of all files of a profile, added (contexts.h). */
#ifndef QUERN_MERGE_CONTEXTS_H
#define QUERN_MERGE_CONTEXTS_H

#include <stdatomic.h>

#include "index/merge/profile.h"

/*
 * Set p->contexts and p->tree, after merge().  There is a tree if all blocks of the
 * profile are activations, and if in each file no more than one call in LOST_SHARE blocks
 * finds no block.  most: bytes that may be taken.  Returns 0, or an error kind.
 */
int merge_contexts(struct profile *p, uint64_t most, const atomic_int *cancel,
		   struct err *err);

#endif
