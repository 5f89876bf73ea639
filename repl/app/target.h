/*
 * target.h - an output file that appears whole or not at all.
 *
 * Bytes go to a temporary file beside it, and target_commit() renames that.  A target
 * that is not a regular file (/dev/null, a FIFO) is written directly.  A symbolic link is
 * followed.
 */
#ifndef QUERN_TARGET_H
#define QUERN_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

struct err;

struct target {
	int fd;		   /* write here; -1: closed */
	char *path, *temp; /* temp is NULL when written directly */
	bool torn;	   /* it ends with part of an answer */
	bool is_new;	   /* set it: no file that comes meanwhile is replaced */
};

int target_open(struct target *t, const char *path, struct err *err);
/* The length up to the last whole answer; bytes after it can be taken back. */
off_t target_whole(const struct target *t);
void target_take_back(struct target *t, off_t whole);
/* Sync, rename, close.  A failure leaves no file behind. */
int target_commit(struct target *t, struct err *err);
void target_abandon(struct target *t); /* the old file, if any, stays */

#endif
