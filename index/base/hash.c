/* hash.c - open addressing with linear probing, at most 2/3 full; see hash.h. */
#include "index/base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/arena.h"
#include "index/base/vec.h"

enum { LEAST_CELLS = 64 };

/* Rehash into `cells` cells, a power of two. */
static int rehash(struct hash *t, size_t cells)
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
	if (!t->arena)
		memset(t->cell, 0, cells * sizeof(*t->cell));
	t->mask = (uint32_t)(cells - 1);
	for (size_t i = 0; old.cell && i <= old.mask; i++)
		if (old.cell[i].number)
			hash_put(t, old.cell[i].hash, old.cell[i].number);
	if (!t->arena)
		free(old.cell);
	return 0;
}

int hash_expect(struct hash *t, size_t n)
{
	size_t cells = t->cell ? (size_t)t->mask + 1 : LEAST_CELLS;

	while (cells * 2 < n * 3)
		cells *= 2;
	return t->cell && cells == (size_t)t->mask + 1 ? 0 : rehash(t, cells);
}

int hash_grow(struct hash *t)
{
	return rehash(t, t->cell ? ((size_t)t->mask + 1) * 2 : LEAST_CELLS);
}

void hash_clear(struct hash *t)
{
	if (t->cell)
		memset(t->cell, 0, ((size_t)t->mask + 1) * sizeof(*t->cell));
	t->n = 0;
}

void hash_free(struct hash *t)
{
	if (!t->arena)
		free(t->cell);
	*t = (struct hash){0};
}
