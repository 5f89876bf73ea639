/*
 * headline.h - what a comparison says first:
 *
 *	6.34 M -> 3.36 M Ir (-47.1 %)
 *	99 %: main calls encode more often (app.c:31)
 *	3 grew by 41,020: encode +40,000 (+12.2%), pad +900 (new), ...
 *	9 shrank by 3,021,020: decode -3,000,000 (-80.1%), ...
 *	Bcm +18.1 %: why by Bcm
 */
#ifndef QUERN_HEADLINE_H
#define QUERN_HEADLINE_H

#include "repl/term/emit.h"

struct result;

enum { HEADLINE_LINES = 5 };

/* Write a line without its end, names in this form; false: r has no such line. */
bool headline_put(struct out *o, enum emit_form form, const struct result *r,
		  size_t line);

#endif
