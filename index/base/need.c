/* need.c - see need.h. */
#include "index/base/need.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/base/cancel.h"
#include "index/base/err.h"

struct scratch {
	struct arena a; /* first: its address is that of the scratch */
	struct map_held held;
};

__attribute__((noinline)) _Noreturn void need_memory(const struct arena *a)
{
	struct err err = {0};

	arena_full(a, &err);
	map_leave(&err);
}

void *need_array(struct arena *a, size_t n, size_t size)
{
	void *p = arena_array(a, n, size);

	if (!p)
		need_memory(a);
	return p;
}

void need_grow(struct arena *a, void *pp, size_t *cap, size_t used, size_t need,
	       size_t size)
{
	if (arena_grow(a, pp, cap, used, need, size))
		need_memory(a);
}

struct str need_str(struct arena *a, struct str s)
{
	struct str copy = arena_str(a, s);

	if (!copy.p)
		need_memory(a);
	return copy;
}

struct str need_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	struct str s;

	va_start(ap, fmt);
	s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	if (!s.p)
		need_memory(a);
	return s;
}

_Noreturn void need_fail(int kind, const char *fmt, ...)
{
	struct err err = {0};
	va_list ap;

	va_start(ap, fmt);
	err_setv(&err, kind, 0, fmt, ap);
	va_end(ap);
	map_leave(&err);
}

_Noreturn void need_memory_for(const char *doing)
{
	struct err err = {0};

	err_no_memory(&err, doing);
	map_leave(&err);
}

_Noreturn void need_hint(struct err *err, const char *fmt, ...)
{
	char hint[sizeof(err->hint)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(hint, sizeof(hint), fmt, ap);
	va_end(ap);
	err_hint(err, "%s", hint);
	map_leave(err);
}

static void release(struct map_held *h)
{
	struct scratch *s =
		(struct scratch *)((char *)h - offsetof(struct scratch, held));

	arena_free(&s->a);
	free(s);
}

struct arena *need_scratch(const struct arena *beside)
{
	struct scratch *s = malloc(sizeof(*s));

	if (!s)
		need_memory_for(NULL);
	arena_init(&s->a, beside ? beside->cap : 0);
	s->held.release = release;
	map_hold(&s->held);
	return &s->a;
}

void scratch_free(struct arena *a)
{
	struct scratch *s = (struct scratch *)a;

	if (!a)
		return;
	map_let_go(&s->held);
	release(&s->held);
}

void need_time(const struct cancel *c)
{
	struct err err = {0};

	need(cancel_poll(c, &err), &err);
}
