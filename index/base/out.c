/* out.c - buffered output; see out.h. */
#include "index/base/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/base/cancel.h"

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

/* Without room in the buffer, all that follows is dropped by out_more(). */
static void out_fail(struct out *o, int failed)
{
	o->failed = failed;
	o->cap = o->n;
}

static void write_all(struct out *o, const char *p, size_t n)
{
	const uint64_t start = o->due && *o->due ? cancel_now_ns() : 0;

	while (n && !o->failed) {
		ssize_t w = write(o->fd, p, n);

		if (w < 0 && errno != EINTR)
			out_fail(o, errno);
		if (w > 0) {
			p += w;
			n -= (size_t)w;
		}
	}
	if (start)
		*o->due += cancel_now_ns() - start;
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
		out_fail(o, ENOMEM);
		lost++;
		return false;
	}
	o->buf = p;
	o->cap = want;
	return true;
}

void out_more(struct out *o, const void *p, size_t n)
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

void out_fill(struct out *o, char c, size_t n)
{
	while (n-- > 0)
		out_char(o, c);
}

static unsigned digits_of(uint64_t v)
{
	static const uint64_t power[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	/* 1233 / 4096 is log10(2), nearly. */
	const unsigned n = (unsigned)(64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= power[n]);
}

void out_u64(struct out *o, uint64_t v)
{
	static const char two[] = "00010203040506070809101112131415161718192021222324"
				  "25262728293031323334353637383940414243444546474849"
				  "50515253545556575859606162636465666768697071727374"
				  "75767778798081828384858687888990919293949596979899";
	const unsigned n = digits_of(v);
	char spare[20], *d = o->cap - o->n > sizeof(spare) ? o->buf + o->n : spare;
	unsigned i = n;

	for (; v >= 100; v /= 100)
		memcpy(d + (i -= 2), two + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(d, two + v * 2, 2);
	else
		d[0] = (char)('0' + v);
	if (d == spare) {
		out_bytes(o, d, n);
		return;
	}
	o->n += n;
	o->written += n;
}

void out_i64(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_u64(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
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
		if (o->failed)
			o->cap = 0;
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

void out_close_into(struct out *o, struct out *text)
{
	if (text->failed)
		o->failed = text->failed;
	out_close(text);
}
