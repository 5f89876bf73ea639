/*
 * vs_sides.c - both sides of the rows of a comparison, for pictures and reports.
 *
 * Tables show one side and the difference.  A picture needs the costs of both sides, and
 * for its frames which function of the base is which (pair.h).
 *
 *	this profile	0 f  1 g		functions are numbered for both: those of this
 *	base		0 f  1 old		profile keep theirs, those that only the base has
 *	both		0 f  1 g  3 old		come after them, by their own (2 + 1)
 */
#include <string.h>

#include "engine/lang/result.h"
#include "engine/path/path.h"
#include "engine/sources/source.h"
#include "engine/compare/vs.h"
#include "engine/compare/vs_in.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

/* ---- the same functions ---- */

/* The keys of the functions of one side's graph. */
static struct vs_key *fn_keys(struct exec *x, const struct vs *v, unsigned side)
{
	const struct graph *g = side ? v->b.g : v->a.g;
	struct vs_key *key = EXEC_ARRAY(x, struct vs_key, (size_t)g->functions + 1);

	for (uint32_t f = 0; f < g->functions; f++)
		vs_add_fn(v, side, g, f, x->a, &key[f]);
	return key;
}

/* After stages the functions of a graph are not those of the store, which are paired: then
 * their keys say which are the same (vs_keys.c). */
static const uint32_t *same_by_key(struct exec *x, const struct vs *v)
{
	const uint32_t n = v->b.g->functions;
	uint32_t *same = EXEC_ARRAY(x, uint32_t, (size_t)n + 1);
	struct vs_keys here = {.key = fn_keys(x, v, 0)};
	const struct vs_key *base = fn_keys(x, v, 1);

	vs_keys_index(x, &here, v->a.g->functions);
	for (uint32_t f = 0; f < n; f++)
		same[f] = vs_keys_take(&here, &base[f]);
	return same;
}

static void same_functions(struct exec *x, const struct vs *v, const uint32_t *same[2])
{
	_Static_assert((unsigned)RESULT_NONE == (unsigned)PAIR_NONE, "no function");
	uint32_t *there = EXEC_ARRAY(x, uint32_t, (size_t)v->a.g->functions + 1);

	same[0] = there;
	same[1] = v->a.g->plain && v->b.g->plain ? v->pairing->of[1] : same_by_key(x, v);
	memset(there, 0xff, v->a.g->functions * sizeof(*there));
	for (uint32_t f = v->b.g->functions; f-- > 0;)
		if (same[1][f] != RESULT_NONE)
			there[same[1][f]] = f;
}

void vs_both(struct exec *x, struct vs *v, struct exec **base, const uint32_t *same[2])
{
	*base = &v->base;
	v->a.g = x->g;
	v->b.x = &v->base;
	v->b.g = v->base.g;
	same_functions(x, v, same);
}

uint32_t vs_file_number(const struct vs *v, unsigned side, file_id file)
{
	return v->pairing->file[side][file];
}

uint32_t vs_object_number(const struct vs *v, unsigned side, obj_id obj)
{
	return v->pairing->obj[side][obj];
}

bool vs_paired(const struct vs *v, unsigned side, fn_id f)
{
	return v->pairing->of[side][f] != PAIR_NONE;
}

/* ---- costs ---- */

/* Read the costs of side s for n of its rows: the primary cost and, in a tree, what the
 * row spends itself.  A row that the side lacks keeps 0. */
static void fill_cost(struct table *t, int s, struct compared *c, const uint32_t *row,
		      size_t n)
{
	struct vs *v = t->vs;
	struct table *from = s ? &v->b : &v->a;
	uint32_t e = s ? vs_base_event(v, t->event) : t->event;
	int64_t *cost = EXEC_ARRAY(t->x, int64_t, n + 1),
		*own = EXEC_ARRAY(t->x, int64_t, n + 1);
	uint8_t *estimated = EXEC_ARRAY(t->x, uint8_t, n + 1);
	struct table_col *primary, *self = NULL;

	table_own(from, str_c(t->src->primary), e, false, &primary);
	if (from->tree)
		table_own(from, STR("self"), e, false, &self);
	for (size_t i = 0; i < n; i++) {
		const uint32_t r = row[i];

		if (r == RESULT_NONE || (primary->absent && primary->absent[r]))
			continue;
		cost[i] = primary->i[r];
		estimated[i] = primary->estimated && primary->estimated[r];
		own[i] = self ? self->i[r] : 0;
	}
	c->cost[s] = cost;
	c->estimated[s] = estimated;
	c->own[s] = from->tree ? own : NULL;
}

/* The rows of t on one side: what its source calls them. */
static const uint32_t *sides_refs(struct table *t, const uint32_t *row,
				  const struct table *from)
{
	uint32_t *ref = EXEC_ARRAY(t->x, uint32_t, t->n + 1);

	for (size_t i = 0; i < t->n; i++)
		ref[i] = row[i] == RESULT_NONE ? RESULT_NONE : row_ref(from, row[i]);
	return ref;
}

static void fill_side(struct table *t, int s, struct compared *c)
{
	const struct vs *v = t->vs;
	const struct table *from = s ? &v->b : &v->a;
	uint32_t *row = EXEC_ARRAY(t->x, uint32_t, t->n + 1);

	for (size_t i = 0; i < t->n; i++)
		row[i] = (s ? v->ib : v->ia)[row_ref(t, i)];
	fill_cost(t, s, c, row, t->n);
	c->row[s] = sides_refs(t, row, from);
	/* After stages that choose rows the tree is not whole. */
	c->paths[s] = t->ref ? NULL : from->paths;
	c->top[s] = from->top;
	c->proven[s] = from->paths ? from->paths->proven : 1;
}

/* The number of a function of the base in both (result_fn()). */
static uint32_t number_of_base(const struct vs *v, const uint32_t *same, uint32_t f)
{
	if (f == RESULT_NONE || same[f] != RESULT_NONE)
		return f == RESULT_NONE ? f : same[f];
	return v->a.g->functions + f;
}

/* The function of each row, by the number it has in this profile if both have it. */
static void fill_fns(struct table *t, struct compared *c)
{
	const struct vs *v = t->vs;

	for (unsigned end = 0; end < 2; end++) {
		uint32_t *fn = EXEC_ARRAY(t->x, uint32_t, t->n + 1);

		c->fn[end] = fn;
		for (size_t i = 0; i < t->n; i++)
			fn[i] = c->row[0][i] != RESULT_NONE
					? table_end(&v->a, c->row[0][i], end)
					: number_of_base(
						  v, c->same[1],
						  table_end(&v->b, c->row[1][i], end));
	}
}

void vs_graphs(struct exec *x, struct vs *v, const struct compared **out)
{
	struct compared *c = EXEC_ARRAY(x, struct compared, 1);
	struct exec *base;

	vs_both(x, v, &base, c->same);
	c->graph = v->b.g;
	c->event = vs_base_event(v, x->event);
	c->total = c->event == GRAPH_NONE ? 0 : graph_total(v->b.g, c->event);
	*out = c;
}

void vs_sides(struct table *t, const struct compared **out)
{
	struct vs *v = t->vs;
	struct compared *c;

	const struct col_def *primary =
		v && t->src ? source_col(t->src, str_c(t->src->primary)) : NULL;

	*out = NULL;
	if (!primary || primary->type != COL_COST)
		return;
	c = EXEC_ARRAY(t->x, struct compared, 1);
	fill_side(t, 0, c);
	fill_side(t, 1, c);
	c->graph = v->b.g;
	c->event = v->b.event;
	c->total = graph_total(v->b.g, v->b.event);
	if (t->tree || t->src == &source_calls || t->src == &source_functions) {
		same_functions(t->x, v, c->same);
		fill_fns(t, c);
	}
	*out = c;
}
