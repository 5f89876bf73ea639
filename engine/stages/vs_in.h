/* vs_in.h - the inside of vs.c and vs_cols.c. */
#ifndef QUERN_VS_IN_H
#define QUERN_VS_IN_H

#include "engine/lang/check_names.h"
#include "engine/names/pair.h"
#include "engine/rows/exec.h"
#include "engine/rows/table.h"

struct vs {
	struct exec base_exec;
	struct check_env env;
	struct table a, b;
	/* [joined rows]: row of a, of b, or GRAPH_NONE.  Those of a come first, in
	 * order. */
	uint32_t *ia, *ib;
	uint32_t *of_base; /* [rows of b]: joined row */
};

extern const struct joined vs_joined; /* vs_cols.c */
uint32_t vs_base_event(const struct vs *v, uint32_t e);
/* Are some rows paired by a rule, so that `was` has something to say? */
bool vs_any_renamed(const struct vs *v, size_t rows);

#endif
