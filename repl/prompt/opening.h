/*
 * opening.h - from what is written on the command line to the profiles that are open.
 *
 * Files without a name in front are one profile together: the dump and thread files of a run,
 * say.  NAME=FILE opens another one; a NAME that comes again adds a file to it.
 */
#ifndef QUERN_OPENING_H
#define QUERN_OPENING_H

#include "repl/app/app.h"

/*
 * Open what n arguments say.  A PROFILE that is no file may be a pattern, "out.*"; with
 * --all-parts it stands for all dump and thread files of that name.  Errors are shown.  0 or
 * the kind.
 */
int opening_run(struct app *app, const char *const *arg, size_t n);

#endif
