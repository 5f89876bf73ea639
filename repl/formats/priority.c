/*
 * priority.c - the columns of an answer in order of priority; see priority.h.
 *
 * The lists of the sources say it (query_column_place()).  A column that has no place there
 * was made by the query (`add`, `group`): it follows the subject, as do the columns of a
 * comparison.
 */
#include "repl/formats/priority.h"

#include <string.h>

#include "engine/lang/col_type.h"
#include "engine/query.h"
#include "index/base/out.h"
#include "repl/render/render.h"

/* Columns of a comparison, right after the subject. */
static const char compared[] = "delta delta% change base noise base_median median was";

enum { OF_QUERY = 1, OF_COMPARED = PRIORITY_KEPT, OF_SOURCE = 20 };

/* "self" of "self.D1mr"; "self%" of "self.D1mr%". */
static struct str without_event(const struct shown *s, char *buf, size_t size)
{
	struct str name = s->c->name;
	size_t dot = str_find(name, '.');

	if (s->line && str_eq(name, STR("file")))
		return STR("file:line");
	if (dot == name.n || dot + 2 > size)
		return name;
	memcpy(buf, name.p, dot);
	if (name.p[name.n - 1] == '%')
		buf[dot++] = '%';
	return (struct str){buf, dot};
}

unsigned priority_of(const struct result *r, const struct shown *s)
{
	char buf[64];
	struct str name = without_event(s, buf, sizeof(buf));
	const unsigned place = query_column_place(r, name);
	const int change = r->base.n ? str_place(compared, name) : -1;

	if (s->c->sentence)
		return 0;
	/* The query asked for a column of another event. */
	if (place > 1 && !str_eq(name, s->c->name) && !s->line)
		return OF_QUERY;
	if (place)
		return place == 1 ? 0 : OF_SOURCE + place;
	return change < 0 ? OF_QUERY : OF_COMPARED + (unsigned)change;
}

static bool is_estimated(const struct column *c, size_t row)
{
	return c->estimated && c->estimated[row];
}

/* Do both cells show the same? */
static bool same_cells(const struct column *a, size_t i, const struct column *b, size_t j)
{
	if (render_absent(a, i) || render_absent(b, j))
		return render_absent(a, i) && render_absent(b, j);
	if (is_estimated(a, i) != is_estimated(b, j))
		return false;
	if (render_is_text(a))
		return str_eq(a->s[i], b->s[j]);
	switch (a->type) {
	case COL_PERCENT:
	case COL_RATIO: return !(a->f[i] < b->f[j] || a->f[i] > b->f[j]);
	case COL_BOOL: return a->b[i] == b->b[j];
	default: return a->u[i] == b->u[j];
	}
}

static bool same_columns(const struct shown *a, const struct shown *b, size_t rows)
{
	if (a->c->type != b->c->type || a->line || b->line)
		return false;
	for (size_t row = 0; row < rows; row++)
		if (!same_cells(a->c, row, b->c, row))
			return false;
	return true;
}

static bool empty_cell(const struct shown *s, size_t row)
{
	return render_absent(s->c, row) || (s->text && !s->c->s[row].n);
}

static bool all_same(const struct shown *s, size_t rows)
{
	for (size_t row = 1; row < rows; row++)
		if (!same_cells(s->c, 0, s->c, row) ||
		    (s->line && !same_cells(s->line, 0, s->line, row)))
			return false;
	return rows > 0 && (rows > 1 || empty_cell(s, 0));
}

bool priority_says_nothing(const struct look *look, const struct shown *cols, size_t n,
			   size_t which, size_t rows, struct out *why)
{
	const struct shown *s = &cols[which];

	if (all_same(s, rows)) {
		if (!empty_cell(s, 0)) {
			out_c(why, "all ");
			cell_put(why, look, s, 0, 24);
		} else {
			out_c(why, "empty");
		}
		return true;
	}
	for (size_t i = 0; i < n; i++)
		if (cols[i].priority < s->priority && rows > 1 &&
		    same_columns(&cols[i], s, rows)) {
			out_c(why, "= ");
			cell_title(why, look, &cols[i], SIZE_MAX);
			return true;
		}
	return false;
}
