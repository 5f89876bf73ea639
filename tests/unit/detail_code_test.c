/* detail_code_test.c - packed detail comes back as it was, and damage is met with care. */
#include <stdlib.h>

#include "index/base/hash.h"
#include "index/detail_code.h"
#include "tests/tap.h"

enum { ROWS = 40, EVENTS = 130 };

static uint64_t state = 1;

static uint64_t random_u64(void)
{
	state += 0x9e3779b97f4a7c15;
	return hash_mix(state);
}

/* Small, or anything: the extremes come often. */
static uint64_t some(void)
{
	switch (random_u64() % 6) {
	case 0: return 0;
	case 1: return UINT64_MAX;
	case 2: return random_u64();
	default: return random_u64() % 300;
	}
}

static int compare(const void *a, const void *b)
{
	const struct detail_row *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->instr != y->instr)
		return x->instr < y->instr ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static uint64_t costs[ROWS][EVENTS];

static void make(struct detail_row *row, size_t n, enum detail_kind kind,
		 const struct detail_shape *s)
{
	for (size_t i = 0; i < n; i++) {
		bool conditional = random_u64() & 1;

		row[i] = (struct detail_row){.file = (uint32_t)(random_u64() % 4)};
		if (random_u64() % 8 == 0)
			row[i].file = UINT32_MAX;
		row[i].instr = s->instr ? some() : 0;
		row[i].line = s->line ? some() : 0;
		if (kind == DETAIL_SITES) {
			row[i].edge = (uint32_t)some();
			row[i].calls = some();
		}
		if (kind == DETAIL_JUMPS) {
			row[i].edge = (uint32_t)(random_u64() % 4) << 1 | conditional;
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
		for (uint32_t e = 0; e < EVENTS; e++)
			costs[i][e] = some();
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
	return a->edge == b->edge && a->calls == b->calls &&
	       (kind == DETAIL_SITES ||
		(a->to_fn == b->to_fn && a->to_file == b->to_file &&
		 a->taken == b->taken && a->to_instr == b->to_instr &&
		 a->to_line == b->to_line));
}

static bool round_trip(enum detail_kind kind, struct bytes *b, struct detail_shape *s)
{
	struct detail_row row[ROWS];
	struct detail_reader r;
	uint64_t cost[EVENTS + 1], n = random_u64() % (ROWS + 1);

	*s = (struct detail_shape){
		(uint32_t)(random_u64() % (random_u64() % 4 ? 5 : EVENTS + 1)),
		random_u64() & 1, random_u64() & 1};
	/* A row of no bytes at all is only possible without positions and events. */
	if (kind == DETAIL_LINES && !s->instr && !s->line)
		s->events = EVENTS;
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
	size_t n = random_u64() % (b->n + 1);
	unsigned char *p = malloc(n ? n : 1);
	uint64_t cost[EVENTS + 1], rows;
	struct detail_reader r;

	if (!p)
		abort();
	memcpy(p, b->p, n);
	for (size_t k = random_u64() % 4; n && k; k--)
		p[random_u64() % n] = (unsigned char)random_u64();
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
	static const unsigned char want[] = {1, 0, 1, 0, 1, 5};
	const struct detail_shape s = {64, false, false};
	uint64_t cost[64] = {[63] = 5};
	const struct detail_row row = {.cost = cost};
	const unsigned char past[] = {1, 0, 1, 8, 7};
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
	return done_testing();
}
