/*
 * group.h - group by and sum: rows fold into fewer rows.
 */
#ifndef QUERN_GROUP_H
#define QUERN_GROUP_H

#include "engine/rows/table.h"

/* Groups stand in the order of their first row. */
int exec_group(struct exec *x, struct table *t, const struct tstage *s);
/* One row: the sum of every column that adds up; ratios are quotients of the sums. */
int exec_sum(struct exec *x, struct table *t);

#endif
