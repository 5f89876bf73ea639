/*
 * render_table.c - the table and the tree, for people.
 *
 *	   #    self   self%  calls  fn                  file:line
 *	 812  1.03 M  19.52%  1,234  _int_malloc         malloc.c:3451  ██████▎
 *	  17   402 k   7.60%     12  ├─ sysmalloc        malloc.c:2550  ██▍
 *	2 of 1,586 functions = 27.1 % of 5.27 M Ir
 *
 * There are two passes over the cells: the first measures, the second writes.  On a
 * screen, names get what the other columns leave, but NAMES_TENTHS of the screen if they
 * need it.  Until the table is narrow enough for that, columns are hidden, and the footer
 * names them: first those that say nothing, then by priority (priority.h).  Names that
 * do not fit are cut so that different ones stay different (apart.h).  Sentences are not
 * cut: they go on below, on lines of their own.
 *
 * Without a screen no column is hidden, and names are cut at WIDEST columns, calls at
 * WIDEST_CALLS.  A path or a text is not; if it is wider it shifts the rest of its row instead
 * of padding all other rows.  A program gets no blanks that only align, and no column that says
 * nothing.  With `look->wide` nothing is cut anywhere.
 */
#include "index/base/arena.h"
#include "index/base/err.h"
#include "repl/render/render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repl/formats/apart.h"
#include "repl/formats/branches.h"
#include "repl/render/cell.h"
#include "repl/render/headline.h"
#include "repl/render/columns.h"
#include "repl/formats/priority.h"
#include "repl/formats/render_info.h"
#include "repl/term/number.h"

enum {
	WIDEST = 60, /* most columns to pad to, and of a name, without a screen */
	WIDEST_CALLS = 2 * WIDEST, /* of a column of calls: f -> g; g -> h */
	NARROWEST = 8, /* least columns of shortened text; twice this for functions */
	ENOUGH = 14,   /* text that is no name needs no more */
	BAR_LEAST = 6,
	BAR_MOST = 24,
	GAP = 2,
	LESS_THAN_NAME = 6, /* columns by which other text is shortened before names */
	NAMES_TENTHS = 4,   /* of the screen, for the names of a row */
	BRANCH = 3,	    /* columns of a level of a tree */
	NAME_ON_BRANCH = 14,
};

struct table {
	struct render *rd;
	const struct look *look;
	struct shown *cols;
	size_t n, rows;
	size_t columns;		  /* of the screen; 0: none, or all is shown on it */
	const struct column *bar; /* or NULL */
	double bar_whole;
	size_t bar_width;
	bool tree;
	struct branches branches;
	struct arena arena; /* of the cut names */
	struct out hidden;  /* names of the hidden columns */
};

/* ---- widths ---- */

/* Columns for the text of a cell, behind its branches. */
static size_t cell_width(const struct table *t, const struct shown *s, size_t before)
{
	if (!t->columns)
		return t->look->wide		? SIZE_MAX
		       : s->c->type == COL_NAME ? WIDEST
		       : s->c->calls		? WIDEST_CALLS
						: SIZE_MAX;
	return s->width > before + 4 ? s->width - before : 4;
}

/* The width of the widest cell: as it is, or as it is cut to fit. */
static size_t widest_cell(struct table *t, const struct shown *s, bool fitted)
{
	size_t widest, width;
	struct out scrap;

	out_mem(&scrap);
	widest = cell_title(&scrap, t->look, s, fitted ? s->width : SIZE_MAX);
	for (size_t row = 0; row < t->rows && !render_cancelled(t->rd, row); row++) {
		const size_t before =
			s->tree ? branches_put(&t->branches, NULL, row, t->look->utf8)
				: 0;

		scrap.n = 0;
		width = before + cell_put(&scrap, t->look, s, row,
					  fitted ? cell_width(t, s, before) : SIZE_MAX);
		widest = width > widest ? width : widest;
	}
	out_close(&scrap);
	return widest;
}

static int measure(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->cols[i].width = t->cols[i].natural =
			widest_cell(t, &t->cols[i], false);
	return t->rd->err->kind;
}

/* A name is cut where it says something, which may be far before its column ends. */
static void close_gaps(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct shown *s = &t->cols[i];
		size_t width = s->text && s->width < s->natural ? widest_cell(t, s, true)
								: s->width;

		s->width = width < s->width ? width : s->width;
	}
}

static size_t sum_widths(const struct table *t)
{
	size_t sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->cols[i].width + (i ? GAP : 0);
	return sum;
}

static bool is_name(const struct shown *s)
{
	return s->text && (s->c->type == COL_NAME || s->priority == 0);
}

/* The columns that a name needs before others may have any.  A sentence gets half of the
 * screen; several names share more, and so does a name with branches before it. */
static size_t width_of_names(const struct table *t)
{
	size_t names = 0, tenths = NAMES_TENTHS;

	for (size_t i = 0; i < t->n; i++) {
		names += is_name(&t->cols[i]);
		tenths = t->cols[i].c->sentence ? NAMES_TENTHS + 1 : tenths;
	}
	tenths = t->tree || names > 1 ? NAMES_TENTHS + 2 : tenths;
	return names ? t->columns * tenths / 10 / names : 0;
}

/* A short sentence, as a query to be typed, is not wrapped. */
static size_t least_width(const struct table *t, const struct shown *s)
{
	size_t least = NARROWEST;

	if (!s->text || (s->c->sentence && s->natural <= t->columns * NAMES_TENTHS / 10))
		return s->natural;
	if (s->c->sentence)
		least = width_of_names(t);
	else if (s->c->type == COL_NAME)
		least = 2 * NARROWEST;
	return least < s->natural ? least : s->natural;
}

static bool fits(const struct table *t)
{
	size_t sum = 0, name = width_of_names(t);

	for (size_t i = 0; i < t->n; i++) {
		const struct shown *s = &t->cols[i];
		size_t enough = !s->text ? s->natural : is_name(s) ? name : ENOUGH;
		size_t least = least_width(t, s);

		enough = enough > least ? enough : least;
		sum += (enough < s->natural ? enough : s->natural) + (i ? GAP : 0);
	}
	return sum <= t->columns;
}

static void hide_column(struct table *t, size_t i, struct str why)
{
	out_c(&t->hidden, t->hidden.n ? ", " : "");
	cell_title(&t->hidden, t->look, &t->cols[i], SIZE_MAX);
	if (why.n) {
		out_c(&t->hidden, " (");
		out_str(&t->hidden, why);
		out_char(&t->hidden, ')');
	}
	t->n--;
	memmove(&t->cols[i], &t->cols[i + 1], (t->n - i) * sizeof(t->cols[0]));
}

/* The column of lowest priority among those that say nothing, or n; *why: the reason. */
static size_t emptiest_column(const struct table *t, struct out *why)
{
	size_t worst = t->n;

	for (size_t i = 0; i < t->n; i++) {
		const unsigned p = t->cols[i].priority;

		if (p <= PRIORITY_KEPT || (worst < t->n && p < t->cols[worst].priority))
			continue;
		if (priority_says_nothing(t->look, t->cols, t->n, i, t->rows, why))
			worst = i;
	}
	why->n = 0;
	if (worst < t->n)
		priority_says_nothing(t->look, t->cols, t->n, worst, t->rows, why);
	return worst;
}

static size_t last_in_priority(const struct table *t)
{
	size_t worst = 0;

	for (size_t i = 1; i < t->n; i++)
		if (t->cols[i].priority >= t->cols[worst].priority)
			worst = i;
	return worst;
}

/* For a program: of several rows, no column that says nothing. */
static void drop_empty(struct table *t)
{
	struct out why;

	out_mem(&why);
	for (size_t i; t->rows > 2 && t->n > 1 && (i = emptiest_column(t, &why)) < t->n;)
		hide_column(t, i, out_text(&why));
	out_close(&why);
}

/* Columns of one place, as `from` and `to`, go together. */
static void drop_columns(struct table *t)
{
	struct out why;
	size_t i;

	out_mem(&why);
	while (t->n > 1 && !fits(t)) {
		unsigned place;

		i = emptiest_column(t, &why);
		if (i == t->n)
			i = last_in_priority(t);
		place = t->cols[i].priority;
		hide_column(t, i, out_text(&why));
		for (i = t->n; place > PRIORITY_KEPT && i-- > 1;)
			if (!why.n && t->cols[i].priority == place)
				hide_column(t, i, STR(""));
	}
	out_close(&why);
}

/* Take columns from the widest text until the table fits. */
static void shrink(struct table *t, size_t columns)
{
	size_t sum;

	for (size_t i = 0; i < t->n; i++)
		if (t->cols[i].text && t->cols[i].width > columns)
			t->cols[i].width = columns;
	sum = sum_widths(t);
	while (sum > columns) {
		struct shown *widest = NULL;
		size_t most = 0;

		for (size_t i = 0; i < t->n; i++) {
			struct shown *s = &t->cols[i];

			size_t weight = (s->c->sentence ? s->natural : s->width) +
					(s->c->type == COL_NAME ? 0 : LESS_THAN_NAME);

			if (s->width > least_width(t, s) && weight > most) {
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

/* Deep rows of a tree show their depth as a number where their name would have no room. */
static void fit_branches(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t width = t->cols[i].width, room;

		if (!t->cols[i].tree || width == t->cols[i].natural)
			continue;
		room = width > NAME_ON_BRANCH + BRANCH ? (width - NAME_ON_BRANCH) / BRANCH
						       : 1;
		if (room < t->branches.levels)
			t->branches.levels = room;
	}
}

static void fit_bar(struct table *t)
{
	size_t used = sum_widths(t) + GAP;

	if (!t->bar || used + BAR_LEAST > t->columns)
		return;
	for (size_t row = 0; row < t->rows && !render_cancelled(t->rd, row); row++)
		t->bar_whole = fmax(t->bar_whole, columns_bar_at(t->bar, row));
	if (t->bar_whole > 0)
		t->bar_width =
			t->columns - used < BAR_MOST ? t->columns - used : BAR_MOST;
}

static void fit_columns(struct table *t)
{
	if (!t->columns) {
		for (size_t i = 0; i < t->n; i++) {
			const size_t most = t->cols[i].c->calls ? WIDEST_CALLS : WIDEST;

			if (t->cols[i].text && t->cols[i].width > most)
				t->cols[i].width = most;
		}
		if (t->look->close)
			drop_empty(t);
		return;
	}
	drop_columns(t);
	shrink(t, t->columns);
	fit_branches(t);
}

/* Cut the names of a column that would be the same. */
static int tell_apart(struct table *t, struct shown *s)
{
	struct apart *names;
	struct str *cut;
	enum fit_kind kind = FIT_NAME;
	char line[CELL_LINE_MAX];
	int failed;

	names = calloc(t->rows + 1, sizeof(*names));
	cut = ARENA_ARRAY(&t->arena, struct str, t->rows + 1);
	if (!names || !cut) {
		free(names);
		return -1;
	}
	for (size_t row = 0; row < t->rows && !render_cancelled(t->rd, row); row++) {
		size_t before = s->tree ? branches_put(&t->branches, NULL, row, true) : 0;
		size_t width = cell_width(t, s, before);

		if (render_absent(s->c, row))
			continue;
		names[row].whole = cell_text(s, row, line, &kind);
		names[row].width = width > strlen(line) ? width - strlen(line) : width;
	}
	failed = apart_cut(names, t->rows, cell_form(t->look), kind, &t->arena);
	for (size_t row = 0; row < t->rows; row++)
		cut[row] = names[row].cut;
	free(names);
	s->cut = cut;
	return failed;
}

static int tell_names_apart(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct shown *s = &t->cols[i];
		bool text = s->c->type == COL_STR && !is_name(s) && !cell_is_place(s->c);

		if (s->text && !text && cell_width(t, s, 0) < s->natural &&
		    tell_apart(t, s))
			return err_no_memory(t->rd->err, "for a table");
	}
	return 0;
}

/* On a screen, files need no directories unless two have the same name. */
static bool need_directories(const struct table *t, const struct shown *s)
{
	const struct column *c = s->c;

	for (size_t row = 1; row < t->rows && !render_cancelled(t->rd, row); row++)
		if (!render_absent(c, row) && !render_absent(c, row - 1) &&
		    str_eq(str_basename(c->s[row]), str_basename(c->s[row - 1])) &&
		    !str_eq(c->s[row], c->s[row - 1]))
			return true;
	return false;
}

/* ---- writing ---- */

static void pad(const struct table *t, size_t taken, size_t width)
{
	if (taken < width && !t->look->close)
		out_fill(t->rd->o, ' ', width - taken);
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
			pad(t, taken, s->width);
		out_bytes(o, title.buf, title.n);
		if (s->text && (i + 1 < t->n || t->bar_width))
			pad(t, taken, s->width);
		out_close(&title);
	}
	if (t->bar_width) {
		out_fill(o, ' ', GAP);
		fit_put(o, cell_form(t->look), FIT_TEXT, t->bar->name, t->bar_width);
	}
	out_c(o, cell_paint(t->look, PAINT_NONE));
	out_char(o, '\n');
}

/* A line of a sentence, and what is left of it. */
static size_t put_sentence(struct table *t, struct shown *s)
{
	const size_t n =
		emit_line(cell_form(t->look), s->rest, t->columns ? s->width : SIZE_MAX);
	const struct str line = {s->rest.p, n};

	s->rest = str_trim(str_from(s->rest, n));
	emit_name(t->rd->o, cell_form(t->look), line);
	return emit_width(cell_form(t->look), line);
}

static bool any_rest(const struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->cols[i].rest.n)
			return true;
	return false;
}

/* The lines of a row below its first. */
static void put_rest(struct table *t)
{
	while (any_rest(t)) {
		size_t gap = 0;

		for (size_t i = 0; i < t->n; i++) {
			struct shown *s = &t->cols[i];

			gap += i ? GAP : 0;
			if (s->rest.n) {
				out_fill(t->rd->o, ' ', gap);
				gap = s->width - put_sentence(t, s);
			} else {
				gap += s->width;
			}
		}
		out_char(t->rd->o, '\n');
	}
}

static void put_table_cell(struct table *t, struct out *cell, size_t i, size_t row,
			   bool last)
{
	struct shown *s = &t->cols[i];
	struct out *o = t->rd->o;
	enum paint paint = cell_colour(s, row);
	size_t taken = 0, before = 0;

	if (s->tree)
		before = branches_put(&t->branches, o, row, t->look->utf8);
	cell->n = 0;
	if (s->c->sentence && !render_absent(s->c, row)) {
		s->rest = s->c->s[row];
		taken = put_sentence(t, s);
	} else {
		taken = cell_put(cell, t->look, s, row, cell_width(t, s, before)) +
			before;
	}
	if (!s->text)
		pad(t, taken, s->width);
	if (paint != PAINT_NONE)
		out_c(o, cell_paint(t->look, paint));
	out_bytes(o, cell->buf, cell->n);
	if (paint != PAINT_NONE)
		out_c(o, cell_paint(t->look, PAINT_NONE));
	if (s->text && !last)
		pad(t, taken, s->width);
}

static void put_bar(struct table *t, size_t row)
{
	struct out *o = t->rd->o;

	out_fill(o, ' ', GAP);
	out_c(o, cell_paint(t->look, PAINT_BAR));
	cell_bar(o, t->look, columns_bar_at(t->bar, row), t->bar_whole, t->bar_width);
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
		put_rest(t);
	}
	out_close_into(t->rd->o, &cell);
	return t->rd->err->kind;
}

static void put_painted(struct table *t, enum paint paint, struct str text)
{
	cell_lines(t->rd->o, t->look, paint, text, t->columns);
}

static void put_table_filters(struct table *t)
{
	const struct result *r = t->rd->r;
	struct out line;

	if (!r->nfilters)
		return;
	out_mem(&line);
	for (size_t i = 0; i < r->nfilters; i++) {
		out_c(&line, i ? " | " : "filters: ");
		out_str(&line, r->filters[i]);
	}
	put_painted(t, PAINT_NOTE, out_text(&line));
	out_close(&line);
}

static void table_put_headline(struct table *t)
{
	struct out line;

	out_mem(&line);
	for (size_t i = 0; i < HEADLINE_LINES; i++, line.n = 0)
		if (headline_put(&line, EMIT_TEXT, t->rd->r, i) &&
		    str_find_str(t->look->said, out_text(&line)) == t->look->said.n)
			put_painted(t, i ? PAINT_DIM : PAINT_HEAD, out_text(&line));
	out_close(&line);
}

/* Report all that was left out: rows cut here or by the query, limits, columns. */
static void put_footer(struct table *t)
{
	const struct result *r = t->rd->r;
	uint64_t all = r->rows_before > r->rows ? r->rows_before : r->rows;
	char left[200];
	struct out line;

	if (r->footer.n)
		put_painted(t, PAINT_DIM, r->footer);
	out_mem(&line);
	if (t->rd->left.rows) {
		render_left_out(t->rd, left, sizeof(left));
		put_painted(t, PAINT_NOTE, str_c(left));
	} else if (t->rows < r->rows)
		out_printf(&line,
			   "showing %s of %s rows: the screen is full"
			   " (.pager on, or > FILE)",
			   GROUPED(t->rows), GROUPED(r->rows));
	else if (!r->footer.n && all > r->rows)
		out_printf(&line, "showing %s of %s", GROUPED(t->rows), GROUPED(all));
	else if (r->rows == 0 && !r->footer.n)
		out_c(&line, "no rows");
	if (line.n)
		put_painted(t, PAINT_DIM, out_text(&line));
	if (r->truncated)
		put_painted(t, PAINT_NOTE, STR("incomplete: a limit cut these rows"));
	if (t->hidden.n) {
		line.n = 0;
		out_c(&line, t->look->close ? "not shown: " : "not on this screen: ");
		out_bytes(&line, t->hidden.buf, t->hidden.n);
		out_c(&line, t->look->close ? "" : "; all: --wide, .mode wide");
		put_painted(t, PAINT_DIM, out_text(&line));
	}
	out_close(&line);
}

static int prepare_table(struct table *t)
{
	const struct result *r = t->rd->r;
	size_t levels = t->columns ? t->columns / 6 : SIZE_MAX;

	t->cols = calloc(r->ncols + 1, sizeof(*t->cols));
	if (!t->cols || (t->tree && branches_init(&t->branches, r, t->rows, levels)))
		return err_set(t->rd->err, ERR_LIMIT, 0,
			       "out of memory for a table of %zu rows", t->rows);
	t->n = columns_choose(r, t->rows, t->tree, t->look->exact, t->cols);
	t->bar = columns_bar(r);
	for (size_t i = 0; i < t->n; i++) {
		struct shown *s = &t->cols[i];

		s->priority = priority_of(r, s);
		s->base_name = t->columns && (s->line || s->c->type == COL_OBJ) &&
			       !need_directories(t, s);
	}
	if (measure(t))
		return t->rd->err->kind;
	fit_columns(t);
	if (tell_names_apart(t))
		return t->rd->err->kind;
	if (t->columns) {
		close_gaps(t);
		fit_bar(t);
	}
	return t->rd->err->kind;
}

/* Of a set: whose tree it is. */
static void put_member(struct table *t)
{
	emit_name(t->rd->o, EMIT_TEXT, t->rd->r->member);
	out_c(t->rd->o, ":\n");
}

int render_table(struct render *rd)
{
	const struct result *r = rd->r;
	struct table t = {.rd = rd, .look = rd->look, .rows = r->rows};

	if (render_info_fits(r))
		return render_info(rd);
	if (r->card)
		return render_card(rd);
	if (rd->look->rows && rd->look->rows < t.rows)
		t.rows = rd->look->rows;
	t.columns = rd->look->wide ? 0 : rd->look->columns;
	t.tree = branches_has(r);
	arena_init(&t.arena, 0);
	out_mem(&t.hidden);
	if (prepare_table(&t) == 0) {
		if (r->member.n)
			put_member(&t);
		table_put_headline(&t);
		put_table_filters(&t);
		if (r->rows)
			table_put_titles(&t);
		put_table_rows(&t);
		put_footer(&t);
	}
	out_close(&t.hidden);
	arena_free(&t.arena);
	branches_free(&t.branches);
	free(t.cols);
	return rd->err->kind;
}
