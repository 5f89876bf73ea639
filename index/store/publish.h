/*
 * publish.h - where an index is stored, and how a new one replaces it.
 *
 * A new index is written to "INDEX.tmp.PID.RANDOM" in the same directory, synced, made
 * read-only and renamed; then the directory is synced.  Only the holder of the lock on
 * "INDEX.lock" may do that, and writes into it who it is.  It first removes leftovers of
 * dead builders.
 */
#ifndef QUERN_PUBLISH_H
#define QUERN_PUBLISH_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "index/base/os.h"

struct err;

enum { INDEX_PATH_MAX = PATH_MAX + 64 };

/* The i-th place for the index of a profile, best first: beside the profile, then in
 * the cache ($XDG_CACHE_HOME/quern or ~/.cache/quern).  False: no further place. */
bool publish_place(const char *profile, unsigned i, char path[INDEX_PATH_MAX]);
/* ERR_INDEX if the file at path is neither an index of quern's nor empty: somebody may
 * need it.  Also if it is the open file profile_fd; -1: no such file. */
int publish_replaces(const char *path, int profile_fd, struct err *err);
/* Whether an index can be written to path: its directory is writable (the cache is
 * created), the name is not too long, and no file of another user is in the way. */
bool publish_writable(const char *path);

/* Call remove(descriptor of the directory, name) for each "PATH.tmp.PID.NUMBER" whose
 * process has ended.  publish_remove() removes a file. */
void publish_sweep(const char *path, void (*remove)(int dir, const char *name));
void publish_remove(int dir, const char *name);

/* The directory of path; "." if path has none. */
void publish_directory(const char *path, char dir[INDEX_PATH_MAX]);

struct publish {
	char index[INDEX_PATH_MAX], temp[INDEX_PATH_MAX], lock[INDEX_PATH_MAX];
	int dir_fd, lock_fd, temp_fd;
	time_t told_s;	     /* publish_tell() */
	bool nameless;	     /* the temporary file has no name: closing it removes it */
	char opens[OS_PATH]; /* a path that opens temp_fd's file, named or not */
};

/* How to wait for the lock. */
struct publish_wait {
	bool no_wait;	/* fail with ERR_LOCKED at once */
	bool in_memory; /* a temporary file is one of memory, where there is /proc */
	const atomic_int *cancel; /* may be NULL */
	/* Called about once a second while another process holds the lock: `who`
	 * describes it, idle_s is how long its work has not progressed.  May be NULL. */
	void (*waits)(void *arg, const char *lock, const char *who, unsigned idle_s);
	void *arg;
};

/* Take the lock and make an empty temporary file.  index NULL: only a temporary file
 * in memory or in $TMPDIR, which no kill can leave behind. */
int publish_begin(struct publish *p, const char *index, const struct publish_wait *w,
		  struct err *err);
/* Show progress to processes that wait for the lock; call about once a second.  done:
 * bytes read. */
void publish_tell(struct publish *p, uint64_t done);
/* A path that opens the temporary file. */
const char *publish_opens(const struct publish *p);
/* Sync and rename the file, sync the directory. */
int publish_commit(struct publish *p, struct err *err);
void publish_end(struct publish *p); /* remove the temporary file, release the lock */

#endif
