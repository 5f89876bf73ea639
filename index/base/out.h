/*
 * out.h - buffered output to a file descriptor or to memory.
 *
 * After a failed write (`failed` holds errno) all further output is dropped, so the
 * caller checks once, at out_close() or out_flush().
 */
#ifndef QUERN_BASE_OUT_H
#define QUERN_BASE_OUT_H

#include <string.h>

#include "index/base/str.h"

struct out {
	char *buf;
	size_t n, cap;	  /* cap: n after a failure */
	int fd;		  /* -1: memory */
	int failed;	  /* errno of the first failure */
	uint64_t written; /* bytes accepted in all */
	uint64_t *due;	  /* a deadline that comes later by what writing takes; or NULL */
	char spare[256];  /* buffer if malloc() fails: makes the struct unmovable */
};

void out_fd(struct out *o, int fd);
void out_mem(struct out *o); /* read the bytes as o->buf, o->n */
void out_more(struct out *o, const void *p, size_t n); /* as out_bytes(), any n */
static inline void out_bytes(struct out *o, const void *p, size_t n)
{
	if (!n || n >= o->cap - o->n) {
		out_more(o, p, n);
		return;
	}
	memcpy(o->buf + o->n, p, n);
	o->n += n;
	o->written += n;
}
static inline void out_str(struct out *o, struct str s)
{
	out_bytes(o, s.p, s.n);
}
static inline void out_c(struct out *o, const char *c)
{
	out_bytes(o, c, strlen(c));
}
static inline void out_char(struct out *o, char c)
{
	out_bytes(o, &c, 1);
}
/* The bytes in memory, until more are written. */
static inline struct str out_text(const struct out *o)
{
	return (struct str){o->n ? o->buf : "", o->n};
}
void out_fill(struct out *o, char c, size_t n);
void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
void out_printf(struct out *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* How often output to memory was lost in this thread because memory was out.  Code
 * that builds an answer from many pieces compares it before and after. */
unsigned out_lost(void);
int out_flush(struct out *o); /* 0 or errno; memory: nothing to do */
int out_close(struct out *o); /* flush, free the buffer; not the fd */
/* Free text in memory that went into o: if it was not whole, o is not, either. */
void out_close_into(struct out *o, struct out *text);

#endif
