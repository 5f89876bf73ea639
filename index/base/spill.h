/*
 * spill.h - bytes that are appended piece by piece and read back later.
 *
 * When they pass `limit` those so far go to an unlinked file in `dir`, so memory is bounded
 * however large the profile is: first blocks (once.h) and the costs of parts (part_code.h).
 */
#ifndef QUERN_SPILL_H
#define QUERN_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include "index/base/bytes.h"
#include "index/base/map.h"

struct spill {
	struct bytes buf; /* from byte `spilled` on */
	uint64_t spilled; /* bytes in the file */
	int fd;		  /* of the file; -1: none yet */
	struct map map;	  /* of its beginning, once all is there */
	size_t limit;	  /* 0: never spill */
	const char *dir;
	struct bytes scratch; /* a piece read back */
};

/* Where the next byte goes; what spill_bytes() takes. */
static inline uint64_t spill_at(const struct spill *o)
{
	return o->spilled + o->buf.n;
}

void spill_init(struct spill *o, size_t limit, const char *dir);
void spill_free(struct spill *o);
/* Between pieces: write them away when there are too many.  0 or errno. */
int spill_write(struct spill *o);
/* n bytes from `at`, a piece or some of it, valid until the next call; NULL: errno says why. */
const unsigned char *spill_bytes(struct spill *o, uint64_t at, uint64_t n);
/* The same with a scratch of the caller's: for several readers at once. */
const unsigned char *spill_read(const struct spill *o, uint64_t at, uint64_t n,
				struct bytes *scratch);

/* What is in the file is read from a map of it from here on, if there can be one: readers are in
 * map_guard(). */
void spill_map(struct spill *o);

/* The byte at `at` is read soon. */
static inline void spill_fetch(const struct spill *o, uint64_t at)
{
	if (at >= o->spilled)
		__builtin_prefetch(o->buf.p + (at - o->spilled));
	else if (at < o->map.n)
		__builtin_prefetch(o->map.p + at);
}

#endif
