/*
 * cancel.h - when to give up: the user asks for it, or the question's time is over.
 *
 * Loops that may be long look at it every so often and hand its error up.
 */
#ifndef QUERN_CANCEL_H
#define QUERN_CANCEL_H

#include <stdatomic.h>
#include <stdint.h>

#include "index/base/err.h"

struct cancel {
	const atomic_int *asked; /* not 0: by the user; or NULL */
	uint64_t deadline_ns;	 /* CLOCK_MONOTONIC; 0: none */
	uint32_t seconds;	 /* how long that is from the start */
};

/* `seconds` from now; 0: no deadline. */
void cancel_after(struct cancel *c, uint32_t seconds);
/* 0, ERR_CANCEL or ERR_LIMIT.  c may be NULL: never. */
int cancel_poll(const struct cancel *c, struct err *err);

#endif
