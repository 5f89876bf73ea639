/*
 * map.h - read-only maps of files that other processes may change under us.
 *
 * A mapped file that shrinks raises SIGBUS at the next touch.  Reads happen inside
 * map_guard(): a fault at an address of a registered map ends the guarded function and
 * becomes an error; any other fault is left to the system.  The handler runs on its own
 * stack and does nothing but jump.
 */
#ifndef QUERN_BASE_MAP_H
#define QUERN_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "index/base/err.h"

struct map {
	const char *p;
	size_t n;      /* bytes */
	unsigned slot; /* in the table of guarded maps, + 1 */
};

/* Map size bytes of fd read-only; what names the file in messages.  size 0 gives an empty
 * map.  The caller keeps the fd. */
int map_open(struct map *m, int fd, uint64_t size, const char *what, struct err *err);
void map_close(struct map *m);

/* Register bytes mapped by others (the index, mapped by LMDB); returns the slot + 1, or 0
 * when there is no memory for it. */
unsigned map_watch(const void *p, size_t n, const char *what);
void map_unwatch(unsigned slot);

/* Until map_wild(NULL), any fault of this thread's guarded function counts as one in `what`:
 * around a library that follows what the file says. */
void map_wild(const char *what);
/* End the guarded function as a fault in `what` would; returns when there is none. */
void map_fail(const char *what);

/* Call fn(arg); returns what it returns, or err's kind (`kind`) when a watched map
 * faulted.  May be nested; each thread has its own.  fn must not own what only it can free:
 * memory comes from arenas, locks are not held. */
int map_guard(int (*fn)(void *), void *arg, enum err_kind kind, struct err *err);

#endif
