/*
 * watch.h - quern --watch BASE: follow a run that dumps its profile now and then.
 *
 * Whenever the dump and thread files of BASE are others than before, and have come to rest,
 * they are opened as one profile; only new files are read (index/merge/retally.h).  Then the tasks
 * of the command line are run, or without any it is shown which functions cost more or less
 * than in the part before.  It ends when the process that writes them has ended, with Ctrl-C,
 * or when a task fails.
 */
#ifndef QUERN_WATCH_H
#define QUERN_WATCH_H

#include "repl/app/app.h"

/* 0 or the kind; errors are shown. */
int watch_run(struct app *app, const char *base);

#endif
