/*
 * eval.h - expressions over the rows of a table.
 */
#ifndef QUERN_EVAL_H
#define QUERN_EVAL_H

#include "engine/rows/table.h"

/* The result is a column of t->n values. */
int eval(struct exec *x, struct table *t, const struct expr *e, struct table_col *out);
/* The column that an EX_COL without a let names: Dr and self.Dr are the source's own, whatever
 * a stage calls self. */
int eval_column(struct table *t, const struct expr *e, struct table_col **out);
/* A copy of e that keeps meaning today's columns, whatever gets their names later; a ratio
 * among them is what it was computed from. */
int eval_bind(struct exec *x, struct table *t, const struct expr *e, struct expr **out);
/* Rows where e holds, ascending. */
int eval_rows(struct exec *x, struct table *t, const struct expr *e, uint32_t **rows,
	      size_t *n);

#endif
