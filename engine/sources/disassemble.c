/*
 * disassemble.c - instructions of an object, by objdump; see source_text.h.
 *
 * There is no shell and no environment, and the object is passed as an open file: objdump
 * reads the file that was checked, even if its name now means another one.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/sources/source_text.h"

enum { OUTPUT_MAX = 64 << 20, OBJECT_FD = 3 };

struct dump {
	pid_t pid;
	int fd;
	char *buf; /* malloc'd */
	size_t n, cap;
	bool cut; /* more than OUTPUT_MAX */
};

/* Run objdump on OBJECT_FD with a pipe to us; 0 or an errno. */
static int spawn(int object, int output, char *const argv[], char *const envp[],
		 pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int rc;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGPIPE);
	if ((rc = posix_spawn_file_actions_init(&files)))
		return rc;
	if ((rc = posix_spawnattr_init(&attr))) {
		posix_spawn_file_actions_destroy(&files);
		return rc;
	}
	if (!(rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
						    O_RDONLY, 0)) &&
	    !(rc = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)) &&
	    !(rc = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null",
						    O_WRONLY, 0)) &&
	    !(rc = posix_spawn_file_actions_adddup2(&files, object, OBJECT_FD)) &&
	    !(rc = posix_spawnattr_setsigdefault(&attr, &defaults)) &&
	    !(rc = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF)))
		rc = posix_spawnp(pid, "objdump", &files, &attr, argv, envp);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* If it cannot start, f->why says why; this is no error. */
static int start(struct exec *x, int object, uint64_t first, uint64_t last,
		 struct dump *d, struct text_file *f)
{
	char from[64], to[64], name[32];
	char *argv[] = {(char[]){"objdump"},
			(char[]){"-d"},
			(char[]){"-C"},
			(char[]){"--no-show-raw-insn"},
			from,
			to,
			(char[]){"--"},
			name,
			NULL};
	char *envp[] = {(char[]){"LC_ALL=C"}, NULL};
	int ends[2], copy, rc;

	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, first);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, last);
	snprintf(name, sizeof(name), "/dev/fd/%d", OBJECT_FD);
	/* A number above those that the child uses. */
	copy = fcntl(object, F_DUPFD_CLOEXEC, 10);
	if (copy < 0 || pipe2(ends, O_CLOEXEC) < 0) {
		err_set(x->err, ERR_LIMIT, 0, "no pipe for objdump: %s", strerror(errno));
		if (copy >= 0)
			close(copy);
		return (int)x->err->kind;
	}
	rc = spawn(copy, ends[1], argv, envp, &d->pid);
	close(ends[1]);
	close(copy);
	d->fd = ends[0];
	if (rc == ENOENT)
		f->why = "objdump is not installed (Debian: binutils)";
	else if (rc)
		f->why = strerror(rc);
	if (rc) {
		close(ends[0]);
		d->fd = -1;
	}
	return 0;
}

static int read_output(struct exec *x, struct dump *d)
{
	struct pollfd p = {.fd = d->fd, .events = POLLIN};
	ssize_t got = 1;

	while (got > 0 && !d->cut && !exec_poll_now(x)) {
		if (d->cap - d->n < 65536) {
			char *more = realloc(d->buf, d->cap * 2 + 131072);

			if (!more)
				return err_no_memory(x->err, NULL);
			d->buf = more;
			d->cap = d->cap * 2 + 131072;
		}
		if (poll(&p, 1, 100) == 0)
			continue;
		got = read(d->fd, d->buf + d->n, d->cap - d->n);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			got = 1;
		else if (got > 0)
			d->n += (size_t)got;
		d->cut = d->n > OUTPUT_MAX;
	}
	return (int)x->err->kind;
}

/* "  401136:<tab>push   %rbp" */
static bool instruction(struct str line, uint64_t *address, struct str *text)
{
	size_t at = 0, digits = 0;
	uint64_t v = 0;

	while (at < line.n && line.p[at] == ' ')
		at++;
	for (; at < line.n && strchr("0123456789abcdef", line.p[at]) && line.p[at];
	     at++) {
		char c = line.p[at];

		v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
		digits++;
	}
	if (!digits || digits > 16 || line.n < at + 2 || line.p[at] != ':' ||
	    line.p[at + 1] != '\t')
		return false;
	*address = v;
	*text = str_trim(str_from(line, at + 2));
	return true;
}

static int keep_lines(struct exec *x, struct str out, struct text_file *f, size_t *cap)
{
	while (out.n) {
		size_t end = str_find(out, '\n');
		struct str line = {out.p, end}, text;
		uint64_t at;

		out = end < out.n ? str_from(out, end + 1) : (struct str){out.p, 0};
		if (!instruction(line, &at, &text) ||
		    (f->n && at <= f->line[f->n - 1].pos))
			continue;
		if (f->n == *cap) {
			size_t more = *cap ? *cap * 2 : 1024;
			struct text_line *l = EXEC_ARRAY(x, struct text_line, more);

			if (!l)
				return (int)x->err->kind;
			if (f->n)
				memcpy(l, f->line, f->n * sizeof(*l));
			f->line = l;
			*cap = more;
		}
		text = arena_str(x->a, text_clean(x->a, text));
		if (!text.p)
			return arena_full(x->a, x->err);
		f->line[f->n++] = (struct text_line){at, text};
	}
	return 0;
}

int disassemble(struct exec *x, const struct roots_file *object, uint64_t first,
		uint64_t last, struct text_file *f, size_t *cap)
{
	struct dump d = {.fd = -1};
	int status = 0;

	if (start(x, object->fd, first, last, &d, f) || d.fd < 0)
		return (int)x->err->kind;
	if (read_output(x, &d) || d.cut)
		kill(d.pid, SIGKILL);
	close(d.fd);
	while (waitpid(d.pid, &status, 0) < 0 && errno == EINTR)
		;
	if (d.cut)
		f->why = "objdump writes too much: ask for fewer functions";
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		f->why = "objdump cannot read it";
	if (!x->err->kind)
		keep_lines(x, (struct str){d.buf, d.n}, f, cap);
	free(d.buf);
	return (int)x->err->kind;
}
