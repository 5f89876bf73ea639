/* inlines_child.c - see inlines_child.h. */
#include "engine/inline/inlines_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/files/confine.h"
#include "engine/files/roots.h"
#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/os.h"

#ifndef __has_feature
#define __has_feature(f) 0
#endif
/* The shadow of a sanitizer alone is larger than any limit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer)
enum { SHADOW = true };
#else
enum { SHADOW = false };
#endif

enum {
	SHARED = 50000,		/* addresses that are worth a second child */
	SECONDS = 2,		/* of processor time, and */
	BYTES_SECOND = 4 << 20, /* one more for so many bytes; it reads 30 MB a second */
	MEMORY = 256 << 20,	/* beside what the parent has, and */
	MEMORY_TIMES = 16,	/* so many times the bytes of the files */
	ANSWER = 64 << 20,	/* bytes, and */
	ANSWER_EACH = 256,	/* so many for each address */
};

struct inline_child {
	pid_t pid; /* 0: none */
	int from;  /* what it writes; -1: ended */
	size_t most;
	bool too_much;
	int status;
};

/* ---- in the child ---- */

static void limit(int resource, rlim_t most)
{
	struct rlimit l;

	if (getrlimit(resource, &l))
		return;
	l.rlim_cur = most < l.rlim_max ? most : l.rlim_max;
	setrlimit(resource, &l);
}

static rlim_t memory_before; /* of the child, which is a process of its own */

/* Limits for the files opened so far. */
static void limit_child(uint64_t bytes)
{
	limit(RLIMIT_CPU, (rlim_t)(SECONDS + bytes / BYTES_SECOND));
	if (!SHADOW)
		limit(RLIMIT_DATA, memory_before + MEMORY + (rlim_t)bytes * MEMORY_TIMES);
}

static int write_answer(int to, const struct bytes *b)
{
	for (size_t done = 0; done < b->n;) {
		const ssize_t wrote = write(to, b->p + done, b->n - done);

		if (wrote < 0 && errno != EINTR)
			return -1;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	return 0;
}

/* The child does this alone, and ends. */
static void child(struct dwarf_ask ask, int to)
{
	static const int usual[] = {SIGBUS, SIGSEGV, SIGINT, SIGPIPE, SIGXCPU};
	struct bytes b = {0};

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		signal(usual[i], SIG_DFL);
	limit(RLIMIT_CORE, 0);
	memory_before = (rlim_t)os_memory();
	if (!memory_before)
		memory_before = (rlim_t)16 << 30;
	confine_child(ask.roots, ask.object->path);
	limit_child(ask.object->size);
	ask.opened = limit_child;
	_exit(dwarf_read(&ask, &b) || write_answer(to, &b));
}

/* ---- in the parent ---- */

static int start(struct inline_child *c, const struct dwarf_ask *ask, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, ERR_LIMIT, 0, "no pipe: %s", strerror(errno));
	c->pid = fork();
	if (c->pid == 0) {
		close(ends[0]);
		child(*ask, ends[1]);
	}
	close(ends[1]);
	c->from = ends[0];
	c->most = ANSWER + ask->n * ANSWER_EACH;
	if (c->most > ask->most)
		c->most = ask->most;
	if (c->pid > 0)
		return 0;
	close(ends[0]);
	c->pid = 0;
	return err_set(err, ERR_LIMIT, 0, "no process: %s", strerror(errno));
}

static void stop_reading(struct inline_child *c)
{
	close(c->from);
	c->from = -1;
}

/* Read what there is. */
static int read_some(struct inline_child *c, struct bytes *b, struct err *err)
{
	enum { AT_ONCE = 1 << 16 };
	ssize_t got;

	if (bytes_room(b, AT_ONCE))
		return err_no_memory(err, "while reading inlined functions");
	got = read(c->from, b->p + b->n, AT_ONCE);
	if (got > 0)
		b->n += (size_t)got;
	c->too_much = b->n > c->most;
	if (c->too_much || got == 0 || (got < 0 && errno != EINTR))
		stop_reading(c);
	return 0;
}

/* Read all that the children write; they may take as long as the query. */
static int read_children(struct inline_child *c, struct bytes *b,
			 const struct cancel *cancel, struct err *err)
{
	enum { LOOK_MS = 100 };

	for (;;) {
		struct pollfd p[INLINE_CHILDREN];
		bool any = false;

		for (size_t i = 0; i < INLINE_CHILDREN; i++) {
			p[i] = (struct pollfd){.fd = c[i].from, .events = POLLIN};
			any = any || c[i].from >= 0;
		}
		if (!any)
			return 0;
		if (cancel_poll(cancel, err))
			return err->kind;
		if (poll(p, INLINE_CHILDREN, LOOK_MS) <= 0)
			continue;
		for (size_t i = 0; i < INLINE_CHILDREN; i++)
			if (p[i].fd >= 0 && p[i].revents && read_some(&c[i], &b[i], err))
				return err->kind;
	}
}

/* End those that still run, and wait for all. */
static void end_children(struct inline_child *c, const struct err *err)
{
	for (size_t i = 0; i < INLINE_CHILDREN; i++) {
		if (!c[i].pid)
			continue;
		if (err->kind || c[i].too_much)
			kill(c[i].pid, SIGKILL);
		if (c[i].from >= 0)
			stop_reading(&c[i]);
		while (waitpid(c[i].pid, &c[i].status, 0) < 0 && errno == EINTR)
			;
	}
}

/* ---- the answer ---- */

const char inline_no_debug[] = "it has no debug information";

static const char *reason_of(uint64_t result)
{
	switch (result) {
	case DWARF_FOUND: return NULL;
	case DWARF_NONE: return inline_no_debug;
	case DWARF_APART:
		return "a part of its debug information is in a file that is not found";
	case DWARF_MEMORY: return "its debug information needs too much memory";
	case DWARF_NOT_BUILT: return "quern was built without libdw";
	default: return "its debug information cannot be read";
	}
}

/* Why a child did not end as it should. */
static const char *how_ended(const struct inline_child *c)
{
	const int s = c->status;

	if (c->too_much)
		return reason_of(DWARF_MEMORY);
	if (WIFEXITED(s) && WEXITSTATUS(s) == 0)
		return NULL;
	return WIFSIGNALED(s) && WTERMSIG(s) == SIGXCPU
		       ? "its debug information takes too long to read"
		       : reason_of(DWARF_UNREADABLE);
}

/* Whether code is about the addresses asked for. */
static bool answers(const struct inline_code *code, const struct dwarf_place *at,
		    size_t n)
{
	if (code->n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (code->at[i].address != at[i].address)
			return false;
	return true;
}

static int take_answer(struct inline_answer *out, size_t i, const struct dwarf_ask *ask,
		       struct err *err)
{
	const struct bytes *b = &out->bytes[i];
	struct varint_reader in = {b->p, b->p + b->n, false};
	struct inline_code *code = &out->code[out->codes];
	uint64_t result;

	result = varint_get(&in);
	out->why = reason_of(result);
	out->none = result == DWARF_NONE;
	out->build_id = inline_text_get(&in);
	if (!out->why || out->none) {
		if (inline_code_get(code, &in, &out->arena))
			return err_no_memory(err, "while reading inlined functions");
		if (!in.bad && !answers(code, ask->at, out->none ? 0 : ask->n))
			varint_none(&in);
		out->codes++;
	}
	out->none = out->none && !in.bad;
	if (in.bad)
		out->why = reason_of(DWARF_UNREADABLE);
	return 0;
}

int inline_children(const struct dwarf_ask *ask, const struct cancel *cancel,
		    struct inline_answer *out, struct err *err)
{
	const size_t children = ask->n < SHARED ? 1 : INLINE_CHILDREN;
	struct inline_child c[INLINE_CHILDREN];
	struct dwarf_ask share[INLINE_CHILDREN];

	*out = (struct inline_answer){0};
	arena_init(&out->arena, ask->most);
	if (!dwarf_built()) {
		out->why = reason_of(DWARF_NOT_BUILT);
		return 0;
	}
	for (size_t i = 0; i < INLINE_CHILDREN; i++) {
		const size_t from = ask->n * i / children;

		c[i] = (struct inline_child){.from = -1};
		share[i] = *ask;
		if (i >= children || err->kind)
			continue;
		if (from) /* nothing may be asked: then there is no array */
			share[i].at += from;
		share[i].n = ask->n * (i + 1) / children - from;
		start(&c[i], &share[i], err);
	}
	if (!err->kind)
		read_children(c, out->bytes, cancel, err);
	end_children(c, err);
	for (size_t i = 0; i < children && !err->kind && !out->why; i++)
		if (!(out->why = how_ended(&c[i])))
			take_answer(out, i, &share[i], err);
	return err->kind;
}

void inline_answer_free(struct inline_answer *a)
{
	for (size_t i = 0; i < INLINE_CHILDREN; i++)
		free(a->bytes[i].p);
	arena_free(&a->arena);
}
