/*
 * merge_addresses.h - the addresses of blocks, where calls tell callees apart by them.
 *
 * pprof names a callee otherwise than its block: "f [2/3]", or "[1/4]" if it has no name.
 * The address that the call goes to is that of a cost line of the block.
 */
#ifndef QUERN_MERGE_ADDRESSES_H
#define QUERN_MERGE_ADDRESSES_H

#include "index/merge/profile.h"

/* A cost line at an address, of a function slot of a tally. */
struct block_at {
	uint64_t at;
	uint32_t tally, slot;
};

struct block_addresses {
	struct block_at *line; /* sorted by address */
	size_t n, cap;
};

/* Collect the cost lines of tallies that have calls with such targets.  Returns 0, or -1 if
 * memory is out or pieces cannot be read.  Free b->line, also after a failure. */
int merge_addresses(const struct profile *p, struct block_addresses *b);

/* The first line that is not below `at`; b->n: all are. */
size_t merge_first_at(const struct block_addresses *b, uint64_t at);

#endif
