/*
 * tally_write.h - how rows and copied lines become entries of a tally, block by block.
 *
 * The decoder's batches (tally.c) and the copies of lines that came before (fast/) write the
 * same tables; both do it by these.  What a function has is written between its
 * tally_next_block() and the one after; what only reads a tally includes tally.h.
 */
#ifndef QUERN_TALLY_WRITE_H
#define QUERN_TALLY_WRITE_H

#include "index/tally/tally.h"

/* Find or add the entry of a cost line at these positions in `file` (a slot), after
 * the entry `before`.  0: memory is out, or there is no room. */
uint32_t tally_line_entry(struct tally *t, uint32_t before, uint32_t file, uint64_t instr,
			  uint64_t line);
/* Pack a line with r->ncost costs in the file's columns.  Returns 0, or -1 if memory
 * is out. */
int tally_pack_line(struct tally *t, struct piece_row *r, const uint64_t *cost);
/* Pack a call by cob=, cfi= and cfn=, whose target is at the line `to` (0:
 * unknown); sets r->edge. */
int tally_pack_call(struct tally *t, struct piece_row *r, uint64_t to,
		    const uint64_t *cost);
/* A call to the name slot cfn at the line `to`: the slot of its edge, and the edge's calls and E costs
 * in this part, to add to.  NULL if memory is out. */
uint64_t *tally_call(struct tally *t, uint32_t cfn, uint64_t to, uint32_t *edge);
/* "fn=" with the name slot `name`, then a cost line.  If the function has no entries,
 * begin its block: *begun.  Its second block unpacks the first.  Else nothing changes.
 * Returns 0, or -1 if memory is out. */
int tally_new_block(struct tally *t, uint32_t name, bool *begun);
/* Begin a piece of f's lines; 0, or -1 if memory is out.  End it; sets spill_failed if
 * it could not be written. */
int tally_begin_piece(struct tally *t, uint32_t f);
void tally_end_piece(struct tally *t, uint32_t f);
/* The first use of a function or a call site (an entry with numbers at `val`) in this
 * part.  0, or -1 if memory is out. */
int tally_touch_fn(struct tally *t, uint32_t f);
int tally_touch_site(struct tally *t, uint32_t entry, uint32_t val);

/* Add a number of jumps. */
static inline void tally_add_count(struct tally *t, uint64_t *sum, uint64_t v)
{
	/* Not a count: how often it happens depends on the threads. */
	if (__builtin_expect(count_add(sum, v), 0))
		t->diag.odds[ODD_SUM_OVERFLOW] = 1;
}

/* Add the bits of a cost. */
static inline void tally_add_cost(struct tally *t, uint64_t *sum, uint64_t v)
{
	if (__builtin_expect(cost_add_bits(sum, v), 0))
		t->diag.odds[ODD_SUM_OVERFLOW] = 1;
}

static inline void tally_add_costs(struct tally *t, uint64_t *sum, const uint64_t *cost,
				   unsigned n)
{
	if (__builtin_expect(t->events.col_is_event, 1)) {
		for (unsigned i = 0; i < n; i++)
			tally_add_cost(t, &sum[i], cost[i]);
	} else {
		for (unsigned i = 0; i < n; i++)
			tally_add_cost(t, &sum[t->events.col[i]], cost[i]);
	}
}

/* Add calls to the call site `entry` with numbers at `val`; the costs are at val + 2.
 * Returns 0, or -1 if memory is out. */
static inline int tally_add_calls(struct tally *t, uint32_t entry, uint32_t val,
				  uint64_t count)
{
	uint64_t *v = t->entries.val + val;

	if (__builtin_expect(v[0] >> 32 != t->parts.n, 0) &&
	    tally_touch_site(t, entry, val))
		return -1;
	count_add(&v[1], count);
	return 0;
}

/* The block before ends, and one of f begins: log the activations.  Its line is set
 * later.  Returns 0, or -1 if memory is out. */
int tally_log_block(struct tally *t, uint32_t f);
/* End the last block of this part, or of the stretch; 0, or -1 if memory is out. */
int tally_log_last(struct tally *t);

/* tally_log_block(), if the log is on; so is a call in the current block. */
static inline int tally_activation(struct tally *t, uint32_t f)
{
	return __builtin_expect(t->log.on, 0) ? tally_log_block(t, f) : 0;
}

static inline int tally_activates(struct tally *t, uint32_t callee, uint64_t count,
				  uint64_t cost)
{
	return __builtin_expect(t->log.on, 0)
		       ? block_log_call(&t->log, t->fns.at[callee].fn, count, cost)
		       : 0;
}

/* f is called at this line. */
static inline void tally_begins(struct tally *t, uint32_t f, uint64_t line)
{
	uint32_t *begin = &t->fns.at[f].begin;

	if (line_below(line, *begin) && line <= UINT32_MAX && t->now.begins)
		*begin = (uint32_t)line;
}

/* "fi=" or "fe=": lines that follow are in `file` (a slot). */
static inline void tally_set_file(struct tally *t, uint32_t file)
{
	t->now.file = file;
	if (!t->now.apart)
		t->now.base_file = file;
}

/* Add the self cost of the block so far to its function. */
static inline void tally_end_run(struct tally *t)
{
	uint64_t *self = t->fns.part_self + (size_t)t->now.fn * t->events.n;

	for (size_t e = 0; t->now.ran && e < t->events.n; e++) {
		tally_add_cost(t, &self[e], t->now.run[e]);
		t->now.run[e] = 0;
	}
	t->now.ran = false;
}

/* Add a part, zeroed; NULL if memory is out. */
struct part_slot *tally_new_part(struct tally *t);

/* End the block. */
static inline void tally_end_block(struct tally *t)
{
	tally_end_run(t);
	t->fns.at[t->now.fn].ended = true;
}

/* Begin a block of f; the block before has no self cost left to add. */
static inline void tally_enter(struct tally *t, uint32_t f)
{
	t->fns.at[t->now.fn].ended = true;
	t->now.fn = f;
	t->now.ob = t->fns.at[f].ob;
	t->fns.at[f].has_lines = true;
}

/* End the block and begin one of f, which has a head; the caller sets `cur`.  Returns
 * 0, or -1 if memory is out.  ncols: the columns of the block's lines if each is an
 * event of its own, 1 or 2; other values mean any. */
static inline __attribute__((always_inline)) int
tally_next_block(struct tally *t, uint32_t f, uint32_t ncols)
{
	if (ncols <= 2 && t->events.n == ncols) {
		uint64_t *self = t->fns.part_self + (size_t)t->now.fn * ncols;

		for (uint32_t e = 0; e < ncols; e++) {
			tally_add_cost(t, &self[e], t->now.run[e]);
			t->now.run[e] = 0;
		}
		t->now.ran = false;
	} else {
		tally_end_run(t);
	}
	if (tally_activation(t, f))
		return -1;
	tally_enter(t, f);
	return t->fns.at[f].stamp == t->parts.n ? 0 : tally_touch_fn(t, f);
}

#endif
