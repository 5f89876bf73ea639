/* quern_columns.c - libquern: the columns of a source; see quern.h. */
#include "engine/api/quern_in.h"
#include "engine/lang/keywords.h"
#include "engine/sources/columns.h"
#include "engine/sources/sources.h"

static bool has_gaps(const struct col_def *d)
{
	return d->flags & ABSENT_0 || (d->get.absent && !(d->flags & KNOWN_PLAIN));
}

static unsigned flags_of(const struct col_def *d)
{
	return (d->flags & SHOW_M ? QUERN_IN_ANSWERS : 0) |
	       (d->flags & SHOW_T ? QUERN_IN_TABLES : 0) |
	       (d->flags & ADDS_UP ? QUERN_ADDS_UP : 0) |
	       (d->flags & PER_EVENT ? QUERN_PER_EVENT : 0) |
	       (has_gaps(d) ? QUERN_GAPS : 0);
}

int quern_source_column_at(const char *source, size_t i, quern_source_column *out)
{
	const struct verb *v = source ? verb_find(str_c(source)) : NULL;
	const struct source_def *def = v ? source_def(v->kind) : NULL;
	const struct col_def *d = def && i < def->ncols ? &def->cols[i] : NULL;

	if (!d || !out)
		return 0;
	*out = (quern_source_column){.name = d->name,
				     .means = column_help(str_c(d->name)),
				     .type = api_type(d->type),
				     .flags = flags_of(d)};
	return 1;
}
