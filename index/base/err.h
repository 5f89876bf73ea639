/*
 * err.h - one error: its kind, its place and its sentence.
 *
 * The caller owns the struct err and zeroes it ({0}).  A function that can fail returns 0
 * or the kind; the first error wins, later err_set() calls leave it as it is.  A message
 * names the thing, the value and what to do; repl/ adds the file name or the caret.
 *
 *	err_struct.h	the struct alone		err_kind.h	the kinds alone
 */
#ifndef QUERN_BASE_ERR_H
#define QUERN_BASE_ERR_H

#include <stdarg.h>

#include "index/base/err_kind.h"
#include "index/base/err_struct.h"

/* All return the kind that err holds, never 0 after err_set(). */
int err_set(struct err *err, int kind, uint64_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int err_setv(struct err *err, int kind, uint64_t at, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));
int err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* ERR_LIMIT: "out of memory", and then `doing`, as in "while reading"; NULL: nothing. */
int err_no_memory(struct err *err, const char *doing);
void err_clear(struct err *err);

#endif
