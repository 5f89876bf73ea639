/*
 * bytes.h - bytes that are appended to, by varints most of all.
 */
#ifndef QUERN_BYTES_H
#define QUERN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/vec.h"

struct bytes {
	unsigned char *p;
	size_t n, cap;
};

/* bytes_room() where there is not enough. */
int bytes_grow(struct bytes *b, size_t n);
/* Make room for n more bytes, which are not set.  All return 0, or -1 when memory is out. */
static inline int bytes_room(struct bytes *b, size_t n)
{
	return __builtin_expect(b->n + n <= b->cap, 1) ? 0 : bytes_grow(b, n);
}
/* None of this thread's may grow beyond `most` from here on, as if memory were out then; 0: as large
 * as memory is.  True: one would have since the last time. */
bool bytes_limit(size_t most);
/* Append v as a varint (varint.h). */
int bytes_put(struct bytes *b, uint64_t v);
int bytes_append(struct bytes *b, const unsigned char *p, size_t n);

#endif
