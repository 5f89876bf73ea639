/*
 * render_html.c - a page in one file.  The functions of a call graph become a report
 * (report.h), `source of f` its text with costs.  Any other answer is a table, sorted by a
 * click on a title, below a flame graph if the answer has stacks.  A comparison begins with
 * its main causes.
 *
 * The page loads nothing, its scripts are constants, and names are text.
 */
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "repl/render/columns.h"
#include "repl/render/headline.h"
#include "repl/render/said.h"
#include "repl/term/number.h"
#include "repl/pictures/report.h"
#include "engine/api/quern.h"

enum { CAUSES = 2 }; /* in the heading; the report has all in a tab */

static const char sorting[] =
	"<script>\n"
	"'use strict';\n"
	"for(const b of document.querySelectorAll('th button'))b.addEventListener('click',()=>{\n"
	" const h=b.parentNode,i=h.cellIndex,t=h.closest('table').tBodies[0];\n"
	" const down=h.getAttribute('aria-sort')!=='descending';\n"
	" for(const o of h.parentNode.cells)o.removeAttribute('aria-sort');\n"
	" h.setAttribute('aria-sort',down?'descending':'ascending');\n"
	" const v=r=>{const c=r.cells[i];return 'v' in c.dataset?+c.dataset.v:c.textContent;};\n"
	" const rows=[...t.rows].sort((p,q)=>{const a=v(p),c=v(q);return a<c?-1:a>c?1:0;});\n"
	" if(down)rows.reverse();t.append(...rows);});\n"
	"</script>\n";

static bool has_causes(const struct result *r)
{
	return r->headline && r->headline->listed;
}

static void html_put_headline(struct render *rd)
{
	for (size_t i = 0; rd->r->headline && i < HEADLINE_LINES; i++) {
		/* The list of causes begins with this one. */
		if (i == 1 && has_causes(rd->r) && rd->r->headline->plain)
			continue;
		if (i == HEADLINE_LINES - 1 && !rd->r->headline->others.n)
			continue;
		out_c(rd->o, !i	      ? "<p><b>"
			     : i == 1 ? "<p class=\"about\">"
				      : "<p class=\"about grew\">");
		headline_put(rd->o, EMIT_XML, rd->r, i);
		out_c(rd->o, i ? "</p>\n" : "</b></p>\n");
	}
}

static const char minus[] = "\xe2\x88\x92";

/* rest: it is not in the heading.  In a report a click leads to its function. */
static void put_cause(struct render *rd, const struct headline_cause *c, bool rest,
		      bool report)
{
	const uint32_t here = report ? rd->r->graph->functions : 0;
	const bool gone = c->of > here;
	char delta[NUMBER_MAX];

	number_cost(delta, rd->r->unit, c->delta < 0 ? -c->delta : c->delta);
	out_printf(rd->o, "<li%s><b style=\"--w:%.0f%%\" data-by=\"%s%s\">%s%.*f %%</b> ",
		   rest ? " class=\"rest\"" : "", fmin(100, fabs(c->share)),
		   c->delta > 0 ? "+" : minus, str_trim(str_c(delta)).p,
		   c->share < 0 ? minus : "", fabs(c->share) < 0.95, fabs(c->share));
	report &= c->of > 0;
	if (report)
		out_printf(rd->o, "<button data-f=\"%s%" PRIu32 "\">", gone ? "b" : "",
			   graph_id(gone ? rd->r->compared->graph : rd->r->graph,
				    c->of - 1 - (gone ? here : 0)));
	emit_xml(rd->o, "", c->text, report ? "</button>" : "");
	if (c->line) {
		emit_xml(rd->o, " <span class=\"soft\">", str_basename(c->file), "");
		out_printf(rd->o, ":%" PRIu64 "</span>", c->line);
	}
	if (c->rates)
		out_printf(rd->o,
			   " <span class=\"soft rate\">%.4g &rarr; %.4g a call</span>",
			   c->from, c->to);
	out_c(rd->o, "</li>\n");
}

/* The main causes, how many there are besides, and these. */
static void put_causes(struct render *rd)
{
	const struct headline *h = rd->r->headline;
	const size_t n = h->listed < CAUSES ? h->listed : CAUSES;
	const size_t more = h->listed - n + h->more;
	const bool report = report_fits(rd);

	out_c(rd->o, "<ol class=\"causes\">\n");
	for (size_t i = 0; i < n; i++)
		put_cause(rd, &h->causes[i], false, report);
	if (h->unsure)
		out_c(rd->o, "<li>these may be noise: there is one run a side</li>\n");
	if (more) {
		out_printf(rd->o, "<li>and %s more: <code>why vs ", GROUPED(more));
		emit_xml(rd->o, "", rd->r->base, "</code></li>\n");
	}
	for (size_t i = n; report && i < h->ncauses; i++)
		put_cause(rd, &h->causes[i], true, report);
	out_c(rd->o, "</ol>\n");
}

/* " (old.out)", unless the base is of the same profile. */
static void put_base_file(struct render *rd)
{
	const struct compared *c = rd->r->compared;

	if (!c || !rd->r->graph || c->graph->st == rd->r->graph->st)
		return;
	emit_xml(rd->o, " (", str_basename(store_info(c->graph->st)->profile), ")");
}

/* more: more rules of style, or "". */
static void put_page_head(struct render *rd, const char *more)
{
	const struct result *r = rd->r;
	char total[NUMBER_MAX];

	emit_xml(
		rd->o,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
		"form-action 'none'\">\n<meta name=\"generator\" content=\"quern " QUERN_VERSION
		"\">\n<title>",
		r->profile, ": ");
	emit_xml(rd->o, "", r->query, "</title>\n<style>\n");
	out_c(rd->o, colours_css);
	out_c(rd->o, report_css);
	out_c(rd->o, more);
	emit_xml(rd->o, "</style>\n</head>\n<body>\n<header>\n<div><h1>", r->profile,
		 "</h1>\n");
	html_put_headline(rd);
	out_c(rd->o, "<p class=\"about\">");
	if (r->graph && store_info(r->graph->st)->cmd.n)
		emit_xml(rd->o, "", store_info(r->graph->st)->cmd, "<br>\n");
	emit_xml(rd->o, "<code>", r->query, "</code>");
	if (r->total && !r->headline) {
		unit_whole(total, r->unit, r->total);
		out_printf(rd->o, " &middot; <span id=\"total\">%s ", total);
		emit_xml(rd->o, "", result_title(r), "</span>");
	}
	if (r->base.n) {
		emit_xml(rd->o, " &middot; compared with ", r->base, "");
		put_base_file(rd);
	}
	if (r->graph && store_info(r->graph->st)->creator.n) {
		emit_xml(rd->o, " &middot; ", store_info(r->graph->st)->creator, "");
	}
	out_c(rd->o, "</p></div>\n");
	if (has_causes(r))
		put_causes(rd);
}

static void put_page_filters(struct render *rd)
{
	const struct result *r = rd->r;

	if (!r->nfilters && !r->truncated)
		return;
	out_c(rd->o, "<section class=\"card notes\" role=\"note\">\n");
	report_say_filters(rd->o, r);
	if (r->truncated)
		out_c(rd->o, "<p>Incomplete: a limit cut these rows.</p>\n");
	out_c(rd->o, "</section>\n");
}

/* Trees and paths have stacks; any other table would be a single row of frames. */
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
		out_c(rd->o, "<section class=\"card picture\">\n");
		out_str(rd->o, str_from(text, str_find_str(text, STR("<svg"))));
		out_c(rd->o, "</section>\n");
	} else if (err.kind != ERR_QUERY) { /* otherwise there is nothing to draw */
		*rd->err = err;
	}
	out_close(&svg);
}

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

static int put_table(struct render *rd)
{
	const struct result *r = rd->r;
	struct html_table t = {.rd = rd,
			       .tree = r->depth_col >= 0 &&
				       r->cols[r->depth_col].type != COL_STR};

	if (said_init(&t.said, rd, t.tree) == 0) {
		find_bar(&t);
		html_put_titles(&t);
	}
	for (size_t row = 0; row < r->rows && !render_cancelled(rd, row); row++) {
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

int render_html(struct render *rd)
{
	const struct result *r = rd->r;
	const uint64_t before = rd->o->written;

	if (report_fits(rd) || report_fits_listing(rd)) {
		put_page_head(rd, rd->source || r->listing ? source_css : "");
		return report_put(rd, (size_t)(rd->o->written - before));
	}
	if (result_whole(r, rd->err))
		return rd->err->kind;
	put_page_head(rd, "");
	out_c(rd->o, "</header>\n");
	put_page_filters(rd);
	put_flame(rd);
	put_table(rd);
	out_c(rd->o, sorting);
	out_c(rd->o, "</body>\n</html>\n");
	return rd->err->kind;
}
