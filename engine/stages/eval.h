/*
 * eval.h - expressions over the rows of a table.
 */
#ifndef QUERN_EVAL_H
#define QUERN_EVAL_H

#include "engine/rows/table.h"

/* Compute e as a column of t->n values. */
int eval(struct exec *x, struct table *t, const struct expr *e, struct table_col *out);
/* Find the column of an EX_COL that is no let.  Dr and self.Dr are columns of the
 * source, even if a stage names another one self. */
int eval_column(struct table *t, const struct expr *e, struct table_col **out);
/* Copy e so that it always refers to the columns of now, even if others get their
 * names.  A ratio becomes the expression that computed it. */
int eval_bind(struct exec *x, struct table *t, const struct expr *e, struct expr **out);
/* List the rows for which e holds, ascending. */
int eval_rows(struct exec *x, struct table *t, const struct expr *e, uint32_t **rows,
	      size_t *n);

#endif
