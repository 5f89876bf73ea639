/* err.c - errors; see err.h. */
#include "index/base/err.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "index/base/str.h"

/* Format a message.  One that is too long loses its middle: the path, not the reason
 * after it. */
__attribute__((format(printf, 3, 0))) static void put(char *to, size_t size,
						      const char *fmt, va_list ap)
{
	static const char gap[] = " ... ";
	const size_t half = (size - sizeof(gap)) / 2;
	char whole[3 * PATH_MAX];
	size_t n, head;

	if (vsnprintf(whole, sizeof(whole), fmt, ap) < 0)
		whole[0] = '\0';
	n = strlen(whole);
	if (n < size) {
		memcpy(to, whole, n + 1);
		return;
	}
	head = str_cut((struct str){whole, n}, half).n;
	memcpy(to, whole, head);
	memcpy(to + head, gap, sizeof(gap) - 1);
	for (n -= size - sizeof(gap) - half; (whole[n] & 0xc0) == 0x80;)
		n++;
	memcpy(to + head + sizeof(gap) - 1, whole + n, strlen(whole + n) + 1);
}

int err_setv(struct err *err, int kind, uint64_t at, const char *fmt, va_list ap)
{
	err->lost = err->kind != ERR_NONE;
	if (err->lost)
		return err->kind;
	err->kind = kind;
	err->at = at;
	err->len = 0;
	err->hint[0] = '\0';
	put(err->text, sizeof(err->text), fmt, ap);
	return kind;
}

int err_set(struct err *err, int kind, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	kind = err_setv(err, kind, at, fmt, ap);
	va_end(ap);
	return kind;
}

int err_hint(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (err->lost || err->hint[0])
		return err->kind;
	va_start(ap, fmt);
	put(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return err->kind;
}

int err_no_memory(struct err *err, const char *doing)
{
	return err_set(err, ERR_LIMIT, 0, "out of memory%s%s", doing ? " " : "",
		       doing ? doing : "");
}

void err_clear(struct err *err)
{
	memset(err, 0, sizeof(*err));
}

int err_kind_of(int why, int otherwise)
{
	return why == ENOMEM ? ERR_LIMIT : otherwise;
}

int err_exit_status(int kind)
{
	static const unsigned char status[] = {
		[ERR_NONE] = 0,	  [ERR_USAGE] = 2,    [ERR_QUERY] = 1,	[ERR_PROFILE] = 3,
		[ERR_EXPECT] = 4, [ERR_INDEX] = 5,    [ERR_LOCKED] = 5, [ERR_STALE] = 5,
		[ERR_LIMIT] = 6,  [ERR_CANCEL] = 130, [ERR_OUTPUT] = 1,
	};

	return status[kind];
}
