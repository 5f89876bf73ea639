/*
 * claims.h - which calls claim the blocks that no stretch could tell (block_log.h).
 *
 * The seams of a file are read forwards.  The blocks that no call has claimed yet are a
 * stack; the calls of a block in a seam claim some of them:
 *
 *	usual		the top ones, if all have the names and costs of the calls
 *	fibers		they take turns, so what another one left is in between: blocks of
 *			the names and costs of the calls, in their order, those first that
 *			one block alone fits; what is skipped stays for others
 *	other costs	the top ones by their names, if some cost fits no block
 *	a cut block	the last one of a part, of which only the first calls were written:
 *			they claim the first blocks in a row of their names and costs, but for
 *			one cost in eight
 *
 * A call whose block is one of several that fit as well is counted, and one that finds no
 * block, with the line of the first.  Blocks that nobody claims are roots: {main}, fibers,
 * destructors, or all that a killed run had left open.
 */
#ifndef QUERN_CLAIMS_H
#define QUERN_CLAIMS_H

#include <stdatomic.h>

#include "index/base/sort.h"
#include "index/contexts/block_log.h"

/* A stretch of a file; the maps are from its slots to the profile's ids. */
struct context_stretch {
	struct block_log *log;
	const uint32_t *name, *fn, *event;
	uint64_t lines; /* of its file, before it */
};

/* A block with calls of the seams. */
struct claimer {
	uint64_t number;  /* of the block, in its file */
	uint32_t context; /* set by contexts.c */
	uint32_t first;	  /* number of its first call, of all calls of claimers */
};

struct claims {
	struct claimer *by; /* ascending */
	size_t nby, by_cap;
	struct sort_pair
		*of; /* key: number of a claimed block; value: a call; ascending */
	size_t n, cap;
	uint32_t *caller; /* of each call, one that found no block, too: its claimer */
	size_t ncalls, caller_cap;
	uint64_t blocks; /* of the file */
	uint64_t unsure; /* calls that several blocks fit: one of them was chosen */
	uint64_t lost;	 /* calls that found no block; of the first: */
	uint64_t line;	 /* of the first cost of its block */
	bool many;	 /* it says calls=N, with N not 1 */
};

/* Resolve the seams of one file.  most: bytes that may be taken.  ERR_LIMIT; ERR_CANCEL; call claims_free() also after a failure. */
int claims_resolve(struct claims *c, const struct context_stretch *s, size_t n,
		   uint64_t most, const atomic_int *cancel, struct err *err);
void claims_free(struct claims *c);

/* The claimer of the i-th claimed block. */
static inline uint32_t claims_by(const struct claims *c, size_t i)
{
	return c->caller[c->of[i].value];
}

#endif
