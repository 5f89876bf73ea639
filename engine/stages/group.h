/*
 * group.h - group by and sum: rows fold into fewer rows.
 */
#ifndef QUERN_GROUP_H
#define QUERN_GROUP_H

struct exec;
struct table;
struct tstage;

/* Groups are in the order of their first rows. */
void exec_group(struct exec *x, struct table *t, const struct tstage *s);
/* Make one row: the sums of all columns that add up; ratios are computed from the
 * sums. */
void exec_sum(struct exec *x, struct table *t);

#endif
