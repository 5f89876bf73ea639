/*
 * vs.h - a comparison: one source on two profiles, the rows that mean the same joined.
 *
 * pair.h finds which functions, objects and files of the profiles are the same; vs_keys.c
 * which rows; vs_cols.c has the columns that a comparison adds.
 */
#ifndef QUERN_VS_H
#define QUERN_VS_H

#include "engine/rows/table.h"

struct compared;
struct gstage;
struct tstage;

/* Open the base and run its graph stages, before those of x: stages of x may name
 * functions that only the base has.  x->other is set. */
int exec_vs_base(struct exec *x, const struct source *s, const struct gstage *gstages,
		 struct vs **out);
/* A copy in which no function has a partner that is not certain. */
int exec_vs_dissolved(struct exec *x, const struct vs *v, struct vs **out);
/* Is inlined code of some object known by its name on one side and by its file alone on the
 * other, by what the stages, or the source, of x and the base found? */
bool vs_inlined_differs(const struct exec *x, const struct vs *v);
/* Open the source on both sides and join their rows, which go to the stages. */
int exec_vs(struct exec *x, const struct source *s, const struct tstage *stages,
	    struct vs *v, struct table *t);
/* For what looks at both profiles as one: the run of the base, and which function of this
 * profile's graph each function of the base's is, or RESULT_NONE. */
int vs_both(struct exec *x, struct vs *v, struct exec **base, const uint32_t **same);
/* Equal numbers are the same file, or object; side 0: this profile. */
uint32_t vs_file_number(const struct vs *v, unsigned side, file_id file);
uint32_t vs_object_number(const struct vs *v, unsigned side, obj_id obj);
/* Both sides of the rows of t, which come from exec_vs() and maybe stages; *out is NULL
 * if they do not. */
int vs_sides(struct table *t, const struct compared **out);

/* How many of vs_cols[], the first ones, src has. */
size_t vs_col_count(const struct source_def *src);
/* One of them that src has, without "%"; NULL: some other column. */
const struct col_def *vs_col(const struct source_def *src, struct str name);
/* The change in percent of the base: infinite if that is 0. */
double vs_percent(double delta, double base);

#endif
