/*
 * frames.c - make frames of the rows of a result; see frames.h.
 *
 * The row of a tree lies on the row that the result names; the step of a path lies on the
 * step before.  Estimates of children may add up to more than the estimate of their
 * parent.  Then the parent is made as large as their sum, or frames would overlap.
 */
#include "repl/pictures/frames.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/graph/graph.h"
#include "engine/lang/col_type.h"
#include "engine/lang/result.h"
#include "engine/path/path.h"
#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "repl/pictures/frames_in.h"

enum { STACK_FRAMES = 10000000 }; /* of all stacks in a file: some 100 MB */

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
static void find_whose(struct frames_source *s)
{
	const struct str name = s->name ? s->name->name : STR("");

	s->end = str_eq(name, STR("callee"));
	s->named = s->end || str_eq(name, STR("fn")) || str_eq(name, STR("short")) ||
		   str_eq(name, STR("caller"));
}

static int find_source(const struct result *r, const char *format,
		       struct frames_source *s, struct err *err)
{
	s->path = result_col(r, STR("path"));
	s->depth = r->depth_col >= 0 ? &r->cols[r->depth_col] : NULL;
	if (!s->depth && s->path)
		s->depth = result_col(r, STR("step"));
	s->cost = cost_column(r, s->depth != NULL);
	s->own = r->tree ? result_col(r, STR("self")) : NULL;
	s->name = first_of(r, COL_NAME);
	if (!s->name)
		s->name = first_of(r, COL_FILE);
	if (!s->name)
		s->name = first_of(r, COL_OBJ);
	find_whose(s);
	if (s->name && s->cost)
		return result_load(r, s->path, err) || result_load(r, s->depth, err) ||
				       result_load(r, s->cost, err) ||
				       result_load(r, s->own, err) ||
				       result_load(r, s->name, err)
			       ? err->kind
			       : 0;
	err_set(err, ERR_QUERY, 0,
		"%s draws functions by their cost, and this answer has none", format);
	return err_hint(err, "calltree from main | as %s", format);
}

static uint64_t least_depth(const struct frames_source *s, size_t rows)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; s->depth && i < rows; i++)
		least = s->depth->u[i] < least ? s->depth->u[i] : least;
	return s->depth ? least : 0;
}

static bool flagged(const uint8_t *flags, size_t row)
{
	return flags && flags[row];
}

/* A path has one cost, the cost of its last step: the whole stack gets it. */
static void level_paths(struct frames *f)
{
	for (size_t i = f->n; i-- > 0;) {
		size_t parent = f->all[i].parent;

		if (parent != FRAME_NONE && parent + 1 == i)
			f->all[parent].value = f->all[i].value;
	}
}

/* So far, self is the sum of the frames above. */
static void frames_settle(uint64_t *value, uint64_t *self, uint64_t *below)
{
	if (*value < *self)
		*value = *self;
	*self = *value - *self;
	cost_add_bits(below, *value);
}

void frames_sum(struct frames *f)
{
	f->sum = f->base_sum = 0;
	for (size_t i = 0; i < f->n; i++)
		f->all[i].self = f->all[i].base_self = 0;
	for (size_t i = f->n; i-- > 0;) {
		struct frame *x = &f->all[i];
		struct frame *on = x->parent == FRAME_NONE ? NULL : &f->all[x->parent];

		frames_settle(&x->value, &x->self, on ? &on->self : &f->sum);
		frames_settle(&x->base, &x->base_self,
			      on ? &on->base_self : &f->base_sum);
	}
}

/* Add the frame of the top of a tree: a function, or several, named by the text of the
 * query. */
static void put_root(const struct result *r, struct frames *f)
{
	f->all[f->n++] = (struct frame){
		.name = r->root_name,
		.fn = r->root_one,
		.value = frames_drawn(r->root_cost),
		.parent = FRAME_NONE,
		.row = FRAME_NONE,
		.estimated = r->root_fuzzy || (r->graph && r->graph->estimated),
	};
	f->estimated |= f->all[0].estimated;
	f->rooted = true;
}

static uint32_t fn_of_row(const struct result *r, const struct frames_source *s,
			  size_t row)
{
	return s->named ? result_fn(r, row, s->end) : RESULT_NONE;
}

static void link_rows(const struct result *r, const struct frames_source *s, size_t *open,
		      struct frames *f)
{
	uint64_t base = least_depth(s, r->rows);
	size_t before = f->n;

	open[0] = 0;
	for (size_t i = 0; i < r->rows; i++) {
		uint64_t depth = s->depth ? s->depth->u[i] - base + f->rooted : 0;
		struct frame *x = &f->all[f->n];

		/* A call from the set into itself is in no sum. */
		if (r->tree && flagged(s->cost->absent, i))
			continue;
		/* If rows were removed, a row moves down to the next level. */
		depth = depth > before ? before : depth;
		*x = (struct frame){.name = s->name->s[i],
				    .fn = fn_of_row(r, s, i),
				    .depth = (size_t)depth,
				    .parent = depth ? open[depth - 1] : FRAME_NONE,
				    .row = i};
		if (!flagged(s->cost->absent, i))
			x->value = frames_drawn(s->cost->i[i]);
		x->estimated = flagged(s->cost->estimated, i);
		f->estimated |= x->estimated;
		open[depth] = f->n++;
		before = (size_t)depth + 1;
		f->deepest = x->depth > f->deepest ? x->depth : f->deepest;
	}
}

/* Add the frame of a row, after those of the rows below it that have no frame yet.
 * place[]: 1 + frame. */
static void link_one(const struct result *r, const struct frames_source *s, size_t *place,
		     size_t *waiting, size_t row, struct frames *f)
{
	size_t n = 0;

	for (size_t i = row; i != RESULT_NONE && !place[i]; i = r->on[i])
		waiting[n++] = i;
	while (n-- > 0) {
		size_t i = waiting[n], on = r->on[i];
		struct frame *x = &f->all[f->n];

		*x = (struct frame){
			.name = s->name->s[i], .fn = fn_of_row(r, s, i), .row = i};
		x->parent = on != RESULT_NONE ? place[on] - 1
			    : f->rooted	      ? 0
					      : FRAME_NONE;
		x->depth = x->parent == FRAME_NONE ? 0 : f->all[x->parent].depth + 1;
		if (!flagged(s->cost->absent, i))
			x->value = frames_drawn(s->cost->i[i]);
		x->estimated = flagged(s->cost->estimated, i);
		f->estimated |= x->estimated;
		f->deepest = x->depth > f->deepest ? x->depth : f->deepest;
		place[i] = ++f->n;
	}
}

/* Add the rows of a tree that stages have left. */
static void link_left(const struct result *r, const struct frames_source *s,
		      size_t *place, size_t *waiting, struct frames *f)
{
	for (size_t i = 0; i < r->rows; i++)
		/* A call from the set into itself is in no sum. */
		if (!place[i] && !flagged(s->cost->absent, i))
			link_one(r, s, place, waiting, i, f);
}

void frames_link(const struct result *r, const struct frames_source *s, size_t *place,
		 size_t *waiting, struct frames *f)
{
	if (r->on)
		link_left(r, s, place, waiting, f);
	else
		link_rows(r, s, place, f);
}

/* ---- what a tree leaves out ---- */

/* The cost that a row spends itself or, in a tree of callers, that no call brought;
 * UINT64_MAX: unknown. */
static uint64_t own_of_row(const struct result *r, const struct frames_source *s,
			   const struct frame *x)
{
	if (x->row == FRAME_NONE)
		return frames_drawn(r->root_own); /* of the root */
	if (!s->own || s->own->type != COL_COST || flagged(s->own->absent, x->row))
		return UINT64_MAX;
	return frames_drawn(s->own->i[x->row]);
}

static struct frame *add_other(struct frames *f, size_t parent, uint64_t value)
{
	struct frame *x = &f->all[f->n++];

	*x = (struct frame){
		.name = STR("(other)"),
		.fn = RESULT_NONE,
		.value = value,
		.depth = parent == FRAME_NONE ? 0 : f->all[parent].depth + 1,
		.parent = parent,
		.row = FRAME_NONE,
		.estimated = true,
		.other = true,
	};
	f->left_out += value;
	f->deepest = x->depth > f->deepest ? x->depth : f->deepest;
	return x;
}

/* Split an "(other)" by function, as far as known: n others from `first` on. */
static void add_named(const struct result *r, const struct path_shown *shown,
		      size_t first, size_t n, struct frames *f)
{
	size_t parent = f->n - 1, depth = f->all[parent].depth + 1;
	uint64_t left = f->all[parent].value;

	for (size_t i = first; i < first + n && left; i++) {
		const struct path_other *other = &shown->others[i];
		const uint64_t most = frames_drawn(other->cost);
		const uint64_t cost = most < left ? most : left;

		if (!cost)
			continue;
		f->all[f->n++] = (struct frame){.name = graph_name(r->graph, other->fn),
						.fn = other->fn,
						.value = cost,
						.depth = depth,
						.parent = parent,
						.row = FRAME_NONE,
						.estimated = true};
		left -= cost;
		f->deepest = depth > f->deepest ? depth : f->deepest;
	}
}

/* The others of a row; they are ordered by row. */
static size_t others_of(const struct path_shown *s, size_t row, size_t *first)
{
	struct bisect b = bisect_in(0, s->n);
	size_t n = 0;

	while (bisect_next(&b))
		bisect_step(&b, s->others[b.mid].row < row);
	while (b.lo + n < s->n && s->others[b.lo + n].row == row)
		n++;
	*first = b.lo;
	return n;
}

/* Calls without rows (the cheapest, those below `min` or `depth`, those that a stage
 * removed) are not self cost of their caller: they get a frame of their own. */
static void add_others(const struct result *r, const struct frames_source *s,
		       const struct path_shown *shown, struct frames *f)
{
	size_t n = f->n, first, named;

	for (size_t i = 0; i < n; i++) {
		uint64_t own = own_of_row(r, s, &f->all[i]);

		if (own >= f->all[i].self)
			continue;
		named = others_of(shown, i || !f->rooted ? f->all[i].row : r->rows,
				  &first);
		add_other(f, i, f->all[i].self - own);
		add_named(r, shown, first, named, f);
	}
	if (f->rooted || f->sum >= frames_drawn(r->root_cost))
		return;
	named = others_of(shown, r->rows, &first);
	add_other(f, FRAME_NONE, frames_drawn(r->root_cost) - f->sum);
	add_named(r, shown, first, named, f);
}

/* The cost that narrow rows leave out is shown at the wide row below them. */
static void take_lifted(const struct path_shown *shown, struct frames *f)
{
	for (size_t i = 0; shown->lifted && i < f->n; i++) {
		struct frame *x = &f->all[i];
		const uint64_t lifted =
			x->row == FRAME_NONE ? 0 : frames_drawn(shown->lifted[x->row]);

		x->value -= lifted < x->value ? lifted : x->value;
	}
}

/* ---- */

static void frames_fill(const struct result *r, const struct frames_source *s,
			const struct path_shown *shown, size_t *open, size_t *waiting,
			struct frames *f)
{
	bool tree = r->tree && s->depth && !s->path;

	if (tree && r->root_name.n)
		put_root(r, f);
	frames_link(r, s, open, waiting, f);
	if (s->path)
		level_paths(f);
	if (tree)
		take_lifted(shown, f);
	frames_sum(f);
	if (!tree)
		return;
	add_others(r, s, shown, f);
	frames_sum(f);
}

int frames_of(const struct result *r, const char *format, struct frames *out,
	      struct err *err)
{
	size_t most = 2 * (r->rows + 1);
	struct path_shown shown = {0};
	struct frames_source s;
	size_t *open, *waiting;

	*out = (struct frames){0};
	if (find_source(r, format, &s, err))
		return err->kind;
	if (r->base.n)
		return frames_of_two(r, &s, out, err);
	if (r->paths && r->graph && path_tree_shown(r->paths, &shown, err))
		return err->kind;
	most += shown.n;
	out->all = calloc(most, sizeof(*out->all));
	open = calloc(most, sizeof(*open));
	waiting = calloc(most, sizeof(*waiting));
	if (out->all && open && waiting)
		frames_fill(r, &s, &shown, open, waiting, out);
	else
		err_set(err, ERR_LIMIT, 0, "out of memory for %zu frames", r->rows);
	free(open);
	free(waiting);
	return err->kind;
}

/* ---- stacks, each of them whole ---- */

/* The depth up to which all stacks together have at most STACK_FRAMES frames. */
static size_t depth_to_keep(const struct frames *f, const uint64_t *stacks)
{
	uint64_t sum = 0;
	size_t d = 0;

	while (d <= f->deepest && (sum += stacks[d] * (d + 1)) <= STACK_FRAMES)
		d++;
	return d;
}

/* Turn each frame one level above `depth` into "(other)" with the self cost of all
 * frames on it. */
static uint64_t cut_above(struct frames *f, size_t depth)
{
	uint64_t cut = 0;

	for (size_t i = f->n; i-- > 0;) {
		struct frame *x = &f->all[i];

		if (x->depth <= depth)
			continue;
		if (x->depth == depth + 1) {
			cut += x->value;
			x->name = STR("(other)");
			x->fn = RESULT_NONE;
		} else {
			cost_add_bits(&f->all[x->parent].self, x->self);
			cost_add_bits(&f->all[x->parent].base_self, x->base_self);
			x->self = x->value = x->base_self = x->base = 0;
		}
	}
	return cut;
}

int frames_of_stacks(const struct result *r, const char *format, struct frames *out,
		     char *note, size_t size, struct err *err)
{
	uint64_t *stacks, cut = 0;
	size_t depth;

	if (frames_of(r, format, out, err))
		return err->kind;
	if (!(stacks = calloc(out->deepest + 1, sizeof(*stacks))))
		return err_no_memory(err, NULL);
	for (size_t i = 0; i < out->n; i++)
		stacks[out->all[i].depth] += out->all[i].self || out->all[i].base_self;
	depth = depth_to_keep(out, stacks);
	free(stacks);
	if (depth > out->deepest)
		return 0;
	cut = cut_above(out, depth);
	out->left_out += cut;
	snprintf(
		note, size,
		"%.2g %% of the cost lies deeper than %zu frames and is in (other) there",
		out->sum ? 100.0 * (double)cut / (double)out->sum : 0.0, depth + 1);
	return 0;
}

int frames_by_name(const struct frames *f, struct sort_pair *order, struct err *err)
{
	struct str *name = malloc((f->n + 1) * sizeof(*name));
	int rc = -1;

	for (size_t i = 0; name && i < f->n; i++)
		name[i] = f->all[i].name;
	if (name)
		rc = sort_strings(name, f->n, order);
	free(name);
	for (size_t i = 0, n; !rc && i < f->n; i += n) {
		for (n = 0; i + n < f->n && str_eq(f->all[order[i + n].value].name,
						   f->all[order[i].value].name);
		     n++)
			order[i + n].key = f->all[order[i + n].value].fn;
		rc = sort_pairs(order + i, n);
	}
	return rc ? err_no_memory(err, NULL) : 0;
}

bool frames_differ(const struct frames *f, const struct sort_pair *order, size_t i)
{
	const struct frame *x = &f->all[order[i].value],
			   *before = &f->all[order[i - 1].value];

	return x->fn != before->fn || !str_eq(x->name, before->name);
}

/* Is the i-th frame the first of a function, with a name that others have, too? */
static bool name_shared(const struct frames *f, const struct sort_pair *order, size_t i)
{
	const struct str name = f->all[order[i].value].name;
	size_t next = i + 1;

	while (next < f->n && !frames_differ(f, order, next))
		next++;
	return (i && str_eq(f->all[order[i - 1].value].name, name)) ||
	       (next < f->n && str_eq(f->all[order[next].value].name, name));
}

struct str frames_file(const struct result *r, const struct frames *f,
		       const struct sort_pair *order, size_t i)
{
	const uint32_t n = r->graph ? r->graph->functions : 0;
	const uint32_t fn = f->all[order[i].value].fn;

	if (!r->graph || fn == RESULT_NONE || !name_shared(f, order, i))
		return STR("");
	return fn < n ? graph_file(r->graph, fn) : graph_file(r->compared->graph, fn - n);
}

void frames_free(struct frames *f)
{
	free(f->all);
	*f = (struct frames){0};
}
