/* script.h - run several statements and dot-commands: files, -c, stdin. */
#ifndef QUERN_SCRIPT_H
#define QUERN_SCRIPT_H

#include "repl/app/app.h"

/* Run text, which begins at `at`, up to the first error (shown with `file:line:col:` if
 * it has a file), or with --keep-going all of it.  A line that starts with "." at the
 * start of a statement is a dot-command; "#!" in the first line is skipped.  0 or the
 * kind of the error that stopped it. */
int script_run(struct app *app, struct str text, struct origin at);
/* Run a script from a file; "-" is stdin. */
int script_file(struct app *app, const char *path);
/* Run one entry of the prompt or of -c: statements or a dot-command. */
int script_entry(struct app *app, struct str text, const struct origin *from);

/* A file that is used as a gate must have an `expect`: with --keep-going, as a report of tests, or
 * by the name gate-*.  before: app->gate.hold and app->failures before it ran. */
struct gate_before {
	size_t hold, failures;
};
struct gate_before script_before(const struct app *app);
int script_gates(struct app *app, const char *name, struct gate_before before);

/* Run all -c and -f of the command line, until one fails.  0 or the kind. */
int script_tasks(struct app *app);

#endif
