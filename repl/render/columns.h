/* columns.h - which columns of a result people see, and how: for tables and Markdown. */
#ifndef QUERN_TABLE_COLUMNS_H
#define QUERN_TABLE_COLUMNS_H

#include "repl/render/cell.h"

struct result;

/* Fill `shown` (room for r->ncols) with the columns of the first `rows` rows; returns
 * their number.  tree: the depth is drawn as branches before the first function, so it is
 * no column.  exact: all digits of large numbers. */
size_t columns_choose(const struct result *r, size_t rows, bool tree, bool exact,
		      struct shown *shown);
/* The numbers that a bar shows, or NULL; and the length of one, 0 if it is absent. */
const struct column *columns_bar(const struct result *r);
double columns_bar_at(const struct column *c, size_t row);

#endif
