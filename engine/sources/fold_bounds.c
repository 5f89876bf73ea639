/* fold_bounds.c - see fold_bounds.h. */
#include "engine/sources/fold_bounds.h"

#include "engine/flow/flow.h"
#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "index/base/cost.h"
#include "index/base/err.h"

struct fold_place {
	uint32_t v, next; /* the context; the next place of the row, 0: none */
	struct path_bounds cost;
};

struct fold_bounds {
	struct fold_tree of;
	struct fold_place *place; /* from 1 */
	size_t n, cap;
	uint32_t *start; /* [functions of base]: 1 + its row at level 1; 0: none */
	uint32_t *at;	 /* [functions of base]: its place among those being made; 0 */
	uint32_t *row;	 /* [functions of x->g]: 1 + the row below that is its; 0: none */
};

void fold_bounds_new(const struct fold_tree *of, struct fold_bounds **out)
{
	struct exec *x = of->x;
	struct fold_bounds *b = EXEC_ARRAY(x, struct fold_bounds, 1);
	const size_t n = (size_t)of->base->functions + 1;

	*b = (struct fold_bounds){.of = *of, .n = 1};
	b->start = EXEC_ARRAY(x, uint32_t, n);
	b->at = EXEC_ARRAY(x, uint32_t, n);
	b->row = EXEC_ARRAY(x, uint32_t, (size_t)x->g->functions + 1);
	exec_grow(x, &b->place, &b->cap, 0, 1, sizeof(*b->place));
	for (uint32_t r = 0; r < of->tree->n; r++)
		if (of->tree->rows[r].depth == 1)
			b->start[of->tree->rows[r].fn] = r + 1;
	*out = b;
}

static void add_place(struct fold_bounds *b, uint32_t v, struct path_bounds cost,
		      uint32_t *first)
{
	exec_grow(b->of.x, &b->place, &b->cap, b->n, b->n + 1, sizeof(*b->place));
	b->place[b->n] = (struct fold_place){v, *first, cost};
	*first = (uint32_t)b->n++;
}

static void add_cost(struct path_bounds *to, const struct path_bounds *b)
{
	cost_add(&to->lo, b->lo);
	cost_add(&to->hi, b->hi);
	to->bounded &= b->bounded;
}

struct path_bounds fold_cost(const struct fold_bounds *b, uint32_t place)
{
	struct path_bounds sum = {.bounded = true};

	for (; place; place = b->place[place].next)
		add_cost(&sum, &b->place[place].cost);
	return sum;
}

/* ---- where a tree starts ---- */

static struct path_bounds between(int64_t lo, int64_t hi, bool bounded)
{
	return (struct path_bounds){.lo = lo, .hi = hi, .bounded = bounded};
}

/* The cost of the calls between v and the set: by it (up: of it). */
static int64_t calls_of_set(const struct fold_bounds *b, uint32_t v)
{
	const struct flow_input *in = &b->of.flow->in;
	const bool up = b->of.q->up;
	int64_t sum = 0;

	for (uint32_t k = up ? in->out_first[v] : in->in_first[v];
	     k < (up ? in->out_first[v + 1] : in->in_first[v + 1]); k++) {
		const uint32_t i = up ? k : in->in_edge[k];

		if (fnset_has(b->of.below->set, up ? in->callee[i] : in->caller[i]))
			cost_add(&sum, in->incl[i]);
	}
	return sum;
}

/* Of a context of level 1 without a row: the tree has none for so little. */
static struct path_bounds start_cost(const struct fold_bounds *b, uint32_t v)
{
	const struct flow *fl = b->of.flow;
	const uint32_t row = b->start[v];

	if (row && b->of.q->of != TREE_PROGRAM)
		return b->of.tree->rows[row - 1].cost;
	switch (b->of.q->of) {
	case TREE_CALLS: return between(0, calls_of_set(b, v), true);
	case TREE_FRAMES:
		if (fnset_count(b->of.q->set) == 1)
			return between(0, calls_of_set(b, v), true);
		return between(0, fnset_has(b->of.below->set, v) ? fl->passing[v] : 0,
			       !fl->odd[v]);
	case TREE_PROGRAM: break;
	}
	return path_root_bounds(fl, v);
}

void fold_start(struct fold_bounds *b, uint32_t fn, uint32_t *place)
{
	const struct graph *g = b->of.x->g;

	*place = 0;
	for (uint32_t i = 0; i < graph_members_count(g, fn); i++) {
		const uint32_t v = graph_member(g, fn, i);
		const struct path_bounds cost = start_cost(b, v);

		if ((cost.hi || !cost.bounded))
			add_place(b, v, cost, place);
	}
}

/* ---- rows below ---- */

/* Go on from a place to those of the rows below, along one call. */
static void go_on(struct fold_bounds *b, uint32_t from, uint32_t edge, uint32_t *place)
{
	const struct flow *fl = b->of.flow;
	const uint32_t f = b->place[from].v;
	const uint32_t v = b->of.q->up ? fl->in.caller[edge] : fl->in.callee[edge];
	const uint32_t row = b->row[b->of.group[v]];
	struct path_bounds cost;

	if (!row)
		return;
	cost = path_bounds_next(b->place[from].cost, fl->in.incl[edge], 0, fl->passing[f],
				fl->odd[f]);
	if (b->at[v]) {
		add_cost(&b->place[b->at[v]].cost, &cost);
		return;
	}
	add_place(b, v, cost, &place[row - 1]);
	b->at[v] = place[row - 1];
}

int fold_below(struct fold_bounds *b, uint32_t from, const uint32_t *fn, uint32_t n,
	       uint32_t *place)
{
	const struct flow_input *in = &b->of.flow->in;
	const bool up = b->of.q->up;

	for (uint32_t i = 0; i < n; i++) {
		place[i] = 0;
		b->row[fn[i]] = i + 1;
	}
	for (uint32_t p = from; p; p = b->place[p].next) {
		const uint32_t v = b->place[p].v;
		const uint32_t *first = up ? in->in_first : in->out_first;

		for (uint32_t k = first[v]; k < first[v + 1]; k++)
			go_on(b, p, up ? in->in_edge[k] : k, place);
	}
	for (uint32_t i = 0; i < n; i++) {
		b->row[fn[i]] = 0;
		for (uint32_t p = place[i]; p; p = b->place[p].next)
			b->at[b->place[p].v] = 0;
	}
	return 0;
}
