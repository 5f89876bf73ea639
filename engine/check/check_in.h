/* check_in.h - shared by check.c and check_expr.c. */
#ifndef QUERN_CHECK_IN_H
#define QUERN_CHECK_IN_H

#include "engine/check/check.h"
#include "engine/lang/col_type.h"
#include "index/format/event.h"

struct col_def;
struct source_def;

struct known_column { /* a column that exists */
	struct str name;
	enum col_type type;
	struct unit unit;
};

enum { MOST_SHOWN = 8 };

struct schema {
	const struct check_env *env;
	struct arena *a;
	struct err *err;
	const struct source_def *src; /* NULL for `_` and after group, sum, count */
	struct known_column *known;
	size_t n, cap;
	uint32_t event;
	bool vs;
	/* The columns of the last `show` and of the sorts after it: no others are
	 * visible.  nshown is 0 before any `show`, MOST_SHOWN + 1 if there are too
	 * many. */
	const struct expr *shown[MOST_SHOWN];
	size_t nshown;
	unsigned lets;	 /* depth of lets inside lets */
	bool right_side; /* of a comparison */
};

#define check_fail(s, ...) span_fail((s)->err, __VA_ARGS__)
#define check_wrong(s, ...) span_wrong((s)->err, __VA_ARGS__)
const struct known_column *check_known(const struct schema *s, struct str name);
/* The column that other tools call `word`; NULL: unknown, or these rows have no such
 * column. */
const char *check_column_habit(const struct schema *s, struct str word);
void check_add_known(struct schema *s, struct str name, enum col_type type,
		     struct unit unit);
/* Resolve the names and types of e and its operands. */
void check_expr(struct schema *s, struct expr *e);
/* Read a quoted text that names an event as a column; false: it does not. */
bool check_quoted_event(const struct schema *s, struct expr *e);
void check_want_number(struct schema *s, struct expr *e);
void check_want_condition(struct schema *s, const struct expr *e);
/* Does it name no column? */
bool check_is_constant(const struct expr *e);
bool check_is_number(enum col_type t);

#endif
