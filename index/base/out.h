/*
 * out.h - buffered output to a file descriptor or to memory.
 *
 * A failed write is kept (failed holds errno) and everything after it is dropped, so the
 * caller checks once, at out_close() or out_flush().
 */
#ifndef QUERN_BASE_OUT_H
#define QUERN_BASE_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "index/base/str.h"

struct out {
	char *buf;
	size_t n, cap;
	int fd;		  /* -1: memory */
	int failed;	  /* errno of the first failure */
	uint64_t written; /* bytes accepted in all */
	char spare[256];  /* the buffer when there is no memory for one: then errors are
			     still told; the struct must not be copied while in use */
};

void out_fd(struct out *o, int fd);
void out_mem(struct out *o); /* read the bytes as o->buf, o->n */
void out_bytes(struct out *o, const void *p, size_t n);
void out_str(struct out *o, struct str s);
void out_c(struct out *o, const char *c);
void out_char(struct out *o, char c);
void out_fill(struct out *o, char c, size_t n);
void out_u64(struct out *o, uint64_t v);
void out_printf(struct out *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* How often this thread wanted memory for output in memory and had none.  Pieces of an answer
 * are put together in many places; whoever sends it compares before and after. */
unsigned out_lost(void);
int out_flush(struct out *o); /* 0 or errno; memory: nothing to do */
int out_close(struct out *o); /* flush, free the buffer; not the fd */

#endif
