/* sort.c - least significant digit first, 8 or 11 bits a pass, passes without effect skipped. */
#include "index/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum {
	SMALL = 64,
	MANY = 4096, /* pairs from which on fewer passes are worth more bins */
	FEW_BITS = 8,
	BITS = 11,
};

static void insertion(struct sort_pair *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_pair x = p[i];
		size_t j = i;

		for (; j > 0 && p[j - 1].key > x.key; j--)
			p[j] = p[j - 1];
		p[j] = x;
	}
}

int sort_pairs(struct sort_pair *p, size_t n)
{
	struct sort_pair *tmp, *from = p, *to;
	uint64_t all_or = 0, all_and = UINT64_MAX;
	const unsigned bits = n < MANY ? FEW_BITS : BITS;
	const size_t bins = (size_t)1 << bits;
	size_t count[1 << BITS];

	if (n <= SMALL) {
		insertion(p, n);
		return 0;
	}
	tmp = malloc(n * sizeof(*tmp));
	if (!tmp)
		return -1;
	to = tmp;
	for (size_t i = 0; i < n; i++) {
		all_or |= p[i].key;
		all_and &= p[i].key;
	}
	for (unsigned shift = 0; shift < 64; shift += bits) {
		size_t sum = 0;

		if ((((all_or ^ all_and) >> shift) & (bins - 1)) == 0)
			continue; /* this digit is the same in all keys */
		memset(count, 0, bins * sizeof(*count));
		for (size_t i = 0; i < n; i++)
			count[from[i].key >> shift & (bins - 1)]++;
		for (size_t i = 0; i < bins; i++) {
			size_t c = count[i];

			count[i] = sum;
			sum += c;
		}
		for (size_t i = 0; i < n; i++)
			to[count[from[i].key >> shift & (bins - 1)]++] = from[i];
		struct sort_pair *swap = from;

		from = to;
		to = swap;
	}
	if (from != p)
		memcpy(p, from, n * sizeof(*p));
	free(tmp);
	return 0;
}
