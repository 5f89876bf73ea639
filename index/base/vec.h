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
 * For the whole process from here on: blocks of `maps` bytes are maps of their own, which go back
 * when they are freed and grow without a copy, and raw arrays of `room` bytes have room for 8 MiB,
 * those for 64 that outgrow it.  Left alone malloc keeps ever larger blocks in its heaps; a fifth of
 * all memory was of arrays long gone.
 *
 * An array that has room for 8 MiB has huge pages behind the first 2, larger ones have them
 * throughout.  A page fault is 1.4 us here and that for 2 MiB 80 us, but 4 ms where a hypervisor has
 * taken free memory back: what does not fill a huge page is better without.
 */
void vec_policy(size_t maps, size_t room);

/* vec_reserve() and vec_reserve_raw() where there is not enough room. */
int vec_grow(void *pp, size_t *cap, size_t need, size_t size);
int vec_grow_raw(void *pp, size_t *cap, size_t need, size_t size);

/* Make room for `need` elements; pp is the address of the array pointer.  New elements
 * are zeroed.  Returns 0, or -1 when memory is out. */
static inline int vec_reserve(void *pp, size_t *cap, size_t need, size_t size)
{
	return __builtin_expect(need <= *cap, 1) ? 0 : vec_grow(pp, cap, need, size);
}

/* The same for large arrays that are filled at once: new elements are not zeroed, and the
 * system is asked for huge pages. */
static inline int vec_reserve_raw(void *pp, size_t *cap, size_t need, size_t size)
{
	return __builtin_expect(need <= *cap, 1) ? 0 : vec_grow_raw(pp, cap, need, size);
}

/* The same, and the array begins at a cache line. */
int vec_reserve_lines(void *pp, size_t *cap, size_t need, size_t size);

/* A block of so many bytes, 2^63 at most, from the start of a cache line on, with huge pages
 * when it is large; NULL: there is no memory. */
void *vec_block(size_t bytes);

/* A block that malloc() or calloc() has just given gets huge pages when it is large.  It stays
 * where it is, so unlike vec_block() this takes no more addresses.  p may be NULL. */
void vec_huge_pages(void *p, size_t bytes);

#endif
