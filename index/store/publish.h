/*
 * publish.h - where an index lives, and how a new one takes its place.
 *
 * A new index is written to "INDEX.tmp.PID.RANDOM" in the directory of the final one, synced,
 * made read-only and renamed; then the directory is synced.  Whoever holds the lock of
 * "INDEX.lock" may do that, and says in it who it is; leftovers of dead builders are removed first.
 */
#ifndef QUERN_PUBLISH_H
#define QUERN_PUBLISH_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "index/base/err.h"

enum { INDEX_PATH_MAX = PATH_MAX + 64 };

/* Where the index of a profile may be, best first: beside it, then in the cache
 * ($XDG_CACHE_HOME/quern or ~/.cache/quern).  False: no such place. */
bool publish_place(const char *profile, unsigned i, char path[INDEX_PATH_MAX]);
/* ERR_INDEX when at path there is a file that somebody may miss: anything but an index of quern's or
 * an empty file.  `profile_fd`: nor the profile; -1: no matter. */
int publish_replaces(const char *path, int profile_fd, struct err *err);
/* True when an index could be put at path: its directory (created when it is the cache) can be
 * written, its name is not too long, and nothing of another user is in the way. */
bool publish_writable(const char *path);

/* Call remove(descriptor of the directory, name) for each "PATH.tmp.PID.NUMBER" whose process is
 * no more; publish_remove() is for files. */
void publish_sweep(const char *path, void (*remove)(int dir, const char *name));
void publish_remove(int dir, const char *name);

/* The directory of path into dir ("." when it has none). */
void publish_directory(const char *path, char dir[INDEX_PATH_MAX]);

struct publish {
	char index[INDEX_PATH_MAX], temp[INDEX_PATH_MAX], lock[INDEX_PATH_MAX];
	int dir_fd, lock_fd, temp_fd;
	time_t told_s;	/* publish_tell() */
	bool nameless;	/* the temporary file has no name: it is gone when closed */
	char opens[64]; /* a path that leads to temp_fd's file, whatever its name */
};

/* How to wait for the lock. */
struct publish_wait {
	bool no_wait;		  /* ERR_LOCKED at once */
	const atomic_int *cancel; /* may be NULL */
	/* Called about once a second while another holds it: who that is in words, and for how many
	 * seconds its work has looked the same.  May be NULL. */
	void (*waits)(void *arg, const char *lock, const char *who, unsigned idle_s);
	void *arg;
};

/* Take the lock and make the empty temporary file.  A NULL index makes only a temporary file, in
 * $TMPDIR, that no kill can leave behind. */
int publish_begin(struct publish *p, const char *index, const struct publish_wait *w,
		  struct err *err);
/* Whoever waits for the lock sees that its holder gets on; about once a second is enough.  `done`:
 * bytes read. */
void publish_tell(struct publish *p, uint64_t done);
/* The path by which the temporary file can be opened. */
const char *publish_opens(const struct publish *p);
/* Sync, rename, sync the directory. */
int publish_commit(struct publish *p, struct err *err);
void publish_end(struct publish *p); /* remove what is temporary, give up the lock */

#endif
