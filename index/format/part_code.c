/* part_code.c - the costs of a part as bytes; see part_code.h. */
#include "index/format/part_code.h"

#include <string.h>

#include "index/base/cost.h"
#include "index/base/sized.h"
#include "index/base/varint.h"

enum { ID_MAX = 5 }; /* bytes of an id at most */

static const uint64_t *numbers_of(const struct part_rows *rows, size_t i)
{
	return rows->numbers +
	       (rows->where == PART_BY_ID ? rows->id[i] : i) * rows->width;
}

int part_put_ids(struct bytes *b, const uint32_t *id, size_t n)
{
	uint64_t before = 0;
	unsigned char *p;

	/* varint_put_flat() may write behind the last one. */
	if (bytes_put(b, n) || bytes_room(b, n * ID_MAX + sizeof(uint64_t)))
		return -1;
	p = b->p + b->n;
	for (size_t i = 0; i < n; i++) {
		p = varint_put_flat(p, varint_zigzag(before, id[i]));
		before = id[i];
	}
	b->n = (size_t)(p - b->p);
	return 0;
}

/* They are put where what says their length may be longest, and moved behind it. */
static int put_numbers(struct bytes *b, const struct part_rows *rows)
{
	const size_t at = b->n, room = rows->width * SIZED_MAX;
	size_t bytes;

	if (bytes_room(b, VARINT_MAX + room))
		return -1;
	b->n += VARINT_MAX;
	for (size_t i = 0; i < rows->n; i++) {
		const uint64_t *v = numbers_of(rows, i);
		unsigned char *p;

		if (bytes_room(b, room))
			return -1;
		p = b->p + b->n;
		for (size_t k = 0; k < rows->width; k++)
			p = sized_put(p, v[k]);
		b->n = (size_t)(p - b->p);
	}
	bytes = b->n - at - VARINT_MAX;
	b->n = (size_t)(varint_put(b->p + at, bytes) - b->p);
	memmove(b->p + b->n, b->p + at + VARINT_MAX, bytes);
	b->n += bytes;
	return 0;
}

int part_put_rows(struct bytes *b, const struct part_rows *rows)
{
	return part_put_ids(b, rows->id, rows->n) || put_numbers(b, rows) ? -1 : 0;
}

int part_put_sums(struct bytes *b, const struct part_rows *rows)
{
	if (bytes_room(b, rows->width * SIZED_MAX))
		return -1;
	for (size_t k = 0; k < rows->width; k++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < rows->n; i++)
			cost_add_bits(&sum, numbers_of(rows, i)[k]);
		b->n = (size_t)(sized_put(b->p + b->n, sum) - b->p);
	}
	return 0;
}
