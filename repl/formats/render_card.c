/*
 * render_card.c - one subject as "key value" lines, with a blank line between subjects.
 *
 * Names are whole and numbers have all digits: a card shows what a table leaves out.
 */
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include "repl/render/cell.h"
#include "repl/term/number.h"

static size_t label_width(const struct result *r)
{
	size_t widest = 0;

	for (size_t i = 0; i < r->ncols; i++) {
		size_t w = emit_width(EMIT_TEXT, r->cols[i].name);

		if (r->cols[i].table && w > widest)
			widest = w;
	}
	return widest;
}

static void put_value(struct render *rd, const struct column *c, size_t row)
{
	struct shown s = {.c = c, .text = render_is_text(c), .grouped = true};
	struct look whole = *rd->look;
	char si[NUMBER_MAX];

	/* Control bytes are escaped, and on an ASCII screen other bytes, too; nothing
	 * is cut. */
	if (s.text && !render_absent(c, row)) {
		emit_name(rd->o, cell_form(rd->look), c->s[row]);
		return;
	}
	whole.columns = 0;
	if (c->type == COL_BOOL && !render_absent(c, row)) {
		out_c(rd->o, c->b[row] ? "yes" : "no");
		return;
	}
	cell_put(rd->o, &whole, &s, row, SIZE_MAX);
	if (render_absent(c, row))
		return;
	if (c->type == COL_COST && cell_unit(c, row).kind && c->i[row]) {
		number_cost_exact(si, cell_unit(c, row), c->i[row]);
		out_printf(rd->o, "  (%s)", si);
	} else if (c->type == COL_COST && cost_size(c->i[row]) > 999999) {
		number_si_signed(si, c->i[row]);
		out_printf(rd->o, "  (%s)", si);
	}
}

int render_card(struct render *rd)
{
	const struct result *r = rd->r;
	size_t width = label_width(r);

	for (size_t row = 0; row < r->rows; row++) {
		if (render_cancelled(rd, row))
			return rd->err->kind;
		if (row)
			out_char(rd->o, '\n');
		for (size_t i = 0; i < r->ncols; i++) {
			if (!r->cols[i].table)
				continue;
			out_c(rd->o, cell_paint(rd->look, PAINT_HEAD));
			emit_name(rd->o, cell_form(rd->look), r->cols[i].name);
			out_c(rd->o, cell_paint(rd->look, PAINT_NONE));
			out_fill(rd->o, ' ',
				 width + 2 - emit_width(EMIT_TEXT, r->cols[i].name));
			put_value(rd, &r->cols[i], row);
			out_char(rd->o, '\n');
		}
	}
	if (r->footer.n) {
		emit_name(rd->o, cell_form(rd->look), r->footer);
		out_char(rd->o, '\n');
	}
	return 0;
}
