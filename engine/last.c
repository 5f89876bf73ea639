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
#include "index/base/err_struct.h"

enum { KEPT_ROWS = 1 << 18 };

/* NULL: there is nothing to copy, or the arena is full, which copy_result() sees. */
static void *copy_bytes(struct arena *a, const void *p, size_t n)
{
	void *to = p ? arena_alloc(a, n ? n : 1) : NULL;

	if (to && n)
		memcpy(to, p, n);
	return to;
}

static void copy_column(struct arena *a, struct column *c, size_t rows)
{
	struct str *text = copy_bytes(a, c->u, rows * type_width(c->type));

	for (size_t i = 0; text && col_is_text(c->type) && i < rows; i++)
		text[i] = arena_str(a, text[i]);
	c->name = arena_str(a, c->name);
	c->s = text;
	c->row_unit = NULL;
	c->estimated = copy_bytes(a, c->estimated, rows);
	c->absent = copy_bytes(a, c->absent, rows);
}

static const struct doubts *copy_doubts(struct arena *a, const struct doubts *of)
{
	struct doubts *to = copy_bytes(a, of, sizeof(*of));

	for (int i = 0; to && i < DOUBTS; i++)
		if (to->why[i].n)
			to->why[i] = arena_str(a, to->why[i]);
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
	to->why = STR("");
	to->base = arena_str(a, r->base);
	to->query = arena_str(a, r->query);
	to->on = copy_bytes(a, r->on, r->rows * sizeof(*r->on));
	to->doubts = copy_doubts(a, r->doubts);
	to->cols = copy_bytes(a, r->cols, r->ncols * sizeof(*r->cols));
	for (size_t i = 0; to->cols && i < r->ncols; i++)
		copy_column(a, &to->cols[i], r->rows);
	return a->refused ? NULL : to;
}

void session_keep_last(struct session *s, const struct result *r)
{
	struct arena *a = &s->kept[!s->now];
	struct result *last = NULL;
	struct err none = {0};

	arena_reset(a);
	if (r->rows <= KEPT_ROWS && !result_whole(r, &none))
		last = copy_result(a, r);
	s->now = !s->now;
	s->last = last;
	s->last_rows = last ? 0 : r->rows;
}
