/*
 * column_code.h - the rows of a column in one value, packed in groups of 64.
 *
 *	u64 head of each group | words of group 0 | words of group 1 | ...
 *
 *	head	bits 0 to 15	the group's first word, counted from the end of the heads
 *		16 to 22	width: bits per row, 0 to 64
 *		23 to 63	base
 *
 * A group has as many words as its rows have bits.  They hold n items of 33 to 64 bits, or
 * one of 64, one after the other, the low bits of a word first.  Row k of the group is base
 * + the `width` bits of item k % n from bit k / n * width on:
 *
 *	width 12	16 items of 48 bits; item 0 has the rows 0, 16, 32 and 48
 *
 * So rows are packed and unpacked several at a time, and any row is found at once.  The
 * base is the group's least row, or the largest that fits; the width is the least that will
 * do.  Rows after the last one are as the base.
 */
#ifndef QUERN_COLUMN_CODE_H
#define QUERN_COLUMN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GROUP_ROWS = 64,
	GROUP_WIDTH = 16, /* bits of a head below the width, */
	GROUP_BASE = 23,  /* below the base */
	GROUP_WIDEST = 64,
};
#define GROUP_BASE_MOST (UINT64_MAX >> GROUP_BASE)

/* Bytes that n <= BLOCK_ROWS rows take at most. */
size_t column_room(uint32_t n);
/* Pack n rows of `width` bytes each, 4 or 8; returns the bytes taken. */
size_t column_pack(uint64_t *to, const void *rows, unsigned width, uint32_t n);
/* Whether `bytes` at p can be n packed rows: every width is valid, the groups follow each
 * other up to the end, and nothing is after the last row. */
bool column_sound(const void *p, uint64_t bytes, uint32_t n);
/* Unpack `some` of the n rows, from row `first` on, to `width` bytes each, 4 or 8.  False: a
 * group is not within the bytes, or a row does not fit. */
bool column_read(void *to, unsigned width, const void *p, uint64_t bytes, uint32_t n,
		 uint32_t first, uint32_t some);
/* Unpack all rows. */
static inline bool column_unpack(void *to, unsigned width, const void *p, uint64_t bytes,
				 uint32_t n)
{
	return column_read(to, width, p, bytes, n, 0, n);
}

static inline uint32_t column_groups(uint32_t n)
{
	return (n + GROUP_ROWS - 1) / GROUP_ROWS;
}

/* No row of the group with this head is larger. */
static inline uint64_t column_most(uint64_t head)
{
	const unsigned width = head >> GROUP_WIDTH & 127;
	const uint64_t base = head >> GROUP_BASE;
	const uint64_t more = width == 0	      ? 0
			      : width >= GROUP_WIDEST ? UINT64_MAX
						      : ((uint64_t)1 << width) - 1;

	return more > UINT64_MAX - base ? UINT64_MAX : base + more;
}

/* The items of a group are 1 << column_items(width); width is not 0. */
static inline unsigned column_items(unsigned width)
{
	return width > 1 ? 32 - (unsigned)__builtin_clz(width - 1) : 0;
}

/* The `width` bits of row k of a group, which begin in word `at` and bit `low` of it. */
struct column_place {
	unsigned at, low;
};
static inline struct column_place column_place(unsigned width, unsigned k)
{
	const unsigned items = column_items(width), in = k & ((1u << items) - 1);
	const unsigned bit = in * (width * GROUP_ROWS >> items) + (k >> items) * width;

	return (struct column_place){bit / 64, bit % 64};
}

/* Row i < n; 0 if its head is wrong, as the file may have been written to since it was
 * checked. */
static inline uint64_t column_row(const void *p, uint64_t bytes, uint32_t n, uint32_t i)
{
	const uint64_t *word = p;
	const uint64_t head = *(const volatile uint64_t *)&word[i / GROUP_ROWS];
	const unsigned width = head >> GROUP_WIDTH & 127;
	const uint64_t first = column_groups(n) + (head & UINT16_MAX);
	struct column_place to;
	uint64_t v;

	if (width == 0)
		return head >> GROUP_BASE;
	if (width > GROUP_WIDEST || first + width > bytes / sizeof(*word))
		return 0;
	to = column_place(width, i % GROUP_ROWS);
	v = word[first + to.at] >> to.low;
	if (to.low + width > 64)
		v |= word[first + to.at + 1] << (64 - to.low);
	return (head >> GROUP_BASE) + (v & UINT64_MAX >> (64 - width));
}

#endif
