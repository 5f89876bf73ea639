/*
 * opening.h - open the profiles named on the command line.
 *
 * All files without a name are one profile: the dump and thread files of one run, for
 * example.  NAME=FILE opens another profile; a repeated NAME adds a file to it.
 */
#ifndef QUERN_OPENING_H
#define QUERN_OPENING_H

#include "repl/app/app.h"

/*
 * Open the profiles of n arguments.  A PROFILE that is no file may be a pattern, "out.*".
 * Errors are shown.  0 or the kind.
 */
int opening_run(struct app *app, const char *const *arg, size_t n);

/* With nothing open, a query opens the newest profile of the working folder, and says which; a
 * gate asks for a name.  0 or the kind. */
int opening_newest(struct app *app, struct str asks);

#endif
