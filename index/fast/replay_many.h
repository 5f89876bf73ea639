/*
 * replay_many.h - steps of two columns and more, each an event; see replay_one.h.
 *
 * Included by replay_loops.c, which is compiled once per instruction set.
 */
#ifndef QUERN_REPLAY_MANY_H
#define QUERN_REPLAY_MANY_H

#include "index/fast/replay_one.h"

/* Add v to number i of an entry and to that of the block. */
static HOT void add_cost(struct tally *t, uint64_t *val, unsigned i, uint64_t v)
{
	tally_add_cost(t, &val[i], v);
	tally_add_cost(t, &t->now.run[i], v);
}

/* Add the costs at p to val[], the numbers of an entry, and to those of the block; the
 * end of the line, or NULL with nothing changed.  So do the functions below. */
static HOT const char *add_columns(const struct replay_fixed in, uint64_t *val,
				   const char *p)
{
	struct columns c;
	uint64_t cost[REPLAY_COLUMNS], mask;
	uint32_t n;

	if (__builtin_expect(!find_columns(&c, p, in.ncols), 0)) {
		p = number_costs(p, in.ncols, cost, &n);
		for (unsigned i = 0; p && i < n; i++)
			add_cost(in.t, val, i, cost[i]);
		return p;
	}
	mask = c.mask;
	for (uint64_t from = c.others; from; from &= from - 1, mask &= mask - 1)
		add_cost(in.t, val, (unsigned)__builtin_ctzll(mask),
			 column_at(&c, (unsigned)__builtin_ctzll(from)));
	return c.end;
}

/* Two columns: "12 3\n", or "12\n". */
static HOT const char *add_two(const struct replay_fixed in, uint64_t *val, const char *p)
{
	const uint64_t m = simd_nondigits(p);
	const unsigned na = (unsigned)__builtin_ctzll(m);
	const unsigned at = (unsigned)__builtin_ctzll(m & (m - 1)), nb = at - na - 1;
	uint64_t cost[2];

	if (p[na] == '\n' && na - 1 <= 7) {
		add_cost(in.t, val, 0, digits_at(p, na));
		return p + na + 1;
	}
	if (na - 1 > 7 || nb - 1 > 7 || p[na] != ' ' || p[at] != '\n')
		return add_columns(in, val, p);
	simd_two(p, na, p + na + 1, nb, cost);
	for (unsigned i = 0; i < 2; i++)
		add_cost(in.t, val, i, cost[i]);
	return p + at + 1;
}

/* "7\n", "7 7\n" or "7 0 0 7\n" with any number of zeros, where 7 are the digits of
 * `first`: most instructions cost what the one before cost, and read or write as often as
 * they are executed. */
static HOT const char *add_alike(const struct replay_fixed in, uint64_t *val,
				 const char *p, const struct last_cost *first)
{
	uint64_t differs = load8(p) ^ first->text;
	uint32_t i = 1;

	if (differs & first->mask)
		return NULL;
	p += first->size;
	if (*p == ' ') {
		/* Zeros, four at a time. */
		for (p++; !(differs = load8(p) ^ 0x2030203020302030); p += 8)
			if ((i += 4) >= in.ncols)
				return NULL;
		i += (unsigned)__builtin_ctzll(differs) / 16;
		p += (unsigned)__builtin_ctzll(differs) / 16 * 2;
		if (((load8(p) ^ first->text) & first->mask) || i >= in.ncols)
			return NULL;
		p += first->size;
	} else {
		i = 0;
	}
	if (*p != '\n')
		return NULL;
	add_cost(in.t, val, 0, first->v);
	if (i)
		add_cost(in.t, val, i, first->v);
	return p + 1;
}

/* Any number of columns. */
static HOT const char *add_line(const struct replay_fixed in, uint64_t *val,
				const char *p, struct last_cost *first)
{
	const char *q;

	if (in.ncols == 2)
		return add_two(in, val, p);
	q = add_alike(in, val, p, first);
	if (!q) {
		q = add_columns(in, val, p);
		keep_first(p, first);
	}
	return q;
}

/* Take a cost line or a jump by the first link of the entry; false, with nothing changed,
 * when that link does not fit, or is another one. */
static HOT bool many_link(const struct replay_fixed in, struct steps *s,
			  struct last_cost *first)
{
	struct tally *t = in.t;
	const struct text_link *k = &in.r->link[s->step->first];
	uint64_t *val;
	const char *q;

	if (k->flags & LINK_JUMP)
		return step_jump(in, k, s, NULL);
	if (k->flags > LINK_NEWLINES || !text_fits(s->p, k))
		return false;
	val = t->entries.val + k->val;
	q = add_line(in, val, s->p + k->len, first);
	if (!q)
		return false;
	t->lines += k->flags - 1u;
	s->p = q;
	s->step = in.r->step + k->to;
	s->val = val + t->events.n;
	s->lines++;
	return true;
}

/* Take cost lines and jumps that come as they came the last time. */
static HOT struct steps many_lines(const struct replay_fixed in, struct steps s,
				   struct last_cost *first)
{
	do {
		const struct text_step *const from = s.step;

		while (s.p < in.end && step_fits(s.step, s.p)) {
			const char *q = add_line(in, s.val, s.p + s.step->len, first);

			if (!q)
				break;
			s.p = q;
			s.val += in.t->events.n;
			s.step++;
		}
		s.lines += (uint64_t)(s.step - from);
		/* Of two columns, links are taken faster by the loop in replay_loops.c
		 * (measured). */
	} while (in.ncols > 2 && s.p < in.end && many_link(in, &s, first));
	end_steps(in, &s);
	return s;
}

#endif
