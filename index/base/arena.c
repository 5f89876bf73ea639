/*
 * arena.c - bump allocation from a list of chunks; see arena.h.
 *
 * Chunks double up to 16 MiB so that a query of a few rows costs one small chunk and one
 * of a million rows a few dozen.  A reset keeps the newest (largest) chunk.  A chunk is
 * made of zeros, so only bytes that were handed out before a reset are cleared.
 */
#include "index/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/vec.h"

/* AddressSanitizer sees chunks only, so tell it about allocations, with a gap after
 * each. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#endif

#if defined(WATCHED)
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
enum { GAP = 0 };
#endif

enum { FIRST = 16 << 10, LARGEST = 16 << 20, ALIGN = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t n, cap; /* bytes used; bytes in all */
	size_t dirty;  /* bytes that may not be zero */
	_Alignas(ALIGN) char bytes[];
};

void arena_init(struct arena *a, size_t cap)
{
	*a = (struct arena){.cap = cap};
}

static struct arena_chunk *chunk_for(struct arena *a, size_t size)
{
	size_t cap = a->chunk ? a->chunk->cap * 2 : FIRST;
	struct arena_chunk *c;

	if (cap > LARGEST)
		cap = LARGEST;
	if (cap < size)
		cap = size;
	if (cap > SIZE_MAX - sizeof(*c) || !(c = calloc(1, sizeof(*c) + cap)))
		return NULL;
	vec_huge_pages(c, sizeof(*c) + cap);
	c->next = a->chunk;
	c->cap = cap;
	ASAN_POISON_MEMORY_REGION(c->bytes, cap);
	a->chunk = c;
	return c;
}

static void *arena_refuse(struct arena *a)
{
	a->refused = true;
	return NULL;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_chunk *c = a->chunk;
	const size_t wanted = size;
	size_t old;
	void *p;

	if (size > SIZE_MAX / 2)
		return arena_refuse(a);
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (a->cap && (size > a->cap || a->used > a->cap - size)) {
		a->wanted = a->used + size;
		return arena_refuse(a);
	}
	if ((!c || c->cap - c->n < size + GAP) && !(c = chunk_for(a, size + GAP)))
		return arena_refuse(a);
	p = c->bytes + c->n;
	old = c->dirty > c->n ? c->dirty - c->n : 0;
	c->n += size + GAP;
	a->used += size;
	ASAN_UNPOISON_MEMORY_REGION(p, size);
	memset(p, 0, old < size ? old : size);
	ASAN_POISON_MEMORY_REGION((char *)p + wanted, size - wanted);
	return p;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return arena_refuse(a);
	return arena_alloc(a, bytes);
}

int arena_grow(struct arena *a, void *pp, size_t *cap, size_t used, size_t need,
	       size_t size)
{
	size_t n = *cap ? *cap * 2 : 32;
	void *old, *p;

	if (need <= *cap)
		return 0;
	if (n < need)
		n = need;
	if (!(p = arena_array(a, n, size)))
		return -1;
	memcpy(&old, pp, sizeof(old));
	if (used)
		memcpy(p, old, used * size);
	memcpy(pp, &p, sizeof(p));
	*cap = n;
	return 0;
}

struct str arena_str(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);

	if (!p)
		return (struct str){NULL, 0};
	if (s.n)
		memcpy(p, s.p, s.n);
	return (struct str){p, s.n};
}

struct str arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	int n;
	char *p;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0 || !(p = arena_alloc(a, (size_t)n + 1)))
		return (struct str){NULL, 0};
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return (struct str){p, (size_t)n};
}

struct str arena_printf(struct arena *a, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	va_start(ap, fmt);
	s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}

struct str arena_join(struct arena *a, struct str before, struct str s, struct str after)
{
	const struct str part[] = {before, s, after};
	char *p = arena_alloc(a, before.n + s.n + after.n + 1);
	size_t n = 0;

	for (size_t i = 0; p && i < COUNT(part); i++) {
		if (part[i].n)
			memcpy(p + n, part[i].p, part[i].n);
		n += part[i].n;
	}
	return (struct str){p, n};
}

static void free_chunks(struct arena_chunk *c)
{
	while (c) {
		struct arena_chunk *next = c->next;

		free(c);
		c = next;
	}
}

bool arena_holds(const struct arena *a, const void *p)
{
	const uintptr_t at = (uintptr_t)p;

	for (const struct arena_chunk *c = a->chunk; c; c = c->next)
		if (at >= (uintptr_t)c->bytes && at < (uintptr_t)c->bytes + c->cap)
			return true;
	return false;
}

void arena_reset(struct arena *a)
{
	if (a->chunk) {
		free_chunks(a->chunk->next);
		a->chunk->next = NULL;
		if (a->chunk->dirty < a->chunk->n)
			a->chunk->dirty = a->chunk->n;
		a->chunk->n = 0;
		ASAN_POISON_MEMORY_REGION(a->chunk->bytes, a->chunk->cap);
	}
	a->used = 0;
	a->refused = false;
}

void arena_free(struct arena *a)
{
	free_chunks(a->chunk);
	a->chunk = NULL;
	a->used = 0;
}

int arena_full(const struct arena *a, struct err *err)
{
	if (!a->cap)
		err_set(err, ERR_LIMIT, 0, "out of memory: %zu MiB are in use",
			a->used >> 20);
	else
		err_set(err, ERR_LIMIT, 0,
			"out of memory: %zu MiB are in use (the limit is %zu MiB)",
			a->used >> 20, a->cap >> 20);
	return err_hint(err, "ask for fewer rows, or raise the limit with --mem");
}
