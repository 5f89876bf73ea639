/*
 * region.h - the part of a flow that lies on paths from one set to another (path.c only).
 *
 * Its points are copies of vertices, in topological order; every one of them is on some
 * path of the question:
 *
 *	start -> inner ... inner -> end		without `via`
 *	start -> 0 0 0 [via] 1 1 1 -> end	with it: two layers of inner points
 *
 * A vertex of both sets is two points, a start that nothing enters and an end that nothing
 * leaves, so "touches neither in between" holds by construction.
 */
#ifndef QUERN_REGION_H
#define QUERN_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/flow.h"
#include "engine/path.h"
#include "index/base/arena.h"
#include "index/base/err.h"

enum region_role { REGION_INNER, REGION_START, REGION_END };

struct region {
	const struct flow *fl;
	uint32_t points, arcs;
	const uint32_t *first;	/* [points + 1] into to, arc */
	const uint32_t *to;	/* [arcs] point */
	const uint32_t *arc;	/* [arcs] of the flow */
	const uint32_t *vertex; /* [points] */
	const double *scale;	/* [points]: 1 / I(v); of a start 1 */
	const uint32_t *ends;	/* [nends] points */
	uint32_t nends;
	const uint8_t *role; /* [points]: enum region_role */
	bool same;	     /* some vertex is in both sets */
};

int region_build(const struct flow *fl, const struct path_query *q, struct arena *a,
		 const atomic_int *cancel, struct region *out, struct err *err);

/* Per vertex, one byte: 1 when a member of the set is in it.  or-ed with `bit`. */
void region_mark(const struct flow *fl, const struct fn_set *s, uint8_t bit,
		 uint8_t *marks);

int path_canceled(const atomic_int *cancel, struct err *err);

/* Bounds of a path of one arc, and of the path prolonged by an arc of cost w (at its end, or
 * at its start: it is the same) through a vertex of flow incl. */
struct path_bounds path_bounds_one(uint64_t w);
struct path_bounds path_bounds_next(struct path_bounds b, uint64_t w, uint64_t incl,
				    bool odd);

/* est < min, with a hair of slack: factors are multiplied in different orders. */
bool path_under_min(double est, double min);

/* One path in the region: its arcs (of the region), first to last. */
int path_of_arcs(const struct region *r, const struct path_query *q, const uint32_t *arcs,
		 size_t n, struct arena *a, struct path *out, struct err *err);

/* The k best by kind; path_all.c: all of at most q->max arcs. */
int path_best(const struct region *r, const struct path_query *q, uint32_t k,
	      struct arena *a, const atomic_int *cancel, struct path_list *out,
	      struct err *err);
int path_all(const struct region *r, const struct path_query *q, uint32_t cap,
	     struct arena *a, const atomic_int *cancel, struct path_list *out,
	     struct err *err);

#endif
