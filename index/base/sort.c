/*
 * sort.c - radix sorts.
 *
 * Pairs: least significant digit first, 8 or 11 bits a pass; bits equal in all keys are
 * skipped.  Strings: by their first eight bytes; groups that are equal by the next eight,
 * and so on.
 */
#include "index/base/sort.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"

enum {
	SMALL = 64,
	MANY = 4096, /* least number of pairs for 11 bits a pass */
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
	tmp = vec_block(n * sizeof(*tmp));
	if (!tmp)
		return -1;
	to = tmp;
	for (size_t i = 0; i < n; i++) {
		all_or |= p[i].key;
		all_and &= p[i].key;
	}
	for (uint64_t differ = all_or ^ all_and; differ;) {
		const unsigned shift = (unsigned)__builtin_ctzll(differ);
		size_t sum = 0;

		differ &= ~((uint64_t)(bins - 1) << shift);
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

enum { CHUNK = sizeof(uint64_t), FEW = 12 };

/* Eight bytes from `at` on as a number, the first byte highest; zeros after the end. */
static uint64_t chunk_of(struct str s, size_t at)
{
	uint64_t v = 0;

	if (at >= s.n)
		return 0;
	if (s.n - at >= CHUNK) {
		memcpy(&v, s.p + at, CHUNK);
		return be64toh(v);
	}
	for (size_t i = at; i < at + CHUNK; i++)
		v = v << 8 | (i < s.n ? (unsigned char)s.p[i] : 0);
	return v;
}

/* For few strings that are equal up to `at`. */
static void insertion_strings(const struct str *s, size_t at, struct sort_pair *p,
			      size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct sort_pair x = p[i];
		const struct str rest = str_from(s[x.value], at);
		size_t j = i;

		for (; j > 0 && str_cmp(str_from(s[p[j - 1].value], at), rest) > 0; j--)
			p[j] = p[j - 1];
		p[j] = x;
	}
}

/* Strings equal up to `at` except for trailing zeros: move those that end at or before
 * `at` to the front, shortest first.  Returns their number; SIZE_MAX if memory is out. */
static size_t ended_first(const struct str *s, size_t at, struct sort_pair *p, size_t n)
{
	size_t ended = 0;

	for (size_t i = 0; i < n; i++)
		ended += s[p[i].value].n <= at;
	if (!ended)
		return 0;
	for (size_t i = 0; i < n; i++)
		p[i].key = s[p[i].value].n <= at ? s[p[i].value].n : UINT64_MAX;
	return sort_pairs(p, n) ? SIZE_MAX : ended;
}

/* Sort strings that are equal up to `at`.  Loops on the largest group of equal ones
 * and recurses into the others, so its depth is at most log2(n). */
static int sort_from(const struct str *s, size_t at, struct sort_pair *p, size_t n)
{
	while (n > FEW) {
		struct sort_pair *most = p;
		size_t nmost = 0, next;

		for (size_t i = 0; i < n; i++)
			p[i].key = chunk_of(s[p[i].value], at);
		if (sort_pairs(p, n))
			return -1;
		at += CHUNK;
		for (size_t from = 0; from < n; from = next) {
			struct sort_pair *group = p + from;
			size_t ended, alike;

			for (next = from + 1; next < n && p[next].key == group->key;
			     next++)
				;
			if (next - from == 1)
				continue;
			ended = ended_first(s, at, group, next - from);
			if (ended == SIZE_MAX)
				return -1;
			group += ended;
			alike = next - from - ended;
			if (alike > nmost) {
				struct sort_pair *less = most;
				const size_t nless = nmost;

				most = group;
				nmost = alike;
				group = less;
				alike = nless;
			}
			if (sort_from(s, at, group, alike))
				return -1;
		}
		p = most;
		n = nmost;
	}
	insertion_strings(s, at, p, n);
	return 0;
}

int sort_strings(const struct str *s, size_t n, struct sort_pair *order)
{
	for (size_t i = 0; i < n; i++)
		order[i] = (struct sort_pair){0, (uint32_t)i};
	return sort_from(s, 0, order, n);
}
