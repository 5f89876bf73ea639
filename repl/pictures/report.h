/*
 * report.h - the HTML report of a call graph: functions, calls, flame graph, parts.
 *
 * The text, style and script of the page are the files in repl/pictures/report/, which the
 * build turns into the constants below.  The script draws everything from numbers and
 * names in hidden elements.  These are plain text, escaped like all text: no name is ever
 * in a script.  With --with-source it has the source of the listed functions, too.
 */
#ifndef QUERN_REPORT_H
#define QUERN_REPORT_H

#include "repl/render/render.h"

/* The scripts of a page are one: model_js, tree_js, flame_js, run_js of a timeline, source_js, and
 * page_js, which draws the first screen. */
extern const char report_css[], report_html[], model_js[], tree_js[], flame_js[],
	run_js[], source_js[], page_js[];
extern const char colours_css[];	       /* of both */
extern const char picture_css[], picture_js[]; /* of flame graphs: render_svg.c */

/* Does the answer list functions of a graph, with nothing that the report would not
 * show? */
bool report_fits(const struct render *rd);
/* Or is it shown in the report of its graph: a tree, a timeline, a listing, causes?  Then that
 * is opened there, at the function that was asked for. */
bool report_shows(const struct render *rd);
/* Say which stages changed the call graph. */
void report_say_filters(struct out *o, const struct result *r);
/* Which command ran, and what wrote the profile. */
void report_say_origin(struct out *o, const struct result *r);
/* Write the page from after its heading, of so many bytes, to its end. */
int report_put(struct render *rd, size_t head);
/* html_table.c: so many rows of an answer as a table. */
int html_put_table(struct render *rd, size_t rows);

#endif
