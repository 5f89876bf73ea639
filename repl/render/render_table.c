/*
 * render_table.c - the table and the tree, for people.
 *
 *	   #    self   self%  calls  fn                  file:line
 *	 812  1.03 M  19.52%  1,234  _int_malloc         malloc.c:3451  ██████▎
 *	  17   402 k   7.60%     12  ├─ sysmalloc        malloc.c:2550  ██▍
 *	2 of 1,586 functions = 27.1 % of 5.27 M Ir
 *
 * There are two passes over the cells: the first measures, the second writes.  On a
 * screen, text columns share the width that numbers leave.  If the screen is still too
 * narrow, whole columns are hidden, and the footer names them.  Without a screen nothing
 * is cut; a cell wider than WIDEST shifts the rest of its row instead of padding all
 * other rows.
 */
#include "repl/render/render.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repl/render/branches.h"
#include "repl/render/cell.h"
#include "repl/render/columns.h"
#include "repl/term/number.h"

enum {
	WIDEST = 60,   /* most columns to pad to, without a screen */
	NARROWEST = 8, /* least columns of shortened text; twice this for functions */
	BAR_LEAST = 6,
	BAR_MOST = 24,
	GAP = 2,
	LUXURY = 8,	    /* of expendable() */
	LESS_THAN_NAME = 6, /* columns by which other text is shortened before names */
};

struct table {
	struct render *rd;
	const struct look *look;
	struct shown *cols;
	size_t n, rows;
	const struct column *bar; /* or NULL */
	double bar_whole;
	size_t bar_width;
	bool tree;
	struct branches branches;
	struct out hidden; /* names of the hidden columns */
};

/* ---- widths ---- */

static int measure(struct table *t)
{
	struct out scrap;
	size_t widest;

	out_mem(&scrap);
	for (size_t i = 0; i < t->n; i++) {
		struct shown *s = &t->cols[i];

		s->natural = cell_title(&scrap, t->look, s, SIZE_MAX);
		for (size_t row = 0; row < t->rows; row++) {
			if (render_cancelled(t->rd, row))
				break;
			scrap.n = 0;
			widest = cell_put(&scrap, t->look, s, row, SIZE_MAX);
			if (s->tree)
				widest += branches_put(&t->branches, NULL, row,
						       t->look->utf8);
			if (widest > s->natural)
				s->natural = widest;
		}
		s->width = s->natural;
	}
	out_close(&scrap);
	return (int)t->rd->err->kind;
}

static size_t least_width(const struct shown *s)
{
	size_t least = !s->text			? s->natural
		       : s->c->type == COL_NAME ? 2 * NARROWEST
						: NARROWEST;

	return least < s->natural ? least : s->natural;
}

static size_t sum_widths(const struct table *t, size_t (*width)(const struct shown *))
{
	size_t sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += (width ? width(&t->cols[i]) : t->cols[i].width) + (i ? GAP : 0);
	return sum;
}

/* If a name has fewer columns than this, it needs them more than cum%, a place or a
 * bar. */
static size_t comfortable_width(const struct shown *s)
{
	bool subject = s->c->type == COL_NAME || str_eq(s->c->name, STR("name"));
	size_t enough = !s->text ? s->natural : subject ? 30 : 14;

	return enough < s->natural ? enough : s->natural;
}

/* The order in which columns are hidden on a narrow screen; 0: never. */
static int expendable(const struct table *t, const struct shown *s)
{
	switch (s->c->type) {
	case COL_OBJ: return 6;
	case COL_PERCENT:
		return str_eq(s->c->name, STR("cum%")) ? LUXURY : s->c == t->bar ? 1 : 3;
	case COL_FILE: return 4;
	case COL_STR: return str_eq(s->c->name, STR("file:line")) ? LUXURY - 1 : 0;
	case COL_COUNT: return 2;
	default: return 0;
	}
}

static void drop_columns(struct table *t)
{
	for (;;) {
		size_t worst = 0, wanted;

		for (size_t i = 1; i < t->n; i++)
			if (expendable(t, &t->cols[i]) > expendable(t, &t->cols[worst]))
				worst = i;
		if (!t->n || !expendable(t, &t->cols[worst]))
			return;
		wanted = sum_widths(t, expendable(t, &t->cols[worst]) >= LUXURY - 1
					       ? comfortable_width
					       : least_width);
		if (wanted <= t->look->columns)
			return;
		out_char(&t->hidden, ' ');
		cell_title(&t->hidden, t->look, &t->cols[worst], SIZE_MAX);
		t->n--;
		memmove(&t->cols[worst], &t->cols[worst + 1],
			(t->n - worst) * sizeof(t->cols[0]));
	}
}

/* Take columns from the widest text until the table fits. */
static void shrink(struct table *t, size_t columns)
{
	size_t sum;

	for (size_t i = 0; i < t->n; i++)
		if (t->cols[i].text && t->cols[i].width > columns)
			t->cols[i].width = columns;
	sum = sum_widths(t, NULL);
	while (sum > columns) {
		struct shown *widest = NULL;
		size_t most = 0;

		for (size_t i = 0; i < t->n; i++) {
			struct shown *s = &t->cols[i];

			size_t weight =
				s->width + (s->c->type == COL_NAME ? 0 : LESS_THAN_NAME);

			if (s->width > least_width(s) && weight > most) {
				most = weight;
				widest = s;
			}
		}
		if (!widest)
			return;
		widest->width--;
		sum--;
	}
}

static void fit_columns(struct table *t)
{
	size_t columns = t->look->columns, used, reserved;

	if (!columns) {
		for (size_t i = 0; i < t->n; i++)
			if (t->cols[i].text && t->cols[i].width > WIDEST)
				t->cols[i].width = WIDEST;
		return;
	}
	drop_columns(t);
	reserved = t->bar ? BAR_LEAST + GAP : 0;
	if (sum_widths(t, comfortable_width) + reserved > columns)
		reserved = 0;
	shrink(t, columns - reserved);
	used = sum_widths(t, NULL) + GAP;
	if (!t->bar || used + BAR_LEAST > columns)
		return;
	for (size_t row = 0; row < t->rows; row++)
		if (!render_absent(t->bar, row))
			t->bar_whole = fmax(t->bar_whole, t->bar->f[row]);
	if (t->bar_whole > 0)
		t->bar_width = columns - used < BAR_MOST ? columns - used : BAR_MOST;
}

/* ---- writing ---- */

static void pad(struct out *o, size_t taken, size_t width)
{
	if (taken < width)
		out_fill(o, ' ', width - taken);
}

static void table_put_titles(struct table *t)
{
	struct out *o = t->rd->o, title;

	out_c(o, cell_paint(t->look, PAINT_HEAD));
	for (size_t i = 0; i < t->n; i++) {
		const struct shown *s = &t->cols[i];
		size_t taken;

		out_mem(&title);
		taken = cell_title(&title, t->look, s, s->width);
		out_fill(o, ' ', i ? GAP : 0);
		if (!s->text)
			pad(o, taken, s->width);
		out_bytes(o, title.buf, title.n);
		if (s->text && i + 1 < t->n)
			pad(o, taken, s->width);
		out_close(&title);
	}
	out_c(o, cell_paint(t->look, PAINT_NONE));
	out_char(o, '\n');
}

static void put_table_cell(struct table *t, struct out *cell, size_t i, size_t row,
			   bool last)
{
	const struct shown *s = &t->cols[i];
	struct out *o = t->rd->o;
	enum paint paint = cell_colour(s, row);
	size_t taken = 0, before = 0, width = t->look->columns ? s->width : SIZE_MAX;

	if (s->tree) {
		before = branches_put(&t->branches, o, row, t->look->utf8);
		width = width > before + 4 ? width - before : 4;
	}
	cell->n = 0;
	taken = cell_put(cell, t->look, s, row, width) + before;
	if (!s->text)
		pad(o, taken, s->width);
	if (paint != PAINT_NONE)
		out_c(o, cell_paint(t->look, paint));
	out_bytes(o, cell->buf, cell->n);
	if (paint != PAINT_NONE)
		out_c(o, cell_paint(t->look, PAINT_NONE));
	if (s->text && !last)
		pad(o, taken, s->width);
}

static void put_bar(struct table *t, size_t row)
{
	struct out *o = t->rd->o;

	out_fill(o, ' ', GAP);
	out_c(o, cell_paint(t->look, PAINT_BAR));
	cell_bar(o, t->look, render_absent(t->bar, row) ? 0 : t->bar->f[row],
		 t->bar_whole, t->bar_width);
	out_c(o, cell_paint(t->look, PAINT_NONE));
}

/* Separate the rows of different paths. */
static bool new_path(const struct column *path, size_t row)
{
	return path && row && path->type != COL_STR && path->u[row] != path->u[row - 1];
}

static int put_table_rows(struct table *t)
{
	const struct column *path = result_col(t->rd->r, STR("path"));
	struct out cell;

	if (!result_col(t->rd->r, STR("step")))
		path = NULL;
	out_mem(&cell);
	for (size_t row = 0; row < t->rows && !render_cancelled(t->rd, row); row++) {
		if (new_path(path, row))
			out_char(t->rd->o, '\n');
		for (size_t i = 0; i < t->n; i++) {
			out_fill(t->rd->o, ' ', i ? GAP : 0);
			put_table_cell(t, &cell, i, row, i + 1 == t->n && !t->bar_width);
		}
		if (t->bar_width)
			put_bar(t, row);
		out_char(t->rd->o, '\n');
	}
	if (cell.failed)
		t->rd->o->failed = cell.failed;
	out_close(&cell);
	return (int)t->rd->err->kind;
}

static void put_painted(struct table *t, enum paint paint, struct str text)
{
	out_c(t->rd->o, cell_paint(t->look, paint));
	emit_name(t->rd->o, cell_form(t->look), text);
	out_c(t->rd->o, cell_paint(t->look, PAINT_NONE));
	out_char(t->rd->o, '\n');
}

static void put_table_filters(struct table *t)
{
	const struct result *r = t->rd->r;
	struct out line;

	if (!r->nfilters)
		return;
	out_mem(&line);
	for (size_t i = 0; i < r->nfilters; i++) {
		out_c(&line, i ? " | " : "in force: ");
		out_str(&line, r->filters[i]);
	}
	put_painted(t, PAINT_NOTE, (struct str){line.buf, line.n});
	out_close(&line);
}

/* Report all that was left out: rows cut here or by the query, limits, columns. */
static void put_footer(struct table *t)
{
	const struct result *r = t->rd->r;
	uint64_t all = r->rows_before > r->rows ? r->rows_before : r->rows;
	char shown[NUMBER_MAX], of[NUMBER_MAX];
	struct out line;

	if (r->footer.n)
		put_painted(t, PAINT_DIM, r->footer);
	number_grouped(shown, t->rows);
	number_grouped(of, t->rows < r->rows ? r->rows : all);
	out_mem(&line);
	if (t->rows < r->rows)
		out_printf(&line,
			   "showing %s of %s rows: the screen is full"
			   " (.pager on, or > FILE)",
			   shown, of);
	else if (!r->footer.n && all > r->rows)
		out_printf(&line, "showing %s of %s", shown, of);
	else if (r->rows == 0 && !r->footer.n)
		out_c(&line, "no rows");
	if (line.n)
		put_painted(t, PAINT_DIM, (struct str){line.buf, line.n});
	if (r->truncated)
		put_painted(t, PAINT_NOTE, STR("incomplete: a limit cut these rows"));
	if (t->hidden.n) {
		line.n = 0;
		out_c(&line, "not on this screen:");
		out_bytes(&line, t->hidden.buf, t->hidden.n);
		put_painted(t, PAINT_DIM, (struct str){line.buf, line.n});
	}
	out_close(&line);
}

static int prepare_table(struct table *t)
{
	const struct result *r = t->rd->r;
	size_t levels = t->look->columns ? t->look->columns / 6 : SIZE_MAX;

	t->cols = calloc(r->ncols + 1, sizeof(*t->cols));
	if (!t->cols || (t->tree && branches_init(&t->branches, r, t->rows, levels)))
		return err_set(t->rd->err, ERR_LIMIT, 0,
			       "out of memory for a table of %zu rows", t->rows);
	t->n = columns_choose(r, t->rows, t->tree, t->look->exact, t->cols);
	t->bar = columns_bar(r);
	if (measure(t))
		return (int)t->rd->err->kind;
	fit_columns(t);
	return 0;
}

int render_table(struct render *rd)
{
	const struct result *r = rd->r;
	struct table t = {.rd = rd, .look = rd->look, .rows = r->rows};

	if (r->card)
		return render_card(rd);
	if (rd->look->rows && rd->look->rows < t.rows)
		t.rows = rd->look->rows;
	t.tree = branches_has(r);
	out_mem(&t.hidden);
	if (prepare_table(&t) == 0) {
		put_table_filters(&t);
		if (r->rows)
			table_put_titles(&t);
		put_table_rows(&t);
		put_footer(&t);
	}
	out_close(&t.hidden);
	branches_free(&t.branches);
	free(t.cols);
	return (int)rd->err->kind;
}
