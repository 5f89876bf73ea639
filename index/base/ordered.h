/*
 * ordered.h - make items on several threads, take them one after the other in order.
 *
 *	items   0 1 2 3 4 ...	each made by the next idle thread,
 *	slots   [3] [1] [2]	in a slot of its own,
 *	caller	  0		which takes them in order
 *
 * So the result is the same for any number of threads, and at most nslots items are held.
 * With several threads neither make() nor take() may touch what map_guard() guards.
 */
#ifndef QUERN_BASE_ORDERED_H
#define QUERN_BASE_ORDERED_H

#include <stdbool.h>
#include <stddef.h>

enum ordered_left {
	ORDERED_NOTHING,
	ORDERED_MORE,
	ORDERED_LATER, /* the next piece has to wait; it does so if `wait` */
};

struct ordered {
	size_t items;
	void *slots; /* nslots * slot_size bytes, owned by the caller */
	size_t nslots, slot_size;
	void **worker;	   /* the argument of make() on each thread; nworkers of them */
	unsigned nworkers; /* 1: the caller makes the items itself, without threads */
	/* Make an item in its slot; the result is passed to take(). */
	int (*make)(void *worker, void *slot, size_t item);
	/* Whether the items made and not yet taken hold so much that others must wait.
	 * The next item to take never waits.  Called under a lock.  May be NULL. */
	bool (*full)(const void *arg);
	/* The caller's other work, one piece per call, while *left says that more is
	 * left.  Ready items are taken between pieces.  With one thread it runs first.
	 * Non-zero ends ordered_run().  May be NULL. */
	int (*beside)(void *arg, bool wait, enum ordered_left *left);
	/* Take an item from its slot; non-zero ends ordered_run(). */
	int (*take)(void *arg, void *slot, size_t item, int made);
	void *arg;
};

/* Returns 0, or the error of take() or beside().  If a thread cannot be started,
 * others do its work. */
int ordered_run(const struct ordered *o);

/* The number of threads for --jobs: 1 to 256; 0 means one per core. */
unsigned ordered_jobs(unsigned jobs);

#endif
