/*
 * set_columns.h - the rows of two tables that are of a set of profiles alone: `profiles`, and
 * `why` with the causes of all joined.
 */
#ifndef QUERN_SET_COLUMNS_H
#define QUERN_SET_COLUMNS_H

#include "engine/lang/col_type.h"
#include "engine/rows/table.h"

/* Cells that a row lacks. */
enum { NO_TOTAL = 1, NO_BASE = 2, NO_DELTA = 4, NO_LINE = 8, NO_FILE = 16 };

/* Both begin with what they lack. */
struct profile_row {
	unsigned lacks;
	struct str profile, command, created, creator, change, why, path;
	uint64_t parts, functions;
	int64_t total, base, delta;
	double percent; /* delta% */
};

struct cause_row {
	unsigned lacks;
	struct str why, kind, fn, callee, file, names;
	uint64_t line, profiles;
	int64_t delta, least, most;
};

struct set_column {
	const char *name;
	enum col_type type;
	unsigned short at, lacks; /* in the row */
	bool vs;		  /* only with a base */
	bool machine;		  /* not for people */
	bool alone;		  /* for people only without a base */
	bool sentence;
};

/* The columns of a source of a set; NULL: they are those of the source. */
const struct set_column *set_columns(unsigned kind, size_t *n);
/* Append them to t, with the values of its t->n rows. */
void set_append(struct table *t, unsigned kind, bool vs, const void *rows);
/* A column of t by its name. */
struct table_col *set_column(const struct table *t, const char *name);

#endif
