/* proven.c - see proven.h. */
#include "engine/sources/proven.h"
#include "index/base/need.h"

#include <math.h>

#include "engine/lang/result.h"
#include "engine/path/path.h"
#include "engine/rows/window.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"

static double percent(double share)
{
	return floor(1000 * share) / 10;
}

struct str proven_share(struct exec *x, const struct table *t, const struct compared *c)
{
	const double here = c ? c->proven[0] : t->paths ? t->paths->proven : 1;

	if (!t->tree || !t->n || (here >= 1 && (!c || c->proven[1] >= 1)))
		return STR("");
	return c ? arena_printf(x->a,
				"%.1f %% of the cost here and %.1f %% in the base are on "
				"proven stacks",
				percent(here), percent(c->proven[1]))
		 : arena_printf(x->a, "%.1f %% of the cost is on proven stacks",
				percent(here));
}

/* The column whose bounds the rows have; NULL: none. */
static const char *bounded(const struct table *t)
{
	static const char *const names[] = {"est", "incl", "calls"};

	for (size_t i = 0; t->src && !t->vs && i < 3; i++)
		if (source_col(t->src, STR("lo")) && source_col(t->src, str_c(names[i])))
			return names[i];
	return NULL;
}

static bool absent(const struct table_col *c, size_t i)
{
	return c->absent && c->absent[i];
}

/* Count rows whose bounds say nothing: from 0, or to more than twice the estimate. */
static void count_unknown(struct exec *x, struct table *t, struct table_col *const col[3],
			  size_t *n)
{
	struct window w;

	window_open(x, t, &w);
	while (window_next(&w)) {
		const struct table_col *est = window_col(&w, col[0]);
		const struct table_col *lo =
			est && est->estimated ? window_col(&w, col[1]) : NULL;
		const struct table_col *hi = lo ? window_col(&w, col[2]) : NULL;

		for (size_t i = 0; hi && i < w.t.n; i++)
			*n += est->estimated[i] &&
			      (absent(lo, i) || absent(hi, i) || lo->i[i] == 0 ||
			       (double)hi->i[i] > 2 * (double)est->i[i]);
	}
	window_close(&w);
}

void proven_rows(struct exec *x, struct table *t, struct str *out)
{
	const char *name = bounded(t);
	struct table_col *col[3];
	size_t n = 0;

	*out = STR("");
	if (!name || x->g->marks.estimated) /* by stages, which bound nothing */
		return;
	table_add(t, str_c(name), t->event, false, &col[0]);
	if (!col[0]->table)
		return;
	table_add(t, STR("lo"), t->event, false, &col[1]);
	table_add(t, STR("hi"), t->event, false, &col[2]);
	count_unknown(x, t, col, &n);
	if (!n)
		return;
	*out = arena_printf(x->a, "%s%s%s%s cannot be known from this profile%s",
			    t->card ? "est" : GROUPED(n), t->card ? "" : " of ",
			    t->card ? "" : GROUPED(t->n),
			    t->card	? ""
			    : t->n == 1 ? " row (~)"
					: " rows (~)",
			    store_is_callgrind(x->g->st) && !*x->open->told
				    ? ": quern record --stacks -- PROGRAM"
				    : "");
	if (!out->p)
		need_memory(x->a);
}
