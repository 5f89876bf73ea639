/*
 * check.c - resolve names, follow columns through the stages, type expressions.
 *
 * A column is looked for in this order: columns that stages added; the source's own
 * (NAME, NAME.EVENT, NAME%); a bare event (self.EVENT, or incl.EVENT where there is no
 * self); a let.  A let is copied in place of its name; `incl.CPI` rebases its bare events to
 * incl.
 */
#include "engine/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/source.h"
#include "engine/words.h"

struct known {			/* a column that is there */
	struct str name;
	enum col_type type;
};

struct schema {
	const struct check_env *env;
	struct arena *a;
	struct err *err;
	const struct source_def *src;	/* NULL after group, sum, count and for `_` */
	struct known *known;
	size_t n, cap;
	uint32_t event;
	bool vs;
	unsigned lets;			/* depth of lets inside lets */
	bool right_side;		/* of a comparison */
};

static int resolve(struct schema *s, struct expr *e);

static int fail(struct schema *s, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct schema *s, struct span at, const char *fmt, ...)
{
	char text[sizeof(s->err->text)];
	va_list ap;

	if (s->err->kind)
		return (int)s->err->kind;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(s->err, ERR_QUERY, at.at, "%s", text);
	s->err->len = (uint32_t)(at.len ? at.len : 1);
	return ERR_QUERY;
}

/* ---- lists of names, nearest names ---- */

static void append(char *buf, size_t cap, struct str s)
{
	size_t n = strlen(buf);

	if (n + s.n + 5 < cap)
		snprintf(buf + n, cap - n, "%s%.*s", n ? " " : "", STR_ARG(s));
	else if (n + 5 < cap && (n < 4 || strcmp(buf + n - 4, " ...") != 0))
		snprintf(buf + n, cap - n, " ...");
}

static struct str event_name(void *arg, size_t i)
{
	return ((const struct check_env *)arg)->events[i];
}

static struct str profile_name(void *arg, size_t i)
{
	return ((const struct check_env *)arg)->profiles[i];
}

static size_t near_event(const struct check_env *env, struct str name)
{
	struct check_env copy = *env;

	return nearest_of(name, env->nevents, event_name, &copy);
}

static uint32_t find_event(const struct check_env *env, struct str name)
{
	for (size_t i = 0; i < env->nevents; i++)
		if (str_eq(env->events[i], name))
			return (uint32_t)i;
	return (uint32_t)env->nevents;
}

uint32_t check_event(const struct check_env *env, struct str name, struct span at,
		     struct err *err)
{
	uint32_t e = find_event(env, name);
	char list[400] = "";
	size_t near;

	if (e < env->nevents)
		return e;
	for (size_t i = 0; i < env->nevents; i++)
		append(list, sizeof(list), env->events[i]);
	if (!err->kind) {
		err_set(err, ERR_QUERY, at.at, "no event '%.*s'; %s has %s", STR_ARG(name),
			env->event_scope ? env->event_scope : "this profile", list);
		err->len = (uint32_t)(at.len ? at.len : 1);
	}
	near = near_event(env, name);
	if (near < env->nevents)
		err_hint(err, "did you mean '%.*s'?", STR_ARG(env->events[near]));
	return (uint32_t)env->nevents;
}

size_t check_profile(const struct check_env *env, struct str name, struct span at,
		     struct err *err)
{
	char list[400] = "";
	struct check_env copy = *env;
	size_t near;

	for (size_t i = 0; i < env->nprofiles; i++) {
		if (str_eq(env->profiles[i], name))
			return i;
		append(list, sizeof(list), env->profiles[i]);
	}
	err_set(err, ERR_QUERY, at.at, "no profile is open under the name '%.*s'; open: %s",
		STR_ARG(name), list[0] ? list : "none");
	err->len = (uint32_t)(at.len ? at.len : 1);
	near = nearest_of(name, env->nprofiles, profile_name, &copy);
	if (near < env->nprofiles)
		err_hint(err, "did you mean '%.*s'?", STR_ARG(env->profiles[near]));
	else
		err_hint(err, "open one: .open FILE as NAME, or start with NAME=FILE");
	return env->nprofiles;
}

const struct check_let *check_let_find(const struct check_env *env, struct str name,
				       bool is_set)
{
	for (size_t i = 0; i < env->nlets; i++)
		if (env->lets[i].is_set == is_set && str_eq(env->lets[i].name, name))
			return &env->lets[i];
	return NULL;
}

/* ---- columns ---- */

static const struct col_def *find_def(const struct source_def *src, struct str name)
{
	for (size_t i = 0; src && i < src->ncols; i++)
		if (str_eq(str_c(src->cols[i].name), name))
			return &src->cols[i];
	return NULL;
}

static const struct known *find_known(const struct schema *s, struct str name)
{
	for (size_t i = s->n; i > 0; i--)
		if (str_eq(s->known[i - 1].name, name))
			return &s->known[i - 1];
	return NULL;
}

static int add_known(struct schema *s, struct str name, enum col_type type)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 16;
		struct known *k = ARENA_ARRAY(s->a, struct known, cap);

		if (!k)
			return arena_full(s->a, s->err);
		if (s->n)
			memcpy(k, s->known, s->n * sizeof(*k));
		s->known = k;
		s->cap = cap;
	}
	s->known[s->n++] = (struct known){name, type};
	return 0;
}

/* `vs` adds these to every source. */
static const struct known vs_cols[] = {
	{{"base", 4}, COL_COST}, {{"delta", 5}, COL_DELTA}, {{"delta%", 6}, COL_PERCENT},
};

static struct str col_name(void *arg, size_t i)
{
	const struct schema *s = arg;

	if (i < s->n)
		return s->known[i].name;
	i -= s->n;
	if (s->src && i < s->src->ncols)
		return str_c(s->src->cols[i].name);
	i -= s->src ? s->src->ncols : 0;
	return vs_cols[i].name;
}

static size_t col_count(const struct schema *s)
{
	return s->n + (s->src ? s->src->ncols : 0) + (s->vs ? 3 : 0);
}

static int no_column(struct schema *s, const struct expr *e)
{
	char list[500] = "";
	size_t n = col_count(s), near;
	struct str whole = {e->text.p, e->text.n};

	if (find_event(s->env, whole) < s->env->nevents) {
		fail(s, e->span, "the costs of these rows are of one event only");
		return err_hint(s->err, "choose it before the first '|': ... by %.*s",
				STR_ARG(whole));
	}
	near = near_event(s->env, whole);
	if (near < s->env->nevents && str_distance(whole, s->env->events[near], 1) <= 1) {
		check_event(s->env, whole, e->span, s->err);
		return (int)s->err->kind;
	}
	for (size_t i = 0; i < n; i++)
		append(list, sizeof(list), col_name(s, i));
	fail(s, e->span, "no column '%.*s'; there are: %s", STR_ARG(whole), list);
	near = nearest_of(whole, n, col_name, s);
	if (near < n && !s->right_side)
		return err_hint(s->err, "did you mean '%.*s'?", STR_ARG(col_name(s, near)));
	if (s->right_side)
		return err_hint(s->err, "text needs double quotes: \"%.*s\"", STR_ARG(whole));
	return (int)s->err->kind;
}

/* The column that a bare event stands for. */
static const char *event_base(const struct schema *s)
{
	static const char *const base[] = {"self", "incl", "total"};

	for (size_t i = 0; i < 3; i++) {
		const struct col_def *d = find_def(s->src, str_c(base[i]));

		if (d && (d->flags & PER_EVENT))
			return base[i];
	}
	return NULL;
}

static int as_def(struct schema *s, struct expr *e, const struct col_def *d)
{
	e->ev = s->event;
	e->type = d->type;
	if (e->event.n && !(d->flags & PER_EVENT))
		return fail(s, e->span, "the column '%s' is not per event", d->name);
	if (e->event.n) {
		e->ev = check_event(s->env, e->event, e->span, s->err);
		if (e->ev == s->env->nevents)
			return (int)s->err->kind;
	}
	if (e->percent && d->type != COL_COST && d->type != COL_DELTA)
		return fail(s, e->span, "the column '%s' has no percentage", d->name);
	if (e->percent)
		e->type = COL_PERCENT;
	return 0;
}

/* In a let, bare events become base.EVENT. */
static void rebase(struct expr *e, struct str base, const struct check_env *env)
{
	for (; e; e = e->next) {
		if (e->op == EX_COL && !e->event.n &&
		    (find_event(env, e->text) < env->nevents ||
		     check_let_find(env, e->text, false))) {
			e->event = e->text;
			e->text = base;
		}
		rebase(e->a, base, env);
		rebase(e->b, base, env);
	}
}

static void move_spans(struct expr *e, struct span at)
{
	for (; e; e = e->next) {
		e->span = at;
		move_spans(e->a, at);
		move_spans(e->b, at);
	}
}

static int as_let(struct schema *s, struct expr *e, const struct check_let *let, struct str base)
{
	enum { DEEPEST = 16 };
	int rc;

	if (s->lets >= DEEPEST)
		return fail(s, e->span, "'%.*s' is defined by itself", STR_ARG(let->name));
	if (parse_expr_text(let->text, &s->env->limits, s->a, &e->let, s->err))
		return (int)s->err->kind;
	move_spans(e->let, e->span);
	if (base.n)
		rebase(e->let, base, s->env);
	s->lets++;
	rc = resolve(s, e->let);
	s->lets--;
	e->type = e->let->type;
	return rc;
}

static int resolve_vs(struct schema *s, struct expr *e, bool *found)
{
	*found = s->vs && (str_eq(e->text, STR("base")) || str_eq(e->text, STR("delta")));
	if (!*found)
		return 0;
	e->ev = s->event;
	e->type = e->percent ? COL_PERCENT : e->text.n == 4 ? COL_COST : COL_DELTA;
	if (e->event.n) {
		e->ev = check_event(s->env, e->event, e->span, s->err);
		if (e->ev == s->env->nevents)
			return (int)s->err->kind;
	}
	return 0;
}

/* "self%" as the last result or a stage calls it. */
static const struct known *known_whole(struct schema *s, const struct expr *e)
{
	struct str whole = {e->text.p, e->text.n + (e->event.n ? e->event.n + 1 : 0) + e->percent};

	return e->event.n && e->event.p != e->text.p + e->text.n + 1 ? NULL : find_known(s, whole);
}

static int resolve_col(struct schema *s, struct expr *e)
{
	const struct known *k = known_whole(s, e);
	const struct col_def *d;
	const struct check_let *let;
	const char *base;
	bool found;

	if (k) {
		e->text = k->name;
		e->event.n = 0;
		e->percent = false;
		e->ev = s->event;
		e->type = k->type;
		return 0;
	}
	if (resolve_vs(s, e, &found) || found)
		return (int)s->err->kind;
	if ((d = find_def(s->src, e->text)))
		return as_def(s, e, d);
	if (e->percent && (d = find_def(s->src, (struct str){e->text.p, e->text.n + 1})) && d->f) {
		e->text.n++;
		e->percent = false;
		e->type = COL_PERCENT;
		return 0;
	}
	if (!e->event.n && find_event(s->env, e->text) < s->env->nevents && (base = event_base(s))) {
		e->event = e->text;
		e->text = str_c(base);
		return as_def(s, e, find_def(s->src, e->text));
	}
	if ((let = check_let_find(s->env, e->text, false)))
		return as_let(s, e, let, STR(""));
	return no_column(s, e);
}

/* incl.CPI: the event of a column is a let. */
static int resolve_event_let(struct schema *s, struct expr *e, bool *found)
{
	const struct check_let *let = e->event.n ? check_let_find(s->env, e->event, false) : NULL;

	*found = let && find_event(s->env, e->event) == s->env->nevents &&
		 find_def(s->src, e->text);
	return *found ? as_let(s, e, let, e->text) : 0;
}

/* ---- types ---- */

static bool is_number(enum col_type t)
{
	return !col_is_text(t) && t != COL_BOOL;
}

static const char *kind_name(enum col_type t)
{
	return col_is_text(t) ? "text" : t == COL_BOOL ? "a condition" : "a number";
}

static int want_number(struct schema *s, const struct expr *e)
{
	if (is_number(e->type))
		return 0;
	return fail(s, e->span, "a number is wanted here; this is %s", kind_name(e->type));
}

static int want_condition(struct schema *s, const struct expr *e)
{
	if (e->type == COL_BOOL)
		return 0;
	fail(s, e->span, "a condition is wanted here; this is %s", kind_name(e->type));
	return err_hint(s->err, "compare it: self > 1M, fn ~ /parse/");
}

static int type_arith(struct schema *s, struct expr *e)
{
	bool floats = col_is_f(e->a->type) || (e->b && col_is_f(e->b->type));

	if (want_number(s, e->a) || (e->b && want_number(s, e->b)))
		return (int)s->err->kind;
	if (e->op == EX_DIV || floats)
		e->type = COL_RATIO;
	else if (e->op == EX_SUB || e->op == EX_NEG || e->a->type == COL_DELTA ||
		 (e->b && e->b->type == COL_DELTA))
		e->type = COL_DELTA;
	else
		e->type = e->a->type == COL_COST || e->b->type == COL_COST ? COL_COST : COL_COUNT;
	return 0;
}

static bool has_percent(const struct expr *e)
{
	return e->op == EX_NUMBER && e->percent;
}

/* self > 5%: the column becomes its percentage. */
static int percent_side(struct schema *s, struct expr *col, const struct expr *number)
{
	if (!has_percent(number) || col->type == COL_PERCENT)
		return 0;
	if (col->op != EX_COL || col->let || col->type != COL_COST || !find_def(s->src, col->text))
		return fail(s, number->span, "a percentage compares with a cost column");
	col->percent = true;
	col->type = COL_PERCENT;
	return 0;
}

static int type_compare(struct schema *s, struct expr *e)
{
	e->type = COL_BOOL;
	if (percent_side(s, e->a, e->b) || percent_side(s, e->b, e->a))
		return (int)s->err->kind;
	if (is_number(e->a->type) != is_number(e->b->type) ||
	    col_is_text(e->a->type) != col_is_text(e->b->type))
		return fail(s, e->span, "%s cannot be compared with %s", kind_name(e->a->type),
			    kind_name(e->b->type));
	return 0;
}

static int type_match(struct schema *s, struct expr *e)
{
	e->type = COL_BOOL;
	if (col_is_text(e->a->type))
		return 0;
	fail(s, e->a->span, "~ searches text; this is %s", kind_name(e->a->type));
	return err_hint(s->err, "compare numbers with = != < <= > >=");
}

static int type_in(struct schema *s, struct expr *e)
{
	e->type = COL_BOOL;
	if (e->b && e->b->op == EX_VAR) {
		if (!s->src || !s->src->fn)
			return fail(s, e->span, "these rows are not functions: 'in $%.*s' has no "
				    "meaning", STR_ARG(e->b->text));
		if (!check_let_find(s->env, e->b->text, true)) {
			fail(s, e->b->span, "no set is called $%.*s", STR_ARG(e->b->text));
			return err_hint(s->err, "define it: let $%.*s = memcpy or memset",
					STR_ARG(e->b->text));
		}
		return 0;
	}
	for (const struct expr *i = e->b; i; i = i->next)
		if (is_number(i->type) != is_number(e->a->type))
			return fail(s, i->span, "%s is compared with %s", kind_name(i->type),
				    kind_name(e->a->type));
	return 0;
}

static int type_call(struct schema *s, struct expr *e)
{
	static const struct {
		const char *name;
		bool text;
		enum col_type type;
	} functions[] = {
		{"abs", false, COL_RATIO}, {"basename", true, COL_STR}, {"dirname", true, COL_STR},
		{"short", true, COL_NAME},
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!str_eq(e->text, str_c(functions[i].name)))
			continue;
		if (!e->a || e->a->next)
			return fail(s, e->span, "%s() takes one argument", functions[i].name);
		if (col_is_text(e->a->type) != functions[i].text)
			return fail(s, e->a->span, "%s() takes %s; this is %s", functions[i].name,
				    functions[i].text ? "text" : "a number", kind_name(e->a->type));
		e->type = functions[i].type;
		if (!functions[i].text && !col_is_f(e->a->type))
			e->type = e->a->type == COL_COST ? COL_COST : COL_COUNT;
		return 0;
	}
	if (is_aggregate(e->text)) {
		fail(s, e->span, "%.*s() stands only after 'group by ... :'", STR_ARG(e->text));
		return err_hint(s->err, "group by file: %.*s(self)", STR_ARG(e->text));
	}
	fail(s, (struct span){e->span.at, e->text.n}, "no function is called '%.*s'",
	     STR_ARG(e->text));
	return err_hint(s->err, "abs basename dirname short; after 'group by': count sum min max "
			"avg");
}

static int type_logic(struct schema *s, struct expr *e)
{
	e->type = COL_BOOL;
	return want_condition(s, e->a) || (e->b && want_condition(s, e->b)) ? (int)s->err->kind : 0;
}

static int type_leaf(struct schema *s, struct expr *e)
{
	bool found;

	switch (e->op) {
	case EX_NUMBER:
		e->type = e->percent ? COL_PERCENT : e->integral ? COL_COUNT : COL_RATIO;
		return 0;
	case EX_TEXT:
	case EX_REGEX:
		e->type = COL_STR;
		return 0;
	default:
		if (resolve_event_let(s, e, &found) || found)
			return (int)s->err->kind;
		return resolve_col(s, e);
	}
}

static int resolve_right(struct schema *s, struct expr *e)
{
	bool outer = s->right_side;
	int rc;

	s->right_side = e->op >= EX_EQ && e->op <= EX_GE;
	rc = resolve(s, e->b);
	s->right_side = outer;
	return rc;
}

static int resolve(struct schema *s, struct expr *e)
{
	for (struct expr *i = e->op == EX_CALL ? e->a : NULL; i; i = i->next)
		if (resolve(s, i))
			return (int)s->err->kind;
	for (struct expr *i = e->op == EX_IN && e->b->op != EX_VAR ? e->b : NULL; i; i = i->next)
		if (resolve(s, i))
			return (int)s->err->kind;
	if (e->op > EX_VAR && (resolve(s, e->a) || (e->b && e->op != EX_IN && resolve_right(s, e))))
		return (int)s->err->kind;
	switch (e->op) {
	case EX_NUMBER:
	case EX_TEXT:
	case EX_REGEX:
	case EX_COL:
	case EX_VAR:
		return type_leaf(s, e);
	case EX_CALL:
		return type_call(s, e);
	case EX_OR:
	case EX_AND:
	case EX_NOT:
		return type_logic(s, e);
	case EX_MATCH:
	case EX_NOT_MATCH:
		return type_match(s, e);
	case EX_IN:
		return type_in(s, e);
	case EX_NEG:
	case EX_ADD:
	case EX_SUB:
	case EX_MUL:
	case EX_DIV:
		return type_arith(s, e);
	default:
		return type_compare(s, e);
	}
}

/* ---- stages ---- */

bool is_aggregate(struct str name)
{
	static const char *const agg[] = {"count", "sum", "min", "max", "avg"};

	for (size_t i = 0; i < sizeof(agg) / sizeof(*agg); i++)
		if (str_eq(name, str_c(agg[i])))
			return true;
	return false;
}

static int check_agg(struct schema *s, struct expr *e)
{
	bool count = e->op == EX_CALL && str_eq(e->text, STR("count"));

	if (e->op != EX_CALL || !is_aggregate(e->text)) {
		if (e->op == EX_COL && str_eq(e->text, STR("count")) && !find_known(s, e->text)) {
			e->op = EX_CALL;
			e->type = COL_COUNT;
			return 0;
		}
		return resolve(s, e) || want_number(s, e) ? (int)s->err->kind : 0;
	}
	if (count ? e->a != NULL : !e->a || e->a->next)
		return fail(s, e->span, count ? "count() takes no argument"
					      : "%.*s() takes one column", STR_ARG(e->text));
	if (count) {
		e->type = COL_COUNT;
		return 0;
	}
	if (resolve(s, e->a) || want_number(s, e->a))
		return (int)s->err->kind;
	e->type = str_eq(e->text, STR("avg")) ? COL_RATIO : e->a->type;
	return 0;
}

static int check_list(struct schema *s, struct expr *e)
{
	for (; e; e = e->next)
		if (resolve(s, e))
			return (int)s->err->kind;
	return 0;
}

/* After group, sum, count only what they made is left. */
static void forget(struct schema *s)
{
	s->src = NULL;
	s->vs = false;
	s->n = 0;
}

static int check_group(struct schema *s, struct tstage *st)
{
	struct schema old;

	if (check_list(s, st->exprs))
		return (int)s->err->kind;
	for (struct expr *e = st->aggs; e; e = e->next)
		if (check_agg(s, e))
			return (int)s->err->kind;
	old = *s;
	s->known = NULL;
	s->cap = 0;
	forget(s);
	for (struct expr *e = st->exprs; e; e = e->next)
		if (add_known(s, e->as, e->type))
			return (int)s->err->kind;
	for (struct expr *e = st->aggs; e; e = e->next)
		if (add_known(s, e->as, e->type))
			return (int)s->err->kind;
	if (st->aggs)
		return 0;
	if (add_known(s, STR("count"), COL_COUNT))
		return (int)s->err->kind;
	for (size_t i = 0; old.src && i < old.src->ncols; i++)
		if ((old.src->cols[i].flags & ADDS_UP) && (old.src->cols[i].flags & SHOW_M) &&
		    add_known(s, str_c(old.src->cols[i].name), old.src->cols[i].type))
			return (int)s->err->kind;
	return 0;
}

static int check_sum(struct schema *s)
{
	const struct source_def *src = s->src;
	struct known *known = s->known;
	size_t n = s->n;

	s->known = NULL;
	s->cap = 0;
	forget(s);
	for (size_t i = 0; src && i < src->ncols; i++)
		if ((src->cols[i].flags & ADDS_UP) &&
		    add_known(s, str_c(src->cols[i].name), src->cols[i].type))
			return (int)s->err->kind;
	for (size_t i = 0; i < n; i++)
		if (is_number(known[i].type) && add_known(s, known[i].name, known[i].type))
			return (int)s->err->kind;
	return 0;
}

static int check_stage(struct schema *s, struct tstage *st)
{
	switch (st->kind) {
	case T_WHERE:
		return resolve(s, st->exprs) || want_condition(s, st->exprs) ? (int)s->err->kind : 0;
	case T_SORT:
		return check_list(s, st->exprs);
	case T_SHOW:
		if (check_list(s, st->exprs))
			return (int)s->err->kind;
		for (struct expr *e = st->exprs; e; e = e->next)
			if (e->named && add_known(s, e->as, e->type))
				return (int)s->err->kind;
		return 0;
	case T_ADD:
		return resolve(s, st->exprs) ? (int)s->err->kind
					     : add_known(s, st->name, st->exprs->type);
	case T_GROUP:
		return check_group(s, st);
	case T_SUM:
		return check_sum(s);
	case T_COUNT:
		forget(s);
		return add_known(s, STR("count"), COL_COUNT);
	case T_EXPECT:
		if (st->exprs)
			return resolve(s, st->exprs) || want_condition(s, st->exprs)
				? (int)s->err->kind : 0;
		return 0;
	case T_TAKE:
	case T_SKIP:
	case T_AS:
		return 0;
	}
	return 0;
}

/* ---- the event and the expansion of top ---- */

static bool is_event(const struct check_env *env, const struct expr *e)
{
	return e->op == EX_COL && !e->event.n && !e->percent &&
	       find_event(env, e->text) < env->nevents;
}

static struct expr *primary_key(struct schema *s, const struct source_def *src, struct span at)
{
	struct expr *e = ARENA_NEW(s->a, struct expr);

	if (!e) {
		arena_full(s->a, s->err);
		return NULL;
	}
	e->op = EX_COL;
	e->text = e->as = str_c(src->primary);
	e->span = at;
	return e;
}

static struct tstage *new_stage(struct schema *s, enum tstage_kind kind, struct span at)
{
	struct tstage *st = ARENA_NEW(s->a, struct tstage);

	if (!st) {
		arena_full(s->a, s->err);
		return NULL;
	}
	st->kind = kind;
	st->span = at;
	return st;
}

/* `by X` of top is most often an event with a slip in it. */
static int check_by(struct schema *s, const struct expr *e)
{
	if (!e || e->op != EX_COL || e->event.n || e->percent || is_event(s->env, e) ||
	    find_def(s->src, e->text) || check_let_find(s->env, e->text, false))
		return 0;
	check_event(s->env, e->text, e->span, s->err);
	return err_hint(s->err, "or sort by a column: self, incl, calls, ...");
}

/* top N UNIT by X  =  UNIT | sort X | take N */
static int expand_top(struct schema *s, struct query *q)
{
	enum { TOP_ROWS = 10 };
	struct tstage *sort = new_stage(s, T_SORT, q->source.span);
	struct tstage *take = new_stage(s, T_TAKE, q->source.span);

	if (!sort || !take || check_by(s, q->source.by))
		return (int)s->err->kind;
	sort->exprs = q->source.by ? q->source.by : primary_key(s, s->src, q->source.span);
	if (!sort->exprs)
		return (int)s->err->kind;
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

	if (by) {
		if (by->op != EX_COL || by->event.n || by->percent) {
			fail(s, by->span, "'by' names an event here");
			return err_hint(s->err, "to sort by another column: | sort ...");
		}
		s->event = check_event(s->env, by->text, by->span, s->err);
		return s->err->kind ? err_hint(s->err, "'by' names an event; to sort: | sort %.*s",
					       STR_ARG(by->text)) : 0;
	}
	if (!first || first->kind != T_SORT || !is_event(s->env, first->exprs))
		return 0;
	/* functions | sort D1mr: the table is about D1mr. */
	s->event = find_event(s->env, first->exprs->text);
	if (!s->src || !find_def(s->src, str_c(s->src->primary)))
		return 0;
	first->exprs->text = str_c(s->src->primary);
	return 0;
}

static int last_columns(struct schema *s, struct span at)
{
	const struct result *r = s->env->last;

	if (!r) {
		fail(s, at, "there is no result yet for '_'");
		return err_hint(s->err, "run a query first, or put a result away with > file");
	}
	for (size_t i = 0; i < r->ncols; i++)
		if (add_known(s, r->cols[i].name, r->cols[i].type))
			return (int)s->err->kind;
	return 0;
}

static int check_sets(struct schema *s, const struct set *set)
{
	if (!set)
		return 0;
	if (set->op == SET_VAR && !check_let_find(s->env, set->text, true)) {
		fail(s, set->span, "no set is called $%.*s", STR_ARG(set->text));
		return err_hint(s->err, "define it: let $%.*s = memcpy or memset",
				STR_ARG(set->text));
	}
	return check_sets(s, set->a) || check_sets(s, set->b) ? (int)s->err->kind : 0;
}

static int check_source(struct schema *s, struct query *q)
{
	struct source *src = &q->source;
	const struct set *const sets[] = {src->of, src->from, src->to, src->under, src->via,
					  src->avoiding};

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		if (check_sets(s, sets[i]))
			return (int)s->err->kind;
	for (const struct gstage *g = q->gstages; g; g = g->next)
		if (check_sets(s, g->set))
			return (int)s->err->kind;
	if (src->vs.n && check_profile(s->env, src->vs, src->vs_span, s->err) == s->env->nprofiles)
		return (int)s->err->kind;
	if (src->vs.n && (!s->src || !s->src->key)) {
		fail(s, src->vs_span, "'%s' cannot be compared with another profile",
		     s->src ? s->src->name : "_");
		return err_hint(s->err, "functions files objects dirs classes lines calls callers "
				"callees calltree cycles events");
	}
	s->vs = src->vs.n > 0;
	return 0;
}

static int check_output(struct schema *s, const struct query *q)
{
	if (!s->env->safe || (!q->file.n && !q->shell.n))
		return 0;
	return fail(s, q->out_span, "'%s' is refused under --safe", q->file.n ? ">" : "!");
}

int check_query(const struct check_env *env, struct query *q, struct arena *a,
		uint32_t *event, struct err *err)
{
	struct schema s = {.env = env, .a = a, .err = err, .event = env->event};

	s.src = q->source.kind == S_LAST ? NULL : source_def(q->source.kind);
	if (q->source.kind == S_INFO && q->source.of)
		s.src = &source_info_fn;
	if (check_output(&s, q) || check_source(&s, q) ||
	    (q->source.kind == S_LAST && last_columns(&s, q->source.span)))
		return (int)err->kind;
	if ((q->source.top && expand_top(&s, q)) || choose_event(&s, q))
		return (int)err->kind;
	for (struct tstage *st = q->tstages; st; st = st->next)
		if (check_stage(&s, st))
			return (int)err->kind;
	*event = s.event;
	return 0;
}

int check_let(const struct check_env *env, struct let *let, struct arena *a, struct err *err)
{
	struct schema s = {.env = env, .a = a, .err = err, .event = env->event};

	s.src = source_def(S_FUNCTIONS);
	if (let->set)
		return check_sets(&s, let->set);
	if (find_event(env, let->name) < env->nevents || find_def(s.src, let->name))
		return fail(&s, let->span, "'%.*s' is already %s", STR_ARG(let->name),
			    find_def(s.src, let->name) ? "a column" : "an event of this profile");
	return resolve(&s, let->expr);
}
