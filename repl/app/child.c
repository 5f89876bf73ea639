/*
 * child.c - run a command of the user; see child.h.
 *
 * The child gets the default actions of SIGINT and SIGPIPE back: Ctrl-C is for the
 * program that the user sees.
 */
#include "repl/app/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "index/base/err.h"

static void in_child(const char *command, int input)
{
	if (input >= 0)
		dup2(input, STDIN_FILENO);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int child_start(struct child *c, const char *command, int own_input, struct err *err)
{
	int ends[2] = {-1, -1};

	if (!own_input && pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, err_kind_of(errno, ERR_OUTPUT), 0,
			       "no pipe for '%s': %s", command, strerror(errno));
	c->pid = fork();
	if (c->pid == 0)
		in_child(command, ends[0]);
	if (ends[0] >= 0)
		close(ends[0]);
	c->fd = ends[1];
	if (c->pid > 0)
		return 0;
	if (c->fd >= 0)
		close(c->fd);
	return err_set(err, err_kind_of(errno, ERR_OUTPUT), 0,
		       "'%s' cannot be started: %s", command, strerror(errno));
}

int child_wait(struct child *c, const char *command, struct err *err)
{
	int status = 0;

	if (c->fd >= 0)
		close(c->fd);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		return err_set(err, ERR_OUTPUT, 0, "'%s' ended with status %d", command,
			       WEXITSTATUS(status));
	/* A command that stopped reading (SIGPIPE) or was interrupted did not fail. */
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGPIPE &&
	    WTERMSIG(status) != SIGINT)
		return err_set(err, ERR_OUTPUT, 0, "'%s' was ended by signal %d", command,
			       WTERMSIG(status));
	return 0;
}
