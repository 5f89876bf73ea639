/*
 * render_source.c - the page of `source of f` and `asm of f`: the text with its heat, calls
 * and jumps as links, inlined code apart, and a map of the costliest lines.
 */
#include "engine/graph/graph.h"
#include "index/base/err_struct.h"
#include "repl/pictures/report_in.h"

#include <stdio.h>

#include "repl/pictures/report.h"

/* Does the answer have the columns of a listing, and all of its rows? */
bool listing_page_fits(const struct render *rd)
{
	static const char *const known[] = {"kind", "file",   "obj",   "instr",
					    "line", "self",   "self%", "calls",
					    "incl", "callee", "text"};
	const struct result *r = rd->r;

	return r->listing && r->graph && result_col(r, STR("self")) &&
	       result_col(r, STR("text")) &&
	       report_knows(r, known, sizeof(known) / sizeof(known[0]));
}

static void put_listing(struct report *p)
{
	static const char *const scripts[] = {model_js, source_js, listing_js, NULL};

	out_c(p->o, listing_html);
	out_c(p->o, "<section class=\"card notes\" id=\"notes\" role=\"note\">\n");
	if (p->source.lines_out)
		out_printf(p->o, "<p>Left out: %s of the cheapest lines.</p>\n",
			   GROUPED(p->source.lines_out));
	report_say_filters(p->o, p->rd->r);
	source_data_say(p->o, &p->source);
	out_c(p->o, "</section>\n");
	report_put_about(p, p->rd->r->listing->instrs ? "data-instrs " : "");
	report_put_events(p);
	source_data_write(p->o, &p->source);
	report_put_scripts(p->o, scripts);
	if (p->source.lines_out)
		snprintf(p->rd->note, sizeof(p->rd->note),
			 "left out of the page: %s of the cheapest lines",
			 GROUPED(p->source.lines_out));
}

int listing_page_put(struct render *rd, size_t head)
{
	struct report p = {.rd = rd,
			   .o = rd->o,
			   .side = {{.g = rd->r->graph}},
			   .sides = 1,
			   .with_source = true,
			   .events = store_info(rd->r->graph->st)->all_events};

	arena_init(&p.arrays, 0);
	source_data_init(&p.source, rd->r->graph, source_data_room(head));
	if (!report_prepare_side(&p, 0) &&
	    (source_data_put(&p.source, rd->r->listing, rd->err), !rd->err->kind))
		put_listing(&p);
	report_forget(&p);
	if (!rd->err->kind)
		store_check(rd->r->graph->st, rd->err);
	return rd->err->kind;
}
