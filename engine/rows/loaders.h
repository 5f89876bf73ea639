/* loaders.h - the functions of PHP that load classes, as far as a profile tells. */
#ifndef QUERN_LOADERS_H
#define QUERN_LOADERS_H

#include <stdint.h>

struct exec;
struct fn_set;

/* What loading may cost beside the functions that are known to load. */
struct loaders_more {
	/* PHP compiles a file in the function that requires it: the own cost of those that
	 * are no loaders. */
	int64_t cost;
	uint32_t functions; /* they */
	uint32_t unknown; /* calls of spl_autoload_register() whose loader is not found */
};

/* Add the loaders to a set of x->g.  *x->more, if there is one, gets the rest. */
void exec_add_loaders(struct exec *x, struct fn_set *set);

#endif
