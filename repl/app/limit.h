/* limit.h - the limits of one query: --limit NAME=N and .limit. */
#ifndef QUERN_LIMIT_H
#define QUERN_LIMIT_H

#include "index/base/str.h"

struct app;
struct err;
struct out;

/* Set a limit: "rows=5M", "seconds 10".  ERR_USAGE names the mistake. */
int limit_set(struct app *app, struct str text, struct err *err);
/* Print the limits in force, a line each. */
void limit_list(const struct app *app, struct out *o);

#endif
