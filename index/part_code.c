/* part_code.c - the costs of a part as bytes; see part_code.h. */
#include "index/part_code.h"

#include <string.h>

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

/* A slot and its n numbers. */
static int put_slot(struct bytes *b, uint32_t slot, const uint64_t *v, size_t n)
{
	const size_t room = (n + 1) * VARINT_MAX;
	unsigned char *p;

	if (bytes_room(b, room))
		return -1;
	p = varint_put_flat(b->p + b->n, slot);
	for (size_t i = 0; i < n; i++)
		p = varint_put_flat(p, v[i]);
	b->n = (size_t)(p - b->p);
	return 0;
}

int part_encode(struct tally *t)
{
	struct bytes *b = &t->parts.buf;
	size_t e = t->nevent;
	int rc = bytes_put(b, t->ntouched_fn);

	for (size_t i = 0; !rc && i < t->ntouched_fn; i++)
		rc = put_slot(b, t->touched_fn[i], t->part_self + t->touched_fn[i] * e,
			      e);
	if (!rc)
		rc = bytes_put(b, t->ntouched_edge);
	for (size_t i = 0; !rc && i < t->ntouched_edge; i++)
		rc = put_slot(b, t->touched_edge[i],
			      t->edge_part + t->touched_edge[i] * (e + 1), e + 1);
	return rc;
}
