/*
 * column_code_test.c - packed columns come back as they were, with every instruction set;
 * damage is met with care.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "index/base/isa.h"
#include "index/format/column_code.h"
#include "index/format/column_loops.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { ROWS = 700, ROUNDS = 2000 };

static uint64_t row[ROWS], again[ROWS], packed[2 * ROWS + 64];

/* Rows of up to `bits` bits above a base, which changes now and then. */
static void make(uint32_t n, unsigned bits)
{
	const uint64_t mask = bits ? UINT64_MAX >> (64 - bits) : 0;
	uint64_t base = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (dice_below(50) == 0)
			base = dice_u64() >> dice_below(64);
		row[i] = dice_below(40) ? base + (dice_u64() & mask)
					: dice_u64() >> dice_below(64);
	}
}

static bool comes_back(uint32_t n)
{
	const size_t bytes = column_pack(packed, row, sizeof(*row), n);
	uint32_t from, some;

	if (bytes > column_room(n) || !column_sound(packed, bytes, n) ||
	    !column_unpack(again, sizeof(*row), packed, bytes, n) ||
	    memcmp(row, again, n * sizeof(*row)) != 0)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (column_row(packed, bytes, n, i) != row[i])
			return false;
	from = dice_below(n);
	some = dice_below(n - from + 1);
	return column_read(again, sizeof(*row), packed, bytes, n, from, some) &&
	       memcmp(row + from, again, some * sizeof(*row)) == 0;
}

/* Rows of four bytes are packed as those of eight, and come back. */
static bool comes_back_narrow(uint32_t n)
{
	static uint64_t wide[2 * ROWS + 64];
	uint32_t four[ROWS], back[ROWS];
	size_t bytes;

	for (uint32_t i = 0; i < n; i++)
		row[i] = four[i] = (uint32_t)row[i];
	bytes = column_pack(packed, four, sizeof(*four), n);
	return bytes == column_pack(wide, row, sizeof(*row), n) &&
	       memcmp(packed, wide, bytes) == 0 &&
	       column_unpack(back, sizeof(*back), packed, bytes, n) &&
	       memcmp(four, back, n * sizeof(*four)) == 0;
}

/* Damaged bytes in a buffer of their own, so that a sanitizer sees a byte too much. */
static void read_damaged(uint32_t n)
{
	const size_t bytes = column_pack(packed, row, sizeof(*row), n);
	const size_t left = dice_below(4) ? bytes : bytes / 8 / 2 * 8;
	unsigned char *p = malloc(left + 1);

	if (!p)
		abort();
	memcpy(p, packed, left);
	for (unsigned k = dice_below(4); left && k; k--)
		p[dice_u64() % (dice_below(2) ? left : (left < 64 ? left : 64))] =
			(unsigned char)dice_u64();
	/* The heads are always there; they may be wrong. */
	if (left >= column_groups(n) * sizeof(uint64_t)) {
		column_sound(p, left, n);
		column_unpack(again, sizeof(*again), p, left, n);
		for (uint32_t i = 0; i < n; i++)
			column_row(p, left, n, i);
	}
	free(p);
}

static void test_set(const char *name)
{
	unsigned wrong = 0, narrow = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint32_t n = 1 + dice_below(i % 4 ? ROWS : 130);

		make(n, i % 65);
		wrong += !comes_back(n);
		read_damaged(n);
		narrow += !comes_back_narrow(n);
	}
	is_u64(wrong, 0, "%s: rows come back", name);
	is_u64(narrow, 0, "%s: rows of four bytes, too", name);
}

static void test_sound(void)
{
	size_t bytes;

	for (uint32_t i = 0; i < 100; i++)
		row[i] = 1000 + i;
	bytes = column_pack(packed, row, sizeof(*row), 100);
	is_u64(bytes, (2 + 6 + 6) * 8, "64 rows of 6 bits, 36 rows of 6");
	ok(!column_sound(packed, bytes, 129) && !column_sound(packed, bytes, 300),
	   "not more rows");
	ok(!column_sound(packed, bytes - 8, 100) && !column_sound(packed, bytes - 1, 100),
	   "not fewer bytes");
	packed[13] ^= (uint64_t)1 << 63;
	ok(!column_sound(packed, bytes, 100), "a bit after the last row");
	packed[13] ^= (uint64_t)1 << 63;
	ok(column_sound(packed, bytes, 100), "as it was");
	packed[1]++;
	ok(!column_sound(packed, bytes, 100), "a group elsewhere");
	packed[1]--;
	packed[0] += (uint64_t)100 << GROUP_WIDTH;
	ok(!column_sound(packed, bytes, 100) &&
		   !column_unpack(again, sizeof(*again), packed, bytes, 100) &&
		   column_row(packed, bytes, 100, 0) == 0,
	   "too wide");
	for (uint32_t i = 0; i < 2; i++)
		row[i] = (uint64_t)UINT32_MAX + i;
	bytes = column_pack(packed, row, sizeof(*row), 2);
	ok(!column_unpack(again, 4, packed, bytes, 2), "a row that does not fit");
}

static const char *naive_find(const char *p, size_t n, const char *text, size_t m,
			      int nocase)
{
	for (size_t i = 0; i + m <= n; i++)
		if (nocase ? !strncasecmp(p + i, text, m) : !memcmp(p + i, text, m))
			return p + i;
	return NULL;
}

/* Texts of few letters, and of signs that differ from others in the bit of capitals. */
static void test_find(const char *set)
{
	static const char signs[] = "aabbAB@`[{_";
	char p[300], text[8];
	unsigned wrong = 0;

	for (int round = 0; round < 20000; round++) {
		const size_t n = dice_below(sizeof(p)), m = 1 + dice_below(sizeof(text));

		for (size_t i = 0; i < n; i++)
			p[i] = signs[dice_below(dice_below(2) ? 3 : sizeof(signs) - 1)];
		for (size_t i = 0; i < m; i++)
			text[i] = signs[dice_below(sizeof(signs) - 1)];
		wrong += column_loops()->find(p, n, text, m) !=
			 naive_find(p, n, text, m, 0);
		for (size_t i = 0; i < m; i++)
			text[i] = (char)tolower((unsigned char)text[i]);
		wrong += column_loops()->find_nocase(p, n, text, m) !=
			 naive_find(p, n, text, m, 1);
	}
	ok(wrong == 0, "%s: texts are found as one by one", set);
}

int main(void)
{
	for (const char *const *set = isa_names(); *set; set++) {
		if (isa_force(*set))
			exit(1);
		test_set(*set);
		test_find(*set);
	}
	test_sound();
	return done_testing();
}
