/* varint_test.c - every length, both signs of a difference, and damaged bytes. */
#include "index/base/varint.h"

#include "index/base/sized.h"

#include "tests/support/tap.h"

static const uint64_t edges[] = {
	0,
	1,
	127,
	128,
	16383,
	16384,
	UINT32_MAX,
	INT64_MAX,
	(uint64_t)INT64_MAX + 1,
	UINT64_MAX - 1,
	UINT64_MAX,
};

static void test_there_and_back(void)
{
	for (size_t i = 0; i < COUNT(edges); i++) {
		unsigned char bytes[VARINT_MAX];
		unsigned char *end = varint_put(bytes, edges[i]);
		struct varint_reader r = {bytes, end, false},
				     cut = {bytes, end - 1, false};

		is_u64(varint_get(&r), edges[i], "%" PRIu64 " in %d bytes", edges[i],
		       (int)(end - bytes));
		ok(!r.bad && r.p == end, "and nothing is left");
		is_u64(varint_get(&r), 0, "past the end is 0");
		ok(r.bad, "and bad");
		is_u64(varint_get(&cut), 0, "without its last byte is 0");
		ok(cut.bad && cut.p == cut.end, "bad, and at the end");
	}
}

/* Numbers that say their size: every length, each whole, cut off anywhere and behind others. */
static void test_sized(void)
{
	unsigned char bytes[3 * 65 * SIZED_MAX], *end = bytes;
	struct varint_reader all = {bytes, NULL, false};
	unsigned wrong = 0, kept = 0;

	for (unsigned bits = 64; bits-- > 0;)
		for (uint64_t k = 0; k < 3; k++) {
			const uint64_t v = ((uint64_t)1 << bits) + k - 1;
			unsigned char one[SIZED_MAX];
			const size_t n = (size_t)(sized_put(one, v) - one);
			struct varint_reader r = {one, one + n, false};

			wrong += sized_get(&r) != v || r.bad || r.p != r.end;
			for (size_t cut = 0; cut < n; cut++) {
				struct varint_reader c = {one, one + cut, false};

				kept += sized_get(&c) != 0 || !c.bad || c.p != c.end;
			}
			end = sized_put(end, v);
		}
	is_u64(wrong, 0, "sized numbers, one by one");
	is_u64(kept, 0, "cut off they are 0 and bad");
	all.end = end;
	for (unsigned bits = 64; bits-- > 0;)
		for (uint64_t k = 0; k < 3; k++)
			wrong += sized_get(&all) != ((uint64_t)1 << bits) + k - 1;
	is_u64(wrong, 0, "behind each other");
	ok(!all.bad && all.p == end, "and nothing is left");
}

/* Numbers of every length behind each other, the last of them less than 8 bytes from the end. */
static void test_flat(void)
{
	unsigned char bytes[3 * 65 * VARINT_MAX + 8], *end = bytes, *same = bytes;
	struct varint_reader r = {bytes, NULL, false};
	unsigned wrong = 0, longer = 0;

	for (unsigned bits = 64; bits-- > 0;)
		for (uint64_t k = 0; k < 3; k++) {
			end = varint_put_flat(end, ((uint64_t)1 << bits) + k - 1);
			same = varint_put(same, ((uint64_t)1 << bits) + k - 1);
			longer += end != same;
		}
	r.end = end;
	for (unsigned bits = 64; bits-- > 0;)
		for (uint64_t k = 0; k < 3; k++)
			wrong += varint_get_flat(&r) != ((uint64_t)1 << bits) + k - 1;
	is_u64(longer, 0, "without a branch: as many bytes");
	is_u64(wrong, 0, "the same numbers");
	ok(!r.bad && r.p == end, "and nothing is left");
	varint_get_flat(&r);
	ok(r.bad, "past the end is bad");
}

static void test_zigzag(void)
{
	for (size_t i = 0; i < COUNT(edges); i++)
		for (size_t j = 0; j < COUNT(edges); j++) {
			uint64_t z = varint_zigzag(edges[i], edges[j]);

			if (varint_unzigzag(edges[i], z) != edges[j])
				ok(false, "from %" PRIu64 " to %" PRIu64, edges[i],
				   edges[j]);
		}
	is_u64(varint_zigzag(100, 100), 0, "the same is 0");
	is_u64(varint_zigzag(100, 99), 1, "one less is 1");
	is_u64(varint_zigzag(100, 101), 2, "one more is 2");
	is_u64(varint_zigzag(UINT64_MAX, 0), 2, "and around the corner too");
}

static void test_damaged(void)
{
	static const struct {
		const char *name;
		unsigned char bytes[12];
		size_t n;
		bool bad;
		uint64_t want;
	} cases[] = {
		{"nothing", {0}, 0, true, 0},
		{"a zero written long", {0x80, 0x80, 0x00}, 3, false, 0},
		{"the most that fits",
		 {255, 255, 255, 255, 255, 255, 255, 255, 255, 1},
		 10,
		 false,
		 UINT64_MAX},
		{"a 65th bit",
		 {128, 128, 128, 128, 128, 128, 128, 128, 128, 2},
		 10,
		 true,
		 0},
		{"ten bytes and no end",
		 {255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
		 10,
		 true,
		 0},
		{"eleven bytes",
		 {255, 255, 255, 255, 255, 255, 255, 255, 255, 129, 1},
		 11,
		 true,
		 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct varint_reader r = {cases[i].bytes, cases[i].bytes + cases[i].n,
					  false};

		is_u64(varint_get(&r), cases[i].want, "%s: value", cases[i].name);
		ok(r.bad == cases[i].bad, "%s: %s", cases[i].name,
		   cases[i].bad ? "bad" : "good");
		ok(r.p == r.end, "%s: at the end", cases[i].name);
	}
}

int main(void)
{
	test_there_and_back();
	test_flat();
	test_sized();
	test_zigzag();
	test_damaged();
	return done_testing();
}
