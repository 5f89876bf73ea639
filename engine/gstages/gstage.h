/* gstage.h - run the graph stages of a query on x->g. */
#ifndef QUERN_GSTAGE_H
#define QUERN_GSTAGE_H

struct exec;
struct gstage;
struct str;

/* Spans of the stages point into text. */
int exec_gstages(struct exec *x, const struct gstage *first, struct str text);

#endif
