/*
 * region.c - cut the region of a path question out of a flow; see region.h.
 *
 * Three passes over the arcs between the first start and the last end: forward, which
 * points a start reaches; backward, which of those reach an end; forward, to number and
 * copy what is left.  A byte of bits per vertex holds its four possible points.
 */
#include "engine/region.h"

#include <string.h>

enum { IN_FROM = 1, IN_TO = 2, IN_VIA = 4, IN_AVOID = 8 }; /* marks[] */
enum { END = 1, START = 2, LAYER0 = 4, LAYER1 = 8, INNER = LAYER0 | LAYER1 }; /* points */
enum { POLL = 4096 };

struct cut {
	const struct flow *fl;
	bool via;
	uint8_t *marks, *reach;
	uint32_t lo, hi; /* vertices lo .. hi - 1 matter */
	uint32_t *id;	 /* first point of each vertex */
	uint8_t enters[16]
		      [4]; /* arriving() by mark and layers, for the loops over arcs */
};

static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

int path_canceled(const atomic_int *cancel, struct err *err)
{
	if (cancel && atomic_load_explicit(cancel, memory_order_relaxed))
		return err_set(err, ERR_CANCEL, 0, "interrupted");
	return 0;
}

void region_mark(const struct flow *fl, const struct fn_set *s, uint8_t bit,
		 uint8_t *marks)
{
	uint32_t f;

	if (!s)
		return;
	for (f = fnset_next(s, 0); f < fl->in.functions; f = fnset_next(s, f + 1))
		marks[fl->vertex[f]] |= bit;
}

/* Layers (as point bits) in which calls of a point of v arrive. */
static uint8_t leaving(const struct cut *c, uint32_t v, uint8_t bits)
{
	uint8_t out = bits & INNER;

	if (bits & START)
		out |= c->marks[v] & IN_VIA ? LAYER1 : LAYER0;
	return out;
}

/* The points of t entered by arcs that leave in those layers. */
static uint8_t arriving(const struct cut *c, uint8_t mark, uint8_t layers)
{
	if (mark & IN_AVOID)
		return 0;
	if (mark & IN_VIA)
		layers = layers ? LAYER1 : 0;
	if (mark & IN_TO)
		return !c->via ? (layers ? END : 0) : (layers & LAYER1 ? END : 0);
	return mark & IN_FROM ? 0 : layers;
}

/* The layers in which an arc must leave to enter one of those points of t. */
static uint8_t leading_to(const struct cut *c, uint8_t mark, uint8_t points)
{
	uint8_t layers = 0;

	if (c->enters[mark][LAYER0 / LAYER0] & points)
		layers |= LAYER0;
	if (c->via && c->enters[mark][LAYER1 / LAYER0] & points)
		layers |= LAYER1;
	return layers;
}

static void mark_sets(struct cut *c, const struct path_query *q, bool *same)
{
	const struct flow *fl = c->fl;

	region_mark(fl, q->from, IN_FROM, c->marks);
	region_mark(fl, q->to, IN_TO, c->marks);
	region_mark(fl, q->via, IN_VIA, c->marks);
	region_mark(fl, q->avoiding, IN_AVOID, c->marks);
	c->lo = fl->vertices;
	for (uint32_t v = 0; v < fl->vertices; v++) {
		uint8_t mark = c->marks[v];

		*same |= (mark & (IN_FROM | IN_TO)) == (IN_FROM | IN_TO);
		if (mark & IN_FROM && !(mark & IN_AVOID)) {
			c->reach[v] = START;
			if (v < c->lo)
				c->lo = v;
		}
		if (mark & IN_TO)
			c->hi = v + 1;
	}
}

static int forward(struct cut *c, const atomic_int *cancel, struct err *err)
{
	const struct flow *fl = c->fl;

	for (uint32_t v = c->lo; v < c->hi; v++) {
		uint8_t layers = leaving(c, v, c->reach[v]);

		if (v % POLL == 0 && path_canceled(cancel, err))
			return (int)err->kind;
		if (!layers)
			continue;
		for (uint32_t i = fl->out_first[v]; i < fl->out_first[v + 1]; i++) {
			uint32_t t = fl->to[i];

			if (fl->w[i])
				c->reach[t] |= c->enters[c->marks[t]][layers / LAYER0];
		}
	}
	return 0;
}

static int backward(struct cut *c, const atomic_int *cancel, struct err *err)
{
	const struct flow *fl = c->fl;

	for (uint32_t v = c->hi; v-- > c->lo;) {
		uint8_t bits = c->reach[v], all, layers = 0;

		if (v % POLL == 0 && path_canceled(cancel, err))
			return (int)err->kind;
		all = leaving(c, v, bits);
		for (uint32_t i = fl->out_first[v];
		     i < fl->out_first[v + 1] && (all & ~layers); i++) {
			uint32_t t = fl->to[i];

			if (fl->w[i] && t < c->hi && c->reach[t])
				layers |= leading_to(c, c->marks[t], c->reach[t]);
		}
		bits &= (uint8_t)(END | START | layers);
		if (bits & START && !(leaving(c, v, START) & layers))
			bits &= (uint8_t)~START;
		c->reach[v] = bits;
	}
	return 0;
}

/* The number of v's point `bit`: its points stand in the order of their bits. */
static uint32_t point(const struct cut *c, uint32_t v, uint8_t bit)
{
	return c->id[v] + ones[c->reach[v] & (bit - 1u)];
}

struct copy {
	uint32_t *first, *to, *arc, *vertex, *ends;
	uint8_t *role;
	double *scale;
};

static int allocate(const struct cut *c, struct arena *a, struct region *r,
		    struct copy *o, struct err *err)
{
	const struct flow *fl = c->fl;
	size_t n = 0, m = 0, ends = 0;

	for (uint32_t v = c->lo; v < c->hi; v++) {
		size_t copies = ones[c->reach[v] & ~END];

		c->id[v] = (uint32_t)n;
		n += copies + (c->reach[v] & END);
		ends += c->reach[v] & END;
		m += copies * (fl->out_first[v + 1] - fl->out_first[v]);
	}
	if (m >= UINT32_MAX || n >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, 0,
			       "the call graph is too large for paths");
	r->points = (uint32_t)n;
	r->nends = (uint32_t)ends;
	o->first = ARENA_ARRAY(a, uint32_t, n + 1);
	o->to = ARENA_ARRAY(a, uint32_t, m);
	o->arc = ARENA_ARRAY(a, uint32_t, m);
	o->vertex = ARENA_ARRAY(a, uint32_t, n);
	o->ends = ARENA_ARRAY(a, uint32_t, ends);
	o->role = ARENA_ARRAY(a, uint8_t, n);
	o->scale = ARENA_ARRAY(a, double, n);
	if (!o->first || !o->to || !o->arc || !o->vertex || !o->ends || !o->role ||
	    !o->scale)
		return arena_full(a, err);
	return 0;
}

/* The arcs of one point of v. */
static uint32_t copy_arcs(const struct cut *c, const struct copy *o, uint32_t v,
			  uint8_t bit, uint32_t m)
{
	const struct flow *fl = c->fl;
	uint8_t layer = leaving(c, v, bit);

	for (uint32_t i = fl->out_first[v]; i < fl->out_first[v + 1]; i++) {
		uint32_t t = fl->to[i];
		uint8_t target;

		if (t >= c->hi || !c->reach[t] || !fl->w[i])
			continue;
		target = c->enters[c->marks[t]][layer / LAYER0] & c->reach[t];
		if (!target)
			continue;
		o->to[m] = point(c, t, target);
		o->arc[m++] = i;
	}
	return m;
}

static void copy(const struct cut *c, struct region *r, struct copy *o)
{
	uint32_t m = 0, n = 0, ends = 0;

	for (uint32_t v = c->lo; v < c->hi; v++) {
		for (uint8_t bit = END; bit <= LAYER1; bit = (uint8_t)(bit << 1)) {
			if (!(c->reach[v] & bit))
				continue;
			o->first[n] = m;
			o->vertex[n] = v;
			o->role[n] = bit == START ? REGION_START : REGION_INNER;
			o->scale[n] = bit == START ? 1 : 1 / (double)c->fl->incl[v];
			if (bit == END) {
				o->role[n] = REGION_END;
				o->ends[ends++] = n;
			} else {
				m = copy_arcs(c, o, v, bit, m);
			}
			n++;
		}
	}
	o->first[n] = m;
	r->arcs = m;
}

int region_build(const struct flow *fl, const struct path_query *q, struct arena *a,
		 const atomic_int *cancel, struct region *out, struct err *err)
{
	struct cut c = {.fl = fl, .via = q->via};
	struct region r = {.fl = fl};
	struct copy o = {0};
	int rc;

	c.marks = ARENA_ARRAY(a, uint8_t, fl->vertices);
	c.reach = ARENA_ARRAY(a, uint8_t, fl->vertices);
	c.id = ARENA_ARRAY(a, uint32_t, fl->vertices);
	if (!c.marks || !c.reach || !c.id)
		return arena_full(a, err);
	for (uint8_t mark = 0; mark < 16; mark++)
		for (uint8_t layers = 0; layers < 4; layers++)
			c.enters[mark][layers] =
				arriving(&c, mark, (uint8_t)(layers * LAYER0));
	mark_sets(&c, q, &r.same);
	if (c.lo > c.hi)
		c.lo = c.hi;
	if ((rc = forward(&c, cancel, err)) || (rc = backward(&c, cancel, err)) ||
	    (rc = allocate(&c, a, &r, &o, err)))
		return rc;
	copy(&c, &r, &o);
	r.first = o.first;
	r.to = o.to;
	r.arc = o.arc;
	r.vertex = o.vertex;
	r.scale = o.scale;
	r.ends = o.ends;
	r.role = o.role;
	*out = r;
	return 0;
}
