/* vec.c - growing arrays; see vec.h. */
#include "index/base/vec.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CACHE_LINE = 64,
	HUGE_PAGE = 2 << 20,
	MALLOC_HEAD = 64, /* bytes that malloc may want in front of a block */
	KEPT = 16 << 20, /* bytes free at the end of the heap that need not go back */
	LARGE = 4
		<< 20, /* bytes: what is larger moves without a copy and grows by less */
	AHEAD = 8 << 20, /* room at least of what has VEC_OWN_MAP and is not zeroed */
};

void vec_maps_from(size_t bytes)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, (int)bytes);
	mallopt(M_TRIM_THRESHOLD, KEPT);
#else
	(void)bytes;
#endif
}

/* So many bytes with malloc's head are whole huge pages: the system begins those at one. */
static size_t whole_pages(size_t bytes)
{
	return ((bytes + MALLOC_HEAD + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1)) -
	       MALLOC_HEAD;
}

/* The capacity after growing to `need`, and its size in bytes; 0 when that overflows. */
static size_t grown(size_t cap, size_t need, size_t size, size_t large, size_t *bytes)
{
	size_t n = cap + (cap > large / size ? cap / 8 : cap / 2) + 16;

	if (n < need)
		n = need;
	return __builtin_mul_overflow(n, size, bytes) || *bytes > SIZE_MAX - 2 * HUGE_PAGE
		       ? 0
		       : n;
}

/* Room for need elements, in *p; what there was is kept.  The new capacity, or 0. */
static size_t regrow(void *pp, size_t cap, size_t need, size_t size, bool ahead, char **p)
{
	size_t bytes, n = grown(cap, need, size, LARGE, &bytes);
	char *old;

	if (n && bytes > VEC_OWN_MAP) {
		n = whole_pages(ahead && bytes < AHEAD ? AHEAD : bytes) / size;
		bytes = n * size;
	}
	memcpy(&old, pp, sizeof(old));
	if (n == 0 || !(*p = realloc(old, bytes)))
		return 0;
	memcpy(pp, p, sizeof(*p));
	vec_huge(*p, bytes);
	return n;
}

/*
 * A page fault for every 2 MiB instead of every 4 KiB: a fifth of the time of tallying a
 * file of distinct lines.  All pages that hold any of it, or the block's map would be cut in
 * pieces, which mremap() does not move.
 */
void vec_huge(void *p, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t from = (uintptr_t)p & ~(page - 1);
	const uintptr_t to = ((uintptr_t)p + bytes + page - 1) & ~(page - 1);

	if (bytes >= HUGE_PAGE - MALLOC_HEAD)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

int vec_grow(void *pp, size_t *cap, size_t need, size_t size)
{
	size_t n;
	char *p;

	if (!(n = regrow(pp, *cap, need, size, false, &p)))
		return -1;
	memset(p + *cap * size, 0, (n - *cap) * size);
	*cap = n;
	return 0;
}

int vec_grow_raw(void *pp, size_t *cap, size_t need, size_t size)
{
	size_t n;
	char *p;

	if (!(n = regrow(pp, *cap, need, size, true, &p)))
		return -1;
	*cap = n;
	return 0;
}

int vec_reserve_lines(void *pp, size_t *cap, size_t need, size_t size)
{
	size_t n, bytes;
	char *p, *old;

	if (need <= *cap)
		return 0;
	n = grown(*cap, need, size, SIZE_MAX, &bytes);
	memcpy(&old, pp, sizeof(old));
	if (n == 0 || bytes > SIZE_MAX - CACHE_LINE ||
	    !(p = aligned_alloc(CACHE_LINE,
				(bytes + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1))))
		return -1;
	vec_huge(p, bytes);
	if (old)
		memcpy(p, old, *cap * size);
	free(old);
	memcpy(pp, &p, sizeof(p));
	*cap = n;
	return 0;
}
