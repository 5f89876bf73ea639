/*
 * process.h - run a program as a shell does: in the foreground, with its own arguments,
 * input, output and signals.
 *
 * Arguments go to execvp(); no shell reads them.  While it runs, signals that somebody
 * sends us are passed on, but not those of the terminal, which it has from there, nor those
 * that it sends us itself.  Afterwards the terminal is as it was before.
 */
#ifndef QUERN_PROCESS_H
#define QUERN_PROCESS_H

#include <sys/types.h>

struct err;

struct process {
	pid_t pid;
	int status; /* as a shell says it: its own, or 128 + the signal that ended it */
	int signal; /* that signal; 0: none */
};

/*
 * Run argv[0] and wait for its end.  env: NAME=VALUE to add to its environment, up to NULL.
 * Before it starts, the file BASE.PID is made, which must not be there: so that it is known
 * to be ours, and that it can be written.  ERR_USAGE: argv[0] is not installed; ERR_OUTPUT: the
 * file, or a process, cannot be made.
 */
int process_run(char *const *argv, char *const *env, const char *base, struct process *p,
		struct err *err);

#endif
