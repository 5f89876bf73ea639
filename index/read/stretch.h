/*
 * stretch.h - read a profile's text in stretches, several at once.
 *
 * The text is cut at lines where nothing before matters but what the merge can supply: an
 * "fn=" line whose next line has absolute positions.  Each stretch is scanned, decoded and
 * tallied by itself; what a stretch had to assume of the text before it (columns,
 * positions) is compared afterwards with how that text ended, and where it was wrong the
 * whole text is read again as one stretch.  So the tallies say the same for any number of
 * threads and stretches.  A thread that has nothing to read gets half of what another one still
 * has, so where the cuts are, and how many, is not the same each time.
 */
#ifndef QUERN_STRETCH_H
#define QUERN_STRETCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/err.h"
#include "index/tally/tally.h"

struct feed;
struct stretch;

struct stretches {
	struct stretch *first; /* in file order, */
	struct tally **tally;  /* as these, one of each */
	size_t n;
	uint64_t *piece; /* content hashes, HASH_PIECE bytes each */
	size_t npiece;
};

struct stretch_opts {
	unsigned jobs; /* threads; 0: one per processor */
	/* The text's file, to be read piece by piece: that costs half of what mapping its pages and
	 * letting go of them does, and a piece stays in a core's cache.  0: there is none. */
	int fd;
	size_t piece;	/* bytes read at once; 0: 256 KiB (tests: other) */
	size_t stretch; /* bytes of a stretch; 0: the text shared out evenly */
	size_t give; /* bytes worth giving to a thread that waits; 0: 1 MiB, or none where
			stretches have a size or mem is less than 256 MiB */
	bool hash;   /* fill in stretches.piece */
	bool of_set; /* one of several files: the costs of its parts are kept */
	unsigned share; /* files that share mem; 0: one */
	uint64_t mem;	/* bytes to work in; 0: 256 MiB, more for more than four
				   threads.  A quarter of it is for entries, some for first
				   blocks (once.h), then they are spilled to spill_dir */
	/* Bytes that all readings with this counter may hold of what is never spilled: names,
	 * functions, edges, parts; more: ERR_LIMIT.  NULL: any number. */
	_Atomic uint64_t *held;
	uint64_t held_most;
	const char *spill_dir;	  /* NULL: never spill */
	const atomic_int *cancel; /* may be NULL */
	/* Called now and then from the calling thread with the bytes read; may be NULL. */
	void (*progress)(void *arg, uint64_t done);
	void *arg;
};

/* Read text[0..n), a map; nothing of it is needed afterwards. */
int stretches_read(struct stretches *s, const char *text, size_t n,
		   const struct stretch_opts *opts, struct err *err);
/* Read the text of a feed, in one stretch and beside the thread that makes it.
 * opts->progress is told of bytes of the file, stretches.piece stays empty. */
int stretches_feed(struct stretches *s, struct feed *feed,
		   const struct stretch_opts *opts, struct err *err);
void stretches_free(struct stretches *s);

#endif
