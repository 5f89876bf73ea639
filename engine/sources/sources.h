/*
 * sources.h - the sources by kind.
 */
#ifndef QUERN_SOURCES_H
#define QUERN_SOURCES_H

#include "engine/lang/ast.h"
#include "engine/sources/source.h"

/* The i-th table of all; NULL: there are no more. */
const struct source_def *source_at(size_t i);
const struct source_def *source_def(enum source_kind kind);
/* The table of a source; some have another one `of` a set. */
const struct source_def *source_def_of(const struct source *s);
/* Fill t with the rows of a source. */
void sources_open(struct exec *x, const struct source *s, struct table *t);

#endif
