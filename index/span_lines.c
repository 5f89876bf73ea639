/*
 * span_lines.c - see span_lines.h.
 *
 * What a call has in the span is the sum of the blocks below, which stand before it.  So
 * sums of blocks that no call has claimed yet are a stack, whose last ones a block takes:
 *
 *	text	g  h  f(g h)  k  main(f k)
 *	stack	g  gh f       fk main
 *
 * Where calls do not take the last ones, the sum of a block waits in the place of its call
 * (claims.h).  A sum is numbers beside each other:
 *
 *	start, enum sum_is or-ed, cost of each event of the index
 */
#include "index/span_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/vec.h"
#include "index/contexts/span.h"
#include "index/each_activation.h"
#include "index/part_lines.h"
#include "index/store/store_in.h"
#include "index/tally/tally_in.h"

/* Is there a block?  Has it, or one below, something in the span; does it begin there? */
enum sum_is { SUM_KNOWN = 1, SUM_THERE = 2, SUM_BEGAN = 4 };
enum { SUM_START, SUM_IS, SUM_COSTS };

struct span_lines {
	struct store *st;
	const struct part_lines_opts *opts;
	const struct run_span *span;
	size_t width;	 /* numbers of a sum */
	uint32_t *event; /* [events of the tally]: that of the index */
	size_t nevent, event_cap;
	uint32_t part;
	struct part_claims claims;
	size_t of, by; /* of the claims, the next ones */
	const struct part_blocks
		*some;	/* of opts->blocks: the one at hand, or the next */
	int64_t clock;	/* where the next block begins in the part */
	int64_t *stack; /* sums */
	size_t n, cap;
	int64_t *held; /* by call of the claims: sums */
	size_t file;   /* whose calls these are */
	bool holds;
	/* The block at hand: */
	bool open, claimer, left_out; /* it is none of opts->blocks */
	uint64_t number;	      /* in the file */
	uint64_t calls, met;
	uint32_t first; /* of a claimer: number of its first call */
	int64_t *sum;
	uint64_t *cost; /* scratch: of a row */
};

static int no_memory(struct err *err)
{
	return err_no_memory(err, "while reading a span of the profile");
}

static int other_calls(struct err *err)
{
	err_set(err, ERR_PROFILE, 0, "the profile has not the calls that its index has");
	return err_hint(err, "it was replaced by another of its size and times: "
			     "--rebuild");
}

int span_lines_new(struct store *st, const struct part_lines_opts *opts,
		   struct span_lines **out, struct err *err)
{
	struct span_lines *s = calloc(1, sizeof(*s));

	if (!s)
		return no_memory(err);
	s->st = st;
	s->opts = opts;
	s->span = opts->span;
	s->some = opts->blocks;
	s->width = SUM_COSTS + st->info.events;
	s->sum = calloc(s->width, sizeof(*s->sum));
	s->cost = malloc(EVENTS_MAX * sizeof(*s->cost));
	if (!s->sum || !s->cost) {
		span_lines_free(s);
		return no_memory(err);
	}
	*out = s;
	return 0;
}

void span_lines_free(struct span_lines *s)
{
	if (!s)
		return;
	free(s->event);
	free(s->stack);
	free(s->held);
	free(s->sum);
	free(s->cost);
	free(s);
}

/* ---- blocks ---- */

static int bounded(const struct span_lines *s, struct err *err)
{
	const uint64_t sums = s->cap + (s->holds ? s->claims.claims->ncalls : 0);

	if (sums * s->width * sizeof(*s->sum) <= s->opts->most)
		return 0;
	err_set(err, ERR_LIMIT, 0,
		"calls whose caller is not known yet take more than %" PRIu64 " MiB",
		s->opts->most >> 20);
	return err_hint(err, "let them have more, as in --mem %" PRIu64 "M",
			s->opts->most >> 19);
}

/* The block at hand ends: its sum waits for the call that claims it. */
int span_lines_end(struct span_lines *s, struct err *err)
{
	const struct claims *c = s->claims.claims;
	int64_t *to;

	if (!s->open)
		return 0;
	s->open = false;
	if (s->met != s->calls)
		return other_calls(err);
	s->sum[SUM_IS] |= SUM_KNOWN;
	if (span_has(s->span, s->part, s->sum[SUM_START]))
		s->sum[SUM_IS] |= SUM_THERE | SUM_BEGAN;
	if (!s->claimer)
		s->n -= s->calls;
	if (s->of < c->n && c->of[s->of].key == s->number) {
		to = s->held + c->of[s->of++].value * s->width;
	} else {
		if (vec_reserve_raw(&s->stack, &s->cap, s->n + 1,
				    s->width * sizeof(*s->stack)))
			return no_memory(err);
		to = s->stack + s->n++ * s->width;
	}
	memcpy(to, s->sum, s->width * sizeof(*to));
	return bounded(s, err);
}

/* How many blocks the one at hand takes off the stack. */
static uint64_t calls_of(const struct span_lines *s)
{
	const struct part_claims *p = &s->claims;
	struct bisect b = bisect_in(0, p->nmany);

	if (p->few[s->number] < MANY_CALLS)
		return p->few[s->number];
	while (bisect_next(&b))
		bisect_step(&b, p->many[b.mid].key > s->number);
	return p->many[b.lo].value;
}

static void leave_out(struct span_lines *s)
{
	const struct part_blocks *end = s->opts->blocks + s->opts->nblocks;
	const uint64_t n = s->number - s->claims.first;

	while (s->some < end && (s->some->part < s->part ||
				 (s->some->part == s->part && n >= s->some->to)))
		s->some++;
	s->left_out = s->some == end || s->some->part > s->part || n < s->some->from;
}

static int begin_block(struct span_lines *s, struct err *err)
{
	const struct claims *c = s->claims.claims;

	if (span_lines_end(s, err))
		return err->kind;
	s->number++;
	if (s->number >= c->blocks)
		return other_calls(err);
	if (s->opts->blocks)
		leave_out(s);
	s->open = true;
	s->met = 0;
	s->claimer = s->by < c->nby && c->by[s->by].number == s->number;
	if (s->claimer) {
		s->first = c->by[s->by++].first;
		s->calls = (s->by < c->nby ? c->by[s->by].first : c->ncalls) - s->first;
	} else {
		s->calls = calls_of(s);
	}
	if (!s->claimer && s->calls > s->n)
		return other_calls(err);
	memset(s->sum, 0, s->width * sizeof(*s->sum));
	s->sum[SUM_START] = s->clock;
	return 0;
}

/* The sum of the next call of the block at hand. */
static const int64_t *next_call(struct span_lines *s)
{
	const uint64_t i = s->met++;

	if (i >= s->calls)
		return NULL;
	return s->claimer ? s->held + (s->first + i) * s->width
			  : s->stack + (s->n - s->calls + i) * s->width;
}

/* Make room for sums that wait for the claims of a file. */
static int hold(struct span_lines *s, struct err *err)
{
	if (s->holds && s->file == s->claims.file)
		return 0;
	free(s->held);
	s->holds = true;
	s->file = s->claims.file;
	s->held = NULL;
	if (bounded(s, err))
		return err->kind;
	s->held = calloc(s->claims.claims->ncalls + 1, s->width * sizeof(*s->held));
	return s->held ? 0 : no_memory(err);
}

int span_lines_part(struct span_lines *s, uint32_t part, struct err *err)
{
	const struct claims *c;
	struct bisect b;

	if (span_lines_end(s, err))
		return err->kind;
	s->part = part;
	s->claims = blocks_part(s->opts->forward, part);
	c = s->claims.claims;
	s->clock = cost_difference(s->span->total[part], s->claims.own);
	s->number = s->claims.first - 1;
	s->n = 0;
	for (b = bisect_in(0, c->n); bisect_next(&b);)
		bisect_step(&b, c->of[b.mid].key < s->claims.first);
	s->of = b.lo;
	for (b = bisect_in(0, c->nby); bisect_next(&b);)
		bisect_step(&b, c->by[b.mid].number < s->claims.first);
	s->by = b.lo;
	return hold(s, err);
}

/* ---- rows ---- */

/* The event of the index that a column has. */
static int know_columns(struct span_lines *s, const struct tally *t, struct err *err)
{
	for (; s->nevent < t->events.n; s->nevent++) {
		if (vec_reserve(&s->event, &s->event_cap, s->nevent + 1,
				sizeof(*s->event)))
			return no_memory(err);
		s->event[s->nevent] = store_event_find(s->st, t->events.name[s->nevent]);
		if (s->event[s->nevent] >= s->st->info.events)
			return other_calls(err);
	}
	return 0;
}

/* A cost line of the block itself. */
static int take_own(struct span_lines *s, struct tally *t, const struct row *r,
		    const uint64_t *cost, struct err *err)
{
	const int64_t begin = s->clock;
	int64_t length = 0;

	for (size_t i = 0; i < r->nc; i++)
		if (s->event[t->events.col[i]] == 0)
			cost_add(&length, (int64_t)cost[i]);
	cost_add(&s->clock, length);
	const bool meets = span_meets(s->span, s->part, begin, length);

	s->sum[SUM_IS] |= meets ? SUM_THERE : 0;
	for (size_t i = 0; meets && i < r->nc; i++) {
		const int64_t part =
			span_cut(s->span, s->part, begin, length, (int64_t)cost[i]);

		s->cost[i] = (uint64_t)part;
		cost_add(&s->sum[SUM_COSTS + s->event[t->events.col[i]]], part);
	}
	if (meets && !s->left_out)
		return tally_row_cost(t, r, s->cost, err);
	t->now.base_file = t->now.file; /* as if it had been taken */
	return 0;
}

/* The cost line of a call. */
static int take_call(struct span_lines *s, struct tally *t, const struct row *r,
		     struct err *err)
{
	const int64_t *of = next_call(s);
	struct row row = *r;

	if (!of)
		return other_calls(err);
	if (of[SUM_IS] & SUM_KNOWN && of[SUM_START] < s->sum[SUM_START])
		s->sum[SUM_START] = of[SUM_START];
	if (of[SUM_IS] & SUM_THERE) {
		s->sum[SUM_IS] |= SUM_THERE;
		cost_add_each(s->sum + SUM_COSTS, of + SUM_COSTS, s->width - SUM_COSTS);
	}
	if (s->left_out || !(of[SUM_IS] & SUM_THERE)) {
		t->now.pending = PENDING_SKIP;
		t->now.has_cob = t->now.has_cfi = t->now.pending_has_to = false;
		return tally_row_cost(t, r, s->cost, err);
	}
	row.nc = (uint16_t)t->events.ncol;
	memset(s->cost, 0, row.nc * sizeof(*s->cost));
	for (size_t i = 0; i < row.nc; i++)
		if (t->events.col_of[t->events.col[i]] == i) /* the last of it */
			s->cost[i] = (uint64_t)of[SUM_COSTS + s->event[t->events.col[i]]];
	t->now.pending_a = (of[SUM_IS] & SUM_BEGAN) != 0;
	return tally_row_cost(t, &row, s->cost, err);
}

static int take_cost(struct span_lines *s, struct tally *t, const struct batch *b,
		     size_t i, struct err *err)
{
	struct row row = b->row[i];

	if (t->now.pending == PENDING_SKIP || t->now.pending == PENDING_JUMP_SKIP)
		return tally_rows(t, b, i, i + 1, err);
	if (t->now.fn == NONE && (tally_enter_block(t) || begin_block(s, err)))
		return err->kind ? err->kind : tally_no_memory(err);
	if (know_columns(s, t, err))
		return err->kind;
	if (t->now.pending == PENDING_JUMP)
		return tally_rows(t, b, i, i + 1, err);
	if (row.nc > t->events.ncol) /* a name may have several words: see tally.c */
		row.nc = (uint16_t)t->events.ncol;
	return t->now.pending == PENDING_CALL
		       ? take_call(s, t, &row, err)
		       : take_own(s, t, &row, &b->cost[row.cost], err);
}

int span_lines_batch(struct span_lines *s, struct tally *t, struct batch *b,
		     struct err *err)
{
	for (size_t i = 0; i < b->n; i++) {
		const enum line_kind kind = b->row[i].kind;

		if ((kind == LINE_PART || kind == LINE_FILE) && span_lines_end(s, err))
			return err->kind;
		if (kind == LINE_COST ? take_cost(s, t, b, i, err)
				      : tally_rows(t, b, i, i + 1, err))
			return err->kind;
	}
	b->n = 0;
	return tally_batch(t, b, err);
}
