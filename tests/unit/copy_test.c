/* copy_test.c - a piece copied is what its rows are when they are ordered and packed. */
#include "index/detail/copy.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/hash.h"
#include "index/detail/detail_run.h"
#include "index/tally/piece.h"
#include "index/tally/tally.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { ROWS = 4000, FILES = 200, EDGES = 40, FIRST_EDGE = 1000 };

struct shape {
	const char *name;
	unsigned rows, files, events;
	bool instr, line;
	unsigned turn, back;   /* as in detail_lines_test.c */
	unsigned sites, jumps; /* in a hundred rows */
	unsigned same;	       /* of sites and jumps at one place, about */
	unsigned few;	       /* rows in a hundred that say fewer costs */
	bool far;	       /* some jumps go elsewhere */
	bool odd;	       /* may be left to others */
	unsigned again;	       /* rows in a hundred that cost what the one before did */
};

static const struct shape shapes[] = {
	{"nothing", 0, 1, 1, true, true, 0, 0, 0, 0, 0, 0, false, false, 0},
	{"a row", 1, 1, 1, true, true, 0, 0, 0, 0, 0, 0, false, false, 0},
	{"lines in order", ROWS, 1, 1, true, true, 0, 0, 0, 0, 0, 0, false, false, 0},
	{"turns", ROWS, 1, 1, true, true, 40, 12, 0, 0, 0, 0, false, false, 0},
	{"turns, calls and jumps", ROWS, 1, 1, true, true, 30, 9, 10, 20, 0, 0, false,
	 false, 0},
	{"turns of a line or two", ROWS, 1, 1, true, true, 2, 5, 5, 5, 0, 0, false, true,
	 0},
	{"turns from far back", ROWS, 1, 1, true, true, 300, 400, 5, 5, 0, 0, false,
	 false, 0},
	{"each turn from the start", ROWS, 1, 1, true, true, 20, 1u << 30, 5, 5, 0, 0,
	 false, true, 0},
	{"three files", ROWS, 3, 1, true, true, 30, 9, 10, 10, 0, 0, false, false, 0},
	{"64 files", ROWS, 64, 1, true, true, 0, 0, 10, 10, 0, 0, false, false, 0},
	{"more files", ROWS, FILES, 1, true, true, 0, 0, 10, 10, 0, 0, false, true, 0},
	{"calls and jumps of one place", ROWS, 2, 1, true, true, 50, 9, 20, 20, 20, 0,
	 false, false, 0},
	{"many of one place", ROWS, 1, 1, true, true, 0, 0, 99, 0, 60, 0, false, true, 0},
	{"jumps elsewhere", ROWS, 1, 1, true, true, 50, 9, 10, 30, 5, 0, true, false, 0},
	{"jumps elsewhere, lines of code only", ROWS, 3, 2, false, true, 50, 9, 10, 30, 5,
	 0, true, false, 0},
	{"jumps elsewhere, in order", ROWS, 1, 1, true, true, 0, 0, 10, 30, 0, 0, true,
	 false, 0},
	{"instructions only", ROWS, 2, 1, true, false, 30, 9, 10, 10, 2, 0, false, false,
	 0},
	{"lines of code only", ROWS, 2, 1, false, true, 30, 9, 10, 10, 2, 0, false, false,
	 0},
	{"two events", ROWS, 2, 2, true, true, 30, 9, 10, 10, 3, 0, false, false, 0},
	{"two events, lines only", ROWS, 2, 2, false, true, 30, 9, 10, 10, 3, 0, false,
	 false, 0},
	{"two events, some say one", ROWS, 2, 2, true, true, 30, 9, 0, 10, 3, 20, false,
	 false, 0},
	{"two events, instructions", ROWS, 2, 2, true, false, 30, 9, 10, 10, 3, 0, false,
	 false, 0},
	{"three events", ROWS, 2, 3, true, true, 30, 9, 10, 10, 3, 0, false, false, 0},
	{"13 events, some say fewer", ROWS, 2, 13, true, true, 30, 9, 0, 10, 3, 30, false,
	 false, 0},
	{"13 events, calls, too", ROWS, 2, 13, true, true, 30, 9, 10, 10, 3, 0, false,
	 false, 0},
	{"13 events, calls say fewer", ROWS, 2, 13, true, true, 30, 9, 10, 10, 3, 20,
	 false, true, 0},
	{"costs as before", ROWS, 1, 1, true, true, 0, 0, 0, 0, 0, 0, false, false, 90},
	{"costs as before, turns", ROWS, 3, 1, true, true, 40, 12, 5, 10, 3, 0, false,
	 false, 80},
	{"costs as before, instructions", ROWS, 2, 1, true, false, 40, 12, 5, 10, 3, 0,
	 false, false, 95},
	{"costs as before, lines only", ROWS, 2, 1, false, true, 40, 12, 5, 10, 3, 0,
	 false, false, 95},
	{"costs as before, two events", ROWS, 2, 2, true, true, 40, 12, 5, 10, 3, 0,
	 false, false, 90},
	{"costs as before, 13 events", ROWS, 2, 13, true, true, 40, 12, 5, 10, 3, 0,
	 false, false, 90},
	{"63 events", ROWS / 4, 2, 63, false, true, 30, 9, 10, 10, 3, 0, false, false, 0},
};

static struct piece_row row[ROWS];
static uint64_t cost[ROWS][COPY_EVENTS];
static uint32_t file_of[FILES + 1], edge_of[EDGES];

static uint64_t some_cost(void)
{
	switch (dice_below(8)) {
	case 0: return 0;
	case 1: return hash_mix(dice_state);
	case 2: return (uint64_t)1 << dice_below(64);
	default: return dice_below(3000);
	}
}

static void fill(const struct shape *s)
{
	uint64_t at = 4096;
	uint32_t file = 1;

	memset(row, 0, sizeof(row));
	memset(cost, 0, sizeof(cost));
	for (unsigned i = 0; i < s->rows; i++) {
		struct piece_row *r = &row[i];
		const unsigned kind = dice_below(100);
		bool again = false;

		if (kind < s->sites)
			r->kind = ENTRY_CALL;
		else if (kind < s->sites + s->jumps)
			r->kind = dice_below(2) ? ENTRY_JUMP : ENTRY_JCND;
		again = r->kind != ENTRY_COST && s->same && dice_below(s->same);
		if (s->turn && dice_below(s->turn) == 0)
			at -= dice_below(s->back < at ? s->back : (unsigned)at + 1);
		else if (!again)
			at += 1 + (dice_below(50) ? dice_below(3) : dice_below(1000));
		if (dice_below(20) == 0)
			file = 1 + dice_below(s->files);
		r->file = file;
		r->instr = s->instr ? at : 0;
		r->line = !s->line   ? 0
			  : s->instr ? at / 3 - at / 50 * 2 + dice_below(2) * 5
				     : at;
		r->edge = dice_below(EDGES);
		r->count = dice_below(500);
		r->taken = r->kind == ENTRY_JCND ? dice_below(400) : r->count;
		r->to[0] = s->instr ? at + dice_below(8) - 4 : 0;
		r->to[1] = s->line && dice_below(2) ? r->line + dice_below(3) : r->line;
		r->to[2] = s->far ? dice_below(4) : 0;
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

/* Targets 1 and 3 are another function, 2 and 3 another file. */
static void set_target(void *arg, uint32_t file, uint64_t to, struct detail_row *r)
{
	unsigned *calls = arg;

	++*calls;
	if (to & 1) {
		r->edge |= JUMP_OTHER_FN;
		r->to_fn = 5;
	}
	if (to & 2) {
		r->edge |= JUMP_OTHER_FILE;
		r->to_file = file + 300;
	}
}

/* The rows expected of a kind: in order, equal ones added. */
static unsigned targets;
static struct detail_row expected[ROWS];
static uint64_t sums[ROWS][COPY_EVENTS];

static size_t expect(const struct shape *s, enum detail_kind kind)
{
	size_t n = 0, left = 0;

	for (unsigned i = 0; i < s->rows; i++) {
		const struct piece_row *r = &row[i];
		struct detail_row *d = &expected[n];

		if ((r->kind == ENTRY_COST   ? DETAIL_LINES
		     : r->kind == ENTRY_CALL ? DETAIL_SITES
					     : DETAIL_JUMPS) != kind)
			continue;
		*d = (struct detail_row){.instr = r->instr,
					 .line = r->line,
					 .file = file_of[r->file],
					 .cost = memcpy(sums[n], cost[i], sizeof(*sums))};
		if (kind == DETAIL_SITES)
			d->edge = edge_of[r->edge] - FIRST_EDGE;
		if (kind == DETAIL_JUMPS) {
			d->edge = r->kind == ENTRY_JCND ? JUMP_CONDITIONAL : 0;
			d->to_instr = r->to[0];
			d->to_line = r->to[1];
			d->taken = r->taken;
			set_target(&targets, r->file, r->to[2], d);
		}
		d->calls = kind == DETAIL_LINES ? 0 : r->count;
		n++;
	}
	qsort(expected, n, sizeof(*expected), detail_compare);
	for (size_t i = 0; i < n; i++) {
		struct detail_row *last = left ? &expected[left - 1] : NULL;

		if (!last || detail_compare(last, &expected[i])) {
			expected[left++] = expected[i];
			continue;
		}
		last->calls += expected[i].calls;
		last->taken += expected[i].taken;
		for (uint32_t e = 0; e < s->events; e++) {
			uint64_t *to = (uint64_t *)(uintptr_t)&last->cost[e];

			cost_add_bits(to, expected[i].cost[e]);
		}
	}
	return left;
}

static void mark_alone(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t others = 0;

		for (size_t k = 0; k < n; k++)
			others += k != i && expected[k].edge == expected[i].edge;
		expected[i].alone = !others;
	}
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

static void check(struct copy *c, const struct shape *s)
{
	struct bytes piece = {0};
	struct piece_row before = {0};
	const struct copy_of of = {.file = file_of,
				   .edge = edge_of,
				   .first_edge = FIRST_EDGE,
				   .own = file_of[1],
				   .set_target = set_target,
				   .arg = &targets};
	struct varint_reader in;
	uint64_t first_line = 0;
	enum copied rc;

	fill(s);
	for (unsigned i = 0; i < s->rows; i++)
		if (piece_put(&piece, &before, &row[i], cost[i]))
			exit(1);
	in = (struct varint_reader){piece.p, piece.p + piece.n, false};
	rc = copy_piece(c, &in, &of, &first_line);
	if (s->odd) {
		is_u64(rc, COPY_NOT, "%s: left to others", s->name);
	} else {
		is_u64(rc, COPY_DONE, "%s: copied", s->name);
		is_u64(first_line, lowest_line(s, of.own), "%s: its first line", s->name);
	}
	for (int k = 0; rc == COPY_DONE && k < DETAIL_KINDS; k++) {
		const enum detail_kind kind = (enum detail_kind)k;
		const size_t n = expect(s, kind);
		struct bytes got = {0}, want = {0};
		uint64_t rows;

		if (kind == DETAIL_SITES)
			mark_alone(n);
		if (copy_encode(c, kind, &got, &rows) ||
		    detail_encode(&want, kind, &c->lines.shape, expected, n))
			exit(1);
		is_u64(rows, n, "%s: rows of kind %d", s->name, k);
		ok(got.n == want.n && memcmp(got.p, want.p, got.n) == 0, "%s: kind %d",
		   s->name, k);
		free(got.p);
		free(want.p);
	}
	free(piece.p);
}

int main(void)
{
	for (uint32_t i = 0; i <= FILES; i++)
		file_of[i] = i * 37 % 251;
	for (uint32_t i = 0; i < EDGES; i++)
		edge_of[i] = FIRST_EDGE + i * 7 % EDGES;
	for (size_t i = 0; i < COUNT(shapes); i++) {
		const struct shape *s = &shapes[i];
		struct copy c;

		copy_init(&c, (struct detail_shape){s->events, s->instr, s->line});
		/* Twice: nothing is left of the function before. */
		check(&c, s);
		check(&c, s);
		copy_free(&c);
	}
	return done_testing();
}
