/* bytes.c - see bytes.h. */
#include "index/base/bytes.h"

#include <string.h>

#include "index/base/varint.h"

int bytes_put(struct bytes *b, uint64_t v)
{
	if (bytes_room(b, VARINT_MAX))
		return -1;
	b->n = (size_t)(varint_put(b->p + b->n, v) - b->p);
	return 0;
}

int bytes_append(struct bytes *b, const unsigned char *p, size_t n)
{
	if (bytes_room(b, n))
		return -1;
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	return 0;
}
