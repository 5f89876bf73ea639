/* set_columns.c - columns of a set of profiles; see set_columns.h. */
#include "engine/rows/set_columns.h"

#include "engine/lang/ast.h"
#include "engine/lang/check_names.h"
#include "engine/rows/exec.h"

static const struct set_column profiles[] = {
	{.name = "profile", .type = COL_STR},
	{.name = "command", .type = COL_STR},
	{.name = "created", .type = COL_STR, .alone = true},
	{.name = "creator", .type = COL_STR, .machine = true},
	{.name = "parts", .type = COL_COUNT, .machine = true},
	{.name = "functions", .type = COL_COUNT, .machine = true},
	{.name = "total", .type = COL_COST},
	{.name = "base", .type = COL_COST, .vs = true},
	{.name = "delta", .type = COL_DELTA, .vs = true},
	{.name = "delta%", .type = COL_PERCENT, .vs = true},
	{.name = "change", .type = COL_STR, .vs = true},
	{.name = "why", .type = COL_STR, .vs = true, .sentence = true},
	{.name = "path", .type = COL_STR, .machine = true},
};

static const struct set_column causes[] = {
	{.name = "profiles", .type = COL_COUNT},
	{.name = "delta", .type = COL_DELTA},
	{.name = "least", .type = COL_DELTA},
	{.name = "most", .type = COL_DELTA},
	{.name = "why", .type = COL_STR, .sentence = true},
	{.name = "kind", .type = COL_STR, .machine = true},
	{.name = "fn", .type = COL_NAME, .machine = true},
	{.name = "callee", .type = COL_NAME, .machine = true},
	{.name = "file", .type = COL_FILE},
	{.name = "line", .type = COL_LINE},
	{.name = "names", .type = COL_STR, .machine = true},
};

const struct set_column *set_columns(unsigned kind, size_t *n)
{
	*n = kind == S_PROFILES ? sizeof(profiles) / sizeof(*profiles)
				: sizeof(causes) / sizeof(*causes);
	return kind == S_PROFILES ? profiles : kind == S_WHY ? causes : NULL;
}

void set_append(struct table *t, unsigned kind, bool vs)
{
	size_t n;
	const struct set_column *of = set_columns(kind, &n);

	for (size_t i = 0; i < n; i++) {
		struct table_col *c;

		table_append(t, str_c(of[i].name), of[i].type, &c);
		c->absent = EXEC_ARRAY(t->x, uint8_t, t->n + 1);
		c->machine = vs || !of[i].vs;
		c->table = c->machine && !of[i].machine && !(vs && of[i].alone);
		c->sentence = of[i].sentence;
		c->adds_up = of[i].type == COL_COST || of[i].type == COL_DELTA;
		if (c->adds_up)
			c->unit = t->x->env->units[t->event];
	}
}

struct table_col *set_column(const struct table *t, const char *name)
{
	size_t i = 0;

	while (!str_eq(t->cols[i]->name, str_c(name)))
		i++;
	return t->cols[i];
}
