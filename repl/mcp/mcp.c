/*
 * mcp.c - the server's loop: what comes, what runs, and the clock; see mcp.h.
 *
 *	stdin --> server_feed() --> calls that wait --> one runs, in a thread --> stdout
 *	               |                                  ^           |
 *	               +-- cancel: app_cancel ------------+           +-- a byte in `ended`
 *
 * The main thread alone reads, writes and touches JSON, so that a cancel is heard while a
 * call runs.  Where no thread can be had, the call runs in the main thread: a cancel is heard
 * after it.  Standard output is the protocol's: what else is written there goes to stderr.
 */
#include "repl/mcp/mcp.h"

#include "index/base/err.h"
#include "repl/app/options.h"
#include "repl/term/talk.h"

#ifdef HAVE_JANSSON

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "repl/app/app.h"
#include "repl/app/progress.h"
#include "repl/mcp/server.h"

enum {
	BUDGET_USUAL = 20 << 10,
	TICK_MS = 1000,	   /* between two messages of progress */
	STACK = 8 << 20,   /* the parser and the evaluator recurse */
	READ_MOST = 65536, /* bytes at a time */
};

struct loop {
	struct server server;
	struct options opts;
	struct out out;		/* to the client */
	struct tool_call *call; /* runs; NULL: none */
	pthread_t thread;
	bool threaded; /* the thread runs it */
	uint64_t started_ns;
	int ended[2]; /* a pipe: the thread writes a byte when its call has ended */
	bool eof;     /* of stdin */
};

static void *run_call(void *arg)
{
	struct loop *l = arg;

	tool_run(l->call, &l->opts);
	while (write(l->ended[1], "", 1) < 0 && errno == EINTR)
		;
	return NULL;
}

static void start_call(struct loop *l)
{
	pthread_attr_t attr;

	l->call = server_start(&l->server);
	if (!l->call)
		return;
	l->started_ns = progress_now_ns();
	server_progress(&l->server, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	l->threaded = !pthread_create(&l->thread, &attr, run_call, l);
	pthread_attr_destroy(&attr);
	if (!l->threaded)
		run_call(l);
}

static void end_call(struct loop *l)
{
	char byte;

	while (read(l->ended[0], &byte, 1) < 0 && errno == EINTR)
		;
	if (l->threaded)
		pthread_join(l->thread, NULL);
	l->call = NULL;
	server_done(&l->server);
}

static int read_client(struct loop *l, struct err *err)
{
	char buf[READ_MOST];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	if (n > 0)
		server_feed(&l->server, buf, (size_t)n);
	else if (n == 0)
		l->eof = true;
	else if (errno != EINTR && errno != EAGAIN)
		return err_set(err, ERR_OUTPUT, 0, "standard input: %s", strerror(errno));
	return 0;
}

/* Wait for the client, for the end of the call, or for the next second. */
static int wait_for(struct loop *l, struct err *err)
{
	/* A client that has gone is seen by its end of our output. */
	struct pollfd on[] = {{.fd = l->eof ? -1 : STDIN_FILENO, .events = POLLIN},
			      {.fd = l->ended[0], .events = POLLIN},
			      {.fd = l->out.fd}};
	const int ready = poll(on, 3, l->call ? TICK_MS : -1);

	if (ready < 0 && errno != EINTR)
		return err_set(err, ERR_OUTPUT, 0, "poll: %s", strerror(errno));
	if (ready < 0)
		return 0;
	if (on[2].revents & (POLLERR | POLLHUP))
		return err_set(err, ERR_CANCEL, 0, "the client has gone");
	if (on[0].revents && read_client(l, err))
		return err->kind;
	if (on[1].revents)
		end_call(l);
	else if (ready == 0)
		server_progress(&l->server,
				(double)(progress_now_ns() - l->started_ns) / 1e9);
	return 0;
}

static int serve(struct loop *l, struct err *err)
{
	do {
		int failed;

		if (!l->call)
			start_call(l);
		failed = out_flush(&l->out);
		if (failed)
			return err_set(err, failed == EPIPE ? ERR_CANCEL : ERR_OUTPUT, 0,
				       "standard output: %s", strerror(failed));
		if (l->server.no_memory)
			return err_no_memory(err, "while answering");
		if (l->eof && !l->call && !l->server.n)
			return 0;
	} while (!wait_for(l, err));
	return err->kind;
}

/* Keep standard output for the protocol. */
static int take_output(struct loop *l, struct err *err)
{
	const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
	    pipe2(l->ended, O_CLOEXEC) < 0)
		return err_set(err, ERR_OUTPUT, 0, "standard output: %s",
			       strerror(errno));
	out_fd(&l->out, fd);
	return 0;
}

int mcp_run(const struct options *o)
{
	struct loop l = {.opts = *o, .server.cancel = &app_cancel};
	struct err err = {0};

	signal(SIGINT, SIG_DFL);
	json_object_seed(0);
	if (!l.opts.budget)
		l.opts.budget = BUDGET_USUAL;
	l.server.to = &l.out;
	if (take_output(&l, &err) == 0)
		serve(&l, &err);
	if (l.call && l.threaded) {
		atomic_store(&app_cancel, 1);
		pthread_join(l.thread, NULL);
	}
	server_free(&l.server);
	out_close(&l.out);
	/* A client that leaves has had enough. */
	if (err.kind == ERR_CANCEL)
		return 0;
	if (err.kind)
		talk_failure(&err, "--mcp", false);
	return err_exit_status(err.kind);
}

#else

int mcp_run(const struct options *o)
{
	struct err err = {0};

	(void)o;
	err_set(&err, ERR_USAGE, 0,
		"this quern was built without jansson, which --mcp needs");
	err_hint(&err, "install libjansson-dev and build again");
	talk_failure(&err, NULL, false);
	return err_exit_status(err.kind);
}

#endif
