/* common_sets.c - look up the sets of common_sets.txt; see common_sets.h. */
#include "engine/lang/common_sets.h"

const struct parse_value *common_set_find(struct str name)
{
	for (const struct common_set *s = common_sets; s->about; s++)
		if (str_eq(s->value.name, name))
			return &s->value;
	return NULL;
}
