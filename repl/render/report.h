/*
 * report.h - the HTML report of a call graph: functions, calls, flame graph, parts.
 *
 * The page's own text, style and script are the files in repl/render/report/, which the build turns
 * into the constants below.  The script draws everything from numbers and names that stand
 * in hidden elements as plain text, escaped like any other: no name is ever in a script.
 */
#ifndef QUERN_REPORT_H
#define QUERN_REPORT_H

#include <stdbool.h>

#include "repl/render/render.h"

extern const char report_css[], report_html[], report_js[];

/* The answer lists functions of a graph with nothing that the report would not show. */
bool report_fits(const struct render *rd);
/* What follows the page's heading, to the end of the page. */
int report_put(struct render *rd);

#endif
