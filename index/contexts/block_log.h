/*
 * block_log.h - the blocks of an Xdebug profile, in their order, while it is read.
 *
 * Each block of such a profile is one activation of a function, written when it returns.
 * Its calls name, in order, the blocks before it that no other block has claimed.  So the
 * file is the call tree in post-order:
 *
 *	text	strlen  work(strlen)  strlen  work(strlen)  main(work, work)
 *
 *	tree	main			read backwards it is a pre-order: each block is the
 *		 |-- work -- strlen	last child still wanted by the innermost block
 *		 `-- work -- strlen	that wants one
 *
 * A log covers one stretch of the text (stretch.h).  It keeps the blocks that no call has
 * claimed yet on a stack.  A block whose calls have the names and costs of the blocks on
 * top claims them: then its record says only how many they are.  What the stretch cannot
 * tell goes to `seams`, which claims.h reads when all stretches are known: all calls of
 * the other blocks, and before them the blocks on the stack, which they may claim there.
 *
 *	stretch 1   a b(a) c d		stretch 2   e(d) f(b c e)
 *	seams	    left: b c d		seams	    e wants d; f wants b c e
 *
 * The rule does not depend on where the text is cut.  The last block of a part may have
 * been cut off, so that its calls are not the last ones: it always goes to the seams.
 *
 * A record is read from its end, so its numbers are written backwards: those read first
 * stand last.  `<` marks a number of 7 bits a byte whose lowest byte stands last:
 *
 *	records	... | <zigzag own cost of the last event ... <zigzag of the first,
 *			[<blocks claimed - 3] <function slot * 4 + least(blocks claimed, 3)
 */
#ifndef QUERN_BLOCK_LOG_H
#define QUERN_BLOCK_LOG_H

#include "index/base/spill.h"
#include "index/base/str.h"
#include "index/base/varint.h"

/* Whether a part with this creator: or version: has a block for each activation. */
bool block_log_created(struct str creator);
bool block_log_versioned(struct str version);

/* A call in the block at hand: a name slot, and the cost of the first column. */
struct block_call {
	uint32_t name;
	bool once; /* calls=1 */
	uint64_t cost;
};

/* A block that no call has claimed yet. */
struct block_left {
	uint32_t name, calls;
	uint64_t number, cost; /* inclusive, of the first column */
};

/* Whether a block may be the one of a call.  Xdebug rounds the block's own cost and that of
 * each of its calls, so their sum may be a tick off for each call. */
static inline bool block_fits(const struct block_call *call, const struct block_left *b)
{
	return call->once && call->name == b->name &&
	       call->cost - b->cost + b->calls <= 2 * (uint64_t)b->calls;
}

struct block_log {
	bool on;   /* the part at hand has a block for each activation */
	bool open; /* a block has begun: */
	uint32_t fn, name;
	uint64_t line; /* of its first cost, from the start of the stretch; 0: not set */
	uint64_t *before;  /* the self costs of its function before it */
	size_t before_cap; /* events */
	struct block_call *call;
	size_t ncall, call_cap;

	uint64_t blocks; /* begun in this stretch: their numbers from 0 */
	struct block_left *left;
	size_t nleft, left_cap;
	uint64_t part_at; /* blocks before the first part that begins here; UINT64_MAX */
	bool without;	  /* it has blocks that are no activations */
	/* From these blocks on, records have so many costs. */
	struct block_events {
		uint64_t from;
		size_t events;
	} * events;
	size_t nevents, events_cap;
	struct spill records, seams;
	uint64_t seam_number; /* of the block in the last seam */
	int failed;	      /* errno of a failed write; -1: memory is out */
};

void block_log_init(struct block_log *l);
void block_log_free(struct block_log *l);
uint64_t block_log_held(const struct block_log *l); /* bytes that are never spilled */

/*
 * The block before ends, and one of the function slot fn with the name slot `name`
 * begins.  self: the costs of all functions so far, `events` each; column: the event of
 * the first column.  The last block of a part, or of the stretch, ends.  Both return 0,
 * or -1 if memory is out.
 */
int block_log_next(struct block_log *l, uint32_t fn, uint32_t name, const uint64_t *self,
		   size_t events, size_t column);
int block_log_last(struct block_log *l, const uint64_t *self, size_t events,
		   size_t column);
/* A part begins, or the stretch ends; no block is open. */
int block_log_part(struct block_log *l);
int block_log_finish(struct block_log *l);

/* Add a call to the open block. */
int block_log_more(struct block_log *l);
static inline int block_log_call(struct block_log *l, uint32_t name, uint64_t count,
				 uint64_t cost)
{
	if (__builtin_expect(l->ncall == l->call_cap, 0) && block_log_more(l))
		return -1;
	l->call[l->ncall++] = (struct block_call){name, count == 1, cost};
	return 0;
}

/* ---- reading what was written ---- */

/*
 * A seam, of varints:
 *
 *	SEAM_LEFT	n, then for each of n blocks that are left, from the bottom: +number
 *			name calls zigzag(cost)
 *	SEAM_BLOCK	n, then +number, line, and its n calls: 2 * name + once,
 *			zigzag(cost)
 *	SEAM_LAST	the same of a block that is the last of its part in this stretch
 *	SEAM_PART	0
 *
 * The first number is 4 * n + kind.  +number counts from the seam's number before.
 */
enum seam { SEAM_LEFT, SEAM_BLOCK, SEAM_LAST, SEAM_PART };

/* Read the number that ends at p; its start. */
static inline const unsigned char *block_log_number(const unsigned char *p, uint64_t *v)
{
	uint64_t got = *--p & 0x7f;

	for (unsigned shift = 7; *p >= 0x80 && shift < 64; shift += 7)
		got |= (uint64_t)(*--p & 0x7f) << shift;
	*v = got;
	return p;
}

/* Most bytes of a record. */
static inline size_t block_log_most(size_t events)
{
	return VARINT_MAX * (events + 2);
}

#endif
