/*
 * replay_past.h - links of two columns that come as they came the last time: nearly all
 * lines of an Xdebug profile.
 *
 * In: text at p, after the entry cur, and the place in the past (replay_in.h) of the link
 * that should come next.  Out: where the loop stopped; every line before it is added.
 * The loop stops at any line of a rare form: the loop of replay_loops.c takes that one.
 *
 * Included by replay_loops.c, which is compiled once per instruction set.
 */
#ifndef QUERN_REPLAY_PAST_H
#define QUERN_REPLAY_PAST_H

#include "index/fast/replay_match.h"

/* Where follow_past() is. */
struct past {
	const char *p;
	uint32_t cur;	/* the entry before p */
	uint32_t call;	/* entry of the last call, 0: none yet */
	uint64_t links; /* taken */
};

/* The costs of a line. */
struct two {
	uint64_t cost[2];
	const char *nl; /* the newline after them */
};

/* Read two costs of up to 8 digits each at p; false when others are there.  The newline
 * is found first: the next link waits for it. */
static HOT bool past_costs(const char *p, struct two *two)
{
	uint64_t m = simd_nondigits(p);
	const unsigned na = (unsigned)__builtin_ctzll(m);
	unsigned nb;

	m &= m - 1;
	two->nl = p + __builtin_ctzll(m);
	nb = (unsigned)(two->nl - p) - na - 1;
	if (((na - 1) | (nb - 1)) > 7 || p[na] != ' ' || *two->nl != '\n')
		return false;
	simd_two(p, na, two->nl - nb, nb, two->cost);
	return true;
}

/* Add the bits of a cost to those of a sum; true if it does not fit. */
static HOT bool past_sum(uint64_t a, uint64_t cost, uint64_t *sum)
{
	return cost_stays((int64_t)a, (int64_t)cost) ||
	       __builtin_add_overflow((int64_t)a, (int64_t)cost, (int64_t *)sum);
}

/* Add a call; false, with nothing changed, when it is a rare one: after a head, the first
 * of its site in this part, or a sum would not fit. */
static HOT bool past_call(const struct replay_fixed in, const struct text_link *k,
			  const uint64_t *cost)
{
	struct tally *const t = in.t;
	uint64_t *v = t->entries.val + k->val, sum[3];

	if (k->flags & LINK_HEAD || v[0] >> 32 != t->parts.n ||
	    __builtin_add_overflow(v[1], k->count, &sum[0]) ||
	    past_sum(v[2], cost[0], &sum[1]) || past_sum(v[3], cost[1], &sum[2]) ||
	    tally_activates(t, ENTRY_CALLEE(t->entries.at[k->to].kind_callee), k->count,
			    cost[0]))
		return false;
	v[1] = sum[0];
	v[2] = sum[1];
	v[3] = sum[2];
	return true;
}

/* Add a cost line to its entry and to *self, the self cost of the function, which it
 * enters when the line begins a block; false, with nothing changed, when it is a rare
 * one: the function is new in this part, or a sum would not fit. */
static HOT bool past_line(struct tally *t, const struct text_link *k,
			  const uint64_t *cost, uint64_t **self)
{
	const bool head = k->flags & LINK_HEAD;
	uint64_t *v = t->entries.val + k->val, *s = *self, sum[4];

	if (head) {
		if (t->fns.at[k->from].stamp != t->parts.n)
			return false;
		s = t->fns.part_self + (size_t)k->from * 2;
	}
	if (past_sum(v[0], cost[0], &sum[0]) || past_sum(v[1], cost[1], &sum[1]) ||
	    past_sum(s[0], cost[0], &sum[2]) || past_sum(s[1], cost[1], &sum[3]))
		return false;
	if (head) {
		if (tally_activation(t, k->from))
			return false;
		/* tally_enter(), of a function whose object is in force, and which has
		 * lines. */
		t->fns.at[t->now.fn].ended = true;
		t->now.fn = k->from;
		*self = s;
	}
	v[0] = sum[0];
	v[1] = sum[1];
	s[0] = sum[2];
	s[1] = sum[3];
	return true;
}

/* The entry of the last call among the links from `start` to `end` of the past; `other`
 * if none is a call. */
static HOT uint32_t past_last_call(const struct text_link *link, const uint32_t *start,
				   const uint32_t *end, uint32_t other)
{
	for (const uint32_t *i = end; i > start; i--)
		if (link[i[-1]].flags & LINK_CALL)
			return link[i[-1]].to;
	return other;
}

/* Take links of two columns, each an event, as long as they come as they came the last
 * time. */
static __attribute__((noinline)) struct past follow_past(const struct replay_fixed in,
							 struct past from)
{
	struct replay *const r = in.r;
	struct tally *const t = in.t;
	uint32_t *const ring = r->ring;
	const size_t start = r->past_n, ahead = r->past_at - start;
	const struct text_link *const link = r->link;
	uint64_t *const val = t->entries.val, lines = 0;
	uint64_t *self = t->fns.part_self + (size_t)t->now.fn * 2;
	const char *p = from.p, *end = in.end;
	uint32_t cur = from.cur;
	size_t n = start;

	tally_end_run(t);
	/* A link takes 4 bytes of text or more: stop before the end of the ring. */
	if ((size_t)(end - p) / 4 > r->past_size - n)
		end = p + (r->past_size - n) * 4;
	while (p < end) {
		const uint32_t *const at = &ring[n + ahead], i = *at;
		const struct text_link *const k = &link[i];
		const unsigned flags = k->flags;
		struct two two;

		__builtin_prefetch(&link[at[PAST_AHEAD]]);
		__builtin_prefetch(&val[link[at[PAST_AHEAD / 2]].val]);
		if (flags & LINK_HEAD ? !head_fits(t, k) : k->from != cur)
			break;
		if (flags & (LINK_JUMP | LINK_LONG) || !text_fits(p, k) ||
		    !past_costs(p + k->len, &two))
			break;
		if (flags & LINK_CALL ? !past_call(in, k, two.cost)
				      : !past_line(t, k, two.cost, &self))
			break;
		p = two.nl + 1;
		cur = k->to;
		lines += flags & LINK_NEWLINES;
		if (flags & LINK_HEAD)
			t->log.line = t->lines + lines;
		r->link_more[i].seen = (uint32_t)n;
		ring[n++] = i;
	}
	t->lines += lines;
	r->past_at = (uint32_t)(n + ahead) & (r->past_size - 1);
	r->past_n = (uint32_t)n & (r->past_size - 1);
	r->past_round |= n > start && r->past_n == 0;
	return (struct past){p, cur,
			     past_last_call(link, ring + start, ring + n, from.call),
			     n - start};
}

#endif
