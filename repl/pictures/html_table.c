/* html_table.c - an answer as a table of a page: what people see of it, sorted by a click. */
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/pictures/report.h"
#include "repl/render/columns.h"
#include "repl/render/said.h"

#include <math.h>
#include <stdint.h>

/* Any answer as a table: what people see of it. */
struct html_table {
	struct render *rd;
	struct said said;
	bool tree;
	const struct column *bar;
	double most; /* of its cells */
};

static void find_bar(struct html_table *t)
{
	const struct result *r = t->rd->r;

	t->bar = columns_bar(r);
	for (size_t row = 0; t->bar && row < r->rows && !render_cancelled(t->rd, row);
	     row++)
		t->most = fmax(t->most, columns_bar_at(t->bar, row));
}

/* Its own number, to sort by. */
static void put_sort_key(struct html_table *t, const struct column *c, size_t row)
{
	struct out *o = t->rd->o;

	out_c(o, " data-v=\"");
	if (c->type == COL_BOOL)
		out_c(o, c->b[row] ? "1" : "0");
	else
		render_plain(o, c, row, "-1");
	out_char(o, '"');
	if (c == t->bar && t->most > 0 && !render_absent(c, row))
		out_printf(o, " style=\"--w:%.1f%%\"",
			   100 * columns_bar_at(c, row) / t->most);
}

/* A short name has the whole one as its title. */
static void put_html_cell(struct html_table *t, const struct shown *s, size_t row)
{
	static const struct look look = {.utf8 = true};
	const struct column *c = s->c;
	const bool name = c->type == COL_NAME && !render_absent(c, row);
	const struct result *r = t->rd->r;
	const struct str brief = name ? brief_of(&t->said.brief, c, row) : STR("");
	struct out *o = t->rd->o, text;

	out_mem(&text);
	if (!name)
		cell_put(&text, &look, s, row, SIZE_MAX);
	out_printf(o, "<td class=\"%s%s%s\"", s->text ? name ? "t fn" : "t" : "n",
		   c->estimated && c->estimated[row] ? " e" : "",
		   c == t->bar ? " w" : "");
	if (!s->text)
		put_sort_key(t, c, row);
	if (s->tree)
		out_printf(o, " style=\"padding-left:%zuem\"",
			   (size_t)(r->cols[r->depth_col].u[row] % 1000) + 1);
	if (name && !str_eq(brief, c->s[row]))
		emit_xml(o, " title=\"", c->s[row], "\"");
	/* Numbers are padded for a screen. */
	emit_xml(o, ">",
		 name	   ? brief
		 : s->text ? (struct str){text.buf, text.n}
			   : str_trim((struct str){text.buf, text.n}),
		 "</td>");
	out_close(&text);
}

static void html_put_titles(struct html_table *t)
{
	static const struct look look = {.utf8 = true};
	struct out title;

	out_mem(&title);
	out_c(t->rd->o, "<section class=\"card plain\">\n<table>\n<thead><tr>");
	for (size_t i = 0; i < t->said.n; i++) {
		const struct shown *s = &t->said.cols[i];

		title.n = 0;
		cell_title(&title, &look, s, SIZE_MAX);
		emit_xml(t->rd->o, s->text ? "<th><button>" : "<th class=\"n\"><button>",
			 (struct str){title.buf, title.n}, "</button></th>");
	}
	out_c(t->rd->o, "</tr></thead>\n<tbody>\n");
	out_close(&title);
}

int html_put_table(struct render *rd, size_t rows)
{
	const struct result *r = rd->r;
	struct html_table t = {.rd = rd,
			       .tree = r->depth_col >= 0 &&
				       r->cols[r->depth_col].type != COL_STR};

	if (said_init(&t.said, rd, t.tree) == 0) {
		find_bar(&t);
		html_put_titles(&t);
	}
	for (size_t row = 0; row < rows && !render_cancelled(rd, row); row++) {
		out_c(rd->o, "<tr>");
		for (size_t i = 0; i < t.said.n; i++)
			put_html_cell(&t, &t.said.cols[i], row);
		out_c(rd->o, "</tr>\n");
	}
	out_c(rd->o, "</tbody>\n</table>\n</section>\n");
	if (r->footer.n)
		emit_xml(rd->o, "<footer>", r->footer, "</footer>\n");
	said_free(&t.said);
	return rd->err->kind;
}
