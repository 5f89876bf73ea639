/* vec.c - growing arrays; see vec.h. */
#include "index/base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/os.h"

enum {
	CACHE_LINE = 64,
	HUGE_PAGE = 2 << 20,
	KEPT = 16 << 20, /* free bytes at the end of the heap that are not given back */
	LARGE = 8 << 20, /* bytes; larger blocks move without a copy and grow by less */
	/* Size of a raw array that outgrows LARGE: realloc() would copy it to small
	 * pages. */
	LARGE_RAW = 64 << 20,
};

static _Atomic size_t room_from = HUGE_PAGE; /* threads of other builds read it */

void vec_policy(size_t maps, size_t room)
{
	room_from = room;
	os_heap(maps, KEPT);
}

static size_t vec_whole(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

/* All pages that hold a byte of the block.  A part of them would split the map, and
 * mremap() does not move a split map. */
static void ask_for_huge(void *p, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const uintptr_t from = (uintptr_t)p & ~(uintptr_t)(page - 1);

	os_huge_pages((void *)from, vec_whole((uintptr_t)p + bytes - from, page));
}

void *vec_block(size_t bytes)
{
	void *p;

	if (bytes < HUGE_PAGE)
		return aligned_alloc(CACHE_LINE, vec_whole(bytes, CACHE_LINE));
	/* malloc's own header is in the page before, so the first huge page is still
	 * untouched. */
	p = aligned_alloc(HUGE_PAGE, vec_whole(bytes, HUGE_PAGE));
	if (p)
		ask_for_huge(p, vec_whole(bytes, HUGE_PAGE));
	return p;
}

void vec_huge_pages(void *p, size_t bytes)
{
	/* A block so large is a fresh map of its own. */
	if (p && bytes >= LARGE)
		ask_for_huge(p, bytes);
}

/* The capacity after growing to `need`, and its size in bytes; 0 if that overflows. */
static size_t grown(size_t cap, size_t need, size_t size, size_t large, size_t *bytes)
{
	size_t n = cap + (cap > large / size ? cap / 8 : cap / 2) + 16;

	if (n < need)
		n = need;
	return __builtin_mul_overflow(n, size, bytes) || *bytes > SIZE_MAX - LARGE ? 0
										   : n;
}

/* Allocate LARGE bytes.  The first 2 MiB get no huge page: many arrays end within
 * them. */
static void *room(void)
{
	char *p = aligned_alloc(HUGE_PAGE, LARGE);

	if (p)
		ask_for_huge(p + HUGE_PAGE, LARGE - HUGE_PAGE);
	return p;
}

/* Move the block at *pp into a new one of at least `bytes`; NULL if memory is out. */
static char *vec_move(void *pp, size_t had, size_t bytes, bool roomy)
{
	char *old, *p = roomy ? room() : vec_block(bytes);

	if (!p)
		return NULL;
	memcpy(&old, pp, sizeof(old));
	if (had)
		memcpy(p, old, had);
	free(old);
	memcpy(pp, &p, sizeof(p));
	return p;
}

/* Grow *p to `need` elements and keep its contents.  Returns the new capacity, or 0. */
static size_t regrow(void *pp, size_t cap, size_t need, size_t size, bool ahead, char **p)
{
	const size_t had = cap * size;
	size_t bytes, n = grown(cap, need, size, LARGE, &bytes);
	const size_t asked = bytes;
	bool roomy;
	char *old;

	if (n == 0)
		return 0;
	memcpy(&old, pp, sizeof(old));
	/* malloc may have given more than was asked for. */
	if (old && os_block(old) >= bytes) {
		*p = old;
		return n;
	}
	roomy = ahead && bytes >= room_from && bytes < LARGE;
	if (roomy) {
		bytes = LARGE;
	} else if (bytes >= HUGE_PAGE) {
		/* Untouched memory costs nothing. */
		if (ahead && had >= LARGE && had < LARGE_RAW && bytes < LARGE_RAW)
			bytes = LARGE_RAW;
		bytes = vec_whole(bytes, HUGE_PAGE);
	}
	if (roomy || (bytes >= HUGE_PAGE && had < (ahead ? LARGE_RAW : LARGE))) {
		*p = vec_move(pp, had, bytes, roomy);
		/* The address space may be limited: try again without room ahead. */
		if (!*p && bytes > asked && (*p = vec_move(pp, had, asked, false)))
			bytes = asked;
		/* vec_reserve() zeroes its elements and so touches them. */
		return !*p ? 0 : ahead ? bytes / size : n;
	}
	if (ahead)
		n = bytes / size;
	if (!(*p = realloc(old, bytes)))
		return 0;
	memcpy(pp, p, sizeof(*p));
	if (bytes >= HUGE_PAGE)
		ask_for_huge(*p, bytes);
	return n;
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

	if (need <= *cap)
		return 0;
	n = grown(*cap, need, size, SIZE_MAX, &bytes);
	if (n == 0 || !vec_move(pp, *cap * size, bytes, false))
		return -1;
	*cap = n;
	return 0;
}
