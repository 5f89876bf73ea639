/*
 * watch.h - quern --watch BASE: follow a run that dumps its profile from time to time.
 *
 * When the dump and thread files of BASE have changed and settled, they are opened as one
 * profile; only new files are read (index/merge/reuse.h).  Then the tasks of the
 * command line run; without tasks, the functions are shown that cost more or less than in
 * the part before.  Watching ends when the process that writes the files ends, with
 * Ctrl-C, or when a task fails.
 */
#ifndef QUERN_WATCH_H
#define QUERN_WATCH_H

struct app;

/* 0 or the kind; errors are shown. */
int watch_run(struct app *app, const char *base);

#endif
