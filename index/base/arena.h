/*
 * arena.h - memory that is freed all at once.
 *
 * An arena has a cap in bytes; when it is reached arena_alloc() returns NULL and the
 * caller reports ERR_LIMIT (arena_full() writes the sentence).  Memory is zeroed.
 */
#ifndef QUERN_BASE_ARENA_H
#define QUERN_BASE_ARENA_H

#include <stdarg.h>

#include "index/base/str.h"

struct arena_chunk;
struct err;

struct arena {
	struct arena_chunk *chunk; /* newest first */
	size_t used;		   /* bytes handed out since the last reset */
	size_t cap;		   /* bytes; 0: no cap */
	size_t wanted; /* the cap that would not have refused the last request */
	bool refused;  /* a request failed since the last reset */
};

void arena_init(struct arena *a, size_t cap);
void *arena_alloc(struct arena *a, size_t size); /* 16-byte aligned, zeroed, or NULL */
void *arena_array(struct arena *a, size_t n,
		  size_t size); /* NULL if n * size overflows */
/* Make room for `need` elements of `size` bytes in the array at *pp, which has room for *cap
 * and keeps its first `used`.  Returns 0, or -1 if the arena is full. */
int arena_grow(struct arena *a, void *pp, size_t *cap, size_t used, size_t need,
	       size_t size);
struct str arena_str(struct arena *a,
		     struct str s); /* a copy; its p is NULL if the arena is full */
struct str arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct str arena_vprintf(struct arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* The texts after each other, of any length; its p is NULL if the arena is full. */
struct str arena_join(struct arena *a, struct str before, struct str s, struct str after);
bool arena_holds(const struct arena *a, const void *p); /* is p in its memory? */
void arena_reset(struct arena *a);			/* frees all but one chunk */
void arena_free(struct arena *a);
int arena_full(const struct arena *a, struct err *err); /* sets and returns ERR_LIMIT */

#define ARENA_NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_array((a), (n), sizeof(T)))

#endif
