/*
 * group_loops.c - pack and unpack a group of 64 rows; compiled once per instruction set.
 *
 * Rows become the items of column_code.h, several rows at a time; the few items are then
 * put together bit by bit.
 */
#include "index/format/group_loops.h"

#include "index/format/column_code.h"

enum { STEP = 4 }; /* rows that compilers make vectors of */

static void group_bounds(const uint64_t *row, uint64_t *least, uint64_t *most)
{
	uint64_t lo[4], hi[4];

	for (unsigned i = 0; i < 4; i++)
		lo[i] = hi[i] = row[i];
	for (unsigned k = 4; k < GROUP_ROWS; k += 4)
		for (unsigned i = 0; i < 4; i++) {
			lo[i] = row[k + i] < lo[i] ? row[k + i] : lo[i];
			hi[i] = row[k + i] > hi[i] ? row[k + i] : hi[i];
		}
	for (unsigned i = 1; i < 4; i++) {
		lo[0] = lo[i] < lo[0] ? lo[i] : lo[0];
		hi[0] = hi[i] > hi[0] ? hi[i] : hi[0];
	}
	*least = lo[0];
	*most = hi[0];
}

/* Add `more` to n numbers, shifted up by `low` bits. */
static inline void append_bits(uint64_t *to, const uint64_t *more, unsigned n,
			       unsigned low)
{
	unsigned k = 0;

	for (; k + STEP <= n; k += STEP, to += STEP, more += STEP)
		for (unsigned i = 0; i < STEP; i++)
			to[i] |= more[i] << low;
	for (; k < n; k++)
		*to++ |= *more++ << low;
}

static void group_pack(uint64_t *word, uint64_t *row, uint64_t base, unsigned width)
{
	const unsigned n = 1u << column_items(width), size = width * GROUP_ROWS / n;
	unsigned used = 0;
	uint64_t open = 0;

	for (unsigned k = 0; k < GROUP_ROWS; k++)
		row[k] -= base;
	for (unsigned low = width, k = n; low < size; low += width, k += n)
		append_bits(row, row + k, n, low);
	for (unsigned k = 0; k < n; k++) {
		open |= row[k] << used;
		used += size;
		if (used < 64)
			continue;
		*word++ = open;
		used -= 64;
		open = used ? row[k] >> (size - used) : 0;
	}
}

/* Item k of `width` bits, 33 to 64. */
static inline uint64_t item_at(const uint64_t *word, unsigned width, unsigned k)
{
	const unsigned bit = k * width, low = bit % 64;
	uint64_t v = word[bit / 64] >> low;

	if (low + width > 64)
		v |= word[bit / 64 + 1] << (64 - low);
	return v;
}

static void group_unpack(uint64_t *row, const uint64_t *word, uint64_t base,
			 unsigned width)
{
	const uint64_t mask = UINT64_MAX >> (64 - width);
	const unsigned n = 1u << column_items(width), size = width * GROUP_ROWS / n;
	uint64_t item[GROUP_ROWS];

	for (unsigned k = 0; k < n; k++)
		item[k] = item_at(word, size, k);
	for (unsigned low = 0; low < size; low += width, row += n) {
		unsigned k = 0;

		for (; k + STEP <= n; k += STEP)
			for (unsigned i = 0; i < STEP; i++)
				row[k + i] = base + (item[k + i] >> low & mask);
		for (; k < n; k++)
			row[k] = base + (item[k] >> low & mask);
	}
}

#ifdef SIMD_AVX2
const struct group_loops group_loops_avx2 = {group_bounds, group_pack, group_unpack};
#else
const struct group_loops group_loops_portable = {group_bounds, group_pack, group_unpack};
#endif
