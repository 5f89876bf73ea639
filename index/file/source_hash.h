/* source_hash.h - the hash of a file's content, chunk by chunk. */
#ifndef QUERN_SOURCE_HASH_H
#define QUERN_SOURCE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * The hash of the content: XXH3-64 over the XXH3-64 of every chunk of HASH_CHUNK bytes,
 * so that any thread can hash the chunks it reads.
 */
enum { HASH_CHUNK = 1 << 20 };
uint64_t source_hash_chunk(const char *p, size_t n);
/* Hash a chunk in several steps, then start the next one. */
struct source_hash;
struct source_hash *source_hash_new(void); /* NULL if memory is out */
void source_hash_free(struct source_hash *h);
void source_hash_add(struct source_hash *h, const char *p, size_t n);
uint64_t source_hash_end(struct source_hash *h);
uint64_t source_hash_all(const uint64_t *chunk, size_t n);

#endif
