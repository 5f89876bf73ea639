/*
 * frames_two.c - frames of an answer about two profiles; see frames.h.
 *
 * Each side was estimated alone, and where a tree was too large each has left out other
 * stacks.  A stack that is missing on one side only because it is cheap is not new or
 * gone: it goes into "(other)", which has what either side left out.  An "(other)" lies on
 * the next frame that is wide on both sides.  The functions that spend its cost lie on it,
 * so the frames of each function add up to its self cost on either side.
 */
#include <stdlib.h>

#include "engine/graph/graph.h"
#include "engine/lang/col_type.h"
#include "engine/lang/result.h"
#include "engine/path/path.h"
#include "index/base/arena.h"
#include "index/base/bisect.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/order.h"
#include "repl/pictures/frames_in.h"

#define WIDE 1e-3 /* of the whole */
#define UNKNOWN UINT64_MAX

/* Cost in an "(other)" whose function is known. */
struct named {
	size_t on;	/* frame that the "(other)" lies on; FRAME_NONE: none */
	uint32_t fn;	/* result_fn() */
	uint64_t of[2]; /* this profile, base */
};

struct pairs {
	const struct result *r;
	const struct compared *c; /* NULL: only columns are left */
	struct frames *f;
	struct err *err;
	size_t *place;	   /* [rows]: 1 + frame; 0: none */
	uint64_t *own[2];  /* [frames]: UNKNOWN: the frame has no part of its own */
	uint64_t *left[2]; /* [frames + 1]: cost without frames; the last: of the whole */
	bool *dropped;	   /* [frames] */
	bool *wide;	   /* [frames] */
	bool cut;	   /* some side left out rows */
	uint64_t whole[2];
	struct path_shown shown[2];
	struct named *named;
	size_t nnamed;
	struct arena a; /* has all of these, and scratch */
};

static uint64_t *side_of(struct frame *x, int s)
{
	return s ? &x->base : &x->value;
}

static uint64_t frames_two_less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static bool on_side(const struct pairs *p, const struct frame *x, int s)
{
	return x->row == FRAME_NONE || p->c->row[s][x->row] != RESULT_NONE;
}

/* ---- frames of rows ---- */

/* The number of a function of the base, as result_fn() numbers those of both. */
static uint32_t fn_of_base(const struct result *r, uint32_t fn)
{
	const uint32_t same = r->compared->same[fn];

	return same != RESULT_NONE ? same : r->graph->functions + fn;
}

static void put_top(const struct result *r, struct frames *f)
{
	const struct compared *c = r->compared;
	const struct str *name = c->root_name;

	f->all[f->n++] = (struct frame){
		.name = name[0].n ? name[0] : name[1],
		.fn = name[0].n			      ? c->root_one[0]
		      : c->root_one[1] == RESULT_NONE ? RESULT_NONE
						      : fn_of_base(r, c->root_one[1]),
		.value = name[0].n ? frames_drawn(c->root_cost[0]) : 0,
		.base = name[1].n ? frames_drawn(c->root_cost[1]) : 0,
		.parent = FRAME_NONE,
		.row = FRAME_NONE,
		.estimated = name[0].n && c->root_fuzzy[0],
		.base_estimated = name[1].n && c->root_fuzzy[1],
	};
	f->rooted = true;
}

/* Tops that are other functions, or one and several, cannot be one frame. */
static int check_tops(const struct pairs *p)
{
	const struct compared *c = p->c;
	const uint32_t here = c->root_fn[0], there = c->root_fn[1];

	if (here != RESULT_NONE && there != RESULT_NONE && c->same[there] != here) {
		err_set(p->err, ERR_QUERY, 0,
			"the tree begins with different functions in the two profiles");
		return err_hint(p->err, "name one function that both have, or all");
	}

	for (int s = 0; s < 2; s++) {
		if (c->root_name[s].n || !c->root_name[!s].n || !c->root_cost[s])
			continue;
		err_set(p->err, ERR_QUERY, 0,
			"the tree begins with one function in one profile and with "
			"several in the other");
		return err_hint(p->err, "name one function, or all of them");
	}
	return 0;
}

static int base_column(const struct pairs *p, const struct column **base)
{
	*base = result_col(p->r, STR("base"));
	if (p->c || (*base && (*base)->type == COL_COST))
		return 0;
	err_set(p->err, ERR_QUERY, 0, "this answer has no cost of the base any more");
	return err_hint(p->err, "keep the column base");
}

static int set_costs(struct pairs *p)
{
	const struct column *base;
	struct frames *f = p->f;

	if (base_column(p, &base))
		return p->err->kind;
	for (size_t i = 0; i < f->n; i++) {
		struct frame *x = &f->all[i];

		if (x->row != FRAME_NONE && p->c) {
			x->value = frames_drawn(p->c->cost[0][x->row]);
			x->base = frames_drawn(p->c->cost[1][x->row]);
			x->estimated = p->c->estimated[0][x->row];
			x->base_estimated = p->c->estimated[1][x->row];
		} else if (x->row != FRAME_NONE) {
			x->base = frames_drawn(base->i[x->row]);
			x->base_estimated = base->estimated && base->estimated[x->row];
		}
		f->estimated |= x->estimated || x->base_estimated;
	}
	return 0;
}

static void set_own(struct pairs *p)
{
	for (size_t i = 0; i < p->f->n; i++) {
		const struct frame *x = &p->f->all[i];

		for (int s = 0; s < 2; s++)
			p->own[s][i] =
				x->row == FRAME_NONE ? frames_drawn(p->c->root_own[s])
				: on_side(p, x, s)   ? frames_drawn(p->c->own[s][x->row])
						     : UNKNOWN;
		if (x->row != FRAME_NONE)
			p->place[x->row] = i + 1;
	}
}

/* ---- what the trees leave out ---- */

/* The least cost of a row on a side that left some out; 0: it left out none. */
static uint64_t least_row(const struct pairs *p, int s)
{
	uint64_t least = UINT64_MAX;

	if (!p->c->paths[s] || !p->c->paths[s]->cut)
		return 0;
	for (size_t i = 0; i < p->r->rows; i++) {
		const uint64_t cost = frames_drawn(p->c->cost[s][i]);

		if (p->c->row[s][i] != RESULT_NONE && cost && cost < least)
			least = cost;
	}
	return least == UINT64_MAX ? 0 : least;
}

/* Drop the frames that one side may only have left out.  All frames on them go, too. */
static void drop_cheap(struct pairs *p)
{
	const uint64_t least[2] = {least_row(p, 0), least_row(p, 1)};

	p->cut = least[0] || least[1];
	for (size_t i = 0; i < p->f->n; i++) {
		struct frame *x = &p->f->all[i];

		if (x->parent != FRAME_NONE && p->dropped[x->parent])
			p->dropped[i] = true;
		for (int s = 0; s < 2 && x->row != FRAME_NONE; s++)
			if (!on_side(p, x, s) && *side_of(x, !s) <= least[s])
				p->dropped[i] = true;
	}
}

/* Take from each frame what its side names at a frame below, as of one profile. */
static int take_lifted(struct pairs *p)
{
	for (int s = 0; s < 2 && p->cut; s++) {
		if (p->c->paths[s] &&
		    path_tree_shown(p->c->paths[s], &p->shown[s], p->err))
			return p->err->kind;
		for (size_t i = 0; p->shown[s].lifted && i < p->f->n; i++) {
			const struct frame *x = &p->f->all[i];
			uint64_t *cost = side_of(&p->f->all[i], s);

			if (x->row != FRAME_NONE && on_side(p, x, s))
				*cost = frames_two_less(
					*cost,
					frames_drawn(
						p->shown[s]
							.lifted[p->c->row[s][x->row]]));
		}
	}
	return 0;
}

static void find_wide(struct pairs *p)
{
	const struct frames *f = p->f;

	for (int s = 0; s < 2; s++)
		p->whole[s] = frames_drawn(p->c->root_cost[s]);
	for (size_t i = 0; i < f->n; i++) {
		const struct frame *x = &f->all[i];

		p->wide[i] = !p->cut || (f->rooted && i == 0) ||
			     ((double)x->value >= WIDE * (double)p->whole[0] &&
			      (double)x->base >= WIDE * (double)p->whole[1]);
	}
}

/* The cost of each frame that is in none of the frames on it.  A narrow frame passes it
 * down: it becomes smaller, and so the wide frame below has more of it. */
static void find_left(struct pairs *p, int s)
{
	struct frames *f = p->f;
	uint64_t *left = p->left[s], *kids = ARENA_ARRAY(&p->a, uint64_t, f->n + 2);

	if (!kids) {
		err_no_memory(p->err, NULL);
		return;
	}
	for (size_t i = f->n; i-- > 0;) {
		struct frame *x = &f->all[i];

		if (p->dropped[i])
			continue;
		if (p->own[s][i] != UNKNOWN)
			left[i] = frames_two_less(
				frames_two_less(*side_of(x, s), kids[i]), p->own[s][i]);
		if (!p->wide[i]) {
			*side_of(x, s) -= left[i];
			left[i] = 0;
		}
		kids[x->parent == FRAME_NONE ? f->n : x->parent] += *side_of(x, s);
	}
	if (!f->rooted)
		left[f->n] = frames_two_less(p->whole[s], kids[f->n]);
}

/* ---- whose it is ---- */

static size_t wide_below(const struct pairs *p, size_t frame)
{
	while (frame != FRAME_NONE && (p->dropped[frame] || !p->wide[frame]))
		frame = p->f->all[frame].parent;
	return frame;
}

static void name_cost(struct pairs *p, int s, size_t frame, uint32_t fn, uint64_t cost)
{
	struct named *n = &p->named[p->nnamed++];

	*n = (struct named){.on = wide_below(p, frame),
			    .fn = s ? fn_of_base(p->r, fn) : fn};
	n->of[s] = cost;
}

static void name_shown(struct pairs *p, int s, size_t *at)
{
	const struct path_shown *shown = &p->shown[s];

	for (size_t i = 0; i < p->r->rows; i++)
		if (p->c->row[s][i] != RESULT_NONE && p->place[i])
			at[p->c->row[s][i]] = p->place[i];
	for (size_t i = 0; i < shown->n; i++) {
		const struct path_other *x = &shown->others[i];
		const bool top = x->row == p->c->paths[s]->n;

		if (x->cost > 0 && (top || at[x->row]))
			name_cost(p, s,
				  !top		 ? at[x->row] - 1
				  : p->f->rooted ? 0
						 : FRAME_NONE,
				  x->fn, (uint64_t)x->cost);
	}
}

static void name_dropped(struct pairs *p)
{
	for (size_t i = 0; i < p->f->n; i++)
		for (int s = 0; s < 2 && p->dropped[i]; s++) {
			const size_t row = p->f->all[i].row;

			if (p->own[s][i] != UNKNOWN && p->own[s][i])
				name_cost(p, s, i,
					  p->c->paths[s]->rows[p->c->row[s][row]].fn,
					  p->own[s][i]);
		}
}

static int named_by_place(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const int c = order_u64(x->on, y->on);

	return c ? c : order_u64(x->fn, y->fn);
}

static int named_by_cost(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const uint64_t m = x->of[0] > x->of[1] ? x->of[0] : x->of[1],
		       n = y->of[0] > y->of[1] ? y->of[0] : y->of[1];
	int c = order_u64(x->on, y->on);

	c = c ? c : order_u64(n, m);
	return c ? c : order_u64(x->fn, y->fn);
}

/* Merge entries of one function on one frame. */
static void merge_named(struct pairs *p)
{
	size_t n = 0;

	if (p->nnamed)
		qsort(p->named, p->nnamed, sizeof(*p->named), named_by_place);
	for (size_t i = 0; i < p->nnamed; i++) {
		struct named *to = n ? &p->named[n - 1] : NULL;

		if (!to || named_by_place(to, &p->named[i])) {
			p->named[n++] = p->named[i];
			continue;
		}
		to->of[0] += p->named[i].of[0];
		to->of[1] += p->named[i].of[1];
	}
	p->nnamed = n;
	if (n)
		qsort(p->named, n, sizeof(*p->named), named_by_cost);
}

static int find_named(struct pairs *p)
{
	const struct compared *c = p->c;
	size_t rows = 1;

	if (!p->cut)
		return 0;
	for (int s = 0; s < 2; s++)
		rows += c->paths[s] ? c->paths[s]->n : 0;
	p->named = ARENA_ARRAY(&p->a, struct named,
			       p->shown[0].n + p->shown[1].n + 2 * p->f->n + 1);
	for (int s = 0; s < 2 && p->named; s++) {
		size_t *at = c->paths[s] ? ARENA_ARRAY(&p->a, size_t, rows + 1) : NULL;

		if (at)
			name_shown(p, s, at);
	}
	if (p->a.refused)
		return err_no_memory(p->err, NULL);
	name_dropped(p);
	merge_named(p);
	return 0;
}

/* ---- all frames ---- */

static struct str frames_two_name_of(const struct pairs *p, uint32_t fn)
{
	const uint32_t n = p->r->graph->functions;

	return fn < n ? graph_name(p->r->graph, fn) : graph_name(p->c->graph, fn - n);
}

static void put_other(struct frames *f, size_t parent, struct str name, uint32_t fn,
		      const uint64_t of[2])
{
	const size_t depth = parent == FRAME_NONE ? 0 : f->all[parent].depth + 1;

	f->all[f->n++] = (struct frame){.name = name,
					.fn = fn,
					.value = of[0],
					.base = of[1],
					.depth = depth,
					.parent = parent,
					.row = FRAME_NONE,
					.estimated = true,
					.base_estimated = true,
					.other = fn == RESULT_NONE};
	f->deepest = depth > f->deepest ? depth : f->deepest;
}

/* Put "(other)" and what is known of it on frame `on`, now frame `parent`. */
static void put_left(const struct pairs *p, size_t on, size_t parent, struct frames *to)
{
	const size_t slot = on == FRAME_NONE ? p->f->n : on;
	uint64_t left[2] = {p->left[0][slot], p->left[1][slot]};
	struct bisect b = bisect_in(0, p->nnamed);
	size_t other = to->n;

	if (!left[0] && !left[1])
		return;
	put_other(to, parent, STR("(other)"), RESULT_NONE, left);
	to->left_out += left[0];
	while (bisect_next(&b))
		bisect_step(&b, p->named[b.mid].on < on);
	for (size_t i = b.lo; i < p->nnamed && p->named[i].on == on; i++) {
		const struct named *n = &p->named[i];
		uint64_t of[2];

		for (int s = 0; s < 2; s++) {
			of[s] = n->of[s] < left[s] ? n->of[s] : left[s];
			left[s] -= of[s];
		}
		if (of[0] || of[1])
			put_other(to, other, frames_two_name_of(p, n->fn), n->fn, of);
	}
}

/* The frames that are kept, and then what they leave out. */
static int put_all(struct pairs *p)
{
	struct frames *f = p->f, to = *f;
	size_t *now = ARENA_ARRAY(&p->a, size_t, f->n + 1);

	if (!now || !(to.all = calloc(2 * f->n + p->nnamed + 2, sizeof(*to.all))))
		return err_no_memory(p->err, NULL);
	to.n = to.deepest = 0;
	for (size_t i = 0; i < f->n; i++) {
		struct frame x = f->all[i];

		if (p->dropped[i])
			continue;
		if (x.parent != FRAME_NONE)
			x.parent = now[x.parent];
		now[i] = to.n;
		to.all[to.n++] = x;
		to.deepest = x.depth > to.deepest ? x.depth : to.deepest;
	}
	for (size_t i = 0; i < f->n; i++)
		if (!p->dropped[i])
			put_left(p, i, now[i], &to);
	if (!f->rooted)
		put_left(p, FRAME_NONE, FRAME_NONE, &to);
	free(f->all);
	*f = to;
	return 0;
}

static int leave_out(struct pairs *p)
{
	set_own(p);
	drop_cheap(p);
	if (take_lifted(p))
		return p->err->kind;
	find_wide(p);
	find_left(p, 0);
	find_left(p, 1);
	return p->err->kind || find_named(p) || put_all(p) ? p->err->kind : 0;
}

static int frames_two_fill(struct pairs *p, const struct frames_source *s)
{
	const bool tree = p->c && p->r->tree && s->depth;
	size_t *waiting = ARENA_ARRAY(&p->a, size_t, p->r->rows + 2);

	if (!waiting)
		return err_no_memory(p->err, NULL);
	if (tree && (p->c->root_name[0].n || p->c->root_name[1].n))
		put_top(p->r, p->f);
	frames_link(p->r, s, p->place, waiting, p->f);
	if ((tree && check_tops(p)) || set_costs(p) || (tree && leave_out(p)))
		return p->err->kind;
	frames_sum(p->f);
	return 0;
}

int frames_of_two(const struct result *r, const struct frames_source *s,
		  struct frames *out, struct err *err)
{
	const size_t most = r->rows + 2;
	struct pairs p = {.r = r, .c = r->compared, .f = out, .err = err};

	arena_init(&p.a, 0);
	out->two = true;
	out->all = calloc(most, sizeof(*out->all));
	p.place = ARENA_ARRAY(&p.a, size_t, most);
	p.dropped = ARENA_ARRAY(&p.a, bool, most);
	p.wide = ARENA_ARRAY(&p.a, bool, most);
	for (int k = 0; k < 2; k++) {
		p.own[k] = ARENA_ARRAY(&p.a, uint64_t, most);
		p.left[k] = ARENA_ARRAY(&p.a, uint64_t, most);
	}
	if (!out->all || p.a.refused)
		err_no_memory(err, NULL);
	else
		frames_two_fill(&p, s);
	arena_free(&p.a);
	return err->kind;
}
