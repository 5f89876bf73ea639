/*
 * cancel.h - stop a long computation: the user asks for it, or its time is over.
 *
 * Long loops call cancel_poll() every so often and return its error.  The user asks by a
 * number that another thread or a signal handler sets.
 */
#ifndef QUERN_CANCEL_H
#define QUERN_CANCEL_H

#include <stdatomic.h>
#include <stdint.h>

struct err;

struct cancel {
	const atomic_int *asked; /* not 0: the user wants to stop; may be NULL */
	uint64_t deadline_ns;	 /* CLOCK_MONOTONIC; 0: no deadline */
	uint64_t seconds;	 /* the time limit, for the message */
};

uint64_t cancel_now_ns(void); /* CLOCK_MONOTONIC */
/* Set the deadline `seconds` from now; 0: no deadline. */
void cancel_after(struct cancel *c, uint64_t seconds);
/* Returns 0, ERR_CANCEL or ERR_LIMIT.  c may be NULL: always 0. */
int cancel_poll(const struct cancel *c, struct err *err);

#endif
