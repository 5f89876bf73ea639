/* footer.c - the line below a table; see footer.h. */
#include "engine/sources/footer.h"
#include "index/base/need.h"

#include <math.h>
#include <stdio.h>

#include "engine/lang/result.h"
#include "engine/rows/exec.h"
#include "engine/inline/inlined.h"
#include "engine/sources/proven.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

/* Three digits and a unit: 5.27 M, -3.02 s. */
static const char *scaled(int64_t v, struct unit of, char out[UNIT_TEXT_MAX])
{
	static const char unit[] = " kMGTPE";
	double d = fabs((double)v);
	unsigned u = 0;

	if (of.kind || cost_size(v) < 10000) {
		unit_whole(out, of, v);
		return out;
	}
	for (; d >= 999.5 && u < sizeof(unit) - 2; u++)
		d /= 1000;
	snprintf(out, UNIT_TEXT_MAX, "%.*f %c",
		 d < 9.995   ? 2
		 : d < 99.95 ? 1
			     : 0,
		 v < 0 ? -d : d, unit[u]);
	return out;
}

/* The self costs of one event, which add up to its total. */
static const struct col_def *self_costs(const struct table *t)
{
	const struct col_def *d = source_col(t->src, STR("self"));

	return d && d->flags & ADDS_UP && d->flags & PER_EVENT && !t->vs ? d : NULL;
}

/* Costs of both signs may add up to 0. */
static bool adds_up_to_zero(struct store *st, uint32_t e)
{
	bool any = false;

	for (fn_id f = 0; store_info(st)->negative && f < store_info(st)->functions; f++)
		any |= store_fn_self(st, f, e) != 0;
	return any;
}

/* The first event with a total, if that of the table has no costs; else empty. */
static struct str other_event(const struct table *t)
{
	struct store *st = t->g->st;
	struct store_event event = {0};

	if (!self_costs(t) || store_total(st, t->event) || adds_up_to_zero(st, t->event))
		return event.name;
	for (uint32_t e = 0; e < store_info(st)->all_events; e++)
		if (store_total(st, e)) {
			store_event(st, e, &event);
			break;
		}
	return event.name;
}

/* The share of the total in the self costs of the rows; < 0: makes no sense here.  *by_self:
 * they are what the rows are about, as they are in order of them.  *about: it is an estimate. */
static void share_of_total(struct table *t, bool paged, double *out, bool *by_self,
			   bool *about)
{
	const int64_t total = graph_total(t->g, t->event);
	struct table_col *c;
	double sum = 0;

	*out = -1;
	*by_self = true;
	*about = false;
	if (!self_costs(t) || total <= 0)
		return;
	table_own(t, STR("self"), t->event, false, &c);
	if (!c->machine && !c->table)
		return;
	for (size_t i = 0; i < t->n; i++) {
		sum += (double)c->i[i];
		*about |= c->estimated && c->estimated[i];
	}
	*out = 100.0 * sum / (double)total;
	*about &= sum != (double)total;
	*by_self = t->src != &source_cycles; /* those are about calls */
	/* Parts and lines are in an order of their own, and have no other cost. */
	if (paged || !*by_self || !source_col(t->src, STR("incl")))
		return;
	table_by_self(t, by_self);
}

/* "; with the code inlined from others, 24 %: by line: lines | group by file", of files, which
 * have their functions whole.  Empty: it is not much among the costliest functions. */
static struct str of_other_files(struct exec *x, const struct table *t)
{
	enum { MOST = 256, MUCH = 5 };
	const double total = (double)graph_total(t->g, t->event);
	struct store *st = t->g->st;
	fn_id f[MOST];
	int64_t sum;
	uint32_t n = 0;

	if (!graph_as_stored(x->g) || x->parts || t->event >= store_info(st)->events)
		return STR("");
	for (; n < MOST && n < store_info(st)->functions; n++)
		f[n] = store_rank_self(st, t->event, n);
	if (!inlined_share(st, f, n, t->event, &sum) || (double)sum * 100 < MUCH * total)
		return STR("");
	return arena_printf(
		x->a,
		"; %.0f %% is lines of other files, inlined: lines | group by "
		"%s: sum(self)",
		100 * (double)sum / total, t->src == &source_dirs ? "dir" : "file");
}

/* Are all rows functions of one file, as those of `functions of file:F`? */
static bool of_one_file(const struct table *t)
{
	bool one = t->n > 0;

	for (size_t i = 0; i < t->n && one; i++)
		one = !graph_is(t->g, row_ref(t, i), GRAPH_FILES) &&
		      graph_file_id(t->g, row_ref(t, i)) ==
			      graph_file_id(t->g, row_ref(t, 0));
	return one;
}

/* "; 31 % of that is inlined: top inlined", if that is much of the self costs shown, or, of
 * the functions of one file, some.  Empty: it is not, or there are too many rows or lines to
 * look. */
static struct str much_inlined(struct exec *x, struct table *t, double part)
{
	enum { MOST = 1000, MUCH = 20, SOME = 5 };
	const double shown = part / 100 * (double)graph_total(t->g, t->event);
	fn_id f[MOST];
	int64_t sum;
	size_t n = 0;
	bool one;

	if (t->src == &source_files || t->src == &source_dirs)
		return of_other_files(x, t);
	if (t->src != &source_functions || t->n > MOST / 10 || shown <= 0 ||
	    !graph_as_stored(t->g) || x->parts)
		return STR("");
	for (size_t i = 0; i < t->n; i++) {
		const uint32_t row = row_ref(t, i), most = graph_members_count(t->g, row);

		if (n + most > MOST)
			return STR("");
		for (uint32_t k = 0; k < most; k++)
			f[n++] = graph_member(t->g, row, k);
	}
	one = of_one_file(t);
	if (!inlined_share(t->g->st, f, n, t->event, &sum) ||
	    (double)sum * 100 < (one ? SOME : MUCH) * shown)
		return STR("");
	return arena_printf(x->a, "; %.0f %% of that is inlined: top inlined",
			    100 * (double)sum / shown);
}

/* The mark of what stages leave. */
static const char *left_mark(const struct table *t)
{
	return graph_left_is_about(t->g) ? "~" : "";
}

/* The mark of what a tree is of, or of all that is left. */
static const char *whole_mark(const struct table *t)
{
	if (!t->g->marks.estimated)
		return "";
	return !t->top.name.n ? left_mark(t) : t->top.fuzzy ? "~" : "";
}

/* "; 100 % is what ignore leaves: 95.1 % of 2.32 M Ir (whole: shares of all)". */
static struct str left_by_ignore(struct exec *x, const struct table *t,
				 const struct result *r)
{
	const int64_t whole = graph_whole(t->g, t->event);
	const struct str title = result_title(r);
	char text[UNIT_TEXT_MAX];

	if (r->total == whole || t->g->of_whole || whole <= 0)
		return STR("");
	return arena_printf(x->a,
			    "; 100 %% is what ignore leaves, %s%.1f %% of %s %.*s "
			    "(whole: shares of all)",
			    left_mark(t), 100.0 * (double)r->total / (double)whole,
			    scaled(whole, r->unit, text), STR_ARG(title));
}

/* Are there percentages of the total? */
static bool has_shares(const struct result *r)
{
	for (size_t i = 0; i < r->ncols; i++)
		if (r->cols[i].type == COL_PERCENT && r->cols[i].table &&
		    !str_eq(r->cols[i].name, STR("share%")))
			return true;
	return false;
}

/* "; the stages leave 2.14 M Ir", if that is not all. */
static struct str left_by_stages(struct exec *x, const struct table *t,
				 const struct result *r)
{
	const int64_t left = graph_left(t->g, t->event), all = r->total;
	const struct str title = result_title(r);
	char text[UNIT_TEXT_MAX];

	/* Estimates are rounded. */
	if (!t->g->marks.estimated || left >= all - all / 10000)
		return STR("");
	return arena_printf(x->a, "; the stages leave %s%s %.*s (%s%.1f %%)",
			    left_mark(t), scaled(left, r->unit, text), STR_ARG(title),
			    left_mark(t), 100.0 * (double)left / (double)all);
}

static bool exceeds_total(const struct exec *x, uint32_t event, int64_t incl)
{
	const int64_t total = graph_whole(x->g, event);
	const int64_t most = cost_sum(total, total / 20000); /* still shown as 100.00 % */

	return incl > most && most >= total;
}

static bool above_total(struct exec *x, const struct column *c, size_t row)
{
	return c->type == COL_COST &&
	       (str_eq(c->name, STR("incl")) || str_starts(c->name, STR("incl."))) &&
	       exceeds_total(x, c->event, c->i[row]) && !(c->absent && c->absent[row]);
}

/* Count cells above the total in a result that is read page by page. */
static void count_above_total(struct exec *x, struct table *t, const struct result *r,
			      size_t *n)
{
	struct table_col *c;

	if (!result_col(r, STR("incl")))
		return;
	table_own(t, STR("incl"), t->event, false, &c);
	for (size_t i = 0; i < t->n; i++)
		*n += exceeds_total(x, c->event, c->i[i]) && !(c->absent && c->absent[i]);
}

/* Note cells above the total.  Some producers record more cost in calls than was
 * spent.  A few units, lost at the start and end of a profile, are ignored. */
static void note_above_total(struct exec *x, struct table *t, const struct result *r)
{
	size_t n = 0;

	/* Normal for a call: nested calls count again. */
	if (t->src == &source_calls || t->src == &source_callsites ||
	    t->src == &source_path || t->part_of)
		return;
	if (r->pages)
		count_above_total(x, t, r, &n);
	for (size_t i = 0; !r->pages && i < r->rows; i++) {
		bool above = false;

		for (size_t k = 0; k < r->ncols && !above; k++)
			above = above_total(x, &r->cols[k], i);
		n += above;
	}
	if (n)
		exec_notef(x,
			   "incl of %s row%s is above the total: the profile's calls "
			   "bring more than its lines cost",
			   GROUPED(n), n == 1 ? "" : "s");
}

/* Of a comparison: how much of both profiles can be compared. */
static struct str paired(struct exec *x, const struct table *t, const struct result *r)
{
	const struct str was = t->paired.renamed;

	if (!r->base.n || r->paired[0] < 0)
		return (struct str){"", 0};
	return arena_printf(x->a, "paired: %.1f %% of %.*s here, %.1f %% of %.*s%s%.*s",
			    r->paired[0], STR_ARG(r->event), r->paired[1],
			    STR_ARG(r->base), was.n ? "; " : "", STR_ARG(was));
}

enum { LONG_NAME = 60 }; /* a longer one is as tables shorten it */

/* Of a tree: what `share%` and a `min` in percent are percentages of. */
static struct str wholes(struct exec *x, const struct table *t, const struct result *r)
{
	const struct column *share = result_col(r, STR("share%"));
	const struct str title = result_title(r);
	char whole[UNIT_TEXT_MAX], least[UNIT_TEXT_MAX], own[UNIT_TEXT_MAX];
	struct str text = {"", 0}, name = t->top.name;

	if (name.n > LONG_NAME && t->top.fn != GRAPH_NONE)
		name = graph_short_name(t->g, t->top.fn, x->a);
	if (!t->tree || t->vs || !share || !share->table || !r->rows)
		return text;
	text = arena_printf(x->a, "share%% of %s%s %.*s%s%.*s", whole_mark(t),
			    scaled(t->share_of, r->unit, whole), STR_ARG(title),
			    name.n ? ", incl of " : "", STR_ARG(name));
	if (text.p && t->src == &source_callees && t->share_of > 0)
		text = arena_printf(
			x->a, "%.*s; spent by %s: %s%s (%.2f %%)", STR_ARG(text),
			t->top.fn == GRAPH_NONE ? "themselves" : "itself",
			t->top.fuzzy ? "~" : "", scaled(t->top.own, r->unit, own),
			100 * (double)t->top.own / (double)t->share_of);
	if (t->min_usual && text.p)
		return arena_printf(x->a, "%.*s; none under 0.5 %%%s", STR_ARG(text),
				    *x->open->told ? "" : " of it: min 0 lists all");
	if (t->min_percent && text.p)
		text = arena_printf(x->a, "%.*s; min %g%% of the total: %s",
				    STR_ARG(text),
				    r->total ? 100 * t->min / (double)r->total : 0,
				    scaled((int64_t)(t->min + 0.5), r->unit, least));
	return text;
}

static void note_ignored(struct exec *x, struct str ignored)
{
	if (!(ignored.p && !ignored.n))
		exec_note(x, str_from(ignored, 2));
}

static void add_text(struct exec *x, struct result *r, struct str text)
{
	if (r->footer.n && text.n)
		text = arena_printf(x->a, "%.*s; %.*s", STR_ARG(r->footer),
				    STR_ARG(text));
	if (text.n)
		r->footer = text;
	if (!text.p)
		need_memory(x->a);
}

/* After `focus` and `ignore` costs are shares, calls are not. */
static void note_calls(struct exec *x, const struct table *t, const struct result *r)
{
	for (size_t i = 0; i < r->ncols && graph_some_calls(t->g); i++)
		if (r->cols[i].table &&
		    str_find_str(r->cols[i].name, STR("call")) < r->cols[i].name.n) {
			exec_note(x, STR("calls are all those between the "
					 "functions that are left, costs what the "
					 "stages leave"));
			return;
		}
}

void footer(struct exec *x, struct table *t, struct result *r)
{
	char n[32], all[32], total[UNIT_TEXT_MAX];
	struct str other, pairs = paired(x, t, r), title = result_title(r);
	struct str inlined, left, ignored, unknown;
	bool by_self, about;
	double part;

	if (!pairs.p)
		need_memory(x->a);
	if (!t->src) {
		r->footer = pairs;
		return;
	}
	note_above_total(x, t, r);
	note_calls(x, t, r);
	if (!r->footer.n)
		r->footer = STR("");
	if (t->card) {
		proven_rows(x, t, &unknown);
		add_text(x, r, unknown);
		if (t->src == &source_info_fn || has_shares(r))
			note_ignored(x, left_by_ignore(x, t, r));
		return;
	}
	share_of_total(t, r->pages, &part, &by_self, &about);
	ignored = part >= 0 || has_shares(r) ? left_by_ignore(x, t, r) : STR("");
	other = other_event(t);
	inlined = much_inlined(x, t, part);
	left = left_by_stages(x, t, r);
	if (!inlined.p || !left.p || !ignored.p)
		need_memory(x->a);
	str_grouped(t->n, n);
	str_grouped(t->rows_before, all);
	if (other.n)
		r->footer = arena_printf(
			x->a,
			"%s of %s %s; all %.*s are 0, but not all %.*s: .event %.*s", n,
			all, t->src->rows, STR_ARG(r->event), STR_ARG(other),
			STR_ARG(other));
	else if (part >= 0)
		r->footer = arena_printf(
			x->a, "%s of %s %s%s %s%.1f %% of %s%s %.*s%.*s%.*s", n, all,
			t->src->rows, by_self ? " =" : "; their self is",
			about ? "~" : "", part, ignored.n ? left_mark(t) : "",
			scaled(r->total, r->unit, total), STR_ARG(title),
			STR_ARG(inlined), STR_ARG(left));
	else if (t->n < t->rows_before)
		r->footer =
			arena_printf(x->a, "%s of %s %s%s%s%.*s", n, all, t->src->rows,
				     t->min_usual && t->vs ? " changed" : "",
				     pairs.n ? "; " : "", STR_ARG(pairs));
	else if (pairs.n)
		r->footer = arena_printf(x->a, "%s%.*s", r->rows ? "" : "no rows; ",
					 STR_ARG(pairs));
	r->proven = proven_share(x, t, r->compared);
	if (!r->footer.p)
		need_memory(x->a);
	proven_rows(x, t, &unknown);
	add_text(x, r, wholes(x, t, r));
	add_text(x, r, r->proven);
	add_text(x, r, unknown);
	if (ignored.n)
		r->footer = r->footer.n
				    ? arena_printf(x->a, "%.*s%.*s", STR_ARG(r->footer),
						   STR_ARG(ignored))
				    : str_from(ignored, 2);
	if (!r->footer.p)
		need_memory(x->a);
	*x->open->told |= x->open->people && t->min_usual && unknown.n;
}
