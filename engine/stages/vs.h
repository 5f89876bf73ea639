/* vs.h - run one source on two profiles and join the rows that mean the same. */
#ifndef QUERN_VS_H
#define QUERN_VS_H

#include "engine/rows/table.h"

/* Open the base and run its graph stages, before those of x: stages of x may name
 * functions that only the base has.  x->other is set. */
int exec_vs_base(struct exec *x, const struct source *s, const struct gstage *gstages,
		 struct vs **out);
/* Open the source on both sides and join their rows. */
int exec_vs(struct exec *x, const struct source *s, struct vs *v, struct table *t);
/* Both sides of the rows of t, which come from exec_vs() and maybe stages; *out is NULL
 * if they do not. */
int vs_sides(struct table *t, const struct compared **out);

#endif
