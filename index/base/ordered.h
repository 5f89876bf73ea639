/*
 * ordered.h - make items on several threads, take them one after the other in order.
 *
 *	items   0 1 2 3 4 ...	each is made by the thread that comes to it,
 *	slots   [3] [1] [2]	into a slot of its own,
 *	caller	  0		and taken by the caller when it is its turn
 *
 * So the result is the same for any number of threads, and no more is held than slots are.
 * With several threads neither make() nor take() may touch what map_guard() guards.
 */
#ifndef QUERN_BASE_ORDERED_H
#define QUERN_BASE_ORDERED_H

#include <stdbool.h>
#include <stddef.h>

enum ordered_left {
	ORDERED_NOTHING,
	ORDERED_MORE,
	ORDERED_LATER, /* the next piece waits for something, which it does here if `wait` */
};

struct ordered {
	size_t items;
	void *slots; /* nslots of slot_size bytes, the caller's */
	size_t nslots, slot_size;
	void **worker;	   /* what make() gets on each thread, nworkers of them */
	unsigned nworkers; /* 1: the caller makes the items itself */
	/* Into the slot; the value goes to take(). */
	int (*make)(void *worker, void *slot, size_t item);
	/* So much is held by what was made and not taken that another item has to wait, but for the next
	 * to be taken: it is asked under a lock.  May be NULL. */
	bool (*full)(const void *arg);
	/* What else the caller does while they are made, a piece at a call, as long as *left says that
	 * there is more: it takes what is ready between two pieces.  With one thread it comes first.
	 * Not 0 ends it all.  May be NULL. */
	int (*beside)(void *arg, bool wait, enum ordered_left *left);
	/* From the slot; the same. */
	int (*take)(void *arg, void *slot, size_t item, int made);
	void *arg;
};

/* 0, or what take() or beside() said.  A thread that cannot be had is no error: others do
 * its work. */
int ordered_run(const struct ordered *o);

/* The threads that are meant by `jobs`: 0 is one per core; 1 to 256. */
unsigned ordered_jobs(unsigned jobs);

#endif
