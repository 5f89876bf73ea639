/* stage.h - open sources as tables, and run the table stages. */
#ifndef QUERN_STAGE_H
#define QUERN_STAGE_H

#include "engine/rows/table.h"

struct tstage;

/* The rows of a source, or with v of a comparison.  The stages from `next` on follow. */
void exec_source(struct exec *x, const struct source *s, struct vs *v, struct table *t,
		 const struct tstage *next);
void exec_tstage(struct exec *x, struct table *t, const struct tstage *s);
/* After the stages: put the costliest rows first if no stage has ordered them. */
void exec_order(struct exec *x, struct table *t);
/* ERR_EXPECT if the condition of `expect` does not hold; t keeps the rows that break
 * it. */
int exec_expect(struct exec *x, struct table *t, const struct tstage *s);
/* Doubt a comparison of which little is paired. */
void exec_doubt_paired(struct exec *x, const struct table *t);
/* Make the error of an `expect` that holds, but would not if functions with an uncertain
 * partner had none. */
int exec_expect_sure(struct exec *x, const struct tstage *s);
/* Sort t by keys (NULL: by cost, descending) and keep the first n (sort.c). */
void exec_sort(struct exec *x, struct table *t, const struct expr *keys, size_t n);
/* Sort t by a column that is filled, descending, or by its sizes; equal rows keep their
 * order. */
void exec_sort_column(struct exec *x, struct table *t, struct table_col *c, bool sizes);

#endif
