/* limit.h - the limits of one query: --limit NAME=N and .limit. */
#ifndef QUERN_LIMIT_H
#define QUERN_LIMIT_H

#include "index/base/err.h"
#include "index/base/out.h"
#include "index/base/str.h"
#include "repl/app/app.h"

/* Set a limit: "rows=5M", "seconds 10".  ERR_USAGE names the mistake. */
int limit_set(struct app *app, struct str text, struct err *err);
/* Print the limits in force, a line each. */
void limit_list(const struct app *app, struct out *o);

#endif
