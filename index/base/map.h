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

struct err;

struct map {
	const char *p;
	size_t n;      /* bytes */
	unsigned slot; /* slot + 1 in the table of guarded maps */
};

/* Map size bytes of fd read-only.  `what` is the file's name in messages.  size 0
 * gives an empty map.  The caller keeps fd. */
int map_open(struct map *m, int fd, uint64_t size, const char *what, struct err *err);
void map_close(struct map *m);

/* Register bytes that others mapped (LMDB maps the index).  Returns slot + 1, or 0 if
 * memory is out. */
unsigned map_watch(const void *p, size_t n, const char *what);
void map_unwatch(unsigned slot);

/* Until map_wild(NULL), every fault in this thread's guarded function is reported as
 * one in `what`.  For calls of a library that trusts the file. */
void map_wild(const char *what);
/* End the guarded function as a fault in `what` would; returns if no function is
 * guarded. */
void map_fail(const char *what);

/* Call fn(arg).  Returns its result, or err's kind (`kind`) if a watched map faulted.
 * Calls may nest; each thread has its own.  After a fault nothing in fn is released but what
 * is held, so it must use arenas and hold no locks. */
int map_guard(int (*fn)(void *), void *arg, int kind, struct err *err);

/* End the guarded function with an error, of which err of map_guard() gets a copy. */
_Noreturn void map_leave(const struct err *err);

/* What the guarded function made and has not released: map_guard() releases it if the function
 * does not end as it should.  It is in no frame of the function. */
struct map_held {
	void (*release)(struct map_held *h);
	struct map_held *next, **at; /* at: where the pointer to it is */
	unsigned depth;
};
void map_hold(struct map_held *h);
void map_let_go(struct map_held *h); /* the caller releases it */

#endif
