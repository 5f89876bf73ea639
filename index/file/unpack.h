/*
 * unpack.h - gzip, bzip2, xz, zstd and lz4 to text, step by step.
 *
 * Each by its own library, checksums included.  (libarchive has all of them behind one door,
 * but its gzip reader does not look at the CRC, so a flipped bit would be a wrong answer;
 * and it cannot be told how much memory a hostile header may ask for.)
 *
 * A file may hold several members, one behind the other, as `cat a.gz b.gz` makes them.
 * What follows the last one must be zeros.
 */
#ifndef QUERN_UNPACK_H
#define QUERN_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/err.h"

struct codec;
struct unpack;

enum { UNPACK_HEAD = 8 }; /* bytes that tell one from another */

/* By the first bytes of a file; NULL: none of them, so it is text or something else. */
const struct codec *unpack_recognise(const char *head, size_t n);
const char *unpack_name(const struct codec *c); /* "gzip" */

/* `mem`: bytes that the library may take.  c NULL: text, handed through as it is. */
int unpack_open(struct unpack **out, const struct codec *c, uint64_t mem,
		struct err *err);
void unpack_close(struct unpack *u);

struct unpack_io { /* both ends move */
	const char *in;
	size_t nin;
	char *out;
	size_t nout;
};
/*
 * Unpack until `in` is used up or `out` is full.  ERR_PROFILE: damaged, with its place in
 * both the file and the text; ERR_LIMIT: it wants more memory than it may have.
 */
int unpack_step(struct unpack *u, struct unpack_io *io, struct err *err);
/* The input ends here: 0, or ERR_PROFILE when that is in the middle. */
int unpack_end(const struct unpack *u, struct err *err);

uint64_t unpack_taken(const struct unpack *u); /* bytes of the file so far */

#endif
