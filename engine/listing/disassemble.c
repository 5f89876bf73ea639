/*
 * disassemble.c - instructions of an object, by objdump; see source_text.h.
 *
 *	ranges		##  #   ##			                ### #
 *	objdump		[---------]  started once, and then again for  [-----]
 *
 * To start objdump takes as long as to disassemble 256 KiB: 25 ms for cc1plus, which it
 * disassembles at 5 MB/s.  So it is started again only after a larger gap.  Its lines
 * are read as they come, and those outside the ranges are dropped.
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

#include "engine/files/roots.h"
#include "engine/listing/source_text.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/map.h"

enum {
	OUTPUT_MAX = 64 << 20, /* bytes, and OUTPUT_EACH for each byte of code */
	OUTPUT_EACH = 64,
	LINE_MAX_BYTES = 1 << 20,
	GAP = 256 << 10,
	STARTS = 64,  /* most starts of objdump: more ranges make larger gaps */
	LONGEST = 16, /* bytes of an instruction */
	OBJECT_FD = 3,
};

struct dump {
	pid_t pid;
	int fd;
	char *buf; /* malloc'd: lines that are not read yet */
	size_t n, cap;
	uint64_t written, most; /* bytes of its output; more is too much */
	bool cut;		/* it wrote more */
	const struct text_range *range, *end;
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
		return x->err->kind;
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

/* Whether the address is in a range; addresses ascend. */
static bool in_ranges(struct dump *d, uint64_t at)
{
	while (d->range < d->end && d->range->last < at)
		d->range++;
	return d->range < d->end && at >= d->range->first;
}

static int keep_line(struct exec *x, struct dump *d, struct str line, struct text_file *f,
		     size_t *cap)
{
	struct str text;
	uint64_t at;

	if (!instruction(line, &at, &text) || (f->n && at <= f->line[f->n - 1].pos) ||
	    !in_ranges(d, at))
		return 0;
	exec_grow(x, &f->line, cap, f->n, f->n + 1, sizeof(*f->line));
	text = arena_str(x->a, text_clean(x->a, text));
	if (!text.p)
		return arena_full(x->a, x->err);
	f->line[f->n++] = (struct text_line){at, text};
	return 0;
}

/* Take the whole lines of the buffer; last: what is left is a line, too. */
static int take_lines_of(struct exec *x, struct dump *d, bool last, struct text_file *f,
			 size_t *cap)
{
	struct str rest = {d->buf, d->n};

	while (rest.n) {
		const size_t end = str_find(rest, '\n');

		if (end == rest.n && !last)
			break;
		if (keep_line(x, d, (struct str){rest.p, end}, f, cap))
			return x->err->kind;
		rest = str_from(rest, end < rest.n ? end + 1 : end);
	}
	if (rest.n && rest.p != d->buf)
		memmove(d->buf, rest.p, rest.n);
	d->n = rest.n;
	return 0;
}

struct reading {
	struct exec *x;
	struct dump *d;
	struct text_file *f;
	size_t *cap;
};

static int read_output(void *arg)
{
	enum { AT_ONCE = 64 << 10 };
	const struct reading *r = arg;
	struct exec *x = r->x;
	struct dump *d = r->d;
	struct pollfd p = {.fd = d->fd, .events = POLLIN};
	ssize_t got = 1;

	if (!(d->buf = malloc(d->cap = LINE_MAX_BYTES + AT_ONCE)))
		return err_no_memory(x->err, NULL);
	while (got > 0 && !d->cut) {
		exec_poll_now(x);
		if (poll(&p, 1, 100) == 0)
			continue;
		got = read(d->fd, d->buf + d->n, AT_ONCE);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			got = 1;
		else if (got > 0)
			d->n += (size_t)got, d->written += (uint64_t)got;
		if (take_lines_of(x, d, got <= 0, r->f, r->cap))
			return x->err->kind;
		d->cut = d->written > d->most || d->n > LINE_MAX_BYTES;
	}
	return x->err->kind;
}

/* Start objdump once, for the ranges range[0..n). */
static int run(struct exec *x, const struct roots_file *object,
	       const struct text_range *range, size_t n, struct text_file *f, size_t *cap)
{
	const uint64_t first = range[0].first, last = range[n - 1].last;
	const uint64_t span = last - first < UINT32_MAX ? last - first : UINT32_MAX;
	struct dump d = {.fd = -1,
			 .most = OUTPUT_MAX + OUTPUT_EACH * span,
			 .range = range,
			 .end = range + n};
	struct reading r = {x, &d, f, cap};
	int status = 0;

	/* The last instruction must not be cut off. */
	if (start(x, object->fd, first,
		  last > UINT64_MAX - LONGEST ? last : last + LONGEST, &d, f) ||
	    d.fd < 0)
		return x->err->kind;
	if (map_guard(read_output, &r, ERR_INDEX, x->err) || d.cut)
		kill(d.pid, SIGKILL);
	close(d.fd);
	while (waitpid(d.pid, &status, 0) < 0 && errno == EINTR)
		;
	if (d.cut)
		f->why = "objdump writes too much: ask for fewer functions";
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		f->why = "objdump cannot read it";
	free(d.buf);
	return x->err->kind;
}

/* How often objdump is started if ranges with larger gaps are apart. */
static size_t starts(const struct text_range *range, size_t n, uint64_t gap)
{
	size_t k = n > 0;

	for (size_t i = 1; i < n; i++)
		k += range[i].first - range[i - 1].last > gap;
	return k;
}

int disassemble(struct exec *x, const struct roots_file *object,
		const struct text_range *range, size_t n, struct text_file *f,
		size_t *cap)
{
	uint64_t gap = GAP;

	while (starts(range, n, gap) > STARTS)
		gap *= 2;
	for (size_t i = 0, k; i < n && !f->why && !x->err->kind; i = k) {
		for (k = i + 1; k < n && range[k].first - range[k - 1].last <= gap; k++)
			;
		run(x, object, range + i, k - i, f, cap);
	}
	return x->err->kind;
}
