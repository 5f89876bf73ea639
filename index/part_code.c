/* part_code.c - the costs of a part as bytes; see part_code.h. */
#include "index/part_code.h"

#include <string.h>

#include "index/base/sized.h"
#include "index/base/varint.h"
#include "index/tally.h"

enum { ID_MAX = 5 }; /* bytes of an id at most */

static _Thread_local size_t limit; /* 0: none */
static _Thread_local bool refused;

int bytes_grow(struct bytes *b, size_t n)
{
	if (limit && b->n + n > limit) {
		refused = true;
		return -1;
	}
	if (vec_grow_raw(&b->p, &b->cap, b->n + n, 1))
		return -1;
	/* Room ahead would not be asked for. */
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
			if (__builtin_add_overflow(sum, numbers_of(rows, i)[k], &sum)) {
				sum = UINT64_MAX;
				break;
			}
		b->n = (size_t)(sized_put(b->p + b->n, sum) - b->p);
	}
	return 0;
}

int part_encode(struct tally *t)
{
	const struct part_rows fns = {t->touched_fn, t->ntouched_fn, t->nevent,
				      t->part_self, PART_BY_ID};
	const struct part_rows edges = {t->touched_edge, t->ntouched_edge, t->nevent + 1,
					t->edge_part, PART_BY_ID};
	struct bytes *b = &t->parts.buf;

	return part_put_rows(b, &fns) || part_put_rows(b, &edges) ||
			       part_put_sums(b, &fns)
		       ? -1
		       : 0;
}
