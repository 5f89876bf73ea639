/*
 * known_other.c - the cost that the rows of a tree of known stacks leave out; see
 * known_other.h.
 *
 * Each vertex spends its cost below the nearest row above it, or in it.  In a tree of
 * callers the cost of a vertex goes up to the root of its stack.
 *
 *	rows		a, a;b		vertices in no row: c and d below a;b, e below a
 *	tree		a - b - c - d
 *			  \ e
 *
 * A picture shows others below wide rows only, so narrow rows lift theirs to the wide row
 * above.
 */
#include "engine/path/known_other.h"

#include <stdlib.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/names/fnset.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

enum { TOP = 0, NO_ROW = UINT32_MAX };

struct others {
	const struct known_growing *cut;
	const struct path_tree *t;
	uint32_t *group; /* [rows + 1]: the wide row at or above it */
	int64_t *lifted; /* [rows] */
	struct path_other *at;
	size_t n;
};

static bool avoided(const struct known_growing *c, uint32_t v)
{
	return c->q.avoiding && fnset_has(c->q.avoiding, c->s.fn[v]);
}

static void find_groups(struct others *o)
{
	const struct path_tree *t = o->t;
	const int64_t wide = t->est / PATH_WIDE;

	o->group = NEED_ARRAY(o->cut->a, uint32_t, t->n + 1);
	o->lifted = NEED_ARRAY(o->cut->a, int64_t, t->n + 1);
	o->group[t->n] = (uint32_t)t->n;
	for (size_t i = 0; i < t->n; i++) {
		const struct path_tree_row *r = &t->rows[i];

		o->group[i] = r->est >= wide	       ? (uint32_t)i
			      : r->parent == FLOW_NONE ? (uint32_t)t->n
						       : o->group[r->parent];
	}
}

/* Note that function fn spends `cost` below a row: in a picture it is shown below the wide row at
 * or above that. */
static void add_other(struct others *o, uint32_t row, uint32_t fn, int64_t cost)
{
	const uint32_t group = o->group[row];

	if (!cost)
		return;
	o->at[o->n++] = (struct path_other){group, fn, cost};
	if (row != group)
		cost_add(&o->lifted[row], cost);
}

/* Add what is left out below a narrow row to the narrow rows above it, too. */
static void lift(struct others *o)
{
	for (size_t i = o->t->n; i-- > 0;) {
		const uint32_t up = o->t->rows[i].parent;

		if (o->group[i] != i && up != FLOW_NONE && o->group[up] != up)
			cost_add(&o->lifted[up], o->lifted[i]);
	}
}

/* In a tree of callees a vertex without a row lies below the row of its caller. */
static void others_down(struct others *o)
{
	const struct known_growing *c = o->cut;
	uint32_t *row = NEED_ARRAY(c->a, uint32_t, (size_t)c->s.n + 1);

	o->at = NEED_ARRAY(c->a, struct path_other, (size_t)c->s.n + 1);
	memset(row, 0xff, c->s.n * sizeof(*row));
	/* In a tree of frames the vertices of the top belong to the nodes of level 1. */
	for (uint32_t k = c->frames ? 1 : TOP; k < c->nodes; k++) {
		const struct known_node *x = &c->node[k];
		const bool is_row = c->row[k] != NO_ROW;
		const uint32_t in = is_row ? c->row[k] : c->row[x->parent];

		for (uint32_t i = x->first; in != NO_ROW && i < x->first + x->n; i++) {
			row[c->vertex[i]] = in;
			if (!is_row)
				add_other(o, in, x->fn, c->s.self[c->vertex[i]]);
		}
	}
	for (uint32_t v = 0; v < c->s.n; v++) {
		const uint32_t up = c->s.caller[v];

		if (row[v] != NO_ROW || up == FLOW_NONE || row[up] == NO_ROW ||
		    avoided(c, v))
			continue;
		row[v] = row[up];
		add_other(o, row[v], c->s.fn[v], c->s.self[v]);
	}
}

/* root[v]: where the stack of v begins; FLOW_NONE: the way there is avoided. */
static uint32_t *find_roots(struct others *o)
{
	const struct known_growing *c = o->cut;
	uint32_t *root = NEED_ARRAY(c->a, uint32_t, (size_t)c->s.n + 1);

	for (uint32_t v = 0; root && v < c->s.n; v++) {
		const uint32_t up = c->s.caller[v];

		root[v] = up == FLOW_NONE ? v : avoided(c, up) ? FLOW_NONE : root[up];
	}
	return root;
}

/* In a tree of callers the cost of a chain that no row continues goes to the roots of its
 * stacks.  A node that was expanded has a node for each of its callers. */
static void others_up(struct others *o)
{
	const struct known_growing *c = o->cut;
	const uint32_t *root = find_roots(o);
	uint8_t *expanded = NEED_ARRAY(c->a, uint8_t, (size_t)c->nodes + 1);
	size_t entries = 0;

	for (uint32_t k = 0; k < c->nodes; k++)
		entries += c->node[k].n;
	o->at = NEED_ARRAY(c->a, struct path_other, entries + 1);
	for (uint32_t k = 1; k < c->nodes; k++)
		expanded[c->node[k].parent] = 1;
	for (uint32_t k = 1; k < c->nodes; k++) {
		const struct known_node *x = &c->node[k];
		const bool is_row = c->row[k] != NO_ROW;
		const uint32_t row = is_row ? c->row[k] : c->row[x->parent];

		if (row == NO_ROW || (is_row && expanded[k]))
			continue;
		for (uint32_t i = x->first; i < x->first + x->n; i++) {
			const uint32_t v = c->vertex[i];

			/* The cost of a stack that begins at a row is the row's own. */
			if (root[v] != FLOW_NONE && (!is_row || root[v] != v))
				add_other(o, row, c->s.fn[root[v]], c->cost[i]);
		}
	}
}

static int path_other_by_place(const void *x, const void *y)
{
	const struct path_other *a = x, *b = y;
	const int c = order_u64(a->row, b->row);

	return c ? c : order_u64(a->fn, b->fn);
}

int path_other_by_cost(const void *x, const void *y)
{
	const struct path_other *a = x, *b = y;
	const int c = cost_order(b->cost, a->cost);

	return c ? c : path_other_by_place(x, y);
}

int path_other_by_row(const void *x, const void *y)
{
	const struct path_other *a = x, *b = y;
	const int c = order_u64(a->row, b->row);

	return c ? c : path_other_by_cost(x, y);
}

void path_other_sort(struct path_other *o, size_t n,
		     int (*by)(const void *, const void *))
{
	if (n)
		qsort(o, n, sizeof(*o), by);
}

/* Sort by place; then equal places are neighbours, and their costs are added in the array
 * itself. */
size_t path_other_join(struct path_other *o, size_t n)
{
	size_t k = 0;

	path_other_sort(o, n, path_other_by_place);
	for (size_t i = 0; i < n; i++) {
		if (k && !path_other_by_place(&o[k - 1], &o[i]))
			cost_add(&o[k - 1].cost, o[i].cost);
		else
			o[k++] = o[i];
	}
	return k;
}

void known_left_out(const struct path_tree *t, struct path_left_out *out)
{
	struct others o = {.cut = t->grown, .t = t};

	*out = (struct path_left_out){0};
	find_groups(&o);
	if (o.cut->q.up)
		others_up(&o);
	else
		others_down(&o);
	lift(&o);
	o.n = path_other_join(o.at, o.n);
	path_other_sort(o.at, o.n, path_other_by_cost);
	o.n = o.n > o.cut->most ? o.cut->most : o.n;
	path_other_sort(o.at, o.n, path_other_by_row);
	*out = (struct path_left_out){o.lifted, o.at, o.n};
}
