/*
 * check.h - check a query: its names exist and have the right types.
 *
 * Columns are followed through the stages (group and sum replace them), so a wrong name
 * is found before anything is computed.  Function names are matched later, by exec.
 */
#ifndef QUERN_CHECK_H
#define QUERN_CHECK_H

#include "engine/lang/check_names.h"

struct let;
struct query;

/* Resolve every expression of q and give it a type, in place.  `top` and `sort EVENT`
 * are expanded first; *event is the event of costs that name none. */
int check_query(const struct check_env *env, struct query *q, struct arena *a,
		uint32_t *event, struct err *err);
/* Check the right side of a `let`: unknown names are errors now, not at the first use. */
int check_let(const struct check_env *env, struct let *let, struct arena *a,
	      struct err *err);

/* Does the graph stage change the rows of the source? */
bool check_heeds(const struct source *s, const struct gstage *g);

#endif
