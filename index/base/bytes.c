/* bytes.c - see bytes.h. */
#include "index/base/bytes.h"

#include <string.h>

#include "index/base/varint.h"
#include "index/base/vec.h"

static _Thread_local size_t limit; /* bytes; 0: no limit */
static _Thread_local bool refused;

int bytes_grow(struct bytes *b, size_t n)
{
	if (limit && b->n + n > limit) {
		refused = true;
		return -1;
	}
	if (vec_grow_raw(&b->p, &b->cap, b->n + n, 1))
		return -1;
	/* vec_grow_raw() may give more than the limit allows. */
	if (limit && b->cap > limit)
		b->cap = limit;
	return 0;
}

bool bytes_limit(size_t most)
{
	const bool was = refused;

	limit = most;
	refused = false;
	return was;
}

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
