/*
 * exec_set.h - the functions that a set names.
 */
#ifndef QUERN_EXEC_SET_H
#define QUERN_EXEC_SET_H

#include "engine/lang/ast.h"
#include "engine/rows/exec.h"
#include "engine/names/fnset.h"

/* The functions a set names, in x->g.  Notes say how many a bare name matched. */
int exec_set(struct exec *x, const struct set *s, struct fn_set **out);

#endif
