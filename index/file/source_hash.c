/* source_hash.c - the hash of a file's content; see source_hash.h. */
#include "index/file/source_hash.h"

#include <xxhash.h>
#ifdef HAVE_XXH_DISPATCH /* use the widest vectors of this processor (SConstruct) */
#include <xxh_x86dispatch.h>
#endif

uint64_t source_hash_chunk(const char *p, size_t n)
{
	return XXH3_64bits(p, n);
}

struct source_hash *source_hash_new(void)
{
	XXH3_state_t *h = XXH3_createState();

	if (h)
		XXH3_64bits_reset(h);
	return (struct source_hash *)h;
}

void source_hash_free(struct source_hash *h)
{
	XXH3_freeState((XXH3_state_t *)h);
}

void source_hash_add(struct source_hash *h, const char *p, size_t n)
{
	XXH3_64bits_update((XXH3_state_t *)h, p, n);
}

uint64_t source_hash_end(struct source_hash *h)
{
	const uint64_t hash = XXH3_64bits_digest((XXH3_state_t *)h);

	XXH3_64bits_reset((XXH3_state_t *)h);
	return hash;
}

uint64_t source_hash_all(const uint64_t *chunk, size_t n)
{
	return XXH3_64bits(chunk, n * sizeof(*chunk));
}
