/*
 * suite.h - a report of tests: the queries of a run, as one JUnit document.
 *
 * The counts come first in the document, so the cases wait in memory until its end.
 */
#ifndef QUERN_SUITE_H
#define QUERN_SUITE_H

#include "index/base/out.h"

struct err;
struct render;

struct suite {
	struct out cases;
	bool open;   /* cases is */
	bool wanted; /* a result is in it, or the settings want the document */
	size_t tests, failures, errors;
	uint64_t took_ns;
};

void suite_free(struct suite *s);
/* Add the case of a result, or of an `expect` of a set a case for each profile: it passes unless
 * rd->r->why says otherwise, and rows of the profile break it.  0 or the kind;
 * after an error nothing is added.  rd->o is not used. */
int suite_result(struct suite *s, struct render *rd);
/* Add a query (or a command) that could not be answered. */
void suite_error(struct suite *s, const struct err *err, struct str text,
		 uint64_t took_ns);
/* Write the document, and forget the cases. */
void suite_write(struct suite *s, struct out *o);

#endif
