/* store_set.h - sets of functions, of a graph and of its store. */
#ifndef QUERN_STORE_SET_H
#define QUERN_STORE_SET_H

#include <stdint.h>

struct exec;
struct fn_set;

/* An empty set of so many functions; NULL: x->err says that there is no memory. */
struct fn_set *exec_new_set(struct exec *x, uint32_t functions);

/* The store's functions of a set of x->g, without inlined code; and back, in another graph
 * x->g of the same store. */
void exec_set_to_store(struct exec *x, const struct fn_set *set, struct fn_set **out);
void exec_set_of_store(struct exec *x, const struct fn_set *of_store,
		       struct fn_set **out);

#endif
