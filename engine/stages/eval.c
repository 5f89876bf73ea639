/*
 * eval.c - expressions over the rows of a table, a whole column at a time.
 *
 * Counts stay 64-bit integers (saturating) up to the first division or fraction.  An
 * absent value makes every result that uses it absent; a condition on it is false.
 */
#include "engine/stages/eval.h"

#include <math.h>
#include <string.h>

#include "engine/lang/check_names.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/names/match.h"
#include "engine/names/name.h"

static int new_values(struct exec *x, struct table *t, enum col_type type,
		      struct table_col *out)
{
	*out = (struct table_col){.type = type, .event = t->event, .filled = true};
	out->p = exec_alloc(x, t->n ? t->n : 1, col_width(type));
	return out->p ? 0 : (int)x->err->kind;
}

/* Combine the flags of both operands, in place in one of them if possible; NULL: no
 * flags. */
static int join_flags(struct exec *x, size_t n, uint8_t *a, uint8_t *b, uint8_t **out)
{
	if (!a || !b) {
		*out = a ? a : b;
		return 0;
	}
	if (!(*out = EXEC_ARRAY(x, uint8_t, n ? n : 1)))
		return (int)x->err->kind;
	for (size_t i = 0; i < n; i++)
		(*out)[i] = a[i] | b[i];
	return 0;
}

static int inherit(struct exec *x, struct table *t, const struct table_col *a,
		   const struct table_col *b, struct table_col *out)
{
	return join_flags(x, t->n, a->absent, b ? b->absent : NULL, &out->absent) ||
			       join_flags(x, t->n, a->estimated, b ? b->estimated : NULL,
					  &out->estimated)
		       ? (int)x->err->kind
		       : 0;
}

static double as_double(const struct table_col *c, size_t i)
{
	if (col_is_f(c->type))
		return c->f[i];
	return c->type == COL_DELTA ? (double)c->i[i] : (double)c->u[i];
}

/* One bit more than uint64_t, to hold signed and unsigned values. */
static __int128 as_int(const struct table_col *c, size_t i)
{
	return c->type == COL_DELTA ? (__int128)c->i[i] : (__int128)c->u[i];
}

/* Mark row i absent.  lent: flags of an operand, copied before the first change. */
static int set_absent(struct exec *x, struct table *t, struct table_col *c,
		      const uint8_t *lent, size_t i)
{
	if (c->absent == lent) {
		if (!(c->absent = EXEC_ARRAY(x, uint8_t, t->n)))
			return (int)x->err->kind;
		if (lent)
			memcpy(c->absent, lent, t->n);
	}
	c->absent[i] = 1;
	return 0;
}

static int eval_number(struct exec *x, struct table *t, const struct expr *e,
		       struct table_col *out)
{
	if (new_values(x, t, e->type, out))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++) {
		if (col_is_f(e->type))
			out->f[i] = e->number;
		else
			out->u[i] = e->whole;
	}
	return 0;
}

static int eval_text(struct exec *x, struct table *t, const struct expr *e,
		     struct table_col *out)
{
	if (new_values(x, t, COL_STR, out))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++)
		out->s[i] = e->text;
	return 0;
}

int eval_column(struct table *t, const struct expr *e, struct table_col **out)
{
	struct table_col *c;

	if (!e->event.n)
		return table_column(t, e->text, e->ev, e->percent, out);
	if (table_own(t, e->text, e->ev, e->percent, &c))
		return (int)t->x->err->kind;
	/* Two columns of one name would be one key in a JSON object. */
	if (table_taken(t, c->name))
		c->name = arena_printf(t->x->a, "%s.%.*s%s", c->def->name,
				       STR_ARG(t->x->env->events[e->ev]),
				       e->percent ? "%" : "");
	if (!c->name.p)
		return arena_full(t->x->a, t->x->err);
	*out = c;
	return 0;
}

static int eval_col(struct exec *x, struct table *t, const struct expr *e,
		    struct table_col *out)
{
	struct table_col *c;

	if (e->let)
		return eval(x, t, e->let, out);
	if (e->col) {
		*out = *e->col;
		return 0;
	}
	if (eval_column(t, e, &c))
		return (int)x->err->kind;
	*out = *c;
	return 0;
}

/* ---- arithmetic ---- */

static double float_op(enum expr_op op, double a, double b)
{
	return op == EX_ADD ? a + b : op == EX_SUB ? a - b : op == EX_MUL ? a * b : a / b;
}

static __int128 int_op(enum expr_op op, __int128 a, __int128 b)
{
	return op == EX_ADD ? a + b : op == EX_SUB ? a - b : a * b;
}

static void store_int(struct table_col *out, size_t i, __int128 v)
{
	if (out->type == COL_DELTA)
		out->i[i] = v > INT64_MAX   ? INT64_MAX
			    : v < INT64_MIN ? INT64_MIN
					    : (int64_t)v;
	else
		out->u[i] = v > (__int128)UINT64_MAX ? UINT64_MAX
			    : v < 0		     ? 0
						     : (uint64_t)v;
}

/* A division by 0 or an overflow; but what is infinite (delta% of a new row) stays so. */
static bool is_no_value(double v, double a, double b)
{
	return isnan(v) || (isinf(v) && isfinite(a) && isfinite(b));
}

static int eval_arith(struct exec *x, struct table *t, const struct expr *e,
		      struct table_col *out)
{
	struct table_col a, b;
	const uint8_t *lent;

	if (eval(x, t, e->a, &a) || eval(x, t, e->b, &b) ||
	    new_values(x, t, e->type, out) || inherit(x, t, &a, &b, out))
		return (int)x->err->kind;
	lent = out->absent;
	for (size_t i = 0; i < t->n; i++) {
		if (exec_poll(x))
			return (int)x->err->kind;
		if (!col_is_f(e->type)) {
			store_int(out, i, int_op(e->op, as_int(&a, i), as_int(&b, i)));
			continue;
		}
		out->f[i] = float_op(e->op, as_double(&a, i), as_double(&b, i));
		if (is_no_value(out->f[i], as_double(&a, i), as_double(&b, i))) {
			out->f[i] = 0;
			if (set_absent(x, t, out, lent, i))
				return (int)x->err->kind;
		}
	}
	return 0;
}

static int eval_neg(struct exec *x, struct table *t, const struct expr *e,
		    struct table_col *out)
{
	struct table_col a;

	if (eval(x, t, e->a, &a) || new_values(x, t, e->type, out) ||
	    inherit(x, t, &a, NULL, out))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++) {
		if (col_is_f(e->type))
			out->f[i] = -as_double(&a, i);
		else
			store_int(out, i, -as_int(&a, i));
	}
	return 0;
}

/* ---- conditions ---- */

static bool holds(enum expr_op op, int c)
{
	switch (op) {
	case EX_EQ: return c == 0;
	case EX_NE: return c != 0;
	case EX_LT: return c < 0;
	case EX_LE: return c <= 0;
	case EX_GT: return c > 0;
	default: return c >= 0;
	}
}

static int compare(const struct table_col *a, const struct table_col *b, size_t i)
{
	if (col_is_text(a->type))
		return str_cmp(a->s[i], b->s[i]);
	if (a->type == COL_BOOL)
		return a->b[i] - b->b[i];
	if (col_is_f(a->type) || col_is_f(b->type)) {
		double l = as_double(a, i), r = as_double(b, i);

		return (l > r) - (l < r);
	}
	return (as_int(a, i) > as_int(b, i)) - (as_int(a, i) < as_int(b, i));
}

/* obj = "libc.so.6": a text without a "/" is compared with the base name, like
 * obj:"libc.so.6". */
static bool is_base(const struct table_col *path, const struct expr *text)
{
	return (path->type == COL_FILE || path->type == COL_OBJ) && text->op == EX_TEXT &&
	       str_find(text->text, '/') == text->text.n;
}

static int to_base(struct exec *x, struct table *t, struct table_col *c)
{
	struct str *base = EXEC_ARRAY(x, struct str, t->n + 1);

	for (size_t i = 0; base && i < t->n; i++)
		base[i] = str_basename(c->s[i]);
	c->s = base;
	return base ? 0 : (int)x->err->kind;
}

static int eval_compare(struct exec *x, struct table *t, const struct expr *e,
			struct table_col *out)
{
	struct table_col a, b, flags = {0};

	if (eval(x, t, e->a, &a) || eval(x, t, e->b, &b) ||
	    new_values(x, t, COL_BOOL, out) || inherit(x, t, &a, &b, &flags))
		return (int)x->err->kind;
	if ((e->op == EX_EQ || e->op == EX_NE) &&
	    ((is_base(&a, e->b) && to_base(x, t, &a)) ||
	     (is_base(&b, e->a) && to_base(x, t, &b))))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++) {
		out->b[i] = !(flags.absent && flags.absent[i]) &&
			    holds(e->op, compare(&a, &b, i));
		if (exec_poll(x))
			return (int)x->err->kind;
	}
	return 0;
}

static int eval_logic(struct exec *x, struct table *t, const struct expr *e,
		      struct table_col *out)
{
	struct table_col a, b = {0};

	if (eval(x, t, e->a, &a) || (e->b && eval(x, t, e->b, &b)) ||
	    new_values(x, t, COL_BOOL, out))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++)
		out->b[i] = e->op == EX_NOT   ? !a.b[i]
			    : e->op == EX_AND ? a.b[i] && b.b[i]
					      : a.b[i] || b.b[i];
	return 0;
}

static bool looks_like_regex(struct str s)
{
	return s.n > 1 &&
	       (s.p[0] == '^' || s.p[s.n - 1] == '$' ||
		str_find_str(s, STR(".*")) < s.n || str_find_str(s, STR("\\b")) < s.n);
}

/* Note a text that looks like a pattern: "^mem" finds nothing, and `expect none` would
 * always pass. */
static int note_text(struct exec *x, struct str text)
{
	return exec_note(x, arena_printf(x->a,
					 "\"%.*s\" is text and was not found; "
					 "a regular expression stands in slashes: /%.*s/",
					 STR_ARG(text), STR_ARG(text)));
}

/* Text in quotes to the right of ~ is searched literally. */
static int match_text(struct table *t, const struct expr *e, const struct table_col *a,
		      struct table_col *out)
{
	bool any = false;

	for (size_t i = 0; i < t->n; i++) {
		bool hit = str_find_str(a->s[i], e->b->text) < a->s[i].n ||
			   e->b->text.n == 0;

		any |= hit;
		out->b[i] = hit == (e->op == EX_MATCH);
		if (exec_poll(t->x))
			return (int)t->x->err->kind;
	}
	return t->n && !any && looks_like_regex(e->b->text) ? note_text(t->x, e->b->text)
							    : 0;
}

static int match_regex(struct table *t, const struct expr *e, const struct table_col *a,
		       struct table_col *out)
{
	struct match_atom atom = {.form = MATCH_REGEX,
				  .text = e->b->text,
				  .nocase = e->b->caseless,
				  .at = e->b->span.at + 1,
				  .len = (uint32_t)e->b->text.n};
	struct match *m = NULL;
	int rc = match_new(&atom, t->x->a, &m, t->x->err);

	for (size_t i = 0; i < t->n && !rc; i++) {
		int hit = match_name(m, a->s[i], t->x->err);

		rc = hit < 0 ? (int)t->x->err->kind : exec_poll(t->x);
		out->b[i] = (hit > 0) == (e->op == EX_MATCH);
	}
	match_free(m);
	return rc;
}

static int eval_match(struct exec *x, struct table *t, const struct expr *e,
		      struct table_col *out)
{
	struct table_col a;

	if (eval(x, t, e->a, &a) || new_values(x, t, COL_BOOL, out))
		return (int)x->err->kind;
	return e->b->op == EX_TEXT ? match_text(t, e, &a, out)
				   : match_regex(t, e, &a, out);
}

static int eval_in_set(struct exec *x, struct table *t, const struct expr *e,
		       struct table_col *out)
{
	struct set var = {.op = SET_VAR, .span = e->b->span, .text = e->b->text};
	struct fn_set *set;

	if (exec_set(x, &var, &set))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t f = table_fn(t, i);

		out->b[i] = f != GRAPH_NONE && fnset_has(set, f);
		if (exec_poll(x))
			return (int)x->err->kind;
	}
	return 0;
}

static int eval_in(struct exec *x, struct table *t, const struct expr *e,
		   struct table_col *out)
{
	struct table_col a, b;

	if (new_values(x, t, COL_BOOL, out))
		return (int)x->err->kind;
	if (e->b && e->b->op == EX_VAR)
		return eval_in_set(x, t, e, out);
	if (eval(x, t, e->a, &a))
		return (int)x->err->kind;
	for (const struct expr *v = e->b; v; v = v->next) {
		struct table_col one = a;

		if (eval(x, t, v, &b) || (is_base(&a, v) && to_base(x, t, &one)))
			return (int)x->err->kind;
		for (size_t i = 0; i < t->n; i++)
			out->b[i] |=
				compare(&one, &b, i) == 0 && !(a.absent && a.absent[i]);
	}
	return 0;
}

/* ---- functions ---- */

static struct str call_text(const struct exec *x, struct str name, struct str v)
{
	if (str_eq(name, STR("short")))
		return name_short(v, x->a);
	if (str_eq(name, STR("basename")))
		return str_basename(v);
	v.n -= str_basename(v).n; /* dirname */
	return v.n > 1 ? (struct str){v.p, v.n - 1} : v.n ? v : STR(".");
}

static int eval_call(struct exec *x, struct table *t, const struct expr *e,
		     struct table_col *out)
{
	struct table_col a;

	if (eval(x, t, e->a, &a) || new_values(x, t, e->type, out) ||
	    inherit(x, t, &a, NULL, out))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++) {
		if (col_is_text(e->type)) {
			out->s[i] = call_text(x, e->text, a.s[i]);
			if (!out->s[i].p && a.s[i].p)
				return arena_full(x->a, x->err);
		} else if (col_is_f(e->type))
			out->f[i] = fabs(as_double(&a, i));
		else
			store_int(out, i,
				  as_int(&a, i) < 0 ? -as_int(&a, i) : as_int(&a, i));
		if (exec_poll(x))
			return (int)x->err->kind;
	}
	return 0;
}

int eval(struct exec *x, struct table *t, const struct expr *e, struct table_col *out)
{
	switch (e->op) {
	case EX_NUMBER: return eval_number(x, t, e, out);
	case EX_TEXT:
	case EX_REGEX: return eval_text(x, t, e, out);
	case EX_COL: return eval_col(x, t, e, out);
	case EX_CALL: return eval_call(x, t, e, out);
	case EX_OR:
	case EX_AND:
	case EX_NOT: return eval_logic(x, t, e, out);
	case EX_NEG: return eval_neg(x, t, e, out);
	case EX_ADD:
	case EX_SUB:
	case EX_MUL:
	case EX_DIV: return eval_arith(x, t, e, out);
	case EX_MATCH:
	case EX_NOT_MATCH: return eval_match(x, t, e, out);
	case EX_IN: return eval_in(x, t, e, out);
	default: return eval_compare(x, t, e, out);
	}
}

static struct expr *bind(struct exec *x, struct table *t, const struct expr *e)
{
	struct table_col *c = e ? e->col : NULL;
	struct expr *n;

	if (!e)
		return NULL;
	if (e->op == EX_COL && e->let)
		return bind(x, t, e->let);
	if (e->op == EX_COL && !c && eval_column(t, e, &c))
		return NULL;
	if (c && c->ratio)
		return c->ratio; /* already bound */
	if (!(n = EXEC_ARRAY(x, struct expr, 1)))
		return NULL;
	*n = *e;
	n->next = NULL;
	n->col = c;
	n->a = bind(x, t, e->a);
	n->b = bind(x, t, e->b);
	return n;
}

int eval_bind(struct exec *x, struct table *t, const struct expr *e, struct expr **out)
{
	/* A copy may be incomplete if memory ran out. */
	*out = bind(x, t, e);
	return (int)x->err->kind;
}

int eval_rows(struct exec *x, struct table *t, const struct expr *e, uint32_t **rows,
	      size_t *n)
{
	struct table_col c;
	uint32_t *r;
	size_t k = 0;

	if (eval(x, t, e, &c) || !(r = EXEC_ARRAY(x, uint32_t, t->n + 1)))
		return (int)x->err->kind;
	for (size_t i = 0; i < t->n; i++)
		if (c.b[i])
			r[k++] = (uint32_t)i;
	*rows = r;
	*n = k;
	return 0;
}
