/* sets.h - a value of --set that no query uses is a slip, which could switch a gate off. */
#ifndef QUERN_SETS_H
#define QUERN_SETS_H

#include "index/base/str.h"

struct app;
struct err;

/* A script runs: which values it uses. */
void sets_see(struct app *app, struct str script);
/* Has each been used by a script?  ERR_USAGE if not.  At a prompt nothing is checked. */
int sets_check(const struct app *app, struct err *err);

#endif
