/*
 * path_cost.c - cost of one set under another, all paths together; see path.h.
 *
 * Every unit of cost has a call stack; read from its root, the stack is in one of these
 * states, and one pass in topological order moves the cost of each vertex between them:
 *
 *	OUTSIDE --under--> UNDER --via--> READY --of--> INSIDE
 *
 * Without `via`, UNDER is READY; without `under`, cost enters at READY or UNDER.  `avoiding`
 * leads back to OUTSIDE (which is the end of it when nothing is asked of `under`).
 *
 * Each state carries an estimate and two bounds.  Over an arc of cost w out of a vertex of
 * flow I, a part x of the vertex becomes between max(0, x + w - I) and min(w, x); what is
 * certainly in one state is certainly in no other, which tightens both.  So when `under`
 * dominates `of`, nothing can be OUTSIDE and the bounds meet; when it never reaches it,
 * nothing can be READY.  A second pass, backward, bounds from above what can still arrive.
 */
#include <string.h>

#include "engine/path.h"
#include "engine/region.h"

enum { IN_OF = 1, IN_UNDER = 2, IN_VIA = 4, IN_AVOID = 8 };
enum { OUTSIDE, UNDER, VIA_SEEN, INSIDE, STATES };
enum { POLL = 4096 };

struct part {
	double est;
	uint64_t lo, hi;
};

struct split { /* a vertex's flow, or an arc's cost, by state */
	struct part in[STATES];
};

struct costing {
	const struct flow *fl;
	uint8_t *marks;
	bool under, via;
	unsigned ready;	     /* the state in which `of` counts */
	unsigned enter;	     /* the state of what comes from outside the profile */
	struct split *at;    /* [vertices]: arriving, then after the vertex's own moves */
	struct part arrived; /* READY into `of` */
	bool odd;	     /* some vertex in between has sums that disagree */
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The state after a vertex with this mark of what arrives in state s. */
static unsigned move(const struct costing *c, uint8_t mark, unsigned s)
{
	bool passed = s != OUTSIDE; /* `under` is above, not this vertex itself */

	if (s == INSIDE)
		return s;
	if (mark & IN_AVOID)
		return OUTSIDE;
	if (s == OUTSIDE && c->under && mark & IN_UNDER)
		s = UNDER;
	if (s == UNDER && c->via && mark & IN_VIA)
		s = VIA_SEEN;
	if (s == c->ready && passed && mark & IN_OF)
		return INSIDE;
	return s;
}

/* The parts add up to total: each is total less the others. */
static void tighten(struct split *x, uint64_t total)
{
	uint64_t lo = 0, hi = 0;

	for (unsigned s = 0; s < STATES; s++) {
		x->in[s].hi = least(x->in[s].hi, total);
		lo = add(lo, x->in[s].lo);
		hi = add(hi, x->in[s].hi);
	}
	for (unsigned s = 0; s < STATES; s++) {
		struct part *p = &x->in[s];
		uint64_t most = less(total, lo - p->lo);
		uint64_t fewest = hi == UINT64_MAX ? 0 : less(total, hi - p->hi);

		p->hi = least(p->hi, most);
		if (p->lo < fewest)
			p->lo = fewest;
	}
}

static void gather(struct part *to, const struct part *from)
{
	to->est += from->est;
	to->lo = add(to->lo, from->lo);
	to->hi = add(to->hi, from->hi);
}

/* Apply the vertex's moves to what arrived; sums what enters `of`. */
static void pass(struct costing *c, uint32_t v)
{
	struct split moved = {0}, *x = &c->at[v];

	for (unsigned s = 0; s < STATES; s++) {
		unsigned to = move(c, c->marks[v], s);

		if (to == INSIDE && s != INSIDE)
			gather(&c->arrived, &x->in[s]);
		gather(&moved.in[to], &x->in[s]);
	}
	for (unsigned s = 0; s < STATES; s++)
		moved.in[s].hi = least(moved.in[s].hi, c->fl->incl[v]);
	*x = moved;
}

/* The parts of an arc; where sums disagree only whether there is any of a state is known. */
static void over_arc(const struct split *x, uint64_t w, uint64_t incl, bool odd,
		     struct split *out)
{
	double share = (double)w / (double)incl;

	for (unsigned s = 0; s < STATES; s++) {
		const struct part *p = &x->in[s];

		out->in[s].est = p->est * share;
		out->in[s].lo = odd ? 0 : less(p->lo, incl - w);
		out->in[s].hi = odd ? (p->hi ? w : 0) : least(p->hi, w);
	}
	tighten(out, w);
}

/* The only state that v can be in, or STATES: then what leaves it is in that state, too. */
static unsigned only_state(const struct split *x)
{
	unsigned only = STATES, n = 0;

	for (unsigned s = 0; s < STATES; s++)
		if (x->in[s].hi) {
			only = s;
			n++;
		}
	return n == 1 ? only : STATES;
}

static void flow_on(struct costing *c, uint32_t v)
{
	const struct flow *fl = c->fl;
	unsigned only = only_state(&c->at[v]);

	for (uint32_t i = fl->out_first[v]; only < STATES && i < fl->out_first[v + 1];
	     i++) {
		struct part all = {(double)fl->w[i], fl->w[i], fl->w[i]};

		gather(&c->at[fl->to[i]].in[only], &all);
	}
	if (only < STATES)
		return;
	for (uint32_t i = fl->out_first[v]; i < fl->out_first[v + 1]; i++) {
		struct split part, *t = &c->at[fl->to[i]];

		if (!fl->w[i])
			continue;
		over_arc(&c->at[v], fl->w[i], fl->incl[v], fl->odd[v], &part);
		for (unsigned s = 0; s < STATES; s++)
			gather(&t->in[s], &part.in[s]);
	}
}

static int forward(struct costing *c, const atomic_int *cancel, struct err *err)
{
	const struct flow *fl = c->fl;

	for (uint32_t v = 0; v < fl->vertices; v++) {
		struct part root = {(double)fl->root[v], fl->root[v], fl->root[v]};

		if (v % POLL == 0 && path_canceled(cancel, err))
			return (int)err->kind;
		gather(&c->at[v].in[c->enter], &root);
		tighten(&c->at[v], fl->incl[v]);
		pass(c, v);
		flow_on(c, v);
	}
	return 0;
}

/* below[s]: at most so much of what leaves v in state s ends in `of`; of[] is the same per
 * vertex below.  What enters the chain, added up, is at most that. */
struct below {
	uint64_t hi[STATES];
};

static void look_below(const struct costing *c, const struct below *of, uint32_t v,
		       struct below *out)
{
	const struct flow *fl = c->fl;

	for (uint32_t i = fl->out_first[v]; i < fl->out_first[v + 1]; i++) {
		uint32_t t = fl->to[i];

		for (unsigned s = OUTSIDE; s < INSIDE; s++) {
			unsigned to = move(c, c->marks[t], s);
			uint64_t hi = to == INSIDE ? fl->w[i] : of[t].hi[to];

			out->hi[s] = add(out->hi[s], least(hi, fl->w[i]));
		}
	}
	out->hi[OUTSIDE] = 0; /* counted where it enters the chain */
}

/* Cost that enters the chain at v: from OUTSIDE by `under`, or from outside the profile. */
static uint64_t entering(const struct costing *c, const struct below *of, uint32_t v)
{
	unsigned to = move(c, c->marks[v], c->enter);
	uint64_t most = c->under ? c->fl->incl[v] : c->fl->root[v];

	if (c->under && to == OUTSIDE)
		return 0;
	return to == INSIDE ? most : least(most, of[v].hi[to]);
}

static int backward(struct costing *c, struct arena *a, const atomic_int *cancel,
		    uint64_t *most, struct err *err)
{
	const struct flow *fl = c->fl;
	struct below *of = ARENA_ARRAY(a, struct below, fl->vertices);

	if (!of)
		return arena_full(a, err);
	for (uint32_t v = fl->vertices; v-- > 0;) {
		const struct split *x = &c->at[v];

		if (v % POLL == 0 && path_canceled(cancel, err))
			return (int)err->kind;
		if (x->in[UNDER].hi || x->in[VIA_SEEN].hi)
			look_below(c, of, v, &of[v]);
		*most = add(*most, entering(c, of, v));
		if (of[v].hi[UNDER] || of[v].hi[VIA_SEEN])
			c->odd |= fl->odd[v] && only_state(x) == STATES;
	}
	return 0;
}

int path_cost(const struct flow *fl, const struct path_cost_query *q, struct arena *a,
	      const atomic_int *cancel, struct path_bounds *out, struct err *err)
{
	struct costing c = {
		.fl = fl,
		.under = q->under,
		.via = q->via,
		.ready = q->via ? VIA_SEEN : UNDER,
		.enter = q->under ? OUTSIDE : UNDER,
	};
	struct path_bounds r;
	uint64_t most = 0;
	int rc;

	c.marks = ARENA_ARRAY(a, uint8_t, fl->vertices);
	c.at = ARENA_ARRAY(a, struct split, fl->vertices);
	if (!c.marks || !c.at)
		return arena_full(a, err);
	region_mark(fl, q->of, IN_OF, c.marks);
	region_mark(fl, q->under, IN_UNDER, c.marks);
	region_mark(fl, q->via, IN_VIA, c.marks);
	region_mark(fl, q->avoiding, IN_AVOID, c.marks);
	if ((rc = forward(&c, cancel, err)) || (rc = backward(&c, a, cancel, &most, err)))
		return rc;
	r = (struct path_bounds){c.arrived.est, c.arrived.lo, least(c.arrived.hi, most),
				 true, false};
	r.measured = r.lo == r.hi;
	if (r.measured)
		r.est = (double)r.lo;
	else
		r.bounded = !c.odd;
	*out = r;
	return 0;
}
