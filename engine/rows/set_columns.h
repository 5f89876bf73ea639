/*
 * set_columns.h - the columns of two tables that are of a set of profiles alone: `profiles`, and
 * `why` with the causes of all joined.
 */
#ifndef QUERN_SET_COLUMNS_H
#define QUERN_SET_COLUMNS_H

#include "engine/lang/col_type.h"
#include "engine/rows/table.h"

struct set_column {
	const char *name;
	enum col_type type;
	bool vs;      /* only with a base */
	bool machine; /* not for people */
	bool alone;   /* for people only without a base */
	bool sentence;
};

/* The columns of a source of a set; NULL: they are those of the source. */
const struct set_column *set_columns(unsigned kind, size_t *n);
/* Append them to t, which has its rows. */
void set_append(struct table *t, unsigned kind, bool vs);
/* A column of t by its name. */
struct table_col *set_column(const struct table *t, const char *name);

#endif
