/*
 * stage.c - open sources as tables and run the table stages; sort is in sort.c, group and
 * sum are in group.c.
 */
#include "engine/stages/stage.h"

#include <math.h>
#include <string.h>

#include "engine/lang/check_names.h"
#include "engine/names/fnset.h"
#include "engine/stages/eval.h"
#include "engine/rows/doubt.h"
#include "engine/rows/exec.h"
#include "engine/stages/group.h"
#include "engine/sources/sources.h"
#include "engine/compare/vs.h"
#include "engine/why/why.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/format/event.h"

/* Find the text of a row that is most like `want`: it contains it, or a letter or two are different.
 * With `any`, take some text if none is like it.  false: a row has exactly `want`, or no text was
 * found. */
static bool nearest_text(struct exec *x, struct table *t, const struct expr *column,
			 struct str want, bool any, struct str *near, bool *has)
{
	unsigned best = want.n < 6 ? 2 : 3; /* letters that differ */
	struct table_col v;

	eval(x, t, column, &v);
	for (size_t i = 0; i < t->n && !*has; i++) {
		const struct str text = col_text(t, &v, i);
		const size_t apart = text.n > want.n ? text.n - want.n : want.n - text.n;
		unsigned differ;

		if (str_eq(text, want))
			return false;
		*has = str_find_str(text, want) < text.n;
		if (*has || (any && (!near->n || str_eq(*near, STR("???")))))
			*near = text;
		if (*has || apart >= best)
			continue;
		differ = str_distance(want, text, best - 1);
		if (differ < best) {
			best = differ;
			any = false;
			*near = text;
		}
	}
	return near->n > 0;
}

/* No row has `obj = "libc"`, so that no row is left, or with `!=` all are: say which text has it
 * in it, or what these texts look like. */
static void note_texts(struct exec *x, struct table *t, const struct expr *e, bool all)
{
	struct str near = {0}, text;
	const bool any = !all && e->op == EX_EQ && e->a->op == EX_COL &&
			 (str_starts(e->a->text, STR("obj")) ||
			  str_starts(e->a->text, STR("file")));
	bool has = false;

	if (e->op == EX_AND) {
		note_texts(x, t, e->a, all);
		note_texts(x, t, e->b, all);
		return;
	}
	if (e->op == EX_MATCH && e->b->op == EX_TEXT && !e->match && !all &&
	    str_find(e->b->text, '*') < e->b->text.n) {
		exec_note(x, STR("in quotes a * is no wildcard: ~ /.../ takes a "
				 "regular expression"));
		return;
	}
	if (e->op != (all ? EX_NE : EX_EQ) || e->a->op != EX_COL || e->b->op != EX_TEXT ||
	    !e->b->text.n || !nearest_text(x, t, e->a, e->b->text, any, &near, &has))
		return;
	text = arena_printf(x->a, "no row has %.*s = \"%.*s\", one has \"%.*s\"",
			    STR_ARG(e->a->text), STR_ARG(e->b->text), STR_ARG(near));
	exec_note(x, has ? arena_printf(x->a, "%.*s: where %.*s %s \"%.*s\"",
					STR_ARG(text), STR_ARG(e->a->text),
					all ? "!~" : "~", STR_ARG(e->b->text))
			 : text);
}

/* A bare number counts as the profile and machine formats do, and people see times: of Xdebug
 * 1000 are 10 us. */
static void note_unit(struct exec *x, const struct expr *cost, const struct expr *number)
{
	const struct unit u = cost->unit;
	char value[UNIT_TEXT_MAX];

	if (number->op != EX_NUMBER || number->unit.kind || !u.kind || u.scale == 1 ||
	    cost->percent || !(number->number > 0))
		return;
	unit_text(value, u, number->number);
	exec_notef(x, "%.*s counts units of %s %s, as csv has them: %s",
		   STR_ARG(exec_text(x, number->span)), GROUPED(u.scale), unit_name(u),
		   value);
}

static void note_units(struct exec *x, const struct expr *e)
{
	if (e->op == EX_AND || e->op == EX_OR) {
		note_units(x, e->a);
		note_units(x, e->b);
		return;
	}
	if (e->op == EX_NOT || (e->op == EX_COL && e->let)) {
		note_units(x, e->op == EX_NOT ? e->a : e->let);
		return;
	}
	if (e->op < EX_EQ || e->op > EX_GE)
		return;
	note_unit(x, e->a, e->b);
	note_unit(x, e->b, e->a);
}

static void where(struct exec *x, struct table *t, const struct tstage *s)
{
	uint32_t *rows;
	size_t n;

	note_units(x, s->exprs);
	eval_rows(x, t, s->exprs, &rows, &n);
	if (t->n && (!n || n == t->n))
		note_texts(x, t, s->exprs, n > 0);
	table_select(t, rows, n);
	t->rows_before = n;
}

static void keep_slice(struct exec *x, struct table *t, size_t from, size_t n)
{
	uint32_t *rows;

	if (from > t->n)
		from = t->n;
	if (n > t->n - from)
		n = t->n - from;
	if (n == t->n)
		return;
	rows = EXEC_ARRAY(x, uint32_t, n + 1);
	for (size_t i = 0; i < n; i++)
		rows[i] = (uint32_t)(from + i);
	table_select(t, rows, n);
}

/* A column to show, or a computed one that has no name yet. */
struct shown {
	struct table_col *col, v;
	struct expr *ratio;
	bool adds_up;
};

/* Can the values of e be summed?  Not if it contains inclusive costs, under any name.
 * The columns of e have been found before. */
static bool adds_up(struct table *t, const struct expr *e)
{
	struct table_col *c;

	if (!e)
		return true;
	if (e->op == EX_COL && e->let)
		return adds_up(t, e->let);
	if (e->op == EX_COL)
		eval_column(t, e, &c);
	if (e->op == EX_COL)
		return c->adds_up || c->ratio;
	return adds_up(t, e->a) && adds_up(t, e->b);
}

static void compute(struct exec *x, struct table *t, const struct expr *e,
		    struct shown *s)
{
	bool sums;

	eval(x, t, e, &s->v);
	sums = adds_up(t, e);
	/* A ratio is computed from sums, if its columns add up. */
	if (sums && e->type == COL_RATIO)
		eval_bind(x, t, e, &s->ratio);
	if (s->ratio && !eval_is_quotient(s->ratio))
		s->ratio = NULL;
	s->adds_up = sums && !s->ratio &&
		     (e->type == COL_COST || e->type == COL_COUNT ||
		      e->type == COL_DELTA || e->type == COL_RATIO);
}

static void stage_append(struct table *t, struct str name, struct shown *s)
{
	struct table_col *c;

	table_adopt(t, name, &s->v, &c);
	c->adds_up = s->adds_up;
	c->ratio = s->ratio;
}

/* Add a column; it replaces a visible one of the same name. */
static void stage_add(struct exec *x, struct table *t, const struct tstage *s)
{
	struct shown one = {0};

	compute(x, t, s->exprs, &one);
	for (size_t i = 0; i < t->ncols; i++)
		if (str_eq(t->cols[i]->name, s->name))
			t->cols[i]->machine = t->cols[i]->table = false;
	stage_append(t, s->name, &one);
}

static void move_last(struct table *t, struct table_col *c)
{
	size_t i = 0;

	while (t->cols[i] != c)
		i++;
	memmove(&t->cols[i], &t->cols[i + 1], (t->ncols - i - 1) * sizeof(*t->cols));
	t->cols[t->ncols - 1] = c;
}

/* Rows of a set are told apart by it, whatever else is shown. */
static void show_profile(struct table *t)
{
	struct table_col *c = NULL;
	size_t i = t->ncols;

	while (i > 0 && !c)
		c = str_eq(t->cols[--i]->name, STR("profile")) ? t->cols[i] : NULL;
	if (!c || c->machine)
		return;
	c->machine = c->table = true;
	memmove(&t->cols[1], &t->cols[0], i * sizeof(*t->cols));
	t->cols[0] = c;
}

/* show: only these columns, in this order; the others stay usable.  All names mean the
 * columns before the stage: `show self as incl, incl as self`. */
static void stage_show(struct exec *x, struct table *t, const struct tstage *s)
{
	struct shown *to;
	size_t n = 0;

	for (const struct expr *e = s->exprs; e; e = e->next)
		n++;
	to = EXEC_ARRAY(x, struct shown, n);
	n = 0;
	for (const struct expr *e = s->exprs; e; e = e->next, n++)
		if (e->op != EX_COL || e->let || e->named)
			compute(x, t, e, &to[n]);
		else
			eval_column(t, e, &to[n].col);
	for (size_t i = 0; i < t->ncols; i++)
		t->cols[i]->machine = t->cols[i]->table = false;
	n = 0;
	for (const struct expr *e = s->exprs; e; e = e->next, n++) {
		if (to[n].col) {
			to[n].col->machine = to[n].col->table = true;
			move_last(t, to[n].col);
		} else {
			stage_append(t, e->as, &to[n]);
		}
	}
	if (t->set)
		show_profile(t);
}

static void stage_count(struct table *t)
{
	uint64_t n = t->n;
	struct table_col *c;

	t->src = NULL;
	t->ref = NULL;
	t->n = 1;
	t->rows_before = 1;
	t->cols = NULL;
	t->ncols = t->cap = 0;
	table_append(t, STR("count"), COL_COUNT, &c);
	c->u[0] = n;
}

/* ---- the order by cost ---- */

/* The number of rows that the stage keeps of a sorted table; t->n if it is not `take`. */
static size_t rows_kept(const struct table *t, const struct tstage *s)
{
	return s && s->kind == T_TAKE && s->n < t->n ? (size_t)s->n : t->n;
}

/* Sort by cost, if no stage has ordered the rows; only the first n are needed. */
static void order_now(struct exec *x, struct table *t, size_t n)
{
	if (!t->by_cost)
		return;
	t->by_cost = false;
	exec_sort(x, t, NULL, n);
}

void exec_order(struct exec *x, struct table *t)
{
	order_now(x, t, t->n);
}

/* Do the rows come to a stage that sorts them, so that equal ones must be in order? */
static bool is_sorted_later(const struct tstage *s)
{
	while (s && (s->kind == T_WHERE || s->kind == T_ADD || s->kind == T_SHOW))
		s = s->next;
	return s && s->kind == T_SORT;
}

/*
 * Sort before the stage if it needs the order.  Fewer rows are left after `where`, and
 * groups are ordered, not their rows.
 */
static void order_before(struct exec *x, struct table *t, const struct tstage *s)
{
	switch (s->kind) {
	case T_TAKE: order_now(x, t, rows_kept(t, s)); return;
	case T_SKIP: exec_order(x, t); return;
	case T_SHOW:
		if (is_sorted_later(s))
			exec_order(x, t);
		return;
	case T_SORT:
	case T_SUM:
	case T_COUNT: t->by_cost = false; return;
	case T_WHERE:
	case T_ADD:
	case T_GROUP:
	case T_AS:
	case T_EXPECT: return;
	}
}

void exec_tstage(struct exec *x, struct table *t, const struct tstage *s)
{
	order_before(x, t, s);
	switch (s->kind) {
	case T_WHERE: where(x, t, s); return;
	case T_SORT: exec_sort(x, t, s->exprs, rows_kept(t, s->next)); return;
	case T_TAKE: keep_slice(x, t, 0, s->n > t->n ? t->n : (size_t)s->n); return;
	case T_SKIP: keep_slice(x, t, s->n > t->n ? t->n : (size_t)s->n, t->n); return;
	case T_SHOW: stage_show(x, t, s); return;
	case T_ADD: stage_add(x, t, s); return;
	case T_GROUP: exec_group(x, t, s); return;
	case T_SUM: exec_sum(x, t); return;
	case T_COUNT: stage_count(t); return;
	case T_AS:
	case T_EXPECT: /* in exec_expect(), when the table is complete */ return;
	}
}

/* What two profiles with little in common seem to show is no answer. */
void exec_doubt_paired(struct exec *x, const struct table *t)
{
	enum { LEAST = 50 };
	const double share = fmin(t->paired.percent[0], t->paired.percent[1]);

	if (t->paired.known && share < LEAST)
		exec_doubt_quietly(
			x, DOUBT_PAIRED,
			need_printf(x->a,
				    "only %.1f %% of the cost is in functions that both "
				    "profiles have; at least %d %% are expected",
				    share, LEAST));
}

/* An `expect` cannot hold if something of the profiles is unknown, or not alike in them.
 * Nor do numbers of unlike things break it: the doubt is the error. */
static int expect_no_doubt(struct exec *x, const struct tstage *s)
{
	const enum doubt kind = exec_doubted(x);

	/* Uncertain pairs matter only if the expectation holds with them:
	 * exec_expect_sure(). */
	if (kind == DOUBTS || kind == DOUBT_UNSURE)
		return 0;
	err_set(x->err, kind == DOUBT_FORMULA ? ERR_QUERY : ERR_EXPECT, s->span.at,
		"%.*s", STR_ARG(x->doubts->why[kind]));
	x->err->len = (uint32_t)s->span.len;
	if (kind == DOUBT_PAIRED)
		err_hint(x->err, "--rename pairs more; --accept paired accepts so few");
	return err_hint(x->err, "--accept %s: for %s", doubt_kinds[kind].word,
			doubt_kinds[kind].help);
}

int exec_expect_sure(struct exec *x, const struct tstage *s)
{
	err_set(x->err, ERR_EXPECT, s->span.at,
		"it hangs on pairs that are not certain: %.*s",
		STR_ARG(x->doubts->why[DOUBT_UNSURE]));
	return err_hint(x->err, "--accept unsure: for %s",
			doubt_kinds[DOUBT_UNSURE].help);
}

/* The first column of a condition that has no value in some row of t; NULL: all have. */
static void find_unknown(struct exec *x, struct table *t, const struct expr *e,
			 const struct expr **out)
{
	struct table_col v;

	if (!e || *out)
		return;
	if (e->op != EX_COL || e->let) {
		find_unknown(x, t, e->let ? e->let : e->a, out);
		find_unknown(x, t, e->let ? NULL : e->b, out);
		return;
	}
	eval(x, t, e, &v);
	for (size_t i = 0; v.absent && i < t->n && !*out; i++)
		if (v.absent[i])
			*out = e;
}

static int expect_rows(struct exec *x, struct table *t, const struct tstage *s)
{
	uint32_t *rows, *bad;
	size_t n, k = 0, all = t->n;
	const struct expr *unknown = NULL;
	struct str asked;

	if (s->name.n) {
		bool none = str_eq(s->name, STR("none"));

		if (none == (t->n == 0))
			return 0;
		return none ? err_set(x->err, ERR_EXPECT, s->span.at,
				      "expected no rows, found %s", GROUPED(t->n))
			    : err_set(x->err, ERR_EXPECT, s->span.at,
				      "expected rows, found none");
	}
	note_units(x, s->exprs);
	eval_rows(x, t, s->exprs, &rows, &n);
	if (n == t->n)
		return 0;
	bad = EXEC_ARRAY(x, uint32_t, t->n - n + 1);
	for (size_t i = 0, j = 0; i < t->n; i++) {
		if (j < n && rows[j] == i)
			j++;
		else
			bad[k++] = (uint32_t)i;
	}
	table_select(t, bad, k);
	find_unknown(x, t, s->exprs, &unknown);
	asked = check_with_values(x->env, s->exprs->as, x->a);
	err_set(x->err, ERR_EXPECT, s->span.at, "%s of %s row%s %s not meet %.*s",
		GROUPED(k), GROUPED(all), all == 1 ? "" : "s", k == 1 ? "does" : "do",
		STR_ARG(asked));
	if (!unknown)
		return x->err->kind;
	return err_hint(x->err, "%.*s has no value there%s", STR_ARG(unknown->text),
			store_counts_calls(x->g->st) ||
					str_find_str(unknown->text, STR("calls")) ==
						unknown->text.n
				? ""
				: ": nobody counted the calls of this profile");
}

/* What it computes may be in doubt as well. */
int exec_expect(struct exec *x, struct table *t, const struct tstage *s)
{
	exec_doubt_paired(x, t);
	return expect_no_doubt(x, s) || expect_rows(x, t, s) || expect_no_doubt(x, s)
		       ? x->err->kind
		       : 0;
}

/* How many rows the stages keep, the costliest; 0: all, or others. */
static size_t rows_wanted(const struct exec *x, const struct source *s,
			  const struct tstage *next)
{
	const struct source_def *def = source_def_of(s);
	const struct expr *key = next && next->kind == T_SORT ? next->exprs : NULL;

	if (s->kind == S_LAST || s->vs.n || !def->sorted)
		return 0;
	if (key) {
		if (key->next || key->asc || key->op != EX_COL || key->let ||
		    key->percent || key->ev != x->event ||
		    !str_eq(key->text, str_c(def->primary)))
			return 0;
		next = next->next;
	}
	return next && next->kind == T_TAKE ? (size_t)next->n : 0;
}

/* ---- the calls whose sites can meet a condition ---- */

static bool of_the_caller(const struct expr *e)
{
	return !e || e->op == EX_NUMBER ||
	       (e->op == EX_COL && !e->let && str_eq(e->text, STR("caller_calls"))) ||
	       (e->op >= EX_ADD && of_the_caller(e->a) && of_the_caller(e->b));
}

/* `calls >= 10 * caller_calls`, `incl > 1000`: no site has more of it than its call. */
static bool bounds_calls(const struct exec *x, const struct expr *e)
{
	const struct store_info *i = store_info(x->g->st);
	const struct expr *c = e->a;

	return (e->op == EX_GE || e->op == EX_GT) && c->op == EX_COL && !c->let &&
	       (str_eq(c->text, STR("calls")) ||
		(str_eq(c->text, STR("incl")) && !i->negative && c->ev < i->events)) &&
	       of_the_caller(e->b);
}

static bool has_text(const struct expr *e)
{
	return e && (e->op == EX_TEXT || has_text(e->let) || has_text(e->a) ||
		     has_text(e->b) || has_text(e->next));
}

/* Leave the calls in t that meet those terms of e that bound them. */
static void select_calls(struct exec *x, struct table *t, const struct expr *e)
{
	uint32_t *rows;
	size_t n;

	if (e->op == EX_AND) {
		select_calls(x, t, e->a);
		select_calls(x, t, e->b);
	} else if (bounds_calls(x, e)) {
		eval_rows(x, t, e, &rows, &n);
		table_select(t, rows, n);
	}
}

/* Most sites are not read where few calls are made often enough.  A text that no row has would
 * have a note, so that all rows must be looked at. */
static const struct fn_set *calls_wanted(struct exec *x, const struct source *s,
					 const struct tstage *next)
{
	struct table t = {0};
	struct fn_set *calls;

	if (s->kind != S_CALLSITES || s->of || s->vs.n || !x->g->plain || x->parts ||
	    !store_counts_all(x->g->st))
		return NULL;
	for (const struct tstage *w = next; w && w->kind == T_WHERE; w = w->next)
		if (has_text(w->exprs))
			return NULL;
	table_init(x, &t, source_def(S_CALLS), x->g, x->g->edges);
	for (; next && next->kind == T_WHERE; next = next->next)
		select_calls(x, &t, next->exprs);
	if (t.n > x->g->edges / 2)
		return NULL;
	calls = fnset_new(x->a, x->g->edges);
	for (size_t i = 0; i < t.n; i++)
		fnset_add(calls, row_ref(&t, i));
	return calls;
}

void exec_source(struct exec *x, const struct source *s, struct vs *v, struct table *t,
		 const struct tstage *next)
{
	graph_event(x->g, x->event);
	exec_doubt_total(x, x->g, x->event);
	x->keep = rows_wanted(x, s, next);
	x->calls = v ? NULL : calls_wanted(x, s, next);
	if (s->kind == S_WHY && v)
		exec_why(x, s, v, t);
	else if (v)
		exec_vs(x, s, next, v, t);
	else
		sources_open(x, s, t);
	x->keep = 0;
	x->calls = NULL;
	/* If no stage orders the rows, the costliest come first. */
	t->by_cost = t->src && t->src->sorted && !t->ordered;
}
