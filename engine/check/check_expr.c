/*
 * check_expr.c - resolve expressions and give them types.
 *
 * A column is looked up in this order: columns that stages added; columns of the source
 * (NAME, NAME.EVENT, NAME%); a bare event (self.EVENT, or incl.EVENT if there is no
 * self); a let.  A let is copied in place of its name; `incl.CPI` replaces its bare
 * events by those of incl.
 */
#include "engine/check/check_in.h"

#include <math.h>
#include <stdio.h>

#include "engine/compare/vs.h"
#include "engine/lang/keywords.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/need.h"

/* ---- columns ---- */

const struct known_column *check_known(const struct schema *s, struct str name)
{
	for (size_t i = s->n; i > 0; i--)
		if (str_eq(s->known[i - 1].name, name))
			return &s->known[i - 1];
	return NULL;
}

void check_add_known(struct schema *s, struct str name, enum col_type type,
		     struct unit unit)
{
	need_grow(s->a, &s->known, &s->cap, s->n, s->n + 1, sizeof(*s->known));
	s->known[s->n++] = (struct known_column){name, type, unit};
}

static struct str col_name(const struct schema *s, size_t i)
{
	if (i < s->n)
		return s->known[i].name;
	i -= s->n;
	if (s->src && i < s->src->ncols)
		return str_c(s->src->cols[i].name);
	i -= s->src ? s->src->ncols : 0;
	return str_c(vs_col_at(s->src, i)->name);
}

static size_t col_count(const struct schema *s)
{
	size_t n = s->n + (s->src ? s->src->ncols : 0);

	for (size_t i = 0; s->vs && vs_col_at(s->src, i); i++)
		n++;
	return n;
}

static bool same_or_plural(struct str word, struct str one)
{
	if (str_starts(word, one))
		return word.n == one.n || str_eq(str_from(word, one.n), STR("s"));
	return str_ends(one, STR("y")) && str_ends(word, STR("ies")) &&
	       word.n == one.n + 2 && str_starts(word, (struct str){one.p, one.n - 1});
}

/* inclpercall, self_per_call, percall */
static const char *per_call(const struct schema *s, struct str word)
{
	const struct str end =
		str_ends(word, STR("per_call")) ? STR("per_call") : STR("percall");

	if (!str_ends(word, end) || !source_col(s->src, STR("calls")) ||
	    !source_col(s->src, STR("incl")))
		return NULL;
	return str_starts(word, STR("self")) && source_col(s->src, STR("self"))
		       ? "self / calls"
		       : "incl / calls";
}

const char *check_column_habit(const struct schema *s, struct str word)
{
	static const struct {
		const char *habit, *ours;
	} habits[] = {
		{"name", "fn"},
		{"function", "fn"},
		{"func", "fn"},
		{"symbol", "fn"},
		{"fn", "name"},
		{"function", "name"},
		{"cost", "self"},
		{"exclusive", "self"},
		{"percent", "self%"},
		{"self_pct", "self%"},
		{"self_percent", "self%"},
		{"pct", "self%"},
		{"incl_pct", "incl%"},
		{"incl_percent", "incl%"},
		{"inclusive", "incl"},
		{"total", "incl"},
		{"cum", "incl"},
		{"count", "calls"},
		{"called", "calls"},
		{"module", "obj"},
		{"object", "obj"},
		{"dso", "obj"},
		{"lib", "obj"},
		{"callee", "fn"},
		{"caller", "fn"},
		{"filename", "file"},
		{"path", "file"},
		{"lineno", "line"},
		{"library", "obj"},
		{"binary", "obj"},
		{"directory", "dir"},
		{"folder", "dir"},
		{"method", "fn"},
		{"namespace", "class"},
	};

	for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++)
		if (same_or_plural(word, str_c(habits[i].habit)) &&
		    (source_col(s->src, str_c(habits[i].ours)) ||
		     check_known(s, str_c(habits[i].ours))))
			return habits[i].ours;
	return per_call(s, word);
}

bool check_quoted_event(const struct schema *s, struct expr *e)
{
	if (e->op != EX_TEXT || check_find_event(s->env, e->text) == s->env->nevents)
		return false;
	e->op = EX_COL;
	return true;
}

/* Is it "sum(self)" of "self"? */
static bool is_aggregate_of(struct str column, struct str name)
{
	const struct str inner = str_from(column, str_find(column, '(') + 1);

	return inner.n == name.n + 1 && str_starts(inner, name) && inner.p[name.n] == ')';
}

static void no_column(struct schema *s, struct expr *e)
{
	char list[500] = "";
	size_t near;
	struct str whole = {e->text.p, e->text.n};
	struct nearest like = nearest_to(whole);
	const char *said;

	if (e->value && !e->event.n && !e->percent) {
		e->op = EX_TEXT;
		e->type = COL_STR;
		return;
	}
	if (check_find_event(s->env, whole) < s->env->nevents) {
		check_wrong(s, e->span, "the costs of these rows are of one event only");
		need_hint(s->err, "choose it before the first '|': ... by %.*s",
			  STR_ARG(whole));
	}
	near = check_near_event(s->env, whole);
	if (check_known_event(whole) ||
	    (near < s->env->nevents &&
	     str_distance(whole, s->env->events[near], 1) <= 1)) {
		check_no_event(s->env, whole, e->span, s->err);
		map_leave(s->err);
	}
	if (e->percent && check_known(s, e->text)) {
		check_wrong(s, e->span, "the column '%.*s' has no percentage here",
			    STR_ARG(e->text));
		need_hint(s->err, "ask where it is added up: group by ...: sum(%.*s%%)",
			  STR_ARG(e->text));
	}
	if (e->percent && source_col(s->src, (struct str){e->text.p, e->text.n + 1})) {
		check_wrong(s, e->span,
			    "'%.*s%%' is of the rows as they are shown in the end",
			    STR_ARG(e->text));
		need_hint(s->err, "`show` can have it: show fn, self, %.*s%%",
			  STR_ARG(e->text));
	}
	for (size_t i = 0; i < col_count(s); i++) {
		check_append(list, sizeof(list), col_name(s, i));
		nearest_try(&like, col_name(s, i));
	}
	if (!s->src && e->event.n && check_known(s, e->text)) {
		check_wrong(s, e->span, "no column '%.*s.%.*s'; there are: %s",
			    STR_ARG(whole), STR_ARG(e->event), list);
		need_hint(s->err,
			  "rows that were added up have what was shown before: "
			  "show %.*s.%.*s | sum",
			  STR_ARG(whole), STR_ARG(e->event));
	}
	check_wrong(s, e->span, "no column '%.*s'; there are: %s", STR_ARG(whole), list);
	for (size_t i = 0; i < col_count(s); i++)
		if (is_aggregate_of(col_name(s, i), whole))
			need_hint(s->err, "did you mean '%.*s'?",
				  STR_ARG(col_name(s, i)));
	if (!e->percent && !s->right_side && (said = check_column_habit(s, whole)))
		need_hint(s->err, "did you mean '%s'?", said);
	if (like.hit.p && !s->right_side)
		need_hint(s->err, "did you mean '%.*s'?", STR_ARG(like.hit));
	if (s->right_side)
		need_hint(s->err, "text needs double quotes: \"%.*s\"", STR_ARG(whole));
	map_leave(s->err);
}

/* The column that a bare event means. */
static const char *event_base(const struct schema *s)
{
	static const char *const base[] = {"self", "incl", "total"};

	for (size_t i = 0; i < 3; i++) {
		const struct col_def *d = source_col(s->src, str_c(base[i]));

		if (d && (d->flags & PER_EVENT))
			return base[i];
	}
	return NULL;
}

/* Without the name of an event, take the one that counts bytes. */
static void take_bytes(const struct schema *s, struct expr *e)
{
	const struct check_env *env = s->env;

	for (size_t i = 0; i < env->nevents && !e->event.n; i++)
		if (env->units[i].kind == UNIT_BYTES)
			e->event = env->events[i];
}

/* hint: where it has no such event. */
static void as_def(struct schema *s, struct expr *e, const struct col_def *d,
		   const char *hint)
{
	e->ev = s->event;
	e->type = d->type;
	if (d->flags & OF_BYTES && !e->event.n)
		take_bytes(s, e);
	if (e->event.n && !(d->flags & PER_EVENT)) {
		check_wrong(s, e->span, "the column '%s' is not per event", d->name);
		need_hint(s->err, "%s", hint);
	}
	if (e->event.n)
		e->ev = check_find_event(s->env, e->event);
	if (e->ev == s->env->nevents) {
		check_no_event(s->env, e->event, e->span, s->err);
		need_hint(s->err, "%s", hint);
	}
	if (e->percent && d->type != COL_DELTA &&
	    (d->type != COL_COST || (s->src && s->src->of == ROWS_CAUSE)))
		check_fail(s, e->span, "the column '%s' has no percentage", d->name);
	if (e->percent)
		e->type = COL_PERCENT;
	e->unit = source_unit(s->env, s->src, d, e->ev);
}

/* In a let, a bare EVENT becomes base.EVENT. */
static void rebase(struct expr *e, struct str base, const struct check_env *env)
{
	for (; e; e = e->next) {
		if (e->op == EX_COL && !e->event.n &&
		    (check_find_event(env, e->text) < env->nevents ||
		     parse_find_value(&env->limits, e->text, true))) {
			e->event = e->text;
			e->text = base;
		}
		rebase(e->a, base, env);
		rebase(e->b, base, env);
	}
}

static void as_let(struct schema *s, struct expr *e, const struct parse_value *let,
		   struct str base)
{
	enum { DEEPEST = 16 };
	struct parse_limits limits = s->env->limits;

	if (s->lets >= DEEPEST)
		check_fail(s, e->span, "'%.*s' is defined by itself", STR_ARG(let->name));
	/* All lets together may be half as high again as one expression. */
	limits.operators = parse_operators() / (2 * DEEPEST);
	need(parse_expr_text(let->text, &limits, s->a, &e->let, s->err), s->err);
	parse_move(e->let, e->span);
	if (base.n)
		rebase(e->let, base, s->env);
	s->lets++;
	check_expr(s, e->let);
	s->lets--;
	e->type = e->let->type;
	e->unit = e->let->unit;
}

static bool resolve_vs(struct schema *s, struct expr *e)
{
	const struct col_def *d = s->vs ? vs_col(s->src, e->text) : NULL;
	char hint[80] = "";

	if (!d)
		return false;
	if (str_eq(e->event, STR("incl")) && vs_col(s->src, STR("delta_incl")))
		snprintf(hint, sizeof(hint), "of inclusive costs: %s_incl", d->name);
	as_def(s, e, d, hint);
	return true;
}

/* Find "self%" as the last result or a stage names it. */
static const struct known_column *known_whole(struct schema *s, const struct expr *e)
{
	struct str whole = {e->text.p,
			    e->text.n + (e->event.n ? e->event.n + 1 : 0) + e->percent};

	return e->event.n && e->event.p != e->text.p + e->text.n + 1
		       ? NULL
		       : check_known(s, whole);
}

/* After `sum` there is no source: Dr and self.Dr are the column "self.Dr", or "self"
 * if Dr is the event of these costs. */
static const struct known_column *known_event(struct schema *s, const struct expr *e)
{
	bool bare = !e->event.n;
	uint32_t ev = check_find_event(s->env, bare ? e->text : e->event);
	struct str name = bare ? STR("self") : e->text;

	if (s->src || e->percent || ev >= s->env->nevents)
		return NULL;
	if (ev != s->event)
		name = need_printf(s->a, "%.*s.%.*s", STR_ARG(name),
				   STR_ARG(s->env->events[ev]));
	return check_known(s, name);
}

/* The expression is a column that a stage has made. */
static void take_known(const struct schema *s, struct expr *e,
		       const struct known_column *k)
{
	e->text = k->name;
	e->event = (struct str){"", 0};
	e->percent = false;
	e->ev = s->event;
	e->type = k->type;
	e->unit = k->unit;
}

static void resolve_col(struct schema *s, struct expr *e)
{
	const struct known_column *k = known_whole(s, e);
	const struct col_def *d;
	const struct parse_value *let;
	const char *base;

	if (k || (k = known_event(s, e))) {
		take_known(s, e, k);
	} else if (resolve_vs(s, e)) {
	} else if ((d = source_col(s->src, e->text))) {
		as_def(s, e, d, "");
	} else if (e->percent &&
		   (d = source_col(s->src, (struct str){e->text.p, e->text.n + 1})) &&
		   d->get.f) {
		e->text.n++;
		e->percent = false;
		e->type = COL_PERCENT;
	} else if (!e->event.n && check_find_event(s->env, e->text) < s->env->nevents &&
		   (base = event_base(s))) {
		e->event = e->text;
		e->text = str_c(base);
		as_def(s, e, source_col(s->src, e->text), "");
	} else if ((let = parse_find_value(&s->env->limits, e->text, true))) {
		as_let(s, e, let, STR(""));
	} else if (s->src && s->src->named && str_eq(e->text, str_c(s->src->named)) &&
		   !e->percent) {
		e->text = STR("name");
		as_def(s, e, source_col(s->src, e->text), "");
	} else {
		no_column(s, e);
	}
}

/* incl.CPI: the event part names a let. */
static bool resolve_event_let(struct schema *s, struct expr *e)
{
	const struct parse_value *let =
		e->event.n ? parse_find_value(&s->env->limits, e->event, true) : NULL;

	if (!let || check_find_event(s->env, e->event) < s->env->nevents ||
	    !source_col(s->src, e->text))
		return false;
	as_let(s, e, let, e->text);
	return true;
}

/* ---- types ---- */

static bool all_constant(const struct expr *e);

bool check_is_constant(const struct expr *e)
{
	switch (e->op) {
	case EX_NUMBER:
	case EX_TEXT:
	case EX_REGEX: return true;
	case EX_VAR: return false;
	case EX_COL: return e->let && check_is_constant(e->let);
	case EX_CALL: return e->a && all_constant(e->a);
	default: return check_is_constant(e->a) && (!e->b || all_constant(e->b));
	}
}

static bool all_constant(const struct expr *e)
{
	for (; e; e = e->next)
		if (!check_is_constant(e))
			return false;
	return true;
}

bool check_is_number(enum col_type t)
{
	return !col_is_text(t) && t != COL_BOOL;
}

static const char *type_words(enum col_type t)
{
	return col_is_text(t) ? "text" : t == COL_BOOL ? "a condition" : "a number";
}

/* A quoted text that names an event is this event where a number must stand. */
static void text_as_event(struct schema *s, struct expr *e)
{
	if (!check_quoted_event(s, e))
		return;
	resolve_col(s, e);
}

void check_want_number(struct schema *s, struct expr *e)
{
	text_as_event(s, e);
	if (check_is_number(e->type))
		return;
	check_fail(s, e->span, "a number is wanted here; this is %s",
		   type_words(e->type));
}

void check_want_condition(struct schema *s, const struct expr *e)
{
	if (e->type == COL_BOOL)
		return;
	check_wrong(s, e->span, "a condition is wanted here; this is %s",
		    type_words(e->type));
	need_hint(s->err, "compare it: self > 1M, fn ~ /parse/");
}

/* The 5 of -5; any other expression is returned as it is. */
static struct expr *without_minus(struct expr *e)
{
	return e->op == EX_NEG && e->a->op == EX_NUMBER ? e->a : e;
}

/* self > 10ms: count the number in the unit of the column. */
static void unit_side(struct schema *s, const struct expr *col, struct expr *whole)
{
	struct expr *const number = without_minus(whole);

	if (number->op != EX_NUMBER || !number->unit.kind || col->op == EX_NUMBER)
		return;
	if (!col->unit.kind) {
		const bool cost = col->type == COL_COST || col->type == COL_DELTA;

		check_wrong(s, number->span,
			    "this is %s, and what it is compared with %s",
			    number->unit.kind == UNIT_TIME ? "a time" : "a size in bytes",
			    cost ? "has no unit: the profile does not say one"
				 : "is a plain number");
		need_hint(s->err, cost ? "write a number without a unit, or say the "
					 "unit of the event: --unit EVENT=us"
				       : "write a number without a unit");
	}
	if (col->unit.kind != number->unit.kind) {
		check_wrong(s, number->span,
			    "this is %s, and what it is compared with is %s",
			    number->unit.kind == UNIT_TIME ? "a time" : "a size in bytes",
			    col->unit.kind == UNIT_TIME ? "a time" : "a size in bytes");
		need_hint(s->err, "write a number without a unit");
	}
	number->number =
		number->number * (double)number->unit.scale / (double)col->unit.scale;
	number->integral = number->number < 1e15 &&
			   !(number->number < floor(number->number)) &&
			   !(number->number > floor(number->number));
	number->whole = number->integral ? (uint64_t)number->number : 0;
	number->type = number->integral ? COL_COUNT : COL_RATIO;
	number->unit = col->unit;
	if (whole != number) {
		whole->type = number->integral ? COL_DELTA : COL_RATIO;
		whole->unit = col->unit;
	}
}

/* A quotient of equal units has none; seconds / calls are seconds. */
static struct unit arith_unit(const struct expr *e)
{
	const struct unit a = e->a->unit, b = e->b ? e->b->unit : a;

	if (e->op == EX_ADD || e->op == EX_SUB || e->op == EX_NEG)
		return unit_same(a, b) ? a : (struct unit){0};
	if (!b.kind)
		return a;
	return e->op == EX_MUL && !a.kind ? b : (struct unit){0};
}

static void type_arith(struct schema *s, struct expr *e)
{
	bool floats = col_is_f(e->a->type) || (e->b && col_is_f(e->b->type));

	check_want_number(s, e->a);
	if (e->b)
		check_want_number(s, e->b);
	if (e->b && e->op != EX_MUL) {
		unit_side(s, e->a, e->b);
		unit_side(s, e->b, e->a);
	}
	e->unit = arith_unit(e);
	/* A product of costs may be above 2^63. */
	if (e->op == EX_DIV || floats ||
	    (e->op == EX_MUL && !check_is_constant(e->a) && !check_is_constant(e->b)))
		e->type = COL_RATIO;
	else if (e->op == EX_SUB || e->op == EX_NEG || e->a->type == COL_DELTA ||
		 (e->b && e->b->type == COL_DELTA))
		e->type = COL_DELTA;
	else
		e->type = e->a->type == COL_COST || e->b->type == COL_COST ? COL_COST
									   : COL_COUNT;
}

static bool has_percent(const struct expr *e)
{
	return e->op == EX_NUMBER ? e->percent : e->op == EX_NEG && has_percent(e->a);
}

static bool of_source(const struct schema *s, const struct expr *col)
{
	return source_col(s->src, col->text) || (s->vs && vs_col(s->src, col->text));
}

/* The column "NAME%" that a stage made, if there is one. */
static const struct known_column *made_percent(struct schema *s, const struct expr *col)
{
	return col->op == EX_COL && !col->let && !s->src
		       ? check_known(s, need_printf(s->a, "%.*s%%", STR_ARG(col->text)))
		       : NULL;
}

/* self > 5%: compare the percentage of the column. */
static void percent_side(struct schema *s, struct expr *col, const struct expr *number)
{
	const struct known_column *made;

	if (!has_percent(number) || col->type == COL_PERCENT)
		return;
	if ((made = made_percent(s, col))) {
		col->text = made->name;
		col->type = made->type;
		return;
	}
	if (col->op != EX_COL || col->let ||
	    !(col->type == COL_COST ? of_source(s, col) : col->type == COL_DELTA))
		check_fail(s, number->span, "a percentage compares with a cost column");
	col->percent = true;
	col->type = COL_PERCENT;
}

static void type_compare(struct schema *s, struct expr *e)
{
	e->type = COL_BOOL;
	if (check_is_number(e->b->type))
		text_as_event(s, e->a);
	if (check_is_number(e->a->type))
		text_as_event(s, e->b);
	percent_side(s, e->a, e->b);
	percent_side(s, e->b, e->a);
	unit_side(s, e->a, e->b);
	unit_side(s, e->b, e->a);
	if (check_is_number(e->a->type) != check_is_number(e->b->type) ||
	    col_is_text(e->a->type) != col_is_text(e->b->type))
		check_fail(s, e->span, "%s cannot be compared with %s",
			   type_words(e->a->type), type_words(e->b->type));
}

static void type_match(struct schema *s, struct expr *e)
{
	e->type = COL_BOOL;
	if (col_is_text(e->a->type))
		return;
	check_wrong(s, e->a->span, "~ searches text; this is %s", type_words(e->a->type));
	need_hint(s->err, "compare numbers with = != < <= > >=");
}

static void type_in(struct schema *s, struct expr *e)
{
	e->type = COL_BOOL;
	if (e->b && e->b->op == EX_VAR) {
		if (!s->src || !s->src->fn)
			check_fail(s, e->span,
				   "these rows are not functions: 'in $%.*s' has no "
				   "meaning",
				   STR_ARG(e->b->text));
		if (!parse_find_value(&s->env->limits, e->b->text, false))
			parse_no_value(s->err, e->b->text, e->b->span);
		return;
	}
	for (struct expr *i = e->b; i; i = i->next) {
		unit_side(s, e->a, i);
		if (check_is_number(i->type) != check_is_number(e->a->type) ||
		    col_is_text(i->type) != col_is_text(e->a->type))
			check_fail(s, i->span, "%s is compared with %s",
				   type_words(i->type), type_words(e->a->type));
	}
}

/* replace(fn, /RE/, "TO") */
static void type_replace(struct schema *s, struct expr *e)
{
	const struct expr *re = e->a ? e->a->next : NULL, *to = re ? re->next : NULL;

	if (!to || to->next || re->op != EX_REGEX || to->op != EX_TEXT ||
	    !col_is_text(e->a->type)) {
		check_wrong(s, e->span,
			    "replace() takes a text, a /regular expression/ "
			    "and the \"text\" in its place");
		need_hint(s->err, "replace(fn, /<.*>/, \"\"); $1 is the first group");
	}
	e->type = COL_STR;
}

/* Say which functions there are. */
_Noreturn static void hint_functions(struct schema *s)
{
	char list[200] = "", after[200] = "";

	for (const struct function_word *f = function_words; f->word; f++)
		check_append(list, sizeof(list), str_c(f->word));
	for (size_t i = 0; aggregate_words[i]; i++)
		check_append(after, sizeof(after), str_c(aggregate_words[i]));
	need_hint(s->err, "%s; after 'group by': %s", list, after);
}

static void type_call(struct schema *s, struct expr *e)
{
	const struct function_word *f = function_find(e->text);

	if (is_aggregate(e->text)) {
		check_wrong(s, e->span, "%.*s() stands only after 'group by ... :'",
			    STR_ARG(e->text));
		need_hint(s->err, "group by file: %.*s(self)", STR_ARG(e->text));
	}
	if (!f) {
		check_wrong(s, (struct span){e->span.at, e->text.n},
			    "no function is called '%.*s'", STR_ARG(e->text));
		hint_functions(s);
	}
	if (str_eq(e->text, STR("replace"))) {
		type_replace(s, e);
		return;
	}
	if (!e->a || e->a->next)
		check_fail(s, e->span, "%s() takes one argument", f->word);
	if (f->text ? !col_is_text(e->a->type) : !check_is_number(e->a->type))
		check_fail(s, e->a->span, "%s() takes %s; this is %s", f->word,
			   f->text ? "text" : "a number", type_words(e->a->type));
	e->type = f->text || col_is_f(e->a->type) ? f->type
		  : e->a->type == COL_COST	  ? COL_COST
						  : COL_COUNT;
	e->unit = e->a->unit;
}

static void type_logic(struct schema *s, struct expr *e)
{
	e->type = COL_BOOL;
	check_want_condition(s, e->a);
	if (e->b)
		check_want_condition(s, e->b);
}

static void type_leaf(struct schema *s, struct expr *e)
{
	switch (e->op) {
	case EX_NUMBER:
		e->type = e->percent ? COL_PERCENT : e->integral ? COL_COUNT : COL_RATIO;
		break;
	case EX_TEXT:
	case EX_REGEX: e->type = COL_STR; break;
	default:
		if (!resolve_event_let(s, e))
			resolve_col(s, e);
	}
}

static void resolve_right(struct schema *s, struct expr *e)
{
	bool outer = s->right_side;

	s->right_side = e->op >= EX_EQ && e->op <= EX_GE;
	check_expr(s, e->b);
	s->right_side = outer;
}

/* After `group by file: sum(self)`, "sum(self)" is that column. */
static bool take_grouped(struct schema *s, struct expr *e)
{
	const struct expr *a = e->op == EX_CALL ? e->a : NULL;
	const struct known_column *k;
	struct str name;

	if (!a || a->next || a->op != EX_COL || !s->n)
		return false;
	name = need_printf(s->a, "%.*s(%.*s%s%.*s%s)", STR_ARG(e->text), STR_ARG(a->text),
			   a->event.n ? "." : "", STR_ARG(a->event),
			   a->percent ? "%" : "");
	if (!(k = check_known(s, name)))
		return false;
	e->op = EX_COL;
	e->a = NULL;
	take_known(s, e, k);
	return true;
}

/* The heading "incl/call" is typed as it is read: call is calls there. */
static void as_headed(const struct schema *s, struct expr *e)
{
	if (e->op == EX_COL && str_eq(e->text, STR("call")) && !e->event.n &&
	    !e->percent && !check_known(s, e->text) &&
	    (source_col(s->src, STR("calls")) || check_known(s, STR("calls"))))
		e->text = STR("calls");
}

/* The heading "from/call" is a column where no calls divide. */
static bool whole_heading(const struct schema *s, struct expr *e)
{
	const struct expr *a = e->a, *b = e->b;

	if (a->op != EX_COL || b->op != EX_COL || !str_eq(b->text, STR("call")) ||
	    b->text.p != a->text.p + a->text.n + 1)
		return false;
	const struct str whole = {a->text.p, a->text.n + 1 + b->text.n};

	if (!source_col(s->src, whole) || source_col(s->src, STR("calls")))
		return false;
	e->op = EX_COL;
	e->text = whole;
	e->a = e->b = NULL;
	return true;
}

void check_expr(struct schema *s, struct expr *e)
{
	if (take_grouped(s, e))
		return;
	for (struct expr *i = e->op == EX_CALL ? e->a : NULL; i; i = i->next)
		check_expr(s, i);
	for (struct expr *i = e->op == EX_IN && e->b->op != EX_VAR ? e->b : NULL; i;
	     i = i->next) {
		bool outer = s->right_side;

		s->right_side = true;
		check_expr(s, i);
		s->right_side = outer;
	}
	if (e->op == EX_DIV && whole_heading(s, e)) {
		resolve_col(s, e);
		return;
	}
	if (e->op == EX_DIV)
		as_headed(s, e->b);
	if (e->op > EX_VAR) {
		check_expr(s, e->a);
		if (e->b && e->op != EX_IN)
			resolve_right(s, e);
	}
	switch (e->op) {
	case EX_NUMBER:
	case EX_TEXT:
	case EX_REGEX:
	case EX_COL:
	case EX_VAR: type_leaf(s, e); break;
	case EX_CALL: type_call(s, e); break;
	case EX_OR:
	case EX_AND:
	case EX_NOT: type_logic(s, e); break;
	case EX_MATCH:
	case EX_NOT_MATCH: type_match(s, e); break;
	case EX_IN: type_in(s, e); break;
	case EX_NEG:
	case EX_ADD:
	case EX_SUB:
	case EX_MUL:
	case EX_DIV: type_arith(s, e); break;
	default: type_compare(s, e); break;
	}
}
