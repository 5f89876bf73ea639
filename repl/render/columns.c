/* columns.c - choose the columns of a table; see columns.h. */
#include "repl/render/columns.h"

#include <math.h>

#include "engine/lang/col_type.h"
#include "engine/graph/graph.h"
#include "repl/render/render.h"

static bool is_count(const struct column *c)
{
	return c->type == COL_COST || c->type == COL_COUNT || c->type == COL_DELTA;
}

/* Show exact digits if all cells of the column are below a million. */
static bool small_numbers(const struct column *c, size_t rows, bool exact)
{
	if (!is_count(c))
		return false;
	for (size_t row = 0; row < rows; row++) {
		uint64_t v = col_is_signed(c->type) && c->i[row] < 0 ? 0 - c->u[row]
								     : c->u[row];

		if (!render_absent(c, row) && v > 999999)
			return exact;
	}
	return true;
}

/* A column of booleans is hidden if all are false, a column of numbers if all are
 * absent. */
static bool says_nothing(const struct column *c, size_t rows)
{
	if (c->type != COL_BOOL && c->type != COL_ID)
		return false;
	for (size_t row = 0; row < rows; row++)
		if (!render_absent(c, row) && (c->type == COL_ID || c->b[row]))
			return false;
	return rows > 0;
}

/* A profile of cachegrind, or of samples, has no calls: nobody asked for their zeros. */
static bool never_called(const struct result *r, const struct column *c)
{
	return r->usual && r->graph && !r->graph->edges &&
	       str_place("calls calls_out incl_out incl/call", c->name) >= 0;
}

/* A function in a cycle is recursive: the column, unless `show` asks for it, says more
 * only of those that call themselves alone. */
static bool says_as_cycle(const struct result *r, const struct column *c, size_t rows)
{
	const struct column *cycle = NULL;

	for (size_t i = 0; i < r->ncols; i++)
		if (r->cols[i].table && str_eq(r->cols[i].name, STR("cycle")))
			cycle = &r->cols[i];
	if (!cycle || c->machine || c->type != COL_BOOL ||
	    !str_eq(c->name, STR("recursive")))
		return false;
	for (size_t row = 0; row < rows; row++)
		if (render_absent(c, row) || render_absent(cycle, row) == c->b[row])
			return false;
	return true;
}

const struct column *columns_bar(const struct result *r)
{
	for (size_t i = 0; i < r->ncols; i++)
		if (r->cols[i].bar)
			return &r->cols[i];
	return NULL;
}

double columns_bar_at(const struct column *c, size_t row)
{
	const bool real = c->type == COL_PERCENT || c->type == COL_RATIO;
	const double v = real			  ? c->f[row]
			 : col_is_signed(c->type) ? (double)c->i[row]
						  : (double)c->u[row];

	return render_absent(c, row) || !isfinite(v) ? 0 : fabs(v);
}

size_t columns_choose(const struct result *r, size_t rows, bool tree, bool exact,
		      struct shown *shown)
{
	bool named = false;
	size_t n = 0;

	for (size_t i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];
		struct shown *s = &shown[n];

		if (!c->table || (tree && (int)i == r->depth_col) ||
		    says_nothing(c, rows) || says_as_cycle(r, c, rows) ||
		    never_called(r, c))
			continue;
		if (c->type == COL_LINE && n && s[-1].c->type == COL_FILE &&
		    !s[-1].line) {
			s[-1].line = c;
			continue;
		}
		*s = (struct shown){.c = c, .text = render_is_text(c)};
		if (r->event_id && c->type == COL_COST &&
		    (str_eq(c->name, STR("self")) || str_eq(c->name, STR("incl"))))
			s->event = result_title(r);
		s->exact = exact;
		s->grouped = small_numbers(c, rows, exact);
		s->tree = tree && c->type == COL_NAME && !named;
		named |= c->type == COL_NAME;
		n++;
	}
	return n;
}
