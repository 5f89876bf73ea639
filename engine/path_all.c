/*
 * path_all.c - every path of a region up to a length, by depth-first search.
 *
 * Two backward passes make dead ends rare: hops[] is the fewest arcs from a point to an end,
 * rest[] the best factor by which est can still shrink; whoever cannot arrive in time or
 * above `min` is not followed.  The list is then sorted, costliest first.
 */
#include "engine/path.h"
#include "engine/region.h"

#include <stdlib.h>
#include <string.h>

enum { POLL = 1 << 16, MOST_STEPS = 1 << 27 };

struct frame {
	uint32_t point;
	uint32_t next; /* the next arc to follow from it */
	double est;
};

struct search {
	const struct region *r;
	const struct path_query *q;
	uint32_t *hops;
	double *rest;
	struct frame *stack; /* [max + 1] */
	uint32_t *arcs;	     /* [max]: the path being followed */
	uint64_t steps;
};

static double factor(const struct region *r, uint32_t p, uint32_t i)
{
	return r->scale[p] * (double)r->fl->w[r->arc[i]];
}

static void look_ahead(struct search *s)
{
	const struct region *r = s->r;

	for (uint32_t p = r->points; p-- > 0;) {
		bool end = r->role[p] == REGION_END;

		s->hops[p] = end ? 0 : UINT32_MAX - 1;
		s->rest[p] = end ? 1 : 0;
		for (uint32_t i = r->first[p]; i < r->first[p + 1]; i++) {
			uint32_t t = r->to[i];
			double rest = factor(r, p, i) * s->rest[t];

			if (s->hops[t] + 1 < s->hops[p])
				s->hops[p] = s->hops[t] + 1;
			if (rest > s->rest[p])
				s->rest[p] = rest;
		}
	}
}

static int by_cost(const void *x, const void *y)
{
	const struct path *a = x, *b = y;
	double p = a->steps[a->n - 1].cost.est, q = b->steps[b->n - 1].cost.est;

	if (p != q)
		return p < q ? 1 : -1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (size_t i = 0; i < a->n; i++)
		if (a->steps[i].vertex != b->steps[i].vertex)
			return a->steps[i].vertex < b->steps[i].vertex ? -1 : 1;
	return 0;
}

/* All paths from one start; stops early when cap paths are there. */
static int follow(struct search *s, uint32_t start, uint32_t cap, struct arena *a,
		  const atomic_int *cancel, struct path_list *out, struct err *err)
{
	const struct region *r = s->r;
	uint32_t depth = 0;
	int rc;

	s->stack[0] = (struct frame){start, r->first[start], 1};
	for (;;) {
		struct frame *f = &s->stack[depth];
		uint32_t i, t;
		double est;

		if (f->next == r->first[f->point + 1]) {
			if (depth-- == 0)
				return 0;
			continue;
		}
		if (++s->steps % POLL == 0 && path_canceled(cancel, err))
			return (int)err->kind;
		if (s->steps > MOST_STEPS) {
			out->more = out->truncated = true;
			return 0;
		}
		i = f->next++;
		t = r->to[i];
		est = f->est * factor(r, f->point, i);
		if (depth + 1 + s->hops[t] > s->q->max ||
		    path_under_min(est * s->rest[t], s->q->min))
			continue;
		s->arcs[depth] = i;
		if (r->role[t] != REGION_END) {
			depth++;
			s->stack[depth] = (struct frame){t, r->first[t], est};
			continue;
		}
		if (out->n == cap) {
			out->more = true;
			return 0;
		}
		rc = path_of_arcs(r, s->q, s->arcs, depth + 1, a, &out->paths[out->n],
				  err);
		if (rc)
			return rc;
		out->n++;
	}
}

int path_all(const struct region *r, const struct path_query *q, uint32_t cap,
	     struct arena *a, const atomic_int *cancel, struct path_list *out,
	     struct err *err)
{
	struct search s = {.r = r, .q = q};
	size_t longest = q->max < r->points ? q->max : r->points;
	int rc = 0;

	s.hops = ARENA_ARRAY(a, uint32_t, r->points);
	s.rest = ARENA_ARRAY(a, double, r->points);
	s.stack = ARENA_ARRAY(a, struct frame, longest + 1);
	s.arcs = ARENA_ARRAY(a, uint32_t, longest + 1);
	out->paths = ARENA_ARRAY(a, struct path, cap);
	if (!s.hops || !s.rest || !s.stack || !s.arcs || !out->paths)
		return arena_full(a, err);
	look_ahead(&s);
	for (uint32_t p = 0; p < r->points && rc == 0 && !out->more; p++)
		if (r->role[p] == REGION_START)
			rc = follow(&s, p, cap, a, cancel, out, err);
	if (rc == 0)
		qsort(out->paths, out->n, sizeof(*out->paths), by_cost);
	return rc;
}
