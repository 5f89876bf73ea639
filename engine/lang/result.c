/* result.c - columns by name; see result.h. */
#include "engine/lang/result.h"

const struct column *result_col(const struct result *r, struct str name)
{
	for (size_t i = 0; i < r->ncols; i++)
		if (str_eq(r->cols[i].name, name))
			return &r->cols[i];
	return NULL;
}

struct str result_title(const struct result *r)
{
	return event_title(r->event, r->unit);
}
