/*
 * vs.h - the same source asked of two profiles, rows joined by what they stand for.
 */
#ifndef QUERN_VS_H
#define QUERN_VS_H

#include "engine/rows/table.h"

/* Before the graph stages of x: open the base and do them there, so that they may name what only
 * the base has. */
int exec_vs_base(struct exec *x, const struct source *s);
int exec_vs(struct exec *x, const struct source *s, struct table *t);

#endif
