/*
 * window.h - look at all rows of a table, a window of some thousand rows at a time.
 *
 * A window is a table of its own: its columns are filled when they are asked for, in
 * memory that the next window uses again and that stays in the processor's cache.  So a
 * question about a million rows takes memory for the rows that it keeps.  Columns that
 * the table has filled already are views.
 *
 *	window_open(x, t, &w);
 *	while (window_next(&w))
 *		... w.t.n rows, the first is row w.first of t
 *	window_close(&w);
 */
#ifndef QUERN_WINDOW_H
#define QUERN_WINDOW_H

#include "engine/rows/exec.h"
#include "engine/rows/table.h"
#include "index/base/arena.h"

enum { WINDOW = 2048 };

struct window {
	struct exec x; /* that of the statement, with the memory of the window */
	struct arena *a;
	struct table t;
	const struct table *of;
	struct exec *stmt;
	struct table_col *col; /* [of->ncols] */
	const bool *decided;   /* rows that a condition need not look at; NULL: none */
	size_t first, next;    /* its first row, that of the next one */
};

void window_open(struct exec *x, const struct table *t, struct window *w);
/* False: no rows are left. */
bool window_next(struct window *w);
/* Go on with the window of this row, which is after the rows of w. */
void window_skip(struct window *w, size_t row);
/* Column c of the table, filled for the window. */
const struct table_col *window_col(struct window *w, const struct table_col *c);
/* s, or a copy of it that outlives the window. */
struct str window_keep(struct window *w, struct str s);
void window_close(struct window *w);

#endif
