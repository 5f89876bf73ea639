/*
 * blocks.h - blocks of an Xdebug profile, and a simple reader of their call tree.
 *
 * The reader says by the rules of claims.h which block called which, with loops over all
 * blocks in place of the index's stacks.
 */
#ifndef QUERN_TESTS_BLOCKS_H
#define QUERN_TESTS_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct out;
struct store;

enum { NAMES = 6, BLOCKS = 400, CALLS = 12, EVENTS = 2 };

struct call {
	unsigned fn, count;
	uint64_t cost;
};

/* An activation, as it is written. */
struct block {
	unsigned fn, ncall, part;
	uint64_t own[EVENTS], cost; /* cost: inclusive, of the first event */
	struct call call[CALLS];
	int parent; /* by the simple reader; -1: a root */
	bool open;
};

struct made {
	struct block block[BLOCKS];
	int n;
};

void blocks_write(const struct made *m, FILE *f);
/* Set the parents; how many calls found no block. */
uint64_t blocks_kept(struct made *m);
/* What the index says: a line with the facts of the tree, then a line for each context:
 * functions from the root down, calls, self and inclusive costs. */
void blocks_say(struct out *o, struct store *st);
/* Whether that is the tree of m, after blocks_kept(). */
bool blocks_are(const struct made *m, uint64_t lost, const struct out *said);

#endif
