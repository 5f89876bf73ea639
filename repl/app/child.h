/*
 * child.h - the user's own commands: the pager, `! COMMAND`, the editor.  Never under --safe.
 */
#ifndef QUERN_CHILD_H
#define QUERN_CHILD_H

#include <sys/types.h>

#include "index/base/err.h"

struct child {
	pid_t pid;
	int fd; /* its standard input; -1 when it has ours */
};

/* Start `sh -c command`, its input a pipe from us (fd) or, with own_input, ours. */
int child_start(struct child *c, const char *command, int own_input, struct err *err);
/* Close the pipe and wait; ERR_OUTPUT when the command failed. */
int child_wait(struct child *c, const char *command, struct err *err);

#endif
