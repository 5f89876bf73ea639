/* copy_test.c - the cost lines of a piece copied are what they are when they are ordered and packed. */
#include "index/detail/copy_lines.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/hash.h"
#include "index/detail/detail_run.h"
#include "index/tally/piece.h"
#include "index/tally/tally.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { ROWS = 4000, FILES = 200 };

struct shape {
	const char *name;
	unsigned rows, files, events;
	bool instr, line;
	unsigned turn, back;   /* as in detail_lines_test.c */
	unsigned sites, jumps; /* in a hundred rows */
	unsigned few;	       /* rows in a hundred that say fewer costs */
	bool odd;	       /* may be left to others */
	unsigned again;	       /* rows in a hundred that cost what the one before did */
};

static const struct shape shapes[] = {
	{"nothing", 0, 1, 1, true, true, 0, 0, 0, 0, 0, false, 0},
	{"a row", 1, 1, 1, true, true, 0, 0, 0, 0, 0, false, 0},
	{"lines in order", ROWS, 1, 1, true, true, 0, 0, 0, 0, 0, false, 0},
	{"turns", ROWS, 1, 1, true, true, 40, 12, 0, 0, 0, false, 0},
	{"turns, calls and jumps", ROWS, 1, 1, true, true, 30, 9, 10, 20, 0, false, 0},
	{"turns of a line or two", ROWS, 1, 1, true, true, 2, 5, 5, 5, 0, true, 0},
	{"turns from far back", ROWS, 1, 1, true, true, 300, 400, 5, 5, 0, false, 0},
	{"each turn from the start", ROWS, 1, 1, true, true, 20, 1u << 30, 5, 5, 0, true,
	 0},
	{"three files", ROWS, 3, 1, true, true, 30, 9, 10, 10, 0, false, 0},
	{"64 files", ROWS, 64, 1, true, true, 0, 0, 10, 10, 0, false, 0},
	{"more files", ROWS, FILES, 1, true, true, 0, 0, 10, 10, 0, true, 0},
	{"instructions only", ROWS, 2, 1, true, false, 30, 9, 10, 10, 0, false, 0},
	{"lines of code only", ROWS, 2, 1, false, true, 30, 9, 10, 10, 0, false, 0},
	{"two events", ROWS, 2, 2, true, true, 30, 9, 10, 10, 0, false, 0},
	{"two events, lines only", ROWS, 2, 2, false, true, 30, 9, 10, 10, 0, false, 0},
	{"two events, some say one", ROWS, 2, 2, true, true, 30, 9, 0, 10, 20, true, 0},
	{"two events, instructions", ROWS, 2, 2, true, false, 30, 9, 10, 10, 0, false, 0},
	{"three events", ROWS, 2, 3, true, true, 30, 9, 10, 10, 0, false, 0},
	{"13 events, some say fewer", ROWS, 2, 13, true, true, 30, 9, 0, 10, 30, true, 0},
	{"costs as before", ROWS, 1, 1, true, true, 0, 0, 0, 0, 0, false, 90},
	{"costs as before, turns", ROWS, 3, 1, true, true, 40, 12, 5, 10, 0, false, 80},
	{"costs as before, instructions", ROWS, 2, 1, true, false, 40, 12, 5, 10, 0,
	 false, 95},
	{"costs as before, lines only", ROWS, 2, 1, false, true, 40, 12, 5, 10, 0, false,
	 95},
	{"costs as before, two events", ROWS, 2, 2, true, true, 40, 12, 5, 10, 0, false,
	 90},
	{"costs as before, 13 events", ROWS, 2, 13, true, true, 40, 12, 5, 10, 0, false,
	 90},
	{"63 events", ROWS / 4, 2, 63, false, true, 30, 9, 10, 10, 0, false, 0},
};

/* Their places are on both sides of 2^64 - 1, which 0 follows. */
static const struct shape ends[] = {
	{"highest lines", 100, 1, 1, false, true, 4, 8, 0, 0, 0, false, 90},
	{"highest instructions", 100, 1, 1, true, false, 4, 8, 0, 0, 0, false, 90},
	{"highest lines of an instruction", 100, 1, 1, true, true, 4, 8, 0, 0, 0, false,
	 90},
	{"highest lines, 13 events", 100, 1, 13, true, true, 4, 8, 0, 0, 0, false, 90},
	{"highest instructions, 13 events", 100, 1, 13, true, false, 4, 8, 0, 0, 0, false,
	 90},
};

static struct piece_row row[ROWS];
static uint64_t cost[ROWS][COPY_EVENTS];
static uint32_t file_of[FILES + 1];

static uint64_t some_cost(void)
{
	switch (dice_below(8)) {
	case 0: return 0;
	case 1: return hash_mix(dice_state);
	case 2: return (uint64_t)1 << dice_below(64);
	default: return dice_below(3000);
	}
}

/* Write a row's place; at the ends many lines have one instruction. */
static void put_place(const struct shape *s, bool at_ends, uint64_t at,
		      struct piece_row *r)
{
	if (s->instr)
		r->instr = at_ends && s->line ? (at + 40) / 80 : at;
	if (s->line && (at_ends || !s->instr))
		r->line = at;
	else if (s->line)
		r->line = at / 3 - at / 50 * 2 + dice_below(2) * 5;
}

static void fill(const struct shape *s, bool at_ends)
{
	uint64_t at = at_ends ? 0 : 4096;
	uint32_t file = 1;

	memset(row, 0, sizeof(row));
	memset(cost, 0, sizeof(cost));
	for (unsigned i = 0; i < s->rows; i++) {
		struct piece_row *r = &row[i];
		const unsigned kind = dice_below(100);

		if (kind < s->sites)
			r->kind = ENTRY_CALL;
		else if (kind < s->sites + s->jumps)
			r->kind = dice_below(2) ? ENTRY_JUMP : ENTRY_JCND;
		if (s->turn && dice_below(s->turn) == 0)
			at -= dice_below(s->back < at || at_ends ? s->back
								 : (unsigned)at + 1);
		else if (at_ends)
			at += dice_below(4);
		else
			at += 1 + (dice_below(50) ? dice_below(3) : dice_below(1000));
		if (dice_below(20) == 0)
			file = 1 + dice_below(s->files);
		r->file = file;
		put_place(s, at_ends, at, r);
		r->edge = dice_below(40);
		r->count = dice_below(500);
		r->taken = r->kind == ENTRY_JCND ? dice_below(400) : r->count;
		r->to[0] = s->instr ? at + dice_below(8) - 4 : 0;
		r->to[1] = s->line && dice_below(2) ? r->line + dice_below(3) : r->line;
		r->to[2] = dice_below(4);
		if (r->kind <= ENTRY_CALL) {
			r->ncost = dice_below(100) < s->few ? 1 + dice_below(s->events)
							    : s->events;
			const bool costs_again = i && dice_below(100) < s->again &&
						 row[i - 1].ncost == r->ncost;

			for (uint32_t e = 0; e < r->ncost; e++)
				cost[i][e] = costs_again ? cost[i - 1][e] : some_cost();
		}
	}
}

/* The rows expected: in order, equal ones added. */
static struct detail_row expected[ROWS];
static uint64_t sums[ROWS][COPY_EVENTS];

static size_t expect(const struct shape *s)
{
	size_t n = 0, left = 0;

	for (unsigned i = 0; i < s->rows; i++) {
		const struct piece_row *r = &row[i];

		if (r->kind == ENTRY_COST)
			expected[n] = (struct detail_row){
				.instr = r->instr,
				.line = r->line,
				.file = file_of[r->file],
				.cost = memcpy(sums[n], cost[i], sizeof(*sums))};
		n += r->kind == ENTRY_COST;
	}
	qsort(expected, n, sizeof(*expected), detail_compare);
	for (size_t i = 0; i < n; i++) {
		struct detail_row *last = left ? &expected[left - 1] : NULL;

		if (!last || detail_compare(last, &expected[i])) {
			expected[left++] = expected[i];
			continue;
		}
		for (uint32_t e = 0; e < s->events; e++) {
			uint64_t *to = (uint64_t *)(uintptr_t)&last->cost[e];

			cost_add_bits(to, expected[i].cost[e]);
		}
	}
	return left;
}

static uint64_t lowest_line(const struct shape *s, uint32_t own)
{
	uint64_t least = 0;

	for (unsigned i = 0; i < s->rows; i++)
		if (row[i].kind == ENTRY_COST && file_of[row[i].file] == own &&
		    row[i].line - 1 < least - 1)
			least = row[i].line;
	return least;
}

/* Copy the lines of a piece, and step over its other rows. */
static enum copied copy(struct copy_lines *c, struct bytes piece, uint64_t *first_line)
{
	struct varint_reader in = {piece.p, piece.n ? piece.p + piece.n : piece.p, false};
	struct copy_place at = {.file = file_of[0]};
	struct piece_row o = {0};
	uint64_t costs[COPY_EVENTS];
	enum copied rc;

	copy_lines_clear(c);
	for (;;) {
		rc = copy_lines_take(c, &in, &at, file_of, file_of[1], first_line);
		if (rc || in.p == in.end)
			return rc;
		o.instr = at.instr;
		o.line = at.line;
		o.file = at.slot;
		if (!piece_get(&in, &o, costs))
			return COPY_NOT;
		at.instr = o.instr;
		at.line = o.line;
		at.slot = o.file;
		at.file = file_of[o.file];
	}
}

static void check(struct copy_lines *c, const struct shape *s, bool at_ends)
{
	struct bytes piece = {0}, got = {0}, want = {0};
	struct piece_row before = {0};
	uint64_t first_line = 0, rows;
	enum copied rc;

	fill(s, at_ends);
	for (unsigned i = 0; i < s->rows; i++)
		if (piece_put(&piece, &before, &row[i], cost[i]))
			exit(1);
	rc = copy(c, piece, &first_line);
	if (s->odd) {
		is_u64(rc, COPY_NOT, "%s: left to others", s->name);
	} else {
		const size_t n = expect(s);

		is_u64(rc, COPY_DONE, "%s: copied", s->name);
		is_u64(first_line, lowest_line(s, file_of[1]), "%s: its first line",
		       s->name);
		if (copy_lines_encode(c, &got, &rows) ||
		    detail_encode(&want, DETAIL_LINES, &c->shape, expected, n))
			exit(1);
		is_u64(rows, n, "%s: rows", s->name);
		ok(got.n == want.n && memcmp(got.p, want.p, got.n) == 0, "%s: bytes",
		   s->name);
	}
	free(got.p);
	free(want.p);
	free(piece.p);
}

static void check_twice(const struct shape *s, bool at_ends)
{
	struct copy_lines c;

	copy_lines_init(&c, (struct detail_shape){s->events, s->instr, s->line});
	/* Nothing is left of the function before. */
	check(&c, s, at_ends);
	check(&c, s, at_ends);
	copy_lines_free(&c);
}

int main(void)
{
	for (uint32_t i = 0; i <= FILES; i++)
		file_of[i] = i * 37 % 251;
	for (size_t i = 0; i < COUNT(shapes); i++)
		check_twice(&shapes[i], false);
	for (size_t i = 0; i < COUNT(ends); i++)
		check_twice(&ends[i], true);
	return done_testing();
}
