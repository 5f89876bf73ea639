/*
 * column_loops.c - the loops over the rows and texts of a block; compiled once per
 * instruction set.
 *
 * They are in steps of a length that compilers make vectors of.
 */
#include "index/format/column_loops.h"

#include <string.h>

#include "index/format/column_code.h"

enum {
	ROWS = 4,      /* of a group, in a step */
	QUARTER = 128, /* of the ids in a step */
	IDS = 4 * QUARTER,
	BYTES = 64, /* of texts, in a step */
};

/* ---- a group of 64 rows: they become the items of column_code.h, several rows at a time;
 * the few items are then put together bit by bit ---- */

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

	for (; k + ROWS <= n; k += ROWS, to += ROWS, more += ROWS)
		for (unsigned i = 0; i < ROWS; i++)
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

		for (; k + ROWS <= n; k += ROWS)
			for (unsigned i = 0; i < ROWS; i++)
				row[k + i] = base + (item[k + i] >> low & mask);
		for (; k < n; k++)
			row[k] = base + (item[k] >> low & mask);
	}
}

/* ---- ids; plain SSE2 has no maximum of unsigned numbers ---- */

static inline uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* In four parts, so that comparisons do not wait for each other. */
static uint32_t largest(const uint32_t *p, uint64_t n)
{
	uint32_t most = 0;

	for (; n >= IDS; n -= IDS, p += IDS)
		for (unsigned i = 0; i < QUARTER; i++)
			most = larger(most, larger(larger(p[i], p[QUARTER + i]),
						   larger(p[2 * QUARTER + i],
							  p[3 * QUARTER + i])));
	for (; n; n--, p++)
		most = larger(most, *p);
	return most;
}

static bool ascending(const uint32_t *p, uint64_t n)
{
	uint32_t falls = 0;

	for (; n > IDS; n -= IDS, p += IDS)
		for (unsigned i = 0; i < IDS; i++)
			falls |= p[i] > p[i + 1];
	for (; n > 1; n--, p++)
		falls |= p[0] > p[1];
	return !falls;
}

/* ---- texts ---- */

/* The bit in which the letter c differs from the same in capitals; 0: c is none. */
static unsigned char case_bit(char c)
{
	return c >= 'a' && c <= 'z' ? 0x20 : 0;
}

static bool is_text(const char *p, const char *text, size_t m)
{
	for (size_t i = 0; i < m; i++)
		if ((p[i] | case_bit(text[i])) != text[i])
			return false;
	return true;
}

/* Most steps have no place with both the first and the last byte of the text. */
static inline __attribute__((always_inline)) const char *
find_as(const char *p, size_t n, const char *text, size_t m, bool nocase)
{
	const char first = text[0], last = text[m - 1];
	const char a = nocase ? (char)case_bit(first) : 0;
	const char b = nocase ? (char)case_bit(last) : 0;
	size_t step;

	for (; n >= m; n -= step, p += step) {
		unsigned char any = n < BYTES + m;
		const char *hit = NULL;

		step = any ? n - m + 1 : BYTES;
		for (unsigned i = 0; i < BYTES && n >= BYTES + m; i++)
			any |= ((p[i] | a) == first) & ((p[i + m - 1] | b) == last);
		if (any && !nocase)
			hit = memmem(p, step + m - 1, text, m);
		for (size_t i = 0; any && nocase && i < step && !hit; i++)
			hit = (p[i] | a) == first && is_text(p + i, text, m) ? p + i
									     : NULL;
		if (hit)
			return hit;
	}
	return NULL;
}

static const char *find(const char *p, size_t n, const char *text, size_t m)
{
	return find_as(p, n, text, m, false);
}

static const char *find_nocase(const char *p, size_t n, const char *text, size_t m)
{
	return find_as(p, n, text, m, true);
}

#ifdef SIMD_AVX2
const struct column_loops column_loops_avx2 = {
#else
const struct column_loops column_loops_portable = {
#endif
	group_bounds, group_pack, group_unpack, largest, ascending, find, find_nocase};
