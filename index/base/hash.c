/* hash.c - open addressing with linear probing, at most 2/3 full; see hash.h. */
#include "index/base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/arena.h"
#include "index/base/vec.h"

enum { LEAST_CELLS = 64 };

static void put_slot(struct hash *t, uint32_t h, uint32_t index)
{
	uint32_t i = h & t->mask;

	while (t->cell[i].index != HASH_NONE)
		i = (i + 1) & t->mask;
	t->cell[i] = (struct hash_cell){h, index};
}

/* Rehash into `cells` cells, a power of two. */
static int grow(struct hash *t, size_t cells)
{
	struct hash old = *t;

	if (cells > (size_t)1 << 31)
		return -1;
	t->cell = t->arena ? arena_alloc(t->arena, cells * sizeof(*t->cell))
			   : vec_block(cells * sizeof(*t->cell));
	if (!t->cell) {
		*t = old;
		return -1;
	}
	memset(t->cell, 0xff, cells * sizeof(*t->cell));
	t->mask = (uint32_t)(cells - 1);
	for (size_t i = 0; old.cell && i <= old.mask; i++)
		if (old.cell[i].index != HASH_NONE)
			put_slot(t, old.cell[i].hash, old.cell[i].index);
	if (!t->arena)
		free(old.cell);
	return 0;
}

int hash_expect(struct hash *t, size_t n)
{
	size_t cells = t->cell ? (size_t)t->mask + 1 : LEAST_CELLS;

	while (cells * 2 < n * 3)
		cells *= 2;
	return t->cell && cells == (size_t)t->mask + 1 ? 0 : grow(t, cells);
}

int hash_add(struct hash *t, uint32_t h, uint32_t index)
{
	if (!t->cell && grow(t, LEAST_CELLS))
		return -1;
	if ((uint64_t)t->n * 3 >= ((uint64_t)t->mask + 1) * 2 &&
	    grow(t, ((size_t)t->mask + 1) * 2))
		return -1;
	put_slot(t, h, index);
	t->n++;
	return 0;
}

void hash_clear(struct hash *t)
{
	if (t->cell)
		memset(t->cell, 0xff, ((size_t)t->mask + 1) * sizeof(*t->cell));
	t->n = 0;
}

void hash_free(struct hash *t)
{
	if (!t->arena)
		free(t->cell);
	*t = (struct hash){0};
}
