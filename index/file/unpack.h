/*
 * unpack.h - gzip, bzip2, xz and zstd to text, step by step.
 *
 * Each format uses its own library and checks its checksums.  (libarchive reads them all,
 * but its gzip reader ignores the CRC, so a flipped bit would be a wrong answer; and it
 * cannot be asked how much memory a hostile header wants.)
 *
 * A file may hold several members, one after the other, as `cat a.gz b.gz` makes them.
 * Only zeros may follow the last one.
 */
#ifndef QUERN_UNPACK_H
#define QUERN_UNPACK_H

#include "index/base/str.h"

struct codec;
struct err;
struct unpack;

enum { UNPACK_HEAD = 8 }; /* bytes needed to recognise a format */

/* Recognise a format by the first bytes of a file; NULL: text or something else. */
const struct codec *unpack_recognise(const char *head, size_t n);
const char *unpack_name(const struct codec *c); /* "gzip" */

/* mem: most bytes that the library may take.  c NULL: plain text, passed through. */
int unpack_open(struct unpack **out, const struct codec *c, uint64_t mem,
		struct err *err);
void unpack_close(struct unpack *u);

struct unpack_io { /* a step moves both ends */
	const char *in;
	size_t nin;
	char *out;
	size_t nout;
};
/*
 * Unpack until `in` is used up or `out` is full.  ERR_PROFILE: damaged, with the offsets
 * in file and text; ERR_LIMIT: it needs more memory than `mem`.
 */
int unpack_step(struct unpack *u, struct unpack_io *io, struct err *err);
/* The input ends here.  Returns 0, or ERR_PROFILE if it ends inside a member. */
int unpack_end(const struct unpack *u, struct err *err);

/* x of "x.gz", the name of a packed file; another name as it is. */
struct str unpack_plain_name(struct str name);

uint64_t unpack_taken(const struct unpack *u); /* bytes of the file taken so far */

#endif
