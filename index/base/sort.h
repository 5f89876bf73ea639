/* sort.h - stable radix sort of 64-bit keys with a 32-bit value each, and of strings. */
#ifndef QUERN_BASE_SORT_H
#define QUERN_BASE_SORT_H

#include "index/base/str.h"

struct sort_pair {
	uint64_t key;
	uint32_t value;
};

/* Ascending by key; stable.  Returns 0, or -1 if memory is out. */
int sort_pairs(struct sort_pair *p, size_t n);

/* order[i].value becomes the index in s of the i-th string by str_cmp(); stable.  n <
 * 2^32.  Returns 0, or -1 if memory is out. */
int sort_strings(const struct str *s, size_t n, struct sort_pair *order);

#endif
