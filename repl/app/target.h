/*
 * target.h - a file that appears whole or not at all.
 *
 * Bytes go to a temporary beside it; target_commit() renames it over the name.  What is not
 * a regular file (/dev/null, a fifo) is written to directly.  A symbolic link is followed.
 */
#ifndef QUERN_TARGET_H
#define QUERN_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "index/base/err.h"

struct target {
	int fd;		   /* write here; -1: closed */
	char *path, *temp; /* temp is NULL when written directly */
	bool torn;	   /* it ends in half an answer */
};

int target_open(struct target *t, const char *path, struct err *err);
/* Bytes that are whole so far; what comes behind them can be taken back. */
off_t target_whole(const struct target *t);
void target_take_back(struct target *t, off_t whole);
/* Sync, rename, close.  On failure nothing is left behind. */
int target_commit(struct target *t, struct err *err);
void target_abandon(struct target *t); /* the old file, if any, stays */

#endif
