/* err.c - errors; see err.h. */
#include "index/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum err_kind kind, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	err->lost = err->kind != ERR_NONE;
	if (err->lost)
		return (int)err->kind;
	err->kind = kind;
	err->at = at;
	err->len = 0;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return (int)kind;
}

int err_hint(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (err->lost || err->hint[0])
		return (int)err->kind;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return (int)err->kind;
}

void err_clear(struct err *err)
{
	memset(err, 0, sizeof(*err));
}

enum err_kind err_kind_of(int why, enum err_kind otherwise)
{
	return why == ENOMEM ? ERR_LIMIT : otherwise;
}

int err_exit_status(enum err_kind kind)
{
	static const unsigned char status[] = {
		[ERR_NONE] = 0,	  [ERR_USAGE] = 2,    [ERR_QUERY] = 1,	[ERR_PROFILE] = 3,
		[ERR_EXPECT] = 4, [ERR_INDEX] = 5,    [ERR_LOCKED] = 5, [ERR_STALE] = 5,
		[ERR_LIMIT] = 6,  [ERR_CANCEL] = 130, [ERR_OUTPUT] = 1,
	};

	return status[kind];
}
