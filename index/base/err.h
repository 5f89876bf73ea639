/*
 * err.h - one error: its kind, its place and its sentence.
 *
 * The caller owns the struct err and zeroes it ({0}).  A function that can fail returns 0
 * or the kind; the first error wins, later err_set() calls leave it as it is.  A message
 * names the thing, the value and what to do; repl/ adds the file name or the caret.
 */
#ifndef QUERN_BASE_ERR_H
#define QUERN_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

enum err_kind {
	ERR_NONE = 0,
	ERR_USAGE,   /* wrong options: exit 2 */
	ERR_QUERY,   /* the query is wrong, or no function matched: exit 1 */
	ERR_PROFILE, /* cannot be read, is not a profile, is truncated: exit 3 */
	ERR_EXPECT,  /* `expect` failed: exit 4 */
	ERR_INDEX,   /* cannot be built or written, or is damaged: exit 5 */
	ERR_LOCKED,  /* another process builds this index: exit 5 */
	ERR_STALE,   /* the index is not of this profile or version: rebuild it */
	ERR_LIMIT,   /* a limit was hit (memory, rows, time, nesting): exit 6 */
	ERR_CANCEL,  /* interrupted by the user: exit 130 */
	ERR_OUTPUT,  /* the result could not be written: exit 1 */
};

#define ERR_NOWHERE UINT64_MAX /* at: an error that has no place in the query */

struct err {
	int kind;     /* enum err_kind; ERR_NONE: no error */
	uint64_t at;  /* byte offset in the query, or line of the file; 0: none */
	uint32_t len; /* bytes underlined in a query */
	bool lost;    /* the last err_set() was ignored, so its hint is, too */
	char text[600];
	char hint[400]; /* what to do instead; may be empty */
};

/* All three return the kind that err holds, never 0 after err_set(). */
int err_set(struct err *err, enum err_kind kind, uint64_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* ERR_LIMIT: "out of memory", and then `doing`, as in "while reading"; NULL: nothing. */
int err_no_memory(struct err *err, const char *doing);
void err_clear(struct err *err);
int err_exit_status(enum err_kind kind);
/* The kind of error for a failed call with errno `why`: ERR_LIMIT if memory was out. */
enum err_kind err_kind_of(int why, enum err_kind otherwise);

#endif
