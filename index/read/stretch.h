/*
 * stretch.h - read a profile's text in stretches, several at once.
 *
 * The text is cut where only state that the merge can supply crosses the cut: before an
 * "fn=" line whose next line has absolute positions.  Each stretch is scanned, decoded
 * and tallied by itself.  It assumes the columns and positions of the header.  Afterwards
 * that is compared with how the text before it ended; if an assumption was wrong, the
 * whole text is read again as one stretch.  So the tallies give the same result for any
 * number of threads and stretches.  A thread with nothing to read gets half of another
 * thread's rest, so the cuts differ from run to run.
 */
#ifndef QUERN_STRETCH_H
#define QUERN_STRETCH_H

#include <stdatomic.h>

#include "index/tally/tally.h"

struct feed;
struct stretch;

enum { STRETCH_MEM = 256 << 20 }; /* bytes to work in, by default */

/* --mem asks for less memory than the default. */
static inline bool stretch_cramped(uint64_t mem)
{
	return mem && mem < STRETCH_MEM;
}

struct stretches {
	struct stretch *first; /* in file order */
	struct tally **tally;  /* their tallies, in the same order */
	size_t n;
	uint64_t *chunk_hash; /* content hashes of HASH_CHUNK bytes each */
	size_t nchunk;
};

struct stretch_opts {
	unsigned jobs; /* threads; 0: one per core */
	/* The text's file, to read it piece by piece.  That takes half the time of
	 * mapping and unmapping its pages, and a piece stays in the core's cache.  0:
	 * no file. */
	int fd;
	size_t at_once; /* bytes read at once; 0: 256 KiB (tests) */
	size_t stretch; /* bytes of a stretch; 0: the text is shared out evenly */
	/* Bytes worth giving to a waiting thread; 0: 1 MiB, but nothing is given if
	 * `stretch` is set or mem is less than 256 MiB. */
	size_t give;
	bool hash;	/* compute stretches.chunk_hash */
	bool of_set;	/* a file of a set: keep the costs of its parts */
	unsigned share; /* number of files that share mem; 0: one */
	/* Bytes to work in; 0: 256 MiB, more for more than four threads.  A quarter is
	 * for entries, some for first blocks (piece.h), which are then spilled to
	 * spill_dir. */
	uint64_t mem;
	/* Bytes of data that is never spilled (names, functions, edges, parts),
	 * counted over all files; above held_most: ERR_LIMIT.  NULL: no limit. */
	_Atomic uint64_t *held;
	uint64_t held_most;
	const char *spill_dir;	  /* NULL: never spill */
	const atomic_int *cancel; /* may be NULL */
	/* Called now and then from the calling thread with the number of bytes read;
	 * may be NULL. */
	void (*progress)(void *arg, uint64_t done);
	void *arg;
};

/* Read text[0..n), a map, which is not needed afterwards. */
int stretches_read(struct stretches *s, const char *text, size_t n,
		   const struct stretch_opts *opts, struct err *err);
/* Read the text of a feed as one stretch, while its thread makes more.  opts->progress
 * gets bytes of the file; stretches.chunk_hash stays empty. */
int stretches_feed(struct stretches *s, struct feed *feed,
		   const struct stretch_opts *opts, struct err *err);
void stretches_free(struct stretches *s);

#endif
