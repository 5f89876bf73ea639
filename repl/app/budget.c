/*
 * budget.c - whole rows up to so many bytes; see budget.h.
 *
 * The bytes of a row depend on its neighbours: a table pads its columns, a tree draws
 * branches, names are escaped.  So an answer is written as it would be with so many rows,
 * more and more until they are too many, and then the number between is looked for.  The
 * cost left out is known when the number of rows is: until then its place is kept by the
 * widest number.
 *
 * Of a tree the costliest rows are kept, with those that they lie on: the first ones would be
 * all of one branch.
 */
#include "repl/app/budget.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/arena.h"
#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/term/number.h"

enum { FIRST = 32 }; /* rows */

struct weighed {
	uint64_t weight; /* the most that it costs, or a row on it */
	uint32_t row;
};

struct fitting {
	const struct result *r;
	size_t bytes;
	const struct column *cost;
	struct weighed
		*order; /* the rows of a tree, the costliest first; NULL: as they come */
	const uint32_t *placed; /* where each row is in it */
	struct arena *a;	/* of the rows that are written */
	budget_writer *write;
	void *arg;
	struct out *o;
	struct err *err;
};

static bool can_cut(const struct result *r, const struct format_row *f)
{
	return (f->traits & FORMAT_CUT) && !(r->card && (f->traits & FORMAT_CARD));
}

/* The column whose sum tells what rows cost: of frames of a tree the estimate. */
static const struct column *column_of_cost(const struct result *r)
{
	for (size_t i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		if (c->type != COL_COST || !c->machine || c->row_unit)
			continue;
		if (r->depth_col < 0
			    ? c->adds_up
			    : (r->on || c->adds_up) && str_eq(c->name, STR("est")))
			return c;
	}
	return NULL;
}

static bool is_kept(const struct fitting *f, size_t row, size_t kept)
{
	return (f->order ? f->placed[row] : row) < kept;
}

/* Does the row lie, on whatever level, on another one that is left out? */
static bool lies_on_left(const struct fitting *f, size_t row, size_t kept)
{
	const uint32_t *on = f->r->on;

	while (on && on[row] != RESULT_NONE) {
		row = on[row];
		if (!is_kept(f, row, kept))
			return true;
	}
	return false;
}

/* Add up what the rows that are not kept cost; without a cost if that is too large. */
static int sum_left(const struct fitting *f, size_t kept, struct left_out *left)
{
	const struct result *r = f->r;

	left->sum = 0;
	if (result_load(r, left->cost, f->err))
		return f->err->kind;
	for (size_t row = f->order ? 0 : kept; left->cost && row < r->rows; row++)
		if (!is_kept(f, row, kept) && !render_absent(left->cost, row) &&
		    !lies_on_left(f, row, kept) &&
		    cost_add(&left->sum, left->cost->i[row]))
			left->cost = NULL;
	return 0;
}

/* ---- the costliest rows of a tree ---- */

static int by_weight(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->row < y->row ? -1 : 1;
}

/* A comparison is about what changed. */
static const struct column *weight_column(const struct fitting *f)
{
	const struct column *delta = f->r->base.n ? result_col(f->r, STR("delta")) : NULL;

	return delta ? delta : f->cost;
}

/* Put the rows of a tree in order, unless the query did. */
static int order_rows(struct fitting *f, struct arena *a)
{
	const struct result *r = f->r;
	const struct column *c = weight_column(f);
	struct weighed *w;
	uint32_t *placed;

	if (!r->on || r->depth_col < 0 || !c || r->rows >= RESULT_NONE)
		return 0;
	for (size_t row = 0; row < r->rows; row++)
		if (r->on[row] != RESULT_NONE && r->on[row] >= row)
			return 0;
	if (result_whole(r, f->err))
		return f->err->kind;
	w = ARENA_ARRAY(a, struct weighed, r->rows);
	placed = ARENA_ARRAY(a, uint32_t, r->rows);
	if (!w || !placed)
		return arena_full(a, f->err);
	for (size_t row = r->rows; row-- > 0;) {
		const uint64_t own = render_absent(c, row) ? 0 : cost_size(c->i[row]);
		struct weighed *up = r->on[row] == RESULT_NONE ? NULL : &w[r->on[row]];

		w[row].row = (uint32_t)row;
		w[row].weight = own > w[row].weight ? own : w[row].weight;
		if (up && up->weight < w[row].weight)
			up->weight = w[row].weight;
	}
	qsort(w, r->rows, sizeof(*w), by_weight);
	for (size_t i = 0; i < r->rows; i++)
		placed[w[i].row] = (uint32_t)i;
	f->order = w;
	f->placed = placed;
	return 0;
}

static size_t cell_bytes(const struct column *c)
{
	return render_is_text(c)     ? sizeof(*c->s)
	       : c->type == COL_BOOL ? sizeof(*c->b)
				     : sizeof(*c->u);
}

/* The cells of those rows; NULL: there are none, or the arena is full. */
static void *pick(struct arena *a, const void *cells, size_t bytes, const uint32_t *row,
		  size_t n)
{
	char *to = cells ? arena_array(a, n + 1, bytes) : NULL;

	for (size_t i = 0; to && i < n; i++)
		memcpy(to + i * bytes, (const char *)cells + row[i] * bytes, bytes);
	return to;
}

/* Make `part` of the costliest rows, in the order of the tree. */
static int pick_rows(const struct fitting *f, size_t kept, struct result *part)
{
	const struct result *r = f->r;
	struct arena *a = f->a;
	uint32_t *row, *on, *now, n = 0;

	arena_reset(a);
	row = ARENA_ARRAY(a, uint32_t, kept + 1);
	on = ARENA_ARRAY(a, uint32_t, kept + 1);
	now = ARENA_ARRAY(a, uint32_t, r->rows + 1);
	part->cols = ARENA_ARRAY(a, struct column, r->ncols + 1);
	if (!row || !on || !now || !part->cols)
		return arena_full(a, f->err);
	for (uint32_t i = 0; i < r->rows; i++)
		if (is_kept(f, i, kept)) {
			on[n] = r->on[i] == RESULT_NONE ? RESULT_NONE : now[r->on[i]];
			row[n] = i;
			now[i] = n++;
		}
	for (size_t i = 0; i < r->ncols; i++) {
		struct column *c = &part->cols[i];

		*c = r->cols[i];
		c->s = pick(a, c->s, cell_bytes(c), row, n);
		c->estimated = pick(a, c->estimated, 1, row, n);
		c->absent = pick(a, c->absent, 1, row, n);
		c->row_unit = pick(a, c->row_unit, sizeof(*c->row_unit), row, n);
	}
	part->on = on;
	part->paths = NULL;
	return a->refused ? arena_full(a, f->err) : 0;
}

/* Write the rows that are not left out.  0 or the kind. */
static int write_rows(const struct fitting *f, const struct left_out *left)
{
	struct result part = *f->r;

	if (left->rows) {
		part.rows -= left->rows;
		part.held = 0;
		if (part.rows_before < f->r->rows)
			part.rows_before = f->r->rows;
		if (f->order && pick_rows(f, part.rows, &part))
			return f->err->kind;
	}
	out_close(f->o);
	out_mem(f->o);
	return f->write(f->arg, &part, left, f->o, f->err);
}

/* Does the answer fit with so many rows?  False after an error, too. */
static bool fits(const struct fitting *f, size_t rows)
{
	const struct left_out left = {.rows = f->r->rows - rows,
				      .cheapest = f->order,
				      .cost = f->cost,
				      .sum = INT64_MIN};

	return write_rows(f, &left) == 0 && f->o->n <= f->bytes;
}

/* The most rows that fit of those that do not all fit. */
static size_t most_rows(const struct fitting *f)
{
	size_t fit = 0, over = FIRST;
	struct bisect b;

	for (; over < f->r->rows && fits(f, over); over *= 2)
		fit = over;
	b = bisect_in(fit + 1, over < f->r->rows ? over : f->r->rows);
	while (bisect_next(&b) && !f->err->kind)
		bisect_step(&b, fits(f, b.mid));
	return b.lo - 1;
}

static int fit_rows(const struct fitting *f)
{
	struct left_out left = {.cheapest = f->order, .cost = f->cost};
	const size_t rows = most_rows(f);

	left.rows = f->r->rows - rows;
	if (f->err->kind)
		return f->err->kind;
	if (rows)
		return sum_left(f, rows, &left) ? f->err->kind : write_rows(f, &left);
	err_set(f->err, ERR_LIMIT, ERR_NOWHERE,
		"not one row fits into the %s bytes that the budget leaves",
		GROUPED(f->bytes));
	return err_hint(f->err, "a larger --budget, or fewer columns: | show fn, self");
}

int budget_too_long(size_t bytes, size_t room, enum format format, struct err *err)
{
	err_set(err, ERR_LIMIT, ERR_NOWHERE,
		"the answer takes %s bytes, and the budget leaves %s", GROUPED(bytes),
		GROUPED(room));
	return err_hint(err, "%s cannot be cut between rows: ask for less, or > FILE",
			formats[format].name);
}

int budget_write(const struct result *r, const struct format_row *f, size_t bytes,
		 budget_writer *w, void *arg, struct out *o, struct err *err)
{
	struct arena order, rows;
	struct fitting fit = {.r = r,
			      .bytes = bytes,
			      .cost = column_of_cost(r),
			      .a = &rows,
			      .write = w,
			      .arg = arg,
			      .o = o,
			      .err = err};
	const bool cuts = can_cut(r, f) && r->rows;

	/* A row has two bytes at least. */
	if ((!cuts || r->rows <= bytes / 2) && fits(&fit, r->rows))
		return 0;
	if (err->kind)
		return err->kind;
	if (!cuts)
		return budget_too_long(o->n, bytes, f->format, err);
	arena_init(&order, 0);
	arena_init(&rows, 0);
	if (!order_rows(&fit, &order))
		fit_rows(&fit);
	arena_free(&order);
	arena_free(&rows);
	return err->kind;
}
