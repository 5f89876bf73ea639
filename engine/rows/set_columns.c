/* set_columns.c - columns of a set of profiles; see set_columns.h. */
#include "engine/rows/set_columns.h"

#include <stddef.h>
#include <string.h>

#include "engine/lang/ast.h"
#include "engine/lang/check_names.h"
#include "engine/rows/exec.h"
#include "index/base/count.h"

#define OF(name) .at = offsetof(struct profile_row, name)
static const struct set_column profiles[] = {
	{"profile", COL_STR, OF(profile)},
	{"command", COL_STR, OF(command)},
	{"created", COL_STR, OF(created), .alone = true},
	{"creator", COL_STR, OF(creator), .machine = true},
	{"parts", COL_COUNT, OF(parts), .machine = true},
	{"functions", COL_COUNT, OF(functions), .machine = true},
	{"total", COL_COST, OF(total), .lacks = NO_TOTAL},
	{"base", COL_COST, OF(base), .lacks = NO_BASE, .vs = true},
	{"delta", COL_DELTA, OF(delta), .lacks = NO_DELTA, .vs = true},
	{"delta%", COL_PERCENT, OF(percent), .lacks = NO_DELTA, .vs = true},
	{"change", COL_STR, OF(change), .vs = true},
	{"why", COL_STR, OF(why), .vs = true, .sentence = true},
	{"path", COL_STR, OF(path), .machine = true},
};
#undef OF

#define OF(name) .at = offsetof(struct cause_row, name)
static const struct set_column causes[] = {
	{"profiles", COL_COUNT, OF(profiles)},
	{"delta", COL_DELTA, OF(delta)},
	{"least", COL_DELTA, OF(least)},
	{"most", COL_DELTA, OF(most)},
	{"why", COL_STR, OF(why), .sentence = true},
	{"kind", COL_STR, OF(kind), .machine = true},
	{"fn", COL_NAME, OF(fn), .machine = true},
	{"callee", COL_NAME, OF(callee), .machine = true},
	{"file", COL_FILE, OF(file), .lacks = NO_FILE},
	{"line", COL_LINE, OF(line), .lacks = NO_LINE},
	{"names", COL_STR, OF(names), .machine = true},
};
#undef OF

const struct set_column *set_columns(unsigned kind, size_t *n)
{
	*n = kind == S_PROFILES ? COUNT(profiles) : COUNT(causes);
	return kind == S_PROFILES ? profiles : kind == S_WHY ? causes : NULL;
}

void set_append(struct table *t, unsigned kind, bool vs, const void *rows)
{
	const size_t size = kind == S_PROFILES ? sizeof(struct profile_row)
					       : sizeof(struct cause_row);
	size_t n;
	const struct set_column *of = set_columns(kind, &n);

	for (const struct set_column *end = of + n; of < end; of++) {
		struct table_col *c;

		table_append(t, str_c(of->name), of->type, &c);
		c->absent = EXEC_ARRAY(t->x, uint8_t, t->n + 1);
		c->machine = vs || !of->vs;
		c->table = c->machine && !of->machine && !(vs && of->alone);
		c->sentence = of->sentence;
		c->adds_up = of->type == COL_COST || of->type == COL_DELTA;
		if (c->adds_up)
			c->unit = t->x->env->units[t->event];
		for (size_t i = 0; i < t->n; i++) {
			const char *row = (const char *)rows + i * size;
			const size_t width = col_width(c);

			memcpy((char *)c->p + i * width, row + of->at, width);
			c->absent[i] =
				(*(const unsigned *)(const void *)row & of->lacks) != 0;
		}
	}
}

struct table_col *set_column(const struct table *t, const char *name)
{
	size_t i = 0;

	while (!str_eq(t->cols[i]->name, str_c(name)))
		i++;
	return t->cols[i];
}
