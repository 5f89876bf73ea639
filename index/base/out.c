/* out.c - buffered output; see out.h. */
#include "index/base/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 64 << 10 };

static _Thread_local unsigned lost;

unsigned out_lost(void)
{
	return lost;
}

void out_fd(struct out *o, int fd)
{
	*o = (struct out){.fd = fd};
}

void out_mem(struct out *o)
{
	*o = (struct out){.fd = -1};
}

static void write_all(struct out *o, const char *p, size_t n)
{
	while (n && !o->failed) {
		ssize_t w = write(o->fd, p, n);

		if (w < 0 && errno != EINTR)
			o->failed = errno;
		if (w > 0) {
			p += w;
			n -= (size_t)w;
		}
	}
}

/* Make room for n more bytes in the buffer; false (with failed set) if memory is out. */
static bool out_room(struct out *o, size_t n)
{
	size_t want = o->fd < 0 ? o->n + n : BUFFER;
	char *p;

	if (o->failed)
		return false;
	if (o->fd >= 0 && o->cap && o->cap - o->n < n)
		out_flush(o);
	if (o->cap - o->n >= n)
		return !o->failed;
	if (want < o->n + n)
		want = o->n + n;
	if (o->fd < 0 && want < o->cap * 2)
		want = o->cap * 2;
	p = realloc(o->buf == o->spare ? NULL : o->buf, want);
	if (!p && o->fd >= 0 && !o->buf && n <= sizeof(o->spare)) {
		p = o->spare;
		want = sizeof(o->spare);
	}
	if (!p) {
		o->failed = ENOMEM;
		lost++;
		return false;
	}
	o->buf = p;
	o->cap = want;
	return true;
}

void out_bytes(struct out *o, const void *p, size_t n)
{
	if (n == 0 || (o->fd >= 0 && !o->buf && !out_room(o, 1)))
		return;
	if (o->fd >= 0 && n >= o->cap) {
		out_flush(o);
		write_all(o, p, n);
		if (!o->failed)
			o->written += n;
		return;
	}
	if (!out_room(o, n))
		return;
	memcpy(o->buf + o->n, p, n);
	o->n += n;
	o->written += n;
}

void out_str(struct out *o, struct str s)
{
	out_bytes(o, s.p, s.n);
}

void out_c(struct out *o, const char *c)
{
	out_bytes(o, c, strlen(c));
}

void out_char(struct out *o, char c)
{
	out_bytes(o, &c, 1);
}

void out_fill(struct out *o, char c, size_t n)
{
	while (n-- > 0)
		out_char(o, c);
}

void out_u64(struct out *o, uint64_t v)
{
	char d[20];
	size_t i = sizeof(d);

	do
		d[--i] = (char)('0' + v % 10);
	while (v /= 10);
	out_bytes(o, d + i, sizeof(d) - i);
}

void out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !out_room(o, (size_t)n + 1))
		return;
	va_start(ap, fmt);
	vsnprintf(o->buf + o->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	o->n += (size_t)n;
	o->written += (size_t)n;
}

int out_flush(struct out *o)
{
	if (o->fd >= 0) {
		write_all(o, o->buf, o->n);
		o->n = 0;
	}
	return o->failed;
}

int out_close(struct out *o)
{
	int failed = out_flush(o);

	if (o->buf != o->spare)
		free(o->buf);
	o->buf = NULL;
	o->n = o->cap = 0;
	return failed;
}
