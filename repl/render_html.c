/*
 * render_html.c - a report in one file: what was asked, a flame graph where the answer has
 * stacks, and the table, sorted by a click on a title.
 *
 * Nothing is loaded from anywhere and the script is a constant; names are text.
 */
#include "repl/render.h"

#include <stdint.h>
#include <stdlib.h>

#include "repl/cell.h"
#include "repl/number.h"

static const char style[] =
	"<style>\n"
	"body{font:15px/1.45 system-ui,sans-serif;margin:2em;color:#1b1b1b;background:#fbfaf7}\n"
	"h1{font-size:1.25em;margin:0;font-family:ui-monospace,Menlo,Consolas,monospace}\n"
	".about{color:#666;margin:.3em 0 1.2em}\n"
	"table{border-collapse:collapse;font:13px ui-monospace,Menlo,Consolas,monospace}\n"
	"th{position:sticky;top:0;background:#efece4;cursor:pointer;user-select:none}\n"
	"th,td{padding:2px 10px;text-align:left;vertical-align:top;border-bottom:1px solid #e6e2d8}\n"
	".n{text-align:right;white-space:nowrap}td.t{word-break:break-word;max-width:52em}\n"
	"tr:hover td{background:#fff4dd}td.b{min-width:110px}\n"
	"td.b i{display:block;height:11px;margin-top:4px;background:#e08a3c;border-radius:2px}\n"
	".e{color:#8a6d3b}svg{max-width:100%;height:auto;margin-bottom:1.5em}\n"
	"</style>\n";

static const char script[] =
	"<script>\n"
	"'use strict';\n"
	"for(const h of document.querySelectorAll('th'))h.addEventListener('click',()=>{\n"
	" const i=h.cellIndex,b=h.closest('table').tBodies[0],down=h.dataset.s!=='d';\n"
	" for(const o of h.parentNode.cells)delete o.dataset.s;\n"
	" h.dataset.s=down?'d':'u';\n"
	" const v=r=>{const c=r.cells[i];return 'v' in c.dataset?+c.dataset.v:c.textContent;};\n"
	" const rows=[...b.rows].sort((p,q)=>{const a=v(p),c=v(q);\n"
	"  return a<c?-1:a>c?1:0;});\n"
	" if(down)rows.reverse();b.append(...rows);});\n"
	"</script>\n";

static void put_head(struct render *rd)
{
	const struct result *r = rd->r;
	char total[NUMBER_MAX];

	out_c(rd->o,
	      "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
	emit_name(rd->o, EMIT_XML, r->query);
	out_c(rd->o, "</title>\n");
	out_c(rd->o, style);
	out_c(rd->o, "<h1>");
	emit_name(rd->o, EMIT_XML, r->query);
	out_c(rd->o, "</h1>\n<p class=\"about\">");
	emit_name(rd->o, EMIT_XML, r->profile);
	if (r->total) {
		number_grouped(total, r->total);
		out_printf(rd->o, " &middot; %s ", total);
		emit_name(rd->o, EMIT_XML, r->event);
	}
	for (size_t i = 0; i < r->nfilters; i++) {
		out_c(rd->o, " &middot; ");
		emit_name(rd->o, EMIT_XML, r->filters[i]);
	}
	if (r->truncated)
		out_c(rd->o, " &middot; not all: there is more than these rows");
	out_c(rd->o, "</p>\n");
}

/* Trees and paths have stacks worth drawing; other tables would be one row of frames. */
static void put_flame(struct render *rd)
{
	struct err err = {0};
	struct out svg;
	struct render draw = *rd;
	struct str text;

	if (rd->r->depth_col < 0 && !result_col(rd->r, STR("step")))
		return;
	out_mem(&svg);
	draw.o = &svg;
	draw.err = &err;
	if (render_svg(&draw) == 0) {
		text = (struct str){svg.buf, svg.n};
		out_str(rd->o, str_from(text, str_find_str(text, STR("<svg"))));
	}
	out_close(&svg);
}

static bool small(const struct result *r, const struct column *c)
{
	if (c->type != COL_COST && c->type != COL_COUNT)
		return true;
	for (size_t row = 0; row < r->rows; row++)
		if (!render_absent(c, row) && c->u[row] > 999999)
			return false;
	return true;
}

static void put_text_cell(struct render *rd, const struct column *c, size_t row)
{
	const struct result *r = rd->r;

	out_c(rd->o, "<td class=\"t\"");
	if (c->type == COL_NAME && r->depth_col >= 0 &&
	    r->cols[r->depth_col].type != COL_STR)
		out_printf(rd->o, " style=\"padding-left:%zuem\"",
			   (size_t)(r->cols[r->depth_col].u[row] % 1000) + 1);
	out_char(rd->o, '>');
	if (!render_absent(c, row))
		emit_name(rd->o, EMIT_XML, c->s[row]);
	out_c(rd->o, "</td>");
}

static void put_cell(struct render *rd, const struct column *c, bool grouped, size_t row)
{
	struct shown s = {.c = c, .grouped = grouped};
	struct look look = {.utf8 = true};
	struct out text;

	if (render_is_text(c)) {
		put_text_cell(rd, c, row);
		return;
	}
	out_printf(rd->o, "<td class=\"n%s\" data-v=\"",
		   c->estimated && c->estimated[row] ? " e" : "");
	if (c->type == COL_BOOL)
		out_c(rd->o, c->b[row] ? "1" : "0");
	else
		render_plain(rd->o, c, row, "-1");
	out_c(rd->o, "\">");
	out_mem(&text);
	cell_put(&text, &look, &s, row, SIZE_MAX);
	emit_name(rd->o, EMIT_XML, (struct str){text.n ? text.buf : "", text.n});
	out_close(&text);
	out_c(rd->o, "</td>");
}

static void put_bar(struct render *rd, const struct column *bar, double most, size_t row)
{
	double part = render_absent(bar, row) || !(most > 0) ? 0 : bar->f[row] / most;

	out_printf(rd->o, "<td class=\"b\"><i style=\"width:%.1f%%\"></i></td>",
		   part > 0 ? part * 100 : 0);
}

static const struct column *find_bar(const struct result *r, double *most)
{
	*most = 0;
	for (size_t i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		if (!c->bar || c->type != COL_PERCENT)
			continue;
		for (size_t row = 0; row < r->rows; row++)
			if (!render_absent(c, row) && c->f[row] > *most)
				*most = c->f[row];
		return c;
	}
	return NULL;
}

static void put_titles(struct render *rd, bool bar)
{
	out_c(rd->o, "<table>\n<thead><tr>");
	for (size_t i = 0; i < rd->r->ncols; i++) {
		const struct column *c = &rd->r->cols[i];

		if (!c->table)
			continue;
		out_c(rd->o, render_is_text(c) ? "<th>" : "<th class=\"n\">");
		emit_name(rd->o, EMIT_XML, c->name);
		out_c(rd->o, "</th>");
	}
	out_c(rd->o,
	      bar ? "<th></th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
}

int render_html(struct render *rd)
{
	const struct result *r = rd->r;
	double most;
	const struct column *bar = find_bar(r, &most);
	bool *grouped = calloc(r->ncols + 1, sizeof(*grouped));

	if (!grouped)
		return err_set(rd->err, ERR_LIMIT, 0, "out of memory");
	for (size_t i = 0; i < r->ncols; i++)
		grouped[i] = small(r, &r->cols[i]);
	put_head(rd);
	put_flame(rd);
	put_titles(rd, bar != NULL);
	for (size_t row = 0; row < r->rows && !render_cancelled(rd, row); row++) {
		out_c(rd->o, "<tr>");
		for (size_t i = 0; i < r->ncols; i++)
			if (r->cols[i].table)
				put_cell(rd, &r->cols[i], grouped[i], row);
		if (bar)
			put_bar(rd, bar, most, row);
		out_c(rd->o, "</tr>\n");
	}
	out_c(rd->o, "</tbody>\n</table>\n");
	if (r->footer.n) {
		out_c(rd->o, "<p class=\"about\">");
		emit_name(rd->o, EMIT_XML, r->footer);
		out_c(rd->o, "</p>\n");
	}
	out_c(rd->o, script);
	out_c(rd->o, "</html>\n");
	free(grouped);
	return (int)rd->err->kind;
}
