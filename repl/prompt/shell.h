/*
 * shell.h - the prompt: line editing, history, Tab, Ctrl-C.
 */
#ifndef QUERN_SHELL_H
#define QUERN_SHELL_H

struct app;

/* Run until .quit or the end of the input.  Returns the exit status. */
int shell_run(struct app *app);

#endif
