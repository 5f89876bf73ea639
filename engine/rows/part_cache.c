/* part_cache.c - parts of a profile, read again and kept; see part_cache.h. */
#include "engine/rows/part_cache.h"

#include <stdlib.h>

#include "index/base/count.h"
#include "index/each_activation.h"
#include "index/part_lines.h"

struct part_cache *part_cache_new(void)
{
	return calloc(1, sizeof(struct part_cache));
}

void part_set_clear(struct part_set *s)
{
	part_lines_free(s->lines);
	free(s->parts);
	free(s->blocks);
	free(s->span);
	*s = (struct part_set){0};
}

struct blocks **part_cache_blocks(struct part_cache *c, const struct store *st)
{
	if (c->blocks_of != st) {
		blocks_free(c->blocks);
		c->blocks = NULL;
		c->blocks_of = st;
	}
	return &c->blocks;
}

void part_cache_drop(struct part_cache *c, const struct store *st)
{
	if (c->blocks_of == st)
		part_cache_blocks(c, NULL);
	for (size_t i = 0; i < COUNT(c->set); i++)
		if (c->set[i].st == st)
			part_set_clear(&c->set[i]);
}

void part_cache_free(struct part_cache *c)
{
	for (size_t i = 0; c && i < COUNT(c->set); i++)
		part_set_clear(&c->set[i]);
	if (c)
		part_cache_blocks(c, NULL);
	free(c);
}
