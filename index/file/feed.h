/*
 * feed.h - text that is unpacked or read from a pipe.
 *
 * One thread reads and unpacks into a ring of blocks while the caller works on the block
 * before, so memory is bounded and no text is kept:
 *
 *	fd -> [chunk of the file] -> unpack -> [block][block][block] -> feed_next()
 *
 * A block ends anywhere; what the caller did not use of it is put before the next.
 */
#ifndef QUERN_FEED_H
#define QUERN_FEED_H

#include <stdatomic.h>

#include "index/base/str.h"

struct err;
struct feed;

struct feed_opts {
	const char *name; /* the file's name in messages */
	uint64_t mem;	  /* bytes for all buffers and the library; 0: the default */
	size_t block;	  /* bytes of a block; 0: computed from mem (tests) */
	const atomic_int *cancel; /* may be NULL */
};

/* Read fd from its current offset.  Its first bytes tell whether it is packed. */
int feed_open(struct feed **out, int fd, const struct feed_opts *opts, struct err *err);
void feed_close(struct feed *f); /* does not close fd */

struct feed_block {
	const char *p; /* FEED_BEFORE bytes before p are readable */
	size_t n;
	bool last; /* the text ends at p + n */
};
enum {
	FEED_BEFORE = 64,
	FEED_HEAD = 4096, /* bytes kept from the beginning of the text */
};

/*
 * Get the next block.  It begins with the last `keep` bytes of the one before, which is
 * gone.  ERR_PROFILE: damaged or cut off; ERR_LIMIT: too large, or a line without end;
 * ERR_CANCEL.
 */
int feed_next(struct feed *f, size_t keep, struct feed_block *b, struct err *err);

uint64_t feed_taken(const struct feed *f);  /* bytes of the file so far; any time */
struct str feed_head(const struct feed *f); /* the first bytes of the text */
char feed_end(const struct feed *f);	    /* its last byte so far; 0: no text yet */
/* Call at the end: the hash of the file's own bytes (source.h). */
uint64_t feed_hash(const struct feed *f);

#endif
