/*
 * path.c - the question of paths: bounds, steps, counts; see path.h.
 *
 * A question first cuts its region out of the flow (region.c); the searches (path_best.c,
 * path_all.c) yield lists of the region's arcs, and this file makes paths of them.
 */
#include "engine/path.h"

#include <string.h>

#include "engine/region.h"

/* ---- bounds ---- */

struct path_bounds path_bounds_one(uint64_t w)
{
	return (struct path_bounds){(double)w, w, w, true, true};
}

struct path_bounds path_bounds_next(struct path_bounds b, uint64_t w, uint64_t incl,
				    bool odd)
{
	struct path_bounds r = {
		.est = incl ? b.est * ((double)w / (double)incl) : 0,
		.bounded = b.bounded && !odd,
	};

	/* lo and w are parts of incl: what does not fit side by side must overlap. */
	if (!r.bounded) {
		r.hi = w;
		return r;
	}
	r.lo = b.lo > incl - w ? b.lo - (incl - w) : 0;
	r.hi = w < b.hi ? w : b.hi;
	r.measured = r.lo == r.hi;
	if (r.measured)
		r.est = (double)r.lo;
	return r;
}

uint64_t path_rounded(double est)
{
	return est >= 18446744073709551615.0 ? UINT64_MAX
	       : est > 0		     ? (uint64_t)(est + 0.5)
					     : 0;
}

bool path_under_min(double est, double min)
{
	return est * (1 + 1e-12) < min;
}

/* ---- steps ---- */

/* The function that stands for a vertex: f when the set has it, else a member that is. */
static uint32_t stand_in(const struct flow *fl, const struct fn_set *s, uint32_t v,
			 uint32_t f)
{
	if (fnset_has(s, f))
		return f;
	for (uint32_t k = fl->fn_first[v]; k < fl->fn_first[v + 1]; k++)
		if (fnset_has(s, fl->fns[k]))
			return fl->fns[k];
	return f;
}

int path_of_arcs(const struct region *r, const struct path_query *q, const uint32_t *arcs,
		 size_t n, struct arena *a, struct path *out, struct err *err)
{
	const struct flow *fl = r->fl;
	struct path_step *s = ARENA_ARRAY(a, struct path_step, n + 1);
	uint32_t first = fl->from[r->arc[arcs[0]]];

	if (!s)
		return arena_full(a, err);
	s[0] = (struct path_step){
		.vertex = first,
		.fn = stand_in(fl, q->from, first,
			       fl->in.caller[fl->edge[r->arc[arcs[0]]]]),
		.arc = FLOW_NONE,
		.incl = fl->incl[first],
		.cost = path_bounds_one(fl->incl[first]),
	};
	for (size_t i = 0; i < n; i++) {
		uint32_t arc = r->arc[arcs[i]], v = fl->from[arc];

		s[i + 1] = (struct path_step){
			.vertex = fl->to[arc],
			.fn = fl->in.callee[fl->edge[arc]],
			.arc = arc,
			.calls = fl->calls[arc],
			.incl = fl->w[arc],
			.cost = i == 0 ? path_bounds_one(fl->w[arc])
				       : path_bounds_next(s[i].cost, fl->w[arc],
							  fl->incl[v], fl->odd[v]),
		};
	}
	s[n].fn = stand_in(fl, q->to, s[n].vertex, s[n].fn);
	*out = (struct path){s, n + 1};
	return 0;
}

/* ---- counts ---- */

struct sum {
	double count, total;
};

/* What arc i brings from point p. */
static void carry(const struct region *r, uint32_t p, uint32_t i, const struct sum *from,
		  struct sum *to)
{
	to->count += from->count;
	to->total += from->total * r->scale[p] * (double)r->fl->w[r->arc[i]];
}

/* All paths at once: what enters a point leaves it by every arc in proportion. */
static int sum_any(const struct region *r, struct arena *a, const atomic_int *cancel,
		   struct sum *out, struct err *err)
{
	struct sum *at = ARENA_ARRAY(a, struct sum, r->points);

	if (!at)
		return arena_full(a, err);
	for (uint32_t p = 0; p < r->points; p++) {
		uint32_t end = r->first[p + 1];

		if (p % 4096 == 0 && path_canceled(cancel, err))
			return (int)err->kind;
		if (r->role[p] == REGION_END) {
			out->count += at[p].count;
			out->total += at[p].total;
			continue;
		}
		if (r->role[p] == REGION_START)
			at[p] = (struct sum){1, 1};
		for (uint32_t i = r->first[p]; i < end; i++)
			carry(r, p, i, &at[p], &at[r->to[i]]);
	}
	return 0;
}

/* The same for paths of at most max arcs: one layer per length. */
static int sum_short(const struct region *r, uint32_t max, struct arena *a,
		     const atomic_int *cancel, struct sum *out, struct err *err)
{
	struct sum *now = ARENA_ARRAY(a, struct sum, r->points);
	struct sum *next = ARENA_ARRAY(a, struct sum, r->points), *t;
	bool any = true;

	if (!now || !next)
		return arena_full(a, err);
	for (uint32_t p = 0; p < r->points; p++)
		if (r->role[p] == REGION_START)
			now[p] = (struct sum){1, 1};
	for (uint32_t len = 1; len <= max && any; len++) {
		any = false;
		if (path_canceled(cancel, err))
			return (int)err->kind;
		memset(next, 0, r->points * sizeof(*next));
		for (uint32_t p = 0; p < r->points; p++) {
			uint32_t end = now[p].count > 0 ? r->first[p + 1] : 0;

			any |= now[p].count > 0;
			for (uint32_t i = r->first[p]; i < end; i++)
				carry(r, p, i, &now[p], &next[r->to[i]]);
		}
		for (uint32_t k = 0; k < r->nends; k++) {
			out->count += next[r->ends[k]].count;
			out->total += next[r->ends[k]].total;
		}
		t = now;
		now = next;
		next = t;
	}
	return 0;
}

int path_find(const struct flow *fl, const struct path_query *q, struct arena *a,
	      const atomic_int *cancel, struct path_list *out, struct err *err)
{
	struct path_list list = {0};
	struct region r = {0};
	struct sum sum = {0};
	uint32_t k = q->k;
	bool bounded_length;
	int rc;

	if ((rc = region_build(fl, q, a, cancel, &r, err)))
		return rc;
	list.same = r.same;
	bounded_length = q->kind == PATH_ALL && q->max;
	if (q->kind == PATH_ALL && (k == 0 || k > PATH_ALL_CAP))
		k = PATH_ALL_CAP;
	else if (k == 0)
		k = 1;
	if (r.nends) {
		rc = bounded_length ? path_all(&r, q, k, a, cancel, &list, err)
				    : path_best(&r, q, k, a, cancel, &list, err);
		if (rc)
			return rc;
		if (bounded_length)
			rc = sum_short(&r, q->max, a, cancel, &sum, err);
		else if (q->kind == PATH_ALL)
			rc = sum_any(&r, a, cancel, &sum, err);
		if (rc)
			return rc;
	}
	list.truncated |=
		list.more && q->kind == PATH_ALL && (q->k == 0 || q->k > PATH_ALL_CAP);
	list.count = sum.count;
	list.total = sum.total;
	*out = list;
	return 0;
}
