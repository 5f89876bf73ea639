/* column_code.c - pack and unpack the rows of a column; see column_code.h. */
#include "index/format/column_code.h"

#include <string.h>

#include "index/base/isa.h"
#include "index/format/column_loops.h"

const struct column_loops *column_loops(void)
{
#if ISA_X86
	if (isa() == ISA_AVX2)
		return &column_loops_avx2;
#endif
	return &column_loops_portable;
}

size_t column_room(uint32_t n)
{
	const size_t groups = column_groups(n);

	return (groups + groups * GROUP_WIDEST) * sizeof(uint64_t);
}

/* Rows of the group at row `at` of n. */
static uint32_t group_rows(uint32_t n, uint32_t at)
{
	return n - at < GROUP_ROWS ? n - at : GROUP_ROWS;
}

/* Read rows of 4 or 8 bytes; the last one is repeated up to 64. */
static void rows_get(uint64_t *row, const char *from, unsigned width, uint32_t n)
{
	if (width == sizeof(*row)) {
		memcpy(row, from, n * sizeof(*row));
	} else {
		uint32_t four[GROUP_ROWS];

		memcpy(four, from, n * sizeof(*four));
		for (uint32_t i = 0; i < n; i++)
			row[i] = four[i];
	}
	for (uint32_t i = n; i < GROUP_ROWS; i++)
		row[i] = row[n - 1];
}

size_t column_pack(uint64_t *to, const void *rows, unsigned width, uint32_t n)
{
	const struct column_loops *loops = column_loops();
	uint64_t *head = to, *word = to + column_groups(n);
	const uint64_t *first = word;
	const char *from = rows;

	for (uint32_t at = 0; at < n; at += GROUP_ROWS) {
		const uint32_t some = group_rows(n, at);
		uint64_t row[GROUP_ROWS], least, most;
		unsigned bits;

		rows_get(row, from + (size_t)at * width, width, some);
		loops->bounds(row, &least, &most);
		least = least < GROUP_BASE_MOST ? least : GROUP_BASE_MOST;
		bits = most > least ? 64 - (unsigned)__builtin_clzll(most - least) : 0;
		*head++ = (uint64_t)(word - first) | (uint64_t)bits << GROUP_WIDTH |
			  least << GROUP_BASE;
		for (uint32_t i = some; i < GROUP_ROWS; i++)
			row[i] = least;
		if (bits)
			loops->pack(word, row, least, bits);
		word += bits;
	}
	return (size_t)(word - to) * sizeof(*word);
}

/* Whether the rows after the last one are as the base. */
static bool ends(const void *p, uint64_t bytes, uint32_t n)
{
	const uint32_t all = column_groups(n) * GROUP_ROWS;
	bool as_base = true;

	for (uint32_t i = n; i < all; i++)
		as_base &= column_row(p, bytes, n, i) ==
			   ((const uint64_t *)p)[i / GROUP_ROWS] >> GROUP_BASE;
	return as_base;
}

bool column_sound(const void *p, uint64_t bytes, uint32_t n)
{
	const uint64_t *head = p, groups = column_groups(n);
	uint64_t words = 0;

	if (bytes % sizeof(*head) || groups > bytes / sizeof(*head))
		return false;
	for (uint64_t g = 0; g < groups; g++) {
		const unsigned width = head[g] >> GROUP_WIDTH & 127;

		if (width > GROUP_WIDEST || (head[g] & UINT16_MAX) != words)
			return false;
		words += width;
	}
	return groups + words == bytes / sizeof(*head) && ends(p, bytes, n);
}

/* Unpack a group whose words, `left` at most, begin at `word`. */
static bool unpack_group(const struct column_loops *loops, uint64_t *row, uint64_t head,
			 const uint64_t *word, uint64_t left)
{
	const unsigned width = head >> GROUP_WIDTH & 127;

	if (width > GROUP_WIDEST || width > left)
		return false;
	if (width == 0) {
		for (uint32_t i = 0; i < GROUP_ROWS; i++)
			row[i] = head >> GROUP_BASE;
		return true;
	}
	loops->unpack(row, word, head >> GROUP_BASE, width);
	return true;
}

/* Write rows to *to as numbers of `width` bytes; false: one does not fit. */
static bool rows_put(char *to, unsigned width, const uint64_t *row, uint32_t n)
{
	uint32_t four[GROUP_ROWS];
	uint64_t all = 0;

	if (width == sizeof(*row)) {
		memcpy(to, row, n * sizeof(*row));
		return true;
	}
	for (uint32_t i = 0; i < n; i++) {
		four[i] = (uint32_t)row[i];
		all |= row[i];
	}
	memcpy(to, four, n * sizeof(*four));
	return all <= UINT32_MAX;
}

bool column_read(void *to, unsigned width, const void *p, uint64_t bytes, uint32_t n,
		 uint32_t first, uint32_t some)
{
	const struct column_loops *loops = column_loops();
	const uint64_t *word = p, groups = column_groups(n),
		       words = bytes / sizeof(*word) - groups;
	const uint32_t end = first + some;
	char *out = to;
	bool fits = true;

	for (uint32_t at = first, take; at < end; at += take, out += width * take) {
		const uint64_t head = *(const volatile uint64_t *)&word[at / GROUP_ROWS];
		const uint64_t begin = head & UINT16_MAX;
		const uint32_t in = at % GROUP_ROWS;
		uint64_t row[GROUP_ROWS];

		take = group_rows(end, at - in) - in;
		if (begin > words ||
		    !unpack_group(loops, row, head, word + groups + begin, words - begin))
			return false;
		fits &= rows_put(out, width, row + in, take);
	}
	return fits;
}
