/*
 * path_best.c - the k best paths of a region.
 *
 * The best one is a dynamic program over the arcs in topological order.  The next ones come
 * from the recursive enumeration of Jimenez and Marzal (WAE 1999): the next best path to a
 * point is the best of its candidates, one per arc into it, and only the arc whose
 * candidate was used last needs a new one, from the point it comes from.  So a further path
 * costs a walk back along the one before it, not a pass over the graph.
 *
 * That needs an order that prolonging by the same arc keeps: est is multiplied, hi is cut,
 * length grows by one for all.
 */
#include "engine/path.h"
#include "engine/region.h"

#include <stdlib.h>
#include <string.h>

#define NO_ARC UINT32_MAX

enum { POLL = 4096 };

struct rank { /* one path to a point */
	double est;
	uint64_t hi;
	uint32_t length; /* arcs */
	uint32_t arc;	 /* the last one; NO_ARC: the point is a start */
	uint32_t from;	 /* the point that arc comes from */
	uint32_t rank;	 /* of the path to that point */
};

struct point {		    /* of those that a second path was asked for */
	struct rank *found; /* best first */
	struct rank *heap;  /* candidates, best on top */
	uint32_t nfound, found_cap, nheap, heap_cap;
	bool opened; /* every other arc has its candidate */
	bool exhausted;
};

struct in_arc {
	uint32_t arc, from;
};

struct search {
	const struct region *r;
	struct arena *arena;
	enum path_kind kind;
	struct rank *best;  /* [points + 1]; the last is a sink behind all ends */
	uint32_t *in_first; /* [points + 1]: arcs by target */
	struct in_arc *in;
	struct point **points; /* [points + 1]; NULL: only `best` is known */
};

/* Is x before y?  Never both ways; equal paths differ in arc or rank. */
static inline bool before(enum path_kind kind, const struct rank *x, const struct rank *y)
{
	if (kind == PATH_SHORTEST && x->length != y->length)
		return x->length < y->length;
	if (kind == PATH_WIDEST && x->hi != y->hi)
		return x->hi > y->hi;
	if (x->est != y->est)
		return x->est > y->est;
	if (x->length != y->length)
		return x->length < y->length;
	return x->arc != y->arc ? x->arc < y->arc : x->rank < y->rank;
}

/* The path x to point p and arc i; arcs past the region's lead from ends to the sink. */
static inline struct rank prolong(const struct region *r, const struct rank *x,
				  uint32_t p, uint32_t i, uint32_t rank)
{
	uint64_t w;

	if (i >= r->arcs)
		return (struct rank){x->est, x->hi, x->length, i, p, rank};
	w = r->fl->w[r->arc[i]];
	return (struct rank){
		.est = x->est * (r->scale[p] * (double)w),
		.hi = x->hi < w ? x->hi : w,
		.length = x->length + 1,
		.arc = i,
		.from = p,
		.rank = rank,
	};
}

/* ---- the best path to every point ---- */

static inline int relax_all(struct search *s, enum path_kind kind,
			    const atomic_int *cancel, struct err *err)
{
	const struct region *r = s->r;

	for (uint32_t p = 0; p < r->points; p++) {
		struct rank *x = &s->best[p];

		if (p % POLL == 0 && path_canceled(cancel, err))
			return (int)err->kind;
		if (r->role[p] == REGION_START)
			*x = (struct rank){.est = 1, .hi = UINT64_MAX, .arc = NO_ARC};
		for (uint32_t i = r->first[p]; i < r->first[p + 1]; i++) {
			struct rank y = prolong(r, x, p, i, 0), *t = &s->best[r->to[i]];

			if (t->length == 0 || before(kind, &y, t))
				*t = y;
		}
	}
	for (uint32_t k = 0; k < r->nends; k++) {
		uint32_t p = r->ends[k];
		struct rank y = prolong(r, &s->best[p], p, r->arcs + k, 0);
		struct rank *t = &s->best[r->points];

		if (t->length == 0 || before(kind, &y, t))
			*t = y;
	}
	return 0;
}

/* One copy of the loop per order: the comparison is the inner loop. */
static int relax(struct search *s, const atomic_int *cancel, struct err *err)
{
	if (s->kind == PATH_SHORTEST)
		return relax_all(s, PATH_SHORTEST, cancel, err);
	if (s->kind == PATH_WIDEST)
		return relax_all(s, PATH_WIDEST, cancel, err);
	return relax_all(s, PATH_HOTTEST, cancel, err);
}

/* ---- the next paths ---- */

static int make_in_arcs(struct search *s)
{
	const struct region *r = s->r;

	s->in_first = ARENA_ARRAY(s->arena, uint32_t, (size_t)r->points + 2);
	s->in = ARENA_ARRAY(s->arena, struct in_arc, r->arcs);
	s->points = ARENA_ARRAY(s->arena, struct point *, (size_t)r->points + 1);
	if (!s->in_first || !s->in || !s->points)
		return -1;
	for (uint32_t i = 0; i < r->arcs; i++)
		s->in_first[r->to[i] + 2]++;
	for (uint32_t p = 2; p < r->points + 2; p++)
		s->in_first[p] += s->in_first[p - 1];
	for (uint32_t p = 0; p < r->points; p++)
		for (uint32_t i = r->first[p]; i < r->first[p + 1]; i++)
			s->in[s->in_first[r->to[i] + 1]++] = (struct in_arc){i, p};
	return 0;
}

static int grow(struct arena *a, struct rank **p, uint32_t n, uint32_t *cap)
{
	uint32_t wide = *cap ? *cap * 2 : 4;
	struct rank *q;

	if (n < *cap)
		return 0;
	if (!(q = ARENA_ARRAY(a, struct rank, wide)))
		return -1;
	if (n)
		memcpy(q, *p, n * sizeof(*q));
	*p = q;
	*cap = wide;
	return 0;
}

static int push(struct search *s, struct point *p, struct rank x)
{
	uint32_t i = p->nheap;

	if (grow(s->arena, &p->heap, p->nheap, &p->heap_cap))
		return -1;
	p->nheap++;
	for (; i > 0 && before(s->kind, &x, &p->heap[(i - 1) / 2]); i = (i - 1) / 2)
		p->heap[i] = p->heap[(i - 1) / 2];
	p->heap[i] = x;
	return 0;
}

static struct rank pop(struct search *s, struct point *p)
{
	struct rank top = p->heap[0], last = p->heap[--p->nheap];
	uint32_t i = 0, c;

	while ((c = 2 * i + 1) < p->nheap) {
		if (c + 1 < p->nheap && before(s->kind, &p->heap[c + 1], &p->heap[c]))
			c++;
		if (!before(s->kind, &p->heap[c], &last))
			break;
		p->heap[i] = p->heap[c];
		i = c;
	}
	p->heap[i] = last;
	return top;
}

/* The point with its best path, ready to be asked for more; NULL: out of memory. */
static struct point *open_point(struct search *s, uint32_t v)
{
	struct point *p = s->points[v];

	if (p)
		return p;
	p = ARENA_NEW(s->arena, struct point);
	if (!p || grow(s->arena, &p->found, 0, &p->found_cap))
		return NULL;
	p->found[p->nfound++] = s->best[v];
	p->exhausted = s->best[v].arc == NO_ARC;
	s->points[v] = p;
	return p;
}

static int first_candidates(struct search *s, uint32_t v, struct point *p)
{
	const struct region *r = s->r;
	bool sink = v == r->points;
	uint32_t n = sink ? r->nends : s->in_first[v + 1] - s->in_first[v];

	p->opened = true;
	for (uint32_t k = 0; k < n; k++) {
		struct in_arc in = sink ? (struct in_arc){r->arcs + k, r->ends[k]}
					: s->in[s->in_first[v] + k];
		struct rank x = prolong(r, &s->best[in.from], in.from, in.arc, 0);

		if (in.arc != p->found[0].arc && push(s, p, x))
			return -1;
	}
	return 0;
}

/* The next path to v, given that the point its last one came from is up to date. */
static int advance(struct search *s, uint32_t v, struct point *p)
{
	struct rank last = p->found[p->nfound - 1];
	struct point *u = s->points[last.from];

	if (!p->opened && first_candidates(s, v, p))
		return -1;
	if (u->nfound > last.rank + 1 &&
	    push(s, p,
		 prolong(s->r, &u->found[last.rank + 1], last.from, last.arc,
			 last.rank + 1)))
		return -1;
	if (p->nheap == 0) {
		p->exhausted = true;
		return 0;
	}
	if (grow(s->arena, &p->found, p->nfound, &p->found_cap))
		return -1;
	p->found[p->nfound++] = pop(s, p);
	return 0;
}

/* One more path to the sink: walk back along the last one while the points on it are used
 * up, then forward again. */
static int next_path(struct search *s, uint32_t *chain)
{
	uint32_t n = 0, v = s->r->points;
	struct point *p = s->points[v];

	for (;;) {
		const struct rank *last = &p->found[p->nfound - 1];
		uint32_t rank = last->rank;

		if (p->exhausted)
			break;
		chain[n++] = v;
		v = last->from;
		if (!(p = open_point(s, v)))
			return -1;
		if (p->nfound > rank + 1)
			break;
	}
	while (n > 0) {
		v = chain[--n];
		if (advance(s, v, s->points[v]))
			return -1;
	}
	return 0;
}

/* ---- the answer ---- */

static int trace(struct search *s, const struct path_query *q, const struct rank *x,
		 uint32_t *arcs, struct arena *a, struct path *out, struct err *err)
{
	uint32_t i = x->length, v = x->from, rank = x->rank;

	while (i > 0) {
		const struct rank *y = s->points && s->points[v]
					       ? &s->points[v]->found[rank]
					       : &s->best[v];

		arcs[--i] = y->arc;
		v = y->from;
		rank = y->rank;
	}
	return path_of_arcs(s->r, q, arcs, x->length, a, out, err);
}

int path_best(const struct region *r, const struct path_query *q, uint32_t k,
	      struct arena *a, const atomic_int *cancel, struct path_list *out,
	      struct err *err)
{
	struct search s = {.r = r, .arena = a, .kind = q->kind};
	uint32_t *chain = ARENA_ARRAY(a, uint32_t, (size_t)r->points + 2);
	struct point *sink = NULL;
	bool next = k > 1 || q->kind == PATH_ALL; /* else the best one is enough */
	size_t cap = 0;
	struct path *paths = NULL;
	int rc;

	s.best = ARENA_ARRAY(a, struct rank, (size_t)r->points + 1);
	if (!chain || !s.best)
		return arena_full(a, err);
	if ((rc = relax(&s, cancel, err)))
		return rc;
	if (next && (make_in_arcs(&s) || !(sink = open_point(&s, r->points))))
		return arena_full(a, err);
	for (size_t n = 0; n < k; n++) {
		const struct rank *x = sink ? &sink->found[n] : &s.best[r->points];

		if (path_canceled(cancel, err))
			return (int)err->kind;
		if (q->kind == PATH_ALL && path_under_min(x->est, q->min))
			break;
		if (n == cap) {
			size_t wide = cap ? cap * 2 : 4;
			struct path *p = ARENA_ARRAY(a, struct path, wide);

			if (!p)
				return arena_full(a, err);
			if (n)
				memcpy(p, paths, n * sizeof(*p));
			paths = p;
			cap = wide;
		}
		if ((rc = trace(&s, q, x, chain, a, &paths[n], err)))
			return rc;
		out->paths = paths;
		out->n = n + 1;
		if (!sink) {
			/* Every arc of a region is on some path. */
			out->more = r->arcs > x->length;
			break;
		}
		if (next_path(&s, chain))
			return arena_full(a, err);
		if (sink->exhausted)
			break;
		out->more =
			n + 1 == k && !(q->kind == PATH_ALL &&
					path_under_min(sink->found[n + 1].est, q->min));
	}
	return 0;
}
