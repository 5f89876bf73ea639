/*
 * vs.h - the same source asked of two profiles, rows joined by what they stand for.
 */
#ifndef QUERN_VS_H
#define QUERN_VS_H

#include "engine/table.h"

int exec_vs(struct exec *x, const struct source *s, struct table *t);

#endif
