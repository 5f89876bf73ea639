/* detail_code_test.c - packed detail comes back as it was, and damage is met with care. */
#include <stdlib.h>

#include "index/base/order.h"
#include "index/format/detail_code.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { ROWS = 40, EVENTS = 130 };

/* Small, or anything: the extremes come often. */
static uint64_t some(void)
{
	switch (dice_u64() % 6) {
	case 0: return 0;
	case 1: return UINT64_MAX;
	case 2: return dice_u64();
	default: return dice_u64() % 300;
	}
}

static int compare(const void *a, const void *b)
{
	const struct detail_row *x = a, *y = b;
	int c = order_u64(x->file, y->file);

	c = c ? c : order_u64(x->instr, y->instr);
	return c ? c : order_u64(x->line, y->line);
}

static uint64_t costs[ROWS][EVENTS];

static void make(struct detail_row *row, size_t n, enum detail_kind kind,
		 const struct detail_shape *s)
{
	for (size_t i = 0; i < n; i++) {
		bool conditional = dice_u64() & 1;

		row[i] = (struct detail_row){.file = (uint32_t)(dice_u64() % 4)};
		if (dice_u64() % 8 == 0)
			row[i].file = UINT32_MAX;
		row[i].instr = s->instr ? some() : 0;
		row[i].line = s->line ? some() : 0;
		if (kind == DETAIL_SITES) {
			row[i].edge = (uint32_t)some();
			row[i].alone = dice_u64() & 1;
			row[i].calls = row[i].alone ? 0 : some();
		}
		if (kind == DETAIL_JUMPS) {
			row[i].edge = (uint32_t)(dice_u64() % 4) << 1 | conditional;
			row[i].to_fn = row[i].edge & JUMP_OTHER_FN ? (uint32_t)some() : 0;
			row[i].to_file =
				row[i].edge & JUMP_OTHER_FILE ? (uint32_t)some() : 0;
			row[i].to_instr = some();
			row[i].to_line = some();
			row[i].calls = some();
			row[i].taken = conditional ? some() : row[i].calls;
		}
	}
	qsort(row, n, sizeof(*row), compare);
	for (size_t i = 0; i < n; i++) {
		const bool again = i && dice_u64() % 2;

		for (uint32_t e = 0; e < EVENTS; e++)
			costs[i][e] = row[i].alone ? 0 : again ? costs[i - 1][e] : some();
		row[i].cost = costs[i];
	}
}

static bool same_row(const struct detail_row *a, const struct detail_row *b,
		     enum detail_kind kind, const uint64_t *cost, uint32_t events)
{
	if (a->file != b->file || a->instr != b->instr || a->line != b->line)
		return false;
	if (kind != DETAIL_JUMPS && memcmp(a->cost, cost, events * sizeof(*cost)) != 0)
		return false;
	if (kind == DETAIL_LINES)
		return true;
	return a->edge == b->edge && a->alone == b->alone && a->calls == b->calls &&
	       (kind == DETAIL_SITES ||
		(a->to_fn == b->to_fn && a->to_file == b->to_file &&
		 a->taken == b->taken && a->to_instr == b->to_instr &&
		 a->to_line == b->to_line));
}

static bool round_trip(enum detail_kind kind, struct bytes *b, struct detail_shape *s)
{
	struct detail_row row[ROWS];
	struct detail_reader r;
	uint64_t cost[EVENTS + 1], n = dice_u64() % (ROWS + 1);

	*s = (struct detail_shape){
		(uint32_t)(dice_u64() % (dice_u64() % 4 ? 5 : EVENTS + 1)),
		dice_u64() & 1, dice_u64() & 1};
	make(row, n, kind, s);
	b->n = 0;
	if (detail_encode(b, kind, s, row, n))
		abort();
	if (detail_begin(&r, kind, s, b->p, b->p + b->n) != n)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		detail_next(&r, cost);
		if (r.in.bad || !same_row(&row[i], &r.row, kind, cost, s->events))
			return false;
	}
	return r.in.p == r.in.end;
}

/* Damaged bytes in a buffer of their own, so that a sanitizer sees a byte too much. */
static void read_damaged(enum detail_kind kind, const struct bytes *b,
			 const struct detail_shape *s)
{
	size_t n = dice_u64() % (b->n + 1);
	unsigned char *p = malloc(n ? n : 1);
	uint64_t cost[EVENTS + 1], rows;
	struct detail_reader r;

	if (!p)
		abort();
	memcpy(p, b->p, n);
	for (size_t k = dice_u64() % 4; n && k; k--)
		p[dice_u64() % n] = (unsigned char)dice_u64();
	rows = detail_begin(&r, kind, s, p, p + n);
	for (uint64_t i = 0; i < rows && !r.in.bad; i++)
		detail_next(&r, cost);
	if (r.in.p > r.in.end)
		abort();
	free(p);
}

/* 64 events, of which the last is not 0: the second number of bits says so. */
static void test_masks(void)
{
	static const unsigned char want[] = {1, 0, 1, 0, 0, 1, 5};
	const struct detail_shape s = {64, false, false};
	uint64_t cost[64] = {[63] = 5};
	const struct detail_row row = {.cost = cost};
	const unsigned char past[] = {1, 0, 1, 0, 8, 7};
	struct bytes b = {0};
	struct detail_reader r;

	if (detail_encode(&b, DETAIL_LINES, &s, &row, 1))
		abort();
	ok(b.n == sizeof(want) && memcmp(b.p, want, b.n) == 0, "costs of 0 are left out");
	free(b.p);
	detail_begin(&r, DETAIL_LINES, &s, want, want + sizeof(want));
	detail_next(&r, cost);
	ok(!r.in.bad && cost[63] == 5 && cost[0] == 0, "and come back as 0");
	detail_begin(&r, DETAIL_LINES, &(struct detail_shape){3, false, false}, past,
		     past + sizeof(past));
	detail_next(&r, cost);
	ok(r.in.bad, "a cost of an event that is not there is damage");
}

/* Cost lines as detail_code.h and FORMAT.md have them, byte for byte. */
static void test_heads(void)
{
	static const struct head_case {
		const char *name;
		struct detail_shape shape;
		struct place {
			uint64_t instr, line, cost;
		} row[3];
		size_t n, size;
		unsigned char want[16];
	} cases[] = {
		{"alike",
		 {1, true, true},
		 {{4, 0, 9}, {7, 0, 9}},
		 2,
		 6,
		 {2, 0, 2, 18, 9, 15}},
		{"another line",
		 {1, true, true},
		 {{4, 3, 9}, {7, 2, 9}},
		 2,
		 8,
		 {2, 0, 2, 16, 6, 9, 13, 1}},
		{"another cost",
		 {1, true, true},
		 {{4, 3, 9}, {7, 3, 8}},
		 2,
		 8,
		 {2, 0, 2, 16, 6, 9, 14, 8}},
		{"steps of 62 and 63",
		 {1, true, true},
		 {{62, 0, 9}, {125, 0, 9}},
		 2,
		 7,
		 {2, 0, 2, 250, 9, 255, 63}},
		{"instructions",
		 {1, true, false},
		 {{4, 0, 9}, {67, 0, 9}},
		 2,
		 7,
		 {2, 0, 2, 16, 9, 253, 63}},
		{"lines of code",
		 {1, false, true},
		 {{0, 1, 9}, {0, 4, 9}, {0, 90, 9}},
		 3,
		 9,
		 {3, 0, 3, 8, 9, 25, 253, 172, 1}},
		{"no positions", {1, false, false}, {{0, 0, 0}}, 1, 5, {1, 0, 1, 0, 0}},
		{"no events",
		 {0, true, true},
		 {{1, 0, 0}, {2, 0, 0}},
		 2,
		 5,
		 {2, 0, 2, 6, 7}},
	};
	static const struct damage_case {
		const char *name;
		struct detail_shape shape;
		size_t n;
		unsigned char bytes[8];
	} damaged[] = {
		{"costs as before, before any", {1, true, true}, 6, {1, 0, 1, 7, 1, 1}},
		{"a line as before, without instr", {1, false, true}, 5, {1, 0, 1, 2, 1}},
		{"a position of none", {1, false, false}, 5, {1, 0, 1, 4, 1}},
		{"no head", {1, true, true}, 3, {1, 0, 1}},
	};
	struct detail_reader r;
	uint64_t cost[EVENTS];

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct head_case *c = &cases[i];
		struct detail_row row[3] = {0};
		struct detail_key key[3] = {0};
		uint64_t of[3];
		struct bytes one = {0}, other = {0};

		for (size_t k = 0; k < c->n; k++) {
			of[k] = c->row[k].cost;
			row[k] = (struct detail_row){.instr = c->row[k].instr,
						     .line = c->row[k].line,
						     .cost = &of[k]};
			key[k] = (struct detail_key){c->row[k].instr, c->row[k].line, 0,
						     (uint32_t)k};
		}
		if (detail_encode(&one, DETAIL_LINES, &c->shape, row, c->n) ||
		    detail_encode_lines(&other, &c->shape, key, c->n, of))
			abort();
		ok(one.n == c->size && memcmp(one.p, c->want, one.n) == 0, "%s", c->name);
		ok(other.n == c->size && memcmp(other.p, c->want, other.n) == 0,
		   "%s: by their keys", c->name);
		free(one.p);
		free(other.p);
	}
	for (size_t i = 0; i < COUNT(damaged); i++) {
		const struct damage_case *c = &damaged[i];

		detail_begin(&r, DETAIL_LINES, &c->shape, c->bytes, c->bytes + c->n);
		detail_next(&r, cost);
		ok(r.in.bad, "%s: damage", c->name);
	}
}

int main(void)
{
	static const char *const names[] = {"lines", "sites", "jumps"};
	struct bytes b = {0};

	for (int kind = 0; kind < DETAIL_KINDS; kind++) {
		unsigned failed = 0;

		for (unsigned i = 0; i < 5000; i++) {
			struct detail_shape s;

			failed += !round_trip((enum detail_kind)kind, &b, &s);
			read_damaged((enum detail_kind)kind, &b, &s);
		}
		is_u64(failed, 0, "%s: 5000 round trips", names[kind]);
		ok(true, "%s: 5000 damaged", names[kind]);
	}
	free(b.p);
	test_masks();
	test_heads();
	return done_testing();
}
