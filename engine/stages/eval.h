/*
 * eval.h - expressions over the rows of a table.
 *
 * An expression is bound to the columns of a table, opened (its sets are resolved, its
 * regular expressions compiled), and then computed window by window (window.h).
 */
#ifndef QUERN_EVAL_H
#define QUERN_EVAL_H

#include "engine/lang/ast.h"
#include "engine/rows/table.h"

struct window;

/* What is known of a condition on a text of a dictionary. */
enum text_known { KNOWN_NOT, KNOWN_FALSE, KNOWN_TRUE };

/* Compute e as a column of t->n values.  A column of the table is itself. */
void eval(struct exec *x, struct table *t, const struct expr *e, struct table_col *out);
/* List the rows for which e holds, ascending. */
void eval_rows(struct exec *x, struct table *t, const struct expr *e, uint32_t **rows,
	       size_t *n);

/* Find the column of an EX_COL that is no let.  Dr and self.Dr are columns of the
 * source, even if a stage names another one self.  It may not be filled yet. */
void eval_column(struct table *t, const struct expr *e, struct table_col **out);
/* Copy e so that it always refers to the columns of now, even if others get their
 * names.  A ratio becomes the expression that computed it. */
void eval_bind(struct exec *x, struct table *t, const struct expr *e, struct expr **out);

/* Is a bound expression a quotient of what adds up, as D1mr / Dr: one of many rows is that of
 * their sums?  self / 2 and self * Dr are none: their values are added. */
bool eval_is_quotient(const struct expr *e);

/* The expression that is a column. */
static inline struct expr eval_of_column(struct table_col *c)
{
	return (struct expr){.op = EX_COL, .type = c->type, .col = c};
}

/* For a caller with windows of its own: open e before window_open(), close it after
 * window_close(). */
void eval_open(struct exec *x, struct table *t, const struct expr *e, struct expr **out);
/* The values for the rows of w, until its next window. */
void eval_values(struct window *w, struct expr *e, struct table_col *out);
/* Free what was opened, and note texts that no row had; any_rows: rows were looked at.
 * e may be NULL. */
void eval_close(struct exec *x, struct expr *e, bool any_rows);

#endif
