/*
 * spill.h - bytes that are appended piece by piece and read back later.
 *
 * When more than `limit` bytes are buffered they move to an unlinked file in `dir`, and
 * later ones follow in small steps, so memory is bounded for any profile.  Used for first blocks (piece.h) and the costs of
 * parts (part_code.h).
 */
#ifndef QUERN_SPILL_H
#define QUERN_SPILL_H

#include "index/base/bytes.h"
#include "index/base/map.h"

struct spill {
	struct bytes buf; /* the bytes from offset `spilled` on */
	uint64_t spilled; /* bytes in the file */
	int fd;		  /* -1: no file yet */
	struct map map;	  /* of the file, after spill_map() */
	size_t limit;	  /* 0: never spill */
	const char *dir;
	struct bytes scratch; /* of spill_bytes() */
};

/* The offset of the next byte, for spill_bytes(). */
static inline uint64_t spill_at(const struct spill *o)
{
	return o->spilled + o->buf.n;
}

void spill_init(struct spill *o, size_t limit, const char *dir);
void spill_free(struct spill *o);
/* Call between pieces: move the buffer to the file if it is over the limit.  Returns 0
 * or errno. */
int spill_write(struct spill *o);
/* n bytes at offset `at`, all of one piece, valid until the next call; NULL with
 * errno. */
const unsigned char *spill_bytes(struct spill *o, uint64_t at, uint64_t n);
/* Read with the caller's scratch buffer, for several readers at once. */
const unsigned char *spill_read(const struct spill *o, uint64_t at, uint64_t n,
				struct bytes *scratch);

/* Map the file, if possible, and read from the map from now on; readers run in
 * map_guard(). */
void spill_map(struct spill *o);

/* Prefetch the byte at `at`. */
static inline void spill_fetch(const struct spill *o, uint64_t at)
{
	if (at >= o->spilled)
		__builtin_prefetch(o->buf.p + (at - o->spilled));
	else if (at < o->map.n)
		__builtin_prefetch(o->map.p + at);
}

#endif
