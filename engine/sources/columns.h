/*
 * columns.h - the registry of columns (column.h).
 *
 * To add a column: a row of the table in columns.c, with its getters; then its name in the
 * lists of the sources that have it.  tests/unit/registry_test.c says what is missing.
 */
#ifndef QUERN_SOURCE_COLUMNS_H
#define QUERN_SOURCE_COLUMNS_H

#include "engine/rows/table.h"

/* The i-th row, in the order of `.help columns`; NULL: there are no more. */
const struct column_row *column_at(size_t i);
/* What a column means; NULL: there is none of this name. */
const char *column_help(struct str name);
/* Fill in the columns of a source; sources.h has done it for all.  Returns how many of its
 * list the registry does not have for such rows. */
size_t columns_resolve(const struct source_def *src);
/* columns_resolve() for vs_cols[]. */
size_t columns_resolve_joined(void);

#endif
