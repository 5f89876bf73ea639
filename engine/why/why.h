/*
 * why.h - why two profiles differ: a few causes whose costs add up to the difference.
 *
 * A list of what became dearer names the functions where the cost ended up.  The cause is
 * elsewhere: a function calls another one more often, or spends more in itself.  Let c(f)
 * be how often f runs, s(f) its self cost per run, n(g, h) how often one run of g calls h,
 * and V(h) what one such call costs with all below it.  Then
 *
 *	total(new) - total(base) = sum over f    of c(f) * change of s(f)
 *	                         + sum over g, h of c(g) * V(h) * change of n(g, h)
 *
 * with means of both sides for c and V.  A row is a term of this sum.  The whole is made in
 * these steps, in this order:
 *
 *	why_model.c	one graph of both profiles: functions that are the same are one
 *			vertex, an edge is a call site
 *	why_changed.c	what is the same on both sides is left out
 *	why_library.c	the inside of run-time libraries is told by the calls of them
 *	why_splice.c	functions on one side only are joined to their callers
 *	why_units.c	cycles become units, callers before callees
 *	why_terms.c	the terms; what they do not explain is carried down the calls
 *	why_rows.c	terms of one cause become one row
 *	why_build.c	whether other flags are the cause
 *	why_place.c	the line of a row
 *	why_context.c	the stack of a row, if stacks are known
 *	why.c		the table: sentences, the rest, what is no single cause
 */
#ifndef QUERN_WHY_H
#define QUERN_WHY_H

#include <stddef.h>

struct exec;
struct graph;
struct headline;
struct source;
struct table;
struct vs;

/* The rows of `why`.  v is of exec_vs_base(). */
void exec_why(struct exec *x, const struct source *s, struct vs *v, struct table *t);
/* Rows of exec_why() as causes of a headline. */
struct why_row;
void why_as_causes(struct exec *x, const struct why_row *row, size_t n,
		   struct headline *h);
/* The rows of exec_why(); the first of them in words, or that there is no single one.  shown: the
 * graph of the table, whose functions the rows lead to. */
void exec_why_headline(struct exec *x, struct vs *v, const struct graph *shown,
		       struct headline *h);

#endif
