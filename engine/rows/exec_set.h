/* exec_set.h - find the functions that a set names. */
#ifndef QUERN_EXEC_SET_H
#define QUERN_EXEC_SET_H

struct exec;
struct fn_set;
struct graph;
struct set;
struct str;

/* The functions of x->g in a set.  Adds notes on how many functions a bare name
 * matched. */
int exec_set(struct exec *x, const struct set *s, struct fn_set **out);

/* The store's functions of a set of x->g, without inlined code; and back, in another graph
 * x->g of the same store. */
int exec_set_to_store(struct exec *x, const struct fn_set *set, struct fn_set **out);
int exec_set_of_store(struct exec *x, const struct fn_set *of_store, struct fn_set **out);

/* If *name is that of a context, and rows of g are functions: make it the name of the
 * function, with a note. */
int exec_context_name(struct exec *x, const struct graph *g, struct str *name);

#endif
