/*
 * fit.h - names made to fit: what to leave out when the screen is narrow.
 *
 * Everything goes out through emit_name(); what is written never takes more columns than
 * asked for.
 */
#ifndef QUERN_FIT_H
#define QUERN_FIT_H

#include <stddef.h>

#include "index/base/out.h"
#include "index/base/str.h"
#include "repl/term/emit.h"

enum fit_kind {
	FIT_NAME, /* function: template arguments and parameters go first, then the middle */
	FIT_PATH, /* file: the start goes */
	FIT_TEXT, /* other text: the end goes */
};

/* Write s in at most width columns; returns those taken.  form is EMIT_TEXT or EMIT_ASCII
 * (the ellipsis is then "..."). */
size_t fit_put(struct out *o, enum emit_form form, enum fit_kind kind, struct str s,
	       size_t width);

#endif
