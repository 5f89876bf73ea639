/*
 * complete.h - candidates for Tab.  It needs no terminal, so that tests can call it.
 *
 * Candidates can be inserted as they are, and are in the order to show: functions by
 * cost, hottest first, others in the order of their tables.
 */
#ifndef QUERN_COMPLETE_H
#define QUERN_COMPLETE_H

#include "index/base/str.h"

struct app;
struct arena;
struct err;

struct completion {
	size_t word_at;	   /* replace the bytes from here to the cursor */
	struct str insert; /* the replacement: the common start, or the only candidate */
	struct str *all;   /* the full names to list */
	size_t n;
	bool more; /* some candidates are not listed */
};

/* text: the line up to the cursor.  Results live in a; ERR_LIMIT if it is full. */
int complete(struct app *app, struct str text, struct arena *a, struct completion *c,
	     struct err *err);

#endif
