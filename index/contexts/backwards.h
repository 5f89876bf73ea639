/*
 * backwards.h - the blocks of a file that block_log.h kept, from the last to the first.
 *
 * That is a pre-order of the call tree: a block is claimed by the innermost one before it
 * that still wants some, or by a call of the seams (claims.h), or it is a root.
 */
#ifndef QUERN_BACKWARDS_H
#define QUERN_BACKWARDS_H

#include "index/contexts/claims.h"

struct block_back {
	uint64_t number;     /* in the file */
	uint32_t fn;	     /* the profile's */
	uint64_t wants;	     /* blocks that it claims, without those of the seams */
	const int64_t *self; /* of each event of the profile */
};

/* 0, or an error kind with *err set, which ends the reading. */
typedef int block_back_take(void *arg, const struct block_back *block);

/* Read the blocks of stretches s[0..n); blocks: how many they are, events: of the profile. */
int backwards_read(const struct context_stretch *s, size_t n, uint64_t blocks,
		   size_t events, block_back_take *take, void *arg,
		   const atomic_int *cancel, struct err *err);

#endif
