/* sort.h - stable radix sort of 64-bit keys with a 32-bit value each. */
#ifndef QUERN_BASE_SORT_H
#define QUERN_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_pair {
	uint64_t key;
	uint32_t value;
};

/* Ascending by key, equal keys in the order they had.  0, or -1 when memory is out. */
int sort_pairs(struct sort_pair *p, size_t n);

#endif
