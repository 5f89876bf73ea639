/*
 * replay_one.h - steps of one column: the short way through most lines of most profiles.
 *
 * A step (replay_in.h) leads to the entry numbered next, so neither a link nor an entry
 * is looked at: only the step's text, the cost, and the entry's sum.  In between, other
 * cost lines and jumps are taken by the first link of the entry.
 *
 * Included by replay_loops.c, which is compiled once per instruction set.
 */
#ifndef QUERN_REPLAY_ONE_H
#define QUERN_REPLAY_ONE_H

#include "index/fast/replay_match.h"

/* Where a loop over steps is. */
struct steps {
	const char *p;
	const struct text_step *step; /* of the entry before p */
	uint64_t *val;		      /* of the entry numbered next */
	uint64_t lines, jumps;	      /* taken so far */
	uint64_t run;		      /* self cost of the block, of one column */
};

/* Add the bits of a cost to a sum; false, with nothing changed, if it does not fit. */
static HOT bool fits(uint64_t *sum, uint64_t v)
{
	int64_t to;

	if (cost_stays((int64_t)*sum, (int64_t)v) ||
	    __builtin_add_overflow((int64_t)*sum, (int64_t)v, &to))
		return false;
	*sum = (uint64_t)to;
	return true;
}

/* A block's sum may not fit after some 10^11 more lines of up to 7 digits. */
static HOT bool nearly_full(uint64_t run)
{
	return (int64_t)run >> 62 == 1;
}

/*
 * Take lines from s->p on that lead to the entry numbered next, up to one that does not.
 * The instructions of a basic block are executed equally often, so most lines cost what
 * the line before cost, and then the next line need not wait for its number.
 */
static HOT void one_steps(const struct replay_fixed in, struct steps *s,
			  struct last_cost *last)
{
	struct last_cost cost = *last;
	const struct text_step *step = s->step;
	const char *p = s->p;
	uint64_t *val = s->val, run = s->run;
	const size_t nevent = in.t->events.n;

	while (p < in.end && step->len && step_fits(step, p)) {
		const char *q = p + step->len;

		if (((load8(q) ^ cost.text) & cost.mask) != 0 && !read_cost(q, &cost))
			break;
		if (__builtin_expect(!fits(val, cost.v), 0))
			break;
		val += nevent;
		run += cost.v;
		p = q + cost.size;
		step++;
	}
	*last = cost;
	s->lines += (uint64_t)(step - s->step);
	s->p = p;
	s->step = step;
	s->val = val;
	s->run = run;
}

/* Take the jump of link k; false, with nothing changed, when it is not there.  last: as
 * for jump_counts(). */
static HOT bool step_jump(const struct replay_fixed in, const struct text_link *k,
			  struct steps *s, const struct last_cost *last)
{
	struct tally *t = in.t;
	struct line l;
	const char *p = match_jump(k, s->p, last, &l);

	if (!p)
		return false;
	s->p = p;
	s->step = in.r->step + k->to;
	s->val = t->entries.val + k->val;
	tally_add_count(t, &s->val[3], l.count);
	tally_add_count(t, &s->val[4], l.taken);
	s->val += JUMP_VALUES;
	t->lines += k->flags & LINK_NEWLINES;
	s->jumps++;
	return true;
}

/* Take a cost line or a jump by the first link of the entry; false, with nothing changed,
 * when that link does not fit, or is another one. */
static HOT bool one_link(const struct replay_fixed in, struct steps *s,
			 struct last_cost *cost)
{
	struct tally *t = in.t;
	const struct text_link *k = &in.r->link[s->step->first];
	const char *q = s->p + k->len;
	uint64_t *val;

	if (__builtin_expect(k->flags & LINK_JUMP, 0))
		return step_jump(in, k, s, cost);
	if (k->flags > LINK_NEWLINES || !text_fits(s->p, k) || !read_cost(q, cost))
		return false;
	val = t->entries.val + k->val;
	if (__builtin_expect(!fits(val, cost->v), 0))
		return false;
	t->lines += k->flags - 1u;
	s->p = q + cost->size;
	s->step = in.r->step + k->to;
	s->val = val + t->events.n;
	s->lines++;
	s->run += cost->v;
	return true;
}

/* The loop is at entry cur, and val is where the numbers of the entry numbered next
 * are. */
static HOT struct steps begin_steps(const struct replay_fixed in, const char *p,
				    uint32_t cur, uint32_t val)
{
	return (struct steps){.p = p,
			      .step = in.r->step + cur,
			      .val = in.t->entries.val + val,
			      .run = in.t->now.run[0]};
}

/* Add the lines that were taken to the tally's. */
static HOT void end_steps(const struct replay_fixed in, const struct steps *s)
{
	in.t->now.ran |= s->lines > 0;
	in.t->lines += s->lines;
}

/* Take cost lines and jumps of one column that come as they came the last time. */
static HOT struct steps one_lines(const struct replay_fixed in, struct steps s,
				  struct last_cost *cost)
{
	if (nearly_full(s.run))
		return s;
	do
		one_steps(in, &s, cost);
	while (s.p < in.end && !nearly_full(s.run) && one_link(in, &s, cost));
	in.t->now.run[0] = s.run;
	end_steps(in, &s);
	return s;
}

#endif
