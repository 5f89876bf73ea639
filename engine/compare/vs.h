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
struct headline;
struct tstage;

/* Open the base and run its graph stages, before those of x: stages of x may name
 * functions that only the base has.  x->other is set. */
void exec_vs_base(struct exec *x, const struct source *s, const struct gstage *gstages,
		  struct vs **out);
/* Make a copy of v in which functions with an uncertain partner have none. */
void exec_vs_dissolved(struct exec *x, const struct vs *v, struct vs **out);
/* Is inlined code of some object known by name on one side, but by its file alone on the
 * other?  The stages or the source of x and of the base have found out. */
bool vs_inlined_differs(const struct exec *x, const struct vs *v);
/* Open the source on both sides and join their rows, which go to the stages. */
void exec_vs(struct exec *x, const struct source *s, const struct tstage *stages,
	     struct vs *v, struct table *t);
/* For `why`, which makes one graph of both profiles: the run of the base, and the same
 * functions as in struct compared. */
void vs_both(struct exec *x, struct vs *v, struct exec **base, const uint32_t *same[2]);
/* Have both sides several runs?  Then vs_overlap() says whether some run of a function here is
 * no dearer than some run of one in the base: a change of it may be noise.  `doubt` a comparison of more runs with fewer. */
bool vs_several_runs(struct exec *x, struct vs *v, bool doubt);
bool vs_overlap(const struct vs *v, uint32_t here, uint32_t base);
/* The result in short: totals and, unless `totals`, the functions that changed most. */
void exec_vs_headline(struct exec *x, struct vs *v, bool totals, struct headline **out);
/* "DLmr +369.0 %, D1mr +18.6 %: why by DLmr": other recorded events that differ, the most
 * first; unless `all`, those that grew, and by more than the event that is asked.  name: of the
 * base.  Empty: none; p NULL: an error is set, or the arena is full. */
struct str vs_other_events(struct exec *x, struct vs *v, struct str name, bool all);
/* Event e in the base, or GRAPH_NONE. */
uint32_t vs_base_event(const struct vs *v, uint32_t e);
/* A file or object by a number, which is equal for the same one on both sides.  Side 0 is
 * this profile. */
uint32_t vs_file_number(const struct vs *v, unsigned side, file_id file);
uint32_t vs_object_number(const struct vs *v, unsigned side, obj_id obj);
/* Both sides of the rows of t, which come from exec_vs() and maybe stages; *out is NULL
 * if they do not. */
void vs_sides(struct table *t, const struct compared **out);
/* The same without rows: the graph of the base, and which functions are the same. */
void vs_graphs(struct exec *x, struct vs *v, const struct compared **out);

/* Has the other side a function of the store of this one?  Side 0 is this profile. */
bool vs_paired(const struct vs *v, unsigned side, fn_id f);

/* The i-th of vs_cols[] that src has; NULL: there are no more. */
const struct col_def *vs_col_at(const struct source_def *src, size_t i);
/* One of them that src has, without "%"; NULL: some other column. */
const struct col_def *vs_col(const struct source_def *src, struct str name);
/* The change in percent of the base: infinite if that is 0. */
double vs_percent(double delta, double base);

#endif
