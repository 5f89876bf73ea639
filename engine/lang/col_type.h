/* col_type.h - what a column of a table (result.h) holds. */
#ifndef QUERN_COL_TYPE_H
#define QUERN_COL_TYPE_H

#include <stdbool.h>

enum col_type {
	COL_ID,	     /* u: function or row number */
	COL_COUNT,   /* u: calls, functions, ... */
	COL_COST,    /* i: cost of event `event` */
	COL_DELTA,   /* i: signed difference of costs */
	COL_LINE,    /* u: source line, 0 unknown */
	COL_ADDR,    /* u: instruction address, in hexadecimal in tables */
	COL_PERCENT, /* f: usually 0..100, may be beyond */
	COL_RATIO,   /* f: quotient of sums */
	COL_STR,     /* s: other text */
	COL_NAME,    /* s: function name (tables may shorten it) */
	COL_FILE,    /* s: file path */
	COL_OBJ,     /* s: object path */
	COL_BOOL,    /* b */
};

static inline bool col_is_signed(enum col_type t)
{
	return t == COL_COST || t == COL_DELTA;
}

#endif
