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

/* Make room for `need` elements; pp is the address of the array pointer.  New elements
 * are zeroed.  Returns 0, or -1 when memory is out. */
int vec_reserve(void *pp, size_t *cap, size_t need, size_t size);

/* The same for large arrays that are filled at once: new elements are not zeroed, and the
 * system is asked for huge pages. */
int vec_reserve_raw(void *pp, size_t *cap, size_t need, size_t size);

/* The same, and the array begins at a cache line. */
int vec_reserve_lines(void *pp, size_t *cap, size_t need, size_t size);

#endif
