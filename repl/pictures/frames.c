/*
 * frames.c - make frames of the rows of a result; see frames.h.
 *
 * The row of a tree lies on the row that the result names; the step of a path lies on the
 * step before.  Estimates of children may add up to more than the estimate of their
 * parent.  Then the parent is made as large as their sum, or frames would overlap.
 *
 * Calls without rows (the cheapest, those below `min` or `depth`, those that a stage
 * removed) are no self cost of their caller.  The functions that spend their cost, as far
 * as they are known, lie on it; the rest is "(other)".  So the frames of each function add
 * up to its self cost.
 *
 * Of two profiles each was estimated alone, and where a tree was too large each has left
 * out other stacks.  A stack that is missing on one side only because it is cheap is not
 * new or gone: it is left out on both, and its cost lies on the next frame that is wide on
 * both.
 */
#include "repl/pictures/frames.h"

#include <stdlib.h>

#include "engine/graph/graph.h"
#include "engine/lang/col_type.h"
#include "engine/lang/result.h"
#include "engine/path/path.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"

#define WIDE 1e-3 /* of the whole */
#define UNKNOWN UINT64_MAX

/* Left out cost whose function is known. */
struct named {
	size_t on;	/* frame that it lies on; [frames]: none */
	uint32_t fn;	/* result_fn() */
	uint64_t of[2]; /* this profile, base */
};

/* A profile: this one, or the base. */
struct one {
	const int64_t *cost;	  /* [rows] */
	const uint8_t *estimated; /* [rows] or NULL */
	const uint8_t *absent;	  /* [rows] or NULL */
	const int64_t *own;	  /* [rows] or NULL */
	const uint8_t *own_absent;
	const uint32_t *row; /* [rows]: the row of its tree, or RESULT_NONE; NULL: all */
	const struct path_tree *paths;
	struct path_shown shown;
	struct str root_name;
	uint32_t root_fn; /* result_fn() */
	int64_t root_cost, root_own;
	bool root_fuzzy;
	uint64_t *spent; /* [frames]: UNKNOWN: the frame has no part of its own */
	uint64_t *left;	 /* [frames + 1]: cost without frames; the last: of the whole */
};

struct builder {
	const struct result *r;
	const struct column *depth, *cost, *name, *path;
	struct frames *f;
	struct err *err;
	struct one side[2];
	int sides;
	bool tree;
	bool one_fn;   /* the name of a row is the name of its function */
	unsigned end;  /* which one: see result_fn() */
	size_t *place; /* [rows]: 1 + frame; 0: none */
	bool *dropped; /* [frames] */
	bool *wide;    /* [frames] */
	bool cut;      /* some side left out rows */
	struct named *named;
	size_t nnamed;
	struct arena a; /* has all of these, and scratch */
};

/* What is drawn of a cost: nothing, if it is negative. */
static uint64_t drawn(int64_t cost)
{
	return (uint64_t)cost_flow(cost);
}

/* The frame that a frame lies on; [frames]: none. */
static size_t below(const struct builder *b, size_t i)
{
	return b->f->all[i].parent == FRAME_NONE ? b->f->n : b->f->all[i].parent;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static bool flagged(const uint8_t *flags, size_t row)
{
	return flags && flags[row];
}

/* ---- columns ---- */

static const struct column *first_of(const struct result *r, enum col_type type)
{
	for (size_t i = 0; i < r->ncols; i++)
		if (r->cols[i].type == type)
			return &r->cols[i];
	return NULL;
}

static const struct column *cost_column(const struct result *r, bool stacks)
{
	static const char *const names[] = {"est", "incl", "self"};

	for (size_t i = stacks ? 0 : 2; i < 3; i++) {
		const struct column *c = result_col(r, str_c(names[i]));

		if (c && c->type == COL_COST)
			return c;
	}
	return first_of(r, COL_COST);
}

/* Does the name of a row name its function, and which? */
static void find_whose(struct builder *b)
{
	const struct str name = b->name ? b->name->name : STR("");

	b->end = str_eq(name, STR("callee"));
	b->one_fn = b->end || str_eq(name, STR("fn")) || str_eq(name, STR("short")) ||
		    str_eq(name, STR("caller"));
}

static int find_columns(struct builder *b, const char *format)
{
	const struct result *r = b->r;
	struct err *err = b->err;

	b->path = result_col(r, STR("path"));
	b->depth = r->depth_col >= 0 ? &r->cols[r->depth_col] : NULL;
	if (!b->depth && b->path)
		b->depth = result_col(r, STR("step"));
	b->cost = cost_column(r, b->depth != NULL);
	b->name = first_of(r, COL_NAME);
	if (!b->name)
		b->name = first_of(r, COL_FILE);
	if (!b->name)
		b->name = first_of(r, COL_OBJ);
	find_whose(b);
	if (b->name && b->cost)
		return result_load(r, b->path, err) || result_load(r, b->depth, err) ||
				       result_load(r, b->cost, err) ||
				       result_load(r, b->name, err)
			       ? err->kind
			       : 0;
	err_set(err, ERR_QUERY, 0,
		"%s draws functions by their cost, and this answer has none", format);
	return err_hint(err, "calltree from main | as %s", format);
}

/* ---- sides ---- */

/* The number of a function of the base, as result_fn() numbers those of both. */
static uint32_t fn_of(const struct builder *b, int s, uint32_t fn)
{
	uint32_t same;

	if (!s || fn == RESULT_NONE)
		return fn;
	same = b->r->compared->same[fn];
	return same != RESULT_NONE ? same : b->r->graph->functions + fn;
}

const struct graph *frame_graph(const struct result *r, uint32_t *fn)
{
	if (*fn < r->graph->functions)
		return r->graph;
	*fn -= r->graph->functions;
	return r->compared->graph;
}

static struct str name_of(const struct builder *b, uint32_t fn)
{
	const struct graph *g = frame_graph(b->r, &fn);

	return graph_name(g, fn);
}

static int side_of_columns(struct builder *b)
{
	const struct result *r = b->r;
	const struct column *own = r->tree ? result_col(r, STR("self")) : NULL;
	struct one *one = &b->side[0];

	*one = (struct one){.cost = b->cost->i,
			    .estimated = b->cost->estimated,
			    .absent = b->cost->absent,
			    .root_name = r->root_name,
			    .root_fn = r->root_one,
			    .root_cost = r->root_cost,
			    .root_own = r->root_own,
			    .root_fuzzy =
				    r->root_fuzzy || (r->graph && r->graph->estimated)};
	if (result_load(r, own, b->err))
		return b->err->kind;
	if (own && own->type == COL_COST) {
		one->own = own->i;
		one->own_absent = own->absent;
	}
	one->paths = b->sides == 1 && r->graph ? r->paths : NULL;
	b->cut = one->paths;
	return 0;
}

static int side_of_base_column(struct builder *b)
{
	const struct column *base = result_col(b->r, STR("base"));

	if (!base || base->type != COL_COST) {
		err_set(b->err, ERR_QUERY, 0,
			"this answer has no cost of the base any more");
		return err_hint(b->err, "keep the column base");
	}
	b->side[1] = (struct one){.cost = base->i, .estimated = base->estimated};
	return 0;
}

static void sides_of_both(struct builder *b)
{
	const struct compared *c = b->r->compared;

	for (int s = 0; s < 2; s++)
		b->side[s] = (struct one){.cost = c->cost[s],
					  .estimated = c->estimated[s],
					  .own = c->own[s],
					  .row = c->row[s],
					  .paths = c->paths[s],
					  .root_name = c->root_name[s],
					  .root_fn = c->root_name[s].n
							     ? fn_of(b, s, c->root_one[s])
							     : RESULT_NONE,
					  .root_cost = c->root_cost[s],
					  .root_own = c->root_own[s],
					  .root_fuzzy = c->root_fuzzy[s]};
}

static int find_sides(struct builder *b)
{
	b->sides = b->r->base.n ? 2 : 1;
	b->tree = b->r->tree && b->depth && !b->path && (b->sides == 1 || b->r->compared);
	if (b->sides == 2 && b->r->compared)
		sides_of_both(b);
	else if (side_of_columns(b) || (b->sides == 2 && side_of_base_column(b)))
		return b->err->kind;
	return 0;
}

static bool on_side(const struct builder *b, const struct frame *x, int s)
{
	return x->row == FRAME_NONE || !b->side[s].row ||
	       b->side[s].row[x->row] != RESULT_NONE;
}

/* Tops that are other functions, or one and several, cannot be one frame. */
static int check_tops(const struct builder *b)
{
	const struct compared *c = b->r->compared;
	const uint32_t here = c->root_fn[0], there = c->root_fn[1];

	if (here != RESULT_NONE && there != RESULT_NONE && c->same[there] != here) {
		err_set(b->err, ERR_QUERY, 0,
			"the tree begins with different functions in the two profiles");
		return err_hint(b->err, "name one function that both have, or all");
	}
	for (int s = 0; s < 2; s++) {
		if (c->root_name[s].n || !c->root_name[!s].n || !c->root_cost[s])
			continue;
		err_set(b->err, ERR_QUERY, 0,
			"the tree begins with one function in one profile and with "
			"several in the other");
		return err_hint(b->err, "name one function, or all of them");
	}
	return 0;
}

/* ---- frames of rows ---- */

/* Add the frame of the top of a tree: a function, or several, named by the text of the
 * query. */
static void put_root(struct builder *b)
{
	const struct one *one = &b->side[!b->side[0].root_name.n];
	struct frame *x = &b->f->all[b->f->n++];

	*x = (struct frame){.name = one->root_name,
			    .fn = one->root_fn,
			    .parent = FRAME_NONE,
			    .row = FRAME_NONE};
	for (int s = 0; s < b->sides; s++)
		if (b->side[s].root_name.n) {
			x->value[s] = drawn(b->side[s].root_cost);
			x->estimated[s] = b->side[s].root_fuzzy;
		}
	b->f->rooted = true;
}

static struct frame *put_row(struct builder *b, size_t row, size_t parent)
{
	struct frames *f = b->f;
	struct frame *x = &f->all[f->n++];

	*x = (struct frame){.name = b->name->s[row],
			    .fn = b->one_fn ? result_fn(b->r, row, b->end) : RESULT_NONE,
			    .depth = parent == FRAME_NONE ? 0 : f->all[parent].depth + 1,
			    .parent = parent,
			    .row = row};
	for (int s = 0; s < b->sides; s++) {
		const struct one *one = &b->side[s];

		x->value[s] = flagged(one->absent, row) ? 0 : drawn(one->cost[row]);
		x->estimated[s] = flagged(one->estimated, row);
	}
	return x;
}

static uint64_t least_depth(const struct builder *b)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; b->depth && i < b->r->rows; i++)
		least = b->depth->u[i] < least ? b->depth->u[i] : least;
	return b->depth ? least : 0;
}

static void link_rows(struct builder *b, size_t *open)
{
	struct frames *f = b->f;
	uint64_t base = least_depth(b);
	size_t before = f->n;

	open[0] = 0;
	for (size_t i = 0; i < b->r->rows; i++) {
		uint64_t depth = b->depth ? b->depth->u[i] - base + f->rooted : 0;

		/* A call from the set into itself is in no sum. */
		if (b->r->tree && flagged(b->cost->absent, i))
			continue;
		/* If rows were removed, a row moves down to the next level. */
		depth = depth > before ? before : depth;
		open[depth] = f->n;
		put_row(b, i, depth ? open[depth - 1] : FRAME_NONE);
		before = (size_t)depth + 1;
	}
}

/* Add the rows of a tree that stages have left.  The rows below a row come first. */
static void link_left(struct builder *b, size_t *place, size_t *waiting)
{
	const struct result *r = b->r;
	const size_t top = b->f->rooted ? 0 : FRAME_NONE;

	for (size_t row = 0; row < r->rows; row++) {
		size_t n = 0;

		if (flagged(b->cost->absent, row))
			continue;
		for (size_t i = row; i != RESULT_NONE && !place[i]; i = r->on[i])
			waiting[n++] = i;
		while (n-- > 0) {
			const size_t i = waiting[n], on = r->on[i];

			put_row(b, i, on != RESULT_NONE ? place[on] - 1 : top);
			place[i] = b->f->n;
		}
	}
}

/* A path has one cost, the cost of its last step: the whole stack gets it. */
static void level_paths(struct frames *f)
{
	for (size_t i = f->n; i-- > 0;) {
		size_t parent = f->all[i].parent;

		if (parent != FRAME_NONE && parent + 1 == i)
			for (int s = 0; s < f->sides; s++)
				f->all[parent].value[s] = f->all[i].value[s];
	}
}

/* Compute self and the sums from the values. */
static void sum_up(struct frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		f->all[i].self[0] = f->all[i].self[1] = 0;
	f->deepest = 0;
	for (size_t i = f->n; i-- > 0;) {
		struct frame *x = &f->all[i];

		f->deepest = x->depth > f->deepest ? x->depth : f->deepest;
		f->estimated |= frame_estimated(x);
		for (int s = 0; s < f->sides; s++) {
			if (x->value[s] < x->self[s])
				x->value[s] = x->self[s];
			x->self[s] = x->value[s] - x->self[s];
			cost_add_bits(x->parent == FRAME_NONE
					      ? &f->sum[s]
					      : &f->all[x->parent].self[s],
				      x->value[s]);
		}
	}
}

/* ---- what the trees leave out ---- */

static void set_spent(struct builder *b)
{
	for (size_t i = 0; i < b->f->n; i++) {
		const struct frame *x = &b->f->all[i];

		for (int s = 0; s < b->sides; s++) {
			struct one *one = &b->side[s];

			if (x->row == FRAME_NONE)
				one->spent[i] = drawn(one->root_own);
			else if (!one->own || !on_side(b, x, s) ||
				 flagged(one->own_absent, x->row))
				one->spent[i] = UNKNOWN;
			else
				one->spent[i] = drawn(one->own[x->row]);
		}
		if (x->row != FRAME_NONE)
			b->place[x->row] = i + 1;
	}
}

/* The least cost of a row on a side that left some out; 0: it left out none. */
static uint64_t least_row(const struct builder *b, int s)
{
	const struct one *one = &b->side[s];
	uint64_t least = UINT64_MAX;

	if (!one->paths || !one->paths->cut)
		return 0;
	for (size_t i = 0; i < b->r->rows; i++)
		if (one->row[i] != RESULT_NONE && drawn(one->cost[i]) &&
		    drawn(one->cost[i]) < least)
			least = drawn(one->cost[i]);
	return least == UINT64_MAX ? 0 : least;
}

/* Drop the frames that one side may only have left out.  All frames on them go, too. */
static void drop_cheap(struct builder *b)
{
	const uint64_t least[2] = {least_row(b, 0), least_row(b, 1)};

	b->cut = least[0] || least[1];
	for (size_t i = 0; i < b->f->n; i++) {
		struct frame *x = &b->f->all[i];

		if (x->parent != FRAME_NONE && b->dropped[x->parent])
			b->dropped[i] = true;
		for (int s = 0; s < 2 && x->row != FRAME_NONE; s++)
			if (!on_side(b, x, s) && x->value[!s] <= least[s])
				b->dropped[i] = true;
	}
}

/* The cost that narrow rows leave out is shown at the wide row below them. */
static int take_lifted(struct builder *b)
{
	for (int s = 0; s < b->sides && b->cut; s++) {
		struct one *one = &b->side[s];

		if (one->paths && path_tree_shown(one->paths, &one->shown, b->err))
			return b->err->kind;
		for (size_t i = 0; one->shown.lifted && i < b->f->n; i++) {
			struct frame *x = &b->f->all[i];

			if (x->row == FRAME_NONE || !on_side(b, x, s))
				continue;
			x->value[s] =
				less(x->value[s],
				     drawn(one->shown.lifted[one->row ? one->row[x->row]
								      : x->row]));
		}
	}
	return 0;
}

static void find_wide(struct builder *b)
{
	const struct frames *f = b->f;

	for (size_t i = 0; i < f->n; i++) {
		b->wide[i] = true;
		for (int s = 0; s < 2 && b->sides == 2 && b->cut && !(f->rooted && !i);
		     s++)
			b->wide[i] &= (double)f->all[i].value[s] >=
				      WIDE * (double)drawn(b->side[s].root_cost);
	}
}

/* The cost of each frame that is in none of the frames on it.  A narrow frame passes it
 * down: it becomes smaller, and so the wide frame below has more of it. */
static void find_left(struct builder *b, int s)
{
	struct frames *f = b->f;
	uint64_t *left = b->side[s].left, *kids = ARENA_ARRAY(&b->a, uint64_t, f->n + 2);

	for (size_t i = f->n; kids && i-- > 0;) {
		struct frame *x = &f->all[i];

		if (b->dropped[i])
			continue;
		if (b->side[s].spent[i] != UNKNOWN)
			left[i] = less(less(x->value[s], kids[i]), b->side[s].spent[i]);
		if (!b->wide[i]) {
			x->value[s] -= left[i];
			left[i] = 0;
		}
		kids[below(b, i)] += x->value[s];
	}
	if (kids && !f->rooted)
		left[f->n] = less(drawn(b->side[s].root_cost), kids[f->n]);
}

/* ---- whose it is ---- */

/* A part of what frame `on` leaves out, as far as there is so much. */
static void name_cost(struct builder *b, int s, size_t on, uint32_t fn, uint64_t cost)
{
	uint64_t *left;

	while (on != b->f->n && (b->dropped[on] || !b->wide[on]))
		on = below(b, on);
	left = &b->side[s].left[on];
	cost = cost < *left ? cost : *left;
	*left -= cost;
	if (!cost)
		return;
	b->named[b->nnamed] = (struct named){.on = on, .fn = fn_of(b, s, fn)};
	b->named[b->nnamed++].of[s] = cost;
}

static void name_shown(struct builder *b, int s)
{
	const struct one *one = &b->side[s];
	const size_t top = b->f->rooted ? 0 : b->f->n;
	size_t *at = one->paths ? ARENA_ARRAY(&b->a, size_t, one->paths->n + 1) : NULL;

	for (size_t i = 0; at && i < b->r->rows; i++)
		if (on_side(b, &(struct frame){.row = i}, s) && b->place[i])
			at[one->row ? one->row[i] : i] = b->place[i];
	for (size_t i = 0; at && i < one->shown.n; i++) {
		const struct path_other *x = &one->shown.others[i];
		const bool whole = x->row == one->paths->n;

		if (x->cost > 0 && (whole || at[x->row]))
			name_cost(b, s, whole ? top : at[x->row] - 1, x->fn,
				  (uint64_t)x->cost);
	}
}

static void name_dropped(struct builder *b)
{
	for (size_t i = 0; i < b->f->n; i++)
		for (int s = 0; s < b->sides && b->dropped[i]; s++) {
			const struct one *one = &b->side[s];
			const size_t row = b->f->all[i].row;

			if (one->spent[i] != UNKNOWN && one->spent[i])
				name_cost(b, s, i, one->paths->rows[one->row[row]].fn,
					  one->spent[i]);
		}
}

static int find_named(struct builder *b)
{
	if (!b->cut)
		return 0;
	b->named = ARENA_ARRAY(&b->a, struct named,
			       b->side[0].shown.n + b->side[1].shown.n + 2 * b->f->n + 1);
	for (int s = 0; s < b->sides && b->named; s++)
		name_shown(b, s);
	if (b->a.refused)
		return err_no_memory(b->err, NULL);
	name_dropped(b);
	return 0;
}

/* ---- all frames ---- */

static void put_other(struct frames *f, size_t parent, struct str name, uint32_t fn,
		      const uint64_t of[2])
{
	f->all[f->n++] = (struct frame){
		.name = name,
		.fn = fn,
		.value = {of[0], of[1]},
		.estimated = {true, f->sides == 2},
		.other = true,
		.depth = parent == FRAME_NONE ? 0 : f->all[parent].depth + 1,
		.parent = parent,
		.row = FRAME_NONE};
}

/* The frames that are kept, and then what they leave out: of one function maybe several,
 * which the folded tree has as one. */
static int put_all(struct builder *b)
{
	struct frames *f = b->f, to = *f;
	size_t *now = ARENA_ARRAY(&b->a, size_t, f->n + 1);

	if (!now || !(to.all = calloc(2 * f->n + b->nnamed + 2, sizeof(*to.all))))
		return err_no_memory(b->err, NULL);
	to.n = 0;
	now[f->n] = FRAME_NONE;
	for (size_t i = 0; i < f->n; i++) {
		if (b->dropped[i])
			continue;
		now[i] = to.n;
		to.all[to.n] = f->all[i];
		to.all[to.n++].parent = now[below(b, i)];
	}
	for (size_t i = 0; i < b->nnamed; i++) {
		const struct named *x = &b->named[i];

		put_other(&to, now[x->on], name_of(b, x->fn), x->fn, x->of);
	}
	for (size_t i = 0; i <= f->n; i++) {
		const uint64_t left[2] = {b->side[0].left[i],
					  b->sides == 2 ? b->side[1].left[i] : 0};

		if (!b->dropped[i] && (left[0] || left[1]))
			put_other(&to, now[i], STR("(other)"), RESULT_NONE, left);
		to.left_out += left[0];
	}
	free(f->all);
	*f = to;
	return 0;
}

static int leave_out(struct builder *b)
{
	for (int s = 0; s < b->sides; s++) {
		b->side[s].spent = ARENA_ARRAY(&b->a, uint64_t, b->f->n + 1);
		b->side[s].left = ARENA_ARRAY(&b->a, uint64_t, b->f->n + 1);
	}
	b->dropped = ARENA_ARRAY(&b->a, bool, b->f->n + 1);
	b->wide = ARENA_ARRAY(&b->a, bool, b->f->n + 1);
	if (b->a.refused)
		return err_no_memory(b->err, NULL);
	set_spent(b);
	if (b->sides == 2)
		drop_cheap(b);
	if (take_lifted(b))
		return b->err->kind;
	find_wide(b);
	for (int s = 0; s < b->sides; s++)
		find_left(b, s);
	if (b->a.refused)
		return err_no_memory(b->err, NULL);
	return find_named(b) || put_all(b) ? b->err->kind : 0;
}

static int build(struct builder *b)
{
	size_t *waiting = ARENA_ARRAY(&b->a, size_t, b->r->rows + 2);

	b->place = ARENA_ARRAY(&b->a, size_t, b->r->rows + 2);
	b->f->all = calloc(b->r->rows + 2, sizeof(*b->f->all));
	if (!waiting || !b->place || !b->f->all)
		return err_set(b->err, ERR_LIMIT, 0, "out of memory for %zu frames",
			       b->r->rows);
	if (b->tree && (b->side[0].root_name.n || b->side[1].root_name.n))
		put_root(b);
	if (b->r->on)
		link_left(b, b->place, waiting);
	else
		link_rows(b, waiting);
	if (b->tree && b->sides == 2 && check_tops(b))
		return b->err->kind;
	if (b->path)
		level_paths(b->f);
	if (b->tree && leave_out(b))
		return b->err->kind;
	sum_up(b->f);
	return 0;
}

int frames_of(const struct result *r, const char *format, struct frames *out,
	      struct err *err)
{
	struct builder b = {.r = r, .f = out, .err = err};

	*out = (struct frames){.sides = r->base.n ? 2 : 1};
	arena_init(&b.a, 0);
	if (!find_columns(&b, format) && !find_sides(&b))
		build(&b);
	arena_free(&b.a);
	return err->kind;
}

void frames_free(struct frames *f)
{
	free(f->all);
	*f = (struct frames){0};
}
