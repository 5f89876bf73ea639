/*
 * complete.h - what Tab offers: no terminal here, so that it can be tested.
 *
 * Candidates come ready to be inserted and in the order to be shown: functions by cost,
 * hottest first, the rest as in their tables.
 */
#ifndef QUERN_COMPLETE_H
#define QUERN_COMPLETE_H

#include "repl/app/app.h"

struct completion {
	size_t word_at;	   /* the bytes from here to the cursor are replaced */
	struct str insert; /* by these: what all candidates share, or the only one */
	struct str *all;   /* what to list, as it is called in full */
	size_t n;
	bool more; /* there are others that are not listed */
};

/* text is the line up to the cursor.  Results live in a.  ERR_LIMIT when it is full. */
int complete(struct app *app, struct str text, struct arena *a, struct completion *c,
	     struct err *err);

#endif
