/*
 * sets.h - values for a script: after `.run FILE FUNC=malloc`, $FUNC in it is malloc.
 *
 * A value of --set that no query uses is a slip, which could switch a gate off.
 */
#ifndef QUERN_SETS_H
#define QUERN_SETS_H

#include "index/base/str.h"

struct app;
struct err;
struct session;

/* Set the values of given, "NAME=VALUE NAME="a b" ...", for the script.  ERR_QUERY: the
 * script has no $NAME. */
int sets_given(struct session *s, struct str script, struct str given, struct err *err);
/* A script runs: which values it uses. */
void sets_see(struct app *app, struct str script);
/* Has each been used by a script?  ERR_USAGE if not.  At a prompt nothing is checked. */
int sets_check(const struct app *app, struct err *err);

#endif
