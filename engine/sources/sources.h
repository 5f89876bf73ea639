/*
 * sources.h - the sources by kind.
 */
#ifndef QUERN_SOURCES_H
#define QUERN_SOURCES_H

#include "engine/sources/source.h"

const struct source_def *source_def(enum source_kind kind);
/* The source's table; some differ when they are asked `of` a set. */
const struct source_def *source_def_of(const struct source *s);
/* Its rows into t. */
int sources_open(struct exec *x, const struct source *s, struct table *t);

#endif
