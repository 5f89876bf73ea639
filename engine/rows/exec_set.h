/* exec_set.h - find the functions that a set names. */
#ifndef QUERN_EXEC_SET_H
#define QUERN_EXEC_SET_H

struct exec;
struct fn_set;
struct set;

/* The functions of x->g in a set.  Adds notes on how many functions a bare name
 * matched. */
void exec_set(struct exec *x, const struct set *s, struct fn_set **out);

#endif
