/* scan_test.c - every instruction set finds the separators that a byte loop finds. */
#include <stdlib.h>

#include "index/base/isa.h"
#include "index/lines/scan.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

static uint16_t pos[SCAN_ROOM], want[SCAN_ROOM];

static size_t byte_loop(const char *p, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)p[i] <= ' ')
			want[found++] = (uint16_t)i;
	return found;
}

/* The text ends where a sanitizer sees a byte too much. */
static bool same(const char *text, size_t n)
{
	char *p = malloc(n ? n : 1);
	size_t found;
	bool pass;

	if (!p)
		abort();
	memcpy(p, text, n);
	found = scan_block(p, n, pos);
	pass = found == byte_loop(p, n) && memcmp(pos, want, found * sizeof(*pos)) == 0;
	free(p);
	return pass;
}

enum fill { ANY, TEXT, BLANKS, NONE, EDGES, FILLS };

static void fill(char *p, size_t n, enum fill how)
{
	static const char text[] = "+2 * 684\nfn=(562)\n\tcalls=1 0x7f\r\n\n0 1";
	static const char edges[] = "\x1f\x20\x21\x7f\x80\x9f\xa0\xe0\xff\n\n \t";

	for (size_t i = 0; i < n; i++) {
		uint64_t r = dice_u64();

		p[i] = how == ANY     ? (char)r
		       : how == TEXT  ? text[r % (sizeof(text) - 1)]
		       : how == NONE  ? 'x'
		       : how == EDGES ? edges[r % (sizeof(edges) - 1)]
				      : (r & 1 ? ' ' : '\n');
	}
}

static void test_set(const char *set)
{
	static char text[SCAN_BLOCK];
	static const char *const names[FILLS] = {"any bytes", "text", "only separators",
						 "none", "bytes at the edges"};

	for (int how = 0; how < FILLS; how++) {
		unsigned failed = 0;

		for (size_t n = 0; n <= 300; n++) {
			fill(text, n, (enum fill)how);
			failed += !same(text, n);
		}
		for (size_t k = 0; k < 60; k++) {
			size_t n = k < 4 ? SCAN_BLOCK - k : dice_u64() % (SCAN_BLOCK + 1);

			fill(text, n, (enum fill)how);
			failed += !same(text, n);
		}
		is_u64(failed, 0, "%s: %s", set, names[how]);
	}
	/* Every byte value at every place of a vector. */
	unsigned failed = 0;

	for (unsigned c = 0; c < 256; c++)
		for (size_t at = 0; at < 64; at++) {
			memset(text, 'x', 64);
			text[at] = (char)c;
			failed += !same(text, 64);
		}
	is_u64(failed, 0, "%s: every byte at every place", set);
}

int main(void)
{
	for (const char *const *set = isa_names(); *set; set++) {
		is_u64((uint64_t)isa_force(*set), 0, "%s can be chosen", *set);
		is_str(isa_name(), *set, "%s is in use", *set);
		test_set(*set);
	}
	ok(isa_force("abacus") != 0, "an unknown set is refused");
	return done_testing();
}
