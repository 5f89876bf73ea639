/*
 * vec.h - arrays that grow by half, large ones by an eighth.
 *
 *	struct row *rows = NULL; size_t n = 0, cap = 0;
 *	if (vec_reserve(&rows, &cap, n + 1, sizeof(*rows)))
 *		...out of memory; rows is untouched
 */
#ifndef QUERN_BASE_VEC_H
#define QUERN_BASE_VEC_H

#include <stddef.h>

enum {
	VEC_OWN_MAP = 1 << 20,
	VEC_ROOM = 512 << 10,
};

/*
 * For the whole process, from now on: a block of at least `maps` bytes is a map of its
 * own, which is returned when freed and grows without a copy.  A raw array that reaches
 * `room` bytes gets room for 8 MiB, one that outgrows 8 MiB room for 64.  Without this,
 * malloc keeps ever larger blocks in its heaps; a fifth of all memory was freed arrays.
 *
 * An array with room for 8 MiB has huge pages after its first 2 MiB; larger ones have
 * them throughout.  A page fault takes 1.4 us here and one for 2 MiB 80 us, but 4 ms if a
 * hypervisor has taken free memory back: an array that does not fill a huge page is
 * better without.
 */
void vec_policy(size_t maps, size_t room);

/* The slow paths of vec_reserve() and vec_reserve_raw(). */
int vec_grow(void *pp, size_t *cap, size_t need, size_t size);
int vec_grow_raw(void *pp, size_t *cap, size_t need, size_t size);

/* Make room for `need` elements; pp is the address of the array pointer.  New elements
 * are zeroed.  Returns 0, or -1 if memory is out. */
static inline int vec_reserve(void *pp, size_t *cap, size_t need, size_t size)
{
	return __builtin_expect(need <= *cap, 1) ? 0 : vec_grow(pp, cap, need, size);
}

/* Room in large arrays that are filled at once: new elements are not zeroed, and
 * the array gets huge pages. */
static inline int vec_reserve_raw(void *pp, size_t *cap, size_t need, size_t size)
{
	return __builtin_expect(need <= *cap, 1) ? 0 : vec_grow_raw(pp, cap, need, size);
}

/* Room in an array that starts on a cache line. */
int vec_reserve_lines(void *pp, size_t *cap, size_t need, size_t size);

/* A block of `bytes` <= 2^63 that starts on a cache line, with huge pages if it is
 * large; NULL if memory is out. */
void *vec_block(size_t bytes);

/* Give a block fresh from malloc() or calloc() huge pages if it is large.  Unlike
 * vec_block() this does not move the block, so it takes no more address space.  p may
 * be NULL. */
void vec_huge_pages(void *p, size_t bytes);

#endif
