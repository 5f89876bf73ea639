/* detail_lines_test.c - cost lines put in order, of few files and many, with some twice. */
#include "index/detail/detail_lines.h"

#include <stdlib.h>

#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { ROWS = 3000, EVENTS = 2 };

/* As a profile has them: by address, files in turns; or in any order. */
struct shape {
	const char *name;
	unsigned rows, files, positions; /* positions: different ones */
	bool by_address;
	unsigned turn, back; /* of so many lines, each from up to so far back; 0: none */
};

static void fill(struct detail_key *key, const struct shape *s)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < s->rows; i++) {
		if (s->turn && dice_below(s->turn) == 0)
			at -= dice_below(s->back < at ? s->back : (unsigned)at + 1);
		else if (s->turn)
			at += 1 + dice_below(3);
		else
			at = s->by_address ? i * s->positions / s->rows
					   : dice_below(s->positions);
		key[i] = (struct detail_key){at, at / 3, dice_below(s->files) * 7, i};
	}
}

/* Row i costs {1, i}, so a sum tells of which rows it is. */
static void add_all(struct detail_lines *l, const struct detail_key *key, unsigned n)
{
	detail_lines_clear(l);
	detail_lines_again(l);
	for (unsigned i = 0; i < n; i++) {
		uint64_t *cost =
			detail_lines_row(l, key[i].instr, key[i].line, key[i].file);

		if (!cost)
			exit(1);
		cost[0]++;
		cost[1] += i;
		if (dice_below(50) == 0)
			detail_lines_again(l);
	}
}

static bool equal(const struct detail_key *a, const struct detail_key *b)
{
	return !detail_key_after(a, b) && !detail_key_after(b, a);
}

static void check(const struct detail_lines *l, const struct detail_key *key,
		  const struct shape *s)
{
	unsigned wrong = 0, sums = 0;
	uint64_t rows = 0;

	for (size_t i = 0; i < l->n; i++) {
		const uint64_t *cost = l->cost + l->key[i].row * EVENTS;
		uint64_t n = 0, sum = 0;

		wrong += i && !detail_key_after(&l->key[i], &l->key[i - 1]);
		for (unsigned k = 0; k < s->rows; k++)
			if (equal(&key[k], &l->key[i])) {
				n++;
				sum += k;
			}
		sums += cost[0] != n || cost[1] != sum || n == 0;
		rows += n;
	}
	is_u64(wrong, 0, "%s: in order, each once", s->name);
	is_u64(sums, 0, "%s: the costs of each", s->name);
	is_u64(rows, s->rows, "%s: none is lost", s->name);
}

int main(void)
{
	static const struct shape shapes[] = {
		{"none", 0, 1, 1, false, 0, 0},
		{"one", 1, 1, 1, false, 0, 0},
		{"in order", 2000, 1, 2000, true, 0, 0},
		{"one line", 500, 1, 1, false, 0, 0},
		{"files in turns", ROWS, 5, ROWS, true, 0, 0},
		{"as many files as are put together", ROWS, 32, ROWS, true, 0, 0},
		{"more files than that", ROWS, 33, ROWS, true, 0, 0},
		{"a file for each", ROWS, 1000000, ROWS, true, 0, 0},
		{"any order", ROWS, 3, ROWS, false, 0, 0},
		{"any order, most many times", ROWS, 4, 50, false, 0, 0},
		{"turns that overlap", ROWS, 1, 0, false, 40, 12},
		{"turns that overlap, two files", ROWS, 2, 0, false, 40, 12},
		{"turns of a line or two", ROWS, 1, 0, false, 2, 5},
		{"turns from far back", ROWS, 1, 0, false, 100, 400},
		{"each turn from the start", ROWS, 1, 0, false, 60, 1u << 30},
		{"each turn from anywhere, three files", ROWS, 3, 0, false, 30, 1u << 30},
		{"any order, many files", ROWS, 100, 40, false, 0, 0},
	};
	static struct detail_key key[ROWS];
	struct detail_lines l;

	detail_lines_init(&l, EVENTS);
	for (size_t i = 0; i < COUNT(shapes); i++) {
		fill(key, &shapes[i]);
		add_all(&l, key, shapes[i].rows);
		is_u64((uint64_t)detail_lines_order(&l), 0, "%s: done", shapes[i].name);
		check(&l, key, &shapes[i]);
	}
	l.n = (size_t)UINT32_MAX + 1;
	ok(detail_lines_order(&l) != 0, "more rows than there are numbers for");
	detail_lines_free(&l);
	return done_testing();
}
