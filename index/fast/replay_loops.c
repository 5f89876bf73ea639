/*
 * replay_loops.c - the loops over text that was met before; compiled once per instruction
 * set.
 *
 * In: text at p, after the entry t->now.entry.  Out: where the loop stopped; every line
 * before it is added to the tally.  For each line the loop knows the entry before it, and
 * tries, the likeliest first:
 *
 *	replay_one.h	steps of one column: cost lines that lead to the entry numbered next
 *	replay_many.h	the same for more columns
 *	replay_past.h	the links that came next the last time, of two columns
 *	expected()	the link that came next the last time (replay_match.h)
 *	replay_find.h	the other links of the entry; the head of a block; names written again
 *	learn()		a new cost line becomes an entry and a link
 */
#include "index/fast/replay_find.h"
#include "index/fast/replay_many.h"
#include "index/fast/replay_match.h"
#include "index/fast/replay_past.h"

/* Where the loop is. */
struct here {
	const char *p;
	uint32_t cur;	       /* the entry before p */
	uint32_t val;	       /* where the numbers of the entry numbered next are */
	uint32_t call;	       /* entry of the last call, 0: none yet */
	uint64_t steps;	       /* cost lines and jumps taken by steps */
	uint64_t links;	       /* links taken, */
	uint64_t hits;	       /* and those that came as they came the last time */
	uint64_t lines;	       /* of text, of links */
	struct last_cost last; /* of the cost line before; two columns: unused */
};

/* Where the numbers of the entry after cur are; 0 if there is no such entry. */
static HOT uint32_t next_val(const struct tally *t, uint32_t cur)
{
	return cur + 1 < t->entries.n ? t->entries.at[cur + 1].val : 0;
}

/* The place in the past after that where link i was taken last; `other` if that was
 * overwritten. */
static HOT uint32_t after_last(const struct replay *r, uint32_t i, uint32_t other)
{
	const uint32_t at = r->link_more[i].seen;

	return r->ring[at] == i ? past_next(r, at) : other;
}

/* Take what steps and the past know. */
static HOT void short_ways(const struct replay_fixed in, struct here *h)
{
	if (in.ncols == 1 || in.steps) {
		const struct steps from = begin_steps(in, h->p, h->cur, h->val);
		const struct steps s = in.ncols == 1 ? one_lines(in, from, &h->last)
						     : many_lines(in, from, &h->last);

		h->p = s.p;
		h->cur = (uint32_t)(s.step - in.r->step);
		h->steps += s.lines + s.jumps;
	}
	if (in.follow_two && h->p < in.end) {
		const struct past s =
			follow_past(in, (struct past){h->p, h->cur, h->call, 0});

		h->p = s.p;
		h->cur = s.cur;
		h->call = s.call;
		h->links += s.links;
		h->hits += s.links;
	}
}

/* The link that came next the last time, if it fits, with the line's numbers in *l; 0: it
 * does not, or is not tried. */
static HOT uint32_t expected(const struct replay_fixed in, const struct here *h,
			     struct line *l)
{
	const struct replay *r = in.r;
	const uint32_t i = r->ring[r->past_at];
	const struct text_link *k = &r->link[i];

	if (!in.follow && !(in.heads && (unsigned char)*h->p <= '\r'))
		return 0;
	if (k->flags & LINK_HEAD ? !head_fits(in.t, k) : k->from != h->cur)
		return 0;
	return match(in, k, h->p, l) ? i : 0;
}

/* Make an entry and a link of the cost line at p, which the block did not have, or not
 * there; false: it is not a line that can be learnt so. */
static __attribute__((noinline)) bool learn_line(const struct replay_fixed in,
						 uint32_t cur, const char *p)
{
	struct positions at;
	const char *from = replay_positions(in.r, in.t, cur, p, &at);
	struct line l;

	return from && costs(in, from, &l) &&
	       replay_learn_line(in.r, in.t, cur, p, from, &at);
}

/* Learn the lines at h->p, which are taken then; false: nothing was learnt. */
static HOT bool learn(const struct replay_fixed in, struct here *h)
{
	const char *p = h->p;

	if ((in.ncols > 1 && !in.steps) || tally_is_head(in.t, h->cur) ||
	    ((*p < '*' || *p > '9') && *p != 'f'))
		return false;
	if (!replay_learn_steps(in.r, in.t, h->cur, p, in.end) &&
	    !learn_line(in, h->cur, p))
		return false;
	h->val = next_val(in.t, h->cur);
	return true;
}

/* The result of look(), with *l in registers until then. */
static HOT uint32_t look_further(const struct replay_fixed in, const struct here *h,
				 struct line *l)
{
	struct line found;
	const uint32_t i = look(in, h->cur, h->p, &found);

	if (i)
		*l = found;
	return i;
}

/* The cost of the line in its first column. */
static HOT uint64_t first_cost(const struct replay_fixed in, const struct line *l)
{
	return in.ncols < 3 ? l->cost[0] : l->n ? in.many[0] : 0;
}

/* Add the numbers of the line to those of link k's entry and to the block; -1 when memory
 * is out. */
static HOT int add_numbers(const struct replay_fixed in, const struct text_link *k,
			   const struct line *l)
{
	struct tally *t = in.t;

	if (k->flags & LINK_CALL) {
		if (tally_add_calls(t, k->to, k->val, l->count) ||
		    tally_activates(t, ENTRY_CALLEE(t->entries.at[k->to].kind_callee),
				    l->count, first_cost(in, l)))
			return -1;
		add_costs(t, t->entries.val + k->val + 2, l, in.ncols, in.many);
	} else if (__builtin_expect(k->flags & LINK_JUMP, 0)) {
		tally_add_count(t, t->entries.val + k->val + 3, l->count);
		tally_add_count(t, t->entries.val + k->val + 4, l->taken);
	} else {
		add_costs(t, t->entries.val + k->val, l, in.ncols, in.many);
		add_costs(t, t->now.run, l, in.ncols, in.many);
		t->now.ran = true;
	}
	return 0;
}

/* Calls leave the base where it is, and k was one, after the entry `before`: the entry
 * that counts as the one before the next line. */
static HOT uint32_t base_after_call(const struct replay_fixed in,
				    const struct text_link *k, uint32_t before)
{
	const struct tally *t = in.t;

	if (!(k->flags & LINK_HEAD) && !tally_is_head(t, k->from))
		return k->to;
	/* The base is still that of the block before. */
	if (!tally_is_head(t, before))
		in.r->base = before;
	return t->fns.at[t->now.fn].head;
}

/* Take link i, which fits: the loop is after its line then.  -1 when memory is out. */
static HOT int take_link(const struct replay_fixed in, struct here *h, uint32_t i,
			 const struct line *l)
{
	const struct tally *t = in.t;
	const struct text_link *k = &in.r->link[i];
	const uint32_t before = h->cur;

	if (in.follow || (in.heads && k->flags & LINK_HEAD))
		replay_took(in.r, i);
	h->p = l->end;
	h->cur = k->to;
	h->val = k->val + (k->flags & LINK_JUMP	  ? JUMP_VALUES
			   : k->flags & LINK_CALL ? in.call_values
						  : (uint32_t)t->events.n);
	h->lines += k->flags & LINK_NEWLINES;
	h->links++;
	if (k->flags & LINK_CALL) {
		h->call = h->cur;
		if (in.apart && (h->cur = base_after_call(in, k, before)) != h->call)
			h->val = next_val(t, h->cur);
	}
	if (add_numbers(in, k, l))
		return -1;
	/* A call's or jump's numbers are not like those of the lines around it. */
	if (k->flags & (LINK_CALL | LINK_JUMP))
		return 0;
	if (in.ncols == 1)
		keep_cost(l, &h->last);
	else if (in.ncols > 2)
		keep_first(l->costs, &h->last);
	return 0;
}

/* The expected link i fits: the one after it is expected next.  Enter its block if it
 * begins one; -1 when memory is out. */
static HOT int accept(const struct replay_fixed in, struct here *h, uint32_t i)
{
	struct replay *r = in.r;
	const struct text_link *k = &r->link[i];

	h->hits++;
	r->past_at = past_next(r, r->past_at);
	return k->flags & LINK_HEAD ? tally_next_block(in.t, k->from, in.ncols) : 0;
}

/* Take lines from h->p on as far as the links go. */
static HOT void lines(const struct replay_fixed in, struct here *h)
{
	struct replay *r = in.r;
	struct line l = {0};

	while (h->p < in.end) {
		uint32_t i;

		short_ways(in, h);
		if (h->p >= in.end)
			break;
		i = expected(in, h, &l);
		if (__builtin_expect(i != 0, 1)) {
			if (accept(in, h, i)) {
				replay_no_memory(in.err);
				break;
			}
		} else {
			i = find(in, h->cur, h->p, &l);
			if (!i && learn(in, h))
				continue;
			if (!i) {
				i = look_further(in, h, &l);
				if (!i)
					break;
				h->lines += l.newlines;
			}
			if (in.follow || (in.heads && r->link[i].flags & LINK_HEAD))
				r->past_at = after_last(r, i, r->past_at);
		}
		if (take_link(in, h, i, &l)) {
			replay_no_memory(in.err);
			break;
		}
		/* A block began there. */
		if (__builtin_expect(in.t->log.line == 0, 0))
			in.t->log.line = in.t->lines + h->lines;
	}
}

static const struct last_cost no_cost = {'0' | '\n' << 8, 0xffff, 2, 0}; /* "0\n" */
static const struct last_cost no_first = {.mask = UINT64_MAX};

static HOT const char *replay_loops_take_all(struct replay *r, struct tally *t,
					     const char *p, const char *end,
					     struct err *err, uint32_t ncols)
{
	uint64_t many[REPLAY_COLUMNS];
	const struct replay_fixed in = {
		.r = r,
		.t = t,
		.end = end,
		.ncols = ncols,
		.many = many,
		.err = err,
		.follow = r->follow,
		/* Where calls are apart, the entry before a line is not always that of
		 * the link before. */
		.follow_two =
			r->follow && ncols == 2 && t->events.n == 2 && !t->now.apart,
		.heads = !r->misleads,
		.steps = ncols > 1 && !r->follow && t->events.col_is_event,
		.apart = t->now.apart,
		.call_values =
			(uint32_t)tally_values(t, ENTRY_KIND_CALLEE(ENTRY_CALL, 0)),
	};
	struct here h = {.p = p,
			 .cur = t->now.entry,
			 .val = next_val(t, t->now.entry),
			 .last = ncols == 1 ? no_cost : no_first};

	many[0] = many[1] = 0;
	lines(in, &h);
	t->now.entry = h.cur;
	t->lines += h.lines;
	t->cost_lines += h.steps + h.links;
	if (h.call) {
		t->now.cfn =
			t->fns.at[ENTRY_CALLEE(t->entries.at[h.call].kind_callee)].fn;
		t->now.has_cfn = true;
	}
	replay_count(r, h.links, h.hits, h.steps);
	return h.p;
}

/* The compiler makes straight code for one and for two columns. */
static const char *run_one(struct replay *r, struct tally *t, const char *p,
			   const char *end, struct err *err)
{
	return replay_loops_take_all(r, t, p, end, err, 1);
}

static const char *run_two(struct replay *r, struct tally *t, const char *p,
			   const char *end, struct err *err)
{
	return replay_loops_take_all(r, t, p, end, err, 2);
}

static const char *run_any(struct replay *r, struct tally *t, const char *p,
			   const char *end, struct err *err)
{
	return replay_loops_take_all(r, t, p, end, err, (uint32_t)t->events.ncol);
}

#ifdef SIMD_AVX2
const struct replay_loops replay_loops_avx2 = {
#else
const struct replay_loops replay_loops_portable = {
#endif
	.run = {run_one, run_two, run_any}};
