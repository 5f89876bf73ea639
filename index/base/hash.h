/*
 * hash.h - an open-addressed table of indices, for arrays that are looked up by content.
 *
 * The caller has the array and compares its elements.  A cell holds 32 bits of the hash
 * and the index, so the table grows without a callback:
 *
 *	uint32_t probe = hash_start(&t, h), i;
 *	while ((i = hash_next(&t, h, &probe)) != HASH_NONE)
 *		if (same(array[i], key))
 *			return i;
 *	hash_add(&t, h, new_index);
 *
 * A table that is all zeros is empty.  With an arena (t.arena) the cells are in it, and
 * end with it; each time the table grows, the old ones stay there, half as many.
 */
#ifndef QUERN_BASE_HASH_H
#define QUERN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct arena;

#define HASH_NONE UINT32_MAX

struct hash_cell {
	uint32_t hash, number; /* 1 + the index; 0: empty */
};

struct hash {
	struct hash_cell *cell;
	uint32_t mask; /* cells - 1 */
	uint32_t n;
	struct arena *arena; /* of the cells; NULL: hash_free() frees them */
};

static inline uint64_t hash_mix(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93;
	return h ^ h >> 32;
}

static inline uint32_t hash_start(const struct hash *t, uint32_t h)
{
	return h & t->mask;
}

/* Prefetch the cell where hash_next() starts. */
static inline void hash_fetch(const struct hash *t, uint32_t h)
{
	if (t->cell)
		__builtin_prefetch(&t->cell[h & t->mask]);
}

static inline uint32_t hash_next(const struct hash *t, uint32_t h, uint32_t *probe)
{
	if (!t->cell)
		return HASH_NONE;
	for (uint32_t i = *probe;; i = (i + 1) & t->mask) {
		const struct hash_cell *c = &t->cell[i];

		if (!c->number)
			return HASH_NONE;
		if (c->hash == h) {
			*probe = (i + 1) & t->mask;
			return c->number - 1;
		}
	}
}

/* Replace the index that hash_next() found last by another one. */
static inline void hash_replace(struct hash *t, uint32_t probe, uint32_t index)
{
	t->cell[(probe - 1) & t->mask].number = index + 1;
}

/* Add an index; the caller knows that there is room. */
static inline void hash_put(struct hash *t, uint32_t h, uint32_t number)
{
	uint32_t i = h & t->mask;

	while (t->cell[i].number)
		i = (i + 1) & t->mask;
	t->cell[i] = (struct hash_cell){h, number};
}

/* Make room for n indices in all.  Returns 0, or -1 if memory is out. */
int hash_expect(struct hash *t, size_t n);
int hash_grow(struct hash *t);
/* Returns 0, or -1 if memory is out. */
static inline int hash_add(struct hash *t, uint32_t h, uint32_t index)
{
	if ((!t->cell || (uint64_t)t->n * 3 >= ((uint64_t)t->mask + 1) * 2) &&
	    hash_grow(t))
		return -1;
	hash_put(t, h, index + 1);
	t->n++;
	return 0;
}
void hash_clear(struct hash *t); /* keeps the memory */
void hash_free(struct hash *t);

#endif
