/*
 * vs_cols.c - the columns of two tables that were joined (vs.c).
 *
 * A column of the source is that of the first profile, or else the text of the base.  For
 * the primary cost of the source (self of functions) there are:
 *	base	cost in the other profile	delta	first - base
 *	delta%	delta in percent of base; infinite if base is 0
 *	change	"new" (not in the base), "gone" (only in the base), "renamed" (paired by a
 *		rule, pair.h) or empty
 *	was	if renamed: the other name; if that is equal, the other object or file
 *	rule	if renamed: the rules
 * and, on request:
 *	growth	delta; growth% in percent of the base's total
 *	total_delta	the change of the whole
 *	base_incl, delta_incl	the same of inclusive costs
 *	base_calls, calls_delta	the same of calls
 *	least, median, most, base_least, ...	of functions: the costs of one run (vs_runs.c)
 *	noise	whether the ranges of the two sides overlap
 * If a side is several runs, the last two lines are shown.
 */
#include <math.h>
#include <string.h>

#include "engine/sources/source.h"
#include "engine/compare/vs.h"
#include "engine/compare/vs_in.h"
#include "engine/rows/doubt.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"

/*
 * What a column says of a row, as a row of formulas[] below.  X is a column of the source,
 * base.X the same one of the base.
 */
struct vs_formula {
	const char *name;
	void (*fill)(struct table *t, struct table_col *c, const struct vs_formula *f);
	const char *x; /* NULL: the cost that the source is about */
	bool whole;    /* X is the total, */
	bool of_total; /* 100 % is the base's total */
	struct str (*text)(const struct vs *v, uint32_t r, struct arena *a);
	unsigned side; /* of runs: 1 for the base, */
	size_t of_run; /* a member of struct vs_range */
};

static uint32_t joined_fn(const struct table *t, uint32_t ref)
{
	const struct table *a = &t->vs->a;
	uint32_t r = t->vs->ia[ref];

	return r == GRAPH_NONE ? GRAPH_NONE : t->src->fn(a, row_ref(a, r));
}

/* ---- columns ---- */

uint32_t vs_base_event(const struct vs *v, uint32_t e)
{
	struct str name = v->a.x->env->events[e];

	for (size_t i = 0; i < v->env.nevents; i++)
		if (str_eq(v->env.events[i], name))
			return (uint32_t)i;
	return GRAPH_NONE;
}

/* How often the recorded event `name` is counted in one unit of event e; 0 if there is
 * none of that name. */
static int64_t coef_of(struct store *st, uint32_t e, struct str name)
{
	const uint32_t i = store_event_find(st, name);

	return i < store_info(st)->events ? store_event_coef(st, e, i) : 0;
}

/* Has each recorded event that event e is computed from the same factor in event f of the
 * other store? */
static bool has_terms(struct store *st, uint32_t e, struct store *other, uint32_t f)
{
	for (uint32_t i = 0; i < store_info(st)->events; i++) {
		const int64_t coef = store_event_coef(st, e, i);
		struct store_event ev;

		store_event(st, i, &ev);
		if (coef && coef != coef_of(other, f, ev.name))
			return false;
	}
	return true;
}

static struct str formula_text(struct store *st, uint32_t e)
{
	struct store_event ev;

	store_event(st, e, &ev);
	return ev.formula.n ? ev.formula : ev.name;
}

void vs_same_formula(struct vs *v, uint32_t e)
{
	struct exec *x = v->a.x;
	struct store *a = x->g->st, *b = v->base.g->st;
	const uint32_t f = vs_base_event(v, e);

	if (a == b || f == GRAPH_NONE || (has_terms(a, e, b, f) && has_terms(b, f, a, e)))
		return;
	exec_doubt(x, DOUBT_FORMULA,
		   arena_printf(x->a, "%.*s is %.*s here, but %.*s in the base",
				STR_ARG(x->env->events[e]), STR_ARG(formula_text(a, e)),
				STR_ARG(formula_text(b, f))));
}

/* A column of one side, of the rows that the joined table still has. */
struct cells {
	struct table_col *col; /* NULL: that side does not have the event */
	uint32_t *at; /* [joined rows]: index in col, or GRAPH_NONE: no such row */
};

/*
 * Fill a column on one side alone.  `some` is a table of those rows of the side that t still
 * has, in the order of t; out->at says where in it each row of t is.
 *
 *	rows of t		f   g (new)   h (gone)
 *	here: some f g		at 0   1       none
 *	base: some f h		at 0   none    1
 */
static void side(struct table *t, bool base, struct str name, uint32_t event,
		 bool percent, struct cells *out)
{
	struct vs *v = t->vs;
	const struct table *whole = base ? &v->b : &v->a;
	const uint32_t *row = base ? v->ib : v->ia;
	const uint32_t e = base ? vs_base_event(v, event) : event;
	struct table *some = EXEC_ARRAY(t->x, struct table, 1);

	*out = (struct cells){.at = EXEC_ARRAY(t->x, uint32_t, t->n + 1)};
	*some = *whole;
	some->cols = NULL;
	some->ncols = some->cap = some->n = 0;
	some->ref = EXEC_ARRAY(t->x, uint32_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		const uint32_t r = row[row_ref(t, i)];

		out->at[i] = r == GRAPH_NONE ? GRAPH_NONE : (uint32_t)some->n;
		if (r != GRAPH_NONE)
			some->ref[some->n++] = row_ref(whole, r);
	}
	if (e == GRAPH_NONE)
		return;
	table_column(some, name, e, percent, &out->col);
	table_texts(some, out->col);
}

/* A row that a side lacks costs 0 there. */
static int64_t cell_cost(const struct cells *c, size_t i)
{
	return c->col && c->at[i] != GRAPH_NONE ? c->col->i[c->at[i]] : 0;
}

static bool guessed(const struct cells *c, size_t i)
{
	return c->col && c->at[i] != GRAPH_NONE && c->col->estimated &&
	       c->col->estimated[c->at[i]];
}

/* A count that nobody made; a cost without a value is 0. */
static bool unknown(const struct cells *c, size_t i)
{
	return c->col && c->at[i] != GRAPH_NONE && c->col->absent &&
	       c->col->type == COL_COUNT && c->col->absent[c->at[i]];
}

/* ---- change ---- */

/* The functions of a joined row in both stores; false if one side lacks it, or its rows
 * are not of functions. */
static bool both_fns(const struct vs *v, uint32_t r, fn_id fn[2])
{
	const struct table *const t[2] = {&v->a, &v->b};
	const uint32_t row[2] = {v->ia[r], v->ib[r]};

	if (row[0] == GRAPH_NONE || row[1] == GRAPH_NONE || !v->a.src->fn)
		return false;
	for (int s = 0; s < 2; s++) {
		const uint32_t f = t[s]->src->fn(t[s], row_ref(t[s], row[s]));

		if (f == GRAPH_NONE || graph_is(t[s]->g, f, GRAPH_NAMED | GRAPH_INLINED))
			return false;
		fn[s] = graph_origin(t[s]->g, f);
	}
	return true;
}

/* A pairing names a function by its first context, unless contexts are compared as they
 * were recorded. */
static fn_id first_context(const struct table *t, fn_id f)
{
	struct store *st = t->g->st;

	return t->g->recorded ? f : store_group_fn(st, store_group_of(st, f), 0);
}

/* The rules that paired the two functions of a row; 0 also if something else joined
 * them, such as equal names of inlined code. */
static unsigned rules_of(const struct vs *v, uint32_t r)
{
	fn_id fn[2];

	return both_fns(v, r, fn) &&
			       v->pairing->of[0][fn[0]] == first_context(&v->b, fn[1])
		       ? v->pairing->rules[fn[0]]
		       : 0;
}

bool vs_unsure(const struct vs *v, uint32_t r)
{
	const struct table *const t[2] = {&v->a, &v->b};
	const uint32_t row[2] = {v->ia[r], v->ib[r]};

	for (int s = 0; s < 2 && v->a.src->fn; s++) {
		const uint32_t f = row[s] == GRAPH_NONE
					   ? GRAPH_NONE
					   : t[s]->src->fn(t[s], row_ref(t[s], row[s]));

		if (f != GRAPH_NONE &&
		    !graph_is(t[s]->g, f, GRAPH_NAMED | GRAPH_INLINED) &&
		    v->pairing->unsure[s][graph_origin(t[s]->g, f)])
			return true;
	}
	return false;
}

/* Rows of files and objects have a name, but no function. */
static bool names_differ(const struct vs *v, uint32_t r, struct str name[2])
{
	const struct table *const t[2] = {&v->a, &v->b};
	const uint32_t row[2] = {v->ia[r], v->ib[r]};
	const struct col_def *d;
	struct str compared[2];

	if (v->a.src->fn || row[0] == GRAPH_NONE || row[1] == GRAPH_NONE ||
	    !(d = source_col(v->a.src, STR("name"))))
		return false;
	for (int s = 0; s < 2; s++) {
		const bool object = v->a.src == &source_objects;

		name[s] = column_text(t[s], d, row_ref(t[s], row[s]));
		compared[s] = object ? str_basename(name[s]) : name[s];
		if (!object &&
		    rename_apply(v->user, name[s], v->a.x->a, &compared[s], v->a.x->err))
			return false;
	}
	return !str_eq(compared[0], compared[1]);
}

/* An object of another name renames no function: else all functions of libc-2.31.so
 * would be. */
static bool is_renamed(const struct vs *v, uint32_t r)
{
	struct str name[2];

	return rules_of(v, r) & ~(unsigned)PAIR_OBJECT || names_differ(v, r, name);
}

bool vs_any_renamed(const struct vs *v, size_t rows)
{
	for (size_t r = 0; r < rows; r++)
		if (is_renamed(v, (uint32_t)r))
			return true;
	return false;
}

static struct str name_of(const struct graph *g, fn_id f)
{
	return (g->recorded ? store_fn_shown : store_fn_alone)(g->st, f);
}

/* The first of name, object and file that differs. */
static struct str was(const struct vs *v, uint32_t r, struct arena *a)
{
	struct store *const st[2] = {v->a.g->st, v->b.g->st};
	struct str name[2];
	fn_id fn[2];

	(void)a;
	if (names_differ(v, r, name))
		return name[1];
	if (!(rules_of(v, r) & ~(unsigned)PAIR_OBJECT) || !both_fns(v, r, fn))
		return (struct str){"", 0};
	if (!str_eq(name_of(v->a.g, fn[0]), name_of(v->b.g, fn[1])))
		return name_of(v->b.g, fn[1]);
	return store_fn_file(st[1], fn[1]);
}

static struct str change_of(const struct vs *v, uint32_t r, struct arena *a)
{
	(void)a;
	return v->ib[r] == GRAPH_NONE	? STR("new")
	       : v->ia[r] == GRAPH_NONE ? STR("gone")
	       : is_renamed(v, r)	? STR("renamed")
					: (struct str){"", 0};
}

static struct str rules(const struct vs *v, uint32_t r, struct arena *a)
{
	return pair_rule_names(rules_of(v, r), a);
}

static void fill_text(struct table *t, struct table_col *c, const struct vs_formula *f)
{
	for (size_t i = 0; i < t->n; i++) {
		c->s[i] = f->text(t->vs, row_ref(t, i), t->x->a);
		if (!c->s[i].p)
			need_memory(t->x->a);
		exec_poll(t->x);
	}
}

static void fill_unsure(struct table *t, struct table_col *c, const struct vs_formula *f)
{
	(void)f;
	for (size_t i = 0; i < t->n; i++)
		c->b[i] = vs_unsure(t->vs, row_ref(t, i));
}

/* ---- costs ---- */

static void side_of_x(struct table *t, const struct table_col *c,
		      const struct vs_formula *f, bool base, bool percent,
		      struct cells *out)
{
	side(t, base, str_c(f->x ? f->x : t->src->primary), c->event, percent, out);
}

/* base.X; base% is relative to the total of the base. */
static void fill_base(struct table *t, struct table_col *c, const struct vs_formula *f)
{
	struct cells b;

	side_of_x(t, c, f, true, c->percent, &b);
	for (size_t i = 0; i < t->n; i++) {
		if (c->percent)
			c->f[i] = b.col && b.at[i] != GRAPH_NONE ? b.col->f[b.at[i]] : 0;
		else
			c->i[i] = cell_cost(&b, i);
		c->estimated[i] = guessed(&b, i);
		c->absent[i] = unknown(&b, i);
	}
}

double vs_percent(double delta, double base)
{
	return base != 0   ? 100.0 * delta / fabs(base)
	       : delta > 0 ? INFINITY
	       : delta < 0 ? -INFINITY
			   : 0;
}

/* X - base.X, or in percent of base.X or of the base's total. */
static void fill_change(struct table *t, struct table_col *c, const struct vs_formula *f)
{
	const int64_t total = graph_total(t->vs->a.g, c->event),
		      of = graph_total(t->vs->b.g, vs_base_event(t->vs, c->event));
	struct cells a = {0}, b = {0};

	if (!f->whole) {
		side_of_x(t, c, f, false, false, &a);
		side_of_x(t, c, f, true, false, &b);
	}
	for (size_t i = 0; i < t->n; i++) {
		const int64_t now = f->whole ? total : cell_cost(&a, i);
		const int64_t was = f->whole ? of : cell_cost(&b, i);

		if (c->percent)
			c->f[i] = vs_percent((double)now - (double)was,
					     (double)(f->of_total ? of : was));
		else
			c->i[i] = cost_difference(now, was);
		c->estimated[i] = guessed(&a, i) || guessed(&b, i);
		c->absent[i] = unknown(&a, i) || unknown(&b, i);
	}
}

/* ---- runs ---- */

static uint32_t side_fn(const struct table *side, uint32_t row)
{
	return row == GRAPH_NONE ? GRAPH_NONE : row_ref(side, row);
}

static void fill_run(struct table *t, struct table_col *c, const struct vs_formula *f)
{
	struct vs *v = t->vs;

	/* An absent value would make `where not noise | expect none` hold. */
	if (!vs_runs_known(v)) {
		err_set(t->x->err, ERR_QUERY, 0,
			"'%s' is not known: the graph stages estimate costs, but not "
			"of single runs",
			c->def->name);
		need_hint(t->x->err, "compare base and delta, or leave out hide, "
				     "focus, ignore and with inlined");
	}
	vs_know_runs(v, c->event, vs_base_event(v, c->event));
	for (size_t i = 0; i < t->n; i++) {
		const uint32_t r = row_ref(t, i);
		const uint32_t fn[] = {side_fn(&v->a, v->ia[r]),
				       side_fn(&v->b, v->ib[r])};
		const struct vs_range range =
			vs_runs_range(v->runs[f->side], fn[f->side]);

		if (c->type == COL_BOOL)
			c->b[i] = vs_overlap(v, fn[0], fn[1]);
		else
			memcpy(&c->i[i], (const char *)&range + f->of_run,
			       sizeof(c->i[i]));
	}
}

/* ---- the table ---- */

#define RUN(member) .of_run = offsetof(struct vs_range, member)

static const struct vs_formula formulas[] = {
	{.name = "base", fill_base},
	{.name = "delta", fill_change},
	{.name = "growth", fill_change, .of_total = true},
	{.name = "total_delta", fill_change, .whole = true, .of_total = true},
	{.name = "base_incl", fill_base, .x = "incl"},
	{.name = "delta_incl", fill_change, .x = "incl"},
	{.name = "base_calls", fill_base, .x = "calls"},
	{.name = "calls_delta", fill_change, .x = "calls"},
	{.name = "change", fill_text, .text = change_of},
	{.name = "was", fill_text, .text = was},
	{.name = "rule", fill_text, .text = rules},
	{.name = "unsure", fill_unsure},
	{.name = "least", fill_run, RUN(least)},
	{.name = "median", fill_run, RUN(median)},
	{.name = "most", fill_run, RUN(most)},
	{.name = "base_least", fill_run, .side = 1, RUN(least)},
	{.name = "base_median", fill_run, .side = 1, RUN(median)},
	{.name = "base_most", fill_run, .side = 1, RUN(most)},
	{.name = "noise", fill_run},
};

static const struct vs_formula *formula_of(const struct col_def *d)
{
	const struct vs_formula *f = formulas;
	struct str name = str_c(d->name);

	name.n -= str_ends(name, STR("%"));
	while (!str_eq(name, str_c(f->name)))
		f++;
	return f;
}

/* Have the rows of the source costs of single runs? */
bool vs_has_runs(const struct source_def *src)
{
	return src == &source_functions || src == &source_find;
}

static bool has(const struct source_def *src, const struct col_def *d)
{
	const struct vs_formula *f = formula_of(d);

	if (src->of == ROWS_CAUSE && (f->x || f->of_total))
		return false;
	return f->fill == fill_run ? vs_has_runs(src)
				   : !f->x || source_col(src, str_c(f->x));
}

const struct col_def *vs_col_at(const struct source_def *src, size_t i)
{
	for (const struct col_def *d = vs_cols; d < vs_cols + VS_COLS; d++)
		if (has(src, d) && i-- == 0)
			return d;
	return NULL;
}

/* A card has room for what a table has on request. */
bool vs_on_card(const struct source_def *src, const struct col_def *d)
{
	const char *x = formula_of(d)->x;

	return x && (src == &source_info_fn ||
		     (src == &source_info_vs && strcmp(x, "calls") == 0));
}

const struct col_def *vs_col(const struct source_def *src, struct str name)
{
	for (const struct col_def *d = vs_cols; d < vs_cols + VS_COLS; d++)
		if (!(d->flags & OF_TOTAL) && str_eq(name, str_c(d->name)))
			return has(src, d) ? d : NULL;
	return NULL;
}

/* A missing row cost 0; the cost of an event that was not recorded is unknown. */
static void fill_formula(struct table *t, struct table_col *c)
{
	const struct vs_formula *f = formula_of(c->def);
	const bool costs = !f->text && f->fill != fill_unsure;

	if (costs && vs_base_event(t->vs, c->event) == GRAPH_NONE) {
		err_set(t->x->err, ERR_QUERY, 0, "the base has no event '%.*s'",
			STR_ARG(t->x->env->events[c->event]));
		need_hint(t->x->err, "compare an event that both profiles have");
	}
	if (costs)
		vs_same_formula(t->vs, c->event);
	f->fill(t, c, f);
}

/* ---- columns of the source ---- */

/* Is it a cost, so that a row of the base alone has 0 of it here?  Other numbers are depths
 * and the like, which are taken from the base; on a card counts are costs, too. */
static bool is_cost(const struct table *t, const struct table_col *c)
{
	return c->type == COL_COST || c->type == COL_PERCENT ||
	       (c->def->flags & (PER_EVENT | ADDS_UP)) ||
	       (c->type == COL_COUNT && t->src == &source_info_fn);
}

/* Take values from a, or else text from b.  Costs missing in a are 0.  A number (#12)
 * from b is absent: in a it would be another row. */
static void fill_one(struct table *t, struct table_col *c)
{
	size_t w = type_width(c->type);
	struct cells a, b;

	side(t, false, str_c(c->def->name), c->event, c->percent, &a);
	side(t, true, str_c(c->def->name), c->event, c->percent, &b);
	for (size_t i = 0; i < t->n; i++) {
		const bool gone = a.at[i] == GRAPH_NONE;
		const struct table_col *from = gone ? b.col : a.col;
		const uint32_t row = gone ? b.at[i] : a.at[i];

		if (gone && (c->type == COL_ID || c->type == COL_RATIO))
			c->absent[i] = 1;
		if ((gone && is_cost(t, c)) || !from || c->absent[i])
			continue;
		memcpy((char *)c->p + i * w, (const char *)from->p + row * w, w);
		if (from->estimated)
			c->estimated[i] = from->estimated[row];
		if (from->absent)
			c->absent[i] = from->absent[row];
		exec_poll(t->x);
	}
}

/* The columns `row` and `under` number the rows of the joined table. */
static void fill_rows(struct table *t, struct table_col *c)
{
	for (size_t i = 0; i < t->n; i++) {
		c->u[i] = c->def->get.u(t, row_ref(t, i), c->event);
		c->absent[i] = !c->u[i];
	}
	exec_poll_now(t->x);
}

/* The columns of the joined table are filled when somebody asks for them, like those of
 * a source.  There are three kinds: those of a comparison, row numbers, and those of
 * the source. */
static void vs_fill(struct table *t, struct table_col *c)
{
	const bool formula = c->def >= vs_cols && c->def < vs_cols + VS_COLS;

	c->p = exec_alloc(t->x, t->n ? t->n : 1, type_width(c->type));
	c->estimated = EXEC_ARRAY(t->x, uint8_t, t->n + 1);
	c->absent = EXEC_ARRAY(t->x, uint8_t, t->n + 1);
	if (formula)
		fill_formula(t, c);
	else if (c->def->flags & OF_ROWS)
		fill_rows(t, c);
	else
		fill_one(t, c);
	c->filled = true;
}

const struct joined vs_joined = {.col = vs_col, .fill = vs_fill, .fn = joined_fn};
