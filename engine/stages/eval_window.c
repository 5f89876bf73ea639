/*
 * eval_window.c - the values of an expression in one window of rows; see eval.h.
 *
 * Counts stay 64-bit integers up to the first division or fraction.  A result that does not
 * fit stands at their end, and the answer says so, even if what is made of it fits.  An
 * absent value makes every result that uses it absent; a condition on it is false.
 *
 * A condition on a text of a dictionary (a file, an object) is asked once for each text,
 * not for each row.
 */
#include <math.h>
#include <string.h>

#include "engine/names/fnset.h"
#include "engine/names/match.h"
#include "engine/names/name.h"
#include "engine/rows/window.h"
#include "engine/stages/eval.h"
#include "engine/rows/row_loops.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

static void new_values(struct window *w, enum col_type type, struct table_col *out)
{
	*out = (struct table_col){.type = type, .event = w->t.event, .filled = true};
	out->p = exec_alloc(&w->x, w->t.n, col_width(out));
}

/* Combine the flags of both operands, in place in one of them if possible; NULL: no
 * flags. */
static void join_flags(struct window *w, uint8_t *a, uint8_t *b, uint8_t **out)
{
	if (!a || !b) {
		*out = a ? a : b;
		return;
	}
	*out = EXEC_ARRAY(&w->x, uint8_t, w->t.n);
	for (size_t i = 0; i < w->t.n; i++)
		(*out)[i] = a[i] | b[i];
}

static void inherit(struct window *w, const struct table_col *a,
		    const struct table_col *b, struct table_col *out)
{
	join_flags(w, a->absent, b ? b->absent : NULL, &out->absent);
	join_flags(w, a->estimated, b ? b->estimated : NULL, &out->estimated);
}

static double as_double(const struct table_col *c, size_t i)
{
	if (col_is_f(c->type))
		return c->f[i];
	return col_is_signed(c->type) ? (double)c->i[i] : (double)c->u[i];
}

/* One bit more than uint64_t, to hold signed and unsigned values. */
static __int128 as_int(const struct table_col *c, size_t i)
{
	return col_is_signed(c->type) ? (__int128)c->i[i] : (__int128)c->u[i];
}

static bool is_unsigned(const struct table_col *c)
{
	return !col_is_f(c->type) && !col_is_text(c->type) && !col_is_signed(c->type) &&
	       c->type != COL_BOOL;
}

/* The numbers of c as doubles. */
static const double *doubles(struct window *w, const struct table_col *c)
{
	double *f;

	if (col_is_f(c->type))
		return c->f;
	f = EXEC_ARRAY(&w->x, double, w->t.n);
	if (col_is_signed(c->type))
		for (size_t i = 0; i < w->t.n; i++)
			f[i] = (double)c->i[i];
	else
		for (size_t i = 0; i < w->t.n; i++)
			f[i] = (double)c->u[i];
	return f;
}

/* Mark row i absent.  lent: flags of an operand, copied before the first change. */
static void set_absent(struct window *w, struct table_col *c, const uint8_t *lent,
		       size_t i)
{
	if (c->absent == lent) {
		c->absent = EXEC_ARRAY(&w->x, uint8_t, w->t.n);
		if (lent)
			memcpy(c->absent, lent, w->t.n);
	}
	c->absent[i] = 1;
}

static void eval_number(struct window *w, const struct expr *e, struct table_col *out)
{
	new_values(w, e->type, out);
	for (size_t i = 0; i < w->t.n; i++) {
		if (col_is_f(e->type))
			out->f[i] = e->number;
		else
			out->u[i] = e->whole;
	}
}

static void eval_text(struct window *w, const struct expr *e, struct table_col *out)
{
	new_values(w, COL_STR, out);
	for (size_t i = 0; i < w->t.n; i++)
		out->s[i] = e->text;
}

static void eval_col(struct window *w, const struct expr *e, struct table_col *out)
{
	*out = *window_col(w, e->col);
}

/* ---- arithmetic ---- */

static __int128 int_op(enum expr_op op, __int128 a, __int128 b)
{
	return op == EX_ADD ? a + b : op == EX_SUB ? a - b : a * b;
}

static void store_int(struct table_col *out, size_t i, __int128 v)
{
	if (col_is_signed(out->type))
		out->i[i] = v > INT64_MAX   ? INT64_MAX
			    : v < INT64_MIN ? INT64_MIN
					    : (int64_t)v;
	else
		out->u[i] = v > (__int128)UINT64_MAX ? UINT64_MAX
			    : v < 0		     ? 0
						     : (uint64_t)v;
}

static void float_loop(enum expr_op op, const double *a, const double *b, size_t n,
		       double *out)
{
	switch (op) {
	case EX_ADD:
		for (size_t i = 0; i < n; i++)
			out[i] = a[i] + b[i];
		break;
	case EX_SUB:
		for (size_t i = 0; i < n; i++)
			out[i] = a[i] - b[i];
		break;
	case EX_MUL:
		for (size_t i = 0; i < n; i++)
			out[i] = a[i] * b[i];
		break;
	default:
		for (size_t i = 0; i < n; i++)
			out[i] = a[i] / b[i];
	}
}

/* A division by 0 or an overflow; but what is infinite (delta% of a new row) stays so. */
static bool is_no_value(enum expr_op op, double v, double a, double b)
{
	return isnan(v) || (op == EX_DIV && b == 0) ||
	       (isinf(v) && isfinite(a) && isfinite(b));
}

static void float_arith(struct window *w, enum expr_op op, const struct table_col *a,
			const struct table_col *b, struct table_col *out)
{
	const double *fa = doubles(w, a), *fb = doubles(w, b);
	const uint8_t *lent = out->absent;

	float_loop(op, fa, fb, w->t.n, out->f);
	for (size_t i = 0; i < w->t.n; i++) {
		if (isfinite(out->f[i]) || !is_no_value(op, out->f[i], fa[i], fb[i]))
			continue;
		out->f[i] = 0;
		set_absent(w, out, lent, i);
	}
}

static void eval_arith(struct window *w, struct expr *e, struct table_col *out)
{
	struct table_col a, b;

	eval_values(w, e->a, &a);
	eval_values(w, e->b, &b);
	new_values(w, e->type, out);
	inherit(w, &a, &b, out);
	if (col_is_f(e->type)) {
		float_arith(w, e->op, &a, &b, out);
		return;
	}
	for (size_t i = 0; i < w->t.n; i++)
		store_int(out, i, int_op(e->op, as_int(&a, i), as_int(&b, i)));
	table_doubt_full(w->stmt, out, w->t.n);
}

static void eval_neg(struct window *w, struct expr *e, struct table_col *out)
{
	struct table_col a;

	eval_values(w, e->a, &a);
	new_values(w, e->type, out);
	inherit(w, &a, NULL, out);
	for (size_t i = 0; i < w->t.n; i++) {
		if (col_is_f(e->type))
			out->f[i] = -as_double(&a, i);
		else
			store_int(out, i, -as_int(&a, i));
	}
	table_doubt_full(w->stmt, out, w->t.n);
}

/* ---- comparisons ---- */

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

/* The rows of two arrays for which a comparison holds. */
#define COMPARE_LOOPS(name, type)                                                 \
	static void name(enum expr_op op, const type *a, const type *b, size_t n, \
			 bool *out)                                               \
	{                                                                         \
		if (op == EX_EQ || op == EX_NE)                                   \
			for (size_t i = 0; i < n; i++)                            \
				out[i] = (a[i] == b[i]) == (op == EX_EQ);         \
		else if (op == EX_LT || op == EX_GE)                              \
			for (size_t i = 0; i < n; i++)                            \
				out[i] = (a[i] < b[i]) == (op == EX_LT);          \
		else                                                              \
			for (size_t i = 0; i < n; i++)                            \
				out[i] = (a[i] > b[i]) == (op == EX_GT);          \
	}
COMPARE_LOOPS(compare_whole, uint64_t)
COMPARE_LOOPS(compare_signed, int64_t)
COMPARE_LOOPS(compare_float, double)

static int compare(const struct table *t, const struct table_col *a,
		   const struct table_col *b, size_t i)
{
	if (col_is_text(a->type))
		return str_cmp(col_text(t, a, i), col_text(t, b, i));
	if (a->type == COL_BOOL)
		return a->b[i] - b->b[i];
	return (as_int(a, i) > as_int(b, i)) - (as_int(a, i) < as_int(b, i));
}

/* Compare a with the number e. */
static void compare_number(struct window *w, enum expr_op op, const struct table_col *a,
			   const struct expr *e, bool *out)
{
	if (is_unsigned(a) && !col_is_f(e->type)) {
		row_loops()->compare_whole(op, a->u, e->whole, w->t.n, out);
		return;
	}
	if (col_is_signed(a->type) && !col_is_f(e->type)) {
		row_loops()->compare_signed(op, a->i, (int64_t)e->whole, w->t.n, out);
		return;
	}
	row_loops()->compare_float(op, doubles(w, a),
				   col_is_f(e->type) ? e->number : (double)e->whole,
				   w->t.n, out);
}

static bool is_number(const struct expr *e, const struct table_col *a)
{
	return e->op == EX_NUMBER && a->type != COL_DELTA && a->type != COL_BOOL &&
	       !col_is_text(a->type) && e->type != COL_DELTA &&
	       (!col_is_signed(a->type) || e->whole <= INT64_MAX || col_is_f(e->type));
}

static void compare_rows(struct window *w, enum expr_op op, const struct table_col *a,
			 const struct table_col *b, bool *out)
{
	if (is_unsigned(a) && is_unsigned(b)) {
		compare_whole(op, a->u, b->u, w->t.n, out);
	} else if (col_is_signed(a->type) && col_is_signed(b->type)) {
		compare_signed(op, a->i, b->i, w->t.n, out);
	} else if (col_is_f(a->type) || col_is_f(b->type)) {
		compare_float(op, doubles(w, a), doubles(w, b), w->t.n, out);
	} else {
		for (size_t i = 0; i < w->t.n; i++)
			out[i] = holds(op, compare(&w->t, a, b, i));
	}
}

/* obj = "libc.so.6": a text without a "/" is compared with the base name, like
 * obj:"libc.so.6". */
static bool is_base(enum col_type path, const struct expr *text)
{
	return (path == COL_FILE || path == COL_OBJ) && text->op == EX_TEXT &&
	       str_basename(text->text).n == text->text.n;
}

static void to_base(struct window *w, struct table_col *c)
{
	struct str *base = EXEC_ARRAY(&w->x, struct str, w->t.n);

	for (size_t i = 0; i < w->t.n; i++)
		base[i] = str_basename(col_text(&w->t, c, i));
	c->s = base;
	c->dict = DICT_NONE;
}

/* Does a comparison with the text in e->b hold for s, a text of a column? */
static bool compare_text(const struct expr *e, struct str s)
{
	if ((e->op == EX_EQ || e->op == EX_NE) && is_base(e->a->type, e->b))
		s = str_basename(s);
	return holds(e->op, str_cmp(s, e->b->text));
}

/* ---- texts ---- */

/* Does e, a comparison or a match with a text or a regular expression, hold for s? */
static bool text_holds(struct window *w, struct expr *e, struct str s)
{
	bool hit;

	if (e->op != EX_MATCH && e->op != EX_NOT_MATCH)
		return compare_text(e, s);
	if (e->match) {
		const int found = match_name(e->match, s, w->x.err);

		need(found < 0, w->x.err);
		hit = found > 0;
	} else {
		/* Text in quotes to the right of ~ is searched literally. */
		hit = str_find_str(s, e->b->text) < s.n || e->b->text.n == 0;
		e->found |= hit;
	}
	return hit == (e->op != EX_NOT_MATCH);
}

/* Does it hold for the text with number `code` of n?  Asked once. */
static bool code_holds(struct window *w, struct expr *e, const struct table_col *c,
		       uint32_t n, uint32_t code)
{
	bool hold;

	if (e->known && code < n && e->known[code] != KNOWN_NOT) {
		hold = e->known[code] == KNOWN_TRUE;
		e->found |= hold == (e->op == EX_MATCH);
		return hold;
	}
	hold = text_holds(w, e, dict_text(w->t.g->st, c->dict, code));
	if (e->known && code < n)
		e->known[code] = hold ? KNOWN_TRUE : KNOWN_FALSE;
	return hold;
}

static void text_rows(struct window *w, struct expr *e, const struct table_col *a,
		      struct table_col *out)
{
	const uint32_t codes = a->dict ? dict_size(w->t.g->st, a->dict) : 0;

	for (size_t i = 0; i < w->t.n; i++) {
		if (w->decided && w->decided[i])
			continue;
		if (a->absent && a->absent[i])
			out->b[i] = false;
		else
			out->b[i] = a->dict ? code_holds(w, e, a, codes, a->code[i])
					    : text_holds(w, e, a->s[i]);
		exec_poll(w->stmt);
	}
}

static void eval_match(struct window *w, struct expr *e, struct table_col *out)
{
	struct table_col a;

	eval_values(w, e->a, &a);
	new_values(w, COL_BOOL, out);
	text_rows(w, e, &a, out);
}

/* In conditions an unknown line is the number 0, as in the profile. */
static void eval_compared(struct window *w, struct expr *e, struct table_col *out)
{
	eval_values(w, e, out);
	if (out->type == COL_LINE)
		out->absent = NULL;
}

static void eval_compare(struct window *w, struct expr *e, struct table_col *out)
{
	struct table_col a, b, flags = {0};

	if (e->b->op == EX_TEXT) {
		eval_match(w, e, out);
		return;
	}
	eval_compared(w, e->a, &a);
	new_values(w, COL_BOOL, out);
	if (is_number(e->b, &a)) {
		compare_number(w, e->op, &a, e->b, out->b);
		for (size_t i = 0; a.absent && i < w->t.n; i++)
			out->b[i] = out->b[i] && !a.absent[i];
		return;
	}
	eval_compared(w, e->b, &b);
	inherit(w, &a, &b, &flags);
	if ((e->op == EX_EQ || e->op == EX_NE) && is_base(b.type, e->a))
		to_base(w, &b);
	compare_rows(w, e->op, &a, &b, out->b);
	for (size_t i = 0; flags.absent && i < w->t.n; i++)
		out->b[i] = out->b[i] && !flags.absent[i];
}

/* Do not ask about texts where a decides already: `and` where it is false, `or` where it
 * is true. */
static void decide(struct window *w, enum expr_op op, const struct table_col *a)
{
	bool *decided = EXEC_ARRAY(&w->x, bool, w->t.n);

	for (size_t i = 0; i < w->t.n; i++)
		decided[i] = a->b[i] == (op == EX_OR) || (w->decided && w->decided[i]);
	w->decided = decided;
}

static void eval_logic(struct window *w, struct expr *e, struct table_col *out)
{
	const bool *decided = w->decided;
	struct table_col a, b = {0};

	eval_values(w, e->a, &a);
	if (e->b)
		decide(w, e->op, &a);
	if (e->b)
		eval_values(w, e->b, &b);
	new_values(w, COL_BOOL, out);
	w->decided = decided;
	if (e->op == EX_NOT)
		for (size_t i = 0; i < w->t.n; i++)
			out->b[i] = !a.b[i];
	else if (e->op == EX_AND)
		for (size_t i = 0; i < w->t.n; i++)
			out->b[i] = a.b[i] & b.b[i];
	else
		for (size_t i = 0; i < w->t.n; i++)
			out->b[i] = a.b[i] | b.b[i];
}

/* ---- in ---- */

static void eval_in_set(struct window *w, const struct expr *e, struct table_col *out)
{
	for (size_t i = 0; i < w->t.n; i++) {
		uint32_t f = table_fn(&w->t, i);

		out->b[i] = f != GRAPH_NONE && fnset_has(e->set, f);
	}
}

static void eval_in(struct window *w, struct expr *e, struct table_col *out)
{
	struct table_col a, b;

	new_values(w, COL_BOOL, out);
	if (e->set) {
		eval_in_set(w, e, out);
		return;
	}
	eval_compared(w, e->a, &a);
	for (struct expr *v = e->b; v; v = v->next) {
		struct table_col one = a;
		bool *same = EXEC_ARRAY(&w->x, bool, w->t.n);

		eval_values(w, v, &b);
		if (is_base(a.type, v))
			to_base(w, &one);
		compare_rows(w, EX_EQ, &one, &b, same);
		for (size_t i = 0; i < w->t.n; i++)
			out->b[i] |= same[i] && !(a.absent && a.absent[i]);
	}
}

/* ---- functions ---- */

static struct str function_text(struct window *w, struct str name, struct str v)
{
	if (str_eq(name, STR("short")))
		return name_short(v, w->a);
	if (str_eq(name, STR("basename")))
		return str_basename(v);
	v.n -= str_basename(v).n; /* dirname */
	return v.n > 1 ? (struct str){v.p, v.n - 1} : v.n ? v : STR(".");
}

static void eval_replace(struct window *w, struct expr *e, const struct table_col *a,
			 struct table_col *out)
{
	const struct expr *to = e->a->next->next;

	for (size_t i = 0; i < w->t.n; i++) {
		need(match_replace(e->match, col_text(&w->t, a, i), to->text,
				   to->span.at + 1, w->a, &out->s[i], w->x.err),
		     w->x.err);
		exec_poll(w->stmt);
	}
}

static void eval_call(struct window *w, struct expr *e, struct table_col *out)
{
	struct table_col a;

	eval_values(w, e->a, &a);
	new_values(w, e->type, out);
	inherit(w, &a, NULL, out);
	if (e->match) {
		eval_replace(w, e, &a, out);
		return;
	}
	for (size_t i = 0; i < w->t.n; i++) {
		if (col_is_text(e->type)) {
			const struct str s = col_text(&w->t, &a, i);

			out->s[i] = function_text(w, e->text, s);
			if (!out->s[i].p && s.p)
				need_memory(w->a);
		} else if (col_is_f(e->type))
			out->f[i] = fabs(as_double(&a, i));
		else
			store_int(out, i,
				  as_int(&a, i) < 0 ? -as_int(&a, i) : as_int(&a, i));
	}
}

void eval_values(struct window *w, struct expr *e, struct table_col *out)
{
	switch (e->op) {
	case EX_NUMBER: eval_number(w, e, out); break;
	case EX_TEXT:
	case EX_REGEX: eval_text(w, e, out); break;
	case EX_COL: eval_col(w, e, out); break;
	case EX_CALL: eval_call(w, e, out); break;
	case EX_OR:
	case EX_AND:
	case EX_NOT: eval_logic(w, e, out); break;
	case EX_NEG: eval_neg(w, e, out); break;
	case EX_ADD:
	case EX_SUB:
	case EX_MUL:
	case EX_DIV: eval_arith(w, e, out); break;
	case EX_MATCH:
	case EX_NOT_MATCH: eval_match(w, e, out); break;
	case EX_IN: eval_in(w, e, out); break;
	default: eval_compare(w, e, out); break;
	}
}
