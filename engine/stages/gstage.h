/*
 * gstage.h - graph stages: x->g becomes what they leave.
 */
#ifndef QUERN_GSTAGE_H
#define QUERN_GSTAGE_H

#include "engine/rows/exec.h"

/* text is what the stages' spans point into. */
int exec_gstages(struct exec *x, const struct gstage *first, struct str text);

#endif
