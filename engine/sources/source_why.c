/*
 * source_why.c - the columns of `why`: causes of the difference of two profiles.
 *
 * The rows are made in engine/why/ (why.h), which looks at both profiles.
 */
#include "engine/sources/why_row.h"

#include "engine/lang/ast.h"
#include "engine/rows/exec.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"

struct whys {
	bool any;
};

double why_share(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return ROW(why_row, t, r)->share;
}

bool why_no_share(const struct table *t, uint32_t r UNUSED)
{
	return !((const struct whys *)t->data)->any;
}

double why_from(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return ROW(why_row, t, r)->from;
}

double why_to(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return ROW(why_row, t, r)->to;
}

bool why_no_rates(const struct table *t, uint32_t r)
{
	return !ROW(why_row, t, r)->rates;
}

struct str why_file_line(const struct table *t, uint32_t r)
{
	const struct why_row *row = ROW(why_row, t, r);

	if (!row->line)
		return str_basename(row->file);
	return arena_printf(t->x->a, "%.*s:%llu", STR_ARG(str_basename(row->file)),
			    (unsigned long long)row->line);
}

static const struct listed why_list[] = {
	{"share%", BOTH | HAS_BAR, 2},
	{"delta", BOTH, 4},
	{"why", BOTH, 1},
	{"file:line", SHOW_T, 3},
	{"from/call", SHOW_T, 5},
	{"to/call", SHOW_T, 5},
	{"from", SHOW_M, 0},
	{"to", SHOW_M, 0},
	{"kind", SHOW_M, 0},
	{"fn", SHOW_M, 0},
	{"callee", SHOW_M, 0},
	{"below", SHOW_M, 0},
	{"file", SHOW_M, 0},
	{"line", SHOW_M, 0},
	{"context", SHOW_M, 0},
	{"lo", SHOW_M, 0},
	{"hi", SHOW_M, 0},
};

void why_rows(struct exec *x, struct table *t, const struct why_row *row, size_t n,
	      bool any)
{
	struct whys *d = EXEC_ARRAY(x, struct whys, 1);

	d->any = any;
	t->data = d;
	t->rows = row;
	table_init(x, t, t->src, x->g, n);
}

static bool why_costs(const struct table *t, uint32_t r)
{
	return ROW(why_row, t, r)->costs;
}

/* check.c refuses `why` without another profile. */
static void why_open(struct exec *x, const struct source *s, struct table *t UNUSED)
{
	exec_fail(x, s->span, "'why' compares two profiles");
}

const struct source_def source_why = {
	.name = "why",
	.rows = "causes",
	.primary = "delta",
	.of = ROWS_WHY,
	COLUMNS(why_list),
	.open = why_open,
	.rates_cost = why_costs,
	.row_size = sizeof(struct why_row),
};
