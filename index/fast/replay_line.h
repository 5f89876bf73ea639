/*
 * replay_line.h - one line at hand: does a link's text fit, and what are the numbers?
 *
 * In: a link and the text at p.  Out: struct line, or false with nothing changed.  The
 * forms that use vectors are in replay_match.h.
 */
#ifndef QUERN_REPLAY_LINE_H
#define QUERN_REPLAY_LINE_H

#include "index/fast/numbers.h"
#include "index/fast/replay_in.h"

struct line {
	const char *end;   /* after its newline */
	const char *costs; /* where they begin */
	uint64_t count;	   /* of a call; of a jump: executed */
	uint64_t taken;	   /* of a conditional jump */
	uint32_t newlines; /* in the text before that of the link */
	uint32_t n;	   /* how many costs, for three columns or more */
	uint64_t cost[2];  /* the costs of one or two columns, which stay in registers */
};

/* ---- costs ---- */

/* Read the costs at p of any form into l and many (number_costs()).  The second of two
 * columns is 0 if it is not there: add_costs() adds both without looking. */
static HOT bool any_costs(const char *p, uint32_t ncols, struct line *l, uint64_t *many)
{
	l->end = number_costs(p, ncols, many, &l->n);
	l->cost[0] = many[0];
	l->cost[1] = l->n > 1 ? many[1] : 0;
	return l->end != NULL;
}

/* Add the costs of a line to sum[]; many has those of three columns or more. */
static HOT void add_costs(struct tally *t, uint64_t *sum, const struct line *l,
			  uint32_t ncols, const uint64_t *many)
{
	if (ncols > 2) {
		tally_add_costs(t, sum, many, l->n);
		return;
	}
	tally_add_cost(t, &sum[0], l->cost[0]);
	if (ncols == 2)
		tally_add_cost(t, &sum[1], l->cost[1]);
}

/*
 * The cost of the line before: the next line probably has the same.  Of one column it is
 * the cost, up to 7 digits, with the newline, or up to 6 with a blank or CR and the
 * newline.  Of more columns it is the digits of the first number.
 */
struct last_cost {
	uint64_t text; /* the first byte lowest */
	uint64_t mask; /* ones for the bytes of it */
	unsigned size; /* bytes */
	uint64_t v;
};

/* Read the cost at p, of one column, into *cost; false, with nothing changed, when it has
 * another form. */
static HOT bool read_cost(const char *p, struct last_cost *cost)
{
	const uint64_t text = load8(p);
	const unsigned n = leading_digits(text);

	if (n - 1 <= 6 && p[n] == '\n') {
		*cost = (struct last_cost){text, UINT64_MAX >> (56 - 8 * n), n + 1,
					   digits_at(p, n)};
		return true;
	}
	if (n - 1 > 5 || (p[n] != '\r' && p[n] != ' ') || p[n + 1] != '\n')
		return false;
	*cost = (struct last_cost){text, UINT64_MAX >> (48 - 8 * n), n + 2,
				   digits_at(p, n)};
	return true;
}

/* The cost of l, of one column, becomes the last one. */
static HOT void keep_cost(const struct line *l, struct last_cost *cost)
{
	const size_t size = (size_t)(l->end - l->costs);

	if (size <= 8)
		*cost = (struct last_cost){load8(l->costs), UINT64_MAX >> (64 - 8 * size),
					   (unsigned)size, l->cost[0]};
}

/* The number at p, the first of several columns, becomes the last one. */
static HOT void keep_first(const char *p, struct last_cost *first)
{
	const uint64_t text = load8(p);
	const unsigned n = leading_digits(text);

	if (n)
		*first = (struct last_cost){text, UINT64_MAX >> (64 - 8 * n), n,
					    digits_at(p, n)};
}

/* ---- texts ---- */

/* k is a LINK_JUMP: true for jcnd=. */
static HOT bool is_conditional(const struct text_link *k)
{
	return k->text[k->before - JUMP_WORD + 1] == 'c';
}

/* True when the text at p begins with that of k, a LINK_JUMP, up to the counts.  The
 * first byte is not compared: in k it is JUMP_MARK. */
static HOT bool jump_begins(const struct text_link *k, const char *p)
{
	unsigned n = k->before - 1u; /* at least 4 */

	for (p++; n > 8; p += 8, n -= 8)
		if (load8(p) != load8(k->text + k->before - n))
			return false;
	return (load8(p) ^ load8(k->text + k->before - n)) << (64 - 8 * n) == 0;
}

/* True when the head of a block in k's text means k's function here, too. */
static HOT bool head_fits(const struct tally *t, const struct text_link *k)
{
	const struct fn_slot *f = &t->fns.at[k->from];

	return t->now.has_fl && f->ob == t->now.ob &&
	       (k->flags & LINK_FL || f->fl == t->fns.at[t->now.fn].fl);
}

#endif
