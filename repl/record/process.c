/*
 * process.c - run a program in the foreground; see process.h.
 *
 * All signals are blocked from before fork() until the handler knows the child.  Why the child
 * could not begin it says in memory that both have.
 */
#include "repl/record/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "index/base/err.h"

static const int passed[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,
			     SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};
enum { PASSED = sizeof(passed) / sizeof(passed[0]), STREAMS = 3 };

static volatile pid_t child;

static void pass_on(int sig, siginfo_t *from, void *context)
{
	(void)context;
	if (from->si_code <= 0 && from->si_pid != child)
		kill(child, sig);
}

/* What a program may leave otherwise than it was. */
struct terminal {
	struct termios how;
	pid_t front; /* the process group in the foreground; -1: no terminal */
	int flags[STREAMS];
};

static void terminal_save(struct terminal *t)
{
	t->front = tcgetattr(STDIN_FILENO, &t->how) == 0 ? tcgetpgrp(STDIN_FILENO) : -1;
	for (int i = 0; i < STREAMS; i++)
		t->flags[i] = fcntl(i, F_GETFL);
}

/* Signals are blocked: SIGTTOU would stop us in the background. */
static void terminal_restore(const struct terminal *t)
{
	for (int i = 0; i < STREAMS; i++)
		if (t->flags[i] >= 0)
			fcntl(i, F_SETFL, t->flags[i]);
	if (t->front == getpgrp()) {
		tcsetpgrp(STDIN_FILENO, t->front);
		tcsetattr(STDIN_FILENO, TCSADRAIN, &t->how);
	}
}

struct failure {
	int open, exec; /* errno of it, or 0 */
};

static void in_child(char *const *argv, char *const *env, const char *base,
		     const sigset_t *mask, struct failure *f)
{
	char path[8192];
	int fd;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	snprintf(path, sizeof(path), "%s.%ld", base, (long)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0) {
		f->open = errno;
		_exit(1);
	}
	for (; *env; env++)
		putenv(*env);
	execvp(argv[0], argv);
	f->exec = errno;
	unlink(path);
	_exit(127);
}

/* Wait for the child, and pass signals on. */
static int attend(const sigset_t *mask)
{
	struct sigaction pass = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO},
			 before[PASSED];
	sigset_t all;
	int status = 0;

	for (int i = 0; i < PASSED; i++) {
		sigaction(passed[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN) /* nohup */
			sigaction(passed[i], &pass, NULL);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < PASSED; i++)
		sigaction(passed[i], &before[i], NULL);
	return status;
}

int process_run(char *const *argv, char *const *env, const char *base, struct process *p,
		struct err *err)
{
	struct failure *f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct terminal t;
	sigset_t all, mask;
	int status = 0;

	if (f == MAP_FAILED)
		return err_no_memory(err, NULL);
	terminal_save(&t);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	child = p->pid = fork();
	if (child == 0)
		in_child(argv, env, base, &mask, f);
	if (child < 0)
		err_set(err, err_kind_of(errno, ERR_OUTPUT), 0, "no process: %s",
			strerror(errno));
	else
		status = attend(&mask);
	terminal_restore(&t);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (f->open)
		err_set(err, ERR_OUTPUT, 0, "%s.PID: %s", base, strerror(f->open));
	else if (f->exec)
		err_set(err, ERR_USAGE, 0, "%s: %s", argv[0], strerror(f->exec));
	munmap(f, sizeof(*f));
	p->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	p->status = p->signal ? 128 + p->signal : WEXITSTATUS(status);
	return err->kind;
}
