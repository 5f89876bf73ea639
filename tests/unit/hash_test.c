/* hash_test.c - every index is found under its hash, also when hashes collide. */
#include "index/base/hash.h"

#include "index/base/arena.h"
#include "tests/support/tap.h"

/* How many indices are found under h, and whether want is one of them. */
static uint32_t find(const struct hash *t, uint32_t h, uint32_t want, bool *found)
{
	uint32_t probe = hash_start(t, h), i, n = 0;

	*found = false;
	while ((i = hash_next(t, h, &probe)) != HASH_NONE) {
		*found = *found || i == want;
		n++;
	}
	return n;
}

static void test_find(void)
{
	static const struct {
		const char *name;
		uint32_t n, step, modulo; /* hash of i: i * step % modulo */
	} cases[] = {
		{"one", 1, 1, 1000},
		{"in a row", 10000, 1, 1 << 30},
		{"spread", 100000, 2654435761, UINT32_MAX},
		{"all in one bucket", 500, 0, 1},
		{"pairs", 20000, 1, 10000},
		{"the last cells, so that probing wraps", 40, 0xffffffff, 0xfffffffe},
	};

	for (size_t c = 0; c < COUNT(cases); c++) {
		struct hash t = {0};
		uint32_t lost = 0, more = 0, failed = 0;
		bool found;

		find(&t, 7, 0, &found);
		ok(!found, "%s: an empty table has nothing", cases[c].name);
		for (uint32_t i = 0; i < cases[c].n; i++)
			failed +=
				hash_add(&t, i * cases[c].step % cases[c].modulo, i) != 0;
		for (uint32_t i = 0; i < cases[c].n; i++) {
			uint32_t h = i * cases[c].step % cases[c].modulo;

			more += find(&t, h, i, &found) > cases[c].n;
			lost += !found;
		}
		is_u64(failed, 0, "%s: added", cases[c].name);
		is_u64(lost, 0, "%s: found again", cases[c].name);
		is_u64(more, 0, "%s: each once", cases[c].name);
		is_u64(t.n, cases[c].n, "%s: counted", cases[c].name);
		is_u64(find(&t, 0xdeadbeef, 0, &found), 0,
		       "%s: an unknown hash is not found", cases[c].name);
		hash_clear(&t);
		is_u64(find(&t, 0, 0, &found) + t.n, 0, "%s: cleared", cases[c].name);
		ok(hash_add(&t, 5, 99) == 0 && find(&t, 5, 99, &found) == 1 && found,
		   "%s: and used again", cases[c].name);
		hash_free(&t);
		ok(!t.cell && find(&t, 5, 99, &found) == 0, "%s: freed", cases[c].name);
	}
}

/* Expected ones find room, and those that are there stay. */
static void test_expected(void)
{
	struct hash t = {0};
	const struct hash_cell *cell;
	unsigned failed = 0;
	bool found;

	ok(hash_add(&t, 5, 99) == 0 && hash_expect(&t, 1000) == 0, "1,000 are expected");
	cell = t.cell;
	for (uint32_t i = 1; i < 1000; i++)
		failed += hash_add(&t, i, i) != 0;
	ok(!failed && t.cell == cell, "they fit");
	is_u64(find(&t, 5, 99, &found), 2, "two of one hash");
	ok(found, "the one before them is there");
	ok(hash_expect(&t, 10) == 0 && t.cell == cell, "fewer change nothing");
	hash_free(&t);
}

/* As large as it gets: it says so before it allocates, and stays as it was. */
static void test_full(void)
{
	struct hash_cell cell = {0, 0};
	struct hash t = {.cell = &cell, .mask = (1u << 31) - 1, .n = 1431655766};

	ok(hash_add(&t, 1, 2) != 0, "2^31 cells do not become more");
	ok(t.cell == &cell && t.mask == (1u << 31) - 1 && t.n == 1431655766 &&
		   cell.number == 0,
	   "  and what is there stays");
}

static void test_arena(void)
{
	struct arena a;
	struct hash t = {.arena = &a};
	uint32_t i = 0, lost = 0;
	bool found;

	arena_init(&a, 64 << 10);
	while (i < 100000 && !hash_add(&t, 7 * i, i))
		i++;
	ok(i > 1000 && i < 100000 && a.refused, "an arena that is full ends the table");
	for (uint32_t k = 0; k < i; k++)
		lost += find(&t, 7 * k, k, &found) != 1 || !found;
	is_u64(lost, 0, "what was added before is found");
	hash_free(&t);
	ok(!t.cell, "an empty table");
	arena_free(&a);
}

static void test_mix(void)
{
	uint32_t same = 0;

	for (uint64_t i = 0; i < 64; i++)
		same += (uint32_t)hash_mix(1ULL << i) == (uint32_t)hash_mix(0);
	is_u64(same, 0, "each bit changes the low half");
}

int main(void)
{
	test_find();
	test_expected();
	test_full();
	test_mix();
	test_arena();
	return done_testing();
}
