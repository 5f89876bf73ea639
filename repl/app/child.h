/*
 * child.h - commands of the user: the pager, `!  COMMAND`, the editor.  Never under
 * --safe.
 */
#ifndef QUERN_CHILD_H
#define QUERN_CHILD_H

#include <sys/types.h>

struct err;

struct child {
	pid_t pid;
	int fd; /* a pipe to its standard input; -1 if it has ours */
};

/* Start `sh -c command`.  Its input is a pipe from us (fd), or ours if own_input. */
int child_start(struct child *c, const char *command, int own_input, struct err *err);
/* Close the pipe and wait; ERR_OUTPUT if the command failed. */
int child_wait(struct child *c, const char *command, struct err *err);

#endif
