/*
 * cancel.c - see cancel.h.
 */
#include "index/base/cancel.h"

#include <inttypes.h>
#include <time.h>

#include "index/base/err.h"

uint64_t cancel_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void cancel_after(struct cancel *c, uint64_t seconds)
{
	c->seconds = seconds;
	c->deadline_ns = seconds ? cancel_now_ns() + seconds * 1000000000ull : 0;
}

int cancel_poll(const struct cancel *c, struct err *err)
{
	if (c && c->asked && atomic_load_explicit(c->asked, memory_order_relaxed))
		return err_set(err, ERR_CANCEL, 0, "interrupted");
	if (!c || !c->deadline_ns || cancel_now_ns() < c->deadline_ns)
		return 0;
	err_set(err, ERR_LIMIT, 0,
		"the query took longer than its limit of %" PRIu64 " s", c->seconds);
	return err_hint(err, "ask for less, or raise it: --limit seconds=%" PRIu64,
			c->seconds * 10);
}
