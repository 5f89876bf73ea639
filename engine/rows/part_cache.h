/* part_cache.h - what the session keeps of parts that were read again: their lines, and the
 * blocks of one store. */
#ifndef QUERN_PART_CACHE_H
#define QUERN_PART_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct blocks;
struct part_blocks;
struct part_lines;
struct store;

/* Some parts of a profile, read again. */
struct part_set {
	const struct store *st;	    /* NULL: there is no such set */
	uint8_t *parts;		    /* [parts of st] */
	struct part_blocks *blocks; /* of these parts only these; NULL: all */
	size_t nblocks;
	int64_t *span; /* [2 * parts]: where that begins and ends; NULL: all */
	struct part_lines *lines;
};

/* A comparison asks two sets in turn, function by function; the one asked last is first. */
struct part_cache {
	struct part_set set[2];
	struct blocks *blocks; /* of this store: */
	const struct store *blocks_of;
};

struct part_cache *part_cache_new(void); /* NULL: out of memory */
void part_cache_free(struct part_cache *c);
/* st is closed. */
void part_cache_drop(struct part_cache *c, const struct store *st);
/* Where it keeps the blocks of st; *that NULL: they were not read. */
struct blocks **part_cache_blocks(struct part_cache *c, const struct store *st);
void part_set_clear(struct part_set *s);

#endif
