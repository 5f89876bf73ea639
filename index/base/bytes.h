/*
 * bytes.h - bytes that are appended to, by varints most of all.
 */
#ifndef QUERN_BYTES_H
#define QUERN_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "index/base/vec.h"

struct bytes {
	unsigned char *p;
	size_t n, cap;
};

/* Make room for n more bytes, which are not set.  All return 0, or -1 when memory is out. */
static inline int bytes_room(struct bytes *b, size_t n)
{
	return vec_reserve_raw(&b->p, &b->cap, b->n + n, 1);
}
/* Append v as a varint (varint.h). */
int bytes_put(struct bytes *b, uint64_t v);
int bytes_append(struct bytes *b, const unsigned char *p, size_t n);

#endif
