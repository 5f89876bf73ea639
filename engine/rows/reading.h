/* reading.h - how to read a profile again, of some things the index has only sums; and what
 * of it, where a table is read portion by portion. */
#ifndef QUERN_READING_H
#define QUERN_READING_H

#include <stdint.h>

struct build_progress;

struct session_reading {
	uint64_t mem; /* bytes; 0: the default (index/build.h) */
	unsigned jobs;
	/* Called about ten times a second, and with NULL at the end.  May be NULL. */
	void (*progress)(void *arg, const struct build_progress *p);
	void *arg;
	uint32_t part;		/* this row of `parts` alone, from 1; 0: all */
	uint32_t first, number; /* lines and call sites of these functions; 0: of all */
};

#endif
