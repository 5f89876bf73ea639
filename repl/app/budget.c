/*
 * budget.c - whole rows up to so many bytes; see budget.h.
 *
 * The bytes of a row depend on its neighbours: a table pads its columns, a tree draws
 * branches, names are escaped.  So an answer is written as it would be with so many rows,
 * more and more until they are too many, and then the number between is looked for.  The
 * cost left out is known when the number of rows is: until then its place is kept by the
 * widest number.
 */
#include "repl/app/budget.h"

#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/term/number.h"

enum { FIRST = 32 }; /* rows */

struct fitting {
	const struct result *r;
	size_t bytes;
	const struct column *cost;
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

/* Does the row lie, on whatever level, on another one that is left out? */
static bool lies_on_left(const struct result *r, size_t row, size_t kept)
{
	if (!r->on)
		return false;
	while (r->on[row] != RESULT_NONE) {
		row = r->on[row];
		if (row >= kept)
			return true;
	}
	return false;
}

/* Add up what the rows after `kept` cost; without a cost if that is too large. */
static int sum_left(const struct fitting *f, size_t kept, struct left_out *left)
{
	const struct result *r = f->r;

	left->sum = 0;
	if (result_load(r, left->cost, f->err))
		return f->err->kind;
	for (size_t row = kept; left->cost && row < r->rows; row++)
		if (!render_absent(left->cost, row) && !lies_on_left(r, row, kept) &&
		    cost_add(&left->sum, left->cost->i[row]))
			left->cost = NULL;
	return 0;
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
	}
	out_close(f->o);
	out_mem(f->o);
	return f->write(f->arg, &part, left, f->o, f->err);
}

/* Does the answer fit with so many rows?  False after an error, too. */
static bool fits(const struct fitting *f, size_t rows)
{
	const struct left_out left = {
		.rows = f->r->rows - rows, .cost = f->cost, .sum = INT64_MIN};

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
	struct left_out left = {.cost = f->cost};
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
	const struct fitting fit = {r, bytes, column_of_cost(r), w, arg, o, err};
	const bool cuts = can_cut(r, f) && r->rows;

	/* A row has two bytes at least. */
	if ((!cuts || r->rows <= bytes / 2) && fits(&fit, r->rows))
		return 0;
	if (err->kind)
		return err->kind;
	return cuts ? fit_rows(&fit) : budget_too_long(o->n, bytes, f->format, err);
}
