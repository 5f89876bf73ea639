/* check.c - look up the names in a query and follow its columns through the stages. */
#include "engine/check/check.h"

#include <stdio.h>
#include <string.h>

#include "engine/check/check_in.h"
#include "engine/lang/result.h"
#include "engine/sources/sources.h"
#include "engine/compare/vs.h"
#include "engine/lang/keywords.h"
#include "index/base/arena.h"
#include "index/base/count.h"
#include "index/base/err.h"

/* ---- stages ---- */

static int check_agg(struct schema *s, struct expr *e)
{
	bool count = e->op == EX_CALL && str_eq(e->text, STR("count"));

	if (e->op != EX_CALL || !is_aggregate(e->text)) {
		if (e->op == EX_COL && str_eq(e->text, STR("count")) &&
		    !check_known(s, e->text)) {
			e->op = EX_CALL;
			e->type = COL_COUNT;
			return 0;
		}
		return check_expr(s, e) || check_want_number(s, e) ? s->err->kind : 0;
	}
	if (count ? e->a != NULL : !e->a || e->a->next)
		return check_fail(s, e->span,
				  count ? "count() takes no argument"
					: "%.*s() takes one column",
				  STR_ARG(e->text));
	if (count) {
		e->type = COL_COUNT;
		return 0;
	}
	if (check_expr(s, e->a) || check_want_number(s, e->a))
		return s->err->kind;
	e->type = str_eq(e->text, STR("avg")) || str_eq(e->text, STR("median"))
			  ? COL_RATIO
			  : e->a->type;
	e->unit = e->a->unit;
	return 0;
}

/* Check columns to sort, show or group by.  An expression that is the same in each row is
 * a mistake (a column was meant), unless it has a name, or is the "all" that makes one
 * group. */
static int check_column(struct schema *s, struct expr *e, const char *to)
{
	const bool quoted = check_quoted_event(s, e);

	if (check_expr(s, e))
		return s->err->kind;
	if (quoted || (e->named && strcmp(to, "sort by") != 0) || !check_is_constant(e) ||
	    (strcmp(to, "group by") == 0 && str_eq(e->text, STR("all"))))
		return 0;
	check_fail(s, e->span, "this is the same in each row, no column to %s", to);
	if (e->op == EX_TEXT && (check_known(s, e->text) || source_col(s->src, e->text)))
		return err_hint(s->err, "without quotes: %.*s", STR_ARG(e->text));
	if (strcmp(to, "sort by") != 0)
		return err_hint(s->err, "a constant needs a name: %.*s as x",
				STR_ARG(e->as));
	return err_hint(s->err, "columns and events have names: self, incl, Ir");
}

static int check_list(struct schema *s, struct expr *e, const char *to)
{
	for (; e; e = e->next)
		if (check_column(s, e, to))
			return s->err->kind;
	return 0;
}

/* After group, sum and count only the columns that they made are left. */
static void forget_columns(struct schema *s)
{
	s->src = NULL;
	s->vs = false;
	s->known = NULL;
	s->n = s->cap = 0;
	s->nshown = 0;
}

static int know_list(struct schema *s, const struct expr *e)
{
	for (; e; e = e->next)
		if (check_add_known(s, e->as, e->type, e->unit))
			return s->err->kind;
	return 0;
}

/* A column of old, or the one that `add` put in its place, is a sum now. */
static int know_sum(struct schema *s, const struct schema *old, const struct col_def *d)
{
	const struct known_column *k = check_known(old, str_c(d->name));

	if ((k && !check_is_number(k->type)) || check_known(s, str_c(d->name)))
		return 0;
	return check_add_known(s, str_c(d->name), k ? k->type : d->type,
			       k ? k->unit
				 : source_unit(old->env, old->src, d, old->event));
}

/* Columns of old that add up and have all of flags are sums now; those of a comparison that
 * it shows. */
static int know_sums(struct schema *s, const struct schema *old, unsigned flags)
{
	const struct col_def *d;

	for (size_t i = 0; old->src && i < old->src->ncols; i++) {
		d = &old->src->cols[i];
		if ((d->flags & flags) == flags && know_sum(s, old, d))
			return s->err->kind;
	}
	flags |= SHOW_M;
	for (size_t i = 0; old->vs && (d = vs_col_at(old->src, i)); i++)
		if ((d->flags & flags) == flags && know_sum(s, old, d))
			return s->err->kind;
	return 0;
}

/* The sums of base and delta have a delta%, too. */
static int know_change(struct schema *s, const struct schema *old)
{
	return old->vs && check_known(s, STR("base")) && check_known(s, STR("delta")) &&
			       !check_known(old, STR("base")) &&
			       !check_known(old, STR("delta"))
		       ? check_add_known(s, STR("delta%"), COL_PERCENT, (struct unit){0})
		       : 0;
}

static int check_group(struct schema *s, struct tstage *st)
{
	struct schema old;

	if (check_list(s, st->exprs, "group by"))
		return s->err->kind;
	for (struct expr *e = st->aggs; e; e = e->next)
		if (check_agg(s, e))
			return s->err->kind;
	old = *s;
	forget_columns(s);
	if (know_list(s, st->exprs) || know_list(s, st->aggs) || st->aggs)
		return s->err->kind;
	if (check_add_known(s, STR("count"), COL_COUNT, (struct unit){0}) ||
	    know_sums(s, &old, ADDS_UP | SHOW_M))
		return s->err->kind;
	return know_change(s, &old);
}

/* A stage lists the columns: add the names that they have when summed. */
static int know_shown(struct schema *s, const struct schema *old, const struct expr *e)
{
	for (; e; e = e->next) {
		const struct col_def *d = source_col(old->src, e->text);
		struct str name = e->text;

		d = !d && old->vs ? vs_col(old->src, e->text) : d;
		if (e->op != EX_COL || e->let || e->named || e->percent || !d ||
		    !(d->flags & ADDS_UP))
			continue;
		if (e->ev != s->event && (d->flags & PER_EVENT))
			name = arena_printf(s->a, "%s.%.*s", d->name,
					    STR_ARG(s->env->events[e->ev]));
		if (!name.p)
			return arena_full(s->a, s->err);
		if (!check_known(s, name) && check_add_known(s, name, e->type, e->unit))
			return s->err->kind;
	}
	return 0;
}

static int know_visible(struct schema *s, const struct schema *old)
{
	if (!old->nshown || old->nshown > MOST_SHOWN)
		return know_sums(s, old, ADDS_UP);
	for (size_t i = 0; i < old->nshown; i++)
		if (know_shown(s, old, old->shown[i]))
			return s->err->kind;
	return 0;
}

static void check_see(struct schema *s, const struct tstage *st)
{
	if (st->kind == T_SHOW)
		s->nshown = 0;
	else if (!s->nshown)
		return;
	if (s->nshown < MOST_SHOWN)
		s->shown[s->nshown] = st->exprs;
	s->nshown += s->nshown <= MOST_SHOWN;
}

static int check_sum(struct schema *s)
{
	struct schema old = *s;

	forget_columns(s);
	if (know_visible(s, &old))
		return s->err->kind;
	for (size_t i = 0; i < old.n; i++)
		if (check_is_number(old.known[i].type) &&
		    check_add_known(s, old.known[i].name, old.known[i].type,
				    old.known[i].unit))
			return s->err->kind;
	return know_change(s, &old);
}

/* The column is known only when the rows are: cum% can be shown, but not used
 * otherwise. */
static bool is_cumulative(const struct schema *s, struct expr *e)
{
	const struct str whole = {e->text.p, e->text.n + 1};
	const struct col_def *d;

	if (e->op != EX_COL || !e->percent || e->event.n || e->named ||
	    check_known(s, whole) || !(d = source_col(s->src, whole)) ||
	    !(d->flags & IS_CUM))
		return false;
	e->text = whole;
	e->percent = false;
	e->type = d->type;
	e->ev = s->event;
	return true;
}

static int check_show(struct schema *s, struct expr *list)
{
	for (struct expr *e = list; e; e = e->next)
		if (!is_cumulative(s, e) && check_column(s, e, "show"))
			return s->err->kind;
	for (struct expr *e = list; e; e = e->next)
		if (e->named && check_add_known(s, e->as, e->type, e->unit))
			return s->err->kind;
	return 0;
}

static int check_stage(struct schema *s, struct tstage *st)
{
	switch (st->kind) {
	case T_SORT: check_see(s, st); return check_list(s, st->exprs, "sort by");
	case T_SHOW: check_see(s, st); return check_show(s, st->exprs);
	case T_ADD:
		return check_expr(s, st->exprs)
			       ? s->err->kind
			       : check_add_known(s, st->name, st->exprs->type,
						 st->exprs->unit);
	case T_GROUP: return check_group(s, st);
	case T_SUM: return check_sum(s);
	case T_COUNT:
		forget_columns(s);
		return check_add_known(s, STR("count"), COL_COUNT, (struct unit){0});
	case T_WHERE:
	case T_EXPECT:
		return st->exprs && (check_expr(s, st->exprs) ||
				     check_want_condition(s, st->exprs))
			       ? s->err->kind
			       : 0;
	case T_TAKE:
	case T_SKIP:
	case T_AS: return 0;
	}
	return 0;
}

/* ---- the event and the expansion of top ---- */

/* Is it one word, or a text? */
static bool is_word(const struct expr *e)
{
	return e->op == EX_TEXT || (e->op == EX_COL && !e->event.n && !e->percent);
}

static bool is_event(const struct check_env *env, const struct expr *e)
{
	return is_word(e) && check_find_event(env, e->text) < env->nevents;
}

static void *check_new(struct schema *s, size_t size)
{
	void *p = arena_alloc(s->a, size);

	if (!p)
		arena_full(s->a, s->err);
	return p;
}

/* top by file: names are no order; rows of their own are meant. */
static const char *unit_of(const struct schema *s, struct str word)
{
	static const char *const rows[][2] = {{"file", "files"},     {"obj", "objects"},
					      {"dir", "dirs"},	     {"class", "classes"},
					      {"thread", "threads"}, {"part", "parts"}};
	const char *said = check_column_habit(s, word);

	for (size_t i = 0; i < COUNT(rows); i++)
		if (str_eq(said ? str_c(said) : word, str_c(rows[i][0])))
			return rows[i][1];
	return NULL;
}

/* In `top ... by X`, X is usually an event; suggest one. */
static int check_by(struct schema *s, const struct query *q)
{
	const struct expr *e = q->source.by;
	const char *unit;

	if (!e || !is_word(e) || is_event(s->env, e) ||
	    parse_find_value(&s->env->limits, e->text, true))
		return 0;
	unit = e->op == EX_COL && q->source.kind == S_FUNCTIONS ? unit_of(s, e->text)
								: NULL;
	if (unit) {
		check_fail(s, e->span, "'top' ranks by a number, not by '%.*s'",
			   STR_ARG(e->text));
		return err_hint(s->err, "did you mean 'top %s'?", unit);
	}
	if (source_col(s->src, e->text))
		return 0;
	check_event(s->env, e->text, e->span, s->err);
	if (check_column_habit(s, e->text)) {
		s->err->hint[0] = '\0'; /* of an event spelled almost so */
		return err_hint(s->err, "did you mean '%s'?",
				check_column_habit(s, e->text));
	}
	return err_hint(s->err, "an event, or a column: self, incl, calls, ...");
}

/* top N UNIT by X  =  UNIT | sort X | take N */
static int expand_top(struct schema *s, struct query *q)
{
	enum { TOP_ROWS = 10 };
	const struct span at = q->source.span;
	struct tstage *sort = check_new(s, sizeof(*sort));
	struct tstage *take = check_new(s, sizeof(*take));
	struct expr *key = q->source.by ? q->source.by : check_new(s, sizeof(*key));

	if (!sort || !take || !key || check_by(s, q))
		return s->err->kind;
	if (!q->source.by) {
		const struct str name = str_c(s->src->primary);

		*key = (struct expr){.op = EX_COL, .text = name, .as = name, .span = at};
	}
	*sort = (struct tstage){.kind = T_SORT, .span = at, .exprs = key};
	*take = (struct tstage){.kind = T_TAKE, .span = at};
	take->n = q->source.has_n ? q->source.n : TOP_ROWS;
	sort->next = take;
	take->next = q->tstages;
	q->tstages = sort;
	q->source.by = NULL;
	q->source.top = false;
	return 0;
}

static int choose_event(struct schema *s, struct query *q)
{
	struct tstage *first = q->tstages;
	struct expr *by = q->source.by;
	const char *said;

	if (by) {
		if (!is_word(by)) {
			check_fail(s, by->span, "'by' names an event here");
			return err_hint(s->err, "to sort by another column: | sort ...");
		}
		s->event = check_event(s->env, by->text, by->span, s->err);
		said = s->src ? check_column_habit(s, by->text) : NULL;
		return s->err->kind
			       ? err_hint(s->err,
					  "'by' names an event; to sort: | sort %.*s",
					  STR_ARG(said ? str_c(said) : by->text))
			       : 0;
	}
	if (!first || first->kind != T_SORT || !is_event(s->env, first->exprs))
		return 0;
	/* In `functions | sort D1mr`, D1mr becomes the event of the table. */
	s->event = check_find_event(s->env, first->exprs->text);
	if (!s->src || !source_col(s->src, str_c(s->src->primary)))
		return 0;
	first->exprs->op = EX_COL;
	first->exprs->text = str_c(s->src->primary);
	return 0;
}

static int last_columns(struct schema *s, struct span at)
{
	const struct result *r = s->env->last;

	if (!r) {
		check_fail(s, at, "there is no result yet for '_'");
		return err_hint(s->err,
				"run a query first, or put a result away with > file");
	}
	for (size_t i = 0; i < r->ncols; i++)
		if (check_add_known(s, r->cols[i].name, r->cols[i].type, r->cols[i].unit))
			return s->err->kind;
	return 0;
}

static int check_sets(struct schema *s, const struct set *set)
{
	if (!set)
		return 0;
	if (set->op == SET_VAR && !parse_find_value(&s->env->limits, set->text, false))
		return parse_no_value(s->err, set->text, set->span);
	return check_sets(s, set->a) || check_sets(s, set->b) ? s->err->kind : 0;
}

bool check_heeds(const struct source *s, const struct gstage *g)
{
	const bool parts = g->kind == G_IN || g->kind == G_PART || g->kind == G_THREAD;

	if (g->kind == G_INLINED && verb_of_lines(s->kind))
		return false;
	if (s->kind == S_PROFILES || s->kind == S_LAST)
		return false;
	if (g->kind == G_NOREC) /* does nothing anywhere */
		return true;
	/* Which functions were merged differs from part to part. */
	if ((s->kind == S_THREADS || (s->kind == S_PARTS && !s->of)) &&
	    (g->kind == G_COLLAPSE || g->kind == G_COLLAPSE_BY))
		return false;
	switch (s->kind) {
	case S_PARTS:
		return parts || g->kind == G_WHOLE ||
		       (s->of ? g->kind != G_INLINED : gstages_divide(g));
	case S_THREADS: return parts || gstages_divide(g) || g->kind == G_WHOLE;
	case S_EVENTS: return parts || gstages_divide(g);
	case S_INFO: return parts || gstages_divide(g) || s->of;
	default: return true;
	}
}

/* A stage that would not change the answer is an error, not a word in its heading. */
static int check_heeded(struct schema *s, const struct query *q)
{
	const struct source *src = &q->source;

	for (const struct gstage *g = q->gstages; g; g = g->next)
		if (!check_heeds(src, g)) {
			check_fail(s, g->span,
				   "this stage does not change what '%s' lists",
				   s->src ? s->src->name : "_");
			return err_hint(
				s->err,
				verb_of_lines(src->kind)
					? "the column 'inlined' says which lines are: "
					  "lines of main | show line, self, inlined"
				: src->kind == S_LAST
					? "the last answer is a table by now: "
					  "write the stage in its own query"
				: src->kind == S_PROFILES ? "leave it out"
				: src->of ? "inlined code has no parts: 'part 2 | with "
					    "inlined | functions' is of one"
					  : "it heeds in, part, thread and what focus, "
					    "ignore, hide and cut leave");
		}
	return 0;
}

/* `why` without `vs` compares with the only other profile that is open. */
static int choose_base(struct schema *s, struct source *src)
{
	if (src->kind != S_WHY || src->vs.n)
		return 0;
	if (s->env->nprofiles == 2) {
		src->vs = src->vs_profile = s->env->profiles[1];
		return 0;
	}
	check_fail(s, src->span, "'why' compares two profiles: %s",
		   s->env->nprofiles < 2 ? "one is open" : "say which with 'vs'");
	return err_hint(s->err, s->env->nprofiles < 2
					? "quern new.out base=old.out why"
					: "why vs NAME; 'profiles' lists the names");
}

/* Each profile of several has a column with its name. */
static int know_profile(struct schema *s, struct str name, struct span at)
{
	const struct col_def *base = vs_col(s->src, STR("base"));

	if (check_profile(s->env, name, at, s->err) == s->env->nprofiles)
		return s->err->kind;
	if (check_known(s, name) || source_col(s->src, name) || vs_col(s->src, name)) {
		check_fail(s, at, "'%.*s' is the name of another column", STR_ARG(name));
		return err_hint(s->err,
				"open that profile under another name: NAME=FILE");
	}
	return check_add_known(s, name, COL_COST,
			       source_unit(s->env, s->src, base, s->event));
}

static int check_also(struct schema *s, const struct source *src)
{
	if (src->kind == S_WHY) {
		check_fail(s, src->also->span, "'%s' compares two profiles",
			   s->src->name);
		return err_hint(s->err, "functions vs A, B, C has a column for each");
	}
	if (check_add_known(
		    s, STR("lowest"), COL_COST,
		    source_unit(s->env, s->src, vs_col(s->src, STR("base")), s->event)))
		return s->err->kind;
	for (const struct also *also = src->also; also; also = also->next)
		if (know_profile(s, also->name, also->span))
			return s->err->kind;
	return 0;
}

static int check_source(struct schema *s, struct query *q)
{
	struct source *src = &q->source;

	for (size_t i = 0; i < SOURCE_SETS; i++)
		if (check_sets(s, src->sets[i]))
			return s->err->kind;
	for (const struct gstage *g = q->gstages; g; g = g->next)
		if (check_sets(s, g->set))
			return s->err->kind;
	if (choose_base(s, src))
		return s->err->kind;
	if (src->vs_profile.n && check_profile(s->env, src->vs_profile, src->vs_span,
					       s->err) == s->env->nprofiles)
		return s->err->kind;
	if (src->vs.n && src->kind != S_WHY && (!s->src || !s->src->subject)) {
		check_fail(s, src->vs_span,
			   "'%s' cannot be compared with another profile",
			   s->src ? s->src->name : "_");
		return err_hint(
			s->err,
			"functions files objects dirs classes lines inlined calls callers "
			"callees calltree cycles events parts threads cost info");
	}
	s->vs = src->vs.n > 0 && src->kind != S_WHY;
	return src->also ? check_also(s, src) : 0;
}

/* `expect` tests all rows that come to it, so no later stage may change these rows.  Only
 * `take` may follow: it says how many are shown. */
static int check_after(struct schema *s, const struct tstage *st)
{
	const struct tstage *next = st->kind == T_EXPECT ? st->next : NULL;

	for (; next; next = next->next)
		switch (next->kind) {
		case T_WHERE:
		case T_SKIP:
		case T_GROUP:
		case T_SUM:
		case T_COUNT:
			check_fail(s, next->span,
				   "a stage after 'expect' must not change the rows");
			return err_hint(s->err, "write this stage before 'expect'");
		case T_SORT:
		case T_TAKE:
		case T_SHOW:
		case T_ADD:
		case T_AS:
		case T_EXPECT: break;
		}
	return 0;
}

static int check_output(struct schema *s, const struct query *q)
{
	if (!s->env->safe || (!q->file.n && !q->shell.n))
		return 0;
	return check_fail(s, q->out_span, "'%s' is refused under --safe",
			  q->file.n ? ">" : "!");
}

/* min 10ms: a count of the event, from here on. */
static int check_min(struct schema *s, struct source *src)
{
	const struct unit of =
		s->event < s->env->nevents ? s->env->units[s->event] : (struct unit){0};

	if (!src->min_unit.kind)
		return 0;
	if (src->min_unit.kind != of.kind) {
		check_fail(s, src->min_span, "the event of these costs has no such unit");
		return err_hint(s->err, "write a number without a unit, or min 1%%");
	}
	src->min /= (double)of.scale;
	src->min_unit.kind = UNIT_NONE;
	return 0;
}

int check_query(const struct check_env *env, struct query *q, struct arena *a,
		uint32_t *event, struct err *err)
{
	struct schema s = {.env = env, .a = a, .err = err, .event = env->event};

	s.src = q->source.kind == S_LAST ? NULL : source_def_of(&q->source);
	if (check_output(&s, q) || check_source(&s, q) || check_heeded(&s, q) ||
	    (q->source.kind == S_LAST && last_columns(&s, q->source.span)))
		return err->kind;
	if ((q->source.top && expand_top(&s, q)) || choose_event(&s, q) ||
	    check_min(&s, &q->source))
		return err->kind;
	for (struct tstage *st = q->tstages; st; st = st->next)
		if (check_stage(&s, st) || check_after(&s, st))
			return err->kind;
	*event = s.event;
	return 0;
}

int check_let(const struct check_env *env, struct let *let, struct arena *a,
	      struct err *err)
{
	struct schema s = {.env = env, .a = a, .err = err, .event = env->event};

	s.src = source_def(S_FUNCTIONS);
	if (let->set)
		return check_sets(&s, let->set);
	if (check_find_event(env, let->name) < env->nevents ||
	    source_col(s.src, let->name))
		return check_fail(
			&s, let->span, "'%.*s' is already %s", STR_ARG(let->name),
			source_col(s.src, let->name) ? "a column"
						     : "an event of this profile");
	return check_expr(&s, let->expr);
}
