/*
 * check_impl.h - what check.c and check_expr.c share.
 */
#ifndef QUERN_CHECK_IMPL_H
#define QUERN_CHECK_IMPL_H

#include "engine/check/check.h"
#include "engine/rows/table.h"

struct known { /* a column that is there */
	struct str name;
	enum col_type type;
};

enum { MOST_SHOWN = 8 };

struct schema {
	const struct check_env *env;
	struct arena *a;
	struct err *err;
	const struct source_def *src; /* NULL after group, sum, count and for `_` */
	struct known *known;
	size_t n, cap;
	uint32_t event;
	bool vs;
	/* The last `show` and what was sorted by after it: nothing else is to be seen.
	 * nshown is 0 before any, MOST_SHOWN + 1 when they are too many to tell. */
	const struct expr *shown[MOST_SHOWN];
	size_t nshown;
	unsigned lets;	 /* depth of lets inside lets */
	bool right_side; /* of a comparison */
};

int check_fail(struct schema *s, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
const struct known *check_known(const struct schema *s, struct str name);
int check_add_known(struct schema *s, struct str name, enum col_type type);
/* Names and types of e and all below it. */
int check_expr(struct schema *s, struct expr *e);
int check_want_number(struct schema *s, const struct expr *e);
int check_want_condition(struct schema *s, const struct expr *e);
bool check_is_number(enum col_type t);

#endif
