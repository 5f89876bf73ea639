/* cell.c - write one cell; see cell.h. */
#include "repl/render/cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/lang/col_type.h"
#include "index/base/out.h"
#include "repl/render/render.h"
#include "repl/term/number.h"

enum { BUF = NUMBER_MAX + 8 };

const char *cell_paint(const struct look *look, enum paint p)
{
	static const char *const sgr[] = {
		[PAINT_NONE] = "\033[0m",  [PAINT_HEAD] = "\033[1m",
		[PAINT_DIM] = "\033[2m",   [PAINT_HOT] = "\033[1;31m",
		[PAINT_WARM] = "\033[33m", [PAINT_GOOD] = "\033[32m",
		[PAINT_BAR] = "\033[36m",  [PAINT_NOTE] = "\033[33m",
	};

	return look->colour ? sgr[p] : "";
}

enum emit_form cell_form(const struct look *look)
{
	return look->columns && !look->utf8 ? EMIT_ASCII : EMIT_TEXT;
}

struct unit cell_unit(const struct column *c, size_t row)
{
	return c->row_unit ? c->row_unit[row] : c->unit;
}

void cell_cost(char *buf, struct unit u, int64_t v, bool exact, bool grouped)
{
	if (u.kind && exact)
		number_cost_exact(buf, u, v);
	else if (u.kind || !grouped)
		number_cost(buf, u, v);
	else
		str_grouped_signed(v, buf);
}

static void put_cost_text(char *buf, const struct shown *s, size_t row, int64_t v)
{
	cell_cost(buf, cell_unit(s->c, row), v, s->exact, s->grouped);
}

static void delta(char *buf, const struct shown *s, size_t row)
{
	const int64_t v = s->c->i[row];

	buf[0] = '+';
	put_cost_text(buf + (v > 0), s, row, v);
}

static void percent(char *buf, const struct shown *s, double v)
{
	bool plus = s->sign && v >= 0.005 && isfinite(v); /* no sign for "new" */

	buf[0] = '+';
	number_percent(buf + plus, v);
}

static void put_number_text(char *buf, const struct shown *s, size_t row)
{
	const struct column *c = s->c;

	switch (c->type) {
	case COL_ID: snprintf(buf, BUF, "%" PRIu64, c->u[row]); break;
	case COL_LINE: snprintf(buf, BUF, c->u[row] ? "%" PRIu64 : "?", c->u[row]); break;
	case COL_ADDR: snprintf(buf, BUF, "0x%" PRIx64, c->u[row]); break;
	case COL_DELTA: delta(buf, s, row); break;
	case COL_PERCENT: percent(buf, s, c->f[row]); break;
	case COL_RATIO: number_per(buf, cell_unit(c, row), c->f[row]); break;
	case COL_BOOL: snprintf(buf, BUF, "%s", c->b[row] ? "yes" : ""); break;
	case COL_COST: put_cost_text(buf, s, row, c->i[row]); break;
	default:
		if (s->grouped)
			str_grouped(c->u[row], buf);
		else
			number_si(buf, c->u[row]);
	}
}

static size_t put_number(struct out *o, const struct shown *s, size_t row)
{
	char buf[BUF] = "~";
	bool guess = s->c->estimated && s->c->estimated[row];

	put_number_text(buf + guess, s, row);
	out_c(o, buf);
	return strlen(buf);
}

bool cell_is_place(const struct column *c)
{
	return c->type == COL_STR && str_eq(c->name, STR("file:line"));
}

struct str cell_text(const struct shown *s, size_t row, char *room, enum fit_kind *kind)
{
	static const enum fit_kind kinds[] = {
		[COL_NAME] = FIT_NAME,
		[COL_FILE] = FIT_PATH,
		[COL_OBJ] = FIT_PATH,
		[COL_STR] = FIT_TEXT,
	};
	struct str v = s->c->s[row];

	*kind = cell_is_place(s->c) ? FIT_PATH
		: s->c->calls	    ? FIT_CALLS
				    : kinds[s->c->type];
	room[0] = '\0';
	if (s->line && !render_absent(s->line, row) && s->line->u[row])
		snprintf(room, CELL_LINE_MAX, ":%" PRIu64, s->line->u[row]);
	return s->base_name ? str_basename(v) : v;
}

static size_t put_cell_text(struct out *o, const struct look *look, const struct shown *s,
			    size_t row, size_t width)
{
	char line[CELL_LINE_MAX];
	enum fit_kind kind;
	struct str v = cell_text(s, row, line, &kind);
	size_t n = strlen(line);

	if (n >= width)
		return fit_put(o, cell_form(look), kind, v, width);
	if (s->cut && s->cut[row].p) {
		out_str(o, s->cut[row]);
		n += emit_width(cell_form(look), s->cut[row]);
	} else {
		n += fit_put(o, cell_form(look), kind, v, width - n);
	}
	out_c(o, line);
	return n;
}

size_t cell_put(struct out *o, const struct look *look, const struct shown *s, size_t row,
		size_t width)
{
	if (render_absent(s->c, row)) {
		out_char(o, '-');
		return 1;
	}
	if (s->text)
		return put_cell_text(o, look, s, row, width);
	return put_number(o, s, row);
}

/* Red is what is worse, and nothing else. */
static enum paint change_colour(double by)
{
	return by > 0 ? PAINT_HOT : by < 0 ? PAINT_GOOD : PAINT_DIM;
}

enum paint cell_colour(const struct shown *s, size_t row)
{
	const struct column *c = s->c;

	if (render_absent(c, row))
		return PAINT_DIM;
	switch (c->type) {
	case COL_PERCENT:
		if (str_place("delta% growth%", c->name) >= 0)
			return change_colour(c->f[row]);
		return c->bar && c->f[row] >= 5 ? PAINT_WARM : PAINT_NONE;
	case COL_DELTA: return change_colour((double)c->i[row]);
	case COL_ID:
	case COL_FILE:
	case COL_OBJ:
	case COL_LINE: return PAINT_DIM;
	default: return cell_is_place(c) ? PAINT_DIM : PAINT_NONE;
	}
}

size_t cell_title(struct out *o, const struct look *look, const struct shown *s,
		  size_t width)
{
	struct str title = s->c->name;
	char of[160];

	if (s->event.n) {
		snprintf(of, sizeof(of), "%.*s.%.*s", STR_ARG(title), STR_ARG(s->event));
		title = str_c(of);
	}
	if (s->c->type == COL_ID && str_eq(title, STR("id")))
		title = STR("#");
	if (s->line && str_eq(title, STR("file")))
		title = STR("file:line");
	return fit_put(o, cell_form(look), FIT_TEXT, title, width);
}

void cell_lines(struct out *o, const struct look *look, enum paint paint, struct str text,
		size_t columns)
{
	for (size_t n; text.n; text = str_trim(str_from(text, n))) {
		n = emit_line(cell_form(look), text, columns ? columns : SIZE_MAX);
		out_c(o, paint == PAINT_NONE ? "" : cell_paint(look, paint));
		emit_name(o, cell_form(look), (struct str){text.p, n});
		out_c(o, paint == PAINT_NONE ? "" : cell_paint(look, PAINT_NONE));
		out_char(o, '\n');
	}
}

void cell_bar(struct out *o, const struct look *look, double part, double whole,
	      size_t width)
{
	size_t eighths = 0;

	if (whole > 0 && part > 0 && isfinite(part))
		eighths = (size_t)(fmin(part / whole, 1) * (double)width * 8 + 0.5);
	if (!look->utf8) {
		out_fill(o, '#', (eighths + 4) / 8);
		return;
	}
	for (size_t i = 0; i < eighths / 8; i++)
		out_c(o, "\xe2\x96\x88");
	if (eighths % 8) {
		char partial[] = {'\xe2', '\x96', (char)(0x90 - eighths % 8), '\0'};

		out_c(o, partial);
	}
}
