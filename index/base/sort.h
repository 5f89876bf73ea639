/* sort.h - stable radix sort of 64-bit keys with a 32-bit value each, and of strings. */
#ifndef QUERN_BASE_SORT_H
#define QUERN_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "index/base/str.h"

struct sort_pair {
	uint64_t key;
	uint32_t value;
};

/* Ascending by key, equal keys in the order they had.  0, or -1 when memory is out. */
int sort_pairs(struct sort_pair *p, size_t n);

/* order[0..n).value: the places of s[0..n), fewer than 2^32, in the order of str_cmp(), equal
 * ones as they stood.  0, or -1 when memory is out. */
int sort_strings(const struct str *s, size_t n, struct sort_pair *order);

#endif
