/*
 * tally_waits.c - a cfn= and a cost line without calls=; see struct tally_waits.
 *
 *	cfn=g		a part without any calls=, as MALT writes it: a call of g that costs 5,
 *	3 5		nobody knows how many; in a part with calls=: a cost line
 *
 * Lines that wait keep the state in which they were read.  They are taken as if they
 * came then: the block at hand is ended, and goes on behind them.
 */
#include <string.h>

#include "index/base/vec.h"
#include "index/tally/tally_in.h"

struct waiting_call {
	struct tally_now now; /* names in force; nothing else of it is used */
	uint64_t instr, line;
	uint64_t text_line; /* its number in the stretch */
	struct str text;
	size_t cost; /* its first cost in tally.waits.cost */
	uint16_t ncost;
};

static size_t touched(const struct tally *t)
{
	const struct tally_parts *p = &t->parts;

	return p->ntouched_edge + p->nin_turn + p->ntouched_site;
}

void tally_begin_waits(struct tally *t)
{
	t->waits.touched = touched(t);
	t->waits.calls = t->waits.assumed = false;
}

/* Whether the part has a calls=: the fast paths leave only its edge. */
static bool has_calls(struct tally *t)
{
	if (touched(t) > t->waits.touched) {
		t->waits.calls = true;
		t->waits.assumed = false;
	}
	return t->waits.calls;
}

int tally_wait(struct tally *t, const struct batch *b, const struct row *r, bool *waits,
	       struct err *err)
{
	struct tally_waits *w = &t->waits;
	struct waiting_call *at;

	if (t->now.pending != PENDING_NONE)
		return 0;
	t->now.cfn_waits = false;
	if (has_calls(t)) {
		w->needed |= w->assumed;
		t->now.has_cob = t->now.has_cfi = false;
		return tally_row_odd(t, b, r, ODD_CFN_ALONE, err);
	}
	t->log.without = true; /* a block that is interrupted is no activation */
	if (t->now.fn == NONE && tally_enter_block(t))
		return tally_no_memory(err);
	if (vec_reserve(&w->at, &w->cap, w->n + 1, sizeof(*w->at)) ||
	    vec_reserve(&w->cost, &w->cost_cap, w->ncost + r->nc + 1, sizeof(*w->cost)))
		return tally_no_memory(err);
	at = &w->at[w->n++];
	*at = (struct waiting_call){.now = t->now,
				    .instr = r->a,
				    .line = r->b,
				    .text_line = tally_line_of(t, b, r),
				    .text = arena_str(&t->arena, tally_row_line(b, r)),
				    .cost = w->ncost,
				    .ncost = r->nc};
	if (!at->text.p)
		return tally_no_memory(err);
	memcpy(w->cost + w->ncost, b->cost + r->cost, r->nc * sizeof(*w->cost));
	w->ncost += r->nc;
	t->now.has_cob = t->now.has_cfi = false;
	t->now.file = t->now.base_file;
	t->now.fl_at = UINT64_MAX;
	*waits = true;
	return 0;
}

/* Begin a block of the function `fn` in the state `now`, whose names may have moved since
 * its block began. */
static int enter_as(struct tally *t, const struct tally_now *now, uint32_t fn)
{
	const struct fn_slot of = t->fns.at[fn];
	struct tally_now in = *now;

	in.run = t->now.run;
	in.run_cap = t->now.run_cap;
	in.ran = false;
	in.meaning = t->now.meaning;
	in.fn = NONE;
	t->now = in;
	t->now.ob = of.ob;
	t->now.fn_name = of.fn;
	t->now.own_fl = of.fl;
	if (tally_enter_block(t))
		return -1;
	t->now.ob = in.ob;
	t->now.own_fl = in.own_fl;
	t->now.fn_name = in.fn_name;
	t->now.moved = in.moved;
	return 0;
}

/* Take a line that waits in its own state. */
static int take(struct tally *t, const struct waiting_call *w, bool as_call,
		struct err *err)
{
	const struct row r = {
		.kind = LINE_COST, .nc = w->ncost, .a = w->instr, .b = w->line};

	tally_leave(t);
	if (enter_as(t, &w->now, w->now.fn))
		return tally_no_memory(err);
	t->now.pending = as_call ? PENDING_CALL : PENDING_NONE;
	t->now.pending_a = t->now.pending_line = 0;
	if (!as_call)
		t->now.has_cob = t->now.has_cfi = false;
	return tally_row_cost(t, &r, t->waits.cost + w->cost, err) ||
	       (!as_call && tally_add_odd(t, ODD_CFN_ALONE, w->text_line, w->text, err));
}

static __attribute__((noinline)) int take_all(struct tally *t, bool as_calls,
					      struct err *err)
{
	struct tally_waits *w = &t->waits;
	const struct tally_now now = t->now;
	const bool after_fl = now.fl_at == t->cost_lines;
	int rc = 0;

	for (size_t i = 0; !rc && i < w->n; i++)
		rc = take(t, &w->at[i], as_calls, err);
	w->n = w->ncost = 0;
	tally_leave(t);
	if (!rc && now.fn == NONE) {
		struct tally_now in = now;

		in.meaning = t->now.meaning;
		t->now = in;
	} else if (!rc && enter_as(t, &now, now.fn)) {
		rc = tally_no_memory(err);
	}
	if (after_fl)
		t->now.fl_at = t->cost_lines;
	return rc ? err->kind : 0;
}

int tally_has_calls(struct tally *t, struct err *err)
{
	t->now.cfn_waits = false;
	t->waits.calls = true;
	t->waits.assumed = false;
	return t->waits.n ? take_all(t, false, err) : 0;
}

int tally_end_waits(struct tally *t, struct err *err)
{
	has_calls(t); /* for the stretch behind this one */
	return t->waits.n ? take_all(t, true, err) : 0;
}
