/*
 * last.c - keep the last result as `_`.
 *
 * It is a deep copy in the session's own arena.  Two arenas take turns, so that a query over
 * `_` can read the old result while it makes the new one.  A failed query changes neither.
 */
#include <string.h>

#include "engine/lang/result.h"
#include "engine/rows/doubt.h"
#include "engine/rows/table.h"
#include "engine/session.h"

enum { KEPT_ROWS = 1 << 18 };

static int copy_strings(struct arena *a, struct str *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s[i] = arena_str(a, s[i]);
		if (!s[i].p)
			return -1;
	}
	return 0;
}

static void *copy_bytes(struct arena *a, const void *p, size_t n)
{
	void *to = arena_alloc(a, n ? n : 1);

	if (to && n)
		memcpy(to, p, n);
	return to;
}

static int copy_column(struct arena *a, struct column *c, size_t rows)
{
	void *values = copy_bytes(a, c->u, rows * type_width(c->type));

	c->name = arena_str(a, c->name);
	if (!values || !c->name.p)
		return -1;
	c->u = values;
	c->row_unit = NULL;
	if (c->estimated && !(c->estimated = copy_bytes(a, c->estimated, rows)))
		return -1;
	if (c->absent && !(c->absent = copy_bytes(a, c->absent, rows)))
		return -1;
	return col_is_text(c->type) ? copy_strings(a, values, rows) : 0;
}

static const struct doubts *copy_doubts(struct arena *a, const struct doubts *of)
{
	struct doubts *to = copy_bytes(a, of, sizeof(*of));

	for (int i = 0; to && i < DOUBTS; i++)
		if (to->why[i].n && !(to->why[i] = arena_str(a, to->why[i])).p)
			return NULL;
	return to;
}

static struct result *copy_result(struct arena *a, const struct result *r)
{
	struct result *to = copy_bytes(a, r, sizeof(*r));

	if (!to)
		return NULL;
	to->notes = to->filters = NULL;
	to->nnotes = to->nfilters = 0;
	to->graph = NULL;
	to->table = NULL;
	to->paths = NULL;
	to->listing = NULL;
	to->compared = NULL;
	to->base = arena_str(a, r->base);
	if (!to->base.p)
		return NULL;
	to->on = r->on ? copy_bytes(a, r->on, r->rows * sizeof(*r->on)) : NULL;
	if (r->on && !to->on)
		return NULL;
	to->why = STR("");
	if (!(to->doubts = copy_doubts(a, r->doubts)))
		return NULL;
	to->query = arena_str(a, r->query);
	to->cols = copy_bytes(a, r->cols, r->ncols * sizeof(*r->cols));
	for (size_t i = 0; to->cols && i < r->ncols; i++)
		if (copy_column(a, &to->cols[i], r->rows))
			return NULL;
	return to->cols ? to : NULL;
}

void session_keep_last(struct session *s, const struct result *r)
{
	struct arena *a = &s->kept[!s->now];
	struct result *last = NULL;

	arena_reset(a);
	if (r->rows <= KEPT_ROWS)
		last = copy_result(a, r);
	s->now = !s->now;
	s->last = last;
	s->last_rows = last ? 0 : r->rows;
}
