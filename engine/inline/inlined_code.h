/* inlined_code.h - find the inlined code of all functions, for graph_inlined(). */
#ifndef QUERN_INLINED_CODE_H
#define QUERN_INLINED_CODE_H

#include "engine/inline/graph_inlined.h"

struct exec;

/* Of x->g, which is the store or parts of it.  In the arena of the query; a note says
 * where only files tell what is inlined. */
void inlined_code_find(struct exec *x, struct graph_inlines *out);

#endif
