/* part_code.c - the costs of a part as bytes; see part_code.h. */
#include "index/part_code.h"

#include <string.h>

#include "index/base/sized.h"
#include "index/base/varint.h"
#include "index/tally.h"

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

int part_put(struct bytes *b, uint64_t v)
{
	if (bytes_room(b, SIZED_MAX))
		return -1;
	b->n = (size_t)(sized_put(b->p + b->n, v) - b->p);
	return 0;
}

/* So many slots, and the n numbers of each, which are at sum[slot * n]. */
static int put_slots(struct bytes *b, const uint32_t *slot, size_t slots,
		     const uint64_t *sum, size_t n)
{
	const size_t room = (n + 1) * SIZED_MAX;
	int rc = part_put(b, slots);

	for (size_t i = 0; !rc && i < slots; i++) {
		const uint64_t *v = sum + slot[i] * n;
		unsigned char *p;

		if (bytes_room(b, room))
			return -1;
		p = sized_put(b->p + b->n, slot[i]);
		for (size_t k = 0; k < n; k++)
			p = sized_put(p, v[k]);
		b->n = (size_t)(p - b->p);
	}
	return rc;
}

int part_encode(struct tally *t)
{
	struct bytes *b = &t->parts.buf;
	const size_t e = t->nevent;

	return put_slots(b, t->touched_fn, t->ntouched_fn, t->part_self, e) ||
			       put_slots(b, t->touched_edge, t->ntouched_edge,
					 t->edge_part, e + 1)
		       ? -1
		       : 0;
}
