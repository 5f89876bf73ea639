/*
 * render_html.c - a page in one file.  The functions of a call graph become a report
 * (report.h); a tree of it, a timeline, `source of f` and `why` are that report, opened there.
 * Any other answer is a table (html_table.c) under the same heading, below a flame graph if it
 * has stacks: `profiles` has no functions to draw, and links to the reports of its members.  A
 * comparison begins with its main causes.
 *
 * The page loads nothing, its scripts are constants, and names are text.
 */
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "repl/render/headline.h"
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

/* Of one run of the function: how often it calls, or a cost. */
static void put_rates(struct render *rd, const struct headline_cause *c)
{
	char from[NUMBER_MAX], to[NUMBER_MAX];

	number_per(from, c->costs ? rd->r->unit : (struct unit){0}, c->from);
	number_per(to, c->costs ? rd->r->unit : (struct unit){0}, c->to);
	emit_xml(rd->o, " <span class=\"soft rate\">", str_trim(str_c(from)), " &rarr; ");
	emit_xml(rd->o, "", str_trim(str_c(to)),
		 c->costs ? " a call</span>" : " times a call</span>");
}

/* rest: it is not in the heading.  In a report a click leads to its function. */
static void put_cause(struct render *rd, const struct headline_cause *c, bool rest,
		      bool report)
{
	const uint32_t here = report ? rd->r->graph->functions : 0;
	const bool gone = c->of > here, link = report && c->of > 0;
	char delta[NUMBER_MAX];

	unit_whole(delta, rd->r->unit, cost_size(c->delta));
	out_printf(rd->o, "<li%s><b style=\"--w:%.0f%%\" data-by=\"%s%s\">%s%.*f %%</b> ",
		   rest ? " class=\"rest\"" : "", fmin(100, fabs(c->share)),
		   c->delta > 0 ? "+" : minus, str_trim(str_c(delta)).p,
		   c->share < 0 ? minus : "", fabs(c->share) < 0.95, fabs(c->share));
	if (link)
		out_printf(rd->o, "<button data-f=\"%s%" PRIu32 "\">", gone ? "b" : "",
			   graph_id(gone ? rd->r->compared->graph : rd->r->graph,
				    c->of - 1 - (gone ? here : 0)));
	emit_xml(rd->o, "", c->text, link ? "</button>" : "");
	if (c->line) {
		emit_xml(rd->o, " <span class=\"soft\">", str_basename(c->file), "");
		out_printf(rd->o, ":%" PRIu64, c->line);
		emit_xml(rd->o, c->gone ? " of " : "", c->gone ? rd->r->base : STR(""),
			 "</span>");
	}
	if (report && c->rates)
		put_rates(rd, c);
	out_c(rd->o, "</li>\n");
}

/* The main causes, how many there are besides, and these. */
static void put_causes(struct render *rd)
{
	const struct headline *h = rd->r->headline;
	const size_t n = h->listed < CAUSES ? h->listed : CAUSES;
	const size_t more = h->listed - n + h->more;
	const bool report = report_fits(rd) || report_shows(rd);

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

/* The program that ran, without where it lies and what it was given; or the profile. */
static struct str program_of(const struct result *r)
{
	struct str cmd = r->graph ? str_trim(store_info(r->graph->st)->cmd) : STR("");

	cmd = str_basename(str_cut(cmd, str_find(cmd, ' ')));
	return cmd.n ? cmd : r->profile;
}

/* A report has the query and who wrote the profile at its end: report.c. */
static void put_page_head(struct render *rd, bool report)
{
	const struct result *r = rd->r;
	const struct str program = program_of(r);
	const char *dot = "";
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
	emit_xml(rd->o, "</style>\n</head>\n<body>\n<header>\n<div><h1>", program,
		 "</h1>\n");
	html_put_headline(rd);
	out_c(rd->o, "<p class=\"about\">");
	if (r->total && !r->headline) {
		number_cost(total, r->unit, r->total);
		out_printf(rd->o, "<span id=\"total\">%s%s ", r->total_about ? "~" : "",
			   str_trim(str_c(total)).p);
		emit_xml(rd->o, "", result_title(r), "</span>");
		dot = " &middot; ";
	}
	if (!str_eq(program, r->profile)) {
		emit_xml(rd->o, dot, r->profile, "");
		dot = " &middot; ";
	}
	if (r->base.n) {
		out_c(rd->o, dot);
		emit_xml(rd->o, "compared with ", r->base, "");
		put_base_file(rd);
		dot = " &middot; ";
	}
	if (!report) {
		out_c(rd->o, dot);
		emit_xml(rd->o, "<code>", r->query, "</code>");
		report_say_origin(rd->o, r);
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

int render_html(struct render *rd)
{
	const struct result *r = rd->r;
	const uint64_t before = rd->o->written;
	const bool fits = report_fits(rd);

	if (!fits && result_whole(r, rd->err))
		return rd->err->kind;
	if (fits || report_shows(rd)) {
		put_page_head(rd, true);
		return report_put(rd, (size_t)(rd->o->written - before));
	}
	put_page_head(rd, false);
	out_c(rd->o, "</header>\n");
	put_page_filters(rd);
	put_flame(rd);
	html_put_table(rd, r->rows);
	out_c(rd->o, sorting);
	out_c(rd->o, "</body>\n</html>\n");
	return rd->err->kind;
}
