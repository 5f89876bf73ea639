/*
 * proven.h - how much of an answer is proven, and what would tell the rest.
 *
 * `~` marks an estimate.  Bounds far apart say nothing to a reader, so the line below a table,
 * and pictures, have sentences instead (struct result).  A text is of the arena; empty if
 * there is nothing to say.
 */
#ifndef QUERN_PROVEN_H
#define QUERN_PROVEN_H

#include "engine/rows/table.h"

struct compared;

/* Of a tree, or two that are compared: "35.6 % of the cost is on proven stacks".  Empty: all is,
 * or it is no tree. */
struct str proven_share(struct exec *x, const struct table *t, const struct compared *c);
/* "7 of 12 rows (~) cannot be known from this profile: quern record --stacks -- PROGRAM": of
 * so many the least cost is 0, or the most is more than twice the estimate. */
void proven_rows(struct exec *x, struct table *t, struct str *out);

#endif
