/* strset.c - strings by their hash; see strset.h. */
#include "index/base/strset.h"

#include <stdlib.h>

#include "index/base/vec.h"

static uint32_t find_or_add(struct strset *t, struct str s, bool copy)
{
	const uint32_t h = (uint32_t)str_hash(s);
	uint32_t probe = hash_start(&t->by, h), i;

	while ((i = hash_next(&t->by, h, &probe)) != HASH_NONE)
		if (str_eq(t->at[i], s))
			return i;
	if (t->n >= HASH_NONE || vec_reserve(&t->at, &t->cap, t->n + 1, sizeof(*t->at)) ||
	    (copy && !(s = arena_str(&t->copies, s)).p) ||
	    hash_add(&t->by, h, (uint32_t)t->n))
		return HASH_NONE;
	t->at[t->n] = s;
	return (uint32_t)t->n++;
}

uint32_t strset_add(struct strset *t, struct str s)
{
	return find_or_add(t, s, false);
}

uint32_t strset_copy(struct strset *t, struct str s)
{
	return find_or_add(t, s, true);
}

int strset_expect(struct strset *t, size_t n)
{
	return hash_expect(&t->by, n) || vec_reserve(&t->at, &t->cap, n, sizeof(*t->at))
		       ? -1
		       : 0;
}

void strset_free(struct strset *t)
{
	hash_free(&t->by);
	arena_free(&t->copies);
	free(t->at);
	*t = (struct strset){0};
}
