/* bytes.h - a growing buffer of bytes, mostly varints. */
#ifndef QUERN_BYTES_H
#define QUERN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	unsigned char *p;
	size_t n, cap;
};

/* The slow path of bytes_room(). */
int bytes_grow(struct bytes *b, size_t n);
/* Make room for n more bytes and leave them unset.  This and the functions below
 * return 0, or -1 if memory is out. */
static inline int bytes_room(struct bytes *b, size_t n)
{
	return __builtin_expect(b->n + n <= b->cap, 1) ? 0 : bytes_grow(b, n);
}
/* From now on, fail if a buffer of this thread would grow beyond `most` bytes; 0: no
 * limit.  Returns whether that happened since the last call. */
bool bytes_limit(size_t most);
/* Append v as a varint (varint.h). */
int bytes_put(struct bytes *b, uint64_t v);
int bytes_append(struct bytes *b, const unsigned char *p, size_t n);

#endif
