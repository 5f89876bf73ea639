/* headline.c - the result of a comparison in short; see headline.h. */
#include "repl/render/headline.h"

#include <inttypes.h>

#include "engine/lang/result.h"
#include "index/base/cost.h"
#include "index/base/out.h"
#include "repl/render/change.h"
#include "repl/render/fit.h"
#include "repl/term/number.h"

enum { HEADLINE_NAME = 40 }; /* columns */

static void put_cost(struct out *o, struct unit u, int64_t v)
{
	char cost[NUMBER_MAX];

	number_cost(cost, u, v);
	out_str(o, str_trim(str_c(cost)));
}

/* One digit of a percent, or two that are not 0. */
static void put_percent(struct out *o, int64_t now, int64_t was)
{
	const double change =
		100.0 * ((double)now - (double)was) / (double)cost_size(was);
	int digits = 1;

	for (double by = change; by != 0 && digits < 7 && by < 0.95 && by > -0.95;
	     by *= 10)
		digits++;
	if (now == was)
		out_c(o, " (the same)");
	else if (was)
		out_printf(o, " (%+.*f %%)", digits, change);
}

static bool is_portion(struct str s)
{
	return str_starts(s, STR("thread ")) || str_starts(s, STR("part "));
}

/* Parts and threads of one profile have its name: say which side is which. */
static void put_side(struct out *o, const struct result *r, bool base,
		     enum emit_form form)
{
	struct str side = STR("all");

	if (!is_portion(r->base))
		return;
	for (size_t i = 0; i < r->nfilters; i++)
		if (is_portion(r->filters[i]))
			side = r->filters[i];
	emit_name(o, form, base ? r->base : side);
	out_c(o, ": ");
}

static void put_totals(struct out *o, const struct result *r, enum emit_form form)
{
	const int64_t *total = r->headline->total;

	put_side(o, r, true, form);
	put_cost(o, r->unit, total[1]);
	out_c(o, " -> ");
	put_side(o, r, false, form);
	put_cost(o, r->unit, total[0]);
	out_char(o, ' ');
	emit_name(o, form, result_title(r));
	put_percent(o, total[0], total[1]);
}

static void put_name(struct out *o, enum emit_form form, struct str name)
{
	struct out text;

	out_mem(&text);
	fit_put(&text, EMIT_TEXT, FIT_NAME, name, HEADLINE_NAME);
	emit_name(o, form == EMIT_MD ? EMIT_MD_CODE : form, out_text(&text));
	out_close_into(o, &text);
}

static void put_changed(struct out *o, const struct result *r, const struct changed *c,
			bool less, enum emit_form form)
{
	char text[CHANGE_MAX];

	out_printf(o, "%s %s by ", GROUPED(c->functions), less ? "shrank" : "grew");
	unit_whole(text, r->unit, cost_size(c->by));
	out_printf(o, "%s: ", text);
	for (size_t i = 0; i < c->named; i++) {
		const struct changed_fn *f = &c->most[i];

		out_c(o, i ? ", " : "");
		put_name(o, form, f->name);
		change_text(text, r->unit, f->now, f->was);
		out_printf(o, " %s", text);
	}
	out_c(o, c->functions > c->named ? ", ..." : "");
}

static void put_cause(struct out *o, enum emit_form form, const struct headline *h)
{
	emit_name(o, form, h->cause);
	if (!h->line)
		return;
	out_c(o, " (");
	emit_name(o, form, str_basename(h->file));
	out_printf(o, ":%" PRIu64 ")", h->line);
}

bool headline_put(struct out *o, enum emit_form form, const struct result *r, size_t line)
{
	enum { TOTALS, CAUSE, GREW, SHRANK, OTHERS };
	const struct headline *h = r->headline;

	if (!h || (line == CAUSE && !h->cause.n) ||
	    ((line == GREW || line == SHRANK) && !h->changed[line - GREW].functions) ||
	    (line == OTHERS && !h->others.n))
		return false;
	if (line == TOTALS)
		put_totals(o, r, form);
	else if (line == CAUSE)
		put_cause(o, form, h);
	else if (line == OTHERS)
		emit_name(o, form, h->others);
	else
		put_changed(o, r, &h->changed[line - GREW], line > GREW, form);
	return true;
}
