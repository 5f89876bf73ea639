/*
 * frames.c - make frames of the rows of a result; see frames.h.
 *
 * The row of a tree lies on the row that the result names: above in path.h is below here.
 * The step of a path lies on the step before.  Estimates of children may add up to more
 * than the estimate of their parent.  Then the parent is made as large as their sum, or
 * frames would overlap.
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

#include "engine/query.h"
#include "engine/graph/graph.h"
#include "engine/lang/col_type.h"
#include "engine/lang/result.h"
#include "engine/path/path.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/sort.h"
#include "repl/render/render.h"

/* A profile: this one, or the base. */
struct one {
	const int64_t *cost;	  /* [rows] */
	const uint8_t *estimated; /* [rows] or NULL */
	const uint8_t *absent;	  /* [rows] or NULL */
	const int64_t *own;	  /* [rows] or NULL */
	const uint8_t *own_absent;
	const uint32_t *row; /* [rows]: the row of its tree, or RESULT_NONE; NULL: all */
	const struct path_tree *paths;
	struct path_left_out cut;
	struct tree_top top; /* its fn is that of result_fn() */
	uint64_t *left;	     /* [n + 1]: cost without frames; the last: of the whole */
};

struct builder {
	struct render *rd;
	const struct result *r;
	const struct column *cost, *name, *path;
	struct frames *f;
	struct err *err;
	struct one side[2];
	int sides;
	bool tree;
	bool one_fn;  /* the name of a row is the name of its function */
	unsigned end; /* of a call, 1 the callee: see result_fn() */
	size_t n;     /* frames of rows, and of the top */
	/* [n + 1]: the frame that gets what this one leaves out: itself, or one below; n:
	 * none */
	size_t *home;
	struct arena a; /* has all of these, and scratch */
};

/* What is drawn of a cost: nothing, if it is negative. */
static uint64_t drawn(int64_t cost)
{
	return (uint64_t)cost_flow(cost);
}

/* The frame that a frame lies on; n: none. */
static size_t parent(const struct builder *b, size_t i)
{
	return b->f->all[i].parent == FRAME_NONE ? b->n : b->f->all[i].parent;
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
	static const enum col_type names[] = {COL_NAME, COL_FILE, COL_OBJ};
	const struct result *r = b->r;
	struct err *err = b->err;

	b->path = result_col(r, STR("path"));
	if (b->path && b->path->type != COL_COUNT)
		b->path = NULL;
	b->cost = cost_column(r, b->path || r->depth_col >= 0);
	for (size_t i = 0; !b->name && i < sizeof(names) / sizeof(names[0]); i++)
		b->name = first_of(r, names[i]);
	find_whose(b);
	if (b->name && b->cost)
		return result_load(r, b->path, err) || result_load(r, b->cost, err) ||
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
	same = b->r->compared->same[1][fn];
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
			    .top = r->top};
	one->top.fuzzy |= r->graph && r->graph->marks.estimated;
	if (result_load(r, own, b->err))
		return b->err->kind;
	if (own && own->type == COL_COST) {
		one->own = own->i;
		one->own_absent = own->absent;
	}
	one->paths = b->sides == 1 && r->graph ? r->paths : NULL;
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

	for (int s = 0; s < 2; s++) {
		b->side[s] = (struct one){.cost = c->cost[s],
					  .estimated = c->estimated[s],
					  .own = c->own[s],
					  .row = c->row[s],
					  .paths = c->paths[s],
					  .top = c->top[s]};
		if (c->top[s].name.n)
			b->side[s].top.fn = fn_of(b, s, c->top[s].fn);
	}
}

static int find_sides(struct builder *b)
{
	b->sides = b->r->base.n ? 2 : 1;
	b->tree = b->r->tree && b->r->depth_col >= 0 && (b->sides == 1 || b->r->compared);
	if (b->sides == 2 && b->r->compared)
		sides_of_both(b);
	else if (side_of_columns(b) || (b->sides == 2 && side_of_base_column(b)))
		return b->err->kind;
	for (int s = 0; s < b->sides && b->tree; s++)
		if (b->side[s].paths &&
		    session_left_out(b->side[s].paths, &b->side[s].cut, b->err))
			return b->err->kind;
	return 0;
}

/* The row of its tree that a frame is on a side. */
static uint32_t row_of(const struct builder *b, const struct frame *x, int s)
{
	if (x->row == FRAME_NONE)
		return RESULT_NONE;
	return b->side[s].row ? b->side[s].row[x->row] : (uint32_t)x->row;
}

/* Tops that are other functions, or one and several, cannot be one frame. */
static int check_tops(const struct builder *b)
{
	const struct compared *c = b->r->compared;
	const uint32_t here = c->top[0].frame, there = c->top[1].frame;

	if (here != RESULT_NONE && there != RESULT_NONE && c->same[1][there] != here) {
		err_set(b->err, ERR_QUERY, 0,
			"the tree begins with different functions in the two profiles");
		return err_hint(b->err, "name one function that both have, or all");
	}
	for (int s = 0; s < 2; s++) {
		if (c->top[s].name.n || !c->top[!s].name.n || !c->top[s].cost)
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
	const struct tree_top *top = &b->side[!b->side[0].top.name.n].top;
	struct frame *x = &b->f->all[b->f->n++];

	*x = (struct frame){.name = top->name,
			    .fn = top->fn,
			    .parent = FRAME_NONE,
			    .row = FRAME_NONE};
	for (int s = 0; s < b->sides; s++)
		if (b->side[s].top.name.n) {
			x->value[s] = drawn(b->side[s].top.cost);
			x->estimated[s] = b->side[s].top.fuzzy;
		}
	b->f->rooted = true;
}

static struct frame *put_row(struct builder *b, size_t row, size_t parent)
{
	struct frames *f = b->f;
	struct frame *x = &f->all[f->n++];

	*x = (struct frame){.name = b->name ? b->name->s[row] : STR(""),
			    .fn = !b->name    ? b->r->paths->rows[row].fn
				  : b->one_fn ? result_fn(b->r, row, b->end)
					      : RESULT_NONE,
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

/* The steps of a path lie on each other, in whatever order the rows are.  A path has one cost,
 * that of its last step: all of them get it. */
static int link_rows(struct builder *b)
{
	struct frames *f = b->f;
	const struct column *path = b->path, *step = result_col(b->r, STR("step"));
	struct sort_pair *row = ARENA_ARRAY(&b->a, struct sort_pair, b->r->rows + 1);

	if (!path || (step && step->type != COL_COUNT))
		step = NULL;
	if (result_load(b->r, step, b->err))
		return b->err->kind;
	if (!row)
		return err_no_memory(b->err, NULL);
	for (size_t i = 0; i < b->r->rows && !render_cancelled(b->rd, i); i++)
		row[i] = (struct sort_pair){
			path ? path->u[i] << 32 | (step ? step->u[i] : i) : i,
			(uint32_t)i};
	if (b->err->kind)
		return b->err->kind;
	if (sort_pairs(row, b->r->rows))
		return err_no_memory(b->err, NULL);
	for (size_t i = 0; i < b->r->rows && !render_cancelled(b->rd, i); i++)
		put_row(b, row[i].value,
			i && path && row[i].key >> 32 == row[i - 1].key >> 32
				? i - 1
				: FRAME_NONE);
	for (size_t i = f->n; i-- > 0;)
		for (int s = 0; s < f->sides && f->all[i].parent != FRAME_NONE; s++)
			f->all[i - 1].value[s] = f->all[i].value[s];
	return b->err->kind;
}

/* Add the rows of a tree that stages have kept, and before each those that it lies on. */
static int link_kept(struct builder *b, size_t *place, size_t *waiting)
{
	const struct result *r = b->r;
	const size_t top = b->f->rooted ? 0 : FRAME_NONE;

	for (size_t row = 0; row < r->rows && !render_cancelled(b->rd, row); row++) {
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
	return b->err->kind;
}

/* ---- what each spends itself, and what the trees leave out ---- */

/* The least cost of a row on a side that left some out; 0: it left out none. */
static uint64_t least_row(const struct builder *b, int s)
{
	const struct one *one = &b->side[s];
	uint64_t least = UINT64_MAX;

	if (!one->row || !one->paths || !one->paths->cut)
		return 0;
	for (size_t i = 0; i < b->r->rows && !render_cancelled(b->rd, i); i++)
		if (one->row[i] != RESULT_NONE && drawn(one->cost[i]) &&
		    drawn(one->cost[i]) < least)
			least = drawn(one->cost[i]);
	return least == UINT64_MAX ? 0 : least;
}

/* Drop the frames that one side has and the other may have left out as too cheap, and all
 * frames on them: they become `other`.  What a narrow frame leaves out lies on the next
 * wide frame below, if it is known by function.  Each tree did this for its own narrow
 * rows; here a frame is narrow if it is narrow on either side. */
static void find_homes(struct builder *b)
{
	const uint64_t least[2] = {least_row(b, 0), least_row(b, 1)};
	const bool cut = least[0] || least[1];

	b->home[b->n] = b->n;
	for (size_t i = 0; i < b->n && !render_cancelled(b->rd, i); i++) {
		struct frame *x = &b->f->all[i];
		bool wide = true;

		x->other = x->parent != FRAME_NONE && b->f->all[x->parent].other;
		for (int s = 0; s < b->sides; s++) {
			const struct one *one = &b->side[s];
			const uint32_t row = row_of(b, x, s);

			if (x->row != FRAME_NONE && row == RESULT_NONE)
				x->other |= drawn(b->side[!s].cost[x->row]) <= least[s];
			else if (row != RESULT_NONE && one->cut.lifted)
				x->value[s] =
					less(x->value[s], drawn(one->cut.lifted[row]));
			wide &= (double)x->value[s] >=
				(double)drawn(one->top.cost) / PATH_WIDE;
		}
		wide |= !cut || x->row == FRAME_NONE;
		b->home[i] = wide && !x->other ? i : b->home[parent(b, i)];
	}
}

/* Of `rest`, the cost of x that is in no frame above: what x spends itself. */
static uint64_t own_of(const struct builder *b, const struct frame *x, int s,
		       uint64_t rest)
{
	const struct one *one = &b->side[s];
	uint64_t own = rest;

	if (x->row == FRAME_NONE)
		own = drawn(one->top.own);
	else if (b->tree && one->own && row_of(b, x, s) != RESULT_NONE &&
		 !flagged(one->own_absent, x->row))
		own = drawn(one->own[x->row]);
	return own < rest ? own : rest;
}

/* At first, the self of a frame is the sum of the frames on it. */
static void find_own(struct builder *b, int s)
{
	struct frame *all = b->f->all;
	uint64_t tops = 0;

	for (size_t i = b->n; i-- > 0 && !render_cancelled(b->rd, i);) {
		struct frame *x = &all[i];
		const uint64_t kids = x->self[s], rest = less(x->value[s], kids);
		uint64_t *sum = x->parent == FRAME_NONE ? &tops : &all[x->parent].self[s];

		x->self[s] = own_of(b, x, s, rest);
		if (x->other)
			continue;
		cost_add_bits(sum, kids + x->self[s]);
		if (!b->tree || b->home[i] != i)
			continue;
		b->side[s].left[i] = rest - x->self[s];
		cost_add_bits(sum, rest - x->self[s]);
	}
	if (b->tree && !b->f->rooted)
		b->side[s].left[b->n] += less(drawn(b->side[s].top.cost), tops);
}

/* Take cost from what a frame leaves out, as far as there is so much. */
static uint64_t take(struct builder *b, int s, size_t frame, uint64_t cost)
{
	uint64_t *left = &b->side[s].left[b->home[frame]];

	cost = cost < *left ? cost : *left;
	*left -= cost;
	return cost;
}

static void put_other(struct builder *b, size_t on, struct str name, uint32_t fn,
		      const uint64_t of[2])
{
	on = b->home[on];
	if (of[0] || of[1])
		b->f->all[b->f->n++] =
			(struct frame){.name = name,
				       .fn = fn,
				       .self = {of[0], of[1]},
				       .estimated = {true, b->sides == 2},
				       .other = true,
				       .parent = on == b->n ? FRAME_NONE : on,
				       .row = FRAME_NONE};
}

/* The functions that spend what is left out, as far as they are known: one row of the folded
 * tree may stand for several frames. */
static void put_known(struct builder *b, int s)
{
	const struct one *one = &b->side[s];
	size_t *at = one->cut.n ? ARENA_ARRAY(&b->a, size_t, one->paths->n + 1) : NULL;

	for (size_t i = 0; at && i < b->n && !render_cancelled(b->rd, i); i++)
		if (row_of(b, &b->f->all[i], s) != RESULT_NONE)
			at[row_of(b, &b->f->all[i], s)] = i + 1;
	if (at)
		at[one->paths->n] = b->f->rooted ? 1 : b->n + 1;
	for (size_t i = 0; at && i < one->cut.n && !render_cancelled(b->rd, i); i++) {
		const struct path_other *x = &one->cut.others[i];
		const uint32_t fn = fn_of(b, s, x->fn);
		uint64_t of[2] = {0, 0};

		if (!at[x->row])
			continue;
		of[s] = take(b, s, at[x->row] - 1, drawn(x->cost));
		put_other(b, at[x->row] - 1, name_of(b, fn), fn, of);
	}
}

/* A dropped frame keeps only its own cost, and lies on its home. */
static void move_dropped(struct builder *b)
{
	for (size_t i = 0; i < b->n && !render_cancelled(b->rd, i); i++) {
		struct frame *x = &b->f->all[i];

		for (int s = 0; s < b->sides && x->other; s++) {
			x->self[s] = take(b, s, i, x->self[s]);
			x->estimated[s] = true;
			x->row = FRAME_NONE;
			x->parent = b->home[i] == b->n ? FRAME_NONE : b->home[i];
		}
	}
}

/* Compute what each frame spends itself.  What the trees leave out is frames of its own. */
static int find_selfs(struct builder *b)
{
	b->n = b->f->n;
	if (b->tree) {
		b->home = ARENA_ARRAY(&b->a, size_t, b->n + 1);
		for (int s = 0; s < b->sides; s++)
			b->side[s].left = ARENA_ARRAY(&b->a, uint64_t, b->n + 1);
		if (b->a.refused)
			return err_no_memory(b->err, NULL);
		find_homes(b);
	}
	for (int s = 0; s < b->sides; s++)
		find_own(b, s);
	for (int s = 0; s < b->sides && b->tree; s++)
		put_known(b, s);
	move_dropped(b);
	for (size_t i = 0; i <= b->n && b->tree && !render_cancelled(b->rd, i); i++) {
		const uint64_t left[2] = {b->side[0].left[i],
					  b->sides == 2 ? b->side[1].left[i] : 0};

		b->f->left_out += left[0];
		put_other(b, i, STR("(other)"), RESULT_NONE, left);
	}
	return b->a.refused ? err_no_memory(b->err, NULL) : b->err->kind;
}

int frames_settle(struct render *rd, struct frames *f)
{
	f->deepest = 0;
	f->sum[0] = f->sum[1] = 0;
	for (size_t i = 0; i < f->n && !render_cancelled(rd, i); i++) {
		struct frame *x = &f->all[i];

		x->depth = x->parent == FRAME_NONE ? 0 : f->all[x->parent].depth + 1;
		f->deepest = x->depth > f->deepest ? x->depth : f->deepest;
		f->estimated |= frame_estimated(x);
		f->again |= frame_repeats(x);
		f->joined |= x->joined;
		x->value[0] = x->self[0];
		x->value[1] = x->self[1];
	}
	for (size_t i = f->n; i-- > 0 && !render_cancelled(rd, i);)
		for (int s = 0; s < f->sides; s++)
			cost_add_bits(f->all[i].parent == FRAME_NONE
					      ? &f->sum[s]
					      : &f->all[f->all[i].parent].value[s],
				      f->all[i].value[s]);
	return rd->err->kind;
}

static int build(struct builder *b)
{
	const size_t rows = b->r->rows + 2;
	size_t *waiting = ARENA_ARRAY(&b->a, size_t, b->r->on ? rows : 0);
	size_t *place = ARENA_ARRAY(&b->a, size_t, b->r->on ? rows : 0);

	b->f->all =
		calloc((b->tree ? 2 * rows : rows) + b->side[0].cut.n + b->side[1].cut.n,
		       sizeof(*b->f->all));
	if (b->a.refused || !b->f->all)
		return err_set(b->err, ERR_LIMIT, 0, "out of memory for %zu frames",
			       b->r->rows);
	if (b->tree && (b->side[0].top.name.n || b->side[1].top.name.n))
		put_root(b);
	return (b->r->on ? link_kept(b, place, waiting) : link_rows(b)) ||
			       (b->tree && b->sides == 2 && check_tops(b)) ||
			       find_selfs(b) || frames_settle(b->rd, b->f)
		       ? b->err->kind
		       : 0;
}

int frames_of(struct render *rd, const char *format, struct frames *out)
{
	struct builder b = {.rd = rd, .r = rd->r, .f = out, .err = rd->err};

	*out = (struct frames){.sides = rd->r->base.n ? 2 : 1};
	arena_init(&b.a, 0);
	if (!find_columns(&b, format) && !find_sides(&b))
		build(&b);
	arena_free(&b.a);
	return rd->err->kind;
}

/* A tree as the columns that its rows would have. */
static int side_of_tree(struct builder *b, struct result *r, struct column *cost)
{
	const struct path_tree *t = r->paths;
	int64_t *est = ARENA_ARRAY(&b->a, int64_t, t->n + 1),
		*own = ARENA_ARRAY(&b->a, int64_t, t->n + 1);
	uint8_t *estimated = ARENA_ARRAY(&b->a, uint8_t, t->n + 1);
	uint32_t *on = ARENA_ARRAY(&b->a, uint32_t, t->n + 1);

	if (b->a.refused)
		return err_no_memory(b->err, NULL);
	for (size_t i = 0; i < t->n && !render_cancelled(b->rd, i); i++) {
		est[i] = t->rows[i].est;
		own[i] = t->rows[i].own;
		estimated[i] = !t->rows[i].cost.measured;
		on[i] = t->rows[i].parent;
	}
	cost->i = est;
	r->on = on;
	r->rows = t->n;
	b->side[0] = (struct one){.cost = est,
				  .estimated = estimated,
				  .own = own,
				  .paths = t,
				  .top = {.cost = t->est, .own = t->own}};
	return session_left_out(t, &b->side[0].cut, b->err);
}

static void put_bounds(const struct path_tree *t, struct frames *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct frame *x = &f->all[i];
		const struct path_bounds *b =
			x->row == FRAME_NONE ? NULL : &t->rows[x->row].cost;

		x->hi = !b || !b->bounded ? -1
			: b->measured	  ? (int64_t)x->value[0]
					  : b->hi;
		x->lo = x->hi < 0 ? 0 : b->measured ? x->hi : b->lo;
		if (x->lo > (int64_t)x->value[0])
			x->lo = (int64_t)x->value[0];
	}
}

int frames_of_rows(struct render *rd, struct graph *g, const struct path_tree *t,
		   struct frames *out)
{
	struct result r = {.graph = g, .tree = true, .paths = t};
	struct column cost = {.type = COL_COST};
	struct builder b = {.rd = rd,
			    .r = &r,
			    .cost = &cost,
			    .f = out,
			    .err = rd->err,
			    .sides = 1,
			    .tree = true};

	*out = (struct frames){.sides = 1};
	arena_init(&b.a, 0);
	if (!side_of_tree(&b, &r, &cost) && !build(&b))
		put_bounds(t, out);
	arena_free(&b.a);
	return rd->err->kind;
}

void frames_free(struct frames *f)
{
	free(f->all);
	free(f->drawn);
	if (f->names)
		arena_free(f->names);
	free(f->names);
	*f = (struct frames){0};
}
