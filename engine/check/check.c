/* check.c - look up the names in a query and follow its columns through the stages. */
#include "engine/check/check.h"

#include <stdio.h>
#include <string.h>

#include "engine/check/check_in.h"
#include "engine/lang/result.h"
#include "engine/rows/set_columns.h"
#include "engine/sources/sources.h"
#include "engine/compare/vs.h"
#include "engine/lang/keywords.h"
#include "index/base/arena.h"
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/need.h"

/* ---- stages ---- */

static void check_agg(struct schema *s, struct expr *e)
{
	bool count = e->op == EX_CALL && str_eq(e->text, STR("count"));

	if (e->op != EX_CALL || !is_aggregate(e->text)) {
		if (e->op == EX_COL && str_eq(e->text, STR("count")) &&
		    !check_known(s, e->text)) {
			e->op = EX_CALL;
			e->type = COL_COUNT;
			return;
		}
		check_expr(s, e);
		check_want_number(s, e);
		return;
	}
	if (count ? e->a != NULL : !e->a || e->a->next)
		check_fail(s, e->span,
			   count ? "count() takes no argument"
				 : "%.*s() takes one column",
			   STR_ARG(e->text));
	if (count) {
		e->type = COL_COUNT;
		return;
	}
	check_expr(s, e->a);
	check_want_number(s, e->a);
	e->type = str_eq(e->text, STR("avg")) || str_eq(e->text, STR("median"))
			  ? COL_RATIO
			  : e->a->type;
	e->unit = e->a->unit;
}

/* Check columns to sort, show or group by.  An expression that is the same in each row is
 * a mistake (a column was meant), unless it has a name, or is the "all" that makes one
 * group. */
static void check_column(struct schema *s, struct expr *e, const char *to)
{
	const bool quoted = check_quoted_event(s, e);

	check_expr(s, e);
	if (quoted || (e->named && strcmp(to, "sort by") != 0) || !check_is_constant(e) ||
	    (strcmp(to, "group by") == 0 && str_eq(e->text, STR("all"))))
		return;
	check_wrong(s, e->span, "this is the same in each row, no column to %s", to);
	if (e->op == EX_TEXT && (check_known(s, e->text) || source_col(s->src, e->text)))
		need_hint(s->err, "without quotes: %.*s", STR_ARG(e->text));
	if (strcmp(to, "sort by") != 0)
		need_hint(s->err, "a constant needs a name: %.*s as x", STR_ARG(e->as));
	need_hint(s->err, "columns and events have names: self, incl, Ir");
}

static void check_list(struct schema *s, struct expr *e, const char *to)
{
	for (; e; e = e->next)
		check_column(s, e, to);
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

static void know_list(struct schema *s, const struct expr *e)
{
	for (; e; e = e->next)
		check_add_known(s, e->as, e->type, e->unit);
}

/* A column of old, or the one that `add` put in its place, is a sum now. */
static void know_sum(struct schema *s, const struct schema *old, const struct col_def *d)
{
	const struct known_column *k = check_known(old, str_c(d->name));

	if ((k && !check_is_number(k->type)) || check_known(s, str_c(d->name)))
		return;
	check_add_known(s, str_c(d->name), k ? k->type : d->type,
			k ? k->unit : source_unit(old->env, old->src, d, old->event));
}

/* Columns of old that add up and have all of flags are sums now; those of a comparison that
 * it shows. */
static void know_sums(struct schema *s, const struct schema *old, unsigned flags)
{
	const struct col_def *d;

	for (size_t i = 0; old->src && i < old->src->ncols; i++) {
		d = &old->src->cols[i];
		if ((d->flags & flags) == flags)
			know_sum(s, old, d);
	}
	flags |= SHOW_M;
	for (size_t i = 0; old->vs && (d = vs_col_at(old->src, i)); i++)
		if ((d->flags & flags) == flags)
			know_sum(s, old, d);
}

/* The sums of base and delta have a delta%, too. */
static void know_change(struct schema *s, const struct schema *old)
{
	if (old->vs && check_known(s, STR("base")) && check_known(s, STR("delta")) &&
	    !check_known(old, STR("base")) && !check_known(old, STR("delta")))
		check_add_known(s, STR("delta%"), COL_PERCENT, (struct unit){0});
}

static void check_group(struct schema *s, struct tstage *st)
{
	struct schema old;

	check_list(s, st->exprs, "group by");
	for (struct expr *e = st->aggs; e; e = e->next)
		check_agg(s, e);
	old = *s;
	forget_columns(s);
	know_list(s, st->exprs);
	know_list(s, st->aggs);
	if (st->aggs)
		return;
	check_add_known(s, STR("count"), COL_COUNT, (struct unit){0});
	know_sums(s, &old, ADDS_UP | SHOW_M);
	know_change(s, &old);
}

/* A stage lists the columns: add the names that they have when summed. */
static void know_shown(struct schema *s, const struct schema *old, const struct expr *e)
{
	for (; e; e = e->next) {
		const struct col_def *d = source_col(old->src, e->text);
		struct str name = e->text;

		d = !d && old->vs ? vs_col(old->src, e->text) : d;
		if (e->op != EX_COL || e->let || e->named || e->percent || !d ||
		    !(d->flags & ADDS_UP))
			continue;
		if (e->ev != s->event && (d->flags & PER_EVENT))
			name = need_printf(s->a, "%s.%.*s", d->name,
					   STR_ARG(s->env->events[e->ev]));
		if (!check_known(s, name))
			check_add_known(s, name, e->type, e->unit);
	}
}

static void know_visible(struct schema *s, const struct schema *old)
{
	if (!old->nshown || old->nshown > MOST_SHOWN) {
		know_sums(s, old, ADDS_UP);
		return;
	}
	for (size_t i = 0; i < old->nshown; i++)
		know_shown(s, old, old->shown[i]);
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

static void check_sum(struct schema *s)
{
	struct schema old = *s;

	forget_columns(s);
	know_visible(s, &old);
	for (size_t i = 0; i < old.n; i++)
		if (check_is_number(old.known[i].type))
			check_add_known(s, old.known[i].name, old.known[i].type,
					old.known[i].unit);
	know_change(s, &old);
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

static void check_show(struct schema *s, struct expr *list)
{
	for (struct expr *e = list; e; e = e->next) {
		if (!is_cumulative(s, e))
			check_column(s, e, "show");
	}
	for (struct expr *e = list; e; e = e->next) {
		if (e->named)
			check_add_known(s, e->as, e->type, e->unit);
	}
}

static void check_stage(struct schema *s, struct tstage *st)
{
	switch (st->kind) {
	case T_SORT:
		check_see(s, st);
		check_list(s, st->exprs, "sort by");
		break;
	case T_SHOW:
		check_see(s, st);
		check_show(s, st->exprs);
		break;
	case T_ADD:
		check_expr(s, st->exprs);
		check_add_known(s, st->name, st->exprs->type, st->exprs->unit);
		break;
	case T_GROUP: check_group(s, st); break;
	case T_SUM: check_sum(s); break;
	case T_COUNT:
		forget_columns(s);
		check_add_known(s, STR("count"), COL_COUNT, (struct unit){0});
		break;
	case T_WHERE:
	case T_EXPECT:
		if (st->exprs) {
			check_expr(s, st->exprs);
			check_want_condition(s, st->exprs);
		}
		break;
	case T_TAKE:
	case T_SKIP:
	case T_AS: break;
	}
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
static void check_by(struct schema *s, const struct query *q)
{
	const struct expr *e = q->source.by;
	const char *unit;

	if (!e || !is_word(e) || is_event(s->env, e) ||
	    parse_find_value(&s->env->limits, e->text, true))
		return;
	unit = e->op == EX_COL && q->source.kind == S_FUNCTIONS ? unit_of(s, e->text)
								: NULL;
	if (unit) {
		check_wrong(s, e->span, "'top' ranks by a number, not by '%.*s'",
			    STR_ARG(e->text));
		need_hint(s->err, "did you mean 'top %s'?", unit);
	}
	if (source_col(s->src, e->text))
		return;
	check_no_event(s->env, e->text, e->span, s->err);
	if (check_column_habit(s, e->text)) {
		s->err->hint[0] = '\0'; /* of an event spelled almost so */
		need_hint(s->err, "did you mean '%s'?", check_column_habit(s, e->text));
	}
	need_hint(s->err, "an event, or a column: self, incl, calls, ...");
}

/* top N UNIT by X  =  UNIT | sort X | take N */
static void expand_top(struct schema *s, struct query *q)
{
	enum { TOP_ROWS = 10 };
	const struct span at = q->source.span;
	struct tstage *sort = NEED_NEW(s->a, struct tstage);
	struct tstage *take = NEED_NEW(s->a, struct tstage);
	struct expr *key = q->source.by ? q->source.by : NEED_NEW(s->a, struct expr);

	check_by(s, q);
	if (!q->source.by) {
		const struct str name = str_c(s->src->primary);

		*key = (struct expr){.op = EX_COL, .text = name, .as = name, .span = at};
	}
	*sort = (struct tstage){.kind = T_SORT, .span = at, .exprs = key};
	*take = (struct tstage){.kind = T_TAKE, .span = at};
	take->n = q->source.has_n ? q->source.n : TOP_ROWS;
	take->each = q->source.each;
	sort->next = take;
	take->next = q->tstages;
	q->tstages = sort;
	q->source.by = NULL;
	q->source.top = false;
}

static void choose_event(struct schema *s, struct query *q)
{
	struct tstage *first = q->tstages;
	struct expr *by = q->source.by;
	const char *said;

	if (by) {
		if (!is_word(by)) {
			check_wrong(s, by->span, "'by' names an event here");
			need_hint(s->err, "to sort by another column: | sort ...");
		}
		s->event = check_find_event(s->env, by->text);
		if (s->event < s->env->nevents)
			return;
		said = s->src ? check_column_habit(s, by->text) : NULL;
		check_no_event(s->env, by->text, by->span, s->err);
		need_hint(s->err, "'by' names an event; to sort: | sort %.*s",
			  STR_ARG(said ? str_c(said) : by->text));
	}
	if (!first || first->kind != T_SORT || !is_event(s->env, first->exprs))
		return;
	/* In `functions | sort D1mr`, D1mr becomes the event of the table. */
	s->event = check_find_event(s->env, first->exprs->text);
	if (!s->src || !source_col(s->src, str_c(s->src->primary)))
		return;
	first->exprs->op = EX_COL;
	first->exprs->text = str_c(s->src->primary);
}

static void last_columns(struct schema *s, struct span at)
{
	const struct result *r = s->env->last;

	if (!r) {
		check_wrong(s, at, "there is no result yet for '_'");
		need_hint(s->err, "run a query first, or put a result away with > file");
	}
	for (size_t i = 0; i < r->ncols; i++)
		check_add_known(s, r->cols[i].name, r->cols[i].type, r->cols[i].unit);
}

static void check_sets(struct schema *s, const struct set *set)
{
	if (!set)
		return;
	if (set->op == SET_VAR && !parse_find_value(&s->env->limits, set->text, false))
		parse_no_value(s->err, set->text, set->span);
	check_sets(s, set->a);
	check_sets(s, set->b);
}

bool check_heeds(const struct source *s, const struct gstage *g)
{
	const bool parts = g->kind == G_IN || g->kind == G_PART || g->kind == G_THREAD;

	if (gstage_opens(g))
		return s->kind != S_PARTS && s->kind != S_THREADS &&
		       s->kind != S_PROFILES && s->kind != S_LAST;

	if (g->kind == G_INLINED && verb_of_lines(s->kind))
		return false;
	if (s->kind == S_PROFILES || s->kind == S_LAST)
		return false;
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
static void check_heeded(struct schema *s, const struct query *q)
{
	const struct source *src = &q->source;

	for (const struct gstage *g = q->gstages; g; g = g->next)
		if (!check_heeds(src, g)) {
			check_wrong(s, g->span,
				    "this stage does not change what '%s' lists",
				    s->src ? s->src->name : "_");
			need_hint(s->err,
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
}

/* `why` without `vs` compares with the only other profile that is open. */
static void choose_base(struct schema *s, struct source *src)
{
	if (src->kind != S_WHY || src->vs.n)
		return;
	if (s->env->nprofiles == 2) {
		src->vs = src->vs_profile = s->env->profiles[1];
		return;
	}
	check_wrong(s, src->span, "'why' compares two profiles: %s",
		    s->env->nprofiles < 2 ? "one is open" : "say which with 'vs'");
	need_hint(s->err, s->env->nprofiles < 2
				  ? "quern new.out base=old.out why"
				  : "why vs NAME; 'profiles' lists the names");
}

/* slowest 3 activations of X | why: what they have that as many usual ones have not. */
static void choose_usual(struct schema *s, struct query *q)
{
	const struct gstage *g = q->gstages;
	struct source *src = &q->source;

	if (src->kind != S_WHY || src->vs.n)
		return;
	while (g && g->kind != G_SLOWEST)
		g = g->next;
	if (!g)
		return;
	src->vs_parts = NEED_NEW(s->a, struct gstage);
	*src->vs_parts = *g;
	src->vs_parts->kind = G_USUAL;
	src->vs_parts->next = NULL;
	src->vs_span = g->span;
	src->vs = STR("usual"); /* statement.c has the text of the set */
}

static void check_source(struct schema *s, struct query *q)
{
	struct source *src = &q->source;

	for (size_t i = 0; i < SOURCE_SETS; i++)
		check_sets(s, src->sets[i]);
	for (const struct gstage *g = q->gstages; g; g = g->next)
		check_sets(s, g->set);
	choose_usual(s, q);
	choose_base(s, src);
	if (src->vs_profile.n)
		check_profile(s->env, src->vs_profile, src->vs_span, s->err);
	if (src->vs.n && src->kind != S_WHY && (!s->src || !s->src->subject) &&
	    !(s->env->set && src->kind == S_PROFILES)) {
		check_wrong(s, src->vs_span,
			    "'%s' cannot be compared with another profile",
			    s->src ? s->src->name : "_");
		need_hint(
			s->err,
			"functions files objects dirs classes lines inlined calls callers "
			"callees calltree cycles events parts threads cost info");
	}
	s->vs = src->vs.n > 0 && src->kind != S_WHY && src->kind != S_PROFILES;
}

/* `expect` tests all rows that come to it, so no later stage may change these rows.  Only
 * `take` may follow: it says how many are shown. */
static void check_after(struct schema *s, const struct tstage *st)
{
	const struct tstage *next = st->kind == T_EXPECT ? st->next : NULL;

	for (; next; next = next->next)
		switch (next->kind) {
		case T_WHERE:
		case T_SKIP:
		case T_GROUP:
		case T_SUM:
		case T_COUNT:
			check_wrong(s, next->span,
				    "a stage after 'expect' must not change the rows");
			need_hint(s->err, "write this stage before 'expect'");
		case T_SORT:
		case T_TAKE:
		case T_SHOW:
		case T_ADD:
		case T_AS:
		case T_EXPECT: break;
		}
}

/* A sum of many profiles hides what became worse in one. */
static void check_sums(struct schema *s, const struct tstage *st)
{
	const struct tstage *sum = NULL;

	for (; s->env->set && st; st = st->next) {
		if (st->each)
			sum = NULL;
		else if (st->kind == T_SUM ||
			 (st->kind == T_GROUP && check_is_constant(st->exprs)))
			sum = st;
		if (!sum || st->kind != T_EXPECT || st->name.n)
			continue;
		check_wrong(s, sum->span,
			    "this adds up all profiles of the set, and an "
			    "`expect` would not see what one of them costs more");
		need_hint(s->err, "%s: of each profile; without `expect` it is of all",
			  sum->kind == T_SUM ? "sum each" : "group by ... each");
	}
}

static void check_output(struct schema *s, const struct query *q)
{
	if (!s->env->safe || (!q->file.n && !q->shell.n))
		return;
	check_fail(s, q->out_span, "'%s' is refused under --safe", q->file.n ? ">" : "!");
}

/* min 10ms: a count of the event, from here on. */
static void check_min(struct schema *s, struct source *src)
{
	const struct unit of =
		s->event < s->env->nevents ? s->env->units[s->event] : (struct unit){0};

	if (!src->min_unit.kind)
		return;
	if (src->min_unit.kind != of.kind) {
		check_wrong(s, src->min_span,
			    "the event of these costs has no such unit");
		need_hint(s->err, "write a number without a unit, or min 1%%");
	}
	src->min /= (double)of.scale;
	src->min_unit.kind = UNIT_NONE;
}

/* The schema of what is checked, under a guard: where it is wrong, checking ends. */
struct checking {
	struct schema s;
	struct query *q;
	struct let *let;
};

static struct unit set_unit(const struct schema *s, enum col_type type)
{
	return (type == COL_COST || type == COL_DELTA) && s->event < s->env->nevents
		       ? s->env->units[s->event]
		       : (struct unit){0};
}

static int check_guarded(void *arg)
{
	struct checking *c = arg;
	struct schema *s = &c->s;
	struct query *q = c->q;
	const struct set_column *of_set;
	size_t n;

	s->src = q->source.kind == S_LAST ? NULL : source_def_of(&q->source);
	of_set = s->env->set ? set_columns(q->source.kind, &n) : NULL;
	check_output(s, q);
	check_source(s, q);
	check_heeded(s, q);
	if (q->source.kind == S_LAST)
		last_columns(s, q->source.span);
	else if (s->env->set && !of_set)
		check_add_known(s, STR("profile"), COL_STR, (struct unit){0});
	for (size_t i = 0; of_set && i < n; i++)
		check_add_known(s, str_c(of_set[i].name), of_set[i].type,
				set_unit(s, of_set[i].type));
	if (q->source.top)
		expand_top(s, q);
	choose_event(s, q);
	if (of_set)
		s->src = NULL; /* the columns are those of the set */
	check_min(s, &q->source);
	check_sums(s, q->tstages);
	for (struct tstage *st = q->tstages; st; st = st->next) {
		check_stage(s, st);
		check_after(s, st);
	}
	return 0;
}

int check_query(const struct check_env *env, struct query *q, struct arena *a,
		uint32_t *event, struct err *err)
{
	struct checking c = {{.env = env, .a = a, .err = err, .event = env->event},
			     .q = q};

	if (!map_guard(check_guarded, &c, ERR_INDEX, err))
		*event = c.s.event;
	return err->kind;
}

static int let_guarded(void *arg)
{
	struct checking *c = arg;
	struct schema *s = &c->s;
	struct let *let = c->let;

	s->src = source_def(S_FUNCTIONS);
	if (let->set) {
		check_sets(s, let->set);
		return 0;
	}
	if (check_find_event(s->env, let->name) < s->env->nevents ||
	    source_col(s->src, let->name))
		check_fail(s, let->span, "'%.*s' is already %s", STR_ARG(let->name),
			   source_col(s->src, let->name) ? "a column"
							 : "an event of this profile");
	check_expr(s, let->expr);
	return 0;
}

int check_let(const struct check_env *env, struct let *let, struct arena *a,
	      struct err *err)
{
	struct checking c = {{.env = env, .a = a, .err = err, .event = env->event},
			     .let = let};

	return map_guard(let_guarded, &c, ERR_INDEX, err);
}
