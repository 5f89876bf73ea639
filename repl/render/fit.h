/*
 * fit.h - shorten names that do not fit the screen.
 *
 * All text goes through emit_name(); it never takes more columns than width.
 */
#ifndef QUERN_FIT_H
#define QUERN_FIT_H

#include "index/base/str.h"
#include "repl/term/emit.h"

enum fit_kind {
	FIT_NAME,  /* function: cut template arguments and parameters, then the middle */
	FIT_PATH,  /* file: cut the start */
	FIT_TEXT,  /* other text: cut the end */
	FIT_CALLS, /* "f -> g; g -> h": cut each name, or else the end */
};

/* Write s in at most width columns; returns how many it took.  form is EMIT_TEXT or
 * EMIT_ASCII (its ellipsis is "..."). */
size_t fit_put(struct out *o, enum emit_form form, enum fit_kind kind, struct str s,
	       size_t width);

/* Write the name without the brackets and arguments that the byte `at` of s is not in; 0, and
 * nothing is written: that is wider than width. */
size_t fit_place(struct out *o, enum emit_form form, struct str s, size_t at,
		 size_t width);

/* fit_put() so that the character at byte `at` of s and `around` columns after it stay. */
size_t fit_around(struct out *o, enum emit_form form, struct str s, size_t at,
		  size_t around, size_t width);

#endif
