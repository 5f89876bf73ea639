/*
 * report.h - the HTML report of a call graph: functions, calls, flame graph, parts.
 *
 * The text, style and script of the page are the files in repl/pictures/report/, which the
 * build turns into the constants below.  The script draws everything from numbers and
 * names in hidden elements.  These are plain text, escaped like all text: no name is ever
 * in a script.
 */
#ifndef QUERN_REPORT_H
#define QUERN_REPORT_H

#include <stdbool.h>

#include "repl/render/render.h"

extern const char report_css[], report_html[], report_js[];
extern const char picture_css[], picture_js[]; /* of flame graphs: render_svg.c */

/* Does the answer list functions of a graph, with nothing that the report would not
 * show? */
bool report_fits(const struct render *rd);
/* Write the page from after its heading to its end. */
int report_put(struct render *rd);

#endif
